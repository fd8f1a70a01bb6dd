"""What needs two GPUs and NCCL: collectives in one process and in two, copies between GPUs, what
NCCL refuses. On the host the same runs on two devices of it, where that means anything."""

import os
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import tenorite as cp
from oracle import comes_true
from tenorite import cuda
from tenorite.cuda import nccl
from tenorite.distributed.array import SUM, distributed_array, make_2d_index_map
from tenorite.exceptions import NcclError
from together import in_threads

pytestmark = pytest.mark.two_devices
SIZES = (1, 1000, 3_000_001)


@pytest.fixture(autouse=True)
def needs_nccl():
    if not nccl.available:
        pytest.skip("needs NCCL: pip install nvidia-nccl-cu13")


@pytest.fixture
def ranks():
    """A rank for each of two devices, of this thread."""
    made = nccl.NcclCommunicator.initAll(2)
    yield made
    for rank in made:
        rank.destroy()


def on_each(function):
    """function(k) with each device current."""
    made = []
    for k in range(2):
        with cuda.Device(k):
            made.append(function(k))
    return made


def grouped(function):
    """function(k) of both ranks, as one group."""
    nccl.groupStart()
    try:
        on_each(function)
    finally:
        nccl.groupEnd()


# NCCL's numbers of dtypes (nccl.h: ncclDataType_t).
NUMBERS = {
    "int8": 0,
    "uint8": 1,
    "int32": 2,
    "uint32": 3,
    "int64": 4,
    "uint64": 5,
    "float16": 6,
    "float32": 7,
    "float64": 8,
}


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("size", SIZES)
def test_collectives_of_one_thread(ranks, size, dtype):
    number = NUMBERS[dtype]
    given = [(np.arange(2 * size) % 7 + k).astype(dtype) for k in range(2)]
    total = given[0] + given[1]
    a = on_each(lambda k: cp.asarray(given[k]))
    b = on_each(lambda k: cp.zeros(2 * size, dtype=dtype))

    def at(arrays, k, offset=0):
        return arrays[k].data.ptr + offset * arrays[k].itemsize

    grouped(lambda k: ranks[k].allReduce(at(a, k), at(b, k), 2 * size, number, nccl.NCCL_SUM, 0))
    for k in range(2):
        assert np.array_equal(b[k].get(), total)
    grouped(lambda k: ranks[k].broadcast(at(a, k), at(b, k), 2 * size, number, 1, 0))
    for k in range(2):
        assert np.array_equal(b[k].get(), given[1])
    grouped(lambda k: ranks[k].reduceScatter(at(a, k), at(b, k), size, number, nccl.NCCL_MAX, 0))
    for k in range(2):
        assert np.array_equal(b[k].get()[:size], given[1][k * size : (k + 1) * size])
    grouped(lambda k: ranks[k].allGather(at(a, k, k * size), at(b, k), size, number, 0))
    for k in range(2):
        assert np.array_equal(b[k].get(), np.concatenate([given[0][:size], given[1][size:]]))
    grouped(lambda k: ranks[k].reduce(at(a, k), at(a, k), 2 * size, number, nccl.NCCL_SUM, 1, 0))
    assert np.array_equal(a[1].get(), total)


def test_messages(ranks):
    a, b = on_each(lambda k: cp.arange(100_000.0) + k), on_each(lambda k: cp.zeros(100_000))
    nccl.groupStart()
    for k in range(2):
        ranks[k].send(a[k].data.ptr, 100_000, nccl.NCCL_DOUBLE, 1 - k, 0)
        ranks[k].recv(b[k].data.ptr, 100_000, nccl.NCCL_DOUBLE, 1 - k, 0)
    nccl.groupEnd()
    for k in range(2):
        assert np.array_equal(b[k].get(), np.arange(100_000.0) + 1 - k)


