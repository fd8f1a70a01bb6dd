# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

ALGO_DEFAULT: _b.int
ALGO_DEFAULT_PATIENT: _b.int
ALGO_GETT: _b.int
ALGO_TGETT: _b.int
ALGO_TTGT: _b.int
COMPUTE_16BF: _b.int
COMPUTE_16F: _b.int
COMPUTE_32F: _b.int
COMPUTE_32I: _b.int
COMPUTE_32U: _b.int
COMPUTE_3XTF32: _b.int
COMPUTE_64F: _b.int
COMPUTE_8I: _b.int
COMPUTE_8U: _b.int
COMPUTE_DESC_16BF: _b.int
COMPUTE_DESC_16F: _b.int
COMPUTE_DESC_32F: _b.int
COMPUTE_DESC_3xTF32: _b.int
COMPUTE_DESC_64F: _b.int
COMPUTE_DESC_TF32: _b.int
COMPUTE_TF32: _b.int
CUTENSORMG_ALGO_DEFAULT: _b.int
CUTENSOR_MG_DEVICE_HOST: _b.int
CUTENSOR_MG_DEVICE_HOST_PINNED: _b.int
C_16BF: _b.int
C_16F: _b.int
C_16I: _b.int
C_16U: _b.int
C_32F: _b.int
C_32I: _b.int
C_32U: _b.int
C_4I: _b.int
C_4U: _b.int
C_64F: _b.int
C_64I: _b.int
C_64U: _b.int
C_8I: _b.int
C_8U: _b.int
C_MIN_16F: _b.int
C_MIN_32F: _b.int
C_MIN_64F: _b.int
C_MIN_TF32: _b.int
class CuTensorError(RuntimeError):
    def __init__(self, status: _Any) -> None: ...
