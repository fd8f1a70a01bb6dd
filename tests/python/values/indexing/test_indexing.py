"""Reading and writing chosen elements by functions, against NumPy."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from calls import compare
from generator import DTYPES, LAYOUTS, both, grid
from oracle import Report, assert_same

pytestmark = pytest.mark.quick

CHOICES = """
    m.choose(i, [a, b, a])
    m.choose(i[0], [a[0], b[0], a[0]])
    m.choose(i[0] + 9, (a[0], b[0], a[0]))
    m.choose(i[0], (a[0], a[0]))
    m.choose(i, [a, b])
    m.choose(i + 5, [a, b, a], mode="wrap")
    m.choose(i * 7 - 3, [a, b, 3], mode="clip")
    m.choose(i[0, 0], [a, b, a])
    m.choose(i, [1, 2.5, 3])
    m.choose(i, [a, b, a], mode="bogus")
    m.choose(i[:, :1], [a[:1], b, a])
    i.choose([a, b, a])
    m.choose(i, [a, b, a], out=m.zeros((3, 4), dtype="c16"))
    m.select([a > 1, b > 1], [a, b])
    m.select([a > 1, b > 1], [a, b], 7)
    m.select([a > 1, True], [a, a.dtype.type(2)])
    m.select([a > 1], [a, b])
    m.select([], [])
    m.select([a], [a])
    m.select([a[:1] > 1], [a])
    m.piecewise(a, [a > 1, a < 0], [lambda v: v * 2, 7])
    m.piecewise(a, [a > 1], [lambda v: v + v, lambda v: v])
    m.piecewise(a, a > 1, [1, 0])
    m.piecewise(a, [a > 1, a < 0], [1])
    m.piecewise(a, [a > 1, a < 0], [lambda v, k: v * k, lambda v, k: v, 1], 2)
"""


@pytest.mark.parametrize("dtype", DTYPES)
def test_choices(dtype):
    calls = CHOICES
    if dtype == "bool" or np.dtype(dtype).kind == "c":
        calls = "\n".join(line for line in CHOICES.splitlines() if "piecewise" not in line)
    for layout in ("contiguous", "fortran", "negative"):
        report = Report()
        (x, a), (y, b) = both(grid(dtype, 3, 4, 1), layout), both(grid(dtype, 3, 4, 2), layout)
        index = np.arange(12).reshape(3, 4) % 3
        for line in calls.strip().splitlines():
            line = line.strip()
            ours = lambda: eval(line, {"m": tn, "a": a, "b": b, "i": tn.array(index)})
            theirs = lambda: eval(line, {"m": np, "a": x, "b": y, "i": index})
            report.check(line, ours, theirs)
        report.close()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_along_axis(layout):
    """take_along_axis and put_along_axis for every axis, indices negative and broadcast as well."""
    report = Report()
    host = grid("float32", 6, 7)
    shape = both(host, layout)[0].shape
    random = np.random.default_rng(1)
    for axis in (*range(-len(shape), len(shape)), None, 5):
        count = int(np.prod(shape)) if axis is None else shape[axis % max(len(shape), 1)] if shape else 1
        wide = (4,) if axis is None else tuple(3 if k == axis % len(shape) else n for k, n in enumerate(shape))
        for kind, size in (("i8", wide), ("u1", wide), ("i4", tuple(1 if k else n for k, n in enumerate(wide)))):
            index = (
                random.integers(0 if kind == "u1" else -count, max(count, 1), size).astype(kind)
                if count
                else np.zeros(size, kind)
            )
            report.check(
                f"take {axis} {kind}",
                lambda: tn.take_along_axis(both(host, layout)[1], tn.array(index), axis),
                lambda: np.take_along_axis(both(host, layout)[0], index, axis),
            )

            def put(m, a, i):
                m.put_along_axis(a, i, 7, axis)
                return a

            if layout not in ("broadcast rows", "broadcast columns") and axis is not None:
                report.check(
                    f"put {axis} {kind}",
                    lambda: put(tn, both(host, layout)[1], tn.array(index)),
                    lambda: put(np, both(host, layout)[0], index),
                )
    report.close()


def test_along_axis_errors():
    calls = """
        m.take_along_axis(a, m.array([[3, 0, 0, 0]]), 0)
        m.take_along_axis(a, m.array([[-4, 0, 0, 0]]), 0)
        m.take_along_axis(a, m.array([[4], [0], [0]]), 1)
        m.take_along_axis(a, m.array([0]), 1)
        m.take_along_axis(a, m.array([[0.5]]), 1)
        m.take_along_axis(a, m.array([[0]]), None)
        m.take_along_axis(a, m.array([[0]]), 2)
        m.take_along_axis(a, m.array([[0, 1, 2]] * 2), 1)
        m.put_along_axis(a, m.array([[3, 0, 0, 0]]), 1, 0)
        m.put_along_axis(a, m.array([[0, 0, 0, 0]]), m.ones(3), 0)
        (m.put_along_axis(a, m.array([[1, 0, 1, 0]]), m.array([[1.5, 2, 3, 4]]), 0), a)[1]
    """
    compare(calls, np.arange(12.0).reshape(3, 4), layouts=("contiguous", "fortran"))


WRITES = """
    (m.place(a, a > 1, m.array([7, 8, 9])), a)[1]
    (m.place(a, a > 100, m.array([])), a)[1]
    (m.place(a, a == a, m.array([])), a)[1]
    (m.place(a, a[:1] > 1, m.array([7])), a)[1]
    (m.place(a, m.ones(a.size, dtype=bool), m.arange(100)), a)[1]
    (m.putmask(a, a > 1, 7), a)[1]
    (m.putmask(a, a > 1, m.array([7, 8], dtype=a.dtype)), a)[1]
    (m.putmask(a, a > 1, m.arange(100).astype(a.dtype)), a)[1]
    (m.putmask(a, a[:1] > 1, 1), a)[1]
    (m.fill_diagonal(a, 5), a)[1]
    (m.fill_diagonal(a.T, 5, wrap=True), a)[1]
    (m.fill_diagonal(a, 5, wrap=True), a)[1]
    (m.fill_diagonal(a, m.array([1, 2])), a)[1]
    (m.fill_diagonal(a.T[::-1], m.array([1, 2]), wrap=True), a)[1]
    (m.fill_diagonal(a[:0, 0], 5), a)[1]
    (m.fill_diagonal(a[:2, :2][None], 5), a)[1]
