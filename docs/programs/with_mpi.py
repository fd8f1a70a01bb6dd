"""MPI: each process sums its part; run by `mpirun -n 2 python with_mpi.py`, or alone."""

import numpy as np
import tenorite as cp
from mpi4py import MPI

world = MPI.COMM_WORLD
part = cp.arange(world.rank, 1000, world.size)
total = np.zeros(1, dtype=np.int64)
world.Allreduce(part.sum(keepdims=True).get(), total)
if world.rank == 0:
    print(int(total[0]))
