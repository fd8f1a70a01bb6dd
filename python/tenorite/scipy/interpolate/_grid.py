"""Values on a regular grid: between them by lines, the nearest one, splines or cubics."""

import math

import numpy

import tenorite as tn
from tenorite import _core
from tenorite._arguments import as_array_of, on_host
from tenorite.scipy.interpolate._cubic import PchipInterpolator, pchip_derivatives
from tenorite.scipy.interpolate._evaluate import EXTRAPOLATE, FILL, LINEAR, NEAREST, column, coordinates
from tenorite.scipy.interpolate._fitpack import RectBivariateSpline
from tenorite.scipy.interpolate._ndbspline import make_ndbspl

__all__ = ["RegularGridInterpolator", "interpn"]

_DEGREES = {
    "slinear": 1,
    "cubic": 3,
    "quintic": 5,
    "pchip": 3,
    "slinear_legacy": 1,
    "cubic_legacy": 3,
    "quintic_legacy": 5,
}
_DERIVABLE = {"slinear", "cubic", "quintic"}
_METHODS = ["linear", "nearest", *_DEGREES]


def _read_grid(points):
    """The places of each dimension, ascending, and the dimensions in which they descended."""
    grid, descending = [], []
    for d, one in enumerate(points):
        one = as_array_of(one).astype("d", copy=False)
        steps = one[1:] - one[:-1]
        if not bool((steps > 0).all()):
            if not bool((steps < 0).all()):
                raise ValueError(f"The points in dimension {d} must be strictly ascending or descending")
            descending.append(d)
            one = one[::-1]
        grid.append(tn.ascontiguousarray(one))
    return tuple(grid), tuple(descending)


def _check_sizes(grid, values):
    if len(grid) > values.ndim:
        raise ValueError(f"There are {len(grid)} point arrays, but values has {values.ndim} dimensions")
    for d, one in enumerate(grid):
        if one.ndim != 1:
            raise ValueError(f"The points in dimension {d} must be 1-dimensional")
        if values.shape[d] != one.shape[0]:
            raise ValueError(f"There are {one.shape[0]} points and {values.shape[d]} values in dimension {d}")


def _pchip_at(x, y, at):
    """Cubics along the first axis of y, evaluated each at its own place: y[:, i] at at[i]."""
    d = pchip_derivatives(x, y)
    place = tn.clip(tn.searchsorted(x, at, side="right") - 1, 0, x.shape[0] - 2)
    point = tn.arange(at.shape[0])
    h, low, high = x[place + 1] - x[place], y[place, point], y[place + 1, point]
    s, h = column((at - x[place]) / h, y.ndim - 1), column(h, y.ndim - 1)
    slope = (high - low) / h
    bend = d[place, point] + d[place + 1, point] - 2 * slope
    return low + s * h * (d[place, point] + s * (slope - d[place, point] - bend + s * bend))


