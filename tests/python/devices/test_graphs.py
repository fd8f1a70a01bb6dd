"""Graphs: work of streams that is recorded once and launched many times."""

import threading
import time
import weakref

import numpy
import pytest
import tenorite
from tenorite import cuda
from tenorite.exceptions import CUDARuntimeError


@pytest.fixture
def stream():
    stream = cuda.Stream(non_blocking=True)
    yield stream
    if stream.is_capturing():  # a test failed
        try:
            stream.end_capture()
        except CUDARuntimeError:
            pass
    stream.synchronize()


def capture(stream, function, *arguments, mode=None):
    """The graph of a call, and its result."""
    with stream:
        stream.begin_capture(mode)
        assert stream.is_capturing()
        result = function(*arguments)
        graph = stream.end_capture()
    assert not stream.is_capturing()
    return graph, result


# --- Values ---


CALLS = {
    "arithmetic": lambda a: ((a + 3) * 7.5) ** 2,
    "functions": lambda a: tenorite.sqrt(tenorite.exp(-a) + 1),
    "strided": lambda a: a[::3] - a[::-3],
    "transposed": lambda a: a.reshape(25, 40).T + a.reshape(40, 25),
    "compared": lambda a: tenorite.where(a > 50, a, -a),
    "converted": lambda a: (a * 2.5).astype("int32") // 3,
    "sum": lambda a: a.sum(),
    "rows": lambda a: a.reshape(10, 100).max(axis=1),
    "columns": lambda a: a.reshape(100, 10).mean(axis=0),
    "variance": lambda a: a.var(),
    "argmax": lambda a: tenorite.sin(a).argmax(),
    "scan": lambda a: a.cumsum(),
    "taken": lambda a: a.take((a[::-1] % 7).astype("int64")),
    "matmul": lambda a: a.reshape(20, 50) @ a.reshape(50, 20),
    "matmul_int": lambda a: a.astype("int64").reshape(20, 50) @ a.astype("int64").reshape(50, 20),
    "sorted": lambda a: tenorite.sort(tenorite.sin(a).reshape(-1, 20)),
    "sorted_rows": lambda a: tenorite.sin(a).reshape(2, -1).argsort(),
    "sorted_long": lambda a: tenorite.sort(tenorite.sin(tenorite.arange(9000.0)) + a[8]),
    "searched": lambda a: tenorite.searchsorted(a, tenorite.sin(a) * 100),
    "filled": lambda a: tenorite.zeros_like(a) + tenorite.full(1000, 2.0) + tenorite.arange(1000),
}


@pytest.mark.parametrize("call", CALLS)
def test_values(stream, call):
    function = CALLS[call]
    a = tenorite.arange(1000.0) / 8
    graph, out = capture(stream, function, a)
    for step in range(3):
        graph.launch()
        # cuBLAS may choose another way for its work when memory is lent to it.
        numpy.testing.assert_allclose(out.get(), function(a).get(), 1e-13 if call == "matmul" else 0)
        a += 1 + step


def test_in_place(stream):
    a = tenorite.zeros(1000)

    def step():
        nonlocal a
        a += 1
        a[::2] *= 2

    graph, _ = capture(stream, step)
    assert a.get().tolist() == [0] * 1000  # nothing ran
    want = numpy.zeros(1000)
    for _ in range(5):
        graph.launch()
        want += 1
        want[::2] *= 2
    numpy.testing.assert_array_equal(a.get(), want)


@pytest.mark.parametrize("blocking", (False, True))
@pytest.mark.parametrize("upload", (False, True))
def test_other_streams(stream, blocking, upload):
    a = tenorite.arange(1000.0)
    captured, other = cuda.Stream(non_blocking=not blocking), cuda.Stream(non_blocking=not blocking)
    graph, out = capture(captured, lambda: a * 2 + 1)
    if upload:
        graph.upload(other)
    for number, where in enumerate((other, captured, None, cuda.Stream.null, cuda.Stream.ptds)):
        a += number
        graph.launch(where)
        numpy.testing.assert_array_equal(out.get(), (a * 2 + 1).get())
    with other:
        graph.launch(stream=None)
    other.synchronize()


