"""tenorite.signal: filters by taps, cepstra, convolutions of higher order and radar beside their
definitions."""

import numpy as np
import pytest
import tenorite as tn
from oracle import to_host

theirs = pytest.importorskip("scipy.signal")

from sides import close, sample  # noqa: E402
from tenorite import signal  # noqa: E402


@pytest.mark.parametrize("dtype", "fdFD")
def test_firfilter(dtype):
    b, x = sample(7, dtype), sample((3, 60), dtype)
    ours = tn.asarray(b), tn.asarray(x)
    one = np.ones(1, "f")
    close(to_host(signal.firfilter(*ours)), theirs.lfilter(b, one, x))
    close(to_host(signal.firfilter(*ours, axis=0)), theirs.lfilter(b, one, x, 0))
    zi = sample((3, 6), dtype)
    for found, expected in zip(signal.firfilter(*ours, zi=tn.asarray(zi)), theirs.lfilter(b, one, x, zi=zi)):
        close(to_host(found), expected)
    close(to_host(signal.firfilter2(*ours)), theirs.filtfilt(b, one, x))
    close(to_host(signal.firfilter_zi(ours[0])), theirs.lfilter_zi(b, one), 1e-5)


def test_freq_shift():
    for x in (sample(500), sample(500, "D")):
        expected = x * np.exp(-2j * np.pi * 7 / 100 * np.arange(500))
        close(to_host(signal.freq_shift(tn.asarray(x), 7, 100)), expected)


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize(("channels", "taps", "count"), [(4, 3, 41), (8, 40, 64), (1, 2, 9), (5, 2, 7)])
def test_channelize_poly(channels, taps, count, dtype):
    x, h = sample(count, dtype), sample(taps * channels, dtype)
    points = count // channels
    expected = np.zeros((points, channels), np.result_type(dtype, "F"))
    for n in range(points):
        for c in range(channels):
            for k in range(min(taps, n + 1)):
                expected[n, c] += h[k * channels + c] * x[(n - k) * channels + channels - 1 - c]
    expected = np.fft.fft(expected.conj()).conj().T.astype(expected.dtype)
    close(to_host(signal.channelize_poly(tn.asarray(x), tn.asarray(h), channels)), expected)


def test_convolve1d2o():
    line = sample(40)
    for shape in ((3, 5), (5, 3), (1, 1), (4, 4)):
        window = sample(shape)
        count = line.size - max(shape) + 1
        expected = np.zeros(count)
        for place in range(count):
            for a, b in np.ndindex(*shape):
                expected[place] += line[place + shape[0] - 1 - a] * line[place + shape[1] - 1 - b] * window[a, b]
        close(to_host(signal.convolve1d2o(tn.asarray(line), tn.asarray(window))), expected)


def test_convolve1d3o():
    line, shape = sample(30), (3, 2, 4)
    window = sample(shape)
    expected = np.zeros(line.size - 3)
    for place in range(expected.size):
        for at in np.ndindex(*shape):
            factors = [line[place + size - 1 - k] for size, k in zip(shape, at)]
            expected[place] += np.prod(factors) * window[at]
    close(to_host(signal.convolve1d3o(tn.asarray(line), tn.asarray(window))), expected)
    with pytest.raises(NotImplementedError):
        signal.convolve1d3o(tn.asarray(line), tn.asarray(window), "full")
    with pytest.raises(ValueError, match="in2 should have"):
        signal.convolve1d2o(tn.asarray(line), tn.asarray(window))


def test_cepstra():
    x = sample((3, 40)) + 0.1
    for axis in (0, 1):
        for count in (None, 64):
            spectrum = np.fft.fft(x, count, axis)
            expected = np.fft.ifft(np.log(np.abs(spectrum)), axis=axis).real
            close(to_host(signal.real_cepstrum(tn.asarray(x), count, axis)), expected)
    line = np.concatenate(([5.0], sample(31) * 0.1))
    cepstrum, delay = signal.complex_cepstrum(tn.asarray(line))
    close(to_host(cepstrum), np.fft.ifft(np.log(np.fft.fft(line))).real)
    close(to_host(signal.inverse_complex_cepstrum(cepstrum, delay)), line)
    turned = np.roll(line, 3)
    cepstrum, delay = signal.complex_cepstrum(tn.asarray(turned))
    close(to_host(signal.inverse_complex_cepstrum(cepstrum, delay)), turned)


