"""Weighted sums over windows: correlation, Gaussians, derivatives."""

import functools
import numbers

import numpy

from tenorite import _core, zeros_like
from tenorite._arguments import as_array, beside, ndarray
from tenorite.scipy.ndimage import _support
from tenorite.scipy.ndimage._documents import documented

# --- Complex numbers: windows over real and imaginary parts ---


def _complex_parts(function, input, weights, output, cval, **kwargs):
    if input.dtype.kind == "c" and weights.dtype.kind == "c":
        real, imaginary = numpy.real(cval), numpy.imag(cval)
        function(input.real, weights.real, output=output.real, cval=real, **kwargs)
        output.real -= function(input.imag, weights.imag, output=None, cval=imaginary, **kwargs)
        function(input.real, weights.imag, output=output.imag, cval=real, **kwargs)
        output.imag += function(input.imag, weights.real, output=None, cval=imaginary, **kwargs)
    elif input.dtype.kind == "c":
        function(input.real, weights, output=output.real, cval=numpy.real(cval), **kwargs)
        function(input.imag, weights, output=output.imag, cval=numpy.imag(cval), **kwargs)
    else:
        if numpy.iscomplexobj(cval):
            raise ValueError("Cannot provide a complex-valued cval when the input is real.")
        function(input, weights.real, output=output.real, cval=cval, **kwargs)
        function(input, weights.imag, output=output.imag, cval=cval, **kwargs)
    return output


def _as_weights(weights):
    """An array of the device, or of the host."""
    return weights if isinstance(weights, ndarray) else numpy.asarray(weights)


# --- One axis ---


def _filter_axis(input, weights, axis, output, edge, cval, low, is_wide=False):
    """Weights, a tuple or an array, along an axis."""
    if isinstance(weights, tuple):
        windows = ((axis, len(weights), low, edge, weights),)
        _core._image_filter_axes(output, input, _support.SUM, windows, _support.real_cval(cval), is_wide)
        return output
    size, lows, edges = [1] * input.ndim, [0] * input.ndim, [0] * input.ndim
    size[axis], lows[axis], edges[axis] = weights.size, low, edge
    _core._image_filter(
        output,
        input,
        _support.SUM,
        tuple(size),
        tuple(lows),
        tuple(edges),
        _support.real_cval(cval),
        None,
        weights,
        0,
        None,
        is_wide,
    )
    return output


