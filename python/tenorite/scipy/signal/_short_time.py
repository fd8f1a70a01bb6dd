"""ShortTimeFFT: a window, a step and a mode that together are a transform and its inverse.

The window lies on the host, where borders and the dual window are computed, and on each device that
has used it. Slices are cut as a view and transformed in one call (Griffin and Lim, 1984; Grochenig,
Foundations of time-frequency analysis, 2001).
"""

import functools
import math

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside
from tenorite._numpy.padding import pad
from tenorite._numpy.rearranging import moveaxis, roll
from tenorite.fft import fft, fftfreq, fftshift, ifft, ifftshift, irfft, rfft, rfftfreq
from tenorite.scipy.signal._documents import documented
from tenorite.scipy.signal._host import fetched
from tenorite.scipy.signal._segments import cut, detrended, power
from tenorite.scipy.signal._stft import overlapped
from tenorite.scipy.signal.windows._names import get_window

_MODES = ("twosided", "centered", "onesided", "onesided2X")
_PADDING = {
    "zeros": {"mode": "constant"},
    "edge": {"mode": "edge"},
    "even": {"mode": "reflect", "reflect_type": "even"},
    "odd": {"mode": "reflect", "reflect_type": "odd"},
}


def _is_integer(value):
    return isinstance(value, (int, numpy.integer))


def _overlaps(values, hop):
    """The sum of values of all shifts by a multiple of hop, at each place."""
    result = values.copy()
    for k in range(hop, len(values), hop):
        result[k:] += values[:-k]
        result[:-k] += values[k:]
    return result


def _canonical_dual(win, hop):
    if hop > len(win):
        raise ValueError(f"{hop=} is larger than window length of {len(win)} => STFT not invertible!")
    if issubclass(win.dtype.type, numpy.integer):
        raise ValueError(f"Parameter 'win' cannot be of integer type, but {win.dtype=} => STFT not invertible!")
    sums = _overlaps(win.real**2 + win.imag**2, hop)
    if not numpy.all(sums >= numpy.finfo(win.dtype).resolution * sums.max()):
        raise ValueError("Short-time Fourier Transform not invertible!")
    return win / sums


@documented(
    "The dual window that is closest to a desired one.",
    [("ndarray", "The dual window."), ("float or complex", "The factor of the desired one.")],
    """>>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> signal.closest_STFT_dual_window(signal.windows.hann(8, sym=False), 4)[0].shape
    (8,)""",
    "Computed on the host: windows are short.",
    ("ValueError", "For values that are not finite, lengths that differ, and steps that do not invert."),
)
def closest_STFT_dual_window(win, hop, desired_dual=None, *, scaled=True):
    win = numpy.asarray(fetched(win))
    desired_dual = numpy.ones_like(win) if desired_dual is None else numpy.asarray(fetched(desired_dual))
    if not (win.ndim == 1 and win.shape == desired_dual.shape):
        raise ValueError(
            "Parameters `win` and `desired_dual` are not 1d arrays of "
            f"equal length ({win.shape=}, {desired_dual.shape=})!"
        )
    if not numpy.isfinite(win).all():
        raise ValueError("Parameter win must have finite entries!")
    if not numpy.isfinite(desired_dual).all():
        raise ValueError("Parameter desired_dual must have finite entries!")
    if not (1 <= hop <= len(win) and _is_integer(hop)):
        raise ValueError(f"Parameter {hop=} is not an integer between 1 and {len(win)=}!")
    dual = _canonical_dual(win, hop)
    projected = dual * _overlaps(win.conjugate() * desired_dual, hop)
    if not scaled:
        return _core.asarray(dual + desired_dual - projected), 1.0
    above, below = projected.conjugate() @ dual, (projected.real**2 + projected.imag**2).sum()
    if not (abs(above) > 0 and below > numpy.finfo(dual.dtype).resolution):
        raise ValueError(
            "Unable to calculate scaled closest dual window due to numerically "
            "unstable scaling factor! Try setting parameter `scaled` to False."
        )
    factor = above / below
    return _core.asarray(dual + factor * (desired_dual - projected)), factor


