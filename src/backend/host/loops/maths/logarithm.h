/* Logarithms and the inverse hyperbolic functions of one type. Included by own.h.
 *
 * Algorithm: x = 2**k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), s = f / (2 + f), and
 * ln(1 + f) = 2 atanh(s) = f - (h - s (h + s**2 G(s**2))) with h = f**2 / 2, as in Sun's fdlibm:
 * the first term is exact. What is a logarithm of 1 + y takes y apart, so that nothing of a small y
 * is lost. */

/* (2 atanh(s) / s - 2) / z for z = s**2 <= 0.0406: least squares at Chebyshev's points. */
INLINE T OWN(log_series)(T z) {
#if SINGLE
    return POLY_4(z, 0x1.dffc12p-3f, 0x1.246baap-2f, 0x1.999914p-2f, 0x1.555556p-1f);
#else
    return POLY_8(z, 0x1.174379c4c224ep-3, 0x1.0e79c44dfe3f4p-3, 0x1.3b2a86cf5b8aap-3,
                  0x1.745ca9d6a741ap-3, 0x1.c71c72dcc5760p-3, 0x1.24924923ed3e5p-2,
                  0x1.9999999999dbfp-2, 0x1.5555555555555p-1);
#endif
}

/* ln(1 + f) - f, and to the bases 2 and 10 what f times the base's factor lacks. Of floats by
 * polynomials in f, which take no division: least squares as above. */
#if SINGLE
INLINE T OWN(log_rest)(T f) {
    return f * f *
           POLY_9(f, -0x1.46abeap-4f, 0x1.09e578p-3f, -0x1.0cf078p-3f, 0x1.221fa2p-3f,
                  -0x1.546cf8p-3f, 0x1.99a8eep-3f, -0x1.00027cp-2f, 0x1.555546p-2f,
                  -0x1.fffffep-2f);
}

INLINE T OWN(log2_rest)(T f) {
    return f * f *
           POLY_9(f, -0x1.d3eb98p-4f, 0x1.7f9a40p-3f, -0x1.84b7bap-3f, 0x1.a29738p-3f,
                  -0x1.eb09fap-3f, 0x1.278166p-2f, -0x1.715896p-2f, 0x1.ec708ap-2f,
                  -0x1.715474p-1f);
}

INLINE T OWN(log10_rest)(T f) {
    return f * f *
           POLY_9(f, -0x1.1cbf26p-5f, 0x1.ce057cp-5f, -0x1.d2d238p-5f, 0x1.f7f5fcp-5f,
                  -0x1.27b662p-4f, 0x1.63d3d4p-4f, -0x1.bcbbc0p-4f, 0x1.287a68p-3f,
                  -0x1.bcb7b0p-3f);
}
#else
INLINE T OWN(log_rest)(T f) {
    const T s = f / (2 + f), z = s * s, h = (T)0.5 * f * f;
    return MADD(s, MADD(z, OWN(log_series)(z), h), -h);
}

INLINE T OWN(log2_rest)(T f) {
    return MADD(f, LOG2_E_LOW, OWN(log_rest)(f) * LOG2_E);
}

INLINE T OWN(log10_rest)(T f) {
    return MADD(f, LOG10_E_LOW, OWN(log_rest)(f) * LOG10_E);
}

/* log2(1 + f) / f, to 2**-34: for floats' powers. */
INLINE T OWN(log2_quotient)(T f) {
    return POLY_13(f, 0x1.4186166101f70p-4, -0x1.28858dd25f2d3p-3, 0x1.29b1de232749dp-3,
                   -0x1.24798de684ca5p-3, 0x1.44d08ccd520f9p-3, -0x1.714b08ee0d377p-3,
                   0x1.a6469c061261bp-3, -0x1.ec729c56329c7p-3, 0x1.277632d6c592ep-2,
                   -0x1.715470368f7f6p-2, 0x1.ec709f1835b47p-2, -0x1.71547656e4644p-1,
                   0x1.7154765296d83p+0);
}
#endif

/* Bits whose exponent is that of 2**k, for x normal and positive. */
INLINE BITS OWN(log_bits)(T x) {
    return OWN(bits)(x) + (OWN(bits)(1) - OWN(bits)(SQRT_HALF));
}

INLINE T OWN(log_exponent)(BITS bits) {
    const T shift = (T)((tn_u64)1 << MANTISSA);
    return OWN(number)((bits >> MANTISSA) | OWN(bits)(shift)) - (shift + BIAS);
}

INLINE T OWN(log_fraction)(BITS bits) {
    const BITS mask = ((BITS)1 << MANTISSA) - 1;
    return OWN(number)((bits & mask) + OWN(bits)(SQRT_HALF)) - 1;
}

