"""cuSPARSE under CuPy's names: functions of handles and addresses, for programs that call it, its
numbers and the records of its descriptors.

They work on the current stream. The host has no such library, only handles: `tenorite.cusparse` and
`tenorite.scipy.sparse` do the same with arrays, there as well.
"""

import ctypes as _ctypes
import functools as _functools
from collections import namedtuple as _namedtuple

from tenorite.cuda._raw.host_handles import Handles as _Handles
from tenorite.cuda._raw.tables import Library as _Library, functions as _table_functions, removed as _removed
from tenorite.cuda.stream import get_current_stream as _get_current_stream

__all__ = [
    "CooAoSAttributes",
    "CooAttributes",
    "CsrAttributes",
    "CuSparseError",
    "DnMatAttributes",
    "DnMatBatchAttributes",
    "DnVecAttributes",
    "SpVecAttributes",
    "check_status",
    "get_build_version",
]

_STATUS = {
    1: "NOT_INITIALIZED",
    2: "ALLOC_FAILED",
    3: "INVALID_VALUE",
    4: "ARCH_MISMATCH",
    5: "MAPPING_ERROR",
    6: "EXECUTION_FAILED",
    7: "INTERNAL_ERROR",
    8: "MATRIX_TYPE_NOT_SUPPORTED",
    9: "ZERO_PIVOT",
    10: "NOT_SUPPORTED",
    11: "INSUFFICIENT_RESOURCES",
}


_WORDS = {
    "NOT_INITIALIZED": "initialization error",
    "ALLOC_FAILED": "resource allocation failed",
    "ARCH_MISMATCH": "architecture mismatch",
    "EXECUTION_FAILED": "kernel launch failure",
    "NOT_SUPPORTED": "operation not supported",
}


class CuSparseError(RuntimeError):
    """cuSPARSE reported a failure; ``status`` is its number."""

    def __init__(self, status):
        self.status = status
        name = _STATUS.get(status, str(status))
        super().__init__(f"CUSPARSE_STATUS_{name}: {_WORDS.get(name, name.lower().replace('_', ' '))}")

    def __reduce__(self):
        return type(self), (self.status,)


def check_status(status):
    """Raises CuSparseError for the number of a failure."""
    if status != 0:
        raise CuSparseError(status)


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
globals().update(
    {f"CUSPARSE_{name}": first + k for names, first in _NUMBERS.items() for k, name in enumerate(names.split())}
)
__all__ += [_name for _name in dir() if _name.startswith("CUSPARSE_")]

_TEXTS = {
    "rows": "Of the matrix.",
    "cols": "Of the matrix.",
    "nnz": "How many elements are stored.",
    "size": "Elements of the vector.",
    "rowOffsets": "A pointer.",
    "rowIdx": "A pointer.",
    "colIdx": "A pointer.",
    "ind": "A pointer.",
    "idx": "A pointer.",
    "values": "A pointer.",
    "rowOffsetType": "CUSPARSE_INDEX_...",
    "colIdxType": "CUSPARSE_INDEX_...",
    "idxType": "CUSPARSE_INDEX_...",
    "idxBase": "CUSPARSE_INDEX_BASE_...",
    "valueType": "CUDA_R_32F and the others.",
    "type": "CUDA_R_32F and the others.",
    "order": "CUSPARSE_ORDER_...",
    "ld": "Elements from one line to the next.",
    "count": "How many matrices.",
    "stride": "Elements between them.",
}


def _record(name, text, fields):
    """A record of numbers, documented."""
    made = _namedtuple(name, fields)
    numbers = range(1, len(made._fields) + 1)
    lines = [text, "", "Parameters", "----------"]
    for field in made._fields:
        lines += [f"{field} : int", f"    {_TEXTS[field]}"]
    lines += [
        "",
        "Examples",
        "--------",
        f">>> from tenorite.cuda.cusparse import {name}",
        f">>> {name}({', '.join(map(str, numbers))}).{made._fields[0]}",
        "1",
    ]
    made.__doc__ = "\n".join(lines) + "\n"
    made.__module__ = __name__
    return made


