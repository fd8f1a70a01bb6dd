"""Convolutions of arrays.

Where cuDNN serves, an algorithm is looked for once for each kind of call, and kept; so is that it
has none. Where memory lacks for the workspace that is allowed, half of it is tried, and so on. What
was found with less is looked for again at the second, fourth, eighth ... call.
"""

import functools
import operator
import os
import types

import numpy

import tenorite
from tenorite.cuda import cudnn
from tenorite.cuda._raw.dnn import convolution as ours
from tenorite.cuda._raw.dnn.descriptors import STATUS
from tenorite.cudnn import _plans
from tenorite.cudnn._descriptors import (
    KEPT,
    NCHW,
    NHWC,
    as_nchw,
    check_arrays,
    compute_number,
    contiguous,
    convolution_facts,
    create_convolution_descriptor,
    forget,
    get_handle,
    get_max_workspace_size,
    is_tensor_core_available,
    keep,
    kept_filter,
    kept_tensor,
    one_and_zero,
)
from tenorite.cudnn._documents import documented
from tenorite.cudnn._plans import FILTERS
from tenorite.cudnn._served import compute, is_refusal, limits, warn
from tenorite.exceptions import PerformanceWarning

_TEXTS = {ours.FORWARD: "fwd", ours.DATA: "bwd data", ours.FILTER: "bwd filter"}
_NAMES = {ours.FORWARD: "Forward", ours.DATA: "BackwardData", ours.FILTER: "BackwardFilter"}
_RUN = {
    ours.FORWARD: cudnn.convolutionForward,
    ours.DATA: cudnn.convolutionBackwardData_v3,
    ours.FILTER: cudnn.convolutionBackwardFilter_v3,
}
_FMA_MATH = 3  # CUDNN_FMA_MATH, since version 8


class _Prepared:
    """What calls of one kind need: descriptors of the arrays, convolution, algorithm, its bytes.
    `is_short`: it was looked for with less memory than was allowed."""

    def __init__(self, descriptors, convolution, chosen, is_short):
        self.descriptors, self.convolution, self.is_short = descriptors, convolution, is_short
        self.algo, self.memory, self.calls = chosen.algo, chosen.memory, 0

    def is_due(self):
        """Whether it is to be looked for again, which is asked at each call."""
        self.calls += 1
        return self.is_short and self.calls > 1 and self.calls & (self.calls - 1) == 0


