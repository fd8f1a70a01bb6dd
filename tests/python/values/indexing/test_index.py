"""Indexing: basic, by integer arrays, by masks; reading, writing, and the functions around it."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, LAYOUTS, both, grid
from keys import MASK3, MASK4, MASK5, MASK34, MASK45, MASK345, S, after_writing, cube, views
from oracle import Report, assert_same, outcome, settle, to_ours

INDEX_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


# --- Keys ---

BASIC = [
    S[0],
    S[-1],
    S[2],
    S[3],
    S[-4],
    S[1:],
    S[:2],
    S[::-1],
    S[::2],
    S[1:100],
    S[-100:2],
    S[5:1],
    S[:],
    S[2:0:-1],
    S[-1:-10:-2],
    S[...],
    S[()],
    S[None],
    S[..., None],
    S[0, 1],
    S[0, :, 2],
    S[:, 3],
    S[..., 4],
    S[1, ...],
    S[..., 1:3],
    S[:, None, 2],
    S[0, ..., 0],
    S[0, 0, 0],
    S[:, ::2, ::-3],
    S[None, ..., None],
    S[0, None, :, None],
    S[0, 0, 0, 0],
    S[..., ...],
    S[:, 4],
    S[::0],
    S[np.int8(1)],
    S[np.uint64(1)],
    S[np.int64(-1), np.int16(1) :],
    S[1:2, 1:2, 1:2],
    S[np.array(1)],
    S[-(2**62) : 2**62],
    S[:: 2**62],
    S[:: -(2**62)],
    S[2**40],
    S[2**70],
    S[1.5],
    S["a"],
    S[b"a"],
    S["x":],
    S[1j],
    S[np.float32(1)],
    S[None, None, None],
    S[-3:, -4:, -5:],
    S[{}],
    S[object],
]

I = np.array

ADVANCED = [
    S[I([0, 2, 1])],
    S[I([-1, -3, 0, 0, 2])],
    S[I([[0, 1], [2, 0]])],
    S[:, I([3, 0])],
    S[..., I([4, 4])],
    S[:, :, I([[0], [-1]])],
    S[1:, I([1, 2])],
    S[::-1, I([1, 2]), ::2],
    S[0, I([1, 2])],
    S[I([1, 2]), 0],
    S[:, 0, I([1, 2, 3])],
    S[0, :, I([1, 2, 3])],
    S[I([0, 1]), :, 0],
    S[0, ..., I([0, 1])],
    S[0, None, I([0, 1])],
    S[I([0, 1]), None],
    S[None, I([0, 1])],
    S[I([]).astype(int)],
    S[:, I([]).astype(int)],
    S[[0, 1]],
    S[[0, -1],],
    S[[]],
    S[[[0, 1], [1, 2]]],
    S[:, [1, 1]],
    S[(0, 1),],
    S[range(2)],
    S[MASK3],
    S[~MASK3],
    S[:, MASK4],
    S[..., MASK5],
    S[MASK34],
    S[:, MASK45],
    S[MASK345],
    S[np.zeros(3, bool)],
    S[np.ones((3, 4, 5), bool)],
    S[0, MASK4],
    S[0, :, MASK5],
    S[MASK3, 0],
    S[MASK3, :, 0],
    S[1:, MASK45],
    S[MASK34, 1],
    S[MASK34, ::-1],
    S[None, MASK3],
    S[[True, False, True]],
    S[True],
    S[False],
    S[True, 0],
    S[None, False],
    S[np.bool_(True)],
    S[np.array(True)],
    S[0, True],
    # refused
    S[I([3])],
    S[I([-4])],
    S[:, I([0, 4])],
    S[0, I([4])],
    S[..., I([1, 5])],
    S[I([0.5])],
    S[[0.5]],
    S[["a"]],
    S[I([1j])],
    S[I([], float)],
    S[MASK4],
    S[:, MASK3],
    S[[True, False]],
    S[MASK34.T],
    S[MASK345, 0],
    S[0, 0, 0, I([0])],
    S[I([0]), ..., ...],
    S[I([9]), :0],
]

SEVERAL = [
    S[I([0, 1]), I([1, 2])],
    S[I([0, 1]), :, I([1, 2])],
    S[MASK3, I([0, 1])],
    S[[0, 1], [1, 2]],
    S[I([[0], [2]]), I([1, 3])],
    S[:, I([0, 1]), I([1, 2])],
    S[::-1, I([0, -1]), I([-1, 2])],
    S[I([0, 1]), 1:3, I([1, 2])],
    S[I([2, 0]), ..., I([-5, 4])],
    S[0, I([1, 2]), I([3, 4])],
    S[I([1, 2]), 0, I([3, 4])],
    S[I([0, 1]), I([1, 2]), 0],
    S[I([0, 1]), None, I([1, 2])],
    S[None, I([0, 1]), I([1, 2])],
    S[I([0, 1]), I([1, 2]), None],
    S[I([0, 1, 2]), I([3, 2, 1]), I([0, 4, 0])],
    S[I([0]), I([1, 2, 0])],
    S[I([[0, 1], [1, 0]]), I([2]), I([[0], [3]])],
    S[I([], int), I([1])],
    S[MASK3, MASK4],
    S[MASK34, I([0, 1, 2, 3])],
    S[I([0, 1, 2, 0, 1, 2]), MASK45],
    S[MASK3, :, I([0, 1])],
    S[np.ix_([2, 0], [1, 3])],
    S[np.ix_([2, 0], [1, 3], [4, 0, 0])],
    S[np.nonzero(MASK345)],
    S[np.nonzero(MASK34)],
    S[I([1, 2], "u1"), I([0, 3], "i2")],
    S[True, I([0, 1]), I([1, 2])],
    S[False, I([0])],
    S[I([0, 1]), True],
    S[[[0, 1], [1, 2]], [[0], [3]]],
    S[I([0, 0, 0]), I([1, 1, 1])],
    S[I(1), I([0, 1]), I(2)],
    # refused
    S[I([0, 3]), I([1, 2])],
    S[I([0, 1]), I([1, 4])],
    S[I([0, -4]), :, I([0, 0])],
    S[:, I([0, 4]), I([0, 0])],
    S[0, I([0]), I([5])],
    S[I([0, 1]), I([1, 2, 3])],
    S[MASK3, I([0, 1, 2])],
    S[MASK4, I([0, 1])],
    S[I([0]), I([0]), I([0]), I([0])],
    S[I([0.5]), I([0])],
    S[I([0]), I([0]), "a"],
]


@pytest.mark.quick
def test_reading_with_every_key():
    report = Report()
    for name, x, a in views(cube()):
        for key in BASIC + ADVANCED:
            report.check(f"{name}[{key}]", lambda: a[to_ours(key)], lambda: x[key])
    report.close(500)


@pytest.mark.quick
def test_writing_with_every_key():
    report = Report()
    for key in BASIC + ADVANCED:
        shape = getattr(outcome(lambda: cube()[key])[0], "shape", (2,))
        values = [-1, np.int8(-2), np.array(-3), -np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape)]
        values += [np.full(shape[-1:], -5), np.ones((2, 7)), np.ones(0)]
        # A size-1 array is an element here.
        values += [np.ones((1, *shape[1:]), "f4")] if shape else []
        for name, _, _ in views(cube()):
            for value in values:
                pair = next((x, a) for n, x, a in views(cube()) if n == name)
                report.check(
                    f"{name}[{key}] = {value!r}",
                    lambda: after_writing(pair[1], to_ours(key), to_ours(value)),
                    lambda: after_writing(pair[0], key, value),
                )
    report.close(2000)


@pytest.mark.quick
def test_several_arrays():
    """Keys of several arrays: read, and written where no element is named twice with other
    values."""
    report = Report()
    for key in SEVERAL:
        for name, x, a in views(cube()):
            report.check(f"{name}[{key}]", lambda: a[to_ours(key)], lambda: x[key])
        shape = getattr(outcome(lambda: cube()[key])[0], "shape", (2,))
        unique = outcome(lambda: len(np.unique(cube()[key])) == cube()[key].size)[0]
        values = (
            [-1] if outcome(lambda: cube()[key])[1] else [-1, np.full(shape[-1:], -5), np.ones((2, 7)), np.float32(2.5)]
        )
        values += [-np.arange(np.prod(shape, dtype=int)).reshape(shape)] if unique else []
        for value in values:
            for name, _, _ in views(cube()):
                pair = next((x, a) for n, x, a in views(cube()) if n == name)
                report.check(
                    f"{name}[{key}] = {value!r}",
                    lambda: after_writing(pair[1], to_ours(key), to_ours(value)),
                    lambda: after_writing(pair[0], key, value),
                )
    report.close(800)


@pytest.mark.parametrize("dtype", DTYPES)
def test_several_arrays_of_dtypes(dtype):
    report = Report()
    for layout in LAYOUTS:
        x, a = both(grid(dtype), layout)
        if x.ndim != 2 or not x.size:
            continue
        rows, columns = np.arange(-3, 6) % x.shape[0] - x.shape[0], np.arange(9)[::-1] % x.shape[1]
        for key in (S[rows, columns], S[rows[:, None], columns], S[rows[::2, None], columns[None, 1:]]):
            report.check(f"{layout} {key}", lambda: a[to_ours(key)], lambda: x[key])
            if not layout.startswith("broadcast"):
                ref, target = both(grid(dtype), layout)
                report.check(
                    f"{layout} {key} =",
                    lambda: after_writing(target, to_ours(key), grid(dtype)[6, 0]),
                    lambda: after_writing(ref, key, grid(dtype)[6, 0]),
                )
    report.close(40)


def test_messages_of_several_arrays():
    """The index and the axis of the indexed array are named; nothing is written."""
    a = tn.array(cube())
    for key, text in (
        (S[I([0, 3]), I([0, 0])], "index 3 is out of bounds for axis 0 with size 3"),
        (S[I([0, 0]), I([0, -5])], "index -5 is out of bounds for axis 1 with size 4"),
        (S[1, I([0, 0]), I([0, 7])], "index 7 is out of bounds for axis 2 with size 5"),
        (S[None, :, I([0, 0]), I([0, 7])], "index 7 is out of bounds for axis 2 with size 5"),
        (S[1, I([7])], "index 7 is out of bounds for axis 1 with size 4"),
        (S[None, 1, :, I([-6])], "index -6 is out of bounds for axis 2 with size 5"),
        (S[I([[0], [4]]), 1, I([0, 1])], "index 4 is out of bounds for axis 0 with size 3"),
        (
            S[I([0, 1]), I([0, 1, 2])],
            r"shape mismatch: indexing arrays could not be broadcast together with shapes \(2,\) \(3,\)",
        ),
    ):
        for call in (lambda: a[to_ours(key)], lambda: after_writing(a, to_ours(key), 1)):
            with pytest.raises(IndexError, match=text):
                call()
                settle()
    assert_same(a, cube())


def test_many_index_arrays():
    """More than are made one at a time; large ones, of dtypes and layouts of their own, and axes
    that go back."""
    random = np.random.default_rng(3)
    x = random.integers(0, 1000, (3, 2, 4, 2, 3, 2, 5))
    for shape in ((), (7,), (0,), (30, 1), (20000,), (3, 700, 5)):
        dtypes = random.permutation(INDEX_DTYPES[:4] * 2)
        key = [random.integers(-n, n, shape if n > 2 else shape[-1:]).astype(d) for n, d in zip(x.shape, dtypes)]
        for y, its in ((x, tn.array(x)), (x[::-1, :, ::-2], tn.array(x)[::-1, :, ::-2])):
            for count in (2, 4, 5, 7):
                chosen = tuple(np.where(abs(k * 2 + 1) < 2 * n, k, 0) for k, n in zip(key, y.shape))[:count]
                assert_same(its[to_ours(chosen)], y[chosen])
                transposed = tuple(k.T[::-1] if k.ndim else k for k in chosen)
                if len({k.ndim for k in transposed}) == 1:
                    assert_same(its[to_ours(transposed)], y[transposed])
    key = tuple(random.integers(0, n, 5) for n in x.shape)
    for wrong in range(x.ndim):
        bad = tuple(np.where(np.arange(5) == 3, 9, k) if at == wrong else k for at, k in enumerate(key))
        a = tn.array(x)
        for call in (lambda: a[to_ours(bad)], lambda: after_writing(a, to_ours(bad), -1)):
            with pytest.raises(
                IndexError, match=f"index 9 is out of bounds for axis {wrong} with size {x.shape[wrong]}"
            ):
                call()
                settle()
        assert_same(a, x)


def test_several_arrays_and_memory():
    """Values that share memory with the target, indices that are its own elements, another
    stream."""
    x = np.arange(12).reshape(3, 4)
    a = tn.array(x)
    rows, columns = np.array([0, 1, 2, 0]), np.array([3, 2, 1, 0])
    x[rows, columns] = x[rows[::-1], columns]
    a[tn.array(rows), tn.array(columns)] = a[tn.array(rows[::-1]), tn.array(columns)]
    assert_same(a, x)
    b, y = tn.arange(4), np.arange(4)
    square = b.reshape(2, 2)
    square[b[:2] % 2, b[:2]] = b[2:]
    y.reshape(2, 2)[y[:2].copy() % 2, y[:2].copy()] = y[2:].copy()
    assert_same(b, y)
    stream = tn.cuda.Stream(non_blocking=True)
    with stream:
        c = tn.arange(12).reshape(3, 4)
        taken = c[tn.array([0, -1]), tn.array([1, -4])]
        c[tn.array([0, -1]), tn.array([1, -4])] = -7
    stream.synchronize()
    assert taken.tolist() == [1, 8] and c[0, 1] == -7 and c[2, 0] == -7
    for rows, columns, text in (
        ([0, 5], [0, 0], "index 5 is out of bounds for axis 0 with size 3"),
        ([0, 0], [0, -5], "index -5 is out of bounds for axis 1 with size 4"),
    ):
        with pytest.raises(IndexError, match=text), stream:
            c[tn.array(rows), tn.array(columns)]
            stream.synchronize()


def random_key(random, shape):
    """Integers, slices, newaxis, one ellipsis, arrays and masks for an array of a shape."""
    key, axis, ellipsis = [], 0, False
    while axis < len(shape) and random.random() < 0.9:
        size, kind = shape[axis], random.random()
        if kind < 0.15 and size:
            key.append(int(random.integers(-size, size)))
        elif kind < 0.4:
            bounds = [None if random.random() < 0.4 else int(random.integers(-size - 2, size + 3)) for _ in range(2)]
            key.append(slice(*bounds, [None, 1, 2, -1, -2][random.integers(5)]))
        elif kind < 0.47:
            key.append(None)
            continue
        elif kind < 0.54 and not ellipsis:
            key.append(...)
            ellipsis = True
            axis += int(random.integers(0, len(shape) - axis))
        elif kind < 0.85 and size:
            places = [(2,), (2,), (1,), (3, 1), (2, 2), ()][random.integers(6)]
            key.append(random.integers(-size, size, places))
        elif kind < 0.92 and axis + 1 < len(shape):
            key.append(random.random(shape[axis : axis + 2]) < 0.5)
            axis += 1
        else:
            key.append(random.random(size) < 0.5)
        axis += 1
    return tuple(key)


@pytest.mark.parametrize("seed", range(4))
def test_random_keys(seed):
    random, report = np.random.default_rng(seed), Report()
    for _ in range(400):
        shape = tuple(int(n) for n in random.integers(0 if random.random() < 0.1 else 1, 5, random.integers(1, 5)))
        x = np.arange(np.prod(shape)).reshape(shape)
        a = tn.array(x)
        if random.random() < 0.5:
            x, a = x.T[::-1], a.T[::-1]
        key = random_key(random, x.shape)
        report.check(f"{x.shape} {key}", lambda: a[to_ours(key)], lambda: x[key])
        report.check(
            f"{x.shape} {key} =", lambda: after_writing(a, to_ours(key), -1), lambda: after_writing(x, key, -1)
        )
    report.close()


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_and_layouts(dtype):
    """Every dtype in every layout, by masks, rows, columns and whole."""
    report = Report()
    for layout in LAYOUTS:
        x, a = both(grid(dtype), layout)
        if x.ndim != 2 or not x.size:
            continue
        mask = np.arange(x.size).reshape(x.shape) % 3 != 0
        rows, columns = mask[:, :1].ravel(), mask[0]
        places = np.arange(5) % x.shape[0]
        keys = [mask, rows, S[:, columns], places, S[:, places % x.shape[1]], S[::-1, columns], S[..., [0, -1]]]
        for key in keys:
            label = f"{layout}[{key}]"
            report.check(label, lambda: a[to_ours(key)], lambda: x[key])
            if layout.startswith("broadcast") or layout == "one element":
                continue
            value = grid(dtype)[6, 0]
            for new in (value, grid(dtype, seed=1)[: x[key].shape[0], :1] if x[key].ndim == 2 else x[key][::-1]):
                report.check(
                    label + " = ",
                    lambda: after_writing(a.copy(), to_ours(key), to_ours(new)),
                    lambda: after_writing(x.copy(), key, new),
                )
                ref, target = both(grid(dtype), layout)
                report.check(
                    label + " = in place",
                    lambda: after_writing(target, to_ours(key), to_ours(new)),
                    lambda: after_writing(ref, key, new),
                )
    report.close(100)


@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_index_dtypes(dtype):
    x = np.arange(100.0)
    indices = np.array([0, 5, 99, 7, 7, 50], dtype)
    a, i = tn.array(x), tn.array(indices)
    assert_same(a[i], x[indices])
    assert_same(a[i[::-2]], x[indices[::-2]])
    assert_same(a.take(i), x.take(indices))
    assert_same(tn.array(x.reshape(10, 10)).take(i % 10, axis=1), x.reshape(10, 10).take(indices % 10, 1))
    a[i] = 3
    x[indices] = 3
    assert_same(a, x)
    if dtype.startswith("i"):
        assert_same(a[i - 100], x[indices.astype(int) - 100])
    bad = tn.array(np.array([3, 101], dtype))
    with pytest.raises(IndexError, match="index 101 is out of bounds for axis 0 with size 100"):
        settle(a[bad])


def test_messages():
    a = tn.zeros((5, 4))
    for call, kind, text in [
        (lambda: a[0, 0, 0], IndexError, "too many indices for array: array is 2-dimensional, but 3 were indexed"),
        (lambda: a[(True,) * 64 + ([0],)], IndexError, "too many indices for array"),
        (lambda: a[10], IndexError, "index 10 is out of bounds for axis 0 with size 5"),
        (lambda: a[0, -7], IndexError, "index -7 is out of bounds for axis 1 with size 4"),
        (lambda: a[[1, 10]], IndexError, "index 10 is out of bounds for axis 0 with size 5"),
        (lambda: a[0, [9]], IndexError, "index 9 is out of bounds for axis 1 with size 4"),
        (
            lambda: a[tn.ones(4, bool)],
            IndexError,
            "boolean index did not match indexed array along axis 0; size of axis is 5 but size of corresponding boolean axis is 4",
        ),
        (
            lambda: a[:, tn.ones(5, bool)],
            IndexError,
            "along axis 1; size of axis is 4 but size of corresponding boolean axis is 5",
        ),
        (
            lambda: a["x"],
            IndexError,
            "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices",
        ),
        (lambda: a[tn.ones(3)], IndexError, "arrays used as indices must be of integer (or boolean) type"),
        (lambda: a[..., ...], IndexError, "an index can only have a single ellipsis ('...')"),
        (
            lambda: after_writing(a, 0, tn.ones(3)),
            ValueError,
            "could not broadcast input array from shape (3,) into shape (4,)",
        ),
        (
            lambda: after_writing(a, [0, 1], tn.ones(3)),
            ValueError,
            "shape mismatch: value array of shape (3,) could not be broadcast to indexing result of shape (2,4)",
        ),
        (
            lambda: after_writing(a, a == 0, tn.ones(3)),
            ValueError,
            "NumPy boolean array indexing assignment cannot assign 3 input values to the 20 output values where the mask is true",
        ),
        (lambda: a.__delitem__(0), ValueError, "cannot delete array elements"),
        (
            lambda: after_writing(a, 0, np.ones(3)),
            ValueError,
            "could not broadcast input array from shape (3,) into shape (4,)",
        ),
        (
            lambda: after_writing(a, 0, [1, 2, 3]),
            ValueError,
            "could not broadcast input array from shape (3,) into shape (4,)",
        ),
        (lambda: after_writing(a, 0, {1, 2}), TypeError, "Unsupported type <class 'set'>: a set has no order"),
        (lambda: after_writing(a, 0, None), TypeError, "Unsupported type <class 'NoneType'>"),
        (lambda: after_writing(a, 0, 1j), TypeError, "not 'complex'"),
        (lambda: after_writing(tn.zeros(3, "i1"), 0, 300), OverflowError, "Python integer 300 out of bounds for int8"),
        (
            lambda: after_writing(tn.zeros(3, "i1"), [0], 300),
            OverflowError,
            "Python integer 300 out of bounds for int8",
        ),
        (
            lambda: after_writing(tn.zeros(3, "u1"), tn.ones(3, bool), -1),
            OverflowError,
            "Python integer -1 out of bounds for uint8",
        ),
        (lambda: a.take([7], axis=1), IndexError, "index 7 is out of bounds for axis 1 with size 4"),
        (lambda: a.take([7], axis=3), np.exceptions.AxisError, "axis 3 is out of bounds for array of dimension 2"),
        (lambda: tn.zeros(0).take([0]), IndexError, "cannot do a non-empty take from an empty axes."),
        (lambda: tn.array(1).nonzero(), ValueError, "Calling nonzero on 0d arrays is not allowed"),
    ]:
        with pytest.raises(kind) as caught:
            settle(call())
        assert text in str(caught.value)
    assert not a.any()


@pytest.mark.quick
def test_host_values():
    """Lists and NumPy's arrays are stored by index arrays and masks, and into views."""
    report = Report()
    mask = np.array([1, 0, 1, 0], bool)
    table = np.arange(12).reshape(4, 3)
    nested = S[:, [0, 2]]
    cases = [
        ([0, 1], [5, 6]),
        ([0, 1], [5.7, 6.2]),
        ([0, 1], (7, 8)),
        ([3, 3, -1], [1, 2, 3]),
        ([0], [True]),
        (np.array([0, 1]), np.ones(2)),
        (np.array([1, 2]), np.arange(2, dtype="u1")),
        ([0, 1], np.float32([1.5, 2])),
        ([[0, 1], [2, 3]], [[1, 2], [3, 4]]),
        ([[0, 1], [2, 3]], [1, 2]),
        ([0, 2], [9]),
        ([0, 1], []),
        ([], []),
        (mask, [1, 2]),
        (mask, np.array([3, 4])),
        (mask, [1, 2, 3]),
        (mask, [[1, 2]]),
        (S[mask, None], [[1], [2]]),
        ([0, 1], [1, 2, 3]),
        ([0, 1], [300, 1]),
        ([0, 1], ["1", "2"]),
        ([0, 1], [None, "a"]),
        ([0, 1], [[1], [2, 3]]),
        ([0, 9], [1, 2]),
        (S[..., [0, 1]], [1, 2]),
        ([True, False, False, True], [4, 5]),
    ]
    for dtype, (key, value) in itertools.product(("int8", "float32", "complex64", "bool"), cases):
        x, a = np.zeros(4, dtype), tn.zeros(4, dtype)
        report.check(
            f"{dtype} {key} = {value}",
            lambda: after_writing(a, to_ours(key), value),
            lambda: after_writing(x, key, value),
            any_error=True,
        )
    for key, value in [
        (nested, [7, 8]),
        (nested, [[1], [2], [3], [4]]),
        (S[[0, 1], [1, 2]], [5, 6]),
        (S[1, [0, 2]], [5, 6]),
        (table > 6, list(range(5))),
        (S[mask, [0, 2]], [5, 6]),
        (S[None, mask], np.ones((1, 2, 3))),
    ]:
        report.check(
            f"{key} = {value}",
            lambda: after_writing(tn.array(table), to_ours(key), value),
            lambda: after_writing(table.copy(), key, value),
        )
    for key, value in [
        (0, [1, 2, 3]),
        (1, (1, 2, 3)),
        (S[:, 0], np.arange(4)),
        (S[1:3], [[1, 2, 3]]),
        (S[...], table.tolist()),
        (S[:], [7]),
        (S[::2, ::-1], np.arange(6.0).reshape(2, 3)),
        (S[2:2], []),
        (0, [1, 2]),
        (S[:], [[1], [2]]),
        (0, [True, False, True]),
        (S[None], [[[1, 2, 3]]]),
        (0, [1.5, 2.5, 3.5]),
        (0, [1, [2, 3], 4]),
    ]:
        report.check(
            f"view {key} = {value}",
            lambda: after_writing(tn.array(table), key, value),
            lambda: after_writing(table.copy(), key, value),
            any_error=True,
        )
    report.close(100)
    a = tn.zeros(4)
    a[:2] = [tn.array(5), 6]
    a[[0, 1]] = [tn.array(5), 6]
    a[[2, 3]] = [tn.array(5) + 2, np.float32(8)]
    assert a.tolist() == [5, 6, 7, 8]
    for key, value in [(0, {1}), ([0], None), ([0], "1"), ([0], {1: 2}), (..., None)]:
        with pytest.raises(TypeError, match=f"Unsupported type <class '{type(value).__name__}'>"):
            a[key] = value
    with pytest.raises(TypeError):
        a[[0, 1]] = [1j, 2]
    assert a.tolist() == [5, 6, 7, 8]


