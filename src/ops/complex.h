/* Bodies for one complex type. Included by scalar.h for both, with these defined:
 *   Z the type, S its suffix, T and TS those of its parts, TN_LIBM(name) the C library's name for
 *   T, EPSILON, LARGEST and SMALLEST (normal) of T, LOG_LARGEST a bound for exp
 *
 * Decides: arithmetic (but |a|, which differs by type), order and rounding of complex numbers, by
 * NumPy's formulas. On the host the transcendental functions are the C library's, as in NumPy; on
 * the device, which has none, they are ours (complex_functions.h; TN_OWN_COMPLEX takes those on the
 * host too, for their tests). Order is lexicographic, and a pair with a NaN in it is not
 * ordered. */
#define FN(name) TN_NAME(name, S)
#define REAL(name) TN_NAME(name, TS)
#define MAKE TN_PASTE(m_make_, S)

TN_FN Z MAKE(T re, T im) {
    Z value;
    value.re = re;
    value.im = im;
    return value;
}

TN_FN Z FN(add)(Z a, Z b) {
    return MAKE(a.re + b.re, a.im + b.im);
}

TN_FN Z FN(subtract)(Z a, Z b) {
    return MAKE(a.re - b.re, a.im - b.im);
}

TN_FN Z FN(multiply)(Z a, Z b) {
    return MAKE(TN_ROUNDED(a.re * b.re) - TN_ROUNDED(a.im * b.im),
                TN_ROUNDED(a.re * b.im) + TN_ROUNDED(a.im * b.re));
}

/* Smith's algorithm: divides by the larger part first, so that no square overflows. */
TN_FN Z FN(divide)(Z a, Z b) {
    int wide = REAL(fabs)(b.re) >= REAL(fabs)(b.im);
    T larger = wide ? b.re : b.im, smaller = wide ? b.im : b.re;
    if (larger == 0 && smaller == 0) return MAKE(a.re / REAL(fabs)(b.re), a.im / REAL(fabs)(b.re));
    T ratio = smaller / larger, scale = 1 / (larger + TN_ROUNDED(smaller * ratio));
    T re_part = TN_ROUNDED(a.re * ratio), im_part = TN_ROUNDED(a.im * ratio);
    if (wide) return MAKE((a.re + im_part) * scale, (a.im - re_part) * scale);
    return MAKE((re_part + a.im) * scale, (im_part - a.re) * scale);
}

TN_FN Z FN(reciprocal)(Z a) {
    int wide = REAL(fabs)(a.im) <= REAL(fabs)(a.re);
    T larger = wide ? a.re : a.im, smaller = wide ? a.im : a.re;
    T ratio = smaller / larger, divisor = larger + TN_ROUNDED(smaller * ratio);
    return wide ? MAKE(1 / divisor, -ratio / divisor) : MAKE(ratio / divisor, -1 / divisor);
}

TN_FN Z FN(negative)(Z a) {
    return MAKE(-a.re, -a.im);
}

TN_FN Z FN(conjugate)(Z a) {
    return MAKE(a.re, -a.im);
}

TN_FN int FN(isnan)(Z a) {
    return a.re != a.re || a.im != a.im;
}

TN_FN int FN(nonzero)(Z a) {
    return a.re != 0 || a.im != 0;
}

/* a / |a|; along an axis where |a| is infinite, NaN for two infinite parts. */
TN_FN Z FN(sign)(Z a) {
    T size = FN(absolute)(a);
    int re_inf = REAL(isinf)(a.re);
    if (size != size || (re_inf && REAL(isinf)(a.im))) return MAKE((T)TN_NAN, (T)TN_NAN);
    if (re_inf) return MAKE((T)(a.re > 0 ? 1 : -1), 0);
    if (REAL(isinf)(size)) return MAKE(0, (T)(a.im > 0 ? 1 : -1));
    return size == 0 ? MAKE(0, 0) : MAKE(a.re / size, a.im / size);
}

TN_FN int FN(less)(Z a, Z b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im < b.im);
}

TN_FN int FN(less_equal)(Z a, Z b) {
    return (a.re < b.re && a.im == a.im && b.im == b.im) || (a.re == b.re && a.im <= b.im);
}

TN_FN Z FN(maximum)(Z a, Z b) {
    return FN(isnan)(a) || FN(less_equal)(b, a) ? a : b;
}

TN_FN Z FN(minimum)(Z a, Z b) {
    return FN(isnan)(a) || FN(less_equal)(a, b) ? a : b;
}

TN_FN Z FN(fmax)(Z a, Z b) {
    return FN(isnan)(b) || FN(less_equal)(b, a) ? a : b;
}

TN_FN Z FN(fmin)(Z a, Z b) {
    return FN(isnan)(b) || FN(less_equal)(a, b) ? a : b;
}

/* NumPy's clip compares imaginary parts, and minds a NaN in them, only where real parts agree. */
TN_FN int FN(reaches)(Z a, Z b) {
    return a.re > b.re || (a.re == b.re && a.im >= b.im);
}

TN_FN Z FN(clip)(Z a, Z low, Z high) {
    Z raised = FN(isnan)(a) || FN(reaches)(a, low) ? a : low;
    int stays = raised.re < high.re || (raised.re == high.re && raised.im <= high.im);
    return FN(isnan)(raised) || stays ? raised : high;
}

TN_FN Z FN(rint)(Z a) {
    return MAKE(REAL(rint)(a.re), REAL(rint)(a.im));
}

TN_FN Z FN(round_decimals)(Z a, Z b) {
    return MAKE(REAL(rint)(a.re * b.re) / b.re, REAL(rint)(a.im * b.re) / b.re);
}

