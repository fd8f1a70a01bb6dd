"""Indexing: basic, by integer arrays, by masks; reading, writing, and the functions around it."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, INTEGERS, LAYOUTS, both, grid
from oracle import Report, assert_same, outcome, quiet, settle, to_ours

S = np.s_
INDEX_DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def after_writing(array, key, value):
    """The array once array[key] = value has been done, or the exception."""
    array[key] = value
    return array


def cube(dtype="int64"):
    return np.arange(60).reshape(3, 4, 5).astype(dtype)


# --- Keys ---

BASIC = [
    S[0], S[-1], S[2], S[3], S[-4], S[1:], S[:2], S[::-1], S[::2], S[1:100], S[-100:2], S[5:1], S[:],
    S[2:0:-1], S[-1:-10:-2], S[...], S[()], S[None], S[..., None], S[0, 1], S[0, :, 2], S[:, 3],
    S[..., 4], S[1, ...], S[..., 1:3], S[:, None, 2], S[0, ..., 0], S[0, 0, 0], S[:, ::2, ::-3],
    S[None, ..., None], S[0, None, :, None], S[0, 0, 0, 0], S[..., ...], S[:, 4], S[::0],
    S[np.int8(1)], S[np.uint64(1)], S[np.int64(-1), np.int16(1):], S[1:2, 1:2, 1:2], S[np.array(1)],
    S[-(2**62):2**62], S[:: 2**62], S[:: -(2**62)], S[2**40], S[2**70], S[1.5], S["a"], S[b"a"],
    S["x":], S[1j], S[np.float32(1)], S[None, None, None], S[-3:, -4:, -5:], S[{}], S[object],
]  # fmt: skip

I = np.array  # noqa: E741
MASK3 = np.array([True, False, True])
MASK4 = np.array([False, True, True, False])
MASK5 = np.array([True, True, False, False, True])
MASK34 = (np.arange(12).reshape(3, 4) % 3) == 0
MASK45 = (np.arange(20).reshape(4, 5) % 3) == 1
MASK345 = (np.arange(60).reshape(3, 4, 5) % 7) < 3

ADVANCED = [
    S[I([0, 2, 1])], S[I([-1, -3, 0, 0, 2])], S[I([[0, 1], [2, 0]])], S[:, I([3, 0])], S[..., I([4, 4])],
    S[:, :, I([[0], [-1]])], S[1:, I([1, 2])], S[::-1, I([1, 2]), ::2], S[0, I([1, 2])],
    S[I([1, 2]), 0], S[:, 0, I([1, 2, 3])], S[0, :, I([1, 2, 3])], S[I([0, 1]), :, 0],
    S[0, ..., I([0, 1])], S[0, None, I([0, 1])], S[I([0, 1]), None], S[None, I([0, 1])], S[I([]).astype(int)],
    S[:, I([]).astype(int)], S[[0, 1]], S[[0, -1], ], S[[]], S[[[0, 1], [1, 2]]], S[:, [1, 1]], S[(0, 1), ],
    S[range(2)], S[MASK3], S[~MASK3], S[:, MASK4], S[..., MASK5], S[MASK34], S[:, MASK45], S[MASK345],
    S[np.zeros(3, bool)], S[np.ones((3, 4, 5), bool)], S[0, MASK4], S[0, :, MASK5], S[MASK3, 0],
    S[MASK3, :, 0], S[1:, MASK45], S[MASK34, 1], S[MASK34, ::-1], S[None, MASK3], S[[True, False, True]],
    S[True], S[False], S[True, 0], S[None, False], S[np.bool_(True)], S[np.array(True)], S[0, True],
    # refused
    S[I([3])], S[I([-4])], S[:, I([0, 4])], S[0, I([4])], S[..., I([1, 5])], S[I([0.5])], S[[0.5]], S[["a"]],
    S[I([1j])], S[I([], float)], S[MASK4], S[:, MASK3], S[[True, False]], S[MASK34.T], S[MASK345, 0],
    S[0, 0, 0, I([0])], S[I([0]), ..., ...], S[I([9]), :0],
]  # fmt: skip

SEVERAL = [
    S[I([0, 1]), I([1, 2])], S[I([0, 1]), :, I([1, 2])], S[MASK3, I([0, 1])], S[[0, 1], [1, 2]],
    S[I([[0], [2]]), I([1, 3])], S[:, I([0, 1]), I([1, 2])], S[::-1, I([0, -1]), I([-1, 2])],
    S[I([0, 1]), 1:3, I([1, 2])], S[I([2, 0]), ..., I([-5, 4])], S[0, I([1, 2]), I([3, 4])],
    S[I([1, 2]), 0, I([3, 4])], S[I([0, 1]), I([1, 2]), 0], S[I([0, 1]), None, I([1, 2])],
    S[None, I([0, 1]), I([1, 2])], S[I([0, 1]), I([1, 2]), None], S[I([0, 1, 2]), I([3, 2, 1]), I([0, 4, 0])],
    S[I([0]), I([1, 2, 0])], S[I([[0, 1], [1, 0]]), I([2]), I([[0], [3]])], S[I([], int), I([1])],
    S[MASK3, MASK4], S[MASK34, I([0, 1, 2, 3])], S[I([0, 1, 2, 0, 1, 2]), MASK45], S[MASK3, :, I([0, 1])],
    S[np.ix_([2, 0], [1, 3])], S[np.ix_([2, 0], [1, 3], [4, 0, 0])], S[np.nonzero(MASK345)], S[np.nonzero(MASK34)],
    S[I([1, 2], "u1"), I([0, 3], "i2")], S[True, I([0, 1]), I([1, 2])], S[False, I([0])], S[I([0, 1]), True],
    S[[[0, 1], [1, 2]], [[0], [3]]], S[I([0, 0, 0]), I([1, 1, 1])], S[I(1), I([0, 1]), I(2)],
    # refused
    S[I([0, 3]), I([1, 2])], S[I([0, 1]), I([1, 4])], S[I([0, -4]), :, I([0, 0])], S[:, I([0, 4]), I([0, 0])],
    S[0, I([0]), I([5])], S[I([0, 1]), I([1, 2, 3])], S[MASK3, I([0, 1, 2])], S[MASK4, I([0, 1])],
    S[I([0]), I([0]), I([0]), I([0])], S[I([0.5]), I([0])], S[I([0]), I([0]), "a"],
]  # fmt: skip


def views(host):
    """(name, NumPy's, ours) of one cube in several layouts."""
    yield "C", host, tn.array(host)
    yield "F", np.asfortranarray(host), tn.asfortranarray(tn.array(host))
    wide = np.zeros((6, 8, 15), host.dtype)
    wide[::2, 1::2, ::3] = host
    yield "strided", wide[::2, 1::2, ::3], tn.array(wide)[::2, 1::2, ::3]
    yield "negative", host[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1], tn.array(
        host[::-1, ::-1, ::-1].copy()
    )[::-1, ::-1, ::-1]
    turned = host.transpose(1, 2, 0).copy()
    yield "turned", turned.transpose(2, 0, 1), tn.array(turned).transpose(2, 0, 1)


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
        values = [-1] if outcome(lambda: cube()[key])[1] else [-1, np.full(shape[-1:], -5), np.ones((2, 7)), np.float32(2.5)]
        values += [-np.arange(np.prod(shape, dtype=int)).reshape(shape)] if unique else []
        for value in values:
            for name, _, _ in views(cube()):
                pair = next((x, a) for n, x, a in views(cube()) if n == name)
                report.check(f"{name}[{key}] = {value!r}", lambda: after_writing(pair[1], to_ours(key), to_ours(value)),
                             lambda: after_writing(pair[0], key, value))  # fmt: skip
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
                report.check(f"{layout} {key} =", lambda: after_writing(target, to_ours(key), grid(dtype)[6, 0]),
                             lambda: after_writing(ref, key, grid(dtype)[6, 0]))  # fmt: skip
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
        (S[I([0, 1]), I([0, 1, 2])], r"shape mismatch: indexing arrays could not be broadcast together with shapes \(2,\) \(3,\)"),
    ):  # fmt: skip
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
                turned = tuple(k.T[::-1] if k.ndim else k for k in chosen)
                if len({k.ndim for k in turned}) == 1:
                    assert_same(its[to_ours(turned)], y[turned])
    key = tuple(random.integers(0, n, 5) for n in x.shape)
    for wrong in range(x.ndim):
        bad = tuple(np.where(np.arange(5) == 3, 9, k) if at == wrong else k for at, k in enumerate(key))
        a = tn.array(x)
        for call in (lambda: a[to_ours(bad)], lambda: after_writing(a, to_ours(bad), -1)):
            with pytest.raises(IndexError, match=f"index 9 is out of bounds for axis {wrong} with size {x.shape[wrong]}"):
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
        report.check(f"{x.shape} {key} =", lambda: after_writing(a, to_ours(key), -1), lambda: after_writing(x, key, -1))
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
        (lambda: a[tn.ones(4, bool)], IndexError, "boolean index did not match indexed array along axis 0; size of axis is 5 but size of corresponding boolean axis is 4"),
        (lambda: a[:, tn.ones(5, bool)], IndexError, "along axis 1; size of axis is 4 but size of corresponding boolean axis is 5"),
        (lambda: a["x"], IndexError, "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"),
        (lambda: a[tn.ones(3)], IndexError, "arrays used as indices must be of integer (or boolean) type"),
        (lambda: a[..., ...], IndexError, "an index can only have a single ellipsis ('...')"),
        (lambda: after_writing(a, 0, tn.ones(3)), ValueError, "could not broadcast input array from shape (3,) into shape (4,)"),
        (lambda: after_writing(a, [0, 1], tn.ones(3)), ValueError, "shape mismatch: value array of shape (3,) could not be broadcast to indexing result of shape (2,4)"),
        (lambda: after_writing(a, a == 0, tn.ones(3)), ValueError, "NumPy boolean array indexing assignment cannot assign 3 input values to the 20 output values where the mask is true"),
        (lambda: a.__delitem__(0), ValueError, "cannot delete array elements"),
        (lambda: after_writing(a, 0, np.ones(3)), ValueError, "could not broadcast input array from shape (3,) into shape (4,)"),
        (lambda: after_writing(a, 0, [1, 2, 3]), ValueError, "could not broadcast input array from shape (3,) into shape (4,)"),
        (lambda: after_writing(a, 0, {1, 2}), TypeError, "Unsupported type <class 'set'>: a set has no order"),
        (lambda: after_writing(a, 0, None), TypeError, "Unsupported type <class 'NoneType'>"),
        (lambda: after_writing(a, 0, 1j), TypeError, "not 'complex'"),
        (lambda: after_writing(tn.zeros(3, "i1"), 0, 300), OverflowError, "Python integer 300 out of bounds for int8"),
        (lambda: after_writing(tn.zeros(3, "i1"), [0], 300), OverflowError, "Python integer 300 out of bounds for int8"),
        (lambda: after_writing(tn.zeros(3, "u1"), tn.ones(3, bool), -1), OverflowError, "Python integer -1 out of bounds for uint8"),
        (lambda: a.take([7], axis=1), IndexError, "index 7 is out of bounds for axis 1 with size 4"),
        (lambda: a.take([7], axis=3), np.exceptions.AxisError, "axis 3 is out of bounds for array of dimension 2"),
        (lambda: tn.zeros(0).take([0]), IndexError, "cannot do a non-empty take from an empty axes."),
        (lambda: tn.array(1).nonzero(), ValueError, "Calling nonzero on 0d arrays is not allowed"),
    ]:  # fmt: skip
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
        ([0, 1], [5, 6]), ([0, 1], [5.7, 6.2]), ([0, 1], (7, 8)), ([3, 3, -1], [1, 2, 3]), ([0], [True]),
        (np.array([0, 1]), np.ones(2)), (np.array([1, 2]), np.arange(2, dtype="u1")), ([0, 1], np.float32([1.5, 2])),
        ([[0, 1], [2, 3]], [[1, 2], [3, 4]]), ([[0, 1], [2, 3]], [1, 2]), ([0, 2], [9]), ([0, 1], []), ([], []),
        (mask, [1, 2]), (mask, np.array([3, 4])), (mask, [1, 2, 3]), (mask, [[1, 2]]), (S[mask, None], [[1], [2]]),
        ([0, 1], [1, 2, 3]), ([0, 1], [300, 1]), ([0, 1], ["1", "2"]), ([0, 1], [None, "a"]), ([0, 1], [[1], [2, 3]]),
        ([0, 9], [1, 2]), (S[..., [0, 1]], [1, 2]), ([True, False, False, True], [4, 5]),
    ]  # fmt: skip
    for dtype, (key, value) in itertools.product(("int8", "float32", "complex64", "bool"), cases):
        x, a = np.zeros(4, dtype), tn.zeros(4, dtype)
        report.check(f"{dtype} {key} = {value}", lambda: after_writing(a, to_ours(key), value),
                     lambda: after_writing(x, key, value), any_error=True)  # fmt: skip
    for key, value in [(nested, [7, 8]), (nested, [[1], [2], [3], [4]]), (S[[0, 1], [1, 2]], [5, 6]), (S[1, [0, 2]], [5, 6]),
                       (table > 6, list(range(5))), (S[mask, [0, 2]], [5, 6]), (S[None, mask], np.ones((1, 2, 3)))]:  # fmt: skip
        report.check(f"{key} = {value}", lambda: after_writing(tn.array(table), to_ours(key), value),
                     lambda: after_writing(table.copy(), key, value))  # fmt: skip
    for key, value in [(0, [1, 2, 3]), (1, (1, 2, 3)), (S[:, 0], np.arange(4)), (S[1:3], [[1, 2, 3]]), (S[...], table.tolist()),
                       (S[:], [7]), (S[::2, ::-1], np.arange(6.0).reshape(2, 3)), (S[2:2], []), (0, [1, 2]), (S[:], [[1], [2]]),
                       (0, [True, False, True]), (S[None], [[[1, 2, 3]]]), (0, [1.5, 2.5, 3.5]), (0, [1, [2, 3], 4])]:  # fmt: skip
        report.check(f"view {key} = {value}", lambda: after_writing(tn.array(table), key, value),
                     lambda: after_writing(table.copy(), key, value), any_error=True)  # fmt: skip
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
        turned, host = tn.zeros(x.shape[::-1]), np.zeros(x.shape[::-1])
        turned[:, tn.array(indices)] = tn.array(values.T)
        host[:, indices] = values.T
        assert_same(turned, host)


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


