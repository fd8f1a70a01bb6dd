"""tenorite.scipy.signal: signals at another rate beside SciPy's, and analytic ones."""

import numpy as np
import pytest
import tenorite as tn
from oracle import to_host

theirs = pytest.importorskip("scipy.signal")

from sides import LAYOUTS, close, compare, sample  # noqa: E402
from tenorite.scipy import signal  # noqa: E402

AROUND = ["constant", "wrap", "edge", "smooth", "symmetric", "reflect", "antisymmetric", "antireflect", "line"]
RATES = [(1, 1, 5), (3, 2, 10), (2, 5, 7), (7, 3, 2), (1, 4, 33)]
SHAPES = [((30,), -1), ((4, 30), 0), ((4, 30), 1), ((2, 25, 3), 1), ((2, 25, 19), 1)]


@pytest.mark.parametrize("dtype", "f d F D i e".split())
@pytest.mark.parametrize(("up", "down", "taps"), RATES)
def test_upfirdn(up, down, taps, dtype):
    for shape, axis in SHAPES:
        compare("upfirdn", sample(taps, "d" if dtype == "i" else dtype), sample(shape, dtype), up, down, axis)
    compare("upfirdn", sample(taps), sample((2, 0), "d"), up, down, 1)


@pytest.mark.parametrize("mode", AROUND)
def test_around(mode):
    for up, down, taps in RATES:
        for shape, axis in SHAPES:
            compare("upfirdn", sample(taps), sample(shape), up, down, axis, mode=mode, cval=2.0)
    # Taps that reach around a short line several times.
    compare("upfirdn", sample(40), np.array([1.0, 2, 4, 9]), mode=mode, cval=3.0)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    compare("upfirdn", sample(9), sample((20, 30), "d", layout), 3, 2, 0)
    compare("resample", sample((20, 30), "d", layout), 12)


@pytest.mark.parametrize("dtype", "f d D i".split())
def test_resample(dtype):
    for shape, axis in (((30,), 0), ((4, 31), 1), ((20, 3), 0)):
        x = sample(shape, dtype)
        for count in (5, 10, 30, 31, 40, 60, 61):
            compare("resample", x, count, axis=axis)
            compare("resample", x, count, axis=axis, window="hann")
        compare("resample", x, 12, t=np.arange(40.0) * 3, axis=axis)
        compare("resample", x, 12, axis=axis, domain="freq")


@pytest.mark.parametrize("dtype", "? b i f D".split())
def test_resample_of_spectra_with_weights(dtype):
    x = np.round(sample((4, 9), "d")).astype(dtype)
    for count in (6, 9, 14):
        for window in ("hann", np.linspace(0.5, 1.5, 9)):
            found = to_host(signal.resample(tn.asarray(x), count, axis=1, window=window, domain="freq"))
            wanted = theirs.resample(x, count, axis=1, window=window, domain="freq")
            close(found, wanted.astype(found.dtype), 1e-5 if dtype == "f" else 1e-12)


@pytest.mark.parametrize("dtype", "f d F D i".split())
def test_resample_poly(dtype):
    for shape, axis in (((30,), 0), ((4, 31), 1), ((20, 3), 0)):
        x = sample(shape, dtype)
        for up, down in ((2, 3), (3, 1), (4, 6), (1, 5), (2, 2)):
            compare("resample_poly", x, up, down, axis=axis)
            compare("resample_poly", x, up, down, axis=axis, window=[0.2, 0.3, 0.1])
            for padtype in ("mean", "median", "minimum", "maximum", "line", "wrap", "edge") if dtype in "fd" else ():
                compare("resample_poly", x, up, down, axis=axis, padtype=padtype)
        compare("resample_poly", x, 2, 3, axis=axis, padtype="constant", cval=3)


@pytest.mark.parametrize("dtype", "f d i".split())
def test_decimate(dtype):
    for shape, axis in (((130,), 0), ((4, 131), 1), ((120, 3), 0)):
        x = sample(shape, dtype)
        compare("decimate", x, 3, axis=axis)
        compare("decimate", x, 4, n=4, axis=axis, zero_phase=False)
        compare("decimate", x, 3, axis=axis, ftype="fir")
        compare("decimate", x, 3, axis=axis, ftype="fir", zero_phase=False)


def test_decimate_by_a_system():
    x = np.arange(50.0)
    for numerator, denominator in (([1, 0.5], [1.0]), ([1.0], [1, -0.5])):
        expected = theirs.decimate(x, 3, ftype=theirs.dlti(numerator, denominator))
        close(to_host(signal.decimate(tn.asarray(x), 3, ftype=signal.dlti(numerator, denominator))), expected)


@pytest.mark.parametrize("dtype", "f d i".split())
def test_hilbert(dtype):
    for shape, axis in (((30,), 0), ((4, 31), 1), ((20, 3), 0)):
        x = sample(shape, dtype)
        for count in (None, 1, 25, 42):
            compare("hilbert", x, count, axis)


def test_hilbert2():
    compare("hilbert2", sample((5, 6)))
    compare("hilbert2", sample((5, 6), "f"))
    compare("hilbert2", sample((2, 5, 6)), axes=(0, 2))
    compare("hilbert2", sample((6, 6)), N=(4, 7))
    compare("hilbert2", sample(6))


BAD = [
    ("upfirdn", np.ones((2, 1)), np.ones(3)),
    ("upfirdn", np.ones(2), np.ones(3), 0),
    ("upfirdn", np.ones(2), np.ones(3), 1, 0),
    ("upfirdn", np.ones(2), np.ones(3), 1, 1, -1, "zz"),
    ("upfirdn", np.ones(2), np.ones(3), 1, 1, 4),
    ("upfirdn", np.ones(0), np.ones(3)),
    ("resample", np.ones(5), 3, None, 0, None, "x"),
    ("resample", np.ones(5), 3, None, 0, np.ones(3)),
    ("resample_poly", np.ones(5), 1.5, 2),
    ("resample_poly", np.ones(5), 0, 2),
    ("resample_poly", np.ones(5), 1, 2, 0, [1.0], "x"),
    ("decimate", np.ones(50), 3, None, "x"),
    ("hilbert", np.ones(3) + 1j),
    ("hilbert", np.ones(3), 0),
    ("hilbert2", np.ones((3, 3)), -1),
    ("hilbert2", np.ones((3, 3)), None, (1, 1)),
]


@pytest.mark.parametrize("arguments", BAD, ids=[f"{k}-{row[0]}" for k, row in enumerate(BAD)])
def test_refusals(arguments):
    compare(*arguments)


def test_rates_beyond_memory():
    for up, down in ((2**62, 2**62), (2**40, 2**40), (1, 2**63)):
        with pytest.raises((ValueError, OverflowError, MemoryError)):
            signal.upfirdn(tn.ones(3), tn.ones(4), up, down)
