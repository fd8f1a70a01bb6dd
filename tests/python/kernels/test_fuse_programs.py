"""Programs of a hundred nodes: fused and unfused results are equal, bit for bit.

Reductions stand in the middle and are read again along their rows and columns, stores are to arrays
that overlap others, arguments are views of each other, scalars are of all kinds, as arguments and
as constants. A program is made of a seed and a length: a shorter one is its beginning, so that
hypothesis finds the shortest that fails. TENORITE_FUSED_PROGRAMS sets the number of programs.
"""

import os
import warnings

import numpy as np
import tenorite as tn
from generator import ON_GPU
from hypothesis import given, settings, strategies as st
from oracle import bits

PROGRAMS = int(os.environ.get("TENORITE_FUSED_PROGRAMS", "30" if ON_GPU else "60"))
UNARY = ("tanh", "sqrt", "negative", "absolute", "floor", "sign", "square", "exp", "sin", "rint")
FLOATS = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "hypot", "arctan2")
WHOLE = ("add", "subtract", "multiply", "maximum", "minimum", "bitwise_xor", "bitwise_and", "remainder", "floor_divide")
TARGETS = ((), (2, 3, 6, 7, 8), range(9))  # of stores: none, arrays that overlap no other, all
COMPARISONS = ("less", "greater_equal", "not_equal")
VIEWS = {  # of few shapes, which go together
    "reversed": lambda x: x[::-1],
    "mirrored": lambda x: x[..., ::-1],
    "first": lambda x: x[:1],
    "column": lambda x: x[..., 1:2],
    "turned twice": lambda x: x.T[..., ::-1].T,
    "axis": lambda x: x[0][None],
    "one": lambda x: x[..., -1:][-1:].reshape(-1),
    "stacked": lambda x: x[None, ..., None, ::-1][0, ..., 0, :],
}
FOLDS = ("sum", "max", "min", "mean", "var", "std", "any", "all", "prod")
SCALARS = [True, 3, -2, 0.5, np.float16(0.75), np.float32(1.5), np.float64(-0.25)]
SCALARS += [np.int8(5), np.int64(-7), np.uint16(9), np.uint64(11), np.bool_(True)]
SCALARS += [1j, np.complex64(0.5 - 1j), np.complex128(-0.75 + 0.25j)]


def arguments(rng):
    """Arrays, some of which show parts of others, and scalars."""
    rows, columns = (int(rng.choice(sizes)) for sizes in ((1, 3, 20, 70), (1, 2, 7, 65, 300)))
    kinds = rng.choice(list("ffddehiB"), 3)
    whole = tn.asarray((rng.random((rows + 2, columns + 1)) * 4 - 1).astype("f"))
    made = [whole[1:-1, 1:]]
    made += [tn.asarray((rng.random((rows, columns)) * 5).astype(kind)) for kind in kinds]
    made.append([whole[2:, 1:], whole[:-2, :-1], whole[1:-1, 1:][::-1]][rng.integers(3)])
    made.append(made[1][::-1])
    made.append(tn.asarray(rng.random((columns, rows)).astype("d")).T)
    made.append(tn.asarray(rng.random(columns).astype("f")))
    made.append(tn.asarray(rng.random((rows, 1)).astype("d")))
    scalars = [SCALARS[k] for k in rng.choice(len(SCALARS), 4)]
    return made, scalars


def is_whole(*values):
    return all(value.dtype.kind in "iu" for value in values if isinstance(value, tn.ndarray))


