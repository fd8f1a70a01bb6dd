"""Measure programs in plain NumPy style (plain_programs.py) waiting beside eager, and NumPy.

    python bench/waiting.py [--sizes 1000,100000] [--filter TEXT] [--seconds S] [--numpy] [--small]

A row has the eager time and the waiting one as a share of it, each the least of turns that the two
take in one process, and what a waiting program launched as a share of the eager one's calls. What a
program returns is looked at in its turn. --small adds calls on ten elements and what joining costs.
"""

import argparse
import math
import time

import machine
import numpy
import tenorite
from plain_programs import PROGRAMS

_LEAST_S = 0.5e-3  # a turn takes so long at least
_clock = time.perf_counter


def looked_at(program, arrays):
    """A function that runs the program and waits while it holds what the program returns."""
    stream = tenorite.cuda.get_current_stream()

    def body():
        found = program.run(tenorite, *arrays)
        stream.synchronize()
        return found

    return body


class Turns:
    """A body that is run by turns; while it is, calls wait or do not."""

    def __init__(self, body, waits=False):
        self.body, self.waits, self.best = body, waits, math.inf
        self.run(2)
        self.number = max(1, min(500, round(_LEAST_S / max(self.run(1), 1e-7))))

    def run(self, number):
        with tenorite.eager(not self.waits):
            start = _clock()
            for _ in range(number):
                self.body()
            return (_clock() - start) / number

    def turn(self):
        self.best = min(self.best, self.run(self.number))


def take_turns(ways, seconds, least=5):
    end, count = time.perf_counter() + seconds, 0
    while count < least or time.perf_counter() < end:
        for way in ways:
            way.turn()
        count += 1


def measure(program, n, seconds, with_numpy):
    """Seconds eager, waiting and (or None) of NumPy, and launches by calls."""
    made = program.make(numpy.random.default_rng(0), n)
    arrays = [tenorite.asarray(array) for array in made]
    body = looked_at(program, arrays)
    before = tenorite._core._backlog_figures()
    with tenorite.eager(False):
        body()
    after = tenorite._core._backlog_figures()
    calls = after["single_launches"] - before["single_launches"]
    ways = [Turns(body), Turns(body, waits=True)]
    if with_numpy:
        ways.append(Turns(lambda: program.run(numpy, *made)))
    take_turns(ways, seconds)
    times = [way.best for way in ways] + [None]
    return *times[:3], (after["launches"] - before["launches"], calls)


def print_row(program, n, figures):
    eager, waited, plain, (launches, calls) = figures
    rest = f"{eager / plain:8.2f}" if plain else ""
    print(
        f"{program.theme:10} {program.name:26} {n:>9,} {eager * 1e6:10.1f} us {waited / eager:7.3f} "
        f"{launches:5}/{calls:<5}{rest}",
        flush=True,
    )


def measure_small(seconds):
    """Calls on ten elements, which do not wait, where calls may."""
    a, b = tenorite.ones(10, "f4"), tenorite.ones(10, "f4")
    bodies = {"a + b": lambda: a + b, "sqrt": lambda: tenorite.sqrt(a), "sum": a.sum, "a *= 1": lambda: a.__imul__(1)}
    for name, body in bodies.items():
        ways = [Turns(body), Turns(body, waits=True)]
        take_turns(ways, seconds)
        eager, waited = (way.best for way in ways)
        print(f"10 elements {name:10} {eager * 1e9:8.1f} ns {waited / eager:7.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,100000")
    parser.add_argument("--filter", default="")
    parser.add_argument("--seconds", type=float, default=0.4, help="of a row")
    parser.add_argument("--numpy", action="store_true")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--cpu", action="store_true", help="measure the time of the processor, not the clock's")
    options = parser.parse_args()
    if options.cpu:
        global _clock
        _clock = time.process_time
    print(machine.cpu_name())
    if options.small:
        measure_small(options.seconds)
    for n in map(int, options.sizes.split(",")):
        shares = []
        for program in PROGRAMS:
            if options.filter not in program.name and options.filter != program.theme:
                continue
            figures = measure(program, n, options.seconds, options.numpy)
            shares.append(figures[1] / figures[0])
            print_row(program, n, figures)
        if shares:
            mean = math.exp(sum(map(math.log, shares)) / len(shares))
            print(f"{len(shares)} programs of {n:,}: {mean:.3f} of eager; slowest {max(shares):.3f}")


if __name__ == "__main__":
    main()
