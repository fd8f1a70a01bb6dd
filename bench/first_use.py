"""Measure what a program waits for before its first results, on a machine with a GPU.

    python bench/first_use.py [--repeats 5] [--archive FILE] [--json FILE] [--device cuda|host]

Each program runs in a process of its own and says when its imports and its first results were done,
counted from its first line. What the cache of compiled kernels holds is part of the case:

    cold     an empty folder
    packed   an empty folder, and the archive that a wheel carries (--archive; else one is packed
             first)
    warm     a folder that an earlier run filled

Medians of the repeats; CuPy beside them where it is installed, with a cache folder of its own.
"""

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

# Names for `xp` and for how to wait; printed last is one line of JSON.
HEAD = """
import time
start = time.perf_counter()
import {module} as xp
imported = time.perf_counter() - start
def wait():
    xp.cuda.Device().synchronize()
"""
TAIL = """
import json
wait()
done = time.perf_counter() - start
compiled = xp.cache.info()["compiled"] if hasattr(xp, "cache") else None
print(json.dumps({"imported": imported, "done": done, "compiled": compiled}))
"""

ADD = """
a = xp.ones(1000, dtype="f4")
b = a + a
wait()
"""

OPERATIONS = [
    "xp.sqrt(a)",
    "xp.exp(a)",
    "xp.sin(a)",
    "a * b",
    "a - 2",
    "a / b",
    "xp.maximum(a, 0)",
    "a < b",
    "xp.where(m, a, b)",
    "a.astype('f8')",
    "a.T.copy()",
    "a + a[0]",
    "a.sum()",
    "a.sum(axis=0)",
    "a.mean(axis=1)",
    "a.max()",
    "a.argmax()",
    "a.cumsum(axis=1)",
    "xp.take(a, i)",
    "a.var()",
]
TWENTY = """
a = xp.arange(1000000, dtype="f4").reshape(1000, 1000)
b = a + 1
m = a > 5
i = xp.arange(100)
""" + "\n".join(f"r{k} = {text}" for k, text in enumerate(OPERATIONS))

PACK = """
import sys, tenorite
tenorite.cache.warm(progress=False)
tenorite.cache.pack(sys.argv[1], limit=40 << 20)
"""

# name, program, cache, goal in seconds
CASES = [
    ("import, first a + b", ADD, "cold", 0.5),
    ("import, first a + b", ADD, "packed", 0.35),
    ("import, first a + b", ADD, "warm", None),
    ("20 operations", TWENTY, "cold", 1.0),
    ("20 operations", TWENTY, "packed", None),
    ("20 operations", TWENTY, "warm", 0.6),
]


def run(program, *arguments, **variables):
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env=dict(os.environ, **variables),
    )
    return done.stdout


def measure(module, program, cache, archive, repeats):
    """Medians: seconds to the imports' end, and to the results; programs compiled."""
    text = HEAD.format(module=module) + program + TAIL
    seen = []
    with tempfile.TemporaryDirectory() as folder:
        for number in range(repeats + (cache == "warm")):
            place = os.path.join(folder, "kernels" if cache == "warm" else str(number))
            variables = {
                "TENORITE_CACHE_DIR": place,
                "CUPY_CACHE_DIR": place,
                "CUDA_CACHE_PATH": place + "-driver",
                "TENORITE_KERNEL_ARCHIVE": archive if cache == "packed" else "",
            }
            facts = json.loads(run(text, **variables).splitlines()[-1])
            if cache != "warm" or number:
                seen.append(facts)
    return {
        "imported": statistics.median(facts["imported"] for facts in seen),
        "done": statistics.median(facts["done"] for facts in seen),
        "compiled": seen[0]["compiled"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--archive", help="of packed kernels, as a wheel has it")
    parser.add_argument("--json", help="write what was measured there, too")
    parser.add_argument("--device", choices=("cuda", "host"), default="cuda")
    options = parser.parse_args()
    os.environ["TENORITE_BACKEND"] = options.device
    modules = ["tenorite"] + ["cupy"] * (importlib.util.find_spec("cupy") is not None)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        archive = options.archive or os.path.join(folder, "kernels.archive")
        if not options.archive and options.device == "cuda":
            run(PACK, archive, TENORITE_CACHE_DIR=os.path.join(folder, "kernels"), TENORITE_KERNEL_ARCHIVE="")
            print(f"packed {os.path.getsize(archive) / 2**20:.1f} MiB\n")
        print(f"{'program':<22}{'cache':<8}{'module':<10}{'import s':>9}{'all s':>8}{'goal s':>8}{'compiled':>10}")
        for module in modules:
            for name, program, cache, goal in CASES:
                if module == "cupy" and cache == "packed":
                    continue
                facts = measure(module, program, cache, archive, options.repeats)
                goal = goal if module == "tenorite" else None
                missed = " !" if goal and facts["done"] > goal else ""
                compiled = "" if facts["compiled"] is None else facts["compiled"]
                print(
                    f"{name:<22}{cache:<8}{module:<10}{facts['imported']:9.3f}{facts['done']:8.3f}"
                    f"{goal or '':>8}{compiled:>10}{missed}",
                    flush=True,
                )
                results.append(dict(facts, name=name, cache=cache, module=module, goal=goal))
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
