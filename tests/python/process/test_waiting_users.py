"""What programs see while their calls wait: memory, threads, signals, streams, other libraries."""

import multiprocessing
import os
import pickle
import threading

import numpy as np
import pytest
import tenorite as tn
from programs import ROOT, needs_doubles, on_double, output_of
from tenorite import _core
from together import gate, in_threads

PATH = os.pathsep.join([str(ROOT / "tests/python"), *filter(None, [os.environ.get("PYTHONPATH")])])
WAITS = {"TENORITE_WAIT": "1", "TENORITE_WAIT_LEAST": "0", "TENORITE_WAIT_IDLE": "0", "PYTHONPATH": PATH}
host_only = pytest.mark.host_only("a GPU's memory is the driver's, and its waits are not interrupted")


# --- Memory ---


def used_after_steps(waiting, waits):
    """The bytes that a pool of the program's own, and the default one, have out after each step."""
    waits(waiting)
    own, default = tn.cuda.MemoryPool(), tn.get_default_memory_pool()
    told, before = [], default.used_bytes()

    def note(*_):
        told.append((own.used_bytes(), default.used_bytes() - before))

    tn.cuda.set_allocator(own.malloc)
    try:
        a = tn.ones(5000)
        b = a + 1
        t = b * 2
        s = t.sum()
        u = t + 5
        note()
        del t
        c = u * 3
        note(c)
        del u
        d = c + b
        del b
        note(d)
        told.append((float(s), float(d[3])))
    finally:
        tn.cuda.set_allocator(tn.get_default_memory_pool().malloc)
    e = d * a  # memory of both pools
    del c, d
    note(e)
    assert float(e[0]) == 29
    del a, e, s
    note()
    return told


def test_a_pool_of_the_program_s_own(waits):
    assert used_after_steps(True, waits) == used_after_steps(False, waits)


@host_only
def test_rows_for_which_the_pool_has_no_room(waits):
    """Rows too long for one pass are computed in several. Where these take more than the pool has,
    the calls run in shorter graphs: nothing was begun, and what they overwrite is not lost."""
    pool, outcomes = tn.get_default_memory_pool(), []
    for waiting in (False, True):
        x = tn.linspace(0, 3, 1 << 20).reshape(2, -1)
        pool.free_all_blocks()
        waits(waiting)
        before = _core._backlog_figures()
        x -= x.max(axis=1, keepdims=True)
        power = tn.exp(x)
        for _ in range(8):
            power = tn.tanh(power * power + 0.25)
        x[...] = power / power.sum(axis=1, keepdims=True)
        del power
        kept = [tn.empty_like(x) for _ in range(6)]  # the pool has room for no more
        outcomes.append(x.tobytes())
        after = _core._backlog_figures()
        del kept
    assert outcomes[0] == outcomes[1]
    assert after["graphs"] > before["graphs"] and after["single_calls"] > before["single_calls"]


@host_only
def test_what_other_threads_keep_is_no_lack_of_memory():
    """A pool that may not grow runs what waits in all threads, which needs what it gave back."""
    program = """
import threading
import tenorite as tn

COUNT, BYTES = 1 << 20, 8 << 20
pool = tn.get_default_memory_pool()
pool.set_limit(size=9 * BYTES)
lock, over, sums = threading.Lock(), threading.Event(), []


def work(joined):
    with lock:
        x = tn.ones(COUNT)
        total = (x * 3 + 1).sum()
        del x
    joined.set()
    over.wait()
    sums.append(float(total))


threads = []
for _ in range(5):
    joined = threading.Event()
    threads.append(threading.Thread(target=work, args=(joined,)))
    threads[-1].start()
    joined.wait()
kept = [tn.empty(COUNT) for _ in range(8)]
over.set()
for thread in threads:
    thread.join()
assert sums == [4.0 * COUNT] * 5, sums
"""
    output_of(program, WAITS)
    output_of(program, WAITS | {"TENORITE_EAGER": "1"})


