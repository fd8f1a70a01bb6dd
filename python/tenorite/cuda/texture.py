"""Textures and surfaces: arrays that kernels fetch from by coordinates, with filtering.

On the host kernels fetch from memory with the same rules: linear filtering has weights of eight
binary digits, as a GPU's. Layers, cubes and levels of detail are for GPUs alone.
"""

import ctypes

import numpy

from tenorite import _core
from tenorite.cuda import runtime
from tenorite.cuda._raw import arrays
from tenorite.cuda._raw.attributes import attribute
from tenorite.cuda.stream import get_current_stream
from tenorite.exceptions import CUDARuntimeError

__all__ = [
    "CUDARuntimeError",
    "CUDAarray",
    "ChannelFormatDescriptor",
    "ResourceDescriptor",
    "SurfaceObject",
    "TextureDescriptor",
    "TextureObject",
]

_KINDS = {
    runtime.cudaChannelFormatKindSigned: "i",
    runtime.cudaChannelFormatKindUnsigned: "u",
    runtime.cudaChannelFormatKindFloat: "f",
}


def _shown(struct, fields):
    return {name: getattr(struct, name) for name in fields.split()}


class ChannelFormatDescriptor:
    """What an element of an array for textures is made of: up to four numbers.

    Parameters
    ----------
    x, y, z, w : int
        The bits of each number, 0: there is none.
    f : int
        ``runtime.cudaChannelFormatKindFloat`` or one of its kin.

    Examples
    --------
    >>> kind = tenorite.cuda.runtime.cudaChannelFormatKindFloat
    >>> tenorite.cuda.texture.ChannelFormatDescriptor(32, 0, 0, 0, kind).get_channel_format()
    {'x': 32, 'y': 0, 'z': 0, 'w': 0, 'f': 2}
    """

    def __init__(self, x, y, z, w, f):
        self._struct = arrays.Channels(x, y, z, w, f)

    @property
    def ptr(self):
        """The address of the ``cudaChannelFormatDesc``."""
        return ctypes.addressof(self._struct)

    def get_channel_format(self):
        """A dict of ``x``, ``y``, ``z``, ``w`` and ``f``."""
        return _shown(self._struct, "x y z w f")

    def _dtype_and_count(self):
        bits, count = arrays.bits_and_count(self._struct)
        return numpy.dtype(f"{_KINDS[self._struct.f]}{bits // 8}"), count


class CUDAarray:
    """Memory that textures and surfaces are made of, on the current device.

    Parameters
    ----------
    desc : ChannelFormatDescriptor
        What an element is made of.
    width : int
        The number of elements of a row.
    height, depth : int, optional
        The number of rows and of planes; 0: there is no such axis.
    flags : int, optional
        ``runtime.cudaArraySurfaceLoadStore`` for surfaces.

    Examples
    --------
    >>> texture, runtime = tenorite.cuda.texture, tenorite.cuda.runtime
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> array = texture.CUDAarray(floats, 3, 2)
    >>> array.copy_from(tenorite.arange(6, dtype="f").reshape(2, 3))
    >>> array.copy_to(tenorite.zeros((2, 3), "f"))
    """

    ptr = attribute("ptr", "The array's handle.")
    desc = attribute("desc", "What an element is made of.")
    width = attribute("width", "The number of elements of a row.")
    height = attribute("height", "The number of rows; 0: there is no such axis.")
    depth = attribute("depth", "The number of planes; 0: there is no such axis.")
    flags = attribute("flags", "What it was made with.")
    ndim = attribute("ndim", "The number of axes.")

    def __init__(self, desc, width, height=0, depth=0, flags=0):
        self.ptr = None
        self.desc, self.width, self.height, self.depth, self.flags = desc, width, height, depth, flags
        self.ndim = 3 if depth > 0 else 2 if height > 0 else 1
        self._device = _core._Device()
        self.ptr = runtime.malloc3DArray(desc.ptr, width, height, depth, flags)

    def __del__(self):
        pointer, self.ptr = self.ptr, None
        if pointer is not None:
            with self._device:
                runtime.freeArray(pointer)

    def _check(self, arr):
        """That an array of the program has the shape, dtype and layout."""
        dtype, count = self.desc._dtype_and_count()
        shape = (self.depth, self.height, count * self.width)[-self.ndim :]
        if not isinstance(arr, (_core.ndarray, numpy.ndarray)):
            raise TypeError(f"an array of tenorite or NumPy is needed, not {type(arr).__name__}")
        if arr.dtype != dtype:
            raise ValueError(f"dtype mismatch: the elements are of {dtype}, the array's of {arr.dtype}")
        if arr.shape != shape:
            raise ValueError(f"shape mismatch: {shape} is needed, the array has {arr.shape}")

    def _copy(self, arr, stream, is_to):
        self._check(arr)
        if arr.flags.c_contiguous:
            self._copy_packed(arr, stream, is_to)
            return
        is_host, used = isinstance(arr, numpy.ndarray), stream or get_current_stream()
        with used:
            packed = (numpy if is_host else _core).empty_like(arr, order="C")
            if is_to:
                packed[...] = arr
            self._copy_packed(packed, stream, is_to)
            if is_host:  # the host's own work does not wait for the stream, nor does its memory
                used.synchronize()
            if not is_to:
                arr[...] = packed

    def _copy_packed(self, arr, stream, is_to):
        is_host = isinstance(arr, numpy.ndarray)
        row = self.width * arrays.bytes_of(self.desc._struct)
        kinds = (runtime.memcpyHostToDevice, runtime.memcpyDeviceToHost)
        given = arrays.Copy(kind=kinds[not is_to] if is_host else runtime.memcpyDeviceToDevice)
        given.extent.width, given.extent.height, given.extent.depth = (
            self.width,
            max(self.height, 1),
            max(self.depth, 1),
        )
        side = given.srcPtr if is_to else given.dstPtr
        side.ptr, side.pitch = arr.ctypes.data if is_host else arr.data.ptr, row
        side.xsize, side.ysize = row, max(self.height, 1)
        setattr(given, "dstArray" if is_to else "srcArray", self.ptr)
        runtime.memcpy3DAsync(ctypes.addressof(given), (stream or get_current_stream()).ptr)
        if stream is None:
            get_current_stream().synchronize()

    def copy_from(self, in_arr, stream=None):
        """Copies an array of the program here, and waits unless a stream is given.

        Parameters
        ----------
        in_arr : ndarray or numpy.ndarray
            Of the elements' dtype and the shape (depth, height, numbers of an element * width),
            without the axes that are not there.
        stream : Stream, optional
            The stream of the copy.
        """
        self._copy(in_arr, stream, True)

    def copy_to(self, out_arr, stream=None):
        """Copies to an array of the program, and waits unless a stream is given.

        Parameters
        ----------
        out_arr : ndarray or numpy.ndarray
            As for copy_from().
        stream : Stream, optional
            The stream of the copy.
        """
        self._copy(out_arr, stream, False)


