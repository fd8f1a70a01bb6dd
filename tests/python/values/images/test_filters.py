"""Weighted sums over windows against SciPy's. Float64 and integers are summed in its order; float32
is summed in float32, so the results differ by a few roundings."""

import os

import numpy as np
import pytest
import scipy.ndimage as theirs
import tenorite as tn
from images import INTEGERS, MODES, SHAPES, bound, check, image
from tenorite.scipy import ndimage as ours

DTYPES = (*INTEGERS, "f4", "f8", "F", "D")
ROUNDS = 20 if os.environ.get("TENORITE_WHOLE") == "1" else 1


def cases(seed):
    rng = np.random.default_rng(seed)
    for _ in range(ROUNDS):
        for shape in SHAPES:
            mode, cval = MODES[rng.integers(len(MODES))], float(rng.integers(0, 3))
            yield rng, shape, mode, cval


@pytest.mark.parametrize("dtype", DTYPES)
def test_lines(dtype):
    for rng, shape, mode, cval in cases(1):
        a, eps = image(rng, shape, dtype), bound(dtype)
        given = {"mode": mode, "cval": cval, "eps": eps}
        axis = int(rng.integers(len(shape)))
        for name in ("correlate1d", "convolve1d"):
            weights = rng.standard_normal(int(rng.integers(1, 9)))
            check(getattr(ours, name), getattr(theirs, name), a, weights, axis=axis, **given)
        check(ours.gaussian_filter1d, theirs.gaussian_filter1d, a, 1.3, axis=axis, order=1, **given)
        check(ours.uniform_filter1d, theirs.uniform_filter1d, a, int(rng.integers(1, 12)), axis=axis, **given)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gaussians_and_means(dtype):
    for rng, shape, mode, cval in cases(2):
        a, eps = image(rng, shape, dtype), bound(dtype)
        given = {"mode": mode, "cval": cval, "eps": eps}
        check(ours.gaussian_filter, theirs.gaussian_filter, a, 1.1, **given)
        check(ours.gaussian_filter, theirs.gaussian_filter, a, 2, radius=3, order=2, axes=-1, **given)
        check(ours.uniform_filter, theirs.uniform_filter, a, 4, origin=-1, **given)
        check(ours.uniform_filter, theirs.uniform_filter, a, 3, axes=(0,), **given)


@pytest.mark.parametrize("dtype", DTYPES)
def test_windows(dtype):
    for rng, shape, mode, cval in cases(3):
        a, eps = image(rng, shape, dtype), bound(dtype, 256)
        given = {"mode": mode, "cval": cval, "eps": eps}
        for name in ("correlate", "convolve"):
            for size in (2, 3):
                weights = rng.standard_normal((size,) * len(shape))
                weights[rng.random(weights.shape) < 0.2] = 0
                check(getattr(ours, name), getattr(theirs, name), a, weights, origin=-1 if size > 2 else 0, **given)
            check(getattr(ours, name), getattr(theirs, name), a, rng.standard_normal(3), axes=0, **given)
        weights = rng.standard_normal((2,) * len(shape)) * (1 + 2j)
        check(ours.convolve, theirs.convolve, a, weights, **given)


@pytest.mark.parametrize("dtype", DTYPES)
def test_derivatives(dtype):
    for rng, shape, mode, cval in cases(4):
        a = image(rng, shape, dtype)
        given = {"mode": mode, "cval": cval, "eps": bound(dtype)}
        check(ours.laplace, theirs.laplace, a, **given)
        check(ours.gaussian_laplace, theirs.gaussian_laplace, a, 1.2, **given)
        for name in ("sobel", "prewitt"):
            check(getattr(ours, name), getattr(theirs, name), a, axis=0, **given)
        if np.dtype(dtype).kind == "f":
            given["eps"] *= 16
            check(ours.gaussian_gradient_magnitude, theirs.gaussian_gradient_magnitude, a, 1.2, **given)


def second(package):
    def derivative(input, axis, output, mode, cval, factor=1.0):
        return package.correlate1d(input, [factor, -2.0, 1.0], axis, output, mode, cval)

    return derivative


