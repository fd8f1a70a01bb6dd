"""``ndarray.flat``."""

import operator

import numpy

from tenorite import _core
from tenorite._arguments import ndarray

BAD_KEY = "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices"
BAD_MASK = "boolean indices for iterators are not supported: a list of bools; an array of bools is a mask"
TOO_MANY = "too many indices for flat iterator: flat iterator is 1-dimensional, but {} were indexed"


class flatiter(_core._elements):
    """The elements of an array in C order, as a one-dimensional sequence that can be assigned
    to.

    Parameters
    ----------
    base : ndarray
        The array.

    Examples
    --------
    >>> import tenorite as cp
    >>> [int(x) for x in cp.array([[1, 2], [3, 4]]).flat]
    [1, 2, 3, 4]
    """

    __slots__ = ()
    __array_priority__ = 100

    def __repr__(self):
        return f"<flatiter at {self.index} of {self.base.size} elements, {self.base.dtype}>"

    def __len__(self):
        return self.base.size

    @property
    def coords(self):
        """The index of the next element, per axis."""
        return tuple(int(k) for k in numpy.unravel_index(self.index, self.base.shape))

    def __eq__(self, other):
        return self._flat() == other

    def __ne__(self, other):
        return self._flat() != other

    def __lt__(self, other):
        return self._flat() < other

    def __le__(self, other):
        return self._flat() <= other

    def __gt__(self, other):
        return self._flat() > other

    def __ge__(self, other):
        return self._flat() >= other

    __hash__ = None

    def _flat(self):
        return self.base.ravel()

    # Functions take the elements in the place of an array.
    __cupy_get_ndarray__ = _flat

    def copy(self):
        """A one-dimensional copy.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.array([[1, 2], [3, 4]]).flat.copy()
        array([1, 2, 3, 4])
        """
        return self.base.flatten()

    def _key(self, key):
        """A key as what indexes one dimension: an int, a slice, or an array of integers or a
        mask."""
        if isinstance(key, tuple):
            odd = any(part is None or (part is Ellipsis and len(key) > 1) for part in key)
            if len(key) > 1 and not odd:
                raise IndexError(TOO_MANY.format(len(key)))
            key = None if odd else key[0] if key else Ellipsis
        if key is Ellipsis:
            return slice(None)
        if isinstance(key, slice):
            return key
        if not isinstance(key, (ndarray, numpy.ndarray)):
            if key is None or isinstance(key, (bool, numpy.bool_, float, str, bytes)):
                raise IndexError(BAD_KEY)
            if hasattr(type(key), "__index__"):
                return _number(key)
            is_empty = isinstance(key, list) and not key
            with self.base.device:
                key = _core.asarray(key, dtype=numpy.intp if is_empty else None)
            if key.size and key.dtype.kind not in "iu":
                raise IndexError(BAD_MASK if key.dtype.kind == "b" else BAD_KEY)
            return key if key.size else key.astype(numpy.intp)
        if key.dtype.kind not in "iub":
            raise IndexError("arrays used as indices must be of integer (or boolean) type")
        if key.dtype.kind == "b" and key.ndim != 1:
            raise IndexError(TOO_MANY.format(key.ndim) if key.ndim else BAD_KEY)
        return key if key.ndim else _number(key)

    def _get(self, key):
        """``a.flat[key]``: a copy, as in NumPy, for an int, a slice, integers or a mask."""
        return self.base.ravel()[self._key(key)].copy()

    def _set(self, key, value):
        """Assigns in place; a value that is too short is repeated, one that is too long cut, as in
        NumPy."""
        if isinstance(key, tuple) and (not key or len(key) == 1 and key[0] is Ellipsis):
            raise IndexError("Assigning to a flat iterator with a 0-D index is not supported")
        key, flat = self._key(key), self.base.ravel()
        if not self.base.flags.writeable:
            raise ValueError("underlying array is read-only")
        if isinstance(key, int):
            self._set_one(flat, key, value)
        else:
            if not isinstance(key, slice) and not isinstance(value, ndarray) and numpy.ndim(value):
                value = _core.asarray(value)
            if isinstance(value, ndarray) and value.ndim:
                target = flat[key] if value.size or getattr(key, "dtype", None) == numpy.bool_ else None
                if value.size == 0:
                    return
                value = _fit(value.ravel(), target)
            flat[key] = value
        if flat.size and flat.data.ptr != self.base.data.ptr:
            self.base[...] = flat.reshape(self.base.shape)

    @staticmethod
    def _set_one(flat, key, value):
        if not -flat.size <= key < flat.size:
            raise IndexError(f"index {key} is out of bounds for size {flat.size}")
        try:
            if numpy.ndim(value) and flat.dtype.names is None:
                raise ValueError
            flat[key] = value
        except (TypeError, ValueError):
            raise ValueError("Error setting single item of array.") from None


def _number(key):
    """The int that an object is, if it is one of C."""
    key = operator.index(key)
    if not -(2**63) <= key < 2**63:
        raise OverflowError("Python int too large to convert to C long")
    return key


def _fit(values, target):
    """As many values as the target has, in its shape: from the beginning again, or not all."""
    if values.size != target.size:
        places = _core.arange(target.size) % values.size
        values = values.take(places.to_device(values.device))
    return values.reshape(target.shape)
