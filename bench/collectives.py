"""Measure collectives, copies between devices and products of distributed matrices.

    python bench/collectives.py [--devices N] [--json FILE]

All devices are of this process, on GPUs through NCCL and on the host (TENORITE_HOST_DEVICES)
through shared memory. Bandwidths are those of the algorithm: bytes of a rank's array by seconds.
Where PyTorch sees as many GPUs it does the same beside, in turn. On the host two processes sum
64 MB, too, beside one copy of it by the same processes. Medians of the repeats; of the two
processes, the least.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time

import numpy
import tenorite as cp
from tenorite import cuda
from tenorite.cuda import nccl
from tenorite.distributed.array import distributed_array, make_2d_index_map

SIZES = (1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 26, 1 << 28)  # bytes of a rank
REPEATS = 20


def rival(count):
    """PyTorch, if it sees as many GPUs; None otherwise."""
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() and torch.cuda.device_count() >= count else None


def synchronize(count):
    for k in range(count):
        cuda.Device(k).synchronize()


def seconds_of(functions, wait, repeats=REPEATS):
    """The median seconds of each function, run in turn."""
    found = [[] for _ in functions]
    for turn in range(repeats + 2):
        for function, seconds in zip(functions, found, strict=True):
            wait()
            start = time.perf_counter()
            function()
            wait()
            if turn >= 2:
                seconds.append(time.perf_counter() - start)
    return [statistics.median(seconds) for seconds in found]


def on_each(count, make):
    made = []
    for k in range(count):
        with cuda.Device(k):
            made.append(make(k))
    return made


def grouped(ranks, call):
    nccl.groupStart()
    for k, rank in enumerate(ranks):
        call(k, rank)
    nccl.groupEnd()


def measure_collectives(count, torch, rows):
    ranks = nccl.NcclCommunicator.initAll(count)
    for size in SIZES:
        n = size // 4
        a, b = (on_each(count, lambda k, n=n: cp.zeros(n, dtype="float32")) for _ in range(2))
        whole = on_each(count, lambda k, n=n: cp.zeros(count * n, dtype="float32"))

        def all_reduce(k, rank, a=a, b=b, n=n):
            rank.allReduce(a[k].data.ptr, b[k].data.ptr, n, nccl.NCCL_FLOAT, nccl.NCCL_SUM, 0)

        def all_gather(k, rank, a=a, whole=whole, n=n):
            rank.allGather(a[k].data.ptr, whole[k].data.ptr, n, nccl.NCCL_FLOAT, 0)

        ours = {"all_reduce": all_reduce, "all_gather": all_gather}
        theirs = {}
        if torch:
            x = [torch.zeros(n, device=f"cuda:{k}") for k in range(count)]
            y = [torch.zeros(n, device=f"cuda:{k}") for k in range(count)]
            z = [torch.zeros(count * n, device=f"cuda:{k}") for k in range(count)]
            theirs = {
                "all_reduce": lambda x=x, y=y: torch.cuda.nccl.all_reduce(x, y),
                "all_gather": lambda x=x, z=z: torch.cuda.nccl.all_gather(x, z),
            }
        for name, call in ours.items():
            functions = [lambda call=call: grouped(ranks, call)] + ([theirs[name]] if torch else [])
            rows.append((f"{name} {size} B a rank", size, *seconds_of(functions, lambda: synchronize(count))))
    for rank in ranks:
        rank.destroy()


def measure_copies(count, torch, rows):
    can = cuda.runtime.deviceCanAccessPeer
    if cuda.Device().backend == "cuda" and can(0, 1):
        with contextlib.suppress(cuda.runtime.CUDARuntimeError):
            cuda.runtime.deviceEnablePeerAccess(1)
    for size in SIZES[2:]:
        a, b = on_each(2, lambda k, size=size: cp.zeros(size, dtype="uint8"))
        functions = [lambda a=a: a.to_device(1)]
        if torch:
            x, y = (torch.zeros(size, dtype=torch.uint8, device=f"cuda:{k}") for k in range(2))
            functions.append(lambda x=x, y=y: y.copy_(x))
        rows.append((f"copy of {size} B to device 1", size, *seconds_of(functions, lambda: synchronize(count))))
        del b


def measure_products(count, rows):
    """A matrix product over all devices, and on one: seconds, the second column is one device's."""
    n = 8192 if cuda.Device().backend == "cuda" else 1024
    a = cp.asarray(numpy.random.default_rng(0).random((n, n), "f"))
    cut = [n * k // count for k in range(count + 1)]
    x = distributed_array(a, make_2d_index_map(cut, [0, n], [[{k}] for k in range(count)]))
    y = distributed_array(a, make_2d_index_map([0, n], [0, n], [[set(range(count))]]))
    rows.append(
        (
            f"matmul {n}, and on one device",
            0,
            *seconds_of([lambda: x @ y, lambda: a @ a], lambda: synchronize(count), 7),
        )
    )


PROGRAM = """
import sys, time
import tenorite as cp
from tenorite.cuda import nccl
rank = nccl.NcclCommunicator(2, eval(sys.argv[2]), int(sys.argv[1]))
a, b = cp.ones(1 << 24, dtype="float32"), cp.zeros(1 << 24, dtype="float32")
times = {"copy": [], "reduce": []}
for _ in range(10):
    start = time.perf_counter()
    b[...] = a
    middle = time.perf_counter()
    rank.allReduce(a.data.ptr, b.data.ptr, a.size, nccl.NCCL_FLOAT, nccl.NCCL_SUM, 0)
    times["reduce"].append(time.perf_counter() - middle)
    times["copy"].append(middle - start)
print(min(times["reduce"]), min(times["copy"]))
"""


def measure_processes(rows):
    """64 MB among two processes of the host; the second column is a copy's time."""
    key = repr(nccl.get_unique_id())
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(rank), key], stdout=subprocess.PIPE, text=True, env=os.environ
        )
        for rank in range(2)
    ]
    times = [list(map(float, process.communicate()[0].split())) for process in running]
    rows.append(("all_reduce of 64 MB, two processes, and a copy", 1 << 26, *map(max, zip(*times, strict=True))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--devices", type=int, default=min(cuda.runtime.getDeviceCount(), 8))
    parser.add_argument("--json", help="where the rows go")
    options = parser.parse_args()
    torch, rows = rival(options.devices), []
    measure_collectives(options.devices, torch, rows)
    if options.devices > 1:
        measure_copies(options.devices, torch, rows)
    measure_products(options.devices, rows)
    if cuda.Device().backend == "host":
        measure_processes(rows)
    print(f"{options.devices} x {cuda.Device()}; beside: {'PyTorch' if torch else 'nothing'}")
    for name, size, *seconds in rows:
        rates = "  ".join(f"{1e6 * each:10.1f} us {size / each / 1e9:7.1f} GB/s" for each in seconds)
        print(f"{name:<48}{rates}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump([{"name": name, "bytes": size, "seconds": seconds} for name, size, *seconds in rows], file)


if __name__ == "__main__":
    main()
