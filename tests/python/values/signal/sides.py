"""The same call of SciPy's functions and ours, and a comparison of what both give or raise."""

import warnings

import numpy as np
import scipy.signal as theirs
import tenorite as tn
from oracle import to_host
from tenorite.scipy import signal as ours

RANDOM = np.random.default_rng(25)
LAYOUTS = ("packed", "strided", "transposed", "reversed")


def sample(shape, dtype="d", layout="packed"):
    """Random elements of a dtype in a layout."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    values = RANDOM.standard_normal(shape) * 4
    if np.dtype(dtype).kind == "c":
        values = values + 1j * RANDOM.standard_normal(shape)
    values = np.abs(values).astype(dtype) if np.dtype(dtype).kind in "bu" else values.astype(dtype)
    if layout == "strided":
        return np.repeat(values, 2, axis=-1)[..., ::2]
    if layout == "transposed":
        return np.asfortranarray(values)
    return values[::-1] if layout == "reversed" else values


def moved(value):
    """An array of ours in the layout of NumPy's; anything else as it is."""
    if not isinstance(value, np.ndarray):
        return value
    if value.ndim and any(stride < 0 for stride in value.strides):
        return tn.asarray(np.ascontiguousarray(value[::-1]))[::-1]
    return tn.asarray(value)


def call(module, name, arguments, options):
    """(result, None), or (None, exception)."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = getattr(module, name)(*arguments, **options)
            return to_host(result), None
        except Exception as error:
            return None, error


def close(found, expected, tolerance=1e-9, dtypes=True):
    """Of equal shapes and dtypes, and values near in terms of the largest."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.shape == expected.shape
    assert not dtypes or found.dtype == expected.dtype, (found.dtype, expected.dtype)
    single = np.dtype(expected.dtype).itemsize < (16 if expected.dtype.kind == "c" else 8)
    bound = max(tolerance, 2e-4) if single and expected.dtype.kind in "fc" else tolerance
    scale = max(1, np.abs(expected).max(initial=0)) if expected.dtype.kind != "b" else 1
    np.testing.assert_allclose(found.astype(complex), expected.astype(complex), rtol=0, atol=bound * scale)


def compare(name, *arguments, tolerance=1e-9, dtypes=True, texts=True, **options):
    """A call of both with arrays of their own; the results, or the same exception."""
    expected, error = call(theirs, name, arguments, options)
    found, own = call(ours, name, [moved(one) for one in arguments], {key: moved(one) for key, one in options.items()})
    if error is not None or own is not None:
        assert type(error) is type(own), (error, own)
        assert not texts or str(error).strip() == str(own).strip()
        return None
    pairs = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for one, other in pairs:
        close(one, other, tolerance, dtypes)
    return found
