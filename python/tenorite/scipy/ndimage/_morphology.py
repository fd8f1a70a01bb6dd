"""Grey morphology: what erosions and dilations of images are composed to."""

import warnings

import numpy

from tenorite import _core
from tenorite._arguments import beside, ndarray
from tenorite.scipy.ndimage import _support
from tenorite.scipy.ndimage._documents import documented
from tenorite.scipy.ndimage._ranks import extreme

_SIZES = {"size": ("int or sequence of int, optional", "The size of a flat structuring element.")}


def _erode(input, size, footprint, structure, output, mode, cval, origin, axes):
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")
    return extreme(input, size, footprint, structure, output, mode, cval, origin, _support.LEAST, axes, 5)


def _mirrored(window):
    window = _support.host_array(window)
    return window[(slice(None, None, -1),) * window.ndim]


def _dilate(input, size, footprint, structure, output, mode, cval, origin, axes):
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")
    structure = None if structure is None else _mirrored(structure)
    footprint = None if footprint is None else _mirrored(footprint)
    input = _support.real_image(input)
    count = len(_support.axes_of(axes, input.ndim))
    sizes = size
    if footprint is not None:
        sizes = footprint.shape
    elif structure is not None:
        sizes = structure.shape
    elif numpy.isscalar(size):
        sizes = [size] * count
    origins = [
        -one if extent & 1 else -one - 1
        for one, extent in zip(_support.sequence_of(origin, count), sizes, strict=False)
    ]
    return extreme(input, size, footprint, structure, output, mode, cval, origins, _support.MOST, axes, 5)


def _warn(size, footprint):
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=4)


@documented(**_SIZES)
@beside
def grey_erosion(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The erosion of an image: the least of the elements less those of the structuring element.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.grey_erosion(tn.array([0, 3, 3, 3, 0, 1]), size=3)
    array([0, 0, 3, 0, 0, 0])
    """
    return _erode(input, size, footprint, structure, output, mode, cval, origin, axes)


@documented(**_SIZES)
@beside
def grey_dilation(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The dilation of an image: the largest of the elements plus those of the structuring element.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.grey_dilation(tn.array([0, 3, 0, 0, 0, 1]), size=3)
    array([3, 3, 3, 0, 1, 1])
    """
    return _dilate(input, size, footprint, structure, output, mode, cval, origin, axes)


@documented(**_SIZES)
@beside
def grey_opening(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The dilation of the erosion of an image, which takes narrow peaks away.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.grey_opening(tn.array([0, 9, 0, 4, 4, 4, 0]), size=3)
    array([0, 0, 0, 4, 4, 4, 0])
    """
    _warn(size, footprint)
    made = _erode(input, size, footprint, structure, None, mode, cval, origin, axes)
    return _dilate(made, size, footprint, structure, output, mode, cval, origin, axes)


@documented(**_SIZES)
@beside
def grey_closing(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The erosion of the dilation of an image, which fills narrow gaps.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.grey_closing(tn.array([5, 5, 0, 5, 5, 1, 1]), size=3)
    array([5, 5, 5, 5, 5, 1, 1])
    """
    _warn(size, footprint)
    made = _dilate(input, size, footprint, structure, None, mode, cval, origin, axes)
    return _erode(made, size, footprint, structure, output, mode, cval, origin, axes)


@documented(**_SIZES)
@beside
def morphological_gradient(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The dilation of an image less its erosion.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.morphological_gradient(tn.array([0, 0, 0, 5, 5, 5]), size=3)
    array([0, 0, 5, 5, 0, 0])
    """
    made = _dilate(input, size, footprint, structure, None, mode, cval, origin, axes)
    if isinstance(output, ndarray):
        _erode(input, size, footprint, structure, output, mode, cval, origin, axes)
        return _core.subtract(made, output, output)
    return made - _erode(input, size, footprint, structure, None, mode, cval, origin, axes)


@documented(**_SIZES)
@beside
def morphological_laplace(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The dilation of an image plus its erosion, less the image twice.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.morphological_laplace(tn.array([0, 0, 0, 5, 5, 5]), size=3)
    array([ 0,  0,  5, -5,  0,  0])
    """
    input = _support.real_image(input)
    made = _dilate(input, size, footprint, structure, None, mode, cval, origin, axes)
    given = output if isinstance(output, ndarray) else None
    eroded = _erode(input, size, footprint, structure, given, mode, cval, origin, axes)
    _core.add(made, eroded, eroded)
    _core.subtract(eroded, input, eroded)
    return _core.subtract(eroded, input, eroded)


def _difference(a, b, to):
    """a - b, of bool their difference as sets."""
    return (_core.bitwise_xor if a.dtype == b.dtype == numpy.bool_ else _core.subtract)(a, b, to)


@documented(**_SIZES)
@beside
def white_tophat(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """An image less its opening: its narrow peaks.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.white_tophat(tn.array([0, 9, 0, 4, 4, 4, 0]), size=3)
    array([0, 9, 0, 0, 0, 0, 0])
    """
    _warn(size, footprint)
    input = _support.real_image(input)
    made = _erode(input, size, footprint, structure, None, mode, cval, origin, axes)
    made = _dilate(made, size, footprint, structure, output, mode, cval, origin, axes)
    return _difference(input, made, made)


@documented(**_SIZES)
@beside
def black_tophat(
    input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    """The closing of an image less the image: its narrow gaps.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.black_tophat(tn.array([5, 5, 0, 5, 5, 1, 1]), size=3)
    array([0, 0, 5, 0, 0, 0, 0])
    """
    _warn(size, footprint)
    input = _support.real_image(input)
    made = _dilate(input, size, footprint, structure, None, mode, cval, origin, axes)
    made = _erode(made, size, footprint, structure, output, mode, cval, origin, axes)
    return _difference(made, input, made)
