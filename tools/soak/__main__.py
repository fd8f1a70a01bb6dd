"""Run patterns of long-lived use, and fail where anything grows with the number of turns.

    python tools/soak [--device host|cuda|double] [--seconds 60] [--turns N] [--jobs N] [--json
    FILE]
                      [--pattern NAME ...] [--theme NAME ...] [--list] [--file FILE]

Each pattern runs in a process of its own, so that one that crashes or hangs is one failure with a
name. It makes turns for its share of the seconds, or so many of them (fewer, where a turn costs
more). What is measured at a quarter of that and at the end stands in the table as `before>after`;
figures.py says what may grow, and by how much. `last` is the rate of the last quarter as a part of
the first one's; it is reported only.
"""

import argparse
import faulthandler
import gc
import importlib
import json
import multiprocessing
import os
import runpy
import sys
import tempfile
import time
from multiprocessing.connection import wait
from pathlib import Path

GRACE_S = 60  # what a pattern may take beyond its share before it is held to hang
MIB = 1 << 20


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="python tools/soak", description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=("host", "cuda", "double"), default=os.environ.get("SOAK_DEVICE", "host"))
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("SOAK_SECONDS", 60)))
    parser.add_argument("--turns", type=int, default=0, help="turns of each pattern, instead of seconds")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", metavar="FILE", help="write all figures there")
    parser.add_argument("--pattern", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--theme", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--file", help="a Python file of other patterns, which are run instead of these")
    parser.add_argument("--list", action="store_true", help="name the patterns, and run none")
    return parser.parse_args(arguments)


def prepare(device, folder):
    """Sets the environment, which is read when the library is loaded, and imports it. Nothing of it
    is used before the processes of the patterns are there, since a driver does not outlive a
    fork."""
    os.environ["SOAK_DEVICE"] = device
    os.environ["TENORITE_BACKEND"] = "host" if device == "host" else "cuda"
    os.environ.setdefault("TENORITE_HOST_DEVICES", "2")
    if device != "double":
        return
    from programs import DOUBLES, on_double

    if not (DOUBLES / "libfake_cuda.so").exists():
        raise SystemExit("soak: there is no double of the driver: make build")
    os.environ |= on_double(folder, TENORITE_CUBLAS_PATH=str(DOUBLES / "libfake_cublas.so"))


def chosen(options):
    """The patterns that run on this device, of those that were asked for."""
    from support import PATTERNS

    if options.file:
        runpy.run_path(options.file)
    else:
        importlib.import_module("patterns")
    unknown = set(options.pattern) - PATTERNS.keys() | set(options.theme) - {p.theme for p in PATTERNS.values()}
    if unknown:
        raise SystemExit(f"soak: there is no {', '.join(sorted(unknown))}; --list names what there is")
    return [
        p
        for p in PATTERNS.values()
        if options.device in p.on
        and not (p.is_long and options.turns and p.name not in options.pattern)
        and (not options.pattern or p.name in options.pattern)
        and (not options.theme or p.theme in options.theme)
    ]


# --- Processes ---


def _child(pattern, limit, pipe, most_s):
    faulthandler.enable()
    faulthandler.dump_traceback_later(most_s, exit=True)
    import worker

    pipe.send(worker.run(pattern, limit))
    pipe.close()
    os._exit(0)  # what the pattern left running ends here


class Running:
    """A pattern that runs."""

    def __init__(self, pattern, limit):
        context = multiprocessing.get_context("fork")
        self.pattern = pattern
        self.pipe, end = context.Pipe(duplex=False)
        arguments = pattern, limit, end, limit.seconds * 2 + GRACE_S
        self.process = context.Process(target=_child, args=arguments)
        self.process.start()
        end.close()

    def result(self):
        """What it found; waits for its end."""
        try:
            result = self.pipe.recv()
        except EOFError:
            result = None
        self.process.join()
        self.pipe.close()
        if result is None:
            end = f"the process ended with {self.process.exitcode}"
            result = {"name": self.pattern.name, "turns": 0, "rates": [], "figures": [], "failures": [end]}
        return result


def run_all(patterns, limit, jobs, tell):
    """Runs the patterns, so many at a time; their results."""
    waiting, running, results = list(patterns), [], []
    while waiting or running:
        while waiting and len(running) < jobs:
            pattern = waiting.pop(0)
            running.append(Running(pattern, limit(pattern)))
        ready = wait([one.pipe for one in running])
        for one in [one for one in running if one.pipe in ready]:
            running.remove(one)
            results.append(one.result())
            tell(results[-1])
    return results


# --- The table ---

COLUMNS = (
    ("pool MiB", "pool total", MIB),
    ("used KiB", "pool used", 1024),
    ("memory MiB", "memory", MIB),
    ("threads", "threads", 1),
    ("files", "files", 1),
    ("driver", "driver", 1),
    ("core", "core", 1),
)
LAYOUT = "{:<32} {:>9} {:>9} {:>5}" + " {:>15}" * len(COLUMNS) + "  {}"


def _figure(sample, name):
    """A figure, or the sum of the counts of its group."""
    if name in sample:
        return sample[name]
    return sum(
        value
        for key, value in sample.items()
        if key.startswith(name + " ") and "bytes" not in key and "memory" not in key
    )


def line_of(result):
    """The table's line of a result."""
    samples, rates = result["figures"], result["rates"]
    cells = []
    for _, name, unit in COLUMNS:
        pair = [_figure(sample, name) / unit for sample in (samples[0], samples[-1])] if samples else []
        cells.append(">".join(f"{value:.1f}" if unit > 1 else f"{value:.0f}" for value in pair))
    rate = f"{rates[0]:.0f}" if rates else ""
    last = f"{rates[-1] / rates[0]:.2f}" if len(rates) == 4 else ""
    verdict = "FAILED" if result["failures"] else "flat"
    return LAYOUT.format(result["name"], result["turns"], rate, last, *cells, verdict)


def main():
    options = options_of(None)
    # There lie programs.py and together.py.
    sys.path.append(str(Path(__file__).resolve().parents[2] / "tests/python"))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SOAK_FOLDER"] = folder
        prepare(options.device, folder)
        import worker

        patterns = chosen(options)
        if options.list:
            print("\n".join(f"{p.theme:<12} {p.name}" for p in patterns))
            return 0
        share = options.seconds * options.jobs / max(len(patterns), 1)
        print(LAYOUT.format("pattern", "turns", "turns/s", "last", *(column[0] for column in COLUMNS), ""))
        start = time.monotonic()
        gc.freeze()  # what is there by now is not looked through again in each process
        results = run_all(
            patterns,
            lambda p: worker.Limit(0, max(4, options.turns // p.cost)) if options.turns else worker.Limit(share),
            options.jobs,
            lambda result: print(line_of(result), flush=True),
        )
    failed = [result for result in results if result["failures"]]
    for result in failed:
        print(f"\n{result['name']}: " + "\n    ".join(result["failures"]))
    print(
        f"\n{len(results) - len(failed)} of {len(results)} patterns on {options.device} are flat, "
        f"in {time.monotonic() - start:.0f} s"
    )
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1))
    return 1 if failed or not results else 0


if __name__ == "__main__":
    sys.exit(main())
