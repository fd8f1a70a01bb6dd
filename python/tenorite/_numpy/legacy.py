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
    """An array of a floating-point or complex dtype; other dtypes count as float64."""
    return _core.asarray(a, dtype=dtype if numpy.issubdtype(dtype, numpy.inexact) else numpy.float64)


def byte_bounds(a):
    """The addresses of an array's first byte and of that behind its last one."""
    return numpy.lib.array_utils.byte_bounds(numpy.asarray(_Shadow(as_array(a))))


def get_array_wrap(*args):
    """The __array_wrap__ of the argument with the highest priority that has one, else None."""
    found = [one for one in args if hasattr(one, "__array_wrap__")]
    return max(found, key=lambda one: getattr(one, "__array_priority__", 0)).__array_wrap__ if found else None


def issubclass_(arg1, arg2):
    """issubclass, but False for what is no class."""
    return isinstance(arg1, type) and issubclass(arg1, arg2)


def obj2sctype(rep, default=None):
    """The scalar type of a dtype, a type, or an object's dtype; `default` for others."""
    try:
        return numpy.dtype(rep if isinstance(rep, type) else getattr(rep, "dtype", rep)).type
    except TypeError:
        return default


def issctype(rep):
    """Whether something names a scalar type: a dtype or a scalar type, but not numpy.object_."""
    return isinstance(rep, (type, numpy.dtype)) and obj2sctype(rep) not in (None, numpy.object_)


def issubsctype(arg1, arg2):
    """Whether the scalar type of the first argument is a subclass of that of the second."""
    return numpy.issubdtype(obj2sctype(arg1), arg2)


def sctype2char(sctype):
    """The character code of a scalar type. ValueError for what is none."""
    found = obj2sctype(sctype)
    if found is None:
        raise ValueError("unrecognized type")
    return numpy.dtype(found).char
