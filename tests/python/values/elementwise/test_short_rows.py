"""Copies whose rows are short: repeated elements and blocks, few columns of many, written into new
arrays and into parts of others, of every item size."""

import numpy as np
import pytest
import tenorite as tn

pytestmark = pytest.mark.quick

DTYPES = ("uint8", "float16", "float32", "float64", "complex128")
COUNTS = (2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33, 130)


def numbers(size, dtype):
    return (np.arange(size) % 251).astype(dtype)


def assert_copies(values, view):
    """A new array; a part of one whose rows are apart, and one whose elements are."""
    np.testing.assert_array_equal(tn.asnumpy(view.copy()), values)
    for step in (1, 2):
        shape = [step * size + 3 for size in values.shape]
        part = tuple(slice(1, 1 + step * size, step) for size in values.shape)
        expected, target = np.zeros(shape, values.dtype), tn.zeros(shape, values.dtype)
        expected[part], target[part] = values, view
        np.testing.assert_array_equal(tn.asnumpy(target), expected)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 3, 50, 1500, 17000])
def test_repeated_elements(dtype, size):
    values = numbers(size, dtype)
    array = tn.asarray(values)
    for count in COUNTS:
        if size * count < 40_000:
            wide = (size, count)
            assert_copies(np.broadcast_to(values[:, None], wide), tn.broadcast_to(array[:, None], wide))
            np.testing.assert_array_equal(tn.asnumpy(tn.repeat(array, count)), np.repeat(values, count))
            np.testing.assert_array_equal(tn.asnumpy(tn.tile(array[:count], size)), np.tile(values[:count], size))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [1, 2, 3, 5, 8, 17, 90])
def test_repeated_blocks(dtype, width):
    values = numbers(1200 * width, dtype)
    array = tn.asarray(values)
    for shape, to in [
        ((1200, 1, width), (1200, 5, width)),
        ((1, 100, width), (7, 100, width)),
        ((40, 1, 3, 1, width), (40, 2, 3, 4, width)),
        ((3, 1, 5, 1, width, 1), (3, 2, 5, 3, width, 2)),
    ]:
        size = int(np.prod(shape))
        assert_copies(
            np.broadcast_to(values[:size].reshape(shape), to), tn.broadcast_to(array[:size].reshape(shape), to)
        )


@pytest.mark.parametrize("dtype", DTYPES)
def test_few_columns(dtype):
    values = numbers(3 * 5000 * 9, dtype).reshape(3, 5000, 9)
    array = tn.asarray(values)
    for part in (
        np.s_[:, :, :4],
        np.s_[:, :, ::-1],
        np.s_[:, ::-1, 1::3],
        np.s_[::-1, ::2, 7:1:-2],
        np.s_[:, 3:7, 2:5],
    ):
        assert_copies(values[part], array[part])
        assert_copies(values[part].transpose(1, 0, 2), array[part].transpose(1, 0, 2))
        assert_copies(values[part].transpose(2, 1, 0), array[part].transpose(2, 1, 0))


def test_results_larger_than_the_caches():
    values = numbers(2_40_000, "float64")
    array = tn.asarray(values)
    np.testing.assert_array_equal(tn.asnumpy(tn.repeat(array, 3)), np.repeat(values, 3))
    rows = values.reshape(-1, 3)
    np.testing.assert_array_equal(tn.asnumpy(tn.repeat(array.reshape(-1, 3), 3, axis=0)), np.repeat(rows, 3, axis=0))


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_elements_at_any_address(dtype):
    item = np.dtype(dtype).itemsize
    values = np.arange(1, 2 + 50 * item, dtype="uint8")
    memory = tn.asarray(values)
    odd = tn.ndarray((10, 5), dtype, memory.data + 1, (5 * item, item))
    expected = np.ndarray((10, 5), dtype, values, 1, (5 * item, item))
    wide = (10, 3, 5)
    copied = tn.broadcast_to(odd[:, None], wide).copy()
    assert tn.asnumpy(copied).tobytes() == np.broadcast_to(expected[:, None], wide).tobytes()
