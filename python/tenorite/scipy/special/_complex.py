"""The functions that take complex numbers, too; their text stands behind that of real ones."""

from tenorite.scipy.special._text import TEXT as _REAL

TEXT = _REAL + r"""
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
static __device__ inline complex<double> sp_log1p_complex(complex<double> z) {
    double x = z.real(), y = z.imag();
    return complex<double>(0.5 * log1p(x * (2 + x) + y * y), atan2(y, 1 + x));
}
static __device__ inline complex<double> sp_xlogy_complex(complex<double> x, complex<double> y, bool plus_one) {
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
    const double terms[8] = {-2.955065359477124183e-2, 6.4102564102564102564e-3, -1.9175269175269175269e-3,
        8.4175084175084175084e-4, -5.952380952380952381e-4, 7.9365079365079365079e-4, -2.7777777777777777778e-3,
        8.3333333333333333333e-2};
    Z over = Z(1, 0) / z, r = over * over, tail(0, 0);
    for (int i = 0; i < 8; i++) tail = tail * r + Z(terms[i], 0);
    return (z - Z(0.5, 0)) * log(z) - z + Z(0.91893853320467274178, 0) + tail * over;
}
/* log(sin(pi z)), of which no part leaves the range. */
static __device__ inline complex<double> sp_log_sine(complex<double> z) {
    const double pi = 3.14159265358979323846;
    double y = z.imag(), size = fabs(pi * y), x = z.real() - 2 * floor(z.real() / 2);
    double s = x > 1.5 ? sin(pi * (x - 2)) : x > 0.5 ? sin(pi * (1 - x)) : sin(pi * x);
    double c = x == 0.5 || x == 1.5 ? 0 : cos(pi * x);
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
    if (z.real() <= 0 && z.imag() == 0 && z.real() == floor(z.real())) return complex<double>(sp_nan(), sp_nan());
    bool is_real = z.imag() == 0 && fabs(z.real()) < sp_inf();
    return is_real ? complex<double>(sp_gamma(z.real()), z.imag()) : exp(sp_loggamma_complex(z));
}
static __device__ inline complex<double> sp_rgamma_complex(complex<double> z) {
    bool is_pole = z.real() <= 0 && z.real() == floor(z.real()), is_real = fabs(z.real()) < sp_inf() || is_pole;
    return z.imag() == 0 && is_real ? complex<double>(sp_rgamma(z.real()), 0) : exp(-sp_loggamma_complex(z));
}
static __device__ inline complex<double> sp_exprel_complex(complex<double> z) {
    double x = z.real(), y = z.imag(), s = sin(y / 2);
    if (hypot(x, y) < 1e-16) return complex<double>(1, 0);
    return complex<double>(expm1(x) * cos(y) - 2 * s * s, exp(x) * sin(y)) / z;
}
/* The sum of z**k / (k k!), of every k or of every other one with signs that change or do not. */
static __device__ inline complex<double> sp_integral_series(complex<double> z, int first, int step, double sign) {
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
    if (y == 0 && sp_is_infinite(x)) return is_sine ? Z(copysign(half, x), 0) : Z(0, x > 0 ? 0 : 2 * half);
    if (abs(z) < 0.8) {
        if (is_sine) return sp_integral_series(z, 1, 2, -1);
        if (x == 0 && y == 0) return Z(-sp_inf(), sp_nan());
        return log(z) + Z(0.57721566490153286061, 0) - sp_integral_series(z, 2, 2, -1);
    }
    Z turned(-y, x), one = sp_expi_complex(turned), other = sp_expi_complex(-turned);
    if (is_sine) return (one - other) * Z(0, -0.5) + Z(x > 0 ? -half : x < 0 ? half : 0, 0);
    double turn = x > 0 ? 0 : x < 0 ? 2 * half : half;
    return (one + other) * 0.5 + Z(0, y > 0 || (x < 0 && y == 0) ? turn : -turn);
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
    if (is_sine) return (one - other) * 0.5 + Z(0, y > 0 ? -half : y < 0 ? half : 0);
    return (one + other) * 0.5 + Z(0, y > 0 ? half : y < 0 ? -half : x < 0 ? 2 * half : 0);
}
"""

# The expressions of complex numbers.
COMPLEX = {
    "gamma": "sp_gamma_complex(x)",
    "loggamma": "sp_loggamma_complex(x)",
    "rgamma": "sp_rgamma_complex(x)",
    "exp1": "sp_exp1_complex(x)",
    "expi": "sp_expi_complex(x)",
    "exprel": "sp_exprel_complex(x)",
    "digamma": "sp_psi_complex(x)",
    "xlogy": "sp_xlogy_complex(x, y, false)",
    "xlog1py": "sp_xlogy_complex(x, y, true)",
}
