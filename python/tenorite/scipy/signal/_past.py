"""States of filters as CuPy's programs give them: the last inputs and then the last outputs before
the first element, oldest first along an axis. SciPy's states are fewer, the sums that these leave
in the transposed direct form II."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of
from tenorite._numpy.rearranging import moveaxis
from tenorite._numpy.shapes import broadcast_to
from tenorite.scipy.signal._axes import cut


def sums_of(coefficients, past):
    """What past values add to the next outputs, for coefficients 1, 2, ...: (..., order)."""
    order = coefficients.size
    newest_first = past[..., ::-1]
    parts = [(coefficients[k:] * newest_first[..., : order - k]).sum(axis=-1) for k in range(order)]
    return _core.stack(parts, axis=-1) if parts else past


def states_of(b, a, past, axis):
    """SciPy's states for coefficients of any ``a[0]``, and a past along an axis."""
    b, a, past = as_array_of(b / a[0]), as_array_of(a / a[0]), moveaxis(past, axis, -1)
    inputs, outputs = b.size - 1, a.size - 1
    dtype = numpy.result_type(b.dtype, a.dtype, past.dtype)
    states = _core.zeros((*past.shape[:-1], max(inputs, outputs)), dtype=dtype)
    states[..., :inputs] += sums_of(b[1:], past[..., :inputs])
    states[..., :outputs] -= sums_of(a[1:], past[..., inputs:])
    return moveaxis(states, -1, axis)


def is_past(zi, x, axis, b, a):
    """Whether initial states are a past and can't be SciPy's."""
    inputs, outputs = b.size - 1, a.size - 1
    if not inputs or not outputs or zi.ndim != x.ndim or zi.shape[axis] != inputs + outputs:
        return False
    return all(k == axis or n in (m, 1) for k, (n, m) in enumerate(zip(zi.shape, x.shape)))


def whole(past, x, axis):
    """A past for each line of `x`."""
    return broadcast_to(past, (*x.shape[:axis], past.shape[axis], *x.shape[axis + 1 :]))


def later(past, inputs, x, y, axis):
    """The past of what follows `x` and the `y` made of it; its first `inputs` are inputs."""
    parts = cut(past, 0, inputs, axis=axis), cut(past, inputs, None, axis=axis)
    made = [_core.concatenate((part, line), axis=axis) for part, line in zip(parts, (x, y))]
    last = [cut(one, one.shape[axis] - part.shape[axis], None, axis=axis) for one, part in zip(made, parts)]
    return _core.concatenate(last, axis=axis)
