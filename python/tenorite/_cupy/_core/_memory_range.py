"""What programs take from CuPy's ``cupy._core._memory_range``."""

import tenorite
from tenorite.lib.array_utils import byte_bounds as get_bound

__all__ = ["get_bound", "may_share_bounds"]

may_share_bounds = tenorite.may_share_memory
