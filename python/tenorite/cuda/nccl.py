"""CuPy's NCCL. Nothing here uses NCCL yet, so it is not there."""

__all__ = ["available"]

available = False
