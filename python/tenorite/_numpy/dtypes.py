"""Data types: limits and promotion. The dtypes themselves are NumPy's objects."""

import importlib

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, first_array, is_scalar

_NUMBERS = {bool, int, float, complex}
_FLOAT16, _FLOAT64 = numpy.dtype(numpy.float16), numpy.dtype(numpy.float64)


def finfo(dtype):
    """Limits of a floating-point or complex dtype, given itself or as an array: a numpy.finfo.

    bfloat16 gives an ml_dtypes.finfo. ValueError for other dtypes.

    Parameters
    ----------
    dtype : dtype
        A dtype of floats or complex numbers.

    Returns
    -------
    numpy.finfo
        The limits; one of ml_dtypes for bfloat16.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.finfo(cp.float32).bits
    32
    """
    if isinstance(dtype, _core.ndarray):
        dtype = dtype.dtype
    if isinstance(dtype, numpy.dtype) and dtype.kind in "fc":
        return numpy.finfo(dtype)
    # NumPy does not know this one; its name is known without importing ml_dtypes.
    if getattr(dtype, "name", getattr(dtype, "__name__", dtype)) == "bfloat16":
        return importlib.import_module("ml_dtypes").finfo(dtype)
    return numpy.finfo(dtype)


def _of_ours(ours, theirs, *args):
    """What the core says of dtypes of its arrays; NumPy knows the others, as those of texts."""
    try:
        return ours(*args)
    except TypeError as refusal:
        if "Unsupported dtype" not in str(refusal):
            raise
    return theirs(*(one.dtype if isinstance(one, _core.ndarray) else one for one in args))


def _is_swapped(dtype):
    """Whether a dtype of NumPy's has the other order of bytes."""
    try:
        return not numpy.dtype(dtype).isnative
    except TypeError:  # one that NumPy does not know
        return False


def result_type(*arrays_and_dtypes):
    """The dtype of an operation on these: arrays, dtypes, and scalars, of which Python's are weak.

    NumPy's rules (NEP 50), and bfloat16 among them. TypeError for dtypes without a common one and
    for unsupported ones, ValueError without arguments.

    Parameters
    ----------
    *arrays_and_dtypes : ndarray, scalar or dtype
        What is combined.

    Returns
    -------
    dtype
        What an operation on them gives.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.result_type(cp.int8, cp.float32)
    dtype('float32')
    """
    try:
        return _core._result_type(*arrays_and_dtypes)
    except TypeError:
        return _result_type_any(arrays_and_dtypes)


def _result_type_any(arrays_and_dtypes):
    try:
        return _of_ours(_core._result_type, numpy.result_type, *arrays_and_dtypes)
    except TypeError:
        if not any(isinstance(one, numpy.ndarray) for one in arrays_and_dtypes):
            raise
    return result_type(*(one.dtype if isinstance(one, numpy.ndarray) else one for one in arrays_and_dtypes))


def promote_types(type1, type2):
    """The smallest dtype to which both dtypes cast safely. TypeError for unsupported dtypes.

    Parameters
    ----------
    type1 : dtype
        One dtype.
    type2 : dtype
        The other dtype.

    Returns
    -------
    dtype
        The smallest that both cast to safely.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.promote_types(cp.int32, cp.float32)
    dtype('float64')
    """
    return _of_ours(_core._promote_types, numpy.promote_types, type1, type2)


def can_cast(from_, to, casting="safe"):
    """Whether a cast is allowed from a dtype, or that of an array or NumPy scalar, to another.

    casting: 'no', 'equiv', 'safe', 'same_kind' or 'unsafe'. TypeError for Python scalars, whose
    dtype depends on their surroundings, and for unsupported dtypes; ValueError for another casting.

    Parameters
    ----------
    from_ : dtype, ndarray or scalar
        What is converted.
    to : dtype
        The target.
    casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
        Which conversions are allowed.

    Returns
    -------
    bool
        Whether it may be.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.can_cast(cp.int32, cp.float64)
    True
    """
    if isinstance(from_, (int, float, complex)) and not isinstance(from_, numpy.generic):
        raise TypeError(
            "can_cast() does not support Python ints, floats, and complex because the result used to "
            "depend on the value."
        )
    if from_ is None or to is None:
        raise TypeError("did not understand one of the types; 'None' not accepted")
    if isinstance(from_, (_core.ndarray, numpy.generic)):
        from_ = from_.dtype
    if isinstance(casting, str) and casting == "no" and (_is_swapped(from_) or _is_swapped(to)):
        return numpy.can_cast(from_, to, casting)
    return _of_ours(_core._can_cast, numpy.can_cast, from_, to, casting)


