"""Helpers of polynomial modules: series of coefficients from the lowest power up."""

import operator

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, is_scalar, ndarray
from tenorite._lib.documents import documenter

__all__ = ["as_series", "format_float", "getdomain", "mapdomain", "mapparms", "trimcoef", "trimseq"]


_documented = documenter(
    {
        "new": ("array_like of two", "The ends of the new interval."),
        "old": ("array_like of two", "The ends of the interval of `x`."),
    }
)


@beside
def trimseq(seq):
    """The series without zeros at its end, one coefficient at least. Waits.

    Parameters
    ----------
    seq : array_like
        The coefficients. TypeError for no dimension, ValueError for several.

    Returns
    -------
    ndarray
        The coefficients.

    Examples
    --------
    >>> tenorite.polynomial.polyutils.trimseq(tenorite.array([1, 2, 0]))
    array([1, 2])
    """
    seq = as_array_of(seq)
    if seq.ndim == 0:
        raise TypeError("trimseq() needs a series, not an array of no dimension")
    if seq.ndim > 1:
        raise ValueError(f"trimseq() needs a series, not an array of {seq.ndim} dimensions")
    return seq[: _length(seq.get())] if seq.size else seq


def _length(host):
    """The number of coefficients without zeros at the end, at least 1."""
    places = host.nonzero()[0]
    return int(places[-1]) + 1 if places.size else 1


def _checked(arrays):
    """Arrays of one dimension, each with elements, and their common dtype."""
    arrays = [one.reshape(1) if one.ndim == 0 else one for one in arrays]
    for one in arrays:
        if one.size == 0:
            raise ValueError("Coefficient array is empty")
        if one.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
        if one.dtype.kind == "b":
            raise ValueError("Coefficient arrays have no common type")
    least = numpy.float16 if all(one.dtype == "f2" for one in arrays) else numpy.float32
    dtype = _core._result_type(*[one.dtype for one in arrays], least)
    if any(one.dtype.kind in "iu" for one in arrays):
        dtype = _core._result_type(dtype, float)
    return arrays, dtype


def read_series(alist, trim=True):
    """Series as arrays of NumPy's on the host, of one dtype, for arithmetic on coefficients: they
    are few and depend on each other, and to trim them they travel anyway. Waits."""
    arrays = [one.get() if isinstance(one, ndarray) else numpy.asarray(one) for one in alist]
    strange = next((one.dtype for one in arrays if one.dtype.kind not in "biufcV"), None)
    if strange is not None and all(isinstance(one, ndarray) for one in alist):
        raise TypeError(f"coefficients of a series are numbers, not {strange}")
    if strange is not None:
        return read_series([_core.asarray(one) for one in alist], trim)  # other libraries' arrays
    wide = {"g": float, "G": complex}
    arrays, dtype = _checked([one.astype(wide.get(one.dtype.char, one.dtype)) for one in arrays])
    return [(one[: _length(one)] if trim else one).astype(dtype) for one in arrays]


@beside
def as_series(alist, trim=True):
    """Sequences of coefficients as arrays of one dimension and one dtype, a list of them.

    trim: without zeros at the end. ValueError for empty ones, those of more dimensions, and bools.

    Parameters
    ----------
    alist : array_like
        One series, or several as a list.
    trim : bool, optional
        Whether zeros at the end are dropped.

    Returns
    -------
    list of ndarrays
        The series, of one dtype.

    Examples
    --------
    >>> tenorite.polynomial.polyutils.as_series([[1, 2, 0], [3.0]])
    [array([1., 2.]), array([3.])]
    """
    arrays, dtype = _checked([as_array_of(one) for one in alist])
    return [(trimseq(one) if trim else one).astype(dtype) for one in arrays]


@beside
def trimcoef(c, tol=0):
    """The series without coefficients at its end of at most tol, [0] if all are. Waits.

    ValueError for a negative tol.

    Parameters
    ----------
    c : array_like
        The coefficients, that of the constant first.
    tol : float, optional
        The tolerance.

    Returns
    -------
    ndarray
        The coefficients, that of the constant first.

    Examples
    --------
    >>> tenorite.polynomial.polyutils.trimcoef([1.0, 2.0, 1e-9], 1e-6)
    array([1., 2.])
    """
    if tol < 0:
        raise ValueError("tol must be non-negative")
    (series,) = as_series([c])
    places = (_core.absolute(series) > tol).get().nonzero()[0]
    return series[: int(places[-1]) + 1].copy() if places.size else series[:1] * 0


@beside
@_documented
def getdomain(x):
    """The smallest interval, or rectangle of complex numbers, that holds all values: two of them.

    Returns
    -------
    ndarray
        The ends of the interval.

    Examples
    --------
    >>> tenorite.polynomial.polyutils.getdomain([3.0, -1.0, 2.0])
    array([-1.,  3.])
    """
    (x,) = as_series([x], trim=False)
    if x.dtype.kind != "c":
        return _core.stack((x.min(), x.max()))
    low, high = x.real.min() + 1j * x.imag.min(), x.real.max() + 1j * x.imag.max()
    return _core.stack((low, high)).astype(complex)


@_documented
def mapparms(old, new):
    """The offset and the scale of the linear map of one interval to another.

    Returns
    -------
    tuple of two scalars
        The constant and the factor of the map.

    Examples
    --------
    >>> tenorite.polynomial.polyutils.mapparms((-1, 1), (0, 4))
    (2.0, 2.0)
    """
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length


@beside
@_documented
def mapdomain(x, old, new):
    """Values mapped linearly from one interval to another.

    Returns
    -------
    ndarray
        The points.

    Examples
    --------
    >>> tenorite.polynomial.polyutils.mapdomain([-1.0, 0.0, 1.0], (-1, 1), (0, 4))
    array([0., 2., 4.])
    """
    offset, scale = mapparms(old, new)
    return offset + scale * (x if is_scalar(x) or not hasattr(x, "__len__") else as_array_of(x))


def format_float(x, parens=False):
    """A number as the texts of polynomials have it, by NumPy's print options.

    Parameters
    ----------
    x : scalar
        The number.
    parens : bool, optional
        Whether parentheses stand around numbers with an exponent.

    Returns
    -------
    str

    Examples
    --------
    >>> tenorite.polynomial.polyutils.format_float(0.5)
    '0.5'
    """
    return numpy.polynomial.polyutils.format_float(x.item() if isinstance(x, ndarray) else x, parens)


def as_int(value, what):
    """An int, or the TypeError that names what it is."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be an integer, received {value}") from None
