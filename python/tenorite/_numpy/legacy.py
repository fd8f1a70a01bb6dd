"""Names that NumPy 2 no longer has, or keeps elsewhere, and that CuPy's programs use."""

import numpy
from numpy.lib.npyio import DataSource
from numpy.rec import format_parser

from tenorite import _core
from tenorite._arguments import as_array
from tenorite._numpy.logic import _Shadow
from tenorite._numpy.calculus import trapezoid

Inf = Infinity = PINF = infty = numpy.inf
NAN = NaN = numpy.nan
NINF, PZERO, NZERO = -numpy.inf, 0.0, -0.0
float_, complex_, cfloat, singlecomplex = numpy.float64, numpy.complex128, numpy.complex128, numpy.complex64
alltrue, sometrue, product, cumproduct = _core.all, _core.any, _core.prod, _core.cumprod
trapz = trapezoid


def asfarray(a, dtype=numpy.float64):
    """An array of a floating-point or complex dtype; other dtypes count as float64.

    Parameters
    ----------
    a : array_like
        The elements.
    dtype : dtype, optional
        Of the result; what NumPy would choose if it is None.

    Returns
    -------
    ndarray
        An array of floats.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.asfarray(cp.array([1, 2]))
    array([1., 2.])
    """
    return _core.asarray(a, dtype=dtype if numpy.issubdtype(dtype, numpy.inexact) else numpy.float64)


def byte_bounds(a):
    """The addresses of an array's first byte and of that behind its last one.

    Parameters
    ----------
    a : ndarray
        The elements.

    Returns
    -------
    tuple of two ints
        The first address, and the one behind the last.

    Examples
    --------
    >>> import tenorite as cp
    >>> low, high = cp.byte_bounds(cp.arange(4))
    >>> high - low
    32
    """
    return numpy.lib.array_utils.byte_bounds(numpy.asarray(_Shadow(as_array(a))))


def get_array_wrap(*args):
    """The __array_wrap__ of the argument with the highest priority that has one, else None.

    Parameters
    ----------
    *args : object
        The arguments.

    Returns
    -------
    callable or None
        ``__array_wrap__`` of the argument of the highest priority.

    Examples
    --------
    >>> import tenorite as cp
    >>> import numpy as np
    >>> cp.get_array_wrap(np.ones(2)) is not None
    True
    """
    found = [one for one in args if hasattr(one, "__array_wrap__")]
    return max(found, key=lambda one: getattr(one, "__array_priority__", 0)).__array_wrap__ if found else None


def issubclass_(arg1, arg2):
    """issubclass, but False for what is no class.

    Parameters
    ----------
    arg1 : type
        The class.
    arg2 : type
        The class above it.

    Returns
    -------
    bool
        Whether it is below; False for what is no class.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.issubclass_(cp.int32, cp.integer)
    True
    """
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def obj2sctype(rep, default=None):
    """The scalar type of a dtype, a type, or an object's dtype; `default` for others.

    Parameters
    ----------
    rep : object
        What may be a type of elements.
    default : object, optional
        What is given where there is none.

    Returns
    -------
    type
        The type of elements, or `default`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.obj2sctype(cp.array([1.5]))
    <class 'numpy.float64'>
    """
    try:
        return numpy.dtype(rep if isinstance(rep, type) else getattr(rep, "dtype", rep)).type
    except TypeError:
        return default


def issctype(rep):
    """Whether something names a scalar type: a dtype or a scalar type, but not numpy.object_.

    Parameters
    ----------
    rep : object
        What may be a type of elements.

    Returns
    -------
    bool
        Whether it is one.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.issctype(cp.float32)
    True
    """
    return isinstance(rep, (type, numpy.dtype)) and obj2sctype(rep) not in (None, numpy.object_)


def issubsctype(arg1, arg2):
    """Whether the scalar type of the first argument is a subclass of that of the second.

    Parameters
    ----------
    arg1 : type
        The class.
    arg2 : type
        The class above it.

    Returns
    -------
    bool
        Whether it is below.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.issubsctype(cp.int32, cp.integer)
    True
    """
    return numpy.issubdtype(obj2sctype(arg1), arg2)


def sctype2char(sctype):
    """The character code of a scalar type. ValueError for what is none.

    Parameters
    ----------
    sctype : object
        The type of elements.

    Returns
    -------
    str
        The character.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.sctype2char(cp.float32)
    'f'
    """
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError("unrecognized type")
    return numpy.dtype(found).char
