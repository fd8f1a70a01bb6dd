"""Generated calls on dates, durations, structures and void, with NumPy as the oracle: casts,
operations, order, folds, of many units and layouts. TENORITE_STORED multiplies how many."""

import os
import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import outcome

ROUNDS = int(os.environ.get("TENORITE_STORED", "1"))
UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "3D", "7s", "25us", "4M", "10Y", "generic")
SHAPES = ((), (1,), (7,), (0,), (4, 5), (3, 1, 6), (2, 0, 3))
NUMBERS = ("?", "i1", "i4", "i8", "u8", "f2", "f4", "f8", "c16")
STRUCTURES = (
    np.dtype([("a", "i2"), ("b", "f4")]),
    np.dtype([("a", "?"), ("b", "M8[D]"), ("c", "m8[ms]")]),
    np.dtype([("x", [("y", "i1"), ("z", "f8")]), ("v", "V3"), ("k", "u1", (2,))]),
    np.dtype([("a", "u2"), ("b", "f8")], align=True),  # of float16 NumPy has NaN first
    np.dtype("V1"),
    np.dtype("V6"),
    np.dtype("V16"),
)
ERRORS = (TypeError, ValueError, OverflowError, IndexError)


@pytest.fixture
def random(request):
    return np.random.default_rng(sum(request.node.name.encode()))


def time_dtype(random, kinds="Mm"):
    kind = kinds[random.integers(len(kinds))]
    unit = UNITS[random.integers(len(UNITS) - (kind == "M"))]  # a date has a unit
    return np.dtype(f"{kind}8" + (f"[{unit}]" if unit != "generic" else ""))


def filled(random, dtype, shape):
    """Small values, many of them equal; a sixth NaT or NaN."""
    dtype = np.dtype(dtype)
    if dtype.names is not None:
        made = np.zeros(shape, dtype)
        for name in dtype.names:
            part = dtype[name]
            made[name] = filled(random, part.base, (*shape, *part.shape))
        return made
    if dtype.kind == "V":
        return random.integers(0, 3, (*shape, dtype.itemsize), np.uint8).view(dtype)[..., 0]
    made = np.asarray(random.integers(-4, 5, shape))
    if dtype.kind in "mf":
        made = np.asarray(made * int(10 ** random.integers(0, 4)))
    if dtype.kind == "M":
        made = np.asarray(made * int(random.integers(1, 40)))
    made = np.asarray(np.abs(made) if dtype.kind == "u" else made).astype(dtype)
    if dtype.kind in "Mmfc":
        made[np.asarray(random.random(shape) < 1 / 6)] = "NaT" if dtype.kind in "Mm" else np.nan
    return made


def laid_out(random, array):
    """NumPy's and ours, in one of several layouts."""
    how = random.integers(5)
    pair = [array, tn.array(array)]
    if how == 1:
        pair = [np.array(array, order="F"), tn.array(array, order="F")]
    elif how == 2 and array.ndim:
        pair = [one[::-1] for one in pair]
    elif how == 3 and array.ndim:
        pair = [m.concatenate([one, one], axis=-1)[..., ::2] for m, one in zip((np, tn), pair)]
    elif how == 4:
        pair = [one.T for one in pair]
    return pair


def check(call, host, ours, **exact):
    """Both give the same, or both refuse it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected, refused = outcome(lambda: call(np, *host))
        found, failed = outcome(lambda: call(tn, *ours))
    what = f"{[getattr(one, 'dtype', one) for one in host]}, {[getattr(one, 'shape', ()) for one in host]}"
    if refused is not None:
        assert isinstance(failed, ERRORS), f"{what}: {failed!r}, not {refused!r}; found {found!r}"
        return
    assert failed is None, f"{what}: {failed!r}"
    many = isinstance(expected, tuple)
    for one, other in zip(expected if many else (expected,), found if many else (found,)):
        one, other = np.asarray(one), other.get() if hasattr(other, "get") else np.asarray(other)
        assert other.dtype == one.dtype and other.shape == one.shape, what
        same = one.view("i8") == other.view("i8") if one.dtype.kind in "Mm" else one == other
        if one.dtype.kind in "fc":
            same |= (one != one) & (other != other)
        elif one.dtype.names is not None:
            same = str(one.tolist()) == str(other.tolist())  # without what lies between fields
        assert np.all(same), f"{what}\n{host!r}\n{one!r}\n{other!r}"


def overflows(own, to):
    """Whether NumPy's product before its quotient does, of months in a fine unit."""
    units = {np.datetime_data(one)[0] for one in (own, to) if one.kind in "Mm"}
    return bool(units & {"Y", "M"}) and bool(units & {"us", "ns"}) and own.kind == to.kind == "m"


def test_casts(random):
    for _ in range(400 * ROUNDS):
        own = time_dtype(random) if random.random() < 0.8 else np.dtype(NUMBERS[random.integers(len(NUMBERS))])
        to = time_dtype(random) if random.random() < 0.7 else np.dtype(NUMBERS[random.integers(len(NUMBERS))])
        if {own.kind, to.kind}.isdisjoint("Mm") or overflows(own, to):
            continue
        host, ours = laid_out(random, filled(random, own, SHAPES[random.integers(len(SHAPES))]))
        if own.kind == "f" and to.kind in "Mm" or own.kind in "Mm" and to.kind in "iu" and to.itemsize < 8:
            host, ours = host[~np.isnan(host)] if own.kind == "f" else host, ours
            ours = tn.array(host)
        check(lambda m, a: a.astype(to), [host], [ours])
        check(lambda m, a: a.astype(to, casting="same_kind"), [host], [ours])


BINARY = """add subtract multiply divide floor_divide remainder divmod equal not_equal less less_equal greater
    greater_equal maximum minimum fmax fmin""".split()
