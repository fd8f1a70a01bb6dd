"""Measure Tenorite against NumPy, on a GPU against CuPy and PyTorch where they are installed.

    python bench/run.py [--filter TEXT] [--json FILE] [--site FOLDER] [--device host|cuda]
    python bench/run.py --levels v2 v3 v4 [--filter TEXT] [--json FILE]
    python bench/run.py --results FILE --site FOLDER

Each case runs on all in one process, alternating, so that a busy machine slows all; the median of
the repeats counts. `share` is Tenorite's time as a part of the fastest other's; `goal` the share
wanted: on a GPU 1. --site docs writes the figures that the site's tables are made of, and the
charts. The second form holds Tenorite, NumPy and its BLAS at each level of x86-64 in turn, and
prints the shares beside each other; the third makes the site's files of a JSON file of an earlier
run, made on another machine.
"""

import argparse
import importlib
import json
import math
import os
import statistics
import subprocess
import sys
import time
import timeit
from pathlib import Path

import chart
import machine
import numpy
from cases import CASES, prepare

ROOT = Path(__file__).resolve().parent.parent
SHORT_S = 2e-3  # what a repeat takes at least: small calls are run this long


# --- Measuring ---


def nothing():
    """What there is to wait for on a host."""


class Subject:
    """A module with a case set up in it, ready to be timed; a repeat takes `short` seconds or
    more."""

    def __init__(self, case, xp, synchronize, expression=None, dev=None, short=SHORT_S, rng=None):
        self.synchronize = synchronize
        names = prepare(case, xp, dev=dev, rng=rng)
        names[xp.__name__] = xp
        self.timer = timeit.Timer(expression or case.expression, globals=names)
        self.run(1)
        self.number = max(1, round(short / max(self.run(1), 1e-7)))
        self.times = []

    def run(self, number):
        """Seconds per run."""
        start = time.perf_counter()
        self.timer.timeit(number)
        self.synchronize()
        return (time.perf_counter() - start) / number

    def repeat(self):
        # A GPU that was idle while another module ran is slow at first.
        if self.synchronize is not nothing:
            self.run(self.number)
        self.times.append(self.run(self.number))

    def median(self):
        return statistics.median(self.times)


def torch_subject(case, torch, synchronize, short=SHORT_S, rng=None):
    """The case on PyTorch's tensors, on the GPU."""
    make = lambda host: torch.as_tensor(host).cuda()
    return Subject(case, torch, synchronize, case.torch, make, short, rng)


def measure(case, modules):
    """{module's name: seconds}, the modules taking turns."""
    subjects = {}
    for name, (xp, synchronize) in modules.items():
        if name != "torch":
            subjects[name] = Subject(case, xp, synchronize)
        elif case.torch:
            try:
                subjects[name] = torch_subject(case, xp, synchronize)
            except (AttributeError, TypeError, RuntimeError) as error:
                print(f"{case.name}: not on torch: {error}", file=sys.stderr)
    slowest = max(s.run(1) for s in subjects.values())
    for _ in range(5 if slowest > 0.05 else 11 if slowest > 1e-3 else 15):
        for subject in subjects.values():
            subject.repeat()
    return {name: subject.median() for name, subject in subjects.items()}


def load_modules(device):
    os.environ.setdefault("TENORITE_BACKEND", device)
    import tenorite

    current = tenorite.cuda.Device()
    wait = nothing if device == "host" else current.synchronize
    if device == "host":
        return {"numpy": (numpy, nothing), "tenorite": (tenorite, wait)}
    modules = {"tenorite": (tenorite, wait)}
    for name in ("cupy", "torch"):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        modules[name] = (module, module.cuda.Device().synchronize if name == "cupy" else module.cuda.synchronize)
    return modules


# --- What is no case ---


def import_seconds(module, runs=9):
    """The median time of `import module` in a fresh interpreter, less that of the interpreter."""

    def run(text):
        code = f"import time; t = time.perf_counter(); {text}; print(time.perf_counter() - t)"
        return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)

    return statistics.median(run(f"import {module}") for _ in range(runs))


def measure_import():
    base, ours = import_seconds("numpy"), import_seconds("tenorite")
    return {
        "name": "import",
        "group": "start",
        "n": 1,
        "goal": 1.3,
        "seconds": {"numpy": base, "tenorite": ours},
        "bytes": 0,
    }


