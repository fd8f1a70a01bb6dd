"""CuPy's CUB. Reductions and scans here need no CUB, so it is not there."""

__all__ = ["available"]

available = False
CUPY_CUB_SUM, CUPY_CUB_MIN, CUPY_CUB_MAX, CUPY_CUB_ARGMIN, CUPY_CUB_ARGMAX, CUPY_CUB_CUMSUM, CUPY_CUB_CUMPROD = range(7)
CUPY_CUB_PROD = 7
