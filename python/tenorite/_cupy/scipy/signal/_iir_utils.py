"""CuPy's private names of recursive filters, by the public ones. A state is what went before,
oldest first."""

import tenorite
from tenorite.scipy import signal
from tenorite.scipy.signal._past import sums_of

__all__ = ["apply_iir", "apply_iir_sos"]


def apply_iir(x, a, axis=-1, zi=None, dtype=None, block_sz=1024):
    """y[n] = x[n] + a[0] y[n - 1] + a[1] y[n - 2] ...; `zi` has the values before y[0]."""
    dtype = tenorite.result_type(x, a) if dtype is None else dtype
    x, a = x.astype(dtype, copy=False), a.astype(dtype, copy=False)
    one = tenorite.ones(1, dtype)
    coefficients = tenorite.concatenate([one, -a])
    if zi is None:
        return signal.lfilter(one, coefficients, x, axis)
    state = sums_of(a, tenorite.moveaxis(zi.astype(dtype, copy=False), axis, -1))
    return signal.lfilter(one, coefficients, x, axis, tenorite.moveaxis(state, -1, axis))[0]


def apply_iir_sos(x, sos, axis=-1, zi=None, dtype=None, block_sz=1024, apply_fir=True):
    """Sections one after the other. `zi` has two inputs and two outputs before the first of each.

    Without `apply_fir` sections have no numerators."""
    dtype = tenorite.result_type(x, sos) if dtype is None else dtype
    x, sos = x.astype(dtype, copy=False), sos.astype(dtype)
    if not apply_fir:
        sos[:, :3] = tenorite.array([1, 0, 0], dtype)
    if zi is None:
        return signal.sosfilt(sos, x, axis)
    return signal.sosfilt(sos, x, axis, zi)
