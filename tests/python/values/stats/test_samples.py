"""Descriptive statistics, correlations and tests of tenorite.scipy.stats against SciPy's."""

import warnings

import numpy as np
import pytest
import tenorite as tn
from oracle import to_host, to_ours
from tenorite.scipy import stats

scipy_stats = pytest.importorskip("scipy.stats")
RNG = np.random.default_rng(11)
TABLE = RNG.gamma(2, size=(9, 12))


def run(function, arrays, options):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*arrays, **options)


def flat(value):
    """All arrays of a result, tuples within it too."""
    if isinstance(value, tuple):
        return [one for part in value for one in flat(part)]
    return [np.asarray(to_host(value))]


def compare(name, *arrays, rtol=1e-9, **options):
    wanted = flat(run(getattr(scipy_stats, name), arrays, options))
    found = flat(run(getattr(stats, name), [to_ours(one) for one in arrays], options))
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-12, err_msg=f"{name} {options}")


ONE_SAMPLE = {
    "moment": [{}, {"order": 2}, {"order": [1, 2, 3, 4]}, {"order": 3, "center": 0.5}],
    "skew": [{}, {"bias": False}],
    "kurtosis": [{}, {"bias": False}, {"fisher": False}],
    "describe": [{}, {"ddof": 0, "bias": False}],
    "sem": [{}, {"ddof": 0}],
    "iqr": [{}, {"rng": (10, 80)}, {"scale": "normal"}, {"interpolation": "lower"}],
    "mode": [{}],
    "zscore": [{}, {"ddof": 1}],
    "gzscore": [{}],
    "gmean": [{}],
    "hmean": [{}],
    "variation": [{}, {"ddof": 1}],
    "median_abs_deviation": [{}, {"scale": "normal"}],
    "entropy": [{}, {"base": 2}],
    "skewtest": [{}, {"alternative": "less"}],
    "kurtosistest": [{}, {"alternative": "greater"}],
    "normaltest": [{}],
    "jarque_bera": [{}],
    "rankdata": [{}, *({"method": method} for method in ("min", "max", "dense", "ordinal"))],
}
CASES = [(name, options) for name, several in ONE_SAMPLE.items() for options in several]


@pytest.mark.parametrize("name, options", CASES)
@pytest.mark.parametrize("axis", (0, 1, -1, None))
def test_one_sample(name, options, axis):
    compare(name, TABLE, axis=axis, **options)
    compare(name, np.round(TABLE), axis=axis, **options)  # equal elements
    compare(name, TABLE.T[::-1], axis=axis, **options)


@pytest.mark.parametrize("name, options", CASES)
def test_nan(name, options):
    some = TABLE.copy()
    some[2, 3] = some[5, 3] = some[0, 0] = np.nan
    for policy in ("propagate", "omit"):
        if (name, policy) == ("describe", "omit"):
            continue  # SciPy's count is then a masked array's
        compare(name, some, nan_policy=policy, axis=0, **options)
    with pytest.raises(ValueError, match="contains nan"):
        getattr(stats, name)(tn.asarray(some), nan_policy="raise", **options)
    with pytest.raises(ValueError, match="nan_policy"):
        getattr(stats, name)(tn.asarray(some), nan_policy="drop", **options)


@pytest.mark.parametrize("name", ("skew", "kurtosis", "moment", "sem", "gmean", "variation", "iqr", "mode"))
def test_axes_and_keepdims(name):
    cube = RNG.uniform(size=(3, 4, 5)).round(1) + 0.1
    for axis in ((0, 2), 1, None, (0, 1, 2)):
        compare(name, cube, axis=axis, keepdims=True)
    compare(name, np.ones((4, 3)), axis=0)


def test_dtypes():
    for dtype in ("float32", "int16", "uint8", "bool"):
        a = (TABLE * 3).astype(dtype)
        for name in ("moment", "zscore", "sem", "rankdata", *(["mode", "describe"] if dtype != "bool" else [])):
            compare(name, a, rtol=2e-5)
    with pytest.raises(TypeError, match="numeric"):
        stats.mode(tn.ones(3, bool))
    assert stats.zscore(tn.ones(3, "float32")).dtype == np.float32


