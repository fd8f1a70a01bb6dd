"""What ElementwiseKernel and ReductionKernel say of themselves: their parameters and their
programs."""

import collections

import numpy

from tenorite.cuda._raw.attributes import attribute

ParameterInfo = collections.namedtuple("ParameterInfo", "name ctype dtype raw is_const")
ParameterInfo.__doc__ = "A parameter of a kernel: its name, its type as written, the dtype (None: any), raw, const."

_TYPE_NAMES = {"?": "bool", "F": "complex64", "D": "complex128"}


def type_name(dtype):
    """The name of a dtype in kernels."""
    dtype = numpy.dtype(dtype)
    return _TYPE_NAMES.get(dtype.char, dtype.name)


def texts(values, what):
    """A list or tuple of str as a tuple."""
    if values is None:
        return ()
    if isinstance(values, str) or not all(isinstance(value, str) for value in values):
        raise TypeError(f"{what} must be a tuple of str, not {values!r}")
    return tuple(values)


class Described:
    """Attributes that both kinds of kernels have. Their class has the texts; its base has the
    parameters."""

    params = attribute("params", "All parameters, the inputs first.")
    in_params = attribute("in_params", "The parameters that are inputs.")
    out_params = attribute("out_params", "The parameters that are outputs.")
    nin = attribute("nin", "The number of inputs.")
    nout = attribute("nout", "The number of outputs.")
    nargs = attribute("nargs", "The number of parameters.")
    name = attribute("name", "The kernel's name.")
    preamble = attribute("preamble", "Text before the kernel.")
    reduce_dims = attribute("reduce_dims", "Whether axes that lie one after the other are made one.")

    def _describe(self):
        inputs, parameters = self._parameters()
        self.params = tuple(ParameterInfo(*parameter) for parameter in parameters)
        self.in_params, self.out_params = self.params[:inputs], self.params[inputs:]
        self.nin, self.nout, self.nargs = inputs, len(self.params) - inputs, len(self.params)

    @property
    def cached_codes(self):
        """Programs that were made so far: a dict of texts by the dtypes of all parameters."""
        return {tuple(dtypes.split(",")): code for dtypes, code in self._codes()}

    _cached_codes = cached_codes

    @property
    def cached_code(self):
        """The program, if calls so far had one and the same dtypes."""
        codes = self.cached_codes
        if len(codes) != 1:
            raise ValueError(f"{self.name} has {len(codes)} programs, of which none is the one; see cached_codes")
        return next(iter(codes.values()))

    def __repr__(self):
        return f"<{type(self).__name__} {self.name!r}>"