@pytest.mark.parametrize("dtype", ("i1", "f2", "i4", "f8", "c16"))
def test_large_take_and_put(dtype):
    random = np.random.default_rng(3)
    for shape in ((200_000,), (1000, 300), (300, 3, 250), (5, 40_000), (40_000, 5)):
        x = random.integers(0, 100, shape).astype(dtype)
        a = tn.array(x)
        for axis in range(x.ndim):
            for count in (3, 40_000 if x.ndim == 1 else 700):
                indices = random.integers(-shape[axis], shape[axis], count)
                key = (*[slice(None)] * axis, indices)
                values = random.integers(0, 100, x[key].shape).astype(dtype)
                assert np.array_equal(a.take(tn.array(indices), axis).get(), x.take(indices, axis))
                if x.ndim > 1:
                    turned = (*[slice(None)] * (x.ndim - 1 - axis), indices)
                    assert np.array_equal(a.T[to_ours(turned)].get(), x.T[turned])
                for value in (5, values, values[..., ::-1]):
                    left, right = a.copy(), x.copy()
                    left[to_ours(key)] = to_ours(value)
                    right[key] = value
                    assert np.array_equal(left.get(), right)


# --- Functions ---


@pytest.mark.quick
def test_take():
    report = Report()
    x = cube()
    for name, x, a in views(cube()):
        for axis in (None, 0, 1, 2, -1, -3, 3):
            for indices in (0, -1, [0, 2], [[1, 0], [2, 2]], np.array([], int), np.array([1], "u1"), 2, [True, False], 77):
                for mode in ("raise", "wrap", "clip"):
                    report.check(
                        f"{name} {axis} {indices} {mode}",
                        lambda: a.take(to_ours(indices), axis, mode=mode),
                        lambda: x.take(indices, axis, mode=mode),
                    )
    for indices in ([7, -7, 60, -61, 1000], [-(2**20)], []):
        for mode in ("raise", "wrap", "clip", "other"):
            report.check(
                f"{indices} {mode}",
                lambda: tn.take(tn.array(x), indices, mode=mode),
                lambda: np.take(x, indices, mode=mode),
            )
    for shape in ((0,), (0, 3), (3, 0)):
        for axis in (None, 0, -1):
            for indices in ([], [0], [5] if 0 not in shape[:-1] else [2]):  # ours always looks
                report.check(
                    f"{shape} {axis} {indices}",
                    lambda: tn.zeros(shape).take(indices, axis),
                    lambda: np.zeros(shape).take(np.array(indices, int), axis),
                )
    report.check("0-d", lambda: tn.take(tn.array(3), 0), lambda: np.take(np.array(3), 0))
    report.check("0-d axis", lambda: tn.take(tn.array(3), [0, 0], 0), lambda: np.take(np.array(3), [0, 0], 0))
    report.close(500)


