"""What figures were measured on, and the same measurements at several levels of instruction sets.

A level is one of x86-64 (v2, v3, v4): Tenorite's loops are held at it by TENORITE_ISA, NumPy's by
NPY_DISABLE_CPU_FEATURES, OpenBLAS's kernels by OPENBLAS_CORETYPE.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
from numpy._core import _multiarray_umath as umath

LEVELS = ("v2", "v3", "v4")
_OPENBLAS = {"v2": "Nehalem", "v3": "Haswell", "v4": "SkylakeX"}
# Names that NumPy's features begin with, by the level that has them; before 2.4 they were no
# levels.
_FEATURES = {"v3": ("X86_V3", "AVX2", "AVX", "F16C", "FMA", "XOP"), "v4": ("X86_V4", "AVX512")}
_RIVALS = {"cupy": "CuPy", "torch": "PyTorch"}


# --- What a machine is ---


def cpu_name():
    """The model, with family and model numbers where the name does not tell them apart."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""
    facts = dict(re.findall(r"^(model name|cpu family|model)\s*: (.*)$", text, re.M))
    numbers = f" (family {facts['cpu family']}, model {facts['model']})" if "cpu family" in facts else ""
    return facts.get("model name", "") + numbers


def numpy_level():
    """The highest set of instructions that NumPy's loops may take here."""
    enabled = [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]
    return (enabled or umath.__cpu_baseline__ or ["none"])[-1]


def blas_level():
    """Name, version and kernels of the BLAS that is loaded; empty without threadpoolctl."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return ""
    found = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return ", ".join(dict.fromkeys(f"{b['internal_api']} {b['version']} {b.get('architecture', '')}" for b in found))


def describe(modules):
    """The facts of this machine and of the modules that were measured, as text by name."""
    tenorite = modules["tenorite"][0]
    device = tenorite.cuda.Device()
    numpy.ones((64, 64)) @ numpy.ones((64, 64))  # which loads the BLAS
    facts = {
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "tenorite": f"{tenorite.__version__} {device.level}",
        "numpy": f"{numpy.__version__} {numpy_level()}",
        "blas": blas_level(),
    }
    if device.backend == "cuda":
        facts["gpu"] = device.name
        facts |= {name: modules[name][0].__version__ for name in _RIVALS if name in modules}
    return facts


def caption(facts):
    """The machine in a line, for charts and tables; empty for figures of before it was written."""
    machine = facts.get("machine")
    if not machine:
        return ""
    if "gpu" in machine:
        rivals = [f"{title} {machine[name]}" for name, title in _RIVALS.items() if name in machine]
        return ", ".join([machine["gpu"], f"Tenorite {machine['tenorite']}", *rivals])
    return ", ".join(
        [
            machine["cpu"],
            f"{machine['cores']} cores",
            f"Tenorite {machine['tenorite']}",
            f"NumPy {machine['numpy']}",
            *filter(None, [machine["blas"]]),
        ]
    )


# --- Several levels in one call ---


def environment_of(level):
    """The environment in which Tenorite, NumPy and OpenBLAS are held at a level."""
    above = [prefix for name in LEVELS[LEVELS.index(level) + 1 :] for prefix in _FEATURES.get(name, ())]
    disabled = [name for name in umath.__cpu_dispatch__ if name.startswith(tuple(above) or ("none",))]
    held = {
        "TENORITE_ISA": level,
        "NPY_DISABLE_CPU_FEATURES": " ".join(disabled),
        "OPENBLAS_CORETYPE": _OPENBLAS[level],
    }
    return os.environ | {name: value for name, value in held.items() if value}


def at_levels(program, arguments, levels):
    """{level: what the program writes with --json}, each level measured by a process of its own."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for level in levels:
            print(f"--- {level} ---", flush=True)
            path = Path(folder) / f"{level}.json"
            subprocess.run([sys.executable, program, *arguments, "--json", path], check=True, env=environment_of(level))
            found[level] = json.loads(path.read_text())
    return found


def lines_of_levels(found, share_of):
    """A line for each case with its share at every level, the worst first."""
    names = {}
    for level, facts in found.items():
        for case in facts["cases"]:
            key = (case["group"], case["name"], case.get("dtype", ""), case.get("layout", ""), case["n"])
            names.setdefault(key, {})[level] = share_of(case)
    yield "  ".join([*(f"{level:>6}" for level in found), "share of the fastest other's time"])
    for key, shares in sorted(names.items(), key=lambda entry: -max(entry[1].values())):
        group, name, *rest = key
        cells = [f"{shares[level]:6.2f}" if level in shares else " " * 6 for level in found]
        yield "  ".join([*cells, f"{group}: {name}", *(str(one) for one in rest if one)])


def report_levels(found, share_of, path):
    """Prints the lines, and writes what was found."""
    for level, facts in found.items():
        print(f"{level}: {caption(facts)}")
    print("\n".join(lines_of_levels(found, share_of)))
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"levels": found}, indent=1))
