"""Confidence and significance by drawing from the samples themselves."""

import itertools
import math
from collections import namedtuple

import numpy

import tenorite
from tenorite._arguments import as_array_of
from tenorite.scipy import special
from tenorite.scipy.stats._axes import ALTERNATIVES
from tenorite.scipy.stats._correlation import ConfidenceInterval
from tenorite.scipy.stats._distributions import generator_of

BootstrapResult = namedtuple("BootstrapResult", "confidence_interval bootstrap_distribution standard_error")
PermutationTestResult = namedtuple("PermutationTestResult", "statistic pvalue null_distribution")
_CHUNK = 1 << 24  # elements that are drawn at a time


def _prepared(data, axis):
    """The samples with their axis last, broadcast against each other."""
    arrays = [tenorite.atleast_1d(as_array_of(one)) for one in data]
    arrays = [tenorite.moveaxis(one, axis, -1) for one in arrays]
    outer = tenorite.broadcast_shapes(*(one.shape[:-1] for one in arrays))
    return [tenorite.broadcast_to(one, (*outer, one.shape[-1])) for one in arrays]


def _by_lines(statistic):
    """A statistic of lines as one of arrays along the last axis."""

    def vectorized(*arrays, axis):
        outer = arrays[0].shape[:-1]
        flat = [one.reshape(-1, one.shape[-1]) for one in arrays]
        made = [tenorite.asarray(statistic(*lines)) for lines in zip(*flat)]
        return tenorite.stack(made).reshape(outer)

    return vectorized


def _takes_axis(statistic, vectorized):
    if vectorized is None:
        try:
            return "axis" in statistic.__code__.co_varnames[: statistic.__code__.co_argcount + 9]
        except AttributeError:
            return hasattr(statistic, "reduce") or getattr(statistic, "__module__", "").startswith("tenorite")
    return vectorized


def _percentiles(values, share):
    """Quantiles along the last axis, a share for each line."""
    ordered = tenorite.sort(values, axis=-1)
    place = share * (values.shape[-1] - 1)
    low = tenorite.floor(place).astype(numpy.int64).clip(0, values.shape[-1] - 1)
    high = (low + 1).clip(0, values.shape[-1] - 1)
    first, second = (tenorite.take_along_axis(ordered, k[..., None], axis=-1)[..., 0] for k in (low, high))
    return first + (second - first) * (place - low)


def _corrected(samples, statistic, drawn, alpha, is_paired):
    """The shares of the bias-corrected and accelerated interval (B. Efron, Better Bootstrap
    Confidence Intervals, 1987), and their complements."""
    value = statistic(*samples, axis=-1)[..., None]
    share = ((drawn < value).sum(axis=-1) + (drawn <= value).sum(axis=-1)) / (2 * drawn.shape[-1])
    bias = special.ndtri(share)
    top, below = 0.0, 0.0
    groups = [range(len(samples))] if is_paired else [[k] for k in range(len(samples))]
    for group in groups:
        n = samples[group[0]].shape[-1]
        others = tenorite.arange(n - 1)[None] + (tenorite.arange(n - 1)[None] >= tenorite.arange(n)[:, None])
        arrays = [
            one[..., others]
            if k in group
            else tenorite.broadcast_to(one[..., None, :], (*one.shape[:-1], n, one.shape[-1]))
            for k, one in enumerate(samples)
        ]
        left = statistic(*arrays, axis=-1)
        away = (n - 1) * (left.mean(axis=-1, keepdims=True) - left)
        top = top + (away**3).sum(axis=-1) / n**3
        below = below + (away**2).sum(axis=-1) / n**2
    acceleration = top / (6 * below**1.5)
    z = special.ndtri(tenorite.asarray(alpha))

    def share_of(z):
        return special.ndtr(bias + (bias + z) / (1 - acceleration * (bias + z)))

    return share_of(z), share_of(-z)


