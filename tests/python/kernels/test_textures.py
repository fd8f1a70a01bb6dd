"""Textures and surfaces: arrays for them, copies, and fetches in kernels against the rules of the
CUDA programming guide."""

import ctypes
import functools
import itertools
import os
import shutil

import numpy as np
import pytest
import tenorite as tn
from tenorite.cuda import runtime, texture

KINDS = {
    "i": runtime.cudaChannelFormatKindSigned,
    "u": runtime.cudaChannelFormatKindUnsigned,
    "f": runtime.cudaChannelFormatKindFloat,
}
DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "f2", "f4"]
KERNELS = r"""
template <class T> __global__ void fetch1(T* out, cudaTextureObject_t t, const float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<T>(t, x[i]);
}
template <class T> __global__ void fetch2(T* out, cudaTextureObject_t t, const float* x, const float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<T>(t, x[i], y[i]);
}
template <class T> __global__ void fetch3(T* out, cudaTextureObject_t t, const float* x, const float* y,
                                          const float* z, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex3D<T>(t, x[i], y[i], z[i]);
}
extern "C" __global__ void turn(cudaSurfaceObject_t s, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float2 v;
    if (x >= width || y >= height) return;
    surf2Dread(&v, s, x * 8, y);
    surf2Dwrite(make_float2(v.y, v.x + y), s, x * 8, y);
}
"""
NAMES = ["fetch1<float>", "fetch2<float>", "fetch3<float>", "fetch1<float4>", "fetch1<short4>"]


@pytest.fixture
def kernels(device):
    if device == "host" and not (os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))):
        pytest.skip("no C++ compiler is installed")
    return compiled()


@functools.cache
def compiled():
    return tn.RawModule(code=KERNELS, name_expressions=NAMES)


def format_of(dtype, count):
    dtype = np.dtype(dtype)
    bits = [8 * dtype.itemsize] * count + [0] * (4 - count)
    return texture.ChannelFormatDescriptor(*bits, KINDS[dtype.kind])


def array_of(values, count=1, flags=0):
    """A CUDAarray of elements with `count` numbers."""
    *outer, row = values.shape
    made = texture.CUDAarray(format_of(values.dtype, count), row // count, *reversed(outer), flags=flags)
    made.copy_from(values)
    return made


def texture_of(array, **how):
    return texture.TextureObject(
        texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array), texture.TextureDescriptor(**how)
    )


def place_of(i, n, mode):
    """The place of an element, -1: outside."""
    if mode == runtime.cudaAddressModeBorder:
        return i if 0 <= i < n else -1
    if mode == runtime.cudaAddressModeWrap:
        return i % n
    if mode == runtime.cudaAddressModeMirror:
        return min(i % (2 * n), 2 * n - 1 - i % (2 * n))
    return min(max(i, 0), n - 1)


def expected_at(values, where, modes, border, linear, normalized):
    """One fetch; `values` has the axes in the order z, y, x."""
    axes = values.ndim
    sizes = values.shape[::-1]
    where = [np.float64(x) * (n if normalized else 1) for x, n in zip(where, sizes, strict=True)]
    corners = [0] if not linear else [0, 1]
    first, weights = [], []
    for x in where:
        first.append(int(np.floor(x - 0.5)) if linear else int(np.floor(x)))
        weights.append(np.floor((x - 0.5 - np.floor(x - 0.5)) * 256 + 0.5) / 256 if linear else 0.0)
    total = 0.0
    for corner in itertools.product(corners, repeat=axes):
        weight = np.prod([w if c else 1 - w for w, c in zip(weights, corner, strict=True)])
        places = [place_of(f + c, n, mode) for f, c, n, mode in zip(first, corner, sizes, modes, strict=True)]
        total += weight * (border if -1 in places else values[tuple(reversed(places))])
    return total


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(9,), (5, 9), (3, 5, 9)])
def test_copies(dtype, shape):
    """There and back, of tenorite's arrays and NumPy's, and by the runtime's rows."""
    for count in (1, 2, 4):
        values = np.arange(np.prod(shape) * count).reshape(*shape[:-1], -1).astype(dtype)
        array = array_of(values, count)
        assert array.ndim == len(shape) and (array.width, array.desc.get_channel_format()["x"]) == (
            9,
            8 * values.itemsize,
        )
        back, ours = np.zeros_like(values), tn.zeros(values.shape, dtype)
        array.copy_to(back)
        stream = tn.cuda.Stream()
        array.copy_to(ours, stream)
        stream.synchronize()
        assert (back == values).all() and (ours.get() == values).all()
        wide, theirs = tn.zeros((*values.shape[:-1], 2 * values.shape[-1]), dtype), np.zeros_like(values[..., ::-1])
        array.copy_to(wide[..., ::2], stream)
        array.copy_from(wide[..., ::2], stream)
        array.copy_to(theirs[..., ::-1])
        array.copy_from(theirs)
        array.copy_from(theirs[..., ::-1], stream)
        array.copy_to(ours, stream)
        stream.synchronize()
        assert (wide[..., ::2].get() == values).all() and not wide[..., 1::2].any()
        assert (theirs[..., ::-1] == values).all() and (ours.get() == values).all()


