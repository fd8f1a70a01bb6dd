"""Types for annotations: what may become an array or a dtype, and arrays of a dtype.

``tenorite.ndarray[tenorite.float32]`` is an array of float32, and ``NDArray[float32]`` the same.
"""

from typing import TypeVar

import numpy
from numpy.typing import ArrayLike, DTypeLike, NBitBase

from tenorite import ndarray

__all__ = ["ArrayLike", "DTypeLike", "NBitBase", "NDArray"]

_Scalar = TypeVar("_Scalar", bound=numpy.generic)
NDArray = ndarray[_Scalar]
