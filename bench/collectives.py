"""Measure collectives, copies between devices and products of distributed matrices.

    python bench/collectives.py [--devices N] [--json FILE]

All devices are of this process, on GPUs through NCCL and on the host (TENORITE_HOST_DEVICES)
through shared memory. Bandwidths are those of nccl-tests' bus: of p ranks that sum n bytes,
2 (p - 1) / p n by the seconds, of p that gather n each, (p - 1) n; of copies, the bytes. Where
PyTorch sees as many GPUs it does the same beside, in turn. Two processes sum arrays, too, and on
the host one to four, beside one copy of them by the same processes. Medians of the repeats; of
processes, the least. Work on all devices stands beside the same work on one.
"""

import argparse
import contextlib
import itertools
import json
import os
import statistics
import subprocess
import sys
import time

import tenorite as cp
from tenorite import cuda
from tenorite.cuda import nccl
from tenorite.distributed.array import distributed_array, make_2d_index_map

SIZES = (8, 1 << 10, 1 << 16, 1 << 20, 1 << 24, 1 << 26, 1 << 28)  # bytes of a rank
HUGE = 1 << 30  # on GPUs
REPEATS = 20


def is_gpu():
    return cuda.Device().backend == "cuda"


def sizes():
    return (*SIZES, HUGE) if is_gpu() else SIZES


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
    crossing = {"all_reduce": 2 * (count - 1) / count, "all_gather": count - 1}
    for size in sizes():
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
            seconds = seconds_of(functions, lambda: synchronize(count))
            rows.append((f"{name} {size} B a rank", size * crossing[name], *seconds))
    for rank in ranks:
        rank.destroy()


def set_peer_access(enabled):
    """Both ways between devices 0 and 1, whatever it was."""
    call = cuda.runtime.deviceEnablePeerAccess if enabled else cuda.runtime.deviceDisablePeerAccess
    for k in range(2):
        with cuda.Device(k), contextlib.suppress(cuda.runtime.CUDARuntimeError):
            call(1 - k)


def measure_copies(torch, rows):
    """From device 0 to 1, and both ways at once."""
    has_peers = is_gpu() and cuda.runtime.deviceCanAccessPeer(0, 1)
    for enabled in (False, True) if has_peers else (False,):
        set_peer_access(enabled)
        for size in sizes()[3:]:
            arrays = on_each(2, lambda k, size=size: cp.zeros(size, dtype="uint8"))
            made = on_each(2, lambda k, size=size: cp.zeros(size, dtype="uint8"))

            # Streams of their own: the default ones of two devices wait for each other.
            streams = on_each(2, lambda k: cuda.Stream(non_blocking=True))

            def copy(k, arrays=arrays, made=made, size=size, streams=streams):
                with cuda.Device(1 - k):
                    made[1 - k].data.copy_from_device_async(arrays[k].data, size, streams[1 - k])

            calls = {"copy": lambda copy=copy: copy(0), "both copies": lambda copy=copy: (copy(0), copy(1))}
            theirs = {}
            if torch and enabled:
                x, y = ([torch.zeros(size, dtype=torch.uint8, device=f"cuda:{k}") for k in range(2)] for _ in range(2))
                theirs = {
                    "copy": lambda x=x, y=y: y[1].copy_(x[0]),
                    "both copies": lambda x=x, y=y: (y[1].copy_(x[0], True), y[0].copy_(x[1], True)),
                }
            for name, call in calls.items():
                functions = [call, theirs[name]] if theirs else [call]
                seconds = seconds_of(functions, lambda: synchronize(2))
                what = f"{name} of {size} B{', peers' if enabled else ''}"
                rows.append((what, size * (1 if name == "copy" else 2), *seconds))


def measure_work(count, rows):
    """Over all devices, and on one: the second column is one device's."""

    def row(name, of_all, of_one, repeats):
        rows.append(
            (f"{name}, and on one device", 0, *seconds_of([of_all, of_one], lambda: synchronize(count), repeats))
        )

    n = 32768 if is_gpu() else 1024
    whole = cp.random.default_rng(0).random((n, n), "f")
    cut = [n * k // count for k in range(count + 1)]
    rows_of_each = make_2d_index_map(cut, [0, n], [[{k}] for k in range(count)])
    x = distributed_array(whole, rows_of_each)
    y = distributed_array(whole, make_2d_index_map([0, n], [0, n], [[set(range(count))]]))
    row(f"matmul {n}", lambda: x @ y, lambda: whole @ whole, 3)
    row(f"x * 2 of {n} x {n}", lambda: x * 2, lambda: whole * 2, 10)
    row(f"sum of {n} x {n} along rows", lambda: x.sum(axis=1), lambda: whole.sum(axis=1), 10)


PROGRAM = """
import sys, time
import tenorite as cp
from tenorite.cuda import nccl
number, count, key, size = int(sys.argv[1]), int(sys.argv[2]), eval(sys.argv[3]), int(sys.argv[4])
cp.cuda.Device(number if cp.cuda.Device().backend == "cuda" else 0).use()
rank, wait = nccl.NcclCommunicator(count, key, number), cp.cuda.get_current_stream().synchronize
a, b = cp.ones(size // 4, dtype="float32"), cp.zeros(size // 4, dtype="float32")
times = {"copy": [], "reduce": []}
for _ in range(20):
    wait()
    start = time.perf_counter()
    b[...] = a
    wait()
    middle = time.perf_counter()
    rank.allReduce(a.data.ptr, b.data.ptr, a.size, nccl.NCCL_FLOAT, nccl.NCCL_SUM, 0)
    wait()
    times["reduce"].append(time.perf_counter() - middle)
    times["copy"].append(middle - start)
print(min(times["reduce"]), min(times["copy"]))
"""


def measure_processes(rows, counts):
    """Sums among processes; the second column is a copy's time on each one's device."""
    for count, size in itertools.product(counts, (8, 1 << 20, 1 << 26) + ((HUGE,) if is_gpu() else ())):
        key = repr(nccl.get_unique_id())
        running = [
            subprocess.Popen(
                [sys.executable, "-c", PROGRAM, str(rank), str(count), key, str(size)],
                stdout=subprocess.PIPE,
                text=True,
                env=os.environ,
            )
            for rank in range(count)
        ]
        times = [list(map(float, process.communicate()[0].split())) for process in running]
        what = f"all_reduce {size} B, {count} process{'es' * (count > 1)}, and a copy"
        rows.append((what, size, *map(max, zip(*times, strict=True))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--devices", type=int, default=min(cuda.runtime.getDeviceCount(), 8))
    parser.add_argument("--json", help="where the rows go")
    options = parser.parse_args()
    torch, rows = rival(options.devices), []
    measure_collectives(options.devices, torch, rows)
    if options.devices > 1:
        measure_processes(rows, (2,) if is_gpu() else (1, 2, 3, 4))
        measure_copies(torch, rows)
    measure_work(options.devices, rows)
    print(f"{options.devices} x {cuda.Device()}; beside: {'PyTorch' if torch else 'nothing'}")
    for name, size, *seconds in rows:
        rates = "  ".join(
            f"{1e6 * each:10.1f} us" + (f" {size / each / 1e9:7.1f} GB/s" if size else "") for each in seconds
        )
        print(f"{name:<48}{rates}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump([{"name": name, "bytes": size, "seconds": seconds} for name, size, *seconds in rows], file)


if __name__ == "__main__":
    main()
