"""PPoly, BPoly and NdPPoly beside SciPy's."""

import numpy as np
import pytest
import tenorite as tn
from interpolation import assert_close, both, raises_alike

pytest.importorskip("scipy.interpolate")
rng = np.random.default_rng(3)
TRAILING = [(), (3,), (2, 5), (1, 1, 7)]


def pieces(name, k, trailing=(), extrapolate=None, descends=False, dtype="d", axis=0):
    x = np.arange(8.0) * 1.4 + rng.random(8)
    c = rng.random((k, 7, *trailing))
    if dtype == "D":
        c = c + 1j * rng.random(c.shape)
    if axis:
        c = np.moveaxis(c, (0, 1), (axis, axis + 1))
    return both(name, c.astype(dtype), x[::-1] if descends else x, extrapolate, axis)


def places(pair, shape=(40,)):
    x = pair[1].x
    inner = np.concatenate([x, (rng.random(int(np.prod(shape))) * 14 - 2)])[: int(np.prod(shape))]
    return inner.reshape(shape)


@pytest.mark.parametrize("name", ["PPoly", "BPoly"])
@pytest.mark.parametrize("k", [1, 2, 4, 9])
@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
@pytest.mark.parametrize("descends", [False, True])
def test_values(name, k, extrapolate, descends):
    pair = pieces(name, k, (2,), extrapolate, descends)
    x = places(pair)
    if descends and extrapolate == "periodic":
        return
    for nu in range(4):
        if name == "PPoly" or nu < k:
            assert_close(pair[0](tn.asarray(x), nu), pair[1](x, nu), 1e-9, 1e-9)
        else:  # SciPy fails
            assert pair[0](tn.asarray(x), nu).shape == (*x.shape, 2)
    assert_close(pair[0](tn.asarray(x), 0, not extrapolate), pair[1](x, 0, not extrapolate))


@pytest.mark.parametrize("name", ["PPoly", "BPoly"])
@pytest.mark.parametrize("trailing", TRAILING)
@pytest.mark.parametrize("dtype", ["d", "D", "f", "i"])
def test_shapes(name, trailing, dtype):
    pair = pieces(name, 4, trailing, dtype=dtype)
    for shape in ((), (0,), (3, 1), (2, 3, 4)):
        x = places(pair, shape)
        assert_close(pair[0](tn.asarray(x)), pair[1](x))


@pytest.mark.parametrize("axis", [1, 2])
def test_axis(axis):
    pair = pieces("PPoly", 3, (2, 5), axis=axis)
    x = places(pair, (3, 2))
    assert_close(pair[0].c, pair[1].c)
    assert_close(pair[0](tn.asarray(x)), pair[1](x))


def test_layouts():
    x, c = np.sort(rng.random(9)), rng.random((16, 4, 6)).T[:, ::-1]
    c = np.moveaxis(rng.random((3, 8, 5)), 2, 0)[::-1].transpose(1, 2, 0)
    at = rng.random((20, 6))[::-2, ::3].T
    pair = both("PPoly", c, x)
    assert_close(pair[0](tn.asarray(at)), pair[1](at))
    transposed = tn.asarray(np.ascontiguousarray(at.T)).T
    assert_close(pair[0](transposed), pair[1](at))


@pytest.mark.parametrize("name", ["PPoly", "BPoly"])
@pytest.mark.parametrize("extrapolate", [True, False, "periodic"])
def test_calculus(name, extrapolate):
    pair = pieces(name, 4, (3,), extrapolate)
    x = places(pair)
    for nu in (0, 1, 2, 5, -1, -2):
        derived = [one.derivative(nu) for one in pair]
        assert_close(derived[0].c, derived[1].c, 1e-9, 1e-9)
        integrals = [one.antiderivative(nu) for one in pair]
        assert_close(integrals[0](tn.asarray(x)), integrals[1](x), 1e-8, 1e-8)
        assert integrals[0].extrapolate == integrals[1].extrapolate
    a, b = pair[1].x[0], pair[1].x[-1]
    for ends in ((a, b), (b, a), (a + 1, b - 1), (a - 1, b + 30), (a + 0.5, a + 0.5)):
        if extrapolate is False and ends[0] < a:
            continue
        assert_close(pair[0].integrate(*ends), pair[1].integrate(*ends), 1e-8, 1e-8)


