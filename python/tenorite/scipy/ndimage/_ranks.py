"""The least, the largest and other ranks of the elements in windows."""

import math
import operator
import warnings

import numpy

from tenorite import _core
from tenorite._arguments import beside
from tenorite.scipy.ndimage import _support
from tenorite.scipy.ndimage._documents import documented


def _extreme_1d(input, size, axis, output, mode, cval, origin, op):
    input = _support.real_image(input)
    axis = _support.axis_of(axis, input.ndim)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    output = _support.output_of(output, input)
    low = size // 2 + origin
    if low < 0 or low >= size:
        raise ValueError("invalid origin")
    windows = ((axis, size, low, _support.edge_of(mode), None),)
    _core._image_filter_axes(output, input, op, windows, _support.real_cval(cval), False)
    return output


def _window_filter(input, footprint, output, mode, cval, origin, axes, op, rank=0, structure=None):
    """A window of the host's that is no box, or of which a rank is wanted."""
    footprint, origins = _support.placed_window(footprint, origin, axes, input.ndim, "footprint")
    lows = _support.lows_of(footprint.shape, origins)
    if structure is not None:
        if structure.ndim != len(axes):
            raise RuntimeError("structure array has incorrect shape")
        structure = _support.expanded_window(structure, axes, input.ndim, "structure")
        if structure.shape != footprint.shape:
            raise RuntimeError(f"structure array has shape {structure.shape}, the footprint {footprint.shape}")
        if input.dtype.kind in "iu" and (structure % 1).any():
            input = input.astype("f8")  # what is cut off is the difference
        structure = _support.weights_of(structure[footprint])
    if _support.is_several(mode):
        raise RuntimeError("A sequence of modes is not supported for non-separable footprints")
    _core._image_filter(
        output,
        input,
        op,
        footprint.shape,
        lows,
        (_support.edge_of(mode),) * input.ndim,
        _support.real_cval(cval),
        _support.places_of(footprint),
        structure,
        rank,
        None,
        False,
    )
    return output


def extreme(input, size, footprint, structure, output, mode, cval, origin, op, axes, level=4):
    """The least or the largest elements of windows, as minimum_filter takes them."""
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=level)
    if footprint is not None:
        footprint = _support.host_array(footprint, bool)
        if not footprint.any():
            raise ValueError("All-zero footprint is not supported.")
    if structure is not None:
        structure = _support.host_array(structure, numpy.float64)
        footprint = numpy.ones(structure.shape, bool) if footprint is None else footprint
    elif footprint is None and size is None:
        raise RuntimeError("no footprint provided")
    elif footprint is not None and footprint.all():
        size, footprint = footprint.shape, None
    input = _support.real_image(input)
    output = _support.output_of(output, input)
    axes = _support.axes_of(axes, input.ndim)
    if footprint is not None:
        return _window_filter(input, footprint, output, mode, cval, origin, axes, op, 0, structure)
    windows = _support.box_windows(input, size, mode, origin, axes)
    _core._image_filter_axes(output, input, op, windows, _support.real_cval(cval), False)
    return output


