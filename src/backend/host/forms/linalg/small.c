/* The factors of small real matrices, stamped for both dtypes from small_kernels.h. */
#include "backend/host/forms/linalg/small.h"

#include "backend/host/loops/level.h"

#include <float.h>
#include <math.h>
#include <string.h>

const tni_small_loops *tni_linalg_small_loops(bool is_wide) {
    return tni_loops_level()->small[is_wide];
}

#define REAL float
#define NAME(x) x##_f32
#define ABS fabsf
#define ROOT sqrtf
#define EPSILON FLT_EPSILON
#include "backend/host/forms/linalg/small_kernels.h"
#undef REAL
#undef NAME
#undef ABS
#undef ROOT
#undef EPSILON

#define REAL double
#define NAME(x) x##_f64
#define ABS fabs
#define ROOT sqrt
#define EPSILON DBL_EPSILON
#include "backend/host/forms/linalg/small_kernels.h"
