"""Handles, descriptors and settings, as ``cupyx.cudnn`` has them."""

import ctypes
import functools
import operator
import threading

import numpy

from tenorite._arguments import ndarray
from tenorite.cuda import cudnn
from tenorite.cuda._raw.dnn.descriptors import NCHW, NHWC, NUMBERS, packed
from tenorite.cuda.device import Device
from tenorite.cudnn._documents import documented

_kept = threading.local()
_handles = {}
_unmade = {}  # the failure of a device's handles, which is not tried again
_lock = threading.Lock()
generation = 0  # of handles, what is made with which serves no other
# Bytes. Chainer's and CuPy's 8 MiB keep cuDNN from tensor cores for maps of 64 x 64 x 56 x 56.
max_workspace_size = 512 * 1024 * 1024
# Descriptors of each kind that a thread keeps.
KEPT = 512


def get_handle():
    """The handle of cuDNN for this thread and the current device.

    Returns
    -------
    int
        The same until `reset_handles` is called.

    Examples
    --------
    >>> from tenorite import cudnn
    >>> cudnn.get_handle() == cudnn.get_handle()
    True
    """
    device = Device()
    key = threading.get_ident(), device.backend, device.id
    with _lock:
        if key not in _handles:
            _handles[key] = _create(key[1:])
        return _handles[key]


def _create(device):
    if device in _unmade:
        raise cudnn.CuDNNError(_unmade[device])
    try:
        return cudnn.create()
    except cudnn.CuDNNError as error:
        _unmade[device] = error.status
        raise


def reset_handles():
    """Ends the handles of all threads; the next calls make new ones.

    Examples
    --------
    >>> from tenorite import cudnn
    >>> cudnn.reset_handles()
    """
    global generation
    with _lock:
        generation += 1
        found = dict(_handles)
        _handles.clear()
        _unmade.clear()
    for (_, backend, number), handle in found.items():
        with Device(f"{backend}:{number}"):
            cudnn.destroy(handle)


def get_max_workspace_size():
    """How many bytes of workspace a convolution may use.

    Returns
    -------
    int
        512 MiB, if a program has set nothing. They come from the pool, and go back after each call.

    Examples
    --------
    >>> from tenorite import cudnn
    >>> cudnn.get_max_workspace_size()
    536870912
    """
    return max_workspace_size


def set_max_workspace_size(size):
    """Sets how many bytes of workspace a convolution may use; an algorithm that needs more is not
    taken.

    Parameters
    ----------
    size : int
        Bytes, 0 or more.

    Examples
    --------
    >>> from tenorite import cudnn
    >>> before = cudnn.get_max_workspace_size()
    >>> cudnn.set_max_workspace_size(8 * 1024 * 1024)
    >>> cudnn.set_max_workspace_size(before)
    """
    global max_workspace_size
    size = size.__index__()
    if size < 0:
        raise OverflowError(f"set_max_workspace_size: {size} bytes are less than 0")
    max_workspace_size = size


class Descriptor:
    """A descriptor of cuDNN, which ends with the object.

    Parameters
    ----------
    descriptor : int
        Its number.
    destroyer : callable
        Gets the number at the end.

    Attributes
    ----------
    value : int
        The number.

    Examples
    --------
    >>> from tenorite import cudnn
    >>> cudnn.create_uninitialized_tensor_descriptor().value != 0
    True
    """

    def __init__(self, descriptor, destroyer):
        self.value, self._destroyer, self._device = descriptor, destroyer, Device()

    def __del__(self):
        value, self.value = getattr(self, "value", 0), 0
        if value:
            try:
                with self._device:  # which says whose descriptor it is
                    self._destroyer(value)
            except Exception:
                pass


def get_data_type(dtype):
    """cuDNN's number of a dtype.

    Parameters
    ----------
    dtype : dtype
        float16, bfloat16, float32 or float64.

    Returns
    -------
    int
        One of ``tenorite.cuda.cudnn.CUDNN_DATA_...``.

    Raises
    ------
    TypeError
        For another dtype.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cudnn.get_data_type(cp.dtype("float64"))
    1
    """
    return _number(dtype) if isinstance(dtype, numpy.dtype) else _number(numpy.dtype(dtype))


@functools.cache
def _number(dtype):
    if dtype.name not in NUMBERS:
        raise TypeError(f"Dtype {dtype} is not supported in cuDNN")
    return NUMBERS[dtype.name]


