"""Operations on numbers in translated functions: which dtypes they have, by NumPy's rules or by
those of CUDA C++, and their text in C++.

A text names its operands `in0`, `in1`, `in2`, which have one type each by then; numbers of 16 bits
are float. A function of the text that begins with `tni_` stands in HELPERS.
"""

import re
import warnings

import numpy

import tenorite
from tenorite.jit._types import BOOL, RANKS, Constant, Scalar, Value, is_number, literal, number_type

_UNARY = "sin cos tan sinh cosh tanh exp sqrt log log10"
_REAL = ("exp2 expm1 log2 log1p cbrt floor ceil trunc rint erf erfc erfinv erfcinv erfcx lgamma j0 j1 y0 y1 rsqrt "
         "fmod nextafter copysign hypot")  # fmt: skip

# Texts by kind of the computed dtype ("b", "i", "u", "f", "c"); "" is any other.
TEXTS = {
    **{name: {"f": f"{name}({'in0, in1' if name in 'fmod nextafter copysign hypot'.split() else 'in0'})"}
       for name in _REAL.split()},
    **{name: {"f": f"{name}(in0)", "c": f"{name}(in0)"} for name in _UNARY.split()},
    "add": {"b": "(in0 || in1)", "": "(in0 + in1)"},
    "subtract": {"": "(in0 - in1)"},
    "multiply": {"b": "(in0 && in1)", "": "(in0 * in1)"},
    "divide": {"": "(in0 / in1)"},
    "floor_divide": {"": "tni_floor_divide(in0, in1)"},
    "remainder": {"": "tni_remainder(in0, in1)"},
    "fmod": {"f": "fmod(in0, in1)", "": "tni_fmod(in0, in1)"},
    "power": {"f": "pow(in0, in1)", "c": "pow(in0, in1)", "": "tni_power(in0, in1)"},
    "float_power": {"": "pow(in0, in1)"},
    "negative": {"": "(-in0)"},
    "positive": {"": "(+in0)"},
    "absolute": {"b": "in0", "u": "in0", "i": "tni_absolute(in0)", "f": "fabs(in0)", "c": "abs(in0)"},
    "fabs": {"": "fabs(in0)"},
    "sign": {"": "tni_sign(in0)"},
    "square": {"": "tni_square(in0)"},
    "reciprocal": {"i": "tni_reciprocal(in0)", "u": "tni_reciprocal(in0)", "": "((in0_type)1 / in0)"},
    "arcsin": {"f": "asin(in0)"}, "arccos": {"f": "acos(in0)"}, "arctan": {"f": "atan(in0)"},
    "arcsinh": {"f": "asinh(in0)"}, "arccosh": {"f": "acosh(in0)"}, "arctanh": {"f": "atanh(in0)"},
    "arctan2": {"f": "atan2(in0, in1)"},
    "gamma": {"f": "tgamma(in0)"}, "gammaln": {"f": "lgamma(in0)"}, "ndtr": {"f": "normcdf(in0)"},
    "deg2rad": {"f": "(in0 * (in0_type)0.017453292519943295)"},
    "rad2deg": {"f": "(in0 * (in0_type)57.29577951308232)"},
    "ldexp": {"f": "ldexp(in0, (int)in1)"},
    "logaddexp": {"f": "tni_logaddexp(in0, in1)"}, "logaddexp2": {"f": "tni_logaddexp2(in0, in1)"},
    "maximum": {"f": "tni_maximum(in0, in1)", "c": None, "": "(in0 > in1 ? in0 : in1)"},
    "minimum": {"f": "tni_minimum(in0, in1)", "c": None, "": "(in0 < in1 ? in0 : in1)"},
    "fmax": {"f": "fmax(in0, in1)", "c": None, "": "(in0 > in1 ? in0 : in1)"},
    "fmin": {"f": "fmin(in0, in1)", "c": None, "": "(in0 < in1 ? in0 : in1)"},
    "equal": {"": "(in0 == in1)"}, "not_equal": {"": "(in0 != in1)"},
    "less": {"c": None, "": "(in0 < in1)"}, "less_equal": {"c": None, "": "(in0 <= in1)"},
    "greater": {"c": None, "": "(in0 > in1)"}, "greater_equal": {"c": None, "": "(in0 >= in1)"},
    "logical_and": {"": "((in0 != (in0_type)0) && (in1 != (in1_type)0))"},
    "logical_or": {"": "((in0 != (in0_type)0) || (in1 != (in1_type)0))"},
    "logical_xor": {"": "((in0 != (in0_type)0) != (in1 != (in1_type)0))"},
    "logical_not": {"": "(in0 == (in0_type)0)"},
    "bitwise_and": {"": "(in0 & in1)"}, "bitwise_or": {"": "(in0 | in1)"}, "bitwise_xor": {"": "(in0 ^ in1)"},
    "invert": {"b": "(!in0)", "": "(~in0)"},
    "left_shift": {"": "tni_left_shift(in0, in1)"}, "right_shift": {"": "tni_right_shift(in0, in1)"},
    "bitwise_count": {"": "__popcll((unsigned long long)tni_magnitude(in0))"},
    "gcd": {"": "tni_gcd(in0, in1)"}, "lcm": {"": "tni_lcm(in0, in1)"},
    "heaviside": {"f": "tni_heaviside(in0, in1)"},
    "isnan": {"f": "isnan(in0)", "c": "isnan(in0)", "": "((void)(in0), false)"},
    "isfinite": {"f": "isfinite(in0)", "c": "isfinite(in0)", "": "((void)(in0), true)"},
    "isinf": {"f": "isinf(in0)", "": "((void)(in0), false)"},
    "signbit": {"f": "signbit(in0)"},
    "conjugate": {"c": "conj(in0)", "": "in0"},
    "real": {"c": "real(in0)", "": "in0"}, "imag": {"c": "imag(in0)", "": "((in0_type)0 * in0)"},
    "where": {"": "(in0 ? in1 : in2)"},
    "clip": {"c": None, "": "tni_clip(in0, in1, in2)"},
}  # fmt: skip

