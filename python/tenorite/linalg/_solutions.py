"""Equations, inverses and determinants."""

from typing import NamedTuple

from numpy import finfo
from numpy.linalg import LinAlgError

from tenorite import _core
from tenorite._arguments import ABSENT, as_array, beside
from tenorite._numpy.indexing import where
from tenorite._numpy.rearranging import matrix_transpose
from tenorite.linalg._decompositions import svd

__all__ = ["SlogdetResult", "det", "inv", "lstsq", "pinv", "slogdet", "solve", "tensorinv", "tensorsolve"]


class SlogdetResult(NamedTuple):
    """What slogdet gives."""

    sign: object
    logabsdet: object


def solve(a, b):
    """Solve ``a x = b``.

    Parameters
    ----------
    a : (..., M, M) ndarray
        Square matrices.
    b : (M,) or (..., M, K) ndarray
        One vector for all matrices, or matrices; stacks broadcast.

    Returns
    -------
    (..., M) or (..., M, K) ndarray

    Raises
    ------
    LinAlgError
        If a matrix is singular (on cuda at the next call that waits), or `a` is not square.

    Notes
    -----
    Differs from NumPy: on a GPU a failure is noticed when the result is waited for, or at once
    within ``tenorite.x.errstate(linalg="raise")``.
    Differs from CuPy: halves and integers are converted as NumPy converts them.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.array([[3.0, 1.0], [1.0, 2.0]])
    >>> tn.linalg.solve(a, tn.array([9.0, 8.0]))
    array([2., 3.])
    """
    return _core._linalg_solve(as_array(a), as_array(b))


