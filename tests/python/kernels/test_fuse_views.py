"""Views in fused functions: of arguments, of what is computed, and stores that go through them."""

import os

import numpy as np
import pytest
import tenorite as tn
from generator import ON_GPU
from oracle import bits

NO_CUTS = pytest.mark.skipif("TENORITE_DEBUG_CUTS" in os.environ, reason="graphs are cut at random")
RNG = np.random.default_rng(26)


def numbers(*shape, dtype="f"):
    values = RNG.standard_normal(shape) * 4
    return tn.asarray((values + 1j * values[::-1] if dtype in "FD" else values).astype(dtype))


def check(function, *args, passes=None):
    """Bits, strides and what is written are those of the function; it is that many passes."""
    fused = tn.fuse(function)
    told = fused.explain(*args)
    assert told.groups, told.why
    for _ in range(2):
        given, expected = ([a.copy("K") if isinstance(a, tn.ndarray) else a for a in args] for _ in range(2))
        made, wanted = fused(*given), function(*expected)
        pairs = zip(made, wanted) if isinstance(made, tuple) else [(made, wanted)]
        for a, b in [*pairs, *zip(given, expected)]:
            assert bits(a) == bits(b)
            if isinstance(a, tn.ndarray):
                assert a.strides == b.strides
    if passes is not None and "TENORITE_DEBUG_CUTS" not in os.environ:
        assert told.cost.launches <= told.unfused.launches or told.unfused.launches < passes
        assert len(told.groups) == passes, str(told)
    return told


# --- Of arguments: inputs that lie otherwise ---

OF_ARGUMENTS = {
    "neighbours": lambda x: x[1:] + x[:-1] * 2,
    "stencil": lambda x: x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2] - 4 * x[1:-1, 1:-1],
    "transposed": lambda x: x.T * 2 + 1,
    "symmetric": lambda x: (x[:30, :30] + x[:30, :30].T) / 2,
    "reversed": lambda x: x[::-1, ::-3] * x[0, ::-3],
    "integers": lambda x: x[0] * x[-1] + x[3, 5],
    "axes": lambda x: x[:, None, 0] * x[None, :, 1],
    "methods": lambda x: x.reshape(-1)[:60].reshape(3, 20).swapaxes(0, 1) * 2,
    "squeezed": lambda x: x[:1].squeeze() * x[:, :1].squeeze(1)[0],
    "functions": lambda x: tn.expand_dims(x, 1)[:, 0] * tn.moveaxis(x, 0, 1).mT + tn.transpose(tn.swapaxes(x, 0, 1)),
    "spread": lambda x: tn.broadcast_to(x[0], x.shape) * x,
    "permuted": lambda x: x[:, :, None].transpose(2, 1, 0) + x.T,
    "shape": lambda x: x[1:] / x[1:].shape[0] + len(x[:, 0]),
    "empty key": lambda x: x[()] * x[...],
}


@pytest.mark.parametrize("name", OF_ARGUMENTS)
@pytest.mark.parametrize("dtype", "fe?i")
def test_of_arguments(name, dtype):
    if dtype == "?" and name in ("stencil", "symmetric"):
        pytest.skip("booleans are not subtracted")
    check(OF_ARGUMENTS[name], numbers(40, 60, dtype=dtype), passes=1)
    if name != "methods":  # an array that would be copied
        check(OF_ARGUMENTS[name], numbers(60, 40, dtype=dtype).T, passes=1)


def test_parts_of_complex_numbers():
    z = numbers(30, 40, dtype="D")
    check(lambda z: z.real * z.real + z.imag * z.imag, z, passes=1)
    check(lambda z: (tn.exp(z).real, tn.imag(z * 2)), z)
    check(lambda x: x.real * 2, numbers(30), passes=1)

    def swap(z):
        z.real[...] = z.imag
        z.imag *= 2
        return abs(z)

    check(swap, z)


def test_bounds_are_arguments():
    """Each bound has its plan; too many run as the function does."""
    fused = tn.fuse(lambda x, first, step: x[first::step] * 2 + x[first])
    x = numbers(50)
    for first in range(12):
        assert bits(fused(x, first, 2)) == bits(x[first::2] * 2 + x[first])