def test_scores_and_cuts():
    for options in ({}, {"ddof": 1}, {"axis": 1}, {"axis": None}, {"nan_policy": "omit"}):
        compare("zmap", TABLE[:3, :12], TABLE[3:6, :12], **options)
    for cut in (0, 0.1, 0.3):
        for axis in (0, 1, None):
            compare("trim_mean", TABLE, cut, axis=axis)
    with pytest.raises(ValueError, match="Proportion too big"):
        stats.trim_mean(tn.asarray(TABLE), 0.6)
    for power in (-1.5, 0, 0.5, 2):
        compare("boxcox_llf", power, TABLE)
        compare("boxcox_llf", power, TABLE[0])
    compare("entropy", TABLE, TABLE[::-1].copy(), base=10)
    compare("gmean", TABLE, weights=TABLE[::-1].copy())


@pytest.mark.parametrize("alternative", ("two-sided", "less", "greater"))
def test_two_samples(alternative):
    x, y = TABLE, RNG.normal(1.5, size=(9, 12))
    for axis in (0, 1, None):
        compare("ttest_ind", x, y, axis=axis, alternative=alternative)
        compare("ttest_ind", x, y[:, :11] if axis == 1 else y, axis=axis, equal_var=False, alternative=alternative)
        compare("ttest_rel", x, y, axis=axis, alternative=alternative)
        compare("ttest_1samp", x, 1.3, axis=axis, alternative=alternative)
        compare("mannwhitneyu", x, y, axis=axis, alternative=alternative)
        compare("pearsonr", x, y, axis=axis, alternative=alternative)
    compare("mannwhitneyu", x[0, :5], y[0], alternative=alternative, method="exact")
    compare("mannwhitneyu", x.round(), y.round(), alternative=alternative)
    compare("mannwhitneyu", x, y, use_continuity=False, alternative=alternative, method="asymptotic")
    for one, other in ((x[0], y[0]), (x[0].round(), y[0].round()), (x.ravel(), y.ravel())):
        compare("spearmanr", one, other, alternative=alternative)
        compare("kendalltau", one, other, alternative=alternative)
        compare("linregress", one, other, alternative=alternative)
        compare("ks_2samp", one, other, alternative=alternative)
    compare("spearmanr", x, alternative=alternative)
    compare("spearmanr", x, y, axis=1, alternative=alternative)
    compare("kendalltau", x.ravel(), y.ravel(), variant="c", alternative=alternative)
    compare("kendalltau", x[0], x[0] + 1, alternative=alternative)
    for name, shapes in (("norm", ()), ("gamma", (2.0,))):
        ours = stats.ks_1samp(tn.asarray(x), getattr(stats, name).cdf, shapes, alternative)
        theirs = scipy_stats.ks_1samp(x, getattr(scipy_stats, name).cdf, shapes, alternative)
        np.testing.assert_allclose(to_host(tuple(ours)), theirs[:], rtol=1e-9)
    found = stats.ttest_ind(tn.asarray(x), tn.asarray(y), alternative=alternative).confidence_interval(0.9)
    wanted = scipy_stats.ttest_ind(x, y, alternative=alternative).confidence_interval(0.9)
    np.testing.assert_allclose(to_host(tuple(found)), tuple(wanted), rtol=1e-9)
    found = stats.pearsonr(tn.asarray(x[0]), tn.asarray(y[0]), alternative=alternative).confidence_interval()
    wanted = scipy_stats.pearsonr(x[0], y[0], alternative=alternative).confidence_interval()
    np.testing.assert_allclose(to_host(tuple(found)), tuple(wanted), rtol=1e-9)


def test_two_samples_with_nan():
    x, y = TABLE[0].copy(), TABLE[1].copy()
    x[3], y[5] = np.nan, np.nan
    for name in ("ttest_ind", "ttest_rel", "mannwhitneyu", "kendalltau", "spearmanr"):
        for policy in ("omit", "propagate"):
            compare(name, x, y, nan_policy=policy)
        with pytest.raises(ValueError, match="contains nan"):
            getattr(stats, name)(tn.asarray(x), tn.asarray(y), nan_policy="raise")


