"""Functions of the CUDA driver that programs call directly, by its handles; failures are
CUDADriverError.

Arrays live in the primary contexts of devices; a context of the program's own has none of them.
"""

import ctypes
import functools

from tenorite import _core
from tenorite.cuda._raw.tables import Library as _Library
from tenorite.cuda.device import Device
from tenorite.cuda.runtime import _raw
from tenorite.exceptions import CUDARuntimeError, OutOfMemoryError

CUDA_ERROR_INVALID_VALUE = 1
CU_STREAM_LEGACY, CU_STREAM_PER_THREAD = 1, 2
CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 0, 1
CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 2, 3
CU_FUNC_ATTRIBUTE_NUM_REGS, CU_FUNC_ATTRIBUTE_PTX_VERSION = 4, 5
CU_FUNC_ATTRIBUTE_BINARY_VERSION, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 6, 7
CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16, CU_AD_FORMAT_UNSIGNED_INT32 = 1, 2, 3
CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16, CU_AD_FORMAT_SIGNED_INT32 = 8, 9, 10
CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT = 16, 32
CU_TR_ADDRESS_MODE_WRAP, CU_TR_ADDRESS_MODE_CLAMP = 0, 1
CU_TR_ADDRESS_MODE_MIRROR, CU_TR_ADDRESS_MODE_BORDER = 2, 3
CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR = 0, 1
CU_TRSA_OVERRIDE_FORMAT = 1
CU_TRSF_READ_AS_INTEGER, CU_TRSF_NORMALIZED_COORDINATES, CU_TRSF_SRGB = 1, 2, 16
CU_JIT_MAX_REGISTERS, CU_JIT_THREADS_PER_BLOCK, CU_JIT_WALL_TIME, CU_JIT_INFO_LOG_BUFFER = range(4)
CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER = 4, 5
CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL = 6, 7
CU_JIT_TARGET_FROM_CUCONTEXT, CU_JIT_TARGET, CU_JIT_FALLBACK_STRATEGY = 8, 9, 10
CU_JIT_GENERATE_DEBUG_INFO, CU_JIT_LOG_VERBOSE, CU_JIT_GENERATE_LINE_INFO = 11, 12, 13
CU_JIT_CACHE_MODE, CU_JIT_NEW_SM3X_OPT, CU_JIT_FAST_COMPILE = 14, 15, 16
CU_JIT_GLOBAL_SYMBOL_NAMES, CU_JIT_GLOBAL_SYMBOL_ADDRESSES, CU_JIT_GLOBAL_SYMBOL_COUNT = 17, 18, 19
CU_JIT_LTO, CU_JIT_FTZ, CU_JIT_PREC_DIV, CU_JIT_PREC_SQRT, CU_JIT_FMA = 20, 21, 22, 23, 24
CU_JIT_INPUT_CUBIN, CU_JIT_INPUT_PTX, CU_JIT_INPUT_FATBINARY, CU_JIT_INPUT_OBJECT = range(4)
CU_JIT_INPUT_LIBRARY, CU_JIT_INPUT_NVVM = 4, 5
CU_JIT_NUM_OPTIONS = 36

# The one failure that is met without a driver, which knows the names of the others.
_NO_DEVICE = 100


def _is_cuda_python():
    return False


class CUDADriverError(RuntimeError):
    """The driver reported a failure; ``status`` is its number. `text` takes the place of the
    driver's."""

    def __init__(self, status, text=None):
        _, name, known = _core._cuda_error(status)
        self.status = status
        self._text = text or known
        super().__init__(f"{'CUDA_ERROR_NO_DEVICE' if status == _NO_DEVICE else name}: {self._text}")

    def __reduce__(self):
        return type(self), (self.status, self._text)


class _AbsentError(CUDADriverError, ValueError):
    """There is no such kernel in a module, or no such file; the host has it without a driver."""

    _NAMES = {301: "CUDA_ERROR_FILE_NOT_FOUND", 500: "CUDA_ERROR_NOT_FOUND"}

    def __init__(self, status, text):
        super().__init__(status, text)
        self.args = (f"{self._NAMES[status]}: {text}",)


def check_status(status):
    """Raises CUDADriverError for the number of a failure."""
    if status != 0:
        raise CUDADriverError(status)


def _of_driver(function):
    """A function whose failures are the driver's."""

    @functools.wraps(function)
    def call(*arguments):
        try:
            return function(*arguments)
        except OutOfMemoryError:
            raise CUDADriverError(2) from None
        except CUDARuntimeError as error:
            raise CUDADriverError(error.status, str(error).partition(": ")[2]) from None

    return call


def _number(what=None):
    """The number of the current device, which has to be a GPU, for the image `what`."""
    device = Device()
    if device.backend != "cuda":
        reason = "the current device is the host"
        if what is not None:
            reason += (
                f", and {what} is an image for GPUs: give the CUDA C++ text that it was compiled from, as "
                "RawModule(code=...)"
            )
        raise CUDADriverError(_NO_DEVICE, reason)
    return device.id


# --- Versions ---


def get_build_version():
    """The version of CUDA that kernels are compiled with, NVRTC's; 0 without one. Nothing of CUDA
    is needed to build."""
    try:
        return _core._cuda_compiler_version()
    except CUDARuntimeError:
        return 0


@_of_driver
def driverGetVersion():
    """The driver's version: 13000 is 13.0."""
    return _core._cuda_driver_version()


# --- Contexts ---


@_of_driver
def ctxGetCurrent():
    """The calling thread's context: the primary one of its current device, unless it chose another.
    0 on the host."""
    return _core._cuda_context_get() if Device().backend == "cuda" else 0


@_of_driver
def ctxSetCurrent(ctx):
    """Makes a context current; a primary one's device is the current device then."""
    _number()
    _core._cuda_context_set(ctx)