def test_reductions_of_views():
    check(lambda x: x[1:].sum() + (x[:-1] * 2).max(), numbers(3000))
    for axis in (0, 1, None):
        check(lambda x: tn.sum(x.T * 2 + 1, axis=axis), numbers(300, 200))
        check(lambda x: tn.mean((x * 2 + 1)[1:, ::2], axis=axis), numbers(300, 200))
        check(lambda x: tn.var((x * 2 + 1).T, axis=axis), numbers(300, 200))


# --- Of what is computed ---


def softmax(x):
    e = tn.exp(x - x.max(axis=1)[:, None])
    return e / e.sum(axis=1)[:, None]


def layer_norm(x, gain, bias):
    scale = 1 / tn.sqrt(x.var(axis=-1) + 1e-5)
    return (x - x.mean(axis=-1)[..., None]) * scale[..., None] * gain + bias


def normalized(x):
    total = tn.expand_dims(tn.sum(x, axis=1), 1)
    return x / total, total, x.max(1)


@NO_CUTS
@pytest.mark.parametrize("function, count", [(softmax, 1), (layer_norm, 3), (normalized, 1)])
def test_rows_in_plain_style(function, count):
    """What is computed of rows stays in one pass where a view adds the axis that was reduced."""
    arrays = [numbers(300, 200), numbers(200), numbers(200)][:count]
    check(function, *arrays, passes=1)
    if function is layer_norm:
        check(function, numbers(30, 10, 200), *arrays[1:], passes=1)


def test_rows_that_views_move():
    check(lambda x: x - x.max(axis=1)[::-1, None], numbers(300, 200), passes=2)
    check(lambda x: x - x.max(axis=1)[None], numbers(200, 200), passes=2)
    check(lambda x: (x - 1).T[::2] + x[0], numbers(200, 200))
    check(lambda x: x.sum(axis=(1, 2))[:, None, None] - x, numbers(30, 20, 10), passes=1)
    check(lambda x: x.sum(axis=2).T[..., None] - x, numbers(20, 20, 10), passes=2)


OF_COMPUTED = {
    "transposed": lambda x: (x + 1).T + x[:40, :40].sum(),
    "with itself": lambda x: (lambda t: t[1:] - t[:-1])(tn.sqrt(abs(x))),
    "flat": lambda x: (x * 2).reshape(-1)[3:] + 1,
    "column": lambda x: (x[:, 0] * 2)[:, None] * x,
    "spread": lambda x: tn.broadcast_to((x[0] * 2)[None, :], (3, 60)) + 1,
    "view of a view": lambda x: (x * 2).T[1:, ::-1][:, 2:] * 3,
    "results": lambda x: (lambda t: (t, t.T, t[0], t[0] * 2))(x + 1),
    "only a view": lambda x: (x - 1)[::2].T,
}


@pytest.mark.parametrize("name", OF_COMPUTED)
def test_of_what_is_computed(name):
    for x in (numbers(40, 60), numbers(60, 60).T[:40]):
        if name != "flat" or x.flags.c_contiguous:
            check(OF_COMPUTED[name], x)


def test_a_view_follows_what_it_shows():
    """In-place operations on a computed array are seen by views that were made before."""

    def follow(x):
        t = x + 1
        part = t[1:]
        t *= 3
        return part * 2, t

    check(follow, numbers(40, 60))


def test_results_show_arguments():
    fused = tn.fuse(lambda x: (x[1:], x + 1))
    x = numbers(5, 4)
    view, _ = fused(x)
    assert view.base is x and tn.shares_memory(view, x)
    view[...] = 7
    assert (x[1:] == 7).all()


# --- Stores ---


def diffuse(u, f):
    u[1:-1] = (u[2:] + u[:-2]) * 0.5 + f[1:-1]


def borders(u, f):
    u[0] = 0
    u[-1] = f[0]
    u[1:-1] *= 2
    return u.sum(axis=0)


def aliases(u, f):
    part, same = u[::2], u[::2]
    part += 1
    u *= f
    same -= part
    return part * 2, u + 1


