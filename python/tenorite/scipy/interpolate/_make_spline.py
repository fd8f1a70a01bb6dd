"""B-splines through points and close to points.

A spline through points is the solution of a system with as many diagonals as the degree says, which
the core solves; of a periodic one the system wraps around.
"""

import operator

import numpy

import tenorite as tn
from tenorite._arguments import as_array_of, beside, on_host
from tenorite.scipy.interpolate._bspline import BSpline, check_finite
from tenorite.scipy.interpolate._evaluate import (
    as_double,
    as_knots,
    normal_axis,
    solve_banded,
    solve_cyclic,
    to_front,
    weights,
)
from tenorite.scipy.interpolate._knots import augmented, not_a_knot, periodic_knots

__all__ = ["make_interp_spline", "make_lsq_spline"]

_DENSE = 1 << 14  # elements of a matrix that is cheaper whole


# --- Arguments ---


def _points(x, y, axis, are_checked):
    x, y = as_double(x), as_double(y)
    if are_checked:
        check_finite(x), check_finite(y)
    axis = normal_axis(axis, y.ndim)
    return x, to_front(y, axis), axis


def _derivatives_of(condition, shape):
    """Orders and values of derivatives at an end."""
    if condition is None:
        return [], []
    if isinstance(condition, str):
        order = {"clamped": 1, "natural": 2}.get(condition)
        if order is None:
            raise ValueError(f"Unknown boundary condition : {condition}")
        return [order], [tn.zeros(shape)]
    try:
        pairs = [(order, value) for order, value in condition]
    except TypeError as error:
        raise ValueError(
            "Derivatives, `bc_type`, should be specified as a pair of iterables of pairs of (order, value)."
        ) from error
    return [int(order) for order, _ in pairs], [as_array_of(on_host(value)) for _, value in pairs]


def _conditions(bc_type):
    if bc_type is None or (isinstance(bc_type, str) and bc_type in ("not-a-knot", "periodic")):
        return None, None
    if isinstance(bc_type, str):
        return bc_type, bc_type
    try:
        left, right = bc_type
    except TypeError as error:
        raise ValueError(f"Unknown boundary condition: {bc_type}") from error
    return left, right


def conditions_of(bc_type, y):
    """The orders of the derivatives at the first and at the last point, and the values of all."""
    (left, at_left), (right, at_right) = (_derivatives_of(one, y.shape[1:]) for one in _conditions(bc_type))
    ends = [tn.broadcast_to(value.astype(y.dtype), y.shape[1:])[None] for value in (*at_left, *at_right)]
    return left, right, ends


# --- Systems ---


def collocation(x, t, k, left, right):
    """The rows of the system: derivatives at the first point, values, derivatives at the last."""
    n = t.shape[0] - k - 1
    rows = tn.zeros((n, 2 * k + 1))
    values, first = weights(x, ((t, k + 1, 0),))
    row = tn.arange(len(left), len(left) + x.shape[0])
    places = (first - row + k)[:, None] + tn.arange(k + 1)
    # A point that is too far from its coefficient makes the matrix singular.
    is_near = (places >= 0) & (places <= 2 * k)
    rows[row[:, None], tn.where(is_near, places, 0)] = tn.where(is_near, values, 0.0)
    for at, orders, begin in ((x[:1], left, 0), (x[-1:], right, n - len(right))):
        for number, order in enumerate(orders):
            values, first = weights(at, ((t, k + 1, order),))
            rows[begin + number, (first - (begin + number) + k)[:, None] + tn.arange(k + 1)] = values
    return rows


def _dense_cyclic(values, columns, n):
    matrix = numpy.zeros((n, n))
    numpy.add.at(matrix, (numpy.arange(n)[:, None], columns.get() % n), values.get())
    return tn.asarray(matrix)


