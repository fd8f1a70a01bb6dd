"""Pooling of cuDNN: of arrays, and by descriptors and addresses."""

from tenorite import _core
from tenorite.cuda._raw.dnn.descriptors import REGISTRY, check, ints, scalar, tensor

MAX, AVERAGE, AVERAGE_INSIDE, MAX_DETERMINISTIC = range(4)


class Pooling:
    """Fields: `mode`, `propagates_nan`; `window`, `pads`, `strides` of the spatial axes."""

    mode, propagates_nan = MAX, False
    window = pads = strides = ()


def forward(y, x, pool, alpha=1.0, beta=0.0):
    """y = alpha * (x in windows, the largest or the mean) + beta * y."""
    facts = pool.mode % MAX_DETERMINISTIC, pool.window, pool.pads, pool.strides, pool.propagates_nan
    _core._pooling_forward(x, y, *facts, alpha, beta)


def backward(dx, x, dy, pool, alpha=1.0, beta=0.0):
    """The gradient of x, of that of y; of a window's largest elements the first has it."""
    facts = pool.mode % MAX_DETERMINISTIC, pool.window, pool.pads, pool.strides, pool.propagates_nan
    _core._pooling_backward(x, dy, dx, *facts, alpha, beta)


# --- By descriptors ---


def describe(pool, mode, nan, window, pads, strides):
    """Sets a pooling."""
    check(mode in (MAX, AVERAGE, AVERAGE_INSIDE, MAX_DETERMINISTIC), f"{mode} is no mode of pooling")
    check(all(size > 0 for size in (*window, *strides)), f"window {window}, strides {strides} are not positive")
    check(
        all(0 <= pad < width for pad, width in zip(pads, window)),
        f"pads {pads} are negative, or not less than the window {window}",
    )
    pool.mode, pool.propagates_nan, pool.window, pool.pads, pool.strides = mode, bool(nan), window, pads, strides


def _set(desc, *facts):
    describe(REGISTRY.find(desc, Pooling), *facts)


def check_shapes(pool, x, y):
    """A failure where maps x and y, arrays or descriptors, do not fit."""
    axes = len(pool.window)
    check(axes, "the descriptor of a pooling was not set")
    check(len(x.shape) == len(y.shape) == axes + 2, f"a window of {axes} axes for shapes {x.shape} and {y.shape}")
    check(x.dtype == y.dtype, f"x and y have dtypes {x.dtype} and {y.dtype}", "NOT_SUPPORTED_DATA_TYPE")
    check(x.shape[:2] == y.shape[:2], f"x has shape {x.shape}, y {y.shape}", "BAD_PARAM_SHAPE_MISMATCH")
    for size, last, pad, stride in zip(x.shape[2:], y.shape[2:], pool.pads, pool.strides):
        check((last - 1) * stride - pad < size, f"y of shape {y.shape} has empty windows", "BAD_PARAM_SHAPE_MISMATCH")


def _described(desc, *numbers):
    """The pooling, and the tensors x and y."""
    pool, (x, y) = REGISTRY.find(desc, Pooling), map(tensor, numbers)
    check_shapes(pool, x, y)
    return pool, x, y


def _forward(handle, desc, alpha, xd, x, beta, yd, y):
    pool, xt, yt = _described(desc, xd, yd)
    factors = scalar(alpha, xt.dtype), scalar(beta, xt.dtype)
    forward(yt.over(y, "y"), xt.over(x, "x"), pool, *factors)


def _backward(handle, desc, alpha, yd, y, dyd, dy, xd, x, beta, dxd, dx):
    pool, xt, dyt = _described(desc, xd, dyd)
    dxt = tensor(dxd)
    check(dxt.shape == xt.shape, f"x has shape {xt.shape}, dx {dxt.shape}", "BAD_PARAM_SHAPE_MISMATCH")
    factors = scalar(alpha, xt.dtype), scalar(beta, xt.dtype)
    backward(dxt.over(dx, "dx"), xt.over(x, "x"), dyt.over(dy, "dy"), pool, *factors)


FUNCTIONS = {
    "createPoolingDescriptor": lambda: REGISTRY.keep(Pooling()),
    "destroyPoolingDescriptor": lambda desc: REGISTRY.drop(desc, Pooling),
    "setPooling2dDescriptor_v4": lambda desc, mode, nan, height, width, pad_v, pad_h, step_v, step_h: _set(
        desc, mode, nan, (height, width), (pad_v, pad_h), (step_v, step_h)
    ),
    "setPoolingNdDescriptor_v4": lambda desc, mode, nan, count, window, pads, strides: _set(
        desc, mode, nan, *(ints(address, count) or () for address in (window, pads, strides))
    ),
    "poolingForward": _forward,
    "poolingBackward": _backward,
}
