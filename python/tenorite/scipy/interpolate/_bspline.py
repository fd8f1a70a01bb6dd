"""B-splines of one variable."""

import math
import operator

import tenorite as tn
from tenorite._arguments import beside
from tenorite.scipy.interpolate._cubic import CubicSpline
from tenorite.scipy.interpolate._evaluate import (
    EXTRAPOLATE,
    KNOTS,
    as_double,
    as_knots,
    as_x,
    back_to,
    column,
    evaluate,
    extrapolation,
    normal_axis,
    of_scipy,
    outside,
    to_front,
    weights,
)
from tenorite.scipy.interpolate._knots import augmented, not_a_knot, periodic_knots
from tenorite.scipy.interpolate._ppoly import integral_of_periods

__all__ = ["BSpline", "splantider", "splder"]


def check_knots(t, k, name=""):
    """ValueError, as SciPy's, for knots that are none; `name` says of which dimension."""
    if t.ndim != 1:
        raise ValueError(f"Knot vector{name} must be one-dimensional.")
    n = t.shape[0] - k - 1
    if n < k + 1:
        raise ValueError(f"Need at least {2 * k + 2} knots for degree {k}{name}")
    steps = tn.diff(t)
    if bool((steps < 0).any()):
        raise ValueError(f"Knots{name} must be in a non-decreasing order.")
    if not bool((steps[k:n] > 0).any()):
        raise ValueError(f"Need at least two internal knots{name}.")
    if not bool(tn.isfinite(t).all()):
        raise ValueError(f"Knots{name} should not have nans or infs.")


def completed(t, c):
    """Coefficients with zeros after them, as many as knots."""
    missing = t.shape[0] - c.shape[0]
    return tn.concatenate((c, tn.zeros((missing, *c.shape[1:]), dtype=c.dtype))) if missing > 0 else c


def derive(t, c, k, n):
    """Knots, coefficients (as many as knots) and degree of a derivative: differences of
    coefficients (de Boor, A Practical Guide to Splines, X.15)."""
    if n < 0:
        return integrate(t, c, k, -n)
    if n > k:
        raise ValueError(f"Order of derivative (n = {n!r}) must be <= order of spline (k = {k!r})")
    if n and bool((t[k + 1 : -n] == t[n : -k - 1]).any()):  # spans of the last step
        raise ValueError(f"The spline has internal repeated knots and is not differentiable {n} times")
    for _ in range(n):
        span = column(t[k + 1 : -1] - t[1 : -k - 1], c.ndim)
        steps = (c[1 : -1 - k] - c[: -2 - k]) * k / span
        c = tn.concatenate((steps, tn.zeros((k, *c.shape[1:]), dtype=c.dtype)))
        t, k = t[1:-1], k - 1
    return t, c, k


def integrate(t, c, k, n):
    """Knots, coefficients (as many as knots) and degree of an integral: sums of coefficients."""
    if n < 0:
        return derive(t, c, k, -n)
    for _ in range(n):
        span = column(t[k + 1 :] - t[: -k - 1], c.ndim)
        sums = tn.cumsum(c[: -k - 1] * span, axis=0) / (k + 1)
        zero = tn.zeros((1, *c.shape[1:]), dtype=c.dtype)
        c = tn.concatenate((zero, sums, *[sums[-1:]] * (k + 2)))
        t, k = tn.concatenate((t[:1], t, t[-1:])), k + 1
    return t, c, k


