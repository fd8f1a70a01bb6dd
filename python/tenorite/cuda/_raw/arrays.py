"""Arrays for textures and surfaces: the descriptions of CUDA's runtime, as structs that programs
give by address, and what they mean to the driver and to kernels of the host.

On the host an array is memory, row after row, and a texture is the struct that
``backend/host/compiler/device/texture.cuh`` reads.
"""

import ctypes
import math

from tenorite.exceptions import CUDARuntimeError

_size, _int, _address = ctypes.c_size_t, ctypes.c_int, ctypes.c_size_t


def _struct(name, **fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})


# --- The runtime's structs ---

Channels = _struct("cudaChannelFormatDesc", x=_int, y=_int, z=_int, w=_int, f=_int)
_Linear = _struct("linear", devPtr=_address, desc=Channels, sizeInBytes=_size)
_Pitched = _struct("pitch2D", devPtr=_address, desc=Channels, width=_size, height=_size, pitchInBytes=_size)
_Of = type(
    "resource",
    (ctypes.Union,),
    {"_fields_": [("array", _address), ("linear", _Linear), ("pitch2D", _Pitched), ("reserved", _int * 32)]},
)
Resource = _struct("cudaResourceDesc", resType=_int, res=_Of, flags=_int)
Texture = _struct(
    "cudaTextureDesc",
    addressMode=_int * 3,
    filterMode=_int,
    readMode=_int,
    sRGB=_int,
    borderColor=ctypes.c_float * 4,
    normalizedCoords=_int,
    maxAnisotropy=ctypes.c_uint,
    mipmapFilterMode=_int,
    mipmapLevelBias=ctypes.c_float,
    minMipmapLevelClamp=ctypes.c_float,
    maxMipmapLevelClamp=ctypes.c_float,
    disableTrilinearOptimization=_int,
    seamlessCubemap=_int,
)
_Position = _struct("cudaPos", x=_size, y=_size, z=_size)
_PitchedAddress = _struct("cudaPitchedPtr", ptr=_address, pitch=_size, xsize=_size, ysize=_size)
_Extent = _struct("cudaExtent", width=_size, height=_size, depth=_size)
Copy = _struct(
    "cudaMemcpy3DParms",
    srcArray=_address,
    srcPos=_Position,
    srcPtr=_PitchedAddress,
    dstArray=_address,
    dstPos=_Position,
    dstPtr=_PitchedAddress,
    extent=_Extent,
    kind=_int,
)

# --- The driver's ---

_ArrayFacts = _struct(
    "CUDA_ARRAY3D_DESCRIPTOR",
    Width=_size,
    Height=_size,
    Depth=_size,
    Format=_int,
    NumChannels=ctypes.c_uint,
    Flags=ctypes.c_uint,
)
_Place = _struct(
    "place",
    xInBytes=_size,
    y=_size,
    z=_size,
    lod=_size,
    memoryType=_int,
    host=_address,
    device=_address,
    array=_address,
    reserved=_address,
    pitch=_size,
    height=_size,
)
_DriverCopy = _struct("CUDA_MEMCPY3D", src=_Place, dst=_Place, WidthInBytes=_size, Height=_size, Depth=_size)
_DriverLinear = _struct("linear", devPtr=_address, format=_int, numChannels=ctypes.c_uint, sizeInBytes=_size)
_DriverPitched = _struct(
    "pitch2D", devPtr=_address, format=_int, numChannels=ctypes.c_uint, width=_size, height=_size, pitchInBytes=_size
)
_DriverOf = type(
    "res",
    (ctypes.Union,),
    {
        "_fields_": [
            ("array", _address),
            ("linear", _DriverLinear),
            ("pitch2D", _DriverPitched),
            ("reserved", _int * 32),
        ]
    },
)
_DriverResource = _struct("CUDA_RESOURCE_DESC", resType=_int, res=_DriverOf, flags=ctypes.c_uint)
_DriverTexture = _struct(
    "CUDA_TEXTURE_DESC",
    addressMode=_int * 3,
    filterMode=_int,
    flags=ctypes.c_uint,
    maxAnisotropy=ctypes.c_uint,
    mipmapFilterMode=_int,
    mipmapLevelBias=ctypes.c_float,
    minMipmapLevelClamp=ctypes.c_float,
    maxMipmapLevelClamp=ctypes.c_float,
    borderColor=ctypes.c_float * 4,
    reserved=_int * 12,
)
# (kind, bits): CUarray_format
_FORMATS = {(1, 8): 1, (1, 16): 2, (1, 32): 3, (0, 8): 8, (0, 16): 9, (0, 32): 10, (2, 16): 16, (2, 32): 32}
_ARRAY, _LINEAR, _PITCHED = 0, 2, 3
_MEMORY_HOST, _MEMORY_ARRAY, _MEMORY_ANY = 1, 3, 4

