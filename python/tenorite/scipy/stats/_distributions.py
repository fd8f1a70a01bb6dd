"""Distributions: densities, distribution functions, their inverses, moments, random variates.

A distribution is a row of functions of the standard variable z = (x - loc) / scale. Formulas are
those of N. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate Distributions, and of their
Univariate Discrete Distributions; incomplete functions are those of tenorite.scipy.special.
"""

import math

import numpy

import tenorite
from tenorite._arguments import as_array_of
from tenorite.scipy import special
from tenorite.scipy.stats._axes import student_below

_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)


def _array(value):
    value = as_array_of(value)
    if value.dtype.kind == "c":
        raise TypeError("a distribution is not defined for complex values")
    return value.astype(float, copy=False)


def generator_of(random_state):
    """The generator that a program names by a seed, an object or None."""
    if random_state is None or isinstance(random_state, (int, numpy.integer)):
        return tenorite.random.default_rng(random_state)
    return random_state


class Distribution:
    """A family of probability distributions.

    Parameters
    ----------
    name : str
    shapes : tuple of str
        The names of its shape parameters.
    functions : dict of callables
        Of the standard variable and the shape parameters.
    """

    def __init__(self, name, shapes, functions):
        self.name, self.numargs = name, len(shapes)
        self.shapes = ", ".join(shapes) or None
        self._names, self._functions = shapes, functions

    def __repr__(self):
        return f"<tenorite.scipy.stats.{self.name}>"

    def __call__(self, *args, **kwds):
        """The distribution with its parameters given once; see `freeze`."""
        return self.freeze(*args, **kwds)

    def freeze(self, *args, **kwds):
        """The distribution with its parameters given once.

        Returns
        -------
        Frozen
            Its methods take what is left: ``norm(0, 2).pdf(x)``.
        """
        return Frozen(self, *args, **kwds)

    def _parameters(self, args, kwds):
        """(shapes, loc, scale) as arrays, as SciPy's methods take them."""
        names = [*self._names, "loc", *(["scale"] if self._has_scale else [])]
        if len(args) > len(names):
            raise TypeError(f"_parse_args() takes from {self.numargs + 1} to {len(names) + 1} positional arguments")
        given = dict(zip(names, args))
        for name, value in kwds.items():
            if name not in names:
                raise TypeError(f"{self.name} has no parameter {name!r}")
            if name in given:
                raise TypeError(f"{self.name} got multiple values for parameter {name!r}")
            given[name] = value
        missing = [name for name in self._names if name not in given]
        if missing:
            raise TypeError(f"{self.name} lacks the parameter {missing[0]!r}")
        shapes = [_array(given[name]) for name in self._names]
        return shapes, _array(given.get("loc", 0.0)), _array(given.get("scale", 1.0))

    def _are_valid(self, shapes, scale):
        valid = scale > 0
        check = self._functions.get("valid")
        return valid if check is None else valid & check(*shapes)

    def _support(self, shapes):
        return self._functions["support"](*shapes) if "support" in self._functions else (-math.inf, math.inf)

    def _probability(self, name, x, args, kwds, below, above):
        """A function of a place: `below` and `above` are its values beside the support."""
        shapes, loc, scale = self._parameters(args, kwds)
        z = (_array(x) - loc) / scale
        lowest, highest = self._support(shapes)
        if self._is_discrete and name not in ("logpmf", "pmf"):
            z = tenorite.floor(z)
        with numpy.errstate(all="ignore"):
            inside = self._standard(name, z, shapes)
        inside = tenorite.where(z < lowest, below, inside)
        is_above = z >= highest if name not in self._POINTS else z > highest
        inside = tenorite.where(is_above, above, inside)
        valid = self._are_valid(shapes, scale) & ~tenorite.isnan(z)
        return tenorite.where(valid, inside, math.nan), scale

    _POINTS = ("pdf", "logpdf", "pmf", "logpmf")

    def _standard(self, name, z, shapes):
        functions = self._functions
        if name in functions:
            return functions[name](z, *shapes)
        if name in ("logcdf", "logsf"):
            own, other = (
                self._standard(one, z, shapes) for one in (("cdf", "sf") if name == "logcdf" else ("sf", "cdf"))
            )
            return tenorite.where(own < 0.5, tenorite.log(own), special.log1p(-other))
        if name in ("pdf", "pmf"):
            return tenorite.exp(functions[f"log{name}"](z, *shapes))
        return 1 - functions["cdf"](z, *shapes)  # sf

    def cdf(self, x, *args, **kwds):
        """The probability of at most `x`.

        Parameters
        ----------
        x : array_like
        *args, **kwds : array_like
            Shape parameters, then ``loc`` and ``scale``; they broadcast.

        Returns
        -------
        ndarray
            Of float64; NaN for parameters that the distribution has not.
        """
        return self._probability("cdf", x, args, kwds, 0.0, 1.0)[0]

    def sf(self, x, *args, **kwds):
        """The probability of more than `x`; see `cdf`."""
        return self._probability("sf", x, args, kwds, 1.0, 0.0)[0]

    def logcdf(self, x, *args, **kwds):
        """The logarithm of `cdf`."""
        return self._probability("logcdf", x, args, kwds, -math.inf, 0.0)[0]

    def logsf(self, x, *args, **kwds):
        """The logarithm of `sf`."""
        return self._probability("logsf", x, args, kwds, 0.0, -math.inf)[0]

    def _inverse(self, name, q, args, kwds):
        shapes, loc, scale = self._parameters(args, kwds)
        q = _array(q)
        lowest, highest = self._support(shapes)
        with numpy.errstate(all="ignore"):
            if name in self._functions:
                z = self._functions[name](q, *shapes)
            elif name == "isf":
                z = self._functions["ppf"](1 - q, *shapes)
            first, last = (lowest, highest) if name == "ppf" else (highest, lowest)
            if self._is_discrete:
                first = lowest - 1 if name == "ppf" else first
                last = lowest - 1 if name == "isf" else last
            z = tenorite.where(q == 0, first, tenorite.where(q == 1, last, z))
            valid = self._are_valid(shapes, scale) & (q >= 0) & (q <= 1)
            return tenorite.where(valid, z * scale + loc, math.nan)

    def ppf(self, q, *args, **kwds):
        """The quantile: where `cdf` is `q`.

        Parameters
        ----------
        q : array_like
            Probabilities; NaN results of others.
        *args, **kwds : array_like
            Shape parameters, then ``loc`` and ``scale``; they broadcast.

        Returns
        -------
        ndarray
            Of float64.
        """
        return self._inverse("ppf", q, args, kwds)

    def isf(self, q, *args, **kwds):
        """The place where `sf` is `q`; see `ppf`."""
        return self._inverse("isf", q, args, kwds)

    def _moments(self, args, kwds):
        shapes, loc, scale = self._parameters(args, kwds)
        with numpy.errstate(all="ignore"):
            mean, var, skew, kurtosis = (
                tenorite.asarray(one, dtype=float) for one in self._functions["moments"](*shapes)
            )
        valid = self._are_valid(shapes, scale)
        made = {"m": mean * scale + loc, "v": var * scale**2, "s": skew, "k": kurtosis}
        return {name: tenorite.where(valid, one, math.nan) for name, one in made.items()}

    def stats(self, *args, moments="mv", **kwds):
        """Mean ('m'), variance ('v'), skewness ('s') and excess kurtosis ('k').

        Parameters
        ----------
        *args, **kwds : array_like
            Shape parameters, then ``loc`` and ``scale``.
        moments : str, optional
            Which, by their letters.

        Returns
        -------
        ndarray, or tuple of them
        """
        made = self._moments(args, kwds)
        chosen = tuple(made[name] for name in "mvsk" if name in moments)
        return chosen[0] if len(chosen) == 1 else chosen

    def mean(self, *args, **kwds):
        """The mean, an ndarray; parameters as in `stats`."""
        return self._moments(args, kwds)["m"]

    def var(self, *args, **kwds):
        """The variance, an ndarray; parameters as in `stats`."""
        return self._moments(args, kwds)["v"]

    def std(self, *args, **kwds):
        """The standard deviation, an ndarray; parameters as in `stats`."""
        return tenorite.sqrt(self.var(*args, **kwds))

    def median(self, *args, **kwds):
        """The median, an ndarray; parameters as in `stats`."""
        return self.ppf(0.5, *args, **kwds)

    def interval(self, confidence, *args, **kwds):
        """The two places between which a share of the probability lies, as much on each side out.

        Parameters
        ----------
        confidence : array_like
            The share.
        *args, **kwds : array_like
            Shape parameters, then ``loc`` and ``scale``.

        Returns
        -------
        tuple of two ndarrays
        """
        confidence = _array(confidence)
        if bool(((confidence < 0) | (confidence > 1)).any()):
            raise ValueError("alpha must be between 0 and 1 inclusive")
        return self.ppf((1 - confidence) / 2, *args, **kwds), self.ppf((1 + confidence) / 2, *args, **kwds)

    def support(self, *args, **kwds):
        """The least and the largest value, as a tuple of two ndarrays."""
        shapes, loc, scale = self._parameters(args, kwds)
        valid = self._are_valid(shapes, scale)
        return tuple(tenorite.where(valid, end * scale + loc, math.nan) for end in self._support(shapes))

    def entropy(self, *args, **kwds):
        """The differential entropy, or that of a discrete distribution, in nats.

        Raises
        ------
        NotImplementedError
            For the distributions whose entropy has no closed form.
        """
        shapes, _, scale = self._parameters(args, kwds)
        if "entropy" not in self._functions:
            raise NotImplementedError(f"the entropy of {self.name} has no closed form")
        made = self._functions["entropy"](*shapes) + (0 if self._is_discrete else tenorite.log(scale))
        return tenorite.where(self._are_valid(shapes, scale), made, math.nan)

    def rvs(self, *args, size=None, random_state=None, **kwds):
        """Random variates.

        Parameters
        ----------
        *args, **kwds : array_like
            Shape parameters, then ``loc`` and ``scale``.
        size : int or tuple of ints, optional
            The shape; by default that of the parameters.
        random_state : int, Generator or RandomState, optional

        Returns
        -------
        ndarray
            Of float64, or int64 of a discrete distribution.

        Raises
        ------
        ValueError
            If a parameter is out of its domain.
        """
        shapes, loc, scale = self._parameters(args, kwds)
        if not bool(self._are_valid(shapes, scale).all()):
            raise ValueError("Domain error in arguments. The `scale` parameter must be positive for all distributions")
        shape = tenorite.broadcast_shapes(loc.shape, scale.shape, *(one.shape for one in shapes))
        size = shape if size is None else size
        drawn = self._functions["draw"](generator_of(random_state), tuple(numpy.atleast_1d(size)), *shapes)
        drawn = drawn * scale + loc if self._has_scale else drawn + loc.astype(numpy.int64)
        return drawn.reshape(()) if size == () else drawn


