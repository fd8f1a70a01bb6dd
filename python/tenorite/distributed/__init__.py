"""Programs of several processes under the names of CuPy's cupyx.distributed.

Each process is a rank with a device. The ranks find each other through a store, which rank 0 holds
at a port, or through MPI, and then talk through NCCL, or, on the host, through shared memory.
"""

import importlib as _importlib

from tenorite.distributed._backend import NCCLBackend
from tenorite.distributed._start import init_process_group

__all__ = ["NCCLBackend", "array", "init_process_group"]


def __getattr__(name):
    if name == "array":
        return _importlib.import_module("tenorite.distributed.array")
    raise AttributeError(f"module 'tenorite.distributed' has no attribute {name!r}")