def test_take_out():
    x = cube("f4")
    a, indices = tn.array(x), [2, 0]
    for out_dtype in ("f4", "f2", "i2", "?", "f8", "i4", "c8"):
        out, theirs = tn.zeros((3, 2, 5), out_dtype), np.zeros((3, 2, 5), out_dtype)
        if not np.can_cast(out_dtype, "f4"):
            with pytest.raises(TypeError, match="according to the rule 'safe'"):  # NumPy 2.5 warns
                tn.take(a, indices, axis=1, out=out)
            continue
        assert a.take(indices, axis=1, out=out) is out
        assert_same(out, x.take(indices, axis=1, out=theirs))
    for out in (tn.zeros((2, 3, 5), "f4").swapaxes(0, 1), tn.zeros((3, 2, 10), "f4")[..., ::2]):
        tn.take(a, indices, 1, out)
        assert_same(out, x.take(indices, axis=1))
    with pytest.raises(ValueError, match="output array does not match result of ndarray.take"):
        a.take(indices, out=tn.zeros(3, "f4"))
    with pytest.raises(TypeError):
        a.take(indices, out=np.zeros(2, "f4"))


@pytest.mark.quick
def test_put():
    report = Report()
    for name, _, _ in views(cube()):
        for indices in ([0], [5, -1, 5], [[1, 2], [3, 59]], [60], [-61], [0.7], [], np.arange(60)):
            for values in (7, [1, 2], [1.9, 2, 3, 4, 5], [], np.arange(100), np.arange(120)[::-2]):
                for mode in ("raise", "wrap", "clip"):
                    (x, a) = next((x, a) for n, x, a in views(cube()) if n == name)
                    report.check(
                        f"{name} {indices} {values} {mode}",
                        lambda: (a.put(to_ours(indices), to_ours(values), mode), a)[1],
                        lambda: (x.put(indices, values, mode), x)[1],
                    )
    report.check("empty", lambda: tn.zeros(0).put([0], 1), lambda: np.zeros(0).put([0], 1))
    report.close(300)


