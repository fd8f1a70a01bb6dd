"""Arrays of elements that are stored and not computed with: structures, void, dates, durations.

A StorageArray keeps its elements as an ndarray of bytes with one axis more, the bytes of an
element. What moves elements is done with that array, or where the elements allow it with the same
memory as wider words. A date or duration is an int64 that counts its unit, the least one being NaT.

Functions and methods of the extension refuse such arrays and dtypes, of which they know nothing;
the ones that `_TAKEN_OVER` lists then ask here (take_over, through refused.py).
isinstance(a, tenorite.ndarray) holds; the class is none of its subclasses, so no operation takes
the bytes for numbers.
"""

import math
import operator

import numpy

from tenorite import _core
from tenorite._arguments import ndarray
from tenorite._array import times
from tenorite._array.flags import StorageFlags
from tenorite._array.foreign_structures import AsBytes, described
from tenorite._array.interop import _find
from tenorite._array.stored_methods import StoredMethods, difference, stored
from tenorite.exceptions import UnsupportedDtypeError

_TIMES = times.SCALARS


def storage_dtype(dtype):
    """The dtype in the machine's order of bytes if its elements are stored here, else None.

    TypeError for structures that hold objects, and for elements of no bytes.
    """
    if dtype is None:
        return None
    try:
        dtype = numpy.dtype(dtype)
    except TypeError:
        return None
    if dtype.subdtype is not None or dtype.kind not in "VMm" or dtype.name == "bfloat16":
        return None
    if dtype.hasobject or not dtype.itemsize:
        raise UnsupportedDtypeError(f"Unsupported dtype {dtype}: elements are bytes, at least one, and no objects")
    return dtype.newbyteorder("=")


