"""Instruction-set levels give the same bits: in every operation, conversion, reduction and scan.
Each of them sorts as NumPy.

Two things may differ, and are left out: vector mathematics, SLEEF's and ours (loops/maths), whose
functions fuse multiplications and additions where the level can, and matrix products, which do so
too.
"""

import contextlib
import hashlib
import itertools

import pytest
from programs import ROOT, output_of

FOLDS = ("sum", "prod", "mean", "var", "cumsum", "cumprod", "nansum", "argmax")


def digests():
    """(name, dtypes, digest) of results on this process's level."""
    import numpy as np
    import tenorite as tn
    from generator import DTYPES, ordinary, specials, ufunc_names

    def digest(result):
        host = result.get()
        if host.dtype.kind in "fc":  # NaN have many bits
            parts = np.ascontiguousarray(host).view(host.real.dtype)
            host = np.where(parts != parts, np.full_like(parts, np.nan), parts)
        return hashlib.sha256(host.tobytes()).hexdigest()

    def values(dtype, seed):
        return tn.array(np.concatenate([specials(dtype), ordinary(dtype, 1000, seed)])[:1000])

    for name, dtype in itertools.product(ufunc_names(), DTYPES):
        function = getattr(tn, name)
        arrays = [values(dtype, k) for k in range(function.nin)]
        if np.dtype(dtype).kind in "iu" and function.nin == 2:
            arrays[1] = tn.abs(arrays[1]) % 7  # exponents and shifts
        with contextlib.suppress(TypeError):  # no such loop
            result = function(*arrays)
            for k, one in enumerate(result if isinstance(result, tuple) else (result,)):
                yield name, dtype, k, digest(one)
    for dtype, other in itertools.product(DTYPES, DTYPES):
        yield "astype", dtype, other, digest(values(dtype, 0).astype(other))
    for dtype, name in itertools.product(DTYPES, FOLDS):
        matrix = tn.array(ordinary(dtype, 5000, 1).reshape(100, 50))
        for axis in (None, 0, 1):
            yield name, dtype, axis, digest(getattr(tn, name)(matrix, axis))
    fused = tn.fuse(lambda a, b: tn.sqrt(abs(((a * b - 3) / b + a) * (2 / a))) - a * a)
    folded = tn.fuse(lambda a, b: (tn.sum((a - b) ** 2), tn.max(a * 2 - b), tn.prod(a / b)))
    for dtype, length in itertools.product("fd", (5001, 6213, 9000)):
        a, b = (tn.array(ordinary(dtype, length, seed)) for seed in range(2))
        yield "chain", dtype, length, digest(fused(a, b)), digest(tn.sum(fused(a, b)))
        yield "folds", dtype, length, *map(digest, folded(a, b))


def rows_to_sort(dtype):
    """(name, row): every short length, and orders that sorts treat in ways of their own."""
    import numpy as np
    from generator import ordinary, specials

    random = np.random.default_rng(0)
    mixed = random.permutation(np.concatenate([specials(dtype), ordinary(dtype, 1100, 0)]))
    mixed = np.resize(mixed, 1100)
    for n in range(301):
        yield "mixed", mixed[:n]
    for n in (16, 65, 130, 257, 300, 520, 1100):
        with np.errstate(all="ignore"):
            ascending = np.sort(mixed[:n])
            yield "ascending", ascending
            yield "descending", ascending[::-1]
            yield "distinct, descending", np.arange(n, 0, -1).astype(dtype)
            yield "equal", np.full(n, mixed[0])
            yield "two values", random.integers(0, 2, n).astype(dtype)
            yield "few values", random.integers(0, 9, n).astype(dtype)
            yield "periods", (np.arange(n) % 31).astype(dtype)
            yield "all but one equal", np.where(np.arange(n) == n // 2, mixed[1], mixed[0])
            yield "two ends", np.concatenate([ascending[::2], ascending[1::2][::-1]])
    for n in (5000, 40_000, 100_000):
        yield "long", np.resize(ordinary(dtype, 3000, n), n) if n == 40_000 else ordinary(dtype, n, n)


def wrong_sorts():
    """Sorts, selections and orders of rows on this process's level that are not NumPy's."""
    import numpy as np
    import tenorite as tn
    from generator import DTYPES
    from oracle import is_partition

    def same(got, expected):
        got = got.get()
        if not np.array_equal(got, expected, equal_nan=got.dtype.kind in "fc"):
            return False
        zeros = [np.signbit(one.real) & (one == 0) for one in (got, expected)] if got.dtype.kind in "fc" else [0, 0]
        return np.sum(zeros[0]) == np.sum(zeros[1])

    for dtype in DTYPES:
        for name, host in rows_to_sort(dtype):
            ours, n, order = tn.array(host), host.size, np.argsort(host, stable=True)
            stable = host[order]
            right = {
                "sort": same(tn.sort(ours), stable),
                "stable": same(tn.sort(ours, stable=True), stable),
                "argsort": (tn.argsort(ours).get() == order).all(),
            }
            if name != "mixed" or n % 16 == 1:
                column = tn.array(np.stack([host, host], 1))
                backwards = n - 1 - np.argsort(host[::-1], stable=True)[::-1]
                column.sort(0)
                right["in place, axis 0"] = same(column[:, 1], stable)
                right["descending"] = (tn.argsort(ours, descending=True).get() == backwards).all()
                for kth in (0, n // 2, [n // 3, n - 1]):
                    right[f"partition {kth}"] = is_partition(tn.partition(ours, kth).get(), host, kth)
                    right[f"argpartition {kth}"] = is_partition(host[tn.argpartition(ours, kth).get()], host, kth)
            for call, is_right in right.items():
                if not is_right:
                    yield dtype, name, n, call
    yield ("all were compared",)


def run(level, lines="digests", **variables):
    """What a generator of this file yields on a level."""
    program = (
        f"import sys\nsys.path[:0] = {[str(ROOT / 'tests/python'), str(ROOT / 'tests/python/process')]}\n"
        "import warnings\nwarnings.simplefilter('ignore')\n"
        f"import test_levels\nfor line in test_levels.{lines}():\n    print(*line)"
    )
    return output_of(program, {"TENORITE_ISA": level, "TENORITE_SLEEF": "0", **variables}).splitlines()


def test_same_bits(device):
    if device != "host":
        pytest.skip("levels are the host's")
    lowest = run("v2")
    assert len(lowest) > 1000
    for level in ("v3", "v4"):
        different = [line for line, other in zip(run(level), lowest, strict=True) if line != other]
        assert not different, different[:12]


@pytest.mark.parametrize("level, threads", [("v2", "6"), ("v3", "1"), ("v3", "3"), ("v4", "1"), ("v4", "6")])
def test_sorts(device, level, threads):
    if device != "host":
        pytest.skip("levels are the host's")
    assert run(level, "wrong_sorts", TENORITE_NUM_THREADS=threads) == ["all were compared"]
