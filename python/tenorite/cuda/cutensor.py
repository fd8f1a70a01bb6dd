"""CuPy's cuTENSOR. Contractions here need no cuTENSOR, so it is not there."""

__all__ = ["available"]

available = False