def halves(u, f):
    u[:20] = f[20:40]
    u[20:40] = u[:20] + f[:20]
    f.T[...] = u.T


STORES = [diffuse, borders, aliases, halves]


@pytest.mark.parametrize("function", STORES)
def test_stores(function):
    for u in (numbers(40, 60), numbers(60, 40).T, numbers(80, 60)[::-2]):
        check(function, u, numbers(40, 60))
    whole = numbers(41, 60)
    fused, ours, theirs = tn.fuse(function), whole.copy(), whole.copy()
    made, wanted = fused(ours[1:], ours[:-1]), function(theirs[1:], theirs[:-1])
    assert bits(ours) == bits(theirs)
    for a, b in zip(made, wanted) if isinstance(made, tuple) else [(made, wanted)]:
        assert bits(a) == bits(b)


def centered(x, sums):
    x -= x.mean(axis=1)[:, None]
    sums[...] = (x * x).sum(axis=1, keepdims=True)
    x /= tn.sqrt(sums)
    return x - 1, sums + 1


def softmax_into(x, sums):
    x[...] = tn.exp(x - x.max(axis=1, keepdims=True))
    sums += x.sum(axis=1, keepdims=True)
    x /= sums


def read_before(x, sums):
    t = x * 2
    x += x.max(axis=1)[:, None]
    sums -= sums * x.sum(axis=1, keepdims=True)
    x *= t
    return t


@pytest.mark.parametrize("function", [centered, softmax_into, read_before])
@pytest.mark.parametrize("shape", [(300, 200), (2000, 70), (5, 3), (40, 1000)])
@pytest.mark.parametrize("dtype", "fd")
def test_rows_with_stores(function, shape, dtype):
    """Arrays that lie packed are written by the pass over rows that reads them."""
    x, sums = numbers(*shape, dtype=dtype), numbers(shape[0], 1, dtype=dtype)
    told = check(function, x, sums)
    if "TENORITE_DEBUG_CUTS" not in os.environ and shape[1] > 70 and not ON_GPU:
        assert [group.form for group in told.groups] == ["rows"]
    check(function, numbers(shape[1], shape[0], dtype=dtype).T, sums)
    check(function, numbers(shape[0] + 1, shape[1], dtype=dtype)[1:], numbers(shape[0], 2, dtype=dtype)[:, 1:])


PUSHED = {  # and how many passes
    "transposed": (1, lambda x, y: (x * 2 + 1).T * y.T),
    "stencil": (1, lambda x, y: (x * y - 1)[2:] + (x * y - 1)[:-2]),
    "views of views": (1, lambda x, y: ((x * 2)[::-1] + 1)[:, ::2] * 3),
    "broadcast": (1, lambda x, y: ((x + y[0]).T - 1) * x.T),
    "folds": (2, lambda x, y: (((x - y)[:, ::-1] * 2).sum(axis=1), ((x * x)[1:] * y[1:]).max(axis=0))),
    "folded": (2, lambda x, y: (x * 2)[1:].sum(axis=1)),  # as the view lies
    "returned": (2, lambda x, y: ((x * 2)[1:], (x * 2)[1:] + 1)),
    "joined": (2, lambda x, y: (x.astype("f") * 2).transpose(1, 0)[None] - y.T),
    "turned twice": (2, lambda x, y: ((x * 2 + y).T[::-1] + 1)[:, ::2].T * (x * 2 + y)[:, 0][::2, None]),
    "of rows": (3, lambda x, y: (x - x.max(axis=1)[:, None])[1:] * 2),
    "mixed": (2, lambda x, y: (x * True)[:, :1] * 3 + y + (y - 0.5)[..., ::-1]),
}


@pytest.mark.parametrize("part", [np.s_[:20, :1], np.s_[::2, :1], np.s_[19::-1, 1:2], np.s_[39:0:-2, 1:]])
def test_numbers_of_rows_that_lie_apart(part):
    """One number a row, read from and stored to columns of other arrays."""

    def normalized(x, scale, to):
        to[...] = scale * x.sum(axis=1, keepdims=True) * 2
        return x * to

    x, columns = numbers(20, 30), numbers(40, 2)
    given, expected = columns.copy(), columns.copy()
    made = tn.fuse(normalized)(x, columns[part], given[part])
    assert bits(made) == bits(normalized(x, columns[part], expected[part]))
    assert bits(given) == bits(expected)


