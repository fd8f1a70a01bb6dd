"""What this installation found: show_config()."""

import platform
import sys

import numpy

from tenorite import _core


def _version(number):
    return f"{number // 1000}.{number % 1000 // 10}" if number else ""


def _library_line(name, found, loaded, path, number, advice):
    if not found:
        return name, f"not found; {advice}"
    state = "" if loaded else " (not loaded yet)"
    return name, f"{_version(number)} {path or 'found by the system'}{state}".strip()


def _devices():
    from tenorite.cuda.device import Device

    for backend in ("cuda", "host"):
        for number in range(_core._device_count(backend)):
            device = Device(f"{backend}:{number}")
            facts = device.name
            if backend == "cuda":
                facts += f", compute capability {device.compute_capability}, {device.pci_bus_id}"
            yield f"{backend}:{number}", facts


def lines():
    """(what, value) pairs."""
    from tenorite import cache

    yield "Tenorite", _core.version()
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    yield "NumPy", numpy.__version__
    yield "System", f"{platform.system()} {platform.release()} {platform.machine()}"
    yield from _devices()
    for library in _core._cuda_libraries(True):
        yield _library_line(*library)
    kernels = cache.info()
    state = kernels["folder"] or "none"
    if kernels["reason"]:
        state += f" ({kernels['reason']})"
    yield "Kernel cache", f"{state}, {kernels['files']} files, {kernels['bytes']} bytes"


def show_config():
    """Prints what was found, where, and what to install for what is missing."""
    pairs = list(lines())
    width = max(len(what) for what, _ in pairs)
    for what, value in pairs:
        print(f"{what:<{width}} : {value}")