# --- The host's ---

HostTexture = _struct(
    "tni_texture",
    data=_address,
    size=ctypes.c_longlong * 3,
    steps=ctypes.c_longlong * 2,
    bits=_int,
    kind=_int,
    channels=_int,
    address=_int * 3,
    is_linear=_int,
    is_normalized_read=_int,
    has_normalized_places=_int,
    border=ctypes.c_float * 4,
)


class _HostArray:
    """Memory of width x height x depth elements."""

    def __init__(self, channels, width, height, depth):
        self.channels, self.size = channels, (width, max(height, 1), max(depth, 1))
        self.element = bytes_of(channels)
        self.data = ctypes.create_string_buffer(math.prod(self.size) * self.element)
        self.ptr = ctypes.addressof(self.data)

    @property
    def steps(self):
        row = self.size[0] * self.element
        return row, row * self.size[1]


_host_arrays, _host_textures = {}, {}

# --- Formats ---


def _invalid(what):
    return CUDARuntimeError(f"cudaErrorInvalidValue: {what}")


def bits_and_count(channels):
    """(bits of a number, how many an element has)."""
    sizes = [bits for bits in (channels.x, channels.y, channels.z, channels.w) if bits]
    if len(sizes) not in (1, 2, 4) or len(set(sizes)) != 1 or (channels.f, sizes[0]) not in _FORMATS:
        raise _invalid(
            f"an element of {sizes} bits, kind {channels.f}, is none of a texture's: 1, 2 or 4 numbers of 8, 16 "
            "or 32 bits, floats of 16 or 32"
        )
    return sizes[0], len(sizes)


def bytes_of(channels):
    """The bytes of an element."""
    bits, count = bits_and_count(channels)
    return bits // 8 * count


def _format(channels):
    bits, count = bits_and_count(channels)
    return _FORMATS[channels.f, bits], count


# --- Arrays ---


def make(call, address, width, height, depth, flags):
    """The handle of a new array; `call` calls the driver, None on the host."""
    channels = Channels.from_buffer_copy((ctypes.c_char * ctypes.sizeof(Channels)).from_address(address))
    if min(width, height, depth) < 0 or width == 0 or (depth and not height):
        raise _invalid(f"an array of {width} x {height} x {depth} elements")
    if call is None:
        made = _HostArray(channels, width, height, depth)
        _host_arrays[made.ptr] = made
        return made.ptr
    form, count = _format(channels)
    handle = ctypes.c_size_t()
    call("cuArray3DCreate_v2", handle, _ArrayFacts(width, height, depth, form, count, flags))
    return handle.value


def _host_array(handle):
    if handle not in _host_arrays:
        raise CUDARuntimeError(f"cudaErrorInvalidResourceHandle: there is no array {handle:#x}")
    return _host_arrays[handle]


def end(call, handle):
    """Ends make()."""
    if call:
        call("cuArrayDestroy", handle)
    else:
        _host_array(handle)
        del _host_arrays[handle]


# --- Copies ---


def _side(array, position, pointer, is_host, element):
    """One side of a copy, for the driver. Places in an array are counted in elements."""
    x = position.x * (element if array else 1)
    kind = _MEMORY_ARRAY if array else _MEMORY_HOST if is_host else _MEMORY_ANY
    address = pointer.ptr or 0
    return _Place(
        x,
        position.y,
        position.z,
        0,
        kind,
        address if kind == _MEMORY_HOST else 0,
        address if kind == _MEMORY_ANY else 0,
        array or 0,
        0,
        pointer.pitch,
        pointer.ysize,
    )


def _copy_on_host(given):
    """Row by row; the width is in elements if an array takes part, as in the runtime."""
    element, sides = 1, []
    for handle, position, pointer in (
        (given.srcArray, given.srcPos, given.srcPtr),
        (given.dstArray, given.dstPos, given.dstPtr),
    ):
        if handle:
            array = _host_array(handle)
            element = array.element
            wanted = (given.extent.width, given.extent.height, given.extent.depth)
            if any(
                at + n > most
                for at, n, most in zip((position.x, position.y, position.z), wanted, array.size, strict=True)
            ):
                raise _invalid(f"a copy of {wanted} elements leaves an array of {array.size}")
            sides.append((array.ptr + position.x * element, *array.steps, position))
        else:
            sides.append((pointer.ptr + position.x, pointer.pitch, pointer.pitch * pointer.ysize, position))
    (start, row, plane, at), (to, to_row, to_plane, to_at) = sides
    for z in range(given.extent.depth):
        for y in range(given.extent.height):
            ctypes.memmove(
                to + (to_at.z + z) * to_plane + (to_at.y + y) * to_row,
                start + (at.z + z) * plane + (at.y + y) * row,
                given.extent.width * element,
            )


