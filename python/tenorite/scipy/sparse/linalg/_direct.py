"""Factors of sparse matrices, and what is solved with them; the work is the host's."""

import warnings

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite.scipy import sparse

__all__ = ["MatrixRankWarning", "SuperLU", "factorized", "spilu", "splu", "spsolve", "spsolve_triangular"]

# The numbers of tn_sparse_order, by SciPy's names of orders.
_ORDERS = {None: 0, "MMD_AT_PLUS_A": 1, "MMD_ATA": 2, "COLAMD": 2, "NATURAL": 3}
_COMPLETE = -1.0
_UNSET = -1.0


class MatrixRankWarning(UserWarning):
    """What spsolve warns of: the matrix is singular.

    Examples
    --------
    >>> from tenorite.scipy.sparse.linalg import MatrixRankWarning
    >>> issubclass(MatrixRankWarning, UserWarning)
    True
    """


def _square(A, function):
    """A square matrix by columns, of a dtype of BLAS."""
    if not sparse.issparse(A):
        A = as_array(A)
        if A.ndim != 2:
            raise ValueError(f"{function}: A must have two dimensions (actual: {A.ndim})")
        A = sparse.csc_matrix(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix (shape: {A.shape})")
    if A.dtype.char not in "fdFD":
        A = A.astype("d")
    return A.tocsc()


def _factors(A, permc_spec=None, threshold=None, drop=_COMPLETE, fill=1.0, most=0):
    """The factors of a matrix by columns, as the extension has them."""
    if permc_spec not in _ORDERS:
        raise ValueError(f"permc_spec must be one of {[one for one in _ORDERS if one]}, not {permc_spec!r}")
    arrays = (*A.shape, A.data, A.indices, A.indptr)
    threshold = _UNSET if threshold is None else float(threshold)
    return _core._sparse_lu(arrays, _ORDERS[permc_spec], threshold, drop, fill, most)


def _right_side(b, n, dtype):
    b = as_array(b.toarray() if sparse.issparse(b) else b)
    if b.ndim not in (1, 2) or b.shape[0] != n:
        raise ValueError(f"incompatible dimensions: A has shape {(n, n)} and b {b.shape}")
    return b.astype(numpy.result_type(dtype, b.dtype))


def _solved(factors, how, b):
    """A solution; several ones lie by columns, as SciPy's do."""
    x = _core._sparse_lu_solve(factors, how, b)
    return x.copy(order="F") if x.ndim == 2 else x


class SuperLU:
    """The LU decomposition of a sparse matrix with ordered rows and columns: ``Pr A Pc = L U``.

    splu and spilu make it. The factors are the host's, and solutions are computed there.

    Parameters
    ----------
    obj : scipy.sparse.linalg.SuperLU
        Factors of SciPy's; the program makes such objects alone from them.

    Attributes
    ----------
    shape : tuple of int
    nnz : int
        How many elements the factors have.
    perm_r, perm_c : (N,) ndarray of int32
        Where in the product ``L U`` each row and each column is.
    L, U : csr_matrix

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
        # A product with given factors has these factors, up to rounding.
        of_host = sparse.csc_matrix(obj.L.tocsc()), sparse.csc_matrix(obj.U.tocsc())
        self._parts = [one.tocsr() for one in of_host]
        self._places = _core.asarray(obj.perm_r), _core.asarray(obj.perm_c)
        self._steps = [_factors(one, "NATURAL", 0.0) for one in of_host]
        self.shape, self.nnz, self._dtype = tuple(obj.shape), obj.nnz, of_host[0].dtype

    @classmethod
    def _made(cls, factors, dtype):
        self = cls.__new__(cls)
        n, lower, upper = _core._sparse_lu_size(factors)
        self._parts = self._places = None
        self._steps, self.shape, self.nnz, self._dtype = [factors], (n, n), n + lower + upper, dtype
        return self

    def _triangles(self):
        if self._parts is None:
            self._parts = [
                sparse.csc_matrix(arrays, shape=self.shape).tocsr()
                for arrays in _core._sparse_lu_factors(self._steps[0])
            ]
        return self._parts

    def _permutations(self):
        if self._places is None:
            self._places = _core._sparse_lu_places(self._steps[0])
        return self._places

    L = property(lambda self: self._triangles()[0], doc="The lower triangle, with ones on the diagonal.")
    U = property(lambda self: self._triangles()[1], doc="The upper triangle.")
    perm_r = property(lambda self: self._permutations()[0], doc="Where each row is in the product L U.")
    perm_c = property(lambda self: self._permutations()[1], doc="Where each column is in the product L U.")

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
        how = "NTH".index(trans)
        if len(self._steps) == 1:
            return _solved(self._steps[0], how, rhs)
        rows, columns = self._places
        first, second = self._steps if how == 0 else self._steps[::-1]
        before, after = (rows, columns) if how == 0 else (columns, rows)
        ordered = _core.empty_like(rhs)
        ordered[before] = rhs
        return _core._sparse_lu_solve(second, how, _core._sparse_lu_solve(first, how, ordered))[after]


def splu(A, permc_spec=None, diag_pivot_thresh=None, relax=None, panel_size=None, options={}):
    """The LU decomposition of a sparse square matrix.

    Parameters
    ----------
    A : sparse matrix
        N x N.
    permc_spec : {'COLAMD', 'MMD_ATA', 'MMD_AT_PLUS_A', 'NATURAL'}, optional
        The order of columns: by approximate minimum degree in the graph of the product with the
        transposed matrix (the first two) or of the sum (the third), or as they are. By default
        what suits the matrix.
    diag_pivot_thresh : float, optional
        0 to 1: an element on the diagonal is the pivot if it is at least this times the largest of
        its column. By default 1, or 0.1 where the diagonal is large.
    relax, panel_size, options : optional
        Of SuperLU; no use is made of them.

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
    A = _square(A, "splu")
    return SuperLU._made(_factors(A, permc_spec, diag_pivot_thresh), A.dtype)


def spilu(
    A,
    drop_tol=None,
    fill_factor=None,
    drop_rule=None,
    permc_spec=None,
    diag_pivot_thresh=None,
    relax=None,
    panel_size=None,
    options={},
):
    """An incomplete LU decomposition of a sparse square matrix, for preconditioners.

    Parameters
    ----------
    A : sparse matrix
        N x N.
    drop_tol : float, optional
        Elements that are less than this, in units of the largest of their column, are dropped;
        1e-4 by default.
    fill_factor : float, optional
        A column of either factor has at most so many times the elements that one of the matrix
        has on average; 10 by default. (SciPy's bounds the elements of both together.)
    permc_spec, diag_pivot_thresh : optional
        As in splu.
    drop_rule, relax, panel_size, options : optional
        Of SuperLU; no use is made of them.

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
    A = _square(A, "spilu")
    drop = 1e-4 if drop_tol is None else float(drop_tol)
    if not drop >= 0:
        raise ValueError(f"drop_tol must not be negative (actual: {drop_tol})")
    fill = 10.0 if fill_factor is None else float(fill_factor)
    return SuperLU._made(_factors(A, permc_spec, diag_pivot_thresh, drop, fill), A.dtype)


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
        (N,) for b of shape (N, 1), too; NaN, with a warning, for a singular matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> from tenorite.scipy.sparse.linalg import spsolve
    >>> spsolve(csr_matrix(tn.array([[2.0, 0.0], [0.0, 4.0]])), tn.array([2.0, 8.0]))
    array([1., 2.])
    """
    A = _square(A, "spsolve")
    b = _right_side(b, A.shape[0], A.dtype)
    b = b.ravel() if b.shape[1:] == (1,) else b
    try:
        factors = _factors(A.astype(b.dtype, copy=False), permc_spec)
    except RuntimeError as error:
        if "singular" not in str(error):
            raise
        warnings.warn("Matrix is exactly singular", MatrixRankWarning, stacklevel=3)
        return _core.full(b.shape, numpy.nan, dtype=b.dtype)
    return _solved(factors, 0, b)


@beside
def spsolve_triangular(A, b, lower=True, overwrite_A=False, overwrite_b=False, unit_diagonal=False):
    """Solve ``A x = b`` with a sparse triangular matrix.

    Parameters
    ----------
    A : sparse matrix
        N x N.
    b : (N,) or (N, K) ndarray
    lower : bool, optional
        Whether the lower triangle of A is taken, or the upper one; the other counts as 0.
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
    TypeError
        If A is no sparse matrix of a dtype of BLAS, or b no array of a device.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> from tenorite.scipy.sparse.linalg import spsolve_triangular
    >>> spsolve_triangular(csr_matrix(tn.array([[2.0, 0.0], [1.0, 4.0]])), tn.array([2.0, 9.0]))
    array([1., 2.])
    """
    if not sparse.issparse(A):
        raise TypeError(f"A must be a sparse matrix, not {type(A).__name__}")
    if A.dtype.char not in "fdFD":
        raise TypeError(f"unsupported dtype (actual: {A.dtype})")
    if not isinstance(b, _core.ndarray):
        raise TypeError(f"b must be an array of a device, not {type(b).__name__}")
    A = _square(A, "spsolve_triangular")
    n = A.shape[0]
    b = _right_side(b, n, A.dtype)
    if unit_diagonal:
        A = (sparse.tril(A, -1) if lower else sparse.triu(A, 1)) + sparse.identity(n, dtype=A.dtype)
    elif (A.diagonal() == 0).any():
        at = int((A.diagonal() == 0).argmax())
        raise numpy.linalg.LinAlgError(f"A is singular: zero entry on diagonal: A[{at}, {at}] is 0.")
    else:
        A = sparse.tril(A) if lower else sparse.triu(A)
    # The factors of a triangle in its own order are itself and its diagonal.
    factors = _factors(A.tocsc().astype(b.dtype, copy=False), "NATURAL", 0.0)
    return _solved(factors, 0, b)
