"""Python that runs between two steps of a call, and inside one: the call sees the old array or the
new.

Each program has a process of its own, for what it tests used to end the process.
"""

import pytest
from programs import output_of

PRELUDE = """
import gc, sys, threading, time, warnings
import numpy as np
import tenorite as tn

class Reshapes:
    '''Sets the shape of an array whatever it is asked.'''
    def __init__(self, array, shape, value=1):
        self.array, self.shape, self.value = array, shape, value
    def act(self):
        for _ in range(3):
            self.array.shape = self.shape
            tn.zeros(3)
        return self.value
    __bool__ = lambda self: bool(self.act())
    __index__ = __len__ = lambda self: int(self.act())
    __float__ = lambda self: float(self.act())
    dtype = property(lambda self: np.dtype(self.act()))

class Index:
    '''The same of an integer alone.'''
    def __init__(self, *arguments):
        self.source = Reshapes(*arguments)
    __index__ = lambda self: self.source.act()

def fresh():
    return tn.arange(6.0).reshape(2, 3).copy()

def raises(error, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except error as caught:
        assert type(caught) is error, caught
    else:
        raise AssertionError(f'{call} did not raise')
"""


def run(program):
    output_of(PRELUDE + program, timeout=120)


@pytest.mark.parametrize(
    "program",
    [
        "assert a.astype('i4', copy=Reshapes(a, (6,))).shape in ((6,), (2, 3))",
        "assert a.astype(Reshapes(a, (6,), 'i4')).shape == (6,)",
        pytest.param(
            "np.from_dlpack(a); a.__dlpack__(copy=Reshapes(a, (3, 2)))",
            marks=pytest.mark.host_only("NumPy reads no memory of a GPU"),
        ),
        "assert a.view(Reshapes(a, (6, 1), 'u1')).shape == (6, 8)",
        "assert (tn.sum(a, axis=0, keepdims=Reshapes(a, (3, 2))).get() == [[6, 9]]).all()",
        "assert (a.sum(axis=Reshapes(a, (3, 2), 0)).get() == [6, 9]).all()",
        "assert a.cumsum(axis=Reshapes(a, (6,), 0)).shape == (6,)",
        "assert a.argmax(axis=Reshapes(a, (6,), 0)).item() == 5",
        "assert a.swapaxes(Reshapes(a, (1, 2, 3), 0), 2).shape == (3, 2, 1)",
        "assert a.item(Reshapes(a, (6,), 5)) == 5",
        "a.fill(Reshapes(a, (6,)).value); a.fill(np.float32(3))",
        "assert a.take([0], axis=Reshapes(a, (6,), 0)).shape == (1,)",
        "assert a[Index(a, (3, 2), 0)].shape in ((2,), (3,))",
        "assert a[Reshapes(a, (3, 2), 0) : 2].shape == (2, 2)",
        "a[Index(a, (6,), 1)] = 9; assert a.ravel()[[1, 3]].max() == 9",
        "b = fresh(); a[Index(b, (6,), 0)] = b[0]",
        "tn.add(a, 1, where=Reshapes(a, (6,), True).array > 1, subok=True, out=a)",
        "tn.add.at(a, (Index(a, (6,), 0), [0]), 1)",
        "tn.add.reduce(a, axis=Reshapes(a, (6,), 0))",
        "tn.add.reduceat(a, np.array([0, 1]), axis=Reshapes(a, (3, 2), 1))",
        "tn.concatenate([a, a], axis=Reshapes(a, (3, 2), 1)).shape == (3, 4)",
        "tn.trace(a, Reshapes(a, (3, 2), 0))",
        "tn.vecdot(a, a, axis=Reshapes(a, (3, 2), 0))",
        "assert tn.average(a, returned=Reshapes(a, (6,)))[1] == 6",
        "assert tn.broadcast_to(a, (Reshapes(a, (6,), 2), 6)).shape == (2, 6)",
        "assert a.get(blocking=Reshapes(a, (6,))).shape in ((6,), (2, 3))",
        "b = a.copy(); b.set(np.zeros((2, 3)))",
    ],
    ids=lambda text: text[:40],
)
def test_a_converted_argument_sets_the_shape(program):
    run("a = fresh()\n" + program)


