"""Sums by operation, as a table."""

import sys
import time

from tenorite import _core, cuda

_KINDS = (
    "call work launch kernel copy wait compile cache malloc free grow trim range mark".split()
)  # as tn_trace_kind has them
_ORDERS = {"total": 4, "calls": 3, "mean": 5, "bytes": 6, "name": 1}


class profile:
    """Sum up what the library does within a context, and print it as a table by operation.

    Calls, with the host's time, come first; then what is a part of them: copies, waits,
    compilations, growth of pools; then work on streams and kernels, with a GPU's own times. CUDA's
    profiler is switched on meanwhile, as by ``cupyx.profiler.profile()``.

    Parameters
    ----------
    by : {"operation", "line"}, optional
        What makes a row: the operation alone, or with the line of the program.
    sort : {"total", "calls", "mean", "bytes", "name"}, optional
        The order of rows; figures from the largest on.
    rows : int, optional
        How many rows a part of the table has at most.
    file : file object or bool, optional
        Where the table is printed: None is the standard output, False nowhere.
    events : int, optional
        How many events are kept at most: the last ones.

    Attributes
    ----------
    table : list of tuple
        Rows of (part, name, line, calls, seconds, seconds a call, bytes, share of the whole time),
        when the context has ended.
    seconds : float
        The whole time.

    Raises
    ------
    ValueError
        If `by` or `sort` is another word.
    RuntimeError
        If a trace is under way.

    See Also
    --------
    tenorite.profiler.trace : Each event on a timeline.

    Examples
    --------
    >>> import tenorite as cp
    >>> with cp.profiler.profile(file=False) as found:
    ...     a = cp.ones((300, 200)) + 1
    >>> [row[:2] + row[3:4] for row in found.table if row[1] == "add" and row[0] == "calls"]
    [('calls', 'add', 1)]
    """

    def __init__(self, *, by="operation", sort="total", rows=30, file=None, events=4_000_000):
        if by not in ("operation", "line"):
            raise ValueError(f"profile: by must be 'operation' or 'line', not {by!r}")
        if sort not in _ORDERS:
            raise ValueError(f"profile: sort must be one of {', '.join(_ORDERS)}, not {sort!r}")
        self._by_line, self._sort, self._rows, self._file, self._events = by == "line", sort, rows, file, events
        self.table, self.seconds = [], 0.0
        self.recorded = self.dropped = 0

    def __enter__(self):
        _core._trace_start(self._events, True)
        self._cuda = cuda.profile()
        try:
            self._cuda.__enter__()
        except BaseException:
            _core._trace_stop()
            raise
        self._start = time.perf_counter()
        return self

    def __exit__(self, *exception):
        self.seconds = time.perf_counter() - self._start
        try:
            self._cuda.__exit__(*exception)
        finally:
            _core._trace_stop()
            self.recorded, self.dropped, _ = _core._trace_counts()
            self.table = self._sum_up(_core._trace_sums(0, self._by_line))
            _core._trace_clear()
        if self._file is not False:
            print(self, file=sys.stdout if self._file is None else self._file)

    def _sum_up(self, sums):
        rows = []
        for kind, is_inside, name, place, count, ns, size in sums:
            part = _part_of(_KINDS[kind], is_inside)
            if part:
                took = ns * 1e-9
                share = took / self.seconds if self.seconds else 0.0
                rows.append((part, name, place, count, took, took / count, size, share))
        if self._sort == "name":
            return sorted(rows, key=lambda row: row[1:3])
        return sorted(rows, key=lambda row: -row[_ORDERS[self._sort]])

    def __str__(self):
        lines = [f"{self.seconds:.6g} s, {self.recorded} events" + (f", {self.dropped} lost" if self.dropped else "")]
        for part in ("calls", "within calls", "on streams"):
            rows = [row for row in self.table if row[0] == part]
            if not rows:
                continue
            lines += ["", f"{part:32}{'calls':>9}{'total ms':>12}{'mean us':>12}{'MB':>12}{'share':>8}"]
            for _, name, place, count, took, mean, size, share in rows[: self._rows]:
                figures = f"{count:9}{took * 1e3:12.3f}{mean * 1e6:12.3f}{size / 1e6:12.3f}{share:8.1%}"
                lines.append(f"{name[:31]:32}{figures}  {place}".rstrip())
            if len(rows) > self._rows:
                lines.append(f"... and {len(rows) - self._rows} more")
        return "\n".join(lines)


def _part_of(kind, is_inside):
    """The part of the table that an event belongs to; None: to none."""
    if kind in ("copy", "wait", "compile", "grow"):
        return "within calls"
    if kind in ("work", "kernel"):
        return "on streams"
    return "calls" if kind in ("call", "range") and not is_inside else None
