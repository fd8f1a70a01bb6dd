"""Convolutions of cuDNN: of arrays, and by descriptors and addresses.

Maps are arrays (batch, channels, spatial ...) and filters (outputs, inputs of a group, spatial
...); NHWC is a matter of strides. There is one algorithm for each direction, which needs no
workspace and always gives the same bits, so each number of an algorithm means that one.
"""

import ctypes
import functools
import time

import tenorite
from tenorite import _core
from tenorite.cuda._raw.dnn.arithmetic import store, working
from tenorite.cuda._raw.dnn.descriptors import REGISTRY, check, filters, ints, scalar, tensor

CROSS_CORRELATION = 1
FORWARD, DATA, FILTER = "forward", "data", "filter"
# The number of our algorithm, and how many numbers cuDNN has.
ALGORITHMS = {FORWARD: (1, 8), DATA: (1, 6), FILTER: (1, 7)}


class Convolution:
    """Fields: `pads`, `strides`, `dilations` of the spatial axes, `mode`, `compute` (a dtype's
    number), `groups`, `math`."""

    pads = strides = dilations = ()
    mode, compute, groups, math = CROSS_CORRELATION, 0, 1, 0


def forward(y, x, w, conv, alpha=1.0, beta=0.0):
    """y = alpha * (x correlated with w) + beta * y."""
    _core._convolve_forward(x, w, y, *_facts(conv), alpha, beta)


def backward_data(dx, dy, w, conv, alpha=1.0, beta=0.0):
    """The gradient of x, of that of y."""
    _core._convolve_backward_data(dy, w, dx, *_facts(conv), alpha, beta)


def backward_filter(dw, x, dy, conv, alpha=1.0, beta=0.0):
    """The gradient of w, of that of y."""
    _core._convolve_backward_filter(x, dy, dw, *_facts(conv), alpha, beta)


def _facts(conv):
    return conv.pads, conv.strides, conv.dilations, conv.groups, conv.mode != CROSS_CORRELATION


# --- By descriptors ---


