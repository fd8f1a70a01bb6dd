"""What a fused program launches on CUDA: counted by the driver's double."""

import json

import pytest
from programs import needs_doubles, on_double, output_of

pytestmark = needs_doubles

PROGRAM = """
import ctypes, json, os
import tenorite as tn

FAKE = ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"])


def normal(x):  # Abramowitz and Stegun, 26.2.17
    t = 1 / (1 + 0.2316419 * abs(x))
    series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = 0.3989422804014327 * tn.exp(-x * x / 2) * series
    return tn.where(x > 0, 1 - tail, tail)


def black_scholes(price, strike, years):
    root = tn.sqrt(years)
    first = (tn.log(price / strike) + (0.02 + 0.3 * 0.3 / 2) * years) / (0.3 * root)
    second = first - 0.3 * root
    later = strike * tn.exp(-0.02 * years)
    call = price * normal(first) - later * normal(second)
    return call, later - price + call


def steps(z, c):
    for _ in range(20):
        z = z * z + c
    return z


def long_chain(z, c):
    for k in range(110):
        z = z * c + k % 5
    return z


def adam(w, g, m, v):
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return w - 0.01 * m / (tn.sqrt(v) + 1e-8), m, v


def many_arrays(*arrays):
    total = arrays[0]
    for one in arrays[1:]:
        total = total + one
    return total


def sum_of_scalars(a, b):
    return ((a - b) * 2 + 1).sum()


def softmax(x):
    e = tn.exp(x - tn.max(x, axis=-1, keepdims=True))
    return e / tn.sum(e, axis=-1, keepdims=True)


def layer_norm(x, gain, bias):
    away = x - tn.mean(x, axis=-1, keepdims=True)
    return away / tn.sqrt(tn.var(x, axis=-1, keepdims=True) + 1e-5) * gain + bias


def moments(x, scale):
    mean = tn.mean(x * scale, axis=1)
    return mean, tn.sum(x, axis=1) + mean * 2, x * scale


def long_fold(a, b, c):
    # A hundred steps enter a sum, conditions and conversions among them.
    for k in range(25):
        a = tn.where(a > b, a * 0.5 + c, a - k)
    return a.astype("d").sum()


def wide_fold(*arrays):
    return sum(arrays[1:], arrays[0]).sum(axis=0)


def many_scalars(x, y):
    for k in range(30):
        x = x * (1 + k / 1000) + y
    return x, x * y


def dead(x):
    tn.sum(x * 3)
    return x + 1


def in_place(x, y):
    x -= y * tn.sum(x)


def launches(function, *shapes, dtype="f"):
    arrays = [tn.ones(shape, dtype) for shape in shapes]
    fused = tn.fuse(function)
    fused(*arrays)
    tn.cuda.Device().synchronize()
    before = FAKE.fake_cuda_launches()
    fused(*arrays)
    tn.cuda.Device().synchronize()
    return FAKE.fake_cuda_launches() - before


calls = {black_scholes: [10_000] * 3, steps: [10_000] * 2, long_chain: [10_000] * 2, adam: [10_000] * 4,
         many_arrays: [10_000] * 31, sum_of_scalars: [10_000] * 2, softmax: [(3000, 1000)],
         layer_norm: [(2000, 4096), 4096, 4096], moments: [(2000, 500), (2000, 1)], long_fold: [10_000] * 3,
         wide_fold: [(100, 3000)] * 31, many_scalars: [10_000] * 2, dead: [10_000], in_place: [10_000] * 2}
counts = {function.__name__: launches(function, *shapes) for function, shapes in calls.items()}
for length in (70, 129, 1024, 5000):
    for dtype in "efdF":
        for function in (layer_norm, softmax, moments):
            shapes = [(1100, length), *([length] * 2 if function is layer_norm else [()] * (function is moments))]
            if dtype != "F" or function is moments:
                counts[f"{function.__name__} {length} {dtype}"] = launches(function, *shapes, dtype=dtype)
print(json.dumps(counts))
"""


NAMES = ["black_scholes", "steps", "long_chain", "adam", "many_arrays", "sum_of_scalars"]
NAMES += ["long_fold", "wide_fold", "many_scalars", "dead"]
ROWS = ["softmax", "layer_norm", "moments"]


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    """The double of the driver launches what the real NVRTC has compiled."""
    variables = on_double(tmp_path_factory.mktemp("cache"))
    del variables["TENORITE_NVRTC_PATH"]
    return json.loads(output_of(PROGRAM, variables))


@pytest.mark.parametrize("name", NAMES + ROWS)
def test_one_launch(counts, name):
    assert counts[name] == 1


def test_a_store_is_no_launch_of_its_own(counts):
    assert counts["in_place"] == 2


def test_rows_of_all_lengths(counts):
    """Rows that a team's registers hold are one launch; others are more."""
    assert all(count >= 1 for count in counts.values())
    assert all(counts[f"{name} {length} f"] == 1 for name in ROWS for length in (129, 1024, 5000))
