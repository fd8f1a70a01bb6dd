"""cuTENSOR under CuPy's names: functions of handles, descriptors and addresses, for programs that
call it, and its numbers.

They work on the current stream. On the host, and where the library is not installed, the same
functions are made of Tenorite's own contractions, reductions and fused programs: so `available` is
always True, and `get_version` says whether the library is there. `tenorite.cutensor` does the same
with arrays.
"""

import ctypes as _ctypes

from tenorite.cuda._raw.tables import Library as _Library, functions as _functions, symbol as _symbol
from tenorite.cuda._raw.tensors import Plans as _Plans
from tenorite.cuda._raw.tensors_mg import MgPlans as _MgPlans

__all__ = ["CuTensorError", "available", "get_cudart_version", "get_version"]

# Names and numbers, after cutensor/types.h, cutensorMg.h and cudaDataType_t.
_NUMBERS = {
    "ALGO_": "DEFAULT -1 DEFAULT_PATIENT -6 GETT -4 TGETT -3 TTGT -2",
    "COMPUTE_": "16BF 0x400 16F 1 32F 4 32I 0x200 32U 0x80 3XTF32 0x2000 64F 0x10 8I 0x100 8U 0x40 TF32 0x1000",
    "COMPUTE_DESC_": "16BF 0x400 16F 1 32F 4 3xTF32 0x2000 64F 0x10 TF32 0x1000",
    "CUTENSORMG_ALGO_": "DEFAULT -1",
    "CUTENSOR_MG_DEVICE_": "HOST -1 HOST_PINNED -2",
    "C_": "16BF 15 16F 6 16I 21 16U 23 32F 4 32I 11 32U 13 4I 17 4U 19 64F 5 64I 25 64U 27 8I 7 8U 9",
    "C_MIN_": "16F 2 32F 8 64F 32 TF32 4096",
    "JIT_MODE_": "ALL 2 DEFAULT 1 NONE 0",
    "OP_": "IDENTITY 1 SQRT 2 ADD 3 MUL 5 MAX 6 MIN 7 RELU 8 CONJ 9 RCP 10 SIGMOID 11 TANH 12 EXP 22 LOG 23 "
    "ABS 24 NEG 25 SIN 26 COS 27 TAN 28 SINH 29 COSH 30 ASIN 31 ACOS 32 ATAN 33 ASINH 34 ACOSH 35 ATANH 36 "
    "CEIL 37 FLOOR 38",
    "PLAN_": "REQUIRED_WORKSPACE 0",
    "R_": "16BF 14 16F 2 16I 20 16U 22 32F 0 32I 10 32U 12 4I 16 4U 18 64F 1 64I 24 64U 26 8I 3 8U 8",
    "R_MIN_": "16BF 1024 16F 1 32F 4 32I 512 32U 128 64F 16 8I 256 8U 64 TF32 2048",
    "STATUS_": "SUCCESS 0 NOT_INITIALIZED 1 ALLOC_FAILED 3 INVALID_VALUE 7 ARCH_MISMATCH 8 MAPPING_ERROR 11 "
    "EXECUTION_FAILED 13 INTERNAL_ERROR 14 NOT_SUPPORTED 15 LICENSE_ERROR 16 CUBLAS_ERROR 17 CUDA_ERROR 18 "
    "INSUFFICIENT_WORKSPACE 19 INSUFFICIENT_DRIVER 20 IO_ERROR 21",
    "WORKSPACE_": "MIN 1 RECOMMENDED 2 MAX 3",
}
for _prefix, _text in _NUMBERS.items():
    _words = _text.split()
    globals().update({_prefix + _name: int(_value, 0) for _name, _value in zip(_words[::2], _words[1::2])})
    __all__ += [_prefix + _name for _name in _words[::2]]
_STATUS = {value: name for name, value in globals().items() if name.startswith("STATUS_")}
# The variables of the library that hold what each kind of computation is.
_COMPUTE = {1: "16F", 0x400: "16BF", 0x1000: "TF32", 0x2000: "3XTF32", 4: "32F", 0x10: "64F"}


class CuTensorError(RuntimeError):
    """cuTENSOR reported a failure; ``status`` is its number."""

    def __init__(self, status):
        self.status = status
        super().__init__("CUTENSOR_" + _STATUS.get(status, f"STATUS_{status}"))

    def __reduce__(self):
        return type(self), (self.status,)


def _check_status(status):
    if status != 0:
        raise CuTensorError(status)


def _fail(status):
    raise CuTensorError(status)


def _compute_descriptor(number):
    """The library's descriptor of a computation, of one of the numbers COMPUTE_DESC_..."""
    if number not in _COMPUTE:
        raise CuTensorError(15)
    address = _symbol("cutensor", f"CUTENSOR_COMPUTE_DESC_{_COMPUTE[number]}")
    return _ctypes.c_void_p.from_address(address).value


