# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

def repeat(func: _Callable[..., _Any], args: _Any = ..., kwargs: _Any = ..., n_repeat: _Any = ..., *, name: _Any = ..., n_warmup: _Any = ..., max_duration: _Any = ..., devices: _Any = ...) -> _Any: ...
