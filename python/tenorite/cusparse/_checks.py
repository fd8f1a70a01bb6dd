"""What the functions ask of their matrices, and a product in the order of their factors."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array
from tenorite.scipy import sparse


def _sparse(a, name, formats=("csr",)):
    if not sparse.issparse(a) or a.format not in formats:
        raise TypeError(f"{name} must be a sparse matrix of format {' or '.join(formats)} (actual: {_kind(a)})")
    return a


def _kind(a):
    return f"{a.format} matrix" if sparse.issparse(a) else type(a).__name__


def _dense(x, name, ndims):
    x = as_array(x)
    if x.ndim not in ndims:
        raise ValueError(f"{name} must have {' or '.join(map(str, ndims))} dimensions (actual: {x.ndim})")
    return x


def _transposed(a, trans):
    """The matrix, its transpose or its adjoint, as a flag or a letter says."""
    if trans is False or trans == "N":
        return a
    if trans is True or trans == "T":
        return a.T
    if trans == "H":
        return a.T.conj()
    raise ValueError(f"trans must be a bool, 'N', 'T' or 'H' (actual: {trans!r})")


def _scaled(value, alpha, dtype):
    """alpha times an array or a matrix, in a dtype."""
    alpha = alpha.item() if isinstance(alpha, _core.ndarray) else alpha
    return value.astype(dtype, copy=False) if alpha == 1 else value.astype(dtype, copy=False) * dtype.type(alpha)


def _product(a, x, out, alpha, beta, name):
    """alpha a x, or added in place to beta out."""
    if a.shape[1] != x.shape[0]:
        raise ValueError(f"dimension mismatch: {a.shape} times {x.shape}")
    dtype = numpy.result_type(a.dtype, x.dtype)
    made = _scaled(a @ x, alpha, dtype)
    if out is None:
        return made
    if out.shape != made.shape:
        raise ValueError(f"{name} has shape {out.shape} where {made.shape} is needed")
    if out.dtype != dtype:
        raise TypeError(f"{name} has dtype {out.dtype} where {dtype} is needed")
    out[...] = made if beta == 0 else made + _scaled(out, beta, dtype)
    return out
