"""What programs take from CuPy's ``cupy._core._routines_math``."""

import tenorite

__all__ = []


def _scan_for_test(a, out=None):
    return tenorite.cumsum(a, out=out)
