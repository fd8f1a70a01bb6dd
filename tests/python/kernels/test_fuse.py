"""``fuse``: a fused function gives what the function gives, bit for bit."""

import functools
import threading
import warnings

import numpy as np
import pytest
import tenorite as tn
from hypothesis import given, settings, strategies as st
from oracle import bits


def check(function, *args):
    """Fused and unfused: results, and arguments that are written."""
    fused = tn.fuse(function)
    for _ in range(3):  # traced, then with its plan
        given, expected = ([a.copy("K") if isinstance(a, tn.ndarray) else a for a in args] for _ in range(2))
        made, wanted = fused(*given), function(*expected)
        assert type(made) is type(wanted)
        pairs = zip(made, wanted) if isinstance(made, tuple) else [(made, wanted)]
        for a, b in [*pairs, *zip(given, expected)]:
            assert bits(a) == bits(b)
    return fused


def numbers(dtype, *shape):
    rng = np.random.default_rng(sum(shape))
    values = rng.integers(0, 2, shape) if dtype == "?" else rng.integers(0 if dtype in "BHIL" else -9, 9, shape)
    values = values + rng.random(shape) * 1j if dtype in "FD" else values
    return tn.asarray((values + rng.random(shape) if dtype in "efd" else values).astype(dtype))


@pytest.mark.parametrize("dtype", "?bBhHiIlLefdFD")
def test_chain(dtype):
    check(lambda a, b: tn.sqrt(a * a + 1) * 2 - b, numbers(dtype, 1000), numbers(dtype, 1000))


@pytest.mark.parametrize("other", ["f", "d", "i", "?"])
def test_broadcast(other):
    a, row, column = numbers("f", 7, 300), numbers(other, 300), numbers("d", 7, 1)
    for args in ((a, row, column), (a[:, ::2], row[::2], column), (a[::-1], row[::-1], column)):
        check(lambda a, b, c: tn.where(a > b, tn.exp(b) * c, a + 2), *args)
    check(lambda a, b: a + b, numbers("f", 300, 7).T, a)
    check(lambda a, b: (a + b, b * 2, tn.divmod(a, 3)[1]), a, column)


@pytest.mark.parametrize("scalar", [2, 2.5, True, 1j, np.float32(3), np.int8(-3), np.float64("nan")])
def test_scalars(scalar):
    check(lambda a, s: (a * s + s, s - a, a == s), numbers("f", 50), scalar)
    check(lambda a, s, none: a * (s * 2 + 1), numbers("i", 50), scalar, None)


def test_arithmetic_of_scalars():
    def step(x, gradient, moment, rate, decay, t):
        moment *= decay
        moment += (1 - decay) * gradient
        x -= rate * moment / (1 - decay**t)
        if t > 3:
            x += 1

    fused = tn.fuse(step)
    ours, theirs = ([numbers("f", 20) for _ in range(3)] for _ in range(2))
    for t in range(1, 7):
        fused(*ours, 0.1, 0.9, t)
        step(*theirs, 0.1, 0.9, t)
        for a, b in zip(ours, theirs):
            assert bits(a) == bits(b)


def test_plans_of_answers():
    """A condition on a scalar, or a shape, is part of the plan; each answer has its own."""
    traced = []

    def mean(x, flag):
        traced.append(flag)
        return x / len(x) + x.size if flag > 0 else x * x.shape[0]

    fused = tn.fuse(mean)
    for _ in range(3):
        for flag in (1, -1):
            for size in (5, 8):
                a = numbers("f", size)
                assert bits(fused(a, flag)) == bits(a / size + size if flag > 0 else a * size)
    assert len(traced) == 4
    for flag in range(-20, 20):  # no more plans than a few
        check(lambda x, s: x * float(s), numbers("f", 5), flag)


def test_in_place():
    def change(a, b):
        a += b
        a[...] = tn.sqrt(tn.abs(a))
        b[:] = a * 2
        c = a + 1
        c *= b
        return c, a

    check(change, numbers("f", 100), numbers("f", 100))
    check(change, numbers("f", 6, 5).T, numbers("f", 5, 6))
    ours, theirs = numbers("f", 100), numbers("f", 100)
    fused = tn.fuse(change)
    for start in (0, 1, 5):
        made, wanted = fused(ours[start:90], ours[5 : 95 - start]), change(theirs[start:90], theirs[5 : 95 - start])
        assert bits(made[0]) == bits(wanted[0]) and bits(ours) == bits(theirs)


