"""The functions that draw from a distribution, from the current device's RandomState."""

from tenorite.random._generator import functions_of

NAMES = """
    beta binomial chisquare dirichlet exponential f gamma geometric gumbel hypergeometric laplace logistic
    lognormal logseries multivariate_normal negative_binomial noncentral_chisquare noncentral_f normal
    pareto poisson power rayleigh standard_cauchy standard_exponential standard_gamma standard_normal
    standard_t triangular uniform vonmises wald weibull zipf
""".split()
globals().update(functions_of(NAMES))
