"""Arrays whose elements lie at no multiple of their size: every family of operations reads and
writes them as NumPy does, and leaves the bytes between the elements alone."""

from operator import setitem

import numpy as np
import pytest
import tenorite as tn
from oracle import Report, assert_same, quiet

pytestmark = pytest.mark.quick

DTYPES = ("int16", "float16", "int64", "float32", "float64", "complex64", "complex128")
ROWS = 4


def shifted(shape, item):
    """(offset, strides) of a contiguous array one byte off."""
    return 1, tuple(item * int(np.prod(shape[k + 1 :])) for k in range(len(shape)))


def stepped(shape, item):
    """Elements one byte apart, the last axis first, backwards along the first axis."""
    steps = tuple((item + 1) * int(np.prod(shape[:k])) for k in range(len(shape)))
    return (shape[0] - 1) * steps[0], (-steps[0], *steps[1:])


def halved(shape, item):
    """Half an element off, as complex numbers in an array of their parts may be."""
    return item // 2, shifted(shape, item)[1]


class Memory:
    """One piece of memory, of NumPy or ours, and unaligned arrays in it; every other byte is
    0xa5."""

    def __init__(self, xp, layout):
        self.xp, self.layout, self.used = xp, layout, 0
        self.bytes = xp.full(8192, 0xA5, "uint8")

    def array(self, values):
        values = np.asarray(values)
        offset, strides = self.layout(values.shape, values.itemsize)
        offset += self.used
        self.used += (2 * values.nbytes + 64) // 16 * 16
        assert self.used <= self.bytes.size
        if self.xp is np:
            array = np.ndarray(values.shape, values.dtype, self.bytes, offset, strides)
        else:
            array = tn.ndarray(values.shape, values.dtype, self.bytes.data + offset, strides)
        array[...] = self.xp.array(values)
        return array


class Operands:
    """What the cases work on: x, y and z are matrices, v is a row, i and j are indices, m a
    mask."""

    def __init__(self, xp, layout, dtype):
        numbers = np.array([3, -1, 2, 1, -2, 1, 4, -3, 1, 2, -4, 2, 3, 1, -1, 2])
        x, y = (numbers[::step].astype(dtype).reshape(ROWS, ROWS) for step in (1, -1))
        if x.dtype.kind == "c":
            x = x + 1j * y
        self.memory = Memory(xp, layout)
        self.x, self.y = self.memory.array(x), self.memory.array(y)
        self.z, self.v = self.memory.array(np.ones_like(x)), self.memory.array(x[1])
        self.i, self.j = self.memory.array(np.array([2, 0])), self.memory.array(np.array([-1, 1]))
        self.longer = self.memory.array(np.zeros((2 * ROWS, ROWS), dtype))
        self.real = self.memory.array(np.zeros(ROWS, x.real.dtype if x.dtype.kind in "fc" else "float64"))
        self.count = self.memory.array(np.zeros(ROWS, int))
        self.m = xp.array(numbers.reshape(ROWS, ROWS) > 1)


ALL = slice(None)

