"""Device, and what is known about devices."""

import importlib
import os
import sys
import threading

from tenorite import _core
from tenorite.exceptions import CUDARuntimeError

Device = _core._Device


def get_device_id():
    """The number of the calling thread's current device.

    Returns
    -------
    int
        The number.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.get_device_id()
    0
    """
    return Device().id


def get_compute_capability():
    """The compute capability of the current device, as '90'.

    The host's is '0', which is below every GPU's: programs that compare it find that the host has
    nothing of what GPUs of some generation have.

    Returns
    -------
    str
        The number.

    Examples
    --------
    >>> import tenorite as cp
    >>> int(cp.cuda.device.get_compute_capability()) >= 0
    True
    """
    return Device().compute_capability


class Handle:
    """A handle of a library, given back with this object.

    Parameters
    ----------
    handle : int
        The handle.
    destroy_func : callable
        Called with it at the end.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.device.Handle(3, print).handle
    3
    3
    """

    def __init__(self, handle, destroy_func):
        self.handle, self._destroy = handle, destroy_func

    def __del__(self):
        self._destroy(self.handle)


def _handle_of(library, what, module):
    """The function that gives a handle of a library."""
    name = f"{library}_handle"

    def get():
        return getattr(Device(), name)

    get.__name__ = get.__qualname__ = f"get_{name}"
    get.__doc__ = f"""A handle of {what}, of the calling thread and the current device.

    The host has its own.

    Returns
    -------
    int
        The handle, for `tenorite.cuda.{module}`.

    Examples
    --------
    >>> tenorite.cuda.device.get_{name}() != 0
    True
    """
    return get


get_cublas_handle = _handle_of("cublas", "cuBLAS", "cublas")
get_cusolver_handle = _handle_of("cusolver", "cuSOLVER's dense part", "cusolver")
get_cusolver_sp_handle = _handle_of("cusolver_sp", "cuSOLVER's sparse part", "cusolver")
get_cusparse_handle = _handle_of("cusparse", "cuSPARSE", "cusparse")
get_cutensor_handle = _handle_of("cutensor", "cuTENSOR", "cutensor")


def from_pointer(ptr):
    """The device on which memory lies.

    Parameters
    ----------
    ptr : int
        The address or handle.

    Returns
    -------
    Device
        The device that the memory belongs to.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.ones(3)
    >>> cp.cuda.device.from_pointer(a.data.ptr).id
    0
    """
    if Device().backend == "host":
        return Device()
    return Device(_core._cuda_pointer(ptr)[1])


# --- What the type asks for ---


class _HostHasNone(CUDARuntimeError, AttributeError):
    """What a Device of the host raises for a fact of GPUs: hasattr() is False for it."""


def _number(device, what):
    if device.backend == "host":
        raise _HostHasNone(f"cudaErrorNotSupported: the host has no {what}")
    return device.id


# What the host has of the driver's attributes: sizes that its kernels of programs are held to, and
# what follows from there being one memory. A worker does a block at a time.
_HOST_ATTRIBUTES = {
    **dict.fromkeys(
        """
        CanMapHostMemory CanUseHostPointerForRegisteredMem ConcurrentKernels ConcurrentManagedAccess CooperativeLaunch
        DirectManagedMemAccessFromHost HostNativeAtomicSupported HostRegisterSupported Integrated ManagedMemory
        MaxBlocksPerMultiprocessor MemoryPoolsSupported PageableMemoryAccess PageableMemoryAccessUsesHostPageTables
        SingleToDoublePrecisionPerfRatio UnifiedAddressing
    """.split(),
        1,
    ),
    **dict.fromkeys("MaxBlockDimX MaxBlockDimY MaxThreadsPerBlock MaxThreadsPerMultiProcessor".split(), 1024),
    "MaxBlockDimZ": 64,
    **dict.fromkeys("MaxGridDimY MaxGridDimZ".split(), 65535),
    **dict.fromkeys(
        """
        MaxGridDimX MaxPitch MaxSurface1DWidth MaxSurface2DWidth MaxSurface2DHeight MaxSurface3DWidth
        MaxSurface3DHeight MaxSurface3DDepth MaxTexture1DWidth MaxTexture1DLinearWidth MaxTexture2DWidth
        MaxTexture2DHeight MaxTexture2DLinearWidth MaxTexture2DLinearHeight MaxTexture2DLinearPitch MaxTexture3DWidth
        MaxTexture3DHeight MaxTexture3DDepth MaxTexture3DWidthAlt MaxTexture3DHeightAlt MaxTexture3DDepthAlt
    """.split(),
        2**31 - 1,
    ),
    "MaxSharedMemoryPerBlock": 48 << 10,
    **dict.fromkeys("MaxSharedMemoryPerBlockOptin MaxSharedMemoryPerMultiprocessor".split(), 227 << 10),
    **dict.fromkeys("MaxRegistersPerBlock MaxRegistersPerMultiprocessor TotalConstantMemory".split(), 1 << 16),
    **dict.fromkeys("SurfaceAlignment TextureAlignment".split(), 512),
    **dict.fromkeys("TexturePitchAlignment WarpSize".split(), 32),
}


def _attributes(device):
    """The driver's attributes by name; all of them on the host, where 0 is what only a GPU has."""
    if device.backend == "cuda":
        return _core._cuda_attributes(device.id)
    affinity = getattr(os, "sched_getaffinity", None)
    processors = {"MultiProcessorCount": len(affinity(0)) if affinity else os.cpu_count()}
    return dict.fromkeys(_core._cuda_attribute_numbers(), 0) | _HOST_ATTRIBUTES | processors


def _compute_capability(device):
    return "0" if device.backend == "host" else str(_core._cuda_compute_capability(device.id))


def _pci_bus_id(device):
    return _core._cuda_pci_bus_id(_number(device, "pci_bus_id"))


_of_thread = threading.local()


def _destroyer(library, end, device):
    """What gives a handle back when its thread ends; the process's end does so by itself."""

    def destroy(handle):
        if not sys.is_finalizing():
            with device:
                getattr(library, end)(handle)

    return destroy


def _handle_of(module, create="create", end="destroy"):
    """What makes a handle for each thread and device."""

    def get(device):
        kept = _of_thread.__dict__.setdefault(f"{module}.{create}", {})
        key = (device.backend, device.id)
        if key not in kept:
            library = importlib.import_module(f"tenorite.cuda.{module}")
            if not hasattr(library, create):
                raise NotImplementedError(f"tenorite.cuda.{module} has no handles")
            with device:
                kept[key] = Handle(getattr(library, create)(), _destroyer(library, end, device))
        return kept[key].handle

    return get


_cublas_handle = _handle_of("cublas")
_cusolver_handle = _handle_of("cusolver")
_cusolver_sp_handle = _handle_of("cusolver", "spCreate", "spDestroy")
_cusparse_handle = _handle_of("cusparse")
_cutensor_handle = _handle_of("cutensor")


def __getattr__(name):
    if name == "runtime_module":  # CuPy's name for the runtime, which needs this module
        return importlib.import_module("tenorite.cuda.runtime")
    raise AttributeError(f"module 'tenorite.cuda.device' has no attribute {name!r}")
