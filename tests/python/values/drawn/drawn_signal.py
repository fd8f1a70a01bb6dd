"""What parameters of signal's functions may be in drawn calls."""

import numpy as np
import scipy.signal as THEIRS
import tenorite as tn
from drawn import ABSENT, Pair, Rule, integer, real, seldom, side
from tenorite.scipy import signal as OURS

WINDOWS = ("hann", "boxcar", ("kaiser", 3.0), ("tukey", 0.3), "blackman", "hamming_symmetric", ("gaussian", 4.0))
DTYPES = ("d", "d", "d", "f", "F", "D", "l", "?")
REAL = ("d", "d", "f", "l")
LENGTHS = (1, 2, 3, 7, 13, 30)


def signal_of(dtypes=DTYPES, lengths=LENGTHS, ranks=(1, 1, 2, 3)):
    return lambda draw: draw.array(draw.shape(ranks, lengths, 0.02), dtypes)


def line(dtypes=REAL, low=1, high=20):
    return lambda draw: draw.array((draw.integer(low, high),), dtypes)


def axis(draw):
    return draw.axis(next(name for name in ("x", "data", "Iin", "in1", "signal") if name in draw.made))


def second(draw):
    shape = draw.shape_of("in1")
    return draw.array([draw.integer(1, max(n, 1) + 2) for n in shape], DTYPES)


def stable(draw):
    """A denominator whose roots lie inside the circle."""
    roots = draw.numbers.uniform(-0.9, 0.9, draw.integer(0, 4))
    return draw.like(np.atleast_1d(np.poly(roots) * draw.choice(1.0, 1.0, 2.0)))


def numerator(draw):
    return draw.like(draw.numbers.standard_normal(draw.integer(1, 5)))


def sections(draw):
    count = draw.integer(1, 3)
    made = np.zeros((count, 6))
    made[:, :3] = draw.numbers.standard_normal((count, 3))
    for row in made:
        row[3:] = np.poly(draw.numbers.uniform(-0.9, 0.9, 2))
    return draw.like(made)


def states(draw):
    x, k = side(draw.made["x"], "host"), draw.made.get("axis", -1)
    if k is None or not -x.ndim <= k < x.ndim:
        return ABSENT
    shape = list(x.shape)
    if "sos" in draw.made:
        shape[k] = 2
        shape = [draw.shape_of("sos")[0], *shape]
    else:
        shape[k] = max(draw.shape_of("a")[0], draw.shape_of("b")[0]) - 1
    return draw.array(shape, ("d",))


def roots(draw):
    count = draw.integer(0, 2)
    values = draw.numbers.standard_normal(count) + 1j * draw.numbers.standard_normal(count)
    return draw.like(np.r_[values, values.conj(), draw.numbers.standard_normal(draw.integer(0, 2))])


def poles(draw):
    count = draw.integer(1, 2)
    values = -draw.numbers.random(count) - 0.1 + 1j * draw.numbers.random(count)
    return draw.like(np.r_[values, values.conj(), -draw.numbers.random(draw.integer(0, 2)) - 0.1])


def cutoff(draw):
    """One frequency or two, as the kind of filter wants it; others are refused."""
    low = draw.numbers.uniform(0.05, 0.4)
    return draw.choice([round(low, 3), round(low + 0.4, 3)], round(low, 3))


def edges(draw):
    low = round(float(draw.numbers.uniform(0.05, 0.4)), 3)
    if draw.chance(0.5):
        draw.made["edges"] = (low, low + 0.2) if draw.chance(0.5) else (low + 0.2, low)
        return draw.made["edges"][0]
    pair = [low + 0.1, low + 0.3], [low, low + 0.4]
    draw.made["edges"] = pair if draw.chance(0.5) else pair[::-1]
    return draw.made["edges"][0]


def system(draw):
    if draw.chance(0.5):
        return [numerator(draw).host[:2].tolist(), stable(draw).host.tolist() + [0.5]]
    a = draw.numbers.standard_normal((2, 2)) - 2 * np.eye(2)
    return [a.tolist(), [[1.0], [0.5]], [[1.0, 0.0]], [[0.0]]]


def discrete(draw):
    return [numerator(draw).host[:1].tolist(), stable(draw).host.tolist(), 0.1]


