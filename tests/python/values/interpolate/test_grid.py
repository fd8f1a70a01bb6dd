"""Values on grids, radial functions and FITPACK's splines, beside SciPy's."""

import warnings

import numpy as np
import pytest
import tenorite as tn
from interpolation import assert_close, both, raises_alike
from oracle import settle, to_ours

scipy_interpolate = pytest.importorskip("scipy.interpolate")
spsolve = pytest.importorskip("scipy.sparse.linalg").spsolve
rng = np.random.default_rng(7)
METHODS = ["linear", "nearest", "slinear", "cubic", "quintic", "pchip"]


def grid(ndim, trailing=(), dtype="d", least=6):
    points = tuple(np.cumsum(rng.random(least + d) + 0.1) for d in range(ndim))
    values = rng.integers(-9, 9, (*map(len, points), *trailing)) * (1 + 1j if dtype == "D" else 1)
    return points, values.astype(dtype)


def places(points, shape=(4, 7), out=0.0):
    low = np.array([one[0] for one in points])
    high = np.array([one[-1] for one in points])
    return low + (high - low) * (rng.random((*shape, len(points))) * (1 + 2 * out) - out)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("trailing, dtype", [((), "d"), ((), "f"), ((2,), "d"), ((2,), "D"), ((), "i")])
def test_values(method, ndim, trailing, dtype):
    points, values = grid(ndim, trailing, dtype)
    at = places(points)
    found = tn.scipy.interpolate.RegularGridInterpolator(to_ours(points), tn.asarray(values), method)(tn.asarray(at))
    options = {"solver": spsolve} if method in ("slinear", "cubic", "quintic") else {}

    def theirs(values):
        return scipy_interpolate.RegularGridInterpolator(points, values, method, **options)(at)

    parts = method == "pchip" and dtype == "D"  # which SciPy refuses, and CuPy does not
    expected = theirs(values.real) + 1j * theirs(values.imag) if parts else theirs(values)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype or (dtype == "f" and method != "pchip")
    tolerance = 1e-5 if dtype == "f" else 1e-8
    np.testing.assert_allclose(found.get(), expected, rtol=tolerance, atol=tolerance * 1e2)


@pytest.mark.parametrize("method", ["slinear", "cubic", "quintic"])
def test_splines_are_exact(method):
    """A spline along one axis after the other."""
    k = {"slinear": 1, "cubic": 3, "quintic": 5}[method]
    points, values = grid(2)
    expected = values
    at = places(points, (5,))
    found = tn.scipy.interpolate.RegularGridInterpolator(to_ours(points), tn.asarray(values), method)
    nodes = np.stack(np.meshgrid(*points, indexing="ij"), axis=-1)
    np.testing.assert_allclose(found(tn.asarray(nodes)).get(), expected, atol=1e-9)
    c = values
    for axis in range(2):
        c = np.moveaxis(scipy_interpolate.make_interp_spline(points[axis], c, k, axis=axis).c, 0, axis)
    knots = tuple(scipy_interpolate.make_interp_spline(one, one, k).t for one in points)
    spline = scipy_interpolate.NdBSpline(knots, c, k)
    assert_close(found(tn.asarray(at)), spline(at), 1e-9, 1e-9)
    assert_close(found(tn.asarray(at), nu=[1, 0]), spline(at, nu=[1, 0]), 1e-8, 1e-8)
    legacy = tn.scipy.interpolate.RegularGridInterpolator(to_ours(points), tn.asarray(values), method + "_legacy")
    assert_close(legacy(tn.asarray(at)), spline(at), 1e-9, 1e-9)


def test_solver():
    from tenorite.scipy.sparse.linalg import gmres

    points, values = grid(2)
    made = tn.scipy.interpolate.RegularGridInterpolator(
        to_ours(points), tn.asarray(values), "cubic", solver=gmres, solver_args={"rtol": 1e-12, "maxiter": 500}
    )
    plain = tn.scipy.interpolate.RegularGridInterpolator(to_ours(points), tn.asarray(values), "cubic")
    at = tn.asarray(places(points))
    np.testing.assert_allclose(made(at).get(), plain(at).get(), atol=1e-5)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("fill", [np.nan, 5.0, None])
