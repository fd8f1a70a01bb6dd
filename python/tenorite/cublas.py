"""Operations of BLAS on vectors and matrices, with factors and into given arrays, as cupy.cublas
has them.

Arrays are of float32, float64, complex64 or complex128. Factors are numbers or 0-d arrays, of NumPy
too; a result of 0-d may go to a NumPy array.
"""

import operator

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside, ndarray
from tenorite._numpy import creation
from tenorite._numpy.indexing import where

__all__ = [
    "asum",
    "axpy",
    "batched_gesv",
    "dgmm",
    "dot",
    "dotc",
    "dotu",
    "geam",
    "gemm",
    "gemv",
    "ger",
    "gerc",
    "geru",
    "get_batched_gesv_limit",
    "iamax",
    "iamin",
    "nrm2",
    "sbmv",
    "scal",
    "set_batched_gesv_limit",
    "syrk",
]

_TRANSPOSITIONS = {"N": 0, "T": 1, "C": 2, "H": 2, 0: 0, 1: 1, 2: 2}
_limit = 256


# --- Checks ---


def _vector(x, name):
    if as_array(x).ndim != 1:
        raise ValueError(f"{name} must be a 1D array (actual: {x.ndim})")
    return _of_blas(x)


def _matrix(a, name):
    if as_array(a).ndim != 2:
        raise ValueError(f"{name} must be a 2D array (actual: {a.ndim})")
    return _of_blas(a)


def _of_blas(x, dtypes="fdFD"):
    if x.dtype.char not in dtypes:
        raise TypeError(f"invalid dtype: {x.dtype}")
    return x


def _same_dtype(*named):
    first, a = named[0]
    for name, b in named[1:]:
        if a.dtype != b.dtype:
            raise TypeError(f"{first} and {name} must be the same dtype (actual: {a.dtype} and {b.dtype})")


def _two_vectors(x, y):
    _vector(x, "x"), _vector(y, "y")
    if x.size != y.size:
        raise ValueError(f"x and y must be the same size (actual: {x.size} and {y.size})")
    _same_dtype(("x", x), ("y", y))


def _transposed(a, trans):
    try:
        number = _TRANSPOSITIONS[trans]
    except (KeyError, TypeError):
        raise TypeError(f"invalid trans (actual: {trans!r})") from None
    return a if number == 0 else a.T if number == 1 else a.T.conj()


def _sizes(message, *pairs):
    if any(a != b for a, b in pairs):
        raise ValueError(message)


def _handed(result, out):
    """The result, in `out` if there is one; 0-d results may go to a dtype of their own."""
    if out is None:
        return result
    out[...] = result.get() if isinstance(out, numpy.ndarray) else result
    return out


def _updated(y, term, beta):
    """In place: y becomes `term` plus beta times y; what was in y does not count for beta 0."""
    if isinstance(beta, ndarray):
        y *= beta.astype(y.dtype)
        y += term
    elif beta == 0:
        y[...] = term
    else:
        y *= _factor(beta, y)
        y += term


def _factor(alpha, a):
    """A factor in the dtype of an array, so that it promotes nothing."""
    if isinstance(alpha, numpy.ndarray) and alpha.ndim == 0:
        alpha = alpha[()]
    return as_array(alpha).astype(a.dtype)


def _into(out, shape, like):
    """`out`, checked, or a new array by columns of zeros."""
    if out is None:
        return _core.zeros(shape, dtype=like.dtype, order="F")
    if out.ndim != len(shape) or out.shape != tuple(shape):
        raise ValueError(f"out has shape {out.shape} where {tuple(shape)} is needed")
    _same_dtype(("a", like), ("out", out))
    return out


# --- Vectors ---


def iamax(x, out=None):
    """The index, from 1, of the first element of the largest absolute value, int32.

    Of complex elements the sum of the parts' absolute values is compared, as BLAS does.

    Parameters
    ----------
    x : (N,) ndarray
    out : 0-d ndarray, optional

    Returns
    -------
    0-d ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.iamax(tn.array([1.0, -3.0, 2.0]))
    array(2, dtype=int32)
    """
    return _handed((_sizes_of(_vector(x, "x")).argmax() + 1).astype("i"), out)


def iamin(x, out=None):
    """The index, from 1, of the first element of the smallest absolute value; see iamax.

    Parameters
    ----------
    x : (N,) ndarray
    out : 0-d ndarray, optional

    Returns
    -------
    0-d ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.iamin(tn.array([1.0, -3.0, 2.0]))
    array(1, dtype=int32)
    """
    return _handed((_sizes_of(_vector(x, "x")).argmin() + 1).astype("i"), out)


def _sizes_of(x):
    return _core.absolute(x.real) + _core.absolute(x.imag) if x.dtype.kind == "c" else _core.absolute(x)