JIT_MODE_ALL: _b.int
JIT_MODE_DEFAULT: _b.int
JIT_MODE_NONE: _b.int
OP_ABS: _b.int
OP_ACOS: _b.int
OP_ACOSH: _b.int
OP_ADD: _b.int
OP_ASIN: _b.int
OP_ASINH: _b.int
OP_ATAN: _b.int
OP_ATANH: _b.int
OP_CEIL: _b.int
OP_CONJ: _b.int
OP_COS: _b.int
OP_COSH: _b.int
OP_EXP: _b.int
OP_FLOOR: _b.int
OP_IDENTITY: _b.int
OP_LOG: _b.int
OP_MAX: _b.int
OP_MIN: _b.int
OP_MUL: _b.int
OP_NEG: _b.int
OP_RCP: _b.int
OP_RELU: _b.int
OP_SIGMOID: _b.int
OP_SIN: _b.int
OP_SINH: _b.int
OP_SQRT: _b.int
OP_TAN: _b.int
OP_TANH: _b.int
PLAN_REQUIRED_WORKSPACE: _b.int
R_16BF: _b.int
R_16F: _b.int
R_16I: _b.int
R_16U: _b.int
R_32F: _b.int
R_32I: _b.int
R_32U: _b.int
R_4I: _b.int
R_4U: _b.int
R_64F: _b.int
R_64I: _b.int
R_64U: _b.int
R_8I: _b.int
R_8U: _b.int
R_MIN_16BF: _b.int
R_MIN_16F: _b.int
R_MIN_32F: _b.int
R_MIN_32I: _b.int
R_MIN_32U: _b.int
R_MIN_64F: _b.int
R_MIN_8I: _b.int
R_MIN_8U: _b.int
R_MIN_TF32: _b.int
STATUS_ALLOC_FAILED: _b.int
STATUS_ARCH_MISMATCH: _b.int
STATUS_CUBLAS_ERROR: _b.int
STATUS_CUDA_ERROR: _b.int
STATUS_EXECUTION_FAILED: _b.int
STATUS_INSUFFICIENT_DRIVER: _b.int
STATUS_INSUFFICIENT_WORKSPACE: _b.int
STATUS_INTERNAL_ERROR: _b.int
STATUS_INVALID_VALUE: _b.int
STATUS_IO_ERROR: _b.int
STATUS_LICENSE_ERROR: _b.int
STATUS_MAPPING_ERROR: _b.int
STATUS_NOT_INITIALIZED: _b.int
STATUS_NOT_SUPPORTED: _b.int
STATUS_SUCCESS: _b.int
WORKSPACE_MAX: _b.int
WORKSPACE_MIN: _b.int
WORKSPACE_RECOMMENDED: _b.int
available: _b.bool
def contract(handle: _Any, plan: _Any, alpha: _Any, A: _Any, B: _Any, beta: _Any, C: _Any, D: _Any, workspace: _Any, workspaceSize: _Any) -> _Any: ...
def create() -> _Any: ...
def createContraction(handle: _Any, descA: _Any, modeA: _Any, opA: _Any, descB: _Any, modeB: _Any, opB: _Any, descC: _Any, modeC: _Any, opC: _Any, descD: _Any, modeD: _Any, descCompute: _Any) -> _Any: ...
def createElementwiseBinary(handle: _Any, descA: _Any, modeA: _Any, opA: _Any, descC: _Any, modeC: _Any, opC: _Any, descD: _Any, modeD: _Any, opAB: _Any, descCompute: _Any) -> _Any: ...
def createElementwiseTrinary(handle: _Any, descA: _Any, modeA: _Any, opA: _Any, descB: _Any, modeB: _Any, opB: _Any, descC: _Any, modeC: _Any, opC: _Any, descD: _Any, modeD: _Any, opAB: _Any, opABC: _Any, descCompute: _Any) -> _Any: ...
def createMg(numDevices: _Any, devices: _Any) -> _Any: ...
def createMgContractionDescriptor(handle: _Any, descA: _Any, modesA: _Any, descB: _Any, modesB: _Any, descC: _Any, modesC: _Any, descD: _Any, modesD: _Any, compute: _Any) -> _Any: ...
def createMgContractionFind(handle: _Any, algo: _Any) -> _Any: ...
def createMgContractionPlan(handle: _Any, desc: _Any, find: _Any, workspaceDeviceSize: _Any, workspaceHostSize: _Any) -> _Any: ...
def createMgCopyDescriptor(handle: _Any, descDst: _Any, modesDst: _Any, descSrc: _Any, modesSrc: _Any) -> _Any: ...
def createMgCopyPlan(handle: _Any, desc: _Any, workspaceDeviceSize: _Any, workspaceHostSize: _Any) -> _Any: ...
def createMgTensorDescriptor(handle: _Any, numModes: _Any, extent: _Any, elementStride: _Any, blockSize: _Any, blockStride: _Any, deviceCount: _Any, numDevices: _Any, devices: _Any, dataType: _Any) -> _Any: ...
def createPermutation(handle: _Any, descA: _Any, modeA: _Any, opA: _Any, descB: _Any, modeB: _Any, descCompute: _Any) -> _Any: ...
def createPlan(handle: _Any, desc: _Any, pref: _Any, workspaceSizeLimit: _Any) -> _Any: ...
def createPlanPreference(handle: _Any, algo: _Any, jitMode: _Any) -> _Any: ...
def createReduction(handle: _Any, descA: _Any, modeA: _Any, opA: _Any, descC: _Any, modeC: _Any, opC: _Any, descD: _Any, modeD: _Any, opReduce: _Any, descCompute: _Any) -> _Any: ...
def createTensorDescriptor(handle: _Any, numModes: _Any, extent: _Any, stride: _Any, dataType: _Any, alignmentRequirement: _Any) -> _Any: ...
def destroy(handle: _Any) -> _Any: ...
def destroyMg(handle: _Any) -> _Any: ...
def destroyMgContractionDescriptor(desc: _Any) -> _Any: ...
def destroyMgContractionFind(desc: _Any) -> _Any: ...
def destroyMgContractionPlan(desc: _Any) -> _Any: ...
def destroyMgCopyDescriptor(desc: _Any) -> _Any: ...
def destroyMgCopyPlan(desc: _Any) -> _Any: ...
def destroyMgTensorDescriptor(desc: _Any) -> _Any: ...
def destroyOperationDescriptor(desc: _Any) -> _Any: ...
def destroyPlan(desc: _Any) -> _Any: ...
def destroyPlanPreference(desc: _Any) -> _Any: ...
def destroyTensorDescriptor(desc: _Any) -> _Any: ...
def elementwiseBinaryExecute(handle: _Any, plan: _Any, alpha: _Any, A: _Any, gamma: _Any, C: _Any, D: _Any) -> _Any: ...
def elementwiseTrinaryExecute(handle: _Any, plan: _Any, alpha: _Any, A: _Any, beta: _Any, B: _Any, gamma: _Any, C: _Any, D: _Any) -> _Any: ...
def estimateWorkspaceSize(handle: _Any, desc: _Any, planPref: _Any, workspacePref: _Any) -> _Any: ...
def getMgContractionWorkspace(handle: _Any, desc: _Any, find: _Any, preference: _Any, workspaceDeviceSize: _Any) -> _Any: ...
def getMgCopyWorkspace(handle: _Any, desc: _Any, workspaceDeviceSize: _Any) -> _Any: ...
def get_cudart_version() -> _b.int: ...
def get_version() -> _b.int: ...
def permute(handle: _Any, plan: _Any, alpha: _Any, A: _Any, B: _Any) -> _Any: ...
def planGetAttribute(handle: _Any, plan: _Any, attr: _Any, buf: _Any, sizeInBytes: _Any) -> _Any: ...
def reduce(handle: _Any, plan: _Any, alpha: _Any, A: _Any, beta: _Any, C: _Any, D: _Any, workspace: _Any, workspaceSize: _Any) -> _Any: ...
