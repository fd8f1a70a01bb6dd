"""CuPy's private names of splines through points."""

import tenorite
from tenorite.scipy.interpolate._bspline import BSpline
from tenorite.scipy.interpolate._knots import not_a_knot as _not_a_knot
from tenorite.scipy.interpolate._make_spline import collocation, conditions_of

__all__ = ["_make_interp_spline_full_matrix", "_not_a_knot"]


def _make_interp_spline_full_matrix(x, y, k, t, bc_type):
    """The spline through points, by a solver of full systems."""
    left, right, ends = conditions_of(bc_type, y)
    rows = collocation(x, t, k, left, right)
    n = rows.shape[0]
    columns = tenorite.arange(n)[:, None] + tenorite.arange(-k, k + 1)
    is_there = (columns >= 0) & (columns < n)
    matrix = tenorite.zeros((n, n))
    matrix[tenorite.nonzero(is_there)[0], columns[is_there]] = rows[is_there]
    right_side = tenorite.concatenate((*ends[: len(left)], y, *ends[len(left) :]))
    made = tenorite.linalg.solve(matrix, right_side.reshape(n, -1))
    return BSpline.construct_fast(t, made.reshape(right_side.shape), k)