def test_reductions():
    def softmax(x):
        e = tn.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    check(softmax, numbers("f", 30, 40))
    check(lambda x: (x * x).sum(), numbers("f", 30, 40))
    check(lambda x: tn.sum(x * 2, axis=1) + tn.max(x, 1), numbers("f", 30, 40))
    check(
        lambda x, y: ((x - y).mean(axis=0), tn.sqrt((x * y).var()), (x > y).any(axis=(0, 1))),
        numbers("i", 30, 40),
        numbers("f", 40),
    )


FOLDED = [
    lambda a, b: tn.sum(a * a + 1),
    lambda a, b: tn.max(a * b + a),
    lambda a, b: tn.mean(tn.sqrt(tn.abs(a)) * 2 - b, axis=0),
    lambda a, b: a / tn.sqrt(tn.sum(a * a + 1, axis=-1, keepdims=True)),
    lambda a, b: tn.sum((a - tn.mean(a * 2 + 1, axis=1, keepdims=True)) ** 2, axis=1),
    lambda a, b: tn.sum((a * 2).astype("d") * b),
    lambda a, b: tn.any(a * b > 3, axis=1),
    lambda a, b: tn.sum(tn.exp(a - tn.max(a + b)), axis=0),
    lambda a, b: (tn.sum(a * b), tn.prod(a * b + 1), a * b),
    lambda a, b: tn.var(a * b - 1, axis=0),
]


@pytest.mark.parametrize("other", ["same", "row", "column", "F"])
@pytest.mark.parametrize("dtype", "Bilefd")
def test_chains_enter_reductions(dtype, other):
    """One pass where a chain is long enough for it: the bits are those of two."""
    a, b = numbers(dtype, 40, 300), numbers(dtype, 40, 300)
    b = {"same": b, "row": b[:1], "column": b[:, :1], "F": b.copy("F")}[other]
    for function in FOLDED:
        check(function, a, b)


SAME = {
    "conj": lambda x: x.conj(),
    "conjugate": lambda x: x.conjugate(),
    "function": lambda x: tn.conj(x),
    "astype": lambda x: x.astype(x.dtype, copy=False),
    "positive": lambda x: +x,
    "real": lambda x: x.real,
    "ravel": lambda x: x.ravel(),
    "T": lambda x: x.T,
    "asarray": lambda x: tn.asarray(x),
    "view": lambda x: x[...],
    "contiguous": lambda x: tn.ascontiguousarray(x),
    "power": lambda x: x**1,
    "copy": lambda x: x.copy(),
    "reshape": lambda x: x.reshape(x.shape),
    "round": lambda x: x.round(),
    "clip": lambda x: x.clip(0),
}


@pytest.mark.parametrize("name", SAME)
@pytest.mark.parametrize("dtype", "?idF")
def test_what_may_be_the_array_itself(name, dtype):
    """Whether x changes with what a function makes of it is as in the function itself."""

    def change(x):
        y = SAME[name](x)
        y += True
        return y, x * True

    for x in (numbers(dtype, 4), numbers(dtype, 2, 3)):
        if dtype != "?" or name not in ("positive", "clip", "round"):
            check(change, x)


def test_methods_of_ufuncs():
    for call in (
        lambda x, y: tn.add.outer(x, y),
        lambda x, y: tn.multiply.outer(x * 2, y) + 1,
        lambda x, y: tn.multiply.outer(2, x),
        lambda x, y: tn.add.reduce(x * y, axis=None, keepdims=True) + y,
        lambda x, y: tn.multiply.accumulate(x + 1),
        lambda x, y: tn.add.reduceat(x + 1, [0, 2]),
        lambda x, y: (tn.add.at(x, [0, 0], 2.0), x * 2)[1],
        lambda x, y: tn.add(x, 1, out=y),
        lambda x, y: tn.add(x, 1, out=y, where=x > 2),
        lambda x, y: tn.add.reduce(x, out=y[0]),
        lambda x, y: np.add.outer(x, y),
    ):
        check(call, numbers("d", 4), numbers("d", 4))


