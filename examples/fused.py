"""Five programs as one pass each: what `fuse` saves, beside the same programs unfused and NumPy's.

Softmax and layer norm of rows, a step of Adam, prices of options by Black and Scholes, and twenty
steps of z * z + c are plain functions under `@fuse`. Of each the program prints the time of a call,
the launches (on the host, as in NumPy: calls that pass over arrays) and the bytes that these read
and write. `explain` tells them of ours, and with --explain all that it says is printed.

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


class Counted(np.ndarray):
    """An array of NumPy's; each call on such arrays is a pass over what it reads and writes."""

    launches = bytes = 0

    @classmethod
    def count(cls, function, *inputs, **options):
        read = {id(value): value.nbytes for value in inputs if isinstance(value, np.ndarray)}
        inputs = [value.view(np.ndarray) if isinstance(value, cls) else value for value in inputs]
        made = np.asarray(function(*inputs, **options))
        cls.launches += 1
        cls.bytes += sum(read.values()) + made.nbytes
        return made.view(cls)

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **options):
        if out:
            options["out"] = tuple(value.view(np.ndarray) for value in out)
        return Counted.count(getattr(ufunc, method), *inputs, **options)

    def __array_function__(self, function, types, inputs, options):
        if function is np.where:
            return Counted.count(function, *inputs)
        return super().__array_function__(function, types, inputs, options)  # of ufuncs


def numpy_cost(plain, host):
    """How many passes over arrays NumPy makes, and the bytes of them."""
    Counted.launches = Counted.bytes = 0
    plain(*(array.view(Counted) for array in host), xp=np)
    return Counted.launches, Counted.bytes


def compare(program, size, rounds, rng):
    """(launches, bytes) and seconds of a call: fused, unfused and NumPy's; and what `explain`
    says."""
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
    report = program.explain(*arrays)
    ours = [(cost.launches, cost.bytes_read + cost.bytes_written) for cost in (report.cost, report.unfused)]
    return dict(zip(calls, [*ours, numpy_cost(plain, host)])), seconds, report


def draw(path, rows, device):
    """Bars: the time of each program as a share of NumPy's."""
    texts = {"fused": [], "unfused": [], "NumPy": []}
    for costs, seconds, _ in rows.values():
        for way, (launches, _) in costs.items():
            texts[way].append(f"{1e3 * seconds[way]:.3g} ms, {launches} pass{'es' * (launches > 1)}")
    seconds = {program.name: seconds for program, (_, seconds, _) in rows.items()}
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
    print(f"{'':16} {'launches':>21} {'MB':>24} {'milliseconds':>24}")
    print(f"{'program':<16}" + f"{'fused':>8} unfused {'NumPy':>7}" * 3)
    for program, (costs, seconds, _) in rows.items():
        print(f"{program.name:<16}" + "".join(f"{launches:8}" for launches, _ in costs.values()), end="")
        print("".join(f"{moved / 1e6:8.1f}" for _, moved in costs.values()), end="")
        print("".join(f"{1e3 * time:8.2f}" for time in seconds.values()))
    print("fused and unfused results are equal, and NumPy's within rounding errors")
    if options.explain:
        for program, (_, _, report) in rows.items():
            print(f"\n{program.name}: {report}", end="")
    if options.output:
        draw(options.output, rows, device)


if __name__ == "__main__":
    main()
