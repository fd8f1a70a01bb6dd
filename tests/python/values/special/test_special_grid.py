"""scipy.special at extremes, poles, their neighbours and huge arguments, beside mpmath's values.

special_grid.py makes the values. special_bounds.json has what is promised, which the guide shows,
too: how many units an error has at most, of which one is 2**-52 of the value and what the value
moves when each argument moves by 2**-52 of itself.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import special
from tenorite.scipy.special._table import TABLE

LINES = [line for lines in TABLE.values() for line in lines]

FOLDER = Path(__file__).parents[2]
GRID = json.loads((FOLDER / "special_grid.json").read_text())
BOUNDS = json.loads((FOLDER / "special_bounds.json").read_text())
LEAST = 5e-324
# CUDA's own Bessel functions: the largest absolute errors for arguments beyond 8, which its
# programming guide states; and a relative one, of large orders (2.5e-12 was seen on an H200).
OF_CUDA = {"j0": 5e-12, "j1": 5e-12, "y0": 5e-12, "y1": 5e-12, "yn": 1.5e-11}
# What is made of others along axes, or is another name.
COMPOSED = {"log_softmax", "logsumexp", "multigammaln", "psi", "round", "softmax", "sph_harm"}


def columns(rows):
    """The arguments, the values and the slopes of rows."""
    made = []
    for column in list(zip(*rows)):
        pairs = any(isinstance(x, list) for x in column)
        made.append(np.array([complex(*x) if isinstance(x, list) else x for x in column], complex if pairs else float))
    return made[:-2], made[-2], made[-1]


def computed(key, inputs):
    """What the function of a key returns."""
    name, _, place = key.partition(" ")[0].partition(".")
    if key.endswith("complex"):
        inputs = [x.astype(complex) for x in inputs]
    if name == "lambertw":
        inputs = [inputs[0], inputs[1].astype(int)]
    found = getattr(special, name)(*map(tn.asarray, inputs))
    return (found[int(place)] if place else found).get()


def same(found, expected):
    """Where infinities, NaNs and zeros are the same; of complex numbers any infinity will do."""
    if expected.dtype.kind == "c":
        return (np.isnan(found) & np.isnan(expected)) | (np.isinf(found) & np.isinf(expected)) | (found == expected)
    return (found == expected) | (np.isnan(found) & np.isnan(expected))


def label(key):
    """What the bounds call the function of a key: its results have one bound."""
    name, *kind = key.split(" ")
    return " ".join([name.partition(".")[0], *kind])


def errors(key):
    """Each point's error in units of the value's and the arguments' last places, and the points."""
    inputs, expected, slopes = columns(GRID[key])
    found = computed(key, inputs)
    with np.errstate(all="ignore"):
        unit = np.abs(expected) * 2.0**-52 + slopes + LEAST
        error = np.abs(found - expected) / unit
        if key in OF_CUDA and tn.cuda.Device().backend == "cuda":
            allowed = np.maximum(OF_CUDA[key], 1e-11 * np.abs(expected))
            error[(np.abs(inputs[-1]) > 8) & (np.abs(found - expected) <= allowed)] = 0
    error = np.where(np.isfinite(error), error, np.inf)
    return np.where(same(found, expected), 0, error), inputs, found, expected


def test_every_function_has_points():
    assert {label(key) for key in GRID} == BOUNDS.keys()
    assert set(special.__all__) - COMPOSED <= {key.split(" ")[0] for key in BOUNDS}


@pytest.mark.parametrize("key", GRID)
def test_grid(key):
    error, inputs, found, expected = errors(key)
    wrong = np.flatnonzero(error > BOUNDS[label(key)])
    assert not wrong.size, [(*[x[i] for x in inputs], found[i], expected[i], error[i]) for i in wrong[:5]]


@pytest.mark.parametrize("key", [line[0] for line in LINES])
def test_grid_of_single_precision(key):
    """What is computed in double precision of float32, and then rounded."""
    inputs, _, _ = columns(GRID[key])
    with np.errstate(over="ignore"):
        inputs = [x.astype(np.float32) for x in inputs]
    found = computed(key, inputs)
    with np.errstate(over="ignore"):
        expected = computed(key, [x.astype(float) for x in inputs]).astype(found.dtype)
    np.testing.assert_array_max_ulp(*np.where(np.isfinite([found, expected]), [found, expected], 0), 2)
    assert same(found, expected)[~np.isfinite(expected)].all()
