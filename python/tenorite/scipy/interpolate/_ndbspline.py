"""Tensor products of B-splines."""

import operator

import numpy

import tenorite as tn
from tenorite._arguments import as_array_of, beside, on_host
from tenorite.scipy.interpolate._bspline import check_knots, completed, derive
from tenorite.scipy.interpolate._evaluate import KNOTS, as_double, as_knots, as_x, evaluate, outside, weights
from tenorite.scipy.interpolate._make_spline import make_interp_spline

__all__ = ["NdBSpline"]


def _read_knots(k, t):
    """Degrees and knots, checked."""
    if not isinstance(t, tuple):
        raise ValueError(f"Expect `t` to be a tuple of array-likes. Got {t} instead.")
    degrees = tuple(map(operator.index, k)) if hasattr(k, "__len__") else (operator.index(k),) * len(t)
    if len(degrees) != len(t):
        raise ValueError(f"len(t) = {len(t)} != len(k) = {len(degrees)!r}.")
    knots = tuple(map(as_knots, t))
    for d, (one, degree) in enumerate(zip(knots, degrees)):
        if degree < 0:
            raise ValueError(f"Spline degree in dimension {d} cannot be negative.")
        check_knots(one, degree, f" in dimension {d}")
    return degrees, knots


class NdBSpline:
    """A sum of products of B-splines of several variables.

    Parameters
    ----------
    t : tuple of (n + k + 1,) array_like
        The knots of each variable.
    c : (nx, ny, ...) array_like
        Coefficients.
    k : int or tuple of int
        The degrees.
    extrapolate : bool, optional
        What stands beyond the knots: the polynomial beside them (by default) or NaN.

    Attributes
    ----------
    t : tuple of ndarray
    c : ndarray
    k : tuple of int
    extrapolate : bool

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import NdBSpline
    >>> t = tn.array([0.0, 0, 1, 2, 2])
    >>> spline = NdBSpline((t, t), tn.arange(9.0).reshape(3, 3), 1)
    >>> spline(tn.array([[0.5, 1.5]]))
    array([3.])
    >>> spline.derivative((1, 0))((0.5, 1.5))
    array(3.)
    """

    def __init__(self, t, c, k, *, extrapolate=None):
        self.k, self.t = _read_knots(k, t)
        self.extrapolate = True if extrapolate is None else bool(extrapolate)
        self.c = as_double(c)
        ndim = len(self.t)
        if self.c.ndim < ndim:
            raise ValueError(f"Coefficients must be at least {ndim}-dimensional.")
        for d, (knots, degree) in enumerate(zip(self.t, self.k)):
            n = knots.shape[0] - degree - 1
            if self.c.shape[d] != n:
                raise ValueError(
                    f"Knots, coefficients and degree in dimension {d} are inconsistent: got {self.c.shape[d]} "
                    f"coefficients for {knots.shape[0]} knots, need at least {n} for k={k}."
                )

    def __call__(self, xi, *, nu=None, extrapolate=None):
        """The values of a derivative.

        Parameters
        ----------
        xi : (..., d) array_like
        nu : (d,) array_like of int, optional
            The order of the derivative in each variable.
        extrapolate : bool, optional
            As of the spline by default.

        Returns
        -------
        ndarray
        """
        ndim = len(self.t)
        if nu is None:
            nu = (0,) * ndim
        else:
            nu = numpy.asarray(on_host(nu))
            if nu.ndim != 1 or nu.shape[0] != ndim:
                raise ValueError(f"invalid number of derivative orders nu = {nu!r} for ndim = {ndim}.")
            if any(nu < 0):
                raise ValueError(f"derivatives must be positive, got nu = {nu!r}")
        xi = as_x(xi)
        if xi.ndim < 1 or xi.shape[-1] != ndim:
            raise ValueError(f"Shapes: xi.shape={xi.shape} and ndim={ndim}")
        beyond = outside(self.extrapolate if extrapolate is None else bool(extrapolate))
        axes = tuple((t, k + 1, int(order)) for t, k, order in zip(self.t, self.k, nu))
        return evaluate(xi[..., 0] if ndim == 1 else xi, axes, self.c, KNOTS, beyond)

    @classmethod
    @beside
    def design_matrix(cls, xvals, t, k, extrapolate=True):
        """The values of all products of B-splines at points.

        Parameters
        ----------
        xvals : (n, d) array_like
        t : tuple of array_like
            The knots of each variable.
        k : int or tuple of int
            The degrees.
        extrapolate : bool, optional
            Whether points may lie beyond the knots.

        Returns
        -------
        csr_array
            Of as many columns as there are coefficients, in order C.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.interpolate import NdBSpline
        >>> t = tn.array([0.0, 0, 1, 1])
        >>> NdBSpline.design_matrix(tn.array([[0.5, 0.0]]), (t, t), 1).toarray()
        array([[0.5, 0. , 0.5, 0. ]])
        """
        x = as_x(xvals)
        if len(t) != x.shape[-1]:
            raise ValueError(f"Data and knots are inconsistent: len(t) = {len(t)} for  ndim = {x.shape[-1]!r}.")
        degrees, knots = _read_knots(k, t)
        values, columns, size = tn.ones((x.shape[0], 1)), tn.zeros((x.shape[0], 1), dtype="q"), 1
        for d, (one, degree) in enumerate(zip(knots, degrees)):
            factors, first = weights(x[:, d], ((one, degree + 1, 0),))
            n = one.shape[0] - degree - 1
            places = first[:, None] + tn.arange(degree + 1)
            values = (values[:, :, None] * factors[:, None, :]).reshape(x.shape[0], -1)
            columns = (columns[:, :, None] * n + places[:, None, :]).reshape(x.shape[0], -1)
            size *= n
        indptr = tn.arange(0, values.size + 1, values.shape[1])
        return tn.scipy.sparse.csr_array((values.ravel(), columns.ravel(), indptr), shape=(x.shape[0], size))

    def derivative(self, nu):
        """A derivative as a spline.

        Parameters
        ----------
        nu : (d,) array_like of int
            Its order in each variable.

        Returns
        -------
        NdBSpline
        """
        nu = numpy.asarray(on_host(nu))
        ndim = len(self.t)
        if nu.ndim != 1 or nu.shape[0] != ndim:
            raise ValueError(f"invalid number of derivative orders nu = {nu!r} for ndim = {ndim}.")
        if any(nu < 0):
            raise ValueError(f"derivative orders must be positive, got nu = {nu!r}")
        c, t, k = self.c, list(self.t), list(self.k)
        for axis, order in enumerate(map(int, nu)):
            along = completed(t[axis], tn.moveaxis(c, axis, 0))
            if order > k[axis]:
                made, k[axis] = tn.zeros((t[axis].shape[0] - 1, *along.shape[1:]), dtype=c.dtype), 0
            else:
                t[axis], made, k[axis] = derive(t[axis], along, k[axis], order) if order else (t[axis], along, k[axis])
                made = made[: t[axis].shape[0] - k[axis] - 1]
            c = tn.moveaxis(made, 0, axis)
        return NdBSpline(tuple(t), c, tuple(k), extrapolate=self.extrapolate)


