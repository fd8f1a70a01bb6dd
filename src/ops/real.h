/* Bodies for one real floating-point type. Included by scalar.h for float and for double, with
 *   T type, S suffix, BITS the unsigned type of its size, TN_LIBM(name) the C library's name,
 *   BELOW and BEYOND the terms of series (i0),
 *   MANTISSA the stored bits of the mantissa, BIAS that of the exponent, EPSILON
 *
 * Where NumPy leaves the C library's road, so do we, in the same place: results for zeros,
 * infinities and NaN are NumPy's. */
#define FN(name) TN_NAME(name, S)

/* m_sin and the like: the C library's function, or the device's of that name. */
#define CALL1(name, function)                                                                      \
    TN_FN T FN(name)(T a) {                                                                        \
        return TN_LIBM(function)(a);                                                               \
    }
#define CALL2(name, function)                                                                      \
    TN_FN T FN(name)(T a, T b) {                                                                   \
        return TN_LIBM(function)(a, b);                                                            \
    }
CALL1(sqrt, sqrt)
CALL1(cbrt, cbrt)
CALL1(exp, exp)
CALL1(exp2, exp2)
CALL1(expm1, expm1)
CALL1(log, log)
CALL1(log2, log2)
CALL1(log10, log10)
CALL1(log1p, log1p)
CALL1(sin, sin)
CALL1(cos, cos)
CALL1(tan, tan)
CALL1(asin, asin)
CALL1(acos, acos)
CALL1(atan, atan)
CALL1(sinh, sinh)
CALL1(cosh, cosh)
CALL1(tanh, tanh)
CALL1(asinh, asinh)
CALL1(acosh, acosh)
CALL1(atanh, atanh)
CALL1(floor, floor)
CALL1(ceil, ceil)
CALL1(trunc, trunc)
CALL1(rint, rint)
CALL1(fabs, fabs)
CALL2(atan2, atan2)
CALL2(hypot, hypot)
CALL2(pow, pow)
CALL2(copysign, copysign)
#undef CALL1
#undef CALL2

/* 2**exponent of a normal number. */
TN_FN T TN_LOCAL(power_of_two, S)(tn_i32 exponent) {
    return FN(from_bits)((BITS)(exponent + BIAS) << MANTISSA);
}

/* In three steps that each stay in range. Scaling down, the steps before the last keep a distance
 * of the mantissa's bits to the subnormals, so that only one of them rounds. */
TN_FN T FN(ldexp)(T a, tn_i32 b) {
    const tn_i32 up = BIAS, down = MANTISSA + 2 - BIAS, most = 3 * BIAS;
    tn_i32 rest = b > most ? most : b < -most ? -most : b;
    for (int step = 0; step < 2; step++) {
        tn_i32 part = rest > up ? up : rest < 1 - BIAS ? down : 0;
        a *= TN_LOCAL(power_of_two, S)(part);
        rest -= part;
    }
    rest = rest > up ? up : rest < 1 - BIAS ? 1 - BIAS : rest;
    return a * TN_LOCAL(power_of_two, S)(rest);
}

TN_FN int FN(isnan)(T a) {
    return a != a;
}

TN_FN int FN(isinf)(T a) {
    return FN(fabs)(a) == (T)TN_INFINITY;
}

TN_FN int FN(isfinite)(T a) {
    return FN(fabs)(a) < (T)TN_INFINITY;
}

TN_FN int FN(signbit)(T a) {
    return (int)(FN(to_bits)(a) >> (8 * sizeof(T) - 1));
}

