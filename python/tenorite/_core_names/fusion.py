"""What programs take from CuPy's ``cupy._core.fusion``."""

from tenorite._kernels.fuse import fuse

__all__ = ["fuse"]
