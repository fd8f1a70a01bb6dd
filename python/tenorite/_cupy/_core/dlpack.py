"""What programs take from CuPy's ``cupy._core.dlpack``."""

import tenorite

__all__ = ["fromDlpack", "from_dlpack", "toDlpack"]

fromDlpack, from_dlpack = tenorite.fromDlpack, tenorite.from_dlpack


def toDlpack(array):
    """The array as a capsule of DLPack."""
    return array.toDlpack()
