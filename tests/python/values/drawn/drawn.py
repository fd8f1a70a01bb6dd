"""Calls that are drawn: any function of tenorite.scipy, with what its parameters may be.

A family is a module here of tables: PARAMETERS (name, or function.name -> strategy), RULES
(function -> a Rule, or a function of the call that makes one), UNDEFINED (function -> whether a
call has no one answer, and why) and METHODS (what is asked of an object that a function made). The
parameters of a function are those of its signature, so that a parameter without a strategy is an
error. A call depends on the name of its function and a number alone.

A strategy is a function of the Draw under way, whose value is given; a tuple is a choice; None:
the parameter is never given.
"""

import inspect
import math
import random
import warnings
import zlib
from typing import NamedTuple

import numpy as np
import scipy
import tenorite as tn

DTYPES = ("?", "b", "B", "h", "H", "i", "I", "l", "L", "f", "f", "d", "d", "d", "F", "D", "e")
REAL = tuple(one for one in DTYPES if one not in "FDe")
FLOATS = ("f", "d", "d")
LENGTHS = (1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 9, 13)
SHARE = 0.35  # of calls give a parameter that has a default
ABSENT = object()  # a strategy's answer: not this time


class Rule(NamedTuple):
    """How far a result may be from SciPy's: so many roundings of the largest value, or of `scale`
    if that is larger; whole numbers by `whole` at least, those that `wraps` across the ends of
    their dtype. `is_single`: single precision stays it, as CuPy's does, where SciPy's result is
    double. `since`: the version of SciPy from which on its dtype is another one than CuPy's, which
    ours is."""

    loose: float = 16
    scale: float = 1.0
    whole: int = 0
    is_single: bool = False
    since: str = ""
    wraps: bool = False


def scipy_is(version):
    """Whether the installed SciPy is as new as a version, as "1.18"."""
    return tuple(map(int, scipy.__version__.split(".")[:2])) >= tuple(map(int, version.split(".")))


class Pair:
    """A value as NumPy's and as ours."""

    def __init__(self, host, device):
        self.host, self.device = host, device

    def __repr__(self):
        host = self.host
        if not isinstance(host, np.ndarray):
            return repr(host)
        return f"{host.dtype} {host.shape} by {host.strides}" + (f" {host.tolist()}" if host.size < 13 else "")


def side(value, which):
    """What a drawn value is for one library."""
    if isinstance(value, Pair):
        return getattr(value, which)
    if isinstance(value, (tuple, list)):
        return type(value)(side(one, which) for one in value)
    if isinstance(value, dict):
        return {name: side(one, which) for name, one in value.items()}
    return value


LAYOUTS = (
    lambda a: a,
    lambda a: a,
    lambda a: a.swapaxes(0, -1),
    lambda a: a[::-1],
    lambda a: a[..., ::-1],
    lambda a: a[..., ::2],
    lambda a: a[1::2],
    lambda a: a[::-2],
)


class Draw:
    """The choices of one call; `made` is what its parameters are already."""

    def __init__(self, name, number):
        self.name = name
        self.seed = zlib.crc32(name.encode()) + number
        self.random = random.Random(self.seed)
        self.numbers = np.random.Generator(np.random.SFC64(self.seed))
        self.made, self.written = {}, []

    # --- Choices ---

    def chance(self, share):
        return self.random.random() < share

    def choice(self, *values):
        return self.random.choice(values)

    def integer(self, low, high):
        return self.random.randint(low, high)

    def value(self, strategy):
        return self.random.choice(strategy) if isinstance(strategy, tuple) else strategy(self)

    def shape(self, ranks=(1, 1, 1, 2, 2, 2, 2, 3, 3, 4), lengths=LENGTHS, empty=0.03):
        shape = [self.random.choice(lengths) for _ in range(self.random.choice(ranks))]
        while len(shape) > 1 and math.prod(shape) > 600:
            shape[shape.index(max(shape))] = 2
        if shape and self.chance(empty):
            shape[self.random.randrange(len(shape))] = 0
        return tuple(shape)

    def elements(self, shape, dtype):
        """Elements of a dtype; small whole numbers half of the time, which are often equal."""
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.numbers.random(shape) < 0.5
        if dtype.kind in "iu":
            return self.numbers.integers(0 if dtype.kind == "u" else -9, 10, shape).astype(dtype)
        values = self.numbers.standard_normal(shape)
        if self.chance(0.5):
            values = np.round(values * 2)
        if dtype.kind == "c":
            values = values + 1j * self.numbers.standard_normal(shape)
        return np.asarray(values).astype(dtype)

    def array(self, shape=None, dtypes=DTYPES, elements=None):
        """An array in some layout, on both sides."""
        shape = self.shape() if shape is None else tuple(shape)
        dtype = self.random.choice(dtypes)
        layout = self.random.choice(LAYOUTS) if shape else LAYOUTS[0]
        whole = layout(np.empty(shape, np.int8)).shape
        wanted = [2 * n if layout(np.empty(shape, np.int8)).shape[k] != n else n for k, n in enumerate(shape)]
        if layout is LAYOUTS[2]:
            wanted = whole
        base = (elements or self.elements)(tuple(wanted), dtype)
        return Pair(layout(base), layout(tn.asarray(base)))

    def like(self, host):
        """The same array on both sides, as it is."""
        host = np.asarray(host)
        return Pair(host, tn.asarray(host))

    def output(self, shape, dtype):
        """An array that the call writes."""
        made = self.like(np.zeros(shape, dtype))
        self.written.append(made)
        return made

    def ndim(self, name="input"):
        return np.ndim(side(self.made[name], "host"))

    def shape_of(self, name="input"):
        return np.shape(side(self.made[name], "host"))

    def axis(self, name="input"):
        ndim = self.ndim(name)
        wrong = 1 if self.chance(0.03) else 0
        return self.integer(-ndim - wrong, ndim - 1 + wrong)

    def arguments(self, function, name, table):
        """What a call of a function gives: (positional, by name)."""
        given, named = [], {}
        for parameter in parameters(function):
            title = parameter.name
            strategy = table.get(f"{name}.{title}", table.get(title, KeyError))
            if strategy is KeyError:
                raise KeyError(f"{name}.{title} has no strategy")
            must = parameter.default is parameter.empty and parameter.kind <= parameter.POSITIONAL_OR_KEYWORD
            if strategy is None or not must and not getattr(strategy, "always", False) and not self.chance(SHARE):
                continue
            value = self.value(strategy)
            if value is ABSENT:
                continue
            self.made[title] = value
            if must:
                given.append(value)
            elif parameter.kind == parameter.VAR_KEYWORD:
                named |= value
            elif parameter.kind == parameter.VAR_POSITIONAL:
                given += value
            else:
                named[title] = value
        return given, named