def test_hooks_see_calls_of_their_own_thread_alone(waits):
    """A thread with a hook looks at what another one's calls made."""

    class Hook(tn.cuda.MemoryHook):
        name = "seen"

        def __init__(self):
            self.seen = []

        def malloc_preprocess(self, **facts):
            self.seen.append(facts["size"])

    def compute():
        a = tn.arange(6000.0).reshape(100, 60)
        return (a.T.copy() + 1).sum(axis=1)[::2] * a[::2, :1].sum()

    seen = []
    for waiting in (False, True):
        waits(waiting)
        made, hook = in_threads(1, lambda _: compute())[0], Hook()
        with hook:
            values = made.get()
            other = compute()
        seen.append((hook.seen, values.tobytes(), other.get().tobytes()))
    assert seen[0] == seen[1]


# --- Signals ---


@host_only
def test_a_signal_s_handler_within_a_run():
    """It may compute; what waits is refused, since it is not there yet."""
    program = """
import signal
import tenorite as tn
from together import gate

stream = tn.cuda.Stream()
with stream:
    a = tn.zeros(100_000)
    opened = gate(stream)
    a += 1
known = tn.ones(100_000)
known.get()
b = a * 2
later = known * 3 + 1
seen = []


def note(function):
    try:
        seen.append(function())
    except RuntimeError as error:
        seen.append("handler uses an array" in str(error))


def handle(*_):
    note(lambda: float((tn.full(100_000, 5.0) + 1)[7]))
    note(lambda: float(later[5]))
    note(lambda: float(b[5]))
    note(lambda: known.fill(9))
    note(lambda: float(known[5]))
    seen.append(len(tn.explain().waiting))
    opened.set()


signal.signal(signal.SIGALRM, handle)
signal.setitimer(signal.ITIMER_REAL, 0.2)
assert float(b[0]) == 2 and float(later[5]) == 4 and float(known[5]) == 1
assert seen == [6.0, True, True, True, True, 0], seen
"""
    output_of(program, WAITS)


# --- Threads and processes ---


def test_threads_hand_arrays_over(waits):
    """Each thread computes of what all others made before, as it may be due there."""
    waits(True)
    made = [tn.full(3000, k, "f8") for k in range(4)]
    for turn in range(20):
        made = in_threads(4, lambda k, made=made, turn=turn: (made[k] + made[k - 1]) * 0.5 + turn)
    true = np.arange(4.0)
    for turn in range(20):
        true = (true + true[[-1, 0, 1, 2]]) * 0.5 + turn
    assert [float(array[2999]) for array in made] == true.tolist()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_get_what_waits(method, device, waits):
    if device == "cuda" and method == "fork":
        pytest.skip("no process uses CUDA after a fork")
    waits(True)
    a = tn.arange(5000.0)
    kept = a * 2 + 1
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map(add_up, [a + k for k in range(4)])
    assert found == [(float(np.arange(5000.0).sum()) + 5000 * k) * 3 for k in range(4)]
    assert float(kept[10]) == 21


def add_up(array):
    return float((array * 3).sum())


def test_copies_and_pickles(waits):
    waits(True)
    a = tn.arange(5000.0)
    assert pickle.loads(pickle.dumps(a + 1)).get().tolist() == list(range(1, 5001))
    b = a + 1
    b.resize((2500, 2))
    b += 1
    b.shape = (5000,)
    assert b.copy().tolist() == list(range(2, 5002))


# --- Streams ---


def test_a_stream_that_another_library_knows_never_waits(waits):
    """It may capture the stream, or mark its work by events of its own."""
    waits(True)
    stream = tn.cuda.Stream(non_blocking=True)
    a = tn.ones(5000)
    with stream:
        assert _core._is_due(a + 1)
        assert stream == tn.cuda.get_current_stream() and hash(stream) is not None and repr(stream)
        assert _core._is_due(a + 1)
        b = a + 1
        assert stream.ptr != 0
        assert not _core._is_due(b) and not _core._is_due(a + 1)
    assert _core._is_due(a + 1)


