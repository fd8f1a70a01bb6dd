"""What programs take from CuPy's ``cupy._core.new_fusion``."""

from tenorite._kernels.fuse import Fusion

__all__ = ["Fusion"]
