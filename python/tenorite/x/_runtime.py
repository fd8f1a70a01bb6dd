"""Waits that a program refuses, and what this installation is."""

import contextlib
import sys

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


class _RuntimeInfo:
    """What `get_runtime_info` found; its text is a table."""

    def __init__(self, facts):
        self.facts = facts

    @property
    def cupy_version(self):
        """CuPy's name for the version of what a program imported."""
        return sys.modules["tenorite"].__version__

    def __str__(self):
        width = max(map(len, self.facts))
        return "".join(f"{what:<{width}} : {value}\n" for what, value in self.facts.items())

    __repr__ = __str__


def get_runtime_info(*, full=True):
    """What was found of devices and libraries, as `show_config` prints it.

    Parameters
    ----------
    full : bool, optional
        Whether the devices are in it.

    Returns
    -------
    object
        Its ``str()`` is a table, its `facts` are a dict.

    Examples
    --------
    >>> import tenorite as cp
    >>> "NumPy" in str(cp.x.get_runtime_info())
    True
    """
    from tenorite._show_config import lines

    facts = dict(lines())
    kept = {what: value for what, value in facts.items() if full or not what.startswith(("cuda:", "host:"))}
    return _RuntimeInfo(kept)
