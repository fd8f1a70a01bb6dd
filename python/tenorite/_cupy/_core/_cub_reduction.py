"""What programs take from CuPy's ``cupy._core._cub_reduction``."""

__all__ = []

# Below so many elements CuPy does not take CUB for a reduction.
_CUB_REDUCE_SIZE_THRESHOLD = 0
