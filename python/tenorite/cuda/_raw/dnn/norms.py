"""Batch normalisation of cuDNN: of arrays, and by descriptors and addresses.

Scale, bias, means and variances are kept in the dtype of the computation: single for the halves.
"""

import tenorite
from tenorite.cuda._raw.dnn.arithmetic import store, working
from tenorite.cuda._raw.dnn.descriptors import NUMBERS, check, packed, scalar, set_tensor, tensor
from tenorite.cuda._raw.dnn.elementwise import activate, activate_backward, activation_of

PER_ACTIVATION, SPATIAL, SPATIAL_PERSISTENT = range(3)
ONLY_BN, ACTIVATION, ADD_ACTIVATION = range(3)
MIN_EPSILON = 0.0


def axes_of(mode, ndim):
    """The axes that are normalised together."""
    return (0,) if mode == PER_ACTIVATION else (0, *range(2, ndim))


def moments(x, axes, epsilon):
    """Mean, variance, and the reciprocal of the deviation, with axes of size 1."""
    mean = x.mean(axes, keepdims=True)
    variance = x.var(axes, keepdims=True)
    return mean, variance, 1 / tenorite.sqrt(variance + x.dtype.type(epsilon))


def forward(y, x, scale, bias, axes, epsilon, alpha=1.0, beta=0.0, finish=None):
    """y = alpha * x normalised and moved + beta * y; (mean, variance, 1 / deviation). `finish`
    makes y of what was normalised."""
    x = x.astype(scale.dtype)
    mean, variance, inverse = moments(x, axes, epsilon)
    value = (x - mean) * (inverse * scale) + bias
    store(y, value if finish is None else finish(value), alpha, beta)
    return mean, variance, inverse


def infer(y, x, scale, bias, mean, variance, epsilon, alpha=1.0, beta=0.0):
    """y = alpha * x normalised by a given mean and variance + beta * y."""
    factor = scale / tenorite.sqrt(variance + scale.dtype.type(epsilon))
    store(y, (x.astype(scale.dtype) - mean) * factor + bias, alpha, beta)


def backward(dx, x, dy, scale, mean, inverse, axes, alpha=1.0, beta=0.0):
    """The gradient of x, of that of y; (the gradient of scale, that of bias)."""
    x, dy = x.astype(scale.dtype), dy.astype(scale.dtype)
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    normal = (x - mean) * inverse
    dbias = dy.sum(axes, keepdims=True)
    dscale = (dy * normal).sum(axes, keepdims=True)
    share = scale.dtype.type(1 / max(count, 1))
    store(dx, scale * inverse * (dy - (dbias + normal * dscale) * share), alpha, beta)
    return dscale, dbias


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
    finish = None
    if ops != ONLY_BN:
        chosen = activation_of(activation)
        added = tensor(zd).over(z, "z") if ops == ADD_ACTIVATION else None
        finish = _finisher(chosen, added)
    array = xt.over(x, "x")
    mean, variance, inverse = forward(
        tensor(yd).over(y, "y"),
        array,
        params.over(scale, "scale"),
        params.over(bias, "bias"),
        axes,
        epsilon,
        *factors,
        finish=finish,
    )
    count = array.size // max(mean.size, 1)
    _move(params, run_mean, mean, factor)
    _move(params, run_var, variance * (count / max(count - 1, 1)), factor)
    if keep_mean:
        params.over(keep_mean, "the saved mean")[...] = mean
        params.over(keep_inverse, "the saved deviation")[...] = inverse


def _finisher(activation, added):
    def finish(value):
        if added is not None:
            value = value + added.astype(value.dtype)
        out = tenorite.empty_like(value)
        activate(out, value, activation)
        return out

    return finish


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