/* k ln(2) + f + rest */
INLINE T OWN(log_of)(T k, T f, T rest) {
    return MADD(k, LN2_HIGH, f + MADD(k, LN2_LOW, rest));
}

INLINE T OWN(log)(T x) {
    const BITS bits = OWN(log_bits)(x);
    const T f = OWN(log_fraction)(bits);
    return OWN(log_of)(OWN(log_exponent)(bits), f, OWN(log_rest)(f));
}

INLINE T OWN(log2)(T x) {
    const BITS bits = OWN(log_bits)(x);
    const T f = OWN(log_fraction)(bits);
    return OWN(log_exponent)(bits) + MADD(f, LOG2_E, OWN(log2_rest)(f));
}

INLINE T OWN(log10)(T x) {
    const BITS bits = OWN(log_bits)(x);
    const T k = OWN(log_exponent)(bits), f = OWN(log_fraction)(bits);
    return MADD(k, LOG10_2_HIGH, MADD(f, LOG10_E, MADD(k, LOG10_2_LOW, OWN(log10_rest)(f))));
}

/* k, f and the power of two by which 1 + y is 1 + f. */
INLINE T OWN(reduce_above_one)(T y, T *f, T *unscale) {
    const BITS bits = OWN(log_bits)(1 + y);
    *unscale = OWN(number)(((BITS)(2 * BIAS) << MANTISSA) - (bits >> MANTISSA << MANTISSA));
    *f = MADD(y, *unscale, *unscale - 1);
    return OWN(log_exponent)(bits);
}

INLINE T OWN(log1p)(T a) {
    T f, unscale;
    const T k = OWN(reduce_above_one)(a, &f, &unscale);
    return m_copysign(OWN(log_of)(k, f, OWN(log_rest)(f)), a);
}

/* ln(1 + y + rest), of which rest is so small that it counts to first order only. */
INLINE T OWN(log_above_one)(T y, T rest) {
    T f, unscale;
    const T k = OWN(reduce_above_one)(y, &f, &unscale);
    return OWN(log_of)(k, f, MADD(rest, unscale, OWN(log_rest)(f)));
}

/* ln(x + sqrt(1 + x**2)) */
INLINE T OWN(arcsinh)(T a) {
    const T x = m_fabs(a), z = x * x, more = z / (1 + m_sqrt(MADD(x, x, 1))), y = x + more;
    return m_copysign(OWN(log_above_one)(y, (x - y) + more), a);
}

/* ln(1 + t + sqrt(2 t + t**2)) */
INLINE T OWN(arccosh)(T a) {
    const T t = a - 1, more = m_sqrt(MADD(t, t, 2 * t)), y = t + more;
    return OWN(log_above_one)(y, (more - y) + t);
}

/* As log_series, for z <= 0.075. */
INLINE T OWN(arctanh_series)(T z) {
#if SINGLE
    return POLY_5(z, 0x1.e51b46p-3f, 0x1.bac4f8p-3f, 0x1.24d954p-2f, 0x1.99985ep-2f,
                  0x1.555556p-1f);
#else
    return POLY_10(z, 0x1.157fb6ef418e1p-3, 0x1.932934d6f3cf1p-4, 0x1.e46ad16c299ddp-4,
                   0x1.10ffa6c510549p-3, 0x1.3b144304a2b76p-3, 0x1.745d146c4eaf6p-3,
                   0x1.c71c71cf14ee9p-3, 0x1.249249248ce68p-2, 0x1.99999999999c2p-2,
                   0x1.5555555555555p-1);
#endif
}

/* (1 + x) / (1 - x) = 2**k (1 + s) / (1 - s), and 2 artanh(x) = k ln(2) + 2 artanh(s). k is the
 * rounded difference of the bits, which are nearly logarithms, and 0 up to x = 0.24 or so, where s
 * = x. */
INLINE T OWN(arctanh)(T a) {
    const T x = m_fabs(a), shift = (T)((tn_u64)1 << MANTISSA);
    const BITS ratio = OWN(bits)(1 + x) - OWN(bits)(1 - x) + OWN(bits)((T)1.28) - OWN(bits)(1);
    const BITS bits = (ratio >> MANTISSA) + BIAS;
    const T two_k = OWN(number)(bits << MANTISSA),
            k = OWN(number)(bits | OWN(bits)(shift)) - (shift + BIAS);
    const T over = MADD(x, two_k, 1 - two_k) + x;
    const T s = over / (two_k == 1 ? 2 : MADD(two_k, 1 - x, 1 + x)), z = s * s;
    const T rest = MADD(s * z, OWN(arctanh_series)(z), k * LN2_LOW);
    return m_copysign((T)0.5 * MADD(k, LN2_HIGH, MADD(2, s, rest)), a);
}
