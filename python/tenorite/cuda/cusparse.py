"""The numbers of cuSPARSE and the records of its descriptors, by CuPy's names. Its functions are
not given out: sparse matrices are computed by Tenorite's own forms."""

from collections import namedtuple as _namedtuple

from tenorite._exceptions import CUDARuntimeError as _CUDARuntimeError

__all__ = [
    "CooAoSAttributes", "CooAttributes", "CsrAttributes", "CuSparseError", "DnMatAttributes", "DnMatBatchAttributes",
    "DnVecAttributes", "SpVecAttributes",
]  # fmt: skip


class CuSparseError(_CUDARuntimeError):
    """cuSPARSE reported a failure."""


# Names, and the values that they begin to count from.
_NUMBERS = {
    "ACTION_SYMBOLIC ACTION_NUMERIC": 0,
    "CSR2CSC_ALG1 CSR2CSC_ALG2": 1,
    "DENSETOSPARSE_ALG_DEFAULT": 0,
    "DIAG_TYPE_NON_UNIT DIAG_TYPE_UNIT": 0,
    "DIRECTION_ROW DIRECTION_COLUMN": 0,
    "FILL_MODE_LOWER FILL_MODE_UPPER": 0,
    "FORMAT_CSR FORMAT_CSC FORMAT_COO FORMAT_COO_AOS": 1,
    "INDEX_16U INDEX_32I INDEX_64I": 1,
    "INDEX_BASE_ZERO INDEX_BASE_ONE": 0,
    "MATRIX_TYPE_GENERAL MATRIX_TYPE_SYMMETRIC MATRIX_TYPE_HERMITIAN MATRIX_TYPE_TRIANGULAR": 0,
    "MM_ALG_DEFAULT COOMM_ALG1 COOMM_ALG2 COOMM_ALG3 CSRMM_ALG1": 0,
    "MV_ALG_DEFAULT COOMV_ALG CSRMV_ALG1 CSRMV_ALG2": 0,
    "OPERATION_NON_TRANSPOSE OPERATION_TRANSPOSE OPERATION_CONJUGATE_TRANSPOSE": 0,
    "ORDER_COL ORDER_ROW": 1,
    "POINTER_MODE_HOST POINTER_MODE_DEVICE": 0,
    "SOLVE_POLICY_NO_LEVEL SOLVE_POLICY_USE_LEVEL": 0,
    "SPARSETODENSE_ALG_DEFAULT": 0,
    "SPGEAM_ALG_DEFAULT SPGEAM_ALG1": 0,
    "SPGEMM_DEFAULT SPGEMM_CSR_ALG_DETERMINITIC SPGEMM_CSR_ALG_NONDETERMINITIC SPGEMM_ALG1 SPGEMM_ALG2 SPGEMM_ALG3": 0,
    "SPMAT_FILL_MODE SPMAT_DIAG_TYPE": 0,
    "SPSM_ALG_DEFAULT": 0,
}
globals().update({
    f"CUSPARSE_{name}": first + k for names, first in _NUMBERS.items() for k, name in enumerate(names.split())
})  # fmt: skip
__all__ += [_name for _name in dir() if _name.startswith("CUSPARSE_")]

_TEXTS = {
    "rows": "Of the matrix.", "cols": "Of the matrix.", "nnz": "How many elements are stored.",
    "size": "Elements of the vector.", "rowOffsets": "A pointer.", "rowIdx": "A pointer.", "colIdx": "A pointer.",
    "ind": "A pointer.", "idx": "A pointer.", "values": "A pointer.", "rowOffsetType": "CUSPARSE_INDEX_...",
    "colIdxType": "CUSPARSE_INDEX_...", "idxType": "CUSPARSE_INDEX_...", "idxBase": "CUSPARSE_INDEX_BASE_...",
    "valueType": "CUDA_R_32F and the others.", "type": "CUDA_R_32F and the others.", "order": "CUSPARSE_ORDER_...",
    "ld": "Elements from one line to the next.", "count": "How many matrices.", "stride": "Elements between them.",
}  # fmt: skip


def _record(name, text, fields):
    """A record of numbers, documented."""
    made = _namedtuple(name, fields)
    numbers = range(1, len(made._fields) + 1)
    lines = [text, "", "Parameters", "----------"]
    for field in made._fields:
        lines += [f"{field} : int", f"    {_TEXTS[field]}"]
    lines += ["", "Examples", "--------", f">>> from tenorite.cuda.cusparse import {name}",
              f">>> {name}({', '.join(map(str, numbers))}).{made._fields[0]}", "1"]  # fmt: skip
    made.__doc__ = "\n".join(lines) + "\n"
    made.__module__ = __name__
    return made


# What the descriptors of tenorite.cusparse tell of their operands.
CsrAttributes = _record("CsrAttributes", "A matrix by compressed rows.",
                        "rows cols nnz rowOffsets colIdx values rowOffsetType colIdxType idxBase valueType")  # fmt: skip
CooAttributes = _record("CooAttributes", "A matrix by coordinates.",
                        "rows cols nnz rowIdx colIdx values idxType idxBase valueType")  # fmt: skip
CooAoSAttributes = _record("CooAoSAttributes", "A matrix by pairs of coordinates.",
                           "rows cols nnz ind values idxType idxBase valueType")  # fmt: skip
SpVecAttributes = _record("SpVecAttributes", "A sparse vector.", "size nnz idx values idxType idxBase valueType")
DnVecAttributes = _record("DnVecAttributes", "A vector.", "size values valueType")
DnMatAttributes = _record("DnMatAttributes", "A dense matrix.", "rows cols ld values type order")
DnMatBatchAttributes = _record("DnMatBatchAttributes", "A batch of matrices.", "count stride")


def __getattr__(name):
    raise AttributeError(
        f"module 'tenorite.cuda.cusparse' has no attribute {name!r}: functions of cuSPARSE are not given out"
        " (tenorite.cusparse has operations of sparse matrices)"
    )
