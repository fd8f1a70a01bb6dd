/* Powers of floats. Included by own.h.
 *
 * Algorithm: 2**(y log2(x)) with the logarithm as a double, accurate to 2**-34, for the product may
 * be 125. Its fraction goes on as a float. A negative x has powers with integers, whose sign is
 * that of (-1)**y. */

/* NaN where ours does not take the arguments. */
INLINE T OWN(power)(T x, T y) {
    const double rounding = 0x1.8p52;
    const T size = m_fabs(x), half = y * (T)0.5;
    const BITS bits = OWN(log_bits)(size);
    const T f = OWN(log_fraction)(bits);
    const double logarithm = OWN(log_exponent)(bits) + f * own_log2_quotient_f64(f);
    const double product = logarithm * y, n = (product + rounding) - rounding;
    const T r = (T)(product - n), shifted = (T)n + SHIFT;
    const T scale = OWN(number)((OWN(bits)(shifted) << MANTISSA) + ((BITS)BIAS << MANTISSA));
    const T value = MADD(scale, r * OWN(exp2_series)(r), scale);
    const int whole = m_rint(y) == y, odd = m_rint(half) != half;
    const T signed_value = x < 0 ? (whole ? (odd ? -value : value) : (T)TN_NAN) : value;
    const int taken = size >= SMALLEST && size <= LARGEST && m_fabs((T)product) <= 125;
    return taken ? signed_value : (T)TN_NAN;
}