SHAPES = (((7,), (7,)), ((7, 3), (7,)), ((7, 3), (7, 1)), ((2, 7, 3), (7, 3)), ((7, 0), (7, 0)), ((0, 3), (0, 3)))


@pytest.mark.parametrize("policy", ("propagate", "omit"))
@pytest.mark.parametrize("axis", (0, -1, (0, 1), None))
@pytest.mark.parametrize("one,other", SHAPES, ids=str)
def test_order_along_axes(one, other, axis, policy):
    """Kendall's tau and Kolmogorov's and Smirnov's tests, of lines with NaN and equal elements."""
    x, y = RNG.random(one).round(1), RNG.random(other).round(1)
    if x.size:
        x.flat[0] = np.nan
    for name, arrays in (("kendalltau", (x, y)), ("ks_2samp", (x, y)), ("kstest", (x, "uniform"))):
        for keepdims in (False, True):
            options = {"axis": axis, "nan_policy": policy, "keepdims": keepdims}
            ours = [to_ours(a) if isinstance(a, np.ndarray) else a for a in arrays]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    wanted = getattr(scipy_stats, name)(*arrays, **options)
            except (ValueError, np.exceptions.AxisError) as error:
                with pytest.raises(type(error)):
                    getattr(stats, name)(*ours, **options)
                continue
            if name == "kendalltau" and axis is None and x.size != y.size:
                continue  # SciPy looks at NaN before it looks at sizes
            found = getattr(stats, name)(*ours, **options)
            rtol = 1e-4 if name == "ks_2samp" else 1e-9  # SciPy's is 1 - 4e-5 where it is 1
            for mine, theirs in zip(found, wanted[:2]):
                np.testing.assert_allclose(to_host(mine), theirs, rtol, strict=True, err_msg=f"{name} {options}")


def test_frequencies():
    observed = RNG.integers(5, 30, (6, 4))
    for axis in (0, 1, None):
        compare("chisquare", observed, axis=axis)
        for power in (None, 0, -1, 2, "cressie-read", "freeman-tukey"):
            compare("power_divergence", observed, axis=axis, lambda_=power)
    compare("chisquare", np.array([8, 12, 10]), np.array([10, 10, 10]), ddof=1)
    with pytest.raises(ValueError, match="must agree"):
        stats.chisquare(tn.asarray([1, 2]), tn.asarray([5, 6]))
    with pytest.raises(ValueError, match="invalid string"):
        stats.power_divergence(tn.asarray([1, 2]), lambda_="none")


def test_ks_names_and_errors():
    x = TABLE[0] / TABLE[0].max()
    found = stats.kstest(tn.asarray(x), "uniform")
    np.testing.assert_allclose([float(one) for one in found], scipy_stats.kstest(x, "uniform")[:])
    assert stats.kstest(tn.asarray(x), tn.asarray(x)).pvalue == 1
    with pytest.raises(ValueError, match="Invalid value for mode: most"):
        stats.ks_2samp(tn.ones(2), tn.zeros(3), method="most")
    with pytest.raises(ValueError, match="alternative"):
        stats.ks_2samp(tn.ones(2), tn.zeros(3), "more")


def test_refusals():
    one = tn.asarray(TABLE[0])
    for call, text in (
        (lambda: stats.pearsonr(one, one[:4]), "same length"),
        (lambda: stats.pearsonr(one[:1], one[:1]), "at least 2"),
        (lambda: stats.kendalltau(one, one[:4]), "incompatible for broadcasting"),
        (lambda: stats.kendalltau(tn.ones((3, 2)), tn.ones((2, 2)), axis=0), "incompatible for broadcasting"),
        (lambda: stats.kendalltau(one, one, variant="d"), "variant"),
        (lambda: stats.linregress(tn.ones(3), one[:3]), "identical"),
        (lambda: stats.rankdata(one, "least"), "unknown method"),
        (lambda: stats.describe(tn.zeros(0)), "not be empty"),
        (lambda: stats.iqr(one, scale="wide"), "not a valid scale"),
        (lambda: stats.moment(one, 1.5), "integral"),
        (lambda: stats.entropy(one, base=-1), "positive"),
        (lambda: stats.ttest_rel(one, one[:4]), "unequal length"),
        (lambda: stats.spearmanr(one), "at least 2 variables"),
    ):
        with pytest.raises(ValueError, match=text):
            call()
    for call in (lambda: stats.ttest_ind(one, one, trim=0.2), lambda: stats.pearsonr(one, one, method=1)):
        with pytest.raises(NotImplementedError):
            call()


