"""Reductions and scans against NumPy: values, dtypes, shapes, exceptions; all layouts and options.

Sums are compared with bounds that grow with the sum of magnitudes, as rounding does: NumPy's own
error counts as well as ours. Extremes, counts, truths and integers must be equal.
"""

import itertools
import zlib

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, FLOATS, LAYOUTS, both, grid, ordinary, specials
from oracle import Report, assert_same, disagreement, outcome, quiet, same_kind, to_host
from programs import output_of

pytestmark = pytest.mark.quick

EXACT = ("max", "min", "all", "any", "ptp", "count_nonzero", "nanmax", "nanmin")
ROUNDING = ("sum", "prod", "mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd")
REDUCTIONS = EXACT + ROUNDING
POSITIONS = ("argmax", "argmin", "nanargmax", "nanargmin")
SCANS = ("cumsum", "cumprod", "nancumsum", "nancumprod")
EVERY = REDUCTIONS + POSITIONS + SCANS


def close(ours, theirs, scale):
    """A text where results differ by more than a few roundings of values as large as `scale`."""
    ours = to_host(ours)
    theirs = np.asarray(theirs)
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return f"{ours.dtype}{ours.shape} for {theirs.dtype}{theirs.shape}"
    if theirs.dtype.kind not in "fc":
        return None if np.array_equal(ours, theirs) else f"{ours!r} for {theirs!r}"
    with quiet():
        wrong = np.abs(ours - theirs) > 16 * np.finfo(theirs.dtype).eps * scale
        wrong |= np.isnan(ours) != np.isnan(theirs)
        wrong &= ~(ours == theirs)
    return f"{ours[wrong]} for {theirs[wrong]}" if wrong.any() else None


def scale_of(name, x, initial=0):
    """How large the intermediate results of a reduction of x may be."""
    with quiet():
        size = np.abs(np.where(np.isfinite(x), x, 0)).astype("f8")
        if "prod" in name:
            return np.prod(np.maximum(size, 1)) * max(abs(initial), 1)
        if "var" in name or "std" in name:
            return max(np.sum(size**2), 1)
        return max(np.sum(size), 1) + abs(initial)


