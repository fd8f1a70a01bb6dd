"""Iterative methods for square systems: what they ask of a matrix are products.

Each method waits for numbers in every iteration.
"""

import math

import numpy

from tenorite import _core
from tenorite._arguments import beside
from tenorite.scipy.sparse.linalg._systems import in_double, inner, make_system, norm, tolerance

__all__ = ["bicgstab", "cgs", "gmres", "minres"]


@beside
def cgs(A, b, x0=None, tol=None, maxiter=None, M=None, callback=None, atol=None, *, rtol=None):
    """Solve ``A x = b`` by conjugate gradients squared, for any square matrix.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator
        N x N.
    b : (N,) or (N, 1) ndarray
    x0, tol, rtol, atol, maxiter, M, callback : optional
        As in cg.

    Returns
    -------
    x : (N,) ndarray
    info : int
        0 if it converged, the number of iterations if not, -10 for a breakdown.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import cgs
    >>> x, info = cgs(tn.array([[2.0, 1.0], [0.0, 4.0]]), tn.array([4.0, 8.0]))
    >>> tn.around(x, 6), info
    (array([1., 2.]), 0)
    """
    A, M, x, b = make_system(A, M, x0, b)
    limit = tolerance(b, tol, rtol, atol)
    if limit is None:
        return b, 0
    maxiter = 5 * b.size if maxiter is None else maxiter
    r = b - A.matvec(x)
    shadow, rho = r.copy(), 0
    u = p = q = _core.zeros_like(b)
    if norm(r) <= limit:
        return x, 0
    for _ in range(maxiter):
        before, rho = rho, inner(shadow, r)
        if rho == 0:
            return x, -10
        beta = rho / before if before else 0
        u = r + beta * q
        p = u + beta * (q + beta * p)
        p_near = M.matvec(p)
        v = A.matvec(p_near)
        divisor = inner(shadow, v)
        if divisor == 0:
            return x, -10
        alpha = rho / divisor
        q = u - alpha * v
        step = M.matvec(u + q)
        x += alpha * step
        r -= alpha * A.matvec(step)
        if callback is not None:
            callback(x)
        if norm(r) <= limit:
            return x, 0
    return x, maxiter


@beside
def bicgstab(A, b, x0=None, tol=None, maxiter=None, M=None, callback=None, atol=None, *, rtol=None):
    """Solve ``A x = b`` by stabilized biconjugate gradients, for any square matrix.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator
        N x N.
    b : (N,) or (N, 1) ndarray
    x0, tol, rtol, atol, maxiter, M, callback : optional
        As in cg.

    Returns
    -------
    x : (N,) ndarray
    info : int
        0 if it converged, the number of iterations if not, -10 or -11 for a breakdown.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import bicgstab
    >>> x, info = bicgstab(tn.array([[2.0, 1.0], [0.0, 4.0]]), tn.array([4.0, 8.0]))
    >>> tn.around(x, 6), info
    (array([1., 2.]), 0)
    """
    A, M, x, b = make_system(A, M, x0, b)
    limit = tolerance(b, tol, rtol, atol)
    if limit is None:
        return b, 0
    maxiter = 10 * b.size if maxiter is None else maxiter
    r = b - A.matvec(x)
    shadow, p, v = r.copy(), None, None
    rho = alpha = omega = 1
    if norm(r) <= limit:
        return x, 0
    for _ in range(maxiter):
        before, rho = rho, inner(shadow, r)
        if rho == 0:
            return x, -10
        p = r.copy() if p is None else r + rho / before * (alpha / omega) * (p - omega * v)
        p_near = M.matvec(p)
        v = A.matvec(p_near)
        divisor = inner(shadow, v)
        if divisor == 0:
            return x, -11
        alpha = rho / divisor
        r -= alpha * v
        x += alpha * p_near
        if norm(r) <= limit:
            return x, 0
        r_near = M.matvec(r)
        t = A.matvec(r_near)
        divisor = inner(t, t)
        omega = inner(t, r) / divisor if divisor else 0
        x += omega * r_near
        r -= omega * t
        if callback is not None:
            callback(x)
        if norm(r) <= limit:
            return x, 0
        if omega == 0:
            return x, -11
    return x, maxiter