class ResourceDescriptor:
    """The memory of a texture or a surface.

    Parameters
    ----------
    restype : int
        ``runtime.cudaResourceTypeArray``, ``...Linear`` or ``...Pitch2D``.
    cuArr : CUDAarray, optional
        The memory of an array.
    arr : ndarray, optional
        The memory of the other types.
    chDesc : ChannelFormatDescriptor, optional
        What an element of `arr` is made of.
    sizeInBytes : int, optional
        The bytes of linear memory.
    width, height : int, optional
        The elements of a row of pitched memory, and its rows.
    pitchInBytes : int, optional
        The bytes from row to row.

    Examples
    --------
    >>> texture, runtime = tenorite.cuda.texture, tenorite.cuda.runtime
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> x = tenorite.arange(6, dtype="f")
    >>> linear = texture.ResourceDescriptor(
    ...     runtime.cudaResourceTypeLinear, arr=x, chDesc=floats, sizeInBytes=x.nbytes)
    >>> linear.get_resource_desc()["sizeInBytes"]
    24
    """

    cuArr = attribute("cuArr", "The memory of an array, or None.")
    arr = attribute("arr", "The memory of the other types, or None.")
    chDesc = attribute("chDesc", "What an element of `arr` is made of, or None.")

    def __init__(self, restype, cuArr=None, arr=None, chDesc=None, sizeInBytes=0, width=0, height=0, pitchInBytes=0):
        self.cuArr, self.arr, self.chDesc = cuArr, arr, chDesc
        self._struct = made = arrays.Resource(restype)
        if restype == runtime.cudaResourceTypeArray:
            if cuArr is None:
                raise ValueError("a resource of an array needs cuArr")
            made.res.array = cuArr.ptr
        elif restype in (runtime.cudaResourceTypeLinear, runtime.cudaResourceTypePitch2D):
            if arr is None or chDesc is None:
                raise ValueError("a resource of linear or pitched memory needs arr and chDesc")
            of = made.res.linear if restype == runtime.cudaResourceTypeLinear else made.res.pitch2D
            of.devPtr, of.desc = arr.data.ptr, chDesc._struct
            if restype == runtime.cudaResourceTypeLinear:
                of.sizeInBytes = sizeInBytes
            else:
                of.width, of.height, of.pitchInBytes = width, height, pitchInBytes
        else:
            raise NotImplementedError(f"resource type {restype}: only of arrays, linear and pitched memory")

    @property
    def ptr(self):
        """The address of the ``cudaResourceDesc``."""
        return ctypes.addressof(self._struct)

    def get_resource_desc(self):
        """A dict of what it was made of."""
        found = {"resType": self._struct.resType}
        if self._struct.resType == runtime.cudaResourceTypeArray:
            return found | {"cuArr": self.cuArr}
        found |= {"arr": self.arr, "chDesc": self.chDesc}
        if self._struct.resType == runtime.cudaResourceTypeLinear:
            return found | {"sizeInBytes": self._struct.res.linear.sizeInBytes}
        return found | _shown(self._struct.res.pitch2D, "width height pitchInBytes")