def test_ranks_of_two_threads():
    """Streams of their own; memory that is dropped at once; a recorded call."""
    key = nccl.get_unique_id()

    def body(k):
        with cuda.Device(k):
            rank = nccl.NcclCommunicator(2, key, k)
            stream, out = cuda.Stream(non_blocking=True), cp.zeros(10_000)
            cuda.get_current_stream().synchronize()
            for turn in range(10):
                given = cp.full(10_000, float(turn + k))
                rank._call_arrays(nccl._ALL_REDUCE, given, out, 10_000, nccl.NCCL_SUM, 0, stream)
                del given
                cp.full(10_000, -1.0)
            stream.synchronize()
            assert (out.get() == 19).all()
            with stream:
                stream.begin_capture()
                rank._call_arrays(nccl._ALL_REDUCE, out, out, 10_000, nccl.NCCL_SUM, 0, stream)
                graph = stream.end_capture()
            for _ in range(2):
                graph.launch(stream)
            stream.synchronize()
            assert (out.get() == 76).all()
            del graph  # NCCL waits for the graphs that a communicator is in
            rank.destroy()

    in_threads(2, body)


PROGRAM = """
import os, sys, time
import numpy as np
import tenorite as cp
from tenorite.distributed import init_process_group
rank = int(sys.argv[1])
cp.cuda.Device(rank).use()
with init_process_group(2, rank, port=int(sys.argv[2])) as group:
    a = cp.arange(1_000_000, dtype="float32") + rank
    group.all_reduce(a, a)
    assert np.array_equal(a.get(), 2 * np.arange(1_000_000, dtype="float32") + 1)
    b = cp.zeros((2, 3))
    group.all_gather(cp.full(3, rank, dtype=float), b, 3)
    assert b.get().tolist() == [[0] * 3, [1] * 3]
    group.all_to_all(cp.arange(4).reshape(2, 2) + 10 * rank, c := cp.zeros((2, 2), dtype=int))
    assert c.get().tolist() == [[2 * rank, 2 * rank + 1], [2 * rank + 10, 2 * rank + 11]]
    out = cp.scipy.sparse.csr_matrix((1, 1))
    group.all_reduce(cp.scipy.sparse.csr_matrix(cp.eye(3)), out)
    assert np.array_equal(out.toarray().get(), 2 * np.eye(3))
    group.barrier()
    print("done")
"""


def test_two_processes():

    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(rank), str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    try:
        for process in running:
            out, errors = process.communicate(timeout=300)
            assert process.returncode == 0, errors
            assert out == "done\n"
    finally:
        for process in running:
            process.kill()
            process.wait()


def test_timeout_of_a_rank_that_does_not_call(gpu, monkeypatch):
    """The wait fails with the call's name, instead of lasting for ever."""
    monkeypatch.setenv("TENORITE_NCCL_TIMEOUT", "3")
    key, both = nccl.get_unique_id(), threading.Barrier(2)

    def body(k):
        with cuda.Device(k):
            rank = nccl.NcclCommunicator(2, key, k)
            a = cp.ones(1000)
            rank._call_arrays(nccl._ALL_REDUCE, a, a, 1000, nccl.NCCL_SUM)
            cuda.get_current_stream().synchronize()
            both.wait(60)
            if k == 0:
                rank._call_arrays(nccl._ALL_REDUCE, a, a, 1000, nccl.NCCL_SUM)
                with pytest.raises(NcclError, match="allReduce of 1000 float64 as rank 0 of 2: not done after 3 s"):
                    cuda.get_current_stream().synchronize()
            both.wait(60)
            rank.abort()

    in_threads(2, body)


def test_two_ranks_of_one_gpu(gpu):
    """NCCL refuses them."""
    with pytest.raises(NcclError):
        nccl.NcclCommunicator.initAll([0, 0])


# --- Copies, arrays ---


def enable_peer_access(number):
    """Copies may have enabled it before."""
    try:
        cuda.runtime.deviceEnablePeerAccess(number)
    except cuda.runtime.CUDARuntimeError as error:
        assert "AlreadyEnabled" in str(error)


@pytest.mark.parametrize("enabled", (False, True))
def test_peer_copies(enabled, device):
    """Copies are ordered with what writes the source and what reads the copy."""
    can = cuda.runtime.deviceCanAccessPeer
    if enabled and (device == "host" or not (can(0, 1) and can(1, 0))):
        pytest.skip("the devices do not reach each other's memory")
    if enabled:
        for k in range(2):
            with cuda.Device(k):
                enable_peer_access(1 - k)
    try:
        a = cp.zeros(3_000_001)
        for turn in range(5):
            a += 1
            b = a.to_device(1)
            with cuda.Device(1):
                b *= 2
            assert (b.to_device(0) == 2 * (turn + 1)).all()
    finally:
        for k in range(2 if enabled else 0):
            with cuda.Device(k):
                cuda.runtime.deviceDisablePeerAccess(1 - k)


