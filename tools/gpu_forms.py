"""The device forms on a GPU: medians of their times beside the bytes that they must move.

    python tools/gpu_forms.py

Needs the built package, NumPy and a GPU.
"""

import numpy as np
import tenorite as tn

random = np.random.default_rng(7)


def timed(function, bytes_moved, repeats=20):
    function()
    function()
    times = []
    start, stop = tn.cuda.Event(), tn.cuda.Event()
    for _ in range(repeats):
        start.record()
        function()
        stop.record()
        stop.synchronize()
        times.append(tn.cuda.get_elapsed_time(start, stop) * 1e3)
    median = sorted(times)[len(times) // 2]
    return median, bytes_moved / median / 1e3


def elementwise_cases(a, b):
    """(name, goal in us, function, bytes moved) of each case."""
    n = a.size
    out = tn.empty(n, "f4")
    m2, row, column = a.reshape(100000, 1000), b[:1000].copy(), b[:100000].reshape(-1, 1).copy()
    out2, outT = out.reshape(100000, 1000), out.reshape(1000, 100000)
    i4, f8 = tn.arange(n // 2, dtype="i4"), tn.empty(n // 2, "f8")
    flags, b1 = tn.empty(n, "?"), tn.zeros(n, "?")
    m3 = a.reshape(1000, 100, 1000)
    square = a[:64_000_000].reshape(8000, 8000)
    return [
        ("add", 285, lambda: tn.add(a, b, out=out), 12 * n),
        ("add offset", 0, lambda: tn.add(a[1:], b[:-1], out=out[1:]), 12 * n),
        ("add scalar", 0, lambda: tn.add(a, 1, out=out), 8 * n),
        ("exp", 0, lambda: tn.exp(a, out=out), 8 * n),
        ("sin", 0, lambda: tn.sin(a, out=out), 8 * n),
        ("compare", 0, lambda: tn.greater(a, b, out=flags), 9 * n),
        ("where", 0, lambda: tn.where(flags, a, b), 13 * n),
        ("i4 to f8 (5e7)", 0, lambda: tn.copyto(f8, i4), 6 * n),
        ("every second", 0, lambda: tn.multiply(a[::2], 2, out=out[: n // 2]), 6 * n),
        ("a + row", 200, lambda: tn.add(m2, row, out=out2), 8 * n),
        ("a + column", 210, lambda: tn.add(m2, column, out=out2), 8 * n),
        ("a + rowT (1000,1e5)", 0, lambda: tn.add(outT, b[:100000], out=outT), 8 * n),
        ("transposed copy", 300, lambda: tn.copyto(outT, m2.T), 8 * n),
        ("transposed 8000^2", 0, lambda: tn.copyto(out[:64_000_000].reshape(8000, 8000), square.T), 512_000_000),
        ("3-d transposed", 0, lambda: tn.copyto(out.reshape(1000, 100, 1000), m3.transpose(2, 1, 0)), 8 * n),
        ("u8 transposed", 0, lambda: tn.copyto(flags.reshape(10000, 10000), b1.reshape(10000, 10000).T), 2 * n),
    ]


def reduction_cases(a, b):
    n = a.size
    m2, m3 = a.reshape(100000, 1000), a.reshape(1000, 100, 1000)
    f8, b1 = tn.empty(n // 2, "f8"), tn.zeros(n, "?")
    return [
        ("sum", 110, lambda: tn.sum(a), 4 * n),
        ("sum axis 0", 110, lambda: tn.sum(m2, axis=0), 4 * n),
        ("sum axis 1", 110, lambda: tn.sum(m2, axis=1), 4 * n),
        ("sum rows of 10", 125, lambda: tn.sum(a.reshape(-1, 10), axis=1), 4.4 * n),
        ("sum 10 columns", 0, lambda: tn.sum(a.reshape(-1, 10), axis=0), 4 * n),
        ("sum rows of 100", 0, lambda: tn.sum(a.reshape(-1, 100), axis=1), 4 * n),
        ("sum rows of 16", 0, lambda: tn.sum(a.reshape(-1, 16), axis=1), 4 * n),
        ("sum f8 rows 1e7", 0, lambda: tn.sum(f8.reshape(5, -1), axis=1), 4 * n),
        ("var", 120, lambda: tn.var(a), 4 * n),
        ("var axis 0", 0, lambda: tn.var(m2, axis=0), 4 * n),
        ("max middle", 120, lambda: tn.max(m3, axis=1), 4 * n),
        ("argmax", 120, lambda: tn.argmax(a), 4 * n),
        ("cumsum", 230, lambda: tn.cumsum(a), 8 * n),
        ("cumsum axis 1", 0, lambda: tn.cumsum(m2, axis=1), 8 * n),
        ("cumsum axis 0", 0, lambda: tn.cumsum(m2, axis=0), 8 * n),
        ("cumsum rows of 10", 0, lambda: tn.cumsum(a.reshape(-1, 10), axis=1), 8 * n),
        ("any 1e8 bytes", 40, lambda: tn.any(b1), n),
        ("sum 1e8 bytes", 0, lambda: tn.sum(b1), n),
    ]


def indexing_cases(a, b):
    small = a[:10_000_000].copy()
    mask = small > 0.5
    index = tn.asarray(random.integers(0, 10_000_000, 10_000_000))
    bins, which = tn.zeros(1000, "f4"), tn.asarray(random.integers(0, 1000, 10_000_000))
    return [
        ("mask 1e7", 80, lambda: small[mask], 70_000_000),
        ("nonzero 1e7", 60, lambda: tn.nonzero(mask), 60_000_000),
        ("take 1e7", 60, lambda: small[index], 160_000_000),
        ("put 1e7", 0, lambda: small.__setitem__(index, small), 160_000_000),
        ("put one 1e7", 0, lambda: small.__setitem__(index, 0.5), 120_000_000),
        ("mask = 1", 0, lambda: small.__setitem__(mask, 0.7), 50_000_000),
        ("add.at 1e7", 300, lambda: tn.add.at(bins, which, small), 120_000_000),
    ]


def other_cases(a, b):
    n, k = a.size, 4096
    out = tn.empty(n, "f4")
    ma, mb = a[: k * k].reshape(k, k), b[: k * k].reshape(k, k)
    ints = tn.ones((1024, 1024), "i4")
    return [
        ("arange", 0, lambda: tn.arange(n, dtype="f4"), 4 * n),
        ("matmul f4 4096", 0, lambda: tn.matmul(ma, mb), 3 * 4 * k * k),
        ("matmul i4 1024", 0, lambda: tn.matmul(ints, ints), 3 * 4 * 1024 * 1024),
        ("add 10", 0, lambda: tn.add(a[:10], b[:10], out=out[:10]), 0),
        ("sum 10", 0, lambda: tn.sum(a[:10]), 0),
    ]


def time_all():
    a, b = (tn.asarray(random.random(100_000_000, dtype="f4")) for _ in range(2))
    print(f"{'case':22} {'us':>9} {'goal':>6} {'GB/s':>7}")
    for family in (elementwise_cases, reduction_cases, indexing_cases, other_cases):
        for name, goal, function, moved in family(a, b):
            try:
                median, rate = timed(function, moved)
                print(f"{name:22} {median:9.1f} {goal or '':>6} {rate:7.0f}")
            except Exception as error:
                print(f"{name:22} {type(error).__name__}: {str(error)[:200]}")


if __name__ == "__main__":
    time_all()
