"""Memory of devices: pools, allocators, and memory and pointers as objects."""

import contextlib
import threading

from tenorite import _core
from tenorite._exceptions import CUDARuntimeError, OutOfMemoryError

BaseMemory = _core._BaseMemory
ManagedMemory = _core._ManagedMemory
Memory = _core._Memory
MemoryPointer = _core._MemoryPointer
MemoryPool = SingleDeviceMemoryPool = _core._MemoryPool
PooledMemory = _core._PooledMemory
UnownedMemory = _core._UnownedMemory

__all__ = [
    "BaseMemory", "CFunctionAllocator", "CFunctionAllocatorMemory", "CUDARuntimeError",
    "ManagedMemory", "Memory", "MemoryAsync", "MemoryAsyncPool", "MemoryPointer", "MemoryPool",
    "OutOfMemoryError", "PooledMemory", "PythonFunctionAllocator", "PythonFunctionAllocatorMemory",
    "SingleDeviceMemoryPool", "UnownedMemory", "alloc", "get_allocator", "get_default_memory_pool",
    "malloc_async", "malloc_managed", "set_allocator", "using_allocator",
]  # fmt: skip


def get_default_memory_pool():
    """The pool from which arrays get memory unless another allocator is set."""
    return _core._default_memory_pool


# --- The current allocator ---


def _malloc(size):
    """Memory from the device itself."""
    return MemoryPointer(Memory(size), 0)


_current = _core._default_memory_pool.malloc
_thread = threading.local()


def _for_core(allocator):
    return None if allocator is _malloc else allocator


def get_allocator():
    """The allocator in use: a callable size -> MemoryPointer."""
    return getattr(_thread, "allocator", None) or _current


def set_allocator(allocator=None):
    """Sets the allocator of the process: a callable size -> MemoryPointer; None asks the device itself.

    Memory that is out goes back to the allocator that it came from.
    """
    global _current
    if getattr(_thread, "allocator", None) is not None:
        raise ValueError(
            "Can't change the global allocator inside `using_allocator` context manager"
        )
    _core._set_allocator(_for_core(allocator))
    _current = _malloc if allocator is None else allocator


@contextlib.contextmanager
def using_allocator(allocator=None):
    """Within this context the calling thread uses another allocator."""
    before = getattr(_thread, "allocator", None)
    _core._set_thread_allocator(_for_core(allocator))
    _thread.allocator = _malloc if allocator is None else allocator
    try:
        yield
    finally:
        _core._set_thread_allocator(*([] if before is None else [_for_core(before)]))
        _thread.allocator = before


def alloc(size):
    """A MemoryPointer to `size` bytes from the current allocator."""
    return get_allocator()(size)


# --- Memory from functions of the user ---


class PythonFunctionAllocatorMemory(BaseMemory):
    """Memory of a PythonFunctionAllocator."""


class PythonFunctionAllocator:
    """An allocator of two Python functions: malloc_func(size, device_id) -> address, and
    free_func(address, device_id). Use its method ``malloc``."""

    def __init__(self, malloc_func, free_func):
        self._functions = malloc_func, free_func

    def malloc(self, size):
        """A MemoryPointer to `size` bytes."""
        return _core._python_function_malloc(
            PythonFunctionAllocatorMemory, *self._functions, size
        )


class CFunctionAllocatorMemory(BaseMemory):
    """Memory of a CFunctionAllocator."""


class CFunctionAllocator:
    """An allocator of two C functions, given by their addresses: void *malloc(void *param, size_t size,
    int device_id) and void free(void *param, void *address, int device_id). `owner` is kept."""

    def __init__(self, param, malloc_func, free_func, owner):
        self._functions = param, malloc_func, free_func, owner

    def malloc(self, size):
        """A MemoryPointer to `size` bytes."""
        return _core._c_function_malloc(CFunctionAllocatorMemory, *self._functions, size)


# --- Managed and stream-ordered memory ---


def malloc_managed(size):
    """Memory that host and devices share; plain memory on the host."""
    return MemoryPointer(ManagedMemory(size), 0)


def malloc_async(size):
    """Memory of the driver's stream-ordered pool."""
    raise NotImplementedError("cuda.malloc_async")


class MemoryAsync(BaseMemory):
    """Memory of the driver's stream-ordered pool."""

    def __init__(self, size, stream):
        raise NotImplementedError("cuda.MemoryAsync")


class MemoryAsyncPool:
    """The driver's stream-ordered pool. MemoryPool is stream-ordered, too."""

    def __init__(self, pool_handles="current"):
        raise NotImplementedError("cuda.MemoryAsyncPool")
