"""Devices, streams and events."""

import _thread
import copy
import pickle
import signal
import sys
import textwrap
import threading
import time

import numpy
import pytest
import tenorite
from oracle import comes_true
from programs import python
from tenorite import cuda
from together import gate, in_threads

pytestmark = pytest.mark.quick


# --- Devices ---


def test_device():
    device = cuda.Device()
    assert device.id == 0 and int(device) == 0 and device == cuda.Device(0)
    assert device != 0 and cuda.Device(device) == device
    assert cuda.Device(f"{device.backend}:0") == device
    free, total = device.mem_info
    assert 0 < free <= total
    assert isinstance(device.name, str) and device.name
    assert device.attributes["MultiProcessorCount"] >= 1
    assert cuda.runtime.getDeviceCount() >= 1
    assert "Device 0" in repr(device)
    assert pickle.loads(pickle.dumps(device)) == copy.copy(device) == device
    device.synchronize()


@pytest.mark.two_devices
def test_devices_differ():
    device = cuda.Device()
    assert cuda.Device(1) != device and cuda.Device(1) > device
    assert len({device, cuda.Device(0), cuda.Device(1)}) == 2
    assert cuda.Device(f"{device.backend}:1") == cuda.Device(1)
    assert pickle.loads(pickle.dumps(cuda.Device(1))) == copy.copy(cuda.Device(1)) == cuda.Device(1)


def test_device_errors():
    with pytest.raises(tenorite.exceptions.CUDARuntimeError, match="invalid device ordinal"):
        cuda.Device(7).use()
    with pytest.raises(tenorite.exceptions.CUDARuntimeError):
        with cuda.Device(7):
            pass
    with pytest.raises(tenorite.exceptions.CUDARuntimeError):
        cuda.Device(7).mem_info
    for wrong in ("tpu", "host:x", "host:", "host:-1", ""):
        with pytest.raises(ValueError):
            cuda.Device(wrong)
    for wrong in (1.5, [0], object()):
        with pytest.raises(TypeError):
            cuda.Device(wrong)
    for wrong in (-1, 10**6, 2**80):
        with pytest.raises((ValueError, OverflowError)):
            cuda.Device(wrong)
    assert cuda.get_device_id() == 0


@pytest.mark.host_only("a GPU has it")
def test_what_the_host_has_not():
    with pytest.raises(tenorite.exceptions.CUDARuntimeError, match="pci_bus_id"):
        cuda.Device().pci_bus_id


@pytest.mark.two_devices
def test_current_device():
    with cuda.Device(1) as device:
        assert device.id == 1 and cuda.get_device_id() == 1
        assert tenorite.zeros(3).device.id == 1
        with cuda.Device(0):
            assert cuda.get_device_id() == 0
        assert cuda.get_device_id() == 1
        with pytest.raises(ZeroDivisionError):
            with cuda.Device(0):
                1 / 0
        assert cuda.get_device_id() == 1
    assert cuda.get_device_id() == 0
    try:
        cuda.runtime.setDevice(1)
        assert cuda.runtime.getDevice() == 1
        assert in_threads(1, lambda _: cuda.get_device_id()) == [0]  # per thread
    finally:
        cuda.Device(0).use()
    with pytest.raises(RuntimeError):
        cuda.Device(0).__exit__(None, None, None)


@pytest.mark.two_devices
def test_the_same_device_object_nested():
    one, zero = cuda.Device(1), cuda.Device(0)
    with one, zero, one:
        with zero:
            assert cuda.get_device_id() == 0
        assert cuda.get_device_id() == 1
    assert cuda.get_device_id() == 0


# --- Streams ---


def test_null_stream():
    null = cuda.Stream.null
    assert null.ptr == 0 and null.done and null.device_id == -1
    assert null == cuda.Stream(null=True) and hash(null) == hash(cuda.Stream(null=True))
    assert cuda.get_current_stream() == null
    assert null != cuda.Stream()
    null.synchronize()


@pytest.mark.two_devices
def test_null_stream_is_of_the_current_device():
    null, stream = cuda.Stream.null, cuda.Stream()
    with cuda.Device(1):
        assert null.device.id == 1
        assert cuda.get_current_stream() == null
    with stream:
        assert cuda.get_current_stream() is stream and cuda.get_current_stream(1) == null