@pytest.mark.quick
def test_nonzero():
    report = Report()
    for dtype in DTYPES:
        for layout in LAYOUTS:
            x, a = both(np.where(np.arange(63).reshape(7, 9) % 2, grid(dtype), 0), layout)
            label = f"{dtype} {layout}"
            report.check(label, lambda: a.nonzero(), lambda: x.nonzero())
            report.check(label, lambda: tn.nonzero(a), lambda: np.nonzero(x))
            report.check(label, lambda: tn.flatnonzero(a), lambda: np.flatnonzero(x))
            report.check(label, lambda: tn.argwhere(a), lambda: np.argwhere(x))
            report.check(label, lambda: tn.where(a), lambda: np.where(x))
    for shape in ((3, 4, 5, 6), (100, 1, 3), (2, 50_000), (50_000, 2), (1, 1, 1, 1, 9), (0, 4), (4, 0)):
        x = np.random.default_rng(1).integers(0, 3, shape)
        report.check(f"{shape}", lambda: tn.array(x).nonzero(), lambda: x.nonzero())
        report.check(f"{shape}", lambda: tn.argwhere(tn.array(x)), lambda: np.argwhere(x))
    report.close(500)


@pytest.mark.quick
def test_compress_and_extract():
    report = Report()
    for name, x, a in views(cube()):
        for axis in (None, 0, 1, 2, -1, 3):
            for condition in (
                [], [1], [0, 1, 0], [True] * 4, [0] * 9, [1] * 61, MASK5, [0.0, 2.5], MASK34, 1,
            ):  # fmt: skip
                report.check(
                    f"{name} {condition} {axis}",
                    lambda: a.compress(to_ours(condition), axis),
                    lambda: x.compress(condition, axis),
                )
                report.check(
                    f"{name} {condition} {axis}",
                    lambda: tn.compress(to_ours(condition), a, axis=axis),
                    lambda: np.compress(condition, x, axis=axis),
                )
        for condition in (MASK345, [1, 0, 1], [0] * 70, MASK34, x % 3, []):
            report.check(
                f"extract {name}", lambda: tn.extract(to_ours(condition), a), lambda: np.extract(condition, x)
            )
    out = tn.zeros(2, int)
    assert tn.compress([1, 0, 1], tn.arange(3), out=out) is out
    assert_same(out, np.array([0, 2]))
    report.close(200)


