"""tenorite.scipy.ndimage: labels, boxes, places of values, the watershed, with SciPy as the
oracle."""

import os

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import ndimage

scipy_ndimage = pytest.importorskip("scipy.ndimage")
SIZES = {1: 200, 2: 70, 3: 17, 4: 8}
DTYPES = ("?", "b", "B", "h", "H", "i", "I", "l", "L", "f", "d")


def on_host(value):
    if isinstance(value, tn.ndarray):
        return value.get()
    return type(value)(map(on_host, value)) if isinstance(value, (tuple, list)) else value


def check_labels(image, structure=None):
    wanted, count = scipy_ndimage.label(image, structure)
    found, found_count = ndimage.label(tn.asarray(image), structure)
    assert found_count == count and found.dtype == wanted.dtype
    assert (found.get() == wanted).all(), (image.shape, structure)
    assert ndimage.find_objects(found) == scipy_ndimage.find_objects(wanted)


def random_structure(random, ndim):
    flags = random.random((3,) * ndim) < random.choice([0.3, 0.6])
    return flags | np.flip(flags)


@pytest.mark.parametrize("ndim", SIZES)
def test_any_structure_and_shape(ndim):
    random = np.random.default_rng(ndim)
    for _ in range(40):
        shape = random.integers(1, SIZES[ndim], ndim)
        image = random.random(shape) < random.choice([0.1, 0.4, 0.6, 0.9])
        check_labels(image)
        check_labels(image, scipy_ndimage.generate_binary_structure(ndim, ndim))
        check_labels(image, random_structure(random, ndim))


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes_and_layouts(dtype):
    image = np.random.default_rng(3).integers(0, 2, (12, 9, 10)).astype(dtype)
    for one in (image, image.T, image[::-1, ::2], image[:, 3], np.broadcast_to(image[:1], image.shape)):
        check_labels(one)


def spiral(size):
    """One long path that winds inwards, a free line between its turns."""
    image = np.zeros((size, size), bool)
    row, column, step, length = 0, 0, (0, 1), size - 1
    image[0, 0] = True
    for turn in range(2 * size):
        if length < 1:
            break
        ends = [sorted((one, one + length * way)) for one, way in zip((row, column), step)]
        image[tuple(slice(low, high + 1) for low, high in ends)] = True
        row, column = row + length * step[0], column + length * step[1]
        step = step[1], -step[0]
        length -= 2 if turn >= 2 and turn % 2 == 0 else 0
    return image


@pytest.mark.parametrize("size", (1, 2, 33, 64, 65, 200))
def test_shapes_that_are_hard(size):
    rows, columns = np.indices((size, size))
    comb = (columns % 2 == 0) | (rows == size - 1)
    zigzag = ((columns % 4 == 0) & (rows < size - 1)) | ((columns % 4 == 2) & (rows > 0)) | (columns % 2 == 0)
    for image in (spiral(size), (rows + columns) % 2 == 0, rows >= 0, rows < 0, comb, zigzag, comb.T, columns > rows):
        check_labels(image)
        check_labels(image, np.ones((3, 3)))


LARGE = 10_000 if os.environ.get("TENORITE_WHOLE") == "1" else 1000


@pytest.mark.parametrize("shape", ("spiral", "checkerboard"))
def test_large_shapes_that_are_hard(shape):
    """A million elements, and with TENORITE_WHOLE=1 a hundred."""
    rows, columns = np.ogrid[:LARGE, :LARGE]
    image = spiral(LARGE) if shape == "spiral" else (rows + columns) % 2 == 0
    for structure in (None, np.ones((3, 3))):
        wanted, count = scipy_ndimage.label(image, structure)
        found, found_count = ndimage.label(tn.asarray(image), structure)
        assert found_count == count and (found.get() == wanted).all()


def test_large_images_have_bands():
    random = np.random.default_rng(5)
    for shape, share in (
        ((700, 300), 0.5),
        ((300, 700), 0.6),
        ((40, 70, 65), 0.3),
        ((150000,), 0.5),
        ((3, 50000), 0.5),
    ):
        image = random.random(shape) < share
        check_labels(image)
        check_labels(image, np.ones((3,) * image.ndim))


