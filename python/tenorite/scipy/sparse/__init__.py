"""Sparse matrices and arrays, under the names of SciPy and of CuPy's cupyx.scipy.sparse.

The formats are coo, csr, csc and dia. Everything runs on every backend.
"""

from tenorite._lib.lazy import lazy_names as _lazy_names
from tenorite.scipy.sparse import _base
from tenorite.scipy.sparse._base import (
    SparseEfficiencyWarning,
    SparseWarning,
    _Sparse as _spbase,  # noqa: F401: CuPy's name
    issparse,
)
from tenorite.scipy.sparse._construct import (
    block_array,
    block_diag,
    bmat,
    diags,
    diags_array,
    eye,
    eye_array,
    hstack,
    identity,
    kron,
    kronsum,
    rand,
    random,
    random_array,
    spdiags,
    vstack,
)
from tenorite.scipy.sparse._coo import coo_array, coo_matrix, isspmatrix_coo
from tenorite.scipy.sparse._csc import csc_array, csc_matrix, isspmatrix_csc
from tenorite.scipy.sparse._csr import csr_array, csr_matrix, isspmatrix_csr
from tenorite.scipy.sparse._dia import dia_array, dia_matrix, isspmatrix_dia
from tenorite.scipy.sparse._extract import (
    find,
    get_index_dtype,
    matrix_transpose,
    permute_dims,
    safely_cast_index_arrays,
    swapaxes,
    tril,
    triu,
)
from tenorite.scipy.sparse._kinds import isspmatrix, sparray, spmatrix

_SUBMODULES = frozenset({"csgraph", "linalg"})
_base.CLASSES |= {
    (one.format, one._is_array): one
    for one in (coo_array, coo_matrix, csc_array, csc_matrix, csr_array, csr_matrix, dia_array, dia_matrix)
}

__all__ = [
    "SparseEfficiencyWarning",
    "SparseWarning",
    "block_array",
    "block_diag",
    "bmat",
    "coo_array",
    "coo_matrix",
    "csc_array",
    "csc_matrix",
    "csr_array",
    "csr_matrix",
    "dia_array",
    "dia_matrix",
    "diags",
    "diags_array",
    "eye",
    "eye_array",
    "find",
    "get_index_dtype",
    "hstack",
    "identity",
    "issparse",
    "isspmatrix",
    "isspmatrix_coo",
    "isspmatrix_csc",
    "isspmatrix_csr",
    "isspmatrix_dia",
    "kron",
    "kronsum",
    "matrix_transpose",
    "permute_dims",
    "rand",
    "random",
    "random_array",
    "safely_cast_index_arrays",
    "sparray",
    "spdiags",
    "spmatrix",
    "swapaxes",
    "tril",
    "triu",
    "vstack",
]

__getattr__, __dir__ = _lazy_names(__name__, {}, _SUBMODULES)
