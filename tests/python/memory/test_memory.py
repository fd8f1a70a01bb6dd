"""Pools, memory and pointers as objects, pinned memory."""

import ctypes
import gc
import sys
import threading
import time
import weakref

import numpy
import pytest
import tenorite
from programs import output_of
from tenorite import cuda
from together import in_threads

pytestmark = pytest.mark.quick

MIB = 1 << 20


host_memory = pytest.mark.host_only("reads memory by its address")


# --- Pools ---


def test_pool_figures(pool):
    assert pool.total_bytes() == pool.used_bytes() == pool.free_bytes() == pool.n_free_blocks() == 0
    a = pool.malloc(3 * MIB - 5)
    assert isinstance(a, cuda.MemoryPointer) and isinstance(a.mem, cuda.BaseMemory)
    assert a.mem.size == 3 * MIB - 5
    assert pool.used_bytes() == pool.total_bytes() == 3 * MIB
    del a
    assert pool.used_bytes() == 0 and pool.free_bytes() == 3 * MIB and pool.n_free_blocks() == 1
    b, c = pool.malloc(MIB), pool.malloc(MIB)
    assert pool.total_bytes() == 3 * MIB and pool.n_free_blocks() == 1
    assert c.ptr == b.ptr + MIB
    pool.free_all_blocks()  # the chunk is not whole
    assert pool.total_bytes() == 3 * MIB
    del b, c
    pool.free_all_blocks()
    assert pool.total_bytes() == 0
    figures = pool.statistics()
    assert figures["peak_used_bytes"] == 3 * MIB and figures["source_allocations"] == 1
    with pytest.warns(DeprecationWarning):
        pool.free_all_free()


def test_pool_of_nothing(pool):
    nothing = pool.malloc(0)
    assert nothing.ptr == 0 and nothing.mem.size == 0
    assert pool.used_bytes() == 0
    for wrong in (-1, 2**80):
        with pytest.raises((ValueError, OverflowError)):
            pool.malloc(wrong)
    with pytest.raises(TypeError):
        pool.malloc(1.5)


def test_pool_reuses(pool):
    a = pool.malloc(1000)
    address = a.ptr
    del a
    assert pool.malloc(700).ptr == address


@pytest.mark.two_devices
def test_pool_per_device(pool):
    a = pool.malloc(2 * MIB)
    with cuda.Device(1):
        assert pool.used_bytes() == 0
        b = pool.malloc(3 * MIB)
        assert b.device_id == 1 and pool.used_bytes() == 3 * MIB
    assert pool.used_bytes() == 2 * MIB
    assert a.device == cuda.Device(0)
    del a, b


def test_pool_per_stream(pool):
    stream = cuda.Stream()
    a = pool.malloc(2 * MIB)
    address = a.ptr
    del a
    with stream:
        b = pool.malloc(2 * MIB)
        assert b.ptr != address
        del b
    pool.free_all_blocks(stream=stream)
    assert pool.total_bytes() == 2 * MIB
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


def test_limit(pool):
    assert pool.get_limit() == 0
    pool.set_limit(size=4 * MIB)
    assert pool.get_limit() == 4 * MIB
    a = pool.malloc(3 * MIB)
    with pytest.raises(cuda.memory.OutOfMemoryError) as caught:
        pool.malloc(2 * MIB)
    error = caught.value
    assert isinstance(error, MemoryError)
    assert (error.requested, error.used, error.cached, error.limit) == (2 * MIB, 3 * MIB, 0, 4 * MIB)
    assert "2097152 bytes" in str(error) and "limit: 4194304" in str(error)
    del a
    pool.malloc(4 * MIB)
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() == cuda.Device().mem_info[1] // 2
    pool.set_limit()
    assert pool.get_limit() == 0
    for arguments in ({"fraction": 1.5}, {"fraction": -1}, {"size": -1}, {"size": 1, "fraction": 0.5}):
        with pytest.raises(ValueError):
            pool.set_limit(**arguments)
    with pytest.raises(ValueError):
        pool.set_limit(fraction=float("nan"))


@pytest.mark.two_devices
def test_limit_per_device(pool):
    pool.set_limit(size=4 * MIB)
    with cuda.Device(1):
        assert pool.get_limit() == 0


def test_out_of_memory_of_an_array():
    default = tenorite.get_default_memory_pool()
    limit = default.get_limit()
    default.free_all_blocks()
    default.set_limit(size=default.total_bytes() + 10 * MIB)
    try:
        with pytest.raises(tenorite.exceptions.OutOfMemoryError):
            tenorite.zeros(20 * MIB, dtype="int8")
        tenorite.zeros(5 * MIB, dtype="int8")
    finally:
        default.set_limit(size=limit)
    with pytest.raises(tenorite.exceptions.OutOfMemoryError):
        tenorite.empty(2**55, dtype="int8")  # more than there is anywhere