@pytest.mark.parametrize("dtype", ("?", "b", "H", "i", "l", "f", "d"))
@pytest.mark.parametrize("order", "CF")
def test_output(dtype, order):
    image = np.random.default_rng(4).random((6, 7, 5)) > 0.6
    wanted, found = np.zeros(image.shape, dtype, order), tn.zeros(image.shape, dtype, order)
    assert scipy_ndimage.label(image, output=wanted) == ndimage.label(tn.asarray(image), output=found)
    assert (found.get() == wanted).all()
    labels, count = ndimage.label(tn.asarray(image), output=dtype)
    expected, expected_count = scipy_ndimage.label(image, output=dtype)
    assert labels.dtype == expected.dtype and count == expected_count and (labels.get() == expected).all()


def test_strided_output():
    image = np.random.default_rng(4).random((6, 7, 5)) > 0.6
    for layout in (lambda a: a.transpose(1, 0, 2)[:6, :7], lambda a: a[:6, ::-1, ::2][:, :7, :5]):
        wanted, found = (layout(library.zeros((12, 14, 10), "i4")) for library in (np, tn))
        wanted, found = wanted[:6, :7, :5], found[:6, :7, :5]
        assert scipy_ndimage.label(image, output=wanted) == ndimage.label(tn.asarray(image), output=found)
        assert (found.get() == wanted).all()


def test_scalars_and_no_elements():
    assert on_host(ndimage.label(5)) == (1, 1) and on_host(ndimage.label(tn.asarray(0))) == (0, 0)
    labels, count = ndimage.label(tn.zeros((0, 3)))
    assert labels.shape == (0, 3) and count == 0


SQUARE = [[1, 0], [0, 1]]
REFUSED = (
    (lambda m, a: m.label(a(SQUARE), np.ones((3, 3, 3)))),
    (lambda m, a: m.label(a(SQUARE), np.ones((3, 2)))),
    (lambda m, a: m.label(a(SQUARE), [[1, 0, 0], [1, 1, 1], [0, 1, 0]])),
    (lambda m, a: m.label(a(SQUARE) * 1j)),
    (lambda m, a: m.label(a(SQUARE), output="c8")),
    (lambda m, a: m.label(a(SQUARE), output="e")),
    (lambda m, a: m.label(a(SQUARE), output=a(SQUARE)[:1])),
    (lambda m, a: m.label(a(np.eye(200)), output="b")),
    (lambda m, a: m.find_objects(a(SQUARE) * 1.5)),
    (lambda m, a: m.find_objects(a(SQUARE) * 1j)),
    (lambda m, a: m.find_objects(a(SQUARE) > 0)),
    (lambda m, a: m.find_objects(a(SQUARE)[:0])),
    (lambda m, a: m.value_indices(a(SQUARE) * 1.5)),
    (lambda m, a: m.value_indices(a(SQUARE) > 0)),
    (lambda m, a: m.watershed_ift(a(SQUARE), a(SQUARE))),
    (lambda m, a: m.watershed_ift(a(SQUARE).astype("B"), a(SQUARE) * 1.0)),
    (lambda m, a: m.watershed_ift(a(SQUARE).astype("B"), a(SQUARE)[:1])),
    (lambda m, a: m.watershed_ift(a(SQUARE).astype("B"), a(SQUARE), np.ones(3))),
    (lambda m, a: m.watershed_ift(a(SQUARE).astype("B"), a(SQUARE), np.ones((3, 2)))),
    (lambda m, a: m.watershed_ift(a(SQUARE).astype("B"), a(SQUARE), None, a(SQUARE) * 1.0)),
    (lambda m, a: m.watershed_ift(a(SQUARE).astype("B"), a(SQUARE), None, a(SQUARE)[:1])),
)


@pytest.mark.parametrize("call", REFUSED)
def test_bad_input(call):
    with pytest.raises(Exception) as wanted:
        call(scipy_ndimage, np.asarray)
    with pytest.raises(wanted.type) as found:
        call(ndimage, tn.asarray)
    assert str(found.value) == str(wanted.value)


