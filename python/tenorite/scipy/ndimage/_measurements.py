"""Sums, means, histograms and any function of the elements that have a label."""

import math

import numpy

from tenorite import _core
from tenorite._arguments import as_array, beside, is_scalar
from tenorite._numpy.histograms import histogram as _histogram
from tenorite.scipy.ndimage._documents import measured
from tenorite.scipy.ndimage._groups import Groups, broadcast, chosen, is_one

__all__ = [
    "center_of_mass",
    "histogram",
    "labeled_comprehension",
    "mean",
    "standard_deviation",
    "sum",
    "sum_labels",
    "variance",
]


_MANY = 4096  # elements that are worth more than a search for each


def _centred(values):
    """The sum of the squared distances from the mean."""
    centred = values - values.mean()
    return (centred * centred.conj()).sum()


@measured
@beside
def sum_labels(input, labels=None, index=None):
    """Sum the elements that have a label.

    Returns
    -------
    ndarray
        A sum for each label of `index`, of float64 and its shape; without axes for one group.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.sum_labels(tn.array([1, 2, 4, 8]), tn.array([1, 1, 0, 2]), [1, 2])
    array([3., 8.])
    """
    if is_one(labels, index):
        return chosen(input, labels, index)[0].sum()
    groups = Groups(input, labels, index)
    return groups.take(groups.sums(groups.values))


@measured
def sum(input, labels=None, index=None):
    """Sum the elements that have a label, as `sum_labels` does.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.sum(tn.array([1, 2, 4, 8]), tn.array([1, 1, 0, 2]), [1, 2])
    array([3., 8.])
    """
    return sum_labels(input, labels, index)


@measured
@beside
def mean(input, labels=None, index=None):
    """The mean of the elements that have a label.

    Returns
    -------
    ndarray
        A mean for each label of `index`, of float64 and its shape, NaN where no element has the
        label; without axes for one group.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.mean(tn.array([1, 2, 4, 8]), tn.array([1, 1, 0, 2]), [1, 2])
    array([1.5, 8. ])
    """
    if is_one(labels, index):
        values = chosen(input, labels, index)[0]
        return values.sum() / numpy.float64(values.size)
    groups = Groups(input, labels, index)
    return groups.take(groups.sums(groups.values)) / groups.take(groups.counts())


@measured
@beside
def variance(input, labels=None, index=None):
    """The variance of the elements that have a label.

    Returns
    -------
    ndarray
        A variance for each label of `index`, of float64 and its shape, NaN where no element has the
        label; without axes for one group.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.variance(tn.array([1, 2, 4, 8]), tn.array([1, 1, 0, 2]), [1, 2])
    array([0.25, 0.  ])
    """
    if is_one(labels, index):
        values = chosen(input, labels, index)[0]
        return _centred(values) / numpy.float64(values.size)
    groups = Groups(input, labels, index)
    counts = groups.counts()
    centred = groups.values - (groups.sums(groups.values) / counts)[groups.numbers]
    return groups.take(groups.sums(centred * centred)) / groups.take(counts)


@measured
@beside
def standard_deviation(input, labels=None, index=None):
    """The standard deviation of the elements that have a label.

    Returns
    -------
    ndarray
        A deviation for each label of `index`, of float64 and its shape, NaN where no element has
        the label; without axes for one group.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.standard_deviation(tn.array([1, 2, 4, 8]), tn.array([1, 1, 0, 2]), [1, 2])
    array([0.5, 0. ])
    """
    return _core.sqrt(variance(input, labels, index))


