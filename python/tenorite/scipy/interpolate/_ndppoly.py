"""Piecewise polynomials of several variables."""

import numpy

import tenorite as tn
from tenorite._arguments import on_host
from tenorite.scipy.interpolate._evaluate import (
    POWERS,
    as_double,
    as_knots,
    as_x,
    coordinates,
    evaluate,
    normal_axis,
    outside,
)
from tenorite.scipy.interpolate._ppoly import PPoly, derived, integrated

__all__ = ["NdPPoly"]


def orders_of(nu, ndim):
    """A derivative's order in each variable."""
    if nu is None:
        return (0,) * ndim
    nu = numpy.asarray(on_host(nu))
    if nu.ndim != 1 or nu.shape[0] != ndim:
        raise ValueError("invalid number of derivative orders nu")
    return tuple(map(int, nu))


class NdPPoly:
    """A piecewise polynomial of several variables: a product of powers in each cell of a grid.

    Parameters
    ----------
    c : (kx, ky, ..., mx, my, ...) array_like
        Coefficients: terms of each variable, the highest powers first, then intervals of each.
    x : tuple of (mx + 1,) array_like
        The breakpoints of each variable, which ascend.
    extrapolate : bool, optional
        What stands beyond the breakpoints: the polynomial beside them (by default) or NaN.

    Attributes
    ----------
    c : ndarray
    x : tuple of ndarray
    extrapolate : bool

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import NdPPoly
    >>> x = tn.array([0.0, 1, 2])
    >>> p = NdPPoly(tn.ones((2, 2, 2, 2)), (x, x))
    >>> p(tn.array([[0.5, 1.5]]))
    array([2.25])
    >>> p.derivative((1, 0))((0.5, 1.5)), p.antiderivative((1, 1))((1.0, 1.0))
    (array(1.5), array(2.25))
    >>> p.integrate([(0, 2), (0, 2)]), p.integrate_1d(0, 2, axis=0)(tn.array([0.5]))
    (array(9.), array([4.5]))
    >>> NdPPoly.construct_fast(p.c, p.x)((0.5, 1.5))
    array(2.25)
    """

    def __init__(self, c, x, extrapolate=None):
        self.x = tuple(as_knots(one) for one in x)
        self.c = as_double(c)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        if any(one.ndim != 1 for one in self.x):
            raise ValueError("x arrays must all be 1-dimensional")
        if any(one.size < 2 for one in self.x):
            raise ValueError("x arrays must all contain at least 2 points")
        if self.c.ndim < 2 * ndim:
            raise ValueError("c must have at least 2*len(x) dimensions")
        if any(bool((one[1:] < one[:-1]).any()) for one in self.x):
            raise ValueError("x-coordinates are not in increasing order")
        if any(size != one.size - 1 for size, one in zip(self.c.shape[ndim : 2 * ndim], self.x)):
            raise ValueError("x and c do not agree on the number of intervals")

    @classmethod
    def construct_fast(cls, c, x, extrapolate=None):
        """A piecewise polynomial of arrays that are not looked at.

        Parameters
        ----------
        c : ndarray
        x : tuple of ndarray
        extrapolate : bool, optional

        Returns
        -------
        NdPPoly
        """
        self = object.__new__(cls)
        self.c, self.x = c, tuple(x)
        self.extrapolate = True if extrapolate is None else extrapolate
        return self

    def __call__(self, x, nu=None, extrapolate=None):
        """The values of a derivative.

        Parameters
        ----------
        x : (..., d) array_like or tuple of array_like
        nu : (d,) array_like of int, optional
            The order of the derivative in each variable.
        extrapolate : bool, optional
            As of the polynomial by default.

        Returns
        -------
        ndarray
        """
        ndim = len(self.x)
        x, nu = as_x(coordinates(x)), orders_of(nu, ndim)
        beyond = outside(self.extrapolate if extrapolate is None else bool(extrapolate))
        axes = tuple(zip(self.x, self.c.shape[:ndim], nu))
        return evaluate(x[..., 0] if ndim == 1 else x, axes, self.c, POWERS, beyond)

    def _along(self, axis, function):
        """The polynomial whose terms and intervals along an axis are what the function makes of
        them, which come first."""
        ndim = len(self.x)
        places = axis, ndim + axis
        self.c = tn.moveaxis(function(tn.moveaxis(self.c, places, (0, 1))), (0, 1), places)

    def _changed(self, nu, sign):
        made = self.construct_fast(self.c, self.x, self.extrapolate)
        for axis, count in enumerate(map(int, on_host(nu))):
            x = self.x[axis]
            if sign * count > 0:
                made._along(axis, lambda c, count=count: derived(c, abs(count)))
            for _ in range(max(-sign * count, 0)):
                made._along(axis, lambda c, x=x: integrated(c, x))
        made.c = tn.ascontiguousarray(made.c)
        return made

    def derivative(self, nu):
        """A derivative as a piecewise polynomial.

        Parameters
        ----------
        nu : (d,) array_like of int
            Its order in each variable; below 0 an integral.

        Returns
        -------
        NdPPoly
        """
        return self._changed(nu, 1)

    def antiderivative(self, nu):
        """An integral as a piecewise polynomial.

        Parameters
        ----------
        nu : (d,) array_like of int
            How often in each variable; below 0 a derivative.

        Returns
        -------
        NdPPoly
        """
        return self._changed(nu, -1)

    def integrate_1d(self, a, b, axis, extrapolate=None):
        """The integral over one variable.

        Parameters
        ----------
        a, b : float
        axis : int
            The variable.
        extrapolate : bool, optional

        Returns
        -------
        NdPPoly or ndarray
            Of the other variables, or the values if there are none.

        Raises
        ------
        AxisError
            For an axis that is not there.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import NdPPoly
        >>> x = tn.array([0.0, 1, 2])
        >>> NdPPoly(tn.ones((2, 2, 2, 2)), (x, x)).integrate_1d(0, 2, axis=0)(tn.array([0.5]))
        array([4.5])
        """
        extrapolate = self.extrapolate if extrapolate is None else bool(extrapolate)
        ndim = len(self.x)
        axis = normal_axis(int(axis), ndim)
        c = tn.moveaxis(self.c, (axis, ndim + axis), (0, 1))
        left = PPoly.construct_fast(c, self.x[axis], extrapolate).integrate(a, b)
        if ndim == 1:
            return left
        return self.construct_fast(left, self.x[:axis] + self.x[axis + 1 :], extrapolate)

    def integrate(self, ranges, extrapolate=None):
        """The integral over all variables.

        Parameters
        ----------
        ranges : sequence of (float, float)
            The ends of each variable.
        extrapolate : bool, optional

        Returns
        -------
        ndarray
        """
        if not hasattr(ranges, "__len__") or len(ranges) != len(self.x):
            raise ValueError("Range not a sequence of correct length")
        left = self
        for a, b in ranges:
            left = left.integrate_1d(a, b, 0, extrapolate)
        return left
