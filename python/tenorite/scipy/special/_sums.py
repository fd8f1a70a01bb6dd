"""Sums of exponentials along axes."""

import tenorite
from tenorite._arguments import as_array_of, is_scalar
from tenorite.scipy.special._elementwise import FUNCTIONS

_gammaln = FUNCTIONS["gammaln"]


def _largest(a, axis, **options):
    largest = tenorite.maximum.reduce(a, axis=axis, keepdims=True, **options)
    return tenorite.where(tenorite.isfinite(largest), largest, 0)


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False):
    """Logarithm of the sum of exponentials.

    Parameters
    ----------
    a : ndarray
        Exponents.
    axis : int, tuple of ints or None, optional
        Along which is summed; None is all.
    b : ndarray, optional
        Factors of the exponentials; they broadcast.
    keepdims : bool, optional
        Whether the axes stay, of size 1.
    return_sign : bool, optional
        Whether the sums' signs are returned, too.

    Returns
    -------
    ndarray, or tuple of two
        The logarithms of the sums' absolutes, and their signs: ``-inf`` of no elements.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> special.logsumexp(cp.log(cp.array([1.0, 3.0, 4.0]))).round(6) == cp.log(8.0).round(6)
    array(True)
    """
    if a.dtype.kind in "biu":
        a = a.astype(float)
    if b is not None:
        a, b = tenorite.broadcast_arrays(a, b)
        a = tenorite.where(b == 0, -tenorite.inf, a)
    largest = _largest(a.real, axis, initial=-tenorite.inf)
    terms = tenorite.exp(a - largest)
    total = (terms if b is None else b * terms).sum(axis=axis, keepdims=keepdims)
    sign = tenorite.sign(total)
    if return_sign:
        total = abs(total)
    result = tenorite.log(total) + (largest if keepdims else largest.squeeze(axis=axis))
    return (result, sign) if return_sign else result


def softmax(x, axis=None):
    """Exponentials divided by their sum.

    Parameters
    ----------
    x : ndarray
        Exponents.
    axis : int, tuple of ints or None, optional
        Along which is summed; None is all.

    Returns
    -------
    ndarray
        Of the same shape.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> special.softmax(cp.zeros((2, 4)), axis=1)
    array([[0.25, 0.25, 0.25, 0.25],
           [0.25, 0.25, 0.25, 0.25]])
    """
    terms = tenorite.exp(x - tenorite.maximum.reduce(x, axis=axis, keepdims=True))
    return terms / terms.sum(axis=axis, keepdims=True)


def log_softmax(x, axis=None):
    """Logarithm of `softmax`.

    Parameters
    ----------
    x : ndarray
        Exponents.
    axis : int, tuple of ints or None, optional
        Along which is summed; None is all.

    Returns
    -------
    ndarray
        Of the same shape.

    Raises
    ------
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> special.log_softmax(cp.array([0.0, 1000.0]))
    array([-1000.,     0.])
    """
    shifted = x - _largest(x, axis)
    return shifted - tenorite.log(tenorite.exp(shifted).sum(axis=axis, keepdims=True))


def multigammaln(a, d):
    """Logarithm of the multivariate gamma function.

    Parameters
    ----------
    a : ndarray
        More than (d - 1) / 2.
    d : int
        Dimension.

    Returns
    -------
    ndarray
        Of the same shape, of float64.

    Raises
    ------
    ValueError
        If the dimension is no positive integer, or an element is too small.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> special.multigammaln(cp.array([2.0]), 1)
    array([0.])
    """
    if not is_scalar(d) or int(d) != d or d < 1:
        raise ValueError("d should be a positive integer (dimension)")
    a = as_array_of(a).astype(float, copy=False)
    if bool((a <= 0.5 * (d - 1)).any()):
        raise ValueError(f"condition a > 0.5 * (d-1) not met: {0.5 * (d - 1)}")
    result = _gammaln(a) + d * (d - 1) * 0.25 * 1.14472988584940017414
    for k in range(1, int(d)):
        result = result + _gammaln(a - 0.5 * k)
    return result
