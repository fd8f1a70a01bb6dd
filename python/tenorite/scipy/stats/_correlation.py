"""Ranks and correlations."""

import math
from collections import namedtuple

import numpy

import tenorite
from tenorite._arguments import as_array_of
from tenorite.scipy import special
from tenorite.scipy.stats._axes import (
    as_floats,
    check_alternative,
    check_policy,
    has_nan,
    over_lines,
    refuse_nan,
    student_below,
    tails,
)
from tenorite.scipy.stats._distributions import beta
from tenorite.scipy.stats._documents import documented

LinregressResult = namedtuple("LinregressResult", "slope intercept rvalue pvalue stderr")
SignificanceResult = namedtuple("SignificanceResult", "statistic pvalue")
_METHODS = ("average", "min", "max", "dense", "ordinal")


class Linregress(LinregressResult):
    """slope, intercept, rvalue, pvalue and stderr, and the error of the intercept."""

    def __new__(cls, slope, intercept, rvalue, pvalue, stderr, intercept_stderr):
        made = super().__new__(cls, slope, intercept, rvalue, pvalue, stderr)
        made.intercept_stderr = intercept_stderr
        return made


class PearsonRResult(SignificanceResult):
    """statistic and pvalue of `pearsonr`."""

    def __new__(cls, statistic, pvalue, alternative, n):
        made = super().__new__(cls, statistic, pvalue)
        made._alternative, made._n, made.correlation = alternative, n, statistic
        return made

    @documented
    def confidence_interval(self, confidence_level=0.95):
        """Where the correlation lies, by R. Fisher's transform (On the "Probable Error" of a
        Coefficient of Correlation, 1921).

        Returns
        -------
        tuple of two ndarrays
            low, high.
        """
        with numpy.errstate(all="ignore"):
            middle = tenorite.arctanh(self.statistic)
            error = math.sqrt(1 / (self._n - 3)) if self._n > 3 else math.inf
        share = 0.5 + confidence_level / 2 if self._alternative == "two-sided" else confidence_level
        width = float(special.ndtri(tenorite.asarray(share))) * error
        low = tenorite.tanh(middle - width) if self._alternative != "less" else tenorite.full_like(middle, -1)
        high = tenorite.tanh(middle + width) if self._alternative != "greater" else tenorite.full_like(middle, 1)
        return ConfidenceInterval(low, high)


ConfidenceInterval = namedtuple("ConfidenceInterval", "low high")


