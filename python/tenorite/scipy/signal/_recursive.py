"""Recursive filters: coefficients or sections of second order, and their states."""

import functools
import math

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, ndarray
from tenorite._numpy.rearranging import flip
from tenorite._numpy.shapes import atleast_1d, broadcast_to
from tenorite.scipy.signal import _past
from tenorite.scipy.signal._axes import checked_axis, cut

# Orders up to this go through the recurrence as they are; a longer numerator is a filter of its
# own before it.
_SHORT = 16
_INEXACT = "fdFD"


def coefficients(b, a):
    """Numerator and denominator as rows: of NumPy's unless one is an array of a device."""
    if isinstance(b, ndarray) or isinstance(a, ndarray):
        b, a = as_array_of(b), as_array_of(a)
    else:
        b, a = numpy.asarray(b), numpy.asarray(a)
    if b.ndim == 1 == a.ndim and b.size and a.size:
        return b, a
    b, a = (one.reshape(1) if one.ndim == 0 else one for one in (b, a))
    for name, row in (("b", b), ("a", a)):
        if row.ndim != 1 or row.size == 0:
            raise ValueError(f"Parameter {name} is not a non-empty 1d array, since {name}.shape={row.shape!r}!")
    return b, a


def _stacked(b, a):
    """[1, 2, order + 1] on the device, the shorter row filled up with zeros."""
    n = max(b.size, a.size)
    if b.dtype.char == "d" == a.dtype.char and isinstance(b, numpy.ndarray):
        rows = b.tolist(), a.tolist()
        if b.size != a.size:
            rows = [row + [0.0] * (n - len(row)) for row in rows]
        return _core.asarray([rows])
    module = _core if isinstance(b, ndarray) else numpy
    if b.size == a.size:
        return as_array_of(module.concatenate((b, a)).reshape(1, 2, n))
    made = module.zeros((1, 2, n), dtype=numpy.result_type(b.dtype, a.dtype, numpy.float64))
    made[0, 0, : b.size] = b
    made[0, 1, : a.size] = a
    return as_array_of(made)


@functools.cache
def _promoted(chars):
    return numpy.result_type(*chars)


def _common_dtype(arrays, text):
    dtype = _promoted("".join([one.dtype.char for one in arrays]))
    if dtype.char not in _INEXACT:
        raise NotImplementedError(text.format(dtype))
    return dtype


def _fitting_states(zi, x, axis, order, is_recursive):
    """The states in the shape that lines have, axes of one element repeated."""
    shape = (*x.shape[:axis], order, *x.shape[axis + 1 :])
    if zi.shape == shape:
        return zi
    if zi.ndim != x.ndim:
        raise ValueError(f"Dimensions of parameters x and zi must match, but x.ndim={x.ndim!r}, zi.ndim={zi.ndim!r}!")
    fits = all(k == axis and n == m or k != axis and n in (m, 1) for k, (n, m) in enumerate(zip(zi.shape, shape)))
    if not fits:
        text = f"{'' if is_recursive else 'parameter '}zi: expected {shape}, found {zi.shape}."
        if is_recursive and x.ndim > 1:  # to the blanks SciPy's
            text = text.replace(", ", ",").replace(": ", ":  ").replace(",found", ", found")
        raise ValueError("Unexpected shape for " + text)
    return broadcast_to(zi, shape)


def filtered_by_taps(taps, x, axis, count, first=0):
    """Lines filtered by taps: outputs first .. first + count - 1 of the whole convolution."""
    if taps.dtype.kind != "c":
        return _core._upfirdn(taps, x, axis, 1, 1, first, count)
    real = _core._upfirdn(taps.real, x, axis, 1, 1, first, count)
    return real + 1j * _core._upfirdn(taps.imag, x, axis, 1, 1, first, count)


def _with_states(made, zi, axis):
    """A whole convolution, to whose beginning the states are added."""
    if zi is not None and zi.shape[axis]:
        head = cut(made, 0, zi.shape[axis], axis=axis)
        head += zi
    return made


