"""Activations, softmax, and cuDNN's operations on whole tensors: of arrays, and by descriptors."""

import functools
import math

import tenorite
from tenorite.cuda._raw.dnn.arithmetic import put, store, used, widened, working
from tenorite.cuda._raw.dnn.descriptors import REGISTRY, check, flat, scalar, tensor

SIGMOID, RELU, TANH, CLIPPED_RELU, ELU, IDENTITY = range(6)
FAST, ACCURATE, LOG = range(3)
INSTANCE, CHANNEL = range(2)


class Activation:
    """Fields: `mode`, `propagates_nan`, `coefficient` (a ceiling, or the alpha of ELU)."""

    mode, propagates_nan, coefficient = None, False, 0.0


class Operation:
    """Fields: `op`, `compute` (a dtype's number), `nan`."""

    op, compute, nan = None, 0, 0


class Reduction:
    """Fields: `op`, `compute` (a dtype's number), `nan`, `indices`, `indices_type`."""

    op, compute, nan, indices, indices_type = None, 0, 0, 0, 0


# --- Activations ---


def _positive(x, propagates_nan):
    return tenorite.maximum(x, 0) if propagates_nan else tenorite.fmax(x, 0)


# y of x, a coefficient, and whether a NaN stays one.
_FORWARD = {
    SIGMOID: lambda x, c, nan: 1 / (1 + tenorite.exp(-x)),
    RELU: lambda x, c, nan: _positive(x, nan),
    TANH: lambda x, c, nan: tenorite.tanh(x),
    CLIPPED_RELU: lambda x, c, nan: tenorite.minimum(_positive(x, nan), c),
    ELU: lambda x, c, nan: tenorite.where(x > 0, x, c * tenorite.expm1(x)),
    IDENTITY: lambda x, c, nan: x,
}
# The gradient of x, of x, y, the gradient of y and a coefficient.
_BACKWARD = {
    SIGMOID: lambda x, y, dy, c: dy * (y * (1 - y)),
    RELU: lambda x, y, dy, c: tenorite.where(x > 0, dy, 0),
    TANH: lambda x, y, dy, c: dy * (1 - y * y),
    CLIPPED_RELU: lambda x, y, dy, c: tenorite.where(x > 0, tenorite.where(x < c, dy, 0), 0),
    ELU: lambda x, y, dy, c: tenorite.where(x > 0, dy, dy * (y + c)),
    IDENTITY: lambda x, y, dy, c: dy,
}


def activated(mode, x, coefficient, propagates_nan):
    """An activation of x, for fused functions."""
    return _FORWARD[mode](x, coefficient, propagates_nan)


@functools.cache
def _activation(mode, propagates_nan, uses, dtype):
    """The fused function of x, coefficient, factors and y."""

    def store_y(x, coefficient, alpha, beta, y):
        put(y, activated(mode, widened(x, dtype), coefficient, propagates_nan), alpha, beta, uses)

    return tenorite.fuse()(store_y)


@functools.cache
def _activation_backward(mode, uses, dtype):
    """The fused function of x, y, the gradient of y, coefficient, factors and the gradient of x."""

    def store_dx(x, y, dy, coefficient, alpha, beta, dx):
        given = (widened(array, dtype) for array in (x, y, dy))
        put(dx, _BACKWARD[mode](*given, coefficient), alpha, beta, uses)

    return tenorite.fuse()(store_dx)


def activate(y, x, activation, alpha=1.0, beta=0.0):
    """y = alpha * activation of x + beta * y."""
    kind = working(x.dtype).type
    call = _activation(activation.mode, activation.propagates_nan, used(alpha, beta), kind)
    call(x, kind(activation.coefficient), kind(alpha), kind(beta), y)


def activate_backward(dx, x, y, dy, activation, alpha=1.0, beta=0.0):
    """The gradient of x, of that of y."""
    kind = working(y.dtype).type
    call = _activation_backward(activation.mode, used(alpha, beta), kind)
    call(x, y, dy, kind(activation.coefficient), kind(alpha), kind(beta), dx)


def activation_of(desc):
    """The activation of a descriptor that was set."""
    found = REGISTRY.find(desc, Activation)
    check(found.mode is not None, "the descriptor of an activation was not set")
    return found


def describe_activation(found, mode, nan, coefficient):
    """Sets an activation."""
    check(mode in _FORWARD, f"{mode} is no mode of activations")
    found.mode, found.propagates_nan, found.coefficient = mode, bool(nan), coefficient


