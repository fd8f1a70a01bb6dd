"""Calls of tenorite.scipy that are drawn, beside SciPy's: every parameter of every function.

A run takes 100,000 of them; TENORITE_DRAWN_CALLS=1000000 takes that many, and with
TENORITE_DRAWN_FIRST=1000 each function's begin with its thousandth.
"""

import os

import pytest

pytest.importorskip("scipy", minversion="1.17")

import drawn_interpolate
import drawn_ndimage
import drawn_signal
import drawn_spatial
import drawn_stats
from drawn import check

pytestmark = pytest.mark.quick

# How many calls of each function: fewer where SciPy's take milliseconds.
FAMILIES = {
    "ndimage": (drawn_ndimage, 550),
    "signal": (drawn_signal, 155),
    "interpolate": (drawn_interpolate, 400),
    "spatial": (drawn_spatial, 350),
    "stats": (drawn_stats, 65),
}
SAMPLE = sum(len(family.NAMES) * count for family, count in FAMILIES.values())
SHARE = int(os.environ.get("TENORITE_DRAWN_CALLS", SAMPLE)) / SAMPLE
FIRST = int(os.environ.get("TENORITE_DRAWN_FIRST", 0))
CASES = [(name, function) for name, (family, _) in FAMILIES.items() for function in family.NAMES]


@pytest.mark.parametrize(("family", "function"), CASES, ids=map(".".join, CASES))
def test_drawn_calls(family, function):
    module, count = FAMILIES[family]
    wrong = check(module, function, max(1, round(count * SHARE)), FIRST)
    assert not wrong, f"{len(wrong)} calls differ:\n" + "\n".join(wrong[:5])


def test_a_sample_is_large():
    assert SAMPLE >= 100_000


@pytest.mark.parametrize("family", FAMILIES)
def test_no_function_is_left_out(family):
    """What is not drawn is named, and has tests of its own."""
    module = FAMILIES[family][0]
    known = {name.rpartition(".")[2] for name in module.NAMES} | {name.partition(".")[0] for name in module.NAMES}
    missing = {name for name in module.OURS.__all__ if hasattr(module.THEIRS, name)} - known
    assert missing <= getattr(module, "LEFT_OUT", set())
