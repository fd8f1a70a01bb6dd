"""Pooling of arrays."""

import functools
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
    serves,
    tensor_descriptor,
)
from tenorite.cudnn._documents import documented


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
    return _checked(x.shape, x.dtype, y.shape, y.dtype, tuple(ksize), tuple(stride), tuple(pad), mode)


def _descriptor(*facts):
    return keep("pooling", facts, lambda: create_pooling_descriptor(*facts)).value


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
    if not serves(x, y):
        ours.forward(y, x, _pooling(x, y, ksize, stride, pad, mode))
        return y
    x = contiguous(x)
    one, zero = one_and_zero(x.dtype)
    xd, yd = (tensor_descriptor(array.shape, array.dtype) for array in (x, y))
    pool = _descriptor(tuple(ksize), tuple(stride), tuple(pad), mode)
    cudnn.poolingForward(get_handle(), pool, one, xd, x.data.ptr, zero, yd, y.data.ptr)
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
    gx = tenorite.empty(x.shape, x.dtype)
    if not serves(x, y, gy):
        ours.backward(gx, x, gy, _pooling(x, gy, ksize, stride, pad, mode))
        return gx
    x, y, gy = map(contiguous, (x, y, gy))
    one, zero = one_and_zero(x.dtype)
    xd, yd = (tensor_descriptor(array.shape, array.dtype) for array in (x, y))
    pool = _descriptor(tuple(ksize), tuple(stride), tuple(pad), mode)
    words = yd, y.data.ptr, yd, gy.data.ptr, xd, x.data.ptr, zero, xd, gx.data.ptr
    cudnn.poolingBackward(get_handle(), pool, one, *words)
    return gx
