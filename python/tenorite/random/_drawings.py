"""What the methods draw: calls of the extension, with a rule for each parameter.

A rule is a tuple: the role of the parameter ("p" one of the distribution, "l" the location and
"s" the scale of its numbers, "a" and "b" the ends of an interval), the least and the largest number
that is allowed, what a ValueError says of a smaller and of a larger one, and whether arrays are
looked at, too.
"""

import math

from tenorite._core import _Drawing

LEAST_ABOVE_0 = math.nextafter(0.0, 1.0)
MOST_EVENTS = float(2**63 - 1) - 10 * 2**31.5  # Poisson numbers of a larger mean leave int64


def plain(role):
    """Any number, NaN too."""
    return role, -math.inf, math.inf, None, None, False


def between(role, least, most, text, text_above=None, looks=False):
    """Numbers of [least, most]."""
    return role, least, most, text, text_above or text, looks


def at_least_0(role, name, looks=False):
    return between(role, 0.0, math.inf, f"{name} < 0", looks=looks)


def above_0(role, name, looks=False):
    return between(role, LEAST_ABOVE_0, math.inf, f"{name} <= 0", looks=looks)


# The distribution, the rules, and the dtypes: "i" integers, drawn as int64, "f" float32 and
# float64, "n" any real one of RandomState's, "w" of Generator's, too (CuPy gives those in float16
# and in integers): drawn in float64 and cut. Called with the generator of words, whether it
# narrows, size, dtype, out or None, and the parameters.
random = _Drawing("uniform", (), "f")
uniform = _Drawing("uniform", (plain("a"), plain("b")), "f")
normal = _Drawing("normal", (plain("l"), at_least_0("s", "scale")), "f")
standard_normal = _Drawing("normal", (), "f")
exponential = _Drawing("exponential", (at_least_0("s", "scale", looks=True),), "n")
standard_exponential = _Drawing("exponential", (), "n")
gumbel = _Drawing("gumbel", (plain("l"), at_least_0("s", "scale")), "n")
laplace = _Drawing("laplace", (plain("l"), at_least_0("s", "scale")), "n")
logistic = _Drawing("logistic", (plain("l"), at_least_0("s", "scale")), "n")
lognormal = _Drawing("lognormal", (plain("p"), at_least_0("p", "sigma")), "n")
rayleigh = _Drawing("rayleigh", (at_least_0("s", "scale", looks=True),), "n")
standard_cauchy = _Drawing("cauchy", (), "n")
gamma = _Drawing("gamma", (at_least_0("p", "shape"), at_least_0("s", "scale")), "w")
standard_gamma = _Drawing("gamma", (at_least_0("p", "shape"),), "f")
beta = _Drawing("beta", (above_0("p", "a"), above_0("p", "b")), "w")
chisquare = _Drawing("chisquare", (above_0("p", "df"),), "w")
f = _Drawing("f", (above_0("p", "dfnum"), above_0("p", "dfden")), "w")
noncentral_chisquare = _Drawing(
    "noncentral_chisquare", (above_0("p", "df", looks=True), at_least_0("p", "nonc", looks=True)), "w"
)
noncentral_f = _Drawing(
    "noncentral_f",
    (above_0("p", "dfnum", looks=True), above_0("p", "dfden", looks=True), at_least_0("p", "nonc", looks=True)),
    "w",
)
standard_t = _Drawing("student_t", (above_0("p", "df"),), "w")
pareto = _Drawing("pareto", (above_0("p", "a"),), "n")
power = _Drawing("power", (above_0("p", "a", looks=True),), "n")
triangular = _Drawing("triangular", (plain("p"), plain("p"), plain("p")), "n")
vonmises = _Drawing("vonmises", (plain("p"), at_least_0("p", "kappa")), "w")
wald = _Drawing("wald", (above_0("p", "mean"), above_0("p", "scale")), "n")
weibull = _Drawing("weibull", (at_least_0("p", "a", looks=True),), "n")
poisson = _Drawing("poisson", (between("p", 0.0, MOST_EVENTS, "lam < 0 or lam is NaN", "lam value too large"),), "i")
binomial = _Drawing("binomial", (at_least_0("p", "n"), between("p", 0.0, 1.0, "p < 0, p > 1 or p is NaN")), "i")
geometric = _Drawing("geometric", (between("p", LEAST_ABOVE_0, 1.0, "p <= 0, p > 1 or p contains NaNs"),), "i")
negative_binomial = _Drawing(
    "negative_binomial", (above_0("p", "n"), between("p", LEAST_ABOVE_0, 1.0, "p <= 0, p > 1 or p is NaN")), "i"
)
hypergeometric = _Drawing(
    "hypergeometric", (at_least_0("p", "ngood"), at_least_0("p", "nbad"), at_least_0("p", "nsample")), "i"
)
logseries = _Drawing("logseries", (between("p", 0.0, math.nextafter(1.0, 0.0), "p < 0, p >= 1 or p is NaN"),), "i")
zipf = _Drawing("zipf", (between("p", math.nextafter(1.0, 2.0), math.inf, "a <= 1 or a is NaN"),), "i")
dirichlet = _Drawing("gamma", (plain("p"),), "w")
