// tenorite.scipy.special: the functions of complex numbers.
#ifndef TNI_SPECIAL_COMPLEX
#define TNI_SPECIAL_COMPLEX
#include <cupy/complex.cuh>
#include <tenorite/special_incomplete.cuh>

static __device__ inline complex<double> sp_cotangent(double x, double y) {
    if (fabs(y) > 300) return complex<double>(0, y > 0 ? -1 : 1);
    double s = sin(x), h = sinh(y), size = s * s + h * h;
    return complex<double>(s * cos(x) / size, -h * cosh(y) / size);
}
/* As for real numbers: reflected, then by steps to where the asymptotic series holds. */
static __device__ inline complex<double> sp_psi_complex(complex<double> z) {
    typedef complex<double> Z;
    const double pi = 3.14159265358979323846;
    double x = z.real(), y = z.imag();
    if (y == 0 && !(x <= 0 && x == floor(x))) return Z(sp_psi(x), y);
    if (x != x || y != y || y == 0 || x == -sp_inf()) return Z(sp_nan(), sp_nan());
    if (sp_is_infinite(x) || sp_is_infinite(y)) return Z(sp_inf(), atan2(y, x));
    Z sum(0, 0);
    if (x < 0) {
        sum = -sp_cotangent(pi * (x - rint(x)), pi * y) * pi;
        x = 1 - x;
        y = -y;
    }
    for (; x < 10 && fabs(y) < 10; x += 1) sum -= Z(1, 0) / Z(x, y);
    Z over = Z(1, 0) / Z(x, y), r = over * over, tail(-1. / 12, 0);
    const double terms[6] = {691. / 32760, -1. / 132, 1. / 240, -1. / 252, 1. / 120, -1. / 12};
    for (int i = 0; i < 6; i++) tail = Z(terms[i], 0) + tail * r;
    return sum + Z(log(hypot(x, y)), atan2(y, x)) - over * 0.5 + tail * r;
}
/* Near |1 + z| = 1 by |1 + z|^2 - 1, whose squares and sums are exact as two numbers each. */
static __device__ inline complex<double> sp_log1p_complex(complex<double> z) {
    double x = z.real(), y = z.imag(), size = hypot(1 + x, y), real = log(size);
    if (size > 0.5 && size < 2) {
        double xx = x * x, yy = y * y, sum = 2 * x + yy, part = sum - yy, all = sum + xx,
               other = all - sum;
        double low = fma(x, x, -xx) + fma(y, y, -yy) + ((2 * x - part) + (yy - (sum - part)));
        real = 0.5 * log1p(all + (low + ((sum - (all - other)) + (xx - other))));
    }
    return complex<double>(real, atan2(y, 1 + x));
}
static __device__ inline complex<double> sp_xlogy_complex(complex<double> x, complex<double> y,
                                                          bool plus_one) {
    if (x.real() == 0 && x.imag() == 0 && y == y) return complex<double>(0, 0);
    return x * (plus_one ? sp_log1p_complex(y) : log(y));
}
/* The series of log(gamma(1 + z)) for small z. */
static __device__ inline complex<double> sp_loggamma_near_one(complex<double> z) {
    complex<double> sum(0, 0);
    for (int i = 0; i < 22; i++) sum = sum * z + complex<double>(sp_loggamma_term(i), 0);
    return (sum * z - complex<double>(0.57721566490153286061, 0)) * z;
}
static __device__ inline complex<double> sp_loggamma_far(complex<double> z) {
    typedef complex<double> Z;
    const double terms[8] = {-2.955065359477124183e-2,  6.4102564102564102564e-3,
                             -1.9175269175269175269e-3, 8.4175084175084175084e-4,
                             -5.952380952380952381e-4,  7.9365079365079365079e-4,
                             -2.7777777777777777778e-3, 8.3333333333333333333e-2};
    Z over = Z(1, 0) / z, r = over * over, tail(0, 0);
    for (int i = 0; i < 8; i++) tail = tail * r + Z(terms[i], 0);
    return (z - Z(0.5, 0)) * log(z) - z + Z(0.91893853320467274178, 0) + tail * over;
}
/* log(sin(pi z)), of which no part leaves the range. */
static __device__ inline complex<double> sp_log_sine(complex<double> z) {
    const double pi = 3.14159265358979323846;
    double y = z.imag(), size = fabs(pi * y), x = sp_rest(z.real(), 2);
    double s = sin(pi * (fabs(x) > 0.5 ? copysign(1.0, x) - x : x)), c = sin(pi * (0.5 - fabs(x)));
    if (size > 30) return complex<double>(size - 0.69314718055994530942, atan2(y > 0 ? c : -c, s));
    return log(complex<double>(s * cosh(pi * y), c * sinh(pi * y)));
}
/* By steps to where the series of Stirling holds, on the principal branch (Hare 1997). */
static __device__ inline complex<double> sp_loggamma_right(complex<double> z) {
    typedef complex<double> Z;
    double x = z.real(), y = z.imag();
    if (x > 7 || fabs(y) > 7) return sp_loggamma_far(z);
    if (abs(z - Z(1, 0)) <= 0.2) return sp_loggamma_near_one(z - Z(1, 0));
    if (abs(z - Z(2, 0)) <= 0.2) {
        Z apart = z - Z(2, 0);
        return sp_log1p_complex(apart) + sp_loggamma_near_one(apart);
    }
    int turns = 0;
    bool was_below = false;
    Z product(x, fabs(y));
    for (x += 1; x <= 7; x += 1) {
        product = product * Z(x, fabs(y));
        bool is_below = signbit(product.imag());
        turns += is_below && !was_below;
        was_below = is_below;
    }
    Z found = sp_loggamma_far(Z(x, fabs(y))) - log(product) - Z(0, turns * 6.28318530717958647693);
    return Z(found.real(), signbit(y) ? -found.imag() : found.imag());
}
static __device__ inline complex<double> sp_loggamma_complex(complex<double> z) {
    typedef complex<double> Z;
    double x = z.real(), y = z.imag();
    if (x != x || y != y || (x <= 0 && y == 0 && x == floor(x))) return Z(sp_nan(), sp_nan());
    if (x >= 0.1 || fabs(y) > 7) return sp_loggamma_right(z);
    double turn = copysign(6.28318530717958647693, y) * floor(0.5 * x + 0.25);
    return Z(1.14472988584940017414, turn) - sp_log_sine(z) - sp_loggamma_right(Z(1 - x, -y));
}
static __device__ inline complex<double> sp_gamma_complex(complex<double> z) {
    if (z.real() <= 0 && z.imag() == 0 && z.real() == floor(z.real()))
        return complex<double>(sp_nan(), sp_nan());
    bool is_real = z.imag() == 0 && fabs(z.real()) < sp_inf();
    return is_real ? complex<double>(sp_gamma(z.real()), z.imag()) : exp(sp_loggamma_complex(z));
}
static __device__ inline complex<double> sp_rgamma_complex(complex<double> z) {
    bool is_pole = z.real() <= 0 && z.real() == floor(z.real()),
         is_real = fabs(z.real()) < sp_inf() || is_pole;
    return z.imag() == 0 && is_real ? complex<double>(sp_rgamma(z.real()), 0)
                                    : exp(-sp_loggamma_complex(z));
}
static __device__ inline complex<double> sp_exprel_complex(complex<double> z) {
    double x = z.real(), y = z.imag(), s = sin(y / 2);
    if (hypot(x, y) < 1e-16) return complex<double>(1, 0);
    if (y == 0)
        return complex<double>(x > 1000  ? sp_inf()
                               : x > 700 ? exp(x / 2) / x * exp(x / 2)
                                         : expm1(x) / x,
                               y);
    return complex<double>(expm1(x) * cos(y) - 2 * s * s, exp(x) * sin(y)) / z;
}
/* The sum of z**k / (k k!), of every k or of every other one with signs that change or do not. */
static __device__ inline complex<double> sp_integral_series(complex<double> z, int first, int step,
                                                            double sign) {
    typedef complex<double> Z;
    Z power(1, 0), sum(0, 0);
    for (int k = 1; k < 500; k++) {
        power = power * z / Z(k, 0);
        if (k < first || (k - first) % step) continue;
        Z term = power / Z(k, 0);
        if (sign < 0 && (k - first) / step % 2) term = -term;
        sum += term;
        if (k > first && abs(term) <= 1e-17 * abs(sum)) break;
    }
    return sum;
}
/* E1: its series, the asymptotic one near the negative axis, or the continued fraction (Lentz). */
static __device__ inline complex<double> sp_exp1_complex(complex<double> z) {
    typedef complex<double> Z;
    double x = z.real(), y = z.imag(), size = abs(z);
    if (x != x || y != y) return Z(sp_nan(), sp_nan());
    if (size == 0) return Z(sp_inf(), -y);
    if (size < 4 || (x < -2 * fabs(y) && size < 40)) {
        Z sum = -sp_integral_series(-z, 1, 1, 1);
        return sum - Z(0.57721566490153286061 + log(size), atan2(y, x));
    }
    if (x == sp_inf()) return Z(0, 0);
    Z one(1, 0), at(0, 0);
    if (x < 0 && size >= 40) {
        Z term = one;
        at = one;
        for (int k = 1; k < 40; k++) {
            term = -term * Z(k, 0) / z;
            at += term;
        }
        at = at / z;
    } else {
        Z b = z + one, c(1e300, 0), d = one / b;
        at = d;
        for (int k = 1; k < 500; k++) {
            Z a(-(double)k * k, 0);
            b += Z(2, 0);
            d = one / (a * d + b);
            c = b + a / c;
            Z change = c * d;
            at = at * change;
            if (abs(change - one) < 1e-16) break;
        }
    }
    Z found = exp(-z) * at;
    return y == 0 && x < 0 ? found - Z(0, copysign(3.14159265358979323846, y)) : found;
}
static __device__ inline complex<double> sp_expi_complex(complex<double> z) {
    double y = z.imag(), turn = y != 0 || z.real() > 0 ? copysign(3.14159265358979323846, y) : 0.0;
    return -sp_exp1_complex(-z) + complex<double>(0, turn);
}
/* The integral of the sine (is_sine) or that of the cosine. */
static __device__ inline complex<double> sp_sici_complex(complex<double> z, bool is_sine) {
    typedef complex<double> Z;
    const double half = 1.57079632679489661923;
    double x = z.real(), y = z.imag();
    if (y == 0 && sp_is_infinite(x))
        return is_sine ? Z(copysign(half, x), 0) : Z(0, x > 0 ? 0 : 2 * half);
    if (abs(z) < 0.8) {
        if (is_sine) return sp_integral_series(z, 1, 2, -1);
        if (x == 0 && y == 0) return Z(-sp_inf(), sp_nan());
        return log(z) + Z(0.57721566490153286061, 0) - sp_integral_series(z, 2, 2, -1);
    }
    Z turned(-y, x), one = sp_expi_complex(turned), other = sp_expi_complex(-turned);
    if (is_sine) {
        Z apart = one - other;
        return Z(apart.imag() / 2 + (x > 0 ? -half : x < 0 ? half : 0), -apart.real() / 2);
    }
    double turn = x > 0 ? 0 : x < 0 ? 2 * half : half;
    Z sum = one + other;
    return Z(sum.real() / 2, sum.imag() / 2 + (y > 0 || (x < 0 && y == 0) ? turn : -turn));
}
/* The integral of the hyperbolic sine (is_sine) or that of the hyperbolic cosine. */
static __device__ inline complex<double> sp_shichi_complex(complex<double> z, bool is_sine) {
    typedef complex<double> Z;
    const double half = 1.57079632679489661923;
    double x = z.real(), y = z.imag();
    if (y == 0 && sp_is_infinite(x)) return Z(is_sine ? x : sp_inf(), 0);
    if (abs(z) < 0.8) {
        if (is_sine) return sp_integral_series(z, 1, 2, 1);
        if (x == 0 && y == 0) return Z(-sp_inf(), sp_nan());
        return log(z) + Z(0.57721566490153286061, 0) + sp_integral_series(z, 2, 2, 1);
    }
    Z one = sp_expi_complex(z), other = sp_expi_complex(-z);
    Z both = is_sine ? one - other : one + other;
    double turn = y > 0 ? half : y < 0 ? -half : x < 0 && !is_sine ? 2 * half : 0;
    return Z(both.real() / 2, both.imag() / 2 + (is_sine ? -turn : turn));
}
/* Lambert's function (Corless and others 1996): its series beside the branch point, Halley's steps
 * on w exp(w) = z in the middle, and Newton's on w + log(w) = log(z) + 2 pi i k elsewhere, where
 * nothing leaves the range. */
