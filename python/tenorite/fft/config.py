"""How transforms are done: the plans that are kept, and CuPy's switches.

``enable_nd_planning`` may be set and changes nothing: transforms along several axes are always
planned as the library likes. Reading and setting it warn, as in CuPy: it will go.
While ``use_multi_gpus`` is set in a context (of a thread or task), complex transforms along one
axis go over ``devices``, which ``set_cufft_gpus`` chooses; None: over the array's own.
"""

import sys
import types
import warnings

from tenorite.fft import _several
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
_use_multi_gpus, _devices = _several.in_use, _several.chosen


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

    @property
    def use_multi_gpus(self):
        return _several.in_use.get()

    @use_multi_gpus.setter
    def use_multi_gpus(self, value):
        _several.in_use.set(bool(value))
        _several.Switch.asked |= bool(value)

    @property
    def devices(self):
        return _several.devices()


sys.modules[__name__].__class__ = _Config


def set_cufft_gpus(gpus):
    """Chooses the devices over which transforms go while ``use_multi_gpus`` is set.

    Lines are shared out among them. A long line alone is shared out too, unless its length is a
    prime: then the array's own device transforms it. Results come to the array's device; they
    differ from those of one device by rounding.

    Parameters
    ----------
    gpus : int or list of int
        How many, or their numbers; at least 2.

    Examples
    --------
    >>> import tenorite as tn
    >>> config = tn.fft.config
    >>> config.set_cufft_gpus([0, 1])
    >>> config.use_multi_gpus = True
    >>> config.devices
    (0, 1)
    >>> config.use_multi_gpus = False
    """
    _several.chosen.set(_several.numbers_of(gpus))