def asum(x, out=None):
    """The sum of absolute values, for complex elements of both parts.

    Parameters
    ----------
    x : (N,) ndarray
    out : 0-d ndarray, optional

    Returns
    -------
    0-d ndarray of the real dtype

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.asum(tn.array([1.0, -3.0, 2.0]))
    array(6.)
    """
    return _handed(_sizes_of(_vector(x, "x")).sum(), out)


def nrm2(x, out=None):
    """The root of the sum of squares.

    Parameters
    ----------
    x : (N,) ndarray
    out : 0-d ndarray, optional

    Returns
    -------
    0-d ndarray of the real dtype

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.nrm2(tn.array([3.0, 4.0]))
    array(5.)
    """
    return _handed(_core._vector_norm(_vector(x, "x"), 2, None, False), out)


@beside
def axpy(a, x, y):
    """In place: ``y += a * x``.

    Parameters
    ----------
    a : number or 0-d ndarray
    x, y : (N,) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> y = tn.ones(2)
    >>> cublas.axpy(2.0, tn.array([1.0, 3.0]), y)
    >>> y
    array([3., 7.])
    """
    _two_vectors(x, y)
    y += _factor(a, x) * x


@beside
def scal(a, x):
    """In place: ``x *= a``.

    Parameters
    ----------
    a : number or 0-d ndarray
    x : (N,) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> x = tn.ones(2)
    >>> cublas.scal(3.0, x)
    >>> x
    array([3., 3.])
    """
    x *= _factor(a, _vector(x, "x"))


def dot(x, y, out=None):
    """The sum of products of real vectors.

    Parameters
    ----------
    x, y : (N,) ndarray
    out : 0-d ndarray, optional

    Returns
    -------
    0-d ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.dot(tn.array([1.0, 2.0]), tn.array([3.0, 4.0]))
    array(11.)
    """
    if as_array(x).dtype.kind == "c":
        raise TypeError("Use dotu() or dotc() for complex dtype")
    return dotu(x, y, out)


def dotu(x, y, out=None):
    """The sum of products; see dot.

    Parameters
    ----------
    x, y : (N,) ndarray
    out : 0-d ndarray, optional

    Returns
    -------
    0-d ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.dotu(tn.array([1j]), tn.array([1j]))
    array(-1.+0.j)
    """
    _two_vectors(x, y)
    return _handed(_core.dot(x, y), out)


def dotc(x, y, out=None):
    """The sum of products, x conjugated; see dot.

    Parameters
    ----------
    x, y : (N,) ndarray
    out : 0-d ndarray, optional

    Returns
    -------
    0-d ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.dotc(tn.array([1j]), tn.array([1j]))
    array(1.+0.j)
    """
    _two_vectors(x, y)
    return _handed(_core.vdot(x, y), out)


# --- Matrices and vectors ---


@beside
def gemv(transa, alpha, a, x, beta, y):
    """In place: ``y = alpha * op(a) @ x + beta * y``.

    Parameters
    ----------
    transa : {'N', 'T', 'H', 0, 1, 2}
        Whether op(a) is a, its transpose or its adjoint.
    alpha, beta : number or 0-d ndarray
    a : (M, N) ndarray
    x, y : (N,) or (M,) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> y = tn.ones(2)
    >>> cublas.gemv("N", 2.0, tn.eye(2), tn.array([1.0, 3.0]), 1.0, y)
    >>> y
    array([3., 7.])
    """
    _matrix(a, "a"), _vector(x, "x"), _vector(y, "y")
    _same_dtype(("a", a), ("x", x), ("y", y))
    a = _transposed(a, transa)
    _sizes(
        f"shapes {a.shape}, {x.shape} and {y.shape} of op(a), x and y do not fit",
        (a.shape[1], x.size),
        (a.shape[0], y.size),
    )
    _updated(y, _factor(alpha, a) * (a @ x), beta)


@beside
def ger(alpha, x, y, a):
    """In place, for real arrays: ``a += alpha * outer(x, y)``.

    Parameters
    ----------
    alpha : number or 0-d ndarray
    x : (M,) ndarray
    y : (N,) ndarray
    a : (M, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> a = tn.zeros((1, 2))
    >>> cublas.ger(2.0, tn.array([1.0]), tn.array([3.0, 4.0]), a)
    >>> a
    array([[6., 8.]])
    """
    if as_array(a).dtype.kind == "c":
        raise TypeError("Use geru or gerc for complex dtypes")
    geru(alpha, x, y, a)


