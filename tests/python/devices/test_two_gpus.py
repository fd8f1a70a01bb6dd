"""Two devices at once: transfers, current-device rules, peer access, streams and events across.
Runs on two GPUs, and, but for peer access, on two devices of the host."""

import numpy
import pytest
import tenorite
from tenorite import cuda
from tenorite.exceptions import CUDARuntimeError
from together import in_threads

pytestmark = pytest.mark.two_devices


def on(number):
    return cuda.Device(number)


def reachable():
    """Whether the devices reach each other's memory."""
    can = cuda.runtime.deviceCanAccessPeer
    return bool(can(0, 1) and can(1, 0))


def set_peer_access(enabled):
    for number in (0, 1):
        with on(number):
            change = cuda.runtime.deviceEnablePeerAccess if enabled else cuda.runtime.deviceDisablePeerAccess
            try:
                change(1 - number)
            except CUDARuntimeError as error:  # it is so already
                assert error.status == (704 if enabled else 705)


@pytest.fixture(params=("without peer access", "with peer access"))
def access(request, device):
    """Each test twice; the host knows no peers."""
    if device == "host":
        if request.param == "with peer access":
            pytest.skip("the host has no peers")
        yield
        return
    if request.param == "with peer access" and not reachable():
        pytest.skip("the two GPUs do not reach each other's memory")
    set_peer_access(request.param == "with peer access")
    yield
    set_peer_access(False)


@pytest.fixture
def gpus(device):
    if device != "cuda":
        pytest.skip("of GPUs only")


@pytest.fixture(autouse=True)
def device_zero():
    yield
    assert cuda.get_device_id() == 0
    on(1).synchronize()


# --- Transfers ---


