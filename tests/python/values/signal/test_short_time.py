"""tenorite.scipy.signal.ShortTimeFFT beside SciPy's."""

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import signal

theirs = pytest.importorskip("scipy.signal")

RANDOM = np.random.default_rng(7)
WINDOWS = {
    "hann": np.hanning(18)[1:-1],
    "odd": np.hamming(17),
    "zeros": np.hstack((np.zeros(5), np.hanning(9), np.zeros(3))),
    "complex": np.hanning(16) * np.exp(0.3j * np.arange(16)) + 0.01,
    "one": np.ones(1),
}
OPTIONS = [
    {},
    {"phase_shift": None},
    {"mfft": 24, "phase_shift": 3},
    {"mfft": 25, "phase_shift": -4},
    {"fft_mode": "twosided"},
    {"fft_mode": "centered", "scale_to": "psd"},
    {"fft_mode": "onesided2X", "scale_to": "magnitude"},
    {"fft_mode": "onesided2X", "scale_to": "psd", "mfft": 19},
]


def both(win, hop, **options):
    """Ours and SciPy's; windows are copied, as SciPy's makes them read-only."""
    mfft = options.get("mfft")
    if mfft is not None:
        options = {**options, "mfft": max(mfft, len(win))}
        if options.get("phase_shift") and abs(options["phase_shift"]) >= options["mfft"]:
            options["phase_shift"] = 0
    if win.dtype.kind == "c" and options.get("fft_mode", "onesided").startswith("onesided"):
        options = {**options, "fft_mode": "twosided"}
    return signal.ShortTimeFFT(tn.asarray(win), hop, 2.0, **options), theirs.ShortTimeFFT(
        win.copy(), hop, 2.0, **options
    )


def close(found, expected, rtol=1e-10):
    assert found.shape == expected.shape and found.dtype == expected.dtype
    scale = max(np.abs(expected).max(), 1e-300)
    np.testing.assert_allclose(found.get(), expected, rtol=rtol, atol=rtol * scale)


ATTRIBUTES = """
    T fs fft_mode mfft scaling phase_shift hop fac_magnitude fac_psd m_num m_num_mid k_min p_min lower_border_end
    delta_t delta_f f_pts onesided_fft invertible
""".split()


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("options", OPTIONS)
def test_attributes(name, options):
    for hop in (1, 5, 13):
        ours, other = both(WINDOWS[name], hop, **options)
        for attribute in ATTRIBUTES:
            found, expected = getattr(ours, attribute), getattr(other, attribute)
            if isinstance(expected, (float, tuple)):
                np.testing.assert_allclose(found, expected, rtol=1e-13)
            else:
                assert found == expected, attribute
        close(ours.f, other.f)
        close(ours.win, other.win)
        if other.invertible:
            close(ours.dual_win, other.dual_win)
        for n in (len(WINDOWS[name]), 50):
            for method in ("k_max", "p_max", "p_num", "p_range", "upper_border_begin"):
                assert getattr(ours, method)(n) == getattr(other, method)(n), method
            close(ours.t(n), other.t(n))
            if ours.fft_mode != "twosided":
                assert ours.extent(n, "ft", True) == pytest.approx(other.extent(n, "ft", True))
        assert [ours.nearest_k_p(k, left) for k in (-7, 0, 9) for left in (True, False)] == [
            other.nearest_k_p(k, left) for k in (-7, 0, 9) for left in (True, False)
        ]


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("options", OPTIONS)
def test_transforms(name, options):
    for shape, axis in (((41,), -1), ((30, 3), 0), ((2, 30, 2), -2)):
        if len(shape) > 2 and options.get("mfft"):  # SciPy 1.17 appends zeros to a wrong axis
            continue
        x = RANDOM.standard_normal(shape)
        for hop in (1, 5):
            ours, other = both(WINDOWS[name], hop, **options)
            given = tn.asarray(x)
            expected = other.stft(x, axis=axis)
            close(ours.stft(given, axis=axis), expected)
            close(ours.spectrogram(given, axis=axis), other.spectrogram(x, axis=axis))
            close(ours.spectrogram(given, given + 1, axis=axis), other.spectrogram(x, x + 1, axis=axis))
            for padding in ("edge", "even", "odd"):
                close(ours.stft(given, padding=padding, axis=axis), other.stft(x, padding=padding, axis=axis))
            close(
                ours.stft_detrend(given, "constant", 1, 4, k_offset=2, axis=axis),
                other.stft_detrend(x, "constant", 1, 4, k_offset=2, axis=axis),
            )
            if other.invertible and x.shape[axis] > 20:
                at = {"f_axis": axis % x.ndim, "t_axis": -1}
                spectra = tn.asarray(expected)
                close(ours.istft(spectra, **at), other.istft(expected, **at), 1e-8)
                close(ours.istft(spectra, 3, 29, **at), other.istft(expected, 3, 29, **at), 1e-8)


