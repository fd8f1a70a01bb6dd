"""Cells in a microscope's image, taken apart and measured: one program for SciPy and Tenorite.

The program makes an image as a fluorescence microscope would: cells that touch, an uneven lamp, a
blurred lens, grains of light. It removes the background, sharpens the image (W. H. Richardson,
Bayesian-based iterative method of image restoration, 1972), chooses a threshold (N. Otsu, A
threshold selection method from gray-level histograms, 1979), splits cells that touch at the ridges
between their distances to the edge, and measures each.

    python examples/microscopy.py [--size N] [--cells N] [--output microscopy.png]
"""

import argparse

import numpy as np
import side_by_side
import tenorite as tn

BLUR = 2.0  # of the lens: sigma in pixels


def photograph(size, cells, rng):
    """An image of float32, and how many cells it shows."""
    y, x = np.mgrid[:size, :size].astype(np.float32)
    light = np.zeros((size, size), np.float32)
    places = np.empty((0, 3))
    for _ in range(50 * cells):
        radius = rng.uniform(8, 13)
        place = rng.uniform(radius + 4, size - radius - 4, 2)
        gaps = np.hypot(*(places[:, :2] - place).T) - 0.85 * (places[:, 2] + radius)
        if len(places) < cells and (gaps > 0).all():
            places = np.vstack([places, [*place, radius]])
    for row, column, radius in places:
        box = tuple(slice(max(int(middle) - 15, 0), int(middle) + 16) for middle in (row, column))
        away = np.hypot(y[box] - row, x[box] - column) / radius
        light[box] = np.maximum(light[box], np.where(away < 1, rng.uniform(80, 160) * (1 - 0.5 * away**2), 0))
    transfer = np.exp(-2 * (np.pi * BLUR) ** 2 * (np.fft.fftfreq(size)[:, None] ** 2 + np.fft.rfftfreq(size) ** 2))
    blurred = np.fft.irfft2(np.fft.rfft2(light) * transfer, light.shape)
    lamp = 40 + 50 * np.exp(-((y - 0.3 * size) ** 2 + (x - 0.6 * size) ** 2) / (0.7 * size) ** 2)
    return rng.poisson(np.maximum(blurred, 0) + lamp).astype(np.float32), len(places)


def without_background(ndimage, image):
    """What is brighter than its wide neighbourhood's darkest part."""
    darkest = ndimage.minimum_filter(ndimage.gaussian_filter(image, 4), 45)
    return (image - ndimage.uniform_filter(darkest, 45)).clip(1)


def sharpened(ndimage, image, steps=10):
    """Richardson and Lucy's estimate of what the lens has blurred."""
    estimate = image
    for _ in range(steps):
        estimate = estimate * ndimage.gaussian_filter(image / ndimage.gaussian_filter(estimate, BLUR), BLUR)
    return estimate


def otsu(xp, image):
    """The threshold that leaves the least variance within the dark and the bright."""
    counts, edges = xp.histogram(image, 256)
    middles = (edges[1:] + edges[:-1]) / 2
    below, above = counts.cumsum(), counts[::-1].cumsum()[::-1]
    mean_below = (counts * middles).cumsum() / below.clip(1)
    mean_above = (counts * middles)[::-1].cumsum()[::-1] / above.clip(1)
    between = below[:-1] * above[1:] * (mean_below[:-1] - mean_above[1:]) ** 2
    return middles[xp.argmax(between)]


def split(ndimage, bright):
    """Labels of the cells: each pixel of `bright` goes to the nearest middle of a cell."""
    depth = ndimage.gaussian_filter(ndimage.distance_transform_edt(bright), 2)
    middles = (depth == ndimage.maximum_filter(depth, 11)) & (depth > 3)
    seeds, count = ndimage.label(middles, ndimage.generate_binary_structure(2, 2))
    nearest = ndimage.distance_transform_edt(seeds == 0, return_distances=False, return_indices=True)
    return seeds[tuple(nearest)] * bright, int(count)


def analyse(image):
    """{name: array} of the steps and of the measures; the array says where it runs."""
    xp, ndimage = tn.get_array_module(image), tn.scipy.get_array_module(image).ndimage
    flat = without_background(ndimage, image)
    sharp = sharpened(ndimage, flat)
    smooth = xp.sqrt(ndimage.gaussian_filter(sharp, 1.5))  # dim cells beside bright ones
    bright = ndimage.binary_fill_holes(ndimage.binary_opening(smooth > otsu(xp, smooth), iterations=2))
    labels, count = split(ndimage, bright)
    index = xp.arange(1, count + 1)
    middle = xp.asarray(ndimage.center_of_mass(flat, labels, index))
    area = ndimage.sum_labels(bright, labels, index)
    brightness = ndimage.mean(flat, labels, index)
    spread = ndimage.standard_deviation(flat, labels, index)
    edge = ndimage.morphological_gradient(labels, size=3) > 0
    return {
        "flat": flat,
        "sharp": sharp,
        "labels": labels,
        "edge": edge,
        "table": xp.stack([*middle.T, area, brightness, spread], axis=1),
    }


def paint(image, found):
    """Three panels side by side: the photograph, the sharpened image, the cells in colours."""

    def grey(values):
        low, high = np.percentile(values, [1, 99.7])
        return np.repeat(np.clip((values - low) / (high - low), 0, 1)[..., None], 3, -1)

    hues = np.random.default_rng(1).uniform(0.25, 1, (found["labels"].max() + 1, 3))
    hues[0] = 0
    cells = hues[found["labels"]] * np.where(found["edge"], 0.35, 1)[..., None]
    panels = np.concatenate([grey(image), grey(found["sharp"]), cells], axis=1)
    return (255 * panels).round().astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--cells", type=int, default=900)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--output", default="microscopy.png")
    options = parser.parse_args()

    image, made = photograph(options.size, options.cells, np.random.default_rng(options.seed))
    moved = tn.asarray(image)
    analyse(moved)  # what is compiled, is compiled once
    found, device = side_by_side.timed(analyse, moved)
    found = {name: tn.asnumpy(values) for name, values in found.items()}
    table = found["table"]
    print(f"{options.size} x {options.size} pixels with {made} cells: {len(table)} found")
    print("   row  column    area  brightness  spread")
    for line in table[np.argsort(-table[:, 2])[:8]]:
        print("{:6.1f}  {:6.1f}  {:6.0f}  {:10.1f}  {:6.1f}".format(*line))
    try:
        wanted, host = side_by_side.timed(analyse, image)
    except ModuleNotFoundError as missing:
        print(f"Tenorite {device:.3f} s; {missing.name} is not installed")
    else:
        print(f"SciPy    {host:.3f} s\nTenorite {device:.3f} s")
        # Pixels between two cells may go to either.
        assert len(wanted["table"]) == len(table), "not the same cells"
        np.testing.assert_allclose(table[:, :2], wanted["table"][:, :2], atol=0.2)
        np.testing.assert_allclose(table[:, 2:], wanted["table"][:, 2:], rtol=0.05)
        print("the same cells in the same places")
    side_by_side.write_png(options.output, paint(image, found))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
