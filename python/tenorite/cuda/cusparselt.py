"""cuSPARSELt under CuPy's names: functions of handles, descriptors and addresses, for programs that
call it, and its numbers.

They work on the current stream. Where the library is not installed, and on the host,
`tenorite.cusparselt` does the same with arrays.
"""

import ctypes as _ctypes

from tenorite import _core
from tenorite.cuda._raw.tables import Library as _Library, functions as _functions, symbol as _symbol
from tenorite.cuda.cusparse import CuSparseError as _CuSparseError, check_status
from tenorite.cuda.stream import get_current_stream as _get_current_stream

__all__ = [
    "Handle",
    "MatDescriptor",
    "MatmulAlgSelection",
    "MatmulDescriptor",
    "MatmulPlan",
    "check_status",
    "getErrorName",
    "getErrorString",
    "get_build_version",
    "matmul",
    "matmulSearch",
]

# Names, and the values that they begin to count from, after cusparseLt.h.
_NUMBERS = {
    "CUSPARSELT_SPARSITY_50_PERCENT": 0,
    "CUSPARSELT_MAT_NUM_BATCHES CUSPARSELT_MAT_BATCH_STRIDE": 0,
    "CUSPARSE_COMPUTE_32I CUSPARSE_COMPUTE_16F CUSPARSE_COMPUTE_32F": 0,
    "CUSPARSELT_MATMUL_ACTIVATION_RELU CUSPARSELT_MATMUL_ACTIVATION_RELU_UPPERBOUND "
    "CUSPARSELT_MATMUL_ACTIVATION_RELU_THRESHOLD CUSPARSELT_MATMUL_ACTIVATION_GELU "
    "CUSPARSELT_MATMUL_ACTIVATION_GELU_SCALING CUSPARSELT_MATMUL_ALPHA_VECTOR_SCALING "
    "CUSPARSELT_MATMUL_BETA_VECTOR_SCALING CUSPARSELT_MATMUL_BIAS_STRIDE CUSPARSELT_MATMUL_BIAS_POINTER "
    "CUSPARSELT_MATMUL_SPARSE_MAT_POINTER CUSPARSELT_MATMUL_A_SCALE_MODE CUSPARSELT_MATMUL_B_SCALE_MODE "
    "CUSPARSELT_MATMUL_C_SCALE_MODE CUSPARSELT_MATMUL_D_SCALE_MODE CUSPARSELT_MATMUL_D_OUT_SCALE_MODE "
    "CUSPARSELT_MATMUL_A_SCALE_POINTER CUSPARSELT_MATMUL_B_SCALE_POINTER CUSPARSELT_MATMUL_C_SCALE_POINTER "
    "CUSPARSELT_MATMUL_D_SCALE_POINTER CUSPARSELT_MATMUL_D_OUT_SCALE_POINTER": 0,
    "CUSPARSELT_MATMUL_SCALE_NONE CUSPARSELT_MATMUL_MATRIX_SCALE_SCALAR_32F "
    "CUSPARSELT_MATMUL_MATRIX_SCALE_VEC32_UE4M3 CUSPARSELT_MATMUL_MATRIX_SCALE_VEC64_UE8M0": 0,
    "CUSPARSELT_MATMUL_ALG_DEFAULT": 0,
    "CUSPARSELT_MATMUL_ALG_CONFIG_ID CUSPARSELT_MATMUL_ALG_CONFIG_MAX_ID CUSPARSELT_MATMUL_SEARCH_ITERATIONS "
    "CUSPARSELT_MATMUL_SPLIT_K CUSPARSELT_MATMUL_SPLIT_K_MODE CUSPARSELT_MATMUL_SPLIT_K_BUFFERS": 0,
    "CUSPARSELT_INVALID_MODE CUSPARSELT_SPLIT_K_MODE_ONE_KERNEL CUSPARSELT_SPLIT_K_MODE_TWO_KERNELS "
    "CUSPARSELT_HEURISTIC CUSPARSELT_DATAPARALLEL CUSPARSELT_SPLITK CUSPARSELT_STREAMK": 0,
    "CUSPARSELT_PRUNE_SPMMA_TILE CUSPARSELT_PRUNE_SPMMA_STRIP": 0,
}
globals().update({name: first + k for names, first in _NUMBERS.items() for k, name in enumerate(names.split())})
__all__ += [_name for _name in dir() if _name.startswith("CUSPARSE")]
# The bytes of a descriptor: those of the version that has the largest ones.
_BYTES = 11024


