"""Mathematical functions around the operations in C: rounding, limits, parts of complex numbers."""

import functools
import importlib
import operator

import numpy

from tenorite import _core
from tenorite._arguments import ABSENT, as_array, as_array_of, is_left_to_numpy, ndarray


def round(a, decimals=0, out=None):
    """Elements rounded to a number of decimals; halves go to the even neighbour.

    decimals may be negative: tens, hundreds. Integers stay as they are then, or are rounded in
    float64; booleans become float16 (and TypeError with decimals). out: an array of the same shape.
    TypeError if its dtype can't hold the result.

    Parameters
    ----------
    a : ndarray
        The elements.
    decimals : int, optional
        The number of decimal places; negative ones are left of the point.
    out : ndarray, optional
        An array of the result's shape that is written and returned.

    Returns
    -------
    ndarray
        A new array, or `out`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.around(cp.array([1.25, 2.5]), 1)
    array([1.2, 2.5])
    """
    if type(a) is not ndarray or type(decimals) is not int:
        if is_left_to_numpy("round", a):
            return a.round(decimals, out)
        a, decimals = as_array_of(a), operator.index(decimals)
    kind = a.dtype.kind
    if not decimals and kind not in "iu":
        return _core.rint(a, out=out)
    if kind in "iu":
        if decimals >= 0:
            if out is None:
                return a.copy("K")
            out[...] = a
            return out
        if out is None:
            return round(a.astype(float), decimals).astype(a.dtype)
        a = a.astype(float)
    elif kind == "b":
        raise TypeError("booleans can only be rounded to 0 decimals")
    if decimals > 0:
        return _core._round_decimals(a, 10.0**decimals if decimals < 309 else numpy.inf, out=out)
    return _core._round_powers(a, 10.0**-decimals if decimals > -309 else numpy.inf, out=out)


around = round_ = round


def fix(x, out=None):
    """Elements rounded towards zero; integers stay as they are.

    Parameters
    ----------
    x : ndarray
        The elements.
    out : ndarray, optional
        An array of the result's shape that is written and returned.

    Returns
    -------
    ndarray
        A new array, or `out`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.fix(cp.array([1.7, -1.7]))
    array([ 1., -1.])
    """
    return _core.trunc(x, out=out)


def clip(a, a_min=ABSENT, a_max=ABSENT, out=None, *, min=ABSENT, max=ABSENT, **options):
    """Elements limited to an interval, whose ends broadcast with the array; None is no limit.

    The limits are `a_min` and `a_max`, or `min` and `max`. options: where, dtype, casting, order.

    Parameters
    ----------
    a : ndarray
        The elements.
    a_min : scalar or ndarray, optional
        The lower limit.
    a_max : scalar or ndarray, optional
        The upper limit.
    out : ndarray, optional
        An array of the result's shape that is written and returned.
    min : scalar or ndarray, optional
        The lower limit.
    max : scalar or ndarray, optional
        The upper limit.
    **options : dict
        where, dtype, casting and order, as ufuncs take them.

    Returns
    -------
    ndarray
        A new array, or `out`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.clip(cp.array([1, 5, 9]), 2, 6)
    array([2, 5, 6])
    """
    if a_min is ABSENT and a_max is ABSENT:
        a_min = None if min is ABSENT else min
        a_max = None if max is ABSENT else max
    elif a_min is ABSENT or a_max is ABSENT:
        missing = "a_min" if a_min is ABSENT else "a_max"
        raise TypeError(f"clip() missing 1 required positional argument: '{missing}'")
    elif min is not ABSENT or max is not ABSENT:
        raise ValueError("Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is forbidden.")
    if not isinstance(a, ndarray):
        if is_left_to_numpy("clip", a):
            return a.clip(a_min, a_max, out=out, **options)
        a = as_array(a)
    if a.dtype.kind in "iu":  # a limit that no element can pass need not fit the dtype
        limits = numpy.iinfo(a.dtype)
        a_min = None if type(a_min) is int and a_min <= limits.min else a_min
        a_max = None if type(a_max) is int and a_max >= limits.max else a_max
    if a_min is None and a_max is None:
        return _core.positive(a, out=out, **options)
    if a_min is None:
        return _core.minimum(a, a_max, out=out, **options)
    if a_max is None:
        return _core.maximum(a, a_min, out=out, **options)
    return _core._clip(a, a_min, a_max, out=out, **options)


