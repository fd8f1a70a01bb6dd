# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

from tenorite.scipy import fft as fft
from tenorite.scipy import fftpack as fftpack
def get_array_module(*args: _Any) -> _Any: ...
from tenorite.scipy import interpolate as interpolate
from tenorite.scipy import linalg as linalg
from tenorite.scipy import ndimage as ndimage
from tenorite.scipy import signal as signal
from tenorite.scipy import sparse as sparse
from tenorite.scipy import spatial as spatial
from tenorite.scipy import special as special
from tenorite.scipy import stats as stats
