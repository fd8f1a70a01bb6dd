"""Interpolation between scattered points: the nearest ones, triangles, cubics on triangles."""

import math

import tenorite as tn
from tenorite import _core
from tenorite._arguments import as_array_of
from tenorite.scipy.interpolate._evaluate import as_double, coordinates
from tenorite.scipy.interpolate._interp1d import interp1d
from tenorite.scipy.interpolate._interpnd import as_gradients, slopes_of

__all__ = ["CloughTocher2DInterpolator", "LinearNDInterpolator", "NearestNDInterpolator", "griddata"]


class _Scattered:
    """Points, which may be scaled to a unit cube, and where to evaluate."""

    def _set_points(self, points, rescale):
        self.points = coordinates(points).astype("d", copy=False)
        if self.points.ndim != 2:
            raise ValueError("invalid shape for input data points")
        if self.points.shape[1] < 2:
            raise ValueError("input data must be at least 2-D")
        self.scale = self.offset = None
        if rescale:
            self.offset = self.points.mean(axis=0)
            self.points = self.points - self.offset
            span = self.points.max(axis=0) - self.points.min(axis=0)
            self.scale = tn.where(span > 0, span, 1.0)
            self.points = self.points / self.scale

    def _read_values(self, values):
        """The values of points as rows of doubles."""
        values = as_array_of(values)
        if values.shape[:1] != self.points.shape[:1]:
            raise ValueError("different number of values and points")
        self.values_shape = values.shape[1:]
        return as_double(values).reshape(values.shape[0], -1)

    def _places(self, given):
        xi = coordinates(given, ndim=self.points.shape[1]).astype("d", copy=False)
        if xi.shape[-1] != self.points.shape[1]:
            raise ValueError("number of dimensions in xi does not match x")
        return xi if self.scale is None else (xi - self.offset) / self.scale


class NearestNDInterpolator(_Scattered):
    """The value of the nearest point.

    Parameters
    ----------
    x : (n, d) array_like or tuple of array_like
        Points.
    y : (n, ...) array_like
        Their values.
    rescale : bool, optional
        Whether the points are scaled to a unit cube first.
    tree_options : dict, optional
        Keywords of tenorite.scipy.spatial.KDTree.

    Attributes
    ----------
    points, values : ndarray
    tree : tenorite.scipy.spatial.KDTree

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import NearestNDInterpolator
    >>> points = tn.array([[0.0, 0], [1, 0], [0, 1]])
    >>> NearestNDInterpolator(points, tn.array([1.0, 2, 3]))(0.1, 0.8)
    array(3.)
    """

    def __init__(self, x, y, rescale=False, tree_options=None):
        self._set_points(x, rescale)
        self.values = as_array_of(y)
        if self.values.shape[:1] != self.points.shape[:1]:
            raise ValueError("different number of values and points")
        self.tree = tn.scipy.spatial.KDTree(self.points, **(tree_options or {}))

    def __call__(self, *args, **query_options):
        """The values at places.

        Parameters
        ----------
        *args : array_like
            The variables, or one (..., d) array.
        **query_options
            Keywords of the tree's query; without a neighbour the value is NaN.

        Returns
        -------
        ndarray
        """
        xi = self._places(args)
        distance, near = self.tree.query(xi.reshape(-1, xi.shape[-1]), **query_options)
        is_near = tn.isfinite(distance)
        values = self.values[tn.where(is_near, near, 0)]
        if self.values.dtype.kind != "c":
            values = values.astype("d", copy=False)
        values = tn.where(is_near.reshape((-1,) + (1,) * (values.ndim - 1)), values, math.nan)
        return values.reshape(xi.shape[:-1] + self.values.shape[1:])


class _Triangulated(_Scattered):
    """What interpolators on simplices share."""

    def _set(self, points, values, fill_value, rescale):
        if isinstance(points, tn.scipy.spatial.Delaunay):
            if rescale:
                raise ValueError("Rescaling is not supported when passing a Delaunay triangulation as ``points``.")
            self.tri, points = points, points.points
            self._set_points(points, False)
        else:
            self._set_points(points, rescale)
            self.tri = tn.scipy.spatial.Delaunay(self.points)
        self.values = self._read_values(values)
        self._is_complex = self.values.dtype.kind == "c"
        self.fill_value = complex(fill_value) if self._is_complex else float(fill_value)

    def __call__(self, *args):
        """The values at places.

        Parameters
        ----------
        *args : array_like
            The variables, or one (..., d) array.

        Returns
        -------
        ndarray
        """
        xi = self._places(args)
        flat = xi.reshape(-1, xi.shape[-1])
        values = self._evaluate(flat, self.tri.find_simplex(flat))
        return values.reshape(xi.shape[:-1] + self.values_shape)

    def _on_triangles(self, flat, simplex, slopes=None):
        """Linear or, with slopes, cubic surfaces over triangles."""
        tri, fill = self.tri, self.fill_value
        given = flat, simplex, tri.points, tri.simplices, tri.neighbors, self.values.view("d"), slopes
        return _core._triangle_values(*given, fill.real, fill.imag if self._is_complex else fill).view(
            self.values.dtype
        )


