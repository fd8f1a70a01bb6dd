"""Factors of sparse matrices, and what is solved with them, by SciPy's SuperLU on the host."""

import warnings

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite.scipy import sparse

__all__ = ["SuperLU", "factorized", "spilu", "splu", "spsolve", "spsolve_triangular"]


def _solvers(function):
    """scipy.sparse.linalg, or the ImportError that names what to install."""
    try:
        import scipy.sparse.linalg
    except ImportError as error:
        raise ImportError(f"{function} needs SciPy, which is not there: pip install scipy") from error
    return scipy.sparse.linalg


def _square(A, format, function):
    """A sparse matrix of SciPy's with the elements of a square one of ours."""
    if not sparse.issparse(A):
        if as_array(A).ndim != 2:
            raise ValueError(f"{function}: A must have two dimensions (actual: {A.ndim})")
        A = sparse.csr_matrix(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix (shape: {A.shape})")
    if A.dtype.char not in "fdFD":
        A = A.astype("d")
    return A.get().asformat(format)


def _right_side(b, n, dtype):
    b = as_array(b.toarray() if sparse.issparse(b) else b)
    if b.ndim not in (1, 2) or b.shape[0] != n:
        raise ValueError(f"incompatible dimensions: A has shape {(n, n)} and b {b.shape}")
    return b.astype(numpy.result_type(dtype, b.dtype))


class SuperLU:
    """The LU decomposition of a sparse matrix with ordered rows and columns: ``Pr A Pc = L U``.

    splu and spilu make it. The factors are the host's, and solutions are computed there.

    Parameters
    ----------
    obj : scipy.sparse.linalg.SuperLU

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csc_matrix
    >>> from tenorite.scipy.sparse.linalg import SuperLU, splu
    >>> isinstance(splu(csc_matrix(tn.eye(2))), SuperLU)
    True
    """

    def __init__(self, obj):
        if type(obj).__name__ != "SuperLU":
            raise TypeError(f"obj must be scipy.sparse.linalg.SuperLU, not {type(obj).__name__}")
        self._of_host = obj
        self.shape, self.nnz = obj.shape, obj.nnz
        self.perm_r, self.perm_c = _core.asarray(obj.perm_r), _core.asarray(obj.perm_c)
        self.L, self.U = sparse.csr_matrix(obj.L.tocsr()), sparse.csr_matrix(obj.U.tocsr())

    def solve(self, rhs, trans="N"):
        """Solve with the matrix ('N'), its transpose ('T') or its adjoint ('H').

        Parameters
        ----------
        rhs : (N,) or (N, K) ndarray
        trans : {'N', 'T', 'H'}, optional

        Returns
        -------
        (N,) or (N, K) ndarray

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.sparse import csc_matrix
        >>> from tenorite.scipy.sparse.linalg import splu
        >>> splu(csc_matrix(tn.array([[2.0]]))).solve(tn.array([8.0]))
        array([4.])
        """
        rhs = as_array(rhs)
        if rhs.ndim not in (1, 2):
            raise ValueError(f"rhs.ndim must be 1 or 2 (actual: {rhs.ndim})")
        if rhs.shape[0] != self.shape[0]:
            raise ValueError(f"shape mismatch (self.shape: {self.shape}, rhs.shape: {rhs.shape})")
        if trans not in ("N", "T", "H"):
            raise ValueError(f"trans must be 'N', 'T', or 'H' (actual: {trans!r})")
        dtype = self.L.dtype
        values = rhs.get()
        if values.dtype.kind == "c" and dtype.kind != "c":
            parts = [self._of_host.solve(part.astype(dtype), trans) for part in (values.real, values.imag)]
            return _core.asarray(parts[0] + 1j * parts[1])
        return _core.asarray(self._of_host.solve(values.astype(dtype), trans))


def splu(A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options={}):
    """The LU decomposition of a sparse square matrix.

    Parameters
    ----------
    A : sparse matrix
        N x N.
    permc_spec, diag_pivot_thresh, relax, panel_size, options : optional
        As in scipy.sparse.linalg.splu.

    Returns
    -------
    SuperLU

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csc_matrix
    >>> from tenorite.scipy.sparse.linalg import splu
    >>> splu(csc_matrix(tn.array([[2.0]]))).solve(tn.array([8.0]))
    array([4.])
    """
    return SuperLU(_solvers("splu").splu(
        _square(A, "csc", "splu"), permc_spec=permc_spec, diag_pivot_thresh=diag_pivot_thresh, relax=relax,
        panel_size=panel_size, options=options))  # fmt: skip


def spilu(A, drop_tol=None, fill_factor=None, drop_rule=None, permc_spec=None, diag_pivot_thresh=None, relax=None,
          panel_size=None, options={}):  # fmt: skip
    """An incomplete LU decomposition of a sparse square matrix, for preconditioners.

    Parameters
    ----------
    A : sparse matrix
        N x N.
    drop_tol, fill_factor, drop_rule, permc_spec, diag_pivot_thresh : optional
        As in scipy.sparse.linalg.spilu.
    relax, panel_size, options : optional
        As in scipy.sparse.linalg.spilu.

    Returns
    -------
    SuperLU

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csc_matrix
    >>> from tenorite.scipy.sparse.linalg import spilu
    >>> spilu(csc_matrix(tn.array([[2.0]]))).solve(tn.array([8.0]))
    array([4.])
    """
    return SuperLU(_solvers("spilu").spilu(
        _square(A, "csc", "spilu"), drop_tol=drop_tol, fill_factor=fill_factor, drop_rule=drop_rule,
        permc_spec=permc_spec, diag_pivot_thresh=diag_pivot_thresh, relax=relax, panel_size=panel_size,
        options=options))  # fmt: skip


def factorized(A):
    """A function that solves ``A x = b`` for b.

    Parameters
    ----------
    A : sparse matrix
        N x N.

    Returns
    -------
    callable

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csc_matrix
    >>> from tenorite.scipy.sparse.linalg import factorized
    >>> factorized(csc_matrix(tn.array([[2.0]])))(tn.array([8.0]))
    array([4.])
    """
    return splu(A).solve


@beside
def spsolve(A, b, permc_spec=None, use_umfpack=True):
    """Solve ``A x = b`` with a sparse matrix.

    Parameters
    ----------
    A : sparse matrix
        N x N.
    b : (N,) or (N, K) ndarray
    permc_spec, use_umfpack : optional
        As in scipy.sparse.linalg.spsolve.

    Returns
    -------
    (N,) or (N, K) ndarray
        NaN, with a warning, for a singular matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> from tenorite.scipy.sparse.linalg import spsolve
    >>> spsolve(csr_matrix(tn.array([[2.0, 0.0], [0.0, 4.0]])), tn.array([2.0, 8.0]))
    array([1., 2.])
    """
    solvers = _solvers("spsolve")
    matrix = _square(A, "csc", "spsolve")
    b = _right_side(b, matrix.shape[0], matrix.dtype)
    matrix = matrix.astype(b.dtype)
    found = numpy.asarray(solvers.spsolve(matrix, b.get(), permc_spec=permc_spec, use_umfpack=use_umfpack))
    return _core.asarray(found.reshape(b.shape).astype(b.dtype, copy=False))


@beside
def spsolve_triangular(A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False):
    """Solve ``A x = b`` with a sparse triangular matrix.

    Parameters
    ----------
    A : sparse matrix
        N x N.
    b : (N,) or (N, K) ndarray
    lower : bool, optional
        Whether the matrix is a lower triangle.
    overwrite_A, overwrite_b : bool, optional
        No use is made of these permissions.
    unit_diagonal : bool, optional
        Whether the diagonal counts as ones and is not read.

    Returns
    -------
    (N,) or (N, K) ndarray

    Raises
    ------
    LinAlgError
        If a number on the diagonal is 0.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> from tenorite.scipy.sparse.linalg import spsolve_triangular
    >>> spsolve_triangular(csr_matrix(tn.array([[2.0, 0.0], [1.0, 4.0]])), tn.array([2.0, 9.0]))
    array([1., 2.])
    """
    solvers = _solvers("spsolve_triangular")
    matrix = _square(A, "csr", "spsolve_triangular")
    b = _right_side(b, matrix.shape[0], matrix.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = solvers.spsolve_triangular(matrix, b.get(), lower=lower, unit_diagonal=unit_diagonal)
    return _core.asarray(found.astype(b.dtype, copy=False))
