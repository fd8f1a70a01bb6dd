"""SciPy's parameters of transforms, over those of NumPy's."""

from tenorite._arguments import as_array
from tenorite.fft import _transform
from tenorite.fft._plans import COMPLEX, HERMITIAN, REAL, Plan, check_current

_SIGNED = {(HERMITIAN, False): "hfft", (REAL, True): "ihfft"}


def _prepared(x, kind):
    """Halves as float32, for SciPy makes no half of a Hermitian transform."""
    x = as_array(x)
    return x.astype("f") if kind == HERMITIAN and x.dtype.char == "e" else x


def _place(x, overwrites, kind, shape):
    return x if overwrites and kind == COMPLEX and x.dtype.char in "FD" and shape == x.shape else None


def line(x, n, axis, norm, overwrite_x, plan, kind, is_backward):
    """The transform along one axis."""
    x = _prepared(x, kind)
    if plan is not None and (kind, is_backward) in _SIGNED and not isinstance(plan, Plan):
        raise NotImplementedError(f"{_SIGNED[kind, is_backward]}() with a plan of {type(plan)} is not yet supported")
    check_current(plan, x, None if n is None else (n,), (axis,), kind)
    out = _place(x, overwrite_x and (n is None or n == x.shape[axis]), kind, x.shape)
    return _transform.line(x, n, axis, norm, out, kind, is_backward)


def several(x, s, axes, norm, overwrite_x, plan, kind, is_backward):
    """The transform along several axes."""
    x = _prepared(x, kind)
    s = (s,) if isinstance(s, int) else s
    axes = (axes,) if isinstance(axes, int) else axes
    lengths, axes = _transform.cook(x, s, axes)
    if len({axis % x.ndim if x.ndim else axis for axis in axes}) != len(axes):
        raise ValueError("all axes must be unique")
    if kind != COMPLEX and not axes:
        raise ValueError("at least 1 axis must be transformed")
    check_current(plan, x, lengths, axes, kind)
    is_same = lengths is None or all(x.shape[axis] == length for axis, length in zip(axes, lengths))
    out = _place(x, overwrite_x and is_same, kind, x.shape)
    return _transform.several(x, lengths, axes, norm, out, kind, is_backward)
