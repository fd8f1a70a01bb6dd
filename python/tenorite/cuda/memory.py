"""Memory of devices: pools, allocators, and memory and pointers as objects."""

import contextlib
import ctypes
import threading
import weakref

from tenorite import _core
from tenorite._lib.documents import documenter as _documenter
from tenorite.cuda._raw.attributes import attribute
from tenorite.cuda._raw.host_memory import of_device
from tenorite.cuda.device import Device
from tenorite.cuda.stream import get_current_stream
from tenorite.exceptions import CUDARuntimeError, OutOfMemoryError

BaseMemory = _core._BaseMemory
Memory = _core._Memory
MemoryPointer = _core._MemoryPointer
MemoryPool = SingleDeviceMemoryPool = _core._MemoryPool
PooledMemory = _core._PooledMemory
UnownedMemory = _core._UnownedMemory

__all__ = [
    "BaseMemory",
    "CFunctionAllocator",
    "CFunctionAllocatorMemory",
    "CUDARuntimeError",
    "ManagedMemory",
    "Memory",
    "MemoryAsync",
    "MemoryAsyncPool",
    "MemoryPointer",
    "MemoryPool",
    "OutOfMemoryError",
    "PooledMemory",
    "PythonFunctionAllocator",
    "PythonFunctionAllocatorMemory",
    "SingleDeviceMemoryPool",
    "SystemMemory",
    "UnownedMemory",
    "alloc",
    "get_allocator",
    "get_default_memory_pool",
    "malloc_async",
    "malloc_managed",
    "malloc_system",
    "set_allocator",
    "using_allocator",
]


_documented = _documenter(
    {
        "allocator": (
            "callable",
            "Called with a size, it gives a MemoryPointer; None: memory comes from the device itself.",
        ),
        "free_func": ("callable", "Called with an address and a device's number, it frees."),
        "malloc_func": ("callable", "Called with a size and a device's number, it gives an address."),
        "size": ("int", "The number of bytes."),
    }
)


def get_default_memory_pool():
    """The pool from which arrays get memory unless another allocator is set.

    Returns
    -------
    MemoryPool
        The pool that all arrays' memory comes from.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.get_default_memory_pool().total_bytes() >= 0
    True
    """
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
    """The allocator in use: a callable size -> MemoryPointer.

    Returns
    -------
    callable
        Called with a size, it gives a MemoryPointer.

    Examples
    --------
    >>> import tenorite as cp
    >>> callable(cp.cuda.get_allocator())
    True
    """
    return getattr(_thread, "allocator", None) or _current


@_documented
def set_allocator(allocator=None):
    """Sets the allocator of the process: a callable size -> MemoryPointer; None asks the device
    itself.

    Memory that is out goes back to the allocator that it came from.

    Returns
    -------
    None
        Arrays get their memory there from now on.

    Examples
    --------
    >>> import tenorite as cp
    >>> pool = cp.cuda.MemoryPool()
    >>> cp.cuda.set_allocator(pool.malloc)
    >>> cp.cuda.set_allocator(cp.get_default_memory_pool().malloc)
    """
    global _current
    if getattr(_thread, "allocator", None) is not None:
        raise ValueError("Can't change the global allocator inside `using_allocator` context manager")
    _core._set_allocator(_for_core(allocator))
    _current = _malloc if allocator is None else allocator


@contextlib.contextmanager
@_documented
def using_allocator(allocator=None):
    """Within this context the calling thread uses another allocator.

    Returns
    -------
    context manager
        The calling thread uses the allocator inside.

    Examples
    --------
    >>> import tenorite as cp
    >>> pool = cp.cuda.MemoryPool()
    >>> managed = cp.cuda.using_allocator(pool.malloc)
    >>> managed.__enter__()
    >>> a = cp.ones(100)
    >>> managed.__exit__(None, None, None)
    False
    >>> pool.used_bytes() >= 800
    True
    """
    before = getattr(_thread, "allocator", None)
    _core._set_thread_allocator((_for_core(allocator),))
    _thread.allocator = _malloc if allocator is None else allocator
    try:
        yield
    finally:
        _core._set_thread_allocator(() if before is None else (_for_core(before),))
        _thread.allocator = before


@_documented
def alloc(size):
    """A MemoryPointer to `size` bytes from the current allocator.

    Returns
    -------
    MemoryPointer
        To at least so many bytes.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.alloc(100).mem.size >= 100
    True
    """
    return get_allocator()(size)


# --- Memory from functions of the user ---