class Continuous(Distribution):
    """A family of distributions that have a density."""

    _has_scale, _is_discrete = True, False

    def pdf(self, x, *args, **kwds):
        """The density at `x`.

        Parameters
        ----------
        x : array_like
        *args, **kwds : array_like
            Shape parameters, then ``loc`` and ``scale``; they broadcast.

        Returns
        -------
        ndarray
            Of float64; NaN for parameters that the distribution has not.
        """
        value, scale = self._probability("pdf", x, args, kwds, 0.0, 0.0)
        return value / scale

    def logpdf(self, x, *args, **kwds):
        """The logarithm of `pdf`."""
        value, scale = self._probability("logpdf", x, args, kwds, -math.inf, -math.inf)
        return value - tenorite.log(scale)

    def fit(self, data, *, floc=None, fscale=None):
        """The parameters of the largest likelihood, where a formula gives them.

        Parameters
        ----------
        data : array_like
        floc, fscale : float, optional
            Values of ``loc`` and ``scale`` that are kept.

        Returns
        -------
        tuple of floats
            Shape parameters, ``loc``, ``scale``.

        Raises
        ------
        NotImplementedError
            For distributions whose fit needs an iteration.
        """
        if "fit" not in self._functions:
            raise NotImplementedError(f"fit of {self.name} has no closed form; SciPy's takes data of the host")
        if floc is not None and fscale is not None:
            raise ValueError("All parameters fixed. There is nothing to optimize.")
        data = _array(data).ravel()
        if not bool(tenorite.isfinite(data).all()):
            raise ValueError("The data contains non-finite values.")
        return tuple(float(one) for one in self._functions["fit"](data, floc, fscale))