class StorageArray(StoredMethods):
    """An array of structures, of void, or of dates or durations.

    It is made by ``array``, ``asarray``, ``empty``, ``zeros``, ``full``, ``load``, by views and by
    ``astype``. ``a["name"]`` is a view of a field.
    """

    __slots__ = ("_bytes", "_dtype", "__weakref__")
    __array_priority__ = 100.0
    __hash__ = None

    def __init__(self, array, dtype):
        self._bytes, self._dtype = array, dtype

    # isinstance(a, ndarray) asks for it.
    __class__ = property(lambda self: ndarray)
    dtype = property(lambda self: self._dtype)
    shape = property(lambda self: self._bytes.shape[:-1])
    strides = property(lambda self: self._bytes.strides[:-1])
    ndim = property(lambda self: self._bytes.ndim - 1)
    itemsize = property(lambda self: self._dtype.itemsize)
    nbytes = property(lambda self: self._bytes.size)
    size = property(lambda self: math.prod(self.shape))
    data = property(lambda self: self._bytes.data)
    device = property(lambda self: self._bytes.device)
    flags = property(StorageFlags)
    T = property(lambda self: self.transpose())

    @property
    def base(self):
        """The ndarray of bytes whose memory this one views, or None."""
        return self._bytes.base

    def _is_time(self):
        return self._dtype.kind in "Mm"

    def _of(self, array, dtype=None):
        """The StorageArray of bytes, or of wider words."""
        if array.dtype != numpy.uint8:
            array = array.view(numpy.uint8)
        return StorageArray(array, dtype or self._dtype)

    def _words(self):
        """The memory as the widest integers of which an element has a number: one axis more."""
        size = self._dtype.itemsize
        return self._bytes.view(next(one for one in ("u8", "u4", "u2", "u1") if size % int(one[1]) == 0))

    def _counts(self):
        """Dates and durations as the int64 that they are."""
        if not self._is_time():
            raise TypeError(f"elements of dtype {self._dtype} have no order")
        return self._bytes.view(numpy.int64)[..., 0]

    # --- Moves ---

    def _axis(self, axis):
        found = operator.index(axis)
        if not -self.ndim <= found < self.ndim:
            raise numpy.exceptions.AxisError(found, self.ndim)
        return found % self.ndim

    def reshape(self, *shape, order="C", copy=None):
        """The elements under another shape; see ndarray.reshape."""
        shape = shape[0] if len(shape) == 1 else shape
        shape = tuple(shape) if hasattr(shape, "__len__") else (operator.index(shape),)
        if -1 in shape:
            known = -math.prod(shape)
            if shape.count(-1) > 1 or (known and self.size % known):
                raise ValueError(f"cannot reshape array of size {self.size} into shape {shape}")
            shape = tuple(self.size // known if n == -1 and known else n for n in shape)
        if math.prod(shape) != self.size or min(shape, default=0) < 0:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {shape}")
        if order in ("A", "K"):
            order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
        if order == "F":
            return self.transpose().reshape(shape[::-1], copy=copy).transpose()
        return self._of(self._bytes.reshape(*shape, self.itemsize, copy=copy))

    def ravel(self, order="C"):
        """One dimension; a view where strides allow."""
        return self.reshape(-1, order=order)

    def flatten(self, order="C"):
        """A one-dimensional copy."""
        return self.copy().reshape(-1, order=order)

    def transpose(self, *axes):
        """A view with the axes in this order (reversed)."""
        axes = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        axes = tuple(range(self.ndim))[::-1] if not axes else tuple(self._axis(one) for one in axes)
        return self._of(self._bytes.transpose(*axes, self.ndim))

    def swapaxes(self, axis1, axis2):
        """A view with two axes exchanged."""
        return self._of(self._bytes.swapaxes(self._axis(axis1), self._axis(axis2)))

    def squeeze(self, axis=None):
        """A view without axes of size 1."""
        if axis is None:
            axis = tuple(k for k, n in enumerate(self.shape) if n == 1)
        axes = tuple(self._axis(one) for one in (axis if isinstance(axis, tuple) else (axis,)))
        return self._of(self._bytes.squeeze(axes)) if axes else self._of(self._bytes)

    def take(self, indices, axis=None, out=None, mode="wrap"):
        """The elements at indices; see tenorite.take."""
        if out is not None:
            raise NotImplementedError(f"take(out=) of dtype {self._dtype}")
        source = self.ravel() if axis is None else self
        return self._of(_core.take(source._words(), indices, source._axis(axis or 0), mode=mode))

    def copy(self, order="C"):
        """A copy."""
        if self.ndim < 2 or order in ("C", None):
            return self._of(self._words().copy())
        if order == "F" or not self.flags.c_contiguous and self.T.flags.c_contiguous:
            return self.T.copy().T
        return self.copy()

    def fill(self, value):
        """Sets all elements to a scalar."""
        self[...] = value

    __copy__ = copy

    def __deepcopy__(self, memo):
        return self.copy()

    # --- Elements ---

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self):
        return (self[k] for k in range(len(self)))

    def _key(self, key, inner=1):
        """The key of the bytes, or of a field with inner axes, which an ellipsis leaves alone."""
        entries = key if isinstance(key, tuple) else (key,)
        used = 0
        for one in entries:
            if one is None or one is Ellipsis:
                continue
            is_mask = getattr(one, "dtype", None) == numpy.bool_
            is_mask = is_mask or isinstance(one, list) and numpy.asarray(one).dtype.kind == "b"
            used += numpy.ndim(one) if is_mask and isinstance(one, list) else one.ndim if is_mask else 1
        if used > self.ndim:
            raise IndexError(f"too many indices for array: array is {self.ndim}-dimensional, but {used} were indexed")
        return (*entries, *(slice(None),) * inner) if any(one is Ellipsis for one in entries) else (*entries, Ellipsis)

    def _is_field_key(self, key):
        return isinstance(key, str) or isinstance(key, list) and bool(key) and all(isinstance(one, str) for one in key)

    def __getitem__(self, key):
        if self._is_field_key(key):
            return self._field(key)
        return self._of(self._words()[self._key(key)])

    def __setitem__(self, key, value):
        if self._is_field_key(key):
            field = self._field(key)
            field[...] = value
            return
        value = as_storage(value, self._dtype)
        if not _has_gaps(self._dtype):
            self._words()[self._key(key)] = value._words()
            return
        for name in self._dtype.names:  # what lies between may be other fields
            field = self._field(name)
            field[self._key(key, field.ndim - self.ndim)] = value._field(name)

    def _field(self, name):
        """A view of a field, or of several as one structure."""
        if self._dtype.names is None:
            raise IndexError(f"only arrays of structures have fields; the dtype is {self._dtype}")
        if isinstance(name, list):
            return StorageArray(self._bytes, self._dtype[name])
        if name not in self._dtype.fields:
            raise ValueError(f"no field of name {name}")
        dtype, offset = self._dtype.fields[name][:2]
        return self._part(dtype, offset)

    def _part(self, dtype, offset):
        """What begins at an offset in each element, as a dtype; an array in each gives axes."""
        shape, strides = self.shape, self.strides
        if dtype.subdtype is not None:
            dtype, inner = dtype.subdtype
            shape += inner
            strides += tuple(dtype.itemsize * math.prod(inner[k + 1 :]) for k in range(len(inner)))
        if storage_dtype(dtype) is not None:
            shape, strides, made = (*shape, dtype.itemsize), (*strides, 1), numpy.dtype("u1")
        else:
            made = dtype
        view = _core.ndarray(shape, made, self._bytes.data + offset, strides=strides)
        view.flags.writeable = self.flags.writeable
        return view if made == dtype else StorageArray(view, dtype)

    def item(self, *index):
        """One element as NumPy's item() gives it; waits."""
        return self.get().item(*index)

    def tolist(self):
        """The elements as lists of Python's objects; waits."""
        return self.get().tolist()

    def tobytes(self, order="C"):
        """The elements' bytes; waits."""
        return self.get().tobytes(order)

    # --- Dtypes ---

    def view(self, dtype=None):
        """The same memory seen as another dtype; see ndarray.view."""
        if dtype is None or dtype is ndarray:
            return StorageArray(self._bytes, self._dtype)
        made, plain = storage_dtype(dtype), numpy.dtype(dtype)
        if plain.itemsize == self.itemsize:
            return StorageArray(self._bytes, made) if made is not None else self._part(plain, 0)
        if not self.ndim:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
        *lead, count = self.shape
        if count != 1 and self.strides[-1] != self.itemsize:
            raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
        if count * self.itemsize % plain.itemsize:
            raise ValueError(
                "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the "
                "last axis of the array."
            )
        flat = _core.ndarray((*lead, count * self.itemsize), "u1", self._bytes.data, strides=(*self.strides[:-1], 1))
        flat.flags.writeable = self.flags.writeable
        return view_storage(flat, made) if made is not None else flat.view(plain)

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        """A converted copy: structures field by field, dates to other units and to integers."""
        made, plain = storage_dtype(dtype), numpy.dtype(dtype)
        if not numpy.can_cast(self._dtype, plain, casting):
            raise TypeError(f"Cannot cast array from {self._dtype!r} to {plain!r} according to the rule '{casting}'")
        if made == self._dtype:
            return self.copy() if copy else self
        if made is None:
            if self._is_time() and plain.kind in "iufb":
                return self._counts().astype(plain)
            if self._dtype.names is not None and len(self._dtype.names) == 1:
                return self[self._dtype.names[0]].astype(plain)
            raise TypeError(f"Cannot cast array from {self._dtype!r} to {plain!r}")
        if made.kind in "Mm" and self._is_time() and made.kind == self._dtype.kind:
            return _from_counts(times.in_unit(self._counts(), self._dtype, made), made)
        if made.names is not None and self._dtype.names is not None and len(made.names) == len(self._dtype.names):
            result = zeros(self.shape, made)
            for to, name in zip(made.names, self._dtype.names):
                result[to] = self[name]
            return result
        if made.kind == "V" and made.names is None and (self._dtype.names is None or len(self._dtype.names) == 1):
            return _as_void(self._bytes, made)
        raise TypeError(f"Cannot cast array from {self._dtype!r} to {made!r}")

    def getfield(self, dtype, offset=0):
        """A view of a part of each element as another dtype; see ndarray.getfield."""
        dtype = numpy.dtype(dtype)
        if not 0 <= offset <= self.itemsize - dtype.itemsize:
            raise ValueError(
                f"a part of {dtype.itemsize} bytes at offset {offset} does not lie in elements of {self.itemsize} bytes"
            )
        return self._part(dtype, offset)

    # --- Comparisons ---

    def _compare(self, other, name):
        if not isinstance(other, (StorageArray, numpy.ndarray, numpy.generic, tuple, str, *_TIMES)):
            return NotImplemented
        if isinstance(other, ndarray) and type(other) is not StorageArray:
            return NotImplemented
        if type(other) is not StorageArray:
            other = as_storage(other, self._dtype if not hasattr(other, "dtype") else other.dtype)
        return compare(self, other, name)

    def __eq__(self, other):
        return self._compare(other, "equal")

    def __ne__(self, other):
        return self._compare(other, "not_equal")

    def __lt__(self, other):
        return self._compare(other, "less")

    def __le__(self, other):
        return self._compare(other, "less_equal")

    def __gt__(self, other):
        return self._compare(other, "greater")

    def __ge__(self, other):
        return self._compare(other, "greater_equal")

    def _keys(self):
        """Integers in the order of the elements: one less, so that NaT becomes the largest."""
        return self._counts() - 1

    def _made_of_counts(self, counts, dtype):
        return _from_counts(_core.asarray(counts), dtype)

    # --- Between host and device, text ---

    def get(self, stream=None, order="C", out=None, blocking=True):
        """A numpy.ndarray with the elements; see ndarray.get."""
        host = self._bytes.get(stream=stream, order="C", blocking=blocking)
        host = host.reshape(-1).view(self._dtype).reshape(self.shape)
        if out is None:
            return numpy.asarray(host, order=None if order in ("A", "K") else order)
        if out.dtype != self._dtype or out.shape != self.shape:
            raise ValueError(f"out must have dtype {self._dtype} and shape {self.shape}")
        out[...] = host
        return out

    def set(self, arr, stream=None):
        """Copies a numpy.ndarray of the same shape into the array."""
        self[...] = from_host(numpy.asarray(arr, self._dtype))

    def to_device(self, device, /, *, stream=None):
        """The array on a device; see ndarray.to_device."""
        return self._of(self._bytes.to_device(device, stream=stream))

    def tofile(self, fid, sep="", format="%s"):
        """Writes the elements' bytes, or with sep their text, in C order to a file. Waits."""
        self.get().tofile(fid, sep, format)

    def __reduce__(self):
        return from_host, (self.get(),)

    def __repr__(self):
        return repr(self.get())

    def __str__(self):
        return str(self.get())

    def __bool__(self):
        return bool(self.get())

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Use .get() to make one.")

    def __array_function__(self, function, types, args, kwargs):
        ours = _find(function.__module__ or "numpy", function.__name__)
        return NotImplemented if ours is None or ours is function else ours(*args, **kwargs)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        called = f"{ufunc.__name__}.{method}"
        if method == "outer":
            a, b = inputs
            behind = (1,) * getattr(b, "ndim", 0)
            inputs, method = (a.reshape(*a.shape, *behind) if getattr(a, "ndim", 0) else a, b), "__call__"
        name = ufunc.__name__
        if method in ("reduce", "accumulate", "reduceat", "at") and type(inputs[0]) is StorageArray:
            return inputs[0]._by_method(name, method, *inputs[1:], out=out, **kwargs)
        mask = kwargs.pop("where", True)
        made = self._called(name, inputs) if method == "__call__" and not kwargs else NotImplemented
        if made is NotImplemented:
            called = called.removesuffix(".__call__") + f"({', '.join(f'{one}=' for one in kwargs)})"
            raise TypeError(f"{called} is not defined for elements of dtype {self._dtype}: they are only stored")
        out = out[0] if isinstance(out, tuple) else out
        return stored(made, out, name, mask)

    def _called(self, name, inputs):
        """What a ufunc, or another function that looks for __array_ufunc__, makes of inputs."""
        if name == "where":
            return _where(*inputs)
        if name == "clip":
            return inputs[0].clip(*inputs[1:])
        if name in times.OPERATIONS and self._is_time():
            return self._operate(name, inputs)
        if name in ("equal", "not_equal"):
            return compare(*(as_storage(one, getattr(one, "dtype", self._dtype)) for one in inputs), name)
        return NotImplemented


