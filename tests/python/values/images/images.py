"""What tests of images share: images, calls of both packages, how results are compared."""

import numpy as np
import tenorite as tn

MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap")
SHAPES = ((7,), (40,), (5, 9), (33, 70), (4, 5, 6), (3, 1, 8), (2, 3, 4, 5))
INTEGERS = ("i1", "u1", "i2", "u2", "i4", "i8")


def image(rng, shape, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -100, 100, shape).astype(dtype)
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape)).astype(dtype) if dtype.kind == "c" else values.astype(dtype)


def on_device(value):
    return tn.asarray(value) if isinstance(value, np.ndarray) else value


def outcome(function, *args, **kwargs):
    try:
        return function(*args, **kwargs)
    except Exception as failure:
        return failure


def check(ours, theirs, *args, eps=0.0, **kwargs):
    """Both give the same: exactly, or within `eps` times the largest value, or the same error."""
    wanted = outcome(theirs, *args, **kwargs)
    found = outcome(ours, *map(on_device, args), **{name: on_device(value) for name, value in kwargs.items()})
    call = (ours.__name__, [getattr(one, "shape", one) for one in args], kwargs)
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        assert type(found) is type(wanted) and str(found) == str(wanted), (call, found, wanted)
        return
    found = found.get()
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, call
    if wanted.dtype.kind in "biu":
        assert (found == wanted).all(), call
        return
    finite = np.isfinite(wanted)
    assert (finite == np.isfinite(found)).all(), call
    scale = max(1.0, np.abs(wanted[finite]).max(initial=0))
    assert np.abs(found - wanted)[finite].max(initial=0) <= eps * scale, call


def bound(dtype, steps=64):
    """What sums of so many terms may be off by: nothing of integers, summed in one order."""
    dtype = np.dtype(dtype)
    return 0.0 if dtype.kind in "biu" else steps * np.finfo(dtype).eps
