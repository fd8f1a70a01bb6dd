"""Measure what has a goal in microseconds on an H200, beside CuPy and PyTorch; one table last.

    python bench/goals.py [--device host|cuda] [--filter TEXT] [--json FILE] [--seconds S] [--slow]

The cases are those of cases.py at the sizes of the goals. A row appears as soon as it is measured,
and the JSON file is whole after each. A case that fails says so in its row, and the rest goes on.
--seconds ends the measuring early; --slow lets rivals run that take over a second a call. On the
host the rival is NumPy with SciPy, the sizes are those of cases.py, and the goals, which are a
GPU's, say nothing.
"""

import argparse
import dataclasses
import gc
import json
import statistics
import time
from pathlib import Path

import machine
import numpy
from cases import CASES, Case
from run import Subject, load_modules, text_time, torch_subject

_OWN, _OWN_LARGE = "kernels of the program's own", "kernels of the program's own, 1e7 elements"
_FUSED = "fused programs"
_SAMPLES, _RANDOM, _LINALG = "samples", "random numbers", "linear algebra"
_FOURIER, _SPARSE, _SOLVERS = "Fourier transforms", "sparse matrices", "sparse solvers"
_FILTERS = "filters of signals"
_SPATIAL = "distances and trees"
_MILLION, _TEN_MILLION = 1_000_000, 10_000_000
_SPEED = 4.3e6  # bytes in a microsecond of an H200 that adds float32