"""


@pytest.mark.parametrize("dtype", DTYPES)
def test_writes(dtype):
    calls = "\n".join(line for line in WRITES.splitlines() if dtype != "bool" or "7, 8" not in line)
    compare(
        calls,
        grid(dtype, 7, 3),
        layouts=("contiguous", "fortran", "negative", "strided", "unaligned", "empty", "no rows"),
    )


def test_fill_diagonal_of_cubes():
    for layout in ("contiguous", "fortran"):
        x = np.zeros((3, 3, 3), order="CF"[layout == "fortran"])
        a = tn.array(x, order="K")
        for m, target in ((np, x), (tn, a)):
            m.fill_diagonal(target, m.array([1, 2]))
        assert_same(a, x)


def test_ndenumerate():
    x = np.arange(6).reshape(2, 3)
    pairs = list(tn.ndenumerate(tn.array(x)))
    assert [(index, int(value)) for index, value in pairs] == [(i, int(v)) for i, v in np.ndenumerate(x)]


def test_where():
    report = Report()
    for first, second in itertools.product(DTYPES, DTYPES):
        (x, a), (y, b) = both(grid(first)), both(grid(second, seed=1), "fortran")
        mask, m = both(grid("bool"))
        report.check(f"{first} {second}", lambda: tn.where(m, a, b), lambda: np.where(mask, x, y))
        for scalar in (1, 2.5, np.float32(2)):
            report.check(f"{first} {scalar!r}", lambda: tn.where(m, a, scalar), lambda: np.where(mask, x, scalar))
    for dtype in DTYPES:
        c, d = both(grid(dtype))
        report.check(f"condition {dtype}", lambda: tn.where(d, 1, 2), lambda: np.where(c, 1, 2))
        report.check(f"nonzero {dtype}", lambda: tn.where(d), lambda: np.where(c))
    report.check("scalar condition", lambda: tn.where(True, tn.ones(3), 0), lambda: np.where(True, np.ones(3), 0))
    report.check("one side", lambda: tn.where(tn.ones(3), 1), lambda: np.where(np.ones(3), 1))
    for layout in LAYOUTS:
        (c, d), (x, a) = both(grid("bool"), layout), both(grid("float32"), layout)
        report.check(layout, lambda: tn.where(d, a, -a), lambda: np.where(c, x, -x))
    report.close()


def test_far_diagonals():
    a = tn.ones((3, 4))
    for offset in (-(2**63), 2**63 - 1, 2**62, -3, 4):
        assert a.diagonal(offset).shape == (0,) and a.trace(offset).item() == 0


def test_taken_to_the_end_of_memory():
    """Pieces of a thread end anywhere: what is after the last item is never touched."""
    data = np.arange(400000, dtype="f")
    places = np.arange(0, 400000 - 1024 + 1, 256)[:, None] + np.arange(1024)
    made, index = tn.array(data), tn.array(places)
    for rows in (1559, 1558, 1023):
        assert (made[index[:rows]].get() == data[places[:rows]]).all()
