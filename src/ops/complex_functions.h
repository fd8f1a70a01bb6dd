/* Square root, exponential, trigonometric and hyperbolic functions of one complex type and their
 * inverses, for the device. Part of complex.h, in its names.
 *
 * Special values are those of C99's annex G as glibc has them. Overflow and cancellation are met by
 * scaling (square root, exponential), by an exact x*x + y*y - 1 (logarithm), by Kahan's formula
 * (tanh) and by the method of Hull, Fairgrieve and Tang (arcsine, arccosine).
 * The trigonometric ones are the hyperbolic ones turned by i. */

/* Of kernels on the host the functions of one element: powers need all digits of a logarithm. */
#ifdef TNI_ALONE
#define PART(name) tni::name##_alone
#else
#define PART(name) REAL(name)
#endif

TN_FN Z FN(times_i)(Z a) {
    return MAKE(-a.im, a.re);
}

TN_FN Z FN(over_i)(Z a) {
    return MAKE(a.im, -a.re);
}

TN_FN Z FN(sqrt)(Z a) {
    if (REAL(isinf)(a.im)) return MAKE((T)TN_INFINITY, a.im);
    if (a.re != a.re) return MAKE(a.re, a.re);
    if (REAL(isinf)(a.re)) {
        T rest = a.im - a.im;
        if (a.re > 0) return MAKE(a.re, REAL(copysign)(rest, a.im));
        return MAKE(REAL(fabs)(rest), REAL(copysign)(a.re, a.im));
    }
    if (a.im != a.im) return MAKE(a.im, a.im);
    T x = REAL(fabs)(a.re), y = REAL(fabs)(a.im);
    if (x == 0 && y == 0) return MAKE(0, a.im);
    /* Powers of four in, powers of two out. */
    T scale = 1, unscale = 1;
    if (x > LARGEST / 4 || y > LARGEST / 4) {
        scale = (T)0.0625;
        unscale = 4;
    } else if (x < SMALLEST * 4 && y < SMALLEST * 4) {
        scale = (T)((tn_u64)1 << 54);
        unscale = (T)1 / ((tn_u64)1 << 27);
    }
    x *= scale;
    y *= scale;
    T root = REAL(sqrt)((x + PART(hypot)(x, y)) / 2);
    T other = y / (2 * root) * unscale;
    root *= unscale;
    if (a.re >= 0) return MAKE(root, REAL(copysign)(other, a.im));
    return MAKE(other, REAL(copysign)(root, a.im));
}

/* exp(x) * scale * factor, where exp(x) alone may overflow. */
TN_FN T FN(exp_times)(T x, T scale, T factor) {
    if (x < LOG_LARGEST) return PART(exp)(x) * scale * factor;
    T half = PART(exp)(x / 2);
    return half * factor * (half * scale);
}

TN_FN Z FN(exp)(Z a) {
    if (a.im == 0) return MAKE(PART(exp)(a.re), a.im);
    if (!REAL(isfinite)(a.im)) {
        if (a.re == (T)TN_INFINITY) return MAKE(a.re, a.im - a.im);
        if (a.re == -(T)TN_INFINITY) return MAKE(0, REAL(copysign)(0, a.im));
        return MAKE(a.im - a.im, a.im - a.im);
    }
    return MAKE(FN(exp_times)(a.re, 1, PART(cos)(a.im)), FN(exp_times)(a.re, 1, PART(sin)(a.im)));
}

/* x*x + y*y - 1 without cancellation, for x >= y >= 0 near the unit circle: the squares exactly as
 * two numbers each, the sum from the largest down. */
TN_FN T FN(square_less_one)(T x, T y) {
    T xx = x * x, yy = y * y;
    T low = TN_LIBM(fma)(x, x, -xx) + TN_LIBM(fma)(y, y, -yy);
    T high = xx - 1, sum = high + yy;
    T back = sum - high;
    return sum + ((high - (sum - back)) + (yy - back) + low);
}