class Discrete(Distribution):
    """A family of distributions of integers."""

    _has_scale, _is_discrete = False, True

    def pmf(self, k, *args, **kwds):
        """The probability of `k`.

        Parameters
        ----------
        k : array_like
        *args, **kwds : array_like
            Shape parameters, then ``loc``; they broadcast.

        Returns
        -------
        ndarray
            Of float64; NaN for parameters that the distribution has not.
        """
        return tenorite.exp(self.logpmf(k, *args, **kwds))

    def logpmf(self, k, *args, **kwds):
        """The logarithm of `pmf`."""
        value, _ = self._probability("logpmf", k, args, kwds, -math.inf, -math.inf)
        shapes, loc, _ = self._parameters(args, kwds)
        z = _array(k) - loc
        return tenorite.where((z == tenorite.floor(z)) | tenorite.isnan(value), value, -math.inf)


class Frozen:
    """A distribution whose parameters are given: the family's methods without them."""

    def __init__(self, dist, *args, **kwds):
        self.dist, self.args, self.kwds = dist, args, kwds
        dist._parameters(args, kwds)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.dist, name)
        leads = name in ("interval",) or name in _OF_VALUES

        def bound(*values, **options):
            values = (*values[:1], *self.args, *values[1:]) if leads else (*self.args, *values)
            return method(*values, **self.kwds, **options)

        return bound

    def rvs(self, size=None, random_state=None):
        """Random variates; see `Distribution.rvs`."""
        return self.dist.rvs(*self.args, size=size, random_state=random_state, **self.kwds)


