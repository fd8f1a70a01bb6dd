"""A hook that prints each event as a line of JSON."""

import json
import sys

from tenorite.cuda.memory_hook import MemoryHook


class DebugPrintHook(MemoryHook):
    """Prints what is allocated and freed to `file` (standard output at first).

    Parameters
    ----------
    file : file object, optional
        Where it prints; sys.stdout if it is None.
    flush : bool, optional
        Whether the file is flushed after each line.

    Examples
    --------
    >>> import io
    >>> text, block = io.StringIO(), {"device_id": 0, "mem_size": 512, "mem_ptr": 4096}
    >>> hook = tenorite.cuda.memory_hooks.DebugPrintHook(text)
    >>> hook.alloc_postprocess(**block)
    >>> hook.malloc_postprocess(size=8, pmem_id=64, **block)
    >>> hook.free_postprocess(pmem_id=64, **block)
    >>> print(text.getvalue(), end="")
    {"hook":"alloc","device_id":0,"mem_size":512,"mem_ptr":4096}
    {"hook":"malloc","device_id":0,"size":8,"mem_size":512,"mem_ptr":4096,"pmem_id":"0x40"}
    {"hook":"free","device_id":0,"mem_size":512,"mem_ptr":4096,"pmem_id":"0x40"}
    """

    name = "DebugPrintHook"

    def __init__(self, file=None, flush=True):
        self.file = sys.stdout if file is None else file
        self.flush = flush

    def _print(self, hook, device_id, mem_size, mem_ptr, size=None, pmem_id=None):
        line = {"hook": hook, "device_id": device_id}
        if size is not None:
            line["size"] = size
        line |= {"mem_size": mem_size, "mem_ptr": mem_ptr}
        if pmem_id is not None:
            line["pmem_id"] = hex(pmem_id)
        print(json.dumps(line, separators=(",", ":")), file=self.file, flush=self.flush)

    def alloc_postprocess(self, **kwargs):
        """Prints what the pool got from the device."""
        self._print("alloc", **kwargs)

    def malloc_postprocess(self, **kwargs):
        """Prints what an array got."""
        self._print("malloc", **kwargs)

    def free_postprocess(self, **kwargs):
        """Prints what came back."""
        self._print("free", **kwargs)