def _by_ufunc(method):
    def call(ufunc, a, *args, **kwargs):
        if type(a) is not StorageArray:
            return NotImplemented
        return a.__array_ufunc__(ufunc, method, a, *args, **kwargs)

    return call


# --- Making ---


def from_host(host):
    """The StorageArray of a numpy.ndarray, which is copied."""
    dtype = storage_dtype(host.dtype)
    host = numpy.array(host, dtype=dtype, order="C")
    flat = numpy.frombuffer(host.tobytes(), "u1") if host.size else numpy.empty(0, "u1")
    return StorageArray(_core.array(flat.reshape(*host.shape, dtype.itemsize)), dtype)


def as_storage(value, dtype):
    """A value as a StorageArray of a dtype: such arrays are converted, others made by NumPy."""
    if isinstance(value, StorageArray) or type(value) is StorageArray:
        return value if value.dtype == dtype else value.astype(dtype)
    if isinstance(value, ndarray):
        made = storage_dtype(dtype)
        if made is not None and made.names is not None:
            return _in_all_fields(value, made)
        if made is not None and made.kind in "Mm" and value.dtype.kind in "iub":
            return _from_counts(value.astype(numpy.int64), made)
        if made is not None and made.kind == "V":
            dense = _core.ascontiguousarray(value).reshape(*value.shape, 1)
            return _as_void(dense.view(numpy.uint8), made)
        raise TypeError(f"elements of dtype {value.dtype} do not become {numpy.dtype(dtype)}")
    told = _foreign_dtype(value)
    if told is not None:
        return as_storage(_from_cuda_array(value, told), dtype)
    return from_host(numpy.asarray(value, dtype=dtype))


