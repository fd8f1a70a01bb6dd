"""What this installation found: show_config() and get_runtime_info()."""

import os
import platform
import shutil
import sys
from importlib.util import find_spec

import numpy

from tenorite import _core, cache
from tenorite._cupy.alias import CUPY_VERSION
from tenorite.cuda.device import Device


def _version(number):
    return f"{number // 1000}.{number % 1000 // 10}" if number else ""


def _variable(library):
    return f"TENORITE_{library.upper()}_PATH"


def _given(variable):
    """What the environment says about what was not found."""
    path = os.environ.get(variable)
    return f" ({variable} is {path})" if path else ""


def _library_line(name, found, loaded, path, number, advice):
    if not found:
        return name, f"not found; {advice}{_given(_variable(name))}"
    state = "" if loaded else " (not loaded yet)"
    return name, f"{_version(number)} {path or 'found by the system'}{state}".strip()


def _devices():
    for backend in ("cuda", "host"):
        for number in range(_core._device_count(backend)):
            device = Device(f"{backend}:{number}")
            facts = f"{device.name}, {device.level}"
            if backend == "cuda":
                facts += f", compute capability {device.compute_capability}, {device.pci_bus_id}"
            yield f"{backend}:{number}", facts


# What the host's libraries do, and how to get them.
_HOST_LIBRARIES = {
    "openblas": ("matrix products", "NumPy's wheel has it, or: apt-get install libopenblas0-pthread"),
    "sleef": ("vector mathematics", "the wheel of make wheel has it, or: apt-get install libsleef3"),
}


def _load_host_libraries():
    with Device("host:0"):
        matrix = _core.ones((64, 64), "f4")
        matrix @ matrix


def _host_libraries():
    _load_host_libraries()
    for name, (purpose, advice) in _HOST_LIBRARIES.items():
        path = _core._library_path(name)
        yield name, path or f"not found, {purpose} are slower; {advice}{_given(_variable(name))}"


def _compiler():
    """The compiler of kernels on the host, in the order that backend/host/compiler looks for it."""
    given = os.environ.get("TENORITE_CXX")
    found = next(filter(None, map(shutil.which, [given] if given else ("c++", "g++", "clang++"))), None)
    if not found and not given and find_spec("ziglang"):
        found = "ziglang"
    return found or f"not found; apt-get install g++, or pip install ziglang{_given('TENORITE_CXX')}"


def _kernels():
    yield "C++ compiler", _compiler()
    facts = cache.info()
    state = facts["folder"] or "none"
    if facts["reason"]:
        state += f" ({facts['reason']})"
    yield "Kernel cache", f"{state}, {facts['files']} files, {facts['bytes']} bytes"
    yield "Packed kernels", str(facts["archived"])


def lines():
    """(what, value) pairs."""
    yield "Tenorite", _core.version()
    yield "Names", f"those of CuPy {CUPY_VERSION}"
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    yield "NumPy", numpy.__version__
    yield "System", f"{platform.system()} {platform.release()} {platform.machine()}"
    yield from _devices()
    yield from _host_libraries()
    for library in _core._cuda_libraries(True):
        yield _library_line(*library)
    plans = sys.modules.get("tenorite.cudnn._plans")
    if plans and plans.figures:
        yield "cuDNN plans", plans.told()
    yield from _kernels()


class _RuntimeInfo:
    """What `get_runtime_info` found; its text is a table."""

    def __init__(self, facts):
        self.facts = facts

    @property
    def cupy_version(self):
        """CuPy's name for the version of what a program imported."""
        return sys.modules["tenorite"].__version__

    def __str__(self):
        width = max(map(len, self.facts))
        return "".join(f"{what:<{width}} : {value}\n" for what, value in self.facts.items())

    __repr__ = __str__


def get_runtime_info(*, full=True):
    """What was found of devices and libraries, as `show_config` prints it.

    Parameters
    ----------
    full : bool, optional
        Whether the devices are in it.

    Returns
    -------
    object
        Its ``str()`` is a table, its `facts` are a dict.

    Examples
    --------
    >>> import tenorite as cp
    >>> "NumPy" in str(cp.x.get_runtime_info())
    True
    """
    facts = dict(lines())
    kept = {what: value for what, value in facts.items() if full or not what.startswith(("cuda:", "host:"))}
    return _RuntimeInfo(kept)


def show_config(*, _full=False):
    """Prints what was found, where, and what to install for what is missing.

    Nothing is left out without CuPy's `_full`.

    Returns
    -------
    None
        The text is printed.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.show_config()  # doctest: +ELLIPSIS
    Tenorite       : ...
    """
    sys.stdout.write(str(get_runtime_info(full=True)))