TN_FN T FN(log_absolute)(Z a) {
    T x = REAL(fabs)(a.re), y = REAL(fabs)(a.im);
    if (x < y) {
        T swap = x;
        x = y;
        y = swap;
    }
    const T ln2 = (T)0.693147180559945309417232121458176568;
    if (x > LARGEST / 4) return PART(log)(PART(hypot)(x / 4, y / 4)) + 2 * ln2;
    if (x < SMALLEST * 4 && x > 0) {
        const T scale = (T)((tn_u64)1 << 54);
        return PART(log)(PART(hypot)(x * scale, y * scale)) - 54 * ln2;
    }
    T size = PART(hypot)(x, y);
    if (size > (T)0.5 && size < 2) return PART(log1p)(FN(square_less_one)(x, y)) / 2;
    return PART(log)(size);
}

TN_FN Z FN(log)(Z a) {
    return MAKE(FN(log_absolute)(a), PART(atan2)(a.im, a.re));
}

TN_FN Z FN(sinh)(Z a) {
    T x = a.re, y = a.im;
    if (y == 0) return MAKE(PART(sinh)(x), y);
    if (!REAL(isfinite)(y)) {
        if (x == 0) return MAKE(x, y - y);
        return MAKE(REAL(isinf)(x) ? x * x : y - y, y - y);
    }
    T size = REAL(fabs)(x), sine = PART(sin)(y), cosine = PART(cos)(y);
    if (size < LOG_LARGEST - 1) return MAKE(PART(sinh)(x) * cosine, PART(cosh)(x) * sine);
    return MAKE(REAL(copysign)(1, x) * FN(exp_times)(size, (T)0.5, cosine),
                FN(exp_times)(size, (T)0.5, sine));
}

TN_FN Z FN(cosh)(Z a) {
    T x = a.re, y = a.im;
    if (y == 0) return MAKE(PART(cosh)(x), x != x ? y : REAL(copysign)(1, x) * y);
    if (!REAL(isfinite)(y)) {
        if (x == 0) return MAKE(y - y, 0);
        return MAKE(REAL(isinf)(x) ? x * x : y - y, y - y);
    }
    T size = REAL(fabs)(x), sine = PART(sin)(y), cosine = PART(cos)(y);
    if (size < LOG_LARGEST - 1) return MAKE(PART(cosh)(x) * cosine, PART(sinh)(x) * sine);
    return MAKE(FN(exp_times)(size, (T)0.5, cosine),
                REAL(copysign)(1, x) * FN(exp_times)(size, (T)0.5, sine));
}

TN_FN Z FN(tanh)(Z a) {
    T x = a.re, y = a.im, size = REAL(fabs)(x);
    if (x != x) return MAKE(x, y == 0 ? y : x);
    if (REAL(isinf)(x)) {
        T sign = REAL(isfinite)(y) ? PART(sin)(y) * PART(cos)(y) : y;
        return MAKE(REAL(copysign)(1, x), REAL(copysign)(0, sign));
    }
    if (!REAL(isfinite)(y)) return MAKE(x == 0 ? x : y - y, y - y);
    if (size > LOG_LARGEST / 4) {
        T imaginary = 4 * PART(sin)(y) * PART(cos)(y) * PART(exp)(-size) * PART(exp)(-size);
        return MAKE(REAL(copysign)(1, x), imaginary);
    }
    T tangent = PART(tan)(y), sine = PART(sinh)(x);
    T secant2 = 1 + tangent * tangent, root = REAL(sqrt)(1 + sine * sine);
    if (REAL(isinf)(tangent)) return MAKE(root / sine, 1 / tangent);
    T divisor = 1 + secant2 * sine * sine;
    return MAKE(secant2 * root * sine / divisor, tangent / divisor);
}

TN_FN Z FN(sin)(Z a) {
    if (!REAL(isfinite)(a.re) && REAL(isinf)(a.im)) return MAKE(a.re - a.re, a.im * a.im);
    return FN(over_i)(FN(sinh)(FN(times_i)(a)));
}

TN_FN Z FN(cos)(Z a) {
    return FN(cosh)(FN(times_i)(a));
}

TN_FN Z FN(tan)(Z a) {
    return FN(over_i)(FN(tanh)(FN(times_i)(a)));
}

#define ARCS TN_PASTE(m_arcs_of_, S)

/* For x, y >= 0: the arcsine and arccosine of x over the sum of distances to both branch points,
 * and the imaginary part that both functions share. */
