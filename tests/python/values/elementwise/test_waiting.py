"""Calls that wait, against the same programs in which none does: bit for bit."""

import os
import random
import threading

import numpy as np
import pytest
import tenorite as tn
from tenorite import _core

PROGRAMS = int(os.environ.get("TENORITE_WAITING_PROGRAMS", "60"))
STEPS = 100
SHAPES = [(6,), (4, 6), (4, 1), (1, 6), (3, 4, 6), (), (40,), (8, 40)]
DTYPES = ["f4", "f8", "i4", "i8", "f2", "u1", "?", "c8"]
UNARY = ["negative", "absolute", "square", "sqrt", "exp", "sign", "floor", "isnan", "logical_not", "sin"]
BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "less", "equal", "arctan2", "floor_divide", "divmod"]
REDUCTIONS = ["sum", "max", "min", "mean", "var", "any", "all"]


@pytest.fixture
def waits():
    """A function that says whether calls of the thread, and of threads that begin, wait."""
    before = _core._backlog_use_in_process(False, -1)
    own = _core._backlog_use(0)

    def choose(waiting):
        _core._backlog_use_in_process(waiting, 0)
        _core._backlog_use(1 if waiting else -1)

    yield choose
    _core._backlog_use_in_process(before, -1)
    _core._backlog_use(own)


