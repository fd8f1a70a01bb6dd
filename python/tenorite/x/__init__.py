"""What CuPy keeps in cupyx: tenorite.x.errstate is cupyx.errstate."""

from tenorite._linalg.failures import errstate, geterr, seterr

__all__ = ["errstate", "geterr", "seterr"]