_plans = _Plans(_fail)
_ON_HOST = _plans.functions()
_ON_HOST_MG = _MgPlans(_plans, _fail).functions()
_library = _Library(
    "cutensor",
    _check_status,
    on_host=_ON_HOST,
    probe="cutensorCreate",
    first=("cublaslt", "cublasLtCreate"),
    conversions={"t": _compute_descriptor},
)
available = True
_library_mg = _Library(
    "cutensormg", _check_status, on_host=_ON_HOST_MG, probe="cutensorMgCreate", first=("cutensor", "cutensorCreate")
)
_TABLE = """
create: cutensorCreate: >p
destroy: cutensorDestroy: handle
createTensorDescriptor: cutensorCreateTensorDescriptor: handle >p numModes extent stride dataType alignmentRequirement
destroy{TensorDescriptor,OperationDescriptor,PlanPreference,Plan}: \
cutensorDestroy{TensorDescriptor,OperationDescriptor,PlanPreference,Plan}: desc
createElementwiseTrinary: cutensorCreateElementwiseTrinary: handle >p descA modeA opA descB modeB opB descC modeC opC \
descD modeD opAB opABC descCompute:t
createElementwiseBinary: cutensorCreateElementwiseBinary: handle >p descA modeA opA descC modeC opC descD modeD opAB \
descCompute:t
createPermutation: cutensorCreatePermutation: handle >p descA modeA opA descB modeB descCompute:t
createContraction: cutensorCreateContraction: handle >p descA modeA opA descB modeB opB descC modeC opC descD modeD \
descCompute:t
createReduction: cutensorCreateReduction: handle >p descA modeA opA descC modeC opC descD modeD opReduce descCompute:t
createPlanPreference: cutensorCreatePlanPreference: handle >p algo jitMode
createPlan: cutensorCreatePlan: handle >p desc pref workspaceSizeLimit
estimateWorkspaceSize: cutensorEstimateWorkspaceSize: handle desc planPref workspacePref >p
planGetAttribute: cutensorPlanGetAttribute: handle plan attr buf sizeInBytes
elementwiseTrinaryExecute: cutensorElementwiseTrinaryExecute: handle plan alpha A beta B gamma C D @stream
elementwiseBinaryExecute: cutensorElementwiseBinaryExecute: handle plan alpha A gamma C D @stream
permute: cutensorPermute: handle plan alpha A B @stream
contract: cutensorContract: handle plan alpha A B beta C D workspace workspaceSize @stream
reduce: cutensorReduce: handle plan alpha A beta C D workspace workspaceSize @stream
"""
_TABLE_MG = """
createMg: cutensorMgCreate: >p numDevices devices
destroyMg: cutensorMgDestroy: handle
createMgTensorDescriptor: cutensorMgCreateTensorDescriptor: handle >p numModes extent elementStride blockSize \
blockStride deviceCount numDevices devices dataType
destroyMg{TensorDescriptor,CopyDescriptor,CopyPlan,ContractionDescriptor,ContractionFind,ContractionPlan}: \
cutensorMgDestroy{TensorDescriptor,CopyDescriptor,CopyPlan,ContractionDescriptor,ContractionFind,ContractionPlan}: desc
createMgCopyDescriptor: cutensorMgCreateCopyDescriptor: handle >p descDst modesDst descSrc modesSrc
getMgCopyWorkspace: cutensorMgCopyGetWorkspace: handle desc workspaceDeviceSize >p
createMgCopyPlan: cutensorMgCreateCopyPlan: handle >p desc workspaceDeviceSize workspaceHostSize
_copyMg: cutensorMgCopy: handle plan ptrDst ptrSrc workspaceDevice workspaceHost _streams
createMgContractionFind: cutensorMgCreateContractionFind: handle >p algo
createMgContractionDescriptor: cutensorMgCreateContractionDescriptor: handle >p descA modesA descB modesB descC modesC \
descD modesD compute
getMgContractionWorkspace: cutensorMgContractionGetWorkspace: handle desc find preference workspaceDeviceSize >p
createMgContractionPlan: cutensorMgCreateContractionPlan: handle >p desc find workspaceDeviceSize workspaceHostSize
_contractMg: cutensorMgContraction: handle plan alpha A B beta C D workspaceDevice workspaceHost _streams
"""
_made = {**_functions(_library, _TABLE, __name__), **_functions(_library_mg, _TABLE_MG, __name__)}
globals().update(_made)
__all__ += [_name for _name in _made if _name[0] != "_"]


def _number_of(name):
    return _library.number_of(name) if _library.is_found() else 0


def get_version():
    """The version of cuTENSOR, 10,000 times the major one and so on; 0 where it is not installed.

    Returns
    -------
    int
        As 20300.

    Examples
    --------
    >>> tenorite.cuda.cutensor.get_version() >= 0
    True
    """
    return _number_of("cutensorGetVersion")


def get_cudart_version():
    """The version of CUDA's runtime that cuTENSOR was built with; 0 where it is not installed.

    Returns
    -------
    int
        As 13000.

    Examples
    --------
    >>> tenorite.cuda.cutensor.get_cudart_version() >= 0
    True
    """
    return _number_of("cutensorGetCudartVersion")
