"""B-splines of one and several variables, through points and close to them, beside SciPy's."""

import numpy as np
import pytest
import tenorite as tn
from interpolation import assert_close, both, raises_alike
from tenorite.scipy import interpolate

scipy_interpolate = pytest.importorskip("scipy.interpolate")
rng = np.random.default_rng(4)


def spline(k, trailing=(), extrapolate=True, repeated=False, dtype="d", axis=0):
    inner = np.sort(rng.random(9))
    if repeated:
        inner[3:5] = inner[2]
    t = np.r_[[0] * (k + 1), inner, [1] * (k + 1)] if k < 8 else np.sort(rng.random(4 * k))
    c = rng.random((t.size - k - 1, *trailing)) * (1 + 2j if dtype == "D" else 1)
    return both("BSpline", t, np.moveaxis(c.astype(dtype), 0, axis), k, extrapolate, axis)


def places(pair, shape=(60,)):
    t = pair[1].t
    flat = np.concatenate([t, rng.random(int(np.prod(shape))) * 1.4 - 0.2])[: int(np.prod(shape))]
    return flat.reshape(shape)


@pytest.mark.parametrize("k", [0, 1, 2, 3, 5, 12])
@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
@pytest.mark.parametrize("repeated", [False, True])
def test_values(k, extrapolate, repeated):
    if k == 12 and extrapolate is True:
        return  # far beyond the knots nothing is left of 16 digits
    pair = spline(k, (2,), extrapolate, repeated)
    x = places(pair)
    for nu in range(k + 2):
        expected = pair[1](x, nu)
        assert_close(pair[0](tn.asarray(x), nu), expected, 1e-7, 1e-9 * (1 + np.nanmax(np.abs(expected))))


@pytest.mark.parametrize("trailing", [(), (3,), (1,), (2, 40)])
@pytest.mark.parametrize("dtype", ["d", "D", "f", "i"])
def test_shapes(trailing, dtype):
    pair = spline(3, trailing, dtype=dtype)
    for shape in ((), (0,), (3, 1), (2, 3, 4)):
        x = places(pair, shape)
        assert_close(pair[0](tn.asarray(x)), pair[1](x))


def test_axis():
    pair = spline(3, (2, 5), axis=1)
    x = places(pair, (3, 2))
    assert_close(pair[0](tn.asarray(x)), pair[1](x))
    x[0] = np.nan
    assert np.isnan(pair[0](tn.asarray(x)).get()[:, 0]).all()


@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
@pytest.mark.parametrize("trailing", [(), (3,)])
def test_calculus(extrapolate, trailing):
    pair = spline(4, trailing, extrapolate)
    x = rng.random(30)
    for nu in (1, 2, 4):
        for name in ("derivative", "antiderivative"):
            made = [getattr(one, name)(nu) for one in pair]
            assert_close(made[0].c, made[1].c, 1e-8, 1e-8)
            assert_close(made[0].t, made[1].t)
            assert_close(made[0](tn.asarray(x)), made[1](x), 1e-7, 1e-7)
            assert made[0].extrapolate == made[1].extrapolate
    for ends in ((0, 1), (1, 0), (0.2, 0.6), (-0.5, 1.7), (0.9, 3.2)):
        found, expected = (one.integrate(*ends) for one in pair)
        np.testing.assert_allclose(found.get(), expected, rtol=1e-8, atol=1e-9)