def peaks_of(draw):
    size = draw.choice(0, 1, 5, 30, 90)
    values = draw.numbers.standard_normal(size)
    kind = draw.integer(0, 2)
    return draw.like(np.round(values) if kind == 0 else np.cumsum(values) if kind == 1 else values)


def condition(draw):
    low, high = sorted(draw.numbers.uniform(0, 4, 2).round(2).tolist())
    return draw.choice(low, (low, high), (None, high))


def found_peaks(draw):
    x = side(draw.made["x"], "host")
    return draw.like(THEIRS.find_peaks(x)[0] if x.ndim == 1 else np.arange(1))


def widths(draw):
    return draw.like(np.arange(1, draw.integer(2, 5)) * 1.0)


def greater(draw):
    return Pair(np.greater, tn.greater)


def packed(draw):
    """A line without gaps, which SciPy does not see."""
    return draw.like(draw.numbers.standard_normal(draw.integer(30, 60)).astype(draw.choice("d", "d", "f")))


def noise(draw):
    """Values without equal ones, of which none is 0."""
    return draw.like(draw.numbers.standard_normal((draw.integer(1, 2), draw.integer(8, 30))))


def image2(dtypes=("d", "d", "f", "l")):
    return lambda draw: draw.array((draw.integer(1, 9), draw.integer(1, 9)), dtypes)


def odd(draw):
    return draw.choice(1, 3, 3, 5, 2) if draw.chance(0.9) else None


def kernel_size(draw):
    name = "volume" if "volume" in draw.made else "input" if "input" in draw.made else "im"
    return draw.choice(3, 1, [draw.choice(1, 3, 5) for _ in range(draw.ndim(name))], 2 if draw.chance(0.1) else 3)


def domain(draw):
    return draw.like(draw.numbers.integers(0, 2, [draw.choice(1, 3) for _ in range(draw.ndim("a"))]))


