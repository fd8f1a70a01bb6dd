"""Arrays of more than 2**31 and 2**32 elements: every index must be of 64 bits.

Element i of most arrays here is i modulo a prime, made by copying what is there after itself. So
sums are known exactly as integers, and a result is as it must be everywhere if its first period is
and every other element is like the one a period before, which is compared in pieces whose own
indices are small. Of results along axes all are compared: they depend on where a line begins,
modulo the prime.
"""

import fcntl
import gc
import os
import tempfile

import numpy as np
import pytest
import tenorite as tn

SIZE = 2**31 + 1001
PERIOD = 251
SUM = PERIOD * (PERIOD - 1) // 2
PIECE = 2**28
ON_GPU = tn.cuda.Device().backend == "cuda"

SIZES = {31: SIZE, 32: 2**32 + 1003}
MATRICES = {31: (46349, 46337), 32: (65537, 65539)}
CUBES = {31: (17, 32771, 4099), 32: (17, 65537, 4099)}
CASES = [(31, "u1"), (32, "u1"), (32, "f4")]

pytestmark = pytest.mark.huge


@pytest.fixture(autouse=True)
def alone():
    """One of these tests at a time, of all processes; the memory goes back."""
    with open(os.path.join(tempfile.gettempdir(), f"tenorite-huge-{os.getuid()}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
        gc.collect()
        tn.get_default_memory_pool().free_all_blocks()


@pytest.fixture(params=CASES, ids=lambda case: f"{case[1]}-{case[0]}")
def case(request, alone):
    """(exponent, dtype), where three such arrays fit. On the host others have to live beside."""
    exponent, dtype = request.param
    if not ON_GPU and dtype != "u1":
        pytest.skip("on the host arrays are of bytes")
    needed = (3 if ON_GPU else 6) * np.dtype(dtype).itemsize * np.prod(CUBES[exponent], dtype=int) + 2**31
    if tn.cuda.Device().mem_info[0] < needed:
        pytest.skip(f"needs {needed >> 30} GiB of free memory")
    return exponent, dtype


# --- Contents ---


def value(at):
    return at % PERIOD


def pattern(count, dtype):
    a = tn.empty(count, dtype)
    a[:PERIOD] = tn.arange(PERIOD, dtype=dtype)
    done = PERIOD
    while done < count:
        step = min(done, count - done)
        a[done : done + step] = a[:step]
        done += step
    return a


def total(count):
    """The sum of value(i) for all i below count."""
    whole, rest = divmod(count, PERIOD)
    return whole * SUM + rest * (rest - 1) // 2


def exact_sum(a):
    return a.sum(dtype="i8" if a.dtype.kind in "iub" else "f8").item()


def edges(count):
    """Where counts and addresses pass 2**31 and 2**32, and the ends."""
    inner = [2**k - 500 for k in (29, 30, 31, 32) if 2**k + 500 < count]
    return [0, *inner, count - 1000]


def assert_equal(ours, theirs):
    """Numbers of NumPy's, whatever their dtype, are ours after they wrapped."""
    np.testing.assert_array_equal(ours.get(), np.asarray(theirs).astype(ours.dtype))


def check_flat(a, function, period=PERIOD):
    """a[i] == function(i) everywhere; the function repeats with the period."""
    assert_equal(a[:period], function(np.arange(period)))
    for start in edges(a.size):
        assert_equal(a[start : start + 1000], function(np.arange(start, start + 1000)))
    for start in range(0, a.size - period, PIECE):
        end = min(start + PIECE, a.size - period)
        assert tn.array_equal(a[start:end], a[start + period : end + period]), f"{start} to {end}"


def edge_rows(shape):
    rows, columns = shape
    near = {(edge + 500) // columns + k for edge in edges(rows * columns) for k in (-1, 0, 1)}
    return sorted(row for row in near | {rows - 1} if 0 <= row < rows)


def check_matrix(a, function):
    """Whole rows where counts pass what 32 bits hold, and whole columns at both ends."""
    rows, columns = a.shape
    for row in edge_rows(a.shape):
        assert_equal(a[row], function(row, np.arange(columns)))
    for some in (slice(0, 3), slice(columns - 3, columns)):
        wanted = function(np.arange(rows)[:, None], np.arange(columns)[some])
        assert_equal(a[:, some], wanted)


# --- Element-wise ---


def test_add(case):
    exponent, dtype = case
    a = pattern(SIZES[exponent], dtype)
    check_flat(a, value)
    check_flat(a + a, lambda i: 2 * value(i))
    check_flat(a + 3, lambda i: value(i) + 3)
    check_flat(a[::-1] + a, lambda i: value(a.size - 1 - i) + value(i))
    half = a.size // 2
    check_flat(a[: 2 * half : 2] + a[1 : 2 * half : 2], lambda i: value(2 * i) + value(2 * i + 1))
    a[1:] += 1
    check_flat(a[1:], lambda i: value(i + 1) + 1)
    assert a[0].item() == 0


def test_add_rows_and_columns(case):
    exponent, dtype = case
    rows, columns = MATRICES[exponent]
    a = pattern(rows * columns, dtype).reshape(rows, columns)
    row, column = (tn.arange(rows) % 5).astype(dtype), (tn.arange(columns) % 5).astype(dtype)
    made = a + column
    check_matrix(made, lambda i, j: value(i * columns + j) + j % 5)
    assert exact_sum(made) == total(a.size) + rows * exact_sum(column)
    del made
    made = a + row[:, None]
    check_matrix(made, lambda i, j: value(i * columns + j) + i % 5)
    assert exact_sum(made) == total(a.size) + columns * exact_sum(row)
    del made
    made = a[::-1, ::-1] + column
    check_matrix(made, lambda i, j: value((rows - 1 - i) * columns + columns - 1 - j) + j % 5)
    assert exact_sum(made) == total(a.size) + rows * exact_sum(column)
    del made
    half = columns // 2  # more than 2**31 elements of a matrix with gaps, where it has 2**32
    made = a[::-1, : 2 * half : 2] + a[:, 1 : 2 * half : 2]
    check_matrix(made, lambda i, j: value((rows - 1 - i) * columns + 2 * j) + value(i * columns + 2 * j + 1))


def test_convert_and_join(case):
    exponent, dtype = case
    a = pattern(SIZES[exponent], dtype)
    check_flat(a.astype("i1" if dtype == "u1" else "u1"), value)
    check_flat(a.astype("?"), lambda i: value(i) != 0)
    third = a.size // 3
    check_flat(tn.concatenate([a[:third], a[third:]]), value)
    rows, columns = a.size // 4099, 4099
    matrix = a[: rows * columns].reshape(rows, columns)
    check_flat(tn.concatenate([matrix[:, :1001], matrix[:, 1001:]], axis=1).reshape(-1), value)


def test_transposed_copy(case):
    exponent, dtype = case
    rows, columns = MATRICES[exponent]
    a = pattern(rows * columns, dtype).reshape(rows, columns)
    made = tn.ascontiguousarray(a.T)
    assert made.flags.c_contiguous and made.shape == (columns, rows)
    check_matrix(made, lambda i, j: value(j * columns + i))
    for start in range(0, columns, 4096):
        assert tn.array_equal(made[start : start + 4096], a[:, start : start + 4096].T)


# --- Reductions ---


def test_reduce_all(case):
    exponent, dtype = case
    a = pattern(SIZES[exponent], dtype)
    place = a.size - 7
    old = value(place)
    a[place] = 255
    wanted = total(a.size) + 255 - old
    assert exact_sum(a) == wanted
    assert a.max().item() == 255 and a.argmax().item() == place
    assert a.min().item() == 0 and a[1:].argmin().item() == PERIOD - 1
    assert a.mean(dtype="f8").item() == pytest.approx(wanted / a.size, rel=1e-12)
    assert a.mean().item() == pytest.approx(wanted / a.size, rel=1e-4)
    assert tn.count_nonzero(a).item() == a.size - (a.size + PERIOD - 1) // PERIOD + (old == 0)


def lines(shape, axis):
    """The number of elements of a line along an axis; and of all lines, what their first elements
    are, and the elements of their first periods."""
    strides = [int(np.prod(shape[k + 1 :], dtype=np.int64)) for k in range(len(shape))]
    assert strides[axis] % PERIOD and shape[axis] > PERIOD
    grids = np.ogrid[tuple(slice(size if k != axis else 1) for k, size in enumerate(shape))]
    first = value(sum(grid * stride for grid, stride in zip(grids, strides))).squeeze(axis)
    period = value(np.arange(PERIOD)[:, None] + strides[axis] * np.arange(PERIOD))
    return shape[axis], first, period


def line_sums(shape, axis):
    count, first, period = lines(shape, axis)
    whole, rest = divmod(count, PERIOD)
    return (whole * SUM + period[:, :rest].sum(axis=1))[first]


AXES = [("matrix", 0), ("matrix", 1), ("cube", 1)]


def shaped(case, kind):
    exponent, dtype = case
    shape = (MATRICES if kind == "matrix" else CUBES)[exponent]
    return pattern(int(np.prod(shape, dtype=np.int64)), dtype).reshape(shape)


@pytest.mark.parametrize("kind, axis", AXES)
def test_reduce_axis(case, kind, axis):
    a = shaped(case, kind)
    count, first, period = lines(a.shape, axis)
    place = tuple(size - 2 for size in a.shape)
    line = place[:axis] + place[axis + 1 :]
    old = a[place].item()
    a[place] = 255
    sums, largest, places = line_sums(a.shape, axis), np.full(first.shape, PERIOD - 1), period.argmax(axis=1)[first]
    sums[line] += 255 - old
    largest[line], places[line] = 255, place[axis]
    assert_equal(a.sum(axis=axis), sums)
    assert_equal(a.max(axis=axis), largest)
    assert_equal(a.argmax(axis=axis), places)
    np.testing.assert_allclose(a.mean(axis=axis).get(), sums / count, rtol=1e-5)


def test_reduce_outer_axes(case):
    a = shaped(case, "cube")
    first, rows, columns = a.shape
    wanted = line_sums((first * rows, columns), 1).reshape(first, rows).sum(axis=0)
    assert_equal(a.sum(axis=(0, 2), dtype="i8" if case[1] == "u1" else "f8"), wanted)
    assert (a.max(axis=(0, 2)) == PERIOD - 1).all()


def test_any_all(case):
    if case[1] != "u1":
        pytest.skip("bools are bytes")
    rows, columns = MATRICES[case[0]]
    a = tn.zeros((rows, columns), "?")
    flat = a.reshape(-1)
    assert not flat.any()
    flat[-3] = True
    assert flat.any() and not flat[:-3].any() and not flat.all()
    assert tn.nonzero(a.any(axis=0))[0].tolist() == [columns - 3]
    assert tn.nonzero(a.any(axis=1))[0].tolist() == [rows - 1]
    flat[...] = True
    assert flat.all()
    flat[-3] = False
    assert not flat.all() and flat[:-3].all()
    assert tn.nonzero(~a.all(axis=0))[0].tolist() == [columns - 3]
    assert tn.nonzero(~a.all(axis=1))[0].tolist() == [rows - 1]


# --- Scans ---


def test_scan_all(case):
    """Of bytes the sums wrap; of floats they count ones so few that nothing is rounded."""
    exponent, dtype = case
    if dtype == "u1":
        a = pattern(SIZES[exponent], dtype)
        check_flat(a.cumsum(dtype="u1"), np.vectorize(lambda i: total(int(i) + 1) % 256), 256 * PERIOD)
        return
    a = tn.zeros(SIZES[exponent], dtype)
    ones = np.unique([0, 1, 2**31 - 1, 2**31, a.size - 500, a.size - 1] + edges(a.size))
    a[tn.array(ones)] = 1
    made = a.cumsum()
    for start in edges(a.size):
        wanted = np.searchsorted(ones, np.arange(start, start + 1000), side="right")
        assert_equal(made[start : start + 1000], wanted)
    assert exact_sum(made) == sum(a.size - int(one) for one in ones)


@pytest.mark.parametrize("kind, axis", AXES)
def test_scan_axis(case, kind, axis):
    a = shaped(case, kind)
    made = a.cumsum(axis=axis, dtype=case[1])
    last = [slice(None)] * a.ndim
    last[axis] = -1
    assert_equal(made[tuple(last)], line_sums(a.shape, axis))
    strides = [size // a.itemsize for size in a.strides]
    for part in (0, 1, 2, 3):  # some lines from their beginnings to their ends
        place = [(size - 1) * part // 3 for size in a.shape]
        place[axis] = 0
        start = sum(at * stride for at, stride in zip(place, strides))
        place[axis] = slice(None)
        wanted = value(start + strides[axis] * np.arange(a.shape[axis])).cumsum()
        assert_equal(made[tuple(place)], wanted)


# --- Sorting ---


def ranks(count, begin):
    """Of the sorted pattern from rank `begin` on: values, and which of its value each one is."""
    at, (often, rest) = np.arange(begin, begin + 1000), divmod(count, PERIOD)
    border = rest * (often + 1)  # values below `rest` come once more than the others
    values = np.where(at < border, at // (often + 1), rest + (at - border) // often)
    first = np.where(values < rest, values * (often + 1), border + (values - rest) * often)
    return values, at - first


def test_sort(case):
    exponent, dtype = case
    a = pattern(SIZES[exponent], dtype)
    wanted = exact_sum(a)
    a.sort()
    for start in edges(a.size):
        assert_equal(a[start : start + 1000], ranks(a.size, start)[0])
    assert exact_sum(a) == wanted
    values = tn.arange(PERIOD, dtype=dtype)
    assert tn.diff(tn.searchsorted(a, values, "right")).sum() == a.size - a.size // PERIOD - 1


def test_argsort(case):
    exponent, dtype = case
    if not ON_GPU or tn.cuda.Device().mem_info[0] < 40 * SIZES[exponent] or dtype != "u1":
        pytest.skip("needs 40 bytes an element, and a GPU")
    a = pattern(SIZES[exponent], dtype)
    order = a.argsort(stable=True)
    for start in edges(a.size):
        values, number = ranks(a.size, start)
        assert_equal(order[start : start + 1000], values + PERIOD * number)


# --- Indexing ---


def places(count):
    """A few thousand places, most where counts pass what 32 bits hold; each once, in no order."""
    random = np.random.default_rng(count)
    near = [edge + random.integers(0, 1000, 300) for edge in edges(count)]
    return random.permutation(np.unique(np.concatenate([*near, random.integers(0, count, 3000)])))


def test_take_put_at(case):
    exponent, dtype = case
    a = pattern(SIZES[exponent], dtype)
    where = places(a.size)
    indices = tn.array(where)
    assert_equal(a[indices], value(where))
    assert_equal(a[indices - a.size], value(where))
    assert_equal(tn.take(a, indices), value(where))
    a[indices] = (tn.arange(where.size) % 100).astype(dtype)
    assert_equal(a[indices], np.arange(where.size) % 100)
    again = np.concatenate([where, where[::-1]])  # the last of two values stays
    a[tn.array(again)] = (tn.arange(again.size) % 100).astype(dtype)
    assert_equal(a[indices], (again.size - 1 - np.arange(where.size)) % 100)
    a[indices] = 7
    tn.add.at(a, tn.array(np.concatenate([again, where[:100]])), 1)
    assert_equal(a[indices], 9 + (np.arange(where.size) < 100))
    a[indices] = tn.array(value(where).astype(dtype))
    check_flat(a, value)


def test_take_rows(case):
    exponent, dtype = case
    rows, columns = MATRICES[exponent]
    a = pattern(rows * columns, dtype).reshape(rows, columns)
    some, others = np.array(edge_rows(a.shape)), np.array([columns - 1, 0, 1, columns // 2])
    assert_equal(a[tn.array(some)], value(some[:, None] * columns + np.arange(columns)))
    assert_equal(a[:, tn.array(others)], value(np.arange(rows)[:, None] * columns + others))
    pairs = np.resize(others, some.size)
    assert_equal(a[tn.array(some), tn.array(pairs)], value(some * columns + pairs))
    a[tn.array(some)] = 3
    assert (a[tn.array(some)] == 3).all() and a[some[-1] - 9, -1].item() == value((some[-1] - 8) * columns - 1)
    del a
    # Few rows, taken often: the result is long.
    table = pattern(PERIOD * 4099, dtype).reshape(PERIOD, 4099)
    check_flat(table[tn.arange(SIZES[exponent] // 4099) % PERIOD].reshape(-1), value)


def test_masks(case):
    exponent, dtype = case
    a = pattern(SIZES[exponent], dtype)
    last = PERIOD - 1
    mask = a == last
    count = a.size // PERIOD
    found = a[mask]
    assert found.shape == (count,) and (found == last).all()
    assert tn.array_equal(mask.nonzero()[0], tn.arange(count) * PERIOD + last)
    columns = MATRICES[exponent][1]
    rows = a.size // columns
    row, column = mask[: rows * columns].reshape(rows, columns).nonzero()
    assert tn.array_equal(row * columns + column, tn.arange(row.size) * PERIOD + last)
    assert row.size == (rows * columns - 1 - last) // PERIOD + 1
    del row, column, found
    made = tn.where(mask, a, 7)
    assert made.dtype == a.dtype
    check_flat(made, lambda i: np.where(value(i) == last, last, 7))
    del made
    a[mask] = 1
    check_flat(a, lambda i: np.where(value(i) == last, 1, value(i)))
    a[mask] = (tn.arange(count) % 7).astype(dtype)
    check_flat(a, lambda i: np.where(value(i) == last, i // PERIOD % 7, value(i)), 7 * PERIOD)


# --- Views of one size ---


def test_add_reduce_slice_copy():
    a = tn.ones(SIZE, "i1")
    assert a.size == SIZE and a.nbytes == SIZE
    a[-1] = 5
    a[2**31] = 7
    assert a[2**31].item() == 7 and a[-1].item() == 5 and a[SIZE - 2].item() == 1
    b = a + a
    assert b[2**31].item() == 14 and b[-1].item() == 10 and b[0].item() == 2
    assert a.sum(dtype="i8").item() == SIZE + 6 + 4
    assert a.argmax().item() == 2**31 and a.max().item() == 7
    assert tn.count_nonzero(a).item() == SIZE
    tail = a[2**31 - 5 :]
    assert tail.size == 1006 and tail[5].item() == 7
    assert tail.copy().tolist() == tail.get().tolist()
    b[...] = a[::-1]
    assert b[0].item() == 5 and b[SIZE - 1 - 2**31].item() == 7
    del tail


def test_strided_and_wide():
    a = tn.zeros((2, SIZE), "i1")
    a[1] = 3
    assert a[1, -1].item() == 3 and a[0, -1].item() == 0
    assert a[:, 2**31 :].sum().item() == 3 * 1001
    assert a[1, ::-2][-1].item() == 3
    assert a.T[2**31].tolist() == [0, 3]
    assert a.any(axis=1).tolist() == [False, True]
    a[1, 2**31 :] += 1
    assert a[1, 2**31 - 1 : 2**31 + 1].tolist() == [3, 4]
    assert a.reshape(-1)[SIZE + 2**31].item() == 4


def test_take_and_mask():
    a = tn.zeros(SIZE, "i1")
    at = tn.array([2**31, 2**31 + 1000, -1, 0])
    a[at] = tn.array([1, 2, 3, 4], "i1")
    assert a[at].tolist() == [1, 3, 3, 4]
    assert np.array([x.get() for x in a.nonzero()]).tolist() == [[0, 2**31, 2**31 + 1000]]
