"""Waits for a device that programs have not written as waits."""

import contextlib
import sys
import warnings

from tenorite import _core
from tenorite.exceptions import DeviceSynchronized, PerformanceWarning

_MODES = {"allow": 0, "warn": 1, "raise": 2}


@contextlib.contextmanager
def waits(mode):
    """Report waits for a device that the program has not written, with their lines.

    A GPU works while the program goes on. ``float(a)``, ``int(a)``, ``if a:``, ``a.item()``,
    ``a.tolist()``, an array as an index of a list, and a mask as an index or `nonzero`, whose
    result has a size that must be known, make the program stand still until the device is done.
    What is plainly a wait (`get`, `asnumpy`, ``synchronize``) is not reported. The host reports
    the same waits as a GPU, so a test without one finds them.

    It is for the calling thread, within the context.

    Parameters
    ----------
    mode : {"warn", "raise", "allow"}
        Whether such a wait is a `PerformanceWarning`, a `DeviceSynchronized`, or nothing.

    Raises
    ------
    DeviceSynchronized
        Within, at such a wait, with "raise". The call has done nothing.
    ValueError
        If `mode` is another word.

    See Also
    --------
    tenorite.x.allow_synchronize : Forbids every wait.
    tenorite.profiler.trace : Shows waits and how long they take.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.arange(6)
    >>> with cp.waits("raise"):
    ...     b = a + 1
    ...     try:
    ...         c = b[b > 3]
    ...     except cp.x.DeviceSynchronized as error:
    ...         print(str(error).split(":")[0])
    this call waits for the device
    """
    if mode not in _MODES:
        raise ValueError(f"waits: the mode must be 'warn', 'raise' or 'allow', not {mode!r}")
    before = _core._watch_waits(_MODES[mode])
    try:
        yield
    finally:
        _core._watch_waits(before)


def _program_frame():
    """The frames from the caller of `report` to the innermost one that is not the package's."""
    level, frame = 1, sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "tenorite":
        level, frame = level + 1, frame.f_back
    return level + 1, frame


def report(what, is_raised):
    """The warning or the exception; the extension calls this before it waits."""
    reason = "what it gives has a size that must be known" if what == "this call" else "the value comes to the host"
    level, frame = _program_frame()
    message = f"{what} waits for the device: {reason}"
    if is_raised:
        raise DeviceSynchronized(f"{message} ({frame.f_code.co_filename}:{frame.f_lineno})")
    warnings.warn(message, PerformanceWarning, stacklevel=level)
