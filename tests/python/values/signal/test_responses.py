"""tenorite.scipy.signal: frequency responses beside SciPy's."""

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import signal

theirs = pytest.importorskip("scipy.signal")

RANDOM = np.random.default_rng(3)
LONG = RANDOM.standard_normal(70)
W = np.linspace(0.1, 3, 23)
CALLS = """
    freqz(x([1.0, 0.5, 0.2]))
    freqz([1.0, 0.5, 0.2], worN=9, whole=True)
    freqz([1, 2], worN=8, include_nyquist=True, fs=10)
    freqz([1.0, 2.0], [2.0], 7, True)
    freqz(x([1.0, 0.5]), x([1.0, -0.3, 0.1]), 16)
    freqz(x([1.0, 0.5]), x([1.0, -0.3, 0.1]), 16, True, fs=3.0)
    freqz(x([1.0, 0.5]), x([1.0, -0.3, 0.1]), x(W))
    freqz([1.0 + 1j, 0.5], 1, 8)
    freqz([1.0 + 1j, 0.5], [1.0, 0.2j], 8)
    freqz(x(LONG), worN=x(W))
    freqz(x(LONG), worN=16)
    freqz(x(LONG), x([1.0, 0.2]), worN=100)
    freqz(x(LONG.astype("f4")), x(np.array([1.0, 0.2], "f4")), worN=20)
    freqz(x(LONG.reshape(10, 7, 1)), worN=20)
    freqz(x(LONG.reshape(10, 7)), worN=7)
    freqz([1.0, 2.0], worN=0)
    freqz([1.0, 2.0], worN=0.5)
    freqz([1.0, 2.0], worN=None)
    freqz_zpk(x([0.5, 0.2j]), x([0.3]), 2.0, 11)
    freqz_zpk([], x([0.3, -0.2]), 2.0, x(W), fs=9.0)
    freqz_zpk([0.5], [0.3], 2.0, 11, True)
    freqz_sos(x([[1.0, 2, 1, 1, 0.5, 0], [1.0, 2, 1, 1, 0.1, 0.3]]), 12)
    freqz_sos(x([[1.0, 2, 1, 1, 0.5, 0]]), x(W), fs=7.0)
    sosfreqz(x([[1.0, 2, 1, 1, 0.5, 0]]), 12, whole=True)
    freqs(x([1.0, 2.0]), [1.0, 3.0, 4.0])
    freqs([1.0, 2.0], x([1.0, 3.0, 4.0]), 7)
    freqs([1.0, 2.0], [1.0, 3.0, 4.0], x(W))
    freqs_zpk(x([-1.0]), x([-1.0 + 1j, -1.0 - 1j]), 3.0)
    freqs_zpk([], [-1.0, -2.0], 3, x(W))
    group_delay((x([1.0, 0.5]), x([1.0, -0.3, 0.1])))
    group_delay(([1.0, 0.5j], [1.0, -0.3, 0.1]), 9, True)
    group_delay(([1.0, 0.5], [1.0]), x(W), fs=20.0)
"""


def both(text):
    names = {"W": W, "LONG": LONG, "np": np}
    return (
        eval(f"m.{text}", {"m": signal, "x": tn.asarray, **names}),
        eval(f"m.{text}", {"m": theirs, "x": np.asarray, **names}),
    )


@pytest.mark.parametrize("text", [line.strip() for line in CALLS.strip().splitlines()])
def test_responses(text):
    for one, other in zip(*both(text), strict=True):
        bound = 1e-4 if "f4" in text else 1e-11
        assert one.shape == other.shape and one.dtype == other.dtype, (one.dtype, other.dtype)
        np.testing.assert_allclose(one.get(), other, rtol=bound, atol=bound)


def test_plots_and_singularities():
    seen = []
    signal.freqz([1.0, 2.0], worN=4, plot=lambda w, h: seen.append(h.shape))
    signal.freqs([1.0], [1.0, 2.0], worN=[1.0], plot=lambda w, h: seen.append(h.shape))
    assert seen == [(4,), (1,)]
    for system, words in ((([1.0, -1.0], [1.0]), "singular at"), (([1.0, 0.0, 1.0], [1.0]), "extremely small")):
        with pytest.warns(UserWarning, match=words):
            found = signal.group_delay(system, w=4)[1]
        with pytest.warns(UserWarning, match=words):
            expected = theirs.group_delay(system, w=4)[1]
        np.testing.assert_allclose(found.get(), expected, atol=1e-12)


ERRORS = [
    "freqz([1.0], worN=-1)",
    "freqz([1.0], fs=None)",
    "freqz([1.0], fs=[1, 2])",
    "freqz_sos([[1.0, 2.0]])",
    "freqz_sos(x([[[1.0, 2, 1, 1, 0.5, 0]]]))",
    "freqz_sos(x([[1.0, 2, 1, 2, 0.5, 0]]))",
    "freqz_sos(np.empty((0, 6)))",
    "freqs_zpk([], [1.0], [1.0, 2.0])",
]


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    caught = []
    for module, x in ((theirs, np.asarray), (signal, tn.asarray)):
        with pytest.raises(ValueError) as error:
            eval(f"m.{text}", {"m": module, "x": x, "np": np})
        caught.append(str(error.value))
    assert caught[0] == caught[1]
