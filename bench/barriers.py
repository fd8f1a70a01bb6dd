"""Measure what the host wins by running kernels with barriers as loops over their threads.

    python bench/barriers.py [--filter TEXT] [--json FILE]

The kernels of bench/kernels, each with three sizes of blocks, in turn as they are and with a
statement that no thread reaches and that keeps a kernel on fibers. Medians of the repeats.
"""

import argparse
import json
import math
import statistics
import time
from pathlib import Path

import numpy
import tenorite

FOLDER = Path(__file__).resolve().parent / "kernels"
ON_FIBERS = "{ if (blockDim.x == 0) __syncwarp();"
BLOCKS = (64, 256, 1024)
# By the kernel's name: how many elements of float32 a side or in all, and what NumPy makes of them.
KERNELS = {
    "product": (256, lambda a, threads: a @ a),
    "reduction": (1 << 18, lambda a, threads: a.reshape(-1, threads).sum(axis=1)),
    "stencil": (1 << 18, lambda a, threads: numpy.convolve(a, numpy.ones(7, "f") / 7, "same")),
    "scan": (1 << 18, lambda a, threads: a.reshape(-1, threads).cumsum(axis=1).ravel()),
}


def compile_kernel(name, threads, on_fibers):
    """The kernel for blocks of so many threads."""
    text = (FOLDER / f"{name}.cu").read_text()
    if on_fibers:
        text = text.replace("{", ON_FIBERS, 1)
    return tenorite.RawKernel(text, name, (f"-DTHREADS={threads}", f"-DSIDE={math.isqrt(threads)}"))


def prepare(name, threads, n):
    """A launch of a kernel: its grid, block and arguments, and what it should write."""
    host = numpy.random.default_rng(0).random((n, n) if name == "product" else n, "f")
    wanted = KERNELS[name][1](host, threads)
    a, out = tenorite.asarray(host), tenorite.zeros(wanted.shape, "f")
    if name != "product":
        return ((n // threads,), (threads,), (a, out, numpy.int32(n))), wanted
    side = math.isqrt(threads)
    return ((n // side, n // side), (side, side), (a, a, out, numpy.int32(n))), wanted


def measure(name, threads, n, repeats):
    """Seconds as loops and on fibers. AssertionError for a wrong result."""
    launch, wanted = prepare(name, threads, n)
    kernels = [compile_kernel(name, threads, on_fibers) for on_fibers in (False, True)]
    times = [[], []]
    for kernel in kernels:
        kernel(*launch)
        numpy.testing.assert_allclose(launch[2][-2].get(), wanted, rtol=1e-4)
    for _ in range(repeats):
        for kernel, seconds in zip(kernels, times):
            start = time.perf_counter()
            kernel(*launch)
            seconds.append(time.perf_counter() - start)
    return [statistics.median(seconds) for seconds in times]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", help="only kernels whose name has this in it")
    parser.add_argument("--json", type=Path, help="write what was measured there, too")
    options = parser.parse_args(arguments)
    rows = []
    with tenorite.cuda.Device("host"):
        print(f"{'kernel':<12}{'threads':>8}{'loops ms':>10}{'fibers ms':>11}{'ratio':>8}")
        for name, (n, _) in KERNELS.items():
            for threads in BLOCKS:
                if options.filter not in name:
                    continue
                loops, fibers = measure(name, threads, n, 5)
                print(f"{name:<12}{threads:>8}{loops * 1e3:10.2f}{fibers * 1e3:11.2f}{fibers / loops:8.1f}", flush=True)
                rows.append({"name": name, "threads": threads, "n": n, "loops": loops, "fibers": fibers})
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return rows


if __name__ == "__main__":
    main()
