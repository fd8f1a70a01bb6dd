"""Random programs of a hundred steps in which calls wait, against the same ones in which none does.

A program makes views, broadcasts, copies, casts, reductions and in-place writes, of arrays that may
be aliases, on two devices and three streams, in three threads that hand arrays over. What it looks
at, each error's text and all arrays at its end must be the same bit for bit, and so must the bytes
that it uses behind a step. TENORITE_WAITING_PROGRAMS is how many there are.
"""

import os
import queue
import random
import threading

import numpy as np
import pytest
import tenorite as tn
from generator import ON_GPU
from tenorite import _core

# On a GPU most graphs are a kernel of their own to compile.
PROGRAMS = int(os.environ.get("TENORITE_WAITING_PROGRAMS", "60" if ON_GPU else "2000"))
PARTS = 8
STEPS, MOST_ARRAYS = 100, 14
MOST_PRODUCT = 1 << 24  # of the sizes of two arrays that broadcast
SHAPES = [(6,), (4, 6), (4, 1), (1, 6), (3, 4, 6), (), (40,), (8, 40)]
LARGE = [(70, 300), (300, 70), (1, 300), (70, 1), (9000,)]
DTYPES = ["f4", "f8", "i4", "i8", "f2", "u1", "?", "c8"]
UNARY = ["negative", "absolute", "square", "sqrt", "exp", "sign", "floor", "isnan", "logical_not", "sin", "conjugate"]
BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "less", "equal", "arctan2", "floor_divide", "divmod"]
REDUCTIONS = ["sum", "max", "min", "mean", "var", "any", "all", "prod", "std", "ptp", "argmax"]
ERRORS = (ValueError, TypeError, OverflowError, IndexError)


class Worker:
    """A thread that does what it is handed, one thing after the other."""

    def __init__(self):
        self.asked, self.done = queue.SimpleQueue(), queue.SimpleQueue()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        while body := self.asked.get():
            try:
                self.done.put((body(), None))
            except ERRORS as error:
                self.done.put((None, error))
            del body

    def do(self, body):
        self.asked.put(body)
        made, error = self.done.get()
        try:
            if error:
                raise error
            return made
        finally:
            del error  # its traceback has this frame, and arrays would live until a collection

    def end(self):
        self.asked.put(None)
        self.thread.join()


