"""CuPy's private names of ranges of indices. A slice has a start, a stop and a step from 1."""

import math

from tenorite.distributed.array import _index

__all__ = ["_extgcd", "_index_for_subslice", "_normalize_index", "_slice_intersection"]


def _extgcd(a, b):
    """(g, x): g is the greatest common divisor, and a x == g modulo b."""
    g = math.gcd(a, b)
    return g, pow(a // g, -1, b // g)


def _normalize_index(shape, idx):
    """An index as a slice for each axis."""
    return _index.slices(_index.normalized(idx, shape))


def _slice_intersection(a, b, length):
    """What two slices of an axis have in common; None: nothing."""
    found = _index.intersection((range(*a.indices(length)),), (range(*b.indices(length)),))
    return None if found is None else _index.slices(found)[0]


def _index_for_subslice(a, sub, length):
    """The slice of array[a] that is array[sub]."""
    return _index.inside((range(*sub.indices(length)),), (range(*a.indices(length)),))[0]
