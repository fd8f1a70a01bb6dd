"""What all transforms go through: lengths, axes and norms as NumPy reads them."""

import operator

from tenorite import _core
from tenorite._arguments import as_array
from tenorite.fft import _callbacks, _plans, _several
from tenorite.fft._plans import COMPLEX, HERMITIAN

_NORMS = {None: 0, "backward": 0, "ortho": 1, "forward": 2}


def norm_of(norm):
    """The number that tn_fft_norm has for a name."""
    try:
        return _NORMS[norm]
    except (KeyError, TypeError):
        raise ValueError(f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".') from None


def line(a, n, axis, norm, out, kind, is_backward):
    """The transform along one axis."""
    a = as_array(a)
    lengths = None
    if n is not None:
        n = operator.index(n)
        if n < 1:
            raise ValueError(f"Invalid number of FFT data points ({n}) specified.")
        lengths = (n,)
    axes = (operator.index(axis),)
    if _plans.Plan.entered:
        _plans.check_current(None, a, lengths, axes, kind)
        made = _callbacks.transform(a, kind, is_backward, axes, lengths, norm_of(norm), out)
        if made is not None:
            return made
    if _several.Switch.asked and kind == COMPLEX and (numbers := _plans.devices_of_current()):
        made = _several.line(a, n, axes[0], norm_of(norm), out, is_backward, numbers)
        if made is not None:
            return made
    return _core._fft(a, kind, is_backward, axes, lengths, norm_of(norm), out)


def cook(a, s, axes, kind=COMPLEX):
    """Lengths and axes, as many of each; a length of -1 is that of the input."""
    if s is None:
        axes = range(-a.ndim, 0) if axes is None else [operator.index(axis) for axis in axes]
        return None, tuple(axes)
    lengths = list(s)
    if None in lengths:  # NumPy warns that it will refuse this; CuPy takes it
        lengths = [-1 if length is None else length for length in lengths]
    if axes is None:
        axes = range(-len(lengths), 0)
    axes = tuple(operator.index(axis) for axis in axes)
    if len(axes) != len(lengths):
        raise ValueError("Shape and axes have different lengths.")
    lengths = [operator.index(length) for length in lengths]
    for length in lengths:
        if length < 1 and length != -1:
            raise ValueError(f"Invalid number of FFT data points ({length}) specified.")
    # NumPy: -1 is the input's own length on the real side too.
    return tuple(a.shape[axis] if length == -1 else length for length, axis in zip(lengths, axes)), axes


def several(a, s, axes, norm, out, kind, is_backward):
    """The transform along several axes, the last of them first; one that is named twice is
    transformed twice."""
    a = as_array(a)
    lengths, axes = cook(a, s, axes, kind)
    number = norm_of(norm)
    if kind == COMPLEX and not axes and out is None:
        return a
    if len({axis % a.ndim if a.ndim else axis for axis in axes}) == len(axes):
        if _plans.Plan.entered:
            _plans.check_current(None, a, lengths, axes, kind)
            made = _callbacks.transform(a, kind, is_backward, axes, lengths, number, out)
            if made is not None:
                return made
        return _core._fft(a, kind, is_backward, axes, lengths, number, out)
    _callbacks.refuse("a transform that names an axis twice")
    if lengths is None:
        lengths = [a.shape[axis] for axis in axes]
        if kind == HERMITIAN:
            lengths[-1] = 2 * (lengths[-1] - 1)
    steps = [(axis, length, COMPLEX) for axis, length in zip(axes, lengths)]
    steps[-1] = (*steps[-1][:2], kind)
    # The real side is the first of a real transform and the last of a Hermitian one.
    for k, (axis, length, step) in enumerate(steps if kind == HERMITIAN else steps[::-1]):
        a = _core._fft(a, step, is_backward, (axis,), (length,), number, out if k == len(steps) - 1 else None)
    return a
