"""Batch normalisation of cuDNN: of arrays, and by descriptors and addresses.

Scale, bias, means and variances are kept in the dtype of the computation: single for the halves.
"""

import functools
import math

import tenorite
from tenorite.cuda._raw.dnn.arithmetic import put, store, used, widened, working
from tenorite.cuda._raw.dnn.descriptors import NUMBERS, check, packed, scalar, set_tensor, tensor
from tenorite.cuda._raw.dnn.elementwise import (
    IDENTITY,
    Activation,
    activate_backward,
    activated,
    activation_of,
    describe_activation,
)

PER_ACTIVATION, SPATIAL, SPATIAL_PERSISTENT = range(3)
ONLY_BN, ACTIVATION, ADD_ACTIVATION = range(3)
MIN_EPSILON = 0.0


def axes_of(mode, ndim):
    """The axes that are normalised together."""
    return (0,) if mode == PER_ACTIVATION else (0, *range(2, ndim))


def _moments(x, axes, epsilon):
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return mean, variance, 1 / tenorite.sqrt(variance + epsilon)


@functools.cache
def _found(axes):
    return tenorite.fuse()(lambda x, epsilon: _moments(x, axes, epsilon))


@functools.cache
def _forward(axes, dtype, mode, propagates_nan, uses):
    """The fused function that stores y, and gives mean, variance and 1 / deviation."""

    def store_y(x, scale, bias, epsilon, coefficient, alpha, beta, y, *added):
        x = widened(x, dtype)
        mean, variance, inverse = _moments(x, axes, epsilon)
        value = (x - mean) * (inverse * scale) + bias
        for array in added:
            value = value + widened(array, dtype)
        put(y, activated(mode, value, coefficient, propagates_nan), alpha, beta, uses)
        return mean, variance, inverse

    return tenorite.fuse()(store_y)


@functools.cache
def _infer(dtype, uses):
    def store_y(x, scale, bias, mean, variance, epsilon, alpha, beta, y):
        factor = scale / tenorite.sqrt(variance + epsilon)
        put(y, (widened(x, dtype) - mean) * factor + bias, alpha, beta, uses)

    return tenorite.fuse()(store_y)


@functools.cache
def _backward_of(axes, dtype, uses):
    """The fused function that stores the gradient of x, and gives those of scale and bias."""

    def store_dx(x, dy, scale, mean, inverse, share, alpha, beta, dx):
        x, dy = widened(x, dtype), widened(dy, dtype)
        dbias = dy.sum(axes, keepdims=True)
        dscale = (dy * (x - mean)).sum(axes, keepdims=True) * inverse
        # x - mean a second time: it enters each pass instead of being an array.
        value = (dy - dbias * share - (x - mean) * (dscale * inverse * share)) * (scale * inverse)
        put(dx, value, alpha, beta, uses)
        return dscale, dbias

    return tenorite.fuse()(store_dx)


_ITSELF = Activation()
describe_activation(_ITSELF, IDENTITY, 0, 0.0)


def moments(x, axes, epsilon):
    """Mean, variance, and the reciprocal of the deviation, with axes of size 1."""
    return _found(axes)(x, x.dtype.type(epsilon))


def forward(y, x, scale, bias, axes, epsilon, alpha=1.0, beta=0.0, activation=_ITSELF, added=()):
    """y = alpha * activation of (x normalised and moved, and the arrays `added`) + beta * y;
    (mean, variance, 1 / deviation)."""
    kind = scale.dtype.type
    call = _forward(axes, kind, activation.mode, activation.propagates_nan, used(alpha, beta))
    numbers = map(kind, (epsilon, activation.coefficient, alpha, beta))
    return call(x, scale, bias, *numbers, y, *added)


def infer(y, x, scale, bias, mean, variance, epsilon, alpha=1.0, beta=0.0):
    """y = alpha * x normalised by a given mean and variance + beta * y."""
    kind = scale.dtype.type
    call = _infer(kind, used(alpha, beta))
    call(x, scale, bias, mean, variance, kind(epsilon), kind(alpha), kind(beta), y)


def backward(dx, x, dy, scale, mean, inverse, axes, alpha=1.0, beta=0.0):
    """The gradient of x, of that of y; (the gradient of scale, that of bias)."""
    kind, count = scale.dtype.type, math.prod(x.shape[axis] for axis in axes)
    call = _backward_of(axes, kind, used(alpha, beta))
    return call(x, dy, scale, mean, inverse, kind(1 / max(count, 1)), kind(alpha), kind(beta), dx)