def test_numbers_of_rows_that_are_stored_under_another_shape():
    def flattened(x, column, flat):
        moved = column * 3
        flat[...] = moved[:, 0]
        return moved, x.sum(axis=1)

    def spread(x, column, flat):
        sums = x.sum(axis=1)
        column[...] = sums[:, None]
        flat[...] = sums
        return x - column

    for function in (flattened, spread):
        check(function, numbers(70, 300), numbers(70, 1), numbers(70), passes=None if ON_GPU else 1)


VIEWS = {  # of what is stored: the shape of what it shows
    "broadcast": ((300, 6), lambda v: tn.broadcast_to(v[0], (300, 6))),
    "apart": ((300, 12), lambda v: v[:, ::2]),
    "transposed": ((6, 300), lambda v: v.T),
}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("dtype", "fdF")
def test_folds_of_stored_views_follow_the_array(name, dtype):
    shape, show = VIEWS[name]

    def store(to, v):
        to[...] = show(v * 2)
        return to.sum(keepdims=True)

    for to in (numbers(300, 6, dtype=dtype), numbers(6, 300, dtype=dtype).T):
        check(store, to, numbers(*shape, dtype=dtype) + 100)
        check(store, to, numbers(*shape[::-1], dtype=dtype).T + 100)


@pytest.mark.parametrize("name", PUSHED)
@pytest.mark.parametrize("way", ["packed", "turned", "reversed", "spread"])
def test_views_of_cheap_values(name, way):
    """What is computed of arrays that are given is computed where a view shows it, not stored."""
    ways = {"turned": lambda x: x.T.copy().T, "reversed": lambda x: x[::-1], "packed": lambda x: x}
    spread = lambda x: tn.broadcast_to(x[:, :1], x.shape)
    x, y = (ways.get(way, spread)(numbers(300, 320)) for _ in range(2))  # lines that a fold takes
    passes, function = PUSHED[name]
    told = check(function, x, y)
    if "TENORITE_DEBUG_CUTS" not in os.environ:
        assert len(told.groups) <= passes, str(told)


def part_of_chain(x, y):
    made = x * 2
    made[1:] = y[1:]
    return made + 1


def parts_and_views(x, y):
    made = x * 2
    rows, turned, before = made[1:], made.T, made[:2] * 3
    rows += y[:-1]
    made *= 3
    return made, turned + 1, rows * 2, made[0], before


def part_of_fold(x, y):
    sums = x.sum(axis=0)
    sums[0] = 7
    return x - sums


def folds_of_parts(x, y):
    made = x + y
    even = made[::2]
    made[0] = 5
    made.T[1] = x[1, :1]
    made[:, ::2] -= made[:, ::2].mean(axis=1)[:, None]
    return even, made.sum(axis=1), made.sum()


def stencil_of_made(x, y):
    made = tn.sqrt(x * x)
    made[1:-1] = (made[2:] + made[:-2]) * 0.5
    made[:, 0] = 0
    return made


def parts_of_complex(x, y):
    made = x * 1j + y
    made.real = 3
    made.imag[1:] += y[1:]
    return made, made.real * 2


PARTS = [part_of_chain, parts_and_views, part_of_fold, folds_of_parts, stencil_of_made, parts_of_complex]


@pytest.mark.parametrize("function", PARTS)
@pytest.mark.parametrize("shape", [(30, 40), (2, 3), (300, 200)])
def test_parts_of_what_is_made(function, shape):
    """What is stored to a part of an array that the function makes is seen by all views of it."""
    check(function, numbers(*shape), numbers(*shape))
    check(function, numbers(*shape[::-1]).T, numbers(*shape, dtype="f"))


@NO_CUTS
def test_parts_are_made_once():
    """What is stored first is made in the memory that the parts are stored to."""
    told = tn.fuse(part_of_chain).explain(numbers(300, 40), numbers(300, 40))
    assert [group.form for group in told.groups][:1] == ["elementwise"] and told.cost.launches <= 3


