"""What is measured of a process, and when it has grown.

Figures are read where the process rests: garbage is collected, the devices are waited for, and what ends a
little later (threads, memory behind a stream) was given the time to.
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

# What a figure may grow by between a quarter of the turns and the end. Counts of what a program let go of
# do not grow at all: what is allowed is what is kept for the next use, of which the number depends on the
# moment. Heap bytes are exact, but for the lists of each thread. Resident memory moves in steps, by what
# malloc and the interpreter keep: MEMORY_STEPS says when that counts.
# The double keeps what it has seen, and ASan what was freed: neither is judged there.
TOLERANCES = {
    "pool used": 0,
    "pool total": 8 * MIB,
    "memory": 4 * MIB,
    "heap": 256 << 10,
    "objects": 500,
    "threads": (os.cpu_count() or 1) + 4,
    "files": 2,
    "device memory": 32 * MIB,
    "driver": 4,
    "driver events": 2 * 64 + 8,  # the backend keeps 64 of each device for the next use
    "driver memory": 8 * MIB,
    "core": 4,
}
# Resident memory has to grow in each of the last three quarters, by a sixth of the whole growth at least:
# so does what grows with the turns, and not what is a step.
MEMORY_STEPS = 6

_libc = ctypes.CDLL(None)


class _HeapFigures(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _fields_ = [(name, ctypes.c_size_t) for name in
                "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()]  # fmt: skip


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
    figures = {f"driver {name}": getattr(double, f"fake_cuda_{name}")() for name in
               ("blocks", "streams", "events", "graphs")}  # fmt: skip
    return figures | {"driver memory": sum(double.fake_cuda_bytes(number) for number in range(2))}


def _flat(name, value):
    """The numbers of nested dicts, under their names one behind the other."""
    if isinstance(value, dict):
        return {key: number for part in value for key, number in _flat(f"{name} {part}", value[part]).items()}
    return {name: value} if isinstance(value, int) else {}


def _of_core():
    """Live objects of the core, where it counts them."""
    return _flat("core", getattr(cuda, "get_statistics", dict)())


def read():
    """All figures of this moment: a dict from names to numbers."""
    figures = {"memory": resident_bytes(), "threads": thread_count(),
               "files": len(os.listdir("/proc/self/fd")), "objects": sys.getallocatedblocks()}  # fmt: skip
    if hasattr(_libc, "mallinfo2"):
        heap = _libc.mallinfo2()
        figures["heap"] = heap.uordblks + heap.hblkhd
    return figures | _of_pools() | _of_driver() | _of_core()


def _rest():
    gc.collect()
    for number in range(cuda.runtime.getDeviceCount()):
        cuda.Device(number).synchronize()
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


def tolerance(name, slack):
    """What a figure may grow by; None: it is only told."""
    if name in ("memory", "heap") and (support.DEVICE == "double" or hasattr(_libc, "__asan_init")):
        return None
    return TOLERANCES.get(name, TOLERANCES.get(name.split()[0], 0)) + slack.get(name, 0)


def growth(samples, slack):
    """What grew too much from the first sample to the last: {name: (first, last)}."""
    grown = {}
    for name, first in samples[0].items():
        last, most = samples[-1].get(name, 0), tolerance(name, slack)
        steps = [after.get(name, 0) - before.get(name, 0) for before, after in zip(samples, samples[1:])]
        if most is None or last - first <= most:
            continue
        if name == "memory" and min(steps) < (last - first) / MEMORY_STEPS:
            continue
        grown[name] = first, last
    return grown
