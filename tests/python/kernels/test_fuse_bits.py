"""A fold that reads what operations make has the bits of the fold of an array that was made."""

import functools
import itertools
import os
import threading

import numpy as np
import pytest
import tenorite as tn
from generator import ON_GPU

RNG = np.random.default_rng(7)
FOLDS = ("sum", "prod", "max", "mean", "var", "any")
CHAINS = {
    "difference": lambda a, b: a - b,
    "squares": lambda a, b: (a - b) * (a - b),
    "scalars": lambda a, b: a * 3 + b * 0.5 - 1,
    "compare": lambda a, b: a * 2 < b,
    "narrow": lambda a, b: (a + b).astype(np.float16),
    "wide": lambda a, b: a.astype(np.float64) * b,
    "one": lambda a, b: abs(a + 1),
}


def numbers(dtype, size):
    values = RNG.integers(-9, 9, size) if np.dtype(dtype).kind in "iu" else RNG.standard_normal(size)
    return tn.asarray(values.astype(dtype))


def check(chain, fold, a, b, **options):
    """Compares a fused fold with that of the array that the chain makes."""
    fused = tn.fuse(lambda x, y: getattr(tn, fold)(CHAINS[chain](x, y), **options))
    made = CHAINS[chain](a, b)
    wanted, found = getattr(tn, fold)(made, **options), fused(a, b)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    assert found.tobytes() == wanted.tobytes(), (chain, fold, options)


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("dtypes", ["ff", "fd", "ee", "bf", "hd", "dd"])
def test_dtypes(chain, dtypes):
    a, b = (numbers(dtype, 70_000) for dtype in dtypes)
    for fold in FOLDS:
        if fold != "any" and chain == "compare" and fold in ("var", "mean", "prod"):
            continue  # bool moments are not fused
        check(chain, fold, a, b)
        check(chain, fold, a.reshape(7, 10_000), b.reshape(7, 10_000), axis=1)
        check(chain, fold, a.reshape(700, 100), b.reshape(700, 100), axis=0)


@pytest.mark.parametrize("chain", ("difference", "scalars", "wide", "narrow"))
@pytest.mark.parametrize("offset", range(16))
def test_offsets(chain, offset):
    """Inputs begin at any element, alike and apart."""
    a, b = numbers("f", 20_020), numbers("f", 20_020)
    for other in (0, offset, 3):
        check(chain, "sum", a[offset : offset + 20_001], b[other : other + 20_001])
        rows = a[offset : offset + 20_000].reshape(20, 1000), b[other : other + 20_000].reshape(20, 1000)
        check(chain, "sum", *rows, axis=1)
        check(chain, "sum", *rows, axis=0)


@pytest.mark.parametrize("offset", range(16))
@pytest.mark.parametrize("dtypes", ["bb", "be", "ef", "ff", "hd", "dd"])
def test_offsets_in_bytes(dtypes, offset):
    """Elements begin at any byte, also where that is no multiple of their size."""

    def shifted(dtype, by):
        whole = tn.zeros(6000 * np.dtype(dtype).itemsize + 16, "B")
        array = whole[by : by + 6000 * np.dtype(dtype).itemsize].view(dtype)
        array[...] = numbers(dtype, 6000)
        return array

    a, b = shifted(dtypes[0], offset), shifted(dtypes[1], (offset * 7) % 16)
    for chain in ("difference", "scalars", "wide"):
        check(chain, "sum", a, b)
        check(chain, "mean", a.reshape(40, 150), b.reshape(40, 150), axis=1)
        check(chain, "sum", a.reshape(40, 150), b.reshape(40, 150), axis=0)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("way", ["packed", "reversed", "strided", "broadcast", "apart"])
def test_every_layout(order, way):
    a, b = numbers("f", 12_000).reshape(20, 30, 20), numbers("f", 12_000).reshape(20, 30, 20)
    a, b = a.transpose(order), b.transpose(order)
    if way == "reversed":
        a, b = a[::-1, :, ::-1], b[:, ::-1]
    elif way == "strided":
        a, b = a[::2, 1:, ::3], b[::2, 1:, ::3]
    elif way == "broadcast":
        b = b[:1, :, :1]
    elif way == "apart":
        b = b.copy()
    for chain in ("difference", "scalars", "one"):
        for axis in (0, 1, 2, (0, 1), (1, 2), (0, 2), None):
            check(chain, "sum", a, b, axis=axis)


