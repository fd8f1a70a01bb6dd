"""How matrix products are computed, under the names of CuPy's ``cupy._core._routines_linalg``. A
choice is kept and changes nothing: products keep the precision of their dtype."""

import numpy

import tenorite

__all__ = ["dot", "get_compute_type", "matmul", "set_compute_type", "tensordot_core"]

dot, matmul, tensordot_core = tenorite.dot, tenorite.matmul, tenorite.tensordot
COMPUTE_TYPE_TBD, COMPUTE_TYPE_DEFAULT, COMPUTE_TYPE_PEDANTIC, COMPUTE_TYPE_FP16 = range(4)
COMPUTE_TYPE_FP32, COMPUTE_TYPE_FP64, COMPUTE_TYPE_BF16, COMPUTE_TYPE_TF32 = range(4, 8)
_chosen = {}


def set_compute_type(dtype, compute_type):
    """Keeps a choice for a dtype."""
    if compute_type not in range(8):
        raise ValueError(f"Unknown compute type: {compute_type}")
    _chosen[numpy.dtype(dtype)] = compute_type


def get_compute_type(dtype):
    """The choice that was kept for a dtype."""
    return _chosen.get(numpy.dtype(dtype), COMPUTE_TYPE_DEFAULT)