def test_per_thread_stream(device):
    own = cuda.Stream.ptds
    assert own == cuda.Stream(ptds=True) and hash(own) == hash(cuda.Stream(ptds=True))
    assert own.device_id == -1 and not own.is_non_blocking and own != cuda.Stream()
    assert (own == cuda.Stream.null) is (device == "host") and (own.ptr == 0) is (device == "host")
    with own:
        assert cuda.get_current_stream() == own
        a = tenorite.arange(10)
    assert cuda.get_current_stream() == cuda.Stream.null
    a += 1  # ordered with the default stream
    assert a.sum().get() == 55
    with own:
        assert (a * 2).sum().get() == 110
        with cuda.Device(1) if cuda.runtime.getDeviceCount() > 1 else cuda.Device(0):
            assert own.device == cuda.Device()
    handles, arrays = [own.ptr], []

    def work():
        with own:
            handles.append(own.ptr)
            arrays.append(tenorite.full(1000, 7))
        own.synchronize()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert (handles[0] == handles[1]) is (device == "host")
    assert arrays[0].sum().get() == 7000  # the thread's stream is gone
    assert a.get(stream=2).tolist() == list(range(1, 11))  # the runtime API's name for it
    own.synchronize()
    assert own.done
    with pytest.raises(ValueError):
        cuda.Stream(ptds=True, priority=1)


def test_current_stream():
    stream = cuda.Stream(non_blocking=True)
    assert stream.is_non_blocking and stream.device_id == 0 and stream.ptr != 0
    assert repr(stream) == f"<Stream {stream.ptr} (device 0)>"
    with stream as entered:
        assert entered is stream and cuda.get_current_stream() is stream
        with cuda.Stream.null:
            assert cuda.get_current_stream() == cuda.Stream.null
        with stream:
            assert cuda.get_current_stream() is stream
        assert cuda.get_current_stream() is stream
        assert in_threads(1, lambda _: cuda.get_current_stream()) == [cuda.Stream.null]
    assert cuda.get_current_stream() == cuda.Stream.null
    assert stream.use() is stream
    assert cuda.get_current_stream() is stream
    cuda.Stream.null.use()
    assert cuda.get_current_stream() == cuda.Stream.null


@pytest.mark.two_devices
def test_stream_of_another_device():
    with cuda.Device(1):
        stream = cuda.Stream()
    assert stream.device_id == 1
    with stream:
        assert cuda.get_current_stream(1) is stream
        assert cuda.get_current_stream(0) == cuda.Stream.null
    a = tenorite.arange(4)
    with pytest.raises(ValueError, match="device"):
        a.get(stream=stream)


def test_stream_arguments():
    assert cuda.Stream(priority=-1).priority == -1
    with pytest.raises(ValueError):
        cuda.Stream(null=True, priority=1)
    with pytest.raises(TypeError):
        cuda.Stream(wrong=1)
    stream = cuda.Stream()
    for wrong in (None, "event", stream):
        with pytest.raises(TypeError):
            stream.wait_event(wrong)
    with pytest.raises(TypeError):
        stream.launch_host_func(5, None)
    with pytest.raises(TypeError):
        stream.add_callback(None, None)
    with pytest.raises(TypeError):
        stream.record("no event")


@pytest.mark.parametrize(
    "given, words",
    [
        (123, "must return a 2-tuple"),
        ((0,), "must return a 2-tuple"),
        (("0", 0), r"must return \(int, int\)"),
        ((0, "0"), r"must return \(int, int\)"),
        ((1, 0), "unsupported version"),
        ((2**80, 0), "unsupported version"),
        (None, "does not implement"),
    ],
)
def test_streams_of_others_that_are_none(given, words):
    class Foreign:
        def __cuda_stream__(self):
            return given

    with pytest.raises(TypeError, match=words):
        cuda.Stream.from_external(object() if given is None else Foreign())


