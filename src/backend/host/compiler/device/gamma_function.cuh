// The gamma function, faster than the system's: a quotient of polynomials between 1 and 2 with
// whole steps to it, or Stirling's series. Relative errors are of 1e-15.
namespace tni {
/* gamma(x) as the product of the result and *root, which keeps either from an overflow. */
static inline double gamma_stirling(double x, double *root) {
    double w = 1 / x;
    *root = pow(x, 0.5 * x - 0.25);
    double series = poly(w, 1.0, 0.08333333333333097, 0.0034722222228451656, -0.0026813272238699667,
                         -0.0002294688330550427, 0.0007839434813283024, 7.142109075399136e-05,
                         -0.000610303097735703, 5.9828736945749945e-05, 0.0005219884630885465);
    return *root * exp(-x) * (2.50662827463100050242 * series);
}
/* Below 0 by the reflection at 0: -pi / (a sin(pi a) gamma(a)) of a = -x. */
static inline double gamma_reflected(double a) {
    double whole = rint(a), wave = sin(3.14159265358979323846 * (a - whole)), root;
    if (a == whole) return __builtin_nan("");
    if (fmod(whole, 2.0) == 0) wave = -wave;
    if (a > 190) return copysign(0.0, wave);
    double size = gamma_stirling(a, &root);
    return 3.14159265358979323846 / (a * wave) / size / root;
}
} // namespace tni
static inline double tgamma(double x) {
    if (!(fabs(x) < 13)) {
        double root, size;
        if (x < 0) return tni::gamma_reflected(-x);
        if (!(x < 172)) return x != x ? x : __builtin_inf();
        size = tni::gamma_stirling(x, &root);
        return size * root;
    }
    if (fabs(x) < 1e-17) return 1 / x;
    double t = x, above = 1, below = 1;
    if (x < 0 && x == floor(x)) return __builtin_nan("");
    for (; t >= 2; above *= t) t -= 1;
    for (; t < 1; t += 1) below *= t;
    t -= 1;
    return above / below *
           tni::poly(t, 1.0, 0.6021935674856143, 0.2664425060621577, 0.0738970315467388,
                     0.016988237551121128, 0.0027328158824730425, 0.0003524597949092313,
                     2.902250155872659e-05) /
           tni::poly(t, 1.0, 1.1794092323871486, -0.04184000500256148, -0.20927637091403406,
                     0.02613385940287833, 0.010970709238829842, -0.002976412269023573,
                     0.00021462798133534784);
}
TNI_OF_DOUBLE(tgamma)
#undef TNI_OF_DOUBLE
