/* The choice by type that C++ makes by overloading, for C: m_sin(a) is m_sin_f32(a) or another. */
#ifndef TNI_OPS_GENERIC_H
#define TNI_OPS_GENERIC_H

/* Integers: I8, reals: F, complex: C. An association must name functions that exist. */
#define TN_CASES_I(name)                                                                           \
    tn_i8:                                                                                         \
    m_##name##_i8, tn_u8 : m_##name##_u8,                                                          \
                           tn_i16 : m_##name##_i16,                                                \
                                    tn_u16 : m_##name##_u16,                                       \
                                             tn_i32 : m_##name##_i32,                              \
                                                      tn_u32 : m_##name##_u32,                     \
                                                               tn_i64 : m_##name##_i64,            \
                                                                        tn_u64 : m_##name##_u64
#define TN_CASES_F(name) float : m_##name##_f32, double : m_##name##_f64
#define TN_CASES_C(name)                                                                           \
    tn_c64:                                                                                        \
    m_##name##_c64, tn_c128 : m_##name##_c128
#define TN_I(name, a) _Generic((a), TN_CASES_I(name))
#define TN_F(name, a) _Generic((a), TN_CASES_F(name))
#define TN_C(name, a) _Generic((a), TN_CASES_C(name))
#define TN_IF(name, a) _Generic((a), TN_CASES_I(name), TN_CASES_F(name))
#define TN_IC(name, a) _Generic((a), TN_CASES_I(name), TN_CASES_C(name))
#define TN_FC(name, a) _Generic((a), TN_CASES_F(name), TN_CASES_C(name))
#define TN_IFC(name, a) _Generic((a), TN_CASES_I(name), TN_CASES_F(name), TN_CASES_C(name))

#define m_add(a, b) TN_IC(add, a)(a, b)
#define m_subtract(a, b) TN_IC(subtract, a)(a, b)
#define m_multiply(a, b) TN_IC(multiply, a)(a, b)
#define m_negative(a) TN_IC(negative, a)(a)
#define m_absolute(a) TN_IC(absolute, a)(a)
#define m_sign(a) TN_IC(sign, a)(a)
#define m_reciprocal(a) TN_IC(reciprocal, a)(a)
#define m_floor_divide(a, b) TN_IF(floor_divide, a)(a, b)
#define m_remainder(a, b) TN_IF(remainder, a)(a, b)
#define m_fmod(a, b) TN_IF(fmod, a)(a, b)
#define m_power(a, b) TN_I(power, a)(a, b)
#define m_gcd(a, b) TN_I(gcd, a)(a, b)
#define m_lcm(a, b) TN_I(lcm, a)(a, b)
#define m_left_shift(a, b) TN_I(left_shift, a)(a, b)
#define m_right_shift(a, b) TN_I(right_shift, a)(a, b)
#define m_bitwise_count(a) TN_I(bitwise_count, a)(a)
#define m_clip(a, b, c) TN_IFC(clip, a)(a, b, c)

#define m_fabs(a) TN_F(fabs, a)(a)
#define m_cbrt(a) TN_F(cbrt, a)(a)
#define m_floor(a) TN_F(floor, a)(a)
#define m_ceil(a) TN_F(ceil, a)(a)
#define m_trunc(a) TN_F(trunc, a)(a)
#define m_atan2(a, b) TN_F(atan2, b)(a, b)
#define m_hypot(a, b) TN_F(hypot, a)(a, b)
#define m_copysign(a, b) TN_F(copysign, b)(a, b)
#define m_nextafter(a, b) TN_F(nextafter, a)(a, b)
#define m_spacing(a) TN_F(spacing, a)(a)
#define m_ldexp(a, b) TN_F(ldexp, a)(a, b)
#define m_frexp_mantissa(a) TN_F(frexp_mantissa, a)(a)
#define m_frexp_exponent(a) TN_F(frexp_exponent, a)(a)
#define m_modf_fraction(a) TN_F(modf_fraction, a)(a)
#define m_signbit(a) TN_F(signbit, a)(a)
#define m_isfinite(a) TN_F(isfinite, a)(a)
#define m_isinf(a) TN_F(isinf, a)(a)
#define m_logaddexp(a, b) TN_F(logaddexp, a)(a, b)
#define m_logaddexp2(a, b) TN_F(logaddexp2, a)(a, b)
#define m_deg2rad(a) TN_F(deg2rad, a)(a)
#define m_rad2deg(a) TN_F(rad2deg, a)(a)
#define m_i0(a) TN_F(i0, a)(a)
#define m_to_i32(a) TN_F(to_i32, a)(a)
#define m_to_i64(a) TN_F(to_i64, a)(a)
#define m_to_u32(a) TN_F(to_u32, a)(a)
#define m_to_u64(a) TN_F(to_u64, a)(a)
#define m_to_f16(a) TN_F(to_f16, a)(a)
#define m_to_bf16(a) TN_F(to_bf16, a)(a)

#define m_sqrt(a) TN_FC(sqrt, a)(a)
#define m_exp(a) TN_FC(exp, a)(a)
#define m_exp2(a) TN_FC(exp2, a)(a)
#define m_expm1(a) TN_FC(expm1, a)(a)
#define m_log(a) TN_FC(log, a)(a)
#define m_log2(a) TN_FC(log2, a)(a)
#define m_log10(a) TN_FC(log10, a)(a)
#define m_log1p(a) TN_FC(log1p, a)(a)
#define m_sin(a) TN_FC(sin, a)(a)
#define m_cos(a) TN_FC(cos, a)(a)
#define m_tan(a) TN_FC(tan, a)(a)
#define m_asin(a) TN_FC(asin, a)(a)
#define m_acos(a) TN_FC(acos, a)(a)
#define m_atan(a) TN_FC(atan, a)(a)
#define m_sinh(a) TN_FC(sinh, a)(a)
#define m_cosh(a) TN_FC(cosh, a)(a)
#define m_tanh(a) TN_FC(tanh, a)(a)
#define m_asinh(a) TN_FC(asinh, a)(a)
#define m_acosh(a) TN_FC(acosh, a)(a)
#define m_atanh(a) TN_FC(atanh, a)(a)
#define m_rint(a) TN_FC(rint, a)(a)
#define m_pow(a, b) TN_FC(pow, a)(a, b)
#define m_sinc(a) TN_FC(sinc, a)(a)
#define m_isclose(a, b, c, d) TN_FC(isclose, a)(a, b, c, d)
#define m_nan_to_num(a, b, c, d) TN_FC(nan_to_num, a)(a, b, c, d)
#define m_isnan(a) TN_FC(isnan, a)(a)

#define m_divide(a, b) TN_C(divide, a)(a, b)
#define m_conjugate(a) TN_C(conjugate, a)(a)
#define m_nonzero(a) TN_C(nonzero, a)(a)
#define m_less(a, b) TN_C(less, a)(a, b)
#define m_less_equal(a, b) TN_C(less_equal, a)(a, b)
#define m_maximum(a, b) TN_C(maximum, a)(a, b)
#define m_minimum(a, b) TN_C(minimum, a)(a, b)
#define m_fmax(a, b) TN_C(fmax, a)(a, b)
#define m_fmin(a, b) TN_C(fmin, a)(a, b)
#define m_round_decimals(a, b) TN_C(round_decimals, a)(a, b)
#define m_round_powers(a, b) TN_C(round_powers, a)(a, b)

#endif