@pytest.mark.parametrize("count", [8, 9])
def test_minimum_phase(count):
    x = sample(count)
    made = to_host(signal.minimum_phase(tn.asarray(x)))
    close(np.abs(np.fft.fft(made)), np.abs(np.fft.fft(x)))
    first = np.concatenate(([9.0], np.zeros(count - 1)))
    close(to_host(signal.minimum_phase(tn.asarray(first))), first)


@pytest.mark.parametrize("dtype", "fdFD")
def test_pulses(dtype):
    x, template, window = sample((5, 32), dtype), sample(8, dtype), np.hamming(8)
    spectra = np.fft.fft(x) * np.fft.fft(template * window / np.linalg.norm(template * window), 32).conj()
    expected = np.fft.ifft(spectra)
    found = signal.pulse_compression(tn.asarray(x), tn.asarray(template), True, tn.asarray(window))
    close(to_host(found), expected if dtype in "FD" else expected.real, 1e-5 if dtype in "fF" else 1e-9, dtypes=False)
    found = signal.pulse_compression(tn.asarray(x), tn.asarray(template), nfft=64, window=("kaiser", 3.0))
    assert found.shape == (5, 64) and found.dtype == x.dtype
    close(to_host(signal.pulse_doppler(tn.asarray(x), nfft=9)), np.fft.fft(x.T, 9).T, 1e-5, dtypes=False)
    assert signal.pulse_doppler(tn.asarray(x), "hann").shape == (5, 32)
    with pytest.raises(ValueError, match="same length"):
        signal.pulse_doppler(tn.asarray(x), tn.ones(3))


def test_ca_cfar():
    x = np.abs(sample(60)).astype("f")
    threshold, found = signal.ca_cfar(tn.asarray(x), 2, 3, 0.1)
    expected, factor = np.zeros(60, "f"), signal.cfar_alpha(0.1, 6)
    for k in range(5, 55):
        cells = np.concatenate((x[k - 5 : k - 2], x[k + 3 : k + 6]))
        expected[k] = factor * cells.mean()
    close(to_host(threshold), expected)
    close(to_host(found), x - expected > 0)
    plane = np.abs(sample((20, 25)))
    threshold, found = signal.ca_cfar(tn.asarray(plane), (1, 2), (2, 1), 0.1)
    expected, cells = np.zeros((20, 25), "f"), 7 * 7 - 3 * 5
    for k in range(3, 17):
        for i in range(3, 22):
            around = plane[k - 3 : k + 4, i - 3 : i + 4].sum() - plane[k - 1 : k + 2, i - 2 : i + 3].sum()
            expected[k, i] = signal.cfar_alpha(0.1, cells) * around / cells
    close(to_host(threshold), expected)
    for array, guards, references, error in (
        (tn.ones(5), 2, 3, ValueError),
        (tn.ones((5, 50)), (2, 2), (3, 3), ValueError),
        (tn.ones((50, 50)), (2,), (3, 3), TypeError),
        (tn.ones((5, 5, 5)), 1, 1, TypeError),
    ):
        with pytest.raises(error):
            signal.ca_cfar(array, guards, references)


@pytest.mark.parametrize("dtype", "dD")
def test_mvdr(dtype):
    x, direction = sample((4, 50), dtype), sample(4, dtype)
    inverse = np.linalg.inv(np.cov(x))
    expected = inverse @ direction / (direction.conj() @ inverse @ direction)
    close(to_host(signal.mvdr(tn.asarray(x), tn.asarray(direction))), expected)
    with pytest.raises(ValueError, match="more sensors than samples"):
        signal.mvdr(tn.ones((4, 3)), tn.ones(4))
    with pytest.raises(ValueError, match="do not align"):
        signal.mvdr(tn.ones((4, 8)), tn.ones(3))


def test_names_of_cupy():
    assert set(signal.__all__) == set(
        """
        ca_cfar cfar_alpha channelize_poly complex_cepstrum convolve1d2o convolve1d3o firfilter firfilter2
        firfilter_zi freq_shift inverse_complex_cepstrum minimum_phase mvdr pulse_compression pulse_doppler
        real_cepstrum
        """.split()
    )
