"""A program for CuPy as its authors wrote it: it asks whether there is a device, gives NumPy's
arrays to functions, and starts processes. Its argument is how multiprocessing starts them."""

import concurrent.futures
import multiprocessing
import subprocess
import sys

import cupy
import numpy
from cupyx.scipy import special

if not cupy.is_available() or not cupy.cuda.is_available():
    raise SystemExit("no device")


def total(values):
    from cupyx.scipy import fft  # workers import what the program has not, too

    assert fft.__name__ and type(values).__module__ in ("cupy", "numpy")
    return float(cupy.sum(values)) + float(special.erf(cupy.zeros(1))[0])


def main(method):
    values = [numpy.arange(4), cupy.arange(4), numpy.ones((2, 3))]
    assert [float(cupy.sum(one)) for one in values] == [6, 6, 6]
    context = multiprocessing.get_context(method)
    with context.Pool(1) as pool:
        print(pool.map(total, values))
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        print(list(pool.map(total, values)), pool.submit(cupy.sum, numpy.ones(3)).result())
    command = [sys.executable, "-c", "import cupyx.scipy.sparse, cupy; print(cupy.__name__, cupy.__version__)"]
    print(subprocess.run(command, capture_output=True, text=True, check=True).stdout, end="")
    # Processes that are still at work when the program ends.
    pool = concurrent.futures.ProcessPoolExecutor(1, mp_context=context)
    pool.submit(total, values[0]).add_done_callback(lambda done: print("late", done.result()))


if __name__ == "__main__":
    main(sys.argv[1])