@_of_driver
def ctxPushCurrent(ctx):
    """Makes a context current until ctxPopCurrent()."""
    _number()
    _core._cuda_context_push(ctx)


@_of_driver
def ctxPopCurrent():
    """The context that was current; the one before it is so again."""
    _number()
    return _core._cuda_context_pop()


@_of_driver
def ctxGetDevice():
    """The number of the current context's device."""
    return _core._cuda_context_get_device() if Device().backend == "cuda" else Device().id


@_of_driver
def streamGetCtx(stream):
    """The context of a stream."""
    return _core._cuda_context_of_stream(_raw(stream), _number())


_library = _Library("cuda", check_status)


def _call(name, *words):
    """Calls a function of the driver for the current device, which has to be a GPU."""
    _number()
    _library.call(name, *words)


def ctxCreate(dev):
    """A new context of a device, which is current from now on. It has none of the arrays: those of
    the library stay in the primary one."""
    made, device = ctypes.c_size_t(), ctypes.c_int()
    _call("cuDeviceGet", device, dev.id if isinstance(dev, Device) else dev)
    _call("cuCtxCreate_v2", made, 0, device.value)
    ctxSetCurrent(made.value)
    return made.value


def ctxDestroy(ctx):
    """Ends ctxCreate()."""
    _call("cuCtxDestroy_v2", ctx)


def devicePrimaryCtxRelease(dev):
    """Refused: arrays live in the primary context, kept until the process ends."""
    raise NotImplementedError("driver.devicePrimaryCtxRelease: arrays live in the primary context of a device")


# --- Linking ---


def linkCreate():
    """The handle of a new linking: of images and libraries to one image."""
    state = ctypes.c_size_t()
    _call("cuLinkCreate_v2", 0, 0, 0, state)
    return state.value


def linkAddData(state, input_type, data, name):
    """Adds an image's bytes, one of ``CU_JIT_INPUT_...``, with a name for messages."""
    data = bytes(data)
    _call("cuLinkAddData_v2", state, input_type, data, len(data), name.encode() + b"\0", 0, 0, 0)


def linkAddFile(state, input_type, path):
    """Adds the image of a file."""
    _call("cuLinkAddFile_v2", state, input_type, str(path).encode() + b"\0", 0, 0, 0)


def linkComplete(state):
    """The bytes of the linked image, for moduleLoadData()."""
    image, size = ctypes.c_size_t(), ctypes.c_size_t()
    _call("cuLinkComplete", state, image, size)
    return ctypes.string_at(image.value, size.value)


def linkDestroy(state):
    """Ends linkCreate()."""
    _call("cuLinkDestroy", state)


# --- Modules ---


@_of_driver
def moduleLoad(filename):
    """The module of a file: a cubin, a fatbin or PTX."""
    return _core._cuda_module_open(filename, _number(filename))


@_of_driver
def moduleLoadData(image):
    """The module of an image's bytes: a cubin, a fatbin or PTX."""
    return _core._cuda_module_new(image, _number("what is loaded"))


@_of_driver
def moduleUnload(module):
    """Ends moduleLoad() and moduleLoadData()."""
    _core._cuda_module_release(module, _number())


@_of_driver
def moduleGetFunction(module, funcname):
    """A kernel of a module."""
    return _core._cuda_module_get_function(module, funcname, _number())


@_of_driver
def moduleGetGlobal(module, varname):
    """The address of a variable of a module."""
    return _core._cuda_module_get_variable(module, varname, _number())


# --- Kernels ---


@_of_driver
def funcGetAttribute(attribute, func):
    """An attribute of a kernel, as ``CU_FUNC_ATTRIBUTE_NUM_REGS``."""
    return _core._cuda_function_get_attribute(attribute, func, _number())


@_of_driver
def funcSetAttribute(func, attribute, value):
    """Sets an attribute of a kernel."""
    _core._cuda_function_set_attribute(func, attribute, value, _number())


@_of_driver
def launchKernel(
    f,
    grid_dim_x,
    grid_dim_y,
    grid_dim_z,
    block_dim_x,
    block_dim_y,
    block_dim_z,
    shared_mem_bytes,
    stream,
    kernel_params,
    extra,
):
    """Launches a kernel; `kernel_params` is the address of an array of the arguments' addresses."""
    grid, block = (grid_dim_x, grid_dim_y, grid_dim_z), (block_dim_x, block_dim_y, block_dim_z)
    _core._cuda_function_launch(f, grid, block, shared_mem_bytes, _raw(stream), kernel_params, extra, False, _number())


@_of_driver
def launchCooperativeKernel(
    f,
    grid_dim_x,
    grid_dim_y,
    grid_dim_z,
    block_dim_x,
    block_dim_y,
    block_dim_z,
    shared_mem_bytes,
    stream,
    kernel_params,
):
    """Launches a kernel whose blocks wait for each other, so that all have to run at a time."""
    grid, block = (grid_dim_x, grid_dim_y, grid_dim_z), (block_dim_x, block_dim_y, block_dim_z)
    _core._cuda_function_launch(f, grid, block, shared_mem_bytes, _raw(stream), kernel_params, 0, True, _number())


@_of_driver
def occupancyMaxActiveBlocksPerMultiprocessor(func, blockSize, dynamicSMemSize):
    """How many blocks of so many threads run on a multiprocessor at a time."""
    return _core._cuda_function_get_occupancy(func, blockSize, dynamicSMemSize, _number())


@_of_driver
def occupancyMaxPotentialBlockSize(func, dynamicSMemSize, blockSizeLimit):
    """(fewest blocks that fill the device, threads of a block) with which most of it works."""
    return _core._cuda_function_find_block(func, dynamicSMemSize, blockSizeLimit, _number())