NOT_GIVEN = dict.fromkeys("plot nyq parallel texture".split())
PARAMETERS = NOT_GIVEN | {
    "x": signal_of(),
    "y": lambda draw: draw.array(draw.shape_of("x"), DTYPES),
    "axis": axis,
    "axes": None,
    "fs": seldom((1.0, 2.0, 10.0), (0.5,), 0.2),
    "window": WINDOWS,
    "nperseg": (1, 2, 5, 8, 16),
    "noverlap": (0, 1, 3),
    "nfft": (8, 16, 33),
    "detrend": (False, "constant", "linear"),
    "return_onesided": (True, False),
    "scaling": ("density", "spectrum"),
    "average": ("mean", "median"),
    "mode": seldom(("full", "same", "valid"), ("none",), 0.03),
    "boundary": ("zeros", "even", "odd", "constant", None),
    "padded": (True, False),
    # --- Convolution ---
    "in1": signal_of(lengths=(1, 2, 3, 5, 9)),
    "in2": second,
    "method": ("auto", "direct", "fft"),
    "measure": None,
    "in1_len": integer(1, 9),
    "in2_len": integer(1, 9),
    "fillvalue": (0, 1, -2),
    "signal": line(low=2),
    "divisor": numerator,
    # --- Filters ---
    "b": numerator,
    "a": stable,
    "sos": sections,
    "zi": states,
    "padtype": ("odd", "even", "constant", None),
    "padlen": (0, 1, 5),
    "irlen": (None, 9),
    "h": numerator,
    "up": integer(1, 4),
    "down": integer(1, 4),
    "q": integer(1, 4),
    "n": integer(1, 4),
    "zero_phase": (True, False),
    "ftype": ("iir", "fir"),
    "num": integer(1, 20),
    "t": None,
    "domain": ("time", "freq"),
    "cval": (0, 1.5, -1),
    "data": signal_of(),
    "type": ("linear", "constant", "l", "c"),
    "bp": (0, [1], [0, 2]),
    "overwrite_data": (False,),
    "N": integer(1, 9),
    "Nx": integer(1, 20),
    "fftbins": (True, False),
    # --- Design ---
    "Wn": cutoff,
    "rp": real(0.1, 3),
    "rs": real(20, 60),
    "btype": ("low", "high", "bandpass", "bandstop"),
    "analog": (False, False, True),
    "output": ("ba", "zpk", "sos"),
    "norm": ("phase", "delay", "mag"),
    "wp": edges,
    "ws": lambda draw: draw.made["edges"][1],
    "gpass": real(0.5, 3),
    "gstop": real(20, 50),
    "numtaps": integer(1, 21),
    "cutoff": cutoff,
    "width": (None, 0.2),
    "pass_zero": (True, False, "lowpass", "bandpass"),
    "scale": (True, False),
    "bands": lambda draw: [0, 0.2, 0.3, 0.5],
    "desired": lambda draw: [1, 1, 0, 0],
    "weight": (None, [1, 2]),
    "maxiter": (25,),
    "grid_density": (16,),
    "z": roots,
    "p": poles,
    "k": real(0.5, 3),
    "wo": real(0.5, 3),
    "bw": real(0.5, 2),
    "pairing": ("nearest", "keep_odd", None),
    "w0": real(0.1, 0.9),
    "Q": real(2, 40),
    "worN": (5, 16, 33, [0.1, 0.5, 1.0]),
    "w": (5, 16, [0.1, 0.5, 1.0]),
    "whole": (True, False),
    "include_nyquist": (True, False),
    "ripple": real(20, 70),
    "tol": (0.001,),
    "rtype": ("avg", "min", "max"),
    "system": system,
    "order": (1, 2, 3),
    "freq": lambda draw: [0.0, 0.4, 0.6, 1.0],
    "gain": lambda draw: [1.0, 1.0, 0.0, 0.0],
    "nfreqs": (None, 33, 65),
    "antisymmetric": (False, True),
    "A": lambda draw: draw.like(draw.numbers.standard_normal((2, 2))),
    "B": lambda draw: draw.like(draw.numbers.standard_normal((2, 1))),
    "C": lambda draw: draw.like(draw.numbers.standard_normal((1, 2))),
    "D": lambda draw: draw.like(draw.numbers.standard_normal((1, 1))),
    "input": (0,),
    "dt": (0.1, 0.5),
    "alpha": (0.5,),
    # --- Spectra ---
    "Zxx": None,
    "m": integer(1, 20),
    "fn": (0.5, [0.1, 0.8]),
    "endpoint": (True, False),
    "freqs": lambda draw: draw.like(draw.numbers.uniform(0.5, 5, draw.integer(2, 6))),
    "precenter": None,
    "normalize": (True, False),
    "weights": lambda draw: draw.like(draw.numbers.uniform(0.5, 1.5, draw.shape_of("x"))),
    "floating_mean": (True, False),
    "events": lambda draw: draw.like(draw.numbers.uniform(0, 9, draw.integer(1, 8))),
    "period": (1.0, 2.5, [1.0, 3.0]),
    "win": line(("d",), 3, 12),
    "hop": integer(1, 4),
    "desired_dual": None,
    "scaled": (True, False),
    # --- Peaks ---
    "height": condition,
    "threshold": condition,
    "distance": real(1, 9),
    "prominence": condition,
    "plateau_size": condition,
    "wlen": (2, 5, 30),
    "rel_height": (0.5, 0.3, 1.0),
    "peaks": found_peaks,
    "prominence_data": None,
    "comparator": greater,
    "vector": peaks_of,
    "widths": widths,
    "wavelet": None,
    "max_distances": None,
    "gap_thresh": None,
    "min_length": None,
    "min_snr": (1, 2),
    "noise_perc": (10, 20),
    "window_size": None,
    # --- Smoothing ---
    "volume": signal_of(("d", "f", "l", "B"), (1, 3, 5, 9), (1, 2, 2, 3)),
    "kernel_size": kernel_size,
    "im": image2(),
    "mysize": (3, 5, [3, 5]),
    "noise": (None, 0.5),
    "window_length": (3, 5, 7, 4),
    "polyorder": (0, 1, 2, 3),
    "deriv": (0, 1, 2),
    "delta": (1.0, 0.5),
    "pos": (None, 1),
    "use": ("conv", "dot"),
    "lamb": (0.0, 1.0),
    "lmbda": (5.0, 1.0),
    "precision": None,
    "cj": line(("d",), 4, 9),
    "newx": lambda draw: draw.like(draw.numbers.uniform(-2, 12, draw.integer(1, 6))),
    "dx": (1.0, 0.5),
    "x0": (0, 1),
    "Iin": image2(("d", "f")),
    "hrow": lambda draw: draw.like(draw.numbers.standard_normal(3)),
    "hcol": lambda draw: draw.like(draw.numbers.standard_normal(3)),
    "r": real(0.1, 0.25),
    "omega": real(0.3, 2.0),
    "c0": (1.0, 0.5),
    "z1": (0.3, -0.5),
    # --- Waveforms ---
    "f0": real(1, 5),
    "t1": real(1, 3),
    "f1": real(6, 9),
    "phi": (0, 90, 45.5),
    "vertex_zero": (True, False),
    "complex": (True, False),
    "duty": (0.5, 0.2),
    "fc": (1000, 5.0),
    "bwr": (-6, -3),
    "tpr": (-60, -40),
    "retquad": (False, True),
    "retenv": (False, True),
    "poly": lambda draw: draw.numbers.standard_normal(3),
    "shape": (5, (3, 4), [2]),
    "idx": (None, "mid", 0, (1,)),
    "dtype": (float, "f", "D"),
    "nbits": integer(2, 6),
    "state": None,
    "length": (3, 20),
    "taps": None,
    "hk": numerator,
    "points": integer(1, 12),
    "s": real(0.5, 3),
    "complete": (True, False),
    "M": integer(0, 14),
}
TIMES = line(("d", "d", "f"), 1, 12)
for _name in ("sawtooth", "square", "chirp", "gausspulse", "sweep_poly"):
    PARAMETERS[f"{_name}.t"] = TIMES
