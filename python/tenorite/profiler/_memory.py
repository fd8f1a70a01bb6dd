"""Memory over time, and the lines that own what lives."""

import json
import os
import sys
import time
from pathlib import Path

from tenorite.cuda.memory_hook import MemoryHook

_PAGE = Path(__file__).with_name("_memory.html")


class memory(MemoryHook):
    """Follow the memory of the calling thread's arrays, and the lines that own what lives.

    A context. After it, or within it, `print_report` says what lives, line by line, and `write`
    makes a page for a browser, in one file and without a server: the curve of memory, and for the
    moment under the pointer the lines that own what lived then. A line whose memory only grows is
    a leak.

    Each allocation costs some microseconds, as the hook is written in Python.

    Parameters
    ----------
    file : str or path-like, optional
        The page that is written when the context ends, also after an exception.
    depth : int, optional
        How many lines of the program, from the innermost on, an owner is.

    See Also
    --------
    tenorite.profiler.trace : The same curve beside all else, and cheaper.
    tenorite.cuda.memory_hooks.LineProfileHook : Sums of all that was ever allocated.

    Examples
    --------
    >>> import tenorite as cp
    >>> with cp.profiler.memory() as found:
    ...     kept = [cp.ones(1000) for _ in range(3)]
    >>> found.used_bytes, found.peak_bytes
    (24576, 24576)
    >>> [(owner[1], owner[2]) for owner in found.owners()]
    [(24576, 3)]
    """

    name = "tenorite.profiler.memory"

    def __init__(self, file=None, *, depth=1):
        if depth < 1:
            raise ValueError(f"memory: depth must be at least 1, not {depth}")
        self._file = None if file is None else os.fspath(file)
        self._depth = depth
        self._start = time.perf_counter()
        self._owners = {}  # {lines: number}
        self._living = {}  # {(device, address): (number, bytes)}
        self._events = []  # (seconds, number, bytes more or less)
        self.used_bytes = self.peak_bytes = 0

    def __exit__(self, *exception):
        super().__exit__(*exception)
        if self._file is not None:
            self.write(self._file)

    def _note(self, number, size):
        self.used_bytes += size
        self.peak_bytes = max(self.peak_bytes, self.used_bytes)
        self._events.append((time.perf_counter() - self._start, number, size))

    def malloc_postprocess(self, *, device_id, mem_size, mem_ptr, **_):
        """Notes memory that was handed out, and the line that it is for.

        Examples
        --------
        >>> import tenorite as cp
        >>> found = cp.profiler.memory()
        >>> found.malloc_postprocess(device_id=0, size=8, mem_size=512, mem_ptr=4096, pmem_id=4096)
        >>> found.used_bytes
        512
        """
        if mem_ptr:
            number = self._owners.setdefault(_lines(self._depth), len(self._owners))
            self._living[device_id, mem_ptr] = number, mem_size
            self._note(number, mem_size)

    def free_postprocess(self, *, device_id, mem_ptr, **_):
        """Notes memory that came back.

        Examples
        --------
        >>> import tenorite as cp
        >>> found = cp.profiler.memory()
        >>> found.malloc_postprocess(device_id=0, size=8, mem_size=512, mem_ptr=4096, pmem_id=4096)
        >>> found.free_postprocess(device_id=0, mem_size=512, mem_ptr=4096, pmem_id=4096)
        >>> found.used_bytes
        0
        """
        number, size = self._living.pop((device_id, mem_ptr), (None, 0))
        if number is not None:  # what is older than the hook is not known
            self._note(number, -size)

    def owners(self):
        """What lives now: (lines, bytes, arrays) of each owner, the largest first.

        Returns
        -------
        list of tuple
            The lines as "file:line (function)", the outermost first.

        Examples
        --------
        >>> import tenorite as cp
        >>> with cp.profiler.memory() as found:
        ...     a = cp.ones(3)
        >>> [owner[1:] for owner in found.owners()]
        [(512, 1)]
        """
        sums = {}
        for number, size in self._living.values():
            before, count = sums.get(number, (0, 0))
            sums[number] = before + size, count + 1
        names = list(self._owners)
        found = [(names[number], size, count) for number, (size, count) in sums.items()]
        return sorted(found, key=lambda owner: -owner[1])

    def print_report(self, file=None):
        """Print what lives now by its lines, the largest first.

        Parameters
        ----------
        file : file object, optional
            Where it is printed; sys.stdout if it is None.

        Examples
        --------
        >>> import tenorite as cp
        >>> with cp.profiler.memory() as found:
        ...     a = cp.ones(3)
        >>> found.print_report()  # doctest: +ELLIPSIS
        512 bytes live, 512 at most
             bytes   arrays  owner
               512        1  ...
        """
        lines = [f"{self.used_bytes} bytes live, {self.peak_bytes} at most", "     bytes   arrays  owner"]
        lines += [f"{size:10} {count:8}  {owner}" for owner, size, count in self.owners()]
        print("\n".join(lines), file=sys.stdout if file is None else file)

    def write(self, file):
        """Write the page.

        Parameters
        ----------
        file : str or path-like
            A file of that name is replaced.

        Examples
        --------
        >>> import os, tempfile
        >>> import tenorite as cp
        >>> with cp.profiler.memory() as found:
        ...     a = cp.ones(3)
        >>> found.write(os.path.join(tempfile.mkdtemp(), "memory.html"))
        """
        events = [[round(seconds * 1e3, 3), number, size] for seconds, number, size in self._events]
        text = json.dumps({"owners": list(self._owners), "events": events}, separators=(",", ":"))
        page = _PAGE.read_text(encoding="utf-8").replace("@DATA@", text.replace("<", "\\u003c"))
        Path(file).write_text(page, encoding="utf-8")


def _lines(depth):
    """The innermost lines that are not the package's own."""
    found, frame = [], sys._getframe(1)
    while frame is not None and len(found) < depth:
        if frame.f_globals.get("__name__", "").partition(".")[0] != "tenorite":
            found.append(f"{frame.f_code.co_filename}:{frame.f_lineno} ({frame.f_code.co_name})")
        frame = frame.f_back
    return " > ".join(reversed(found)) or "?"
