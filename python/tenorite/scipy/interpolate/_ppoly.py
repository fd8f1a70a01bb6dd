"""Piecewise polynomials of one variable, in powers and in Bernstein's polynomials."""

import math

import numpy

import tenorite as tn
from tenorite import _core
from tenorite._arguments import as_array_of, beside, host_view, on_host
from tenorite.scipy.interpolate._evaluate import (
    BERNSTEIN,
    EXTRAPOLATE,
    KNOTS,
    POWERS,
    as_double,
    as_knots,
    as_x,
    back_to,
    column,
    evaluate,
    extrapolation,
    of_scipy,
    outside,
    rising,
)

__all__ = ["BPoly", "PPoly"]


def is_monotonic(x):
    """Whether breakpoints ascend or descend."""
    steps = x[1:] - x[:-1]
    return bool((steps >= 0).all()) or bool((steps <= 0).all())


def derived(c, nu):
    """The coefficients of a derivative, along the first axis."""
    if nu == 0:
        return c.copy()
    kept = c[:-nu]
    if kept.shape[0] == 0:
        return tn.zeros((1, *c.shape[1:]), dtype=c.dtype)
    terms = kept.shape[0]
    factors = numpy.array([rising(terms - k, nu) for k in range(terms)], dtype="d")
    return kept * column(tn.asarray(factors), c.ndim)


def integrated(c, x):
    """The coefficients of the integral from x[0], along the first axis; intervals are the
    second."""
    terms = c.shape[0]
    made = _core.zeros((terms + 1, *c.shape[1:]), c.dtype)
    _core.divide(c, column(_core.arange(terms, 0, -1.0), c.ndim), made[:-1])
    width = x[1:] - x[:-1]
    if c.ndim > 2:
        width = column(width, c.ndim - 1)
    gain = made[0] * width
    for k in range(1, terms):
        gain += made[k]
        gain *= width
    made[-1, 1:] = _core.cumsum(gain[:-1], axis=0)
    return made


