"""Binary morphology: windows in which all elements, or one of them, must be set."""

import functools
import operator

import numpy

from tenorite import _core, where
from tenorite._arguments import as_array, beside, ndarray
from tenorite.scipy.ndimage import _support
from tenorite.scipy.ndimage._documents import documented


@functools.lru_cache(16)
def _cross(rank, connectivity):
    if rank < 1:
        return numpy.array(True)
    distance = numpy.add.reduce(numpy.abs(numpy.indices([3] * rank) - 1), 0)
    made = distance <= max(connectivity, 1)
    made.flags.writeable = False
    return made


@documented(
    returns=("ndarray", "An array of bool with a size of 3 along each axis."),
    rank=("int", "The number of axes."),
    connectivity=("int", "Along how many axes neighbours may lie off the middle at once."),
)
def generate_binary_structure(rank, connectivity):
    """A structuring element: the neighbours of an element.

    Examples
    --------
    >>> from tenorite.scipy import ndimage
    >>> ndimage.generate_binary_structure(2, 1)
    array([[False,  True, False],
           [ True,  True,  True],
           [False,  True, False]])
    """
    return _core.asarray(_cross(rank, connectivity))


@documented(
    returns=("ndarray or tuple", "The structure; with `origin` a tuple of it and the origins, as a list."),
    structure=("array_like", "The structuring element."),
    iterations=("int", "How often it is dilated by itself, the first time counted."),
)
@beside
def iterate_structure(structure, iterations, origin=None):
    """A structuring element dilated by itself.

    Examples
    --------
    >>> from tenorite.scipy import ndimage
    >>> ndimage.iterate_structure(ndimage.generate_binary_structure(1, 1), 3)
    array([ True,  True,  True,  True,  True,  True,  True])
    """
    host = _support.host_array(structure)
    if iterations < 2:
        return _core.array(structure)
    more = iterations - 1
    out = numpy.zeros([size + more * (size - 1) for size in host.shape], bool)
    starts = [more * (size // 2) for size in host.shape]
    out[tuple(slice(at, at + size) for at, size in zip(starts, host.shape, strict=True))] = host != 0
    made = binary_dilation(_core.asarray(out), host, iterations=more)
    if origin is None:
        return made
    return made, [iterations * one for one in _support.sequence_of(origin, host.ndim)]


# --- Erosions, and dilations as erosions of the complement ---


def _mirrored(structure, origins):
    structure = structure[(slice(None, None, -1),) * structure.ndim]
    return structure, [-one if size & 1 else -one - 1 for one, size in zip(origins, structure.shape, strict=True)]


class _Look:
    """A window over an image, and what a look at all its places gives."""

    def __init__(self, input, structure, mask, border_value, origins, is_dilation):
        self.size = structure.shape
        self.lows = tuple(size // 2 + one for size, one in zip(structure.shape, origins, strict=True))
        if any(not 0 <= low < size for low, size in zip(self.lows, self.size, strict=True)):
            raise ValueError("invalid origin")
        self.is_dilation, self.mask = is_dilation, mask
        self.beyond = 1.0 if border_value else 0.0
        self.has_middle = bool(structure[self.lows])
        self.is_empty = not structure.any()
        self.places = None if self.is_empty else _support.places_of(structure)
        self.edges = (_support.CONSTANT,) * input.ndim

    def __call__(self, output, input):
        if self.is_empty:  # all of no elements, one of none
            if self.mask is None:
                output[...] = not self.is_dilation
            else:
                output[...] = where(self.mask, not self.is_dilation, input)
            return
        op = _support.MOST if self.is_dilation else _support.LEAST
        window = (self.size, self.lows, self.edges, self.beyond, self.places, None, 0, self.mask, False)
        _core._image_filter(output, input, op, *window)

    def until_stable(self, image):
        """In place, of a window that has its own element."""
        if self.is_dilation:
            beyond, spread = self.beyond, image
        else:
            beyond, spread = 1.0 - self.beyond, _core.logical_not(image)
        if not self.is_empty:
            _core._image_propagate(spread, self.mask, self.size, self.lows, beyond, self.places)
        if not self.is_dilation:
            _core.logical_not(spread, image)


def _repeat(look, input, output, iterations):
    """So many looks, or as many as change something. All arrays are of bool."""
    if iterations < 1 and look.has_middle:
        look(output, input)
        look.until_stable(output)
        return output
    other = _core.empty_like(output, order="C")
    look(output, input)
    done = 1
    is_changed = iterations < 1 and bool((input != output).any())
    while done < iterations or is_changed:
        look(other, output)
        is_changed = iterations < 1 and bool((other != output).any())
        output, other = other, output
        done += 1
    return output


def _structure_of(structure, rank):
    """A structure of the host's. As in CuPy sizes of a box may stand for it: an int for all axes,
    or, of several axes, a tuple of them."""
    if structure is None:
        return _cross(rank, 1)
    sizes = (structure,) * rank if isinstance(structure, int) else structure
    if isinstance(sizes, tuple) and (sizes is not structure or rank > 1) and all(type(one) is int for one in sizes):
        return numpy.ones(sizes, bool)
    return _support.host_array(structure, bool)


def _erosion(input, structure, iterations, mask, output, border_value, origin, is_dilation, axes):
    try:
        iterations = operator.index(iterations)
    except TypeError as error:
        raise TypeError("iterations parameter should be an integer") from error
    input = _support.real_image(input)
    axes = _support.axes_of(axes, input.ndim)
    structure = _structure_of(structure, len(axes))
    structure = _support.expanded_window(structure, axes, input.ndim, "structure")
    if structure.ndim != input.ndim:
        raise RuntimeError("structure and input must have same dimensionality")
    if structure.size < 1:
        raise RuntimeError("structure must not be empty")
    if mask is not None:
        mask = as_array(mask)
        if mask.shape != input.shape:
            raise RuntimeError("mask and input must have equal sizes")
        mask = mask.astype(bool, copy=False)
    origins = _support.expanded(_support.sequence_of(origin, len(axes)), axes, input.ndim, 0)
    if isinstance(output, ndarray):
        if output.dtype.kind == "c":
            raise TypeError("Complex output type not supported")
        output = _support.output_of(output, input)
    else:
        output = _support.output_of(bool, input)
    look = _Look(input, structure, mask, border_value, origins, is_dilation)
    image = input.astype(bool, copy=False)
    if iterations == 1:
        look(output, image)
        return output
    made = _core.empty_like(image, order="C")
    made = _repeat(look, image, made, iterations) if image.size else made
    output[...] = made
    return output


def _dilation(input, structure, iterations, mask, output, border_value, origin, axes):
    input = _support.real_image(input)
    axes = _support.axes_of(axes, input.ndim)
    structure, origins = _structure_of(structure, len(axes)), _support.sequence_of(origin, len(axes))
    if structure.ndim == len(axes):
        structure, origins = _mirrored(structure, origins)
    return _erosion(input, structure, iterations, mask, output, border_value, origins, True, axes)


@documented()
@beside
def binary_erosion(
    input,
    structure=None,
    iterations=1,
    mask=None,
    output=None,
    border_value=0,
    origin=0,
    brute_force=False,
    *,
    axes=None,
):
    """Where all elements of the structuring element are set.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.binary_erosion(tn.array([0, 1, 1, 1, 1, 0, 1])).astype(int)
    array([0, 0, 1, 1, 0, 0, 0])
    """
    return _erosion(input, structure, iterations, mask, output, border_value, origin, False, axes)


@documented()
@beside
def binary_dilation(
    input,
    structure=None,
    iterations=1,
    mask=None,
    output=None,
    border_value=0,
    origin=0,
    brute_force=False,
    *,
    axes=None,
):
    """Where an element of the mirrored structuring element is set.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.binary_dilation(tn.array([0, 0, 1, 0, 0, 0, 0])).astype(int)
    array([0, 1, 1, 1, 0, 0, 0])
    """
    return _dilation(input, structure, iterations, mask, output, border_value, origin, axes)


@documented()
@beside
def binary_opening(
    input,
    structure=None,
    iterations=1,
    output=None,
    origin=0,
    mask=None,
    border_value=0,
    brute_force=False,
    *,
    axes=None,
):
    """The dilation of the erosion of an image, which takes small objects away.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.binary_opening(tn.array([0, 1, 0, 1, 1, 1, 0])).astype(int)
    array([0, 0, 0, 1, 1, 1, 0])
    """
    made = _erosion(input, structure, iterations, mask, None, border_value, origin, False, axes)
    return _dilation(made, structure, iterations, mask, output, border_value, origin, axes)


@documented()
@beside
def binary_closing(
    input,
    structure=None,
    iterations=1,
    output=None,
    origin=0,
    mask=None,
    border_value=0,
    brute_force=False,
    *,
    axes=None,
):
    """The erosion of the dilation of an image, which fills small gaps.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.binary_closing(tn.array([0, 0, 1, 0, 1, 0, 0])).astype(int)
    array([0, 0, 1, 1, 1, 0, 0])
    """
    made = _dilation(input, structure, iterations, mask, None, border_value, origin, axes)
    return _erosion(made, structure, iterations, mask, output, border_value, origin, False, axes)


@documented()
@beside
def binary_hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0, origin2=None, *, axes=None):
    """Where all elements of a structuring element are set and none of another is.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.binary_hit_or_miss(tn.array([0, 1, 0, 1, 1, 0, 0]), [0, 1, 0]).astype(int)
    array([0, 1, 0, 0, 0, 0, 0])
    """
    input = _support.real_image(input)
    count = len(_support.axes_of(axes, input.ndim))
    structure1 = _cross(count, 1) if structure1 is None else _support.host_array(structure1)
    structure2 = numpy.logical_not(structure1) if structure2 is None else structure2
    origin1 = _support.sequence_of(origin1, count)
    origin2 = origin1 if origin2 is None else _support.sequence_of(origin2, count)
    hits = _erosion(input, structure1, 1, None, None, 0, origin1, False, axes)
    misses = _erosion(input, structure2, 1, None, output, 0, origin2, True, axes)
    _core.logical_not(misses, misses)
    if isinstance(output, ndarray):
        _core.logical_and(hits, misses, misses)
        return None
    return _core.logical_and(hits, misses)


@documented()
@beside
def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0, *, axes=None):
    """Dilations within a mask until nothing changes.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> start, mask = tn.array([0, 1, 0, 0, 0, 0]), tn.array([1, 1, 1, 0, 1, 1])
    >>> ndimage.binary_propagation(start, mask=mask).astype(int)
    array([1, 1, 1, 0, 0, 0])
    """
    return _dilation(input, structure, -1, mask, output, border_value, origin, axes)


@documented()
@beside
def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None):
    """An image with the parts set that its complement's outside does not reach.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.binary_fill_holes(tn.array([[1, 1, 1], [1, 0, 1], [1, 1, 1]])).astype(int)
    array([[1, 1, 1],
           [1, 1, 1],
           [1, 1, 1]])
    """
    mask = _core.logical_not(as_array(input))
    start = _core.zeros_like(mask)
    if isinstance(output, ndarray):
        _dilation(start, structure, -1, mask, output, 1, origin, axes)
        _core.logical_not(output, output)
        return None
    output = _dilation(start, structure, -1, mask, None, 1, origin, axes)
    return _core.logical_not(output, output)
