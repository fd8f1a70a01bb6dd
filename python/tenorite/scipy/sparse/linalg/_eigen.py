"""A few eigenvalues and singular values of large matrices."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite._lib.progress import Progress
from tenorite._numpy.rearranging import matrix_transpose
from tenorite.linalg._decompositions import cholesky, eigh, qr, svd
from tenorite.scipy import sparse
from tenorite.scipy.sparse.linalg._direct import _factors
from tenorite.scipy.sparse.linalg._interface import LinearOperator, aslinearoperator
from tenorite.scipy.sparse.linalg._systems import norm

__all__ = ["eigsh", "lobpcg", "svds"]


def _checked(a, k, limit):
    a = aslinearoperator(a)
    if a.dtype is None or a.dtype.char not in "fdFD":
        raise TypeError(f"unsupported dtype (actual: {a.dtype})")
    if k <= 0:
        raise ValueError(f"k must be greater than 0 (actual: {k})")
    if k >= limit(a.shape):
        raise ValueError(f"k must be smaller than {limit(a.shape)} for shape {a.shape} (actual: {k})")
    return a


# --- eigsh ---


@beside
def eigsh(
    a,
    k=6,
    *,
    which="LM",
    v0=None,
    ncv=None,
    maxiter=None,
    tol=0,
    return_eigenvectors=True,
    sigma=None,
    mode="normal",
    OPinv=None,
):
    """A few eigenvalues and eigenvectors of a Hermitian matrix, by Lanczos' method with thick
    restarts; waits in every iteration.

    Where the ends of a sparse matrix' spectrum converge slowly the matrix is factored (splu), if
    its factors are sparse enough: eigenvalues near a number are the largest ones of the inverse.

    Parameters
    ----------
    a : array, sparse matrix or LinearOperator
        N x N.
    k : int, optional
        How many; below N.
    which : {'LM', 'LA', 'SA'}, optional
        The largest absolute values, the largest, the smallest; with `sigma` of the eigenvalues of
        what `mode` says, so that 'LM' are those nearest to it.
    v0 : (N,) ndarray, optional
        The first vector; the numbers of a fixed seed by default.
    ncv : int, optional
        How many vectors are kept.
    maxiter : int, optional
        Of products with `a`; 10 N by default. What has not converged by then is given as it is.
    tol : float, optional
        The residual in units of the largest eigenvalue; 0 means the dtype's epsilon.
    return_eigenvectors : bool, optional
    sigma : float, optional
        Eigenvalues near this number are sought.
    mode : {'normal', 'buckling', 'cayley'}, optional
        With `sigma`: whether an eigenvalue w stands for ``1 / (w - sigma)``, ``w / (w - sigma)`` or
        ``(w + sigma) / (w - sigma)``.
    OPinv : array, sparse matrix or LinearOperator, optional
        The inverse of ``a - sigma``; by default of the factors of that, which a LinearOperator
        does not have.

    Returns
    -------
    w : (k,) ndarray
        Ascending.
    x : (N, k) ndarray
        Only with `return_eigenvectors`.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import eigsh
    >>> w, x = eigsh(tn.eye(5) * tn.arange(5.0), k=2)
    >>> tn.around(w, 6)
    array([3., 4.])
    >>> tn.around(eigsh(tn.eye(5) * tn.arange(5.0), k=2, sigma=1.9, return_eigenvectors=False), 6)
    array([1., 2.])
    """
    given, a = a, _checked(a, k, lambda shape: shape[0])
    if a.shape[1] != a.shape[0]:
        raise ValueError(f"expected square matrix (shape: {a.shape})")
    if which not in ("LM", "LA", "SA"):
        raise ValueError(f"which must be 'LM', 'LA' or 'SA' (actual: {which!r})")
    if mode not in _MODES:
        raise ValueError(f"unrecognized mode '{mode}'")
    search = {"k": k, "v0": v0, "ncv": ncv, "maxiter": maxiter, "tol": tol}
    if sigma is not None:
        w, x = _near(given, a, sigma, mode, OPinv, which, search)
    elif OPinv is not None or mode != "normal":
        raise ValueError("OPinv and mode need sigma")
    else:
        found = _lanczos(a, which, tries=_TRIES if _may_factor(given) else None, **search)
        w, x = found or _from_ends(given, a, which, search) or _lanczos(a, which, **search)
    order = numpy.argsort(w, kind="stable")
    values = _core.asarray(w[order].astype(a.dtype.char.lower()))
    return (values, x[:, _core.asarray(order)]) if return_eigenvectors else values


# How often Lanczos' basis is made anew before factors are tried, for matrices of so many rows; the
# factors may have so many times the elements of the matrix.
_TRIES, _ROWS, _FILL = 2, 500, 60

# By mode: the operator that a solution with a - sigma is part of, and the eigenvalue of a that one
# of the operator stands for.
_MODES = {
    "normal": (lambda a, solve, sigma, x: solve(x), lambda nu, sigma: sigma + 1 / nu),
    "buckling": (lambda a, solve, sigma, x: solve(a.matvec(x)), lambda nu, sigma: sigma * nu / (nu - 1)),
    "cayley": (
        lambda a, solve, sigma, x: solve(a.matvec(x) + sigma * x),
        lambda nu, sigma: sigma * (nu + 1) / (nu - 1),
    ),
}


def _lanczos(a, which, k, v0=None, ncv=None, maxiter=None, tol=0, tries=None):
    """Eigenvalues (the host's) and vectors. None after so many tries without success."""
    n = a.shape[0]
    ncv = min(max(2 * k, k + 32) if ncv is None else max(ncv, k + 2), n)
    lanczos = _Lanczos(a, ncv, v0)
    maxiter = 10 * n if maxiter is None else maxiter
    tol = max(float(tol), float(numpy.finfo(a.dtype).eps))
    progress = Progress("eigsh")
    while True:
        lanczos.extend()
        w, s = numpy.linalg.eigh(lanczos.small)
        order = numpy.argsort({"LM": -numpy.abs(w), "LA": -w, "SA": w}[which], kind="stable")
        residuals = numpy.abs(lanczos.beta * s[-1, order[:k]])
        progress(lanczos.products, maxiter, residuals.max)
        if (residuals <= tol * numpy.abs(w).max()).all() or lanczos.products >= maxiter or ncv == n:
            return w[order[:k]], lanczos.combine(s[:, order[:k]])
        if tries is not None:
            tries -= 1
            if tries <= 0:
                return None
        # Beside the wanted vectors some others make the next ones converge sooner.
        kept = min(k + (ncv - k) // 2, ncv - 1)
        lanczos.restart(w, s, order[:kept])


def _shifted(matrix, sigma, most=0):
    """What solves with a matrix less sigma."""
    n = matrix.shape[0]
    factors = _factors((matrix - sigma * sparse.identity(n, dtype=matrix.dtype)).tocsc(), most=most)
    return lambda x: _core._sparse_lu_solve(factors, 0, x)


def _near(given, a, sigma, mode, inverse, which, search):
    """Eigenvalues near sigma."""
    sigma = float(sigma)
    if inverse is not None:
        solve = aslinearoperator(inverse).matvec
    elif isinstance(given, LinearOperator):
        raise ValueError("sigma needs OPinv where the matrix is a LinearOperator")
    else:
        solve = _shifted(given if sparse.issparse(given) else sparse.csc_matrix(given), sigma)
    operate, restore = _MODES[mode]
    operator = LinearOperator(a.shape, lambda x: operate(a, solve, sigma, x), dtype=a.dtype)
    nu, x = _lanczos(operator, which, **search)
    return restore(nu, sigma), x


# --- The ends of a spectrum from the inverse ---


def _may_factor(given):
    return sparse.issparse(given) and given.shape[0] >= _ROWS


def _bounds(matrix):
    """Numbers that no eigenvalue is beyond (Gershgorin's circles)."""
    middle = matrix.diagonal().real
    radius = as_array(abs(matrix).sum(axis=1)).ravel() - abs(middle)
    return float((middle - radius).min()), float((middle + radius).max())


def _from_ends(given, a, which, search):
    """The eigenvalues at one end or both; None if the factors were too many."""
    low, high = _bounds(given)
    k, margin = search["k"], 1e-5 * (high - low) or 1.0
    wide = given.astype("D" if given.dtype.kind == "c" else "d")
    found = []
    ends = {"LA": (high,), "SA": (low,), "LM": (high, low) if abs(high) >= abs(low) else (low, high)}[which]
    try:
        for end in ends:
            # No eigenvalue of the second end may be larger than those of the first.
            if found and numpy.abs(found[0][0]).min() >= abs(end):
                break
            sigma = end + margin if end == high else end - margin
            solve = _shifted(wide, sigma, _FILL * wide.nnz + 1000)
            operator = LinearOperator(a.shape, solve, dtype=wide.dtype)
            nu, x = _lanczos(operator, "LM", **{**search, "ncv": search["ncv"] or k + 20})
            found.append((sigma + 1 / nu, x.astype(a.dtype)))
    except (OverflowError, RuntimeError):
        return None
    w, x = numpy.concatenate([one[0] for one in found]), _core.concatenate([one[1] for one in found], axis=1)
    chosen = numpy.argsort(-numpy.abs(w) if which == "LM" else w if which == "SA" else -w, kind="stable")[:k]
    return w[chosen], x[:, _core.asarray(chosen)]


class _Lanczos:
    """An orthonormal basis, its `ncv` products with the matrix projected on it (`small`, on the
    host), and the length `beta` of what is not in it."""

    def __init__(self, a, ncv, v0):
        n = a.shape[0]
        self.a, self.ncv, self.count, self.products, self.beta = a, ncv, 0, 0, 0.0
        self.basis = _core.empty((n, ncv + 1), dtype=a.dtype, order="F")
        self.small = numpy.zeros((ncv, ncv), dtype=a.dtype)
        self.random = numpy.random.default_rng(0)
        if v0 is None:
            first = self._random()
        else:
            first = as_array(v0).astype(a.dtype).ravel()
            if first.size != n:
                raise ValueError(f"v0 must have {n} elements, not {first.size}")
        length = norm(first)
        self.basis[:, 0] = first / length if length else self._random()

    def _random(self):
        values = self.random.standard_normal(self.a.shape[0])
        values /= numpy.linalg.norm(values)
        return _core.asarray(values.astype(self.a.dtype))

    def _orthogonal(self, w, count):
        """w without what the first vectors have of it, and that."""
        known = self.basis[:, :count]
        adjoint = matrix_transpose(known).conj() if known.dtype.kind == "c" else known.T
        part = adjoint @ w
        w = w - known @ part
        more = adjoint @ w  # the second time takes away what rounding left
        w -= known @ more
        return w, (part + more).get()

    def extend(self):
        """Takes the basis to its full size."""
        eps = float(numpy.finfo(self.a.dtype).eps)
        for at in range(self.count, self.ncv):
            w, part = self._orthogonal(self.a.matvec(self.basis[:, at]), at + 1)
            self.products += 1
            self.small[: at + 1, at] = part
            self.small[at, : at + 1] = part.conj()
            self.small[at, at] = part[at].real
            self.beta = norm(w)
            if self.beta <= 10 * eps * numpy.abs(self.small[: at + 1, : at + 1]).max():
                # The space is closed: go on with another direction.
                self.beta = 0.0
                if at + 1 == self.a.shape[0]:
                    continue
                w = self._orthogonal(self._random(), at + 1)[0]
                self.basis[:, at + 1] = w / norm(w)
            else:
                self.basis[:, at + 1] = w / self.beta

    def combine(self, columns):
        return self.basis[:, : self.ncv] @ _core.asarray(columns.astype(self.a.dtype))

    def restart(self, w, s, kept):
        """Begins again with some of the projected matrix's eigenvectors."""
        count = len(kept)
        self.basis[:, :count] = self.combine(s[:, kept])
        self.basis[:, count] = self.basis[:, self.ncv].copy()
        self.small[...] = 0
        self.small[range(count), range(count)] = w[kept]
        self.count = count


# --- svds ---


@beside
def svds(a, k=6, *, ncv=None, tol=0, which="LM", maxiter=None, return_singular_vectors=True):
    """The largest singular values and vectors of a matrix, by eigsh; waits in every iteration.

    Parameters
    ----------
    a : array, sparse matrix or LinearOperator
        M x N.
    k : int, optional
        How many; below M and N.
    ncv, tol, maxiter : optional
        As in eigsh.
    which : {'LM'}, optional
    return_singular_vectors : bool, optional

    Returns
    -------
    u : (M, k) ndarray
    s : (k,) ndarray
        Ascending.
    vh : (k, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import svds
    >>> tn.around(svds(tn.eye(5) * tn.arange(5.0), k=2, return_singular_vectors=False), 6)
    array([3., 4.])
    """
    a = _checked(a, k, min)
    if which != "LM":
        raise ValueError(f"which must be 'LM' (actual: {which!r})")
    m, n = a.shape
    adjoint = a.H
    is_tall = m >= n
    first, second = (a, adjoint) if is_tall else (adjoint, a)
    square = LinearOperator((min(m, n),) * 2, lambda x: second.matvec(first.matvec(x)), dtype=a.dtype)
    v = qr(eigsh(square, k, ncv=ncv, tol=tol, maxiter=maxiter)[1])[0]
    # Singular values of the products are exact to rounding, which roots of eigenvalues are not.
    u, s, wh = svd(first.matmat(v), full_matrices=False)
    s = s[::-1].copy()
    if not return_singular_vectors:
        return s
    u, v = u[:, ::-1], (v @ matrix_transpose(wh).conj())[:, ::-1]
    left, right = (u, v) if is_tall else (v, u)
    return left.copy(), s, matrix_transpose(right).conj()


# --- lobpcg ---


@beside
def lobpcg(
    A,
    X,
    B=None,
    M=None,
    Y=None,
    tol=None,
    maxiter=None,
    largest=True,
    verbosityLevel=0,
    retLambdaHistory=False,
    retResidualNormsHistory=False,
):
    """Some eigenvalues and eigenvectors of ``A x = w B x`` by the locally optimal block method of
    conjugate gradients; waits in every iteration.

    Parameters
    ----------
    A : array, sparse matrix or LinearOperator
        Hermitian, N x N.
    X : (N, k) ndarray
        A first guess of the vectors.
    B : array, sparse matrix or LinearOperator, optional
        Hermitian and positive definite.
    M : array, sparse matrix or LinearOperator, optional
        The preconditioner: near the inverse of A.
    Y : (N, m) ndarray, optional
        Vectors to which those that are sought are orthogonal in B's sense.
    tol : float, optional
        The residuals' norm to reach; the root of the dtype's epsilon times N by default.
    maxiter : int, optional
        20 by default.
    largest : bool, optional
        Whether the largest or the smallest eigenvalues are sought.
    verbosityLevel : int, optional
        Above 0: the iterations are printed.
    retLambdaHistory, retResidualNormsHistory : bool, optional
        Whether the eigenvalues and the residuals' norms of all iterations are given, too.

    Returns
    -------
    w : (k,) ndarray
        Descending if the largest are sought, else ascending.
    v : (N, k) ndarray
    histories : list of ndarray
        Where wanted.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.linalg import lobpcg
    >>> w, v = lobpcg(tn.eye(20) * tn.arange(20.0), tn.eye(20, 2, k=-18), maxiter=40)
    >>> tn.around(w, 4)
    array([19., 18.])
    """
    X = as_array(X)
    if X.ndim != 2:
        raise ValueError("expected rank-2 array for argument X")
    A = aslinearoperator(A)
    B = None if B is None else aslinearoperator(B)
    M = None if M is None else aslinearoperator(M)
    if X.dtype.char not in "fdFD":
        X = X.astype("d")
    X = X.astype(numpy.result_type(X.dtype, A.dtype if A.dtype.char in "fdFD" else "d"))
    n, k = X.shape
    if A.shape != (n, n):
        raise ValueError(f"A has shape {A.shape} where X of shape {X.shape} needs {(n, n)}")
    state = _Lobpcg(A, B, M, None if Y is None else as_array(Y).astype(X.dtype), X, largest)
    if Y is None and n < 5 * k:
        state.become_exact()
        return _core.asarray(state.w), state.X
    tol = float(numpy.finfo(X.dtype).eps) ** 0.5 * n if tol is None or tol <= 0 else tol
    maxiter, progress = 20 if maxiter is None else maxiter, Progress("lobpcg")
    for count in range(maxiter):
        progress(count, maxiter, lambda: float(state.residuals[-1].max()))
        if verbosityLevel > 0:
            print(f"lobpcg {count:6d}  residual {state.residuals[-1].max():.3e}")
        if float(state.residuals[-1].max(initial=0)) <= tol:
            break
        state.step()
    results = [_core.asarray(state.w), state.X]
    if retLambdaHistory:
        results.append([_core.asarray(one) for one in (*state.values, state.w)])
    if retResidualNormsHistory:
        results.append([_core.asarray(one) for one in (*state.residuals, state.residuals[-1])])
    return tuple(results)


class _Lobpcg:
    """Knyazev, Toward the optimal preconditioned eigensolver, 2001: the space of the vectors, of
    their preconditioned residuals and of the directions that they came by."""

    def __init__(self, A, B, M, Y, X, largest):
        self.A, self.B, self.M, self.largest = A, B, M, largest
        self.Y = None if Y is None else self._orthonormal(Y)
        self.P, self.values, self.residuals = None, [], []
        self._choose(self._orthonormal(self._constrained(X)), X.shape[1])

    def _times_b(self, x):
        return x if self.B is None else self.B.matmat(x)

    def _constrained(self, x):
        if self.Y is None:
            return x
        return x - self.Y @ (_adjoint(self.Y) @ self._times_b(x))

    def _orthonormal(self, x):
        """A basis of the same space; orthonormal in B's sense."""
        q = qr(x)[0]
        if self.B is not None:
            gram = _adjoint(q) @ self.B.matmat(q)
            q = q @ _core._linalg_triangular(
                cholesky((gram + _adjoint(gram)) / 2, upper=True), _core.eye(q.shape[1], dtype=q.dtype), 0, True, False
            )
        return q

    def _choose(self, basis, k):
        """The best vectors of a space."""
        product = _adjoint(basis) @ self.A.matmat(basis)
        w, s = eigh((product + _adjoint(product)) / 2)
        if self.largest:
            w, s = w[::-1], s[:, ::-1]
        self.X, before = basis @ s[:, :k], getattr(self, "X", None)
        if before is not None:
            self.P = self.X - before @ (_adjoint(before) @ self._times_b(self.X))
        self.w = w[:k].get()
        self.R = self.A.matmat(self.X) - self._times_b(self.X) * _core.asarray(self.w)
        self.values.append(self.w)
        self.residuals.append(_core._vector_norm(self.R, 2, 0, False).get())

    def become_exact(self):
        """Takes the vectors from the space of all, where they are many beside its size."""
        n, k = self.X.shape
        self._choose(self._orthonormal(_core.eye(n, dtype=self.X.dtype)), k)

    def step(self):
        n, k = self.X.shape
        new = self._constrained(self.R if self.M is None else self.M.matmat(self.R))
        parts = [self.X, self._scaled(new)]
        if self.P is not None:
            parts.append(self._scaled(self.P))
        room = n - (0 if self.Y is None else self.Y.shape[1])
        whole = _core.concatenate(parts, axis=1)[:, :room]
        self._choose(self._orthonormal(self._constrained(whole)), k)

    def _scaled(self, x):
        """Columns of length 1 without what X has of them; those of no length are random."""
        x = x - self.X @ (_adjoint(self.X) @ self._times_b(x))
        lengths = _core._vector_norm(x, 2, 0, False).get()
        is_lost = lengths <= float(numpy.finfo(x.dtype).tiny) ** 0.5
        if is_lost.any():
            values = numpy.random.default_rng(len(self.values)).standard_normal((x.shape[0], int(is_lost.sum())))
            x[:, _core.asarray(numpy.flatnonzero(is_lost))] = _core.asarray(values.astype(x.dtype))
            lengths = _core._vector_norm(x, 2, 0, False).get()
        return x / _core.asarray(lengths)


def _adjoint(x):
    return matrix_transpose(x).conj()