static __device__ inline complex<double> sp_lambertw(complex<double> z, double k) {
    typedef complex<double> Z;
    const double pi = 3.14159265358979323846;
    double x = z.real(), y = z.imag();
    if (z != z) return z;
    if (x == 0 && y == 0) return k == 0 ? z : Z(-sp_inf(), 0);
    if (sp_is_infinite(x) || sp_is_infinite(y)) {
        return y == 0 ? Z(sp_inf(), (2 * k + (x < 0)) * pi) : Z(sp_inf(), sp_nan());
    }
    const Z one(1, 0), two(2, 0);
    Z apart((x + 0.36787944117144233402) - 1.2428753672788363168e-17, y), at, far;
    bool is_low = x < 0 && apart.real() > 0 && (k == -1 ? y >= 0 : k == 1 && y < 0), is_far = false;
    if (hypot(apart.real(), y) < 0.3 && (k == 0 || (k == 1 && y < 0) || (k == -1 && y >= 0))) {
        const double terms[10] = {-0.0038112980348919993, 0.006014543252956118,
                                  -0.009616892024299432,  0.01563563253233392,
                                  -0.02598471487360376,   0.044502314814814814,
                                  -0.07962962962962963,   0.1527777777777778,
                                  -0.3333333333333333,    1.0};
        Z p = sqrt(Z(apart.real() * 5.43656365691809047072, y * 5.43656365691809047072));
        if (k != 0) p = -p;
        for (int i = 0; i < 10; i++) at = at * p + Z(terms[i], 0);
        at = at * p - one;
        if (abs(p) < 0.03) return at;
    } else if (k == 0 && hypot(x, y) < 1 && x > -0.2) {
        at = z * (one + z * Z(4.0 / 3, 0)) / (one + z * (Z(7.0 / 3, 0) + z * Z(5.0 / 6, 0)));
    } else if (k == 0 && hypot(x, y) < 20 && (x > -0.6 || fabs(y) > 2 * fabs(x))) {
        Z l = log(one + z);
        at = l * (one - log(one + l) / (two + l));
    } else {
        is_far = true;
        far = is_low ? log(-z) : log(z) + Z(0, 2 * pi * k);
        at = far - log(is_low ? -far : far);
    }
    for (int turn = 0; turn < 100; turn++) {
        Z next;
        if (is_far) {
            next = at * (one + far - log(is_low ? -at : at)) / (one + at);
        } else {
            Z e = exp(at), f = at * e - z;
            next = at - f / (e * (at + one) - (at + two) * f / (two * at + two));
        }
        bool is_close = abs(next - at) <= (is_far ? 1e-8 : 1e-6) * abs(next);
        at = next;
        if (is_close || at != at) break;
    }
    return at;
}
#endif