def _filter_by_taps(b, a, x, axis, zi):
    b = as_array_of(b / a[0])
    n, order = x.shape[axis], b.size - 1
    if zi is None:
        return filtered_by_taps(b, x, axis, n), None
    whole = _with_states(filtered_by_taps(b, x, axis, n + order), zi, axis)
    return cut(whole, 0, n, axis=axis), cut(whole, n, None, axis=axis)


def _filter_apart(b, a, x, axis, zi):
    """A long numerator by itself, then the recurrence."""
    n, order = x.shape[axis], max(b.size, a.size) - 1
    one = numpy.ones(1) if isinstance(a, numpy.ndarray) else _core.ones(1)
    taps = as_array_of(b / a[0])
    whole = filtered_by_taps(taps, x, axis, n + order if zi is not None else n)
    inner = cut(_with_states(whole, zi, axis), 0, n, axis=axis)
    y, states = _core._recursion(_stacked(one, a / a[0]), inner, axis, False, None, zi is not None)
    if zi is None:
        return y, None
    final = cut(whole, n, None, axis=axis)
    head = cut(final, 0, a.size - 1, axis=axis)
    head += states[0]
    return y, final


def filter_lines(b, a, x, axis, zi=None, is_reversed=False):
    """What lfilter() does with what it has checked: outputs, and states or None."""
    if a.size == 1:
        return _filter_by_taps(b, a, x, axis, zi)
    if b.size > a.size and b.size - 1 > _SHORT:
        return _filter_apart(b, a, x, axis, zi)
    initial = None if zi is None else zi[None]
    y, final = _core._recursion(_stacked(b, a), x, axis, is_reversed, initial, zi is not None)
    return y, None if final is None else final[0]


