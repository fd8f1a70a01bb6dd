"""Arrays and calls of all kinds, for ever."""

import itertools
import weakref

import tenorite as tn
from support import COMPUTES, cycled, expect, pattern, recent, refused, short_stream, weights
from tenorite import cuda

DTYPES = "? i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split()

# There are no more different ones in a pattern; each takes some 60 KB of a GPU's process.
KERNELS = 4000
OF_KERNELS = {"core kernels": KERNELS, "memory": 256 << 20, "heap": 256 << 20}


@pattern(slack=OF_KERNELS)
def new_shapes():
    """A shape that was never there, every time."""
    shapes = ((1 + k % 7, 1 + k // 7 % 11, 1 + k // 77 % 500) for k in itertools.count())

    def turn():
        a = tn.ones(next(shapes), "f4")
        (a + a.sum(axis=1, keepdims=True)).T.copy()
        a.reshape(-1)[::2].max()

    return turn


@pattern(slack=OF_KERNELS)
def new_kernels():
    """All dtypes, operations and layouts in turn."""
    arrays = [tn.ones((4, 6), dtype) for dtype in DTYPES]
    calls = (tn.add, tn.multiply, tn.equal, tn.logical_and)
    layouts = (lambda a: a, lambda a: a[::2], lambda a: a[:, ::-1], lambda a: a[0])
    cases = itertools.cycle(itertools.product(calls, arrays, arrays, layouts))

    def turn():
        call, a, b, layout = next(cases)
        with short_stream():
            call(layout(a), layout(b))

    return turn


@pattern(slack=OF_KERNELS)
def new_casts():
    arrays = [tn.ones(100, dtype) for dtype in DTYPES]
    cases = itertools.cycle(itertools.product(arrays, [d for d in DTYPES if d not in ("c8", "c16")], (1, 2, -1)))

    def turn():
        a, dtype, step = next(cases)
        (a.real if a.dtype.kind == "c" else a)[::step].astype(dtype)

    return turn


@pattern
def new_products():
    """Matrix products of shapes that change."""
    sizes = itertools.cycle(itertools.product((1, 3, 17, 40), repeat=3))

    def turn():
        n, k, m = next(sizes)
        with short_stream():
            expect(tn.ones((n, k), "f4") @ tn.ones((k, m), "f4"), k)

    return turn


@pattern
def reductions():
    shared = weights(30, 40)
    calls = cycled("sum", "max", "argmin", "mean", "var", "all", "cumsum", "prod")
    axes = cycled(None, 0, 1)

    def turn():
        with short_stream():
            getattr(shared, calls())(axis=axes())

    return turn


@pattern
def views_of_views():
    """A view of the last turn's view, and so on, which ends at the buffer."""
    shared = weights(10, 10)
    state = [shared]

    def turn():
        state[0] = state[0].T[::-1][:, ::-1].view()
        expect(state[0][0, :2].sum() >= 0, True)

    return turn


@pattern
def reshape_in_place():
    shared, shapes = weights(120), cycled((120,), (10, 12), (2, 3, 20), (12, 10))

    def turn():
        shared.shape = shapes()
        with short_stream():
            (shared + 1).shape = (120,)

    return turn


class Sub(tn.ndarray):
    """A subclass with an attribute of its own."""

    def __array_finalize__(self, source):
        self.note = getattr(source, "note", None)


@pattern
def subclasses():
    shared = weights(100).view(Sub)
    shared.note = "kept"

    def turn():
        made = (shared * 2)[::2]
        assert isinstance(made, Sub)
        made.self = made  # a cycle

    return turn


@pattern
def where_and_out():
    shared, target = weights(1000), tn.zeros(1000, "f4")
    mask = shared > 3

    def turn():
        with short_stream():
            tn.add(shared, 1, out=target, where=mask)
            tn.sqrt(shared, out=target[::-1])
            tn.sum(shared, where=mask)

    return turn


@pattern
def at():
    """ufunc.at, scatters, and wrong arguments of these."""
    target, index = tn.zeros(100, "f4"), tn.arange(50) % 10

    def turn():
        with short_stream():
            tn.add.at(target, index, 1)
            target.scatter_add(index, 1)

    return turn


@pattern
def indexing():
    shared = weights(50, 40)
    mask, rows = shared > 3, tn.arange(20) % 7

    def turn():
        with short_stream():
            shared[rows, 3:9].sum()
            shared[rows, rows] += 1
            if COMPUTES:
                shared[mask] = 1
            shared[None, 2, ..., 1]

    return turn


@pattern(on=("host", "cuda"))
def bad_indexes():
    shared, far = weights(50), tn.array([100])

    def turn():
        refused(lambda: shared[60], IndexError)

        def late():
            with short_stream() as stream:
                shared[far]
                stream.synchronize()

        refused(late, IndexError)

    return turn


@pattern
def wrong_arguments():
    """Every call fails, in C and in Python."""
    shared = weights(10)

    def turn():
        refused(lambda: shared + tn.ones(7), ValueError)
        refused(lambda: tn.add(shared, [1, 2]), TypeError)
        refused(lambda: shared.reshape(3, 4), ValueError)
        refused(lambda: shared.astype("nonsense"), TypeError)
        refused(lambda: tn.concatenate([shared, tn.ones((2, 2))]), ValueError)
        refused(lambda: tn.zeros(2**55, "i1"), MemoryError)

    return turn


@pattern
def tracebacks_kept():
    """The last exceptions are kept, and with them the arrays of their frames."""
    shared, caught = weights(1000), recent(8)

    def fail():
        with short_stream():
            local = shared * 2
            return local + tn.ones(7)

    def turn():
        caught.append(refused(fail, ValueError))

    return turn


@pattern
def cycles():
    """Arrays that only the garbage collector finds, and weak references to them."""
    references = recent(100)

    def turn():
        array = tn.ones(100)
        holder = {"array": array}
        holder["self"] = holder
        references.append(weakref.ref(array))

    return turn


@pattern
def elements():
    """Numbers out of arrays, one by one."""
    shared = weights(20)

    def turn():
        float(shared[3].get()), shared.tolist(), shared[1].item(), list(shared[:3]), bool(shared[0] == 0)
        shared.flat[3] = 1
        shared[4] = 2.5

    return turn


@pattern(cost=5)
def printed():
    shared = weights(20, 3)

    def turn():
        with short_stream():
            repr(shared), str(shared[0] + 1), f"{float(shared[0, 0].get()):.3f}"

    return turn


@pattern
def joined():
    shared = weights(10, 10)

    def turn():
        with short_stream():
            tn.concatenate([shared, shared.T, tn.zeros((10, 2))], axis=1)
            tn.stack([shared, shared]), tn.split(shared, 5), tn.tile(shared, (2, 2)), tn.pad(shared, 1)

    return turn


@pattern
def profiled():
    """Ranges and profiles, which programs leave in."""
    shared = weights(100)

    def turn():
        cuda.nvtx.RangePush("turn")
        with short_stream():
            shared + 1
        cuda.nvtx.RangePop()

    return turn
