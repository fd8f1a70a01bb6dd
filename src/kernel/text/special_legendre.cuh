// tenorite.scipy.special: functions of Legendre and Wright, and spherical ones.
#ifndef TNI_SPECIAL_LEGENDRE
#define TNI_SPECIAL_LEGENDRE
#include <tenorite/special_gamma.cuh>

/* A function of Legendre of whole degree n at x = 1 - apart, divided by that of degree m, by
 * 2^-scale. Near 1 the steps are of differences, which keep their digits there. */
static __device__ inline double sp_legendre_rise(double m, double n, double x, double apart,
                                                 int *scale) {
    const double huge = 1.157920892373162e77; /* 2^256 */
    bool is_near = apart < 0.5;
    double now = 1, other = is_near,
           by = is_near ? -apart : x; /* the last difference, or the value before */
    for (double k = m; k < n; k += 1) {
        double last = (k + m) * other,
               next = ((2 * k + 1) * by * now + (is_near ? last : -last)) / (k + 1 - m);
        other = is_near ? next : now;
        now = is_near ? now + next : next;
        if (fabs(now) > huge) {
            now /= huge;
            other /= huge;
            *scale += 256;
        }
    }
    return now;
}
/* (2 m - 1)!! root^m, for orders below 0 by (n - m)! / (n + m)!, by 2^-scale. */
static __device__ inline double sp_legendre_front(double m, double n, double root, bool is_below,
                                                  int *scale) {
    const double huge = 1.157920892373162e77;
    double front = 1;
    for (double k = 1; k <= m; k += 1) {
        front *= (2 * k - 1) * root;
        if (is_below) front /= (n - m + 2 * k - 1) * (n - m + 2 * k);
        double by = fabs(front) > huge ? 1 / huge : fabs(front) < 1 / huge ? huge : 1;
        *scale += by > 1 ? -256 : by < 1 ? 256 : 0;
        front *= by;
    }
    return front;
}
/* The function of Legendre of a degree v that is not whole, below m + 2 or so near to 1 or -1 that
 * terms hardly grow, m at least 0: the hypergeometric series at (1 - x) / 2, or, of x below 0, that
 * at (1 + x) / 2 (NIST 15.8.12). */
