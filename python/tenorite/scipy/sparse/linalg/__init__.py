"""Linear algebra of sparse matrices and of operators: iterative and direct solvers, a few
eigenvalues and singular values, norms."""

from tenorite.scipy.sparse.linalg._conjugate import cg
from tenorite.scipy.sparse.linalg._direct import (
    MatrixRankWarning,
    SuperLU,
    factorized,
    spilu,
    splu,
    spsolve,
    spsolve_triangular,
)
from tenorite.scipy.sparse.linalg._eigen import eigsh, lobpcg, svds
from tenorite.scipy.sparse.linalg._interface import LinearOperator, aslinearoperator
from tenorite.scipy.sparse.linalg._iterative import bicgstab, cgs, gmres, minres
from tenorite.scipy.sparse.linalg._least_squares import lsmr, lsqr
from tenorite.scipy.sparse.linalg._norms import expm_multiply, matrix_power, norm

__all__ = [
    "LinearOperator",
    "MatrixRankWarning",
    "SuperLU",
    "aslinearoperator",
    "bicgstab",
    "cg",
    "cgs",
    "eigsh",
    "expm_multiply",
    "factorized",
    "gmres",
    "lobpcg",
    "lsmr",
    "lsqr",
    "matrix_power",
    "minres",
    "norm",
    "spilu",
    "splu",
    "spsolve",
    "spsolve_triangular",
    "svds",
]