def inv(a):
    """The inverse of square matrices.

    Parameters
    ----------
    a : (..., M, M) ndarray

    Returns
    -------
    (..., M, M) ndarray

    Raises
    ------
    LinAlgError
        If a matrix is singular (on cuda at the next call that waits), or `a` is not square.

    Notes
    -----
    Differs from NumPy: on a GPU a failure is noticed when the result is waited for, or at once
    within ``tenorite.x.errstate(linalg="raise")``.
    Differs from CuPy: halves and integers are converted as NumPy converts them.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.inv(tn.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return _core._linalg_inv(as_array(a))


def det(a):
    """The determinant of square matrices.

    Parameters
    ----------
    a : (..., M, M) ndarray

    Returns
    -------
    (...) ndarray
        0 for a singular matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.det(tn.array([[2.0, 1.0], [0.0, 4.0]]))
    array(8.)
    """
    return _core._linalg_det(as_array(a))


def slogdet(a):
    """The sign and the logarithm of the absolute value of determinants.

    Parameters
    ----------
    a : (..., M, M) ndarray

    Returns
    -------
    SlogdetResult
        ``sign`` (of absolute value 1 for complex matrices) and ``logabsdet``; 0 and -inf for a
        singular matrix.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.slogdet(tn.eye(3) * 1e-200).logabsdet < -1000
    array(True)
    """
    return SlogdetResult(*_core._linalg_slogdet(as_array(a)))


@beside
def pinv(a, rcond=None, hermitian=False, *, rtol=ABSENT):
    """The Moore-Penrose inverse of matrices.

    Parameters
    ----------
    a : (..., M, N) ndarray
    rcond : float or (...) ndarray, optional
        Singular values up to ``rcond`` times the largest count as 0. By default 1e-15, and for
        float32, in which `a` is decomposed, ``max(M, N)`` times its epsilon.
    hermitian : bool, optional
        Whether the matrices are Hermitian, which is decomposed faster.
    rtol : float or (...) ndarray, optional
        Another name of `rcond`; None means ``max(M, N)`` times the dtype's epsilon.

    Returns
    -------
    (..., N, M) ndarray

    Notes
    -----
    Differs from NumPy: on a GPU a failure is noticed when the result is waited for, or at once
    within ``tenorite.x.errstate(linalg="raise")``.
    Differs from CuPy: halves and integers are converted as NumPy converts them.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.pinv(tn.array([[2.0], [0.0]]))
    array([[0.5, 0. ]])
    """
    a = as_array(a)
    if rcond is not None and rtol is not ABSENT:
        raise ValueError("`rtol` and `rcond` can't be both set.")
    if a.ndim >= 2 and 0 in a.shape[-2:]:
        return _core.empty((*a.shape[:-2], a.shape[-1], a.shape[-2]), dtype=a.dtype)
    u, s, vh = svd(a.conj(), full_matrices=False, hermitian=hermitian)
    if rcond is None:
        least = max(a.shape[-2:]) * finfo(s.dtype).eps
        rcond = least if rtol is None or (rtol is ABSENT and s.dtype.char == "f") else 1e-15 if rtol is ABSENT else rtol
    cutoff = as_array(rcond)[..., None] * s.max(axis=-1, keepdims=True)
    inverse = where(s > cutoff, 1 / s, s.dtype.type(0))
    return matrix_transpose(vh) @ (inverse[..., None] * matrix_transpose(u))


def lstsq(a, b, rcond=None):
    """The least-squares solution of ``a x = b``: the x of the least norm that makes
    ``norm(b - a x)`` the least.

    Parameters
    ----------
    a : (M, N) ndarray
    b : (M,) or (M, K) ndarray
    rcond : float, optional
        Singular values up to ``rcond`` times the largest count as 0; None or -1: the dtype's
        epsilon times ``max(M, N)``.

    Returns
    -------
    x : (N,) or (N, K) ndarray
    residuals : (1,), (K,) or (0,) ndarray
        The squares of the residuals' norms; none if the rank is below N or M <= N. To know the rank
        the call waits.
    rank : 0-d ndarray
    s : (min(M, N),) ndarray
        Singular values of `a`.

    Notes
    -----
    Differs from NumPy: on a GPU a failure is noticed when the result is waited for, or at once
    within ``tenorite.x.errstate(linalg="raise")``.
    Differs from CuPy: halves and integers are converted as NumPy converts them.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.array([[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> x, residuals, rank, s = tn.linalg.lstsq(a, tn.array([1.0, 3.0, 5.0]))
    >>> tn.around(x, 6)
    array([2., 1.])
    """
    a, b = as_array(a), as_array(b)
    is_vector = b.ndim == 1
    x, residuals, rank, s = _core._linalg_lstsq(a, b[:, None] if is_vector else b, -1 if rcond is None else rcond)
    m, n = a.shape
    if m <= n or int(rank) != n:
        residuals = residuals[:0]
    return x[:, 0] if is_vector else x, residuals, rank, s


def tensorsolve(a, b, axes=None):
    """Solve ``tensordot(a, x, x.ndim) = b``.

    Parameters
    ----------
    a : ndarray
        Of shape ``b.shape + Q``, where the products of both are equal.
    b : ndarray
    axes : sequence of int, optional
        Axes of `a` that are moved to the end first.

    Returns
    -------
    ndarray
        Of shape Q.

    Raises
    ------
    ValueError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> a = tn.eye(6).reshape(2, 3, 6)
    >>> tn.linalg.tensorsolve(a, tn.ones((2, 3)))
    array([1., 1., 1., 1., 1., 1.])
    """
    a, b = as_array(a), as_array(b)
    if axes is not None:
        order = list(range(a.ndim))
        for axis in axes:
            order.remove(axis)
            order.insert(a.ndim, axis)
        a = a.transpose(order)
    shape = a.shape[-(a.ndim - b.ndim) :]
    size = 1
    for one in shape:
        size *= one
    if a.size != size**2:
        raise LinAlgError("Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])")
    return solve(a.reshape(size, size), b.ravel()).reshape(shape)


def tensorinv(a, ind=2):
    """The inverse of an array as ``tensordot(a, x, ind)`` has it.

    Parameters
    ----------
    a : ndarray
        The product of its first `ind` sizes equals that of the others.
    ind : int, optional
        Above 0.

    Returns
    -------
    ndarray
        Of shape ``a.shape[ind:] + a.shape[:ind]``.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.linalg.tensorinv(tn.eye(6).reshape(2, 3, 6)).shape
    (6, 2, 3)
    """
    a = as_array(a)
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    size = 1
    for one in a.shape[ind:]:
        size *= one
    return inv(a.reshape(size, -1)).reshape(a.shape[ind:] + a.shape[:ind])
