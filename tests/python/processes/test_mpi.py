"""mpi4py with arrays of ours: all kinds of calls, on the host and on the driver's double."""

import shutil

import pytest
from programs import mpirun, needs_doubles, on_double

pytest.importorskip("mpi4py")
pytestmark = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun is installed")

HEAD = """
import numpy as np, tenorite as tn
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, size = world.rank, world.size
"""

CALLS = (
    HEAD
    + """
for dtype in "?bBhHiIqQfdFD":
    mine = (tn.arange(6) % 2 == rank % 2) if dtype == "?" else (tn.arange(6) + 10 * rank).astype(dtype)
    every = [(np.arange(6) % 2 == r % 2) if dtype == "?" else (np.arange(6) + 10 * r).astype(dtype) for r in range(size)]
    def same(array, expected):
        assert array.dtype == dtype and array.get().tolist() == np.asarray(expected, dtype).tolist(), (array, expected)
    made = tn.zeros_like(mine)
    world.Sendrecv(mine, dest=(rank + 1) % size, recvbuf=made, source=(rank - 1) % size)
    same(made, every[(rank - 1) % size])
    requests = [world.Isend(mine, (rank + 1) % size), world.Irecv(made, (rank - 1) % size)]
    MPI.Request.Waitall(requests)
    same(made, every[(rank - 1) % size])
    made = mine.copy()
    world.Bcast(made, root=1)
    same(made, every[1])
    whole = tn.empty((size, 6), dtype)
    world.Allgather(mine, whole)
    same(whole, every)
    world.Gather(mine, whole if rank == 0 else None)
    made = tn.zeros_like(mine)
    world.Scatter(whole if rank == 0 else None, made)
    same(made, every[rank])
    if dtype != "?":
        world.Allreduce(mine, made)
        same(made, sum(every))
        world.Allreduce(MPI.IN_PLACE, made)
        same(made, size * sum(every))
        world.Reduce(mine, made, op=MPI.PROD, root=0)
        if rank == 0:
            same(made, np.prod(every, axis=0, dtype=dtype))
        world.Scan(mine, made)
        same(made, sum(every[: rank + 1]))
    send, received = tn.stack([mine] * size), tn.empty((size, 6), dtype)
    world.Alltoall(send, received)
    same(received, every)
    counts = [r + 1 for r in range(size)]
    parts = tn.empty(sum(counts), dtype)
    world.Allgatherv(mine[: rank + 1], [parts, counts])
    same(parts, np.concatenate([every[r][: r + 1] for r in range(size)]))
print("equal")
"""
)

WINDOWS = (
    HEAD
    + """
made = tn.zeros((3, 4))
column = MPI.DOUBLE.Create_vector(3, 1, 4).Commit()
if rank == 0:
    world.Send([tn.arange(12.0).reshape(3, 4), 1, column], dest=1)
if rank == 1:
    world.Recv([made, 1, column], source=0)
    assert made.get().tolist() == [[0, 0, 0, 0], [4, 0, 0, 0], [8, 0, 0, 0]]
assert world.bcast(tn.arange(3) if rank == 0 else None).tolist() == [0, 1, 2]
assert world.allreduce(tn.full(2, rank)).tolist() == [sum(range(size))] * 2
assert world.allgather(tn.array(rank, "f4"))[-1].dtype == "f4"
for view in (tn.arange(12)[::2], tn.arange(12.0).reshape(3, 4)[:, 1], tn.arange(5)[::-1]):
    for call in (lambda: world.Send(view, rank), lambda: world.Irecv(view, rank), lambda: world.Bcast(view)):
        try:
            call()
        except Exception as error:
            assert isinstance(error, BufferError) and ("contiguous" in str(error) or "negative" in str(error)), error
        else:
            raise AssertionError("a view with gaps was taken")
print("equal")
"""
)

GPU = (
    HEAD
    + """
assert tn.cuda.Device().backend == "cuda"
mine, made = tn.asarray(np.arange(6.0) + rank), tn.asarray(np.zeros(6))
class Alone:  # without DLPack
    def __init__(self, array):
        self.__cuda_array_interface__ = array.__cuda_array_interface__
tn.cuda.get_current_stream().synchronize()  # MPI waits for no stream
for wrap in (lambda array: array, Alone):
    world.Sendrecv(wrap(mine), dest=(rank + 1) % size, recvbuf=wrap(made), source=(rank - 1) % size)
    assert made.get().tolist() == (np.arange(6.0) + (rank - 1) % size).tolist()
    world.Allreduce(wrap(mine), wrap(made))
    assert made.get().tolist() == sum(np.arange(6.0) + r for r in range(size)).tolist()
try:
    world.Send(mine[::2], rank)
except BufferError as error:
    assert "contiguous" in str(error)
else:
    raise AssertionError
print("equal")
"""
)


KNOWS_NO_CUDA = "an MPI that knows no CUDA reads device memory as the host's"


@pytest.mark.host_only(KNOWS_NO_CUDA)
def test_calls():
    assert mpirun(4, "-c", CALLS).count("equal") == 4  # lines may meet


@pytest.mark.host_only(KNOWS_NO_CUDA)
def test_types_objects_and_views():
    assert mpirun(2, "-c", WINDOWS).count("equal") == 2


@needs_doubles
def test_on_a_gpu(tmp_path):
    """Addresses of a GPU's memory: the double's is the host's, as MPI that knows GPUs takes it."""
    assert mpirun(2, "-c", GPU, variables=on_double(tmp_path)).count("equal") == 2
