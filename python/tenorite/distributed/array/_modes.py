"""What elements that several chunks have mean."""

import numpy


def _least(dtype):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return False
    return -numpy.inf if dtype.kind == "f" else numpy.iinfo(dtype).min


def _greatest(dtype):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return True
    return numpy.inf if dtype.kind == "f" else numpy.iinfo(dtype).max


class Mode:
    """What elements that several chunks of a distributed array have mean.

    Programs use the five that there are: ``REPLICA``, ``SUM``, ``PROD``, ``MAX`` and ``MIN``.

    Parameters
    ----------
    name : str
        The name.
    ufunc : str or None
        The function of two elements; None for REPLICA.
    identity : callable or None
        The element of a dtype that changes no other.
    is_idempotent : bool
        Whether an element that occurs twice counts once.

    Examples
    --------
    >>> from tenorite.distributed.array import SUM
    >>> SUM
    SUM
    """

    def __init__(self, name, ufunc, identity, is_idempotent):
        self.name, self.ufunc, self.identity, self.is_idempotent = name, ufunc, identity, is_idempotent

    def __repr__(self):
        return self.name


REPLICA = Mode("REPLICA", None, None, True)
SUM = Mode("SUM", "add", lambda dtype: 0, False)
PROD = Mode("PROD", "multiply", lambda dtype: 1, False)
MAX = Mode("MAX", "maximum", _least, True)
MIN = Mode("MIN", "minimum", _greatest, True)
