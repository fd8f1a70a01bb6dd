"""Allocators of the user, and memory hooks."""

import ctypes
import gc
import io
import json
import sys
import threading
import weakref

import numpy
import pytest
import tenorite
from oracle import comes_true
from tenorite import cuda
from tenorite.cuda import memory_hooks
from together import in_threads

pytestmark = pytest.mark.quick

MIB = 1 << 20


host_memory = pytest.mark.host_only("gives host memory")


@pytest.fixture
def restore():
    before = cuda.get_allocator()
    yield
    cuda.set_allocator(before)


def test_default_allocator():
    assert cuda.get_allocator() == tenorite.get_default_memory_pool().malloc


def test_kinds_of_memory(pool):
    assert isinstance(pool.malloc(9).mem, cuda.memory.PooledMemory)


def test_pool_as_allocator(pool, restore):
    cuda.set_allocator(pool.malloc)
    assert cuda.get_allocator() == pool.malloc
    a = tenorite.zeros(1000)
    assert pool.used_bytes() == 8192
    cuda.set_allocator(None)
    b = tenorite.zeros(1000)
    assert pool.used_bytes() == 8192
    default = tenorite.get_default_memory_pool()
    before = default.used_bytes()
    cuda.set_allocator(default.malloc)
    c = tenorite.zeros(1000)
    assert default.used_bytes() == before + 8192
    del a
    assert pool.used_bytes() == 0
    del b, c


def test_raw_allocator(restore):
    default = tenorite.get_default_memory_pool()
    before = default.used_bytes()
    cuda.set_allocator()
    raw = cuda.get_allocator()
    a = tenorite.arange(100000) + 1
    assert isinstance(raw(10).mem, cuda.Memory)
    cuda.set_allocator(raw)
    assert int(a[-1]) == 100000 and default.used_bytes() == before


def test_using_allocator(pool):
    other = cuda.MemoryPool()
    with cuda.using_allocator(pool.malloc):
        a = tenorite.zeros(1000)
        with cuda.using_allocator(other.malloc):
            b = tenorite.zeros(1000)
            assert cuda.get_allocator() == other.malloc
        with cuda.using_allocator(None):
            c = tenorite.zeros(1000)
        d = cuda.alloc(100)
        seen = in_threads(1, lambda _: cuda.get_allocator())
        with pytest.raises(ValueError, match="using_allocator"):
            cuda.set_allocator(None)
        assert (pool.used_bytes(), other.used_bytes()) == (8192 + 512, 8192)
    assert seen == [cuda.get_allocator()] == [tenorite.get_default_memory_pool().malloc]
    del a, b, c, d
    assert pool.used_bytes() == other.used_bytes() == 0


def test_callable_as_allocator(restore):
    calls = []

    def allocate(size):
        calls.append((size, cuda.get_current_stream(), cuda.get_device_id()))
        return pool.malloc(size)

    pool = cuda.MemoryPool()
    stream = cuda.Stream()
    with cuda.using_allocator(allocate):
        a = tenorite.zeros(10)
        with stream:
            b = tenorite.zeros(20)
    assert calls == [(80, cuda.Stream.null, 0), (160, stream, 0)]
    assert pool.used_bytes() == 1024
    references = sys.getrefcount(allocate)
    del a, b
    stream.synchronize()
    assert comes_true(lambda: pool.used_bytes() == 0)
    assert sys.getrefcount(allocate) == references


@pytest.mark.two_devices
def test_callable_on_another_device():
    calls = []
    pool = cuda.MemoryPool()

    def allocate(size):
        calls.append((size, cuda.get_current_stream(), cuda.get_device_id()))
        return pool.malloc(size)

    with cuda.using_allocator(allocate), cuda.Device(1):
        a = tenorite.zeros(30)
    assert calls == [(240, cuda.Stream.null, 1)] and a.device.id == 1