def ranks_of(x, method):
    """(ranks along the last axis, the sum of n**3 - n over groups of equal ones)."""
    n = x.shape[-1]
    order = tenorite.argsort(x, axis=-1, kind="stable")
    ordered = tenorite.take_along_axis(x, order, axis=-1)
    place = tenorite.broadcast_to(tenorite.arange(n), x.shape)
    is_first = tenorite.ones(x.shape, bool)
    is_first[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    is_last = tenorite.ones(x.shape, bool)
    is_last[..., :-1] = is_first[..., 1:]
    first = tenorite.maximum.accumulate(tenorite.where(is_first, place, 0), axis=-1)
    backwards = tenorite.where(is_last, place, n)[..., ::-1]
    last = tenorite.minimum.accumulate(backwards, axis=-1)[..., ::-1]
    if method == "ordinal":
        sorted_ranks = place + 1
    elif method == "dense":
        sorted_ranks = tenorite.cumsum(is_first, axis=-1)
    elif method == "average":
        sorted_ranks = (first + last) / 2 + 1
    else:
        sorted_ranks = (first if method == "min" else last) + 1
    made = tenorite.empty(x.shape, sorted_ranks.dtype)
    tenorite.put_along_axis(made, order, sorted_ranks, axis=-1)
    sizes = (last - first + 1).astype(float)
    return made, (sizes * sizes - 1).sum(axis=-1)


@documented
def rankdata(a, method="average", *, axis=None, nan_policy="propagate"):
    """Ranks from 1 on.

    Returns
    -------
    ndarray
        Of float64 for 'average' and lines with NaN, else of int64.

    Raises
    ------
    ValueError
        For an unknown method, or NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.rankdata(cp.array([0, 2, 3, 2]))
    array([1. , 2.5, 4. , 2.5])
    """
    if method not in _METHODS:
        raise ValueError(f'unknown method "{method}"')
    check_policy(nan_policy)
    a = as_array_of(a)
    a, axis = (a.ravel(), -1) if axis is None else (a, axis)
    if a.size == 0:
        tenorite.lib.array_utils.normalize_axis_index(axis, a.ndim)
        return tenorite.empty(a.shape, float if method == "average" else numpy.int64)
    if nan_policy == "raise":
        refuse_nan(a)
    moved = tenorite.moveaxis(a, axis, -1)
    made, _ = ranks_of(moved, method)
    if has_nan(a):  # they are sorted last
        bad = tenorite.isnan(moved)
        bad = bad if nan_policy == "omit" else bad.any(axis=-1, keepdims=True)
        made = tenorite.where(bad, math.nan, made)
    return tenorite.moveaxis(made, -1, axis)


def _correlation(x, y):
    """Pearson's coefficient along the last axis, of distances scaled so that none overflows."""
    x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
    x, y = (one / tenorite.linalg.norm(one, axis=-1, keepdims=True) for one in (x, y))
    return (x * y).sum(axis=-1).clip(-1, 1)


@documented
def pearsonr(x, y, *, axis=0, alternative="two-sided", method=None):
    """Pearson's correlation coefficient and the probability of a stronger one by chance.

    Returns
    -------
    PearsonRResult
        statistic, pvalue; a method confidence_interval().

    Raises
    ------
    ValueError
        If the lengths differ or are below 2.
    TypeError
        For complex samples.
    NotImplementedError
        For a resampling method.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.pearsonr(cp.array([1.0, 2.0, 3.0]), cp.array([2.0, 4.0, 6.0])).statistic
    array(1.)
    """
    if method is not None:
        raise NotImplementedError("pearsonr by resampling")
    check_alternative(alternative)
    x, y = as_floats(x), as_floats(y)
    if x.dtype.kind == "c" or y.dtype.kind == "c":
        raise TypeError("This function does not support complex data")
    if axis is None:
        x, y, axis = x.ravel(), y.ravel(), -1
    x, y = tenorite.moveaxis(x, axis, -1), tenorite.moveaxis(y, axis, -1)
    n = x.shape[-1]
    if n != y.shape[-1]:
        raise ValueError("`x` and `y` must have the same length along `axis`.")
    if n < 2:
        raise ValueError("`x` and `y` must have length at least 2.")
    x, y = tenorite.broadcast_arrays(x, y)
    is_one = (x == x[..., :1]).all(axis=-1) | (y == y[..., :1]).all(axis=-1)
    r = tenorite.where(is_one, math.nan, _correlation(x, y))
    if n == 2:
        r = tenorite.round(r)
        p = tenorite.where(is_one, math.nan, tenorite.ones_like(r))
        return PearsonRResult(r, p, alternative, n)
    half = n / 2 - 1  # (r + 1) / 2 has the beta distribution of these shapes
    below = beta.cdf if alternative == "less" else beta.sf
    value = below(abs(r) if alternative == "two-sided" else r, half, half, -1, 2)
    p = 2 * value if alternative == "two-sided" else value
    return PearsonRResult(r, p.astype(r.dtype, copy=False), alternative, n)


@documented
def spearmanr(a, b=None, axis=0, nan_policy="propagate", alternative="two-sided"):
    """Pearson's correlation of ranks.

    Returns
    -------
    SignificanceResult
        statistic, pvalue: of two variables one number, of more a matrix.

    Raises
    ------
    ValueError
        For more than two axes, one variable, or NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.spearmanr(cp.array([1, 2, 3, 4]), cp.array([5, 6, 7, 8])).statistic
    array(1.)
    """
    check_policy(nan_policy)
    check_alternative(alternative)
    variables = [tenorite.atleast_1d(as_floats(one)) for one in (a, b) if one is not None]
    if axis is not None and axis > 1:
        raise ValueError(f"spearmanr only handles 1-D or 2-D arrays, supplied axis argument {axis}")
    if any(one.ndim > 2 for one in variables):
        raise ValueError("spearmanr only handles 1-D or 2-D arrays")
    if axis is None:
        variables = [one.ravel()[:, None] for one in variables]
    else:
        variables = [one[:, None] if one.ndim == 1 else (one if axis == 0 else one.T) for one in variables]
    if len(variables) == 1 and variables[0].shape[1] < 2:
        raise ValueError("`spearmanr` needs at least 2 variables to compare")
    table = tenorite.concatenate(variables, axis=1).T  # a row a variable
    if nan_policy == "raise":
        refuse_nan(table)
    if table.shape[1] < 3:
        return SignificanceResult(*(tenorite.asarray(math.nan) for _ in range(2)))
    bad = tenorite.isnan(table).any(axis=1)
    if nan_policy == "omit" and bool(bad.any()):
        table = table[:, ~tenorite.isnan(table).any(axis=0)]
        bad = tenorite.zeros(len(table), bool)
    ranks, _ = ranks_of(table, "average")
    n = table.shape[1]
    with numpy.errstate(all="ignore"):
        rho = _correlation(ranks[:, None], ranks[None])
        rho = tenorite.where(bad[:, None] | bad, math.nan, rho)
        statistic = rho * tenorite.sqrt((n - 2) / ((rho + 1) * (1 - rho)).clip(0))
    p = tails(lambda value: student_below(value, n - 2), statistic, alternative)
    p = tenorite.where(tenorite.isinf(statistic), tails(special.ndtr, statistic, alternative), p)
    if len(table) == 2:
        return SignificanceResult(rho[0, 1], p[0, 1])
    return SignificanceResult(rho, p)


def _inversions(values):
    """How many pairs of integers stand in falling order: by their digits, the highest first.

    Of elements whose higher digits are equal, those before one with a greater digit are counted.
    """
    bits = 4 if values.size < 1 << 16 else 1
    digits = tenorite.arange((1 << bits) - 1)
    first, count = (max(int(values.max(initial=0)), 1).bit_length() - 1) // bits * bits, 0
    for shift in range(first, -1, -bits):
        group, digit = values >> (shift + bits), (values >> shift) & digits.size
        above = tenorite.zeros((values.size + 1, digits.size + 1), numpy.int64)
        tenorite.cumsum(digit[:, None] > digits, axis=0, out=above[1:, :-1])
        starts = tenorite.searchsorted(group, group)
        count += (above[tenorite.arange(values.size), digit] - above[starts, digit]).sum()
        if shift:
            values = values[tenorite.argsort(values >> shift, kind="stable")]
    return count


def _tie_sums(counts):
    """Pairs within groups of equal elements, and the sums that the variance needs."""
    n = counts.astype(float)
    sums = tenorite.stack([(n * (n - 1) / 2).sum(), (n * (n - 1) * (n - 2)).sum(), (n * (n - 1) * (2 * n + 5)).sum()])
    return sums.tolist()


def _kendall_exact(n, discordant, alternative):
    """The share of permutations of n with at most so many inversions (M. Kendall, Rank Correlation
    Methods, 1970)."""
    most = n * (n - 1) // 2
    if alternative == "greater":
        least = discordant
    elif alternative == "less":
        least = most - discordant
    else:
        least = min(discordant, most - discordant)
    counts = [1]  # permutations of k by their inversions, as far as they are needed
    for k in range(2, n + 1):
        sums, made = 0, []
        for j in range(min(least, k * (k - 1) // 2) + 1):
            sums += (counts[j] if j < len(counts) else 0) - (counts[j - k] if j >= k else 0)
            made.append(sums)
        counts = made
    share = sum(counts[: least + 1]) / math.factorial(n)
    return min(1.0, 2 * share) if alternative == "two-sided" else min(1.0, share)


def _kendall(x, y, method, variant, alternative):
    """Tau of two lines, and its probability."""
    nothing = (tenorite.asarray(math.nan),) * 2
    n = x.size
    if n == 0 or has_nan(x) or has_nan(y):
        return nothing
    (_, x, of_x), (_, y, of_y) = (tenorite.unique(one, return_inverse=True, return_counts=True) for one in (x, y))
    both = x * of_y.size + y
    order = tenorite.argsort(both, kind="stable")
    discordant = int(_inversions(y[order]))
    total = n * (n - 1) // 2
    x_ties, x0, x1 = _tie_sums(of_x)
    y_ties, y0, y1 = _tie_sums(of_y)
    is_tied = n not in (of_x.size, of_y.size)
    both = _tie_sums(tenorite.unique(both, return_counts=True)[1])[0] if is_tied else 0
    if total in (x_ties, y_ties):
        return nothing
    difference = total - x_ties - y_ties + both - 2 * discordant
    if variant == "b":
        tau = difference / math.sqrt(total - x_ties) / math.sqrt(total - y_ties)
    else:
        classes = min(of_x.size, of_y.size)
        tau = 2 * difference / (n**2 * (classes - 1) / classes)
    tau = min(1.0, max(-1.0, tau))
    if method == "exact" and (x_ties or y_ties):
        raise ValueError("Ties found, exact method cannot be used.")
    if method == "auto":
        few = n <= 33 or min(discordant, total - discordant) <= 1
        method = "exact" if x_ties == 0 and y_ties == 0 and few else "asymptotic"
    if method == "exact":
        p = _kendall_exact(n, discordant, alternative)
    elif method == "asymptotic":
        m = n * (n - 1.0)
        variance = (m * (2 * n + 5) - x1 - y1) / 18 + 2 * x_ties * y_ties / m
        variance += x0 * y0 / (9 * m * (n - 2)) if n > 2 else 0
        z = tenorite.asarray(difference / math.sqrt(variance))
        p = float(tails(special.ndtr, z, alternative))
    else:
        raise ValueError(f"Unknown method {method} specified.  Use 'auto', 'exact' or 'asymptotic'.")
    return tenorite.asarray(tau), tenorite.asarray(p)


@documented
def kendalltau(
    x, y, *, nan_policy="propagate", method="auto", variant="b", alternative="two-sided", axis=None, keepdims=False
):
    """Kendall's tau: how often two variables order a pair in the same way.

    Returns
    -------
    SignificanceResult
        statistic, pvalue.

    Raises
    ------
    ValueError
        If the sizes differ, equal elements meet method='exact', or NaN are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.kendalltau(cp.array([1, 2, 3, 4]), cp.array([1, 2, 4, 3])).statistic.round(6)
    array(0.666667)
    """
    check_alternative(alternative)
    if variant not in ("b", "c"):
        raise ValueError(f"Unknown variant of the method chosen: {variant}. variant must be 'b' or 'c'.")

    def of(u, v):
        return _kendall(u, v, method, variant, alternative)

    lines = [as_array_of(x), as_array_of(y)]
    made = over_lines(of, lines, axis, nan_policy, keepdims, is_paired=True, is_of_one=True, keeps_single=False)
    return SignificanceResult(*made)


@documented
def linregress(x, y, alternative="two-sided", *, axis=0, nan_policy="propagate", keepdims=False):
    """The line of least squares through points.

    Returns
    -------
    LinregressResult
        slope, intercept, rvalue, pvalue, stderr, and the attribute intercept_stderr.

    Raises
    ------
    ValueError
        If all x are equal, or for NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.linregress(cp.array([0.0, 1.0, 2.0]), cp.array([1.0, 3.0, 5.0])).slope
    array(2.)
    """
    check_alternative(alternative)
    x, y = as_floats(x), as_floats(y)
    line = x.ravel() if axis is None else x
    if x.size > 1 and bool((line == line[:1]).all()):
        raise ValueError("Cannot calculate a linear regression if all x values are identical")

    def of(u, v):
        n = u.shape[-1]
        u, v = tenorite.broadcast_arrays(u, v)
        u_mean, v_mean = u.mean(axis=-1), v.mean(axis=-1)
        du, dv = u - u_mean[..., None], v - v_mean[..., None]
        uu, uv, vv = ((one * other).mean(axis=-1) for one, other in ((du, du), (du, dv), (dv, dv)))
        r = tenorite.where((uu == 0) | (vv == 0), 0.0, (uv / tenorite.sqrt(uu * vv)).clip(-1, 1))
        r = tenorite.where((vv == 0) & ((uu != 0) | (n < 2)), math.nan, r)
        slope = uv / uu
        df, tiny = n - 2, 1e-20
        if n == 2:
            same = v[..., 0] == v[..., 1]
            p, error = tenorite.where(same, 1.0, 0.0), tenorite.zeros_like(slope)
            at_zero = tenorite.zeros_like(slope)
        else:
            t = r * tenorite.sqrt(df / ((1 - r + tiny) * (1 + r + tiny)))
            p = tails(lambda value: student_below(value, df), t, alternative)
            error = tenorite.sqrt((1 - r**2) * vv / uu / df)
            at_zero = error * tenorite.sqrt(uu + u_mean**2)
        return slope, v_mean - slope * u_mean, r, p, error, at_zero

    with numpy.errstate(all="ignore"):
        return Linregress(*over_lines(of, [x, y], axis, nan_policy, keepdims, is_paired=True))
