"""What `inspect.signature` shows of a ufunc: the first line of its docstring."""

from tenorite import _core


class _Signature:
    """The attribute `__signature__` of each ufunc, made when it is read; the type has none."""

    def __get__(self, ufunc, kind):
        if ufunc is None:
            raise AttributeError("__signature__")
        import inspect

        parameters = ufunc.__doc__.partition("\n")[0].removeprefix(ufunc.__name__)[1:-1]
        return inspect.signature(eval(f"lambda {parameters}: None"))


_core.ufunc.__signature__ = _Signature()