class _PiecewisePolynomial:
    """What PPoly and BPoly share."""

    def __init__(self, c, x, extrapolate=None, axis=0):
        self.c, self.x = as_double(c), as_knots(x)
        self.extrapolate = extrapolation(True if extrapolate is None else extrapolate)
        if self.c.ndim < 2:
            raise ValueError("Coefficients array must be at least 2-dimensional.")
        if not 0 <= axis < self.c.ndim - 1:
            raise ValueError(f"axis={axis} must be between 0 and {self.c.ndim - 1}")
        self.axis = axis
        for _ in range(2 if axis else 0):
            self.c = tn.moveaxis(self.c, axis + 1, 0)
        if self.x.ndim != 1:
            raise ValueError("x must be 1-dimensional")
        if self.x.size < 2:
            raise ValueError("at least 2 breakpoints are needed")
        if self.c.shape[0] == 0:
            raise ValueError("polynomial must be at least of order 0")
        if self.c.shape[1] != self.x.size - 1:
            raise ValueError("number of coefficients != len(x)-1")
        if not is_monotonic(self.x):
            raise ValueError("`x` must be strictly increasing or decreasing.")
        self.c = tn.ascontiguousarray(self.c)

    @classmethod
    def construct_fast(cls, c, x, extrapolate=None, axis=0):
        """A piecewise polynomial of coefficients and breakpoints that are not looked at.

        Parameters
        ----------
        c : (k, m, ...) ndarray
        x : (m + 1,) ndarray
        extrapolate : bool or 'periodic', optional
        axis : int, optional

        Returns
        -------
        PPoly or BPoly

        Raises
        ------
        AttributeError
            Later, for what is no array.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import PPoly
        >>> p = PPoly(tn.array([[1.0], [0.0]]), tn.array([0.0, 2]))
        >>> PPoly.construct_fast(p.c, p.x)(1.5)
        array(1.5)
        """
        self = object.__new__(cls)
        self.c, self.x, self.axis = c, x, axis
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def extend(self, c, x):
        """Append or prepend intervals.

        Parameters
        ----------
        c : (k, m, ...) ndarray
        x : (m,) ndarray
            Breakpoints after the last or before the first one.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import PPoly
        >>> p = PPoly(tn.array([[1.0], [0.0]]), tn.array([0.0, 2]))
        >>> p.extend(tn.array([[3.0]]), tn.array([4.0]))
        >>> p(3.0)
        array(3.)
        """
        c, x = as_double(c), as_knots(x)
        if c.ndim < 2:
            raise ValueError("invalid dimensions for c")
        if x.ndim != 1:
            raise ValueError("invalid dimensions for x")
        if x.shape[0] != c.shape[1]:
            raise ValueError(f"Shapes of x {x.shape} and c {c.shape} are incompatible")
        if c.shape[2:] != self.c.shape[2:] or c.ndim != self.c.ndim:
            raise ValueError(f"Shapes of c {c.shape} and self.c {self.c.shape} are incompatible")
        if c.size == 0:
            return
        if not is_monotonic(x):
            raise ValueError("`x` is not sorted.")
        first, last = self.x[[0, -1]].tolist()
        begin, end = x[[0, -1]].tolist()
        sign = 1 if last >= first else -1
        if sign * end < sign * begin:
            raise ValueError("`x` is in the different order than `self.x`.")
        if sign * begin >= sign * last:
            parts, xs = (self.c, c), (self.x, x)
        elif sign * end <= sign * first:
            parts, xs = (c, self.c), (x, self.x)
        else:
            raise ValueError("`x` is neither on the left or on the right from `self.x`.")
        self.c = tn.concatenate([self._raised(part, max(c.shape[0], self.c.shape[0])) for part in parts], axis=1)
        self.x = tn.concatenate(xs)

    def __call__(self, x, nu=0, extrapolate=None):
        """The values of a derivative.

        Parameters
        ----------
        x : array_like
        nu : int, optional
            Which derivative.
        extrapolate : bool or 'periodic', optional
            As of the polynomial by default.

        Returns
        -------
        ndarray
            Of the shape of x in place of the interpolated axis.
        """
        if nu < 0:
            raise ValueError("Order of derivative cannot be negative")
        x = as_x(x)
        beyond = outside(self.extrapolate if extrapolate is None else extrapolate)
        return back_to(self._evaluate(x, nu, beyond), x.ndim, self.axis)

    def derivative(self, nu=1):
        """A derivative as a piecewise polynomial.

        Parameters
        ----------
        nu : int, optional
            Which one; below 0 an antiderivative.

        Returns
        -------
        PPoly or BPoly

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import PPoly
        >>> p = PPoly(tn.array([[1.0], [0.0]]), tn.array([0.0, 2]))
        >>> p.derivative()(1.5)
        array(1.)
        """
        if nu < 0:
            return self.antiderivative(-nu)
        return self.construct_fast(self._derived(nu), self.x, self.extrapolate, self.axis)

    def antiderivative(self, nu=1):
        """An integral from the first breakpoint as a piecewise polynomial.

        Parameters
        ----------
        nu : int, optional
            How often; below 0 a derivative.

        Returns
        -------
        PPoly or BPoly

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import PPoly
        >>> p = PPoly(tn.array([[1.0], [0.0]]), tn.array([0.0, 2]))
        >>> p.antiderivative()(2.0)
        array(2.)
        """
        if nu <= 0:
            return self.derivative(-nu)
        c = self.c
        for _ in range(nu):
            c = self._integrated(c)
        extrapolate = False if outside(self.extrapolate) == outside("periodic") else self.extrapolate
        return self.construct_fast(c, self.x, extrapolate, self.axis)

    def integrate(self, a, b, extrapolate=None):
        """The integral from a to b.

        Parameters
        ----------
        a, b : float
        extrapolate : bool or 'periodic', optional
            As of the polynomial by default.

        Returns
        -------
        ndarray

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import PPoly
        >>> p = PPoly(tn.array([[1.0], [0.0]]), tn.array([0.0, 2]))
        >>> p.integrate(0, 2)
        array(2.)
        """
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        a, b = float(a), float(b)
        integral = self.construct_fast(self._integrated(self.c), self.x, extrapolate)
        if outside(extrapolate) != outside("periodic"):
            ends = integral(tn.asarray([a, b]))
            return ends[1] - ends[0]
        integral.extrapolate = False
        return integral_of_periods(integral, self.x, a, b)


def integral_of_periods(integral, ends, a, b):
    """The integral of a periodic function from a to b, of its integral over a period, which lies
    between the first and the last one of `ends`."""
    sign, (a, b) = (1, (a, b)) if a <= b else (-1, (b, a))
    start, end = ends[[0, -1]].tolist()
    periods, left = divmod(b - a, end - start)
    a = start + (a - start) % (end - start)
    b = a + left
    rest = [a, b, start, start] if b <= end else [a, end, start, start + b - end]
    values = integral(tn.asarray([start, end, *rest]))
    whole = values[1] - values[0]
    return sign * (whole * periods + (values[3] - values[2]) + (values[5] - values[4]))


