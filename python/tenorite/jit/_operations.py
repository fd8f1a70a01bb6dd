"""Operations on numbers in translated functions: which dtypes they have, by NumPy's rules or by
those of CUDA C++, and their text, which is that of the ufuncs themselves. Only functions that are
no ufuncs of this package have a text here.
"""

import warnings

import numpy

from tenorite import _core
from tenorite.jit._types import BOOL, RANKS, Constant, Scalar, Value, is_number, literal, number_type

# Real functions of a real number, of Python's math and of CUDA.
_REAL = {
    **{name: f"{name}(in0)" for name in "erf erfc erfinv erfcinv erfcx j0 j1 y0 y1 rsqrt".split()},
    "gamma": "tgamma(in0)",
    "gammaln": "lgamma(in0)",
    "ndtr": "normcdf(in0)",
}

# Functions that are no ufuncs of NumPy's and of Python's math.
_OF_NUMPY = {"radians": "deg2rad", "degrees": "rad2deg"}
_OF_MATH = _OF_NUMPY | {
    "pow": "power",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "atan2": "arctan2",
    "lgamma": "gammaln",
    "remainder": None,
}
_AS_FUNCTIONS = ("where", "clip", "real", "imag", "sinc", "i0", "isposinf", "isneginf", "isreal", "iscomplex")
_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


def _ufunc(name):
    """The operation of a name, which is a ufunc of this package or a function that is like one."""
    for one in (name, f"_{name}"):
        found = getattr(_core, one or "", None)
        if isinstance(found, _core.ufunc):
            return found
    return None


def name_of(function):
    """The operation that a function stands for, or None."""
    name, module = (getattr(function, one, None) for one in ("__name__", "__module__"))
    if isinstance(function, (_core.ufunc, numpy.ufunc)):
        return _OF_NUMPY.get(name) or getattr(getattr(_core, name, None), "__name__", name)
    if module == "math":
        name = _OF_MATH.get(name, name)
        return name if name in _REAL or _ufunc(name) else None
    return name if module in ("numpy", "tenorite") and name in _AS_FUNCTIONS else None


_KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def cast(value, type, casting="same_kind"):
    """A value as a number of `type`. A literal becomes one of the type."""
    if isinstance(value, Constant):
        number = value.value
        if not is_number(number):
            raise TypeError(f"a kernel can't use a value of type {builtins_name(number)}")
        if _KINDS[number_type(number, "numpy").kind] > _KINDS[type.kind]:
            if casting != "unsafe":
                raise TypeError(f"the number {number!r} does not fit {type.dtype}; write {type.dtype}({number!r})")
            number = number.real
        return Value(literal(number, type), type)
    if not isinstance(value.type, Scalar):
        raise TypeError(f"a {value.type} is no number")
    if value.type == type:
        return value
    if not numpy.can_cast(value.type.dtype, type.dtype, casting):
        raise TypeError(
            f"Cannot cast {value.type.dtype} to {type.dtype} by the rule {casting!r}; write {type.dtype}(...) around it"
        )
    if value.type.kind == "c" and type.kind not in "cb":
        warnings.warn(
            "Casting complex values to real discards the imaginary part", numpy.exceptions.ComplexWarning, stacklevel=2
        )
    return Value(convert(value.text, value.type, type), type, value.is_pure)


def builtins_name(value):
    return getattr(type(value), "__name__", str(value))


def convert(text, old, new):
    """The text of a number of another type."""
    if new == BOOL:
        return f"({text} != ({old})0)"
    if old.kind == "c" and new.kind != "c":
        text = f"real({text})"
    if new.is_short_float and old.kind != "f":
        return f"({new})(float)({text})"
    return f"({new})({text})"


def _weak(value):
    """The dtype of an operand, or a literal, for NumPy's rules."""
    if isinstance(value, Constant):
        if not is_number(value.value):
            raise TypeError(f"a kernel can't compute with a value of type {builtins_name(value.value)}")
        return value.value
    if not isinstance(value.type, Scalar):
        raise TypeError(f"a {value.type} is no number; index it, or name one of its parts")
    return value.type.dtype