@pytest.mark.host_only("a function that a GPU's driver calls may not use the driver")
def test_a_queued_function_reads_what_waits(waits):
    """It waits for no later call, which may need the stream that the function holds up."""
    known, stream, seen, made = tn.ones(5000), tn.cuda.Stream(), [], []
    waits(True)
    opened = gate(stream)
    stream.launch_host_func(lambda _: seen.append(float(made[0][3])), None)
    with stream:
        queued = known * 2
    made.append(known + 1)
    later = queued + known
    opened.set()
    stream.synchronize()
    assert seen == [2.0]
    assert _core._is_due(later) and float(later[0]) == 3


@needs_doubles
def test_a_stream_of_another_library(tmp_path):
    program = """
import tenorite as tn
from tenorite import _core

a = tn.ones(5000)
assert _core._is_due(a + 1)
own = tn.cuda.Stream()
handle = tn.cuda.runtime.streamCreate()
with tn.cuda.ExternalStream(handle):
    assert not _core._is_due(a + 1)
with own:
    assert _core._is_due(a + 1)
"""
    output_of(program, on_double(tmp_path, **WAITS))


# --- Other libraries ---


def test_both_sides_write_by_dlpack(waits, device):
    """In turn, into memory of either side, while calls of ours wait."""
    if device == "cuda":
        pytest.skip("NumPy takes arrays of the host")
    waits(True)
    ours = tn.arange(4000.0)
    due = ours * 2
    theirs = np.from_dlpack(due)  # the address leaves: what waits is there
    foreign = np.arange(4000.0)
    shared = tn.from_dlpack(foreign)
    wanted = shared + 1  # of memory that is not a pool's
    true = np.arange(4000.0) * 2
    for turn in range(5):
        due += 1
        due[::2] *= 2
        true += 1
        true[::2] *= 2
        assert theirs.tobytes() == true.tobytes()
        sums = due + ours  # reads what the other side writes next
        theirs[1::3] = turn
        true[1::3], before = turn, true.copy()
        assert due.tolist() == true.tolist()
        assert sums.tobytes() == (before + np.arange(4000.0)).tobytes()
        shared *= 2
        foreign += 1
        assert shared[3] == foreign[3]
    assert wanted.tolist() == list(range(1, 4001))
    assert ours.tolist() == list(range(4000))


def test_both_sides_write_by_the_cuda_array_interface(gpu, waits):
    """The other side is an object with these facts, which writes by a kernel of its own."""
    waits(True)

    class Stranger:
        def __init__(self, array):
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    add = tn.RawKernel('extern "C" __global__ void add(double *x) { x[threadIdx.x] += 1; }', "add")
    due = tn.arange(256.0) * 2
    stranger = Stranger(due)
    view = tn.asarray(stranger)
    for _ in range(5):
        due *= 2
        sums = due + 1
        add((1,), (256,), (tn.asarray(stranger),))
        view -= 3
        assert sums.tolist() == [value + 3 for value in due.tolist()]
    true = np.arange(256.0) * 2
    for _ in range(5):
        true = true * 2 - 2
    assert due.tolist() == true.tolist() == view.tolist()


def test_a_busy_thread_beside_others(waits):
    """What other threads compute is right while one thread's backlog runs without the GIL."""
    waits(True)
    ended = threading.Event()

    def compute(k):
        if k:
            while not ended.is_set():
                assert float((tn.ones(70_000) * k + 1).sum()) == 70_000 * (k + 1)
            return
        a = tn.ones(500_000)
        for _ in range(10):
            b = a
            for _ in range(20):
                b = tn.sqrt(b * b + 3)
            assert float(b[7]) == 61**0.5
        ended.set()

    in_threads(3, compute)
