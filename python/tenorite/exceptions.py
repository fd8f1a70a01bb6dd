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

from tenorite._exceptions import CompileException, CUDARuntimeError, OutOfMemoryError, PerformanceWarning

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
