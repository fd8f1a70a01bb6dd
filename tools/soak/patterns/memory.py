"""Pools, allocators, hooks, page-locked memory, and memory that runs out."""

import ctypes
import random

import numpy as np
import tenorite as tn
from support import COMPUTES, DEVICE, cycled, expect, own_pool, pattern, recent, refused, short_stream, weights
from tenorite import cuda

KIB, MIB = 1 << 10, 1 << 20


@pattern
def own_pool_on_short_streams():
    """Arrays of a pool of the user's, each made on a stream that is soon let go of."""
    pool, shared = own_pool(), weights(1000)

    def turn():
        with short_stream(), cuda.using_allocator(pool.malloc):
            shared + 1

    return turn


@pattern
def two_own_pools_read():
    """Weights in one pool, results in another, read on short-lived streams."""
    first, second = own_pool(), own_pool()
    with cuda.using_allocator(first.malloc):
        shared = weights(1000)

    def turn():
        with short_stream(), cuda.using_allocator(second.malloc):
            expect(shared + 1, shared.get() + 1)

    return turn


@pattern(cost=2)
def pools_come_and_go():
    shared = weights(1000)

    def turn():
        pool = cuda.MemoryPool()
        with short_stream(), cuda.using_allocator(pool.malloc):
            made = shared + 1
        del pool
        expect(made, shared.get() + 1)

    return turn


@pattern
def pool_of_a_callable():
    """A pool whose memory comes from a Python function."""
    pool = own_pool(lambda size: cuda.MemoryPointer(cuda.Memory(size), 0))
    shared = weights(1000)

    def turn():
        with short_stream(), cuda.using_allocator(pool.malloc):
            shared + 1
        pool.free_all_blocks()

    return turn


@pattern
def callable_allocator():
    pool, shared, asked = own_pool(), weights(1000), recent(4)

    def allocate(size):
        asked.append(size)
        return pool.malloc(size)

    def turn():
        with short_stream(), cuda.using_allocator(allocate):
            shared + 1

    return turn


@pattern
def python_function_allocator():
    """Two Python functions that give memory and take it back."""
    shared, blocks = weights(1000), {}

    def malloc(size, device_id):
        block = cuda.Memory(size)
        blocks[block.ptr] = block
        return block.ptr

    def free(address, device_id):
        del blocks[address]

    allocator = cuda.PythonFunctionAllocator(malloc, free)

    def turn():
        with short_stream() as stream, cuda.using_allocator(allocator.malloc):
            shared + 1
            stream.synchronize()
        assert len(blocks) < 100

    return turn


@pattern(on=("host",))
def c_function_allocator():
    """Two C functions that give memory and take it back."""
    libc, shared = ctypes.CDLL(None), weights(1000)
    libc.aligned_alloc.restype = ctypes.c_void_p
    libc.aligned_alloc.argtypes = ctypes.c_size_t, ctypes.c_size_t
    libc.free.argtypes = (ctypes.c_void_p,)

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    def malloc(parameter, size, device_id):
        return libc.aligned_alloc(64, (size + 63) // 64 * 64)

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)
    def free(parameter, address, device_id):
        libc.free(address)

    addresses = (ctypes.cast(function, ctypes.c_void_p).value for function in (malloc, free))
    allocator = cuda.CFunctionAllocator(0, *addresses, (malloc, free))

    def turn():
        with short_stream() as stream, cuda.using_allocator(allocator.malloc):
            shared + 1
            stream.synchronize()

    return turn


@pattern
def raw_memory():
    """No pool at all."""
    shared = weights(1000)

    def turn():
        with cuda.using_allocator(None), short_stream():
            shared + 1

    return turn


@pattern
def hooks():
    """Hooks that are entered and left, around allocations on streams."""
    pool, shared, seen = own_pool(), weights(1000), recent(4)

    class Hook(cuda.MemoryHook):
        def malloc_postprocess(self, **facts):
            seen.append(facts["mem_size"])

        def free_postprocess(self, **facts):
            seen.append(-facts["mem_size"])

    def turn():
        with short_stream(), Hook(), cuda.using_allocator(pool.malloc):
            shared + 1

    return turn


@pattern
def out_of_memory():
    """A limit is met, and the program goes on."""
    pool, shared = own_pool(), weights(1000)
    pool.set_limit(size=8 * MIB)

    def turn():
        with short_stream(), cuda.using_allocator(pool.malloc):
            kept = tn.zeros(5 * MIB, "i1")
            refused(lambda: tn.zeros(6 * MIB, "i1"), MemoryError)
            del kept
            expect(shared[:3] + tn.zeros(3), shared.get()[:3])

    return turn


@pattern
def limits_change():
    pool, limits = own_pool(), cycled(4 * MIB, 0, 64 * MIB)

    def turn():
        pool.set_limit(size=limits())
        with cuda.using_allocator(pool.malloc):
            tn.zeros(2 * MIB, "i1")
        pool.free_all_blocks()

    return turn


@pattern(slack={"pool used": 8 * MIB})
def large_and_small():
    """Large and small blocks in turn, some of which stay for a while."""
    large, small = recent(2), recent(48)
    sizes = cycled(*(MIB * k for k in (1, 3, 2, 5, 4)))

    def turn():
        large.append(tn.zeros(sizes(), "i1"))
        for k in range(8):
            small.append(tn.zeros(100 * (k + 1), "i1"))

    return turn


