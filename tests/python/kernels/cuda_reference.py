"""What CUDA's functions are to return, by their names: for tests of kernels on the host."""

import math
import re
from fractions import Fraction

import ml_dtypes
import numpy
from scipy import special

FLOATS = {"float": numpy.float32, "double": numpy.float64, "__half": numpy.float16, "__nv_bfloat16": ml_dtypes.bfloat16}
PAIRS = {"__half2": "__half", "__nv_bfloat162": "__nv_bfloat16", "float2": "float"}
INTEGERS = {
    "bool": (1, False),
    "char": (8, True),
    "signed char": (8, True),
    "unsigned char": (8, False),
    "short": (16, True),
    "unsigned short": (16, False),
    "int": (32, True),
    "unsigned": (32, False),
    "long": (64, True),
    "unsigned long": (64, False),
    "long long": (64, True),
    "unsigned long long": (64, False),
}
WORDS = {
    "int": "int",
    "uint": "unsigned",
    "ll": "long long",
    "ull": "unsigned long long",
    "short": "short",
    "ushort": "unsigned short",
    "char": "signed char",
    "uchar": "unsigned char",
    "float": "float",
    "double": "double",
    "half": "__half",
    "bfloat16": "__nv_bfloat16",
}


def wrapped(value, type_):
    """An integer as a type has it."""
    bits, is_signed = INTEGERS[type_]
    value = int(value) & ((1 << bits) - 1)
    return value - (1 << bits) if is_signed and value >> (bits - 1) else value


def saturated(value, type_):
    bits, is_signed = INTEGERS[type_]
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    return min(max(int(value), least), most)


# --- Rounding ---


def _neighbour(value, step):
    """The next number of 16 or more bits, larger in size (step 1) or smaller (-1)."""
    word = numpy.array(value).view(f"u{numpy.array(value).itemsize}")
    return (word + word.dtype.type(step % (1 << 8 * word.itemsize))).view(numpy.array(value).dtype)[()]


def rounded(exact, type_, mode="rn"):
    """A fraction as the type's number by a rounding mode."""
    if isinstance(exact, float):
        return FLOATS[type_](exact)
    with numpy.errstate(over="ignore"):
        found = FLOATS[type_](float(exact))
    if mode == "rn":
        return found
    is_shorter = mode == "rz" or mode == ("rd" if exact > 0 else "ru")
    if is_shorter and not (abs(float(found)) < math.inf and abs(Fraction(float(found))) <= abs(exact)):
        return _neighbour(found, -1)
    if not is_shorter and abs(Fraction(float(found))) < abs(exact):
        return _neighbour(numpy.copysign(found, FLOATS[type_](1 if exact > 0 else -1)), 1)
    return found


def root(exact):
    """The square root of a fraction, below the 200th binary digit only near it."""
    scale = 1 << 400
    whole = math.isqrt(exact.numerator * scale // exact.denominator)
    found = Fraction(whole, 1 << 200)
    return found if found * found == exact else found + Fraction(1, 1 << 210)


_EXACT = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "rcp": lambda x: 1 / x,
    "sqrt": root,
    "ma": lambda x, y, z: x * y + z,
}


def arithmetic(name, result, values):
    """__fadd_rz and its like."""
    found = re.fullmatch(r"__(?:[fd](add|sub|mul|div|rcp|sqrt)|f(ma)f?(?:_ieee)?)_(r[nzud])", name)
    if not found:
        return None
    function = _EXACT[found[1] or found[2]]
    if not all(map(math.isfinite, values)):
        with numpy.errstate(all="ignore"):
            return float({"sqrt": numpy.sqrt}.get(found[1], function)(*map(numpy.float64, values)))
    return rounded(function(*(Fraction(float(value)) for value in values)), result, found[3])


def conversion(name, result, values):
    """__float2int_rz and its like."""
    found = re.fullmatch(r"__(\w+?)2(\w+?)(?:_(r[nzud]))?", name)
    if not found or found[1] not in WORDS or found[2] not in WORDS:
        return None
    source, to, mode = WORDS[found[1]], WORDS[found[2]], found[3] or "rn"
    value = values[0]
    if to in FLOATS:
        return (
            rounded(Fraction(value if source in INTEGERS else float(value)), to, mode)
            if source in INTEGERS or math.isfinite(value)
            else FLOATS[to](value)
        )
    bits = INTEGERS[to][0]
    if math.isnan(value):
        return wrapped(1 << (bits - 1), to) if bits == 64 or source == "double" else 0
    if math.isinf(value):
        return saturated(math.copysign(1 << 70, value), to)
    whole = {"rn": numpy.rint, "rz": numpy.trunc, "rd": numpy.floor, "ru": numpy.ceil}[mode](float(value))
    return saturated(whole, to)