class RegularGridInterpolator:
    """A function by its values on a grid, whose lines may lie unevenly.

    Parameters
    ----------
    points : tuple of (m,) array_like
        The places of each dimension, which ascend or descend.
    values : (mx, my, ...) array_like
        Values; axes after those of the grid are those of the results.
    method : str, optional
        'linear' (the default), 'nearest', 'slinear', 'cubic', 'quintic', 'pchip' and the names that
        end with '_legacy', which give the same.
    bounds_error : bool, optional
        Whether a point outside the grid is an error, for which a GPU is waited for.
    fill_value : float or None, optional
        What stands outside; None extrapolates.
    solver : callable, optional
        Finds the coefficients of splines; by default they are solved along one axis after another.
    solver_args : dict, optional
        Keywords of the solver.

    Attributes
    ----------
    grid : tuple of ndarray
    values : ndarray
    method : str
    bounds_error : bool
    fill_value : float or None

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import RegularGridInterpolator
    >>> x, y = tn.array([0.0, 1, 2]), tn.array([0.0, 1])
    >>> f = RegularGridInterpolator((x, y), x[:, None] + 10 * y)
    >>> f(tn.array([[0.5, 0.5], [1.5, 1.0]]))
    array([ 5.5, 11.5])
    """

    def __init__(
        self, points, values, method="linear", bounds_error=True, fill_value=math.nan, *, solver=None, solver_args=None
    ):
        if method not in _METHODS:
            raise ValueError(f"Method '{method}' is not defined")
        if method in _DEGREES:
            self._check_count(points, method)
        self.method, self.bounds_error = method, bounds_error
        self.grid, descending = _read_grid(points)
        values = as_array_of(values)
        values = values if values.dtype.kind in "fc" else values.astype("d")
        _check_sizes(self.grid, values)
        if fill_value is not None:
            kind = numpy.asarray(on_host(fill_value)).dtype
            if not numpy.can_cast(kind, values.dtype, casting="same_kind"):
                raise ValueError("fill_value must be either 'None' or of a type compatible with values")
        self.fill_value = fill_value
        self.values = tn.flip(values, axis=descending) if descending else values
        self._table = tn.ascontiguousarray(self.values, dtype="D" if values.dtype.kind == "c" else "d")
        self._axes, self._spline = tuple((one, 2, 0) for one in self.grid), {}
        if method in _DERIVABLE:
            self._spline_of(method, solver, solver_args)
        elif solver is not None or solver_args:
            raise ValueError(
                f"method ={method!r} does not accept the 'solver' argument. Got  solver = {solver!r} and with "
                f"arguments {solver_args}."
            )

    @staticmethod
    def _check_count(points, method):
        k = _DEGREES[method]
        for d, one in enumerate(points):
            size = numpy.shape(one)[0] if numpy.ndim(one) else 1
            if size <= k:
                raise ValueError(
                    f"There are {size} points in dimension {d}, but method {method} requires at least  {k + 1} points "
                    "per dimension."
                )

    def _spline_of(self, method, solver=None, solver_args=None):
        degree = _DEGREES[method]
        if degree not in self._spline:
            self._spline[degree] = make_ndbspl(self.grid, self._table, degree, solver, solver_args)
        return self._spline[degree]

    def __call__(self, xi, method=None, *, nu=None):
        """The values at points.

        Parameters
        ----------
        xi : (..., d) array_like or tuple of array_like
        method : str, optional
            That of the interpolator by default.
        nu : (d,) array_like of int, optional
            The order of a derivative in each dimension, of 'slinear', 'cubic' and 'quintic'.

        Returns
        -------
        ndarray
        """
        method = self.method if method is None else method
        if method not in _METHODS:
            raise ValueError(f"Method '{method}' is not defined")
        if nu is not None and method not in _DERIVABLE:
            raise ValueError(f"Can only compute derivatives for methods {_DERIVABLE}, got method ={method!r}.")
        ndim = len(self.grid)
        xi = coordinates(xi, ndim=ndim)
        if xi.shape[-1] != ndim:
            raise ValueError(
                f"The requested sample points xi have dimension {xi.shape[-1]} but this RegularGridInterpolator has "
                f"dimension {ndim}"
            )
        xi = xi if xi.dtype.char == "d" else xi.astype("d")
        if method in ("linear", "nearest"):
            return self._between(xi, LINEAR if method == "linear" else NEAREST)
        if method != self.method and method not in _DERIVABLE:
            self._check_count(self.grid, method)
        is_outside, is_nan = self._find_outside(xi)
        result = self._pchip(xi, self._table) if method == "pchip" else self._spline_of(method)(xi, nu=nu)
        return self._filled(result, is_outside, is_nan)

    def _between(self, xi, basis):
        """Of values, in one pass."""
        fill, is_filled = math.nan, not self.bounds_error and self.fill_value is not None
        if is_filled:
            fill = complex(on_host(self.fill_value))
        beyond = FILL if is_filled else EXTRAPOLATE
        at = xi[..., 0] if len(self.grid) == 1 else xi
        result, is_outside = _core._spline_evaluate(
            at, self._axes, self._table, basis, beyond, fill.real, fill.imag, bool(self.bounds_error)
        )
        if self.bounds_error:
            self._refuse(is_outside)
        return result.astype(self.values.dtype, copy=False) if basis == NEAREST else result

    @staticmethod
    def _refuse(is_outside):
        for d, flag in enumerate(is_outside.tolist()):
            if flag:
                raise ValueError(f"One of the requested xi is out of bounds in dimension {d}")

    def _find_outside(self, xi):
        """Which points lie outside, and which have a NaN."""
        first = tn.stack([one[0] for one in self.grid])
        last = tn.stack([one[-1] for one in self.grid])
        if self.bounds_error:
            self._refuse(~((xi >= first) & (xi <= last)).reshape(-1, len(self.grid)).all(axis=0))
        return ((xi < first) | (xi > last)).any(axis=-1), tn.isnan(xi).any(axis=-1)

    def _filled(self, result, is_outside, is_nan):
        shape = is_nan.shape + (1,) * (result.ndim - is_nan.ndim)
        if not self.bounds_error and self.fill_value is not None:
            result = tn.where(is_outside.reshape(shape), as_array_of(self.fill_value).astype(result.dtype), result)
        return tn.where(is_nan.reshape(shape), math.nan, result)

    def _pchip(self, xi, table):
        """Along the last dimension for all points, then along each other for each point."""
        if table.dtype.kind == "c":
            return self._pchip(xi, table.real) + 1j * self._pchip(xi, table.imag)
        ndim = len(self.grid)
        flat = xi.reshape(-1, ndim)
        values = table.transpose([*range(ndim - 1, -1, -1), *range(ndim, table.ndim)])
        folded = PchipInterpolator(self.grid[-1], values, axis=0)(flat[:, -1])
        for d in range(ndim - 2, -1, -1):
            folded = _pchip_at(self.grid[d], tn.moveaxis(folded, 1, 0), flat[:, d])
        if self.values.dtype.kind != "c":
            folded = folded.astype(self.values.dtype, copy=False)
        return folded.reshape(xi.shape[:-1] + table.shape[ndim:])


