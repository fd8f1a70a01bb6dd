/* float16 and bfloat16: exact conversion to float, and back with rounding to nearest, ties to even.
 *
 * Invariant: subnormals and infinities convert exactly, NaN stays NaN; a double is rounded once.
 * The names say both types, so nothing here is overloaded. Operations whose result depends on the
 * format itself (nextafter, spacing) or that NumPy rounds after each step have bodies here. */
#ifndef TNI_OPS_HALF_H
#define TNI_OPS_HALF_H

#include "types.h"

#if !defined(TN_DEVICE) && defined(__F16C__)
#include <immintrin.h>
#endif

/* Shifts exponent and mantissa into place and rescales by a multiplication, which is exact and
 * makes subnormals normal. */
TN_FN float m_f16_to_f32(tn_u16 a) {
#if defined(TN_DEVICE) && !defined(__TENORITE_HOST__)
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(a));
    return value;
#elif !defined(TN_DEVICE) && defined(__F16C__)
    return _cvtsh_ss(a);
#else
    tn_u32 magnitude = (tn_u32)(a & 0x7fff) << 13;
    float scaled = TN_NAME(from_bits, f32)(magnitude) * 5.192296858534828e33f; /* 2**112 */
    tn_u32 bits = TN_NAME(to_bits, f32)(scaled);
    bits = magnitude >= 0x0f800000 ? magnitude | 0x7f800000 : bits;
    return TN_NAME(from_bits, f32)(bits | (tn_u32)(a & 0x8000) << 16);
#endif
}

/* Below 2**-14, adding 0.5 lets the float adder round at the right place; above, half of the last
 * place less one bit, plus the bit that decides ties, is added to the representation. */
TN_FN tn_u16 m_f32_to_f16(float a) {
#if defined(TN_DEVICE) && !defined(__TENORITE_HOST__)
    tn_u16 value;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(value) : "f"(a));
    return value;
#elif !defined(TN_DEVICE) && defined(__F16C__)
    return _cvtss_sh(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    tn_u32 bits = TN_NAME(to_bits, f32)(a), magnitude = bits & 0x7fffffff;
    tn_u32 tiny = TN_NAME(to_bits, f32)(TN_NAME(from_bits, f32)(magnitude) + 0.5f) - 0x3f000000;
    tn_u32 normal = (magnitude - 0x37fff001 + ((magnitude >> 13) & 1)) >> 13;
    tn_u32 special = magnitude > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x3ff) : 0x7c00;
    tn_u32 half = magnitude < 0x38800000 ? tiny : magnitude < 0x47800000 ? normal : special;
    return (tn_u16)(half | (bits >> 16 & 0x8000));
#endif
}

TN_FN float m_bf16_to_f32(tn_u16 a) {
    return TN_NAME(from_bits, f32)((tn_u32)a << 16);
}

TN_FN tn_u16 m_f32_to_bf16(float a) {
    tn_u32 bits = TN_NAME(to_bits, f32)(a);
    tn_u32 rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return (tn_u16)(a != a ? bits >> 16 | 0x40 : rounded);
}

/* A double to float, rounded to the neighbour whose last bit is 1 unless exact. Rounding that once
 * more to half the bits or fewer gives what one rounding of the double would give. */
TN_FN float m_f64_to_f32_odd(double a) {
    float nearest = (float)a;
    tn_u32 bits = TN_NAME(to_bits, f32)(nearest);
    double error = TN_NAME(fabs, f64)((double)nearest) - TN_NAME(fabs, f64)(a);
    tn_u32 odd = error > 0 ? bits - 1 : bits + 1;
    return TN_NAME(from_bits, f32)(!(bits & 1) && (error > 0 || error < 0) ? odd : bits);
}

/* Conversions to the storage form. */
TN_FN tn_u16 TN_NAME(to_f16, f32)(float a) {
    return m_f32_to_f16(a);
}

TN_FN tn_u16 TN_NAME(to_f16, f64)(double a) {
    return m_f32_to_f16(m_f64_to_f32_odd(a));
}

TN_FN tn_u16 TN_NAME(to_bf16, f32)(float a) {
    return m_f32_to_bf16(a);
}

TN_FN tn_u16 TN_NAME(to_bf16, f64)(double a) {
    return m_f32_to_bf16(m_f64_to_f32_odd(a));
}

/* A float rounded to what the format can hold. */
TN_FN float m_round_f16(float a) {
    return m_f16_to_f32(m_f32_to_f16(a));
}

TN_FN float m_round_bf16(float a) {
    return m_bf16_to_f32(m_f32_to_bf16(a));
}

/* The representation one step from a towards another b: the bits count up with the magnitude. */
TN_FN tn_u16 m_next_bits(tn_u16 bits, float a, float b) {
    if (a == 0) return (tn_u16)(TN_NAME(signbit, f32)(b) ? 0x8001 : 1);
    return (tn_u16)(bits + ((a < b) == (a > 0) ? 1 : -1));
}

TN_FN float m_nextafter_half(float a, float b) {
    if (a != a || b != b) return a + b;
    if (a == b) return b; /* also where they are zeros of two signs */
    return m_f16_to_f32(m_next_bits(m_f32_to_f16(a), a, b));
}

TN_FN float m_nextafter_bfloat(float a, float b) {
    if (a != a || b != b) return a + b;
    if (a == b) return b;
    return m_bf16_to_f32(m_next_bits(m_f32_to_bf16(a), a, b));
}

/* NumPy's float16 measures towards plus infinity, its wider types away from zero. */
TN_FN float m_spacing_half(float a) {
    return TN_NAME(isfinite, f32)(a) ? m_nextafter_half(a, TN_INFINITY) - a : a - a;
}

TN_FN float m_spacing_bfloat(float a) {
    return m_nextafter_bfloat(a, TN_NAME(copysign, f32)(TN_INFINITY, a)) - a;
}

TN_FN int m_isclose_half(float a, float b, float rtol, float atol) {
    float difference = TN_NAME(fabs, f32)(m_round_f16(a - b));
    float bound = m_round_f16(atol + m_round_f16(rtol * TN_NAME(fabs, f32)(b)));
    return (difference <= bound && TN_NAME(isfinite, f32)(b)) || a == b;
}

TN_FN int m_isclose_bfloat(float a, float b, float rtol, float atol) {
    float difference = TN_NAME(fabs, f32)(m_round_bf16(a - b));
    float bound = m_round_bf16(atol + m_round_bf16(rtol * TN_NAME(fabs, f32)(b)));
    return (difference <= bound && TN_NAME(isfinite, f32)(b)) || a == b;
}

#endif
