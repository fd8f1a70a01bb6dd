"""Write the table of names: those of NumPy, CuPy and the array API standard, and which are here.

CuPy's names are those of docs/cupy_names.txt, one a line; NumPy's those of the NumPy that is
installed. docs/differences.txt says of a name what differs, or why it is not here.
"""

import importlib
import types
import warnings
from pathlib import Path

import numpy

DOCS = Path(__file__).resolve().parent
SPACES = ("", "linalg", "fft", "random", "polynomial.polynomial", "polynomial.polyutils", "lib.stride_tricks")


def notes():
    """{name or name.*: what is to be said of it}."""
    found = {}
    for line in (DOCS / "differences.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, text = line.partition(": ")
            found[name] = text
    return found


def numpy_names():
    for space in SPACES:
        module = importlib.import_module(f"numpy.{space}".rstrip("."))
        for name in getattr(module, "__all__", None) or dir(module):
            if not name.startswith("_") and not isinstance(getattr(module, name, None), types.ModuleType):
                yield f"{space}.{name}".lstrip(".")


def cupy_names():
    for line in (DOCS / "cupy_names.txt").read_text(encoding="utf-8").split():
        root, _, name = line.partition(".")
        yield name if root == "cupy" else "x." + name


def place_of(name):
    """The thing that a name of CuPy's is here, or None."""
    import tenorite

    thing = tenorite
    if name.startswith("x.") and name.split(".")[1] in ("scipy", "jit", "profiler", "optimizing", "tools"):
        name = name[2:]
    if name.startswith("x.") and name.split(".")[1] in ("distributed", "signal", "lapack", "cusolver", "time"):
        name = name[2:]
    for part in name.split("."):
        try:
            thing = getattr(thing, part)
        except (AttributeError, ImportError):
            try:
                thing = importlib.import_module(f"{thing.__name__}.{part}")
            except (AttributeError, ImportError):
                return None
    return thing


def note_of(name, told):
    parts = name.split(".")
    for known in (name, *[".".join(parts[:count]) + ".*" for count in range(len(parts) - 1, 0, -1)]):
        if known in told:
            return told[known]
    return ""


def main(path):
    """Write the page, with the counts above the table."""
    warnings.simplefilter("ignore")
    from_numpy, from_cupy, told = set(numpy_names()), set(cupy_names()), notes()
    rows, counts = [], {"NumPy": [0, 0], "CuPy": [0, 0]}
    for name in sorted(from_numpy | from_cupy, key=str.lower):
        is_here = place_of(name) is not None
        for library, names in (("NumPy", from_numpy), ("CuPy", from_cupy)):
            if name in names:
                counts[library][0] += is_here
                counts[library][1] += 1
        note = note_of(name, told)
        state = ("with a difference: " + note if note else "here") if is_here else "not here" + (f": {note}" if note else "")
        homes = ", ".join(library for library, names in (("NumPy", from_numpy), ("CuPy", from_cupy)) if name in names)
        rows += [f"   * - ``{name}``", f"     - {homes}", f"     - {state}"]
    lines = ["Names", "=====", "", "The names of NumPy " + numpy.__version__ + " and of CuPy's documentation, and which are here."]
    lines += ["``x.`` stands for ``cupyx``. The table is made by ``docs/make_names.py``.", ""]
    for library, (here, total) in counts.items():
        lines.append(f"* {library}: {here} of {total} names are here.")
    lines += ["", ".. list-table::", "   :header-rows: 1", "   :widths: 40 20 40", "", "   * - name", "     - of", "     - state", *rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
