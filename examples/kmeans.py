"""k-means clustering: one program for NumPy and Tenorite.

Points are drawn around a few centres, clustered by both, and the result is painted into a PNG file,
each cluster in a colour of its own with a cross on its centre.

    python examples/kmeans.py [--points N] [--clusters K] [--output kmeans.png]
"""

import argparse

import numpy as np
import tenorite as tn
from side_by_side import timed, write_png


def kmeans(points, centers, steps):
    """Lloyd's algorithm: the label of each point and the centres, from given first centres.

    The arrays say where it runs: on the host through NumPy, or on a device.
    """
    xp = tn.get_array_module(points)
    labels = None
    for _ in range(steps):
        # |x - c|**2 without |x|**2, which is the same for all centres.
        distances = (centers * centers).sum(axis=1) - 2 * (points @ centers.T)
        fresh = distances.argmin(axis=1)
        if labels is not None and bool((fresh == labels).all()):
            break
        labels = fresh
        members = (labels[:, None] == xp.arange(len(centers))).astype(points.dtype)
        counts = members.sum(axis=0)
        means = (members.T @ points) / xp.maximum(counts, 1)[:, None]
        centers = xp.where(counts[:, None] > 0, means, centers)
    return labels, centers


def first_centers(points, count, rng):
    """Points that lie apart: each is drawn with a chance that grows with its distance to the
    others."""
    chosen = [int(rng.integers(len(points)))]
    sample = points[rng.choice(len(points), min(len(points), 5000), replace=False)]
    centers = [points[chosen[0]]]
    while len(centers) < count:
        gaps = ((sample[:, None] - np.array(centers)) ** 2).sum(axis=2).min(axis=1)
        centers.append(sample[rng.choice(len(sample), p=gaps / gaps.sum())])
    return np.array(centers)


def clusters(points, count, rng):
    """`points` points around `count` centres of different widths."""
    middles = rng.uniform(-10, 10, (count, 2))
    widths = rng.uniform(0.5, 1.5, (count, 1))
    of = rng.integers(count, size=points)
    return (middles[of] + widths[of] * rng.standard_normal((points, 2))).astype(np.float32)


# --- The picture ---


def paint(points, labels, centers, side=800):
    """An image (side, side, 3) of uint8: the denser the points, the brighter their colour."""
    low, high = points.min(axis=0), points.max(axis=0)

    def pixel(places):
        return ((places - low) / (high - low) * (side - 1)).astype(int)

    at = pixel(points)
    hues = np.arange(len(centers))[:, None] / len(centers) + np.array([0, 1 / 3, 2 / 3])
    colors = 0.55 + 0.45 * np.cos(2 * np.pi * hues)
    image = np.zeros((side, side, 3))
    for label, color in enumerate(colors):
        here = at[labels == label]
        counts = np.bincount(here[:, 1] * side + here[:, 0], minlength=side * side)
        image += np.sqrt(counts).reshape(side, side, 1) * color
    image = np.clip(image / np.percentile(image[image > 0], 95), 0, 1) * 255
    for x, y in pixel(centers):
        image[max(y - 8, 0) : y + 9, max(x - 1, 0) : x + 2] = 255
        image[max(y - 1, 0) : y + 2, max(x - 8, 0) : x + 9] = 255
    return image[::-1].astype(np.uint8)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=200_000)
    parser.add_argument("--clusters", type=int, default=7)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--output", default="kmeans.png")
    options = parser.parse_args()

    rng = np.random.default_rng(options.seed)
    points = clusters(options.points, options.clusters, rng)
    start = first_centers(points, options.clusters, rng)

    (labels, centers), host = timed(kmeans, points, start, options.steps)
    moved, first = tn.asarray(points), tn.asarray(start)
    (device_labels, device_centers), device = timed(kmeans, moved, first, options.steps)
    same = np.mean(labels == tn.asnumpy(device_labels))
    print(f"{options.points:,} points, {options.clusters} clusters")
    print(f"NumPy    {host:.3f} s")
    print(f"Tenorite {device:.3f} s, {same:.3%} of the labels as NumPy's")

    picture = paint(points, tn.asnumpy(device_labels), tn.asnumpy(device_centers))
    write_png(options.output, picture)
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
