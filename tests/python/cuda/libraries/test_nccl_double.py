"""The CUDA path of communicators on the double of NCCL, whose ranks are those of one process."""

from programs import DOUBLES, needs_doubles, on_double, output_of

pytestmark = needs_doubles

LIBRARY = DOUBLES / "libfake_nccl.so"
BEGIN = """
import ctypes
import numpy as np
import tenorite as cp
from tenorite import cuda
from tenorite.cuda import nccl
from tenorite.exceptions import NcclError
double = ctypes.CDLL("{LIBRARY}")
ranks = nccl.NcclCommunicator.initAll(2)
def spread(host):
    made = []
    for k in range(2):
        with cuda.Device(k):
            made.append(cp.asarray(host + k))
    return made
a = spread(np.arange(6, dtype="float32"))
b = spread(np.zeros(12, "float32"))
F = nccl.NCCL_FLOAT
def both(call):
    nccl.groupStart()
    for k in range(2):
        call(ranks[k], k, a[k].data.ptr, b[k].data.ptr)
    nccl.groupEnd()
""".replace("{LIBRARY}", str(LIBRARY))


def run(tmp_path, program, **variables):
    return output_of(BEGIN + program, on_double(tmp_path, TENORITE_NCCL_PATH=str(LIBRARY), **variables))


def test_calls(tmp_path):
    """Each call reaches NCCL with its own arguments."""
    program = """
assert nccl.available and nccl.get_version() == 22703
both(lambda rank, k, x, y: rank.allReduce(x, y, 6, F, nccl.NCCL_SUM, 0))
assert b[0].get()[:6].tolist() == b[1].get()[:6].tolist() == [1, 3, 5, 7, 9, 11]
both(lambda rank, k, x, y: rank.reduce(x, y, 6, F, nccl.NCCL_MAX, 1, 0))
assert b[0].get()[0] == 1 and b[1].get()[:6].tolist() == [1, 2, 3, 4, 5, 6]
both(lambda rank, k, x, y: rank.broadcast(x, y, 6, F, 1, 0))
assert b[0].get()[:6].tolist() == [1, 2, 3, 4, 5, 6]
both(lambda rank, k, x, y: rank.reduceScatter(x, y, 3, F, nccl.NCCL_SUM, 0))
assert b[1].get()[:3].tolist() == [7, 9, 11]
both(lambda rank, k, x, y: rank.allGather(x, y, 6, F, 0))
assert b[0].get().tolist() == [0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6]
nccl.groupStart()
for k in range(2):
    ranks[k].send(a[k].data.ptr, 6, F, 1 - k, 0)
    ranks[k].recv(b[k].data.ptr, 6, F, 1 - k, 0)
nccl.groupEnd()
assert b[0].get()[:6].tolist() == [1, 2, 3, 4, 5, 6] and b[1].get()[:6].tolist() == [0, 1, 2, 3, 4, 5]
both(lambda rank, k, x, y: rank.bcast(x, 6, F, 0, 0))
assert a[1].get().tolist() == [0, 1, 2, 3, 4, 5]
assert double.fake_nccl_calls() == 16
print([(rank.rank_id(), rank.size(), rank.device_id()) for rank in ranks])
"""
    assert run(tmp_path, program) == "[(0, 2, 0), (1, 2, 1)]\n"


def test_life(tmp_path):
    """Keys, options, splits, graphs of one rank; all communicators are given back."""
    program = """
one = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0, nccl.NcclConfig(blocking=1))
part = nccl.NcclCommunicator.commSplit(one, 0, 0)
assert nccl.NcclCommunicator.commSplit(one, -1, 0) is None
assert part.size() == 1 and part.rank_id() == 0
stream, c, d = cuda.Stream(non_blocking=True), cp.asarray(np.arange(3.0)), cp.asarray(np.zeros(3))
cuda.Device().synchronize()
with stream:
    stream.begin_capture()
    one._call_arrays(nccl._ALL_REDUCE, c, d, 3, nccl.NCCL_SUM, 0, stream)
    graph = stream.end_capture()
assert d.get().tolist() == [0, 0, 0]
graph.launch(stream)
stream.synchronize()
assert d.get().tolist() == [0, 1, 2]
assert double.fake_nccl_living() == 4
one.destroy()
part.abort()
del ranks
print(double.fake_nccl_living())
"""
    assert run(tmp_path, program) == "0\n"


def test_failures(tmp_path):
    """Numbers of NCCL's become NcclError; a failure that shows while the program waits aborts."""
    program = """
for call in (lambda: nccl.NcclCommunicator.initAll([0, 0]), nccl.groupEnd):
    try:
        call()
    except NcclError as error:
        print(error.status, error)
double.fake_nccl_fail(6)
try:
    ranks[0].check_async_error()
except NcclError as error:
    print(error.status)

stream = cuda.Stream(non_blocking=True)
stream.launch_host_func(lambda _: __import__("time").sleep(0.4), None)
try:
    stream.synchronize()
except NcclError as error:
    print(error.status, error)
double.fake_nccl_fail(0)
stream.synchronize()
"""
    lines = run(tmp_path, program).splitlines()
    assert lines[0].startswith("5 NCCL_ERROR_INVALID_USAGE: invalid usage; ncclCommInitAll: the double says so")
    assert lines[1] == "5 NCCL_ERROR_INVALID_USAGE: invalid usage; groupEnd() without a groupStart()"
    assert lines[2] == "6"
    assert lines[3].startswith("6 NCCL_ERROR_REMOTE_ERROR") and "as rank" in lines[3]


def test_missing_library(tmp_path):
    """Without NCCL the chapter loads, and says what to install."""
    program = """
from tenorite.cuda import nccl
print(nccl.available)
try:
    nccl.get_unique_id()
except RuntimeError as error:
    print("nvidia-nccl-cu" in str(error))
"""
    assert output_of(program, on_double(tmp_path, TENORITE_NCCL_PATH="/nowhere/libnccl.so.2")) == "False\nTrue\n"
