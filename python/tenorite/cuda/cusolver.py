"""cuSOLVER under CuPy's names: functions of handles and addresses, for programs that call it.

They work on the current stream. The host has no such library: `tenorite.linalg`,
`tenorite.cusolver` and `tenorite.scipy.sparse.linalg` do the same with arrays, there as well.
"""

from tenorite.cuda._raw.host_handles import Handles as _Handles
from tenorite.cuda._raw.tables import Library as _Library, functions as _functions
from tenorite.cuda.device import Device as _Device
from tenorite.cuda.stream import get_current_stream as _get_current_stream

CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_TYPE_2, CUSOLVER_EIG_TYPE_3 = 1, 2, 3
CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR = 0, 1

_STATUS = {
    1: "NOT_INITIALIZED",
    2: "ALLOC_FAILED",
    3: "INVALID_VALUE",
    4: "ARCH_MISMATCH",
    5: "MAPPING_ERROR",
    6: "EXECUTION_FAILED",
    7: "INTERNAL_ERROR",
    8: "MATRIX_TYPE_NOT_SUPPORTED",
    9: "NOT_SUPPORTED",
    10: "ZERO_PIVOT",
    11: "INVALID_LICENSE",
    12: "IRS_PARAMS_NOT_INITIALIZED",
    13: "IRS_PARAMS_INVALID",
    14: "IRS_PARAMS_INVALID_PREC",
    15: "IRS_PARAMS_INVALID_REFINE",
    16: "IRS_PARAMS_INVALID_MAXITER",
    20: "IRS_INTERNAL_ERROR",
    21: "IRS_NOT_SUPPORTED",
    22: "IRS_OUT_OF_RANGE",
    23: "IRS_NRHS_NOT_SUPPORTED_FOR_REFINE_GMRES",
    25: "IRS_INFOS_NOT_INITIALIZED",
    26: "IRS_INFOS_NOT_DESTROYED",
    30: "IRS_MATRIX_SINGULAR",
    31: "INVALID_WORKSPACE",
}


class CUSOLVERError(RuntimeError):
    """cuSOLVER reported a failure; ``status`` is its number."""

    def __init__(self, status):
        self.status = status
        super().__init__("CUSOLVER_STATUS_" + _STATUS.get(status, str(status)))

    def __reduce__(self):
        return type(self), (self.status,)


def check_status(status):
    """Raises CUSOLVERError for the number of a failure."""
    if status != 0:
        raise CUSOLVERError(status)


def _begin(handle):
    """Dense work goes to the current stream."""
    _library.call("cusolverDnSetStream", handle, _get_current_stream().ptr)


def _begin_sparse(handle):
    """Sparse work goes to the current stream."""
    _library.call("cusolverSpSetStream", handle, _get_current_stream().ptr)