LAYOUTS = {
    "contiguous": lambda a: a,
    "strided": lambda a: a[::3],
    "reversed": lambda a: a[::-1],
    "transposed": lambda a: a.reshape(-1, 10).T,
    "broadcast": lambda a: tenorite.broadcast_to(a[:100], (7, 100)),
    "one element": lambda a: a[3],
    "empty": lambda a: a[5:5],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", ("float32", "int8", "complex128", "bool"))
def test_transfers(access, layout, dtype):
    a = LAYOUTS[layout](tenorite.arange(10_000).astype(dtype))
    b = a.to_device(1)
    assert a.device == on(0) and b.device == on(1) and b.dtype == dtype and b.shape == a.shape
    numpy.testing.assert_array_equal(b.get(), a.get())
    with on(1):
        c = tenorite.asarray(a)
        d = tenorite.empty_like(a)
        d[...] = a
    assert c.device == d.device == on(1)
    numpy.testing.assert_array_equal(c.get(), a.get())
    numpy.testing.assert_array_equal(d.get(), a.get())
    back = b.to_device(on(0))
    assert back.device == on(0) and bool((back == a).all())


@pytest.mark.parametrize("size", (1, 1000, 1 << 16, 5_000_001))
def test_sizes(access, size):
    a = tenorite.arange(size)
    with on(1):
        b = a.to_device(1)
        assert b.sum().get() == size * (size - 1) // 2
    c = b.to_device(0)
    assert c.sum().get() == size * (size - 1) // 2


def test_transfers_wait_for_both_sides(access):
    """What is written before is what arrives, and memory is not used again before it has left."""
    here, there = cuda.Stream(non_blocking=True), None
    with on(1):
        there = cuda.Stream(non_blocking=True)
    arrived = []
    for k in range(30):
        with here:
            a = tenorite.full(300_000, k)
            a = a * 2 + 1
        with on(1), there:
            b = a.to_device(1)
            del a
            c = b + 1
            del b
        arrived.append(c)
        with here:
            tenorite.full(300_000, -1)  # the memory of `a`, if it were free
    for k, c in enumerate(arrived):
        assert bool((c == 2 * k + 2).all())


def test_there_and_back_many_times(access):
    a = tenorite.arange(1000)
    for _ in range(100):
        with on(1):
            b = a.to_device(1) + 1
        a = b.to_device(0)
    assert a.get().tolist() == list(range(100, 1100))


def test_raw_copies(access, gpus):
    runtime = cuda.runtime
    a, values = tenorite.arange(1000), numpy.arange(1000)
    with on(1):
        b = tenorite.zeros(1000, "int64")
        c = tenorite.zeros(1000, "int64")
        stream = cuda.Stream()
        on(0).synchronize()
        runtime.memcpyPeer(b.data.ptr, 1, a.data.ptr, 0, 8000)
        runtime.memcpyAsync(c.data.ptr, a.data.ptr, 8000, runtime.memcpyDefault, stream.ptr)
        stream.synchronize()
    numpy.testing.assert_array_equal(b.get(), values)
    numpy.testing.assert_array_equal(c.get(), values)
    b.data.copy_from_device(c.data + 8, 80)
    a.data.copy_from_device_async(b.data, 80)
    assert a[:10].get().tolist() == list(range(1, 11))
    facts = runtime.pointerGetAttributes(b.data.ptr)
    assert facts.device == 1 and facts.type == runtime.memoryTypeDevice
    assert cuda.device.from_pointer(b.data.ptr) == on(1)


# --- The current device ---


def test_current_device():
    a = tenorite.arange(10)
    with on(1):
        assert cuda.get_device_id() == cuda.runtime.getDevice() == 1
        b = tenorite.arange(10)
        assert b.device == on(1) and tenorite.array([1, 2]).device == on(1)
        assert (a + 1).device == a.sum().device == a[2:5].device == a.copy().device == on(0)
        assert (b @ b).device == on(1)
        with on(0):
            assert b.cumsum().device == on(1) and tenorite.ones(2).device == on(0)
        assert cuda.get_device_id() == 1
    assert b.sum().get() == a.sum().get() == 45
    assert b.argmax().device == on(1)
    assert b.get().tolist() == a.get().tolist()


def test_each_thread_has_its_own():
    def work(k):
        number = k % 2
        on(number).use()
        for _ in range(50):
            a = tenorite.arange(10_000)
            if a.device.id != number or a.sum().get() != 49_995_000:
                return False
        return cuda.get_device_id() == number

    assert in_threads(4, work) == [True] * 4


def test_operands_of_two_devices(device):
    a = tenorite.arange(10)
    with on(1):
        b = tenorite.arange(10)
    for call in (
        lambda: a + b,
        lambda: b @ a,
        lambda: a.take(b),
        lambda: tenorite.where(a > 1, a, b),
        lambda: tenorite.concatenate([a, b]),
        lambda: tenorite.add(a, 1, out=b),
        lambda: a.__iadd__(b),
        lambda: tenorite.add(a, a, where=b > 1),
    ):
        with pytest.raises(ValueError, match=f"{device} device [01] and {device} device [01]"):
            call()
    assert a.get().tolist() == b.get().tolist() == list(range(10))


def test_memory_belongs_to_its_device():
    pool = tenorite.get_default_memory_pool()

    def used():
        values = []
        for number in (0, 1):
            with on(number):
                values.append(pool.used_bytes())
        return numpy.array(values)

    before = used()
    with on(1):
        a = tenorite.empty(1 << 20, "int8")
    assert (used() - before).tolist() == [0, 1 << 20]
    b = a.to_device(0)
    assert (used() - before).tolist() == [1 << 20, 1 << 20]
    del a
    assert (used() - before).tolist() == [1 << 20, 0]
    with on(1):
        pool.free_all_blocks()
        pool.set_limit(size=1 << 22)
        try:
            with pytest.raises(tenorite.exceptions.OutOfMemoryError):
                tenorite.empty(1 << 24, "int8")
        finally:
            pool.set_limit(size=0)
    assert tenorite.empty(1 << 24, "int8").device == on(0)  # the other has no limit
    del b
    assert (used() - before).tolist() == [0, 0]


def test_facts_of_each(gpus):
    first, second = on(0), on(1)
    assert first.pci_bus_id != second.pci_bus_id
    runtime = cuda.runtime
    assert runtime.deviceGetByPCIBusId(second.pci_bus_id) == 1
    facts = [runtime.getDeviceProperties(number) for number in (0, 1)]
    assert facts[0]["uuid"] != facts[1]["uuid"]
    assert all(int(d.compute_capability) >= 50 and d.mem_info[1] > 0 for d in (first, second))


# --- Peer access ---


def test_peer_access(gpus):
    runtime = cuda.runtime
    if not reachable():
        with pytest.raises(CUDARuntimeError, match="cudaErrorPeerAccessUnsupported"):
            runtime.deviceEnablePeerAccess(1)
        return
    set_peer_access(False)
    with pytest.raises(CUDARuntimeError, match="cudaErrorPeerAccessNotEnabled") as caught:
        runtime.deviceDisablePeerAccess(1)
    assert caught.value.status == 705
    a = tenorite.arange(1000)
    with on(1):
        assert (tenorite.asarray(a) == tenorite.arange(1000)).all().get()  # a copy that we made
    runtime.deviceEnablePeerAccess(1)  # is not the program's enabling
    with pytest.raises(CUDARuntimeError, match="cudaErrorPeerAccessAlreadyEnabled") as caught:
        runtime.deviceEnablePeerAccess(1)
    assert caught.value.status == runtime.cudaErrorPeerAccessAlreadyEnabled == 704
    runtime.deviceDisablePeerAccess(1)
    with pytest.raises(CUDARuntimeError):
        runtime.deviceEnablePeerAccess(0)  # itself
    with pytest.raises(CUDARuntimeError):
        runtime.deviceEnablePeerAccess(77)


# --- Contexts ---


def test_contexts_of_two(gpus):
    """A context that the program makes current takes its device along, as in the runtime API."""
    driver = cuda.driver
    with on(1):
        second = driver.ctxGetCurrent()
        assert driver.ctxGetDevice() == 1
    first = driver.ctxGetCurrent()
    assert first != second and driver.ctxGetDevice() == 0
    driver.ctxPushCurrent(second)
    assert cuda.Device().id == driver.ctxGetDevice() == 1 and tenorite.zeros(3).device == on(1)
    assert driver.ctxPopCurrent() == second and cuda.Device().id == driver.ctxGetDevice() == 0
    driver.ctxSetCurrent(second)
    assert cuda.Device().id == 1 and tenorite.zeros(3).device == on(1)
    on(0).use()
    assert driver.ctxGetCurrent() == first
    with on(1):
        assert driver.streamGetCtx(cuda.Stream().ptr) == second


# --- Streams and events ---


def test_streams_of_both_at_once():
    streams, arrays = [], []
    for number in (0, 1):
        with on(number):
            streams.append([cuda.Stream(non_blocking=True) for _ in range(2)])
            arrays.append([tenorite.zeros(100_000) for _ in range(2)])
    for _ in range(50):
        for number in (0, 1):
            for stream, array in zip(streams[number], arrays[number]):
                with on(number), stream:
                    assert cuda.get_current_stream() == stream
                    array += number + 1
    for number in (0, 1):
        for stream, array in zip(streams[number], arrays[number]):
            stream.synchronize()
            assert stream.done and stream.device_id == number
            assert bool((array == 50 * (number + 1)).all())


def test_current_streams_are_of_a_device():
    with on(1):
        stream = cuda.Stream()
    with stream:  # current on its own device
        assert cuda.get_device_id() == 0 and cuda.get_current_stream() == cuda.Stream.null
        assert cuda.get_current_stream(1) == stream
        with on(1):
            assert cuda.get_current_stream() == stream
    with pytest.raises(ValueError, match=":1.*:0"):
        tenorite.arange(10).get(stream=stream)
    own = cuda.Stream.ptds.ptr
    with on(1):
        assert cuda.Stream.ptds.device == on(1)
        assert (cuda.Stream.ptds.ptr == own) is (own == 0)


def test_events_across():
    """A stream waits for an event of the other device."""
    a = tenorite.zeros(1_000_000)
    here, event = cuda.Stream(non_blocking=True), cuda.Event()
    with on(1):
        there, answer = cuda.Stream(non_blocking=True), cuda.Event()
        b = tenorite.zeros(1_000_000)
    for _ in range(20):
        with here:
            a += 1
            a *= 1
        event.record(here)
        there.wait_event(event)
        with on(1), there:
            b.data.copy_from_device_async(a.data, a.nbytes, there)
            b += 1
        answer.record(there)
        here.wait_event(answer)
        with here:
            a.data.copy_from_device_async(b.data, a.nbytes, here)
    here.synchronize()
    there.synchronize()
    assert event.done and answer.done
    assert bool((a == 40).all()) and bool((b == 40).all())


def test_events_belong_to_a_device(device):
    with on(1):
        stream, start, stop = cuda.Stream(), cuda.Event(), cuda.Event()
    event = cuda.Event()
    with pytest.raises(ValueError, match=f"{device}:1.*{device}:0"):
        event.record(stream)
    start.record(stream)
    with on(1), stream:
        tenorite.zeros(1000)
    stop.record(stream)
    stop.synchronize()
    assert cuda.get_elapsed_time(start, stop) >= 0
    with pytest.raises(ValueError):
        stream.record(event)


# --- Other things that belong to one device ---


def test_graphs_of_both(device):
    graphs, outputs, inputs = [], [], []
    for number in (0, 1):
        with on(number):
            a = tenorite.arange(1000)
            with cuda.Stream(non_blocking=True) as stream:
                stream.begin_capture()
                outputs.append(a * 2 + number)
                graphs.append(stream.end_capture())
            inputs.append(a)
    for number in (1, 0):
        with on(number):
            graphs[number].launch()
            assert outputs[number].sum().get() == 999_000 + 1000 * number
    with on(1):
        with pytest.raises(ValueError, match=f"{device}:[01].*{device}:[01]"):
            graphs[0].launch(cuda.Stream())
    graphs[0].launch()  # on the current stream of its own device


def test_a_graph_with_both(access):
    """A stream of the other device takes part by events."""
    here, forked = cuda.Stream(non_blocking=True), cuda.Event()
    a = tenorite.arange(1000)
    with on(1):
        there, joined = cuda.Stream(non_blocking=True), cuda.Event()
        b = tenorite.zeros(1000, "int64")
    here.begin_capture()
    forked.record(here)
    there.wait_event(forked)
    with here:
        c = a + 1
    with on(1), there:
        b += 5
    joined.record(there)
    here.wait_event(joined)
    with here, pytest.raises(RuntimeError, match="is capturing"):
        a.to_device(1)  # runs on a stream that takes no part
    graph = here.end_capture()
    for _ in range(3):
        graph.launch(here)
    here.synchronize()
    assert c.sum().get() == 500_500 and b.sum().get() == 15_000


def test_indices_out_of_bounds(gpus):
    """Reported by the device that found them."""
    with on(1):
        a, index = tenorite.arange(5), tenorite.array([1, 7])
        a.take(index, mode="raise")
    on(0).synchronize()
    with pytest.raises(IndexError, match="7"):
        on(1).synchronize()
