"""Radar: compression of pulses, speeds, thresholds, directions (Richards, Fundamentals of Radar
Signal Processing, 2014)."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, ndarray
from tenorite._numpy.statistics import cov
from tenorite.fft import fft, fftfreq, ifft
from tenorite.linalg import norm, solve
from tenorite.scipy.signal.windows._names import get_window


def _weighted(x, window):
    """The last axis times a window: an array, a function of frequencies, or a name."""
    if window is None:
        return x
    n = x.shape[-1]
    if callable(window):
        return x * window(fftfreq(n).astype(x.dtype))
    if isinstance(window, ndarray):
        if window.shape != (n,):
            raise ValueError("window must have the same length as data")
        return x * window
    return x * get_window(window, n, False).astype(x.dtype)


@beside
def pulse_compression(x, template, normalize=False, window=None, nfft=None):
    """Received pulses, correlated with the one that was sent.

    Parameters
    ----------
    x : array_like
        (pulses, samples) that were received.
    template : array_like
        The pulse that was sent.
    normalize : bool, optional
        Whether that is divided by its length as a vector.
    window : array_like, callable, str, float or tuple, optional
        What that is multiplied with.
    nfft : int, optional
        The length of the transforms; the number of samples if not given.

    Returns
    -------
    ndarray
        (pulses, nfft).

    Raises
    ------
    ValueError
        For other than two axes, and a window of another length.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.pulse_compression(tn.array([[0.0, 1, 2, 0]]), tn.array([1.0, 2])).round(6) + 0
    array([[2., 5., 2., 0.]])
    """
    x, template = as_array_of(x), as_array_of(template)
    if x.ndim != 2:
        raise ValueError(f"x must have two dimensions, not {x.ndim}")
    dtype = numpy.result_type(x.dtype, template.dtype)
    count = x.shape[1] if nfft is None else nfft
    sent = _weighted(template, window)
    if normalize:
        sent = sent / norm(sent)
    made = ifft(fft(x, count) * fft(sent, count).conj(), count)
    return made if dtype.kind == "c" else made.real


@beside
def pulse_doppler(x, window=None, nfft=None):
    """Speeds at each range: transforms along the pulses.

    Parameters
    ----------
    x : array_like
        (pulses, samples) that were received.
    window : array_like, callable, str, float or tuple, optional
        What the pulses of a range are multiplied with.
    nfft : int, optional
        The length of the transforms; the number of pulses if not given.

    Returns
    -------
    ndarray
        (nfft, samples), complex.

    Raises
    ------
    ValueError
        For other than two axes, and a window of another length.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.pulse_doppler(tn.ones((2, 3)))
    array([[2.+0.j, 2.+0.j, 2.+0.j],
           [0.+0.j, 0.+0.j, 0.+0.j]])
    """
    x = as_array_of(x)
    if x.ndim != 2:
        raise ValueError(f"x must have two dimensions, not {x.ndim}")
    return fft(_weighted(x.T, window), x.shape[0] if nfft is None else nfft).T


def cfar_alpha(pfa, N):
    """The factor of a threshold above the mean of reference cells.

    Parameters
    ----------
    pfa : float
        The probability of a false alarm.
    N : int
        The number of reference cells.

    Returns
    -------
    float
        The factor.

    Examples
    --------
    >>> import tenorite as tn
    >>> round(tn.signal.cfar_alpha(0.01, 20), 4)
    5.1785
    """
    return N * (pfa ** (-1.0 / N) - 1)


def _block_sums(sums, halves, whole):
    """Sums of windows of so many cells before and after each one, of those that have `whole` cells
    before and after them; `sums` are of all cells before a place along each axis."""
    for axis, (half, margin) in enumerate(zip(halves, whole)):
        n = sums.shape[axis] - 1
        key = [slice(None)] * sums.ndim
        key[axis] = slice(margin + half + 1, n - margin + half + 1)
        upper = sums[tuple(key)]
        key[axis] = slice(margin - half, n - margin - half)
        sums = upper - sums[tuple(key)]
    return sums


@beside
def ca_cfar(array, guard_cells, reference_cells, pfa=1e-3):
    """Detections above a threshold from the mean of the cells about each one.

    Parameters
    ----------
    array : array_like
        One or two axes.
    guard_cells, reference_cells : int or (int, int)
        How many cells on each side of the one in the middle do not count, and how many after these
        do; two numbers for two axes.
    pfa : float, optional
        The probability of a false alarm.

    Returns
    -------
    threshold : ndarray
        float32; 0 where cells are missing.
    detections : ndarray
        Where the array is above it.

    Raises
    ------
    TypeError
        For more axes, and other than two numbers for two axes.
    ValueError
        For an array that is too small.

    Examples
    --------
    >>> import tenorite as tn
    >>> x = tn.ones(9)
    >>> x[4] = 100
    >>> bool(tn.signal.ca_cfar(x, 1, 2, pfa=0.1)[1][4])
    True
    """
    array = as_array_of(array)
    if array.ndim not in (1, 2):
        raise TypeError("Only 1D and 2D arrays are currently supported.")
    if array.ndim == 1:
        guards, references = (int(guard_cells),), (int(reference_cells),)
    else:
        guards, references = tuple(guard_cells), tuple(reference_cells)
        if len(guards) != 2 or len(references) != 2:
            raise TypeError("Guard and reference cells must be two dimensional.")
    wholes = tuple(g + r for g, r in zip(guards, references))
    names = (
        ("Array too small for given parameters",)
        if array.ndim == 1
        else (
            "Array first dimension too small for given parameters.",
            "Array second dimension too small for given parameters.",
        )
    )
    for n, whole, text in zip(array.shape, wholes, names):
        if n <= 2 * whole:
            raise ValueError(text)
    sums = _core.zeros(tuple(n + 1 for n in array.shape), dtype=float)
    inside = array.astype(float)
    for axis in range(array.ndim):
        inside = _core.cumsum(inside, axis=axis)
    sums[(slice(1, None),) * array.ndim] = inside
    around = _block_sums(sums, wholes, wholes) - _block_sums(sums, guards, wholes)
    count = int(numpy.prod([2 * w + 1 for w in wholes]) - numpy.prod([2 * g + 1 for g in guards]))
    threshold = _core.zeros(array.shape, dtype=numpy.float32)
    middle = tuple(slice(w, n - w) for w, n in zip(wholes, array.shape))
    threshold[middle] = around * (cfar_alpha(pfa, count) / count)
    return threshold, array - threshold > 0


@beside
def mvdr(x, sv, calc_cov=True):
    """Weights of sensors that leave a direction as it is and have the least variance (Capon,
    High-resolution frequency-wavenumber spectrum analysis, 1969).

    Parameters
    ----------
    x : array_like
        (sensors, samples) that were received, or the covariances.
    sv : array_like
        The response of the sensors to the direction.
    calc_cov : bool, optional
        Whether `x` is what was received.

    Returns
    -------
    ndarray
        A weight for each sensor.

    Raises
    ------
    ValueError
        For fewer samples than sensors, and another number of responses.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.signal.mvdr(tn.eye(2), tn.ones(2), calc_cov=False)
    array([0.5, 0.5])
    """
    x, sv = as_array_of(x), as_array_of(sv)
    if x.shape[0] > x.shape[1]:
        raise ValueError("Matrix has more sensors than samples. Consider transposing")
    if x.shape[0] != sv.shape[0]:
        raise ValueError("Steering Vector and input data do not align")
    if calc_cov:
        x = cov(x, dtype=x.dtype)
    weights = solve(x, sv)
    return weights / _core.dot(sv.conj(), weights)
