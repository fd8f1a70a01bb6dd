"""How transforms are done: the plans that are kept, and CuPy's switches.

``enable_nd_planning`` may be set and changes nothing: transforms along several axes are always
planned as the library likes. Reading and setting it warn, as in CuPy: it will go.
``use_multi_gpus`` has no second GPU to give work to.
"""

import sys
import types
import warnings

from tenorite.fft._cache import (
    clear_plan_cache,
    get_plan_cache,
    get_plan_cache_max_memsize,
    get_plan_cache_size,
    set_plan_cache_max_memsize,
    set_plan_cache_size,
    show_plan_cache_info,
)
from tenorite.fft._callbacks import get_current_callback_manager, set_cufft_callbacks

__all__ = [
    "clear_plan_cache",
    "devices",
    "enable_nd_planning",
    "get_current_callback_manager",
    "get_plan_cache",
    "get_plan_cache_max_memsize",
    "get_plan_cache_size",
    "set_cufft_callbacks",
    "set_cufft_gpus",
    "set_plan_cache_max_memsize",
    "set_plan_cache_size",
    "show_plan_cache_info",
    "use_multi_gpus",
]

_is_planned_along_several = True
use_multi_gpus = False
devices = None


def _warn_of_planning():
    message = "enable_nd_planning is deprecated: transforms along several axes are planned as the library likes"
    warnings.warn(message, DeprecationWarning, stacklevel=3)


class _Config(types.ModuleType):
    """A module that has a property."""

    @property
    def enable_nd_planning(self):
        _warn_of_planning()
        return self._is_planned_along_several

    @enable_nd_planning.setter
    def enable_nd_planning(self, value):
        _warn_of_planning()
        self._is_planned_along_several = value


sys.modules[__name__].__class__ = _Config


def set_cufft_gpus(gpus):
    """Notes the GPUs that transforms over several of them would use.

    Parameters
    ----------
    gpus : int or list of int
        How many, or their numbers; at least 2.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.config.set_cufft_gpus([0, 1])
    >>> tn.fft.config.devices
    (0, 1)
    """
    global devices
    if isinstance(gpus, int):
        numbers = range(gpus)
    elif isinstance(gpus, list):
        numbers = gpus
    else:
        raise ValueError("gpus must be an int or a list of int.")
    if len(numbers) <= 1:
        raise ValueError("Must use at least 2 GPUs.")
    devices = tuple(numbers)
