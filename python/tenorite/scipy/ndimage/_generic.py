"""Windows that a function of the program's own takes: kernels on the device, others on the host."""

import re
import warnings

import numpy

from tenorite import ElementwiseKernel, RawKernel, ReductionKernel, _core, moveaxis, pad
from tenorite._arguments import beside, on_host
from tenorite._kernels.parameters import type_name
from tenorite.scipy.ndimage import _support
from tenorite.scipy.ndimage._documents import documented

_PADS = ("edge", "wrap", "symmetric", "reflect", "constant")  # by the number of a mode

_APPLY = {
    "windows": """extern "C" __global__ void apply(%(from)s *from, long long *geometry, int ndim, int size, %(to)s *to, long long count) {
    tni::each_window<%(room)d>(from, tni::window_geometry(geometry, ndim, size), to, count, %(each)s);
}""",
    "lines": """extern "C" __global__ void apply(double *from, long long size, double *to, long long n, long long count) {
    for (long long k = blockIdx.x * 128ll + threadIdx.x; k < count; k += gridDim.x * 128ll)
        program::%(name)s(from + k * size, size, to + k * n, n);
}""",
}

# The texts of a ReductionKernel, as tni::reduce_window calls them.
_REDUCTION = (
    "struct reduction {{",
    "typedef {value} value;",
    "static const bool has_identity = {has_identity};",
    "static TNI_CALL value start() {{ return value({identity}); }}",
    "static TNI_CALL value reduce(value a, value b) {{ return static_cast<value>({reduce}); }}",
    "template <class A, class I> static TNI_CALL value map({from_type} &{input}, A &_raw_{input}, I &_in_ind, int _j) {{",
    "return static_cast<value>({map}); }}",
    "template <class A, class I, class O> static TNI_CALL void write(value a, {to_type} &{output}, A &_raw_{output},",
    "I &_in_ind, O &_out_ind) {{",
    "{post}; }}",
    "}};",
)


def _padded(input, lows, size, edge, cval):
    """The image with what windows hold beyond its edges."""
    widths = [(low, extent - 1 - low) for low, extent in zip(lows, size, strict=True)]
    keywords = {"constant_values": cval} if edge == _support.CONSTANT else {}
    return pad(input, widths, mode=_PADS[edge], **keywords)


def _program(kind, text, options, **names):
    """A program that gives a text of the program's own what it is called for."""
    apply = _APPLY[kind] % names
    return RawKernel(f"#include <tenorite/windows.cuh>\nnamespace program {{\n{text}\n}}\n{apply}", "apply", options)


def _as_function(kernel):
    return re.sub(r'extern\s*"C"', "", kernel.code).replace("__global__", "__device__")


def _blocks(count):
    return (max(min(-(-count // 128), 1 << 16), 1),), (128,)


def _check_kernel(function):
    if isinstance(function, ElementwiseKernel):
        raise TypeError("only ReductionKernel allowed (not ElementwiseKernel)")
    if isinstance(function, ReductionKernel) and (function.nin != 1 or function.nout != 1):
        raise TypeError("ReductionKernel must have 1 input and output")
    if not callable(function):
        raise TypeError("bad function type")


def _by_windows(text, options, each, padded, footprint, results):
    """What `each` makes of the windows of an image. Programs have room for a power of two of
    elements, so that few of them are compiled."""
    padded, size = _core.ascontiguousarray(padded), int(footprint.sum())
    strides = [stride // padded.itemsize for stride in padded.strides]
    places = numpy.argwhere(footprint) @ numpy.array(strides, numpy.int64)
    geometry = _core.asarray(numpy.concatenate([results.shape, strides, places]).astype(numpy.int64))
    names = {"from": type_name(padded.dtype), "to": type_name(results.dtype)}
    apply = _program("windows", text, options, room=1 << max(size - 1, 0).bit_length(), each=each, **names)
    apply(
        *_blocks(results.size), (padded, geometry, numpy.int32(results.ndim), numpy.int32(size), results, results.size)
    )
    return results


def _by_raw_kernel(kernel, padded, footprint, output):
    each = f"[](double *window, int size, double *to) {{ program::{kernel.name}(window, size, to); }}"
    results = _core.empty(output.shape, numpy.float64)
    output[...] = _by_windows(_as_function(kernel), kernel.options, each, padded, footprint, results)


def _by_reduction(kernel, padded, footprint, output):
    """Each window by itself: the texts may name its elements, ``_raw_x``, and their count."""
    (first,), (last,) = kernel.in_params, kernel.out_params
    if not kernel.identity and not footprint.any():
        raise ValueError(f"{kernel.name} has no identity, so it makes nothing of a footprint without elements")
    from_dtype, types = numpy.dtype(first.dtype or padded.dtype), {}
    to_dtype = from_dtype if last.ctype == first.ctype else numpy.dtype(last.dtype or output.dtype)
    for parameter, dtype in ((first, from_dtype), (last, to_dtype)):
        if parameter.dtype is None:
            types[parameter.ctype] = f"typedef {type_name(dtype)} {parameter.ctype};"
    names = {
        "value": kernel.reduce_type or type_name(to_dtype),
        "has_identity": str(bool(kernel.identity)).lower(),
        "identity": kernel.identity,
        "map": kernel.map_expr,
        "reduce": kernel.reduce_expr,
        "post": kernel.post_map_expr,
        "input": first.name,
        "output": last.name,
        "from_type": ("const " if first.is_const else "") + type_name(from_dtype),
        "to_type": type_name(to_dtype),
    }
    text = "\n".join([*types.values(), kernel.preamble, *(line.format(**names) for line in _REDUCTION)])
    each = "[](auto *window, int size, auto *to) { tni::reduce_window<program::reduction>(window, size, to); }"
    padded, results = padded.astype(from_dtype, copy=False), _core.empty(output.shape, to_dtype)
    output[...] = _by_windows(text, kernel.options, each, padded, footprint, results)


def _by_function(function, padded, footprint, output, arguments, keywords):
    """Windows of float64 in the host's memory, one after the other, as in SciPy."""
    padded = on_host(padded)
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
    if not isinstance(function, ReductionKernel):
        input = input.astype(numpy.float64, copy=False)  # before `cval` is beside its elements
    padded = _padded(input, lows, footprint.shape, edge, cval)
    if isinstance(function, RawKernel):
        _by_raw_kernel(function, padded, footprint, output)
    elif isinstance(function, ReductionKernel):
        _by_reduction(function, padded, footprint, output)
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
        apply = _program("lines", _as_function(function), function.options, name=function.name)
        apply(*_blocks(count), (padded, wide, results, n, count))
    else:
        results, host = numpy.empty(lines.shape), on_host(padded)
        for at in numpy.ndindex(lines.shape[:-1]):
            function(host[at], results[at], *extra_arguments, **(extra_keywords or {}))
        results = _core.asarray(results)
    output[...] = moveaxis(results, -1, axis)
    return output
