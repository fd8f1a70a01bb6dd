"""Conjugate gradients."""

import math
import time

from tenorite import _core
from tenorite._arguments import beside
from tenorite._kernels.fuse import fuse
from tenorite.scipy.sparse.linalg._interface import _Identity, _Matrix
from tenorite.scipy.sparse.linalg._systems import inner, make_system, norm, tolerance

__all__ = ["cg"]

_WORK = 1 << 25  # elements that the first call of the core goes through
_SHORT = 0.02  # seconds of a call: the next may have twice its steps

# The steps of cg() between products, each one kernel, whose numbers stay on the device.


@fuse
def _turn(p, z, rho, before):
    p *= rho / before
    p += z


@fuse
def _advance(x, r, p, q, rho, divisor):
    alpha = rho / divisor
    x += alpha * p
    r -= alpha * q


def _diagonal(M):
    """The diagonal of an operator that is a diagonal matrix, or None."""
    matrix = M.A if isinstance(M, _Matrix) else None
    if getattr(matrix, "format", None) == "dia" and matrix.offsets.tolist() == [0]:
        return matrix.diagonal()
    return None


def _has_steps(A, M, x):
    """Whether the core makes all steps: of a real csr matrix, M being diagonal."""
    matrix = A.A if isinstance(A, _Matrix) else None
    if getattr(matrix, "format", None) != "csr" or matrix.dtype != x.dtype or x.dtype.char not in "fd":
        return False
    return isinstance(M, _Identity) or _diagonal(M) is not None


def _step(A, M, x, r, limit, maxiter, callback):
    """The core's steps, in calls short enough for signals to be heard between them."""
    inverse = None if isinstance(M, _Identity) else _diagonal(M).astype(x.dtype, copy=False)
    square = inner(r, r)
    product = square if inverse is None else inner(r, inverse * r)
    p, numbers = _core.zeros_like(x), _core.asarray([product, square, 0.0, 0.0])
    most = 1 if callback is not None else max(1, _WORK // (A.A.nnz + 8 * x.size))
    done = 0
    while math.sqrt(square) > limit and done < maxiter:
        began = time.monotonic()
        _core._csr_conjugate(A.A._parts, inverse, x, r, p, numbers, limit, min(most, maxiter - done))
        _, square, _, done = numbers.tolist()
        if callback is not None:
            callback(x)
        elif time.monotonic() - began < _SHORT:
            most *= 2
        done = int(done)
    return x, 0 if math.sqrt(square) <= limit else maxiter


@beside
def cg(A, b, x0=None, tol=None, maxiter=None, M=None, callback=None, atol=None, *, rtol=None):
    """Solve ``A x = b`` by conjugate gradients.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator
        Hermitian and positive definite, N x N.
    b : (N,) or (N, 1) ndarray
    x0 : (N,) ndarray, optional
        The first guess.
    tol, rtol, atol : float, optional
        Ends where the residual's norm is at most ``max(rtol * norm(b), atol)``; `rtol` is 1e-5
        and `atol` 0 by default. `tol` is CuPy's name of `rtol`.
    maxiter : int, optional
        10 N by default.
    M : array, sparse matrix or LinearOperator, optional
        The preconditioner: near the inverse of A.
    callback : callable, optional
        Is called with x after each iteration.

    Returns
    -------
    x : (N,) ndarray
    info : int
        0 if it converged, else the number of iterations.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import cg
    >>> x, info = cg(tn.array([[2.0, 0.0], [0.0, 4.0]]), tn.array([2.0, 8.0]))
    >>> tn.around(x, 6), info
    (array([1., 2.]), 0)
    """
    A, M, x, b = make_system(A, M, x0, b)
    limit = tolerance(b, tol, rtol, atol)
    if limit is None:
        return b, 0
    maxiter = 10 * b.size if maxiter is None else maxiter
    r = b - A.matvec(x)
    if _has_steps(A, M, x):
        return _step(A, M, x, r, limit, maxiter, callback)
    p = rho = None
    is_plain = isinstance(M, _Identity)
    for count in range(maxiter + 1):
        z = r if is_plain else M.matvec(r)
        before, rho = rho, _core.vdot(r, z)
        # Without a preconditioner the product is the square of the length.
        if (math.sqrt(rho.item().real) if is_plain else norm(r)) <= limit:
            return x, 0
        if count == maxiter:
            break
        if p is None:
            p = z.copy()
        else:
            _turn(p, z, rho, before)
        q = A.matvec(p)
        _advance(x, r, p, q, rho, _core.vdot(p, q))
        if callback is not None:
            callback(x)
    return x, maxiter