class _Call:
    """A convolution of arrays in the order of cuDNN's function: two inputs and the output."""

    def __init__(self, kind, name, arrays, facts, tuned, layouts):
        self.kind, self.name, self.arrays, self.facts, self.layouts = kind, name, arrays, facts, layouts
        self.auto_tune, self.deterministic, self.use_tensor_core = tuned

    def _descriptors(self):
        """The descriptors of the arrays, in their order."""
        filters = FILTERS[self.kind]
        return [
            (kept_filter if place == filters else kept_tensor)(array.shape, array.dtype, self.layouts[place == filters])
            for place, array in enumerate(self.arrays)
        ]

    def _math(self):
        """The kind of mathematics that is asked for: float32 as it is, unless TENORITE_TF32=1."""
        if self.use_tensor_core:
            return cudnn.CUDNN_TENSOR_OP_MATH
        dtype = self.arrays[0].dtype
        if dtype == numpy.float64 or (dtype == numpy.float32 and os.environ.get("TENORITE_TF32") == "1"):
            return cudnn.CUDNN_DEFAULT_MATH
        return _FMA_MATH

    def _convolution(self, math):
        """The descriptor, for a kind of mathematics."""
        pad, stride, dilation, groups = self.facts
        dtype = self.arrays[0].dtype

        def make():
            made = create_convolution_descriptor(pad, stride, dtype, dilation=dilation, groups=groups)
            cudnn.setConvolutionMathType(made.value, math)
            return made

        return keep("convolution", (self.facts, dtype, math), make)

    def _find(self, handle, descriptors, convolution, limit):
        """The algorithms that were tried, the fastest first, and the bytes of workspace that they
        had."""
        find = getattr(cudnn, f"findConvolution{_NAMES[self.kind]}AlgorithmEx_v7")
        for size in limits(limit):
            try:
                work = tenorite.cuda.alloc(size)
                break
            except tenorite.cuda.memory.OutOfMemoryError:
                if not size:
                    raise
        (first, a), (second, b), (third, c) = zip(descriptors, (array.data.ptr for array in self.arrays))
        count = 10 if self.deterministic else 1
        return find(handle, first, a, second, b, convolution, third, c, count, work.ptr, size), size

    def _choose(self, handle, descriptors, math, limit):
        """The algorithm (None: none of cuDNN's fits), and the bytes of the search's workspace."""
        convolution = self._convolution(math).value
        descriptors = [one.value for one in descriptors]
        if self.auto_tune and not self.deterministic:
            found, searched = self._find(handle, descriptors, convolution, limit)
        else:
            get = getattr(cudnn, f"getConvolution{_NAMES[self.kind]}Algorithm_v7")
            first, second, third = descriptors
            found, searched = get(handle, first, second, convolution, third, 10), limit
        usable = [one for one in found if one.status == 0 and (one.determinism or not self.deterministic)]
        fitting = [one for one in usable if one.memory <= limit]
        text = _TEXTS[self.kind]
        if usable and (not fitting or fitting[0] is not usable[0]):
            warn(
                f"The best algo of conv {text} might not be selected due to lack of workspace size ({limit})",
                PerformanceWarning,
            )
        if fitting and self.use_tensor_core and fitting[0].mathType != cudnn.CUDNN_TENSOR_OP_MATH:
            warn(
                f"Tensor Core mode is set but the selected algorithm of conv {text} is not a Tensor Core enabled "
                f"one. This might be due to lack of workspace memory. {self._info()}",
                PerformanceWarning,
            )
        return fitting[0] if fitting else None, searched

    def _info(self):
        shapes = ", ".join(f"{array.shape} {array.dtype}" for array in self.arrays)
        pad, stride, dilation, groups = self.facts
        return f"arrays {shapes}, pad={pad}, stride={stride}, dilation={dilation}, groups={groups}"

    def _prepare(self, math, limit):
        """What a call of such arrays needs; or the status of a refusal."""
        handle = get_handle()
        try:
            descriptors = self._descriptors()
            chosen, searched = self._choose(handle, descriptors, math, limit)
        except cudnn.CuDNNError as error:
            if not is_refusal(error):
                raise
            return error.status
        if chosen is None:
            return STATUS["NOT_SUPPORTED"]
        return _Prepared(descriptors, self._convolution(chosen.mathType), chosen, searched < limit)

    def _prepared(self, math, limit):
        """The same, kept from another call unless its search is due again; and its key."""
        shapes = tuple((array.shape, array.dtype) for array in self.arrays)
        key = shapes, self.kind, self.facts, self.layouts, self.auto_tune, self.deterministic, math, limit
        found = keep("convolving", key, lambda: self._prepare(math, limit))
        if isinstance(found, _Prepared) and found.is_due():
            calls = found.calls
            forget("convolving", key)
            found = keep("convolving", key, lambda: self._prepare(math, limit))
            if isinstance(found, _Prepared):
                found.calls = calls
        if isinstance(found, int):
            raise cudnn.CuDNNError(found)
        return found, key

    def run(self):
        """Calls cuDNN, with as much workspace as can be had. A search would end a capture: there
        cuDNN's own choice serves."""
        math = self._math()
        self.auto_tune = self.auto_tune and not tenorite.cuda.get_current_stream().is_capturing()
        for limit in limits(get_max_workspace_size()):
            prepared, key = self._prepared(math, limit)
            try:
                work = tenorite.cuda.alloc(prepared.memory)
                break
            except tenorite.cuda.memory.OutOfMemoryError:
                if not limit:
                    raise
        one, zero = one_and_zero(self.arrays[0].dtype)
        (first, second, third), (a, b, c) = prepared.descriptors, self.arrays
        try:
            words = first.value, a.data.ptr, second.value, b.data.ptr, prepared.convolution.value
            space = prepared.algo, work.ptr, prepared.memory
            _RUN[self.kind](get_handle(), one, *words, *space, zero, third.value, c.data.ptr)
        except cudnn.CuDNNError as error:
            error.add_infos([f"func: cudnnConvolution{_NAMES[self.kind]}", self._info(), f"layouts {self.layouts}"])
            if is_refusal(error):
                status = error.status
                forget("convolving", key)
                keep("convolving", key, lambda: status)
            raise


