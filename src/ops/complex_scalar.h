/* Bodies of operations on complex scalars that are not expressions: complex.h for each of the two
 * types, and what differs between them. */
#ifndef TNI_OPS_COMPLEX_SCALAR_H
#define TNI_OPS_COMPLEX_SCALAR_H

#include "scalar.h"

/* |a|: for c64 in double, where no square overflows; for c128 scaled by a power of two where one
 * would. One infinite part makes it infinite. */
TN_FN float TN_NAME(absolute, c64)(tn_c64 a) {
    double re = a.re, im = a.im;
    float size = (float)sqrt(TN_ROUNDED(re * re) + TN_ROUNDED(im * im));
    int infinite = (fabsf(a.re) == TN_INFINITY) | (fabsf(a.im) == TN_INFINITY);
    return infinite ? (float)TN_INFINITY : size;
}

TN_FN double TN_NAME(absolute, c128)(tn_c128 a) {
    const double large = 3.273390607896142e150,
                 small = 3.054936363499605e-151;                            /* 2**500, 2**-500 */
    const double up = 4.149515568880993e180, down = 2.409919865102884e-181; /* 2**600, 2**-600 */
    double re = fabs(a.re), im = fabs(a.im), larger = re > im ? re : im;
    double scale = larger > large ? down : larger < small ? up : 1;
    double unscale = larger > large ? up : larger < small ? down : 1;
    double squares =
        TN_ROUNDED((re * scale) * (re * scale)) + TN_ROUNDED((im * scale) * (im * scale));
    double size = sqrt(squares) * unscale;
    return ((re == TN_INFINITY) | (im == TN_INFINITY)) ? TN_INFINITY : size;
}

#define Z tn_c64
#define S c64
#define T float
#define TS f32
#define TN_LIBM(name) name##f
#define EPSILON (T)1.1920928955078125e-07
#define LARGEST (T)3.40282346638528859812e+38
#define SMALLEST (T)1.17549435082228750797e-38
#define LOG_LARGEST 88
#include "complex.h"

#define Z tn_c128
#define S c128
#define T double
#define TS f64
#define TN_LIBM(name) name
#define EPSILON 2.220446049250313e-16
#define LARGEST 1.79769313486231570815e+308
#define SMALLEST 2.22507385850720138309e-308
#define LOG_LARGEST 709
#include "complex.h"

#endif
