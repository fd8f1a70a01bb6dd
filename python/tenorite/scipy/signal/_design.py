"""Design of filters: SciPy's functions on the host, as rows of a table, and the few that are
formulas of a line."""

import math
import operator

import numpy

from tenorite import _core
from tenorite._arguments import beside
from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal._host import fetched, forwarded
from tenorite.scipy.signal.windows._names import get_window

_FILTER = ("ndarrays", "As `output` says: (b, a), (z, p, k) or sos.")
_ZPK = ("tuple", "Zeros, poles and gain.")
_BA = ("tuple of two ndarrays", "Numerator and denominator.")
_ORDER = ("tuple", "The order, and the frequencies for the design.")
_SOS = ("ndarray", "Sections of second order, (n, 6).")
_TAPS = ("ndarray", "The coefficients.")
_SS = ("tuple of ndarrays", "The matrices A, B, C, D.")

# Name, parameters, what it does, what it returns, an example and what that prints.
_TABLE = [
    (
        "bessel",
        "N, Wn, btype='low', analog=False, output='ba', norm='phase', fs=None",
        "A Bessel-Thomson filter, of nearly constant delay.",
        _FILTER,
        "signal.bessel(3, 0.2)[0].shape\n(4,)",
    ),
    (
        "butter",
        "N, Wn, btype='low', analog=False, output='ba', fs=None",
        "A Butterworth filter, as flat as can be in the passband.",
        _FILTER,
        "signal.butter(4, 0.2, output='sos').shape\n(2, 6)",
    ),
    (
        "cheby1",
        "N, rp, Wn, btype='low', analog=False, output='ba', fs=None",
        "A Chebyshev filter with ripples in the passband.",
        _FILTER,
        "signal.cheby1(4, 1, 0.2)[0].shape\n(5,)",
    ),
    (
        "cheby2",
        "N, rs, Wn, btype='low', analog=False, output='ba', fs=None",
        "A Chebyshev filter with ripples in the stopband.",
        _FILTER,
        "signal.cheby2(4, 40, 0.2)[0].shape\n(5,)",
    ),
    (
        "ellip",
        "N, rp, rs, Wn, btype='low', analog=False, output='ba', fs=None",
        "An elliptic filter, with ripples in both bands and the steepest transition.",
        _FILTER,
        "signal.ellip(4, 1, 40, 0.2)[0].shape\n(5,)",
    ),
    (
        "iirdesign",
        "wp, ws, gpass, gstop, analog=False, ftype='ellip', output='ba', fs=None",
        "A recursive filter of the least order that keeps what is asked for.",
        _FILTER,
        "signal.iirdesign(0.2, 0.3, 1, 40)[0].shape\n(5,)",
    ),
    (
        "iirfilter",
        "N, Wn, rp=None, rs=None, btype='band', analog=False, ftype='butter', output='ba', fs=None",
        "A recursive filter of an order and a kind.",
        _FILTER,
        "signal.iirfilter(2, [0.2, 0.3])[0].shape\n(5,)",
    ),
    (
        "iirnotch",
        "w0, Q, fs=2.0",
        "A filter of second order that removes a frequency.",
        _BA,
        "signal.iirnotch(0.3, 30)[0].shape\n(3,)",
    ),
    (
        "iirpeak",
        "w0, Q, fs=2.0",
        "A filter of second order that keeps a frequency.",
        _BA,
        "signal.iirpeak(0.3, 30)[0].shape\n(3,)",
    ),
    (
        "iircomb",
        "w0, Q, ftype='notch', fs=2.0, *, pass_zero=False",
        "A filter that removes or keeps the multiples of a frequency.",
        _BA,
        "signal.iircomb(0.25, 30)[0].shape\n(9,)",
    ),
    (
        "gammatone",
        "freq, ftype, order=None, numtaps=None, fs=None",
        "A filter as the human ear has them.",
        _BA,
        "signal.gammatone(440, 'iir', fs=16000)[0].shape\n(5,)",
    ),
    (
        "buttord",
        "wp, ws, gpass, gstop, analog=False, fs=None",
        "The least order of a Butterworth filter that keeps what is asked for.",
        _ORDER,
        "int(signal.buttord(0.2, 0.3, 3, 40)[0])\n11",
    ),
    (
        "cheb1ord",
        "wp, ws, gpass, gstop, analog=False, fs=None",
        "The least order of a Chebyshev filter with ripples in the passband.",
        _ORDER,
        "int(signal.cheb1ord(0.2, 0.3, 3, 40)[0])\n6",
    ),
    (
        "cheb2ord",
        "wp, ws, gpass, gstop, analog=False, fs=None",
        "The least order of a Chebyshev filter with ripples in the stopband.",
        _ORDER,
        "int(signal.cheb2ord(0.2, 0.3, 3, 40)[0])\n6",
    ),
    (
        "ellipord",
        "wp, ws, gpass, gstop, analog=False, fs=None",
        "The least order of an elliptic filter.",
        _ORDER,
        "int(signal.ellipord(0.2, 0.3, 3, 40)[0])\n4",
    ),
    (
        "buttap",
        "N",
        "Zeros, poles and gain of an analog Butterworth filter of frequency 1.",
        _ZPK,
        "signal.buttap(3)[1].shape\n(3,)",
    ),
    (
        "cheb1ap",
        "N, rp",
        "Zeros, poles and gain of an analog Chebyshev filter of frequency 1.",
        _ZPK,
        "signal.cheb1ap(3, 1)[1].shape\n(3,)",
    ),
    (
        "cheb2ap",
        "N, rs",
        "Zeros, poles and gain of an analog filter with ripples in the stopband.",
        _ZPK,
        "signal.cheb2ap(3, 40)[1].shape\n(3,)",
    ),
    (
        "ellipap",
        "N, rp, rs",
        "Zeros, poles and gain of an analog elliptic filter of frequency 1.",
        _ZPK,
        "signal.ellipap(3, 1, 40)[1].shape\n(3,)",
    ),
    (
        "besselap",
        "N, norm='phase'",
        "Zeros, poles and gain of an analog Bessel filter.",
        _ZPK,
        "signal.besselap(3)[1].shape\n(3,)",
    ),
    (
        "band_stop_obj",
        "wp, ind, passb, stopb, gpass, gstop, type",
        "The order that a band-stop filter needs, for minimizing it.",
        ("float", "The order, no integer."),
        "round(float(signal.band_stop_obj(0.2, 0, tn.array([0.1, 0.6]), tn.array([0.3, 0.4]), 1, 40, 'butter')), 3)\n"
        "3.809",
    ),
    (
        "firwin2",
        "numtaps, freq, gain, nfreqs=None, window='hamming', nyq=None, antisymmetric=False, fs=None",
        "A filter of linear phase whose gains are given at points.",
        _TAPS,
        "signal.firwin2(9, [0.0, 0.5, 1.0], [1.0, 1.0, 0.0]).shape\n(9,)",
    ),
    (
        "firwin_2d",
        "hsize, window, *, fc=None, fs=2, circular=False, pass_zero=True, scale=True",
        "A filter of two axes by windows.",
        _TAPS,
        "signal.firwin_2d((5, 5), ('boxcar', 'boxcar')).shape\n(5, 5)",
    ),
    (
        "firls",
        "numtaps, bands, desired, weight=None, fs=None",
        "A filter of linear phase by least squares.",
        _TAPS,
        "signal.firls(9, [0.0, 0.3, 0.5, 1.0], [1, 1, 0, 0]).shape\n(9,)",
    ),
    (
        "remez",
        "numtaps, bands, desired, *, weight=None, type='bandpass', maxiter=25, grid_density=16, fs=None",
        "A filter of linear phase whose largest error is least (Parks and McClellan, 1972).",
        _TAPS,
        "signal.remez(9, [0.0, 0.1, 0.2, 0.5], [1, 0]).shape\n(9,)",
    ),
    (
        "minimum_phase",
        "h, method='homomorphic', n_fft=None, half=True",
        "A filter of minimum phase from one of linear phase.",
        _TAPS,
        "signal.minimum_phase(signal.firwin(9, 0.3)).shape\n(5,)",
    ),
    (
        "bilinear",
        "b, a, fs=1.0",
        "A digital filter from an analog one by the bilinear transform.",
        _BA,
        "signal.bilinear([1.0], [1.0, 1.0])[0].shape\n(2,)",
    ),
    (
        "bilinear_zpk",
        "z, p, k, fs",
        "A digital filter from an analog one by the bilinear transform.",
        _ZPK,
        "signal.bilinear_zpk([], [-1.0], 1.0, 1.0)[1].shape\n(1,)",
    ),
    (
        "lp2lp",
        "b, a, wo=1.0",
        "A lowpass filter of another frequency.",
        _BA,
        "signal.lp2lp([1.0], [1.0, 1.0], 2.0)[1].shape\n(2,)",
    ),
    (
        "lp2hp",
        "b, a, wo=1.0",
        "A highpass filter from a lowpass one.",
        _BA,
        "signal.lp2hp([1.0], [1.0, 1.0], 2.0)[1].shape\n(2,)",
    ),
    (
        "lp2bp",
        "b, a, wo=1.0, bw=1.0",
        "A bandpass filter from a lowpass one.",
        _BA,
        "signal.lp2bp([1.0], [1.0, 1.0], 2.0)[1].shape\n(3,)",
    ),
    (
        "lp2bs",
        "b, a, wo=1.0, bw=1.0",
        "A band-stop filter from a lowpass one.",
        _BA,
        "signal.lp2bs([1.0], [1.0, 1.0], 2.0)[1].shape\n(3,)",
    ),
    (
        "lp2lp_zpk",
        "z, p, k, wo=1.0",
        "A lowpass filter of another frequency.",
        _ZPK,
        "signal.lp2lp_zpk([], [-1.0], 1.0, 2.0)[1].shape\n(1,)",
    ),
    (
        "lp2hp_zpk",
        "z, p, k, wo=1.0",
        "A highpass filter from a lowpass one.",
        _ZPK,
        "signal.lp2hp_zpk([], [-1.0], 1.0, 2.0)[1].shape\n(1,)",
    ),
    (
        "lp2bp_zpk",
        "z, p, k, wo=1.0, bw=1.0",
        "A bandpass filter from a lowpass one.",
        _ZPK,
        "signal.lp2bp_zpk([], [-1.0], 1.0, 2.0)[1].shape\n(2,)",
    ),
    (
        "lp2bs_zpk",
        "z, p, k, wo=1.0, bw=1.0",
        "A band-stop filter from a lowpass one.",
        _ZPK,
        "signal.lp2bs_zpk([], [-1.0], 1.0, 2.0)[1].shape\n(2,)",
    ),
    (
        "normalize",
        "b, a",
        "Numerator and denominator, of which the denominator begins with 1.",
        _BA,
        "signal.normalize([2.0], [2.0, 1.0])[1].shape\n(2,)",
    ),
    (
        "findfreqs",
        "num, den, N, kind='ba'",
        "The frequencies at which the response of an analog filter changes.",
        ("ndarray", "N frequencies, logarithmically spaced."),
        "signal.findfreqs([1.0], [1.0, 1.0], 5).shape\n(5,)",
    ),
    (
        "tf2zpk",
        "b, a",
        "Zeros, poles and gain of polynomials.",
        _ZPK,
        "signal.tf2zpk([1.0, 2.0], [1.0, 0.5])[0].shape\n(1,)",
    ),
    (
        "zpk2tf",
        "z, p, k",
        "Polynomials of zeros, poles and gain.",
        _BA,
        "signal.zpk2tf([-2.0], [-0.5], 1.0)[0].shape\n(2,)",
    ),
    (
        "tf2sos",
        "b, a, pairing=None, *, analog=False",
        "Sections of second order of polynomials.",
        _SOS,
        "signal.tf2sos([1.0, 2.0], [1.0, 0.5]).shape\n(1, 6)",
    ),
    (
        "sos2tf",
        "sos",
        "Polynomials of sections of second order.",
        _BA,
        "signal.sos2tf([[1.0, 2, 1, 1, 0.5, 0]])[0].shape\n(3,)",
    ),
    (
        "sos2zpk",
        "sos",
        "Zeros, poles and gain of sections of second order.",
        _ZPK,
        "signal.sos2zpk([[1.0, 2, 1, 1, 0.5, 0]])[0].shape\n(2,)",
    ),
    (
        "zpk2sos",
        "z, p, k, pairing=None, *, analog=False",
        "Sections of second order of zeros, poles and gain.",
        _SOS,
        "signal.zpk2sos([-1.0, -1.0], [0.5, 0.4], 1.0).shape\n(1, 6)",
    ),
    (
        "tf2ss",
        "num, den",
        "Matrices of a state from polynomials.",
        _SS,
        "signal.tf2ss([1.0], [1.0, 2.0, 3.0])[0].shape\n(2, 2)",
    ),
    (
        "ss2tf",
        "A, B, C, D, input=0",
        "Polynomials from matrices of a state.",
        _BA,
        "signal.ss2tf([[-1.0]], [[1.0]], [[1.0]], [[0.0]])[1].shape\n(2,)",
    ),
    (
        "zpk2ss",
        "z, p, k",
        "Matrices of a state from zeros, poles and gain.",
        _SS,
        "signal.zpk2ss([], [-1.0, -2.0], 1.0)[0].shape\n(2, 2)",
    ),
    (
        "ss2zpk",
        "A, B, C, D, input=0",
        "Zeros, poles and gain from matrices of a state.",
        _ZPK,
        "signal.ss2zpk([[-1.0]], [[1.0]], [[1.0]], [[0.0]])[1].shape\n(1,)",
    ),
    (
        "residue",
        "b, a, tol=0.001, rtype='avg'",
        "Partial fractions of a ratio of polynomials in s.",
        ("tuple of ndarrays", "Residues, poles and the polynomial that is left."),
        "signal.residue([1.0], [1.0, 3.0, 2.0])[0].shape\n(2,)",
    ),
    (
        "residuez",
        "b, a, tol=0.001, rtype='avg'",
        "Partial fractions of a ratio of polynomials in 1/z.",
        ("tuple of ndarrays", "Residues, poles and the polynomial that is left."),
        "signal.residuez([1.0], [1.0, 3.0, 2.0])[0].shape\n(2,)",
    ),
    (
        "invres",
        "r, p, k, tol=0.001, rtype='avg'",
        "A ratio of polynomials in s from partial fractions.",
        _BA,
        "signal.invres([1.0, -1.0], [-1.0, -2.0], [])[1].shape\n(3,)",
    ),
    (
        "invresz",
        "r, p, k, tol=0.001, rtype='avg'",
        "A ratio of polynomials in 1/z from partial fractions.",
        _BA,
        "signal.invresz([1.0, -1.0], [-1.0, -2.0], [])[1].shape\n(3,)",
    ),
    (
        "unique_roots",
        "p, tol=0.001, rtype='min'",
        "Roots that are apart, and how often each is there.",
        ("tuple of two ndarrays", "Roots and their multiplicities."),
        "signal.unique_roots([1.0, 1.0, 2.0])[1].tolist()\n[2, 1]",
    ),
]