HELPERS = {
    "tni_floor_divide": """
template <class T> __device__ inline T tni_floor_divide(T a, T b) {
    if (b == 0) return 0;
    if (T(-1) < T(0) && b == T(-1)) return T(0ull - (unsigned long long)a);
    return T(a / b - (a % b != 0 && (a < 0) != (b < 0)));
}
template <class T> __device__ inline T tni_floor_quotient(T a, T b) {
    if (b == 0) return a / b;
    T rest = fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return copysign(T(0), a / b);
    T down = floor(quotient);
    return quotient - down > T(0.5) ? down + 1 : down;
}
__device__ inline float tni_floor_divide(float a, float b) { return tni_floor_quotient(a, b); }
__device__ inline double tni_floor_divide(double a, double b) { return tni_floor_quotient(a, b); }
""",
    "tni_remainder": """
template <class T> __device__ inline T tni_remainder(T a, T b) {
    if (b == 0 || (T(-1) < T(0) && b == T(-1))) return 0;
    T rest = T(a % b);
    return rest != 0 && (b < 0) != (rest < 0) ? T(rest + b) : rest;
}
template <class T> __device__ inline T tni_real_remainder(T a, T b) {
    T rest = fmod(a, b);
    if (rest == 0) return b == 0 ? rest : copysign(T(0), b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
}
__device__ inline float tni_remainder(float a, float b) { return tni_real_remainder(a, b); }
__device__ inline double tni_remainder(double a, double b) { return tni_real_remainder(a, b); }
""",
    "tni_fmod": """
template <class T> __device__ inline T tni_fmod(T a, T b) {
    return b == 0 || (T(-1) < T(0) && b == T(-1)) ? T(0) : T(a % b);
}
""",
    "tni_power": """
template <class T> __device__ inline T tni_power(T a, T b) {
    if (T(-1) < T(0) && b < 0) return a == T(1) ? 1 : a == T(-1) ? (b % 2 ? -1 : 1) : 0;
    unsigned long long result = 1, base = (unsigned long long)a;
    for (unsigned long long n = (unsigned long long)b; n; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return T(result);
}
""",
    "tni_absolute": """
template <class T> __device__ inline T tni_absolute(T a) { return a < 0 ? T(-a) : a; }
""",
    "tni_sign": """
template <class T> __device__ inline T tni_sign(T a) { return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a; }
template <class T> __device__ inline complex<T> tni_sign(complex<T> a) {
    T size = abs(a);
    return size == 0 ? complex<T>(0) : a / complex<T>(size);
}
""",
    "tni_square": """
template <class T> __device__ inline T tni_square(T a) { return a * a; }
""",
    "tni_reciprocal": """
template <class T> __device__ inline T tni_reciprocal(T a) { return a == 0 ? T(0) : T(1 / a); }
""",
    "tni_logaddexp": """
template <class T> __device__ inline T tni_logaddexp(T a, T b) {
    if (a == b) return a + T(0.6931471805599453);
    return a > b ? a + log1p(exp(b - a)) : a < b ? b + log1p(exp(a - b)) : a + b;
}
""",
    "tni_logaddexp2": """
template <class T> __device__ inline T tni_logaddexp2(T a, T b) {
    if (a == b) return a + 1;
    const T e = T(1.4426950408889634);
    return a > b ? a + e * log1p(exp2(b - a)) : a < b ? b + e * log1p(exp2(a - b)) : a + b;
}
""",
    "tni_maximum": """
template <class T> __device__ inline T tni_maximum(T a, T b) { return a >= b || a != a ? a : b; }
""",
    "tni_minimum": """
template <class T> __device__ inline T tni_minimum(T a, T b) { return a <= b || a != a ? a : b; }
""",
    "tni_left_shift": """
template <class T, class U> __device__ inline T tni_left_shift(T a, U by) {
    return by >= 0 && by < U(8 * sizeof a) ? T((unsigned long long)a << by) : T(0);
}
""",
    "tni_right_shift": """
template <class T, class U> __device__ inline T tni_right_shift(T a, U by) {
    return by >= 0 && by < U(8 * sizeof a) ? T(a >> by) : a < 0 ? T(-1) : T(0);
}
""",
    "tni_magnitude": """
template <class T> __device__ inline T tni_magnitude(T a) { return a < 0 ? T(-a) : a; }
""",
    "tni_gcd": """
template <class T> __device__ inline T tni_gcd(T a, T b) {
    while (b != 0) {
        T rest = T(a % b);
        a = b;
        b = rest;
    }
    return a < 0 ? T(-a) : a;
}
""",
    "tni_lcm": """
template <class T> __device__ inline T tni_lcm(T a, T b) {
    T x = a, y = b;
    while (y != 0) {
        T rest = T(x % y);
        x = y;
        y = rest;
    }
    if (x == 0) return 0;
    T result = T(a / x * b);
    return result < 0 ? T(-result) : result;
}
""",
    "tni_heaviside": """
template <class T> __device__ inline T tni_heaviside(T a, T b) { return a != a ? a : a == 0 ? b : a < 0 ? T(0) : T(1); }
""",
    "tni_clip": """
template <class T> __device__ inline T tni_clip(T a, T low, T high) {
    return a != a ? a : low != low || a < low ? (high < low ? high : low) : high != high || high < a ? high : a;
}
""",
}