def bootstrap(
    data,
    statistic,
    *,
    n_resamples=9999,
    batch=None,
    vectorized=None,
    paired=False,
    axis=0,
    confidence_level=0.95,
    alternative="two-sided",
    method="BCa",
    bootstrap_result=None,
    rng=None,
    random_state=None,
):
    """Where a statistic lies, by drawing from the samples with repetition (B. Efron and R.
    Tibshirani, An Introduction to the Bootstrap, 1993).

    Parameters
    ----------
    data : sequence of array_like
        The samples.
    statistic : callable
        Of as many arrays; ``statistic(*data, axis=axis)`` if it is vectorized.
    n_resamples : int, optional
        How often is drawn.
    batch : int, optional
        How many draws are computed at a time.
    vectorized : bool, optional
        By default whether the statistic has a parameter `axis`.
    paired : bool, optional
        Whether elements of the samples belong together.
    axis : int, optional
        That of the samples.
    confidence_level : float, optional
    alternative : {'two-sided', 'less', 'greater'}, optional
        Two ends, or an upper or a lower one.
    method : {'BCa', 'percentile', 'basic'}, optional
        How the interval is found.
    bootstrap_result : BootstrapResult, optional
        Earlier draws, to which these are added.
    rng, random_state : int, Generator or RandomState, optional

    Returns
    -------
    BootstrapResult
        confidence_interval (low, high), bootstrap_distribution (draws along the last axis),
        standard_error.

    Raises
    ------
    ValueError
        If `data` is no sequence of samples of two elements or more, or a name is unknown.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> made = stats.bootstrap((cp.arange(50.0),), cp.mean, n_resamples=99, rng=1)
    >>> bool(made.confidence_interval.low < 24.5 < made.confidence_interval.high)
    True
    """
    names = {name.lower(): name for name in ("percentile", "basic", "BCa")}
    if method.lower() not in names:
        raise ValueError(f"`method` must be in {set(names)}")
    if alternative not in ALTERNATIVES:
        raise ValueError(f"`alternative` must be one of {set(ALTERNATIVES)}")
    if n_resamples != int(n_resamples) or n_resamples < 0:
        raise ValueError("`n_resamples` must be a non-negative integer.")
    if not isinstance(data, (tuple, list)) or len(data) == 0:
        raise ValueError("`data` must be a sequence of samples.")
    samples = _prepared(data, axis)
    if any(one.shape[-1] <= 1 for one in samples):
        raise ValueError("each sample in `data` must contain two or more observations along `axis`.")
    if paired and len({one.shape[-1] for one in samples}) > 1:
        raise ValueError("When `paired is True`, all samples must have the same length along `axis`")
    function = statistic if _takes_axis(statistic, vectorized) else _by_lines(statistic)
    generator = generator_of(random_state if rng is None else rng)
    step = batch or max(1, _CHUNK // sum(one.size for one in samples))
    drawn = [] if bootstrap_result is None else [bootstrap_result.bootstrap_distribution]
    for start in range(0, int(n_resamples), step):
        count = min(step, int(n_resamples) - start)
        arrays, chosen = [], None
        for one in samples:
            n = one.shape[-1]
            if chosen is None or not paired:
                chosen = (generator.uniform(size=(count, n)) * n).astype(numpy.int64).clip(0, n - 1)
            arrays.append(one[..., chosen])
        drawn.append(function(*arrays, axis=-1))
    drawn = tenorite.concatenate(drawn, axis=-1)
    alpha = (1 - confidence_level) / 2 if alternative == "two-sided" else 1 - confidence_level
    with numpy.errstate(all="ignore"):
        if names[method.lower()] == "BCa":
            low, high = _corrected(samples, function, drawn, alpha, paired)
        else:
            low, high = (tenorite.full(drawn.shape[:-1], share) for share in (alpha, 1 - alpha))
        low, high = _percentiles(drawn, low), _percentiles(drawn, high)
    if names[method.lower()] == "basic":
        value = function(*samples, axis=-1)
        low, high = 2 * value - high, 2 * value - low
    if alternative == "less":
        low = tenorite.full_like(low, -math.inf)
    elif alternative == "greater":
        high = tenorite.full_like(high, math.inf)
    return BootstrapResult(ConfidenceInterval(low, high), drawn, drawn.std(axis=-1, ddof=1))


def _independent(samples, n_resamples, generator):
    """(an iterator of the samples drawn anew, whether they are all that there are)."""
    sizes = [one.shape[-1] for one in samples]
    total, most, left = sum(sizes), 1, sum(sizes)
    for n in sizes:
        most, left = most * math.comb(left, n), left - n
    both = tenorite.concatenate(samples, axis=-1)
    cuts = numpy.cumsum(sizes)[:-1]
    if n_resamples >= most:
        orders = list(_partitions(range(total), sizes))
        return both, numpy.array(orders), cuts, True
    return both, None, cuts, False


def _partitions(elements, sizes):
    """Every way to deal elements to groups of these sizes, as lists of all of them."""
    elements = list(elements)
    if len(sizes) == 1:
        yield elements
        return
    for chosen in itertools.combinations(elements, sizes[0]):
        left = [one for one in elements if one not in chosen]
        for others in _partitions(left, sizes[1:]):
            yield [*chosen, *others]


def _orders(generator, count, n):
    """Random permutations, a row each."""
    return tenorite.argsort(generator.uniform(size=(count, n)), axis=-1)


def _draws(samples, kind, n_resamples, generator, batch):
    """(iterator of lists of arrays, draws along the axis before the last; if all are drawn)."""
    sizes = [one.shape[-1] for one in samples]
    n = sizes[0]
    step = batch or max(1, _CHUNK // sum(one.size for one in samples))
    if kind == "independent":
        both, orders, cuts, is_exact = _independent(samples, n_resamples, generator)
        of = lambda chosen: tenorite.split(both[..., chosen], cuts.tolist(), axis=-1)
        draw = lambda count: _orders(generator, count, both.shape[-1])
    elif kind == "pairings":
        is_exact = n_resamples >= math.factorial(n) ** len(samples)
        orders = None
        if is_exact:
            every = list(itertools.permutations(range(n)))
            orders = numpy.array([sum(one, ()) for one in itertools.product(every, repeat=len(samples))])
        of = lambda chosen: [one[..., chosen[:, k * n : (k + 1) * n]] for k, one in enumerate(samples)]
        draw = lambda count: tenorite.concatenate([_orders(generator, count, n) for _ in samples], axis=-1)
    else:
        several = len(samples) > 1
        width = len(samples) if several else 2
        is_exact = n_resamples >= math.factorial(width) ** n
        stack = tenorite.stack(samples, axis=-2) if several else tenorite.stack([samples[0], -samples[0]], axis=-2)
        every = list(itertools.permutations(range(width))) if is_exact else None
        orders = (
            numpy.array(list(itertools.product(every, repeat=n))).transpose(0, 2, 1).reshape(-1, width * n)
            if is_exact
            else None
        )

        def of(chosen):
            chosen = chosen.reshape(len(chosen), width, n)
            made = stack[..., chosen, tenorite.arange(n)]
            return [made[..., k, :] for k in range(len(samples))]

        def draw(count):
            keys = generator.uniform(size=(count, n, width))
            return tenorite.argsort(keys, axis=-1).transpose(0, 2, 1).reshape(count, width * n)

    def pieces():
        total = len(orders) if is_exact else int(n_resamples)
        for start in range(0, total, step):
            count = min(step, total - start)
            yield of(tenorite.asarray(orders[start : start + count]) if is_exact else draw(count))

    return pieces(), is_exact


def permutation_test(
    data,
    statistic,
    *,
    permutation_type="independent",
    vectorized=None,
    n_resamples=9999,
    batch=None,
    alternative="two-sided",
    axis=0,
    rng=None,
    random_state=None,
):
    """The probability of a statistic if the samples were dealt by chance (R. Fisher, The Design of
    Experiments, 1935).

    Parameters
    ----------
    data : sequence of array_like
        The samples.
    statistic : callable
        Of as many arrays; ``statistic(*data, axis=axis)`` if it is vectorized.
    permutation_type : {'independent', 'samples', 'pairings'}, optional
        What is exchanged: elements of all samples, those of one place, or the order in each.
    vectorized : bool, optional
        By default whether the statistic has a parameter `axis`.
    n_resamples : int, optional
        How often is drawn; if there are no more ways than this, each is taken once.
    batch : int, optional
        How many draws are computed at a time.
    alternative : {'two-sided', 'less', 'greater'}, optional
        Which statistics are stronger.
    axis : int, optional
        That of the samples.
    rng, random_state : int, Generator or RandomState, optional

    Returns
    -------
    PermutationTestResult
        statistic, pvalue, null_distribution (draws along the first axis).

    Raises
    ------
    ValueError
        If samples do not fit, or a name is unknown.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.scipy import stats
    >>> far = lambda x, y, axis: x.mean(axis=axis) - y.mean(axis=axis)
    >>> stats.permutation_test((cp.arange(3.0), cp.arange(5.0, 8.0)), far).pvalue
    array(0.1)
    """
    if permutation_type not in ("samples", "pairings", "independent"):
        raise ValueError("`permutation_type` must be in {'samples', 'pairings', 'independent'}.")
    if alternative not in ALTERNATIVES:
        raise ValueError(f"`alternative` must be in {set(ALTERNATIVES)}")
    if not isinstance(data, (tuple, list)):
        raise ValueError("`data` must be a tuple containing at least two samples")
    if len(data) < 2 and permutation_type == "independent":
        raise ValueError("`data` must be a tuple containing at least two samples")
    samples = _prepared(data, axis)
    sizes = {one.shape[-1] for one in samples}
    if min(sizes) <= 1:
        raise ValueError("each sample in `data` must contain two or more observations along `axis`.")
    if permutation_type != "independent" and len(sizes) > 1:
        raise ValueError(f"When `permutation_type` is '{permutation_type}', samples must have equal lengths")
    function = statistic if _takes_axis(statistic, vectorized) else _by_lines(statistic)
    observed = function(*samples, axis=-1)
    generator = generator_of(random_state if rng is None else rng)
    pieces, is_exact = _draws(samples, permutation_type, n_resamples, generator, batch)
    null = tenorite.concatenate([function(*arrays, axis=-1) for arrays in pieces], axis=-1)
    null = tenorite.moveaxis(null, -1, 0)
    # Rounding errors do not make equal statistics differ.
    epsilon = 0 if observed.dtype.kind not in "fc" else 100 * numpy.finfo(observed.dtype).eps
    gamma = abs(epsilon * observed)
    more = 0 if is_exact else 1
    less = ((null <= observed + gamma).sum(axis=0) + more) / (len(null) + more)
    greater = ((null >= observed - gamma).sum(axis=0) + more) / (len(null) + more)
    p = {"less": less, "greater": greater}.get(alternative)
    p = (2 * tenorite.minimum(less, greater)).clip(0, 1) if p is None else p
    return PermutationTestResult(observed, p, null)