def _checked_window(name, win):
    win = numpy.array(fetched(win))
    if not (win.ndim == 1 and win.size > 0):
        raise ValueError(f"Parameter {name} must be 1d, but {name}.shape={win.shape}!")
    if not numpy.isfinite(win).all():
        raise ValueError(f"Parameter {name} must have finite entries!")
    return win


def _on_device(name, document):
    """A property: the values of an attribute of the host on the current device, kept for each."""

    def read(self):
        values, key = getattr(self, name), (name, _core._current_device_id())
        held = self._held.get(key)
        if held is None or held[0] is not values:
            held = self._held[key] = values, _core.asarray(values)
        return held[1]

    return property(read, doc=document)


class ShortTimeFFT:
    """A short-time Fourier transform of a window, a step and a mode, and its inverse.

    Parameters
    ----------
    win : (M,) array_like
        The window, real or complex.
    hop : int
        How many samples lie between slices.
    fs : float
        The sampling frequency.
    fft_mode : {'twosided', 'centered', 'onesided', 'onesided2X'}, optional
        Which frequencies there are: all, all in ascending order, those from 0, those with the
        energy of both.
    mfft : int, optional
        The length of transforms, if zeros are to follow the slices.
    dual_win : (M,) array_like, optional
        The window of the inverse; the canonical one if not given.
    scale_to : {'magnitude', 'psd'} or None, optional
        Whether the window is scaled so that squares are a spectrum or a density.
    phase_shift : int or None, optional
        A shift of the phase in samples, from the middle of the window; None: from its first sample.

    Raises
    ------
    ValueError
        For windows that are not finite or not of one axis, and steps, lengths and modes that there
        are not.

    Notes
    -----
    Windows and borders are computed on the host, slices on the device of the signal. Differs from
    SciPy: float32 of a window of float32 stays so.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import signal
    >>> x = tn.sin(tn.arange(100.0))
    >>> transform = signal.ShortTimeFFT(signal.windows.hann(16, sym=False), hop=4, fs=10.0)
    >>> transform.stft(x).shape, transform.spectrogram(x).shape
    ((9, 28), (9, 28))
    >>> transform.stft_detrend(x, "constant").shape
    (9, 28)
    >>> bool(abs(transform.istft(transform.stft(x), k1=100) - x).max() < 1e-12)
    True
    >>> transform.p_num(100), transform.p_max(100), transform.k_max(100), transform.p_range(100)
    (28, 27, 112, (-1, 27))
    >>> transform.t(100)[:3], transform.nearest_k_p(5), transform.upper_border_begin(100)
    (array([-0.4,  0. ,  0.4]), 4, (88, 24))
    >>> transform.extent(100)
    (-0.4, 10.8, 0.0, 5.625)
    >>> transform.scale_to("psd")
    >>> transform.scaling
    'psd'
    >>> signal.ShortTimeFFT.from_window("hann", 10.0, 16, 12).hop
    4
    >>> signal.ShortTimeFFT.from_dual(transform.dual_win, 4, 10.0).invertible
    True
    >>> signal.ShortTimeFFT.from_win_equals_dual(transform.win, 4, 10.0).invertible
    True
    """

    def __init__(self, win, hop, fs, *, fft_mode="onesided", mfft=None, dual_win=None, scale_to=None, phase_shift=0):
        win = _checked_window("win", win)
        if not (hop >= 1 and _is_integer(hop)):
            raise ValueError(f"Parameter {hop=} is not an integer >= 1!")
        self._held, self._win, self._dual, self._hop, self._scaling = {}, win, None, hop, None
        self.fs = fs
        self.mfft = len(win) if mfft is None else mfft
        if dual_win is not None:
            dual_win = numpy.array(fetched(dual_win))
            if dual_win.shape != win.shape:
                raise ValueError(f"{dual_win.shape=} must equal {win.shape=}!")
            if not numpy.isfinite(dual_win).all():
                raise ValueError("Parameter dual_win must be a finite array!")
        self._dual = dual_win
        if scale_to is not None:
            self.scale_to(scale_to)
        self.fft_mode, self.phase_shift = fft_mode, phase_shift

    @classmethod
    def from_dual(cls, dual_win, hop, fs, *, fft_mode="onesided", mfft=None, scale_to=None, phase_shift=0):
        """The transform whose dual window is given."""
        dual_win = numpy.asarray(fetched(dual_win))
        win = _canonical_dual(dual_win, hop)
        return cls(
            win, hop, fs, fft_mode=fft_mode, mfft=mfft, dual_win=dual_win, scale_to=scale_to, phase_shift=phase_shift
        )

    @classmethod
    def from_window(
        cls,
        win_param,
        fs,
        nperseg,
        noverlap,
        *,
        symmetric_win=False,
        fft_mode="onesided",
        mfft=None,
        scale_to=None,
        phase_shift=0,
    ):
        """The transform of a window that `get_window` knows."""
        win = get_window(win_param, nperseg, fftbins=not symmetric_win)
        return cls(
            win, nperseg - noverlap, fs, fft_mode=fft_mode, mfft=mfft, scale_to=scale_to, phase_shift=phase_shift
        )

    @classmethod
    def from_win_equals_dual(
        cls, desired_win, hop, fs, *, fft_mode="onesided", mfft=None, scale_to=None, phase_shift=0
    ):
        """The transform whose window is its own dual, near a desired one."""
        desired_win = numpy.asarray(fetched(desired_win))
        if not (desired_win.ndim == 1 and desired_win.size > 0):
            raise ValueError(f"Parameter desired_win is not 1d, but {desired_win.shape=}!")
        if issubclass(desired_win.dtype.type, numpy.integer):
            raise ValueError(
                f"Parameter desired_win cannot be of integer type, but {desired_win.dtype=} => cast to float | complex "
            )
        if not numpy.isfinite(desired_win).all():
            raise ValueError("Parameter desired_win must have finite entries!")
        if not (1 <= hop <= len(desired_win) and _is_integer(hop)):
            raise ValueError(f"Parameter {hop=} is not an integer between 1 and {len(desired_win)=}!")
        if scale_to not in ["magnitude", "psd", "unitary", None]:
            raise ValueError(f"Parameter {scale_to=} not in ['magnitude', 'psd', 'unitary', None]!")
        mfft = len(desired_win) if mfft is None else mfft
        root = math.sqrt(mfft) if scale_to == "unitary" else 1
        win = desired_win.copy()
        least = numpy.finfo(win.dtype).resolution * max(win)
        for m in range(hop):
            norm = numpy.linalg.norm(desired_win[m::hop])
            if not norm > least:
                raise ValueError(f"Parameter desired_win does not have valid STFT dual window for {hop=}!")
            win[m::hop] /= norm
        made = cls(
            win / root,
            hop,
            fs,
            fft_mode=fft_mode,
            mfft=mfft,
            dual_win=win * root,
            phase_shift=phase_shift,
            scale_to=None if scale_to == "unitary" else scale_to,
        )
        made._scaling = scale_to or made._scaling
        return made

    # --- Attributes ---

    win = _on_device("_win", "The window.")

    @property
    def dual_win(self):
        """The window of the inverse."""
        if self._dual is None:
            self._dual = _canonical_dual(self._win, self._hop)
        return self._dual_copy

    _dual_copy = _on_device("_dual", "The window of the inverse.")

    @property
    def invertible(self):
        """Whether there is an inverse."""
        try:
            return len(self.dual_win) > 0
        except ValueError:
            return False

    @property
    def hop(self):
        """How many samples lie between slices."""
        return self._hop

    @property
    def T(self):
        """The time between samples."""
        return 1 / self._fs

    @T.setter
    def T(self, v):
        if not v > 0:
            raise ValueError(f"Sampling interval T={v} must be positive!")
        self._fs = 1 / v

    @property
    def fs(self):
        """The sampling frequency."""
        return self._fs

    @fs.setter
    def fs(self, v):
        if not v > 0:
            raise ValueError(f"Sampling frequency fs={v} must be positive!")
        self._fs = v

    @property
    def fft_mode(self):
        """Which frequencies there are."""
        return self._fft_mode

    @fft_mode.setter
    def fft_mode(self, t):
        if t not in _MODES:
            raise ValueError(f"fft_mode='{t}' not in {_MODES}!")
        if t in ("onesided", "onesided2X") and self._win.dtype.kind == "c":
            raise ValueError(f"One-sided spectra, i.e., fft_mode='{t}', are not allowed for complex-valued windows!")
        if t == "onesided2X" and self.scaling is None:
            raise ValueError(
                f"For scaling is None, fft_mode='{t}' is invalid!Do scale_to('psd') or scale_to('magnitude')!"
            )
        self._fft_mode = t

    @property
    def mfft(self):
        """The length of transforms."""
        return self._mfft

    @mfft.setter
    def mfft(self, n_):
        if not n_ >= self.m_num:
            raise ValueError(f"Attribute mfft={n_} needs to be at least the window length m_num={self.m_num}!")
        self._mfft = n_

    @property
    def scaling(self):
        """What the window is scaled to: 'magnitude', 'psd', 'unitary' or None."""
        return self._scaling

    def scale_to(self, scaling):
        """Scales the window so that squares are a spectrum ('magnitude') or a density ('psd')."""
        if scaling not in (scaling_values := {"magnitude", "psd"}):
            raise ValueError(f"{scaling=} not in {scaling_values}!")
        if self._scaling == scaling:
            return
        factor = self.fac_psd if scaling == "psd" else self.fac_magnitude
        self._win = self._win * factor
        if self._dual is not None:
            self._dual = self._dual / factor
        self._scaling = scaling

    @property
    def phase_shift(self):
        """The shift of the phase in samples, or None."""
        return self._phase_shift

    @phase_shift.setter
    def phase_shift(self, v):
        if v is not None and not _is_integer(v):
            raise ValueError(f"phase_shift={v} has the unit samples. Hence it needs to be an int or it may be None!")
        if v is not None and not -self.mfft < v < self.mfft:
            raise ValueError(f"-mfft < phase_shift < mfft does not hold for mfft={self.mfft}, phase_shift={v}!")
        self._phase_shift = v

    @property
    def fac_magnitude(self):
        """The factor by which the window would be scaled to a spectrum."""
        return 1 if self.scaling == "magnitude" else 1 / abs(self._win.sum())

    @property
    def fac_psd(self):
        """The factor by which the window would be scaled to a density."""
        return 1 if self.scaling == "psd" else 1 / math.sqrt(self._power.sum() / self.T)

    @property
    def _power(self):
        return self._win.real**2 + self._win.imag**2

    @property
    def m_num(self):
        """The length of the window."""
        return len(self._win)

    @property
    def m_num_mid(self):
        """The middle of the window."""
        return self.m_num // 2

    # --- Borders: which slices touch a signal ---

    @functools.cached_property
    def _before(self):
        """The first sample and number of the first slice that touches a signal."""
        power_of = self._power
        first = -self.m_num_mid
        for number, start in enumerate(range(first, first - self.m_num - 1, -self.hop)):
            following = start - self.hop
            if following + self.m_num <= 0 or (power_of[following:] == 0).all():
                return start, -number
        raise RuntimeError("no slice is the first")

    def _after(self, n):
        """The end and number after the last slice that touches a signal of n samples."""
        least = self.m_num - self.m_num_mid
        if not n >= least:
            raise ValueError(f"Parameter n must be >= ceil(m_num/2) = {least}!")
        power_of, first = self._power, n // self.hop
        starts = range(first * self.hop - self.m_num_mid, n + self.m_num, self.hop)
        for number, start in enumerate(starts, start=first):
            following = start + self.hop
            if following >= n or (power_of[: n - following] == 0).all():
                return start + self.m_num, number + 1
        raise RuntimeError("no slice is the last")

    @property
    def k_min(self):
        """The first sample of the first slice, which is not positive."""
        return self._before[0]

    @property
    def p_min(self):
        """The number of the first slice, which is not positive."""
        return self._before[1]

    def k_max(self, n):
        """The first sample after the last slice of a signal of n samples."""
        return self._after(n)[0]

    def p_max(self, n):
        """The number after that of the last slice of a signal of n samples."""
        return self._after(n)[1]

    def p_num(self, n):
        """How many slices a signal of n samples has."""
        return self.p_max(n) - self.p_min

    @property
    def lower_border_end(self):
        """The first sample and slice that no slice before the signal's begin touches."""
        first = -self.m_num_mid + numpy.flatnonzero(self._power)[0]
        for number, start in enumerate(range(first, self.hop + 1, self.hop)):
            if start + self.hop >= 0:
                return int(start) + self.m_num, number + 1
        return 0, max(self.p_min, 0)

    def upper_border_begin(self, n):
        """The first sample and slice that slices touch which reach beyond a signal of n samples."""
        least = self.m_num - self.m_num_mid
        if not n >= least:
            raise ValueError(f"Parameter n must be >= ceil(m_num/2) = {least}!")
        power_of = self._power
        for number in range(n // self.hop + 1, max((n - self.m_num) // self.hop - 1, -1), -1):
            end = number * self.hop + (self.m_num - self.m_num_mid)
            if end <= n or (power_of[n - end :] == 0).all():
                return (number + 1) * self.hop - self.m_num_mid, number + 1
        raise RuntimeError("no slice is within the signal")

    def p_range(self, n, p0=None, p1=None):
        """The numbers of the slices of a signal of n samples, checked."""
        p_max = self.p_max(n)
        first = self.p_min if p0 is None else p0
        end = p_max if p1 is None else p1
        if not self.p_min <= first < end <= p_max:
            raise ValueError(
                f"Invalid Parameter {p0=}, {p1=}, i.e., {self.p_min=} <= p0 < p1 <= {p_max=} "
                f"does not hold for signal length {n=}!"
            )
        return first, end

    def nearest_k_p(self, k, left=True):
        """The sample nearest to k, before it or (left=False) after it, at which a slice begins."""
        whole, rest = divmod(k, self.hop)
        return k if rest == 0 else (whole if left else whole + 1) * self.hop

    # --- Times and frequencies ---

    @property
    def delta_t(self):
        """The time between slices."""
        return self.T * self.hop

    @property
    def delta_f(self):
        """The distance of frequencies."""
        return 1 / (self.mfft * self.T)

    @property
    def f_pts(self):
        """How many frequencies there are."""
        return self.mfft // 2 + 1 if self.onesided_fft else self.mfft

    @property
    def onesided_fft(self):
        """Whether there are no negative frequencies."""
        return self.fft_mode in ("onesided", "onesided2X")

    @property
    def f(self):
        """The frequencies."""
        if self.onesided_fft:
            return rfftfreq(self.mfft, self.T)
        found = fftfreq(self.mfft, self.T)
        return fftshift(found) if self.fft_mode == "centered" else found

    def t(self, n, p0=None, p1=None, k_offset=0):
        """The times of the slices of a signal of n samples."""
        if not (n > 0 and _is_integer(n)):
            raise ValueError(f"Parameter {n=} is not a positive integer!")
        p0, p1 = self.p_range(n, p0, p1)
        return _core.arange(p0, p1) * self.delta_t + k_offset * self.T

    def extent(self, n, axes_seq="tf", center_bins=False):
        """The least and largest times and frequencies, for pictures."""
        if axes_seq not in ("tf", "ft"):
            raise ValueError(f"Parameter {axes_seq=} not in ['tf', 'ft']!")
        if self.onesided_fft:
            first, end = 0, self.f_pts
        elif self.fft_mode == "centered":
            first, end = -(self.mfft // 2), (self.mfft + 1) // 2
        else:
            raise ValueError(f"Attribute fft_mode={self.fft_mode} must be in ['centered', 'onesided', 'onesided2X']")
        half = 0.5 if center_bins else 0
        times = self.delta_t * (self.p_min - half), self.delta_t * (self.p_max(n) - half)
        freqs = self.delta_f * (first - half), self.delta_f * (end - half)
        return times + freqs if axes_seq == "tf" else freqs + times

    # --- Transforms ---

    def _slices(self, x, k_offset, p0, p1, padding):
        """The slices of a signal along its last axis: a view of it with what lacks at its ends."""
        if padding not in _PADDING:
            raise ValueError(f"Parameter {padding=} not in {tuple(_PADDING)}!")
        n = x.shape[-1]
        start = p0 * self.hop - self.m_num_mid + k_offset
        end = start + (p1 - p0) * self.hop + self.m_num
        inner = x[..., max(start, 0) : min(end, n)]
        lacking = [(0, 0)] * (x.ndim - 1) + [(-min(start, 0), max(end - n, 0))]
        if lacking[-1] != (0, 0):
            inner = pad(inner, lacking, **_PADDING[padding])
        return cut(inner, self.m_num, self.hop)[..., : p1 - p0, :]

    def _turned(self):
        """By how many samples slices are rotated before they are transformed."""
        return 0 if self.phase_shift is None else (self.phase_shift + self.m_num_mid) % self.m_num

    def _forward(self, slices):
        turn = self._turned()
        if turn:
            whole = _core.zeros((*slices.shape[:-1], self.mfft), slices.dtype)
            whole[..., : self.m_num - turn] = slices[..., turn:]
            whole[..., self.mfft - turn :] = slices[..., :turn]
            slices = whole
        if not self.onesided_fft:
            found = fft(slices, self.mfft)
            return fftshift(found, axes=-1) if self.fft_mode == "centered" else found
        found = rfft(slices, self.mfft)
        if self.fft_mode == "onesided2X":
            found[..., self._both()] *= math.sqrt(2) if self.scaling == "psd" else 2
        return found

    def _both(self):
        """The places of frequencies that stand for two."""
        return slice(1, -1 if self.mfft % 2 == 0 else None)

    def _backward(self, spectra):
        if self.fft_mode == "twosided":
            found = ifft(spectra, self.mfft)
        elif self.fft_mode == "centered":
            found = ifft(ifftshift(spectra, axes=-1), self.mfft)
        else:
            if self.fft_mode == "onesided2X":
                spectra = spectra.copy()
                spectra[..., self._both()] /= math.sqrt(2) if self.scaling == "psd" else 2
            found = irfft(spectra, self.mfft)
        return roll(found, self._turned(), axis=-1)[..., : self.m_num]

    def stft(self, x, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1):
        """The transform of a signal along an axis: frequencies take its place, slices are last."""
        return self.stft_detrend(x, None, p0, p1, k_offset=k_offset, padding=padding, axis=axis)

    def stft_detrend(self, x, detr, p0=None, p1=None, *, k_offset=0, padding="zeros", axis=-1):
        """The transform of a signal whose slices lose their trend: 'linear', 'constant', or what a
        function of all slices, whose samples are last, returns."""
        x = as_array_of(x)
        if self.onesided_fft and x.dtype.kind == "c":
            raise ValueError(
                f"Complex-valued `x` not allowed for self.fft_mode={self.fft_mode!r}'! "
                "Set property `fft_mode` to 'twosided' or 'centered'."
            )
        if not (detr is None or isinstance(detr, str) or callable(detr)):
            raise ValueError(f"Parameter {detr=} is not a str, function or None!")
        n, least = x.shape[axis], self.m_num - self.m_num_mid
        if not n >= least:
            what = f"len(x)={len(x)}" if x.ndim == 1 else f"of {axis=} of {x.shape}"
            raise ValueError(f"{what} must be >= ceil(m_num/2) = {least}!")
        p0, p1 = self.p_range(n, p0, p1)
        return self._transform(x, detr, p0, p1, k_offset, padding, axis)

    @staticmethod
    @beside
    def _beside(x, run):
        return run(x)

    def _transform(self, x, detr, p0, p1, k_offset, padding, axis):
        def run(x):
            slices = self._slices(moveaxis(x, axis, -1), k_offset, p0, p1, padding)
            if detr is not None:
                slices = detrended(slices, detr) if isinstance(detr, str) else detr(slices)
            found = self._forward(slices * self.win.conj())
            found = found.astype(numpy.result_type(found.dtype, numpy.complex64), copy=False)
            return moveaxis(found, -1, axis - 1 if axis < 0 else axis)

        return self._beside(x, run)

    def spectrogram(self, x, y=None, detr=None, *, p0=None, p1=None, k_offset=0, padding="zeros", axis=-1):
        """The squared magnitudes of the transform, or a product with the conjugate of another's."""
        options = dict(k_offset=k_offset, padding=padding, axis=axis)
        of_x = self.stft_detrend(x, detr, p0, p1, **options)
        if y is None or y is x:
            return power(of_x)
        return of_x * self.stft_detrend(y, detr, p0, p1, **options).conj()

    def istft(self, S, k0=0, k1=None, *, f_axis=-2, t_axis=-1):
        """The signal of a transform, from sample k0 to before k1."""
        S = as_array_of(S)
        if f_axis == t_axis:
            raise ValueError(f"{f_axis=} may not be equal to {t_axis=}!")
        if S.shape[f_axis] != self.f_pts:
            raise ValueError(f"{S.shape[f_axis]=} must be equal to {self.f_pts=} ({S.shape=})!")
        n_min = self.m_num - self.m_num_mid
        if not S.shape[t_axis] >= (q_num := self.p_num(n_min)):
            raise ValueError(f"{S.shape[t_axis]=} needs to have at least {q_num} slices ({S.shape=})!")
        f_axis, t_axis = f_axis % S.ndim, t_axis % S.ndim
        q_max = S.shape[t_axis] + self.p_min
        k_max = (q_max - 1) * self.hop + self.m_num - self.m_num_mid
        k1 = k_max if k1 is None else k1
        if not self.k_min <= k0 < k1 <= k_max:
            raise ValueError(f"({self.k_min=}) <= ({k0=}) < ({k1=}) <= ({k_max=}) is false!")
        if not (num_pts := k1 - k0) >= n_min:
            raise ValueError(f"({k1=}) - ({k0=}) = {num_pts} has to be at least the half the window length {n_min}!")
        first = k0 // self.hop + (self.p_min if k0 >= 0 else 0)
        end = min(self.p_max(k1), q_max)
        spectra = moveaxis(S, (t_axis, f_axis), (-2, -1))[..., first - self.p_min : end - self.p_min, :]
        x = self._beside(spectra, lambda spectra: self._signal(spectra, first, k0, k1))
        return moveaxis(x, -1, f_axis if f_axis < x.ndim else t_axis) if x.ndim > 1 else x

    def _signal(self, spectra, first, k0, k1):
        """Samples k0 to k1 of spectra of slices from a first one."""
        sums = overlapped(self._backward(spectra) * self.dual_win, self.hop)
        begin = k0 - (first * self.hop - self.m_num_mid)
        inner = sums[..., max(begin, 0) : begin + k1 - k0]
        if inner.shape[-1] == k1 - k0:
            return inner
        result = _core.zeros((*sums.shape[:-1], k1 - k0), sums.dtype)
        result[..., max(-begin, 0) : max(-begin, 0) + inner.shape[-1]] = inner
        return result
