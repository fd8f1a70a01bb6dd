"""Streams and events."""

from tenorite import _core

Stream = _core._Stream
Event = _core._Event


class ExternalStream(Stream):
    """A stream that other code owns, known by its handle (``Stream.ptr``).

    Parameters
    ----------
    ptr : int
        The address or handle.
    device_id : int, optional
        The device; the current one if it is not given.

    Examples
    --------
    >>> import tenorite as cp
    >>> stream = cp.cuda.Stream()
    >>> cp.cuda.ExternalStream(stream.ptr).ptr == stream.ptr
    True
    """

    def __new__(cls, ptr, device_id=-1):
        return _core._external_stream(cls, ptr, None)


def get_current_stream(device_id=None):
    """The calling thread's current stream of a device (None: the current one).

    Parameters
    ----------
    device_id : int, optional
        The device; the current one if it is not given.

    Returns
    -------
    Stream
        The stream.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cuda.get_current_stream() == cp.cuda.Stream.null
    True
    """
    return _core._current_stream(device_id)


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events that were recorded with timing, and have come.

    Parameters
    ----------
    start_event : Event
        The earlier event.
    end_event : Event
        The later event.

    Returns
    -------
    float
        Milliseconds.

    Examples
    --------
    >>> import tenorite as cp
    >>> first, last = cp.cuda.Event(), cp.cuda.Event()
    >>> first.record()
    >>> last.record()
    >>> last.synchronize()
    >>> cp.cuda.get_elapsed_time(first, last) >= 0
    True
    """
    return _core._elapsed_time(start_event, end_event)