StorageArray._as_storage = staticmethod(as_storage)


def _has_gaps(dtype):
    """Whether a structure has bytes that are no field's."""
    return dtype.names is not None and sum(dtype[name].itemsize for name in dtype.names) < dtype.itemsize


def _in_all_fields(numbers, dtype):
    """Structures with the same number in all their fields."""
    made = zeros(numbers.shape, dtype)
    for name in dtype.names:
        field = made._field(name)
        field[...] = numbers.reshape(numbers.shape + (1,) * (field.ndim - made.ndim))
    return made


def _as_void(elements, dtype):
    """Elements of void from the bytes of others along the last axis: cut, or with zeros behind."""
    result = zeros(elements.shape[:-1], dtype)
    count = min(dtype.itemsize, elements.shape[-1])
    result._bytes[..., :count] = elements[..., :count]
    return result


def _from_counts(counts, dtype):
    """Dates or durations of int64 that count their unit; the memory is shared."""
    return StorageArray(counts.reshape(*counts.shape, 1).view(numpy.uint8), dtype)


def _foreign_dtype(value):
    """The storage dtype of an object with ``__cuda_array_interface__``, or None."""
    facts = None if isinstance(value, (ndarray, type)) else getattr(value, "__cuda_array_interface__", None)
    typestr = facts.get("typestr") if isinstance(facts, dict) else None
    if not isinstance(typestr, str) or typestr[1:2] not in tuple("VMm"):
        return None
    dtype = numpy.dtype(typestr)
    told = facts.get("descr")
    if dtype.kind == "V" and told and told != dtype.descr:
        dtype = described(told)
    if dtype.hasobject or dtype.itemsize != numpy.dtype(typestr).itemsize:
        raise ValueError(f"__cuda_array_interface__: no array can be of typestr {typestr!r} and descr {told!r}")
    return storage_dtype(dtype)