def test_rows_of_arrays():
    values = np.arange(40, dtype="i4").reshape(5, 8)
    whole = format_of("i4", 1)
    handle = runtime.mallocArray(whole.ptr, 8, 5)
    runtime.memcpy2DToArray(handle, 0, 0, values.ctypes.data, 32, 32, 5, runtime.memcpyHostToDevice)
    part = np.zeros((3, 6), "i4")
    runtime.memcpy2DFromArray(part.ctypes.data, 24, handle, 8, 2, 16, 3, runtime.memcpyDeviceToHost)
    assert (part[:, :4] == values[2:, 2:6]).all() and not part[:, 4:].any()
    runtime.memcpy2DToArrayAsync(handle, 4, 1, part.ctypes.data, 24, 8, 2, runtime.memcpyHostToDevice, 0)
    runtime.memcpy2DFromArrayAsync(values.ctypes.data, 32, handle, 0, 0, 32, 5, runtime.memcpyDeviceToHost, 0)
    runtime.streamSynchronize(0)
    assert (values[1:3, 1:3] == part[:2, :2]).all() and values[4, 7] == 39
    with pytest.raises(RuntimeError, match="cudaErrorInvalidValue"):
        runtime.memcpy2DToArray(handle, 2, 0, values.ctypes.data, 32, 32, 1, runtime.memcpyHostToDevice)
    with pytest.raises(RuntimeError, match="cudaErrorInvalidValue"):
        runtime.memcpy2DToArray(handle, 4, 0, values.ctypes.data, 32, 32, 1, runtime.memcpyHostToDevice)
    runtime.freeArray(handle)
    with pytest.raises(RuntimeError):
        runtime.freeArray(handle)


def test_refusals():
    floats = format_of("f4", 1)
    with pytest.raises(RuntimeError, match="cudaErrorInvalidValue"):
        texture.CUDAarray(texture.ChannelFormatDescriptor(32, 32, 32, 0, KINDS["f"]), 4)
    with pytest.raises(RuntimeError, match="cudaErrorInvalidValue"):
        texture.CUDAarray(floats, 0)
    array = texture.CUDAarray(floats, 4, 2)
    for bad, kind in [(np.zeros((2, 4)), ValueError), (np.zeros((4, 2), "f4"), ValueError), ([1], TypeError)]:
        with pytest.raises(kind):
            array.copy_from(bad)
    with pytest.raises(ValueError, match="addressModes"):
        texture.TextureDescriptor((0, 0, 0, 0))
    with pytest.raises(ValueError, match="borderColors"):
        texture.TextureDescriptor(borderColors=(0,) * 5)
    with pytest.raises(ValueError, match="cuArr"):
        texture.ResourceDescriptor(runtime.cudaResourceTypeArray)
    with pytest.raises(NotImplementedError, match="resource type 1"):
        texture.ResourceDescriptor(runtime.cudaResourceTypeMipmappedArray)