class TextureDescriptor:
    """How a texture is fetched from.

    Parameters
    ----------
    addressModes : tuple of int, optional
        What is outside of each axis: ``runtime.cudaAddressModeClamp`` or one of its kin.
    filterMode : int, optional
        ``runtime.cudaFilterModePoint`` or ``...Linear``.
    readMode : int, optional
        ``runtime.cudaReadModeElementType`` or ``...NormalizedFloat``.
    sRGB : bool, optional
        Whether elements are of sRGB.
    borderColors : tuple of float, optional
        What is outside with ``cudaAddressModeBorder``, up to four numbers.
    normalizedCoords : bool, optional
        Whether coordinates are from 0 to 1.
    maxAnisotropy : int, optional
        Of mipmaps.

    Examples
    --------
    >>> texture, runtime = tenorite.cuda.texture, tenorite.cuda.runtime
    >>> how = texture.TextureDescriptor(
    ...     (runtime.cudaAddressModeClamp,), runtime.cudaFilterModeLinear)
    >>> how.get_texture_desc()["filterMode"]
    1
    """

    def __init__(
        self,
        addressModes=None,
        filterMode=runtime.cudaFilterModePoint,
        readMode=runtime.cudaReadModeElementType,
        sRGB=None,
        borderColors=None,
        normalizedCoords=None,
        maxAnisotropy=None,
    ):
        modes, colors = tuple(addressModes or ()), tuple(borderColors or ())
        if len(modes) > 3:
            raise ValueError(f"addressModes has {len(modes)} modes, one for each of up to 3 axes is needed")
        if len(colors) > 4:
            raise ValueError(f"borderColors has {len(colors)} numbers, up to 4 are needed")
        self._struct = arrays.Texture(
            modes, filterMode, readMode, bool(sRGB), colors, bool(normalizedCoords), maxAnisotropy or 0
        )

    @property
    def ptr(self):
        """The address of the ``cudaTextureDesc``."""
        return ctypes.addressof(self._struct)

    def get_texture_desc(self):
        """A dict of what it was made of."""
        found = _shown(self._struct, "filterMode readMode sRGB normalizedCoords maxAnisotropy")
        return {
            "addressModes": tuple(self._struct.addressMode),
            "borderColors": tuple(self._struct.borderColor),
        } | found


class _Fetched:
    """A handle that kernels get by value."""

    ptr = attribute("ptr", "The handle.")
    ResDesc = attribute("ResDesc", "The memory.")
    size = 1  # with tobytes() it is an argument of RawKernel

    def _begin(self, res, handle):
        self.ResDesc, self._device, self.ptr = res, _core._Device(), handle

    def tobytes(self):
        """The bytes of the handle, as a kernel's argument has them.

        Examples
        --------
        >>> def handle_of(texture):
        ...     return int.from_bytes(texture.tobytes(), "little")
        """
        return numpy.uint64(self.ptr).tobytes()

    @property
    def _kernel_handle(self):
        """What an ElementwiseKernel gets."""
        return numpy.uint64(self.ptr)

    def _end(self, destroy):
        pointer, self.ptr = self.ptr, None
        if pointer is not None:
            with self._device:
                destroy(pointer)


class TextureObject(_Fetched):
    """A texture: an argument ``cudaTextureObject_t`` of RawKernel and ElementwiseKernel.

    It has to live until the kernel has run.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        The memory.
    TexDesc : TextureDescriptor
        How it is fetched from.

    Examples
    --------
    >>> texture, runtime = tenorite.cuda.texture, tenorite.cuda.runtime
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    >>> array = texture.CUDAarray(floats, 4)
    >>> array.copy_from(tenorite.asarray([0, 10, 20, 30], "f"))
    >>> linear = texture.TextureObject(
    ...     texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array),
    ...     texture.TextureDescriptor((runtime.cudaAddressModeClamp,),
    ...                               runtime.cudaFilterModeLinear))
    >>> fetch = tenorite.ElementwiseKernel("T x, U of", "T y", "y = tex1D<T>(of, x)", "fetch")
    >>> fetch(tenorite.asarray([0.5, 1, 9], "f"), linear)
    array([ 0.,  5., 30.], dtype=float32)
    """

    TexDesc = attribute("TexDesc", "How it is fetched from.")

    def __init__(self, ResDesc, TexDesc):
        self.TexDesc = TexDesc
        self._begin(ResDesc, runtime.createTextureObject(ResDesc.ptr, TexDesc.ptr))

    def __del__(self):
        self._end(runtime.destroyTextureObject)


class SurfaceObject(_Fetched):
    """A surface, which kernels read and write: an argument ``cudaSurfaceObject_t``.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        An array that was made with ``runtime.cudaArraySurfaceLoadStore``.

    Examples
    --------
    >>> texture, runtime = tenorite.cuda.texture, tenorite.cuda.runtime
    >>> whole = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindSigned)
    >>> array = texture.CUDAarray(whole, 4, flags=runtime.cudaArraySurfaceLoadStore)
    >>> resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array)
    >>> surface = texture.SurfaceObject(resource)
    """

    def __init__(self, ResDesc):
        self._begin(ResDesc, runtime.createSurfaceObject(ResDesc.ptr))

    def __del__(self):
        self._end(runtime.destroySurfaceObject)
