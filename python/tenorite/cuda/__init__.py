"""Devices, streams, events and memory, under CuPy's names; they mean the host where there is no
GPU."""

import atexit
import importlib
import os
import shutil

from tenorite import _core
from tenorite.cuda import (
    device,
    driver,
    function,
    graph,
    memory,
    memory_hook,
    memory_hooks,
    nvtx,
    pinned_memory,
    profiler,
    runtime,
    stream,
)
from tenorite.cuda.device import Device, get_cublas_handle, get_device_id
from tenorite.cuda.function import Function, Module
from tenorite.cuda.graph import Graph
from tenorite.cuda.memory import (
    BaseMemory,
    CFunctionAllocator,
    ManagedMemory,
    Memory,
    MemoryAsync,
    MemoryAsyncPool,
    MemoryPointer,
    MemoryPool,
    PythonFunctionAllocator,
    UnownedMemory,
    alloc,
    get_allocator,
    get_default_memory_pool,
    malloc_async,
    malloc_managed,
    set_allocator,
    using_allocator,
)
from tenorite.cuda.memory_hook import MemoryHook
from tenorite.cuda.pinned_memory import (
    PinnedMemory,
    PinnedMemoryPointer,
    PinnedMemoryPool,
    alloc_pinned_memory,
    get_default_pinned_memory_pool,
    set_pinned_memory_allocator,
)
from tenorite.cuda.profiler import profile
from tenorite.cuda.stream import Event, ExternalStream, Stream, get_current_stream, get_elapsed_time

__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "Device",
    "Event",
    "ExternalStream",
    "Function",
    "Graph",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryHook",
    "MemoryPointer",
    "MemoryPool",
    "Module",
    "PinnedMemory",
    "PinnedMemoryPointer",
    "PinnedMemoryPool",
    "PythonFunctionAllocator",
    "Stream",
    "UnownedMemory",
    "alloc",
    "alloc_pinned_memory",
    "device",
    "get_allocator",
    "get_cublas_handle",
    "get_cuda_path",
    "get_current_stream",
    "get_device_id",
    "get_elapsed_time",
    "get_hipcc_path",
    "get_local_runtime_version",
    "get_nvcc_path",
    "get_rocm_path",
    "get_statistics",
    "graph",
    "is_available",
    "malloc_async",
    "malloc_managed",
    "memory",
    "memory_hook",
    "memory_hooks",
    "pinned_memory",
    "profile",
    "profiler",
    "runtime",
    "set_allocator",
    "set_pinned_memory_allocator",
    "stream",
    "using_allocator",
]

# Python functions that wait in a stream's queue need the interpreter.
atexit.register(_core._finish_queues)


def is_available():
    """Whether there is a device that can be used: a GPU, or the host, which always is one.

    False only where GPUs are asked for (``TENORITE_BACKEND=cuda``) and there is none.
    `cuda.runtime.is_host` says whether it is the host, `show_config` which devices there are.

    Returns
    -------
    bool
        Whether arrays can be made.

    Notes
    -----
    Differs from CuPy: True on the host, so that programs that ask first do there what they do on a
    GPU.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.is_available(), cp.cuda.runtime.is_host in (True, False)
    (True, True)
    """
    return _core._device_count(None) > 0


def get_statistics():
    """What the library holds at this moment, for programs that run for days.

    Costs nothing until it is called, and waits for nothing. The figures are exact while no other
    thread is in a call of the library.

    Returns
    -------
    dict
        Whole numbers. `arrays`, `buffers`, `streams`, `events` and `graphs` are objects that live;
        default streams are not counted, and a stream that was dropped lives on until its work is
        done. `arenas` and `chunks` are the pools' parts: streams that have memory, and pieces of
        the device's memory. `queued_calls` wait on streams of the host, or on a GPU for their
        kernel. `worker_threads` work for streams or compile. `kernels` are compiled and in memory.
        `driver_handles` are streams, events and graphs of the GPU's driver, idle ones that are kept
        for reuse among them. `used_bytes` and `total_bytes` are what all pools have handed out and
        hold, `pinned_bytes` what is page-locked.

    See Also
    --------
    MemoryPool.statistics : The figures of one pool on one device.

    Examples
    --------
    >>> before = tenorite.cuda.get_statistics()["arrays"]
    >>> a = tenorite.zeros(3)
    >>> tenorite.cuda.get_statistics()["arrays"] - before
    1
    """
    return _core._get_statistics()


def get_local_runtime_version():
    """The version of CUDA that is installed here, which NVRTC tells: 13000 is 13.0.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.get_local_runtime_version() >= 0
    True
    """
    return runtime.runtimeGetVersion()


def get_cuda_path():
    """The folder of the CUDA toolkit, None: libraries are found one by one.

    Returns
    -------
    str or None
        The folder.

    Examples
    --------
    >>> import tenorite as cp
    >>> path = cp.cuda.get_cuda_path()
    """
    return None


def get_nvcc_path():
    """The compiler nvcc, None: it is not installed. Nothing here needs it.

    Returns
    -------
    str or None
        Its path.

    Examples
    --------
    >>> path = tenorite.cuda.get_nvcc_path()
    """
    return os.environ.get("NVCC") or shutil.which("nvcc")


def get_rocm_path():
    """The folder of ROCm: None, for there is no backend for it.

    Returns
    -------
    None
        Nothing.

    Examples
    --------
    >>> tenorite.cuda.get_rocm_path()
    """
    return None


def get_hipcc_path():
    """The compiler hipcc: None, for there is no backend for it.

    Returns
    -------
    None
        Nothing.

    Examples
    --------
    >>> tenorite.cuda.get_hipcc_path()
    """
    return None


_LATE = frozenset(
    "compiler cub cublas cudnn cufft curand cusolver cusparse cutensor jitify nccl nvrtc texture thrust".split()
)


def __getattr__(name):
    """Modules that few programs use."""
    if name in _LATE:
        return importlib.import_module(f"tenorite.cuda.{name}")
    raise AttributeError(f"module 'tenorite.cuda' has no attribute {name!r}")
