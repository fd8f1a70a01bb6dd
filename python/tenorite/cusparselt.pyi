# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

class Compressed:
    def __init__(self, shape: _Any, values: _Operand, places: _Operand) -> None: ...
    dtype: _Any
    nbytes: _Any
    def toarray(self) -> ndarray[_Any]: ...
def compress(a: _Operand) -> Compressed: ...
def is_pruned(a: _Operand) -> _b.bool: ...
def matmul(a: _Any, b: _Operand, out: _Operand | None = ...) -> ndarray[_Any]: ...
def prune(a: _Operand, algorithm: _Any = ...) -> ndarray[_Any]: ...
