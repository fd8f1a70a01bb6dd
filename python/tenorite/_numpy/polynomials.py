"""Polynomials of one variable, with coefficients from the highest power down (NumPy's older
form)."""

import operator
import warnings

import numpy

from tenorite import _core, linalg
from tenorite._arguments import as_array, as_array_of, beside, is_scalar, ndarray
from tenorite._numpy._documents import documented
from tenorite._numpy.creation import diag
from tenorite._numpy.joining import trim_zeros
from tenorite._numpy.shapes import atleast_1d
from tenorite.polynomial import _bases, _values


def _coefficients(p):
    """The coefficients of a poly1d, an array, a list or a scalar, in one dimension at least."""
    if type(p) is ndarray and p.ndim:
        return p
    return p.coeffs if isinstance(p, poly1d) else atleast_1d(as_array_of(p))


def _as_given(result, *given):
    """A poly1d where one was given, else the coefficients."""
    for one in given:
        if isinstance(one, poly1d):
            return poly1d(result)
    return result


# --- The class ---


# The operators of the ufuncs that NumPy's arrays and scalars call for them.
_REFLECTED = {"add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "divide": "__rtruediv__"}


class poly1d:
    """A polynomial of one variable that can be added, multiplied, divided, and evaluated.

    Parameters
    ----------
    c_or_r : array, list, scalar or poly1d
        The coefficients from the highest power down, or if `r` the roots. Leading zeros are
        dropped when they are first looked at, which waits for the device.
    r : bool, optional
        Whether `c_or_r` are roots.
    variable : str, optional
        The name of the variable in texts, "x".

    Examples
    --------
    >>> p = tenorite.poly1d([1, 2, 3])
    >>> p(2)
    array(11)
    >>> (p * p).coeffs
    array([ 1,  4, 10, 12,  9])
    """

    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, (poly1d, numpy.poly1d)):
            self._variable = c_or_r.variable if variable is None else variable
            self._given = c_or_r._given if isinstance(c_or_r, poly1d) else _core.asarray(c_or_r.coeffs)
            self._is_trimmed = isinstance(c_or_r, numpy.poly1d) or c_or_r._is_trimmed
            return
        coefficients = poly(c_or_r) if r else as_array_of(c_or_r)
        coefficients = atleast_1d(as_array_of(coefficients))
        if coefficients.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        self._given, self._is_trimmed = coefficients, False
        self._variable = "x" if variable is None else variable

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        """Ufuncs and arrays' operators take the coefficients; NumPy's operators are ours."""
        if method != "__call__":
            return NotImplemented
        if isinstance(ufunc, numpy.ufunc):
            own = getattr(self, _REFLECTED.get(ufunc.__name__, ""), None)
            return own(inputs[0]) if own and inputs[1] is self and not options else NotImplemented
        return ufunc(*(one.coeffs if isinstance(one, poly1d) else one for one in inputs), **options)

    @property
    def _coeffs(self):
        """The coefficients without leading zeros, which waits for the device once."""
        if not self._is_trimmed:
            made = trim_zeros(self._given, "f")
            self._given, self._is_trimmed = made if made.size else _core.zeros(1, made.dtype), True
        return self._given

    @property
    def coeffs(self):
        """The coefficients from the highest power down; also ``c``, ``coef``, ``coefficients``."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._coeffs:
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    @property
    def order(self):
        """The degree; also ``o``."""
        return self._coeffs.size - 1

    o = order

    @property
    def roots(self):
        """The roots; also ``r``."""
        return roots(self._coeffs)

    r = roots

    @property
    def variable(self):
        """The name of the variable."""
        return self._variable

    def get(self, stream=None, order="C", out=None):
        """The polynomial as a numpy.poly1d.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.poly1d([1, 2, 3]).get()
        poly1d([1, 2, 3])
        """
        return numpy.poly1d(self._coeffs.get(stream=stream, order=order, out=out), variable=self._variable)

    def set(self, polyin, stream=None):
        """Takes over the coefficients of a numpy.poly1d of the same degree.

        Examples
        --------
        >>> import numpy
        >>> import tenorite as cp
        >>> p = cp.poly1d([1, 2])
        >>> p.set(numpy.poly1d([3, 4]))
        >>> p
        poly1d([3, 4])
        """
        if not isinstance(polyin, numpy.poly1d):
            raise TypeError(f"set() needs a numpy.poly1d, not {type(polyin)}")
        self._variable = polyin.variable
        self._coeffs.set(numpy.asarray(polyin.coeffs, self._coeffs.dtype), stream=stream)

    def deriv(self, m=1):
        """The m-th derivative.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.poly1d([1, 2, 3]).deriv()
        poly1d([2, 2])
        """
        return poly1d(polyder(self._coeffs, m))

    def integ(self, m=1, k=0):
        """The m-th antiderivative, with the constants k.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.poly1d([6, 2]).integ()
        poly1d([3., 2., 0.])
        """
        return poly1d(polyint(self._coeffs, m, k))

    def __call__(self, val):
        return polyval(self._coeffs, val)

    def __len__(self):
        return self.order

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __iter__(self):
        return iter(self._coeffs)

    def __neg__(self):
        return poly1d(-self._coeffs)

    def __pos__(self):
        return self

    def __add__(self, other):
        return poly1d(polyadd(self._coeffs, _coefficients(other)))

    __radd__ = __add__

    def __sub__(self, other):
        return poly1d(polysub(self._coeffs, _coefficients(other)))

    def __rsub__(self, other):
        return poly1d(polysub(_coefficients(other), self._coeffs))

    def __mul__(self, other):
        return poly1d(self._coeffs * other if is_scalar(other) else polymul(self._coeffs, _coefficients(other)))

    def __rmul__(self, other):
        return poly1d(other * self._coeffs if is_scalar(other) else polymul(_coefficients(other), self._coeffs))

    def __truediv__(self, other):
        return poly1d(self._coeffs / other) if is_scalar(other) else polydiv(self, poly1d(other))

    def __rtruediv__(self, other):
        return poly1d(other / self._coeffs) if is_scalar(other) else polydiv(poly1d(other), self)

    def __pow__(self, val):
        if not is_scalar(val) or val < 0 or int(val) != val:
            raise ValueError("Power to non-negative integers only.")
        result = poly1d([1])
        for _ in range(operator.index(val)):
            result = self * result
        return result

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self._coeffs.shape == other._coeffs.shape and bool((self._coeffs == other._coeffs).all())

    def __getitem__(self, val):
        """The coefficient of a power; 0 where there is none."""
        last = self._given.size - 1  # the leading zeros may be there yet
        return self._given[last - val] if 0 <= val <= last else _core.zeros((), self._given.dtype)

    def __setitem__(self, key, val):
        if key < 0:
            raise ValueError("Does not support negative powers.")
        last = self._given.size - 1
        if key > last:
            self._given = _core.concatenate((_core.zeros(key - last, self._given.dtype), self._given))
            last = key
        self._given[last - key] = val


# --- Arithmetic ---


def _added(a1, a2, operation):
    first, second = _coefficients(a1), _coefficients(a2)
    if first.ndim > 1 or second.ndim > 1:
        raise ValueError("polynomials have one dimension")
    missing = first.size - second.size
    if missing > 0:
        second = _core.concatenate((_core.zeros(missing, second.dtype), second))
    elif missing < 0:
        first = _core.concatenate((_core.zeros(-missing, first.dtype), first))
    return _as_given(operation(first, second), a1, a2)


@beside
def polyadd(a1, a2):
    """The sum of two polynomials.

    Parameters
    ----------
    a1, a2 : array, list, scalar or poly1d
        Coefficients from the highest power down.

    Returns
    -------
    ndarray or poly1d
        The coefficients; a poly1d if one was given.

    Examples
    --------
    >>> tenorite.polyadd([1, 2], [9, 5, 4])
    array([9, 6, 6])
    """
    return _added(a1, a2, _core.add)


@beside
def polysub(a1, a2):
    """The difference of two polynomials, with parameters and result as polyadd has them.

    Parameters
    ----------
    a1 : array_like or poly1d
        The first polynomial.
    a2 : array_like or poly1d
        The second polynomial.

    Returns
    -------
    ndarray or poly1d
        The coefficients.

    Examples
    --------
    >>> tenorite.polysub([2, 10, -2], [3, 10, -4])
    array([-1,  0,  2])
    """
    return _added(a1, a2, _core.subtract)


@beside
def polymul(a1, a2):
    """The product of two polynomials, with parameters and result as polyadd has them.

    Parameters
    ----------
    a1 : array_like or poly1d
        The first polynomial.
    a2 : array_like or poly1d
        The second polynomial.

    Returns
    -------
    ndarray or poly1d
        The coefficients.

    Examples
    --------
    >>> tenorite.polymul([1, 2, 3], [9, 5, 1])
    array([ 9, 23, 38, 17,  3])
    """
    first, second = poly1d(a1), poly1d(a2)
    return _as_given(_values.product(first.coeffs, second.coeffs), a1, a2)


@beside
def polydiv(u, v):
    """The quotient and the remainder of two polynomials. Waits for the remainder's leading zeros.

    Parameters
    ----------
    u, v : array, list, scalar or poly1d
        Coefficients from the highest power down.

    Returns
    -------
    q, r : ndarray or poly1d
        The coefficients of quotient and remainder.

    Examples
    --------
    >>> tenorite.polydiv([3.0, 5.0, 2.0], [2.0, 1.0])
    (array([1.5 , 1.75]), array([0.25]))
    """
    is_poly = isinstance(u, poly1d) or isinstance(v, poly1d)
    u, v = _coefficients(u) + 0.0, _coefficients(v) + 0.0
    dtype, steps = _core._result_type(u, v), u.size - v.size + 1
    quotient, rest, scale = _core.zeros(max(steps, 1), dtype), u.astype(dtype), 1.0 / v[0]
    for k in range(steps):
        factor = scale * rest[k]
        quotient[k] = factor
        rest[k : k + v.size] -= factor * v
    is_left = ~(_core.absolute(rest) <= 1e-8)  # not numpy.allclose to zero: NaN is left
    first = min(int(is_left.argmax()) if bool(is_left.any()) else rest.size - 1, rest.size - 1)
    rest = rest[first:]
    return (poly1d(quotient), poly1d(rest)) if is_poly else (quotient, rest)


@beside
@documented
def polyder(p, m=1):
    """The m-th derivative of a polynomial.

    Parameters
    ----------
    m : int, optional
        How often.

    Returns
    -------
    ndarray or poly1d
        The derivative.

    Examples
    --------
    >>> tenorite.polyder([1, 1, 1, 1])
    array([3, 2, 1])
    """
    if int(m) < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    values = _coefficients(p)
    for _ in range(min(int(m), max(values.size, 1))):  # beyond that nothing changes
        values = values[:-1] * _core.arange(values.size - 1, 0, -1)
    return _as_given(values, p)


@beside
@documented
def polyint(p, m=1, k=None):
    """The m-th antiderivative of a polynomial; k: the constants, of the first integration first.

    ValueError for a negative m and for fewer constants than integrations, unless there is one.

    Parameters
    ----------
    m : int, optional
        How often.
    k : scalar or sequence of scalars, optional
        The constants.

    Returns
    -------
    ndarray or poly1d
        The integral.

    Examples
    --------
    >>> tenorite.polyint([3.0, 2.0, 1.0])
    array([1., 1., 1., 0.])
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = _core.zeros(m) if k is None else atleast_1d(as_array_of(k))
    if constants.size == 1 and m > 1:
        constants = constants.repeat(m)
    if constants.size < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    if m == 0 and not isinstance(p, poly1d):
        return as_array_of(p)
    values = _coefficients(p)
    for step in range(m):
        divided = values / _core.arange(values.size, 0, -1)
        values = _core.concatenate((divided, constants[step : step + 1]))
    return _as_given(values, p)


