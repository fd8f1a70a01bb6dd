"""Filters that run over a signal in both directions."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, ndarray
from tenorite._numpy.rearranging import flip, moveaxis
from tenorite.linalg import lstsq
from tenorite.scipy.signal._axes import checked_axis, cut, extended
from tenorite.scipy.signal._recursive import (
    coefficients,
    filter_lines,
    filter_sections,
    sections,
    steady_sections,
    steady_states,
)


def _padded(x, axis, kind, count, taps):
    """The signal with what is thought around it, and how much that is."""
    if kind not in ("even", "odd", "constant", None):
        raise ValueError(
            f"Unknown value '{kind}' given to padtype. padtype must be 'even', 'odd', 'constant', or None."
        )
    count = 0 if kind is None else 3 * taps if count is None else count
    if x.shape[axis] <= count:
        raise ValueError(f"The length of the input vector x must be greater than padlen, which is {count}.")
    return (x if count < 1 else extended(x, count, kind, axis)), max(count, 0)


def _inexact(*arrays):
    dtype = numpy.result_type(*[one.dtype for one in arrays])
    if dtype.char not in "fdFD":
        raise NotImplementedError(f"input type '{dtype}' not supported")
    return dtype


def _twice(run, x, axis, states, count):
    """run(x, states, is_reversed) there and back, from states that fit the ends."""
    y = run(x, states * cut(x, 0, 1, axis=axis), False)
    n = y.shape[axis]
    y = run(y, states * cut(y, n - 1, n, axis=axis), True)
    return cut(y, count, n - count, axis=axis) if count else y


def _run_lines(b, a, axis):
    def run(x, states, is_reversed):
        if not is_reversed or (a.size > 1 and (b.size <= 17 or b.size <= a.size)):
            return filter_lines(b, a, x, axis, states, is_reversed)[0]
        return flip(filter_lines(b, a, flip(x, axis), axis, states)[0], axis)

    return run


@beside
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    """Lines through a filter forwards and then backwards, which leaves phases as they are.

    Parameters
    ----------
    b, a : array_like
        Coefficients of the numerator and the denominator.
    x : array_like
        The signal, of any shape.
    axis : int, optional
        Along which it is filtered.
    padtype : {'odd', 'even', 'constant', None}
        What is thought around the signal: itself, odd or even about its ends, or these.
    padlen : int, optional
        How many elements of that; three times as many as there are coefficients if not given.
    method : {'pad', 'gust'}
        Whether the signal is padded, or states are chosen for which the order of the directions
        makes no difference (Gustafsson, Determining the initial states in forward-backward
        filtering, 1996).
    irlen : int, optional
        For Gustafsson's method, after how many elements the filter has forgotten what it got.

    Returns
    -------
    ndarray
        In the shape of `x`.

    Raises
    ------
    ValueError
        For an unknown method or kind of padding, and a signal that is not longer than the padding.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.filtfilt([0.5, 0.5], [1.0], tn.array([1.0, 2, 3, 4, 5, 6, 7]))
    array([1., 2., 3., 4., 5., 6., 7.])
    """
    b, a = coefficients(b, a)
    x = as_array_of(x)
    if method not in ("pad", "gust"):
        raise ValueError("method must be 'pad' or 'gust'.")
    axis = checked_axis(axis, x.ndim, IndexError, "tuple index out of range")
    if method == "gust":
        return _gustafsson(b, a, x.astype(_inexact(b, a, x), copy=False), axis, irlen)
    whole, count = _padded(x, axis, padtype, padlen, max(a.size, b.size))
    states = steady_states(b, a)
    dtype = _inexact(b, a, x)
    shape = [1] * x.ndim
    shape[axis] = states.size
    states = as_array_of(states.astype(dtype, copy=False)).reshape(shape)
    return _twice(_run_lines(b, a, axis), whole.astype(dtype, copy=False), axis, states, count)


@beside
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    """Lines through sections of second order forwards and then backwards, which leaves phases as
    they are.

    Parameters
    ----------
    sos : (n, 6) array_like
        Of each section the numerator and the denominator, whose first coefficient is 1.
    x : array_like
        The signal, of any shape.
    axis : int, optional
        Along which it is filtered.
    padtype : {'odd', 'even', 'constant', None}
        What is thought around the signal, as in `filtfilt`.
    padlen : int, optional
        How many elements of that. If not given, a number that depends on how many coefficients are
        0, for which an array of a device is waited for.

    Returns
    -------
    ndarray
        In the shape of `x`.

    Raises
    ------
    ValueError
        For another shape of `sos`, an unknown kind of padding, and a signal that is not longer than
        the padding.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.arange(12.0)
    >>> tn.allclose(tn.scipy.signal.sosfiltfilt([[0.5, 0.5, 0, 1, 0, 0]], x), x)
    array(True)
    """
    sos = sections(sos)
    x = as_array_of(x)
    if x.ndim == 0:
        raise ValueError("x must be at least 1-D")
    axis = checked_axis(axis, x.ndim, IndexError, "tuple index out of range")
    dtype = _inexact(sos, x)
    taps = 2 * sos.shape[0] + 1
    if padlen is None and padtype is not None:
        on_host = sos.get() if isinstance(sos, ndarray) else sos
        taps -= int(min((on_host[:, 2] == 0).sum(), (on_host[:, 5] == 0).sum()))
    whole, count = _padded(x, axis, padtype, padlen, taps)
    shape = [sos.shape[0]] + [1] * x.ndim
    shape[axis + 1] = 2
    states = as_array_of(steady_sections(sos).astype(dtype, copy=False)).reshape(shape)
    sos = as_array_of(sos)

    def run(x, states, is_reversed):
        return filter_sections(sos, x, axis, states, is_reversed)[0]

    return _twice(run, whole.astype(dtype, copy=False), axis, states, count)


# --- Gustafsson's method ---


def _responses(b, a, m, order, dtype):
    """Columns: what each state alone makes the filter give (m, order)."""
    one = numpy.zeros(order, dtype=dtype)
    one[0] = 1
    first = filter_lines(b, a, _core.zeros(m, dtype=dtype), 0, as_array_of(one))[0]
    made = _core.zeros((m, order), dtype=dtype)
    for k in range(order):
        made[k:, k] = first[: m - k]
    return made


def _gustafsson(b, a, x, axis, irlen):
    """States at both ends for which forwards-backwards and backwards-forwards differ least; the
    result is the first with what these states add."""
    order = max(b.size, a.size) - 1
    if order == 0:
        scale = (b[0] / a[0]) ** 2
        return (scale if isinstance(scale, ndarray) else scale.item()) * x
    run = _run_lines(b, a, x.ndim - 1)
    x = moveaxis(x, axis, -1)
    n = x.shape[-1]
    m = n if irlen is None or n <= 2 * irlen else irlen
    zero = _core.zeros((*x.shape[:-1], order), dtype=x.dtype)
    ahead = run(run(x, zero, False), zero, True)
    back = run(run(x, zero, True), zero, False)
    own = _responses(b, a, m, order, x.dtype)
    # What a state at one end gives, filtered from the other end.
    twice = filter_lines(b, a, flip(own, 0), 0)[0]
    left, right = flip(twice, 0) - own, flip(own, 0) - twice
    difference = back - ahead
    if m == n:
        system, effect = _core.concatenate((left, right), axis=1), (flip(twice, 0), flip(own, 0))
    else:
        none = _core.zeros((m, order), dtype=x.dtype)
        system = _core.concatenate(
            (_core.concatenate((left, none), axis=1), _core.concatenate((none, right), axis=1)), axis=0
        )
        effect = (flip(twice, 0), flip(own, 0))
        difference = _core.concatenate((difference[..., :m], difference[..., n - m :]), axis=-1)
    states = _least_squares(system, difference)
    ahead[..., :m] += _core.matmul(states[..., :order], effect[0].T)
    ahead[..., n - m :] += _core.matmul(states[..., order:], effect[1].T)
    return moveaxis(ahead, -1, axis)


def _least_squares(system, values):
    rows = values.reshape(-1, values.shape[-1])
    found = lstsq(system, rows.T, rcond=None)[0].T
    return found.reshape(*values.shape[:-1], system.shape[1])