class PPoly(_PiecewisePolynomial):
    """A piecewise polynomial in powers of x less the start of its interval.

    Parameters
    ----------
    c : (k, m, ...) array_like
        Coefficients of m intervals, the highest power first.
    x : (m + 1,) array_like
        Breakpoints, which ascend or descend.
    extrapolate : bool or 'periodic', optional
        What stands beyond the breakpoints: the polynomial beside them (by default), NaN, or the
        polynomials again.
    axis : int, optional
        Where the interpolated axis was.

    Attributes
    ----------
    c, x : ndarray
    extrapolate : bool or 'periodic'
    axis : int

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import PPoly
    >>> p = PPoly(tn.array([[1.0, 1], [0, 2], [0, 1]]), tn.array([0.0, 1, 3]))
    >>> p(tn.array([0.5, 2.0]))
    array([0.25, 4.  ])
    >>> p.derivative()(2.0), p.antiderivative()(3.0), p.integrate(0, 3)
    (array(4.), array(9.), array(9.))
    >>> p.solve(4.0), p.roots(extrapolate=False)
    (array([-2.,  2.]), array([0.]))
    >>> PPoly.construct_fast(p.c, p.x).extend(tn.array([[1.0]]), tn.array([4.0]))
    """

    def _evaluate(self, x, nu, beyond):
        return evaluate(x, ((self.x, self.c.shape[0], nu),), self.c, POWERS, beyond)

    def _derived(self, nu):
        return derived(self.c, nu)

    def _integrated(self, c):
        return integrated(c, self.x)

    def _raised(self, c, terms):
        return tn.concatenate((tn.zeros((terms - c.shape[0], *c.shape[1:]), dtype=c.dtype), c))

    def solve(self, y=0.0, discontinuity=True, extrapolate=None):
        """The x at which the polynomial is y, found on the host by SciPy.

        Parameters
        ----------
        y : float, optional
        discontinuity : bool, optional
            Whether a jump across y counts.
        extrapolate : bool or 'periodic', optional
            Whether roots beyond the breakpoints count.

        Returns
        -------
        ndarray or numpy.ndarray
            Of several polynomials an array of objects, which are arrays. NaN stands after the start
            of an interval in which the polynomial is y everywhere.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import PPoly
        >>> p = PPoly(tn.array([[1.0], [0.0]]), tn.array([0.0, 2]))
        >>> p.solve(0.5)
        array([0.5])
        """
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if self.c.dtype.kind == "c":
            raise ValueError("Root finding is only for real-valued polynomials")
        host = of_scipy("PPoly").construct_fast(host_view(self.c), host_view(self.x), extrapolate)
        found = host.solve(float(y), discontinuity, extrapolate)
        if self.c.ndim == 2:
            return tn.asarray(found)
        made = numpy.empty(found.shape, dtype=object)
        for k in numpy.ndindex(found.shape):
            made[k] = tn.asarray(found[k])
        return made

    def roots(self, discontinuity=True, extrapolate=None):
        """The x at which the polynomial is 0: see solve.

        Parameters
        ----------
        discontinuity : bool, optional
        extrapolate : bool or 'periodic', optional

        Returns
        -------
        ndarray or numpy.ndarray

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import PPoly
        >>> p = PPoly(tn.array([[1.0], [0.0]]), tn.array([0.0, 2]))
        >>> p.roots()
        array([0.])
        """
        return self.solve(0, discontinuity, extrapolate)

    @classmethod
    def from_spline(cls, tck, extrapolate=None):
        """The piecewise polynomial of a B-spline.

        Parameters
        ----------
        tck : BSpline or tuple
            The spline, or its knots, coefficients and degree.
        extrapolate : bool or 'periodic', optional
            As of the spline by default.

        Returns
        -------
        PPoly

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import PPoly, make_interp_spline
        >>> x = tn.arange(5.0)
        >>> PPoly.from_spline(make_interp_spline(x, x**2))(2.5)
        array(6.25)
        """
        if hasattr(tck, "tck"):
            extrapolate = tck.extrapolate if extrapolate is None else extrapolate
            tck = tck.tck
        t, c, k = as_knots(tck[0]), as_double(tck[1]), tck[2]
        parts = [evaluate(t[:-1], ((t, k + 1, m),), c, KNOTS, EXTRAPOLATE) for m in range(k, -1, -1)]
        parts = [part / math.factorial(k - place) for place, part in enumerate(parts)]
        return cls.construct_fast(tn.stack(parts), t, extrapolate)

    @classmethod
    def from_bernstein_basis(cls, bp, extrapolate=None):
        """The same piecewise polynomial in powers.

        Parameters
        ----------
        bp : BPoly
        extrapolate : bool or 'periodic', optional
            As of `bp` by default.

        Returns
        -------
        PPoly

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import BPoly, PPoly
        >>> PPoly.from_bernstein_basis(BPoly(tn.array([[1.0], [3.0]]), tn.array([0.0, 2.0]))).c.ravel()
        array([1., 1.])
        """
        if not isinstance(bp, BPoly):
            raise TypeError(f".from_bernstein_basis only accepts BPoly instances. Got {type(bp)} instead.")
        k = bp.c.shape[0] - 1
        matrix = numpy.zeros((k + 1, k + 1))
        for a in range(k + 1):
            for s in range(a, k + 1):
                matrix[k - s, a] = (-1) ** (a + s) * math.comb(k, a) * math.comb(k - a, s - a)
        c = tn.tensordot(tn.asarray(matrix), bp.c, 1) / _powers_of_widths(bp.x, range(k, -1, -1), bp.c.ndim)
        return cls.construct_fast(c, bp.x, bp.extrapolate if extrapolate is None else extrapolate, bp.axis)