@beside
def polyval(p, x):
    """The values of a polynomial.

    Parameters
    ----------
    p : array, list or poly1d
        Coefficients from the highest power down.
    x : array, scalar or poly1d
        Where it is evaluated, or what is put in for its variable.

    Returns
    -------
    ndarray or poly1d
        The values, in the shape of x; a poly1d if x is one.

    Examples
    --------
    >>> tenorite.polyval([3, 0, 1], 5)
    array(76)
    """
    if is_scalar(p) or getattr(p, "ndim", 1) == 0:
        raise TypeError("p must be coefficients or a poly1d, not a scalar")
    p = _coefficients(p)
    if isinstance(x, poly1d):
        result = 0 * x
        for k in range(p.size):
            result = result * x + p[k]
        return result
    x = as_array_of(x)
    if p.shape[0] == 0:
        return _core.zeros_like(x)
    if p.ndim > 1:
        result = _core.zeros_like(x)
        for k in range(p.shape[0]):
            result = result * x + p[k]
        return result
    if p.size > 1 and (p.dtype.kind in "fc" or x.dtype.kind in "fc"):
        p = p[::-1].astype(_core._result_type(x, p), copy=False)
        return _values.values(_bases.POWER, x.astype(p.dtype) if x.dtype.kind == "b" else x, p)
    result = _core.full(x.shape, p[0], _core._result_type(x, p))
    for k in range(1, p.size):
        _core.multiply(result, x, out=result)
        _core.add(result, p[k], out=result)
    return result