def _use_tensor_core(tensor_core, dtype):
    if tensor_core not in ("always", "auto", "never"):
        raise ValueError(f"tensor_core must be either of 'always', 'auto', or 'never', not {tensor_core!r}")
    return tensor_core != "never" and is_tensor_core_available(dtype)


def _check_out(name, out):
    if not out.flags.c_contiguous:
        raise ValueError(f"cudnn.{name}: supports c-contiguous arrays only, and the result has strides {out.strides}")


@functools.lru_cache(KEPT)
def _checked(kind, shapes, dtypes, facts, groups):
    """The convolution of arrays of such shapes, with the channels second; a failure if they do not
    fit."""
    conv = ours.Convolution()
    ours.describe(conv, *facts, ours.CROSS_CORRELATION, compute_number(dtypes[0]))
    conv.groups = groups
    first, second, third = (types.SimpleNamespace(shape=shape, dtype=one) for shape, one in zip(shapes, dtypes))
    ours.check_shapes(*ours.in_order(kind, first, second, third), conv)
    return conv


_HERE = {
    ours.FORWARD: lambda x, w, y, conv: ours.forward(y, x, w, conv),
    ours.DATA: lambda w, dy, dx, conv: ours.backward_data(dx, dy, w, conv),
    ours.FILTER: lambda x, dy, dw, conv: ours.backward_filter(dw, x, dy, conv),
}


def _seen(kind, name, arrays, facts, groups, layouts):
    """The convolution, and arrays with the channels second, after a look whether they fit."""
    filters = FILTERS[kind]
    views = arrays
    if layouts != (NCHW, NCHW):
        views = [as_nchw(array, layouts[place == filters]) for place, array in enumerate(arrays)]
    first, second, out = views
    shapes, dtypes = (first.shape, second.shape, out.shape), (first.dtype, second.dtype, out.dtype)
    try:
        conv = _checked(kind, shapes, dtypes, facts, groups)
    except cudnn.CuDNNError as error:
        shapes = ", ".join(f"{array.shape} {array.dtype}" for array in arrays)
        error.add_info(f"cudnn.{name}: arrays {shapes}, pad, stride, dilation {facts}, groups {groups}")
        raise
    return conv, views


def _as_rows(arrays, facts, layouts, kind):
    """Maps of one axis as such of a row, since cuDNN has none of one axis."""
    rows = []
    for place, array in enumerate(arrays):
        n, *rest = array.shape
        at = 0 if layouts[place == FILTERS[kind]] == NHWC else 1
        rows.append(array.reshape(n, *rest[:at], 1, *rest[at:]))
    return rows, [(first, *one) for first, one in zip((0, 1, 1), facts)]


def _convolve(kind, name, names, arrays, pad, stride, dilation, groups, tuned, tensor_core, layouts):
    if _plans.repeat((kind, arrays, (pad, stride, dilation), groups, tuned, tensor_core, layouts)):
        return
    check_arrays(name, **dict(zip(names, arrays)))
    facts, groups = convolution_facts(pad, stride, dilation), operator.index(groups)
    layouts = tuple(map(operator.index, layouts))
    use_tensor_core = _use_tensor_core(tensor_core, arrays[0].dtype) and not tuned[1]
    _check_out(name, arrays[-1])
    conv, views = _seen(kind, name, arrays, facts, groups, layouts)

    def there(arrays):
        if _plans.compute(name, (kind, arrays, facts, groups, tuned, tensor_core, layouts)):
            return
        given, numbers = [*map(contiguous, arrays[:-1]), arrays[-1]], facts
        if arrays[0].ndim == 3:
            given, numbers = _as_rows(given, facts, layouts, kind)
        _Call(kind, name, tuple(given), (*numbers, groups), (*tuned, use_tensor_core), layouts).run()

    def theirs():
        result = arrays[-1]
        if not any(tenorite.may_share_memory(one, result) for one in arrays[:-1]):
            return there(arrays)
        apart = tenorite.empty(result.shape, result.dtype)
        there((*arrays[:-1], apart))
        result[...] = apart

    compute(name, arrays, theirs, lambda: _HERE[kind](*views, conv))


