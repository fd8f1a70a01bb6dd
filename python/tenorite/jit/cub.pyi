# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

class _Operation:
    def __call__(self, *args: _Any, **kwargs: _Any) -> _Any: ...
BlockReduce: _Any
class Max(_Operation):
    def __init__(self) -> None: ...
    text: _Any
class Min(_Operation):
    def __init__(self) -> None: ...
    text: _Any
class Sum(_Operation):
    def __init__(self) -> None: ...
    text: _Any
WarpReduce: _Any