@pytest.mark.parametrize("descends", [False, True])
def test_outside(method, fill, descends):
    points, values = grid(2)
    values = np.cumsum(values, axis=0) * 0.1
    if descends:
        points = points[0][::-1], points[1]
    pair = both("RegularGridInterpolator", points, values, method, False, fill)
    at = places([np.sort(one) for one in points], (30,), out=0.2)
    if method != "pchip":  # of which SciPy raises an error
        at[3, 1] = np.nan
    found, expected = pair[0](tn.asarray(at)), pair[1](at)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-4, atol=2e-2)
    assert (np.isnan(found.get()) == np.isnan(expected)).all()
    other = "nearest" if method == "linear" else "linear"
    assert_close(pair[0](tn.asarray(at), other), pair[1](at, other))
    assert_close(pair[0].values, pair[1].values)
    for one, two in zip(pair[0].grid, pair[1].grid):
        assert_close(one, two)


def test_points_of_a_grid():
    """Values on the lines are exact, those in the middle take the lower one."""
    points = np.arange(4.0), np.arange(3.0)
    values = rng.random((4, 3))
    at = np.stack(np.meshgrid(np.arange(0, 3.5, 0.5), np.arange(0, 2.5, 0.5), indexing="ij"), -1)
    for method in ("linear", "nearest"):
        pair = both("RegularGridInterpolator", points, values, method)
        assert_close(pair[0](tn.asarray(at)), pair[1](at))
        assert_close(pair[0]((tn.asarray([1.0, 2]), 1.0)), pair[1](([1.0, 2], 1.0)))
        assert_close(pair[0](tn.asarray([1.0, 2.0])), pair[1]([1.0, 2.0]))
    single = both("RegularGridInterpolator", (np.array([2.0]), np.arange(3.0)), values[:1], "linear", False, None)
    at = rng.random((5, 2)) * 2
    assert_close(single[0](tn.asarray(at)), single[1](at))


@pytest.mark.parametrize("method", [*METHODS, "splinef2d", "cubic_legacy"])
def test_interpn(method):
    points, values = grid(2)
    at = places(points)
    found, expected = both("interpn", points, values, at, method)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-5, atol=1e-3)
    out = places(points, (20,), out=0.1)
    found, expected = both("interpn", points, values, out, method, False, 7.0)
    np.testing.assert_allclose(found.get(), expected, rtol=1e-5, atol=2e-3)


def test_refuses():
    x, values = np.arange(4.0), np.ones((4, 4))

    def make(m, xp, points=(x, x), given=values, at=None, **options):
        made = m.RegularGridInterpolator(tuple(map(xp.asarray, points)), xp.asarray(given), **options)
        return made if at is None else made(xp.asarray(at))

    for options in (
        {"method": "what"},
        {"points": (x, x, x)},
        {"points": (x, x[1:])},
        {"points": (x, np.array([0.0, 2, 1, 3]))},
        {"points": (x, np.zeros(4))},
        {"fill_value": 1j},
        {"method": "quintic"},
        {"method": "linear", "solver": len},
        {"at": [[0.0, 5.0]]},
        {"at": [[-1.0, 5.0]]},
        {"at": [[np.nan, 1.0]]},
        {"at": [[0.0, 1.0, 2.0]]},
    ):
        raises_alike(lambda m, xp, options=options: make(m, xp, **options))
    raises_alike(lambda m, xp: make(m, xp)(xp.ones((1, 2)), "what"))
    raises_alike(lambda m, xp: make(m, xp)(xp.ones((1, 2)), "quintic"))
    for arguments in (
        ((x, x), values, [[1.0, 1.0]], "what"),
        ((x, x), values, [[1.0, 9.0]], "linear"),
        ((x, x, x), values, [[1.0, 9.0]], "linear"),
        ((x, x), values, [[1.0, 9.0, 1.0]], "linear"),
        ((x, x), values, [[1.0, 9.0]], "splinef2d"),
        ((x, x), values, [[1.0, 9.0]], "splinef2d", False, None),
        ((x, x), np.ones((4, 4, 4)), [[1.0, 9.0]], "splinef2d"),
    ):
        raises_alike(
            lambda m, xp, a=arguments: m.interpn(
                tuple(map(xp.asarray, a[0])), xp.asarray(a[1]), xp.asarray(a[2]), *a[3:]
            )
        )


