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

_SUBMODULES = frozenset({"cache", "config", "cuda", "exceptions", "lib", "linalg"})
# Modules that would cost time at import, and their names here.
_LAZY = {
    name: module
    for module, names in {
        "_as_cupy": "install_as_cupy",
        "_assembly": "asarray_chkfinite block broadcast c_ r_ require row_stack",
        "_flatiter": "flatiter",
        "_grids": "diag_indices diag_indices_from fromfunction index_exp indices iterable ix_ mask_indices "
                  "meshgrid mgrid ndindex ogrid ravel_multi_index s_ tril_indices tril_indices_from "
                  "triu_indices triu_indices_from unravel_index",
        "_io": "fromfile fromiter fromregex fromstring genfromtxt load loadtxt save savetxt savez "
               "savez_compressed",
        "_kernels.raw": "RawKernel RawModule",
        "_legacy": "DataSource Inf Infinity NAN NINF NZERO NaN PINF PZERO ScalarType alltrue asfarray "
                   "byte_bounds cfloat complex_ cumproduct errstate float_ format_parser get_array_wrap geterr "
                   "geterrcall infty issctype issubclass_ issubsctype mintypecode obj2sctype product sctype2char "
                   "sctypeDict seterr seterrcall singlecomplex sometrue trapz typecodes typename",
        "_numeric": "apply_along_axis apply_over_axes bartlett bincount blackman corrcoef cov ediff1d "
                    "gradient hamming hanning kaiser trapezoid unwrap vander",
        "_pad": "pad",
        "_selection": "choose delete fill_diagonal insert ndenumerate piecewise place put_along_axis "
                      "putmask select take_along_axis trim_zeros",
        "_show_config": "show_config",
        "cuda": "get_default_memory_pool get_default_pinned_memory_pool is_available",
        "exceptions": "AxisError ComplexWarning ModuleDeprecationWarning RankWarning TooHardError "
                      "VisibleDeprecationWarning",
    }.items()
    for name in names.split()
}  # fmt: skip

__array_api_version__ = "2024.12"


def __array_namespace_info__():
    """Capabilities, devices and dtypes of this namespace, as the array API standard has them."""
    from tenorite._array_api import ArrayNamespaceInfo

    return ArrayNamespaceInfo()


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