def test_garbage_is_collected_for_memory(pool):
    """Memory in a cycle of garbage comes back before memory is said to be out."""
    pool.set_limit(size=10 * MIB)
    gc.disable()
    try:
        cycle = [pool.malloc(8 * MIB)]
        cycle.append(cycle)
        del cycle
        assert pool.used_bytes() == 8 * MIB
        pool.malloc(8 * MIB)
    finally:
        gc.enable()


def test_pool_outlives_its_object():
    pool = cuda.MemoryPool()
    a = pool.malloc(1000)
    gone = weakref.ref(pool)
    del pool
    gc.collect()
    assert gone() is None
    a.memset(1, 1000)
    del a


def test_environment_limit():
    text = """
import tenorite
pool = tenorite.get_default_memory_pool()
try:
    print(pool.get_limit(), tenorite.cuda.MemoryPool().get_limit(), end=" ")
    tenorite.zeros(10**6)
    print("made")
except MemoryError:
    print("refused")
except ValueError as error:
    print("bad", error)
"""

    def run(limit):
        return output_of(text, {"TENORITE_GPU_MEMORY_LIMIT": limit})

    assert run("1000000") == "1000000 1000000 refused\n"
    assert run("10000000").endswith("made\n")
    assert int(run("50%").split()[0]) == cuda.Device().mem_info[1] // 2
    assert run("0").startswith("0 0 ")
    assert int(run("12.5%").split()[0]) == cuda.Device().mem_info[1] // 8
    for neither in ("plenty", "0.5", "1e9", "-1", " 5", "5 ", "101%", "%", "nan%", "50 %", "0x10", "9" * 20):
        assert "bad TENORITE_GPU_MEMORY_LIMIT" in run(neither), neither


def test_threads_on_one_pool(pool):
    def work(_):
        kept = []
        for turn in range(300):
            kept.append(pool.malloc(1 + turn * 37 % 5000))
            if turn % 3:
                del kept[turn % len(kept)]

    in_threads(8, work)
    assert pool.used_bytes() == 0
    pool.free_all_blocks()
    assert pool.total_bytes() == 0


# --- Pointers ---


def test_pointer_arithmetic():
    a = cuda.alloc(1000)
    assert int(a) == a.ptr and a.mem.ptr == a.ptr
    b = a + 10
    assert b.ptr == a.ptr + 10 and b.mem is a.mem and (b - 10).ptr == a.ptr
    assert (10 + a).ptr == b.ptr
    b += 5
    assert b.ptr == a.ptr + 15
    b -= 5
    assert b.ptr == a.ptr + 10
    assert "MemoryPointer" in repr(a) and a.device == cuda.Device(0)
    with pytest.raises(TypeError):
        a + 1.5
    with pytest.raises(TypeError):
        a - a
    with pytest.raises(OverflowError):
        a + 2**63
    keep = a + 3
    memory = a.mem
    del a, b
    assert keep.mem is memory


def test_pointer_copies():
    source = numpy.arange(100, dtype="uint8")
    target = numpy.zeros(100, dtype="uint8")
    a, b = cuda.alloc(100), cuda.alloc(100)
    a.copy_from_host(source.ctypes.data, 100)
    b.copy_from_device(a + 10, 90)
    b.copy_to_host(target.ctypes.data_as(ctypes.c_void_p), 90)
    numpy.testing.assert_array_equal(target[:90], source[10:])
    b.memset(7, 50)
    b.copy_to_host(target.ctypes.data, 60)
    assert (target[:50] == 7).all() and target[50] == 60
    a.copy_from(b, 100)
    a.copy_from(source.ctypes.data, 10)
    a.copy_to_host(target.ctypes.data, 100)
    numpy.testing.assert_array_equal(target[:10], source[:10])
    assert target[20] == 7


@pytest.mark.two_devices
def test_pointer_copies_between_devices():
    source, target = numpy.arange(100, dtype="uint8"), numpy.zeros(100, dtype="uint8")
    a = cuda.alloc(100)
    a.copy_from_host(source.ctypes.data, 100)
    with cuda.Device(1):
        b = cuda.alloc(100)
    b.copy_from_device(a, 100)
    b.copy_to_host(target.ctypes.data, 100)
    numpy.testing.assert_array_equal(target, source)


