"""Every distribution once: the methods that Generator and RandomState share, and of which the
functions of the module are made."""

import math

from tenorite.random import _drawings as drawings
from tenorite.random._arguments import as_parameter, check, check_elements, is_number, ndarray
from tenorite.random._bit_generator import BitGenerator
from tenorite.random._documents import described

_METHOD = """method : {'inv', 'zig'}, optional
    Accepted as NumPy has it; numbers are always made by inversion.
"""


class Distributions:
    """Methods that draw from distributions.

    Parameters of a distribution are numbers, or arrays that broadcast with each other and with
    `size`. `size` is the shape of the result; None: that of the parameters, and a 0-d array if they
    are numbers.
    """

    _least_sample, _most_items = 0, math.inf  # of a hypergeometric number
    _narrows = False  # whether most floats come in any real dtype

    def __init__(self, bit_generator):
        self._bit_generator = bit_generator

    @property
    def bit_generator(self):
        """The generator of words that this one draws from."""
        return self._bit_generator

    @bit_generator.setter
    def bit_generator(self, bit_generator):
        if not isinstance(bit_generator, BitGenerator):
            raise TypeError(f"bit_generator must be a BitGenerator, not {type(bit_generator).__name__}")
        self._bit_generator = bit_generator

    @described("uniform(-1.0, 1.0, size=4)", low="Lower end of the interval.", high="Upper end.")
    def uniform(self, low=0.0, high=1.0, size=None, dtype=float):
        """Draw from the uniform distribution on [low, high).

        Multiples of 2**-53 (float32: 2**-24) of the interval, each equally likely.
        """
        return drawings.uniform(self._bit_generator, self._narrows, size, dtype, None, low, high)

    @described("normal(10.0, 2.0, size=4)", loc="Mean.", scale="Standard deviation, at least 0.")
    def normal(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Draw from the normal distribution.

        The density is exp(-((x - loc) / scale)**2 / 2) / (scale * sqrt(2 * pi)). By the method of
        Box and Muller (1958).
        """
        return drawings.normal(self._bit_generator, self._narrows, size, dtype, None, loc, scale)

    @described("standard_normal(4)", out=True)
    def standard_normal(self, size=None, dtype=float, out=None):
        """Draw from the normal distribution of mean 0 and standard deviation 1.

        The density is exp(-x**2 / 2) / sqrt(2 * pi). By the method of Box and Muller (1958).
        """
        return drawings.standard_normal(self._bit_generator, self._narrows, size, dtype, out)

    @described("exponential(2.0, size=4)", scale="Mean, at least 0.")
    def exponential(self, scale=1.0, size=None, dtype=float):
        """Draw from the exponential distribution.

        The density is exp(-x / scale) / scale for x >= 0. By inversion.
        """
        return drawings.exponential(self._bit_generator, self._narrows, size, dtype, None, scale)

    @described("standard_exponential(4)", out=True, options=_METHOD)
    def standard_exponential(self, size=None, dtype=float, method="inv", out=None):
        """Draw from the exponential distribution of mean 1.

        The density is exp(-x) for x >= 0. By inversion, whatever `method` says.
        """
        if method not in ("inv", "zig"):
            raise ValueError(f"method must be 'zig' or 'inv', not {method!r}")
        return drawings.standard_exponential(self._bit_generator, self._narrows, size, dtype, out)

    @described("gumbel(size=4)", loc="Mode.", scale="At least 0.")
    def gumbel(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Draw from the Gumbel distribution.

        The distribution function is exp(-exp(-(x - loc) / scale)). By inversion.
        """
        return drawings.gumbel(self._bit_generator, self._narrows, size, dtype, None, loc, scale)

    @described("laplace(size=4)", loc="Mean.", scale="At least 0.")
    def laplace(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Draw from the Laplace distribution.

        The density is exp(-abs(x - loc) / scale) / (2 * scale). By inversion.
        """
        return drawings.laplace(self._bit_generator, self._narrows, size, dtype, None, loc, scale)

    @described("logistic(size=4)", loc="Mean.", scale="At least 0.")
    def logistic(self, loc=0.0, scale=1.0, size=None, dtype=float):
        """Draw from the logistic distribution.

        The distribution function is 1 / (1 + exp(-(x - loc) / scale)). By inversion.
        """
        return drawings.logistic(self._bit_generator, self._narrows, size, dtype, None, loc, scale)

    @described(
        "lognormal(0.0, 0.5, size=4)", mean="Mean of the logarithm.", sigma="Its standard deviation, at least 0."
    )
    def lognormal(self, mean=0.0, sigma=1.0, size=None, dtype=float):
        """Draw numbers whose logarithms are normal.

        The density is exp(-(log(x) - mean)**2 / (2 * sigma**2)) / (x * sigma * sqrt(2 * pi)) for
        x > 0. They are exponentials of normal numbers.
        """
        return drawings.lognormal(self._bit_generator, self._narrows, size, dtype, None, mean, sigma)

    @described("rayleigh(size=4)", scale="Mode, at least 0.")
    def rayleigh(self, scale=1.0, size=None, dtype=float):
        """Draw from the Rayleigh distribution.

        The density is x / scale**2 * exp(-x**2 / (2 * scale**2)) for x >= 0. By inversion.
        """
        return drawings.rayleigh(self._bit_generator, self._narrows, size, dtype, None, scale)

    @described("standard_cauchy(4)")
    def standard_cauchy(self, size=None, dtype=float):
        """Draw from the Cauchy distribution: the ratio of two normal numbers.

        The density is 1 / (pi * (1 + x**2)).
        """
        return drawings.standard_cauchy(self._bit_generator, self._narrows, size, dtype, None)

    @described("gamma(2.0, size=4)", shape="At least 0.", scale="At least 0.")
    def gamma(self, shape, scale=1.0, size=None, dtype=float):
        """Draw from the gamma distribution.

        The density is x**(shape - 1) * exp(-x / scale) / (scale**shape * gamma(shape)). By the
        method of Marsaglia and Tsang (2000).
        """
        return drawings.gamma(self._bit_generator, self._narrows, size, dtype, None, shape, scale)

    @described("standard_gamma(2.0, 4)", out=True, shape="At least 0.")
    def standard_gamma(self, shape, size=None, dtype=float, out=None):
        """Draw from the gamma distribution of scale 1.

        The density is x**(shape - 1) * exp(-x) / gamma(shape) for x >= 0. By the method of
        Marsaglia and Tsang (2000).
        """
        return drawings.standard_gamma(self._bit_generator, self._narrows, size, dtype, out, shape)

    @described("beta(2.0, 3.0, size=4)", a="Above 0.", b="Above 0.")
    def beta(self, a, b, size=None, dtype=float):
        """Draw from the beta distribution.

        The density is x**(a - 1) * (1 - x)**(b - 1) / B(a, b) on [0, 1]. By the method of Joehnk
        (1964) or as a ratio of gammas.
        """
        return drawings.beta(self._bit_generator, self._narrows, size, dtype, None, a, b)

    @described("chisquare(3.0, size=4)", df="Degrees of freedom, above 0.")
    def chisquare(self, df, size=None, dtype=float):
        """Draw from the chi-square distribution: the sum of df squares of normal numbers.

        The density is x**(df / 2 - 1) * exp(-x / 2) / (2**(df / 2) * gamma(df / 2)) for x >= 0.
        Twice a number of the gamma distribution of shape df / 2.
        """
        return drawings.chisquare(self._bit_generator, self._narrows, size, dtype, None, df)

    @described(
        "f(3.0, 5.0, size=4)", dfnum="Degrees of freedom above, above 0.", dfden="Degrees of freedom below, above 0."
    )
    def f(self, dfnum, dfden, size=None, dtype=float):
        """Draw from the F distribution.

        It is the ratio of two chi-squares, each over its degrees of freedom (Johnson, Kotz and
        Balakrishnan, 1995, chapter 27), and drawn as such.
        """
        return drawings.f(self._bit_generator, self._narrows, size, dtype, None, dfnum, dfden)

    @described(
        "noncentral_chisquare(3.0, 1.0, size=4)", df="Degrees of freedom, above 0.", nonc="Noncentrality, at least 0."
    )
    def noncentral_chisquare(self, df, nonc, size=None, dtype=float):
        """Draw from the noncentral chi-square distribution.

        The sum of squares of df normal numbers of variance 1 whose squared means add up to nonc
        (Johnson, Kotz and Balakrishnan, 1995, chapter 29). Drawn as a chi-square of df - 1 degrees
        and one square, or of df + 2 * k degrees with k of a Poisson distribution where df <= 1.
        """
        return drawings.noncentral_chisquare(self._bit_generator, self._narrows, size, dtype, None, df, nonc)

    @described(
        "noncentral_f(3.0, 5.0, 1.0, size=4)",
        dfnum="Degrees of freedom above, above 0.",
        dfden="Degrees of freedom below, above 0.",
        nonc="Noncentrality, at least 0.",
    )
    def noncentral_f(self, dfnum, dfden, nonc, size=None, dtype=float):
        """Draw from the noncentral F distribution.

        A noncentral chi-square over a chi-square, each over its degrees of freedom (Johnson, Kotz
        and Balakrishnan, 1995, chapter 30), and drawn as such.
        """
        return drawings.noncentral_f(self._bit_generator, self._narrows, size, dtype, None, dfnum, dfden, nonc)

    @described("standard_t(4.0, size=4)", df="Degrees of freedom, above 0.")
    def standard_t(self, df, size=None, dtype=float):
        """Draw from Student's t distribution.

        The density is proportional to (1 + x**2 / df)**(-(df + 1) / 2), by the factor
        gamma((df + 1) / 2) / (sqrt(pi * df) * gamma(df / 2)). A normal number
        over the root of a chi-square (Student, 1908).
        """
        return drawings.standard_t(self._bit_generator, self._narrows, size, dtype, None, df)

    @described("pareto(3.0, size=4)", a="Above 0.")
    def pareto(self, a, size=None, dtype=float):
        """Draw from the Lomax distribution (Pareto of the second kind).

        The density is a / (1 + x)**(a + 1) for x >= 0. By inversion.
        """
        return drawings.pareto(self._bit_generator, self._narrows, size, dtype, None, a)

    @described("power(3.0, size=4)", a="Above 0.")
    def power(self, a, size=None, dtype=float):
        """Draw from the power distribution.

        The density is a * x**(a - 1) on [0, 1]. By inversion.
        """
        return drawings.power(self._bit_generator, self._narrows, size, dtype, None, a)

    @described(
        "triangular(0.0, 1.0, 3.0, size=4)", left="Lower end.", mode="Where the density is highest.", right="Upper end."
    )
    def triangular(self, left, mode, right, size=None, dtype=float):
        """Draw from the triangular distribution on [left, right].

        The density rises in a straight line from left to mode, and falls in one to right. By
        inversion.
        """
        left, mode, right = as_parameter(left), as_parameter(mode), as_parameter(right)
        for holds, text in (
            (left <= mode, "left > mode"),
            (mode <= right, "mode > right"),
            (left != right, "left == right"),
        ):
            check(bool(holds.all()) if isinstance(holds, ndarray) else holds, text)
        return drawings.triangular(self._bit_generator, self._narrows, size, dtype, None, left, mode, right)

    @described("vonmises(0.0, 2.0, size=4)", mu="Mode, in radians.", kappa="Concentration, at least 0.")
    def vonmises(self, mu, kappa, size=None, dtype=float):
        """Draw angles from the von Mises distribution.

        The density is exp(kappa * cos(x - mu)) / (2 * pi * I0(kappa)) on [-pi, pi]. By the method
        of Best and Fisher (1979).
        """
        return drawings.vonmises(self._bit_generator, self._narrows, size, dtype, None, mu, kappa)

    @described("wald(2.0, 3.0, size=4)", mean="Above 0.", scale="Above 0.")
    def wald(self, mean, scale, size=None, dtype=float):
        """Draw from the Wald (inverse Gaussian) distribution.

        By the method of Michael, Schucany and Haas (1976).
        """
        return drawings.wald(self._bit_generator, self._narrows, size, dtype, None, mean, scale)

    @described("weibull(2.0, size=4)", a="Shape, at least 0.")
    def weibull(self, a, size=None, dtype=float):
        """Draw from the Weibull distribution of scale 1.

        The density is a * x**(a - 1) * exp(-x**a) for x >= 0. By inversion.
        """
        return drawings.weibull(self._bit_generator, self._narrows, size, dtype, None, a)

    @described("poisson(4.0, size=4)", kind="integer", lam="Expected number of events, at least 0.")
    def poisson(self, lam=1.0, size=None, dtype=int):
        """Draw from the Poisson distribution.

        By multiplication where lam is below 10, else by the method PTRS of Hoermann (1993).
        """
        return drawings.poisson(self._bit_generator, self._narrows, size, dtype, None, lam)

    @described(
        "binomial(10, 0.5, size=4)",
        kind="integer",
        n="Trials, at least 0; fractions are cut.",
        p="Chance of success, in [0, 1].",
    )
    def binomial(self, n, p, size=None, dtype=int):
        """Draw numbers of successes in n trials.

        By waits between successes where few are expected, else by the method BTRS of
        Hoermann (1993).
        """
        return drawings.binomial(self._bit_generator, self._narrows, size, dtype, None, n, p)

    @described("geometric(0.25, size=4)", kind="integer", p="Chance of success, in (0, 1].")
    def geometric(self, p, size=None, dtype=int):
        """Draw the number of the first trial that succeeds, at least 1.

        The chance of k is (1 - p)**(k - 1) * p. By inversion.
        """
        return drawings.geometric(self._bit_generator, self._narrows, size, dtype, None, p)

    @described(
        "negative_binomial(3, 0.5, size=4)", kind="integer", n="Successes, above 0.", p="Chance of success, in (0, 1]."
    )
    def negative_binomial(self, n, p, size=None, dtype=int):
        """Draw numbers of failures before the n-th success.

        The chance of k is gamma(k + n) / (k! * gamma(n)) * p**n * (1 - p)**k. A Poisson number
        whose mean is drawn from a gamma distribution (Devroye, 1986, X.4).

        A ValueError where most numbers would be beyond the integers; of arrays, which are not
        looked at, the largest integer takes the place of such a number.
        """
        n, p = as_parameter(n), as_parameter(p)
        if is_number(n) and is_number(p) and n > 0 and 0 < p <= 1:
            most = (1 - p) / p * (n + 10 * math.sqrt(n))
            check(most <= drawings.MOST_EVENTS, "n too large or p too small, see Generator.negative_binomial Notes")
        return drawings.negative_binomial(self._bit_generator, self._narrows, size, dtype, None, n, p)

    @described(
        "hypergeometric(5, 5, 3, size=4)",
        kind="integer",
        ngood="Good items, at least 0.",
        nbad="Bad items, at least 0.",
        nsample="Items taken, at most ngood + nbad.",
    )
    def hypergeometric(self, ngood, nbad, nsample, size=None, dtype=int):
        """Draw numbers of good items in a sample without replacement.

        One by one where the sample is small, else by the method HRUA of Stadlober (1989).
        """
        ngood, nbad, nsample = as_parameter(ngood), as_parameter(nbad), as_parameter(nsample)
        for one in (ngood, nbad):
            check(not (is_number(one) and one >= self._most_items), "both ngood and nbad must be less than 1000000000")
        if is_number(nsample):
            check(not 0 <= nsample < self._least_sample, f"nsample < {self._least_sample} or nsample is NaN")
            if is_number(ngood) and is_number(nbad) and ngood >= 0 and nbad >= 0:
                check(not ngood + nbad < nsample, "ngood + nbad < nsample")
        return drawings.hypergeometric(self._bit_generator, self._narrows, size, dtype, None, ngood, nbad, nsample)

    @described("logseries(0.5, size=4)", kind="integer", p="In [0, 1).")
    def logseries(self, p, size=None, dtype=int):
        """Draw from the logarithmic series distribution.

        The chance of k is -p**k / (k * log(1 - p)). By the method of Kemp (1981).
        """
        p = as_parameter(p)
        check_elements(p, lambda x: (x > 0) & (x < 1), "p <= 0, p >= 1 or p is NaN")
        return drawings.logseries(self._bit_generator, self._narrows, size, dtype, None, p)

    @described("zipf(2.0, size=4)", kind="integer", a="Above 1.")
    def zipf(self, a, size=None, dtype=int):
        """Draw from the Zipf distribution.

        The chance of k is k**-a / zeta(a). By the method of Devroye (1986, X.6).
        """
        return drawings.zipf(self._bit_generator, self._narrows, size, dtype, None, a)