globals().update({row[0]: forwarded(*row) for row in _TABLE})


# --- Formulas ---


@documented(
    "The beta of Kaiser's window for an attenuation.",
    ("float", "Of `windows.kaiser`."),
    """>>> from tenorite.scipy import signal
    >>> signal.kaiser_beta(10)
    0.0""",
    "Kaiser, 1974.",
)
def kaiser_beta(a):
    if a > 50:
        return 0.1102 * (a - 8.7)
    return 0.5842 * (a - 21) ** 0.4 + 0.07886 * (a - 21) if a > 21 else 0.0


@documented(
    "The attenuation that Kaiser's window of a length gives.",
    ("float", "In decibels."),
    """>>> from tenorite.scipy import signal
    >>> round(signal.kaiser_atten(11, 0.5), 4)
    43.8427""",
    "Kaiser, 1974.",
)
def kaiser_atten(numtaps, width):
    return 2.285 * (numtaps - 1) * math.pi * width + 7.95


@documented(
    "The length of Kaiser's window and its beta, for a filter with a ripple and a transition.",
    ("tuple of int and float", "The number of coefficients, and beta."),
    """>>> from tenorite.scipy import signal
    >>> signal.kaiserord(40, 0.1)[0]
    46""",
    "Kaiser, 1974.",
    ("ValueError", "For a ripple below 8 dB."),
)
def kaiserord(ripple, width):
    attenuation = abs(ripple)
    if attenuation < 8:
        raise ValueError(f"Requested maximum ripple attenuation {attenuation:f} is too small for the Kaiser formula.")
    numtaps = (attenuation - 7.95) / 2.285 / (math.pi * width) + 1
    return int(math.ceil(numtaps)), kaiser_beta(attenuation)


