"""What CuPy's tests of images ask."""

import numpy

__all__ = ["_is_integer_output"]


def _is_integer_output(output, input):
    """Whether a function of `input` gives integers, for its argument `output`."""
    wanted = input if output is None else output
    return numpy.dtype(getattr(wanted, "dtype", wanted)).kind in "iu"
