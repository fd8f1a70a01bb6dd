"""Convolutions and correlations: sums of products, or by Fourier transforms."""

import math
import timeit

import numpy

from tenorite import _core
from tenorite._arguments import as_array_of, beside, on_host
from tenorite._numpy.padding import pad
from tenorite._numpy.rearranging import moveaxis
from tenorite._numpy.stride_tricks import as_strided
from tenorite.fft import fftn, ifftn, irfft, irfftn, rfft, rfftn
from tenorite.scipy.fft import next_fast_len
from tenorite.scipy.signal._axes import surrounded
from tenorite.scipy.signal._documents import described

_MODES = ("full", "same", "valid")
_NO_MODE = "Acceptable mode flags are 'valid', 'same', or 'full'"
_UNLIKE = "For 'valid' mode, one must be at least as large as the other in every dimension"
# Seconds, on a host's core and on a GPU: of one product of direct sums, of one element of
# transforms with their logarithm, and of what a call of transforms costs at least.
_COSTS = {"host": (1.2e-10, 1.5e-9, 6e-5), "cuda": (1e-12, 2e-12, 2e-5)}


def _must_swap(mode, first, second, axes=None):
    """Whether the second is the larger one of a 'valid' convolution."""
    if mode != "valid" or not first:
        return False
    axes = range(len(first)) if axes is None else axes
    if all(first[k] >= second[k] for k in axes):
        return False
    if not all(second[k] >= first[k] for k in axes):
        raise ValueError(_UNLIKE)
    return True


