"""Arrays as sets: elements once each, in order, and what two arrays have in common."""

import typing

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tenorite import _core
from tenorite._arguments import also_named, as_array, as_array_of, beside, ndarray
from tenorite._numpy._documents import documented
from tenorite._numpy.dtypes import result_type
from tenorite._numpy.rearranging import moveaxis
from tenorite._numpy.sorting import lexsort


class UniqueAllResult(typing.NamedTuple):
    """What unique_all gives."""

    values: ndarray
    indices: ndarray
    inverse_indices: ndarray
    counts: ndarray


class UniqueCountsResult(typing.NamedTuple):
    """What unique_counts gives."""

    values: ndarray
    counts: ndarray


class UniqueInverseResult(typing.NamedTuple):
    """What unique_inverse gives."""

    values: ndarray
    inverse_indices: ndarray


# --- Elements once each ---


def _begins(ordered, equal_nan):
    """Which elements of a sorted axis are not equal to the one before."""
    begins = _core.ones(ordered.shape[0], dtype=bool)
    differs = _core.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    # NaN and NaT stand last; a number differs from the NaN after it, and NaN from NaN if that is
    # asked for.
    if equal_nan and ordered.dtype.kind in "fcMm" and ordered.size and bool(_core.isnan(ordered[-1])):
        nan = _core.isnan(ordered)
        differs &= ~(nan[1:] & nan[:-1])
    return begins