def test_a_warning_sets_the_shape():
    run("""
def show(*arguments, **options):
    a.shape = (1, 6) if a.ndim == 1 else (6,)
    b.shape = (1, 2) if b.ndim == 1 else (2,)
warnings.simplefilter('always')
warnings.showwarning = show
a, b = tn.zeros(6), tn.array([1j, 2])
a[tn.arange(2)] = b
a[..., :2] = b
assert a.ravel()[:2].get().tolist() == [0, 2]
a, b = tn.zeros(6, 'c16'), tn.zeros(2)
assert a.astype('f4').shape in ((6,), (1, 6))
""")


@pytest.mark.parametrize(
    "call",
    [
        "a + 1",
        "a.sum(axis=0)",
        "tn.exp(a)",
        "a.copy()",
        "a.reshape(-1)",
        "a.get()",
        "a[[0, 1]]",
        "a @ a.T",
        "tn.concatenate([a, a], axis=None)",
        "tn.vstack([a, a])",
        "a == None",
        "divmod(a, 2)",
        "tn.add(a, a)",
    ],
)
def test_a_memory_hook_sets_the_shape(call):
    run(f"""
class Hook(tn.cuda.MemoryHook):
    name = 'reshapes'
    def malloc_preprocess(self, **facts):
        a.shape = (6,) if a.ndim == 2 else (2, 3)
        a.shape = a.shape
        trash.append(tn.zeros(3) if len(trash) < 50 else None)
    alloc_preprocess = free_postprocess = malloc_preprocess
trash = []
for _ in range(20):
    a = tn.arange(6.0).reshape(2, 3)
    with Hook():
        try:
            result = {call}
        except (ValueError, IndexError):
            pass  # the shapes of the moment do not fit
""")


def test_an_allocator_sets_the_shape():
    run("""
a = fresh()
pool = tn.cuda.MemoryPool()
def allocate(size):
    a.shape = (6,) if a.ndim == 2 else (2, 3)
    return pool.malloc(size)
expected = a.get().ravel() + 1
with tn.cuda.using_allocator(allocate):
    for _ in range(50):
        result = a + 1
        assert (result.get().ravel() == expected).all()
        assert a.sum().item() == 15
""")


@pytest.mark.parametrize("size", [12, 60000])
def test_threads_set_the_shape(size):
    run(f"""
sys.setswitchinterval(1e-5)
size, wrong, done = {size}, [], []
a = tn.arange(float(size))
shapes = [(size,), (2, size // 2), (size // 4, 4)]
def reshape():
    while not done:
        for shape in shapes:
            a.shape = shape
def use():
    while not done:
        for result in (a + 1, a.get(), a.astype('f4'), a.copy(), abs(a)):
            if result.shape not in shapes:
                wrong.append(result.shape)
        if a.sum().item() != size * (size - 1) / 2 or a.max(axis=0).size not in (1, size // 2, 4):
            wrong.append('sum')
threads = [threading.Thread(target=target) for target in (reshape, reshape, use, use)]
[thread.start() for thread in threads]
time.sleep(1.5)
done.append(True)
[thread.join() for thread in threads]
assert not wrong, wrong[:5]
""")


def test_nothing_stays_of_what_calls_let_go():
    run("""
class Hook(tn.cuda.MemoryHook):
    name = 'reshapes'
    def malloc_preprocess(self, **facts):
        a.shape = (6,) if a.ndim == 2 else (2, 3)
pool = tn._core._default_memory_pool
before = pool.used_bytes()
with Hook():
    for _ in range(100):
        a = fresh()
        a + 1
        a.sum()
del a
tn.zeros(1)
assert pool.used_bytes() == before, pool.used_bytes() - before
""")


