"""Stations in a band of radio: found, tuned in to and heard, by one program for SciPy and Tenorite.

The program makes what a receiver's aerial would give: a band of 1.024 MHz as complex samples, with
stations that broadcast tones by frequency modulation, and noise. It finds the stations as peaks of
the spectrum, tunes in to each (shift, low-pass filter, fewer samples), demodulates it, takes the
broadcast's emphasis off again and finds the tone that it hears. A bank of polyphase filters cuts
the same band into channels.

    python examples/radio.py [--seconds S] [--stations N] [--output radio.png]
"""

import argparse

import numpy as np
import side_by_side
import tenorite as tn

RATE = 1_024_000  # samples a second
SWING = 20_000  # Hz that a station's frequency moves by
AUDIO = 32_000
EMPHASIS = 75e-6  # seconds; what broadcasts in America use
CHANNELS = 64


def receive(seconds, stations, rng):
    """Complex64 samples, the stations' frequencies in Hz, and the frequencies of their tones."""
    t = np.arange(int(seconds * RATE)) / RATE
    places = np.linspace(-0.44, 0.44, stations) * RATE + rng.uniform(-6000, 6000, stations)
    tones = rng.uniform(500, 3000, stations).round()
    band = rng.standard_normal((len(t), 2)).view(complex)[:, 0] * 0.5
    for place, tone in zip(places, tones):
        phase = 2 * np.pi * place * t - SWING / tone * np.cos(2 * np.pi * tone * t)
        band += rng.uniform(0.3, 1) * np.exp(1j * (phase + rng.uniform(0, 6)))
    return band.astype(np.complex64), places, tones


def find_stations(xp, signal, band):
    """Frequencies of the peaks of a spectrum that is as coarse as a station is wide."""
    frequencies, power = signal.welch(band, RATE, nperseg=2048, return_onesided=False)
    frequencies, power = xp.fft.fftshift(frequencies), xp.fft.fftshift(power)
    width = int(2.2 * SWING / RATE * 2048)
    smooth = signal.savgol_filter(10 * xp.log10(signal.fftconvolve(power, xp.ones(width), "same")), 15, 2)
    peaks, _ = signal.find_peaks(smooth, distance=width // 2, prominence=1.5)
    return frequencies[peaks]


def listen(xp, signal, band, place):
    """Audio (AUDIO samples a second) of the station at a frequency."""
    t = xp.arange(band.size) / RATE
    moved = band * xp.exp(-2j * np.pi * place * t).astype(band.dtype)
    station = signal.resample_poly(moved, 1, 16, window=xp.asarray(signal.firwin(257, 1.4 * SWING, fs=RATE)))
    swing = xp.angle(station[1:] * station[:-1].conj()) * (RATE / 16 / (2 * np.pi * SWING))
    pole = float(np.exp(-16 / (RATE * EMPHASIS)))
    plain = signal.lfilter(xp.array([1 - pole]), xp.array([1, -pole]), swing)
    lowest = signal.butter(4, 100, "highpass", fs=RATE / 16, output="sos")
    return signal.resample_poly(signal.sosfilt(xp.asarray(lowest), plain), AUDIO, RATE // 16)


def heard_tone(xp, signal, audio):
    """The strongest frequency of the audio, in Hz."""
    frequencies, power = signal.periodogram(audio, AUDIO, window="hann")
    return frequencies[xp.argmax(power)]


def channels(xp, signal, band):
    """The mean power of each of CHANNELS channels over time, in decibels: (time, channels)."""
    taps = xp.asarray(signal.firwin(8 * CHANNELS, 1 / CHANNELS)).reshape(8, CHANNELS).astype(xp.float32)
    lines = band[: band.size // CHANNELS * CHANNELS].reshape(-1, CHANNELS)[:, ::-1]
    count = len(lines) - 7
    sums = sum(lines[7 - k : 7 - k + count] * taps[k] for k in range(8))
    power = xp.abs(xp.fft.ifft(sums, norm="forward")) ** 2
    steps = count // 256
    return 10 * xp.log10(power[: steps * 256].reshape(steps, 256, CHANNELS).mean(axis=1))


def analyse(band):
    """{name: array}; the array says where it runs."""
    xp, signal = tn.get_array_module(band), tn.scipy.get_array_module(band).signal
    places = find_stations(xp, signal, band)
    tones = [heard_tone(xp, signal, listen(xp, signal, band, float(place))) for place in places]
    _, _, waterfall = signal.spectrogram(band, RATE, nperseg=1024, return_onesided=False, detrend=False)
    return {
        "places": places,
        "tones": xp.stack(tones),
        "waterfall": 10 * xp.log10(xp.fft.fftshift(waterfall, axes=0)),
        "channels": channels(xp, signal, band),
    }


def paint(found):
    """The spectrogram, time downwards, with a mark at each station; below it the channels."""

    def shade(values):
        low, high = np.percentile(values, [50, 99.9])
        bright = np.clip((values - low) / (high - low), 0, 1)[..., None]
        return np.clip(bright * 3 - np.array([2, 1, 0]), 0, 1) ** 0.7

    fall = shade(found["waterfall"].T)
    steps = np.linspace(0, len(fall) - 1, 400).astype(int)
    columns = ((found["places"] / RATE + 0.5) * fall.shape[1]).round().astype(int)
    marks = np.zeros((14, fall.shape[1], 3))
    for width in range(-3, 4):
        marks[: 14 - 2 * abs(width), columns + width] = (1, 0.8, 0.1)
    grid = shade(np.fft.fftshift(found["channels"], axes=1)).repeat(fall.shape[1] // CHANNELS, axis=1)
    rows = np.linspace(0, len(grid) - 1, 120).astype(int)
    return (255 * np.concatenate([marks, fall[steps], grid[rows]])).round().astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--stations", type=int, default=9)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--output", default="radio.png")
    options = parser.parse_args()

    band, places, tones = receive(options.seconds, options.stations, np.random.default_rng(options.seed))
    moved = tn.asarray(band)
    analyse(moved)  # what is compiled, is compiled once
    found, device = side_by_side.timed(analyse, moved)
    found = {name: tn.asnumpy(values) for name, values in found.items()}
    print(f"{band.size:,} samples with {len(places)} stations: {len(found['places'])} found")
    print("     found at      truth  hears   truth (Hz)")
    for place, tone in zip(found["places"], found["tones"]):
        k = np.abs(places - place).argmin()
        print(f"{place:13,.0f} {places[k]:10,.0f} {tone:6.0f} {tones[k]:7.0f}")
    try:
        wanted, host = side_by_side.timed(analyse, band)
    except ModuleNotFoundError as missing:
        print(f"Tenorite {device:.3f} s; {missing.name} is not installed")
    else:
        print(f"SciPy    {host:.3f} s\nTenorite {device:.3f} s")
        np.testing.assert_allclose(found["places"], wanted["places"])
        np.testing.assert_allclose(found["tones"], wanted["tones"])
        for name in ("waterfall", "channels"):
            np.testing.assert_allclose(10 ** (found[name] / 10), 10 ** (wanted[name] / 10), rtol=1e-2, atol=1e-6)
        print("the same stations and tones")
    side_by_side.write_png(options.output, paint(found))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
