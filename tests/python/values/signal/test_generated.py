"""Calls of tenorite.scipy.signal that are drawn, beside SciPy's: what raises there raises here.

TENORITE_CALLS is how many are drawn of each function.
"""

import os
import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import to_host
from tenorite.scipy import signal

theirs = pytest.importorskip("scipy.signal")

COUNT = int(os.environ.get("TENORITE_CALLS", 40))
WINDOWS = ["hann", "boxcar", ("kaiser", 3.0), ("tukey", 0.3), "blackman", "hamming_symmetric", ("gaussian", 4.0)]
DTYPES = ["f8", "f8", "f4", "D", "F", "i4", "?"]


def numbers(rng, shape, dtype):
    values = rng.standard_normal(shape) * 3
    return (values + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def signals(rng):
    """A shape of up to three axes, of which one is long, and that one from either end."""
    shape = list(rng.integers(1, 4, rng.integers(0, 3)))
    axis = int(rng.integers(0, len(shape) + 1))
    shape.insert(axis, int(rng.choice([1, 2, 7, 30, 65, 128])))
    return tuple(map(int, shape)), axis - len(shape) if rng.random() < 0.5 else axis


def segments(rng):
    options = {}
    if rng.random() < 0.9:
        options["nperseg"] = int(rng.choice([1, 2, 5, 8, 16, 31, 64]))
        if rng.random() < 0.6:
            options["noverlap"] = int(rng.integers(0, options["nperseg"] + 1))
        if rng.random() < 0.4:
            options["nfft"] = options["nperseg"] + int(rng.integers(-1, 9))
    if rng.random() < 0.6:
        options["window"] = WINDOWS[rng.integers(len(WINDOWS))]
    if rng.random() < 0.5:
        options["detrend"] = [False, "constant", "linear"][rng.integers(3)]
    if rng.random() < 0.5:
        options["fs"] = float(rng.uniform(0.5, 9))
    if rng.random() < 0.5:
        options["return_onesided"] = bool(rng.integers(2))
    return options


def spectra(rng, name):
    shape, axis = signals(rng)
    x, options = numbers(rng, shape, DTYPES[rng.integers(len(DTYPES))]), segments(rng) | {"axis": axis}
    if name in ("welch", "csd", "spectrogram") and rng.random() < 0.5:
        options["scaling"] = ["density", "spectrum", "density", "spectrum", "nothing"][rng.integers(5)]
    if name in ("welch", "csd") and rng.random() < 0.4:
        options["average"] = ["mean", "median"][rng.integers(2)]
    if name == "stft":
        options["boundary"] = [None, "zeros", "even", "odd", "constant"][rng.integers(5)]
        options["padded"] = bool(rng.integers(2))
    if name == "spectrogram":
        options["mode"] = ["psd", "complex", "magnitude"][rng.integers(3)]
    arguments = (x, numbers(rng, shape, "f8")) if name == "csd" else (x,)
    return arguments, options


def inverse(rng, name):
    shape = tuple(map(int, rng.integers(2, 20, rng.integers(2, 4))))
    options = {"input_onesided": bool(rng.integers(2)), "boundary": bool(rng.integers(2))}
    if rng.random() < 0.4:
        options["nperseg"] = int(rng.integers(1, 30))
    if rng.random() < 0.4:
        options["noverlap"] = int(rng.integers(0, 15))
    if rng.random() < 0.5:
        time, freq = rng.permutation(len(shape))[:2]
        options |= {"time_axis": int(time), "freq_axis": int(freq)}
    options["window"] = WINDOWS[rng.integers(len(WINDOWS))]
    return (numbers(rng, shape, ["F", "D"][rng.integers(2)]),), options


def peaks(rng, name):
    size = int(rng.choice([0, 1, 2, 5, 60, 900, 2500]))
    x = numbers(rng, size, "f8")
    kind = rng.integers(4)
    x = np.round(x) if kind == 0 else np.cumsum(x) if kind == 1 else x + np.arange(size) / 10 if kind == 2 else x
    options = {}
    for condition in ("height", "threshold", "prominence", "width", "plateau_size"):
        if rng.random() < 0.35:
            low, high = np.sort(rng.uniform(0, 9, 2))
            options[condition] = [float(low), (float(low), float(high)), (None, float(high))][rng.integers(3)]
    if rng.random() < 0.3:
        options["distance"] = float(rng.uniform(0.5, 30))
        x = x + np.arange(size) * 1e-10
    if rng.random() < 0.3:
        options["wlen"] = int(rng.integers(1, 500))
    if rng.random() < 0.3:
        options["rel_height"] = float(rng.uniform(-0.1, 2))
    return (x,), options


def outcome(function, arguments, options):
    """What a call gives as a list of arrays, or its exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = function(*arguments, **options)
        except Exception as failure:
            return failure
    if isinstance(found, tuple) and isinstance(found[-1], dict):
        return [found[0], *(found[1][name] for name in sorted(found[1]))]
    return list(found)


MAKERS = dict.fromkeys(("welch", "csd", "spectrogram", "stft"), spectra) | {"istft": inverse, "find_peaks": peaks}


@pytest.mark.parametrize("name", MAKERS)
def test_drawn_calls(name):
    for seed in range(COUNT):
        arguments, options = MAKERS[name](np.random.default_rng([seed, *map(ord, name)]), name)
        expected = outcome(getattr(theirs, name), arguments, options)
        found = outcome(getattr(signal, name), tuple(map(tn.asarray, arguments)), options)
        bound = 2e-4 if any(one.dtype in ("f4", "F", "?") for one in arguments) else 1e-9
        text = f"{name} {[(one.shape, one.dtype) for one in arguments]} {options}: {found!r:.200} for {expected!r:.200}"
        if isinstance(expected, Exception):
            assert isinstance(found, Exception), text
            continue
        assert not isinstance(found, Exception), text
        for one, other in zip(map(to_host, found), expected, strict=True):
            assert one.shape == other.shape and one.dtype == other.dtype, text
            scale = max(np.abs(other).max(initial=0), 1)
            if other.size and np.isfinite(other).all():
                np.testing.assert_allclose(one, other, rtol=bound, atol=bound * scale, err_msg=text)
