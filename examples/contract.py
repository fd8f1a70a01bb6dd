"""A magnet's heat from a tensor network, contracted by einsum and by cuTENSOR's calls.

The two-dimensional Ising model on a tube that is `width` spins around and infinitely long: each
spin is a tensor of four axes of size 2, and a ring of them takes the state of the tube one ring
further. All temperatures are computed at once, as one more axis. The rings are contracted with the
state spin by spin until their largest eigenvalue is found, by NumPy's einsum, by Tenorite's, and
by `tenorite.cutensor.contraction`, which is cuTENSOR where it is installed. The heat capacity is
drawn beside Onsager's exact solution of the plane (Physical Review 65, 1944): its peak grows with
the width, as the exact one is infinite.

    python examples/contract.py [--width W] [--temperatures N] [--rings R] [--output contract.png]
"""

import argparse

import numpy as np
import side_by_side
import tenorite as tn
from tenorite import cutensor

CRITICAL = 2 / np.log(1 + np.sqrt(2))  # Onsager's temperature


def spin_tensor(beta):
    """(temperatures, up, left, down, right): a spin whose bonds carry half of the energy each."""
    high, low = np.sqrt(np.cosh(beta)), np.sqrt(np.sinh(beta))
    bond = np.stack([np.stack([high, low], -1), np.stack([high, -low], -1)], 1)  # (t, spin, bond)
    return np.einsum("tsu,tsl,tsd,tsr->tuldr", bond, bond, bond, bond)


def by_einsum(xp):
    """A contraction of two arrays whose axes have numbers, by einsum."""
    return lambda a, a_axes, b, b_axes, axes: xp.einsum(a, a_axes, b, b_axes, axes)


def by_cutensor(a, a_axes, b, b_axes, axes):
    """The same by one call of cuTENSOR's."""
    sizes = dict(zip([*a_axes, *b_axes], [*a.shape, *b.shape]))
    out = tn.empty([sizes[axis] for axis in axes], a.dtype)
    return cutensor.contraction(1, a, a_axes, b, b_axes, 0, out, axes)


def grow(xp, spin, width, rings, contract):
    """The logarithm of the largest eigenvalue of a ring, divided by the width, by temperature."""
    t, first, last, new, beside = 0, 1, 2, 3, 4  # numbers of axes; those of the spins follow
    places = [5 + k for k in range(width)]
    state = xp.ones((spin.shape[0], *[2] * width), spin.dtype)
    closing = xp.eye(2, dtype=spin.dtype)
    growth = None
    for _ in range(rings):
        # The ring is open between its first and its last spin until both bonds are the same.
        state = contract(state, [t, *places], closing, [first, last], [t, *places, first, last])
        for place in places:
            kept = [one if one != place else new for one in places]
            state = contract(
                state, [t, *places, first, last], spin, [t, place, last, new, beside], [t, *kept, first, beside]
            )
        state = contract(state, [t, *places, first, last], closing, [first, last], [t, *places])
        growth = xp.sqrt((state * state).reshape(state.shape[0], -1).sum(1))
        state = state / growth.reshape(-1, *[1] * width)
    return xp.log(growth) / width


def exact(beta):
    """The logarithm of the partition function for each spin of the plane."""
    angles = (np.arange(20000) + 0.5) * np.pi / 20000
    k = 1 / np.sinh(2 * beta[:, None]) ** 2
    root = np.sqrt(np.maximum(1 + k * k - 2 * k * np.cos(2 * angles), 0))
    return np.log(2) / 2 + np.log(np.cosh(2 * beta[:, None]) ** 2 + root / k).mean(1) / 2


def heat(beta, logarithm):
    """The heat capacity for each spin, at all temperatures but the ends."""
    slope = np.diff(logarithm) / np.diff(beta)
    middle = (beta[1:] + beta[:-1]) / 2
    return beta[1:-1] ** 2 * np.diff(slope) / np.diff(middle)


def paint(temperatures, curves, height=420, width=720):
    """Curves of heat over temperature, each in its colour, on white."""
    image = np.full((height, width, 3), 255, np.uint8)
    top = max(curve.max() for _, curve in curves) * 1.05

    def column(x):
        return ((x - temperatures[0]) / (temperatures[-1] - temperatures[0]) * (width - 20) + 10).astype(int)

    image[:, column(np.array([CRITICAL]))[0]] = 215
    image[-10] = image[:, 10] = 160
    for colour, curve in curves:
        fine = np.linspace(temperatures[0], temperatures[-1], 4 * width)
        values = np.interp(fine, temperatures, curve)
        rows = np.clip(height - 11 - (values / top * (height - 20)), 0, height - 3).astype(int)
        for thick in range(3):
            image[rows + thick, column(fine)] = colour
    return image


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--temperatures", type=int, default=40)
    parser.add_argument("--rings", type=int, default=40)
    parser.add_argument("--output", default="contract.png")
    options = parser.parse_args()

    temperatures = np.linspace(1.6, 3.4, options.temperatures)
    beta = 1 / temperatures[::-1]
    spin = spin_tensor(beta)
    programs = {
        "NumPy einsum": (np, by_einsum(np)),
        "Tenorite einsum": (tn, by_einsum(tn)),
        "Tenorite cutensor": (tn, by_cutensor),
    }
    found = {}
    for name, (xp, contract) in programs.items():
        moved = xp.asarray(spin)
        grow(xp, moved, options.width, 1, contract)  # what is compiled, is compiled once
        made, seconds = side_by_side.timed(grow, xp, moved, options.width, options.rings, contract)
        found[name] = tn.asnumpy(made)
        print(f"{name:<18} {seconds:.3f} s")
    first, *others = found.values()
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-10)
    print("the same free energies")
    plane = exact(beta)
    far = np.abs(temperatures[::-1] - CRITICAL) > 0.7
    print(
        f"at temperatures far from {CRITICAL:.4f} they differ from the plane's by {np.abs(first - plane)[far].max():.1e}"
    )
    curves = [((60, 60, 60), heat(beta, plane)[::-1])]
    for width, colour in [(4, (255, 190, 90)), (options.width, (30, 110, 220))]:
        curve = (
            first
            if width == options.width
            else tn.asnumpy(grow(tn, tn.asarray(spin), width, options.rings, by_cutensor))
        )
        curves.append((colour, heat(beta, curve)[::-1]))
    peak = temperatures[1:-1][curves[-1][1].argmax()]
    print(f"the heat's peak is at {peak:.2f}")
    side_by_side.write_png(options.output, paint(temperatures[1:-1], curves))
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
