"""Complex transforms along one axis by several devices.

Many lines are shared out. One long line of n1 * n2 elements is a matrix whose columns and then rows
are transformed (D. H. Bailey, FFTs in external or hierarchical memory, 1990): a device has some
columns, then some rows, and what it needs of the others travels between.
"""

import contextvars
import functools
import math

import numpy

from tenorite import _core

# Whether transforms go over several devices, and over which.
in_use = contextvars.ContextVar("use_multi_gpus", default=False)
chosen = contextvars.ContextVar("devices", default=None)
_Device = _core._Device


class Switch:
    """Whether any program has ever asked for several devices."""

    asked = False


def devices():
    """The numbers of the devices that transforms go over; None: over the array's own."""
    return chosen.get() if in_use.get() else None


def numbers_of(gpus):
    """Numbers of devices, from a count or a sequence."""
    if isinstance(gpus, int):
        numbers = tuple(range(gpus))
    elif isinstance(gpus, (list, tuple)):
        numbers = tuple(gpus)
    else:
        raise ValueError("gpus must be an int or a list of int.")
    if len(numbers) <= 1:
        raise ValueError("Must use at least 2 GPUs.")
    return numbers


def _shares(size, numbers):
    """(device, first, beyond) of the devices that get a part of a size."""
    cuts = [size * k // len(numbers) for k in range(len(numbers) + 1)]
    return [share for share in zip(numbers, cuts, cuts[1:], strict=False) if share[1] < share[2]]


def _fft(array, axis, is_backward, norm):
    return _core._fft(array, 0, is_backward, (axis,), None, norm, None)


@functools.lru_cache(64)
def _factor(n):
    """The greatest divisor of n up to its root."""
    return next(k for k in range(math.isqrt(n), 0, -1) if n % k == 0)


def _twiddles(first, beyond, columns, n, is_backward, dtype):
    """exp(-2 pi i j k / n) of rows j and columns k, conjugated for the inverse."""
    turns = _core.arange(first, beyond).reshape(-1, 1) * _core.arange(columns) % n
    angle = turns * ((2 if is_backward else -2) * math.pi / n)
    made = _core.empty(angle.shape, "D")
    made.real, made.imag = _core.cos(angle), _core.sin(angle)
    return made.astype(dtype, copy=False)


def _long_line(line, numbers, is_backward, norm, home):
    """One line, of a length that is no prime."""
    n = line.size
    rows = _factor(n)
    columns = n // rows
    matrix, made = line.reshape(rows, columns), []
    for device, first, beyond in _shares(columns, numbers):
        part = matrix[:, first:beyond].to_device(device)
        with _Device(device):
            turned = _fft(part, 0, is_backward, norm)
            turned *= _twiddles(first, beyond, rows, n, is_backward, turned.dtype).T
        made.append((turned, first, beyond))
    results = []
    for device, first, beyond in _shares(rows, numbers):
        with _Device(device):
            whole = _core.empty((beyond - first, columns), line.dtype)
        for part, begin, end in made:
            piece = part[first:beyond].to_device(device)
            with _Device(device):
                whole[:, begin:end] = piece
        with _Device(device):
            results.append((_fft(whole, 1, is_backward, norm), first, beyond))
    with _Device(home):
        out = _core.empty((columns, rows), line.dtype)
        for result, first, beyond in results:
            out[:, first:beyond] = result.to_device(home).T
    return out.reshape(n)


def transform(lines, numbers, is_backward, norm):
    """The transforms of the rows of a complex matrix.

    Parameters
    ----------
    lines : ndarray
        A matrix of complex64 or complex128.
    numbers : sequence of int
        The devices.
    is_backward : bool
        Whether it is the inverse.
    norm : int
        As of ``_core._fft``: 0 "backward", 1 "ortho", 2 "forward".

    Returns
    -------
    ndarray
        A new matrix of the same device.
    """
    home, n = lines.device.id, lines.shape[1]
    if len(lines) == 1 and _factor(n) > 1:
        return _long_line(lines[0], numbers, is_backward, norm, home)[None]
    results = []
    for device, first, beyond in _shares(len(lines), numbers):
        part = lines[first:beyond].to_device(device)
        with _Device(device):
            results.append((_fft(part, 1, is_backward, norm), first, beyond))
    with _Device(home):
        out = _core.empty(lines.shape, lines.dtype)
        for result, first, beyond in results:
            out[first:beyond] = result.to_device(home)
    return out


def line(a, length, axis, norm, out, is_backward, numbers):
    """`transform` along any axis of any array, cut or continued by zeros to a length (None: its
    own)."""
    axis = range(a.ndim)[axis] if -a.ndim <= axis < a.ndim else None
    if axis is None or not a.size or (length or a.shape[axis]) < 1:
        return None  # what the transform by one device says
    length = a.shape[axis] if length is None else length
    moved = a.swapaxes(axis, -1)
    others = moved.shape[:-1]
    used = min(length, moved.shape[-1])
    with _Device(a.device.id):
        lines = _core.zeros((math.prod(others), length), "F" if a.dtype.char in "eFf" else "D")
        lines.reshape((*others, length))[..., :used] = moved[..., :used]
    made = transform(lines, numbers, is_backward, norm).reshape((*others, length)).swapaxes(-1, axis)
    if out is None:
        return made
    if out.shape != made.shape or out.dtype != made.dtype:
        raise ValueError(f"out is of shape {out.shape} and {out.dtype}; the result is of {made.shape} and {made.dtype}")
    out[...] = made
    return out


def host_lines(lines, numbers, is_backward, norm):
    """`transform` of the rows of a NumPy array; each device gets its part alone."""
    if len(lines) == 1 and _factor(lines.shape[1]) > 1:
        with _Device(numbers[0]):
            return transform(_core.asarray(lines), numbers, is_backward, norm).get()
    results = []
    for device, first, beyond in _shares(len(lines), numbers):
        with _Device(device):
            results.append(_fft(_core.asarray(lines[first:beyond]), 1, is_backward, norm))
    return numpy.concatenate([result.get() for result in results])
