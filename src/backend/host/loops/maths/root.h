/* The cube root of one type. Included by own.h.
 *
 * Algorithm: a third of the bits of x, taken from a constant, are those of y = x**(-1/3) to a tenth
 * (Kahan's). Floats: y keeps so few bits that y**3 is exact, so h = 1 - x y**3 is nearly exact too,
 * and x y**2 (1 - h)**(-2/3) is the root. Doubles get one step of a series first; then the root x
 * y**2 keeps few bits in the same way, and a quotient tells what its cube lacks. Zero stays
 * zero. */

/* Floats: ((1 - h)**(-2/3) - 1) / h; doubles: ((1 + h)**(1/3) - 1) / h. Least squares at
 * Chebyshev's points. */
INLINE T OWN(cbrt_series)(T h) {
#if SINGLE
    return POLY_6(h, 0x1.a4dee0p-2f, 0x1.b81d84p-2f, 0x1.cf6f6ap-2f, 0x1.f9a4bap-2f, 0x1.1c71cep-1f,
                  0x1.555556p-1f);
#else
    return POLY_3(h, 0x1.f9add3efac9f7p-5, -0x1.c71c71e09bcdfp-4, 0x1.5555555555555p-2);
#endif
}

INLINE T OWN(cbrt)(T a) {
    const T x = m_fabs(a), shift = (T)((tn_u64)1 << MANTISSA);
    const T bits = OWN(number)(OWN(bits)(x) >> CBRT_DROPPED | OWN(bits)(shift)) - shift;
    const T third = MADD(bits, (T)(1.0 / 3), shift);
    T y = OWN(number)((CBRT_MAGIC + OWN(bits)(shift) - OWN(bits)(third)) << CBRT_DROPPED);
#if SINGLE
    y = OWN(number)(OWN(bits)(y) & CBRT_KEPT);
    const T near = x * (y * y), h = MADD(-x, y * y * y, 1);
#else
    const T e = MADD(-x, y * y * y, 1);
    y = MADD(y, e * POLY_3(e, 0x1.66d8613316d67p-3, 0x1.ca4e36dc0022ap-3, 0x1.5553dd1fe5f73p-2), y);
    const T near = OWN(number)(OWN(bits)(x * (y * y)) & CBRT_KEPT), cube = near * near * near;
    const T h = (x - cube) / (x == 0 ? 1 : cube);
#endif
    return m_copysign(MADD(near, h * OWN(cbrt_series)(h), near), a);
}