def _powers_of_widths(x, powers, ndim):
    """The intervals' widths to the power of each term."""
    widths = (x[1:] - x[:-1])[None, :] ** tn.asarray(numpy.array(powers, dtype="d"))[:, None]
    return widths.reshape(widths.shape + (1,) * (ndim - 2))


def _raise_degree(c, more):
    """Bernstein's coefficients, along the first axis, of a degree that is so much higher."""
    if more == 0:
        return c
    k = c.shape[0] - 1
    matrix = numpy.zeros((k + 1 + more, k + 1))
    for a in range(k + 1):
        for j in range(more + 1):
            matrix[a + j, a] = math.comb(k, a) * math.comb(more, j) / math.comb(k + more, a + j)
    return numpy.tensordot(matrix, c, 1) if isinstance(c, numpy.ndarray) else tn.tensordot(tn.asarray(matrix), c, 1)


def _between(begin, end, first, last):
    """Bernstein's coefficients on [begin, end] of the polynomial that has these values and
    derivatives at its ends; on the host.

    The q-th derivative at an end is the q-th difference of the coefficients there, times n (n - 1)
    ... (n - q + 1) / width^q, of a polynomial of degree n.
    """
    first, last = numpy.asarray(first), numpy.asarray(last)
    if first.shape[1:] != last.shape[1:]:
        raise ValueError(f"Shapes of ya {first.shape} and yb {last.shape} are incompatible")
    dtype = "D" if "c" in first.dtype.kind + last.dtype.kind else "d"
    n = len(first) + len(last)
    c = numpy.empty((n, *first.shape[1:]), dtype=dtype)
    for values, side, width in ((first, c, end - begin), (last, c[::-1], begin - end)):
        for q in range(len(values)):
            side[q] = values[q] / rising(n - q, q) * width**q
            for j in range(q):
                side[q] -= (-1) ** (j + q) * math.comb(q, j) * side[j]
    return c


def _orders(orders, count, k):
    """The order of each interval or None, and the number of coefficients of all."""
    if orders is None:
        return [None] * count, k
    orders = [orders] * count if isinstance(orders, int | numpy.integer) else list(orders)
    if any(order <= 0 for order in orders):
        raise ValueError("Orders must be positive.")
    return orders, max(k, *orders)