# --- Numbers side by side in a word ---


def _lanes(word, bits, is_signed):
    kind = {16: "short", 8: "signed char"}[bits] if is_signed else {16: "unsigned short", 8: "unsigned char"}[bits]
    return [wrapped(word >> at, kind) for at in range(0, 32, bits)]


def _joined(values, bits):
    return sum((int(value) & ((1 << bits) - 1)) << (bits * k) for k, value in enumerate(values))


_COMPARISONS = {"eq": "__eq__", "ne": "__ne__", "ge": "__ge__", "gt": "__gt__", "le": "__le__", "lt": "__lt__"}
_OF_LANES = {
    "abs": lambda x, y: abs(x),
    "neg": lambda x, y: -x,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "avg": lambda x, y: (x + y + (x + y >= 0)) >> 1,
    "hadd": lambda x, y: (x + y) >> 1,
    "max": max,
    "min": min,
    "absdiff": lambda x, y: abs(x - y),
    "sad": lambda x, y: abs(x - y),
}


def video(name, result, values):
    """__vadd2 and its like."""
    found = re.fullmatch(
        r"__v(abs|neg|add|sub|avg|hadd|max|min|absdiff|sad|(?:cmp|set)(?:eq|ne|ge|gt|le|lt))"
        r"(ss|us|s|u|)([24])",
        name,
    )
    if not found:
        return None
    operation, kind, bits = found[1], found[2], 32 // int(found[3])
    is_signed = not kind.startswith("u")
    a, b = (_lanes(value, bits, is_signed) for value in (*values, 0)[:2])
    if operation[:3] in ("cmp", "set"):
        truths = [getattr(x, _COMPARISONS[operation[3:]])(y) for x, y in zip(a, b)]
        return _joined([-t if operation[:3] == "cmp" else t for t in truths], bits)
    parts = [_OF_LANES[operation](x, y) for x, y in zip(a, b)]
    if operation == "sad":
        return sum(parts)
    if kind in ("ss", "us"):
        names = {
            ("ss", 16): "short",
            ("ss", 8): "signed char",
            ("us", 16): "unsigned short",
            ("us", 8): "unsigned char",
        }
        parts = [saturated(part, names[kind, bits]) for part in parts]
    return _joined(parts, bits)


def dynamic(name, result, values):
    """__viaddmax_s16x2_relu and its like."""
    found = re.fullmatch(r"__vi(add|b|)(max|min)(3|)_([su])(32|16x2)(_relu|)", name)
    if not found:
        return None
    bits, is_signed = int(found[5][:2]), found[4] == "s"
    kind = {(32, True): "int", (32, False): "unsigned", (16, True): "short", (16, False): "unsigned short"}[
        bits, is_signed
    ]
    choose = max if found[2] == "max" else min
    words = [[wrapped(value >> at, kind) for at in range(0, 32, bits)] for value in values]
    parts = []
    for lane in zip(*words):
        lane = [wrapped(lane[0] + lane[1], kind), lane[2]] if found[1] == "add" else lane
        parts.append(max(choose(lane), 0) if found[6] else choose(lane))
    joined = wrapped(_joined(parts, bits), result)
    if found[1] != "b":
        return joined
    firsts = [a >= b if choose is max else a <= b for a, b in zip(*words)]
    return joined, *reversed(firsts)


# --- Integers and bits ---


def _permuted(x, y, s):
    both = (y << 32 | x).to_bytes(8, "little")
    return int.from_bytes(bytes(both[s >> 4 * k & 7] for k in range(4)), "little")


def _nth(mask, base, offset):
    if base >= 32:
        return 0xFFFFFFFF
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    places = range(base, 32) if offset > 0 else range(base, -1, -1)
    found = [k for k in places if mask >> k & 1]
    return found[abs(offset) - 1] if abs(offset) <= len(found) else 0xFFFFFFFF


def _dot(a, b, c, bits_a, bits_b, count, is_signed, first=0):
    names = {(8, True): "signed char", (8, False): "unsigned char", (16, True): "short", (16, False): "unsigned short"}
    return c + sum(
        wrapped(a >> bits_a * k, names[bits_a, is_signed])
        * wrapped(b >> bits_b * (k + first), names[bits_b, is_signed])
        for k in range(count)
    )


