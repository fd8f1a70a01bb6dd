"""Searching in sorted values."""

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite._numpy._documents import documented


@beside
@documented
def digitize(x, bins, right=False):
    """The number of the bin of each value: bins[i - 1] <= x < bins[i], or with right < and <=.

    bins: one axis, ascending or descending (then the comparisons turn round). TypeError for complex
    values, ValueError for bins in no order; waits to know.

    Parameters
    ----------
    bins : ndarray
        The edges, in ascending or descending order.
    right : bool, optional
        Whether the right edge belongs to a bin, else the left one.

    Returns
    -------
    ndarray of int64
        The numbers of the bins.

    Notes
    -----
    Differs from NumPy: complex numbers are taken, in their order.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.digitize(cp.array([0.5, 2.5]), cp.array([0., 1., 2.]))
    array([1, 3])
    """
    x, bins = as_array(x), as_array(bins)
    if x.dtype.kind == "c":
        raise TypeError("x may not be complex")
    if bins.ndim != 1:
        raise ValueError(f"object {'too deep for' if bins.ndim else 'of too small depth for'} desired array")
    if bins.dtype.kind == "c":
        raise TypeError("bins may not be complex")
    side = "left" if right else "right"
    lower, upper = bins[:-1], bins[1:]
    if bool((lower <= upper).all()):
        return _core.searchsorted(bins, x, side)
    if bool((lower >= upper).all()):
        return len(bins) - _core.searchsorted(bins[::-1], x, side)
    edges = bins.get()  # either in no order, or with NaN, which no edge is above or below
    first = int((edges[:-1] != edges[1:]).argmax())
    if edges[first] < edges[first + 1]:
        if not (edges[:-1] > edges[1:]).any():
            return _core.searchsorted(bins, x, side)
    elif not (edges[:-1] < edges[1:]).any():
        return len(bins) - _core.searchsorted(bins[::-1], x, side)
    raise ValueError("bins must be monotonically increasing or decreasing")
