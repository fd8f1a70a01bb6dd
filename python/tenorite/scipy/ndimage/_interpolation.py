"""Images between their elements: splines through elements, and transformed images."""

import cmath
import itertools
import math
import warnings

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside, ndarray, on_host
from tenorite.scipy.ndimage._documents import interpolated

__all__ = [
    "affine_transform",
    "geometric_transform",
    "map_coordinates",
    "rotate",
    "shift",
    "spline_filter",
    "spline_filter1d",
    "zoom",
]

_ORDERS = frozenset(range(6))
_DOUBLE = numpy.dtype(numpy.float64)
_MATRIX_AXES = 2
_SINE = (
    1.58962301572218447952e-10,
    -2.50507477628503540135e-8,
    2.75573136213856773549e-6,
    -1.98412698295895384658e-4,
    8.33333333332211858862e-3,
    -1.66666666666666307295e-1,
)
_COSINE = (
    1.13678171382044553091e-11,
    -2.08758833757683644217e-9,
    2.75573155429816611547e-7,
    -2.48015872936186303776e-5,
    1.38888888888806666760e-3,
    -4.16666666666666348141e-2,
    4.99999999999999999798e-1,
)


# --- Arguments ---


def _target(output, array, shape, kind):
    """The dtype of a result, and the array that it is to be written to, or None."""
    if output is None:
        return array.dtype, None
    if isinstance(output, ndarray):
        if output.shape != shape:
            raise RuntimeError("output shape not correct")
        if kind == "c" and output.dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        return output.dtype, output
    dtype = numpy.dtype(output)
    if isinstance(output, str):
        if kind == "c" and dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        if not issubclass(dtype.type, numpy.number):
            raise RuntimeError("output must have numeric dtype")
    elif kind == "c" and dtype.kind != "c":
        warnings.warn("promoting specified output dtype to complex", stacklevel=4)
        dtype = numpy.promote_types(dtype, numpy.complex64)
    return dtype, None


def _each(value, ndim):
    """A number for each axis: that of all, or a sequence of so many."""
    if isinstance(value, float | int):
        return (value,) * ndim
    value = on_host(value)
    if isinstance(value, str) or not numpy.iterable(value):
        return (value,) * ndim
    value = tuple(value)
    if len(value) != ndim:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return value


def _image(value, order):
    """An image of at least one axis."""
    if order not in _ORDERS:
        raise RuntimeError("spline order not supported")
    array = value if isinstance(value, ndarray) else as_array(value)
    if array.ndim < 1:
        raise RuntimeError("input and output rank must be > 0")
    return array


def _check_outside(mode, cval, dtype):
    """NotImplementedError for a value beyond the edges that has no integer, as in CuPy."""
    if dtype.kind in "iu" and mode == "constant" and not cmath.isfinite(cval):
        raise NotImplementedError(f"Non-finite cval is not supported for outputs with integer dtype: {cval}, {dtype}")


def _mapped(array, target, spline, shape, matrix, offset, zoom):
    """The image at matrix @ index + offset, where zoom names the axes that are copied, or at
    (index + offset) * zoom + the last number of zoom."""
    order, mode, cval, prefilter = spline
    dtype, output = target
    _check_outside(mode, cval, dtype)
    made = _core._image_map(array, order, mode, prefilter, cval, dtype, output, shape, matrix, offset, zoom)
    return made if output is None else output


# --- Coefficients ---


def _filtered(array, order, axes, output, mode):
    """The coefficients along some axes, after each of which integers are cut off, as in SciPy."""
    kind = array.dtype.kind
    if output is numpy.float64:
        if kind != "c" and order > 1:
            return _core._image_spline(array, order, mode, axes, _DOUBLE)
        output = numpy.complex128 if kind == "c" else output
    dtype, output = _target(output, array, array.shape, kind)
    made = array
    if order in (0, 1):
        made = array.astype(dtype)
    elif dtype.kind in "biu":
        for axis in axes:
            made = _core._image_spline(made, order, mode, (axis,), _DOUBLE)
            made = (abs(made) >= 1) if dtype.kind == "b" else made.astype(dtype)
        made = made.astype(dtype, copy=made is array)
    else:
        working = numpy.promote_types(dtype, numpy.float32)
        made = _core._image_spline(made, order, mode, axes, working)
        if dtype != working:
            made = made.astype(dtype)
    if output is None:
        return made
    output[...] = made
    return output