def check_arrays(name, **arrays):
    """Raises for an argument that is no array, for dtypes that cuDNN lacks, for two devices."""
    device = None
    for argument, array in arrays.items():
        if not isinstance(array, ndarray):
            raise TypeError(f"cudnn.{name}: {argument} must be a tenorite.ndarray, not {type(array)}")
        _number(array.dtype)
        if device is not None and array.device != device:
            raise ValueError(f"cudnn.{name}: {argument} lies on {array.device}, another array on {device}")
        device = array.device


def contiguous(array):
    """The array, or a copy in order C."""
    return array if array.flags.c_contiguous else array.copy("C")


def as_nchw(array, layout):
    """The view with the channels second."""
    if layout == NCHW:
        return array
    if layout != NHWC:
        raise ValueError(f"unknown cudnnTensorFormat: {layout}")
    return array.transpose(0, array.ndim - 1, *range(1, array.ndim - 1))


def ints(values):
    """Numbers of C's type int: what ctypes holds."""
    return (ctypes.c_int * max(len(values), 1))(*values)


@functools.cache
def _scalars(is_double):
    return ((ctypes.c_double if is_double else ctypes.c_float) * 2)(1, 0)


def one_and_zero(dtype):
    """The addresses of the factors 1 and 0 for tensors of a dtype."""
    kept = _scalars(dtype == "float64")
    one = ctypes.addressof(kept)
    return one, one + ctypes.sizeof(kept) // 2


def _kept_of(kind):
    device = Device()
    return vars(_kept).setdefault((kind, device.backend, device.id, cudnn._library.serves()), {})


def forget(kind, key):
    """Drops what `keep` has."""
    _kept_of(kind).pop(key, None)


def keep(kind, key, make):
    """What `make` made for the key before in this thread for the current device, or makes now. What
    was asked for longest ago goes first."""
    kept = _kept_of(kind)
    found = kept.pop(key, None)
    if found is None:
        found = make()
        while len(kept) >= KEPT:
            del kept[next(iter(kept))]
    kept[key] = found
    return found


# --- Tensors ---


def _check_contiguous(arr):
    if not isinstance(arr, ndarray):
        raise TypeError(f"cudnn: a tensor must be a tenorite.ndarray, not {type(arr)}")
    if not arr.flags.c_contiguous:
        raise ValueError("cudnn supports c-contiguous arrays only")


def _check_format(format):
    if format not in (NCHW, NHWC):
        raise ValueError(f"unknown cudnnTensorFormat: {format}")


def _new(create, destroy, put, *facts):
    """A new descriptor that `put` sets."""
    made = Descriptor(create(), destroy)
    put(made.value, *facts)
    return made


def _set_nd(desc, number, shape, format=NCHW):
    if format == NHWC and len(shape) > 2:
        shape = (shape[0], shape[-1], *shape[1:-1])
    dims, steps = ints(shape), ints(packed(tuple(max(size, 1) for size in shape), format))
    cudnn.setTensorNdDescriptor(desc, number, len(shape), ctypes.addressof(dims), ctypes.addressof(steps))


def _tensor_of(number, shape, format):
    create, destroy = cudnn.createTensorDescriptor, cudnn.destroyTensorDescriptor
    if len(shape) != 4:
        return _new(create, destroy, _set_nd, number, shape, format)
    n, c, h, w = shape if format == NCHW else (shape[0], shape[3], shape[1], shape[2])
    return _new(create, destroy, cudnn.setTensor4dDescriptor, format, number, n, c, h, w)


def kept_tensor(shape, dtype, format=NCHW):
    """The descriptor that this thread keeps for contiguous arrays of a shape."""
    return keep("tensor", (shape, dtype, format), lambda: _tensor_of(get_data_type(dtype), shape, format))


def kept_filter(shape, dtype, format=NCHW):
    """The same of filters."""
    return keep("filter", (shape, dtype, format), lambda: _filter_of(get_data_type(dtype), shape, format))


def tensor_descriptor(shape, dtype, format=NCHW):
    """The number of `kept_tensor`, for a call at once: the descriptor may end after others."""
    return kept_tensor(shape, dtype, format).value


def _filter_of(number, shape, format):
    create, destroy = cudnn.createFilterDescriptor, cudnn.destroyFilterDescriptor
    if format == NHWC and len(shape) > 2:
        shape = (shape[0], shape[-1], *shape[1:-1])
    if len(shape) == 4:
        return _new(create, destroy, cudnn.setFilter4dDescriptor_v4, number, format, *shape)
    dims = ints(shape)
    return _new(create, destroy, cudnn.setFilterNdDescriptor_v4, number, format, len(shape), ctypes.addressof(dims))