def _from_cuda_array(value, dtype):
    """The memory of another library on a GPU as a StorageArray."""
    return StorageArray(_core.asarray(AsBytes(value, value.__cuda_array_interface__, dtype.itemsize)), dtype)


def zeros(shape, dtype):
    """Elements of which all bytes are 0."""
    shape = tuple(shape) if hasattr(shape, "__len__") else (operator.index(shape),)
    return StorageArray(_core.zeros((*shape, dtype.itemsize), dtype="u1"), dtype)


def view_storage(array, dtype):
    """An ndarray's memory seen as a storage dtype."""
    if array.itemsize == dtype.itemsize:
        shape, strides = array.shape, array.strides
    else:
        if not array.ndim:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
        *lead, count = array.shape
        if count != 1 and array.strides[-1] != array.itemsize:
            raise ValueError("To change to a dtype of a different size, the last axis must be contiguous")
        if count * array.itemsize % dtype.itemsize:
            raise ValueError(
                "When changing to a larger dtype, its size must be a divisor of the total size in bytes of the "
                "last axis of the array."
            )
        shape = (*lead, count * array.itemsize // dtype.itemsize)
        strides = (*array.strides[:-1], dtype.itemsize)
    made = _core.ndarray((*shape, dtype.itemsize), "u1", array.data, strides=(*strides, 1))
    made.flags.writeable = array.flags.writeable
    return StorageArray(made, dtype)


# --- Comparing ---


def compare(first, second, name):
    """Element by element; structures are equal where all fields are."""
    kinds = first.dtype.kind + second.dtype.kind
    if kinds in ("MM", "mm"):
        return first._operate(name, (first, second))
    if kinds != "VV" or name not in ("equal", "not_equal"):
        raise TypeError(f"{name}() is not defined for dtypes {first.dtype} and {second.dtype}")
    if (first.dtype.names is None) != (second.dtype.names is None):
        raise TypeError(f"{name}() is not defined for dtypes {first.dtype} and {second.dtype}")
    same = _is_same(first, second)
    return same if name == "equal" else ~same


def _is_same(first, second):
    if first.dtype.names is None:
        if first.itemsize != second.itemsize:
            raise TypeError(f"void of {first.itemsize} and of {second.itemsize} bytes are not compared")
        return (first._words() == second._words()).all(axis=-1)
    if first.dtype.names != second.dtype.names:
        raise TypeError(
            "Cannot compare structured arrays unless they have a common dtype. I.e. `np.result_type(arr1, arr2)` "
            "must be defined."
        )
    ndim = max(first.ndim, second.ndim)
    same = None
    for name in first.dtype.names:
        one = first[name] == second[name]
        if first.dtype[name].subdtype is not None:
            one = one.all(axis=tuple(range(ndim, one.ndim)))
        same = one if same is None else same & one
    return same


def isnat(x, /):
    """Whether elements are NaT (not a time).

    Parameters
    ----------
    x : ndarray
        Of datetime64 or timedelta64.

    Returns
    -------
    ndarray of bool

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.isnat(cp.array(["2026-11-22", "NaT"], dtype="datetime64[D]"))
    array([False,  True])
    """
    if isinstance(x, _TIMES):
        return numpy.isnat(x)
    if type(x) is not StorageArray or not x._is_time():
        raise TypeError("isnat() takes arrays of datetime64 or timedelta64")
    return x._counts() == times.NAT


# --- What functions of the extension hand over ---


def _join(name):
    def join(arrays, axis=0, **options):
        if any(one is not None and one != "same_kind" for one in options.values()):
            raise TypeError(f"{name}() of structures, void and times takes no other arguments")
        arrays = list(arrays)
        dtypes = [one.dtype for one in arrays]
        dtype = numpy.result_type(*dtypes)  # also of one dtype: its fields move together
        arrays = [as_storage(one, dtype) for one in arrays]
        if axis is None and name == "concatenate":
            arrays, axis = [one.ravel() for one in arrays], 0
        ndim = arrays[0].ndim + (name == "stack")
        if not -ndim <= axis < ndim:
            raise numpy.exceptions.AxisError(axis, ndim)
        return arrays[0]._of(getattr(_core, name)([one._words() for one in arrays], axis % ndim))

    return join


def _array(object, dtype=None, copy=True, order="K", subok=False, ndmin=0, *, blocking=False, **options):
    if type(object) is StorageArray:
        wanted = object.dtype if dtype is None else dtype
        made = object.astype(wanted, copy=copy is not False and copy is not None)
        if not isinstance(made, StorageArray) and type(made) is not StorageArray:
            return made
    else:
        made = as_storage(object, _dtype_of(object) if dtype is None else dtype)
        if copy and _foreign_dtype(object) is not None:
            made = made.copy()
    return made.reshape((1,) * (ndmin - made.ndim) + made.shape) if made.ndim < ndmin else made


def _dtype_of(object):
    told = _foreign_dtype(object)
    if told is not None:
        return told
    return getattr(object, "dtype", None) if hasattr(object, "dtype") else numpy.asarray(object).dtype


def _asarray(a, dtype=None, order="K", *, copy=None, **options):
    return _array(a, dtype, copy=bool(copy), order=order)


def _new(shape, dtype=float, order="C", **options):
    return zeros(shape, storage_dtype(dtype))


def _full(shape, fill_value, dtype=None, order="C", **options):
    made = zeros(shape, storage_dtype(_dtype_of(fill_value) if dtype is None else dtype))
    made[...] = fill_value
    return made


def _ones(shape, dtype=float, order="C", **options):
    return _full(shape, 1, dtype)


def _new_like(prototype, dtype=None, order="K", subok=None, shape=None, **options):
    dtype = storage_dtype(prototype.dtype if dtype is None else dtype)
    shape = prototype.shape if shape is None else shape
    if dtype is None:
        raise TypeError("a plain dtype is asked for like an array of structures, void or times: give the shape")
    return zeros(shape, dtype)


def _full_like(prototype, fill_value, dtype=None, order="K", subok=None, shape=None, **options):
    made = _new_like(prototype, dtype, order, subok, shape)
    made[...] = fill_value
    return made


def _ones_like(a, *args, **options):
    return _full_like(a, 1, *args, **options)


def _sort(a, axis=-1, kind=None, order=None, *, stable=None):
    made = a.ravel().copy() if axis is None else a.copy()
    made.sort(-1 if axis is None else axis, order=order)
    return made


def _argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    return a.ravel().argsort(order=order) if axis is None else a.argsort(axis, order=order)


def _take(a, indices, axis=None, out=None, mode="wrap"):
    return a.take(indices, axis, out, mode)


def _along_axis(function):
    """A move of the core along an axis, done with words; without an axis with the flat array."""

    def move(a, argument, axis=None):
        source = a.ravel() if axis is None else a
        made = a._of(function(source._words(), argument, source._axis(axis or 0)))
        return made.reshape(a.shape) if axis is None and made.size == a.size else made

    return move


def _flip(m, axis=None):
    axes = range(m.ndim) if axis is None else {m._axis(one) for one in (axis if isinstance(axis, tuple) else (axis,))}
    return m[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(m.ndim))]