def test_handles():
    stream = cuda.Stream()
    known = cuda.ExternalStream(stream.ptr)
    assert known == stream and isinstance(known, cuda.Stream)
    with known:
        assert cuda.get_current_stream() == stream
        tenorite.arange(3).sum()
    known.synchronize()
    assert cuda.Stream.from_external(stream) == stream
    assert cuda.Stream.from_external(stream)._foreign_stream_ref is stream
    assert cuda.Stream(null=True) is cuda.Stream.null and cuda.Stream(ptds=True) is cuda.Stream.ptds
    if cuda.Device().backend == "host":  # a GPU's stream may be another library's
        with pytest.raises(ValueError, match="not the handle"):
            cuda.ExternalStream(12345678)
    else:
        assert cuda.ExternalStream(12345678).ptr == 12345678
    with pytest.raises(ValueError, match="not the handle"):
        tenorite.arange(3).get(stream=0xDEADBEEF)
    with pytest.raises(TypeError):
        tenorite.arange(3).get(stream="x")
    numpy.testing.assert_array_equal(tenorite.arange(3).get(stream=stream.ptr), [0, 1, 2])


def test_work_is_in_order():
    stream = cuda.Stream()
    seen = []
    with stream:
        a = tenorite.zeros(1000)
        a += 0  # a GPU's kernels are loaded before the gate, at which loading would wait
        a *= 2
        a * 2
        opened = gate(stream)
        for number in range(20):
            a += 1
            stream.launch_host_func(seen.append, number)
        b = a * 2
        assert not stream.done
        opened.set()
    stream.synchronize()
    assert stream.done and seen == list(range(20))
    numpy.testing.assert_array_equal(b.get(), numpy.full(1000, 40.0))


def test_add_callback():
    stream = cuda.Stream()
    seen = []
    argument = object()
    stream.add_callback(lambda *arguments: seen.append(arguments), argument)
    stream.synchronize()
    assert seen == [(stream, 0, argument)]
    before = sys.getrefcount(argument)
    seen.clear()
    assert sys.getrefcount(argument) == before - 1
    cuda.Stream.null.launch_host_func(seen.append, 1)
    cuda.Stream.null.synchronize()
    assert seen == [1]


@pytest.mark.host_only("the default stream of a GPU has a queue, too")
def test_the_default_stream_of_the_host_runs_at_once():
    seen = []
    cuda.Stream.null.launch_host_func(seen.append, 1)
    assert seen == [1]


def test_callback_that_fails(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda fact: seen.append(fact.exc_type))
    stream = cuda.Stream()
    stream.launch_host_func(lambda _: 1 / 0, None)
    stream.synchronize()
    assert seen == [ZeroDivisionError]


def test_events():
    first, second = cuda.Stream(), cuda.Stream()
    event = cuda.Event()
    assert event.done  # never recorded
    event.synchronize()
    opened = gate(first)
    assert first.record(event) is event
    second.wait_event(event)
    seen = []
    second.launch_host_func(seen.append, 1)
    time.sleep(0.02)
    assert not event.done and not second.done and seen == []
    opened.set()
    event.synchronize()
    second.synchronize()
    assert event.done and seen == [1]
    assert first.record().done in (True, False)
    assert isinstance(event.ptr, int)


def test_elapsed_time():
    start, stop = cuda.Event(), cuda.Event()
    start.record()
    time.sleep(0.01)
    stop.record()
    stop.synchronize()
    assert 10 <= cuda.get_elapsed_time(start, stop) < 5000
    assert cuda.get_elapsed_time(stop, start) < 0
    with pytest.raises(tenorite.exceptions.CUDARuntimeError):
        cuda.get_elapsed_time(start, cuda.Event())
    without = cuda.Event(disable_timing=True)
    without.record()
    with pytest.raises(tenorite.exceptions.CUDARuntimeError):
        cuda.get_elapsed_time(start, without)
    stream = cuda.Stream()
    opened = gate(stream)
    stop.record(stream)
    with pytest.raises(tenorite.exceptions.CUDARuntimeError, match="NotReady"):
        cuda.get_elapsed_time(start, stop)
    opened.set()
    stream.synchronize()
    with pytest.raises(TypeError):
        cuda.get_elapsed_time(1, 2)