for _name in ("find_peaks", "peak_prominences", "peak_widths"):
    PARAMETERS[f"{_name}.x"] = peaks_of
for _name in ("argrelextrema", "argrelmax", "argrelmin"):
    PARAMETERS |= {f"{_name}.data": signal_of(("d", "l", "f")), f"{_name}.mode": ("clip", "wrap")}
for _name in ("tf2sos", "tf2ss", "tf2zpk", "normalize", "residue", "residuez", "lp2bp", "lp2bs", "lp2hp", "lp2lp"):
    PARAMETERS |= {f"{_name}.num": numerator, f"{_name}.den": stable}
for _name in ("symiirorder1", "symiirorder2", "cspline1d", "qspline1d"):
    PARAMETERS |= {f"{_name}.signal": packed, f"{_name}.input": packed}
for _name in ("resample_poly", "upfirdn"):
    PARAMETERS[f"{_name}.mode"] = ("constant", "symmetric", "reflect", "edge", "wrap", "line", "smooth")
PARAMETERS |= {
    "hilbert.x": signal_of(REAL),
    "hilbert2.x": image2(REAL),
    "hilbert2.N": (None, 5, (3, 4)),
    "savgol_filter.mode": ("interp", "mirror", "nearest", "constant", "wrap"),
    "savgol_filter.x": signal_of(REAL),
    "savgol_coeffs.window_length": (3, 5, 7, 4),
    "spectrogram.mode": ("psd", "complex", "magnitude", "angle", "phase"),
    "resample.window": (None, "hann", "hamming"),
    "resample_poly.window": ("hamming", ("kaiser", 5.0)),
    "resample_poly.padtype": ("constant", "line", "mean", "median", "maximum", "minimum"),
    "decimate.x": signal_of(lengths=(13, 30, 40)),
    "kaiserord.width": real(0.1, 0.5),
    "kaiser_atten.width": real(0.1, 0.5),
    "kaiser_beta.a": real(10, 70),
    "order_filter.a": signal_of(REAL, (1, 3, 5, 9), (1, 2)),
    "order_filter.domain": domain,
    "order_filter.rank": (0, 1),
    "medfilt2d.input": image2(("d", "f", "B")),
    "medfilt2d.kernel_size": (3, 1, [3, 5]),
    "sepfir2d.input": image2(("d",)),
    "coherence.x": noise,
    "coherence.y": lambda draw: draw.like(draw.numbers.standard_normal(draw.shape_of("x"))),
    "coherence.nperseg": (5, 7),
    "coherence.detrend": None,
    "coherence.axis": None,
    "coherence.window": ("hann", "hamming"),
    "correlate.in1": signal_of(DTYPES[:-1], (1, 2, 3, 5, 9)),
    "cspline2d.signal": image2(("d", "f")),
    "qspline2d.signal": image2(("d", "f")),
    "deconvolve.signal": line(low=2),
    "deconvolve.divisor": lambda draw: draw.like(np.r_[1.0, numerator(draw).host]),
    "lfiltic.y": line(("d",), 0, 4),
    "lfiltic.x": line(("d",), 0, 4),
    "gauss_spline.x": line(("d",)),
    "gauss_spline.n": integer(0, 4),
    "convolve2d.in1": image2(DTYPES),
    "convolve2d.boundary": ("fill", "wrap", "symm"),
    "correlate2d.in1": image2(DTYPES),
    "correlate2d.boundary": ("fill", "wrap", "symm"),
    "lombscargle.x": line(("d",), 2, 12),
    "lombscargle.y": lambda draw: draw.array(draw.shape_of("x"), ("d",)),
    "lombscargle.normalize": (True, False, "power", "normalize", "amplitude"),
    "stft.scaling": ("spectrum", "psd"),
    "check_COLA.window": WINDOWS,
    "czt.w": (None, 0.995 + 0.1j),
    "czt.a": (1, 1.0 + 0.1j),
    "czt_points.w": (None, 0.995 + 0.1j),
    "czt_points.a": (1, 1.0 + 0.1j),
    "find_peaks.width": condition,
    "firwin.window": ("hamming", "hann", ("kaiser", 4.0)),
    "firwin2.window": ("hamming", "hann", None),
    "minimum_phase.h": lambda draw: draw.like(THEIRS.firwin(draw.choice(5, 7, 9), 0.4)),
    "minimum_phase.method": ("homomorphic", "hilbert"),
    "minimum_phase.n_fft": (None, 64, 128),
    "minimum_phase.half": (True, False),
    "remez.type": ("bandpass", "hilbert"),
    "remez.desired": lambda draw: [1, 0],
    "remez.numtaps": (9, 12, 15),
    "firls.numtaps": (5, 9, 10),
    "gammatone.ftype": ("iir", "fir"),
    "gammatone.freq": real(0.1, 0.4),
    "gammatone.numtaps": (None, 9),
    "iircomb.w0": (0.1, 0.25, 0.5),
    "iircomb.ftype": ("notch", "peak"),
    "iircomb.fs": (2.0,),
    "iircomb.pass_zero": (True, False),
    "iirdesign.ftype": ("ellip", "butter", "cheby1", "cheby2"),
    "iirfilter.ftype": ("butter", "cheby1", "cheby2", "ellip"),
    "iirfilter.N": integer(1, 5),
    "morlet.w": (5.0, 3),
    "morlet2.w": (5.0, 3),
    "ricker.a": real(0.5, 3),
    "sawtooth.width": (1, 0.3),
    "sos2tf.sos": sections,
    "unique_roots.p": roots,
    "invres.r": lambda draw: draw.like(draw.numbers.standard_normal(2)),
    "invresz.r": lambda draw: draw.like(draw.numbers.standard_normal(2)),
    "invres.p": lambda draw: draw.like(np.array([-0.5, 0.3])),
    "invresz.p": lambda draw: draw.like(np.array([-0.5, 0.3])),
    "invres.k": (np.zeros(0), np.ones(1)),
    "invresz.k": (np.zeros(0), np.ones(1)),
    "findfreqs.num": numerator,
    "findfreqs.den": stable,
    "findfreqs.kind": ("ba",),
    "cont2discrete.method": ("zoh", "foh", "bilinear", "euler", "backward_diff", "impulse"),
    "bode.w": (None, [0.1, 1.0]),
    "freqresp.w": (None, [0.1, 1.0]),
    "bode.n": (20,),
    "freqresp.n": (20,),
    "dbode.system": discrete,
    "dfreqresp.system": discrete,
    "dbode.n": (20,),
    "dfreqresp.n": (20,),
    "dbode.w": (None, [0.1, 1.0]),
    "dfreqresp.w": (None, [0.1, 1.0]),
    "dimpulse.system": discrete,
    "dstep.system": discrete,
    "dlsim.system": discrete,
    "dlsim.u": line(("d",), 3, 9),
    "impulse.N": (10, 20),
    "step.N": (10, 20),
    "dimpulse.n": (5, 10),
    "dstep.n": (5, 10),
    "X0": None,
    "T": None,
    "x0": None,
    "cspline1d_eval.x0": (0, 1),
    "qspline1d_eval.x0": (0, 1),
    "interp": None,
    "U": None,
}
# Windows have their own names for shapes.
SHAPES = {"alpha": (0.5, 0.3), "beta": (3.0, 8.6), "std": (2.0, 3.5), "p": (1.0, 1.5), "sig": (2.0,), "at": (50, 100)}
SHAPES |= {"center": None, "tau": (1.0, 3.0), "sym": (True, False), "a": ([0.5, 0.5], [0.4, 0.3, 0.3])}
SHAPES |= {"nbar": (4, 3), "sll": (30, 40), "norm": (True, False), "NW": (2.0, 2.5), "Kmax": (None, 2, 3)}
SHAPES |= {"return_ratios": None}
_WINDOWS = [f"windows.{name}" for name in OURS.windows.__all__ if name != "get_window"]
for _name in _WINDOWS:
    PARAMETERS |= {f"{_name}.{key}": value for key, value in SHAPES.items()}
