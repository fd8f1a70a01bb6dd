"""Collectives by addresses, against NumPy: ranks are threads of the test, on devices of the host or
on as many GPUs."""

import gc
import threading

import numpy as np
import pytest
import tenorite as cp
from ranks import in_ranks, needs_ranks, rank_device, shared_memory
from tenorite import cuda
from tenorite.cuda import nccl
from tenorite.exceptions import NcclError
from together import in_threads

DTYPES = {
    "int8": nccl.NCCL_INT8,
    "uint8": nccl.NCCL_UINT8,
    "int32": nccl.NCCL_INT32,
    "uint32": nccl.NCCL_UINT32,
    "int64": nccl.NCCL_INT64,
    "uint64": nccl.NCCL_UINT64,
    "float16": nccl.NCCL_FLOAT16,
    "float32": nccl.NCCL_FLOAT32,
    "float64": nccl.NCCL_FLOAT64,
    "bfloat16": nccl.NCCL_BFLOAT16,
}
OPERATIONS = {
    nccl.NCCL_SUM: lambda parts: sum(parts[1:], parts[0]),
    nccl.NCCL_PROD: lambda parts: np.prod(np.stack(parts), axis=0),
    nccl.NCCL_MAX: lambda parts: np.max(np.stack(parts), axis=0),
    nccl.NCCL_MIN: lambda parts: np.min(np.stack(parts), axis=0),
}
# The second is more than two pieces of the shared memory, and no multiple of anything.
COUNTS = (1, 5, 1000, 300_007)
RANKS = (1, 2, 3)


def values(rank, count, dtype, seed=0):
    """Small numbers, whose sums and products of a few ranks are exact in each dtype."""
    numbers = np.random.default_rng(100 * seed + rank).integers(1, 4, count)
    return numbers.astype(np.float32) if dtype == "bfloat16" else numbers.astype(dtype)


def on_device(array, dtype):
    return cp.asarray(array).astype(dtype)


def on_host(array):
    return (array.astype("float32") if array.dtype.name == "bfloat16" else array).get()


def stream_pointer():
    return cuda.get_current_stream().ptr


@pytest.fixture(autouse=True)
def nothing_is_shared():
    """Each test gives back the memory of its groups."""
    yield
    gc.collect()
    assert shared_memory() == 0


