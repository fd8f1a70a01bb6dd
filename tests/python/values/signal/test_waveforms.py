"""tenorite.scipy.signal: waveforms beside SciPy's, wavelets beside their formulas."""

import numpy as np
import pytest
import tenorite as tn
from oracle import to_host
from tenorite.scipy import signal

theirs = pytest.importorskip("scipy.signal")

T = np.linspace(-7, 20, 271)
CALLS = """
    chirp(t, 6, 10, 1)
    chirp(t, 6.0, 10.0, 1.0, "quad", phi=30)
    chirp(t, 6.0, 10.0, 1.0, "quadratic", vertex_zero=False)
    chirp(t, 6.0, 10.0, 1.0, "log", complex=True)
    chirp(t, 6.0, 10.0, 6.0, "lo")
    chirp(t, 6.0, 10.0, 1.0, "hyperbolic")
    chirp(t, 6.0, 10.0, 6.0, "hyp")
    gausspulse(t / 1000)
    gausspulse(t, 2, 0.4, -5, retquad=True)
    gausspulse(t, 2, 0.4, -5, retenv=True)
    gausspulse(t, 2, 0.4, -5, retquad=True, retenv=True)
    gausspulse("cutoff", 100)
    sawtooth(t)
    sawtooth(t, 0.3)
    sawtooth(t, 0)
    sawtooth(t, 1.5)
    sawtooth(t[:, None], t[:30])
    square(t)
    square(t, 0.3)
    square(t[:, None], t[:30])
    sweep_poly(t, p)
    sweep_poly(t, [1.0, 2.0], 90)
    unit_impulse(7)
    unit_impulse((3, 4), "mid")
    unit_impulse((3, 4), 2, "i4")
    unit_impulse((3, 4), (0, 3))
    unit_impulse(0 + 3, [1])
"""


@pytest.mark.parametrize("text", [line.strip() for line in CALLS.strip().splitlines()])
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_waveforms(text, dtype):
    t, p = T.astype(dtype), np.array([0.1, -0.2, 0.5])
    with np.errstate(all="ignore"):
        expected = eval(f"m.{text}", {"m": theirs, "t": t.astype("f8") if dtype == "f4" else t, "p": p})
    found = eval(f"m.{text}", {"m": signal, "t": tn.asarray(t), "p": tn.asarray(p)})
    pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for one, other in pairs:
        if isinstance(other, np.ndarray):
            # As CuPy's, of float32 both stay so.
            other = other.astype("f4") if text.startswith("gausspulse") and dtype == "f4" else other
            if text.startswith("chirp") and dtype == "f4":
                other = other.astype("F" if other.dtype.kind == "c" else "f4")
            assert one.shape == other.shape and one.dtype == other.dtype
        bound = 1e-6 if getattr(one, "dtype", None) in ("f4", "F") else 1e-10
        np.testing.assert_allclose(to_host(one), other, rtol=bound, atol=10 * bound)


ERRORS = [
    "chirp(t, 0, 1, 1, 'log')",
    "chirp(t, 0, 1, 1, 'hyp')",
    "chirp(t, 0, 1, 1, 'nothing')",
    "gausspulse(t, -1)",
    "gausspulse(t, 1, 0)",
    "gausspulse(t, bwr=0)",
    "gausspulse('cutoff', tpr=0)",
    "gausspulse('nothing')",
    "max_len_seq(1)",
    "max_len_seq(5, length=-1)",
    "max_len_seq(5, taps=[6])",
    "max_len_seq(5, taps=[])",
    "max_len_seq(5, state=[0] * 5)",
    "max_len_seq(5, state=[1] * 4)",
]


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    caught = []
    for module, t in ((theirs, T), (signal, tn.asarray(T))):
        with pytest.raises(ValueError) as error:
            eval(f"m.{text}", {"m": module, "t": t})
        caught.append(str(error.value))
    assert caught[0] == caught[1]


@pytest.mark.parametrize("nbits", [2, 3, 5, 8, 12, 16, 20])
def test_max_len_seq(nbits):
    for options in ({}, {"length": 3}, {"length": 0}, {"length": 3 * 2**nbits // 2}, {"taps": [1, nbits - 1]}):
        for state in (None, [1] + [0] * (nbits - 1)):
            found = signal.max_len_seq(nbits, tn.asarray(state) if state else None, **options)
            for one, other in zip(found, theirs.max_len_seq(nbits, state, **options)):
                assert one.dtype == other.dtype and (one.get() == other).all()
    for taps in ([nbits], [0], [0, nbits - 1], [nbits, nbits - 1], list(range(nbits + 1))):
        assert (signal.max_len_seq(nbits, taps=taps)[0].get() == theirs.max_len_seq(nbits, taps=taps)[0]).all()


def old_morlet(M, w=5.0, s=1.0, complete=True):
    x = np.linspace(-s * 2 * np.pi, s * 2 * np.pi, M)
    return (np.exp(1j * w * x) - (np.exp(-0.5 * w**2) if complete else 0)) * np.exp(-0.5 * x**2) * np.pi**-0.25


def old_morlet2(M, s, w=5):
    x = (np.arange(M) - (M - 1.0) / 2) / s
    return np.sqrt(1 / s) * np.exp(1j * w * x) * np.exp(-0.5 * x**2) * np.pi**-0.25


def old_ricker(points, a):
    x = np.arange(points) - (points - 1.0) / 2
    return 2 / (np.sqrt(3 * a) * np.pi**0.25) * (1 - x**2 / a**2) * np.exp(-(x**2) / (2 * a**2))


def test_wavelets():
    for length in (1, 2, 9, 100):
        for complete in (True, False):
            expected = old_morlet(length, 4.0, 0.8, complete)
            np.testing.assert_allclose(signal.morlet(length, 4.0, 0.8, complete).get(), expected, atol=1e-14)
        np.testing.assert_allclose(signal.morlet2(length, 2.5, 4).get(), old_morlet2(length, 2.5, 4), atol=1e-14)
        np.testing.assert_allclose(signal.ricker(length, 2.5).get(), old_ricker(length, 2.5), atol=1e-14)
    for dtype in ("i4", "f4", "D"):
        hk = np.arange(1, 6).astype(dtype)
        found = signal.qmf(tn.asarray(hk))
        assert found.dtype == hk.dtype
        np.testing.assert_array_equal(found.get(), hk[::-1] * np.array([1, -1, 1, -1, 1], dtype))


@pytest.mark.parametrize("length", [1, 7, 50, 333])
def test_cwt(length):
    data, widths = np.sin(np.arange(length) ** 1.3), [1, 2, 5, 11]
    for ours, old in ((signal.ricker, old_ricker), (signal.morlet2, old_morlet2)):
        found = signal.cwt(tn.asarray(data), ours, tn.asarray(widths))
        for row, width in zip(found.get(), widths):
            wave = old(min(10 * width, length), width)
            expected = theirs.convolve(data, wave.conj()[::-1], mode="same")
            assert row.dtype == expected.dtype
            np.testing.assert_allclose(row, expected, atol=1e-12)
    with pytest.raises(ValueError, match="one axis"):
        signal.cwt(tn.ones((2, 2)), signal.ricker, [1])
