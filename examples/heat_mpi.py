"""Heat in a plate that MPI's processes share: each has some rows on its own device, and sends its
outer rows to its neighbours in each step.

    mpirun -n 4 python examples/heat_mpi.py [--size 512] [--steps 400] [--staged]
                                            [--output heat.png]

Rows go from array to array without a copy: mpi4py reads the device's memory through DLPack. Where
that is a GPU's, MPI itself has to know GPUs; for one that does not, --staged sends copies in the
host's memory. The first process gathers the plate, compares it with what NumPy computes alone, and
draws it.
"""

import argparse
import time

import numpy as np
import side_by_side
import tenorite as tn
from mpi4py import MPI

DIFFUSION = 0.24


def start(xp, rows, size):
    """The rows of a plate at the beginning: cold, with three hot disks."""
    y, x = rows[:, None] / size, xp.arange(size)[None] / size
    plate = xp.zeros((len(rows), size))
    for center_y, center_x, radius in ((0.3, 0.3, 0.12), (0.62, 0.7, 0.2), (0.8, 0.2, 0.08)):
        plate += 100 * ((y - center_y) ** 2 + (x - center_x) ** 2 < radius**2)
    return plate


def step(plate):
    """One step in time, of all points but those at the border, which stay."""
    inner = plate[1:-1, 1:-1]
    around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
    inner += DIFFUSION * (around - 4 * inner)


def exchange(world, plate, staged):
    """The rows above and below, which the neighbours computed. A process at the border has none."""
    above = world.rank - 1 if world.rank else MPI.PROC_NULL
    below = world.rank + 1 if world.rank < world.size - 1 else MPI.PROC_NULL
    tn.cuda.get_current_stream().synchronize()  # MPI waits for no stream
    for mine, to, row, other in ((1, above, -1, below), (-2, below, 0, above)):
        if staged:
            received = plate[row].get()
            world.Sendrecv(plate[mine].get(), dest=to, recvbuf=received, source=other)
            plate[row] = tn.asarray(received)
        else:
            world.Sendrecv(plate[mine], dest=to, recvbuf=plate[row], source=other)


def solve(world, size, steps, staged):
    """This process's rows after some steps, without its neighbours'."""
    first, last = size * world.rank // world.size, size * (world.rank + 1) // world.size
    # A row of each neighbour; at the border of the plate one that stays as it is.
    rows = tn.arange(first - 1, last + 1)
    plate = start(tn, tn.clip(rows, 0, size - 1), size)
    for _ in range(steps):
        exchange(world, plate, staged)
        if world.rank == 0:
            plate[0] = plate[1]
        if world.rank == world.size - 1:
            plate[-1] = plate[-2]
        step(plate)
    tn.cuda.Device().synchronize()
    return plate[1:-1]


def gather(world, plate, size, staged):
    """The whole plate in the host's memory of the first process; nothing on the others."""
    counts = np.array(world.allgather(len(plate))) * size
    if staged:
        held = np.empty((size if world.rank == 0 else 0, size))
        world.Gatherv(plate.get(), [held, counts] if world.rank == 0 else None)
        return held
    whole = tn.empty((size if world.rank == 0 else 0, size))
    world.Gatherv(tn.ascontiguousarray(plate), [whole, counts] if world.rank == 0 else None)
    return whole.get()


def alone(size, steps):
    """What NumPy computes in one process."""
    plate = start(np, np.clip(np.arange(-1, size + 1), 0, size - 1), size)
    for _ in range(steps):
        plate[0], plate[-1] = plate[1], plate[-2]
        step(plate)
    return plate[1:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=512, help="points of a side")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--staged", action="store_true", help="send copies in the host's memory")
    parser.add_argument("--output", help="where the picture goes")
    options = parser.parse_args()
    world = MPI.COMM_WORLD
    tn.cuda.Device(world.rank % tn.cuda.runtime.getDeviceCount()).use()
    world.Barrier()
    begin = time.perf_counter()
    plate = solve(world, options.size, options.steps, options.staged)
    warmest = world.allreduce(float(plate.max()), op=MPI.MAX)
    seconds = world.reduce(time.perf_counter() - begin, op=MPI.MAX)
    whole = gather(world, plate, options.size, options.staged)
    if world.rank:
        return
    print(f"{world.size} processes, {options.size} x {options.size} points, {options.steps} steps: {seconds:.2f} s")
    print(f"the warmest point has {warmest:.3f} degrees")
    np.testing.assert_allclose(whole, alone(options.size, options.steps), rtol=1e-12, atol=1e-12)
    print("the plate is NumPy's")
    if options.output:
        heat = whole / whole.max()
        side_by_side.write_png(options.output, (255 * np.stack([heat, heat**2, heat**4 * 0.5], -1)).astype(np.uint8))


if __name__ == "__main__":
    main()
