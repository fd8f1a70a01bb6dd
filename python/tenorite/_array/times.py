"""Dates and durations as the int64 that count their unit: units, the calendar, arithmetic, NaT.

Which loop an operation takes, and so the units of operands and result, is what NumPy's ufunc of the
same name says of the dtypes. A date or duration is an array of counts, or a scalar of NumPy's.
"""

import math

import numpy

from tenorite import _core
from tenorite._arguments import ndarray
from tenorite._numpy.indexing import where

NAT = int(numpy.iinfo(numpy.int64).min)
SCALARS = (numpy.datetime64, numpy.timedelta64)
# How many of the next finer unit a unit has; years have months, and neither has a number of days.
_FINER = {
    "Y": ("M", 12),
    "W": ("D", 7),
    "D": ("h", 24),
    "h": ("m", 60),
    "m": ("s", 60),
    "s": ("ms", 1000),
    "ms": ("us", 1000),
    "us": ("ns", 1000),
    "ns": ("ps", 1000),
    "ps": ("fs", 1000),
    "fs": ("as", 1000),
}


# --- Units ---


def in_unit(counts, dtype, other):
    """Counts of one dtype's unit as counts of another's, rounded down; NaT stays."""
    (unit, number), (to, other_number) = numpy.datetime_data(dtype), numpy.datetime_data(other)
    if "generic" in (unit, to) or (unit, number) == (to, other_number):
        return counts
    return where(counts == NAT, counts, _converted(counts, unit, number, to, other_number, dtype.kind))


