"""CuPy's ``cupy._core``: all that the extension has, and what is in Python, the modules of this
folder among it, as soon as it is asked for.

Under the alias this is what ``_core`` means in the package, which CuPy's is then.
"""

import importlib

from tenorite import _core

_LAZY = {
    name: module
    for module, names in {
        "_accelerator": "get_reduction_accelerators get_routine_accelerators set_reduction_accelerators "
        "set_routine_accelerators",
        "_kernel": "ElementwiseKernel ReductionKernel create_ufunc",
        "_memory_range": "may_share_bounds",
        "_reduction": "create_reduction_func",
        "_routines_linalg": "get_compute_type set_compute_type tensordot_core",
        "core": "_full_mask _get_warpsize _ndarray_base array_split broadcast broadcast_to choose concatenate_method "
        "elementwise_copy moveaxis rollaxis",
        "dlpack": "fromDlpack",
        "fusion": "fuse",
        "internal": "get_size",
        "raw": "RawKernel RawModule",
    }.items()
    for name in names.split()
}

globals().update({name: one for name, one in vars(_core).items() if name[:2] != "__"})


def __getattr__(name):
    if name in _LAZY:
        return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    module = f"{__name__}.{name}"
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
    raise AttributeError(f"module 'cupy._core' has no attribute {name!r}")