@interpolated
@beside
def spline_filter1d(input, order=3, axis=-1, output=numpy.float64, mode="mirror"):
    """The coefficients of the B-splines through the lines of an array.

    Returns
    -------
    ndarray

    Raises
    ------
    RuntimeError
        For another order or mode, and an output of another shape.
    AxisError
        For an axis that the array has not.

    Notes
    -----
    Differs from SciPy: in modes 'reflect' and 'grid-mirror' the spline meets the elements of lines
    of fewer than 16, too; in SciPy it is off by up to 1 %.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.ndimage.spline_filter1d(tn.array([1.0, 2.0, 3.0]), order=2).round(3)
    array([0.667, 2.   , 3.333])
    """
    if order not in _ORDERS:
        raise RuntimeError("spline order not supported")
    return _filtered(as_array(input), order, (axis,), output, mode)


@interpolated
@beside
def spline_filter(input, order=3, output=numpy.float64, mode="mirror"):
    """The coefficients of the splines of an image, along all axes.

    Returns
    -------
    ndarray

    Raises
    ------
    RuntimeError
        For another order or mode, and an output of another shape.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.ndimage.spline_filter(tn.eye(2)).round(3)
    array([[ 5., -4.],
           [-4.,  5.]])
    """
    if order not in _ORDERS or order < 2:
        raise RuntimeError("spline order not supported")
    array = as_array(input)
    return _filtered(array, order, tuple(range(array.ndim)), output, mode)


# --- Transformed images ---


@interpolated
@beside
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """The values of an image at coordinates.

    Returns
    -------
    ndarray
        Of the shape of the coordinates without their first axis.

    Raises
    ------
    RuntimeError
        For an order or mode that is none, and for shapes that do not fit.
    TypeError
        For complex coordinates.

    Examples
    --------
    >>> import tenorite as tn
    >>> image = tn.arange(12.0).reshape(4, 3)
    >>> tn.scipy.ndimage.map_coordinates(image, tn.array([[0.5, 2], [0.5, 1]]), order=1)
    array([2., 7.])
    """
    if order not in _ORDERS:
        raise RuntimeError("spline order not supported")
    array, coordinates = as_array(input), as_array(coordinates)
    if coordinates.dtype.kind == "c":
        raise TypeError("Complex type not supported")
    shape, kind = coordinates.shape[1:], array.dtype.kind
    if array.ndim < 1 or len(shape) < 1:
        raise RuntimeError("input and output rank must be > 0")
    if coordinates.shape[0] != array.ndim:
        raise RuntimeError("invalid shape for coordinate array")
    dtype, output = _target(output, array, shape, kind)
    _check_outside(mode, cval, dtype)
    made = _core._image_map_coordinates(array, order, mode, prefilter, cval, dtype, output, coordinates)
    return made if output is None else output


@interpolated
@beside
def geometric_transform(
    input,
    mapping,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
    extra_arguments=(),
    extra_keywords=None,
):
    """An image through a mapping of indices to coordinates, which Python computes on the host for
    each element of the result.

    Returns
    -------
    ndarray

    Raises
    ------
    RuntimeError
        For an order or mode that is none, and for an output of another shape.
    ValueError
        For a mapping that cannot be called.
    NotImplementedError
        For a scipy.LowLevelCallable.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.ndimage.geometric_transform(
    ...     tn.array([1.0, 2.0, 3.0, 4.0]), lambda index: (index[0] - 1,), order=1, cval=-1
    ... )
    array([-1.,  1.,  2.,  3.])
    """
    array = _image(input, order)
    shape = array.shape if output_shape is None else tuple(output_shape)
    if len(shape) < 1:
        raise RuntimeError("input and output rank must be > 0")
    if type(mapping).__name__ == "LowLevelCallable":
        raise NotImplementedError("geometric_transform of a scipy.LowLevelCallable")
    if not callable(mapping):
        raise ValueError("invalid callable given")
    extra_keywords = extra_keywords or {}
    size, ndim = math.prod(shape), array.ndim
    places = itertools.chain.from_iterable(
        mapping(index, *extra_arguments, **extra_keywords)[:ndim] for index in numpy.ndindex(*shape)
    )
    coordinates = numpy.fromiter(places, numpy.float64, size * ndim).reshape(*shape, ndim)
    coordinates = _core.asarray(numpy.ascontiguousarray(numpy.moveaxis(coordinates, -1, 0)))
    return map_coordinates(array, coordinates, output, order, mode, cval, prefilter)


