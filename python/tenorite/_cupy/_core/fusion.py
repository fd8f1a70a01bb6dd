"""What programs take from CuPy's ``cupy._core.fusion``."""

from tenorite._kernels.fuse import Fusion, fuse

__all__ = ["Fusion", "fuse"]
