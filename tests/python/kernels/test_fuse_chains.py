"""Chains of operations, which the host runs as one loop, have the bits of single calls.

Arithmetic of floats and integers, comparisons, choices and what is done with masks; any operations
on any side, at any length, of arrays and numbers; in element-wise calls, in folds and in rows.
"""

import numpy as np
import pytest
import tenorite as tn

STEPS = {
    "add": lambda x, y: x + y,
    "subtract": lambda x, y: x - y,
    "subtract from": lambda x, y: y - x,
    "multiply": lambda x, y: x * y,
    "divide": lambda x, y: x / y,
    "divide into": lambda x, y: y / x,
    "with itself": lambda x, _: x - x * x,
    "twice": lambda x, y: (x + x) / (y * y),
    "square": lambda x, _: tn.square(x),
    "root": lambda x, _: tn.sqrt(abs(x)),
    "negative": lambda x, _: -x,
    "reciprocal": lambda x, _: tn.reciprocal(x),
    "maximum": lambda x, y: tn.maximum(x, y),
    "maximum of": lambda x, y: tn.maximum(y, x),
    "minimum": lambda x, y: tn.minimum(x, y),
    "minimum of": lambda x, y: tn.minimum(y, x),
    "clip": lambda x, y: tn.clip(x, y, 0.5),
    "where": lambda x, y: tn.where(x > y, x, y * 2),
    "where not": lambda x, y: tn.where(x <= y, y, x),
    "mask": lambda x, y: (x < y).astype(x.dtype) * 3 - x,
    "masks": lambda x, y: tn.where(((x >= y) | (y == 0)) & ~(x != x), y, x),
}
INTEGER_STEPS = {
    **{
        name: STEPS[name]
        for name in STEPS
        if name not in ("divide", "divide into", "twice", "root", "clip", "reciprocal")
    },
    "clip": lambda x, y: tn.clip(x, y, 77),
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: y ^ x,
    "invert": lambda x, _: ~x,
    "shifted left": lambda x, y: (x << 3) ^ (x << y) ^ (x << 70),
    "shifted right": lambda x, y: (x >> 3) ^ (x >> y) ^ (x >> 70),
    "shift": lambda x, y: y >> (x & 31),
    "absolute": lambda x, _: abs(x),
}
# More than those of which single calls run (kernel/expression/few.c).
LENGTHS = (5001, 5008, 5023, 5071, 5135, 6000, 9003)


def numbers(rng, dtype, shape):
    """Of both signs, and zeros of both; integers of all sizes."""
    if dtype in "iIqQ":
        bits = rng.integers(0, 1 << 32, shape, "u8") << rng.integers(0, 64, shape, "u8")
        bits[rng.random(shape) < 0.3] %= 90
        return tn.asarray(bits.astype(dtype))
    made = rng.standard_normal(shape).astype(dtype)
    made[rng.random(shape) < 0.05] = -0.0
    made[rng.random(shape) < 0.05] = 0.0
    return tn.asarray(made)


def bits(array):
    """NaN are alike: which one it is differs between machines, too."""
    host = tn.asnumpy(array)
    return np.where(host == host, host, host.dtype.type(np.nan) if host.dtype.kind == "f" else host).tobytes()


