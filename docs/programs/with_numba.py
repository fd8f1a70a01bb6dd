"""Numba: a loop compiled for the host, on the memory of an array of the host through DLPack."""

import numba
import numpy as np
import tenorite as cp


@numba.njit
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


numbers = cp.arange(1, 7)
view = np.from_dlpack(numbers.to_device("host"))
steps = cp.asarray(np.array([collatz(n) for n in view]))
print(steps)
