/* exp, expm1 and the hyperbolic functions of one type. Included by own.h.
 *
 * Algorithm: x = k ln(2) + r with |r| <= ln(2) / 2; exp(x) = s (1 + q), s = 2**k, q = exp(r) - 1.
 * sinh and cosh need exp(-x) as well, of which the even and the odd part of exp(r) serve both. What
 * a sum loses is small beside it: the first term is exact. */

/* (exp(r) - 1 - r) / r**2: of doubles interpolated at Chebyshev's points, of floats from Cephes. */
INLINE T OWN(series)(T r) {
#if SINGLE
    return POLY_6(r, 1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
                  1.6666665459e-1f, 5.0000001201e-1f);
#else
    return POLY_10(r, 0x1.af38a9b0ec855p-26, 0x1.289185613a3d6p-22, 0x1.71de0dae63bb3p-19,
                   0x1.a019b90d2ae7ap-16, 0x1.a01a01a7c41d5p-13, 0x1.6c16c1788bd90p-10,
                   0x1.11111111109b3p-7, 0x1.5555555553d63p-5, 0x1.5555555555556p-3, 0.5);
#endif
}

/* (cosh(r) - 1) / z and (sinh(r) / r - 1) / z for z = r**2: least squares at Chebyshev's points. */
INLINE T OWN(even_series)(T z) {
#if SINGLE
    return POLY_3(z, 0x1.6d3b90p-10f, 0x1.5554fap-5f, 0.5f);
#else
    return POLY_6(z, 0x1.1f7ea1b0e246cp-29, 0x1.27e4d4dd7de96p-22, 0x1.a01a01a958109p-16,
                  0x1.6c16c16c15cebp-10, 0x1.5555555555556p-5, 0.5);
#endif
}

/* For r up to ln(2), as sinh needs it. */
INLINE T OWN(odd_series)(T z) {
#if SINGLE
    return POLY_4(z, 0x1.36aba2p-19f, 0x1.a0eb80p-13f, 0x1.111048p-7f, 0x1.555556p-3f);
#else
    return POLY_7(z, 0x1.b12dd90433023p-41, 0x1.61229c18e0b9cp-33, 0x1.ae6457a468d48p-26,
                  0x1.71de3a550d28dp-19, 0x1.a01a01a01a1dep-13, 0x1.1111111111111p-7,
                  0x1.5555555555555p-3);
#endif
}

/* r, and the bits of 2**k but for the bias; k as for the number `near` x. Adding SHIFT rounds to an
 * integer, in the low bits of the sum. LN2_HIGH has few bits, so that its multiples are exact. */
INLINE T OWN(reduce_by)(T x, T near, BITS *scale) {
    const T shifted = MADD(near, (T)1.44269504088896340736, SHIFT), k = shifted - SHIFT;
    *scale = OWN(bits)(shifted) << MANTISSA;
    return MADD(-k, LN2_LOW, MADD(-k, LN2_HIGH, x));
}

INLINE T OWN(reduce)(T x, BITS *scale) {
    return OWN(reduce_by)(x, x, scale);
}

INLINE T OWN(exp)(T x) {
    BITS scale;
    const T r = OWN(reduce)(x, &scale), s = OWN(number)(scale + ((BITS)BIAS << MANTISSA));
    return MADD(s, MADD(r * r, OWN(series)(r), r), s);
}

/* The same for any x but NaN, by two halves of 2**k: what is not normal is rounded once more. From
 * EXP_LOWEST down it is 0, from EXP_HIGHEST on it is infinite. */
INLINE T OWN(any_exp)(T a) {
    BITS scale;
    const T low = a < EXP_LOWEST ? EXP_LOWEST : a, x = low > EXP_HIGHEST ? EXP_HIGHEST : low;
    const T r = OWN(reduce)(x, &scale), q = MADD(r * r, OWN(series)(r), r);
    const BITS one = (BITS)BIAS << MANTISSA, whole = scale + 2 * one;
    const BITS half = whole >> 1 & ~(((BITS)1 << MANTISSA) - 1);
    const T up = OWN(number)(half);
    return MADD(up, q, up) * OWN(number)(whole - half);
}

/* (2**r - 1) / r for |r| <= 1/2: least squares at Chebyshev's points. */
INLINE T OWN(exp2_series)(T r) {
#if SINGLE
    return POLY_6(r, 0x1.442a8ep-13f, 0x1.5f1270p-10f, 0x1.3b2a44p-7f, 0x1.c6af70p-5f,
                  0x1.ebfbe0p-3f, 0x1.62e430p-1f);
#else
    return POLY_12(r, 0x1.c4bf6237e4aa0p-36, 0x1.e9f86a83ff716p-32, 0x1.e4cefd389c556p-28,
                   0x1.b524e455e16e0p-24, 0x1.62c0224796c79p-20, 0x1.ffcbfc70d377ep-17,
                   0x1.430912f86a6fdp-13, 0x1.5d87fe78a36dep-10, 0x1.3b2ab6fba4e7bp-7,
                   0x1.c6b08d704a0c8p-5, 0x1.ebfbdff82c58fp-3, 0x1.62e42fefa39efp-1);
#endif
}