typedef struct ARCS {
    T sine, cosine, imaginary;
} ARCS;

TN_FN ARCS FN(arcs_beyond)(T x, T y) {
    const T ln2 = (T)0.693147180559945309417232121458176568;
    T larger = x > y ? x : y, ratio = (x > y ? y : x) / larger;
    ARCS result;
    result.sine = PART(atan2)(x, y);
    result.cosine = PART(atan2)(y, x);
    result.imaginary =
        REAL(isinf)(larger) ? larger : PART(log)(larger) + ln2 + PART(log1p)(ratio * ratio) / 2;
    return result;
}

/* y so small beside the distance to the branch point that it counts to first order only. */
TN_FN ARCS FN(arcs_beside)(T x, T y) {
    const T half_pi = (T)1.570796326794896619231321691639751442;
    ARCS result;
    if (x < 1) {
        result.sine = PART(asin)(x);
        result.cosine = PART(acos)(x);
        result.imaginary = y / REAL(sqrt)((1 - x) * (1 + x));
    } else if (x > 1) {
        T root = REAL(sqrt)(x - 1) * REAL(sqrt)(x + 1);
        result.cosine = y / root;
        result.sine = half_pi - result.cosine;
        result.imaginary = PART(log1p)((x - 1) + root);
    } else {
        result.cosine = result.imaginary = REAL(sqrt)(y);
        result.sine = half_pi - result.cosine;
    }
    return result;
}

TN_FN ARCS FN(arcs)(T x, T y) {
    T gap = REAL(fabs)(x - 1);
    if (x > 1 / EPSILON || y > 1 / EPSILON) return FN(arcs_beyond)(x, y);
    if (y <= EPSILON / 4 * gap || (x == 1 && y < EPSILON * EPSILON / 4))
        return FN(arcs_beside)(x, y);
    T right = PART(hypot)(x + 1, y), left = PART(hypot)(gap, y);
    T mean = (right + left) / 2, sine = x / mean;
    ARCS result;
    if (sine <= (T)0.6417) {
        result.sine = PART(asin)(sine);
        result.cosine = PART(acos)(sine);
    } else {
        T sum = mean + x, root;
        if (x <= 1)
            root = REAL(sqrt)(sum * (y * (y / (right + x + 1)) + (left + gap)) / 2);
        else
            root = y * REAL(sqrt)((sum / (right + x + 1) + sum / (left + gap)) / 2);
        result.sine = PART(atan2)(x, root);
        result.cosine = PART(atan2)(root, x);
    }
    if (mean <= (T)1.5) {
        T other = x < 1 ? y * (y / (left + gap)) : left + gap;
        T above_one = (y * (y / (right + x + 1)) + other) / 2;
        result.imaginary = PART(log1p)(above_one + REAL(sqrt)(above_one * (mean + 1)));
    } else {
        result.imaginary = PART(log)(mean + REAL(sqrt)((mean - 1) * (mean + 1)));
    }
    return result;
}

TN_FN Z FN(asin)(Z a) {
    if (FN(isnan)(a)) {
        if (REAL(isinf)(a.im)) return MAKE(a.re, a.im);
        if (REAL(isinf)(a.re)) return MAKE(a.im, a.re * a.re);
        return MAKE(a.re == 0 ? a.re : (T)TN_NAN, (T)TN_NAN);
    }
    ARCS arcs = FN(arcs)(REAL(fabs)(a.re), REAL(fabs)(a.im));
    return MAKE(REAL(copysign)(arcs.sine, a.re), REAL(copysign)(arcs.imaginary, a.im));
}

TN_FN Z FN(acos)(Z a) {
    const T pi = (T)3.141592653589793238462643383279502884;
    if (FN(isnan)(a)) {
        if (REAL(isinf)(a.im)) return MAKE(a.re, -a.im);
        if (REAL(isinf)(a.re)) return MAKE(a.im, -(a.re * a.re));
        return MAKE(a.re == 0 ? pi / 2 : (T)TN_NAN, (T)TN_NAN);
    }
    ARCS arcs = FN(arcs)(REAL(fabs)(a.re), REAL(fabs)(a.im));
    T angle = REAL(signbit)(a.re) ? pi - arcs.cosine : arcs.cosine;
    return MAKE(angle, REAL(copysign)(arcs.imaginary, REAL(signbit)(a.im) ? (T)1 : (T)-1));
}

