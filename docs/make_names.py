"""Write the table of names: those of NumPy, CuPy and the array API standard, and which are here.

CuPy's names are those of docs/cupy_names.txt, those of the standard of 2025.12 in
docs/array_api_names.txt; NumPy's those of the NumPy that is installed. What differs stands in the
Notes of a name's docstring, after "Differs from NumPy:" or "Differs from CuPy:"; for whole modules,
and of names that are not here, docs/differences.txt says it.
"""

import importlib
import inspect
import re
import types
import warnings
from pathlib import Path

import numpy
import public_names

DOCS = Path(__file__).resolve().parent
SPACES = (
    "",
    "linalg",
    "fft",
    "random",
    "lib",
    "lib.array_utils",
    "lib.scimath",
    "lib.stride_tricks",
    "polynomial",
    *(
        f"polynomial.{name}"
        for name in ("chebyshev", "hermite", "hermite_e", "laguerre", "legendre", "polynomial", "polyutils")
    ),
)


def claims():
    """{name or name.*: (state, what is to be said of it)}; the state is that of the heading above,
    "here" or "not here"."""
    found, state = {}, ""
    for line in (DOCS / "differences.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            state = line[3:]
        elif line and not line.startswith("#"):
            name, _, text = line.partition(": ")
            if name in found:
                raise SystemExit(f"differences.txt: {name} stands there twice")
            found[name] = state, text
    return found


def notes():
    """{name or name.*: what is to be said of it}."""
    return {name: text for name, (_, text) in claims().items()}


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


def standard_names():
    return (DOCS / "array_api_names.txt").read_text(encoding="utf-8").split()


# Beside all that a name may be: `newaxis` is None.
NOWHERE = object()


def place_of(name):
    """The thing that a name of CuPy's is here, or NOWHERE."""
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
                return NOWHERE
    return thing


def note_of(name, told):
    parts = name.split(".")
    for known in (name, *[".".join(parts[:count]) + ".*" for count in range(len(parts) - 1, 0, -1)]):
        if known in told:
            return told[known]
    return ""


def difference_of(thing):
    """What a docstring says of differences, or "". What all ufuncs say is left out."""
    text = inspect.getdoc(thing) if callable(thing) and type(thing).__name__ != "ufunc" else None
    notes = re.search(r"(?s)\nNotes\n-----\n(.*?)(?=\n\n\w+\n-+\n|$)", text or "")
    told = " ".join(notes[1].split()) if notes else ""
    found = re.findall(r"Differs from (\w+): (.*?)(?=Differs from|$)", told)
    return " ".join(f"{library}: {what.strip()}" for library, what in found)


def state_of(is_here, note):
    if is_here:
        return "with a difference: " + note if note else "here"
    return f"not here: {note}" if note else "not here"


def entry_of(name, known):
    """A name as a link, where it has a page. known: {id of a thing: its full name}."""
    thing = place_of(name)
    full = known.get(id(thing)) if thing is not NOWHERE else None
    return f":name:`{name} <{full}>`" if full else f"``{name}``"


def main(path):
    """Write the page, with the counts above the table."""
    import tenorite

    known = {id(thing): full for full, thing in public_names.public_names(tenorite)}
    warnings.simplefilter("ignore")
    sources = {"NumPy": set(numpy_names()), "CuPy": set(cupy_names()), "array API": set(standard_names())}
    told, rows = notes(), []
    here = {name for name in set().union(*sources.values()) if place_of(name) is not NOWHERE}
    for name in sorted(set().union(*sources.values()), key=str.lower):
        homes = ", ".join(source for source, names in sources.items() if name in names)
        note = note_of(name, told) or (difference_of(place_of(name)) if name in here else "")
        rows += [f"   * - {entry_of(name, known)}", f"     - {homes}", f"     - {state_of(name in here, note)}"]
    head = [
        f"The names of NumPy {numpy.__version__}, of CuPy's documentation and of the array API standard of 2025.12,",
        "and which are here.",
        "``x.`` stands for ``cupyx``. A name that is here leads to its page.",
    ]
    counts = [f"* {source}: {len(names & here)} of {len(names)} names are here." for source, names in sources.items()]
    table = [
        ".. list-table::",
        "   :class: filtered",
        "   :header-rows: 1",
        "   :widths: 40 20 40",
        "",
        "   * - name",
        "     - of",
        "     - state",
    ]
    lines = ["Names", "=====", "", *head, "", *counts, "", *table, *rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