def test_modes(stream):
    runtime = cuda.runtime
    modes = (runtime.streamCaptureModeGlobal, runtime.streamCaptureModeThreadLocal, runtime.streamCaptureModeRelaxed)
    for mode in modes:  # the pool has to grow
        cuda.get_current_stream().synchronize()
        tenorite.get_default_memory_pool().free_all_blocks()
        a = tenorite.ones(1 << 20)
        graph, out = capture(stream, lambda: tenorite.zeros(1 << 20) + a, mode=mode)
        graph.launch()
        assert out.sum().get() == 1 << 20
    with pytest.raises(ValueError):
        stream.begin_capture(3)


def test_describe(stream, device):
    a = tenorite.ones(10)
    graph, _ = capture(stream, lambda: a + 1)
    if device == "cuda":
        assert graph.debug_dot_str().startswith("digraph") and graph.debug_dot_str(1)
    else:
        with pytest.raises(NotImplementedError):
            graph.debug_dot_str()
    assert graph.graph and graph.graphExec and graph.graph != graph.graphExec
    assert isinstance(graph, cuda.Graph) and cuda.Graph is cuda.graph.Graph
    with pytest.raises(TypeError):
        cuda.Graph()


# --- Memory ---


def test_memory_is_reserved(stream):
    pool = tenorite.get_default_memory_pool()
    a = tenorite.arange(1000.0)
    before = pool.used_bytes()
    graph, out = capture(stream, lambda: (a + 1) * 2 - 3)
    reserved = pool.used_bytes() - before
    assert reserved >= 2 * 8000  # the result and what came before it
    with stream:
        others = [tenorite.full(1000, 7.0) for _ in range(50)]
    stream.synchronize()
    graph.launch(stream)
    stream.synchronize()
    numpy.testing.assert_array_equal(out.get(), (numpy.arange(1000.0) + 1) * 2 - 3)
    assert all((other == 7).all() for other in others)
    others = out = a = None
    assert pool.used_bytes() - before >= 0
    graph.launch(stream)  # the graph has all it needs
    stream.synchronize()
    del graph
    assert pool.used_bytes() <= before


def test_a_loop_needs_no_more_memory(stream):
    pool = tenorite.get_default_memory_pool()
    a = tenorite.ones(100_000)

    def loop(times):
        b = a
        for _ in range(times):
            b = b * 0.5 + 1
        return b

    before = pool.used_bytes()
    graph, out = capture(stream, loop, 200)
    assert pool.used_bytes() - before <= 5 * 800_000
    graph.launch()
    numpy.testing.assert_allclose(out.get(), 2, rtol=1e-12)


def test_dropped_while_it_runs(stream):
    pool = tenorite.get_default_memory_pool()
    before = pool.used_bytes()
    a = tenorite.arange(1 << 20)
    total = tenorite.zeros((), dtype="int64")

    def add():
        nonlocal total
        total += (a * 2).sum()

    graph, _ = capture(stream, add)
    for _ in range(20):
        graph.launch(stream)
    graph = a = None
    assert total.get() == 20 * (1 << 20) * ((1 << 20) - 1)
    stream.synchronize()
    end = time.monotonic() + 10  # what it had comes back after its last launch
    while pool.used_bytes() > before + 512 and time.monotonic() < end:
        time.sleep(0.001)
    assert pool.used_bytes() <= before + 512


def test_readers_of_before_are_waited_for(stream):
    other = cuda.Stream(non_blocking=True)
    a = tenorite.zeros(1 << 20)
    graph, _ = capture(stream, lambda: a.fill(5))
    results = []
    for k in range(10):
        with other:
            a.fill(k)
            results.append(a.sum())
        graph.launch(stream)
        with other:
            results.append(a.sum())
    assert [int(r.get()) >> 20 for r in results] == [x for k in range(10) for x in (k, 5)]


