"""Kernels of a program's own, from the same text on a GPU and on the host, checked against NumPy.

An option's price by Black and Scholes (ElementwiseKernel), the logarithm of sums of exponentials
(ReductionKernel), a product of matrices by tiles in shared memory (RawKernel), bodies that
attract each other, for two types of numbers (RawModule), a step of an optimiser (fuse), and the sum
of neighbours in Python (jit.rawkernel). Prints times beside NumPy's, which has no
erf and so calls Python's for every option.

    python examples/kernels.py [--size N]
"""

# pyright: reportCallIssue=false
# It counts an argument *x as all that are left.

import argparse
import math
import time

import numpy as np
import tenorite as tn
from tenorite import jit

black_scholes = tn.ElementwiseKernel(
    "T price, T strike, T years, T rate, T volatility",
    "T call, T put",
    """
    T root = volatility * sqrt(years);
    T d1 = (log(price / strike) + (rate + volatility * volatility / 2) * years) / root;
    T now = strike * exp(-rate * years);
    call = price * normal(d1) - now * normal(d1 - root);
    put = call + now - price;
    """,
    "black_scholes",
    preamble="""
    template <typename T> __device__ T normal(T x) {
        return T(0.5) + T(0.5) * erf(x * T(0.70710678118654752440));
    }
    """,
)

# Below the largest of each row, `top`, no exponential overflows.
logsumexp = tn.ReductionKernel(
    "T x, raw T top", "T y", "exp(x - top[_i])", "a + b", "y = top[_i] + log(a)", "0", "logsumexp"
)

TILE = 16
product = tn.RawKernel(
    r"""
    extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
        __shared__ float at[TILE][TILE], bt[TILE][TILE];
        int x = threadIdx.x, y = threadIdx.y;
        int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
        float sum = 0;
        for (int t = 0; t < n; t += TILE) {
            at[y][x] = a[row * n + t + x];
            bt[y][x] = b[(t + y) * n + column];
            __syncthreads();
            for (int k = 0; k < TILE; k++) sum += at[y][k] * bt[k][x];
            __syncthreads();
        }
        c[row * n + column] = sum;
    }
    """,
    "product",
    options=(f"-DTILE={TILE}",),
)

bodies = tn.RawModule(
    code=r"""
    template <typename T>
    __global__ void attract(const T* place, const T* mass, T* pull, int count) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= count) return;
        T x = place[3 * i], y = place[3 * i + 1], z = place[3 * i + 2], px = 0, py = 0, pz = 0;
        for (int j = 0; j < count; j++) {
            T dx = place[3 * j] - x, dy = place[3 * j + 1] - y, dz = place[3 * j + 2] - z;
            T square = dx * dx + dy * dy + dz * dz + T(1e-3);
            T by = mass[j] / (square * sqrt(square));
            px += by * dx, py += by * dy, pz += by * dz;
        }
        pull[3 * i] = px, pull[3 * i + 1] = py, pull[3 * i + 2] = pz;
    }
    """,
    name_expressions=("attract<float>", "attract<double>"),
)


@jit.rawkernel()
def neighbours(x, out):
    """Each element with those beside it, which lie in a ring."""
    for i in range(jit.grid(1), len(x), jit.gridsize(1)):
        out[i] = x[(i + len(x) - 1) % len(x)] + x[i] + x[(i + 1) % len(x)]


@tn.fuse
def adam(weights, gradient, mean, square, rate):
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient * gradient
    return weights - rate * mean / (tn.sqrt(square) + 1e-8), mean, square


def numpy_adam(weights, gradient, mean, square, rate):
    mean = 0.9 * mean + 0.1 * gradient
    square = 0.999 * square + 0.001 * gradient * gradient
    return weights - rate * mean / (np.sqrt(square) + 1e-8), mean, square


def numpy_black_scholes(price, strike, years, rate, volatility):
    erf = np.vectorize(math.erf, otypes=[price.dtype])
    normal = lambda x: 0.5 + 0.5 * erf(x * np.float32(math.sqrt(0.5)))
    root = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + volatility**2 / 2) * years) / root
    now = strike * np.exp(-rate * years)
    call = price * normal(d1) - now * normal(d1 - root)
    return call, call + now - price


