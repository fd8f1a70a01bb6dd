"""Programs in plain NumPy style, without a decorator: what calls that wait save.

Prices of options by Black and Scholes, a step of k-means, softmax of rows, a step of Adam and the
loop of the Mandelbrot set run as they are written, once waiting (`with tn.eager(False):`), once
eager, and under NumPy. Of each the program prints the time, the launches (on the host: calls that
pass over arrays) and the bytes that these read and write, as `tn.explain()` tells them.

    python examples/unchanged.py [--size N] [--rounds N] [--output unchanged.png]
"""

import argparse
import time

import numpy as np
import side_by_side
import tenorite as tn

ROW, CLUSTERS = 1000, 5


def black_scholes(xp, price, strike, years):
    """Prices of European options (F. Black, M. Scholes, 1973): calls and puts."""

    def normal(x):  # the normal distribution function (M. Abramowitz, I. Stegun, 26.2.17)
        t = 1 / (1 + 0.2316419 * abs(x))
        series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
        tail = 0.3989422804014327 * xp.exp(-x * x / 2) * series
        return xp.where(x > 0, 1 - tail, tail)

    root = xp.sqrt(years)
    first = (xp.log(price / strike) + (0.02 + 0.3 * 0.3 / 2) * years) / (0.3 * root)
    later = strike * xp.exp(-0.02 * years)
    call = price * normal(first) - later * normal(first - 0.3 * root)
    return call, later - price + call


def k_means(xp, x, y):
    """A step (S. Lloyd, 1982): the sums of the points that are nearest to each centre."""
    nearest = xp.full(x.shape, xp.inf, x.dtype)
    which = xp.zeros(x.shape, "i4")
    for k in range(CLUSTERS):
        away = (x - 0.04 * k) ** 2 + (y - 0.02 * k) ** 2
        which[...] = xp.where(away < nearest, k, which)
        nearest = xp.minimum(nearest, away)
    counts = xp.stack([(which == k).sum() for k in range(CLUSTERS)])
    sums = xp.stack([((which == k) * x).sum(dtype="f8") for k in range(CLUSTERS)])
    return counts, sums


def softmax(xp, x):
    """Of rows, in place (J. Bridle, Probabilistic interpretation of feedforward outputs, 1990)."""
    x = x.reshape(-1, ROW)
    e = x - x.max(axis=1)[:, None]
    xp.exp(e, out=e)
    e /= e.sum(axis=1)[:, None]
    return (e,)


def adam(xp, w, g, m, v):
    """A step (D. Kingma, J. Ba, Adam: a method for stochastic optimization, 2015)."""
    m, v = m.copy(), v.copy()
    m *= 0.9
    m += 0.1 * g
    v *= 0.999
    v += 0.001 * g * g
    return w - 0.01 * m / (xp.sqrt(v) + 1e-8), m, v


def mandelbrot(xp, x, y):
    """How many of 20 steps each point stays (B. Mandelbrot, 1980)."""
    real, imag, steps = x * 0, y * 0, xp.zeros(x.shape, "i4")
    for _ in range(20):
        squares = real * real + imag * imag
        steps += squares <= 4
        imag = xp.minimum(2 * real * imag + y * 10 - 1, 4)
        real = xp.minimum(squares - 2 * imag * 0 - 2 * xp.square(imag) * 0.1 + x * 10 - 2, 4)
    return (steps,)


PROGRAMS = {black_scholes: 3, k_means: 2, softmax: 1, adam: 4, mandelbrot: 2}


def measured(program, arrays, waiting):
    """The results, the seconds, and the runs that the call took, if it waits."""
    with tn.eager(not waiting):
        mark = tn.ones(100_003, "u1") + 1
        tn.cuda.Device().synchronize()
        before = tn.explain().runs[:1]
        results, seconds = side_by_side.timed(program, tn, *arrays)
        runs = tn.explain().runs
    del mark
    return results, seconds, runs[: runs.index(before[0])] if waiting and before[0] in runs else ()


def total(costs):
    return [sum(part) for part in zip(*costs, strict=True)]


def compare(program, size, rounds, rng):
    """Costs and seconds: waiting, eager, NumPy's. Results are equal, bit for bit on the host."""
    host = [(rng.random(size) * 0.2 + 0.01).astype(np.float32) for _ in range(PROGRAMS[program])]
    arrays = [tn.asarray(array) for array in host]
    seconds = dict.fromkeys(("waiting", "eager", "NumPy"), float("inf"))
    for _ in range(100):  # until the programs of a GPU are compiled
        waiting, _, runs = measured(program, arrays, True)
        if sum(run.cost.launches for run in runs) < sum(run.unfused.launches for run in runs):
            break
        time.sleep(0.02)
    eager, *_ = measured(program, arrays, False)
    for one, other, true in zip(waiting, eager, program(np, *host), strict=True):
        assert one.tobytes() == other.tobytes(), program.__name__
        np.testing.assert_allclose(tn.asnumpy(one), true, rtol=1e-4, atol=1e-6)
    for _ in range(rounds):
        seconds["waiting"] = min(seconds["waiting"], measured(program, arrays, True)[1])
        seconds["eager"] = min(seconds["eager"], measured(program, arrays, False)[1])
        start = time.perf_counter()
        program(np, *host)
        seconds["NumPy"] = min(seconds["NumPy"], time.perf_counter() - start)
    return total([run.cost for run in runs]), total([run.unfused for run in runs]), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1_000_000, help="elements of each array, a multiple of 1,000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--output", metavar="FILE", help="draw the times")
    options = parser.parse_args()

    rng = np.random.default_rng(5)
    rows = {program: compare(program, options.size, options.rounds, rng) for program in PROGRAMS}
    device = tn.cuda.Device().name
    print(f"{options.size:,} elements of float32 on {device}")
    print("                  launches             MB              milliseconds")
    print("program        waiting eager  waiting   eager  waiting   eager   NumPy")
    for program, (cost, single, seconds) in rows.items():
        moved = [(one[1] + one[2]) / 1e6 for one in (cost, single)]
        print(f"{program.__name__:<14} {cost[0]:7} {single[0]:5} {moved[0]:8.1f} {moved[1]:7.1f}", end="")
        print("  {:7.2f} {:7.2f} {:7.2f}".format(*(1e3 * time for time in seconds.values())))
    print("waiting and eager results are equal, and NumPy's within rounding errors")
    if options.output:
        seconds = {program.__name__: seconds for program, (*_, seconds) in rows.items()}
        side_by_side.draw_shares(options.output, f"Programs as they are, on {device}", seconds)


if __name__ == "__main__":
    main()
