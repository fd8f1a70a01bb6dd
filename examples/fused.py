"""Five programs as one pass each: what `fuse` saves, beside the same programs unfused and NumPy's.

Softmax and layer norm of rows, a step of Adam, prices of options by Black and Scholes, and twenty
steps of z * z + c are plain functions under `@fuse`. Of each the program prints the time of a call,
the launches (on the host: calls that pass over arrays) and the bytes that these read and write, as
`explain` tells them, and with --explain all that `explain` says.

    python examples/fused.py [--size N] [--rounds N] [--explain] [--output fused.png]
"""

import argparse

import numpy as np
import side_by_side
import tenorite as tn


@tn.fuse
def softmax(x, xp=tn):
    """Of rows (J. Bridle, Probabilistic interpretation of feedforward outputs, 1990)."""
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


@tn.fuse
def layer_norm(x, xp=tn):
    """Of rows (J. Ba, J. Kiros, G. Hinton, Layer normalization, 2016)."""
    away = x - xp.mean(x, axis=1, keepdims=True)
    return away / xp.sqrt(xp.mean(away * away, axis=1, keepdims=True) + 1e-5)


@tn.fuse
def adam(w, g, m, v, xp=tn):
    """A step (D. Kingma, J. Ba, Adam: a method for stochastic optimization, 2015)."""
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return w - 0.01 * m / (xp.sqrt(v) + 1e-8), m, v


def _normal(x, xp):
    """The normal distribution function (M. Abramowitz, I. Stegun, 26.2.17)."""
    t = 1 / (1 + 0.2316419 * abs(x))
    series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = 0.3989422804014327 * xp.exp(-x * x / 2) * series
    return xp.where(x > 0, 1 - tail, tail)


@tn.fuse
def black_scholes(price, strike, years, xp=tn):
    """Prices of European options (F. Black, M. Scholes, 1973): calls and puts."""
    root = xp.sqrt(years)
    first = (xp.log(price / strike) + (0.02 + 0.3 * 0.3 / 2) * years) / (0.3 * root)
    second = first - 0.3 * root
    later = strike * xp.exp(-0.02 * years)
    call = price * _normal(first, xp) - later * _normal(second, xp)
    return call, later - price + call


@tn.fuse
def twenty_steps(z, c, xp=tn):
    """Of z * z + c, as the Mandelbrot set is made of."""
    for _ in range(20):
        z = z * z + c
    return z


# Of each: how many arrays it takes, and whether they are matrices with rows of ROW.
PROGRAMS = {softmax: (1, True), layer_norm: (1, True), adam: (4, False), black_scholes: (3, False)}
PROGRAMS[twenty_steps] = (2, False)
ROW = 1000


def inputs(program, size, rng):
    """NumPy's arrays of float32, above 0."""
    count, is_matrix = PROGRAMS[program]
    shape = (size // ROW, ROW) if is_matrix else size
    return [(rng.random(shape) * 0.2 + 0.01).astype(np.float32) for _ in range(count)]


def compare(program, size, rounds, rng):
    """What `explain` says of a program, and the seconds of a call: fused, unfused and NumPy's."""
    host = inputs(program, size, rng)
    arrays = [tn.asarray(array) for array in host]
    plain = program.__wrapped__
    calls = {"fused": lambda: program(*arrays), "unfused": lambda: plain(*arrays), "NumPy": lambda: plain(*host, xp=np)}
    made = [call() for call in calls.values()]  # what is compiled, is compiled once
    for one, other, true in zip(*(results if type(results) is tuple else (results,) for results in made)):
        assert one.tobytes() == other.tobytes(), program.name
        np.testing.assert_allclose(tn.asnumpy(one), true, rtol=1e-4, atol=1e-6)
    seconds = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            seconds[name] = min(seconds[name], side_by_side.timed(call)[1])
    return program.explain(*arrays), seconds


def draw(path, rows, device):
    """Bars: the time of each program as a share of NumPy's."""
    texts = {"fused": [], "unfused": [], "NumPy": []}
    for report, seconds in rows.values():
        for way, cost in (("fused", report.cost), ("unfused", report.unfused), ("NumPy", None)):
            passes = f", {cost.launches} pass{'es' * (cost.launches > 1)}" if cost else ""
            texts[way].append(f"{1e3 * seconds[way]:.3g} ms{passes}")
    seconds = {program.name: seconds for program, (_, seconds) in rows.items()}
    side_by_side.draw_shares(path, f"Programs as one pass each, on {device}", seconds, texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=1_000_000, help="elements of each array")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--explain", action="store_true", help="say all that is known of each program")
    parser.add_argument("--output", metavar="FILE", help="draw the times")
    options = parser.parse_args()

    rng = np.random.default_rng(5)
    rows = {program: compare(program, options.size, options.rounds, rng) for program in PROGRAMS}
    device = tn.cuda.Device().name
    print(f"{options.size:,} elements of float32 on {device}")
    print("                     launches            MB             milliseconds")
    print("program          fused unfused   fused unfused    fused unfused   NumPy")
    for program, (report, seconds) in rows.items():
        costs = [report.cost, report.unfused]
        moved = [(cost.bytes_read + cost.bytes_written) / 1e6 for cost in costs]
        print(f"{program.name:<16} {costs[0].launches:5} {costs[1].launches:7} {moved[0]:7.1f} {moved[1]:7.1f}", end="")
        print("  {:7.2f} {:7.2f} {:7.2f}".format(*(1e3 * time for time in seconds.values())))
    print("fused and unfused results are equal, and NumPy's within rounding errors")
    if options.explain:
        for program, (report, _) in rows.items():
            print(f"\n{program.name}: {report}", end="")
    if options.output:
        draw(options.output, rows, device)


if __name__ == "__main__":
    main()
