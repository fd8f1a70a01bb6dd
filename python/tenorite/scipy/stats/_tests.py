"""Tests of hypotheses on samples."""

import importlib
import math
from collections import namedtuple

import numpy

import tenorite
from tenorite.scipy import special
from tenorite.scipy.stats import _distributions
from tenorite.scipy.stats._axes import as_floats, check_alternative, over_lines, student_below, tails
from tenorite.scipy.stats._correlation import ConfidenceInterval, ranks_of
from tenorite.scipy.stats._descriptive import kurtosis, skew
from tenorite.scipy.stats._documents import documented

_Result = namedtuple("TtestResult", "statistic pvalue")
KstestResult = namedtuple("KstestResult", "statistic pvalue")
Power_divergenceResult = namedtuple("Power_divergenceResult", "statistic pvalue")
MannwhitneyuResult = namedtuple("MannwhitneyuResult", "statistic pvalue")
SignificanceResult = namedtuple("SignificanceResult", "statistic pvalue")


class TtestResult(_Result):
    """statistic and pvalue of a t-test, and its degrees of freedom."""

    def __new__(cls, statistic, pvalue, df, alternative, error, estimate):
        made = super().__new__(cls, statistic, pvalue)
        made.df, made._alternative, made._error, made._estimate = df, alternative, error, estimate
        return made

    @documented
    def confidence_interval(self, confidence_level=0.95):
        """Where the mean, or the difference of two, lies.

        Returns
        -------
        tuple of two ndarrays
            low, high.
        """
        share = 0.5 + confidence_level / 2 if self._alternative == "two-sided" else confidence_level
        width = _distributions.t.ppf(share, self.df) * self._error
        low = self._estimate - width if self._alternative != "less" else tenorite.full_like(width, -math.inf)
        high = self._estimate + width if self._alternative != "greater" else tenorite.full_like(width, math.inf)
        return ConfidenceInterval(low, high)


def _student(estimate, error, df, alternative):
    t = estimate / error
    return t, tails(lambda value: student_below(value, df), t, alternative)


def _ttest(of, arrays, axis, nan_policy, alternative, keepdims, is_paired=False):
    check_alternative(alternative)
    with numpy.errstate(all="ignore"):
        t, p, df, error, estimate = over_lines(of, arrays, axis, nan_policy, keepdims, is_paired)
    return TtestResult(t, p, df, alternative, error, estimate)


