# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

from tenorite.cuda.memory_hook import MemoryHook as MemoryHook
class DebugPrintHook(MemoryHook):
    def __init__(self, file: _Any = ..., flush: _b.bool | _np.bool = ...) -> None: ...
    def alloc_postprocess(self, **kwargs: _Any) -> _Any: ...
    def free_postprocess(self, **kwargs: _Any) -> _Any: ...
    def malloc_postprocess(self, **kwargs: _Any) -> _Any: ...
    name: _Any
from tenorite.cuda.memory_hook import MemoryHook as MemoryHook
