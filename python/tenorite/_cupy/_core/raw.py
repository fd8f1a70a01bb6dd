"""What programs take from CuPy's ``cupy._core.raw``."""

from tenorite._kernels.raw import RawKernel, RawModule

__all__ = ["RawKernel", "RawModule"]
