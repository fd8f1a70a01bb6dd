"""Elements of images by label.

Labels become numbers of groups, 0, 1, ...; what is asked for is found for all groups together and
taken by the index.
"""

import numpy

from tenorite import _core
from tenorite._arguments import as_array, is_scalar
from tenorite._numpy.indexing import where
from tenorite._numpy.sets import unique
from tenorite._numpy.shapes import broadcast_to


def is_one(labels, index):
    """Whether all that is asked for is one group: all elements, those of any label, or of one."""
    return labels is None or index is None or is_scalar(index)


def broadcast(input, labels):
    if input.shape == labels.shape:
        return input, labels
    shape = numpy.broadcast_shapes(input.shape, labels.shape)
    return broadcast_to(input, shape), broadcast_to(labels, shape)


def chosen(input, labels, index):
    """The elements of one group, and where they are; None for all."""
    input = as_array(input)
    if labels is None:
        return input, None
    input, labels = broadcast(input, as_array(labels))
    mask = labels > 0 if index is None else labels == index
    return input[mask], mask


class NoLabels(ValueError, IndexError):
    """Groups of nothing: SciPy raises a ValueError, CuPy an IndexError."""


_NOTHING = "zero-size array to reduction operation minimum which has no identity"


class Groups:
    """Elements with the numbers of their groups, and which groups an index asks for."""

    def __init__(self, input, labels, index, needs_elements=False):
        input, labels = broadcast(as_array(input), as_array(labels))
        index = _core.asarray(index)
        self.values, flat = input.ravel(), labels.ravel()
        if flat.size == 0 and index.size:
            raise NoLabels(f"{_NOTHING}: no labels, and index={index.tolist()}")
        if flat.size == 0 and needs_elements:
            raise ValueError(_NOTHING)
        kind, size = labels.dtype.kind, labels.dtype.itemsize
        is_counted = kind == "i" or (kind == "u" and size < 8)
        if flat.size == 0:
            flat, is_counted = flat.astype("l"), False
        least, largest = _core._extent(flat) if is_counted else (-1, -1)
        if least < 0 or largest > flat.size:
            self._number_by_value(flat, index)
        else:
            self.numbers, self.count = flat, largest + 1
            index = index.astype("l", copy=False)
            self.is_found = (index >= 0) & (index < self.count)
            self.asked = where(self.is_found, index, 0)

    def _number_by_value(self, flat, index):
        found, numbers = unique(flat, return_inverse=True)
        self.numbers, self.count = numbers.ravel(), found.size
        places = _core.searchsorted(found, index)
        self.asked = where(places < self.count, places, 0)
        self.is_found = found[self.asked] == index

    def take(self, of_groups):
        """Each result that is asked for; 0 where no element has the label."""
        return where(self.is_found, of_groups[self.asked], of_groups.dtype.type(0))

    def counts(self):
        return _core.bincount(self.numbers)

    def sums(self, values):
        return _core.bincount(self.numbers, values)

    def ends(self, ufunc):
        """The least (fmin) or largest (maximum) values of the groups, 0 of groups without any."""
        ends = _core.zeros(self.count, self.values.dtype)
        ends[self.numbers] = self.values
        ufunc.at(ends, self.numbers, self.values)
        return ends

    def places(self, ends, is_last):
        """Where the groups have these values: the first of each, or the last."""
        here = ends[self.numbers]
        is_end = self.values == here
        if self.values.dtype.kind in "fc":
            is_end |= (self.values != self.values) & (here != here)
        found = _core.nonzero(is_end)[0]
        found = found if is_last else found[::-1]
        places = _core.zeros(self.count, "l")
        places[self.numbers[found]] = found
        return places
