"""Tenorite: NumPy-compatible N-dimensional arrays for GPUs, and for machines without one.

The names are those of NumPy and CuPy; submodules such as ``tenorite.cuda`` and ``tenorite.linalg`` are
imported when they are first used. Nothing touches a device before the first array is made.
"""

import importlib as _importlib
import sys as _sys

from numpy import False_, True_, e, euler_gamma, inf, nan, pi

from tenorite import _core, _dtypes, _methods
from tenorite._core import *
from tenorite._creation import *
from tenorite._dtypes import *
from tenorite._host import *
from tenorite._interop import from_dlpack, fromDlpack
from tenorite._logic import *
from tenorite._manipulation import *
from tenorite._manipulation import newaxis
from tenorite._math import *
from tenorite._print import *
from tenorite._products import *

__version__ = _core.version()
del version, flag_values, set_writeable  # the extension's own  # noqa: F821

# PyPI's wheels of CUDA libraries lie in these folders; nothing is looked at before it is needed.
for _path in _sys.path:
    if _path.endswith(("site-packages", "dist-packages")):
        _core._cuda_add_library_root(_path)
del _path

# NumPy's other names of the same objects.
true_divide = _core.divide
mod = _core.remainder
pow = _core.power
abs = _core.absolute
conj = _core.conjugate
asin, acos, atan, atan2 = _core.arcsin, _core.arccos, _core.arctan, _core.arctan2
asinh, acosh, atanh = _core.arcsinh, _core.arccosh, _core.arctanh
radians, degrees = _core.deg2rad, _core.rad2deg
bitwise_not = bitwise_invert = _core.invert
bitwise_left_shift, bitwise_right_shift = _core.left_shift, _core.right_shift
# Functions of NumPy that are single operations here, and so have out=, where= and dtype= as well.
sinc, i0 = _core._sinc, _core._i0
isreal, iscomplex = _core._isreal, _core._iscomplex
isposinf, isneginf = _core._isposinf, _core._isneginf

_SUBMODULES = frozenset({"cache", "config", "cuda", "exceptions", "linalg"})
# Names whose module would cost time at import.
_LAZY = {
    "AxisError": "exceptions",
    "ComplexWarning": "exceptions",
    "RankWarning": "exceptions",
    "TooHardError": "exceptions",
    "VisibleDeprecationWarning": "exceptions",
    "get_default_memory_pool": "cuda",
    "get_default_pinned_memory_pool": "cuda",
    "install_as_cupy": "_as_cupy",
    "is_available": "cuda",
    "show_config": "_show_config",
}


def __getattr__(name):
    if name in _SUBMODULES:
        return _importlib.import_module(f"tenorite.{name}")
    if name in _LAZY:
        value = getattr(_importlib.import_module(f"tenorite.{_LAZY[name]}"), name)
    elif name == "bfloat16":
        value = _dtypes.bfloat16
    else:
        raise AttributeError(f"module 'tenorite' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_SUBMODULES, *_LAZY, "bfloat16"})
