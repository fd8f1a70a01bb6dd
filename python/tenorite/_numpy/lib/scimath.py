"""NumPy's ``lib.scimath``: the functions of ``emath``."""

from tenorite.emath import arccos, arcsin, arctanh, log, log2, log10, logn, power, sqrt

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]