def check_shapes(x, w, y, conv):
    """A failure where maps x and y and filters w, arrays or descriptors, do not fit."""
    axes = len(x.shape) - 2
    check(axes >= 1, f"x has {axes + 2} axes, not batch, channels and spatial ones")
    check(len(w.shape) == len(y.shape) == axes + 2, f"x, w and y have {x.shape}, {w.shape} and {y.shape}")
    check(len(conv.pads) == axes, f"the convolution has {len(conv.pads)} spatial axes, x has {axes}")
    check(
        x.dtype == w.dtype == y.dtype,
        f"x, w and y have dtypes {x.dtype}, {w.dtype} and {y.dtype}",
        "NOT_SUPPORTED_DATA_TYPE",
    )
    check(
        x.shape[1] == w.shape[1] * conv.groups and w.shape[0] % conv.groups == 0,
        f"x of {x.shape[1]} channels, filters of {w.shape[:2]} in {conv.groups} groups",
        "BAD_PARAM_SHAPE_MISMATCH",
    )
    wanted = [x.shape[0], w.shape[0]]
    for size, pad, width, stride, dilation in zip(x.shape[2:], conv.pads, w.shape[2:], conv.strides, conv.dilations):
        wanted.append((size + 2 * pad - dilation * (width - 1) - 1) // stride + 1)
    check(list(y.shape) == wanted, f"y has shape {y.shape}, the result has {tuple(wanted)}", "BAD_PARAM_SHAPE_MISMATCH")


def find_convolution(desc):
    found = REGISTRY.find(desc, Convolution)
    check(found.pads, "the descriptor of a convolution was not set")
    return found


def _check_algorithm(kind, algo):
    check(0 <= algo < ALGORITHMS[kind][1], f"there is no algorithm {algo}")


def _described(x, w, conv, y):
    """The descriptors of x, w and y, checked."""
    conv, x, w, y = find_convolution(conv), tensor(x), filters(w), tensor(y)
    check_shapes(x, w, y, conv)
    return x, w, conv, y


def _forward(handle, alpha, xd, x, wd, w, conv, algo, work, size, beta, yd, y):
    _check_algorithm(FORWARD, algo)
    xt, wt, conv, yt = _described(xd, wd, conv, yd)
    factors = scalar(alpha, xt.dtype), scalar(beta, xt.dtype)
    forward(yt.over(y, "y"), xt.over(x, "x"), wt.over(w, "w"), conv, *factors)


def _backward_data(handle, alpha, wd, w, dyd, dy, conv, algo, work, size, beta, dxd, dx):
    _check_algorithm(DATA, algo)
    dxt, wt, conv, dyt = _described(dxd, wd, conv, dyd)
    factors = scalar(alpha, dyt.dtype), scalar(beta, dyt.dtype)
    backward_data(dxt.over(dx, "dx"), dyt.over(dy, "dy"), wt.over(w, "w"), conv, *factors)


def _backward_filter(handle, alpha, xd, x, dyd, dy, conv, algo, work, size, beta, dwd, dw):
    _check_algorithm(FILTER, algo)
    xt, dwt, conv, dyt = _described(xd, dwd, conv, dyd)
    factors = scalar(alpha, xt.dtype), scalar(beta, xt.dtype)
    backward_filter(dwt.over(dw, "dw"), xt.over(x, "x"), dyt.over(dy, "dy"), conv, *factors)


def _backward_bias(handle, alpha, dyd, dy, beta, dbd, db):
    gradient, bias = tensor(dyd), tensor(dbd)
    wanted = tuple(size if axis == 1 else 1 for axis, size in enumerate(gradient.shape))
    check(bias.shape == wanted, f"the bias has shape {bias.shape}, not {wanted}", "BAD_PARAM_SHAPE_MISMATCH")
    factors = scalar(alpha, gradient.dtype), scalar(beta, gradient.dtype)
    axes = tuple(axis for axis in range(len(wanted)) if axis != 1)
    value = gradient.over(dy, "dy").sum(axes, dtype=working(gradient.dtype), keepdims=True)
    store(bias.over(db, "db"), value, *factors)


def describe(conv, pads, strides, dilations, mode, compute):
    """Sets a convolution."""
    check(len(pads) == len(strides) == len(dilations), f"pads {pads}, strides {strides}, dilations {dilations}")
    check(all(pad >= 0 for pad in pads), f"pads {pads} are negative")
    check(
        all(step > 0 for step in (*strides, *dilations)), f"strides {strides}, dilations {dilations} are not positive"
    )
    check(mode in (0, 1), f"{mode} is no mode of convolutions")
    conv.pads, conv.strides, conv.dilations, conv.mode, conv.compute = pads, strides, dilations, mode, compute


def _set(desc, *facts):
    describe(REGISTRY.find(desc, Convolution), *facts)


def _set_groups(desc, count):
    check(count > 0, f"{count} groups")
    REGISTRY.find(desc, Convolution).groups = count


def _set_math(desc, number):
    check(0 <= number < 4, f"there is no math type {number}")
    REGISTRY.find(desc, Convolution).math = number


# --- Algorithms ---

_RUN = {FORWARD: _forward, DATA: _backward_data, FILTER: _backward_filter}
_FACTORS = {name: (kind * 2)(1, 0) for name, kind in {"float64": ctypes.c_double, "": ctypes.c_float}.items()}


class CuDNNAlgoPerf:
    """An algorithm, and what cuDNN found of it.

    Attributes
    ----------
    algo, status : int
        Its number; 0 where it works.
    time : float
        Milliseconds.
    memory : int
        The bytes of workspace that it needs.
    determinism, mathType : int
        CUDNN_DETERMINISTIC or not; CUDNN_DEFAULT_MATH, CUDNN_TENSOR_OP_MATH.
    """

    def __init__(self, algo, status, time, memory, determinism, mathType):
        self.algo, self.status, self.time, self.memory = algo, status, time, memory
        self.determinism, self.mathType = determinism, mathType


def in_order(kind, first, second, third):
    """(x, w, y) of what a kind's functions have in another order."""
    if kind == FORWARD:
        return first, second, third
    return (third, first, second) if kind == DATA else (first, third, second)


def get_algorithms(kind, handle, first, second, conv, third, count):
    """The algorithms of descriptors in the order of cuDNN's function."""
    x, w, y = in_order(kind, first, second, third)
    _described(x, w, conv, y)
    check(count > 0, f"{count} algorithms are asked for")
    return [CuDNNAlgoPerf(ALGORITHMS[kind][0], 0, 0.0, 0, 1, 0)]


def find_algorithms(kind, handle, first, a, second, b, conv, third, c, count, work, size):
    """The algorithms with the time of a call, which computes."""
    found = get_algorithms(kind, handle, first, second, conv, third, count)
    kept = _FACTORS.get(tensor(third).dtype.name, _FACTORS[""])
    one, stream = ctypes.addressof(kept), tenorite.cuda.get_current_stream()
    zero = one + ctypes.sizeof(kept) // 2
    stream.synchronize()
    start = time.perf_counter()
    _RUN[kind](handle, one, first, a, second, b, conv, found[0].algo, work, size, zero, third, c)
    stream.synchronize()
    found[0].time = (time.perf_counter() - start) * 1e3
    return found


def _algorithm(kind, handle, first, second, conv, third, preference, limit):
    return get_algorithms(kind, handle, first, second, conv, third, 1)[0].algo


def _workspace(kind, handle, first, second, conv, third, algo):
    _check_algorithm(kind, algo)
    get_algorithms(kind, handle, first, second, conv, third, 1)
    return 0


FUNCTIONS = {
    "createConvolutionDescriptor": lambda: REGISTRY.keep(Convolution()),
    "destroyConvolutionDescriptor": lambda desc: REGISTRY.drop(desc, Convolution),
    "setConvolution2dDescriptor_v4": lambda desc, ph, pw, u, v, dh, dw, mode: _set(
        desc, (ph, pw), (u, v), (dh, dw), mode, 0
    ),
    "setConvolution2dDescriptor_v5": lambda desc, ph, pw, u, v, dh, dw, mode, compute: _set(
        desc, (ph, pw), (u, v), (dh, dw), mode, compute
    ),
    "setConvolutionNdDescriptor_v3": lambda desc, count, pads, strides, dilations, mode, compute: _set(
        desc, *(ints(address, count) or () for address in (pads, strides, dilations)), mode, compute
    ),
    "setConvolutionMathType": _set_math,
    "getConvolutionMathType": lambda desc: REGISTRY.find(desc, Convolution).math,
    "setConvolutionGroupCount": _set_groups,
    "getConvolutionGroupCount": lambda desc: REGISTRY.find(desc, Convolution).groups,
    "convolutionForward": _forward,
    "convolutionBackwardBias": _backward_bias,
    "convolutionBackwardData_v3": _backward_data,
    "convolutionBackwardFilter_v3": _backward_filter,
}
for _kind, _name in {FORWARD: "Forward", DATA: "BackwardData", FILTER: "BackwardFilter"}.items():
    for _pattern, _call in {
        "getConvolution{}Algorithm_v6": _algorithm,
        "getConvolution{}Algorithm_v7": get_algorithms,
        "getConvolution{}WorkspaceSize": _workspace,
        "findConvolution{}Algorithm": get_algorithms,
        "findConvolution{}AlgorithmEx": find_algorithms,
        "findConvolution{}AlgorithmEx_v7": find_algorithms,
    }.items():
        FUNCTIONS[_pattern.format(_name)] = functools.partial(_call, _kind)
