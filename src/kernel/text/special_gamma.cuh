// tenorite.scipy.special: the gamma function and its kin, zeta functions, and error functions.
#ifndef TNI_SPECIAL_GAMMA
#define TNI_SPECIAL_GAMMA
#include <tenorite/special_base.cuh>

static __device__ inline double sp_gamma(double x) {
    if (x == 0) return 1 / x;
    if (x < 0 && x == floor(x)) return sp_nan();
    return tgamma(x);
}
static __device__ inline double sp_gammasgn(double x) {
    if (x != x) return x;
    if (x >= 0) return x == 0 && 1 / x < 0 ? -1.0 : 1.0;
    if (x == floor(x)) return sp_nan();
    return sp_is_even(floor(x)) ? 1.0 : -1.0;
}
/* Where the gamma function leaves the range: from 165 on by steps, below by reflection. */
static __device__ inline double sp_rgamma(double x) {
    if (x <= 0 && x == floor(x)) return 0;
    if (fabs(x) < 165 || x != x) return 1 / tgamma(x);
    double at = x < 0 ? 1 - x : x, rest = sp_rest(x, 2), steps = 1;
    if (at > 200) return x > 0 ? 0.0 : copysign(sp_inf(), sp_gammasgn(x));
    for (; at > 165; at -= 1) steps *= at - 1;
    const double pi = 3.14159265358979323846;
    return x > 0 ? 1 / tgamma(at) / steps : sin(pi * rest) / pi * tgamma(at) * steps;
}
static __device__ inline double sp_psi(double x) {
    if (x == 0) return -1 / x;
    if (x < 0) {
        if (x == floor(x)) return sp_nan();
        double part = x - rint(x);
        const double pi = 3.14159265358979323846;
        double left = fabs(part) == 0.5 ? 0 : pi / tan(pi * part), sum = 0, y = 1 - x;
        for (; y < 10; y += 1) sum -= 1 / y;
        double r = 1 / (y * y);
        double tail =
            r *
            (1. / 12 -
             r * (1. / 120 -
                  r * (1. / 252 - r * (1. / 240 - r * (1. / 132 - r * (691. / 32760 - r / 12))))));
        return sum + log(y) - 0.5 / y - tail - left;
    }
    double sum = 0;
    for (; x < 10; x += 1) sum -= 1 / x;
    double r = 1 / (x * x);
    return sum + log(x) - 0.5 / x -
           r * (1. / 12 -
                r * (1. / 120 - r * (1. / 252 - r * (1. / 240 - r * (1. / 132 - r * (691. / 32760 -
                                                                                     r / 12))))));
}
static __device__ inline bool sp_is_pole(double a) {
    return a <= 0 && a == floor(a);
}
static __device__ inline bool sp_is_counted_pole(double a) {
    return sp_is_pole(a) && a > -1e13;
}
/* log(gamma(z)) less Stirling's formula, of z at least 10. */
static __device__ inline double sp_stirling(double z) {
    double r = 1 / (z * z);
    return sp_poly(r, 1. / 12, -1. / 360, 1. / 1260, -1. / 1680, 1. / 1188, -691. / 360360,
                   1. / 156) /
           z;
}
/* By how much that changes from a to a + m: no digits cancel. */
static __device__ inline double sp_stirling_rise(double a, double m) {
    double to = a + m;
    if (fabs(m) > 0.01 * a) return sp_stirling(to) - sp_stirling(a);
    double from = 1 / (a * a), r = 1 / (to * to), step = -m * (a + to) * from * r;
    double slope = sp_poly((from + r) / 2, -1. / 360, 2. / 1260, -3. / 1680, 4. / 1188,
                           -5 * 691. / 360360, 6. / 156);
    return (step * slope - sp_stirling(to) * m) / a;
}
/* log(gamma(a + m) / gamma(a)) less m log(a), and with it, of a and a + m at least 10. */
static __device__ inline double sp_gamma_lift(double a, double m) {
    return a < 1e300 ? (a + m - 0.5) * log1p(m / a) - m + sp_stirling_rise(a, m) : 0;
}
static __device__ inline double sp_gamma_rise(double a, double m) {
    return sp_gamma_lift(a, m) + m * log(a);
}
/* At a pole of one argument the value is finite if the other is a whole number below the pole's
 * distance from 1: then the reflected arguments have the same absolute value. */