def nanoseconds_of(name):
    """What a C program of this folder says; None where it is not built."""
    program = ROOT / "build/bench" / name
    if not program.exists():
        return None
    return json.loads(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


# --- Showing ---


def text_time(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def share_of(result):
    """Tenorite's time as a part of the fastest other's; NaN if there is none."""
    others = [seconds for name, seconds in result["seconds"].items() if name != "tenorite"]
    return result["seconds"]["tenorite"] / min(others, default=float("nan"))


def row_of(result, names):
    """The cells of a result's row: name, each module's time, bytes per second, share, goal."""
    seconds = result["seconds"]
    rate = f"{result['bytes'] / seconds['tenorite'] / 1e9:.1f} GB/s" if result["bytes"] else ""
    late = " !" if share_of(result) > result["goal"] else ""
    return [
        result["name"],
        *(text_time(seconds[k]) if k in seconds else "" for k in names),
        rate,
        f"{share_of(result):.2f}{late}",
        f"{result['goal']:g}",
    ]


def mean_of_calls(results):
    """The geometric mean of the shares of calls on 10 elements."""
    shares = [share_of(r) for r in results if r["n"] == 10]
    return math.exp(statistics.fmean(map(math.log, shares))) if shares else float("nan")


def write_site(folder, facts):
    """The figures of a device and its chart, for the site and README."""
    (folder / "bench").mkdir(parents=True, exist_ok=True)
    (folder / "bench" / f"{facts['device']}.json").write_text(json.dumps(facts, indent=1))
    name = "cpu.svg" if facts["device"] == "host" else "gpu.svg"
    (folder / "_static" / name).write_text(chart.draw(facts))


def run_all(wanted, modules, device):
    results = []
    for case in CASES:
        if wanted not in f"{case.group}: {case.name}":
            continue
        goal = case.goal if device == "host" else 1.0
        try:
            seconds = measure(case, modules)
        except NotImplementedError as error:
            print(f"{case.name}: left out: {error}", file=sys.stderr)
            continue
        results.append(
            {
                "name": case.name,
                "group": case.group,
                "n": case.n,
                "goal": goal,
                "bytes": case.bytes_per_n * case.n,
                "seconds": seconds,
            }
        )
        print("  ".join(f"{cell:>12}" for cell in row_of(results[-1], modules)), flush=True)
    if device == "host" and wanted in "start: import":
        results.append(measure_import())
        print("  ".join(f"{cell:>12}" for cell in row_of(results[-1], modules)), flush=True)
    return results


def measure_all(options):
    """What the JSON file holds."""
    modules = load_modules(options.device)
    results = run_all(options.filter, modules, options.device)
    pool, graph = (nanoseconds_of(name) if options.device == "host" else None for name in ("pool", "graph"))
    late = [r["name"] for r in results if share_of(r) > r["goal"]]
    print(f"geometric mean of calls on 10 elements: {mean_of_calls(results):.2f}; goals missed: {late or 'none'}")
    if pool:
        print(f"pool: {pool['nanoseconds']:.0f} ns per allocation and free")
    if graph:
        print("graph: {building:.0f} ns an operation to build, {scheduling:.0f} to schedule".format(**graph))
    return {
        "device": options.device,
        "modules": list(modules),
        "machine": machine.describe(modules),
        "pool": pool,
        "graph": graph,
        "cases": results,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", help="only cases whose group and name hold this text")
    parser.add_argument("--json", type=Path, help="write all results here")
    parser.add_argument("--site", type=Path, help="write the figures and the chart into this folder")
    parser.add_argument("--results", type=Path, help="a JSON file of an earlier run, instead of a run")
    parser.add_argument("--device", choices=("host", "cuda"), default="host")
    parser.add_argument("--levels", nargs="+", choices=machine.LEVELS, help="measure at each of these levels")
    options = parser.parse_args()
    if options.levels:
        found = machine.at_levels(__file__, ["--filter", options.filter], options.levels)
        return machine.report_levels(found, share_of, options.json)
    facts = json.loads(options.results.read_text()) if options.results else measure_all(options)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(facts, indent=1))
    if options.site:
        write_site(options.site, facts)
    return None


if __name__ == "__main__":
    main()
