"""tenorite.scipy.ndimage: measurements by label, with SciPy as the oracle."""

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import ndimage

scipy_ndimage = pytest.importorskip("scipy.ndimage")
SUMS = ("sum", "sum_labels", "mean", "variance", "standard_deviation", "center_of_mass")
EXTREMA = ("minimum", "maximum", "median", "minimum_position", "maximum_position", "extrema")
DTYPES = ("?", "b", "B", "h", "i", "L", "l", "f", "d")
INDEXES = (None, 1, -1, [1, 2], [2], [1, 9, 0], np.array([3, 1]))


def on_host(value):
    if isinstance(value, tn.ndarray):
        return value.get()
    return type(value)(map(on_host, value)) if isinstance(value, (tuple, list)) else value


def check(found, wanted, rtol):
    """Whatever a function gives: arrays, tuples, lists."""
    if isinstance(wanted, (tuple, list)):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            check(one, other, rtol)
        return
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape and found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=rtol, atol=rtol)


def compare(name, image, labels, index):
    """Both libraries do the same, or refuse with one type."""
    given = [None if one is None else tn.asarray(one) for one in (image, labels)]
    asked = tn.asarray(index) if isinstance(index, np.ndarray) else index
    with np.errstate(all="ignore"):
        try:
            wanted = getattr(scipy_ndimage, name)(image, labels, index)
        except (ValueError, IndexError, TypeError) as error:
            with pytest.raises(type(error)):
                getattr(ndimage, name)(*given, asked)
            return
        found = on_host(getattr(ndimage, name)(*given, asked))
    check(found, wanted, 1e-5 if image.dtype == np.float32 else 1e-12)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SUMS + EXTREMA)
@pytest.mark.parametrize("dtype", DTYPES)
def test_by_label(name, dtype):
    """Equal values have no one place, so that extrema are of different ones."""
    random = np.random.default_rng(1)
    for ndim in (1, 2, 3):
        shape = tuple(random.integers(2, 6, ndim).tolist())
        size = int(np.prod(shape))
        image = (random.permutation(size) % 120).reshape(shape).astype(dtype)
        if dtype == "?" and name not in SUMS + EXTREMA[:3]:
            continue
        labels = random.integers(0, 4, shape)
        for k, index in enumerate(INDEXES):
            compare(name, image, labels.astype("BilHbhI"[k]), index)
        compare(name, image, None, None)
        compare(name, image.T, labels.T, [1, 2])
        compare(name, image[::-1], labels[:1], [1, 2])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SUMS[1:] + EXTREMA)
@pytest.mark.parametrize("dtype", ("?", "b", "l", "L", "f", "d"))
def test_labels_that_do_not_count(name, dtype):
    """Below 0, far apart, or of a dtype that bins do not have."""
    random = np.random.default_rng(2)
    image = random.permutation(60).reshape(6, 10).astype("d")
    labels = (random.integers(-2, 3, image.shape) * 1000).astype(dtype)
    for index in ([1000, 0], [int(labels.max()), 5], None):
        compare(name, image, labels, np.asarray(index).astype(dtype) if index else None)


@pytest.mark.parametrize("name", ("minimum", "maximum", "median", "minimum_position", "maximum_position"))
def test_nan_is_last_in_order(name):
    for values in ([np.nan, 1.0, 3.0], [1.0, np.nan, 0.5], [np.nan, np.nan, np.nan], [1 + 2j, 3, 1 + 1j]):
        compare(name, np.array(values), np.array([1, 1, 1]), [1, 0])


def test_places_of_equal_values():
    """The first of the least and the last of the largest, as in SciPy where order is stable."""
    image, labels = tn.asarray([2, 1, 1, 2, 2, 5, 5]), tn.asarray([1, 1, 1, 1, 1, 2, 2])
    assert on_host(ndimage.minimum_position(image, labels, [1, 2])) == [(1,), (5,)]
    assert on_host(ndimage.maximum_position(image, labels, [1, 2])) == [(4,), (6,)]
    assert on_host(ndimage.maximum_position(image, labels, 1)) == (0,)


@pytest.mark.parametrize("name", SUMS[1:] + EXTREMA[:3])
def test_index_of_two_axes(name):
    random = np.random.default_rng(3)
    image, labels = random.random((5, 6)), random.integers(0, 4, (5, 6))
    compare(name, image, labels, np.array([[0, 1], [3, 2]]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SUMS + EXTREMA)
def test_refusals(name):
    image, labels = np.ones((2, 3)), np.ones((2, 3), int)
    compare(name, image, np.ones((2, 2), int), 1)
    compare(name, image, np.ones((2, 2), int), [1])
    compare(name, image, labels, 9)
    compare(name, np.zeros(0), np.zeros(0, int), [1])


IMAGE = np.array([[1, 0, 1], [0, 0, 1]])
COMPREHENSIONS = (
    (IMAGE, [1, 0, 1], float, -1),
    (IMAGE, 1, int, -1),
    (None, 1, int, -1),
    (IMAGE, [1.5], int, -1),
    (IMAGE, [5, 1], int, -1),
    (IMAGE, None, int, -1),
    (None, None, int, -1),
    (np.ones((2, 2)), [1], int, 1),
    (IMAGE[:1], [0, 1], "f", 0),
)


@pytest.mark.parametrize(("labels", "index", "dtype", "default"), COMPREHENSIONS)
def test_comprehension(labels, index, dtype, default):
    def run(module, library):
        given = None if labels is None else library.asarray(labels)
        image = library.asarray(IMAGE * 3)
        return (
            module.labeled_comprehension(image, given, index, library.sum, dtype, default),
            module.labeled_comprehension(image, given, index, lambda a, at: (a * at).sum(), dtype, default, True),
        )

    try:
        wanted = run(scipy_ndimage, np)
    except ValueError as error:
        with pytest.raises(ValueError) as found:
            run(ndimage, tn)
        assert str(found.value) == str(error)
        return
    check(on_host(run(ndimage, tn)), wanted, 0)


def test_histogram():
    for labels, index in ((None, None), (IMAGE, None), (IMAGE, 1), (IMAGE, [1, 0])):
        wanted = scipy_ndimage.histogram(IMAGE, 0, 2, 3, labels, index)
        found = ndimage.histogram(tn.asarray(IMAGE), 0, 2, 3, None if labels is None else tn.asarray(labels), index)
        check(on_host(found), list(wanted) if wanted.dtype == object else wanted, 0)
    assert ndimage.histogram(tn.asarray(IMAGE), 0, 2, 3, tn.asarray(IMAGE), [7]) == [None]


def test_many_labels():
    random = np.random.default_rng(4)
    labels = random.integers(0, 500, (200, 170))
    image = random.permutation(labels.size).reshape(labels.shape).astype("d")
    for name in SUMS + EXTREMA:
        compare(name, image, labels, np.arange(600))
