"""A few eigenvalues and singular values of large matrices."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite._linalg.decompositions import cholesky, eigh, qr, svd
from tenorite._numpy.rearranging import matrix_transpose
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
def eigsh(a, k=6, *, which="LM", v0=None, ncv=None, maxiter=None, tol=0, return_eigenvectors=True):
    """A few eigenvalues and eigenvectors of a Hermitian matrix, by Lanczos' method with thick
    restarts; waits in every iteration.

    Parameters
    ----------
    a : array, sparse matrix or LinearOperator
        N x N.
    k : int, optional
        How many; below N.
    which : {'LM', 'LA', 'SA'}, optional
        The largest absolute values, the largest, the smallest.
    v0 : (N,) ndarray, optional
        The first vector; the numbers of a fixed seed by default.
    ncv : int, optional
        How many vectors are kept.
    maxiter : int, optional
        Of products with `a`; 10 N by default. What has not converged by then is given as it is.
    tol : float, optional
        The residual in units of the largest eigenvalue; 0 means the dtype's epsilon.
    return_eigenvectors : bool, optional

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
    """
    a = _checked(a, k, lambda shape: shape[0])
    n = a.shape[0]
    if a.shape[1] != n:
        raise ValueError(f"expected square matrix (shape: {a.shape})")
    if which not in ("LM", "LA", "SA"):
        raise ValueError(f"which must be 'LM', 'LA' or 'SA' (actual: {which!r})")
    ncv = min(max(2 * k, k + 32) if ncv is None else max(ncv, k + 2), n)
    lanczos = _Lanczos(a, ncv, v0)
    maxiter = 10 * n if maxiter is None else maxiter
    tol = max(float(tol), float(numpy.finfo(a.dtype).eps))
    while True:
        lanczos.extend()
        w, s = numpy.linalg.eigh(lanczos.small)
        order = numpy.argsort({"LM": -numpy.abs(w), "LA": -w, "SA": w}[which], kind="stable")
        residuals = numpy.abs(lanczos.beta * s[-1, order[:k]])
        if (residuals <= tol * numpy.abs(w).max()).all() or lanczos.products >= maxiter or ncv == n:
            break
        # Beside the wanted vectors some others make the next ones converge sooner.
        kept = min(k + (ncv - k) // 2, ncv - 1)
        lanczos.restart(w, s, order[:kept])
    chosen = numpy.sort(order[:k])
    values = _core.asarray(w[chosen].astype(a.dtype.char.lower()))
    return (values, lanczos.combine(s[:, chosen])) if return_eigenvectors else values


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
def lobpcg(A, X, B=None, M=None, Y=None, tol=None, maxiter=None, largest=True, verbosityLevel=0, retLambdaHistory=False,
           retResidualNormsHistory=False):  # fmt: skip
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
    tol = float(numpy.finfo(X.dtype).eps) ** 0.5 * n if tol is None or tol <= 0 else tol
    for count in range(20 if maxiter is None else maxiter):
        if verbosityLevel > 0:
            print(f"lobpcg {count:6d}  residual {state.residuals[-1].max():.3e}")
        if float(state.residuals[-1].max(initial=0)) <= tol:
            break
        state.step()
    results = [_core.asarray(state.w), state.X]
    if retLambdaHistory:
        results.append([_core.asarray(one) for one in state.values])
    if retResidualNormsHistory:
        results.append([_core.asarray(one) for one in state.residuals])
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
            q = q @ _core._linalg_triangular(cholesky((gram + _adjoint(gram)) / 2, upper=True),
                                             _core.eye(q.shape[1], dtype=q.dtype), 0, True, False)  # fmt: skip
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
        self.residuals.append(_core._vector_norm(self.R, 2, 0).get())

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
        lengths = _core._vector_norm(x, 2, 0).get()
        is_lost = lengths <= float(numpy.finfo(x.dtype).tiny) ** 0.5
        if is_lost.any():
            values = numpy.random.default_rng(len(self.values)).standard_normal((x.shape[0], int(is_lost.sum())))
            x[:, _core.asarray(numpy.flatnonzero(is_lost))] = _core.asarray(values.astype(x.dtype))
            lengths = _core._vector_norm(x, 2, 0).get()
        return x / _core.asarray(lengths)


def _adjoint(x):
    return matrix_transpose(x).conj()
