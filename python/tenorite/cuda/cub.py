"""CuPy's interface to CUB. Reductions and scans here need no CUB: `available` is False, and these
functions, which programs may call all the same, are the library's own on both backends."""

import numpy

import tenorite

__all__ = [
    "available",
    "cub_histogram",
    "cub_reduction",
    "cub_scan",
    "device_histogram",
    "device_reduce",
    "device_scan",
    "device_segmented_reduce",
    "get_build_version",
]

available = False
CUPY_CUB_SUM, CUPY_CUB_MIN, CUPY_CUB_MAX, CUPY_CUB_ARGMIN, CUPY_CUB_ARGMAX, CUPY_CUB_CUMSUM, CUPY_CUB_CUMPROD = range(7)
CUPY_CUB_PROD = 7

CUB_support_dtype_without_half = dict.fromkeys(map(numpy.dtype, "bBhHiIqQfdFD"), True)
CUB_support_dtype_with_half = CUB_support_dtype_without_half | {numpy.dtype("e"): True}
CUB_support_dtype = CUB_support_dtype_with_half
CUB_sum_support_dtype_without_half = dict.fromkeys(map(numpy.dtype, "qQfdFD"), True)
CUB_sum_support_dtype_with_half = CUB_sum_support_dtype_without_half | {numpy.dtype("e"): True}
CUB_sum_support_dtype = CUB_sum_support_dtype_with_half

_REDUCTIONS = {
    CUPY_CUB_SUM: "sum",
    CUPY_CUB_PROD: "prod",
    CUPY_CUB_MIN: "min",
    CUPY_CUB_MAX: "max",
    CUPY_CUB_ARGMIN: "argmin",
    CUPY_CUB_ARGMAX: "argmax",
}
_SCANS = {CUPY_CUB_CUMSUM: "cumsum", CUPY_CUB_CUMPROD: "cumprod"}


# The numbers of operations by the names of CuPy's kernels.
cupy_cub_op = {f"cupy_{name}": number for number, name in (_REDUCTIONS | _SCANS).items()}


def _operation(op, known, what):
    if op not in known:
        raise ValueError(f"op {op!r} is no {what} of CUB's")
    return known[op]


def get_build_version():
    """The version of CUB, -1: none is used.

    Returns
    -------
    int
        The version.

    Examples
    --------
    >>> tenorite.cuda.cub.get_build_version()
    -1
    """
    return -1


def device_reduce(x, op, out_axis=(), out=None, keepdims=False):
    """Reduces a whole array.

    Parameters
    ----------
    x : ndarray
        The array.
    op : int
        ``CUPY_CUB_SUM`` or one of its kin.
    out_axis : tuple of ints, optional
        The axes that stay: none.
    out : ndarray, optional
        Where the result goes.
    keepdims : bool, optional
        Whether the axes stay, of length 1.

    Returns
    -------
    ndarray
        The result.

    Examples
    --------
    >>> cub = tenorite.cuda.cub
    >>> cub.device_reduce(tenorite.arange(5), cub.CUPY_CUB_SUM)
    array(10)
    """
    return getattr(x, _operation(op, _REDUCTIONS, "reduction"))(out=out, keepdims=keepdims)


def device_segmented_reduce(x, op, reduce_axis, out_axis, out=None, keepdims=False, contiguous_size=0):
    """Reduces axes of an array.

    Parameters
    ----------
    x : ndarray
        The array.
    op : int
        ``CUPY_CUB_SUM`` or one of its kin.
    reduce_axis, out_axis : tuple of ints
        The axes that are reduced, and those that stay.
    out : ndarray, optional
        Where the result goes.
    keepdims : bool, optional
        Whether the reduced axes stay, of length 1.
    contiguous_size : int, optional
        Has no effect.

    Returns
    -------
    ndarray
        The result.

    Examples
    --------
    >>> cub = tenorite.cuda.cub
    >>> cub.device_segmented_reduce(tenorite.arange(6).reshape(2, 3), cub.CUPY_CUB_MAX, (1,), (0,))
    array([2, 5])
    """
    name = _operation(op, _REDUCTIONS, "reduction")
    axis = tuple(reduce_axis)
    if name.startswith("arg"):
        (axis,) = axis
    return getattr(x, name)(axis=axis, out=out, keepdims=keepdims)


