"""Periods of samples at any times."""

import math
import warnings

from tenorite import _core
from tenorite._arguments import ABSENT, as_array_of, beside
from tenorite._numpy.indexing import where
from tenorite.scipy.signal._documents import documented

_TOGETHER = 1 << 22  # products of times and frequencies that are in memory at a time
_LEAST = 2.0**-53


def _sums(x, weights, weights_y, freqs):
    """The weighted sums of cosines and sines of frequencies, as Zechmeister and Kurster name them:
    YC, YS, CC, CS, C, S."""
    angles = freqs[:, None] * x
    cosines, sines = _core.cos(angles), _core.sin(angles)
    of_y = cosines @ weights_y, sines @ weights_y
    products = (cosines * cosines) @ weights, (cosines * sines) @ weights
    return *of_y, *products, cosines @ weights, sines @ weights


def _checked(x, y, freqs, weights, normalize):
    if not (x.ndim == 1 and x.size > 0 and x.shape == y.shape == weights.shape):
        raise ValueError("Parameters x, y, weights must be 1-D arrays of equal non-zero length!")
    if not (freqs.ndim == 1 and freqs.size > 0):
        raise ValueError("Parameter freqs must be a 1-D array of non-zero length!")
    if not bool((weights >= 0).all() & (weights.sum() > 0)):
        raise ValueError("Parameter weights must have only non-negative entries which sum to a positive value!")
    if isinstance(normalize, bool):
        normalize = "normalize" if normalize else "power"
    if normalize not in ("power", "normalize", "amplitude"):
        raise ValueError("Normalize must be: False (or 'power'), True (or 'normalize'), or 'amplitude'.")
    return normalize


@beside
@documented(
    "The periodogram of samples at any times, by a fit of a sine of each frequency.",
    ("ndarray", "Of float64, or complex amplitudes."),
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> x = tn.arange(100.0) ** 1.1
    >>> freqs = tn.linspace(0.1, 1, 10)
    >>> int(signal.lombscargle(x, tn.sin(0.5 * x), freqs).argmax())
    4""",
    "Zechmeister and Kurster, The generalised Lomb-Scargle periodogram, 2009, equations 7 to 20; the sums of "
    "shifted angles come from those of the angles.",
    ("ValueError", "For arrays that are not of one axis and one length, and negative weights."),
)
def lombscargle(x, y, freqs, precenter=ABSENT, normalize=False, *, weights=None, floating_mean=False):
    x, y, freqs = (as_array_of(one).astype(float, copy=False) for one in (x, y, freqs))
    weights = _core.ones(y.shape) if weights is None else as_array_of(weights).astype(float, copy=False)
    normalize = _checked(x, y, freqs, weights, normalize)
    weights = weights * (1.0 / weights.sum())
    if precenter is not ABSENT:
        warnings.warn("Use of parameter 'precenter' is deprecated: give y - y.mean()", DeprecationWarning, stacklevel=3)
        y = y - y.mean() if precenter else y
    weights_y = weights * y
    step = max(_TOGETHER // x.size, 1)
    parts = [_sums(x, weights, weights_y, freqs[k : k + step]) for k in range(0, freqs.size, step)]
    yc, ys, cc, cs, c, s = parts[0] if len(parts) == 1 else map(_core.concatenate, zip(*parts))
    mean = weights_y.sum()
    ss = 1.0 - cc
    # Without the mean; then turned by tau, so that cosines and sines are orthogonal.
    if floating_mean:
        cc, ss, cs = cc - c * c, ss - s * s, cs - c * s
        yc, ys = yc - mean * c, ys - mean * s
    tau = 0.5 * _core.arctan2(2.0 * cs, cc - ss)
    cosine, sine = _core.cos(tau), _core.sin(tau)
    yc, ys = yc * cosine + ys * sine, ys * cosine - yc * sine
    mixed = 2 * cs * cosine * sine
    cc, ss = cc * cosine**2 + mixed + ss * sine**2, cc * sine**2 - mixed + ss * cosine**2
    a = yc / where(cc < _LEAST, _LEAST, cc)
    b = ys / where(ss < _LEAST, _LEAST, ss)
    if normalize == "amplitude":
        return (a + 1j * b) * _core.exp(1j * tau)
    found = 2.0 * (a * yc + b * ys)
    if normalize == "power":
        return found * (x.shape[0] / 4.0)
    variance = (weights_y * y).sum()
    return found * (0.5 / (variance - mean * mean if floating_mean else variance))


@beside
@documented(
    "How well events keep to a period.",
    [("ndarray", "The strengths, from 0 to 1."), ("ndarray", "The phases of the events in radians.")],
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.vectorstrength(tn.arange(5.0), 1.0)[0]
    array(1.)""",
    "van Hemmen, Longtin and Vollmayr, Testing resonating vector strength, 2011.",
    ("ValueError", "For events or periods of several axes, and periods that are not positive."),
)
def vectorstrength(events, period):
    events, period = as_array_of(events), as_array_of(period)
    if events.ndim > 1:
        raise ValueError("events cannot have dimensions more than 1")
    if period.ndim > 1:
        raise ValueError("period cannot have dimensions more than 1")
    periods = period.reshape(-1)
    if bool((periods <= 0).any()):
        raise ValueError("periods must be positive")
    vectors = _core.exp((2j * math.pi / periods)[:, None] * events.reshape(-1)).mean(axis=1)
    strength, phase = abs(vectors), _core.arctan2(vectors.imag, vectors.real)
    return (strength[0], phase[0]) if period.ndim == 0 else (strength, phase)