def _correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    input, weights = as_array(input), _as_weights(weights)
    if input.dtype.kind == "c" or weights.dtype.kind == "c":
        if weights.dtype.kind == "c":
            weights = weights.conj()
        output = _support.output_of(output, input, is_complex=True)
        return _complex_parts(_correlate1d, input, weights, output, cval, axis=axis, mode=mode, origin=origin)
    output = _support.output_of(output, input)
    if weights.ndim != 1 or weights.shape[0] < 1:
        raise RuntimeError("no filter weights given")
    axis = _support.axis_of(axis, input.ndim)
    size = weights.shape[0]
    if origin < -(size // 2) or origin > (size - 1) // 2:
        raise ValueError("Invalid origin; origin must satisfy -(len(weights) // 2) <= origin <= (len(weights)-1) // 2")
    edge, low = _support.edge_of(mode), size // 2 + int(origin)
    is_wide = _support.is_wide(input, weights)
    return _filter_axis(input, _support.weights_of(weights), axis, output, edge, cval, low, is_wide)


@documented()
@beside
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The correlation of lines along an axis with weights, of which complex ones are conjugated.

    Sums are computed in float32 where image and result are of float32 or halves and weights are no
    integers, else in float64.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.correlate1d(tn.array([2, 8, 0, 4, 1, 9, 9, 0]), weights=[1, 3])
    array([ 8, 26,  8, 12,  7, 28, 36,  9])
    """
    return _correlate1d(input, weights, axis, output, mode, cval, origin)


@documented()
@beside
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The convolution of lines along an axis with weights.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.convolve1d(tn.array([2, 8, 0, 4, 1, 9, 9, 0]), weights=[1, 3])
    array([14, 24,  4, 13, 12, 36, 27,  0])
    """
    weights = _as_weights(weights)[::-1]
    origin = -origin if weights.shape[0] & 1 else -origin - 1
    if weights.dtype.kind == "c":
        weights = weights.conj()
    return _correlate1d(input, weights, axis, output, mode, cval, origin)


# --- Any window ---


def _correlate(input, weights, output, mode, cval, origin, is_convolution, axes):
    input, weights = as_array(input), _as_weights(weights)
    if input.dtype.kind == "c" or weights.dtype.kind == "c":
        if weights.dtype.kind == "c" and not is_convolution:
            weights = weights.conj()
        output = _support.output_of(output, input, is_complex=True)

        def part(input, weights, output, cval):
            return _correlate(input, weights, output, mode, cval, origin, is_convolution, axes)

        return _complex_parts(part, input, weights, output, cval)
    axes = _support.axes_of(axes, input.ndim)
    weights, origins = _support.placed_window(weights, origin, axes, input.ndim, "weights")
    if weights.size == 0:  # an axis more, of size 0
        return zeros_like(input)
    if is_convolution:
        weights = weights[(slice(None, None, -1),) * weights.ndim]
        origins = [-o if size & 1 else -o - 1 for o, size in zip(origins, weights.shape, strict=True)]
    lows = [size // 2 + o for o, size in zip(origins, weights.shape, strict=True)]
    if any(low < 0 or low >= size for low, size in zip(lows, weights.shape, strict=True)):
        raise ValueError(
            "Invalid origin; origin must satisfy -(weights.shape[k] // 2) <= origin[k] <= (weights.shape[k]-1) // 2"
        )
    output = _support.output_of(output, input)
    if _support.is_several(mode):
        raise RuntimeError("A sequence of modes is not supported")
    _core._image_filter(
        output,
        input,
        _support.SUM,
        weights.shape,
        tuple(map(int, lows)),
        (_support.edge_of(mode),) * input.ndim,
        _support.real_cval(cval),
        None,
        _support.weights_of(weights),
        0,
        None,
        _support.is_wide(input, weights),
    )
    return output


@documented()
@beside
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The correlation of an image with weights, of which complex ones are conjugated.

    Sums are computed in float32 where image and result are of float32 or halves and weights are no
    integers, else in float64.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.correlate(tn.arange(9).reshape(3, 3), [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    array([[ 0,  1,  3],
           [ 3,  4,  6],
           [ 9, 10, 12]])
    """
    return _correlate(input, weights, output, mode, cval, origin, False, axes)


@documented()
@beside
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The convolution of an image with weights.

    Sums are computed in float32 where image and result are of float32 or halves and weights are no
    integers, else in float64.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.convolve(tn.eye(3), [[1, 1], [0, 0]], mode="constant")
    array([[1., 1., 0.],
           [0., 1., 1.],
           [0., 0., 0.]])
    """
    return _correlate(input, weights, output, mode, cval, origin, True, axes)


# --- Gaussians ---


def _derivative(x, sigma, order):
    """The polynomial that the derivative of a Gaussian is multiplied with, at x."""
    q = numpy.zeros(order + 1)
    q[0] = 1
    # q' + q p', where p' = -x / sigma^2, as a matrix over the coefficients of q
    step = numpy.diag(numpy.arange(1, order + 1), 1) + numpy.diag(numpy.ones(order) / -(sigma * sigma), -1)
    for _ in range(order):
        q = step.dot(q)
    return (x[:, None] ** numpy.arange(order + 1)).dot(q)


@functools.lru_cache(maxsize=64)
def _gaussian_weights(sigma, order, radius):
    """As a tuple, for a correlation."""
    if order < 0:
        raise ValueError("order must be non-negative")
    x = numpy.arange(-radius, radius + 1)
    phi = numpy.exp(-0.5 / (sigma * sigma) * x**2)
    phi = phi / phi.sum()
    if order:
        phi = _derivative(x, sigma, order) * phi
    return tuple(phi[::-1].tolist())


def _gaussian_line(sigma, order, truncate, radius):
    sigma = float(sigma)
    size = int(truncate * sigma + 0.5) if radius is None else radius
    if not isinstance(size, numbers.Integral) or size < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    return _gaussian_weights(sigma, int(order), int(size))


def _filter_lines(input, output, lines, cval):
    """Lines of weights, (axis, weights, edge) each, in turn; complex images by parts."""
    if input.dtype.kind == "c":
        if output.dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        _filter_lines(input.real, output.real, lines, numpy.real(cval))
        _filter_lines(input.imag, output.imag, lines, numpy.imag(cval))
        return output
    windows = tuple((axis, len(weights), len(weights) // 2, edge, weights) for axis, weights, edge in lines)
    _core._image_filter_axes(output, input, _support.SUM, windows, _support.real_cval(cval), False)
    return output


@documented(sigma=("scalar", "The standard deviation of the Gaussian."))
@beside
def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    """A Gaussian filter along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.gaussian_filter1d(tn.array([1.0, 2.0, 3.0, 4.0, 5.0]), 1).round(4)
    array([1.427 , 2.0678, 3.    , 3.9322, 4.573 ])
    """
    input = as_array(input)
    weights = _gaussian_line(sigma, order, truncate, radius)
    output = _support.output_of(output, input, is_complex=input.dtype.kind == "c")
    axis = _support.axis_of(axis, input.ndim)
    return _filter_lines(input, output, [(axis, weights, _support.edge_of(mode))], cval)


def _gaussian(input, sigma, order, output, mode, cval, truncate, radius, axes):
    input = as_array(input)
    output = _support.output_of(output, input, is_complex=input.dtype.kind == "c")
    axes = _support.axes_of(axes, input.ndim)
    count, lines = len(axes), []
    given = zip(
        axes,
        _support.sequence_of(sigma, count),
        _support.sequence_of(order, count),
        _support.sequence_of(mode, count),
        _support.sequence_of(radius, count),
        strict=True,
    )
    for axis, one, derivative, edge, size in given:
        if one > 1e-15:
            lines.append((axis, _gaussian_line(one, derivative, truncate, size), _support.edge_of(edge)))
    return _filter_lines(input, output, lines, cval)


@documented()
@beside
def gaussian_filter(
    input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None
):
    """A Gaussian filter, along one axis after the other; results between have the output's dtype.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.gaussian_filter(tn.arange(50, step=2).reshape(5, 5), sigma=1)
    array([[ 4,  6,  8,  9, 11],
           [10, 12, 14, 15, 17],
           [20, 22, 24, 25, 27],
           [29, 31, 33, 34, 36],
           [35, 37, 39, 40, 42]])
    """
    return _gaussian(input, sigma, order, output, mode, cval, truncate, radius, axes)


# --- Derivatives ---


def _edge_filter(input, axis, output, mode, cval, across):
    """The difference along an axis, and weights along the others."""
    input = as_array(input)
    axis = _support.axis_of(axis, input.ndim)
    output = _support.output_of(output, input, is_complex=input.dtype.kind == "c")
    modes = _support.sequence_of(mode, input.ndim)
    lines = [(axis, (-1.0, 0.0, 1.0), _support.edge_of(modes[axis]))]
    lines += [(k, across, _support.edge_of(modes[k])) for k in range(input.ndim) if k != axis]
    return _filter_lines(input, output, lines, cval)


@documented()
@beside
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """A Prewitt filter: the difference along an axis, summed over neighbours.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.prewitt(tn.arange(9.0).reshape(3, 3))
    array([[3., 6., 3.],
           [3., 6., 3.],
           [3., 6., 3.]])
    """
    return _edge_filter(input, axis, output, mode, cval, (1.0, 1.0, 1.0))


@documented()
@beside
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    """A Sobel filter: the difference along an axis, smoothed along the others.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.sobel(tn.arange(9.0).reshape(3, 3), axis=0)
    array([[12., 12., 12.],
           [24., 24., 24.],
           [12., 12., 12.]])
    """
    return _edge_filter(input, axis, output, mode, cval, (1.0, 2.0, 1.0))


def _combine_axes(input, function, output, mode, cval, arguments, keywords, axes, is_magnitude):
    """The sum over axes of what a function gives, or the root of the sum of squares."""
    input = as_array(input)
    output = _support.output_of(output, input)
    axes = _support.axes_of(axes, input.ndim)
    if not axes:
        output[...] = input
        return output
    modes, keywords = _support.sequence_of(mode, len(axes)), keywords or {}
    function(input, axes[0], output, modes[0], cval, *arguments, **keywords)
    if is_magnitude:
        _core.multiply(output, output, output)
    for axis, one in zip(axes[1:], modes[1:], strict=True):
        other = function(input, axis, output.dtype, one, cval, *arguments, **keywords)
        if is_magnitude:
            _core.multiply(other, other, other)
        output += other
    if is_magnitude:
        _core.sqrt(output, output, casting="unsafe")
    return output


@documented()
@beside
def generic_laplace(
    input, derivative2, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None, *, axes=None
):
    """The sum over axes of the second derivatives that a function computes.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> def second(input, axis, output, mode, cval):
    ...     return ndimage.correlate1d(input, [1.0, -2.0, 1.0], axis, output, mode, cval)
    >>> ndimage.generic_laplace(tn.array([1.0, 2.0, 4.0, 8.0]), second)
    array([ 1.,  1.,  2., -4.])
    """
    return _combine_axes(input, derivative2, output, mode, cval, extra_arguments, extra_keywords, axes, False)


@documented()
@beside
def generic_gradient_magnitude(
    input, derivative, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None, *, axes=None
):
    """The root of the sum over axes of the squared derivatives that a function computes.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.generic_gradient_magnitude(tn.arange(9.0).reshape(3, 3), ndimage.prewitt).round(3)
    array([[ 9.487, 10.817,  9.487],
           [18.248, 18.974, 18.248],
           [ 9.487, 10.817,  9.487]])
    """
    return _combine_axes(input, derivative, output, mode, cval, extra_arguments, extra_keywords, axes, True)


def _second(input, axis, output, mode, cval):
    output = _support.output_of(output, input, is_complex=input.dtype.kind == "c")
    return _filter_lines(input, output, [(axis, (1.0, -2.0, 1.0), _support.edge_of(mode))], cval)


@documented()
@beside
def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    """The Laplacian by second differences.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.laplace(tn.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]))
    array([[ 0.,  1.,  0.],
           [ 1., -4.,  1.],
           [ 0.,  1.,  0.]])
    """
    return _combine_axes(input, _second, output, mode, cval, (), None, axes, False)


def _gaussian_derivative(order):
    def derivative(input, axis, output, mode, cval, sigma, **kwargs):
        orders = [0] * input.ndim
        orders[axis] = order
        return gaussian_filter(input, sigma, orders, output, mode, cval, **kwargs)

    return derivative


_FIRST, _SECOND = _gaussian_derivative(1), _gaussian_derivative(2)


@documented()
@beside
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The Laplacian by second derivatives of a Gaussian.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.gaussian_laplace(tn.array([0.0, 0.0, 1.0, 0.0, 0.0]), 1).round(3)
    array([ 0.197,  0.002, -0.399,  0.002,  0.197])
    """
    input = as_array(input)
    used = _support.axes_of(axes, input.ndim)
    sigmas = _support.expanded(_support.sequence_of(sigma, len(used)), used, input.ndim, 0)
    return _combine_axes(input, _SECOND, output, mode, cval, (sigmas,), kwargs, used, False)


@documented()
@beside
def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs):
    """The length of the gradient by first derivatives of a Gaussian.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.gaussian_gradient_magnitude(tn.array([0.0, 0.0, 1.0, 0.0, 0.0]), 1).round(3)
    array([0.095, 0.241, 0.   , 0.241, 0.095])
    """
    return _combine_axes(input, _FIRST, output, mode, cval, (sigma,), kwargs, axes, True)


# --- Means ---


def _uniform_lines(input, output, windows, cval):
    if input.dtype.kind == "c":
        _uniform_lines(input.real, output.real, windows, numpy.real(cval))
        _uniform_lines(input.imag, output.imag, windows, numpy.imag(cval))
        return output
    _core._image_filter_axes(output, input, _support.SUM, windows, _support.real_cval(cval), False)
    return output


@documented(size=("int", "The size of the window."))
@beside
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """The mean of a window along an axis.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.uniform_filter1d(tn.array([2, 8, 0, 4, 1, 9, 9, 0]), size=3)
    array([4, 3, 4, 1, 4, 6, 6, 3])
    """
    input = as_array(input)
    axis = _support.axis_of(axis, input.ndim)
    if size < 1:
        raise RuntimeError("incorrect filter size")
    output = _support.output_of(output, input, is_complex=input.dtype.kind == "c")
    low = size // 2 + origin
    if low < 0 or low >= size:
        raise ValueError("invalid origin")
    return _uniform_lines(input, output, ((axis, size, low, _support.edge_of(mode), None),), cval)


@documented()
@beside
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    """The mean of a window, along one axis after the other.

    Results between have the output's dtype.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.uniform_filter(tn.arange(9.0).reshape(3, 3), 3)
    array([[1.33333333, 2.        , 2.66666667],
           [3.33333333, 4.        , 4.66666667],
           [5.33333333, 6.        , 6.66666667]])
    """
    input = as_array(input)
    output = _support.output_of(output, input, is_complex=input.dtype.kind == "c")
    return _uniform_lines(input, output, _support.box_windows(input, size, mode, origin, axes), cval)
