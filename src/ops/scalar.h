/* Bodies of operations on real scalars that are not expressions, and the way to all the others.
 *
 * Decides: what integers and reals compute, by one text for the host's C and the device's C++.
 * Algorithm: integer.h and real.h are written once and included once per type; half.h adds the two
 * 16-bit floats, complex_scalar.h the complex types, times.h dates and durations, generic.h
 * (C only) the choice by type.
 * Programs for the device include half.h and complex_scalar.h themselves, for half of a small
 * program's compilation is the reading of all bodies. */
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
#if defined(TN_DEVICE) || defined(__FMA__)
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

#include "convert.h"
#include "times.h"

#ifndef TN_DEVICE
#include "half.h"

#include "complex_scalar.h"
#endif
#ifndef __cplusplus
#include "generic.h"
#endif

#endif