@beside
def lfilter(b, a, x, axis=-1, zi=None):
    """Lines through a filter that is a quotient of polynomials.

    Parameters
    ----------
    b, a : array_like
        Coefficients of the numerator and the denominator; all are divided by ``a[0]``.
    x : array_like
        The signal, of any shape.
    axis : int, optional
        Along which it is filtered.
    zi : array_like, optional
        The states before the first element: in the shape of `x`, with the order of the filter in
        the place of the axis. `lfilter_zi` and `lfiltic` make some. Or, as CuPy has them, the last
        ``b.size - 1`` inputs and then the last ``a.size - 1`` outputs, the oldest first, if both
        are some.

    Returns
    -------
    y : ndarray
        In the shape of `x`, of the common dtype.
    zf : ndarray
        The states after the last element, of the kind of `zi`, if that is given.

    Raises
    ------
    ValueError
        For coefficients that are no row, a wrong axis or shape of `zi`, ``a[0] == 0`` of host data.
    NotImplementedError
        If the common dtype is none of float32, float64, complex64, complex128.

    Notes
    -----
    The transposed direct form II. On a GPU pieces of a line are filtered at the same time, and
    their states follow from powers of one matrix, computed in twice double precision.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.lfilter([1.0], [1.0, -0.5], tn.array([1.0, 0, 0, 0]))
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    b, a = coefficients(b, a)
    x = as_array_of(x)
    if x.ndim == 0 and a.size == 1:
        raise ValueError("x must be at least 1-D")
    axis = checked_axis(axis, x.ndim)
    arrays, past = [b, a, x], None
    if zi is not None:
        zi = as_array_of(zi)
        if _past.is_past(zi, x, axis, b, a):
            past = _past.whole(zi, x, axis)
            zi = _past.states_of(b, a, past, axis)
        zi = _fitting_states(zi, x, axis, max(b.size, a.size) - 1, a.size > 1)
        arrays.append(zi)
    text = "input type '{}' not supported\n"
    if a.size == 1:
        text = "Parameter's dtypes produced result type '{}', which is not supported!"
    dtype = _common_dtype(arrays, text)
    if a.size > 1 and isinstance(a, numpy.ndarray) and a[0] == 0:
        raise ValueError("BUG: filter coefficient a[0] == 0 not supported yet")
    x = x.astype(dtype, copy=False)
    y, final = filter_lines(b, a, x, axis, None if zi is None else zi.astype(dtype, copy=False))
    if past is not None:
        final = _past.later(past.astype(dtype, copy=False), b.size - 1, x, y, axis)
    return y if zi is None else (y, final)


def _steady_states(b, a):
    """States in which a constant 1 leaves the filter as it is, for rows of equal length: what is
    fed to each state from the last to the first, b - a times the gain."""
    gain = b.sum(-1, keepdims=True) / a.sum(-1, keepdims=True)
    fed = (b - a * gain)[..., 1:]
    if isinstance(fed, ndarray):
        return flip(_core.cumsum(flip(fed, -1), axis=-1), -1)
    return numpy.cumsum(fed[..., ::-1], axis=-1)[..., ::-1]


def _of_equal_length(b, a):
    n = max(b.size, a.size)
    module = _core if isinstance(b, ndarray) else numpy

    def filled(row):
        return row if row.size == n else module.concatenate((row, module.zeros(n - row.size, dtype=row.dtype)))

    return filled(b), filled(a)


def steady_states(b, a):
    """What lfilter_zi() gives, where the coefficients are."""
    if a.size < 2 and b.size < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    dtype = numpy.result_type(b.dtype, a.dtype)
    dtype = dtype if dtype.kind in "fc" else numpy.dtype(numpy.float64)
    if isinstance(a, numpy.ndarray):
        with numpy.errstate(divide="ignore", invalid="ignore"):
            b, a = b / a[0], a / a[0]
            if a.sum() == 0:
                raise numpy.linalg.LinAlgError("Singular matrix")
            return _steady_states(*_of_equal_length(b, a)).astype(dtype)
    b, a = b / a[0], a / a[0]
    return _steady_states(*_of_equal_length(b, a)).astype(dtype, copy=False)


@beside
def lfilter_zi(b, a):
    """States of `lfilter` in which a constant 1 is filtered to a constant.

    Parameters
    ----------
    b, a : array_like
        Coefficients of the numerator and the denominator.

    Returns
    -------
    ndarray
        As many as the order of the filter.

    Raises
    ------
    ValueError
        For coefficients of several dimensions.
    LinAlgError
        If there are none, the sum of `a` being 0, of host data.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.lfilter_zi([1.0], [1.0, -0.5])
    array([1.])
    """
    is_device = isinstance(b, ndarray) or isinstance(a, ndarray)
    b, a = ((atleast_1d(as_array_of(one)) if is_device else numpy.atleast_1d(numpy.asarray(one))) for one in (b, a))
    if b.ndim != 1:
        raise ValueError("Numerator b must be 1-D.")
    if a.ndim != 1:
        raise ValueError("Denominator a must be 1-D.")
    while not is_device and a.size > 1 and a[0] == 0:
        a = a[1:]
    return as_array_of(steady_states(b, a))


def _fed_back(row, past):
    """Of each state, what past values have left in it: the newest stands first."""
    n = row.size - 1
    if n == 0:
        return None
    past = past[:n] if past.size >= n else _core.concatenate((past, _core.zeros(n - past.size, dtype=past.dtype)))
    return _core._convolve(row[1:], past[::-1], "full")[n - 1 :]


@beside
def lfiltic(b, a, y, x=None):
    """States of `lfilter` after values that it gave and got.

    Parameters
    ----------
    b, a : array_like
        Coefficients of the numerator and the denominator.
    y : array_like
        What it gave, the newest first.
    x : array_like, optional
        What it got, the newest first; zeros if not given.

    Returns
    -------
    ndarray
        As many as the order of the filter.

    Raises
    ------
    ValueError
        For coefficients of several dimensions, and where ``a[0] == 0`` of host data.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.lfiltic([1.0], [1.0, -0.5], tn.array([4.0]))
    array([2.])
    """
    if math.prod(numpy.shape(a)) == 0:
        raise ValueError("There must be at least one `a` coefficient.")
    if not isinstance(a, ndarray) and numpy.atleast_1d(a)[0] == 0:
        raise ValueError("First `a` filter coefficient must be non-zero.")
    b, a = atleast_1d(as_array_of(b)), atleast_1d(as_array_of(a))
    for name, row in (("a", a), ("b", b)):
        if row.ndim > 1:
            raise ValueError(f"Filter coefficients `{name}` must be 1-D.")
    arrays = [b, a, as_array_of(y)] + ([] if x is None else [as_array_of(x)])
    dtype = numpy.result_type(*[one.dtype for one in arrays])
    dtype = dtype if dtype.kind in "fc" else numpy.dtype(numpy.float64)
    b, a, *past = (one.astype(dtype, copy=False) for one in arrays)
    states = _core.zeros(max(b.size, a.size) - 1, dtype=dtype)
    if x is not None and b.size > 1:
        states[: b.size - 1] += _fed_back(b, atleast_1d(past[1]))
    if a.size > 1:
        states[: a.size - 1] -= _fed_back(a, atleast_1d(past[0]))
    return states / a[0]


# --- Sections of second order ---


def sections(sos):
    """(n, 6) coefficients where they are, checked as far as that waits for no GPU."""
    if not isinstance(sos, ndarray):
        sos = numpy.asarray(sos)
    if sos.ndim < 2:
        sos = sos.reshape(1, -1)
    if sos.ndim != 2:
        raise ValueError("sos array must be 2D")
    if sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if isinstance(sos, numpy.ndarray) and not (sos[:, 3] == 1).all():
        raise ValueError("sos[:, 3] should be all ones")
    return sos


@beside
def sosfilt(sos, x, axis=-1, zi=None):
    """Lines through sections of second order in cascade.

    Parameters
    ----------
    sos : (n, 6) array_like
        Of each section the numerator and the denominator, whose first coefficient is 1 (of an array
        of a device this is not read: the section is divided by it).
    x : array_like
        The signal, of any shape.
    axis : int, optional
        Along which it is filtered.
    zi : array_like, optional
        The states before the first element: (n, ...), then the shape of `x` with 2 in the place of
        the axis. `sosfilt_zi` makes some. Or, as CuPy has them, with 4: the last two inputs of the
        section and its last two outputs, the older one first.

    Returns
    -------
    y : ndarray
        In the shape of `x`, of the common dtype.
    zf : ndarray
        The states after the last element, of the kind of `zi`, if that is given.

    Raises
    ------
    ValueError
        For another shape of `sos` or `zi`, and a signal without an axis.
    NotImplementedError
        If the common dtype is none of float32, float64, complex64, complex128.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.sosfilt([[1.0, 0, 0, 1, -0.5, 0]], tn.array([1.0, 0, 0, 0]))
    array([1.   , 0.5  , 0.25 , 0.125])
    """
    x = as_array_of(x)
    if x.ndim == 0:
        raise ValueError("x must be at least 1-D")
    sos = sections(sos)
    place = checked_axis(axis, x.ndim, IndexError, "list assignment index out of range")
    arrays = [sos, x]
    if zi is not None:
        zi = as_array_of(zi)
        arrays.append(zi)
    dtype = _common_dtype(arrays, "input type '{}' not supported")
    if zi is not None:
        shape = (sos.shape[0], *x.shape[:place], 2, *x.shape[place + 1 :])
        if zi.shape == (*shape[: place + 1], 4, *shape[place + 2 :]):
            return _after_past(sos, x.astype(dtype, copy=False), place, zi.astype(dtype, copy=False))
        if zi.shape != shape:
            raise ValueError(
                f"Invalid zi shape. With axis={axis!r}, an input with shape {x.shape!r}, and an sos array with "
                f"{sos.shape[0]} sections, zi must have shape {shape!r}, got {zi.shape!r}."
            )
        zi = zi.astype(dtype, copy=False)
    y, final = filter_sections(sos, x.astype(dtype, copy=False), place, zi)
    return y if zi is None else (y, final)


def _after_past(sos, x, axis, past):
    """sosfilt() of a past of each section: one after the other, as all of their outputs count."""
    rows, final = as_array_of(sos).reshape(-1, 2, 3), []
    for row, before in zip(rows, past):
        zi = _past.states_of(row[0], row[1], before, axis).astype(x.dtype, copy=False)
        y, _ = _core._recursion(row[None], x, axis, False, zi[None], True)
        final.append(_past.later(before, 2, x, y, axis))
        x = y
    return (x, _core.stack(final)) if final else (x.copy(), past)


def filter_sections(sos, x, axis, zi=None, is_reversed=False):
    """What sosfilt() does with what it has checked: outputs, and states or None."""
    if sos.shape[0] == 0:
        return x.copy(), zi
    rows = as_array_of(sos).reshape(-1, 2, 3)
    return _core._recursion(rows, x, axis, is_reversed, zi, zi is not None)


def steady_sections(sos):
    """What sosfilt_zi() gives, where the coefficients are."""
    b, a = sos[:, :3], sos[:, 3:]
    module = _core if isinstance(sos, ndarray) else numpy
    b, a = b / a[:, :1], a / a[:, :1]
    gains = b.sum(1, keepdims=True) / a.sum(1, keepdims=True)
    before = module.concatenate((module.ones((1, 1), dtype=gains.dtype), gains[:-1]))
    return _steady_states(b, a) * module.cumprod(before, axis=0)


@beside
def sosfilt_zi(sos):
    """States of `sosfilt` in which a constant 1 is filtered to a constant.

    Parameters
    ----------
    sos : (n, 6) array_like
        Of each section the numerator and the denominator.

    Returns
    -------
    ndarray
        (n, 2) states of the sections.

    Raises
    ------
    ValueError
        For another shape.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.sosfilt_zi([[1.0, 0, 0, 1, -0.5, 0]])
    array([[1., 0.]])
    """
    sos = sos if isinstance(sos, ndarray) else numpy.asarray(sos)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos must be shape (n_sections, 6)")
    if sos.dtype.kind not in "fc":
        sos = sos.astype(numpy.float64)
    return as_array_of(steady_sections(sos))


@beside
def deconvolve(signal, divisor):
    """The quotient of polynomials and what remains: ``signal = convolve(divisor, quotient) +
    remainder``.

    Parameters
    ----------
    signal, divisor : array_like
        Rows of coefficients.

    Returns
    -------
    quotient, remainder : ndarray
        The quotient of a longer divisor is empty.

    Raises
    ------
    ValueError
        For what is no row, or is empty.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.deconvolve(tn.array([0.0, 1, 2]), tn.array([1.0]))[0]
    array([0., 1., 2.])
    """
    whole, by = atleast_1d(as_array_of(signal)), atleast_1d(as_array_of(divisor))
    for name, row in (("signal", whole), ("divisor", by)):
        if row.ndim != 1 or row.size == 0:
            raise ValueError(f"Parameter {name} must be non-empty 1d array, but its shape is {row.shape}!")
    count = whole.size - by.size + 1
    if count < 1:
        return _core.empty(0), whole
    dtype = numpy.result_type(whole.dtype, by.dtype, numpy.float64)
    head = (whole[:count] if count > 1 else whole[:1]).astype(dtype)
    if by.size == 1:
        quotient = head / by[0]
    else:
        quotient = _core._recursion(_stacked(_core.ones(1), by / by[0]), head / by[0], 0, False, None, False)[0]
    return quotient, whole - _core._convolve(by.astype(dtype, copy=False), quotient, "full")