def test_what_can_not_be_stored():
    def spread(x):
        tn.broadcast_to(x[0], (3, 4))[...] = 1

    def outside(x):
        x[1:] = 0
        x[7] = 1

    for function, error in ((spread, ValueError), (outside, IndexError)):
        ours, theirs = tn.ones((3, 4)), tn.ones((3, 4))
        with pytest.raises(error) as found:
            tn.fuse(function)(ours)
        with pytest.raises(error) as wanted:
            function(theirs)
        assert str(found.value) == str(wanted.value) and bits(ours) == bits(theirs)


def test_what_is_still_untraceable():
    for function, why in (
        (lambda x: x[x > 0], "an index"),
        (lambda x: x[[0, 1]], "an index"),
        (lambda x: x[True], "an index"),
        (lambda x: x[0, 0, 0], "an index of so many axes"),
        (lambda x: (x + 1).shape, "the shape of an array that the function makes"),
        (lambda x: x.reshape(4, 3, order="F"), "this reshape"),
    ):
        told = tn.fuse(function).explain(tn.ones((3, 4)))
        assert told.groups == () and f"{why} can't be traced" in told.why


@NO_CUTS
def test_stores_over_what_is_read_alike():
    """A group writes what it makes where it reads element for element, and into no copy."""

    def scale(u):
        u[1:] *= 2
        u[:] += 1
        return u[::2] * 3

    check(scale, numbers(40, 60), passes=3)
    told = tn.fuse(scale).explain(numbers(40, 60))
    assert told.cost.bytes_written < told.unfused.bytes_written + 4

    def both(u, f):  # what is stored is read later, too, when the array holds something else
        made = u[1:] * f[1:]
        u[1:] = made
        u[::2] = 0
        return made + u[1:]

    check(both, numbers(40, 60), numbers(40, 60), passes=3)


@NO_CUTS
def test_explain():
    told = tn.fuse(lambda x: (x + 1).reshape(-1) * 2).explain(numbers(20, 20))
    assert told.groups[1].why == "It reads a view of what group 1 makes, which is in memory first."
    told = tn.fuse(diffuse).explain(numbers(20, 20), numbers(20, 20))
    assert [group.form for group in told.groups] == ["elementwise", "copy"]


def replaced(x, y):
    made = x * 2
    made[...] = y
    return made, made.sum()


def added(x, y):
    made = x * 2
    made += y
    return made, made.sum()


def subtracted_from(x, y):
    made = x * 2
    np.subtract(y, made, out=made, casting="unsafe")
    return made, made.sum(axis=0)


def converted(x, y):
    wide = x.astype("d") + 1
    return wide, (y.astype("f") * wide).sum()


def read_wider(x, y):
    wide = tn.add(x, y, dtype="d")
    return wide, wide.sum()


LYING = {  # of 6 x 6 x n
    "C": lambda x: x,
    "F": tn.asfortranarray,
    "transposed": lambda x: x.transpose(1, 0, 2),
    "halves": lambda x: tn.asfortranarray(x).astype("e"),
    "backwards": lambda x: x[::-1, :, ::-1],
    "planes": lambda x: tn.broadcast_to(x[0], x.shape),
    "rows": lambda x: tn.broadcast_to(x[:, :1].astype("e"), x.shape),
    "row": lambda x: tn.broadcast_to(x[0, 0], x.shape),
}


@pytest.mark.parametrize("function", [replaced, added, subtracted_from, converted, read_wider])
@pytest.mark.parametrize("first", LYING)
def test_results_lie_as_those_of_single_calls(function, first):
    """Copies, what takes the place of a value, and loops that convert what they read."""
    for length in (20, 700):
        for second in LYING:
            x, y = LYING[first](numbers(6, 6, length)), LYING[second](numbers(6, 6, length))
            for wanted, found in zip(function(x, y), tn.fuse(function)(x, y), strict=True):
                assert wanted.strides == found.strides, (second, length)
                assert wanted.tobytes() == found.tobytes(), (second, length)
