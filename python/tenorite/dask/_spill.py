"""Results of tasks in three places: the device, the host's memory, a disk.

A result leaves the device as the frames that distributed would send, copied where they would share
the array's memory. Values without an array stay as they are.
"""

import zict
from dask.sizeof import sizeof
from distributed.protocol.serialize import deserialize, serialize
from distributed.spill import SpillBuffer

import tenorite
from tenorite._arguments import ndarray
from tenorite.scipy.sparse import spmatrix


def _is_on_device(value):
    """Whether a value is an array, or a collection that has one."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return any(map(_is_on_device, value))
    return isinstance(value, ndarray | spmatrix)


class _Left:
    """A value that has left the device."""

    def __init__(self, value):
        self.header, frames = serialize(value, on_error="raise")
        # A frame of an array of the host is a view of it, which would keep it.
        self.frames = [bytearray(frame) for frame in frames]

    def __sizeof__(self):
        return object.__sizeof__(self) + sum(map(len, self.frames))

    def value(self):
        return deserialize(self.header, self.frames)


def _leave(value):
    return _Left(value) if _is_on_device(value) else value


def _return(value):
    return value.value() if isinstance(value, _Left) else value


class DeviceBuffer(zict.Buffer):
    """What a worker keeps its results in."""

    def __init__(self, folder, device_memory, host_memory):
        if isinstance(device_memory, float) and device_memory <= 1:
            device_memory *= tenorite.cuda.Device().mem_info[1]
        self.host = SpillBuffer(folder, host_memory) if host_memory else {}
        super().__init__(
            {}, zict.Func(_leave, _return, self.host), int(device_memory), lambda key, value: sizeof(value)
        )

    def evict(self):
        """Lets the value go that was used least recently; its bytes, or -1 if there is none. The
        worker asks for it where the process has taken too much of the host's memory."""
        if isinstance(self.host, SpillBuffer) and self.host.fast:
            return self.host.evict()
        return self.fast.evict()[2] if self.fast else -1
