"""Functions of the CUDA runtime that also mean something on the host."""

from tenorite import _core
from tenorite._exceptions import CUDARuntimeError
from tenorite.cuda.device import Device

__all__ = [
    "CUDARuntimeError", "deviceSynchronize", "getDevice", "getDeviceCount", "is_hip", "memGetInfo",
    "setDevice", "streamSynchronize",
]  # fmt: skip

is_hip = False


def getDeviceCount():
    """The number of devices of the primary backend."""
    return _core._device_count(None)


def getDevice():
    """The number of the current device."""
    return Device().id


def setDevice(device):
    """Makes a device current for the calling thread."""
    Device(device).use()


def deviceSynchronize():
    """Waits for the current device."""
    Device().synchronize()


def memGetInfo():
    """(free bytes, total bytes) of the current device."""
    return Device().mem_info


def streamSynchronize(stream):
    """Waits for the stream of a handle."""
    from tenorite.cuda.stream import ExternalStream

    ExternalStream(stream).synchronize()