def _as(value, type_, word):
    return numpy.array([value], FLOATS.get(type_) or type_).view(word)[0]


_BITS = {
    "__brev": lambda x: int(f"{x:032b}"[::-1], 2),
    "__brevll": lambda x: int(f"{x:064b}"[::-1], 2),
    "__byte_perm": _permuted,
    "__fns": _nth,
    "__clz": lambda x: 32 - (x & 0xFFFFFFFF).bit_length(),
    "__clzll": lambda x: 64 - (x & (1 << 64) - 1).bit_length(),
    "__ffs": lambda x: (x & -x & 0xFFFFFFFF).bit_length(),
    "__ffsll": lambda x: (x & -x & (1 << 64) - 1).bit_length(),
    "__popc": lambda x: x.bit_count(),
    "__popcll": lambda x: x.bit_count(),
    "__hadd": lambda x, y: (x + y) >> 1,
    "__rhadd": lambda x, y: (x + y + 1) >> 1,
    "__uhadd": lambda x, y: (x + y) >> 1,
    "__urhadd": lambda x, y: (x + y + 1) >> 1,
    "__sad": lambda x, y, z: abs(x - y) + z,
    "__usad": lambda x, y, z: abs(x - y) + z,
    "__mulhi": lambda x, y: x * y >> 32,
    "__umulhi": lambda x, y: x * y >> 32,
    "__mul64hi": lambda x, y: x * y >> 64,
    "__umul64hi": lambda x, y: x * y >> 64,
    "__mul24": lambda x, y: ((x & 0xFFFFFF ^ 0x800000) - 0x800000) * ((y & 0xFFFFFF ^ 0x800000) - 0x800000),
    "__umul24": lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF),
    "__funnelshift_l": lambda low, high, by: ((high << 32 | low) << (by & 31)) >> 32,
    "__funnelshift_lc": lambda low, high, by: ((high << 32 | low) << min(by, 32)) >> 32,
    "__funnelshift_r": lambda low, high, by: (high << 32 | low) >> (by & 31),
    "__funnelshift_rc": lambda low, high, by: (high << 32 | low) >> min(by, 32),
    "__float_as_int": lambda x: _as(x, "float", "i4"),
    "__float_as_uint": lambda x: _as(x, "float", "u4"),
    "__int_as_float": lambda x: _as(x, "i4", "f4"),
    "__uint_as_float": lambda x: _as(x, "u4", "f4"),
    "__double_as_longlong": lambda x: _as(x, "double", "i8"),
    "__longlong_as_double": lambda x: _as(x, "i8", "f8"),
    "__double2hiint": lambda x: int(_as(x, "double", "i8")) >> 32,
    "__double2loint": lambda x: int(_as(x, "double", "i8")),
    "__hiloint2double": lambda x, y: _as(((x & 0xFFFFFFFF) << 32) | (y & 0xFFFFFFFF), "u8", "f8"),
    "abs": abs,
    "labs": abs,
    "llabs": abs,
    "umin": min,
    "umax": max,
    "llmin": min,
    "llmax": max,
    "ullmin": min,
    "ullmax": max,
}


# --- Functions ---


def _parts(x):
    """frexp."""
    mantissa, exponent = numpy.frexp(x)
    return float(mantissa), int(exponent)


def _remquo(x, y):
    quotient = int(numpy.rint(x / y))
    return math.remainder(x, y), math.copysign(abs(quotient) & 7, x / y)


def _logb(x):
    if x == 0 or not math.isfinite(x):
        return abs(x) if x else -math.inf
    return math.frexp(x)[1] - 1.0


def _round(x):
    return math.copysign(math.floor(abs(x) + 0.5), x) if math.isfinite(x) else x


def _sinpi(x):
    return float(numpy.sin(numpy.pi * math.remainder(x, 2))) if x != round(x) else math.copysign(0.0, x)


def _cospi(x):
    return float(numpy.cos(numpy.pi * math.remainder(x, 2))) if 2 * x % 2 != 1 else 0.0


def _bessel(function, at_infinity):
    """A function of SciPy's, which has no value at infinity."""

    def value(*values):
        return at_infinity(values[-1]) if math.isinf(values[-1]) else function(*values)

    return value


def _hypots(*values):
    return math.hypot(*values)


def _inverse(function):
    return lambda *values: 1 / numpy.float64(function(*values))