def test_parts():
    pair = both("BSpline", np.arange(8.0), np.ones(4), 3)
    t = np.array([0.0, 1, 1.5, 4, 5])
    element = [one.basis_element(xp.asarray(t)) for one, xp in zip(pair, (tn, np))]
    x = rng.random(20) * 7 - 1
    assert_close(element[0](tn.asarray(x)), element[1](x), 1e-9, 1e-9)
    fast = [one.construct_fast(*one.tck, extrapolate=False) for one in pair]
    assert_close(fast[0](tn.asarray(x)), fast[1](x))
    for function in ("splder", "splantider"):
        tck = np.arange(9.0), np.r_[rng.random(5), [0] * 4], 3
        for found, expected in zip(*both(function, tck)):
            np.testing.assert_allclose(found.get() if hasattr(found, "get") else found, expected)
        splines = spline(3)
        for n in (1, 2):
            found = getattr(tn.scipy.interpolate, function)(splines[0], n)
            assert_close(found.c, getattr(scipy_interpolate, function)(splines[1], n).c, 1e-9)
    inserted = [one.insert_knot(0.3, 2) for one in spline(3)]
    assert_close(inserted[0].c, inserted[1].c)


@pytest.mark.parametrize("trailing", [(), (2, 3)])
@pytest.mark.parametrize("bc_type", ["not-a-knot", "natural", "clamped", "periodic"])
def test_from_power_basis(bc_type, trailing):
    x = np.array([0.0, 1, 2.5, 3, 4, 6, 6.25])
    y = np.random.default_rng(3).normal(size=(7, *trailing))
    y[-1] = y[0]
    pieces = both("CubicSpline", x, y, bc_type=bc_type)
    found = interpolate.BSpline.from_power_basis(pieces[0], bc_type)
    if not trailing:
        theirs = scipy_interpolate.BSpline.from_power_basis(pieces[1], bc_type)
        assert_close(found.t, theirs.t)
        assert_close(found.c, theirs.c)
        assert found.extrapolate == theirs.extrapolate
    at = np.linspace(-2, 9, 50)
    assert_close(found(tn.asarray(at)), pieces[1](at), atol=1e-11)
    with pytest.raises(NotImplementedError, match="Only CubicSpline objects are accepted"):
        interpolate.BSpline.from_power_basis(interpolate.PPoly(tn.ones((2, 2)), tn.arange(3.0)), bc_type)
    raises_alike(lambda m, xp: m.BSpline.from_power_basis(m.CubicSpline(xp.arange(5.0), xp.ones(5)), "even"))


@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
@pytest.mark.parametrize("k", [0, 1, 3, 4])
def test_design_matrix(k, extrapolate):
    t = np.r_[[0] * k, np.linspace(0, 1, 9), [1] * k]
    x = np.linspace(0, 1, 31) if extrapolate is False else rng.random(20) * 1.5 - 0.2
    found = tn.scipy.interpolate.BSpline.design_matrix(tn.asarray(x), tn.asarray(t), k, extrapolate)
    expected = scipy_interpolate.BSpline.design_matrix(x, t, k, extrapolate)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.toarray().get(), expected.toarray(), atol=1e-12)


CONDITIONS = [
    (3, None),
    (3, "not-a-knot"),
    (5, None),
    (2, None),
    (4, None),
    (1, None),
    (0, None),
    (3, "natural"),
    (3, "clamped"),
    (3, ([(1, 0.5)], [(2, 1.0)])),
    (3, ("natural", "clamped")),
    (5, ([(1, 0.5), (2, 0.0)], [(1, 1.0), (3, 2.0)])),
    (2, (None, [(1, 0.5)])),
    (3, (None, None)),
    *((k, "periodic") for k in (1, 2, 3, 4, 5, 7)),
]


@pytest.mark.parametrize("n", [9, 10, 50, 501])
@pytest.mark.parametrize("k, bc_type", CONDITIONS)
def test_through_points(k, bc_type, n):
    x, y = np.sort(rng.random(n)), rng.random(n)
    if n > 100:
        x = np.linspace(0, 1, n) + rng.random(n) / n / 4
    if bc_type == "periodic":
        y[-1] = y[0]
    pair = both("make_interp_spline", x, y, k, bc_type=bc_type)
    scale = np.abs(pair[1].c).max()
    assert_close(pair[0].t, pair[1].t, 1e-10, 1e-12)
    assert_close(pair[0].c, pair[1].c, 1e-6, 1e-8 * scale)
    assert pair[0].extrapolate == pair[1].extrapolate


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_few_periodic_points(k, n):
    x, y = np.sort(rng.random(n)), rng.random(n)
    y[-1] = y[0]
    try:
        pair = both("make_interp_spline", x, y, k, bc_type="periodic")
    except np.linalg.LinAlgError:
        return
    at = np.linspace(x[0], x[-1], 20)
    np.testing.assert_allclose(pair[0](tn.asarray(x)).get(), y, atol=1e-9)
    if n > 3:
        assert_close(pair[0](tn.asarray(at)), pair[1](at), 1e-7, 1e-8)