@beside
def gmres(
    A,
    b,
    x0=None,
    tol=None,
    restart=None,
    maxiter=None,
    M=None,
    callback=None,
    atol=None,
    callback_type=None,
    *,
    rtol=None,
):
    """Solve ``A x = b`` by generalized minimal residuals with restarts.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator
        N x N.
    b : (N,) or (N, 1) ndarray
    x0, tol, rtol, atol, M : optional
        As in cg.
    restart : int, optional
        Iterations after which a new basis is begun; 20 by default.
    maxiter : int, optional
        Of iterations; they end after a whole number of bases. 10 N by default.
    callback : callable, optional
        Is called after each basis, with the residual's norm or what `callback_type` says.
    callback_type : {'pr_norm', 'x'}, optional

    Returns
    -------
    x : (N,) ndarray
    info : int
        0 if it converged, else the number of iterations.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import gmres
    >>> x, info = gmres(tn.array([[2.0, 1.0], [0.0, 4.0]]), tn.array([4.0, 8.0]))
    >>> tn.around(x, 6), info
    (array([1., 2.]), 0)
    """
    A, M, x, b = make_system(A, M, x0, b)
    if callback_type not in (None, "x", "pr_norm", "legacy"):
        raise ValueError(f"Unknown callback_type: {callback_type!r}")
    limit = tolerance(b, tol, rtol, atol)
    if limit is None:
        return b, 0
    n = b.size
    maxiter = 10 * n if maxiter is None else maxiter
    restart = min(20 if restart is None else restart, n)
    done = 0
    while True:
        r = b - A.matvec(x)
        length = norm(r)
        if callback is not None and done > 0:
            callback(x if callback_type == "x" else length)
        if length <= limit or done >= maxiter:
            return x, 0 if length <= limit else done
        x = x + M.matvec(_minimized(A, M, r, length, restart))
        done += restart


def _minimized(A, M, r, length, restart):
    """What makes the residual least among the combinations of a basis of Krylov's."""
    basis = _core.empty((r.size, restart), dtype=r.dtype, order="F")
    small = numpy.zeros((restart + 1, restart), dtype=r.dtype)
    v, count = r / length, restart
    for k in range(restart):
        basis[:, k] = v
        u = A.matvec(M.matvec(v))
        known = basis[:, : k + 1]
        adjoint = known.conj().T
        for _ in range(2):  # the second time takes away what rounding left
            part = adjoint @ u
            u = u - known @ part
            small[: k + 1, k] += part.get()
        rest = norm(u)
        small[k + 1, k] = rest
        if rest <= numpy.finfo(r.dtype).eps * max(numpy.abs(small[: k + 1, k]).max(), 1e-300):
            count = k + 1
            break
        v = u / rest
    target = numpy.zeros(count + 1, dtype=r.dtype)
    target[0] = length
    y = numpy.linalg.lstsq(small[: count + 1, :count], target, rcond=None)[0]
    return basis[:, :count] @ _core.asarray(y.astype(r.dtype))


# --- minres ---


@beside
def minres(
    A, b, x0=None, shift=0.0, tol=None, maxiter=None, M=None, callback=None, check=False, *, rtol=None, show=False
):
    """Solve ``(A - shift I) x = b`` by minimal residuals, for Hermitian matrices, definite or not.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator
        N x N.
    b : (N,) or (N, 1) ndarray
    x0 : (N,) ndarray, optional
        The first guess.
    shift : float, optional
    tol, rtol : float, optional
        Ends where the residual's norm is that many times ``norm(A) * norm(x)``; 1e-5 by default.
    maxiter : int, optional
        5 N by default.
    M : array, sparse matrix or LinearOperator, optional
        The preconditioner: near the inverse of A, positive definite.
    callback : callable, optional
        Is called with x after each iteration.
    check : bool, optional
        Whether A and M are tried for symmetry: ValueError.
    show : bool, optional
        Whether the iterations are printed.

    Returns
    -------
    x : (N,) ndarray
    info : int
        0 if it converged, else the number of iterations.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import minres
    >>> x, info = minres(tn.array([[2.0, 0.0], [0.0, -4.0]]), tn.array([2.0, -8.0]))
    >>> tn.around(x, 6), info
    (array([1., 2.]), 0)
    """
    A, M, x, b = make_system(in_double(A), M, x0, b)
    wide = numpy.result_type(b.dtype, "d")
    x, b = x.astype(wide, copy=False), b.astype(wide, copy=False)
    n = b.size
    maxiter = 5 * n if maxiter is None else maxiter
    r = b - (A.matvec(x) - shift * x) if x0 is not None else b.copy()
    y = M.matvec(r)
    size = _positive(inner(r, y), "indefinite preconditioner")
    if n == 0 or size == 0:
        return x, 0
    if norm(b) == 0:
        return b, 0
    if check:
        _check_symmetry(A, y, "non-symmetric matrix")
        _check_symmetry(M, r, "non-symmetric preconditioner")
    state = _Minres(A, M, shift, x, r, y, math.sqrt(size))
    relative = rtol if rtol is not None else 1e-5 if tol is None else tol
    for count in range(maxiter):
        state.step(count)
        if show:
            print(f"minres {count + 1:6d}  residual {state.residual:.3e}")
        if callback is not None:
            callback(state.x)
        if state.is_done(relative):
            return state.x, 0
    return state.x, maxiter


