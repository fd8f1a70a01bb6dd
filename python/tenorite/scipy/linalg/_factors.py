"""Factors of matrices that are kept, and what is solved with them."""

import warnings

from numpy.linalg import LinAlgError

from tenorite import _core
from tenorite._arguments import as_array, as_array_of, beside
from tenorite._numpy.indexing import take_along_axis
from tenorite._numpy.rearranging import matrix_transpose
from tenorite.linalg import _decompositions as decompositions

__all__ = ["LinAlgWarning", "cho_factor", "cho_solve", "cholesky", "lu", "lu_factor", "lu_solve", "solve_triangular"]

_TRANSPOSITIONS = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}


class LinAlgWarning(RuntimeWarning):
    """A matrix is singular, or nearly so.

    Examples
    --------
    >>> from tenorite.scipy.linalg import LinAlgWarning
    >>> issubclass(LinAlgWarning, RuntimeWarning)
    True
    """


def _checked(array, check_finite):
    """The argument as an array, halves and narrow integers as float32; ValueError if an element
    is to be finite and is not, which is waited for."""
    array = as_array(array)
    if array.dtype.char in "?bBhHe":
        array = array.astype("f")
    if check_finite and array.dtype.kind in "fc" and not _core.isfinite(array).all():
        raise ValueError("array must not contain infs or NaNs")
    return array


def _check_matrices(a):
    if a.ndim < 2:
        raise LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")


def _check_square(a, name):
    _check_matrices(a)
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"expected square matrix: {name} has shape {a.shape}")


def _check_fits(a, b, name):
    """Whether b is a vector or matrices of as many rows as a has."""
    if b.ndim == 0 or b.shape[0 if b.ndim == 1 else -2] != a.shape[-1]:
        raise ValueError(f"incompatible dimensions: shapes of {name} {a.shape} and b {b.shape}")


def _transposition(trans):
    try:
        return _TRANSPOSITIONS[trans]
    except (KeyError, TypeError):
        raise ValueError(f"unknown trans: {trans!r} is none of 0, 1, 2, 'N', 'T', 'C'") from None


# --- lu ---


@beside
def lu(a, permute_l=False, overwrite_a=False, check_finite=True, p_indices=False):
    """The LU decomposition with exchanged rows: ``a = P @ L @ U``.

    Parameters
    ----------
    a : (..., M, N) ndarray
    permute_l : bool, optional
        Whether ``P @ L`` is given instead of P and L.
    overwrite_a : bool, optional
        No use is made of this permission.
    check_finite : bool, optional
        Whether an element that is not finite is a ValueError; the call then waits.
    p_indices : bool, optional
        Whether P is given as indexes: ``a = (L @ U)[P]``.

    Returns
    -------
    P : (..., M, M) or (p_indices) (..., M) ndarray
        Not with `permute_l`.
    L : (..., M, K) ndarray
        With ones on the diagonal; K = min(M, N).
    U : (..., K, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> p, l, u = tn.scipy.linalg.lu(tn.array([[1.0, 2.0], [4.0, 4.0]]))
    >>> l, u
    (array([[1.  , 0.  ],
           [0.25, 1.  ]]), array([[4., 4.],
           [0., 1.]]))
    """
    a = _checked(a, check_finite)
    _check_matrices(a)
    factors, pivots = _core._linalg_lu(a)
    lower, upper = _core._linalg_lu_parts(factors)
    places = _core._linalg_permutation(pivots, a.shape[-2])
    if permute_l:
        return take_along_axis(lower, places[..., None], axis=-2), upper
    if p_indices:
        return places.astype("i"), lower, upper
    return _core.eye(a.shape[-2], dtype=factors.dtype.char.lower())[places], lower, upper


@beside
def lu_factor(a, overwrite_a=False, check_finite=True):
    """The LU decomposition in the form that lu_solve takes.

    A singular matrix is a LinAlgWarning; to know it the call waits.

    Parameters
    ----------
    a : (..., M, N) ndarray
    overwrite_a : bool, optional
        No use is made of this permission.
    check_finite : bool, optional
        Whether an element that is not finite is a ValueError.

    Returns
    -------
    lu : (..., M, N) ndarray
        U in the upper triangle, below it L without its diagonal of ones.
    piv : (..., min(M, N)) ndarray of int32
        The row that each row was exchanged with.

    Examples
    --------
    >>> import tenorite as tn
    >>> lu, piv = tn.scipy.linalg.lu_factor(tn.array([[1.0, 2.0], [4.0, 4.0]]))
    >>> piv
    array([1, 1], dtype=int32)
    """
    a = _checked(a, check_finite)
    _check_matrices(a)
    factors, pivots = _core._linalg_lu(a)
    zeros = factors.diagonal(0, -2, -1) == 0
    if zeros.any():
        number = int(zeros.reshape(-1, zeros.shape[-1]).any(axis=0).argmax()) + 1
        warnings.warn(f"Diagonal number {number} is exactly zero. Singular matrix.", LinAlgWarning, stacklevel=3)
    return factors, pivots


