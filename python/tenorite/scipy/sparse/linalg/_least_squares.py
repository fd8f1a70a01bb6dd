"""Least squares of sparse matrices: LSQR and LSMR. Both wait for numbers in every iteration."""

import math

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite._lib.progress import Progress
from tenorite.scipy.sparse.linalg._interface import aslinearoperator
from tenorite.scipy.sparse.linalg._systems import in_double, norm

__all__ = ["lsmr", "lsqr"]

_EPS = float(numpy.finfo("d").eps)


def _rotation(a, b):
    """Cosine, sine and length: the rotation that turns (a, b) to (length, 0)."""
    length = math.hypot(a, b)
    if length == 0:
        return 0.0, 0.0, 0.0
    return a / length, b / length, length


def _system(A, b, x0):
    """The operator, the right side as a vector, x and its residual, in a common dtype.

    As in SciPy that is a double one unless an x0 of single precision is given.
    """
    A = aslinearoperator(A if x0 is not None else in_double(A))
    b, x = as_array(b), None if x0 is None else as_array(x0)
    m, n = A.shape
    if b.shape not in ((m,), (m, 1)):
        raise ValueError(f"b must be a vector of {m} elements for A of shape {A.shape}, not of shape {b.shape}")
    dtype = numpy.result_type(A.dtype, b.dtype, "d" if x is None else numpy.promote_types(x.dtype, "f"))
    if dtype.char not in "fdFD":
        dtype = numpy.dtype("d")
    b = b.astype(dtype).ravel()
    if x is None:
        return A, b, _core.zeros(n, dtype=dtype), b.copy()
    if x.shape not in ((n,), (n, 1)):
        raise ValueError(f"x0 must be a vector of {n} elements for A of shape {A.shape}, not of shape {x.shape}")
    x = x.astype(dtype).ravel().copy()
    return A, b, x, b - A.matvec(x)


class _Bidiagonal:
    """Golub and Kahan's vectors u and v of length 1, and the lengths alpha and beta that they
    had."""

    def __init__(self, A, residual):
        self.A, self.u = A, residual
        self.beta = norm(residual)
        if self.beta > 0:
            self.u = residual / self.beta
        self.v = A.rmatvec(self.u)
        self.alpha = norm(self.v) if self.beta > 0 else 0.0
        if self.alpha > 0:
            self.v = self.v / self.alpha

    def step(self):
        self.u = self.A.matvec(self.v) - self.alpha * self.u
        self.beta = norm(self.u)
        if self.beta > 0:
            self.u /= self.beta
            self.v = self.A.rmatvec(self.u) - self.beta * self.v
            self.alpha = norm(self.v)
            if self.alpha > 0:
                self.v /= self.alpha


def _reason(tests, bounds, is_last):
    """Why iterations end, as the papers number it; 0: they go on."""
    test1, test2, test3, test1_exact = tests
    rtol, atol, ctol = bounds
    for number, is_so in (
        (1, test1 <= rtol),
        (2, test2 <= atol),
        (3, test3 <= ctol),
        (4, 1 + test1_exact <= 1),
        (5, 1 + test2 <= 1),
        (6, 1 + test3 <= 1),
        (7, is_last),
    ):
        if is_so:
            return number
    return 0


# --- lsqr ---


@beside
def lsqr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, iter_lim=None, show=False, calc_var=False, x0=None):
    """The least-squares solution of ``A x = b`` by LSQR.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator
        M x N, of any rank.
    b : (M,) or (M, 1) ndarray
    damp : float, optional
        The least of ``norm(b - A x)**2 + damp**2 norm(x - x0)**2`` is found.
    atol, btol : float, optional
        How well A and b are known, relative to their norms.
    conlim : float, optional
        Ends where the condition number is estimated to be larger.
    iter_lim : int, optional
        2 N iterations by default.
    show : bool, optional
        Whether the iterations are printed.
    calc_var : bool, optional
        Whether the diagonal of ``inv(A* A + damp**2 I)`` is estimated.
    x0 : (N,) ndarray, optional
        The first guess.

    Returns
    -------
    x : (N,) ndarray
    istop : int
        1: x solves the equations, 2: x makes the residual least, 3 and 6: the condition number is
        too large, 4 and 5: as 1 and 2 as far as rounding allows, 7: too many iterations.
    itn : int
        The iterations.
    r1norm, r2norm, anorm, acond, arnorm, xnorm : float
        The norms of the residual, of it with the damping, of A, its condition number, the norm of
        ``A* r - damp**2 x``, that of x.
    var : (N,) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import lsqr
    >>> x = lsqr(tn.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), tn.array([1.0, 4.0, 5.0]))[0]
    >>> tn.around(x, 6)
    array([1., 2.])
    """
    A, b, x, residual = _system(A, b, x0)
    iter_lim = 2 * A.shape[1] if iter_lim is None else iter_lim
    state = _Lsqr(A, x, residual, damp, norm(b), calc_var)
    istop = 0
    if state.arnorm == 0:
        iter_lim = 0
    progress = Progress("lsqr")
    while state.itn < iter_lim and istop == 0:
        progress(state.itn, iter_lim, lambda: state.r1norm)
        istop = _reason(*state.step(atol, btol, conlim), state.itn >= iter_lim)
        if show:
            print(f"lsqr {state.itn:6d}  residual {state.r1norm:.3e}  norm of A* r {state.arnorm:.3e}")
    return (
        state.x,
        istop,
        state.itn,
        state.r1norm,
        state.r2norm,
        state.anorm,
        state.acond,
        state.arnorm,
        state.xnorm,
        state.var,
    )


