"""tenorite.scipy.signal: smoothing, ranks, trends and splines beside SciPy's."""

import numpy as np
import pytest
import tenorite as tn
from oracle import to_host

theirs = pytest.importorskip("scipy.signal")

from sides import close, compare, sample  # noqa: E402
from tenorite.scipy import signal  # noqa: E402

SHAPES = [((30,), 0), ((4, 31), 1), ((20, 3), 0), ((2, 25, 3), 1)]


@pytest.mark.parametrize("mode", ["interp", "mirror", "constant", "nearest", "wrap"])
@pytest.mark.parametrize("dtype", "f d i".split())
def test_savgol_filter(dtype, mode):
    for shape, axis in SHAPES:
        x = sample(shape, dtype)
        for length, degree, options in (
            (7, 3, {}),
            (6, 2, {}),
            (7, 4, {"deriv": 2, "delta": 0.5}),
            (5, 1, {"deriv": 2}),
            (1, 0, {}),
        ):
            compare("savgol_filter", x, length, degree, axis=axis, mode=mode, cval=2.0, **options)


@pytest.mark.parametrize(("length", "degree", "deriv"), [(5, 2, 0), (7, 3, 1), (6, 2, 0), (5, 2, 4), (9, 4, 2)])
def test_savgol_coeffs(length, degree, deriv):
    compare("savgol_coeffs", length, degree, deriv)
    compare("savgol_coeffs", length, degree, deriv, 0.3, use="dot")
    compare("savgol_coeffs", length, degree, deriv, pos=1)


@pytest.mark.parametrize("dtype", "f d F i".split())
def test_detrend(dtype):
    for shape, axis in SHAPES:
        x = sample(shape, dtype)
        compare("detrend", x, axis)
        compare("detrend", x, axis, "constant")
        compare("detrend", x, axis, "linear", [5, 12])
    compare("detrend", sample(1))


@pytest.mark.parametrize("dtype", "d i4 i8".split())
def test_wiener(dtype):
    for shape, _ in SHAPES:
        x = sample(shape, dtype)
        compare("wiener", x, tolerance=1e-7)
        compare("wiener", x, 5, tolerance=1e-7)
        compare("wiener", x, [3] * x.ndim, 0.4, tolerance=1e-7)


@pytest.mark.parametrize("dtype", "f d i4 u1 i1 u8".split())
def test_ranks(dtype):
    x = sample((9, 8), dtype)
    compare("medfilt", x)
    compare("medfilt", x, (3, 5))
    compare("medfilt", sample(12, dtype), 5)
    compare("medfilt", sample((5, 6, 7), dtype), 3)
    compare("medfilt2d", x)
    compare("medfilt2d", x, (5, 1))
    compare("order_filter", x, np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]]), 2)
    for rank in (0, 4, 8):
        compare("order_filter", x, np.ones((3, 3)), rank)


def test_a_window_larger_than_the_array():
    with pytest.warns(UserWarning, match="exceeds volume extent"):
        signal.medfilt(tn.ones(3), 5)


# --- Symmetric filters and splines ---


def mirrored(x, poles, gain, axis):
    """The filter there and back over a line that is mirrored many times."""
    width = [(0, 0)] * x.ndim
    width[axis] = (800, 800)
    whole = np.pad(x.astype("D" if x.dtype.kind == "c" else "d"), width, mode="symmetric")
    a = np.poly(poles).real
    y = theirs.lfilter([gain], a, whole, axis)
    y = np.flip(theirs.lfilter([1.0], a, np.flip(y, axis), axis), axis)
    return np.take(y, range(800, 800 + x.shape[axis]), axis)


@pytest.mark.parametrize("dtype", "f d F D i".split())
@pytest.mark.parametrize("shape", [(100,), (3, 90)])
def test_symiirorder1(shape, dtype):
    x = sample(shape, dtype)
    for pole in (0.5, -0.3, 0.1):
        expected = mirrored(x, [pole], 1.5, -1)
        found = to_host(signal.symiirorder1(tn.asarray(x), 1.5, pole))
        close(found, expected.astype(found.dtype), 1e-5 if dtype in "fF" else 1e-9)
        compare("symiirorder1", x, 1.5, pole, tolerance=1e-3)


@pytest.mark.parametrize("dtype", "f d i".split())
@pytest.mark.parametrize("shape", [(100,), (3, 90)])
def test_symiirorder2(shape, dtype):
    """SciPy's own sums for the first values are less exact, and wrong for an angle of pi."""
    x = sample(shape, dtype)
    for r, omega in ((0.5, 1.0), (0.3, 0.2), (0.4, 0.0), (0.3, np.pi), (0.0, 0.1)):
        gain = (1 - 2 * r * np.cos(omega) + r * r) ** 2
        expected = mirrored(x, r * np.exp([1j * omega, -1j * omega]), gain, -1)
        found = to_host(signal.symiirorder2(tn.asarray(x), r, omega))
        close(found, expected.astype(found.dtype), 1e-5 if dtype == "f" else 1e-9)
        if omega != np.pi and r:
            compare("symiirorder2", x, r, omega, tolerance=1e-2)