@beside
def geru(alpha, x, y, a):
    """In place: ``a += alpha * outer(x, y)``; see ger.

    Parameters
    ----------
    alpha : number or 0-d ndarray
    x : (M,) ndarray
    y : (N,) ndarray
    a : (M, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> a = tn.zeros((1, 1), "D")
    >>> cublas.geru(1.0, tn.array([1j]), tn.array([1j]), a)
    >>> a
    array([[-1.+0.j]])
    """
    _matrix(a, "a"), _vector(x, "x"), _vector(y, "y")
    _same_dtype(("a", a), ("x", x), ("y", y))
    _sizes(f"shapes {x.shape}, {y.shape} and {a.shape} of x, y and a do not fit", ((x.size, y.size), a.shape))
    a += _core.outer(_factor(alpha, x) * x, y)


@beside
def gerc(alpha, x, y, a):
    """In place: ``a += alpha * outer(x, conj(y))``; see ger.

    Parameters
    ----------
    alpha : number or 0-d ndarray
    x : (M,) ndarray
    y : (N,) ndarray
    a : (M, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> a = tn.zeros((1, 1), "D")
    >>> cublas.gerc(1.0, tn.array([1j]), tn.array([1j]), a)
    >>> a
    array([[1.+0.j]])
    """
    geru(alpha, x, _vector(y, "y").conj(), a)


@beside
def sbmv(k, alpha, a, x, beta, y, lower=False):
    """In place: ``y = alpha * A @ x + beta * y`` with a symmetric real matrix of bands.

    Parameters
    ----------
    k : int
        Bands above the diagonal.
    alpha, beta : number or 0-d ndarray
    a : (k + 1, N) ndarray
        Element (i, j) of A lies at ``a[k + i - j, j]``, or (lower) ``a[i - j, j]``.
    x, y : (N,) ndarray
    lower : bool, optional

    Returns
    -------
    (N,) ndarray
        `y`.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> a = tn.array([[0.0, 1.0], [2.0, 2.0]])
    >>> cublas.sbmv(1, 1.0, a, tn.array([1.0, 0.0]), 0.0, tn.zeros(2))
    array([2., 1.])
    """
    _of_blas(_matrix(a, "a"), "fd")
    _two_vectors(x, y)
    _same_dtype(("a", a), ("x", x))
    k, n = operator.index(k), x.size
    if k < 0 or a.shape[0] < k + 1 or a.shape[1] != n:
        raise ValueError(f"a has shape {a.shape} where {(k + 1, n)} is needed")
    total = a[0 if lower else k] * x
    for distance in range(1, min(k + 1, n)):
        band = a[distance, : n - distance] if lower else a[k - distance, distance:]
        total[: n - distance] += band * x[distance:]
        total[distance:] += band * x[: n - distance]
    _updated(y, _factor(alpha, x) * total, beta)
    return y


# --- Matrices ---


@beside
def gemm(transa, transb, a, b, out=None, alpha=1.0, beta=0.0):
    """``alpha * op(a) @ op(b) + beta * out``.

    Parameters
    ----------
    transa, transb : {'N', 'T', 'H', 0, 1, 2}
        Whether op() is the matrix, its transpose or its adjoint.
    a, b : 2-d ndarray
    out : 2-d ndarray, optional
        Is written; without it `beta` does not count.
    alpha, beta : number or 0-d ndarray, optional

    Returns
    -------
    2-d ndarray
        `out`, or a new array.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.gemm("N", "T", tn.eye(2), tn.array([[1.0, 2.0], [3.0, 4.0]]), alpha=2.0)
    array([[2., 6.],
           [4., 8.]])
    """
    _matrix(a, "a"), _matrix(b, "b")
    _same_dtype(("a", a), ("b", b))
    a, b = _transposed(a, transa), _transposed(b, transb)
    _sizes(f"shapes {a.shape} and {b.shape} of op(a) and op(b) do not fit", (a.shape[1], b.shape[0]))
    result = _into(out, (a.shape[0], b.shape[1]), a)
    if out is None:
        beta = 0.0
    product = a @ b
    if isinstance(alpha, ndarray) or alpha != 1:
        product *= _factor(alpha, a)
    _updated(result, product, beta)
    return result


@beside
def geam(transa, transb, alpha, a, beta, b, out=None):
    """``alpha * op(a) + beta * op(b)``.

    Parameters
    ----------
    transa, transb : {'N', 'T', 'H', 0, 1, 2}
        Whether op() is the matrix, its transpose or its adjoint.
    alpha, beta : number or 0-d ndarray
    a, b : 2-d ndarray
    out : 2-d ndarray, optional
        Is written.

    Returns
    -------
    2-d ndarray
        `out`, or a new array.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.geam("N", "N", 2.0, tn.eye(2), 1.0, tn.ones((2, 2)))
    array([[3., 1.],
           [1., 3.]])
    """
    _matrix(a, "a"), _matrix(b, "b")
    _same_dtype(("a", a), ("b", b))
    a, b = _transposed(a, transa), _transposed(b, transb)
    _sizes(f"shapes {a.shape} and {b.shape} of op(a) and op(b) differ", (a.shape, b.shape))
    result = _into(out, a.shape, a)
    result[...] = _factor(alpha, a) * a + _factor(beta, b) * b
    return result


