"""Convolutions of a line with itself and filters of several axes: terms of Volterra's series."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite._numpy.stride_tricks import sliding_window_view

_ELEMENTS = 1 << 22  # of what lies between the two sums, at a time


def _checked(in1, in2, axes, mode, method):
    in1, in2 = as_array_of(in1), as_array_of(in2)
    if in1.ndim != 1:
        raise ValueError("in1 should have one dimension")
    if in2.ndim != axes:
        raise ValueError(f"in2 should have {('two', 'three')[axes - 2]} dimension")
    if mode in ("same", "full"):
        raise NotImplementedError(f"Mode == {mode} not implemented")
    if mode != "valid":
        raise ValueError(f"mode must be 'valid', not {mode!r}")
    if method != "direct":
        raise NotImplementedError("Only Direct method implemented")
    if in1.size < max(in2.shape) or 0 in in2.shape:
        raise ValueError("in1 must be as long as in2 along each axis")
    dtype = numpy.result_type(in1.dtype, in2.dtype)
    return in1.astype(dtype, copy=False), in2.astype(dtype, copy=False)


def _summed(line, window):
    """Sums over all axes of the window, of products of the line's elements before a place."""
    count = line.size - max(window.shape) + 1
    rows = [sliding_window_view(line[: count + size - 1], size) for size in window.shape]
    window = window[(slice(None, None, -1),) * window.ndim]
    made = _core.empty(count, dtype=line.dtype)
    step = max(1, _ELEMENTS // (window.size // window.shape[-1]))
    for first in range(0, count, step):
        part = slice(first, first + step)
        some = _core.matmul(rows[-1][part].copy(), window.reshape(-1, window.shape[-1]).T)
        for row in rows[-2::-1]:
            some = some.reshape(some.shape[0], -1, row.shape[1])
            some = (some * row[part][:, None, :]).sum(-1)
        made[part] = some.reshape(-1)
    return made


@beside
def convolve1d2o(in1, in2, mode="valid", method="direct"):
    """The convolution of second order of a line: sums of products of two of its elements with a
    filter of two axes.

    Parameters
    ----------
    in1 : array_like
        One axis.
    in2 : array_like
        Two axes.
    mode : {'valid'}
        Places that need no zeros around the line.
    method : {'direct'}
        Direct sums.

    Returns
    -------
    ndarray
        ``len(in1) - max(in2.shape) + 1`` elements.

    Raises
    ------
    ValueError
        For another number of axes.
    NotImplementedError
        For another mode or method.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.convolve1d2o(tn.array([1.0, 2, 3]), tn.array([[0.0, 1], [0, 0]]))
    array([2., 6.])
    """
    return _summed(*_checked(in1, in2, 2, mode, method))


@beside
def convolve1d3o(in1, in2, mode="valid", method="direct"):
    """The convolution of third order of a line: sums of products of three of its elements with a
    filter of three axes.

    Parameters
    ----------
    in1 : array_like
        One axis.
    in2 : array_like
        Three axes.
    mode : {'valid'}
        Places that need no zeros around the line.
    method : {'direct'}
        Direct sums.

    Returns
    -------
    ndarray
        ``len(in1) - max(in2.shape) + 1`` elements.

    Raises
    ------
    ValueError
        For another number of axes.
    NotImplementedError
        For another mode or method.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.convolve1d3o(tn.array([1.0, 2, 3]), tn.ones((1, 1, 1)))
    array([ 1.,  8., 27.])
    """
    return _summed(*_checked(in1, in2, 3, mode, method))