def _add_bias(name, y, b, layout):
    if b is None:
        return
    check_arrays(name, y=y, b=b)
    view = as_nchw(y, layout)
    view += b.reshape(-1, *(1,) * (y.ndim - 2))


@documented
def convolution_forward(
    x, W, b, y, pad, stride, dilation, groups, *, auto_tune, tensor_core, d_layout=NCHW, w_layout=NCHW
):
    """Correlates maps with filters, into y.

    Raises
    ------
    CuDNNError
        For shapes or dtypes that do not fit.

    Examples
    --------
    >>> import tenorite as cp
    >>> x, W = cp.arange(16.0).reshape(1, 1, 4, 4), cp.ones((1, 1, 3, 3))
    >>> y = cp.empty((1, 1, 2, 2))
    >>> cp.cudnn.convolution_forward(
    ...     x, W, None, y, (0, 0), (1, 1), (1, 1), 1, auto_tune=False, tensor_core="auto"
    ... )
    >>> y[0, 0]
    array([[45., 54.],
           [81., 90.]])
    """
    name = "convolution_forward"
    tuned, layouts = (bool(auto_tune), False), (d_layout, w_layout)
    _convolve(
        ours.FORWARD, name, ("x", "W", "y"), (x, W, y), pad, stride, dilation, groups, tuned, tensor_core, layouts
    )
    _add_bias(name, y, b, d_layout)


@documented
def convolution_backward_data(
    W, x, b, y, pad, stride, dilation, groups, *, deterministic, auto_tune, tensor_core, d_layout=NCHW, w_layout=NCHW
):
    """The gradient of a convolution's input, into y; so also a transposed convolution of x.

    Raises
    ------
    CuDNNError
        For shapes or dtypes that do not fit.

    Examples
    --------
    >>> import tenorite as cp
    >>> x, W = cp.ones((1, 1, 2, 2)), cp.ones((1, 1, 2, 2))
    >>> y, facts = cp.empty((1, 1, 3, 3)), ((0, 0), (1, 1), (1, 1), 1)
    >>> cp.cudnn.convolution_backward_data(
    ...     W, x, None, y, *facts, deterministic=True, auto_tune=True, tensor_core="auto"
    ... )
    >>> y[0, 0]
    array([[1., 2., 1.],
           [2., 4., 2.],
           [1., 2., 1.]])
    """
    name = "convolution_backward_data"
    tuned, layouts = (bool(auto_tune), bool(deterministic)), (d_layout, w_layout)
    _convolve(ours.DATA, name, ("W", "x", "y"), (W, x, y), pad, stride, dilation, groups, tuned, tensor_core, layouts)
    _add_bias(name, y, b, d_layout)


@documented
def convolution_backward_filter(
    x, gy, gW, pad, stride, dilation, groups, *, deterministic, auto_tune, tensor_core, d_layout=NCHW, w_layout=NCHW
):
    """The gradient of a convolution's filters, into gW.

    Raises
    ------
    CuDNNError
        For shapes or dtypes that do not fit.

    Examples
    --------
    >>> import tenorite as cp
    >>> x, gy = cp.arange(9.0).reshape(1, 1, 3, 3), cp.ones((1, 1, 2, 2))
    >>> gW, facts = cp.empty((1, 1, 2, 2)), ((0, 0), (1, 1), (1, 1), 1)
    >>> cp.cudnn.convolution_backward_filter(
    ...     x, gy, gW, *facts, deterministic=True, auto_tune=True, tensor_core="auto"
    ... )
    >>> gW[0, 0]
    array([[ 8., 12.],
           [20., 24.]])
    """
    name = "convolution_backward_filter"
    tuned, layouts = (bool(auto_tune), bool(deterministic)), (d_layout, w_layout)
    _convolve(
        ours.FILTER, name, ("x", "gy", "gW"), (x, gy, gW), pad, stride, dilation, groups, tuned, tensor_core, layouts
    )
