"""Lines about loops that take long, where TENORITE_LOG asks for them."""

import time

from tenorite import _core

SECONDS = 1.0  # between two lines


class Progress:
    """What a loop calls in each turn with what is done, and how far it is from its end: a line a
    second where TENORITE_LOG has the word ``progress``, else nothing."""

    def __init__(self, name):
        self._name = name if _core._log_is_on("progress") else None
        self._last = time.monotonic()

    def __call__(self, done, most, residual):
        """`residual` is a function, which may wait for the device."""
        if self._name is None or time.monotonic() - self._last < SECONDS:
            return
        self._last = time.monotonic()
        _core._log_line("progress", f"{self._name}: {done} of at most {most}, residual {residual():.3g}")
