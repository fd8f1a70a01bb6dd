"""Functions with several results, or with complex ones."""

import numpy

from tenorite import _core
from tenorite._arguments import is_scalar
from tenorite._kernels.elementwise import ElementwiseKernel
from tenorite.scipy.special import _complex
from tenorite.scipy.special._kernels import _ALL, _REAL, _result_dtype
from tenorite.scipy.special._text import TEXT


def _kernel(name, inputs, outputs, body, text=TEXT):
    return ElementwiseKernel(inputs, outputs, body, f"special_{name}", preamble=text, return_tuple="," in outputs)


def _pair(name):
    """The kernels of two integrals: of real numbers, and of complex ones."""
    real = f"double odd, even; sp_{name}(x, &odd, &even); s = (T)odd; c = (T)even;"
    made = f"complex<double> z(x.real(), x.imag()), one = sp_{name}_complex(z, true), two = sp_{name}_complex(z, false); "
    made += "s = T(one.real(), one.imag()); c = T(two.real(), two.imag());"
    return [
        _kernel(name, "T x", "T s, T c", real),
        _kernel(f"{name}_complex", "T x", "T s, T c", made, _complex.TEXT),
    ]


def _arrays(name, *inputs, kinds=_REAL):
    """The arguments as arrays of one dtype, a real one unless kinds says more."""
    kind = _result_dtype(name, inputs, None, kinds)
    return [_core.asarray(one, dtype=kind) if is_scalar(one) else one.astype(kind, copy=False) for one in inputs]


_ellipj = _kernel("ellipj", "T u, T m", "T sn, T cn, T dn, T ph", """
    double of_u[4];
    sp_ellipj(u, m, of_u, of_u + 1, of_u + 2, of_u + 3);
    sn = (T)of_u[0]; cn = (T)of_u[1]; dn = (T)of_u[2]; ph = (T)of_u[3];
""")  # fmt: skip
_sici = _pair("sici")
_shichi = _pair("shichi")
_yn = _kernel("spherical_yn", "T order, T z", "T y", "y = (T)sp_spherical_yn(order, z);")
_yn_slope = _kernel("spherical_yn_slope", "T order, T z", "T y", "y = (T)sp_spherical_yn_slope(order, z);")
_harmonic = _kernel("sph_harm_y", "T degree_, T m, T theta, T phi", "C y", """
    double degree = degree_, order = fabs((double)m), part = sp_nan(), turn = order * phi, pi = 3.14159265358979323846;
    if (degree >= 0 && degree == floor(degree) && m == floor((double)m)) {
        part = sp_lpmv(order, degree, cos((double)theta));
        if (part != 0) part *= sqrt((2 * degree + 1) / (4 * pi) / sp_poch(degree - order + 1, 2 * order));
    }
    double odd = m < 0 && fmod(order, 2.0) != 0 ? -1 : 1;
    y = C(odd * part * cos(turn), (m < 0 ? -odd : odd) * part * sin(turn));
""")  # fmt: skip
# Halley's steps from the series at the branch point, the logarithms far away, or z itself near 0.
_lambertw = _kernel("lambertw", "complex128 x, int64 k, float64 tol", "complex128 w", """
    typedef complex<double> Z;
    Z at;
    double size = abs(x);
    bool is_done = true;
    if (x != x) at = x;
    else if (size > 1e300) {
        at = x.imag() == 0 && x.real() > 0 ? Z(sp_inf(), 2 * 3.14159265358979323846 * k)
           : x.imag() == 0 ? Z(sp_inf(), (2 * k + 1) * 3.14159265358979323846) : Z(sp_inf(), sp_nan());
    } else if (size == 0) at = k == 0 ? x : Z(-sp_inf(), 0);
    else is_done = false;
    if (!is_done) {
        Z apart = x + Z(0.36787944117144232160, 0);
        bool is_near = abs(apart) < 0.3;
        if (is_near && (k == 0 || (k == 1 && x.imag() < 0) || (k == -1 && x.imag() >= 0))) {
            Z p = sqrt(Z(2 * 2.71828182845904523536, 0) * apart);
            if (k != 0) p = -p;
            at = Z(-1, 0) + p - p * p / Z(3, 0) + p * p * p * Z(11.0 / 72, 0);
        } else if (k == 0 && size < 1) {
            at = x / (Z(1, 0) + x);
        } else if (k == -1 && x.imag() == 0 && x.real() < 0 && x.real() > -0.36787944117144232160) {
            double l = log(-x.real());
            at = Z(l - log(-l), 0);
        } else {
            Z l = log(x) + Z(0, 2 * 3.14159265358979323846 * k);
            at = abs(l) < 1 ? Z(0.5, 0.1 * (k == 0 ? 0 : k)) : l - log(l);
        }
        for (int turn = 0; turn < 100; turn++) {
            Z e = exp(at), f = at * e - x, one(1, 0), two(2, 0);
            if (abs(f) == 0) break;
            Z step = f / (e * (at + one) - (at + two) * f / (two * at + two));
            Z next = at - step;
            bool is_close = abs(step) <= fmin(tol, 1e-5) * abs(next);
            at = next;
            if (is_close || at != at) break;
        }
    }
    w = at;
""")  # fmt: skip


