# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

CUSPARSE_ACTION_NUMERIC: _b.int
CUSPARSE_ACTION_SYMBOLIC: _b.int
CUSPARSE_COOMM_ALG1: _b.int
CUSPARSE_COOMM_ALG2: _b.int
CUSPARSE_COOMM_ALG3: _b.int
CUSPARSE_COOMV_ALG: _b.int
CUSPARSE_CSR2CSC_ALG1: _b.int
CUSPARSE_CSR2CSC_ALG2: _b.int
CUSPARSE_CSRMM_ALG1: _b.int
CUSPARSE_CSRMV_ALG1: _b.int
CUSPARSE_CSRMV_ALG2: _b.int
CUSPARSE_DENSETOSPARSE_ALG_DEFAULT: _b.int
CUSPARSE_DIAG_TYPE_NON_UNIT: _b.int
CUSPARSE_DIAG_TYPE_UNIT: _b.int
CUSPARSE_DIRECTION_COLUMN: _b.int
CUSPARSE_DIRECTION_ROW: _b.int
CUSPARSE_FILL_MODE_LOWER: _b.int
CUSPARSE_FILL_MODE_UPPER: _b.int
CUSPARSE_FORMAT_COO: _b.int
CUSPARSE_FORMAT_COO_AOS: _b.int
CUSPARSE_FORMAT_CSC: _b.int
CUSPARSE_FORMAT_CSR: _b.int
CUSPARSE_INDEX_16U: _b.int
CUSPARSE_INDEX_32I: _b.int
CUSPARSE_INDEX_64I: _b.int
CUSPARSE_INDEX_BASE_ONE: _b.int
CUSPARSE_INDEX_BASE_ZERO: _b.int
CUSPARSE_MATRIX_TYPE_GENERAL: _b.int
CUSPARSE_MATRIX_TYPE_HERMITIAN: _b.int
CUSPARSE_MATRIX_TYPE_SYMMETRIC: _b.int
CUSPARSE_MATRIX_TYPE_TRIANGULAR: _b.int
CUSPARSE_MM_ALG_DEFAULT: _b.int
CUSPARSE_MV_ALG_DEFAULT: _b.int
CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE: _b.int
CUSPARSE_OPERATION_NON_TRANSPOSE: _b.int
CUSPARSE_OPERATION_TRANSPOSE: _b.int
CUSPARSE_ORDER_COL: _b.int
CUSPARSE_ORDER_ROW: _b.int
CUSPARSE_POINTER_MODE_DEVICE: _b.int
CUSPARSE_POINTER_MODE_HOST: _b.int
CUSPARSE_SOLVE_POLICY_NO_LEVEL: _b.int
CUSPARSE_SOLVE_POLICY_USE_LEVEL: _b.int
CUSPARSE_SPARSETODENSE_ALG_DEFAULT: _b.int
CUSPARSE_SPGEAM_ALG1: _b.int
CUSPARSE_SPGEAM_ALG_DEFAULT: _b.int
CUSPARSE_SPGEMM_ALG1: _b.int
CUSPARSE_SPGEMM_ALG2: _b.int
CUSPARSE_SPGEMM_ALG3: _b.int
CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC: _b.int
CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC: _b.int
CUSPARSE_SPGEMM_DEFAULT: _b.int
CUSPARSE_SPMAT_DIAG_TYPE: _b.int
CUSPARSE_SPMAT_FILL_MODE: _b.int
CUSPARSE_SPSM_ALG_DEFAULT: _b.int
class CooAoSAttributes(tuple):
    def __init__(self, rows: _Index, cols: _Index, nnz: _Index, ind: _Index, values: _Index, idxType: _Index, idxBase: _Index, valueType: _Index) -> None: ...
    cols: _Any
    idxBase: _Any
    idxType: _Any
    ind: _Any
    nnz: _Any
    rows: _Any
    valueType: _Any
    values: _Any
class CooAttributes(tuple):
    def __init__(self, rows: _Index, cols: _Index, nnz: _Index, rowIdx: _Index, colIdx: _Index, values: _Index, idxType: _Index, idxBase: _Index, valueType: _Index) -> None: ...
    colIdx: _Any
    cols: _Any
    idxBase: _Any
    idxType: _Any
    nnz: _Any
    rowIdx: _Any
    rows: _Any
    valueType: _Any
    values: _Any
class CsrAttributes(tuple):
    def __init__(self, rows: _Index, cols: _Index, nnz: _Index, rowOffsets: _Index, colIdx: _Index, values: _Index, rowOffsetType: _Index, colIdxType: _Index, idxBase: _Index, valueType: _Index) -> None: ...
    colIdx: _Any
    colIdxType: _Any
    cols: _Any
    idxBase: _Any
    nnz: _Any
    rowOffsetType: _Any
    rowOffsets: _Any
    rows: _Any
    valueType: _Any
    values: _Any
class CuSparseError:
    def __init__(self, failure: _Any) -> None: ...
class DnMatAttributes(tuple):
    def __init__(self, rows: _Index, cols: _Index, ld: _Index, values: _Index, type: _Index, order: _Index) -> None: ...
    cols: _Any
    ld: _Any
    order: _Any
    rows: _Any
    type: _Any
    values: _Any
class DnMatBatchAttributes(tuple):
    def __init__(self, count: _Index, stride: _Index) -> None: ...
    count: _Any
    stride: _Any
class DnVecAttributes(tuple):
    def __init__(self, size: _Index, values: _Index, valueType: _Index) -> None: ...
    size: _Any
    valueType: _Any
    values: _Any
class SpVecAttributes(tuple):
    def __init__(self, size: _Index, nnz: _Index, idx: _Index, values: _Index, idxType: _Index, idxBase: _Index, valueType: _Index) -> None: ...
    idx: _Any
    idxBase: _Any
    idxType: _Any
    nnz: _Any
    size: _Any
    valueType: _Any
    values: _Any