@measured
@beside
def center_of_mass(input, labels=None, index=None):
    """The centre of mass of the elements that have a label.

    Returns
    -------
    tuple of ndarray, or list of tuples
        The place along each axis, arrays of float64 without axes; a tuple for each label of
        `index`, if that is a sequence.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> [float(at) for at in ndimage.center_of_mass(tn.array([[0, 1, 1], [0, 1, 1]]))]
    [0.5, 1.5]
    """
    input = as_array(input)
    mass = sum_labels(input, labels, index)
    places = []
    for axis, size in enumerate(input.shape):
        grid = _core.arange(float(size)).reshape((size,) + (1,) * (input.ndim - axis - 1))
        places.append(sum_labels(input * grid, labels, index) / mass)
    if mass.ndim == 0:
        return tuple(places)
    if not places:
        raise IndexError("tuple index out of range: a centre of mass needs an image with axes")
    return [tuple(place) for place in _core.stack(places).T]


@measured
@beside
def labeled_comprehension(input, labels, index, func, out_dtype, default, pass_positions=False):
    """Call a function with the elements of each label.

    Returns
    -------
    ndarray or list
        A result for each label of `index`; for one group what the function returns.

    Raises
    ------
    ValueError
        An index without labels, shapes that are not broadcast, or an index that the labels' dtype
        cannot hold.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> image, labels = tn.array([3, 2, 4, 8]), tn.array([1, 1, 0, 2])
    >>> ndimage.labeled_comprehension(image, labels, [1, 2, 3], tn.ptp, int, -1)
    array([ 1,  0, -1])
    """
    input = as_array(input)
    vectors = [input]
    if labels is None:
        if index is not None:
            raise ValueError("index without defined labels")
        vectors = [input.ravel()]
        return func(*vectors, *([_core.arange(input.size)] if pass_positions else []))
    try:
        input, labels = broadcast(input, as_array(labels))
    except ValueError as error:
        raise ValueError("input and labels must have the same shape (excepting dimensions with width 1)") from error
    vectors = [input, *([_core.arange(input.size).reshape(input.shape)] if pass_positions else [])]
    if index is None:
        return func(*(vector[labels > 0] for vector in vectors))
    asked = numpy.atleast_1d(index.get() if isinstance(index, _core.ndarray) else index)
    if numpy.any(asked.astype(labels.dtype).astype(asked.dtype) != asked):
        raise ValueError(
            f"Cannot convert index values from <{asked.dtype}> to <{labels.dtype}> (labels' type) "
            "without loss of precision"
        )
    results = _map(vectors, labels, asked.astype(labels.dtype), func, default)
    if numpy.dtype(out_dtype) == object:
        return results[0] if is_scalar(index) else results
    made = _core.stack([_core.asarray(result).astype(out_dtype) for result in results])
    return made[0] if is_scalar(index) else made.reshape(asked.shape)


def _map(vectors, labels, asked, func, default):
    """The function's result for each label that is asked for."""
    order = labels.ravel().argsort(kind="stable")
    labels = labels.ravel()[order]
    flat = _core.asarray(asked.ravel())
    begins = _core.searchsorted(labels, flat, side="left").get().tolist()
    ends = _core.searchsorted(labels, flat, side="right").get().tolist()
    vectors = [vector.ravel()[order] for vector in vectors]
    return [
        func(*(vector[begin:end] for vector in vectors)) if begin < end else default
        for begin, end in zip(begins, ends, strict=True)
    ]


@measured
@beside
def histogram(input, min, max, bins, labels=None, index=None):
    """Count the elements that have a label in bins.

    Returns
    -------
    ndarray or list
        The counts, int64; for a sequence of labels a list of them, None where no element has the
        label.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy import ndimage
    >>> ndimage.histogram(tn.array([3, 2, 4, 8]), 0, 8, 4)
    array([0, 2, 1, 1])
    """
    edges = _core.linspace(min, max, bins + 1)
    is_even = is_scalar(min) and is_scalar(max) and is_scalar(bins) and bins > 0 and -math.inf < min < max < math.inf

    def count(values):
        if is_even and values.size > _MANY and values.dtype.char in "efd":
            # Bins of one width are found without a search.
            return _histogram(values.astype("d", copy=False), bins, (min, max))[0]
        return _histogram(values, edges)[0]

    return labeled_comprehension(input, labels, index, count, object, None)
