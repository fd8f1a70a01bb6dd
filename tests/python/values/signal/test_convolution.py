"""tenorite.scipy.signal: convolutions and correlations beside SciPy's."""

import itertools
import warnings

import numpy as np
import pytest
import tenorite as tn

theirs = pytest.importorskip("scipy.signal")

from sides import LAYOUTS, compare, sample  # noqa: E402
from tenorite.scipy import signal  # noqa: E402

SHAPES = [
    ((5,), (3,)),
    ((3,), (5,)),
    ((7,), (7,)),
    ((4,), (1,)),
    ((5, 6), (3, 2)),
    ((5, 6), (2, 7)),
    ((3, 4), (6, 7)),
    ((40, 90), (5, 7)),
    ((4, 5, 6), (2, 3, 3)),
    ((2, 3, 2, 3), (2, 2, 1, 2)),
]
MODES = ("full", "same", "valid")


@pytest.mark.parametrize("dtype", "f d F D i4 u1 i8".split())
@pytest.mark.parametrize("shapes", SHAPES)
def test_convolve(shapes, dtype):
    first, second = (sample(shape, dtype) for shape in shapes)
    for mode, method in itertools.product(MODES, ("direct", "fft", "auto")):
        compare("convolve", first, second, mode, method)
        compare("correlate", first, second, mode, method)


@pytest.mark.parametrize("dtype", "f d F D i4 e".split())
@pytest.mark.parametrize("shapes", SHAPES)
def test_by_transforms(shapes, dtype):
    first, second = (sample(shape, dtype) for shape in shapes)
    for mode in MODES:
        compare("fftconvolve", first, second, mode)
        compare("oaconvolve", first, second, mode)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    first, second = sample((30, 40), "d", layout), sample((3, 4), "d", layout)
    for name in ("convolve", "correlate", "fftconvolve", "convolve2d", "correlate2d"):
        compare(name, first, second, "same")


def test_bools():
    first, second = sample(9, "?"), sample(3, "?")
    for mode in MODES:
        compare("convolve", first, second, mode)
    for dtype, name in itertools.product((bool, np.float16), ("convolve", "correlate")):
        with pytest.raises(ValueError, match="unsupported type in SciPy: direct sums of"):
            getattr(signal, name)(tn.ones((2, 2), dtype=dtype), tn.ones((1, 2), dtype=dtype), method="direct")


def test_results_lie_contiguous():
    first, second = tn.asarray(sample((9, 11))), tn.asarray(sample((3, 4)))
    for name, mode in itertools.product(("fftconvolve", "oaconvolve", "convolve", "correlate"), MODES):
        assert getattr(signal, name)(first, second, mode).flags.c_contiguous


def test_long_lines_in_blocks():
    for mode in MODES:
        for dtype, other in (("d", "d"), ("f", "f"), ("d", "D"), ("F", "f")):
            compare("fftconvolve", sample(50_000, dtype), sample(400, other), mode)
            compare("oaconvolve", sample(300, dtype), sample(20_000, other), mode)
    compare("fftconvolve", sample((20_000, 3)), sample((40, 3)), axes=0)
    compare("fftconvolve", sample((3, 20_000)), sample((1, 40)), axes=1)
    compare("oaconvolve", sample((2, 9_000, 3)), sample((2, 40, 1)), "same", axes=[1])


def test_integers_are_exact():
    """Sums that float64 does not hold are computed directly."""
    large = np.full(3000, 2**40 + 1)
    found = signal.convolve(tn.asarray(large), tn.asarray(large[:2000]), "valid")
    assert int(found[0]) == int(np.sum(large[:2000] * large[:2000]))
    assert signal.choose_conv_method(tn.asarray(large), tn.asarray(large)) == "direct"


def test_choice():
    assert signal.choose_conv_method(tn.ones(4), tn.ones(3)) == "direct"
    assert signal.choose_conv_method(tn.ones(200_000), tn.ones(100_000)) == "fft"
    method, times = signal.choose_conv_method(tn.ones(40), tn.ones(30), measure=True)
    assert method in times and set(times) == {"fft", "direct"}