def test_results_are_views_or_copies():
    a = tn.arange(12).reshape(3, 4)
    for key in (0, slice(1), (0, slice(None)), None, ..., (), (slice(None), 1)):
        assert tn.may_share_memory(a[key], a) if hasattr(tn, "may_share_memory") else a[key].base is not None
    for key in ([0], tn.array([0]), tn.ones(3, bool), True, (slice(None), [0])):
        assert a[key].base is None


def test_subclass_is_kept():
    class Sub(tn.ndarray):
        def __array_finalize__(self, like):
            self.seen = type(like).__name__

    a = tn.arange(6).view(Sub)
    for key in (0, slice(3), [0, 1], tn.ones(6, bool)):
        assert type(a[key]) is Sub and a[key].seen == "Sub"
    assert type(a.take([1])) is Sub


def test_assignment_of_self_is_free():
    a = tn.arange(10)
    a[2:5] += 1
    a[[0, 1]] += 10
    assert_same(a, np.array([10, 11, 3, 4, 5, 5, 6, 7, 8, 9]))


def test_indexing_on_another_stream(device):
    with tn.cuda.Stream() as stream:
        x = np.arange(1000)
        a = tn.array(x)
        b = a[tn.array(x[::-1].copy())]
        b[b > 500] = -1
        c = b[b >= 0]
        stream.synchronize()
        assert_same(c, x[::-1][x[::-1] <= 500])
        # The first wait raises it, and no later one. An event of the host tells of time alone.
        waits = [stream.synchronize, tn.cuda.Device().synchronize, a.get]
        if device == "cuda":
            waits.append(lambda: stream.record().synchronize())
        for wait in waits:
            a[tn.array([5000])]
            with pytest.raises(IndexError, match="index 5000 is out of bounds for axis 0 with size 1000"):
                wait()
            tn.cuda.Device().synchronize()


