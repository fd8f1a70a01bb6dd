"""What the extension module ``tenorite._core`` has besides its own: the modules of this folder,
which are its submodules, and names of CuPy's ``cupy._core``. They are imported when they are first
asked for."""

import importlib
import importlib.util


__all__ = ["find"]

NAMES = {
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


def find(name):
    """A name of the extension module that it has not itself."""
    if name in NAMES:
        return getattr(importlib.import_module(f"tenorite._core.{NAMES[name]}"), name)
    if name[:2] != "__" and importlib.util.find_spec(f"tenorite._core.{name}"):
        return importlib.import_module(f"tenorite._core.{name}")
    raise AttributeError(f"module 'tenorite._core' has no attribute {name!r}")
