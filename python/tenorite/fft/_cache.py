"""The plans that a device keeps: those of its last transforms, up to a number and to bytes."""

import sys

from tenorite import _core

__all__ = [
    "PlanCache",
    "clear_plan_cache",
    "get_plan_cache",
    "get_plan_cache_max_memsize",
    "get_plan_cache_size",
    "set_plan_cache_max_memsize",
    "set_plan_cache_size",
    "show_plan_cache_info",
]

_BACKENDS = {"host": 0, "cuda": 1}


def _limit(name, value):
    if not isinstance(value, int) or value < -1:
        raise ValueError(f"{name} must be -1 (no limit), 0 or a positive int, not {value!r}")
    return value


class PlanCache:
    """The plans that a device keeps: those used last, up to a number and to bytes.

    All objects of one device are views of the same plans, which all threads share.

    Parameters
    ----------
    size : int, optional
        The most plans; -1: any number, 0: none. Left as it is if not given.
    memsize : int, optional
        The most bytes; -1: any.
    dev : int, optional
        The number of the device; the current one if not given.

    Examples
    --------
    >>> import tenorite as tn
    >>> cache = tn.fft.config.get_plan_cache()
    >>> cache.clear()
    >>> result = tn.fft.fft(tn.ones(8, "F"))
    >>> cache.get_curr_size()
    1
    """

    def __init__(self, size=None, memsize=None, dev=-1):
        device = _core._Device() if dev == -1 else _core._Device(dev)
        self._device = (_BACKENDS[device.backend], device.id)
        if size is not None:
            self.set_size(size)
        if memsize is not None:
            self.set_memsize(memsize)

    def _facts(self):
        return _core._fft_cache(*self._device)

    def get(self, key, default=None):
        """Always `default`: plans are found by the transforms themselves, and not handed out."""
        return default

    def clear(self):
        """Gives up all plans, and counts anew."""
        _core._fft_cache_clear(*self._device)

    def get_size(self):
        """The most plans; -1: any number."""
        return self._facts()[2]

    def set_size(self, size):
        """Sets the most plans; -1: any number, 0: none."""
        _core._fft_cache_limit(*self._device, _limit("size", size), self.get_memsize())

    def get_curr_size(self):
        """The plans that there are."""
        return self._facts()[0]

    def get_memsize(self):
        """The most bytes of plans; -1: any."""
        return self._facts()[3]

    def set_memsize(self, memsize):
        """Sets the most bytes of plans; -1: any."""
        _core._fft_cache_limit(*self._device, self.get_size(), _limit("memsize", memsize))

    def get_curr_memsize(self):
        """The bytes of the plans that there are."""
        return self._facts()[1]

    def show_info(self):
        """Prints what `repr` tells: the limits, what there is, hits and misses."""
        sys.stdout.write(repr(self))

    def __len__(self):
        return self.get_curr_size()

    def __repr__(self):
        plans, used, most_plans, most_bytes, hits, misses = self._facts()
        most = ["unlimited" if limit < 0 else limit for limit in (most_plans, most_bytes)]
        is_on = most_plans != 0 and most_bytes != 0
        return (
            f"--------------- FFT plan cache (device {self._device[1]}) ---------------\n"
            f"cache enabled? {is_on}\n"
            f"current / max size   : {plans} / {most[0]} (counts)\n"
            f"current / max memsize: {used} / {most[1]} (bytes)\n"
            f"hits / misses: {hits} / {misses} (counts)\n"
        )


def get_plan_cache():
    """The plans that the current device keeps.

    Returns
    -------
    PlanCache
        A view of them.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.config.get_plan_cache().get_size()
    16
    """
    return PlanCache()


def get_plan_cache_size():
    """The most plans that the current device keeps; -1: any number.

    Returns
    -------
    int
        The limit.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.config.get_plan_cache_size()
    16
    """
    return PlanCache().get_size()


def set_plan_cache_size(size):
    """Sets the most plans that the current device keeps.

    Parameters
    ----------
    size : int
        The limit; -1: any number, 0: none.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.config.set_plan_cache_size(16)
    """
    PlanCache().set_size(size)


def get_plan_cache_max_memsize():
    """The most bytes of plans that the current device keeps; -1: any.

    Returns
    -------
    int
        The limit.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.config.get_plan_cache_max_memsize()
    -1
    """
    return PlanCache().get_memsize()


def set_plan_cache_max_memsize(size):
    """Sets the most bytes of plans that the current device keeps.

    Parameters
    ----------
    size : int
        The limit; -1: any.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.config.set_plan_cache_max_memsize(-1)
    """
    PlanCache().set_memsize(size)


def clear_plan_cache():
    """Gives up the plans that the current device keeps.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.config.clear_plan_cache()
    """
    PlanCache().clear()


def show_plan_cache_info():
    """Prints the limits of the current device's plans, what there is, hits and misses.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.fft.config.show_plan_cache_info()  # doctest: +ELLIPSIS
    --------------- FFT plan cache (device 0) ---------------
    ...
    """
    PlanCache().show_info()
