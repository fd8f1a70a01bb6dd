"""tenorite.scipy.ndimage: distance transforms, with SciPy as the oracle.

Where several elements are as near, any may be the nearest: indices are compared by the distances
that they mean."""

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import ndimage

scipy_ndimage = pytest.importorskip("scipy.ndimage")
SIZES = {1: 300, 2: 60, 3: 16, 4: 8}
FUNCTIONS = ("distance_transform_edt", "distance_transform_cdt", "distance_transform_bf")


def measured(indices, metric, sampling=1.0):
    """How far each element is from the one at its indices."""
    ndim = len(indices)
    away = np.abs(indices - np.indices(indices.shape[1:])) * np.reshape(sampling, (-1,) + (1,) * ndim)
    if metric == "euclidean":
        return np.sqrt((away**2).sum(0))
    return away.sum(0) if metric == "taxicab" else away.max(0)


def check_nearest(image, distances, indices, metric, sampling=1.0):
    assert indices.dtype == np.int32 and indices.shape == (image.ndim, *image.shape)
    assert not image[tuple(indices)].any()
    np.testing.assert_allclose(measured(indices, metric, sampling), distances, rtol=1e-14)


def check_edt(image, sampling=None):
    wanted = scipy_ndimage.distance_transform_edt(image, sampling)
    found, indices = (one.get() for one in ndimage.distance_transform_edt(tn.asarray(image), sampling, True, True))
    assert found.dtype == np.float64
    if sampling is None:
        assert (found == wanted).all()
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-13)
    check_nearest(image, wanted, indices, "euclidean", 1.0 if sampling is None else sampling)


def check_cdt(image, metric):
    wanted = scipy_ndimage.distance_transform_cdt(image, metric)
    found, indices = (one.get() for one in ndimage.distance_transform_cdt(tn.asarray(image), metric, True, True))
    assert found.dtype == wanted.dtype and (found == wanted).all()
    if isinstance(metric, str):
        check_nearest(image, wanted, indices, metric)


def images(ndim, count):
    random = np.random.default_rng(ndim)
    for _ in range(count):
        image = random.random(random.integers(1, SIZES[ndim], ndim)) < random.choice([0.3, 0.7, 0.95, 0.999])
        image.flat[random.integers(image.size)] = False
        yield random, image


@pytest.mark.parametrize("ndim", SIZES)
def test_euclidean(ndim):
    for random, image in images(ndim, 30):
        check_edt(image)
        check_edt(image, random.uniform(0.3, 3, ndim))
        check_edt(image, 2.5)


@pytest.mark.parametrize("ndim", SIZES)
def test_steps(ndim):
    for random, image in images(ndim, 30):
        check_cdt(image, "taxicab")
        check_cdt(image, "chessboard")
        flags = random.random((3,) * ndim) < 0.5
        check_cdt(image, flags | np.flip(flags))


@pytest.mark.parametrize("metric", ("euclidean", "Taxicab", "cityblock", "manhattan", "chessboard"))
def test_any_metric(metric):
    for random, image in [*images(2, 6), *images(3, 3)]:
        image = image[:15, :15]
        image[0] = False
        for sampling in (None, 2.5, random.uniform(0.5, 2, image.ndim)):
            wanted = scipy_ndimage.distance_transform_bf(image, metric, sampling)
            found = ndimage.distance_transform_bf(tn.asarray(image), metric, sampling).get()
            assert found.dtype == wanted.dtype
            np.testing.assert_allclose(found, wanted, rtol=1e-13)
        indices = ndimage.distance_transform_bf(tn.asarray(image), metric, None, False, True).get()
        plain = {"cityblock": "taxicab", "manhattan": "taxicab"}.get(metric, metric.lower())
        check_nearest(image, scipy_ndimage.distance_transform_bf(image, metric), indices, plain)


def test_long_lines():
    """Lines that a GPU does not keep in shared memory, and one that is short."""
    random = np.random.default_rng(7)
    for shape in ((3, 5000), (5000, 3), (2, 4500, 2), (30000,), (1, 4097), (700, 900)):
        image = random.random(shape) < 0.999
        image.flat[0] = False
        check_edt(image)
        check_cdt(image, "taxicab")
        check_cdt(image, "chessboard")


def test_one_element_is_zero():
    for place in ((0, 0), (0, 39), (20, 11), (29, 39)):
        image = np.ones((30, 40), bool)
        image[place] = False
        check_edt(image)
        check_edt(image, [1.5, 0.25])
        check_cdt(image, "chessboard")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_or_none(name):
    ours, theirs = getattr(ndimage, name), getattr(scipy_ndimage, name)
    for shape in ((4,), (3, 5), (2, 3, 4), (1, 1), (70, 40)):
        for image in (np.ones(shape), np.zeros(shape, bool)):
            wanted, found = theirs(image, return_indices=True), ours(tn.asarray(image), return_indices=True)
            assert all((one.get() == other).all() for one, other in zip(found, wanted, strict=True))
    assert ours(tn.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ("?", "b", "H", "i", "L", "e", "f", "d", "F", "D"))
