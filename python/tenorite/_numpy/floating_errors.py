"""Floating-point errors: what NumPy shall do about them. Operations here never look for
any."""

import numpy

_LOOKING = ("raise", "call", "print", "log")


def _check(function, settings):
    """Refuses what only an operation that looks for errors could do."""
    for name, value in settings.items():
        if value in _LOOKING:
            raise NotImplementedError(
                f"{function}({name}={value!r}): operations of tenorite do not look for floating-point errors, so "
                "'ignore' and 'warn' alone are taken, which change NumPy's; tenorite.isfinite(x).all() finds what "
                "went wrong"
            )


def errstate(**kwargs):
    """A context in which NumPy ignores floating-point errors, or warns of them.

    Operations on arrays of this package neither warn nor raise.

    Parameters
    ----------
    **kwargs
        `all`, `divide`, `over`, `under` and `invalid`: "ignore" or "warn"; `call` as NumPy has it.

    Returns
    -------
    numpy.errstate
        The context manager, which is a decorator, too.

    Raises
    ------
    NotImplementedError
        For "raise", "call", "print" and "log", which need operations that look for errors.

    Notes
    -----
    Differs from NumPy: operations on arrays of the device never warn and never raise.

    Examples
    --------
    >>> with tenorite.errstate(divide="ignore"):
    ...     print(tenorite.ones(2) / 0)
    [inf inf]
    """
    _check("errstate", kwargs)
    return numpy.errstate(**kwargs)


def seterr(all=None, divide=None, over=None, under=None, invalid=None):
    """How NumPy treats floating-point errors from now on, as `errstate` has it.

    Operations on arrays of this package neither warn nor raise.

    Parameters
    ----------
    all, divide, over, under, invalid : {"ignore", "warn"}, optional
        For all errors, or those of a kind.

    Returns
    -------
    dict
        How they were treated before.

    Raises
    ------
    NotImplementedError
        For "raise", "call", "print" and "log".

    Notes
    -----
    Differs from NumPy: operations on arrays of the device never warn and never raise.

    Examples
    --------
    >>> before = tenorite.seterr(over="ignore")
    >>> tenorite.seterr(**before)["over"]
    'ignore'
    """
    settings = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    _check("seterr", settings)
    return numpy.seterr(**settings)
