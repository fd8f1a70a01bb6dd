"""Elements that are no numbers: structures, void, dates, durations.

The core moves them as the bytes that they are: views, indexing, joins and copies are those of all
arrays. Here is what has to know what the bytes mean: fields, conversions, comparisons, order, and
the operations of dates and durations (times.py). Functions of the extension call take_over() for
arrays of such dtypes.
"""

import numpy

from tenorite import _core
from tenorite._arguments import ndarray
from tenorite._array import times
from tenorite._numpy.indexing import take_along_axis, where
from tenorite._numpy.sorting import lexsort

_WORDS = ("u8", "u4", "u2", "u1")
_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


def is_stored(value):
    """Whether a value is an array of such elements."""
    return isinstance(value, ndarray) and value.dtype.kind in "VMm" and value.dtype.name != "bfloat16"


def _is_time(array):
    return array.dtype.kind in "Mm"


def _rows(array, dtype):
    """The memory of each element as a row of others."""
    return array.reshape(*array.shape, 1).view(dtype)


def _word(array):
    return next(one for one in _WORDS if array.itemsize % int(one[1]) == 0)


def _words(array):
    return _rows(array, _word(array))


def _counts(array):
    """Dates and durations as the int64 that they are."""
    if not _is_time(array):
        raise TypeError(f"elements of dtype {array.dtype} have no order")
    return array.view(numpy.int64)


def _is_structure(dtype):
    return dtype.names is not None


# --- Fields ---


def field(array, key):
    """A view of a field, or of several as one structure; NotImplemented for another key."""
    if isinstance(key, list):
        if not key or not all(isinstance(one, str) for one in key):
            return NotImplemented
    elif not isinstance(key, str):
        return NotImplemented
    if array.dtype.names is None:
        raise IndexError(f"only arrays of structures have fields; the dtype is {array.dtype}")
    if isinstance(key, list):
        return array.view(array.dtype[key])
    if key not in array.dtype.fields:
        raise ValueError(f"no field of name {key}")
    return array.getfield(*array.dtype.fields[key][:2])


def _fields(array):
    return [array[name] for name in array.dtype.names]


def _with_axes(array, ndim):
    """An array with axes of size 1 after its own, beside a field with arrays in its elements."""
    return array.reshape(array.shape + (1,) * (ndim - array.ndim))


def assign(array, key, value):
    """array[key] = value, where either is of elements that are no numbers."""
    part = field(array, key)
    if part is not NotImplemented:
        part[...] = value
        return
    if isinstance(value, ndarray):
        value = value if value.dtype == array.dtype else cast(value, array.dtype)
    else:
        with array.device:
            value = _core.asarray(value, array.dtype)
    array[key] = value


def assign_fields(array, key, value):
    """array[key] = value of the same structure: what lies between fields may be other fields."""
    for name in array.dtype.names:
        part = array[name]
        part[_inner_key(array, key, part.ndim - array.ndim)] = value[name]


def _inner_key(array, key, inner):
    """The key of a field with inner axes, which an ellipsis leaves alone."""
    entries = key if isinstance(key, tuple) else (key,)
    used = 0
    for one in entries:
        if one is not None and one is not Ellipsis:
            mask = one if hasattr(one, "dtype") else numpy.asarray(one) if isinstance(one, list) else None
            used += mask.ndim if mask is not None and mask.dtype == bool else 1
    if used > array.ndim:
        raise IndexError(f"too many indices for array: array is {array.ndim}-dimensional, but {used} were indexed")
    return (*entries, *(slice(None),) * inner) if any(one is Ellipsis for one in entries) else (*entries, Ellipsis)


# --- Conversions ---


def _refuse_cast(own, dtype, casting):
    rule = "" if casting == "unsafe" else f" according to the rule '{casting}'"
    raise TypeError(f"Cannot cast array data from {own!r} to {dtype!r}{rule}")


