# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

class CUDADriverError(RuntimeError):
    def __init__(self, status: _Any, text: _Any = ...) -> None: ...
from tenorite.exceptions import CUDARuntimeError as CUDARuntimeError
CUDA_ERROR_INVALID_VALUE: _b.int
CU_AD_FORMAT_FLOAT: _b.int
CU_AD_FORMAT_HALF: _b.int
CU_AD_FORMAT_SIGNED_INT16: _b.int
CU_AD_FORMAT_SIGNED_INT32: _b.int
CU_AD_FORMAT_SIGNED_INT8: _b.int
CU_AD_FORMAT_UNSIGNED_INT16: _b.int
CU_AD_FORMAT_UNSIGNED_INT32: _b.int
CU_AD_FORMAT_UNSIGNED_INT8: _b.int
CU_FUNC_ATTRIBUTE_BINARY_VERSION: _b.int
CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: _b.int
CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: _b.int
CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: _b.int
CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: _b.int
CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: _b.int
CU_FUNC_ATTRIBUTE_NUM_REGS: _b.int
CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: _b.int
CU_FUNC_ATTRIBUTE_PTX_VERSION: _b.int
CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: _b.int
CU_JIT_CACHE_MODE: _b.int
CU_JIT_ERROR_LOG_BUFFER: _b.int
CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: _b.int
CU_JIT_FALLBACK_STRATEGY: _b.int
CU_JIT_FAST_COMPILE: _b.int
CU_JIT_FMA: _b.int
CU_JIT_FTZ: _b.int
CU_JIT_GENERATE_DEBUG_INFO: _b.int
CU_JIT_GENERATE_LINE_INFO: _b.int
CU_JIT_GLOBAL_SYMBOL_ADDRESSES: _b.int
CU_JIT_GLOBAL_SYMBOL_COUNT: _b.int
CU_JIT_GLOBAL_SYMBOL_NAMES: _b.int
CU_JIT_INFO_LOG_BUFFER: _b.int
CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: _b.int
CU_JIT_INPUT_CUBIN: _b.int
CU_JIT_INPUT_FATBINARY: _b.int
CU_JIT_INPUT_LIBRARY: _b.int
CU_JIT_INPUT_NVVM: _b.int
CU_JIT_INPUT_OBJECT: _b.int
CU_JIT_INPUT_PTX: _b.int
CU_JIT_LOG_VERBOSE: _b.int
CU_JIT_LTO: _b.int
CU_JIT_MAX_REGISTERS: _b.int
CU_JIT_NEW_SM3X_OPT: _b.int
CU_JIT_NUM_OPTIONS: _b.int
CU_JIT_OPTIMIZATION_LEVEL: _b.int
CU_JIT_PREC_DIV: _b.int
CU_JIT_PREC_SQRT: _b.int
CU_JIT_TARGET: _b.int
CU_JIT_TARGET_FROM_CUCONTEXT: _b.int
CU_JIT_THREADS_PER_BLOCK: _b.int
CU_JIT_WALL_TIME: _b.int
CU_STREAM_LEGACY: _b.int
CU_STREAM_PER_THREAD: _b.int
CU_TRSA_OVERRIDE_FORMAT: _b.int
CU_TRSF_NORMALIZED_COORDINATES: _b.int
CU_TRSF_READ_AS_INTEGER: _b.int
CU_TRSF_SRGB: _b.int
CU_TR_ADDRESS_MODE_BORDER: _b.int
CU_TR_ADDRESS_MODE_CLAMP: _b.int
CU_TR_ADDRESS_MODE_MIRROR: _b.int
CU_TR_ADDRESS_MODE_WRAP: _b.int
CU_TR_FILTER_MODE_LINEAR: _b.int
CU_TR_FILTER_MODE_POINT: _b.int
from tenorite.cuda import Device as Device
from tenorite.exceptions import OutOfMemoryError as OutOfMemoryError
def check_status(status: _Any) -> _Any: ...
def ctxCreate(dev: _Any) -> _Any: ...
def ctxDestroy(ctx: _Any) -> _Any: ...
def ctxGetCurrent() -> _Any: ...
def ctxGetDevice() -> _Any: ...
def ctxPopCurrent() -> _Any: ...
def ctxPushCurrent(ctx: _Any) -> _Any: ...
def ctxSetCurrent(ctx: _Any) -> _Any: ...
def devicePrimaryCtxRelease(dev: _Any) -> _Any: ...
def driverGetVersion() -> _Any: ...
def funcGetAttribute(attribute: _Any, func: _Any) -> _Any: ...
def funcSetAttribute(func: _Any, attribute: _Any, value: _Any) -> _Any: ...
def get_build_version() -> _Any: ...
def launchCooperativeKernel(f: _Any, grid_dim_x: _Any, grid_dim_y: _Any, grid_dim_z: _Any, block_dim_x: _Any, block_dim_y: _Any, block_dim_z: _Any, shared_mem_bytes: _Any, stream: _Any, kernel_params: _Any) -> _Any: ...
def launchKernel(f: _Any, grid_dim_x: _Any, grid_dim_y: _Any, grid_dim_z: _Any, block_dim_x: _Any, block_dim_y: _Any, block_dim_z: _Any, shared_mem_bytes: _Any, stream: _Any, kernel_params: _Any, extra: _Any) -> _Any: ...
def linkAddData(state: _Any, input_type: _Any, data: _Any, name: _Any) -> _Any: ...
def linkAddFile(state: _Any, input_type: _Any, path: _Any) -> _Any: ...
def linkComplete(state: _Any) -> _Any: ...
def linkCreate() -> _Any: ...
def linkDestroy(state: _Any) -> _Any: ...
def moduleGetFunction(module: _Any, funcname: _Any) -> _Any: ...
def moduleGetGlobal(module: _Any, varname: _Any) -> _Any: ...
def moduleLoad(filename: _Any) -> _Any: ...
def moduleLoadData(image: _Any) -> _Any: ...
def moduleUnload(module: _Any) -> _Any: ...
def occupancyMaxActiveBlocksPerMultiprocessor(func: _Any, blockSize: _Any, dynamicSMemSize: _Any) -> _Any: ...
def occupancyMaxPotentialBlockSize(func: _Any, dynamicSMemSize: _Any, blockSizeLimit: _Any) -> _Any: ...
def streamGetCtx(stream: _Any) -> _Any: ...
