"""What describes samples: moments, quantiles, standard scores, entropy."""

import math
from collections import namedtuple

import tenorite
from tenorite._arguments import as_array_of
from tenorite.scipy import special
from tenorite.scipy.stats._axes import as_floats, check_policy, has_nan, moment_of, over_lines, refuse_nan
from tenorite.scipy.stats._documents import documented

DescribeResult = namedtuple("DescribeResult", "nobs minmax mean variance skewness kurtosis")
ModeResult = namedtuple("ModeResult", "mode count")


@documented
def moment(a, order=1, axis=0, nan_policy="propagate", *, center=None, keepdims=False):
    """Mean of powers of the distances from the mean.

    Returns
    -------
    ndarray
        Of floats.

    Raises
    ------
    ValueError
        If an order is no integer, or for NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.moment(cp.array([1.0, 2.0, 3.0, 4.0]), 2)
    array(1.25)
    """
    a = as_floats(a)
    orders = tenorite.asnumpy(order)
    if (orders != orders.round()).any():
        raise ValueError("All elements of `order` must be integral.")

    def of(lines, power):
        if power == 0:
            return tenorite.ones_like(lines[..., 0]) if lines.shape[-1] else lines.mean(axis=-1)
        if power == 1 and center is None:
            return tenorite.where(tenorite.isnan(lines.mean(axis=-1)), math.nan, 0.0).astype(lines.dtype)
        return moment_of(lines, int(power), center)

    made = [over_lines(lambda x: (of(x, power),), [a], axis, nan_policy, keepdims)[0] for power in orders.ravel()]
    return made[0] if orders.ndim == 0 else tenorite.stack(made).reshape(orders.shape + made[0].shape)


def _shape_of(a, order, is_biased):
    """The third or fourth standardized moment along the last axis; NaN where all is one value."""
    n = a.shape[-1]
    mean = a.mean(axis=-1, keepdims=True)
    m2, high = moment_of(a, 2, mean), moment_of(a, order, mean)
    least = (tenorite.finfo(a.dtype).resolution * mean[..., 0]) ** 2
    is_one = m2 <= least
    value = high / tenorite.where(is_one, 1, m2) ** (order / 2)
    if not is_biased and order == 3 and n > 2:
        value = math.sqrt((n - 1.0) * n) / (n - 2.0) * value
    elif not is_biased and order == 4 and n > 3:
        value = 1.0 / (n - 2) / (n - 3) * ((n**2 - 1.0) * value - 3 * (n - 1) ** 2.0) + 3.0
    return tenorite.where(is_one, math.nan, value)


@documented
def skew(a, axis=0, bias=True, nan_policy="propagate", *, keepdims=False):
    """The third standardized moment (Zwillinger and Kokoska, Standard Probability and Statistics
    Tables and Formulae, 2.2.24).

    Returns
    -------
    ndarray
        Of floats; NaN where all elements are equal.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.skew(cp.array([1.0, 2.0, 3.0]))
    array(0.)
    """
    return over_lines(lambda x: (_shape_of(x, 3, bias),), [as_floats(a)], axis, nan_policy, keepdims)[0]


@documented
def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", *, keepdims=False):
    """The fourth standardized moment, less 3.

    Returns
    -------
    ndarray
        Of floats; NaN where all elements are equal.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.kurtosis(cp.array([-1.0, 1.0]), fisher=False)
    array(1.)
    """
    shift = 3 if fisher else 0
    return over_lines(lambda x: (_shape_of(x, 4, bias) - shift,), [as_floats(a)], axis, nan_policy, keepdims)[0]


