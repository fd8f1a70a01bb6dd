"""Distributions of tenorite.scipy.stats against SciPy's."""

import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import to_host
from tenorite.scipy import stats

scipy_stats = pytest.importorskip("scipy.stats")

CONTINUOUS = {
    "norm": [()],
    "uniform": [()],
    "expon": [()],
    "gamma": [(0.4,), (1.0,), (23.0,)],
    "beta": [(2.1, 0.7), (1.0, 1.0), (30.0, 4.0)],
    "t": [(1.0,), (4.5,), (1e10,)],
    "chi2": [(1.0,), (3.3,), (60.0,)],
    "f": [(4.0, 11.0), (1.0, 2.0)],
    "lognorm": [(0.6,), (2.0,)],
}
DISCRETE = {"poisson": [(0.0,), (0.3,), (4.2,), (300.0,)], "binom": [(0.0, 0.5), (20.0, 0.3), (1000.0, 0.01)]}
EVERY = [(name, shapes) for table in (CONTINUOUS, DISCRETE) for name, several in table.items() for shapes in several]
PLACES = np.concatenate([np.linspace(-3, 8, 67), [0, 1, 100, np.nan, np.inf, -np.inf]])
SHARES = np.array([0, 1e-6, 1e-3, 0.1, 0.25, 0.499, 0.5, 0.6, 0.9, 0.999, 1 - 1e-9, 1, -0.1, 1.1, np.nan])


def compare(name, method, places, shapes, **where):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = getattr(getattr(scipy_stats, name), method)(places, *shapes, **where)
    found = getattr(getattr(stats, name), method)(tn.asarray(places), *shapes, **where)
    assert found.dtype == np.float64 and found.shape == np.shape(wanted)
    # Of log(cdf) near 0 SciPy has the error of 1 - sf.
    least = 1e-14 if method.startswith("log") else 1e-290
    np.testing.assert_allclose(to_host(found), wanted, rtol=2e-9, atol=least, err_msg=f"{name}.{method}{shapes}")


@pytest.mark.parametrize("name, shapes", EVERY)
def test_functions(name, shapes):
    discrete = name in DISCRETE
    where = {"loc": 2.0} if discrete else {"loc": 0.3, "scale": 1.7}
    for method in (*(("pmf", "logpmf") if discrete else ("pdf", "logpdf")), "cdf", "sf", "logcdf", "logsf"):
        compare(name, method, np.floor(PLACES) if discrete else PLACES, shapes, **where)
    compare(name, "ppf", SHARES, shapes, **where)
    compare(name, "isf", SHARES, shapes, **where)
    if shapes[:1] == (0.0,):
        return  # nothing varies: no skewness
    moments = [getattr(one, name).stats(*shapes, moments="mvsk", **where) for one in (stats, scipy_stats)]
    np.testing.assert_allclose(*([float(one) for one in several] for several in moments), rtol=1e-9)


@pytest.mark.parametrize("name, shapes", EVERY)
def test_random_variates(name, shapes):
    family = getattr(stats, name)
    drawn = family.rvs(*shapes, size=(40, 500), random_state=3)
    assert drawn.shape == (40, 500) and drawn.dtype == (np.int64 if name in DISCRETE else np.float64)
    if name in DISCRETE:
        share = float((drawn <= family.median(*shapes)).mean())
        assert abs(share - float(family.cdf(family.median(*shapes), *shapes))) < 0.02
    else:
        assert stats.ks_1samp(drawn, family.cdf, shapes, axis=None).pvalue > 1e-4


def test_frozen_and_summaries():
    frozen, wanted = stats.gamma(2.5, loc=1, scale=3), scipy_stats.gamma(2.5, loc=1, scale=3)
    for method in ("mean", "var", "std", "median", "entropy"):
        np.testing.assert_allclose(float(getattr(frozen, method)()), getattr(wanted, method)(), rtol=1e-12)
    np.testing.assert_allclose([float(one) for one in frozen.interval(0.8)], wanted.interval(0.8))
    np.testing.assert_allclose([float(one) for one in frozen.support()], wanted.support())
    np.testing.assert_allclose(to_host(frozen.pdf(tn.arange(5.0))), wanted.pdf(np.arange(5.0)))
    assert frozen.rvs(3, random_state=1).shape == (3,) and frozen.rvs().shape == ()
    for name, shapes in EVERY:
        try:
            found = float(getattr(stats, name).entropy(*shapes))
        except NotImplementedError:
            assert name in ("f", *DISCRETE)
        else:
            np.testing.assert_allclose(found, getattr(scipy_stats, name).entropy(*shapes), rtol=1e-5)


def test_shapes_broadcast_and_are_checked():
    found = stats.gamma.cdf(tn.asarray([[1.0], [2.0]]), tn.asarray([1.0, -1.0, 3.0]), scale=2)
    wanted = scipy_stats.gamma.cdf([[1.0], [2.0]], [1.0, -1.0, 3.0], scale=2)
    np.testing.assert_allclose(to_host(found), wanted)
    assert np.isnan(float(stats.norm.pdf(0.0, scale=-1)))
    for call in (lambda: stats.gamma.pdf(1.0), lambda: stats.norm.pdf(1.0, 2, 3, 4), lambda: stats.norm.pdf(1.0, df=2)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="Domain error"):
        stats.norm.rvs(scale=-1)
    with pytest.raises(TypeError, match="complex"):
        stats.norm.pdf(tn.asarray(1j))
    assert stats.binom.pmf(tn.zeros((0, 2)), 3, 0.5).shape == (0, 2)