@pytest.mark.parametrize("name", ("skewtest", "kurtosistest", "normaltest", "jarque_bera", "gmean", "skew", "mode"))
def test_too_few(name):
    for shape in ((0,), (0, 3)):
        compare(name, np.ones(shape), axis=0)
    compare("mannwhitneyu", np.ones(0), np.ones(3))


@pytest.mark.parametrize("n", (200, 3000))
def test_kendall_of_many(n):
    x = RNG.normal(size=n)
    compare("kendalltau", x, x + RNG.normal(size=n))
    compare("kendalltau", x.round(1), (x + RNG.normal(size=n)).round(1))


def test_linregress_keeps_the_intercept_error():
    x, y = TABLE[0], TABLE[1]
    found, wanted = stats.linregress(tn.asarray(x), tn.asarray(y)), scipy_stats.linregress(x, y)
    np.testing.assert_allclose(float(found.intercept_stderr), wanted.intercept_stderr)


@pytest.mark.parametrize("method", ("percentile", "basic", "BCa"))
def test_bootstrap(method):
    x = RNG.gamma(2, size=(3, 60))
    found = stats.bootstrap((tn.asarray(x),), tn.mean, axis=1, n_resamples=4000, method=method, rng=1)
    wanted = scipy_stats.bootstrap((x,), np.mean, axis=1, n_resamples=4000, method=method, rng=1)
    assert found.bootstrap_distribution.shape == wanted.bootstrap_distribution.shape
    for end in ("low", "high"):
        one, other = (getattr(result.confidence_interval, end) for result in (found, wanted))
        np.testing.assert_allclose(to_host(one), other, rtol=0.03)
    np.testing.assert_allclose(to_host(found.standard_error), wanted.standard_error, rtol=0.08)


def test_bootstrap_of_pairs_and_refusals():
    x, y = TABLE[0], TABLE[0] + RNG.normal(size=12) * 0.1

    def slope(a, b):
        return (a * b).sum() / (a * a).sum()

    made = stats.bootstrap(
        (tn.asarray(x), tn.asarray(y)), slope, paired=True, vectorized=False, n_resamples=50, rng=2, alternative="less"
    )
    assert made.confidence_interval.low == -np.inf and 0.8 < float(made.confidence_interval.high) < 1.3
    more = stats.bootstrap((tn.asarray(x),), tn.mean, n_resamples=5, batch=2, rng=1)
    more = stats.bootstrap((tn.asarray(x),), tn.mean, n_resamples=5, bootstrap_result=more, rng=1)
    assert more.bootstrap_distribution.shape == (10,)
    for arguments, options in (
        ((tn.asarray(x), tn.mean), {}),
        (((tn.ones(1),), tn.mean), {}),
        (((tn.ones(3), tn.ones(4)), slope), {"paired": True}),
        (((tn.ones(3),), tn.mean), {"method": "guess"}),
        (((tn.ones(3),), tn.mean), {"n_resamples": -1}),
        (((tn.ones(3),), tn.mean), {"alternative": "none"}),
    ):
        with pytest.raises(ValueError):
            stats.bootstrap(*arguments, **options)


