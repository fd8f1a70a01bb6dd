"""Page-locked host memory, from which copies to a GPU are fast; plain memory where there is
none."""

import numpy

from tenorite import _core

PinnedMemory = _core._PinnedMemory
PinnedMemoryPointer = _core._PinnedMemoryPointer
PinnedMemoryPool = _core._PinnedMemoryPool
PooledPinnedMemory = _core._PooledPinnedMemory


def get_default_pinned_memory_pool():
    """The pool after alloc_pinned_memory().

    Returns
    -------
    PinnedMemoryPool
        The pool of page-locked memory.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.get_default_pinned_memory_pool().n_free_blocks() >= 0
    True
    """
    return _core._default_pinned_memory_pool()


_current = None


def set_pinned_memory_allocator(allocator=None):
    """Sets what alloc_pinned_memory() calls: a callable size -> PinnedMemoryPointer; None: no
    pool.

    Parameters
    ----------
    allocator : callable, optional
        Called with a size, it gives a PinnedMemoryPointer.

    Returns
    -------
    None
        Page-locked memory comes from there from now on.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.set_pinned_memory_allocator(cp.get_default_pinned_memory_pool().malloc)
    """
    global _current
    if not (allocator is None or callable(allocator)):
        raise TypeError(f"an allocator must be callable, not {type(allocator)}")
    _current = _malloc if allocator is None else allocator


def _malloc(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


def alloc_pinned_memory(size):
    """A PinnedMemoryPointer to `size` bytes; it supports the buffer protocol.

    Parameters
    ----------
    size : int
        The number of bytes.

    Returns
    -------
    PinnedMemoryPointer
        To at least so many bytes.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.alloc_pinned_memory(100).size() >= 100
    True
    """
    return (_current or get_default_pinned_memory_pool().malloc)(size)


def is_memory_pinned(data):
    """Whether an address lies in page-locked memory; on the host none does.

    Parameters
    ----------
    data : object or int
        A host array or another object with a buffer; or its address.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> import tenorite as cp
    >>> import numpy as np
    >>> cp.cuda.pinned_memory.is_memory_pinned(np.ones(3))
    False
    """
    address = data if isinstance(data, int) else numpy.asarray(memoryview(data)).ctypes.data
    return _core._device_count("cuda") > 0 and _core._cuda_pointer(address)[0] == 1