# --- Roots and fits ---


@beside
def poly(seq_of_zeros):
    """The coefficients of the polynomial with these roots, or of a matrix's characteristic one.

    The first coefficient is 1. ValueError for other shapes.

    Parameters
    ----------
    seq_of_zeros : array_like
        The roots, or a square matrix.

    Returns
    -------
    ndarray
        The coefficients, that of the highest power first.

    Examples
    --------
    >>> tenorite.poly([-0.5, 0, 0.5])
    array([ 1.  ,  0.  , -0.25,  0.  ])
    """
    zeros = atleast_1d(as_array_of(seq_of_zeros))
    if zeros.ndim == 2 and zeros.shape[0] == zeros.shape[1] != 0:
        zeros = linalg.eigvals(zeros)
    elif zeros.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    if zeros.size == 0:
        return 1.0
    zeros = zeros.astype(numpy.mintypecode(zeros.dtype.char), copy=False)
    made = _core.ones(1, zeros.dtype)
    for k in range(zeros.size):
        shifted = _core.concatenate((made, _core.zeros(1, zeros.dtype)))
        shifted[1:] -= zeros[k] * made
        made = shifted
    if zeros.dtype.kind == "c" and bool((_core.sort(zeros) == _core.sort(zeros.conj())).all()):
        made = made.real.copy()
    return made


