"""Random numbers: generators, distributions, and functions that draw from the current device's
state. The same seed gives the same numbers on the host and on a GPU."""

from tenorite.random import _random_state
from tenorite.random._bit_generator import XORWOW, BitGenerator, MRG32k3a, Philox4x3210
from tenorite.random._generator import Generator, default_rng
from tenorite.random._random_state import (
    RandomState,
    get_random_state,
    reset_states,
    seed,
    set_random_state,
)

_FUNCTIONS = """
    beta binomial bytes chisquare choice dirichlet exponential f gamma geometric gumbel hypergeometric
    laplace logistic lognormal logseries multinomial multivariate_normal negative_binomial
    noncentral_chisquare noncentral_f normal pareto permutation poisson power rand randint randn random
    random_integers random_sample ranf rayleigh sample shuffle standard_cauchy standard_exponential
    standard_gamma standard_normal standard_t triangular uniform vonmises wald weibull zipf
""".split()
globals().update({name: _random_state.function_of(name) for name in _FUNCTIONS})

__all__ = [
    "BitGenerator", "Generator", "MRG32k3a", "Philox4x3210", "RandomState", "XORWOW", "default_rng", "get_random_state", "reset_states",
    "seed", "set_random_state", *_FUNCTIONS,
]  # fmt: skip