@documented
def describe(a, axis=0, ddof=1, bias=True, nan_policy="propagate"):
    """Count, least and largest, mean, variance, skewness and kurtosis of samples.

    Returns
    -------
    DescribeResult
        nobs, minmax (a tuple), mean, variance, skewness, kurtosis.

    Raises
    ------
    ValueError
        If there are no samples, or for NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.describe(cp.arange(10.0)).mean
    array(4.5)
    """
    a = as_array_of(a)
    if a.size == 0:
        raise ValueError("The input must not be empty.")

    def of(x):
        n = tenorite.full(x.shape[:-1], x.shape[-1])
        floats = as_floats(x)
        var = floats.var(axis=-1, ddof=ddof)
        shapes = (_shape_of(floats, 3, bias), _shape_of(floats, 4, bias) - 3)
        return (n, x.min(axis=-1), x.max(axis=-1), floats.mean(axis=-1), var, *shapes)

    n, low, high, *others = over_lines(of, [a], axis, nan_policy)
    # Without NaN to leave out, the count is one number.
    count = n if nan_policy == "omit" and has_nan(a) else int(a.size // max(n.size, 1))
    return DescribeResult(count, (low, high), *others)


@documented
def sem(a, axis=0, ddof=1, nan_policy="propagate", *, keepdims=False):
    """The standard error of the mean: the deviation divided by the root of the count.

    Returns
    -------
    ndarray
        Of floats.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.sem(cp.array([1.0, 3.0]))
    array(1.)
    """

    def of(x):
        return (x.std(axis=-1, ddof=ddof) / math.sqrt(x.shape[-1]) if x.shape[-1] else x.mean(axis=-1),)

    return over_lines(of, [as_floats(a)], axis, nan_policy, keepdims)[0]


_SCALES = {"normal": 2 * 0.67448975019608171}  # twice the upper quartile of the normal distribution


@documented
def iqr(x, axis=None, rng=(25, 75), scale=1.0, nan_policy="propagate", interpolation="linear", keepdims=False):
    """The distance between two percentiles.

    Returns
    -------
    ndarray
        Of floats.

    Raises
    ------
    TypeError
        If `rng` is not a pair.
    ValueError
        For NaN in `rng`, an unknown scale, or NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.iqr(cp.arange(5.0))
    array(2.)
    """
    if len(rng) != 2:
        raise TypeError("quantile range must be two element sequence")
    if any(math.isnan(one) for one in rng):
        raise ValueError("range must not contain NaNs")
    if isinstance(scale, str):
        if scale.lower() not in _SCALES:
            raise ValueError(f"{scale} not a valid scale for `iqr`")
        scale = _SCALES[scale.lower()]

    def of(lines):
        if not lines.shape[-1]:
            return (lines.mean(axis=-1),)
        low, high = tenorite.percentile(lines, sorted(rng), axis=-1, method=interpolation)
        return ((high - low) / scale if scale != 1.0 else high - low,)

    return over_lines(of, [as_floats(x)], axis, nan_policy, keepdims)[0]


@documented
def mode(a, axis=0, nan_policy="propagate", keepdims=False):
    """The most frequent value, the least of several, and its count.

    Returns
    -------
    ModeResult
        mode, count.

    Raises
    ------
    TypeError
        For what are no numbers, bool among them.
    ValueError
        For NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.mode(cp.array([3, 1, 3, 2]))
    ModeResult(mode=array(3), count=array(2))
    """
    a = as_array_of(a)
    if a.dtype.kind not in "iufc":
        raise TypeError("Argument `a` is not recognized as numeric; tenorite.unique counts other values.")

    def of(x):
        n = x.shape[-1]
        if x.size == 0:
            return tenorite.full(x.shape[:-1], math.nan), tenorite.zeros(x.shape[:-1], float)
        ordered = tenorite.sort(x, axis=-1)
        place = tenorite.broadcast_to(tenorite.arange(n), ordered.shape)
        is_first = tenorite.ones(ordered.shape, bool)
        same = ordered[..., 1:] == ordered[..., :-1]
        if x.dtype.kind in "fc":  # NaN are one value
            same |= tenorite.isnan(ordered[..., 1:]) & tenorite.isnan(ordered[..., :-1])
        is_first[..., 1:] = ~same
        runs = place - tenorite.maximum.accumulate(tenorite.where(is_first, place, 0), axis=-1) + 1
        at = runs.argmax(axis=-1, keepdims=True)
        return (
            tenorite.take_along_axis(ordered, at, axis=-1)[..., 0],
            tenorite.take_along_axis(runs, at, axis=-1)[..., 0],
        )

    return ModeResult(*over_lines(of, [a], axis, nan_policy, keepdims))


@documented
def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    """Distances from the mean in standard deviations.

    Returns
    -------
    ndarray
        Of the same shape; NaN where all elements are equal.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.zscore(cp.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    return zmap(a, a, axis=axis, ddof=ddof, nan_policy=nan_policy)


@documented
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    """Distances of scores from the mean of samples, in the samples' standard deviations.

    Returns
    -------
    ndarray
        Of the shape of `scores`; infinite or NaN where all samples are equal.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.zmap(cp.array([4.0]), cp.array([0.0, 4.0]))
    array([1.])
    """
    check_policy(nan_policy)
    scores, compare = as_floats(scores), as_floats(compare)
    if compare.size == 0:
        return tenorite.full_like(scores, math.nan)
    if nan_policy == "raise":
        refuse_nan(compare)
    is_partial = nan_policy == "omit"
    mean_of, std_of = (tenorite.nanmean, tenorite.nanstd) if is_partial else (tenorite.mean, tenorite.std)
    first_of = (
        (compare.ravel()[:1].reshape((1,) * compare.ndim) if axis is None else compare.take([0], axis=axis))
        if not is_partial
        else tenorite.nanmin(compare, axis=axis, keepdims=True)
    )
    mean = mean_of(compare, axis=axis, keepdims=True)
    deviation = std_of(compare, axis=axis, ddof=ddof, keepdims=True)
    is_one = ((compare == first_of) | tenorite.isnan(compare) if is_partial else compare == first_of).all(
        axis=axis, keepdims=True
    )
    mean, deviation = tenorite.where(is_one, first_of, mean), tenorite.where(is_one, 0, deviation)
    if ddof > 0:  # of too few samples there is no deviation
        count = (~tenorite.isnan(compare)).sum(axis=axis, keepdims=True)
        deviation = tenorite.where(count > ddof, deviation, math.nan)
    return ((scores - mean) / deviation).astype(scores.dtype, copy=False)


@documented
def gzscore(a, *, axis=0, ddof=0, nan_policy="propagate"):
    """`zscore` of logarithms.

    Returns
    -------
    ndarray
        Of the same shape.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.gzscore(cp.array([1.0, 4.0]))
    array([-1.,  1.])
    """
    return zscore(tenorite.log(as_floats(a)), axis=axis, ddof=ddof, nan_policy=nan_policy)


def _weighted_mean(x, weights):
    return x.mean(axis=-1) if weights is None else (x * weights).sum(axis=-1) / weights.sum(axis=-1)


def _of_positive(name, inner, outer, summary, example):
    def mean_of(a, axis=0, dtype=None, weights=None, *, nan_policy="propagate", keepdims=False):
        a = as_floats(a)
        a = a if dtype is None else a.astype(dtype)
        arrays = [a] if weights is None else [a, tenorite.broadcast_to(as_floats(weights), a.shape)]

        def of(x, w=None):
            return (outer(_weighted_mean(inner(x), w)),)

        return over_lines(of, arrays, axis, nan_policy, keepdims, is_paired=True)[0]

    mean_of.__name__ = mean_of.__qualname__ = name
    mean_of.__doc__ = f"""{summary}

    Returns
    -------
    ndarray
        Of floats.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> {example}
    """
    return documented(mean_of)


gmean = _of_positive(
    "gmean", tenorite.log, tenorite.exp, "The geometric mean.", "stats.gmean(cp.array([1.0, 4.0]))\n    array(2.)"
)
hmean = _of_positive(
    "hmean",
    lambda x: 1 / tenorite.where(x >= 0, x, math.nan),
    lambda x: 1 / x,
    "The harmonic mean; NaN of negative samples.",
    "stats.hmean(cp.array([2.0, 6.0]))\n    array(3.)",
)


@documented
def variation(a, axis=0, nan_policy="propagate", ddof=0, *, keepdims=False):
    """The standard deviation divided by the mean.

    Returns
    -------
    ndarray
        Of floats.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.variation(cp.array([1.0, 3.0]))
    array(0.5)
    """

    def of(x):
        return (x.std(axis=-1, ddof=ddof) / x.mean(axis=-1),)

    return over_lines(of, [as_floats(a)], axis, nan_policy, keepdims)[0]


@documented
def median_abs_deviation(x, axis=0, center=None, scale=1.0, nan_policy="propagate", *, keepdims=False):
    """The median of the distances from the median.

    Returns
    -------
    ndarray
        Of floats.

    Raises
    ------
    TypeError
        If `center` is not callable.
    ValueError
        For an unknown scale, or NaN that are refused.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.median_abs_deviation(cp.array([1.0, 2.0, 4.0]))
    array(1.)
    """
    center = tenorite.median if center is None else center
    if not callable(center):
        raise TypeError(f"The argument 'center' must be callable. The given value {center!r} is not callable.")
    if isinstance(scale, str):
        if scale.lower() != "normal":
            raise ValueError(f"{scale} is not a valid scale value.")
        scale = _SCALES["normal"] / 2

    def of(lines):
        if lines.shape[-1] == 0:
            return (tenorite.full(lines.shape[:-1], math.nan),)
        return (tenorite.median(abs(lines - center(lines, axis=-1)[..., None]), axis=-1) / scale,)

    return over_lines(of, [as_floats(x)], axis, nan_policy, keepdims)[0]


@documented
def trim_mean(a, proportiontocut, axis=0, *, nan_policy="propagate", keepdims=False):
    """The mean without a share of the least and as many of the largest samples.

    Returns
    -------
    ndarray
        Of floats.

    Raises
    ------
    ValueError
        If nothing would be left.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.trim_mean(cp.array([1.0, 2.0, 3.0, 100.0]), 0.25)
    array(2.5)
    """

    def of(x):
        n = x.shape[-1]
        if n == 0:
            return (tenorite.full(x.shape[:-1], math.nan),)
        low = int(proportiontocut * n)
        high = n - low
        if low > high:
            raise ValueError("Proportion too big.")
        parted = tenorite.partition(x, (low, high - 1), axis=-1) if high > low else x
        middle = parted[..., low:high].mean(axis=-1)
        return (tenorite.where(tenorite.isnan(x).any(axis=-1), math.nan, middle),)

    return over_lines(of, [as_floats(a)], axis, nan_policy, keepdims)[0]


def _normalize(x, axis):
    """Shares of the sum along an axis."""
    return x / x.sum(axis=axis, keepdims=True)


@documented
def entropy(pk, qk=None, base=None, axis=0, *, nan_policy="propagate", keepdims=False):
    """The entropy of probabilities, or their relative entropy to others (C. Shannon, A Mathematical
    Theory of Communication, 1948).

    Returns
    -------
    ndarray
        Of floats.

    Raises
    ------
    ValueError
        If the base is not positive.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.entropy(cp.array([0.5, 0.5]), base=2)
    array(1.)
    """
    if base is not None and base <= 0:
        raise ValueError("`base` must be a positive number or `None`.")
    arrays = [as_floats(one) for one in (pk, qk) if one is not None]

    def of(p, q=None):
        p = _normalize(p, -1)
        terms = special.entr(p) if q is None else special.rel_entr(p, _normalize(q, -1))
        total = terms.sum(axis=-1)
        return (total if base is None else total / math.log(base),)

    return over_lines(of, arrays, axis, nan_policy, keepdims, is_paired=True)[0]


@documented
def boxcox_llf(lmb, data, *, axis=0, keepdims=False, nan_policy="propagate"):
    """The log-likelihood of the exponent of a Box-Cox transform (G. Box and D. Cox, An Analysis of
    Transformations, 1964).

    Returns
    -------
    ndarray
        Of floats; NaN of no samples.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> stats.boxcox_llf(1.0, cp.array([1.0, 2.0, 3.0])).round(6)
    array(0.608198)
    """

    def of(x):
        n = x.shape[-1]
        if n == 0:
            return (tenorite.full(x.shape[:-1], math.nan, dtype=x.dtype),)
        logs = tenorite.log(x)
        if lmb == 0:
            logvar = tenorite.log(logs.var(axis=-1))
        else:
            # The variance of x**lmb, each divided by the largest one's size so that none overflows.
            terms = lmb * logs
            largest = terms.real.max(axis=-1, keepdims=True)
            # Near lmb = 0 all are nearly 1: what they differ from it by has their digits.
            logvar = tenorite.log(tenorite.expm1(terms - largest).var(axis=-1))
            logvar = logvar + 2 * (largest[..., 0] - math.log(abs(lmb)))
        return ((lmb - 1) * logs.sum(axis=-1) - n / 2 * logvar,)

    return over_lines(of, [as_floats(data)], axis, nan_policy, keepdims)[0]
