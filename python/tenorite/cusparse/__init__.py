"""Operations of sparse matrices by the names of CuPy's cupyx.cusparse, over Tenorite's own forms.

Matrices are those of tenorite.scipy.sparse. Everything runs on every backend, and on values of each
dtype that sparse matrices have.
"""

from tenorite.cuda import cusparse as _raw
from tenorite.cuda.device import get_cusparse_handle
from tenorite.cusparse._descriptors import (
    BaseDescriptor,
    DnMatDescriptor,
    DnVecDescriptor,
    MatDescriptor,
    SpMatDescriptor,
    SpVecDescriptor,
)
from tenorite.cusparse._formats import (
    coo2csc,
    coo2csr,
    coosort,
    csc2coo,
    csc2csr,
    csc2csrEx2,
    csc2dense,
    cscsort,
    csr2coo,
    csr2csc,
    csr2cscEx2,
    csr2csr_compress,
    csr2dense,
    csrsort,
    dense2csc,
    dense2csr,
    denseToSparse,
    sparseToDense,
)
from tenorite.cusparse._products import (
    csrgeam,
    csrgeam2,
    csrgemm,
    csrgemm2,
    csrilu02,
    csrmm,
    csrmm2,
    csrmv,
    csrsm2,
    spgeam,
    spgemm,
    spmm,
    spmv,
    spsm,
)

__all__ = [
    "BaseDescriptor",
    "DnMatDescriptor",
    "DnVecDescriptor",
    "MatDescriptor",
    "SpMatDescriptor",
    "SpVecDescriptor",
    "check_availability",
    "coo2csc",
    "coo2csr",
    "coosort",
    "csc2coo",
    "csc2csr",
    "csc2csrEx2",
    "csc2dense",
    "cscsort",
    "csr2coo",
    "csr2csc",
    "csr2cscEx2",
    "csr2csr_compress",
    "csr2dense",
    "csrgeam",
    "csrgeam2",
    "csrgemm",
    "csrgemm2",
    "csrilu02",
    "csrmm",
    "csrmm2",
    "csrmv",
    "csrsm2",
    "csrsort",
    "dense2csc",
    "dense2csr",
    "denseToSparse",
    "getVersion",
    "sparseToDense",
    "spgeam",
    "spgemm",
    "spmm",
    "spmv",
    "spsm",
]

_LACKED = frozenset({"csrilu02"})


# --- What there is ---


def check_availability(name):
    """Whether an operation is there.

    Parameters
    ----------
    name : str

    Returns
    -------
    bool

    Raises
    ------
    ValueError
        If there is no operation of that name.

    Examples
    --------
    >>> from tenorite import cusparse
    >>> cusparse.check_availability("spmv")
    True
    """
    if name not in __all__ or name[0].isupper():
        raise ValueError(f"No availability information (name: {name})")
    return name not in _LACKED


def getVersion():
    """The version of the cuSPARSE library of the current device; on the host, where there is none,
    that whose functions this module has.

    Returns
    -------
    int
        1000 * major + 100 * minor + patch.

    Examples
    --------
    >>> from tenorite import cusparse
    >>> cusparse.getVersion() >= 12000
    True
    """
    return _raw.getVersion(get_cusparse_handle())