def make_ndbspl(points, values, k=3, solver=None, solver_args=None):
    """The spline of several variables through values on a grid: a spline along one axis after the
    other, which is the solution of the whole system; or by a solver that is given."""
    degrees = tuple(k) if hasattr(k, "__len__") else (k,) * len(points)
    for d, (one, degree) in enumerate(zip(points, degrees)):
        if one.size <= degree:
            raise ValueError(
                f"There are {one.size} points in dimension {d}, but order {degree} requires at least  "
                f"{degree + 1} points per dimension."
            )
    c, knots = values, []
    for axis, (one, degree) in enumerate(zip(points, degrees)):
        spline = make_interp_spline(one, c, k=degree, axis=axis)
        knots.append(spline.t)
        c = tn.moveaxis(spline.c, 0, axis)
    if solver is not None:
        c = _solved(points, values, tuple(knots), degrees, solver, solver_args or {})
    return NdBSpline(tuple(knots), c, degrees)


def _solved(points, values, knots, degrees, solver, options):
    """The coefficients by a solver that takes a sparse matrix and a right side."""
    grid = tn.stack(tn.meshgrid(*points, indexing="ij"), axis=-1).reshape(-1, len(points))
    matrix = NdBSpline.design_matrix(grid, knots, degrees).tocsr()
    b = values.reshape(grid.shape[0], -1)
    made = []
    for column in range(b.shape[1]):
        found = solver(matrix, b[:, column], **options)
        found, info = found if isinstance(found, tuple) else (found, 0)
        if info != 0:
            raise ValueError(f"solver = {solver!r} returns info ={info!r} for column {column}.")
        made.append(as_array_of(found))
    return tn.stack(made, axis=1).reshape(values.shape)