class BSpline:
    """A sum of B-splines.

    Parameters
    ----------
    t : (n + k + 1,) array_like
        Knots, which do not descend.
    c : (>= n, ...) array_like
        Coefficients.
    k : int
        The degree.
    extrapolate : bool or 'periodic', optional
        What stands beyond ``t[k]`` and ``t[n]``: the polynomials beside them (by default), NaN, or
        the spline again.
    axis : int, optional
        The axis of `c` along which the coefficients lie.

    Attributes
    ----------
    t, c : ndarray
        The axis of the coefficients is the first one.
    k, axis : int
    extrapolate : bool or 'periodic'
    tck : tuple

    Raises
    ------
    ValueError
        For knots that descend, are not finite or are too few. The elements are looked at, for which
        a GPU is waited for.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import BSpline
    >>> spline = BSpline(tn.arange(7.0), tn.array([-1.0, 2, 0, -1]), 2)
    >>> spline(2.5)
    array(1.375)
    >>> spline.derivative()(3.0), spline.antiderivative()(2.0), spline.integrate(2, 4)
    (array(-2.), array(-0.5), array(1.33333333))
    >>> BSpline.construct_fast(*spline.tck)(2.5)
    array(1.375)
    >>> spline.insert_knot(2.5).t.size
    8
    """

    def __init__(self, t, c, k, extrapolate=True, axis=0):
        self.k = operator.index(k)
        self.t, c = as_knots(t), as_double(c)
        self.extrapolate = extrapolation(extrapolate)
        self.axis = normal_axis(axis, c.ndim)
        if self.k < 0:
            raise ValueError("Spline order cannot be negative.")
        check_knots(self.t, self.k)
        self.c = tn.ascontiguousarray(to_front(c, self.axis))
        if self.c.shape[0] < self.t.shape[0] - self.k - 1:
            raise ValueError("Knots, coefficients and degree are inconsistent.")

    @classmethod
    def construct_fast(cls, t, c, k, extrapolate=True, axis=0):
        """A spline of parts that are not looked at.

        Parameters
        ----------
        t, c : ndarray
        k : int
        extrapolate : bool or 'periodic', optional
        axis : int, optional

        Returns
        -------
        BSpline

        Raises
        ------
        AttributeError
            Later, for what is no array.
        """
        self = object.__new__(cls)
        self.t, self.c, self.k, self.extrapolate, self.axis = t, c, k, extrapolate, axis
        return self

    @property
    def tck(self):
        """Knots, coefficients and degree."""
        return self.t, self.c, self.k

    @classmethod
    @beside
    def basis_element(cls, t, extrapolate=True):
        """One B-spline.

        Parameters
        ----------
        t : (k + 2,) array_like
            Its knots.
        extrapolate : bool or 'periodic', optional

        Returns
        -------
        BSpline

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import BSpline
        >>> BSpline.basis_element(tn.array([0.0, 1, 2, 3]))(1.5)
        array(0.75)
        """
        t = as_knots(t)
        k = t.shape[0] - 2
        t = tn.concatenate((*[t[:1] - 1] * k, t, *[t[-1:] + 1] * k))
        c = tn.zeros(t.shape)
        c[k] = 1.0
        return cls.construct_fast(t, c, k, extrapolate)

    @classmethod
    def from_power_basis(cls, pp, bc_type="not-a-knot"):
        """A cubic spline of polynomials as one of B-splines.

        Parameters
        ----------
        pp : CubicSpline
        bc_type : {'not-a-knot', 'natural', 'clamped', 'periodic'}, optional
            The boundary condition that the spline was made with.

        Returns
        -------
        BSpline

        Raises
        ------
        NotImplementedError
            If `pp` is no CubicSpline.
        TypeError
            For another boundary condition.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import BSpline, CubicSpline
        >>> spline = CubicSpline(tn.arange(5.0), tn.arange(5.0) ** 2)
        >>> BSpline.from_power_basis(spline)(tn.array([1.5]))
        array([2.25])
        """
        if not isinstance(pp, CubicSpline):
            raise NotImplementedError(f"Only CubicSpline objects are accepted for now. Got {type(pp)} instead.")
        makers = {"natural": augmented, "clamped": augmented, "not-a-knot": not_a_knot, "periodic": periodic_knots}
        if bc_type not in makers:
            raise TypeError(f"Unknown boundary condition: {bc_type}")
        k = pp.c.shape[0] - 1
        t = makers[bc_type](pp.x, k)
        return cls.construct_fast(t, _blossoms(pp, t, k), k, pp.extrapolate, pp.axis)

    @classmethod
    @beside
    def design_matrix(cls, x, t, k, extrapolate=False):
        """The values of all B-splines at x.

        Parameters
        ----------
        x : (n,) array_like
        t : (m,) array_like
            Knots.
        k : int
            The degree.
        extrapolate : bool or 'periodic', optional
            Whether x may lie beyond the knots.

        Returns
        -------
        (n, m - k - 1) csr_array

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import BSpline
        >>> BSpline.design_matrix(tn.array([0.5]), tn.array([0.0, 0, 1, 2, 2]), 1).toarray()
        array([[0.5, 0.5, 0. ]])
        """
        x, t = check_finite(as_x(x)), check_finite(as_x(t))
        if k < 0:
            raise ValueError("Spline order cannot be negative.")
        if t.ndim != 1 or bool((t[1:] < t[:-1]).any()):
            raise ValueError(f"Expect t to be a 1-D sorted array_like, but got t={t}.")
        if t.shape[0] < 2 * k + 2:
            raise ValueError(f"Length t is not enough for k={k}.")
        beyond = outside(extrapolate)
        if beyond == outside(False) and bool(((x < t[k]) | (x > t[-k - 1])).any()):
            raise ValueError(f"Out of bounds w/ x = {x}.")
        values, first = weights(x, ((t, k + 1, 0),), KNOTS, beyond)
        index = "i" if values.size < 2**31 - 1 else "q"
        indices = first[:, None].astype(index) + tn.arange(k + 1, dtype=index)
        indptr = tn.arange(0, values.size + 1, k + 1, dtype=index)
        return tn.scipy.sparse.csr_array(
            (values.ravel(), indices.ravel(), indptr), shape=(x.shape[0], t.shape[0] - k - 1)
        )

    def __call__(self, x, nu=0, extrapolate=None):
        """The values of a derivative.

        Parameters
        ----------
        x : array_like
        nu : int, optional
            Which derivative.
        extrapolate : bool or 'periodic', optional
            As of the spline by default.

        Returns
        -------
        ndarray
            Of the shape of x in place of the axis of the coefficients.
        """
        x = as_x(x)
        beyond = outside(self.extrapolate if extrapolate is None else extrapolate)
        values = evaluate(x, ((self.t, self.k + 1, nu),), self.c, KNOTS, beyond)
        return back_to(values, x.ndim, self.axis)

    def derivative(self, nu=1):
        """A derivative as a spline.

        Parameters
        ----------
        nu : int, optional
            Which one.

        Returns
        -------
        BSpline
        """
        tck = derive(self.t, completed(self.t, self.c), self.k, nu)
        return self.construct_fast(*tck, extrapolate=self.extrapolate, axis=self.axis)

    def antiderivative(self, nu=1):
        """An integral as a spline.

        Parameters
        ----------
        nu : int, optional
            How often.

        Returns
        -------
        BSpline
        """
        tck = integrate(self.t, completed(self.t, self.c), self.k, nu)
        extrapolate = False if outside(self.extrapolate) == outside("periodic") else self.extrapolate
        return self.construct_fast(*tck, extrapolate=extrapolate, axis=self.axis)

    def integrate(self, a, b, extrapolate=None):
        """The integral from a to b.

        Parameters
        ----------
        a, b : float
        extrapolate : bool or 'periodic', optional
            As of the spline by default; if False the spline is 0 beyond its knots.

        Returns
        -------
        ndarray
        """
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        a, b = float(a), float(b)
        integral = self.construct_fast(*integrate(self.t, completed(self.t, self.c), self.k, 1))
        ends = self.t[self.k : self.t.shape[0] - self.k]
        beyond = outside(extrapolate)
        if beyond == outside("periodic"):
            return integral_of_periods(integral, ends, a, b)
        if beyond != EXTRAPOLATE:
            first, last = ends[[0, -1]].tolist()
            a, b = min(max(a, first), last), min(max(b, first), last)
        values = integral(tn.asarray([a, b]))
        return values[1] - values[0]

    def insert_knot(self, x, m=1):
        """The same spline with a knot more, found on the host by SciPy.

        Parameters
        ----------
        x : float
        m : int, optional
            How often the knot is inserted.

        Returns
        -------
        BSpline
        """
        host = of_scipy("BSpline").construct_fast(self.t.get(), self.c.get(), self.k, self.extrapolate)
        made = host.insert_knot(x, m)
        return self.construct_fast(tn.asarray(made.t), tn.asarray(made.c), self.k, self.extrapolate, self.axis)


