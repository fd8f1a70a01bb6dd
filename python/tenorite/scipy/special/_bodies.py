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
static __device__ inline bool sp_is_infinite(double x) { return fabs(x) > 1.7976931348623157e308; }
/* A count that a program gave as a double, without its fraction; what no int holds is the least
 * int, as a C program makes it. */
static __device__ inline double sp_count(double n) {
    return n != n || fabs(n) < 2147483648.0 ? trunc(n) : -2147483648.0;
}

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
static __device__ inline bool sp_is_pole(double a) {
    return a <= 0 && a == floor(a);
}
static __device__ inline bool sp_is_counted_pole(double a) {
    return sp_is_pole(a) && a > -1e13;
}
/* At a pole of one argument the value is finite if the other is a whole number below the pole's
 * distance from 1: then the reflected arguments have the same absolute value. */
static __device__ inline double sp_betaln(double a, double b) {
    if (sp_is_pole(a) || sp_is_pole(b)) {
        double pole = sp_is_pole(a) ? a : b, other = sp_is_pole(a) ? b : a;
        bool is_whole = other == sp_count(other) && pole == sp_count(pole);
        if (!(other > 0 && is_whole && 1 - pole - other > 0)) return sp_inf();
        a = 1 - pole - other;
        b = other;
    }
    if (fabs(a) < fabs(b)) {
        double other = a;
        a = b;
        b = other;
    }
    if (a > 1e6 && a > 1e6 * fabs(b)) {  /* by Stirling's series */
        double r = 1 / a, part = b * (1 - b) / 2;
        return lgamma(b) - b * log(a) + part * r * (1 + (1 - 2 * b) / 6 * r - part / 3 * r * r);
    }
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}
static __device__ inline double sp_beta(double a, double b) {
    if (sp_is_pole(a) || sp_is_pole(b)) {
        double size = exp(sp_betaln(a, b));
        if (sp_is_pole(a) && a == sp_count(a) && b < 0 && b == sp_count(b)) return fmod(b, 2.0) == 0 ? size : -size;
        return size == sp_inf() || fmod(sp_is_pole(a) ? b : a, 2.0) == 0 ? size : -size;
    }
    if (a > 0 && b > 0 && a + b < 170) return tgamma(a) / tgamma(a + b) * tgamma(b);
    double sign = sp_gammasgn(a) * sp_gammasgn(b);
    return sp_is_pole(a + b) ? sign * 0 : sign * sp_gammasgn(a + b) * exp(sp_betaln(a, b));
}
/* gamma(a + m) / gamma(a) by whole steps to a part of less than one. */
static __device__ inline double sp_poch(double a, double m) {
    double steps = 1;
    bool is_open = true;
    while (is_open && m >= 1 && a + m != 1) {
        m -= 1;
        steps *= a + m;
        is_open = steps != 0 && fabs(steps) < sp_inf();
    }
    while (is_open && m <= -1 && a + m != 0) {
        steps /= a + m;
        m += 1;
        is_open = steps != 0 && fabs(steps) < sp_inf();
    }
    if (m == 0) return steps;
    if (a > 1e4 && fabs(m) <= 1) {
        double first = m * (m - 1) / (2 * a), second = (m - 2) * (3 * m - 1) / (12 * a);
        double third = m * (m - 1) * (m - 2) * (m - 3) / (24 * a * a);
        return steps * pow(a, m) * (1 + first * (1 + second + third));
    }
    if (sp_is_counted_pole(a + m) && !sp_is_counted_pole(a) && a + m != m) return sp_inf();
    if (!sp_is_counted_pole(a + m) && sp_is_counted_pole(a)) return 0;
    return steps * sp_gammasgn(a) * sp_gammasgn(a + m) * exp(lgamma(a + m) - lgamma(a));
}
/* For k far above n, by the reflected gamma function. */
static __device__ inline double sp_binom_far(double n, double k) {
    const double pi = 3.14159265358979323846;
    double size = sp_gamma(1 + n) * (1 / k + n / (2 * k * k)) / (pi * pow(k, n));
    double whole = floor(k);
    return size * sin((k - whole - n) * pi) * (fmod(whole, 2.0) == 0 ? 1 : -1);
}
static __device__ inline double sp_binom(double n, double k) {
    if (n != n || k != k || k == sp_inf() || (n < 0 && n == floor(n))) return sp_nan();
    if (k == floor(k) && (fabs(n) > 1e-8 || n == 0)) {
        double count = n == floor(n) && n > 0 && k > n / 2 ? n - k : k, product = 1;
        if (count < 0 && n == floor(n) && k > -sp_inf()) return 0;
        if (count >= 0 && count < 30) {
            for (double j = 1; j <= count; j += 1) product = product * (n - count + j) / j;
            return product;
        }
    }
    if (k > 0 && n >= 1e10 * k) return exp(-sp_betaln(1 + n - k, 1 + k) - log(n + 1));
    if (k > 1e8 * fabs(n)) return sp_binom_far(n, k);
    return 1 / (n + 1) / sp_beta(1 + n - k, 1 + k);
}
/* Hurwitz' zeta function by Euler and Maclaurin; the coefficients are (2 k)! / B(2 k). */
static __device__ inline double sp_zeta_sum(double x, double q) {
    const double over[12] = {12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1892437580.3183792,
                             74724249600.0, -2950130727918.164, 116467828143500.67,
                             -4597978722407473.0, 1.8152105401943546e17, -7.166165256175667e18};
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
static __device__ inline double sp_zeta(double x, double q) {
    if (x == 1) return sp_inf();
    if (x < 1) return sp_nan();
    if (q <= 0) {
        if (q == floor(q)) return sp_inf();
        if (x != floor(x)) return sp_nan();
    }
    return x != x || q != q ? x + q : sp_zeta_sum(x, q);
}
/* Riemann's zeta function less 1; below 0 by its reflection. */
static __device__ inline double sp_zetac(double x) {
    if (x != x || x > 127 || x == 1) return x != x ? x : x == 1 ? sp_inf() : 0;
    if (x > 1) return sp_zeta_sum(x, 2);
    if (x >= -0.01) return sp_zeta_sum(x, 1) - 1;
    if (x < -1e300) return sp_nan();
    const double pi = 3.14159265358979323846;
    double quarter = fmod(x, 4.0), wave = fmod(x, 2.0) == 0 ? 0 : sin(pi / 2 * quarter);
    if (wave == 0) return -1;
    double size = exp(x * log(2 * pi) + lgamma(1 - x));
    return size * wave * sp_zeta_sum(1 - x, 1) / pi - 1;
}
static __device__ inline double sp_polygamma(double n, double x) {
    if (n < 0 || n != floor(n)) return sp_nan();
    if (n == 0) return sp_psi(x);
    return (fmod(n + 1, 2.0) == 1 ? -1 : 1) * tgamma(n + 1) * sp_zeta(n + 1, x);
}

/* --- Error functions --- */

static __device__ inline double sp_ndtr(double x) {
    double z = x * 0.70710678118654752440;
    return fabs(z) < 1 ? 0.5 + 0.5 * erf(z) : z > 0 ? 1 - 0.5 * erfc(z) : 0.5 * erfc(-z);
}
static __device__ inline double sp_log_ndtr(double x) {
    double z = x * 0.70710678118654752440;
    return x < -1 ? log(erfcx(-z) / 2) - z * z : log1p(-erfc(z) / 2);
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
/* The steps are as many as the order, so orders of which no end would be seen are refused. */
static __device__ inline double sp_yn(double n, double x) {
    n = sp_count(n);
    if (x != x || x < 0 || n != n || (fabs(n) > 1e8 && x > 0)) return sp_nan();
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

/* --- Circular functions of degrees: `which` of sine, cosine, tangent and cotangent --- */

/* So large an angle has no digits of a turn left: 0. */
static __device__ inline double sp_circular_degrees(double x, int which) {
    const double degree = 0.017453292519943295769;
    if (fabs(x) > 1e14) return 0;
    bool is_flat = fmod(x, 180.0) == 0, is_upright = fmod(x - 90, 180.0) == 0;
    if (which == 0) return is_flat ? 0.0 : sin(fmod(x, 360.0) * degree);
    if (which == 1) return is_upright ? -0.0 : cos(fmod(x, 360.0) * degree);
    if (which == 2 ? is_flat : is_upright) return 0;
    if (which == 2 ? is_upright : is_flat) return sp_inf();
    double tangent = tan(fmod(x, 180.0) * degree);
    return which == 2 ? tangent : 1 / tangent;
}

/* --- Incomplete gamma and beta functions --- */

/* The same for large a, by Temme's expansion at x = a, of which two terms are left. */
static __device__ inline double sp_gammainc_large(double a, double x, bool lower) {
    double m = (x - a) / a, half = m - log1p(m), c;
    if (fabs(m) < 1e-2) {
        double power = m * m;
        half = 0;
        for (int k = 2; k < 12; k++) {
            half += (k % 2 == 0 ? power : -power) / k;
            power *= m;
        }
    }
    double eta = m < 0 ? -sqrt(2 * half) : sqrt(2 * half);
    if (fabs(m) < 1e-2) c = -1.0 / 3 + m / 12 - 23 * m * m / 540;
    else c = 1 / m - 1 / eta;
    double rest = exp(-a * half) / sqrt(2 * 3.14159265358979323846 * a) * c;
    double part = 0.5 * erfc((lower ? -eta : eta) * sqrt(a / 2));
    return lower ? part - rest : part + rest;
}
/* The part below x if `lower`, else the part above, divided by the whole. */
static __device__ inline double sp_gammainc(double a, double x, bool lower) {
    if (a != a || x != x || a < 0 || x < 0) return sp_nan();
    if (a == 0) return x > 0 ? lower : sp_nan();
    if (x == 0) return !lower;
    if (a > 1e300) return x > 1e300 ? sp_nan() : !lower;
    if (x > 1e300) return lower;
    if (a > 1e6) return sp_gammainc_large(a, x, lower);
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
        if (fabs(d * c - 1) < 4e-16) break;
    }
    return lower ? 1 - front * h : front * h;
}
static __device__ inline double sp_betainc(double a, double b, double x) {
    if (!(a >= 0 && b >= 0 && x >= 0 && x <= 1) || (a == 0 && b == 0)) return sp_nan();
    if (a > 1e300 && b > 1e300) return sp_nan();
    if (x == 0 || x == 1) return x;
    if (a == 0 || b == 0) return a == 0;
    if (a > 1e300 || b > 1e300) return b > 1e300;
    bool swaps = x > (a + 1) / (a + b + 2);
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
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
    return swaps ? 1 - front * h / p : front * h / p;
}

/* --- Exponential integrals and elliptic ones --- */

static __device__ inline double sp_expn(double n, double x) {
    n = sp_count(n);
    if (!(x >= 0 && n >= 0)) return sp_nan();
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
/* --- Inverses: Newton's steps inside of an interval that holds the root --- */

static __device__ inline double sp_gammainc_inverse(double a, double p, bool lower) {
    if (a == 0 && (p == 0 || p == 1)) return p == 0 && !lower ? sp_inf() : 0;
    if (!(a > 0 && p >= 0 && p <= 1)) return sp_nan();
    if (p == 0 || p == 1) return (p == 0) == lower ? 0 : sp_inf();
    if (sp_is_infinite(a)) return sp_nan();
    double low = 0, high = a + 1;
    while (high < 1e300 && (lower ? sp_gammainc(a, high, true) < p : sp_gammainc(a, high, false) > p)) {
        low = high;
        high *= 2;
    }
    double x = low > 0 ? sqrt(low * high) : exp((log(p) + lgamma(a + 1)) / a);
    if (!lower && low == 0) x = exp((log1p(-p) + lgamma(a + 1)) / a);
    if (!(x > low && x < high)) x = (low + high) / 2;
    for (int i = 0; i < 300; i++) {
        double f = sp_gammainc(a, x, lower) - p, sign = lower ? 1 : -1;
        if (f == 0) break;
        if (f * sign > 0) high = x;
        else low = x;
        double next = x - f * sign / exp((a - 1) * log(x) - x - lgamma(a));
        if (!(next > low && next < high)) next = low > 0 ? sqrt(low) * sqrt(high) : high / 8;
        if (next == 0 || fabs(next - x) <= 2.3e-16 * x) return next;
        x = next;
    }
    return x;
}
static __device__ inline double sp_betaincinv(double a, double b, double p) {
    if (!(a > 0 && b > 0 && p >= 0 && p <= 1)) return sp_nan();
    if (p == 0 || p == 1) return p;
    if (sp_is_infinite(a) || sp_is_infinite(b)) return sp_nan();
    double low = 0, high = 1, x = a / (a + b), front = sp_betaln(a, b);
    for (int i = 0; i < 300; i++) {
        double f = sp_betainc(a, b, x) - p;
        if (f == 0) break;
        if (f > 0) high = x;
        else low = x;
        double next = x - f / exp((a - 1) * log(x) + (b - 1) * log1p(-x) - front);
        if (!(next > low && next < high)) next = low > 0 ? (low + high) / 2 : high / 8;
        if (next == 0 || fabs(next - x) <= 2.3e-16 * x) return next;
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

/* --- Incomplete elliptic integrals by Carlson's symmetric ones --- */

static __device__ inline double sp_carlson_f(double x, double y, double z) {
    double mean = 0, dx = 1, dy = 1, dz = 1;
    for (int i = 0; i < 60; i++) {
        mean = (x + y + z) / 3;
        dx = 1 - x / mean;
        dy = 1 - y / mean;
        dz = 1 - z / mean;
        if (fmax(fmax(fabs(dx), fabs(dy)), fabs(dz)) < 1e-3) break;
        double l = sqrt(x) * sqrt(y) + sqrt(x) * sqrt(z) + sqrt(y) * sqrt(z);
        x = (x + l) / 4;
        y = (y + l) / 4;
        z = (z + l) / 4;
    }
    double e2 = dx * dy - dz * dz, e3 = dx * dy * dz;
    double part = 1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44 - 5 * e2 * e2 * e2 / 208;
    return (part + 3 * e3 * e3 / 104 + e2 * e2 * e3 / 16) / sqrt(mean);
}
static __device__ inline double sp_carlson_d(double x, double y, double z) {
    double sum = 0, factor = 1, mean = 0, dx = 1, dy = 1, dz = 1;
    for (int i = 0; i < 60; i++) {
        mean = (x + y + 3 * z) / 5;
        dx = 1 - x / mean;
        dy = 1 - y / mean;
        dz = 1 - z / mean;
        if (fmax(fmax(fabs(dx), fabs(dy)), fabs(dz)) < 1e-3) break;
        double l = sqrt(x) * sqrt(y) + sqrt(x) * sqrt(z) + sqrt(y) * sqrt(z);
        sum += factor / (sqrt(z) * (z + l));
        factor /= 4;
        x = (x + l) / 4;
        y = (y + l) / 4;
        z = (z + l) / 4;
    }
    double xy = dx * dy, zz = dz * dz, e2 = xy - 6 * zz, e3 = (3 * xy - 8 * zz) * dz;
    double e4 = 3 * (xy - zz) * zz, e5 = xy * zz * dz;
    double part = 1 - 3 * e2 / 14 + e3 / 6 + 9 * e2 * e2 / 88 - 3 * e4 / 22 - 9 * e2 * e3 / 52 + 3 * e5 / 26;
    part += -e2 * e2 * e2 / 16 + 3 * e3 * e3 / 40 + 3 * e2 * e4 / 20;
    return 3 * sum + factor * part / (mean * sqrt(mean));
}
static __device__ inline double sp_ellipinc(double phi, double m, bool is_first) {
    if (phi != phi || m != m || m > 1) return sp_nan();
    bool is_deep = sp_is_infinite(m);
    if (sp_is_infinite(phi)) return is_deep && is_first ? sp_nan() : phi;
    if (is_deep) return is_first ? 0 : sp_inf();
    const double pi = 3.14159265358979323846;
    double turns = rint(phi / pi), rest = phi - turns * pi, whole = 0;
    if (m == 1 && is_first && fabs(phi) >= pi / 2) return sp_inf();
    if (m == 1 && !is_first) return sin(rest) + 2 * turns;
    if (turns != 0) {
        whole = sp_carlson_f(0, 1 - m, 1);
        if (!is_first) whole -= m / 3 * sp_carlson_d(0, 1 - m, 1);
    }
    double s = sin(rest), c = cos(rest), q = 1 - m * s * s;
    double part = s * sp_carlson_f(c * c, q, 1);
    if (!is_first) part -= m / 3 * s * s * s * sp_carlson_d(c * c, q, 1);
    return part + 2 * turns * whole;
}
/* The functions of Jacobi by Landen's descent: `which` of sn, cn, dn and the amplitude. */
static __device__ inline double sp_ellipj(double u, double m, int which) {
    if (!(m >= 0 && m <= 1) || u != u) return sp_nan();
    if (m == 1) {
        const double half = 1.57079632679489661923;
        double over = 1 / cosh(u);
        return which == 0 ? tanh(u) : which < 3 ? over : 2 * atan(exp(u)) - half;
    }
    double a[16], c[16], b = sqrt(1 - m);
    int n = 0;
    a[0] = 1;
    c[0] = sqrt(m);
    while (n < 14 && fabs(c[n] / a[n]) > 1.2e-16) {
        c[n + 1] = (a[n] - b) / 2;
        a[n + 1] = (a[n] + b) / 2;
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n), before = phi;
    for (; n > 0; n--) {
        double t = c[n] * sin(phi) / a[n];
        before = phi;
        phi = (asin(t) + phi) / 2;
    }
    double s = sin(phi), k = cos(phi), d = cos(phi - before);
    if (which == 2) return fabs(d) < 0.1 || m == 0 ? sqrt(1 - m * s * s) : k / d;
    return which == 0 ? s : which == 1 ? k : phi;
}

/* --- Integrals of sines and cosines --- */

static __device__ inline double sp_sici(double x, bool is_sine) {
    const double half = 1.57079632679489661923;
    double t = fabs(x), si, ci;
    if (x != x) return x;
    if (t > 1e300) return is_sine ? copysign(half, x) : x > 0 ? 0 : sp_nan();
    if (t == 0) return is_sine ? x : -sp_inf();
    if (t > 4) { /* E1 of an imaginary argument as a continued fraction */
        double br = 1, bi = t, den = br * br + bi * bi, cr = 1e300, ci_ = 0;
        double dr = br / den, di = -bi / den, hr = dr, hi = di;
        for (double i = 1; i < 500; i += 1) {
            double a = -i * i;
            br += 2;
            double er = a * dr + br, ei = a * di + bi;
            den = er * er + ei * ei;
            dr = er / den;
            di = -ei / den;
            den = cr * cr + ci_ * ci_;
            double nr = br + (i == 1 ? 0 : a * cr / den), ni = bi - (i == 1 ? 0 : a * ci_ / den);
            cr = nr;
            ci_ = ni;
            double fr = cr * dr - ci_ * di, fi = cr * di + ci_ * dr, next = hr * fr - hi * fi;
            hi = hr * fi + hi * fr;
            hr = next;
            if (fabs(fr - 1) + fabs(fi) < 2e-16) break;
        }
        double c = cos(t), s = sin(t);
        ci = -(c * hr + s * hi);
        si = half + c * hi - s * hr;
    } else {
        double term = t, even = 1;
        si = t;
        ci = 0;
        for (double k = 1; k < 60; k += 1) {
            even *= -t * t / ((2 * k - 1) * 2 * k);
            term *= -t * t / (2 * k * (2 * k + 1));
            ci += even / (2 * k);
            si += term / (2 * k + 1);
        }
        ci += 0.57721566490153286061 + log(t);
    }
    return is_sine ? copysign(si, x) : ci;
}
static __device__ inline double sp_shichi(double x, bool is_sine) {
    double t = fabs(x), term = t, even = 1, shi = t, chi = 0;
    if (x != x) return x;
    if (t == 0) return is_sine ? x : -sp_inf();
    if (t > 40) {
        double half = sp_expi(t) / 2;
        return is_sine ? copysign(half, x) : half;
    }
    for (double k = 1; k < 200; k += 1) {
        even *= t * t / ((2 * k - 1) * 2 * k);
        term *= t * t / (2 * k * (2 * k + 1));
        chi += even / (2 * k);
        shi += term / (2 * k + 1);
        if (even < 1e-18 * chi && term < 1e-18 * shi) break;
    }
    return is_sine ? copysign(shi, x) : chi + 0.57721566490153286061 + log(t);
}

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
