"""Every operation of the table in translated functions, for every dtype and special values: what
the ufunc gives, which is the oracle. TENORITE_WHOLE=1 takes each dtype in vectorize, too."""

import itertools
import os
import shutil

import numpy
import pytest
import tenorite
from oracle import difference
from tenorite.jit._operations import _AS_FUNCTIONS, _ufunc

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
NAMES = sorted({one.__name__ for one in vars(tenorite).values() if isinstance(one, tenorite.ufunc)} | {*_AS_FUNCTIONS})
# What the host's loops have vectors for (SLEEF, or the library's own functions of complex numbers):
# texts have the C library's, or our own. All others are the same bits.
ROUNDED = frozenset(
    "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh "
    "arctanh arctan2 hypot power float_power logaddexp logaddexp2 sinc i0 divide".split()
)
DTYPES = "?bBhHiIlLefdFD"


@pytest.fixture(autouse=True)
def compiler(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


def special(dtype):
    dtype = numpy.dtype(dtype)
    if dtype.kind == "b":
        return numpy.array([False, True])
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        some = [0, 1, 2, 3, 7, 40, info.max, info.max - 1, info.max // 2]
        return numpy.array(some + ([-1, -2, -5, info.min, info.min + 1] if info.min else []), dtype)
    info = numpy.finfo(dtype)
    inf, nan, tiny, most = numpy.inf, numpy.nan, info.smallest_subnormal, info.max
    reals = [0.0, -0.0, 1, -1, 0.5, -2.5, 3, 1.5, -7, 100.25, inf, -inf, nan, tiny, -tiny, info.tiny, most, -most]
    if dtype.kind == "c":
        few = [0.0, -0.0, 1.5, -2, 0.25, inf, -inf, nan]
        return numpy.array([complex(*pair) for pair in itertools.product(few, few)], dtype)
    return numpy.array(reals, dtype)


def pairs(first, second):
    x, y = (one.ravel() for one in numpy.meshgrid(special(first), special(second)))
    return x.copy(), y.copy()


def wanted(name, x, y):
    """What the ufunc gives of as many arrays as it takes, or None: it has no such loop."""
    count = _ufunc(name).nin
    if count > 2 or (name == "power" and "i" in x.dtype.kind + y.dtype.kind):
        return None
    try:
        made = getattr(tenorite, name)(*(tenorite.asarray(one) for one in (x, y)[:count]))
    except TypeError:
        return None
    return list(made) if isinstance(made, tuple) else [made]


def cases(first, second):
    x, y = pairs(first, second)
    found = [(name, wanted(name, x, y)) for name in NAMES]
    return x, y, [(name, one) for name, one in found if one is not None]


def call(name):
    return f"tenorite.{name}({'x, y'[: 3 * _ufunc(name).nin - 2]})"


def define(text, tmp_path):
    path = tmp_path / f"operations{len(list(tmp_path.iterdir()))}.py"
    path.write_text("import tenorite\nfrom tenorite import jit\n" + text)
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space["all"]


def by_jit(x, y, chosen, tmp_path):
    lines, outs = [], []
    for name, expected in chosen:
        targets = ", ".join(f"out{len(outs) + k}[i]" for k in range(len(expected)))
        lines.append(f"        {targets} = {call(name)}")
        outs += [tenorite.zeros(x.shape, one.dtype) for one in expected]
    names = ", ".join(f"out{k}" for k in range(len(outs)))
    text = (
        f"@jit.rawkernel(mode='numpy')\ndef all(xs, ys, {names}):\n"
        "    for i in range(jit.grid(1), xs.size, jit.gridsize(1)):\n"
        "        x, y = xs[i], ys[i]\n" + "\n".join(lines)
    )
    define(text, tmp_path)[2, 64](tenorite.asarray(x), tenorite.asarray(y), *outs)
    return outs


def by_vectorize(x, y, chosen, tmp_path):
    half = len(chosen) // 2
    if half > 10:
        return by_vectorize(x, y, chosen[:half], tmp_path) + by_vectorize(x, y, chosen[half:], tmp_path)
    lines, results = [], []
    for k, (name, expected) in enumerate(chosen):
        targets = [f"r{k}_{part}" for part in range(len(expected))]
        lines.append(f"    {', '.join(targets)} = {call(name)}")
        results += targets
    text = "def all(x, y):\n" + "\n".join(lines) + f"\n    return {', '.join(results)},"
    return tenorite.vectorize(define(text, tmp_path))(tenorite.asarray(x), tenorite.asarray(y))


def check(way, first, second, tmp_path):
    x, y, chosen = cases(first, second)
    assert chosen
    with tenorite.errstate(all="ignore"):
        outs = iter(way(x, y, chosen, tmp_path))
        failed = []
        for name, expected in chosen:
            for want in expected:
                made, host = next(outs), want.get()
                ulp = 0
                if name in ROUNDED and host.dtype.kind in "fc":
                    ulp = 1 if host.dtype.itemsize == 2 else 4
                fault = difference(made, host, ulp)
                if fault:
                    at = numpy.flatnonzero(~((made.get() == host) | ((made.get() != made.get()) & (host != host))))[:3]
                    failed.append(f"{name}: {fault}; of {x[at]}, {y[at]}")
    assert not failed, "\n".join(failed)


IS_WHOLE = os.environ.get("TENORITE_WHOLE") == "1"
MIXED = ["Ll", "lL", "Lb", "bL", "Iq", "Bb", "fi", "ed", "?d", "Fd"]
BY_VECTORIZE = ["bb", "LL", "ee", "dd", "FF", "lL"]


@pytest.mark.parametrize("dtypes", [one + one for one in DTYPES] + MIXED)
def test_jit(dtypes, tmp_path):
    check(by_jit, *dtypes, tmp_path)


@pytest.mark.parametrize("dtypes", [one + one for one in DTYPES] + MIXED if IS_WHOLE else BY_VECTORIZE)
def test_vectorize(dtypes, tmp_path):
    check(by_vectorize, *dtypes, tmp_path)
