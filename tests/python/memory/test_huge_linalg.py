"""Decompositions and transforms of more than 2**31 numbers: what is computed of each matrix or line
is as of the one a period before, and of the first period as NumPy has it."""

import os

import numpy as np
import pytest
import tenorite as tn
from test_huge import ON_GPU, PERIOD, alone  # noqa: F401 (a fixture of every test)

WHOLE = os.environ.get("TENORITE_WHOLE") == "1"
MATRICES, SIDE = 2**27 + 3, 4
ROWS, COLUMNS = 2**27 + 3, 16

pytestmark = [pytest.mark.huge, pytest.mark.skipif(not (ON_GPU or WHOLE), reason="on the host with TENORITE_WHOLE=1")]


def need(gigabytes):
    if tn.cuda.Device().mem_info[0] < gigabytes << 30:
        pytest.skip(f"needs {gigabytes} GiB of free memory")


def repeated(period, count):
    """What a period holds, again and again along the first axis."""
    return tn.asarray(period)[tn.arange(count) % PERIOD]


def definite(side, dtype):
    rng = np.random.default_rng(7)
    a = rng.standard_normal((PERIOD, side, side))
    return (a @ a.swapaxes(-1, -2) + side * np.eye(side)).astype(dtype)


def check(result, expected, rtol=1e-3):
    np.testing.assert_allclose(result[:PERIOD].get(), expected, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(result[-1].get(), expected[(len(result) - 1) % PERIOD], rtol=rtol, atol=rtol)
    assert tn.array_equal(result[PERIOD:], result[:-PERIOD])


@pytest.mark.parametrize("name", ["det", "inv", "cholesky", "eigvalsh", "svdvals"])
def test_small_matrices(name):
    need(64 if ON_GPU else 20)
    if not ON_GPU and name != "det":
        pytest.skip("on the host the determinant alone, which fits")
    period = definite(SIDE, np.float32)
    check(getattr(tn.linalg, name)(repeated(period, MATRICES)), getattr(np.linalg, name)(period))


def test_solve():
    need(64)
    period = definite(SIDE, np.float32)
    right = np.arange(PERIOD * SIDE, dtype=np.float32).reshape(PERIOD, SIDE, 1) % 7
    found = tn.linalg.solve(repeated(period, MATRICES), repeated(right, MATRICES))
    check(found, np.linalg.solve(period, right))


def test_tall_qr():
    """The triangle of a tall matrix, by what it makes of itself."""
    need(100)
    period = np.random.default_rng(3).standard_normal((PERIOD, COLUMNS))
    triangle = tn.linalg.qr(repeated(period, ROWS), mode="r").get()
    whole, rest = divmod(ROWS, PERIOD)
    expected = whole * (period.T @ period) + period[:rest].T @ period[:rest]
    assert np.array_equal(triangle, np.triu(triangle))
    np.testing.assert_allclose(triangle.T @ triangle, expected, rtol=1e-7, atol=1e-7 * ROWS)


def test_transforms_of_lines():
    need(64)
    period = np.random.default_rng(5).standard_normal((PERIOD, COLUMNS)).astype(np.complex64)
    check(tn.fft.fft(repeated(period, ROWS), axis=1), np.fft.fft(period, axis=1))


def test_transform_of_one_line():
    """A wave of 5 turns in 1,024 numbers, 2**21 times: one frequency."""
    need(64)
    wave = np.cos(2 * np.pi * 5 * np.arange(1024) / 1024).astype(np.float32)
    found = tn.fft.rfft(tn.tile(tn.asarray(wave), 2**21))
    assert found.shape == (2**30 + 1,) and found.dtype == np.complex64
    at = 5 * 2**21
    assert abs(found[at].item() - 2**30) < 2**30 * 1e-4
    found[at] = 0
    assert float(abs(found).max()) < 2**30 * 1e-4