def test_functions_of_the_program():
    a = image(np.random.default_rng(5), (9, 8), "f8")
    for name in ("generic_laplace", "generic_gradient_magnitude"):
        wanted = getattr(theirs, name)(a, second(theirs), extra_arguments=(2.0,), axes=1)
        found = getattr(ours, name)(tn.asarray(a), second(ours), extra_keywords={"factor": 2.0}, axes=1)
        assert np.allclose(found.get(), wanted, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2"])
def test_layouts_and_outputs(dtype):
    """Strided, transposed, mirrored images; outputs of other dtypes and layouts; in place."""
    rng = np.random.default_rng(6)
    whole = image(rng, (40, 50, 6), dtype)
    views = (whole.T, whole[::-2, 3::3], whole[..., 0], np.broadcast_to(whole[:, :1], (40, 7, 6)), whole[:0])
    for view in views:
        device = tn.asarray(whole)
        same = (device.T, device[::-2, 3::3], device[..., 0], tn.broadcast_to(device[:, :1], (40, 7, 6)), device[:0])[
            [one is view for one in views].index(True)
        ]
        for output in ("f4", "f8", "i4"):
            wanted = theirs.gaussian_filter(view, 1.0, output=np.dtype(output))
            found = ours.gaussian_filter(same, 1.0, output=np.dtype(output))
            assert found.dtype == output and np.allclose(found.get(), wanted, rtol=1e-5, atol=2e-5)
            into = tn.zeros(view.shape[::-1], output).T
            assert ours.gaussian_filter(same, 1.0, output=into) is into and (into.get() == found.get()).all()
    a = tn.asarray(whole)
    wanted = ours.uniform_filter(a, 3)
    ours.uniform_filter(a, 3, output=a)
    assert (a == wanted).all()


def test_halves_are_float32():
    a = image(np.random.default_rng(7), (20, 30), "f4").astype("e")
    found = ours.gaussian_filter(tn.asarray(a), 1.0)
    wanted = ours.gaussian_filter(tn.asarray(a.astype("f4")), 1.0, output=np.dtype("e"))
    assert found.dtype == "e" and np.abs(found.get().astype("f4") - wanted.get().astype("f4")).max() < 4e-3


@pytest.mark.parametrize("output", ("i2", "u1", "i8", "f8"))
@pytest.mark.parametrize("dtype", ("f4", "e"))
def test_wider_results_are_float64(dtype, output):
    """What single precision makes of a whole number may be cut off to the one below."""
    a = np.round(image(np.random.default_rng(7), (40, 30), "f4")).astype(dtype)
    for name, options in (("gaussian_filter", {"sigma": 0.5}), ("uniform_filter", {"size": 3})):
        found = getattr(ours, name)(tn.asarray(a), **options, output=np.dtype(output)).get()
        wanted = getattr(theirs, name)(a.astype("f4"), **options, output=np.dtype(output))
        np.testing.assert_allclose(found, wanted, rtol=1e-14, atol=1e-14)
    found = ours.correlate(tn.asarray(a), np.full((3, 3), 0.2), output=np.dtype(output)).get()
    np.testing.assert_allclose(
        found, theirs.correlate(a.astype("f4"), np.full((3, 3), 0.2), output=np.dtype(output)), rtol=1e-14, atol=1e-14
    )


def test_a_window_is_padded_with_what_the_dtype_makes_of_a_value():
    a = np.array([2, 7], "u2")
    found = ours.vectorized_filter(tn.asarray(a), tn.max, size=3, mode="constant", cval=-2.5)
    assert found.get().tolist() == theirs.vectorized_filter(a, np.max, size=3, mode="constant", cval=-2.5).tolist()


def test_integer_weights_are_float64():
    """As in CuPy, of float32; sums of large and small terms show it."""
    a = np.array([1e8, 1.0, -1e8, 0.5], "f4")
    assert ours.correlate(tn.asarray(a), np.ones(3, int), mode="constant").get()[1] == 1
    check(ours.correlate1d, theirs.correlate1d, a, [1, 1, 1], mode="constant", eps=0.0)


def test_long_windows():
    a = image(np.random.default_rng(8), (90, 300), "f8")
    for size in (65, 100, 333):
        check(ours.uniform_filter, theirs.uniform_filter, a, size, eps=1e-14)
    check(ours.gaussian_filter, theirs.gaussian_filter, a, 30, mode="wrap", eps=1e-14)
    check(ours.correlate, theirs.correlate, a, np.random.default_rng(9).random((9, 11)), eps=1e-14)
    device = tn.asarray(a)
    weights = tn.asarray(np.random.default_rng(9).random((3, 5)))
    wanted = theirs.convolve(a, weights.get())
    assert np.allclose(ours.convolve(device, weights).get(), wanted, rtol=1e-14, atol=1e-14)


WRONG = (
    ("correlate1d", (np.ones(5), np.ones((2, 2))), {}),
    ("correlate1d", (np.ones(5), np.ones(3)), {"origin": 2}),
    ("correlate1d", (np.ones(5), np.ones(3)), {"axis": 1}),
    ("correlate1d", (np.ones(5), np.ones(3)), {"mode": "none"}),
    ("correlate", (np.ones((5, 5)), np.ones(3)), {}),
    ("correlate", (np.ones((5, 5)), np.ones((3, 3))), {"mode": ["reflect", "wrap"]}),
    ("correlate", (np.ones((5, 5)), np.ones((3, 3))), {"origin": [1, 3]}),
    ("convolve", (np.ones((5, 5)), np.ones((3, 3))), {"axes": (0, 5)}),
    ("convolve", (np.ones((5, 5)), np.ones((3, 3))), {"axes": (0, 0)}),
    ("convolve", (np.ones((5, 5)), np.ones((3, 3)) * 1j), {"cval": 1j}),
    ("gaussian_filter", (np.ones((5, 5)), [1, 2, 3]), {}),
    ("gaussian_filter", (np.ones((5, 5)), 1), {"radius": -1}),
    ("gaussian_filter", (np.ones((5, 5)), 1), {"order": -1}),
    ("gaussian_filter", (np.ones((5, 5)), 1), {"output": np.ones((5, 4))}),
    ("uniform_filter1d", (np.ones(5), 0), {}),
    ("uniform_filter1d", (np.ones(5), 3), {"origin": 2}),
    ("minimum_filter", (np.ones(5),), {}),
    ("minimum_filter", (np.ones(5) * 1j, 3), {}),
    ("minimum_filter", (np.ones((5, 5)),), {"footprint": np.zeros((3, 3))}),
    ("minimum_filter", (np.ones((5, 5)),), {"footprint": np.ones(3)}),
    ("rank_filter", (np.ones((5, 5)), 9, 3), {}),
    ("percentile_filter", (np.ones((5, 5)), 101, 3), {}),
    ("median_filter", (np.ones((5, 5)),), {}),
    ("grey_erosion", (np.ones(5),), {}),
    ("binary_erosion", (np.ones((5, 5)), np.ones(3)), {}),
    ("binary_erosion", (np.ones((5, 5)),), {"iterations": 1.5}),
    ("binary_erosion", (np.ones((5, 5)),), {"mask": np.ones(5)}),
    ("generic_filter", (np.ones((5, 5)), np.sum), {}),
    ("generic_filter1d", (np.ones(5), np.sum, 0), {}),
)


@pytest.mark.parametrize("name, args, kwargs", WRONG)
def test_errors(name, args, kwargs):
    check(getattr(ours, name), getattr(theirs, name), *args, **kwargs)
    with pytest.raises((RuntimeError, ValueError, TypeError)):
        getattr(theirs, name)(*args, **kwargs)


def test_weights_with_an_axis_more_of_size_0():
    a = np.arange(9.0).reshape(3, 3)
    for name in ("correlate", "convolve"):
        check(getattr(ours, name), getattr(theirs, name), a, np.ones((0, 3, 3)))
        with pytest.raises(RuntimeError, match="must match"):
            getattr(ours, name)(tn.asarray(a), np.ones((0, 3)))