def test_of_windows():
    x = RANDOM.standard_normal(50)
    for name, arguments in (
        ("from_window", (("kaiser", 3.0), 2.0, 16, 12)),
        ("from_dual", (WINDOWS["odd"], 4, 2.0)),
        ("from_win_equals_dual", (WINDOWS["odd"], 4, 2.0)),
    ):
        for scale_to in (None, "psd", "magnitude", *(["unitary"] if name.endswith("equals_dual") else [])):
            given = [tn.asarray(one) if isinstance(one, np.ndarray) else one for one in arguments]
            ours = getattr(signal.ShortTimeFFT, name)(*given, scale_to=scale_to)
            expected = [one.copy() if isinstance(one, np.ndarray) else one for one in arguments]
            other = getattr(theirs.ShortTimeFFT, name)(*expected, scale_to=scale_to)
            close(ours.win, other.win)
            close(ours.dual_win, other.dual_win)
            close(ours.stft(tn.asarray(x)), other.stft(x))
            assert ours.scaling == other.scaling
    ours, other = both(WINDOWS["odd"], 4)
    for scaling in ("psd", "magnitude", "magnitude"):
        ours.scale_to(scaling)
        other.scale_to(scaling)
        close(ours.win, other.win)
    ours.T, ours.mfft = 0.25, 32
    assert (ours.fs, ours.f_pts) == (4.0, 17)
    single = signal.ShortTimeFFT(tn.hanning(16).astype("f4"), 4, 1.0)
    assert single.stft(tn.asarray(x, "f4")).dtype == np.complex64


@pytest.mark.parametrize("scaled", [True, False])
def test_dual_windows(scaled):
    for win, desired in ((WINDOWS["odd"], None), (WINDOWS["complex"], np.hamming(16)), (WINDOWS["hann"], np.ones(16))):
        given = None if desired is None else tn.asarray(desired)
        found = signal.closest_STFT_dual_window(tn.asarray(win), 5, given, scaled=scaled)
        expected = theirs.closest_STFT_dual_window(win, 5, desired, scaled=scaled)
        close(found[0], expected[0])
        assert found[1] == pytest.approx(expected[1])


ERRORS = [
    "m.ShortTimeFFT(w[None], 2, 1.0)",
    "m.ShortTimeFFT(w * np.nan, 2, 1.0)",
    "m.ShortTimeFFT(w, 0, 1.0)",
    "m.ShortTimeFFT(w, 2, -1.0)",
    "m.ShortTimeFFT(w, 2, 1.0, mfft=3)",
    "m.ShortTimeFFT(w, 2, 1.0, dual_win=w[1:])",
    "m.ShortTimeFFT(w, 2, 1.0, fft_mode='nothing')",
    "m.ShortTimeFFT(w, 2, 1.0, fft_mode='onesided2X')",
    "m.ShortTimeFFT(w + 0j, 2, 1.0)",
    "m.ShortTimeFFT(w, 2, 1.0, phase_shift=1.5)",
    "m.ShortTimeFFT(w, 2, 1.0, phase_shift=99)",
    "m.ShortTimeFFT.from_dual(w, 99, 1.0)",
    "m.ShortTimeFFT.from_win_equals_dual(w, 99, 1.0)",
    "m.ShortTimeFFT.from_win_equals_dual(w, 2, 1.0, scale_to='nothing')",
    "m.ShortTimeFFT(w, 2, 1.0).stft(x + 0j)",
    "m.ShortTimeFFT(w, 2, 1.0).stft(x[:3])",
    "m.ShortTimeFFT(w, 2, 1.0).stft(x, 5, 3)",
    "m.ShortTimeFFT(w, 2, 1.0).stft(x, padding='nothing')",
    "m.ShortTimeFFT(w, 2, 1.0).stft_detrend(x, 3)",
    "m.ShortTimeFFT(w, 2, 1.0).k_max(2)",
    "m.ShortTimeFFT(w, 2, 1.0).t(-2)",
    "m.ShortTimeFFT(w, 2, 1.0).extent(50, 'nothing')",
    "m.ShortTimeFFT(w, 2, 1.0, fft_mode='twosided').extent(50)",
    "m.ShortTimeFFT(w, 2, 1.0).istft(x.reshape(5, 10))",
    "m.ShortTimeFFT(w, 2, 1.0).istft(x[:45].reshape(9, 5))",
    "m.ShortTimeFFT(w, 2, 1.0).istft(x.reshape(5, 10), f_axis=0, t_axis=0)",
    "m.ShortTimeFFT(w, 99, 1.0).dual_win",
    "m.closest_STFT_dual_window(w, 0)",
    "m.closest_STFT_dual_window(w, 2, w[1:])",
]


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    caught = []
    for module, xp in ((theirs, np), (signal, tn)):
        with pytest.raises(ValueError) as error:
            eval(text, {"m": module, "w": xp.hanning(16), "x": xp.arange(50.0), "np": np})
        caught.append(str(error.value))
    assert caught[0] == caught[1] or "win.shape" in caught[0] or "fft_mode=" in caught[0]
