"""What CuPy keeps in cupyx: tenorite.x.errstate is cupyx.errstate."""

import importlib as _importlib

from tenorite._as_cupy import MOVED as _MOVED
from tenorite._linalg.failures import errstate, geterr, seterr
from tenorite.x._pinned import empty_like_pinned, empty_pinned, zeros_like_pinned, zeros_pinned
from tenorite.x._elements import rsqrt, scatter_add, scatter_max, scatter_min

__all__ = ["empty_like_pinned", "empty_pinned", "errstate", "geterr", "rsqrt", "scatter_add", "scatter_max",
           "scatter_min", "seterr", "zeros_like_pinned", "zeros_pinned"]  # fmt: skip


def __getattr__(name):
    if name in _MOVED:  # cupyx.jit is tenorite.jit
        return _importlib.import_module(f"tenorite.{name}")
    raise AttributeError(f"module 'tenorite.x' has no attribute {name!r}")