def cast(array, dtype, casting="unsafe"):
    """A converted copy: structures field by field, dates to other units and to integers."""
    own = array.dtype
    if not numpy.can_cast(own, dtype, casting):
        _refuse_cast(own, dtype, casting)
    if own == dtype:
        return array.copy("K").view(dtype)
    if own.kind in "Mm" and dtype.kind in "Mm":
        counts = _counts(array)
        made = times.in_unit(counts, own, dtype) if own.kind == dtype.kind else counts
        return (counts.copy() if made is counts else made).view(dtype)
    if own.kind in "Mm" and dtype.kind in "iufcb":
        return _counts(array).astype(dtype)
    if dtype.kind in "Mm" and own.kind in "iufcb":
        return (array.real if own.kind == "c" else array).astype(numpy.int64).view(dtype)
    if _is_structure(dtype) and (own.kind not in "VMm" or _is_structure(own)):
        return _to_structure(array, dtype)
    if dtype.kind == "V" and not _is_structure(dtype) and (own.names is None or len(own.names) == 1):
        return _to_void(array, dtype)
    if _is_structure(own) and len(own.names) == 1:
        return array[own.names[0]].astype(dtype)
    if own.kind in "VMm":
        _refuse_cast(own, dtype, casting)
    raise TypeError(f"elements of dtype {own} do not become {dtype}")


def convert(array, dtype, casting):
    """What astype() makes: as cast(), and a unit stays where the dtype has none."""
    has_unit = dtype.kind not in "Mm" or numpy.datetime_data(dtype)[0] != "generic"
    if array.dtype.kind in "Mm" and not has_unit:
        dtype = numpy.dtype(dtype.str + array.dtype.str[3:])
    return cast(array, dtype, casting)


def _to_structure(array, dtype):
    """Fields from fields in their order, or from the same number."""
    sources = _fields(array) if is_stored(array) else [array] * len(dtype.names)
    if len(sources) != len(dtype.names):
        _refuse_cast(array.dtype, dtype, "unsafe")
    with array.device:
        made = _core.zeros(array.shape, dtype)
    for part, source in zip(_fields(made), sources):
        part[...] = _with_axes(source, part.ndim) if source.ndim < part.ndim else source
    return made


def _to_void(array, dtype):
    """The bytes of the elements, cut, or with zeros after them."""
    with array.device:
        made = _core.zeros(array.shape, dtype)
    count = min(dtype.itemsize, array.itemsize)
    _rows(made, numpy.uint8)[..., :count] = _rows(array, numpy.uint8)[..., :count]
    return made


def _as_stored(value, dtype):
    """A value as an array of a dtype."""
    if isinstance(value, ndarray):
        return value if value.dtype == dtype else cast(value, dtype)
    return _core.asarray(value, dtype)


def _as_one(value):
    return value if isinstance(value, ndarray) else _core.asarray(value)


# --- Comparisons ---


def _compare(first, second, name):
    """Element by element; structures are equal where all fields are."""
    kinds = first.dtype.kind + second.dtype.kind
    if kinds != "VV" or name not in ("equal", "not_equal") or _is_structure(first.dtype) != _is_structure(second.dtype):
        raise TypeError(f"{name}() is not defined for dtypes {first.dtype} and {second.dtype}")
    same = _is_same(first, second)
    return same if name == "equal" else ~same


def _is_same(first, second):
    if not _is_structure(first.dtype):
        if first.itemsize != second.itemsize:
            raise TypeError(f"void of {first.itemsize} and of {second.itemsize} bytes are not compared")
        return (_words(first) == _words(second)).all(axis=-1)
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