@beside
def dgmm(side, a, x, out=None, incx=1):
    """``diag(x) @ a`` or ``a @ diag(x)``.

    Parameters
    ----------
    side : {'L', 'R'}
        The side of `a` that the diagonal is on.
    a : (M, N) ndarray
    x : (M,) or (N,) ndarray
        Or an array of 0 or 2 dimensions, whose elements are taken in the order of its memory.
    out : (M, N) ndarray, optional
        Is written.
    incx : int, optional
        Every so many elements of x are taken; from the end if it is negative, and the first one
        alone for 0.

    Returns
    -------
    (M, N) ndarray
        `out`, or a new array.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.dgmm("L", tn.ones((2, 2)), tn.array([2.0, 3.0]))
    array([[2., 2.],
           [3., 3.]])
    """
    if side not in ("L", "R", 0, 1, True, False):
        raise ValueError(f"invalid side (actual: {side!r})")
    _matrix(a, "a")
    if as_array(x).ndim > 2:
        raise ValueError(f"x must be an array of at most 2 dimensions (actual: {x.ndim})")
    _same_dtype(("a", a), ("x", x))
    is_left = side in ("L", 0)
    size = a.shape[0 if is_left else 1]
    incx = operator.index(incx)
    x = x.ravel("K")
    if x.size < (size - 1) * abs(incx) + 1:
        raise ValueError(f"x of {x.size} elements is too short for a of shape {a.shape} and incx={incx}")
    taken = x[: (size - 1) * abs(incx) + 1][::incx] if incx else x[:1]
    result = _into(out, a.shape, a)
    result[...] = taken[:, None] * a if is_left else a * taken
    return result


@beside
def syrk(trans, a, out=None, alpha=1.0, beta=0.0, lower=False):
    """One triangle of ``alpha * op(a) @ op(a).T + beta * out``.

    Parameters
    ----------
    trans : {'N', 'T', 0, 1}
        Whether op(a) is `a` or its transpose.
    a : 2-d ndarray
    out : 2-d ndarray, optional
        Its triangle is written; without it the other triangle is zeros.
    alpha, beta : number or 0-d ndarray, optional
    lower : bool, optional
        Which triangle.

    Returns
    -------
    2-d ndarray
        `out`, or a new array.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.syrk("N", tn.array([[1.0], [2.0]]))
    array([[1., 2.],
           [0., 4.]])
    """
    a = _transposed(_matrix(a, "a"), trans)
    n = a.shape[0]
    result = _into(out, (n, n), a)
    whole = result.copy()
    _updated(whole, _factor(alpha, a) * (a @ a.T), 0.0 if out is None else beta)
    part = creation.tri(n, dtype=bool) if lower else ~creation.tri(n, k=-1, dtype=bool)
    result[...] = where(part, whole, result)
    return result


# --- Batches ---


def get_batched_gesv_limit():
    """The side up to which CuPy solves stacks in one call; see set_batched_gesv_limit.

    Examples
    --------
    >>> from tenorite import cublas
    >>> cublas.get_batched_gesv_limit()
    256
    """
    return _limit


def set_batched_gesv_limit(limit):
    """Set the number that get_batched_gesv_limit gives. Stacks are solved in one call of any size.

    Parameters
    ----------
    limit : int

    Examples
    --------
    >>> from tenorite import cublas
    >>> cublas.set_batched_gesv_limit(256)
    """
    global _limit
    _limit = operator.index(limit)


def batched_gesv(a, b):
    """Solve ``a x = b`` for stacks of matrices.

    Parameters
    ----------
    a : (..., M, M) ndarray
        One matrix, or a stack of them.
    b : (..., M) or (..., M, K) ndarray
        A vector, or a matrix, for each matrix of a.

    Returns
    -------
    ndarray
        Of the shape of b.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite import cublas
    >>> cublas.batched_gesv(tn.array([[[2.0]], [[4.0]]]), tn.array([[8.0], [8.0]]))
    array([[4.],
           [2.]])
    """
    a, b = as_array(a), as_array(b)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"a must be a stack of square matrices or one of them (actual shape: {a.shape})")
    is_vector = a.ndim == b.ndim + 1
    _sizes(
        f"shapes {a.shape} and {b.shape} of a and b do not fit", (a.shape[:-1], b.shape if is_vector else b.shape[:-1])
    )
    _same_dtype(("a", a), ("b", b))
    _of_blas(a)
    solution = _core._linalg_solve(a, b[..., None] if is_vector else b)
    return solution[..., 0] if is_vector else solution