class LinearNDInterpolator(_Triangulated):
    """Linear functions on the simplices of a Delaunay triangulation.

    Parameters
    ----------
    points : (n, d) array_like, tuple of array_like or tenorite.scipy.spatial.Delaunay
    values : (n, ...) array_like
    fill_value : float, optional
        What stands outside the convex hull.
    rescale : bool, optional
        Whether the points are scaled to a unit cube first.

    Attributes
    ----------
    points, values : ndarray
    tri : tenorite.scipy.spatial.Delaunay
    fill_value : float or complex

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import LinearNDInterpolator
    >>> points = tn.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    >>> LinearNDInterpolator(points, tn.array([0.0, 1, 2, 3]))(0.25, 0.5)
    array(1.25)
    """

    def __init__(self, points, values, fill_value=math.nan, rescale=False):
        self._set(points, values, fill_value, rescale)

    def _evaluate(self, flat, simplex):
        if self.points.shape[1] == 2:
            return self._on_triangles(flat, simplex)
        inside = tn.maximum(simplex, 0)
        transform = as_array_of(self.tri.transform)[inside]
        part = (transform[:, :-1] @ (flat - transform[:, -1])[:, :, None])[:, :, 0]
        b = tn.concatenate((part, 1 - part.sum(axis=1, keepdims=True)), axis=1)
        corners = self.values[as_array_of(self.tri.simplices)[inside]]
        values = (corners * b[:, :, None]).sum(axis=1)
        values[simplex < 0] = self.fill_value
        return values


class CloughTocher2DInterpolator(_Triangulated):
    """Piecewise cubic functions on triangles, once continuously differentiable, of small
    curvature.

    The gradients at the points are found on the host, one after the other.

    Parameters
    ----------
    points : (n, 2) array_like, tuple of array_like or tenorite.scipy.spatial.Delaunay
    values : (n, ...) array_like
    fill_value : float, optional
        What stands outside the convex hull.
    tol : float, optional
        The tolerance of the gradients.
    maxiter : int, optional
        The most iterations for them.
    rescale : bool, optional
        Whether the points are scaled to a unit square first.

    Attributes
    ----------
    points, values, grad : ndarray
    tri : tenorite.scipy.spatial.Delaunay
    fill_value : float or complex

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import CloughTocher2DInterpolator
    >>> points = tn.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    >>> CloughTocher2DInterpolator(points, tn.array([0.0, 1, 2, 3]))(0.25, 0.5).round(6)
    array(1.25)
    """

    def __init__(self, points, values, fill_value=math.nan, tol=1e-6, maxiter=400, rescale=False):
        self._set(points, values, fill_value, rescale)
        if self.points.shape[1] != 2:
            raise ValueError("this mode of interpolation available only for 2-D")
        self._slopes = slopes_of(self.tri, self.values, maxiter, tol)
        self.grad = as_gradients(self._slopes, self.values.dtype)

    def _evaluate(self, flat, simplex):
        return self._on_triangles(flat, simplex, self._slopes)


def griddata(points, values, xi, method="linear", fill_value=math.nan, rescale=False):
    """The values at places of a function that is known at scattered points.

    Parameters
    ----------
    points : (n, d) array_like or tuple of array_like
    values : (n, ...) array_like
    xi : (..., d) array_like or tuple of array_like
    method : {'linear', 'nearest', 'cubic'}, optional
    fill_value : float, optional
        What stands outside the convex hull; 'nearest' has none.
    rescale : bool, optional
        Whether the points are scaled to a unit cube first.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import griddata
    >>> points = tn.array([[0.0, 0], [1, 0], [0, 1], [1, 1]])
    >>> griddata(points, tn.array([0.0, 1, 2, 3]), (0.25, 0.5), method="linear")
    array(1.25)
    """
    points = coordinates(points)
    ndim = points.ndim if points.ndim < 2 else points.shape[-1]
    if ndim == 1 and method in ("nearest", "linear", "cubic"):
        points, values = points.ravel(), as_array_of(values)
        if isinstance(xi, tuple):
            if len(xi) != 1:
                raise ValueError("invalid number of dimensions in xi")
            (xi,) = xi
        order = tn.argsort(points)
        fill_value = "extrapolate" if method == "nearest" else fill_value
        made = interp1d(points[order], values[order], method, 0, bounds_error=False, fill_value=fill_value)
        return made(xi)
    if method == "nearest":
        return NearestNDInterpolator(points, values, rescale=rescale)(xi)
    if method == "linear":
        return LinearNDInterpolator(points, values, fill_value=fill_value, rescale=rescale)(xi)
    if method == "cubic" and ndim == 2:
        return CloughTocher2DInterpolator(points, values, fill_value=fill_value, rescale=rescale)(xi)
    raise ValueError(f"Unknown interpolation method {method!r} for {ndim} dimensional data")
