"""Ranges and marks for profilers; they do nothing where NVTX is not installed."""

from tenorite import _core
from tenorite._lib.documents import documenter as _documenter

_documented = _documenter(
    {
        "message": ("str", "What the profiler shows."),
        "id_color": ("int", "The number of a colour; -1: none."),
        "color": ("int", "The colour in the profiler, as ARGB."),
    }
)


def __getattr__(name):
    """``available``: whether NVTX is installed. The library is looked for when this is first
    asked."""
    if name == "available":
        return _core._cuda_has_ranges()
    raise AttributeError(f"module 'tenorite.cuda.nvtx' has no attribute {name!r}")


@_documented
def Mark(message, id_color=-1):
    """Marks a moment.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nvtx.Mark('a moment')
    """
    _core._cuda_mark(message)


@_documented
def MarkC(message, color=0):
    """Marks a moment; the colour is left to the profiler.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nvtx.MarkC('a moment')
    """
    _core._cuda_mark(message)


@_documented
def RangePush(message, id_color=-1):
    """Begins a range of the calling thread.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nvtx.RangePush('a part')
    >>> cp.cuda.nvtx.RangePop()
    """
    _core._cuda_range_push(message)


@_documented
def RangePushC(message, color=0):
    """Begins a range of the calling thread; the colour is left to the profiler.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nvtx.RangePushC('a part')
    >>> cp.cuda.nvtx.RangePop()
    """
    _core._cuda_range_push(message)


def RangePop():
    """Ends the range that was begun last.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nvtx.RangePush('a part')
    >>> cp.cuda.nvtx.RangePop()
    """
    _core._cuda_range_pop()


@_documented
def RangeStart(message, id_color=-1):
    """Begins a range that any thread may end; its number.

    Returns
    -------
    int
        The number for RangeEnd.

    Examples
    --------
    >>> import tenorite as cp
    >>> part = cp.cuda.nvtx.RangeStart('a part')
    >>> cp.cuda.nvtx.RangeEnd(part)
    """
    return _core._cuda_range_start(message)


def RangeEnd(range_id):
    """Ends a range of RangeStart().

    Parameters
    ----------
    range_id : int
        What RangeStart gave.

    Examples
    --------
    >>> import tenorite as cp
    >>> part = cp.cuda.nvtx.RangeStart('a part')
    >>> cp.cuda.nvtx.RangeEnd(part)
    """
    _core._cuda_range_end(range_id)
