/* The factors of small real matrices, stamped for both dtypes from small_kernels.h. */
#include "backend/host/forms/linalg/small.h"

#include "backend/host/loops/level.h"
#include "ops/types.h"

#include <string.h>

const tni_small_loops *tni_linalg_small_loops(bool is_wide) {
    return tni_loops_level()->small[is_wide];
}

#define REAL float
#define NAME(x) x##_f32
#define TNI_T_BYTES 4
#include "backend/host/forms/linalg/small_kernels.h"
#undef REAL
#undef NAME
#undef TNI_T_BYTES

#define REAL double
#define NAME(x) x##_f64
#define TNI_T_BYTES 8
#include "backend/host/forms/linalg/small_kernels.h"
