"""Ranges and marks for profilers; they do nothing where NVTX is not installed."""

from tenorite import _core


def __getattr__(name):
    """``available``: whether NVTX is installed. The library is looked for when this is first
    asked."""
    if name == "available":
        return _core._cuda_has_ranges()
    raise AttributeError(f"module 'tenorite.cuda.nvtx' has no attribute {name!r}")


def Mark(message, id_color=-1):
    """Marks a moment.

    Parameters
    ----------
    message : str
        What the profiler shows.
    id_color : int, optional
        The number of a colour; -1: none.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nvtx.Mark('a moment')
    """
    _core._cuda_mark(message)


def MarkC(message, color=0):
    """Marks a moment; the colour is left to the profiler.

    Parameters
    ----------
    message : str
        What the profiler shows.
    color : int, optional
        The colour in the profiler, as ARGB.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nvtx.MarkC('a moment')
    """
    _core._cuda_mark(message)


def RangePush(message, id_color=-1):
    """Begins a range of the calling thread.

    Parameters
    ----------
    message : str
        What the profiler shows.
    id_color : int, optional
        The number of a colour; -1: none.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.nvtx.RangePush('a part')
    >>> cp.cuda.nvtx.RangePop()
    """
    _core._cuda_range_push(message)


def RangePushC(message, color=0):
    """Begins a range of the calling thread; the colour is left to the profiler.

    Parameters
    ----------
    message : str
        What the profiler shows.
    color : int, optional
        The colour in the profiler, as ARGB.

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


def RangeStart(message, id_color=-1):
    """Begins a range that any thread may end; its number.

    Parameters
    ----------
    message : str
        What the profiler shows.
    id_color : int, optional
        The number of a colour; -1: none.

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
