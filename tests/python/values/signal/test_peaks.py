"""tenorite.scipy.signal: peaks beside SciPy's."""

import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import to_host
from tenorite.scipy import signal

theirs = pytest.importorskip("scipy.signal")

RANDOM = np.random.default_rng(11)
ROWS = {
    "none": np.empty(0),
    "two": np.array([1.0, 2.0]),
    "flat": np.ones(9),
    "plateaus": RANDOM.integers(0, 4, 400).astype(float),
    "ends": np.array([3.0, 3, 1, 2, 2, 0, 5, 5]),
    "noise": RANDOM.standard_normal(3000),
    "rising": np.arange(5000) + 30 * RANDOM.standard_normal(5000),
    "falling": -np.arange(3000.0) + 30 * RANDOM.standard_normal(3000),
    "waves": np.sin(np.arange(4000) / 7) * np.exp(-np.arange(4000) / 1500),
    "nan": np.where(RANDOM.random(2500) < 0.01, np.nan, RANDOM.standard_normal(2500)),
    "one": np.hstack((np.arange(1500.0), np.arange(1700.0)[::-1])),
}


def same(found, expected):
    """Whether arrays, dicts and tuples of them are equal; places and values exactly."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        found, expected = [found[name] for name in expected], list(expected.values())
    if isinstance(expected, (tuple, list)):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            same(one, other)
        return
    assert isinstance(found, tn.ndarray) and found.dtype == expected.dtype
    np.testing.assert_allclose(to_host(found), expected, rtol=1e-14, atol=1e-12)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


CONDITIONS = [
    {},
    {"height": 0.5},
    {"height": (None, 0.5)},
    {"height": (-1, 1.5)},
    {"threshold": 0.2},
    {"threshold": (0.1, 1.0)},
    {"threshold": (None, 1.0)},
    {"distance": 1},
    {"distance": 7.5},
    {"distance": 100},
    {"prominence": 0},
    {"prominence": (0.3, 2.0), "wlen": 51},
    {"width": 2},
    {"width": (1.5, 30), "rel_height": 0.9, "wlen": 30.5},
    {"plateau_size": 2},
    {"plateau_size": (1, 3), "height": 1},
    {"height": -1, "threshold": 0, "distance": 3, "prominence": 0.1, "width": 1, "plateau_size": 1},
]


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("options", CONDITIONS)
def test_find_peaks(name, options):
    x = ROWS[name]
    if "distance" in options:  # of equal heights SciPy keeps any
        x = x + np.arange(x.size) * 1e-9
    same(quietly(signal.find_peaks, tn.asarray(x), **options), quietly(theirs.find_peaks, x, **options))


@pytest.mark.parametrize("dtype", ["?", "i2", "u8", "f2", "f4", "f8"])
def test_dtypes(dtype):
    x = (np.abs(RANDOM.standard_normal(700)) * 9).astype(dtype)
    found = signal.find_peaks(tn.asarray(x), height=0, prominence=0, width=0)
    expected = quietly(theirs.find_peaks, x, height=0, prominence=0, width=0)
    for name, other in expected[1].items():
        one = found[1][name]
        is_single = dtype in ("f2", "f4") and name in ("peak_heights", "prominences")
        assert one.dtype == (np.float32 if is_single else other.dtype)
        np.testing.assert_allclose(one.get(), other, rtol=1e-6)
    np.testing.assert_array_equal(found[0].get(), expected[0])


def test_limits_of_arrays_and_layouts():
    x, limits = ROWS["noise"], RANDOM.standard_normal(3000)
    for name in ("height", "threshold", "prominence", "width"):
        same(
            signal.find_peaks(tn.asarray(x), **{name: (tn.asarray(limits), tn.asarray(limits + 3))}),
            theirs.find_peaks(x, **{name: (limits, limits + 3)}),
        )
        same(signal.find_peaks(tn.asarray(x), **{name: tn.asarray(limits)}), theirs.find_peaks(x, **{name: limits}))
    for view in (slice(None, None, -1), slice(3, None, 7)):
        same(signal.find_peaks(tn.asarray(x)[view], width=1), theirs.find_peaks(x[view], width=1))


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("wlen", [None, 2, 3, 40, 299.5, 100000])
def test_prominences_and_widths(name, wlen):
    x = ROWS[name]
    peaks = theirs.find_peaks(x)[0]
    peaks = np.hstack((peaks, np.arange(0, x.size, 97)))  # some that are none
    given, at = tn.asarray(x), tn.asarray(peaks)
    expected = quietly(theirs.peak_prominences, x, peaks, wlen)
    same(quietly(signal.peak_prominences, given, at, wlen), expected)
    for relative in (0, 0.5, 1.0, 1.7):
        same(
            quietly(signal.peak_widths, given, at, relative, wlen=wlen),
            quietly(theirs.peak_widths, x, peaks, relative, wlen=wlen),
        )
    data = tuple(map(tn.asarray, expected))
    same(quietly(signal.peak_widths, given, at, 0.3, data), quietly(theirs.peak_widths, x, peaks, 0.3, expected))


def test_warnings():
    x = tn.array([0.0, 1, 1, 1, 0])
    with pytest.warns(RuntimeWarning, match="prominence of 0"):
        signal.peak_prominences(x, tn.array([0]))
    with pytest.warns(RuntimeWarning, match="width of 0"):
        signal.peak_widths(x, tn.array([0]))
    with pytest.warns(RuntimeWarning, match="prominence of 0"):
        signal.find_peaks(x, prominence=0, wlen=2)


@pytest.mark.parametrize("dtype", ["i4", "u1", "f4", "f8", "?"])
@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_relative_extrema(dtype, mode):
    for shape in ((50,), (7, 12), (3, 5, 6), (1, 4), (0, 3), (4, 1)):
        x = (np.abs(RANDOM.standard_normal(shape)) * 4).astype(dtype)
        for axis in range(-1, len(shape)):
            for order in (1, 2, 5, 9):
                for name in ("argrelmax", "argrelmin"):
                    if x.size == 0:
                        continue
                    found = getattr(signal, name)(tn.asarray(x), axis, order, mode)
                    same(found, getattr(theirs, name)(x, axis, order, mode))
        if x.size:
            found = signal.argrelextrema(tn.asarray(x), tn.greater_equal, order=2, mode=mode)
            same(found, theirs.argrelextrema(x, np.greater_equal, order=2, mode=mode))
    assert signal.argrelmax(tn.empty((0, 3)))[0].shape == (0,)


def test_peaks_of_wavelets():
    x = np.sin(np.arange(0, 9, 0.05))
    found = signal.find_peaks_cwt(tn.asarray(x), tn.arange(1, 10))
    np.testing.assert_array_equal(found.get(), theirs.find_peaks_cwt(x, np.arange(1, 10)))


ERRORS = [
    "find_peaks(x.reshape(2, 25))",
    "find_peaks(x, distance=0.5)",
    "find_peaks(x, height=(x[:3], None))",
    "find_peaks(x, height=(None, x[:3]))",
    "find_peaks(x, prominence=0, wlen=1)",
    "find_peaks(x, width=0, rel_height=-1)",
    "peak_prominences(x.reshape(2, 25), [1])",
    "peak_prominences(x, [[1]])",
    "peak_prominences(x, [1.5])",
    "peak_prominences(x, [50])",
    "peak_prominences(x, [-1])",
    "peak_prominences(x, [1], wlen=0)",
    "peak_widths(x, [1], -1)",
    "argrelmax(x, order=0)",
    "argrelmax(x, order=1.5)",
    "argrelmax(x, mode='nothing')",
    "argrelmax(x, mode='raise')",
]


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    caught = []
    for module, xp in ((theirs, np), (signal, tn)):
        with pytest.raises((TypeError, ValueError, IndexError)) as error:
            quietly(eval, f"m.{text}", {"m": module, "x": xp.sin(xp.arange(50.0))})
        caught.append((error.type, str(error.value)))
    assert caught[0] == caught[1]


def test_errors_of_prominence_data():
    x, peaks = tn.array([0.0, 2, 0]), tn.array([1])
    one, zero, two = tn.ones(1), tn.array([0]), tn.array([2])
    for data, words in (
        ((one, zero, tn.array([5])), "invalid for peak 1"),
        ((one, tn.array([0, 1]), two), "must have the same shape"),
    ):
        with pytest.raises(ValueError, match=words):
            signal.peak_widths(x, peaks, prominence_data=data)
    with pytest.raises(ValueError, match="no integers"):
        signal.peak_widths(x, peaks, prominence_data=(one, tn.zeros(1), two))
    # Prominences below 0 ask for what lies above the peak.
    same(signal.peak_widths(x, tn.array([2]), 1.0, (-3 * one, two, two))[1], np.array([3.0]))
