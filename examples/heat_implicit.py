"""Heat that spreads in a square plate, by implicit steps with sparse matrices.

    python examples/heat_implicit.py [--size N] [--steps N] [--output heat.png]

A warm disk and a hot bar cool down between rims that are kept at 0. A step of any length is stable,
for it solves (I + t L) new = old by conjugate gradients, where L is the sparse matrix of -(u_xx +
u_yy). The sines that are L's eigenvectors tell what the steps must give.
"""

import argparse

import side_by_side
import tenorite as tn
from tenorite.scipy import sparse
from tenorite.scipy.sparse import linalg


def laplacian(n):
    """The matrix of five points over n x n inner points of the unit square."""
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n)) * float((n + 1) ** 2)
    eye = sparse.identity(n)
    return (sparse.kron(eye, line) + sparse.kron(line, eye)).tocsr()


def start(n):
    """The first temperatures."""
    at = (tn.arange(n) + 1.0) / (n + 1)
    x, y = at[:, None], at[None, :]
    disk = (x - 0.35) ** 2 + (y - 0.35) ** 2 < 0.04
    bar = (abs(x - 0.7) < 0.03) & (abs(y - 0.6) < 0.25)
    return 1.0 * disk + 2.0 * bar


def run(n, steps, time_step=2e-4):
    """The temperatures after each step, and the iterations that all steps took."""
    matrix = (sparse.identity(n * n) + time_step * laplacian(n)).tocsr()
    heat, frames, count = start(n).ravel(), [], [0]

    def note(_):
        count[0] += 1

    for _ in range(steps):
        heat, info = linalg.cg(matrix, heat, x0=heat, rtol=1e-10, callback=note)
        if info:
            raise SystemExit(f"cg did not converge in {info} iterations")
        frames.append(heat.reshape(n, n))
    return frames, count[0]


def check(frames, n, steps, time_step=2e-4):
    """The largest difference from exact implicit steps of the sine series, which the Laplacian's
    eigenvectors are."""
    at = tn.arange(n) + 1.0
    sines = tn.sin(tn.pi * at[:, None] * at / (n + 1)) * (2 / (n + 1)) ** 0.5
    w = (2 - 2 * tn.cos(tn.pi * at / (n + 1))) * float((n + 1) ** 2)
    share = (1 + time_step * (w[:, None] + w)) ** -float(steps)
    expected = sines @ (share * (sines @ start(n) @ sines)) @ sines
    return float(abs(frames[-1] - expected).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--output", default="heat.png")
    options = parser.parse_args()

    (frames, count), seconds = side_by_side.timed(run, options.size, options.steps)
    error = check(frames, options.size, options.steps)
    print(f"{options.steps} steps on {options.size} x {options.size} points in {seconds:.2f} s")
    print(f"{count} iterations of cg; the largest difference from exact steps is {error:.1e}")
    assert error < 1e-7, "the steps are not exact"
    first = start(options.size)
    heat = tn.concatenate([frame / frame.max() for frame in (first, frames[len(frames) // 4], frames[-1])], axis=1)
    colors = [tn.clip(3 * heat - shift, 0, 1) for shift in (0, 1, 2)]
    side_by_side.write_png(options.output, tn.asnumpy((255 * tn.stack(colors, axis=-1)).astype("u1")))
    print(f"the start, a quarter of the way and the end are in {options.output}")


if __name__ == "__main__":
    main()