STORED = {
    "scalar": lambda x, y: x.fill(2.5),
    "constant": lambda x, y: x.__setitem__(..., True),
    "row": lambda x, y: x.__setitem__(..., y),
    "computed": lambda x, y: x.__setitem__(..., y * 2),
    "last": lambda x, y: (x.__setitem__(..., y), x.fill(3)),
}
READ = [
    lambda x: (x.sum(), x.prod()),
    lambda x: (x.mean(axis=0), x.max(axis=-1, keepdims=True)),
    lambda x: (x.sum(axis=0), x * 2 + 1),
    lambda x: tn.sum(x * 3 + 1),
    lambda x: (tn.sum(tn.sqrt(x), axis=0), x.all(), x.std()),
    lambda x: tn.sum(tn.fuse(lambda x: (x.fill(0.1), x)[1])(x) + x),
    lambda x: (tn.argmax(x), x.sum()),
]


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("shape", [(), (7,), (40, 300), (3, 4, 50)])
@pytest.mark.parametrize("dtype", "fid")
def test_reductions_of_stored(dtype, shape, stored):
    """A value that is smaller than what it was stored to, or lies otherwise, is read as large, and
    in the same order, as the array is."""
    a = numbers(dtype, *shape)
    for x in (a, a.T, a[::-1] if shape else a, tn.zeros((*shape, 2), dtype)[..., 1]):
        b = numbers("H", *x.shape)
        for y in (b, b[:1], b.reshape(-1)[:1].reshape(())) if shape else (b,):
            for read in READ if shape else READ[::3]:
                check(lambda x, y: (STORED[stored](x, y), read(x))[1], x, y)


def test_decorator():
    @tn.fuse
    def plain(x):
        "Adds one."
        return x + 1

    @tn.fuse(kernel_name="named")
    def called(x, y=2):
        return plain(x) * y

    a = numbers("f", 10)
    assert bits(called(a)) == bits((a + 1) * 2)
    assert bits(called(a, y=3)) == bits((a + 1) * 3)
    assert plain.__doc__ == "Adds one." and called.name == "named" and plain.__name__ == "plain"
    assert plain(2) == 3
    called.clear_cache()
    assert bits(called(a)) == bits((a + 1) * 2)


def test_untraceable():
    """What can't be noted runs as it is; what fails fails as it does unfused."""
    a = numbers("f", 4, 4)

    def branch(x):
        return x + 1 if (x > 0).any() else x - 1

    check(branch, a)
    check(lambda x: x @ x + 1, a)
    check(lambda x: x[1:] + x[:-1], a)
    check(lambda x: x.reshape(16) * 2, a)
    check(lambda x: [x + 1][0] * float(x.sum()), a)
    check(lambda x: x**2 + x**3, numbers("i", 5))
    with pytest.raises(ValueError, match="broadcast"):
        tn.fuse(lambda x, y: x + y)(numbers("f", 3), numbers("f", 4))
    with pytest.raises(OverflowError):
        tn.fuse(lambda x, y: x + y)(numbers("B", 3), 300)

    def grow(x, y):
        x += y

    with pytest.raises(ValueError, match="broadcast"):
        tn.fuse(grow)(numbers("f", 3), numbers("f", 2, 3))
    with pytest.raises(TypeError):
        tn.fuse(grow)(numbers("i", 3), numbers("f", 3))


def test_one_array_twice():
    """A value that was converted before a store is converted again after it."""

    def negate(a, b):
        root, halves = tn.sqrt(a), a.astype("f")
        b[...] = tn.negative(a)
        root[...] = a
        again = a.astype("f")
        b += 1
        return root, halves, again, b.astype("f"), a.astype("f")

    for dtype in "bhd":
        fused = tn.fuse(negate)
        for shape in ((1,), (700,), (5, 40)):
            ours, theirs = (numbers(dtype, *shape) for _ in range(2))
            made, wanted = fused(ours, ours), negate(theirs, theirs)
            assert [bits(x) for x in (*made, ours)] == [bits(x) for x in (*wanted, theirs)]


def test_results_are_arrays_of_their_own():
    def several(x, y):
        z = x + y
        return z, z.astype("d"), z, x.astype("d"), x.astype("d"), x

    fused = tn.fuse(several)
    for _ in range(2):
        x = tn.arange(5.0)
        z, same, again, first, second, given = fused(x, x)
        assert again is z and given is x
        first += 1
        same += 1
        assert bits(z) == bits(x + x) and bits(second) == bits(x)


# --- Generated programs ---

UNARY = ["negative", "sqrt", "exp", "abs", "isnan", "sign", "logical_not", "square", "floor", "conjugate"]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "floor_divide",
    "remainder",
    "maximum",
    "fmin",
    "less",
    "equal",
    "logical_and",
    "bitwise_xor",
    "left_shift",
    "arctan2",
    "copysign",
    "hypot",
]
REDUCED = ["sum", "prod", "max", "mean", "any", "var"]
DTYPES = "?bBhHiIlLefdFD"


