"""Names that NumPy 2 no longer has, or keeps elsewhere, and that CuPy's programs use."""

import ast
import sys

import numpy
from numpy.lib.npyio import DataSource as DataSource
from numpy.rec import format_parser as format_parser

from tenorite import _core
from tenorite._arguments import as_array, ndarray
from tenorite._numpy._documents import documented
from tenorite._numpy.calculus import trapezoid
from tenorite._numpy.logic import _Shadow

Inf = Infinity = PINF = infty = numpy.inf
NAN = NaN = numpy.nan
NINF, PZERO, NZERO = -numpy.inf, 0.0, -0.0
float_, complex_, cfloat, singlecomplex = numpy.float64, numpy.complex128, numpy.complex128, numpy.complex64
alltrue, sometrue, product, cumproduct = _core.all, _core.any, _core.prod, _core.cumprod
trapz = trapezoid


@documented
def asfarray(a, dtype=numpy.float64):
    """An array of a floating-point or complex dtype; other dtypes count as float64.

    Parameters
    ----------
    a : array_like
        The elements.

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


@documented
def byte_bounds(a):
    """The addresses of an array's first byte and of that after its last one.

    Returns
    -------
    tuple of two ints
        The first address, and the one after the last.

    Examples
    --------
    >>> import tenorite as cp
    >>> low, high = cp.byte_bounds(cp.arange(4))
    >>> high - low
    32
    """
    a = as_array(a)
    if not a.size:
        return a.data.ptr, a.data.ptr
    return numpy.lib.array_utils.byte_bounds(numpy.asarray(_Shadow(a)))


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


def find_common_type(array_types, scalar_types):
    """The dtype of array types; scalar types count only where their kind is a higher one.

    Parameters
    ----------
    array_types, scalar_types : sequence of dtypes

    Returns
    -------
    numpy.dtype
        None if both sequences are empty.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.find_common_type([tn.float32], [tn.int64, tn.float64])
    dtype('float32')
    """
    arrays, scalars = [numpy.dtype(one) for one in array_types], [numpy.dtype(one) for one in scalar_types]
    of_arrays = numpy.result_type(*arrays) if arrays else None
    of_scalars = numpy.result_type(*scalars) if scalars else None
    if of_arrays is None or of_scalars is None:
        return of_scalars if of_arrays is None else of_arrays
    ranks = [{"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}.get(one.kind, 4) for one in (of_arrays, of_scalars)]
    return of_scalars if ranks[1] > ranks[0] else of_arrays


def safe_eval(source):
    """The value of a literal of Python: numbers, texts, tuples, lists, dicts, bools, None.

    Parameters
    ----------
    source : str

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.safe_eval("[1, 2.5]")
    [1, 2.5]
    """
    return ast.literal_eval(source)


def disp(mesg, device=None, linefeed=True):
    """Writes a message to a file, or to the standard output.

    Parameters
    ----------
    mesg : str
    device : file, optional
        Anything with a ``write`` method.
    linefeed : bool, optional
        Whether a line feed follows.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.disp("done")
    done
    """
    device = sys.stdout if device is None else device
    device.write(f"{mesg}\n" if linefeed else f"{mesg}")
    device.flush()


def who(vardict=None):
    """Prints the arrays of a dictionary: name, shape, bytes and dtype.

    Parameters
    ----------
    vardict : dict, optional
        By default the global variables of the module that calls.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.who({"a": tn.zeros((2, 3))})
    Name            Shape            Bytes            Type
    ===========================================================
    <BLANKLINE>
    a               2 x 3            48               float64
    <BLANKLINE>
    Upper bound on total bytes  =       48
    """
    if vardict is None:
        vardict = sys._getframe(1).f_globals
    found = {name: one for name, one in vardict.items() if isinstance(one, (ndarray, numpy.ndarray))}
    if found:
        print(f"{'Name':15} {'Shape':16} {'Bytes':16} Type", "=" * 59, "", sep="\n")
    for name, one in found.items():
        print(f"{name:15} {' x '.join(map(str, one.shape)):16} {one.nbytes!s:16} {one.dtype.name}")
    print(f"\nUpper bound on total bytes  =       {sum(one.nbytes for one in found.values())}")


def set_string_function(f, repr=True):
    """Sets the function that makes the text of an array, for arrays of the host and of devices.

    Parameters
    ----------
    f : callable or None
        Gets the array as a numpy.ndarray; None is NumPy's own text again.
    repr : bool, optional
        Only True, the text of ``repr``, is supported; NumPy 2 has no other.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.set_string_function(lambda a: "an array")
    >>> tn.zeros(3)
    an array
    >>> tn.set_string_function(None)
    """
    if not repr:
        raise NotImplementedError("set_string_function(repr=False): NumPy 2 has no such hook")
    if f is not None and not callable(f):
        raise TypeError(f"set_string_function() takes a function or None, not {type(f)}")
    numpy.set_printoptions(override_repr=f)