@documented
def create_tensor_descriptor(arr, format=NCHW):
    """A descriptor of an array.

    Raises
    ------
    ValueError
        For an array that is not contiguous in order C, and for another format.

    Examples
    --------
    >>> import tenorite as cp
    >>> found = cp.cudnn.create_tensor_descriptor(cp.ones((2, 3, 4, 5), "f4"))
    >>> cp.cuda.cudnn.getTensor4dDescriptor(found.value)
    (0, 2, 3, 4, 5, 60, 20, 5, 1)
    """
    _check_contiguous(arr)
    _check_format(format)
    return _tensor_of(get_data_type(arr.dtype), arr.shape, format)


def create_uninitialized_tensor_descriptor():
    """A descriptor of a tensor of which nothing is said yet, as of scale and bias of a batch
    normalisation.

    Returns
    -------
    Descriptor
        For ``tenorite.cuda.cudnn.deriveBNTensorDescriptor``.

    Examples
    --------
    >>> from tenorite import cudnn
    >>> cudnn.create_uninitialized_tensor_descriptor().value != 0
    True
    """
    return Descriptor(cudnn.createTensorDescriptor(), cudnn.destroyTensorDescriptor)


@documented
def create_tensor_nd_descriptor(arr):
    """A descriptor of an array of any number of axes, the same for arrays of a shape and dtype.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cudnn.create_tensor_nd_descriptor(cp.ones((2, 3, 4))).value != 0
    True
    >>> cp.cudnn.create_tensor_nd_descriptor(cp.ones((0, 3, 4))).value
    0
    """
    _check_contiguous(arr)
    if not arr.size:
        return Descriptor(0, None)
    number, create, destroy = get_data_type(arr.dtype), cudnn.createTensorDescriptor, cudnn.destroyTensorDescriptor
    return keep("nd", (arr.shape, number), lambda: _new(create, destroy, _set_nd, number, arr.shape))


@documented
def create_filter_descriptor(arr, format=NCHW):
    """A descriptor of filters.

    Examples
    --------
    >>> import tenorite as cp
    >>> found = cp.cudnn.create_filter_descriptor(cp.ones((4, 3, 2, 2)))
    >>> cp.cuda.cudnn.getFilterNdDescriptor(found.value, 4)
    (1, 0, 4, (4, 3, 2, 2))
    """
    _check_format(format)
    return _filter_of(get_data_type(arr.dtype), arr.shape, format)


# --- Operations ---


def compute_number(dtype):
    """The number of the dtype that a dtype is computed in: that of float for the halves."""
    number = get_data_type(dtype)
    return number if number == 1 else 0


def convolution_facts(pad, stride, dilation):
    """Pads, strides and dilations as tuples of ints of one length."""
    return _facts_of(whole(pad), whole(stride), dilation if dilation is None else whole(dilation))


def whole(numbers):
    """A tuple of ints, of which nothing but numbers is kept."""
    return tuple(map(operator.index, numbers))


@functools.lru_cache(KEPT)
def _facts_of(pad, stride, dilation):
    if len(pad) != len(stride):
        raise ValueError(f"pad and stride must be of same length, not {len(pad)} and {len(stride)}")
    dilation = (1,) * len(pad) if dilation is None else dilation
    if len(dilation) != len(pad):
        raise ValueError(f"pad and dilation must be of same length, not {len(pad)} and {len(dilation)}")
    return pad, stride, dilation


def _set_convolution(desc, pad, stride, dilation, mode, number):
    if len(pad) == 2:
        words = (*pad, *stride, *dilation)
        cudnn.setConvolution2dDescriptor_v5(desc, *words, mode, number)
        return
    kept = [ints(one) for one in (pad, stride, dilation)]
    cudnn.setConvolutionNdDescriptor_v3(desc, len(pad), *map(ctypes.addressof, kept), mode, number)