def test_device_of_a_thread():
    """Device.use is of the thread alone, and with Device of its block."""

    def body(k):
        cuda.Device(k).use()
        assert cp.ones(3).device.id == k
        with cuda.Device(1 - k):
            assert cp.ones(3).device.id == 1 - k
        assert cuda.get_device_id() == k

    in_threads(2, body)
    assert cuda.get_device_id() == 0


def test_blocks_in_blocks():
    """Any number of them; what is left is as before; an end without a beginning is refused."""

    def body(k):
        devices = [cuda.Device((depth + k) % 2) for depth in range(100)]
        for device in devices:
            device.__enter__()
            assert cuda.get_device_id() == device.id
        for device in devices[::-1]:
            assert cuda.get_device_id() == device.id
            device.__exit__(None, None, None)
        assert cuda.get_device_id() == 0
        with pytest.raises(RuntimeError, match="__exit__ without __enter__"):
            cuda.Device(1).__exit__(None, None, None)

    in_threads(2, body)


def test_distributed_matrix():
    a = np.random.default_rng(0).random((512, 512))
    x = distributed_array(cp.asarray(a), make_2d_index_map([0, 256, 512], [0, 256, 512], [[{0}, {1}], [{1}, {0}]]))
    product = x @ x
    assert product.mode is SUM
    assert np.allclose(product.get(), a @ a)
    assert np.allclose((product * 2).sum(axis=0).get(), 2 * (a @ a).sum(axis=0))
    assert np.array_equal(x.reshard({0: slice(0, 100), 1: slice(100, 512)}).get(), a)


def turn_of(random):
    """Work that goes from one device to the other and back: nothing, or how it differs."""
    first, size = int(random.integers(2)), int(random.integers(1, 200_000))
    given = random.random(size)
    with cuda.Device(first):
        a = cp.asarray(given) * 2
    b = a.to_device(1 - first)
    with cuda.Device(1 - first):
        b += 1
        total = b.sum()
    c = b.to_device(first)
    with cuda.Device(first):
        c -= a
        assert np.array_equal(c.get(), (given * 2 + 1) - given * 2)
    assert np.isclose(float(total), (given * 2 + 1).sum())


def test_four_threads_on_both():
    """TENORITE_SOAK_SECONDS for each thread; memory is given back."""
    seconds = float(os.environ.get("TENORITE_SOAK_SECONDS", "1"))
    pools = on_each(lambda k: cp.get_default_memory_pool().used_bytes)

    def used():
        return on_each(lambda k: pools[k]())

    before = used()

    def body(k):
        random, end, turns = np.random.default_rng(k), time.monotonic() + seconds, 0
        while time.monotonic() < end:
            turn_of(random)
            turns += 1
        return turns

    assert min(in_threads(4, body)) > 0
    assert comes_true(lambda: used() == before)


FAULT = """
import os
import tenorite as cp
a = cp.arange(10.0)
with cp.cuda.Device(1):
    kernel = cp.RawKernel('extern "C" __global__ void k(double *x) { x[1ll << 40] = 1; }', "k")
    b = cp.ones(4)
    try:
        kernel((1,), (1,), (b,))
        cp.cuda.get_current_stream().synchronize()
        print("no error")
    except Exception as error:
        print(type(error).__name__)
try:
    print(float(a.sum()) == 45)
except Exception as error:  # CUDA refuses all of a process after a fault
    print(type(error).__name__)
os._exit(0)
"""


def test_a_fault_of_another_process(device):
    """Its own process hears of it, and on the host goes on with the other device; other processes
    have both devices."""
    arrays = on_each(lambda k: cp.arange(10.0) + k)
    done = subprocess.run([sys.executable, "-c", FAULT], capture_output=True, text=True, timeout=300)
    first, second = done.stdout.split()
    assert first.endswith("Error"), (done.stdout, done.stderr)
    assert second == ("True" if device == "host" else "CUDARuntimeError")
    for k in range(2):
        with cuda.Device(k):
            assert float((arrays[k] * 2).sum()) == 90 + 20 * k
    assert float(arrays[0].to_device(1).sum()) == 45