UNARY = "negative positive absolute sign isnat isfinite isinf isnan".split()


@pytest.mark.parametrize("name", BINARY)
def test_operations_of_two(random, name):
    for _ in range(60 * ROUNDS):
        shape = SHAPES[random.integers(len(SHAPES))]
        dtypes = [time_dtype(random), time_dtype(random)]
        if random.random() < 0.5:
            dtypes[random.integers(2)] = np.dtype(("i8", "i4", "f8", "f4", "?")[random.integers(5)])
        pairs = [laid_out(random, filled(random, dtype, shape)) for dtype in dtypes]
        host, ours = zip(*pairs)
        if host[0].shape != host[1].shape or overflows(*dtypes):
            continue
        number = random.integers(3)
        if number < 2 and host[number].ndim and host[number].size and host[number].dtype.kind in "Mm":
            host, ours = list(host), list(ours)  # one is a scalar of NumPy's
            host[number] = ours[number] = host[number].ravel()[0]
            if host[1 - number].dtype.kind not in "Mm":
                continue  # no array of dates is left
        check(lambda m, a, b: getattr(m, name)(a, b), host, ours)


@pytest.mark.parametrize("name", UNARY)
def test_operations_of_one(random, name):
    for _ in range(20 * ROUNDS):
        host, ours = laid_out(random, filled(random, time_dtype(random), SHAPES[random.integers(len(SHAPES))]))
        check(lambda m, a: getattr(m, name)(a), [host], [ours])


def dtype_of_order(random):
    return time_dtype(random) if random.random() < 0.4 else STRUCTURES[random.integers(len(STRUCTURES))]


def order_of(random, dtype):
    """None, or the names of some fields."""
    if dtype.names is None or random.random() < 0.5:
        return None
    return list(random.permutation(dtype.names)[: 1 + random.integers(len(dtype.names))])


def test_sorting(random):
    for _ in range(150 * ROUNDS):
        dtype = dtype_of_order(random)
        host, ours = laid_out(random, filled(random, dtype, SHAPES[1 + random.integers(len(SHAPES) - 1)]))
        axis, order = int(random.integers(-1, host.ndim)), order_of(random, dtype)
        options = {"kind": "stable", "order": order}
        check(lambda m, a: m.argsort(a, axis=axis, **options), [host], [ours])
        check(lambda m, a: m.sort(a, axis=axis, **options), [host], [ours])
        check(lambda m, a: m.sort(a, axis=None, **options), [host], [ours])
        check(lambda m, a: m.unique(a), [host.ravel()], [ours.ravel()])
        if host.shape[axis] == 0:
            continue
        kth = int(random.integers(host.shape[axis]))
        check(lambda m, a: m.take(m.partition(a, kth, axis=axis, order=order), kth, axis=axis), [host], [ours])


def test_searching(random):
    for _ in range(80 * ROUNDS):
        dtype = dtype_of_order(random)
        sorted_, values = np.sort(filled(random, dtype, (9,))), filled(random, dtype, (2, 4))
        side = ("left", "right")[random.integers(2)]
        ours = tn.array(sorted_), tn.array(values)
        check(lambda m, a, v: m.searchsorted(a, v, side=side), [sorted_, values], ours)
        check(lambda m, a, v: a.searchsorted(v[0], side=side), [sorted_, values], ours)


def test_keys_of_several_arrays(random):
    for _ in range(20 * ROUNDS):
        keys = [filled(random, dtype_of_order(random), (12,)) for _ in range(1 + random.integers(3))]
        check(lambda m, *keys: m.lexsort(keys), keys, [tn.array(key) for key in keys])


def test_equality_of_structures(random):
    for _ in range(60 * ROUNDS):
        dtype = STRUCTURES[random.integers(len(STRUCTURES))]
        shape = SHAPES[random.integers(len(SHAPES))]
        host, ours = zip(*(laid_out(random, filled(random, dtype, shape)) for _ in range(2)))
        if host[0].shape == host[1].shape:
            check(lambda m, a, b: (a == b, a != b), host, ours)
            check(lambda m, a, b: a < b, host, ours)


REDUCTIONS = """min max sum mean argmin argmax ptp any all count_nonzero nanmin nanmax cumsum""".split()


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(random, name):
    for _ in range(20 * ROUNDS):
        host, ours = laid_out(random, filled(random, time_dtype(random), SHAPES[random.integers(len(SHAPES))]))
        axis = None if random.random() < 0.4 or not host.ndim else int(random.integers(host.ndim))
        check(lambda m, a: getattr(m, name)(a, axis=axis), [host], [ours])


@pytest.mark.parametrize("seed", range(2))
def test_large_ones_are_as_small_ones(seed):
    """Long enough for tiles and vectors."""
    random = np.random.default_rng(seed)
    a = random.integers(-(10**12), 10**12, 300007).astype("m8[ms]")
    b = random.integers(-(10**4), 10**4, a.size).astype("m8[s]")
    a[random.integers(0, a.size, 1000)] = b[random.integers(0, a.size, 1000)] = "NaT"
    ours = tn.array(a), tn.array(b)
    for name in BINARY:
        check(lambda m, a, b: getattr(m, name)(a, b), (a, b), ours)
    for name in ("min", "max", "sum", "nanmin", "argmax"):
        check(lambda m, a, b: getattr(m, name)(a), (a, b), ours)
    check(lambda m, a, b: (m.sort(a), m.argsort(a, kind="stable"), m.cumsum(a)), (a, b), ours)
    without = a[~np.isnat(a)]
    check(lambda m, a: (m.sum(a), m.mean(a), m.cumsum(a)), [without], [tn.array(without)])
