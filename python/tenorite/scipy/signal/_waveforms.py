"""Signals of formulas: sweeps, pulses, teeth, impulses and sequences of bits."""

import math

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite._numpy.indexing import where
from tenorite._numpy.polynomials import polyint, polyval
from tenorite._numpy.shapes import broadcast_arrays
from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal._host import fetched


def _at(t):
    """Times as float64, and the dtype of what is made of them: float32 and float16 stay."""
    t = as_array_of(t)
    return t.astype(float, copy=False), t.dtype if t.dtype.kind == "f" else numpy.dtype(float)


def _together(t, share):
    """Times and shares of the period, broadcast, modulo a period; and where shares are wrong."""
    t, share = broadcast_arrays(_at(t)[0], _at(share)[0])
    return t % (2 * math.pi), share, (share > 1) | (share < 0)


@beside
@documented(
    "A sawtooth of period 2 pi that rises from -1 to 1 and falls again.",
    ("ndarray", "Of float64; NaN where the width is not from 0 to 1."),
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.sawtooth(tn.array([0.0, tn.pi]))
    array([-1.,  0.])""",
)
def sawtooth(t, width=1):
    phase, width, is_wrong = _together(t, width)
    is_rising = phase < width * 2 * math.pi
    rising = phase / (math.pi * where(is_rising, width, 1)) - 1
    falling = (math.pi * (width + 1) - phase) / (math.pi * where(is_rising, 1, 1 - width))
    return where(is_wrong, math.nan, where(is_rising, rising, falling))


@beside
@documented(
    "A square wave of period 2 pi.",
    ("ndarray", "1 and -1, of float64; NaN where the duty is not from 0 to 1."),
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.square(tn.array([0.0, 4.0]))
    array([ 1., -1.])""",
)
def square(t, duty=0.5):
    phase, duty, is_wrong = _together(t, duty)
    return where(is_wrong, math.nan, where(phase < duty * 2 * math.pi, 1.0, -1.0))


@beside
@documented(
    "A sine under a Gaussian.",
    [
        ("ndarray", "The pulse."),
        ("ndarray", "Its quadrature, if asked for."),
        ("ndarray", "Its envelope, if asked for."),
    ],
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.gausspulse(tn.zeros(1))
    array([1.])""",
    "``exp(-a t**2) cos(2 pi fc t)``.",
    ("ValueError", "For a frequency, bandwidth or level that cannot be."),
)
def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    if fc < 0:
        raise ValueError(f"Center frequency (fc={fc:.2f}) must be >=0.")
    if bw <= 0:
        raise ValueError(f"Fractional bandwidth (bw={bw:.2f}) must be > 0.")
    if bwr >= 0:
        raise ValueError(f"Reference level for bandwidth (bwr={bwr:.2f}) must be < 0 dB")
    a = -((math.pi * fc * bw) ** 2) / (4.0 * math.log(10.0 ** (bwr / 20.0)))
    if isinstance(t, str):
        if t != "cutoff":
            raise ValueError("If `t` is a string, it must be 'cutoff'")
        if tpr >= 0:
            raise ValueError("Reference level for time cutoff must be < 0 dB")
        return math.sqrt(-math.log(10.0 ** (tpr / 20.0)) / a)
    t, kind = _at(t)
    envelope, angle = _core.exp(-a * t * t), 2 * math.pi * fc * t
    pulse = envelope * _core.cos(angle)
    made = [pulse, *([envelope * _core.sin(angle)] if retquad else []), *([envelope] if retenv else [])]
    made = [one.astype(kind, copy=False) for one in made]
    return tuple(made) if len(made) > 1 else made[0]


def _linear(t, f0, t1, f1, vertex_zero):
    return f0 * t + 0.5 * ((f1 - f0) / t1) * t * t


def _quadratic(t, f0, t1, f1, vertex_zero):
    beta = (f1 - f0) / t1**2
    return f0 * t + beta * t**3 / 3 if vertex_zero else f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3


def _logarithmic(t, f0, t1, f1, vertex_zero):
    if f0 * f1 <= 0.0:
        raise ValueError("For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign.")
    if f0 == f1:
        return f0 * t
    return t1 / math.log(f1 / f0) * f0 * (_core.power(f1 / f0, t / t1) - 1.0)


def _hyperbolic(t, f0, t1, f1, vertex_zero):
    if f0 == 0 or f1 == 0:
        raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
    if f0 == f1:
        return f0 * t
    pole = -f1 * t1 / (f0 - f1)
    return -pole * f0 * _core.log(abs(1 - t / pole))


_SWEEPS = {
    _linear: "linear lin li",
    _quadratic: "quadratic quad q",
    _logarithmic: "logarithmic log lo",
    _hyperbolic: "hyperbolic hyp",
}
_SWEEPS = {name: sweep for sweep, names in _SWEEPS.items() for name in names.split()}


@beside
@documented(
    "A cosine whose frequency goes from one to another.",
    ("ndarray", "Of the dtype of `t` if it has floats, or complex."),
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.chirp(tn.zeros(1), 6.0, 10.0, 1.0)
    array([1.])""",
    "",
    ("ValueError", "For another method, and frequencies that it does not take."),
)
def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True, *, complex=False):
    (t, kind), f0, t1, f1 = _at(t), float(f0), float(t1), float(f1)
    if method not in _SWEEPS:
        raise ValueError(
            "method must be 'linear', 'quadratic', 'logarithmic', "
            f"or 'hyperbolic', but a value of {method!r} was given."
        )
    phase = 2 * math.pi * _SWEEPS[method](t, f0, t1, f1, vertex_zero) + math.radians(phi)
    if complex:
        return _core.exp(1j * phase).astype(numpy.result_type(kind, numpy.complex64), copy=False)
    return _core.cos(phase).astype(kind, copy=False)


