"""SciPy's functions over arrays of devices, under the names that CuPy has in cupyx.scipy.

Submodules are imported when they are first used.
"""

import importlib as _importlib
import sys as _sys
from importlib.util import find_spec as _find_spec

from tenorite._arguments.host import get_array_module as _get_array_module

_SUBMODULES = frozenset(
    {"fft", "fftpack", "interpolate", "linalg", "ndimage", "signal", "sparse", "spatial", "special", "stats"}
)

__all__ = sorted({"get_array_module", *_SUBMODULES})


def get_array_module(*args):
    """The module whose ``linalg`` and other submodules take these arrays.

    Parameters
    ----------
    *args : object

    Returns
    -------
    module
        ``tenorite.scipy`` if one is a tenorite.ndarray, else ``scipy``, which must be installed.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.get_array_module(tn.ones(2)).__name__
    'tenorite.scipy'
    """
    is_ours = _get_array_module(*args) is _sys.modules["tenorite"]
    return _importlib.import_module("tenorite.scipy" if is_ours else "scipy")


def __getattr__(name):
    if name in _SUBMODULES:
        return _importlib.import_module(f"tenorite.scipy.{name}")
    if name == "_scipy_available":
        return _find_spec("scipy") is not None
    raise AttributeError(f"module 'tenorite.scipy' has no attribute {name!r}; it has {', '.join(__all__)}")


def __dir__():
    return sorted({*globals(), *_SUBMODULES})
