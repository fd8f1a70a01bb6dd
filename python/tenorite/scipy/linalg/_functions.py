"""Functions of whole matrices, and products that scipy.linalg has."""

import math

import numpy
from numpy.linalg import LinAlgError

from tenorite import _core
from tenorite._arguments import also_named, as_array_of, beside
from tenorite._kernels.fuse import fuse
from tenorite._numpy.indexing import where

__all__ = ["bandwidth", "expm", "khatri_rao"]


def bandwidth(a):
    """How far the elements that are not 0 reach below and above the diagonal; waits.

    Parameters
    ----------
    a : (M, N) ndarray

    Returns
    -------
    tuple of int

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.bandwidth(tn.array([[1, 0, 2], [3, 1, 0]]))
    (1, 2)
    """
    a = as_array_of(a)
    if a.size == 0:
        return 0, 0
    if a.ndim != 2:
        raise LinAlgError(f"Input array must be a 2D array, not {a.ndim}-dimensional")
    rows, columns = a.nonzero()
    if rows.size == 0:
        return 0, 0
    distances = columns - rows
    return max(-int(distances.min()), 0), max(int(distances.max()), 0)


@beside
def khatri_rao(a, b):
    """The Khatri-Rao product: Kronecker products of the columns of a and b.

    Parameters
    ----------
    a : (..., M, K) ndarray
    b : (..., N, K) ndarray

    Returns
    -------
    (..., M * N, K) ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.khatri_rao(tn.array([[1, 2], [3, 4]]), tn.array([[5, 6]]))
    array([[ 5, 12],
           [15, 24]])
    """
    a, b = as_array_of(a), as_array_of(b)
    if a.ndim < 2 or b.ndim < 2:
        raise LinAlgError("The both arrays should be 2-dimensional.")
    if a.shape[-1] != b.shape[-1]:
        raise ValueError("The number of columns for both arrays should be equal.")
    product = a[..., :, None, :] * b[..., None, :, :]
    return product.reshape(*product.shape[:-3], product.shape[-3] * product.shape[-2], product.shape[-1])


# --- expm ---

# Degrees of Pade's approximants and the norms up to which each is exact to the dtype's rounding
# (Higham, The scaling and squaring method for the matrix exponential revisited, 2005).
_DEGREES = {
    "f": ((3, 4.258730016922831e-1), (5, 1.880152677804762), (7, 3.925724783138660)),
    "d": (
        (3, 1.495585217958292e-2),
        (5, 2.539398330063230e-1),
        (7, 9.504178996162932e-1),
        (9, 2.097847961257068),
        (13, 5.371920351148152),
    ),
}
# The norms for which the series of degree 15 is good (Al-Mohy and Higham 2011), and the side up to
# which many matrices are eliminated at a time.
_TAYLOR = {"f": 2.2, "d": 0.64}
_SMALL = 32
_COEFFICIENTS = {
    3: (120, 60, 12, 1),
    5: (30240, 15120, 3360, 420, 30, 1),
    7: (17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1),
    9: (17643225600, 8821612800, 2075673600, 302702400, 30270240, 2162160, 110880, 3960, 90, 1),
    13: (
        64764752532480000,
        32382376266240000,
        7771770303897600,
        1187353796428800,
        129060195264000,
        10559470521600,
        670442572800,
        33522128640,
        1323241920,
        40840800,
        960960,
        16380,
        182,
        1,
    ),
}


@also_named(A="a")
@beside
def expm(a):
    """The exponential of square matrices, by Pade's approximants of scaled matrices; waits for the
    matrices' norms.

    Parameters
    ----------
    a : (..., M, M) ndarray

    Returns
    -------
    (..., M, M) ndarray
        NaN where a matrix has an element that is not finite.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.linalg.expm(tn.array([[0.0, 1.0], [0.0, 0.0]]))
    array([[1., 1.],
           [0., 1.]])
    """
    a = as_array_of(a)
    if a.ndim == 0:
        return _core.exp(a).reshape(1, 1)
    if a.ndim < 2:
        raise LinAlgError("The input array must be at least two-dimensional")
    if a.shape[-1] != a.shape[-2]:
        raise LinAlgError("Last 2 dimensions of the array must be square")
    if a.dtype.char not in "fdFD":
        a = a.astype("f" if a.dtype.char == "e" else "d")
    if a.size == 0:
        return a.copy()
    if a.shape[-1] == 1:
        return _core.exp(a)
    norms = _core._vector_norm(a, 1, -2, False).max(axis=-1).get()
    approximant, degrees = _pade, _DEGREES[a.dtype.char.lower()]
    if a.device.backend == "cuda" and a.shape[-1] > _SMALL:
        approximant, degrees = _taylor, ((16, _TAYLOR[a.dtype.char.lower()]),)
    if a.ndim == 2:
        return _expm_of_one(a, float(norms), approximant, degrees)
    is_finite = numpy.isfinite(norms)
    largest = float(norms[is_finite].max(initial=0))
    for degree, bound in degrees:
        if largest <= bound:
            return _bounded(approximant(a, degree), is_finite)
    squarings = numpy.ceil(numpy.log2(numpy.where(is_finite, numpy.maximum(norms, bound), bound) / bound))
    scale = numpy.exp2(-squarings)[..., None, None].astype(a.dtype.char.lower())
    x = approximant(a * _core.asarray(scale), degree)
    least, most = int(squarings.min()), int(squarings.max())
    for _ in range(least):
        x = x @ x
    for number in range(least, most):
        x = where(_core.asarray(squarings[..., None, None] > number), x @ x, x)
    return _bounded(x, is_finite)


def _expm_of_one(a, norm, approximant, degrees):
    """The same of one matrix, without arrays of decisions."""
    if not math.isfinite(norm):
        return _core.full_like(a, float("nan"), order="C")
    for degree, bound in degrees:
        if norm <= bound:
            return approximant(a, degree)
    squarings = math.ceil(math.log2(norm / bound))
    x = approximant(a * 2.0**-squarings, degree)
    for _ in range(squarings):
        x = x @ x
    return x


def _bounded(x, is_finite):
    if not is_finite.all():
        x[_core.asarray(~is_finite)] = float("nan")
    return x


@fuse
def _cubic(x, a, a2, a3, eye, c0, c1, c2, c3):
    return x + c3 * a3 + c2 * a2 + c1 * a + c0 * eye


def _taylor(a, degree):
    """The series up to a degree that is a multiple of four, by products alone: on a GPU an
    elimination takes many times as long as they do."""
    c = [1 / math.factorial(k) for k in range(degree + 1)]
    eye = _core.eye(a.shape[-1], dtype=a.dtype)
    a2 = a @ a
    a3, a4 = a2 @ a, a2 @ a2
    x = _cubic(c[degree] * a4, a, a2, a3, eye, *c[degree - 4 : degree])
    for k in range(degree - 8, -1, -4):
        x = _cubic(x @ a4, a, a2, a3, eye, *c[k : k + 4])
    return x


def _pade(a, degree):
    """The approximant of matrices whose norms are small enough for it."""
    b = _COEFFICIENTS[degree]
    eye = _core.eye(a.shape[-1], dtype=a.dtype)
    a2 = a @ a
    if degree == 13:
        a4 = a2 @ a2
        a6 = a2 @ a4
        odd = a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * eye
        even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * eye
    else:
        power = eye
        odd, even = b[1] * eye, b[0] * eye
        for k in range(2, degree, 2):
            power = a2 if k == 2 else power @ a2
            odd = odd + b[k + 1] * power
            even = even + b[k] * power
    odd = a @ odd
    return _core._linalg_solve(even - odd, even + odd)