CASES = {
    "fill": lambda xp, o: o.x.fill(5),
    "assign a scalar": lambda xp, o: setitem(o.x, (ALL, 1), 7),
    "assign a row": lambda xp, o: setitem(o.x, slice(1, 3), o.v),
    "assign converted": lambda xp, o: setitem(o.x, ..., xp.arange(ROWS, dtype="int8")),
    "assign bools": lambda xp, o: setitem(o.x, ..., o.m),
    "assign indices": lambda xp, o: setitem(o.y, (ALL, slice(2)), o.i),
    "copy": lambda xp, o: (o.x.copy(), o.y.astype("complex128"), o.x.T.ravel()),
    "in place": lambda xp, o: xp.add(o.x, o.x[::-1], o.x),
    "out": lambda xp, o: xp.multiply(o.x, o.y.T, o.z),
    "out, where": lambda xp, o: xp.add(o.x, o.y, out=o.z, where=o.m),
    "copyto, where": lambda xp, o: xp.copyto(o.z, o.y, where=o.m),
    "take": lambda xp, o: (o.x[o.i], o.x[:, o.j], xp.take(o.x, o.i)),
    "take, out": lambda xp, o: xp.take(o.x, o.i, 1, o.z[:, 1:3]),
    "take columns, out": lambda xp, o: xp.take(o.x, o.i, 0, o.z[1:3]),
    "put": lambda xp, o: o.x.put(o.i, o.v[:2]),
    "put a scalar": lambda xp, o: o.x.put(o.j, 9),
    "put backwards": lambda xp, o: o.x.T.put(o.i, o.v),
    "rows": lambda xp, o: setitem(o.x, o.i, o.y[:2]),
    "rows, a scalar": lambda xp, o: setitem(o.x, o.i, 6),
    "rows, broadcast": lambda xp, o: setitem(o.x, o.i, o.v),
    "rows of itself": lambda xp, o: setitem(o.x, o.i, o.x[:2]),
    "columns": lambda xp, o: setitem(o.x, (ALL, o.j), o.y[:, :2]),
    "rows by own indices": lambda xp, o: setitem(o.i, o.i - 1, 3),
    "masked": lambda xp, o: (o.x[o.m], o.x[o.m[0]], o.x[:, o.m[0]], xp.compress([True, False], o.x, 1)),
    "mask, a scalar": lambda xp, o: setitem(o.x, o.m, 8),
    "mask, one value": lambda xp, o: setitem(o.x, o.m, o.v[:1]),
    "mask, values": lambda xp, o: setitem(o.x, o.m, o.y[o.m][::-1]),
    "mask of rows": lambda xp, o: setitem(o.x, o.m[0], o.y[o.m[0]]),
    "mask of columns": lambda xp, o: setitem(o.x, (ALL, o.m[0]), 4),
    "nonzero": lambda xp, o: (*xp.nonzero(o.x - o.y), xp.argwhere(o.x), xp.flatnonzero(o.y)),
    "where": lambda xp, o: xp.where(o.m, o.x, o.y),
    "at": lambda xp, o: xp.add.at(o.x, o.i, o.v),
    "at, twice": lambda xp, o: xp.multiply.at(o.x, xp.array([1, 1, 3]), o.v[:1]),
    "at places": lambda xp, o: xp.subtract.at(o.x, (o.i, o.j), 2),
    "at columns": lambda xp, o: xp.add.at(o.x, (ALL, o.j), o.y[:, :2]),
    "at, unary": lambda xp, o: xp.negative.at(o.x, o.i),
    "at, of itself": lambda xp, o: xp.add.at(o.x, o.i, o.x[0]),
    "reduce": lambda xp, o: (o.x.sum(0), o.x.prod(1), xp.mean(o.y), o.y.min(0), xp.any(o.x, 1)),
    "sum, out": lambda xp, o: xp.sum(o.x, 0, None, o.v),
    "sum, where": lambda xp, o: xp.sum(o.x, 1, None, o.v, where=o.m),
    "sum of nothing, out": lambda xp, o: xp.sum(o.x[:0], 0, None, o.v),
    "sum of itself": lambda xp, o: xp.add.reduce(o.x, 0, None, o.x[1]),
    "maximum, out": lambda xp, o: xp.maximum.reduce(o.y, 1, None, o.v),
    "var, out": lambda xp, o: xp.var(o.x, 1, None, o.real),
    "argmax, out": lambda xp, o: xp.argmax(o.x, 0, o.count),
    "cumsum, out": lambda xp, o: xp.cumsum(o.x, 0, None, o.z),
    "cumprod in place": lambda xp, o: xp.cumprod(o.y, 1, None, o.y),
    "accumulate": lambda xp, o: (xp.add.accumulate(o.x), xp.maximum.accumulate(o.y, 1, None, o.z)),
    "diff": lambda xp, o: xp.diff(o.x, axis=0, prepend=o.y),
    "reduceat": lambda xp, o: xp.add.reduceat(o.x, o.i),
    "reduceat, out": lambda xp, o: xp.add.reduceat(o.x, o.i, 1, None, o.z[:, ::2]),
    "concatenate": lambda xp, o: xp.concatenate([o.x, o.y]),
    "concatenate, out": lambda xp, o: xp.concatenate([o.x, o.y], out=o.longer),
    "stack": lambda xp, o: xp.stack([o.x, o.y], 1),
    "matmul": lambda xp, o: (xp.matmul(o.x, o.y), xp.dot(o.x.T, o.v), xp.matmul(o.v, o.x)),
    "matmul, out": lambda xp, o: xp.matmul(o.x, o.y.T, o.z),
    "matmul in place": lambda xp, o: xp.matmul(o.x, o.y, o.x),
    "matmul of nothing, out": lambda xp, o: xp.matmul(o.x[:, :0], o.y[:0], o.z),
    "vecdot, out": lambda xp, o: xp.vecdot(o.x, o.y, o.v),
    "outer": lambda xp, o: (xp.outer(o.v, o.v), xp.trace(o.x), xp.tensordot(o.x, o.y)),
}