def _centered(a, shape):
    """The part in the middle."""
    begins = [(n - m) // 2 for n, m in zip(a.shape, shape)]
    return a[tuple(slice(begin, begin + m) for begin, m in zip(begins, shape))]


def _reversed(a):
    return a[(slice(None, None, -1),) * a.ndim]


# --- By Fourier transforms ---


def _block_length(taps, length):
    """A power of two for which blocks of a line take the fewest operations, or None where one
    transform takes no more."""

    def cost(block):
        return block * (math.log2(block) + 3) / (block - taps + 1)

    lengths = [2**k for k in range(max(taps, 32).bit_length(), 18)]
    if not lengths or taps < 1:
        return None
    best = min(lengths, key=cost)
    whole = next_fast_len(length + taps - 1, True)
    return best if 2 * best < length and cost(best) * length < whole * (math.log2(whole) + 3) else None


def _in_blocks(line, taps, axis, block):
    """The whole convolution along an axis: transforms of blocks that overlap by what the taps
    reach back (overlap-save: Oppenheim and Schafer, Discrete-Time Signal Processing, 8.7.3)."""
    line, taps = moveaxis(line, axis, -1), moveaxis(taps, axis, -1)
    reach, n = taps.shape[-1] - 1, line.shape[-1]
    step, whole = block - reach, n + reach
    count = -(-whole // step)
    dtype = _transformed_dtype(line)
    padded = _core.zeros((*line.shape[:-1], count * step + reach), dtype=dtype)
    padded[..., reach : reach + n] = line
    strides = (*padded.strides[:-1], step * padded.strides[-1], padded.strides[-1])
    blocks = as_strided(padded, (*line.shape[:-1], count, block), strides)
    is_complex = line.dtype.kind == "c" or taps.dtype.kind == "c"
    ahead, back = (fftn, ifftn) if is_complex else (rfft, irfft)
    options = {"axes": (-1,)} if is_complex else {}
    spectra = ahead(blocks, **options)
    of_taps = ahead(taps, (block,) if is_complex else block, **options)
    spectra = spectra * of_taps[..., None, :]
    made = back(spectra, (block,) if is_complex else block, **options)[..., reach:]
    made = made.reshape(*made.shape[:-2], count * step)[..., :whole]
    return moveaxis(made, -1, axis)


def _transformed_dtype(a):
    if a.dtype.kind == "c":
        return a.dtype
    return a.dtype if a.dtype.char in "fd" else numpy.dtype(numpy.float32 if a.dtype.char == "e" else numpy.float64)


def _transformed(first, second, axes, shape):
    """The convolution along axes, of a shape."""
    is_complex = first.dtype.kind == "c" or second.dtype.kind == "c"
    fast = tuple(next_fast_len(shape[k], not is_complex) for k in axes)
    if len(axes) == 1 and not is_complex:
        axis = axes[0]
        made = irfft(rfft(first, fast[0], axis) * rfft(second, fast[0], axis), fast[0], axis)
    else:
        ahead, back = (fftn, ifftn) if is_complex else (rfftn, irfftn)
        made = back(ahead(first, fast, axes=axes) * ahead(second, fast, axes=axes), fast, axes=axes)
    return made[tuple(slice(n) for n in shape)]


def _checked_axes(axes, ndim):
    if axes is None:
        return list(range(ndim))
    axes = [axes] if isinstance(axes, int) else list(axes)
    if not all(isinstance(axis, int) or hasattr(axis, "__index__") for axis in axes):
        raise ValueError("axes must be a scalar or iterable of integers")
    if not axes:
        raise ValueError("when provided, axes cannot be empty")
    if not all(-ndim <= axis < ndim for axis in axes):
        raise ValueError("axes exceeds dimensionality of input")
    axes = [int(axis) % ndim for axis in axes]
    if len(set(axes)) != len(axes):
        raise ValueError("all axes must be unique")
    return axes


def _prepared(in1, in2, mode, axes):
    """(result, None) where there is one at once, else (None, arrays and the axes that count)."""
    if in1.ndim == in2.ndim == 0:
        return in1 * in2, None
    if in1.ndim != in2.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if in1.size == 0 or in2.size == 0:
        return _core.zeros(0), None
    first, second = in1.shape, in2.shape
    axes = [k for k in _checked_axes(axes, in1.ndim) if first[k] != 1 and second[k] != 1]
    if any(n != m and 1 not in (n, m) for k, (n, m) in enumerate(zip(first, second)) if k not in axes):
        raise ValueError(f"incompatible shapes for in1 and in2: {first} and {second}")
    if _must_swap(mode, first, second, axes):
        in1, in2 = in2, in1
    return None, (in1, in2, axes)


def _kept(made, first, second, mode, axes):
    """The part of a whole convolution that a mode asks for, in memory of its own."""
    if mode == "same":
        made = _centered(made, first)
    elif mode == "valid":
        shape = [n - m + 1 if k in axes else made.shape[k] for k, (n, m) in enumerate(zip(first, second))]
        made = _centered(made, shape)
    return _core.ascontiguousarray(made)


def _by_transforms(in1, in2, mode, axes, must_block=False):
    quick, found = _prepared(in1, in2, mode, axes)
    if found is None:
        return quick
    first, second, axes = found
    if mode not in _MODES:
        raise ValueError("acceptable mode flags are 'valid', 'same', or 'full'")
    if not axes:
        return _kept(first * second, first.shape, second.shape, mode, axes)
    shape = [n + m - 1 if k in axes else max(n, m) for k, (n, m) in enumerate(zip(first.shape, second.shape))]
    made = None
    if len(axes) == 1:
        axis = axes[0]
        line, taps = (first, second) if first.shape[axis] >= second.shape[axis] else (second, first)
        block = _block_length(taps.shape[axis], line.shape[axis])
        if block:
            made = _in_blocks(line, taps, axis, block)
    if made is None:
        made = _transformed(first, second, axes, shape)
    return _kept(made, first.shape, second.shape, mode, axes)


@beside
@described
def fftconvolve(in1, in2, mode="full", axes=None):
    """The convolution of two arrays by Fourier transforms.

    Returns
    -------
    ndarray
        In floating point.

    Raises
    ------
    ValueError
        For an unknown mode, and shapes that do not fit.

    Notes
    -----
    Along one axis a long line is transformed in blocks (overlap-save), as `oaconvolve` does.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.fftconvolve(tn.array([1.0, 2, 3]), tn.array([0.0, 1])).round(6)
    array([0., 1., 2., 3.])
    """
    return _by_transforms(as_array_of(in1), as_array_of(in2), mode, axes)


@beside
@described
def oaconvolve(in1, in2, mode="full", axes=None):
    """The convolution of two arrays by Fourier transforms of blocks, for arrays of unlike lengths.

    Returns
    -------
    ndarray
        In floating point.

    Raises
    ------
    ValueError
        For an unknown mode, and shapes that do not fit.

    Notes
    -----
    Along several axes the transforms are of the whole arrays, as `fftconvolve` has them.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.oaconvolve(tn.array([1.0, 2, 3]), tn.array([0.0, 1])).round(6)
    array([0., 1., 2., 3.])
    """
    return _by_transforms(as_array_of(in1), as_array_of(in2), mode, axes)


# --- By sums ---


def _margins(mode, n, m):
    """Zeros before and after an axis of n elements for a window of m."""
    if mode == "full":
        return m - 1, m - 1
    return (m - 1 - (m - 1) // 2, (m - 1) // 2) if mode == "same" else (0, 0)


def _directly(first, second, mode):
    """Sums of products, the second array reversed as the window."""
    dtype = numpy.result_type(first.dtype, second.dtype)
    if first.ndim > 1 and (dtype.kind == "b" or dtype.kind == "f" and dtype.itemsize < 4):
        raise ValueError(f"unsupported type in SciPy: direct sums of {dtype} over {first.ndim} axes; method='fft' does")
    if first.ndim == 1 and (mode != "same" or first.size >= second.size):
        return _core._convolve(first, second, mode)
    if mode != "valid" and 0 in (first.size, second.size):
        shape = [max(n + m - 1, 0) if mode == "full" else n for n, m in zip(first.shape, second.shape)]
        return _core.zeros(shape, dtype=dtype)
    if mode == "full" and second.size > first.size and all(n <= m for n, m in zip(first.shape, second.shape)):
        first, second = second, first
    margins = [_margins(mode, n, m) for n, m in zip(first.shape, second.shape)]
    before, after = zip(*margins)
    return _core._windowed(first, _reversed(second), before, after, None)


def _operations(first, second, mode):
    """Products of direct sums, and elements of transforms."""
    sizes = math.prod(first), math.prod(second)
    whole = math.prod(n + m - 1 for n, m in zip(first, second))
    outputs = {"full": whole, "same": sizes[0], "valid": math.prod(abs(n - m) + 1 for n, m in zip(first, second))}
    return outputs[mode] * min(sizes), whole


def _transforms_pay(first, second, mode):
    products, elements = _operations(first.shape, second.shape, mode)
    direct, each, least = _COSTS["host" if first.device.backend == "host" else "cuda"]
    if products * direct < least:
        return False
    if first.ndim == 1:
        taps, length = sorted((first.size, second.size))
        block = _block_length(taps, length)
        logarithm = math.log2(block) * block / (block - taps + 1) if block else math.log2(elements + 1)
    else:
        logarithm = math.log2(elements + 1)
    return products * direct > elements * logarithm * each + least


def _fits_doubles(first, second):
    """Whether sums of products of integers are exact in float64; waits for the arrays."""
    limits = [int(_core.absolute(one).max()) if one.dtype.kind in "ui" else 1 for one in (first, second)]
    return limits[0] * limits[1] * min(first.size, second.size) <= 2**52 - 1


def _chosen(first, second, mode):
    kinds = first.dtype.kind, second.dtype.kind
    if kinds == ("b", "b") or first.size == 0 or second.size == 0:
        return "direct"
    if mode not in _MODES:
        raise ValueError(f"{_NO_MODE}, not mode={mode}")
    if not _transforms_pay(first, second, mode):
        return "direct"
    if kinds[0] in "ui" or kinds[1] in "ui":
        return "fft" if _fits_doubles(first, second) else "direct"
    return "fft"


@beside
def choose_conv_method(in1, in2, mode="full", measure=False):
    """Which method `convolve` takes: direct sums or Fourier transforms.

    Parameters
    ----------
    in1, in2 : array_like
        What is convolved.
    mode : {'full', 'same', 'valid'}
        As in `convolve`.
    measure : bool, optional
        Whether both are run and timed.

    Returns
    -------
    method : {'direct', 'fft'}
        The one that is likely to be faster, and is exact for integers.
    times : dict
        Seconds of each, if `measure`.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.choose_conv_method(tn.ones(3), tn.ones(2))
    'direct'
    """
    first, second = as_array_of(in1), as_array_of(in2)
    if not measure:
        return _chosen(first, second, mode)

    def run(method):
        made = convolve(first, second, mode, method)
        return made.ravel()[:1].get()

    times = {method: min(timeit.repeat(lambda: run(method), number=1, repeat=3)) for method in ("fft", "direct")}
    return ("fft" if times["fft"] < times["direct"] else "direct"), times


def _convolved(first, second, mode, method):
    if _must_swap(mode, first.shape, second.shape):
        first, second = second, first
    if method == "auto":
        method = _chosen(first, second, mode)
    if method == "direct":
        return _directly(first, second, mode)
    if method != "fft":
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    made = _by_transforms(first, second, mode, None)
    dtype = numpy.result_type(first.dtype, second.dtype)
    return (made.round() if dtype.kind in "ui" else made).astype(dtype, copy=False)


@beside
@described
def convolve(in1, in2, mode="full", method="auto"):
    """The convolution of two arrays.

    Returns
    -------
    ndarray
        In the common dtype.

    Raises
    ------
    ValueError
        For an unknown mode or method, shapes that do not fit, and direct sums of bool and float16
        over several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.convolve(tn.array([1, 2, 3]), tn.array([0, 1]))
    array([0, 1, 2, 3])
    """
    first, second = as_array_of(in1), as_array_of(in2)
    if first.ndim == second.ndim == 0:
        return first * second
    if first.ndim != second.ndim:
        raise ValueError("volume and kernel should have the same dimensionality")
    if mode not in _MODES:
        raise ValueError(f"{_NO_MODE}, not mode={mode}")
    return _convolved(first, second, mode, method)


@beside
@described
def correlate(in1, in2, mode="full", method="auto"):
    """The cross-correlation of two arrays: sums of products with the conjugate second array at each
    lag.

    Parameters
    ----------
    mode : {'full', 'same', 'valid'}
        All lags with a common element, as many as `in1` has elements, in their middle, or those
        that need no zeros around either.

    Returns
    -------
    ndarray
        In the common dtype.

    Raises
    ------
    ValueError
        For an unknown mode or method, shapes that do not fit, and direct sums of bool and float16
        over several axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.correlate(tn.array([1, 2, 3]), tn.array([0, 1]))
    array([1, 2, 3, 0])
    """
    first, second = as_array_of(in1), as_array_of(in2)
    window = second.conj() if second.dtype.kind == "c" else second
    if first.ndim == second.ndim == 0:
        return first * window
    if first.ndim != second.ndim:
        raise ValueError("in1 and in2 should have the same dimensionality")
    if mode not in _MODES:
        raise ValueError(f"{_NO_MODE}.")
    return _convolved(first, _reversed(window), mode, method)


def correlation_lags(in1_len, in2_len, mode="full"):
    """The lags of what `correlate` gives for two rows.

    Parameters
    ----------
    in1_len, in2_len : int
        Their lengths.
    mode : {'full', 'same', 'valid'}
        As in `correlate`.

    Returns
    -------
    ndarray
        A lag for each element.

    Raises
    ------
    ValueError
        For an unknown mode.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.correlation_lags(3, 2)
    array([-1,  0,  1,  2])
    """
    if mode == "full":
        return _core.arange(1 - in2_len, in1_len)
    if mode == "same":
        middle, half = (in1_len + in2_len - 1) // 2, in1_len // 2
        lags = _core.arange(1 - in2_len, in1_len)
        return lags[middle - half : middle + half + in1_len % 2]
    if mode == "valid":
        rest = in1_len - in2_len
        return _core.arange(rest + 1) if rest >= 0 else _core.arange(rest, 1)
    raise ValueError(f"Mode {mode} is invalid")


# --- Of two axes ---

_BOUNDARIES = {
    "fill": None,
    "pad": None,
    "wrap": "wrap",
    "circular": "wrap",
    "symm": "symmetric",
    "symmetric": "symmetric",
}


def _fill_value(value, dtype):
    value = numpy.asarray(on_host(value))
    if value.size == 0:
        raise ValueError("`fillvalue` cannot be an empty array.")
    if value.size != 1:
        raise ValueError("`fillvalue` must be scalar or an array with one element.")
    fits = value.dtype.kind in ("biufc" if dtype.kind == "c" else "biuf")
    value = value.reshape(-1)[0]
    if fits and dtype.kind in "iu":
        limits = numpy.iinfo(dtype)
        fits = limits.min <= value <= limits.max
    if not fits:
        raise ValueError("could not cast `fillvalue` directly to the output type (it was first converted to complex).")
    return value.astype(dtype).item()


def _of_planes(in1, in2, mode, boundary, fillvalue, name):
    """`in2` is the window of a correlation where it lies."""
    if not in1.ndim == in2.ndim == 2:
        raise ValueError(f"{name} inputs must both be 2-D arrays")
    dtype = in1.dtype if in1.dtype == in2.dtype else numpy.result_type(in1.dtype, in2.dtype)
    if mode not in _MODES:
        raise ValueError(f"{_NO_MODE}.")
    if boundary not in _BOUNDARIES:
        raise ValueError("Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and 'symmetric' (or 'symm').")
    if dtype.char in "?e":
        raise ValueError(f"{name} not available for this type.")
    if in1.size == 0 or in2.size == 0:
        raise ValueError("the arrays must not be empty")
    margins = [_margins(mode, n, m) for n, m in zip(in1.shape, in2.shape)]
    if name == "correlate2d":  # the middle of an even window is the element before it, not after it
        margins = [(after, before) for before, after in margins]
    kind, fill = _BOUNDARIES[boundary], None
    if kind is not None:
        in1, margins = pad(in1, margins, mode=kind), [(0, 0), (0, 0)]
    elif not (isinstance(fillvalue, int) and fillvalue == 0):
        fill = _fill_value(fillvalue, dtype)
    before, after = zip(*margins)
    return _core._windowed(in1, in2, before, after, fill)


@beside
@described
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The convolution of two arrays of two axes, by direct sums.

    Parameters
    ----------
    in1, in2 : array_like
        The arrays.
    mode : {'full', 'same', 'valid'}
        All places with a common element, as many as `in1` has, in their middle, or those that need
        nothing around either.

    Returns
    -------
    ndarray
        In the common dtype.

    Raises
    ------
    ValueError
        For another number of axes, empty arrays, bool and float16, an unknown mode or boundary.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.convolve2d(tn.array([[1, 2], [3, 4]]), tn.array([[1, 1]]), "same")
    array([[1, 3],
           [3, 7]])
    """
    in1, in2 = as_array_of(in1), as_array_of(in2)
    if in1.ndim == in2.ndim == 2 and _must_swap(mode, in1.shape, in2.shape):
        in1, in2 = in2, in1
    return _of_planes(in1, _reversed(in2), mode, boundary, fillvalue, "convolve2d")


@beside
@described
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """The cross-correlation of two arrays of two axes, by direct sums.

    Parameters
    ----------
    in1, in2 : array_like
        The arrays; the second is conjugated.
    mode : {'full', 'same', 'valid'}
        All lags with a common element, as many as `in1` has elements, in their middle, or those
        that need nothing around either.

    Returns
    -------
    ndarray
        In the common dtype.

    Raises
    ------
    ValueError
        For another number of axes, empty arrays, bool and float16, an unknown mode or boundary.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.correlate2d(tn.array([[1, 2], [3, 4]]), tn.array([[1, 2]]), "valid")
    array([[ 5],
           [11]])
    """
    in1, in2 = as_array_of(in1), as_array_of(in2)
    is_swapped = in1.ndim == in2.ndim == 2 and _must_swap(mode, in1.shape, in2.shape)
    if is_swapped:
        in1, in2 = in2, in1
    window = in2.conj() if in2.dtype.kind == "c" else in2
    made = _of_planes(in1, window, mode, boundary, fillvalue, "correlate2d")
    return _reversed(made) if is_swapped else made


@beside
def sepfir2d(input, hrow, hcol):
    """An array of two axes, filtered along rows and along columns and mirrored at its edges.

    Parameters
    ----------
    input : array_like
        The array.
    hrow, hcol : array_like
        Odd numbers of taps: along each row, and along each column.

    Returns
    -------
    ndarray
        In the shape of `input`, in float32 if that holds its dtype, else in a wider one.

    Raises
    ------
    ValueError
        For even numbers of taps, and another number of axes.
    TypeError
        For complex taps of a real array.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.signal.sepfir2d(tn.array([[1.0, 2], [3, 4]]), [0.0, 1, 0], [0.0, 1, 0])
    array([[1., 2.],
           [3., 4.]])
    """
    input, hrow, hcol = as_array_of(input), as_array_of(hrow), as_array_of(hcol)
    if input.ndim != 2 or hrow.ndim != 1 or hcol.ndim != 1:
        raise ValueError("object too deep for desired array")
    if hrow.size % 2 == 0 or hcol.size % 2 == 0:
        raise ValueError("hrow and hcol must be odd length")
    dtype = numpy.promote_types(input.dtype, numpy.float32)
    for taps in (hrow, hcol):
        if taps.dtype.kind == "c" and dtype.kind != "c":
            raise TypeError(f"Cannot cast array data from {taps.dtype!r} to {dtype!r} according to the rule 'safe'")
    made = input.astype(dtype, copy=False)
    for axis, taps in ((1, hrow), (0, hcol)):
        half, length = taps.size // 2, input.shape[axis]
        whole = surrounded(made, half, "symmetric", axis)
        made = _core._upfirdn(taps.real, whole, axis, 1, 1, 2 * half, length)
        if taps.dtype.kind == "c":
            made = made + 1j * _core._upfirdn(taps.imag, whole, axis, 1, 1, 2 * half, length)
    return made.astype(dtype, copy=False)
