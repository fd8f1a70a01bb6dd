"""The grid of scipy.special: the arguments at which functions are proved, and what is right there.

`python tests/python/special_grid.py [name ...]` computes the values by mpmath, in 60 digits, and
writes special_grid.json, which values/special/test_special_grid.py reads without mpmath. A value
is rounded to a double; its *slope* is by how much it moves when each argument moves by one part in
2**52 of itself. At poles, outside of the domain and at infinities the values are SciPy's.
"""

import itertools
import json
import math
import multiprocessing
import signal
import sys
from pathlib import Path

import numpy as np

INF, NAN = math.inf, math.nan
STEP = 2.0**-52


def around(*values):
    """Numbers with their neighbours."""
    return [f(v) for v in values for f in (lambda v: math.nextafter(v, -INF), float, lambda v: math.nextafter(v, INF))]


def both(*values):
    return [s * v for v in values for s in (1, -1)]


TINY = both(0.0, 5e-324, 1e-300, 1e-20, 1e-9, 1e-4)
HUGE = [*both(1e3, 1e6, 1e10, 1e15, 1e17, 1e100, 1.7e308, INF), NAN]
MIDDLE = both(0.1, 0.45, 0.7, 1.45, 2.6, 5.3, 11.7, 23.4, 40.2, 101.3)
LINE = [*TINY, *MIDDLE, *around(1, -1, 0.5), *HUGE]
POLES = [
    *TINY,
    *MIDDLE,
    *around(1, 2, 1.5, 0.5, 3, -1, -2, -3, -20, -101),
    -0.999,
    -1.001,
    -2.999,
    -50.003,
    *both(170.6, 171.62, 171.63, 178.4),
    -170.99,
    -175.3,
    -177.9,
    -196.97,
    -1e6 - 0.25,
    *HUGE,
]
SHARE = [
    0.0,
    5e-324,
    1e-300,
    1e-100,
    1e-17,
    1e-9,
    1e-3,
    0.1,
    0.3,
    *around(0.5),
    0.7,
    0.97,
    0.99999,
    1 - 1e-12,
    *around(1),
    -1e-3,
    1.5,
    NAN,
]
ONE = [*LINE, *both(709.5, 709.9, 710.0, 713.2, 717.0, 718.9, 745.3, 746.0), *around(2, 4, 8, 10, 20, 40)]
FINITE = [x for x in ONE if abs(x) < 1e300]
SIZES = [1e-300, 1e-12, 0.03, 0.5, 1, 2.7, 9, 40.5, 300, 2e4, 3e6, 1e10, 1e15]


def product(*axes, seed=0, most=64):
    """Points of the product of axes, at most so many of them, the same ones each time."""
    points = list(itertools.product(*axes))
    if len(points) > most:
        points = [points[i] for i in sorted(np.random.default_rng(seed).choice(len(points), most, replace=False))]
    return [list(point) for point in points]


def gamma_points(factor=1.0):
    """Shapes beside places in the middle, at both ends, and where the distribution ends."""
    points = [[a, a * r] for a in SIZES for r in (1e-9, 0.3, 1 - 1e-8, 1, 1 + 3 / math.sqrt(a) if a > 1 else 40, 4)]
    points += [[a, a + s * math.sqrt(a)] for a in (1e3, 1e5, 1e8, 1e12, 1e15) for s in (-20, -5, -1, 2, 9, 30)]
    points += product([0.0, 1, 30, INF, NAN, -1], [0.0, 1, 1e-300, 1e300, INF, NAN, -1], most=24)
    return [[x * factor for x in point] for point in points]


def beta_points():
    points = product(
        [1e-9, 0.3, 1, 2.5, 20, 300, 1e5],
        [1e-12, 0.3, 1, 3, 50, 2e4, 1e9],
        [1e-300, 1e-17, 1e-5, 0.2, 0.5, 0.9, 1 - 1e-9],
        most=70,
    )
    for a, b in [
        (3, 1e15),
        (2, 1e12),
        (0.5, 1e10),
        (40, 1e14),
        (500, 700),
        (3e4, 5e5),
        (1e8, 2e7),
        (1e15, 1e15),
        (1e12, 4),
    ]:
        mean, deviation = a / (a + b), math.sqrt(a) / (a + b) * math.sqrt(b / (a + b))
        points += [[a, b, x] for s in (-8, -1, 0, 0.7, 5, 25) if 0 < (x := mean + s * deviation) < 1]
    return points + product([0.0, 1, 3, INF, NAN, -1], [0.0, 1, 7, INF], [0.0, 1, 0.4, -0.5, 2, NAN], most=30)


