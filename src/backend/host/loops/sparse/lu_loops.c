/* Inner loops of factors of sparse matrices, stamped by dtype. */
#include "backend/host/loops/sparse/lu_loops.h"

#include "backend/host/loops/elementwise/form.h"
#include "backend/host/loops/entry.h"
#include "backend/host/loops/sparse/sparse_loops.h"

#include <math.h>
#include <string.h>

#define ADD(sum, a) ((sum) += (a))
#define SUBTRACT(sum, a, b) ((sum) -= (a) * (b))
#define DIVIDE(to, a, b) ((to) = (a) / (b))
#define CONJUGATE(a) (a)
#define V float
#define R float
#define MAGNITUDE(a) fabsf(a)
#define N(name) name##_f32
#include "backend/host/loops/sparse/lu_stamp.h"
#undef MAGNITUDE
#define V double
#define R double
#define MAGNITUDE(a) fabs(a)
#define N(name) name##_f64
#include "backend/host/loops/sparse/lu_stamp.h"
#undef ADD
#undef SUBTRACT
#undef DIVIDE
#undef CONJUGATE
#undef MAGNITUDE

/* The quotient by Smith's method: nothing of it leaves the range before the result does. */
#define STAMP_DIVISION(name, V, R, absolute)                                                       \
    static V name(V a, V b) {                                                                      \
        V to;                                                                                      \
        if (absolute(b.re) >= absolute(b.im)) {                                                    \
            const R ratio = b.im / b.re, by = b.re + b.im * ratio;                                 \
            to.re = (a.re + a.im * ratio) / by;                                                    \
            to.im = (a.im - a.re * ratio) / by;                                                    \
        } else {                                                                                   \
            const R ratio = b.re / b.im, by = b.im + b.re * ratio;                                 \
            to.re = (a.re * ratio + a.im) / by;                                                    \
            to.im = (a.im * ratio - a.re) / by;                                                    \
        }                                                                                          \
        return to;                                                                                 \
    }
STAMP_DIVISION(divided_c64, tn_c64, float, fabsf)
STAMP_DIVISION(divided_c128, tn_c128, double, fabs)

#define ADD(sum, a) ((sum).re += (a).re, (sum).im += (a).im)
#define SUBTRACT(sum, a, b)                                                                        \
    ((sum).re -= (a).re * (b).re - (a).im * (b).im, (sum).im -= (a).re * (b).im + (a).im * (b).re)
#define DIVIDE(to, a, b) ((to) = DIVIDED(a, b))
#define V tn_c64
#define R float
#define DIVIDED divided_c64
#define MAGNITUDE(a) (fabsf((a).re) + fabsf((a).im))
#define CONJUGATE(a) ((tn_c64){(a).re, -(a).im})
#define N(name) name##_c64
#include "backend/host/loops/sparse/lu_stamp.h"
#undef DIVIDED
#undef MAGNITUDE
#undef CONJUGATE
#define V tn_c128
#define R double
#define DIVIDED divided_c128
#define MAGNITUDE(a) (fabs((a).re) + fabs((a).im))
#define CONJUGATE(a) ((tn_c128){(a).re, -(a).im})
#define N(name) name##_c128
#include "backend/host/loops/sparse/lu_stamp.h"

extern const tni_lu_loops *const LEVEL(tni_lu_loops)[];
const tni_lu_loops *const LEVEL(tni_lu_loops)[tni_dtype_count] = {
    [TN_F32] = &loops_f32,
    [TN_F64] = &loops_f64,
    [TN_C64] = &loops_c64,
    [TN_C128] = &loops_c128,
};