def test_callable_that_fails():
    def refuse(size):
        raise KeyError("no")

    with cuda.using_allocator(refuse):
        with pytest.raises(KeyError, match="no"):
            tenorite.zeros(10)
    with cuda.using_allocator(lambda size: 5):
        with pytest.raises(TypeError, match="MemoryPointer"):
            tenorite.zeros(10)
    with cuda.using_allocator(lambda size: cuda.MemoryPool().malloc(size // 2)):
        with pytest.raises(ValueError, match="40 bytes where 80"):
            tenorite.zeros(10)

    def out(size):
        raise MemoryError("really out")

    with cuda.using_allocator(out):
        with pytest.raises(MemoryError, match="really out"):
            tenorite.zeros(10)
    for wrong in (5, "malloc"):
        with pytest.raises(TypeError):
            cuda.set_allocator(wrong)
    assert int(tenorite.zeros(10).sum()) == 0


def test_callable_in_a_large_call():
    """Where the GIL is given up for the loops, the allocator takes it."""
    calls = []

    def allocate(size):
        calls.append(size)
        return tenorite.get_default_memory_pool().malloc(size)

    a = tenorite.arange(100000.0).reshape(100, 1000)
    with cuda.using_allocator(allocate):
        b = (a.T * 2).sum(axis=0)
    assert calls and float(b.sum()) == 100000.0 * 99999


def test_pool_on_a_callable():
    held = []

    def allocate(size):
        held.append(size)
        if sum(held) > 10 * MIB:
            held.pop()
            raise MemoryError
        return raw(size)

    def raw(size):
        return cuda.MemoryPointer(cuda.Memory(size), 0)

    pool = cuda.MemoryPool(allocate)
    a = pool.malloc(6 * MIB)
    assert held == [6 * MIB]
    with pytest.raises(tenorite.exceptions.OutOfMemoryError) as caught:
        pool.malloc(5 * MIB)
    assert caught.value.used == 6 * MIB
    b = pool.malloc(3 * MIB)
    a.memset(0, 6 * MIB)
    del a, b
    pool.free_all_blocks()
    assert pool.total_bytes() == 0
    with pytest.raises(TypeError):
        cuda.MemoryPool(5)


def test_callables_go_with_their_pools():
    """The pool itself lives on in an array, and needs the callable no more."""

    class Source:
        def __call__(self, size):
            return tenorite.get_default_memory_pool().malloc(size)

    source = Source()
    alive = weakref.ref(source)
    pool = cuda.MemoryPool(source)
    with cuda.using_allocator(pool.malloc):
        a = tenorite.ones(3)
    del source, pool
    assert a.sum() == 3 and alive() is None


@host_memory
def test_python_function_allocator():
    blocks, freed = {}, []

    def malloc(size, device_id):
        block = numpy.zeros(size + 64, dtype="uint8")
        address = (block.ctypes.data + 63) & ~63
        blocks[address] = block
        return address

    def free(address, device_id):
        freed.append(device_id)
        del blocks[address]

    allocator = cuda.PythonFunctionAllocator(malloc, free)
    pointer = allocator.malloc(100)
    assert pointer.ptr in blocks and isinstance(pointer.mem, cuda.memory.PythonFunctionAllocatorMemory)
    del pointer
    assert freed == [0] and not blocks
    with cuda.using_allocator(allocator.malloc):
        a = tenorite.arange(1000) * 2
        assert int(a.sum()) == 999000
        with cuda.Device(1):
            b = tenorite.ones(5)
    assert len(blocks) == 2
    pool = cuda.MemoryPool(allocator.malloc)
    c = pool.malloc(3 * MIB)
    del a, b, c, pool
    gc.collect()
    assert not blocks and 1 in freed
    broken = cuda.PythonFunctionAllocator(lambda size, device_id: 1 / 0, free)
    with pytest.raises(ZeroDivisionError):
        broken.malloc(10)


@host_memory
def test_free_function_waits_for_the_stream():
    blocks = {}

    def malloc(size, device_id):
        block = numpy.zeros(size, dtype="uint8")
        blocks[block.ctypes.data] = block
        return block.ctypes.data

    allocator = cuda.PythonFunctionAllocator(malloc, lambda address, device_id: blocks.pop(address))
    stream, opened = cuda.Stream(), threading.Event()
    with stream, cuda.using_allocator(allocator.malloc):
        a = tenorite.zeros(1000)
        stream.launch_host_func(lambda _: opened.wait(20), None)
        a += 1
        del a
    assert len(blocks) == 1
    opened.set()
    stream.synchronize()
    assert not blocks


@host_memory
def test_c_function_allocator():
    libc = ctypes.CDLL(None)
    libc.aligned_alloc.restype = ctypes.c_void_p
    libc.aligned_alloc.argtypes = ctypes.c_size_t, ctypes.c_size_t
    libc.free.argtypes = (ctypes.c_void_p,)
    calls = []
    malloc_type = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    free_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)

    @malloc_type
    def malloc(parameter, size, device_id):
        calls.append(("malloc", parameter, size, device_id))
        return libc.aligned_alloc(64, (size + 63) // 64 * 64) if size < MIB else None

    @free_type
    def free(parameter, address, device_id):
        calls.append(("free", parameter, device_id))
        libc.free(address)

    def address_of(function):
        return ctypes.cast(function, ctypes.c_void_p).value

    owner = (malloc, free)
    allocator = cuda.CFunctionAllocator(77, address_of(malloc), address_of(free), owner)
    with cuda.using_allocator(allocator.malloc):
        a = tenorite.arange(100) + 1
    assert int(a.sum()) == 5050
    del a
    memory = allocator.malloc(64).mem
    assert isinstance(memory, cuda.memory.CFunctionAllocatorMemory)
    del memory
    assert calls[0] == ("malloc", 77, 800, 0) and calls[-1] == ("free", 77, 0)
    assert len([call for call in calls if call[0] == "malloc"]) == len(calls) / 2
    with pytest.raises(MemoryError):
        allocator.malloc(2 * MIB)


# --- Hooks ---


class Recorder(cuda.MemoryHook):
    def __init__(self, name="Recorder"):
        self.name = name
        self.events = []

    def __getattribute__(self, name):
        if name.endswith("process"):
            return lambda **facts: self.events.append((name, facts))
        return super().__getattribute__(name)


def test_hooks(pool):
    hook = Recorder()
    with hook:
        a = pool.malloc(3 * MIB - 1)
        address = a.ptr
        del a
        b = pool.malloc(100)
    del b
    names = [name for name, _ in hook.events]
    assert names[:6] == [
        "malloc_preprocess",
        "alloc_preprocess",
        "alloc_postprocess",
        "malloc_postprocess",
        "free_preprocess",
        "free_postprocess",
    ]
    facts = dict(hook.events[:6])
    assert facts["malloc_preprocess"] == {"device_id": 0, "size": 3 * MIB - 1, "mem_size": 3 * MIB}
    assert facts["alloc_postprocess"] == {"device_id": 0, "mem_size": 3 * MIB, "mem_ptr": address}
    assert facts["malloc_postprocess"]["mem_ptr"] == address
    assert facts["free_preprocess"].keys() == {"device_id", "mem_size", "mem_ptr", "pmem_id"}
    count = len(hook.events)
    tenorite.zeros(10)
    assert len(hook.events) == count


def test_hooks_are_named_and_per_thread():
    first, second = Recorder("first"), Recorder("second")
    with first:
        with pytest.raises(KeyError, match="already exists"):
            with Recorder("first"):
                pass
        with second:
            assert list(cuda.memory_hook.get_memory_hooks()) == ["first", "second"]
            in_threads(1, lambda _: tenorite.zeros(10).ndim)
            assert not first.events
            tenorite.zeros(10)
        assert first.events == second.events != []
        tenorite.zeros(10)
        assert len(first.events) > len(second.events)


def test_hook_that_fails(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda fact: seen.append(fact.exc_type))

    class Broken(cuda.MemoryHook):
        def malloc_preprocess(self, **facts):
            raise KeyError

    with Broken():
        assert int(tenorite.ones(10).sum()) == 10
    assert set(seen) == {KeyError}


def test_debug_print_hook(pool):
    text = io.StringIO()
    with memory_hooks.DebugPrintHook(file=text):
        a = pool.malloc(100)
        del a
    lines = [json.loads(line) for line in text.getvalue().splitlines()]
    assert [line["hook"] for line in lines] == ["alloc", "malloc", "free"]
    assert lines[1]["size"] == 100 and lines[1]["mem_size"] == 512
    assert lines[1]["pmem_id"].startswith("0x")


def test_line_profile_hook(pool):
    hook = memory_hooks.LineProfileHook(max_depth=2)
    with hook:
        a = pool.malloc(3 * MIB)
        b = pool.malloc(100)
    text = io.StringIO()
    hook.print_report(file=text)
    lines = text.getvalue().splitlines()
    assert lines[0] == "_root (3.00MB, 5.00MB)"
    assert any("test_allocators.py" in line and "(3.00MB, 3.00MB)" in line for line in lines)
    del a, b