def run(xp, case, layout, dtype):
    """What the case returns, and all bytes."""
    operands = Operands(xp, layout, dtype)
    result = case(xp, operands)
    results = result if isinstance(result, tuple) else (result,)
    return (*(one for one in results if one is not None), operands.memory.bytes)


@pytest.mark.parametrize("layout", (shifted, stepped, halved), ids=lambda layout: layout.__name__)
def test_families(layout):
    report = Report()
    for name, case in CASES.items():
        for dtype in DTYPES:
            with quiet():
                expected = run(np, case, layout, dtype)
            report.check(f"{name} of {dtype}", lambda: run(tn, case, layout, dtype), lambda: expected)
    report.close(300)


def test_bad_indices(device):
    """What fails has written nothing."""
    o = Operands(tn, shifted, "float32")
    before = o.memory.bytes.copy()
    bad = tn.array([1, ROWS])
    for call in (
        lambda: setitem(o.x, bad, o.y[:2]),
        lambda: o.x.put(bad + 12, 9),
        lambda: tn.take(o.x, bad, 0, o.z[:2]),
        lambda: tn.add.at(o.x, bad, 1),
        lambda: setitem(o.x, tn.ones((ROWS, ROWS), bool), o.v),
    ):
        with pytest.raises((IndexError, ValueError)):
            call()
            tn.cuda.get_current_stream().synchronize()
        assert_same(o.memory.bytes, before.get())


def test_many_axes():
    """The most axes that an array may have, none of them free for the bytes of an element."""
    o = Operands(tn, shifted, "complex64")
    deep = o.x.reshape((1,) * 60 + (2, 2, 2, 2))
    deep[..., 1] = 3
    assert_same(o.x.ravel()[1::2], np.full(8, 3, "complex64"))


LARGE = {
    "copy": lambda a: (a.copy(), a.copy("K"), a.T.copy(), a[:, ::2].copy(), a[::-1, ::-1].copy()),
    "copy to unaligned": lambda a: setitem(a, ..., a.T.copy()),
    "copy a row": lambda a: setitem(a, ..., a[3].copy()),
    "copy a column": lambda a: setitem(a, ..., a[:, 3:4].copy()),
    "fill": lambda a: setitem(a, (ALL, slice(1, None)), 3),
    "take": lambda a: (a[[1, -1]], a[:, [1, -1, 5]], a[[1, 2, -1], [7, 7, 1]]),
    "put": lambda a: setitem(a, [1, -1], 2),
    "put several": lambda a: setitem(a, ([1, 2, -1], [7, 7, 1]), a[0, :3].copy()),
    "masked": lambda a: (a[a != 3], setitem(a, a != 3, 5))[0],
}


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.parametrize("side", (150, 800))
def test_moves_of_large_arrays(name, side):
    """Threads, tiles and vectors move elements of any address."""
    for dtype in ("int16", "float32", "float64", "complex128"):
        values = (np.arange(side * side) % 251).astype(dtype).reshape(side, side)
        given = np.concatenate([np.zeros(1, "u1"), values.ravel().view("u1")])
        outcomes = []
        for xp in (np, tn):
            memory = xp.array(given)
            array = memory[1:].view(dtype).reshape(side, side)
            result = LARGE[name](array)
            outcomes.append((*(result if isinstance(result, tuple) else (result,)), memory))
        for expected, got in zip(*outcomes, strict=True):
            if expected is not None:
                assert_same(got, expected)


