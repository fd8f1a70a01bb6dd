"""Dates and durations: their units, and which operation of the core computes on the int64 that
count them, where NaT is the least (src/ops/times.h).

Which loop an operation takes, and so the units of operands and result, is what NumPy's ufunc of the
same name says of the dtypes. An operand is (counts, dtype), a scalar of NumPy's, or numbers.
"""

from fractions import Fraction

import numpy

from tenorite import _core
from tenorite._arguments import ndarray

NAT = int(numpy.iinfo(numpy.int64).min)
SCALARS = (numpy.datetime64, numpy.timedelta64)
_SECONDS = {"W": 604800, "D": 86400, "h": 3600, "m": 60, "s": 1}
_SECONDS |= {unit: Fraction(1, 1000 ** (k + 1)) for k, unit in enumerate(("ms", "us", "ns", "ps", "fs", "as"))}
# The calendar repeats after 400 years, which have 146097 days: so long is a year of durations.
_MEANS = {"Y": Fraction(146097, 400), "M": Fraction(146097, 4800)}


# --- Units ---


def in_unit(counts, dtype, other):
    """Counts of one dtype's unit as counts of another's, rounded down; NaT stays."""
    (unit, number), (to, other_number) = numpy.datetime_data(dtype), numpy.datetime_data(other)
    if "generic" in (unit, to) or (unit, number) == (to, other_number):
        return counts
    if dtype.kind == "M" and (unit in "YM") != (to in "YM"):
        if unit in "YM":
            counts = _core._time_days(_core._time_multiply(counts, number * (12 if unit == "Y" else 1)))
            unit, number = "D", 1
        else:
            counts = _core._time_months(_times(counts, _ratio(unit, "D") * number))
            unit, number = "M", 1
    return _times(counts, _ratio(unit, to) * number / other_number)


def _ratio(unit, to):
    """How many of the unit `to` a unit has; OverflowError as NumPy's where that is too much."""
    days = [unit, to] if {unit, to} <= {"Y", "M"} else ["D" if one in "YM" else one for one in (unit, to)]
    ratio = Fraction(_MEANS.get(days[0]) or _SECONDS[days[0]]) / Fraction(_MEANS.get(days[1]) or _SECONDS[days[1]])
    if max(ratio, 1 / ratio) >= 2**56:
        names = " and ".join((unit, to) if ratio > 1 else (to, unit))
        raise OverflowError(
            f"Integer overflow while computing the conversion factor between NumPy datetime units {names}"
        )
    if days != [unit, to]:
        ratio *= Fraction(_MEANS.get(unit, 1)) / Fraction(_MEANS.get(to, 1))
    return ratio


def _times(counts, ratio):
    if ratio.denominator == 1:
        return counts if ratio == 1 else _core._time_multiply(counts, ratio.numerator)
    return _core._time_convert(counts, ratio.numerator, ratio.denominator)


# --- Operations ---

_LESS, _LESS_EQUAL = _core._time_less, _core._time_less_equal


# Whether the sign of a duration is a float, as of NumPy 2.5 on; that of NaT is NaN then.
_SIGN_IS_FLOAT = numpy.sign.resolve_dtypes((numpy.dtype("m8[s]"), None))[1].kind == "f"


def _float_sign(counts):
    return _core.sign(_core._time_ratio(counts, 1))


def _swapped(function):
    return lambda a, b: function(b, a)


# What computes an operation on counts, or by the kinds of the loop's inputs.
_COMPUTED = {
    "add": _core._time_add,
    "subtract": _core._time_subtract,
    "multiply": {
        "mi": _core._time_multiply,
        "im": _swapped(_core._time_multiply),
        "mf": _core._time_scale,
        "fm": _swapped(_core._time_scale),
    },
    "divide": {"mm": _core._time_ratio, "mi": _core._time_divide, "mf": _core._time_unscale},
    "floor_divide": {"mm": _core._time_floor_divide, "mi": _core._time_divide, "mf": _core._time_unscale},
    "remainder": _core._time_remainder,
    "divmod": lambda a, b: (_core._time_floor_divide(a, b), _core._time_remainder(a, b)),
    "negative": _core.negative,
    "positive": _core.positive,
    "absolute": _core.absolute,
    "sign": _float_sign if _SIGN_IS_FLOAT else _core.sign,
    "maximum": _core._time_maximum,
    "minimum": _core.minimum,  # NaT is the least
    "fmax": _core.maximum,
    "fmin": _core._time_fmin,
    "isnat": lambda a: a == NAT,
    "isnan": lambda a: a == NAT,
    "isfinite": lambda a: a != NAT,
    "isinf": lambda a: _core.zeros(a.shape, bool),
    "equal": _core._time_equal,
    "not_equal": _core._time_not_equal,
    "less": _LESS,
    "less_equal": _LESS_EQUAL,
    "greater": _swapped(_LESS),
    "greater_equal": _swapped(_LESS_EQUAL),
}
_COMPUTED |= {"true_divide": _COMPUTED["divide"], "mod": _COMPUTED["remainder"]}
OPERATIONS = frozenset(_COMPUTED)


def type_of(value):
    """What NumPy's resolve_dtypes takes for an operand: a dtype, or a type of Python's numbers."""
    if isinstance(value, tuple):
        return value[1]
    is_number = isinstance(value, (bool, int, float)) and not isinstance(value, numpy.generic)
    return type(value) if is_number else value.dtype


