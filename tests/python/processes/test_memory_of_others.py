"""RMM as the source of memory, and our pool as a resource of RMM's: with a stand-in for RMM, which
needs a GPU, by the names that RMM's allocator for CuPy uses. PyTorch's allocator as the source, and
our pool by the two functions that PyTorch loads. Numba's kernels on our arrays."""

import pytest
from programs import needs_doubles, on_double, output_of

RMM = """
import numpy as np, tenorite as tn
tn.install_as_cupy()
import cupy

class DeviceBuffer:  # rmm.DeviceBuffer, as far as the allocator for CuPy uses it
    live = 0
    def __init__(self, size, stream):
        assert isinstance(stream.ptr, int)
        self.size, self.ptr = size, cupy.cuda.runtime.malloc(size)
        DeviceBuffer.live += 1
    def __del__(self):
        cupy.cuda.runtime.free(self.ptr)
        DeviceBuffer.live -= 1

def allocator(nbytes):
    buffer = DeviceBuffer(size=nbytes, stream=cupy.cuda.get_current_stream())
    device = -1 if buffer.ptr else cupy.cuda.device.get_device_id()
    memory = cupy.cuda.UnownedMemory(ptr=buffer.ptr, size=buffer.size, owner=buffer, device_id=device)
    return cupy.cuda.memory.MemoryPointer(memory, 0)

used = cupy.get_default_memory_pool().used_bytes()
with cupy.cuda.using_allocator(allocator):
    array = cupy.asarray(np.arange(1000.0))
    view = array[10:]
    assert DeviceBuffer.live >= 1 and cupy.get_default_memory_pool().used_bytes() == used
    del array
    assert view.get().tolist() == np.arange(10.0, 1000.0).tolist()
    del view
cupy.cuda.Device().synchronize()
print(DeviceBuffer.live)

held = {}
def allocate(size, stream=None):
    memory = cupy.cuda.alloc(size)
    held[memory.ptr] = memory
    return memory.ptr
pool = cupy.get_default_memory_pool()
before = pool.used_bytes()
address = allocate(1 << 20, stream=0)
assert pool.used_bytes() == before + (1 << 20)
held.pop(address)
del address
print(pool.used_bytes() - before)
"""


@needs_doubles
def test_rmm(tmp_path):
    assert output_of(RMM, on_double(tmp_path)) == "0\n0\n"


TORCH = """
import ctypes, types
import numpy as np, tenorite as cp

live = {}

def caching_allocator_alloc(size, device=None, stream=None):
    assert isinstance(stream, int) and device == 0
    address = cp.cuda.runtime.malloc(size)
    live[address] = stream
    return address

def caching_allocator_delete(address):
    cp.cuda.runtime.free(address)
    del live[address]

def allocate(size, device):
    return caching_allocator_alloc(size, device, cp.cuda.get_current_stream().ptr)

def free(address, device):
    caching_allocator_delete(address)

stream = cp.cuda.Stream()
with cp.cuda.using_allocator(cp.cuda.PythonFunctionAllocator(allocate, free).malloc):
    array = cp.asarray(np.arange(1000.0))
    with stream:
        other = cp.asarray(np.arange(500.0))
    assert sorted(live.values()) == sorted([cp.cuda.Stream.null.ptr, stream.ptr]), live
    assert array.get().tolist() == list(range(1000)) and other.get().tolist() == list(range(500))
    del array, other
cp.cuda.Device().synchronize()
print(len(live))

library = ctypes.CDLL(cp.config.library_dir() + "/libtenorite.so")
lend, take_back, message = library.tn_cuda_pool_lend, library.tn_cuda_pool_take_back, library.tn_error_message
lend.restype, message.restype = ctypes.c_void_p, ctypes.c_char_p
lend.argtypes = [ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
take_back.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]
pool = cp.get_default_memory_pool()
before = pool.used_bytes()
for handle in (None, stream.ptr):
    first, second = lend(1 << 20, 0, handle), lend(1000, 0, handle)
    assert first and second and pool.used_bytes() == before + (1 << 20) + 1024
    take_back(first, 1 << 20, 0, handle)
    assert lend(1 << 20, 0, handle) == first  # the same stream's
    take_back(second, 1000, 0, handle)
    take_back(first, 1 << 20, 0, handle)
streams = cp.cuda.get_statistics()["streams"]
for size, number, handle, said in (
    (0, 0, None, "0 bytes"), (8, 99, None, "99"), (8, 1 << 20, None, "device 1048576"), (8, 0, 2, "of each thread")
):
    assert lend(size, number, handle) is None and said in message().decode(), (said, message())
take_back(None, 0, 0, None)
take_back(1234, 0, 1 << 20, None)
assert cp.cuda.get_statistics()["streams"] == streams
print(pool.used_bytes() - before)
"""


@needs_doubles
def test_torch(tmp_path):
    assert output_of(TORCH, on_double(tmp_path)) == "0\n0\n"


NUMBA = """
import numpy as np, tenorite as tn
from numba import cuda

@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2

array = tn.arange(10.0)
double[2, 8](np.from_dlpack(array))
assert array.tolist() == [2.0 * k for k in range(10)], array
print("equal")
"""


def test_numba_kernel():
    """By Numba's simulator, on the host's memory."""
    pytest.importorskip("numba")
    variables = {"NUMBA_ENABLE_CUDASIM": "1", "TENORITE_BACKEND": "host"}
    assert output_of(NUMBA, variables) == "equal\n"
