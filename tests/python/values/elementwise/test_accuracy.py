"""Errors of transcendental functions in units in the last place, against wider arithmetic.

ulp.json holds the bound of each function and dtype. The host's are SLEEF's or, where a function is
our own (loops/maths), what was measured at the level that has no fused multiplications (v2), which
is below NumPy's 4. Under "cuda" is what differs
there: the largest error that the CUDA programming guide documents, which is measured against the
correctly rounded result, and half a unit for that rounding. `python
tests/python/values/elementwise/test_accuracy.py` measures and prints what the bounds could be.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import tenorite as tn

BOUNDS = json.loads(Path(__file__).parents[2].joinpath("ulp.json").read_text())
WIDER = {"float16": np.float64, "float32": np.float64, "float64": np.longdouble}
COUNT = 40_000

# Arguments that the function takes: (lowest, highest); several orders of magnitude on both sides of
# 1.
DOMAINS = {
    "log": (0, np.inf),
    "log2": (0, np.inf),
    "log10": (0, np.inf),
    "log1p": (-1, np.inf),
    "sqrt": (0, np.inf),
    "arcsin": (-1, 1),
    "arccos": (-1, 1),
    "arccosh": (1, np.inf),
    "arctanh": (-1, 1),
}


def arguments(name, dtype, inputs):
    """Random values, half of moderate size and half of any that the dtype has."""
    random = np.random.default_rng(len(name))
    low, high = DOMAINS.get(name, (-np.inf, np.inf))
    info = np.finfo(dtype)
    found = []
    for _ in range(inputs):
        moderate = random.uniform(max(low, -10), min(high, 10), COUNT // 2)
        exponents = random.uniform(info.minexp // 2, info.maxexp // 2, COUNT // 2)
        wide = np.exp2(exponents) * random.choice([-1, 1], COUNT // 2)
        values = np.concatenate([moderate, wide[(wide > low) & (wide < high)]]).astype(dtype)
        found.append(values[(values >= low) & (values <= high)])
    shortest = min(values.size for values in found)
    return [values[:shortest] for values in found]


def worst_error(name, dtype):
    """The largest error in ULP, and where."""
    ours, theirs = getattr(tn, name), getattr(np, name)
    inputs = arguments(name, dtype, ours.nin)
    with np.errstate(all="ignore"):
        exact = theirs(*[values.astype(WIDER[dtype]) for values in inputs])
        made = ours(*[tn.array(values) for values in inputs]).get()
        rounded = exact.astype(dtype)
        # Below the smallest normal number a unit no longer shrinks, and beyond the largest there is
        # none.
        counted = np.isfinite(rounded) & (np.abs(exact) >= np.finfo(dtype).tiny)
        error = np.abs(made.astype(exact.dtype) - exact) / np.spacing(np.abs(rounded)).astype(exact.dtype)
    error = np.where(counted, error, 0)
    at = int(np.argmax(error))
    return float(error[at]), [values[at] for values in inputs]


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", BOUNDS["host"])
def test_error(name, dtype, device):
    error, at = worst_error(name, dtype)
    bound = BOUNDS["host"][name][dtype]
    if device != "host":
        bound = BOUNDS[device].get(name, {}).get(dtype, bound)
    assert error <= bound, f"{error:.2f} ULP at {at}"


if __name__ == "__main__":
    for function in BOUNDS["host"]:
        print(function, {d: round(worst_error(function, d)[0], 3) for d in WIDER})
