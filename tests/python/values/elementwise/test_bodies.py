"""Reductions of what operations make of their inputs (vdot, vecdot, average), and of unaligned
arrays: every layout against NumPy, and against the two passes."""

import numpy as np
import pytest
import tenorite as tn

DTYPES = [np.dtype(c) for c in "?bHilQefdFD"]
PAIRS = [*zip(DTYPES, DTYPES), *((np.dtype(a), np.dtype(b)) for a, b in ("?d", "bH", "ef", "iF", "Fd", "lf", "eD"))]


def numbers(shape, dtype, seed):
    """Small integers: sums of their products are exact, but for halves."""
    random = np.random.default_rng(seed)
    real = random.integers(0 if dtype.kind in "bu" else -2, 2 if dtype.kind == "b" else 4, shape)
    return (real + 1j * real[..., ::-1] if dtype.kind == "c" and shape else real).astype(dtype)


def unaligned(x):
    """The same array one byte off."""
    memory = tn.empty(x.nbytes + 1, "uint8")
    order = "F" if x.ndim > 1 and x.flags.f_contiguous else "C"
    result = tn.ndarray(x.shape, x.dtype, memory.data + 1, order=order)
    result[...] = x
    return result


# Two arrays of a shape, made of NumPy's.
LAYOUTS = {
    "contiguous": lambda make, shape: (make(shape, 0), make(shape, 1)),
    "strided": lambda make, shape: (make((*shape[:-1], 3 * shape[-1]), 0)[..., ::3], make(shape, 1)),
    "both strided": lambda make, shape: tuple(make((*shape[:-1], 2 * shape[-1]), k)[..., ::2] for k in (0, 1)),
    "reversed": lambda make, shape: (make(shape, 0)[..., ::-1], make(shape, 1)),
    "both reversed": lambda make, shape: (make(shape, 0)[..., ::-1], make(shape, 1)[..., ::-1]),
    "transposed": lambda make, shape: (make(shape[::-1], 0).T, make(shape[::-1], 1).T),
    "transposed and not": lambda make, shape: (make(shape[::-1], 0).T, make(shape, 1)),
    "broadcast": lambda make, shape: (make(shape, 0), make(shape[-1:], 1)),
    "one": lambda make, shape: (make(shape, 0), make((1,) * len(shape), 1)),
    "shifted": lambda make, shape: (make((*shape[:-1], shape[-1] + 1), 0)[..., 1:], make(shape, 1)),
}
SHAPES = [(5000,), (40000,), (7, 900), (900, 7), (3, 40, 60), (2500, 3), (0,), (3, 0), (4, 1), (1,)]


def check(got, wanted, exact=True):
    wanted = np.asarray(wanted)
    assert (got.shape, got.dtype) == (wanted.shape, wanted.dtype)
    if exact and wanted.dtype != "float16":
        np.testing.assert_array_equal(got.get(), wanted)
    else:
        np.testing.assert_allclose(got.get(), wanted, rtol=2e-3 if wanted.dtype == "float16" else 1e-6, atol=1e-2)