def operate(name, operands):
    """What a ufunc makes of operands: [(values, dtype), ...].

    The TypeError of NumPy's ufunc where it has no loop for the dtypes.
    """
    ufunc = getattr(numpy, name)
    loop = ufunc.resolve_dtypes((*map(type_of, operands), *[None] * ufunc.nout))
    values = [_as_of(one, dtype) for one, dtype in zip(operands, loop)]
    compute = _COMPUTED[name]
    if isinstance(compute, dict):
        compute = compute["".join(dtype.kind for dtype in loop[: ufunc.nin])]
    made = compute(*values)
    return list(zip(made if isinstance(made, tuple) else (made,), loop[ufunc.nin :]))


def _as_of(operand, dtype):
    """An operand's values in the unit, or as the number, that a loop reads."""
    if isinstance(operand, tuple):
        values, own = operand
        return in_unit(values, own, dtype)
    if isinstance(operand, SCALARS):
        return count_of(operand, dtype)
    if isinstance(operand, ndarray):
        return operand.astype(numpy.int64 if dtype.kind in "Mm" else dtype, copy=False)
    return operand if dtype.kind in "Mm" else dtype.type(operand).item()


def count_of(value, dtype):
    """The count of a time or an integer, as a number."""
    return int(numpy.asarray(value).astype(dtype, casting="same_kind").view(numpy.int64))


# --- Folds and reductions ---

# The operation on counts that a fold is, and what they are less of: NaT is the least of all counts,
# and the greatest of counts less 1.
_FOLDED = {
    "minimum": (_core.minimum, 0),
    "maximum": (_core.maximum, 1),
    "fmin": (_core.minimum, 1),
    "fmax": (_core.maximum, 0),
    "add": (_core._time_add, 0),
    "subtract": (_core._time_subtract, 0),
}
OF_TRUTH = ("logical_and", "logical_or", "logical_xor")


def fold(name, method, counts, dtype, *places, initial=None, **options):
    """Counts, or bools, of a ufunc's reduce, accumulate or reduceat; TypeError where undefined."""
    loop = getattr(numpy, name).resolve_dtypes((dtype, dtype, None))
    if name in OF_TRUTH:
        given = {} if initial is None else {"initial": bool(initial)}
        return getattr(getattr(_core, name), method)(counts != 0, *places, **given, **options)
    if loop[0] != loop[2] or name not in _FOLDED:
        raise TypeError(f"{name}.{method}() is not defined for elements of dtype {dtype}")
    operation, less = _FOLDED[name]
    if initial is not None:
        options["initial"] = (count_of(initial, dtype) - less - NAT) % 2**64 + NAT
    made = getattr(operation, method)(counts - less if less else counts, *places, **options)
    return made + less if less else made


def change_at(name, counts, dtype, indices, value):
    """What ufunc.at does to counts, in place."""
    other = type_of(value)
    loop = getattr(numpy, name).resolve_dtypes((dtype, other, None))
    if loop[0] != dtype or loop[2] != dtype or name not in _FOLDED:
        raise TypeError(f"{name}.at() of elements of dtype {dtype} by those of {other} is not defined")
    _COMPUTED[name].at(counts, indices, _as_of(value, loop[1]))


def _by_fold(name):
    return lambda counts, dtype, **options: fold(name, "reduce", counts, dtype, **options)


def _mean(counts, dtype, axis, keepdims, **options):
    made = fold("add", "reduce", counts, dtype, axis=axis, keepdims=keepdims, **options)
    if "where" in options:
        mask = _core.asarray(options["where"]) | (counts != counts)
        return _core._time_divide(made, mask.sum(axis=axis, keepdims=keepdims))
    return _core._time_divide(made, counts.size // max(made.size, 1))


def _ptp(counts, dtype, **options):
    ends = (fold(name, "reduce", counts, dtype, **options) for name in ("maximum", "minimum"))
    return _core._time_subtract(*ends)


_REDUCED = {
    "min": _by_fold("minimum"),
    "max": _by_fold("maximum"),
    "nanmin": _by_fold("fmin"),
    "nanmax": _by_fold("fmax"),
    "amin": _by_fold("minimum"),
    "amax": _by_fold("maximum"),
    "sum": _by_fold("add"),
    "mean": _mean,
    "ptp": _ptp,
    "argmin": lambda counts, dtype, **options: _core.argmin(counts, **options),
    "argmax": lambda counts, dtype, **options: _core.argmax(counts - 1, **options),
    "any": lambda counts, dtype, **options: counts.any(**options),
    "all": lambda counts, dtype, **options: counts.all(**options),
    "count_nonzero": lambda counts, dtype, **options: _core.count_nonzero(counts, **options),
}
REDUCTIONS = tuple(_REDUCED)
_OF_NUMBERS = ("argmin", "argmax", "any", "all", "count_nonzero")  # results that are no times


def reduce(name, counts, dtype, **options):
    """(values, dtype) of a reduction, dtype None for numbers. TypeError for what is not defined."""
    if name not in _REDUCED or (name in ("sum", "mean") and dtype.kind == "M"):
        raise TypeError(f"{name}() is not defined for elements of dtype {dtype}")
    made = _REDUCED[name](counts, dtype, **options)
    if name in _OF_NUMBERS:
        return made, None
    unit = dtype.str.replace("M8", "m8") if name == "ptp" else dtype
    return made, numpy.dtype(unit)