def check(name, x, a, report, label, **options):
    """One call on both sides; exceptions must be of one kind."""
    mine = {k: tn.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
    report.count += 1
    expected, refused = outcome(lambda: getattr(np, name)(x, **options))
    made, failed = outcome(lambda: getattr(tn, name)(a, **mine))
    if refused is not None or failed is not None:
        if refused is None or failed is None or not same_kind(failed, refused):
            report.found.append(f"{name} {label}: {failed!r} for {refused!r}")
        return
    if name in EXACT + POSITIONS:
        text = disagreement(lambda: made, lambda: np.asarray(expected), zero_sign=False)
    else:
        text = close(made, expected, scale_of(name, x, options.get("initial") or 0))
    if text:
        report.found.append(f"{name} {label}: {text}")


def small(dtype, shape, seed=0):
    """Values whose products neither overflow nor vanish."""
    random = np.random.default_rng([seed, len(shape)])
    if dtype == "bool":
        return random.integers(0, 2, shape).astype(bool)
    if np.dtype(dtype).kind in "iu":
        return random.integers(1, 4, shape).astype(dtype)
    values = random.uniform(0.8, 1.2, shape) * random.choice([-1, 1], shape)
    return (values * np.exp(1j * values) if np.dtype(dtype).kind == "c" else values).astype(dtype)


# --- Every reduction x dtype x axis x layout ---


@pytest.mark.parametrize("name", EVERY)
def test_dtypes_axes_layouts(name):
    report = Report()
    for dtype, layout in itertools.product(DTYPES, LAYOUTS):
        x, a = both(small(dtype, (7, 9)), layout)
        for axis in [None, *range(-x.ndim - 1, x.ndim + 1)]:
            check(name, x, a, report, f"{dtype} {layout} {axis}", axis=axis)
    report.close(500)


@pytest.mark.parametrize("name", EXACT + POSITIONS)
def test_special_values(name):
    report = Report()
    for dtype in DTYPES:
        for x in (grid(dtype), specials(dtype), specials(dtype)[::-1], grid(dtype, seed=3).T):
            if np.dtype(dtype).kind == "c" and name in ("ptp",):
                continue  # the difference of two extremes that may be NaN in either part
            for axis in [None, *range(x.ndim)]:
                check(name, x, tn.asarray(x), report, f"{dtype} {x.shape} {axis}", axis=axis)
    report.close(100)


@pytest.mark.parametrize("name", ("sum", "mean", "var", "std", "nansum", "nanmean", "nanvar", "cumsum"))
@pytest.mark.parametrize("dtype", FLOATS)
def test_not_finite(name, dtype):
    report = Report()
    for bad in ([np.inf], [-np.inf], [np.nan], [np.inf, -np.inf], [np.nan, np.inf]):
        for length in (2, 9, 40, 300, 3000):
            x = small(dtype, (length,))
            x[np.arange(len(bad)) * (length // 2)] = bad
            check(name, x, tn.asarray(x), report, f"{bad} {length}")
            y = np.repeat(x[:, None], 5, axis=1)
            check(name, y, tn.asarray(y), report, f"{bad} {length} columns", axis=0)
    report.close()


@pytest.mark.parametrize("name", REDUCTIONS)
def test_options(name):
    report = Report()
    random = np.random.default_rng(7)
    for dtype in ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"):
        x = small(dtype, (4, 5, 6))
        a = tn.asarray(x)
        axes = [(), (0,), (2, 0), (0, 1, 2), (-1, 1), (1, 1), (0, 3), 1, None]
        for axis, keepdims in itertools.product(axes, (False, True)):
            check(name, x, a, report, f"{dtype} {axis} {keepdims}", axis=axis, keepdims=keepdims)
        if name in ("ptp", "count_nonzero"):
            continue
        for shape in ((4, 5, 6), (5, 6), (6,), (), (4, 1, 1), (1, 5, 1), (4, 5, 5), (1, 4, 5, 6)):
            where = np.asarray(random.random(shape) < 0.5)
            for axis in (None, 0, 2, (0, 2)):
                check(name, x, a, report, f"{dtype} where{shape} {axis}", axis=axis, where=where)
                if name in ("max", "min", "sum", "prod", "nanmax"):
                    check(name, x, a, report, f"{dtype} where{shape} {axis} initial", axis=axis, where=where, initial=1)
    report.close(100)


@pytest.mark.parametrize("name", ("sum", "prod", "max", "min", "nansum", "nanprod", "nanmax", "nanmin"))
def test_initial(name):
    report = Report()
    for dtype in DTYPES:
        for shape in ((5,), (3, 4), (0,), (0, 3)):
            x = small(dtype, shape)
            for initial in (0, 1, -3, 2.5, 300, True, 1 + 2j, None):
                check(name, x, tn.asarray(x), report, f"{dtype} {shape} {initial}", axis=0, initial=initial)
    report.close()


@pytest.mark.parametrize("name", ("sum", "prod", "mean", "nansum", "nanmean", *SCANS))
def test_dtype(name):
    report = Report()
    for dtype, wanted in itertools.product(DTYPES, ("int32", "uint8", "float16", "float32", "float64", "complex128")):
        if np.dtype(dtype).kind == "c" and np.dtype(wanted).kind != "c":
            continue  # NumPy warns that parts are dropped
        if dtype == "float16" and np.dtype(wanted).kind in "iu" and "mean" in name:
            continue  # NumPy divides in half
        x = small(dtype, (6, 3))
        check(name, x, tn.asarray(x), report, f"{dtype} as {wanted}", axis=0, dtype=wanted)
    report.close()


@pytest.mark.parametrize("name", [name for name in REDUCTIONS if name != "count_nonzero"])
def test_out(name):
    report = Report()
    for dtype, result, layout in itertools.product(
        ("int16", "float16", "float32", "complex64"), ("float64", "complex128"), ("contiguous", "strided", "negative")
    ):
        if name == "ptp" and dtype == "complex64":
            continue  # NumPy's own steps don't fit together
        x, a = both(small(dtype, (7, 9)), layout)
        out, made = np.zeros((2, 9), result)[1][::-1], tn.zeros((2, 9), result)[1][::-1]
        with quiet():
            getattr(np, name)(x, axis=0, out=out)
        back = getattr(tn, name)(a, axis=0, out=made)
        assert back is made
        report.count += 1
        # What comes between is rounded to the input's precision.
        text = close(
            made.astype("c16"), out.astype("c16"), scale_of(name, x) * 2.0 ** (42 if dtype == "float16" else 29)
        )
        if text:
            report.found.append(f"{name} {dtype} {result} {layout}: {text}")
    for shape in ((9,), (1, 9), (7,), (), (8,), (9, 1)):
        x, a = both(small("float64", (7, 9)))
        for keepdims in (False, True):
            report.check(
                f"{name} {shape}",
                lambda: getattr(tn, name)(a, axis=0, keepdims=keepdims, out=tn.zeros(shape)).shape,
                lambda: getattr(np, name)(x, axis=0, keepdims=keepdims, out=np.zeros(shape)).shape,
            )
    report.close()


def test_out_overlaps():
    for dtype in ("float32", "int64"):
        x = small(dtype, (6, 6))
        for take in (lambda v: v[0], lambda v: v[:, 1], lambda v: v[2, ::-1]):
            for axis in (0, 1):
                y, a = x.copy(), tn.asarray(x)
                expected = x.sum(axis)
                # Of 6 elements around 1.
                assert close(a.sum(axis, out=take(a)), expected, 6) is None
                y = x.copy()
                take(y)[...] = expected
                assert close(a, y, 6) is None
        a = tn.asarray(x)
        tn.cumsum(a, axis=1, out=a)
        assert close(a, x.cumsum(axis=1), 6) is None
    frozen = tn.zeros(6)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        tn.asarray(x).sum(0, out=frozen)


@pytest.mark.parametrize("name", ("var", "std", "nanvar", "nanstd"))
def test_correction(name):
    report = Report()
    for dtype in ("int32", "float16", "float32", "float64", "complex128"):
        for length in (1, 2, 3, 50):
            x = small(dtype, (length, 2))
            for ddof in (0, 1, 0.5, 2, 3, 60):
                check(name, x, tn.asarray(x), report, f"{dtype} {length} {ddof}", axis=0, ddof=ddof)
            check(name, x, tn.asarray(x), report, f"{dtype} {length}", correction=1)
            check(name, x, tn.asarray(x), report, f"{dtype} both", correction=1, ddof=1)
    report.close()


# --- Large: trees, threads, every shape of work ---

SHAPES = [
    (100_003,),
    (3000, 40),
    (40, 3000),
    (31, 70, 50),
    (2, 50_000),
    (50_000, 2),
    (50_000, 3),
    (20_000, 5, 2),
    (5, 2, 20_000),
    (300, 20, 20),
    (1, 99_999),
    (99_999, 1),
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ("bool", "uint8", "int32", "float16", "float32", "float64", "complex64"))
def test_large(shape, dtype):
    report = Report()
    random = np.random.default_rng(zlib.crc32(repr((shape, dtype)).encode()))
    x = random.normal(size=shape) * 8
    if dtype == "complex64":
        x = x + 1j * random.normal(size=shape)
    x = (x > 0) if dtype == "bool" else (np.abs(x) if dtype == "uint8" else x).astype(dtype)
    axes = [None, *range(len(shape))] + ([(0, 2)] if len(shape) == 3 else [])
    for view in ("all", "reversed", "strided", "transposed"):
        y = {"all": x, "reversed": x[::-1], "strided": x[..., ::2] if shape[-1] > 2 else x[::2], "transposed": x.T}[
            view
        ]
        a = {"all": tn.asarray(x), "transposed": tn.asarray(x).T}.get(view)
        if a is None:
            a = tn.asarray(x)
            a = a[::-1] if view == "reversed" else a[..., ::2] if shape[-1] > 2 else a[::2]
        wide = y.astype("c16" if dtype == "complex64" else "f8") if y.dtype.kind in "fc" else y
        for name, axis in itertools.product(
            ("sum", "max", "mean", "var", "argmax", "cumsum", "any", "count_nonzero", "nansum"), axes
        ):
            if name in ("argmax", "cumsum") and isinstance(axis, tuple):
                continue
            report.count += 1
            with quiet():
                expected = getattr(np, name)(wide, axis=axis)
                if name == "max" and y.dtype.kind in "fc":
                    expected = getattr(np, name)(y, axis=axis)
            made = to_host(getattr(tn, name)(a, axis=axis))
            if name == "cumsum" and dtype == "float16":
                continue  # overflows; what comes before is tested with the others
            if expected.dtype.kind in "fc":
                expected = np.asarray(expected).astype(made.dtype)
                length = y.size / max(made.size, 1) if name != "cumsum" else y.size
                text = close(
                    made, expected, 8 * np.sqrt(length) * (8 * length if name in ("sum", "cumsum", "nansum") else 64)
                )
            else:
                text = close(made, expected, 1)
            if text:
                report.found.append(f"{name} {view} {axis}: {text[:200]}")
    report.close()


def test_sums_are_better_than_left_to_right():
    x = np.full(10_000_000, 0.1, "f4")
    assert abs(float(tn.asarray(x).sum()) - 1e6) < 0.3
    y = np.full((1_000_000, 3), 0.1, "f4")
    assert np.all(np.abs(tn.asarray(y).sum(0).get() - 1e5) < 0.03)
    assert abs(float(tn.asarray(x).cumsum()[-1]) - 1e6) < 10
    h = np.full(60_000, 1.0, "f2")
    assert float(tn.asarray(h).sum()) == 60_000
    assert float(tn.asarray(h).mean()) == 1


def test_var_of_a_large_mean():
    random = np.random.default_rng(1)
    x = random.normal(1e4, 1, (1000, 300)).astype("f4")
    wide = x.astype("f8")
    for axis in (None, 0, 1):
        np.testing.assert_allclose(tn.asarray(x).var(axis).get(), wide.var(axis), rtol=2e-5)


@pytest.mark.parametrize("position", (0, 1, 255, 1023, 1024, 5000, 65_535, 65_536, 199_999))
def test_positions_of_one(position):
    for dtype, at in itertools.product(
        ("float32", "int16", "float16", "complex64", "bool"), ("row", "strided", "column")
    ):
        x = np.zeros(200_000, dtype)
        x[position] = 1
        x[position + 1 :] = np.where(np.arange(200_000 - position - 1) % 3 == 0, 1, 0)
        a = tn.asarray(x)
        if at == "strided":
            a = tn.asarray(np.repeat(x, 2))[::2]
        elif at == "column":
            a = tn.asarray(np.repeat(x[:, None], 9, axis=1))
            assert (a.argmax(axis=0).get() == position).all()
            continue
        assert int(a.argmax()) == position
        assert int((a == a).argmax()) == 0
    x = np.zeros(200_000, "f4")
    x[position:] = np.nan
    assert int(tn.asarray(x).argmin()) == position
    x[position] = -1
    assert int(tn.nanargmin(tn.asarray(x))) == position


def test_any_stops_and_finds():
    for n, k in itertools.product((10, 1000, 70_000, 3_000_000), (0, 0.5, 0.999)):
        for dtype in ("bool", "float32", "int64"):
            a = tn.zeros(n, dtype)
            assert not bool(a.any())
            a[int(k * n)] = 1
            assert bool(a.any()) and not bool(a.all())
            b = tn.ones(n, dtype)
            assert bool(b.all())
            b[int(k * n)] = 0
            assert not bool(b.all())
    assert bool(tn.asarray([np.nan]).any())


# --- Errors ---


def test_empty():
    report = Report()
    for name in EVERY:
        for shape in ((0,), (0, 3), (3, 0), (2, 0, 3), (0, 0)):
            for axis in [None, *range(len(shape))]:
                for dtype in ("float32", "int8", "bool", "complex64"):
                    x = np.zeros(shape, dtype)
                    check(name, x, tn.zeros(shape, dtype), report, f"{dtype} {shape} {axis}", axis=axis)
    report.close(100)


MESSAGES = [
    ("max", (0,), {}, ValueError, "zero-size array to reduction operation maximum which has no identity"),
    ("argmin", (0,), {}, ValueError, "attempt to get argmin of an empty sequence"),
    ("sum", (2, 3), {"axis": 2}, np.exceptions.AxisError, "axis 2 is out of bounds for array of dimension 2"),
    ("sum", (2, 3), {"axis": (0, 0)}, ValueError, "duplicate value in 'axis'"),
    ("max", (2,), {"where": np.array([True, False])}, ValueError, "to use a where mask one has to specify 'initial'"),
    ("sum", (2,), {"where": np.array([1, 0])}, TypeError, "Cannot cast array data from dtype\\('int64'\\)"),
    ("var", (2,), {"ddof": 1, "correction": 1}, ValueError, "can't be provided simultaneously"),
    ("diff", (), {}, ValueError, "diff requires input that is at least one dimensional"),
    ("diff", (3,), {"n": -1}, ValueError, "order must be non-negative but got -1"),
    ("cumulative_sum", (2, 2), {}, ValueError, "``axis`` argument is required"),
    ("average", (2, 3), {"weights": np.ones(3)}, TypeError, "Axis must be specified when shapes of a and weights"),
    ("average", (3,), {"weights": np.zeros(3)}, ZeroDivisionError, "Weights sum to zero, can't be normalized"),
    ("ptp", (2,), {"bool": True}, TypeError, "numpy boolean subtract"),
]


@pytest.mark.parametrize("name, shape, options, error, message", MESSAGES)
def test_messages(name, shape, options, error, message):
    options = dict(options)
    a = tn.zeros(shape, bool if options.pop("bool", False) else float)
    with pytest.raises(error, match=message):
        getattr(tn, name)(a, **{k: tn.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()})


@pytest.mark.quick
def test_positions_as_another_dtype():
    """CuPy's dtype= of argmax and its kin."""
    x = np.array([[3, 1, 2], [0, 5, 4]])
    a = tn.asarray(x)
    for name, dtype, axis in itertools.product(
        POSITIONS, ("bool", "int32", "uint8", "int64", "float32"), (None, 0, -1)
    ):
        expected = np.asarray(getattr(np, name)(x, axis=axis)).astype(dtype)
        assert_same(getattr(tn, name)(a, axis=axis, dtype=dtype), expected)
        if hasattr(a, name):
            assert_same(getattr(a, name)(axis, dtype=dtype, keepdims=False), expected)
    out = tn.zeros(2, "i4")
    assert a.argmax(1, out, dtype="i4") is out
    assert_same(out, np.array([0, 1], "i4"))
    with pytest.raises(TypeError, match="dtype is int64, but out is an array of dtype int32"):
        a.argmin(1, out, dtype="i8")
    with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
        tn.argmax(tn.zeros(0), dtype="i4")


def test_all_nan_slices():
    nan = tn.asarray([[np.nan, np.nan], [np.nan, 1]])
    for name in ("nanargmax", "nanargmin"):
        with pytest.raises(ValueError, match="All-NaN slice encountered"):
            getattr(tn, name)(nan, axis=1)
        assert_same(getattr(tn, name)(nan[1:], axis=1), np.array([1]))


def test_foreign_operands():
    for name in EVERY:
        for wrong in (np.ones(3), [1, 2], None, "text"):
            with pytest.raises(TypeError):
                getattr(tn, name)(wrong)
    with pytest.raises(TypeError):
        tn.ones(3).sum(where=np.ones(3, bool))
    with pytest.raises(TypeError):
        tn.ones(3).sum(out=np.ones(()))
    with pytest.raises(TypeError):
        tn.ones(3).var(mean=np.ones(()))


def test_scalars_and_results():
    assert isinstance(tn.ones(3).sum(), tn.ndarray)
    assert tn.sum(5).dtype == np.int64 and float(tn.mean(2.5)) == 2.5
    assert tn.ones(3, "i1").sum().dtype == np.int64 and tn.ones(3, "u1").cumprod().dtype == np.uint64
    assert tn.amax is not None and float(tn.amin(tn.asarray([2.0, 1.0]))) == 1


# --- Scans ---


@pytest.mark.parametrize("name", ("cumulative_sum", "cumulative_prod"))
def test_cumulative(name):
    report = Report()
    for dtype, initial in itertools.product(DTYPES, (False, True)):
        for shape, axis in (((5,), None), ((3, 4), 0), ((3, 4), -1), ((0,), None), ((2, 0), 0), ((), None)):
            x = small(dtype, shape)
            check(name, x, tn.asarray(x), report, f"{dtype} {shape}", axis=axis, include_initial=initial)
    report.close()


def test_running_sums_never_fall(device):
    """On a GPU, where parts are summed apart, by no more than the rounding of one sum."""
    x = np.random.default_rng(2).random(300_001).astype("f4")
    y = tn.asarray(x).cumsum().get()
    assert (np.diff(y) >= (0 if device == "host" else -np.spacing(y[1:]))).all()
    np.testing.assert_allclose(y, x.astype("f8").cumsum(), rtol=1e-6)


def test_products_keep_their_order():
    """What left the range stays out of it; and no product of a part leaves it where the whole does
    not."""
    x = np.array([1e-30] * 20 + [1e30] * 40, "f4")
    assert_same(tn.asarray(x).cumprod(), x.cumprod())
    # Up and down again within the range, over distances that no group of factors could hold; a
    # zero, an infinity and NaN among them.
    size = 70_000
    wave = np.exp(np.diff(60 * np.sin(np.arange(size + 1) / 50)))
    for dtype, bad in itertools.product(("float32", "float64", "complex64"), (None, 0, np.inf, np.nan)):
        x = wave ** (8 if dtype == "float64" else 1)
        x[1::2] *= -1
        if bad is not None:
            x[size // 2] = bad
        x = x.astype(dtype)
        for axis, y in ((0, x), (1, x.reshape(7, -1)), (0, x.reshape(-1, 2))):
            with quiet():
                expected = y.cumprod(axis)
            made = tn.asarray(y).cumprod(axis).get()
            nan = np.isnan(expected)
            assert np.array_equal(np.isnan(made), nan)
            np.testing.assert_allclose(made[~nan], expected[~nan], 1e-7 if dtype == "float64" else 0.02)


def test_diff():
    report = Report()
    for dtype in DTYPES:
        x = ordinary(dtype, 24).reshape(4, 6)
        for n, axis in itertools.product((0, 1, 2, 5), (0, -1, 2)):
            report.check(f"{dtype} {n} {axis}", lambda: tn.diff(tn.asarray(x), n, axis), lambda: np.diff(x, n, axis))
        for ends in ({"prepend": 0}, {"append": 1.5}, {"prepend": x[:, :2], "append": x[:, :1]}, {"append": x[:2]}):
            mine = {k: tn.asarray(v) if isinstance(v, np.ndarray) else v for k, v in ends.items()}
            if dtype != "bool":
                report.check(
                    f"{dtype} {list(ends)}", lambda: tn.diff(tn.asarray(x), **mine), lambda: np.diff(x, **ends)
                )
    report.close()


def test_average():
    report = Report()
    random = np.random.default_rng(3)
    for dtype, other in itertools.product(
        ("bool", "int32", "float16", "float32", "float64", "complex64"), ("int8", "float32", "float64")
    ):
        x = small(dtype, (3, 4, 5))
        a = tn.asarray(x)
        for axis, shape in (
            (None, (3, 4, 5)),
            (1, (4,)),
            ((0, 2), (3, 5)),
            ((2, 0), (5, 3)),
            (0, (4,)),
            (0, (3, 4, 5)),
        ):
            w = random.integers(1, 5, shape).astype(other)
            for extra in ({}, {"keepdims": True}, {"returned": True}):
                report.count += 1
                theirs, refused = outcome(lambda: np.average(x, axis, w, **extra))
                mine, failed = outcome(lambda: tn.average(a, axis, tn.asarray(w), **extra))
                if refused is not None or failed is not None:
                    if refused is None or failed is None or not same_kind(failed, refused):
                        report.found.append(f"{dtype} {other} {axis}: {failed!r} for {refused!r}")
                    continue
                for p, q in zip(
                    mine if extra.get("returned") else [mine], theirs if extra.get("returned") else [theirs]
                ):
                    text = close(p, q, 300)
                    if text:
                        report.found.append(f"{dtype} {other} {axis} {extra}: {text}")
        report.check(
            f"{dtype} returned",
            lambda: tn.average(a, returned=True)[1],
            lambda: np.float64(60) if x.dtype.kind in "bi" else x.dtype.type(60),
        )
    report.close()


# --- Methods ---


def test_methods_are_the_functions():
    x = small("float32", (4, 5))
    a = tn.asarray(x)
    for name in (
        "sum",
        "prod",
        "max",
        "min",
        "all",
        "any",
        "mean",
        "var",
        "std",
        "ptp",
        "argmax",
        "argmin",
        "cumsum",
        "cumprod",
    ):
        for args in ((), (0,), (1,)):
            assert_same(getattr(a, name)(*args), getattr(tn, name)(a, *args).get())
        assert getattr(tn, name).__doc__ and getattr(tn.ndarray, name).__doc__
    assert_same(a.sum(axis=1, keepdims=True), x.sum(axis=1, keepdims=True), ulp=4)


def test_threads_give_the_same_bits():
    program = (
        "import numpy as np, tenorite as t, zlib\n"
        "r = np.random.default_rng(5); s = 0\n"
        "for shape in [(700001,), (3000, 200), (200, 3000), (40, 300, 50), (200000, 3)]:\n"
        "    a = t.asarray(r.normal(size=shape).astype('f4'))\n"
        "    for axis in range(a.ndim):\n"
        "        for x in (a, a[..., ::-1], a[::2]):\n"
        "            for y in (x.sum(axis), x.var(axis), x.prod(axis), x.cumsum(axis), x.mean()):\n"
        "                s = zlib.crc32(y.get().tobytes(), s)\n"
        "print(s)"
    )
    results = set()
    for threads in ("1", "2", "5"):
        results.add(output_of(program, {"TENORITE_NUM_THREADS": threads}))
    assert len(results) == 1


# --- Where an answer is found early, or nothing is new ---

TRUTHS = {
    "C": lambda xp, a: a,
    "step": lambda xp, a: xp.repeat(a, 2)[::2],
    "reversed": lambda xp, a: xp.flip(a).copy()[::-1],
    "two rows": lambda xp, a: a.reshape(2, -1),
}


@pytest.mark.parametrize("layout", TRUTHS)
@pytest.mark.parametrize("size", [2, 60, 1000, 1030, 40_000, 700_000])
def test_one_truth_decides(layout, size):
    for places in ((), (0,), (31, 32), (size // 2,), (size - 1,), (size // 3, size // 2)):
        for usual in (False, True):
            host = np.full(size, usual)
            host[[place % size for place in places]] = not usual
            theirs, ours = TRUTHS[layout](np, host), TRUTHS[layout](tn, tn.array(host))
            for name in ("any", "all", "max", "min", "argmax", "argmin", "nanargmax"):
                for axis in (None, -1):
                    made, wanted = getattr(tn, name)(ours, axis=axis), getattr(np, name)(theirs, axis=axis)
                    np.testing.assert_array_equal(made.get(), wanted, err_msg=f"{name} {axis} {places} {usual}")


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f2", "f4", "f8", "c8"])
def test_axes_in_any_order_of_memory(dtype):
    host = np.arange(6 * 7 * 40) * 37 % 11  # sums of halves are exact
    host = (host % 2 if dtype == "?" else host).astype(dtype).reshape(6, 7, 40)
    views = {
        "moved": lambda xp, a: a.transpose(2, 0, 1),
        "transposed": lambda xp, a: a.T,
        "repeated": lambda xp, a: xp.broadcast_to(a[:, :1], (6, 9, 40)),
        "one row": lambda xp, a: xp.broadcast_to(a[0, 0], (50, 40)),
        "one column": lambda xp, a: xp.broadcast_to(a[0, 0][:, None], (40, 50)),
    }
    for name, view in views.items():
        theirs, ours = view(np, host), view(tn, tn.array(host))
        for axis in range(theirs.ndim):
            for function in ("sum", "max", "min", "any", "all", "argmax", "argmin", "mean", "cumsum"):
                made, wanted = getattr(tn, function)(ours, axis=axis), getattr(np, function)(theirs, axis=axis)
                rtol = 1e-3 if dtype == "f2" else 1e-6
                np.testing.assert_allclose(made.get(), wanted, rtol, err_msg=f"{function} {axis} {name}")


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "f2", "f4", "c16"])
@pytest.mark.parametrize("shape", [(70, 10), (4096, 10), (4099, 33), (5000, 127), (3, 50), (1000, 8)])
def test_positions_in_narrow_columns(dtype, shape):
    random = np.random.default_rng(1)
    for values in (2, 90):
        host = random.integers(0, values, shape).astype(dtype)
        if host.dtype.kind in "fc":
            host[shape[0] // 2, 3] = host[shape[0] // 3, 5] = np.nan
        for name in ("argmax", "argmin"):
            made, wanted = getattr(tn, name)(tn.array(host), axis=0), getattr(np, name)(host, axis=0)
            np.testing.assert_array_equal(made.get(), wanted)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", ["var", "std"])
def test_complex_moments_in_a_dtype(name, dtype):
    """The result has the dtype that was asked for; the value is that of the real variance."""
    host = np.array([1 + 2j, 3 - 1j, 2])
    for ddof in (0, 1, -1):
        made = getattr(tn, name)(tn.array(host), dtype=dtype, ddof=ddof)
        assert made.dtype == dtype
        np.testing.assert_allclose(made.get(), getattr(np, name)(host, ddof=ddof), rtol=2e-3)


def test_frexp_of_a_dtype():
    """frexp gives two dtypes, so none can be asked for."""
    for dtype in ("f4", "f8", "i4"):
        with pytest.raises(TypeError, match="No loop matching"):
            tn.frexp(tn.ones(3), dtype=dtype)
