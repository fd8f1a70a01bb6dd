"""Element-wise mathematics of stored values: functions that are 0 at 0."""

import numpy

from tenorite import _core

# Method: what it computes. All are 0 at 0.
_FUNCTIONS = {
    "sin": "the sine",
    "tan": "the tangent",
    "arcsin": "the inverse sine",
    "arctan": "the inverse tangent",
    "sinh": "the hyperbolic sine",
    "tanh": "the hyperbolic tangent",
    "arcsinh": "the inverse hyperbolic sine",
    "arctanh": "the inverse hyperbolic tangent",
    "rint": "the nearest integer",
    "sign": "the sign",
    "expm1": "exp(x) - 1",
    "log1p": "log(1 + x)",
    "deg2rad": "radians of degrees",
    "rad2deg": "degrees of radians",
    "floor": "the next integer below",
    "ceil": "the next integer above",
    "trunc": "the integer part",
    "sqrt": "the square root",
}

_TEXT = """{} of every element.

Examples
--------
>>> import tenorite as cp
>>> cp.scipy.sparse.csr_matrix(cp.zeros((2, 2))).{}().nnz
0
"""


def _method(name, text):
    function = getattr(_core, name)

    def run(self):
        return self._with_data(function(self._mathematical()))

    run.__name__ = name
    run.__qualname__ = f"_Mathematics.{name}"
    run.__doc__ = _TEXT.format(text[0].upper() + text[1:], name)
    return run


class _Mathematics:
    """Functions of every element."""

    def _mathematical(self):
        """The values that a function is computed of: no halves, and one for a place."""
        data = self._canonical_data()
        if data.dtype.kind in "bui" and data.dtype.itemsize < 4:
            return data.astype(numpy.float32)
        return data

    locals().update({name: _method(name, text) for name, text in _FUNCTIONS.items()})
