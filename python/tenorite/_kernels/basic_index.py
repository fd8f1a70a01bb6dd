"""Keys that make views: integers, slices, newaxis, ellipsis, as graphs have them."""

import operator

import numpy

__all__ = ["items_of", "key_of", "numbers_of"]


def _number(value, is_scalar):
    """An integer; None: it is none. A stand-in's is asked for, so that the plan holds for it."""
    if isinstance(value, (bool, numpy.bool_)) or not (isinstance(value, (int, numpy.integer)) or is_scalar(value)):
        return None
    return operator.index(value)


def items_of(key, is_scalar):
    """The items of a key: integers, None, Ellipsis, and (start, stop, step) of slices. None: it is
    another key."""
    items = []
    for item in key if type(key) is tuple else (key,):
        if item is None or item is Ellipsis:
            items.append(item)
            continue
        if type(item) is slice:
            given = (item.start, item.stop, item.step)
            bounds = tuple([None if bound is None else _number(bound, is_scalar) for bound in given])
            if any(bound is None and value is not None for bound, value in zip(bounds, given)):
                return None
            items.append(bounds)
            continue
        number = _number(item, is_scalar)
        if number is None:
            return None
        items.append(number)
    return tuple(items)


def numbers_of(values, is_scalar):
    """Axes or sizes that are given as one tuple, list or integer, or one by one; None: others."""
    if len(values) == 1 and type(values[0]) in (tuple, list):
        (values,) = values
    numbers = tuple([_number(value, is_scalar) for value in values])
    return None if None in numbers else numbers


def key_of(items):
    """The key again, for an array."""
    return tuple([slice(*item) if type(item) is tuple else item for item in items])