@pytest.mark.parametrize("length", [1, 2, 3, 5, 8, 13, 16, 31, 33, 63, 100, 257, 1000, 1025, 4097, 20_000])
@pytest.mark.parametrize("dtypes", ["ff", "ed", "bb"])
def test_lengths_of_rows(length, dtypes):
    rows = max(3, min(2000, 200_000 // length))
    a, b = (numbers(dtype, rows * length).reshape(rows, length) for dtype in dtypes)
    for chain in ("difference", "scalars"):
        check(chain, "sum", a, b, axis=1)
        check(chain, "sum", a, b, axis=0)
        check(chain, "max", a, b, axis=1)
        check(chain, "sum", a.T, b.T, axis=0)


def test_layouts():
    a, b = numbers("f", 24_000).reshape(20, 30, 40), numbers("d", 24_000).reshape(20, 30, 40)
    for chain in CHAINS:
        for axis in (0, 1, 2, (0, 2), (0, 1), (1, 2), None):
            check(chain, "sum", a, b, axis=axis)
            check(chain, "sum", a.T, b.T, axis=axis)
            check(chain, "sum", a[:, ::2], b[:, ::2], axis=axis)
            check(chain, "sum", a[::-1], b, axis=axis)
            check(chain, "sum", a, b[:, :1], axis=axis)


def long_chain(*arrays):
    """A hundred steps of many arrays and scalars: conditions, conversions, more than one dtype."""
    total, first = arrays[0] * 2, arrays[0]
    for k, array in enumerate(arrays[1:] * 3):
        total = tn.where(array > first, total * (1 + k / 64) + array, total - array * k)
    return total


@pytest.mark.parametrize("count", [2, 9, 31])
def test_long_chains(count):
    for dtypes in ("ff", "fd", "eh"):
        arrays = [numbers(dtypes[k % 2], 20_000).reshape(40, 500) for k in range(count)]
        for made in (arrays, [array.T for array in arrays], [*arrays[1:], arrays[0][:, :1]]):
            for options in ({}, {"axis": 0}, {"axis": 1}):
                fused = tn.fuse(lambda *a: tn.sum(long_chain(*a), **options))
                wanted = tn.sum(long_chain(*made), **options)
                assert fused(*made).tobytes() == wanted.tobytes(), (count, dtypes, options)


def softmax(x):
    e = tn.exp(x - tn.max(x, axis=-1, keepdims=True))
    return e / tn.sum(e, axis=-1, keepdims=True)


def layer_norm(x, gain, bias):
    away = x - tn.mean(x, axis=-1, keepdims=True)
    return away / tn.sqrt(tn.var(x, axis=-1, keepdims=True) + 1e-5) * gain + bias


def moments(x, scale):
    """Values of elements and of rows, with and without the reduced axis."""
    made = x * scale
    mean = tn.mean(made, axis=-1)
    return mean, tn.sum(x, axis=-1) + mean * 2, made, tn.std(x, axis=-1, keepdims=True) * scale


def norms(x, other):
    return x / tn.sqrt(tn.sum(x * other, axis=-1, keepdims=True) ** 2 + 1), tn.any(x > 1, axis=-1), tn.min(x, axis=-1)


def check_rows(function, *arrays):
    wanted, found = function(*arrays), tn.fuse(function)(*arrays)
    for one, other in zip(*(value if type(value) is tuple else (value,) for value in (wanted, found))):
        assert other.dtype == one.dtype and other.shape == one.shape
        assert other.tobytes() == one.tobytes(), (function.__name__, [array.shape for array in arrays])


LENGTHS = (2, 3, 10, 64, 70, 100, 128, 129, 255, 256, 1000, 1001, 1024, 2047, 2048, 4096, 5000, 8192, 8193, 20_000)
LENGTHS = LENGTHS if ON_GPU else LENGTHS[::2]
FEW_LENGTHS = (1, 3, 129, 1001, 16_385, 20_000)
# The seed of random lengths of rows, and how many are tried.
SWEEP = int(os.environ.get("TENORITE_FUSED_LENGTHS", "12"))


@pytest.mark.parametrize("seed", range(SWEEP))
def test_random_lengths(seed):
    rng = np.random.default_rng(seed)
    length = int(np.exp(rng.uniform(0, np.log(20_000))))
    rows = max(1, min(2000, int(rng.uniform(1, 400_000 / length))))
    a, b = (numbers(rng.choice(list("fdeih")), rows * length).reshape(rows, length) for _ in range(2))
    for chain in rng.choice(list(CHAINS), 2):
        for fold in ("sum", "max", "any"):
            for axis in (0, 1, None):
                check(chain, fold, a, b, axis=axis)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", "efdih")
def test_rows(length, dtype):
    for rows in (1, 7, 1500 if length < 3000 else 600):
        x = numbers(dtype, rows * length).reshape(rows, length)
        row, column = numbers(dtype, length), numbers(dtype, rows).reshape(rows, 1)
        check_rows(softmax, x)
        check_rows(layer_norm, x, row, row)
        check_rows(layer_norm, x, column, tn.asarray(2, dtype))
        check_rows(moments, x, column)
        check_rows(norms, x, row)
        check_rows(norms, x, x[::-1])


@pytest.mark.parametrize("length", FEW_LENGTHS)
def test_few_rows(length):
    """Of one element, and of as many as are tried, beginning at any byte."""
    for rows, offset, dtype in ((1, 0, "f"), (7, 5, "e"), (30, 12, "f")):
        size = np.dtype(dtype).itemsize
        x = tn.zeros(rows * length * size + 16, "B")[offset:][: rows * length * size].view(dtype)
        x[...] = numbers(dtype, rows * length)
        x, row = x.reshape(rows, length), numbers(dtype, length)
        check_rows(softmax, x)
        check_rows(layer_norm, x, row, row)
        check_rows(moments, x, row)
        check_rows(norms, x, x[::-1])


@pytest.mark.parametrize("offset", range(1, 9))
def test_rows_that_begin_anywhere(offset):
    for length in (100, 257, 1000):
        whole = numbers("f", 1200 * length + 16)
        x = whole[offset : offset + 1200 * length].reshape(1200, length)
        check_rows(softmax, x)
        check_rows(softmax, x.reshape(40, 30, length))
        check_rows(layer_norm, x, whole[offset : offset + length], whole[3 : 3 + length])
        check_rows(norms, x, x[:, ::-1])


@pytest.mark.parametrize("offset", range(16))
def test_rows_that_begin_at_any_byte(offset):
    """Also where that is no multiple of an element's size, and rows are not as long as they lie."""
    for dtype, length in (("f", 100), ("e", 257), ("d", 50)):
        size = np.dtype(dtype).itemsize
        whole = tn.zeros(1100 * (length + 4) * size + 32, "B")

        def shifted(by, count):
            array = whole[by : by + count * size].view(dtype)
            array[...] = numbers(dtype, count)
            return array

        x = shifted(offset, 1100 * (length + 4)).reshape(1100, length + 4)
        row = numbers(dtype, length)
        check_rows(softmax, x[:, :length])
        check_rows(layer_norm, x[:, 4:], row, row[::-1])
        check_rows(norms, x.reshape(-1)[: 1100 * length].reshape(1100, length), row)


def test_rows_of_complex():
    x = (numbers("f", 600_000) + 1j * numbers("f", 600_000)).reshape(1200, 500)
    check_rows(lambda a, b: (a / tn.sum(a, axis=1, keepdims=True), tn.mean(a * b, axis=1)), x, x[:1])


def test_rows_of_several_axes():
    x = numbers("f", 60 * 30 * 8 * 50).reshape(60, 30, 8, 50)
    for axes in ((2, 3), (-1, -2), 3, (1, 2, 3), (1, 2), 0):
        check_rows(lambda a: a - tn.mean(a, axis=axes, keepdims=True), x)
        check_rows(lambda a: (a * 2, tn.sum(a * 2, axis=axes), tn.max(a, axis=axes)), x)


LAYOUTS = {
    "packed": lambda x: x,
    "stepped": lambda x: x[..., ::2],
    "sliced": lambda x: x[..., 3:-2],
    "even": lambda x: x[..., 8:24],
    "rows stepped": lambda x: x[::2],
    "rows reversed": lambda x: x[::-1],
    "reversed": lambda x: x[..., ::-1],
    "stepped back": lambda x: x[::-2, ..., ::3],
    "inner": lambda x: x[:, 1:],
}


def subtract_mean(x, y, axis):
    """A store to an array that lies in any way, which is folded then."""
    x -= tn.mean(x * y, axis=axis, keepdims=True)
    return tn.sum(x, axis=axis), tn.max(y, axis=axis)


def softmax_of_sum(x, y, axis):
    e = tn.exp(x + y - tn.max(x + y, axis=axis, keepdims=True))
    return e / tn.sum(e, axis=axis, keepdims=True)


def softmax_along(x, y, axis):
    e = tn.exp(x - tn.max(x, axis=axis, keepdims=True))
    return e / tn.sum(e, axis=axis, keepdims=True) * y


def moments_along(x, y, axis):
    mean = tn.mean(x * y, axis=axis)
    return mean, tn.sum(x, axis=axis) + mean * 2, x * y, tn.std(x + y, axis=axis, keepdims=True) * y


@pytest.mark.parametrize("way", LAYOUTS)
@pytest.mark.parametrize("shape", [(40, 300), (1500, 12), (1100, 33), (6, 7, 60), (1200, 3, 5), (5, 4, 3, 30)])
def test_rows_in_any_layout(shape, way):
    """Rows that are not packed, whose axes lie in any order: bits, how results lie, and stores."""
    rng, ways, dtypes = np.random.default_rng(len(way)), list(LAYOUTS.values()), itertools.cycle("fed")
    orders = list(itertools.permutations(range(len(shape))))
    if tn.cuda.Device().backend == "cuda":
        orders = orders[::5]  # each is some programs to compile
    for order, dtype in zip(orders, dtypes):
        whole = numbers(dtype, int(np.prod(shape))).reshape(shape)
        x = LAYOUTS[way](whole.transpose(order))
        if x.shape[-1] < 2:
            continue
        shapes = [x.shape[0] * 2, *(size + 1 for size in x.shape[1:-1]), x.shape[-1] * 3 + 5]
        y = ways[rng.integers(len(ways))](numbers(dtype, int(np.prod(shapes))).reshape(shapes))
        y = y[tuple(slice(size) for size in x.shape)] if all(a >= b for a, b in zip(y.shape, x.shape)) else x[::-1] + 1
        for axis in (-1, 0, tuple(range(1, x.ndim))):
            for function in (softmax_along, softmax_of_sum, moments_along, subtract_mean):
                found = []
                bound = functools.partial(function, axis=axis)
                for run in (bound, tn.fuse(bound)):
                    own = whole.copy()
                    made = run(LAYOUTS[way](own.transpose(order)), y)
                    found.append([(one.strides, one.tobytes()) for one in (made if type(made) is tuple else (made,))])
                    found[-1].append(own.tobytes())
                assert found[0] == found[1], (order, dtype, axis, function.__name__)


def test_arrays_that_are_read_along_rows_and_across():
    def both(x, y):
        return (x - (tn.mean(x, axis=1) + y)[:, None]) * y

    def into(x, y):
        y[...] = tn.mean(x * y, axis=1)

    x = numbers("d", 90_000).reshape(300, 300)
    check_rows(both, x, numbers("d", 300))
    y = numbers("d", 300)
    ours, theirs = y.copy(), y.copy()
    into(x, ours), tn.fuse(into)(x, theirs)
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize(
    "way",
    [*LAYOUTS.values(), lambda x: x.T[::-1], lambda x: x[::-1, ::-1], lambda x: x.reshape(-1)[3:-47].reshape(-1, 50)],
)
def test_folds_of_what_is_stored(way):
    """What is folded after a store lies as the array does, whichever end that begins at."""
    whole = numbers("f", 150_050).reshape(50, 3001)
    for axis in (0, 1, None):

        def function(x):
            x *= 3
            return tn.sum(x, axis=axis)

        ours, theirs = whole.copy(), whole.copy()
        wanted, found = function(way(ours)), tn.fuse(function)(way(theirs))
        assert wanted.tobytes() == found.tobytes() and ours.tobytes() == theirs.tobytes()


def test_rows_of_negative_zeros():
    """A sum begins with 0, by itself and among the steps of a row."""
    for dtype in "efd":
        x = tn.zeros((40, 300), dtype)
        check_rows(lambda a: (-a, tn.sum(-a, axis=1), tn.mean(-a, axis=1), tn.prod(-a, axis=1)), x)


def count_queued(function, *arrays):
    """How many calls of the library a function makes on a stream of the host; and its result."""
    stream, gate = tn.cuda.Stream(), threading.Event()
    with stream:
        stream.launch_host_func(lambda _: gate.wait(60), None)
        before = tn.cuda.get_statistics()["queued_calls"]
        result = function(*arrays)
        count = tn.cuda.get_statistics()["queued_calls"] - before
        gate.set()
    stream.synchronize()
    return count, result


@pytest.mark.skipif(ON_GPU or "TENORITE_DEBUG_CUTS" in os.environ, reason="counts calls on the host's queues")
@pytest.mark.parametrize(
    "shape, is_one",
    [
        ((9, 900), True),
        ((300, 2000), True),
        ((30_000, 4), True),  # LENGTH_LEAST
        ((30_000, 3), False),
        ((64, 32_768), True),  # ROW_BYTES
        ((64, 32_769), False),
    ],
)
def test_rows_on_the_host_are_one_call(shape, is_one):
    """Except where rows are short and many, or do not stay in a core's cache."""
    x, row = numbers("f", shape[0] * shape[1]).reshape(shape), numbers("f", shape[1])
    for function, arrays in ((softmax, [x]), (layer_norm, [x, row, row])):
        fused = tn.fuse(function)
        fused(*arrays)
        count, found = count_queued(fused, *arrays)
        assert count == 1 if is_one else count > 2
        assert found.tobytes() == function(*arrays).tobytes()


@pytest.mark.skipif(ON_GPU or "TENORITE_DEBUG_CUTS" in os.environ, reason="counts calls on the host's queues")
@pytest.mark.parametrize("size, calls", [(1, 3), (5000, 3), (5001, 1)])
def test_few_elements_on_the_host_are_single_calls(size, calls):
    """They cost less than to look at the graph; the bits are the same."""
    fused = tn.fuse(lambda a, b: ((a - b) ** 2).sum())
    a, b = numbers("f", size), numbers("f", size)
    fused(a, b)
    count, found = count_queued(fused, a, b)
    assert count == calls and found.tobytes() == ((a - b) ** 2).sum().tobytes()


@pytest.mark.parametrize("dtype", "efdi")
def test_few_elements_of_all_kinds(dtype):
    """Casts, conditions, scalars of both kinds, powers, and several results."""

    def program(a, b, factor):
        larger = tn.where(a > b, a * factor, b) + a.astype("d")
        return larger, tn.sum(larger, axis=-1), tn.max(a) - 2, abs(b) ** 2, a

    for shape in ((), (1,), (7,), (3, 40), (0,)):
        a, b = (numbers(dtype, int(np.prod(shape))).reshape(shape) for _ in range(2))
        for factor in (2, np.float64(1.5), tn.asarray(3, dtype)):
            if shape == (0,):
                with pytest.raises(ValueError, match="maximum"):
                    tn.fuse(program)(a, b, factor)
            else:
                check_rows(program, a, b, factor)
                check_rows(program, a.T, b.T, factor)


def softmax_of(dtype):
    def call(x, y):
        wide = x.astype(dtype)
        powers = tn.exp((wide - wide.max(axis=1)[:, None]) / 8)
        return powers / powers.sum(axis=1)[:, None], wide.sum(axis=0)

    return call


def gradient_of(dtype):
    def call(x, y):
        x, y = x.astype(dtype), y.astype(dtype)
        return (x * (y - (x * y).sum(axis=1)[:, None])).astype(np.float16)

    return call


def stored_over(dtype):
    def call(x, y):
        wide = x.astype(dtype)
        x[...] = wide * 2
        total = tn.exp(wide / 16).sum(axis=1)
        y[...] = wide - total[:, None]
        return total, y.astype(dtype).max(axis=1)

    return call


LIES = {
    "packed": lambda x, y: (x, y),
    "strided": lambda x, y: (x[:, ::2], y[:, ::2]),
    "transposed": lambda x, y: (x.reshape(40_000, 6).T, y),
    "offset": lambda x, y: [array.ravel()[3:-37].reshape(5, -1) for array in (x, y)],
}


@pytest.mark.parametrize("program", [softmax_of, gradient_of, stored_over])
@pytest.mark.parametrize("dtypes", ["ef", "ed", "bf", "if", "df"])
@pytest.mark.parametrize("way", LIES)
def test_conversions_that_several_passes_read(program, dtypes, way):
    """Each pass converts what it reads, or finds an array that was made: the bits are the same."""
    call, made = program(np.dtype(dtypes[1])), []
    given = [numbers(dtypes[0], 6 * 40_000).reshape(6, 40_000) for _ in range(2)]
    for run in (call, tn.fuse(call)):
        x, y = LIES[way](*(array.copy() for array in given))
        results = run(x, y)
        made.append([*(results if isinstance(results, tuple) else [results]), x, y])
    for wanted, found in zip(*made, strict=True):
        assert found.tobytes() == wanted.tobytes()
