"""Mathematical functions around the operations in C: rounding, limits, parts of complex numbers."""

import functools
import operator

import numpy

from tenorite import _core
from tenorite._arguments import ABSENT, as_array, ndarray


def round(a, decimals=0, out=None):
    """Elements rounded to a number of decimals; halves go to the even neighbour.

    decimals may be negative: tens, hundreds. Integers stay as they are then, or are rounded in
    float64; booleans become float16 (and TypeError with decimals). out: an array of the same shape.
    TypeError if its dtype can't hold the result.
    """
    a, decimals = as_array(a), operator.index(decimals)
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
    """Elements rounded towards zero; integers stay as they are."""
    return _core.trunc(x, out=out)


def clip(a, a_min=ABSENT, a_max=ABSENT, out=None, *, min=ABSENT, max=ABSENT, **options):
    """Elements limited to an interval, whose ends broadcast with the array; None is no limit.

    The limits are `a_min` and `a_max`, or `min` and `max`. options: where, dtype, casting, order.
    """
    if a_min is ABSENT and a_max is ABSENT:
        a_min = None if min is ABSENT else min
        a_max = None if max is ABSENT else max
    elif a_min is ABSENT or a_max is ABSENT:
        missing = "a_min" if a_min is ABSENT else "a_max"
        raise TypeError(f"clip() missing 1 required positional argument: '{missing}'")
    elif min is not ABSENT or max is not ABSENT:
        raise ValueError(
            "Passing `min` or `max` keyword argument when `a_min` and `a_max` are provided is "
            "forbidden."
        )
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
    from tenorite._numpy.dtypes import finfo

    return float(finfo(dtype).max)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Elements with NaN replaced by `nan` and infinities by `posinf` and `neginf`.

    None stands for the largest and smallest finite value of the dtype. copy=False writes into x.
    Integers stay as they are.
    """
    x = as_array(x)
    if x.dtype.kind in "biu":
        return x.copy("K") if copy else x
    largest = _largest(x.dtype)
    posinf = largest if posinf is None else posinf
    neginf = -largest if neginf is None else neginf
    return _core._nan_to_num(x, nan, posinf, neginf, out=None if copy else x)


def real(val):
    """The real part: a view of a complex array, any other array itself."""
    return as_array(val).real


def imag(val):
    """The imaginary part: a view of a complex array, zeros for any other."""
    return as_array(val).imag


def real_if_close(a, tol=100):
    """The real part of a complex array if all imaginary parts are nearly zero, else the array.

    tol: the limit in machine epsilons, or itself if it is below 1. Waits for the answer.
    """
    a = as_array(a)
    if a.dtype.kind != "c":
        return a
    if tol > 1:
        tol *= float(numpy.finfo(a.dtype).eps)
    return a.real if bool((_core.absolute(a.imag) < tol).all()) else a


def angle(z, deg=False):
    """The angle of complex numbers in the plane, in radians, or in degrees if `deg`."""
    if isinstance(z, ndarray) and z.dtype.kind == "b":
        z = z.astype(float)
    result = _core._angle(z)
    if deg:
        result *= 180 / numpy.pi
    return result
