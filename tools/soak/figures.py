"""What is measured of a process, and when it has grown.

Figures are read where the process rests: garbage is collected, the devices are waited for, and what
ends a little later (threads, memory after a stream) was given the time to.
"""

import ctypes
import gc
import os
import sys
import time

import support
import tenorite as tn
from tenorite import cuda

MIB = 1 << 20

# What a figure may grow by between a quarter of the turns and the end. What a program has let go of
# is gone when it rests, to the last array and stream.
WORKERS = (os.cpu_count() or 1) + 4
TOLERANCES = {
    "pool used": 0,
    # The double's streams have one each.
    "threads": WORKERS if support.DEVICE == "host" else WORKERS + 16,
    "files": 2,
    "core arrays": 0,
    "core buffers": 0,
    "core streams": 0,
    "core events": 4,  # a page-locked block that came back keeps one
    "core graphs": 0,
    "core queued_calls": 0,
    "core worker_threads": WORKERS,
    "driver graphs": 0,
}
# What is kept for the next use is as much as was ever needed at a time, which depends on the
# moment: these figures have grown where they grow by more than this and go on growing, by as much a
# turn in each of the last three quarters. So do memory and heap, which move by what malloc and the
# interpreter keep.
STEADY = 0.5  # the least of the three quarters' growth, as a part of their mean, that is going on
STEADY_TOLERANCES = {
    "pool total": 48 * MIB,
    "memory": 4 * MIB,
    "heap": 256 << 10,
    "objects": 1000,
    "device memory": 32 * MIB,
    "driver memory": 48 * MIB,
    "driver blocks": 24,
    "driver streams": 16,  # the backend keeps so many
    "driver events": 128,  # the backend keeps 64 of each device
    "core arenas": 24,
    "core chunks": 24,
    "core kernels": 4,
    "core driver_handles": 144,  # of both
    "core pinned_bytes": 1 * MIB,
}
SAME = {"core used_bytes": "pool used", "core total_bytes": "pool total"}

_libc = ctypes.CDLL(None)


class _HeapFigures(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    ]


if hasattr(_libc, "mallinfo2"):
    _libc.mallinfo2.restype = _HeapFigures


# --- Reading ---


def resident_bytes():
    """Bytes of memory that the process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def thread_count():
    """Threads of the process, those that no Python started among them."""
    return len(os.listdir("/proc/self/task"))


def _of_pools():
    """Bytes handed out and held by the default pool and those of the pattern, on all devices."""
    used = total = 0
    for number in range(cuda.runtime.getDeviceCount()):
        with cuda.Device(number):
            for pool in (tn.get_default_memory_pool(), *support.pools):
                used += pool.used_bytes()
                total += pool.total_bytes()
    return {"pool used": used, "pool total": total}


def _of_driver():
    """What exists in the driver's double, which counts; of a GPU, the memory that is taken."""
    if support.DEVICE == "cuda":
        free, total = cuda.Device().mem_info
        return {"device memory": total - free}
    if support.DEVICE != "double":
        return {}
    double = ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"])
    double.fake_cuda_bytes.restype = ctypes.c_size_t
    figures = {
        f"driver {name}": getattr(double, f"fake_cuda_{name}")() for name in ("blocks", "streams", "events", "graphs")
    }
    return figures | {"driver memory": sum(double.fake_cuda_bytes(number) for number in range(2))}


def _of_core():
    """What lives in the core."""
    return {f"core {name}": value for name, value in cuda.get_statistics().items()}


def read():
    """All figures of this moment: a dict from names to numbers."""
    figures = {
        "memory": resident_bytes(),
        "threads": thread_count(),
        "files": len(os.listdir("/proc/self/fd")),
        "objects": sys.getallocatedblocks(),
    }
    if hasattr(_libc, "mallinfo2"):
        heap = _libc.mallinfo2()
        figures["heap"] = heap.uordblks + heap.hblkhd
    return figures | _of_pools() | _of_driver() | _of_core()


def wait_for_devices():
    """Waits for all work on all devices."""
    for number in range(cuda.runtime.getDeviceCount()):
        cuda.Device(number).synchronize()


def _rest():
    gc.collect()
    wait_for_devices()
    if hasattr(_libc, "malloc_trim"):
        _libc.malloc_trim(0)


def read_at_rest(seconds=2.0):
    """The figures once they stay the same, and after so many seconds as they are."""
    end = time.monotonic() + seconds
    _rest()
    before = read()
    while True:
        time.sleep(0.01)
        now = read()
        changed = [name for name in now if name not in ("memory", "heap", "objects") and now[name] != before.get(name)]
        if not changed or time.monotonic() > end:
            _rest()
            return read()
        before = now


# --- Judging ---


def _is_judged(name):
    """The double keeps what it has seen, and ASan what was freed: that is no growth of ours."""
    return name not in ("memory", "heap") or (support.DEVICE != "double" and not hasattr(_libc, "__asan_init"))


def _goes_on(values, turns):
    """Whether a figure grew all the time, the first quarter aside."""
    steps = [(after - before) / count for before, after, count in zip(values, values[1:], turns[1:])]
    return min(steps) >= STEADY * (values[-1] - values[0]) / sum(turns[1:])


def growth(samples, turns, slack):
    """What grew too much from the first sample to the last, each taken after so many turns more:
    {name: (first, last)}."""
    grown = {}
    for name in filter(_is_judged, samples[0]):
        values = [sample.get(name, 0) for sample in samples]
        kind = SAME.get(name, name)
        is_exact = kind in TOLERANCES
        most = (TOLERANCES[kind] if is_exact else STEADY_TOLERANCES[kind]) + slack.get(kind, 0)
        if values[-1] - values[0] > most and (is_exact or _goes_on(values, turns)):
            grown[name] = values[0], values[-1]
    return grown
