"""Random programs of views, broadcasts and in-place writes on Tenorite and NumPy, step by step.

A program begins with one array and runs a handful of steps; each step makes a view, writes through
one, or computes. After every step all arrays that the program holds must be equal: so a write
through a view must be seen in its base, and nowhere else. TENORITE_PROGRAMS sets the number of
programs: fewer by default on a GPU, where most layouts are a kernel of their own to compile.
"""

import os

import numpy as np
import pytest
import tenorite as tn
from generator import ON_GPU
from hypothesis import HealthCheck, given, settings, strategies as st
from oracle import quiet, value_error

pytestmark = pytest.mark.quick

PROGRAMS = int(os.environ.get("TENORITE_PROGRAMS", "200" if ON_GPU else "2000"))
DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int16",
    "int32",
    "uint32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]

shapes = st.lists(st.integers(0, 5), max_size=4).map(tuple)


@st.composite
def basic_indexes(draw, shape):
    """Integers, slices of any step, newaxis and an ellipsis, now and then one too many."""
    items = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        kind = draw(st.sampled_from("isssn"))
        if kind == "n":
            items.append(None)
        elif kind == "i":
            items.append(draw(st.integers(-size - (size == 0), max(size - 1, 0))))
        else:
            bound = st.one_of(st.none(), st.integers(-size - 2, size + 2))
            step = draw(st.sampled_from([None, 1, 2, 3, -1, -2]))
            items.append(slice(draw(bound), draw(bound), step))
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), Ellipsis)
    return tuple(items)


def diagonal_to_write(module, array, offset, axis1, axis2):
    """A diagonal that can be written where the array can, as ours is; NumPy's starts read-only."""
    result = array.diagonal(offset, axis1, axis2)
    if module is np:
        result.flags.writeable = array.flags.writeable
    return result


@st.composite
def view_steps(draw, shape):
    """(text, function) that makes a view of an array of this shape, or a copy; the same on both."""
    ndim = len(shape)
    kind = draw(
        st.sampled_from(
            [
                "index",
                "index",
                "index",
                "transpose",
                "swapaxes",
                "reshape",
                "ravel",
                "squeeze",
                "expand",
                "broadcast",
                "flip",
                "real",
                "diagonal",
                "moveaxis",
                "view",
            ]
        )
    )
    if kind == "index":
        index = draw(basic_indexes(shape))
        return f"[{index}]", lambda m, a: a[index]
    if kind == "transpose":
        axes = draw(st.permutations(range(ndim)))
        return f"transpose {axes}", lambda m, a: a.transpose(tuple(axes))
    if kind in ("swapaxes", "moveaxis", "diagonal") and ndim >= 2:
        one, two = draw(st.integers(-ndim, ndim - 1)), draw(st.integers(-ndim, ndim - 1))
        call = {
            "swapaxes": lambda m, a: a.swapaxes(one, two),
            "moveaxis": lambda m, a: m.moveaxis(a, one, two),
            "diagonal": lambda m, a: diagonal_to_write(m, a, draw_offset, one, two),
        }[kind]
        draw_offset = draw(st.integers(-2, 2))
        return f"{kind} {one} {two}", call
    if kind == "reshape":
        order = draw(st.sampled_from("CFA"))
        to = (-1, *shape[1:]) if ndim and 0 not in shape else (int(np.prod(shape, dtype=int)),)
        to = draw(st.sampled_from([to, to[::-1], (-1,)]))
        return f"reshape {to} {order}", lambda m, a: a.reshape(to, order=order)
    if kind == "ravel":
        order = draw(st.sampled_from("CFA"))
        return f"ravel {order}", lambda m, a: a.ravel(order)
    if kind == "expand":
        axis = draw(st.integers(-ndim - 1, ndim))
        return f"expand {axis}", lambda m, a: m.expand_dims(a, axis)
    if kind == "broadcast":
        lead = draw(st.lists(st.integers(1, 3), max_size=2))
        to = (*lead, *(draw(st.integers(1, 4)) if n == 1 else n for n in shape))
        return f"broadcast {to}", lambda m, a: m.broadcast_to(a, to)
    if kind == "flip":
        return "flip", lambda m, a: m.flip(a)
    if kind == "real":
        return "real", lambda m, a: a.real
    if kind == "view":
        return "view", lambda m, a: a.view()
    return "squeeze", lambda m, a: a.squeeze()


@st.composite
def values(draw):
    return draw(st.sampled_from([0, 1, 3, True, 2.5, -1]))


