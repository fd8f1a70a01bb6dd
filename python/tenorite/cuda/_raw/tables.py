"""From a line of a table to a Python function that calls a library of CUDA.

    {sdcz}axpy: cublas{SDCZ}axpy_v2: handle n alpha x incx y incy

makes saxpy, daxpy, caxpy and zaxpy. Parameters are numbers: integers, addresses, handles. What else
a parameter is stands after a colon:

    tol:f mean:d    a float, a double by value
    mu:C mu:Z       a complex<float>, a complex<double> by value
    compute:t       what the library's function `conversions[kind]` makes of the number
    @stream         the current stream, which the program does not give
    name:s data:b   text, bytes; given as an address
    lwork=0         a default

A parameter that begins with > is the address of a result, which the function returns, in the place
that it has in the library: >i an int, >p a handle or a size, >d a double. Several make a tuple.
size:>p is a result to which the program gives a value before.
"""

import ctypes
import functools
import inspect
import re
import struct

from tenorite import _core
from tenorite.cuda.device import Device
from tenorite.cuda.stream import get_current_stream

_RESULTS = {"i": ctypes.c_int, "p": ctypes.c_size_t, "d": ctypes.c_double}
_SETS = re.compile(r"\{(\w+(?:,\w+)*)\}")


def _variants(pattern):
    """The texts that a pattern stands for: one for each letter, or each word between commas, of its
    sets."""
    sets = [part.split(",") if "," in part else list(part) for part in _SETS.findall(pattern)]
    if not sets:
        return [pattern]
    return [_replaced(pattern, parts) for parts in zip(*sets, strict=True)]


def _replaced(pattern, parts):
    parts = iter(parts)
    return _SETS.sub(lambda _: next(parts), pattern)


def _real(kind, value):
    """A number as the words in which it is given by value."""
    if kind == "d":
        return (float(value),)
    if kind == "f":
        return struct.unpack("d", struct.pack("ff", float(value), 0.0))
    value = complex(value)
    if kind == "Z":
        return (value.real, value.imag)
    return struct.unpack("d", struct.pack("ff", value.real, value.imag))


def address_of(data):
    """The address of what ctypes holds, of bytes, or of a number that is one."""
    if isinstance(data, bytes):
        return ctypes.cast(data, ctypes.c_void_p).value
    return ctypes.addressof(data) if isinstance(data, (ctypes._SimpleCData, ctypes.Array, ctypes.Structure)) else data


@functools.lru_cache(None)
def symbol(library, name):
    """The address of a function of a library."""
    return _core._cuda_symbol(library, name)


@functools.lru_cache(None)
def _is_found(library, probe, first):
    """Whether a library is installed and has the function; `first` is one that it needs, and a
    function of that."""
    if not any(name == library and is_found for name, is_found, *_ in _core._cuda_libraries(False)):
        return False
    try:
        return bool((symbol(*first) if first else True) and symbol(library, probe))
    except (ImportError, NotImplementedError, RuntimeError):
        return False


class Library:
    """A library of CUDA whose functions return a status.

    `check` raises for a status that is no success. `begin(handle)` is called before functions that
    have a handle and a stream. `on_host` are functions that serve on the host, by name; `instead`
    says what a program does there without the others. With `probe`, the name of a function, they
    serve on a GPU, too, where the library is not installed; `first` is a library that it needs, and
    a function of that. `conversions` are functions of what a parameter's kind says.
    """

    def __init__(
        self,
        name,
        check,
        begin=None,
        on_host=None,
        instead="",
        needs_device=True,
        probe=None,
        first=None,
        conversions=None,
    ):
        self.name, self.check, self.begin, self.on_host = name, check, begin, on_host or {}
        self.instead, self.needs_device, self.conversions = instead, needs_device, conversions or {}
        self._probe, self._first = probe, first

    def is_found(self):
        """Whether the library of `probe` is installed."""
        return self._probe is None or _is_found(self.name, self._probe, self._first)

    def serves(self):
        """Whether functions are the library's on the current device, not those of `on_host`."""
        return Device().backend == "cuda" and self.is_found()

    def number_of(self, name):
        """What a function without parameters returns that reports no status, a version."""
        return _core._cuda_call(symbol(self.name, name), (), -1)

    def number(self, name):
        """The device that a function is called on, -1: none."""
        if not self.needs_device:
            return -1
        device = Device()
        if device.backend != "cuda":
            raise NotImplementedError(f"{self.name}.{name}: the current device is the host; {self.instead}")
        return device.id

    def call(self, name, *words):
        """Calls a function of the library by its own name, and checks what it returns."""
        self.call_on(self.number(name), name, words)

    def call_on(self, number, name, words):
        """The same on the device that `number` gave."""
        try:
            address = symbol(self.name, name)
        except NotImplementedError:
            raise NotImplementedError(f"the installed {self.name} has no function {name}") from None
        words = tuple([word if type(word) is int else address_of(word) for word in words])
        status = _core._cuda_call(address, words, number)
        if status:
            self.check(status & 0xFFFFFFFF)