def _same(*tensors):
    shapes, numbers = {one.shape for one in tensors}, {one.number for one in tensors}
    check(len(shapes) == 1, f"tensors have shapes {', '.join(map(str, shapes))}", "BAD_PARAM_SHAPE_MISMATCH")
    check(len(numbers) == 1, "tensors differ in dtype", "NOT_SUPPORTED_DATA_TYPE")


def _activation_forward(handle, desc, alpha, xd, x, beta, yd, y):
    activation, xt, yt = activation_of(desc), tensor(xd), tensor(yd)
    _same(xt, yt)
    factors = scalar(alpha, xt.dtype), scalar(beta, xt.dtype)
    activate(yt.over(y, "y"), xt.over(x, "x"), activation, *factors)


def _activation_back(handle, desc, alpha, yd, y, dyd, dy, xd, x, beta, dxd, dx):
    activation, tensors = activation_of(desc), [tensor(one) for one in (yd, dyd, xd, dxd)]
    _same(*tensors)
    factors = scalar(alpha, tensors[0].dtype), scalar(beta, tensors[0].dtype)
    y, dy, x, dx = (one.over(at, name) for one, at, name in zip(tensors, (y, dy, x, dx), ("y", "dy", "x", "dx")))
    activate_backward(dx, x, y, dy, activation, *factors)


# --- Softmax ---


def _axes(mode, array):
    return 1 if mode == CHANNEL else tuple(range(1, array.ndim))


@functools.cache
def _softmax(algorithm, axes, uses, dtype):
    """The fused function of x, factors and y: rows in one pass where they are short enough."""

    def store_y(x, alpha, beta, y):
        x = widened(x, dtype)
        if algorithm != FAST:
            x = x - x.max(axes, keepdims=True)
        powers = tenorite.exp(x)
        total = powers.sum(axes, keepdims=True)
        if algorithm == LOG:
            value = x - tenorite.log(total)
        else:  # a total of less than 1 may have no reciprocal
            value = powers / total if algorithm == FAST else powers * (1 / total)
        put(y, value, alpha, beta, uses)

    return tenorite.fuse()(store_y)


@functools.cache
def _softmax_backward(algorithm, axes, uses, dtype):
    """The fused function of y, the gradient of y, factors and the gradient of x."""

    def store_dx(y, dy, alpha, beta, dx):
        y, dy = widened(y, dtype), widened(dy, dtype)
        if algorithm == LOG:
            value = dy - tenorite.exp(y) * dy.sum(axes, keepdims=True)
        else:
            value = y * (dy - (y * dy).sum(axes, keepdims=True))
        put(dx, value, alpha, beta, uses)

    return tenorite.fuse()(store_dx)


def softmax(y, x, algorithm, mode, alpha=1.0, beta=0.0):
    """y = alpha * softmax of x + beta * y, over the channels, or over all but the batch."""
    kind = working(x.dtype).type
    _softmax(algorithm, _axes(mode, x), used(alpha, beta), kind)(x, kind(alpha), kind(beta), y)


def softmax_backward(dx, y, dy, algorithm, mode, alpha=1.0, beta=0.0):
    """The gradient of x, of that of y."""
    kind = working(y.dtype).type
    call = _softmax_backward(algorithm, _axes(mode, y), used(alpha, beta), kind)
    call(y, dy, kind(alpha), kind(beta), dx)


def _check_softmax(algorithm, mode, *tensors):
    check(algorithm in (FAST, ACCURATE, LOG), f"there is no algorithm {algorithm} of softmax")
    check(mode in (INSTANCE, CHANNEL), f"{mode} is no mode of softmax")
    _same(*tensors)
    check(len(tensors[0].shape) > 1, f"a tensor of shape {tensors[0].shape} has no channels")


def _softmax_forward(handle, algorithm, mode, alpha, xd, x, beta, yd, y):
    xt, yt = tensor(xd), tensor(yd)
    _check_softmax(algorithm, mode, xt, yt)
    factors = scalar(alpha, xt.dtype), scalar(beta, xt.dtype)
    softmax(yt.over(y, "y"), xt.over(x, "x"), algorithm, mode, *factors)