def _shares(order, xs, first, last):
    """How many values at each end an interval of this order takes."""
    if order is None:
        return len(first), len(last)
    n = order + 1
    one = min(n // 2, len(first))
    two = min(n - one, len(last))
    one = min(n - two, len(last))
    if one + two != n:
        raise ValueError(
            f"Point {xs[0]} has {len(first)} derivatives, point {xs[1]} has {len(last)} derivatives, "
            f"but order {order} requested"
        )
    if not (one <= len(first) and two <= len(last)):
        raise ValueError("`order` input incompatible with length y1 or y2.")
    return one, two


class BPoly(_PiecewisePolynomial):
    """A piecewise polynomial in Bernstein's polynomials of its intervals.

    Parameters
    ----------
    c : (k, m, ...) array_like
        Coefficients of m intervals.
    x : (m + 1,) array_like
        Breakpoints, which ascend or descend.
    extrapolate : bool or 'periodic', optional
        As of PPoly.
    axis : int, optional
        Where the interpolated axis was.

    Attributes
    ----------
    c, x : ndarray
    extrapolate : bool or 'periodic'
    axis : int

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import BPoly
    >>> p = BPoly(tn.array([[1.0], [2.0], [5.0]]), tn.array([0.0, 2.0]))
    >>> p(tn.array([0.0, 1.0, 2.0]))
    array([1. , 2.5, 5. ])
    >>> p.derivative()(0.0), p.antiderivative()(0.0), p.integrate(0, 2)
    (array(1.), array(0.), array(5.33333333))
    >>> BPoly.construct_fast(p.c, p.x).extend(tn.array([[1.0]]), tn.array([4.0]))
    """

    def _evaluate(self, x, nu, beyond):
        c = self._derived(nu) if nu else self.c
        return evaluate(x, ((self.x, c.shape[0], 0),), c, BERNSTEIN, beyond)

    def _derived(self, nu):
        c = self.c.copy() if nu == 0 else self.c
        for _ in range(nu):
            k = c.shape[0] - 1
            if k == 0:
                return tn.zeros_like(c)
            c = k * (c[1:] - c[:-1]) / column(self.x[1:] - self.x[:-1], c.ndim - 1)
        return c

    def _integrated(self, c):
        made = tn.zeros((c.shape[0] + 1, *c.shape[1:]), dtype=c.dtype)
        widths = column(self.x[1:] - self.x[:-1], c.ndim - 1)
        made[1:] = tn.cumsum(c, axis=0) * (widths / c.shape[0])
        made[:, 1:] += tn.cumsum(made[-1], axis=0)[:-1]
        return made

    def _raised(self, c, terms):
        return _raise_degree(c, terms - c.shape[0])

    # SciPy and CuPy have these as methods.
    _raise_degree = staticmethod(_raise_degree)

    @staticmethod
    def _construct_from_derivatives(xa, xb, ya, yb):
        return tn.asarray(_between(xa, xb, tn.asnumpy(ya), tn.asnumpy(yb)))

    @classmethod
    def from_power_basis(cls, pp, extrapolate=None):
        """The same piecewise polynomial in Bernstein's polynomials.

        Parameters
        ----------
        pp : PPoly
        extrapolate : bool or 'periodic', optional
            As of `pp` by default.

        Returns
        -------
        BPoly

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import BPoly, PPoly
        >>> BPoly.from_power_basis(PPoly(tn.array([[1.0], [1.0]]), tn.array([0.0, 2.0]))).c.ravel()
        array([1., 3.])
        """
        if not isinstance(pp, PPoly):
            raise TypeError(f".from_power_basis only accepts PPoly instances. Got {type(pp)} instead.")
        k = pp.c.shape[0] - 1
        matrix = numpy.zeros((k + 1, k + 1))
        for a in range(k + 1):
            for j in range(k - a, k + 1):
                matrix[j, a] = math.comb(j, k - a) / math.comb(k, k - a)
        c = tn.tensordot(tn.asarray(matrix), pp.c * _powers_of_widths(pp.x, range(k, -1, -1), pp.c.ndim), 1)
        return cls.construct_fast(c, pp.x, pp.extrapolate if extrapolate is None else extrapolate, pp.axis)

    @classmethod
    @beside
    def from_derivatives(cls, xi, yi, orders=None, extrapolate=None):
        """The piecewise polynomial with given values and derivatives, found on the host.

        Parameters
        ----------
        xi : array_like
            Breakpoints, which ascend.
        yi : sequence of array_like
            ``yi[i][j]`` is the j-th derivative at ``xi[i]``.
        orders : int or sequence of int, optional
            The degree of each interval; by default what the derivatives determine.
        extrapolate : bool or 'periodic', optional

        Returns
        -------
        BPoly

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import BPoly
        >>> BPoly.from_derivatives([0.0, 1.0], [[1.0, 2.0], [3.0]])(0.5)
        array(2.)
        """
        xi = numpy.asarray(on_host(xi))
        yi = on_host(yi) if isinstance(yi, tn.ndarray) else [on_host(one) for one in yi]
        if len(xi) != len(yi):
            raise ValueError("xi and yi need to have the same length")
        if numpy.any(xi[1:] - xi[:-1] <= 0):
            raise ValueError("x coordinates are not in increasing order")
        m = len(xi) - 1
        try:
            k = max(len(yi[i]) + len(yi[i + 1]) for i in range(m))
        except TypeError as error:
            raise ValueError("Using a 1-D array for y? Please .reshape(-1, 1).") from error
        orders, k = _orders(orders, m, k)
        made = []
        for i in range(m):
            one, two = _shares(orders[i], xi[i : i + 2], yi[i], yi[i + 1])
            c = _between(xi[i], xi[i + 1], yi[i][:one], yi[i + 1][:two])
            made.append(_raise_degree(c, max(k - len(c), 0)))
        return cls(tn.asarray(numpy.stack(made, axis=1)), as_array_of(xi), extrapolate)
