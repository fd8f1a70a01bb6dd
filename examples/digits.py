"""Handwritten digits, made by the program, distinguished by their nearest neighbours: one program
for NumPy and Tenorite.

    python examples/digits.py [--train N] [--test N] [--output digits.png]

Digits are drawn as strokes of seven segments, then shifted, slanted, thickened and strewn with
noise. A digit is what most of its nearest neighbours are. The picture is the confusion matrix.
"""

import argparse

import numpy as np
import side_by_side

SIDE = 16
# The segments of a digit, as (x, y) of both ends in a box of 1 x 2.
SEGMENTS = {
    "a": ((0, 0), (1, 0)),
    "b": ((1, 0), (1, 1)),
    "c": ((1, 1), (1, 2)),
    "d": ((0, 2), (1, 2)),
    "e": ((0, 1), (0, 2)),
    "f": ((0, 0), (0, 1)),
    "g": ((0, 1), (1, 1)),
}
DIGITS = "abcdef bc abged abgcd fgbc afgcd afgecd abc abcdefg abcdfg".split()


def draw(labels, rng):
    """NumPy's images (n, SIDE * SIDE) of these digits, no two alike: whole numbers from 0 to
    15 as float32, so that sums of products are exact in whatever order."""
    count = len(labels)
    y, x = np.mgrid[:SIDE, :SIDE] / (SIDE - 1) * 2.6 - 0.3
    images = np.zeros((count, SIDE, SIDE))
    shift, slant = rng.normal(0, 0.12, (2, count, 1, 1)), rng.normal(0, 0.25, (count, 1, 1))
    width, size = rng.uniform(0.12, 0.28, (count, 1, 1)), rng.uniform(0.8, 1.15, (count, 1, 1))
    px = (x - 0.5 - shift[0] - slant * (1 - y)) / size
    py = (y - shift[1]) / size
    for digit, names in enumerate(DIGITS):
        here = labels == digit
        for (x0, y0), (x1, y1) in (SEGMENTS[name] for name in names):
            # How far each pixel is from the segment.
            along = np.clip((px[here] - x0) * (x1 - x0) + (py[here] - y0) * (y1 - y0), 0, 1)
            gap = np.hypot(px[here] - x0 - along * (x1 - x0), py[here] - y0 - along * (y1 - y0))
            images[here] = np.maximum(images[here], np.exp(-((gap / width[here]) ** 2)))
    images += rng.normal(0, 0.25, images.shape)
    return np.clip(np.rint(10 * images), 0, 15).reshape(count, -1).astype(np.float32)


def classify(xp, train, train_labels, test, neighbors, block=1000):
    """The labels of test images: for each the most frequent one of its nearest neighbours."""
    lengths = (train * train).sum(axis=1)
    found = []
    for start in range(0, len(test), block):
        images = test[start : start + block]
        # |x - t|**2 without |x|**2, which is the same for all neighbours.
        gaps = (lengths - 2 * (images @ train.T)).astype(xp.int64)
        # Of two that are as near the first counts.
        near = xp.argpartition(gaps * len(train) + xp.arange(len(train)), neighbors, axis=1)[:, :neighbors]
        votes = (train_labels[near][:, :, None] == xp.arange(10)).sum(axis=1)
        found.append(votes.argmax(axis=1))
    return xp.concatenate(found)


def confusion(xp, labels, found):
    """How many digits of each kind (rows) were taken for which (columns)."""
    return xp.bincount(10 * labels + found, minlength=100).reshape(10, 10)


def digits(xp, train, train_labels, test, labels, neighbors):
    train, train_labels, test, labels = map(xp.asarray, (train, train_labels, test, labels))
    found = classify(xp, train, train_labels, test, neighbors)
    return {"found": found, "confusion": confusion(xp, labels, found), "right": (found == labels).mean()}


def paint(counts, cell=32):
    """The matrix as an image: the more, the darker; right answers in blue, wrong ones in red."""
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    right = np.eye(10, dtype=bool)
    ink = np.where(right, share, np.minimum(1, share * 8))[:, :, None]
    colors = np.where(right[:, :, None], [20, 60, 160], [190, 40, 30])
    image = (255 * (1 - ink) + colors * ink).round().astype(np.uint8)
    image = image.repeat(cell, axis=0).repeat(cell, axis=1)
    image[::cell] = image[:, ::cell] = 220
    return image


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", type=int, default=20_000)
    parser.add_argument("--test", type=int, default=5_000)
    parser.add_argument("--neighbors", type=int, default=7)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--output", default="digits.png")
    side_by_side.add_options(parser)
    options = parser.parse_args()

    rng = np.random.default_rng(options.seed)
    train_labels, labels = rng.integers(10, size=options.train), rng.integers(10, size=options.test)
    train, test = draw(train_labels, rng), draw(labels, rng)
    result = side_by_side.run(
        lambda xp: digits(xp, train, train_labels, test, labels, options.neighbors), options.module
    )
    print(result["confusion"])
    print(f"{float(result['right']):.1%} of {options.test} digits are right")
    side_by_side.write_png(options.output, paint(result["confusion"]))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