def page_locked(values):
    """A copy that copies with a device need not wait for."""
    memory = cuda.alloc_pinned_memory(values.nbytes)
    array = numpy.frombuffer(memory, values.dtype, values.size)
    array[...] = values
    return array


def test_pointer_copies_on_a_stream():
    stream = cuda.Stream()
    source = page_locked(numpy.arange(1000, dtype="int64"))
    target = page_locked(numpy.zeros(1000, dtype="int64"))
    a, b = cuda.alloc(8000), cuda.alloc(8000)
    opened = threading.Event()
    stream.launch_host_func(lambda _: opened.wait(20), None)
    a.copy_from_host_async(source.ctypes.data, 8000, stream)
    b.copy_from_device_async(a, 8000, stream=stream)
    b.memset_async(255, 8, stream)
    b.copy_to_host_async(target.ctypes.data, 8000, stream)
    assert (target == 0).all() and not stream.done
    opened.set()
    stream.synchronize()
    assert target[0] == -1
    numpy.testing.assert_array_equal(target[1:], source[1:])
    with stream:
        a.copy_from_async(b, 8000)
    a.copy_to_host(target.ctypes.data, 8)  # the default stream waits
    assert target[0] == -1


def test_pointer_errors():
    a, b = cuda.alloc(100), cuda.alloc(10)
    host = numpy.zeros(1000, dtype="uint8").ctypes.data
    for call in (
        lambda: a.copy_from_host(host, 101),
        lambda: (a + 50).copy_to_host(host, 51),
        lambda: (a - 1).memset(0, 1),
        lambda: a.memset(0, -1),
        lambda: a.copy_from_device(b, 11),
        lambda: (a + 1000).copy_to_host(host, 1),
    ):
        with pytest.raises(ValueError, match="outside a buffer"):
            call()
    with pytest.raises(TypeError):
        a.copy_from_device(host, 10)
    with pytest.raises(TypeError):
        a.copy_from_host("text", 4)
    with pytest.raises(TypeError):
        a.copy_from_host(host)
    with pytest.raises(TypeError):
        cuda.MemoryPointer(a, 0)


# --- Arrays and memory ---


def test_array_on_memory():
    memory = cuda.alloc(80)
    a = tenorite.ndarray((2, 5), "float64", memptr=memory)
    a[...] = 3
    b = tenorite.ndarray((4,), "float64", memptr=memory + 16)
    b[0] = 8
    assert a.data.ptr == memory.ptr and b.data.ptr == memory.ptr + 16
    assert float(a[0, 2]) == 8
    assert a.data.mem == b.data.mem == memory.mem
    with pytest.raises(ValueError):
        tenorite.ndarray((11,), "float64", memptr=memory)
    with pytest.raises(ValueError):
        tenorite.ndarray((1,), "float64", memptr=memory - 8)
    with pytest.raises(TypeError):
        tenorite.ndarray((1,), "float64", memptr=memory.ptr)
    del memory, a
    assert float(b[0]) == 8


def test_free_of_pooled_memory(pool):
    """An array that has the memory keeps it."""
    pointer = pool.malloc(1000)
    memory = pointer.mem
    memory.free()
    memory.free()
    assert memory.ptr == memory.size == 0 and "without memory" in repr(memory) and pool.used_bytes() == 1024
    a = tenorite.ndarray(4, "f4", pointer)
    del pointer
    a[...] = 7
    assert pool.used_bytes() == 1024 and a.sum() == 28
    a.data.mem.free()
    assert a.sum() == 28
    del a
    tenorite.cuda.Device().synchronize()
    assert pool.used_bytes() == 0
    with pytest.raises(ValueError, match="outside of the buffer: bytes 0 to 16 of 0"):
        tenorite.ndarray(4, "f4", tenorite.cuda.MemoryPointer(memory, 0))


def test_array_keeps_pooled_memory():
    default = tenorite.get_default_memory_pool()
    before = default.used_bytes()
    a = tenorite.zeros(1000)
    pointer = a.data
    del a
    assert default.used_bytes() == before + 8192
    del pointer
    assert default.used_bytes() == before


