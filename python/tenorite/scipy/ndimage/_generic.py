"""Windows that a function of the program's own takes: kernels on the device, others on the host."""

import re
import warnings

import numpy

from tenorite import ElementwiseKernel, RawKernel, ReductionKernel, _core, lib, moveaxis, pad
from tenorite._arguments import beside, on_host
from tenorite.scipy.ndimage import _support
from tenorite.scipy.ndimage._documents import documented

_PADS = ("edge", "wrap", "symmetric", "reflect", "constant")  # by the number of a mode
_ELEMENTS = 1 << 26  # of windows that are made at a time

# One call of the program's function for each row of windows.
_APPLY = {
    "windows": """extern "C" __global__ void apply(double *from, long long size, double *to, long long count) {
    for (long long k = blockIdx.x * 128ll + threadIdx.x; k < count; k += gridDim.x * 128ll)
        program::%s(from + k * size, size, to + k);
}""",
    "lines": """extern "C" __global__ void apply(double *from, long long size, double *to, long long n, long long count) {
    for (long long k = blockIdx.x * 128ll + threadIdx.x; k < count; k += gridDim.x * 128ll)
        program::%s(from + k * size, size, to + k * n, n);
}""",
}


def _padded(input, lows, size, edge, cval):
    """The image with what windows hold beyond its edges."""
    widths = [(low, extent - 1 - low) for low, extent in zip(lows, size, strict=True)]
    keywords = {"constant_values": cval} if edge == _support.CONSTANT else {}
    return pad(input, widths, mode=_PADS[edge], **keywords)


def _applied(kernel, kind):
    """The kernel of a program, as a function of one row for each thread."""
    text = re.sub(r'extern\s*"C"', "", kernel.code).replace("__global__", "__device__")
    return RawKernel(f"namespace program {{\n{text}\n}}\n{_APPLY[kind] % kernel.name}", "apply", kernel.options)


def _blocks(count):
    return (max(min(-(-count // 128), 1 << 16), 1),), (128,)


def _check_kernel(function):
    if isinstance(function, ElementwiseKernel):
        raise TypeError("only ReductionKernel allowed (not ElementwiseKernel)")
    if isinstance(function, ReductionKernel) and (function.nin != 1 or function.nout != 1):
        raise TypeError("ReductionKernel must have 1 input and output")
    if not callable(function):
        raise TypeError("bad function type")


def _chosen(view, footprint, ndim):
    """The elements of each window that belong to it, along the last axis."""
    flat = view.reshape(*view.shape[:ndim], -1)
    if footprint.all():
        return flat
    return flat[..., _core.asarray(numpy.flatnonzero(footprint))]


def _by_raw_kernel(kernel, view, footprint, output):
    apply, size = _applied(kernel, "windows"), int(footprint.sum())
    rows = max(_ELEMENTS // max(size * output[:1].size, 1), 1)
    for first in range(0, view.shape[0], rows):
        some = view[first : first + rows]
        windows = _core.ascontiguousarray(_chosen(some, footprint, output.ndim).astype(numpy.float64))
        results = _core.empty_like(output[first : first + rows], dtype=numpy.float64, order="C")
        apply(*_blocks(results.size), (windows, size, results, results.size))
        output[first : first + rows] = results


def _by_reduction(kernel, view, footprint, output):
    if footprint.all():
        output[...] = kernel(view, axis=tuple(range(output.ndim, view.ndim)))
    else:
        output[...] = kernel(_chosen(view, footprint, output.ndim), axis=output.ndim)


def _by_function(function, padded, footprint, output, arguments, keywords):
    """Windows of float64 in the host's memory, one after the other, as in SciPy."""
    padded = numpy.asarray(on_host(padded), dtype=numpy.float64)
    view = numpy.lib.stride_tricks.sliding_window_view(padded, footprint.shape)
    results = numpy.empty(output.shape)
    for at in numpy.ndindex(output.shape):
        results[at] = function(view[at][footprint], *arguments, **keywords)
    output[...] = _core.asarray(results)


@documented(
    function=(
        "callable",
        "A ReductionKernel of one input and output; a RawKernel ``(double *window, int size, double *result)``; or a "
        "function of Python, which is called for each window with a numpy.ndarray of float64 in the host's memory.",
    )
)
@beside
def generic_filter(
    input,
    function,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
):
    """What a function gives for the elements of each window.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.generic_filter(tn.array([1.0, 5.0, 2.0, 8.0]), lambda window: window.max() - window.min(), size=3)
    array([4., 4., 6., 6.])
    """
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=3)
    _check_kernel(function)
    input = _support.real_image(input)
    axes = _support.axes_of(axes, input.ndim)
    if footprint is None:
        if size is None:
            raise RuntimeError("no footprint or filter size provided")
        footprint = numpy.ones(_support.sequence_of(size, len(axes)), bool)
    else:
        footprint = _support.host_array(footprint, bool)
    footprint, origins = _support.placed_window(footprint, origin, axes, input.ndim, "footprint")
    lows = _support.lows_of(footprint.shape, origins)
    output = _support.output_of(output, input)
    edge = _support.edge_of(mode)
    if input.size == 0:
        return output
    padded = _padded(input, lows, footprint.shape, edge, cval)
    if isinstance(function, (RawKernel, ReductionKernel)):
        view = lib.stride_tricks.sliding_window_view(padded, footprint.shape)
        by = _by_raw_kernel if isinstance(function, RawKernel) else _by_reduction
        by(function, view, footprint, output)
    else:
        _by_function(function, padded, footprint, output, extra_arguments, extra_keywords or {})
    return output


@documented(
    function=(
        "callable",
        "A RawKernel ``(double *input_line, ptrdiff_t input_length, double *output_line, ptrdiff_t output_length)``; "
        "or a function of Python, which is called for each line with two numpy.ndarray of float64 in the host's "
        "memory: the line with what lies beyond its ends, and the one that it fills.",
    )
)
@beside
def generic_filter1d(
    input,
    function,
    filter_size,
    axis=-1,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
):
    """What a function makes of each line along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> def differences(line, out):
    ...     out[...] = line[2:] - line[:-2]
    >>> ndimage.generic_filter1d(tn.array([1.0, 5.0, 2.0, 8.0]), differences, 3)
    array([4., 1., 3., 6.])
    """
    _check_kernel(function)
    if isinstance(function, ReductionKernel):
        raise TypeError("bad function type")
    input = _support.real_image(input)
    output = _support.output_of(output, input)
    if filter_size < 1:
        raise RuntimeError("invalid filter size")
    axis = _support.axis_of(axis, input.ndim)
    low = filter_size // 2 + origin
    if low < 0 or low >= filter_size:
        raise ValueError("invalid origin")
    edge = _support.edge_of(mode)
    if input.size == 0:
        return output
    lines = moveaxis(input, axis, -1).astype(numpy.float64)
    lows, sizes = [0] * input.ndim, [1] * input.ndim
    lows[-1], sizes[-1] = low, filter_size
    padded = _core.ascontiguousarray(_padded(lines, lows, sizes, edge, cval))
    n, wide = lines.shape[-1], padded.shape[-1]
    if isinstance(function, RawKernel):
        results = _core.empty_like(lines, order="C")
        count = results.size // n
        _applied(function, "lines")(*_blocks(count), (padded, wide, results, n, count))
    else:
        results, host = numpy.empty(lines.shape), on_host(padded)
        for at in numpy.ndindex(lines.shape[:-1]):
            function(host[at], results[at], *extra_arguments, **(extra_keywords or {}))
        results = _core.asarray(results)
    output[...] = moveaxis(results, -1, axis)
    return output