class _Lsqr:
    """Paige and Saunders, LSQR: an algorithm for sparse linear equations and sparse least squares,
    1982: the rotations of the bidiagonal matrix and what they make of x."""

    def __init__(self, A, x, residual, damp, bnorm, calc_var):
        self.x, self.damp, self.bnorm, self.calc_var = x, damp, bnorm, calc_var
        self.vectors = _Bidiagonal(A, residual)
        self.w = self.vectors.v.copy()
        self.var = _core.zeros(x.size, dtype=x.dtype.char.lower())
        self.rhobar, self.phibar = self.vectors.alpha, self.vectors.beta
        self.r1norm = self.r2norm = self.vectors.beta
        self.arnorm = self.vectors.alpha * self.vectors.beta
        self.anorm = self.acond = self.xnorm = 0.0
        self.d_square = self.damped = self.x_square = self.z = 0.0
        self.cosine, self.sine = -1.0, 0.0
        self.itn = 0

    def step(self, atol, btol, conlim):
        """An iteration; the numbers of the tests and their bounds."""
        self.itn += 1
        vectors = self.vectors
        before = vectors.alpha
        vectors.step()
        self.anorm = math.sqrt(self.anorm**2 + before**2 + vectors.beta**2 + self.damp**2)
        cosine, sine, rhobar = _rotation(self.rhobar, self.damp) if self.damp > 0 else (1.0, 0.0, self.rhobar)
        psi, self.phibar = sine * self.phibar, cosine * self.phibar
        cosine, sine, rho = _rotation(rhobar, vectors.beta)
        theta, self.rhobar = sine * vectors.alpha, -cosine * vectors.alpha
        phi, self.phibar = cosine * self.phibar, sine * self.phibar
        d = self.w / rho
        self.x += phi * d
        self.w = vectors.v - (theta / rho) * self.w
        self.d_square += norm(d) ** 2
        if self.calc_var:
            self.var += _core.absolute(d) ** 2
        self._estimate_x(rho, phi, theta)
        self.damped += psi**2
        self.r2norm = math.sqrt(self.phibar**2 + self.damped)
        square = self.r2norm**2 - self.damp**2 * self.x_square
        self.r1norm = math.copysign(math.sqrt(abs(square)), square) if self.damp > 0 else self.r2norm
        self.arnorm = vectors.alpha * abs(sine * phi)
        self.acond = self.anorm * math.sqrt(self.d_square)
        share = self.anorm * self.xnorm / self.bnorm if self.bnorm else math.inf
        test1 = self.r2norm / self.bnorm if self.bnorm else math.inf
        tests = (test1, self.arnorm / (self.anorm * self.r2norm + _EPS), 1 / (self.acond + _EPS), test1 / (1 + share))
        return tests, (btol + atol * share, atol, 1 / conlim if conlim > 0 else 0.0)

    def _estimate_x(self, rho, phi, theta):
        """The norm of x, by another rotation."""
        delta, gammabar = self.sine * rho, -self.cosine * rho
        right = phi - delta * self.z
        self.xnorm = math.sqrt(self.x_square + (right / gammabar) ** 2)
        self.cosine, self.sine, gamma = _rotation(gammabar, theta)
        self.z = right / gamma
        self.x_square += self.z**2


# --- lsmr ---


