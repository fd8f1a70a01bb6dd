"""What `inspect.signature` and `help` show of ufuncs and of their type."""

import inspect

from tenorite import _core

_TYPE = """A function that works element by element.

Programs do not make ufuncs; those of tenorite are `add`, `exp` and the like. Each has ``reduce``,
``accumulate``, ``reduceat``, ``outer`` and ``at``, where its operation has them.

Examples
--------
>>> import tenorite as cp
>>> isinstance(cp.add, cp.ufunc), cp.add.reduce(cp.array([1, 2, 3]))
(True, array(6))
"""


class _Signature:
    """The attribute `__signature__` of each ufunc, made when it is read; the type has none."""

    def __get__(self, ufunc, kind):
        if ufunc is None:
            raise AttributeError("__signature__")
        parameters = ufunc.__doc__.partition("\n")[0].removeprefix(ufunc.__name__)[1:-1]
        return inspect.signature(eval(f"lambda {parameters}: None"))


class _Document:
    """The docstring of each ufunc, and that of the type."""

    def __init__(self, of_ufunc):
        self._of_ufunc = of_ufunc

    def __get__(self, ufunc, kind):
        return _TYPE if ufunc is None else self._of_ufunc.__get__(ufunc)


_core.ufunc.__signature__ = _Signature()
_core.ufunc.__doc__ = _Document(vars(_core.ufunc)["__doc__"])
