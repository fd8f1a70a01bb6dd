"""What ``fuse(...).explain(*args)`` gives: groups, what they cost, and why a graph was cut."""

import typing

import numpy


class Operation(typing.NamedTuple):
    """An operation of a group, or a reduction."""

    name: str  # a ufunc's, a reduction's or "copy": a conversion
    dtype: numpy.dtype  # of what it makes


class Cost(typing.NamedTuple):
    """What launches cost; bytes are those of the arrays, each element once a launch."""

    launches: int
    bytes_read: int
    bytes_written: int


class Group(typing.NamedTuple):
    """Operations that run together."""

    form: str  # "elementwise", "fold", "rows" or "copy"
    shape: tuple  # of what is computed over; of a fold, of what is folded
    operations: tuple  # of Operation, in the order in which they are computed
    launches: int
    bytes_read: int
    bytes_written: int
    registers: int  # of a thread, the most of the kernels; on the host 0
    why: str  # why the group begins where it does


class Explanation(typing.NamedTuple):
    """How a call of a fused function runs. As text, ``str(explanation)``, it is to be read."""

    groups: tuple  # of Group, in the order in which they run; none where the function is not fused
    cost: Cost | None  # of all groups; None where the function is not fused
    unfused: Cost | None  # of the same operations and reductions one by one
    why: str  # why the function runs as it is; "" where it is fused
    text: str

    def __str__(self):
        return self.text


def of_call(groups, cost, unfused, text):
    """The explanation that the extension has made."""
    made = [
        Group(form, shape, tuple(Operation(*one) for one in operations), *rest)
        for form, shape, operations, *rest in groups
    ]
    return Explanation(tuple(made), Cost(*cost), Cost(*unfused), "", text)


def of_unfused(why):
    """The explanation of a function that runs as it is."""
    sentence = f"The function runs as it is, operation by operation: {why}."
    return Explanation((), None, None, sentence, sentence + "\n")