def _rows_begin(rows):
    """Which rows of a sorted table are not equal to the one before."""
    begins = _core.ones(rows.shape[0], dtype=bool)
    begins[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return begins


def _results(values, begins, order, shape, return_index, return_inverse, return_counts):
    """The values with what else unique is asked for, or the values alone."""
    results = [values]
    if return_index:
        results.append(order[begins])
    if return_inverse:
        inverse = _core.empty(begins.shape, dtype=int)
        inverse[order] = begins.cumsum() - 1
        results.append(inverse.reshape(shape))
    if return_counts:
        places = _core.flatnonzero(begins)
        results.append(_core.diff(places, append=_core.asarray(begins.size)))
    return tuple(results) if len(results) > 1 else values


@beside
@documented
def unique(
    ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, sorted=True
):
    """The elements of an array, each once, in order; or its slices along an axis.

    Also, if asked for: the index of the first of each, the indices that make the array of the
    result again, how often each comes. equal_nan False: each NaN counts by itself. The result is in
    order whatever `sorted` says. AxisError. Waits.

    Parameters
    ----------
    ar : ndarray
        The elements; they are flattened where `axis` is None.
    return_index : bool, optional
        Whether the positions of the first occurrences are returned, too.
    return_inverse : bool, optional
        Whether the indexes that rebuild the array are returned, too.
    return_counts : bool, optional
        Whether the numbers of occurrences are returned, too.
    axis : int, optional
        The axis whose slices are the elements.
    equal_nan : bool, optional
        Whether all NaN are one element.
    sorted : bool, optional
        Whether the elements ascend; they always do.

    Returns
    -------
    ndarray or tuple of ndarrays
        The elements in ascending order, and what is asked for.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.unique(cp.array([3, 1, 1]))
    array([1, 3])
    """
    ar = as_array_of(ar)
    wanted = return_index, return_inverse, return_counts
    if axis is not None:
        axis = normalize_axis_index(axis, ar.ndim)
    if axis is None or ar.ndim == 1:
        flat, order = ar.ravel(), None
        if return_index or return_inverse:
            order = flat.argsort()
            ordered = flat[order]
        else:
            ordered = _core.sort(flat)
        begins = _begins(ordered, equal_nan)
        return _results(ordered[begins], begins, order, ar.shape, *wanted)
    slices = moveaxis(ar, axis, 0)
    rows = slices.reshape(slices.shape[0], -1 if slices.size else int(slices.size > 0))
    order = lexsort(tuple(rows.T[::-1])) if rows.shape[1] else _core.arange(rows.shape[0])
    begins = _rows_begin(rows[order])
    values = moveaxis(slices[order[begins]], 0, axis)
    return _results(values, begins, order, rows.shape[:1], *wanted)


@documented
def unique_all(x, /):
    """unique with the indices, the inverse and the counts; each NaN counts by itself.

    Returns
    -------
    UniqueAllResult
        ``values``, ``indices``, ``inverse_indices`` and ``counts``.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.unique_all(cp.array([3, 1, 1])).counts
    array([2, 1])
    """
    return UniqueAllResult(*unique(x, True, True, True, equal_nan=False))


@documented
def unique_counts(x, /):
    """unique with the counts; each NaN counts by itself.

    Returns
    -------
    UniqueCountsResult
        ``values`` and ``counts``.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.unique_counts(cp.array([3, 1, 1])).counts
    array([2, 1])
    """
    return UniqueCountsResult(*unique(x, return_counts=True, equal_nan=False))


@documented
def unique_inverse(x, /):
    """unique with the inverse; each NaN counts by itself.

    Returns
    -------
    UniqueInverseResult
        ``values`` and ``inverse_indices``.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.unique_inverse(cp.array([3, 1, 1])).inverse_indices
    array([1, 0, 0])
    """
    return UniqueInverseResult(*unique(x, return_inverse=True, equal_nan=False))


@documented
def unique_values(x, /):
    """The elements of an array, each once; each NaN counts by itself.

    Returns
    -------
    ndarray
        The elements in ascending order.

    Notes
    -----
    Differs from NumPy: the values are sorted; the array API promises no order.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.unique_values(cp.array([3, 1, 1]))
    array([1, 3])
    """
    return unique(x, equal_nan=False)


# --- Two sets ---


def _both(ar1, ar2, assume_unique):
    """Two arrays flattened, elements once each."""
    ar1, ar2 = as_array(ar1), as_array(ar2)
    return (ar1.ravel(), ar2.ravel()) if assume_unique else (unique(ar1), unique(ar2))


def _weak(value, other):
    """`value` as an array; a Python number has the dtype that it takes beside `other`."""
    if type(value) in (bool, int, float, complex) and isinstance(other, ndarray):
        return _core.asarray(value, dtype=result_type(other, value))
    return as_array(value)


@also_named(arr1="ar1", arr2="ar2")
@beside
@documented
def union1d(ar1, ar2):
    """The elements of both arrays, each once, in order. Waits.

    Returns
    -------
    ndarray
        The elements in ascending order.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.union1d(cp.array([1, 2]), cp.array([2, 3]))
    array([1, 2, 3])
    """
    return unique(_core.concatenate((_weak(ar1, ar2), _weak(ar2, ar1)), axis=None))


@also_named(arr1="ar1", arr2="ar2")
@beside
@documented
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """The elements that both arrays have, in order; with the indices of their first in each.
    Waits.

    Parameters
    ----------
    return_indices : bool, optional
        Whether the positions in both arrays are returned, too.

    Returns
    -------
    ndarray or tuple of ndarrays
        The elements in ascending order, and the positions if asked for.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.intersect1d(cp.array([1, 2, 3]), cp.array([2, 3, 4]))
    array([2, 3])
    """
    if not return_indices:
        joined = _core.sort(_core.concatenate(_both(ar1, ar2, assume_unique)))
        return joined[:-1][joined[1:] == joined[:-1]]
    indices = [None, None]
    parts = [as_array(ar1).ravel(), as_array(ar2).ravel()]
    if not assume_unique:
        for k in range(2):
            parts[k], indices[k] = unique(parts[k], return_index=True)
    joined = _core.concatenate(parts)
    order = joined.argsort()
    joined = joined[order]
    same = joined[1:] == joined[:-1]
    first, second = order[:-1][same], order[1:][same] - parts[0].size
    if not assume_unique:
        first, second = indices[0][first], indices[1][second]
    return joined[:-1][same], first, second


@beside
@documented
def setxor1d(ar1, ar2, assume_unique=False):
    """The elements that one of two arrays has and the other not, in order. Waits.

    Returns
    -------
    ndarray
        The elements in ascending order.

    Notes
    -----
    Differs from NumPy: a scalar counts as an array of its own dtype.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.setxor1d(cp.array([1, 2, 3]), cp.array([2, 3, 4]))
    array([1, 4])
    """
    joined = _core.concatenate(_both(ar1, ar2, assume_unique))
    if joined.size == 0:
        return joined
    joined = _core.sort(joined)
    differs = _core.ones(joined.size + 1, dtype=bool)
    _core.not_equal(joined[1:], joined[:-1], out=differs[1:-1])
    return joined[differs[1:] & differs[:-1]]


@beside
@documented
def setdiff1d(ar1, ar2, assume_unique=False):
    """The elements of the first array that the second has not: in order, or (assume_unique) as they
    come. Waits.

    Returns
    -------
    ndarray
        The elements in ascending order.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.setdiff1d(cp.array([1, 2, 3]), cp.array([2, 3, 4]))
    array([1])
    """
    ar1, ar2 = _both(ar1, ar2, assume_unique)
    return ar1[isin(ar1, ar2, invert=True)]


def _check_kind(kind, *arrays):
    if kind not in (None, "sort", "table"):
        raise ValueError(f"Invalid kind: '{kind}'. Please use None, 'sort' or 'table'.")
    if kind == "table" and not all(one.dtype.kind in "biu" for one in arrays):
        raise ValueError(
            "The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind."
        )


def _check_range(tests):
    """RuntimeError where the width of the tests is no number of their dtype, as NumPy has it."""
    dtype = tests.dtype if tests.dtype.kind != "b" else numpy.uint8
    if int(tests.max()) - int(tests.min()) > numpy.iinfo(dtype).max:
        raise RuntimeError(
            "You have specified kind='table', but the range of values in `ar2` or `ar1` exceed the maximum integer "
            "of the datatype. Please set `kind` to None or 'sort'."
        )


def _table_of(tests, element, kind):
    """The least of the tests and for each integer from it on whether it is one of them, one beyond
    them last; None where a table would be large beside the arrays. Reads numbers of the device."""
    if not all(one.dtype.kind in "bi" or one.dtype.char in "BHI" for one in (tests, element)):
        return None
    least, most = int(tests.min()), int(tests.max())
    if most - least > (20 if kind == "table" else 6) * (tests.size + element.size):
        return None
    found = _core.zeros(most - least + 2, bool)
    found[tests.astype(numpy.int64) - least] = True
    return least, found


@beside
@documented
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether each element is among the test elements, or (invert) is not.

    kind: None, 'sort' or 'table', which give the same. ValueError for another one.

    Parameters
    ----------
    element : ndarray
        The elements to look for.
    test_elements : ndarray
        The set.
    kind : {'sort', 'table'}, optional
        Accepted as NumPy has it.

    Returns
    -------
    ndarray of bool
        In the shape of `element`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.isin(cp.array([1, 2, 3]), cp.array([2]))
    array([False,  True, False])
    """
    element, tests = as_array(element), as_array(test_elements).ravel()
    _check_kind(kind, element, tests)
    if tests.size == 0:
        return _core.full(element.shape, bool(invert))
    if kind == "table":
        _check_range(tests)
    table = _table_of(tests, element, kind) if element.device.backend == "host" else None
    if table is not None:
        least, found = table
        places = (element.astype(numpy.int64, copy=False) - least).view(numpy.uint64)
        found = ~found if invert else found
        return found.take(_core.minimum(places, numpy.uint64(found.size - 1)))
    tests = _core.sort(tests)
    places = _core.searchsorted(tests, element)
    nearest = tests.take(places, mode="clip")
    return (nearest != element) if invert else (nearest == element)


@documented
def in1d(ar1, ar2, assume_unique=False, invert=False):
    """isin of the flattened array.

    Parameters
    ----------
    ar1 : ndarray
        The elements to look for; they are flattened.

    Returns
    -------
    ndarray of bool
        For each element of `ar1`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.in1d(cp.array([1, 2, 3]), cp.array([2]))
    array([False,  True, False])
    """
    return isin(as_array(ar1).ravel(), ar2, assume_unique, invert)
