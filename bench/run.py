"""Measure Tenorite against NumPy, and on a GPU against CuPy and PyTorch where they are installed.

    python bench/run.py [--filter TEXT] [--json FILE] [--readme FILE] [--device host|cuda]

Each case runs on both in one process, alternating, so that a busy machine slows both; the median of
the repeats counts. `share` is Tenorite's time as a part of NumPy's; `goal` the share wanted.
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

import numpy
from cases import CASES, prepare

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
SHORT_S = 2e-3  # what a repeat takes at least: small calls are run this long


# --- Measuring ---


def nothing():
    """What there is to wait for on a host."""


class Subject:
    """A module with a case set up in it, ready to be timed."""

    def __init__(self, case, xp, synchronize, expression=None, dev=None):
        self.synchronize = synchronize
        names = prepare(case, xp, dev=dev)
        if dev:
            names[xp.__name__] = xp
        self.timer = timeit.Timer(expression or case.expression, globals=names)
        self.run(1)
        self.number = max(1, round(SHORT_S / max(self.run(1), 1e-7)))
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


def measure(case, modules):
    """{module's name: seconds}, the modules taking turns."""
    subjects = {}
    for name, (xp, synchronize) in modules.items():
        if name == "torch":
            if case.torch:
                make = lambda host: xp.as_tensor(host).cuda()  # noqa: E731
                try:
                    subjects[name] = Subject(case, xp, synchronize, case.torch, make)
                except (AttributeError, TypeError, RuntimeError) as error:
                    print(f"{case.name}: not on torch: {error}", file=sys.stderr)
        else:
            subjects[name] = Subject(case, xp, synchronize)
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
    modules = {"numpy": (numpy, nothing), "tenorite": (tenorite, wait)}
    for name in ("cupy", "torch") if device == "cuda" else ():
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        modules[name] = (module, module.cuda.Device().synchronize if name == "cupy"
                         else module.cuda.synchronize)  # fmt: skip
    return modules


# --- What is no case ---


def import_seconds(module, runs=9):
    """The median time of `import module` in a fresh interpreter, less that of the interpreter."""
    def run(text):
        code = f"import time; t = time.perf_counter(); {text}; print(time.perf_counter() - t)"
        return float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True,
                                    text=True).stdout)  # fmt: skip
    return statistics.median(run(f"import {module}") for _ in range(runs))


def measure_import():
    base, ours = import_seconds("numpy"), import_seconds("tenorite")
    return {"name": "import", "group": "start", "n": 1, "goal": 1.3, "seconds":
            {"numpy": base, "tenorite": ours}, "bytes": 0}  # fmt: skip


def pool_nanoseconds():
    """What the C program says of one allocation and free; None where it is not built."""
    program = ROOT / "build/bench/pool"
    if not program.exists():
        return None
    return json.loads(subprocess.run([program], check=True, capture_output=True, text=True).stdout)


# --- Showing ---


def text_time(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def row_of(result):
    """The cells of a result's row: name, each module's time, bytes per second, share, goal."""
    seconds = result["seconds"]
    ours = seconds["tenorite"]
    rate = f"{result['bytes'] / ours / 1e9:.1f} GB/s" if result["bytes"] else ""
    share = ours / seconds["numpy"]
    late = "" if share <= result["goal"] else " !"
    return [result["name"], *(text_time(seconds[k]) if k in seconds else "" for k in result["modules"]),
            rate, f"{share:.2f}{late}", f"{result['goal']:g}"]  # fmt: skip


def geometric_mean(results):
    shares = [r["seconds"]["tenorite"] / r["seconds"]["numpy"] for r in results]
    return math.exp(statistics.fmean(map(math.log, shares))) if shares else float("nan")


def markdown(results, names):
    head = ["case", *names, "Tenorite's rate", "share", "goal"]
    lines = []
    for group in dict.fromkeys(r["group"] for r in results):
        inside = [r for r in results if r["group"] == group]
        lines += [f"| **{group}** |" + " |" * (len(head) - 1)]
        lines += ["| " + " | ".join(row_of(r)).replace("*", "\\*") + " |" for r in inside]
    mean = geometric_mean([r for r in results if r["n"] == 10])
    rule = "|" + " --- |" * len(head)
    table = "\n".join(["| " + " | ".join(head) + " |", rule, *lines])
    return f"{table}\n\nGeometric mean of the shares of calls on 10 elements: {mean:.2f}.\n"


def write_readme(path, text):
    """Replaces what lies between the two marks."""
    old = path.read_text()
    if BEGIN not in old or END not in old:
        raise SystemExit(f"{path} lacks the marks {BEGIN} and {END}")
    before, rest = old.split(BEGIN, 1)
    path.write_text(f"{before}{BEGIN}\n{text}{END}{rest.split(END, 1)[1]}")


def run_all(wanted, modules):
    results = []
    for case in CASES:
        if wanted not in f"{case.group}: {case.name}":
            continue
        seconds = measure(case, modules)
        result = {"name": case.name, "group": case.group, "n": case.n, "goal": case.goal,
                  "bytes": case.bytes_per_n * case.n, "seconds": seconds,
                  "modules": list(modules)}  # fmt: skip
        results.append(result)
        print("  ".join(f"{cell:>12}" for cell in row_of(result)), flush=True)
    if wanted in "start: import":
        results.append({**measure_import(), "modules": list(modules)})
        print("  ".join(f"{cell:>12}" for cell in row_of(results[-1])), flush=True)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", help="only cases whose group and name hold this text")
    parser.add_argument("--json", type=Path, help="write all results here")
    parser.add_argument("--readme", type=Path, help="write the table between the marks of this file")
    parser.add_argument("--device", choices=("host", "cuda"), default="host")
    options = parser.parse_args()
    modules = load_modules(options.device)
    results = run_all(options.filter, modules)
    pool = pool_nanoseconds()
    mean = geometric_mean([r for r in results if r["n"] == 10])
    late = [r["name"] for r in results if r["seconds"]["tenorite"] > r["goal"] * r["seconds"]["numpy"]]
    print(f"geometric mean of calls on 10 elements: {mean:.2f}; goals missed: {late or 'none'}")
    if pool:
        print(f"pool: {pool['nanoseconds']:.0f} ns per allocation and free")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        facts = {"numpy": numpy.__version__, "cores": os.cpu_count(), "pool": pool,
                 "geometric_mean_of_calls": mean, "cases": results}  # fmt: skip
        options.json.write_text(json.dumps(facts, indent=1))
    if options.readme:
        write_readme(options.readme, markdown(results, list(modules)))


if __name__ == "__main__":
    main()
