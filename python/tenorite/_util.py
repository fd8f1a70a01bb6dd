"""What programs take from CuPy's ``cupy._util``."""

import os

from tenorite._exceptions import PerformanceWarning
from tenorite._kernels.memoized import clear_memo, memoize

__all__ = ["ENABLE_SLICE_COPY", "PerformanceWarning", "clear_memo", "memoize"]

# Whether arrays of the host are stored into slices, as CuPy's environment variable says; here
# they always are.
ENABLE_SLICE_COPY = bool(int(os.environ.get("CUPY_EXPERIMENTAL_SLICE_COPY", "0")))
