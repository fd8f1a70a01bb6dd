"""Array creation: ranges, matrices, and arrays of what exists. Most of it is in C."""

import operator

import numpy
from numpy.lib.array_utils import normalize_axis_index

from tenorite import _core, cuda
from tenorite._arguments import DL_CPU, as_array, as_array_of, beside, is_scalar, ndarray, with_methods
from tenorite._numpy._documents import documented
from tenorite._numpy.shapes import broadcast_to, expand_dims

_REQUIREMENTS = {
    "C": "C",
    "C_CONTIGUOUS": "C",
    "CONTIGUOUS": "C",
    "F": "F",
    "F_CONTIGUOUS": "F",
    "FORTRAN": "F",
    "A": "A",
    "ALIGNED": "A",
    "W": "W",
    "WRITEABLE": "W",
    "O": "O",
    "OWNDATA": "O",
    "E": "E",
    "ENSUREARRAY": "E",
}


# --- Ranges ---


def _weak(value):
    """What promotion sees of a value: Python's scalars have no dtype of their own."""
    return value if type(value) in (bool, int, float, complex) else as_array_of(value).dtype


def _first_axis_to(values, axis):
    axes = list(range(1, values.ndim))
    axes.insert(normalize_axis_index(operator.index(axis), values.ndim), 0)
    return values.transpose(axes)


