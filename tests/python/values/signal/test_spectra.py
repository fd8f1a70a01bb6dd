"""tenorite.scipy.signal: spectra of segments and of samples at any times, beside SciPy's."""

import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import to_host
from tenorite.scipy import signal

theirs = pytest.importorskip("scipy.signal")

RANDOM = np.random.default_rng(5)
SHAPES = [((300,), -1), ((300,), 0), ((3, 260), -1), ((280, 2), 0), ((2, 270, 3), 1), ((2, 2, 2, 256), 3)]
DTYPES = "? i1 u2 i8 f2 f4 f8 F D".split()


def sample(shape, dtype="f8"):
    """Numbers of a dtype."""
    values = RANDOM.standard_normal(shape) * 3
    if np.dtype(dtype).kind == "c":
        return (values + 1j * RANDOM.standard_normal(shape)).astype(dtype)
    return np.abs(values).astype(dtype) if np.dtype(dtype).kind in "bu" else values.astype(dtype)


def call(module, name, arguments, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(module, name)(*arguments, **options)


def compare(name, *arguments, dtypes=True, rtol=1e-9, is_angle=False, **options):
    """A call of both: arrays of NumPy's are ours, too."""
    expected = call(theirs, name, arguments, options)
    ours = [tn.asarray(one) if isinstance(one, np.ndarray) else one for one in arguments]
    options = {key: tn.asarray(one) if isinstance(one, np.ndarray) else one for key, one in options.items()}
    found = call(signal, name, ours, options)
    pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for one, other in pairs:
        assert one.shape == other.shape
        assert not dtypes or one.dtype == other.dtype, (one.dtype, other.dtype)
        if other.size:
            is_single = one.dtype.itemsize == (8 if one.dtype.kind == "c" else 4)
            scale = np.abs(other).max()
            bound = max(2e-5, rtol) if is_single else rtol
            if is_angle:
                one, other = np.exp(1j * to_host(one)), np.exp(1j * other)
            np.testing.assert_allclose(to_host(one), other, rtol=bound, atol=bound * scale)
    return found


@pytest.mark.parametrize(("shape", "axis"), SHAPES)
@pytest.mark.parametrize("name", ["welch", "periodogram", "spectrogram", "stft"])
def test_shapes(name, shape, axis):
    x = sample(shape)
    options = {} if name == "periodogram" else {"nperseg": 64}
    compare(name, x, axis=axis, **options)
    compare(name, x, axis=axis - len(shape) if axis >= 0 else axis + len(shape), **options)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["welch", "periodogram", "spectrogram", "stft"])
def test_dtypes(name, dtype):
    x = sample((2, 100), dtype)
    options = {} if name == "periodogram" else {"nperseg": 32}
    half = dtype == "f2"
    compare(name, x, dtypes=not half, **options, **({"rtol": 1e-2} if half else {}))


OPTIONS = [
    {"window": "boxcar", "noverlap": 7},
    {"window": ("kaiser", 4.0), "nfft": 64, "fs": 20.0},
    {"window": np.hanning(31), "scaling": "spectrum"},
    {"detrend": "linear", "nperseg": 33},
    {"detrend": False, "return_onesided": False},
    {"detrend": lambda x: x - x[..., :1], "nperseg": 40},
    {"nperseg": 1000},
    {"nperseg": 32, "noverlap": 31},
    {"nperseg": 1, "noverlap": 0},
]


@pytest.mark.parametrize("options", OPTIONS)
def test_options_of_welch(options):
    options = {"nperseg": 31, **options}
    x, y = sample((2, 200)), sample(200)
    for average in ("mean", "median"):
        compare("welch", x, average=average, **options)
        compare("csd", x, y, average=average, **options)
    compare("csd", x[0], y[:150], **options)
    if not isinstance(options.get("window"), str) and not {"scaling", "return_onesided"} & options.keys():
        compare("coherence", x, y[None], **options, rtol=1e-7)


@pytest.mark.parametrize("options", OPTIONS)
def test_options_of_spectrogram(options):
    options = {"nperseg": 31, **options}
    x = sample((2, 200))
    for mode in ("psd", "complex", "magnitude"):
        compare("spectrogram", x, mode=mode, **options)
    if options.get("nperseg") != 1:
        for mode in ("angle", "phase"):
            compare("spectrogram", x, mode=mode, rtol=1e-6, is_angle=True, **{**options, "detrend": False})


@pytest.mark.parametrize("boundary", ["even", "odd", "constant", "zeros", None])
@pytest.mark.parametrize("padded", [True, False])
def test_boundaries(boundary, padded):
    x = sample((2, 201))
    for scaling in ("spectrum", "psd"):
        compare("stft", x, boundary=boundary, padded=padded, scaling=scaling, nperseg=32, noverlap=20)