@pytest.mark.parametrize("name", ("norm", "uniform", "expon"))
@pytest.mark.parametrize("fixed", ({}, {"floc": 0.0}, {"fscale": 9.0}))
def test_fit(name, fixed):
    data = np.random.default_rng(1).uniform(0.5, 4, 200)
    wanted = getattr(scipy_stats, name).fit(data, **fixed)
    np.testing.assert_allclose(getattr(stats, name).fit(tn.asarray(data), **fixed), wanted)
    with pytest.raises(ValueError, match="fixed"):
        getattr(stats, name).fit(tn.asarray(data), floc=0, fscale=1)


def test_fit_without_a_formula():
    data = tn.asarray([1.0, 2.0, 5.0])
    np.testing.assert_allclose(stats.lognorm.fit(data, floc=0), scipy_stats.lognorm.fit(data.get(), floc=0))
    for family in (stats.lognorm, stats.gamma, stats.t):
        with pytest.raises(NotImplementedError):
            family.fit(data)


def test_multivariate_normal():
    rng = np.random.default_rng(5)
    root = rng.normal(size=(3, 3))
    mean, cov, x = rng.normal(size=3), root @ root.T, rng.normal(size=(4, 5, 3))
    for ours, theirs in ((stats.multivariate_normal, scipy_stats.multivariate_normal),):
        for method in ("pdf", "logpdf"):
            found = getattr(ours, method)(tn.asarray(x), tn.asarray(mean), tn.asarray(cov))
            np.testing.assert_allclose(to_host(found), getattr(theirs, method)(x, mean, cov), rtol=1e-9)
        np.testing.assert_allclose(ours.entropy(mean, cov), theirs.entropy(mean, cov))
        np.testing.assert_allclose(float(ours.pdf(0.5)), theirs.pdf(0.5))
        np.testing.assert_allclose(float(ours.cdf(0.5, 0.1, 2.0)), theirs.cdf(0.5, 0.1, 2.0))
        frozen = ours(tn.asarray(mean), tn.asarray(cov), seed=1)
        drawn = frozen.rvs(50_000)
        np.testing.assert_allclose(to_host(tn.cov(drawn.T)), cov, rtol=0.1, atol=0.1)
    flat = np.diag([1.0, 0.0])
    with pytest.raises(np.linalg.LinAlgError):
        stats.multivariate_normal.pdf(tn.zeros(2), cov=tn.asarray(flat))
    found = stats.multivariate_normal.logpdf(tn.asarray([[0.5, 0], [0, 0.5]]), cov=flat, allow_singular=True)
    np.testing.assert_allclose(
        to_host(found), scipy_stats.multivariate_normal.logpdf([[0.5, 0], [0, 0.5]], cov=flat, allow_singular=True)
    )
    with pytest.raises(ValueError, match="Dimension mismatch"):
        stats.multivariate_normal.pdf(tn.zeros(3), tn.zeros(3), tn.eye(2))
    with pytest.raises(NotImplementedError):
        stats.multivariate_normal.cdf(tn.zeros(2), cov=tn.eye(2))


@pytest.mark.parametrize("d", (1, 2))
@pytest.mark.parametrize("bandwidth", (None, "silverman", 0.3))
@pytest.mark.parametrize("weighted", (False, True))
def test_gaussian_kde(d, bandwidth, weighted):
    rng = np.random.default_rng(2)
    data, points = rng.normal(size=(d, 80)), rng.normal(size=(d, 33))
    weights = rng.uniform(1, 2, 80) if weighted else None
    ours = stats.gaussian_kde(tn.asarray(data), bandwidth, None if weights is None else tn.asarray(weights))
    theirs = scipy_stats.gaussian_kde(data, bandwidth, weights)
    for found, wanted in (
        (ours(tn.asarray(points)), theirs(points)),
        (ours.logpdf(tn.asarray(points)), theirs.logpdf(points)),
        (ours.covariance, theirs.covariance),
        (ours.inv_cov, theirs.inv_cov),
        (ours.evaluate(tn.asarray(points)), theirs.evaluate(points)),
        (ours.scotts_factor(), theirs.scotts_factor()),
        (ours.silverman_factor(), theirs.silverman_factor()),
        (ours.factor, theirs.factor),
        (ours.neff, theirs.neff),
    ):
        np.testing.assert_allclose(to_host(found), wanted, rtol=1e-9)
    if d == 1:
        np.testing.assert_allclose(ours.integrate_box_1d(-1, 0.5), theirs.integrate_box_1d(-1, 0.5))
    assert ours.resample(7, seed=1).shape == (d, 7)
    ours.set_bandwidth(lambda kde: kde.d + 0.5)
    assert ours.factor == d + 0.5
    with pytest.raises(ValueError, match="dimension"):
        ours(tn.zeros((d + 2, 4)))


def test_gaussian_kde_refuses():
    for data, options, text in (
        ([1.0], {}, "multiple elements"),
        ([[1.0, 2.0]] * 3, {}, "greater than number of samples"),
        ([1.0, 2.0], {"weights": [1.0]}, "length n"),
        ([1.0, 2.0], {"bw_method": "wide"}, "should be 'scott'"),
    ):
        with pytest.raises(ValueError, match=text):
            stats.gaussian_kde(tn.asarray(data), **options)
