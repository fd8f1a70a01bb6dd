"""Limits of graphs: a program at each limit, and one beyond, have the bits of the function unfused.

The numbers are those of the sources. What is beyond is several passes, or runs as it is; `explain`
says which.
"""

import itertools
import os
import re

import pytest
import tenorite as tn
from generator import ON_GPU
from programs import ROOT

IS_CUT = "TENORITE_DEBUG_CUTS" in os.environ
FOLDERS = ("include/tenorite", "src/forms", "src/kernel/expression", "python/ext/functions/kernels")


def limit(name):
    """The number after a constant's name in the sources; also a power of two, 1 << 14."""
    texts = (path.read_text() for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.[ch]")))
    found = next(match for text in texts if (match := re.search(rf"\b{name}(?: =)? (\d+)(?: << (\d+))?", text)))
    return int(found.group(1)) << int(found.group(2) or 0)


def vectors(count, size=50):
    return [tn.linspace(k + 1, k + 2, size) for k in range(count)]


def chain(count):
    """So many steps in turn, of one array and one scalar."""

    def function(x, y):
        for k in range(count):
            x = x * y if k % 2 else x + y
        return x

    return function, vectors(2)


def arrays(count):
    """So many inputs and outputs."""
    return operands(count - 1)


def scalars(count):
    """So many scalars of the call."""

    def function(x, *values):
        for value in values:
            x = x * value
        return x

    return function, [*vectors(1), *(1 + k / 1000 for k in range(count))]


def constants(count):
    def function(x):
        for k in range(count):
            x = x * (1 + k / 1000)
        return x

    return function, vectors(1)


def arguments(count):
    """As many arrays as a call takes, and scalars."""
    most = limit("TNI_EXPRESSION_ARRAYS")

    def function(*given):
        total = sum(given[1 : most - 1], given[0])
        for value in given[most - 1 :]:
            total = total * value
        return total

    return function, [*vectors(most - 1), *(1 + k / 1000 for k in range(count - most))]


def calls(count):
    """So many arguments, most of which are none of the graph's."""
    return lambda x, *others: x * 2 + len(others), [*vectors(1), *[None] * (count - 1)]


def operands(count):
    return lambda *arrays: sum(arrays[1:], arrays[0]), vectors(count)


def outputs(count):
    return lambda x: tuple(x + k for k in range(count)), vectors(1)


def shapes(count):
    """Arrays of so many shapes, with that of the sums."""
    return lambda *arrays: tuple(array * 2 for array in arrays), [tn.linspace(0, 1, k + 1) for k in range(count)]


def orders(count):
    """Arrays whose axes lie in so many orders beside NumPy's two."""
    ways = list(itertools.permutations(range(4)))[1:-1][:count]
    whole = tn.linspace(0, 1, 16)
    return lambda *arrays: tuple(array * 2 for array in arrays), [
        whole.reshape((2,) * 4).transpose(way) + 0 for way in ways
    ]


def nodes(count):
    """Two arrays and steps."""
    return chain(count - 2)


def folded_axes(count):
    size = (2,) * (count + 1)
    return lambda x: (x * 2).sum(axis=tuple(range(count))) + 1, [tn.linspace(0, 1, 2 ** (count + 1)).reshape(size)]


def dimensions(count):
    return lambda x: (x * 2 + x).sum(axis=-1) - x.max(axis=-1), [
        tn.linspace(0, 1, 6).reshape((1,) * (count - 2) + (2, 3))
    ]


def body_steps(count):
    """Steps that enter a fold of columns."""

    def function(x, y):
        for k in range(count):
            x = x * y if k % 2 else x - y
        return x.sum(axis=0)

    return function, [array.reshape(60, 200) for array in vectors(2, 12_000)]


def body_inputs(count):
    return lambda *arrays: sum(arrays[1:], arrays[0]).sum(axis=0), [a.reshape(60, 200) for a in vectors(count, 12_000)]


def row_folds(count):
    """Folds of rows in one pass."""

    def function(x):
        for _ in range(count):
            x = x - x.sum(axis=1, keepdims=True) * 0.01
        return x

    return function, [tn.linspace(0, 1, 20_000).reshape(40, 500)]


def stores(count):
    """Arrays that are written."""

    def function(*arrays):
        for k, array in enumerate(arrays):
            array += k
        return arrays[0] * 2

    return function, vectors(count)


def parts(count):
    """Two arrays of so many elements, which share nothing."""
    return lambda x, y: (x * 2 + 1, tn.sqrt(y) - 3), vectors(2, count)


def step_operands(count):
    """A step of so many operands: more than 4 has no operation."""
    steps = {3: lambda a, b, *_: tn.where(a > b, b, a * 2), 4: lambda a, b, c, d: tn.isclose(a, b, c, d) * a}
    return steps[count], vectors(4)


# Constants of the sources and the programs. At the limit they are one pass of the form (ANY: of one
# or more), and beyond it several (AS_IT_IS: the function runs so; ANY: fused or not).
ANY, AS_IT_IS, SEVERAL = "any", "as it is", "several"
LIMITS = {
    "steps": ("TNI_EXPRESSION_STEPS", chain, "elementwise", SEVERAL),
    "arrays": ("TNI_EXPRESSION_ARRAYS", arrays, "elementwise", SEVERAL),
    "scalars": ("TNI_EXPRESSION_SCALARS", scalars, "elementwise", SEVERAL),
    "constants": ("TNI_EXPRESSION_SCALARS", constants, "elementwise", SEVERAL),
    "arguments": ("TNI_EXPRESSION_ARGUMENTS", arguments, "elementwise", SEVERAL),
    "body steps": ("TNI_BODY_STEPS", body_steps, "fold", SEVERAL),
    "body inputs": ("TNI_BODY_INPUTS", body_inputs, "fold", SEVERAL),
    "small parts": ("SMALL_ELSEWHERE" if ON_GPU else "SMALL_ON_HOST", parts, "elementwise", SEVERAL),
    "step operands": ("TNI_EXPRESSION_FROM", step_operands, "elementwise", ANY),
    "row folds": ("TNI_ROW_FOLDS", row_folds, "rows", SEVERAL),
    "operands": ("TN_EXPRESSION_OPERANDS", operands, ANY, AS_IT_IS),
    "stores": ("TN_EXPRESSION_OPERANDS", stores, ANY, AS_IT_IS),
    "outputs": ("TN_EXPRESSION_OUTPUTS", outputs, ANY, AS_IT_IS),
    "shapes": ("TNI_SHAPES", shapes, ANY, AS_IT_IS),
    "orders": ("TNI_ORDERS", orders, ANY, AS_IT_IS),
    "axes": ("TN_EXPRESSION_AXES", folded_axes, ANY, AS_IT_IS),
    "nodes": ("MOST_NODES", nodes, ANY, AS_IT_IS),
    "call": ("MOST_ARGUMENTS", calls, ANY, ANY),
    "dimensions": ("TN_MAX_NDIM", dimensions, ANY, ANY),
}
BEYOND_ALL = {"dimensions": "no array has more dimensions", "step operands": "no operation has more operands"}


def results(function, arrays):
    """The bytes of what a call returns, and of the arrays that it may write."""
    given = [array.copy() if isinstance(array, tn.ndarray) else array for array in arrays]
    made = function(*given)
    return [
        array.tobytes() for array in (*(made if type(made) is tuple else (made,)), *given) if hasattr(array, "tobytes")
    ]


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_limit(name, beyond):
    constant, make, at, after = LIMITS[name]
    if name in BEYOND_ALL and beyond == 1:
        pytest.skip(BEYOND_ALL[name])
    function, arrays = make(limit(constant) + beyond)
    fused = tn.fuse(function)
    wanted = results(function, arrays)
    assert results(fused, arrays) == wanted
    assert results(fused, arrays) == wanted  # the plan that was kept
    told = fused.explain(*arrays)
    assert bool(told.groups) != bool(told.why)
    if beyond < 1:
        assert told.groups, told.why
        assert at == ANY or IS_CUT or [group.form for group in told.groups] == [at]
    else:
        assert after == ANY or (told.groups == () if after == AS_IT_IS else len(told.groups) > 1), told.why


@pytest.mark.skipif(IS_CUT, reason="graphs are cut at random")
@pytest.mark.parametrize("count, groups", [(200, 1), (1000, None)])
def test_chains_are_few_groups(count, groups):
    """A chain is cut where its call is full, and nowhere else."""
    function, arrays = chain(count)
    told = tn.fuse(function).explain(*arrays)
    assert len(told.groups) == groups if groups else 3 < len(told.groups) < 7
    assert sum(len(group.operations) for group in told.groups) == count


@pytest.mark.skipif(IS_CUT, reason="graphs are cut at random")
def test_only_what_is_full_is_divided():
    """More products than a call writes, and a long chain that has nothing to do with them."""

    def function(x, y, *values):
        total = sum([x * value for value in values[1:]], x * values[0])
        for k in range(200):
            y = y * 0.5 + k % 3
        return total, y

    given = [tn.linspace(1, 2, 50), tn.linspace(1, 2, 7000), *(1 + k / 1000 for k in range(62))]
    told = tn.fuse(function).explain(*given)
    assert results(tn.fuse(function), given) == results(function, given)
    assert max(len(group.operations) for group in told.groups) > 200
    assert len(told.groups) < 20


def test_patterns_of_answers():
    """Beyond a number of plans for one pattern the function runs as it is."""
    fused = tn.fuse(lambda x, k: x * 2 if k > 3 else x + int(k))
    x = tn.arange(5.0)
    for _ in range(2):
        for k in range(12):
            assert fused(x, k).tobytes() == (x * 2 if k > 3 else x + k).tobytes()
