"""Results of functions that are kept for the life of the process, or of a device."""

import functools
import threading

from tenorite import _core

__all__ = ["clear_memo", "memoize"]

_memories = []
_lock = threading.Lock()


def memoize(for_each_device=False):
    """Makes a decorator that keeps what a function returns for each set of arguments.

    Parameters
    ----------
    for_each_device : bool, optional
        Whether a result is kept for the current device alone.

    Returns
    -------
    callable
        The decorator. Arguments must be hashable.

    See Also
    --------
    clear_memo : Forgets all results.

    Examples
    --------
    >>> @tenorite.memoize()
    ... def kernel_for(name):
    ...     return tenorite.ElementwiseKernel("T x", "T y", f"y = {name}(x)", "apply_" + name)
    >>> kernel_for("sqrt") is kernel_for("sqrt")
    True
    """

    def decorate(function):
        memory = {}
        with _lock:
            _memories.append(memory)

        @functools.wraps(function)
        def remembered(*args, **kwargs):
            device = str(_core._Device()) if for_each_device else None
            key = device, args, frozenset(kwargs.items())
            try:
                return memory[key]
            except KeyError:
                result = memory[key] = function(*args, **kwargs)
                return result

        return remembered

    return decorate


def clear_memo():
    """Forgets all results that functions of :func:`memoize` have kept.

    See Also
    --------
    memoize : Keeps results.

    Returns
    -------
    None
        Nothing is kept.

    Examples
    --------
    >>> tenorite.clear_memo()
    """
    with _lock:
        for memory in _memories:
            memory.clear()