@pytest.mark.parametrize("count", range(6, 24))
def test_lines_that_are_too_short_are_those_of_scipy(count):
    """Poles at an angle: terms of the sums are small and larger again."""
    x = sample((2, count), "d")
    for precision in (1e-3, 1e-6):
        refused = []
        for module, given in ((theirs, x), (signal, tn.asarray(x))):
            try:
                module.symiirorder2(given, 0.49, 0.7, precision)
                refused.append(False)
            except ValueError:
                refused.append(True)
        assert refused[0] == refused[1]


@pytest.mark.parametrize("count", [1, 2, 3, 5, 50, 100])
def test_splines_of_lines(count):
    for dtype in "f d i D".split():
        x = sample(count, dtype)
        compare("cspline1d", x)
        compare("qspline1d", x)
    places = np.random.default_rng(1).uniform(-2 * count, 3 * count, (7, 9))
    if count > 1:
        compare("cspline1d_eval", x.real.copy(), places)
        compare("cspline1d_eval", x.real.copy(), places, 0.5, 3.0)
        compare("qspline1d_eval", x.real.copy(), places)


@pytest.mark.parametrize("count", [3, 5, 80])
def test_smoothing_splines(count):
    for lamb in (0.1, 1.0, 1.5):
        compare("cspline1d", sample(count), lamb, tolerance=1e-9)


def test_smoothed_planes_are_rounded_as_theirs():
    for dtype, tolerance in (("d", 1e-9), ("D", 1e-6)):
        compare("spline_filter", 10 * sample((12, 12), dtype), 0, tolerance=tolerance)
    compare("spline_filter", sample((7, 7), "D"), 0, tolerance=1e-6)


def test_the_distance_of_elements_may_be_on_the_device():
    x = sample(20)
    found = signal.savgol_filter(tn.asarray(x), 5, 3, deriv=1, delta=tn.asarray(0.5))
    close(to_host(found), theirs.savgol_filter(x, 5, 3, deriv=1, delta=0.5), 1e-9)


def test_splines_of_planes():
    for dtype in "fd":
        x = sample((60, 50), dtype)
        compare("cspline2d", x, tolerance=1e-3)
        compare("cspline2d", x, precision=1e-9, tolerance=1e-4)
        compare("qspline2d", x, tolerance=1e-3)
        compare("cspline2d", x, 5.0, tolerance=0.1)
        compare("spline_filter", x, tolerance=0.1)
    compare("gauss_spline", np.arange(5.0), 3)


BAD = [
    ("savgol_coeffs", 3, 4),
    ("savgol_coeffs", 5, 2, 0, 1.0, 7),
    ("savgol_coeffs", 5, 2, 0, 1.0, None, "q"),
    ("savgol_filter", np.ones(3), 5, 2),
    ("savgol_filter", np.ones(3), 5, 2, 0, 1.0, -1, "q"),
    ("detrend", np.ones(30), -1, "x"),
    ("detrend", np.ones(30), -1, "linear", [50]),
    ("medfilt", np.ones(3, bool)),
    ("medfilt", np.ones(3), 2),
    ("medfilt2d", np.ones((3, 3)), 2),
    ("order_filter", np.ones((3, 3)), np.ones((2, 3)), 1),
    ("order_filter", np.ones((3, 3)), np.ones((3, 3)), 20),
    ("symiirorder1", np.arange(5.0), 1, 0.5),
    ("symiirorder1", np.arange(5.0), 1, 1.5),
    ("symiirorder1", np.ones((3, 3, 3)), 1, 0.5),
    ("symiirorder2", np.arange(5.0), 0.5, 1.0),
    ("symiirorder2", np.arange(5.0), 1.5, 1.0),
    ("cspline1d_eval", np.ones(0), np.ones(2)),
    ("qspline1d", np.ones(3), 1.0),
    ("qspline2d", np.ones((3, 3)), 1.0),
    ("spline_filter", np.ones((3, 3), int)),
]


@pytest.mark.parametrize("arguments", BAD, ids=[f"{k}-{row[0]}" for k, row in enumerate(BAD)])
def test_refusals(arguments):
    compare(*arguments, texts=arguments[0] not in ("order_filter", "spline_filter"))


@pytest.mark.parametrize("name", ["spline_filter", "cspline2d", "qspline2d", "symiirorder1"])
def test_empty(name):
    options = (1.0, 0.5) if name == "symiirorder1" else ()
    with pytest.raises(ValueError, match="empty|converge"):
        getattr(signal, name)(tn.zeros((0, 3)), *options)
        getattr(signal, name)(tn.zeros((3, 0)), *options)