class PythonFunctionAllocatorMemory(BaseMemory):
    """Memory of a PythonFunctionAllocator.

    Examples
    --------
    >>> import tenorite as cp
    >>> issubclass(cp.cuda.memory.PythonFunctionAllocatorMemory, cp.cuda.BaseMemory)
    True
    """


@_documented
class PythonFunctionAllocator:
    """An allocator of two Python functions: malloc_func(size, device_id) -> address, and
    free_func(address, device_id). Use its method ``malloc``.

    Examples
    --------
    >>> import tenorite as cp
    >>> allocator = cp.cuda.PythonFunctionAllocator(lambda size, device: 0, lambda address, device: None)
    >>> callable(allocator.malloc)
    True
    """

    def __init__(self, malloc_func, free_func):
        self._functions = malloc_func, free_func

    def malloc(self, size):
        """A MemoryPointer to `size` bytes.

        Examples
        --------
        >>> import tenorite as cp
        >>> kept = cp.cuda.alloc(1024)
        >>> allocator = cp.cuda.PythonFunctionAllocator(lambda size, device: kept.ptr, lambda address, device: None)
        >>> allocator.malloc(512).ptr == kept.ptr
        True
        """
        return _core._python_function_malloc(PythonFunctionAllocatorMemory, *self._functions, size)


class CFunctionAllocatorMemory(BaseMemory):
    """Memory of a CFunctionAllocator.

    Examples
    --------
    >>> import tenorite as cp
    >>> issubclass(cp.cuda.memory.CFunctionAllocatorMemory, cp.cuda.BaseMemory)
    True
    """


@_documented
class CFunctionAllocator:
    """An allocator of two C functions, given by their addresses: void *malloc(void *param, size_t
    size, int device_id) and void free(void *param, void *address, int device_id). `owner` is
    kept.

    Parameters
    ----------
    param : int
        An address, given to both functions.
    owner : object
        What keeps the memory alive.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.CFunctionAllocator(0, 0, 0, None) is not None
    True
    """

    def __init__(self, param, malloc_func, free_func, owner):
        self._functions = param, malloc_func, free_func, owner

    def malloc(self, size):
        """A MemoryPointer to `size` bytes.

        Examples
        --------
        >>> def first(param, malloc, free):
        ...     pointer = tenorite.cuda.CFunctionAllocator(param, malloc, free, None).malloc(512)
        ...     return tenorite.ndarray((128,), "f", pointer)
        """
        return _core._c_function_malloc(CFunctionAllocatorMemory, *self._functions, size)


# --- Managed and stream-ordered memory ---


@_documented
class ManagedMemory(_core._ManagedMemory):
    """Memory that host and devices share; plain memory on the host.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.ManagedMemory(64).size
    64
    """

    def prefetch(self, stream, *, device_id=None):
        """Moves it to a device (-1: the host), in the order of a stream.

        Examples
        --------
        >>> import tenorite as cp
        >>> memory = cp.cuda.ManagedMemory(1024)
        >>> memory.prefetch(cp.cuda.Stream.null)
        """
        to = self.device_id if device_id is None else int(device_id)
        with self.device:
            of_device()._cuda_prefetch(self.ptr, self.size, to, stream.ptr, self.device_id)

    def advise(self, advise, dev):
        """Says how a device will use it: one of runtime.cudaMemAdvise...

        Examples
        --------
        >>> import tenorite as cp
        >>> memory = cp.cuda.ManagedMemory(1024)
        >>> memory.advise(cp.cuda.runtime.cudaMemAdviseSetReadMostly, cp.cuda.Device())
        """
        with self.device:
            of_device()._cuda_advise(self.ptr, self.size, advise, int(dev), self.device_id)


@_documented
def malloc_managed(size):
    """Memory that host and devices share; plain memory on the host.

    Returns
    -------
    MemoryPointer
        Memory that host and devices share.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.malloc_managed(64).mem.size
    64
    """
    return MemoryPointer(ManagedMemory(size), 0)


@_documented
class SystemMemory(UnownedMemory):
    """Memory of the host's allocator, which GPUs reach where they share the host's page tables
    (``PageableMemoryAccess``).

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.memory.SystemMemory(64).size
    64
    """

    def __new__(cls, size):
        kept = (ctypes.c_char * max(size, 1))()
        return super().__new__(cls, ctypes.addressof(kept), size, kept)

    def __init__(self, size):
        pass


@_documented
def malloc_system(size):
    """Memory of the host's allocator, as an allocator for `set_allocator`.

    Returns
    -------
    MemoryPointer
        The memory.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.memory.malloc_system(64).mem.size
    64
    """
    device = Device()
    if device.backend == "cuda" and not device.attributes.get("PageableMemoryAccess"):
        raise CUDARuntimeError("cudaErrorNotSupported: the device does not reach the host's own memory")
    return MemoryPointer(SystemMemory(size), 0)


