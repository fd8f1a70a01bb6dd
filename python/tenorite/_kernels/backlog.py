"""Calls that wait: which threads have them, what waits, and what the last runs were."""

import contextlib
import typing

import numpy

from tenorite import _core
from tenorite._kernels.explanation import Cost

_ON, _EAGER = 1, -1
_UNITS = ("bytes", "kB", "MB", "GB", "TB")


@contextlib.contextmanager
def eager(eager=True):
    """Compute each call at once within the context, in the calling thread.

    Where calls wait, element-wise calls, copies and reductions are checked at once and computed
    later, together, when something looks at what they make. What waits runs first; afterwards calls
    wait, or do not, as before. Results have the same bits either way. Calls are eager unless
    ``TENORITE_WAIT=1`` is set, and ``TENORITE_EAGER=1`` wins over that.

    Parameters
    ----------
    eager : bool
        False: calls within the context wait, whatever the environment says. On the host calls of
        few elements do not (``TENORITE_WAIT_LEAST``), unless they read what waits.

    See Also
    --------
    explain : Tells what waits.
    fuse : A decorator for functions that run in few passes.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.arange(100_000.0)
    >>> with cp.eager(False):
    ...     b = cp.sqrt(a * a + 1)
    ...     print(len(cp.explain().waiting))
    3
    >>> float(b[0])
    1.0
    """
    before = _core._backlog_use(_EAGER if eager else _ON)
    try:
        yield
    finally:
        _core._backlog_use(before)


class Waiting(typing.NamedTuple):
    """A call that waits, and the array that it makes."""

    operation: str  # a ufunc's name, a reduction's, "copy" or "fill"
    shape: tuple
    dtype: numpy.dtype


class Run(typing.NamedTuple):
    """Calls that ran together."""

    look: str  # the kind of what made them run
    why: str  # a sentence that says so
    calls: int
    dropped: int  # calls that did not run, since nothing could look at what they make
    cost: Cost
    unfused: Cost  # of the same calls one by one


class Backlog(typing.NamedTuple):
    """What waits in a thread, and its last runs. As text, ``str(backlog)``, it is to be read."""

    waiting: tuple  # of Waiting, in the order of the calls
    runs: tuple  # of Run, the last one first, at most 8

    def __str__(self):
        return "\n".join([_count(len(self.waiting), "call wait", "calls wait"), *self._calls(), *self._runs()]) + "\n"

    def _calls(self):
        return [f"   {one.operation} of {one.shape} {one.dtype}" for one in self.waiting]

    def _runs(self):
        for number, run in enumerate(self.runs, 1):
            dropped = f", of which nothing needs {run.dropped}" if run.dropped else ""
            yield f"{number}. {_count(run.calls, 'call', 'calls')} ran{dropped}: {run.why}"
            yield f"   {_cost(run.cost)}; one by one {_cost(run.unfused)}"


def _count(count, one, several):
    return f"{count} {one if count == 1 else several}"


def _cost(cost):
    launches = _count(cost.launches, "launch", "launches")
    return f"{launches}, {_bytes(cost.bytes_read)} read, {_bytes(cost.bytes_written)} written"


def _bytes(count):
    if count < 1000:
        return f"{count} bytes"
    power = min((len(str(count)) - 1) // 3, 4)
    value = count / 1000**power
    return f"{value:.1f} {_UNITS[power]}" if value < 99.95 else f"{value:.0f} {_UNITS[power]}"


def explain():
    """Tell what waits in the calling thread, and how its last runs went.

    Asking is no look: what waits goes on waiting.

    Returns
    -------
    tuple
        A named one: `waiting`, a tuple of calls (`operation`, and `shape` and `dtype` of what it
        makes); and `runs`, a tuple of the last 8 runs, the last one first. A run has a `look`
        and a sentence `why` that say what made it run, how many `calls` it took, how many of
        them were `dropped`, and two costs of `launches`, `bytes_read` and `bytes_written`:
        `cost` is that of the run, `unfused` that of the same calls one by one. ``str()`` makes a
        text of all that.

    See Also
    --------
    eager : Says whether calls wait.
    fuse : Has ``explain``, too, of the function that it makes.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.arange(100_000.0, dtype="f4")
    >>> with cp.eager(False):
    ...     b = cp.sqrt(a * a + 1) * 2 - a
    ...     print(cp.explain().waiting[-1])
    ...     total = float(b.sum())
    ...     run = cp.explain().runs[0]
    Waiting(operation='subtract', shape=(100000,), dtype=dtype('float32'))
    >>> run.calls, run.look, run.unfused.launches
    (6, 'READ', 6)
    """
    waiting = tuple(Waiting(*call) for call in _core._backlog_calls())
    runs = tuple(Run(*rest, Cost(*cost), Cost(*unfused)) for *rest, cost, unfused in _core._backlog_runs())
    return Backlog(waiting, runs)