@beside
@documented(
    "A cosine whose frequency is a polynomial of the time.",
    ("ndarray", "Of the shape of `t`."),
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.sweep_poly(tn.zeros(1), [1.0, 2.0])
    array([1.])""",
    "The phase is the integral of the frequency.",
)
def sweep_poly(t, poly, phi=0):
    poly = poly if hasattr(poly, "coeffs") else as_array_of(poly)
    return _core.cos(2 * math.pi * polyval(polyint(poly), _at(t)[0]) + phi * (math.pi / 180))


@documented(
    "Zeros but for a one.",
    ("ndarray", "Of the shape."),
    """>>> from tenorite.scipy import signal
    >>> signal.unit_impulse(5, 2)
    array([0., 0., 1., 0., 0.])""",
    "",
    [("IndexError", "For a place that is not within the array."), ("ValueError", "For a negative size.")],
)
def unit_impulse(shape, idx=None, dtype=float):
    result = _core.zeros(shape, dtype)
    if idx is None:
        idx = (0,) * result.ndim
    elif isinstance(idx, str) and idx == "mid":
        idx = tuple(size // 2 for size in result.shape)
    elif not hasattr(idx, "__iter__"):
        idx = (idx,) * result.ndim
    result[idx] = 1
    return result


_ON_HOST = 1 << 20
_OF_DIGITS = bytes.maketrans(b"01", b"\0\1")
# Taps of shift registers whose sequences are as long as can be (Zepernick and Finger, 2005).
_TAPS = {
    2: [1],
    3: [2],
    4: [3],
    5: [3],
    6: [5],
    7: [6],
    8: [7, 6, 1],
    9: [5],
    10: [7],
    11: [9],
    12: [11, 10, 4],
    13: [12, 11, 8],
    14: [13, 12, 2],
    15: [14],
    16: [15, 13, 4],
    17: [14],
    18: [11],
    19: [18, 17, 14],
    20: [17],
    21: [19],
    22: [21],
    23: [18],
    24: [23, 22, 17],
    25: [22],
    26: [25, 24, 20],
    27: [26, 25, 22],
    28: [25],
    29: [27],
    30: [29, 28, 7],
    31: [28],
    32: [31, 30, 10],
}


def _checked_register(nbits, state, length, taps):
    """The taps, descending, the length and the state of a shift register; None is all ones."""
    if taps is None:
        if nbits not in _TAPS:
            raise ValueError(f"nbits must be between {min(_TAPS)} and {max(_TAPS)} if taps is None")
        taps = _TAPS[nbits]
    else:
        taps = numpy.unique(numpy.array(fetched(taps), numpy.int64))[::-1]
        if (taps < 0).any() or (taps > nbits).any() or taps.size < 1:
            raise ValueError("taps must be non-empty with values between zero and nbits (inclusive)")
    length = 2**nbits - 1 if length is None else int(length)
    if length < 0:
        raise ValueError("length must be greater than or equal to 0")
    if state is None:
        return taps, length, None
    state = numpy.array(fetched(state), dtype=bool)
    if state.ndim != 1 or state.size != nbits:
        raise ValueError("state must be a 1-D array of size nbits")
    if not state.any():
        raise ValueError("state must not be all zeros")
    return taps, length, state


@documented(
    "A sequence of bits of the largest period that a shift register has.",
    [("ndarray", "The bits, of int8."), ("ndarray", "The state of the register after them.")],
    """>>> from tenorite.scipy import signal
    >>> signal.max_len_seq(3)[0]
    array([1, 1, 1, 0, 1, 0, 0], dtype=int8)""",
    "A bit is the sum (modulo 2) of earlier ones, those of the taps; so it is of bits twice as early, too, as "
    "squares of polynomials of bits have twice the powers. Parts are computed whole, each twice as long as the "
    "one before.",
    ("ValueError", "For taps, lengths and states that cannot be."),
)
def max_len_seq(nbits, state=None, length=None, taps=None):
    taps, length, state = _checked_register(nbits, state, length, taps)
    offsets = [0, *(int(tap) % nbits for tap in taps)]
    lags = [nbits - offset for offset in set(offsets) if offsets.count(offset) % 2]
    total = length + nbits
    # The first bits are made on the host.
    first = 2**nbits - 1 if state is None else sum(1 << k for k, bit in enumerate(state.tolist()) if bit)
    begin = _begin(first, min(total, _ON_HOST), nbits, lags)
    if begin.size == total:
        begin = _core.asarray(begin)
        return begin[:length], begin[length:].copy()
    bits = _core.zeros(total, bool)
    bits[: begin.size] = _core.asarray(begin.view(bool))
    _continue(bits, begin.size, nbits, lags)
    bits = bits.view("i1")
    return bits[:length], bits[length:].copy()


def _begin(first, count, nbits, lags):
    """So many bits after which each is the sum of those that lie lags before it, as int8. `first`
    has nbits of them.

    A sequence is a polynomial, the bits its coefficients modulo 2, and here the quotient of one of
    nbits terms and of P, 1 and x to the lags. P to the power 2**k is P at x**(2**k), which is 1 and
    terms beyond the count, so that 1 / P is the product of P at x, x**2, x**4, ...
    """
    numerator = first
    for lag in lags:
        numerator ^= first << lag
    bits, scale = numerator & ((1 << nbits) - 1), 1
    while scale < count:
        factor = bits
        for lag in lags:
            if scale * lag < count:
                factor ^= bits << scale * lag
        bits, scale = factor & ((1 << count) - 1), 2 * scale
    digits = f"{bits:0{max(count, 1)}b}".encode()[::-1][:count]
    return numpy.frombuffer(digits.translate(_OF_DIGITS), "i1")


def _continue(bits, known, nbits, lags):
    """Fills bits, of which so many are known, each the sum of those that lie lags before it."""
    scale = 1
    while known < bits.size and lags:
        while 2 * scale * nbits <= known:
            scale *= 2
        count = min(scale * min(lags), bits.size - known)
        part = bits[known : known + count]
        for lag in lags:
            part ^= bits[known - scale * lag : known - scale * lag + count]
        known += count
