"""Arrays as frames: what distributed sends through sockets and writes where it spills.

A frame is the array's own memory where that is the host's and contiguous, and a received frame
becomes the array's memory: nothing is copied but by the socket. The family ``cuda``, for transports
that read a GPU's memory (UCX), hands out arrays of bytes of the device instead.
"""

import pickle

import numpy
from distributed.protocol.cuda import cuda_deserialize, cuda_serialize
from distributed.protocol.serialize import dask_deserialize, dask_serialize, register_generic

import tenorite
from tenorite._arguments import DL_CPU, host_view, ndarray
from tenorite.scipy.sparse import spmatrix


def _bytes_of(array):
    """The elements of an array as bytes on its device, and how to make it of them again."""
    if type(array) is not ndarray:
        # A class's attributes are pickle's to keep.
        raise NotImplementedError(f"{type(array)} has no frames")
    dtype = array.dtype
    header = {"dtype": pickle.dumps(dtype) if dtype.kind == "V" else dtype.str, "shape": array.shape}
    if 0 in array.strides and array.size:
        array = array[tuple(slice(None if stride else 1) for stride in array.strides)]
        header["repeated"] = array.shape
    if array.flags.fnc:
        header["order"] = "F"
        array = array.T
    return header, tenorite.ascontiguousarray(array).reshape(-1).view(numpy.uint8)


def _array_of(header, data):
    """The array whose bytes these are, as a view of them."""
    shape = header.get("repeated", header["shape"])
    dtype = header["dtype"]
    array = data.view(pickle.loads(dtype) if isinstance(dtype, bytes) else dtype)
    array = array.reshape(shape[::-1]).T if header.get("order") == "F" else array.reshape(shape)
    return tenorite.broadcast_to(array, header["shape"]) if "repeated" in header else array


@dask_serialize.register(ndarray)
def to_host(array):
    header, data = _bytes_of(array)
    return header, [memoryview(host_view(data))]


@dask_deserialize.register(ndarray)
def from_host(header, frames):
    (frame,) = frames
    host = numpy.frombuffer(frame if not memoryview(frame).readonly else bytearray(frame), numpy.uint8)
    return _array_of(header, tenorite.from_dlpack(host) if _is_host() else tenorite.asarray(host))


def _is_host():
    """Whether new arrays lie in memory that NumPy reads."""
    return tenorite.cuda.Device().backend == "host"


@cuda_serialize.register(ndarray)
def to_device(array):
    if array.__dlpack_device__()[0] == DL_CPU:
        raise NotImplementedError("an array of the host goes as a frame of the host")
    header, data = _bytes_of(array)
    return header, [data]


@cuda_deserialize.register(ndarray)
def from_device(header, frames):
    (frame,) = frames
    if not hasattr(frame, "__cuda_array_interface__"):
        return from_host(header, frames)
    return _array_of(header, tenorite.asarray(frame).view(numpy.uint8).reshape(-1))


register_generic(spmatrix, "dask", dask_serialize, dask_deserialize)
register_generic(spmatrix, "cuda", cuda_serialize, cuda_deserialize)
