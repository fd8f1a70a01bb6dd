"""Poisson's equation on a square by multigrid on slices: one program for NumPy and Tenorite.

    python examples/poisson.py [--size N] [--cycles N] [--module numpy|tenorite|both]

-(u_xx + u_yy) = f with u = 0 on the border, for an f of which the solution is known. Each V-cycle
smooths by red and black Gauss-Seidel steps, solves for the error on a grid of half the size, and
smooths again; the error of the equation shrinks about tenfold.
"""

import argparse

import side_by_side


def smooth(u, f, h2, steps):
    """Gauss-Seidel in place: first the red points of the chessboard, then the black ones."""
    for _ in range(steps):
        for row, column in ((1, 1), (2, 2), (1, 2), (2, 1)):
            inner = u[row:-1:2, column:-1:2]
            above, below = u[row - 1 : -2 : 2, column:-1:2], u[row + 1 :: 2, column:-1:2]
            left, right = u[row:-1:2, column - 1 : -2 : 2], u[row:-1:2, column + 1 :: 2]
            inner[...] = 0.25 * (above + below + left + right + h2 * f[row:-1:2, column:-1:2])


def residual(xp, u, f, h2):
    """What is left of the equation; 0 on the border."""
    left = xp.zeros_like(u)
    inner = 4 * u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]
    left[1:-1, 1:-1] = f[1:-1, 1:-1] - inner / h2
    return left


def coarser(xp, fine):
    """A grid of half the size: each point is a mean of those around it, the nearer the heavier."""
    half = (fine.shape[0] - 1) // 2 + 1
    coarse = xp.zeros((half, half), dtype=fine.dtype)
    sides = fine[1:-3:2, 2:-2:2] + fine[3:-1:2, 2:-2:2] + fine[2:-2:2, 1:-3:2] + fine[2:-2:2, 3:-1:2]
    corners = fine[1:-3:2, 1:-3:2] + fine[1:-3:2, 3:-1:2] + fine[3:-1:2, 1:-3:2] + fine[3:-1:2, 3:-1:2]
    coarse[1:-1, 1:-1] = (4 * fine[2:-2:2, 2:-2:2] + 2 * sides + corners) / 16
    return coarse


def finer(xp, coarse):
    """A grid of twice the size, by linear interpolation."""
    size = 2 * (coarse.shape[0] - 1) + 1
    fine = xp.zeros((size, size), dtype=coarse.dtype)
    fine[::2, ::2] = coarse
    fine[1::2, ::2] = (coarse[:-1] + coarse[1:]) / 2
    fine[:, 1::2] = (fine[:, :-1:2] + fine[:, 2::2]) / 2
    return fine


def cycle(xp, u, f, h):
    """One V-cycle, in place."""
    if u.shape[0] == 3:
        u[1, 1] = h * h * f[1, 1] / 4
        return
    smooth(u, f, h * h, 2)
    error_of = coarser(xp, residual(xp, u, f, h * h))
    error = xp.zeros_like(error_of)
    cycle(xp, error, error_of, 2 * h)
    u += finer(xp, error)
    smooth(u, f, h * h, 2)


def poisson(xp, size, cycles):
    """The solution on (size + 1) x (size + 1) points, and the largest residual after each cycle."""
    x = xp.linspace(0, 1, size + 1)
    sines = xp.sin(xp.pi * x)[:, None] * xp.sin(2 * xp.pi * x)[None, :]
    f, exact, u = 5 * xp.pi**2 * sines, sines, xp.zeros_like(sines)
    left = xp.zeros(cycles)
    for k in range(cycles):
        cycle(xp, u, f, 1 / size)
        left[k] = abs(residual(xp, u, f, 1 / size**2)).max()
    return {"solution": u, "error": abs(u - exact).max(), "residuals": xp.log10(left)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1024, help="a power of two")
    parser.add_argument("--cycles", type=int, default=5)
    side_by_side.add_options(parser)
    options = parser.parse_args()
    if options.size < 4 or options.size & (options.size - 1):
        parser.error(f"--size must be a power of two from 4 on, not {options.size}")

    result = side_by_side.run(lambda xp: poisson(xp, options.size, options.cycles), options.module)
    for k, residual_left in enumerate(result["residuals"], 1):
        print(f"cycle {k}: the residual is 10**{residual_left:.2f}")
    print(f"error of the solution: {float(result['error']):.2e}")


if __name__ == "__main__":
    main()
