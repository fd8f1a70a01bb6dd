"""The device forms on a GPU: each against NumPy, and its time beside the bytes it must move.

    python tools/gpu_forms.py [check] [elementwise] [reductions] ... [time]

Needs the built package, NumPy and a GPU. Prints what differs, then a table of medians in
microseconds.
"""

import itertools
import sys
import traceback

import numpy as np

import tenorite as tn

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
COMPLEX = ["complex64", "complex128"]
ALL = ["bool"] + INTEGERS + FLOATS + COMPLEX
random = np.random.default_rng(7)
failures = []
checked = 0


def sample(shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.random(shape) < 0.3
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else -50, 100, shape).astype(dtype)
    if dtype.kind == "f":
        return (random.random(shape) * 4 - 2).astype(dtype)
    return (random.random(shape) - 0.5 + 1j * random.random(shape)).astype(dtype)


def tolerance(dtype):
    return {"e": 4e-3, "f": 2e-5, "d": 1e-11, "F": 2e-5, "D": 1e-11}.get(np.dtype(dtype).char, 0)


def check(name, ours, theirs, loose=1):
    """`ours` is a function, so that its failure is counted, too."""
    global checked
    checked += 1
    try:
        got = ours()
        got = got.get() if hasattr(got, "get") else got
        theirs = np.asarray(theirs)
        got = np.asarray(got)
        if got.shape != theirs.shape or got.dtype != theirs.dtype:
            failures.append(f"{name}: {got.dtype}{got.shape}, not {theirs.dtype}{theirs.shape}")
            return
        limit = tolerance(theirs.dtype) * loose
        wide = theirs.astype(np.complex128 if theirs.dtype.kind == "c" else np.float64)
        if limit:
            scale = np.nanmax(np.where(np.isfinite(wide), np.abs(wide), 0)) if wide.size and not np.isnan(wide).all() else 0
            good = np.allclose(got.astype(wide.dtype), wide, rtol=limit, atol=limit * max(scale, 1e-3),
                               equal_nan=True)
        else:
            good = np.array_equal(got, theirs)
        if not good:
            bad = np.argwhere(~np.isclose(got.astype(wide.dtype), wide, rtol=limit, atol=limit))
            where = tuple(bad[0]) if len(bad) else ()
            failures.append(f"{name}: {len(bad)} of {got.size} differ, first at {where}: "
                            f"{got[where]} not {theirs[where]}")
    except Exception as error:  # noqa: BLE001: a report of all failures is wanted
        last = traceback.extract_tb(error.__traceback__)[-1]
        failures.append(f"{name}: {type(error).__name__}: {str(error)[:300]} ({last.name})")


def both(shape, dtype):
    a = sample(shape, dtype)
    return a, tn.asarray(a)