def _softmax_back(handle, algorithm, mode, alpha, yd, y, dyd, dy, beta, dxd, dx):
    yt, dyt, dxt = tensor(yd), tensor(dyd), tensor(dxd)
    _check_softmax(algorithm, mode, yt, dyt, dxt)
    factors = scalar(alpha, yt.dtype), scalar(beta, yt.dtype)
    softmax_backward(dxt.over(dx, "dx"), yt.over(y, "y"), dyt.over(dy, "dy"), algorithm, mode, *factors)


# --- Whole tensors ---

# Of two inputs, with their factors.
_OPERATIONS = {
    0: lambda a, b: a + b,
    1: lambda a, b: a * b,
    2: lambda a, b: tenorite.minimum(a, b),
    3: lambda a, b: tenorite.maximum(a, b),
    4: lambda a, b: tenorite.sqrt(a),
    5: lambda a, b: 1 - a,
}
_OF_ONE = (4, 5)


@functools.cache
def _operation(op, uses, dtype):
    def store_c(a, b, first, second, beta, c):
        put(c, _OPERATIONS[op](first * widened(a, dtype), second * widened(b, dtype)), 1.0, beta, uses)

    return tenorite.fuse()(store_c)


def _check_spread(small, large, name):
    """A failure unless sizes of a tensor are those of a larger one, or 1."""
    fits = len(small.shape) == len(large.shape) and all(
        size in (1, whole) for size, whole in zip(small.shape, large.shape)
    )
    check(fits, f"{name} of shape {small.shape} does not fit {large.shape}", "BAD_PARAM_SHAPE_MISMATCH")


def _set_operation(desc, op, compute, nan):
    found = REGISTRY.find(desc, Operation)
    check(op in _OPERATIONS, f"{op} is no operation on tensors")
    found.op, found.compute, found.nan = op, compute, nan


def _op_tensor(handle, desc, alpha1, ad, a, alpha2, bd, b, beta, cd, c):
    op, at, ct = REGISTRY.find(desc, Operation).op, tensor(ad), tensor(cd)
    check(op is not None, "the descriptor of an operation was not set")
    _check_spread(at, ct, "A")
    first, last = scalar(alpha1, ct.dtype), scalar(beta, ct.dtype)
    left = right = at.over(a, "A")
    second = 0.0
    if op not in _OF_ONE:
        bt, second = tensor(bd), scalar(alpha2, ct.dtype)
        _check_spread(bt, ct, "B")
        right = bt.over(b, "B")
    kind = working(ct.dtype).type
    _operation(op, used(1, last), kind)(left, right, kind(first), kind(second), kind(last), ct.over(c, "C"))


def _add_tensor(handle, alpha, bd, b, beta, yd, y):
    bt, yt = tensor(bd), tensor(yd)
    _check_spread(bt, yt, "the bias")
    factors = scalar(alpha, yt.dtype), scalar(beta, yt.dtype)
    store(yt.over(y, "y"), bt.over(b, "the bias").astype(working(bt.dtype)), *factors)


def _set_tensor(handle, yd, y, value):
    yt = tensor(yd)
    yt.over(y, "y")[...] = scalar(value, yt.dtype)  # a float for halves, as cuDNN 9 reads it


def _scale_tensor(handle, yd, y, alpha):
    yt = tensor(yd)
    y = yt.over(y, "y")
    store(y, y.astype(working(yt.dtype)), scalar(alpha, yt.dtype), 0.0)


# --- Reductions ---

_ADD, _MUL, _MIN, _MAX, _AMAX, _AVG, _NORM1, _NORM2, _MUL_NO_ZEROS = range(9)
_FOLDS = {
    _ADD: lambda a, axes: a.sum(axes, keepdims=True),
    _MUL: lambda a, axes: a.prod(axes, keepdims=True),
    _MIN: lambda a, axes: a.min(axes, keepdims=True),
    _MAX: lambda a, axes: a.max(axes, keepdims=True),
    _AMAX: lambda a, axes: tenorite.absolute(a).max(axes, keepdims=True),
    _AVG: lambda a, axes: a.mean(axes, keepdims=True),
    _NORM1: lambda a, axes: tenorite.absolute(a).sum(axes, keepdims=True),
    _NORM2: lambda a, axes: tenorite.sqrt((a * a).sum(axes, keepdims=True)),
    _MUL_NO_ZEROS: lambda a, axes: tenorite.where(a == 0, 1, a).prod(axes, keepdims=True),
}
_INDEXED = (_MIN, _MAX, _AMAX)
_INDEX_DTYPES = {0: "uint32", 1: "uint64", 2: "uint16", 3: "uint8"}