def _broadcast_to(array, shape, subok=False):
    shape = tuple(shape) if hasattr(shape, "__len__") else (operator.index(shape),)
    return array._of(_core._broadcast_to(array._bytes, (*shape, array.itemsize), False))


def _assign(dst, src, casting="same_kind"):
    dtype = getattr(src, "dtype", None)
    if dtype is not None and not numpy.can_cast(dtype, dst.dtype, casting):
        raise TypeError(f"Cannot cast array data from {dtype!r} to {dst.dtype!r} according to the rule '{casting}'")
    dst[...] = src


def _result_type(*values):
    return numpy.result_type(*(getattr(one, "dtype", one) for one in values))


def _where(condition, x, y):
    dtype = _result_type(*(one for one in (x, y) if hasattr(one, "dtype")))
    x, y = as_storage(x, dtype), as_storage(y, dtype)
    return x._of(_core._where(_core.asarray(condition)[..., None], x._words(), y._words()))


def _vstack(arrays, **options):
    rows = [one.reshape(1, -1) if one.ndim < 2 else one for one in map(_as_one, arrays)]
    return _join("concatenate")(rows, 0, **options)


def _hstack(arrays, **options):
    parts = [one.reshape(-1) if one.ndim < 1 else one for one in map(_as_one, arrays)]
    return _join("concatenate")(parts, 0 if parts[0].ndim == 1 else 1, **options)