def test_host_values_that_change_what_is_indexed():
    a, index = tn.zeros(4), tn.array([1, 0])

    class Odd:
        def __float__(self):
            a.shape = (2, 2)
            index.shape = (2, 1)
            return 3.0

    a[index] = [Odd(), 4]
    assert a.ravel().tolist() == [4, 3, 0, 0]


def test_read_only():
    a = tn.zeros(5)
    a.flags.writeable = False
    for key in (0, slice(2), [1], tn.ones(5, bool), ..., tn.array([1, 2])):
        with pytest.raises(ValueError, match="read-only"):
            a[key] = 1
    with pytest.raises(ValueError, match="read-only"):
        a.put([1], 2)
    assert_same(a, np.zeros(5))


@pytest.mark.quick
def test_nothing_is_written_when_an_index_is_bad():
    for size in (10, 200_000):
        a = tn.arange(size)
        indices = np.arange(size)
        indices[-1] = size
        for call in (
            lambda: after_writing(a, tn.array(indices), -1),
            lambda: after_writing(a, tn.array(indices), tn.zeros(size)),
            lambda: a.put(tn.array(indices), -1),
            lambda: tn.zeros(size, int).take(tn.array(indices), out=a),
        ):
            with pytest.raises(IndexError):
                settle(call())
        assert_same(a, np.arange(size))


