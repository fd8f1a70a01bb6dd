"""The group of processes of tenorite.distributed: dense and sparse calls, the store."""

import socket
import threading
import time

import numpy as np
import pytest
import tenorite as cp
from ranks import needs_ranks, rank_device, run_ranks
from tenorite.distributed import NCCLBackend, init_process_group
from tenorite.distributed._key_value_store import StoreClient, StoreServer
from tenorite.scipy import sparse
from together import in_threads

COUNT = 3


@pytest.fixture(autouse=True)
def short_waits(monkeypatch):
    monkeypatch.setenv("TENORITE_DISTRIBUTED_TIMEOUT", "100")


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def in_group(function, count=COUNT):
    """function(group) in a thread for each rank."""
    needs_ranks(count)
    port = free_port()

    def run(rank):
        with rank_device(rank), init_process_group(count, rank, port=port) as group:
            result = function(group)
            group.barrier()
            return result

    return in_threads(count, run)


def test_dense():
    def body(group):
        rank = group.rank
        a, b = cp.arange(6.0) + rank, cp.zeros(6)
        group.all_reduce(a, b)
        assert np.array_equal(b.get(), 3 * np.arange(6.0) + 3)
        group.all_reduce(a, b, "max")
        assert np.array_equal(b.get(), np.arange(6.0) + 2)
        group.reduce(a, b if rank == 1 else None, root=1, op="min")
        assert rank != 1 or np.array_equal(b.get(), np.arange(6.0))
        c = cp.full((2, 3), rank, dtype="int32", order="F")
        group.broadcast(c, root=2)
        assert (c.get() == 2).all()
        part = cp.zeros(2)
        group.reduce_scatter(a, part, 2)
        assert np.array_equal(part.get(), (3 * np.arange(6.0) + 3)[2 * rank : 2 * rank + 2])
        whole = cp.zeros((3, 6))
        group.all_gather(a, whole, 6)
        assert np.array_equal(whole.get(), np.arange(6.0) + np.arange(3)[:, None])
        group.scatter(whole, b, root=1)
        assert np.array_equal(b.get(), np.arange(6.0) + rank)
        whole[...] = 0
        group.gather(b, whole, root=2)
        assert whole.get().any() == (rank == 2)
        group.all_to_all(cp.arange(9).reshape(3, 3) + 100 * rank, moved := cp.zeros((3, 3), dtype=int))
        assert np.array_equal(moved.get(), 3 * rank + np.arange(3) + 100 * np.arange(3)[:, None])

    in_group(body)


def test_messages():
    def body(group):
        rank = group.rank
        a, b = cp.arange(5) + rank, cp.zeros(5, dtype=int)
        if rank == 0:
            group.send(a, 1)
            group.recv(b, 1)
        else:
            group.recv(b, 0)
            group.send(a, 0)
        assert b.get().tolist() == list(range(1 - rank, 6 - rank))
        group.send_recv(a, b, 1 - rank)
        assert b.get().tolist() == list(range(1 - rank, 6 - rank))

    in_group(body, 2)


@pytest.mark.parametrize("dtype", ("complex64", "complex128", "int16", "bool"))
def test_dtypes_that_nccl_has_not(dtype):
    """Complex numbers are summed as pairs; whatever is only moved may have any dtype."""

    def body(group):
        a = (cp.arange(4) * (1 + group.rank)).astype(dtype)
        moved = cp.zeros(4, dtype=dtype)
        group.send_recv(a, moved, 1 - group.rank)
        assert np.array_equal(moved.get(), (np.arange(4) * (2 - group.rank)).astype(dtype))
        if dtype.startswith("complex"):
            group.all_reduce(a, a)
            assert np.array_equal(a.get(), 3 * np.arange(4))
            with pytest.raises(ValueError, match="Only sum and avg"):
                group.all_reduce(a, a, "prod")
        else:
            with pytest.raises(cp.cuda.nccl.NcclError, match=f"datatype {dtype} is none of NCCL's"):
                group.all_reduce(a, a)

    in_group(body, 2)


def dense_of(rank, dtype="float32"):
    return np.random.default_rng(rank).integers(-2, 3, (4, 5)).astype(dtype)


@pytest.mark.parametrize("format", ("csr", "csc", "coo"))
def test_sparse(format):
    kind = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "coo": sparse.coo_matrix}[format]
    given = [dense_of(k) for k in range(COUNT)]

    def body(group):
        rank = group.rank

        def own(k=rank):
            return kind(cp.asarray(given[k]))

        def empty():
            return kind((1, 1), dtype="float32")

        def equal(matrix, dense):
            assert matrix.format == format
            assert np.array_equal(matrix.toarray().get(), dense)

        out = empty()
        group.all_reduce(own(), out)
        equal(out, sum(given))
        group.reduce(own(), out := empty(), root=1, op="prod")
        if rank == 1:
            equal(out, given[0] * given[1] * given[2])
        group.broadcast(out := own(), root=2)
        equal(out, given[2])
        group.all_gather(own(), outs := [empty() for _ in range(COUNT)], 0)
        for matrix, dense in zip(outs, given, strict=True):
            equal(matrix, dense)
        group.reduce_scatter([own() for _ in range(COUNT)], out := empty(), 0)
        equal(out, sum(given))
        group.scatter([own(k) for k in range(COUNT)], out := empty(), root=0)
        equal(out, given[rank])
        outs = [empty() for _ in range(COUNT)]
        group.gather(own(), outs, root=1)
        if rank == 1:
            for matrix, dense in zip(outs, given, strict=True):
                equal(matrix, dense)
        group.all_to_all([own() for _ in range(COUNT)], outs)
        for matrix, dense in zip(outs, given, strict=True):
            equal(matrix, dense)
        if rank < 2:
            group.send_recv(own(), out := empty(), 1 - rank)
            equal(out, given[1 - rank])

    in_group(body)