@pytest.mark.two_devices
def test_event_of_another_device():
    with cuda.Device(1):
        event = cuda.Event()
    with pytest.raises(ValueError):
        event.record(cuda.Stream())


# --- Arrays on several streams ---


def test_reads_wait_for_writes_elsewhere():
    stream = cuda.Stream()
    with stream:
        a = tenorite.zeros(100000)
        opened = gate(stream)
        a += 1
    threading.Timer(0.05, opened.set).start()
    b = a + 1  # on the default stream, which waits (without the GIL: the gate is Python)
    numpy.testing.assert_array_equal(b.get(), numpy.full(100000, 2.0))


def test_writes_wait_for_reads_elsewhere():
    stream = cuda.Stream()
    a = tenorite.ones(100000)
    with stream:
        opened = gate(stream)
        b = a * 3
    threading.Timer(0.05, opened.set).start()
    a += 100
    stream.synchronize()
    numpy.testing.assert_array_equal(b.get(), numpy.full(100000, 3.0))


def test_chain_over_streams():
    streams = [cuda.Stream() for _ in range(4)]
    a = tenorite.zeros(1000)
    for turn in range(40):
        with streams[turn % 4]:
            if turn % 7 == 0:
                streams[turn % 4].launch_host_func(lambda _: time.sleep(0.001), None)
            a = a * 1 + 1
    numpy.testing.assert_array_equal(a.get(), numpy.full(1000, 40.0))


def test_memory_is_not_reused_too_early(device):
    """An array that dies while another stream still reads it keeps its memory until then. On a GPU
    the default stream may have the memory at once, for work that waits for that stream."""
    stream = cuda.Stream()
    a = tenorite.full(100000, 7.0)
    with stream:
        opened = gate(stream)
        b = a + 0
    address = a.data.ptr
    del a
    others = [tenorite.full(100000, 1.0) for _ in range(4)]
    if device == "host":
        assert address not in [other.data.ptr for other in others]
    opened.set()
    stream.synchronize()
    numpy.testing.assert_array_equal(b.get(), numpy.full(100000, 7.0))


def test_memory_of_a_stream_is_reused_in_order():
    stream = cuda.Stream()
    with stream:
        opened = gate(stream)
        a = tenorite.full(100000, 7.0)
        address = a.data.ptr
        b = a + 0
        del a
        c = tenorite.full(100000, 1.0)
        assert c.data.ptr == address
        opened.set()
    numpy.testing.assert_array_equal(b.get(), numpy.full(100000, 7.0))
    numpy.testing.assert_array_equal(c.get(), numpy.full(100000, 1.0))


def test_many_short_lived_streams():
    before = threads_of_process()  # a GPU's driver and libraries keep many of their own
    for _ in range(50):
        with cuda.Stream():
            a = tenorite.arange(100) + 1
    assert a[-1].get() == 100
    cuda.Device().synchronize()
    assert comes_true(lambda: threads_of_process() < before + 20)  # workers end with their streams


def threads_of_process():
    with open("/proc/self/status") as lines:
        return int(next(line for line in lines if line.startswith("Threads:")).split()[1])


def test_threads_on_one_array():
    a = tenorite.arange(10000.0)

    def work(number):
        with cuda.Stream():
            return [float((a * number).sum().get()) for _ in range(30)]

    total = float(numpy.arange(10000.0).sum())
    assert in_threads(8, work) == [[total * number] * 30 for number in range(8)]


# --- Interruption, forks, the end ---


at_once = pytest.mark.host_only("a call on a GPU does not wait for another stream")


@pytest.mark.parametrize("what", ["stream", "event", "device", "array", pytest.param("large array", marks=at_once)])
def test_keyboard_interrupt_while_waiting(what):
    stream = cuda.Stream()
    with stream:
        a = tenorite.zeros(100000 if what == "large array" else 10)
        opened = gate(stream)
        a += 1
        event = stream.record()
    waits = {
        "stream": stream.synchronize,
        "event": event.synchronize,
        "device": cuda.Device().synchronize,
        "array": lambda: a.get(stream=cuda.Stream.null),
        "large array": lambda: (a * 2).get(),  # the GIL is given up around all of it
    }
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        waits[what]()
    assert time.monotonic() - start < 5
    timer.join()
    opened.set()
    stream.synchronize()
    numpy.testing.assert_array_equal(a.get(), numpy.ones(a.size))


