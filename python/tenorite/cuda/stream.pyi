# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

from tenorite.cuda import Stream as Stream
from tenorite.cuda import Event as Event
class ExternalStream(Stream):
    def __init__(self, ptr: _Index, device_id: _Index = ...) -> None: ...
from tenorite.cuda import Stream as Stream
def get_current_stream(device_id: _Index | None = ...) -> Stream: ...
def get_elapsed_time(start_event: _Any, end_event: _Any) -> _b.float: ...
