"""Batch normalisation of arrays.

On GPUs Tenorite's own kernels read x twice and launch once or twice, whatever lies beside each
other. cuDNN does what the persistent mode asks of it.
"""

import operator

import numpy

import tenorite
from tenorite import _core
from tenorite.cuda import cudnn
from tenorite.cuda._raw.dnn import norms as ours
from tenorite.cuda._raw.dnn.arithmetic import working
from tenorite.cudnn._descriptors import (
    NCHW,
    NHWC,
    Descriptor,
    as_nchw,
    check_arrays,
    contiguous,
    get_handle,
    keep,
    kept_tensor,
    one_and_zero,
)
from tenorite.cudnn._documents import documented
from tenorite.cudnn._served import compute, warn
from tenorite.exceptions import PerformanceWarning


class _Maps:
    """x and arrays like it, as maps whose channels are second; the parameters of its channels."""

    def __init__(self, name, x, is_for_conv2d, mode, layout, gamma, **others):
        check_arrays(name, x=x, gamma=gamma, **others)
        mode, layout = operator.index(mode), operator.index(layout)
        if mode not in (ours.PER_ACTIVATION, ours.SPATIAL, ours.SPATIAL_PERSISTENT):
            raise ValueError(f"cudnn.{name}: {mode} is no mode of batch normalisation")
        self.mode, self.is_for_conv2d, self.layout = mode, is_for_conv2d, layout
        self.dtype = working(x.dtype)
        # Each element has parameters of its own, in the order of x, which cuDNN has for NCHW alone.
        self.is_in_order = mode == ours.PER_ACTIVATION and is_for_conv2d and layout == NHWC
        self.view = self.of(x)
        self.axes = ours.axes_of(mode, self.view.ndim)
        self.shape = tuple(1 if axis in self.axes else size for axis, size in enumerate(self.view.shape))
        count = 1
        for size in self.shape:
            count *= size
        if gamma.size != count:
            raise ValueError(
                f"cudnn.{name}: gamma has shape {gamma.shape}, x of shape {x.shape} has {count} parameters"
            )

    def of(self, array):
        """An array of the shape of x as maps with the channels second: a view."""
        if self.is_for_conv2d:
            return array if self.is_in_order else as_nchw(array, self.layout)
        last = array.shape[-1] if array.ndim else 1
        return array.reshape(array.size // max(last, 1), last, 1, 1)

    def compute(self, name, x, theirs, ours, pays, may_repeat=True):
        """By cuDNN, if it pays and it can."""
        if self.is_in_order or not pays:
            return ours()
        return compute(name, (x,), theirs, ours, may_repeat=may_repeat)

    def parameter(self, array):
        """A number for each channel, in the dtype of the computation; a view where it can be."""
        return array.astype(self.dtype, copy=False).reshape(self.shape)

    def descriptors(self, x):
        """The numbers of the descriptors of x and of its parameters, for a call at once."""
        facts = (x.shape, x.dtype, self.layout) if self.is_for_conv2d else (self.view.shape, x.dtype, NCHW)
        found = kept_tensor(*facts).value

        def make():
            made = Descriptor(cudnn.createTensorDescriptor(), cudnn.destroyTensorDescriptor)
            cudnn.deriveBNTensorDescriptor(made.value, found, self.mode)
            return made

        return found, keep("batchnorm", (*facts, self.mode), make).value


def _warn_of_overflow(debug, mode):
    if debug and mode == ours.SPATIAL_PERSISTENT:
        status = cudnn.queryRuntimeError(get_handle(), cudnn.CUDNN_ERRQUERY_BLOCKING)
        if status != cudnn.CUDNN_STATUS_SUCCESS:
            warn(
                f"A numerical overflow might have happened in cuDNN batch normalization (status:{status})", UserWarning
            )


def _move(maps, running, value, factor):
    kept = running.astype(maps.dtype, copy=False).reshape(maps.shape)
    running[...] = (kept * (1 - factor) + value * factor).reshape(running.shape)


def _is_kernels(maps):
    """Whether kernels of ours serve: on GPUs; on the host fused functions are as few passes."""
    return maps.view.size > 0 and maps.view.device.backend == "cuda"


def _train_here(maps, y, gamma, beta, running_mean, running_var, mean, inv_std, eps, factor):
    if _is_kernels(maps):
        arrays = maps.of(y), mean, inv_std, running_mean, running_var
        _core._batch_norm_forward(maps.view, gamma, beta, *arrays, maps.mode == ours.PER_ACTIVATION, eps, factor)
        return
    found = ours.forward(maps.of(y), maps.view, maps.parameter(gamma), maps.parameter(beta), maps.axes, eps)
    count = maps.view.size // max(found[0].size, 1)
    _move(maps, running_mean, found[0], factor)
    _move(maps, running_var, found[1] * (count / max(count - 1, 1)), factor)
    for out, value in ((mean, found[0]), (inv_std, found[2])):
        out[...] = value.reshape(out.shape)


def _train_there(maps, x, y, gamma, beta, running, saved, eps, factor, wants_reserve):
    """By cuDNN; the reserve space."""
    one, zero = one_and_zero(x.dtype)
    xd, pd = maps.descriptors(x)
    handle, mode, ops = get_handle(), maps.mode, cudnn.CUDNN_BATCHNORM_OPS_BN
    gamma, beta = (contiguous(one.astype(maps.dtype, copy=False)) for one in (gamma, beta))
    moved = [contiguous(one.astype(maps.dtype, copy=False)) for one in running]
    work = reserve = None
    if wants_reserve:
        work = tenorite.cuda.alloc(
            cudnn.getBatchNormalizationForwardTrainingExWorkspaceSize(handle, mode, ops, xd, xd, xd, pd, 0)
        )
        reserve = tenorite.cuda.alloc(cudnn.getBatchNormalizationTrainingExReserveSpaceSize(handle, mode, ops, 0, xd))
    addresses = [array.data.ptr for array in (*moved, *saved)]
    words = xd, x.data.ptr, xd, 0, xd, y.data.ptr, pd, gamma.data.ptr, beta.data.ptr, factor, *addresses[:2], eps
    spaces = [word for space in (work, reserve) for word in ((space.ptr, space.mem.size) if space else (0, 0))]
    cudnn.batchNormalizationForwardTrainingEx(handle, mode, ops, one, zero, *words, *addresses[2:], 0, *spaces)
    for array, value in zip(running, moved):
        if array is not value:
            array[...] = value
    return reserve


def _train(
    name, x, gamma, beta, running_mean, running_var, mean, inv_std, eps, decay, is_for_conv2d, mode, debug, layout
):
    """(reserve space, y, mean, 1 / deviation)"""
    if (mean is None) != (inv_std is None):
        raise ValueError("Both mean and inv_std must be None if one is.")
    eps, decay = float(eps), float(decay)
    arrays = dict(beta=beta, running_mean=running_mean, running_var=running_var)
    maps = _Maps(name, x, is_for_conv2d, mode, layout, gamma, **arrays)
    mode, layout = maps.mode, maps.layout
    y = tenorite.empty(x.shape, x.dtype)
    if mean is None:
        mean, inv_std = (tenorite.empty(gamma.shape, maps.dtype) for _ in range(2))
    running, saved = (running_mean, running_var), (mean, inv_std)

    def theirs():
        wants = mode == ours.SPATIAL_PERSISTENT and x.dtype == numpy.float16 and layout == NHWC and not x.shape[-1] % 4
        reserve = _train_there(maps, contiguous(x), y, gamma, beta, running, saved, eps, 1 - decay, wants)
        _warn_of_overflow(debug, mode)
        return reserve

    def here():
        _train_here(maps, y, gamma, beta, *running, *saved, eps, 1 - decay)

    pays = mode == ours.SPATIAL_PERSISTENT
    return maps.compute(name, x, theirs, here, pays, may_repeat=False), y, mean, inv_std


@documented
def batch_normalization_forward_training(
    x,
    gamma,
    beta,
    running_mean,
    running_var,
    mean,
    inv_std,
    eps,
    decay,
    is_for_conv2d,
    cudnn_mode,
    debug,
    d_layout=NCHW,
):
    """Maps with mean 0 and variance 1 in each channel, times gamma plus beta; running values move.

    Returns
    -------
    y : ndarray
        The result, of the shape and dtype of x.
    mean, inv_std : ndarray
        The mean of x and 1 / sqrt(variance + eps), which the pass backward reads; only if the
        arguments were None.

    Examples
    --------
    >>> import tenorite as cp
    >>> x, ones, zeros = cp.array([[1.0, 5.0], [3.0, 5.0]]), cp.ones(2), cp.zeros(2)
    >>> mode = cp.cuda.cudnn.CUDNN_BATCHNORM_PER_ACTIVATION
    >>> y, mean, inv_std = cp.cudnn.batch_normalization_forward_training(
    ...     x, ones, zeros, zeros.copy(), ones.copy(), None, None, 1e-5, 0.9, False, mode, False
    ... )
    >>> y.round(2), mean
    (array([[-1.,  0.],
           [ 1.,  0.]]), array([2., 5.]))
    """
    reserve, y, kept, inverse = _train(
        "batch_normalization_forward_training",
        x,
        gamma,
        beta,
        running_mean,
        running_var,
        mean,
        inv_std,
        eps,
        decay,
        is_for_conv2d,
        cudnn_mode,
        debug,
        d_layout,
    )
    if reserve is not None:
        warn(
            "Could be faster by calling batch_normalization_forward_training_ex() instead of "
            "batch_normalization_forward_training().",
            PerformanceWarning,
        )
    return (y, kept, inverse) if mean is None else y


@documented
def batch_normalization_forward_training_ex(
    x,
    gamma,
    beta,
    running_mean,
    running_var,
    mean,
    inv_std,
    eps,
    decay,
    is_for_conv2d,
    cudnn_mode,
    debug,
    d_layout=NCHW,
):
    """`batch_normalization_forward_training`, which also gives what cuDNN keeps for the gradient.

    Returns
    -------
    reserve_space : MemoryPointer or None
        For `batch_normalization_backward`; None where nothing is kept.
    y : ndarray
        The result, of the shape and dtype of x.
    mean, inv_std : ndarray
        The mean of x and 1 / sqrt(variance + eps), which the pass backward reads; only if the
        arguments were None.

    Examples
    --------
    >>> import tenorite as cp
    >>> x, ones, zeros = cp.array([[1.0, 5.0], [3.0, 5.0]]), cp.ones(2), cp.zeros(2)
    >>> mode = cp.cuda.cudnn.CUDNN_BATCHNORM_PER_ACTIVATION
    >>> reserve, y, mean, inv_std = cp.cudnn.batch_normalization_forward_training_ex(
    ...     x, ones, zeros, zeros.copy(), ones.copy(), None, None, 1e-5, 0.9, False, mode, False
    ... )
    >>> reserve is None, mean
    (True, array([2., 5.]))
    """
    reserve, y, kept, inverse = _train(
        "batch_normalization_forward_training_ex",
        x,
        gamma,
        beta,
        running_mean,
        running_var,
        mean,
        inv_std,
        eps,
        decay,
        is_for_conv2d,
        cudnn_mode,
        debug,
        d_layout,
    )
    return (reserve, y, kept, inverse) if mean is None else (reserve, y)


@documented
def batch_normalization_forward_inference(x, gamma, beta, mean, var, eps, is_for_conv2d, cudnn_mode, d_layout=NCHW):
    """Maps normalised by a given mean and variance, times gamma plus beta.

    Returns
    -------
    ndarray
        A new array of the shape and dtype of x.

    Examples
    --------
    >>> import tenorite as cp
    >>> x, ones, zeros = cp.array([[1.0, 5.0], [3.0, 5.0]]), cp.ones(2), cp.zeros(2)
    >>> mode = cp.cuda.cudnn.CUDNN_BATCHNORM_PER_ACTIVATION
    >>> cp.cudnn.batch_normalization_forward_inference(x, ones, zeros, ones, ones, 0.0, False, mode)
    array([[0., 4.],
           [2., 4.]])
    """
    eps, arrays = float(eps), dict(beta=beta, mean=mean, var=var)
    maps = _Maps("batch_normalization_forward_inference", x, is_for_conv2d, cudnn_mode, d_layout, gamma, **arrays)
    y = tenorite.empty(x.shape, x.dtype)
    if _is_kernels(maps):
        is_each = maps.mode == ours.PER_ACTIVATION
        _core._batch_norm_given(maps.view, gamma, beta, mean, var, maps.of(y), is_each, eps)
        return y
    ours.infer(maps.of(y), maps.view, *(maps.parameter(one) for one in (gamma, beta, mean, var)), eps)
    return y


def _backward_there(maps, x, gamma, gy, gx, gradients, saved, eps, reserve):
    one, zero = one_and_zero(x.dtype)
    xd, pd = maps.descriptors(x)
    handle, mode, ops = get_handle(), maps.mode, cudnn.CUDNN_BATCHNORM_OPS_BN
    facts = x.shape, x.dtype, maps.layout, maps.is_for_conv2d, mode
    size = keep(
        "batchnorm workspace",
        facts,
        lambda: cudnn.getBatchNormalizationBackwardExWorkspaceSize(handle, mode, ops, xd, xd, xd, xd, xd, pd, 0),
    )
    work = tenorite.cuda.alloc(size)
    tensors = xd, x.data.ptr, xd, 0, xd, gy.data.ptr, xd, 0, xd, gx.data.ptr
    params = pd, gamma.data.ptr, 0, *(array.data.ptr for array in gradients)
    spaces = work.ptr, size, *((reserve.ptr, reserve.mem.size) if reserve is not None else (0, 0))
    addresses = [array.data.ptr for array in saved]
    cudnn.batchNormalizationBackwardEx(
        handle, mode, ops, one, zero, one, zero, *tensors, *params, eps, *addresses, 0, *spaces
    )


@documented
def batch_normalization_backward(
    x, gamma, gy, mean, inv_std, eps, is_for_conv2d, cudnn_mode, debug, d_layout=NCHW, *, reserve_space=None
):
    """The gradients of a batch normalisation's input, of gamma and of beta.

    Returns
    -------
    gx : ndarray
        Of the shape and dtype of x.
    ggamma, gbeta : ndarray
        Of the shape of gamma.

    Examples
    --------
    >>> import tenorite as cp
    >>> x, ones, zeros = cp.array([[1.0, 5.0], [3.0, 5.0]]), cp.ones(2), cp.zeros(2)
    >>> mode = cp.cuda.cudnn.CUDNN_BATCHNORM_PER_ACTIVATION
    >>> y, mean, inv_std = cp.cudnn.batch_normalization_forward_training(
    ...     x, ones, zeros, zeros.copy(), ones.copy(), None, None, 1e-5, 0.9, False, mode, False
    ... )
    >>> gx, ggamma, gbeta = cp.cudnn.batch_normalization_backward(
    ...     x, ones, cp.ones_like(x), mean, inv_std, 1e-5, False, mode, False
    ... )
    >>> gbeta
    array([2., 2.])
    """
    eps, arrays = float(eps), dict(gy=gy, mean=mean, inv_std=inv_std)
    maps = _Maps("batch_normalization_backward", x, is_for_conv2d, cudnn_mode, d_layout, gamma, **arrays)
    gx = tenorite.empty(x.shape, x.dtype)
    wanted = maps.dtype if gamma.dtype == maps.dtype else x.dtype

    def theirs():
        gradients = [tenorite.empty(gamma.shape, maps.dtype) for _ in range(2)]
        scale, *saved = (contiguous(one.astype(maps.dtype, copy=False)) for one in (gamma, mean, inv_std))
        _backward_there(maps, contiguous(x), scale, contiguous(gy), gx, gradients, saved, eps, reserve_space)
        _warn_of_overflow(debug, maps.mode)
        return gradients

    def here():
        if _is_kernels(maps):
            gradients = [tenorite.empty(gamma.shape, maps.dtype) for _ in range(2)]
            made = gamma, mean, inv_std, maps.of(gx), *gradients
            _core._batch_norm_backward(maps.view, maps.of(gy), *made, maps.mode == ours.PER_ACTIVATION)
            return gradients
        given = [maps.parameter(one) for one in (gamma, mean, inv_std)]
        gradients = ours.backward(maps.of(gx), maps.view, maps.of(gy), *given, maps.axes)
        return [one.reshape(gamma.shape) for one in gradients]

    pays = reserve_space is not None or maps.mode == ours.SPATIAL_PERSISTENT
    gradients = maps.compute("batch_normalization_backward", x, theirs, here, pays)
    return (gx, *(one.astype(wanted, copy=False) for one in gradients))