@host_memory
def test_unowned_memory():
    owner = numpy.arange(10.0)
    references = sys.getrefcount(owner)
    memory = cuda.UnownedMemory(owner.ctypes.data, owner.nbytes, owner)
    assert (memory.ptr, memory.size, memory.device_id) == (owner.ctypes.data, 80, 0)
    a = tenorite.ndarray((10,), "float64", memptr=cuda.MemoryPointer(memory, 0))
    a *= 2
    numpy.testing.assert_array_equal(owner, numpy.arange(10.0) * 2)
    del memory
    assert sys.getrefcount(owner) == references + 1
    b = a[3:]
    del a
    assert sys.getrefcount(owner) == references + 1
    del b
    assert sys.getrefcount(owner) == references
    assert cuda.UnownedMemory(1024, 16, None, 1).device_id == 1
    with pytest.raises(ValueError):
        cuda.UnownedMemory(1024, -1, None)
    with pytest.raises(tenorite.exceptions.CUDARuntimeError):
        cuda.UnownedMemory(1024, 1, None, 9)


@host_memory
def test_unowned_memory_in_use_by_a_stream():
    owner = numpy.ones(1000)
    references = sys.getrefcount(owner)
    stream, opened = cuda.Stream(), threading.Event()
    pointer = cuda.MemoryPointer(cuda.UnownedMemory(owner.ctypes.data, 8000, owner), 0)
    a = tenorite.ndarray((1000,), "float64", memptr=pointer)
    with stream:
        stream.launch_host_func(lambda _: opened.wait(20), None)
        a += 1
    del a, pointer
    assert sys.getrefcount(owner) == references + 1  # the queue still needs it
    opened.set()
    stream.synchronize()
    assert sys.getrefcount(owner) == references
    assert (owner == 2).all()


@host_memory
def test_memory_of_a_python_class():

    class Own(cuda.BaseMemory):
        def __init__(self, size):
            self.block = numpy.zeros(size, dtype="uint8")
            self.ptr, self.size, self.device_id = self.block.ctypes.data, size, 0

    memory = Own(64)
    a = tenorite.ndarray((8,), "int64", memptr=cuda.MemoryPointer(memory, 0))
    a[...] = -1
    assert (memory.block == 255).all()
    gone = weakref.ref(memory)
    del memory
    assert gone() is not None
    del a
    assert gone() is None
    with pytest.raises(AttributeError):
        cuda.alloc(8).mem.ptr = 5


def test_raw_memory():
    default = tenorite.get_default_memory_pool()
    before = default.used_bytes()
    memory = cuda.Memory(1000)
    assert memory.size == 1000 and memory.ptr and default.used_bytes() == before
    assert memory.device == cuda.Device(0)
    pointer = cuda.MemoryPointer(memory, 8)
    pointer.memset(0, 992)
    with pytest.raises(ValueError):
        cuda.Memory(-1)


def test_managed_memory():
    pointer = cuda.malloc_managed(100)
    assert isinstance(pointer.mem, cuda.ManagedMemory) and pointer.mem.size == 100
    pointer.mem.prefetch(cuda.Stream.null)
    pointer.mem.advise(cuda.runtime.cudaMemAdviseSetReadMostly, cuda.Device())
    pointer.memset(7, 100)
    cuda.Stream.null.synchronize()
    assert ctypes.string_at(pointer.ptr, 100) == bytes([7]) * 100  # the host reads the same memory


class HeapFigures(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [(f"figure_{k}", ctypes.c_size_t) for k in range(10)]


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="asks glibc for the bytes of its heap")
def test_chunks_that_come_and_go_leave_nothing(pool):
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = HeapFigures

    def turns(count):
        for _ in range(count):
            pool.malloc(3 * MIB)
            pool.free_all_blocks()
        return mallinfo().figure_7  # bytes in use

    before = turns(100)
    assert turns(3000) - before < 64 << 10  # a header each would be 240,000


# --- Pinned memory ---


def test_pinned_memory_of_a_program():
    class Own(cuda.PinnedMemory):
        def __init__(self, size):
            self.ptr, self.size = 4096, size + 1

    memory = Own(8)
    assert (memory.ptr, memory.size) == (4096, 9)
    pointer = cuda.PinnedMemoryPointer(memory, 4)
    assert int(pointer) == 4100 and pointer.size() == 5
    with pytest.raises(AttributeError, match="ptr"):
        del memory.ptr
    with pytest.raises(TypeError):
        memory.size = "abc"


