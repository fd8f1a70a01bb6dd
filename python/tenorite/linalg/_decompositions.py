"""Factors, eigenvalues and singular values, and the numbers that are taken from them."""

import warnings
from typing import NamedTuple

from numpy import finfo
from numpy.linalg import LinAlgError

from tenorite import _core
from tenorite._arguments import also_named, as_array, beside
from tenorite._numpy.indexing import take_along_axis
from tenorite._numpy.rearranging import matrix_transpose

__all__ = [
    "EigResult",
    "EighResult",
    "QRResult",
    "SVDResult",
    "cholesky",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "matrix_rank",
    "qr",
    "svd",
    "svdvals",
]


class EigResult(NamedTuple):
    """What eig gives."""

    eigenvalues: object
    eigenvectors: object


class EighResult(NamedTuple):
    """What eigh gives."""

    eigenvalues: object
    eigenvectors: object


class QRResult(NamedTuple):
    """What qr gives."""

    Q: object
    R: object


class SVDResult(NamedTuple):
    """What svd gives."""

    U: object
    S: object
    Vh: object


# --- Factors ---


def cholesky(a, /, *, upper=False):
    """The Cholesky factor of positive definite matrices: ``a = L L*``.

    Parameters
    ----------
    a : (..., M, M) ndarray
        Hermitian; only one triangle is read.
    upper : bool, optional
        Whether the upper triangle is read and ``a = U* U``.

    Returns
    -------
    (..., M, M) ndarray
        Triangular.

    Raises
    ------
    LinAlgError
        If a matrix is not positive definite (on cuda at the next call that waits), or not square.

    Notes
    -----
    Differs from NumPy: on a GPU a failure is noticed when the result is waited for, or at once
    within ``tenorite.x.errstate(linalg="raise")``.
    Differs from CuPy: halves and integers are converted as NumPy converts them.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.cholesky(tn.array([[4.0, 2.0], [2.0, 2.0]]))
    array([[2., 0.],
           [1., 1.]])
    """
    return _core._linalg_cholesky(as_array(a), bool(upper))


def qr(a, mode="reduced"):
    """The QR decomposition: ``a = Q R`` with orthonormal columns in Q and R upper triangular.

    Parameters
    ----------
    a : (..., M, N) ndarray
    mode : {'reduced', 'complete', 'r', 'raw'}, optional
        'reduced': Q is M x K and R is K x N, K = min(M, N). 'complete': K = M. 'r': R alone. 'raw':
        LAPACK's reflectors, transposed, and their factors.

    Returns
    -------
    QRResult, ndarray ('r') or a pair ('raw')

    Examples
    --------
    >>> import tenorite as tn
    >>> q, r = tn.linalg.qr(tn.array([[3.0, 1.0], [4.0, 2.0]]))
    >>> tn.allclose(q @ r, tn.array([[3.0, 1.0], [4.0, 2.0]]))
    array(True)
    """
    a = as_array(a)
    if mode in ("f", "full"):
        warnings.warn(
            "The 'full' option is deprecated in favor of 'reduced'.\nFor backward compatibility let mode default.",
            DeprecationWarning,
            stacklevel=2,
        )
        mode = "reduced"
    if mode in ("e", "economic"):
        warnings.warn("The 'economic' option is deprecated.", DeprecationWarning, stacklevel=2)
        return matrix_transpose(_core._linalg_qr_raw(a)[0])
    if mode in ("reduced", "complete"):
        return QRResult(*_core._linalg_qr(a, mode == "complete"))
    if mode == "r":
        return _core._linalg_qr_r(a)
    if mode == "raw":
        return _core._linalg_qr_raw(a)
    raise ValueError(f"Unrecognized mode '{mode}'")


# --- Eigenvalues ---


def _reads_upper(UPLO):
    name = UPLO.upper()
    if name not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return name == "U"


def eigh(a, UPLO="L"):
    """Eigenvalues and eigenvectors of Hermitian matrices.

    Parameters
    ----------
    a : (..., M, M) ndarray
    UPLO : {'L', 'U'}, optional
        The triangle that is read.

    Returns
    -------
    EighResult
        ``eigenvalues`` (..., M), real and ascending, and ``eigenvectors`` (..., M, M), orthonormal
        columns.

    Notes
    -----
    Differs from NumPy: on a GPU a failure is noticed when the result is waited for, or at once
    within ``tenorite.x.errstate(linalg="raise")``.
    Differs from NumPy: halves are decomposed in float32, and their results are halves, as in CuPy.
    Differs from CuPy: integers are converted as NumPy converts them.

    Examples
    --------
    >>> import tenorite as tn
    >>> w, v = tn.linalg.eigh(tn.array([[2.0, 0.0], [0.0, 1.0]]))
    >>> w
    array([1., 2.])
    """
    a = as_array(a)
    if a.dtype.char == "e":
        return EighResult(*(one.astype("e") for one in eigh(a.astype("f"), UPLO)))
    return EighResult(*_core._linalg_eigh(a, _reads_upper(UPLO)))


def eigvalsh(a, UPLO="L"):
    """Eigenvalues of Hermitian matrices, ascending; see eigh.

    Parameters
    ----------
    a : (..., M, M) ndarray
        The matrices.
    UPLO : {'L', 'U'}, optional
        Which triangle is read.

    Returns
    -------
    ndarray
        The eigenvalues in ascending order.

    Notes
    -----
    Differs from NumPy: on a GPU a failure is noticed when the result is waited for, or at once
    within ``tenorite.x.errstate(linalg="raise")``.
    Differs from NumPy: halves are decomposed in float32, and their results are halves, as in CuPy.
    Differs from CuPy: integers are converted as NumPy converts them.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.eigvalsh(tn.array([[2.0, 0.0], [0.0, 1.0]]))
    array([1., 2.])
    """
    a = as_array(a)
    if a.dtype.char == "e":
        return eigvalsh(a.astype("f"), UPLO).astype("e")
    return _core._linalg_eigvalsh(a, _reads_upper(UPLO))


