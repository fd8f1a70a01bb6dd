"""Functions of Legendre and Wright, and spherical ones."""

TEXT = r"""
/* --- Functions of Legendre, Bessel and Wright --- */

static __device__ inline double sp_lpmv(double m, double v, double x) {
    if (!(fabs(x) <= 1) || m != floor(m) || !(fabs(v) < 1e6)) return sp_nan();
    if (v < 0) v = -v - 1;
    double order = fabs(m), value;
    if (v == floor(v) && order > v) return m < 0 ? sp_nan() : 0;
    if (v == floor(v)) {
        double root = sqrt((1 - x) * (1 + x)), before = 1;
        for (double k = 1; k <= order; k += 1) before *= -(2 * k - 1) * root;
        value = before;
        double now = x * (2 * order + 1) * before;
        for (double n = order + 1; n <= v; n += 1) {
            value = now;
            now = ((2 * n + 1) * x * value - (n + order) * before) / (n + 1 - order);
            before = value;
        }
    } else {
        double z = (1 - x) / 2, sum = 1, term = 1;
        if (x == -1) return order == 0 ? -sp_inf() : sp_nan();
        for (double k = 0; k < 1e5; k += 1) {
            term *= (order - v + k) * (order + v + 1 + k) * z / ((order + 1 + k) * (k + 1));
            sum += term;
            if (k > v && fabs(term) < 1e-17 * fabs(sum)) break;
        }
        double front = sp_poch(v - order + 1, 2 * order) / tgamma(order + 1) * pow(0.5, order);
        value = (fmod(order, 2.0) == 0 ? 1 : -1) * front * pow((1 - x) * (1 + x), order / 2) * sum;
    }
    if (m >= 0) return value;
    return (fmod(order, 2.0) == 0 ? 1 : -1) * value / sp_poch(v - order + 1, 2 * order);
}
static __device__ inline double sp_spherical_yn(double n, double x) {
    if (x != x) return x;
    if (n < 0 || n != floor(n)) return sp_nan();
    if (fabs(x) > 1e300) return 0;
    if (x == 0) return -sp_inf();
    double before = -cos(x) / x, now = (before - sin(x)) / x;
    if (n == 0) return before;
    for (double k = 1; k < n && fabs(now) < sp_inf(); k += 1) {
        double next = (2 * k + 1) * now / x - before;
        before = now;
        now = next;
    }
    return now;
}
static __device__ inline double sp_spherical_yn_slope(double n, double x) {
    if (x == 0) return sp_inf();
    if (n == 0) return -sp_spherical_yn(1, x);
    return sp_spherical_yn(n - 1, x) - (n + 1) / x * sp_spherical_yn(n, x);
}
static __device__ inline double sp_wright_bessel(double a, double b, double x) {
    const double largest_order = 178.47;  /* gamma is infinite from there on */
    if (!(a >= 0 && b >= 0 && x >= 0) || sp_is_infinite(a) || sp_is_infinite(b)) return sp_nan();
    if (sp_is_infinite(x)) return x;
    if (a >= largest_order || b >= largest_order) return sp_nan();
    if (x == 0) return sp_rgamma(b);
    if (a == 0) return exp(x) * sp_rgamma(b);
    double sum = sp_rgamma(b), l = log(x), largest = 0;
    for (double k = 1; k < 1e6; k += 1) {
        double term = exp(k * l - lgamma(k + 1) - lgamma(a * k + b));
        if (a * k + b == 0) term = 0;
        sum += term;
        if (term > largest) largest = term;
        else if (term < 1e-17 * sum) break;
        if (sum == sp_inf()) break;
    }
    return sum;
}
static __device__ inline double sp_loggamma(double x) {
    return x < 0 ? sp_nan() : lgamma(x);
}
"""
