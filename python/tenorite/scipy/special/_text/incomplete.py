"""Incomplete gamma and beta functions, their inverses, and distributions made of them."""

TEXT = r"""
/* --- Incomplete gamma and beta functions --- */

/* m - log(1 + m). */
static __device__ inline double sp_gamma_height(double m) {
    if (fabs(m) >= 1e-2) return m - log1p(m);
    double power = m * m, half = 0;
    for (int k = 2; k < 12; k++) {
        half += (k % 2 == 0 ? power : -power) / k;
        power *= m;
    }
    return half;
}
/* The incomplete gamma function of large a, by Temme's expansion at x = a, of which two terms are
 * left. */
static __device__ inline double sp_gammainc_large(double a, double x, bool lower) {
    double m = (x - a) / a, half = sp_gamma_height(m), c;
    double eta = m < 0 ? -sqrt(2 * half) : sqrt(2 * half);
    if (fabs(m) < 1e-2) c = -1.0 / 3 + m / 12 - 23 * m * m / 540;
    else c = 1 / m - 1 / eta;
    double rest = exp(-a * half) / sqrt(2 * 3.14159265358979323846 * a) * c;
    double part = 0.5 * erfc((lower ? -eta : eta) * sqrt(a / 2));
    return lower ? part - rest : part + rest;
}
/* x^a exp(-x) / gamma(a); of large a by Stirling's series, which loses no digits. */
static __device__ inline double sp_gamma_front(double a, double x) {
    if (a <= 20) return exp(a * log(x) - x - lgamma(a));
    double m = (x - a) / a, half = fabs(m) < 0.5 ? sp_gamma_height(m) : m - log(x / a), w = 1 / a;
    double series = sp_poly(w, 1.0, 0.08333333333333097, 0.0034722222228451656, -0.0026813272238699667,
               -0.0002294688330550427, 0.0007839434813283024, 7.142109075399136e-05,
               -0.000610303097735703, 5.9828736945749945e-05, 0.0005219884630885465);
    return sqrt(a) * 0.39894228040143267794 * exp(-a * half) / series;
}
/* The terms of the series of log(gamma(1 + z)) in z, without its first, from the last on. */
static __device__ inline double sp_loggamma_term(int i) {
    const double terms[22] = {
        -0.043478266053040261, 0.045454556293204669, -0.047619070330142226, 0.050000047698101693,
        -0.052631679379616658, 0.055555767627403614, -0.058823978658684585, 0.062500955141213038,
        -0.066668705882420465, 0.07143294629536133, -0.076932516411352195, 0.083353840546109004,
        -0.090954017145829041, 0.10009945751278181, -0.11133426586956469, 0.12550966952474304,
        -0.14404989676884611, 0.16955717699740819, -0.20738555102867398, 0.27058080842778454,
        -0.40068563438653143, 0.8224670334241132};
    return terms[i];
}
static __device__ inline double sp_lgamma_of_1_and(double z) {
    if (fabs(z) > 0.2) return lgamma(1 + z);
    double sum = 0;
    for (int i = 0; i < 22; i++) sum = sum * z + sp_loggamma_term(i);
    return (sum * z - 0.57721566490153286061) * z;
}
/* The part above x where most lies below it though x is small: no digits cancel. */
static __device__ inline double sp_gammainc_above(double a, double x) {
    double power = a * log(x) - sp_lgamma_of_1_and(a), term = 1, sum = 0;
    for (int n = 1; n < 100; n++) {
        term *= -x / n;
        sum += term / (a + n);
        if (fabs(term) < 1e-17 * fabs(sum)) break;
    }
    return -expm1(power) - a * exp(power) * sum;
}
/* The part below x if `lower`, else the part above, divided by the whole. */
static __device__ inline double sp_gammainc(double a, double x, bool lower) {
    if (a != a || x != x || a < 0 || x < 0) return sp_nan();
    if (a == 0) return x > 0 ? lower : sp_nan();
    if (x == 0) return !lower;
    if (a > 1e300) return x > 1e300 ? sp_nan() : !lower;
    if (x > 1e300) return lower;
    if (a > 1e6) return sp_gammainc_large(a, x, lower);
    if (!lower && x <= 1.1 && a <= (x <= 0.5 ? -0.4 / log(x) : 1.1 * x)) return sp_gammainc_above(a, x);
    double front = sp_gamma_front(a, x);
    if (x < a + 1) {
        double sum = 1 / a, term = sum;
        for (double k = a + 1; term > 1e-17 * sum; k += 1) {
            term *= x / k;
            sum += term;
        }
        double below = fmin(sum * front, 1.0);
        return lower ? below : 1 - below;
    }
    double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (double i = 1; i < 1e6; i += 1) {
        double an = -i * (i - a);
        b += 2;
        d = an * d + b;
        if (fabs(d) < 1e-300) d = 1e-300;
        c = b + an / c;
        if (fabs(c) < 1e-300) c = 1e-300;
        d = 1 / d;
        h *= d * c;
        if (fabs(d * c - 1) < 4e-16) break;
    }
    return lower ? 1 - front * h : front * h;
}
/* The part below x if `lower`, else the part above; `whole` is log(beta(a, b)). */
static __device__ inline double sp_betainc_part(double a, double b, double x, double whole, bool lower) {
    bool swaps = x > (a + 1) / (a + b + 2);
    double front = exp(a * log(x) + b * log1p(-x) - whole);
    double p = swaps ? b : a, q = swaps ? a : b, y = swaps ? 1 - x : x;
    double c = 1, d = 1 - (p + q) * y / (p + 1);
    if (fabs(d) < 1e-300) d = 1e-300;
    d = 1 / d;
    double h = d;
    for (double m = 1; m < 1e5; m += 1) {
        double step = 1;
        for (int odd = 0; odd < 2; odd++) {
            double t = odd ? -(p + m) * (p + q + m) * y / ((p + 2 * m) * (p + 2 * m + 1))
                           : m * (q - m) * y / ((p + 2 * m - 1) * (p + 2 * m));
            d = 1 + t * d;
            if (fabs(d) < 1e-300) d = 1e-300;
            c = 1 + t / c;
            if (fabs(c) < 1e-300) c = 1e-300;
            d = 1 / d;
            step *= d * c;
        }
        h *= step;
        if (fabs(step - 1) < 4e-16) break;
    }
    return swaps == lower ? 1 - front * h / p : front * h / p;
}
static __device__ inline double sp_betainc(double a, double b, double x) {
    if (!(a >= 0 && b >= 0 && x >= 0 && x <= 1) || (a == 0 && b == 0)) return sp_nan();
    if (a > 1e300 && b > 1e300) return sp_nan();
    if (x == 0 || x == 1) return x;
    if (a == 0 || b == 0) return a == 0;
    if (a > 1e300 || b > 1e300) return b > 1e300;
    return sp_betainc_part(a, b, x, lgamma(a) + lgamma(b) - lgamma(a + b), true);
}

/* --- Inverses: Halley's steps on the smaller part's logarithm, inside of an interval --- */

/* The next place of an inverse: a logarithm is `f` too large there, `slope` is its slope and
 * `bend` that of the density's logarithm. */
static __device__ inline double sp_inverse_step(double x, double f, double slope, double bend) {
    double newton = f / slope, curve = 0.5 * newton * (bend - slope);
    return x - newton / (1 - (curve < 0.5 ? curve > -1 ? curve : -1 : 0.5));
}
/* log(part / whole) */
static __device__ inline double sp_log_share(double part, double whole) {
    double excess = (part - whole) / whole;
    return fabs(excess) < 0.1 ? log1p(excess) : log(part / whole);
}
/* A place to begin: by the formula of Wilson and Hilferty, or by the beginning of the series. */
static __device__ inline double sp_gamma_begin(double a, double p, bool lower) {
    double below = lower ? p : 1 - p;
    if (a >= 1) {
        double z = lower ? normcdfinv(p) : -normcdfinv(p);
        double root = 1 - 1 / (9 * a) + z / (3 * sqrt(a));
        if (root > 0.3) return a * root * root * root;
    } else {
        double part = 1 - a * (0.253 + a * 0.12);
        if (below >= part) return 1 - log((lower ? 1 - p : p) / (1 - part));
    }
    return exp(((lower ? log(p) : log1p(-p)) + lgamma(a + 1)) / a);
}
static __device__ inline double sp_gammainc_inverse(double a, double p, bool lower) {
    if (a == 0 && (p == 0 || p == 1)) return p == 0 && !lower ? sp_inf() : 0;
    if (!(a > 0 && p >= 0 && p <= 1)) return sp_nan();
    if (p == 0 || p == 1) return (p == 0) == lower ? 0 : sp_inf();
    if (sp_is_infinite(a)) return sp_nan();
    if (p > 0.5) {
        p = 1 - p;
        lower = !lower;
    }
    double low = 0, high = 1e308, x = sp_gamma_begin(a, p, lower), sign = lower ? 1 : -1;
    if (!(x < high)) x = a + 1;
    if (x == 0) return 0;
    for (int i = 0; i < 300; i++) {
        double part = sp_gammainc(a, x, lower), f = sign * (part - p);
        if (f == 0) break;
        if (f > 0) high = x;
        else low = x;
        double slope = sign * sp_gamma_front(a, x) / (x * part);
        double next = sp_inverse_step(x, sp_log_share(part, p), slope, (a - 1) / x - 1);
        if (fabs(next - x) <= 2.3e-16 * x) return next;
        bool is_inside = next > low && next < high;
        if (!is_inside) next = low > 0 ? sqrt(low) * sqrt(high < 1e308 ? high : 4 * low) : high / 8;
        if (next == 0 || (is_inside && fabs(next - x) <= 1e-6 * x)) return next;
        x = next;
    }
    return x;
}
/* A place to begin: by the normal distribution (Abramowitz and Stegun, 26.5.22), or by powers. */
static __device__ inline double sp_beta_begin(double a, double b, double p) {
    if (a >= 1 && b >= 1) {
        double z = -normcdfinv(p), third = (z * z - 3) / 6, of_a = 1 / (2 * a - 1), of_b = 1 / (2 * b - 1);
        double mean = 2 / (of_a + of_b), part = third + 5.0 / 6 - 2 / (3 * mean);
        double w = z * sqrt(third + mean) / mean - (of_b - of_a) * part;
        return a / (a + b * exp(2 * w));
    }
    double below = exp(a * log(a / (a + b))) / a, above = exp(b * log(b / (a + b))) / b, sum = below + above;
    return p < below / sum ? pow(a * sum * p, 1 / a) : 1 - pow(b * sum * (1 - p), 1 / b);
}
static __device__ inline double sp_betaincinv(double a, double b, double p) {
    if (!(a > 0 && b > 0 && p >= 0 && p <= 1)) return sp_nan();
    if (p == 0 || p == 1) return p;
    if (sp_is_infinite(a) || sp_is_infinite(b)) return sp_nan();
    double low = 0, high = 1, x = sp_beta_begin(a, b, p), whole = lgamma(a) + lgamma(b) - lgamma(a + b);
    bool lower = p <= 0.5;
    double sign = lower ? 1 : -1;
    if (!lower) p = 1 - p;
    if (!(x > 0 && x < 1)) x = a / (a + b);
    for (int i = 0; i < 300; i++) {
        double part = sp_betainc_part(a, b, x, whole, lower), f = sign * (part - p);
        if (f == 0) break;
        if (f > 0) high = x;
        else low = x;
        double slope = sign * exp((a - 1) * log(x) + (b - 1) * log1p(-x) - whole) / part;
        double next = sp_inverse_step(x, sp_log_share(part, p), slope, (a - 1) / x - (b - 1) / (1 - x));
        if (fabs(next - x) <= 2.3e-16 * x) return next;
        bool is_inside = next > low && next < high;
        if (!is_inside) next = low > 0 ? (low + high) / 2 : high / 8;
        if (next == 0 || (is_inside && fabs(next - x) <= 1e-6 * (1 - x) * x)) return next;
        x = next;
    }
    return x;
}
/* The binomial distribution takes whole numbers of trials: their fraction is dropped. */
static __device__ inline double sp_bdtr(double k, double n, double p) {
    k = floor(k);
    n = trunc(n);
    if (!(k >= 0 && n >= k && p >= 0 && p <= 1) || sp_is_infinite(n)) return sp_nan();
    return k == n ? 1.0 : sp_betainc(n - k, k + 1, 1 - p);
}
static __device__ inline double sp_bdtrc(double k, double n, double p) {
    k = floor(k);
    n = trunc(n);
    if (!(p >= 0 && p <= 1) || k != k || n != n || sp_is_infinite(n)) return sp_nan();
    if (k < 0) return 1.0;
    if (n < k) return sp_nan();
    return k == n ? 0.0 : sp_betainc(k + 1, n - k, p);
}
static __device__ inline double sp_nbdtr(double k, double n, double p, bool lower) {
    k = sp_count(k);
    n = sp_count(n);
    if (!(k >= 0 && n > 0)) return sp_nan();
    return lower ? sp_betainc(n, k + 1, p) : sp_betainc(k + 1, n, 1 - p);
}
static __device__ inline double sp_nbdtri(double k, double n, double y) {
    k = sp_count(k);
    n = sp_count(n);
    if (!(y >= 0 && y <= 1 && k >= 0) || n != n) return sp_nan();
    return y == 0 || y == 1 ? y : sp_betaincinv(n, k + 1, y);
}
static __device__ inline double sp_boxcox_power(double y, double l) {
    double both = l * y;
    return (sp_is_infinite(both) && both > 0 ? log(fabs(l)) + log(fabs(y)) : log1p(both)) / l;
}
static __device__ inline double sp_fdtr(double a, double b, double x) {
    if (!(a > 0 && b > 0 && x >= 0)) return sp_nan();
    if (sp_is_infinite(x)) return 1;
    if (sp_is_infinite(a) || sp_is_infinite(b)) return sp_nan();
    return sp_betainc(a / 2, b / 2, a * x / (b + a * x));
}
static __device__ inline double sp_fdtrc(double a, double b, double x) {
    if (!(a > 0 && b > 0 && x >= 0)) return sp_nan();
    if (sp_is_infinite(x)) return 0;
    if (sp_is_infinite(a) || sp_is_infinite(b)) return sp_nan();
    return sp_betainc(b / 2, a / 2, b / (b + a * x));
}
static __device__ inline double sp_bdtri(double k, double n, double y) {
    k = floor(k);
    n = trunc(n);
    if (!(k >= 0 && n > k && y >= 0 && y <= 1) || sp_is_infinite(n)) return sp_nan();
    return k == 0 ? -expm1(log(y) / n) : 1 - sp_betaincinv(n - k, k + 1, y);
}
static __device__ inline double sp_fdtri(double a, double b, double y) {
    if (!(a > 0 && b > 0 && y >= 0 && y <= 1) || sp_is_infinite(a) || sp_is_infinite(b)) return sp_nan();
    if (y == 0) return 0;
    if (y < 0.5) {
        double w = sp_betaincinv(a / 2, b / 2, y);
        return b * w / (a * (1 - w));
    }
    double w = sp_betaincinv(b / 2, a / 2, 1 - y);
    return w == 0 ? sp_inf() : b * (1 - w) / (a * w);
}
"""
