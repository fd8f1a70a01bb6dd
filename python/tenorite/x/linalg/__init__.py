"""Linear algebra that CuPy keeps in cupyx.linalg."""

import importlib as _importlib

from tenorite._linalg.decompositions import cholesky
from tenorite._arguments import as_array, beside
from tenorite import _core
from tenorite.scipy.linalg import cho_solve

__all__ = ["cho_solve", "invh"]


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
    return _core._linalg_cholesky_solve(factor, eye, False)


def __getattr__(name):
    """Solvers of sparse matrices, which few programs use."""
    if name == "sparse":
        return _importlib.import_module("tenorite.x.linalg.sparse")
    raise AttributeError(f"module 'tenorite.x.linalg' has no attribute {name!r}")