# The group and name of a case, the size; microseconds of an H200: CuPy's, PyTorch's, the goal.
_ROWS = [
    (_OWN, "elementwise, 10 elements", 10, 10.9, None, 4),
    (_OWN, "reduction of squares: sum, 10 elements", 10, 17.7, None, 5),
    (_OWN, "raw add, 10 elements", 10, 6.4, None, 3.6),
    ("1e7 elements", "fused sqrt(a*a+1)*2-a", 10, 11.4, None, 5),
    ("calls on 10 elements", "fused softplus", 10, None, None, 6),
    (_OWN_LARGE, "elementwise chain", 10 * _TEN_MILLION, 486, None, 290),
    (_OWN_LARGE, "reduction of squares: sum, all", 10 * _TEN_MILLION, 194, None, 110),
    (_OWN_LARGE, "reduction of squares: sum, axis 0", 10 * _TEN_MILLION, 2564, None, 115),
    (_OWN_LARGE, "reduction of squares: sum, axis 1", 10 * _TEN_MILLION, None, None, 115),
    (_OWN_LARGE, "raw add", 10 * _TEN_MILLION, None, None, 314),
    ("1e7 elements", "fused sqrt(a*a+1)*2-a", 10 * _TEN_MILLION, 490, None, 200),
    (_FUSED, "chain", 10 * _TEN_MILLION, 505, 246, 198),
    (_FUSED, "squared differences", 10 * _TEN_MILLION, 101_292, 241, 188),
    (_FUSED, "softmax", 10 * _TEN_MILLION, None, 241, 210),
    (_FUSED, "layer norm", 10 * _TEN_MILLION, None, 236, 212),
    (_FUSED, "adam", 10 * _TEN_MILLION, 886, 708, 670),
    (_FUSED, "black scholes", _TEN_MILLION, 90, 125, 75),
    (_FUSED, "twenty steps", _TEN_MILLION, 80, 96, 70),
    (_FUSED, "forty calls", 10, 14.2, 47, 10),
    ("compiling", "first call of a kernel", 10, None, None, 45_000),
    ("sorting", "sort", _TEN_MILLION, 370, 547, 250),
    ("sorting", "sort int64", _TEN_MILLION, 841, 1189, 600),
    ("sorting", "argsort", _TEN_MILLION, 589, 546, 420),
    ("sorting", "sort, rows of 1000", _TEN_MILLION, 3389, 375, 250),
    ("sorting", "unique", _TEN_MILLION, 1011, 711, 450),
    ("sorting", "searchsorted", _MILLION, 132, 108, 100),
    ("sorting", "top_k of 60", _TEN_MILLION, 372, None, 130),
    ("sorting", "lexsort of two keys", _MILLION, 1368, None, 684),
    ("sorting", "isin", _MILLION, 262, None, 131),
    (_SAMPLES, "histogram", _TEN_MILLION, 764, 139, 90),
    (_SAMPLES, "bincount", _TEN_MILLION, 368, 183, 90),
    (_SAMPLES, "median", _TEN_MILLION, 880, None, 440),
    (_SAMPLES, "percentile", _TEN_MILLION, 1028, None, 514),
    (_SAMPLES, "histogram2d", _MILLION, 3859, None, 1930),
    (_SAMPLES, "convolve", _MILLION, 204, None, 102),
    (_SAMPLES, "pad of 10", 10, 98, None, 98),
    ("filtered images", "gaussian_filter, sigma 2", 1 << 22, 261, None, 60),
    ("filtered images", "median_filter 5x5", 1 << 20, 92, None, 40),
    ("filtered images", "convolve 7x7", 1 << 22, 132, None, 60),
    ("transformed images", "zoom 2", 1 << 20, 514, None, 60),
    ("transformed images", "rotate", 1 << 20, 587, None, 80),
    ("transformed images", "map_coordinates", _MILLION, 468, None, 110),
    ("1e7 elements", "einsum ij,ij->i", _TEN_MILLION, 224, 47, 44),
    ("1e7 elements", "a // 0.3, float64", _TEN_MILLION, None, 172, 160),
    ("1e7 elements", "repr", _TEN_MILLION, None, None, 300),
    *(
        ("1e7 elements", name, 10 * _TEN_MILLION, None, None, 10 * _TEN_MILLION * bytes_per_n / _SPEED)
        for name, bytes_per_n in (
            ("pad", 8),
            ("concatenate 100 pieces", 8),
            ("roll", 8),
            ("repeat", 5),
            ("tile", 5),
            ("flip", 8),
        )
    ),
    ("1e6 elements, indexed", "a[i, j]", _MILLION, None, 12.6, 12.6),
    ("1e6 elements, indexed", "a[i] = v, a of 1e7", _MILLION, 19, 20, 40),
    (_LINALG, "solve", 2048, 2732, 2528, 2450),
    (_LINALG, "cholesky", 2048, 1053, 494, 485),
    (_LINALG, "qr", 2048, 4789, 4658, 4600),
    (_LINALG, "svd", 1024, 116_459, 54_750, 53_000),
    (_LINALG, "eigh", 1024, 10_569, 10_654, 10_400),
    (_LINALG, "lu_factor", 2048, 2466, None, 2466),
    (_LINALG, "expm", 512, 1445, None, 700),
    (_LINALG, "solve of 8 x 8", 20_000, 108, None, 35),
    (_LINALG, "eigh of 8 x 8", 5_000, 225, None, 90),
    (_LINALG, "svd of 16 x 16", 1_000, 1636, None, 500),
    (_LINALG, "qr of 16 x 16", 1_000, 88_828, None, 200),
    (_LINALG, "det of 4 x 4", 100_000, 380, None, 30),
    (_LINALG, "cholesky of 16 x 16", 5_000, 97, None, 45),
    (_LINALG, "inv of 8 x 8", 5_000, 118, 118, 60),
    (_FOURIER, "fft c64", 1 << 24, 297, 282, 280),
    (_FOURIER, "rfft of lines f4", 16_384, 103, 42, 41),
    (_FOURIER, "fft2 c64", 2048, 91, 68, 66),
    (_FOURIER, "dctn f4", 2048, 396, None, 150),
    (_FILTERS, "fftconvolve with 4096 f4", _MILLION, 265, None, 110),
    (_FILTERS, "lfilter f4", _MILLION, 656, None, 90),
    (_FILTERS, "sosfilt of six poles f4", _MILLION, 516, None, 110),
    (_RANDOM, "random", _TEN_MILLION, 25, 37, 12),
    (_RANDOM, "standard_normal", _TEN_MILLION, 24, 43, 14),
    (_RANDOM, "RandomState.random_sample", _TEN_MILLION, 191, None, 30),
    (_RANDOM, "gamma", _MILLION, 55, None, 30),
    (_RANDOM, "poisson", _MILLION, 44, None, 30),
    (_RANDOM, "binomial", _MILLION, 128, None, 60),
    (_RANDOM, "integers", _MILLION, 24, None, 10),
    (_RANDOM, "RandomState.choice", _MILLION, 553, None, 20),
    (_RANDOM, "RandomState.permutation", _TEN_MILLION, 649, 1180, 300),
    (_SPATIAL, "cdist, 64 columns", 4000, None, None, 300),
    (_SPATIAL, "KDTree of 3 axes", _MILLION, None, None, 20_000),
    (_SPATIAL, "8 neighbours", _MILLION, None, None, 30_000),
    (_SPARSE, "SpMV, 16 a row", _MILLION, 133, None, 60),
    (_SPARSE, "SpMV, power law", _MILLION, 160, None, 90),
    (_SPARSE, "SpMM, 64 columns", 250_000, 1913, None, 1000),
    (_SPARSE, "SpGEMM, 8 a row", 100_000, 589, None, 400),
    (_SPARSE, "csr + csr, 4 a row", _MILLION, 3884, None, 600),
    (_SPARSE, "coo to csr", _MILLION, 4424, None, 900),
    (_SPARSE, "csr to csc", _MILLION, 560, None, 350),
    (_SPARSE, "sums of rows", _MILLION, 138, None, 45),
    (_SPARSE, "a range of rows", _MILLION, 133, None, 50),
    (_SOLVERS, "cg, 100 iterations", 512, 32_246, None, 4000),
    (_SOLVERS, "spsolve", 128, 376_000, None, 60_000),
    (_SOLVERS, "eigsh of 6", 256, 52e6, None, 500_000),
    ("interpolation", "cubic spline of 1e3", _MILLION, 132, None, 60),
    ("interpolation", "regular grid, 3-D", _MILLION, 2006, None, 110),
    ("images", "label of random bits", 2048, 514, None, 120),
    ("images", "edt of random bits", 2048, None, None, 250),
    ("images", "edt of few zeros", 2048, None, None, 250),
]

