"""CuPy's room of communicators."""

import importlib.util

from tenorite.distributed import NCCLBackend

__all__ = ["NCCLBackend", "_mpi_available"]

_mpi_available = importlib.util.find_spec("mpi4py") is not None
