"""tenorite.scipy.special beside values of SciPy 1.17 (special_values.json) and formulas."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import tenorite as tn
from oracle import assert_same
from tenorite.scipy import special
from tenorite.scipy.special._table import TABLE

LINES = [line for lines in TABLE.values() for line in lines]

VALUES = json.loads((Path(__file__).parent / "special_values.json").read_text())
# SciPy has dropped them.
VALUES["btdtr"], VALUES["btdtri"] = VALUES["betainc"], VALUES["betaincinv"]


def test_all_have_values():
    assert {line[0] for line in LINES} == VALUES.keys()
    assert all(hasattr(special, name) for name in special.__all__) and special.psi is special.digamma


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    *inputs, expected = (np.array(column) for column in VALUES[name])
    found = getattr(special, name)(*map(tn.asarray, inputs))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found.get(), expected, rtol=1e-11, atol=1e-14)


def test_single_precision():
    for name in ("erf", "gammaln", "digamma", "xlogy"):
        *inputs, expected = (np.array(column) for column in VALUES[name])
        found = getattr(special, name)(*(tn.asarray(one, "f4") for one in inputs))
        assert found.dtype == np.float32
        np.testing.assert_allclose(found.get(), expected, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("erf", "f8 f8 f8 f8 f8 f8 f4"),
        ("log1p", "f8 f8 f8 f8 f8 f8 f4"),
        ("ndtri", "f4 f4 f4 f8 f8 f4 f4"),
        ("expn", "f8 f8 f8 f8 f8 f4 f4"),
        ("bdtr", "f4 f4 f4 f8 f8 f4 f4"),
    ],
)
def test_dtypes(name, expected):
    """What SciPy 1.17 and CuPy 14 return for bool, integers, and float16 and float32."""
    function = getattr(special, name)
    for dtype, one in zip("? i1 u2 i4 u8 f2 f4".split(), expected.split(), strict=True):
        inputs = [tn.ones(3, dtype)] * {"expn": 2, "bdtr": 3}.get(name, 1)
        assert function(*inputs).dtype == one, dtype
    assert special.expn(2, tn.ones(3, "f4")).dtype == np.float64
    assert special.expn(2.0, tn.ones(3, "f4")).dtype == np.float32


def test_arguments():
    a = tn.asarray([[0.5, 1.0, 2.0]], "f4")
    assert special.xlogy(a, 2.0).dtype == np.float32 and special.xlogy(2.0, 3.0).shape == ()
    assert special.xlogy(a, tn.ones((4, 1))).shape == (4, 3) and special.erf(a[:, ::2]).shape == (1, 2)
    assert special.erf(tn.zeros((0, 3))).shape == (0, 3) and special.erf(a, dtype="f8").dtype == np.float64
    out = tn.empty((1, 3), "f8")
    assert special.erf(a, out) is out and special.erf(a, out=out[:, ::-1]) is not None
    with pytest.raises(TypeError, match="erf"):
        special.erf([1.0])
    with pytest.raises(TypeError, match="complex"):
        special.erf(tn.ones(2, "c8"))
    with pytest.raises(TypeError, match="ndarray"):
        special.erf(a, np.ones((1, 3)))


def test_edges():
    inf, nan = np.inf, np.nan
    for name, points, expected in (
        ("erf", [inf, -inf, nan], [1, -1, nan]),
        ("gamma", [0, -1, inf, 171.7], [inf, nan, inf, inf]),
        ("erfinv", [1, -1, 2, 0], [inf, -inf, nan, 0]),
        ("erfcinv", [0, 2, 3, 1], [inf, -inf, nan, 0]),
        ("ndtri", [0, 1, 0.5, -1], [-inf, inf, 0, nan]),
        ("digamma", [0, -1, inf], [-inf, nan, inf]),
        ("rgamma", [0, -3, 200], [0, 0, 0]),
        ("logit", [0, 1], [-inf, inf]),
        ("expit", [-1000, 1000], [0, 1]),
        ("y0", [0, -1], [-inf, nan]),
        ("k0", [0, -1], [inf, nan]),
        ("entr", [0, -1], [0, -inf]),
        ("exp1", [0, inf], [inf, 0]),
        ("expi", [0, -inf], [-inf, 0]),
        ("exprel", [0, 1000], [1, inf]),
    ):
        found = getattr(special, name)(tn.asarray(points, "f8")).get()
        np.testing.assert_allclose(found, expected, atol=1e-15, err_msg=name)
    assert special.xlogy(tn.zeros(1), tn.zeros(1)).item() == 0
    assert np.isnan(special.xlogy(tn.zeros(1), tn.array([nan])).item())


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 1)])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_sums(axis, dtype):
    x = (np.random.default_rng(1).standard_normal((3, 4)) * 3).astype(dtype)
    a, tight = tn.asarray(x), {"rtol": 1e-5 if dtype == "f4" else 1e-13}
    total = np.exp(x).sum(axis=axis, keepdims=True)
    for keepdims in (False, True):
        expected = np.log(np.exp(x).sum(axis=axis, keepdims=keepdims))
        tn.testing.assert_allclose(special.logsumexp(a, axis=axis, keepdims=keepdims), expected, **tight)
    tn.testing.assert_allclose(special.softmax(a, axis=axis), np.exp(x) / total, **tight)
    tn.testing.assert_allclose(special.log_softmax(a, axis=axis), x - np.log(total), rtol=1e-4, atol=1e-5)
    assert special.softmax(a, axis=axis).dtype == dtype
    b = np.array([1, -1, 0, 2], dtype)
    weighted = (b * np.exp(x)).sum(axis=axis)
    found, sign = special.logsumexp(a, axis, tn.asarray(b), return_sign=True)
    tn.testing.assert_allclose(found, np.log(abs(weighted)), rtol=1e-4, atol=1e-5)
    tn.testing.assert_array_equal(sign, np.sign(weighted))


def test_sums_of_large_numbers():
    a = tn.array([1000.0, 1000.0])
    tn.testing.assert_allclose(special.logsumexp(a), 1000 + np.log(2))
    assert special.logsumexp(tn.array([-np.inf, -np.inf])).item() == -np.inf
    assert special.logsumexp(tn.array([np.inf, 1.0])).item() == np.inf
    tn.testing.assert_allclose(special.softmax(a), [0.5, 0.5])
    tn.testing.assert_allclose(special.log_softmax(tn.array([1000.0, 0.0])), [0, -1000])
    assert special.logsumexp(tn.arange(3)).dtype == np.float64


@pytest.mark.parametrize("keepdims", [False, True])
def test_logsumexp_of_no_elements(keepdims):
    for dtype in ("f4", "f8", "i4", "D"):
        empty = tn.zeros((0, 3), dtype)
        found = special.logsumexp(empty, axis=0, keepdims=keepdims)
        assert found.shape == ((1, 3) if keepdims else (3,)) and (found.real == -np.inf).all()
        assert special.logsumexp(empty).item().real == -np.inf
        assert special.logsumexp(empty, axis=1).shape == (0,)
    found, sign = special.logsumexp(tn.zeros((0, 3)), axis=0, b=tn.ones(3), return_sign=True)
    assert found.tolist() == [-np.inf] * 3 and sign.tolist() == [0] * 3


def test_multigammaln():
    from math import lgamma, log, pi

    a = np.array([2.5, 4.0, 9.0])
    expected = [sum(lgamma(x - k / 2) for k in range(3)) + 1.5 * log(pi) for x in a]
    tn.testing.assert_allclose(special.multigammaln(tn.asarray(a), 3), expected, rtol=1e-13)
    with pytest.raises(ValueError, match="positive integer"):
        special.multigammaln(tn.asarray(a), 1.5)
    with pytest.raises(ValueError, match="not met"):
        special.multigammaln(tn.asarray(a), 10)


def test_shared_functions():
    x = np.array([0.5, 1.5, 2.0])
    for name, function in (
        ("cbrt", np.cbrt),
        ("exp2", np.exp2),
        ("expm1", np.expm1),
        ("log1p", np.log1p),
        ("round", np.rint),
    ):
        assert_same(getattr(special, name)(tn.asarray(x)), function(x), ulp=4)


# Extremes and poles, of mpmath; more of them are in special_grid.json.
@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("betainc", (3.0, 1e15, 3e-15), 0.5768099188731581),
        ("fdtrc", (5.0, 1e15, 1.3), 0.2605584559107469),
        ("betainc", (2.0, 1e12, 1e-12), 0.2642411176574832),
        ("betainc", (7.0, 5.0, 0.3), 0.021619151099999994),
        ("betainc", (2.5, 7.0, 0.31), 0.6648803637170526),
        ("betainc", (1000.0, 0.5, 0.9995), 0.31731049273220746),
        ("betainc", (0.5, 0.5, 0.2), 0.2951672353008666),
        ("betainc", (0.5, 0.5, 0.9), 0.7951672353008665),
        ("betainc", (1.0, 3.5, 0.2), 0.542053278208043),
        ("betainc", (7.0, 1.0, 0.9), 0.4782969000000001),
        ("betainc", (3000.0, 4000.0, 0.42), 0.0734641775456495),
        ("betainc", (3.3, 9.1, 0.02), 0.0005268518970036622),
        ("betaincinv", (2.0, 1e12, 0.2642411176574832), 1e-12),
        ("lpmv", (0.0, 1e6, 0.5), -0.000606261054516277),
        ("shichi", (710.0,), [1.5754578441031007e305] * 2),
        ("rgamma", (-196.97,), -np.inf),
        ("bdtr", (8.0, 1536.0, 0.38823432801258195), 3.13372710590608e-309),
        ("bdtr", (8.0, 763.0, 0.6202129745112327), 2.1608634284617803e-301),
        ("lpmv", (12.0, 33.98895998547183, -0.9952740361273387), 3.2322354843271851e21),
    ],
)
def test_extremes(name, inputs, expected):
    found = getattr(special, name)(*map(tn.asarray, inputs))
    found = [one.item() for one in found] if isinstance(found, (tuple, list)) else found.item()
    np.testing.assert_allclose(found, expected, rtol=1e-11)


@pytest.mark.parametrize("count", [1, 7, 1000, 100_003])
def test_lambertw_is_the_same_everywhere(count):
    """Where an iteration began far off, rounding decided which branch it found."""
    for z in (-1, -0.9, -1.0000001, -0.37, 1.7e308):
        found = special.lambertw(tn.full(count, z, "D"))
        expected = special.lambertw(tn.full(1, z, "D")).item()
        np.testing.assert_allclose(found.get(), expected, rtol=1e-15)
        if z > -100 and z < 100:
            assert abs(expected * np.exp(expected) - z) < 1e-15 and abs(expected.imag) < np.pi


# SciPy's values outside the domain, at poles and where a loop would see no end.
@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("bdtr", (0.2, -1.2, 0.7), np.nan),
        ("bdtr", (6.0, 3.0, 0.6), np.nan),
        ("bdtr", (3.0, 5.0, 0.4), 0.91296),
        ("bdtr", (3.0, 3.0, 0.4), 1.0),
        ("bdtr", (3.0, 5.0, 1.4), np.nan),
        ("bdtrc", (-1.0, 5.0, 0.4), 1.0),
        ("bdtrc", (5.0, 5.0, 0.4), 0.0),
        ("bdtrc", (6.0, 5.0, 0.4), np.nan),
        ("bdtrc", (3.0, 5.0, 0.4), 0.08704),
        ("nbdtr", (-1.0, 3.0, 0.5), np.nan),
        ("nbdtrc", (2.0, 0.5, 0.5), np.nan),
        ("nbdtri", (0.85, 0.009, 0.33), np.nan),
        ("gdtr", (-1.0, 2.0, -3.0), np.nan),
        ("gdtrc", (-1.0, 2.0, -3.0), np.nan),
        ("fdtr", (-1.0, -2.0, 3.0), np.nan),
        ("fdtrc", (-1.0, -2.0, 3.0), np.nan),
        ("pdtri", (2.0, 1.0), np.nan),
        ("binom", (0.0, 5.0), 0.0),
        ("binom", (2.0, 17.0), 0.0),
        ("betaln", (-7.0, 4.0), -4.941642422609304),
        ("betaln", (-12.0, -19.0), np.inf),
        ("beta", (-7.0, 3.0), -0.009523809523809523),
        ("beta", (4.0, -7.0), 0.007142857142857143),
        ("cotdg", (1e15,), 0.0),
        ("sindg", (1e15,), 0.0),
        ("tandg", (-1e15,), 0.0),
        ("cosdg", (1e15,), 0.0),
        ("gammainc", (1e15, 1e15), 0.5),
        ("gammaincc", (1e17, 2e17), 0.0),
        ("gammainc", (2e7, 20004472.135955), 0.841344748084583),
        ("gammaincinv", (1e8, 0.1), 99987184.69848843),
        ("gammaincinv", (1e15, 0.99), 1000000073565580.6),
        ("betainc", (0.5, np.inf, 0.5), 1.0),
        ("yn", (1e15, 1e15), np.nan),
        ("lpmv", (0.0, 1e17, 0.5), np.nan),
    ],
)
def test_outside(name, inputs, expected):
    found = getattr(special, name)(*map(tn.asarray, inputs)).item()
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-200)


def test_zetac_below_one():
    x = np.array([0.0, -1, -2, 0.5, 1e300, np.inf, 1, -1.5])
    expected = [-1.5, -13 / 12, -1, -2.4603545088, 0, 0, np.inf, -1.0254852019]
    tn.testing.assert_allclose(special.zetac(tn.asarray(x)), expected, rtol=1e-9)


# --- Hostile arguments, beside SciPy ---

HOSTILE = {
    1: [
        0.0,
        -0.0,
        1,
        -1,
        2,
        -2,
        0.5,
        -0.5,
        -1.5,
        1e-3,
        1e-20,
        5,
        -10,
        30.5,
        -30.5,
        171,
        172,
        -171.5,
        1e6,
        1e100,
        1e300,
        -1e10,
        90,
        180,
        -180,
        45,
        np.nan,
        np.inf,
        -np.inf,
    ],
    2: [0.0, 1, -1, 2, -2, 0.5, -0.5, -1.5, 1e-3, 3, 10.5, 50, -10, 200, 1e6, 1e10, 1e300, np.nan, np.inf, -np.inf],
    3: [0.0, 1, -1, 2, 0.5, -0.5, 0.999, 3, 10, 7.5, 100, 1e6, np.nan, np.inf, -np.inf],
}
# Where SciPy is not the measure: its own digits are fewer, or its loops are as long as an order.
LEFT_OUT = {
    "j0": lambda x: abs(x) > 1e9,
    "j1": lambda x: abs(x) > 1e9,
    "y0": lambda x: x > 1e9,
    "y1": lambda x: x > 1e9,
    "yn": lambda n, x: (abs(n) > 1e5) | (x > 1e9),
    "lpmv": lambda m, v, x: ~(abs(x) <= 1) | ~(abs(v) < 200) | ~(abs(m) < 200) | (v != np.floor(v)) | (abs(x) == 1),
    "wright_bessel": lambda a, b, x: x == 1e6,
    "beta": lambda a, b: (a >= 1e300) & (b >= 1e300),
    "pseudo_huber": lambda d, r: (d >= 1e300) | (abs(r) == 1e300),
    "binom": lambda n, k: k >= 1e10,
    "gammaincinv": lambda a, y: a == 0,
    "cotdg": lambda x: abs(x) < 1e-6,
    "betaincinv": lambda a, b, y: np.isinf(a) | np.isinf(b),
    "nbdtr": lambda k, n, p: (k == 1e6) | (n == 1e6),
}
LEFT_OUT |= {
    "betaln": LEFT_OUT["beta"],
    "btdtri": LEFT_OUT["betaincinv"],
    "nbdtrc": LEFT_OUT["nbdtr"],
    "gammainccinv": LEFT_OUT["gammaincinv"],
}
LEFT_OUT |= {"chdtri": LEFT_OUT["gammaincinv"]}


@pytest.mark.parametrize("name", [line[0] for line in LINES])
def test_hostile_arguments(name):
    scipy_special = pytest.importorskip("scipy.special")
    theirs = getattr(scipy_special, name, None)
    if theirs is None:
        pytest.skip("SciPy has dropped it")
    count = next(len(line[1].split()) for line in LINES if line[0] == name)
    values = np.array(HOSTILE[count], float)
    points = np.stack([axis.ravel() for axis in np.meshgrid(*[values] * count, indexing="ij")])
    if points.shape[1] > 500:
        points = points[:, np.random.default_rng(24).choice(points.shape[1], 500, replace=False)]
    if name in LEFT_OUT:
        points = points[:, ~LEFT_OUT[name](*points)]
    found = getattr(special, name)(*map(tn.asarray, points)).get()
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = theirs(*points)
    wrong = ~np.isclose(found, expected, rtol=1e-6, atol=1e-14, equal_nan=True)
    assert not wrong.any(), list(zip(points[:, wrong].T.tolist(), found[wrong], expected[wrong], strict=True))[:5]


@pytest.mark.parametrize("name", ["bdtr", "bdtrc", "bdtri", "nbdtr", "nbdtrc", "nbdtri", "pdtri", "expn", "yn"])
def test_counts(name):
    """Counts of any integer dtype, beyond 32 bits too, and as floats with a fraction."""
    theirs = getattr(pytest.importorskip("scipy.special"), name)
    random = np.random.default_rng(25)
    whole = random.integers(-9, 40, (2, 300))
    *first, last = {1: [whole[0]], 2: list(whole)}[theirs.nin - 1] + [random.random(300)]
    past = [one + random.choice([-(2**32), 2**32, 3 * 2**40], 300) for one in first]
    exact = lambda inputs: [one.astype(float) + 0.25 * (one % 3 == 0) for one in inputs]
    first, past = ([exact(one[:1])[0], *one[1:]] if name.startswith("bdtr") else one for one in (first, past))
    given = [first, exact(first)] + [[one.astype(dtype) for one in first] for dtype in ("i1", "i4")]
    for inputs in given if name == "yn" else [*given, past]:
        found = getattr(special, name)(*map(tn.asarray, [*inputs, last]))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = theirs(*inputs, last)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected, rtol=1e-9, atol=1e-13)
    if name == "nbdtr":
        assert special.nbdtr(2**32 + 3, 4, 0.3) == special.nbdtr(3, 4, 0.3)


@pytest.mark.parametrize("name", ["digamma", "exp1", "expi", "gamma", "loggamma", "rgamma", "xlogy", "xlog1py"])
def test_complex_arguments(name):
    scipy_special = pytest.importorskip("scipy.special")
    ours, theirs = getattr(special, name), getattr(scipy_special, name)
    parts = [0.0, 1, -1, 0.5, -2.5, 3, -20, 50, 1e6, np.nan]
    z = np.array([complex(x, y) for x in parts for y in parts])
    inputs = (z,) if theirs.nin == 1 else tuple(a.ravel() for a in np.meshgrid(z, z))
    with np.errstate(all="ignore"):
        expected = theirs(*inputs)
    found = ours(*map(tn.asarray, inputs))
    assert found.dtype == np.complex128
    np.testing.assert_allclose(found.get(), expected, rtol=1e-12, atol=1e-14)
    assert ours(*(tn.asarray(one, "F") for one in inputs)).dtype == np.complex64
    assert ours(*[1j] * theirs.nin).dtype == np.complex128


def test_gammaincc_of_small_numbers():
    scipy_special = pytest.importorskip("scipy.special")
    a, x = (one.ravel() for one in np.meshgrid(np.logspace(-8, 0.3, 20), np.logspace(-8, 0.3, 20)))
    np.testing.assert_allclose(
        special.gammaincc(tn.asarray(a), tn.asarray(x)).get(), scipy_special.gammaincc(a, x), rtol=1e-13
    )
    x = tn.asarray(np.logspace(-5, 10, 60))
    np.testing.assert_allclose(special.gammainccinv(x, special.gammaincc(x, x)).get(), x.get(), rtol=2e-14)
