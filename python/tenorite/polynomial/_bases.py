"""The six bases of polynomials as data: what the functions of every module are made from.

A basis P_0 = 1, P_1, ... is known by its products with the variable,
``x P_j = up(j) P_(j+1) + here(j) P_j + down(j) P_(j-1)`` (DLMF 18.9.1 with table 18.9.1), by its
derivatives (DLMF 18.9.15 to 18.9.28) and by its integrals. Products, quotients, conversions,
values, companion matrices, Gauss's nodes and weights follow from the first of these for all bases
alike.
"""

import dataclasses
import functools
import math
from collections.abc import Callable

import numpy

from tenorite import _core


def _constant(value):
    return lambda j: 0.0 * j + value


def _zero(j):
    return 0.0 * j


def _same(j):
    return 1.0 * j


def _next_of_legendre(x, b, c, s, t):
    xb = x * b
    return xb + xb - s * xb - (c - t * c)


def _next_of_laguerre(x, b, c, s, t):
    return b + b - s * (b + x * b) - (c - t * c)


def _next_of_hermite(x, b, c, k, after):
    made = x * b - after * c
    return made + made


@dataclasses.dataclass(frozen=True)
class Basis:
    """One basis. The functions of j take ints and arrays of NumPy's."""

    module: str
    prefix: str
    kind: str  # the name of the class
    words: str  # what it is called in texts
    letter: str | None  # in what a class shows of itself
    x: tuple  # the series of x
    domain: tuple
    up: Callable
    here: Callable
    down: Callable
    # The derivative: the coefficient of P_(j-1) is slope(j) (d_j + d_(j+stride) + ...), of d_j
    # alone where the stride is 0; d_j is inner(j) c_j, or c_j.
    slope: Callable
    stride: int
    # The integral of P_j: lifted(j) P_(j+1) + kept(j) P_j - lowered(j) P_(j-1); lowered is not
    # asked for j below 2, where it gives a constant.
    lifted: Callable
    kept: Callable | None = None
    inner: Callable | None = None
    lowered: Callable | None = None
    # Clenshaw's recurrence in few operands: next(x, b_(k+1), b_(k+2), number(k), number(k + 1)) is
    # what b_k is beside its coefficient. Powers and Chebyshev's need no numbers.
    next: Callable | None = None
    number: Callable = lambda k: 1 / (k + 1)
    weight: Callable | None = None
    total: float = 0.0  # the integral of the weight
    most: int | None = 16  # the highest power that is allowed

    def step(self, j):
        """(A, B, C) of ``P_(j+1) = (A x + B) P_j - C P_(j-1)``."""
        return _step(self, j)

    @property
    def is_power(self):
        """Whether these are the powers of x."""
        return self.prefix == "poly"

    @property
    def has_products(self):
        """Whether these are Chebyshev's polynomials, whose products are sums of two of them."""
        return self.prefix == "cheb"

    @property
    def is_shifted(self):
        """Whether any B of the steps is not 0."""
        return bool(self.here(1))

    def __hash__(self):
        return hash(self.prefix)


@functools.cache
def _step(basis, j):
    up = float(basis.up(j))
    return 1 / up, -float(basis.here(j)) / up, float(basis.down(j)) / up


POWER = Basis(
    "polynomial",
    "poly",
    "Polynomial",
    "power",
    None,
    (0, 1),
    (-1.0, 1.0),
    up=_constant(1.0),
    here=_zero,
    down=_zero,
    slope=_same,
    stride=0,
    lifted=lambda j: 1 / (j + 1),
    most=None,
)
CHEBYSHEV = Basis(
    "chebyshev",
    "cheb",
    "Chebyshev",
    "Chebyshev",
    "T",
    (0, 1),
    (-1.0, 1.0),
    up=lambda j: 0.5 + 0.5 * (j == 0),
    here=_zero,
    down=lambda j: 0.5 * (j > 0),
    slope=lambda j: 2.0 - (j == 1),
    stride=2,
    inner=_same,
    lifted=lambda j: 1 / (2.0 * (j + 1) - (j == 0)),
    lowered=lambda j: 1 / (2.0 * (j - 1)),
    weight=lambda x: 1.0 / (_core.sqrt(1.0 + x) * _core.sqrt(1.0 - x)),
    total=math.pi,
)
LEGENDRE = Basis(
    "legendre",
    "leg",
    "Legendre",
    "Legendre",
    "P",
    (0, 1),
    (-1.0, 1.0),
    up=lambda j: (j + 1) / (2.0 * j + 1),
    here=_zero,
    down=lambda j: j / (2.0 * j + 1),
    slope=lambda j: 2.0 * j - 1,
    stride=2,
    lifted=lambda j: 1 / (2.0 * j + 1),
    lowered=lambda j: 1 / (2.0 * j + 1),
    next=_next_of_legendre,
    weight=lambda x: x * 0.0 + 1.0,
    total=2.0,
)
LAGUERRE = Basis(
    "laguerre",
    "lag",
    "Laguerre",
    "Laguerre",
    "L",
    (1, -1),
    (0.0, 1.0),
    up=lambda j: -(j + 1.0),
    here=lambda j: 2.0 * j + 1,
    down=lambda j: -1.0 * j,
    slope=_constant(-1.0),
    stride=1,
    lifted=_constant(-1.0),
    kept=_constant(1.0),
    next=_next_of_laguerre,
    weight=lambda x: _core.exp(-x),
    total=1.0,
)
HERMITE = Basis(
    "hermite",
    "herm",
    "Hermite",
    "Hermite",
    "H",
    (0, 0.5),
    (-1.0, 1.0),
    up=_constant(0.5),
    here=_zero,
    down=_same,
    slope=lambda j: 2.0 * j,
    stride=0,
    lifted=lambda j: 1 / (2.0 * (j + 1)),
    next=_next_of_hermite,
    number=float,
    weight=lambda x: _core.exp(-(x**2)),
    total=math.sqrt(math.pi),
)
HERMITE_E = Basis(
    "hermite_e",
    "herme",
    "HermiteE",
    "Hermite_e",
    "He",
    (0, 1),
    (-1.0, 1.0),
    up=_constant(1.0),
    here=_zero,
    down=_same,
    slope=_same,
    stride=0,
    lifted=lambda j: 1 / (j + 1.0),
    next=lambda x, b, c, k, after: x * b - after * c,
    number=float,
    weight=lambda x: _core.exp(-0.5 * x**2),
    total=math.sqrt(2 * math.pi),
)


def factors(rule, first, count, dtype):
    """The values of a function of j from `first` on, as an array of a dtype on the device."""
    return _core.asarray(rule(numpy.arange(first, first + count, dtype=float)).astype(dtype))
