"""Pooling of arrays. Forward is Tenorite's own function on GPUs, too, .7 to 1 of cuDNN's time."""

import functools
import operator
import types

import tenorite
from tenorite.cuda import cudnn
from tenorite.cuda._raw.dnn import pooling as ours
from tenorite.cudnn._descriptors import (
    KEPT,
    check_arrays,
    contiguous,
    create_pooling_descriptor,
    get_handle,
    keep,
    one_and_zero,
    tensor_descriptor,
    whole,
)
from tenorite.cudnn._documents import documented
from tenorite.cudnn._served import compute

# Elements up to which Tenorite's own gradients, of the largest and of means, are faster on an H100.
_FEW = 1 << 18, 1 << 21
_MEANS = cudnn.CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING, cudnn.CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING


@functools.lru_cache(KEPT)
def _checked(x_shape, x_dtype, y_shape, y_dtype, ksize, stride, pad, mode):
    """The pooling of arrays of such shapes; a failure where they do not fit."""
    if not len(ksize) == len(stride) == len(pad):
        raise ValueError(f"ksize, stride, and pad must be of same length, not {len(ksize)}, {len(stride)}, {len(pad)}")
    pool = ours.Pooling()
    ours.describe(pool, mode, False, ksize, pad, stride)
    x, y = types.SimpleNamespace(shape=x_shape, dtype=x_dtype), types.SimpleNamespace(shape=y_shape, dtype=y_dtype)
    ours.check_shapes(pool, x, y)
    return pool


def _pooling(x, y, ksize, stride, pad, mode):
    facts = whole(ksize), whole(stride), whole(pad), operator.index(mode)
    return _checked(x.shape, x.dtype, y.shape, y.dtype, *facts)


def _described(pool, *arrays):
    """The descriptor of a pooling, and those of arrays; maps of one axis are such of a row, since
    cuDNN has none of one axis."""
    facts = pool.window, pool.strides, pool.pads
    shapes = [array.shape for array in arrays]
    if len(pool.window) == 1:
        facts = tuple((first, *one) for first, one in zip((1, 1, 0), facts))
        shapes = [(*shape[:2], 1, shape[2]) for shape in shapes]
    desc = keep("pooling", (facts, pool.mode), lambda: create_pooling_descriptor(*facts, pool.mode))
    return desc.value, *(tensor_descriptor(shape, array.dtype) for shape, array in zip(shapes, arrays))


def _backward_there(x, y, gy, gx, pool):
    x, y, gy = map(contiguous, (x, y, gy))
    one, zero = one_and_zero(x.dtype)
    desc, xd, yd = _described(pool, x, y)
    words = yd, y.data.ptr, yd, gy.data.ptr, xd, x.data.ptr, zero, xd, gx.data.ptr
    cudnn.poolingBackward(get_handle(), desc, one, *words)


@documented
def pooling_forward(x, y, ksize, stride, pad, mode):
    """The largest or the mean of each window of maps, into y.

    Returns
    -------
    ndarray
        y itself.

    Raises
    ------
    CuDNNError
        For shapes or dtypes that do not fit.

    Examples
    --------
    >>> import tenorite as cp
    >>> x, y = cp.arange(16.0).reshape(1, 1, 4, 4), cp.empty((1, 1, 2, 2))
    >>> cp.cudnn.pooling_forward(x, y, (2, 2), (2, 2), (0, 0), cp.cuda.cudnn.CUDNN_POOLING_MAX)[0, 0]
    array([[ 5.,  7.],
           [13., 15.]])
    """
    check_arrays("pooling_forward", x=x, y=y)
    if not y.flags.c_contiguous:
        raise ValueError("cudnn.pooling_forward: supports c-contiguous y only")
    pool = _pooling(x, y, ksize, stride, pad, mode)
    ours.forward(y, x, pool)
    return y


@documented
def pooling_backward(x, y, gy, ksize, stride, pad, mode):
    """The gradient of a pooling's input.

    Returns
    -------
    ndarray
        A new array of the shape of x; of equal largest elements the first has the gradient.

    Raises
    ------
    CuDNNError
        For shapes or dtypes that do not fit.

    Examples
    --------
    >>> import tenorite as cp
    >>> x, mode = cp.arange(4.0).reshape(1, 1, 2, 2), cp.cuda.cudnn.CUDNN_POOLING_MAX
    >>> y = cp.cudnn.pooling_forward(x, cp.empty((1, 1, 1, 1)), (2, 2), (2, 2), (0, 0), mode)
    >>> cp.cudnn.pooling_backward(x, y, cp.ones_like(y), (2, 2), (2, 2), (0, 0), mode)[0, 0]
    array([[0., 0.],
           [0., 1.]])
    """
    check_arrays("pooling_backward", x=x, y=y, gy=gy)
    pool = _pooling(x, gy, ksize, stride, pad, mode)
    if y.shape != gy.shape or y.dtype != gy.dtype:
        raise ValueError(
            f"cudnn.pooling_backward: y is {y.dtype} of shape {y.shape}, gy {gy.dtype} of shape {gy.shape}"
        )
    gx = tenorite.empty(x.shape, x.dtype)
    if x.size <= _FEW[pool.mode in _MEANS]:
        ours.backward(gx, x, gy, pool)
        return gx
    theirs = functools.partial(_backward_there, x, y, gy, gx, pool)
    compute("pooling_backward", (x, y, gy), theirs, lambda: ours.backward(gx, x, gy, pool))
    return gx