# Functions that are no ufuncs of NumPy's and of Python's math.
_OF_MATH = {"pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh",
            "acosh": "arccosh", "atanh": "arctanh", "atan2": "arctan2", "radians": "deg2rad", "degrees": "rad2deg",
            "lgamma": "gammaln"}  # fmt: skip
_AS_FUNCTIONS = ("where", "clip", "real", "imag", "conj", "rint", "conjugate")
# What gives a real number of the same size for every real number, and has no loop in NumPy.
_REAL_ONLY = {"erf", "erfc", "erfinv", "erfcinv", "erfcx", "gamma", "gammaln", "ndtr", "j0", "j1", "y0", "y1", "rsqrt"}


def name_of(function):
    """The operation that a function stands for, or None."""
    if isinstance(function, (tenorite.ufunc, numpy.ufunc)):
        name = function.__name__
        return {"conj": "conjugate", "mod": "remainder", "true_divide": "divide"}.get(name, name)
    if getattr(function, "__module__", None) == "math":
        name = _OF_MATH.get(function.__name__, function.__name__)
        return name if name in TEXTS else None
    for name in _AS_FUNCTIONS:
        if function in (getattr(tenorite, name), getattr(numpy, name)):
            return {"conj": "conjugate"}.get(name, name)
    return None


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
        raise TypeError(f"Cannot cast {value.type.dtype} to {type.dtype} by the rule {casting!r}; "
                        f"write {type.dtype}(...) around it")  # fmt: skip
    if value.type.kind == "c" and type.kind not in "cb":
        warnings.warn("Casting complex values to real discards the imaginary part",
                      numpy.exceptions.ComplexWarning, stacklevel=2)  # fmt: skip
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
    """The dtype of an operand, or Python's type of a literal, for NumPy's rules."""
    if isinstance(value, Constant):
        number = value.value
        if not is_number(number):
            raise TypeError(f"a kernel can't compute with a value of type {builtins_name(number)}")
        if isinstance(number, numpy.generic) or isinstance(number, bool):
            return numpy.asarray(number).dtype
        return type(number)
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


