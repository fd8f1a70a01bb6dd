"""Sweep over operations, dtypes, layouts and sizes for what is slower than elsewhere.

    python bench/sweep.py [--filter WORDS] [--max N] [--time SECONDS] [--busy 0|1|2] [--above RATIO]
                          [--device host|cuda] [--json FILE] [--picture FILE.svg]
                          [--levels v2 v3 v4]

A case is an operation on arrays of one dtype, layout and size (sweep_cases.py). Tenorite and NumPy,
on a GPU CuPy and PyTorch, take turns in one process; on a quiet machine the shortest of the repeats
counts, beside busy processes the median of longer ones. The ratio is Tenorite's time by the fastest
other's. A case above the threshold is measured twice more, and the smallest ratio is reported: what
is shown is no noise. When the time is up, as many cases of each operation were measured as of any
other.

WORDS are patterns as of file names, which some part of a case matches each: the group, the
operation, the dtype, the layout or the size, as in --filter "max bool 'step 2'" or --filter
"reduction 'any*'".

With --levels all is measured at each of these levels of x86-64 in turn, by processes of their own
(machine.py), and the ratios stand beside each other.
"""

import argparse
import contextlib
import fnmatch
import json
import math
import shlex
import statistics
import subprocess
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import machine
import numpy
from run import Subject, load_modules, share_of, text_time, torch_subject
from sweep_cases import cases
from sweep_picture import draw

QUIET_S, BUSY_S = 3e-4, 5e-3  # what a repeat takes at least
REPEATS = 5
SLOW_S = 0.05  # of calls as long as this fewer are made
AGAIN = 2  # times that what is above the threshold is measured again

# --- Load ---

_SPIN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    for _ in range(10**5): pass"


