"""Functions of arrays that are made of a text: one result element of the elements in a place."""

import numpy

import tenorite
from tenorite import _core
from tenorite._arguments import is_scalar, ndarray
from tenorite._kernels.elementwise import ElementwiseKernel
from tenorite.exceptions import CompileException
from tenorite.scipy.special._table import COMPLEX

_DOCUMENT = """{summary}

    Parameters
    ----------
    {inputs} : ndarray or number
        They broadcast. {promoted}
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

_WIDENED = """tenorite.{name}, but float16, bool and short integers become float64.

    Parameters
    ----------
    x : ndarray or number
        All integers and bool become float64, and float16.
    out : ndarray, optional
        What is written and returned.
    **options
        As tenorite.{name} has them.

    Returns
    -------
    ndarray
        Of floats.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import special
    >>> special.{name}(cp.zeros(2, "float16")).dtype
    dtype('float64')
    """

# The chapters of NIST's Digital Library of Mathematical Functions that define the functions.
_CHAPTERS = {
    "chapter 7, Error functions": "erf erfc erfcx erfinv erfcinv ndtr ndtri log_ndtr",
    "chapter 5, Gamma function": "gamma gammaln gammasgn rgamma digamma psi polygamma beta betaln poch binom",
    "chapter 8, Incomplete gamma and related functions": "gammainc gammaincc betainc bdtr bdtrc btdtr chdtr chdtrc "
    "fdtr fdtrc gdtr gdtrc nbdtr nbdtrc pdtr pdtrc",
    "chapter 10, Bessel functions": "i0 i0e i1 i1e j0 j1 k0 k0e k1 k1e y0 y1 yn",
    "chapter 25, Zeta and related functions": "zeta zetac",
}
_SOURCE = """References
    ----------
    NIST Digital Library of Mathematical Functions, {chapter}.

    """


def _source_of(name):
    """The section References of a function, if its definition stands in NIST's library."""
    chapter = next((chapter for chapter, names in _CHAPTERS.items() if name in names.split()), None)
    return _SOURCE.format(chapter=chapter) if chapter else ""


_REAL = numpy.dtype("f"), numpy.dtype("d")
_ALL = *_REAL, numpy.dtype("F"), numpy.dtype("D")

# The functions that compute float16, bool and integers of up to 16 bits in float32, as SciPy's do.
_SINGLE = set(
    "bdtr bdtrc bdtri betainc betaincinv binom boxcox boxcox1p chdtr chdtrc chdtri entr erfcinv erfinv exp1 expi fdtr "
    "fdtrc fdtri gdtr gdtrc huber inv_boxcox inv_boxcox1p kl_div lpmv ndtri pdtr pdtrc poch pseudo_huber rel_entr "
    "shichi sici zeta".split()
)
# Functions that do so unless all inputs but the last, what is counted, are integers: float64 then.
_OF_COUNTS = set("expn nbdtr nbdtrc nbdtri pdtri yn".split())
# The places of arguments that SciPy's functions take as ints of 32 bits: what fits 64 bits loses
# the upper ones there.
_COUNTS = {"bdtr": (1,), "bdtrc": (1,), "bdtri": (1,), "nbdtr": (0, 1), "nbdtrc": (0, 1), "nbdtri": (0, 1)}
_COUNTS |= {"expn": (0,), "pdtri": (0,), "yn": (0,)}


def _is_integral(one):
    return numpy.dtype(one.dtype if isinstance(one, ndarray) else numpy.result_type(one)).kind in "biu"


def _as_count(one):
    """An argument that counts, as an int of C's."""
    if isinstance(one, ndarray):
        return one.astype("i4", copy=False) if numpy.can_cast(one.dtype, "i8") else one
    return (int(one) + 2**31) % 2**32 - 2**31 if _is_integral(one) else one


def _is_double(name, given, inputs):
    """Whether a function computes in float64 what would fit float32."""
    if name in _OF_COUNTS:
        return given.kind != "c" and all(_is_integral(one) for one in inputs[:-1])
    return given.itemsize <= 2 and name not in _SINGLE


def _promoted(name):
    """What a docstring says of promotion."""
    if name in _SINGLE:
        return "Integers become float64, the short ones and bool float32."
    if name in _OF_COUNTS:
        return "Everything becomes float64 if all but the last are integers."
    return "Integers, bool and float16 become float64."


