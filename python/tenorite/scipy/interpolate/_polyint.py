"""One polynomial through points: in Newton's and in barycentric form."""

import math
import warnings

import numpy

import tenorite as tn
from tenorite._arguments import as_array_of, beside, on_host
from tenorite.scipy.interpolate._evaluate import back_to, normal_axis

__all__ = ["BarycentricInterpolator", "KroghInterpolator", "barycentric_interpolate", "krogh_interpolate"]


class Interpolator:
    """What interpolators of one variable share: where the interpolated axis is."""

    def _set_values(self, yi, xi=None, axis=None):
        yi = as_array_of(yi)
        axis = self._y_axis if axis is None else axis
        shape = yi.shape or (1,)
        if axis is None:
            raise ValueError("no interpolation axis specified")
        if xi is not None and shape[normal_axis(axis, len(shape))] != len(xi):
            raise ValueError("x and y arrays must be equal in length along interpolation axis.")
        self._y_axis = normal_axis(axis, len(shape))
        self._y_extra_shape = yi.shape[: self._y_axis] + yi.shape[self._y_axis + 1 :]
        self.dtype = numpy.dtype("D" if yi.dtype.kind == "c" else "d")
        return yi

    def _flat(self, yi, is_checked=False):
        """The values with the interpolated axis first and one other."""
        yi = tn.moveaxis(as_array_of(yi), self._y_axis, 0)
        if is_checked and yi.shape[1:] != self._y_extra_shape:
            raise ValueError(
                f"Data must be of shape {self._y_extra_shape[-self._y_axis :]!r} + (N,) + "
                f"{self._y_extra_shape[: -self._y_axis]!r}"
            )
        return yi.reshape(yi.shape[0], -1)

    def _give(self, y, x_shape):
        """Values of x.ravel() as those of x."""
        return back_to(y.reshape(x_shape + self._y_extra_shape), len(x_shape), self._y_axis if x_shape else 0)

    def __call__(self, x):
        """The values at x.

        Parameters
        ----------
        x : array_like

        Returns
        -------
        ndarray
            Of the shape of x in place of the interpolated axis.
        """
        x = _inexact(x)
        return self._give(self._evaluate(x.ravel()), x.shape)


class _Differentiable(Interpolator):
    """Interpolators that have derivatives."""

    def derivatives(self, x, der=None):
        """The values at x and the derivatives.

        Parameters
        ----------
        x : array_like
        der : int, optional
            How many; as many as there are points by default.

        Returns
        -------
        ndarray
            With an axis of derivatives, the values first, before those of the values.
        """
        x = _inexact(x)
        y = self._evaluate_derivatives(x.ravel(), der)
        y = y.reshape((y.shape[0], *x.shape, *self._y_extra_shape))
        if self._y_axis == 0 or not x.shape:
            return y
        nx, axis = x.ndim, self._y_axis
        order = [0, *range(nx + 1, nx + axis + 1), *range(1, nx + 1), *range(nx + 1 + axis, y.ndim)]
        return y.transpose(order)

    def derivative(self, x, der=1):
        """One derivative at x.

        Parameters
        ----------
        x : array_like
        der : int, optional
            Which one.

        Returns
        -------
        ndarray
        """
        x = _inexact(x)
        return self._give(self._evaluate_derivatives(x.ravel(), der + 1)[der], x.shape)


def _inexact(x):
    x = as_array_of(x)
    return x if x.dtype.kind in "fc" else x.astype("d")


def _divided_differences(xi, yi, dtype):
    """Newton's coefficients, on the host. Equal neighbours give derivatives."""
    n = len(xi)
    c = numpy.zeros((n + 1, yi.shape[1]), dtype=dtype)
    c[0] = yi[0]
    column = numpy.zeros((n, yi.shape[1]), dtype=dtype)
    for k in range(1, n):
        repeated = 0
        while repeated < k and xi[k - repeated - 1] == xi[k]:
            repeated += 1
        column[0] = yi[k] / math.factorial(repeated)
        for i in range(k - repeated):
            if xi[i] == xi[k]:
                raise ValueError("Elements of `xi` can't be equal.")
            kept = c[i] if repeated == 0 else column[i + 1]
            column[i + 1] = (kept - column[i]) / (xi[i] - xi[k])
        c[k] = column[k - repeated]
    return c