@contextlib.contextmanager
def busy_processes(count):
    """Processes beside this one that never rest."""
    processes = [subprocess.Popen([sys.executable, "-c", _SPIN]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


# --- Measuring ---


def subjects_of(case, modules, short):
    """{module's name: a Subject} of the modules that can run the case. An error that Tenorite alone
    has is raised."""
    subjects, ours = {}, None
    for name, (xp, synchronize) in modules.items():
        try:
            if name != "torch":
                subjects[name] = Subject(case, xp, synchronize, short=short)
            elif case.torch:
                subjects[name] = torch_subject(case, xp, synchronize, short)
        except Exception as error:
            if name == "tenorite":
                ours = error
    if ours and subjects:
        raise ours
    return subjects


def seconds_of(subjects, is_busy):
    """{module's name: seconds} of repeats in turn."""
    for subject in subjects.values():
        subject.times.clear()
    slowest = max(subject.run(1) for subject in subjects.values())
    for _ in range(2 if slowest > SLOW_S else 3 * REPEATS if is_busy else REPEATS):
        for subject in subjects.values():
            subject.repeat()
    choose = statistics.median if is_busy else min
    return {name: choose(subject.times) for name, subject in subjects.items()}


def measure(case, modules, options):
    """The seconds of the most favourable measurement; None if there is nothing to compare with."""
    subjects = subjects_of(case, modules, BUSY_S if options.busy else QUIET_S)
    if len(subjects) < 2:
        return None
    best = seconds_of(subjects, options.busy)
    for _ in range(AGAIN):
        if share_of({"seconds": best}) <= options.above:
            break
        again = seconds_of(subjects, options.busy)
        best = min(best, again, key=lambda seconds: share_of({"seconds": seconds}))
    return best


def is_comparable(layout, modules):
    # CuPy's kernels read unaligned elements, which ends the GPU's context.
    return "numpy" in modules or layout != "unaligned"


def run_all(modules, options):
    """(results, how many cases there are, names of what Tenorite refused)."""
    words = shlex.split(options.filter)

    def is_wanted(operation, dtype, layout, n):
        facts = (operation.group, operation.name, dtype, layout, str(n))
        return is_comparable(layout, modules) and all(
            any(fnmatch.fnmatchcase(fact, word) for fact in facts) for word in words
        )

    tenorite = modules["tenorite"][0]
    wanted = cases(tenorite, options.max, is_wanted, options.seed)
    results, refused, end = [], set(), time.monotonic() + options.time
    with busy_processes(options.busy):
        for name, dtype, layout, case in wanted:
            if time.monotonic() > end:
                break
            try:
                seconds = measure(case, modules, options)
            except Exception as error:
                refused.add(f"{case.name}: {type(error).__name__}: {error}")
                continue
            if seconds:
                results.append(
                    {
                        "name": name,
                        "group": case.group,
                        "dtype": dtype,
                        "layout": layout,
                        "n": case.n,
                        "seconds": seconds,
                    }
                )
                results[-1]["ratio"] = share_of(results[-1])
    return results, len(wanted), refused


# --- Showing ---


def text_size(n):
    return str(n) if n < 1000 else f"{n:.0e}".replace("e+0", "e")


def lines_above(results, above):
    """One line for each operation, dtype and layout above the threshold, the worst first."""
    found = defaultdict(list)
    for r in results:
        if r["ratio"] > above:
            found[r["name"], r["dtype"], r["layout"]].append(r)
    for (name, dtype, layout), rows in sorted(found.items(), key=lambda entry: -max(r["ratio"] for r in entry[1])):
        worst = max(rows, key=lambda r: r["ratio"])
        at = ", ".join(f"{r['ratio']:.2f} at {text_size(r['n'])}" for r in sorted(rows, key=lambda r: r["n"]))
        ours = text_time(worst["seconds"]["tenorite"])
        yield f"{worst['ratio']:7.2f}  {name}, {dtype}, {layout}: {at} ({ours})"


def lines_of_groups(results, above):
    groups = defaultdict(list)
    for r in results:
        groups[r["group"]].append(r["ratio"])
    for group, ratios in sorted(groups.items()):
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        late = sum(ratio > above for ratio in ratios)
        yield f"{group:>10}: {len(ratios):6} cases, geometric mean {mean:.2f}, {late} above, worst {max(ratios):.2f}"


def report(results, count, refused, options):
    for line in lines_above(results, options.above):
        print(line)
    print(f"{len(results)} of {count} cases were measured")
    for line in lines_of_groups(results, options.above):
        print(line)
    print(
        f"{len(refused)} cases have an error on Tenorite alone" + "".join(f"\n  {name}" for name in sorted(refused)[:5])
    )


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", help="patterns that a case's parts match, in quotes")
    parser.add_argument("--max", type=float, default=1e6, help="the largest number of elements; up to 1e8")
    parser.add_argument("--time", type=float, default=100, help="seconds after which no case is begun")
    parser.add_argument("--busy", type=int, choices=(0, 1, 2), default=0, help="busy processes beside")
    parser.add_argument("--above", type=float, default=1.1, help="the ratio above which a case is shown")
    parser.add_argument("--device", choices=("host", "cuda"), default="host")
    parser.add_argument("--seed", type=int, default=0, help="which cases come first")
    parser.add_argument("--json", type=Path, help="write all results here")
    parser.add_argument("--picture", type=Path, help="draw ratio over size here, one line an operation (SVG)")
    parser.add_argument("--levels", nargs="+", choices=machine.LEVELS, help="measure at each of these levels")
    options = parser.parse_args(arguments)
    if options.levels:
        given = [f"--{name}={getattr(options, name)}" for name in ("filter", "max", "time", "busy", "above", "seed")]
        machine.report_levels(machine.at_levels(__file__, given, options.levels), share_of, options.json)
        return
    warnings.simplefilter("ignore")
    with numpy.errstate(all="ignore"):
        modules = load_modules(options.device)
        results, count, refused = run_all(modules, options)
    report(results, count, refused, options)
    if options.json:
        facts = {"machine": machine.describe(modules), "modules": list(modules), "busy": options.busy, "cases": results}
        options.json.write_text(json.dumps(facts, indent=1))
    if options.picture:
        options.picture.write_text(draw(results, options.above))


if __name__ == "__main__":
    main()
