"""Sparse solvers that CuPy keeps in cupyx.linalg.sparse."""

from tenorite._arguments import as_array, beside
from tenorite.scipy import sparse
from tenorite.scipy.sparse.linalg import spsolve

__all__ = ["lschol"]


@beside
def lschol(A, b):
    """Solve ``A x = b`` with a sparse symmetric or Hermitian positive definite matrix.

    The factors are those of ``spsolve``, so that a matrix that is not definite is solved, too.

    Parameters
    ----------
    A : (N, N) sparse matrix or ndarray
    b : (N,) ndarray

    Returns
    -------
    (N,) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> from tenorite.x.linalg.sparse import lschol
    >>> lschol(csr_matrix(tn.array([[2.0, 0.0], [0.0, 4.0]])), tn.array([2.0, 8.0]))
    array([1., 2.])
    """
    if not sparse.issparse(A):
        A = sparse.csr_matrix(as_array(A))
    b = as_array(b)
    if b.ndim != 1:
        raise ValueError(f"b must be a 1D array (actual: {b.ndim})")
    if A.shape[0] != A.shape[1] or A.shape[0] != b.size:
        raise ValueError(f"A must be square and fit b (shapes: {A.shape} and {b.shape})")
    return spsolve(A, b)
