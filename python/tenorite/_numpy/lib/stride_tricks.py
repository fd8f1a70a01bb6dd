"""NumPy's ``lib.stride_tricks``."""

from numpy import broadcast_shapes
from tenorite._numpy.shapes import broadcast_arrays, broadcast_to
from tenorite._numpy.stride_tricks import as_strided, sliding_window_view

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]