PARAMETERS |= {"windows.dpss.norm": (None, 2, "approximate", "subsample"), "windows.dpss.M": integer(6, 14)}
PARAMETERS |= {"windows.kaiser_bessel_derived.M": (2, 4, 8, 10), "windows.exponential.center": None}

# What stands beside SciPy in files of its own: classes, text of kernels, what has no reference.
LEFT_OUT = set(
    "BadCoefficients CZT ZoomFFT ShortTimeFFT StateSpace TransferFunction ZerosPolesGain lti dlti windows istft "
    "band_stop_obj choose_conv_method cwt morlet morlet2 ricker place_poles lsim closest_STFT_dual_window "
    "firwin_2d abcd_normalize sosfreqz".split()
)
NAMES = [name for name in OURS.__all__ if name not in LEFT_OUT and hasattr(THEIRS, name)] + _WINDOWS
# Powers of chirps; and single precision stays it where SciPy's constants are double.
RULES = {name: Rule(1e4) for name in NAMES} | {"czt": Rule(1e9), "zoom_fft": Rule(1e9)}
# SciPy ends sums for a beginning with the first term below a precision, ours after the last above;
# of two poles SciPy's precision at the far end is the root of that.
RULES |= {"symiirorder1": Rule(1e6), "symiirorder2": Rule(1e13)}
RULES["spline_filter"] = lambda call: Rule(1e6 if call.width() == 2 else 1e13)
RULES |= dict.fromkeys(("sawtooth", "square"), Rule(1e4, since="1.18"))
RULES["lombscargle"] = Rule(1e6)  # three values are as many as a fit with a mean has unknowns
RULES |= dict.fromkeys(("chirp", "gausspulse", "resample", "sweep_poly"), Rule(1e5, is_single=True))
METHODS = {}