@pytest.mark.parametrize("count", RANKS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_all_reduce(dtype, count):
    """All operations; the sum is in place, too, and from and to odd places."""

    def body(rank):
        for size in COUNTS[:3] if dtype != "float32" else COUNTS:
            given = [values(k, size, dtype) for k in range(count)]
            for operation, oracle in OPERATIONS.items():
                room = cp.zeros(2 * size + 2, dtype=dtype)
                room[1 : size + 1] = on_device(given[rank.rank_id()], dtype)
                item = room.itemsize
                source, target = room.data.ptr + item, room.data.ptr + (size + 1) * item
                rank.allReduce(source, target, size, DTYPES[dtype], operation, stream_pointer())
                rank.allReduce(source, source, size, DTYPES[dtype], operation, stream_pointer())
                expected = oracle(given)
                found = on_host(room)
                assert np.array_equal(found[1 : size + 1], expected), (operation, size)
                assert np.array_equal(found[size + 1 : -1], expected), (operation, size)
                assert found[0] == found[-1] == 0

    in_ranks(count, body)


@pytest.mark.parametrize("dtype", DTYPES)
def test_mean(dtype):
    """Of integers towards zero."""

    def body(rank):
        a = on_device(np.array([7, 1, 100]) + rank.rank_id(), dtype)
        if dtype.startswith(("int", "float", "bfloat")):
            a = -a
        rank.allReduce(a.data.ptr, a.data.ptr, 3, DTYPES[dtype], nccl.NCCL_AVG, stream_pointer())
        return on_host(a)

    expected = np.array([7.5, 1.5, 100.5])
    if dtype.startswith(("int", "uint")):
        expected = np.trunc(expected)
    if dtype == "int8":
        expected[2] = -np.trunc(np.int8(np.int64(-201) + 256) / 2)  # the sum wraps round
    if dtype == "bfloat16":
        expected[2] = 100.5
    sign = -1 if not dtype.startswith("uint") else 1
    for found in in_ranks(2, body):
        assert np.allclose(found.astype(float), sign * expected, rtol=1e-2), found


@pytest.mark.parametrize("count", RANKS)
@pytest.mark.parametrize("dtype", ("int8", "float16", "float64"))
def test_roots(dtype, count):
    """Broadcasts and reductions with each rank as the root."""

    def body(rank):
        own = rank.rank_id()
        for size in COUNTS[1:]:
            given = [values(k, size, dtype) for k in range(count)]
            for root in range(count):
                a, b = on_device(given[own], dtype), cp.zeros(size, dtype=dtype)
                rank.reduce(a.data.ptr, b.data.ptr, size, DTYPES[dtype], nccl.NCCL_SUM, root, stream_pointer())
                expected = sum(given[1:], given[0]) if own == root else np.zeros(size, dtype)
                assert np.array_equal(on_host(b), expected)
                rank.broadcast(a.data.ptr, b.data.ptr, size, DTYPES[dtype], root, stream_pointer())
                assert np.array_equal(on_host(b), given[root])
                rank.bcast(a.data.ptr, size, DTYPES[dtype], root, stream_pointer())
                assert np.array_equal(on_host(a), given[root])

    in_ranks(count, body)


@pytest.mark.parametrize("count", RANKS)
@pytest.mark.parametrize("dtype", ("uint8", "int64", "float32"))
def test_parts(dtype, count):
    """What each rank has a part of: all_gather and reduce_scatter, also in place."""

    def body(rank):
        own = rank.rank_id()
        for size in COUNTS:
            given = [values(k, size * count, dtype) for k in range(count)]
            part = slice(own * size, (own + 1) * size)
            a, b = on_device(given[own], dtype), cp.zeros(size, dtype=dtype)
            rank.reduceScatter(a.data.ptr, b.data.ptr, size, DTYPES[dtype], nccl.NCCL_SUM, stream_pointer())
            expected = sum(given[1:], given[0])
            assert np.array_equal(on_host(b), expected[part])
            place = a.data.ptr + own * size * a.itemsize
            rank.reduceScatter(a.data.ptr, place, size, DTYPES[dtype], nccl.NCCL_SUM, stream_pointer())
            assert np.array_equal(on_host(a)[part], expected[part])
            whole = cp.zeros(size * count, dtype=dtype)
            rank.allGather(b.data.ptr, whole.data.ptr, size, DTYPES[dtype], stream_pointer())
            assert np.array_equal(on_host(whole), expected)
            rank.allGather(place, a.data.ptr, size, DTYPES[dtype], stream_pointer())
            assert np.array_equal(on_host(a), expected)

    in_ranks(count, body)


@pytest.mark.parametrize("size", (0, 1, 70_001))
def test_messages_around_a_ring(size):
    """Each rank sends to the next, in a group; a rank may send to itself."""

    def body(rank):
        own, count = rank.rank_id(), rank.size()
        a, b = on_device(values(own, size, "float32"), "float32"), cp.zeros(size, dtype="float32")
        for distance in (1, 2, 3):
            nccl.groupStart()
            rank.send(a.data.ptr, size, nccl.NCCL_FLOAT32, (own + distance) % count, stream_pointer())
            rank.recv(b.data.ptr, size, nccl.NCCL_FLOAT32, (own - distance) % count, stream_pointer())
            nccl.groupEnd()
            assert np.array_equal(b.get(), values((own - distance) % count, size, "float32"))

    in_ranks(3, body)


def test_order_of_messages():
    """Several messages of one pair arrive in their order, in a group and without."""

    def body(rank):
        a = cp.arange(6, dtype="int32")
        if rank.rank_id() == 0:
            nccl.groupStart()
            for k in range(6):
                rank.send(a.data.ptr + 4 * k, 1, nccl.NCCL_INT32, 1, stream_pointer())
            nccl.groupEnd()
            return
        b = cp.zeros(6, dtype="int32")
        for k in range(6):
            rank.recv(b.data.ptr + 4 * k, 1, nccl.NCCL_INT32, 0, stream_pointer())
        assert b.get().tolist() == list(range(6))

    in_ranks(2, body)


# --- Ranks of one thread, groups of ranks ---


def test_devices_of_one_thread():
    """initAll, and calls of all ranks in one group."""
    count = cuda.runtime.getDeviceCount()
    ranks = nccl.NcclCommunicator.initAll(count)
    arrays = []
    for k in range(count):
        with cuda.Device(k):
            arrays.append(cp.arange(5.0) + k)
    nccl.groupStart()
    for rank, a in zip(ranks, arrays, strict=True):
        rank.allReduce(a.data.ptr, a.data.ptr, 5, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, 0)
    nccl.groupEnd()
    expected = np.arange(5.0) * count + count * (count - 1) / 2
    for k, (rank, a) in enumerate(zip(ranks, arrays, strict=True)):
        assert (rank.rank_id(), rank.device_id(), rank.size()) == (k, k, count)
        assert np.array_equal(a.get(), expected)
        rank.destroy()


def test_join_in_a_group():
    """The ranks of one thread join between groupStart and groupEnd."""
    count = cuda.runtime.getDeviceCount()
    key = nccl.get_unique_id()
    nccl.groupStart()
    ranks = []
    for k in range(count):
        with cuda.Device(k):
            ranks.append(nccl.NcclCommunicator(count, key, k))
    nccl.groupEnd()
    assert [rank.rank_id() for rank in ranks] == list(range(count))
    for rank in ranks:
        rank.check_async_error()


def test_two_groups_interleaved():
    """Calls of two groups of the same ranks, in one order and in the other."""
    needs_ranks(2)
    keys = nccl.get_unique_id(), nccl.get_unique_id()

    def body(k):
        with rank_device(k):
            first, second = (nccl.NcclCommunicator(2, key, k) for key in keys)
            a, b = cp.full(1000, 1 + k, dtype="int32"), cp.full(1000, 10 + k, dtype="int32")
            for turn in range(20):
                nccl.groupStart()
                for rank, array in ((first, a), (second, b)) if (turn + k) % 2 else ((second, b), (first, a)):
                    rank.allReduce(array.data.ptr, array.data.ptr, 1000, nccl.NCCL_INT, nccl.NCCL_MAX, stream_pointer())
                nccl.groupEnd()
            assert (int(a.min()), int(b.min())) == (2, 11)

    in_threads(2, body)


@pytest.mark.parametrize("grouped", (False, True))
def test_split(grouped):
    """Colors and keys: the last two ranks in reverse order, the first one alone, one of none."""

    def body(rank):
        own = rank.rank_id()
        if grouped:
            nccl.groupStart()
        made = rank.commSplit((0, 1, 1, -1)[own], key=-own)
        if grouped:
            nccl.groupEnd()
        if own == 3:
            assert made is None
            return
        assert (made.size(), made.rank_id()) == ((1, 0), (2, 1), (2, 0))[own]
        a = cp.full(3, own, dtype="int64")
        made.allReduce(a.data.ptr, a.data.ptr, 3, nccl.NCCL_INT64, nccl.NCCL_SUM, stream_pointer())
        assert a.get().tolist() == [(0, 3, 3)[own]] * 3

    in_ranks(4, body)


# --- Streams, memory, graphs ---


def test_streams_of_their_own():
    """Calls are queued, and done in the order of the program on whatever streams."""

    def body(rank):
        streams = [cuda.Stream(non_blocking=True) for _ in range(3)]
        a = cp.zeros(1000)
        cuda.get_current_stream().synchronize()
        for turn in range(30):
            with streams[turn % 3] as stream:
                before = streams[(turn - 1) % 3].record()
                stream.wait_event(before)
                a += 1
                rank._call_arrays(nccl._ALL_REDUCE, a, a, 1000, nccl.NCCL_MAX, 0, stream)
        for stream in streams:
            stream.synchronize()
        assert (a.get() == 30).all()

    in_ranks(2, body)


def test_memory_is_not_used_again_before_the_call():
    """An array that the program drops lives on until the call on another stream is done."""

    def body(rank):
        stream = cuda.Stream(non_blocking=True)
        out = cp.zeros(10_000)
        for turn in range(20):
            given = cp.full(10_000, turn)
            rank._call_arrays(nccl._ALL_REDUCE, given.astype(float), out, 10_000, nccl.NCCL_SUM, 0, stream)
            del given
            cp.full(10_000, -1.0)  # might take the memory
        stream.synchronize()
        assert (out.get() == 38).all()

    in_ranks(2, body)


def test_capture():
    """Recorded calls are done each time that the graph is launched."""

    def body(rank):
        stream = cuda.Stream(non_blocking=True)
        a = cp.ones(100)
        cuda.get_current_stream().synchronize()
        with stream:
            # The first call of a communicator may make memory.
            rank._call_arrays(nccl._ALL_REDUCE, a, a, 100, nccl.NCCL_SUM, 0, stream)
            stream.synchronize()
            stream.begin_capture()
            rank._call_arrays(nccl._ALL_REDUCE, a, a, 100, nccl.NCCL_SUM, 0, stream)
            a += 1
            graph = stream.end_capture()
        for _ in range(3):
            graph.launch(stream)
        stream.synchronize()
        assert (a.get() == 23).all()  # 2, then 2 x + 1 three times

    in_ranks(2, body)


# --- Refusals ---


def one_rank():
    return nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)