@pytest.mark.parametrize("shape, axis", [((12, 3), 0), ((2, 12, 5), 1), ((3, 12), -1)])
@pytest.mark.parametrize("dtype", ["d", "D", "f", "i"])
@pytest.mark.parametrize("bc_type", [None, "natural"])
def test_several_right_sides(shape, axis, dtype, bc_type):
    y = (rng.random(shape) * 9 * (1 + 1j if dtype == "D" else 1)).astype(dtype)
    pair = both("make_interp_spline", np.arange(12), y, 3, bc_type=bc_type, axis=axis)
    assert_close(pair[0].c, pair[1].c)
    x = rng.random((2, 3)) * 11
    assert_close(pair[0](tn.asarray(x)), pair[1](x))


def test_own_knots():
    x = np.linspace(0, 1, 10)
    t = np.r_[[0] * 4, x[2:-2] + 0.01, [1] * 4]
    pair = both("make_interp_spline", x, rng.random(10), 3, t)
    assert_close(pair[0].c, pair[1].c, 1e-8)
    bad = np.r_[[0] * 4, [0.01, 0.02, 0.03, 0.031, 0.032, 0.033], [1] * 4]
    with pytest.raises(np.linalg.LinAlgError, match="Colocation matrix is singular"):
        tn.scipy.interpolate.make_interp_spline(tn.asarray(x), tn.asarray(x), 3, tn.asarray(bad)).c.get()


@pytest.mark.parametrize("k", [0, 1, 3, 5])
@pytest.mark.parametrize("method", ["qr", "norm-eq"])
@pytest.mark.parametrize("trailing, dtype", [((), "d"), ((3,), "d"), ((2, 2), "D"), ((), "D")])
def test_least_squares(k, method, trailing, dtype):
    x = np.sort(rng.random(200))
    y = (rng.random((200, *trailing)) * (1 + 1j if dtype == "D" else 1)).astype(dtype)
    t = np.r_[[x[0]] * (k + 1), np.linspace(0.2, 0.8, 7), [x[-1]] * (k + 1)]
    w = rng.random(200) + 0.5
    try:
        pair = both("make_lsq_spline", x, y, t, k, w, method=method)
    except ValueError:
        assert k == 0  # of which SciPy's check refuses the last knot
        return
    assert_close(pair[0].c, pair[1].c, 1e-8, 1e-9)