KERNELS = {
    "linear": {},
    "thin_plate_spline": {},
    "cubic": {},
    "quintic": {},
    "multiquadric": {"epsilon": 1.5},
    "inverse_multiquadric": {"epsilon": 2.5},
    "inverse_quadratic": {"epsilon": 3.0},
    "gaussian": {"epsilon": 4.0},
}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("trailing, dtype", [((), "d"), ((2, 2), "D"), ((3,), "f")])
def test_radial_functions(kernel, ndim, trailing, dtype):
    y = np.random.default_rng(8).permutation(
        np.stack(np.meshgrid(*[np.linspace(0, 1, 4)] * ndim), -1).reshape(-1, ndim)
    )
    d = (rng.random((y.shape[0], *trailing)) * (1 + 1j if dtype == "D" else 1)).astype(dtype)
    at = rng.random((25, ndim))
    for options in ({}, {"smoothing": 0.1}, {"degree": 2 if ndim < 3 else 1}, {"degree": -1, "smoothing": 0.3}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pair = both("RBFInterpolator", y, d, kernel=kernel, **KERNELS[kernel], **options)
        assert_close(pair[0](tn.asarray(at)), pair[1](at), 1e-4, 1e-5)


def test_radial_functions_refuse():
    y, d = rng.random((6, 2)), rng.random(6)
    for arguments, options in (
        ((y[0], d), {}),
        ((y, d[1:]), {}),
        ((y, d), {"smoothing": np.ones(3)}),
        ((y, d), {"degree": -2}),
        ((y, d), {"degree": 5}),
    ):
        raises_alike(
            lambda m, xp, a=arguments, o=options: m.RBFInterpolator(
                *map(xp.asarray, a), **{key: xp.asarray(v) if isinstance(v, np.ndarray) else v for key, v in o.items()}
            )(xp.ones((1, 2)))
        )
    raises_alike(lambda m, xp: m.RBFInterpolator(xp.asarray(y), xp.asarray(d))(xp.ones((3, 4))))
    with pytest.raises(ValueError, match="`kernel` must be one of"):
        tn.scipy.interpolate.RBFInterpolator(tn.asarray(y), tn.asarray(d), kernel="what")
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        settle(tn.scipy.interpolate.RBFInterpolator(tn.ones((6, 2)), tn.asarray(d), kernel="linear"))
    with pytest.raises(ValueError, match="`epsilon` must be specified"):
        tn.scipy.interpolate.RBFInterpolator(tn.asarray(y), tn.asarray(d), kernel="gaussian")
    with pytest.warns(UserWarning, match="should not be below"):
        tn.scipy.interpolate.RBFInterpolator(tn.asarray(y), tn.asarray(d), degree=0)


@pytest.mark.parametrize("ext", [0, 1, 3, "zeros", "const"])
@pytest.mark.parametrize("k, s", [(3, 0), (3, None), (3, 0.5), (5, 0.2), (1, 0)])
def test_smoothing_splines(ext, k, s):
    x = np.linspace(0, 6, 40)
    y = np.sin(x) + rng.random(40) * 0.1
    pair = both("UnivariateSpline", x, y, k=k, s=s, ext=ext)
    at = rng.random((3, 10)) * 8 - 1
    for nu in (0, 1):
        assert_close(pair[0](tn.asarray(at), nu), pair[1](at, nu), 1e-9, 1e-9)
    assert type(pair[0]).__name__ == type(pair[1]).__name__
    assert_close(pair[0].get_knots(), pair[1].get_knots())
    assert_close(pair[0].get_coeffs(), pair[1].get_coeffs())
    assert pair[0].get_residual() == pair[1].get_residual()
    np.testing.assert_allclose(pair[0].integral(-1, 5).get(), pair[1].integral(-1, 5), rtol=1e-9)
    assert_close(pair[0].derivatives(2.0), pair[1].derivatives(2.0), 1e-9, 1e-9)
    for name in ("derivative", "antiderivative"):
        made = [getattr(one, name)() for one in pair]
        assert_close(made[0](tn.asarray(at)), made[1](at), 1e-9, 1e-9)
    if k == 3:
        assert_close(pair[0].roots(), pair[1].roots())
        for one in pair:
            one.set_smoothing_factor(0.3)
        assert_close(pair[0](tn.asarray(at)), pair[1](at), 1e-9, 1e-9)


def test_other_fitted_splines():
    x, y = np.linspace(0, 6, 30), rng.random(30)
    at = rng.random(20) * 6
    for pair in (
        both("InterpolatedUnivariateSpline", x, y, k=2, bbox=[-1, 7]),
        both("LSQUnivariateSpline", x, y, np.array([1.0, 3, 4]), w=np.linspace(1, 2, 30)),
    ):
        assert_close(pair[0](tn.asarray(at)), pair[1](at), 1e-9, 1e-9)
    raises = both("UnivariateSpline", x, y, ext=2)
    raises_alike(lambda m, xp: raises[m is scipy_interpolate](xp.asarray([9.0])))
    raises_alike(lambda m, xp: m.UnivariateSpline(xp.asarray(x[::-1]), xp.asarray(y)))
    raises_alike(lambda m, xp: m.UnivariateSpline(xp.asarray(x), xp.asarray(y), k=7))
    raises_alike(lambda m, xp: raises[m is scipy_interpolate](xp.asarray([1.0]), ext="what"))
    assert tn.scipy.interpolate.UnivariateSpline.validate_input(x, y, None, [0, 6], 3, 1, 0, True)[4] == 0


def test_splines_of_two_variables():
    x, y = np.sort(rng.random(9)), np.sort(rng.random(7))
    z = rng.random((9, 7))
    pair = both("RectBivariateSpline", x, y, z, kx=3, ky=2)
    assert_close(pair[0](tn.asarray(x), tn.asarray(y)), pair[1](x, y), 1e-9, 1e-9)
    at = rng.random((2, 4, 5)) * 1.4 - 0.2
    for dx, dy in ((0, 0), (1, 0), (2, 1)):
        inside = np.clip(at, [[x[0]]], [[x[-1]]]) if dx or dy else at
        assert_close(pair[0].ev(*map(tn.asarray, inside), dx, dy), pair[1].ev(*inside, dx, dy), 1e-7, 1e-7)
    assert pair[0].integral(0.1, 0.5, 0.2, 0.7) == pair[1].integral(0.1, 0.5, 0.2, 0.7)
    assert pair[0].get_residual() == pair[1].get_residual()
    assert_close(pair[0].get_coeffs(), pair[1].get_coeffs())
    for one, two in zip(pair[0].get_knots(), pair[1].get_knots()):
        assert_close(one, two)
    raises_alike(lambda m, xp: pair[m is scipy_interpolate](xp.asarray([1.0, 0]), xp.asarray([1.0])))
    raises_alike(lambda m, xp: m.RectBivariateSpline(xp.asarray(x), xp.asarray(y), xp.asarray(z.T)))
    points = rng.random((3, 60))
    smooth = both("SmoothBivariateSpline", *points, kx=2, ky=2)
    assert_close(smooth[0].ev(*map(tn.asarray, points[:2])), smooth[1].ev(*points[:2]), 1e-8, 1e-8)