_OF_VALUES = frozenset("pdf logpdf pmf logpmf cdf logcdf sf logsf ppf isf".split())


def _t_ppf(q, df):
    """Roots of the incomplete beta function, by that of two which is the smaller."""
    low = tenorite.minimum(q, 1 - q)
    x = special.betaincinv(0.5 * df, tenorite.asarray(0.5), 2 * low)
    y = special.betaincinv(tenorite.asarray(0.5), 0.5 * df, 1 - 2 * low)
    size = tenorite.sqrt(df * tenorite.where(x < 0.5, (1 - x) / x, y / (1 - y)))
    size = tenorite.where(tenorite.isinf(df), -special.ndtri(low), size)
    return tenorite.where(q < 0.5, -size, size)


def _t_logpdf(z, df):
    """Beyond a million degrees the factor is that of the normal distribution but for 1 / (4 df)."""
    factor = special.gammaln((df + 1) / 2) - special.gammaln(df / 2) - 0.5 * tenorite.log(df * math.pi)
    factor = tenorite.where(df > 1e6, -_LOG_ROOT_2PI - 0.25 / df, factor)
    known = factor - (df + 1) / 2 * special.log1p(z * z / df)
    return tenorite.where(tenorite.isinf(df), -z * z / 2 - _LOG_ROOT_2PI, known)


