"""Functional programming: functions of the program, called with parts of an array."""

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tenorite import _core
from tenorite._arguments import as_array, as_array_of, beside, is_scalar, ndarray
from tenorite._numpy._documents import documented
from tenorite._numpy.rearranging import moveaxis


@beside
@documented
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """What a function makes of each 1-d slice along an axis, in the slice's place.

    func1d gets a vector and gives a scalar or an array, of one shape and dtype each time.
    ValueError for an array without elements.

    Parameters
    ----------
    func1d : callable
        Called with a one-dimensional array; it gives an array or a number.
    axis : int, optional
        The axis that the function works along.
    *args : object
        Given to the function.
    **kwargs : object
        Given to the function.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.apply_along_axis(lambda row: row.sum(), 1, cp.array([[1, 2], [3, 4]]))
    array([3, 7])
    """
    arr = as_array(arr)
    axis = normalize_axis_index(axis, arr.ndim)
    rows = moveaxis(arr, axis, -1)
    places = list(numpy.ndindex(*rows.shape[:-1]))
    if not places:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    made = [as_array_of(func1d(rows[place], *args, **kwargs)) for place in places]
    result = _core.stack(made).reshape(rows.shape[:-1] + made[0].shape)
    lead = len(rows.shape) - 1
    order = list(range(lead))
    order[axis:axis] = range(lead, result.ndim)
    return result.transpose(order)


@documented
def apply_over_axes(func, a, axes):
    """func(a, axis) for each axis in turn; what has one axis less gets one of size 1 for it.

    Parameters
    ----------
    func : callable
        Called with an array and an axis.
    axes : sequence of ints
        The axes, one after the other.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.apply_over_axes(cp.sum, cp.array([[1, 2], [3, 4]]), [0, 1])
    array([[10]])
    """
    a = as_array(a)
    for axis in (axes,) if isinstance(axes, int) else axes:
        axis = normalize_axis_index(axis, a.ndim)
        result = func(a, axis)
        if result.ndim != a.ndim:
            result = result.reshape(result.shape[:axis] + (1,) + result.shape[axis:])
            if result.ndim != a.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        a = result
    return a


@beside
@documented
def piecewise(x, condlist, funclist, *args, **kw):
    """Where a condition is true, what its function makes of those elements (or its scalar), else 0.

    One function more than conditions: it is for the rest. ValueError for another number of
    functions.

    Parameters
    ----------
    condlist : sequence of ndarrays of bool
        The conditions, the first true one counts.
    funclist : sequence of callables or scalars
        What gives the values where a condition is true; one more is for the rest.
    *args : object
        Given to the functions.
    **kw : dict
        Given to the functions.

    Examples
    --------
    >>> import tenorite as cp
    >>> x = cp.array([-1., 2.])
    >>> cp.piecewise(x, [x < 0], [0, lambda x: x * 10])
    array([ 0., 20.])
    """
    x = as_array(x)
    if isinstance(condlist, ndarray) and condlist.ndim == 0:
        condlist = [condlist]
    elif is_scalar(condlist) or x.ndim and is_scalar(condlist[0]):
        condlist = [_core.asarray(condlist)]
    elif isinstance(condlist, ndarray) and condlist.ndim == 1 and x.ndim:
        condlist = [condlist]
    conditions = [as_array(one).astype(bool, copy=False) for one in condlist]
    if len(funclist) == len(conditions) + 1:
        rest = ~conditions[0]
        for one in conditions[1:]:
            rest &= ~one
        conditions.append(rest)
    elif len(funclist) != len(conditions):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    result = _core.zeros_like(x)
    for condition, function in zip(conditions, funclist):
        if not callable(function):
            result[condition] = function
        elif (chosen := x[condition]).size:
            result[condition] = function(chosen, *args, **kw)
    return result
