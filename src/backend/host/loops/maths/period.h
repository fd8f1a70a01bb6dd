/* sin, cos, tan and sinc of floats up to PERIODIC_LIMIT. Included by own.h.
 *
 * Algorithm: x = n pi / 2 + r with |r| <= pi / 4, by three parts of pi / 2; the fused operations
 * are exact but for the last rounding. Series for sin(r) and cos(r), of which n chooses one and its
 * sign. */

/* (sin(r) / r - 1) / z and (cos(r) - 1 + z / 2) / z**2 for z = r**2: least squares at Chebyshev's
 * points. */
INLINE T OWN(sin_series)(T z) {
    return POLY_4(z, 0x1.8bf730p-19f, -0x1.a097b6p-13f, 0x1.1111aep-7f, -0x1.555556p-3f);
}

INLINE T OWN(cos_series)(T z) {
    return POLY_3(z, 0x1.9b9a3ap-16f, -0x1.6c1252p-10f, 0x1.555554p-5f);
}

/* r; the lowest bits of *quadrant are those of n. */
INLINE T OWN(reduce_period)(T x, BITS *quadrant) {
    const T shifted = MADD(x, (T)0.636619772367581343, SHIFT), n = shifted - SHIFT;
    *quadrant = OWN(bits)(shifted);
    const T r = MADD(-n, -0x1.777a5cp-25f, MADD(-n, 0x1.921fb6p+0f, x));
    return MADD(-n, -0x1.ee59dap-50f, r);
}

INLINE T OWN(sin_of)(T r) {
    const T z = r * r;
    return MADD(r * z, OWN(sin_series)(z), r);
}

INLINE T OWN(cos_of)(T r) {
    const T z = r * r;
    return MADD(z, MADD(z, OWN(cos_series)(z), (T)-0.5), 1);
}

INLINE T OWN(sin_or_cos)(T r, BITS quadrant) {
    const T value = quadrant & 1 ? OWN(cos_of)(r) : OWN(sin_of)(r);
    return OWN(number)(OWN(bits)(value) ^ quadrant >> 1 << (8 * sizeof(T) - 1));
}

/* A zero keeps its sign. */
INLINE T OWN(sin)(T x) {
    BITS quadrant;
    const T r = OWN(reduce_period)(x, &quadrant);
    return x == 0 ? x : OWN(sin_or_cos)(r, quadrant);
}

INLINE T OWN(cos)(T x) {
    BITS quadrant;
    const T r = OWN(reduce_period)(x, &quadrant);
    return OWN(sin_or_cos)(r, quadrant + 1);
}

INLINE T OWN(tan)(T x) {
    BITS quadrant;
    const T r = OWN(reduce_period)(x, &quadrant), sine = OWN(sin_of)(r), cosine = OWN(cos_of)(r);
    const T tangent = (quadrant & 1 ? -cosine : sine) / (quadrant & 1 ? sine : cosine);
    return x == 0 ? x : tangent;
}

INLINE T OWN(sinc)(T a) {
    const T x = (T)3.141592653589793238462643383279502884 * a;
    return x == 0 ? 1 : OWN(sin)(x) / x;
}