_FUNCTIONS = {
    **{
        name: getattr(numpy, name)
        for name in "sin cos tan sinh cosh tanh exp exp2 expm1 log log2 log10 log1p sqrt cbrt ceil floor trunc rint fabs fmod "
        "hypot copysign fmax fmin nextafter ldexp isnan isinf isfinite signbit".split()
    },
    **{name: getattr(numpy, "arc" + name[1:]) for name in "asin acos atan asinh acosh atanh atan2".split()},
    "pow": numpy.power,
    "nearbyint": numpy.rint,
    "round": _round,
    "logb": _logb,
    "erf": special.erf,
    "erfc": special.erfc,
    "erfinv": special.erfinv,
    "erfcinv": special.erfcinv,
    "erfcx": special.erfcx,
    "lgamma": _bessel(special.gammaln, abs),
    "tgamma": special.gamma,
    "normcdf": special.ndtr,
    "normcdfinv": special.ndtri,
    "cyl_bessel_i0": _bessel(special.i0, abs),
    "cyl_bessel_i1": _bessel(special.i1, float),
    **{
        name: _bessel(function, lambda x: 0.0)
        for name, function in (("j0", special.j0), ("j1", special.j1), ("jn", special.jv))
    },
    **{
        name: _bessel(function, lambda x: 0.0 if x > 0 else math.nan)
        for name, function in (("y0", special.y0), ("y1", special.y1), ("yn", special.yn))
    },
    "exp10": lambda x: numpy.power(10.0, x),
    "rsqrt": _inverse(numpy.sqrt),
    "rcbrt": _inverse(numpy.cbrt),
    "sinpi": _sinpi,
    "cospi": _cospi,
    "sincos": lambda x: (numpy.sin(x), numpy.cos(x)),
    "sincospi": lambda x: (_sinpi(x), _cospi(x)),
    "fdim": lambda x, y: max(x - y, 0.0),
    "remainder": math.remainder,
    "remquo": _remquo,
    "fma": lambda x, y, z: rounded(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)), "double"),
    "norm": lambda n, x: _hypots(*x[:n]),
    "norm3d": _hypots,
    "norm4d": _hypots,
    "rhypot": _inverse(_hypots),
    "rnorm": _inverse(lambda n, x: _hypots(*x[:n])),
    "rnorm3d": _inverse(_hypots),
    "rnorm4d": _inverse(_hypots),
    "scalbn": numpy.ldexp,
    "scalbln": numpy.ldexp,
    "ilogb": _logb,
    "lround": _round,
    "llround": _round,
    "lrint": numpy.rint,
    "llrint": numpy.rint,
    "frexp": _parts,
    "modf": lambda x: numpy.modf(x),
    "nan": lambda x: math.nan,
    "fdivide": numpy.divide,
    "abs": abs,
    "max": numpy.fmax,
    "min": numpy.fmin,
    "finite": numpy.isfinite,
    "saturate": lambda x: 0.0 if math.isnan(x) else min(max(x, 0.0), 1.0),
    "frsqrt_rn": _inverse(numpy.sqrt),
}

# --- Numbers of 16 bits ---

_SHORT = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": numpy.divide,
    "neg": lambda x: -x,
    "abs": abs,
    "fma": lambda x, y, z: x * y + z,
    "max": numpy.fmax,
    "min": numpy.fmin,
    "rcp": lambda x: 1 / x,
    "tanh_approx": numpy.tanh,
    "isinf": lambda x: numpy.isinf(x) * numpy.sign(x),
    "isnan": numpy.isnan,
}


def _short_function(name):
    """What __hadd_sat and hexp are, of floats."""
    found = re.fullmatch(r"(?:__)?h2?(\w+?)(_sat|_relu|_nan|_rn|)", name)
    compared = re.fullmatch(r"__hb?(eq|ne|lt|le|gt|ge)(u?)2?(_mask)?", name)
    if compared:

        def compare(x, y):
            if math.isnan(x) or math.isnan(y):
                return bool(compared[2])
            return getattr(float(x), _COMPARISONS[compared[1]])(float(y))

        return compare
    known = {**_FUNCTIONS, **_SHORT}
    function = found and (known.get(found[1]) or known.get(found[1].removesuffix("2")))
    if not function:
        return None

    def changed(*values):
        made = function(*map(numpy.float64, values))
        if found[2] == "_sat":
            return 0.0 if math.isnan(made) else min(max(made, 0.0), 1.0)
        if found[2] == "_relu":
            return made if math.isnan(made) else max(made, 0.0)
        if found[2] == "_nan" and any(map(math.isnan, values)):
            return math.nan
        return made

    return changed


