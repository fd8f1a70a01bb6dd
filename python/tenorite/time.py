"""What ``cupyx.time`` was before there was `tenorite.profiler`."""

import math
import warnings

from tenorite.profiler import benchmark
from tenorite.profiler._time import _PerfCaseResult  # noqa: F401 — the name that CuPy has for it

__all__ = ["repeat"]


def repeat(func, args=(), kwargs={}, n_repeat=10000, *, name=None, n_warmup=10, max_duration=math.inf, devices=None):
    """Time a function. CuPy has deprecated it, which is why it warns: use `profiler.benchmark`.

    Parameters
    ----------
    func : callable
        What is timed.
    args, kwargs, n_repeat, name, n_warmup, max_duration, devices
        As those of `profiler.benchmark`.

    Returns
    -------
    _PerfCaseResult
        That of `profiler.benchmark`.

    Examples
    --------
    >>> import tenorite as cp, warnings
    >>> from tenorite.time import repeat
    >>> with warnings.catch_warnings(action="ignore"):
    ...     repeat(cp.ones, (3,), n_repeat=2).cpu_times.shape
    (2,)
    """
    # CuPy's warning, too, is no DeprecationWarning.
    warnings.warn("cupyx.time.repeat is deprecated. Use cupyx.profiler.benchmark instead.", stacklevel=2)
    return benchmark(
        func, args, kwargs, n_repeat, name=name, n_warmup=n_warmup, max_duration=max_duration, devices=devices
    )
