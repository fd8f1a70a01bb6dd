"""When matrices without decomposition are told of: cupyx.errstate and its kin."""

from tenorite import _core

__all__ = ["errstate", "geterr", "seterr"]

# None: by the next call that waits.
_NUMBERS = {None: 0, "raise": 1, "ignore": 2}
_NAMES = {number: name for name, number in _NUMBERS.items()}


def _set(linalg):
    if linalg not in _NUMBERS:
        raise ValueError(f"linalg must be 'ignore', 'raise' or None, not {linalg!r}")
    return _NAMES[_core._linalg_set_failures(_NUMBERS[linalg])]


def geterr():
    """How the calling thread hears of matrices without decomposition; see seterr.

    Examples
    --------
    >>> from tenorite.x import geterr
    >>> geterr()
    {'linalg': None}
    """
    before = _set(None)
    _set(before)
    return {"linalg": before}


def seterr(*, linalg=None):
    """Say how this thread hears of matrices without decomposition (as singular ones in solve).

    Parameters
    ----------
    linalg : {None, 'raise', 'ignore'}, optional
        None: LinAlgError by the next call that waits, which on the host is the call itself.
        'raise': by the call itself, which then waits. 'ignore': never; their results mean nothing.

    Returns
    -------
    dict
        What was set before.

    Examples
    --------
    >>> from tenorite.x import seterr
    >>> seterr(linalg=None)
    {'linalg': None}
    """
    return {"linalg": _set(linalg)}


class errstate:
    """A context in which seterr is in force.

    Parameters
    ----------
    linalg : {'raise', 'ignore', None}, optional
        What a decomposition does that fails.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.x import errstate
    >>> with errstate(linalg="ignore"):
    ...     x = tn.linalg.inv(tn.zeros((2, 2)))
    """

    def __init__(self, *, linalg=None):
        self._wanted = linalg

    def __enter__(self):
        self._before = _set(self._wanted)
        return self

    def __exit__(self, *exception):
        _set(self._before)