@pytest.mark.parametrize("kind", ("independent", "samples", "pairings"))
@pytest.mark.parametrize("alternative", ("two-sided", "less", "greater"))
def test_permutation_test(kind, alternative):
    def difference(x, y, axis):
        return x.mean(axis=axis) - (y * y).mean(axis=axis)

    def product(x, y, axis):
        return (x * y).sum(axis=axis)

    x, y = RNG.normal(0.4, size=(2, 5)), RNG.normal(size=(2, 5))
    statistic = product if kind == "pairings" else difference
    options = dict(permutation_type=kind, alternative=alternative, axis=1, n_resamples=20_000)
    found = stats.permutation_test((tn.asarray(x), tn.asarray(y)), statistic, rng=1, **options)
    wanted = scipy_stats.permutation_test((x, y), statistic, rng=1, **options)
    np.testing.assert_allclose(to_host(found.pvalue), wanted.pvalue)
    np.testing.assert_allclose(to_host(found.statistic), wanted.statistic)
    options["n_resamples"] = 60
    drawn = stats.permutation_test((tn.asarray(x), tn.asarray(y)), statistic, rng=1, **options)
    assert drawn.null_distribution.shape == (32 if kind == "samples" else 60, 2)
    np.testing.assert_allclose(to_host(drawn.pvalue), wanted.pvalue, atol=0.3)


def test_permutation_of_three_and_refusals():
    def spread(x, y, z):
        return abs(x.mean() - y.mean()) + abs(z.mean())

    x, y, z = (RNG.normal(size=3) for _ in range(3))
    arrays = tuple(map(tn.asarray, (x, y, z)))
    found = stats.permutation_test(arrays, spread, vectorized=False, n_resamples=2000, rng=1)
    wanted = scipy_stats.permutation_test((x, y, z), spread, vectorized=False, n_resamples=2000, rng=1)
    np.testing.assert_allclose(float(found.pvalue), wanted.pvalue)
    for data, options in (
        ((tn.ones(3),), {}),
        ((tn.ones(3), tn.ones(1)), {}),
        ((tn.ones(3), tn.ones(4)), {"permutation_type": "samples"}),
        ((tn.ones(3), tn.ones(4)), {"permutation_type": "none"}),
        ((tn.ones(3), tn.ones(4)), {"alternative": "none"}),
    ):
        with pytest.raises(ValueError):
            stats.permutation_test(data, spread, **options)


@pytest.mark.parametrize("shape", ((3, 0), (0, 3), (0,)))
def test_the_mode_of_nothing_is_two_floats(shape):
    found = stats.mode(tn.zeros(shape, int))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = scipy_stats.mode(np.zeros(shape, int))
    for ours, theirs in zip(found, wanted):
        assert (ours.dtype, ours.shape) == (float, theirs.shape)  # the input's in older SciPy


@pytest.mark.parametrize("name", ("skewtest", "kurtosistest"))
def test_a_tail_is_checked_before_there_are_enough_samples(name):
    with pytest.raises(ValueError, match="`alternative` must be"):
        getattr(stats, name)(tn.zeros(3), alternative="more")


def test_a_sample_of_one_element_has_a_mean():
    few, many = np.array([1.0]), np.array([1.0, 2.0, 4.0])
    compare("ttest_ind", few, many)
    compare("ttest_ind", few, many, equal_var=False)
    compare("ttest_ind", np.array([[1.0, np.nan], [2.0, 3.0]]), np.array([many, many]), axis=1, nan_policy="omit")


@pytest.mark.parametrize(
    ("shape", "axis"), (((0,), 0), ((3, 0), 1), ((0, 3), 0), ((2, 0, 3), (0, 1)), ((2, 0, 3), (0, 2)))
)
@pytest.mark.parametrize("name", ("iqr", "sem", "skew", "kurtosis"))
def test_samples_without_elements(name, shape, axis):
    compare(name, np.zeros(shape), axis=axis)


NUMBERS = ("skew", "kurtosis", "sem", "iqr", "mode", "variation", "describe", "power_divergence", "chisquare", "hmean")


@pytest.mark.parametrize("axis", (0, None))
def test_a_number_is_a_sample_of_one_element(axis):
    for name in NUMBERS:
        compare(name, np.array(3.0), axis=axis)
    for name in ("linregress", "ttest_ind", "ttest_rel", "spearmanr"):
        compare(name, np.array(3.0), np.array(2.0), axis=axis)
    compare("trim_mean", np.array(3.0), 0.1, axis=axis)