def counts():
    """Counts, trials and shares of distributions of counts."""
    points = product(
        [0.0, 1, 3, 17, 200, 1e5],
        [1.0, 4, 18, 500, 2e5, 1e9],
        [0.0, 1e-300, 1e-9, 0.01, 0.3, 0.5, 0.8, 1 - 1e-9, 1],
        most=70,
    )
    return points + [[-1.0, 3, 0.2], [3.5, 7, 0.2], [3, 7.5, 0.2], [2, 9, NAN], [2, INF, 0.5], [9, 9, 0.4], [2, 9, 1.5]]


def fisher():
    points = product(
        [1e-9, 0.5, 2, 7, 300, 1e6, 1e15], [0.3, 1, 5, 90, 1e5, 1e15], [1e-300, 1e-9, 0.2, 1, 1.3, 30, 1e12], most=80
    )
    return [
        *points,
        [5, 1e15, 1.3],
        [0, 1, 1],
        [2, 3, 0],
        [2, 3, INF],
        [2, INF, 2],
        [-1, 2, 3],
        [2, 3, -1],
        [NAN, 2, 3],
    ]


def disc():
    """Complex numbers: all around, near poles, along the axes, and huge ones."""
    parts = [0.0, 0.3, -0.7, 2.6, -5.4, 31.2, -101.3]
    points = [complex(x, y) for x in parts for y in [*parts, 1e-9, -1e-300] if x or y]
    poles = [complex(-n - e, y) for n in (0, 1, 7) for e in (1e-3, 1e-9, 1e-14) for y in (1e-300, 1e-13, -1e-6)]
    points += [
        *poles,
        -1e-20 + 1e-25j,
        1 + 1e-9j,
        2 - 1e-8j,
        1e-300 + 1e-300j,
        -0.36787944117144233 + 0j,
        -1 + 0j,
        -0.9 + 0j,
    ]
    return [[z] for z in points]


def wide():
    return [*disc(), *[[z] for z in (1e300 + 0j, 1e100 + 1e100j, 1e-20 - 1e-20j, -700 + 3j, 709 + 1j, -1e-9 + 1e-12j)]]


def lines(*values):
    return [[v] for v in {repr(float(v)): float(v) for v in values}.values()]


# --- What is right ---


def _mp():
    import mpmath

    mpmath.mp.dps = 60
    return mpmath.mp


def tails(mode_side, scale, log_density, x, end):
    """The integral of a density from x away from its mode, to where nothing is left."""
    mp = _mp()
    total, at, width = mp.mpf(0), x, scale
    for _ in range(400):
        to = at + mode_side * width
        is_last = (to - end) * mode_side >= 0
        to = end if is_last else to
        part = abs(mp.quad(lambda t: mp.exp(log_density(t)), [at, to], method="gauss-legendre", maxdegree=5))
        total += part
        if is_last or part < total * mp.mpf(10) ** -26:
            return total
        at, width = to, width * mp.mpf("1.2")
    raise ValueError("no end of a tail")


def gamma_shares(a, x):
    """The incomplete gamma function's parts below and above x."""
    mp = _mp()
    if not a > 0 or x < 0:
        raise ValueError("outside of the domain")
    if x == 0:
        return mp.mpf(0), mp.mpf(1)
    if a < 3000 and x < 1e5:
        if x < a + 1:
            below = term = 1 / a
            k = mp.mpf(0)
            while term > below * mp.mpf(10) ** -60:
                k += 1
                term *= x / (a + k)
                below += term
            below *= mp.exp(a * mp.log(x) - x - mp.loggamma(a))
            return below, 1 - below
        above = mp.gammainc(a, x, regularized=True)
        return 1 - above, above
    norm = mp.loggamma(a)
    side = 1 if x > a else -1
    scale = 1 / (abs((a - 1) / x - 1) + 1 / mp.sqrt(max(a, 1)))
    part = tails(
        side,
        scale,
        lambda t: (a - 1) * mp.log(t) - t - norm if t > 0 else -mp.inf,
        x,
        mp.inf if side > 0 else mp.mpf(0),
    )
    return (1 - part, part) if side > 0 else (part, 1 - part)


def beta_shares(a, b, x):
    """The incomplete beta function's parts below and above x."""
    mp = _mp()
    if not (a > 0 and b > 0 and 0 <= x <= 1):
        raise ValueError("outside of the domain")
    if x == 0 or x == 1:
        return x, 1 - x
    if x * (a + b) > a:
        return beta_shares(b, a, 1 - x)[::-1]
    log_front = a * mp.log(x) + b * mp.log1p(-x) - mp.loggamma(a) - mp.loggamma(b) + mp.loggamma(a + b)
    total, term, n = mp.mpf(1), mp.mpf(1), 0
    while n < 5000:
        term *= (a + b + n) * x / (a + 1 + n)
        n += 1
        total += term
        if term < total * mp.mpf(10) ** -60:
            below = mp.exp(log_front) / a * total
            return below, 1 - below
    if a < 1000:
        below = mp.betainc(a, b, 0, x, regularized=True)
        return below, 1 - below
    slope = abs((a - 1) / x - (b - 1) / (1 - x))
    scale = 1 / (slope + mp.sqrt(a) / x)
    log_density = lambda t: (
        log_front + (a - 1) * mp.log(t / x) + (b - 1) * mp.log1p((x - t) / (1 - x)) - mp.log(x * (1 - x))
        if t > 0
        else -mp.inf
    )
    below = tails(-1, scale, log_density, x, mp.mpf(0))
    return below, 1 - below