def _as_one(value):
    return as_storage(value, _dtype_of(value))


def _partition(a, kth, axis=-1, kind="introselect", order=None):
    made = a.ravel().copy() if axis is None else a.copy()
    made.partition(kth, -1 if axis is None else axis)
    return made


def _argpartition(a, kth, axis=-1, kind="introselect", order=None):
    return a.ravel().argpartition(kth) if axis is None else a.argpartition(kth, axis)


def _searchsorted(a, v, side="left", sorter=None):
    return _as_one(a).searchsorted(v, side, sorter)


def _diff(a, n=1, axis=-1, prepend=None, append=None):
    parts = [_as_one(one) for one in (prepend, a, append) if one is not None]
    return difference(_join("concatenate")(parts, axis) if len(parts) > 1 else parts[0], n, axis)


def _arange(*bounds, dtype=None, **options):
    return from_host(numpy.arange(*bounds, dtype=dtype))


def _frombuffer(buffer, dtype=float, count=-1, offset=0, **options):
    return from_host(numpy.frombuffer(buffer, dtype, count, offset))


def _view(a, dtype=None, type=None):
    if type is not None:
        raise TypeError("view(type=) of structures, void and times")
    return view_storage(a, storage_dtype(dtype))


def _astype(a, dtype, order="K", casting="unsafe", subok=True, copy=True):
    if not numpy.can_cast(a.dtype, dtype, casting):
        raise TypeError(
            f"Cannot cast array from {a.dtype!r} to {numpy.dtype(dtype)!r} according to the rule '{casting}'"
        )
    return as_storage(a, storage_dtype(dtype)).copy()


