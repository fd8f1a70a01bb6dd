"""Streams and events."""

from tenorite import _core

Stream = _core._Stream
Event = _core._Event


class ExternalStream(Stream):
    """A stream that other code owns, known by its handle (``Stream.ptr``)."""

    def __new__(cls, ptr, device_id=-1):
        return _core._external_stream(cls, ptr, None)


def get_current_stream(device_id=None):
    """The calling thread's current stream of a device (None: the current one)."""
    return _core._current_stream(device_id)


def get_elapsed_time(start_event, end_event):
    """Milliseconds between two events that were recorded with timing, and have come."""
    return _core._elapsed_time(start_event, end_event)
