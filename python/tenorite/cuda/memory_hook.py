"""Hooks: methods that are called around allocations of the calling thread."""

import threading

from tenorite import _core

_thread = threading.local()


def get_memory_hooks():
    """The calling thread's hooks by name, in the order in which they were entered.

    Returns
    -------
    dict
        The hooks by their names.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.memory_hook.get_memory_hooks()
    {}
    """
    if not hasattr(_thread, "hooks"):
        _thread.hooks = {}
    return _thread.hooks


class MemoryHook:
    """The base of hooks. As a context manager it is called for what the thread allocates and frees.

    ``alloc_*`` go with memory that a pool gets from the device, ``malloc_*`` with what it hands
    out, ``free_*`` with what comes back. Keyword arguments: device_id, size (asked for), mem_size
    (rounded up), mem_ptr (the address), pmem_id (of the block).

    Examples
    --------
    >>> class Bytes(tenorite.cuda.MemoryHook):
    ...     count = 0
    ...     def malloc_postprocess(self, **kwargs):
    ...         self.count += kwargs["mem_size"]
    >>> with Bytes() as hook:
    ...     a = tenorite.ones(1000)
    >>> hook.count >= 8000
    True
    """

    name = "MemoryHook"

    def __enter__(self):
        hooks = get_memory_hooks()
        if self.name in hooks:
            raise KeyError(f"memory hook {self.name} already exists")
        hooks[self.name] = self
        _core._set_memory_hooks(_dispatch)
        return self

    def __exit__(self, *exception):
        hooks = get_memory_hooks()
        del hooks[self.name]
        if not hooks:
            _core._set_memory_hooks(None)

    def alloc_preprocess(self, **kwargs):
        """Before device memory is asked for: device_id, mem_size.

        Examples
        --------
        >>> tenorite.cuda.MemoryHook().alloc_preprocess(device_id=0, mem_size=512)
        """

    def alloc_postprocess(self, **kwargs):
        """After it: device_id, mem_size, mem_ptr (0: it failed).

        Examples
        --------
        >>> tenorite.cuda.MemoryHook().alloc_postprocess(device_id=0, mem_size=512, mem_ptr=4096)
        """

    def malloc_preprocess(self, **kwargs):
        """Before memory is handed out: device_id, size, mem_size.

        Examples
        --------
        >>> tenorite.cuda.MemoryHook().malloc_preprocess(device_id=0, size=8, mem_size=512)
        """

    def malloc_postprocess(self, **kwargs):
        """After it: device_id, size, mem_size, mem_ptr, pmem_id (0: it failed).

        Examples
        --------
        >>> tenorite.cuda.MemoryHook().malloc_postprocess(
        ...     device_id=0, size=8, mem_size=512, mem_ptr=4096, pmem_id=64)
        """

    def free_preprocess(self, **kwargs):
        """Before memory comes back: device_id, mem_size, mem_ptr, pmem_id.

        Examples
        --------
        >>> tenorite.cuda.MemoryHook().free_preprocess(
        ...     device_id=0, mem_size=512, mem_ptr=4096, pmem_id=64)
        """

    def free_postprocess(self, **kwargs):
        """After it: device_id, mem_size, mem_ptr, pmem_id.

        Examples
        --------
        >>> tenorite.cuda.MemoryHook().free_postprocess(
        ...     device_id=0, mem_size=512, mem_ptr=4096, pmem_id=64)
        """


def _dispatch(event, is_after, device_id, size, mem_size, mem_ptr):
    facts = {"device_id": device_id, "mem_size": mem_size}
    if event == "malloc":
        facts["size"] = size
    if is_after or event == "free":
        facts["mem_ptr"] = mem_ptr
        if event != "alloc":
            facts["pmem_id"] = mem_ptr
    method = f"{event}_{'postprocess' if is_after else 'preprocess'}"
    for hook in list(get_memory_hooks().values()):
        getattr(hook, method)(**facts)
