"""Timelines: what the library did and when, as a file that Perfetto opens."""

import atexit
import os

from tenorite import _core


class trace:
    """Write a timeline of what the program does with the library, for Perfetto.

    It begins when it is made, and ends with `stop`, with the ``with`` block or with the process,
    also after an exception. The file is JSON of Chrome's trace format, which ``ui.perfetto.dev``
    and ``chrome://tracing`` open. Threads and the streams of devices are tracks. On them are calls
    (with the dtypes and shapes of their arrays and the line of the program), work and launches,
    kernels with the GPU's times, copies with their bytes and rate, waits, compilations, answers of
    the cache, memory that pools hand out and take back with its curve, and ranges of
    `time_range` and `tenorite.cuda.nvtx`.

    A GPU's times come from events around launches. With ``TENORITE_CUPTI=1`` they come from CUPTI
    where that library is found (``pip install nvidia-cuda-cupti``, or CUDA's toolkit), and copies,
    fills, kernels of libraries and each kernel of a graph have theirs, too, but so far without
    the lines of the program. One process has one user of CUPTI at a time.

    While nothing is traced this costs nothing that can be measured; while it is, about a
    microsecond an event.

    Parameters
    ----------
    file : str or path-like
        What is written; a file of that name is replaced.
    events : int, optional
        How many events are kept at most, each in 96 bytes of memory that is taken as it is needed.
    ring : bool, optional
        Whether the last ones are kept where there are more; else the first.

    Attributes
    ----------
    recorded, dropped : int
        How many events there were, and how many of them are not in the file.

    Raises
    ------
    RuntimeError
        If a trace is under way already.
    ValueError
        If the file can't be written, or `events` is out of range.

    See Also
    --------
    tenorite.profiler.profile : Sums by operation as a table.
    tenorite.profiler.memory : Memory over time, with the lines that own it.

    Examples
    --------
    >>> import json, os, tempfile
    >>> import tenorite as cp
    >>> path = os.path.join(tempfile.mkdtemp(), "run.json")
    >>> with cp.profiler.trace(path):
    ...     a = cp.ones((300, 200)) + 1
    >>> with open(path) as file:
    ...     events = json.load(file)["traceEvents"]
    >>> [event["args"]["arrays"] for event in events if event["name"] == "add" and event["cat"] == "call"]
    ['float64[300,200] float64[300,200]']
    """

    def __init__(self, file, *, events=1_000_000, ring=False):
        self.file = os.fspath(file)
        self.recorded = self.dropped = 0
        with open(self.file, "ab"):  # what can't be written is refused before the program runs
            pass
        _core._trace_start(events, ring)
        self._is_on = True
        atexit.register(self.stop)

    def stop(self):
        """End the trace and write the file; a second call does nothing.

        Examples
        --------
        >>> import os, tempfile
        >>> import tenorite as cp
        >>> trace = cp.profiler.trace(os.path.join(tempfile.mkdtemp(), "run.json"))
        >>> a = cp.ones(3)
        >>> trace.stop()
        >>> trace.recorded > 0
        True
        """
        if not self._is_on:
            return
        self._is_on = False
        atexit.unregister(self.stop)
        _core._trace_stop()
        self.recorded, self.dropped, _ = _core._trace_counts()
        try:
            _core._trace_write(self.file)
        finally:
            _core._trace_clear()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.stop()
