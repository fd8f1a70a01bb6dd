"""Arrays on devices for programs that also run on NumPy's, by the names of Chainer.

Everything works where there is no GPU, too: the device is the host then.
"""

import warnings

import numpy

import tenorite as cupy
from tenorite import ElementwiseKernel, RawKernel, ReductionKernel, clear_memo, fuse, memoize, ndarray, x as cupyx
from tenorite.cuda import Device, Event, Stream

__all__ = [
    "Device",
    "DummyDevice",
    "DummyDeviceType",
    "Event",
    "Stream",
    "available",
    "check_cuda_available",
    "clear_memo",
    "copy",
    "cudnn_enabled",
    "cupy",
    "cupyx",
    "elementwise",
    "fuse",
    "get_array_module",
    "get_device",
    "get_device_from_array",
    "get_device_from_id",
    "get_max_workspace_size",
    "memoize",
    "ndarray",
    "raw",
    "reduce",
    "set_max_workspace_size",
    "to_cpu",
    "to_gpu",
]

# Whether arrays on devices can be used. There is always a device, if only the host's.
available = True
# Whether cuDNN is used. It never is.
cudnn_enabled = False

_INTEGERS = int, numpy.integer
_workspace_bytes = 8 << 20


def check_cuda_available():
    """Fail if arrays on devices can't be used. They always can be.

    Examples
    --------
    >>> from tenorite.backends import cuda
    >>> cuda.check_cuda_available()
    """


# --- Devices ---


class DummyDeviceType:
    """What stands for the device of NumPy's arrays: a context that does nothing.

    Examples
    --------
    >>> from tenorite.backends import cuda
    >>> with cuda.DummyDevice as device:
    ...     print(int(device))
    -1
    """

    id = -1

    def __int__(self):
        return -1

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        pass

    def use(self):
        """Do nothing, as there is nothing to be made current.

        Examples
        --------
        >>> from tenorite.backends import cuda
        >>> cuda.DummyDevice.use()
        """

    def synchronize(self):
        """Do nothing, as there is nothing to be waited for.

        Examples
        --------
        >>> from tenorite.backends import cuda
        >>> cuda.DummyDevice.synchronize()
        """

    def __eq__(self, other):
        return isinstance(other, DummyDeviceType)

    def __hash__(self):
        return hash(DummyDeviceType)


DummyDevice = DummyDeviceType()


def get_device_from_id(device_id):
    """The device of a number.

    Parameters
    ----------
    device_id : int or None
        None, and what is less than 0, is the device of NumPy's arrays.

    Returns
    -------
    Device or DummyDeviceType
        A context.

    Examples
    --------
    >>> from tenorite.backends import cuda
    >>> cuda.get_device_from_id(0).id, cuda.get_device_from_id(None).id
    (0, -1)
    """
    if device_id is None or device_id < 0:
        return DummyDevice
    return Device(int(device_id))


def get_device_from_array(*arrays):
    """The device on which an array lies.

    Parameters
    ----------
    *arrays : object
        The first array of a device counts.

    Returns
    -------
    Device or DummyDeviceType
        The latter if none is an array of a device.

    Examples
    --------
    >>> import tenorite as cp, numpy as np
    >>> from tenorite.backends import cuda
    >>> cuda.get_device_from_array(cp.ones(2)).id, cuda.get_device_from_array(np.ones(2)).id
    (0, -1)
    """
    for array in arrays:
        if isinstance(array, ndarray):
            return array.device
    return DummyDevice


def _device_of(*args):
    for one in args:
        if isinstance(one, _INTEGERS) and not isinstance(one, bool):
            return Device(int(one))
        if isinstance(one, ndarray):
            return one.device
        if isinstance(one, Device):
            return one
    return DummyDevice


def get_device(*args):
    """The device of numbers, arrays or devices. Chainer has deprecated it, which is why it warns.

    Parameters
    ----------
    *args : object
        The first integer, array of a device, or device counts.

    Returns
    -------
    Device or DummyDeviceType
        The latter if there is none.

    Examples
    --------
    >>> from tenorite.backends import cuda
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     cuda.get_device(None, 0).id
    0
    """
    warnings.warn(
        "get_device is deprecated. Please use get_device_from_id or get_device_from_array instead.",
        DeprecationWarning,
        stacklevel=2,
    )
    return _device_of(*args)


def _device_or_current(device):
    if device is None or device is DummyDevice:
        return Device()
    if isinstance(device, Device):
        return device
    if not isinstance(device, _INTEGERS) or isinstance(device, bool) or device < 0:
        raise ValueError(f"Invalid CUDA device specifier: {device}")
    return Device(int(device))


# --- Copies ---


def _converted(array, convert):
    """An array or a list or tuple of them; one that comes twice becomes one that comes twice."""
    if not isinstance(array, (list, tuple)):
        return convert(array)
    made = {}
    for one in array:
        if id(one) not in made:
            made[id(one)] = convert(one)
    return type(array)([made[id(one)] for one in array])


