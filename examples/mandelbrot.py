"""The Mandelbrot set as a PNG file: one program for NumPy and Tenorite.

python examples/mandelbrot.py [--width N] [--steps N] [--output mandelbrot.png]
"""

import argparse

import numpy as np
import side_by_side


def escapes(xp, width, height, center, extent, steps):
    """For each pixel after how many steps of z -> z * z + c |z| exceeds 2; 0 if it never does."""
    x = xp.linspace(center.real - extent, center.real + extent, width)
    y = xp.linspace(center.imag - extent * height / width, center.imag + extent * height / width, height)
    c = x[None, :] + 1j * y[:, None]
    z, counts = xp.zeros_like(c), xp.zeros(c.shape, dtype=xp.int32)
    inside = xp.ones(c.shape, dtype=bool)
    for k in range(1, steps + 1):
        z = xp.where(inside, z * z + c, z)
        escaped = inside & (z.real * z.real + z.imag * z.imag > 4)
        counts[escaped] = k
        inside &= ~escaped
    return counts


def colors(xp, counts, steps):
    """An image of uint8: from blue over white to brown with the logarithm of the counts."""
    share = xp.log1p(counts) / np.log1p(steps)
    phases = xp.array([0.0, 0.15, 0.3])
    waves = 0.5 + 0.5 * xp.cos(2 * np.pi * (1.5 * share[:, :, None] + 0.55 - phases))
    return xp.where((counts > 0)[:, :, None], 255 * waves, 0).round().astype(xp.uint8)


def mandelbrot(xp, width, steps, center=-0.75 + 0j, extent=1.6):
    counts = escapes(xp, width, width * 3 // 4, center, extent, steps)
    return {"counts": counts, "image": colors(xp, counts, steps)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--width", type=int, default=800)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--output", default="mandelbrot.png")
    side_by_side.add_options(parser)
    options = parser.parse_args()

    result = side_by_side.run(lambda xp: mandelbrot(xp, options.width, options.steps), options.module)
    counts = result["counts"]
    print(
        f"{(counts == 0).mean():.1%} of the picture are in the set, the median of the others is "
        f"{np.median(counts[counts > 0]):.0f} steps"
    )
    side_by_side.write_png(options.output, result["image"])
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
