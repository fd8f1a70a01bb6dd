"""Convolutions, correlations and interpolation of rows."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside, ndarray


def correlate(a, v, mode="valid"):
    """The cross-correlation of two rows: sums of a[n + k] * conj(v[n]) for each lag k.

    Parameters
    ----------
    a, v : ndarray
        Arrays of one dimension with at least one element.
    mode : {'valid', 'same', 'full'}
        The lags: those where the shorter row lies on the longer whole, as many as the longer row
        has elements, or all with a common element.

    Returns
    -------
    ndarray
        In the common dtype of both.

    Raises
    ------
    ValueError
        For an empty row, another number of dimensions, and an unknown mode.

    Notes
    -----
    ``sum(a[n + k] * conj(v[n]))``, summed directly and not by Fourier transforms.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.correlate(tn.array([1, 2, 3]), tn.array([0, 1, 2]), "full")
    array([2, 5, 8, 3, 0])
    """
    return _core._correlate(a, v, mode)


def convolve(a, v, mode="full"):
    """The convolution of two rows: sums of a[k] * v[n - k] for each n.

    Parameters
    ----------
    a, v : ndarray
        Arrays of at most one dimension with at least one element.
    mode : {'full', 'same', 'valid'}
        All places with a common element, as many as the longer row has elements, or those where the
        shorter one lies on the longer one whole.

    Returns
    -------
    ndarray
        In the common dtype of both.

    Raises
    ------
    ValueError
        For an empty row, more dimensions, and an unknown mode.

    Notes
    -----
    ``sum(a[k] * v[n - k])``, summed directly and not by Fourier transforms.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.convolve(tn.array([1, 2, 3]), tn.array([0, 1, 2]))
    array([0, 1, 4, 7, 6])
    """
    return _core._convolve(a, v, mode)


def _read_end(end, is_complex):
    """A value beyond the points as a number."""
    if end is None:
        return None
    if isinstance(end, (ndarray, numpy.ndarray)):
        end = end.item()
    if is_complex:
        return complex(end)
    if isinstance(end, (complex, numpy.complexfloating)):
        raise TypeError("must be real number, not complex")
    if isinstance(end, str):
        raise TypeError("must be real number, not str")
    return float(end)


def _around(x, xp, fp, period):
    """x within one period, and the points in order with one of the next period at each end."""
    if period == 0:
        raise ValueError("period must be a non-zero value")
    period = abs(period)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.shape[0] != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length")
    x, xp = (one.astype(numpy.float64, copy=False) % period for one in (x, xp))
    order = _core.argsort(xp)
    xp, fp = xp[order], fp[order]
    xp = _core.concatenate((xp[-1:] - period, xp, xp[0:1] + period))
    return x, xp, _core.concatenate((fp[-1:], fp, fp[0:1]))


@beside
def interp(x, xp, fp, left=None, right=None, period=None):
    """The values at x of the line through the points (xp, fp).

    Parameters
    ----------
    x : ndarray or float
        Where values are wanted; of any shape.
    xp : ndarray
        The places of the points, ascending unless a period is given.
    fp : ndarray
        Their values, real or complex.
    left, right : number, optional
        The value before the first and after the last point; its own if not given.
    period : float, optional
        The period of xp; left and right are of no use then.

    Returns
    -------
    ndarray
        float64, or complex128 if fp is complex, in the shape of x.

    Raises
    ------
    ValueError
        For no points, xp and fp of two lengths or not of one dimension, and a period of 0.
    TypeError
        For complex x or xp, and for a complex end beside a real fp.

    Notes
    -----
    ``fp[k] + (x - xp[k]) * (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k])`` between two points.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.interp(tn.array([0.0, 1.0, 1.5, 3.0]), tn.array([1, 2, 3]), tn.array([3, 2, 0]))
    array([3. , 3. , 2.5, 0. ])
    """
    x, xp, fp = as_array(x), as_array(xp), as_array(fp)
    is_complex = fp.dtype.kind == "c"
    left, right = _read_end(left, is_complex), _read_end(right, is_complex)
    if period is not None:
        if "c" in (x.dtype.kind, xp.dtype.kind):
            raise TypeError("x and xp must be real numbers")
        left = right = None
        x, xp, fp = _around(x, xp, fp, period)
    return _core._interp(x, xp, fp, left, right)
