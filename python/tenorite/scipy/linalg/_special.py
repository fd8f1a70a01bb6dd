"""Matrices of a known form."""

import math

import numpy

from tenorite import _core
from tenorite._arguments import as_array, as_array_of, beside
from tenorite._numpy import creation
from tenorite._numpy.dtypes import result_type
from tenorite._numpy.shapes import atleast_1d, atleast_2d, broadcast_to
from tenorite._numpy.stride_tricks import as_strided

__all__ = [
    "block_diag",
    "circulant",
    "companion",
    "convolution_matrix",
    "dft",
    "fiedler",
    "fiedler_companion",
    "hadamard",
    "hankel",
    "helmert",
    "hilbert",
    "leslie",
    "toeplitz",
    "tri",
    "tril",
    "triu",
]


def _diagonals(values, rows, columns, step):
    """Matrices whose element (i, j) is element ``i step + j`` of the values after the first that is
    there: `step` 1 or -1."""
    values = _core.ascontiguousarray(values)
    first = rows - 1 if step < 0 and rows > 0 else 0
    strides = (*values.strides[:-1], step * values.itemsize, values.itemsize)
    return as_strided(values[..., first:], (*values.shape[:-1], rows, columns), strides).copy()


def _together(c, r):
    """Both with the axes before the last of either."""
    shape = numpy.broadcast_shapes(c.shape[:-1], r.shape[:-1])
    return broadcast_to(c, (*shape, c.shape[-1])), broadcast_to(r, (*shape, r.shape[-1]))


# --- Constant diagonals ---


@beside
def toeplitz(c, r=None):
    """Matrices of constant diagonals.

    Parameters
    ----------
    c : (..., M) ndarray
        First columns.
    r : (..., N) ndarray, optional
        First rows, of which the first element is not read; the conjugate of `c` by default.

    Returns
    -------
    (..., M, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.toeplitz(tn.array([1, 2]), tn.array([1, 4, 5]))
    array([[1, 4, 5],
           [2, 1, 4]])
    """
    c = atleast_1d(as_array(c))
    r = c.conj() if r is None else atleast_1d(as_array(r))
    c, r = _together(c, r)
    return _diagonals(_core.concatenate((c[..., ::-1], r[..., 1:]), axis=-1), c.shape[-1], r.shape[-1], -1)


@beside
def circulant(c):
    """Square matrices whose columns are the first one, rotated.

    Parameters
    ----------
    c : (..., N) ndarray
        First columns.

    Returns
    -------
    (..., N, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.circulant(tn.array([1, 2, 3]))
    array([[1, 3, 2],
           [2, 1, 3],
           [3, 2, 1]])
    """
    c = atleast_1d(as_array(c))
    return _diagonals(_core.concatenate((c[..., ::-1], c[..., :0:-1]), axis=-1), c.shape[-1], c.shape[-1], -1)


@beside
def hankel(c, r=None):
    """A matrix of constant diagonals from top right to bottom left.

    Parameters
    ----------
    c : ndarray
        The first column, whatever its shape.
    r : ndarray, optional
        The last row, of which the first element is not read; zeros by default.

    Returns
    -------
    (M, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.hankel(tn.array([1, 2]), tn.array([2, 3, 4]))
    array([[1, 2, 3],
           [2, 3, 4]])
    """
    c = as_array(c).ravel()
    r = _core.zeros_like(c) if r is None else as_array(r).ravel()
    return _diagonals(_core.concatenate((c, r[1:])), c.size, r.size, 1)


@beside
def convolution_matrix(a, n, mode="full"):
    """Matrices whose product with a vector of length n is its convolution with `a`.

    Parameters
    ----------
    a : (..., M) ndarray
    n : int
    mode : {'full', 'valid', 'same'}, optional
        As in convolve.

    Returns
    -------
    (..., K, n) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.convolution_matrix(tn.array([1, 2]), 2)
    array([[1, 0],
           [2, 1],
           [0, 2]])
    """
    if n <= 0:
        raise ValueError("n must be a positive integer.")
    a = atleast_1d(as_array(a))
    if a.size == 0:
        raise ValueError("len(a) must be at least 1.")
    if mode not in ("full", "valid", "same"):
        raise ValueError("'mode' argument must be one of ('full', 'valid', 'same')")
    length = a.shape[-1]
    zeros = _core.zeros((*a.shape[:-1], n - 1), dtype=a.dtype)
    whole = _diagonals(_core.concatenate((zeros, a, zeros), axis=-1)[..., ::-1], length + n - 1, n, -1)
    if mode == "full":
        return whole
    before = min(n, length) - 1
    after = before
    if mode == "same":
        before, after = before // 2, before - before // 2
    return whole[..., before : whole.shape[-2] - after, :].copy()