def _result_dtype(name, inputs, dtype, kinds=_REAL):
    """The first of the kinds that holds what is given: float32, float64, complex64, complex128."""
    for one in inputs:
        if not isinstance(one, ndarray) and not is_scalar(one):
            raise TypeError(
                f"Unsupported type {type(one)} for {name}(): data of the host comes to the device with "
                "tenorite.asarray(x)"
            )
    given = numpy.dtype(dtype) if dtype is not None else _core._result_type(*inputs)
    if dtype is None and _is_double(name, given, inputs):
        given = _REAL[1]
    for allowed in kinds:
        if numpy.can_cast(given, allowed):
            return allowed
    raise TypeError(
        f"{name}() takes {'real numbers' if kinds is _REAL else 'numbers'} that fit {kinds[-1]}, not {given}"
    )


def preamble(text):
    """What includes a text of special functions (src/kernel/text/special_*.cuh)."""
    return f"#include <tenorite/special_{text}.cuh>\n"


class Kernel:
    """An ElementwiseKernel that a wheel carries compiled for the host, as a loop over contiguous
    arrays of one shape and of the dtypes that are listed. Where there is no compiler, that one
    serves for other layouts, too: the arrays are copied first.

    ``all`` lists the kernels, for what packs them (tools/pack_host.py).
    """

    all = []

    def __init__(self, name, inputs, outputs, body, text, dtypes):
        self._kernel = ElementwiseKernel(
            inputs, outputs, body, f"special_{name}", preamble=preamble(text), return_tuple="," in outputs
        )
        self._count = inputs.count(",") + 1
        self.name, self.dtypes = name, dtypes
        self.all.append(self)

    def __call__(self, *arguments):
        try:
            return self._kernel(*arguments)
        except CompileException:
            return self._compute_flat(arguments[: self._count], arguments[self._count :])

    def _compute_flat(self, inputs, outputs):
        inputs = tenorite.broadcast_arrays(*inputs)
        flat = [tenorite.ascontiguousarray(one).reshape(-1) for one in inputs]
        flat += [_core.empty(flat[0].shape, one.dtype) for one in outputs]
        made = self._kernel(*flat)
        results = [one.reshape(inputs[0].shape) for one in (made if isinstance(made, tuple) else (made,))]
        for given, result in zip(outputs, results):
            _core._copyto(given, result, "same_kind")
        results = tuple(outputs) or tuple(results)
        return results if isinstance(made, tuple) else results[0]


def of_letters(letters, count):
    """All arguments of the dtype that each letter is."""
    return [(letter,) * count for letter in letters]


def _kernel(name, names, element, expression, text):
    """The kernel of an expression in which the arguments stand as doubles or complex doubles."""
    return Kernel(
        name,
        ", ".join(f"T {one}_" for one in names),
        "T result_",
        "".join(f"{element} {one}({one}_); " for one in names) + f"result_ = (T)({expression})",
        text,
        of_letters("fd" if element == "double" else "FD", len(names)),
    )


def made(text, name, names, expression, summary):
    """The function of that name, which may have an expression for complex numbers, too."""
    names = names.split()
    real, kinds, of_complex = _kernel(name, names, "double", expression, text), _REAL, None
    if name in COMPLEX:
        kinds, of_complex = _ALL, _kernel(f"{name}_complex", names, "complex<double>", COMPLEX[name], "complex")

    def compute(inputs, out, dtype):
        kind = _result_dtype(name, inputs, dtype, kinds)
        kernel = of_complex if kind.kind == "c" else real
        if name in _COUNTS:
            inputs = [_as_count(one) if k in _COUNTS[name] else one for k, one in enumerate(inputs)]
        arrays = [_core.asarray(one, dtype=kind) if is_scalar(one) else one.astype(kind, copy=False) for one in inputs]
        if out is None:
            return kernel(*arrays)
        if not isinstance(out, ndarray):
            raise TypeError(f"the result of {name}() goes to an ndarray, not {type(out).__name__}")
        if out.dtype == kind:
            return kernel(*arrays, out)
        _core._copyto(out, kernel(*arrays), "same_kind")
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
    document = _DOCUMENT
    if of_complex is not None:
        document = document.replace("float32 or float64", "float32, float64, complex64 or complex128")
        document = document.replace("If something is complex, or no array.", "If something is no array.")
    function.__doc__ = document.format(
        summary=summary,
        inputs=", ".join(inputs),
        name=name,
        arguments=arguments,
        source=_source_of(name),
        promoted=_promoted(name),
    )
    return function


def widened(ufunc):
    """One of NumPy's functions as SciPy has it: what has up to 16 bits becomes float64."""
    name = ufunc.__name__

    def function(x, /, out=None, **options):
        if type(x) is ndarray and x.itemsize <= 2:
            options.setdefault("dtype", _REAL[1])
        return ufunc(x, out, **options)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "tenorite.scipy.special"
    function.__doc__ = _WIDENED.format(name=name)
    return function