def _set_reduction(desc, op, compute, nan, indices, indices_type):
    found = REGISTRY.find(desc, Reduction)
    check(op in _FOLDS, f"{op} is no operation of reductions")
    check(indices in (0, 1) and indices_type in _INDEX_DTYPES, f"indices {indices} of type {indices_type}")
    found.op, found.compute, found.nan, found.indices, found.indices_type = op, compute, nan, indices, indices_type


def _reduction(desc, ad, cd):
    found, at, ct = REGISTRY.find(desc, Reduction), tensor(ad), tensor(cd)
    check(found.op is not None, "the descriptor of a reduction was not set")
    _check_spread(ct, at, "C")
    return found, at, ct


def _has_indices(found):
    return found.indices == 1 and found.op in _INDEXED


def _indices_size(handle, desc, ad, cd):
    found, _, ct = _reduction(desc, ad, cd)
    dtype = tenorite.dtype(_INDEX_DTYPES[found.indices_type])
    return math.prod(ct.shape) * dtype.itemsize if _has_indices(found) else 0


def _places(found, a, axes):
    """The flat places, along the folded axes, of what a reduction chose."""
    kept = [axis for axis in range(a.ndim) if axis not in axes]
    rows = a.transpose(*kept, *axes).reshape(*(a.shape[axis] for axis in kept), -1)
    if found.op == _AMAX:
        rows = tenorite.absolute(rows)
    return rows.argmin(-1) if found.op == _MIN else rows.argmax(-1)


def _reduce_tensor(handle, desc, indices, indices_size, work, size, alpha, ad, a, beta, cd, c):
    found, at, ct = _reduction(desc, ad, cd)
    factors = scalar(alpha, at.dtype), scalar(beta, at.dtype)
    needed = _indices_size(handle, desc, ad, cd)
    check(indices_size >= needed, f"indices need {needed} bytes, not {indices_size}", "BAD_PARAM_SIZE_INSUFFICIENT")
    axes = tuple(axis for axis, sizes in enumerate(zip(at.shape, ct.shape)) if sizes[0] != sizes[1])
    check(axes, f"C has the shape of A, {at.shape}: no axis is folded")
    dtype = working(at.dtype)
    values, out = at.over(a, "A").astype(dtype), ct.over(c, "C")
    store(out, _FOLDS[found.op](values, axes), *factors)
    if needed:
        places = flat(_INDEX_DTYPES[found.indices_type], out.size, indices, "the indices")
        places[...] = _places(found, values, axes).ravel()


FUNCTIONS = {
    "createActivationDescriptor": lambda: REGISTRY.keep(Activation()),
    "destroyActivationDescriptor": lambda desc: REGISTRY.drop(desc, Activation),
    "setActivationDescriptor": lambda desc, *facts: describe_activation(REGISTRY.find(desc, Activation), *facts),
    "activationForward_v4": _activation_forward,
    "activationBackward_v4": _activation_back,
    "softmaxForward": _softmax_forward,
    "softmaxBackward": _softmax_back,
    "createOpTensorDescriptor": lambda: REGISTRY.keep(Operation()),
    "destroyOpTensorDescriptor": lambda desc: REGISTRY.drop(desc, Operation),
    "setOpTensorDescriptor": _set_operation,
    "getOpTensorDescriptor": lambda desc: (lambda it: (it.op, it.compute, it.nan))(REGISTRY.find(desc, Operation)),
    "opTensor": _op_tensor,
    "addTensor_v3": _add_tensor,
    "setTensor": _set_tensor,
    "scaleTensor": _scale_tensor,
    "createReduceTensorDescriptor": lambda: REGISTRY.keep(Reduction()),
    "destroyReduceTensorDescriptor": lambda desc: REGISTRY.drop(desc, Reduction),
    "setReduceTensorDescriptor": _set_reduction,
    "getReduceTensorDescriptor": lambda desc: (lambda it: (it.op, it.compute, it.nan, it.indices, it.indices_type))(
        REGISTRY.find(desc, Reduction)
    ),
    "getReductionIndicesSize": _indices_size,
    "getReductionWorkspaceSize": lambda handle, desc, ad, cd: _reduction(desc, ad, cd) and 0,
    "reduceTensor": _reduce_tensor,
}