def to_gpu(array, device=None, stream=None):
    """Arrays on a device.

    Parameters
    ----------
    array : numpy.ndarray, ndarray, NumPy scalar, None, or list or tuple of them
        None stays None, and an array that lies on the device stays itself.
    device : int, Device or None, optional
        None: the current one.
    stream : Stream, optional
        On which the copy runs. Chainer has deprecated it, which is why it warns.

    Returns
    -------
    ndarray, None, list or tuple
        As it was given.

    Raises
    ------
    TypeError
        If something is no array.
    ValueError
        If there is no such device.

    Examples
    --------
    >>> import numpy as np
    >>> from tenorite.backends import cuda
    >>> cuda.to_gpu([np.arange(2), None])
    [array([0, 1]), None]
    """
    if stream is not None:
        warnings.warn("The stream option is deprecated in to_gpu. Please remove it.", DeprecationWarning, stacklevel=2)
    device = _device_or_current(device)

    def convert(one):
        if one is None or (isinstance(one, ndarray) and one.device == device):
            return one
        if not isinstance(one, (ndarray, numpy.ndarray, numpy.number, numpy.bool_)):
            raise TypeError(f"The array sent to gpu must be an array or a NumPy scalar.\nActual type: {type(one)}.")
        with device:
            if stream is None:
                return cupy.array(one)
            with stream:
                return cupy.array(one)

    return _converted(array, convert)


def to_cpu(array, stream=None):
    """Arrays of NumPy.

    Parameters
    ----------
    array : numpy.ndarray, ndarray, scalar, None, or list or tuple of them
        None stays None, and an array of NumPy stays itself.
    stream : Stream, optional
        On which the copy runs.

    Returns
    -------
    numpy.ndarray, None, list or tuple
        As it was given.

    Raises
    ------
    TypeError
        If something is no array.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.backends import cuda
    >>> cuda.to_cpu((cp.arange(2), None))
    (array([0, 1]), None)
    """

    def convert(one):
        if one is None or isinstance(one, numpy.ndarray):
            return one
        if isinstance(one, ndarray):
            with one.device:
                return one.get(stream=stream)
        if numpy.isscalar(one):
            return numpy.asarray(one)
        raise TypeError(f"Array cannot be converted into an numpy.ndarray\nActual type: {type(one)}.")

    return _converted(array, convert)


def copy(array, out=None, out_device=None, stream=None):
    """Copy an array of a device.

    Parameters
    ----------
    array : ndarray
        What is read.
    out : ndarray, optional
        What is written, and returned; `out_device` does not count then.
    out_device : int, Device or ndarray, optional
        Where the copy is made. None: where the array lies.
    stream : Stream, optional
        On which the copy runs.

    Returns
    -------
    ndarray
        The copy.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.backends import cuda
    >>> cuda.copy(cp.arange(3), out=cp.empty(3))
    array([0., 1., 2.])
    """
    if out is None:
        with _device_of(array if out_device is None else out_device):
            out = cupy.empty_like(array)
    with _device_of(array):
        if stream is None:
            cupy.copyto(out, array)
        else:
            with stream:
                cupy.copyto(out, array)
    return out


# --- Kernels ---


@memoize()
def elementwise(in_params, out_params, operation, name, **kwargs):
    """An ElementwiseKernel that is made once.

    Parameters
    ----------
    in_params, out_params, operation, name, **kwargs
        Those of ElementwiseKernel.

    Returns
    -------
    ElementwiseKernel
        The same one for the same arguments.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.backends import cuda
    >>> cuda.elementwise("T x", "T y", "y = x * x", "squared")(cp.arange(3.0))
    array([0., 1., 4.])
    """
    return ElementwiseKernel(in_params, out_params, operation, name, **kwargs)


@memoize()
def reduce(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, **kwargs):
    """A ReductionKernel that is made once.

    Parameters
    ----------
    in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, **kwargs
        Those of ReductionKernel.

    Returns
    -------
    ReductionKernel
        The same one for the same arguments.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.backends import cuda
    >>> cuda.reduce("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")(cp.arange(3.0))
    array(5.)
    """
    return ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, **kwargs)


@memoize()
def raw(code, name, *args, **kwargs):
    """A RawKernel that is made once.

    Parameters
    ----------
    code, name, *args, **kwargs
        Those of RawKernel.

    Returns
    -------
    RawKernel
        The same one for the same arguments.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.backends import cuda
    >>> text = 'extern "C" __global__ void one(double *x) { x[threadIdx.x] = 1; }'
    >>> cuda.raw(text, "one") is cuda.raw(text, "one")
    True
    """
    return RawKernel(code, name, *args, **kwargs)


def _data(value):
    """The array of a variable, or what is given: variables have their array as ``array``."""
    inner = getattr(value, "array", None)
    return inner if isinstance(inner, (numpy.ndarray, ndarray)) else value


def get_array_module(*args):
    """The module whose functions take these: tenorite if one is on a device, else numpy.

    Parameters
    ----------
    *args : object
        Arrays, or objects that have one as ``array``.

    Returns
    -------
    module
        tenorite or numpy.

    Examples
    --------
    >>> import tenorite as cp, numpy as np
    >>> from tenorite import backend
    >>> backend.get_array_module(cp.ones(2)) is cp, backend.get_array_module(np.ones(2)) is np
    (True, True)
    """
    return cupy.get_array_module(*map(_data, args))


# --- Scratch memory ---


def get_max_workspace_size():
    """What `set_max_workspace_size` was given.

    Returns
    -------
    int
        Bytes; 8 MiB at first.

    Examples
    --------
    >>> from tenorite.backends import cuda
    >>> cuda.get_max_workspace_size()
    8388608
    """
    return _workspace_bytes


def set_max_workspace_size(size):
    """Keep how much scratch memory cuDNN may take. cuDNN is not used, so nothing else reads it.

    Parameters
    ----------
    size : int
        Bytes.

    Raises
    ------
    ValueError
        If it is negative.

    Examples
    --------
    >>> from tenorite.backends import cuda
    >>> cuda.set_max_workspace_size(8 << 20)
    """
    global _workspace_bytes
    if size < 0:
        raise ValueError(f"the size of a workspace is 0 bytes at least, not {size}")
    _workspace_bytes = int(size)
