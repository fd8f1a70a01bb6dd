"""A year of temperatures, measured every hour: read, cleaned, averaged, drawn."""

import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import tenorite as cp


def write_measurements(path):
    """A file of hours and temperatures as a logger writes it, with gaps."""
    rng = np.random.default_rng(1)
    hours = np.arange(24 * 365)
    season, day = -9 * np.cos(2 * np.pi * hours / 8760), -4 * np.cos(2 * np.pi * hours / 24)
    celsius = 10 + season + day + rng.normal(0, 2, hours.size)
    celsius[rng.integers(0, hours.size, 200)] = np.nan
    np.savetxt(path, np.stack([hours, celsius], axis=1), "%.2f", ",", header="hour,celsius")


def main(picture=None):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "celsius.csv"
        write_measurements(path)
        hours, celsius = cp.loadtxt(path, delimiter=",", unpack=True)

    days = celsius.reshape(365, 24)
    mean, low, high = cp.nanmean(days, axis=1), cp.nanmin(days, axis=1), cp.nanmax(days, axis=1)
    month = cp.convolve(cp.pad(mean, 15, mode="edge"), cp.full(31, 1 / 31), mode="valid")
    filled = cp.where(cp.isnan(celsius), cp.nanmean(celsius), celsius)
    power = abs(cp.fft.rfft(filled - filled.mean())) ** 2
    strongest = cp.argsort(power)[-2:][::-1]
    print("periods in days:", cp.asnumpy(365 / strongest).round(2).tolist())

    figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
    x = np.arange(365)
    axes.fill_between(x, low.get(), high.get(), color="#cfe3e2", label="lowest to highest")
    axes.plot(x, mean.get(), color="#7aa6a3", linewidth=0.8, label="mean of a day")
    axes.plot(x, month.get(), color="#0b6e6e", label="mean of 31 days")
    axes.set(xlabel="day", ylabel="temperature in °C", xlim=(0, 364))
    axes.legend(frameon=False, ncols=3)
    if picture:
        figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
