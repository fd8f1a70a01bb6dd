"""The text of the functions in double precision, for the host and for GPUs alike.

Series where they converge fast, continued fractions (Lentz) and asymptotic series elsewhere;
inverses by Halley's steps. Relative errors are of the order of 1e-14.
"""

TEXT = r"""
static __device__ inline double sp_inf() {
    double zero = 0;
    return 1 / zero;
}
static __device__ inline double sp_nan() { return sp_inf() - sp_inf(); }

/* --- The gamma function --- */

static __device__ inline double sp_gamma(double x) {
    if (x == 0) return 1 / x;
    if (x < 0 && x == floor(x)) return sp_nan();
    return tgamma(x);
}
static __device__ inline double sp_gammasgn(double x) {
    if (x != x) return x;
    if (x >= 0) return x == 0 && 1 / x < 0 ? -1.0 : 1.0;
    if (x == floor(x)) return sp_nan();
    return fmod(floor(x), 2.0) == 0 ? 1.0 : -1.0;
}
static __device__ inline double sp_rgamma(double x) {
    if (x <= 0 && x == floor(x)) return 0;
    double g = tgamma(x);
    return g == 0 ? sp_inf() : 1 / g;
}
static __device__ inline double sp_psi(double x) {
    if (x == 0) return -1 / x;
    if (x < 0) {
        if (x == floor(x)) return sp_nan();
        double part = x - floor(x);
        const double pi = 3.14159265358979323846;
        double left = part == 0.5 ? 0 : pi / tan(pi * part), sum = 0, y = 1 - x;
        for (; y < 10; y += 1) sum -= 1 / y;
        double r = 1 / (y * y);
        double tail = r * (1. / 12 - r * (1. / 120 - r * (1. / 252 - r * (1. / 240 - r * (1. / 132 -
                      r * (691. / 32760 - r / 12))))));
        return sum + log(y) - 0.5 / y - tail - left;
    }
    double sum = 0;
    for (; x < 10; x += 1) sum -= 1 / x;
    double r = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           r * (1. / 12 - r * (1. / 120 - r * (1. / 252 - r * (1. / 240 - r * (1. / 132 -
           r * (691. / 32760 - r / 12))))));
}
static __device__ inline double sp_betaln(double a, double b) {
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}
static __device__ inline double sp_beta(double a, double b) {
    if (a > 0 && b > 0 && a + b < 170) return tgamma(a) / tgamma(a + b) * tgamma(b);
    return sp_gammasgn(a) * sp_gammasgn(b) * sp_gammasgn(a + b) * exp(sp_betaln(a, b));
}
static __device__ inline double sp_poch(double a, double m) {
    if (m == floor(m) && m >= 0 && m < 100) {
        double product = 1;
        for (double k = 0; k < m; k += 1) product *= a + k;
        return product;
    }
    return sp_gammasgn(a) * sp_gammasgn(a + m) * exp(lgamma(a + m) - lgamma(a));
}
static __device__ inline double sp_binom(double n, double k) {
    if (k == floor(k) && k >= 0 && k < 30 && n == floor(n) && n >= k) {
        double product = 1;
        for (double j = 1; j <= k; j += 1) product = product * (n - k + j) / j;
        return product;
    }
    if (k < 0 && k == floor(k) && n >= 0) return 0;
    return sp_gammasgn(n + 1) * sp_gammasgn(k + 1) * sp_gammasgn(n - k + 1) *
           exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1));
}
/* Hurwitz' zeta function by Euler and Maclaurin; the coefficients are (2 k)! / B(2 k). */
static __device__ inline double sp_zeta(double x, double q) {
    const double over[12] = {12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1892437580.3183792,
                             74724249600.0, -2950130727918.164, 116467828143500.67,
                             -4597978722407473.0, 1.8152105401943546e17, -7.166165256175667e18};
    if (x != x || q != q) return x + q;
    if (x == 1) return sp_inf();
    if (x < 1) return sp_nan();
    if (q <= 0) {
        if (q == floor(q)) return sp_inf();
        if (x != floor(x)) return sp_nan();
    }
    if (q > 1e8) return (1 / (x - 1) + 1 / (2 * q)) * pow(q, 1 - x);
    double sum = pow(q, -x), at = q, term = 0;
    for (int i = 0; i < 9 || at <= 9; i++) {
        at += 1;
        term = pow(at, -x);
        sum += term;
        if (fabs(term) < 1e-17 * fabs(sum)) return sum;
    }
    sum += term * at / (x - 1) - 0.5 * term;
    double factor = 1, k = 0;
    for (int i = 0; i < 12; i++) {
        factor *= x + k;
        term /= at;
        double t = factor * term / over[i];
        sum += t;
        if (fabs(t) < 1e-17 * fabs(sum)) break;
        k += 1;
        factor *= x + k;
        term /= at;
        k += 1;
    }
    return sum;
}
static __device__ inline double sp_polygamma(double n, double x) {
    if (n < 0 || n != floor(n)) return sp_nan();
    if (n == 0) return sp_psi(x);
    return (fmod(n, 2.0) == 0 ? -1 : 1) * tgamma(n + 1) * sp_zeta(n + 1, x);
}

/* --- Error functions --- */

static __device__ inline double sp_erfcx(double x) {
    if (x < -26.7) return sp_inf();
    if (x < 25) {
        double low = fma(x, x, -(x * x)); /* what x * x has lost */
        return exp(x * x) * (1 + low) * erfc(x);
    }
    double r = 0.5 / (x * x);
    return 0.56418958354775628695 / x * (1 - r * (1 - 3 * r * (1 - 5 * r * (1 - 7 * r * (1 - 9 * r)))));
}
/* x with erfc(x) = q for q of (0, 1]. */
static __device__ inline double sp_erfcinv_upper(double q) {
    double x;
    if (q > 0.1) {
        double l = log(q * (2 - q)), a = 4.330746750799873 + l / 2;
        x = sqrt(fmax(sqrt(a * a - l / 0.147) - a, 0.0));
    } else {
        double l = -log(q * 1.7724538509055160273);
        x = sqrt(fmax(l - 0.5 * log(l), 0.1));
    }
    for (int i = 0; i < 4; i++) { /* in logarithms, where erfc is nearly a parabola */
        double scaled = sp_erfcx(x), f = log(scaled) - x * x - log(q);
        double slope = -1.12837916709551257390 / scaled;
        x -= f / slope / (1 - 0.5 * f * (-2 * x - slope) / slope);
        if (x < 0) x = 0;
    }
    return x;
}
static __device__ inline double sp_erfinv(double y) {
    if (!(fabs(y) <= 1)) return sp_nan();
    if (fabs(y) == 1) return y * sp_inf();
    if (fabs(y) > 0.5) return copysign(sp_erfcinv_upper(1 - fabs(y)), y);
    double x = y * 0.88622692545275801365;
    for (int i = 0; i < 6; i++) {
        double f = erf(x) - y, slope = 1.12837916709551257390 * exp(-x * x);
        x -= f / (slope + x * f);
    }
    return y == 0 ? y : x;
}
static __device__ inline double sp_erfcinv(double q) {
    if (!(q >= 0 && q <= 2)) return sp_nan();
    if (q == 0) return sp_inf();
    if (q == 2) return -sp_inf();
    if (q > 0.5 && q < 1.5) return sp_erfinv(1 - q);
    return q < 1 ? sp_erfcinv_upper(q) : -sp_erfcinv_upper(2 - q);
}
static __device__ inline double sp_ndtr(double x) {
    double z = x * 0.70710678118654752440;
    return fabs(z) < 1 ? 0.5 + 0.5 * erf(z) : z > 0 ? 1 - 0.5 * erfc(z) : 0.5 * erfc(-z);
}
static __device__ inline double sp_ndtri(double p) {
    if (!(p >= 0 && p <= 1)) return sp_nan();
    return -1.41421356237309504880 * sp_erfcinv(2 * p);
}
static __device__ inline double sp_log_ndtr(double x) {
    double z = x * 0.70710678118654752440;
    return x < -1 ? log(sp_erfcx(-z) / 2) - z * z : log1p(-erfc(z) / 2);
}

/* --- Bessel functions --- */

/* exp(-|x|) I(n, x) for n = 0, 1: a series of positive terms, or the asymptotic one. */
static __device__ inline double sp_ie(int n, double x) {
    double a = fabs(x), sum = 1, term = 1;
    if (a != a) return a;
    if (a < 25) {
        double q = a * a / 4;
        for (double k = 1; term > 1e-17 * sum; k += 1) {
            term *= q / (k * (k + n));
            sum += term;
        }
        sum *= exp(-a) * (n ? a / 2 : 1);
    } else {
        for (double k = 1; k < 60; k += 1) {
            double next = -term * (4 * n * n - (2 * k - 1) * (2 * k - 1)) / (k * 8 * a);
            if (fabs(next) < 1e-17 * fabs(sum) || fabs(next) > fabs(term)) break;
            term = next;
            sum += term;
        }
        sum *= 1 / sqrt(6.28318530717958647693 * a);
        if (a > 1e308) sum = 0;
    }
    return n && x < 0 ? -sum : sum;
}
/* exp(x) K(n, x) for n = 0, 1: a series, or Steed's continued fraction. */
static __device__ inline double sp_ke(int n, double x) {
    if (x != x || x < 0) return sp_nan();
    if (x == 0) return sp_inf();
    if (x > 1e300) return 0;
    if (x <= 2) {
        double q = x * x / 4, l = log(x / 2), term = 1, sum = 0, psi = -0.57721566490153286061;
        if (n == 0) {
            for (double k = 1; k < 40; k += 1) {
                sum += term * psi;
                term *= q / (k * k);
                psi += 1 / k;
            }
            return exp(x) * (sum - l * sp_ie(0, x) * exp(x));
        }
        for (double k = 1; k < 40; k += 1) {
            sum += term * (2 * psi + 1 / k);
            term *= q / (k * (k + 1));
            psi += 1 / k;
        }
        return exp(x) * (1 / x + l * sp_ie(1, x) * exp(x) - x / 4 * sum);
    }
    double b = 2 * (1 + x), d = 1 / b, h = d, delta = d, q1 = 0, q2 = 1, a1 = 0.25, q = a1, c = a1;
    double a = -a1, s = 1 + q * delta;
    for (int i = 2; i < 10000; i++) {
        a -= 2 * (i - 1);
        c = -a * c / i;
        double next = (q1 - b * q2) / a;
        q1 = q2;
        q2 = next;
        q += c * next;
        b += 2;
        d = 1 / (b + a * d);
        delta = (b * d - 1) * delta;
        h += delta;
        double step = q * delta;
        s += step;
        if (fabs(step / s) < 1e-17) break;
    }
    double k0 = sqrt(1.57079632679489661923 / x) / s;
    return n == 0 ? k0 : k0 * (x + 0.5 - a1 * h) / x;
}
static __device__ inline double sp_y(int n, double x) {
    if (x != x || x < 0) return sp_nan();
    if (x == 0) return -sp_inf();
    return n == 0 ? y0(x) : y1(x);
}
static __device__ inline double sp_yn(double n, double x) {
    if (x != x || x < 0 || n != floor(n)) return sp_nan();
    double sign = n < 0 && fmod(n, 2.0) != 0 ? -1 : 1;
    n = fabs(n);
    if (x == 0) return -sign * sp_inf();
    double before = y0(x), now = y1(x);
    if (n == 0) return before;
    for (double k = 1; k < n && now > -sp_inf(); k += 1) {
        double next = 2 * k / x * now - before;
        before = now;
        now = next;
    }
    return sign * now;
}

/* --- Incomplete gamma and beta functions --- */

/* The part below x if `lower`, else the part above, divided by the whole. */
static __device__ inline double sp_gammainc(double a, double x, bool lower) {
    if (a != a || x != x || a < 0 || x < 0) return sp_nan();
    if (a == 0) return x > 0 ? lower : sp_nan();
    if (x == 0) return !lower;
    if (x > 1e300) return lower;
    double front = exp(a * log(x) - x - lgamma(a));
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
        if (fabs(d * c - 1) < 2e-16) break;
    }
    return lower ? 1 - front * h : front * h;
}
static __device__ inline double sp_betainc(double a, double b, double x) {
    if (!(a > 0 && b > 0 && x >= 0 && x <= 1)) return sp_nan();
    if (x == 0 || x == 1) return x;
    bool swaps = x > (a + 1) / (a + b + 2);
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    double p = swaps ? b : a, q = swaps ? a : b, y = swaps ? 1 - x : x;
    double c = 1, d = 1 - (p + q) * y / (p + 1);
    if (fabs(d) < 1e-300) d = 1e-300;
    d = 1 / d;
    double h = d;
    for (double m = 1; m < 1e6; m += 1) {
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
        if (fabs(step - 1) < 2e-16) break;
    }
    return swaps ? 1 - front * h / p : front * h / p;
}

/* --- Exponential integrals and elliptic ones --- */

static __device__ inline double sp_expn(double n, double x) {
    if (x != x || x < 0 || n < 0 || n != floor(n)) return sp_nan();
    if (x > 1e4) return 0;
    if (n == 0) return exp(-x) / x;
    if (x == 0) return n > 1 ? 1 / (n - 1) : sp_inf();
    if (x > 1) {
        double b = x + n, c = 1e300, d = 1 / b, h = d;
        for (double i = 1; i < 1e5; i += 1) {
            double a = -i * (n - 1 + i);
            b += 2;
            d = 1 / (a * d + b);
            c = b + a / c;
            h *= c * d;
            if (fabs(c * d - 1) < 2e-16) break;
        }
        return h * exp(-x);
    }
    double sum = n > 1 ? 1 / (n - 1) : -log(x) - 0.57721566490153286061, factor = 1;
    for (double i = 1; i < 200; i += 1) {
        factor *= -x / i;
        double step;
        if (i != n - 1) {
            step = -factor / (i - n + 1);
        } else {
            double psi = -0.57721566490153286061;
            for (double k = 1; k <= n - 1; k += 1) psi += 1 / k;
            step = factor * (-log(x) + psi);
        }
        sum += step;
        if (fabs(step) < 1e-17 * fabs(sum)) break;
    }
    return sum;
}
static __device__ inline double sp_expi(double x) {
    if (x != x) return x;
    if (x == 0) return -sp_inf();
    if (x < 0) return -sp_expn(1, -x);
    if (x > 710) return sp_inf();
    if (x < 40) {
        double sum = 0, term = 1;
        for (double k = 1; k < 500; k += 1) {
            term *= x / k;
            sum += term / k;
            if (term / k < 1e-17 * sum) break;
        }
        return 0.57721566490153286061 + log(x) + sum;
    }
    double sum = 1, term = 1;
    for (double k = 1; k < 60; k += 1) {
        if (k > x) break;
        term *= k / x;
        sum += term;
        if (term < 1e-17) break;
    }
    return exp(x) / x * sum;
}
/* K of 1 - p by means of means. */
static __device__ inline double sp_ellipkm1(double p) {
    if (!(p >= 0)) return sp_nan();
    if (p == 0) return sp_inf();
    if (p > 1e300) return 0;
    double a = 1, g = sqrt(p);
    for (int i = 0; i < 12 && fabs(a - g) > 1e-16 * a; i++) {
        double next = (a + g) / 2;
        g = sqrt(a * g);
        a = next;
    }
    return 1.57079632679489661923 / a;
}
"""
