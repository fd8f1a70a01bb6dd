"""Tenorite: NumPy-compatible N-dimensional arrays for GPUs, and for machines without one.

The names are those of NumPy and CuPy; submodules such as ``tenorite.cuda`` and ``tenorite.linalg``
are imported when they are first used. Nothing touches a device before the first array is made.
"""

import importlib as _importlib
import sys as _sys
from importlib.util import find_spec as _find_spec

from tenorite import _array, _core, _numpy
from tenorite._core import *  # noqa: F403

__version__ = _core.version()
del version  # the extension's own  # noqa: F821

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

_SUBMODULES = frozenset(
    """
    backend backends cache config cublas cuda cudnn cusolver cusparse cusparselt cutensor dask distributed emath
    exceptions fft jit lapack lib linalg optimizing polynomial profiler random scipy signal testing time tools typing x
    """.split()
)
# Names that NumPy or CuPy gives to ``from ... import *``; array_api_compat makes its namespaces so.
_NUMPY_SUBMODULES = frozenset("cuda emath exceptions fft lib linalg polynomial random testing typing".split())
# Names that are looked up when they are first used: {name: module}; those of NumPy's functions
# stand in _numpy.
_LAZY = {
    name: module
    for module, names in {
        "ml_dtypes": "bfloat16",
        "tenorite._array.flatiter": "flatiter",
        "tenorite._array.stored": "isnat",
        "tenorite._cupy.alias": "install_as_cupy",
        "tenorite._arguments.host": "asnumpy get_array_module",
        "tenorite._kernels.backlog": "eager explain",
        "tenorite._lib.waits": "waits",
        "tenorite._kernels.elementwise": "ElementwiseKernel",
        "tenorite._kernels.fuse": "fuse",
        "tenorite._kernels.memoized": "clear_memo memoize",
        "tenorite._kernels.raw": "RawKernel RawModule",
        "tenorite._kernels.reduction": "ReductionKernel",
        "tenorite.jit._vectorize": "vectorize",
        "tenorite.x._show_config": "show_config",
        "tenorite.cuda": "get_default_memory_pool get_default_pinned_memory_pool is_available",
        "tenorite.exceptions": "AxisError ComplexWarning ModuleDeprecationWarning RankWarning TooHardError "
        "VisibleDeprecationWarning",
        **_numpy.CONTENTS,
    }.items()
    for name in names.split()
} | dict.fromkeys(_numpy.OF_NUMPY, "numpy")

# CuPy's switch for a warning that is never given here.
disable_experimental_feature_warning = False

__array_api_version__ = "2025.12"


def __array_namespace_info__():
    """Capabilities, devices and dtypes of this namespace, as the array API standard has them."""
    return _importlib.import_module("tenorite._numpy.array_api").ArrayNamespaceInfo()


def _has_bfloat16():
    return _find_spec("ml_dtypes") is not None


def __getattr__(name):
    if name in _SUBMODULES:
        return _importlib.import_module(f"tenorite.{name}")
    if name == "__all__":
        names = {*globals(), *_LAZY, *_NUMPY_SUBMODULES} - {"bfloat16"}
        return [name for name in sorted(names) if name[0] != "_"]
    module = _LAZY.get(name)
    if module is None:
        if _sys._getframe(1).f_code.co_name == "_handle_fromlist":  # it loses this error's text
            raise _importlib.import_module("tenorite._lib.lazy").refuse("tenorite", name, __dir__())
        raise AttributeError(f"module 'tenorite' has no attribute {name!r}")
    if module in _numpy.CONTENTS:
        globals().update(_numpy.read(module))
    elif name == "bfloat16" and not _has_bfloat16():
        raise AttributeError("tenorite.bfloat16 is that of ml_dtypes, which is not installed")
    else:
        globals()[name] = getattr(_importlib.import_module(module), name)
    return globals()[name]


def __dir__():
    names = {*globals(), *_SUBMODULES, *_LAZY}
    return sorted(names if _has_bfloat16() else names - {"bfloat16"})
