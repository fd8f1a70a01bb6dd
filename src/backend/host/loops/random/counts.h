/* Counts of a batch, as doubles. */
#ifndef TNI_BACKEND_HOST_LOOPS_RANDOM_COUNTS_H
#define TNI_BACKEND_HOST_LOOPS_RANDOM_COUNTS_H

#include "backend/host/loops/random/batch.h"

#define poissons LEVEL(tni_random_poissons)
void poissons(batch *b, const int32_t *at, int n, const double *means, bool same, double *values);

#endif
