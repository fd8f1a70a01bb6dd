"""What programs take from CuPy's ``cupy.linalg._util``."""

import tenorite

__all__ = ["stacked_identity"]


def stacked_identity(shape, n, dtype):
    """A stack of identity matrices.

    Parameters
    ----------
    shape : tuple of int
        The stack's shape.
    n : int
        Rows of each matrix.
    dtype : dtype

    Returns
    -------
    ndarray
        Of the shape ``(*shape, n, n)``.

    Examples
    --------
    >>> from tenorite._cupy.linalg._util import stacked_identity
    >>> stacked_identity((2,), 3, "f").shape
    (2, 3, 3)
    """
    stack = tenorite.empty((*shape, n, n), dtype)
    stack[...] = tenorite.identity(n, dtype)
    return stack
