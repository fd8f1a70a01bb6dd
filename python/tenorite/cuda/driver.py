"""Functions of the CUDA driver that programs call directly."""

from tenorite import _core
from tenorite.cuda.device import Device

CU_STREAM_LEGACY, CU_STREAM_PER_THREAD = 1, 2


class CUDADriverError(RuntimeError):
    """The driver reported a failure; ``status`` is its number."""

    def __init__(self, status):
        _, name, text = _core._cuda_error(status)
        self.status = status
        super().__init__(f"{name}: {text}")

    def __reduce__(self):
        return type(self), (self.status,)


def get_build_version():
    """The version of CUDA that was needed to build: none."""
    return 0


def driverGetVersion():
    """The driver's version: 13000 is 13.0."""
    return _core._cuda_driver_version()


def ctxGetCurrent():
    """The primary context of the current device; 0 on the host."""
    device = Device()
    return _core._cuda_context(device.id) if device.backend == "cuda" else 0


def ctxGetDevice():
    """The number of the current device."""
    return Device().id
