"""Functions of arrays that are made of a text: one result element of the elements in a place."""

import numpy

from tenorite import _core
from tenorite._arguments import is_scalar, ndarray
from tenorite._kernels.elementwise import ElementwiseKernel
from tenorite.scipy.special._bodies import TEXT

_DOCUMENT = """{summary}

    Parameters
    ----------
    {inputs} : ndarray or number
        They broadcast. Integers become float64, the short ones and bool float32.
    out : ndarray, optional
        What is written and returned.
    dtype : dtype, optional
        float32 or float64: in which the result is.

    Returns
    -------
    ndarray
        float32 or float64.

    Raises
    ------
    TypeError
        If something is complex, or no array.

    {source}Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> special.{name}({arguments}).shape
    (2,)
    """

# The chapters of NIST's Digital Library of Mathematical Functions that define the functions.
_CHAPTERS = {
    "chapter 7, Error functions": "erf erfc erfcx erfinv erfcinv ndtr ndtri log_ndtr",
    "chapter 5, Gamma function": "gamma gammaln gammasgn rgamma digamma psi polygamma beta betaln poch binom",
    "chapter 8, Incomplete gamma and related functions": "gammainc gammaincc betainc bdtr bdtrc btdtr chdtr chdtrc "
        "fdtr fdtrc gdtr gdtrc nbdtr nbdtrc pdtr pdtrc",
    "chapter 10, Bessel functions": "i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e y0 y1 yn",
    "chapter 25, Zeta and related functions": "zeta zetac",
}  # fmt: skip
_SOURCE = """References
    ----------
    NIST Digital Library of Mathematical Functions, {chapter}.

    """


def _source_of(name):
    """The section References of a function, if its definition stands in NIST's library."""
    chapter = next((chapter for chapter, names in _CHAPTERS.items() if name in names.split()), None)
    return _SOURCE.format(chapter=chapter) if chapter else ""


def _result_dtype(name, inputs, dtype):
    """float32 where that holds what is given, else float64."""
    for one in inputs:
        if not isinstance(one, ndarray) and not is_scalar(one):
            raise TypeError(
                f"Unsupported type {type(one)} for {name}(): data of the host comes to the device with "
                "tenorite.asarray(x)"
            )
    given = numpy.dtype(dtype) if dtype is not None else _core._result_type(*inputs)
    for allowed in (numpy.float32, numpy.float64):
        if numpy.can_cast(given, allowed):
            return numpy.dtype(allowed)
    raise TypeError(f"{name}() takes real numbers that fit float64, not {given}")


def made(name, names, expression, summary):
    """The function of that name, whose arguments stand in the expression as doubles."""
    names = names.split()
    kernel = ElementwiseKernel(
        ", ".join(f"T {one}_" for one in names), "T result_",
        "".join(f"double {one} = {one}_; " for one in names) + f"result_ = (T)({expression})",
        f"special_{name}", preamble=TEXT,
    )  # fmt: skip

    def compute(inputs, out, dtype):
        kind = _result_dtype(name, inputs, dtype)
        arrays = [_core.asarray(one, dtype=kind) if is_scalar(one) else one.astype(kind, copy=False) for one in inputs]
        if out is None:
            return kernel(*arrays)
        if not isinstance(out, ndarray):
            raise TypeError(f"the result of {name}() goes to an ndarray, not {type(out).__name__}")
        if out.dtype == kind:
            return kernel(*arrays, out)
        _core._assign(out, kernel(*arrays), "same_kind")
        return out

    if len(names) == 1:

        def function(x, out=None, *, dtype=None):
            return compute((x,), out, dtype)

    elif len(names) == 2:

        def function(x, y, out=None, *, dtype=None):
            return compute((x, y), out, dtype)

    else:

        def function(x, y, z, out=None, *, dtype=None):
            return compute((x, y, z), out, dtype)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "tenorite.scipy.special"
    inputs = ["x", "y", "z"][: len(names)]
    arguments = ", ".join(["cp.array([0.25, 0.5])"] * len(names))
    function.__doc__ = _DOCUMENT.format(
        summary=summary, inputs=", ".join(inputs), name=name, arguments=arguments, source=_source_of(name)
    )
    return function
