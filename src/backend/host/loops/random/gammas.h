/* Normal and gamma numbers of a batch. */
#ifndef TNI_BACKEND_HOST_LOOPS_RANDOM_GAMMAS_H
#define TNI_BACKEND_HOST_LOOPS_RANDOM_GAMMAS_H

#include "backend/host/loops/random/batch.h"

#define normals LEVEL(tni_random_normals)
void normals(batch *b, const int32_t *at, int n, double *values);

#define gammas LEVEL(tni_random_gammas)
void gammas(batch *b, const int32_t *at, int n, const double *shapes, bool same, double *values);
/* Of half as many degrees of freedom. */
#define half_gammas LEVEL(tni_random_half_gammas)
void half_gammas(batch *b, const double *degrees, bool same, double *values);

#endif