def inverse(share, p, begins, most=INF):
    """The place where a share is p: secants of its logarithm from one of the places given."""
    mp = _mp()
    for begin in begins:
        if not 0 < begin < INF:
            continue
        at, before = mp.mpf(begin), mp.mpf(begin) * (1 + mp.mpf(10) ** -9)
        f, f_before = mp.log(share(at) / p), mp.log(share(before) / p)
        for _ in range(12):
            if f == f_before:
                break
            at, before, f_before = at - f * (at - before) / (f - f_before), at, f
            if not mp.isfinite(at) or mp.im(at) != 0 or not 0 < mp.re(at) < most:
                break
            f = mp.log(share(at) / p)
            if abs(f) < mp.mpf(10) ** -25:
                return at
    raise LookupError("no inverse")


def begins(name, *point):
    """Where an inverse may be looked for: at SciPy's, and at ours."""
    import scipy.special
    import tenorite.scipy.special

    point = [float(x) for x in point]
    return [f(*point) for f in (getattr(scipy.special, name), getattr(tenorite.scipy.special, name))]


def hurwitz(x, q):
    mp = _mp()
    if x <= 1 or q <= 0:
        raise ValueError("outside of the domain")
    return mp.zeta(x, q) if q < 1e6 else q ** (1 - x) / (x - 1) + q**-x / 2 + x * q ** (-x - 1) / 12


def legendre(m, v, x):
    """Ferrers' function: the values of degrees by their recurrence, others by mpmath."""
    mp = _mp()
    m, v = int(m), mp.mpf(v)
    if v != int(v):
        return mp.re(mp.legenp(v, m, x, type=2))
    v = int(v if v >= 0 else -v - 1)
    order = abs(m)
    if order > v:
        return mp.mpf(0) if m >= 0 else mp.nan
    before, now = mp.mpf(0), (-1) ** order * mp.fac2(2 * order - 1) * mp.sqrt((1 - x) * (1 + x)) ** order
    for n in range(order, v):
        before, now = now, ((2 * n + 1) * x * now - (n + order) * before) / (n + 1 - order)
    return now if m >= 0 else (-1) ** order * now * mp.factorial(v - order) / mp.factorial(v + order)


def harmonic(n, m, theta, phi):
    mp = _mp()
    n, m = int(n), int(m)
    size = mp.sqrt((2 * n + 1) / (4 * mp.pi) * mp.gammaprod([n - m + 1], [n + m + 1]))
    return size * legendre(m, n, mp.cos(theta)) * mp.expj(m * phi)


def branch(z, k):
    """A branch of Lambert's function by steps from its asymptotic series; mpmath's loses some."""
    mp = _mp()
    z = mp.mpc(z)
    return mp.lambertw(z, int(k))