# --- Others ---


@beside
def block_diag(*arrs):
    """A matrix with given blocks along its diagonal and zeros elsewhere.

    Parameters
    ----------
    *arrs : (..., M, N) ndarray
        Fewer dimensions count as one row.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.block_diag(tn.array([[1, 2]]), tn.array([[3], [4]]))
    array([[1, 2, 0],
           [0, 0, 3],
           [0, 0, 4]])
    """
    blocks = [atleast_2d(as_array_of(one)) for one in arrs or ([],)]
    stack = numpy.broadcast_shapes(*(one.shape[:-2] for one in blocks))
    shape = [sum(one.shape[axis] for one in blocks) for axis in (-2, -1)]
    result = _core.zeros((*stack, *shape), dtype=result_type(*(one.dtype for one in blocks)))
    row = column = 0
    for one in blocks:
        m, n = one.shape[-2:]
        result[..., row : row + m, column : column + n] = one
        row, column = row + m, column + n
    return result


@beside
def companion(a):
    """Matrices whose characteristic polynomial has the coefficients `a`.

    Parameters
    ----------
    a : (..., N) ndarray
        The highest power first, and not 0: to know it the call waits.

    Returns
    -------
    (..., N - 1, N - 1) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.companion(tn.array([1, -10, 31]))
    array([[ 10., -31.],
           [  1.,   0.]])
    """
    a = atleast_1d(as_array(a))
    n = a.shape[-1]
    if n < 2:
        raise ValueError("The length of `a` along the last axis must be at least 2.")
    if (a[..., 0] == 0).any():
        raise ValueError("The first coefficient(s) of `a` (i.e. elements of `a[..., 0]`) must not be zero.")
    row = -a[..., 1:] / (1.0 * a[..., :1])
    result = _core.empty((*a.shape[:-1], n - 1, n - 1), dtype=row.dtype)
    result[...] = _core.eye(n - 1, k=-1, dtype=row.dtype)
    result[..., 0, :] = row
    return result


def dft(n, scale=None):
    """The matrix of the discrete Fourier transform.

    Parameters
    ----------
    n : int
    scale : {None, 'sqrtn', 'n'}, optional
        Divides by 1, by the root of n, by n.

    Returns
    -------
    (n, n) ndarray of complex128

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.around(tn.scipy.linalg.dft(2).real)
    array([[ 1.,  1.],
           [ 1., -1.]])
    """
    if scale not in (None, "sqrtn", "n"):
        raise ValueError(f"scale must be None, 'sqrtn', or 'n'; {scale!r} is not valid.")
    at = _core.arange(n)
    result = _core.exp(-2j * math.pi / max(n, 1) * (at[:, None] * at % max(n, 1)))
    if scale is not None:
        result /= math.sqrt(n) if scale == "sqrtn" else n
    return result


@beside
def fiedler(a):
    """Matrices of the absolute values of all differences of the elements of `a`.

    Parameters
    ----------
    a : (..., N) ndarray

    Returns
    -------
    (..., N, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.fiedler(tn.array([1, 4]))
    array([[0, 3],
           [3, 0]])
    """
    a = atleast_1d(as_array(a))
    if a.size == 0:
        return _core.empty(0)
    if a.size == 1:
        return _core.zeros((1, 1))
    return _core.absolute(a[..., :, None] - a[..., None, :])


@beside
def fiedler_companion(a):
    """Pentadiagonal matrices whose characteristic polynomial has the coefficients `a`.

    Parameters
    ----------
    a : (..., N) ndarray
        The highest power first, and not 0: to know it the call waits.

    Returns
    -------
    (..., N - 1, N - 1) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.fiedler_companion(tn.array([1.0, -3.0, 2.0]))
    array([[ 3., -2.],
           [ 1.,  0.]])
    """
    a = atleast_1d(as_array(a))
    n = a.shape[-1] - 1
    if n < 1:
        return _core.empty(a.shape[:-1] + (0,), dtype=a.dtype)
    if n > 1 and (a[..., 0] == 0).any():
        raise ValueError("Leading coefficient is zero.")
    a = a / a[..., :1]
    if n == 1:
        return -a[..., 1:, None]
    result = _core.zeros((*a.shape[:-1], n, n), dtype=a.dtype)
    flat = result.reshape(*a.shape[:-1], n * n)
    # Elements (i, j) of each diagonal are 2 (n + 1) apart.
    for row, column, rows, value in (
        (3, 1, n, 1),
        (2, 1, n, -a[..., 3::2]),
        (0, 2, n - 2, 1),
        (0, 1, n - 1, -a[..., 2::2]),
    ):
        count = len(range(row, rows, 2))
        if count:
            start = row * n + column
            flat[..., start : start + (count - 1) * 2 * (n + 1) + 1 : 2 * (n + 1)] = value
    result[..., 0, 0] = -a[..., 1]
    result[..., 1, 0] = 1
    return result


