# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

atomic_add: _Any
atomic_and: _Any
atomic_cas: _Any
atomic_dec: _Any
atomic_exch: _Any
atomic_inc: _Any
atomic_max: _Any
atomic_min: _Any
atomic_or: _Any
atomic_sub: _Any
atomic_xor: _Any
blockDim: _Any
blockIdx: _Any
from tenorite.jit import cg as cg
from tenorite.jit import cub as cub
grid: _Any
gridDim: _Any
gridsize: _Any
laneid: _Any
local_memory: _Any
range: _Any
def rawkernel(*, mode: _Literal['cuda', 'numpy'] = ..., device: _b.bool | _np.bool = ...) -> _Callable[..., _Any]: ...
shared_memory: _Any
shfl_down_sync: _Any
shfl_sync: _Any
shfl_up_sync: _Any
shfl_xor_sync: _Any
syncthreads: _Any
syncwarp: _Any
threadIdx: _Any
from tenorite.jit import thrust as thrust
warpsize: _b.int