def _read(parameters):
    """[(name, kind, default)] of a line's parameters; results have no name."""
    found = []
    for word in parameters.split():
        if word[0] in ">@":
            found.append((None, word[1:], None))
            continue
        name, _, default = word.partition("=")
        name, _, kind = name.partition(":")
        found.append((name, kind, int(default, 0) if default else inspect.Parameter.empty))
    return found


def _place(library, kind, value, words, kept):
    """Adds an argument to the words of a call."""
    if kind in library.conversions:
        words.append(library.conversions[kind](value))
    elif kind in ("s", "b"):
        data = value.encode() if isinstance(value, str) else bytes(value)
        kept.append(data)
        words.append(data)
    elif kind:
        words += _real(kind, value)
    else:
        words.append(value.__index__())


def _function(library, name, symbol_name, parameters, module):
    described = _read(parameters)
    signature = inspect.Signature(
        [
            inspect.Parameter(parameter, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
            for parameter, _, default in described
            if parameter
        ]
    )
    begins = library.begin if described and described[0][0] in ("handle", "generator") else None
    host, count = library.on_host.get(name), len(signature.parameters)
    is_plain = all(parameter and not kind for parameter, kind, _ in described)

    def function(*args, **kwargs):
        if kwargs or len(args) != count:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            args = tuple(bound.arguments.values())
        if host is not None and not library.serves():
            return host(*args)
        if is_plain:
            number = library.number(name)
            if begins:
                begins(args[0])
            return library.call_on(number, symbol_name, [word.__index__() for word in args])
        given, words, results, kept = iter(args), [], [], []
        for parameter, kind, _ in described:
            if parameter and not kind:
                words.append(next(given).__index__())
            elif kind == "stream":
                words.append(get_current_stream().ptr)
            elif parameter and kind[:1] != ">":
                _place(library, kind, next(given), words, kept)
            else:
                results.append(_RESULTS[kind[-1]](next(given) if parameter else 0))
                words.append(results[-1])
        number = library.number(name)
        if begins:
            begins(args[0])
        library.call_on(number, symbol_name, words)
        values = tuple(result.value for result in results)
        return values if len(values) > 1 else values[0] if values else None

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__signature__ = signature
    function.__doc__ = f"``{symbol_name}`` of {library.name}; addresses and handles are numbers."
    return function


def functions(library, table, module):
    """{name: function} of a table, for the module of a name."""
    found = {}
    for line in table.strip().splitlines():
        if not line.strip():
            continue
        names, symbols, parameters = (
            (part.strip() for part in line.split(": ", 2))
            if line.count(": ") > 1
            else (*(part.strip() for part in line.rstrip(": ").split(": ")), "")
        )
        for name, symbol_name in zip(_variants(names), _variants(symbols), strict=True):
            found[name] = _function(library, name, symbol_name, parameters, module)
    return found


def removed(library, table, module):
    """{name: function} of names that the library has no more, by lines of what does their work now
    and the names."""
    found = {}
    for line in table.strip().splitlines():
        instead, names = line.split(": ")
        for pattern in names.split():
            for name in _variants(pattern):
                found[name] = _removed_function(library, name, instead, module)
    return found


def _removed_function(library, name, instead, module):
    def function(*args):
        raise NotImplementedError(f"{library.name}.{name}: not there since CUDA 12; {instead} does its work")

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = f"Not in {library.name} since CUDA 12; ``{instead}`` does its work."
    return function