_SIGNATURES = {}


def parameters(function):
    key = getattr(function, "__func__", function)
    if key not in _SIGNATURES:
        _SIGNATURES[key] = [one for one in inspect.signature(function).parameters.values() if one.name != "self"]
    return _SIGNATURES[key]


# --- Strategies ---


def array(*, dtypes=DTYPES, ranks=None, lengths=LENGTHS, empty=0.03):
    return lambda draw: draw.array(draw.shape(ranks, lengths, empty) if ranks else None, dtypes)


def integer(low, high):
    return lambda draw: draw.integer(low, high)


def real(low, high):
    return lambda draw: round(draw.random.uniform(low, high), 3)


def like(name, dtypes=DTYPES):
    """An array of another parameter's shape."""
    return lambda draw: draw.array(draw.shape_of(name), dtypes)


def axis_of(name):
    return lambda draw: draw.axis(name)


def seldom(strategy, other, share=0.1):
    """One strategy, or seldom another one."""
    return lambda draw: draw.value(other if draw.chance(share) else strategy)


def always(strategy):
    """A strategy whose value is always given."""

    def given(draw):
        return draw.value(strategy)

    given.always = True
    return given


def both(host, device):
    """A function of each library."""
    return lambda draw: Pair(host, device)


# --- Calls ---


class Call:
    """A drawn call of one function."""

    def __init__(self, family, name, number):
        self.family, self.name = family, name
        self.draw = Draw(name, number)
        self.given, self.named = self.draw.arguments(self.functions()[1], name, family.PARAMETERS)
        self.asked = self.method = None
        if name in family.METHODS:
            self.method = self.draw.choice(*family.METHODS[name].split())

    def functions(self):
        return [_find(module, self.name) for module in (self.family.THEIRS, self.family.OURS)]

    def run(self, function, which, widened=False):
        """What comes out on one side, as a list of arrays and numbers, or the exception."""

        def part(value):
            value = side(value, which)
            return _wide(value) if widened else value

        try:
            found = function(*map(part, self.given), **{name: part(value) for name, value in self.named.items()})
            if self.method:
                found = self.ask(found, part)
            written = [side(one, which) for one in self.draw.written]
            return flat([found, *written], getattr(self.family, "ATTRIBUTES", {}))
        except Exception as failure:
            return failure

    def ask(self, made, part):
        """The value of an attribute or a method of what the function made."""
        found = getattr(made, self.method)
        if not callable(found):
            return found
        if self.asked is None:
            made_by = getattr(self.family, "MADE", {}).get(self.name, self.name)
            function = getattr(_find(self.family.OURS, made_by), self.method)
            self.asked = self.draw.arguments(function, f"{made_by}.{self.method}", self.family.PARAMETERS)
        given, named = self.asked
        return found(*map(part, given), **{name: part(value) for name, value in named.items()})

    def difference(self):
        """How ours differs from SciPy's, or None. A call without one answer is only made."""
        theirs, ours = self.functions()
        undefined = self.family.UNDEFINED.get(self.name)
        if undefined and undefined(self):
            self.run(ours, "device")
            return None
        wanted = self.run(theirs, "host")
        if self.width() == 1:
            wanted = self.run(theirs, "host", True)
        found = self.run(ours, "device")
        if isinstance(wanted, Exception) and self.is_empty():
            return None  # libraries below refuse some arrays without elements
        if isinstance(found, Exception) or isinstance(wanted, Exception):
            if isinstance(found, Exception) and isinstance(wanted, Exception):
                return None
            return f"{found!r:.300} for {wanted!r:.300}"
        if len(found) != len(wanted):
            return f"{len(found)} results for {len(wanted)}"
        rule = self.family.RULES.get(self.name, Rule())
        rule = rule(self) if callable(rule) else rule
        width = self.width()
        texts = (differs(one, other, rule, width) for one, other in zip(found, wanted))
        return next((f"result {k}: {text}" for k, text in enumerate(texts) if text), None)

    def is_empty(self):
        return any(one.host.size == 0 for one in [*self.given, *self.named.values()] if _is_array(one))

    def width(self):
        """The least precise dtype of what is given: a half is 1, single 2, all else 3."""
        kinds = "".join(one.host.dtype.char for one in [*self.given, *self.named.values()] if _is_array(one))
        return 1 if "e" in kinds else 2 if "f" in kinds or "F" in kinds else 3

    def __str__(self):
        parts = [*map(repr, self.given), *(f"{name}={value!r}" for name, value in self.named.items())]
        text = f"{self.name}({', '.join(parts)})"
        if self.method:
            given, named = self.asked or ((), {})
            asked = [*map(repr, given), *(f"{name}={value!r}" for name, value in named.items())]
            text += f".{self.method}({', '.join(asked)})"
        return text