def products(a, b, axis):
    """Sums of conj(a) * b, rounded once, as NumPy's vecdot would give them."""
    dtype = np.result_type(a, b)
    if dtype.kind == "b":
        return (a & b).any(axis)
    wide = "float32" if dtype == "float16" else dtype
    return np.asarray((a.astype(wide).conj() * b.astype(wide)).sum(axis, dtype=wide)).astype(dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtypes", PAIRS, ids=str)
def test_products_of_vectors(dtypes, layout):
    for shape in SHAPES:
        a, b = LAYOUTS[layout](lambda shape, k: numbers(shape, dtypes[k], k), shape)
        x, y = LAYOUTS[layout](lambda shape, k: tn.asarray(numbers(shape, dtypes[k], k)), shape)
        for axis in range(len(shape)):
            if a.shape[axis] != np.broadcast_to(b, a.shape).shape[axis] or b.ndim != a.ndim or b.shape != a.shape:
                continue
            check(tn.vecdot(x, y, axis=axis), products(a, b, axis))
        if b.shape[-1:] == a.shape[-1:]:
            check(tn.vecdot(x, y), products(a, b, -1))
            check(tn.vecdot(y, x), products(b, a, -1))
        if a.shape == b.shape:
            check(tn.vdot(x, y), products(a, b, None))


@pytest.mark.parametrize("dtypes", PAIRS, ids=str)
def test_unaligned_products_of_vectors(dtypes):
    for shape in ((40000,), (7, 900), (900, 7)):
        a, b = (numbers(shape, dtypes[k], k) for k in (0, 1))
        x, y = tn.asarray(a), tn.asarray(b)
        for p, q in ((unaligned(x), y), (x, unaligned(y)), (unaligned(x), unaligned(y))):
            check(tn.vdot(p, q), products(a, b, None))
            check(tn.vecdot(p, q), products(a, b, -1))
            check(tn.vecdot(p, q, axis=0), products(a, b, 0))
        check(tn.vecdot(unaligned(x)[..., ::-2], y[..., ::2]), products(a[..., ::-2], b[..., ::2], -1))


@pytest.mark.parametrize("dtype", "?ifD")
def test_results_that_are_given(dtype):
    dtype = np.dtype(dtype)
    a, b = (numbers((100, 70), dtype, k) for k in (0, 1))
    x, y = tn.asarray(a).T, tn.asarray(b).T  # across memory: a fold
    wanted = products(a.T, b.T, -1)
    out = tn.zeros(70, dtype)
    assert tn.vecdot(x, y, out=out) is out
    check(out, wanted)
    tn.vecdot(x, y, out=out[::-1])
    check(out, wanted[::-1])
    spread = tn.zeros((3, 70), dtype)
    tn.vecdot(x, y, out=spread)
    check(spread, np.broadcast_to(wanted, (3, 70)))
    wider = tn.zeros(70, "complex128")
    tn.vecdot(x, y, out=wider)
    check(wider, wanted.astype("complex128"))
    x = tn.asarray(a)[:70].T  # the result lies in an operand
    y = tn.asarray(b)[:70].T
    wanted = products(a[:70].T, b[:70].T, -1)
    tn.vecdot(x, y, out=x[0])
    check(x[0], wanted)


def test_truths_end_early_or_not():
    a = np.zeros(100000, bool)
    for place in (None, 0, 31, 5000, 99999):
        b = a.copy()
        if place is not None:
            b[place] = True
        assert bool(tn.vdot(tn.asarray(b), tn.ones(b.size, bool))) is (place is not None)
        assert bool(tn.vdot(tn.asarray(b)[::-1], tn.ones(b.size, bool))) is (place is not None)


def test_sums_of_halves_are_rounded_once():
    x = tn.full(70000, 100, "float16")[::2]
    assert tn.vdot(x, tn.full(35000, 0.001, "float16")) == np.float16(35000 * 100 * float(np.float16(0.001)))


@pytest.mark.parametrize("dtype", "?hifdFD")
def test_averages_have_the_bits_of_two_passes(dtype, device):
    random = np.random.default_rng(3)
    for shape, axis in (((300000,), None), ((1000, 300), 0), ((1000, 300), 1), ((30, 40, 50), (0, 2)), ((), None)):
        x, w = (tn.asarray(np.asarray(random.normal(size=shape) * 5).astype(dtype)) for k in (0, 1))
        w = abs(w) + tn.ones((), x.dtype)
        for a, b in ((x, w), (x.T, w.T), (x[::-1] if shape else x, w)):
            kind = np.result_type(a.dtype, b.dtype, *(("f8",) if a.dtype.kind in "biu" else ()))
            product = (a.astype(kind) * b.astype(kind)).sum(axis, dtype=kind)
            wanted = product / b.sum(axis, dtype=kind)
            got = tn.average(a, axis, b)
            assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
            if device == "host":
                assert got.get().tobytes() == wanted.get().tobytes()
            else:
                np.testing.assert_allclose(got.get(), wanted.get(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d.itemsize > 1], ids=str)
def test_unaligned_reductions_have_the_bits_of_aligned_ones(dtype, device):
    """On a GPU an aligned copy is reduced, which may lie otherwise than the array did. A row of
    halves in strict order is rounded after each piece that is brought together."""
    random = np.random.default_rng(4)

    def same(got, wanted, *words, exact=device == "host"):
        got, wanted = got.get(), wanted.get()
        if exact:
            assert got.tobytes() == wanted.tobytes(), words
        else:
            np.testing.assert_allclose(got, wanted, 1e-2 if dtype.itemsize == 2 else 1e-4, 1e-2, err_msg=str(words))

    for shape in ((10,), (70000,), (100, 7), (7, 100), (600, 90), (30, 40, 50)):
        data = random.normal(size=shape) * 4
        x = tn.asarray((abs(data) if dtype.kind == "u" else data).astype(dtype))
        y = unaligned(x)
        mask = tn.asarray(random.integers(0, 2, shape).astype(bool))
        for axis in (None, *range(x.ndim)):
            for name in ("sum", "prod", "max", "mean", "var", "any", "count_nonzero", "nansum", "nanmax"):
                function = getattr(tn, name)
                same(function(y, axis), function(x, axis), name, shape, axis)
            same(y[::-2].sum(axis), x[::-2].sum(axis), shape, axis)
            same(y.T.sum(axis), x.T.sum(axis), shape, axis)
            same(tn.sum(y, axis, where=mask), tn.sum(x, axis, where=mask), shape, axis)
            row = 0 if axis is None else axis
            same(tn.linalg.norm(y, 1, row), tn.linalg.norm(x, 1, row), shape, row)
        for step in (1, -3):
            exact = device == "host" and dtype != "float16"
            same(tn.subtract.reduce(y[::step]), tn.subtract.reduce(x[::step]), shape, exact=exact)
        same(tn.subtract.reduce(y, dtype="complex128"), tn.subtract.reduce(x, dtype="complex128"), shape)