class Program:
    """The same arrays on both sides, by number."""

    def __init__(self, host):
        self.theirs, self.ours, self.log = [host], [tn.array(host)], [f"a0 = {host.shape} {host.dtype}"]

    def step(self, text, call):
        """Runs a step on both; a result that is an array is kept."""
        self.log.append(text)
        results, errors = [], []
        for module, arrays in ((np, self.theirs), (tn, self.ours)):
            try:
                with quiet():
                    result = call(module, arrays)
                    tn.cuda.get_current_stream().synchronize()  # a GPU reports wrong indexes here
                results.append(result)
                errors.append(None)
            except Exception as error:
                results.append(None)
                errors.append(error)
        expected, raised = errors
        assert (expected is None) == (raised is None), self.tell(f"{raised!r} for {expected!r}")
        # Of several wrong things either may be reported, so errors only must come together.
        if isinstance(results[1], tn.ndarray):
            self.theirs.append(np.asarray(results[0]))
            # NumPy's scalars share no memory; our 0-d arrays do.
            scalar = isinstance(results[0], np.generic)
            self.ours.append(results[1].copy() if scalar else results[1])
        self.compare()

    def compare(self):
        for k, (theirs, ours) in enumerate(zip(self.theirs, self.ours)):
            assert ours.dtype == theirs.dtype and ours.shape == theirs.shape, self.tell(
                f"a{k} is {ours.dtype}{ours.shape} for {theirs.dtype}{theirs.shape}"
            )
            text = theirs.size and value_error(ours.get(), theirs, 2, zero_sign=False)
            assert not text, self.tell(f"a{k}: {text}")

    def tell(self, text):
        return "\n".join([*self.log, text])


def run_step(data, program):
    k = data.draw(st.integers(0, len(program.ours) - 1))
    other = data.draw(st.integers(0, len(program.ours) - 1))
    shape = program.theirs[k].shape
    kind = data.draw(
        st.sampled_from(
            [
                "view",
                "view",
                "view",
                "assign",
                "assign",
                "fill",
                "in place",
                "binary",
                "copy",
                "astype",
                "sum",
                "sort",
                "take",
                "scatter",
            ]
        )
    )
    if kind == "view":
        text, make = data.draw(view_steps(shape))
        program.step(f"a{len(program.ours)} = a{k} {text}", lambda m, v: make(m, v[k]))
    elif kind == "assign":
        index = data.draw(basic_indexes(shape))
        if Ellipsis not in index and len(index) - index.count(None) == len(shape):
            index = (*index, ...)  # NumPy refuses an array of one element for one element
        program.step(f"a{k}[{index}] = a{other}", lambda m, v: v[k].__setitem__(index, v[other]))
    elif kind == "fill":
        index, value = data.draw(basic_indexes(shape)), data.draw(values())
        if np.dtype(program.theirs[k].dtype).kind in "u" and value == -1:
            value = 1
        program.step(f"a{k}[{index}] = {value}", lambda m, v: v[k].__setitem__(index, value))
    elif kind == "in place":
        name = data.draw(st.sampled_from(["add", "multiply", "maximum", "subtract"]))
        program.step(
            f"{name}(a{k}, a{other}, out=a{k})", lambda m, v: getattr(m, name)(v[k], v[other], out=v[k]) is None
        )
    elif kind == "binary":
        name = data.draw(st.sampled_from(["add", "multiply", "minimum", "less", "not_equal"]))
        program.step(f"a{len(program.ours)} = {name}(a{k}, a{other})", lambda m, v: getattr(m, name)(v[k], v[other]))
    elif kind == "copy":
        order = data.draw(st.sampled_from("CFAK"))
        program.step(f"a{len(program.ours)} = a{k}.copy({order})", lambda m, v: v[k].copy(order))
    elif kind == "astype":
        dtype = data.draw(st.sampled_from(["int64", "float64", "complex128"]))
        program.step(f"a{k}.astype({dtype})", lambda m, v: v[k].astype(dtype))
    elif kind == "sort":
        axis = data.draw(st.integers(-1, 2))
        program.step(f"a{k}.sort({axis})", lambda m, v: v[k].sort(axis, stable=True))
    elif kind in ("take", "scatter"):
        places = data.draw(st.lists(st.integers(-3, 2), max_size=4))
        # A GPU stores what is right of it.
        if kind == "scatter" and shape and tn._core._device_count("cuda"):
            places = [place for place in places if -shape[0] <= place < shape[0]]
        is_mask = data.draw(st.booleans())

        def index(m, v):
            made = v[k] > 1 if is_mask and v[k].dtype.kind != "c" else m.asarray(np.array(places, int))
            return (made, ...)

        what = "mask" if is_mask else places
        if kind == "take":
            program.step(f"a{len(program.ours)} = a{k}[{what}]", lambda m, v: v[k][index(m, v)])
        else:
            value = data.draw(st.sampled_from([0, 1, True]))
            program.step(f"a{k}[{what}] = {value}", lambda m, v: v[k].__setitem__(index(m, v), value))
    else:
        axis = data.draw(st.one_of(st.none(), st.integers(-1, 2)))
        program.step(f"a{k}.sum({axis})", lambda m, v: v[k].sum(axis))


@settings(max_examples=PROGRAMS, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), shape=shapes, dtype=st.sampled_from(DTYPES), steps=st.integers(1, 6))
def test_programs(data, shape, dtype, steps):
    size = int(np.prod(shape, dtype=int))
    host = (np.arange(size) % 7).astype(dtype).reshape(shape)
    program = Program(host)
    for _ in range(steps):
        run_step(data, program)