def test_refuses():
    x = np.arange(6.0)
    make = [
        dict(x=x[::-1], y=x),
        dict(x=np.r_[0, x[:-1]], y=x),
        dict(x=x, y=x[1:]),
        dict(x=x, y=np.r_[np.nan, x[1:]]),
        dict(x=x, y=x, k=0, t=x),
        dict(x=x, y=x, k=1, bc_type="natural"),
        dict(x=x, y=x, bc_type="periodic"),
        dict(x=x, y=x, bc_type="what"),
        dict(x=x, y=x, bc_type=([(7, 0)], None)),
        dict(x=x, y=x, bc_type=([(1, 0)], None)),
        dict(x=x, y=x, bc_type=7),
        dict(x=x, y=x, t=x),
        dict(x=x, y=x, t=np.r_[[1] * 5, [6] * 5]),
        dict(x=x, y=x, t=x[::-1]),
        dict(x=x, y=x, axis=3),
    ]
    for given in make:
        raises_alike(
            lambda m, xp, given=given: m.make_interp_spline(
                **{key: xp.asarray(v) if isinstance(v, np.ndarray) else v for key, v in given.items()}
            )
        )
    for call in (
        lambda m, xp: m.BSpline(xp.asarray(x[::-1]), xp.ones(2), 3),
        lambda m, xp: m.BSpline(xp.asarray(x), xp.ones(2), 3),
        lambda m, xp: m.BSpline(xp.ones((8, 8)), xp.ones(2), 3),
        lambda m, xp: m.BSpline(xp.ones(8), xp.ones(4), 3),
        lambda m, xp: m.BSpline(xp.arange(8.0), xp.ones(2), 3),
        lambda m, xp: m.BSpline(xp.arange(8.0), xp.ones(4), -1),
        lambda m, xp: m.BSpline(xp.arange(8.0), xp.ones(4), 3).derivative(5),
        lambda m, xp: m.BSpline.design_matrix(xp.asarray([7.5]), xp.arange(8.0), 3),
        lambda m, xp: m.make_lsq_spline(xp.arange(9.0), xp.ones(9), xp.arange(8.0), 3),
        lambda m, xp: m.make_lsq_spline(xp.arange(9.0), xp.ones(8), xp.arange(8.0), 3),
        lambda m, xp: m.make_lsq_spline(xp.ones((3, 3)), xp.ones(8), xp.arange(8.0), 3),
        lambda m, xp: m.make_lsq_spline(xp.arange(9.0), xp.ones(9), xp.asarray([0.0] * 4 + [9] * 4), 3, method="x"),
        lambda m, xp: m.NdBSpline(xp.arange(8.0), xp.ones(2), 3),
        lambda m, xp: m.NdBSpline((xp.arange(8.0),), xp.ones(2), 3),
        lambda m, xp: m.NdBSpline((xp.arange(8.0),), xp.ones(4), (3, 3)),
        lambda m, xp: m.NdBSpline((xp.arange(8.0),), xp.ones(4), 3)(xp.ones((3, 2))),
        lambda m, xp: m.NdBSpline((xp.arange(8.0),), xp.ones(4), 3)(xp.ones((3, 1)), nu=[-1]),
    ):
        raises_alike(call)


@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("trailing", [(), (2,), (3, 3)])
@pytest.mark.parametrize("dtype", ["d", "D"])
@pytest.mark.parametrize("extrapolate", [True, False])
def test_several_variables(ndim, trailing, dtype, extrapolate):
    k = (3, 1, 2)[:ndim]
    t = tuple(np.r_[[0] * (one + 1), np.sort(rng.random(3)), [1] * (one + 1)] for one in k)
    c = rng.random((*(one.size - d - 1 for one, d in zip(t, k)), *trailing)) * (1 + 1j if dtype == "D" else 1)
    pair = both("NdBSpline", t, c, k, extrapolate=extrapolate)
    x = rng.random((5, 4, ndim)) * 1.3 - 0.1
    assert_close(pair[0](tn.asarray(x)), pair[1](x))
    nu = [1, 0, 2][:ndim]
    assert_close(pair[0](tn.asarray(x), nu=nu), pair[1](x, nu=nu), 1e-9, 1e-9)
    made = [one.derivative([1, 1, 0][:ndim]) for one in pair]
    if not extrapolate:
        x = rng.random((9, ndim))
    assert_close(made[0](tn.asarray(x)), made[1](x), 1e-9, 1e-9)
    x = rng.random((20, ndim))
    found = pair[0].design_matrix(tn.asarray(x), tuple(map(tn.asarray, t)), k).toarray().get()
    expected = pair[1].design_matrix(x, t, k).toarray()  # without the columns after the last value
    assert not found[:, expected.shape[1] :].any()
    np.testing.assert_allclose(found[:, : expected.shape[1]], expected, atol=1e-12)
