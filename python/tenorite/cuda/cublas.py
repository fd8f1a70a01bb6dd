"""cuBLAS under CuPy's names: functions of handles and addresses, for programs that call it.

They work on the current stream. On the host, where a handle is a number of this module, the
operations on one vector or matrix work on the host's memory; the others are refused by name.
"""

from tenorite.cuda._raw import host_blas as _host
from tenorite.cuda._raw.tables import Library as _Library, functions as _functions
from tenorite.cuda.stream import get_current_stream as _get_current_stream

CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C = 0, 1, 2
CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE = 0, 1
CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT = 0, 1
CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER = 0, 1
CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT = 0, 1
CUBLAS_GEMM_DEFAULT = CUBLAS_GEMM_DFALT = -1
CUBLAS_GEMM_DEFAULT_TENSOR_OP = CUBLAS_GEMM_DFALT_TENSOR_OP = 99
CUBLAS_DEFAULT_MATH, CUBLAS_TENSOR_OP_MATH = 0, 1
CUBLAS_COMPUTE_16F, CUBLAS_COMPUTE_16F_PEDANTIC = 64, 65
CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_PEDANTIC = 68, 69
CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_64F_PEDANTIC = 70, 71
CUBLAS_COMPUTE_32I, CUBLAS_COMPUTE_32I_PEDANTIC = 72, 73
CUBLAS_COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_TF32 = 74, 75, 77

_STATUS = {
    0: "SUCCESS",
    1: "NOT_INITIALIZED",
    3: "ALLOC_FAILED",
    7: "INVALID_VALUE",
    8: "ARCH_MISMATCH",
    11: "MAPPING_ERROR",
    13: "EXECUTION_FAILED",
    14: "INTERNAL_ERROR",
    15: "NOT_SUPPORTED",
    16: "LICENSE_ERROR",
}


class CUBLASError(RuntimeError):
    """cuBLAS reported a failure; ``status`` is its number."""

    def __init__(self, status):
        self.status = status
        super().__init__("CUBLAS_STATUS_" + _STATUS.get(status, str(status)))

    def __reduce__(self):
        return type(self), (self.status,)


def check_status(status):
    """Raises CUBLASError for the number of a failure."""
    if status != 0:
        raise CUBLASError(status)


def _begin(handle):
    """Work goes to the current stream."""
    _library.call("cublasSetStream_v2", handle, _get_current_stream().ptr)


_host.refuse_handle = lambda: check_status(1)
_library = _Library("cublas", check_status, on_host=_host.FUNCTIONS, instead="there tenorite.cublas works on arrays")
_SETTINGS = """
create: cublasCreate_v2: >p
destroy: cublasDestroy_v2: handle
getVersion: cublasGetVersion_v2: handle >i
setStream: cublasSetStream_v2: handle stream
getStream: cublasGetStream_v2: handle >p
setPointerMode: cublasSetPointerMode_v2: handle mode
getPointerMode: cublasGetPointerMode_v2: handle >i
setMathMode: cublasSetMathMode: handle mode
getMathMode: cublasGetMathMode: handle >i
"""
_TABLE = """
i{sdcz}amax: cublasI{sdcz}amax_v2: handle n x incx result
i{sdcz}amin: cublasI{sdcz}amin_v2: handle n x incx result
{s,d,sc,dz}asum: cublas{S,D,Sc,Dz}asum_v2: handle n x incx result
{s,d,sc,dz}nrm2: cublas{S,D,Sc,Dz}nrm2_v2: handle n x incx result
{sdcz}axpy: cublas{SDCZ}axpy_v2: handle n alpha x incx y incy
{sd}dot: cublas{SD}dot_v2: handle n x incx y incy result
{cz}dotu: cublas{CZ}dotu_v2: handle n x incx y incy result
{cz}dotc: cublas{CZ}dotc_v2: handle n x incx y incy result
{s,d,c,cs,z,zd}scal: cublas{S,D,C,Cs,Z,Zd}scal_v2: handle n alpha x incx
{sdcz}gemv: cublas{SDCZ}gemv_v2: handle trans m n alpha A lda x incx beta y incy
{sd}ger: cublas{SD}ger_v2: handle m n alpha x incx y incy A lda
{cz}geru: cublas{CZ}geru_v2: handle m n alpha x incx y incy A lda
{cz}gerc: cublas{CZ}gerc_v2: handle m n alpha x incx y incy A lda
{sd}sbmv: cublas{SD}sbmv_v2: handle uplo n k alpha A lda x incx beta y incy
{sdcz}gemm: cublas{SDCZ}gemm_v2: handle transa transb m n k alpha A lda B ldb beta C ldc
{sdcz}gemmBatched: cublas{SDCZ}gemmBatched: handle transa transb m n k alpha Aarray lda Barray ldb beta Carray ldc batchCount
{sdcz}gemmStridedBatched: cublas{SDCZ}gemmStridedBatched: handle transa transb m n k alpha A lda strideA B ldb strideB beta C ldc strideC batchCount
{sdcz}trsm: cublas{SDCZ}trsm_v2: handle side uplo trans diag m n alpha Aarray lda Barray ldb
{sdcz}trsmBatched: cublas{SDCZ}trsmBatched: handle side uplo trans diag m n alpha Aarray lda Barray ldb batchCount
{sdcz}syrk: cublas{SDCZ}syrk_v2: handle uplo trans n k alpha A lda beta C ldc
{sdcz}geam: cublas{SDCZ}geam: handle transa transb m n alpha A lda beta B ldb C ldc
{sdcz}dgmm: cublas{SDCZ}dgmm: handle mode m n A lda x incx C ldc
{sdcz}getrfBatched: cublas{SDCZ}getrfBatched: handle n Aarray lda PivotArray infoArray batchSize
{sdcz}getrsBatched: cublas{SDCZ}getrsBatched: handle trans n nrhs Aarray lda devIpiv Barray ldb info batchSize
{sdcz}getriBatched: cublas{SDCZ}getriBatched: handle n Aarray lda PivotArray Carray ldc infoArray batchSize
{sd}tpttr: cublas{SD}tpttr: handle uplo n AP A lda
{sd}trttp: cublas{SD}trttp: handle uplo n A lda AP
sgemmEx: cublasSgemmEx: handle transa transb m n k alpha A Atype lda B Btype ldb beta C Ctype ldc
gemmEx: cublasGemmEx: handle transa transb m n k alpha A Atype lda B Btype ldb beta C Ctype ldc computeType algo
gemmStridedBatchedEx: cublasGemmStridedBatchedEx: handle transa transb m n k alpha A Atype lda strideA B Btype ldb strideB beta C Ctype ldc strideC batchCount computeType algo
"""
_made = _functions(_library, _SETTINGS, __name__)
_library.begin = _begin
_made |= _functions(_library, _TABLE, __name__)
globals().update(_made)

__all__ = ["CUBLASError", "check_status", *_made, *(_name for _name in dir() if _name.startswith("CUBLAS_"))]