def _t_moments(df):
    var = tenorite.where(df > 2, df / (df - 2), tenorite.where(df > 1, math.inf, math.nan))
    var = tenorite.where(tenorite.isinf(df), 1.0, var)
    kurtosis = tenorite.where(df > 4, 6 / (df - 4), tenorite.where(df > 2, math.inf, math.nan))
    mean = tenorite.where(df > 1, 0.0, math.inf)
    return mean, var, tenorite.where(df > 3, 0.0, math.nan), kurtosis


def _f_logpdf(z, m, n):
    return (
        m / 2 * tenorite.log(m)
        + n / 2 * tenorite.log(n)
        + special.xlogy(m / 2 - 1, z)
        - (m + n) / 2 * tenorite.log(n + m * z)
        - special.betaln(m / 2, n / 2)
    )


def _f_moments(m, n):
    mean = tenorite.where(n > 2, n / (n - 2), math.inf)
    var = tenorite.where(n > 4, 2 * n * n * (m + n - 2) / (m * (n - 2) ** 2 * (n - 4)), math.inf)
    skew = (2 * m + n - 2) / (n - 6) * tenorite.sqrt(8 * (n - 4) / (m * (m + n - 2)))
    kurtosis = 12 * (m * (5 * n - 22) * (m + n - 2) + (n - 4) * (n - 2) ** 2) / (m * (n - 6) * (n - 8) * (m + n - 2))
    return mean, var, tenorite.where(n > 6, skew, math.nan), tenorite.where(n > 8, kurtosis, math.nan)


def _beta_moments(a, b):
    total = a + b
    skew = 2 * (b - a) * tenorite.sqrt(total + 1) / ((total + 2) * tenorite.sqrt(a * b))
    kurtosis = 6 * ((a - b) ** 2 * (total + 1) - a * b * (total + 2)) / (a * b * (total + 2) * (total + 3))
    return a / total, a * b / (total**2 * (total + 1)), skew, kurtosis


def _beta_entropy(a, b):
    psi = special.digamma
    return special.betaln(a, b) - (a - 1) * psi(a) - (b - 1) * psi(b) + (a + b - 2) * psi(a + b)


def _gamma_entropy(a):
    return special.digamma(a) * (1 - a) + a + special.gammaln(a)


def _t_entropy(df):
    psi, half, more = special.digamma, df / 2, (df + 1) / 2
    return more * (psi(more) - psi(half)) + 0.5 * tenorite.log(df) + special.betaln(half, tenorite.asarray(0.5))


def _lognorm_logpdf(z, s):
    logs = tenorite.log(z)
    return tenorite.where(z > 0, -(logs**2) / (2 * s * s) - tenorite.log(s) - logs - _LOG_ROOT_2PI, -math.inf)


def _lognorm_moments(s):
    p = tenorite.exp(s * s)
    kurtosis = p**4 + 2 * p**3 + 3 * p**2 - 6
    return tenorite.sqrt(p), p * (p - 1), (2 + p) * tenorite.sqrt(p - 1), kurtosis


def _smallest(is_reached, low, high):
    """The least integer in (low, high] where a predicate that stays true is: by bisection."""
    low, high = tenorite.broadcast_arrays(low, high)
    for _ in range(int(math.ceil(math.log2(max(float((high - low).max(initial=1)), 2)))) + 1 if low.size else 0):
        middle = tenorite.floor((low + high) / 2)
        found = is_reached(middle)
        low, high = tenorite.where(found, low, middle), tenorite.where(found, middle, high)
    return high


def _poisson_ppf(q, mu):
    q, mu = tenorite.broadcast_arrays(q, mu)
    top = tenorite.ceil(mu + 40 * tenorite.sqrt(mu) + 60)  # beyond this 1 - cdf is below 1e-300
    return _smallest(lambda k: special.pdtr(k, mu) >= q, tenorite.full_like(q, -1.0), top)


def _binom_cdf(k, n, p):
    return tenorite.where(k >= n, 1.0, special.betainc(tenorite.maximum(n - k, 1e-9), k + 1, 1 - p))