TN_FN Z FN(round_powers)(Z a, Z b) {
    return MAKE(REAL(rint)(a.re / b.re) * b.re, REAL(rint)(a.im / b.re) * b.re);
}

TN_FN int FN(isclose)(Z a, Z b, Z rtol, Z atol) {
    int finite = REAL(isfinite)(b.re) & REAL(isfinite)(b.im);
    T difference = FN(absolute)(FN(subtract)(a, b));
    int near = difference <= atol.re + rtol.re * FN(absolute)(b);
    return (near & finite) | ((a.re == b.re) & (a.im == b.im));
}

TN_FN Z FN(nan_to_num)(Z a, Z nan, Z infinity, Z minus_infinity) {
    return MAKE(REAL(nan_to_num)(a.re, nan.re, infinity.re, minus_infinity.re),
                REAL(nan_to_num)(a.im, nan.re, infinity.re, minus_infinity.re));
}

#if defined(TN_DEVICE) || defined(TN_OWN_COMPLEX)
#include "complex_functions.h"
#else
/* A C library's complex value is laid out as ours. */
#define CALL(name, function)                                                                       \
    TN_FN Z FN(name)(Z a) {                                                                        \
        T _Complex x;                                                                              \
        memcpy(&x, &a, sizeof x);                                                                  \
        x = TN_LIBM(__builtin_##function)(x);                                                      \
        memcpy(&a, &x, sizeof x);                                                                  \
        return a;                                                                                  \
    }
CALL(sqrt, csqrt)
CALL(exp, cexp)
CALL(log, clog)
CALL(sin, csin)
CALL(cos, ccos)
CALL(tan, ctan)
CALL(asin, casin)
CALL(acos, cacos)
CALL(atan, catan)
CALL(sinh, csinh)
CALL(cosh, ccosh)
CALL(tanh, ctanh)
CALL(asinh, casinh)
CALL(acosh, cacosh)
CALL(atanh, catanh)
#undef CALL
TN_FN Z FN(general_pow)(Z a, Z b) {
    T _Complex x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x = TN_LIBM(__builtin_cpow)(x, y);
    memcpy(&a, &x, sizeof x);
    return a;
}
#endif

TN_FN Z FN(exp2)(Z a) {
    const T ln2 = (T)0.693147180559945309417232121458176568;
    return FN(exp)(MAKE(a.re * ln2, a.im * ln2));
}

TN_FN Z FN(expm1)(Z a) {
    T half_sine = REAL(sin)(a.im / 2);
    return MAKE(REAL(expm1)(a.re) * REAL(cos)(a.im) - 2 * half_sine * half_sine,
                REAL(exp)(a.re) * REAL(sin)(a.im));
}

TN_FN Z FN(log2)(Z a) {
    const T log2_e = (T)1.442695040888963407359924681001892137;
    Z natural = FN(log)(a);
    return MAKE(natural.re * log2_e, natural.im * log2_e);
}

TN_FN Z FN(log10)(Z a) {
    const T log10_e = (T)0.434294481903251827651128918916605082;
    Z natural = FN(log)(a);
    return MAKE(natural.re * log10_e, natural.im * log10_e);
}

/* |1 + a|^2 - 1 of x and y near 0 or on the circle where that is 0, with exact squares and sums. */
TN_FN T FN(square_beyond_one)(T x, T y) {
    T xx = x * x, yy = y * y;
    T low = TN_LIBM(fma)(x, x, -xx) + TN_LIBM(fma)(y, y, -yy);
    T first = 2 * x + yy, back = first - yy, sum = first + xx, other = sum - first;
    low += (2 * x - back) + (yy - (first - back));
    return sum + (low + ((first - (sum - other)) + (xx - other)));
}

TN_FN Z FN(log1p)(Z a) {
    T size = REAL(hypot)(a.re + 1, a.im), real;
    if (size > (T)0.5 && size < 2)
        real = REAL(log1p)(FN(square_beyond_one)(a.re, a.im)) / 2;
    else
        real = REAL(log)(size);
    return MAKE(real, REAL(atan2)(a.im, a.re + 1));
}

TN_FN Z FN(sinc)(Z a) {
    const T pi = (T)3.141592653589793238462643383279502884;
    Z x = MAKE(pi * a.re, pi * a.im);
    if (!FN(nonzero)(x)) x.re = (T)1e-20;
    return FN(divide)(FN(sin)(x), x);
}

/* Whole real exponents below 100 by repeated squaring, as NumPy; powers of zero apart. */
TN_FN Z FN(pow)(Z a, Z b) {
    if (!FN(nonzero)(b)) return MAKE(1, 0);
    if (!FN(nonzero)(a)) return b.re > 0 ? MAKE(0, 0) : MAKE((T)TN_NAN, (T)TN_NAN);
    if (!(b.im == 0 && b.re > -100 && b.re < 100 && b.re == REAL(trunc)(b.re)))
        return FN(general_pow)(a, b);
    if (b.re == 1) return a;
    if (b.re == 2) return FN(multiply)(a, a);
    if (b.re == 3) return FN(multiply)(a, FN(multiply)(a, a));
    Z result = MAKE(1, 0), square = a;
    for (int rest = (int)REAL(fabs)(b.re); rest != 0;) {
        if (rest & 1) result = FN(multiply)(result, square);
        rest >>= 1;
        if (rest != 0) square = FN(multiply)(square, square);
    }
    return b.re < 0 ? FN(divide)(MAKE(1, 0), result) : result;
}

#undef FN
#undef REAL
#undef MAKE
#undef Z
#undef S
#undef T
#undef TS
#undef TN_LIBM
#undef EPSILON
#undef LARGEST
#undef SMALLEST
#undef LOG_LARGEST