def test_lent_memory_is_kept():
    """NumPy's memory stays as long as a queue copies to it; a GPU's gives it up soon after."""
    stream = cuda.Stream()
    a = tenorite.arange(100000.0)
    opened = gate(stream)
    host = a.get(stream=stream, blocking=False)
    assert sys.getrefcount(host) == 3  # ours, the call's and the queue's
    opened.set()
    stream.synchronize()
    assert comes_true(lambda: sys.getrefcount(host) == 2)
    numpy.testing.assert_array_equal(host, numpy.arange(100000.0))


@pytest.mark.host_only("of plain memory a GPU's queue reads a copy")
def test_lent_memory_of_an_interrupted_call_is_kept():
    stream = cuda.Stream()
    a = tenorite.arange(100000.0)
    opened = gate(stream)
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        a.set(numpy.ones(100000), stream=stream)
    timer.join()
    opened.set()
    assert float(a.sum()) == 100000


def test_handler_that_does_not_raise():
    stream = cuda.Stream()
    opened = gate(stream)
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: (seen.append(1), opened.set()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        stream.synchronize()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [1]


def run_python(text, **variables):
    return python("-c", textwrap.dedent(text), variables=variables, timeout=300)


@pytest.mark.host_only("a GPU can't be used after a fork: see process/test_threads_fork.py")
def test_fork():
    done = run_python("""
        import os, threading, numpy, tenorite
        from tenorite import cuda
        busy, idle = cuda.Stream(), cuda.Stream()
        opened = threading.Event()
        busy.launch_host_func(lambda _: opened.wait(20), None)
        with idle:
            b = tenorite.arange(1000) + 1
        idle.synchronize()
        a = tenorite.arange(1000000.0)
        a + a
        child = os.fork()
        if child == 0:
            try:
                assert float((a + a).sum()) == 999999000000.0
                assert int(b.sum()) == 500500
                for use in (busy.synchronize, lambda: busy.launch_host_func(print, 1)):
                    try:
                        use()
                        os._exit(2)
                    except RuntimeError as error:
                        assert "before fork" in str(error), error
                with cuda.Stream() as own:
                    assert int((b * 2).sum()) == 1001000
                own.synchronize()
                tenorite.get_default_memory_pool().free_all_blocks()
                os._exit(0)
            except BaseException:
                import traceback
                traceback.print_exc()
                os._exit(1)
        _, status = os.waitpid(child, 0)
        opened.set()
        busy.synchronize()
        print(os.waitstatus_to_exitcode(status))
    """)
    assert done.returncode == 0 and done.stdout.strip() == "0", done.stderr


def test_exit_runs_what_is_queued():
    done = run_python("""
        import time
        from tenorite import cuda
        stream = cuda.Stream()
        stream.launch_host_func(lambda _: time.sleep(0.2), None)
        stream.launch_host_func(print, "last words")
    """)
    assert done.returncode == 0 and done.stdout.strip() == "last words", done.stderr


def test_import_starts_no_thread():
    done = run_python(
        """
        import tenorite, tenorite.cuda
        with open("/proc/self/status") as lines:
            print(next(line for line in lines if line.startswith("Threads:")).split()[1])
    """,
        OPENBLAS_NUM_THREADS="1",
    )
    assert done.stdout.strip() == "1", done.stderr


# --- Indices out of bounds ---


def test_bad_index_of_a_stream_that_was_waited_for(device):
    """The first call that waits raises it, once: on a GPU even where only the other stream is
    waited for."""
    first, second = cuda.Stream(non_blocking=True), cuda.Stream(non_blocking=True)
    a = tenorite.arange(5)
    indices = tenorite.array([1, 7])
    cuda.Device().synchronize()
    with first:
        a[indices]
    second.wait_event(first.record())
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 5"):
        (second if device == "cuda" else first).synchronize()
    first.synchronize()
    second.synchronize()
