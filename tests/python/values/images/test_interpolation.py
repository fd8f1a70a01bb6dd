"""tenorite.scipy.ndimage's interpolation beside SciPy's, over calls that are made: orders, modes,
dtypes, layouts, ranks, outputs. TENORITE_IMAGES=n makes n calls of each function.

Float32 is computed with in float32, which SciPy does in float64: errors are at most a few of its
roundings, which coefficients magnify about as much as `GAIN` says.
"""

import os
import warnings

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import ndimage

scipy = pytest.importorskip("scipy.ndimage")
scipy_version = pytest.importorskip("scipy").__version__

CALLS = int(os.environ.get("TENORITE_IMAGES", "150"))
MODES = ("reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "grid-wrap", "wrap")
DTYPES = ("f4", "f8", "u1", "i2", "i4", "i8", "?", "c8", "c16")
GAIN = (1, 1, 3, 6, 12, 30)
OURS_IN_SINGLE = (np.float32, np.complex64)


def image(rng, shape, dtype):
    if dtype == "?":
        return rng.random(shape) < 0.5
    values = 10 * rng.standard_normal(shape)
    if dtype[0] == "c":
        values = values + 1j * rng.standard_normal(shape)
    return (abs(values) * 8 if dtype == "u1" else values).astype(dtype)


def laid_out(rng, host):
    """The same elements in another layout, on the host and on the device."""
    way = rng.integers(4)
    if way == 1:
        host = np.asfortranarray(host)
    elif way == 2:
        host = np.repeat(host, 2, axis=-1)[..., ::2]
    elif way == 3:
        host = host[::-1].copy()[::-1]
    ours = tn.array(host)
    if way == 2:
        ours = tn.repeat(tn.array(host), 2, axis=-1)[..., ::2]
    elif way == 3:
        ours = tn.array(host[::-1].copy())[::-1]
    return host, ours


def bound(source, expected, order, cval):
    is_single = source.dtype.itemsize <= 2 or source.dtype in OURS_IN_SINGLE or expected.dtype in OURS_IN_SINGLE
    scale = max(abs(source.astype("c16")).max(initial=0), abs(cval), 1e-30)
    gain = GAIN[order] ** min(source.ndim, 3) if is_single else 100
    return is_single, scale * gain * (3e-7 if is_single else 3e-11)


IS_EXACT = tuple(map(int, scipy_version.split(".")[:2])) >= (1, 18)  # for short reflected lines


def is_inexact(name, source, arguments, options):
    """Whether SciPy before 1.18 starts the filter of a short reflected line by a wrong sum."""
    modes = {"reflect", "grid-mirror"} | ({"nearest"} if name.startswith("spline") else set())
    reflects = modes & {options.get("mode", "mirror"), *map(str, arguments)}
    filters = options.get("order", 3) > 1 and options.get("prefilter", True)
    return not IS_EXACT and reflects and filters and min(source.shape, default=24) < 24


def compare(name, source, ours, arguments, options, others=()):
    """One call of both; `others` are arrays after the image."""
    if is_inexact(name, source, arguments, options):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = getattr(scipy, name)(source, *others, *arguments, **options)
        found = getattr(ndimage, name)(ours, *map(tn.array, others), *arguments, **options).get()
    label = name, source.shape, source.dtype, arguments, options
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), label
    is_single, most = bound(source, expected, options.get("order", 3), options.get("cval", 0))
    if expected.dtype.kind in "iub":
        apart = abs(expected.astype("f8") - found.astype("f8"))
        has_ties = is_single or source.dtype.kind in "iub"
        assert apart.max(initial=0) <= 1 and (has_ties or (apart > 0).sum() <= 1 + apart.size // 50), label
    else:
        assert abs(expected - found).max(initial=0) <= most, label


def calls(name, least_rank=1):
    """Images with options for a function."""
    rng = np.random.default_rng(len(name))
    for _ in range(CALLS):
        shape = tuple(map(int, rng.integers(1, 9, rng.integers(least_rank, 5 if rng.random() < 0.1 else 4))))
        dtype = str(rng.choice(DTYPES))
        source, ours = laid_out(rng, image(rng, shape, dtype))
        options = {"order": int(rng.integers(6 if len(shape) < 4 else 3)), "mode": str(rng.choice(MODES))}
        options["cval"] = float(rng.choice([0, 1.7, -3]))
        if rng.random() < 0.2:
            options["prefilter"] = False
        if rng.random() < 0.2 and dtype[0] != "c":
            options["output"] = np.dtype(str(rng.choice(["f4", "f8", "u1", "i4"])))
        yield rng, source, ours, options


def test_map_coordinates():
    for rng, source, ours, options in calls("map_coordinates"):
        places = (rng.random((source.ndim, int(rng.integers(1, 100)))) * 3 - 1) * np.array(source.shape)[:, None]
        if rng.random() < 0.3:
            places = np.round(places * 2) / 2
        compare("map_coordinates", source, ours, (), options, (places.astype(str(rng.choice(["f8", "f4"]))),))


def test_shift():
    for rng, source, ours, options in calls("shift"):
        shift = rng.choice([0, 1, -0.5, 2.3, -7, 20.25], source.ndim).tolist()
        compare("shift", source, ours, (shift,), options)


def test_zoom():
    for rng, source, ours, options in calls("zoom"):
        factors = rng.choice([0.5, 1, 1.3, 2, 3], source.ndim).tolist()
        if source.dtype.kind != "c":  # SciPy forgets grid_mode of complex images
            options["grid_mode"] = bool(rng.random() < 0.5)
        compare("zoom", source, ours, (factors,), options)


def test_affine_transform():
    for rng, source, ours, options in calls("affine_transform"):
        ndim, way = source.ndim, rng.random()
        matrix = np.round(rng.standard_normal((ndim, ndim)), 2)
        offset = np.round(rng.standard_normal(ndim) * 2, 1).tolist()
        if way < 0.3:
            matrix = np.round(rng.standard_normal(ndim), 1) + 0.05
        elif way < 0.5:
            matrix = np.eye(ndim)[rng.permutation(ndim)]
        elif way < 0.7:
            matrix = np.c_[matrix, offset]
            if way < 0.6:
                matrix = np.r_[matrix, [[0] * ndim + [1]]]
        elif way < 0.8:
            options["output_shape"] = tuple(map(int, rng.integers(1, 9, ndim)))
        compare("affine_transform", source, ours, (matrix, offset), options)


def test_affine_transform_to_another_rank():
    source, line = np.random.default_rng(0).standard_normal((6, 7)), np.arange(9.0) ** 2
    compare("affine_transform", source, tn.array(source), (np.array([[0.5], [0.75]]),), {"output_shape": (9,)})
    options = {"output_shape": (3, 4, 5), "offset": 0.5}
    compare("affine_transform", line, tn.array(line), (np.array([[0.5, 0.25, 1.0]]),), options)


def test_rotate():
    for rng, source, ours, options in calls("rotate", 2):
        options["axes"] = tuple(map(int, rng.choice(source.ndim, 2, False)))
        options["reshape"] = bool(rng.random() < 0.6)
        compare("rotate", source, ours, (float(rng.choice([0, 30, 45, 90, 180, -73.3, 400])),), options)


def test_spline_filters():
    for rng, source, ours, options in calls("spline_filter"):
        del options["cval"]
        options.pop("prefilter", None)
        options["order"] = max(options["order"], 2)
        options["output"] = np.complex128 if source.dtype.kind == "c" else str(rng.choice(["f4", "f8"]))
        compare("spline_filter", source, ours, (), options)
        options["axis"] = int(rng.integers(-source.ndim, source.ndim))
        compare("spline_filter1d", source, ours, (), options)


def test_coefficients_that_are_integers():
    """Cut off after each axis, as in SciPy."""
    source = 20 * np.random.default_rng(9).standard_normal((6, 30))
    for mode in MODES:
        options = {"order": 3, "output": np.dtype("i2"), "mode": mode}
        found = ndimage.spline_filter(tn.array(source), **options).get()
        assert (found != scipy.spline_filter(source, **options)).mean() < 0.05
        options["output"] = np.dtype("?")
        found = ndimage.spline_filter1d(tn.array(source / 20), **options).get()
        assert (found != scipy.spline_filter1d(source / 20, **options)).mean() < 0.05
        assert ndimage.spline_filter1d(tn.array(source), 1, mode=mode).dtype == np.float64


@pytest.mark.parametrize("shape", [(5000,), (3000, 3), (2, 1500, 20), (40, 2100)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_long_lines(shape, dtype):
    """Lines that are cut into pieces, in each way along memory."""
    source = image(np.random.default_rng(3), shape, dtype)
    ours, kind = tn.array(source), "c16" if dtype == "c8" else dtype
    for mode in ("reflect", "mirror", "grid-wrap"):
        for axis in range(len(shape)):
            compare("spline_filter1d", source, ours, (5, axis, np.dtype(kind), mode), {"order": 5} and {})
    compare("shift", source, ours, (0.5,), {"mode": "nearest"})
    compare("zoom", source, ours, ([0.3] + [1.0] * (len(shape) - 1),), {"order": 1})


def test_wide_rows():
    """Rows of more outputs than share tables, and of far more elements than outputs."""
    source = np.random.default_rng(4).standard_normal((3, 2500))
    compare("zoom", source, tn.array(source), ((2, 2),), {})
    source = np.random.default_rng(4).standard_normal((3, 40000))
    compare("zoom", source, tn.array(source), ((2, 0.0005),), {"order": 1})
    compare("zoom", source, tn.array(source), ((2, 0.02),), {"order": 3})


def test_geometric_transform():
    source = np.random.default_rng(5).standard_normal((5, 6))

    def bent(index, by=0.5, *, more=0.0):
        return index[0] + by * index[1] + more, index[1] - 0.25 * index[0]

    options = {"mode": "mirror", "extra_arguments": (0.3,), "extra_keywords": {"more": 0.1}}
    compare("geometric_transform", source, tn.array(source), (bent,), options)
    compare("geometric_transform", source, tn.array(source), (lambda i: (i[0], i[0] + 0.5), (4,)), {"order": 1})
    with pytest.raises(ValueError, match="invalid callable given"):
        ndimage.geometric_transform(tn.ones(3), 3)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1", "?", "c8"])
def test_outputs_are_written(dtype):
    """In each layout, also where the output is the image itself."""
    kind = "c8" if dtype == "c8" else "f8"
    source = image(np.random.default_rng(6), (6, 7), kind)
    expected = scipy.shift(source, (1.25, -0.5), order=1, output=np.zeros((6, 7), dtype))
    for output in (tn.zeros((6, 7), dtype), tn.zeros((7, 6), dtype).T, tn.zeros((6, 14), dtype)[:, ::2]):
        assert ndimage.shift(tn.array(source), (1.25, -0.5), output, order=1) is output
        np.testing.assert_allclose(output.get(), expected, atol=1e-5)
    if dtype == kind:
        ours = tn.array(source)
        ndimage.shift(ours, (1.25, -0.5), ours, order=1)
        np.testing.assert_allclose(ours.get(), expected, atol=1e-5)


@pytest.mark.parametrize("mode", MODES)
def test_places_that_are_no_numbers(mode):
    places = tn.array([[np.nan, 0.5, -1e300, 1e300, np.inf, -np.inf]])
    found = ndimage.map_coordinates(tn.arange(5.0), places, order=1, mode=mode, cval=-7).get()
    assert found[0] == -7 and found[1] == 0.5 and np.isfinite(found).all()


def test_images_without_elements():
    empty = tn.zeros((0, 3))
    assert ndimage.shift(empty, 1.0).shape == ndimage.spline_filter(empty).shape == (0, 3)
    assert ndimage.map_coordinates(tn.zeros(0), tn.ones((1, 2)), cval=1.6, output="i4").tolist() == [2, 2]
    assert ndimage.map_coordinates(tn.ones(3), tn.ones((1, 0))).shape == (0,)
    assert ndimage.zoom(tn.ones(5), 0).shape == (0,)
    assert ndimage.spline_filter(tn.array(3.0)).tolist() == 3.0


def test_halves():
    source = np.random.default_rng(7).standard_normal((8, 9)).astype("f2")
    found = ndimage.zoom(tn.array(source), 2)
    assert found.dtype == np.float16
    np.testing.assert_allclose(found.get(), scipy.zoom(source.astype("f8"), 2), atol=5e-3)


def test_textures():
    source = np.random.default_rng(8).standard_normal((5, 6)).astype("f4")
    matrix = np.array([[0.9, 0.1, 0.5], [-0.1, 0.9, 0.25], [0, 0, 1]], "f4")
    found = ndimage.affine_transform(tn.array(source), tn.array(matrix), order=1, texture_memory=True)
    np.testing.assert_allclose(found.get(), scipy.affine_transform(source, matrix, order=1), atol=1e-5)
    for arguments, options in (
        ((tn.ones(3, "f4"), np.eye(2)), {"order": 1}),
        ((tn.ones((3, 3)), np.eye(3)), {"order": 1}),
        ((tn.ones((3, 3), "f4"), np.eye(2)), {"order": 1}),
        ((tn.ones((3, 3), "f4"), np.eye(3)), {"order": 1, "mode": "wrap"}),
        ((tn.ones((3, 3), "f4"), np.eye(3)), {"order": 3}),
    ):
        with pytest.raises(ValueError, match=r"(?i)texture|matrix|mode"):
            ndimage.affine_transform(*arguments, texture_memory=True, **options)


A, B = np.ones(2), np.ones((2, 2))
REFUSED = [
    ("shift", (A, 1), {"order": 6}),
    ("shift", (A, 1), {"mode": "middle"}),
    ("shift", (A, [1, 2]), {}),
    ("shift", (A, 1), {"output": "?"}),
    ("shift", (A, 1), {"cval": "a"}),
    ("shift", (A, 1), {"cval": 1j}),
    ("shift", (np.array(1.0), 1), {}),
    ("shift", (A + 1j, 1), {"output": "f8"}),
    ("zoom", (A, -1), {}),
    ("zoom", (A, [1, 2]), {}),
    ("spline_filter", (A, 1), {}),
    ("spline_filter", (A,), {"mode": "middle"}),
    ("spline_filter1d", (A, 6), {}),
    ("spline_filter1d", (A,), {"axis": 1}),
    ("map_coordinates", (A, A), {}),
    ("map_coordinates", (B, np.ones((1, 3))), {}),
    ("map_coordinates", (A, np.ones((1, 3)) + 1j), {}),
    ("affine_transform", (B, [[1, 0]]), {}),
    ("affine_transform", (A, [[[1]]]), {}),
    ("affine_transform", (A, [[1, 0], [1, 1]]), {}),
    ("affine_transform", (A, [[1, 2, 3]]), {}),
    ("rotate", (A, 1), {}),
    ("rotate", (B, 1), {"axes": (0, 2)}),
    ("rotate", (B, 1), {"axes": (0, 1, 1)}),
    ("rotate", (B, 1), {"axes": (0.5, 1)}),
]


@pytest.mark.parametrize(("name", "arguments", "options"), REFUSED)
def test_refusals(name, arguments, options):
    """SciPy's errors, with its words."""
    with pytest.raises(Exception) as expected:
        getattr(scipy, name)(*arguments, **options)
    taken = 2 if name == "map_coordinates" else 1
    ours = [tn.array(one) for one in arguments[:taken]] + list(arguments[taken:])
    with pytest.raises(type(expected.value)) as found:
        getattr(ndimage, name)(*ours, **options)
    assert str(found.value) == str(expected.value)


def test_refused_outputs():
    for output in (tn.zeros(3), tn.zeros((2, 1))):
        with pytest.raises(RuntimeError, match="output shape not correct"):
            ndimage.shift(tn.ones(2), 1, output)
    with pytest.raises(RuntimeError, match="output must have complex dtype"):
        ndimage.shift(tn.ones(2, "c8"), 1, tn.zeros(2))
    with pytest.warns(UserWarning, match="promoting specified output dtype to complex"):
        assert ndimage.shift(tn.ones(2, "c8"), 1, np.float32).dtype == np.complex64
    with pytest.warns(UserWarning, match="grid-wrap instead of wrap"):
        ndimage.zoom(tn.ones(3), 2, mode="wrap", grid_mode=True)
    with pytest.raises(NotImplementedError, match="more than 16 axes"):
        ndimage.shift(tn.ones((1,) * 17), 1)
    with pytest.raises(TypeError):
        ndimage.shift([1.0, 2.0], 1)


@pytest.mark.parametrize("length", (1, 2, 3, 7, 12, 23, 24, 40))
@pytest.mark.parametrize("order", (2, 3, 4, 5))
def test_reflected_lines(length, order):
    """A reflected line there and back is a period: its coefficients are those of that, wrapped."""
    line = np.random.default_rng(length).standard_normal((length, 3))
    period = np.concatenate([np.concatenate([line, line[::-1]])] * (1 + 48 // (2 * length)))
    expected = scipy.spline_filter1d(period, order, 0, mode="grid-wrap")[:length]
    found = ndimage.spline_filter1d(tn.asarray(line), order, 0, mode="reflect").get()
    np.testing.assert_allclose(found, expected if length > 1 else line, rtol=1e-10, atol=1e-10)
    found = ndimage.spline_filter1d(tn.asarray(line.T), order, 1, mode="reflect").get()
    np.testing.assert_allclose(found.T, expected if length > 1 else line, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("cval", [np.nan, np.inf, -np.inf])
def test_integers_have_no_value_that_is_not_finite(cval):
    a, places = tn.ones(8, "i4"), tn.array([[0.5, -3.0]])
    calls = {
        "shift": (a, 1),
        "zoom": (a, 0.5),
        "rotate": (tn.ones((4, 4), "i4"), 30.0),
        "affine_transform": (a, tn.array([2.0])),
        "map_coordinates": (a, places),
    }
    for name, arguments in calls.items():
        with pytest.raises(NotImplementedError, match="Non-finite cval is not supported"):
            getattr(ndimage, name)(*arguments, order=1, cval=cval)
        getattr(ndimage, name)(*arguments, order=1, cval=cval, output=float)
        getattr(ndimage, name)(*arguments, order=1, cval=cval, mode="nearest")


@pytest.mark.parametrize("dtype", ("u1", "u2", "u4", "i1", "i2", "i4", "?", "f4"))
@pytest.mark.parametrize("cval", (-2.5, 300.7, 1e20))
def test_beyond_an_image_without_elements(dtype, cval):
    """A value beyond is cut to the dtype's range, as beyond any other image."""
    places = np.array([[-9.0, 50.0]])
    found = ndimage.map_coordinates(tn.empty(0, dtype), tn.asarray(places), order=1, cval=cval)
    whole = ndimage.map_coordinates(tn.ones(3, dtype), tn.asarray(places), order=1, cval=cval)
    assert found.get().tolist() == whole.get().tolist()
    if dtype != "?":
        assert found.get().tolist() == scipy.map_coordinates(np.empty(0, dtype), places, order=1, cval=cval).tolist()


@pytest.mark.parametrize("matrix", ([1.0, 0.0], [0.0, 0.0], [0.0, 1.3]))
def test_a_diagonal_with_zeros_is_its_matrix(matrix):
    """SciPy divides an offset by it."""
    a = tn.asarray(np.random.default_rng(4).random((6, 7)))
    for order in (0, 1, 3):
        options = {"offset": (1.5, 0.5), "order": order, "output_shape": (4, 5)}
        found = ndimage.affine_transform(a, tn.asarray(matrix), **options)
        wanted = ndimage.affine_transform(a, tn.diag(tn.asarray(matrix)), **options)
        assert (found == wanted).all() and tn.isfinite(found).all()