# Each call compiles another text, so it is no case of cases.py.
_FIRST_CALL = Case(
    "first call of a kernel",
    "import itertools, os; texts = itertools.count(int.from_bytes(os.urandom(5), 'big')); "
    "a = dev(rng.normal(size=n).astype('f4'))",
    "elementwise('T x', 'T z', f'z = x * 2 + {next(texts)} * 0', lambda x: x * 2)(a)",
    1.0,
    10,
    "compiling",
)


@dataclasses.dataclass(frozen=True)
class Goal:
    """A case at the size of its goal, with the microseconds of an H200 that the goal was set by."""

    case: Case
    n: int
    cupy: float | None
    torch: float | None
    goal: float


def _goals():
    cases = {(case.group, case.name): case for case in [*CASES, _FIRST_CALL]}
    return [Goal(cases[group, name], *figures) for group, name, *figures in _ROWS]


GOALS = _goals()


class Draws:
    """NumPy's random generator for a case that several modules take in turn: what the first drew
    the others get without drawing. Large arrays repeat a block of a million numbers."""

    def __init__(self):
        self.rng, self.drawn, self.place = numpy.random.default_rng(0), [], 0

    def again(self):
        self.place = 0
        return self

    def __getattr__(self, name):
        def draw(*arguments, size=None, **options):
            if self.place == len(self.drawn):
                many = size if isinstance(size, int) and size > 2 * _TEN_MILLION else None
                if many:
                    size = _MILLION
                options.update({} if size is None else {"size": size})
                block = getattr(self.rng, name)(*arguments, **options)
                self.drawn.append(numpy.resize(block, many) if many else block)
            self.place += 1
            return self.drawn[self.place - 1]

        return draw