class Program:
    """A hundred random steps; the same ones for the same seed, whether calls wait or not."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.streams = [tn.cuda.Stream() for _ in range(2)]
        self.seen = []
        self.arrays = []
        for _ in range(4):
            self.make()

    def make(self):
        values = self.numbers.integers(-4, 5, self.random.choice(SHAPES))
        dtype = self.random.choice(DTYPES)
        if dtype in ("f4", "f8", "f2"):
            values = values + self.numbers.random(values.shape)
        array = tn.asarray(np.asarray(values).astype(dtype))
        self.arrays.append(tn.asfortranarray(array) if array.ndim > 1 and self.random.random() < 0.2 else array)

    def run(self):
        kinds = [self.compute] * 7 + [self.reduce] * 2 + [self.view] * 2 + [self.write] * 4
        kinds += [self.convert] * 2 + [self.look, self.on_stream, self.in_thread, self.drop, self.drop]
        for _ in range(STEPS):
            step = self.random.choice(kinds)
            try:
                step(self.random.choice(self.arrays), self.random.choice(self.arrays))
            except (ValueError, TypeError, OverflowError) as error:
                self.seen.append(f"{type(error).__name__}: {error}")
            while len(self.arrays) > 14:
                self.drop()
        return self.seen + [array.get() for array in self.arrays]

    def compute(self, a, b):
        if self.random.random() < 0.3:
            made = getattr(tn, self.random.choice(UNARY))(a)
        elif self.random.random() < 0.4:
            made = getattr(tn, self.random.choice(BINARY))(a, self.random.choice([2, -1, 3, 0.5, True]))
        else:
            made = getattr(tn, self.random.choice(BINARY))(a, b)
        self.arrays.extend(made if isinstance(made, tuple) else [made])

    def reduce(self, a, _):
        name, axis = self.random.choice(REDUCTIONS), self.random.choice([None, 0, -1])
        keepdims = self.random.random() < 0.5
        self.arrays.append(getattr(a, name)(axis=axis if a.ndim else None, keepdims=keepdims))

    def view(self, a, _):
        views = [lambda: a.T, lambda: a[1:], lambda: a[..., ::2], lambda: a[None], lambda: a.reshape(-1)]
        views += [lambda: a[..., None], lambda: a[1:-1], lambda: a.reshape(a.shape[0], -1)]
        made = self.random.choice([*views, lambda: a[::-1]])() if 0 < a.ndim < 4 else a
        self.arrays.append(made)

    def write(self, a, b):
        way = self.random.randrange(6)
        if way == 0:
            a += b if b.dtype.kind == a.dtype.kind else 1
        elif way == 1:
            a *= True if a.dtype.kind == "b" else 2
        elif way == 2:
            a[...] = b
        elif way == 3:
            a[...] = self.random.choice([0, 1, 3])
        elif way == 4:
            tn.add(a, b, out=a, casting="unsafe")
        elif a.ndim:
            a[1:] = a[:-1]

    def convert(self, a, _):
        dtype, order = self.random.choice(DTYPES), self.random.choice("CFKA")
        self.arrays.append(a.astype(dtype, order=order))

    def look(self, a, _):
        self.seen.append(a.get())

    def on_stream(self, a, _):
        with self.random.choice(self.streams):
            self.arrays.append(a + a)

    def in_thread(self, a, b):
        def body():
            try:
                made.append(tn.multiply(a, b))
            except ValueError as error:
                self.seen.append(str(error))

        made = []
        thread = threading.Thread(target=body)
        thread.start()
        thread.join()
        self.arrays.extend(made)

    def drop(self, *_):
        self.arrays.pop(self.random.randrange(len(self.arrays)))
        if len(self.arrays) < 3:
            self.make()


def assert_same(eager, waiting):
    assert len(eager) == len(waiting)
    for one, other in zip(eager, waiting, strict=True):
        if isinstance(one, str):
            assert one == other
            continue
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype.kind in "fc":  # any NaN is as good as another
            np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
            one, other = np.nan_to_num(one, nan=7), np.nan_to_num(other, nan=7)
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("part", range(4))
@pytest.mark.filterwarnings("ignore")
def test_programs(part, waits):
    before = _core._backlog_figures()["joined"]
    for seed in range(part, PROGRAMS, 4):
        waits(False)
        eager = Program(seed).run()
        waits(True)
        assert_same(eager, Program(seed).run())
    assert _core._backlog_figures()["joined"] > before


def test_nothing_runs_before_a_look(waits):
    a = tn.arange(1000.0)
    waits(True)
    b = tn.sqrt(a * a + 1) * 2 - a
    assert _core._is_due(b)
    runs = _core._backlog_figures()["runs"]
    c = b.sum()
    assert _core._backlog_figures()["runs"] == runs
    total = float(c)
    assert not _core._is_due(b)
    assert tn.explain().runs[0].calls >= 5
    assert total == float(tn.asarray(b.get()).sum())


def test_errors_come_at_the_call(waits):
    a = tn.ones(3)
    waits(True)
    with pytest.raises(ValueError, match="could not be broadcast"):
        _ = (a + 1) + tn.ones(4)
    with pytest.raises(ValueError, match="negative"):
        _ = tn.arange(3) ** tn.array([1, -1, 2])


def test_addresses_that_left_never_wait(waits):
    a = tn.ones(1000)
    waits(True)
    b = a + 1
    assert _core._is_due(b)
    assert b.data.ptr != 0
    assert not _core._is_due(b)
    b += 1
    assert not _core._is_due(b)
    assert b[0] == 3


def test_other_threads_look(waits):
    waits(True)
    a = tn.ones(1000)
    b = a * 3
    found = []
    thread = threading.Thread(target=lambda: found.append(float(b.sum())))
    thread.start()
    thread.join()
    assert found == [3000.0]


def test_eager_is_for_a_thread_and_ends(waits):
    waits(True)
    a = tn.ones(1000)
    b = a + 1
    with tn.eager():
        assert not _core._is_due(b)
        assert not _core._is_due(a + 1)
        with tn.eager(False):
            assert _core._is_due(a + 1)
        assert not _core._is_due(a + 1)
    assert _core._is_due(a + 1)


def test_explain(waits):
    a = tn.ones((300, 40), "f4")
    waits(True)
    b = tn.zeros((300, 1), "f4")
    tn.add(a, 1).max(axis=1, keepdims=True, out=b)
    told = tn.explain()
    assert _core._is_due(b)
    assert [call[:2] for call in told.waiting][-2:] == [("add", (300, 40)), ("max", (300, 1))]
    assert "max of (300, 1) float32" in str(told)
    b.get()
    run = tn.explain().runs[0]
    assert (run.look, run.cost) == ("READ", (1, 300 * 40 * 4, 300 * 4))  # it goes to b at once
    assert run.unfused.launches == run.calls
    assert run.why in str(tn.explain())
    assert tn.explain().waiting == ()


def test_views_of_what_is_due_join(waits):
    x = tn.asarray(np.random.default_rng(3).random((50, 40), dtype="f4"))

    def softmax(x):
        e = tn.exp(x - x.max(axis=1)[:, None])
        return e / e.sum(axis=1)[:, None]

    def differences(x):
        doubled = x * 2
        made = doubled[1:] - doubled[:-1]
        doubled += 1  # the views showed what it was before
        return made + doubled.T.reshape(x.shape)[1:]

    waits(False)
    expected = [softmax(x).get(), differences(x).get()]
    waits(True)
    made = softmax(x)
    assert made.get().tobytes() == expected[0].tobytes()
    run = tn.explain().runs[0]
    assert (run.calls, run.cost) == (5, (1, x.nbytes, x.nbytes))
    assert differences(x).get().tobytes() == expected[1].tobytes()