def test_dtypes_and_layouts(name, dtype):
    image = np.random.default_rng(1).integers(0, 4, (8, 9, 10)).astype(dtype)
    for one in (image, image.T, image[::-1, ::2], image[3], np.broadcast_to(image[:1], image.shape)):
        wanted = getattr(scipy_ndimage, name)(one)
        found = getattr(ndimage, name)(tn.asarray(one)).get()
        assert found.dtype == wanted.dtype and (found == wanted).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_outputs(name):
    ours, theirs = getattr(ndimage, name), getattr(scipy_ndimage, name)
    image = np.random.default_rng(2).random((8, 9)) < 0.9
    wanted, places = theirs(image), ours(tn.asarray(image), return_distances=False, return_indices=True)
    distances, indices = tn.zeros(image.shape, wanted.dtype, "F"), tn.zeros((2, *image.shape), "i")
    assert ours(tn.asarray(image), distances=distances, return_indices=True, indices=indices) is None
    assert (distances.get() == wanted).all() and (indices == places).all()
    distances[...] = 0
    assert (ours(tn.asarray(image), distances=distances, return_indices=True) == places).all()
    assert (distances.get() == wanted).all()


def test_no_axes():
    assert ndimage.distance_transform_edt(tn.asarray(0)).get().tolist() == [0]
    assert ndimage.distance_transform_edt(tn.asarray(1)).get().tolist() == [1]
    assert ndimage.distance_transform_bf(tn.asarray(0)).shape == ()


BAD = np.ones((2, 3))
REFUSED = [
    (lambda f, a: f(a(BAD), return_distances=False)),
    (lambda f, a: f(a(BAD), return_distances=False, distances=a(BAD))),
    (lambda f, a: f(a(BAD), indices=a(BAD))),
    (lambda f, a: f(a(BAD), distances=a(BAD[:1]))),
    (lambda f, a: f(a(BAD), distances=a(BAD.astype("h")))),
    (lambda f, a: f(a(BAD), return_indices=True, indices=a(np.ones((2, 2, 2), "i")))),
    (lambda f, a: f(a(BAD), return_indices=True, indices=a(np.ones((2, 2, 3), "b")))),
]
REFUSED_BY = {
    "distance_transform_edt": [lambda f, a: f(a(BAD), sampling=[1])],
    "distance_transform_cdt": [
        (lambda f, a: f(a(BAD), "euclidean")),
        (lambda f, a: f(a(BAD), "nothing")),
        (lambda f, a: f(a(BAD), np.ones((2, 3)))),
    ],
    "distance_transform_bf": [(lambda f, a: f(a(BAD), "nothing")), (lambda f, a: f(a(BAD), sampling=[1, 2, 3]))],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bad_input(name):
    for call in REFUSED + REFUSED_BY[name]:
        with pytest.raises(Exception) as wanted:
            call(getattr(scipy_ndimage, name), np.asarray)
        with pytest.raises(wanted.type) as found:
            call(getattr(ndimage, name), tn.asarray)
        assert str(found.value) == str(wanted.value)


def test_structure_of_another_rank():
    with pytest.raises(RuntimeError, match="equal rank"):
        ndimage.distance_transform_cdt(tn.ones((2, 3)), np.ones((3, 3, 3)))


# --- CuPy's keywords ---


@pytest.mark.parametrize("bands", [None, (1, 1, 1), (7, 16, 1), (11, 32, 3), (1, 1, 16)])
def test_bands_change_nothing(bands):
    image = tn.asarray(np.random.default_rng(2).random((1024, 5)) > 0.1)
    found = ndimage.distance_transform_edt(image, block_params=bands)
    np.testing.assert_array_equal(found.get(), ndimage.distance_transform_edt(image).get())


@pytest.mark.parametrize("bands", [(0, 1, 1), (1, 0, 1), (1, 3, 1), (128, 1, 1), (1, 128, 1), (1, 1, 128)])
def test_bands_that_are_none(bands):
    with pytest.raises(ValueError, match="block_params"):
        ndimage.distance_transform_edt(tn.ones((512, 512), bool), block_params=bands)


def test_distances_of_float32():
    image = tn.asarray(np.random.default_rng(2).random((30, 20)) > 0.1)
    expected = ndimage.distance_transform_edt(image).astype("f")
    out = tn.empty((30, 20), "f")
    assert ndimage.distance_transform_edt(image, distances=out, float64_distances=False) is None
    for found in (ndimage.distance_transform_edt(image, float64_distances=False), out):
        assert found.dtype == "f"
        np.testing.assert_array_equal(found.get(), expected.get())
    with pytest.raises(RuntimeError, match="distances array must be float32"):
        ndimage.distance_transform_edt(image, distances=tn.empty((30, 20)), float64_distances=False)


@pytest.mark.parametrize("dtype", ["int16", "uint16", "uint32", "int64", "uint64"])
def test_indices_of_other_integers(dtype):
    image = tn.asarray(np.random.default_rng(2).random((30, 20)) > 0.1)
    indices = tn.empty((2, 30, 20), dtype)
    ndimage.distance_transform_edt(image, return_distances=False, return_indices=True, indices=indices)
    expected = ndimage.distance_transform_edt(image, return_distances=False, return_indices=True)
    np.testing.assert_array_equal(indices.get(), expected.get())
