"""Programs that fuse, as a user writes them: those of examples/fused.py, and three short ones."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "examples"))

import tenorite as tn
from fused import adam, black_scholes, layer_norm, softmax, twenty_steps


@tn.fuse
def chain(a, xp=tn):
    """One pass over one array."""
    return xp.sqrt(a * a + 1) * 2 - a


@tn.fuse
def squared_differences(a, b, xp=tn):
    return ((a - b) ** 2).sum()


@tn.fuse
def forty_calls(a, xp=tn):
    for _ in range(20):
        a = xp.sqrt(a * a + 1)
    return a


# Of each: the arrays' count, whether they are matrices with rows of 1,000, bytes an element that it
# reads and writes, and the goal as a share of NumPy's time.
PROGRAMS = {
    chain: (1, False, 8, 0.08),
    squared_differences: (2, False, 8, 0.22),
    softmax: (1, True, 8, 0.15),
    layer_norm: (1, True, 8, 0.15),
    adam: (4, False, 28, 0.13),
    black_scholes: (3, False, 20, 0.1),
    twenty_steps: (2, False, 12, 0.06),
    forty_calls: (1, False, 8, 1.0),
}


def bound(function, xp):
    """The program on a module: fused where that is Tenorite."""
    return function if xp is tn else lambda *arrays: function.__wrapped__(*arrays, xp=xp)
