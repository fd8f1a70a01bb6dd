"""Structures: which of the elements around one are its neighbours."""

import functools

import numpy

from tenorite._arguments import on_host


@functools.cache
def structure_of(rank, connectivity):
    """The flags of SciPy's generate_binary_structure, as bytes."""
    steps = numpy.abs(numpy.indices((3,) * rank) - 1).sum(0)
    return (steps <= connectivity).tobytes()


def read_structure(structure, rank, refusal=ValueError):
    """The flags of a structure, one axis of 3 for each of the image, as an array of NumPy's."""
    flags = numpy.ascontiguousarray(on_host(structure), dtype=bool).reshape(numpy.shape(structure))
    if flags.ndim != rank:
        raise RuntimeError("structure and input must have equal rank")
    if any(size != 3 for size in flags.shape):
        raise refusal("structure dimensions must be equal to 3")
    return flags