@beside
def _linspace_of_arrays(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    """linspace where a bound is an array, or of a dtype that decides the arithmetic."""
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    parts = num - 1 if endpoint else num
    working = numpy.result_type(_weak(start), _weak(stop), float(num))
    whole = dtype is not None and numpy.dtype(dtype).kind in "iu"
    start, stop = as_array_of(start).astype(working), as_array_of(stop).astype(working)
    delta = stop - start
    ramp = _core.arange(num, dtype=working).reshape((-1,) + (1,) * delta.ndim)
    step = delta / parts if parts > 0 else delta * numpy.nan
    values = start + (ramp / parts * delta if parts > 0 else ramp * delta)
    if parts > 0:
        values = _core._where(step == 0, values, ramp * step + start)
    if endpoint and num > 1:
        values[-1] = stop
    if whole:
        values = _core.floor(values)
    values = _first_axis_to(values.astype(working if dtype is None else dtype, copy=False), axis)
    if device is not None:
        values = values.to_device(device)
    return (values, step) if retstep else values


@beside
@documented
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """`num` values from base**start to base**stop whose logarithms are evenly spaced.

    Parameters
    ----------
    start : array_like
        The exponent of the first value.
    stop : array_like
        The exponent of the last value.
    num : int, optional
        How many values.
    base : float, optional
        The base of the powers.
    axis : int, optional
        Where the values lie in the result, if the ends are arrays.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.logspace(0, 2, 3)
    array([  1.,  10., 100.])
    """
    if not is_scalar(base):
        base = as_array(base)
    if not is_scalar(base) and base.ndim:
        ends = as_array(start), as_array(stop), base
        shape = numpy.broadcast_shapes(*(one.shape for one in ends))
        start, stop, base = (broadcast_to(one, shape) for one in ends)
        base = expand_dims(base, axis)
    powers = _core.linspace(start, stop, num, endpoint, axis=axis)
    values = _core.power(base, powers)
    return values if dtype is None else values.astype(dtype)


@beside
@documented
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """`num` values from start to stop, each a constant multiple of the one before.

    Complex ones lie on a spiral. ValueError if start or stop is zero; NaN between real ones of two
    signs.

    Parameters
    ----------
    start : array_like
        The first value.
    stop : array_like
        The last value.
    num : int, optional
        How many values.
    dtype : dtype, optional
        Of the result.
    axis : int, optional
        Where the values lie in the result, if the ends are arrays.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.geomspace(1, 1000, 4)
    array([   1.,   10.,  100., 1000.])
    """
    start, stop = as_array(start), as_array(stop)
    if bool((start == 0).any()) or bool((stop == 0).any()):
        raise ValueError("Geometric sequence cannot include zero")
    working = numpy.result_type(start.dtype, stop.dtype, float(num), numpy.dtype(dtype))
    start, stop = start.astype(working), stop.astype(working)
    sign = _core.sign(start)
    start, stop = start / sign, stop / sign
    values = logspace(_core.log10(start), _core.log10(stop), num, endpoint, dtype=working)
    if num > 0:
        values[0] = start
    if num > 1 and endpoint:
        values[-1] = stop
    values = _first_axis_to(values * sign, axis)
    return values if dtype is None else values.astype(dtype)


# --- Matrices ---


def _whole_number(value):
    if getattr(value, "ndim", 0):
        raise TypeError(f"tri: N, M and k are integers, not arrays of shape {value.shape}")
    return value.item() if hasattr(value, "item") else value


@documented
def tri(N, M=None, k=0, dtype=float):
    """An array of shape (N, M) with ones at and below the k-th diagonal, zeros above it.

    Parameters
    ----------
    N : int
        The number of rows.
    M : int, optional
        The number of columns; as many as rows if it is None.
    dtype : dtype, optional
        Of the result.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.tri(2)
    array([[1., 0.],
           [1., 1.]])
    """
    N, M, k = (_whole_number(one) for one in (N, N if M is None else M, k))
    k = max(-N, min(k, M))  # Beyond that nothing changes.
    rows, columns = _core.arange(N), _core.arange(-k, M - k)
    return (rows[:, None] >= columns).astype(float if dtype is None else dtype)


@beside
def _triangle(m, k, keeps_lower):
    m = as_array_of(m)
    if m.ndim == 0:
        raise ValueError("Input must be at least 1-d.")
    rows = m.shape[-2] if m.ndim > 1 else m.shape[0]
    lower = tri(rows, m.shape[-1], k if keeps_lower else k - 1, dtype=bool)
    return _core._where(lower, m, False) if keeps_lower else _core._where(lower, False, m)


@documented
def tril(m, k=0):
    """A copy with the elements above the k-th diagonal of the last two axes set to zero.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.tril(cp.array([[1, 2], [3, 4]]))
    array([[1, 0],
           [3, 4]])
    """
    return _triangle(m, k, True)


@documented
def triu(m, k=0):
    """A copy with the elements below the k-th diagonal of the last two axes set to zero.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.triu(cp.array([[1, 2], [3, 4]]))
    array([[1, 2],
           [0, 4]])
    """
    return _triangle(m, k, False)


@beside
@documented
def diag(v, k=0):
    """The k-th diagonal of a matrix as a view, or a matrix with a vector on that diagonal.

    ValueError for other numbers of dimensions.

    Parameters
    ----------
    v : array_like
        A diagonal, or a matrix.

    Returns
    -------
    ndarray
        A new matrix, or a view of a diagonal.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.diag(cp.array([1, 2]))
    array([[1, 0],
           [0, 2]])
    """
    v = v if isinstance(v, ndarray) else _core.array(v)
    if v.ndim == 2:
        return v.diagonal(k)
    if v.ndim != 1:
        raise ValueError("Input must be 1- or 2-d.")
    size = v.shape[0] + abs(k)
    matrix = _core.zeros((size, size), dtype=v.dtype)
    first = k if k >= 0 else -k * size
    matrix.reshape(-1)[first : first + v.shape[0] * (size + 1) : size + 1][: v.shape[0]] = v
    return matrix


@beside
@documented
def diagflat(v, k=0):
    """A matrix with the flattened elements on the k-th diagonal.

    Parameters
    ----------
    v : ndarray
        The elements.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.diagflat(cp.array([1, 2]))
    array([[1, 0],
           [0, 2]])
    """
    return diag((v if isinstance(v, ndarray) else _core.array(v)).ravel(), k)


@beside
@documented
def vander(x, N=None, increasing=False):
    """The matrix of powers of a vector: columns x**(N-1) ... x**0, or increasing.

    Parameters
    ----------
    x : ndarray
        One dimension.
    N : int, optional
        The number of columns.
    increasing : bool, optional
        Whether the powers ascend from left to right.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.vander(cp.array([1, 2, 3]))
    array([[1, 1, 1],
           [4, 2, 1],
           [9, 3, 1]])
    """
    x = as_array_of(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    N = x.size if N is None else N
    dtype = numpy.promote_types(x.dtype, int)
    result = _core.empty((x.size, N), dtype=dtype)
    columns = result if increasing else result[:, ::-1]
    if N > 0:
        columns[:, 0] = 1
    if N > 1:
        columns[:, 1:] = x[:, None]
        _core.multiply.accumulate(columns[:, 1:], axis=1, out=columns[:, 1:])
    return result


# --- From existing data ---


@documented
def copy(a, order="K", subok=False):
    """A copy of an array in order 'C', 'F', 'A' or 'K' (that of the array); of a subclass if
    subok.

    Returns
    -------
    ndarray
        A copy.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.copy(cp.array([1, 2]))
    array([1, 2])
    """
    made = with_methods("copy", a).copy(order)
    return made if subok or type(made) is ndarray or not isinstance(made, ndarray) else made.view(ndarray)


@documented
def astype(x, dtype, /, *, copy=True, device=None):
    """The elements converted to a dtype, a copy unless copy=False and the dtype is the same.

    Parameters
    ----------
    dtype : dtype
        Of the result.
    copy : bool, optional
        Whether a copy is made even where the dtype is the same.

    Returns
    -------
    ndarray
        A converted copy; `x` itself where `copy` is False and nothing changes.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.astype(cp.array([1.5, 2.5]), cp.int32)
    array([1, 2], dtype=int32)
    """
    if not hasattr(x, "astype") and not is_scalar(x):
        raise TypeError(f"astype() takes an array or a scalar of NumPy, not {type(x)}")
    result = x.astype(dtype, copy=copy)
    return result if device is None else result.to_device(device)


@documented
def asarray_chkfinite(a, dtype=None, order=None):
    """asarray, but ValueError for NaN and infinities. Waits.

    Parameters
    ----------
    a : array_like
        The elements.

    Returns
    -------
    ndarray
        The array; ValueError if an element is not finite.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.asarray_chkfinite([1.0, 2.0])
    array([1., 2.])
    """
    made = _core.asarray(a, dtype=dtype, order=order or "K")
    if made.dtype.kind in "fc" and not bool(_core.isfinite(made).all()):
        raise ValueError("array must not contain infs or NaNs")
    return made


@documented
def require(a, dtype=None, requirements=None, *, like=None):
    """The array, or a copy that has the required flags: 'C', 'F', 'O' (own data), 'W', 'E' (no
    subclass).

    ValueError for both orders, KeyError for an unknown requirement.

    Parameters
    ----------
    a : array_like
        The elements.
    requirements : str or sequence of str, optional
        Of 'C', 'F', 'A', 'W', 'O' and 'E', as NumPy has them.
    like : array_like, optional
        Taken for NumPy's sake, an array of ours or NumPy's.

    Returns
    -------
    ndarray
        The array itself, if it fits, else a copy.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.require(cp.ones((2, 2)), requirements='F').flags.f_contiguous
    True
    """
    if like is not None and not hasattr(type(like), "__array_function__"):
        raise TypeError("The `like` argument must be an array-like that implements the `__array_function__` protocol.")
    if not requirements:
        return _core.asanyarray(a, dtype=dtype)
    wanted = {
        _REQUIREMENTS[one.upper()] for one in ([requirements] if isinstance(requirements, str) else requirements or ())
    }
    if {"C", "F"} <= wanted:
        raise ValueError('Cannot specify both "C" and "F" order')
    order = "C" if "C" in wanted else "F" if "F" in wanted else "A"
    make = _core.array if "E" in wanted else _core.asanyarray
    made = make(a, dtype=dtype, order=order, **({"copy": None} if "E" in wanted else {}))
    flags = made.flags
    if "O" in wanted and not flags.owndata or "W" in wanted and not flags.writeable:
        made = made.copy(order)
    return made


def _ask(producer, **wishes):
    """A capsule; producers older than the wishes are asked without them."""
    try:
        return producer.__dlpack__(max_version=(1, 0), **wishes)
    except TypeError:
        return producer.__dlpack__()


@documented
def from_dlpack(x, /, *, device=None, copy=None):
    """An array of the memory of another library's array, without a copy where that can be.

    x: an object with __dlpack__ and __dlpack_device__. device: where the result must be. copy: True
    for a copy always, False for ValueError or BufferError where one is needed. Read-only memory
    gives a read-only array. BufferError for memory, dtypes and devices that we can't use.

    Parameters
    ----------
    x : object
        An array of any library with ``__dlpack__``.

    Returns
    -------
    ndarray
        An array of the same memory where that is possible.

    Examples
    --------
    >>> import tenorite as cp
    >>> import numpy as np
    >>> cp.from_dlpack(np.arange(3))
    array([0, 1, 2])
    """
    if type(x) is ndarray and device is None and not copy:
        return x.view()
    if not hasattr(x, "__dlpack__") or not hasattr(x, "__dlpack_device__"):
        raise AttributeError(
            f"{type(x)} has no __dlpack__ and __dlpack_device__: no DLPack producer; "
            "see errors/dlpack in the documentation"
        )
    wishes = {} if copy is None else {"copy": copy}
    target = None if device is None else cuda.Device(device)
    if target is not None and target.backend == "host" and x.__dlpack_device__()[0] != DL_CPU:
        wishes["dl_device"] = (DL_CPU, target.id)
    made = _core._from_capsule(_ask(x, **wishes))
    if target is None:
        return made
    return _core._to_device(made, target, False if copy is False else None)


def fromDlpack(dltensor):
    """An array of the memory of a DLPack capsule, which is consumed. Prefer from_dlpack.

    Parameters
    ----------
    dltensor : PyCapsule
        A DLPack capsule.

    Returns
    -------
    ndarray
        An array of the same memory.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.fromDlpack(cp.arange(3).toDlpack())
    array([0, 1, 2])
    """
    return _core._from_capsule(dltensor)