/* The remainder with the divisor's sign; a zero takes that sign too. */
TN_FN T FN(remainder)(T a, T b) {
    T rest = FN(fmod)(a, b);
    if (b == 0) return rest;
    if (rest == 0) return FN(copysign)(0, b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
}

/* a - remainder is nearly a multiple of b: the quotient snaps to the nearest integer. A device's
 * remainder is slow; but that of a short quotient is exact by one fused step, and its sign tells
 * whether the quotient was rounded or cut upwards. */
TN_FN T FN(floor_divide)(T a, T b) {
    if (b == 0) return a / b;
#ifdef TN_DEVICE
    const T ratio = a / b, whole = TN_LIBM(trunc)(ratio);
    if (TN_LIBM(fabs)(ratio) < (T)((tn_u64)1 << (MANTISSA - 1))) {
        const T left = whole == 0 ? a : TN_LIBM(fma)(-whole, b, a);
        const T floored = left != 0 && (left < 0) != (b < 0) ? whole - 1 : whole;
        return floored == 0 ? FN(copysign)(0, ratio) : floored;
    }
#endif
    T rest = FN(fmod)(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return FN(copysign)(0, a / b);
    T result = FN(floor)(quotient);
    return quotient - result > (T)0.5 ? result + 1 : result;
}

/* log(exp(a) + exp(b)); equal arguments apart, for infinities of one sign. */
TN_FN T FN(logaddexp)(T a, T b) {
    if (a == b) return a + (T)0.693147180559945309417232121458176568;
    T larger = a > b ? a : b, smaller = a > b ? b : a;
    return larger + FN(log1p)(FN(exp)(smaller - larger));
}

TN_FN T FN(logaddexp2)(T a, T b) {
    if (a == b) return a + 1;
    T larger = a > b ? a : b, smaller = a > b ? b : a;
    const T log2_e = (T)1.442695040888963407359924681001892137;
    return larger + log2_e * FN(log1p)(FN(exp2)(smaller - larger));
}

TN_FN T FN(deg2rad)(T a) {
    return a * ((T)3.141592653589793238462643383279502884 / 180);
}

TN_FN T FN(rad2deg)(T a) {
    return a * (180 / (T)3.141592653589793238462643383279502884);
}

TN_FN T FN(sinc)(T a) {
    T x = (T)3.141592653589793238462643383279502884 * a;
    if (x == 0) x = (T)EPSILON;
    return FN(sin)(x) / x;
}

/* The Chebyshev series with these coefficients, the highest first, the constant one halved. */
TN_FN T FN(chebyshev)(T x, const T *coefficients, int count) {
    T b0 = 0, b1 = 0, b2 = 0;
    for (int k = 0; k < count; k++) {
        b2 = b1;
        b1 = b0;
        b0 = 2 * x * b1 - b2 + coefficients[k];
    }
    return (b0 - b2) / 2;
}

/* exp(-a) I0(a) for 0 <= a <= 8 in a / 4 - 1, and exp(-a) sqrt(a) I0(a) beyond in 16 / a - 1. Of
 * the coefficients the last BELOW and BEYOND count at this precision. */
TN_FN T FN(i0)(T a) {
    const T below[30] = {
        -4.4153416464793393795e-18, 3.3307945188222380978e-17,  -2.4312798465479546936e-16,
        1.7153912855551330306e-15,  -1.1685332877993451681e-14, 7.6761854986049356169e-14,
        -4.8564467831119294609e-13, 2.9550526631296398346e-12,  -1.7268262914415557072e-11,
        9.6758090353732369122e-11,  -5.1897956016352629067e-10, 2.6598237246823866503e-9,
        -1.3000250099862480421e-8,  6.0469950225419189493e-8,   -2.6707938539406117339e-7,
        1.1173875391201037182e-6,   -4.4167383584587505636e-6,  0.000016448448070728897089,
        -0.00005754195010082103704, 0.00018850288509584165573,  -0.00057637557453858236588,
        0.0016394756169413357984,   -0.0043243099950505759443,  0.010546460394594998318,
        -0.023737414805899468816,   0.049305284239670708488,    -0.094901097048047644421,
        0.17162090152220877535,     -0.30468267234319839868,    0.676795274409476085};
    const T beyond[25] = {
        -7.2331804878747539546e-18, -4.8305044859441820713e-18, 4.465621420296759999e-17,
        3.4612228676974610931e-17,  -2.8276239805165834849e-16, -3.4254856196772191346e-16,
        1.7725601330565263836e-15,  3.8116806693526224207e-15,  -9.5548466988283076487e-15,
        -4.1505693472872220866e-14, 1.5400862175214098269e-14,  3.8527783827421427011e-13,
        7.1801244513836662337e-13,  -1.7941785315068061178e-12, -1.3215811840447713119e-11,
        -3.1499165279632413645e-11, 1.1889147107846438342e-11,  4.9406023882249695891e-10,
        3.3962320257083863452e-9,   2.2666689904981780646e-8,   2.0489185894690637418e-7,
        2.891370520834756483e-6,    0.000068897583469168239843, 0.0033691164782556940899,
        0.80449041101410883161};
    T x = FN(fabs)(a);
    if (x <= 8) return FN(exp)(x) * FN(chebyshev)(x / 4 - 1, below + (30 - BELOW), BELOW);
    return FN(exp)(x) * FN(chebyshev)(16 / x - 1, beyond + (25 - BEYOND), BEYOND) / FN(sqrt)(x);
}

/* The bits of a float count up with its magnitude. */
TN_FN T FN(nextafter)(T a, T b) {
    BITS bits = FN(to_bits)(a);
    BITS next = (a < b) == (a > 0) ? bits + 1 : bits - 1;
    T smallest = FN(copysign)(FN(from_bits)((BITS)1), b);
    T result = a == 0 ? smallest : FN(from_bits)(next);
    return a != a || b != b ? a + b : a == b ? b : result;
}

TN_FN T FN(spacing)(T a) {
    T size = FN(fabs)(a), gap = FN(from_bits)(FN(to_bits)(size) + 1) - size;
    return a < 0 ? -gap : gap;
}

TN_FN T FN(modf_fraction)(T a) {
    return FN(copysign)(FN(isinf)(a) ? 0 : a - FN(trunc)(a), a);
}

/* frexp in two halves. Subnormals are scaled up first; zeros, infinities and NaN pass with 0. */
TN_FN int FN(is_plain)(T a) {
    return FN(isfinite)(a) && a != 0;
}

TN_FN BITS FN(scaled_bits)(T a, int *exponent) {
    const T scale = (T)((tn_u64)1 << (MANTISSA + 1));
    const BITS mask = ((BITS)2 * BIAS + 1) << MANTISSA;
    int small = (FN(to_bits)(a) & mask) == 0;
    BITS bits = FN(to_bits)(small ? a * scale : a);
    *exponent = (int)((bits & mask) >> MANTISSA) - (BIAS - 1) - (small ? MANTISSA + 1 : 0);
    return bits;
}

TN_FN T FN(frexp_mantissa)(T a) {
    int exponent;
    const BITS mask = ((BITS)2 * BIAS + 1) << MANTISSA;
    T mantissa =
        FN(from_bits)((FN(scaled_bits)(a, &exponent) & ~mask) | (BITS)(BIAS - 1) << MANTISSA);
    return FN(is_plain)(a) ? mantissa : a;
}

TN_FN tn_i32 FN(frexp_exponent)(T a) {
    int exponent;
    FN(scaled_bits)(a, &exponent);
    return FN(is_plain)(a) ? exponent : 0;
}

/* NaN in any of the three stays. In this form gcc finds selections, not jumps, and vectorises. */
TN_FN T FN(clip)(T a, T low, T high) {
    T value = a < low ? low : a;
    value = low != low ? low : value;
    value = value > high ? high : value;
    return high != high ? high : value;
}

TN_FN int FN(isclose)(T a, T b, T rtol, T atol) {
    int near = FN(fabs)(a - b) <= atol + rtol * FN(fabs)(b);
    return (near & FN(isfinite)(b)) | (a == b);
}

TN_FN T FN(nan_to_num)(T a, T nan, T infinity, T minus_infinity) {
    if (a != a) return nan;
    if (a == (T)TN_INFINITY) return infinity;
    return a == -(T)TN_INFINITY ? minus_infinity : a;
}

#undef FN
#undef T
#undef S
#undef BITS
#undef MANTISSA
#undef BIAS
#undef EPSILON
#undef BELOW
#undef BEYOND
#undef TN_LIBM