@pytest.mark.two_devices
def test_on_another_device(device):
    with tn.cuda.Device(1):
        x, a = cube(), tn.array(cube())
        indices = tn.array([2, 0])
    here = tn.array([2, 0])
    assert a.device.id == 1 and tn.cuda.Device().id == 0
    for key in ([2, 0], MASK3, S[:, [0, 1]], True, S[0, 1:], S[..., np.array([3, 1])]):
        assert_same(a[key], x[key])
        assert a[key].device.id == 1
        left = a.copy()
        left[key] = 7
        assert_same(left, after_writing(x.copy(), key, 7))
    assert_same(a[indices], x[[2, 0]])
    assert_same(a.take([1, 5]), x.take([1, 5]))
    assert_same(a.compress([1, 0, 1], axis=0), x.compress([1, 0, 1], axis=0))
    assert a.nonzero()[0].device.id == 1 and tn.concatenate((a, a)).device.id == 1
    for call in (lambda: a[here], lambda: a.take(here), lambda: tn.concatenate((a[0, 0], here)),
                 lambda: after_writing(a, indices, here)):  # fmt: skip
        with pytest.raises(ValueError, match=f"{device} device . and {device} device .|{device}:.*{device}:"):
            call()


def test_bytes_seen_as_a_bool():
    """Any byte but zero is true, and its item is Python's True."""
    a = tn.array([165, 0, 2], "u1").view(bool)
    assert [a[k].item() for k in range(3)] == [True, False, True]
    assert [int(a[k]) for k in range(3)] == [1, 0, 1]
    assert bool(a[2]) is True


@pytest.mark.huge
def test_more_than_2_to_31_elements():
    size = 2**31 + 77
    a = tn.zeros(size, "i1")
    a[[5, size - 1, 2**31]] = 3
    assert_same(a[tn.array([5, -1, 2**31, 6])], np.array([3, 3, 3, 0], "i1"))
    assert_same(a[2**31 + 1 :].nonzero()[0], np.array([75]))
    assert_same(tn.flatnonzero(a), np.array([5, 2**31, size - 1]))
    mask = a.view(bool)
    a[mask] = 4
    assert_same(a[a.view(bool)], np.array([4, 4, 4], "i1"))
    assert int(a[size - 1]) == 4
    with quiet():
        assert_same(a[2**31 - 2 : 2**31 + 2], np.array([0, 0, 4, 0], "i1"))


assert set(INDEX_DTYPES) == set(INTEGERS)