def device_scan(x, op):
    """The running sums or products of an array, in its own place.

    Parameters
    ----------
    x : ndarray
        The array, which is written.
    op : int
        ``CUPY_CUB_CUMSUM`` or ``CUPY_CUB_CUMPROD``.

    Returns
    -------
    ndarray
        The array itself.

    Examples
    --------
    >>> cub = tenorite.cuda.cub
    >>> cub.device_scan(tenorite.arange(5), cub.CUPY_CUB_CUMSUM)
    array([ 0,  1,  3,  6, 10])
    """
    flat = x.reshape(-1)
    x[...] = getattr(flat, _operation(op, _SCANS, "scan"))(dtype=x.dtype).reshape(x.shape)
    return x


def device_histogram(x, y, bins):
    """Counts the elements between edges.

    Parameters
    ----------
    x : ndarray
        The elements.
    y : ndarray
        Where the counts go.
    bins : ndarray or int
        The edges, or the number of bins between the least and the greatest element.

    Returns
    -------
    ndarray
        `y`.

    Examples
    --------
    >>> y = tenorite.zeros(2, int)
    >>> tenorite.cuda.cub.device_histogram(tenorite.arange(5), y, tenorite.asarray([0, 2, 4]))
    array([2, 3])
    """
    y[...] = tenorite.histogram(x, bins)[0]
    return y


def cub_reduction(arr, op, axis=None, dtype=None, out=None, keepdims=False):
    """Reduces axes of an array.

    Parameters
    ----------
    arr : ndarray
        The array.
    op : int
        ``CUPY_CUB_SUM`` or one of its kin.
    axis : int or tuple of ints, optional
        The axes; all if left out.
    dtype : dtype, optional
        That of the result.
    out : ndarray, optional
        Where the result goes.
    keepdims : bool, optional
        Whether the reduced axes stay, of length 1.

    Returns
    -------
    ndarray
        The result.

    Raises
    ------
    AxisError
        If `arr` has no such axis.

    Examples
    --------
    >>> cub = tenorite.cuda.cub
    >>> cub.cub_reduction(tenorite.arange(6).reshape(2, 3), cub.CUPY_CUB_SUM, axis=0)
    array([3, 5, 7])
    """
    name = _operation(op, _REDUCTIONS, "reduction")
    more = {} if dtype is None else {"dtype": dtype}
    return getattr(arr, name)(axis=axis, out=out, keepdims=keepdims, **more)


def cub_scan(arr, op):
    """The running sums or products of an array, in its own place.

    Parameters
    ----------
    arr : ndarray
        The array, which is written.
    op : int
        ``CUPY_CUB_CUMSUM`` or ``CUPY_CUB_CUMPROD``.

    Returns
    -------
    ndarray
        The array itself.

    Examples
    --------
    >>> cub = tenorite.cuda.cub
    >>> cub.cub_scan(tenorite.arange(1, 5), cub.CUPY_CUB_CUMPROD)
    array([ 1,  2,  6, 24])
    """
    return device_scan(arr, op)


def cub_histogram(x, y, bins):
    """Counts the elements between edges.

    Parameters
    ----------
    x : ndarray
        The elements.
    y : ndarray
        Where the counts go.
    bins : ndarray or int
        The edges, or the number of bins.

    Returns
    -------
    ndarray
        `y`.

    Examples
    --------
    >>> y = tenorite.zeros(2, int)
    >>> tenorite.cuda.cub.cub_histogram(tenorite.arange(5), y, 2)
    array([2, 3])
    """
    return device_histogram(x, y, bins)
