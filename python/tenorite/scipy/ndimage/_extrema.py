"""The least, the largest and the middle of the elements that have a label."""

import numpy

from tenorite import _core
from tenorite._arguments import beside
from tenorite._numpy.grids import unravel_index
from tenorite._numpy.indexing import where
from tenorite._numpy.quantiles import median as _median
from tenorite._numpy.sorting import lexsort
from tenorite.scipy.ndimage._documents import measured
from tenorite.scipy.ndimage._groups import Groups, chosen, is_one

__all__ = ["extrema", "maximum", "maximum_position", "median", "minimum", "minimum_position"]


def _places_of(places, shape):
    """Places in order C as indices: a tuple of arrays without axes, or a list of these."""
    if places.ndim == 0:
        return unravel_index(places, shape)
    return list(zip(*unravel_index(places.ravel(), shape), strict=True))


def _place_in(values, mask, function):
    """Where the extreme of one group is."""
    place = function(values)
    return place if mask is None else _core.nonzero(mask.ravel())[0][place]


def _extreme(input, labels, index, least, wants_place):
    """The least or the largest values, or where they are."""
    if is_one(labels, index):
        values, mask = chosen(input, labels, index)
        if not wants_place:
            return values.min() if least else values.max()
        return _place_in(values, mask, _core.argmin if least else _core.argmax)
    groups = Groups(input, labels, index, needs_elements=True)
    ends = groups.ends(_core.fmin if least else _core.maximum)
    return groups.take(groups.places(ends, not least) if wants_place else ends)


@measured
@beside
def minimum(input, labels=None, index=None):
    """The least of the elements that have a label.

    Returns
    -------
    ndarray
        A value for each label of `index`, of the input's dtype, 0 where no element has the label;
        without axes for one group.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.minimum(tn.array([3, 2, 4, 8]), tn.array([1, 1, 0, 2]), [1, 2])
    array([2, 8])
    """
    return _extreme(input, labels, index, True, False)


@measured
@beside
def maximum(input, labels=None, index=None):
    """The largest of the elements that have a label.

    Returns
    -------
    ndarray
        A value for each label of `index`, of the input's dtype, 0 where no element has the label;
        without axes for one group.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.maximum(tn.array([3, 2, 4, 8]), tn.array([1, 1, 0, 2]), [1, 2])
    array([3, 8])
    """
    return _extreme(input, labels, index, False, False)


@measured
@beside
def minimum_position(input, labels=None, index=None):
    """Where the least of the elements that have a label is.

    Returns
    -------
    tuple of ndarray, or list of tuples
        The index along each axis, arrays of int64 without axes, of the first of equal elements; a
        tuple for each label of `index`, if that is a sequence.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.minimum_position(tn.array([3, 2, 4, 8]), tn.array([1, 1, 0, 2]), [1, 2])
    [(array(1),), (array(3),)]
    """
    return _places_of(_extreme(input, labels, index, True, True), numpy.shape(input))


@measured
@beside
def maximum_position(input, labels=None, index=None):
    """Where the largest of the elements that have a label is.

    Returns
    -------
    tuple of ndarray, or list of tuples
        The index along each axis, arrays of int64 without axes; of equal elements the first for one
        group, else the last. A tuple for each label of `index`, if that is a sequence.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.maximum_position(tn.array([3, 2, 4, 8]), tn.array([1, 1, 0, 2]), [1, 2])
    [(array(0),), (array(3),)]
    """
    return _places_of(_extreme(input, labels, index, False, True), numpy.shape(input))


@measured
@beside
def extrema(input, labels=None, index=None):
    """The least and the largest of the elements that have a label, and where they are.

    Returns
    -------
    minimums, maximums : ndarray
        As `minimum` and `maximum` give them.
    min_positions, max_positions : tuple of ndarray, or list of tuples
        As `minimum_position` and `maximum_position` give them.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.extrema(tn.array([3, 2, 4, 8]))
    (array(2), array(8), (array(1),), (array(3),))
    """
    shape = numpy.shape(input)
    if is_one(labels, index):
        values, mask = chosen(input, labels, index)
        found = [values.min(), values.max()]
        places = [_place_in(values, mask, function) for function in (_core.argmin, _core.argmax)]
    else:
        groups = Groups(input, labels, index, needs_elements=True)
        ends = [groups.ends(ufunc) for ufunc in (_core.fmin, _core.maximum)]
        found = [groups.take(end) for end in ends]
        places = [groups.take(groups.places(end, k == 1)) for k, end in enumerate(ends)]
    return (*found, *(_places_of(place, shape) for place in places))


@measured
@beside
def median(input, labels=None, index=None):
    """The median of the elements that have a label.

    Returns
    -------
    ndarray
        A value for each label of `index`, of float64 for integers, else of the input's dtype;
        without axes for one group. Where no element has the label, as in SciPy, the least value
        of the lowest label.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.median(tn.array([3, 2, 4, 8]), tn.array([1, 1, 0, 2]), [1, 2])
    array([2.5, 8. ])
    """
    if is_one(labels, index):
        return _median(chosen(input, labels, index)[0])
    groups = Groups(input, labels, index, needs_elements=True)
    order = lexsort((groups.values, groups.numbers))
    values = groups.values[order]
    if values.dtype.kind in "biu":
        values = values.astype("d")
    counts = groups.counts()
    ends = counts.cumsum()
    half = (counts - 1) // 2
    low = _core.maximum(ends - counts + half, 0) % values.size
    middle = (values[low] + values[ends - 1 - half]) / 2
    # As in SciPy, where no element has the label it is the first of all in order.
    middle = where(counts > 0, middle, values[0]).astype(values.dtype, copy=False)
    return where(groups.is_found, middle[groups.asked], values[0])
