"""What CuPy's tests of images ask."""

import numpy
import tenorite

__all__ = ["_is_integer_output"]


def _is_integer_output(output, input):
    """Whether a function of `input` gives integers, for its argument `output`."""
    wanted = input if output is None else output
    return numpy.dtype(wanted.dtype if isinstance(wanted, tenorite.ndarray) else wanted).kind in "iu"
