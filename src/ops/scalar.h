/* Bodies of operations on real scalars that are not expressions, and the way to all the others.
 *
 * Decides: what integers and reals compute, by one text for the host's C and the device's C++.
 * Algorithm: integer.h and real.h are written once and included once per type; half.h adds the two
 * 16-bit floats, complex.h the complex types, generic.h (C only) the choice by type. */
#ifndef TNI_OPS_SCALAR_H
#define TNI_OPS_SCALAR_H

#include "types.h"

#define BELOW_ZERO(a) ((a) < 0)
#define T tn_i8
#define S i8
#define U tn_u8
#define W tn_u32
#define BITS 8
#define ONE_BY_ZERO 0
#define DIVIDES_AS float
#define DIVIDED tn_i32
#include "integer.h"

#define BELOW_ZERO(a) 0
#define T tn_u8
#define S u8
#define U tn_u8
#define W tn_u32
#define BITS 8
#define ONE_BY_ZERO 0
#define DIVIDES_AS float
#define DIVIDED tn_i32
#include "integer.h"

#define BELOW_ZERO(a) ((a) < 0)
#define T tn_i16
#define S i16
#define U tn_u16
#define W tn_u32
#define BITS 16
#define ONE_BY_ZERO 0
#define DIVIDES_AS float
#define DIVIDED tn_i32
#include "integer.h"

#define BELOW_ZERO(a) 0
#define T tn_u16
#define S u16
#define U tn_u16
#define W tn_u32
#define BITS 16
#define ONE_BY_ZERO 0
#define DIVIDES_AS float
#define DIVIDED tn_i32
#include "integer.h"

#define BELOW_ZERO(a) ((a) < 0)
#define T tn_i32
#define S i32
#define U tn_u32
#define W tn_u32
#define BITS 32
#define ONE_BY_ZERO (tn_i32)((tn_u32)1 << 31)
#define DIVIDES_AS double
#define DIVIDED tn_i32
#include "integer.h"

#define BELOW_ZERO(a) 0
#define T tn_u32
#define S u32
#define U tn_u32
#define W tn_u32
#define BITS 32
#define ONE_BY_ZERO 0
#define DIVIDES_AS double
#define DIVIDED tn_u32
#include "integer.h"

#define BELOW_ZERO(a) ((a) < 0)
#define T tn_i64
#define S i64
#define U tn_u64
#define W tn_u64
#define BITS 64
#define ONE_BY_ZERO (tn_i64)((tn_u64)1 << 63)
#include "integer.h"

#define BELOW_ZERO(a) 0
#define T tn_u64
#define S u64
#define U tn_u64
#define W tn_u64
#define BITS 64
#define ONE_BY_ZERO 0
#include "integer.h"

/* The representation of a float as an integer, and back. */
#ifdef TN_DEVICE
TN_FN tn_u32 m_to_bits(float a) {
    return __float_as_uint(a);
}
TN_FN float m_from_bits(tn_u32 a) {
    return __uint_as_float(a);
}
TN_FN tn_u64 m_to_bits(double a) {
    return (tn_u64)__double_as_longlong(a);
}
TN_FN double m_from_bits(tn_u64 a) {
    return __longlong_as_double((tn_i64)a);
}
#else
TN_FN tn_u32 TN_NAME(to_bits, f32)(float a) {
    tn_u32 bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
TN_FN float TN_NAME(from_bits, f32)(tn_u32 a) {
    float value;
    memcpy(&value, &a, sizeof value);
    return value;
}
TN_FN tn_u64 TN_NAME(to_bits, f64)(double a) {
    tn_u64 bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
TN_FN double TN_NAME(from_bits, f64)(tn_u64 a) {
    double value;
    memcpy(&value, &a, sizeof value);
    return value;
}
#endif

/* gcc expands fmod to the slow x87 instruction where errno does not count; this is the function. */
#if defined(__ELF__) && !defined(TN_DEVICE)
extern float tn_library_fmodf(float a, float b) __asm__("fmodf");
extern double tn_library_fmod(double a, double b) __asm__("fmod");
#else
#define tn_library_fmodf fmodf
#define tn_library_fmod fmod
#endif

/* Both are exact: quotients small enough are found by division, and so is the remainder then: in
 * double, whose products of such a quotient and a float are exact, or by one fused operation, where
 * the rounded quotient may be one too large. */
TN_FN float TN_NAME(fmod, f32)(float a, float b) {
#ifndef TN_DEVICE
    double quotient = trunc((double)a / (double)b);
    if (quotient == 0) return a;
    if (fabs(quotient) < 268435456) return copysignf((float)(a - quotient * b), a);
#endif
    return tn_library_fmodf(a, b);
}

TN_FN double TN_NAME(fmod, f64)(double a, double b) {
#if !defined(TN_DEVICE) && defined(__FMA__)
    double quotient = trunc(a / b);
    if (quotient == 0) return a;
    if (fabs(quotient) < 4503599627370496) {
        double rest = fma(-quotient, b, a);
        if (rest != 0 && (rest < 0) != (a < 0)) rest += copysign(b, a);
        return copysign(rest, a);
    }
#endif
    return tn_library_fmod(a, b);
}

#define T float
#define S f32
#define BITS tn_u32
#define MANTISSA 23
#define BIAS 127
#define EPSILON 1.1920928955078125e-07
#define BELOW 18
#define BEYOND 8
#define TN_LIBM(name) name##f
#include "real.h"

#define T double
#define S f64
#define BITS tn_u64
#define MANTISSA 52
#define BIAS 1023
#define EPSILON 2.220446049250313e-16
#define BELOW 30
#define BEYOND 25
#define TN_LIBM(name) name
#include "real.h"

#include "half.h"

#include "convert.h"

/* |a|: for c64 in double, where no square overflows; for c128 scaled by a power of two where one
 * would. One infinite part makes it infinite. */
TN_FN float TN_NAME(absolute, c64)(tn_c64 a) {
    double re = a.re, im = a.im;
    float size = (float)sqrt(re * re + im * im);
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
    double size = sqrt((re * scale) * (re * scale) + (im * scale) * (im * scale)) * unscale;
    return (re == TN_INFINITY) | (im == TN_INFINITY) ? TN_INFINITY : size;
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

#ifndef __cplusplus
#include "generic.h"
#endif

#endif
