"""NVRTC, the compiler of CUDA C++ text, under CuPy's names. It needs no GPU, and serves on the
host, too, where it is installed: ``pip install nvidia-cuda-nvrtc``."""

import ctypes as _ctypes

from tenorite.cuda._raw.tables import Library as _Library, functions as _functions

_STATUS = (
    "SUCCESS OUT_OF_MEMORY PROGRAM_CREATION_FAILURE INVALID_INPUT INVALID_PROGRAM INVALID_OPTION COMPILATION "
    "BUILTIN_OPERATION_FAILURE NO_NAME_EXPRESSIONS_AFTER_COMPILATION NO_LOWERED_NAMES_BEFORE_COMPILATION "
    "NAME_EXPRESSION_NOT_VALID INTERNAL_ERROR TIME_FILE_WRITE_FAILED"
).split()


class NVRTCError(RuntimeError):
    """NVRTC reported a failure; ``status`` is its number."""

    def __init__(self, status):
        self.status = status
        name = "NVRTC_ERROR_" + _STATUS[status] if 0 < status < len(_STATUS) else "NVRTC_ERROR unknown"
        super().__init__(f"{name} ({status})")

    def __reduce__(self):
        return type(self), (self.status,)


def check_status(status):
    """Raises NVRTCError for the number of a failure."""
    if status != 0:
        raise NVRTCError(status)


_library = _Library("nvrtc", check_status, needs_device=False)
_TABLE = """
getVersion: nvrtcVersion: >i >i
addNameExpression: nvrtcAddNameExpression: prog name:s
"""
globals().update(_functions(_library, _TABLE, __name__))


def _texts(values):
    """An array of addresses of texts."""
    return (_ctypes.c_char_p * max(len(values), 1))(*(one.encode() if isinstance(one, str) else one for one in values))


def createProgram(src, name, headers, include_names):
    """The handle of a new program of a text, with the texts of headers and their names."""
    handle = _ctypes.c_size_t()
    data, title = src.encode() + b"\0", name.encode() + b"\0"
    texts, names = _texts(headers), _texts(include_names)
    _library.call("nvrtcCreateProgram", handle, data, title, len(headers), texts, names)
    return handle.value


def destroyProgram(prog):
    """Ends createProgram()."""
    _library.call("nvrtcDestroyProgram", _ctypes.c_size_t(prog))


def compileProgram(prog, options):
    """Compiles a program with a sequence of options; getProgramLog() has what NVRTC says."""
    _library.call("nvrtcCompileProgram", prog, len(options), _texts(options))


def _bytes_of(what, prog):
    size = _ctypes.c_size_t()
    _library.call(f"nvrtcGet{what}Size", prog, size)
    if size.value == 0:
        return b""
    data = _ctypes.create_string_buffer(size.value)
    _library.call(f"nvrtcGet{what}", prog, data)
    return data.raw


def getPTX(prog):
    """The PTX of a compiled program, as bytes."""
    return _bytes_of("PTX", prog).rstrip(b"\0")


def getCUBIN(prog):
    """The image of a compiled program, as bytes; none unless it is for one architecture."""
    return _bytes_of("CUBIN", prog)


def getLTOIR(prog):
    """What a linker optimises of a program that was compiled with -dlto, as bytes."""
    return _bytes_of("LTOIR", prog)


def getProgramLog(prog):
    """What NVRTC said about a program."""
    return _bytes_of("ProgramLog", prog).rstrip(b"\0").decode(errors="replace")


def getLoweredName(prog, name):
    """The name in the image of a name expression."""
    found = _ctypes.c_char_p()
    _library.call("nvrtcGetLoweredName", prog, name.encode() + b"\0", found)
    return found.value.decode()


def getSupportedArchs():
    """The architectures that NVRTC compiles for, as [75, 80, 90]."""
    count = _ctypes.c_int()
    _library.call("nvrtcGetNumSupportedArchs", count)
    archs = (_ctypes.c_int * count.value)()
    _library.call("nvrtcGetSupportedArchs", archs)
    return list(archs)


__all__ = [
    "NVRTCError",
    "addNameExpression",
    "check_status",
    "compileProgram",
    "createProgram",
    "destroyProgram",
    "getCUBIN",
    "getLTOIR",
    "getLoweredName",
    "getPTX",
    "getProgramLog",
    "getSupportedArchs",
    "getVersion",
]