COMPUTED = {
    "unary": lambda xp, a, b, m: (xp.negative(a.astype("int16")), xp.square(a), xp.isfinite(a), xp.logical_not(b)),
    "binary": lambda xp, a, b, m: (a + b, a * b.T, a[::-1] != b[:, ::-1], a + b[0], a[:, :1] - b, a + 2),
    "mixed": lambda xp, a, b, m: (a + b.astype("int8"), b.real.astype("float16") + a, a > xp.ones((), "complex64")),
    "out": lambda xp, a, b, m: (xp.add(a, b, out=a), xp.multiply(a.T, b, out=b)),
    "out, converted": lambda xp, a, b, m: xp.add(a.real.astype("uint8"), 1, out=b),
    "out, where": lambda xp, a, b, m: (xp.add(a, b, out=b, where=m), xp.add(a, 1, out=a, where=m[0])),
    "out, where, converted": lambda xp, a, b, m: xp.add(a.real.astype("uint8"), 1, out=b, where=m),
    "cast": lambda xp, a, b, m: (a.astype("complex128"), b.T.astype("complex64"), a.astype("bool")),
    "assign": lambda xp, a, b, m: (setitem(a, ..., b[0].real.astype("int16")), setitem(b, m, a[m])),
    "assign a column": lambda xp, a, b, m: setitem(a, ..., b[:, :1].real.astype("uint8")),
}


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.parametrize("side", (3, 7, 60, 300))
def test_computing(name, side):
    """Rows and tiles of operands of which one, the other or both lie one byte off."""
    for dtype in (*DTYPES, "int8", "int32", "uint16", "uint64"):
        values = (np.arange(side * side) % 7).astype(dtype).reshape(side, side)
        packed = values.ravel().view("u1")
        for shifts in ((1, 0), (0, 1), (1, 1)):
            given = [np.concatenate([np.zeros(shift, "u1"), packed]) for shift in shifts]
            outcomes = []
            for xp in (np, tn):
                memories = [xp.array(one) for one in given]
                a, b = (
                    one[shift:].view(dtype).reshape(side, side) for one, shift in zip(memories, shifts, strict=True)
                )
                with quiet():
                    result = COMPUTED[name](xp, a, b, xp.array(values.real % 2 == 0))
                outcomes.append((*(result if isinstance(result, tuple) else (result,)), *memories))
            for expected, got in zip(*outcomes, strict=True):
                if expected is not None:
                    assert_same(got, expected)


def test_computing_copies_no_array(device):
    """On the host an element-wise call makes no whole copy of an operand that is not aligned."""
    if device != "host":
        pytest.skip("elements are aligned for kernels")
    array, out = tn.zeros(8_000_001, "u1")[1:].view("f8"), tn.empty(1_000_000, "f8")
    pool = tn.get_default_memory_pool()
    pool.free_all_blocks()
    held = pool.total_bytes()
    tn.add(array, array, out=out)
    tn.negative(out, out=array)
    assert pool.total_bytes() == held


def test_moves_copy_no_array(device):
    """The host takes and puts elements of an array that is not aligned without a copy of all."""
    if device != "host":
        pytest.skip("elements are aligned for kernels")
    array = tn.zeros(8_000_001, "u1")[1:].view("f8")
    index, pool = tn.array([1, -1]), tn.get_default_memory_pool()
    pool.free_all_blocks()
    held = pool.total_bytes()
    array[index] = array[index] + 1
    array[...] = 2
    assert pool.total_bytes() - held < array.nbytes
