"""Scattered points beside SciPy's: nearest ones, simplices, neighbours of radial functions."""

import numpy as np
import pytest
import tenorite as tn
from interpolation import assert_close, both, raises_alike

CloughTocher2DInterpolator = pytest.importorskip("scipy.interpolate").CloughTocher2DInterpolator
rng = np.random.default_rng(9)
NAMES = ["NearestNDInterpolator", "LinearNDInterpolator", "CloughTocher2DInterpolator"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("trailing", [(), (3,), (2, 2)])
@pytest.mark.parametrize("dtype", ["d", "D", "f", "i"])
@pytest.mark.parametrize("rescale", [False, True])
def test_values(name, trailing, dtype, rescale):
    points = rng.random((60, 2)) * [1, 30]
    values = (rng.random((60, *trailing)) * 9 * (1 + 1j if dtype == "D" else 1)).astype(dtype)
    pair = both(name, points, values, rescale=rescale)
    at = (rng.random((4, 30, 2)) * 1.3 - 0.15) * [1, 30]
    assert_close(pair[0](tn.asarray(at)), pair[1](at), 1e-8, 1e-8)
    assert_close(pair[0](*(tn.asarray(at[..., k]) for k in (0, 1))), pair[1](at[..., 0], at[..., 1]), 1e-8, 1e-8)
    assert pair[0].tree is not None if name == NAMES[0] else pair[0].tri is not None


def test_more_variables():
    points, values, at = rng.random((50, 3)), rng.random(50), rng.random((30, 3))
    for name in NAMES[:2]:
        pair = both(name, points, values)
        assert_close(pair[0](tn.asarray(at)), pair[1](at))
    filled = both("LinearNDInterpolator", points, values, fill_value=5.0)
    assert_close(filled[0](2.0, 2.0, 2.0), filled[1](2.0, 2.0, 2.0))
    gradients = both("CloughTocher2DInterpolator", points[:, :2], values)
    assert_close(gradients[0].grad, gradients[1].grad)


def test_triangulation():
    points, values, at = rng.random((30, 2)), rng.random(30), rng.random((9, 2))
    tri = tn.scipy.spatial.Delaunay(tn.asarray(points))
    for name in NAMES[1:]:
        found = getattr(tn.scipy.interpolate, name)(tri, tn.asarray(values))
        assert_close(found(tn.asarray(at)), both(name, points, values)[1](at), 1e-8, 1e-8)


@pytest.mark.parametrize("method", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("ndim", [1, 2])
def test_griddata(method, ndim):
    points, values, at = rng.random((40, ndim)), rng.random(40), rng.random((7, 3, ndim)) * 1.2
    assert_close(*both("griddata", points, values, at[..., 0] if ndim == 1 else at, method), 1e-8, 1e-8)
    if ndim == 2:
        grid = np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 1, 6))
        assert_close(*both("griddata", (points[:, 0], points[:, 1]), values, tuple(grid), method), 1e-8, 1e-8)


@pytest.mark.parametrize("kernel", ["linear", "thin_plate_spline", "gaussian"])
@pytest.mark.parametrize("neighbors", [1, 5, 20])
def test_radial_functions_of_neighbors(kernel, neighbors):
    options = {"kernel": kernel, "neighbors": neighbors, "epsilon": 3.0}
    if neighbors == 1:
        options["degree"] = -1
    points, values, at = rng.random((60, 2)), rng.random((60, 2)), rng.random((40, 2))
    if kernel != "gaussian" and neighbors == 1:
        return  # a matrix of 0
    pair = both("RBFInterpolator", points, values, **options)
    assert_close(pair[0](tn.asarray(at)), pair[1](at), 1e-6, 1e-6)


def test_refuses():
    points, values = rng.random((9, 2)), rng.random(9)
    for name in NAMES:
        raises_alike(lambda m, xp, name=name: getattr(m, name)(xp.asarray(points), xp.asarray(values[1:])))
        raises_alike(lambda m, xp, name=name: getattr(m, name)(xp.asarray(points), xp.asarray(values))(xp.ones((2, 3))))
    raises_alike(lambda m, xp: m.griddata(xp.asarray(points), xp.asarray(values), xp.ones((2, 2)), "what"))
    raises_alike(lambda m, xp: m.griddata(xp.ones((9, 3)), xp.asarray(values), xp.ones((2, 3)), "cubic"))


def test_gradients():
    points, values = rng.random((40, 2)), rng.random((40, 2, 3)) + 1j
    tri = tn.scipy.spatial.Delaunay(tn.asarray(points))
    module = tn.scipy.interpolate._interpnd
    for y in (values[:, 0, 0].real, values):
        found = module.estimate_gradients_2d_global(tri, tn.asarray(y), tol=1e-13)
        wanted = CloughTocher2DInterpolator(points, y, tol=1e-13).grad
        assert_close(found, wanted.reshape(*y.shape, 2), 1e-9, 1e-9)
    with pytest.warns(module.GradientEstimationWarning, match="did not converge"):
        module.estimate_gradients_2d_global(tri, tn.asarray(values[:, 0, 0]), 1)
    with pytest.raises(ValueError, match="wrong number of items"):
        module.estimate_gradients_2d_global(tri, tn.zeros(39))


def test_a_triangulation_by_options():
    """Qhull's own triangles may turn the other way."""
    points, values, at = rng.random((30, 2)), rng.random(30), rng.random((9, 2))
    tri = tn.scipy.spatial.Delaunay(tn.asarray(points), qhull_options="Qbb Qc Qz Q12")
    for name in NAMES[1:]:
        found = getattr(tn.scipy.interpolate, name)(tri, tn.asarray(values))
        assert_close(found(tn.asarray(at)), both(name, points, values)[1](at), 1e-8, 1e-8)
