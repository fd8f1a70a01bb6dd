/* Inverse trigonometric functions of one type. Included by own.h.
 *
 * Algorithm: an angle whose tangent is within tan(pi / 8) of a multiple of pi / 4 is that multiple
 * and a series; an arcsine beyond 1/2 is that of sqrt((1 - x) / 2), twice. */

/* (atan(z) / z - 1) / w for w = z**2 <= tan(pi / 8)**2: least squares at Chebyshev's points. */
INLINE T OWN(atan_series)(T w) {
#if SINGLE
    return POLY_5(w, -0x1.0b3550p-4f, 0x1.b9628cp-4f, -0x1.2438bap-3f, 0x1.99986cp-3f,
                  -0x1.555556p-2f);
#else
    return POLY_11(w, -0x1.3ad0b3072d748p-6, 0x1.41c6e5a165ed0p-5, -0x1.a0cb26d661a55p-5,
                   0x1.dff3437d824c3p-5, -0x1.10fb77b28b837p-4, 0x1.3b127b12ee933p-4,
                   -0x1.745d0c8677b66p-4, 0x1.c71c7190aeed0p-4, -0x1.249249244ed1cp-3,
                   0x1.99999999995fdp-3, -0x1.5555555555555p-2);
#endif
}

/* The angle of a point, for x, y >= 0. */
INLINE T OWN(angle)(T y, T x) {
    const int steep = y > (T)2.414213562373095 * x, middle = y > (T)0.4142135623730950 * x;
    const T over = steep ? -x : middle ? y - x : y, under = steep ? y : middle ? y + x : x;
    const T high = steep ? HALF_PI_HIGH : middle ? HALF_PI_HIGH / 2 : 0;
    const T low = steep ? HALF_PI_LOW : middle ? HALF_PI_LOW / 2 : 0;
    const T z = over / under, w = z * z;
    return high + (z + MADD(z * w, OWN(atan_series)(w), low));
}

INLINE T OWN(arctan)(T a) {
    return m_copysign(OWN(angle)(m_fabs(a), 1), a);
}

/* NaN where ours does not take the arguments: both zero, or so large or so small that a sum or a
 * quotient leaves the range. */
INLINE T OWN(arctan2)(T y, T x) {
    const T larger = m_fabs(x) > m_fabs(y) ? m_fabs(x) : m_fabs(y);
    const T right = OWN(angle)(m_fabs(y), m_fabs(x));
    const T left = 2 * HALF_PI_HIGH - (right - 2 * HALF_PI_LOW);
    const T angle = m_copysign(m_signbit(x) ? left : right, y);
    return larger >= 1 / SQUARE_LIMIT && larger <= SQUARE_LIMIT ? angle : (T)TN_NAN;
}

/* (asin(s) / s - 1) / z for z = s**2 <= 1/4: least squares at Chebyshev's points. */
INLINE T OWN(asin_series)(T z) {
#if SINGLE
    return POLY_5(z, 0x1.399e8ap-5f, 0x1.b293fap-6f, 0x1.709100p-5f, 0x1.332900p-4f,
                  0x1.555558p-3f);
#else
    return POLY_13(z, 0x1.da22e0e77c945p-6, -0x1.eda1757bca964p-7, 0x1.1eaf74a0b285ap-6,
                   0x1.646c289d5f43fp-8, 0x1.5240acb8b5325p-7, 0x1.782d84bfe446bp-7,
                   0x1.c9cd6e95ee83bp-7, 0x1.1c4d4ca0a141bp-6, 0x1.6e8bb05390b2dp-6,
                   0x1.f1c71c2b10207p-6, 0x1.6db6db6e12a4dp-5, 0x1.33333333330a0p-4,
                   0x1.5555555555555p-3);
#endif
}

INLINE T OWN(arcsin)(T a) {
    const T x = m_fabs(a);
    const int large = x > (T)0.5;
    const T z = large ? (1 - x) * (T)0.5 : x * x, s = large ? m_sqrt(z) : x;
    const T series = s * (z * OWN(asin_series)(z));
    const T far = (HALF_PI_HIGH - 2 * s) - MADD(2, series, -HALF_PI_LOW);
    return m_copysign(large ? far : s + series, a);
}

INLINE T OWN(arccos)(T a) {
    const T x = m_fabs(a);
    const int large = x > (T)0.5, below = a < 0;
    const T z = large ? (1 - x) * (T)0.5 : x * x, s = large ? m_sqrt(z) : a;
    const T series = s * (z * OWN(asin_series)(z));
    const T near_one = 2 * (s + series);
    const T far = HALF_PI_HIGH - (s - (HALF_PI_LOW - series));
    const T near_minus_one = 2 * (HALF_PI_HIGH - (s + (series - HALF_PI_LOW)));
    return large ? (below ? near_minus_one : near_one) : far;
}