def check_elementwise():
    for dtype in ALL:
        for n in (1, 5, 1000, 100003):
            (a, x), (b, y) = both(n, dtype), both(n, dtype)
            check(f"flat add {dtype} {n}", lambda: x + y, a + b)
            check(f"flat equal {dtype} {n}", lambda: x == y, a == b)
            check(f"flat scalar {dtype} {n}", lambda: x * 2, a * 2)
        (a, x), (b, y) = both(1001, dtype), both(1001, dtype)
        check(f"offset {dtype}", lambda: x[1:] + y[:-1], a[1:] + b[:-1])
        check(f"step {dtype}", lambda: x[::2] + y[::-2], a[::2] + b[::-2])
        (a, x), (b, y), (c, z) = both((130, 257), dtype), both(257, dtype), both((130, 1), dtype)
        check(f"row {dtype}", lambda: x + y, a + b)
        check(f"column {dtype}", lambda: x + z, a + c)
        (a, x), (b, y) = both((128, 256), dtype), both((256, 128), dtype)
        check(f"row aligned {dtype}", lambda: x + x[0], a + a[0])
        check(f"turned {dtype}", lambda: x + y.T, a + b.T)
        check(f"turned copy {dtype}", lambda: y.T.copy(), b.T.copy())
        (a, x) = both((33, 45, 70), dtype)
        for axes in itertools.permutations(range(3)):
            check(f"copy {axes} {dtype}", lambda: tn.ascontiguousarray(x.transpose(axes)),
                  np.ascontiguousarray(a.transpose(axes)))
        check(f"strided {dtype}", lambda: x[::2, 1::3, ::-1] * x[::2, 1::3, :], a[::2, 1::3, ::-1] * a[::2, 1::3, :])
        for other in ALL:
            (a, x), (b, y) = both((20, 63), dtype), both((63, 20), other)
            with np.errstate(all="ignore"):
                check(f"cast {dtype} {other}", lambda: tn.asarray(np.abs(a)).astype(other), np.abs(a).astype(other))
            check(f"mixed {dtype} {other}", lambda: x + y.T, a + b.T, 300)
    a, x = both((64, 100), "float32")
    m, w = both((64, 100), "bool")
    out, into = np.zeros((64, 100), "f8"), tn.zeros((64, 100), "f8")
    np.add(a, 1, out=out, where=m)
    check("where=", lambda: tn.add(x, 1, out=into, where=w), out)
    out, into = np.zeros((100, 64), "f8"), tn.zeros((100, 64), "f8")
    np.add(a.T, 1, out=out, where=m.T)
    check("where= turned", lambda: tn.add(x.T, 1, out=into, where=w.T), out)
    check("where", lambda: tn.where(w, x, 2), np.where(m, a, np.float32(2)))
    check("divmod 0", lambda: tn.divmod(x, 0.3)[0], np.divmod(a, np.float32(0.3))[0])
    check("divmod 1", lambda: tn.divmod(x, 0.3)[1], np.divmod(a, np.float32(0.3))[1])
    a, x = both((3,) * 9, "int16")
    check("nine axes", lambda: tn.ascontiguousarray(x.T), np.ascontiguousarray(a.T))


def check_reductions():
    shapes = [((7,), None), ((100003,), None), ((3000, 10), 1), ((3000, 10), 0), ((50, 3001), 1),
              ((3001, 50), 0), ((4001, 128), 0), ((20, 30, 40), 1), ((20, 30, 40), (0, 2)),
              ((20, 300, 17), 1), ((4, 100000), 1), ((100000, 4), 0), ((2, 3, 50000), (0, 2)),
              ((300000, 3), 1), ((2000, 16), 1), ((70000, 2, 5), 1), ((1, 5), 0)]
    for dtype in ALL:
        for shape, axis in shapes:
            a, x = both(shape, dtype)
            name = f"{dtype} {shape} {axis}"
            exact = a.astype("c16" if a.dtype.kind == "c" else "f8") if a.dtype.kind in "fc" else a
            check(f"sum {name}", lambda: tn.sum(x, axis=axis), exact.sum(axis=axis).astype(a.sum().dtype), 20)
            check(f"max {name}", lambda: tn.max(x, axis=axis), a.max(axis=axis))
            check(f"any {name}", lambda: tn.any(x, axis=axis), a.any(axis=axis))
            if axis is None or isinstance(axis, int):
                check(f"argmax {name}", lambda: tn.argmax(x, axis=axis), a.argmax(axis=axis))
                check(f"argmin {name}", lambda: tn.argmin(x, axis=axis), a.argmin(axis=axis))
            if a.dtype.kind == "f":
                check(f"var {name}", lambda: tn.var(x, axis=axis), exact.var(axis=axis).astype(dtype), 20)
                check(f"mean {name}", lambda: tn.mean(x, axis=axis), exact.mean(axis=axis).astype(dtype), 20)
    for shape, axis in shapes:
        a, x = both(shape, "float32")
        a[a > 1.5] = np.nan
        x, m = tn.asarray(a), random.random(shape) < 0.5
        name = f"{shape} {axis}"
        check(f"nansum {name}", lambda: tn.nansum(x, axis=axis), np.nansum(a.astype("f8"), axis=axis).astype("f4"), 20)
        check(f"nanmean {name}", lambda: tn.nanmean(x, axis=axis), np.nanmean(a.astype("f8"), axis=axis).astype("f4"), 20)
        check(f"max of NaN {name}", lambda: tn.max(x, axis=axis), a.max(axis=axis))
        b, y = both(shape, "float64")
        check(f"where sum {name}", lambda: tn.sum(y, axis=axis, where=tn.asarray(m)), b.sum(axis=axis, where=m))
        check(f"count {name}", lambda: tn.count_nonzero(tn.asarray(m), axis=axis), np.asarray(np.count_nonzero(m, axis=axis)))
        check(f"subtract.reduce {name}", lambda: tn.subtract.reduce(y.reshape(-1)[:500]), np.subtract.reduce(b.reshape(-1)[:500]))
    a, x = both((300, 500), "float32")
    check("transposed sum", lambda: tn.sum(x.T, axis=0), a.astype("f8").T.sum(axis=0).astype("f4"), 20)
    check("strided sum", lambda: tn.sum(x[::2, ::3]), a[::2, ::3].astype("f8").sum().astype("f4"), 20)
    check("reversed max", lambda: tn.max(x[:, ::-1], axis=1), a[:, ::-1].max(axis=1))
    big, y = both(5_000_000, "float32")
    first = tn.sum(y).get()
    check("same again", lambda: all((tn.sum(y).get() == first) for _ in range(20)), np.True_)
    e = np.zeros(3_000_000, bool)
    for at in (0, 1_500_000, 2_999_999):
        e[:] = False
        e[at] = True
        check(f"any at {at}", lambda: tn.any(tn.asarray(e)), np.True_)
        check(f"all but {at}", lambda: tn.all(tn.asarray(~e)), np.False_)


