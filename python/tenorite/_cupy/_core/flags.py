"""What programs take from CuPy's ``cupy._core.flags``."""

from tenorite import _core

__all__ = ["Flags"]

Flags = type(_core.empty(0).flags)