def _ranked(values, mode):
    """The largest of the dtypes by CUDA C++'s order of types."""
    types = [number_type(value.value, mode) if isinstance(value, Constant) else value.type for value in values]
    for type in types:
        if not isinstance(type, Scalar):
            raise TypeError(f"a {type} is no number; index it, or name one of its parts")
    known = [type.dtype for type in types if type.dtype.char in RANKS]
    largest = max(known, key=lambda dtype: RANKS.index(dtype.char), default=None)
    others = [type.dtype for type in types if type.dtype.char not in RANKS]
    if others and (largest is None or largest.kind not in "fc" or largest.itemsize <= 2):
        return numpy.dtype("f4") if largest is not None and largest.char == "e" else others[0]
    return largest


def _float_of(dtype):
    """The dtype of a real function of a number."""
    if dtype.kind == "c":
        raise TypeError(f"there is no such function of {dtype}")
    return dtype if dtype.kind not in "biu" else numpy.dtype("f8")


def _exact(name, values):
    """Operands of a comparison, of which Python's integers that the others can't hold have a dtype
    that can."""
    dtypes = [value.type.dtype for value in values if isinstance(value, Value)]
    if name not in _COMPARISONS or any(dtype.kind not in "iu" for dtype in dtypes):
        return values
    limits = [numpy.iinfo(dtype) for dtype in dtypes]
    exact = []
    for value in values:
        number = value.value if isinstance(value, Constant) else 0
        if type(number) is int and any(not one.min <= number <= one.max for one in limits):
            fitting = [dtype for dtype in "qQ" if numpy.iinfo(dtype).min <= number <= numpy.iinfo(dtype).max]
            infinity = float("inf") if number > 0 else -float("inf")
            value = Constant(numpy.dtype(fitting[0]).type(number) if fitting else numpy.float64(infinity))
        exact.append(value)
    return exact


def _operands(name, values, mode):
    """The dtypes of operands, and numbers, that a loop is chosen for."""
    numbers = values[1:] if name == "where" else values
    if mode == "cuda" and name != "ldexp":
        given = [_ranked(numbers, mode)] * len(numbers)
    else:
        given = [_weak(value) for value in numbers]
    return [numpy.dtype("?")] * (len(values) - len(numbers)) + given


def _common(values, mode):
    if mode == "cuda":
        return _ranked(values, mode)
    weak = [_weak(value) for value in values]
    return numpy.result_type(*[one if isinstance(one, (numpy.dtype, numpy.generic)) else type(one)(1) for one in weak])


def common(values, mode):
    """The type that all values become together."""
    return Scalar(_common(values, mode))


def check_ordered(sign, values):
    """Refuses complex numbers, which Python does not order."""
    kinds = [type(one.value) if isinstance(one, Constant) else one.type.dtype.type for one in values]
    if any(issubclass(kind, (complex, numpy.complexfloating)) for kind in kinds):
        one, other = (kind.__name__ for kind in kinds)
        raise TypeError(
            f"'{sign}' not supported between instances of '{one}' and '{other}'; compare their real, imag or abs"
        )


def apply(name, values, env, dtype=None):
    """The value of an operation; the values of one that has several results."""
    if name in _REAL:
        (value,) = values
        type_ = Scalar(_float_of(env.value(value).type.dtype))
        wide = Scalar("f4") if type_.is_short_float else type_
        value = cast(cast(value, type_, "unsafe"), wide)
        return cast(Value(_REAL[name].replace("in0", value.text), wide, value.is_pure), type_)
    ufunc = _ufunc(name)
    if ufunc is None:
        raise NotImplementedError(f"kernels have no operation {name!r}; write it by those that this package has")
    if len(values) != ufunc.nin:
        raise ValueError(f"{name} takes {ufunc.nin} numbers, not {len(values)}")
    values = _exact(name, values) if env.mode == "numpy" else values
    function, text, loop = ufunc._text(tuple(_operands(name, values, env.mode)), dtype)
    if name == "power" and loop[0].kind == "i":
        function = "tni_power"
    else:
        env.add_preamble(text)
    casts = ["unsafe" if env.mode == "cuda" or (name == "where" and k == 0) else "same_kind" for k in range(ufunc.nin)]
    values = list(map(cast, values, map(Scalar, loop), casts))
    if ufunc.nout > 1:
        values = [env.settled(value) if value.acts else value for value in values]
    given, is_pure = ", ".join(map(str, values)), all(value.is_pure for value in values)
    made = [
        Value(f"{function}{suffix}({given})", Scalar(one), is_pure)
        for suffix, one in zip(("", "_second"), loop[ufunc.nin :])
    ]
    return made[0] if len(made) == 1 else env.tuple(made)
