"""What dask.array does with our arrays where NumPy's dispatch does not lead to us."""

from dask.array import backends
from dask.array.dispatch import (
    concatenate_lookup,
    einsum_lookup,
    empty_lookup,
    nannumel_lookup,
    numel_lookup,
    percentile_lookup,
    take_lookup,
    tensordot_lookup,
    to_numpy_dispatch,
)

import tenorite
from tenorite._arguments import ndarray
from tenorite.scipy import sparse


def register_sizes(sizeof):
    """The bytes of arrays and sparse matrices, by which Dask decides what to spill."""
    sizeof.register(ndarray, lambda array: int(array.nbytes))
    sizeof.register(sparse.spmatrix, lambda matrix: sum(part.nbytes for part in _parts(matrix)))


def _parts(matrix):
    return [part for part in vars(matrix).values() if isinstance(part, ndarray)]


def register_arrays():
    """Functions of one chunk or of several, for arrays and for sparse matrices."""
    concatenate_lookup.register(ndarray, tenorite.concatenate)
    take_lookup.register(ndarray, tenorite.take)
    tensordot_lookup.register(ndarray, tenorite.tensordot)
    einsum_lookup.register(ndarray, tenorite.einsum)
    empty_lookup.register(ndarray, tenorite.empty)
    percentile_lookup.register(ndarray, backends.percentile)
    numel_lookup.register(ndarray, backends._numel_arraylike)
    nannumel_lookup.register(ndarray, backends._nannumel)
    to_numpy_dispatch.register(ndarray, tenorite.asnumpy)
    concatenate_lookup.register(sparse.spmatrix, _stack)
    take_lookup.register(sparse.spmatrix, _take)
    tensordot_lookup.register(sparse.spmatrix, _product)
    to_numpy_dispatch.register(sparse.spmatrix, lambda matrix, **options: matrix.toarray().get(**options))


def _stack(matrices, axis=0):
    """Sparse matrices as one, above each other or side by side."""
    if axis not in (0, 1):
        raise ValueError(f"sparse matrices are concatenated along axis 0 or 1, not {axis!r}")
    return sparse.vstack(matrices) if axis == 0 else sparse.hstack(matrices)


def _take(matrix, indices, axis=0):
    """Rows or columns of a sparse matrix."""
    if axis not in (0, 1):
        raise ValueError(f"a sparse matrix has the axes 0 and 1, not {axis!r}")
    return matrix[indices] if axis == 0 else matrix[:, indices]


def _product(a, b, axes):
    """The product of two sparse matrices over one axis of each."""
    (of_a,), (of_b,) = axes
    return (a.T if of_a % 2 == 0 else a) @ (b if of_b % 2 == 0 else b.T)
