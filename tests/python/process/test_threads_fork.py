"""Threads that share arrays, the GIL while a call runs, and what a fork may do."""

import sys
import threading
import time

import numpy as np
import pytest
import tenorite as tn
from oracle import settle
from programs import output_of, python
from together import in_child, in_threads

pytestmark = pytest.mark.quick


def test_eight_threads_read_one_array():
    a = tn.arange(200_000, dtype="f8").reshape(400, 500)
    expected = np.arange(200_000, dtype="f8").reshape(400, 500)

    def work(k):
        for _ in range(10):
            assert (a * 2 + k).sum().item() == expected.sum() * 2 + k * expected.size
            assert a.T.copy()[k, 3].item() == expected.T[k, 3]
            assert a.max(axis=1)[k].item() == expected[k].max()
            assert a[k : k + 2].tolist() == expected[k : k + 2].tolist()

    in_threads(8, work)


def test_eight_threads_write_parts_of_one_array():
    a = tn.zeros((8, 50_000))

    def work(k):
        for round_number in range(10):
            a[k] += k + 1
            a[k, ::2] *= 1
            assert a[k].sum().item() == 50_000 * (k + 1) * (round_number + 1)

    in_threads(8, work)
    assert a.sum(axis=1).tolist() == [500_000.0 * (k + 1) for k in range(8)]


def test_threads_make_and_drop_arrays():
    """Views and their bases go in any order, in any thread."""
    shared = [tn.arange(1000) for _ in range(8)]

    def work(k):
        random = np.random.default_rng(k)
        for _ in range(300):
            at = int(random.integers(8))
            view = shared[at][int(random.integers(500)) :]
            shared[at] = tn.arange(1000) if random.random() < 0.3 else shared[at]
            assert view[0].item() >= 0
            del view

    in_threads(8, work)


def test_threads_fail_apart():
    """Each thread has its own message of the last error."""

    def work(k):
        for _ in range(200):
            with pytest.raises(ValueError, match=rf"\({k + 2},\)"):
                tn.ones(k + 2) + tn.ones(50)

    in_threads(8, work)


@pytest.mark.two_devices
def test_current_device_is_per_thread():
    def work(k):
        with tn.cuda.Device(k % 2):
            for _ in range(50):
                assert tn.ones(3).device.id == k % 2

    in_threads(8, work)
    assert tn.cuda.Device().id == 0


LONG = {
    "elementwise": lambda a: tn.sin(a),
    "copy": lambda a: a.T.copy(),
    "reduction": lambda a: tn.exp(a).sum(axis=0),
    "matmul": lambda a: a[:1500, :1500] @ a[:1500, :1500],
    "astype": lambda a: a.astype("f4"),
    "get": lambda a: a.get(),
    "scan": lambda a: a.cumsum(),
}


@pytest.mark.parametrize("name", LONG)
def test_gil_is_free_while_a_call_runs(name):
    """Another thread makes steps while a long call runs; with the GIL held it would make none."""
    a = tn.ones((2000, 2000))

    def call(a):
        settle(LONG[name](a))  # on a GPU the wait is what lasts

    call(a)
    inside, steps, stop = threading.Event(), [0], threading.Event()

    def count():
        inside.wait()
        while not stop.is_set():
            steps[0] += 1
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    old = sys.getswitchinterval()
    sys.setswitchinterval(1000)  # no thread is made to hand the GIL over: only giving it up counts
    inside.set()
    # A GPU's calls are short, and the thread that gave up the GIL may be first to have it again.
    end = time.monotonic() + 20
    try:
        while steps[0] == 0 and time.monotonic() < end:
            call(a)
        made = steps[0]
    finally:
        sys.setswitchinterval(old)
        stop.set()
        thread.join()
    assert made > 0


# --- Fork ---


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_after_use(device):
    """On the host a child computes as before, with threads of its own."""
    a = tn.arange(1_000_000, dtype="f8")
    (a * 2).sum()

    def child():
        if device == "host":
            assert (a * 2).sum().item() == 2 * (999_999 * 1_000_000 // 2)
            assert tn.ones((500, 500)).dot(tn.ones((500, 500)))[0, 0].item() == 500
            del globals()["_unused"]
        else:
            with pytest.raises(RuntimeError, match="fork"):
                tn.ones(3) + 1

    globals()["_unused"] = None
    in_child(child)
    assert (a + 1)[0].item() == 1


@pytest.mark.host_only("a GPU can't be used after a fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_while_threads_work():
    """A fork at any moment leaves no lock taken in the child."""
    stop = threading.Event()

    def child():
        assert tn.ones(300_000).sum().item() == 300_000

    def work():
        a = tn.ones(300_000)
        while not stop.is_set():
            a = a * 1 + 0
            tn.empty(1000)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(20):
            in_child(child)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_multiprocessing_sends_arrays(tmp_path, method):
    if method == "fork" and tn._core._device_count("cuda"):
        pytest.skip("a GPU can't be used after a fork")
    program = tmp_path / "program.py"
    program.write_text(
        "import multiprocessing as mp, tenorite as tn\n"
        "def double(a): return a * 2\n"
        "if __name__ == '__main__':\n"
        f"    with mp.get_context('{method}').Pool(2) as pool:\n"
        "        print([r.sum().item() for r in pool.map(double, [tn.ones(4), tn.arange(3.0)])])\n"
    )
    done = python(program, timeout=120)
    assert done.stdout == "[8.0, 6.0]\n", done.stderr


# --- Interruption ---


def test_waiting_can_be_interrupted():
    """Ctrl-C while a stream is waited for."""
    code = (
        "import signal, threading, time, os, tenorite as tn\n"
        "stream = tn.cuda.Stream(non_blocking=True)\n"
        "gate = threading.Event()\n"
        "stream.launch_host_func(lambda _: gate.wait(20), None)\n"
        "start = time.monotonic()\n"
        "try:\n"
        "    threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "    stream.synchronize()\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', time.monotonic() - start < 10)\n"
        "gate.set(); stream.synchronize(); print('done')\n"
    )
    assert output_of(code, timeout=300) == "interrupted True\ndone\n"
