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


def launches(function, count):
    arrays = [tn.ones(10_000, "f") for _ in range(count)]
    fused = tn.fuse(function)
    fused(*arrays)
    tn.cuda.Device().synchronize()
    before = FAKE.fake_cuda_launches()
    fused(*arrays)
    tn.cuda.Device().synchronize()
    return FAKE.fake_cuda_launches() - before


functions = {black_scholes: 3, steps: 2, long_chain: 2, adam: 4, many_arrays: 31, sum_of_scalars: 2}
print(json.dumps({function.__name__: launches(function, count) for function, count in functions.items()}))
"""


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    return json.loads(output_of(PROGRAM, on_double(tmp_path_factory.mktemp("cache"))))


@pytest.mark.parametrize("name", ["black_scholes", "steps", "long_chain", "adam", "many_arrays", "sum_of_scalars"])
def test_one_launch(counts, name):
    assert counts[name] == 1
