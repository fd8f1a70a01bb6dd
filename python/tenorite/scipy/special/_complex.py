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
"""

# The expressions of complex numbers.
COMPLEX = {
    "digamma": "sp_psi_complex(x)",
    "xlogy": "sp_xlogy_complex(x, y, false)",
    "xlog1py": "sp_xlogy_complex(x, y, true)",
}
