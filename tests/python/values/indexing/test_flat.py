"""``ndarray.flat`` against NumPy's: keys and values of every kind, and random programs."""

import random
import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import settle, to_ours

SHAPES = [(2, 3), (0, 3), (), (5,), (2, 1, 2), (0,)]
KEYS = [
    0,
    -1,
    2,
    9,
    -9,
    np.int64(1),
    slice(None),
    slice(1, 3),
    slice(None, None, -1),
    slice(4, 1),
    slice(-2, None),
    ...,
    None,
    (),
    (0,),
    (0, 1),
    (slice(0, 2),),
    (..., 0),
    (0, ...),
    (None, 0),
    (None,),
    (...,),
    [0, 2],
    [],
    ([0, 1],),
    np.array([1, 1]),
    np.array([[1, 0], [0, -1]]),
    np.array([99]),
    np.array([True, False] * 3),
    np.ones((2, 3), bool),
    np.array([True]),
    np.array([], int),
    np.array([]),
    np.array([1.0]),
    [[0, 1]],
    ([0], [1]),
    [True, False],
    "a",
    np.array([1], "u1"),
    range(2),
    (slice(None), slice(None)),
    [[]],
    np.True_,
    2**70,
    np.array(1),
]
VALUES = [
    1,
    2.5,
    1j,
    np.float32(3),
    np.array([7.0]),
    np.array([7.0, 8.0]),
    np.array([]),
    np.array([[7, 8], [9, 10]]),
    np.array(5),
    np.arange(10.0),
    np.array([[]]),
]


def outcome(action):
    """What it gave, or its exception's class."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return settle(action())  # a GPU's index errors come with the wait
        except Exception as error:
            return type(error)


def assign(array, key, value):
    array.flat[key] = value


def arrays(shape, dtype, order):
    """The same elements in a NumPy array and in ours."""
    host = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    array = tn.array(host)
    return (host.T, array.T) if order else (host, array)


def restart(host, array):
    host[...] = 0
    array[...] = 0
    return host, array


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("index", range(len(KEYS)))
def test_keys_and_values(shape, index):
    key = KEYS[index]
    host, array = arrays(shape, "f8", False)
    expected, result = outcome(lambda: host.flat[key]), outcome(lambda: array.flat[to_ours(key)])
    if isinstance(expected, type):
        assert result is expected, (key, result)
    else:
        np.testing.assert_array_equal(result.get(), expected, strict=False)
        assert result.shape == np.shape(expected)
    for value in VALUES:
        host, array = arrays(shape, "f8", False)
        expected = outcome(lambda: assign(host, key, value))
        result = outcome(lambda: assign(array, to_ours(key), to_ours(value)))
        # Which mistake is reported where key and value are both wrong depends on the key.
        if isinstance(value, complex):
            assert (result is None) == (expected is None), (key, value)
        elif np.size(value) or result is not IndexError:
            # NumPy checks some keys though nothing is stored.
            assert result is expected, (key, value)
        if expected is not None:
            host, array = restart(host, array)  # NumPy has written up to the bad index, we nothing.
        np.testing.assert_array_equal(array.get(), host, err_msg=f"{key} {value}")


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    """Assignments one after the other, in arrays of any order, keep both arrays equal."""
    draw = random.Random(seed)
    shape, order = draw.choice(SHAPES), draw.random() < 0.4
    host, array = arrays(shape, draw.choice(["f8", "i4", "c8", "f2"]), order)
    for _ in range(8):
        size = max(host.size, 1)
        key = draw.choice(
            [
                draw.randrange(-size, size),
                slice(draw.choice([None, draw.randrange(-size, size)]), None, draw.choice([1, 2, -1, -2])),
                np.array([draw.randrange(-size, size) for _ in range(draw.randrange(5))], int),
                np.array([draw.random() < 0.5 for _ in range(host.size)], bool),
                draw.choice(KEYS),
            ]
        )
        value = draw.choice([draw.randrange(9), np.arange(draw.randrange(1, 8)) % 5])
        expected = outcome(lambda: assign(host, key, value))
        assert outcome(lambda: assign(array, to_ours(key), to_ours(value))) is expected, (key, value)
        if expected is not None:
            host, array = restart(host, array)  # NumPy has written up to the bad index, we nothing.
        np.testing.assert_array_equal(array.get(), host, err_msg=f"{key} {value}")


@pytest.mark.parametrize("key", [True, False, 1.0, [1.0], np.array(True)], ids=str)
def test_keys_that_numpy_deprecates_are_refused(key):
    a = tn.zeros(4)
    with pytest.raises(IndexError):
        a.flat[to_ours(key)]
    with pytest.raises(IndexError):
        a.flat[to_ours(key)] = 3
    assert not a.any()


def test_iter_is_itself():
    flat = tn.arange(3).flat
    assert iter(flat) is flat and len(list(flat)) == 3 and list(flat) == []


def test_read_only():
    a = tn.broadcast_to(tn.zeros(1), (4,))
    with pytest.raises(ValueError, match="read-only"):
        a.flat[0] = 1
