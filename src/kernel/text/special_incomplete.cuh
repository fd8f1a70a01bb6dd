// tenorite.scipy.special: incomplete gamma and beta functions, their inverses, and distributions
// made of them.
#ifndef TNI_SPECIAL_INCOMPLETE
#define TNI_SPECIAL_INCOMPLETE
#include <tenorite/special_gamma.cuh>

/* m - log(1 + m). */
static __device__ inline double sp_gamma_height(double m) {
    double near = m * m *
                  sp_poly(m, 1. / 2, -1. / 3, 1. / 4, -1. / 5, 1. / 6, -1. / 7, 1. / 8, -1. / 9,
                          1. / 10, -1. / 11);
    double far = m - log1p(m);
    return fabs(m) < 1e-2 ? near : far;
}
/* The incomplete gamma function of large a, by Temme's expansion at x = a, of which two terms are
 * left. */
static __device__ inline double sp_gammainc_large(double a, double x, bool lower) {
    double m = (x - a) / a, half = sp_gamma_height(m), c;
    double eta = m < 0 ? -sqrt(2 * half) : sqrt(2 * half);
    if (fabs(m) < 1e-2)
        c = -1.0 / 3 + m / 12 - 23 * m * m / 540;
    else
        c = 1 / m - 1 / eta;
    double rest = exp(-a * half) / sqrt(2 * 3.14159265358979323846 * a) * c;
    double part = 0.5 * erfc((lower ? -eta : eta) * sqrt(a / 2));
    return lower ? part - rest : part + rest;
}
/* x^a exp(-x) / gamma(a); of large a by Stirling's series, which loses no digits. */
static __device__ inline double sp_gamma_front(double a, double x) {
    if (a <= 20) return exp(a * log(x) - x - lgamma(a));
    double m = (x - a) / a, half = fabs(m) < 0.5 ? sp_gamma_height(m) : m - log(x / a), w = 1 / a;
    double series =
        sp_poly(w, 1.0, 0.08333333333333097, 0.0034722222228451656, -0.0026813272238699667,
                -0.0002294688330550427, 0.0007839434813283024, 7.142109075399136e-05,
                -0.000610303097735703, 5.9828736945749945e-05, 0.0005219884630885465);
    return sqrt(a) * 0.39894228040143267794 * exp(-a * half) / series;
}
/* The terms of the series of log(gamma(1 + z)) in z, without its first, from the last on. */
static __device__ inline double sp_loggamma_term(int i) {
    const double terms[22] = {
        -0.043478266053040261, 0.045454556293204669, -0.047619070330142226, 0.050000047698101693,
        -0.052631679379616658, 0.055555767627403614, -0.058823978658684585, 0.062500955141213038,
        -0.066668705882420465, 0.07143294629536133,  -0.076932516411352195, 0.083353840546109004,
        -0.090954017145829041, 0.10009945751278181,  -0.11133426586956469,  0.12550966952474304,
        -0.14404989676884611,  0.16955717699740819,  -0.20738555102867398,  0.27058080842778454,
        -0.40068563438653143,  0.8224670334241132};
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
    if (!lower && x <= 1.1 && a <= (x <= 0.5 ? -0.4 / log(x) : 1.1 * x))
        return sp_gammainc_above(a, x);
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
/* --- The incomplete beta function of a, b, x and y = 1 - x, of which the smaller one has all its
 * digits --- */

/* a - (a + b) x, rounded once. */
static __device__ inline double sp_beta_apart(double a, double b, double x, double y) {
    double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
    return x <= y ? fma(-sum, x, a) - rest * x : fma(sum, y, -b) + rest * y;
}
/* A power whose exponent is a whole number from 0 to 31. */
static __device__ inline double sp_power(double x, int n) {
    double power = n & 1 ? x : 1;
    for (n >>= 1; n > 0; n >>= 1) {
        x *= x;
        if (n & 1) power *= x;
    }
    return power;
}
/* x^a y^b / beta(a, b) of whole numbers from 1 to 31, together 32 at most. */
static __device__ inline double sp_beta_whole(double a, double b, double x, double y) {
    const double factorials[32] = {
        1.0000000000000000e+00, 1.0000000000000000e+00, 2.0000000000000000e+00,
        6.0000000000000000e+00, 2.4000000000000000e+01, 1.2000000000000000e+02,
        7.2000000000000000e+02, 5.0400000000000000e+03, 4.0320000000000000e+04,
        3.6288000000000000e+05, 3.6288000000000000e+06, 3.9916800000000000e+07,
        4.7900160000000000e+08, 6.2270208000000000e+09, 8.7178291200000000e+10,
        1.3076743680000000e+12, 2.0922789888000000e+13, 3.5568742809600000e+14,
        6.4023737057280000e+15, 1.2164510040883200e+17, 2.4329020081766400e+18,
        5.1090942171709440e+19, 1.1240007277776077e+21, 2.5852016738884978e+22,
        6.2044840173323941e+23, 1.5511210043330986e+25, 4.0329146112660565e+26,
        1.0888869450418352e+28, 3.0488834461171387e+29, 8.8417619937397019e+30,
        2.6525285981219107e+32, 8.2228386541779224e+33};
    int m = (int)a, n = (int)b;
    return factorials[m + n - 1] / (factorials[m - 1] * factorials[n - 1]) * sp_power(x, m) *
           sp_power(y, n);
}
/* x^a y^b / beta(a, b); of large arguments by Stirling's series around the mean (Didonato and
 * Morris 1992, TOMS 708), since logarithms of gamma functions would cancel. */
static __device__ __noinline__ inline double sp_beta_front(double a, double b, double x, double y) {
    if (a + b <= 32 && a == floor(a) && b == floor(b)) return sp_beta_whole(a, b, x, y);
    double low = fmin(a, b), high = fmax(a, b);
    if (low >= 10) {
        double apart = sp_beta_apart(a, b, x, y), u = -apart / a, v = apart / b;
        double height =
            a * (fabs(u) < 0.7 ? sp_gamma_height(u) : u - SP_ALONE(log)(x * (1 + b / a)));
        height += b * (fabs(v) < 0.7 ? sp_gamma_height(v) : v - SP_ALONE(log)(y * (1 + a / b)));
        height += sp_stirling(a) + sp_stirling(b) - sp_stirling(a + b);
        return sqrt(low / (1 + low / high)) * 0.39894228040143267794 * SP_ALONE(exp)(-height);
    }
    if (high < 10) {
        double share = low / (1 + low / high) * tgamma(1 + a + b) / (tgamma(1 + a) * tgamma(1 + b));
        return share * (x <= y ? SP_ALONE(pow)(x, a) * SP_ALONE(exp)(b * SP_ALONE(log1p)(-x))
                               : SP_ALONE(exp)(a * SP_ALONE(log1p)(-y)) * SP_ALONE(pow)(y, b));
    }
    if (a > b) {
        double other = x;
        x = y;
        y = other;
    }
    double rest =
               sp_gamma_lift(high, low) + high * (x <= y ? SP_ALONE(log1p)(-x) : SP_ALONE(log)(y)),
           share = low / tgamma(1 + low);
    if (rest < -600)
        return rest < -1e5 ? 0 : share * SP_ALONE(exp)(rest + low * SP_ALONE(log)(x * high));
    return share * SP_ALONE(pow)(x * high, low) * SP_ALONE(exp)(rest);
}
/* The part below x divided by the front, of x at most the mean: a continued fraction (Didonato and
 * Morris 1992) of which no term cancels. Its convergents are above / below; the one division of a
 * step does not wait for the step before. */
static __device__ __noinline__ inline double sp_beta_fraction(double a, double b, double x,
                                                              double y) {
    double apart = sp_beta_apart(a, b, x, y), at = 1 / (a + 1), last_above = 1, last_below = 0;
    double above = a * at * (1 + apart), below = 1;
    for (double n = 1; n < 1e5; n += 1) {
        double turn = n * (b - n) * x * at;
        double alpha = (a + n - 1) * at * ((a + b + n - 1) * x) * turn;
        at = 1 / (a + 2 * n + 1);
        double beta = n + turn + (a + n) * at * (apart + 1 + n * (1 + y));
        double next_above = beta * above + alpha * last_above;
        double next_below = beta * below + alpha * last_below;
        double product = next_above * below, change = product - above * next_below;
        double scale = fabs(next_above) > 1e100 ? 1e-100 : 1;
        last_above = above * scale;
        last_below = below * scale;
        above = next_above * scale;
        below = next_below * scale;
        if (fabs(change) <= 4e-16 * fabs(product)) break;
    }
    return below / above;
}
/* The same of small x: a series of positive terms. */
static __device__ inline double sp_beta_series(double a, double b, double x) {
    double term = 1 / a, sum = term;
    for (double n = 1; n < 1000; n += 1) {
        term *= (a + b + n - 1) * x / (a + n);
        sum += term;
        if (term < 1e-17 * sum) break;
    }
    return sum;
}
/* The same of a whole b: a sum of b terms, the chances of b - 1, b - 2, ... failures. */
static __device__ inline double sp_beta_sum(double a, double b, double x, double y) {
    double term = 1 / (a * y), sum = term, ratio = x / y;
    for (double n = 1; n < b; n += 1) {
        term *= (b - n) * ratio / (a + n);
        sum += term;
        if (term < 1e-17 * sum) break;
    }
    return sum;
}
/* The same of large a and b, where the fraction would be long: by 24 nodes of Gauss and Legendre,
 * to where the density has fallen by exp(-40). */
static __device__ inline double sp_beta_integral(double a, double b, double x, double y) {
    const double nodes[24] = {
        0.9951872199970213, 0.9747285559713095,   0.9382745520027328,  0.8864155270044011,
        0.820001985973903,  0.7401241915785544,   0.6480936519369755,  0.5454214713888396,
        0.4337935076260451, 0.3150426796961634,   0.1911188674736163,  0.06405689286260563,
        0.0123412297999872, 0.028531388628933663, 0.04427743881741981, 0.05929858491543678,
        0.0733464814110803, 0.08619016153195327,  0.09761865210411388, 0.10744427011596563,
        0.1155056680537256, 0.12167047292780339,  0.1258374563468283,  0.12793819534675216};
    double of_x = a - 1, of_y = b - 1,
           slope = fmax(sp_beta_apart(a, b, x, y) - y + x, 0.0) / (x * y);
    double bend = of_x / (x * x) + of_y / (y * y),
           range = 80 / (slope + sqrt(slope * slope + 80 * bend)), sum = 0;
    range = fmin(range * (1 + range / (2 * y)), x);
    slope = (sp_beta_apart(a, b, x, y) - y + x) / (x * y);
    for (int i = 0; i < 24; i++) {
        double node = i < 12 ? 1 + nodes[i] : 1 - nodes[i - 12], t = range * node / 2;
        double fall = slope * t + of_x * sp_gamma_height(-t / x) + of_y * sp_gamma_height(t / y);
        sum += nodes[12 + i % 12] * exp(-fall);
    }
    return sum * range / 2 / (x * y);
}
/* The part above x of small a and b x, where most lies below: no digits cancel. */
static __device__ __noinline__ inline double sp_beta_above(double a, double b, double x) {
    double rise = 0, at = b, term = 1, sum = 0;
    for (; at < 10; at += 1) rise -= SP_ALONE(log1p)(a / at);
    rise += sp_gamma_rise(at, a) + a * SP_ALONE(log)(x) - sp_lgamma_of_1_and(a);
    for (double n = 1; n < 100; n += 1) {
        term *= (n - b) / n * x;
        sum += term / (a + n);
        if (fabs(term) <= 1e-17 * fabs(sum)) break;
    }
    return -expm1(rise) - a * SP_ALONE(exp)(rise) * sum;
}
/* x^a, or 1 - x^a. */
static __device__ inline double sp_beta_power(double a, double x, double y, bool lower) {
    if (lower && x <= y) return SP_ALONE(pow)(x, a);
    double power = a * (x <= y ? SP_ALONE(log)(x) : SP_ALONE(log1p)(-y));
    return lower ? SP_ALONE(exp)(power) : -expm1(power);
}
/* The part below x if `lower`, else the part above. Functions that are called in several places are
 * not copied there: compilers would take four times as long. */
static __device__ __noinline__ inline double sp_beta_share(double a, double b, double x, double y,
                                                           bool lower) {
    if (!(a >= 0 && b >= 0 && x >= 0 && y >= 0) || (a == 0 && b == 0)) return sp_nan();
    if (a > 1e300 && b > 1e300) return sp_nan();
    if (x == 0 || y == 0) return (x == 0) != lower;
    if (a == 0 || b == 0) return (a == 0) == lower;
    if (a > 1e300 || b > 1e300) return (b > 1e300) == lower;
    if (a == b && a == 1) return lower ? x : y;
    if (a == b && a == 0.5) {
        double end = 0.63661977236758134308 * asin(sqrt(fmin(x, y)));
        return lower == (x < y) ? end : 1 - end;
    }
    if (b == 1) return sp_beta_power(a, x, y, lower);
    if (a == 1) return sp_beta_power(b, y, x, !lower);
    bool is_right = sp_beta_apart(a, b, x, y) < 0;
    if (is_right ? b < 1 && a * y < 0.7 && y < 0.5 && lower
                 : a < 1 && b * x < 0.7 && x < 0.5 && !lower) {
        return is_right ? sp_beta_above(b, a, y) : sp_beta_above(a, b, x);
    }
    if (a < 1 && b * x < 0.7 && x < 0.5 && is_right) {
        double above = sp_beta_above(a, b, x);
        return lower ? 1 - above : above;
    }
    if (is_right) {
        double other = a;
        a = b;
        b = other;
        other = x;
        x = y;
        y = other;
        lower = !lower;
    }
    double part = sp_beta_front(a, b, x, y);
    if (part == 0) return !lower;
    if (b < 1 && a > 20 && (a + b) * y < 4 * b) { /* the part above is not near 1 */
        part *= sp_beta_series(b, a, y);
        return lower ? 1 - part : part;
    }
    if (b <= 200 && b == floor(b))
        part *= sp_beta_sum(a, b, x, y);
    else if (a < 10 && x < 0.1)
        part *= sp_beta_series(a, b, x);
    else
        part *= fmin(a, b) > 5000 ? sp_beta_integral(a, b, x, y) : sp_beta_fraction(a, b, x, y);
    return lower ? part : 1 - part;
}
static __device__ inline double sp_betainc(double a, double b, double x) {
    return sp_beta_share(a, b, x, 1 - x, true);
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
        if (f > 0)
            high = x;
        else
            low = x;
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
static __device__ __noinline__ inline double sp_beta_begin(double a, double b, double p) {
    double below = a < 1 || p < 1e-4 ? exp((log(p) + log(a) + sp_betaln(a, b)) / a) : 1;
    if (below * (a + b) < 0.1 * (a + 1)) return below;
    if (a >= 1 && b >= 1) {
        double z = -normcdfinv(p), third = (z * z - 3) / 6, of_a = 1 / (2 * a - 1),
               of_b = 1 / (2 * b - 1);
        double mean = 2 / (of_a + of_b), part = third + 5.0 / 6 - 2 / (3 * mean);
        double w = z * sqrt(third + mean) / mean - (of_b - of_a) * part;
        return a / (a + b * exp(2 * w));
    }
    below = exp(a * log(a / (a + b))) / a;
    double above = exp(b * log(b / (a + b))) / b, sum = below + above;
    return p < below / sum ? pow(a * sum * p, 1 / a) : 1 - pow(b * sum * (1 - p), 1 / b);
}
/* The smaller one of the x and the 1 - x whose part below x (if `lower`, else above) is p; the sign
 * says which: that of 1 - x is negative. */
static __device__ inline double sp_beta_inverse(double a, double b, double p, bool lower) {
    if (!(a > 0 && b > 0 && p >= 0 && p <= 1)) return sp_nan();
    if (p == 0 || p == 1) return (p == 0) == lower ? 0.0 : -0.0;
    if (sp_is_infinite(a) || sp_is_infinite(b)) return sp_nan();
    double x = sp_beta_begin(a, b, lower ? p : 1 - p), turn = 1;
    if (x == 0) return x;
    if (!(x > 0)) x = a / (a + b);
    if (x > 0.5) {
        double other = a;
        a = b;
        b = other;
        x = fmax(1 - x, 1e-17);
        lower = !lower;
        turn = -1;
    }
    if (p > 0.5) {
        p = 1 - p;
        lower = !lower;
    }
    double low = 0, high = 1, sign = lower ? 1 : -1;
    for (int i = 0; i < 300; i++) {
        double part = sp_beta_share(a, b, x, 1 - x, lower), f = sign * (part - p);
        if (f == 0) break;
        if (f > 0)
            high = x;
        else
            low = x;
        double slope = sign * sp_beta_front(a, b, x, 1 - x) / (x * (1 - x) * part);
        double next =
            sp_inverse_step(x, sp_log_share(part, p), slope, (a - 1) / x - (b - 1) / (1 - x));
        if (fabs(next - x) <= 2.3e-16 * x) return turn * next;
        bool is_inside = next > low && next < high;
        if (!is_inside)
            next =
                low > 0 ? (high < 4 * low ? (low + high) / 2 : sqrt(low) * sqrt(high)) : high / 8;
        if (next == 0 || (is_inside && fabs(next - x) <= 1e-6 * (1 - x) * x)) return turn * next;
        x = next;
    }
    return turn * x;
}
static __device__ inline double sp_betaincinv(double a, double b, double p) {
    double x = sp_beta_inverse(a, b, p, true);
    return signbit(x) ? 1 + x : x;
}
/* The binomial distribution takes whole numbers of trials: their fraction is dropped. */
static __device__ inline double sp_bdtr(double k, double n, double p) {
    k = floor(k);
    n = sp_count(n);
    if (!(k >= 0 && n >= k && p >= 0 && p <= 1)) return sp_nan();
    return k == n ? 1.0 : sp_beta_share(k + 1, n - k, p, 1 - p, false);
}
static __device__ inline double sp_bdtrc(double k, double n, double p) {
    k = floor(k);
    if (!(p >= 0 && p <= 1) || sp_is_infinite(n)) return sp_nan();
    n = sp_count(n);
    if (!(n >= k)) return sp_nan();
    if (k < 0) return 1.0;
    return k == n ? 0.0 : sp_betainc(k + 1, n - k, p);
}
static __device__ inline double sp_nbdtr(double k, double n, double p, bool lower) {
    k = sp_count(k);
    n = sp_count(n);
    if (!(k >= 0 && n > 0)) return sp_nan();
    return p >= 0 && p <= 1 ? sp_beta_share(n, k + 1, p, 1 - p, lower) : sp_nan();
}
static __device__ inline double sp_nbdtri(double k, double n, double y) {
    k = sp_count(k);
    n = sp_count(n);
    if (!(y >= 0 && y <= 1 && k >= 0) || n != n) return sp_nan();
    return y == 0 || y == 1 ? y : sp_betaincinv(n, k + 1, y);
}
static __device__ inline double sp_pseudo_huber(double d, double r) {
    double t = r > d ? d / r : r / d, root = sqrt(1 + t * t);
    double far = d * (r / (t + root)), near = r * (r / (1 + root));
    double found = sp_is_infinite(r) ? d - d + r : r > d ? far : near;
    return d < 0 ? sp_inf() : d == 0 || r == 0 ? 0 : found;
}
static __device__ inline double sp_expit(double x) {
    double e = exp(-fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
}
/* log(x / y) of positive numbers, though the quotient leaves the range; its rounding is taken back.
 */
static __device__ inline double sp_log_ratio(double x, double y) {
    const double by = 4.149515568880993e180; /* 2^600 */
    double plain = x + y < sp_inf() ? x / y : 1, scale = plain > 1e300    ? 1 / by
                                                         : plain < 1e-300 ? by
                                                                          : 1;
    double shift = plain > 1e300    ? 831.77661667193437067
                   : plain < 1e-300 ? -831.77661667193437067
                                    : 0;
    x *= scale;
    y *= plain > 1e300 ? by : plain < 1e-300 ? 1 / by : 1;
    double ratio = x / y, rest = fma(-ratio, y, x) / x, found = log(ratio) + shift;
    return fabs(rest) < 1 ? found + rest : found;
}
/* A value of positive x and y; what it is at a zero x, and elsewhere. */
static __device__ inline double sp_where_positive(double x, double y, double found,
                                                  double at_zero) {
    double else_where = x == 0 && y >= 0 ? at_zero : x != x || y != y ? x + y : sp_inf();
    return x > 0 && y > 0 ? found : else_where;
}
static __device__ inline double sp_kl_div(double x, double y) {
    double apart = (y - x) / x, near = x * sp_gamma_height(apart),
           far = x * sp_log_ratio(x, y) - x + y;
    return sp_where_positive(x, y, fabs(apart) < 0.5 ? near : far, y);
}
static __device__ inline double sp_boxcox(double log_x, double l) {
    return l == 0 || fabs(l * log_x) < 1e-19 ? log_x : expm1(l * log_x) / l;
}
static __device__ inline double sp_boxcox_power(double y, double l) {
    double both = l * y;
    if (fabs(both) < 1e-19) return y;
    return (sp_is_infinite(both) && both > 0 ? log(fabs(l)) + log(fabs(y)) : log1p(both)) / l;
}
static __device__ inline double sp_fdtr(double a, double b, double x, bool lower) {
    if (!(a > 0 && b > 0 && x >= 0)) return sp_nan();
    if (sp_is_infinite(x)) return lower;
    if (sp_is_infinite(a) || sp_is_infinite(b)) return sp_nan();
    double ratio = a / b * x;
    return sp_beta_share(a / 2, b / 2, ratio > 1 ? 1 / (1 + 1 / ratio) : ratio / (1 + ratio),
                         1 / (1 + ratio), lower);
}
static __device__ inline double sp_bdtri(double k, double n, double y) {
    k = floor(k);
    n = sp_count(n);
    if (!(k >= 0 && n > k && y >= 0 && y <= 1)) return sp_nan();
    if (k == 0) return -expm1(log(y) / n);
    double p = sp_beta_inverse(k + 1, n - k, y, false);
    return signbit(p) ? 1 + p : p;
}
static __device__ inline double sp_fdtri(double a, double b, double y) {
    if (!(a > 0 && b > 0 && y >= 0 && y <= 1) || sp_is_infinite(a) || sp_is_infinite(b))
        return sp_nan();
    double w = sp_beta_inverse(a / 2, b / 2, y, true), odds = fabs(w) / (1 - fabs(w));
    return b / a * (signbit(w) ? 1 / odds : odds);
}
#endif