@pattern(slack={"pool used": 16 * MIB, "pool total": 32 * MIB})
def random_sizes():
    """Blocks of all sizes that live for random times: what fragments memory."""
    chance, kept = random.Random(1), [tn.empty(1 << 12, "i1") for _ in range(40)]

    def turn():
        size = int(2 ** chance.uniform(6, 20))
        kept[chance.randrange(len(kept))] = tn.empty(size, "i1")

    return turn


@pattern(slack={"pool used": 16 * MIB, "pool total": 64 * MIB})
def random_sizes_on_streams():
    chance, kept = random.Random(1), [tn.empty(1 << 12, "i1") for _ in range(40)]

    def turn():
        with short_stream():
            kept[chance.randrange(len(kept))] = tn.zeros(int(2 ** chance.uniform(6, 20)), "i1")

    return turn


@pattern
def trims():
    """A pool that is trimmed while streams come and go, each stream's part and all of it."""
    pool, shared = own_pool(), weights(1000)
    kept = recent(3)

    def turn():
        stream = short_stream()
        with stream, cuda.using_allocator(pool.malloc):
            kept.append(shared + 1)
        pool.free_all_blocks(stream=stream)
        tn.get_default_memory_pool().free_all_blocks()

    return turn


@pattern
def pointers():
    """Memory without arrays: filled, copied, lent to arrays."""
    shared = weights(1000)

    def turn():
        first, second = cuda.alloc(4000), cuda.alloc(4000)
        stream = short_stream()
        first.memset_async(0, 4000, stream)
        second.copy_from_device_async(first, 4000, stream=stream)
        array = tn.ndarray((1000,), "f4", memptr=second)
        stream.synchronize()
        expect(array + shared, shared.get())

    return turn


@pattern
def unowned_memory():
    """Memory of another owner, let go of where its last array goes."""

    def turn():
        owner = cuda.Memory(4000)
        lent = cuda.UnownedMemory(owner.ptr, 4000, owner)
        array = tn.ndarray((1000,), "f4", memptr=cuda.MemoryPointer(lent, 0))
        with short_stream() as stream:
            array.fill(3)
            stream.synchronize()
        array[::2].sum()

    return turn


@pattern
def managed_memory():
    def turn():
        pointer = cuda.malloc_managed(4000)
        array = tn.ndarray((1000,), "f4", memptr=pointer)
        with short_stream() as stream:
            array.fill(2)
            stream.synchronize()

    return turn


@pattern(on=("cuda", "double"))
def driver_pool():
    """Memory of the driver's stream-ordered pool."""
    shared = weights(1000)

    def turn():
        with short_stream() as stream, cuda.using_allocator(cuda.malloc_async):
            shared + 1
            stream.synchronize()

    return turn


# --- Page-locked memory, and copies ---


def _pinned(pool, source):
    memory = pool.malloc(source.nbytes)
    array = np.frombuffer(memory, source.dtype, source.size)
    array[:] = source
    return array


@pattern
def pinned_set_and_get():
    """Bytes to a device and back through page-locked memory, on short-lived streams."""
    pool, source = cuda.PinnedMemoryPool(), np.arange(1000, dtype="f4")
    shared = weights(1000)

    def turn():
        sent, found = _pinned(pool, source), _pinned(pool, source * 0)
        with short_stream() as stream:
            shared.set(sent, stream=stream)
            shared.get(stream=stream, out=found, blocking=False)
            stream.synchronize()
        assert (found == source).all()

    return turn


@pattern
def pinned_sizes():
    """Page-locked blocks of all sizes, from the default pool."""
    sizes = cycled(*(1 << k for k in range(9, 20)))

    def turn():
        memory = cuda.alloc_pinned_memory(sizes())
        memoryview(memory)[0] = 1

    return turn


@pattern
def pinned_pools_come_and_go():
    def turn():
        pool = cuda.PinnedMemoryPool()
        kept = [pool.malloc(64 * KIB) for _ in range(3)]
        del kept[1]
        pool.malloc(1000)

    return turn


@pattern
def set_and_get():
    """Plain host memory, to a device and back."""
    shared, source = weights(50_000), np.arange(50_000, dtype="f4")

    def turn():
        with short_stream():
            shared.set(source)
            expect(shared, source)

    return turn


@pattern
def asarray_on_short_streams():
    source = np.arange(10_000, dtype="f8")

    def turn():
        with short_stream():
            expect(tn.asarray(source) * 2, source * 2)

    return turn


@pattern(on=("cuda", "double"))
def runtime_memory():
    """The runtime's functions of memory, by address."""
    runtime, source = cuda.runtime, np.arange(1000, dtype="f4")

    def turn():
        stream = short_stream()
        address, host = runtime.malloc(4000), runtime.hostAlloc(4000, 0)
        runtime.memcpyAsync(address, source.ctypes.data, 4000, runtime.memcpyHostToDevice, stream.ptr)
        runtime.memcpyAsync(host, address, 4000, runtime.memcpyDeviceToHost, stream.ptr)
        stream.synchronize()
        assert DEVICE != "cuda" or ctypes.string_at(host, 4000) == source.tobytes()
        runtime.free(address)
        runtime.freeHost(host)

    return turn


@pattern
def training_steps():
    """Weights that are changed in place, step after step, with a stream for the batches."""
    weight, batches = tn.zeros((20, 10), "f4"), weights(4, 32, 20)
    copies = short_stream()
    host = batches.get()
    number = cycled(*range(4))

    def turn():
        with copies:
            batch = tn.asarray(host[number()])
        slope = batch.T @ (batch @ weight - 1)
        weight.__isub__(slope * 1e-5)
        assert not COMPUTES or tn.isfinite(weight).all()

    return turn