def test_bases():
    power, bernstein = pieces("PPoly", 5, (2,)), pieces("BPoly", 5, (2,))
    from_bernstein = both("PPoly", np.ones((1, 1)), np.arange(2.0))
    made = [one.from_bernstein_basis(two) for one, two in zip(from_bernstein, bernstein)]
    assert_close(made[0].c, made[1].c, 1e-8, 1e-6)
    made = [one.from_power_basis(two) for one, two in zip(bernstein, power)]
    assert_close(made[0].c, made[1].c, 1e-9, 1e-9)
    with pytest.raises(TypeError, match="only accepts BPoly"):
        power[0].from_bernstein_basis(power[0])
    with pytest.raises(TypeError, match="only accepts PPoly"):
        bernstein[0].from_power_basis(bernstein[0])


@pytest.mark.parametrize("orders", [None, 2, [1, 3]])
def test_from_derivatives(orders):
    import scipy.interpolate as theirs
    from tenorite.scipy import interpolate

    xi, yi = [0.0, 1.5, 2.0], [[1.0, 2.0], [0.5, -1.0], [2.0, 0.0, 3.0]]
    found = interpolate.BPoly.from_derivatives(xi, yi, orders)
    expected = theirs.BPoly.from_derivatives(xi, yi, orders)
    assert_close(found.c, expected.c)
    stacked = rng.random((3, 2, 4))
    found = interpolate.BPoly.from_derivatives(tn.asarray(xi), tn.asarray(stacked), orders if orders == 2 else None)
    expected = theirs.BPoly.from_derivatives(xi, stacked, orders if orders == 2 else None)
    assert_close(found.c, expected.c)
    raises_alike(lambda m, xp: m.BPoly.from_derivatives([0, 1], [[1], [2]], 7))


@pytest.mark.parametrize("name", ["PPoly", "BPoly"])
@pytest.mark.parametrize("more", [1, 4, 6])
@pytest.mark.parametrize("after", [True, False])
def test_extend(name, more, after):
    pair = pieces(name, 4)
    if name == "PPoly" and not after and more != 4:
        return  # of which SciPy makes an error of broadcasting
    c, x = rng.random((more, 2)), np.array([11.5, 12.0]) if after else np.array([-3.0, -2.0])
    pair[0].extend(tn.asarray(c), tn.asarray(x))
    pair[1].extend(c, x)
    assert_close(pair[0].c, pair[1].c)
    assert_close(pair[0].x, pair[1].x)


def test_roots():
    pair = both("PPoly", np.array([[1.0, -1, 0], [0, 1, 0], [-1, 0, 0]]).repeat(1, 0), np.array([-2.0, 0, 2, 3]))
    assert_close(pair[0].roots(), pair[1].roots())
    assert_close(pair[0].solve(0.5, extrapolate=False), pair[1].solve(0.5, extrapolate=False))
    several = pieces("PPoly", 3, (2,))
    for found, expected in zip(several[0].solve(0.7), several[1].solve(0.7)):
        assert_close(found, expected)


def test_from_spline():
    spline = both("make_interp_spline", np.arange(8.0), rng.random(8), 3)
    for pair in (spline, [one.tck for one in spline]):
        made = [both("PPoly", np.ones((1, 1)), np.arange(2.0))[k].from_spline(pair[k]) for k in (0, 1)]
        at = rng.random(30) * 7
        assert_close(made[0](tn.asarray(at)), made[1](at))


def test_construct_fast():
    pair = pieces("PPoly", 3)
    made = [one.construct_fast(one.c, one.x, False) for one in pair]
    at = places(pair)
    assert_close(made[0](tn.asarray(at)), made[1](at))