def checked_rate(fs, allow_none=True):
    """A sampling frequency as a float, or None."""
    if fs is None:
        if not allow_none:
            raise ValueError("Sampling frequency can not be none.")
        return None
    if not numpy.isscalar(fs) and getattr(fs, "ndim", None) != 0:
        raise ValueError("Sampling frequency fs must be a single scalar.")
    return float(fs)


# What pass_zero says: the gain at frequency 0, and which numbers of edges there may be.
_KINDS = {"lowpass": (True, 1), "bandstop": (True, 2), "highpass": (False, 1), "bandpass": (False, 2)}


def _edges_of_bands(cutoff, nyquist, pass_zero, numtaps):
    """Pairs of the edges of passbands, 1 being the Nyquist frequency."""
    cutoff = numpy.atleast_1d(numpy.asarray(fetched(cutoff), dtype=float)) / float(nyquist)
    if cutoff.ndim > 1:
        raise ValueError("The cutoff argument must be at most one-dimensional.")
    if cutoff.size == 0:
        raise ValueError("At least one cutoff frequency must be given.")
    if cutoff.min() <= 0 or cutoff.max() >= 1:
        raise ValueError("Invalid cutoff frequency: frequencies must be greater than 0 and less than fs/2.")
    if (numpy.diff(cutoff) <= 0).any():
        raise ValueError("Invalid cutoff frequencies: the frequencies must be strictly increasing.")
    if isinstance(pass_zero, str) and pass_zero in _KINDS:
        kind, (pass_zero, least) = pass_zero, _KINDS[pass_zero]
        if least == 1 and cutoff.size != 1:
            raise ValueError(f'cutoff must have one element if pass_zero=="{kind}", got {cutoff.shape}')
        if least == 2 and cutoff.size <= 1:
            raise ValueError(f'cutoff must have at least two elements if pass_zero=="{kind}", got {cutoff.shape}')
    elif pass_zero is not True and pass_zero is not False:
        raise ValueError(f"Parameter {pass_zero=} not in (True, False, 'bandpass', 'lowpass', 'highpass', 'bandstop')")
    pass_nyquist = (cutoff.size % 2 == 0) == pass_zero
    if pass_nyquist and numtaps % 2 == 0:
        raise ValueError(
            "A filter with an even number of coefficients must have zero response at the Nyquist frequency."
        )
    return numpy.hstack(([0.0] * pass_zero, cutoff, [1.0] * pass_nyquist)).reshape(-1, 2).tolist()


