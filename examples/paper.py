"""The programs of the CuPy paper's listings, run on Tenorite.

R. Okuta, Y. Unno, D. Nishino, S. Hido, C. Loomis: CuPy: A NumPy-Compatible Library for NVIDIA GPU
Calculations. Workshop on Machine Learning Systems (LearningSys) at NIPS, 2017.

They are written after the paper, with Tenorite imported in CuPy's place, and not copied from it
letter by letter. Each is run line by line and printed with its results; then comes the paper's
benchmark beside NumPy. On a machine with a GPU the arrays are there, on any other they are on the
host:

    python examples/paper.py [LARGEST SIZE OF THE BENCHMARK, 100000000]
"""

import doctest
import os
import sys
import time

os.environ.setdefault("TENORITE_HOST_DEVICES", "2")  # so that Device(1) is there without a GPU

import numpy as np
import tenorite as cp

LISTINGS = {
    "The norm of a vector, on the CPU and on the current device": """
        >>> x_cpu = np.array([1, 2, 3])
        >>> l2_cpu = np.linalg.norm(x_cpu)
        >>> l2_cpu
        >>> x_gpu = cp.array([1, 2, 3])
        >>> l2_gpu = cp.linalg.norm(x_gpu)
        >>> l2_gpu
    """,
    "Norms of vectors and matrices": """
        >>> x = cp.array([3.0, -4.0, 12.0])
        >>> cp.linalg.norm(x), cp.linalg.norm(x, 1), cp.linalg.norm(x, cp.inf)
        >>> m = cp.arange(6.0).reshape(2, 3)
        >>> cp.linalg.norm(m), cp.linalg.norm(m, 1), cp.linalg.norm(m, axis=1)
    """,
    "The current device": """
        >>> x_on_gpu0 = cp.array([1, 2, 3, 4, 5])
        >>> with cp.cuda.Device(1):
        ...     x_on_gpu1 = cp.array([1, 2, 3, 4, 5])
        >>> x_on_gpu0.device
        >>> x_on_gpu1.device
        >>> cp.cuda.Device(1).use()
        >>> x_on_gpu1 * 2
        >>> cp.cuda.Device(0).use()
    """,
    "Moving data: to a device, between devices, back to the host": """
        >>> x_cpu = np.array([1, 2, 3])
        >>> x_gpu = cp.asarray(x_cpu)  # move the data to the current device
        >>> with cp.cuda.Device(0):
        ...     x_gpu_0 = cp.array([1, 2, 3])  # create an array in GPU 0
        >>> with cp.cuda.Device(1):
        ...     x_gpu_1 = cp.asarray(x_gpu_0)  # move the array to GPU 1
        >>> x_gpu_1.device
        >>> x_gpu = cp.array([1, 2, 3])  # create an array in the current device
        >>> x_cpu = cp.asnumpy(x_gpu)  # move the array to the host
        >>> x_cpu = x_gpu.get()
        >>> type(x_cpu)
    """,
    "One function for arrays of both kinds": """
        >>> def total_of_squares(x):
        ...     xp = cp.get_array_module(x)
        ...     return xp.sum(xp.square(x))
        >>> cp.get_array_module(np.arange(4)).__name__, cp.get_array_module(cp.arange(4)).__name__
        >>> total_of_squares(np.arange(4)), total_of_squares(cp.arange(4))
    """,
    "The same with a stable log(1 + exp(x))": """
        >>> def softplus(x):
        ...     xp = cp.get_array_module(x)
        ...     return xp.maximum(0, x) + xp.log1p(xp.exp(-abs(x)))
        >>> softplus(np.linspace(-20, 20, 5))
        >>> softplus(cp.linspace(-20, 20, 5))
    """,
    "Indexing": """
        >>> x = cp.arange(12).reshape(3, 4)
        >>> x[1]
        >>> x[:, 1:3]
        >>> x[cp.array([2, 0, 2])]
        >>> x[x % 3 == 0]
        >>> x[x > 8] = -1
        >>> x
    """,
}

SIZES = [10**4, 10**5, 10**6, 10**7, 10**8]


def run(listing, names):
    """Runs a listing as an interactive session would, and prints it with what it shows."""
    for example in doctest.DocTestParser().get_examples(listing):
        print("    >>>", example.source.rstrip("\n").replace("\n", "\n    ... "))
        exec(compile(example.source, "<listing>", "single"), names)


def milliseconds(xp, size, synchronize):
    """The fastest of several runs of the paper's expression, each waited for."""
    times = []
    end = time.perf_counter() + 0.3
    while len(times) < 3 or (time.perf_counter() < end and len(times) < 1000):
        synchronize()
        start = time.perf_counter()
        xp.arange(size).reshape(1000, -1).T * 2
        synchronize()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def benchmark(largest):
    print("xp.arange(size).reshape(1000, -1).T * 2, in milliseconds\n")
    print("         size       NumPy    Tenorite   Tenorite is faster by")
    for size in [size for size in SIZES if size <= largest]:
        host = milliseconds(np, size, lambda: None)
        device = milliseconds(cp, size, cp.cuda.Device().synchronize)
        print(f"{size:13,}{host:12.3f}{device:12.3f}{host / device:12.1f} x")


def main():
    names = {"np": np, "cp": cp}
    only_one = cp.cuda.runtime.getDeviceCount() < 2
    if only_one:
        print("One device is here, so Device(0) stands for Device(1) in what follows.\n")
    for title, listing in LISTINGS.items():
        if only_one:
            listing = listing.replace("Device(1)", "Device(0)")
        print(f"{title}:\n")
        run(listing, names)
        print()
    benchmark(int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1])


if __name__ == "__main__":
    main()
