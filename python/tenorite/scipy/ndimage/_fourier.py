"""Filters of Fourier transforms: products with the transform of what would be convolved with."""

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside, ndarray, on_host
from tenorite.scipy.ndimage._documents import transformed

__all__ = ["fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"]

_GAUSSIAN, _UNIFORM, _ELLIPSOID, _SHIFT = range(4)  # as tn_fourier_filter numbers them
_FLOATS, _COMPLEX = "fdFD", "FD"
_ELLIPSOID_AXES = 3


def _filtered(filter, array, sizes, n, axis, output):
    array = array if isinstance(array, ndarray) else as_array(array)
    allowed = _COMPLEX if filter == _SHIFT else _FLOATS
    dtype, target = array.dtype, None
    if output is None:
        if dtype.char not in "fFD" or dtype.char not in allowed:
            dtype = numpy.dtype(numpy.complex128 if filter == _SHIFT else numpy.float64)
    elif isinstance(output, ndarray):
        if output.shape != array.shape:
            raise RuntimeError("output shape not correct")
        dtype, target = output.dtype, output
    else:
        dtype = numpy.dtype(output)
    if dtype.char not in allowed:
        raise RuntimeError("output type not supported")
    ndim = array.ndim
    if not isinstance(sizes, float | int):
        sizes = on_host(sizes)
        sizes = tuple(sizes) if numpy.iterable(sizes) and not isinstance(sizes, str) else float(sizes)
    sizes = sizes if isinstance(sizes, tuple) else (sizes,) * ndim
    if len(sizes) != ndim:
        raise RuntimeError("sequence argument must have length equal to input rank")
    made = _core._image_fourier(array, filter, sizes, n, axis, dtype, target)
    return made if target is None else target


@transformed
@beside
def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None):
    """A Fourier transform times that of a Gaussian.

    Raises
    ------
    RuntimeError
        For an output of another shape or dtype, and for another number of deviations.
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.ndimage.fourier_gaussian(tn.ones(4), 0.5).round(3)
    array([1.   , 0.735, 0.291, 0.735])
    """
    return _filtered(_GAUSSIAN, input, sigma, n, axis, output)


@transformed
@beside
def fourier_uniform(input, size, n=-1, axis=-1, output=None):
    """A Fourier transform times that of a box.

    Raises
    ------
    RuntimeError
        For an output of another shape or dtype, and for another number of sizes.
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.ndimage.fourier_uniform(tn.ones(4), 2).round(3)
    array([1.   , 0.637, 0.   , 0.637])
    """
    return _filtered(_UNIFORM, input, size, n, axis, output)


@transformed
@beside
def fourier_ellipsoid(input, size, n=-1, axis=-1, output=None):
    """A Fourier transform times that of an ellipse or ellipsoid.

    Raises
    ------
    RuntimeError
        For an output of another shape or dtype, and for another number of sizes.
    NotImplementedError
        For more than three axes.
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.ndimage.fourier_ellipsoid(tn.ones((2, 2)), 1).round(3)
    array([[1.   , 0.722],
           [0.722, 0.498]])
    """
    if getattr(input, "ndim", 0) > _ELLIPSOID_AXES:
        raise NotImplementedError("Only 1d, 2d and 3d inputs are supported")
    return _filtered(_ELLIPSOID, input, size, n, axis, output)


@transformed
@beside
def fourier_shift(input, shift, n=-1, axis=-1, output=None):
    """A Fourier transform times that of a shift.

    Returns
    -------
    ndarray
        Complex.

    Raises
    ------
    RuntimeError
        For an output of another shape or dtype, and for another number of shifts.
    AxisError
        For an axis that the array has not.

    Examples
    --------
    >>> import tenorite as tn
    >>> moved = tn.scipy.ndimage.fourier_shift(tn.fft.fft(tn.array([1.0, 2.0, 3.0, 4.0])), 1)
    >>> tn.fft.ifft(moved).real.round(3)
    array([4., 1., 2., 3.])
    """
    return _filtered(_SHIFT, input, shift, n, axis, output)
