"""Linear algebra that CuPy keeps in cupyx.linalg."""

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite._lib.lazy import lazy_names as _lazy_names
from tenorite._numpy.creation import tril, triu
from tenorite.lapack import potrs
from tenorite.linalg._decompositions import cholesky

__all__ = ["cho_solve", "invh"]


@beside
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solve ``a x = b`` with the Cholesky factors of a.

    Parameters
    ----------
    c_and_lower : tuple
        The (..., M, M) factors, of which one triangle is read, and whether that is the lower.
    b : (..., M) or (..., M, K) ndarray
        A vector, or matrices, for each factor.
    overwrite_b : bool, optional
        Whether b may be overwritten with the solution.
    check_finite : bool, optional
        Whether an element that is not finite is a ValueError; the call then waits.

    Returns
    -------
    (..., M) or (..., M, K) ndarray
        The solutions.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.array([[4.0, 2.0], [2.0, 2.0]])
    >>> tn.x.linalg.cho_solve((tn.linalg.cholesky(a), True), tn.array([8.0, 6.0]))
    array([1., 2.])
    """
    factor, lower = c_and_lower
    factor, b = as_array(factor), as_array(b)
    read = tril(factor) if lower else triu(factor)
    if check_finite and not (_core.isfinite(read).all() and _core.isfinite(b).all()):
        raise ValueError("array must not contain infs or NaNs")
    return potrs(factor, b if overwrite_b else b.copy(), lower)


@beside
def invh(a):
    """The inverse of Hermitian positive definite matrices, by a Cholesky decomposition.

    Parameters
    ----------
    a : (..., M, M) ndarray

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
    >>> tn.x.linalg.invh(tn.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    factor = cholesky(as_array(a))
    eye = _core.eye(factor.shape[-1], dtype=factor.dtype)
    return _core.ascontiguousarray(_core._linalg_cholesky_solve(factor, eye, False))


# Solvers of sparse matrices, which few programs use.
__getattr__, __dir__ = _lazy_names(__name__, {}, ("sparse",))
