"""The exceptions that NumPy does not have."""


class OutOfMemoryError(MemoryError):
    """Device memory is out.

    Attributes (bytes): ``requested``, ``used`` (handed out by the pool), ``cached`` (held by the pool
    but free), ``limit`` (the pool's limit, 0 if none).
    """

    def __init__(self, message='', requested=0, used=0, cached=0, limit=0):
        super().__init__(message)
        self.requested, self.used, self.cached, self.limit = requested, used, cached, limit

    def __reduce__(self):
        return type(self), (str(self), self.requested, self.used, self.cached, self.limit)


class CUDARuntimeError(RuntimeError):
    """A device's driver reported a failure."""


class PerformanceWarning(RuntimeWarning):
    """Something works, but slower than it could."""
