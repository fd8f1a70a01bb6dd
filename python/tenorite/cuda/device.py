"""Device, and what is known about devices."""

import os

from tenorite import _core
from tenorite._exceptions import CUDARuntimeError

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
    """The compute capability of the current device, as '90'; an error on the host.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.device.get_compute_capability() if cp.is_available() else 'none'  # doctest: +SKIP
    '90'
    """
    return Device().compute_capability


def get_cublas_handle():
    """The handles of libraries are not given out.

    Returns
    -------
    int
        The handle.

    Examples
    --------
    >>> import tenorite as cp
    >>> callable(cp.cuda.get_cublas_handle)
    True
    """
    return Device().cublas_handle


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


def _attributes(device):
    if device.backend == "cuda":
        return _core._cuda_attributes(device.id)
    affinity = getattr(os, "sched_getaffinity", None)
    return {
        "CanMapHostMemory": 1,
        "ConcurrentKernels": 1,
        "Integrated": 1,
        "ManagedMemory": 1,
        "MultiProcessorCount": len(affinity(0)) if affinity else os.cpu_count(),
        "PageableMemoryAccess": 1,
        "UnifiedAddressing": 1,
    }


def _compute_capability(device):
    return str(_core._cuda_compute_capability(_number(device, "compute_capability")))


def _pci_bus_id(device):
    return _core._cuda_pci_bus_id(_number(device, "pci_bus_id"))


def _handle(name):
    def refuse(device):
        raise NotImplementedError(f"Device.{name}: the handles of libraries are not given out")

    return refuse


_cublas_handle = _handle("cublas_handle")
_cusolver_handle = _handle("cusolver_handle")
_cusolver_sp_handle = _handle("cusolver_sp_handle")
_cusparse_handle = _handle("cusparse_handle")
_cutensor_handle = _handle("cutensor_handle")