@documented(size=("int", "The size of the window."))
@beside
def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The least element of a window along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.minimum_filter1d(tn.array([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([2, 0, 0, 0, 1, 1, 0, 0])
    """
    return _extreme_1d(input, size, axis, output, mode, cval, origin, _support.LEAST)


@documented(size=("int", "The size of the window."))
@beside
def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The largest element of a window along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.maximum_filter1d(tn.array([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([8, 8, 8, 4, 9, 9, 9, 9])
    """
    return _extreme_1d(input, size, axis, output, mode, cval, origin, _support.MOST)


@documented()
@beside
def minimum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The least element of a window.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.minimum_filter(tn.arange(9).reshape(3, 3), 3)
    array([[0, 0, 1],
           [0, 0, 1],
           [3, 3, 4]])
    """
    return extreme(input, size, footprint, None, output, mode, cval, origin, _support.LEAST, axes)


@documented()
@beside
def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The largest element of a window.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.maximum_filter(tn.arange(9).reshape(3, 3), 3)
    array([[4, 5, 5],
           [7, 8, 8],
           [7, 8, 8]])
    """
    return extreme(input, size, footprint, None, output, mode, cval, origin, _support.MOST, axes)


def _rank_of(rank, count, operation):
    """The place in ascending order of a rank, a percentile or the median of `count` elements."""
    if operation == "median":
        rank = count // 2
    elif operation == "percentile":
        percentile = rank + 100.0 if rank < 0.0 else rank
        if percentile < 0 or percentile > 100:
            raise RuntimeError("invalid percentile")
        rank = count - 1 if percentile == 100.0 else int(float(count) * percentile / 100.0)
    rank = rank + count if rank < 0 else rank
    if rank < 0 or rank >= count:
        raise RuntimeError("rank not within filter footprint size")
    return rank


def _rank_of_box(input, rank, size, output, mode, cval, origin, operation):
    """The same for a box over all axes, without an array of its places."""
    lows, count = _support.lows_of(size, _support.sequence_of(origin, input.ndim)), math.prod(size)
    rank = _rank_of(rank, count, operation)
    if rank == 0 or rank == count - 1:
        op = _support.MOST if rank else _support.LEAST
        return extreme(input, size, None, None, output, mode, cval, origin, op, None)
    output = _support.output_of(output, input)
    edges, cval = (_support.edge_of(mode),) * input.ndim, _support.stored_cval(cval, input.dtype)
    _core._image_filter(output, input, _support.RANK, size, lows, edges, cval, None, None, rank, None, False)
    return output


def _rank_filter(input, rank, size, footprint, output, mode, cval, origin, operation, axes):
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=4)
    input = _support.real_image(input)
    axes = _support.axes_of(axes, input.ndim)
    if footprint is None:
        if size is None:
            raise RuntimeError("no footprint or filter size provided")
        sizes = _support.sequence_of(size, len(axes))
        is_box = axes == tuple(range(input.ndim)) and all(type(one) is int and one > 0 for one in sizes)
        if is_box and not _support.is_several(mode):
            return _rank_of_box(input, rank, tuple(sizes), output, mode, cval, origin, operation)
        footprint = numpy.ones(sizes, bool)
    else:
        footprint = _support.host_array(footprint, bool)
    footprint, origins = _support.placed_window(footprint, origin, axes, input.ndim, "footprint")
    _support.lows_of(footprint.shape, origins)
    count = int(footprint.sum())
    rank = _rank_of(rank, count, operation)
    if _support.is_several(mode):
        mode = _support.expanded(_support.sequence_of(mode, len(axes)), axes, input.ndim, "constant")
    if rank == 0 or rank == count - 1:
        op = _support.MOST if rank else _support.LEAST
        return extreme(input, None, footprint, None, output, mode, cval, origins, op, None)
    if _support.is_several(mode):
        raise RuntimeError("A sequence of modes is not supported by non-separable rank filters")
    output = _support.output_of(output, input)
    axes, cval = tuple(range(input.ndim)), _support.stored_cval(cval, input.dtype)
    return _window_filter(input, footprint, output, mode, cval, origins, axes, _support.RANK, rank)


@documented()
@beside
def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The element of a rank among those of a window. NaN has no place in their order.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.rank_filter(tn.array([2, 8, 0, 4, 1, 9, 9, 0]), 1, size=3)
    array([2, 2, 4, 1, 4, 9, 9, 0])
    """
    rank = operator.index(rank)
    return _rank_filter(input, rank, size, footprint, output, mode, cval, origin, "rank", axes)


@documented()
@beside
def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The median of a window; of an even number of elements the larger one in the middle.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.median_filter(tn.array([[1, 9, 2], [7, 3, 8], [4, 6, 5]]), 3)
    array([[3, 3, 3],
           [4, 5, 5],
           [4, 5, 5]])
    """
    return _rank_filter(input, 0, size, footprint, output, mode, cval, origin, "median", axes)


@documented()
@beside
def percentile_filter(
    input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """A percentile of a window: one of its elements.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.percentile_filter(tn.array([2, 8, 0, 4, 1, 9, 9, 0]), 20, size=5)
    array([2, 2, 1, 1, 1, 1, 0, 0])
    """
    return _rank_filter(input, percentile, size, footprint, output, mode, cval, origin, "percentile", axes)
