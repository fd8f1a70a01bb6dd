"""Device memory and events that two processes share. Only GPUs can."""

import json
import subprocess
import sys
import threading

import numpy
import pytest
import tenorite
from tenorite import cuda
from tenorite.exceptions import CUDARuntimeError
from together import gate

runtime = cuda.runtime

# Does what the lines of its input say, and answers each with a line.
CHILD = """
import json, sys
import numpy, tenorite
from tenorite import cuda
runtime = cuda.runtime
opened = {}

def array(name, size):
    address, device = opened[name]
    with cuda.Device(device):
        memory = cuda.UnownedMemory(address, 8 * size, None, device)
        return tenorite.ndarray((size,), "int64", cuda.MemoryPointer(memory, 0))

def open_memory(name, handle, device):
    with cuda.Device(device):
        opened[name] = runtime.ipcOpenMemHandle(bytes.fromhex(handle)), device

def close_memory(name):
    address, device = opened.pop(name)
    with cuda.Device(device):
        runtime.ipcCloseMemHandle(address)

def total(name, size):
    return int(array(name, size).sum().get())

def first(name, size):
    return array(name, size)[:5].get().tolist()

def add(name, size, value):
    a = array(name, size)
    a += value
    cuda.Device(a.device.id).synchronize()

def copy_to_device(name, size, device):
    return int(array(name, size).to_device(device).sum().get())

def open_event(name, handle):
    opened[name] = runtime.ipcOpenEventHandle(bytes.fromhex(handle))

def is_done(name):
    return runtime.eventQuery(opened[name]) == 0

def wait(name):
    runtime.eventSynchronize(opened[name])

def add_after(event, name, size, value):
    stream = cuda.Stream(non_blocking=True)
    runtime.streamWaitEvent(stream.ptr, opened[event])
    with stream:
        a = array(name, size)
        a += value
    done = stream.done
    stream.synchronize()
    return done

def close_event(name):
    runtime.eventDestroy(opened.pop(name))

for line in sys.stdin:
    name, arguments = json.loads(line)
    try:
        answer = [globals()[name](*arguments), None]
    except Exception as error:
        answer = [None, f"{type(error).__name__}: {error}"]
    print(json.dumps(answer), flush=True)
"""


class Child:
    """Another process; its functions are those of CHILD."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.timer = threading.Timer(90, self.process.kill)  # what hangs ends
        self.timer.start()

    def __getattr__(self, name):
        def call(*arguments):
            print(json.dumps([name, arguments]), file=self.process.stdin, flush=True)
            line = self.process.stdout.readline()
            assert line, f"the other process ended in {name}"
            result, error = json.loads(line)
            if error:
                raise RuntimeError(error)
            return result

        return call

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(30)
        self.timer.cancel()
        self.process.stdout.close()
        return status


@pytest.fixture
def child(device):
    if device != "cuda":
        pytest.skip("the host's memory is not shared by handles")
    child = Child()
    yield child
    assert child.end() == 0


def make(size, number=0):
    """Numbers 0, 1, ... in memory of their own, and the handle."""
    with cuda.Device(number):
        a = tenorite.ndarray((size,), "int64", cuda.MemoryPointer(cuda.Memory(8 * size), 0))
        a[...] = tenorite.arange(size)
        cuda.Device().synchronize()
        return a, runtime.ipcGetMemHandle(a.data.ptr)


def test_memory(child):
    a, handle = make(100_000)
    assert isinstance(handle, bytes) and len(handle) == 64
    child.open_memory("a", handle.hex(), 0)
    assert child.total("a", 100_000) == 99_999 * 50_000
    child.add("a", 100_000, 3)
    assert a[:5].get().tolist() == [3, 4, 5, 6, 7]  # it is the same memory
    a[:5] = 0
    cuda.Device().synchronize()
    assert child.first("a", 100_000) == [0] * 5
    child.close_memory("a")
    assert a.sum().get() == 99_999 * 50_000 + 300_000 - 25
    b, handle = make(10)
    child.open_memory("b", handle.hex(), 0)
    assert child.first("b", 10) == [0, 1, 2, 3, 4]
    child.close_memory("b")


def test_wrong_handles(child):
    a, handle = make(10)
    with pytest.raises(CUDARuntimeError):
        runtime.ipcOpenMemHandle(handle)  # of this process
    with pytest.raises(ValueError, match="64 bytes"):
        runtime.ipcOpenMemHandle(handle[:10])
    with pytest.raises(CUDARuntimeError):
        runtime.ipcGetMemHandle(numpy.zeros(10).ctypes.data)
    with pytest.raises(RuntimeError, match="CUDARuntimeError"):
        child.open_memory("x", (b"\0" * 64).hex(), 0)
    child.open_memory("a", handle.hex(), 0)  # an error before does no harm
    assert child.total("a", 10) == 45
    child.close_memory("a")
    assert a.sum().get() == 45


def test_events(child):
    a, handle = make(1000)
    stream = cuda.Stream(non_blocking=True)
    event = runtime.eventCreateWithFlags(runtime.eventInterprocess | runtime.eventDisableTiming)
    child.open_memory("a", handle.hex(), 0)
    child.open_event("e", runtime.ipcGetEventHandle(event).hex())
    loaded = a.copy()
    loaded *= 2  # a kernel that is loaded for the first time would wait for the gate
    cuda.Device().synchronize()
    opened = gate(stream)
    try:
        with stream:
            a *= 2
        runtime.eventRecord(event, stream.ptr)
        assert not child.is_done("e") and runtime.eventQuery(event) == runtime.cudaErrorNotReady
        threading.Timer(0.2, opened.set).start()
        child.add_after("e", "a", 1000, 1)
    finally:
        opened.set()
    assert child.is_done("e")
    child.wait("e")
    stream.synchronize()
    numpy.testing.assert_array_equal(a.get(), numpy.arange(1000) * 2 + 1)
    child.close_event("e")
    child.close_memory("a")
    runtime.eventDestroy(event)


def test_events_are_used_again(child):
    stream = cuda.Stream(non_blocking=True)
    event = cuda.Event(disable_timing=True, interprocess=True)
    handle = cuda._core._cuda_event_export(event)
    child.open_event("e", handle.hex())
    for _ in range(3):
        opened = gate(stream)
        event.record(stream)
        assert not child.is_done("e")
        opened.set()
        child.wait("e")
        assert child.is_done("e") and event.done
    child.close_event("e")


def test_wrong_events(child):
    with pytest.raises(CUDARuntimeError):
        cuda.Event(interprocess=True)  # with timing
    event = runtime.eventCreate()
    with pytest.raises(CUDARuntimeError):
        runtime.ipcGetEventHandle(event)
    runtime.eventDestroy(event)
    with pytest.raises(ValueError, match="64 bytes"):
        runtime.ipcOpenEventHandle(b"short")
    with pytest.raises(RuntimeError, match="CUDARuntimeError"):
        child.open_event("e", (b"\0" * 64).hex())


@pytest.mark.two_devices
def test_memory_of_the_second_device(child):
    a, handle = make(1000, 1)
    child.open_memory("a", handle.hex(), 1)
    assert child.total("a", 1000) == 499_500
    assert child.copy_to_device("a", 1000, 0) == 499_500
    child.add("a", 1000, 1)
    assert a.sum().get() == 500_500
    child.close_memory("a")
