"""Methods of arrays of stored elements: moves, order, and what dates and durations compute."""

import numpy

from tenorite import _core
from tenorite._array import times
from tenorite._numpy.indexing import where
from tenorite._numpy.repetition import repeat
from tenorite._numpy.sorting import lexsort


def _operators():
    """Python's operators: (name of the method, name of the operation, which way)."""
    for name, operation in {
        "add": "add",
        "sub": "subtract",
        "mul": "multiply",
        "truediv": "divide",
        "mod": "remainder",
        "floordiv": "floor_divide",
        "divmod": "divmod",
    }.items():
        yield f"__{name}__", operation, ""
        yield f"__r{name}__", operation, "reflected"
        if name != "divmod":
            yield f"__i{name}__", operation, "in place"


def _sort_keys(array):
    """Arrays of numbers that order the elements, the first one first: fields, bytes, counts."""
    dtype = array.dtype
    if dtype.kind in "Mm":
        return [array._keys()]
    if dtype.names is None:
        return [array._bytes[..., k] for k in range(dtype.itemsize)]
    keys = []
    for name in dtype.names:
        field = array[name]
        inner = field.ndim - array.ndim
        parts = [field] if not inner else [field[(..., *place)] for place in numpy.ndindex(*field.shape[array.ndim :])]
        for part in parts:
            keys += _sort_keys(part) if isinstance(part, StoredMethods) else [part]
    return keys