@_documented
def malloc_async(size):
    """Memory of the driver's stream-ordered pool that is current, for the current stream.

    Returns
    -------
    MemoryPointer
        Memory of the driver's pool.

    Examples
    --------
    >>> import tenorite as cp
    >>> callable(cp.cuda.malloc_async)
    True
    """
    pointer = of_device()._cuda_pool_memory(MemoryAsync, size)
    if isinstance(pointer.mem, MemoryAsync):
        pointer.mem.stream_ref = weakref.ref(_core._current_stream(None))
    return pointer


class MemoryAsync(BaseMemory):
    """Memory of the driver's stream-ordered pool; it goes back in the order of its stream, to which
    ``stream_ref`` is a weak reference.

    Examples
    --------
    >>> import tenorite as cp
    >>> issubclass(cp.cuda.MemoryAsync, cp.cuda.BaseMemory)
    True
    """

    stream_ref = attribute("stream_ref", "A weak reference to the stream of the memory.")


class MemoryAsyncPool:
    """The driver's stream-ordered pool of each device: 'current', 'default', or a pool's handle,
    one for all devices or a list. Its limit is soft: how much of it stays when nothing is used. On
    the host, whose pools are all stream-ordered, it is the pool that arrays' memory comes from.

    Parameters
    ----------
    pool_handles : 'current', int or sequence, optional
        The driver's pools.

    Examples
    --------
    >>> import tenorite as cp
    >>> callable(cp.cuda.MemoryAsyncPool)
    True
    """

    memoryAsyncHasStat = True

    def __init__(self, pool_handles="current"):
        memory, count = of_device(), _core._device_count(None)
        handles = pool_handles if isinstance(pool_handles, (list, tuple)) else [pool_handles] * count
        for number, handle in enumerate(handles):
            if handle == "default":
                handle = memory._cuda_pool_handle(number, True)
            if handle != "current":
                memory._cuda_pool_set_current(handle, number)

    def malloc(self, size):
        """A MemoryPointer to `size` bytes.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.cuda.MemoryAsyncPool().malloc(1024).ptr != 0
        True
        """
        return malloc_async(size)

    def free_all_blocks(self, stream=None):
        """Waits for the stream and gives unused memory back.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.cuda.MemoryAsyncPool().free_all_blocks()
        """
        (stream or get_current_stream()).synchronize()
        of_device()._cuda_pool_trim(0, 0, Device().id)

    def n_free_blocks(self):
        """The driver does not count its blocks.

        Examples
        --------
        >>> def of_a_gpu():
        ...     pool = tenorite.cuda.MemoryAsyncPool()
        ...     return pool.n_free_blocks()
        """
        raise NotImplementedError("This function is not supported in MemoryAsyncPool")

    def used_bytes(self):
        """Bytes that are handed out on the current device.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.cuda.MemoryAsyncPool().used_bytes() >= 0
        True
        """
        return of_device()._cuda_pool_get(7, 0, Device().id)

    def total_bytes(self):
        """Bytes that the pool holds.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.cuda.MemoryAsyncPool().total_bytes() >= 0
        True
        """
        return of_device()._cuda_pool_get(5, 0, Device().id)

    def free_bytes(self):
        """Bytes that the pool holds and that are not in use.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.cuda.MemoryAsyncPool().free_bytes() >= 0
        True
        """
        return self.total_bytes() - self.used_bytes()

    def set_limit(self, size=None, fraction=None):
        """The bytes, or the share of the device's memory, that stay in the pool.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.cuda.MemoryAsyncPool().set_limit(size=2**30)
        """
        if fraction is not None:
            if size is not None:
                raise ValueError("size and fraction cannot be specified at one time")
            if not 0 <= fraction <= 1:
                raise ValueError(f"memory limit fraction out of range: {fraction}")
            size = int(Device().mem_info[1] * fraction)
        if size is None or size < 0:
            raise ValueError(f"memory limit size out of range: {size}")
        of_device()._cuda_pool_set(4, size or 2**63 - 1, 0, Device().id)

    def get_limit(self):
        """The bytes that stay in the pool.

        Examples
        --------
        >>> import tenorite as cp
        >>> pool = cp.cuda.MemoryAsyncPool()
        >>> pool.set_limit(size=2**30)
        >>> pool.get_limit() == 2**30
        True
        """
        limit = of_device()._cuda_pool_get(4, 0, Device().id)
        return 0 if limit == 2**63 - 1 else limit