def check_scans():
    shapes = [((5,), 0), ((1000,), 0), ((5000,), 0), ((100003,), 0), ((5_000_000,), 0), ((3000, 10), 1),
              ((30, 5000), 1), ((3000, 10), 0), ((2, 300000), 1), ((40, 50, 60), 1), ((4, 20000, 3), 1),
              ((300, 700), 1)]
    for dtype in ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64",
                  "complex128"]:
        for shape, axis in shapes:
            if dtype == "float16" and np.prod(shape) > 200000:
                continue
            a, x = both(shape, dtype)
            exact = a.astype("c16" if a.dtype.kind == "c" else "f8") if a.dtype.kind in "fc" else a
            out = exact.cumsum(axis=axis).astype(a[:0].cumsum().dtype)
            check(f"cumsum {dtype} {shape} {axis}", lambda: tn.cumsum(x, axis=axis), out, 100)
            check(f"cumsum T {dtype} {shape}", lambda: tn.cumsum(x.T, axis=0),
                  exact.T.cumsum(axis=0).astype(out.dtype), 100)
    a, x = both(100003, "float32")
    check("maximum.accumulate", lambda: tn.maximum.accumulate(x), np.maximum.accumulate(a))
    check("subtract.accumulate", lambda: tn.subtract.accumulate(x[:300]), np.subtract.accumulate(a[:300]), 100)
    y = tn.asarray(sample(3_000_000, "float32"))
    first = tn.cumsum(y).get()
    check("cumsum same again", lambda: all((tn.cumsum(y).get() == first).all() for _ in range(10)), np.True_)
    for shape in [(100,), (5000,), (50, 70)]:
        for dtype in ["int32", "float64"]:
            a, x = both(shape, dtype)
            places = np.array([0, 7, 3, 30, 30, 49])
            check(f"reduceat {shape} {dtype}", lambda: tn.add.reduceat(x, tn.asarray(places)), np.add.reduceat(a, places))
            check(f"reduceat ordered {shape} {dtype}", lambda: tn.subtract.reduceat(x, tn.asarray(places)),
                  np.subtract.reduceat(a, places))


