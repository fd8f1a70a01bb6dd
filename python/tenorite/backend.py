"""For programs of two array modules: which module an array is of, and copies between them, by the
names of Chainer."""

import numpy

import tenorite
from tenorite.backends import cuda

__all__ = ["copyto", "get_array_module", "get_device_from_array"]

get_array_module, get_device_from_array = cuda.get_array_module, cuda.get_device_from_array


def copyto(dst, src):
    """Copy the elements of an array into another, each of NumPy or of a device.

    Parameters
    ----------
    dst : numpy.ndarray or ndarray
        What is written.
    src : numpy.ndarray or ndarray
        What is read; it broadcasts.

    Raises
    ------
    TypeError
        If one is no array.

    Examples
    --------
    >>> import tenorite as cp, numpy as np
    >>> from tenorite import backend
    >>> a = np.zeros(2)
    >>> backend.copyto(a, cp.ones(2))
    >>> a
    array([1., 1.])
    """
    if isinstance(dst, numpy.ndarray):
        numpy.copyto(dst, cuda.to_cpu(src))
    elif not isinstance(dst, tenorite.ndarray):
        raise TypeError(f"cannot copy to non-array object of type {type(dst)}")
    elif isinstance(src, tenorite.ndarray):
        tenorite.copyto(dst, src)
    elif not isinstance(src, numpy.ndarray):
        raise TypeError(f"cannot copy from non-array object of type {type(src)}")
    elif src.dtype == dst.dtype and src.shape == dst.shape:
        dst.set(src)
    else:
        tenorite.copyto(dst, cuda.to_gpu(src, device=dst.device))
