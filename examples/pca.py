"""Eigenfaces: the principal components of generated faces, one program for NumPy and Tenorite.

    python examples/pca.py [--faces N] [--side N] [--output faces.png]

A face is drawn from eight numbers: the sizes of head, eyes and mouth, where they are, and the
light. The singular value decomposition of all faces finds the pictures of which each face is a
sum; a few of them keep most of what faces differ by.
"""

import argparse

import numpy as np
import side_by_side

KEPT = 12


def blob(xp, x, y, center, size):
    """A soft disk for each face; center and size are columns of numbers."""
    distance = ((x - center[0]) / size[0]) ** 2 + ((y - center[1]) / size[1]) ** 2
    return 1 / (1 + xp.exp(12 * (distance - 1)))


def draw(xp, numbers, side):
    """Faces (N, side * side) from numbers (N, 8) around 0."""
    at = xp.linspace(-1, 1, side)
    y, x = (part.reshape(1, -1) for part in xp.meshgrid(at, at, indexing="ij"))
    one = [numbers[:, k : k + 1] for k in range(8)]
    head = blob(xp, x, y, (0.08 * one[0], 0.05 * one[1]), (0.65 + 0.05 * one[2], 0.85))
    level, eye = -0.25 + 0.05 * one[3], 0.11 + 0.02 * one[4]
    eyes = sum(blob(xp, x, y, (0.08 * one[0] + sign * 0.28, level), (eye, eye)) for sign in (-1, 1))
    mouth = blob(xp, x, y, (0.08 * one[0], 0.42 + 0.04 * one[5]), (0.28 + 0.06 * one[6], 0.09))
    return head * (0.75 + 0.15 * one[7] * x) - 0.6 * eyes - 0.4 * mouth


def components(xp, numbers, side):
    """The mean face, the eigenfaces, how much each tells, and faces made of a few."""
    faces = draw(xp, xp.asarray(numbers), side)
    mean = faces.mean(axis=0)
    _, s, vh = xp.linalg.svd(faces - mean, full_matrices=False)
    kept = vh[:KEPT]
    kept = kept * xp.where(kept.sum(axis=1) < 0, -1.0, 1.0)[:, None]  # either sign is right
    again = mean + (faces[:8] - mean) @ kept.T @ kept
    share = xp.cumsum(s**2)[:KEPT] / (s**2).sum()
    orthogonal = abs(kept @ kept.T - xp.eye(KEPT)).max() < 1e-12
    return {
        "faces": faces[:8],
        "again": again,
        "mean": mean,
        "share": share,
        "eigenfaces": kept,
        "orthogonal": orthogonal,
    }


def picture(result, side):
    """Faces, the same from a few eigenfaces, and the first eigenfaces, in rows of eight."""
    rows = []
    for images in (result["faces"], result["again"], result["eigenfaces"][:8]):
        low, high = images.min(axis=1, keepdims=True), images.max(axis=1, keepdims=True)
        grey = (255 * (images - low) / (high - low)).astype(np.uint8).reshape(8, side, side)
        rows.append(np.concatenate(list(grey), axis=1))
    return np.repeat(np.concatenate(rows)[:, :, None], 3, axis=2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faces", type=int, default=300)
    parser.add_argument("--side", type=int, default=32)
    parser.add_argument("--output", default="faces.png")
    side_by_side.add_options(parser)
    options = parser.parse_args()
    if options.faces < KEPT or options.side < 8:
        parser.error(f"at least {KEPT} faces of 8 x 8 points are needed")

    numbers = np.random.default_rng(5).uniform(-1, 1, (options.faces, 8))
    result = side_by_side.run(lambda xp: components(xp, numbers, options.side), options.module)
    assert result["orthogonal"], "the eigenfaces are not orthogonal"
    print(f"{KEPT} eigenfaces keep {100 * result['share'][-1]:.1f} % of what the faces differ by")
    side_by_side.write_png(options.output, picture(result, options.side))
    print(f"faces, what {KEPT} eigenfaces keep of them and the eigenfaces are in {options.output}")


if __name__ == "__main__":
    main()