@beside
@documented
def roots(p):
    """The roots of a polynomial, the eigenvalues of its companion matrix (linalg.eigvals).

    p: coefficients from the highest power down. ValueError for more than one dimension.

    Returns
    -------
    ndarray
        The roots.

    Examples
    --------
    >>> tenorite.roots([1, 0, 0])
    array([0., 0.])
    """
    if getattr(p, "ndim", 1) == 0:
        raise TypeError("roots() needs coefficients, not an array of no dimension")
    values = _coefficients(p)
    if values.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    places = values.get().nonzero()[0]
    if places.size == 0:
        return _core.array([])
    zeros = values.size - int(places[-1]) - 1
    values = values[int(places[0]) : int(places[-1]) + 1]
    values = values if values.dtype.kind in "fc" else values.astype(float)
    if values.size == 1:
        return _core.zeros(zeros)
    companion = diag(_core.ones(values.size - 2, values.dtype), -1)
    companion[0] = -values[1:] / values[0]
    found = linalg.eigvals(companion)
    return _core.concatenate((found, _core.zeros(zeros, found.dtype)))


@beside
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The polynomial of a degree with the least squares of differences at points (linalg.lstsq).

    Parameters
    ----------
    x, y : ndarray
        The points; y may have a second axis, of several sets of values.
    deg : int
        The degree.
    rcond : float, optional
        Singular values below this share of the largest one count as zero.
    full : bool, optional
        Whether residuals, rank, singular values and rcond are given back, too.
    w : ndarray, optional
        Weights of the points.
    cov : bool or "unscaled", optional
        Whether the covariance of the coefficients is given back, too (linalg.inv).

    Returns
    -------
    ndarray or tuple
        The coefficients from the highest power down, and what was asked for.

    Examples
    --------
    >>> x = tenorite.arange(4.0)
    >>> tenorite.polyfit(x, 2 * x + 1, 1).round(6)
    array([2., 1.])
    """
    count, (x, y) = int(deg) + 1, _checked_points(x, y, deg)
    rcond = x.size * float(numpy.finfo(x.dtype).eps) if rcond is None else rcond
    left = _core.power(x[:, None], _core.arange(count - 1, -1, -1))
    left = left.astype(numpy.promote_types(x.dtype, int), copy=False)  # as NumPy's vander
    if w is not None:
        w = as_array(w) + 0.0
        if w.ndim != 1 or w.shape[0] != y.shape[0]:
            raise TypeError("expected a 1-d array for weights of the length of y")
        if w.dtype.kind == "c" and "f" in left.dtype.kind + y.dtype.kind:
            raise TypeError(f"weights of dtype {w.dtype} do not multiply points of {x.dtype} and {y.dtype} in place")
        left = (left * w[:, None]).astype(left.dtype, copy=False)
        y = (y * (w[:, None] if y.ndim == 2 else w)).astype(y.dtype, copy=False)
    scale = _core.sqrt((left * left).sum(axis=0))
    scaled = left / scale
    found, residuals, rank, singular = linalg.lstsq(scaled, y, rcond)
    found = (found.T / scale).T
    if full:
        return found, residuals, rank, singular, rcond
    if int(rank) != count:
        warnings.warn("Polyfit may be poorly conditioned", numpy.exceptions.RankWarning, stacklevel=3)
    if not cov:
        return found
    base = linalg.inv(_core.matmul(scaled.T, scaled))
    base /= scale[:, None] * scale
    if cov == "unscaled":
        return found, base[:, :, None] if y.ndim == 2 else base
    if x.size <= count:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    factor = residuals / (x.size - count)
    return found, base[:, :, None] * factor if y.ndim == 2 else base * factor[0]


def _checked_points(x, y, deg):
    """The points of a fit as floats."""
    x, y = as_array(x) + 0.0, as_array(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    return x, y
