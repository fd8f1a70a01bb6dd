"""Matrices of distances and their condensed form: the part above the diagonal, row after row."""

import math
import warnings

import numpy

from tenorite import _core

__all__ = ["is_valid_dm", "is_valid_y", "num_obs_dm", "num_obs_y", "squareform"]


def _rows_of(size):
    """How many rows have so many pairs, at least."""
    return math.ceil(math.sqrt(size * 2))


def _above(count):
    """A mask of what is above the diagonal."""
    numbers = _core.arange(count)
    return numbers > numbers[:, None]


def squareform(X, force="no", checks=True):
    """A matrix of distances from its condensed form, or the other way round.

    Parameters
    ----------
    X : array_like
        Distances of pairs, of one axis, or a matrix.
    force : {'no', 'tomatrix', 'tovector'}, optional
        What X must not be already.
    checks : bool, optional
        Whether a matrix must be symmetric with a diagonal of zeros.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For another number of pairs than rows have, or a matrix that is none of distances.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial.distance import squareform
    >>> squareform(tn.array([1.0, 4.0, 3.0]))
    array([[0., 1., 4.],
           [1., 0., 3.],
           [4., 3., 0.]])
    """
    X = _core.asarray(X)
    if force.lower() == "tomatrix" and X.ndim != 1:
        raise ValueError("Forcing 'tomatrix' but input X is not a distance vector.")
    if force.lower() == "tovector" and X.ndim != 2:
        raise ValueError("Forcing 'tovector' but input X is not a distance matrix.")
    if X.ndim == 1:
        return _to_matrix(X)
    if X.ndim != 2:
        raise ValueError(
            f"The first argument must be one or two dimensional array. A {X.ndim}-dimensional array is not permitted"
        )
    if X.shape[0] != X.shape[1]:
        raise ValueError("The matrix argument must be square.")
    if checks:
        is_valid_dm(X, throw=True, name="X")
    if X.shape[0] <= 1:
        return _core.empty(0, X.dtype)
    return X[_above(X.shape[0])]


def _to_matrix(X):
    count = _rows_of(X.size) if X.size else 1
    if X.size and count * (count - 1) != X.size * 2:
        raise ValueError(
            "Incompatible vector size. It must be a binomial coefficient n choose 2 for some integer n >= 2."
        )
    made = _core.zeros((count, count), X.dtype)
    if X.size:
        above = _above(count)
        made[above] = X
        made.T[above] = X
    return made


def _complaint_dm(D, tol, name):
    """What is wrong with a matrix of distances, or None."""
    called = f"Distance matrix '{name}'" if name else "Distance matrix"
    if D.ndim != 2:
        return f"{called} must have shape=2 (i.e. be two-dimensional)."
    diagonal = D.diagonal()
    if tol == 0.0:
        if D.shape[0] != D.shape[1] or not bool((D == D.T).all()):
            return f"{called} must be symmetric."
        return None if bool((diagonal == 0).all()) else f"{called} diagonal must be zero."
    if not bool((D - D.T <= tol).all()):
        return f"{called} must be symmetric within tolerance {tol:5.5f}."
    return (
        None
        if bool((diagonal <= tol).all())
        else f"{called} diagonal must be close to zero within tolerance {tol:5.5f}."
    )


def _answer(complaint, throw, warning):
    if complaint is None:
        return True
    if throw:
        raise ValueError(complaint)
    if warning:
        warnings.warn(complaint, stacklevel=3)
    return False


def is_valid_dm(D, tol=0.0, throw=False, name="D", warning=False):
    """Whether a matrix is symmetric with a diagonal of zeros.

    Parameters
    ----------
    D : array_like
    tol : float, optional
        How much it may miss that.
    throw, warning : bool, optional
        Whether the answer no is an error or a warning.
    name : str, optional
        The name of the matrix in the message.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the answer is no and `throw` is true.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial.distance import is_valid_dm
    >>> is_valid_dm(tn.array([[0.0, 1.0], [1.0, 0.0]])), is_valid_dm(tn.ones((2, 2)))
    (True, False)
    """
    return _answer(_complaint_dm(_core.asarray(D), tol, name), throw, warning)


def is_valid_y(y, warning=False, throw=False, name=None):
    """Whether an array may be the condensed form of a matrix of distances.

    Parameters
    ----------
    y : array_like
    warning, throw : bool, optional
        Whether the answer no is a warning or an error.
    name : str, optional
        The name of the array in the message.

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If the answer is no and `throw` is true.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial.distance import is_valid_y
    >>> is_valid_y(tn.ones(3)), is_valid_y(tn.ones(4))
    (True, False)
    """
    y, called = _core.asarray(y), f"'{name}' " if name else ""
    complaint = None
    if y.ndim != 1:
        complaint = f"Condensed distance matrix {called}must have shape=1 (i.e. be one-dimensional)."
    elif _rows_of(y.size) * (_rows_of(y.size) - 1) != 2 * y.size:
        complaint = (
            f"Length n of condensed distance matrix {called}must be a binomial coefficient, i.e. "
            "there must be a k such that (k \\choose 2)=n)!"
        )
    return _answer(complaint, throw, warning)


def num_obs_dm(d):
    """How many rows a matrix of distances is of.

    Parameters
    ----------
    d : array_like, shape (n, n)

    Returns
    -------
    int

    Raises
    ------
    ValueError
        For what is no matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial.distance import num_obs_dm
    >>> num_obs_dm(tn.zeros((3, 3)))
    3
    """
    d = _core.asarray(d)
    is_valid_dm(d, tol=numpy.inf, throw=True, name="d")
    return d.shape[0]


def num_obs_y(Y):
    """How many rows the condensed form of a matrix of distances is of.

    Parameters
    ----------
    Y : array_like, of one axis

    Returns
    -------
    int

    Raises
    ------
    ValueError
        For an array of another size, or of none.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial.distance import num_obs_y
    >>> num_obs_y(tn.ones(6))
    4
    """
    Y = _core.asarray(Y)
    is_valid_y(Y, throw=True, name="Y")
    if Y.size == 0:
        raise ValueError("The number of observations cannot be determined on an empty distance matrix.")
    return _rows_of(Y.size)
