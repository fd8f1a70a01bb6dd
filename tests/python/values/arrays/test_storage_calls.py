"""Functions, methods and operators on dates, durations, structures and void, with NumPy as the
oracle: what moves elements for all of them, order and arithmetic for times."""

import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same

pytestmark = pytest.mark.quick

DATES = np.array(["2020-01-03", "NaT", "2019-05-01", "2020-01-03", "2021-07-09", "1969-12-31"], "M8[D]").reshape(2, 3)
SPANS = np.array([5, -3, 7, "NaT", 0, 5], "m8[h]").reshape(2, 3)
ROWS = np.array([(1, 2.5), (3, 4.5), (1, 2.5), (0, -1.0), (3, 4.5), (7, 8.0)], [("a", "i4"), ("b", "f8")]).reshape(2, 3)
VOID = np.frombuffer(b"abcdefababkl", "V2").reshape(2, 3)
MASK = np.array([[True, False, True], [False, False, True]])
KINDS = {"M": DATES, "m": SPANS, "S": ROWS, "V": VOID}
HOURS, DAYS = np.timedelta64(3, "h"), np.timedelta64(2, "D")

MOVES = {
    "where": lambda m, a, b: m.where(m.array(MASK), a, b),
    "repeat": lambda m, a, b: (m.repeat(a, 2, axis=1), m.repeat(a, 3), a.repeat(2), m.repeat(a, [1, 2, 0], axis=1)),
    "tile": lambda m, a, b: (m.tile(a, (2, 1)), m.tile(a, 2)),
    "roll": lambda m, a, b: (m.roll(a, 1), m.roll(a, -1, axis=1), m.roll(a, (1, 2), axis=(0, 1))),
    "flip": lambda m, a, b: (m.flip(a), m.flip(a, 1), m.fliplr(a), m.flipud(a), m.rot90(a)),
    "joined": lambda m, a, b: (
        m.concatenate([a, b], axis=1),
        m.stack([a, b], axis=-1),
        m.vstack([a, b]),
        m.hstack([a, b]),
        m.dstack([a, b]),
        m.column_stack([a, b]),
        m.append(a, b),
        m.hstack([a[0], b[0]]),
    ),
    "cut": lambda m, a, b: [*m.split(a, 3, axis=1), m.delete(a, 1, axis=1), m.insert(a.ravel(), 1, b.ravel()[0])],
    "shaped": lambda m, a, b: (
        m.broadcast_to(a[0], (4, 3)),
        a.reshape((3, 2), order="F"),
        m.expand_dims(a, 1),
        m.moveaxis(a, 0, 1),
        m.atleast_3d(a),
        m.swapaxes(a, 0, 1),
        m.ravel(a),
        m.squeeze(a[:1]),
        m.transpose(a),
        m.copy(a),
    ),
    "picked": lambda m, a, b: (
        m.diagonal(a),
        a.diagonal(1),
        m.compress(m.array([True, False, True]), a, axis=1),
        a[m.array(MASK)],
        m.extract(m.array(MASK), a),
    ),
    "chosen": lambda m, a, b: (m.choose(m.array([0, 1, 0]), [a[0], b[0]]), m.select([m.array(MASK)], [a], b)),
    "equal": lambda m, a, b: (a == b, a != b, m.array_equal(a, a), m.count_nonzero(a == b)),
    "pad": lambda m, a, b: m.pad(a, 1, mode="edge"),
    "nonzero": lambda m, a, b: (*m.nonzero(a), m.argwhere(a), m.flatnonzero(a)),
    "copyto": lambda m, a, b: stored(m, a, lambda made: m.copyto(made, b)),
    "put": lambda m, a, b: stored(m, a, lambda made: m.put(made, m.array([0, 3]), b.ravel()[:2])),
    "zeros_like": lambda m, a, b: m.zeros_like(a),
}
ORDER = {
    "sort": lambda m, a, b: (
        m.sort(a),
        m.sort(a, axis=0),
        m.sort(a, axis=None),
        stored(m, a, lambda made: made.sort()),
    ),
    "argsort": lambda m, a, b: (
        m.argsort(a, kind="stable"),
        m.argsort(a, axis=0, kind="stable"),
        m.argsort(a, axis=None, kind="stable"),
    ),
    "unique": lambda m, a, b: (m.unique(a), *m.unique(a, return_index=True, return_inverse=True, return_counts=True)),
}
TIMES = {
    "extremes": lambda m, a, b: (
        m.min(a),
        m.max(a),
        a.min(),
        a.max(),
        a.min(axis=0),
        a.max(axis=1),
        m.amin(a, axis=1, keepdims=True),
        m.ptp(a),
        m.ptp(a, axis=0),
        m.nanmin(a),
        m.nanmax(a),
        m.nanmin(a, axis=0),
    ),
    "positions": lambda m, a, b: (
        m.argmin(a),
        m.argmax(a),
        a.argmin(),
        a.argmax(),
        a.argmin(axis=0),
        m.argmax(a, axis=1),
    ),
    "searchsorted": lambda m, a, b: (
        m.searchsorted(m.sort(a.ravel()), b.ravel()),
        m.sort(a.ravel()).searchsorted(b, side="right"),
    ),
    "partition": lambda m, a, b: (
        m.partition(a, 1),
        m.sort(m.partition(a, 2, axis=None)),
        stored(m, a, lambda made: made.partition(0)),
    ),
    "argpartition": lambda m, a, b: (m.argpartition(a, 0, axis=0).shape, a.argpartition(1).shape),
    "take_along_axis": lambda m, a, b: m.take_along_axis(a, m.argsort(a, axis=1, kind="stable"), axis=1),
    "sets": lambda m, a, b: (m.isin(a, b), m.setdiff1d(a, b[:1]), m.lexsort((a.ravel(),)), m.union1d(a, b)),
    "tests": lambda m, a, b: (m.isnat(a), m.isfinite(a), m.isnan(a), m.isinf(a)),
    "compared": lambda m, a, b: (
        a < b,
        a <= b,
        a > b,
        a >= b,
        m.equal(a, b),
        m.less(a, b),
        m.greater_equal(a, b),
        m.not_equal(a, b),
    ),
    "chosen": lambda m, a, b: (
        m.maximum(a, b),
        m.minimum(a, b),
        m.fmax(a, b),
        m.fmin(a, b),
        m.clip(a, b.ravel()[2], b.ravel()[0]),
        np.maximum.reduce(a),
        np.minimum.reduce(a, axis=1),
    ),
    "subtract": lambda m, a, b: (a - b, m.subtract(a, b), m.diff(a), m.diff(a, n=2, axis=1), m.ediff1d(a)),
    "durations": lambda m, a, b: (
        a + HOURS,
        HOURS + a,
        a - np.timedelta64(3, "s"),
        a + 3,
        3 + a,
        a - 2,
        a + m.arange(3),
    ),
    "in place": lambda m, a, b: (
        stored(m, a, lambda made: made.__iadd__(DAYS)),
        stored(m, a, lambda made: made.__isub__(1)),
    ),
    "outer": lambda m, a, b: (
        m.subtract.outer(a, b[0]),
        m.less.outer(a[0], b),
        m.maximum.outer(a, b),
        m.add.outer(a[0], 3),
        m.subtract.outer(a[1], HOURS),
        m.subtract.outer(a[0], b[0], out=m.zeros((3, 3), "m8[h]")),
        m.minimum.reduce(a),
        m.maximum.reduce(a, None),
    ),
    "units": lambda m, a, b: [a.astype(f"{a.dtype.kind}8[{unit}]") for unit in ("s", "W", "3h", "ms")],
}
OF_DATES = {
    "from": lambda m, a, b: np.datetime64("2020-01-01") - a,
    "calendar": lambda m, a, b: [a.astype(f"M8[{unit}]") for unit in ("Y", "M", "5Y", "3M")],
    "and back": lambda m, a, b: [a.astype("M8[M]").astype(f"M8[{unit}]") for unit in ("D", "us", "2W", "Y")],
    "with texts": lambda m, a, b: (a < np.datetime64("2020-01"), a == np.datetime64("2020-01-03")),
    "arange": lambda m, a, b: m.arange("2020-01-01", "2020-02-01", dtype="M8[D]"),
}
OF_SPANS = {
    "add": lambda m, a, b: (a + b, m.add(a, b), stored(m, a, lambda made: m.add(a, b, out=made))),
    "products": lambda m, a, b: (
        m.multiply.outer(a, m.arange(3)),
        m.multiply.outer(m.arange(3.0), a[0]),
        m.multiply.outer(2, a),
    ),
    "multiply": lambda m, a, b: (a * 2, 2 * a, a * 1.5, a * m.arange(3), m.arange(3.0) * a, a * np.int32(3)),
    "divide": lambda m, a, b: (a / 2, a / 2.5, a / b, a / m.array([1, 0, -2]), a / HOURS, m.array(HOURS) / b),
    "floor": lambda m, a, b: (a // 2, a // b, a // np.timedelta64(2, "m"), a // -2, m.floor_divide(a, b)),
    "modulo": lambda m, a, b: (a % b, a % HOURS, *divmod(a, b), m.remainder(a, b)),
    # The sign of NaT is -1 up to NumPy 2.4, NaN since 2.5.
    "signs": lambda m, a, b: (-a, +a, abs(a), m.sign(a[:1]), m.negative(a), m.absolute(a)),
    "sums": lambda m, a, b: (
        a.sum(),
        m.sum(a, axis=0),
        a[:1].sum(),
        a[:1].mean(),
        m.mean(a, axis=1),
        a.cumsum(),
        m.cumsum(a, axis=1),
        np.add.reduce(a[0]),
    ),
    "truth": lambda m, a, b: (m.any(a), m.all(a), a.any(axis=0), a.all(axis=1)),
    "triu": lambda m, a, b: (m.triu(a), m.tril(a)),
}
CASES = (
    [(name, call, kind) for name, call in MOVES.items() for kind in "MmSV"]
    + [(name, call, kind) for name, call in ORDER.items() for kind in "MmS"]
    + [(name, call, kind) for name, call in TIMES.items() for kind in "Mm"]
    + [(name, call, "M") for name, call in OF_DATES.items()]
    + [(name, call, "m") for name, call in OF_SPANS.items()]
)


def stored(m, a, write):
    """A copy, after something was written to it."""
    made = m.array(a.get() if m is tn else a)
    write(made)
    return made


def parts(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


@pytest.mark.parametrize(("name", "call", "kind"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_as_numpy(name, call, kind):
    host = KINDS[kind]
    other = np.roll(host, 1, axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = parts(call(np, host.copy(), other))
    made = parts(call(tn, tn.array(host), tn.array(other)))
    assert len(made) == len(expected)
    for number, (one, two) in enumerate(zip(made, expected)):
        one, two = one.get() if hasattr(one, "get") else np.asarray(one), np.asarray(two)
        assert (one.dtype, one.shape) == (two.dtype, two.shape), f"{name}, result {number}"
        if one.dtype.kind in "fc":
            np.testing.assert_array_equal(one, two)
        else:
            assert one.tobytes() == two.tobytes(), f"{name}, result {number}: {one} for {two}"


def test_void_is_sorted_by_bytes():
    made = tn.sort(tn.array(VOID), axis=None).get()
    assert made.tobytes() == b"ababab" + b"cdefkl"
    assert tn.unique(tn.array(VOID)).get().tobytes() == b"abcdefkl"
    order = tn.array(ROWS).ravel().argsort(order="b").get()
    assert order.tolist() == np.argsort(ROWS.ravel(), order="b", kind="stable").tolist()


def test_what_is_not_defined():
    dates, spans, rows = (tn.array(KINDS[kind]) for kind in "MmS")
    for call in (
        lambda: dates + dates,
        lambda: dates * 2,
        lambda: dates.sum(),
        lambda: spans * spans,
        lambda: rows.min(),
        lambda: rows + rows,
        lambda: tn.sin(spans),
        lambda: dates + "x",
        lambda: dates - np.arange(3),
        lambda: rows < rows,
        lambda: tn.mean(dates),
        lambda: 1 / spans,
        lambda: dates.cumsum(),
        lambda: spans.__iadd__(1.5),
        lambda: tn.add.accumulate(dates),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()
    with pytest.raises(ValueError, match="an output of shape"):
        spans.min(out=spans)


FOLDS = ("add", "subtract", "minimum", "maximum", "fmin", "fmax", "logical_and", "logical_or")


@pytest.mark.parametrize("name", FOLDS)
@pytest.mark.parametrize("kind", ["m8[s]", "M8[D]"])
@pytest.mark.parametrize("nat", [False, True])
def test_methods_of_ufuncs(name, kind, nat):
    """reduce, accumulate, reduceat and at, as NumPy's: values, units, errors."""
    given = np.array([[3, 1, 7, -2], [-9, 5, 0, 4]]).astype(kind)
    if nat:
        given[0, 1] = "NaT"
    one, mask = np.array(4).astype(kind)[()], given.astype("i8") > 0
    indices = np.array([0, 2, 1])
    calls = [
        *(("reduce", (), {"axis": axis}) for axis in (0, -1, None, (0, 1))),
        ("reduce", (1,), {"keepdims": True}),
        ("reduce", (), {"initial": one}),
        ("reduce", (), {"axis": None, "where": mask, "initial": one}),
        ("reduce", (), {"initial": np.array("NaT", kind)[()]}),
        ("reduce", (0, kind[:2]), {}),
        ("accumulate", (), {}),
        ("accumulate", (-1,), {}),
        ("reduceat", (indices,), {"axis": 1}),
    ]
    for laid_out in (given, given.T[::-1], given[:0]):
        for method, args, options in calls:
            if "where" in options and laid_out is not given:
                continue
            on_device = [tn.array(x) if isinstance(x, np.ndarray) else x for x in args]
            named = {key: tn.array(x) if isinstance(x, np.ndarray) else x for key, x in options.items()}
            with np.errstate(all="ignore"):
                try:
                    expected = getattr(getattr(np, name), method)(laid_out, *args, **options)
                except (TypeError, ValueError, IndexError) as error:
                    with pytest.raises((TypeError, ValueError, IndexError)):
                        getattr(getattr(tn, name), method)(tn.array(laid_out), *on_device, **named)
                        tn.cuda.Device().synchronize()  # what a GPU reports late
                    del error
                    continue
            found = getattr(getattr(tn, name), method)(tn.array(laid_out), *on_device, **named)
            assert found.dtype == expected.dtype and found.shape == expected.shape, (method, args, options)
            assert found.get().tobytes() == np.asarray(expected).tobytes(), (method, args, options)


@pytest.mark.parametrize(
    "text",
    (
        "a * t; t * a; a + d; d - a; m.multiply(a, t); t / (a + 1); a * 0.5 * t; a == t; m.maximum(t, a); m.where(a > 1, a, t); "
        "(a > 0) * t; m.array(2) * t; a % t; a - d; a * d; a << t; m.sin(t) * a"
    ).split("; "),
)
def test_numbers_beside_dates_of_numpy(text):
    """``arange(3) * timedelta64(2, "D")``: a date or duration that NumPy has is an operand."""
    names, results = {"t": DAYS, "d": np.datetime64("2000-02-28")}, []
    for library in (np, tn):
        try:
            made = eval(text, names | {"m": library, "a": library.arange(4)})
            results.append((made.dtype, made.tolist() if library is np else made.get().tolist()))
        except TypeError:
            results.append(TypeError)
    assert results[0] == results[1]
    a = tn.arange(3)
    with pytest.raises(TypeError):
        a += DAYS


@pytest.mark.parametrize("kind", ["m8[s]", "M8[D]"])
def test_where_and_outputs_of_times(kind):
    given = np.array([[3, 1, 7], [-9, 5, 0]]).astype(kind)
    mask, span = np.array([[True, False, True], [False, True, True]]), np.timedelta64(2, kind[3])
    ours, expected = tn.array(given), given.copy()
    np.add(given, span, out=expected, where=mask)
    out = tn.array(given)
    assert tn.add(ours, span, out=out, where=tn.array(mask)) is out and (out.get() == expected).all()
    for method in ("min", "max") + (("sum",) if kind[0] == "m" else ()):
        options = {"axis": 1, "initial": np.array(1).astype(kind)[()]}
        expected = getattr(given, method)(where=mask, **options)
        for found in (
            getattr(ours, method)(where=tn.array(mask), **options),
            getattr(tn, method)(ours, where=tn.array(mask), **options),
        ):
            assert found.dtype == expected.dtype and (found.get() == expected).all()
        out = tn.zeros(3, kind)
        assert getattr(ours, method)(axis=0, out=out) is out and (out.get() == getattr(given, method)(axis=0)).all()
    spans = given.astype("m8[s]") if kind[0] == "m" else given - given[0, 0]
    assert tn.mean(tn.array(spans), where=tn.array(mask)).get() == spans.mean(where=mask)
    for name, value in (("add", span), ("minimum", given[0, 1]), ("maximum", given[0, 2])):
        expected, out = given.ravel(), tn.array(given).ravel().copy()
        expected = expected.copy()
        getattr(np, name).at(expected, [0, 0, 4], value)
        getattr(tn, name).at(out, tn.array([0, 0, 4]), value)
        assert (out.get() == expected).all()
    with pytest.raises(TypeError, match="convert them, with astype"):
        tn.minimum.reduce(ours, dtype=kind[:2] + "[ms]")


@pytest.mark.parametrize("kind", ["m8[s]", "M8[D]"])
def test_gradients_and_equality_of_times(kind):
    given = np.array([[3, 1, 7], [-9, 5, 0]]).astype(kind)
    for one, options in ((given, {}), (given, {"axis": 1, "edge_order": 2}), (given[0], {}), (given.T, {"axis": 0})):
        expected, found = np.gradient(one, **options), tn.gradient(tn.array(one), **options)
        many = expected if isinstance(expected, tuple) else (expected,)
        for mine, theirs in zip(found if isinstance(found, tuple) else (found,), many):
            assert mine.dtype == theirs.dtype and (mine.get() == theirs).all()
    given[0, 0] = "NaT"
    ours = tn.array(given)
    assert tn.array_equal(ours, ours, equal_nan=True) and not tn.array_equal(ours, ours)
    assert not tn.array_equal(ours, ours[::-1], equal_nan=True)


def test_random_dates_in_the_calendar():
    random = np.random.default_rng(3)
    days = random.integers(-(10**6), 10**6, 2000).astype("M8[D]")
    months = random.integers(-3000, 3000, 2000).astype("M8[M]")
    for unit in ("Y", "M", "4M", "10Y", "W", "s"):
        assert (tn.array(days).astype(f"M8[{unit}]").get() == days.astype(f"M8[{unit}]")).all(), unit
        assert (tn.array(months).astype(f"M8[{unit}]").get() == months.astype(f"M8[{unit}]")).all(), unit


REFUSED = {
    "sort": (),
    "argsort": (),
    "take": ([0],),
    "repeat": (2,),
    "partition": (1,),
    "argpartition": (1,),
    "searchsorted": (0,),
    "put": ([0], 1),
    "nonzero": (),
    "flatnonzero": (),
    "argwhere": (),
    "flip": (),
    "max": (),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arrays_of_the_host_are_refused(name):
    """As those of numbers are."""
    for array in (SPANS, ROWS, SPANS.view("i8")):
        with pytest.raises(TypeError, match="Unsupported type <class 'numpy.ndarray'>|must be a tenorite.ndarray"):
            getattr(tn, name)(array, *REFUSED[name])


def test_differences_of_the_host():
    """As differences of numbers of the host are arrays."""
    assert_same(tn.diff(SPANS[0]).view("i8"), np.diff(SPANS[0]).view("i8"))