def test_overlap():
    """Values, indices, masks and targets that share memory behave as if copied first."""
    report = Report()

    def shifted(a):
        a[1:] = a[:-1]
        return a

    def reversed_(a):
        a[[3, 1, 2, 0]] = a[::-1][:4]
        return a

    def by_itself(a):
        a[a] = a[::-1]
        return a

    def zero_by_itself(a):
        a[a] = 0
        return a

    def masked(m):
        m[m] = False
        return m

    def masked_values(a):
        a[::-1][a > 3] = a[a > 3]
        return a

    order = np.array([3, 1, 4, 0, 2, 6, 5])
    for f in (shifted, reversed_, by_itself, zero_by_itself, masked_values):
        report.check(f.__name__, lambda: f(tn.array(order)), lambda: f(order.copy()))
    report.check("masked", lambda: masked(tn.array(order > 3)), lambda: masked(order > 3))
    part = tn.array(order > 3)
    part[1:][part[:-1]] = True  # NumPy reads what it has just written
    assert_same(part, (order > 3) | np.concatenate([[False], (order > 3)[:-1]]))
    a = tn.array(order)
    tn.take(a, a, out=a)
    assert_same(a, order[order])
    report.close()


def test_last_of_equal_indices_wins():
    random = np.random.default_rng(5)
    for size, rows in ((1000, 1), (300_000, 1), (50, 4000)):
        x = np.zeros((size // 3 + 1, rows))
        indices, values = random.integers(0, x.shape[0], size), random.random((size, rows))
        a = tn.array(x)
        a[tn.array(indices)] = tn.array(values)
        x[indices] = values
        assert_same(a, x)
        transposed, host = tn.zeros(x.shape[::-1]), np.zeros(x.shape[::-1])
        transposed[:, tn.array(indices)] = tn.array(values.T)
        host[:, indices] = values.T
        assert_same(transposed, host)


# --- Large arrays take other paths: several threads, blocks, vectors ---


@pytest.mark.parametrize("size", (1, 63, 64, 65, 127, 4095, 4096, 4097, 16384, 100_003))
@pytest.mark.parametrize("density", (0, 0.01, 0.5, 0.99, 1))
def test_masks_of_all_sizes(size, density):
    random = np.random.default_rng(size)
    mask = random.random(size) < density
    m = tn.array(mask)
    assert_same(m.nonzero(), mask.nonzero())
    for dtype in ("i1", "f2", "f4", "f8", "c16"):
        x = random.integers(0, 100, size).astype(dtype)
        a = tn.array(x)
        assert_same(a[m], x[mask])
        assert_same(a[::-1][m], x[::-1][mask])
        new = random.integers(0, 100, int(mask.sum())).astype(dtype)
        for values in (7, new, new[::-1]):
            left, right = a.copy(), x.copy()
            left[m] = to_ours(values)
            right[mask] = values
            assert_same(left, right)
        left, right = a.copy(), x.copy()
        left[::-1][m] = tn.array(new)
        right[::-1][mask] = new
        assert_same(left, right)
        left[::-1][m] = 9
        right[::-1][mask] = 9
        assert_same(left, right)


@pytest.mark.quick
@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 0, 4), (2, 3, 0), (0, 0, 0)])
def test_an_axis_of_a_mask_of_size_zero_fits_any(shape):
    x, key = np.arange(24).reshape(2, 3, 4), np.zeros(shape, bool)
    a, mask = tn.asarray(x), tn.asarray(key)
    assert_same(a[mask], x[key])
    assert_same(a[mask, ...], x[key, ...])
    a[mask] = 1
    a[mask] = tn.zeros(1, int)
    a[mask] = tn.zeros((), int)
    assert_same(a, x)
    with pytest.raises(IndexError, match="did not match"):
        a[tn.zeros((0, 5), bool)]
    with pytest.raises(ValueError):
        tn.arange(3)[tn.zeros(0, bool)] = tn.arange(2)


def test_mask_of_bytes_that_are_not_one():
    bytes_ = np.array([0, 1, 2, 255, 0, 128] * 50, "u1")
    mask = tn.array(bytes_).view(bool)
    assert_same(tn.arange(300)[mask], np.arange(300)[bytes_ != 0])
    assert_same(mask.nonzero()[0], bytes_.nonzero()[0])