def hadamard(n, dtype=int):
    """Sylvester's matrix of 1 and -1 with orthogonal rows.

    Parameters
    ----------
    n : int
        A power of 2.
    dtype : dtype, optional

    Returns
    -------
    (n, n) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.hadamard(2)
    array([[ 1,  1],
           [ 1, -1]])
    """
    size = int(n)
    if size < 1 or size != n or size & (size - 1):
        raise ValueError(f"n must be a positive integer, and n must be a power of 2, not {n}")
    result = _core.ones((1, 1), dtype=dtype)
    while result.shape[0] < size:
        upper = _core.concatenate((result, result), axis=1)
        result = _core.concatenate((upper, _core.concatenate((result, -result), axis=1)))
    return result


def helmert(n, full=False):
    """Helmert's matrix, whose rows are orthonormal.

    Parameters
    ----------
    n : int
    full : bool, optional
        Whether the first row, of equal elements, is there.

    Returns
    -------
    (n, n) or (n - 1, n) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.around(tn.scipy.linalg.helmert(2), 3)
    array([[ 0.707, -0.707]])
    """
    at = _core.arange(n, dtype="d")
    result = creation.tril(_core.ones((n, n)), -1)
    result -= _core.eye(n) * at
    divisors = at * (at + 1)
    result[:1] = 1
    divisors[:1] = n
    result /= _core.sqrt(divisors)[:, None]
    return result if full else result[1:]


def hilbert(n):
    """Hilbert's matrix ``1 / (i + j + 1)``.

    Parameters
    ----------
    n : int

    Returns
    -------
    (n, n) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.hilbert(2)
    array([[1.        , 0.5       ],
           [0.5       , 0.33333333]])
    """
    at = _core.arange(n, dtype="d")
    return 1.0 / (at[:, None] + (at + 1))


@beside
def leslie(f, s):
    """Leslie's matrices of fecundities and survivals.

    Parameters
    ----------
    f : (..., N) ndarray
        The first row.
    s : (..., N - 1) ndarray
        Below the diagonal.

    Returns
    -------
    (..., N, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.leslie(tn.array([0.1, 2.0]), tn.array([0.2]))
    array([[0.1, 2. ],
           [0.2, 0. ]])
    """
    f, s = atleast_1d(as_array(f)), atleast_1d(as_array(s))
    n = f.shape[-1]
    if n != s.shape[-1] + 1:
        raise ValueError(
            "Incorrect lengths for f and s. The length of s along the last axis must be one less than the length of f."
        )
    if n == 1:
        raise ValueError("The length of s must be at least 1.")
    stack = numpy.broadcast_shapes(f.shape[:-1], s.shape[:-1])
    result = _core.zeros((*stack, n, n), dtype=result_type(f.dtype, s.dtype))
    result[..., 0, :] = f
    result.reshape(*stack, n * n)[..., n :: n + 1] = s
    return result


# --- Triangles ---


def tri(N, M=None, k=0, dtype=None):
    """Whether elements lie on or below a diagonal.

    Parameters
    ----------
    N, M : int
        Rows and columns; by default as many.
    k : int, optional
        The diagonal: above the main one if positive.
    dtype : dtype, optional
        bool by default.

    Returns
    -------
    (N, M) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.tri(2, 3, dtype=int)
    array([[1, 0, 0],
           [1, 1, 0]])
    """
    return creation.tri(N, M, k, bool if dtype is None else dtype)


@beside
def tril(m, k=0):
    """A copy with zeros above a diagonal.

    Parameters
    ----------
    m : (..., M, N) ndarray
    k : int, optional

    Returns
    -------
    (..., M, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.tril(tn.ones((2, 2)))
    array([[1., 0.],
           [1., 1.]])
    """
    return creation.tril(as_array(m), k)


@beside
def triu(m, k=0):
    """A copy with zeros below a diagonal.

    Parameters
    ----------
    m : (..., M, N) ndarray
    k : int, optional

    Returns
    -------
    (..., M, N) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.triu(tn.ones((2, 2)))
    array([[1., 1.],
           [0., 1.]])
    """
    return creation.triu(as_array(m), k)