@pytest.mark.parametrize("options", [{}, {"nperseg": 31}, {"noverlap": 25}, {"window": "boxcar", "noverlap": 5}])
@pytest.mark.parametrize("scaling", ["spectrum", "psd"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "D"])
def test_inverses(options, scaling, dtype):
    options = {"nperseg": 32, "scaling": scaling, **options}
    x = sample((2, 203), dtype)
    is_onesided = x.dtype.kind != "c"
    spectra = call(theirs, "stft", (x,), {**options, "return_onesided": is_onesided})[2]
    compare("istft", spectra, input_onesided=is_onesided, **options)
    compare(
        "istft", np.moveaxis(spectra, (1, 2), (2, 0)), time_axis=0, freq_axis=2, input_onesided=is_onesided, **options
    )
    compare("istft", spectra, input_onesided=is_onesided, boundary=False, fs=3.0, **options)


def test_warnings():
    x = tn.asarray(sample(50))
    with pytest.warns(UserWarning, match="nperseg=256 is greater than"):
        signal.welch(x)
    with pytest.warns(UserWarning, match="nperseg = 256 is greater than"):
        signal.stft(x)
    with pytest.warns(UserWarning, match="switching to return_onesided"):
        signal.stft(x + 0j, nperseg=8)
    with pytest.warns(UserWarning, match="NOLA"):
        signal.istft(tn.ones((9, 5), complex), noverlap=0)


def test_empty():
    for name in ("welch", "periodogram", "stft", "spectrogram"):
        for shape in ((0,), (3, 0), (0, 3)):
            if name == "spectrogram":
                continue
            compare(name, np.empty(shape), axis=-1)
    compare("csd", np.empty((3, 0)), np.empty(10))


ERRORS = [
    "csd(x.reshape(5, 10), x.reshape(2, 25), nperseg=8)",
    "welch(x, nperseg=0)",
    "welch(x, nperseg=8, noverlap=8)",
    "welch(x, nperseg=8, nfft=4)",
    "welch(x, window=[1.0, 2.0], nperseg=3)",
    "welch(x, nperseg=8, scaling='nothing')",
    "welch(x, nperseg=8, average='nothing')",
    "welch(x, nperseg=8, detrend='nothing')",
    "welch(x, nperseg=8, fs=-1)",
    "periodogram(x, window=np.ones(3))",
    "spectrogram(x, mode='nothing')",
    "spectrogram(x, nperseg=8, scaling='nothing')",
    "stft(x, nperseg=8, scaling='nothing')",
    "stft(x, nperseg=8, boundary='nothing')",
    "stft(x, nperseg=8, noverlap=9)",
    "stft(x, nperseg=8, nfft=7)",
    "stft(x, window=np.ones(60))",
    "stft(x, window=np.ones((2, 2)))",
    "stft(x[:9], nperseg=0)",
    "istft(x)",
    "istft(x.reshape(2, 25), time_axis=0, freq_axis=0)",
    "istft(x.reshape(5, 10), nperseg=0)",
    "istft(x.reshape(5, 10), nfft=2)",
    "istft(x.reshape(5, 10), noverlap=8)",
    "istft(x.reshape(5, 10), window=[1.0, 2.0])",
    "istft(x.reshape(5, 10), scaling='nothing')",
    "check_COLA('hann', 0, 0)",
    "check_COLA('hann', 8, 8)",
    "check_COLA(np.ones(3), 8, 4)",
    "check_NOLA('hann', 8, -1)",
    "check_NOLA(np.ones((2, 2)), 8, 2)",
    "lombscargle(x, x[1:], x)",
    "lombscargle(x, x, x[:0])",
    "lombscargle(x, x, x, normalize='nothing')",
    "lombscargle(x, x, x, weights=-x)",
    "vectorstrength(x.reshape(2, 25), 1.0)",
    "vectorstrength(x, -1.0)",
    "vectorstrength(x, x.reshape(2, 25))",
    "czt(x[:0])",
    "czt(x, 0)",
    "CZT(5)(x)",
    "zoom_fft(x, [1, 2, 3])",
]


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    x = np.arange(50.0)
    caught = []
    for module, given in ((theirs, x), (signal, tn.asarray(x))):
        with pytest.raises((ValueError, TypeError)) as error:
            call_text = f"m.{text}"
            eval(call_text, {"m": module, "x": given, "np": np})
        caught.append((error.type, str(error.value)))
    assert caught[0] == caught[1]


@pytest.mark.parametrize("window", ["hann", "boxcar", ("tukey", 0.25), "blackman", np.hanning(120)])
def test_overlapping_windows(window):
    for noverlap in (0, 30, 60, 80, 90, 119):
        given = tn.asarray(window) if isinstance(window, np.ndarray) else window
        assert signal.check_COLA(given, 120, noverlap) == theirs.check_COLA(window, 120, noverlap)
        assert signal.check_NOLA(given, 120, noverlap) == theirs.check_NOLA(window, 120, noverlap)