class Maker:
    """Instructions, made while they are done: each is a kind and numbers of values."""

    def __init__(self, rng, arrays, scalars):
        self.rng, self.scalars = rng, scalars
        self.targets = TARGETS[rng.integers(3)]
        self.values = list(arrays)
        self.program = []

    def pick(self):
        """Late values are read more often than early ones."""
        count = len(self.values)
        if self.rng.random() < 0.3:
            return int(self.rng.integers(count))
        return int(count - 1 - min(self.rng.geometric(0.12) - 1, count - 1))

    def add(self):
        rng = self.rng
        a, b, c = self.pick(), self.pick(), self.pick()
        x, y = self.values[a], self.values[b]
        binary = rng.choice(WHOLE if is_whole(x, y) else FLOATS)
        target = int(rng.choice(self.targets)) if self.targets else 0
        kind = rng.choice(
            ["unary", "binary", "scalar", "argument", "where", "fold", "store", "in place", "cast", "view", "part"],
            p=[0.14, 0.31, 0.12, 0.1, 0.06, 0.1, 0.03, 0.04, 0.04, 0.04, 0.02],
        )
        step = {
            "unary": ("unary", str(rng.choice(UNARY)), a),
            "binary": ("binary", str(rng.choice(COMPARISONS) if rng.random() < 0.1 else binary), a, b),
            "scalar": ("scalar", str(rng.choice(FLOATS)), a, SCALARS[rng.integers(len(SCALARS))]),
            "argument": ("argument", str(rng.choice(FLOATS)), a, int(rng.integers(len(self.scalars)))),
            "where": ("where", a, b, c),
            "fold": ("fold", str(rng.choice(FOLDS)), a, int(rng.choice([-1, -1, 0]))),
            "store": ("store", target, a),
            "in place": ("in place", str(rng.choice(FLOATS[:3])), target, a),
            "cast": ("cast", a, str(rng.choice(list("fdhe")))),
            "view": ("view", a, str(rng.choice(list(VIEWS)))),
            "part": ("part", target if rng.random() < 0.5 else c, str(rng.choice(list(VIEWS))), a),
        }[str(kind)]
        before = len(self.values)
        if step[0] in ("store", "in place", "part") and not self.targets:
            return
        if step[0] in ("store", "part"):  # axes of size 1 before those of the array are not traced
            to = self.values[step[1]]
            if x.ndim > (to if step[0] == "store" else VIEWS[step[2]](to)).ndim:
                return
        if self.drops_imaginary(step):
            return
        try:
            do(step, self.values, self.scalars)
        except Exception:
            del self.values[before:]  # shapes or dtypes that don't go together
            return
        self.program.append(step)

    def drops_imaginary(self, step):
        """Whether it makes real numbers of complex ones, which warns."""
        kind, *rest = step
        if kind == "cast":
            return self.values[rest[0]].dtype.kind == "c"
        if kind not in ("store", "in place", "part"):
            return False
        to, value = (rest[1], rest[2]) if kind == "in place" else (rest[0], rest[-1])
        return self.values[value].dtype.kind == "c" != self.values[to].dtype.kind


def do(step, values, scalars):
    kind, *rest = step
    if kind == "unary":
        values.append(getattr(tn, rest[0])(values[rest[1]]))
    elif kind == "binary":
        values.append(getattr(tn, rest[0])(values[rest[1]], values[rest[2]]))
    elif kind == "scalar":
        values.append(getattr(tn, rest[0])(values[rest[1]], rest[2]))
    elif kind == "argument":
        values.append(getattr(tn, rest[0])(values[rest[1]], scalars[rest[2]]))
    elif kind == "where":
        values.append(tn.where(values[rest[0]] > 0, values[rest[1]], values[rest[2]]))
    elif kind == "fold":
        x = values[rest[1]]
        values.append(getattr(tn, rest[0])(x, axis=rest[2] if x.ndim else None, keepdims=True))
    elif kind == "store":
        values[rest[0]][...] = values[rest[1]]
    elif kind == "in place":
        x = values[rest[1]]
        if rest[0] == "add":
            x += values[rest[2]]
        elif rest[0] == "subtract":
            x -= values[rest[2]]
        else:
            x *= values[rest[2]]
    elif kind == "view":
        values.append(VIEWS[rest[1]](values[rest[0]]))
    elif kind == "part":
        VIEWS[rest[1]](values[rest[0]])[...] = values[rest[2]]
    else:
        values.append(values[rest[0]].astype(rest[1]))


def run(program, returned, arrays, scalars):
    values = list(arrays)
    for step in program:
        do(step, values, scalars)
    return tuple(values[k] for k in returned)


def outcome(function, seed):
    """The bytes of what a call returns and of its arrays afterwards."""
    arrays, scalars = arguments(np.random.default_rng(seed))
    returned = function(*arrays, *scalars)
    return [bits(value) for value in (*returned, *arrays)]


@settings(max_examples=PROGRAMS, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(80, 120))
def test_programs(seed, length):
    rng = np.random.default_rng(seed + 1)
    arrays, scalars = arguments(np.random.default_rng(seed))
    count = len(arrays)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        maker = Maker(rng, arrays, scalars)
        while len(maker.program) < length:
            maker.add()
        made = range(count, len(maker.values))
        returned = sorted({int(k) for k in rng.choice(made, 8)} | {made[-1]})

        def function(*values):
            return run(maker.program, returned, values[:count], values[count:])

        wanted = outcome(function, seed)
        fused = tn.fuse(function)
        assert outcome(fused, seed) == wanted
        assert outcome(fused, seed) == wanted  # with the plan that was kept
        told = fused.explain(*arrays, *scalars)
        assert told.groups, told.why


def test_a_fold_after_a_store_that_overlaps():
    """What is folded was computed of the array as it was before the store."""

    def function(a, b, reversed_a):
        made = reversed_a * b
        reversed_a *= made
        return made.mean(axis=-1)

    def outcome(function):
        a = tn.linspace(1, 2, 21_000).reshape(70, 300)
        made = function(a, tn.full((70, 300), 0.5, "f"), a[::-1])
        return bits(made), bits(a)

    assert outcome(tn.fuse(function)) == outcome(function)