def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=math.nan):
    """The values at points of a function that is known on a grid.

    Parameters
    ----------
    points : tuple of (m,) array_like
        The places of each dimension.
    values : (mx, my, ...) array_like
    xi : (..., d) array_like or tuple of array_like
    method : str, optional
        As of RegularGridInterpolator; or 'splinef2d', a spline of two dimensions.
    bounds_error : bool, optional
        Whether a point outside the grid is an error.
    fill_value : float or None, optional
        What stands outside; None extrapolates.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import interpn
    >>> x = tn.array([0.0, 1, 2])
    >>> interpn((x, x), x[:, None] * x, tn.array([[0.5, 1.0]]))
    array([0.5])
    """
    if method not in [*_METHODS, "splinef2d"]:
        raise ValueError(
            "interpn only understands the methods 'linear', 'nearest', 'slinear', 'cubic', 'quintic', 'pchip', and "
            f"'splinef2d'. You provided {method}."
        )
    values = as_array_of(values)
    if method == "splinef2d":
        return _spline_of_two(points, values, xi, bounds_error, fill_value)
    grid = [as_array_of(one) for one in points]
    _check_sizes(grid, values)
    xi = coordinates(xi, ndim=len(grid))
    if xi.shape[-1] != len(grid):
        raise ValueError(
            f"The requested sample points xi have dimension {xi.shape[-1]}, but this RegularGridInterpolator has "
            f"dimension {len(grid)}"
        )
    return RegularGridInterpolator(grid, values, method, bounds_error, fill_value)(xi)


def _spline_of_two(points, values, xi, bounds_error, fill_value):
    if values.ndim > 2:
        raise ValueError("The method splinef2d can only be used for 2-dimensional input data")
    if not bounds_error and fill_value is None:
        raise ValueError("The method splinef2d does not support extrapolation.")
    if len(points) != values.ndim:
        raise ValueError("The method splinef2d can only be used for scalar data with one point per coordinate")
    grid, descending = _read_grid(points)
    _check_sizes(grid, values)
    xi = coordinates(xi, ndim=2).astype("d", copy=False)
    first, last = tn.stack([one[0] for one in grid]), tn.stack([one[-1] for one in grid])
    is_inside = (xi >= first) & (xi <= last)
    if bounds_error:
        RegularGridInterpolator._refuse(~is_inside.reshape(-1, 2).all(axis=0))
    spline = RectBivariateSpline(*grid, tn.flip(values, axis=descending) if descending else values)
    return tn.where(is_inside.all(axis=-1), spline.ev(xi[..., 0], xi[..., 1]), fill_value)
