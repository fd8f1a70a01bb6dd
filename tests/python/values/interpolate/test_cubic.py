"""Cubic polynomials between points, beside SciPy's."""

import numpy as np
import pytest
import tenorite as tn
from interpolation import assert_close, both, raises_alike

pytest.importorskip("scipy.interpolate")
rng = np.random.default_rng(5)
NAMES = ["CubicSpline", "PchipInterpolator", "Akima1DInterpolator", "pchip"]


def points(n, shape=(), dtype="d", axis=0):
    x = np.arange(n) + rng.random(n) * 0.9
    y = rng.integers(-4, 5, (n, *shape)) * (1 + 1j if dtype == "D" else 1)
    return x, np.moveaxis(y, 0, axis).astype(dtype)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n", [2, 3, 4, 5, 30])
@pytest.mark.parametrize("shape, axis", [((), 0), ((3,), 0), ((2, 3), 1), ((2, 3), -1)])
def test_values(name, n, shape, axis):
    x, y = points(n, shape, "dfi"[n % 3], axis)
    pair = both(name, x, y, axis)
    at = rng.random((3, 10)) * (n + 2) - 1
    assert_close(pair[0].c, pair[1].c, 1e-9, 1e-9)
    assert_close(pair[0](tn.asarray(at)), pair[1](at), 1e-9, 1e-9)
    assert_close(pair[0](tn.asarray(at), 1), pair[1](at, 1), 1e-9, 1e-9)
    assert pair[0].axis == pair[1].axis and pair[0].extrapolate == pair[1].extrapolate


CONDITIONS = [
    "natural",
    "clamped",
    "not-a-knot",
    "periodic",
    ("natural", "not-a-knot"),
    ((1, 0.5), "clamped"),
    ((2, -1.0), (1, 2.0)),
    ("not-a-knot", (2, 3.0)),
]


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 200])
@pytest.mark.parametrize("bc_type", CONDITIONS)
@pytest.mark.parametrize("shape", [(), (4,)])
def test_conditions(n, bc_type, shape):
    x, y = points(n, shape)
    if bc_type == "periodic":
        y[-1] = y[0]
    elif shape and not isinstance(bc_type, str):
        bc_type = tuple(one if isinstance(one, str) else (one[0], np.full(shape, one[1])) for one in bc_type)
    pair = both("CubicSpline", x, y, 0, bc_type)
    assert_close(pair[0].c, pair[1].c, 1e-8, 1e-8)
    at = rng.random(50) * (n + 3) - 2
    assert_close(pair[0](tn.asarray(at)), pair[1](at), 1e-8, 1e-7)


def test_complex_values():
    x, y = points(8, (3,), "D")
    assert_close(*(one.c for one in both("CubicSpline", x, y)), 1e-9)
    assert_close(*(one.c for one in both("CubicSpline", x, y.real, bc_type=((1, np.full(3, 1j)), "natural"))), 1e-9)
    assert_close(*(one.c for one in both("CubicHermiteSpline", x, y.real, y)))
    for name in ("PchipInterpolator", "Akima1DInterpolator"):
        raises_alike(lambda m, xp, name=name: getattr(m, name)(xp.asarray(x), xp.asarray(y)))


@pytest.mark.parametrize("method", ["akima", "makima"])
@pytest.mark.parametrize("extrapolate", [None, True, "periodic"])
def test_akima(method, extrapolate):
    x, y = points(12, (2,))
    pair = both("Akima1DInterpolator", x, y, method=method, extrapolate=extrapolate)
    assert_close(pair[0].c, pair[1].c)
    at = rng.random(50) * 16 - 2
    assert_close(pair[0](tn.asarray(at)), pair[1](at))
    for call in (
        lambda one: one.extend(None, None),
        lambda one: one.from_spline(None),
        lambda one: one.from_bernstein_basis(None),
    ):
        with pytest.raises(NotImplementedError):
            call(pair[0])


def test_hermite():
    x, y = points(9, (2, 2))
    pair = both("CubicHermiteSpline", x, y, y[::-1] * 0.5)
    assert_close(pair[0].c, pair[1].c)
    derived = [one.derivative() for one in pair]
    at = rng.random(20) * 9
    assert_close(derived[0](tn.asarray(at)), derived[1](at))
    assert_close(pair[0].integrate(1, 4), pair[1].integrate(1, 4))


@pytest.mark.parametrize("der", [0, 1, [0, 2]])
def test_pchip_interpolate(der):
    x, y = points(9)
    found, expected = both("pchip_interpolate", x, y, np.linspace(1, 7, 9), der)
    for one, two in zip(found, expected) if isinstance(der, list) else [(found, expected)]:
        assert_close(one, two)


def test_refuses():
    x, y = points(6)
    nan, short = np.where(np.arange(6) == 2, np.nan, x), y[1:]
    for arguments in (
        (x[::-1], y),
        (np.zeros(6), y),
        (nan, y),
        (x, nan),
        (x, short),
        (x[:1], y[:1]),
        (x.reshape(2, 3), y),
        (x * 1j, y),
    ):
        for name in ("CubicSpline", "PchipInterpolator", "Akima1DInterpolator"):
            raises_alike(lambda m, xp, name=name, a=arguments: getattr(m, name)(*map(xp.asarray, a)))
    raises_alike(lambda m, xp: m.CubicHermiteSpline(xp.asarray(x), xp.asarray(y), xp.asarray(short)))
    raises_alike(lambda m, xp: m.Akima1DInterpolator(xp.asarray(x), xp.asarray(y), method="a"))
    for bc in (
        "what",
        ("natural",),
        ("periodic", "natural"),
        ((3, 0.0), "natural"),
        ((1, [1.0, 2]), "natural"),
        "periodic",
    ):
        raises_alike(lambda m, xp, bc=bc: m.CubicSpline(xp.asarray(x), xp.arange(6.0), 0, bc))
