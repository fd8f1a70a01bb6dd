"""Polynomials through points, and interp1d, beside SciPy's."""

import warnings

import numpy as np
import pytest
import tenorite as tn
from interpolation import assert_close, both, raises_alike
from oracle import to_ours

pytest.importorskip("scipy.interpolate")
rng = np.random.default_rng(6)


@pytest.mark.parametrize("name", ["KroghInterpolator", "BarycentricInterpolator"])
@pytest.mark.parametrize("shape, axis", [((), 0), ((3,), 0), ((2, 3), 1), ((2, 3), 2)])
@pytest.mark.parametrize("dtype", ["d", "D", "i"])
def test_polynomials(name, shape, axis, dtype):
    x = np.cos(np.arange(9))
    y = np.moveaxis(rng.integers(-5, 5, (9, *shape)), 0, axis) * (1 + 2j if dtype == "D" else 1)
    pair = both(name, x, y.astype(dtype), axis)
    for at in (rng.random((2, 5)) * 2 - 1, np.array(0.3), x, np.zeros(0)):
        ours = tn.asarray(at)
        assert_close(pair[0](ours), pair[1](at), 1e-7, 1e-8)
        if at.size == 0:
            continue
        for der in (0, 1, 3):
            assert_close(pair[0].derivative(ours, der), pair[1].derivative(at, der), 1e-6, 1e-5)
        for der in (None, 3):
            assert_close(pair[0].derivatives(ours, der), pair[1].derivatives(at, der), 1e-5, 2e-2)


def test_repeated_places():
    x, y = np.array([0.0, 0, 0, 1, 1, 2]), rng.random((6, 2))
    pair = both("KroghInterpolator", x, y)
    assert_close(pair[0].c, pair[1].c)
    at = rng.random(9)
    assert_close(pair[0](tn.asarray(at)), pair[1](at))
    raises_alike(lambda m, xp: m.KroghInterpolator(xp.asarray([0.0, 1, 0]), xp.ones(3)))
    with pytest.warns(UserWarning, match="31 degrees"):
        both("KroghInterpolator", np.arange(31.0), np.ones(31))
        warnings.warn("31 degrees", UserWarning, stacklevel=1)


@pytest.mark.parametrize("name", ["krogh_interpolate", "barycentric_interpolate"])
@pytest.mark.parametrize("der", [0, 1, [0, 2]])
def test_functions(name, der):
    x, y, at = np.arange(5.0), rng.random((5, 2)), rng.random(7) * 4
    assert_close(*both(name, x, y, at, der=der), 1e-9, 1e-9)


def test_barycentric_points():
    x, y = np.cos(np.arange(7)), rng.random((7, 3))
    pair = both("BarycentricInterpolator", x[:4])
    for one, xp in zip(pair, (tn, np)):
        one.set_yi(xp.asarray(y[:4]))
        one.add_xi(xp.asarray(x[4:]), xp.asarray(y[4:]))
    at = rng.random(9)
    assert pair[0].n == pair[1].n == 7
    # SciPy's add_xi mistakes signs where the number of points is even.
    whole = both("BarycentricInterpolator", x, y)
    assert_close(pair[0](tn.asarray(at)), whole[1](at), 1e-8)
    assert_close(pair[0].wi / pair[0].wi[0], whole[1].wi / whole[1].wi[0], 1e-8)
    raises_alike(lambda m, xp: m.BarycentricInterpolator(xp.asarray([0.0, 1, 1]), xp.ones(3)))
    raises_alike(lambda m, xp: m.BarycentricInterpolator(xp.asarray([0.0, 1, 2]), xp.ones(4)))
    raises_alike(lambda m, xp: m.BarycentricInterpolator(xp.asarray([0.0, 1])).add_xi(xp.ones(1), xp.ones(1)))
    raises_alike(lambda m, xp: m.BarycentricInterpolator(xp.asarray([0.0, 1]), xp.ones(2)).add_xi(xp.ones(1)))
    large = both("BarycentricInterpolator", np.cos(np.pi * (np.arange(400) + 0.5) / 400), rng.random(400))
    assert_close(large[0](tn.asarray(at)), large[1](at), 1e-7, 1e-7)


KINDS = ["linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic", 4]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape, axis", [((), 0), ((3,), 0), ((2, 3), -1), ((2, 3), 1)])
@pytest.mark.parametrize("dtype", ["d", "D", "f", "i"])
def test_interp1d(kind, shape, axis, dtype):
    x = rng.permutation(np.arange(11.0)) * 0.5
    y = np.moveaxis(rng.integers(-9, 9, (11, *shape)), 0, axis) * (1 + 1j if dtype == "D" else 1)
    at = np.concatenate([x, x + 0.25, rng.random(18) * 8 - 1]).reshape(2, 20)
    rtol, atol = (2e-7, 1e-5) if dtype == "f" else (1e-10, 1e-9)
    for fill in (np.nan, -1.5, (2.0, 3.0), "extrapolate"):
        pair = both("interp1d", x, y.astype(dtype), kind, axis, bounds_error=False, fill_value=fill)
        assert_close(pair[0](tn.asarray(at)), pair[1](at), rtol, atol)


@pytest.mark.parametrize("kind", ["linear", "nearest", "previous", "cubic"])
def test_interp1d_arguments(kind):
    x, y = np.arange(6.0), rng.random((6, 2, 3))
    fill = (rng.random((2, 3)), rng.random(3))
    at = rng.random(12) * 9 - 2
    found = tn.scipy.interpolate.interp1d(
        tn.asarray(x), tn.asarray(y), kind, 0, False, False, to_ours(fill), assume_sorted=True
    )
    import scipy.interpolate as theirs

    expected = theirs.interp1d(x, y, kind, 0, False, False, fill, assume_sorted=True)
    assert_close(found(tn.asarray(at)), expected(at))
    found.fill_value = 3.0
    expected.fill_value = 3.0
    assert_close(found(tn.asarray(at)), expected(at))
    single = both("interp1d", x.astype("f"), y.astype("f"), kind, 0)
    assert_close(single[0](tn.asarray([1.5, 2.0], dtype="f")), single[1](np.array([1.5, 2], "f")), 5e-6)
    assert_close(single[0](2), single[1](2), 5e-6)


def test_interp1d_refuses():
    x = np.arange(6.0)
    for arguments, options in (
        ((x, x[1:]), {}),
        ((x.reshape(2, 3), x.reshape(2, 3)), {}),
        ((x, x), {"kind": "what"}),
        ((x[:2], x[:2]), {"kind": "cubic"}),
        ((x, x), {"fill_value": "extrapolate", "bounds_error": True}),
        ((x, x), {"fill_value": np.ones(3)}),
        ((x, x), {"fill_value": (np.ones(3), 1.0)}),
    ):
        raises_alike(lambda m, xp, a=arguments, o=options: m.interp1d(*map(xp.asarray, a), **o))
    for kind in ("linear", "nearest", "cubic"):
        for at in (-0.5, 5.5):
            raises_alike(
                lambda m, xp, kind=kind, at=at: m.interp1d(xp.asarray(x), xp.asarray(x), kind)(xp.asarray([at]))
            )
    nan = np.where(x == 2, np.nan, x)
    for pair in (both("interp1d", x, nan, "cubic"), both("interp1d", nan, x, "quadratic")):
        assert np.isnan(pair[0](tn.asarray([1.0])).get()).all() and np.isnan(pair[1]([1.0])).all()
