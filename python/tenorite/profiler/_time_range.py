"""Ranges that profilers show."""

import functools

from tenorite.cuda import nvtx, runtime


class time_range:
    """A range that a profiler shows with a name: a context, and a decorator of functions.

    Where NVTX is not installed there are no ranges, and the code within runs as it is.

    Parameters
    ----------
    message : str, optional
        The range's name; a decorated function's own if it is not given.
    color_id : int, optional
        Number of a colour.
    argb_color : int, optional
        The colour itself, 0xAARRGGBB. Only one of the two.
    sync : bool, optional
        Whether the device is waited for before the range begins and before it ends.

    Raises
    ------
    ValueError
        If both colours are given, or a context has no name.

    Examples
    --------
    >>> import tenorite as cp
    >>> with cp.profiler.time_range("ones", color_id=0):
    ...     a = cp.ones(3)
    >>> @cp.profiler.time_range()
    ... def twice(x):
    ...     return 2 * x
    >>> twice(a)
    array([2., 2., 2.])
    """

    def __init__(self, message=None, color_id=None, argb_color=None, sync=False):
        if color_id is not None and argb_color is not None:
            raise ValueError("Only either color_id or argb_color can be specified")
        self.message, self.color_id, self.argb_color, self.sync = message, color_id, argb_color, sync

    def __enter__(self):
        if self.message is None:
            raise ValueError("when used as a context manager, the message argument cannot be None")
        if self.sync:
            runtime.deviceSynchronize()
        if self.argb_color is not None:
            nvtx.RangePushC(self.message, self.argb_color)
        else:
            nvtx.RangePush(self.message, -1 if self.color_id is None else self.color_id)
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        try:
            if self.sync:
                runtime.deviceSynchronize()
        finally:
            nvtx.RangePop()

    def __call__(self, func):
        message = func.__name__ if self.message is None else self.message

        @functools.wraps(func)
        def inner(*args, **kwargs):
            with time_range(message, self.color_id, self.argb_color, self.sync):
                return func(*args, **kwargs)

        return inner