class KroghInterpolator(_Differentiable):
    """The polynomial through points and derivatives (F. T. Krogh, Math. Comp. 24, 1970).

    Parameters
    ----------
    xi : (n,) array_like
        Places; repeated ones are followed by derivatives in `yi`.
    yi : array_like
        Values.
    axis : int, optional
        The axis of `yi` of the points.

    Attributes
    ----------
    xi, yi, c : ndarray
    n, r : int
        The number of points, and of polynomials.
    dtype : numpy.dtype

    Notes
    -----
    The coefficients are found on the host.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import KroghInterpolator
    >>> p = KroghInterpolator(tn.array([0.0, 0, 1]), tn.array([0.0, 1, 2]))
    >>> p(0.5), p.derivative(0.0), p.derivatives(1.0)
    (array(0.75), array(1.), array([2., 3., 2.]))
    """

    def __init__(self, xi, yi, axis=0):
        yi = self._set_values(yi, xi, axis)
        self.xi, self.yi = as_array_of(xi), self._flat(yi)
        self.n, self.r = self.yi.shape
        if self.xi.size > 30:
            warnings.warn(
                f"{self.xi.size} degrees provided, degrees higher than about thirty cause problems with numerical "
                "instability with 'KroghInterpolator'",
                stacklevel=2,
            )
        self._places = on_host(self.xi)
        self.c = tn.asarray(_divided_differences(self._places, on_host(self.yi), self.dtype))

    def _evaluate(self, x):
        value = tn.broadcast_to(self.c[self.n - 1], (x.size, self.r)) + 0 * x[:, None]
        for k in range(self.n - 2, -1, -1):
            value *= (x - float(self._places[k]))[:, None]
            value += self.c[k]
        return value

    def _evaluate_derivatives(self, x, der=None):
        """Horner's scheme, of whose steps each derivative takes one more."""
        count = self.n if der is None else der
        rows = [tn.zeros((x.size, self.r), dtype=self.dtype) for _ in range(max(count, 1))]
        for k in range(self.n - 1, -1, -1):
            w = (x - float(self._places[k]))[:, None]
            for d in range(len(rows) - 1, 0, -1):
                rows[d] = rows[d] * w + rows[d - 1]
            rows[0] = rows[0] * w + self.c[k]
        return tn.stack([rows[d] * float(math.factorial(d)) for d in range(count)])


@beside
def krogh_interpolate(xi, yi, x, der=0, axis=0):
    """Values or derivatives of a KroghInterpolator.

    Parameters
    ----------
    xi, yi : array_like
        Points, as of KroghInterpolator.
    x : array_like
        Where to evaluate.
    der : int or list of int, optional
        Which derivatives.
    axis : int, optional
        The axis of `yi` of the points.

    Returns
    -------
    ndarray

    Raises
    ------
    AxisError
        For an axis that is not there.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import krogh_interpolate
    >>> krogh_interpolate(tn.arange(3.0), tn.array([0.0, 1, 4]), 1.5, axis=0)
    array(2.25)
    """
    return _values_or_derivatives(KroghInterpolator(xi, yi, axis=axis), x, der)


def _values_or_derivatives(made, x, der):
    der = on_host(der)
    if numpy.ndim(der) > 0:
        return made.derivatives(x, der=int(numpy.amax(der)) + 1)[list(map(int, der))]
    return made(x) if der == 0 else made.derivative(x, der=int(der))


