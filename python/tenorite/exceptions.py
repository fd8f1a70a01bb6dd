"""The exceptions and warnings of Tenorite, and those of NumPy that it raises."""

from numpy.exceptions import (
    AxisError,
    ComplexWarning,
    DTypePromotionError,
    ModuleDeprecationWarning,
    RankWarning,
    TooHardError,
    VisibleDeprecationWarning,
)

from tenorite import _core

__all__ = [
    "AxisError",
    "CUDARuntimeError",
    "CompileException",
    "ComplexWarning",
    "DTypePromotionError",
    "ModuleDeprecationWarning",
    "OutOfMemoryError",
    "PerformanceWarning",
    "RankWarning",
    "TooHardError",
    "VisibleDeprecationWarning",
]


class OutOfMemoryError(MemoryError):
    """Device memory is out.

    Attributes (bytes): ``requested``, ``used`` (handed out by the pool), ``cached`` (held by the
    pool but free), ``limit`` (the pool's limit, 0 if none). Made from a message and these, or, as
    CuPy's, from three numbers: the bytes requested, those used, and the limit.
    """

    def __init__(self, message="", requested=0, used=0, cached=0, limit=0):
        if not isinstance(message, str):
            requested, used, limit = message, requested, used
            message = f"Out of memory allocating {requested} bytes (used: {used} bytes, limit: {limit or 'none'})"
        super().__init__(message)
        self.requested, self.used, self.cached, self.limit = requested, used, cached, limit

    def __reduce__(self):
        return type(self), (str(self), self.requested, self.used, self.cached, self.limit)


class CUDARuntimeError(RuntimeError):
    """A device's driver reported a failure.

    ``status`` is the runtime API's number of the error. Made from such a number, or from a message
    that begins with the error's name, as ``cudaErrorInvalidValue``.
    """

    def __init__(self, failure):
        if isinstance(failure, int):
            name, _, text = _core._cuda_error(failure)
            self.status, message = failure, f"{name}: {text}"
        else:
            self.status, message = _core._cuda_error_number(failure), failure
        super().__init__(message)


class NcclError(RuntimeError):
    """NCCL, or the host in its place, reported a failure.

    ``status`` is NCCL's number of it. Made from such a number, or from a message that begins with
    the failure's name, as ``NCCL_ERROR_INVALID_USAGE``.
    """

    _NAMES = {
        1: ("NCCL_ERROR_UNHANDLED_CUDA_ERROR", "unhandled cuda error"),
        2: ("NCCL_ERROR_SYSTEM_ERROR", "unhandled system error"),
        3: ("NCCL_ERROR_INTERNAL_ERROR", "internal error"),
        4: ("NCCL_ERROR_INVALID_ARGUMENT", "invalid argument"),
        5: ("NCCL_ERROR_INVALID_USAGE", "invalid usage"),
        6: ("NCCL_ERROR_REMOTE_ERROR", "remote process exited or there was a network error"),
        7: ("NCCL_ERROR_IN_PROGRESS", "NCCL operation in progress"),
    }

    def __init__(self, failure):
        if isinstance(failure, int):
            self.status, message = failure, ": ".join(self._NAMES.get(failure, ("NCCL_ERROR", f"result {failure}")))
        else:
            names = {name: status for status, (name, _) in self._NAMES.items()}
            self.status, message = names.get(failure.partition(":")[0], 3), failure
        super().__init__(message)


class UnsupportedDtypeError(TypeError, ValueError):
    """Arrays have no elements of a dtype: NumPy's kind of refusal and CuPy's in one."""


class CompileException(Exception):
    """The text of a kernel could not be compiled; the message has the compiler's words.

    Attributes: ``source`` (the text), ``name`` (of the kernel), ``options``, ``backend``.
    """

    def __init__(self, msg="", source=None, name="", options=(), backend="nvrtc"):
        super().__init__(msg)
        self._msg, self.source, self.name, self.options, self.backend = msg, source, name, options, backend

    def __str__(self):
        words = super().__str__()
        return f"kernel {self.name}: {words}" if self.name and self.name not in words else words

    def __reduce__(self):
        return type(self), (self._msg, self.source, self.name, self.options, self.backend)

    def get_message(self):
        """The compiler's words.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.exceptions.CompileException("';' expected").get_message()
        "';' expected"
        """
        return super().__str__()

    def dump(self, f):
        """Writes the source with numbers of its lines, and the compiler's words, to a file.

        Examples
        --------
        >>> import tenorite as cp
        >>> import io
        >>> error = cp.exceptions.CompileException("';' expected", "int i", "kernel.cu")
        >>> text = io.StringIO()
        >>> error.dump(text)
        >>> text.getvalue().splitlines()[0]
        "NVRTC compilation error: ';' expected"
        """
        lines = (self.source or "").splitlines()
        f.write(f"{self.backend.upper()} compilation error: {self.get_message()}\n-----\nName: {self.name}\n")
        f.write(f"Options: {' '.join(self.options)}\nSource:\n")
        f.writelines(f"{number:0{len(str(len(lines)))}d} {line}\n" for number, line in enumerate(lines, 1))
        f.write("-----\n")
        f.flush()


class DeviceSynchronized(RuntimeError):
    """Something waits for a device where `allow_synchronize` forbids it.

    Parameters
    ----------
    message : str, optional
        What it says.

    Examples
    --------
    >>> import tenorite as cp
    >>> issubclass(cp.x.DeviceSynchronized, RuntimeError)
    True
    """

    def __init__(self, message="Device synchronization was detected while disallowed."):
        super().__init__(message)


class PerformanceWarning(RuntimeWarning):
    """Something works, but slower than it could."""
