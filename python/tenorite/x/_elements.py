"""In-place updates by an index, and the reciprocal of square roots."""

from tenorite import _core
from tenorite._arguments import as_array, beside


def _scatter(operation, a, slices, value):
    if not isinstance(a, _core.ndarray):
        raise TypeError(f"Unsupported type {type(a)}")
    operation.at(a, slices, value)


def scatter_add(a, slices, value):
    """Adds values to the elements of an index, in place.

    Parameters
    ----------
    a : ndarray
        What is changed.
    slices
        An index; an element that it names several times is changed as often.
    value : ndarray or number
        What is added; broadcast to the index.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.zeros(3)
    >>> tn.x.scatter_add(a, tn.array([0, 0, 2]), 1.5)
    >>> a
    array([3. , 0. , 1.5])
    """
    _scatter(_core.add, a, slices, value)


def scatter_max(a, slices, value):
    """Replaces the elements of an index by values that are larger, in place.

    Parameters
    ----------
    a : ndarray
        What is changed.
    slices
        An index; an element that it names several times gets the largest.
    value : ndarray or number
        What is compared; broadcast to the index.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.zeros(3)
    >>> tn.x.scatter_max(a, tn.array([0, 0, 2]), tn.array([1.0, 4.0, -1.0]))
    >>> a
    array([4., 0., 0.])
    """
    _scatter(_core.maximum, a, slices, value)


def scatter_min(a, slices, value):
    """Replaces the elements of an index by values that are smaller, in place.

    Parameters
    ----------
    a : ndarray
        What is changed.
    slices
        An index; an element that it names several times gets the smallest.
    value : ndarray or number
        What is compared; broadcast to the index.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.zeros(3)
    >>> tn.x.scatter_min(a, tn.array([0, 0, 2]), tn.array([1.0, -4.0, -1.0]))
    >>> a
    array([-4.,  0., -1.])
    """
    _scatter(_core.minimum, a, slices, value)


@beside
def rsqrt(x, out=None, *, dtype=None):
    """The reciprocal of the square root, element by element.

    Parameters
    ----------
    x : ndarray or number
        Integers become floats as in sqrt.
    out : ndarray, optional
        What is written and returned.
    dtype : dtype, optional
        In which it is computed, and that of the result.

    Returns
    -------
    ndarray
        Of the dtype of sqrt.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.x.rsqrt(tn.array([4.0, 16.0]))
    array([0.5 , 0.25])
    """
    return _core.reciprocal(_core.sqrt(as_array(x), dtype=dtype), out=out)