@pytest.mark.host_only("a GPU's driver takes any handle")
def test_a_texture_that_is_none():
    with pytest.raises(RuntimeError):
        runtime.destroyTextureObject(12345)


@pytest.mark.host_only("a GPU's driver says so in words of its own")
def test_what_the_host_refuses(kernels):
    with pytest.raises(RuntimeError, match="linear filtering"):
        texture_of(array_of(np.zeros(4, "i4")), filterMode=runtime.cudaFilterModeLinear)
    with pytest.raises(NotImplementedError, match="sRGB"):
        texture_of(array_of(np.zeros(4, "u1")), sRGB=True, readMode=runtime.cudaReadModeNormalizedFloat)
    kernel = tn.RawKernel(
        'extern "C" __global__ void k(float* x, cudaTextureObject_t t) { *x = tex2DLayered<float>(t, 0.5f, 0.5f, 1); }',
        "k",
    )
    with pytest.raises(tn.exceptions.CompileException, match="tex2DLayered can't run on the host"):
        kernel.compile()
    kernel = tn.RawKernel('extern "C" __global__ void k(cudaSurfaceObject_t s) { surf1Dwrite(1.0f, s, 64); }', "k")
    array = array_of(np.zeros(4, "f4"), flags=runtime.cudaArraySurfaceLoadStore)
    surface = texture.SurfaceObject(texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array))
    with pytest.raises(RuntimeError, match="outside of its array"):
        kernel((1,), (1,), (surface,))
        tn.cuda.Device().synchronize()


CASES = [
    (axes, mode, linear, normalized)
    for axes in (1, 2, 3)
    for linear in (False, True)
    for mode, normalized in [("Clamp", False), ("Border", False), ("Clamp", True), ("Wrap", True), ("Mirror", True)]
]