def references():
    """The functions: what is right at arguments in 60 digits, and the points."""
    mp = _mp()
    inf, pi, log, exp, sqrt, gamma = mp.inf, mp.pi, mp.log, mp.exp, mp.sqrt, mp.gamma

    small = lambda x: mp.ncdf(x) if x > -3 else mp.erfc(-x / sqrt(2)) / 2
    lgamma = lambda x: log(abs(gamma(x))) if abs(x) < 1e4 else mp.re(mp.loggamma(x))
    bd = lambda k, n, p: (
        (mp.mpf(1), mp.mpf(0)) if k == n and 0 <= p <= 1 else beta_shares(mp.floor(k) + 1, n - mp.floor(k), p)[::-1]
    )
    fd = lambda a, b, x: beta_shares(a / 2, b / 2, a * x / (b + a * x))
    e1 = lambda x: mp.e1(x)
    betas, gammas = beta_points(), gamma_points()
    shares = [1e-300, 1e-12, 0.01, 0.3, 0.5, 0.9, 1 - 1e-9]
    inverses = product([0.02, 0.5, 1, 3, 50, 1e5, 1e10], shares, most=40) + product(
        [2, INF, -1], [0.0, 1, 0.5, 2, NAN], most=12
    )
    inverses_3 = product([0.7, 1, 3, 50, 1e5], [0.5, 1, 7, 300, 1e9], shares, most=50) + [
        [2, 1e12, 0.3],
        [3, 1e15, 0.5768],
        [1e8, 1e8, 0.2],
        [0, 1, 0.5],
        [1, 1, 0],
        [1, 1, 1],
        [2, 3, NAN],
        [2, 3, 1.5],
    ]
    halves = product(
        [-0.75, -3.5, 0.0, 1e-9, 0.4, 1, 2, 6.5, 55, 171, 900, 1e7, 1e15],
        [-2.25, 1e-12, 0.3, 1, 3, 8.5, 120, 1e6],
        most=64,
    )
    logs = product(
        [0.0, 5e-324, 1e-300, 1e-9, 0.4, 1, 1 + STEP, 30, 1e200, 1.7e308, INF, NAN, -1],
        [0.0, 5e-324, 1e-300, 0.4, 1, 1 - STEP / 2, 31, 1e200, 1.7e308, INF, -1],
        most=70,
    ) + [[1.0, 1 + 1e-9], [0.3, 0.3 - 1e-13]]
    orders = product([0.0, 1, 2, 7, 60, -3], [1e-300, 1e-4, 0.3, 1, 2.6, 9, 30.5, 200.5, 1e5], most=48)
    elliptic = product(
        both(0.0, 1e-300, 1e-9, 0.3, 1.2, 1.5707963, 3, 10.3, 1e5),
        [-1e10, -3, -1e-9, 0.0, 1e-9, 0.4, 0.9, 1 - 1e-12],
        most=60,
    ) + [[1, 1], [0.3, 1.0], [0.4, 2], [INF, 0.5], [NAN, 0.5], [2, NAN]]
    boxes = product(
        [0.0, 1e-300, 1e-9, 0.3, 1, 1 + STEP, 5, 1e100, 1.7e308], both(0.0, 1e-20, 1e-9, 0.4, 1, 3, 40), most=60
    )
    sphere = product(
        [0.0, 1, 2, 5, 40, 151, 400, 2000],
        [0.0, 1, -1, 5, -40, 151, 400, 1999],
        [0.0, 1e-9, 0.02, 0.5, 1.57, 3.1],
        [0.3],
        most=400,
    )
    sphere = [p for p in sphere if abs(p[1]) <= p[0]][:70] + [[5000.0, 4000, 1.2, 0.1], [20000.0, 3, 0.7, 2.0]]
    legendres = product(
        [0.0, 1, 2, -1, -3, 12],
        [0.0, 1, 2, 5, 33, 300, 0.5, 2.3, 14.7, -2.5],
        [-1 + 1e-9, -0.9, -0.2, 0.0, 1e-9, 0.5, 1 - 1e-12],
        most=90,
    ) + [[0, 3e4, 0.5], [100, 120, 0.3], [0, 3, 1.0], [0, 2, -1.0], [0, 2, NAN]]
    table = {
        "erf": (mp.erf, lines(*ONE)),
        "erfc": (mp.erfc, lines(*ONE, 26.5, 27.2)),
        "erfcx": (lambda x: exp(x * x) * mp.erfc(x), lines(*ONE, -26.6, -26.7)),
        "erfinv": (mp.erfinv, lines(*both(*SHARE[:-3]), 1.5)),
        "erfcinv": (
            lambda y: (
                mp.erfinv(1 - y)
                if y > 1e-30
                else (lambda w: mp.findroot(lambda t: log(mp.erfc(t)) - log(y), w))(sqrt(-log(y)))
            ),
            lines(*SHARE, *around(2), 1.2, 1.9999),
        ),
        "ndtr": (small, lines(*ONE, -37.5, -38.4)),
        "ndtri": (
            lambda p: (
                -sqrt(2) * mp.erfinv(1 - 2 * p)
                if p > 1e-30
                else (lambda w: mp.findroot(lambda t: log(mp.erfc(t) / 2) - log(p), w))(sqrt(-log(p))) * -sqrt(2)
            ),
            lines(*SHARE),
        ),
        "log_ndtr": (
            lambda x: (
                mp.log1p(-mp.erfc(x / sqrt(2)) / 2)
                if x > 3
                else log(small(x))
                if x > -1e8
                else -x * x / 2 - log(-x * sqrt(2 * pi))
            ),
            lines(*ONE),
        ),
        "gamma": (gamma, lines(*POLES)),
        "gammaln": (lgamma, lines(*POLES, -2.4570247382208006, -1e15 - 0.5)),
        "gammasgn": (lambda x: mp.sign(gamma(x)) if abs(x) < 1e6 else mp.nan, lines(*POLES)),
        "rgamma": (mp.rgamma, lines(*POLES)),
        "digamma": (mp.digamma, lines(*POLES, *around(1.4616321449683623), -0.5040830082644554)),
        "polygamma": (
            lambda n, x: mp.polygamma(int(n), x) if abs(n - int(n)) < 1e-9 else mp.nan,
            product([0.0, 1, 2, 5, 20, 100], [1e-20, 1e-3, 0.4, 1, 3.3, 11.2, 90.5, 1e6, 1e15], most=50)
            + [[1, 0], [1, -1.0], [-1, 2], [1.5, 2], [1, INF], [1, NAN]],
        ),
        "beta": (mp.beta, halves),
        "betaln": (
            lambda a, b: log(abs(mp.beta(a, b))) if a + b < 1e5 else lgamma(a) + lgamma(b) - lgamma(a + b),
            halves,
        ),
        "poch": (
            lambda a, m: mp.rf(a, m) if abs(a) + abs(m) < 1e5 else mp.re(exp(mp.loggamma(a + m) - mp.loggamma(a))),
            product([-3.5, 1e-9, 0.4, 1, 6.5, 55, 170, 1e7, 1e15], [-2.25, 0, 1e-12, 0.3, 1, 3, 8.5, 120], most=64),
        ),
        "binom": (
            lambda n, k: (
                mp.binomial(n, k)
                if abs(n) + abs(k) < 1e5
                else mp.re(exp(mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1)))
            ),
            product([-2.5, 0.3, 1, 7.5, 60, 171, 1030, 1e7, 1e15], [-1.5, 0, 1e-9, 0.6, 2, 5.5, 30, 170, 1e5], most=64),
        ),
        "zeta": (
            hurwitz,
            product([1 + 1e-12, 1.4, 2, 5.5, 33, 300], [1e-20, 0.3, 1, 2.7, 11, 1e4, 1e9, 1e15], most=48)
            + [[1, 2], [0.5, 2], [3, 0], [3, -1], [INF, 2], [2, INF], [NAN, 2]],
        ),
        "zetac": (
            lambda x: mp.zeta(x) - 1 if x < 60 else mp.mpf(2) ** -x + mp.mpf(3) ** -x + mp.mpf(4) ** -x,
            lines(*LINE, *around(5, 10, 22, -2), 61, 127.5, 60.2, 1080.0, -0.0099, -0.0101, -170.5, -250.1, 1 + 1e-9),
        ),
        "gammainc": (lambda a, x: gamma_shares(a, x)[0], gammas),
        "gammaincc": (lambda a, x: gamma_shares(a, x)[1], gammas),
        "chdtr": (lambda v, x: gamma_shares(v / 2, x / 2)[0], gamma_points(2)),
        "chdtrc": (lambda v, x: gamma_shares(v / 2, x / 2)[1], gamma_points(2)),
        "gdtr": (lambda a, b, x: gamma_shares(b, a * x)[0], [[2.0, a, x / 2] for a, x in gammas[::2]]),
        "gdtrc": (lambda a, b, x: gamma_shares(b, a * x)[1], [[0.5, a, x * 2] for a, x in gammas[::2]]),
        "pdtr": (
            lambda k, m: gamma_shares(mp.floor(k) + 1, m)[1],
            gammas[::2] + [[0.0, 1e-9], [3, 0], [INF, 2], [2, INF]],
        ),
        "pdtrc": (lambda k, m: gamma_shares(mp.floor(k) + 1, m)[0], gammas[::2] + [[0.0, 1e-9], [3, 0]]),
        "betainc": (lambda a, b, x: beta_shares(a, b, x)[0], betas),
        "btdtr": (lambda a, b, x: beta_shares(a, b, x)[0], betas[::3]),
        "bdtr": (lambda k, n, p: bd(k, mp.floor(n), p)[0], counts()),
        "bdtrc": (lambda k, n, p: bd(k, mp.floor(n), p)[1], counts()),
        "nbdtr": (lambda k, n, p: beta_shares(n, mp.floor(k) + 1, p)[0], counts()[:-7]),
        "nbdtrc": (lambda k, n, p: beta_shares(n, mp.floor(k) + 1, p)[1], counts()[:-7]),
        "fdtr": (lambda a, b, x: fd(a, b, x)[0], fisher()),
        "fdtrc": (lambda a, b, x: fd(a, b, x)[1], fisher()),
        "loggamma": (mp.loggamma, lines(*[x for x in POLES if not x <= 0])),
        "i0": (lambda x: mp.besseli(0, x), lines(*ONE)),
        "i1": (lambda x: mp.besseli(1, x), lines(*ONE)),
        "i0e": (lambda x: mp.besseli(0, x) * exp(-abs(x)), lines(*ONE)),
        "i1e": (lambda x: mp.besseli(1, x) * exp(-abs(x)), lines(*ONE)),
        "k0": (lambda x: mp.besselk(0, x), lines(*ONE)),
        "k1": (lambda x: mp.besselk(1, x), lines(*ONE)),
        "k0e": (lambda x: mp.besselk(0, x) * exp(x), lines(*ONE)),
        "k1e": (lambda x: mp.besselk(1, x) * exp(x), lines(*ONE)),
        "j0": (lambda x: mp.besselj(0, x), lines(*FINITE, 2.404825557695773)),
        "j1": (lambda x: mp.besselj(1, x), lines(*FINITE, 3.8317059702075125)),
        "y0": (lambda x: mp.bessely(0, x), lines(*FINITE, 0.8935769662791675)),
        "y1": (lambda x: mp.bessely(1, x), lines(*FINITE, 2.197141326031017)),
        "yn": (lambda n, x: mp.bessely(int(n), x), orders),
        "exp1": (e1, lines(*ONE)),
        "expi": (mp.ei, lines(*ONE, 0.37250741078136663)),
        "expn": (
            lambda n, x: mp.expint(int(n), x) if n >= 0 else mp.nan,
            product([0.0, 1, 2, 5, 30, 1000, 1e6], [0.0, 1e-300, 1e-9, 0.4, *around(1), 1.3, 20, 300, 740], most=64)
            + [[-1, 2], [1, -1], [1, INF], [1, NAN]],
        ),
        "ellipk": (mp.ellipk, lines(*ONE, 1 - 1e-12)),
        "ellipkm1": (lambda p: mp.ellipk(1 - p), lines(*ONE)),
        "ellipkinc": (lambda p, m: mp.ellipf(p, m) if m <= 1 else mp.nan, elliptic),
        "ellipeinc": (lambda p, m: mp.ellipe(p, m) if m <= 1 else mp.nan, elliptic),
        "lpmv": (legendre, legendres),
        "wright_bessel": (
            lambda a, b, x: mp.nsum(lambda k: x**k / mp.factorial(k) * mp.rgamma(a * k + b), [0, inf]),
            product([0.1, 0.5, 1, 2.5], [1e-9, 0.5, 1, 3], [1e-9, 0.4, 2, 15], most=30)
            + [[0, 1, 1], [1, 1, INF], [1, 1, NAN]],
        ),
        "entr": (lambda x: -x * log(x), lines(*ONE)),
        "rel_entr": (lambda x, y: x * log(x / y) if x > 0 else mp.nan, logs),
        "kl_div": (lambda x, y: x * log(x / y) - x + y if x > 0 else mp.nan, logs),
        "huber": (
            lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2) if d >= 0 else mp.nan,
            product([0.0, 1e-200, 0.3, 1, 1e160, INF, -1], both(0.0, 1e-300, 1e-100, 0.3, 1, 5, 1e150, 1e300), most=48),
        ),
        "pseudo_huber": (
            lambda d, r: d * r * r / (d + sqrt(d * d + r * r)) if d > 0 else mp.nan,
            product(
                [0.0, 1e-200, 1e-9, 0.3, 1, 1e100, 1e160, -1],
                both(0.0, 1e-300, 1e-100, 1e-9, 0.3, 1, 5, 1e150, 1e300),
                most=60,
            ),
        ),
        "xlogy": (lambda x, y: x * log(y) if x else mp.mpf(0), logs),
        "xlog1py": (lambda x, y: x * mp.log1p(y) if x else mp.mpf(0), logs),
        "expit": (lambda x: 1 / (1 + exp(-x)), lines(*ONE)),
        "logit": (lambda p: log(p) - mp.log1p(-p), lines(*SHARE, *around(0.3, 0.65))),
        "log_expit": (lambda x: -mp.log1p(exp(-x)) if x > -100 else x - mp.log1p(exp(x)), lines(*ONE)),
        "boxcox": (lambda x, l: mp.expm1(l * log(x)) / l if l and x else (x**l - 1) / l if l else log(x), boxes),
        "boxcox1p": (lambda x, l: mp.expm1(l * mp.log1p(x)) / l if l else mp.log1p(x), boxes),
        "inv_boxcox": (lambda y, l: exp(mp.log1p(l * y) / l) if l else exp(y), boxes),
        "inv_boxcox1p": (lambda y, l: mp.expm1(mp.log1p(l * y) / l) if l else mp.expm1(y), boxes),
        "exprel": (lambda x: mp.expm1(x) / x if x else mp.mpf(1), lines(*ONE)),
        "exp10": (lambda x: mp.mpf(10) ** x, lines(*ONE, 308.2, -323.2)),
        "cosm1": (lambda x: -2 * mp.sin(x / 2) ** 2, lines(*[x for x in ONE if abs(x) < 1e300])),
        "sindg": (
            lambda x: mp.sin(x * pi / 180),
            lines(*TINY, *MIDDLE, *around(30, 90, 180, -360), 1e6, 1e10, 1e17, NAN),
        ),
        "cosdg": (
            lambda x: mp.cos(x * pi / 180),
            lines(*TINY, *MIDDLE, *around(30, 90, 180, -360), 1e6, 1e10, 1e17, NAN),
        ),
        "tandg": (
            lambda x: mp.tan(x * pi / 180),
            lines(*TINY, *MIDDLE, *around(30, 45, 180, -360), 1e6, 1e10, 1e17, NAN),
        ),
        "cotdg": (lambda x: mp.cot(x * pi / 180), lines(*TINY, *MIDDLE, *around(30, 45, 90), 1e6, 1e10, 1e17, NAN)),
        "radian": (
            lambda d, m, s: (d + m / 60 + s / 3600) * pi / 180,
            product([0.0, 30, 1e10], [0.0, 59, 1e-9], [0.0, 1e-300, 33.3, INF], most=20),
        ),
        "gammaincinv": (
            lambda a, p: inverse(lambda t: gamma_shares(a, t)[0], p, begins("gammaincinv", a, p)),
            inverses,
        ),
        "gammainccinv": (
            lambda a, p: inverse(lambda t: gamma_shares(a, t)[1], p, begins("gammainccinv", a, p)),
            inverses,
        ),
        "betaincinv": (
            lambda a, b, p: inverse(lambda t: beta_shares(a, b, t)[0], p, begins("betaincinv", a, b, p), 1),
            inverses_3,
        ),
        "btdtri": (
            lambda a, b, p: inverse(lambda t: beta_shares(a, b, t)[0], p, begins("betaincinv", a, b, p), 1),
            inverses_3[::5],
        ),
        "bdtri": (
            lambda k, n, y: inverse(
                lambda t: beta_shares(mp.floor(k) + 1, n - mp.floor(k), t)[1], y, begins("bdtri", k, n, y), 1
            ),
            product([0.0, 1, 3, 17], [18.0, 40, 500], shares, most=30)
            + [[3, 3, 0.2], [-1, 3, 0.2], [2, 5, 0], [2, 5, NAN]],
        ),
        "nbdtri": (
            lambda k, n, y: inverse(lambda t: beta_shares(n, mp.floor(k) + 1, t)[0], y, begins("nbdtri", k, n, y), 1),
            product([0.0, 1, 3, 17, 200], [4.0, 18, 500, 2e5], shares, most=30)
            + [[-1, 3, 0.2], [2, 5, 0], [2, 5, NAN]],
        ),
        "fdtri": (
            lambda a, b, y: inverse(lambda t: fd(a, b, t)[0], y, begins("fdtri", a, b, y)),
            product([2.0, 7, 300], [1, 5, 90, 1e15], shares[1:], most=24)
            + [[2, 3, 0], [2, 3, 1], [-1, 2, 0.5], [2, 3, NAN]],
        ),
        "chdtri": (
            lambda v, p: inverse(lambda t: gamma_shares(v / 2, t / 2)[1], p, begins("chdtri", v, p)),
            [[2 * a, p] for a, p in inverses[::2]],
        ),
        "pdtri": (
            lambda k, y: inverse(lambda t: gamma_shares(k + 1, t)[1], y, begins("pdtri", k, y)),
            product([0.0, 1, 3, 50, 1e5], shares, most=30) + [[-1, 0.5], [2, 1], [2, NAN]],
        ),
        "cbrt": (lambda x: mp.sign(x) * mp.cbrt(abs(x)), lines(*ONE)),
        "exp2": (lambda x: mp.mpf(2) ** x, lines(*ONE, 1023.9, 1024, -1074.4)),
        "expm1": (mp.expm1, lines(*ONE)),
        "log1p": (mp.log1p, lines(*ONE, -1 + 1e-9)),
        "sinc": (lambda x: mp.sincpi(x), lines(*TINY, *MIDDLE, *around(1, 2, -3), 1e6 + 0.25)),
        "shichi.0": (mp.shi, lines(*ONE)),
        "shichi.1": (lambda x: mp.chi(abs(x)), lines(*ONE)),
        "sici.0": (mp.si, lines(*ONE)),
        "sici.1": (lambda x: mp.ci(abs(x)), lines(*[x for x in ONE if not x < 0], 0.6165054856207162)),
        "spherical_yn": (lambda n, x: mp.bessely(n + 0.5, x) * sqrt(pi / (2 * x)), [p for p in orders if p[0] >= 0]),
        "sph_harm_y": (harmonic, sphere),
        "lambertw": (
            branch,
            [[z[0], float(k)] for k in (0, -1, 1, 2, -3) for z in wide()[:: 1 if k in (0, -1) else 3]]
            + [
                [complex(x), float(k)]
                for k in (0, -1, 1)
                for x in (
                    1.7e308,
                    -1.7e308,
                    1e-300,
                    -1e-300,
                    -0.367,
                    -0.3678794411714423,
                    -0.36787944117144233,
                    -0.3678794411714424,
                    -0.1,
                    -0.9,
                    -1,
                    -0.999,
                    -1.5,
                    1e5,
                    0.0,
                )
            ],
        ),
        "ellipj.0": (
            lambda u, m: mp.ellipfun("sn", u, m),
            product(both(1e-9, 0.3, 2, 11), [0.0, 1e-9, 0.4, 0.99, 1 - 1e-12, 1], most=40),
        ),
        "ellipj.1": (
            lambda u, m: mp.ellipfun("cn", u, m),
            product(both(0.0, 1e-9, 0.3, 2, 11), [0.0, 1e-9, 0.4, 0.99, 1 - 1e-12, 1], most=40),
        ),
        "ellipj.2": (
            lambda u, m: mp.ellipfun("dn", u, m),
            product(both(0.0, 1e-9, 0.3, 2, 11), [0.0, 1e-9, 0.4, 0.99, 1 - 1e-12, 1], most=40),
        ),
        "gamma complex": (gamma, disc()),
        "loggamma complex": (mp.loggamma, disc()),
        "rgamma complex": (mp.rgamma, disc()),
        "digamma complex": (mp.digamma, disc()),
        "exp1 complex": (mp.e1, wide()),
        "expi complex": (mp.ei, wide()),
        "exprel complex": (lambda z: mp.expm1(z) / z, wide()),
        "log1p complex": (mp.log1p, wide()),
        "expm1 complex": (mp.expm1, wide()),
        "sici.0 complex": (mp.si, wide()),
        "shichi.0 complex": (mp.shi, wide()),
        "sici.1 complex": (mp.ci, wide()),
        "shichi.1 complex": (mp.chi, wide()),
        "xlogy complex": (lambda x, y: x * log(y), [[1.5 - 2j, z[0]] for z in wide()]),
        "xlog1py complex": (lambda x, y: x * mp.log1p(y), [[1.5 - 2j, z[0]] for z in wide()]),
    }
    return table


