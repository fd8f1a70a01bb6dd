"""Docstrings from a few words: what a parameter of a name means is said once."""

import inspect

# Name, or function.name -> type and text of a parameter.
PARAMETERS = {
    "M": ("int", "The number of points; none make an empty window."),
    "sym": ("bool", "Whether the window is symmetric, as filters want it, or a period for spectra."),
    "alpha": ("float", "The shape: the first coefficient, or the part that is not flat."),
    "beta": ("float", "The shape: larger ones make the main lobe wider and the others lower."),
    "std": ("float", "The standard deviation in points."),
    "general_gaussian.p": ("float", "The shape: 1 is a Gaussian, 0.5 a Laplace distribution."),
    "p": ("array_like", "The poles."),
    "sig": ("float", "The standard deviation in points."),
    "at": ("float", "The attenuation of the side lobes in decibels."),
    "center": ("float", "Where the largest value is; the middle if not given."),
    "tau": ("float", "In how many points the window decays by e."),
    "nbar": ("int", "The number of side lobes near the main one of the same height."),
    "sll": ("float", "How far below the main lobe these are in decibels."),
    "taylor.norm": ("bool", "Whether the middle value is 1."),
    "NW": ("float", "Half the product of length and bandwidth."),
    "Kmax": ("int or None", "How many windows; None is one, without an axis of its own."),
    "dpss.norm": ("{2, 'approximate', 'subsample'} or None", "What is 1: the sum of squares, or the middle value."),
    "return_ratios": ("bool", "Whether the concentrations are returned, too."),
    "get_window.window": ("str, float or tuple", "A name, a tuple of it and parameters, or the beta of Kaiser's."),
    "Nx": ("int", "The number of points."),
    "fftbins": ("bool", "Whether the window is a period, for spectra, or symmetric."),
    "general_cosine.a": ("array_like", "The coefficients, without their signs."),
    # --- Design ---
    "N": ("int", "The order."),
    "Wn": ("float or array_like", "Where the gain has fallen: one frequency, or two of a band."),
    "rp": ("float", "The ripple of the passband in decibels."),
    "rs": ("float", "The attenuation of the stopband in decibels."),
    "btype": ("str", "lowpass, highpass, bandpass or bandstop."),
    "analog": ("bool", "Whether the filter is an analog one, with angular frequencies."),
    "output": ("{'ba', 'zpk', 'sos'}", "Polynomials, zeros with poles and gain, or sections of second order."),
    "fs": ("float", "The sampling frequency, in whose units frequencies are."),
    "wp": ("float or array_like", "The edges of the passband."),
    "ws": ("float or array_like", "The edges of the stopband."),
    "gpass": ("float", "The largest loss in the passband in decibels."),
    "gstop": ("float", "The least attenuation in the stopband in decibels."),
    "ftype": ("str", "The kind of filter."),
    "norm": ("{'phase', 'delay', 'mag'}", "What is 1 at the frequency: where it is defined."),
    "ind": ("int", "Which of the edges of the passband is varied."),
    "passb": ("array_like", "The edges of the passband."),
    "stopb": ("array_like", "The edges of the stopband."),
    "type": ("str", "The kind of filter."),
    "b": ("array_like", "The numerator: coefficients of falling powers."),
    "a": ("array_like", "The denominator: coefficients of falling powers."),
    "num": ("array_like", "The numerator: coefficients of falling powers."),
    "den": ("array_like", "The denominator: coefficients of falling powers."),
    "z": ("array_like", "The zeros."),
    "k": ("float", "The gain."),
    "sos": ("(n, 6) array_like", "Sections of second order: numerators and denominators."),
    "w0": ("float", "The frequency that is removed or kept."),
    "Q": ("float", "The frequency over the bandwidth at -3 dB."),
    "freq": ("float or array_like", "The frequency, or the points where the gain is given."),
    "gain": ("array_like", "The gains at these points."),
    "order": ("int", "The order of the filter."),
    "numtaps": ("int", "The number of coefficients."),
    "cutoff": ("float or array_like", "The edges of bands, ascending."),
    "width": ("float", "The width of the transition, from which Kaiser's window is chosen."),
    "window": ("str or tuple or array_like", "The window, as `get_window` takes it, or its values."),
    "pass_zero": ("bool or str", "Whether the gain at frequency 0 is 1; or the kind of filter."),
    "scale": ("bool", "Whether the gain is 1 in the middle of the first passband."),
    "nfreqs": ("int", "The number of points at which the gain is interpolated."),
    "antisymmetric": ("bool", "Whether the coefficients are antisymmetric."),
    "nyq": ("float", "Not used: CuPy has it."),
    "hsize": ("tuple of two ints", "The lengths of both axes."),
    "fc": ("float", "The edge of the passband of a circular window."),
    "circular": ("bool", "Whether the window depends on the distance from the middle alone."),
    "bands": ("array_like", "The edges of bands, ascending, two each."),
    "desired": ("array_like", "The gains of bands, or at their edges."),
    "weight": ("array_like", "The weights of bands."),
    "maxiter": ("int", "How many steps are taken at most."),
    "grid_density": ("int", "How many points a coefficient are looked at."),
    "h": ("array_like", "The coefficients of a filter of linear phase."),
    "method": ("str", "The method."),
    "n_fft": ("int", "The length of the transforms."),
    "half": ("bool", "Whether the result is half as long, with the root of the gain."),
    "ripple": ("float", "The largest deviation in decibels."),
    "kaiser_beta.a": ("float", "The attenuation in decibels."),
    "kaiser_atten.width": ("float", "The width of the transition, 1 being the Nyquist frequency."),
    "kaiserord.width": ("float", "The width of the transition, 1 being the Nyquist frequency."),
    "wo": ("float", "The frequency of the result."),
    "bw": ("float", "The width of the band."),
    "pairing": ("{'nearest', 'keep_odd', 'minimal'} or None", "How zeros and poles come together."),
    "findfreqs.N": ("int", "The number of frequencies."),
    "kind": ("{'ba', 'zp'}", "Whether polynomials or their roots are given."),
    "A": ("array_like", "The matrix of the state."),
    "B": ("array_like", "The matrix of the input."),
    "C": ("array_like", "The matrix of the output."),
    "D": ("array_like", "The matrix from the input to the output."),
    "input": ("int", "The input that is looked at."),
    "system": ("lti, dlti or tuple", "A system, or polynomials, zeros with poles and gain, or matrices."),
    "dt": ("float", "The sampling time."),
    "cont2discrete.alpha": ("float", "The weight of the bilinear method."),
    "tol": ("float", "How far roots may be apart that are one."),
    "rtype": ("{'avg', 'min', 'max'}", "Which of roots that are one stands for them."),
    "unique_roots.p": ("array_like", "Roots."),
    "r": ("array_like", "The residues."),
    "invres.p": ("array_like", "The poles."),
    "invresz.p": ("array_like", "The poles."),
    "invres.k": ("array_like", "The polynomial that is added."),
    "invresz.k": ("array_like", "The polynomial that is added."),
    "poles": ("array_like", "The poles that are wanted."),
    "rtol": ("float", "The relative change of the determinant at which is stopped."),
    # --- Spectra ---
    "x": ("array_like", "The signal."),
    "y": ("array_like", "The other signal."),
    "nperseg": ("int", "The length of segments."),
    "noverlap": ("int", "How many elements neighbouring segments share; half of them if not given."),
    "nfft": ("int", "The length of transforms, if zeros are to follow the segments."),
    "detrend": ("str, callable or False", "What is removed of segments: their mean or their line."),
    "return_onesided": ("bool", "Whether spectra of real signals have no negative frequencies."),
    "scaling": ("str", "Whether the result is a density or a spectrum."),
    "axis": ("int", "The axis."),
    "average": ("{'mean', 'median'}", "What becomes of the segments' spectra."),
    "mode": ("str", "psd, complex, magnitude, angle or phase."),
    "boundary": ("str or None or bool", "How the signal goes on beyond its ends, or whether it was so."),
    "padded": ("bool", "Whether zeros follow the signal to fill the last segment."),
    "Zxx": ("array_like", "The transform."),
    "input_onesided": ("bool", "Whether it has no negative frequencies."),
    "time_axis": ("int", "The axis of times."),
    "freq_axis": ("int", "The axis of frequencies."),
    "check_COLA.tol": ("float", "How far the sums may be from their median."),
    "check_NOLA.tol": ("float", "What the sums exceed."),
    "win": ("array_like", "The window."),
    "hop": ("int", "How many samples lie between slices."),
    "desired_dual": ("array_like", "The dual window that is wanted; ones if not given."),
    "scaled": ("bool", "Whether the desired window may be multiplied by a number."),
    "lombscargle.x": ("array_like", "The times of samples."),
    "lombscargle.y": ("array_like", "The samples."),
    "freqs": ("array_like", "Angular frequencies."),
    "precenter": ("bool", "Whether the mean is removed first; SciPy will not have it any more."),
    "lombscargle.normalize": ("bool or str", "'power', 'normalize' (True), or 'amplitude'."),
    "weights": ("array_like", "The weights of samples; equal ones if not given."),
    "floating_mean": ("bool", "Whether a constant is fitted, too."),
    "events": ("array_like", "The times of events."),
    "period": ("float or array_like", "The periods."),
    "m": ("int", "The number of points or frequencies."),
    "czt.w": ("complex", "The ratio of a point to the next; that of the Fourier transform if not given."),
    "czt.a": ("complex", "The first point."),
    "czt_points.w": ("complex", "The ratio of a point to the next; that of the Fourier transform if not given."),
    "czt_points.a": ("complex", "The first point."),
    "fn": ("float or sequence of floats", "The last frequency, or the first and the last."),
    "endpoint": ("bool", "Whether the last frequency is one of them."),
    # --- Wavelets and waveforms ---
    "hk": ("array_like", "The coefficients of a filter."),
    "points": ("int", "The number of points."),
    "s": ("float", "The width."),
    "morlet.w": ("float", "The frequency."),
    "morlet2.w": ("float", "The frequency."),
    "complete": ("bool", "Whether the mean is removed."),
    "ricker.a": ("float", "The width."),
    "data": ("array_like", "The samples."),
    "wavelet": ("callable", "A function that makes a wavelet of a length and a width."),
    "widths": ("array_like", "The widths."),
    "sawtooth.width": ("float or array_like", "The share of the period in which it rises."),
    "duty": ("float or array_like", "The share of the period in which it is 1."),
    "gausspulse.t": ("array_like or 'cutoff'", "The times, or the word for that at which it has decayed."),
    "gausspulse.fc": ("float", "The frequency."),
    "gausspulse.bw": ("float", "The bandwidth as a share of the frequency."),
    "bwr": ("float", "The level that ends the bandwidth in decibels."),
    "tpr": ("float", "The level of the cutoff in decibels."),
    "retquad": ("bool", "Whether the quadrature is returned, too."),
    "retenv": ("bool", "Whether the envelope is returned, too."),
    "f0": ("float", "The frequency at time 0."),
    "t1": ("float", "The time of the other frequency."),
    "f1": ("float", "The frequency at that time."),
    "chirp.method": ("str", "How the frequency goes: linear, quadratic, logarithmic or hyperbolic."),
    "phi": ("float", "The phase in degrees."),
    "vertex_zero": ("bool", "Whether a quadratic sweep has its vertex at time 0."),
    "complex": ("bool", "Whether the result is ``exp(1j phase)``."),
    "poly": ("array_like or poly1d", "The coefficients, of falling powers."),
    "shape": ("int or tuple of ints", "The shape."),
    "idx": ("int or tuple of ints or 'mid'", "The place of the one; the first if not given."),
    "dtype": ("dtype", "The dtype."),
    "nbits": ("int", "The length of the register."),
    "state": ("array_like", "The bits in the register; ones if not given."),
    "length": ("int", "How many bits are made; a period if not given."),
    "taps": ("array_like", "Which bits are added; those of the longest period if not given."),
    # --- Responses ---
    "U": ("array_like", "The inputs, a row for each time."),
    "T": ("array_like", "The times, which are equally spaced."),
    "X0": ("array_like", "The state at first; zero if not given."),
    "interp": ("bool", "Whether the input is linear between times, or stays."),
    "impulse.N": ("int", "The number of times."),
    "step.N": ("int", "The number of times."),
    "u": ("array_like", "The inputs, a row for each time."),
    "t": ("array_like", "The times."),
    "x0": ("array_like", "The state at first; zero if not given."),
    "n": ("int", "The number of times or of frequencies."),
    "w": ("array_like", "The frequencies."),
    "whole": ("bool", "Whether the frequencies go round the whole circle."),
    "worN": ("int or array_like", "How many frequencies, or these."),
    "plot": ("callable", "A function that is called with frequencies and responses."),
    "include_nyquist": ("bool", "Whether the last frequency is Nyquist's."),
}