def test_names():
    assert nccl.available
    assert nccl.get_version() == nccl.get_build_version() >= 21800
    assert type(nccl.get_unique_id()) is bytes and len(nccl.get_unique_id()) == nccl.NCCL_UNIQUE_ID_BYTES
    assert nccl.get_unique_id() != nccl.get_unique_id()
    nccl.check_status(0)
    with pytest.raises(NcclError, match="NCCL_ERROR_INVALID_USAGE: invalid usage") as caught:
        nccl.check_status(5)
    assert caught.value.status == 5
    error = type(caught.value)(*caught.value.__reduce__()[1])
    assert error.status == 5 and str(error) == str(caught.value)


@pytest.mark.host_only("NCCL's ids are its own affair")
def test_ids_that_none_uses():
    """They do not add up: the oldest are of no use any more."""
    first, last = nccl.get_unique_id(), None
    for _ in range(70):
        last = nccl.get_unique_id()
    assert nccl.NcclCommunicator(1, last, 0).size() == 1
    with pytest.raises(NcclError, match="unique id"):
        nccl.NcclCommunicator(1, first, 0)


def test_config():
    rank = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0, nccl.NcclConfig(blocking=1, split_share=0))
    assert rank.size() == 1
    assert [nccl.NcclConfig().split_share, nccl.NcclConfig(1).split_share] == [0, 1]


