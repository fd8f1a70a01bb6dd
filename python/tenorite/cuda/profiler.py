"""Letting an attached profiler begin and end."""

import contextlib

from tenorite.cuda.runtime import profilerStart as start, profilerStop as stop

__all__ = ["start", "stop"]


@contextlib.contextmanager
def profile():
    """Within this context an attached profiler watches: ``with cupy.cuda.profile():``.

    Examples
    --------
    >>> import tenorite as cp
    >>> with cp.cuda.profile():
    ...     a = cp.ones(3) + 1
    """
    start()
    try:
        yield
    finally:
        stop()