def is_angle(call):
    """The angle of what is nearly 0."""
    return call.draw.made.get("mode") in ("angle", "phase")


def has_equals(call):
    """Which of equal peaks go first is not said."""
    values = side(call.draw.made["x"], "host")
    return "distance" in call.draw.made and len(np.unique(values)) < len(values)


def is_one_element(call):
    """SciPy divides by 0 where a line of one element is mirrored, which ends the process."""
    made = call.draw.made
    given = made.get("axis", -1)
    shape = call.draw.shape_of("x")
    return 0 in shape or "mode" in made and not (-len(shape) <= given < len(shape) and shape[given] > 1)


def has_no_state(call):
    """A filter of one factor has none, which is a ValueError in SciPy before 1.18."""
    return all(np.size(side(call.draw.made[name], "host")) < 2 for name in "ab")


def is_empty(call):
    return any(np.size(side(one, "host")) == 0 for one in call.draw.made.values() if isinstance(one, Pair))


def is_line_of_one(call):
    """A line through one element has any slope; SciPy's is NaN."""
    made = call.draw.made
    return made.get("padtype") == "line" and 1 in call.draw.shape_of("x")


UNDEFINED = {"spectrogram": is_angle, "find_peaks": has_equals, "upfirdn": is_one_element, "detrend": is_empty}
UNDEFINED["resample_poly"] = is_line_of_one
# SciPy sets no states after no elements, and mirrors no borders of one row.
UNDEFINED |= {"lfilter": is_empty, "sosfilt": is_empty}
UNDEFINED |= dict.fromkeys(("lfilter_zi", "filtfilt"), has_no_state)
UNDEFINED["sepfir2d"] = lambda call: min(call.draw.shape_of("input")) < 2
