"""The spectrogram of a chirp: one program for NumPy and Tenorite.

A tone whose frequency rises and falls is cut into windows that overlap, each is transformed by
rfft, and the power of every frequency over time becomes a PNG file.

    python examples/spectrum.py [--samples N] [--window W] [--output spectrum.png]
"""

import argparse
import time

import numpy as np
import tenorite as tn
from kmeans import write_png

RATE = 8000.0  # samples a second


def chirp(samples, rng):
    """Two tones, one that rises and one that swings, and some noise; float32."""
    t = np.arange(samples) / RATE
    whole = samples / RATE
    rising = np.cos(2 * np.pi * (200 * t + 1500 * t * t / whole))
    swinging = np.cos(2 * np.pi * 2500 * t + 100 * whole * np.sin(4 * np.pi * t / whole))
    return (rising + 0.5 * swinging + 0.05 * rng.standard_normal(samples)).astype(np.float32)


def spectrogram(signal, window):
    """The power (time, frequency) of windows that overlap by three quarters, in decibels.

    The array says where it runs: on the host through NumPy, or on a device.
    """
    xp = tn.get_array_module(signal)
    pieces = xp.lib.stride_tricks.sliding_window_view(signal, window)[:: window // 4]
    pieces = pieces * xp.hanning(window).astype(signal.dtype)
    transform = xp.fft.rfft(pieces)
    power = transform.real**2 + transform.imag**2
    return 10 * xp.log10(power + xp.float32(1e-6))


def timed(function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    tn.cuda.Device().synchronize()
    return result, time.perf_counter() - start


def paint(decibels):
    """An image (frequency, time, 3) of uint8, low frequencies at the bottom."""
    low, high = np.percentile(decibels, [20, 99.9])
    shade = np.clip((decibels.T[::-1] - low) / (high - low), 0, 1)[..., None]
    return (255 * np.clip(shade * 3 - np.array([0, 1, 2]), 0, 1)).astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=400_000)
    parser.add_argument("--window", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--output", default="spectrum.png")
    options = parser.parse_args()

    signal = chirp(options.samples, np.random.default_rng(options.seed))
    wanted, host = timed(spectrogram, signal, options.window)
    moved = tn.asarray(signal)
    got, device = timed(spectrogram, moved, options.window)
    got = tn.asnumpy(got)
    # Below -20 dB the rounding of float32 is what is seen.
    error = np.abs(got - wanted)[wanted > -20].max()
    print(f"{options.samples:,} samples, {len(got)} windows of {options.window}")
    print(f"NumPy    {host:.3f} s")
    print(f"Tenorite {device:.3f} s, at most {error:.4f} dB from NumPy's")
    assert error < 0.1, "the spectrograms differ"

    write_png(options.output, paint(got))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
