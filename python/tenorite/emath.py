"""Functions whose results are complex where real ones do not exist: ``sqrt(-1)`` is ``1j``.

Whether an argument lies outside of the real domain is a question to the device, for whose answer
the call waits.
"""

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite._numpy._documents import documented

__all__ = ["arccos", "arcsin", "arctanh", "log", "log10", "log2", "logn", "power", "sqrt"]


def _as_complex(x):
    is_narrow = x.dtype.char in "fBbHh" or x.dtype.name == "bfloat16"
    return x.astype(numpy.complex64 if is_narrow else numpy.complex128)


def _where_outside(x, is_outside):
    """The array, complex if an element of a real one lies outside of the domain."""
    x = as_array_of(x)
    return _as_complex(x) if x.dtype.kind != "c" and bool(is_outside(x).any()) else x


def _negative(x):
    return x < 0


def _large(x):
    return _core.absolute(x) > 1


@beside
@documented
def sqrt(x):
    """The square root, complex if an element is negative.

    Examples
    --------
    >>> tenorite.emath.sqrt(tenorite.array([-1.0, 4.0]))
    array([0.+1.j, 2.+0.j])
    """
    return _core.sqrt(_where_outside(x, _negative))


@beside
@documented
def log(x):
    """The natural logarithm, complex if an element is negative.

    Examples
    --------
    >>> tenorite.emath.log(tenorite.array([-1.0]))
    array([0.+3.14159265j])
    """
    return _core.log(_where_outside(x, _negative))


@beside
@documented
def log10(x):
    """The logarithm to the base 10, complex if an element is negative.

    Examples
    --------
    >>> tenorite.emath.log10(tenorite.array([100.0]))
    array([2.])
    """
    return _core.log10(_where_outside(x, _negative))


@beside
@documented
def log2(x):
    """The logarithm to the base 2, complex if an element is negative.

    Examples
    --------
    >>> tenorite.emath.log2(tenorite.array([8.0]))
    array([3.])
    """
    return _core.log2(_where_outside(x, _negative))


@beside
@documented
def logn(n, x):
    """The logarithm of x to the base n, complex if an element of either is negative.

    Parameters
    ----------
    n : scalar or ndarray
        The base.

    Examples
    --------
    >>> tenorite.emath.logn(2, tenorite.array([8.0]))
    array([3.])
    """
    return _core.log(_where_outside(x, _negative)) / _core.log(_where_outside(n, _negative))


@beside
@documented
def power(x, p):
    """x to the power p, complex if an element of x is negative, floats if one of p is.

    Parameters
    ----------
    p : scalar or ndarray
        The exponents.

    Examples
    --------
    >>> tenorite.emath.power(tenorite.array([2, 4]), -2)
    array([0.25  , 0.0625])
    """
    x, p = _where_outside(x, _negative), as_array_of(p)
    if p.dtype.kind in "iu" and bool((p < 0).any()):
        p = p.astype(float)
    return _core.power(x, p)


@beside
@documented
def arccos(x):
    """The inverse cosine, complex if an element lies outside of -1 .. 1.

    Examples
    --------
    >>> tenorite.emath.arccos(tenorite.array([1.0]))
    array([0.])
    """
    return _core.arccos(_where_outside(x, _large))


@beside
@documented
def arcsin(x):
    """The inverse sine, complex if an element lies outside of -1 .. 1.

    Examples
    --------
    >>> tenorite.emath.arcsin(tenorite.array([0.0]))
    array([0.])
    """
    return _core.arcsin(_where_outside(x, _large))


@beside
@documented
def arctanh(x):
    """The inverse hyperbolic tangent, complex if an element lies outside of -1 .. 1.

    Examples
    --------
    >>> tenorite.emath.arctanh(tenorite.array([0.0]))
    array([0.])
    """
    return _core.arctanh(_where_outside(x, _large))