def _converted(counts, unit, number, to, other_number, kind):
    up, down = number, other_number
    if _factor(unit, to):
        up *= _factor(unit, to)
    elif _factor(to, unit):
        down *= _factor(to, unit)
    elif kind != "M":
        raise NotImplementedError(f"durations of {unit} have no number of {to}: convert them with .get().astype(...)")
    elif unit in "YM":
        days = _days_of_month(counts * (number * (12 if unit == "Y" else 1)))
        return _converted(days, "D", 1, to, other_number, kind)
    else:
        days = _converted(counts, unit, number, "D", 1, kind)
        return _converted(_month_of_days(days), "M", 1, to, other_number, kind)
    shared = math.gcd(up, down)
    made = counts if up == shared else counts * (up // shared)
    return made if down == shared else made // (down // shared)


def _factor(unit, to):
    """How many of the unit `to` a unit has, 0 where it is not finer."""
    factor = 1
    while unit != to:
        if unit not in _FINER:
            return 0
        unit, more = _FINER[unit]
        factor *= more
    return factor


# A year begins in March here, so that the day of the leap year is its last, and 400 years, which
# have 146097 days, begin on March 1 of a year that 400 divides; 1970-01-01 is day 719468.


def _days_of_month(months):
    """The number of the first day of months counted from January 1970."""
    shifted = months + (1970 * 12 - 2)
    year, month = shifted // 12, shifted % 12  # of the years that begin in March
    return year * 365 + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 - 719468


def _month_of_days(days):
    """The number of the month, counted from January 1970, in which a day is."""
    shifted = days + 719468
    era, day = shifted // 146097, shifted % 146097
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    day_of_year = day - (365 * year + year // 4 - year // 100)
    return (era * 400 + year) * 12 + (5 * day_of_year + 2) // 153 + (2 - 1970 * 12)


# --- Operations ---


def type_of(value):
    """What NumPy's resolve_dtypes takes for an operand: a dtype, or a type of Python's numbers."""
    return (
        type(value) if isinstance(value, (bool, int, float)) and not isinstance(value, numpy.generic) else value.dtype
    )


def operate(name, operands):
    """What a ufunc makes of (values, dtype) of times, and of numbers: [(values, dtype), ...].

    The TypeError of NumPy's ufunc where it has no loop for the dtypes.
    """
    ufunc = getattr(numpy, name)
    types = [one[1] if isinstance(one, tuple) else type_of(one) for one in operands]
    loop = ufunc.resolve_dtypes((*types, *[None] * ufunc.nout))
    values = [_as_of(one, dtype) for one, dtype in zip(operands, loop)]
    kinds = "".join(dtype.kind for dtype in loop[: ufunc.nin])
    made = _COMPUTED[name](*values, kinds) if name in _COMPUTED else _plain(name, *values)
    made = made if isinstance(made, tuple) else (made,)
    return list(zip(made, loop[ufunc.nin :]))


def _as_of(operand, dtype):
    """An operand's values in the unit, or as the number, that a loop reads."""
    if isinstance(operand, tuple):
        values, own = operand
        return in_unit(values, own, dtype)
    if isinstance(operand, SCALARS):
        return int(operand.astype(dtype).view(numpy.int64))
    if isinstance(operand, ndarray):
        return operand.astype(numpy.int64 if dtype.kind in "Mm" else dtype, copy=False)
    return operand if dtype.kind in "Mm" else dtype.type(operand).item()


def _either_nat(a, b):
    return (a == NAT) | (b == NAT)


def _plain(name, *values):
    """The operation on the counts, NaT where an operand is."""
    made = getattr(_core, name)(*values)
    is_nat = _either_nat(*values) if len(values) > 1 else values[0] == NAT
    return where(is_nat, NAT, made)


def _from_floats(is_nat, made):
    """Durations of floats, cut off; NaT for what is not finite."""
    is_nat = is_nat | ~_core.isfinite(made)
    return where(is_nat, NAT, where(is_nat, 0.0, made).astype(numpy.int64))


def _floats(values):
    return values.astype(float) if isinstance(values, ndarray) else float(values)


def _multiply(a, b, kinds):
    if "f" not in kinds:
        is_nat = (a == NAT) if kinds[0] == "m" else (b == NAT)
        return where(is_nat, NAT, _core.multiply(a, b))
    is_nat = (a == NAT) if kinds[0] == "m" else (b == NAT)
    return _from_floats(_core.asarray(is_nat), _core.multiply(_floats(a), _floats(b)))


def _divide(a, b, kinds):
    if kinds == "mm":
        return where(_either_nat(a, b), math.nan, _core.divide(_floats(a), _floats(b)))
    if kinds == "mf":
        return _from_floats(a == NAT, _core.divide(_floats(a), b))
    made = _core.floor_divide(a, b)
    left = _core.not_equal(made * b, a) & (made < 0)
    return where((a == NAT) | (b == 0), NAT, made + left)


def _floor_divide(a, b, kinds):
    if kinds == "mm":
        return where(_either_nat(a, b) | (b == 0), 0, _core.floor_divide(a, b))
    if kinds == "mf":
        return _from_floats(a == NAT, _core.divide(_floats(a), b))
    return _divide(a, b, kinds)  # NumPy cuts off here, too


def _remainder(a, b, kinds):
    return where(_either_nat(a, b) | (b == 0), NAT, _core.remainder(a, b))


def _divmod(a, b, kinds):
    return _floor_divide(a, b, kinds), _remainder(a, b, kinds)


def _comparison(name):
    def compare(a, b, kinds):
        made, is_nat = getattr(_core, name)(a, b), _either_nat(a, b)
        return made | is_nat if name == "not_equal" else made & ~is_nat

    return compare


# NaT is the least of all counts; of counts less 1 it is the greatest.


def _greatest(a, b, kinds):
    return _core.maximum(a - 1, b - 1) + 1


def _least_but_nat(a, b, kinds):
    return _core.minimum(a - 1, b - 1) + 1


COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
_COMPUTED = {
    "multiply": _multiply,
    "divide": _divide,
    "true_divide": _divide,
    "floor_divide": _floor_divide,
    "remainder": _remainder,
    "mod": _remainder,
    "divmod": _divmod,
    "maximum": _greatest,
    "fmin": _least_but_nat,
    "minimum": lambda a, b, kinds: _core.minimum(a, b),
    "fmax": lambda a, b, kinds: _core.maximum(a, b),
    "isnat": lambda a, kinds: a == NAT,
    "isnan": lambda a, kinds: a == NAT,
    "isfinite": lambda a, kinds: a != NAT,
    "sign": lambda a, kinds: _core.sign(a),
    "isinf": lambda a, kinds: _core.zeros(a.shape, bool),
} | {name: _comparison(name) for name in COMPARISONS}
OPERATIONS = (*_COMPUTED, "add", "subtract", "negative", "positive", "absolute")


# --- Folds and reductions ---

# The operation on counts that a fold is, and what they are less of: NaT is the least of all counts,
# and the greatest of counts less 1.
_FOLDED = {"minimum": ("minimum", 0), "maximum": ("maximum", 1), "fmin": ("minimum", 1), "fmax": ("maximum", 0)}
OF_TRUTH = ("logical_and", "logical_or", "logical_xor")


def fold(name, method, counts, dtype, *places, initial=None, **options):
    """Counts, or bools, of a ufunc's reduce, accumulate or reduceat; TypeError where undefined."""
    loop = getattr(numpy, name).resolve_dtypes((dtype, dtype, None))
    if name in OF_TRUTH:
        given = {} if initial is None else {"initial": bool(initial)}
        return getattr(getattr(_core, name), method)(counts != 0, *places, **given, **options)
    if loop[0] != loop[2] or name not in (*_FOLDED, "add", "subtract"):
        raise TypeError(f"{name}.{method}() is not defined for elements of dtype {dtype}")
    first = None if initial is None else _count_of(initial, dtype)
    if name in _FOLDED:
        operation, less = _FOLDED[name]
        given = {} if first is None else {"initial": (first - less - NAT) % 2**64 + NAT}
        return getattr(getattr(_core, operation), method)(counts - less, *places, **given, **options) + less
    given = {} if first is None else {"initial": first}
    made = getattr(getattr(_core, name), method)(counts, *places, **given, **options)
    is_nat = getattr(_core.logical_or, method)(counts == NAT, *places, **options)
    return where(is_nat | (first == NAT), NAT, made)


def _count_of(value, dtype):
    """The count of a time or an integer, as a number."""
    return int(numpy.asarray(value).astype(dtype, casting="same_kind").view(numpy.int64))


def change_at(name, counts, dtype, indices, value, other):
    """What ufunc.at does to counts, in place; `value` of the dtype `other`."""
    loop = getattr(numpy, name).resolve_dtypes((dtype, other, None))
    if loop[0] != dtype or loop[2] != dtype or name not in (*_FOLDED, "add", "subtract"):
        raise TypeError(f"{name}.at() of elements of dtype {dtype} by those of {other} is not defined")
    value = _core.asarray(_as_of(value, loop[1]))
    operation, less = _FOLDED.get(name, (name, 0))
    is_nat = None
    if name not in _FOLDED:
        is_nat = counts == NAT
        _core.logical_or.at(is_nat, indices, value == NAT)
    counts -= less
    getattr(_core, operation).at(counts, indices, value - less)
    counts += less
    if is_nat is not None:
        counts[is_nat] = NAT


def _by_fold(name):
    return lambda counts, dtype, **options: fold(name, "reduce", counts, dtype, **options)


def _mean(counts, dtype, axis, keepdims, **options):
    made = fold("add", "reduce", counts, dtype, axis=axis, keepdims=keepdims, **options)
    if "where" in options:
        mask = _core.asarray(options["where"]) | (counts != counts)
        return _divide(made, mask.sum(axis=axis, keepdims=keepdims), "mi")
    return _divide(made, counts.size // max(made.size, 1), "mi")


def _ptp(counts, dtype, **options):
    ends = (fold(name, "reduce", counts, dtype, **options) for name in ("maximum", "minimum"))
    return _plain("subtract", *ends)


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
OF_NUMBERS = ("argmin", "argmax", "any", "all", "count_nonzero")  # results that are no times


REDUCTIONS = tuple(_REDUCED)


def reduce(name, counts, dtype, **options):
    """(values, dtype) of a reduction, dtype None for numbers. TypeError for what is not defined."""
    if name not in _REDUCED or (name in ("sum", "mean") and dtype.kind == "M"):
        raise TypeError(f"{name}() is not defined for elements of dtype {dtype}")
    made = _REDUCED[name](counts, dtype, **options)
    if name in OF_NUMBERS:
        return made, None
    unit = dtype.str.replace("M8", "m8") if name == "ptp" else dtype
    return made, numpy.dtype(unit)