def test_refusals():
    with pytest.raises(ValueError, match="Invalid number of devices 0"):
        init_process_group(0, 0)
    with pytest.raises(ValueError, match="Invalid number of rank 3 2"):
        init_process_group(2, 3)
    with pytest.raises(ValueError, match="mpi is not supported"):
        init_process_group(1, 0, backend="mpi")
    with NCCLBackend(1, 0, port=0) as group:
        a = cp.zeros((2, 2))
        with pytest.raises(RuntimeError, match="Unknown op median"):
            group.all_reduce(a, a, "median")
        with pytest.raises(TypeError, match="must be a tenorite.ndarray"):
            group.all_reduce([1], a)
        with pytest.raises(ValueError, match="root 1 of 1 ranks, called by rank 0"):
            group.broadcast(a, root=1)
        with pytest.raises(RuntimeError, match=r"in_array has shape \(2, 2\)"):
            group.scatter(a, a)
        with pytest.raises(ValueError, match="sparse matrices have sum and prod, not max"):
            group.all_reduce(sparse.csr_matrix((2, 2)), sparse.csr_matrix((2, 2)), "max")
        with pytest.raises(TypeError, match="of format coo, csr, csc, not dia"):
            group.send(sparse.dia_matrix((2, 2)), 0)


# --- The store ---


def test_port_in_use():
    server = StoreServer(2, "127.0.0.1", 0)
    with pytest.raises(OSError, match=f"port {server.port} of 127.0.0.1 is in use"):
        init_process_group(2, 0, port=server.port)
    server.stop()


def test_late_and_wrong_ranks():
    server = StoreServer(2, "127.0.0.1", 0)
    first = StoreClient(0, 2, "127.0.0.1", server.port)
    with pytest.raises(RuntimeError, match="rank 1 says that there are 3 ranks, rank 0 that there are 2"):
        StoreClient(1, 3, "127.0.0.1", server.port)
    with pytest.raises(RuntimeError, match="rank 0 has come already"):
        StoreClient(0, 2, "127.0.0.1", server.port)
    late = threading.Timer(0.3, lambda: StoreClient(1, 2, "127.0.0.1", server.port).put("word", 5))
    late.start()
    assert first.get("word") == 5
    late.join()
    first.close()
    server.stop()


def test_nobody_there(monkeypatch):
    monkeypatch.setenv("TENORITE_DISTRIBUTED_TIMEOUT", "0.3")
    with pytest.raises(TimeoutError, match=r"rank 1: no store at 127.0.0.1:\d+ within 0.3 s .*rank 0 holds it"):
        init_process_group(2, 1, port=free_port())
    with pytest.raises(TimeoutError, match="rank 0 waits for x: not all ranks came within 0.3 s"):
        server = StoreServer(2, "127.0.0.1", 0)
        try:
            StoreClient(0, 2, "127.0.0.1", server.port).get("x")
        finally:
            server.stop()


def test_something_else_answers():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()

        def answer():
            connection, _ = other.accept()
            with connection:
                connection.recv(100)
                connection.sendall(b"HTTP/1.1 400 Bad Request\n")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(RuntimeError, match="is no store of ours"):
            init_process_group(2, 1, port=other.getsockname()[1])
        thread.join()


def test_barrier_of_a_rank_that_ends():
    server = StoreServer(2, "127.0.0.1", 0)
    first, second = (StoreClient(rank, 2, "127.0.0.1", server.port) for rank in (0, 1))
    second._lines.close()
    second._socket.close()  # as the end of its process
    with pytest.raises(RuntimeError, match="rank 0 waits at a barrier: rank 1 of 2 has died"):
        first.barrier()
    server.stop()


def test_a_store_that_stops_answers_first():
    class Slow(StoreServer):
        def _barrier(self, rank, seconds):
            super()._barrier(rank, seconds)
            if rank == 1:
                time.sleep(0.3)

    server = Slow(2, "127.0.0.1", 0)
    first, second = (StoreClient(rank, 2, "127.0.0.1", server.port) for rank in (0, 1))
    other = threading.Thread(target=second.barrier)
    other.start()
    first.barrier()
    server.stop()
    assert server._answering == 0
    other.join()


def test_a_store_stops_without_what_is_not_there():
    server = StoreServer(2, "127.0.0.1", 0)
    first, second = (StoreClient(rank, 2, "127.0.0.1", server.port) for rank in (0, 1))
    waiting = threading.Thread(target=second.get, args=("a word",))
    waiting.start()
    while not server._waiting:
        time.sleep(0.001)
    server.stop()
    assert server._answering == 1
    first.put("a word", 1)
    waiting.join()


def test_processes():
    program = """
from tenorite.distributed import init_process_group
time.sleep(0.3 * (COUNT - RANK))
group = init_process_group(COUNT, RANK)
a = cp.arange(3.0) + RANK
group.all_reduce(a, a)
group.barrier()
print(a)
group.stop()
"""
    found = run_ranks(2, program, CUPYX_DISTRIBUTED_PORT=str(free_port()))
    assert found == ["[1. 3. 5.]\n"] * 2


def test_mpi():
    pytest.importorskip("mpi4py")
    with init_process_group(1, 0, use_mpi=True) as group:
        a = cp.ones(3)
        group.all_reduce(a, a)
        group.barrier()
        assert a.get().tolist() == [1, 1, 1]
    with pytest.raises(RuntimeError, match="rank 1 of 2 is rank 0 of 1 to MPI"):
        init_process_group(2, 1, use_mpi=True)
