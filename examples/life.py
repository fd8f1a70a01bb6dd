"""Conway's game of life on a torus: one program for NumPy and Tenorite.

    python examples/life.py [--size N] [--steps N] [--module numpy|tenorite|both]

The field begins with a glider gun and random cells. What lives at the end is printed, and shown if
the field is small.
"""

import argparse

import numpy as np
import side_by_side

GUN = """
........................O...........
......................O.O...........
............OO......OO............OO
...........O...O....OO............OO
OO........O.....O...OO..............
OO........O...O.OO....O.O...........
..........O.....O.......O...........
...........O...O....................
............OO......................
"""


def first_field(size, seed):
    """A NumPy array of bool: random cells below, a glider gun above if there is room for it."""
    field = np.random.default_rng(seed).random((size, size)) < 0.3
    gun = np.array([[cell == "O" for cell in row] for row in GUN.split()])
    if size >= 64:
        field[: size // 2] = False
        field[4 : 4 + gun.shape[0], 4 : 4 + gun.shape[1]] = gun
    return field


def step(xp, field):
    """The next generation: a cell lives with three neighbours, or with two if it lived."""
    cells = field.astype(xp.int8)
    rows = cells + xp.roll(cells, 1, axis=0) + xp.roll(cells, -1, axis=0)
    around = rows + xp.roll(rows, 1, axis=1) + xp.roll(rows, -1, axis=1)
    return (around == 3) | (field & (around == 4))


def life(xp, field, steps):
    """The field after so many generations, and how many cells lived in each."""
    field = xp.asarray(field)
    living = xp.zeros(steps + 1, dtype=xp.int64)
    living[0] = field.sum()
    for k in range(steps):
        field = step(xp, field)
        living[k + 1] = field.sum()
    return {"field": field, "living": living}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    side_by_side.add_options(parser)
    options = parser.parse_args()

    field = first_field(options.size, options.seed)
    result = side_by_side.run(lambda xp: life(xp, field, options.steps), options.module)
    print(f"{result['living'][0]} cells at first, {result['living'][-1]} after {options.steps} generations")
    if options.size <= 100:
        for row in result["field"]:
            print("".join(".O"[int(cell)] for cell in row))


if __name__ == "__main__":
    main()