@pytest.mark.parametrize("axes, mode, linear, normalized", CASES)
def test_fetches(kernels, axes, mode, linear, normalized):
    rng = np.random.default_rng(axes)
    values = rng.random((4, 6, 11)[-axes:], dtype="f4")
    sizes = values.shape[::-1]
    mode = getattr(runtime, f"cudaAddressMode{mode}")
    # A normalized place is rounded, so that one between two elements may be either's.
    parts, start = (128, 1) if normalized and not linear else (64, 0)
    where = [rng.integers(-3 * 64, (n + 3) * 64, 200) * (parts // 64) + start for n in sizes]
    where = [x.astype("f4") / parts / (n if normalized else 1) for x, n in zip(where, sizes, strict=True)]
    array = array_of(values)
    fetched = texture_of(
        array, addressModes=(mode,) * axes, filterMode=int(linear), normalizedCoords=normalized, borderColors=(0.0,)
    )
    out = tn.zeros(200, "f4")
    kernels.get_function(f"fetch{axes}<float>")((2,), (128,), (out, fetched, *map(tn.asarray, where), np.int32(200)))
    expected = [expected_at(values, one, (mode,) * axes, 0.0, linear, normalized) for one in zip(*where, strict=True)]
    np.testing.assert_allclose(out.get(), expected, rtol=0, atol=6e-3 if linear else 0)


def test_elements(kernels):
    """Several numbers of an element, whole numbers, and whole numbers read as floats."""
    x = tn.arange(5, dtype="f4")
    many = np.arange(20, dtype="f4").reshape(1, 20)
    out = tn.zeros((5, 4), "f4")
    pixels = array_of(many.ravel(), 4)
    kernels.get_function("fetch1<float4>")((1,), (8,), (out, texture_of(pixels), x, np.int32(5)))
    assert (out.get().ravel() == many.ravel()).all()
    whole = array_of(np.arange(20, dtype="i2") - 7, 4)
    shorts = tn.zeros((5, 4), "i2")
    kernels.get_function("fetch1<short4>")((1,), (8,), (shorts, texture_of(whole), x, np.int32(5)))
    assert (shorts.get().ravel() == np.arange(20) - 7).all()
    small = array_of(np.asarray([0, 1, 128, 254, 255], "u1"))
    out = tn.zeros(5, "f4")
    shares = texture_of(small, readMode=runtime.cudaReadModeNormalizedFloat)
    kernels.get_function("fetch1<float>")((1,), (8,), (out, shares, x, np.int32(5)))
    np.testing.assert_allclose(out.get(), np.asarray([0, 1, 128, 254, 255]) / 255, rtol=1e-6)
    halves = array_of(np.asarray([0.5, -2, 3, 1, 0], "f2"))
    kernels.get_function("fetch1<float>")((1,), (8,), (out, texture_of(halves), x, np.int32(5)))
    assert out.get().tolist() == [0.5, -2, 3, 1, 0]


def test_surface(kernels):
    values = np.arange(24, dtype="f4").reshape(3, 8)
    array = array_of(values, 2, runtime.cudaArraySurfaceLoadStore)
    surface = texture.SurfaceObject(texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array))
    kernels.get_function("turn")((1, 1), (8, 8), (surface, np.int32(4), np.int32(3)))
    back = tn.zeros((3, 8), "f4")
    array.copy_to(back)
    expected = values.reshape(3, 4, 2)[..., ::-1].copy()
    expected[..., 1] += np.arange(3)[:, None]
    assert (back.get() == expected.reshape(3, 8)).all()


def test_elementwise_kernel(kernels):
    """A texture is an argument with a placeholder of its own, and one of a named type."""
    image = np.random.default_rng(0).random((6, 8), dtype="f4")
    fetched = texture_of(array_of(image), addressModes=(runtime.cudaAddressModeClamp,) * 2)
    x, y = tn.arange(8, dtype="f4"), tn.arange(6, dtype="f4")[:, None]
    for kind in ("U", "uint64"):
        kernel = tn.ElementwiseKernel(f"T x, T y, {kind} of", "T z", "z = tex2D<T>(of, x, y)", f"fetch_{kind}")
        assert (kernel(x, y, fetched).get() == image).all()


def test_memory_of_arrays(kernels):
    """Textures of linear and of pitched memory, which see what is written to it."""
    x = tn.arange(64, dtype="f4")
    linear = texture.ResourceDescriptor(
        runtime.cudaResourceTypeLinear, arr=x, chDesc=format_of("f4", 1), sizeInBytes=256
    )
    fetch = tn.RawKernel(
        'extern "C" __global__ void k(float* out, cudaTextureObject_t t) '
        "{ out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x * 2); }",
        "k",
    )
    out = tn.zeros(33, "f4")
    seen = texture.TextureObject(linear, texture.TextureDescriptor())
    fetch((1,), (33,), (out, seen))
    assert out.get().tolist() == [*range(0, 64, 2), 0.0]
    image = tn.arange(3 * 128, dtype="f4").reshape(3, 128)
    plane = texture.ResourceDescriptor(
        runtime.cudaResourceTypePitch2D, arr=image, chDesc=format_of("f4", 1), width=100, height=3, pitchInBytes=512
    )
    assert plane.get_resource_desc()["pitchInBytes"] == 512
    where = tn.arange(100, dtype="f4"), tn.full(100, 2, "f4")
    out = tn.zeros(100, "f4")
    seen = texture.TextureObject(plane, texture.TextureDescriptor())
    kernels.get_function("fetch2<float>")((1,), (128,), (out, seen, *where, np.int32(100)))
    assert (out.get() == image[2, :100].get()).all()


def test_descriptors():
    how = texture.TextureDescriptor((1, 2), 1, 0, None, (1.0,), True, 4)
    described = how.get_texture_desc()
    assert described["addressModes"] == (1, 2, 0) and described["borderColors"] == (1.0, 0.0, 0.0, 0.0)
    assert (described["filterMode"], described["normalizedCoords"], described["maxAnisotropy"]) == (1, 1, 4)
    array = array_of(np.zeros((2, 3), "f4"))
    assert texture.ResourceDescriptor(0, array).get_resource_desc() == {"resType": 0, "cuArr": array}
    made = (ctypes.c_int * 5).from_address(array.desc.ptr)
    assert list(made) == [32, 0, 0, 0, 2]