# --- Several streams ---


def test_fork_join(stream):
    branch = cuda.Stream(non_blocking=True)
    forked, joined = cuda.Event(), cuda.Event()
    a = tenorite.arange(1000.0)
    with stream:
        stream.begin_capture()
        b = a * 100
        forked.record(stream)
        branch.wait_event(forked)
        with branch:
            assert branch.is_capturing()
            c = b + 1
        joined.record(branch)
        d = a - 1
        stream.wait_event(joined)
        e = c + d
        graph = stream.end_capture()
    assert not branch.is_capturing()
    for _ in range(3):
        graph.launch(branch)
        numpy.testing.assert_array_equal(e.get(), (a * 100 + 1 + a - 1).get())
        a += 1


def test_not_joined(stream):
    branch, event = cuda.Stream(non_blocking=True), cuda.Event()
    stream.begin_capture()
    event.record(stream)
    branch.wait_event(event)
    with branch:
        a = tenorite.zeros(10)
    with pytest.raises(CUDARuntimeError, match="cudaErrorStreamCaptureUnjoined"):
        stream.end_capture()
    assert not stream.is_capturing() and not branch.is_capturing()
    stream.synchronize()
    branch.synchronize()
    assert a.size == 10


def test_threads_beside(stream):
    """Other threads go on with their work while one captures."""
    results = []

    def work():
        with cuda.Stream(non_blocking=True) as own:
            b = tenorite.arange(1000)
            for _ in range(100):
                b = b + 1
            own.synchronize()
            results.append(b.sum().get())

    threads = [threading.Thread(target=work) for _ in range(3)]
    a = tenorite.ones(1000)
    a.get()

    def call():
        b = a
        for _ in range(100):
            b = b + 1
        return b

    for thread in threads:
        thread.start()
    graph, out = capture(stream, call)
    for thread in threads:
        thread.join()
    graph.launch()
    assert results == [999 * 500 + 100_000] * 3
    assert out.sum().get() == 101_000


# --- Functions, host memory ---


class Argument:
    calls = 0


def call_it(argument):
    argument.calls += 1


def test_host_functions_of_joined_streams(stream):
    other, ends = cuda.Stream(non_blocking=True), []
    with stream:
        stream.begin_capture()
        stream.launch_host_func(ends.append, 1)
        other.wait_event(stream.record())
        other.launch_host_func(ends.append, 2)
        stream.wait_event(other.record())
        graph = stream.end_capture()
    assert [argument for _, argument in graph.host_funcargs] == [1, 2]
    graph.host_funcargs.clear()  # a list of the caller's own
    stream.launch_host_func(ends.append, 3)  # recorded by nothing
    graph.launch(stream)
    stream.synchronize()
    assert ends == [3, 1, 2] and len(graph.host_funcargs) == 2
    assert capture(stream, lambda: None)[0].host_funcargs == []


def test_host_functions(stream):
    argument = Argument()
    graph, _ = capture(stream, lambda: stream.launch_host_func(call_it, argument))
    assert argument.calls == 0
    for _ in range(3):
        graph.launch(stream)
    stream.synchronize()
    assert argument.calls == 3
    assert graph.host_funcargs == [(call_it, argument)]
    gone = weakref.ref(argument)
    argument = None
    assert gone() is not None
    del graph
    assert gone() is None


def pinned_like(array):
    memory = cuda.alloc_pinned_memory(array.nbytes)
    return numpy.frombuffer(memory, array.dtype, array.size)


def test_pinned_memory(stream, device):
    if device != "cuda":
        pytest.skip("page-locked memory is a GPU's")
    a = tenorite.zeros(1000)
    source, target = pinned_like(a), pinned_like(a)

    def call():
        a.set(source)
        (a * 2).get(out=target, blocking=False)

    graph, _ = capture(stream, call)
    for k in range(1, 4):
        source[:] = k
        graph.launch(stream)
        stream.synchronize()
        assert (target == 2 * k).all()