def _is_set(array):
    """Where elements are not all zeros."""
    if _is_time(array):
        return _counts(array) != 0
    if not _is_structure(array.dtype):
        return (_words(array) != 0).any(axis=-1)
    made = None
    for part in _fields(array):
        one = _is_set(part) if is_stored(part) else part != 0
        one = one.any(axis=tuple(range(array.ndim, one.ndim))) if one.ndim > array.ndim else one
        made = one if made is None else made | one
    return made


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
    if isinstance(x, times.SCALARS):
        return numpy.isnat(x)
    if not isinstance(x, ndarray) or not _is_time(x):
        raise TypeError("isnat() takes arrays of datetime64 or timedelta64")
    return _counts(x) == times.NAT


# --- Order ---


def _sort_keys(array):
    """Arrays of numbers that order the elements, the first one first: fields, bytes, counts."""
    if _is_time(array):
        return [_counts(array) - 1]  # one less, so that NaT is the largest
    if not _is_structure(array.dtype):
        width = numpy.dtype(_word(array)).itemsize
        parts = _rows(array, numpy.uint8).reshape(*array.shape, array.itemsize // width, width)[..., ::-1]
        words = parts.copy().view(_word(array))[..., 0]  # the first byte counts most
        return [words[..., k] for k in range(words.shape[-1])]
    keys = []
    for part in _fields(array):
        inner = part.shape[array.ndim :]
        for one in [part[(..., *place)] for place in numpy.ndindex(*inner)] if inner else [part]:
            keys += _sort_keys(one) if is_stored(one) else [one]
    return keys


def _by_fields(array, order):
    """A view of structures whose first fields are those that `order` names."""
    if order is None:
        return array
    if not _is_structure(array.dtype):
        raise ValueError("Cannot specify order when the array has no fields.")
    names = [order] if isinstance(order, str) else list(order)
    for place, name in enumerate(names):
        if name not in array.dtype.names or name in names[:place]:
            raise ValueError(f"{'duplicate' if name in array.dtype.names else 'unknown'} field name: {name}")
    return array[names + [name for name in array.dtype.names if name not in names]]


def _argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    source, axis = (a.ravel(), -1) if axis is None else (a, axis)
    keys = _sort_keys(_by_fields(source, order))
    return _core.argsort(keys[0], axis=axis) if len(keys) == 1 else lexsort(tuple(keys[::-1]), axis=axis)


def _sort_in_place(a, axis=-1, kind=None, order=None, *, stable=None):
    if _is_time(a) and order is None:
        _counts(a)[...] = _core.sort(_counts(a) - 1, axis=axis) + 1
        return
    a[...] = take_along_axis(a, _argsort(a, axis, order=order), axis)


def _check_kth(a, kth, axis):
    """What partition() says of positions, by its own words, of structures, which it sorts."""
    _core.argpartition(_core.zeros(a.shape[axis] if a.ndim else (), bool), kth)


def _partition_in_place(a, kth, axis=-1, kind="introselect", order=None):
    if _is_time(a) and order is None:
        _counts(a)[...] = _core.partition(_counts(a) - 1, kth, axis=axis) + 1
        return
    _check_kth(a, kth, axis)
    _sort_in_place(a, axis, order=order)


def _argpartition(a, kth, axis=-1, kind="introselect", order=None):
    source, axis = (a.ravel(), -1) if axis is None else (a, axis)
    if _is_time(a) and order is None:
        return _core.argpartition(_counts(source) - 1, kth, axis=axis)
    _check_kth(source, kth, axis)
    return _argsort(source, axis, order=order)


def _of_copy(in_place, at):
    """The function of a method that works in place; `at` arguments stand before the axis."""

    def work(a, *args, axis=-1, **options):
        args, axis = (args[:at], args[at]) if len(args) > at else (args, axis)
        made = a.ravel().copy() if axis is None else a.copy()
        in_place(made, *args, axis=-1 if axis is None else axis, **options)
        return made

    return work


def _searchsorted(a, v, side="left", sorter=None):
    a = _as_one(a)
    v = _as_stored(v, getattr(v, "dtype", a.dtype))
    dtype = numpy.promote_types(a.dtype, v.dtype)
    if dtype.kind in "Mm":
        keys = [times.in_unit(_counts(one), one.dtype, dtype) - 1 for one in (a, v)]
    else:
        keys = _ranks([_as_stored(one, dtype) for one in (a, v)])
    return _core.searchsorted(*keys, side=side, sorter=sorter)


def _ranks(arrays):
    """Numbers that compare as the elements of structures or void do."""
    joined = _core.concatenate([one.ravel() for one in arrays])
    keys = _sort_keys(joined)
    order = lexsort(tuple(keys[::-1]))
    steps = _core.zeros(max(joined.size - 1, 0), bool)
    for key in keys:
        before, after = key[order[:-1]], key[order[1:]]
        steps |= (before != after) & ((before == before) | (after == after))  # NaN are of one rank
    ranks = _core.zeros(joined.shape, numpy.int64)
    ranks[order[1:]] = _core.cumsum(steps)
    ends = numpy.cumsum([one.size for one in arrays])
    return [ranks[end - one.size : end].reshape(one.shape) for one, end in zip(arrays, ends.tolist())]


def _diff(a, n=1, axis=-1, prepend=None, append=None):
    parts = [_as_one(one) for one in (prepend, a, append) if one is not None]
    made = _join("concatenate")(parts, axis) if len(parts) > 1 else parts[0]
    for _ in range(n):
        one, other = ([slice(None)] * made.ndim for _ in range(2))
        one[axis], other[axis] = slice(1, None), slice(None, -1)
        made = made[tuple(one)] - made[tuple(other)]
    return made


# --- Operations and reductions ---


def _of_counts(counts, dtype):
    return _core.asarray(counts).view(dtype)


def _stored(made, out, name, mask=True):
    """What was made, in `out` if that is given, where a mask is true."""
    out = out[0] if isinstance(out, tuple) else out
    if out is None:
        return made
    if out.shape != made.shape and (mask is True or numpy.broadcast_shapes(out.shape, made.shape) != out.shape):
        raise ValueError(f"{name}: an output of shape {out.shape} for a result of shape {made.shape}")
    if not numpy.can_cast(made.dtype, out.dtype, "same_kind"):
        raise TypeError(f"Cannot cast {name}() of dtype {made.dtype!r} to {out.dtype!r}")
    out[...] = made if mask is True else where(mask, made.astype(out.dtype), out)
    return out


def _where(condition, x, y):
    dtype = numpy.result_type(*(one.dtype for one in (x, y) if hasattr(one, "dtype")))
    x, y, condition = _as_stored(x, dtype), _as_stored(y, dtype), _core.asarray(condition)
    shape = numpy.broadcast_shapes(condition.shape, x.shape, y.shape)
    x, y, condition = (_core._broadcast_to(one, shape, False) for one in (x, y, condition))
    made = y.copy()
    made[condition.astype(bool)] = x[condition.astype(bool)]
    return made


def _operate(name, inputs):
    """What an operation makes of times and numbers; NotImplemented for what is neither."""
    operands = []
    own = next(one.dtype for one in inputs if is_stored(one))
    for one in inputs:
        if isinstance(one, str):
            one = _core.asarray(one, own)
        if isinstance(one, numpy.ndarray) and one.ndim:
            return NotImplemented
        if is_stored(one):
            operands.append((_counts(one), one.dtype))
        elif isinstance(one, (bool, int, float, numpy.generic, ndarray)):
            operands.append(one)
        else:
            return NotImplemented
    made = tuple(
        _of_counts(values, dtype) if dtype.kind in "Mm" else _core.asarray(values).astype(dtype, copy=False)
        for values, dtype in times.operate(name, operands)
    )
    return made[0] if len(made) == 1 else made


def _called(name, inputs):
    stored = [one for one in inputs if is_stored(one)]
    if name == "where":
        return _where(*inputs)
    if name == "clip":
        return _clip(*inputs)
    if name in times.OPERATIONS and stored and _is_time(stored[0]):
        return _operate(name, inputs)
    if name in _COMPARISONS and stored and all(hasattr(one, "dtype") or isinstance(one, tuple) for one in inputs):
        return _compare(*(_as_stored(one, getattr(one, "dtype", stored[0].dtype)) for one in inputs), name)
    return NotImplemented


def _clip(a, least=None, most=None):
    made = a if least is None else _core.maximum(a, least)
    return made if most is None else _core.minimum(made, most)


def _ufunc(ufunc, *inputs, out=None, where=True, **options):
    name = ufunc.__name__.lstrip("_")
    inputs, more = inputs[: ufunc.nin], inputs[ufunc.nin :]
    if not any(map(is_stored, inputs)):  # a date or duration of NumPy's beside numbers
        inputs = tuple(_core.asarray(one) if isinstance(one, times.SCALARS) else one for one in inputs)
    made = _called(name, inputs) if not options else NotImplemented
    if made is NotImplemented:
        dtype = next(
            one.dtype for one in (*inputs, *more, *(out if isinstance(out, tuple) else (out,))) if is_stored(one)
        )
        named = f"({', '.join(f'{one}=' for one in options)})"
        raise TypeError(f"{name}{named} is not defined for elements of dtype {dtype}: they are only stored")
    return _stored(made, out if out is not None else (more or None), name, where)


def _given(initial, where):
    """The options of a reduction that were given."""
    given = {"initial": initial, "where": None if where is True else where}
    return {key: value for key, value in given.items() if value is not None}


def _check_loop(array, dtype):
    """TypeError for the dtype= of another kind, or of another unit, which chooses no loop."""
    if dtype is not None and numpy.dtype(dtype) not in (array.dtype, numpy.dtype(array.dtype.kind + "8")):
        raise TypeError(f"dtype={numpy.dtype(dtype)} for elements of dtype {array.dtype}: convert them, with astype")


def _reduction(name):
    def reduce(a, axis=None, out=None, keepdims=False, dtype=None, initial=None, where=True):
        options = {"axis": axis, "keepdims": keepdims} | _given(initial, where)
        if not _is_time(a) and name in ("any", "all", "count_nonzero"):
            return _stored(getattr(_core, name)(_is_set(a), **options), out, name)
        if not _is_time(a):
            raise TypeError(f"{name}() is not defined for elements of dtype {a.dtype}")
        _check_loop(a, dtype)
        made, dtype = times.reduce(name, _counts(a), a.dtype, **options)
        return _stored(made if dtype is None else _of_counts(made, dtype), out, name)

    def reduce_with_dtype(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        return reduce(a, axis, out, keepdims, dtype, initial, where)

    return reduce_with_dtype if name in ("sum", "mean") else reduce


def _cumsum(a, axis=None, dtype=None, out=None):
    if a.dtype.kind != "m":
        raise TypeError(f"cumsum() is not defined for elements of dtype {a.dtype}")
    source = a.ravel() if axis is None or not a.ndim else a
    return _method("accumulate")(_core.add, source, 0 if axis is None else axis, dtype, out)


_PARAMETERS = {
    "reduce": ("axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("axis", "dtype", "out"),
    "reduceat": ("indices", "axis", "dtype", "out"),
    "at": ("indices", "b"),
}


def _method(method):
    """A method of a ufunc on times."""
    names = _PARAMETERS[method]

    def call(ufunc, a, *args, **kwargs):
        name = ufunc.__name__
        if not _is_time(a):
            raise TypeError(f"{name}.{method}() is not defined for elements of dtype {a.dtype}: they are only stored")
        given = {"axis": 0} if method != "at" and (a.ndim or method != "reduce") else {}
        given |= dict(zip(names, args)) | kwargs
        if method == "at":
            return _change_at(name, a, given["indices"], given.get("b"))
        dtype, out = given.pop("dtype", None), given.pop("out", None)
        if name in times.OF_TRUTH and dtype is not None:
            raise TypeError(f"{name}.{method}() of elements of dtype {a.dtype} gives bools, not {numpy.dtype(dtype)}")
        _check_loop(a, dtype)
        options = _given(given.pop("initial", None), given.pop("where", True))
        places = (given.pop("indices"),) if method == "reduceat" else ()
        if method != "reduce" and not a.ndim:
            raise TypeError(f"cannot {method} on a scalar")
        made = times.fold(name, method, _counts(a), a.dtype, *places, **given, **options)
        return _stored(made if made.dtype == bool else _of_counts(made, a.dtype), out, name)

    return call


def _change_at(name, array, indices, b):
    if b is None:
        raise ValueError("second operand needed for ufunc")
    times.change_at(name, _counts(array), array.dtype, indices, (_counts(b), b.dtype) if is_stored(b) else b)


# --- What functions of the extension hand over ---


def described(typestr, descr):
    """The dtype that the entries of a ``__cuda_array_interface__`` mean."""
    dtype = numpy.dtype(typestr)
    if dtype.kind == "V" and descr and descr != dtype.descr:
        dtype = numpy.lib.format.descr_to_dtype(descr)
    if dtype.hasobject or dtype.itemsize != numpy.dtype(typestr).itemsize or not dtype.isnative:
        raise ValueError(f"__cuda_array_interface__: no array can be of typestr {typestr!r} and descr {descr!r}")
    return dtype


def _join(name):
    """Arrays of several dtypes, and structures with gaps, whose fields move together: as void."""

    def join(arrays, *args, dtype=None, **options):
        arrays = [_as_one(one) for one in arrays]
        dtype = numpy.result_type(*(one.dtype for one in arrays)) if dtype is None else numpy.dtype(dtype)
        void = numpy.dtype(("V", dtype.itemsize))
        return getattr(_core, name)([_as_stored(one, dtype).view(void) for one in arrays], *args, **options).view(dtype)

    return join


def _put(a, ind, v, mode="raise"):
    _core.put(a, ind, _as_stored(v, a.dtype), mode)


def _assign(dst, src, casting="same_kind"):
    src = _as_stored(src, dst.dtype) if not isinstance(src, ndarray) else cast(src, dst.dtype, casting)
    dst[...] = src


def _arange(*bounds, dtype=None, **options):
    return _core.array(numpy.arange(*bounds, dtype=dtype), **options)


def _result_type(*values):
    return numpy.result_type(*(getattr(one, "dtype", one) for one in values))


_TAKEN_OVER = {
    "ufunc.__call__": _ufunc,
    **{f"ufunc.{name}": _method(name) for name in _PARAMETERS},
    **{name: _reduction(name) for name in times.REDUCTIONS},
    "cumsum": _cumsum,
    "sort": _of_copy(_sort_in_place, 0),
    "argsort": _argsort,
    "partition": _of_copy(_partition_in_place, 1),
    "argpartition": _argpartition,
    "searchsorted": _searchsorted,
    "ndarray.sort": _sort_in_place,
    "ndarray.partition": _partition_in_place,
    "diff": _diff,
    "nonzero": lambda a: _is_set(a).nonzero(),
    "flatnonzero": lambda a: _core.flatnonzero(_is_set(a)),
    "argwhere": lambda a: _core.argwhere(_is_set(a)),
    **{name: _join(name) for name in ("concatenate", "stack", "vstack", "hstack")},
    "put": _put,
    "_copyto": _assign,
    "_result_type": _result_type,
    "arange": _arange,
}


def take_over(function, args, kwargs):
    """What a function of the extension gives for elements that are no numbers."""
    if function not in _TAKEN_OVER:
        dtype = next(one.dtype for one in (*args, *kwargs.values()) if is_stored(one))
        raise TypeError(f"{function}() is not defined for elements of dtype {dtype}")
    return _TAKEN_OVER[function](*args, **kwargs)