TN_FN Z FN(asinh)(Z a) {
    return FN(over_i)(FN(asin)(FN(times_i)(a)));
}

TN_FN Z FN(acosh)(Z a) {
    Z turned = FN(acos)(a);
    if (FN(isnan)(a) && turned.re != turned.re && turned.im != turned.im) return turned;
    return MAKE(REAL(fabs)(turned.im), REAL(copysign)(turned.re, a.im));
}

/* For x, y >= 0. */
TN_FN T FN(atanh_real)(T x, T y) {
    const T far = 1 / EPSILON;
    if (x > far || y > far) {
        if (REAL(isinf)(x) || REAL(isinf)(y)) return 0;
        T larger = x > y ? x : y, ratio = (x > y ? y : x) / larger;
        return x / larger / larger / (1 + ratio * ratio);
    }
    if (x == 1 && y < EPSILON) {
        const T ln2 = (T)0.693147180559945309417232121458176568;
        return (ln2 - PART(log)(y)) / 2;
    }
    return PART(log1p)(4 * x / ((1 - x) * (1 - x) + y * y)) / 4;
}

TN_FN T FN(atanh_imaginary)(T x, T y) {
    const T far = 1 / EPSILON, half_pi = (T)1.570796326794896619231321691639751442;
    if (x > far || y > far) return half_pi;
    return PART(atan2)(2 * y, (1 - x) * (1 + x) - y * y) / 2;
}

TN_FN Z FN(atanh)(Z a) {
    const T half_pi = (T)1.570796326794896619231321691639751442;
    T x = REAL(fabs)(a.re), y = REAL(fabs)(a.im);
    if (FN(isnan)(a)) {
        if (REAL(isinf)(a.im)) return MAKE(REAL(copysign)(0, a.re), REAL(copysign)(half_pi, a.im));
        T real = REAL(isinf)(a.re) || a.re == 0 ? REAL(copysign)(0, a.re) : (T)TN_NAN;
        return MAKE(real, (T)TN_NAN);
    }
    return MAKE(REAL(copysign)(FN(atanh_real)(x, y), a.re),
                REAL(copysign)(FN(atanh_imaginary)(x, y), a.im));
}

TN_FN Z FN(atan)(Z a) {
    return FN(over_i)(FN(atanh)(FN(times_i)(a)));
}

/* A part that C99's multiplication looks at again: 1 or 0 for whether it is infinite if one of its
 * number is, else 0 for NaN. */
TN_FN T FN(part_again)(T part, int by_infinity) {
    if (by_infinity) return REAL(copysign)((T)REAL(isinf)(part), part);
    return part != part ? REAL(copysign)(0, part) : part;
}

/* C99's multiplication: what is infinite in one part stays so, whatever NaN comes about on the
 * way. */
TN_FN Z FN(multiply_annex_g)(Z a, Z b) {
    T re_re = a.re * b.re, im_im = a.im * b.im, re_im = a.re * b.im, im_re = a.im * b.re;
    Z product = MAKE(re_re - im_im, re_im + im_re);
    if (product.re == product.re || product.im == product.im) return product;
    int a_inf = REAL(isinf)(a.re) || REAL(isinf)(a.im);
    int b_inf = REAL(isinf)(b.re) || REAL(isinf)(b.im);
    int overflows =
        REAL(isinf)(re_re) || REAL(isinf)(im_im) || REAL(isinf)(re_im) || REAL(isinf)(im_re);
    if (!a_inf && !b_inf && !overflows) return product;
    a = MAKE(FN(part_again)(a.re, a_inf), FN(part_again)(a.im, a_inf));
    b = MAKE(FN(part_again)(b.re, b_inf), FN(part_again)(b.im, b_inf));
    return MAKE((T)TN_INFINITY * (a.re * b.re - a.im * b.im),
                (T)TN_INFINITY * (a.re * b.im + a.im * b.re));
}

TN_FN Z FN(general_pow)(Z a, Z b) {
    return FN(exp)(FN(multiply_annex_g)(b, FN(log)(a)));
}

#undef PART
#undef ARCS