def evaluated(function, point, name):
    """A row of the file: the point, the value, the slope; or None where nothing is known."""
    import scipy.special

    mp = _mp()
    wide = [mp.mpc(x) if isinstance(x, complex) else mp.mpf(x) for x in point]
    value = slope = None
    if all(map(mp.isfinite, wide)):
        try:
            value = function(*wide)
            is_complex = name.endswith("complex") or name in ("lambertw", "sph_harm_y")
            if not mp.isfinite(value) or (not is_complex and mp.im(value) != 0):
                value = None
            else:
                value = value if is_complex else mp.re(value)
                moved = [wide[:i] + [x * (1 + mp.mpf(STEP))] + wide[i + 1 :] for i, x in enumerate(wide)]
                slope = float(mp.fsum(x for x in (abs(function(*one) - value) for one in moved) if mp.isfinite(x)))
        except (TimeoutError, LookupError) as error:
            print(type(error).__name__, name, point, flush=True)
            return None
        except (ValueError, ZeroDivisionError, OverflowError, TypeError, mp.NoConvergence, ArithmeticError) as error:
            if not isinstance(error, (ValueError, ZeroDivisionError)):
                print(type(error), name, point, flush=True)
            value = None
    if value is None:
        plain, _, place = name.partition(" ")[0].partition(".")
        theirs = {"btdtr": "betainc", "btdtri": "betaincinv"}.get(plain, plain)
        with np.errstate(all="ignore"):
            value = getattr(scipy.special, theirs, getattr(np, theirs, None))(*point)
        value = value[int(place)] if place else value
        slope = 0.0
    made = [[x.real, x.imag] if isinstance(x, complex) else float(x) for x in point]
    if isinstance(value, (complex, np.complexfloating)) or isinstance(value, mp.mpc):
        return [*made, [float(value.real), float(value.imag)], float(f"{slope:.2g}")]
    return [*made, float(value), float(f"{slope:.2g}")]


def stopped(*_):
    raise TimeoutError


def rows_of(name):
    function, points = references()[name]
    rows = []
    signal.signal(signal.SIGALRM, stopped)
    for point in points:
        signal.alarm(20)
        rows.append(evaluated(function, point, name))
        signal.alarm(0)
    return [row for row in rows if row is not None]


def main(names):
    path = Path(__file__).with_name("special_grid.json")
    rows = json.loads(path.read_text()) if path.exists() else {}
    names = names or list(references())
    with multiprocessing.Pool(2) as pool:
        for name, made in zip(names, pool.imap(rows_of, names, chunksize=1), strict=True):
            rows[name] = made
            print(name, len(made), flush=True)
            lines = [f"{json.dumps(key)}: {json.dumps(rows[key], separators=(',', ':'))}" for key in sorted(rows)]
            path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
