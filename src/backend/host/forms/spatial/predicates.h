/* Exact decisions on points in a plane, whose coordinates are numbers of double precision.
 *
 * Invariant: the sign is that of the exact value, unless a product underflows. */
#ifndef TNI_HOST_PREDICATES_H
#define TNI_HOST_PREDICATES_H

#include <stdint.h>

/* Above 0 where a, b and c are anticlockwise, 0 where they are on one line. */
int tni_host_orient(const double *a, const double *b, const double *c);
/* Above 0 where d is within the circle through a, b and c, which are anticlockwise; 0 on it. */
int tni_host_in_circle(const double *a, const double *b, const double *c, const double *d);
/* The points in these turns, as exact multiples below 1; false where one is not finite. */
int tni_host_scale_points(double *to, const double *points, const int64_t *turns, int64_t count);

#endif
