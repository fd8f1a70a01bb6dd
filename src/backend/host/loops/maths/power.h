/* Powers. Included by own.h; of doubles where operations can be fused.
 *
 * Algorithm: of floats 2**(y log2(x)) with the logarithm as a double, accurate to 2**-34, for the
 * product may be 125. Its fraction goes on as a float. Of doubles exp(y ln(x)), in which logarithm
 * and product are sums of two doubles, accurate to 2**-65: ln(x) = k ln(2) + 2 atanh(s) as in
 * logarithm.h, of whose series the first two terms are such sums. A negative x has powers with
 * integers, whose sign is that of (-1)**y. */

/* The power of a negative x by that of its size. */
INLINE T OWN(signed_power)(T x, T y, T value) {
    const T half = y * (T)0.5;
    const int whole = m_rint(y) == y, odd = m_rint(half) != half;
    return x < 0 ? (whole ? (odd ? -value : value) : (T)TN_NAN) : value;
}

#if SINGLE
/* NaN where ours does not take the arguments. */
INLINE T OWN(power)(T x, T y) {
    const double rounding = 0x1.8p52;
    const T size = m_fabs(x);
    const BITS bits = OWN(log_bits)(size);
    const T f = OWN(log_fraction)(bits);
    const double logarithm = OWN(log_exponent)(bits) + f * own_log2_quotient_f64(f);
    const double product = logarithm * y, n = (product + rounding) - rounding;
    const T r = (T)(product - n), shifted = (T)n + SHIFT;
    const T scale = OWN(number)((OWN(bits)(shifted) << MANTISSA) + ((BITS)BIAS << MANTISSA));
    const T value = MADD(scale, r * OWN(exp2_series)(r), scale);
    const T signed_value = OWN(signed_power)(x, y, value);
    const int taken = size >= SMALLEST && size <= LARGEST && m_fabs((T)product) <= 125;
    return taken ? signed_value : (T)TN_NAN;
}
#else
/* A number and what it lacks. */
typedef struct own_pair {
    double high, low;
} own_pair;

INLINE own_pair own_times(double a, double a_low, double b, double b_low) {
    const double high = a * b;
    return (own_pair){high, MADD(a, b, -high) + MADD(a, b_low, a_low * b)};
}

/* a + b, of which a is the larger or 0. */
INLINE own_pair own_plus(double a, double b, double low) {
    const double high = a + b;
    return (own_pair){high, (a - high) + b + low};
}

/* (2 atanh(s) / s - 2 - 2/3 z) / z**2 for z = s**2 <= 0.0295: interpolated at Chebyshev's
 * points. */
INLINE double own_atanh_rest(double z) {
    return POLY_8(z, 0x1.e032e4d8436a1p-4, 0x1.df7c5bc7c7563p-4, 0x1.1118c9ee5b8a4p-3,
                  0x1.3b1395c881220p-3, 0x1.745d177aad02ap-3, 0x1.c71c71c6ea871p-3,
                  0x1.2492492492522p-2, 0x1.999999999999ap-2);
}

/* ln of a positive, normal x. */
INLINE own_pair own_log_pair(double x) {
    const BITS bits = OWN(log_bits)(x);
    const double k = OWN(log_exponent)(bits), f = OWN(log_fraction)(bits);
    const double d = 2 + f, d_low = f - (d - 2), inverse = 1 / d;
    const double s = f * inverse, s_low = MADD(-s, d_low, MADD(-s, d, f)) * inverse;
    const own_pair z = own_times(s, s_low, s, s_low);
    const own_pair third = own_times(z.high, z.low, 0x1.5555555555555p-1, 0x1.5555555555555p-55);
    const own_pair sum = own_plus(third.high, z.high * z.high * own_atanh_rest(z.high), third.low);
    const own_pair rest = own_times(s, s_low, sum.high, sum.low);
    const own_pair small = own_plus(2 * s, rest.high, 2 * s_low + rest.low);
    return own_plus(k * LN2_HIGH, small.high, MADD(k, LN2_LOW, small.low));
}

/* NaN where ours does not take the arguments. */
INLINE T OWN(power)(T x, T y) {
    const T size = m_fabs(x);
    const own_pair logarithm = own_log_pair(size);
    const own_pair product = own_times(y, 0, logarithm.high, logarithm.low);
    const T shifted = MADD(product.high, LOG2_E, SHIFT), n = shifted - SHIFT;
    const T scale = OWN(number)((OWN(bits)(shifted) << MANTISSA) + ((BITS)BIAS << MANTISSA));
    const T high = MADD(-n, LN2_HIGH, product.high), low = MADD(-n, LN2_LOW, product.low);
    const T r = high + low, r_low = (high - r) + low;
    const T value = MADD(scale, r + MADD(r * r, OWN(series)(r), r_low), scale);
    const T signed_value = OWN(signed_power)(x, y, value);
    const int taken = size >= SMALLEST && size <= LARGEST && m_fabs(product.high) <= EXP_LIMIT;
    return taken ? signed_value : (T)TN_NAN;
}
#endif
