"""SciPy's functions over arrays of devices, under the names that CuPy has in cupyx.scipy.

Submodules are imported when they are first used.
"""

import importlib as _importlib
import sys as _sys
from importlib.util import find_spec as _find_spec

from tenorite._arguments.host import get_array_module as _get_array_module
from tenorite._lib.lazy import lazy_names as _lazy_names

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


__getattr__, __dir__ = _lazy_names(__name__, {}, _SUBMODULES, _scipy_available=lambda: _find_spec("scipy") is not None)