class BarycentricInterpolator(_Differentiable):
    """The polynomial through points, in barycentric form (J.-P. Berrut and L. N. Trefethen, SIAM
    Review 46, 2004).

    Parameters
    ----------
    xi : (n,) array_like
        Places.
    yi : array_like, optional
        Values; they may be given later.
    axis : int, optional
        The axis of `yi` of the points.
    wi : (n,) array_like, optional
        The barycentric weights, if they are known.
    rng : int or numpy.random.Generator, optional
        The order in which distances are multiplied, so that products do not overflow.

    Attributes
    ----------
    xi, yi, wi : ndarray
    n, r : int
        The number of points, and of polynomials.
    dtype : numpy.dtype

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import BarycentricInterpolator
    >>> p = BarycentricInterpolator(tn.arange(3.0))
    >>> p.set_yi(tn.array([0.0, 1, 4]))
    >>> p(1.5), p.derivative(1.5).round(9), p.derivatives(1.5).round(9)
    (array(2.25), array(3.), array([2.25, 3.  , 2.  ]))
    >>> p.add_xi(tn.array([3.0]), tn.array([9.0]))
    >>> p.n
    4
    """

    def __init__(self, xi, yi=None, axis=0, *, wi=None, rng=None):
        self._y_axis, self._y_extra_shape, self.dtype = axis, None, None
        self.xi = as_array_of(xi).astype("d", copy=False)
        self.set_yi(yi)
        self.n = self.xi.shape[0]
        if wi is not None:
            self.wi = as_array_of(wi)
            return
        self._capacity = 4.0 / (self.xi.max() - self.xi.min())
        order = tn.asarray(numpy.random.default_rng(rng).permutation(self.n))
        factors = self._capacity * (self.xi[:, None] - self.xi[order])
        factors = tn.where(order == tn.arange(self.n)[:, None], 1.0, factors)
        products = factors.prod(axis=1)
        if bool((products == 0).any()):
            raise ValueError("Interpolation points xi must be distinct.")
        self.wi = 1.0 / products

    def set_yi(self, yi, axis=None):
        """Set the values.

        Parameters
        ----------
        yi : array_like
        axis : int, optional
            The axis of the points; that of before by default.

        Raises
        ------
        AxisError
            For an axis that is not there.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import BarycentricInterpolator
        >>> p = BarycentricInterpolator(tn.arange(3.0))
        >>> p.set_yi(tn.array([0.0, 1, 4]), axis=0)
        >>> p(1.5)
        array(2.25)
        """
        self._differentiation = self._differentiated = None
        if yi is None:
            self.yi = None
            return
        self.yi = self._flat(self._set_values(yi, self.xi, axis))
        self.n, self.r = self.yi.shape

    def add_xi(self, xi, yi=None):
        """Add points.

        Parameters
        ----------
        xi : array_like
        yi : array_like, optional
            Their values, if the others have some.
        """
        xi = as_array_of(xi).astype("d", copy=False)
        if yi is not None:
            if self.yi is None:
                raise ValueError("No previous yi value to update!")
            self.yi = tn.concatenate((self.yi, self._flat(yi, is_checked=True)))
        elif self.yi is not None:
            raise ValueError("No update to yi provided!")
        old, self.xi = self.n, tn.concatenate((self.xi, xi))
        self.n = self.xi.shape[0]
        factors = self._capacity * (self.xi[:, None] - self.xi)
        at = tn.arange(self.n)
        factors = tn.where(at == at[:, None], 1.0, factors)
        self.wi = tn.concatenate((self.wi / factors[:old, old:].prod(axis=1), 1.0 / factors[old:].prod(axis=1)))
        self._differentiation = self._differentiated = None

    def _evaluate(self, x):
        if x.size == 0:
            return tn.zeros((0, self.r), dtype=self.dtype)
        c = x[:, None] - self.xi
        is_point = c == 0
        c = self.wi / tn.where(is_point, 1.0, c)
        value = (c @ self.yi) / c.sum(axis=-1)[:, None]
        return tn.where(is_point.any(axis=1)[:, None], self.yi[is_point.argmax(axis=1)], value)

    def derivative(self, x, der=1):
        """One derivative at x.

        Parameters
        ----------
        x : array_like
        der : int, optional
            Which one.

        Returns
        -------
        ndarray
        """
        x = _inexact(x)
        return self._give(self._derivative(x.ravel(), der), x.shape)

    def _derivative(self, x, der):
        if x.size == 0 or self.r == 0 or der >= self.n > 0 and der > 0:
            return tn.zeros((x.size, self.r), dtype=self.dtype)
        if der == 0:
            return self._evaluate(x)
        if self._differentiated is None:
            self._differentiated = self._differentiate()
        return self._differentiated._derivative(x, der - 1)

    def _differentiate(self):
        """The polynomial of the derivatives at the points, by the differentiation matrix."""
        matrix = self._differentiation
        if matrix is None:
            at = tn.arange(self.n)
            is_diagonal = at == at[:, None]
            steps = tn.where(is_diagonal, 1.0, self.xi[:, None] - self.xi)
            matrix = tn.where(is_diagonal, 0.0, self.wi / (steps * self.wi[:, None]))
            matrix = tn.where(is_diagonal, -matrix.sum(axis=1)[:, None], matrix)
            self._differentiation = matrix
        made = BarycentricInterpolator(self.xi, matrix @ self.yi, wi=self.wi)
        made._differentiation = matrix
        return made

    def _evaluate_derivatives(self, x, der=None):
        return tn.stack([self._derivative(x, d) for d in range(self.n if der is None else der)])


@beside
def barycentric_interpolate(xi, yi, x, axis=0, *, der=0, rng=None):
    """Values or derivatives of a BarycentricInterpolator.

    Parameters
    ----------
    xi, yi : array_like
        Points, as of BarycentricInterpolator.
    x : array_like
        Where to evaluate.
    axis : int, optional
        The axis of `yi` of the points.
    der : int or list of int, optional
        Which derivatives.
    rng : int or numpy.random.Generator, optional

    Returns
    -------
    ndarray

    Raises
    ------
    AxisError
        For an axis that is not there.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import barycentric_interpolate
    >>> barycentric_interpolate(tn.arange(3.0), tn.array([0.0, 1, 4]), 1.5, axis=0)
    array(2.25)
    """
    return _values_or_derivatives(BarycentricInterpolator(xi, yi, axis=axis, rng=rng), x, der)
