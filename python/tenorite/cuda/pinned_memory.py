"""Page-locked host memory, from which copies to a GPU are fast; plain memory where there is
none."""

from tenorite import _core

PinnedMemory = _core._PinnedMemory
PinnedMemoryPointer = _core._PinnedMemoryPointer
PinnedMemoryPool = _core._PinnedMemoryPool
PooledPinnedMemory = _core._PooledPinnedMemory


def get_default_pinned_memory_pool():
    """The pool behind alloc_pinned_memory()."""
    return _core._default_pinned_memory_pool()


_current = None


def set_pinned_memory_allocator(allocator=None):
    """Sets what alloc_pinned_memory() calls: a callable size -> PinnedMemoryPointer; None: no
    pool."""
    global _current
    _current = _malloc if allocator is None else allocator


def _malloc(size):
    return PinnedMemoryPointer(PinnedMemory(size), 0)


def alloc_pinned_memory(size):
    """A PinnedMemoryPointer to `size` bytes; it supports the buffer protocol."""
    return (_current or get_default_pinned_memory_pool().malloc)(size)


def is_memory_pinned(data):
    """Whether an address lies in page-locked memory; on the host none does."""
    return _core._device_count("cuda") > 0 and _core._cuda_pointer(data)[0] == 1
