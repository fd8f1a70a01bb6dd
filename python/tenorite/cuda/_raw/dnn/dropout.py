"""Dropout: a generator of our own, whose state is two words on the device.

The state is a seed and how many numbers were drawn. Number k is the k-th of SplitMix64 (G. Steele,
D. Lea, C. Flood, Fast splittable pseudorandom number generators, 2014) from that seed, so that
masks are the same on all backends, no call waits, and a copy of the state brings the masks back.
These functions serve where cuDNN is installed, too.
"""

import numpy

import tenorite
from tenorite.cuda._raw.dnn.descriptors import REGISTRY, check, flat, tensor

STATE_SIZE = 16  # bytes
_ROW = numpy.uint64(1 << 16)  # numbers that are counted by one array, so that no larger one is made
_GAMMA = numpy.uint64(0x9E3779B97F4A7C15)
_SPREAD = numpy.uint64(0xBF58476D1CE4E5B9), numpy.uint64(0x94D049BB133111EB)


def _mixed(z):
    z = (z ^ (z >> 30)) * _SPREAD[0]
    z = (z ^ (z >> 27)) * _SPREAD[1]
    return z ^ (z >> 31)


@tenorite.fuse
def _kept(row, place, seed, drawn, least):
    """Whether each number is at least `least`, of 2**53."""
    return (_mixed(seed + (row * _ROW + place + drawn) * _GAMMA) >> 11) >= least


def start(state, seed):
    """Begins a generator in an array of two uint64."""
    with numpy.errstate(over="ignore"):
        first = int(_mixed(numpy.uint64(int(seed) % 2**64) + _GAMMA))
    state[...] = tenorite.asarray([first, 1], dtype="uint64")


def draw(state, shape, ratio):
    """An array of bool: False for a share of about `ratio`; the generator moves on."""
    size = int(numpy.prod(shape, dtype=int))
    rows, places = -(-size // int(_ROW)), min(size, int(_ROW))
    row, place = tenorite.arange(rows, dtype="uint64")[:, None], tenorite.arange(places, dtype="uint64")
    found = _kept(row, place, state[0], state[1], numpy.uint64(round(ratio * 2**53)))
    found = found.ravel()[:size].reshape(shape)
    state[1:] += numpy.uint64(size)
    return found


def scale(ratio):
    """What remains is multiplied by this."""
    return 1 / (1 - ratio) if ratio < 1 else 0.0


@tenorite.fuse
def _apply(x, keeps, factor, y):
    y[...] = tenorite.where(keeps, x * factor, 0)


class Dropout:
    """Fields of a dropout descriptor; `states` 0: there is no generator."""

    ratio, states, device = 0.0, 0, None

    def array(self):
        """The generator's state."""
        check(self.states, "the dropout descriptor has no states", "BAD_PARAM_NULL_POINTER")
        current = tenorite.cuda.Device()
        check(self.device == current, f"the dropout states lie on {self.device}, the arrays on {current}")
        return flat("uint64", STATE_SIZE // 8, self.states, "the dropout states")

    def apply(self, x, keeps, y):
        """Writes what remains of `x` to `y`, and 0 elsewhere."""
        _apply(x, keeps, scale(self.ratio), y)


def _set(desc, handle, ratio, states, size, seed):
    found = REGISTRY.find(desc, Dropout)
    check(0 <= ratio <= 1, f"a dropout ratio of {ratio} is not from 0 to 1")
    if states:
        check(size >= STATE_SIZE, f"{size} bytes of dropout states, not {STATE_SIZE}", "BAD_PARAM_SIZE_INSUFFICIENT")
        found.states, found.device = states, tenorite.cuda.Device()
        start(found.array(), seed)
    found.ratio = ratio


def _pass(desc, x_desc, x, y_desc, y, reserve, size):
    """The descriptor, the arrays, and that of which elements remain."""
    given, made = tensor(x_desc), tensor(y_desc)
    check(
        (given.number, given.shape) == (made.number, made.shape),
        f"tensors of {given.dtype} {given.shape} and {made.dtype} {made.shape} differ",
        "BAD_PARAM_SHAPE_MISMATCH",
    )
    count = numpy.prod(given.shape, dtype=int)
    check(size >= count, f"{size} bytes of reserve space, not {count}", "BAD_PARAM_SIZE_INSUFFICIENT")
    keeps = flat("bool", count, reserve, "the reserve space").reshape(given.shape)
    return REGISTRY.find(desc, Dropout), given.over(x), made.over(y), keeps


def _forward(handle, desc, *of):
    found, x, y, keeps = _pass(desc, *of)
    keeps[...] = draw(found.array(), x.shape, found.ratio)
    found.apply(x, keeps, y)


def _backward(handle, desc, *of):
    found, dy, dx, keeps = _pass(desc, *of)
    found.apply(dy, keeps, dx)


FUNCTIONS = {
    "createDropoutDescriptor": lambda: REGISTRY.keep(Dropout()),
    "destroyDropoutDescriptor": lambda desc: REGISTRY.drop(desc, Dropout),
    "setDropoutDescriptor": _set,
    "dropoutGetStatesSize": lambda handle: STATE_SIZE,
    "getDropoutReserveSpaceSize": lambda desc: int(numpy.prod(tensor(desc).shape, dtype=int)),
    "dropoutForward": _forward,
    "dropoutBackward": _backward,
}