def check_at():
    for dtype in INTEGERS + FLOATS + COMPLEX:
        for op in ("add", "subtract", "multiply", "maximum"):
            a, x = both(37, dtype)
            if op == "multiply":
                a, b = np.ones_like(a), np.ones(3000, dtype)
                b[::50] = 2
                x = tn.asarray(a)
            else:
                b = sample(3000, dtype)
                if np.dtype(dtype).kind in "fc":
                    b = np.round(b.real * 4).astype(dtype) / dtype_one(dtype, 4)
            index = random.integers(-37, 37, 3000)

            def run():
                getattr(tn, op).at(x, tn.asarray(index), tn.asarray(b))
                return x

            with np.errstate(all="ignore"):
                getattr(np, op).at(a, index, b)
            check(f"{op}.at {dtype}", run, a, 10)
    a, x = both((5, 6), "float32")
    i, j = random.integers(0, 5, 50), random.integers(0, 6, 50)

    def run2():
        tn.add.at(x, (tn.asarray(i), tn.asarray(j)), 1.0)
        return x

    np.add.at(a, (i, j), np.float32(1))
    check("add.at of two axes", run2, a, 10)


def dtype_one(dtype, value):
    return np.dtype(dtype).type(value)


def check_indexing():
    for dtype in ALL:
        a, x = both((300, 40), dtype)
        flat, y = both(10007, dtype)
        index = random.integers(-300, 300, 1000)
        check(f"take 0 {dtype}", lambda: x[tn.asarray(index)], a[index])
        check(f"take 1 {dtype}", lambda: tn.take(x, tn.asarray(index % 40), axis=1), np.take(a, index % 40, axis=1))
        check(f"take flat {dtype}", lambda: y[tn.asarray(index)], flat[index])
        check(f"take wrap {dtype}", lambda: tn.take(y, tn.asarray(index * 100), mode="wrap"),
              np.take(flat, index * 100, mode="wrap"))
        for n in (10007, 300 * 40):
            m = random.random(n) < 0.3
            source, z = (flat, y) if n == 10007 else (a, x)
            mask = m.reshape(source.shape)
            check(f"compress {dtype} {n}", lambda: z[tn.asarray(mask)], source[mask])
        check(f"compress T {dtype}", lambda: x.T[tn.asarray(mask.T)], a.T[mask.T])

        def masked(target, chosen, value):
            copy = target.copy()
            copy[chosen] = value
            return copy

        many = sample(int(mask.sum()), dtype)
        check(f"expand {dtype}", lambda: masked(x, tn.asarray(mask), tn.asarray(many)), masked(a, mask, many))
        check(f"expand one {dtype}", lambda: masked(x, tn.asarray(mask), 1), masked(a, mask, 1))
        values = sample(1000, dtype)
        check(f"put {dtype}", lambda: masked(y, tn.asarray(index), tn.asarray(values)), masked(flat, index, values))
        few = random.integers(0, 5, 64)
        check(f"put few {dtype}", lambda: masked(y, tn.asarray(few), tn.asarray(values[:64])),
              masked(flat, few, values[:64]))
        check(f"put one {dtype}", lambda: masked(y, tn.asarray(index), 1), masked(flat, index, 1))
        rows = sample((1000, 40), dtype)
        check(f"put rows {dtype}", lambda: masked(x, tn.asarray(index), tn.asarray(rows)), masked(a, index, rows))
        check(f"nonzero {dtype}", lambda: tn.nonzero(x)[1], np.nonzero(a)[1])
        check(f"flatnonzero {dtype}", lambda: tn.flatnonzero(y), np.flatnonzero(flat))
        if np.dtype(dtype).kind != "b":
            check(f"arange {dtype}", lambda: tn.arange(0, 100, dtype=dtype), np.arange(0, 100, dtype=dtype))
    check("linspace", lambda: tn.linspace(0, 1, 1001), np.linspace(0, 1, 1001))
    m = random.random(3_000_001) < 0.5
    check("nonzero long", lambda: tn.nonzero(tn.asarray(m))[0], np.nonzero(m)[0])
    x = tn.arange(10)
    for what in ("take", "put", "at"):
        try:
            before = x.get()
            if what == "take":
                x[tn.asarray(np.array([3, 12]))]
            elif what == "put":
                x[tn.asarray(np.array([3, -11]))] = tn.asarray(np.array([5, 6]))
            else:
                tn.add.at(x, tn.asarray(np.array([1, 10])), 1)
            tn.cuda.get_current_stream().synchronize()
            failures.append(f"{what} out of bounds: no error")
        except IndexError as error:
            if "size 10" not in str(error):
                failures.append(f"{what} out of bounds: {error}")
        check(f"{what} left it", lambda: x, before)


