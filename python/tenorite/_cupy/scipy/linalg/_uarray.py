"""Functions that stand for SciPy's where it asks for them."""

import importlib

from tenorite.scipy import linalg

__all__ = ["_notfound"]


_DROPPED = ("tri", "tril", "triu")  # by SciPy 1.13


def _missing():
    of_scipy = importlib.import_module("scipy.linalg")
    return [name for name in linalg.__all__ if name not in _DROPPED and not hasattr(of_scipy, name)]


def __getattr__(name):
    if name == "_notfound":
        return _missing()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