_TAKEN_OVER = {
    "array": _array,
    "asarray": _asarray,
    "asanyarray": _asarray,
    "ascontiguousarray": _asarray,
    "empty": _new,
    "zeros": _new,
    "ones": _ones,
    "full": _full,
    "empty_like": _new_like,
    "zeros_like": _new_like,
    "ones_like": _ones_like,
    "full_like": _full_like,
    "concatenate": _join("concatenate"),
    "stack": _join("stack"),
    "sort": _sort,
    "argsort": _argsort,
    "take": _take,
    "_copyto": _assign,
    "_flip": _flip,
    "_roll": _along_axis(lambda words, shift, axis: _core._roll(words, shift, axis)),
    "_repeat": _along_axis(lambda words, count, axis: _core._repeat(words, count, axis)),
    "_broadcast_to": _broadcast_to,
    "_is_near": lambda array: _core._is_near(array._bytes),
    "vstack": _vstack,
    "hstack": _hstack,
    "partition": _partition,
    "argpartition": _argpartition,
    "searchsorted": _searchsorted,
    "put": lambda a, ind, v, mode="wrap": a.put(ind, v, mode),
    "diff": _diff,
    "arange": _arange,
    "compress": lambda condition, a, axis=None, out=None: a.compress(condition, axis, out),
    "nonzero": lambda a: a.nonzero(),
    "flatnonzero": lambda a: a.ravel().nonzero()[0],
    "argwhere": lambda a: _core.argwhere(a._is_set()),
    "_result_type": _result_type,
    "extract": lambda condition, arr: arr.ravel().compress(_core.asarray(condition).ravel()),
    **{f"ufunc.{name}": _by_ufunc(name) for name in ("reduce", "accumulate", "reduceat", "at")},
    "frombuffer": _frombuffer,
    "ndarray.view": _view,
    "ndarray.astype": _astype,
}


# These refuse NumPy's arrays of any dtype.
_OF_THE_DEVICE = frozenset(
    """
    sort argsort take _repeat partition argpartition searchsorted put compress nonzero flatnonzero argwhere extract
""".split()
)


def take_over(function, args, kwargs):
    """What a function of the extension gives for arguments that it refused with a TypeError, or
    NotImplemented where none is of a storage dtype."""

    def is_storage(value):
        if type(value) is StorageArray:
            return True
        if isinstance(value, (list, tuple)):
            return bool(value) and type(value[0]) in (StorageArray, list, tuple, *_TIMES) and is_storage(value[0])
        if isinstance(value, (numpy.ndarray, numpy.generic)):
            return value.dtype.kind in "VMm"
        return _foreign_dtype(value) is not None

    if function not in _TAKEN_OVER:
        return NotImplemented
    values = (*args, *kwargs.values())
    if function in _OF_THE_DEVICE and not any(type(one) is StorageArray for one in values):
        return NotImplemented
    dtypes = [
        kwargs.get("dtype"),
        *(one for one in args[1:] if isinstance(one, (numpy.dtype, str, list, type)) and one != []),
    ]
    if any(storage_dtype(one) is not None for one in dtypes) or any(map(is_storage, values)):
        return _TAKEN_OVER[function](*args, **kwargs)
    return NotImplemented