static __device__ inline double sp_legendre_base(double m, double v, double x) {
    const double pi = 3.14159265358979323846;
    double a = m - v, b = m + v + 1, z = (1 - fabs(x)) / 2, sum = 0, term = 1, front = 1;
    double wave = sin(pi * sp_rest(v, 2)) / pi, root = sqrt((1 - x) * (1 + x));
    for (double j = 1; j <= m; j += 1) front *= -(v - m + j) * (v + j) * root / (2 * j);
    if (x >= 0) {
        for (double k = 0; k < 1e4; k += 1) {
            sum += term;
            term *= (a + k) * (b + k) * z / ((m + 1 + k) * (k + 1));
            if (fabs(term) < 1e-17 * fabs(sum)) break;
        }
        return front * sum;
    }
    for (double j = 1; j <= m; j += 1) term /= j;
    double logs = log(z) + sp_psi(a) + sp_psi(b) - sp_psi(m + 1) + 0.57721566490153286061;
    for (double k = 0; k < 1e4; k += 1) {
        double next = term * logs;
        sum += next;
        term *= (a + k) * (b + k) * z / ((m + 1 + k) * (k + 1));
        logs += 1 / (a + k) + 1 / (b + k) - 1 / (m + 1 + k) - 1 / (k + 1);
        if (fabs(next) < 1e-17 * fabs(sum)) break;
    }
    double far = sum * (sp_is_even(m) ? wave : -wave), power = 1, poles = 0;
    for (double k = 0; k < m; k += 1) { /* (-v)_k (v + 1)_k (m - k - 1)! / k! (-z)^k */
        double part = power;
        for (double j = 1; j < m - k; j += 1) part *= j;
        poles += part;
        power *= (k - v) * (v + 1 + k) * -z / (k + 1);
    }
    double over = -wave;
    for (double j = 0; j < m; j += 1) over /= (j - v) * (v + 1 + j) * z;
    double factorial = 1;
    for (double j = 2; j <= m; j += 1) factorial *= j;
    return front * factorial * (far + over * poles);
}
static __device__ inline double sp_lpmv(double m, double v, double x) {
    if (!(fabs(x) <= 1) || m != floor(m) || !(fabs(v) <= 1e8)) return sp_nan();
    if (v < 0) v = -v - 1;
    double order = fabs(m), value;
    if (v == floor(v) && order > v) return m < 0 ? sp_nan() : 0;
    if (v == floor(v)) {
        int scale = 0;
        value = sp_legendre_front(order, v, sqrt((1 - x) * (1 + x)), m < 0, &scale);
        value = ldexp(value * sp_legendre_rise(order, v, fabs(x), 1 - fabs(x), &scale), scale);
        return sp_is_even((m < 0 ? 0 : order) + (x < 0 ? v + order : 0)) ? value : -value;
    }
    if (x == -1) return order == 0 ? -sp_inf() : sp_nan();
    double direct = sqrt(6 * (order + 1) / (1 - fabs(x))); /* to where the series is as good */
    double steps = fmax(floor(v - fmax(order, direct)), 0.0), at = v - steps,
           before = sp_legendre_base(order, at, x);
    value = steps > 0 ? sp_legendre_base(order, at + 1, x) : before;
    for (double n = 1; n < steps; n += 1) {
        double degree = at + n, next = (2 * degree + 1) * x * value - (degree + order) * before;
        before = value;
        value = next / (degree + 1 - order);
    }
    return m >= 0 ? value
                  : value * (sp_is_even(order) ? 1 : -1) / sp_poch(v - order + 1, 2 * order);
}
/* The part of a spherical harmonic without the azimuth: no factor leaves the range. */
static __device__ inline double sp_harmonic(double n, double m, double theta) {
    const double pi = 3.14159265358979323846, huge = 1.157920892373162e77;
    double s = fabs(sin(theta)), c = cos(theta), up = sin(theta / 2), down = cos(theta / 2);
    if (s == 0 && m > 0) return 0;
    double product = (2 * n + 1) / (4 * pi),
           size = m * (fabs(c) < 0.7 ? 0.5 * log1p(-c * c) : log(s));
    int scale = 0;
    for (double k = 1; k <= m; k += 1) {
        product *= (2 * k - 1) / (n - m + 2 * k - 1) * ((2 * k - 1) / (n - m + 2 * k));
        if (product * huge < 1) {
            product *= huge;
            scale -= 128;
        }
    }
    double near = fmin(fabs(up), fabs(down)),
           rise = sp_legendre_rise(m, n, fabs(c), 2 * near * near, &scale);
    double whole = m == 0 ? 0 : rint(size * 1.44269504088896340736),
           rest = fma(-whole, 0.693147180559945309417, size);
    rest -= whole * 2.3190468138462996e-17;
    double value =
        ldexp(sqrt(product) * exp(m == 0 ? 0 : rest) * rise, (int)fmax(scale + whole, -20000.0));
    return sp_is_even(c < 0 ? n : m) ? value : -value;
}
// The harmonic of degree n and order m, as two numbers.
static __device__ inline void sp_spherical_harmonic(double n, double m, double theta, double phi,
                                                    double *real, double *imag) {
    double order = fabs(m), part = sp_nan(), turn = order * phi;
    if (n >= 0 && n <= 1e8 && n == floor(n) && m == floor(m))
        part = order > n ? 0 : sp_harmonic(n, order, theta);
    double odd = m < 0 && fmod(order, 2.0) != 0 ? -1 : 1;
    *real = odd * part * cos(turn);
    *imag = (m < 0 ? -odd : odd) * part * sin(turn);
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
    const double largest_order = 178.47; /* gamma is infinite from there on */
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
        if (term > largest)
            largest = term;
        else if (term < 1e-17 * sum)
            break;
        if (sum == sp_inf()) break;
    }
    return sum;
}
static __device__ inline double sp_loggamma(double x) {
    return x < 0 ? sp_nan() : lgamma(x);
}
#endif
