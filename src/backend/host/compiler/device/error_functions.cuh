// CUDA's mathematical functions that no system has: the inverses of the error functions, and erfc
// without its underflow. In double precision; Halley's steps. Relative errors are of 1e-14.
static inline double erfcx(double x) {
    if (x < -26.7) return __builtin_inf();
    if (x < 25) {
        double low = fma(x, x, -(x * x)); /* what x * x has lost */
        return exp(x * x) * (1 + low) * erfc(x);
    }
    double r = 0.5 / (x * x);
    double terms = 1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r * (1 - 9 * r))));
    return 0.56418958354775628695 / x * terms;
}
namespace tni {
/* x with erfc(x) = q for q of (0, 1]. */
static inline double erfcinv_upper(double q) {
    double x;
    if (q > 0.1) {
        double l = log(q * (2 - q)), a = 4.330746750799873 + l / 2;
        x = sqrt(fmax(sqrt(a * a - l / 0.147) - a, 0.0));
    } else {
        double l = -log(q * 1.7724538509055160273);
        x = sqrt(fmax(l - 0.5 * log(l), 0.1));
    }
    for (int i = 0; i < 4; i++) { /* in logarithms, where erfc is nearly a parabola */
        double scaled = erfcx(x), f = log(scaled) - x * x - log(q);
        double slope = -1.12837916709551257390 / scaled;
        x -= f / slope / (1 - 0.5 * f * (-2 * x - slope) / slope);
        if (x < 0) x = 0;
    }
    return x;
}
} // namespace tni
static inline double erfinv(double y) {
    if (!(fabs(y) <= 1)) return __builtin_nan("");
    if (fabs(y) == 1) return y * __builtin_inf();
    if (fabs(y) > 0.5) return copysign(tni::erfcinv_upper(1 - fabs(y)), y);
    double x = y * 0.88622692545275801365;
    for (int i = 0; i < 6; i++) {
        double f = erf(x) - y, slope = 1.12837916709551257390 * exp(-x * x);
        x -= f / (slope + x * f);
    }
    return y == 0 ? y : x;
}
static inline double erfcinv(double q) {
    if (!(q >= 0 && q <= 2)) return __builtin_nan("");
    if (q == 0) return __builtin_inf();
    if (q == 2) return -__builtin_inf();
    if (q > 0.5 && q < 1.5) return erfinv(1 - q);
    return q < 1 ? tni::erfcinv_upper(q) : -tni::erfcinv_upper(2 - q);
}
static inline double normcdfinv(double p) {
    return -1.41421356237309504880 * erfcinv(2 * p);
}
#define TNI_OF_DOUBLE(name)                                                                        \
    static inline float name##f(float x) {                                                         \
        return (float)name((double)x);                                                             \
    }                                                                                              \
    static inline float name(float x) {                                                            \
        return name##f(x);                                                                         \
    }
TNI_OF_DOUBLE(erfcx)
TNI_OF_DOUBLE(erfinv)
TNI_OF_DOUBLE(erfcinv)
TNI_OF_DOUBLE(normcdfinv)
TNI_OF_DOUBLE(normcdf)
#undef TNI_OF_DOUBLE