class StoredMethods:
    """What StorageArray has beside its elements. The class that mixes it in has `_of`, `_words`,
    `_counts`, `_keys`, `_bytes` and `_made_of_counts`."""

    __slots__ = ()

    # --- Moves ---

    def repeat(self, repeats, axis=None):
        """Each element several times; see tenorite.repeat."""
        return repeat(self, repeats, axis)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        """A view of diagonals; see ndarray.diagonal."""
        made = self._bytes.diagonal(offset, self._axis(axis1), self._axis(axis2))
        return self._of(made.swapaxes(-1, -2))

    def byteswap(self, inplace=False):
        """The bytes of each number in the opposite order; see ndarray.byteswap."""
        made = self if inplace else self.copy(order="K")
        if self.dtype.kind in "Mm":
            made._bytes[...] = made._bytes[..., ::-1].copy()
        for name in self.dtype.names or ():
            made[name].byteswap(True)
        return made

    def setfield(self, val, dtype, offset=0):
        """Writes values into a part of each element; see ndarray.setfield."""
        self.getfield(dtype, offset)[...] = val

    def compress(self, condition, axis=None, out=None):
        """The slices for which a condition is true; see ndarray.compress."""
        if out is not None:
            raise NotImplementedError(f"compress(out=) of dtype {self.dtype}")
        return self.take(_core.flatnonzero(_core.asarray(condition)), axis=axis)

    def put(self, indices, values, mode="wrap"):
        """Stores values at indices of the flattened array; see ndarray.put."""
        if not self.flags.c_contiguous:
            raise NotImplementedError("put() of stored elements needs an array in C order")
        self.reshape(-1)[_core.asarray(indices)] = values

    def nonzero(self):
        """The positions of elements that are not all zero bytes; see ndarray.nonzero."""
        return self._is_set().nonzero()

    def _is_set(self):
        if self.dtype.names is None:
            return (self._words() != 0).any(axis=-1)
        made = None
        for name in self.dtype.names:
            field = self[name]
            one = field._is_set() if isinstance(field, StoredMethods) else field != 0
            one = one.any(axis=tuple(range(self.ndim, one.ndim))) if one.ndim > self.ndim else one
            made = one if made is None else made | one
        return made

    # --- Order ---

    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Sorts in place: times with NaT last, structures field by field, void byte by byte."""
        if self._is_time():
            counts = self._counts()
            counts[...] = _core.sort(self._keys(), axis=axis) + 1
        else:
            self[...] = self._along(self.argsort(axis=axis, order=order), axis)

    def argsort(self, axis=-1, kind=None, order=None, *, stable=None):
        """The positions of the elements in order; those of equal ones ascend."""
        if self._is_time():
            return _core.argsort(self._keys(), axis=axis)
        source = self if axis is not None else self.ravel()
        if order is not None:
            names = [order] if isinstance(order, str) else list(order)
            source = source[names + [name for name in self.dtype.names if name not in names]]
        return lexsort(tuple(_sort_keys(source)[::-1]), axis=-1 if axis is None else axis)

    def _along(self, places, axis):
        """The elements at places along an axis; take_along_axis of words."""
        words, axis = self._words(), self._axis(axis)
        key = [
            places[..., None] if k == axis else _core.arange(n).reshape((-1,) + (1,) * (self.ndim - k))
            for k, n in enumerate(self.shape)
        ]
        return self._of(words[(*key, _core.arange(words.shape[-1]))])

    def partition(self, kth, axis=-1, kind="introselect", order=None):
        """Dates and durations partly in order, in place; see ndarray.partition."""
        counts = self._counts()
        counts[...] = _core.partition(self._keys(), kth, axis=axis) + 1

    def argpartition(self, kth, axis=-1, kind="introselect", order=None):
        """The positions of dates and durations partly in order; see ndarray.argpartition."""
        return _core.argpartition(self._keys(), kth, axis=axis)

    def searchsorted(self, v, side="left", sorter=None):
        """Where times stand in sorted ones; see ndarray.searchsorted."""
        other = self._as_storage(v, getattr(v, "dtype", self.dtype))
        dtype = numpy.promote_types(self.dtype, other.dtype)
        keys = [times.in_unit(one._counts(), one.dtype, dtype) - 1 for one in (self, other)]
        return _core.searchsorted(*keys, side=side, sorter=sorter)

    # --- Reductions ---

    def _reduced(self, name, axis=None, out=None, keepdims=False, dtype=None, initial=None, where=True):
        options = {"axis": axis, "keepdims": keepdims} | _given(initial, where)
        if not self._is_time() and name in ("any", "all", "count_nonzero"):
            return stored(getattr(_core, name)(self._is_set(), **options), out, name)
        self._check_loop(dtype)
        made, dtype = times.reduce(name, self._counts(), self.dtype, **options)
        return stored(made if dtype is None else self._made_of_counts(made, dtype), out, name)

    def _check_loop(self, dtype):
        """TypeError for the dtype= of another kind, or of another unit, which chooses no loop."""
        if dtype is not None and numpy.dtype(dtype) not in (self.dtype, numpy.dtype(self.dtype.kind + "8")):
            raise TypeError(f"dtype={numpy.dtype(dtype)} for elements of dtype {self.dtype}: convert them, with astype")

    def _by_method(self, name, method, *args, **kwargs):
        """A method of a ufunc: as the ufunc's own, with these times first."""
        if not self._is_time():
            raise TypeError(
                f"{name}.{method}() is not defined for elements of dtype {self.dtype}: they are only stored"
            )
        names = {
            "reduce": ("axis", "dtype", "out", "keepdims", "initial", "where"),
            "accumulate": ("axis", "dtype", "out"),
            "reduceat": ("indices", "axis", "dtype", "out"),
            "at": ("indices", "b"),
        }[method]
        given = {"axis": 0} if method != "at" and (self.ndim or method != "reduce") else {}
        given |= dict(zip(names, args)) | {
            key: value for key, value in kwargs.items() if key != "out" or value is not None
        }
        if len(args) > len(names) or not given.keys() <= {*names, "out"}:
            raise TypeError(f"{method}() takes {', '.join(names)}, not {sorted(given.keys() - {*names})}")
        if method == "at":
            return self._changed_at(name, given["indices"], given.get("b"))
        dtype = given.pop("dtype", None)
        if name in times.OF_TRUTH and dtype is not None:
            raise TypeError(
                f"{name}.{method}() of elements of dtype {self.dtype} gives bools, not {numpy.dtype(dtype)}"
            )
        self._check_loop(dtype)
        out = given.pop("out", None)
        options = _given(given.pop("initial", None), given.pop("where", True))
        places = (given.pop("indices"),) if method == "reduceat" else ()
        if method != "reduce" and not self.ndim:
            raise TypeError(f"cannot {method} on a scalar")
        made = times.fold(name, method, self._counts(), self.dtype, *places, **given, **options)
        made = made if made.dtype == bool else self._made_of_counts(made, self.dtype)
        return stored(made, out[0] if isinstance(out, tuple) else out, name)

    def _changed_at(self, name, indices, b):
        if b is None:
            raise ValueError("second operand needed for ufunc")
        if isinstance(b, StoredMethods):
            b = b._counts(), b.dtype
        other = b[1] if isinstance(b, tuple) else times.type_of(b)
        times.change_at(name, self._counts(), self.dtype, indices, b, other)

    def min(self, axis=None, out=None, keepdims=False, initial=None, where=True):
        """The least time, NaT where there is one."""
        return self._reduced("min", axis, out, keepdims, None, initial, where)

    def max(self, axis=None, out=None, keepdims=False, initial=None, where=True):
        """The greatest time, NaT where there is one."""
        return self._reduced("max", axis, out, keepdims, None, initial, where)

    def argmin(self, axis=None, out=None, *, keepdims=False):
        """The position of the least time, or of the first NaT."""
        return self._reduced("argmin", axis, out, keepdims)

    def argmax(self, axis=None, out=None, *, keepdims=False):
        """The position of the greatest time, or of the first NaT."""
        return self._reduced("argmax", axis, out, keepdims)

    def sum(self, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        """The sum of durations."""
        return self._reduced("sum", axis, out, keepdims, dtype, initial, where)

    def mean(self, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
        """The mean of durations."""
        return self._reduced("mean", axis, out, keepdims, dtype, None, where)

    def any(self, axis=None, out=None, keepdims=False):
        """Whether any element is not zero."""
        return self._reduced("any", axis, out, keepdims)

    def all(self, axis=None, out=None, keepdims=False):
        """Whether no element is zero."""
        return self._reduced("all", axis, out, keepdims)

    def cumsum(self, axis=None, dtype=None, out=None):
        """The running sums of durations."""
        if self.dtype.kind != "m":
            raise TypeError(f"cumsum() is not defined for elements of dtype {self.dtype}")
        source = self.ravel() if axis is None or not self.ndim else self
        return source._by_method("add", "accumulate", 0 if axis is None else axis, dtype, out)

    def clip(self, min=None, max=None, out=None):
        """Times that lie between two; see ndarray.clip."""
        made = self if min is None else _core.maximum(self, min)
        made = made if max is None else _core.minimum(made, max)
        if out is None:
            return made
        out[...] = made
        return out

    def __tenorite_function__(self, name, args, kwargs):
        """A reduction that was called as a function."""
        if name == "cumsum":
            return self.cumsum(*args[1:], **kwargs)
        names = ("axis", "dtype", "out", "keepdims") if name in ("sum", "mean") else ("axis", "out", "keepdims")
        given = dict(zip((*names, "initial", "where"), args[1:])) | kwargs
        return self._reduced(name, **given)

    # --- Operations ---

    def _operate(self, name, inputs):
        """What an operation makes of times and numbers; NotImplemented for what is neither."""
        operands = []
        for one in inputs:
            if isinstance(one, str):
                one = self._as_storage(one, self.dtype)
            if isinstance(one, StoredMethods):
                operands.append((one._counts(), one.dtype))
            elif isinstance(one, (bool, int, float, numpy.generic, *times.SCALARS)) or isinstance(one, _core.ndarray):
                operands.append(one)
            else:
                return NotImplemented
        made = [
            self._made_of_counts(values, dtype) if dtype.kind in "Mm" else values.astype(dtype, copy=False)
            for values, dtype in times.operate(name, operands)
        ]
        return made[0] if len(made) == 1 else tuple(made)

    def __neg__(self):
        return self._operate("negative", (self,))

    def __pos__(self):
        return self._operate("positive", (self,))

    def __abs__(self):
        return self._operate("absolute", (self,))


def _define(method, name, way):
    def operator(self, other):
        made = self._operate(name, (other, self) if way == "reflected" else (self, other))
        if way != "in place" or made is NotImplemented:
            return made
        if not numpy.can_cast(made.dtype, self.dtype, "same_kind"):
            raise TypeError(f"Cannot cast {name}() of dtype {made.dtype!r} to {self.dtype!r}")
        self[...] = made
        return self

    operator.__name__ = method
    setattr(StoredMethods, method, operator)


for _found in _operators():
    _define(*_found)
del _found


def _given(initial, where):
    """The options of a reduction that were given."""
    given = {"initial": initial, "where": None if where is True else where}
    return {key: value for key, value in given.items() if value is not None}


def stored(made, out, name, mask=True):
    """What was made, in `out` if that is given, where a mask is true."""
    if out is None:
        return made
    if out.shape != made.shape and (mask is True or numpy.broadcast_shapes(out.shape, made.shape) != out.shape):
        raise ValueError(f"{name}: an output of shape {out.shape} for a result of shape {made.shape}")
    if not numpy.can_cast(made.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast {name}() of dtype {made.dtype!r} to {out.dtype!r}")
    out[...] = made if mask is True else where(mask, made.astype(out.dtype), out)
    return out


def difference(a, n, axis):
    """The n-th differences of times along an axis."""
    axis = a._axis(axis)
    for _ in range(n):
        one, other = ([slice(None)] * a.ndim for _ in range(2))
        one[axis], other[axis] = slice(1, None), slice(None, -1)
        a = a[tuple(one)] - a[tuple(other)]
    return a
