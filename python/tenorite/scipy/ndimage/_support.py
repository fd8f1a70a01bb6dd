"""What functions of images accept: edges, axes, outputs, one value for each axis, windows."""

import math
import operator
import warnings
from collections.abc import Iterable

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tenorite import _core
from tenorite._arguments import as_array, host_view, ndarray

SUM, LEAST, MOST, RANK = range(4)
NEAREST, CONSTANT = 0, 4
VALUES_MOST = 64  # weights that come with a call
_EDGES = {
    "nearest": 0,
    "wrap": 1,
    "grid-wrap": 1,
    "reflect": 2,
    "grid-mirror": 2,
    "mirror": 3,
    "constant": 4,
    "grid-constant": 4,
}


def edge_of(mode):
    """The number of a mode."""
    try:
        return _EDGES[mode]
    except (KeyError, TypeError):
        raise RuntimeError("boundary mode not supported") from None


def is_several(mode):
    """Whether modes are given one by one."""
    return not isinstance(mode, str) and isinstance(mode, Iterable)


def axis_of(axis, ndim):
    """An axis that counts from the beginning; AxisError where there is none."""
    return axis if type(axis) is int and 0 <= axis < ndim else normalize_axis_index(axis, ndim)


def sequence_of(value, rank):
    """A list with a value for each axis."""
    if isinstance(value, (int, float, str)) or value is None or not numpy.iterable(value):
        return [value] * rank
    values = list(value)
    if len(values) != rank:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return values


def axes_of(axes, ndim):
    """The axes that are meant, as a tuple."""
    if axes is None:
        return tuple(range(ndim))
    if numpy.isscalar(axes):
        axes = (operator.index(axes),)
    elif not isinstance(axes, Iterable):
        raise ValueError("axes must be an integer, iterable of integers, or None")
    axes = tuple(operator.index(axis) for axis in axes)
    for axis in axes:
        if axis < -ndim or axis > ndim - 1:
            raise ValueError(f"specified axis: {axis} is out of range")
    axes = tuple(axis % ndim for axis in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("axes must be unique")
    return axes


def output_of(output, input, is_complex=False):
    """The array that a result goes to."""
    if output is None:
        dtype = numpy.promote_types(input.dtype, numpy.complex64) if is_complex else input.dtype
        return _core.empty_like(input, dtype=dtype, order="C")
    if isinstance(output, (type, numpy.dtype)):
        dtype = numpy.dtype(output)
        if is_complex and dtype.kind != "c":
            warnings.warn("promoting specified output dtype to complex", stacklevel=4)
            dtype = numpy.promote_types(dtype, numpy.complex64)
        return _core.empty_like(input, dtype=dtype, order="C")
    if isinstance(output, str):
        dtype = numpy.dtype(output)
        if is_complex and dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        if not issubclass(dtype.type, numpy.number):
            raise RuntimeError("output must have numeric dtype")
        return _core.empty_like(input, dtype=dtype, order="C")
    output = as_array(output)
    if output.shape != input.shape:
        raise RuntimeError("output shape not correct")
    if is_complex and output.dtype.kind != "c":
        raise RuntimeError("output must have complex dtype")
    return output


def real_image(input):
    """An image that is not complex."""
    input = as_array(input)
    if input.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    return input


def expanded(values, axes, ndim, rest):
    """A list with a value for each axis of the image, `rest` where windows do not extend. Of all
    axes values are in the image's order, whatever that of `axes` is, as windows themselves."""
    if len(axes) == ndim:
        return list(values)
    result = [rest] * ndim
    for axis, value in zip(axes, values, strict=True):
        result[axis] = value
    return result


def expanded_window(window, axes, ndim, name):
    """A window, an array of any kind, with axes of size 1 where it does not extend."""
    if len(axes) < ndim:
        if window.ndim != len(axes):
            raise RuntimeError(f"{name}.ndim ({window.ndim}) must match len(axes) ({len(axes)})")
        window = window[tuple(slice(None) if axis in axes else None for axis in range(ndim))]
    return window


def placed_window(window, origin, axes, ndim, name):
    """A window, an array of any kind, and its origins, for each axis of the image. RuntimeError for
    one of another rank than the image, or without elements."""
    window = expanded_window(window, axes, ndim, name)
    origins = expanded(sequence_of(origin, len(axes)), axes, ndim, 0)
    if len([size for size in window.shape if size > 0]) != ndim:
        raise RuntimeError(f"{name}.ndim ({window.ndim}) must match len(axes) ({len(axes)})")
    return window, origins


def lows_of(shape, origins):
    """How many elements windows begin before theirs, for each axis; ValueError for those that do
    not hold it."""
    lows = tuple(size // 2 + operator.index(origin) for size, origin in zip(shape, origins, strict=True))
    if any(low < 0 or low >= size for low, size in zip(lows, shape, strict=True)):
        raise ValueError("invalid origin")
    return lows


def host_array(value, dtype=None):
    """A NumPy array of an argument; one of the device is waited for."""
    return numpy.asarray(host_view(value) if isinstance(value, ndarray) else value, dtype=dtype)


def places_of(footprint):
    """The places of a footprint as a window takes them: None where it is a whole box."""
    if footprint.all():
        return None
    return _core.asarray(footprint.ravel().nonzero()[0].astype(numpy.int32))


def weights_of(weights):
    """Weights as a window takes them: few of the host as numbers, others as an array."""
    if isinstance(weights, ndarray):
        if weights.size > VALUES_MOST or weights.device.backend != "host":
            return weights
        weights = host_view(weights)
    if weights.size <= VALUES_MOST:
        return tuple(weights.ravel().tolist())
    return _core.asarray(numpy.ascontiguousarray(weights))


def is_wide(input, weights):
    """Whether an image of f32 is summed in f64: where weights are integers, as in CuPy."""
    return weights.dtype.kind in "iub"


def real_cval(cval):
    """The value beyond the edges as a float."""
    return cval if type(cval) is float else float(cval)


def stored_cval(cval, dtype):
    """The value beyond the edges as an element, for what puts elements in an order."""
    if dtype.kind not in "iu" or not math.isfinite(cval):
        return real_cval(cval)
    bits = 8 * dtype.itemsize
    least = -1 << (bits - 1) if dtype.kind == "i" else 0
    return float((int(cval) - least) % (1 << bits) + least)


def box_windows(input, size, mode, origin, axes):
    """A window for each axis over which a box extends."""
    axes = axes_of(axes, input.ndim)
    sizes = sequence_of(size, len(axes))
    origins = sequence_of(origin, len(axes))
    modes = sequence_of(mode, len(axes))
    windows = []
    for axis, one, place, edge in zip(axes, sizes, origins, modes, strict=True):
        if one > 1:
            one = int(one)
            low = one // 2 + place
            if low < 0 or low >= one:
                raise ValueError("invalid origin")
            windows.append((axis, one, low, edge_of(edge), None))
    return tuple(windows)
