"""What programs take from CuPy's ``cupy._util``."""

import os

from tenorite._kernels.memoized import clear_memo, memoize
from tenorite.exceptions import PerformanceWarning

__all__ = ["CUDA_ARRAY_INTERFACE_EXPORT_VERSION", "ENABLE_SLICE_COPY", "PerformanceWarning", "clear_memo", "memoize"]

# The version of __cuda_array_interface__ that arrays give, 3 or 2; the extension reads it here.
CUDA_ARRAY_INTERFACE_EXPORT_VERSION = int(os.environ.get("CUPY_CUDA_ARRAY_INTERFACE_EXPORT_VERSION", "3"))

# Whether arrays of the host are stored into slices, as CuPy's environment variable says; here
# they always are.
ENABLE_SLICE_COPY = bool(int(os.environ.get("CUPY_EXPERIMENTAL_SLICE_COPY", "0")))
