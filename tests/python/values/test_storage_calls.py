"""Functions, methods and operators on dates, durations, structures and void, with NumPy as the
oracle: what moves elements for all of them, order and arithmetic for times."""

import warnings

import numpy as np
import pytest
import tenorite as tn

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
    "joined": lambda m, a, b: (m.concatenate([a, b], axis=1), m.stack([a, b], axis=-1), m.vstack([a, b]), m.hstack([a, b]),
                               m.dstack([a, b]), m.column_stack([a, b]), m.append(a, b), m.hstack([a[0], b[0]])),
    "cut": lambda m, a, b: [*m.split(a, 3, axis=1), m.delete(a, 1, axis=1), m.insert(a.ravel(), 1, b.ravel()[0])],
    "shaped": lambda m, a, b: (m.broadcast_to(a[0], (4, 3)), a.reshape((3, 2), order="F"), m.expand_dims(a, 1), m.moveaxis(a, 0, 1),
                               m.atleast_3d(a), m.swapaxes(a, 0, 1), m.ravel(a), m.squeeze(a[:1]), m.transpose(a), m.copy(a)),
    "picked": lambda m, a, b: (m.diagonal(a), a.diagonal(1), m.compress(m.array([True, False, True]), a, axis=1), a[m.array(MASK)],
                               m.extract(m.array(MASK), a)),
    "chosen": lambda m, a, b: (m.choose(m.array([0, 1, 0]), [a[0], b[0]]), m.select([m.array(MASK)], [a], b)),
    "equal": lambda m, a, b: (a == b, a != b, m.array_equal(a, a), m.count_nonzero(a == b)),
    "pad": lambda m, a, b: m.pad(a, 1, mode="edge"),
    "nonzero": lambda m, a, b: (*m.nonzero(a), m.argwhere(a), m.flatnonzero(a)),
    "copyto": lambda m, a, b: stored(m, a, lambda made: m.copyto(made, b)),
    "put": lambda m, a, b: stored(m, a, lambda made: m.put(made, m.array([0, 3]), b.ravel()[:2])),
    "zeros_like": lambda m, a, b: m.zeros_like(a),
}  # fmt: skip
ORDER = {
    "sort": lambda m, a, b: (m.sort(a), m.sort(a, axis=0), m.sort(a, axis=None), stored(m, a, lambda made: made.sort())),
    "argsort": lambda m, a, b: (m.argsort(a, kind="stable"), m.argsort(a, axis=0, kind="stable"), m.argsort(a, axis=None, kind="stable")),
    "unique": lambda m, a, b: (m.unique(a), *m.unique(a, return_index=True, return_inverse=True, return_counts=True)),
}  # fmt: skip
TIMES = {
    "extremes": lambda m, a, b: (m.min(a), m.max(a), a.min(), a.max(), a.min(axis=0), a.max(axis=1), m.amin(a, axis=1, keepdims=True),
                                 m.ptp(a), m.ptp(a, axis=0), m.nanmin(a), m.nanmax(a), m.nanmin(a, axis=0)),
    "positions": lambda m, a, b: (m.argmin(a), m.argmax(a), a.argmin(), a.argmax(), a.argmin(axis=0), m.argmax(a, axis=1)),
    "searchsorted": lambda m, a, b: (m.searchsorted(m.sort(a.ravel()), b.ravel()), m.sort(a.ravel()).searchsorted(b, side="right")),
    "partition": lambda m, a, b: (m.partition(a, 1), m.sort(m.partition(a, 2, axis=None)), stored(m, a, lambda made: made.partition(0))),
    "argpartition": lambda m, a, b: (m.argpartition(a, 0, axis=0).shape, a.argpartition(1).shape),
    "take_along_axis": lambda m, a, b: m.take_along_axis(a, m.argsort(a, axis=1, kind="stable"), axis=1),
    "sets": lambda m, a, b: (m.isin(a, b), m.setdiff1d(a, b[:1]), m.lexsort((a.ravel(),)), m.union1d(a, b)),
    "tests": lambda m, a, b: (m.isnat(a), m.isfinite(a), m.isnan(a), m.isinf(a)),
    "compared": lambda m, a, b: (a < b, a <= b, a > b, a >= b, m.equal(a, b), m.less(a, b), m.greater_equal(a, b), m.not_equal(a, b)),
    "chosen": lambda m, a, b: (m.maximum(a, b), m.minimum(a, b), m.fmax(a, b), m.fmin(a, b), m.clip(a, b.ravel()[2], b.ravel()[0]),
                               np.maximum.reduce(a), np.minimum.reduce(a, axis=1)),
    "subtract": lambda m, a, b: (a - b, m.subtract(a, b), m.diff(a), m.diff(a, n=2, axis=1), m.ediff1d(a)),
    "durations": lambda m, a, b: (a + HOURS, HOURS + a, a - np.timedelta64(3, "s"), a + 3, 3 + a, a - 2, a + m.arange(3)),
    "in place": lambda m, a, b: (stored(m, a, lambda made: made.__iadd__(DAYS)), stored(m, a, lambda made: made.__isub__(1))),
    "outer": lambda m, a, b: (m.subtract.outer(a, b[0]), m.less.outer(a[0], b), m.maximum.outer(a, b), m.add.outer(a[0], 3),
                              m.subtract.outer(a[1], HOURS), m.subtract.outer(a[0], b[0], out=m.zeros((3, 3), "m8[h]")),
                              m.minimum.reduce(a), m.maximum.reduce(a, None)),
    "units": lambda m, a, b: [a.astype(f"{a.dtype.kind}8[{unit}]") for unit in ("s", "W", "3h", "ms")],
}  # fmt: skip
OF_DATES = {
    "from": lambda m, a, b: np.datetime64("2020-01-01") - a,
    "calendar": lambda m, a, b: [a.astype(f"M8[{unit}]") for unit in ("Y", "M", "5Y", "3M")],
    "and back": lambda m, a, b: [a.astype("M8[M]").astype(f"M8[{unit}]") for unit in ("D", "us", "2W", "Y")],
    "with texts": lambda m, a, b: (a < np.datetime64("2020-01"), a == np.datetime64("2020-01-03")),
    "arange": lambda m, a, b: m.arange("2020-01-01", "2020-02-01", dtype="M8[D]"),
}
OF_SPANS = {
    "add": lambda m, a, b: (a + b, m.add(a, b), stored(m, a, lambda made: m.add(a, b, out=made))),
    "products": lambda m, a, b: (m.multiply.outer(a, m.arange(3)), m.multiply.outer(m.arange(3.0), a[0]), m.multiply.outer(2, a)),
    "multiply": lambda m, a, b: (a * 2, 2 * a, a * 1.5, a * m.arange(3), m.arange(3.0) * a, a * np.int32(3)),
    "divide": lambda m, a, b: (a / 2, a / 2.5, a / b, a / m.array([1, 0, -2]), a / HOURS, m.array(HOURS) / b),
    "floor": lambda m, a, b: (a // 2, a // b, a // np.timedelta64(2, "m"), a // -2, m.floor_divide(a, b)),
    "modulo": lambda m, a, b: (a % b, a % HOURS, *divmod(a, b), m.remainder(a, b)),
    # The sign of NaT is -1 up to NumPy 2.4, NaN since 2.5.
    "signs": lambda m, a, b: (-a, +a, abs(a), m.sign(a[:1]), m.negative(a), m.absolute(a)),
    "sums": lambda m, a, b: (a.sum(), m.sum(a, axis=0), a[:1].sum(), a[:1].mean(), m.mean(a, axis=1), a.cumsum(), m.cumsum(a, axis=1),
                             np.add.reduce(a[0])),
    "truth": lambda m, a, b: (m.any(a), m.all(a), a.any(axis=0), a.all(axis=1)),
    "triu": lambda m, a, b: (m.triu(a), m.tril(a)),
}  # fmt: skip
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
    for call in (lambda: dates + dates, lambda: dates * 2, lambda: dates.sum(), lambda: spans * spans, lambda: rows.min(),
                 lambda: rows + rows, lambda: tn.sin(spans), lambda: dates + "x", lambda: dates - np.arange(3),
                 lambda: rows < rows, lambda: tn.mean(dates), lambda: 1 / spans, lambda: dates.cumsum(),
                 lambda: spans.__iadd__(1.5), lambda: tn.add.accumulate(dates)):  # fmt: skip
        with pytest.raises((TypeError, ValueError)):
            call()
    with pytest.raises(NotImplementedError):
        spans.astype("m8[Y]")
    with pytest.raises(NotImplementedError):
        spans.min(out=spans)


def test_random_dates_in_the_calendar():
    random = np.random.default_rng(3)
    days = random.integers(-(10**6), 10**6, 2000).astype("M8[D]")
    months = random.integers(-3000, 3000, 2000).astype("M8[M]")
    for unit in ("Y", "M", "4M", "10Y", "W", "s"):
        assert (tn.array(days).astype(f"M8[{unit}]").get() == days.astype(f"M8[{unit}]")).all(), unit
        assert (tn.array(months).astype(f"M8[{unit}]").get() == months.astype(f"M8[{unit}]")).all(), unit
