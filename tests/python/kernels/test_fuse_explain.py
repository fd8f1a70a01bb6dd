"""fuse(...).explain(*args): groups, what they cost, and why a graph was cut."""

import os

import numpy as np
import pytest
import tenorite as tn
from generator import ON_GPU

pytestmark = pytest.mark.skipif("TENORITE_DEBUG_CUTS" in os.environ, reason="graphs are cut at random")


def softmax(x):
    e = tn.exp(x - tn.max(x, axis=-1, keepdims=True))
    return e / tn.sum(e, axis=-1, keepdims=True)


def names(group):
    return [operation.name for operation in group.operations]


def test_rows():
    told = tn.fuse(softmax).explain(tn.ones((1000, 300), "f"))
    assert [group.form for group in told.groups] == ["rows"] and told.why == ""
    group = told.groups[0]
    assert names(group) == ["max", "subtract", "exp", "sum", "divide"]
    assert {operation.dtype for operation in group.operations} == {np.dtype("f")}
    assert group.shape == (1000, 300) and group.why == "The graph begins here."
    assert (group.bytes_read, group.bytes_written, group.launches) == (1_200_000, 1_200_000, 1)
    assert told.cost == (1, 1_200_000, 1_200_000)
    assert told.unfused == (5, 6_004_000 + 4_000, 3_604_000 + 4_000)
    assert group.registers > 0 if ON_GPU else group.registers == 0
    assert str(told).startswith("1 group, 1 launch, 1.2 MB read, 1.2 MB written; unfused 5 launches")


def test_cuts():
    """Each group says why it is not one with those before it."""
    told = tn.fuse(softmax).explain(tn.ones((1000, 300), "f").T)
    whys = [group.why for group in told.groups]
    assert whys[0] == "The graph begins here."
    assert whys[1].startswith("It reads the max of group 1") and "the reduced axes are not the fastest" in whys[1]
    if ON_GPU:  # a fold takes what is cheap to compute again
        assert [group.form for group in told.groups] == ["fold", "fold", "elementwise"]
        assert whys[2].startswith("It reads the sum of group 2")
    else:
        assert [group.form for group in told.groups] == ["fold", "elementwise", "fold", "elementwise"]
        assert whys[2] == "Its fold does not take the operations of group 2: others read what they make, too."
        assert whys[3].startswith("It reads the sum of group 3")


def test_folds():
    told = tn.fuse(lambda a, b: ((a - b) ** 2).sum(axis=0)).explain(tn.ones((300, 400)), tn.ones((300, 400)))
    assert [(group.form, names(group)) for group in told.groups] == [("fold", ["subtract", "square", "sum"])]
    assert told.groups[0].bytes_written == 3200
    small = tn.fuse(lambda a: (a + 1).sum(axis=0)).explain(tn.ones((3, 4)))
    if not ON_GPU:
        assert "so few elements cost less in two calls" in small.groups[-1].why


def test_broadcast_and_full():
    told = tn.fuse(lambda a, b: (a * 2) + b).explain(tn.ones(300), tn.ones((200, 1)))
    assert [group.shape for group in told.groups] == [(300,), (200, 300)]
    assert told.groups[1].why == "Its shape is (200,300), and that of group 1, which it reads, (300,)."
    assert told.groups[1].bytes_read == 8 * 500
    many = tn.fuse(lambda *arrays: sum(arrays)).explain(*[tn.ones(50)] * 32)
    assert "is full: one call has" in many.groups[-1].why and len(many.groups) > 1


def test_stores():
    """Arrays have their contents back; overlapping ones say that they cut."""

    @tn.fuse
    def step(a, b, scale):
        a += b * scale
        b[...] = a
        return a.sum()

    a, b = tn.arange(50_000.0), tn.ones(50_000)
    told = step.explain(a, b, 2.5)
    assert (a == tn.arange(50_000.0)).all() and (b == 1).all()
    assert {group.form for group in told.groups} == {"elementwise", "fold"}
    whole = tn.arange(50_001.0)
    told = step.explain(whole[1:], whole[:-1], 2.5)
    assert (whole == tn.arange(50_001.0)).all()
    whys = {group.form: group.why for group in told.groups}
    assert whys["copy"] == "An array that is stored to overlaps another one, so the store runs by itself."
    assert any(group.why.startswith("It comes after a store to an array") for group in told.groups)


@pytest.mark.parametrize(
    "function, why",
    [
        (lambda x: x @ x, "a product of matrices can't be traced"),
        (lambda x: x + 1 if x.sum() > 3 else x, "the truth of an array's element can't be traced"),
        (lambda x: tn.sort(x), "can't be traced"),
        (lambda x: x.trace(), "the attribute 'trace' of an array can't be traced"),
        (lambda x: x[x > 0], "an index can't be traced"),
        (lambda x: [x + 1], "a result of type list can't be traced"),
        (lambda x: x + np.ones(3), "can't be traced"),
        (lambda x: 1 / 0, "ZeroDivisionError was raised"),
        (lambda x: x + x.sum(axis=5), "axis 5 is out of bounds"),
    ],
)
def test_unfused(function, why):
    told = tn.fuse(function).explain(tn.ones((3, 3)))
    assert told.groups == () and told.cost is None and told.unfused is None
    assert why in told.why and told.why.startswith("The function runs as it is")
    assert str(told) == told.why + "\n"


def test_arguments():
    told = tn.fuse(lambda x: x + 1).explain(3)
    assert "no argument is an array" in told.why
    told = tn.fuse(lambda x, y: x + y).explain(tn.ones(3), tn.ones(4))
    assert "could not be broadcast together" in told.why
    # Arithmetic on scalars is Python's.
    told = tn.fuse(lambda x, y, z: x * (y + 1)).explain(tn.ones(3), 2, None)
    assert names(told.groups[0]) == ["multiply"]
    assert tn.fuse(lambda x: x + 1).explain(tn.ones((0, 3))).groups == ()


def test_call_and_explanation_are_one():
    """Explaining makes no plan, and a call afterwards has its result."""
    fused = tn.fuse(softmax)
    x = tn.linspace(0, 1, 6000).reshape(20, 300)
    before = str(fused.explain(x))
    assert fused(x).tobytes() == softmax(x).tobytes()
    assert str(fused.explain(x)) == before