def parameter(function, name):
    """Type and text of a parameter of a function."""
    return PARAMETERS.get(f"{function}.{name}") or PARAMETERS[name]


def document(function, signature, summary, returns, example, notes="", raises=""):
    """A docstring of numpydoc's sections. `returns` is (type, text) and `raises` (class, text),
    or lists of such pairs."""

    def section(title, pairs):
        pairs = [pairs] if isinstance(pairs, tuple) else pairs
        lines = [f"{head}\n    {text}" if text else head for head, text in pairs]
        return [title, "-" * len(title), *lines, ""] if pairs else []

    taken = []
    for one in signature.parameters.values():
        if one.name == "self":
            continue
        kind, text = parameter(function, one.name)
        taken.append((f"{one.name} : {kind}{', optional' if one.default is not one.empty else ''}", text))
    parts = [summary, ""]
    parts += section("Parameters", taken) + section("Returns", returns) + section("Raises", raises or [])
    parts += ["Notes", "-----", notes, ""] if notes else []
    parts += ["Examples", "--------", *(line.strip(" ") for line in example.strip().splitlines()), ""]
    return "\n".join(parts)


def documented(summary, returns, example, notes="", raises=""):
    """A decorator that gives a function such a docstring."""

    def decorate(function):
        signature = inspect.signature(function)
        function.__doc__ = document(function.__name__, signature, summary, returns, example, notes, raises)
        return function

    return decorate