def test_pinned_memory():
    pool = cuda.PinnedMemoryPool()
    a = pool.malloc(1000)
    assert isinstance(a, cuda.PinnedMemoryPointer) and a.size() == a.mem.size == 1000
    view = memoryview(a)
    assert view.nbytes == 1000 and not view.readonly
    array = numpy.frombuffer(a, dtype="int32", count=10)
    array[:] = range(10)
    assert int(a) == a.ptr == array.ctypes.data
    assert numpy.frombuffer(a + 4, dtype="int32", count=1)[0] == 1
    assert (a + 4).size() == 996
    address = a.ptr
    view.release()
    del a, view
    assert array[9] == 9 and pool.n_free_blocks() == 0  # the array keeps it
    del array
    assert pool.n_free_blocks() == 1
    b = pool.malloc(600)  # the same power of two
    assert b.ptr == address
    del b
    pool.free_all_blocks()
    assert pool.n_free_blocks() == 0
    c = pool.malloc(100)
    del pool
    memoryview(c)[0] = 1
    with pytest.raises(BufferError):
        memoryview(c - 1)
    for wrong in (-1, 2**62, 2**70):
        with pytest.raises((ValueError, OverflowError, MemoryError)):
            cuda.alloc_pinned_memory(wrong)


def test_pinned_memory_of_a_callable():
    asked, outer = [], cuda.PinnedMemoryPool()

    def allocate(size):
        asked.append(size)
        if size > 1 << 20:
            raise MemoryError("as much as that")
        return outer.malloc(size)

    pool = cuda.PinnedMemoryPool(allocate)
    a, b = pool.malloc(1000), pool.malloc(100)
    assert asked == [1024, 512] and a.size() == 1000
    memoryview(a)[999] = 7
    address = a.ptr
    del a
    assert pool.n_free_blocks() == 1 and outer.n_free_blocks() == 0
    c = pool.malloc(900)
    assert c.ptr == address and len(asked) == 2  # kept meanwhile
    del c
    with pytest.raises(tenorite.exceptions.OutOfMemoryError, match="as much as that"):
        pool.malloc(1 << 21)
    assert asked[2:] == [1 << 21] * 2 and outer.n_free_blocks() == 1  # gave back, tried again
    del pool
    memoryview(b)[0] = 1  # keeps the pool and what is after it
    del b
    assert outer.n_free_blocks() == 2
    for wrong, error in (
        (len, TypeError),
        (lambda size: outer.malloc(size // 2), ValueError),
        (lambda size: 1 / 0, ZeroDivisionError),
    ):
        with pytest.raises(error):
            cuda.PinnedMemoryPool(allocator=wrong).malloc(4096)
    with pytest.raises(TypeError):
        cuda.PinnedMemoryPool(7)
    plain = cuda.PinnedMemoryPool(cuda.pinned_memory._malloc)
    assert plain.malloc(10).size() == 10


def test_alloc_pinned_memory():
    default = tenorite.get_default_pinned_memory_pool()
    assert default is cuda.pinned_memory.get_default_pinned_memory_pool()
    a = cuda.alloc_pinned_memory(100)
    assert isinstance(a.mem, cuda.pinned_memory.PooledPinnedMemory)
    calls = []

    def allocate(size):
        calls.append(size)
        return cuda.PinnedMemoryPointer(cuda.PinnedMemory(size), 0)

    cuda.set_pinned_memory_allocator(allocate)
    try:
        assert cuda.alloc_pinned_memory(64).size() == 64 and calls == [64]
        cuda.set_pinned_memory_allocator(None)
        assert cuda.alloc_pinned_memory(64).size() == 64
    finally:
        cuda.set_pinned_memory_allocator(default.malloc)
    del a


# --- The whole process ---


def test_statistics():
    names = {
        "arrays",
        "buffers",
        "streams",
        "events",
        "graphs",
        "arenas",
        "chunks",
        "queued_calls",
        "worker_threads",
        "kernels",
        "driver_handles",
        "used_bytes",
        "total_bytes",
        "pinned_bytes",
    }
    before = cuda.get_statistics()
    assert set(before) == names and all(type(value) is int and value >= 0 for value in before.values())
    a, stream, event = tenorite.zeros((3, 4)), cuda.Stream(), cuda.Event()
    views = [a[0], a.T]
    after = cuda.get_statistics()
    assert after["arrays"] - before["arrays"] == 3 and after["buffers"] - before["buffers"] == 1
    assert after["streams"] - before["streams"] == 1 and after["events"] - before["events"] == 1
    assert after["used_bytes"] - before["used_bytes"] == 512 <= after["total_bytes"]
    del a, views, stream, event
    after = cuda.get_statistics()
    assert all(after[name] == before[name] for name in ("arrays", "buffers", "streams", "events", "graphs"))


# --- Speed ---


def test_allocation_is_cheap():
    pool = tenorite.get_default_memory_pool()
    pool.malloc(100)
    start = time.perf_counter()
    for _ in range(10000):
        pool.malloc(100)
    assert (time.perf_counter() - start) / 10000 < 20e-6  # a tenth of a microsecond below Python