@beside
def lsmr(A, b, x0=None, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, maxiter=None, show=False):
    """The least-squares solution of ``A x = b`` by LSMR, whose ``norm(A* r)`` never grows.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator
        M x N, of any rank.
    b : (M,) or (M, 1) ndarray
    x0 : (N,) ndarray, optional
        The first guess.
    damp, atol, btol, conlim, show : optional
        As in lsqr.
    maxiter : int, optional
        ``min(M, N)`` iterations by default.

    Returns
    -------
    x : (N,) ndarray
    istop : int
        As in lsqr.
    itn : int
        The iterations.
    normr, normar, norma, conda, normx : float
        The norms of the residual r, of ``A* r`` and of A, its condition number, the norm of x.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import lsmr
    >>> x = lsmr(tn.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), tn.array([1.0, 4.0, 5.0]))[0]
    >>> tn.around(x, 6)
    array([1., 2.])
    """
    A, b, x, residual = _system(A, b, x0)
    maxiter = min(A.shape) if maxiter is None else maxiter
    bnorm = norm(b)
    state = _Lsmr(A, x, residual, damp, bnorm)
    istop = 0
    if bnorm == 0:
        state.x[...] = 0
    if state.normar == 0 or bnorm == 0:
        maxiter = 0
    progress = Progress("lsmr")
    while state.itn < maxiter and istop == 0:
        progress(state.itn, maxiter, lambda: state.normr)
        istop = _reason(*state.step(atol, btol, conlim), state.itn >= maxiter)
        if show:
            print(f"lsmr {state.itn:6d}  residual {state.normr:.3e}  norm of A* r {state.normar:.3e}")
    return state.x, istop, state.itn, state.normr, state.normar, state.norma, state.conda, state.normx


class _Lsmr:
    """Fong and Saunders, LSMR: an iterative algorithm for sparse least-squares problems, 2011: two
    rotations of each row of the bidiagonal matrix, and the residual's norm by a third."""

    def __init__(self, A, x, residual, damp, bnorm):
        self.x, self.damp, self.bnorm = x, damp, bnorm
        self.vectors = _Bidiagonal(A, residual)
        alpha, beta = self.vectors.alpha, self.vectors.beta
        self.h, self.hbar = self.vectors.v.copy(), _core.zeros_like(x)
        self.alphabar, self.zetabar, self.zeta = alpha, alpha * beta, 0.0
        self.rho = self.rhobar = self.cbar = 1.0
        self.sbar = 0.0
        self.betadd, self.betad, self.rhod, self.taud = beta, 0.0, 1.0, 0.0
        self.thetatilde = self.d = 0.0
        self.a_square, self.largest, self.smallest = alpha * alpha, 0.0, 1e100
        self.normr, self.normar, self.norma = beta, alpha * beta, alpha
        self.conda, self.normx, self.itn = 1.0, 0.0, 0

    def step(self, atol, btol, conlim):
        """An iteration; the numbers of the tests and their bounds."""
        self.itn += 1
        vectors = self.vectors
        vectors.step()
        chat, shat, alphahat = _rotation(self.alphabar, self.damp)
        rho_before, rhobar_before, zeta_before = self.rho, self.rhobar, self.zeta
        c, s, self.rho = _rotation(alphahat, vectors.beta)
        theta, self.alphabar = s * vectors.alpha, c * vectors.alpha
        thetabar, product = self.sbar * self.rho, self.cbar * self.rho
        self.cbar, self.sbar, self.rhobar = _rotation(product, theta)
        self.zeta, self.zetabar = self.cbar * self.zetabar, -self.sbar * self.zetabar
        self.hbar *= -thetabar * self.rho / (rho_before * rhobar_before)
        self.hbar += self.h
        self.x += (self.zeta / (self.rho * self.rhobar)) * self.hbar
        self.h *= -theta / self.rho
        self.h += vectors.v
        self._estimate_residual(chat, shat, c, s, thetabar, zeta_before)
        self.a_square += vectors.beta**2
        self.norma = math.sqrt(self.a_square)
        self.a_square += vectors.alpha**2
        self.largest = max(self.largest, rhobar_before)
        if self.itn > 1:
            self.smallest = min(self.smallest, rhobar_before)
        self.conda = max(self.largest, product) / min(self.smallest, product)
        self.normar, self.normx = abs(self.zetabar), norm(self.x)
        share = self.norma * self.normx / self.bnorm
        test1 = self.normr / self.bnorm
        test2 = self.normar / (self.norma * self.normr) if self.norma * self.normr else math.inf
        tests = (test1, test2, 1 / self.conda, test1 / (1 + share))
        return tests, (btol + atol * share, atol, 1 / conlim if conlim > 0 else 0.0)

    def _estimate_residual(self, chat, shat, c, s, thetabar, zeta_before):
        """The residual's norm, from the rotations of the row before."""
        acute, check = chat * self.betadd, -shat * self.betadd
        hat, self.betadd = c * acute, -s * acute
        thetatilde_before = self.thetatilde
        ctilde, stilde, rhotilde = _rotation(self.rhod, thetabar)
        self.thetatilde, self.rhod = stilde * self.rhobar, ctilde * self.rhobar
        self.betad = -stilde * self.betad + ctilde * hat
        self.taud = (zeta_before - thetatilde_before * self.taud) / rhotilde
        last = (self.zeta - self.thetatilde * self.taud) / self.rhod
        self.d += check**2
        self.normr = math.sqrt(self.d + (self.betad - last) ** 2 + self.betadd**2)