@documented
def ttest_1samp(a, popmean, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    """Whether the mean of a sample is a given one.

    Returns
    -------
    TtestResult
        statistic, pvalue, df; a method confidence_interval().

    Raises
    ------
    ValueError
        For an unknown alternative, or NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.ttest_1samp(cp.array([1.0, 2.0, 3.0]), 2.0).pvalue
    array(1.)
    """
    mean = as_floats(popmean)

    def of(x, given=None):
        given = mean if given is None else given[..., 0]
        n = x.shape[-1]
        error = tenorite.sqrt(x.var(axis=-1, ddof=1) / n)
        estimate = x.mean(axis=-1)
        df = tenorite.full(estimate.shape, float(n - 1), estimate.dtype)
        t, p = _student(estimate - given, error, df, alternative)
        return t, p, df, error, estimate

    return _ttest(of, [as_floats(a)] + [mean] * (mean.ndim > 0), axis, nan_policy, alternative, keepdims)


@documented
def ttest_ind(
    a,
    b,
    *,
    axis=0,
    equal_var=True,
    nan_policy="propagate",
    alternative="two-sided",
    trim=0,
    method=None,
    keepdims=False,
):
    """Whether two independent samples have the same mean (B. Welch's test for unequal variances).

    Returns
    -------
    TtestResult
        statistic, pvalue, df; a method confidence_interval().

    Raises
    ------
    ValueError
        For an unknown alternative, or NaN that are refused.
    NotImplementedError
        For trimmed samples and resampling.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.ttest_ind(cp.array([1.0, 2.0, 3.0]), cp.array([2.0, 2.0, 2.5])).df
    array(4.)
    """
    if trim or method is not None:
        raise NotImplementedError("ttest_ind of trimmed samples or by resampling")

    def of(x, y):
        n, m = (numpy.float64(one.shape[-1]) for one in (x, y))
        # One element adds nothing to the variance of both.
        u, v = (one.var(axis=-1, ddof=0 if equal_var and one.shape[-1] == 1 else 1) for one in (x, y))
        if equal_var:
            df = tenorite.full(tenorite.broadcast_shapes(u.shape, v.shape), float(n + m - 2), u.dtype)
            error = tenorite.sqrt((float(n - 1) * u + float(m - 1) * v) / df * float(1 / n + 1 / m))
        else:
            u, v = u / float(n), v / float(m)
            df = (u + v) ** 2 / (u * u / float(n - 1) + v * v / float(m - 1))
            df = tenorite.where(tenorite.isnan(df), 1.0, df)
            error = tenorite.sqrt(u + v)
        estimate = x.mean(axis=-1) - y.mean(axis=-1)
        t, p = _student(estimate, error, df, alternative)
        return t, p, df, error, estimate

    return _ttest(of, [as_floats(a), as_floats(b)], axis, nan_policy, alternative, keepdims)


@documented
def ttest_rel(a, b, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
    """Whether the means of paired samples are the same.

    Returns
    -------
    TtestResult
        statistic, pvalue, df; a method confidence_interval().

    Raises
    ------
    ValueError
        If the lengths differ, or for NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.ttest_rel(cp.array([1.0, 2.0, 4.0]), cp.array([1.0, 3.0, 3.0])).statistic
    array(0.)
    """
    a, b = tenorite.atleast_1d(as_floats(a), as_floats(b))
    n, m = (one.size if axis is None else one.shape[axis] for one in (a, b))
    if n != m:
        raise ValueError("unequal length arrays")
    return ttest_1samp(a - b, 0.0, axis, nan_policy, alternative, keepdims=keepdims)


@documented
def power_divergence(f_obs, f_exp=None, ddof=0, axis=0, lambda_=None, *, sum_check=True):
    """Whether observed frequencies are those expected (N. Cressie and T. Read, Multinomial
    Goodness-of-Fit Tests, 1984).

    Returns
    -------
    Power_divergenceResult
        statistic, pvalue.

    Raises
    ------
    ValueError
        For sums that differ, or an unknown name of a power.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.power_divergence(cp.array([10, 10, 10])).statistic
    array(0.)
    """
    named = {
        "pearson": 1,
        "log-likelihood": 0,
        "freeman-tukey": -0.5,
        "mod-log-likelihood": -1,
        "neyman": -2,
        "cressie-read": 2 / 3,
    }
    if isinstance(lambda_, str):
        if lambda_ not in named:
            raise ValueError(f"invalid string for lambda_: {lambda_!r}. Valid strings are {sorted(named)}")
        lambda_ = named[lambda_]
    lambda_ = 1 if lambda_ is None else lambda_
    observed = tenorite.atleast_1d(as_floats(f_obs))
    if axis is None:
        observed, axis = observed.ravel(), 0
    if f_exp is None:
        expected = observed.mean(axis=axis, keepdims=True)
    else:
        observed, expected = tenorite.broadcast_arrays(observed, as_floats(f_exp))
        if sum_check:
            sums = observed.sum(axis=axis), expected.sum(axis=axis)
            error = abs(sums[0] - sums[1]) / tenorite.minimum(*sums)
            if bool((error > 1.5e-8).any()):
                raise ValueError(
                    "For each axis slice, the sum of the observed frequencies must agree with the sum of the "
                    "expected frequencies to a relative tolerance of 1.4901161193847656e-08, but the percent "
                    f"differences are:\n{error}"
                )
    with numpy.errstate(all="ignore"):
        if lambda_ == 1:
            terms = (observed - expected) ** 2 / expected
        elif lambda_ == 0:
            terms = 2 * special.xlogy(observed, observed / expected)
        elif lambda_ == -1:
            terms = 2 * special.xlogy(expected, expected / observed)
        else:
            terms = observed * ((observed / expected) ** lambda_ - 1) / (0.5 * lambda_ * (lambda_ + 1))
    statistic = terms.sum(axis=axis)
    df = terms.shape[axis] - 1 - as_floats(ddof)
    return Power_divergenceResult(statistic, special.chdtrc(df, statistic))


@documented
def chisquare(f_obs, f_exp=None, ddof=0, axis=0, *, sum_check=True):
    """Pearson's chi-squared test of frequencies.

    Returns
    -------
    Power_divergenceResult
        statistic, pvalue.

    Raises
    ------
    ValueError
        For sums that differ.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.chisquare(cp.array([8, 12])).statistic
    array(0.8)
    """
    return power_divergence(f_obs, f_exp, ddof, axis, 1, sum_check=sum_check)


def _on_host(name, *values):
    """A function of SciPy's distributions, of numbers: those of Kolmogorov and Smirnov."""
    try:
        distribution = importlib.import_module("scipy.stats.distributions")
    except ModuleNotFoundError:
        raise ImportError(f"the probability of {name} needs SciPy: pip install scipy") from None
    family, _, function = name.partition(".")
    return getattr(getattr(distribution, family), function)(*values)


def _distance(low, high, alternative):
    """The statistic of the alternative from the largest distances to either side."""
    if alternative == "two-sided":
        return tenorite.maximum(low, high)
    return low if alternative == "less" else high


def _with_probability(d, p, has_nan):
    """Statistics, and their probabilities from the host."""
    p = tenorite.asarray(numpy.clip(p, 0.0, 1.0))
    return tenorite.where(has_nan, math.nan, d), tenorite.where(has_nan, math.nan, p)


@documented
def ks_1samp(
    x, cdf, args=(), alternative="two-sided", method="auto", *, axis=0, nan_policy="propagate", keepdims=False
):
    """Whether a sample has a given distribution, by Kolmogorov and Smirnov.

    Returns
    -------
    KstestResult
        statistic, pvalue.

    Raises
    ------
    ValueError
        For an unknown alternative, or NaN that are refused.
    ImportError
        If SciPy is not installed.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.ks_1samp(cp.array([0.5]), stats.uniform.cdf).statistic
    array(0.5)
    """
    check_alternative(alternative)

    def of(x):
        n = x.shape[-1]
        if n == 0:
            return (tenorite.full(x.shape[:-1], math.nan),) * 2
        x = tenorite.sort(x, axis=-1)
        expected = cdf(x, *args)
        steps = tenorite.arange(n + 1.0) / n
        d = _distance((expected - steps[:-1]).max(axis=-1), (steps[1:] - expected).max(axis=-1), alternative)
        found = d.get()
        if alternative != "two-sided":
            p = _on_host("ksone.sf", found, n)
        elif method in ("auto", "exact"):
            p = _on_host("kstwo.sf", found, n)
        elif method == "asymp":
            p = _on_host("kstwobign.sf", found * math.sqrt(n))
        else:
            p = 2 * _on_host("ksone.sf", found, n)
        return _with_probability(d, p, tenorite.isnan(x[..., -1]))

    return KstestResult(*over_lines(of, [as_floats(x)], axis, nan_policy, keepdims))


def _paths_outside(n, m, h, is_two_sided):
    """The share of paths of steps from (0, 0) to (n, m) that reach a distance of h / lcm(n, m) from
    the diagonal, on one side or on any (J. Hodges, The Significance Probability of the Smirnov
    Two-Sample Test, 1958): one diagonal of places after the other, each of the two before it."""
    n, m = min(n, m), max(n, m)
    g = math.gcd(n, m)
    i, outside = numpy.arange(n + 1), numpy.zeros(n + 1)
    for k in range(1, n + m + 1):
        j = k - i
        reached = outside * j
        reached[1:] += outside[:-1] * i[1:]
        away = i * (m // g) - j * (n // g)
        is_outside = (abs(away) if is_two_sided else away) >= h
        outside = numpy.where((j < 0) | (j > m), 0.0, numpy.where(is_outside, 1.0, reached / k))
    return outside[n]


@documented
def ks_2samp(data1, data2, alternative="two-sided", method="auto", *, axis=0, nan_policy="propagate", keepdims=False):
    """Whether two samples have the same distribution, by Kolmogorov and Smirnov.

    Returns
    -------
    KstestResult
        statistic, pvalue.

    Raises
    ------
    ValueError
        If the alternative or the method is unknown, or NaN are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.ks_2samp(cp.array([1.0, 2.0]), cp.array([3.0, 4.0])).statistic
    array(1.)
    """
    check_alternative(alternative)
    if method not in ("auto", "exact", "asymp"):
        raise ValueError(f"Invalid value for mode: {method}")

    def of(x, y):
        n, m = x.shape[-1], y.shape[-1]
        outer = tenorite.broadcast_shapes(x.shape[:-1], y.shape[:-1])
        if min(n, m) == 0:
            return (tenorite.full(outer, math.nan),) * 2
        every = tenorite.concatenate([tenorite.broadcast_to(one, (*outer, one.shape[-1])) for one in (x, y)], axis=-1)
        order = tenorite.argsort(every, axis=-1)
        every = tenorite.take_along_axis(every, order, axis=-1)
        lcm = math.lcm(n, m)
        # How far apart both shares are after each element, times lcm; between equal ones 0.
        away = tenorite.cumsum(tenorite.where(order < n, lcm // n, -(lcm // m)), axis=-1)
        away[..., :-1] *= every[..., 1:] != every[..., :-1]
        h = _distance(-away.min(axis=-1), away.max(axis=-1), alternative)
        p = _ks_2samp_on_host(h.get(), n, m, alternative, method)
        return _with_probability(h / lcm, p, tenorite.isnan(every[..., -1]))

    lines = [as_floats(data1), as_floats(data2)]
    return KstestResult(*over_lines(of, lines, axis, nan_policy, keepdims, keeps_single=False))


def _ks_2samp_on_host(h, n, m, alternative, method):
    """The probabilities of distances, in units of 1 / lcm(n, m)."""
    large, small = float(max(n, m)), float(min(n, m))
    if method == "exact" or method == "auto" and large <= 10_000:
        is_two_sided = alternative == "two-sided"
        known = {one: _paths_outside(n, m, one, is_two_sided) if one else 1.0 for one in set(h.ravel().tolist())}
        return numpy.array([known[one] for one in h.ravel().tolist()]).reshape(h.shape)
    d, share = h / math.lcm(n, m), large * small / (large + small)
    if alternative == "two-sided":
        return _on_host("kstwo.sf", d, numpy.round(share))
    z = math.sqrt(share) * d
    correction = 2 * z * (large + 2 * small) / math.sqrt(large * small * (large + small)) / 3.0
    return numpy.exp(-2 * z**2 - correction)


@documented
def kstest(
    rvs, cdf, args=(), N=20, alternative="two-sided", method="auto", *, axis=0, nan_policy="propagate", keepdims=False
):
    """`ks_1samp`, or `ks_2samp` if `cdf` is an array.

    Returns
    -------
    KstestResult
        statistic, pvalue.

    Raises
    ------
    ValueError
        For an unknown alternative, or NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.kstest(cp.array([0.5]), "uniform").statistic
    array(0.5)
    """
    if isinstance(cdf, str):
        cdf = getattr(_distributions, cdf).cdf
    how = {"axis": axis, "nan_policy": nan_policy, "keepdims": keepdims}
    if callable(cdf):
        return ks_1samp(rvs, cdf, args, alternative, method, **how)
    return ks_2samp(rvs, cdf, alternative, method, **how)


def _rank_sum_counts(n, m):
    """How many of the orders of n and m elements give each value of Mann and Whitney's U."""
    counts = numpy.zeros(n * m + 1)
    counts[0] = 1
    for k in range(1, n + 1):  # the Gaussian binomial coefficient, factor by factor
        made = counts.copy()
        shift = m + k
        if shift <= n * m:
            made[shift:] -= counts[:-shift]
        for j in range(k, n * m + 1):
            made[j] += made[j - k]
        counts = made
    return counts


@documented
def mannwhitneyu(
    x, y, use_continuity=True, alternative="two-sided", axis=0, method="auto", *, nan_policy="propagate", keepdims=False
):
    """Whether one of two samples tends to be larger (H. Mann and D. Whitney, 1947).

    Returns
    -------
    MannwhitneyuResult
        statistic, pvalue.

    Raises
    ------
    ValueError
        If a name is unknown.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.mannwhitneyu(cp.array([1.0, 2.0]), cp.array([3.0, 4.0])).statistic
    array(0.)
    """
    check_alternative(alternative)
    if method not in ("auto", "asymptotic", "exact"):
        raise ValueError("`method` must be one of {'asymptotic', 'exact', 'auto'}.")
    x, y = as_floats(x), as_floats(y)

    def of(u, v):
        n, m = u.shape[-1], v.shape[-1]
        outer = tenorite.broadcast_shapes(u.shape[:-1], v.shape[:-1])
        both = tenorite.concatenate([tenorite.broadcast_to(one, (*outer, one.shape[-1])) for one in (u, v)], axis=-1)
        if min(n, m) == 0:
            return (tenorite.full(outer, math.nan),) * 2
        ranks, ties = ranks_of(both, "average")
        first = ranks[..., :n].sum(axis=-1) - n * (n + 1) / 2
        other = n * m - first
        top = {"greater": first, "less": other}.get(alternative)
        top = tenorite.maximum(first, other) if top is None else top
        factor = 2 if alternative == "two-sided" else 1
        is_exact = method == "exact" or (method == "auto" and min(n, m) <= 8 and not bool((ties > 0).any()))
        if is_exact:
            counts = _rank_sum_counts(n, m)
            sf = tenorite.asarray(numpy.cumsum(counts[::-1])[::-1] / counts.sum())
            p = factor * sf[top.astype(numpy.int64)]  # halves, of equal elements, are cut off
        else:
            total = n + m
            s = tenorite.sqrt(n * m / 12 * ((total + 1) - ties / (total * (total - 1))))
            z = (top - n * m / 2 - (0.5 if use_continuity else 0)) / s
            p = factor * special.ndtr(-z)
        p = p.clip(0, 1)
        bad = tenorite.isnan(both).any(axis=-1)
        return tenorite.where(bad, math.nan, first), tenorite.where(bad, math.nan, p)

    with numpy.errstate(all="ignore"):
        return MannwhitneyuResult(*over_lines(of, [x, y], axis, nan_policy, keepdims))


def _normal_of_skew(a, n):
    """A normal variate of the skewness (R. D'Agostino, 1970)."""
    y = skew(a, axis=-1) * math.sqrt((n + 1) * (n + 3) / (6.0 * (n - 2)))
    beta2 = 3.0 * (n**2 + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2.0) * (n + 5) * (n + 7) * (n + 9))
    w2 = -1 + math.sqrt(2 * (beta2 - 1))
    delta, alpha = 1 / math.sqrt(0.5 * math.log(w2)), math.sqrt(2.0 / (w2 - 1))
    y = tenorite.where(y == 0, 1, y)
    return delta * tenorite.log(y / alpha + tenorite.sqrt((y / alpha) ** 2 + 1))


def _normal_of_kurtosis(a, n):
    """A normal variate of the kurtosis (F. Anscombe and W. Glynn, 1983)."""
    value = kurtosis(a, axis=-1, fisher=False)
    mean = 3.0 * (n - 1) / (n + 1)
    var = 24.0 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3.0) * (n + 5))
    x = (value - mean) / math.sqrt(var)
    root = (
        6.0 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * math.sqrt(6.0 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    )
    a = 6.0 + 8.0 / root * (2.0 / root + math.sqrt(1 + 4.0 / root**2))
    term = 1 - 2 / (9.0 * a)
    denominator = 1 + x * math.sqrt(2 / (a - 4.0))
    ratio = tenorite.cbrt((1 - 2.0 / a) / abs(denominator)) * tenorite.sign(denominator)
    return tenorite.where(denominator == 0, math.nan, (term - ratio) / math.sqrt(2 / (9.0 * a)))


def _moment_test(name, least, normal, summary):
    def test(a, axis=0, nan_policy="propagate", alternative="two-sided", *, keepdims=False):
        def of(x):
            n = x.shape[-1]
            if n < least:
                return (tenorite.full(x.shape[:-1], math.nan),) * 2
            z = normal(x, n)
            return z, tails(special.ndtr, z, alternative)

        check_alternative(alternative)
        with numpy.errstate(all="ignore"):
            return SignificanceResult(*over_lines(of, [as_floats(a)], axis, nan_policy, keepdims))

    test.__name__ = test.__qualname__ = name
    test.__doc__ = f"""{summary}

    Returns
    -------
    SignificanceResult
        statistic, pvalue.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.{name}(cp.arange(30.0) ** 2).pvalue.shape
    ()
    """
    return documented(test)


skewtest = _moment_test("skewtest", 8, _normal_of_skew, "Whether the skewness is that of the normal distribution.")
kurtosistest = _moment_test(
    "kurtosistest", 5, _normal_of_kurtosis, "Whether the kurtosis is that of the normal distribution."
)


@documented
def normaltest(a, axis=0, nan_policy="propagate", *, keepdims=False):
    """Whether a sample is normal, by its skewness and kurtosis (R. D'Agostino, E. Pearson, 1973).

    Returns
    -------
    SignificanceResult
        statistic, pvalue.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> bool(stats.normaltest(cp.arange(100.0) ** 3).pvalue < 0.01)
    True
    """
    first, _ = skewtest(a, axis, nan_policy, keepdims=keepdims)
    second, _ = kurtosistest(a, axis, nan_policy, keepdims=keepdims)
    statistic = first**2 + second**2
    return SignificanceResult(statistic, _distributions.chi2.sf(statistic, 2).astype(statistic.dtype, copy=False))


@documented
def jarque_bera(x, *, axis=None, nan_policy="propagate", keepdims=False):
    """Whether skewness and kurtosis are those of a normal distribution (C. Jarque, A. Bera, 1980).

    Returns
    -------
    SignificanceResult
        statistic, pvalue.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.jarque_bera(cp.array([-1.0, 0.0, 1.0])).statistic
    array(0.28125)
    """

    def of(a):
        n = a.shape[-1]
        if n == 0:
            return (tenorite.full(a.shape[:-1], math.nan),) * 2
        statistic = n / 6 * (skew(a, axis=-1) ** 2 + kurtosis(a, axis=-1) ** 2 / 4)
        return statistic, _distributions.chi2.sf(statistic, 2)

    return SignificanceResult(*over_lines(of, [as_floats(x)], axis, nan_policy, keepdims))
