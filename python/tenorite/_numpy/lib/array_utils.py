"""NumPy's ``lib.array_utils``."""

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from tenorite._numpy.legacy import byte_bounds

__all__ = ["byte_bounds", "normalize_axis_index", "normalize_axis_tuple"]
