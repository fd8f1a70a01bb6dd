"""Blocks, padding, requirements, windows and strides, against NumPy."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from calls import compare
from generator import DTYPES, grid
from oracle import assert_same

pytestmark = pytest.mark.quick

BLOCKS = """
    m.block([a, a])
    m.block([[a, a], [a, a]])
    m.block([[a], [a]])
    m.block([[a, a[:, :1]], [a[:1], a[:1, :1]]])
    m.block([1, a[0]])
    m.block([[[a]], [[a]]])
    m.block(a)
    m.block([a, a[:1]])
    m.block([[a], a])
    m.block([])
    m.block([[], [a]])
    m.block((a, a))
    m.block([a[0], 2, m.array([3])])
    m.broadcast(a, a[:1], 3).shape
    m.broadcast(a, a[:1]).size
    m.broadcast(a, a[:, :2]).nd
    m.broadcast(a).nd
    m.asarray_chkfinite(a)
    m.asarray_chkfinite(a / 0)
    m.require(a, "c16", ["F", "O"])
    m.require(a, requirements="C")
    m.require(a, requirements=["C", "F"])
    m.require(a, requirements="bogus")
    m.require(m.broadcast_to(a, (2, *a.shape)), requirements="W")
"""


@pytest.mark.parametrize("dtype", ["bool", "int8", "float32", "complex64"])
def test_blocks(dtype):
    compare(BLOCKS, grid(dtype, 3, 4), layouts=("contiguous", "fortran", "negative"))


def test_row_stack():
    """NumPy 2.5 has it no more."""
    a = np.arange(12).reshape(3, 4)
    stacked = tn.row_stack([tn.asarray(a), tn.asarray(a[0])])
    np.testing.assert_array_equal(stacked.get(), np.vstack([a, a[0]]))


def test_requirements():
    """The flags are as required, and nothing is copied for nothing."""
    a = tn.ones((3, 4))
    assert tn.require(a) is a and tn.require(a, "f8", ["C", "W"]) is a
    assert tn.require(a, requirements="F").flags.f_contiguous and tn.require(a[1:], requirements="O").flags.owndata
    assert tn.require(tn.broadcast_to(a, (2, 3, 4)), requirements="W").flags.writeable

    class Kind(tn.ndarray):
        pass

    assert type(tn.require(a.view(Kind))) is Kind and type(tn.require(a.view(Kind), requirements="E")) is tn.ndarray


WIDTHS = (0, 1, 3, (1, 2), [(0, 2)], [(1, 0), (2, 9)], {0: 1}, {-1: (2, 1)})
PLAIN = ("constant", "edge", "reflect", "symmetric", "wrap", "maximum", "minimum", "mean", "linear_ramp")
OPTIONS = (
    ("constant", {"constant_values": 7}), ("constant", {"constant_values": [(1, 2), (3, 4)]}),
    ("linear_ramp", {"end_values": 5}), ("linear_ramp", {"end_values": (-3, 4)}),
    ("maximum", {"stat_length": 2}), ("minimum", {"stat_length": ((1, 2), (3, 1))}), ("mean", {"stat_length": 1}),
    ("reflect", {"reflect_type": "odd"}), ("symmetric", {"reflect_type": "odd"}), ("reflect", {"reflect_type": "even"}),
)  # fmt: skip


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


STRIDES = """
    m.lib.stride_tricks.sliding_window_view(a, (2, 2))
    m.lib.stride_tricks.sliding_window_view(a, 2, axis=1)
    m.lib.stride_tricks.sliding_window_view(a, (2, 2), axis=(1, 1))
    m.lib.stride_tricks.sliding_window_view(a.ravel(), 5)
    m.lib.stride_tricks.sliding_window_view(a, 2)
    m.lib.stride_tricks.sliding_window_view(a, (9, 9))
    m.lib.stride_tricks.sliding_window_view(a, (-1, 1))
    m.lib.stride_tricks.sliding_window_view(a, (1, 1), axis=0)
    m.lib.stride_tricks.as_strided(a, (2, 2), (a.strides[0], 0))
    m.lib.stride_tricks.as_strided(a, (2,))
    m.lib.stride_tricks.as_strided(a)
"""


@pytest.mark.parametrize("dtype", DTYPES)
def test_strides(dtype):
    compare(STRIDES, grid(dtype, 3, 4), layouts=("contiguous", "fortran", "negative", "strided"))


def test_strided_views():
    """Windows are read-only views of the memory; a view cannot reach out of it."""
    a = tn.arange(10)
    tricks = tn.lib.stride_tricks
    windows = tricks.sliding_window_view(a, 3)
    assert tn.shares_memory(windows, a) and not windows.flags.writeable
    writeable = tricks.as_strided(a, (5,), (16,))
    writeable[...] = 0
    assert_same(a, np.arange(10) * (np.arange(10) % 2))
    assert not tricks.as_strided(a, writeable=False).flags.writeable
    assert not tricks.as_strided(windows).flags.writeable
    for shape, strides in (((11,), (8,)), ((2,), (80,)), ((2,), (-8,))):
        with pytest.raises(ValueError, match="outside"):
            tricks.as_strided(a, shape, strides)
