"""Padding, against NumPy."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from calls import compare
from generator import grid

pytestmark = pytest.mark.quick

WIDTHS = (0, 1, 3, (1, 2), [(0, 2)], [(1, 0), (2, 9)], {0: 1}, {-1: (2, 1)})

PLAIN = ("constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum", "mean", "linear_ramp")

OPTIONS = (
    ("constant", {"constant_values": 7}),
    ("constant", {"constant_values": [(1, 2), (3, 4)]}),
    ("linear_ramp", {"end_values": 5}),
    ("linear_ramp", {"end_values": (-3, 4)}),
    ("maximum", {"stat_length": 2}),
    ("minimum", {"stat_length": ((1, 2), (3, 1))}),
    ("mean", {"stat_length": 1}),
    ("reflect", {"reflect_type": "odd"}),
    ("symmetric", {"reflect_type": "odd"}),
    ("reflect", {"reflect_type": "even"}),
)


@pytest.mark.parametrize("dtype", ["int16", "uint8", "float32", "complex64"])
def test_pad(dtype):
    calls = {}
    for width, (mode, options) in itertools.product(WIDTHS, [(mode, {}) for mode in PLAIN] + list(OPTIONS)):
        if np.dtype(dtype).kind == "c" and mode in ("maximum", "minimum"):
            continue
        calls[f"{width} {mode} {options}"] = lambda m, a, w=width, k=mode, o=options: m.pad(a, w, k, **o)
    x = (np.arange(12).reshape(3, 4) ** 2 % 11).astype(dtype)
    compare(calls, x, ulp=2, zero_sign=False)


PAD_ERRORS = """
    m.pad(a, -1)
    m.pad(a, 1.5)
    m.pad(a, 1, "bogus")
    m.pad(a, 1, "edge", constant_values=3)
    m.pad(a, [(1, 2), (3, 4), (5, 6)])
    m.pad(a[:0], 1, "edge")
    m.pad(a[:0], 1)
    m.pad(a[0, 0], 1)
    m.pad(a, 2).sum()
    m.pad(a[:1], 3, "reflect")
    m.pad(a[:1], 3, "reflect", reflect_type="odd")
    m.pad(a, 1, lambda v, width, axis, options: v.__setitem__(slice(0, width[0]), 7 + axis))
"""


def test_pad_errors():
    compare(PAD_ERRORS, grid("float64", 3, 4), layouts=("contiguous", "fortran"))


def test_one_or_two_values_are_numbers_of_a_dtype():
    """Which assignments cast; more are numbers of Python, which have to fit."""
    for value in (-2.5, -2, 300.7, (1, -2), [5]):
        compare(f"m.pad(a, 2, constant_values={value!r})", grid("uint8", 3, 4), grid("int16", 40, 200))
    with pytest.raises(OverflowError):
        tn.pad(tn.ones((2, 2), "u1"), 2, constant_values=[(-1, 2), (3, 4)])