def short(name, result, values):
    """Functions of cuda_fp16.h and cuda_bf16.h; pairs are lists."""
    if name == "__hcmadd":
        (a, b), (c, d), (e, f) = values
        part = PAIRS[result]
        real, imag = rounded(float(a) * c + e, part), rounded(float(a) * d + f, part)
        return rounded(float(-b) * d + real, part), rounded(float(b) * c + imag, part)
    of = re.fullmatch(
        r"__(low|high|lows|highs|halves|lowhigh|float|floats|float2|half|bfloat16|half2|bfloat162|short|ushort)2?"
        r"(_as_\w+|2?\w*?)(?:_rn)?",
        name,
    )
    if name.startswith(("make_", "__halves2")):
        return values
    if "_as_" in name:
        to = WORDS[name.rsplit("_", 1)[1]]
        source = WORDS[name[2:].split("_")[0]]
        word = numpy.array([values[0]], FLOATS.get(source) or {"short": "i2", "unsigned short": "u2"}[source])
        return word.view(FLOATS.get(to) or {"short": "i2", "unsigned short": "u2"}[to])[0]
    if name == "__lowhigh2highlow":
        return values[0][::-1]
    if name.startswith("__lows2"):
        return values[0][0], values[1][0]
    if name.startswith("__highs2"):
        return values[0][1], values[1][1]
    if name.startswith(("__low2", "__high2")):
        part = values[0][name.startswith("__high")]
        return (part, part) if result in PAIRS else part
    if name in ("__half2half2", "__bfloat162bfloat162") or name in ("__float2half2_rn", "__float2bfloat162_rn"):
        return values[0], values[0]
    if name.startswith("__floats2"):
        return values
    if name in ("__half22float2", "__bfloat1622float2", "__float22half2_rn", "__float22bfloat162_rn"):
        return values[0]
    function = _short_function(name)
    if not function or of is None and not function:
        return None
    if not isinstance(values[0], (list, tuple)):
        return function(*values)
    parts = [function(*lane) for lane in zip(*values)]
    if result == "unsigned":
        return parts[0] * 0xFFFF | parts[1] * 0xFFFF0000
    return all(parts) if result == "bool" else parts


# --- Atomic operations ---

_ATOMIC = {
    "Add": lambda x, v: x + v,
    "Sub": lambda x, v: x - v,
    "Exch": lambda x, v: v,
    "Min": min,
    "Max": max,
    "Inc": lambda x, v: 0 if x >= v else x + 1,
    "Dec": lambda x, v: v if x == 0 or x > v else x - 1,
    "And": lambda x, v: x & v,
    "Or": lambda x, v: x | v,
    "Xor": lambda x, v: x ^ v,
    "CAS": lambda x, expected, v: v if x == expected else x,
}


def atomic(name, result, values):
    """What was there and what is there."""
    found = re.fullmatch(r"atomic([A-Z]\w+?)(_block|_system)?", name)
    if not found:
        return None
    old, *rest = values
    if isinstance(old, (list, tuple)):
        return old, [_ATOMIC[found[1]](x, v) for x, v in zip(old, rest[0])]
    return old, _ATOMIC[found[1]](old, *rest)


def expected(name, result, values):
    """A number, or a tuple of the result and what is written to addresses; None: no such name."""
    for family in (atomic, arithmetic, conversion, video, dynamic):
        found = family(name, result, values)
        if found is not None:
            return found
    found = re.fullmatch(r"__dp([24])a(?:_(lo|hi))?", name)
    if found and isinstance(values[0], int):
        is_signed = result == "int"
        if found[1] == "4":
            return _dot(*values, 8, 8, 4, is_signed)
        return _dot(*values, 16, 8, 2, is_signed, 2 * (found[2] == "hi"))
    is_integer = all(isinstance(value, int) for value in values)
    if name in ("min", "max") and is_integer:
        return _BITS["u" + name](*(wrapped(value, result) for value in values))
    if name in _BITS and (is_integer or "_as_" in name or name.startswith("__double2")):
        return _BITS[name](*values)
    with numpy.errstate(all="ignore"):
        bare = name.removeprefix("__")
        for known in (name, bare, name.removesuffix("f"), bare.removesuffix("f")):
            if known in _FUNCTIONS and not name.startswith("__h"):
                is_own = known == "nextafter"
                values = [
                    numpy.float64(value) if isinstance(value, numpy.floating) and not is_own else value
                    for value in values
                ]
                return _FUNCTIONS[known](*values)
        return short(name, result, values)