class Program:
    """The same steps for the same seed, whether calls wait or not."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.shapes = LARGE if seed % 5 == 4 else SHAPES
        self.has_streams, self.has_threads = seed % 2 == 0, seed % 4 == 0
        self.streams = [tn.cuda.Stream() for _ in range(2)]
        self.devices = range(min(tn.cuda.runtime.getDeviceCount(), 2) if seed % 3 == 0 else 1)
        self.workers = [Worker() for _ in range(2 if self.has_threads else 0)]
        self.pool = tn.get_default_memory_pool()
        self.used = self.pool.used_bytes()
        self.seen = []
        self.arrays = []
        for _ in range(4):
            self.make()

    def kinds(self):
        kinds = [self.compute] * 8 + [self.reduce] * 3 + [self.view] * 3 + [self.write] * 4 + [self.write_view] * 2
        kinds += [self.convert] * 2 + [self.combine, self.look, self.alias, self.move]
        kinds += [self.drop] * 3 + [self.on_stream] * self.has_streams
        return kinds + [self.in_thread] * 3 * self.has_threads + [self.count] * (not self.has_streams)

    def run(self):
        kinds = self.kinds()
        try:
            for _ in range(STEPS):
                self.step(self.random.choice(kinds))
                while len(self.arrays) > MOST_ARRAYS:
                    self.drop()
            return self.seen + [array.get() for array in self.arrays]
        finally:
            for worker in self.workers:
                worker.end()
            for stream in self.streams:
                stream.synchronize()  # it may still use arrays that were dropped

    def step(self, kind):
        a, b = self.random.choice(self.arrays), self.random.choice(self.arrays)
        try:
            kind(a, b if max(a.size, 1) * max(b.size, 1) <= MOST_PRODUCT or a.shape == b.shape else a)
        except ERRORS as error:
            self.seen.append(f"{type(error).__name__}: {error}")

    def make(self):
        values = self.numbers.integers(-4, 5, self.random.choice(self.shapes))
        dtype = self.random.choice(DTYPES)
        if dtype in ("f4", "f8", "f2"):
            values = values + self.numbers.random(values.shape)
        array = tn.asarray(np.asarray(values).astype(dtype))
        self.arrays.append(tn.asfortranarray(array) if array.ndim > 1 and self.random.random() < 0.2 else array)

    def compute(self, a, b):
        if self.random.random() < 0.3:
            made = getattr(tn, self.random.choice(UNARY))(a)
        elif self.random.random() < 0.4:
            made = getattr(tn, self.random.choice(BINARY))(a, self.random.choice([2, -1, 3, 0.5, True]))
        else:
            made = getattr(tn, self.random.choice(BINARY))(a, b)
        self.arrays.extend(made if isinstance(made, tuple) else [made])

    def combine(self, a, b):
        way = self.random.randrange(5)
        if way == 0:
            made = tn.where(a > 0, a, b)
        elif way == 1:
            made = a.clip(-1, 2)
        elif way == 2:
            made = tn.concatenate([a.ravel(), b.ravel()])[:500]
        elif way == 3:
            made = tn.cumsum(a, axis=-1 if a.ndim else None)
        else:
            made = a[a > 0]
        self.arrays.append(made)

    def reduce(self, a, _):
        name, axis = self.random.choice(REDUCTIONS), self.random.choice([None, 0, -1])
        options = {} if name == "argmax" else {"keepdims": self.random.random() < 0.5}
        made = getattr(a, name)(axis=axis if a.ndim else None, **options)
        self.arrays.append(made)
        if a.ndim > 1 and axis == -1 and self.random.random() < 0.5:
            self.arrays.append(a - (made if options.get("keepdims") else made[..., None]))

    def show(self, a):
        views = [lambda: a.T, lambda: a[1:], lambda: a[..., ::2], lambda: a[None], lambda: a.reshape(-1)]
        views += [lambda: a[..., None], lambda: a[1:-1], lambda: a.reshape(a.shape[0], -1), lambda: a[::-1]]
        views += [lambda: tn.broadcast_to(a, (2, *a.shape)), lambda: a.real, lambda: a.imag, lambda: a[..., 0]]
        views += [lambda: a.view("u1"), lambda: tn.swapaxes(a, 0, -1)]
        return self.random.choice(views)() if 0 < a.ndim < 4 else a

    def view(self, a, _):
        self.arrays.append(self.show(a))

    def write(self, a, b):
        way = self.random.randrange(7)
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
        elif way == 5:
            b.sum(axis=0 if b.ndim else None, out=a)
        elif a.ndim:
            a[1:] = a[:-1]

    def write_view(self, a, b):
        """Through a view that goes at once, or stays."""
        shown = self.show(a)
        shown[...] = self.random.choice([2, b, shown + 1])
        if self.random.random() < 0.3:
            self.arrays.append(shown)

    def convert(self, a, _):
        self.arrays.append(a.astype(self.random.choice(DTYPES), order=self.random.choice("CFKA")))

    def alias(self, a, b):
        self.arrays.append(self.random.choice([a, a[...], b.copy(), tn.zeros_like(a), tn.full_like(b, 2)]))

    def move(self, a, _):
        with tn.cuda.Device(self.random.choice(self.devices)):
            self.arrays.append(tn.asarray(a) * 2)

    def look(self, a, _):
        self.seen.append(a.get() if self.random.random() < 0.7 else str(a[..., :1]))

    def count(self, *_):
        self.seen.append(self.pool.used_bytes() - self.used)

    def on_stream(self, a, _):
        with self.random.choice(self.streams):
            self.arrays.append(a + a)

    def in_thread(self, a, b):
        """Another thread reads, or writes, what this one may not have computed."""
        body = self.random.choice(
            [lambda: tn.multiply(a, b), lambda: a.sum(axis=0 if a.ndim else None), lambda: tn.negative(a, out=a)]
        )
        self.arrays.append(self.random.choice(self.workers).do(body))

    def drop(self, *_):
        self.arrays.pop(self.random.randrange(len(self.arrays)))
        if len(self.arrays) < 3:
            self.make()


def assert_same(eager, waiting):
    assert len(eager) == len(waiting)
    for one, other in zip(eager, waiting, strict=True):
        if isinstance(one, str | int):
            assert one == other
            continue
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if one.dtype.kind in "fc":  # any NaN is as good as another
            np.testing.assert_array_equal(np.isnan(one), np.isnan(other))
            one, other = np.nan_to_num(one, nan=7), np.nan_to_num(other, nan=7)
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.filterwarnings("ignore")
def test_programs(part, waits):
    before = _core._backlog_figures()["joined"]
    for seed in range(part, PROGRAMS, PARTS):
        waits(False)
        eager = Program(seed).run()
        waits(True)
        try:
            assert_same(eager, Program(seed).run())
        except BaseException as error:
            error.add_note(f"program {seed}")
            raise
    assert _core._backlog_figures()["joined"] > before