@pytest.mark.parametrize("normalize", [False, True, "amplitude"])
@pytest.mark.parametrize("floating_mean", [False, True])
def test_lombscargle(normalize, floating_mean, monkeypatch):
    x = np.sort(RANDOM.uniform(0, 50, 60))
    y, freqs, weights = np.sin(1.3 * x) + 0.5 + sample(60) / 10, np.linspace(0.1, 9, 41), RANDOM.uniform(0.1, 1, 60)
    options = {"normalize": normalize, "floating_mean": floating_mean}
    compare("lombscargle", x, y, freqs, rtol=1e-8, **options)
    compare("lombscargle", x, y, freqs, rtol=1e-8, weights=weights, **options)
    from tenorite.scipy.signal import _lombscargle

    monkeypatch.setattr(_lombscargle, "_TOGETHER", 500)
    compare("lombscargle", x.astype("f4"), (y * 100).astype("i4"), freqs, rtol=1e-8, **options)


def test_old_parameters_of_lombscargle():
    x = np.arange(20.0) ** 1.1
    with pytest.warns(DeprecationWarning):
        found = signal.lombscargle(tn.asarray(x), tn.asarray(np.cos(x)), tn.asarray([0.5, 1.0]), True, True)
    expected = theirs.lombscargle(x, np.cos(x) - np.cos(x).mean(), [0.5, 1.0], normalize=True)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-10)


def test_vectorstrength():
    events = RANDOM.uniform(0, 9, 50)
    compare("vectorstrength", events, np.array([0.7, 1.0, 2.3]))
    for one, other in zip(signal.vectorstrength(tn.asarray(events), 1.5), theirs.vectorstrength(events, 1.5)):
        assert one.shape == ()
        np.testing.assert_allclose(float(one), other, rtol=1e-12)


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8", "F", "D"])
def test_chirp_z_transforms(dtype):
    for shape, axis in (((11,), -1), ((3, 8), 0), ((2, 9, 3), 1), ((1, 5), 0)):
        x = sample(shape, dtype)
        compare("czt", x, axis=axis)
        compare("czt", x, 7, axis=axis)
        compare("czt", x, m=5, w=0.9 * np.exp(-0.3j), a=1.1 + 0.2j, axis=axis)
        compare("zoom_fft", x, 0.7, axis=axis)
        compare("zoom_fft", x, [0.2, 0.6], 9, fs=3.0, endpoint=True, axis=axis)
    compare("czt_points", 7)
    compare("czt_points", 7, 0.9j, 2)
    for transform in (signal.czt, lambda one: signal.zoom_fft(one, 0.5)):
        with pytest.raises(IndexError, match="tuple index out of range"):
            transform(tn.asarray(5.0))


def test_zoomed_transforms_of_many_turns():
    """Angles are exact where they are many turns; SciPy's are 4e-12 off here."""
    x = np.exp(-(np.linspace(-2, 2, 128) ** 2) / 0.01)
    wanted = np.fft.fft(x, 1280)
    np.testing.assert_allclose(signal.zoom_fft(tn.asarray(x), [0, 2], 1280).get(), wanted, rtol=0, atol=1e-13)
    found = signal.zoom_fft(tn.asarray(x), [300, 900], 384, fs=1280).get()
    np.testing.assert_allclose(found[::64], wanted[300:900:100], rtol=0, atol=1e-12)


def test_ends_of_a_zoom_are_of_the_device():
    ends = tn.linspace(0.2, 0.6, 2)
    wanted = signal.zoom_fft(tn.ones(8), [0.2, 0.6]).get()
    for given in (ends, list(ends)):
        assert (signal.zoom_fft(tn.ones(8), given).get() == wanted).all()
    for name, arguments in (("CZT", (8, 5, 0.9j, 2)), ("ZoomFFT", (8, [0.2, 0.3], 5))):
        ours, other = getattr(signal, name)(*arguments), getattr(theirs, name)(*arguments)
        assert (ours.m, ours.n, ours.w, ours.a) == (other.m, other.n, other.w, other.a)
        np.testing.assert_allclose(ours.points().get(), other.points(), rtol=1e-13)


def test_layouts():
    x = sample((40, 60))
    for view in (lambda a: a[::-1, ::2], lambda a: a.T, lambda a: a[:, None, 7::-1]):
        given = view(tn.asarray(x))
        for name in ("welch", "stft", "spectrogram"):
            expected = call(theirs, name, (view(x),), {"nperseg": 8})
            for one, other in zip(call(signal, name, (given,), {"nperseg": 8}), expected):
                np.testing.assert_allclose(one.get(), other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("axis", (-2, -1, 0, 1, 2))
def test_a_line_has_an_axis_for_frequencies(axis):
    """SciPy moves no axis of a line before its segments have two."""
    x = sample(64)
    found = [module.stft for module in (theirs, signal)]
    try:
        wanted = found[0](x, nperseg=16, axis=axis)[2]
    except np.exceptions.AxisError:
        with pytest.raises(np.exceptions.AxisError):
            found[1](tn.asarray(x), nperseg=16, axis=axis)
    else:
        np.testing.assert_allclose(found[1](tn.asarray(x), nperseg=16, axis=axis)[2].get(), wanted, atol=1e-12)