class _Descriptor:
    """Memory of the library's, at an address that is a multiple of 16."""

    def __init__(self):
        self._memory = (_ctypes.c_char * (_BYTES + 16))()
        self._address = -(-_ctypes.addressof(self._memory) // 16) * 16

    @property
    def ptr(self):
        """The address, an int."""
        return self._address

    def __index__(self):
        return self._address


class Handle(_Descriptor):
    """A handle; `init` fills it, `destroy` ends it.

    Attributes
    ----------
    ptr : int
        Its address.
    """


class MatDescriptor(_Descriptor):
    """What the library knows of a matrix.

    Attributes
    ----------
    ptr : int
        Its address.
    """


class MatmulDescriptor(_Descriptor):
    """What the library knows of a product.

    Attributes
    ----------
    ptr : int
        Its address.
    """


class MatmulAlgSelection(_Descriptor):
    """The algorithm of a product.

    Attributes
    ----------
    ptr : int
        Its address.
    """


class MatmulPlan(_Descriptor):
    """A product that is ready to run.

    Attributes
    ----------
    ptr : int
        Its address.
    """


_library = _Library(
    "cusparselt", check_status, instead="there tenorite.cusparselt works on arrays", probe="cusparseLtInit"
)
_TABLE = """
init: cusparseLtInit: handle
destroy: cusparseLtDestroy: handle
getVersion: cusparseLtGetVersion: handle >i
denseDescriptorInit: cusparseLtDenseDescriptorInit: handle matDescr rows cols ld alignment valueType order
structuredDescriptorInit: cusparseLtStructuredDescriptorInit: handle matDescr rows cols ld alignment valueType order \
sparsity
matDescriptorDestroy: cusparseLtMatDescriptorDestroy: matDescr
matDesc{Set,Get}Attribute: cusparseLtMatDesc{Set,Get}Attribute: handle matDescr matAttribute data dataSize
matmulDescriptorInit: cusparseLtMatmulDescriptorInit: handle matmulDescr opA opB matA matB matC matD computeType
matmulDesc{Set,Get}Attribute: cusparseLtMatmulDesc{Set,Get}Attribute: handle matmulDescr matmulAttribute data dataSize
matmulAlgSelectionInit: cusparseLtMatmulAlgSelectionInit: handle algSelection matmulDescr alg
matmulAlgSelectionDestroy: cusparseLtMatmulAlgSelectionDestroy: algSelection
matmulAlg{Set,Get}Attribute: cusparseLtMatmulAlg{Set,Get}Attribute: handle algSelection attribute data dataSize
matmulGetWorkspace: cusparseLtMatmulGetWorkspace: handle plan >p
matmulPlanInit: cusparseLtMatmulPlanInit: handle plan matmulDescr algSelection
matmulPlanDestroy: cusparseLtMatmulPlanDestroy: plan
spMMAPrune: cusparseLtSpMMAPrune: handle matmulDescr d_in d_out pruneAlg @stream
spMMAPruneCheck: cusparseLtSpMMAPruneCheck: handle matmulDescr d_in d_valid @stream
spMMAPrune2: cusparseLtSpMMAPrune2: handle sparseMatDescr isSparseA op d_in d_out pruneAlg @stream
spMMAPruneCheck2: cusparseLtSpMMAPruneCheck2: handle sparseMatDescr isSparseA op d_in d_valid @stream
spMMACompressedSize: cusparseLtSpMMACompressedSize: handle plan >p >p
spMMACompress: cusparseLtSpMMACompress: handle plan d_dense d_compressed d_compressed_buffer @stream
spMMACompressedSize2: cusparseLtSpMMACompressedSize2: handle sparseMatDescr >p >p
spMMACompress2: cusparseLtSpMMACompress2: handle sparseMatDescr isSparseA op d_dense d_compressed d_compressed_buffer \
@stream
"""
_made = _functions(_library, _TABLE, __name__)
globals().update(_made)
__all__ += list(_made)


def _multiply(name, handle, plan, alpha, d_A, d_B, beta, d_C, d_D, workspace):
    _library.number(name)
    streams = _ctypes.c_size_t(_get_current_stream().ptr)
    words = [one.__index__() for one in (handle, plan, alpha, d_A, d_B, beta, d_C, d_D, workspace)]
    _library.call(f"cusparseLt{name[0].upper()}{name[1:]}", *words, _ctypes.addressof(streams), 1)


def matmul(handle, plan, alpha, d_A, d_B, beta, d_C, d_D, workspace):
    """``D = alpha * A @ B + beta * C`` by a plan; addresses are numbers.

    Parameters
    ----------
    handle : Handle
        A handle.
    plan : MatmulPlan
        The product.
    alpha, beta : int
        The addresses of factors in the host's memory.
    d_A, d_B, d_C, d_D, workspace : int
        Addresses on the device; the sparse matrix is the compressed one.
    """
    _multiply("matmul", handle, plan, alpha, d_A, d_B, beta, d_C, d_D, workspace)


def matmulSearch(handle, plan, alpha, d_A, d_B, beta, d_C, d_D, workspace):
    """`matmul` by several algorithms, of which the plan keeps the fastest.

    Parameters
    ----------
    handle, plan, alpha, d_A, d_B, beta, d_C, d_D, workspace
        As of `matmul`.
    """
    _multiply("matmulSearch", handle, plan, alpha, d_A, d_B, beta, d_C, d_D, workspace)


def _text(name, status):
    address = _core._cuda_call(_symbol("cusparselt", name), (status,), -1)
    return _ctypes.string_at(address).decode()


def getErrorName(status):
    """The name of a status.

    Parameters
    ----------
    status : int
        What a function reported.

    Returns
    -------
    str
        As "CUSPARSE_STATUS_INVALID_VALUE".

    Examples
    --------
    >>> tenorite.cuda.cusparselt.getErrorName(3)
    'CUSPARSE_STATUS_INVALID_VALUE'
    """
    return str(_CuSparseError(status)).partition(":")[0]


def getErrorString(status):
    """What a status says.

    Parameters
    ----------
    status : int
        What a function reported.

    Returns
    -------
    str
        The library's text where it is installed.

    Examples
    --------
    >>> tenorite.cuda.cusparselt.getErrorString(3)
    'invalid value'
    """
    if _library.is_found():
        return _text("cusparseLtGetErrorString", status)
    return str(_CuSparseError(status)).partition(": ")[2]


def get_build_version():
    """The version of the library for which the functions were written.

    Returns
    -------
    int
        1,000 times the major and 100 times the minor version.

    Examples
    --------
    >>> tenorite.cuda.cusparselt.get_build_version()
    800
    """
    return 800
