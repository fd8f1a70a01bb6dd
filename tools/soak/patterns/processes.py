"""Other processes: forks, children, memory that two processes share."""

import importlib.util
import json
import subprocess
import sys

import tenorite as tn
from support import DEVICE, expect, pattern, short_stream, weights
from tenorite import cuda
from tenorite.cuda import nccl
from together import in_child


@pattern(cost=40)
def forks():
    """Children of a process that has streams; on the host they go on computing."""
    shared = weights(1000)

    def child():
        if DEVICE == "host":
            expect(shared + 1, shared.get() + 1)
            with short_stream():
                expect(shared * 2, shared.get() * 2)

    def turn():
        with short_stream():
            shared + 1
        in_child(child)
        expect(shared[:2], [0, 1])

    return turn


@pattern(cost=40, on=("host",))
def forks_with_streams():
    """A fork while a stream lives and has work."""
    shared = weights(100_000)

    def child():
        expect(tn.ones(1000) + 1, 2)
        with short_stream():
            expect(tn.ones(1000) + 1, 2)

    def turn():
        with short_stream():
            result = shared + 1
        in_child(child)
        expect(result[:3], [1, 2, 3])

    return turn


CHILD = """
import json, os, sys
from tenorite import cuda
from tenorite.cuda import nccl
for line in sys.stdin:
    kind, handle = json.loads(line)
    if kind == "memory":
        cuda.runtime.ipcCloseMemHandle(cuda.runtime.ipcOpenMemHandle(bytes.fromhex(handle)))
    else:
        event = cuda.runtime.ipcOpenEventHandle(bytes.fromhex(handle))
        cuda.runtime.eventSynchronize(event)
        cuda.runtime.eventDestroy(event)
    print(json.dumps([len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))]), flush=True)
"""


@pattern(cost=5, on=("cuda", "double"))
def ipc():
    """Memory of the moment, and an event that stays, which another process opens and closes."""
    runtime = cuda.runtime
    child = subprocess.Popen([sys.executable, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    event = runtime.eventCreateWithFlags(runtime.eventInterprocess | runtime.eventDisableTiming)
    seen = []

    def ask(kind, handle):
        print(json.dumps([kind, handle.hex()]), file=child.stdin, flush=True)
        return json.loads(child.stdout.readline())

    def turn():
        memory = cuda.Memory(4000)
        stream = short_stream()
        runtime.eventRecord(event, stream.ptr)
        ask("memory", runtime.ipcGetMemHandle(memory.ptr))
        seen.append(ask("event", runtime.ipcGetEventHandle(event)))
        del seen[1:-1]
        assert seen[-1][0] <= seen[0][0] + 8 and seen[-1][1] <= seen[0][1] + 2, f"the child's threads, files: {seen}"

    return turn


@pattern(cost=20, on=("host",))
def groups_of_ranks():
    """Groups that come together, sum, split and part, on streams that end; keys that none uses."""
    numbers = range(cuda.runtime.getDeviceCount())
    for _ in range(70):  # more than are kept
        nccl.get_unique_id()

    def turn():
        nccl.get_unique_id()
        ranks = nccl.NcclCommunicator.initAll(list(numbers))
        arrays, streams = [], []
        for number in numbers:
            with cuda.Device(number):
                arrays.append(tn.full(1000, 1 + number))
                streams.append(short_stream())
        nccl.groupStart()
        for rank, array, stream in zip(ranks, arrays, streams, strict=True):
            rank._call_arrays(nccl._ALL_REDUCE, array, array, 1000, nccl.NCCL_SUM, 0, stream)
        nccl.groupEnd()
        for stream in streams:
            stream.synchronize()
        expect(arrays[0], sum(1 + number for number in numbers))
        ranks[0].abort()

    return turn


RANK = """
import json, os, sys
import tenorite as tn
from tenorite.cuda import nccl
rank = nccl.NcclCommunicator(2, bytes.fromhex(sys.argv[1]), 1)
for line in sys.stdin:
    array = tn.full(1000, float(line))
    rank.allReduce(array.data.ptr, array.data.ptr, 1000, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, 0)
    tn.cuda.Device().synchronize()
    print(json.dumps([len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))]), flush=True)
"""


@pattern(cost=5, on=("host",))
def ranks_that_live_on():
    """Two processes that sum arrays, in one group for good; the other one's threads and files."""
    key, seen = nccl.get_unique_id(), []
    command = [sys.executable, "-c", RANK, key.hex()]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    rank = nccl.NcclCommunicator(2, key, 0)

    def turn():
        print(len(seen), file=child.stdin, flush=True)
        array = tn.full(1000, 5.0)
        rank.allReduce(array.data.ptr, array.data.ptr, 1000, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, 0)
        expect(array, 5 + len(seen))
        seen.append(json.loads(child.stdout.readline()))
        del seen[1:-1]
        assert seen[-1][0] <= seen[0][0] + 8 and seen[-1][1] <= seen[0][1] + 2, f"the other's threads, files: {seen}"

    return turn


if importlib.util.find_spec("distributed"):
    # Dask keeps its last 100,000 transitions and some hundred functions, with the arrays in them.
    KEPT_BY_DASK = {"objects": 10**6, "memory": 300 << 20, "heap": 300 << 20, "pool used": 1 << 20}

    @pattern(cost=20, on=("host",), is_long=True, slack=KEPT_BY_DASK | {"core arrays": 500, "core buffers": 500})
    def dask_cluster():
        """A cluster of two workers that lives on; what they hold between two computations."""
        import dask
        import dask.array as da
        from tenorite.dask import local_cluster

        cluster = local_cluster(2, dashboard_address=None)
        client = cluster.get_client()

        def held():
            return tn.cuda.get_statistics()["used_bytes"]

        def turn():
            with dask.config.set({"array.backend": "tenorite"}):
                x = da.ones((2000, 1000), chunks=(500, 1000))
                assert int((x + x.mean(axis=0)).sum().compute()) == 4_000_000
            # A worker drops its chunks (8 MB each) a moment after.
            assert max(client.run(held).values()) < 100_000_000

        return turn
