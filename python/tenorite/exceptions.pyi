# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

from tenorite import AxisError as AxisError
class CUDARuntimeError(RuntimeError):
    def __init__(self, failure: _Any) -> None: ...
class CompileException(Exception):
    def __init__(self, msg: _Any = ..., source: _Any = ..., name: _Any = ..., options: _Any = ..., backend: _Any = ...) -> None: ...
    def dump(self, f: _Any) -> _Any: ...
    def get_message(self) -> _Any: ...
from tenorite import ComplexWarning as ComplexWarning
DTypePromotionError: _Any
from tenorite import ModuleDeprecationWarning as ModuleDeprecationWarning
class OutOfMemoryError(MemoryError):
    def __init__(self, message: _Any = ..., requested: _Any = ..., used: _Any = ..., cached: _Any = ..., limit: _Any = ...) -> None: ...
class PerformanceWarning(RuntimeWarning):
    def __init__(self, *args: _Any, **kwargs: _Any) -> None: ...
from tenorite import RankWarning as RankWarning
from tenorite import TooHardError as TooHardError
from tenorite import VisibleDeprecationWarning as VisibleDeprecationWarning
