"""Cases from the table of operations: which operations there are, values that break them,
layouts."""

import json
from pathlib import Path

import numpy as np
import tenorite as tn

# --- Dtypes and values ---

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
COMPLEXES = ("complex64", "complex128")
DTYPES = ("bool", *INTEGERS, *FLOATS, *COMPLEXES)


def _float_specials(dtype):
    info = np.finfo(dtype)
    sizes = [0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 10.0, np.pi, 100.25, np.inf]
    limits = [info.smallest_subnormal, info.tiny, info.eps, info.max, 1 + info.eps]
    return np.array([s * x for x in sizes + limits for s in (1, -1)] + [np.nan], dtype)


def specials(dtype):
    """Zeros of both signs, NaN, infinities, subnormals, and the extremes of a dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        near = [k for k in (-7, -2, -1, 0, 1, 2, 3, 5, 8, 10, 31, 63, 100) if k >= info.min]
        return np.array([info.min, info.min + 1, *near, info.max - 1, info.max], dtype)
    if dtype.kind == "f":
        return _float_specials(dtype)
    # No product of two overflows: NumPy's own loops differ in what they give then.
    parts = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, np.inf, -np.inf, np.nan, 1e-15, 1e15])
    parts = parts.astype(dtype.type(0).real.dtype)
    grid = np.empty((parts.size, parts.size), dtype)
    grid.real, grid.imag = parts[:, None], parts
    return grid.ravel()


def ordinary(dtype, count, seed=0):
    """Random values in the range where functions are interesting."""
    dtype = np.dtype(dtype)
    random = np.random.default_rng([seed, count, ord(dtype.char)])
    if dtype.kind == "b":
        return random.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = random.integers(max(info.min, -20), 20, count)
        wide = random.integers(info.min, info.max, count, dtype, endpoint=True)
        return np.where(random.random(count) < 0.6, small.astype(dtype), wide)
    values = random.normal(size=count) * 10.0 ** random.integers(-3, 2, count)
    if dtype.kind == "c":
        values = values + 1j * random.normal(size=count)
    return values.astype(dtype)


def grid(dtype, rows=7, columns=9, seed=0):
    """A matrix of special and ordinary values in random order."""
    values = np.concatenate([specials(dtype), ordinary(dtype, rows * columns, seed)])
    return np.random.default_rng(seed).permutation(values)[: rows * columns].reshape(rows, columns)


# --- Layouts: the same elements as `a` (a matrix), differently laid out. xp is numpy or tenorite.
# ---


def _strided(xp, a):
    wide = xp.zeros((2 * a.shape[0], 3 * a.shape[1]), dtype=a.dtype)
    wide[1::2, ::3] = a
    return wide[1::2, ::3]


def _unaligned(xp, a):
    memory = xp.zeros(a.nbytes + 1, dtype=xp.uint8)
    view = memory[1:].view(a.dtype).reshape(a.shape)
    view[...] = a
    return view


def _negative(xp, a):
    return xp.ascontiguousarray(a[::-1, ::-1])[::-1, ::-1]


LAYOUTS = {
    "contiguous": lambda xp, a: xp.ascontiguousarray(a),
    "fortran": lambda xp, a: xp.asfortranarray(a),
    "strided": _strided,
    "negative": _negative,
    "rows reversed": lambda xp, a: xp.ascontiguousarray(a[::-1])[::-1],
    "transposed": lambda xp, a: xp.ascontiguousarray(a.T).T,
    "broadcast rows": lambda xp, a: xp.broadcast_to(a[:1], a.shape),
    "broadcast columns": lambda xp, a: xp.broadcast_to(a[:, 2:3], a.shape),
    "three axes": lambda xp, a: xp.ascontiguousarray(a.T)[:, None, :].swapaxes(0, 2),
    "unaligned": _unaligned,
    "0-d": lambda xp, a: a[3, 4, ...],
    "one element": lambda xp, a: a[2:3, 1:2],
    "empty": lambda xp, a: a[:, :0],
    "no rows": lambda xp, a: a[:0],
}


def both(host, layout="contiguous"):
    """(NumPy's array, ours) of the same elements in a layout."""
    return LAYOUTS[layout](np, host), LAYOUTS[layout](tn, tn.array(host))


# --- Operations ---

# Functions of NumPy that one operation serves here, with their number of inputs.
FUNCTIONS = {
    "sinc": 1,
    "i0": 1,
    "isreal": 1,
    "iscomplex": 1,
    "isposinf": 1,
    "isneginf": 1,
    "real": 1,
    "imag": 1,
    "angle": 1,
}


def ufunc_names(inputs=None):
    """Names of ufuncs that NumPy has too, each object once, with this number of inputs."""
    found = {}
    for name, ours in sorted(vars(tn).items()):
        if getattr(ours, "__name__", name) != name:
            continue  # another name of an object that comes by its own
        if isinstance(ours, tn.ufunc) and isinstance(getattr(np, name, None), np.ufunc):
            if inputs in (None, ours.nin):
                found.setdefault(id(ours), name)
    return sorted(found.values())


UNARY = ufunc_names(1)
BINARY = ufunc_names(2)

# --- How far results may be from NumPy's, in units in the last place ---

ON_GPU = tn.cuda.Device().backend == "cuda"


class Bound(float):
    """Units in the last place; for results smaller than `least` those of `least`."""

    least = 0.0

    def __new__(cls, ulp, least):
        self = super().__new__(cls, ulp)
        self.least = least
        return self


_EXACT = frozenset(
    "add subtract multiply divide floor_divide remainder fmod divmod negative positive absolute fabs "
    "sign reciprocal square sqrt floor ceil trunc rint maximum minimum fmax fmin heaviside copysign "
    "nextafter spacing ldexp frexp modf deg2rad rad2deg conjugate real imag".split()
)
# NumPy's own error counts as well as ours; sums of two roundings for the composed ones. NumPy's
# cbrt without AVX-512 is the C library's, for which glibc's manual documents 4.
_LOOSE = {"sinc": 4, "i0": 8, "logaddexp": 4, "logaddexp2": 4, "float_power": 4, "power": 4, "cbrt": 5, "hypot": 2}
# Of a GPU's functions the documented errors are larger; i0 is made of some.
_OF_GPU = {
    name: bounds["float32"] + 1.5
    for name, bounds in json.loads(Path(__file__).with_name("ulp.json").read_text())["cuda"].items()
}
_OF_GPU |= {"i0": 10, "float_power": 4}
# Sums that cancel: NumPy's result has the error of the summands, which lie around 1. On the host
# ours has the same one, but for log1p of complex numbers, where ours has all digits.
_CANCELS = ("logaddexp", "logaddexp2")
POWERS = ("power", "float_power")


def ulp_bound(name, dtype):
    """The bound for an operation on inputs of a dtype."""
    kind = np.dtype(dtype).kind
    least = 1.0 if (name == "log1p" if kind == "c" else ON_GPU and name in _CANCELS) else 0.0
    if kind == "c":
        return {"add": 0, "subtract": 0, "negative": 0, "positive": 0, "conjugate": 0, "real": 0, "imag": 0}.get(
            name, Bound(8, least)
        )
    if name in _EXACT:
        return 0
    of_gpu = _OF_GPU.get(name, 0) if ON_GPU else 0
    return Bound(max(_LOOSE.get(name, 4), of_gpu), least)


def value_bound(name, *inputs):
    """The bound for each element of an operation on these inputs."""
    bound = max(ulp_bound(name, x.dtype if isinstance(x, (np.ndarray, np.generic)) else type(x)) for x in inputs)
    if not ON_GPU or name not in POWERS or np.result_type(*inputs).kind != "c":
        return bound
    # exp(b log a): what the logarithm misses by is multiplied by b, and turns the result when it is
    # large. NumPy's result has the same error; on the host ours is the same.
    dtype = np.complex128 if name == "float_power" else np.result_type(*inputs)
    a, b = (np.asarray(x, np.clongdouble) for x in inputs)
    try:
        np.broadcast(a, b)
    except ValueError:  # as the operation itself will say
        return bound
    with np.errstate(all="ignore"):
        size = np.abs(b * np.log(a)).astype(float)
        is_turned = size * np.finfo(dtype).eps > 0.01
        return np.where(np.isfinite(size), np.where(is_turned, np.inf, bound + 16 * size), bound)
