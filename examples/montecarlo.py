"""Prices of options by random walks of a share: one program for NumPy and Tenorite.

    python examples/montecarlo.py [--paths N] [--steps N] [--module numpy|tenorite|both]

The price of an option is the mean of what it pays, discounted, over many courses that the share may
take. Each price comes with the interval that has the true one in 95 of 100 runs. The random numbers
are Tenorite's, which are the same on the host and on a GPU; the price of the plain call is known.
"""

import argparse
import math
import zlib

import numpy as np
import side_by_side
import tenorite as tn

SPOT, STRIKE, BARRIER = 100.0, 105.0, 140.0
RATE, VOLATILITY, YEARS = 0.03, 0.25, 1.0


def numbers(seed, shape):
    """Normal random numbers, on the current device."""
    return tn.random.default_rng(seed).standard_normal(shape)


def is_same_on_host(drawn, seed):
    """Whether the host draws the same numbers, to the last bit, as the current device."""
    with tn.cuda.Device("host:0"):
        return np.array_equal(tn.asnumpy(numbers(seed, drawn.shape)), tn.asnumpy(drawn))


def courses(xp, drawn):
    """What the share costs after each step, path by path: a geometric Brownian motion."""
    step = YEARS / drawn.shape[1]
    growth = (RATE - VOLATILITY**2 / 2) * step + VOLATILITY * math.sqrt(step) * drawn
    return SPOT * xp.exp(xp.cumsum(growth, axis=1))


def prices(xp, drawn):
    """For each option the price, and half the width of its interval."""
    drawn = xp.asarray(drawn)
    share = courses(xp, drawn)
    last = xp.maximum(share[:, -1] - STRIKE, 0)
    payments = {
        "call": last,
        "put": xp.maximum(STRIKE - share[:, -1], 0),
        "asian call": xp.maximum(share.mean(axis=1) - STRIKE, 0),
        "knocked out": xp.where(share.max(axis=1) < BARRIER, last, 0),
    }
    results = {}
    for name, paid in payments.items():
        paid = math.exp(-RATE * YEARS) * paid
        results[name] = xp.stack([paid.mean(), 1.96 * paid.std() / math.sqrt(len(paid))])
    return results


def price_of_call():
    """By the formula of Black and Scholes."""

    def normal(x):
        return (1 + math.erf(x / math.sqrt(2))) / 2

    deviation = VOLATILITY * math.sqrt(YEARS)
    upper = (math.log(SPOT / STRIKE) + RATE * YEARS) / deviation + deviation / 2
    return SPOT * normal(upper) - STRIKE * math.exp(-RATE * YEARS) * normal(upper - deviation)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--paths", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--seed", type=int, default=7)
    side_by_side.add_options(parser)
    options = parser.parse_args()

    drawn = numbers(options.seed, (options.paths, options.steps))
    assert is_same_on_host(drawn, options.seed), "the host draws other numbers"
    on_host = tn.asnumpy(drawn)
    print(f"{drawn.size:,} random numbers, the host's as those of {drawn.device}, checksum {zlib.crc32(on_host):08x}")
    result = side_by_side.run(lambda xp: prices(xp, on_host if xp is np else drawn), options.module)
    for name, (price, half) in result.items():
        print(f"{name:<11} {price:8.4f} +- {half:.4f}")
    exact, (price, half) = price_of_call(), result["call"]
    print(f"the call costs {exact:.4f} by the formula: {abs(price - exact) / half:.2f} half intervals away")
    assert abs(price - exact) < 2 * half, "the price is far from the formula's"


if __name__ == "__main__":
    main()
