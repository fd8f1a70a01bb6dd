"""Kernels that are Python functions: translated to CUDA C++, for GPUs and for the host."""

from tenorite.jit import cg, cub, thrust
from tenorite.jit._builtins import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_dec,
    atomic_exch,
    atomic_inc,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_sub,
    atomic_xor,
    blockDim,
    blockIdx,
    grid,
    gridDim,
    gridsize,
    laneid,
    local_memory,
    range,
    shared_memory,
    shfl_down_sync,
    shfl_sync,
    shfl_up_sync,
    shfl_xor_sync,
    syncthreads,
    syncwarp,
    threadIdx,
    warpsize,
)
from tenorite.jit._kernel import rawkernel

__all__ = [name for name in dir() if name[0] != "_"]
