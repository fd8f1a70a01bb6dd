"""Signals: windows, spectra, peaks, waveforms, design of filters and systems, under SciPy's names
and those that CuPy has beside them.

A file is imported when one of its names is first used.
"""

from tenorite._lib.lazy import homes_of as _homes_of, lazy_names as _lazy_names

# File -> names.
_CONTENTS = {
    "_analytic": "hilbert hilbert2",
    "_convolution": "choose_conv_method convolve convolve2d correlate correlate2d correlation_lags fftconvolve "
    "oaconvolve sepfir2d",
    "_czt": "CZT ZoomFFT czt czt_points zoom_fft",
    "_design": "band_stop_obj bessel besselap bilinear bilinear_zpk buttap butter buttord cheb1ap cheb1ord cheb2ap "
    "cheb2ord cheby1 cheby2 ellip ellipap ellipord findfreqs firls firwin firwin2 firwin_2d "
    "gammatone iircomb iirdesign iirfilter iirnotch iirpeak invres invresz kaiser_atten kaiser_beta "
    "kaiserord lp2bp lp2bp_zpk lp2bs lp2bs_zpk lp2hp lp2hp_zpk lp2lp lp2lp_zpk minimum_phase normalize "
    "remez residue residuez sos2tf sos2zpk ss2tf ss2zpk tf2sos tf2ss tf2zpk unique_roots "
    "zpk2sos zpk2ss zpk2tf",
    "_errors": "BadCoefficients",
    "_lombscargle": "lombscargle vectorstrength",
    "_recursive": "deconvolve lfilter lfilter_zi lfiltic sosfilt sosfilt_zi",
    "_peaks": "argrelextrema argrelmax argrelmin find_peaks find_peaks_cwt peak_prominences peak_widths",
    "_resampling": "decimate resample resample_poly upfirdn",
    "_responses": "freqs freqs_zpk freqz freqz_sos freqz_zpk group_delay sosfreqz",
    "_short_time": "ShortTimeFFT closest_STFT_dual_window",
    "_smoothing": "detrend medfilt medfilt2d order_filter savgol_coeffs savgol_filter wiener",
    "_spectra": "check_COLA check_NOLA coherence csd periodogram spectrogram welch",
    "_splines": "cspline1d cspline1d_eval cspline2d gauss_spline qspline1d qspline1d_eval qspline2d spline_filter "
    "symiirorder1 symiirorder2",
    "_stft": "istft stft",
    "_systems": "abcd_normalize bode cont2discrete dbode dfreqresp dimpulse dlsim dlti dstep freqresp impulse "
    "lsim lti place_poles StateSpace step TransferFunction ZerosPolesGain",
    "_waveforms": "chirp gausspulse max_len_seq sawtooth square sweep_poly unit_impulse",
    "_wavelets": "cwt morlet morlet2 qmf ricker",
    "_zero_phase": "filtfilt sosfiltfilt",
    "windows": "get_window",
}
_HOMES = _homes_of(_CONTENTS)

__all__ = sorted([*_HOMES, "windows"])
__getattr__, __dir__ = _lazy_names(__name__, _HOMES, ("windows",))
