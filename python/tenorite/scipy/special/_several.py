"""Functions with several results, or with complex ones."""

import numpy

from tenorite import _core
from tenorite._arguments import is_scalar
from tenorite.scipy.special._kernels import _ALL, _REAL, Kernel, _result_dtype, of_letters


def _pair(name):
    """The kernels of two integrals: of real numbers, and of complex ones."""
    real = f"double odd, even; sp_{name}(x, &odd, &even); s = (T)odd; c = (T)even;"
    made = (
        f"complex<double> z(x.real(), x.imag()), one = sp_{name}_complex(z, true), two = sp_{name}_complex(z, false); "
    )
    made += "s = T(one.real(), one.imag()); c = T(two.real(), two.imag());"
    return [
        Kernel(name, "T x", "T s, T c", real, "integrals", of_letters("fd", 1)),
        Kernel(f"{name}_complex", "T x", "T s, T c", made, "complex", of_letters("FD", 1)),
    ]


def _arrays(name, *inputs, kinds=_REAL):
    """The arguments as arrays of one dtype, a real one unless kinds says more."""
    kind = _result_dtype(name, inputs, None, kinds)
    return [_core.asarray(one, dtype=kind) if is_scalar(one) else one.astype(kind, copy=False) for one in inputs]


_ellipj = Kernel(
    "ellipj",
    "T u, T m",
    "T sn, T cn, T dn, T ph",
    """
    double of_u[4];
    sp_ellipj(u, m, of_u, of_u + 1, of_u + 2, of_u + 3);
    sn = (T)of_u[0]; cn = (T)of_u[1]; dn = (T)of_u[2]; ph = (T)of_u[3];
""",
    "integrals",
    of_letters("fd", 2),
)
_sici = _pair("sici")
_shichi = _pair("shichi")
_yn, _yn_slope = [
    Kernel(name, "T order, T z", "T y", f"y = (T)sp_{name}(order, z);", "legendre", of_letters("fd", 2))
    for name in ("spherical_yn", "spherical_yn_slope")
]
_harmonic = Kernel(
    "sph_harm_y",
    "T n, T m, T theta, T phi",
    "C y",
    "double real, imag; sp_spherical_harmonic(n, m, theta, phi, &real, &imag); y = C(real, imag);",
    "legendre",
    ["ffffF", "ddddD"],
)
_lambertw = Kernel(
    "lambertw",
    "complex128 x, int64 k",
    "complex128 w",
    """
    complex<double> found = sp_lambertw(complex<double>(x.real(), x.imag()), k);
    w = complex128(found.real(), found.imag());
""",
    "complex",
    ["Dq"],
)


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


def sph_harm(m, n, theta, phi):
    """Spherical harmonics, with the arguments in another order than those of `sph_harm_y`.

    Parameters
    ----------
    m, n : ndarray or int
        Order and degree, as of `sph_harm_y`.
    theta : ndarray or number
        Azimuth, from 0 to 2 pi.
    phi : ndarray or number
        Polar angle, from 0 to pi.

    Returns
    -------
    ndarray
        complex64 or complex128.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> round(float(special.sph_harm(0, 0, cp.array([0.1]), 0.0)[0].real), 6)
    0.282095
    """
    return sph_harm_y(n, m, phi, theta)


def lambertw(z, k=0, tol=1e-8):
    """Lambert's W function: the w of a branch with ``w * exp(w) == z``.

    Parameters
    ----------
    z : ndarray or number
        Real or complex.
    k : int or ndarray, optional
        The branch; 0 is the principal one.
    tol : float, optional
        As SciPy has it; results have the digits of a double whatever it is.

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
    return _lambertw(z.astype(numpy.complex128, copy=False), branch)
