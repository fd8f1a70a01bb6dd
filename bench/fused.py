"""Programs that fuse, as a user writes them: what bench/cases.py and examples/fused.py measure."""


def chain(xp, a):
    """One pass over one array."""
    return xp.sqrt(a * a + 1) * 2 - a


def squared_differences(xp, a, b):
    return ((a - b) ** 2).sum()


def softmax(xp, x):
    """Of rows (J. Bridle, 1990)."""
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def layer_norm(xp, x):
    """Of rows (J. Ba, J. Kiros, G. Hinton, Layer Normalization, 2016)."""
    away = x - xp.mean(x, axis=1, keepdims=True)
    return away / xp.sqrt(xp.mean(away * away, axis=1, keepdims=True) + 1e-5)


def adam(xp, w, g, m, v):
    """A step (D. Kingma, J. Ba, Adam: A Method for Stochastic Optimization, 2015)."""
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return w - 0.01 * m / (xp.sqrt(v) + 1e-8), m, v


def _normal(xp, x):
    """The normal distribution function (Abramowitz and Stegun, 26.2.17)."""
    t = 1 / (1 + 0.2316419 * abs(x))
    series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = 0.3989422804014327 * xp.exp(-x * x / 2) * series
    return xp.where(x > 0, 1 - tail, tail)


def black_scholes(xp, price, strike, years):
    """Prices of European options (F. Black, M. Scholes, 1973)."""
    root = xp.sqrt(years)
    first = (xp.log(price / strike) + (0.02 + 0.3 * 0.3 / 2) * years) / (0.3 * root)
    second = first - 0.3 * root
    later = strike * xp.exp(-0.02 * years)
    call = price * _normal(xp, first) - later * _normal(xp, second)
    return call, later - price + call


def twenty_steps(xp, z, c):
    for _ in range(20):
        z = z * z + c
    return z


def forty_calls(xp, a):
    for _ in range(20):
        a = xp.sqrt(a * a + 1)
    return a


# Of each: the arrays' count, whether they are matrices with rows of 1,000, bytes an element that it
# reads and writes, and the goal as a share of NumPy's time.
PROGRAMS = {
    chain: (1, False, 8, 0.08),
    squared_differences: (2, False, 8, 0.22),
    softmax: (1, True, 8, 0.15),
    layer_norm: (1, True, 8, 0.15),
    adam: (4, False, 28, 0.13),
    black_scholes: (3, False, 20, 0.1),
    twenty_steps: (2, False, 12, 0.06),
    forty_calls: (1, False, 8, 1.0),
}


def bound(function, xp):
    """The program on a module: fused where that fuses."""
    program = lambda *arrays: function(xp, *arrays)
    return xp.fuse(program) if hasattr(xp, "fuse") and xp.__name__ == "tenorite" else program
