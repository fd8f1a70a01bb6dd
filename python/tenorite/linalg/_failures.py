"""When matrices without decomposition are reported: cupyx.errstate and its kin."""

from tenorite import _core

__all__ = ["errstate", "geterr", "seterr"]

# None: by the next call that waits.
_NUMBERS = {None: 0, "raise": 1, "ignore": 2}
_NAMES = {number: name for name, number in _NUMBERS.items()}


# What CuPy keeps beside it and nothing sets: its functions report no such failures.
_UNSET = dict.fromkeys(("divide", "over", "under", "invalid"))


def _state(linalg):
    return {**_UNSET, "linalg": linalg, "fallback_mode": None}


def _refuse(**kinds):
    for name, how in kinds.items():
        if how is not None:
            raise NotImplementedError(f"{name}={how!r}: only linalg can be set; tenorite.errstate is NumPy's")


def _set(linalg):
    if linalg not in _NUMBERS:
        raise ValueError(f"linalg must be 'ignore', 'raise' or None, not {linalg!r}")
    return _NAMES[_core._linalg_set_failures(_NUMBERS[linalg])]


def geterr():
    """How the calling thread hears of matrices without decomposition; see seterr.

    Examples
    --------
    >>> from tenorite.x import geterr
    >>> geterr()["linalg"] is None
    True
    """
    before = _set(None)
    _set(before)
    return _state(before)


def seterr(*, divide=None, over=None, under=None, invalid=None, linalg=None, fallback_mode=None):
    """Say how this thread hears of matrices without decomposition (as singular ones in solve).

    Parameters
    ----------
    divide, over, under, invalid, fallback_mode : None
        Of no use; CuPy has them.
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
    >>> seterr(linalg=None)["linalg"] is None
    True
    """
    _refuse(divide=divide, over=over, under=under, invalid=invalid, fallback_mode=fallback_mode)
    return _state(_set(linalg))


class errstate:
    """A context in which seterr is in force.

    Parameters
    ----------
    divide, over, under, invalid, fallback_mode : None
        Of no use; CuPy has them.
    linalg : {'raise', 'ignore', None}, optional
        What a decomposition does that fails.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.x import errstate
    >>> with errstate(linalg="ignore"):
    ...     x = tn.linalg.inv(tn.zeros((2, 2)))
    """

    def __init__(self, *, divide=None, over=None, under=None, invalid=None, linalg=None, fallback_mode=None):
        _refuse(divide=divide, over=over, under=under, invalid=invalid, fallback_mode=fallback_mode)
        self._wanted = linalg

    def __enter__(self):
        self._before = _set(self._wanted)
        return self

    def __exit__(self, *exception):
        _set(self._before)