def measure(goal, n, modules, allows_slow):
    """({module's name: seconds}, {module's name: what went wrong})."""
    case, draws = dataclasses.replace(goal.case, n=n), Draws()
    subjects, faults = {}, {}
    for name, (xp, wait) in modules.items():
        if (name == "cupy" and not allows_slow and (goal.cupy or 0) > 1e6) or (name == "torch" and not case.torch):
            continue
        try:
            if name == "torch":
                subjects[name] = torch_subject(case, xp, wait, rng=draws.again())
            else:
                subjects[name] = Subject(case, xp, wait, dev=xp.array, rng=draws.again())
        except Exception as error:  # any failure of a module is a row of the table
            faults[name] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    for name, subject in list(subjects.items()):
        try:
            once = subject.run(1)
            for _ in range(1 if once > 0.5 else 3 if once > 0.02 else 7):
                subject.repeat()
        except Exception as error:
            faults[name] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            del subjects[name]
    return {name: statistics.median(subject.times) for name, subject in subjects.items()}, faults


def free_memory(modules):
    gc.collect()
    for name, (xp, _) in modules.items():
        if name == "torch":
            xp.cuda.empty_cache()
        elif name != "numpy":
            xp.get_default_memory_pool().free_all_blocks()


def part_of_goal(row):
    return row["seconds"].get("tenorite", float("inf")) * 1e6 / row["goal"]


def cells(row, names):
    """The cells of a row: name, size, ours, the others', the goal, ours as a part of it."""
    seconds, faults = row["seconds"], row["faults"]
    shown = [text_time(seconds[k]) if k in seconds else "failed" if k in faults else "-" for k in names]
    part = part_of_goal(row)
    rivals = [seconds[k] for k in names if k in seconds and k != "tenorite"]
    is_slower = "tenorite" in seconds and rivals and seconds["tenorite"] > min(rivals)
    return [
        row["name"],
        f"{row['n']}",
        *shown,
        text_time(row["goal"] * 1e-6),
        f"{part:.2f}{' !' if part > 1 else ''}" if seconds.get("tenorite") else "-",
        f"{seconds['tenorite'] / min(rivals):.2f}{' !' if is_slower else ''}"
        if rivals and "tenorite" in seconds
        else "",
    ]


def show(line):
    print(f"{line[0][:40]:<40}" + "".join(f"{cell:>13}" for cell in line[1:]), flush=True)


def head(names):
    show(["case", "n", *names, "goal", "of the goal", "of the rival"])


def run(options, modules):
    """The rows, each printed and written as soon as it is measured."""
    names = ["tenorite", *(name for name in modules if name != "tenorite")]
    rows, start = [], time.monotonic()
    print(machine.caption({"machine": machine.describe(modules)}))
    head(names)
    for goal in GOALS:
        case = goal.case
        if options.filter not in f"{case.group}: {case.name}":
            continue
        if options.seconds and time.monotonic() - start > options.seconds:
            print(f"{case.name}: not measured, the time is up", flush=True)
            continue
        n = goal.n if options.device == "cuda" else min(goal.n, case.n)
        seconds, faults = measure(goal, n, modules, options.slow)
        rows.append(
            {
                "name": case.name,
                "group": case.group,
                "n": n,
                "goal": goal.goal,
                "seconds": seconds,
                "faults": faults,
                "cupy": goal.cupy,
                "torch": goal.torch,
            }
        )
        show(cells(rows[-1], names))
        for name, text in faults.items():
            print(f"    {name}: {text}", flush=True)
        if options.json:
            options.json.write_text(json.dumps(rows, indent=1))
        free_memory(modules)
    print(f"\n{len(rows)} cases in {time.monotonic() - start:.0f} s; what misses its goal most stands first\n")
    head(names)
    for row in sorted(rows, key=part_of_goal, reverse=True):
        show(cells(row, names))
    return rows


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("host", "cuda"), default="host")
    parser.add_argument("--filter", default="", help="only cases whose group and name hold this text")
    parser.add_argument("--json", type=Path, help="write the rows here")
    parser.add_argument("--seconds", type=float, help="begin no case after this time")
    parser.add_argument("--slow", action="store_true", help="rivals of over a second a call, too")
    options = parser.parse_args(arguments)
    return run(options, load_modules(options.device))


if __name__ == "__main__":
    main()
