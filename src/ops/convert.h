/* Floats to integers, with what x86 gives where the value does not fit: the smallest integer.
 *
 * Decides: one result on every machine; C leaves these conversions undefined, GPUs saturate.
 * x86 has the conversions to i32 and i64 alone, so there the plain ones are meant. */
#ifndef TNI_OPS_CONVERT_H
#define TNI_OPS_CONVERT_H

#include "types.h"

#if !defined(TN_DEVICE) && defined(__x86_64__)
#define FITS(a, below, limit) 1
#else
#define FITS(a, below, limit) (a > below && a < limit)
#endif
#define SMALLEST(suffix, bits) (tn_i##suffix)((tn_u##suffix)1 << (bits - 1))

TN_FN tn_i32 TN_NAME(to_i32, f32)(float a) {
    return FITS(a, -2147483904.0f, 2147483648.0f) ? (tn_i32)a : SMALLEST(32, 32);
}

TN_FN tn_i32 TN_NAME(to_i32, f64)(double a) {
    return FITS(a, -2147483649.0, 2147483648.0) ? (tn_i32)a : SMALLEST(32, 32);
}

TN_FN tn_i64 TN_NAME(to_i64, f32)(float a) {
    return FITS(a, -9223373136366403584.0f, 9223372036854775808.0f) ? (tn_i64)a : SMALLEST(64, 64);
}

TN_FN tn_i64 TN_NAME(to_i64, f64)(double a) {
    return FITS(a, -9223372036854777856.0, 9223372036854775808.0) ? (tn_i64)a : SMALLEST(64, 64);
}

/* The upper half of an unsigned range goes through the lower: half the range is taken off and its
 * bit put back. */
TN_FN tn_u32 TN_NAME(to_u32, f32)(float a) {
    const float half = 2147483648.0f;
    tn_i32 low = TN_NAME(to_i32, f32)(a >= half ? a - half : a);
    return (tn_u32)low ^ (a >= half ? (tn_u32)1 << 31 : 0);
}

TN_FN tn_u32 TN_NAME(to_u32, f64)(double a) {
    const double half = 2147483648.0;
    tn_i32 low = TN_NAME(to_i32, f64)(a >= half ? a - half : a);
    return (tn_u32)low ^ (a >= half ? (tn_u32)1 << 31 : 0);
}

TN_FN tn_u64 TN_NAME(to_u64, f64)(double a) {
    const double half = 9223372036854775808.0;
    tn_i64 low = TN_NAME(to_i64, f64)(a >= half ? a - half : a);
    return (tn_u64)low ^ (a >= half ? (tn_u64)1 << 63 : 0);
}

TN_FN tn_u64 TN_NAME(to_u64, f32)(float a) {
    return TN_NAME(to_u64, f64)((double)a);
}

#undef FITS
#undef SMALLEST

#endif