def _read_matrix(matrix, offset, ndim, columns, shape):
    """The matrix, or its diagonal, and the offset, of any form that SciPy takes."""
    matrix = numpy.asarray(on_host(matrix), dtype=numpy.float64)
    if matrix.ndim not in (1, _MATRIX_AXES) or matrix.shape[0] < 1:
        raise RuntimeError("no proper affine matrix provided")
    if matrix.ndim == _MATRIX_AXES and matrix.shape[1] == ndim + 1 and matrix.shape[0] in (ndim, ndim + 1):
        last = [0] * ndim + [1]
        if matrix.shape[0] == ndim + 1 and matrix[ndim].tolist() != last:
            raise ValueError(
                f"Expected homogeneous transformation matrix with shape {matrix.shape} for image "
                f"shape {shape}, but bottom row was not equal to {last}"
            )
        offset = matrix[:ndim, ndim].tolist()
        matrix = matrix[:ndim, :ndim]
    if matrix.shape[0] != ndim:
        raise RuntimeError("affine matrix has wrong number of rows")
    if matrix.ndim == _MATRIX_AXES and matrix.shape[1] != columns:
        raise RuntimeError("affine matrix has wrong number of columns")
    offset = _each(offset, ndim)
    if any(numpy.ndim(one) for one in offset):
        raise RuntimeError("no proper offset provided")
    return matrix, offset


def _check_texture(array, matrix, order, mode):
    """What texture hardware takes, as CuPy says it."""
    ndim = array.ndim
    if ndim not in (2, 3):
        raise ValueError(
            "Texture memory affine transformation is defined only for 2D and 3D arrays without channel dimension."
        )
    if array.dtype != numpy.float32:
        raise ValueError(
            f"Texture memory affine transformation is available only for float32 data type (not {array.dtype})"
        )
    if order not in (0, 1):
        raise ValueError("Texture memory affine transformation is available only for orders 0 and 1")
    if numpy.shape(on_host(matrix)) != (ndim + 1, ndim + 1):
        raise ValueError("Matrix must be of shape (ndim + 1, ndim + 1)")
    if mode not in ("constant", "nearest"):
        raise ValueError(f"Unsupported address mode {mode} (supported: constant, nearest)")


@interpolated
@beside
def affine_transform(
    input,
    matrix,
    offset=0.0,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
    *,
    texture_memory=False,
    float64_coords=False,
):
    """An image through an affine map: element `o` of the result is the image at
    ``matrix @ o + offset``.

    Returns
    -------
    ndarray

    Raises
    ------
    RuntimeError
        For an order or mode that is none, and for a matrix or output of another shape.
    ValueError
        For a homogeneous matrix with another last row, and for what textures do not take.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.ndimage.affine_transform(tn.array([[1.0, 2.0], [3.0, 4.0]]), [[0, 1], [1, 0]])
    array([[1., 3.],
           [2., 4.]])
    """
    if output_shape is None and isinstance(output, ndarray):
        output_shape = output.shape
    array = _image(input, order)
    shape = array.shape if output_shape is None else tuple(output_shape)
    if len(shape) < 1:
        raise RuntimeError("input and output rank must be > 0")
    if texture_memory:
        _check_texture(array, matrix, order, mode)
    target = _target(output, array, shape, array.dtype.kind)
    matrix, offset = _read_matrix(matrix, offset, array.ndim, len(shape), array.shape)
    spline = order, mode, cval, prefilter
    if matrix.ndim == _MATRIX_AXES:
        return _mapped(array, target, spline, shape, tuple(matrix.ravel().tolist()), offset, None)
    if len(shape) != array.ndim:
        raise RuntimeError("affine matrix has wrong number of columns")
    factors = matrix.tolist()
    if 0 in factors:  # such an axis has one place, by which nothing is divided
        return _mapped(array, target, spline, shape, tuple(numpy.diag(matrix).ravel().tolist()), offset, None)
    offset = tuple((numpy.array(offset, numpy.float64) / matrix).tolist())
    return _mapped(array, target, spline, shape, None, offset, (*factors, 0.0))


@interpolated
@beside
def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """An image moved along its axes.

    Returns
    -------
    ndarray
        Of the image's shape.

    Raises
    ------
    RuntimeError
        For an order or mode that is none, and for another number of shifts.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.ndimage.shift(tn.array([1.0, 2.0, 3.0]), 1, cval=-1).round(3)
    array([-1.,  1.,  2.])
    """
    array = _image(input, order)
    shape = array.shape
    target = _target(output, array, shape, array.dtype.kind)
    offset = tuple([-one for one in _each(shift, len(shape))])
    return _mapped(array, target, (order, mode, cval, prefilter), shape, None, offset, (1.0,) * len(shape) + (0.0,))


