"""Arrays put together: from nested lists of blocks, by r_[...], to requirements."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside, is_scalar, ndarray
from tenorite._numpy.grids import _range_of
from tenorite._numpy.manipulation import broadcast_to

__all__ = ["asarray_chkfinite", "block", "broadcast", "c_", "r_", "require", "row_stack"]

row_stack = _core.vstack


# --- Blocks ---


def _depth(arrays, place=()):
    """How deep the lists are nested: everywhere the same, and none empty."""
    if not isinstance(arrays, list):
        if isinstance(arrays, tuple):
            raise TypeError(
                f"arrays{''.join(f'[{k}]' for k in place)} is a tuple. Only lists can be used to arrange "
                "blocks, and np.block does not allow implicit conversion from tuple to ndarray."
            )
        return 0
    if not arrays:
        raise ValueError(f"List at arrays{''.join(f'[{k}]' for k in place)} cannot be empty")
    depths = {_depth(one, (*place, k)) for k, one in enumerate(arrays)}
    if len(depths) > 1:
        raise ValueError("List depths are mismatched: all blocks must be nested equally deep")
    return depths.pop() + 1


@beside
def block(arrays):
    """One array of nested lists of blocks: the innermost are joined along the last axis, and so outwards.

    ValueError for empty lists, lists of different depths and sizes that do not fit; TypeError for tuples.
    """
    depth = _depth(arrays)

    def leaves(part):
        return [leaf for one in part for leaf in leaves(one)] if isinstance(part, list) else [as_array(part)]

    ndim = max([depth, *(leaf.ndim for leaf in leaves(arrays))])

    def join(part, level):
        if not isinstance(part, list):
            part = as_array(part)
            return part.reshape((1,) * (ndim - part.ndim) + part.shape)
        return _core.concatenate([join(one, level - 1) for one in part], axis=-level)

    made = join(arrays, depth)
    return made if depth else made.copy()


# --- r_ and c_ ---


class _Joiner:
    """r_[0:3, 7, a]: ranges, scalars and arrays joined along the first axis; c_ joins columns.

    A first item "axis,ndim,place" says along which axis, with how many axes at least, and at which place
    an array's own axes then stand ("r" and "c" are not made: there is no matrix).
    """

    def __init__(self, axis, ndim=1, place=-1):
        self._settings = axis, ndim, place

    def __len__(self):
        return 0

    @beside
    def __getitem__(self, key):
        (axis, ndim, place), key = self._settings, key if isinstance(key, tuple) else (key,)
        if key and isinstance(key[0], str):
            if key[0] in ("r", "c"):
                raise NotImplementedError("r_ and c_ make no matrices")
            try:
                settings = [int(part) for part in key[0].split(",")]
            except ValueError as e:
                raise ValueError(f"unknown special directive {key[0]!r}") from e
            (axis, ndim, place), key = [*settings, *(axis, ndim, place)[len(settings):]], key[1:]
        parts = [_range_of(one) if isinstance(one, slice) else one if is_scalar(one) else _core.asarray(one)
                 for one in key]  # fmt: skip
        dtype = _core._result_type(*parts)
        parts = [_core.asarray(part, dtype=dtype) for part in parts]
        return _core.concatenate([_widen(part, ndim, place) for part in parts], axis=axis)


def _widen(made, ndim, place):
    if made.ndim >= ndim:
        return made
    first = place if place >= 0 else place + ndim - made.ndim + 1
    first = 0 if made.ndim == 0 else first
    return made.reshape((1,) * first + made.shape + (1,) * (ndim - made.ndim - first))


r_, c_ = _Joiner(0), _Joiner(-1, 2, 0)


# --- To requirements ---


def asarray_chkfinite(a, dtype=None, order=None):
    """asarray, but ValueError for NaN and infinities. Waits."""
    made = _core.asarray(a, dtype=dtype, order=order or "K")
    if made.dtype.kind in "fc" and not bool(_core.isfinite(made).all()):
        raise ValueError("array must not contain infs or NaNs")
    return made


_REQUIREMENTS = {
    "C": "C", "C_CONTIGUOUS": "C", "CONTIGUOUS": "C", "F": "F", "F_CONTIGUOUS": "F", "FORTRAN": "F",
    "A": "A", "ALIGNED": "A", "W": "W", "WRITEABLE": "W", "O": "O", "OWNDATA": "O", "E": "E",
    "ENSUREARRAY": "E",
}  # fmt: skip


def require(a, dtype=None, requirements=None):
    """The array, or a copy that has the required flags: 'C', 'F', 'O' (own data), 'W', 'E' (no subclass).

    ValueError for both orders, KeyError for an unknown requirement.
    """
    wanted = {_REQUIREMENTS[one.upper()] for one in ([requirements] if isinstance(requirements, str)
                                                    else requirements or ())}  # fmt: skip
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "C" if "C" in wanted else "F" if "F" in wanted else "A"
    make = _core.array if "E" in wanted else _core.asanyarray
    made = make(a, dtype=dtype, order=order, **({"copy": None} if "E" in wanted else {}))
    flags = made.flags
    if "O" in wanted and not flags.owndata or "W" in wanted and not flags.writeable:
        made = made.copy(order)
    return made


class broadcast:
    """Arrays and scalars in their common shape: ``shape``, ``size``, ``nd``, and ``values``, the views."""

    @beside
    def __init__(self, *arrays):
        parts = [as_array(one) for one in arrays]
        self.shape = numpy.broadcast_shapes(*(part.shape for part in parts))
        self.nd = self.ndim = len(self.shape)
        self.size = int(numpy.prod(self.shape, dtype=object))
        self.numiter = len(parts)
        self.values = tuple(part if part.shape == self.shape else broadcast_to(part, self.shape) for part in parts)