_ON_HOST = {
    **_Handles(lambda: check_status(1)).functions("Stream"),
    **_Handles(lambda: check_status(1)).functions("Stream", prefix="sp"),
}
_library = _Library(
    "cusolver", check_status, on_host=_ON_HOST, instead="there tenorite.linalg and tenorite.cusolver work on arrays"
)
_SETTINGS = """
create: cusolverDnCreate: >p
destroy: cusolverDnDestroy: handle
setStream: cusolverDnSetStream: handle stream
getStream: cusolverDnGetStream: handle >p
spCreate: cusolverSpCreate: >p
spDestroy: cusolverSpDestroy: handle
spSetStream: cusolverSpSetStream: handle stream
spGetStream: cusolverSpGetStream: handle >p
getProperty: cusolverGetProperty: type >i
createParams: cusolverDnCreateParams: >p
destroyParams: cusolverDnDestroyParams: params
create{Syevj,Gesvdj}Info: cusolverDnCreate{Syevj,Gesvdj}Info: >p
destroy{Syevj,Gesvdj}Info: cusolverDnDestroy{Syevj,Gesvdj}Info: info
x{syevj,gesvdj}SetTolerance: cusolverDnX{syevj,gesvdj}SetTolerance: info tolerance:d
x{syevj,gesvdj}SetMaxSweeps: cusolverDnX{syevj,gesvdj}SetMaxSweeps: info max_sweeps
x{syevj,gesvdj}SetSortEig: cusolverDnX{syevj,gesvdj}SetSortEig: info sort_eig
x{syevj,gesvdj}GetResidual: cusolverDnX{syevj,gesvdj}GetResidual: handle info >d
x{syevj,gesvdj}GetSweeps: cusolverDnX{syevj,gesvdj}GetSweeps: handle info >i
"""
_TABLE = """
{sdcz}potrf_bufferSize: cusolverDn{SDCZ}potrf_bufferSize: handle uplo n A lda >i
{sdcz}potrf: cusolverDn{SDCZ}potrf: handle uplo n A lda work lwork devInfo
{sdcz}potrs: cusolverDn{SDCZ}potrs: handle uplo n nrhs A lda B ldb devInfo
{sdcz}potrfBatched: cusolverDn{SDCZ}potrfBatched: handle uplo n Aarray lda infoArray batchSize
{sdcz}potrsBatched: cusolverDn{SDCZ}potrsBatched: handle uplo n nrhs Aarray lda Barray ldb devInfo batchSize
{sdcz}getrf_bufferSize: cusolverDn{SDCZ}getrf_bufferSize: handle m n A lda >i
{sdcz}getrf: cusolverDn{SDCZ}getrf: handle m n A lda work devIpiv devInfo
{sdcz}getrs: cusolverDn{SDCZ}getrs: handle trans n nrhs A lda devIpiv B ldb devInfo
{sdcz}geqrf_bufferSize: cusolverDn{SDCZ}geqrf_bufferSize: handle m n A lda >i
{sdcz}geqrf: cusolverDn{SDCZ}geqrf: handle m n A lda tau work lwork devInfo
{sor,dor,cun,zun}gqr_bufferSize: cusolverDn{Sor,Dor,Cun,Zun}gqr_bufferSize: handle m n k A lda tau >i
{sor,dor,cun,zun}gqr: cusolverDn{Sor,Dor,Cun,Zun}gqr: handle m n k A lda tau work lwork devInfo
{sor,dor,cun,zun}mqr_bufferSize: cusolverDn{Sor,Dor,Cun,Zun}mqr_bufferSize: handle side trans m n k A lda tau C ldc >i
{sor,dor,cun,zun}mqr: cusolverDn{Sor,Dor,Cun,Zun}mqr: handle side trans m n k A lda tau C ldc work lwork devInfo
{cor,zor}mqr: cusolverDn{Cun,Zun}mqr: handle side trans m n k A lda tau C ldc work lwork devInfo
{sdcz}sytrf_bufferSize: cusolverDn{SDCZ}sytrf_bufferSize: handle n A lda >i
{sdcz}sytrf: cusolverDn{SDCZ}sytrf: handle uplo n A lda ipiv work lwork devInfo
{sdcz}gebrd_bufferSize: cusolverDn{SDCZ}gebrd_bufferSize: handle m n >i
{sdcz}gebrd: cusolverDn{SDCZ}gebrd: handle m n A lda D E tauQ tauP Work lwork devInfo
{sdcz}gesvd_bufferSize: cusolverDn{SDCZ}gesvd_bufferSize: handle m n >i
{sdcz}gesvd: cusolverDn{SDCZ}gesvd: handle jobu jobvt m n A lda S U ldu VT ldvt Work lwork rwork devInfo
{sdcz}gesvdj_bufferSize: cusolverDn{SDCZ}gesvdj_bufferSize: handle jobz econ m n A lda S U ldu V ldv >i params
{sdcz}gesvdj: cusolverDn{SDCZ}gesvdj: handle jobz econ m n A lda S U ldu V ldv work lwork info params
{sdcz}gesvdjBatched_bufferSize: cusolverDn{SDCZ}gesvdjBatched_bufferSize: handle jobz m n A lda S U ldu V ldv >i params batchSize
{sdcz}gesvdjBatched: cusolverDn{SDCZ}gesvdjBatched: handle jobz m n A lda S U ldu V ldv work lwork info params batchSize
{sdcz}gesvdaStridedBatched_bufferSize: cusolverDn{SDCZ}gesvdaStridedBatched_bufferSize: handle jobz rank m n d_A lda strideA d_S strideS d_U ldu strideU d_V ldv strideV >i batchSize
{sdcz}gesvdaStridedBatched: cusolverDn{SDCZ}gesvdaStridedBatched: handle jobz rank m n d_A lda strideA d_S strideS d_U ldu strideU d_V ldv strideV d_work lwork d_info h_R_nrmF batchSize
{ssy,dsy,che,zhe}evd_bufferSize: cusolverDn{Ssy,Dsy,Che,Zhe}evd_bufferSize: handle jobz uplo n A lda W >i
{ssy,dsy,che,zhe}evd: cusolverDn{Ssy,Dsy,Che,Zhe}evd: handle jobz uplo n A lda W work lwork info
{ssy,dsy,che,zhe}evj_bufferSize: cusolverDn{Ssy,Dsy,Che,Zhe}evj_bufferSize: handle jobz uplo n A lda W >i params
{ssy,dsy,che,zhe}evj: cusolverDn{Ssy,Dsy,Che,Zhe}evj: handle jobz uplo n A lda W work lwork info params
{ssy,dsy,che,zhe}evjBatched_bufferSize: cusolverDn{Ssy,Dsy,Che,Zhe}evjBatched_bufferSize: handle jobz uplo n A lda W >i params batchSize
{ssy,dsy,che,zhe}evjBatched: cusolverDn{Ssy,Dsy,Che,Zhe}evjBatched: handle jobz uplo n A lda W work lwork info params batchSize
xsyevd_bufferSize: cusolverDnXsyevd_bufferSize: handle params jobz uplo n dataTypeA A lda dataTypeW W computeType >p >p
xsyevd: cusolverDnXsyevd: handle params jobz uplo n dataTypeA A lda dataTypeW W computeType bufferOnDevice workspaceInBytesOnDevice bufferOnHost workspaceInBytesOnHost info
xgeev_bufferSize: cusolverDnXgeev_bufferSize: handle params jobvl jobvr n dataTypeA A lda dataTypeW W dataTypeVL VL ldvl dataTypeVR VR ldvr computeType >p >p
xgeev: cusolverDnXgeev: handle params jobvl jobvr n dataTypeA A lda dataTypeW W dataTypeVL VL ldvl dataTypeVR VR ldvr computeType bufferOnDevice workspaceInBytesOnDevice bufferOnHost workspaceInBytesOnHost info
{zz,zc,zy,zk,cc,cy,ck,dd,ds,dx,dh,ss,sx,sh}gesv_bufferSize: cusolverDn{ZZ,ZC,ZY,ZK,CC,CY,CK,DD,DS,DX,DH,SS,SX,SH}gesv_bufferSize: handle n nrhs dA ldda dipiv dB lddb dX lddx dwork >p
{zz,zc,zy,zk,cc,cy,ck,dd,ds,dx,dh,ss,sx,sh}gesv: cusolverDn{ZZ,ZC,ZY,ZK,CC,CY,CK,DD,DS,DX,DH,SS,SX,SH}gesv: handle n nrhs dA ldda dipiv dB lddb dX lddx dWork lwork >i dInfo
{zz,zc,zy,zk,cc,cy,ck,dd,ds,dx,dh,ss,sx,sh}gels_bufferSize: cusolverDn{ZZ,ZC,ZY,ZK,CC,CY,CK,DD,DS,DX,DH,SS,SX,SH}gels_bufferSize: handle m n nrhs dA ldda dB lddb dX lddx dwork >p
{zz,zc,zy,zk,cc,cy,ck,dd,ds,dx,dh,ss,sx,sh}gels: cusolverDn{ZZ,ZC,ZY,ZK,CC,CY,CK,DD,DS,DX,DH,SS,SX,SH}gels: handle m n nrhs dA ldda dB lddb dX lddx dWorkspace lwork >i dInfo
"""
_SPARSE = """
{sc}csrlsvchol: cusolverSp{SC}csrlsvchol: handle m nnz descrA csrValA csrRowPtrA csrColIndA b tol:f reorder x singularity
{dz}csrlsvchol: cusolverSp{DZ}csrlsvchol: handle m nnz descrA csrValA csrRowPtrA csrColIndA b tol:d reorder x singularity
{sc}csrlsvqr: cusolverSp{SC}csrlsvqr: handle m nnz descrA csrValA csrRowPtrA csrColIndA b tol:f reorder x singularity
{dz}csrlsvqr: cusolverSp{DZ}csrlsvqr: handle m nnz descrA csrValA csrRowPtrA csrColIndA b tol:d reorder x singularity
scsreigvsi: cusolverSpScsreigvsi: handle m nnz descrA csrValA csrRowPtrA csrColIndA mu0:f x0 maxite tol:f mu x
dcsreigvsi: cusolverSpDcsreigvsi: handle m nnz descrA csrValA csrRowPtrA csrColIndA mu0:d x0 maxite tol:d mu x
ccsreigvsi: cusolverSpCcsreigvsi: handle m nnz descrA csrValA csrRowPtrA csrColIndA mu0:C x0 maxite tol:f mu x
zcsreigvsi: cusolverSpZcsreigvsi: handle m nnz descrA csrValA csrRowPtrA csrColIndA mu0:Z x0 maxite tol:d mu x
"""
_made = _functions(_library, _SETTINGS, __name__)
_library.begin = _begin
_made |= _functions(_library, _TABLE, __name__)
_library.begin = _begin_sparse
_made |= _functions(_library, _SPARSE, __name__)
globals().update(_made)


def _getVersion():
    """The three parts of cuSOLVER's version; zeros on the host, where it does no work."""
    if _Device().backend != "cuda":
        return 0, 0, 0
    return tuple(_made["getProperty"](part) for part in range(3))


__all__ = ["CUSOLVERError", "check_status", *_made, *(_name for _name in dir() if _name.startswith("CUSOLVER_"))]