def numpy_logsumexp(x):
    top = x.max(axis=1, keepdims=True)
    return (top + np.log(np.exp(x - top).sum(axis=1, keepdims=True)))[:, 0]


def numpy_attract(place, mass):
    apart = place[None] - place[:, None]
    square = (apart**2).sum(axis=2) + 1e-3
    return ((mass / (square * np.sqrt(square)))[:, :, None] * apart).sum(axis=1)


def timed(function):
    """What a function returns, and its time: the best of three, after one that may compile."""
    result, best = function(), math.inf
    for _ in range(3):
        tn.cuda.get_current_stream().synchronize()
        start = time.perf_counter()
        result = function()
        tn.cuda.get_current_stream().synchronize()
        best = min(best, time.perf_counter() - start)
    return result, best


def compare(name, kernel, reference, tolerance):
    ours, time_ours = timed(kernel)
    start = time.perf_counter()
    theirs = reference()
    time_theirs = time.perf_counter() - start
    for mine, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (ours, theirs))):
        np.testing.assert_allclose(mine.get(), other, rtol=tolerance, atol=tolerance)
    print(f"{name:24} {time_ours * 1e3:10.3f} ms   NumPy {time_theirs * 1e3:10.3f} ms")


def main(size):
    rng = np.random.default_rng(7)
    options = [rng.uniform(low, high, size).astype("f") for low, high in ((50, 150), (50, 150), (0.1, 2))]
    given = [tn.asarray(one) for one in options]
    compare(
        "Black-Scholes",
        lambda: black_scholes(*given, 0.02, 0.3),
        lambda: numpy_black_scholes(*options, np.float32(0.02), np.float32(0.3)),
        2e-4,
    )

    x = rng.normal(scale=50, size=(max(size // 1000, 1), 1000)).astype("f")
    xt = tn.asarray(x)
    compare("log-sum-exp", lambda: logsumexp(xt, xt.max(axis=1), axis=1), lambda: numpy_logsumexp(x), 1e-5)

    n = max(int(math.sqrt(size)) // 2 // TILE, 1) * TILE
    a, b = (rng.normal(size=(n, n)).astype("f") for _ in range(2))
    at, bt, c = tn.asarray(a), tn.asarray(b), tn.empty((n, n), "f")

    def tiled():
        product((n // TILE, n // TILE), (TILE, TILE), (at, bt, c, n))
        return c

    compare(f"product of {n} x {n}", tiled, lambda: a @ b, 2e-4 * math.sqrt(n))

    count = max(int(math.sqrt(size)), 2)
    for dtype, name in (("f", "float"), ("d", "double")):
        place, mass = rng.normal(size=(count, 3)).astype(dtype), rng.uniform(size=count).astype(dtype)
        placet, masst, pull = tn.asarray(place), tn.asarray(mass), tn.empty((count, 3), dtype)
        attract = bodies.get_function(f"attract<{name}>")

        def step():
            attract(((count + 127) // 128,), (128,), (placet, masst, pull, count))
            return pull

        compare(f"{count} bodies, {name}", step, lambda: numpy_attract(place, mass), 2e-2)

    parts = [*rng.normal(size=(3, size)).astype("f"), rng.random(size, dtype="f")]
    partst = [tn.asarray(one) for one in parts]
    compare("step of Adam, fused", lambda: adam(*partst, 1e-3), lambda: numpy_adam(*parts, 1e-3), 1e-5)

    ring = rng.integers(0, 99, size, dtype="i4")
    ringt, out = tn.asarray(ring), tn.empty(size, "i4")

    def add_neighbours():
        neighbours[256, 128](ringt, out)
        return out

    compare("neighbours", add_neighbours, lambda: np.roll(ring, 1) + ring + np.roll(ring, -1), 0)
    print("all results agree")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000, help="how many options there are")
    main(parser.parse_args().size)