def _binom_ppf(q, n, p):
    q, n, p = tenorite.broadcast_arrays(q, n, p)
    return _smallest(lambda k: _binom_cdf(k, n, p) >= q, tenorite.full_like(q, -1.0), n.copy())


def _binom_logpmf(k, n, p):
    several = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return several + special.xlogy(k, p) + special.xlog1py(n - k, -p)


def _binom_moments(n, p):
    var = n * p * (1 - p)
    return n * p, var, (1 - 2 * p) / tenorite.sqrt(var), (1 - 6 * p * (1 - p)) / var


def _fit_norm(data, loc, scale):
    loc = data.mean() if loc is None else loc
    return loc, tenorite.sqrt(((data - loc) ** 2).mean()) if scale is None else scale


def _fit_lognorm(data, loc, scale):
    if loc is None:
        raise NotImplementedError("fit of lognorm has a closed form for a given floc only")
    logs = tenorite.log(data - loc)
    mean = logs.mean() if scale is None else math.log(scale)
    return tenorite.sqrt(((logs - mean) ** 2).mean()), loc, tenorite.exp(mean) if scale is None else scale


def _fit_uniform(data, loc, scale):
    low, high = data.min(), data.max()
    if loc is not None:
        return loc, high - loc
    if scale is not None:
        return (low + high) / 2 - scale / 2, scale
    return low, high - low


def _fit_expon(data, loc, scale):
    loc = data.min() if loc is None else loc
    return loc, data.mean() - loc if scale is None else scale


def _positive(*shapes):
    valid = shapes[0] > 0
    for one in shapes[1:]:
        valid = valid & (one > 0)
    return valid


_DOCUMENT = """The {title}.

    Parameters
    ----------
    *args, **kwds : array_like
        Shape parameters{shapes}, then {where}; they broadcast.

    Returns
    -------
    Frozen
        The distribution with these parameters. Without a call the object is the family: its
        methods take the parameters after their first argument.

    Raises
    ------
    TypeError
        If a shape parameter is missing, or there are too many parameters.

    Examples
    --------
    {example}
    """


def _made(kind, name, shapes=(), **functions):
    made = kind(name, tuple(shapes), functions)
    made.__doc__ = _DOCUMENT.format(
        title=_TITLES[name],
        shapes=" (" + ", ".join(shapes) + ")" if shapes else " (none)",
        where="``loc`` and ``scale``" if kind is Continuous else "``loc``",
        example=_EXAMPLES[name].replace("\n", "\n    "),
    )
    return made


_TITLES = {
    "norm": "normal distribution",
    "uniform": "uniform distribution from loc to loc + scale",
    "expon": "exponential distribution",
    "gamma": "gamma distribution of shape a",
    "beta": "beta distribution of shapes a and b",
    "t": "Student's t distribution of df degrees of freedom",
    "chi2": "chi-squared distribution of df degrees of freedom",
    "f": "F distribution of dfn and dfd degrees of freedom",
    "lognorm": "distribution of exp(s * z), z normal",
    "poisson": "Poisson distribution of mean mu",
    "binom": "distribution of successes in n trials of probability p",
}
_EXAMPLES = {
    name: f">>> import tenorite as cp\n>>> from tenorite.scipy import stats\n>>> {call}\n{result}"
    for name, call, result in (
        ("norm", "stats.norm.cdf(cp.array([0.0]))", "array([0.5])"),
        ("uniform", "stats.uniform.pdf(cp.array([0.5, 2.0]))", "array([1., 0.])"),
        ("expon", "stats.expon.sf(cp.array([0.0]))", "array([1.])"),
        ("gamma", "stats.gamma.mean(3.0)", "array(3.)"),
        ("beta", "stats.beta.cdf(cp.array([0.5]), 2, 2)", "array([0.5])"),
        ("t", "stats.t.cdf(cp.array([0.0]), 5)", "array([0.5])"),
        ("chi2", "stats.chi2.var(3)", "array(6.)"),
        ("f", "stats.f.mean(4, 10)", "array(1.25)"),
        ("lognorm", "stats.lognorm.median(0.5)", "array(1.)"),
        ("poisson", "stats.poisson.ppf(cp.array([0.5]), 4)", "array([4.])"),
        ("binom", "stats.binom.mean(10, 0.25)", "array(2.5)"),
    )
}


