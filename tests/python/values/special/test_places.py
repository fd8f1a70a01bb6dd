"""An element's result does not depend on where it lies: every operation of elements, over vectors
of any length, strided, reversed and alone. TENORITE_WHOLE=1 looks at all layouts of all of them."""

import os

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import special
from tenorite.scipy.special._table import TABLE

WHOLE = os.environ.get("TENORITE_WHOLE") == "1"
MOST = 70
SPECIAL = {line[0]: len(line[1].split()) for lines in TABLE.values() for line in lines}
NAMES = {name: getattr(tn, name) for name in tn.__all__}
UFUNCS = {name: one.nin for name, one in NAMES.items() if type(one) is type(tn.sin) and one.nout == 1}
# Those of which each layout is a program of its own, all of them with vector functions.
SAMPLE = "erf erfc ndtr log_ndtr expit log_expit j0 i0e xlogy boxcox kl_div gammainc".split()
STRIDED = SPECIAL if WHOLE else SAMPLE
LENGTHS = range(1, MOST + 1) if WHOLE else [*range(1, 18), 23, 31, 32, 33, 64, 69, 70]


def made_inputs(count, dtype):
    """Values within and beyond (0, 1), as functions of one, two and three numbers take them."""
    random = np.random.default_rng(count)
    last = np.concatenate([random.uniform(0.01, 0.99, MOST // 2), random.uniform(-6, 9, MOST // 2)])
    inputs = [random.uniform(0.2, 6, MOST) for _ in range(count - 1)] + [random.permutation(last)]
    if np.dtype(dtype).kind == "c":
        inputs = [one + 1j * random.uniform(-2, 2, MOST) for one in inputs]
    return [one.astype(dtype) for one in inputs]


def bits(array):
    """The elements as integers, all NaNs as one."""
    array = array.get()
    array[array != array] = np.nan
    return array.view(f"V{array.itemsize}")


def check(function, inputs, strided):
    arrays = [tn.asarray(one) for one in inputs]
    alone = bits(tn.concatenate([function(*(one[k : k + 1] for one in arrays)) for k in range(MOST)]))
    for length in LENGTHS:
        np.testing.assert_array_equal(bits(function(*(one[:length] for one in arrays))), alone[:length])
        np.testing.assert_array_equal(bits(function(*(one[-length:] for one in arrays))), alone[-length:])
    if strided:
        wide = [tn.asarray(np.repeat(one, 3)) for one in inputs]
        for length in (7, 33, MOST):
            found = function(*(one[::3][:length] for one in wide)), function(*(one[:length][::-1] for one in arrays))
            np.testing.assert_array_equal(bits(found[0]), alone[:length])
            np.testing.assert_array_equal(bits(found[1]), alone[:length][::-1])


@pytest.mark.parametrize("name", SPECIAL)
def test_special(name):
    for dtype in "fd" if WHOLE or name in SAMPLE else "d":
        check(getattr(special, name), made_inputs(SPECIAL[name], dtype), name in STRIDED)


@pytest.mark.parametrize("dtype", ["e", "f", "d", "F", "D"])
def test_ufuncs(dtype):
    compared = 0
    for name, count in UFUNCS.items():
        try:
            getattr(tn, name)(*map(tn.asarray, made_inputs(count, dtype)))
        except TypeError:
            continue
        with np.errstate(all="ignore"):
            check(getattr(tn, name), made_inputs(count, dtype), True)
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("name", "sin cos tan exp expm1 log log1p log2 cbrt tanh asinh erf erfc".split())
def test_kernels(name, dtype):
    """A function in a text of the program's own."""
    kernel = tn.ElementwiseKernel("T x", "T y", f"y = {name}(x) + {name}(x / 2)", f"place_{name}")
    check(kernel, made_inputs(1, dtype), True)
