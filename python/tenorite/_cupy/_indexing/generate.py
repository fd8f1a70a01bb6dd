"""What makes indices and grids, under the names of CuPy's module."""

from tenorite import c_, indices, ix_, mgrid, ogrid, r_, ravel_multi_index, unravel_index  # noqa: F401
from tenorite._numpy.grids import AxisConcatenator  # noqa: F401