@beside
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """Solve ``a x = b`` with what lu_factor gave for a.

    Parameters
    ----------
    lu_and_piv : tuple
        ``(lu, piv)`` of square matrices.
    b : (M,) or (..., M, K) ndarray
    trans : {0, 1, 2}, optional
        Solves with a, with its transpose, with its adjoint.
    overwrite_b : bool, optional
        No use is made of this permission.
    check_finite : bool, optional
        Whether an element that is not finite is a ValueError; the call then waits.

    Returns
    -------
    (M,) or (..., M, K) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> factors = tn.scipy.linalg.lu_factor(tn.array([[3.0, 1.0], [1.0, 2.0]]))
    >>> tn.scipy.linalg.lu_solve(factors, tn.array([9.0, 8.0]))
    array([2., 3.])
    """
    factors, pivots = lu_and_piv
    factors, b = _checked(factors, check_finite), _checked(b, check_finite)
    _check_square(factors, "lu")
    _check_fits(factors, b, "lu")
    return _core._linalg_lu_solve(factors, as_array(pivots), b, _transposition(trans))


# --- Cholesky ---


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """The Cholesky factor: ``a = U* U`` or (`lower`) ``a = L L*``.

    Parameters
    ----------
    a : (..., M, M) ndarray
        Hermitian; only that triangle is read.
    lower : bool, optional
    overwrite_a : bool, optional
        No use is made of this permission.
    check_finite : bool, optional
        Whether an element that is not finite is a ValueError; the call then waits.

    Returns
    -------
    (..., M, M) ndarray

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite (on cuda at the next call that waits).

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.cholesky(tn.array([[4.0, 2.0], [2.0, 2.0]]))
    array([[2., 1.],
           [0., 1.]])
    """
    a = _checked(a, check_finite)
    _check_square(a, "a")
    # In order F, as SciPy's: the factor of the transpose, transposed.
    return matrix_transpose(decompositions.cholesky(matrix_transpose(a), upper=lower))


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """The Cholesky factor in the form that cho_solve takes: the factor and `lower`.

    Parameters
    ----------
    a : (..., M, M) ndarray
        Hermitian and positive definite.
    lower : bool, optional
        Which triangle is read and holds the factor; the other is zeros.
    overwrite_a : bool, optional
        No use is made of this permission.
    check_finite : bool, optional
        Whether an element that is not finite is a ValueError; the call then waits.

    Returns
    -------
    c : (..., M, M) ndarray
    lower : bool

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.cho_factor(tn.array([[4.0, 2.0], [2.0, 2.0]]), lower=True)
    (array([[2., 0.],
           [1., 1.]]), True)
    """
    return cholesky(a, lower, overwrite_a, check_finite), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solve ``a x = b`` with what cho_factor gave for a.

    Parameters
    ----------
    c_and_lower : tuple
        The factor, and whether it is in the lower triangle.
    b : (M,) or (..., M, K) ndarray
    overwrite_b : bool, optional
        No use is made of this permission.
    check_finite : bool, optional
        Whether an element that is not finite is a ValueError; the call then waits.

    Returns
    -------
    (M,) or (..., M, K) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> factor = tn.scipy.linalg.cho_factor(tn.array([[4.0, 2.0], [2.0, 2.0]]))
    >>> tn.scipy.linalg.cho_solve(factor, tn.array([8.0, 6.0]))
    array([1., 2.])
    """
    factor, lower = c_and_lower
    factor, b = _checked(factor, check_finite), _checked(b, check_finite)
    _check_square(factor, "c")
    _check_fits(factor, b, "c")
    return _core._linalg_cholesky_solve(factor, b, not lower)


# --- Triangles ---


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    """Solve ``a x = b`` with a triangle of a.

    Parameters
    ----------
    a : (..., M, M) ndarray
        Only one triangle is read.
    b : (..., M) or (..., M, K) ndarray
        A vector for each matrix if its shape is that of `a` without the last axis.
    trans : {0, 1, 2, 'N', 'T', 'C'}, optional
        Solves with a, with its transpose, with its adjoint.
    lower : bool, optional
        Whether the lower triangle is read.
    unit_diagonal : bool, optional
        Whether the diagonal counts as ones and is not read.
    overwrite_b : bool, optional
        No use is made of this permission.
    check_finite : bool, optional
        Whether an element that is not finite is a ValueError; the call then waits.

    Returns
    -------
    (..., M) or (..., M, K) ndarray

    Raises
    ------
    LinAlgError
        If there is a 0 on the diagonal (on cuda at the next call that waits).

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.array([[2.0, 0.0], [1.0, 4.0]])
    >>> tn.scipy.linalg.solve_triangular(a, tn.array([2.0, 9.0]), lower=True)
    array([1., 2.])
    """
    a, b = (_checked(as_array_of(one), check_finite) for one in (a, b))
    _check_square(a, "a")
    if a.ndim > 2 and b.shape == a.shape[:-1]:
        arguments = (b[..., None], trans, lower, unit_diagonal, overwrite_b, False)
        return solve_triangular(a, *arguments)[..., 0]
    _check_fits(a, b, "a")
    return _core._linalg_triangular(a, b, _transposition(trans), not lower, bool(unit_diagonal))