@interpolated
@beside
def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    """An image of another size.

    Returns
    -------
    ndarray
        Along each axis of the rounded product of the size and the factor.

    Raises
    ------
    RuntimeError
        For an order or mode that is none, and for another number of factors.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.ndimage.zoom(tn.array([1.0, 2.0, 3.0]), 5 / 3, order=1)
    array([1. , 1.5, 2. , 2.5, 3. ])
    """
    array = _image(input, order)
    factors = _each(zoom, array.ndim)
    shape = tuple([round(size * factor) for size, factor in zip(array.shape, factors, strict=True)])
    if min(shape) < 0:
        raise ValueError("negative dimensions are not allowed")
    target = _target(output, array, shape, array.dtype.kind)
    _check_outside(mode, cval, target[0])
    if prefilter and all(factor == 1 for factor in factors):
        if target[1] is None:
            return array.astype(target[0])
        target[1][...] = array
        return target[1]
    if grid_mode and mode in ("constant", "wrap"):
        warnings.warn(
            f"It is recommended to use mode = grid-{mode} instead of {mode} when grid_mode is True.", stacklevel=3
        )
    less = 0 if grid_mode else 1
    steps = tuple(
        [(one - less) / (size - less) if size != less else 1.0 for one, size in zip(array.shape, shape, strict=True)]
    )
    spline = order, mode, cval, prefilter
    middle = 0.5 if grid_mode else 0.0
    return _mapped(array, target, spline, shape, None, (middle,) * len(shape), (*steps, -middle))


def _cosine_and_sine(angle):
    """Of degrees, rounded as SciPy's: Cephes' polynomials (Moshier, 1989) about quarter turns."""
    rest = abs(math.fmod(angle, 360.0))
    octant = int(rest // 45.0)
    octant += octant & 1
    x = (rest - octant * 45.0) * 1.74532925199432957692e-2
    square = x * x
    s = c = 0.0
    for one in _SINE:
        s = s * square + one
    for one in _COSINE:
        c = c * square + one
    s, c = x + x * (square * s), 1.0 - square * c
    c, s = ((c, s), (-s, c), (-c, -s), (s, -c))[octant // 2 % 4]
    return c, -s if angle < 0 else s


@interpolated
@beside
def rotate(input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    """An image turned in the plane of two axes.

    Returns
    -------
    ndarray

    Raises
    ------
    ValueError
        For axes that are no plane of the image.
    RuntimeError
        For an order or mode that is none, and for an output of another shape.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.ndimage.rotate(tn.array([[1.0, 2.0], [3.0, 4.0]]), 90)
    array([[2., 4.],
           [1., 3.]])
    """
    array = as_array(input)
    ndim, axes = array.ndim, list(axes)
    if ndim < _MATRIX_AXES:
        raise ValueError("input array should be at least 2D")
    if len(axes) != _MATRIX_AXES:
        raise ValueError("axes should contain exactly two values")
    if not all(float(axis).is_integer() for axis in axes):
        raise ValueError("axes should contain only integer values")
    a, b = sorted(int(axis) + (ndim if axis < 0 else 0) for axis in axes)
    if a < 0 or b >= ndim:
        raise ValueError("invalid rotation plane specified")
    if order not in _ORDERS:
        raise RuntimeError("spline order not supported")
    c, s = _cosine_and_sine(float(angle))
    shape, height, width = list(array.shape), array.shape[a], array.shape[b]
    turned = numpy.array([[c, s], [-s, c]])
    if reshape:
        corners = turned @ [[0, 0, height, height], [0, width, 0, width]]
        shape[a], shape[b] = (int(max(row) - min(row) + 0.5) for row in corners.tolist())
    shape = tuple(shape)
    target = _target(output, array, shape, array.dtype.kind)
    matrix, offset = [0.0] * (ndim * ndim), [0.0] * ndim
    matrix[:: ndim + 1] = [1.0] * ndim
    matrix[a * ndim + a], matrix[a * ndim + b] = c, s
    matrix[b * ndim + a], matrix[b * ndim + b] = -s, c
    y, x = (turned @ [(shape[a] - 1) / 2, (shape[b] - 1) / 2]).tolist()
    offset[a], offset[b] = (height - 1) / 2 - y, (width - 1) / 2 - x
    spline = order, mode, cval, prefilter
    planes = tuple([axis for axis in range(ndim) if axis not in (a, b)])
    return _mapped(array, target, spline, shape, tuple(matrix), tuple(offset), planes)