def resolve(name, values, mode, dtype=None):
    """([dtype of each operand], dtype of the result)."""
    if name not in TEXTS:
        raise NotImplementedError(f"kernels have no operation {name!r}; write it by those that they have, which are "
                                  f"{', '.join(sorted(TEXTS))}")  # fmt: skip
    if name in ("where", "clip"):
        numbers = values[1:] if name == "where" else values
        common = numpy.dtype(dtype) if dtype is not None else _common(numbers, mode)
        return ([numpy.dtype("?")] if name == "where" else []) + [common] * len(numbers), common
    if mode == "cuda":
        common = _ranked(values, mode)
        given = [common] * len(values)
    else:
        given = [_weak(value) for value in values]
    if name in ("real", "imag") or name in _REAL_ONLY:
        one = given[0] if isinstance(given[0], numpy.dtype) else number_type(given[0](), mode).dtype
        if name in _REAL_ONLY:
            return [_float_of(one)], _float_of(one)
        return [one], numpy.dtype(one.char.lower()) if one.kind == "c" else one
    ufunc = getattr(numpy, name)
    if len(values) != ufunc.nin:
        raise ValueError(f"{name} takes {ufunc.nin} numbers, not {len(values)}")
    if ufunc.nout != 1:
        raise NotImplementedError(f"{name} has {ufunc.nout} results; write it by operations of one result")
    options = {} if dtype is None else {"signature": (*[None] * ufunc.nin, numpy.dtype(dtype))}
    try:
        found = ufunc.resolve_dtypes((*given, None), **options)
    except TypeError as error:
        kinds = ", ".join(one.name if isinstance(one, numpy.dtype) else one.__name__ for one in given)
        raise TypeError(f"{name} has no loop for ({kinds}): {error}") from None
    return list(found[:-1]), found[-1]


def _common(values, mode):
    if mode == "cuda":
        return _ranked(values, mode)
    weak = [_weak(value) for value in values]
    return numpy.result_type(*[one if isinstance(one, numpy.dtype) else one(1) for one in weak])


def common(values, mode):
    """The type that all values become together."""
    return Scalar(_common(values, mode))


def apply(name, values, env, dtype=None):
    """The value of an operation."""
    inputs, output = resolve(name, values, env.mode, dtype)
    texts = TEXTS[name]
    compute = Scalar(inputs[-1] if name == "where" else inputs[0])
    text = texts.get(compute.kind, texts.get(""))
    if text is None:
        raise TypeError(f"kernels have no {name} of {compute.dtype}")
    result = Scalar(output)
    replaced, is_pure = {}, True
    for k, (value, want) in enumerate(zip(values, inputs)):
        want = Scalar(want)
        value = cast(value, want, "unsafe" if env.mode == "cuda" or (name == "where" and k == 0) else "same_kind")
        if want.is_short_float:
            value = Value(f"(float)({value})", Scalar("f4"), value.is_pure)
        if "?" in text and not value.is_pure:
            value = env.keep(value)
        replaced[f"in{k}"] = value.text
        replaced[f"in{k}_type"] = str(value.type)
        is_pure = is_pure and value.is_pure
    for helper in re.findall(r"tni_\w+", text):
        env.add_preamble(HELPERS[helper])
    text = re.sub(r"\bin\d(_type)?\b", lambda match: replaced[match.group()], text)
    if result.dtype.kind != "b" and result.dtype.itemsize < 4:
        text = f"({result})({text})"
    return Value(text, result, is_pure)