@pytest.mark.parametrize("dtype", ("b", "B", "h", "H", "i", "I", "l", "L"))
def test_boxes_and_places(dtype):
    random = np.random.default_rng(6)
    for ndim in SIZES:
        labels = random.integers(0, 9, random.integers(1, 7, ndim)).astype(dtype)
        for one in (labels, labels.T, labels[::-1]):
            ours = tn.asarray(one)
            for most in (0, 3, 20):
                assert ndimage.find_objects(ours, most) == scipy_ndimage.find_objects(one, most)
            wanted, found = scipy_ndimage.value_indices(one), ndimage.value_indices(ours)
            assert list(found) == list(wanted)
            for value, places in wanted.items():
                assert len(found[value]) == len(places) and all(map(np.array_equal, on_host(found[value]), places))
    assert list(ndimage.value_indices(tn.asarray([3, 0, 3], dtype=dtype), ignore_value=0)) == [3]
    assert ndimage.value_indices(tn.zeros((0, 2), dtype)) == {}


def test_boxes_of_large_images():
    labels = np.random.default_rng(8).integers(0, 40, (400, 300)).astype("i")
    labels[:, 100:200] = 7
    for most in (0, 100, 5, 50000):
        assert ndimage.find_objects(tn.asarray(labels), most) == scipy_ndimage.find_objects(labels, most)


@pytest.mark.parametrize("dtype", ("u1", "u2"))
@pytest.mark.parametrize("ndim", (1, 2, 3))
def test_watershed(dtype, ndim):
    random = np.random.default_rng(9)
    for _ in range(40):
        shape = random.integers(1, SIZES[ndim] // 3, ndim)
        image = random.integers(0, random.choice([2, 10, 255]), shape).astype(dtype)
        markers = (random.integers(-3, 4, shape) * (random.random(shape) < 0.1)).astype(
            random.choice(["b", "h", "i", "l"])
        )
        structure = random.choice([None, 1])
        structure = None if structure is None else random_structure(random, ndim)
        wanted = scipy_ndimage.watershed_ift(image, markers, structure)
        found = ndimage.watershed_ift(tn.asarray(image), tn.asarray(markers), structure)
        assert found.dtype == wanted.dtype and (found.get() == wanted).all()
        output = tn.zeros(tuple(shape), "l")
        assert ndimage.watershed_ift(tn.asarray(image), tn.asarray(markers), structure, output) is output
        assert (output.get() == wanted).all()


def test_on_a_stream():
    """Work that waits in a queue keeps what it needs."""
    random = np.random.default_rng(11)
    image, flags = random.random((60, 50)) < 0.6, np.ones((3, 3), bool)
    heights, markers = random.integers(0, 9, image.shape).astype("B"), random.integers(-1, 2, image.shape)
    given = [tn.asarray(one) for one in (image, heights, markers)]
    with tn.cuda.Stream():
        found = ndimage.label(given[0], flags)
        boxes = ndimage.find_objects(found[0])
        far = ndimage.distance_transform_edt(given[0])
        steps = ndimage.distance_transform_cdt(given[0], [[0, 1, 0], [1, 1, 1], [1, 1, 0]])
        flood = ndimage.watershed_ift(given[1], given[2], flags)
        found, far, steps, flood = map(on_host, (found, far, steps, flood))
    labels, count = scipy_ndimage.label(image, flags)
    assert found[1] == count and (found[0] == labels).all() and boxes == scipy_ndimage.find_objects(labels)
    assert (far == scipy_ndimage.distance_transform_edt(image)).all()
    assert (steps == scipy_ndimage.distance_transform_cdt(image, np.array([[0, 1, 0], [1, 1, 1], [1, 1, 0]]) > 0)).all()
    assert (flood == scipy_ndimage.watershed_ift(heights, markers, flags)).all()


@pytest.mark.parametrize("size, dtype", [(100, "int8"), (200, "int16"), (40_000, "int32")])
def test_indices_of_the_smallest_dtype(size, dtype):
    image = tn.asarray(np.random.default_rng(2).integers(0, 4, (2, size)))
    expected = ndimage.value_indices(image)
    for value, indices in ndimage.value_indices(image, adaptive_index_dtype=True).items():
        for one, other in zip(indices, expected[value], strict=True):
            assert one.dtype == dtype
            np.testing.assert_array_equal(one.get(), other.get())
