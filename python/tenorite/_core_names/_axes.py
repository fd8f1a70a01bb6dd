"""Axes as NumPy reads them."""

from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

__all__ = ["normalize_axis_index", "normalize_axis_tuple"]
