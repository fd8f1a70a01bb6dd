# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

class _Fetched:
    ResDesc: _Any
    ptr: _Any
    size: _Any
    def tobytes(self) -> _Any: ...
from tenorite.exceptions import CUDARuntimeError as CUDARuntimeError
class CUDAarray:
    def __init__(self, desc: _Any, width: _Index, height: _Index = ..., depth: _Index = ..., flags: _Index = ...) -> None: ...
    def copy_from(self, in_arr: _Any, stream: _Any = ...) -> _Any: ...
    def copy_to(self, out_arr: _Any, stream: _Any = ...) -> _Any: ...
    depth: _Any
    desc: _Any
    flags: _Any
    height: _Any
    ndim: _Any
    ptr: _Any
    width: _Any
class ChannelFormatDescriptor:
    def __init__(self, x: _Index, y: _Index, z: _Index, w: _Index, f: _Index) -> None: ...
    def get_channel_format(self) -> _Any: ...
    ptr: _Any
class ResourceDescriptor:
    def __init__(self, restype: _Index, cuArr: _Any = ..., arr: _Operand | None = ..., chDesc: _Any = ..., sizeInBytes: _Index = ..., width: _Index = ..., height: _Index = ..., pitchInBytes: _Index = ...) -> None: ...
    arr: _Any
    chDesc: _Any
    cuArr: _Any
    def get_resource_desc(self) -> _Any: ...
    ptr: _Any
class SurfaceObject(_Fetched):
    def __init__(self, ResDesc: _Any) -> None: ...
class TextureDescriptor:
    def __init__(self, addressModes: _Any = ..., filterMode: _Index = ..., readMode: _Index = ..., sRGB: _b.bool | _np.bool | None = ..., borderColors: _Any = ..., normalizedCoords: _b.bool | _np.bool | None = ..., maxAnisotropy: _Index | None = ...) -> None: ...
    def get_texture_desc(self) -> _Any: ...
    ptr: _Any
class TextureObject(_Fetched):
    def __init__(self, ResDesc: _Any, TexDesc: _Any) -> None: ...
    TexDesc: _Any
