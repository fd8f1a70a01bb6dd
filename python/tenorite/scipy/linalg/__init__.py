"""What scipy.linalg has beside numpy.linalg: factors that are kept, special matrices, functions of
matrices."""

from numpy.linalg import LinAlgError

from tenorite._numpy.linear_algebra import kron
from tenorite.scipy.linalg._factors import (
    LinAlgWarning,
    cho_factor,
    cho_solve,
    cholesky,
    lu,
    lu_factor,
    lu_solve,
    solve_triangular,
)
from tenorite.scipy.linalg._functions import bandwidth, expm, khatri_rao
from tenorite.scipy.linalg._special import (
    block_diag,
    circulant,
    companion,
    convolution_matrix,
    dft,
    fiedler,
    fiedler_companion,
    hadamard,
    hankel,
    helmert,
    hilbert,
    leslie,
    toeplitz,
    tri,
    tril,
    triu,
)

__all__ = [
    "LinAlgError",
    "LinAlgWarning",
    "bandwidth",
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "circulant",
    "companion",
    "convolution_matrix",
    "dft",
    "expm",
    "fiedler",
    "fiedler_companion",
    "hadamard",
    "hankel",
    "helmert",
    "hilbert",
    "khatri_rao",
    "kron",
    "leslie",
    "lu",
    "lu_factor",
    "lu_solve",
    "solve_triangular",
    "toeplitz",
    "tri",
    "tril",
    "triu",
]
