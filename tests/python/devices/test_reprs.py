"""What objects show of themselves: what they hold, and the same after it changed."""

import io
import re

import pytest
import tenorite as tn

TEXT = 'extern "C" __global__ void set(float* x) { x[0] = 1; }'


def random_state():
    return tn.random.RandomState(tn.random.XORWOW(3))


def archive():
    file = io.BytesIO()
    tn.savez(file, x=tn.ones(2), y=tn.ones(3))
    file.seek(0)
    return tn.load(file)


def graph():
    stream = tn.cuda.Stream(non_blocking=True)
    a = tn.ones(4)
    with stream:
        stream.begin_capture()
        tn.add(a, a, out=a)
        return stream.end_capture()


SHOWN = {
    "Stream": (tn.cuda.Stream, r"<Stream \d+ \(device 0\)>"),
    "null": (lambda: tn.cuda.Stream.null, r"<Stream \d+ \(default\)>"),
    "Event": (tn.cuda.Event, r"<Event \d+ at 0x\w+>"),
    "Device": (lambda: tn.cuda.Device(0), r"<(Host|CUDA) Device 0>"),
    "MemoryPool": (tn.cuda.MemoryPool, r"<MemoryPool used=0 free=0 total=0 limit=0 bytes>"),
    "PinnedMemoryPool": (tn.cuda.PinnedMemoryPool, r"<PinnedMemoryPool free_blocks=0>"),
    "memory": (lambda: tn.ones(10).data.mem, r"<PooledMemory 0x\w+ \((80|512) bytes, device 0\)>"),
    "Memory": (lambda: tn.cuda.Memory(100), r"<Memory 0x\w+ \(100 bytes, device 0\)>"),
    "MemoryPointer": (lambda: tn.ones(10).data + 16, r"<MemoryPointer 0x\w+ device=0 mem=<PooledMemory .*>>"),
    "pinned": (
        lambda: tn.cuda.alloc_pinned_memory(64) + 16,
        r"<PinnedMemoryPointer 0x\w+ \(\d+ bytes\) mem=<PinnedMemory 0x\w+ \(\d+ bytes\)>>",
    ),
    "NpzFile": (archive, "<NpzFile with x, y>"),
    "Graph": (graph, r"<Graph \d+ \(executable \d+\) at 0x\w+>"),
    "Module": (tn.cuda.Module, "<Module without an image>"),
    "RawModule": (lambda: tn.RawModule(code=TEXT, options=("-DN=4",)), "<RawModule of a text of 54 characters -DN=4>"),
    "RawKernel": (lambda: tn.RawKernel(TEXT, "set"), "<RawKernel 'set' of a text of 54 characters>"),
    "ElementwiseKernel": (lambda: tn.ElementwiseKernel("T x", "T y", "y = x", "same"), "<ElementwiseKernel 'same'>"),
    "Generator": (lambda: tn.random.default_rng(1), r"Generator\(\w+\) at 0x\w+"),
    "RandomState": (random_state, r"RandomState\(XORWOW\) at 0x\w+"),
    "BitGenerator": (lambda: tn.random.MRG32k3a(1), "<MRG32k3a at position 0>"),
    "flatiter": (lambda: tn.ones((2, 3)).flat, "<flatiter at 0 of 6 elements, float64>"),
    "broadcast": (lambda: tn.broadcast(tn.ones((3, 1)), tn.ones(2)), r"<broadcast of 2 arrays to \(3, 2\)>"),
    "ufunc": (lambda: tn.add, "<ufunc 'add'>"),
}


@pytest.mark.parametrize("name", SHOWN)
def test_repr(name):
    make, shown = SHOWN[name]
    thing = make()
    assert re.fullmatch(shown, repr(thing)), repr(thing)


def test_repr_of_what_changes():
    pool, rng, flat = tn.cuda.MemoryPool(), tn.random.Philox4x3210(1), tn.ones(4).flat
    block = pool.malloc(1000)
    total = pool.total_bytes()
    assert repr(pool) == f"<MemoryPool used=1024 free={total - 1024} total={total} limit=0 bytes>"
    del block
    assert repr(pool) == f"<MemoryPool used=0 free={total} total={total} limit=0 bytes>"
    tn.random.Generator(rng).random(8)
    assert repr(rng) != repr(tn.random.Philox4x3210(1))
    next(flat)
    assert repr(flat) == "<flatiter at 1 of 4 elements, float64>"


def test_a_subclass_has_its_name():
    class Mine(tn.cuda.BaseMemory):
        pass

    assert repr(Mine()) == "<Mine without memory (0 bytes, device 0)>"


def test_an_event_in_a_capture():
    """Its repr does not break the capture."""
    stream, event, a = tn.cuda.Stream(non_blocking=True), tn.cuda.Event(), tn.ones(4)
    with stream:
        stream.begin_capture()
        event.record(stream)
        assert repr(event).startswith("<Event ")
        tn.add(a, a, out=a)
        graph = stream.end_capture()
    graph.launch(stream)
    stream.synchronize()
    assert a.get().tolist() == [2.0] * 4