# --- By descriptors ---


def _shape_of(x, mode):
    """The shape of scale and bias."""
    check(mode in (PER_ACTIVATION, SPATIAL, SPATIAL_PERSISTENT), f"{mode} is no mode of batch normalisation")
    axes = axes_of(mode, len(x.shape))
    return tuple(1 if axis in axes else size for axis, size in enumerate(x.shape)), axes


def derive(desc, xd, mode):
    """Sets the descriptor of scale and bias."""
    x = tensor(xd)
    shape, _ = _shape_of(x, mode)
    set_tensor(desc, NUMBERS[str(working(x.dtype))], shape, packed(shape))


def _described(mode, xd, paramsd, *others):
    """(tensor x, that of the parameters, axes); all `others` have the shape of x."""
    x, params = tensor(xd), tensor(paramsd)
    shape, axes = _shape_of(x, mode)
    check(params.shape == shape, f"the parameters have shape {params.shape}, not {shape}", "BAD_PARAM_SHAPE_MISMATCH")
    check(params.dtype == working(x.dtype), f"parameters of {params.dtype} for {x.dtype}", "NOT_SUPPORTED_DATA_TYPE")
    for other in others:
        found = tensor(other)
        check(found.shape == x.shape, f"x has shape {x.shape}, another {found.shape}", "BAD_PARAM_SHAPE_MISMATCH")
        check(found.number == x.number, "tensors differ in dtype", "NOT_SUPPORTED_DATA_TYPE")
    return x, params, axes


def _check_epsilon(epsilon):
    check(epsilon >= MIN_EPSILON, f"epsilon {epsilon} is negative")


def _move(params, address, value, factor):
    """A running value becomes the mean of itself and a new value, by a factor."""
    if address:
        kept = params.over(address, "a running value")
        store(kept, value, factor, 1 - factor)


def _train(
    mode,
    ops,
    alpha,
    beta,
    xd,
    x,
    zd,
    z,
    yd,
    y,
    pd,
    scale,
    bias,
    factor,
    run_mean,
    run_var,
    epsilon,
    keep_mean,
    keep_inverse,
    activation,
):
    xt, params, axes = _described(mode, xd, pd, yd, *([zd] if ops == ADD_ACTIVATION else []))
    check(ops in (ONLY_BN, ACTIVATION, ADD_ACTIVATION), f"there are no operations {ops}")
    check(bool(run_mean) == bool(run_var), "a running mean without a running variance, or the reverse")
    check(bool(keep_mean) == bool(keep_inverse), "a saved mean without a saved deviation, or the reverse")
    _check_epsilon(epsilon)
    factors = scalar(alpha, xt.dtype), scalar(beta, xt.dtype)
    activation = _ITSELF if ops == ONLY_BN else activation_of(activation)
    added = [tensor(zd).over(z, "z")] if ops == ADD_ACTIVATION else []
    array = xt.over(x, "x")
    mean, variance, inverse = forward(
        tensor(yd).over(y, "y"),
        array,
        params.over(scale, "scale"),
        params.over(bias, "bias"),
        axes,
        epsilon,
        *factors,
        activation=activation,
        added=added,
    )
    count = array.size // max(mean.size, 1)
    _move(params, run_mean, mean, factor)
    _move(params, run_var, variance * (count / max(count - 1, 1)), factor)
    if keep_mean:
        params.over(keep_mean, "the saved mean")[...] = mean
        params.over(keep_inverse, "the saved deviation")[...] = inverse


def _forward_training(
    handle,
    mode,
    alpha,
    beta,
    xd,
    x,
    yd,
    y,
    pd,
    scale,
    bias,
    factor,
    run_mean,
    run_var,
    epsilon,
    keep_mean,
    keep_inverse,
):
    _train(
        mode,
        ONLY_BN,
        alpha,
        beta,
        xd,
        x,
        0,
        0,
        yd,
        y,
        pd,
        scale,
        bias,
        factor,
        run_mean,
        run_var,
        epsilon,
        keep_mean,
        keep_inverse,
        0,
    )