def copy(call, given, element, stream):
    """Copies what a cudaMemcpy3DParms says; `element` is the bytes of an array's element."""
    if call is None:
        return _copy_on_host(given)
    array = bool(given.srcArray or given.dstArray)
    call(
        "cuMemcpy3DAsync_v2",
        _DriverCopy(
            _side(given.srcArray, given.srcPos, given.srcPtr, given.kind in (0, 1), element),
            _side(given.dstArray, given.dstPos, given.dstPtr, given.kind in (0, 2), element),
            given.extent.width * (element if array else 1),
            given.extent.height,
            given.extent.depth,
        ),
        stream,
    )
    return None


def element_bytes(call, handle):
    """The bytes of an element of an array."""
    if call is None:
        return _host_array(handle).element
    facts = _ArrayFacts()
    call("cuArray3DGetDescriptor_v2", facts, handle)
    bits = next(bits for (_, bits), form in _FORMATS.items() if form == facts.Format)
    return bits // 8 * facts.NumChannels


# --- Textures and surfaces ---


def _driver_resource(given):
    made = _DriverResource(given.resType)
    if given.resType == _ARRAY:
        made.res.array = given.res.array
    elif given.resType == _LINEAR:
        linear = given.res.linear
        made.res.linear = _DriverLinear(linear.devPtr, *_format(linear.desc), linear.sizeInBytes)
    elif given.resType == _PITCHED:
        plane = given.res.pitch2D
        made.res.pitch2D = _DriverPitched(
            plane.devPtr, *_format(plane.desc), plane.width, plane.height, plane.pitchInBytes
        )
    else:
        raise NotImplementedError(
            f"a texture of resource type {given.resType}: only of arrays, linear and pitched memory"
        )
    return made


def _driver_texture(given):
    flags = (0 if given.readMode else 1) | (2 if given.normalizedCoords else 0) | (16 if given.sRGB else 0)
    return _DriverTexture(
        given.addressMode,
        given.filterMode,
        flags,
        given.maxAnisotropy,
        given.mipmapFilterMode,
        given.mipmapLevelBias,
        given.minMipmapLevelClamp,
        given.maxMipmapLevelClamp,
        given.borderColor,
    )


def _host_resource(given):
    """A struct of the host without what a texture's description says."""
    if given.resType == _ARRAY:
        array = _host_array(given.res.array)
        return HostTexture(array.ptr, array.size, array.steps, *_host_format(array.channels))
    if given.resType == _LINEAR:
        linear = given.res.linear
        count = linear.sizeInBytes // bytes_of(linear.desc)
        return HostTexture(linear.devPtr, (count, 1, 1), (0, 0), *_host_format(linear.desc))
    if given.resType == _PITCHED:
        plane = given.res.pitch2D
        return HostTexture(
            plane.devPtr, (plane.width, plane.height, 1), (plane.pitchInBytes, 0), *_host_format(plane.desc)
        )
    raise NotImplementedError(f"a texture of resource type {given.resType}: only of arrays, linear and pitched memory")


def _host_format(channels):
    bits, count = bits_and_count(channels)
    return bits, channels.f, count


def _check_texture(given, kind, bits):
    """What the host's fetches can't do is refused here."""
    if given.filterMode == 1 and kind != 2 and not given.readMode:
        raise _invalid("linear filtering needs elements that are read as floats")
    if given.readMode and kind != 2 and bits == 32:
        raise _invalid("whole numbers of 32 bits are not read as normalized floats")
    if given.sRGB:
        raise NotImplementedError("textures of sRGB can't be read on the host")


def make_texture(call, resource, texture):
    """The handle of a new texture; `texture` None: a surface."""
    if call is None:
        made = _host_resource(resource)
        if texture is not None:
            _check_texture(texture, made.kind, made.bits)
            made.address, made.border = texture.addressMode, texture.borderColor
            made.is_linear, made.has_normalized_places = texture.filterMode == 1, bool(texture.normalizedCoords)
            made.is_normalized_read = bool(texture.readMode) and made.kind != 2
        elif resource.resType != _ARRAY:
            raise _invalid("a surface is of an array")
        _host_textures[ctypes.addressof(made)] = made
        return ctypes.addressof(made)
    handle = ctypes.c_ulonglong()
    if texture is None:
        call("cuSurfObjectCreate", handle, _driver_resource(resource))
    else:
        call("cuTexObjectCreate", handle, _driver_resource(resource), _driver_texture(texture), 0)
    return handle.value


def end_texture(call, handle, what):
    """Ends make_texture()."""
    if call:
        call(f"cu{what}ObjectDestroy", handle)
    elif _host_textures.pop(handle, None) is None:
        raise CUDARuntimeError(f"cudaErrorInvalidResourceHandle: there is no texture or surface {handle:#x}")