def ellipj(u, m):
    """Jacobian elliptic functions of real argument and parameter.

    Parameters
    ----------
    u : ndarray or number
        Argument.
    m : ndarray or number
        Parameter, from 0 to 1; NaN elsewhere.

    Returns
    -------
    sn, cn, dn, ph : ndarray
        The three functions and the amplitude: ``sn(u, m) == sin(ph)``.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> sn, cn, dn, ph = special.ellipj(cp.array([0.0, 1.0]), 0.5)
    >>> float(cn[0])
    1.0
    """
    return _ellipj(*_arrays("ellipj", u, m))


def sici(x):
    """Integrals of sin(t) / t, and of cos(t) / t.

    Parameters
    ----------
    x : ndarray or number
        Real or complex.

    Returns
    -------
    si, ci : ndarray
        The sine integral, and the cosine integral; of a real x that of abs(x).

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> si, ci = special.sici(cp.array([1.0]))
    >>> round(float(si[0]), 6)
    0.946083
    """
    (x,) = _arrays("sici", x, kinds=_ALL)
    return _sici[x.dtype.kind == "c"](x)


def shichi(x):
    """Integrals of sinh(t) / t, and of cosh(t) / t.

    Parameters
    ----------
    x : ndarray or number
        Real or complex.

    Returns
    -------
    shi, chi : ndarray
        The hyperbolic sine integral, and the cosine integral; of a real x that of abs(x).

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> shi, chi = special.shichi(cp.array([1.0]))
    >>> round(float(shi[0]), 6)
    1.057251
    """
    (x,) = _arrays("shichi", x, kinds=_ALL)
    return _shichi[x.dtype.kind == "c"](x)


def spherical_yn(n, z, derivative=False):
    """Spherical Bessel function of the second kind, or its derivative.

    Parameters
    ----------
    n : ndarray or int
        Order, at least 0.
    z : ndarray or number
        Real.
    derivative : bool, optional
        Whether the derivative comes instead.

    Returns
    -------
    ndarray
        float32 or float64.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> round(float(special.spherical_yn(0, cp.array([1.0]))[0]), 6)
    -0.540302
    """
    return (_yn_slope if derivative else _yn)(*_arrays("spherical_yn", n, z))


def sph_harm_y(n, m, theta, phi, *, diff_n=0):
    """Spherical harmonics.

    Parameters
    ----------
    n : ndarray or int
        Degree, at least 0.
    m : ndarray or int
        Order, its absolute value at most n.
    theta : ndarray or number
        Polar angle, from 0 to pi.
    phi : ndarray or number
        Azimuth, from 0 to 2 pi.
    diff_n : int, optional
        Derivatives wanted: only 0.

    Returns
    -------
    ndarray
        complex64 or complex128.

    Raises
    ------
    NotImplementedError
        For derivatives.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> round(float(special.sph_harm_y(0, 0, cp.array([0.1]), 0.0)[0].real), 6)
    0.282095
    """
    if diff_n != 0:
        raise NotImplementedError(f"sph_harm_y() gives no derivatives: diff_n must be 0, not {diff_n}")
    arrays = _arrays("sph_harm_y", n, m, theta, phi)
    shape = numpy.broadcast_shapes(*(one.shape for one in arrays))
    return _harmonic(*arrays, _core.empty(shape, numpy.result_type(arrays[0].dtype, numpy.complex64)))


def lambertw(z, k=0, tol=1e-8):
    """Lambert's W function: the w of a branch with ``w * exp(w) == z``.

    Parameters
    ----------
    z : ndarray or number
        Real or complex.
    k : int or ndarray, optional
        The branch; 0 is the principal one.
    tol : float, optional
        The relative size of the last step, which is cubed in the error; 1e-5 at most.

    Returns
    -------
    ndarray
        complex128.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> w = special.lambertw(cp.array([1.0]))
    >>> round(float(w[0].real), 6)
    0.567143
    """
    z = _core.asarray(z) if is_scalar(z) else z
    branch = k if is_scalar(k) else k.astype(numpy.int64, copy=False)
    return _lambertw(z.astype(numpy.complex128, copy=False), branch, tol)