# What the descriptors of tenorite.cusparse have of their operands.
CsrAttributes = _record(
    "CsrAttributes",
    "A matrix by compressed rows.",
    "rows cols nnz rowOffsets colIdx values rowOffsetType colIdxType idxBase valueType",
)
CooAttributes = _record(
    "CooAttributes", "A matrix by coordinates.", "rows cols nnz rowIdx colIdx values idxType idxBase valueType"
)
CooAoSAttributes = _record(
    "CooAoSAttributes", "A matrix by pairs of coordinates.", "rows cols nnz ind values idxType idxBase valueType"
)
SpVecAttributes = _record("SpVecAttributes", "A sparse vector.", "size nnz idx values idxType idxBase valueType")
DnVecAttributes = _record("DnVecAttributes", "A vector.", "size values valueType")
DnMatAttributes = _record("DnMatAttributes", "A dense matrix.", "rows cols ld values type order")
DnMatBatchAttributes = _record("DnMatBatchAttributes", "A batch of matrices.", "count stride")


# --- Functions ---


def _begin(handle):
    """Work goes to the current stream."""
    _library.call("cusparseSetStream", handle, _get_current_stream().ptr)


_handles = _Handles(lambda: check_status(1))
_matrices = _Handles(lambda: check_status(3))
_ON_HOST = _handles.functions("Stream", "PointerMode") | {
    "getVersion": _handles.constant(12000),  # tenorite.cusparse has its functions on arrays
    "createMatDescr": _matrices.create,
    "destroyMatDescr": _matrices.destroy,
    **{f"setMat{name}": _matrices.setter(name) for name in ("Type", "FillMode", "DiagType", "IndexBase")},
}
_library = _Library(
    "cusparse",
    check_status,
    on_host=_ON_HOST,
    instead="there tenorite.cusparse and tenorite.scipy.sparse work on arrays",
)
_SETTINGS = """
create: cusparseCreate: >p
destroy: cusparseDestroy: handle
getStream: cusparseGetStream: handle >p
getVersion: cusparseGetVersion: handle >i
setPointerMode: cusparseSetPointerMode: handle mode
setStream: cusparseSetStream: handle streamId
"""
_TABLE = """
{sdcz}bsric02: cusparse{SDCZ}bsric02: handle dirA mb nnzb descrA bsrSortedVal bsrSortedRowPtr bsrSortedColInd blockDim info policy pBuffer
{sdcz}bsric02_analysis: cusparse{SDCZ}bsric02_analysis: handle dirA mb nnzb descrA bsrSortedVal bsrSortedRowPtr bsrSortedColInd blockDim info policy pInputBuffer
{sdcz}bsric02_bufferSize: cusparse{SDCZ}bsric02_bufferSize: handle dirA mb nnzb descrA bsrSortedVal bsrSortedRowPtr bsrSortedColInd blockDim info >i
{sdcz}bsrilu02: cusparse{SDCZ}bsrilu02: handle dirA mb nnzb descrA bsrSortedVal bsrSortedRowPtr bsrSortedColInd blockDim info policy pBuffer
{sdcz}bsrilu02_analysis: cusparse{SDCZ}bsrilu02_analysis: handle dirA mb nnzb descrA bsrSortedVal bsrSortedRowPtr bsrSortedColInd blockDim info policy pBuffer
{sdcz}bsrilu02_bufferSize: cusparse{SDCZ}bsrilu02_bufferSize: handle dirA mb nnzb descrA bsrSortedVal bsrSortedRowPtr bsrSortedColInd blockDim info >i
{sdcz}bsrilu02_numericBoost: cusparse{SDCZ}bsrilu02_numericBoost: handle info enable_boost tol boost_val
scsr2csr_compress: cusparseScsr2csr_compress: handle m n descrA csrSortedValA csrSortedColIndA csrSortedRowPtrA nnzA nnzPerRow csrSortedValC csrSortedColIndC csrSortedRowPtrC tol:f
dcsr2csr_compress: cusparseDcsr2csr_compress: handle m n descrA csrSortedValA csrSortedColIndA csrSortedRowPtrA nnzA nnzPerRow csrSortedValC csrSortedColIndC csrSortedRowPtrC tol:d
ccsr2csr_compress: cusparseCcsr2csr_compress: handle m n descrA csrSortedValA csrSortedColIndA csrSortedRowPtrA nnzA nnzPerRow csrSortedValC csrSortedColIndC csrSortedRowPtrC tol:C
zcsr2csr_compress: cusparseZcsr2csr_compress: handle m n descrA csrSortedValA csrSortedColIndA csrSortedRowPtrA nnzA nnzPerRow csrSortedValC csrSortedColIndC csrSortedRowPtrC tol:Z
{sdcz}csrgeam2: cusparse{SDCZ}csrgeam2: handle m n alpha descrA nnzA csrSortedValA csrSortedRowPtrA csrSortedColIndA beta descrB nnzB csrSortedValB csrSortedRowPtrB csrSortedColIndB descrC csrSortedValC csrSortedRowPtrC csrSortedColIndC pBuffer
{sdcz}csrgeam2_bufferSizeExt: cusparse{SDCZ}csrgeam2_bufferSizeExt: handle m n alpha descrA nnzA csrSortedValA csrSortedRowPtrA csrSortedColIndA beta descrB nnzB csrSortedValB csrSortedRowPtrB csrSortedColIndB descrC csrSortedValC csrSortedRowPtrC csrSortedColIndC >p
{sdcz}csric02: cusparse{SDCZ}csric02: handle m nnz descrA csrSortedValA_valM csrSortedRowPtrA csrSortedColIndA info policy pBuffer
{sdcz}csric02_analysis: cusparse{SDCZ}csric02_analysis: handle m nnz descrA csrSortedValA csrSortedRowPtrA csrSortedColIndA info policy pBuffer
{sdcz}csric02_bufferSize: cusparse{SDCZ}csric02_bufferSize: handle m nnz descrA csrSortedValA csrSortedRowPtrA csrSortedColIndA info >i
{sdcz}csrilu02: cusparse{SDCZ}csrilu02: handle m nnz descrA csrSortedValA_valM csrSortedRowPtrA csrSortedColIndA info policy pBuffer
{sdcz}csrilu02_analysis: cusparse{SDCZ}csrilu02_analysis: handle m nnz descrA csrSortedValA csrSortedRowPtrA csrSortedColIndA info policy pBuffer
{sdcz}csrilu02_bufferSize: cusparse{SDCZ}csrilu02_bufferSize: handle m nnz descrA csrSortedValA csrSortedRowPtrA csrSortedColIndA info >i
{sdcz}csrilu02_numericBoost: cusparse{SDCZ}csrilu02_numericBoost: handle info enable_boost tol boost_val
{sdcz}gpsvInterleavedBatch: cusparse{SDCZ}gpsvInterleavedBatch: handle algo m ds dl d du dw x batchCount pBuffer
{sdcz}gpsvInterleavedBatch_bufferSizeExt: cusparse{SDCZ}gpsvInterleavedBatch_bufferSizeExt: handle algo m ds dl d du dw x batchCount >p
{sdcz}gtsv2: cusparse{SDCZ}gtsv2: handle m n dl d du B ldb pBuffer
{sdcz}gtsv2StridedBatch: cusparse{SDCZ}gtsv2StridedBatch: handle m dl d du x batchCount batchStride pBuffer
{sdcz}gtsv2StridedBatch_bufferSizeExt: cusparse{SDCZ}gtsv2StridedBatch_bufferSizeExt: handle m dl d du x batchCount batchStride >p
{sdcz}gtsv2_bufferSizeExt: cusparse{SDCZ}gtsv2_bufferSizeExt: handle m n dl d du B ldb >p
{sdcz}gtsv2_nopivot: cusparse{SDCZ}gtsv2_nopivot: handle m n dl d du B ldb pBuffer
{sdcz}gtsv2_nopivot_bufferSizeExt: cusparse{SDCZ}gtsv2_nopivot_bufferSizeExt: handle m n dl d du B ldb >p
{sdcz}gtsvInterleavedBatch: cusparse{SDCZ}gtsvInterleavedBatch: handle algo m dl d du x batchCount pBuffer
{sdcz}gtsvInterleavedBatch_bufferSizeExt: cusparse{SDCZ}gtsvInterleavedBatch_bufferSizeExt: handle algo m dl d du x batchCount >p
{sdcz}nnz: cusparse{SDCZ}nnz: handle dirA m n descrA A lda nnzPerRowCol nnzTotalDevHostPtr
snnz_compress: cusparseSnnz_compress: handle m descr csrSortedValA csrSortedRowPtrA nnzPerRow nnzC tol:f
dnnz_compress: cusparseDnnz_compress: handle m descr csrSortedValA csrSortedRowPtrA nnzPerRow nnzC tol:d
cnnz_compress: cusparseCnnz_compress: handle m descr csrSortedValA csrSortedRowPtrA nnzPerRow nnzC tol:C
znnz_compress: cusparseZnnz_compress: handle m descr csrSortedValA csrSortedRowPtrA nnzPerRow nnzC tol:Z
cooGet: cusparseCooGet: spMatDescr >p >p >p >p >p >p >i >i >i
createBsric02Info: cusparseCreateBsric02Info: >p
createBsrilu02Info: cusparseCreateBsrilu02Info: >p
createCoo: cusparseCreateCoo: >p rows cols nnz cooRowInd cooColInd cooValues cooIdxType idxBase valueType
createCsc: cusparseCreateCsc: >p rows cols nnz cscColOffsets cscRowInd cscValues cscColOffsetsType cscRowIndType idxBase valueType
createCsr: cusparseCreateCsr: >p rows cols nnz csrRowOffsets csrColInd csrValues csrRowOffsetsType csrColIndType idxBase valueType
createCsric02Info: cusparseCreateCsric02Info: >p
createCsrilu02Info: cusparseCreateCsrilu02Info: >p
createDnMat: cusparseCreateDnMat: >p rows cols ld values valueType order
createDnVec: cusparseCreateDnVec: >p size values valueType
createIdentityPermutation: cusparseCreateIdentityPermutation: handle n p
createMatDescr: cusparseCreateMatDescr: >p
createSpVec: cusparseCreateSpVec: >p size nnz indices values idxType idxBase valueType
csr2cscEx2: cusparseCsr2cscEx2: handle m n nnz csrVal csrRowPtr csrColInd cscVal cscColPtr cscRowInd valType copyValues idxBase alg buffer
csr2cscEx2_bufferSize: cusparseCsr2cscEx2_bufferSize: handle m n nnz csrVal csrRowPtr csrColInd cscVal cscColPtr cscRowInd valType copyValues idxBase alg >p
csrGet: cusparseCsrGet: spMatDescr >p >p >p >p >p >p >i >i >i >i
csrSetPointers: cusparseCsrSetPointers: spMatDescr csrRowOffsets csrColInd csrValues
denseToSparse_analysis: cusparseDenseToSparse_analysis: handle matA matB alg externalBuffer
denseToSparse_bufferSize: cusparseDenseToSparse_bufferSize: handle matA matB alg >p
denseToSparse_convert: cusparseDenseToSparse_convert: handle matA matB alg externalBuffer
destroyBsric02Info: cusparseDestroyBsric02Info: info
destroyBsrilu02Info: cusparseDestroyBsrilu02Info: info
destroyCsric02Info: cusparseDestroyCsric02Info: info
destroyCsrilu02Info: cusparseDestroyCsrilu02Info: info
destroyDnMat: cusparseDestroyDnMat: dnMatDescr
destroyDnVec: cusparseDestroyDnVec: dnVecDescr
destroyMatDescr: cusparseDestroyMatDescr: descrA
destroySpMat: cusparseDestroySpMat: spMatDescr
destroySpVec: cusparseDestroySpVec: spVecDescr
dnMatGet: cusparseDnMatGet: dnMatDescr >p >p >p >p >i >i
dnMatGetStridedBatch: cusparseDnMatGetStridedBatch: dnMatDescr >i >p
dnMatGetValues: cusparseDnMatGetValues: dnMatDescr >p
dnMatSetStridedBatch: cusparseDnMatSetStridedBatch: dnMatDescr batchCount batchStride
dnMatSetValues: cusparseDnMatSetValues: dnMatDescr values
dnVecGet: cusparseDnVecGet: dnVecDescr >p >p >i
dnVecGetValues: cusparseDnVecGetValues: dnVecDescr >p
dnVecSetValues: cusparseDnVecSetValues: dnVecDescr values
gather: cusparseGather: handle vecY vecX
setMatDiagType: cusparseSetMatDiagType: descrA diagType
setMatFillMode: cusparseSetMatFillMode: descrA fillMode
setMatIndexBase: cusparseSetMatIndexBase: descrA base
setMatType: cusparseSetMatType: descrA type
spGEAM: cusparseSpGEAM: handle opA opB alpha matA beta matB matC computeType alg spgeamDescr externalBuffer
spGEAM_bufferSize: cusparseSpGEAM_bufferSize: handle opA opB alpha matA beta matB matC computeType alg spgeamDescr >p
spGEAM_createDescr: cusparseSpGEAM_createDescr: >p
spGEAM_destroyDescr: cusparseSpGEAM_destroyDescr: descr
spGEAM_nnz: cusparseSpGEAM_nnz: handle opA opB alpha matA beta matB matC computeType alg spgeamDescr externalBuffer
spGEMM_compute: cusparseSpGEMM_compute: handle opA opB alpha matA matB beta matC computeType alg spgemmDescr bufferSize2:>p externalBuffer2
spGEMM_copy: cusparseSpGEMM_copy: handle opA opB alpha matA matB beta matC computeType alg spgemmDescr
spGEMM_createDescr: cusparseSpGEMM_createDescr: >p
spGEMM_destroyDescr: cusparseSpGEMM_destroyDescr: descr
spGEMM_workEstimation: cusparseSpGEMM_workEstimation: handle opA opB alpha matA matB beta matC computeType alg spgemmDescr bufferSize1:>p externalBuffer1
spMM: cusparseSpMM: handle opA opB alpha matA matB beta matC computeType alg externalBuffer
spMM_bufferSize: cusparseSpMM_bufferSize: handle opA opB alpha matA matB beta matC computeType alg >p
spMV: cusparseSpMV: handle opA alpha matA vecX beta vecY computeType alg externalBuffer
spMV_bufferSize: cusparseSpMV_bufferSize: handle opA alpha matA vecX beta vecY computeType alg >p
spMatGetFormat: cusparseSpMatGetFormat: spMatDescr >i
spMatGetIndexBase: cusparseSpMatGetIndexBase: spMatDescr >i
spMatGetSize: cusparseSpMatGetSize: spMatDescr >p >p >p
spMatGetStridedBatch: cusparseSpMatGetStridedBatch: spMatDescr >i
spMatGetValues: cusparseSpMatGetValues: spMatDescr >p
spMatSetAttribute: cusparseSpMatSetAttribute: spMatDescr attribute data dataSize
spMatSetValues: cusparseSpMatSetValues: spMatDescr values
spSM_analysis: cusparseSpSM_analysis: handle opA opB alpha matA matB matC computeType alg spsmDescr externalBuffer
spSM_bufferSize: cusparseSpSM_bufferSize: handle opA opB alpha matA matB matC computeType alg spsmDescr >p
spSM_createDescr: cusparseSpSM_createDescr: >p
spSM_destroyDescr: cusparseSpSM_destroyDescr: descr
spSM_solve: cusparseSpSM_solve: handle opA opB alpha matA matB matC computeType alg spsmDescr externalBuffer=0
spVV: cusparseSpVV: handle opX vecX vecY result computeType externalBuffer
spVV_bufferSize: cusparseSpVV_bufferSize: handle opX vecX vecY result computeType >p
spVecGet: cusparseSpVecGet: spVecDescr >p >p >p >p >i >i >i
spVecGetIndexBase: cusparseSpVecGetIndexBase: spVecDescr >i
spVecGetValues: cusparseSpVecGetValues: spVecDescr >p
spVecSetValues: cusparseSpVecSetValues: spVecDescr values
sparseToDense: cusparseSparseToDense: handle matA matB alg externalBuffer
sparseToDense_bufferSize: cusparseSparseToDense_bufferSize: handle matA matB alg >p
xbsric02_zeroPivot: cusparseXbsric02_zeroPivot: handle info position
xbsrilu02_zeroPivot: cusparseXbsrilu02_zeroPivot: handle info position
xcoo2csr: cusparseXcoo2csr: handle cooRowInd nnz m csrSortedRowPtr idxBase
xcoosortByColumn: cusparseXcoosortByColumn: handle m n nnz cooRowsA cooColsA P pBuffer
xcoosortByRow: cusparseXcoosortByRow: handle m n nnz cooRowsA cooColsA P pBuffer
xcoosort_bufferSizeExt: cusparseXcoosort_bufferSizeExt: handle m n nnz cooRowsA cooColsA >p
xcscsort: cusparseXcscsort: handle m n nnz descrA cscColPtrA cscRowIndA P pBuffer
xcscsort_bufferSizeExt: cusparseXcscsort_bufferSizeExt: handle m n nnz cscColPtrA cscRowIndA >p
xcsr2coo: cusparseXcsr2coo: handle csrSortedRowPtr nnz m cooRowInd idxBase
xcsrgeam2Nnz: cusparseXcsrgeam2Nnz: handle m n descrA nnzA csrSortedRowPtrA csrSortedColIndA descrB nnzB csrSortedRowPtrB csrSortedColIndB descrC csrSortedRowPtrC nnzTotalDevHostPtr workspace
xcsric02_zeroPivot: cusparseXcsric02_zeroPivot: handle info position
xcsrilu02_zeroPivot: cusparseXcsrilu02_zeroPivot: handle info position
xcsrsort: cusparseXcsrsort: handle m n nnz descrA csrRowPtrA csrColIndA P pBuffer
xcsrsort_bufferSizeExt: cusparseXcsrsort_bufferSizeExt: handle m n nnz csrRowPtrA csrColIndA >p
"""
# What CUDA 12 has no more, after the name of what does its work now.
_REMOVED = """
spMV: {sdcz}csrmv
spMM: {sdcz}csrmm {sdcz}csrmm2
spGEMM_compute: {sdcz}csrgemm {sdcz}csrgemm2 {sdcz}csrgemm2_bufferSizeExt xcsrgemmNnz xcsrgemm2Nnz
spGEMM_createDescr: createCsrgemm2Info destroyCsrgemm2Info
spSM_solve: {sdcz}csrsv2_bufferSize {sdcz}csrsv2_analysis {sdcz}csrsv2_solve xcsrsv2_zeroPivot
spSM_solve: {sdcz}csrsm2_bufferSizeExt {sdcz}csrsm2_analysis {sdcz}csrsm2_solve xcsrsm2_zeroPivot
spSM_createDescr: createCsrsv2Info destroyCsrsv2Info createCsrsm2Info destroyCsrsm2Info
csrgeam2: {sdcz}csrgeam
xcsrgeam2Nnz: xcsrgeamNnz
csr2cscEx2: {sdcz}csr2csc
sparseToDense: {sdcz}csr2dense {sdcz}csc2dense
denseToSparse_convert: {sdcz}dense2csr {sdcz}dense2csc
gather: {sdcz}gthr
createCoo: createCooAoS
cooGet: cooAoSGet
"""


def _as_record(function, record):
    """The function with its numbers as a record."""

    @_functools.wraps(function)
    def get(*args, **kwargs):
        return record(*function(*args, **kwargs))

    return get


_made = _table_functions(_library, _SETTINGS, __name__)
_library.begin = _begin
_made |= _table_functions(_library, _TABLE, __name__)
_made |= {
    _name: _as_record(_made[_name], _kind)
    for _name, _kind in (
        ("csrGet", CsrAttributes),
        ("cooGet", CooAttributes),
        ("spVecGet", SpVecAttributes),
        ("dnVecGet", DnVecAttributes),
        ("dnMatGet", DnMatAttributes),
        ("dnMatGetStridedBatch", DnMatBatchAttributes),
    )
}
_made |= _removed(_library, _REMOVED, __name__)
globals().update(_made)
__all__ += _made


def get_build_version():
    """The version of the installed cuSPARSE, as 12504 for 12.5.4."""
    parts = []
    for kind in range(3):
        part = _ctypes.c_int()
        _library.call("cusparseGetProperty", kind, part)
        parts.append(part.value)
    return parts[0] * 1000 + parts[1] * 100 + parts[2]