def test_a_list_that_empties_while_it_is_converted():
    run("""
class Empties:
    def __getattr__(self, name):
        items.clear()
        gc.collect()
        raise AttributeError(name)
for make in (tn.asarray, tn.array, lambda x: tn.zeros(3)[x], lambda x: tn.concatenate(x), lambda x: tn.add.at(tn.zeros(3), x, 1)):
    items = [Empties(), tn.zeros(3), Empties(), [Empties()], tn.ones(3)]
    try:
        make(items)
    except (TypeError, ValueError, IndexError):
        pass
""")


def test_facts_of_a_foreign_array_that_go_while_they_are_read():
    run("""
class Size:
    def __index__(self):
        facts.clear()
        gc.collect()
        return 2
class Foreign:
    @property
    def __cuda_array_interface__(self):
        return facts
for _ in range(20):
    facts = {'shape': (Size(), Size()), 'typestr': '<f' + str(4), 'data': (0, False), 'version': 3,
             'strides': tuple([8, 4])}
    try:
        tn.asarray(Foreign())
    except Exception:
        pass
""")


def test_an_exception_of_the_programs_comes_out():
    run("""
class Refuses(tn.ndarray):
    def __array_finalize__(self, like):
        if armed:
            raise ZeroDivisionError
class Hostile:
    def __getattr__(self, name):
        raise ZeroDivisionError
class Meta(type):
    def __getattribute__(cls, name):
        if name in ('__array_ufunc__', '__array_priority__') and armed:
            raise ZeroDivisionError
        return super().__getattribute__(name)
class Typed(metaclass=Meta):
    pass
class Sized:
    __getitem__ = __index__ = lambda self, *k: 0
    def __len__(self):
        raise ZeroDivisionError
armed = False
a = fresh().view(Refuses)
armed = True
for call in (lambda: divmod(a, 2), lambda: divmod(2, a), lambda: tn.divmod(a, 2), lambda: tn.modf(a), lambda: a + 1,
             lambda: tn.average(a, 0, None, True), lambda: a.T, lambda: a[0], lambda: a.sum(), lambda: a.nonzero() and a.copy()):
    raises(ZeroDivisionError, call)
b = fresh()
for call in (lambda: b / Hostile(), lambda: Hostile() - b, lambda: b @ Hostile(), lambda: b == Hostile(), lambda: b + Typed(),
             lambda: tn.asarray([Hostile(), 1]), lambda: divmod(b, Hostile()), lambda: b.sum(axis=Sized()), lambda: b.item(Sized()),
             lambda: b.reshape(Sized()), lambda: tn.add.accumulate(b, Sized()), lambda: tn.broadcast_to(b, Sized()),
             lambda: tn.tensordot(b, b, axes=([0, 1], Sized())), lambda: b.get(out=Hostile()), lambda: b.set(Hostile())):
    raises(ZeroDivisionError, call)
armed = False
pool = tn._core._default_memory_pool
del a, b
used = pool.used_bytes()
a = fresh().view(Refuses)
for _ in range(20):
    armed = True
    for call in (lambda: divmod(a, 2), lambda: tn.average(a, 0, None, True), lambda: tn.divmod(a, 2)):
        raises(ZeroDivisionError, call)
    armed = False
del a
assert pool.used_bytes() == used
""")


@pytest.mark.parametrize(
    "call",
    ["a + 1", "tn.frexp(a)", "a.std()", "a == 2", "a.astype('i4')", "a.sum(0)", "tn.asarray([1, 2])", "a[[0, 1]]"],
)
def test_a_memory_hook_drops_the_current_stream(call):
    """The call goes on where it began."""
    run(f"""
class Hook(tn.cuda.MemoryHook):
    name = "leaves"
    def leave(self, **facts):
        if tn.cuda.get_current_stream() != tn.cuda.Stream.null:
            tn.cuda.Stream.null.use()
            tn.zeros(3)
    alloc_preprocess = malloc_preprocess = leave

for _ in range(200):
    a = fresh()
    tn.cuda.Stream(non_blocking=True).use()
    with Hook():
        made = {call}
    tn.cuda.Device().synchronize()
del made
tn.zeros(1)
end = time.monotonic() + 30
while tn.cuda.get_statistics()["streams"] and time.monotonic() < end:
    time.sleep(0.01)
assert tn.cuda.get_statistics()["streams"] == 0
""")