def check(function, *arrays):
    wanted, found = function(*arrays), tn.fuse(function)(*arrays)
    for one, other in zip(wanted, found, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        assert bits(one) == bits(other)


def check_pairs(steps, first, dtype, one, two):
    rng = np.random.default_rng(len(first))
    for second in steps:
        for length in LENGTHS[:: 1 + 2 * (second != "add")]:
            a, b, c = (numbers(rng, dtype, length) for _ in range(3))

            def program(a, b, c):
                made = steps[second](steps[first](a, b), c)
                return made, steps[second](steps[first](a, one), two), steps[second](c, steps[first](b, 2))

            check(program, a, b, c)


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("first", STEPS)
def test_each_pair(first, dtype):
    """Two steps, the second of an array or a number, at lengths that are no whole vectors."""
    check_pairs(STEPS, first, dtype, 0.75, -3)


@pytest.mark.parametrize("dtype", "iIqQ")
@pytest.mark.parametrize("first", INTEGER_STEPS)
def test_each_pair_of_integers(first, dtype):
    check_pairs(INTEGER_STEPS, first, dtype, 5, 77)


FOLDS = {
    "sum": lambda x: tn.sum(x),
    "mean": lambda x: tn.mean(x),
    "prod": lambda x: tn.prod(x * 0.01 + 1),
    "max": lambda x: tn.max(x),
    "min": lambda x: tn.min(x),
    "nanmax": lambda x: tn.nanmax(x),
    "nanmin": lambda x: tn.nanmin(x),
}


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("fold", FOLDS)
def test_folds_in_registers(fold, dtype):
    """All of an array, its rows, and two folds of one value beside it; also with NaN and zeros."""
    rng = np.random.default_rng(len(fold))
    take = FOLDS[fold]

    def whole(a, b):
        return (take((a - b) * (a - b)), take(a * b))

    def rows(a, b):
        away = a - b
        return away, take(away.T * 1), tn.sum(away * away, axis=1), tn.max(away * away, axis=1), away / 3

    for length in (*LENGTHS, 70_000):
        a, b = (numbers(rng, dtype, length) for _ in range(2))
        check(whole, a, b)
        check(whole, -abs(a) * 0, b * 0)
        a[17::701] = np.nan
        check(whole, a, b)
    for length in (128, 159, 1000, 1151, 2100):
        a, b = (numbers(rng, dtype, (40, length)) for _ in range(2))
        check(rows, a, b)
        a[3, 17:40] = np.nan
        check(rows, a, b[:, :1])


def drawn(rng, count, steps):
    """A program of so many steps, some values of which are read again or returned."""
    names = [str(name) for name in rng.choice(list(steps), count)]
    picks, kinds = rng.integers(0, 1 << 30, count), rng.random(count)

    def program(*arrays):
        values, kept = list(arrays), []
        for name, pick, kind in zip(names, picks, kinds):
            number = float(pick % 7 - 3.5) if steps is STEPS else int(pick % 70)
            made = steps[name](values[-1], number if kind < 0.3 else values[pick % len(values)])
            values = [*values, made] if kind > 0.9 else [*values[:-1], made] if len(values) > 3 else [*values, made]
            if kind > 0.97:
                kept.append(made)
        return (*kept, values[-1])

    return program


@pytest.mark.parametrize("seed", range(18))
def test_drawn(seed):
    rng = np.random.default_rng(seed)
    dtype = "fdiIqQ"[seed % 6]
    program = drawn(rng, int(rng.integers(3, 90)), STEPS if dtype in "fd" else INTEGER_STEPS)
    with np.errstate(all="ignore"):
        for length in (*LENGTHS, 40_000):
            check(program, *(numbers(rng, dtype, length) for _ in range(3)))
        check(program, *(numbers(rng, dtype, (70, 90)).T for _ in range(3)))
        a, b, c = (numbers(rng, dtype, (8, 600)) for _ in range(3))
        check(program, a, b[:, :1], c[0])
        check(program, a[:, ::2], b[:, 300:], c[:, ::-2])


@pytest.mark.parametrize("dtype", "fdiIqQ")
def test_masks(dtype):
    """Given ones, of bytes that are not 0 or 1 too; returned ones, and more than chains keep."""
    rng = np.random.default_rng(5)

    def program(a, b, given, one):
        smaller, chosen = a < b, tn.where(given, a, b)
        kept = [(a > k) & smaller for k in range(30)]
        for mask in kept:
            chosen = tn.where(mask, chosen + 1, b)
            chosen = tn.where(one, chosen, a)
        return chosen, smaller, ~smaller ^ kept[3], given * a, smaller + b, given | smaller, given & smaller

    def apart(a, b):
        """More masks at once than chains keep, and a step between that is in no chain."""
        masks = [(a > k) & (b < k) | ~(a < b) for k in range(20)]
        away = tn.signbit(tn.where(a > b, a, b * 2)) * a
        chosen = a + 1
        for k, mask in enumerate(masks):
            chosen = tn.where(mask, chosen * 3, b - k)
        return tn.where((away > b) & masks[7], chosen, away * 2), chosen * (a > 1)

    for length in (*LENGTHS, 40_000):
        a, b = (numbers(rng, dtype, length) for _ in range(2))
        if dtype in "fd":
            check(apart, a, b)
        given = tn.asarray(rng.integers(0, 3, length).astype("B")).view(bool)
        for one in (given[::-1], given[:1], tn.asarray(np.uint8(4)).view(bool), True):
            check(program, a, b, given, one)
    a, b = (numbers(rng, dtype, (40, 300)) for _ in range(2))
    check(program, a, b[:, :1], a > b, b[:, :1] > 2)


@pytest.mark.parametrize("dtype", "fdiq")
def test_masks_in_rows(dtype):
    rng = np.random.default_rng(6)

    def program(a, b):
        most = tn.max(a, axis=1, keepdims=True)
        made = tn.where(a > most - b, tn.maximum(a, 3), b)
        return made, tn.sum(made, axis=1), tn.any(a > b, axis=1), tn.sum(a < b, axis=1), tn.max(tn.where(a < b, a, b))

    for length in (17, 128, 1000, 1151, 2100):
        a, b = (numbers(rng, dtype, (40, length)) for _ in range(2))
        check(program, a, b)
        check(program, a, b[:, :1])


@pytest.mark.parametrize("dtype", "fd")
def test_in_place(dtype):
    """The result's memory may be that of any operand."""
    rng = np.random.default_rng(3)
    for position in range(3):
        for length in LENGTHS:

            def program(*arrays):
                a, b, c = arrays
                arrays[position][...] = tn.sqrt(abs((a * b - c) / 3 + a))
                return (arrays[position] * 2 - b,)

            ours = [numbers(rng, dtype, length) for _ in range(3)]
            copies = [array.copy() for array in ours]
            (wanted,), (found,) = program(*ours), tn.fuse(program)(*copies)
            for one, other in zip([*ours, wanted], [*copies, found]):
                assert bits(one) == bits(other)


@pytest.mark.parametrize("dtype", "fd")
@pytest.mark.parametrize("length", [1, 3, 4, 7, 16, 17, 48, 65, 127, 128, 193, 1000, 1025, 1124, 1151, 2200])
def test_folds_and_rows(length, dtype):
    """Arrays of rows' numbers lie in any way, too; leaves of long rows are of any length."""
    rng = np.random.default_rng(length)
    x, y = (numbers(rng, dtype, (50, length)) for _ in range(2))
    rows = numbers(rng, dtype, (50, 3))
    for w in (rows[:, :1], rows[:, 1:2], rows[::-1, 2:], tn.ascontiguousarray(rows[:, :1])):

        def sums(x, y, w):
            return tn.sum((x * w - y) / 4 + x, axis=1), tn.max(abs(x - y) * 0.5 - w, axis=1)

        def normal(x, y, w):
            away = x - tn.mean(x, axis=1, keepdims=True)
            scale = tn.sqrt(tn.mean(away * away, axis=1, keepdims=True) * w * w + 1e-5)
            return away / scale * w + y, (scale + w) * 3 - w

        for program in (sums, normal):
            check(program, x, y, w)
            check(program, x[:, ::-1], y, w)
        check(normal, x[:, :1], y, w)


@pytest.mark.parametrize("offset", [0, 1, 16])
def test_more_than_the_caches_hold(offset):
    """Results that bypass the caches: read again or not, twice the same, and in place."""
    rng = np.random.default_rng(offset)
    whole = [numbers(rng, "f", 3_000_100) for _ in range(3)]
    a, b, c = (array[offset : offset + 3_000_019] for array in whole)

    def program(a, b, c):
        one = 0.9 * a + 0.1 * b
        two = 0.5 * c + b * b
        return one, two, c - one / (tn.sqrt(abs(two)) + 1), tn.exp(one * 0.25) + two

    def in_place(a, b, c):
        a[...] = (a * b - c) * 0.5
        return (a,)

    check(program, a, b, c)
    copies = [array.copy() for array in (a, b, c)]
    (wanted,), (found,) = in_place(a, b, c), tn.fuse(in_place)(*copies)
    assert bits(wanted) == bits(found) and bits(copies[0]) == bits(a)


@pytest.mark.parametrize("length", [17, 1001])
def test_rows_past_the_caches(length):
    """Rows that begin anywhere: of a result that is made, and of one that is stored to."""
    rng = np.random.default_rng(length)
    rows = 5_500_000 // length
    whole = numbers(rng, "f", rows * length + 3)

    def normal(x, to):
        away = x - tn.mean(x, axis=1, keepdims=True)
        scale = tn.sqrt(tn.mean(away * away, axis=1, keepdims=True) + 1e-5)
        to[...] = away / scale
        return away * 2, tn.exp(away / scale) / scale, away

    for first in (0, 1, 3):
        x = whole[first : first + rows * length].reshape(rows, length)
        ours, theirs = (tn.zeros(rows * length + 5, "f")[first + 1 :] for _ in range(2))
        ours, theirs = (array[: rows * length].reshape(rows, length) for array in (ours, theirs))
        for one, other in zip(normal(x, ours), tn.fuse(normal)(x, theirs), strict=True):
            assert bits(one) == bits(other)
        assert bits(ours) == bits(theirs)