def test_unique_ids():
    """Bytes, or the numbers that CuPy's were before."""
    numbers = tuple(byte - 256 if byte > 127 else byte for byte in nccl.get_unique_id())
    assert nccl.NcclCommunicator(1, numbers, 0).size() == 1
    for wrong, error in ((None, TypeError), ((1, 2, 3), TypeError), (b"1234567890", ValueError)):
        with pytest.raises(error, match="commId"):
            nccl.NcclCommunicator(1, wrong, 0)


def test_after_the_end():
    rank = one_rank()
    assert rank.comm != 0
    rank.destroy()
    rank.destroy()
    assert rank.comm == 0
    a = cp.ones(3)
    for call in (rank.size, rank.check_async_error, lambda: rank.bcast(a.data.ptr, 3, 8, 0, 0)):
        with pytest.raises(NcclError, match="destroyed or aborted") as caught:
            call()
        assert caught.value.status == 4


def test_wrong_arguments():
    rank, a = one_rank(), cp.ones(3)
    at = a.data.ptr
    for call, words in (
        (lambda: rank.allReduce(at, at, 3, 99, 0, 0), "allReduce: datatype"),
        (lambda: rank.allReduce(at, at, 3, nccl.NCCL_DOUBLE, 9, 0), "allReduce: op 9"),
        (lambda: rank.allReduce(at, at, -1, nccl.NCCL_DOUBLE, 0, 0), "allReduce: count is -1"),
        (lambda: rank.broadcast(at, at, 3, nccl.NCCL_DOUBLE, 1, 0), "broadcast: root 1 of 1 ranks"),
        (lambda: rank.send(at, 3, nccl.NCCL_DOUBLE, -1, 0), "send: peer -1 of 1 ranks"),
        (lambda: nccl.NcclCommunicator(2, nccl.get_unique_id(), 2), "rank 2 of 2 ranks"),
        (lambda: nccl.NcclCommunicator.initAll([0, 0]), "NCCL_ERROR_INVALID_USAGE"),
        (nccl.groupEnd, "NCCL_ERROR_INVALID_USAGE"),
    ):
        with pytest.raises(NcclError, match=words):
            call()
    for wrong, kind, words in (
        ((1, 2), TypeError, "commId must be bytes, not tuple"),
        (b"12", ValueError, "commId length 2 != 128"),
    ):
        with pytest.raises(kind, match=words):
            nccl.NcclCommunicator(1, wrong, 0)


