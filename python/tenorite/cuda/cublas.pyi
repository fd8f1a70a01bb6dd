# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

class CUBLASError:
    def __init__(self, failure: _Any) -> None: ...
CUBLAS_COMPUTE_16F: _b.int
CUBLAS_COMPUTE_16F_PEDANTIC: _b.int
CUBLAS_COMPUTE_32F: _b.int
CUBLAS_COMPUTE_32F_FAST_16BF: _b.int
CUBLAS_COMPUTE_32F_FAST_16F: _b.int
CUBLAS_COMPUTE_32F_FAST_TF32: _b.int
CUBLAS_COMPUTE_32F_PEDANTIC: _b.int
CUBLAS_COMPUTE_32I: _b.int
CUBLAS_COMPUTE_32I_PEDANTIC: _b.int
CUBLAS_COMPUTE_64F: _b.int
CUBLAS_COMPUTE_64F_PEDANTIC: _b.int
CUBLAS_DEFAULT_MATH: _b.int
CUBLAS_DIAG_NON_UNIT: _b.int
CUBLAS_DIAG_UNIT: _b.int
CUBLAS_FILL_MODE_LOWER: _b.int
CUBLAS_FILL_MODE_UPPER: _b.int
CUBLAS_GEMM_DEFAULT: _b.int
CUBLAS_GEMM_DEFAULT_TENSOR_OP: _b.int
CUBLAS_GEMM_DFALT: _b.int
CUBLAS_GEMM_DFALT_TENSOR_OP: _b.int
CUBLAS_OP_C: _b.int
CUBLAS_OP_N: _b.int
CUBLAS_OP_T: _b.int
CUBLAS_POINTER_MODE_DEVICE: _b.int
CUBLAS_POINTER_MODE_HOST: _b.int
CUBLAS_SIDE_LEFT: _b.int
CUBLAS_SIDE_RIGHT: _b.int
CUBLAS_TENSOR_OP_MATH: _b.int
