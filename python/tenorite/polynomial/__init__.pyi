# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self

from tenorite import _DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray

from tenorite.polynomial.chebyshev import Chebyshev as Chebyshev
from tenorite.polynomial.hermite import Hermite as Hermite
from tenorite.polynomial.hermite_e import HermiteE as HermiteE
from tenorite.polynomial.laguerre import Laguerre as Laguerre
from tenorite.polynomial.legendre import Legendre as Legendre
from tenorite.polynomial.polynomial import Polynomial as Polynomial
from tenorite.polynomial import chebyshev as chebyshev
from tenorite.polynomial import hermite as hermite
from tenorite.polynomial import hermite_e as hermite_e
from tenorite.polynomial import laguerre as laguerre
from tenorite.polynomial import legendre as legendre
from tenorite.polynomial import polynomial as polynomial
from tenorite.polynomial import polyutils as polyutils
def set_default_printstyle(style: _Literal['ascii', 'unicode']) -> _Any: ...