static __device__ __noinline__ inline double sp_betaln(double a, double b) {
    if (sp_is_pole(a) || sp_is_pole(b)) {
        double pole = sp_is_pole(a) ? a : b, other = sp_is_pole(a) ? b : a;
        bool is_whole = other == sp_count(other) && pole == sp_count(pole);
        if (!(other > 0 && is_whole && 1 - pole - other > 0)) return sp_inf();
        a = 1 - pole - other;
        b = other;
    }
    if (a != a || b != b) return a + b;
    double low = fmin(a, b), high = fmax(a, b);
    if (low >= 10 && high < sp_inf()) {
        double ratio = low / high,
               part = (low - 0.5) * log1p(1 / ratio) + high * log1p(ratio) + 0.5 * log(high);
        return 0.91893853320467274178 + sp_stirling(low) + sp_stirling(high) -
               sp_stirling(low + high) - part;
    }
    if (high >= 10 && low + high >= 10) return lgamma(low) - sp_gamma_rise(high, low);
    return lgamma(a) + lgamma(b) - lgamma(a + b);
}
static __device__ inline double sp_beta(double a, double b) {
    if (sp_is_pole(a) || sp_is_pole(b)) {
        double size = exp(sp_betaln(a, b));
        if (sp_is_pole(a) && a == sp_count(a) && b < 0 && b == sp_count(b))
            return fmod(b, 2.0) == 0 ? size : -size;
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
    if (a >= 10 && a + m >= 10 && fabs(m) <= 1) return steps * exp(sp_gamma_rise(a, m));
    if (sp_is_counted_pole(a + m) && !sp_is_counted_pole(a) && a + m != m) return sp_inf();
    if (!sp_is_counted_pole(a + m) && sp_is_counted_pole(a)) return 0;
    return steps * sp_gammasgn(a) * sp_gammasgn(a + m) * exp(lgamma(a + m) - lgamma(a));
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
    if (k > n + 1) { /* by the reflected gamma function */
        const double pi = 3.14159265358979323846;
        return sp_beta(n + 1, k - n) * sin(pi * sp_rest(sp_rest(k, 2) - sp_rest(n, 2), 2)) / pi;
    }
    return 1 / (n + 1) / sp_beta(1 + n - k, 1 + k);
}
/* Hurwitz' zeta function by Euler and Maclaurin; the coefficients are (2 k)! / B(2 k). */
static __device__ inline double sp_zeta_sum(double x, double q) {
    const double over[12] = {12.0,
                             -720.0,
                             30240.0,
                             -1209600.0,
                             47900160.0,
                             -1892437580.3183792,
                             74724249600.0,
                             -2950130727918.164,
                             116467828143500.67,
                             -4597978722407473.0,
                             1.8152105401943546e17,
                             -7.166165256175667e18};
    if (q > 1e8) return (1 / (x - 1) + 1 / (2 * q)) * pow(q, 1 - x);
    double sum = pow(q, -x), at = q, term = 0;
    for (int i = 0; i < 9 || at <= 9; i++) {
        at += 1;
        term = pow(at, -x);
        sum += term;
        if (fabs(term * at) < 1e-17 * (x - 1) * fabs(sum)) return sum;
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
/* Riemann's zeta function less 1, above 1. */
static __device__ inline double sp_zetac_above(double x) {
    if (x > 60) return exp2(-x) * (1 + exp(-0.40546510810816438198 * x));
    double t = x - 1, sum;
    if (x <= 5) {
        sum = sp_poly(t, 1.0, 0.3781239266956338, 0.05933032501046974, 0.004943875198549597,
                      0.0002445936555183482, 8.261202900725341e-06, 1.8122139284212714e-07) /
              sp_poly(t, 1.0, 0.10776108123415797, 0.010205149873601136, 0.0004635539989968721,
                      1.848932274025052e-05, 2.8933674034926403e-07, 1.0883526318516111e-09) /
              t * 2;
    } else if (x <= 10) {
        t = x - 5;
        sum = sp_poly(t, 1.1816881645878377, 0.36957928089575, 0.047466140524358894,
                      0.0032884875233585016, 0.00014141066591424358, 4.1040194036349e-06,
                      5.627676925982354e-08, -7.28832093928998e-10) /
              sp_poly(t, 1.0, 0.3933833404987905, 0.04667812073957044, 0.0032390088450456535,
                      0.00014714286334703908, 3.8607511758780004e-06, 6.154794985411802e-08,
                      -7.781962848684236e-10);
    } else if (x <= 22) {
        t = x - 10;
        sum = sp_poly(t, 1.0184449308857193, 0.2416694974281634, 0.02586427618656048,
                      0.0017128522207565, 7.937704031392365e-05, 2.6263844391339984e-06,
                      6.120634287401886e-08, 9.809675355871726e-10, 7.784666805671466e-12) /
              sp_poly(t, 1.0, 0.24498041850891428, 0.025591666915072572, 0.0017263120220128755,
                      7.894087775635737e-05, 2.6358857611653556e-06, 6.107051022668604e-08,
                      9.821313230797091e-10, 7.78010291270585e-12);
    } else {
        t = x - 22;
        sum = sp_poly(t, 1.0001338973929415, 0.2397426437640307, 0.027776315155713,
                      0.0020689760579727066, 0.00011079546741149678, 4.51336520854105e-06,
                      1.441644415768083e-07, 3.6587620504744627e-09, 7.362985505752422e-11,
                      1.1514282460801527e-12, 1.3120467843517794e-14, 9.741472270091528e-17) /
              sp_poly(t, 1.0, 0.23976490010035575, 0.027774585102567896, 0.002069059078599772,
                      0.00011079273479721018, 4.513429978567754e-06, 1.4416331372285846e-07,
                      3.658776474114424e-09, 7.362972235510772e-11, 1.151429082144537e-12,
                      1.3120464599252026e-14, 9.741472857047218e-17);
    }
    return sum * exp2(-x);
}
/* The same everywhere; below 0 by its reflection. */
static __device__ inline double sp_zetac(double x) {
    if (x != x || x == 1) return x != x ? x : sp_inf();
    if (x > 1) return sp_zetac_above(x);
    if (x >= -0.01)
        return sp_poly(x, 1.5, -0.17068022110489015, -0.013478332812542643, 0.0033287356483049386,
                       -0.00020742051968426206, 4.379921378921918e-06) /
               sp_poly(x, 1.0, 0.27358749712695807, 0.0408354165435198, 0.004268485942995671,
                       0.00026231211489512906, 1.3429404198126676e-05) /
               (x - 1);
    if (x == -sp_inf()) return sp_nan();
    const double pi = 3.14159265358979323846;
    double quarter = sp_rest(x, 4), wave = sp_is_even(x) ? 0 : sin(pi / 2 * quarter);
    if (wave == 0) return -1;
    double size = exp(x * log(2 * pi) + lgamma(1 - x));
    return size * wave * (1 + sp_zetac_above(1 - x)) / pi - 1;
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
#endif