@beside
@documented(
    "A filter of linear phase by a window.",
    _TAPS,
    """>>> from tenorite.scipy import signal
    >>> signal.firwin(3, 0.1).round(4)
    array([0.068, 0.864, 0.068])""",
    "The ideal response's series, weighted by the window (Oppenheim and Schafer, 1989).",
    (
        "ValueError",
        "For edges that do not ascend within the band, and for an even length where the gain at the "
        "Nyquist frequency is not 0.",
    ),
)
def firwin(numtaps, cutoff, width=None, window="hamming", pass_zero=True, scale=True, fs=None):
    numtaps = numtaps if isinstance(numtaps, float) else operator.index(numtaps)
    fs = checked_rate(fs)
    nyquist = 0.5 * (2 if fs is None else fs)
    bands = _edges_of_bands(cutoff, nyquist, pass_zero, numtaps)
    if width is not None:
        window = ("kaiser", kaiser_beta(kaiser_atten(numtaps, float(width) / nyquist)))
    n = _core.arange(numtaps, dtype=float) - 0.5 * (numtaps - 1)
    taps = _core.zeros(numtaps)
    for left, right in bands:
        taps += right * _core._sinc(right * n)
        if left:
            taps -= left * _core._sinc(left * n)
    taps *= get_window(window, numtaps, fftbins=False)
    if scale:
        left, right = bands[0]
        middle = 0.0 if left == 0 else 1.0 if right == 1 else 0.5 * (left + right)
        taps /= (taps * _core.cos(math.pi * middle * n)).sum()
    return taps