@documented
def create_convolution_descriptor(
    pad, stride, dtype, mode=cudnn.CUDNN_CROSS_CORRELATION, dilation=None, use_tensor_core=False, groups=1
):
    """A descriptor of a convolution.

    Examples
    --------
    >>> import tenorite as cp
    >>> found = cp.cudnn.create_convolution_descriptor((1, 1), (1, 1), cp.dtype("float32"), groups=2)
    >>> cp.cuda.cudnn.getConvolutionGroupCount(found.value)
    2
    """
    facts = convolution_facts(pad, stride, dilation)
    create, destroy = cudnn.createConvolutionDescriptor, cudnn.destroyConvolutionDescriptor
    made = _new(create, destroy, _set_convolution, *facts, mode, compute_number(dtype))
    if use_tensor_core:
        cudnn.setConvolutionMathType(made.value, cudnn.CUDNN_TENSOR_OP_MATH)
    if groups > 1:
        cudnn.setConvolutionGroupCount(made.value, groups)
    return made


@documented
def create_pooling_descriptor(ksize, stride, pad, mode):
    """A descriptor of a pooling.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cudnn.create_pooling_descriptor((2, 2), (2, 2), (0, 0), cp.cuda.cudnn.CUDNN_POOLING_MAX).value != 0
    True
    """
    if not len(ksize) == len(stride) == len(pad):
        raise ValueError(f"ksize, stride, and pad must be of same length, not {len(ksize)}, {len(stride)}, {len(pad)}")
    kept = [ints(one) for one in (ksize, pad, stride)]
    words = map(ctypes.addressof, kept)
    create, destroy = cudnn.createPoolingDescriptor, cudnn.destroyPoolingDescriptor
    nan = cudnn.CUDNN_NOT_PROPAGATE_NAN
    return _new(create, destroy, cudnn.setPoolingNdDescriptor_v4, mode, nan, len(ksize), *words)


@documented
def create_activation_descriptor(mode, relu_nan_opt=cudnn.CUDNN_PROPAGATE_NAN, coef=0.0):
    """A descriptor of an activation.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cudnn.create_activation_descriptor(cp.cuda.cudnn.CUDNN_ACTIVATION_RELU).value != 0
    True
    """
    create, destroy = cudnn.createActivationDescriptor, cudnn.destroyActivationDescriptor
    return _new(create, destroy, cudnn.setActivationDescriptor, mode, relu_nan_opt, float(coef))


@documented
def create_op_tensor_descriptor(op_type, dtype):
    """A descriptor of an operation on two tensors.

    Examples
    --------
    >>> import tenorite as cp
    >>> found = cp.cudnn.create_op_tensor_descriptor(cp.cuda.cudnn.CUDNN_OP_TENSOR_MUL, cp.dtype("float32"))
    >>> cp.cuda.cudnn.getOpTensorDescriptor(found.value)
    (1, 0, 0)
    """
    create, destroy = cudnn.createOpTensorDescriptor, cudnn.destroyOpTensorDescriptor
    number = get_data_type(dtype)
    return _new(create, destroy, cudnn.setOpTensorDescriptor, op_type, number, cudnn.CUDNN_NOT_PROPAGATE_NAN)


@documented
def create_reduce_tensor_descriptor(reduce_type, dtype):
    """A descriptor of a reduction; minimum and maximum tell their places, too.

    Examples
    --------
    >>> import tenorite as cp
    >>> found = cp.cudnn.create_reduce_tensor_descriptor(cp.cuda.cudnn.CUDNN_REDUCE_TENSOR_MAX, cp.dtype("float64"))
    >>> cp.cuda.cudnn.getReduceTensorDescriptor(found.value)
    (3, 1, 0, 1, 0)
    """
    extremes = cudnn.CUDNN_REDUCE_TENSOR_MIN, cudnn.CUDNN_REDUCE_TENSOR_MAX
    indices = int(reduce_type in extremes)
    facts = reduce_type, get_data_type(dtype), cudnn.CUDNN_NOT_PROPAGATE_NAN, indices, cudnn.CUDNN_32BIT_INDICES
    create, destroy = cudnn.createReduceTensorDescriptor, cudnn.destroyReduceTensorDescriptor
    return _new(create, destroy, cudnn.setReduceTensorDescriptor, *facts)


def is_tensor_core_available(dtype):
    """Whether cuDNN multiplies arrays of a dtype on tensor cores.

    Parameters
    ----------
    dtype : dtype
        A dtype.

    Returns
    -------
    bool
        True for float16 and bfloat16 on a GPU of compute capability 7.0 or newer with cuDNN.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cudnn.is_tensor_core_available(cp.dtype("float32"))
    False
    """
    if not cudnn._library.serves() or dtype.name not in ("float16", "bfloat16"):
        return False
    return int(Device().compute_capability) >= 70
