// CUDA's mathematical functions that no system has: the inverses of the error functions, and erfc
// without its underflow. In double precision; relative errors are of 1e-15. The quotients of
// polynomials here and in the files beside this one meet their functions at Chebyshev's nodes.
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
static inline double poly(double, double last) {
    return last;
}
/* A polynomial of its coefficients, the constant one first. */
template <class... Rest> static inline double poly(double x, double first, Rest... rest) {
    return first + x * poly(x, rest...);
}
/* x with erfc(x) = q for q of (0, 0.5]. */
static inline double erfcinv_upper(double q) {
    double r = sqrt(-log(q)), t;
    if (r < 2.5) {
        t = r - 0.82;
        return poly(t, 0.4653380874334658, 2.750282092947475, 7.180597943580612, 10.88382091138989,
                    10.496092679783558, 6.587907932300642, 2.626046554427404, 0.6115843211902332,
                    0.06885069481133144, 0.0024754054839573624) /
               poly(t, 1.0, 3.930391381212747, 7.216586599944749, 7.804665906389171,
                    5.318982175843192, 2.2673221599167763, 0.5626208843585848, 0.06684407682193909,
                    0.0024753135651486113, -3.3051906411175907e-09);
    }
    if (r < 6) {
        t = r - 2.5;
        return poly(t, 2.192545921811913, 4.629988248376208, 4.142718538753264, 2.0322547292095496,
                    0.5898242190694054, 0.10170166961386676, 0.009888546531681102,
                    0.0004759833042166558, 8.204789436932552e-06) /
               poly(t, 1.0, 1.6341754055946835, 1.1112253388445077, 0.4003898532515642,
                    0.08063383996100733, 0.008771633434072347, 0.00045552128341365443,
                    8.204448953028579e-06, 1.9845850634744225e-12);
    }
    t = 1 / r;
    return r *
           poly(t, 1.0000009983101148, 223.61682722444806, 13612.314600337002, 301205.48005540547,
                2552494.5757386065, 7077876.574075645, -552332.3297397473, -14635226.423789741,
                -2365636.5639915485, -923201.814910282) /
           poly(t, 1.0, 223.61795691724615, 13615.754602184243, 301792.51847281883,
                2580775.409918842, 7560831.862747508, 2334071.2194903106, -10741314.41970596,
                -8236669.138549185, -7201740.99129487);
}
} // namespace tni
static inline double erfinv(double y) {
    double size = fabs(y), z = y * y;
    if (size > 0.5) {
        if (size < 1) return copysign(tni::erfcinv_upper(1 - size), y);
        return size == 1 ? y * __builtin_inf() : __builtin_nan("");
    }
    return y *
           tni::poly(z, 0.886226925452758, -2.584377627800566, 2.8320607858837357,
                     -1.4364461692965567, 0.3321450332631974, -0.028640732984121165,
                     0.0004324086392646862) /
           tni::poly(z, 1.0, -3.1779572629170287, 3.883693925773671, -2.2778593543426338,
                     0.6492126611815453, -0.07915160925371666, 0.002729511641131691);
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
    }                                                                                              \
    template <class T> static inline typename tni::as_double<T>::of name(T x) {                    \
        return name((double)x);                                                                    \
    }
TNI_OF_DOUBLE(erfcx)
TNI_OF_DOUBLE(erfinv)
TNI_OF_DOUBLE(erfcinv)
TNI_OF_DOUBLE(normcdfinv)
TNI_OF_DOUBLE(normcdf)
