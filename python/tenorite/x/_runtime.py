"""Waits that a program refuses."""

import contextlib

from tenorite import _core


@contextlib.contextmanager
def allow_synchronize(allow):
    """Whether the calling thread may wait for a device within this context.

    What brings elements to the host (`get`, `item`, `tolist`, ``float(a)``, printing) waits, and so
    does `synchronize` of streams, events and devices. What a function reads for itself, such as
    the number of results of `nonzero`, is not refused.

    Parameters
    ----------
    allow : bool
        Whether it may.

    Raises
    ------
    DeviceSynchronized
        Within, at what waits.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.ones(3)
    >>> with cp.x.allow_synchronize(False):
    ...     b = a + 1
    ...     try:
    ...         b.get()
    ...     except cp.x.DeviceSynchronized as error:
    ...         print(error)
    Device synchronization was detected while disallowed.
    """
    before = _core._allow_synchronize(allow)
    try:
        yield
    finally:
        _core._allow_synchronize(before)