INLINE T OWN(exp2)(T x) {
    const T shifted = x + SHIFT, r = x - (shifted - SHIFT);
    const T s = OWN(number)((OWN(bits)(shifted) << MANTISSA) + ((BITS)BIAS << MANTISSA));
    return MADD(s, r * OWN(exp2_series)(r), s);
}

/* From LOWEST_EXPONENT down it is -1. A zero keeps its sign. */
INLINE T OWN(expm1)(T a) {
    BITS scale;
    const T x = a < LOWEST_EXPONENT ? LOWEST_EXPONENT : a;
    const T r = OWN(reduce)(x, &scale), s = OWN(number)(scale + ((BITS)BIAS << MANTISSA));
    return m_copysign(MADD(s, MADD(r * r, OWN(series)(r), r), s - 1), a);
}

/* up = 2**(k - 1), down = 2**(-k - 1). */
INLINE T OWN(cosh)(T a) {
    BITS scale;
    const T r = OWN(reduce)(m_fabs(a), &scale), z = r * r;
    const BITS bits = scale + ((BITS)(BIAS - 1) << MANTISSA);
    const T up = OWN(number)(bits), down = OWN(number)(((BITS)(2 * BIAS - 2) << MANTISSA) - bits);
    const T odd = MADD(r * z, OWN(odd_series)(z), r);
    return (up + down) + MADD(up + down, z * OWN(even_series)(z), (up - down) * odd);
}

/* Up to ln(2) k is 0, for a sum that loses nothing. */
INLINE T OWN(sinh)(T a) {
    BITS scale;
    const T x = m_fabs(a), r = OWN(reduce_by)(x, x < (T)0.69314718 ? 0 : x, &scale), z = r * r;
    const BITS bits = scale + ((BITS)(BIAS - 1) << MANTISSA);
    const T up = OWN(number)(bits), down = OWN(number)(((BITS)(2 * BIAS - 2) << MANTISSA) - bits);
    const T odd = MADD(r * z, OWN(odd_series)(z), r);
    const T rest = MADD(up - down, z * OWN(even_series)(z), (up + down) * odd);
    return m_copysign((up - down) + rest, a);
}

/* From TANH_LIMIT on it is 1. */
#if SINGLE
/* Below 5/8 an odd polynomial (Moshier's Cephes library, tanhf.c), else 1 - 2 / (exp(2x) + 1). Both
 * are computed and one is chosen, so the compiler makes vectors. */
INLINE T OWN(tanh)(T a) {
    BITS scale;
    const T x = m_fabs(a), t = x > TANH_LIMIT ? TANH_LIMIT : x, z = t * t;
    const T small = MADD(t * z,
                         POLY_5(z, -5.70498872745e-3f, 2.06390887954e-2f, -5.37397155531e-2f,
                                1.33314422036e-1f, -3.33332819422e-1f),
                         t);
    const T r = OWN(reduce)(2 * t, &scale), s = OWN(number)(scale + ((BITS)BIAS << MANTISSA));
    const T large = 1 - 2 / MADD(s, MADD(r * r, OWN(series)(r), r), s + 1);
    return m_copysign(t < (T)0.625 ? small : large, a);
}
#else
/* tanh(x) / x - 1 for small x, as a fraction, in z = x**2 (Moshier's Cephes library, tanh.c). */
INLINE T OWN(tanh_upper)(T z) {
    return z * POLY_3(z, -9.64399179425052238628e-1, -9.92877231001918586564e1,
                      -1.61468768441708447952e3);
}

INLINE T OWN(tanh_lower)(T z) {
    return POLY_4(z, 1.0, 1.12811678491632931402e2, 2.23548839060100448583e3,
                  4.84406305325125486048e3);
}

/* Below 5/8 an odd rational function, of whose sum with x only a tenth is not exact; else
 * 1 - 2 / (exp(2x) + 1). Both are computed and one is chosen, so the compiler makes vectors. What
 * s + 1 + s q loses in its sum corrects the quotient. */
INLINE T OWN(tanh)(T a) {
    BITS scale;
    const T x = m_fabs(a), t = x > TANH_LIMIT ? TANH_LIMIT : x, z = t * t;
    const T r = OWN(reduce)(2 * t, &scale), q = MADD(r * r, OWN(series)(r), r);
    const T s = OWN(number)(scale + ((BITS)BIAS << MANTISSA));
    const T e = MADD(s, q, s + 1), lost = MADD(s, q, (s + 1) - e);
    const int small = t < (T)0.625;
    const T v = (small ? OWN(tanh_upper)(z) * t : -2) / (small ? OWN(tanh_lower)(z) : e);
    const T correction = (small ? 0 : lost) * (v * v * (T)0.5);
    return m_copysign((small ? t : 1) + (v + correction), a);
}
#endif
