/* Scalars inside the library. */
#ifndef TNI_SCALAR_H
#define TNI_SCALAR_H

#include <tenorite/dtype.h>

/* Whether a weak integer is in an integer dtype's range; true for every other pair. */
bool tni_scalar_fits(const tn_scalar *scalar, tn_dtype dtype);

#endif
