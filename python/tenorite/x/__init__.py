"""What CuPy keeps in cupyx: tenorite.x.errstate is cupyx.errstate."""

import importlib as _importlib

from tenorite._cupy.alias import translate as _translate
from tenorite._kernels.gufunc import GeneralizedUFunc
from tenorite.exceptions import DeviceSynchronized
from tenorite.linalg._failures import errstate, geterr, seterr
from tenorite.x._elements import rsqrt, scatter_add, scatter_max, scatter_min
from tenorite.x._pinned import empty_like_pinned, empty_pinned, zeros_like_pinned, zeros_pinned
from tenorite.x._runtime import allow_synchronize
from tenorite.x._show_config import get_runtime_info

__all__ = [
    "DeviceSynchronized",
    "GeneralizedUFunc",
    "allow_synchronize",
    "empty_like_pinned",
    "empty_pinned",
    "errstate",
    "get_runtime_info",
    "geterr",
    "rsqrt",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "seterr",
    "zeros_like_pinned",
    "zeros_pinned",
]


def __getattr__(name):
    """Modules of cupyx: some lie here, others are tenorite's own."""
    module = _translate(f"cupyx.{name}")
    try:
        if name[0] != "_":
            return _importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
    raise AttributeError(f"module 'tenorite.x' has no attribute {name!r}")