def _forward_training_ex(
    handle,
    mode,
    ops,
    alpha,
    beta,
    xd,
    x,
    zd,
    z,
    yd,
    y,
    pd,
    scale,
    bias,
    factor,
    run_mean,
    run_var,
    epsilon,
    keep_mean,
    keep_inverse,
    activation,
    work,
    size,
    reserve,
    reserve_size,
):
    _train(
        mode,
        ops,
        alpha,
        beta,
        xd,
        x,
        zd,
        z,
        yd,
        y,
        pd,
        scale,
        bias,
        factor,
        run_mean,
        run_var,
        epsilon,
        keep_mean,
        keep_inverse,
        activation,
    )


def _forward_inference(handle, mode, alpha, beta, xd, x, yd, y, pd, scale, bias, mean, variance, epsilon):
    xt, params, _ = _described(mode, xd, pd, yd)
    _check_epsilon(epsilon)
    factors = scalar(alpha, xt.dtype), scalar(beta, xt.dtype)
    given = [
        params.over(at, name) for at, name in zip((scale, bias, mean, variance), ("scale", "bias", "mean", "variance"))
    ]
    infer(tensor(yd).over(y, "y"), xt.over(x, "x"), *given, epsilon, *factors)


def _back(
    mode,
    ops,
    factors,
    xd,
    x,
    yd,
    y,
    dyd,
    dy,
    dzd,
    dz,
    dxd,
    dx,
    pd,
    scale,
    bias,
    dscale,
    dbias,
    epsilon,
    mean,
    inverse,
    activation,
):
    xt, params, axes = _described(mode, xd, pd, dyd, dxd)
    check(bool(mean) == bool(inverse), "a saved mean without a saved deviation, or the reverse")
    _check_epsilon(epsilon)
    data, param = factors[:2], factors[2:]
    data, param = ([scalar(one, xt.dtype) for one in pair] for pair in (data, param))
    array, gradient = xt.over(x, "x"), tensor(dyd).over(dy, "dy")
    if ops != ONLY_BN:
        chosen, result = activation_of(activation), tensor(yd).over(y, "y")
        passed = tenorite.empty_like(gradient)
        activate_backward(passed, result, result, gradient, chosen)
        gradient = passed
        if ops == ADD_ACTIVATION:
            tensor(dzd).over(dz, "dz")[...] = passed
    scale = params.over(scale, "scale")
    if mean:
        mean, inverse = params.over(mean, "the saved mean"), params.over(inverse, "the saved deviation")
    else:
        mean, _, inverse = moments(array.astype(scale.dtype), axes, epsilon)
    gradients = backward(tensor(dxd).over(dx, "dx"), array, gradient, scale, mean, inverse, axes, *data)
    for value, address, name in zip(gradients, (dscale, dbias), ("the gradient of scale", "the gradient of bias")):
        store(params.over(address, name), value, *param)


def _backward(handle, mode, a, b, c, d, xd, x, dyd, dy, dxd, dx, pd, scale, dscale, dbias, epsilon, mean, inverse):
    _back(
        mode,
        ONLY_BN,
        (a, b, c, d),
        xd,
        x,
        0,
        0,
        dyd,
        dy,
        0,
        0,
        dxd,
        dx,
        pd,
        scale,
        0,
        dscale,
        dbias,
        epsilon,
        mean,
        inverse,
        0,
    )


def _backward_ex(
    handle,
    mode,
    ops,
    a,
    b,
    c,
    d,
    xd,
    x,
    yd,
    y,
    dyd,
    dy,
    dzd,
    dz,
    dxd,
    dx,
    pd,
    scale,
    bias,
    dscale,
    dbias,
    epsilon,
    mean,
    inverse,
    activation,
    work,
    size,
    reserve,
    reserve_size,
):
    _back(
        mode,
        ops,
        (a, b, c, d),
        xd,
        x,
        yd,
        y,
        dyd,
        dy,
        dzd,
        dz,
        dxd,
        dx,
        pd,
        scale,
        bias,
        dscale,
        dbias,
        epsilon,
        mean,
        inverse,
        activation,
    )


FUNCTIONS = {
    "deriveBNTensorDescriptor": derive,
    "batchNormalizationForwardTraining": _forward_training,
    "batchNormalizationForwardTrainingEx": _forward_training_ex,
    "batchNormalizationForwardInference": _forward_inference,
    "batchNormalizationBackward": _backward,
    "batchNormalizationBackwardEx": _backward_ex,
    "getBatchNormalizationForwardTrainingExWorkspaceSize": lambda *args: 0,
    "getBatchNormalizationBackwardExWorkspaceSize": lambda *args: 0,
    "getBatchNormalizationTrainingExReserveSpaceSize": lambda *args: 0,
}
