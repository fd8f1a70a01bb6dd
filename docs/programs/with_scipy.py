"""SciPy minimizes a function that is computed on the device."""

import numpy as np
import scipy.optimize
import tenorite as cp

x = cp.linspace(0, 1, 1000)
noise = cp.random.default_rng(7).normal(0, 0.01, 1000)
y = 2.0 * cp.exp(-3.0 * x) + noise


def error(parameters):
    """The sum of squares: one number comes back to the host in each step."""
    scale, rate = parameters
    return float(((scale * cp.exp(-rate * x) - y) ** 2).sum())


found = scipy.optimize.minimize(error, np.array([1.0, 1.0]), method="Nelder-Mead")
print(found.x.round(1))
