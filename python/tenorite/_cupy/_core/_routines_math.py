"""What programs take from CuPy's ``cupy._core._routines_math``."""

import tenorite

__all__ = []


def _scan_for_test(a, out=None):
    if a.ndim != 1:
        raise TypeError(f"scan: an array of one dimension is needed, not of {a.ndim}")
    return tenorite.cumsum(a, dtype=a.dtype, out=out)