@pytest.mark.parametrize("mode", MODES)
def test_correlation_lags(mode):
    for first, second in itertools.product((1, 2, 5, 6, 9), (1, 2, 5, 8)):
        compare("correlation_lags", first, second, mode)


@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("dtype", "f d D i4".split())
def test_planes(dtype, boundary):
    for first, second in [shapes for shapes in SHAPES if len(shapes[0]) == 2]:
        for mode in MODES:
            compare("convolve2d", sample(first, dtype), sample(second, dtype), mode, boundary)
            compare("correlate2d", sample(first, dtype), sample(second, dtype), mode, boundary)
            compare("convolve2d", sample(first, dtype), sample(second, dtype), mode, boundary, 3)
            compare("correlate2d", sample(first, dtype), sample(second, dtype), mode, boundary, fillvalue=2)


@pytest.mark.parametrize("dtype", "?bBhHeiIlL")
def test_sepfir2d_of_integers(dtype):
    taps = np.array([1.0, -2.0, 4.0], np.float32)
    compare("sepfir2d", sample((8, 9), dtype), taps, taps)


def test_sepfir2d():
    with pytest.raises(TypeError, match="Cannot cast"):
        signal.sepfir2d(tn.ones((3, 3)), tn.ones(3), tn.ones(3, dtype=complex))
    for dtype in "fd":
        compare("sepfir2d", sample((8, 9), dtype), sample(3, dtype), sample(5, dtype))
        compare("sepfir2d", sample((20, 9), dtype), sample(7, dtype), sample(1, dtype))


BAD = [
    ("convolve", np.ones(3), np.ones(2), "x"),
    ("convolve", np.ones(3), np.ones(2), "full", "x"),
    ("convolve", np.ones(3), np.ones((2, 1))),
    ("convolve", np.ones(3), np.ones(0)),
    ("convolve", np.ones((2, 3)), np.ones((3, 2)), "valid"),
    ("correlate", np.ones(3), np.ones(2), "x"),
    ("correlate", np.ones(3), np.ones((2, 1))),
    ("convolve2d", np.ones((2, 3)), np.ones((2, 1)), "x"),
    ("convolve2d", np.ones((2, 3)), np.ones((2, 1)), "full", "x"),
    ("convolve2d", np.ones((2, 3)), np.ones((2, 1)), "full", "fill", [1, 2]),
    ("convolve2d", np.ones((2, 3)), np.ones((3, 1)), "valid"),
    ("convolve2d", np.ones((2, 3), "?"), np.ones((3, 1), "?")),
    ("convolve2d", np.ones(3), np.ones(3)),
    ("correlate2d", np.ones(3), np.ones(3)),
    ("fftconvolve", np.ones(3), np.ones(2), "x"),
    ("fftconvolve", np.ones((3, 2)), np.ones((2, 3)), "full", 0),
    ("fftconvolve", np.ones((3, 2)), np.ones((2, 2)), "full", []),
    ("fftconvolve", np.ones((3, 2)), np.ones((2, 2)), "full", 4),
    ("fftconvolve", np.ones((3, 2)), np.ones((2, 2)), "full", [0, 0]),
    ("fftconvolve", np.ones(3), np.ones((2, 2))),
    ("correlation_lags", 3, 2, "x"),
    ("sepfir2d", np.ones((3, 3)), np.ones(2), np.ones(3)),
]


@pytest.mark.parametrize("arguments", BAD, ids=[f"{k}-{row[0]}" for k, row in enumerate(BAD)])
def test_refusals(arguments):
    compare(*arguments)


@pytest.mark.parametrize("fill", [1j, 2.7, [3], [1, 2], [], np.inf, 300])
def test_what_may_be_around_a_plane(fill):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        for dtype in ("i1", "i4", "f8", "c16"):
            plane = np.ones((3, 2), dtype)
            compare("convolve2d", plane, np.ones((2, 2), dtype), fillvalue=fill)
