"""CuPy's Thrust. Sorts here need no Thrust, so it is not there."""

__all__ = ["available"]

available = False