def _make_periodic(x, y, t, k, axis):
    """The coefficients repeat after as many as there are intervals."""
    n = x.shape[0] - 1
    values, first = weights(x[:-1], ((t, k + 1, 0),))
    columns, right = first[:, None] + tn.arange(k + 1), y[:-1]
    reach = k // 2 + 1
    if n <= 4 * reach + 1:
        flat = tn.linalg.solve(_dense_cyclic(values, columns, n), right.reshape(n, -1))
        c = flat.reshape(right.shape)
    else:
        c = solve_cyclic(values, columns, tn.arange(n) + (k - 1) // 2, reach, tn.ascontiguousarray(right))
    c = c[tn.asarray(numpy.arange(n + k) % n)]
    return BSpline.construct_fast(t, c, k, extrapolate="periodic", axis=axis)


def _check_points(x, y):
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if bool((x[1:] == x[:-1]).any()):
        raise ValueError("Expect x to not have duplicates")
    if x.ndim != 1 or bool((x[1:] < x[:-1]).any()):
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")


def _check_knots(x, t, k):
    if k < 0:
        raise ValueError("Expect non-negative k.")
    if t.ndim != 1 or bool((t[1:] < t[:-1]).any()):
        raise ValueError("Expect t to be a 1-D sorted array_like.")
    if t.size < x.size + k + 1:
        raise ValueError(f"Got {t.size} knots, need at least {x.size + k + 1}.")
    if bool((x[0] < t[k]) | (x[-1] > t[-k])):
        raise ValueError(f"Out of bounds w/ x = {x}.")


def _degree_of_few(x, y, t, k, conditions, axis):
    """The spline of degree 0 or 1, which needs no system, or None."""
    if k == 0:
        if any(given is not None for given in (t, *conditions)):
            raise ValueError("Too much info for k=0: t and bc_type can only be None.")
        return BSpline.construct_fast(tn.concatenate((x, x[-1:])), tn.ascontiguousarray(y), k, axis=axis)
    if k == 1 and t is None:
        if any(given is not None for given in conditions):
            raise ValueError("Too much info for k=1: bc_type can only be None.")
        return BSpline.construct_fast(tn.concatenate((x[:1], x, x[-1:])), tn.ascontiguousarray(y), k, axis=axis)
    return None


def _made_knots(x, k, is_periodic, conditions):
    if is_periodic:
        return periodic_knots(x, k)
    return not_a_knot(x, k) if conditions == (None, None) else augmented(x, k)


@beside
def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    """A B-spline through points.

    Parameters
    ----------
    x : (n,) array_like
        Places, which ascend.
    y : (n, ...) array_like
        Values.
    k : int, optional
        The degree.
    t : array_like, optional
        Knots; by default as `bc_type` says.
    bc_type : str or pair, optional
        'not-a-knot' (the default), 'natural', 'clamped', 'periodic'; or of each end a list of pairs
        (order of a derivative, its value), a string or None.
    axis : int, optional
        The axis of `y` of the points.
    check_finite : bool, optional
        Whether infinities and NaN are looked for.

    Returns
    -------
    BSpline

    Raises
    ------
    AxisError
        For an axis that is not there.
    ValueError
        For points that do not ascend and conditions of a wrong number.
    LinAlgError
        For knots that do not determine a spline; on a GPU raised by the next call that waits.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import make_interp_spline
    >>> x = tn.arange(6.0)
    >>> make_interp_spline(x, x**3, axis=0)(2.5)
    array(15.625)
    """
    conditions = _conditions(bc_type)
    is_periodic = isinstance(bc_type, str) and bc_type == "periodic"
    x, y, axis = _points(x, y, axis, check_finite)
    if is_periodic and not bool(tn.allclose(y[0], y[-1], atol=1e-15)):
        raise ValueError("First and last points does not match while periodic case expected")
    _check_points(x, y)
    made = _degree_of_few(x, y, t, k, conditions, axis)
    if made is not None:
        return made
    k = operator.index(k)
    if is_periodic and t is not None:
        raise NotImplementedError("For periodic case t is constructed automatically and can not be passed manually")
    t = _made_knots(x, k, is_periodic, conditions) if t is None else as_knots(t)
    _check_knots(x, t, k)
    if is_periodic:
        return _make_periodic(x, y, t, k, axis)
    left, right, ends = conditions_of(bc_type, y)
    for orders, end in ((left, 0), (right, -1)):
        if not all(0 <= order <= k for order in orders):
            raise ValueError(f"Bad boundary conditions at {x[end]}.")
    n = t.size - k - 1
    if n - x.size != len(left) + len(right):
        raise ValueError(
            f"The number of derivatives at boundaries does not match: expected {n - x.size}, "
            f"got {len(left)}+{len(right)}"
        )
    if y.size == 0:
        return BSpline.construct_fast(t, tn.zeros((n, *y.shape[1:])), k, axis=axis)
    b = tn.concatenate((*ends[: len(left)], y, *ends[len(left) :])) if ends else y
    c = solve_banded(collocation(x, t, k, left, right), k, k, b)
    return BSpline.construct_fast(t, c, k, axis=axis)


def _check_weighted(x, y, t, k, w, method):
    if x.ndim != 1:
        raise ValueError("Expect x to be a 1-D sequence.")
    if x.shape[0] < k + 1:
        raise ValueError("Need more x points.")
    if k < 0:
        raise ValueError("Expect non-negative k.")
    if t.ndim != 1 or bool((t[1:] < t[:-1]).any()):
        raise ValueError("Expect t to be a 1D strictly increasing sequence.")
    if x.size != y.shape[0]:
        raise ValueError(f"Shapes of x {x.shape} and y {y.shape} are incompatible")
    if k > 0 and bool(((x < t[k]) | (x > t[-k])).any()):
        raise ValueError(f"Out of bounds w/ x = {x}.")
    if x.size != w.size:
        raise ValueError(f"Shapes of x {x.shape} and w {w.shape} are incompatible")
    if method not in ("qr", "norm-eq"):
        raise ValueError(f"Unknown method ={method!r}.")
    steps = x[1:] - x[:-1]
    if method == "norm-eq" and bool((steps <= 0).any()):
        raise ValueError("Expect x to be a 1D strictly increasing sequence.")
    if bool((steps < 0).any()):
        raise ValueError("Expect x to be a 1D non-decreasing sequence.")


def _normal_equations(values, first, n, k):
    """A matrix of k + 1 elements a row, from column `first` on, and what solves the system of its
    product with its transpose: dense where that is small."""
    count = first.shape[0]
    columns = first[:, None] + tn.arange(k + 1)
    if count * n <= _DENSE:
        matrix = tn.zeros((count, n))
        matrix[tn.arange(count)[:, None], columns] = values
        square = matrix.T @ matrix
        return matrix, lambda b: tn.linalg.solve(square, b)
    indptr = tn.arange(0, values.size + 1, k + 1)
    matrix = tn.scipy.sparse.csr_matrix((values.ravel(), columns.ravel(), indptr), shape=(count, n))
    rows = _diagonal_rows((matrix.T @ matrix).tocsr(), k)
    return matrix, lambda b: solve_banded(rows, k, k, b)


def _diagonal_rows(square, k):
    """A sparse matrix as rows of diagonals, of which one triangle is read."""
    n = square.shape[0]
    rows = tn.zeros((n, 2 * k + 1))
    for d in range(min(k, n - 1) + 1):
        diagonal = square.diagonal(d)
        rows[: n - d, k + d] = diagonal
        rows[d:, k - d] = diagonal
    return rows


@beside
def make_lsq_spline(x, y, t, k=3, w=None, axis=0, check_finite=True, *, method="qr"):
    """The B-spline of given knots that is closest to points, in the sum of squares.

    Parameters
    ----------
    x : (m,) array_like
        Places, which do not descend.
    y : (m, ...) array_like
        Values.
    t : (n + k + 1,) array_like
        Knots.
    k : int, optional
        The degree.
    w : (m,) array_like, optional
        Weights of the points.
    axis : int, optional
        The axis of `y` of the points.
    check_finite : bool, optional
        Whether infinities and NaN are looked for.
    method : {'qr', 'norm-eq'}, optional
        Both solve the normal equations here; 'qr' improves the solution by its residual.

    Returns
    -------
    BSpline

    Raises
    ------
    AxisError
        For an axis that is not there.
    ValueError
        For points that descend or lie beyond the knots.
    LinAlgError
        For knots between which points are missing.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.interpolate import make_lsq_spline
    >>> x = tn.linspace(0, 1, 20)
    >>> spline = make_lsq_spline(x, 2 * x, tn.array([0.0, 0, 0.5, 1, 1]), 1, axis=0)
    >>> spline.c[1:].round(6)
    array([1., 2.])
    """
    x, y, axis = _points(x, y, axis, check_finite)
    t, k = as_knots(t), operator.index(k)
    w = tn.ones_like(x) if w is None else as_double(w)
    if check_finite:
        _finite(t), _finite(w)
    _check_weighted(x, y, t, k, w, method)
    n, flat = t.size - k - 1, tn.ascontiguousarray(y).reshape(y.shape[0], -1)
    values, first = weights(x, ((t, k + 1, 0),))
    matrix, solve = _normal_equations(values * w[:, None], first, n, k)
    weighted = flat * w[:, None]
    c = solve(matrix.T @ weighted)
    if method == "qr":
        c = c + solve(matrix.T @ (weighted - matrix @ c))
    return BSpline.construct_fast(t, c.reshape((n, *y.shape[1:])), k, axis=axis)


_finite = check_finite