def test_wrong_arrays():
    rank = one_rank()
    a = cp.zeros((4, 6))
    for send, receive, words, kind in (
        (a[:, ::2], a, "side by side", RuntimeError),
        (a, a.astype("float32"), "of float64, and one of float32", TypeError),
        (a, a[:1], "an array of 6 elements", NcclError),
    ):
        with pytest.raises(kind, match=words):
            rank._call_arrays(nccl._ALL_REDUCE, send, receive, send.size)


@pytest.mark.host_only("NCCL waits for ever, or has words of its own")
def test_calls_that_do_not_fit():
    """Ranks that call otherwise get an error that names both calls, and the group is broken."""

    def body(rank):
        a = cp.ones(10)
        count = 10 - rank.rank_id()
        with pytest.raises(NcclError, match="allReduce of|has left") as caught:
            rank.allReduce(a.data.ptr, a.data.ptr, count, nccl.NCCL_DOUBLE, 0, 0)
        with pytest.raises(NcclError):
            rank.check_async_error()
        return str(caught.value)

    assert any("calls allReduce of" in text for text in in_ranks(2, body))


@pytest.mark.host_only("NCCL has words of its own")
def test_messages_that_do_not_fit():
    def body(rank):
        a = cp.ones(10)
        if rank.rank_id() == 0:
            return rank.send(a.data.ptr, 10, nccl.NCCL_DOUBLE, 1, 0)
        with pytest.raises(NcclError, match="recv of 9 float64 from rank 0 as rank 1 of 2: rank 0 sends 10 float64"):
            rank.recv(a.data.ptr, 9, nccl.NCCL_DOUBLE, 0, 0)

    in_ranks(2, body)


@pytest.mark.host_only("NCCL waits for ever")
def test_timeout(monkeypatch):
    """A rank that does not call is named, with the call that waits for it."""
    monkeypatch.setenv("TENORITE_NCCL_TIMEOUT", "0.3")

    both = threading.Barrier(2)

    def body(rank):
        if rank.rank_id() == 0:
            a = cp.ones(10)
            with pytest.raises(NcclError, match="allReduce of 10 float64 as rank 0 of 2: rank 1 did not come"):
                rank.allReduce(a.data.ptr, a.data.ptr, 10, nccl.NCCL_DOUBLE, 0, 0)
        both.wait(60)

    in_ranks(2, body)
    with pytest.raises(NcclError, match="not all of 2 ranks came within 0.3 s .*; missing: 1"):
        nccl.NcclCommunicator(2, nccl.get_unique_id(), 0)


@pytest.mark.host_only("of NCCL the kernels end, which the test would not see")
def test_abort():
    """What waits for a rank that aborts fails, on a stream when it is synchronized."""

    def body(rank):
        if rank.rank_id() == 1:
            rank.abort()
            return
        stream = cuda.Stream(non_blocking=True)
        a = cp.ones(10)
        with pytest.raises(NcclError, match=r"rank 1 \(process \d+\) has (aborted|left)"):
            rank.allReduce(a.data.ptr, a.data.ptr, 10, nccl.NCCL_DOUBLE, 0, stream.ptr)
            stream.synchronize()

    in_ranks(2, body)
