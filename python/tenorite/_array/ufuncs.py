"""Methods of ufuncs that are about dtypes alone; they are added to the type at the end."""

import numpy

from tenorite import _core


def resolve_dtypes(self, dtypes, *, signature=None, casting=None, reduction=False):
    """The dtypes of operands and results that a call with such operands computes with.

    Loops and rules are NumPy's, so the ufunc of the same name there is asked.

    Parameters
    ----------
    dtypes : tuple of dtypes
        Those of the operands; None for an output that is not given, and the types int, float and
        complex for numbers of Python's.
    signature : tuple of dtypes, optional
        The dtypes of the loop, each of which may be None.
    casting : str, optional
        The rule for casts, "same_kind" if left out.
    reduction : bool, optional
        Whether the dtypes are those of a reduction.

    Returns
    -------
    tuple of dtypes

    Examples
    --------
    >>> import numpy
    >>> import tenorite as cp
    >>> cp.add.resolve_dtypes((numpy.dtype("f4"), int, None))
    (dtype('float32'), dtype('float32'), dtype('float32'))
    """
    theirs = getattr(numpy, self.__name__, None)
    if not isinstance(theirs, numpy.ufunc):
        raise NotImplementedError(f"{self.__name__} is no ufunc of NumPy, whose rules resolve_dtypes() gives")
    options = {"signature": signature, "casting": casting}
    given = {name: value for name, value in options.items() if value is not None}
    return theirs.resolve_dtypes(dtypes, reduction=reduction, **given)


_core.ufunc.resolve_dtypes = resolve_dtypes