def _finite(a):
    a = as_array(a)
    if a.dtype.kind in "fc" and not _core.isfinite(a).all():
        raise LinAlgError("Array must not contain infs or NaNs")
    return a


def _is_real(a, w):
    """Whether eigenvalues of a real matrix are all real; waits."""
    return a.dtype.kind != "c" and not w.imag.any()


def eig(a):
    """Eigenvalues and right eigenvectors of square matrices.

    Parameters
    ----------
    a : (..., M, M) ndarray
        LinAlgError if an element is not finite.

    Returns
    -------
    EigResult
        ``eigenvalues`` (..., M) in no order, and ``eigenvectors`` (..., M, M), columns of length 1.
        Real if `a` is and all eigenvalues are: to know it the call waits.

    Notes
    -----
    Differs from NumPy: on a GPU a failure is noticed when the result is waited for, or at once
    within ``tenorite.x.errstate(linalg="raise")``.
    Differs from CuPy: halves and integers are converted as NumPy converts them.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.eig(tn.array([[0.0, 1.0], [-1.0, 0.0]])).eigenvalues
    array([0.+1.j, 0.-1.j])
    """
    a = _finite(a)
    w, v = _core._linalg_eig(a)
    return EigResult(w.real.copy(), v.real.copy()) if _is_real(a, w) else EigResult(w, v)


def eigvals(a):
    """Eigenvalues of square matrices; see eig.

    Parameters
    ----------
    a : (..., M, M) ndarray
        The matrices.

    Returns
    -------
    ndarray
        The eigenvalues.

    Notes
    -----
    Differs from NumPy: on a GPU a failure is noticed when the result is waited for, or at once
    within ``tenorite.x.errstate(linalg="raise")``.
    Differs from CuPy: halves and integers are converted as NumPy converts them.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.eigvals(tn.array([[2.0, 1.0], [0.0, 2.0]]))
    array([2., 2.])
    """
    a = _finite(a)
    w = _core._linalg_eigvals(a)
    return w.real.copy() if _is_real(a, w) else w


# --- Singular values ---


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    """The singular value decomposition: ``a = (U * S[..., None, :]) @ Vh``.

    Parameters
    ----------
    a : (..., M, N) ndarray
    full_matrices : bool, optional
        Whether U and Vh are square, else they are M x K and K x N with K = min(M, N).
    compute_uv : bool, optional
        False: S alone.
    hermitian : bool, optional
        Whether the matrices are Hermitian, which is decomposed by eigh.

    Returns
    -------
    SVDResult or ndarray
        ``S`` (..., K) is real and descending.

    Notes
    -----
    Differs from NumPy: on a GPU a failure is noticed when the result is waited for, or at once
    within ``tenorite.x.errstate(linalg="raise")``.
    Differs from CuPy: halves and integers are converted as NumPy converts them.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.svd(tn.array([[3.0, 0.0], [0.0, 4.0]])).S
    array([4., 3.])
    """
    a = as_array(a)
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    if compute_uv:
        return SVDResult(*_core._linalg_svd(a, bool(full_matrices)))
    return _core._linalg_svdvals(a)


def _hermitian_svd(a, compute_uv):
    if not compute_uv:
        return _core.sort(_core.absolute(eigvalsh(a)))[..., ::-1]
    w, v = eigh(a)
    s = _core.absolute(w)
    order = s.argsort()[..., ::-1]
    sign = take_along_axis(_core.copysign(1.0, w), order, axis=-1)
    u = take_along_axis(v, order[..., None, :], axis=-1)
    return SVDResult(u, take_along_axis(s, order, axis=-1), matrix_transpose(u * sign[..., None, :]).conj())


def svdvals(x, /):
    """Singular values of matrices, descending; see svd.

    Parameters
    ----------
    x : (..., M, N) ndarray
        The matrices.

    Returns
    -------
    ndarray
        The singular values in descending order.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.svdvals(tn.array([[3.0, 0.0], [0.0, 4.0]]))
    array([4., 3.])
    """
    return _core._linalg_svdvals(as_array(x))


@also_named(M="A")
@beside
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """The number of singular values that are not 0.

    Parameters
    ----------
    A : (..., M, N) ndarray
        A vector counts as a matrix of one row.
    tol : float or (...) ndarray, optional
        Singular values up to it count as 0.
    hermitian : bool, optional
        Whether the matrices are Hermitian.
    rtol : float or (...) ndarray, optional
        The same in units of the largest singular value; ``max(M, N)`` times the dtype's epsilon by
        default.

    Returns
    -------
    (...) ndarray of int64

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.matrix_rank(tn.ones((3, 3)))
    array(1)
    """
    if rtol is not None and tol is not None:
        raise ValueError("`tol` and `rtol` can't be both set.")
    A = as_array(A)
    if A.ndim < 2:
        return (A != 0).any().astype("l")
    s = svd(A, compute_uv=False, hermitian=hermitian)
    if tol is None:
        rtol = max(A.shape[-2:]) * finfo(s.dtype).eps if rtol is None else as_array(rtol)[..., None]
        tol = s.max(axis=-1, keepdims=True, initial=0) * rtol
    else:
        tol = as_array(tol)[..., None]
    return _core.count_nonzero(s > tol, axis=-1)