def _positive(number, message):
    number = number.real
    if number < 0:
        raise ValueError(message)
    return number


def _check_symmetry(A, y, message):
    w = A.matvec(y)
    s, t = inner(w, w).real, inner(y, A.matvec(w)).real
    eps = float(numpy.finfo(y.dtype).eps)
    if abs(s - t) > (s + eps) * eps ** (1 / 3):
        raise ValueError(message)


class _Minres:
    """Lanczos' vectors, the rotations that make their matrix triangular, and x (Paige and Saunders,
    Solution of sparse indefinite systems of linear equations, 1975)."""

    def __init__(self, A, M, shift, x, r, y, beta):
        self.A, self.M, self.shift, self.x = A, M, shift, x
        self.r_before, self.r, self.y = r, r, y
        self.beta, self.beta_before, self.beta_first = beta, 0.0, beta
        self.dbar = self.epsilon = self.norm_square = 0.0
        self.residual = beta
        self.cosine, self.sine = -1.0, 0.0
        self.w = self.w_before = _core.zeros_like(x)
        self.eps = float(numpy.finfo(x.dtype).eps)
        self.largest, self.smallest = 0.0, math.inf
        self.root = 0.0

    def step(self, count):
        v = self.y / self.beta
        y = self.A.matvec(v)
        if self.shift:
            y = y - self.shift * v
        if count > 0:
            y = y - (self.beta / self.beta_before) * self.r_before
        alpha = inner(v, y).real
        y = y - (alpha / self.beta) * self.r
        self.r_before, self.r = self.r, y
        self.y = self.M.matvec(y)
        self.beta_before = self.beta
        self.beta = math.sqrt(_positive(inner(self.r, self.y), "non-symmetric matrix"))
        self.norm_square += alpha**2 + self.beta_before**2 + self.beta**2
        self._rotate(v, alpha)

    def _rotate(self, v, alpha):
        epsilon, cosine, sine = self.epsilon, self.cosine, self.sine
        delta = cosine * self.dbar + sine * alpha
        gbar = sine * self.dbar - cosine * alpha
        self.epsilon, self.dbar = sine * self.beta, -cosine * self.beta
        self.root = math.hypot(gbar, self.dbar)
        gamma = max(math.hypot(gbar, self.beta), self.eps)
        self.cosine, self.sine = gbar / gamma, self.beta / gamma
        phi, self.residual = self.cosine * self.residual, self.sine * self.residual
        w = (v - epsilon * self.w_before - delta * self.w) / gamma
        self.w_before, self.w = self.w, w
        self.x = self.x + phi * w
        self.largest, self.smallest = max(self.largest, gamma), min(self.smallest, gamma)

    def is_done(self, relative):
        """Whether x solves the equations or makes the residual least, as far as rounding allows."""
        size = math.sqrt(self.norm_square)
        length = norm(self.x)
        if size == 0 or length == 0:
            return size == 0
        test1, test2 = self.residual / (size * length), self.root / size
        if self.beta / self.beta_first <= 10 * self.eps:
            return True  # the vectors span all that matters
        is_exact = 1 + test1 <= 1 or 1 + test2 <= 1 or size * length * self.eps >= self.beta_first
        return is_exact or self.largest / self.smallest >= 0.1 / self.eps or min(test1, test2) <= relative