def _unit(*shapes):
    return 0.0, 1.0


def _from_zero(*shapes):
    return 0.0, math.inf


norm = _made(
    Continuous,
    "norm",
    logpdf=lambda z: -z * z / 2 - _LOG_ROOT_2PI,
    cdf=lambda z: special.ndtr(z),
    sf=lambda z: special.ndtr(-z),
    logcdf=lambda z: special.log_ndtr(z),
    logsf=lambda z: special.log_ndtr(-z),
    ppf=lambda q: special.ndtri(q),
    isf=lambda q: -special.ndtri(q),
    moments=lambda: (0.0, 1.0, 0.0, 0.0),
    entropy=lambda: 0.5 * (math.log(2 * math.pi) + 1),
    draw=lambda rng, size: rng.standard_normal(size),
    fit=_fit_norm,
)
uniform = _made(
    Continuous,
    "uniform",
    support=_unit,
    logpdf=lambda z: z * 0,
    cdf=lambda z: z,
    sf=lambda z: 1 - z,
    ppf=lambda q: q,
    isf=lambda q: 1 - q,
    moments=lambda: (0.5, 1 / 12, 0.0, -1.2),
    entropy=lambda: 0.0,
    draw=lambda rng, size: rng.uniform(size=size),
    fit=_fit_uniform,
)
expon = _made(
    Continuous,
    "expon",
    support=_from_zero,
    logpdf=lambda z: -z,
    cdf=lambda z: -special.expm1(-z),
    sf=lambda z: tenorite.exp(-z),
    logsf=lambda z: -z,
    ppf=lambda q: -special.log1p(-q),
    isf=lambda q: -tenorite.log(q),
    moments=lambda: (1.0, 1.0, 2.0, 6.0),
    entropy=lambda: 1.0,
    draw=lambda rng, size: rng.standard_exponential(size),
    fit=_fit_expon,
)
gamma = _made(
    Continuous,
    "gamma",
    ("a",),
    support=_from_zero,
    valid=_positive,
    logpdf=lambda z, a: special.xlogy(a - 1, z) - z - special.gammaln(a),
    cdf=lambda z, a: special.gammainc(a, z),
    sf=lambda z, a: special.gammaincc(a, z),
    ppf=lambda q, a: special.gammaincinv(a, q),
    isf=lambda q, a: special.gammainccinv(a, q),
    moments=lambda a: (a, a, 2 / tenorite.sqrt(a), 6 / a),
    entropy=_gamma_entropy,
    draw=lambda rng, size, a: rng.standard_gamma(a, size),
)
beta = _made(
    Continuous,
    "beta",
    ("a", "b"),
    support=_unit,
    valid=_positive,
    logpdf=lambda z, a, b: special.xlog1py(b - 1, -z) + special.xlogy(a - 1, z) - special.betaln(a, b),
    cdf=lambda z, a, b: special.betainc(a, b, z),
    sf=lambda z, a, b: special.betainc(b, a, 1 - z),
    ppf=lambda q, a, b: special.betaincinv(a, b, q),
    isf=lambda q, a, b: 1 - special.betaincinv(b, a, q),
    moments=_beta_moments,
    entropy=_beta_entropy,
    draw=lambda rng, size, a, b: rng.beta(a, b, size),
)
t = _made(
    Continuous,
    "t",
    ("df",),
    valid=_positive,
    logpdf=_t_logpdf,
    cdf=student_below,
    sf=lambda z, df: student_below(-z, df),
    ppf=_t_ppf,
    isf=lambda q, df: -_t_ppf(q, df),
    moments=_t_moments,
    entropy=_t_entropy,
    draw=lambda rng, size, df: rng.standard_t(df, size),
)
chi2 = _made(
    Continuous,
    "chi2",
    ("df",),
    support=_from_zero,
    valid=_positive,
    logpdf=lambda z, df: special.xlogy(df / 2 - 1, z) - z / 2 - special.gammaln(df / 2) - df / 2 * math.log(2),
    cdf=lambda z, df: special.gammainc(df / 2, z / 2),
    sf=lambda z, df: special.gammaincc(df / 2, z / 2),
    ppf=lambda q, df: 2 * special.gammaincinv(df / 2, q),
    isf=lambda q, df: 2 * special.gammainccinv(df / 2, q),
    moments=lambda df: (df, 2 * df, 2 * tenorite.sqrt(2 / df), 12 / df),
    entropy=lambda df: _gamma_entropy(df / 2) + math.log(2),
    draw=lambda rng, size, df: rng.chisquare(df, size),
)
f = _made(
    Continuous,
    "f",
    ("dfn", "dfd"),
    support=_from_zero,
    valid=_positive,
    logpdf=_f_logpdf,
    cdf=lambda z, m, n: special.betainc(m / 2, n / 2, m * z / (m * z + n)),
    sf=lambda z, m, n: special.betainc(n / 2, m / 2, n / (m * z + n)),
    ppf=lambda q, m, n: special.fdtri(m, n, q),
    isf=lambda q, m, n: 1 / special.fdtri(n, m, q),
    moments=_f_moments,
    draw=lambda rng, size, m, n: rng.f(m, n, size),
)
lognorm = _made(
    Continuous,
    "lognorm",
    ("s",),
    support=_from_zero,
    valid=_positive,
    logpdf=_lognorm_logpdf,
    cdf=lambda z, s: special.ndtr(tenorite.log(z) / s),
    sf=lambda z, s: special.ndtr(-tenorite.log(z) / s),
    logcdf=lambda z, s: special.log_ndtr(tenorite.log(z) / s),
    logsf=lambda z, s: special.log_ndtr(-tenorite.log(z) / s),
    ppf=lambda q, s: tenorite.exp(s * special.ndtri(q)),
    isf=lambda q, s: tenorite.exp(-s * special.ndtri(q)),
    moments=_lognorm_moments,
    entropy=lambda s: 0.5 * (1 + math.log(2 * math.pi)) + tenorite.log(s),
    draw=lambda rng, size, s: rng.lognormal(0.0, s, size),
    fit=_fit_lognorm,
)
poisson = _made(
    Discrete,
    "poisson",
    ("mu",),
    support=_from_zero,
    valid=lambda mu: mu >= 0,
    logpmf=lambda k, mu: special.xlogy(k, mu) - special.gammaln(k + 1) - mu,
    cdf=lambda k, mu: special.pdtr(k, mu),
    sf=lambda k, mu: special.pdtrc(k, mu),
    ppf=_poisson_ppf,
    moments=lambda mu: (mu, mu, 1 / tenorite.sqrt(mu), 1 / mu),
    draw=lambda rng, size, mu: rng.poisson(mu, size),
)
binom = _made(
    Discrete,
    "binom",
    ("n", "p"),
    support=lambda n, p: (0.0, n),
    valid=lambda n, p: (n >= 0) & (n == tenorite.floor(n)) & (p >= 0) & (p <= 1),
    logpmf=_binom_logpmf,
    cdf=_binom_cdf,
    sf=lambda k, n, p: tenorite.where(k >= n, 0.0, special.betainc(k + 1, tenorite.maximum(n - k, 1e-9), p)),
    ppf=_binom_ppf,
    moments=_binom_moments,
    draw=lambda rng, size, n, p: rng.binomial(n.astype(numpy.int64), p, size),
)