@functools.cache
def _largest(dtype):
    return float(importlib.import_module("tenorite._numpy.dtypes").finfo(dtype).max)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Elements with NaN replaced by `nan` and infinities by `posinf` and `neginf`.

    None stands for the largest and smallest finite value of the dtype. copy=False writes into x.
    Integers stay as they are.

    Parameters
    ----------
    x : ndarray
        The elements.
    copy : bool, optional
        Whether the result is a new array.
    nan : scalar, optional
        What takes the place of NaN.
    posinf : scalar, optional
        What takes the place of inf; the largest number if it is None.
    neginf : scalar, optional
        What takes the place of -inf; the least number if it is None.

    Returns
    -------
    ndarray
        A new array, or `x` itself if `copy` is False.

    Notes
    -----
    Differs from NumPy: `nan`, `posinf` and `neginf` may be arrays of the device, which promote.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.nan_to_num(cp.array([1.0, cp.nan]))
    array([1., 0.])
    """
    x = as_array(x)
    if x.dtype.kind in "biu":
        return x.copy("K") if copy else x
    largest = _largest(x.dtype)
    posinf = largest if posinf is None else posinf
    neginf = -largest if neginf is None else neginf
    for value in (nan, posinf, neginf):
        if isinstance(value, ndarray) and numpy.broadcast_shapes(value.shape, x.shape) != x.shape:
            raise ValueError(f"could not broadcast input array from shape {value.shape} into shape {x.shape}")
    return _core._nan_to_num(x, nan, posinf, neginf, out=None if copy else x)


def real(val):
    """The real part: a view of a complex array, any other array itself.

    Parameters
    ----------
    val : ndarray
        The elements.

    Returns
    -------
    ndarray
        A view of a complex array, else the array itself.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.real(cp.array([1 + 2j]))
    array([1.])
    """
    return as_array_of(val).real


def imag(val):
    """The imaginary part: a view of a complex array, zeros for any other.

    Parameters
    ----------
    val : ndarray
        The elements.

    Returns
    -------
    ndarray
        A view of a complex array, else zeros.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.imag(cp.array([1 + 2j]))
    array([2.])
    """
    return as_array_of(val).imag


def real_if_close(a, tol=100):
    """The real part of a complex array if all imaginary parts are nearly zero, else the array.

    tol: the limit in machine epsilons, or itself if it is below 1. Waits for the answer.

    Parameters
    ----------
    a : ndarray
        The elements.
    tol : float, optional
        How many rounding errors are tiny; an absolute number if it is at most 1.

    Returns
    -------
    ndarray
        The real part where all imaginary ones are tiny, else the array.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.real_if_close(cp.array([1 + 0j]))
    array([1.])
    """
    a = as_array(a)
    if a.dtype.kind != "c":
        return a
    if tol > 1:
        tol *= float(numpy.finfo(a.dtype).eps)
    return a.real if bool((_core.absolute(a.imag) < tol).all()) else a


def angle(z, deg=False):
    """The angle of complex numbers in the plane, in radians, or in degrees if `deg`.

    Parameters
    ----------
    z : ndarray
        The elements.
    deg : bool, optional
        Whether the angle is in degrees.

    Returns
    -------
    ndarray
        A new array.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.angle(cp.array([1j, -1 + 0j]))
    array([1.57079633, 3.14159265])
    """
    if isinstance(z, (bool, numpy.bool)) or (isinstance(z, ndarray) and z.dtype.kind == "b"):
        z = _core.asarray(z, dtype=float)
    result = _core._angle(z)
    if deg:
        result *= 180 / numpy.pi
    return result