def test_refuses():
    for call in (
        lambda m, xp: m.PPoly(xp.ones(3), xp.arange(4.0)),
        lambda m, xp: m.PPoly(xp.ones((1, 3)), xp.arange(5.0)),
        lambda m, xp: m.PPoly(xp.ones((1, 3)), xp.asarray([0.0, 2, 1, 3])),
        lambda m, xp: m.PPoly(xp.ones((1, 3)), xp.ones((2, 2))),
        lambda m, xp: m.PPoly(xp.ones((1, 0)), xp.ones(1)),
        lambda m, xp: m.PPoly(xp.ones((0, 1)), xp.arange(2.0)),
        lambda m, xp: m.PPoly(xp.ones((1, 1)), xp.arange(2.0), axis=4),
        lambda m, xp: m.PPoly(xp.ones((1, 1)) * 1j, xp.arange(2.0)).roots(),
        lambda m, xp: m.PPoly(xp.ones((1, 1)), xp.arange(2.0)).extend(xp.ones((1, 1)), xp.asarray([0.5])),
        lambda m, xp: m.PPoly(xp.ones((1, 1)), xp.arange(2.0)).extend(xp.ones((1, 2)), xp.asarray([0.5])),
        lambda m, xp: m.NdPPoly(xp.ones((1, 1)), (xp.arange(3.0),)),
        lambda m, xp: m.NdPPoly(xp.ones((1, 2)), (xp.asarray([2.0, 1, 0]),)),
        lambda m, xp: m.NdPPoly(xp.ones((1, 2)), (xp.arange(3.0),)).integrate([1, 2, 3]),
        lambda m, xp: m.NdPPoly(xp.ones((1, 2)), (xp.arange(3.0),))(xp.ones((3, 1)), nu=[1, 2]),
    ):
        raises_alike(call)


def grid_pieces(ndim, trailing=(), dtype="d", extrapolate=None):
    x = tuple(np.sort(rng.random(4 + d)) for d in range(ndim))
    c = rng.random((*range(2, 2 + ndim), *(one.size - 1 for one in x), *trailing))
    return both("NdPPoly", c.astype(dtype) * (1 + 1j if dtype == "D" else 1), x, extrapolate)


@pytest.mark.parametrize("ndim", [1, 2, 3, 4])
@pytest.mark.parametrize("trailing", [(), (3,), (2, 3)])
@pytest.mark.parametrize("dtype", ["d", "D"])
@pytest.mark.parametrize("extrapolate", [True, False])
def test_several_variables(ndim, trailing, dtype, extrapolate):
    pair = grid_pieces(ndim, trailing, dtype, extrapolate)
    x = rng.random((5, 6, ndim)) * 1.4 - 0.2
    assert_close(pair[0](tn.asarray(x)), pair[1](x))
    nu = list(range(ndim))
    assert_close(pair[0](tn.asarray(x), nu), pair[1](x, nu), 1e-9, 1e-9)


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_calculus_of_several_variables(ndim):
    pair = grid_pieces(ndim, (2,))
    x = rng.random((30, ndim))
    for nu in ([1, 0, 2][:ndim], [-1, 1, 1][:ndim]):
        for name in ("derivative", "antiderivative"):
            made = [getattr(one, name)(nu) for one in pair]
            assert_close(made[0](tn.asarray(x)), made[1](x), 1e-8, 1e-8)
    ranges = [(0.1, 0.9)] * ndim
    assert_close(pair[0].integrate(ranges), pair[1].integrate(ranges), 1e-9, 1e-9)
    if ndim > 1:
        made = [one.integrate_1d(0.2, 0.7, 1) for one in pair]
        assert_close(made[0](tn.asarray(x[:, 1:])), made[1](x[:, 1:]), 1e-9, 1e-9)
        made = [
            one.construct_fast(one.c, one.x)(tuple(xp.asarray(x[:, d]) for d in range(ndim)))
            for one, xp in zip(pair, (tn, np))
        ]
        assert_close(*made)