@st.composite
def programs(draw):
    """Instructions over numbered values, of which the first are the arguments."""
    count = draw(st.integers(1, 3))
    made, program = count, []
    kinds = ["unary", "binary", "binary", "in place", "scalar", "where", "astype", "assign", "reduce"]
    for _ in range(draw(st.integers(1, draw(st.sampled_from([7, 7, 7, 60]))))):
        kind = draw(st.sampled_from(kinds))
        a, b, c = (draw(st.integers(0, made - 1)) for _ in range(3))
        word = draw(st.sampled_from({"unary": UNARY, "astype": list(DTYPES), "reduce": REDUCED}.get(kind, BINARY)))
        scalar = draw(st.sampled_from([0, 1, -2, 0.5, True, np.float32(1.5), np.int16(7), 1e300]))
        program.append((kind, word, a, b, c, scalar))
        made += kind not in ("in place", "assign")
    ends = draw(st.sampled_from(["", "sum", "max", "mean"]))
    if draw(st.booleans()):
        ends += " alone"
    return count, program, draw(st.lists(st.integers(0, made - 1), min_size=1, max_size=3)), ends


def interpret(program, returned, ends, *values):
    values = list(values)
    for kind, word, a, b, c, scalar in program:
        x, y, z = values[a], values[b], values[c]
        if kind == "unary":
            values.append(getattr(tn, word)(x))
        elif kind == "binary":
            values.append(getattr(tn, word)(x, y))
        elif kind == "scalar":
            values.append(getattr(tn, word)(x, scalar))
        elif kind == "reduce":
            values.append(getattr(tn, word)(x, axis=-1 if x.ndim else None, keepdims=True))
        elif kind == "where":
            values.append(tn.where(x > y, y, z))
        elif kind == "astype":
            values.append(x.astype(word))
        elif kind == "assign":
            x[...] = y
        elif word == "multiply":
            x *= y
        else:
            x += scalar if word == "add" else y
    results = [values[k] for k in returned]
    end = ends.removesuffix(" alone")
    if end:
        results.append(getattr(tn, end)(results[0], axis=-1) if results[0].ndim else getattr(tn, end)(results[0]))
    if end and end != ends:  # nothing else reads what it folds
        del results[0]
    return tuple(results)


