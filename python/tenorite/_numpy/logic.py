"""Comparisons of whole arrays, and questions about them."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array, first_array, ndarray
from tenorite._numpy._documents import documented

# isclose and allclose take data of the host, as they do in CuPy.
_OF_HOST = (numpy.ndarray, list, tuple)


@documented
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Element by element, whether |a - b| <= atol + rtol * |b|: a bool array.

    Equal infinities are close, and NaN is close to NaN if `equal_nan`. rtol and atol may be arrays.

    Returns
    -------
    ndarray of bool
        For each pair.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.isclose(cp.array([1.0, 2.0]), cp.array([1.0, 2.1]))
    array([ True, False])
    """
    if type(a) is not ndarray and isinstance(a, _OF_HOST):
        a = _core.asarray(a)
    if type(b) is not ndarray and isinstance(b, _OF_HOST):
        b = _core.asarray(b)
    return (_core._isclose_nan if equal_nan else _core._isclose)(a, b, rtol, atol)


@documented
def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether isclose holds for all elements: a 0-d bool array.

    Returns
    -------
    ndarray
        A 0-d array of bool.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.allclose(cp.array([1.0]), cp.array([1.0 + 1e-9]))
    array(True)
    """
    return isclose(a, b, rtol, atol, equal_nan).all()


def _truth(value):
    return _core.asarray(value, dtype=bool)


@documented
def array_equal(a1, a2, equal_nan=False):
    """Whether two arrays have the same shape and equal elements: a 0-d bool array.

    With `equal_nan` NaN equals NaN.

    Returns
    -------
    ndarray
        A 0-d array of bool.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.array_equal(cp.array([1, 2]), cp.array([1, 2]))
    array(True)
    """
    a1, a2 = as_array(a1), as_array(a2)
    if a1.shape != a2.shape:
        return _truth(False)
    equal = _core.equal(a1, a2)
    if equal_nan and a1.dtype.kind in "fcMm" and a2.dtype.kind in "fcMm":
        equal |= _core.isnan(a1) & _core.isnan(a2)
    return equal.all()


@documented
def array_equiv(a1, a2):
    """Whether two arrays broadcast to one shape with equal elements: a 0-d bool array.

    Returns
    -------
    ndarray
        A 0-d array of bool.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.array_equiv(cp.array([1, 1]), cp.array(1))
    array(True)
    """
    a1, a2 = as_array(a1), as_array(a2)
    try:
        numpy.broadcast_shapes(a1.shape, a2.shape)
    except ValueError:
        return _truth(False)
    return _core.equal(a1, a2).all()


@documented
def iscomplexobj(x):
    """Whether an array's dtype, or a scalar, is complex, whatever its imaginary part.

    Returns
    -------
    bool
        Whether the dtype is complex.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.iscomplexobj(cp.array([1j]))
    True
    """
    if isinstance(x, (list, tuple)) and first_array(x) is not None:
        x = _core.asarray(x)
    return x.dtype.kind == "c" if isinstance(x, ndarray) else numpy.iscomplexobj(x)


@documented
def isrealobj(x):
    """Whether an array's dtype, or a scalar, is not complex.

    Returns
    -------
    bool
        Whether the dtype is not complex.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.isrealobj(cp.array([1j]))
    False
    """
    return not iscomplexobj(x)


def isscalar(element):
    """Whether an object is a scalar: a number, a text, a NumPy scalar. No array is.

    Parameters
    ----------
    element : object
        What is asked about.

    Returns
    -------
    bool
        False for arrays, also of no dimension.

    See Also
    --------
    tenorite.ndim : The number of axes.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.isscalar(3.1), cp.isscalar(cp.array(3.1)), cp.isscalar("text")
    (True, False, True)
    """
    return numpy.isscalar(element)


@documented
def isfortran(a):
    """Whether an array is contiguous in Fortran's order and not in C's.

    Returns
    -------
    bool
        Whether it is in order F and not in order C.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.isfortran(cp.ones((2, 3), order='F'))
    True
    """
    return a.flags.fnc


class _Shadow:
    """What makes NumPy see an array's place in memory; it is never read."""

    def __init__(self, a):
        self.__array_interface__ = {
            "version": 3,
            "typestr": f"|V{a.itemsize}",
            "shape": a.shape,
            "strides": a.strides,
            "data": (a.data.ptr, True),
        }


def _asked_of_numpy(question, a, b, max_work):
    if not _core._may_overlap(a, b):
        return False  # scalars have no memory, and devices share none
    if max_work == 0 or a._c_contiguous and b._c_contiguous:  # no more is asked; without gaps
        return True
    return question(numpy.asarray(_Shadow(a)), numpy.asarray(_Shadow(b)), max_work=max_work)


@documented
def may_share_memory(a, b, max_work=0):
    """Whether the memory that two arrays span overlaps: True is no proof that an element is
    shared.

    Returns
    -------
    bool
        Whether they do.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.arange(4)
    >>> cp.may_share_memory(a, a[2:])
    True
    """
    return _asked_of_numpy(numpy.may_share_memory, a, b, max_work)


@documented
def shares_memory(a, b, max_work=-1):
    """Whether two arrays have an element in common; numpy.exceptions.TooHardError past max_work.

    Returns
    -------
    bool
        Whether they do.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.arange(4)
    >>> cp.shares_memory(a[:2], a[2:])
    False
    """
    return _asked_of_numpy(numpy.shares_memory, a, b, max_work)