def _blossoms(pp, t, k):
    """Coefficients of B-splines: the polar form of a piece in the middle of each, at its inner
    knots (Ramshaw 1989). That of a power is a mean of products, a symmetric polynomial."""
    first = tn.arange(t.shape[0] - k - 1)
    piece = (tn.searchsorted(pp.x, t[first + (k + 1) // 2], side="right") - 1).clip(0, pp.x.shape[0] - 2)
    symmetric = [tn.ones(first.shape)]
    for inner in range(1, k + 1):
        place = t[first + inner] - pp.x[piece]
        shifted = [place * one for one in symmetric]
        symmetric = [a + b for a, b in zip([*symmetric, 0], [0, *shifted])]
    terms = [
        column(one / math.comb(k, power), pp.c.ndim - 1) * pp.c[k - power, piece] for power, one in enumerate(symmetric)
    ]
    return sum(terms[1:], terms[0])


def check_finite(values):
    """The array; ValueError, as SciPy's, for elements that are not finite."""
    if not bool(tn.isfinite(values).all()):
        raise ValueError("Array must not contain infs or nans.")
    return values


def _of_tck(tck, function, n):
    t, c, k = tck
    t, c = as_knots(t), as_double(c)
    return function(t, completed(t, c), operator.index(k), n)


def splder(tck, n=1):
    """A derivative of a spline.

    Parameters
    ----------
    tck : BSpline or tuple
        The spline, or its knots, coefficients and degree.
    n : int, optional
        Which derivative.

    Returns
    -------
    BSpline or tuple
        As `tck`.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import interpolate
    >>> t, c, k = interpolate.splder((tn.array([0.0, 0, 1, 1]), tn.array([1.0, 3]), 1))
    >>> c, k
    (array([2., 0.]), 0)
    """
    return tck.derivative(n) if isinstance(tck, BSpline) else _of_tck(tck, derive, n)


def splantider(tck, n=1):
    """An integral of a spline.

    Parameters
    ----------
    tck : BSpline or tuple
        The spline, or its knots, coefficients and degree.
    n : int, optional
        How often.

    Returns
    -------
    BSpline or tuple
        As `tck`.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import interpolate
    >>> t, c, k = interpolate.splantider((tn.array([0.0, 1]), tn.array([2.0]), 0))
    >>> c, k
    (array([0., 2., 2., 2.]), 1)
    """
    return tck.antiderivative(n) if isinstance(tck, BSpline) else _of_tck(tck, integrate, n)
