# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

from tenorite.cuda import PinnedMemory as PinnedMemory
from tenorite.cuda import PinnedMemory as PinnedMemory
from tenorite.cuda import PinnedMemoryPointer as PinnedMemoryPointer
from tenorite.cuda import PinnedMemoryPool as PinnedMemoryPool
class PooledPinnedMemory(PinnedMemory):
    def __init__(self) -> None: ...
def alloc_pinned_memory(size: _Index) -> PinnedMemoryPointer: ...
def get_default_pinned_memory_pool() -> PinnedMemoryPool: ...
def is_memory_pinned(data: _Any) -> _b.bool: ...
def set_pinned_memory_allocator(allocator: _Callable[..., _Any] | None = ...) -> None: ...