def _find(module, name):
    for part in name.split("."):
        module = getattr(module, part)
    return module


def _is_array(value):
    return isinstance(value, Pair) and isinstance(value.host, np.ndarray)


def _wide(value):
    return value.astype("f") if isinstance(value, np.ndarray) and value.dtype == np.float16 else value


def flat(value, attributes):
    """All arrays and numbers of a result; of objects the attributes that are named."""
    if isinstance(value, (tuple, list)):
        if isinstance(value, list) and not value:
            return [np.zeros(0)]
        return [one for part in value for one in flat(part, attributes)]
    if hasattr(value, "toarray"):
        return [value.toarray()]
    if isinstance(value, dict):
        return [one for key in sorted(value) for one in flat(value[key], attributes)]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return flat(value.tolist(), attributes)
    names = attributes.get(type(value).__name__)
    if names:
        return [one for name in names.split() for one in flat(getattr(value, name), attributes)]
    return [value]


EPS = {1: 1e-3, 2: 1.2e-7, 3: 2.2e-16}
WHOLE = {*"?bBhHiIlLqQ"}


def differs(found, wanted, rule, width):
    """How one array or number differs from SciPy's, or None. Of a half's SciPy has no dtype."""
    if isinstance(found, tn.ndarray):
        found = found.get()
    if not isinstance(wanted, (np.ndarray, np.generic, int, float, complex)):
        return None if found is wanted or found == wanted else f"{found!r} for {wanted!r}"
    has_dtype = isinstance(wanted, np.ndarray) and width > 1 and not (rule.since and scipy_is(rule.since))
    wanted, found = np.asarray(wanted), np.asarray(found)
    is_single = rule.is_single and (found.dtype.char, wanted.dtype.char) in (("f", "d"), ("F", "D"))
    if found.shape != wanted.shape or has_dtype and found.dtype != wanted.dtype and not is_single:
        return f"{found.dtype} {found.shape} for {wanted.dtype} {wanted.shape}"
    if wanted.dtype.kind not in "biufc":
        return None if (found == wanted).all() else f"{found!r} for {wanted!r}"
    finite = np.isfinite(wanted)
    if not np.array_equal(found[~finite], wanted[~finite], equal_nan=True) or not np.isfinite(found[finite]).all():
        return f"{found} for {wanted}"
    kinds = {*found.dtype.char, *wanted.dtype.char}
    eps = EPS[min(width, 1 if "e" in kinds else 2 if kinds & {*"fF"} else 3)]
    most = rule.loose * eps * max(np.abs(wanted[finite] * 1.0).max(initial=0), rule.scale)
    if kinds <= WHOLE:
        # Integers of 64 bits are what was computed in double precision.
        most = max(rule.whole, rule.loose * EPS[3] * np.abs(wanted * 1.0).max(initial=0) if rule.whole else 0)
        apart = np.abs(found.astype(object) - wanted.astype(object))
        apart = np.minimum(apart, (1 << 8 * wanted.itemsize) - apart) if rule.wraps else apart
    else:
        apart = np.abs(found[finite] * 1.0 - wanted[finite])
    if (apart <= most).all():
        return None
    return f"{found} for {wanted}, {np.max(apart)} apart where {most:.3g} may be"


def check(family, name, count, first=0):
    """Runs so many of a function's calls; the texts of those that differ."""
    wrong = []
    shown = np.printoptions(threshold=60, edgeitems=4, precision=9)
    with warnings.catch_warnings(), np.errstate(all="ignore"), shown:
        warnings.simplefilter("ignore")
        for number in range(first, first + count):
            call = Call(family, name, number)
            text = call.difference()
            if text:
                wrong.append(f"{number}: {call}\n    {text}")
    return wrong
