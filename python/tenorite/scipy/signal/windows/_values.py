"""What all windows share: their lengths, and their docstrings."""

import inspect

from tenorite import _core
from tenorite.scipy.signal._documents import document

RETURNS = ("ndarray", "Of float64.")


def is_short(M):
    """Whether a window has at most one point."""
    if int(M) != M or M < 0:
        raise ValueError("Window length M must be a non-negative integer")
    return M <= 1


def made(M, sym, values):
    """The window of M points of which `values` makes the symmetric one of a length."""
    if is_short(M):
        return _core.ones(int(M))
    return values(int(M)) if sym else values(int(M) + 1)[:-1]


def mirrored(length, half):
    """The symmetric window of which `half` makes the first half from 0, 1, 2, ..., the middle one
    included."""
    first = half(places((length + 1) // 2))
    return _core.concatenate((first, first[: length // 2][::-1]))


def places(length):
    """0, 1, 2, ... of float64."""
    return _core.arange(length, dtype=float)


def window(summary, notes, arguments="5"):
    """A decorator: the docstring of a window; `arguments` are those of its example."""

    def decorate(function):
        name = function.__name__
        example = f">>> from tenorite.scipy.signal import windows\n>>> windows.{name}({arguments}).dtype\n"
        function.__doc__ = document(
            name,
            inspect.signature(function),
            summary,
            RETURNS,
            example + "dtype('float64')",
            notes,
            ("ValueError", "For a length that is no integer or negative."),
        )
        function.__module__ = "tenorite.scipy.signal.windows"
        return function

    return decorate