def common_type(*arrays):
    """The floating-point or complex dtype that holds all arrays; integers count as float64.

    Returns a scalar type (numpy.float64). TypeError for boolean arrays.

    Parameters
    ----------
    *arrays : sequence of ndarrays
        The arrays.

    Returns
    -------
    type
        A type of NumPy's floats.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.common_type(cp.array([1, 2]), cp.array([1.5]))
    <class 'numpy.float64'>
    """
    types = []
    for array in arrays:
        dtype = array.dtype
        if dtype.kind == "b":
            raise TypeError("can't get common type for non-numeric array")
        types.append(_FLOAT64 if dtype.kind in "iu" else dtype)
    return result_type(*types, _FLOAT16).type


def min_scalar_type(a):
    """The smallest dtype that holds a scalar's value; for an array, its dtype.

    Parameters
    ----------
    a : scalar or ndarray
        The value.

    Returns
    -------
    dtype
        The smallest that holds the value.

    Notes
    -----
    Differs from NumPy: the value of a 0-d array is not read; its dtype is given.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.min_scalar_type(300)
    dtype('uint16')
    """
    is_ours = not is_scalar(a) and (first_array((a,)) is not None or _has_foreign(a))
    return as_array_of(a).dtype if is_ours else numpy.min_scalar_type(a)


def _has_foreign(value):
    """Whether a value is another library's array, or a list in which one is."""
    if isinstance(value, (list, tuple)):
        return not set(map(type, value)) <= _NUMBERS and any(map(_has_foreign, value))
    return not is_scalar(value) and _core._foreign(value) is not None


def make_aligned_dtype(dtype, *, alignment=None, recurse=True):
    """A structured dtype whose fields lie where a C++ compiler of kernels puts them.

    As ``numpy.dtype(..., align=True)``, but complex numbers are aligned to their own size, as
    ``complex<T>`` of kernels is.

    Parameters
    ----------
    dtype : dtype
        A structured dtype.
    alignment : int, optional
        The least alignment of the whole, a power of two.
    recurse : bool, optional
        Whether structures inside are aligned, too.

    Returns
    -------
    numpy.dtype
        With the same names and, but for structures inside, dtypes.

    Raises
    ------
    ValueError
        If the dtype has no fields, or `alignment` is no power of two.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.make_aligned_dtype([("a", "u1"), ("b", "c16")]).itemsize
    32
    """
    dtype = numpy.dtype(dtype)
    if alignment is not None and (alignment < 1 or alignment & (alignment - 1)):
        raise ValueError(f"alignment must be a power of two, not {alignment}")
    if dtype.base.names is None:
        raise ValueError(f"make_aligned_dtype only supports structured dtypes, not {dtype}")
    return _aligned(dtype, alignment or 1, recurse)[0]


def _aligned(dtype, least, recurse):
    """The dtype with its fields aligned, and its alignment."""
    if dtype.subdtype is not None:
        inner, needed = _aligned(dtype.base, 1, recurse)
        return numpy.dtype((inner, dtype.shape)), needed
    if dtype.names is None:
        return dtype, dtype.itemsize if dtype.kind == "c" else dtype.alignment
    formats, offsets, end = [], [], 0
    for name in dtype.names:
        field = dtype[name]
        made, needed = _aligned(field, 1, recurse)
        if not recurse and field.base.names is not None:
            made = field
        end = -(-end // needed) * needed
        formats.append(made)
        offsets.append(end)
        end += made.itemsize
        least = max(least, needed)
    layout = {"names": list(dtype.names), "formats": formats, "offsets": offsets, "itemsize": -(-end // least) * least}
    return numpy.dtype(layout), least