# --- What can't be captured ---


REFUSED = {
    "get": lambda a: a.get(),
    "item": lambda a: a[3].item(),
    "array": lambda a: tenorite.array([1, 2, 3]),
    "list index": lambda a: a[[1, 2, 3]],
    "nonzero": lambda a: a.nonzero(),
    "mask": lambda a: a[a > 2],
    "bool": lambda a: bool(a[0] > 1),
}


@pytest.mark.parametrize("call", REFUSED)
def test_what_needs_the_host(stream, call):
    a = tenorite.arange(10.0)
    with stream:
        stream.begin_capture()
        with pytest.raises(RuntimeError, match="is capturing"):
            REFUSED[call](a)
        b = a + 1
        graph = stream.end_capture()  # the capture goes on
    graph.launch()
    assert b.sum().get() == 55


def test_waiting_spoils_a_capture(stream):
    for wait in (stream.synchronize, lambda: stream.done):
        with stream:
            stream.begin_capture()
            with pytest.raises(CUDARuntimeError, match="cudaErrorStreamCaptureUnsupported"):
                wait()
            with pytest.raises(CUDARuntimeError, match="cudaErrorStreamCaptureInvalidated"):
                stream.end_capture()
        assert not stream.is_capturing()
        stream.synchronize()


def test_order_of_calls(stream):
    with pytest.raises(CUDARuntimeError, match="cudaErrorIllegalState"):
        stream.end_capture()
    stream.begin_capture()
    with pytest.raises(CUDARuntimeError, match="cudaErrorIllegalState"):
        stream.begin_capture()
    with pytest.raises(CUDARuntimeError, match="cudaErrorIllegalState"):
        cuda.Stream(non_blocking=True).end_capture()
    graph = stream.end_capture()
    graph.launch()  # of nothing
    with pytest.raises(RuntimeError, match="cannot capture on the default"):
        cuda.Stream.null.begin_capture()
    other = cuda.Stream(non_blocking=True)
    other.begin_capture()
    with pytest.raises(NotImplementedError):
        graph.launch(other)
    other.end_capture()


def test_per_thread_stream(device):
    a = tenorite.arange(10)
    if device == "host":  # it is the default one
        with pytest.raises(RuntimeError, match="cannot capture on the default"):
            cuda.Stream.ptds.begin_capture()
        return
    graph, out = capture(cuda.Stream.ptds, lambda: a + 1)
    graph.launch()
    assert out.sum().get() == 55


def test_indices_out_of_bounds(stream):
    """Found by a launch, raised by the next wait for its stream; later launches are as good as
    new."""
    a, index = tenorite.arange(10), tenorite.arange(5)
    graph, out = capture(stream, lambda: a.take(index, mode="raise") + 1)
    graph.launch(stream)
    stream.synchronize()
    assert out.get().tolist() == [1, 2, 3, 4, 5]
    index[2] = 12
    for _ in range(2):
        graph.launch(stream)
        with pytest.raises(IndexError, match="12"):
            stream.synchronize()
    index[2] = 9
    graph.launch(stream)
    stream.synchronize()
    assert out.get().tolist() == [1, 2, 10, 4, 5]


def test_runtime_functions(stream):
    runtime = cuda.runtime
    a = tenorite.arange(10)
    handle = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    assert not runtime.streamIsCapturing(handle)
    with cuda.ExternalStream(handle):
        runtime.streamBeginCapture(handle)
        assert runtime.streamIsCapturing(handle)
        b = a + 1
        graph = runtime.streamEndCapture(handle)
    launchable = runtime.graphInstantiate(graph)
    runtime.graphUpload(launchable, handle)
    runtime.graphLaunch(launchable, handle)
    runtime.streamSynchronize(handle)
    assert b.sum().get() == 55
    runtime.graphExecDestroy(launchable)
    runtime.graphDestroy(graph)
    runtime.streamDestroy(handle)