@st.composite
def arguments(draw, count):
    """Makers of arrays that broadcast together, each of which may be a view of the first."""
    ndim = draw(st.integers(0, 3))
    shape = tuple(draw(st.sampled_from([1, 2, 5, 40])) for _ in range(ndim))
    specs = []
    for k in range(count):
        own = tuple(1 if draw(st.integers(0, 4)) == 0 else size for size in shape)[draw(st.integers(0, ndim)) // 2 :]
        way = draw(st.sampled_from(["new", "new", "new", "strided", "F", "same", "reversed", "shifted"]))
        specs.append((own, draw(st.sampled_from(DTYPES)), way if k else "new", draw(st.integers(0, 99))))
    return specs


def make(specs):
    made = []
    for shape, dtype, way, seed in specs:
        rng = np.random.default_rng(seed)
        full = tuple(2 * n for n in shape) if way == "strided" else shape
        host = rng.integers(-3, 9, full) * (1.1 if dtype in "efdFD" else 1)
        host = np.asarray(np.abs(host) if dtype in "?BHIL" else host).astype(dtype)
        array = tn.asarray(host)
        if way == "strided":
            array = array[tuple(slice(None, None, 2) for _ in shape)]
        elif way == "F":
            array = array.copy("F")
        elif way in ("same", "reversed", "shifted"):
            array = made[0]
            if way == "reversed":
                array = array[tuple(slice(None, None, -1) for _ in array.shape)]
            elif way == "shifted" and array.ndim and array.shape[0] > 2:
                array = array[1:]
        made.append(array)
    return made


def outcome(function, specs):
    values = make(specs)
    try:
        returned = [bits(value) for value in function(*values)]
    except Exception as error:
        return type(error), str(error)
    return returned, [bits(value) for value in values]


PAIRED = {"+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": lambda x, y: x / y}


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("layout", ["arrays", "scalars", "rows", "strided"])
def test_pairs_are_two_passes(dtype, layout):
    """The host runs two sums, differences, products or quotients and a root as one loop."""
    rng = np.random.default_rng(3)
    shape = (3, 1501) if layout == "rows" else (4503,)
    host = rng.normal(size=(3, *shape)).astype(dtype) * 9
    host[0].flat[::7], host[1].flat[::5], host[2].flat[::11] = 0, -np.inf, np.nan
    a, b, c = (tn.asarray(part) for part in host)
    if layout == "scalars":
        a, c = 2.5, np.dtype(dtype).type(-3)
    elif layout == "rows":
        a, c = a[:, :1], c[:1]
    elif layout == "strided":
        a, b, c = (x.repeat(2)[::2] for x in (a, b, c))

    def chain(first, second):
        def function(a, b, c):
            left, right = second(first(a, b), c), second(c, first(a, b))
            return left, right, tn.sqrt(second(first(a, b), c)), tn.sqrt(second(c, first(b, b))) * 2 - b

        return function

    for first in PAIRED.values():
        for second in PAIRED.values():
            check(chain(first, second), a, b, c)


def test_pairs_in_place():
    def step(w, g, m):
        m[...] = m * 0.9 + g * 0.1
        w -= m * 0.5 + w * 0.25
        return tn.sqrt(w * w + m)

    check(step, numbers("f", 3000), numbers("f", 3000) * 2, numbers("f", 3000) * 3)
    weights = numbers("d", 3000)
    shared = weights[:2500]
    check(lambda w, g: step(w, g, g), weights[500:], shared)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_generated(data):
    count, program, returned, ends = data.draw(programs())
    specs = data.draw(arguments(count))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function = functools.partial(interpret, program, returned, ends)
        fused = tn.fuse(lambda *values: function(*values))
        expected = outcome(function, specs)
        assert outcome(fused, specs) == expected  # traced
        assert outcome(fused, specs) == expected  # with its plan


# --- Host arrays ---


def test_of_host_arrays_alone_functions_take_them():
    x = np.arange(12.0).reshape(3, 4)
    functions = {
        "sum": (lambda m, x: m.sum(x, axis=1) * 2 + x[:, 0]),
        "ufunc": (lambda m, x: x - m.maximum(x, 3) / m.sqrt(x + 1)),
        "several": (lambda m, x: (m.max(x), [m.prod(x, 0, keepdims=True), x])),
        "composed": (lambda m, x: m.median(x, axis=1)[:, None] + m.clip(x, 1, 2)),
        "shape": (lambda m, x: m.reshape(x, (4, 3)) @ m.transpose(x).T),
    }
    for name, function in functions.items():
        made, expected = tn.fuse(lambda x: function(tn, x))(x), function(np, x)
        assert type(made) is type(expected), name
        for one, other in zip(made, expected) if type(made) is tuple else ((made, expected),):
            for left, right in zip(one, other) if type(one) is list else ((one, other),):
                assert type(left) is type(right) and left.dtype == right.dtype, name
                np.testing.assert_allclose(left, right, err_msg=name)


def test_host_arrays_are_written_in_place():
    @tn.fuse(kernel_name="shift")
    def shift(x, by=0.0):
        x += tn.sum(x) + by

    x = np.arange(3.0)
    assert shift(x, by=1.0) is None
    np.testing.assert_array_equal(x, [4, 5, 6])


def test_host_arrays_are_refused_outside_and_afterwards():
    @tn.fuse
    def fails(x):
        tn.sum(x)
        raise ValueError("afterwards")

    with pytest.raises(ValueError, match="afterwards"):
        fails(np.ones(3))
    with pytest.raises(TypeError, match="Unsupported type"):
        tn.sum(np.ones(3))
    with pytest.raises(TypeError, match="Unsupported type"):
        tn.fuse(lambda x, y: tn.sum(x))(np.ones(3), tn.ones(3))
    with pytest.raises(TypeError, match="Unsupported type"):
        tn.add(tn.ones(3), np.ones(3))


def test_host_arrays_are_taken_in_the_thread_that_runs_the_function():
    refusals = []

    def look():
        try:
            tn.sum(np.ones(3))
        except TypeError as e:
            refusals.append(e)

    @tn.fuse
    def function(x):
        other = threading.Thread(target=look)
        other.start()
        other.join()
        return tn.sum(x)

    assert function(np.ones(3)) == 3 and len(refusals) == 1


def test_memory_between_passes_is_given_back():
    """Twelve passes over one array need no more than three of its size at a time."""

    def centered(x):
        for _ in range(12):
            x = x - tn.mean(x, axis=1, keepdims=True)
        return x

    pool, fused = tn.get_default_memory_pool(), tn.fuse(centered)
    pool.free_all_blocks()  # no array lies in a large block of other tests, which could not go
    a = tn.asarray(np.random.default_rng(3).standard_normal((1000, 500)))
    wanted = centered(a)
    pool.free_all_blocks()
    before = pool.get_limit()
    pool.set_limit(size=pool.used_bytes() + 4 * a.nbytes)
    try:
        found = fused(a)
    finally:
        pool.set_limit(size=before)
    assert found.tobytes() == wanted.tobytes()
