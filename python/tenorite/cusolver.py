"""Decompositions and solutions by cuSOLVER's names, as cupyx.cusolver has them. They work on the
host, too."""

from tenorite import lapack
from tenorite._arguments import as_array, beside
from tenorite._numpy.rearranging import matrix_transpose
from tenorite.linalg._decompositions import eigh, eigvalsh, svd
from tenorite.linalg._solutions import solve
from tenorite.scipy.sparse.linalg import spsolve

__all__ = ["check_availability", "csrlsvqr", "gels", "gesv", "gesvda", "gesvdj", "syevj"]

_AVAILABLE = frozenset(
    {
        "csrlsvqr",
        "geev",
        "gels",
        "gesv",
        "gesvda",
        "gesvdj",
        "gesvdjBatched",
        "potrfBatched",
        "potrsBatched",
        "syevj",
        "syevjBatched",
    }
)


def check_availability(name):
    """Whether a function of this name is there.

    Parameters
    ----------
    name : str
        As 'gesvdj'; ValueError for a name that cuSOLVER does not know.

    Returns
    -------
    bool

    Examples
    --------
    >>> from tenorite import cusolver
    >>> cusolver.check_availability("syevj")
    True
    """
    if name not in _AVAILABLE:
        raise ValueError(f"No available version information specified for {name}")
    return True


def gesvdj(a, full_matrices=True, compute_uv=True, overwrite_a=False):
    """The singular value decomposition of a matrix or of several: ``a = U S V*``.

    Parameters
    ----------
    a : (..., M, N) ndarray
    full_matrices : bool, optional
        Whether U and V are square.
    compute_uv : bool, optional
        False: S alone.
    overwrite_a : bool, optional
        No use is made of this permission.

    Returns
    -------
    U, S, V : ndarray
        V is not transposed.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusolver
    >>> cusolver.gesvdj(tn.array([[3.0, 0.0], [0.0, 4.0]]), compute_uv=False)
    array([4., 3.])
    """
    if not compute_uv:
        return svd(a, compute_uv=False)
    u, s, vh = svd(a, full_matrices=full_matrices)
    return u, s, matrix_transpose(vh).conj()


def gesvda(a, compute_uv=True):
    """The singular value decomposition of tall matrices; see gesvdj.

    Parameters
    ----------
    a : (..., M, N) ndarray
        ValueError if M < N.
    compute_uv : bool, optional

    Returns
    -------
    U, S, V : ndarray
        U is M x N.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusolver
    >>> cusolver.gesvda(tn.array([[3.0], [4.0]]), compute_uv=False)
    array([5.])
    """
    a = as_array(a)
    if a.ndim < 2:
        raise ValueError(f"a.ndim must be at least 2 (actual: {a.ndim})")
    if a.shape[-2] < a.shape[-1]:
        raise ValueError(f"gesvda needs matrices of no more columns than rows (actual: {a.shape})")
    return gesvdj(a, full_matrices=False, compute_uv=compute_uv)


def syevj(a, UPLO="L", with_eigen_vector=True):
    """Eigenvalues, ascending, and eigenvectors of Hermitian matrices.

    Parameters
    ----------
    a : (..., M, M) ndarray
    UPLO : {'L', 'U'}, optional
        The triangle that is read.
    with_eigen_vector : bool, optional
        False: eigenvalues alone.

    Returns
    -------
    w, v : ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusolver
    >>> cusolver.syevj(tn.array([[2.0, 0.0], [0.0, 1.0]]), with_eigen_vector=False)
    array([1., 2.])
    """
    return tuple(eigh(a, UPLO)) if with_eigen_vector else eigvalsh(a, UPLO)


@beside
def gesv(a, b):
    """Solve ``a x = b``; the arguments stay as they are.

    Parameters
    ----------
    a : (M, M) ndarray
    b : (M,) or (M, K) ndarray

    Returns
    -------
    (M,) or (M, K) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusolver
    >>> cusolver.gesv(tn.array([[2.0]]), tn.array([8.0]))
    array([4.])
    """
    return solve(*lapack._check(a, b))


def gels(a, b):
    """The least-squares solution for matrices of full rank; see lapack.gels.

    Parameters
    ----------
    a : (M, N) ndarray
    b : (M,) or (M, K) ndarray

    Returns
    -------
    (N,) or (N, K) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusolver
    >>> tn.around(cusolver.gels(tn.array([[1.0], [1.0]]), tn.array([1.0, 3.0])), 6)
    array([2.])
    """
    return lapack.gels(a, b)


def csrlsvqr(a, b, tol=0, reorder=1):
    """Solve ``a x = b`` with a sparse matrix.

    Parameters
    ----------
    a : csr_matrix
    b : (M,) ndarray
    tol, reorder : optional
        Settings of cuSOLVER's that change no result.

    Returns
    -------
    (M,) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cusolver
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> cusolver.csrlsvqr(csr_matrix(tn.array([[2.0]])), tn.array([8.0]))
    array([4.])
    """
    if as_array(b).ndim != 1:
        raise ValueError(f"b must be a vector (actual: {b.ndim}-dimensional)")
    return spsolve(a, b)
