"""What the iterative methods share: their arguments, and numbers of vectors."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array
from tenorite.scipy.sparse.linalg._interface import _Identity, aslinearoperator

# A method's own numbers are the host's: each norm and product of vectors is waited for.


def norm(x):
    """The length of a vector."""
    return float(_core._vector_norm(x, 2, None, False))


def inner(x, y):
    """The product of vectors, x conjugated, as a number of Python's."""
    return _core.vdot(x, y).item()


def in_double(A):
    """A matrix in double precision, as SciPy computes some solutions; an operator as it is."""
    if getattr(A, "dtype", None) not in (numpy.float32, numpy.complex64) or not hasattr(A, "astype"):
        return A
    return A.astype(numpy.result_type(A.dtype, "d"))


def make_system(A, M, x0, b):
    """The operator, the preconditioner, a first guess of one's own and the right side as a vector.

    TypeError for dtypes that are not of BLAS, ValueError for shapes that do not fit.
    """
    A = aslinearoperator(A)
    if A.shape[0] != A.shape[1]:
        raise ValueError(f"expected square matrix (shape: {A.shape})")
    if A.dtype is None or A.dtype.char not in "fdFD":
        if A.dtype is None or A.dtype.kind not in "biu":
            raise TypeError(f"unsupported dtype (actual: {A.dtype})")
        dtype = numpy.dtype("d")
    else:
        dtype = A.dtype
    n = A.shape[0]
    b = as_array(b)
    if b.shape not in ((n,), (n, 1)):
        raise ValueError(f"shape mismatch: A has shape {A.shape} and b {b.shape}")
    if b.dtype.kind == "c" and dtype.kind != "c":
        dtype = numpy.dtype("D" if dtype.char == "d" else "F")
    b = b.astype(dtype).ravel()
    if x0 is None:
        x = _core.zeros(n, dtype=dtype)
    else:
        x0 = as_array(x0)
        if x0.shape not in ((n,), (n, 1)):
            raise ValueError(f"shape mismatch: A has shape {A.shape} and x0 {x0.shape}")
        x = x0.astype(dtype).ravel().copy()
    if M is None:
        M = _Identity(A.shape, dtype)
    else:
        M = aslinearoperator(M)
        if M.shape != A.shape:
            raise ValueError(f"matrix and preconditioner have different shapes: {A.shape} and {M.shape}")
    return A, M, x, b


def tolerance(b, tol, rtol, atol):
    """The length of the residual to reach: that of b times the relative tolerance, or `atol`.

    None for a b of zeros, which is the solution then.
    """
    length = norm(b)
    relative = rtol if rtol is not None else 1e-5 if tol is None else tol
    return max(float(atol or 0), float(relative) * length) if length else None
