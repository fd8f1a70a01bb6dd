"""A filter by a function that takes all windows at once."""

import math

import numpy

from tenorite import _core, lib, moveaxis, pad
from tenorite._arguments import as_array, beside
from tenorite.scipy.ndimage import _support
from tenorite.scipy.ndimage._documents import documented

_PADS = {
    "nearest": "edge",
    "reflect": "symmetric",
    "mirror": "reflect",
    "grid-mirror": "reflect",
    "grid-constant": "constant",
    "grid-wrap": "wrap",
}
_MODES = {"reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap", "valid"}


def _integers(values, count, name, least):
    values = (values,) * count if numpy.isscalar(values) else tuple(values)
    if not all(numpy.issubdtype(numpy.asarray(one).dtype, numpy.integer) and one >= least for one in values):
        kind = "positive integers" if least > 0 else "integers"
        raise ValueError(f"All elements of `{name}` must be {kind}.")
    return tuple(map(int, values))


def _check(function, size, footprint, mode, cval, batch_memory):
    if not callable(function):
        raise ValueError("`function` must be a callable.")
    if size is None and footprint is None:
        raise ValueError("Either `size` or `footprint` must be provided.")
    if size is not None and footprint is not None:
        raise ValueError("Either `size` or `footprint` may be provided, not both.")
    if mode not in _MODES:
        raise ValueError(f"`mode` must be one of {_MODES}.")
    if cval is not None and _PADS.get(mode, mode) != "constant":
        raise ValueError("Use of `cval` is compatible only with `mode='constant'`.")
    if not numpy.isscalar(batch_memory) or not batch_memory > 0:
        raise ValueError("`batch_memory` must be positive number.")


def _in_batches(function, view, axes, output, batch_memory):
    """What a function gives for windows, for as many at a time as the memory allows."""
    if not axes:
        return function(view, axis=axes)
    rows = int(min(view.shape[0], batch_memory / (math.prod(view.shape[1:]) * view.dtype.itemsize)))
    if rows < 1:
        raise ValueError("`batch_memory` is insufficient for minimum chunk size.")
    if rows == view.shape[0] and output is None:
        return function(view, axis=axes)
    for first in range(0, view.shape[0], rows):
        some = function(view[first : first + rows], axis=axes)
        if output is None:
            output = _core.empty(view.shape[: view.ndim - len(axes)], dtype=some.dtype)
        output[first : first + rows] = some
    return output


@documented(
    function=(
        "callable",
        "``function(windows, axis=axes)`` gives a value for each window, which lie along these axes.",
    ),
    batch_memory=("int, optional", "How many bytes of windows the function gets at a time at most."),
    mode=("str, optional", "The modes of other filters, and 'valid': windows that lie on the image."),
)
@beside
def vectorized_filter(
    input,
    function,
    *,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=None,
    origin=None,
    axes=None,
    batch_memory=2**30,
):
    """What a function gives for the elements of each window, of which it takes many at once.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.vectorized_filter(tn.array([1.0, 5.0, 2.0, 8.0]), tn.ptp, size=3, mode="valid")
    array([4., 6.])
    """
    _check(function, size, footprint, mode, cval, batch_memory)
    input = as_array(input)
    axes = tuple(range(-input.ndim, 0)) if axes is None else (axes,) if numpy.isscalar(axes) else tuple(axes)
    count, inner = len(axes), function
    if count > input.ndim:
        raise ValueError("The length of `axes` may not exceed the dimensionality of `input`(`input.ndim`).")
    if footprint is not None:
        footprint = _support.host_array(footprint, bool)
        size, places = footprint.shape, _core.asarray(numpy.flatnonzero(footprint))

        def inner(windows, axis):
            return function(windows.reshape(*windows.shape[: windows.ndim - count], -1)[..., places], axis=-1)

    size = _integers(size, count, "size", 1)
    if len(size) != count:
        raise ValueError(
            "`axes` must be compatible with the dimensionality of the window specified by `size` or `footprint`."
        )
    origin = _integers(0 if origin is None else origin, count, "origin", -math.inf)
    if len(origin) != count:
        raise ValueError("`origin` must be an integer or tuple of integers with length equal to the number of axes.")
    if mode == "valid" and any(origin):
        raise ValueError("`mode='valid'` is incompatible with use of `origin`.")
    if input.size == 0:
        return input if output is None else _support.output_of(output, input)
    last, way = tuple(range(-count, 0)), _PADS.get(mode, mode)
    image = moveaxis(input, axes, last)
    if way != "valid" and count:
        borders = [(one // 2 + at, (one - 1) // 2 - at) for one, at in zip(size, origin, strict=True)]
        keywords = {"constant_values": 0.0 if cval is None else cval} if way == "constant" else {}
        image = pad(image, [(0, 0)] * (input.ndim - count) + borders, mode=way, **keywords)
    view = lib.stride_tricks.sliding_window_view(image, size, last)
    given = None if output is None else moveaxis(output, axes, last)
    return moveaxis(_in_batches(inner, view, last, given, batch_memory), last, axes)