def check_matmul():
    for dtype in ALL:
        for m, n, k in [(1, 1, 1), (3, 4, 5), (65, 130, 33), (200, 100, 300), (1, 50, 60), (50, 1, 60), (1, 1, 9000)]:
            (a, x), (b, y) = both((m, k), dtype), both((k, n), dtype)
            if np.dtype(dtype).kind in "fc":
                exact = (a.astype("c16") @ b.astype("c16"))
                exact = (exact if np.dtype(dtype).kind == "c" else exact.real).astype(dtype)
            else:
                exact = a @ b
            check(f"matmul {dtype} {m} {n} {k}", lambda: x @ y, exact, 20)
            bt = tn.asarray(np.ascontiguousarray(b.T))
            check(f"matmul T {dtype} {m} {n} {k}", lambda: x @ bt.T, exact, 20)
        (a, x), (b, y) = both((3, 1, 20, 30), dtype), both((4, 30, 10), dtype)
        check(f"matmul batch {dtype}", lambda: x @ y, (a @ b), 100)


def check_huge():
    """Indexes past 2**31 and 2**32."""
    for n in (2**31 + 12345, 2**32 + 77):
        x = tn.zeros(n, "i1")
        x[-1] = 7
        x[n - 1000] = 5
        check(f"add {n}", lambda: (x + x)[-3:], np.array([0, 0, 14], "i1"))
        check(f"strided {n}", lambda: (x[::2] + x[::2])[-1], np.int8(14 if n % 2 else 0))
        check(f"sum {n}", lambda: tn.sum(x), np.int64(12))
        check(f"argmax {n}", lambda: tn.argmax(x), np.int64(n - 1))
        check(f"any {n}", lambda: tn.any(x), np.True_)
        check(f"nonzero {n}", lambda: tn.nonzero(x)[0], np.array([n - 1000, n - 1]))
        check(f"mask {n}", lambda: x[x > 0], np.array([5, 7], "i1"))
        check(f"take {n}", lambda: x[tn.asarray(np.array([-1, n - 1000, 0]))], np.array([7, 5, 0], "i1"))
        check(f"cumsum {n}", lambda: tn.cumsum(x, dtype="i4")[n - 1002:], np.repeat([0, 5, 12], [2, 999, 1]).astype("i4"))
        m = x[: n // 1000 * 1000].reshape(1000, -1)
        check(f"sum axis 0 {n}", lambda: tn.sum(tn.sum(m, axis=0)), x[: n // 1000 * 1000].sum().get())
        check(f"sum axis 1 {n}", lambda: tn.sum(m, axis=1)[-1], x[: n // 1000 * 1000].sum().get())
        check(f"transposed {n}", lambda: tn.ascontiguousarray(m.T)[-1, -1], m[-1, -1].get())
        del x, m


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
            except Exception as error:  # noqa: BLE001
                print(f"{name:22} {type(error).__name__}: {str(error)[:200]}")


if __name__ == "__main__":
    parts = (check_elementwise, check_reductions, check_scans, check_at, check_indexing, check_matmul,
             check_huge)
    wanted = sys.argv[1:] or ["check", "time"]
    chosen = [part for part in parts if "check" in wanted or part.__name__[6:] in wanted]
    if chosen:
        for part in chosen:
            before = len(failures)
            try:
                part()
            except Exception:  # noqa: BLE001
                failures.append(f"{part.__name__}: {traceback.format_exc()[-600:]}")
            print(f"{part.__name__}: {len(failures) - before} failures", flush=True)
        print(f"{checked} checks, {len(failures)} failures")
        for line in failures[:40]:
            print("  " + line)
    if "time" in wanted:
        time_all()
