"""Check the imports of the Python package: no modules import each other in a circle, imports within
functions counted, and none reaches up to the rooms that only their users name.

What lies at the package's root without an underscore is what programs import; the rooms with one
are ROOMS. An import by a name in a string (importlib) is no arrow: the roots of packages have
such tables, of modules that are imported when their names are first used.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from check_circles import circles
from check_tree import tracked

PACKAGE = "tenorite"
EXTENSION = "tenorite._core"
# A room -> what may import of it beside itself; None: everything.
ROOMS = {
    "_arguments": None,
    "_array": {"__init__"},  # what an ndarray is made of
    "_cupy": {"__main__", "x"},  # the face of CuPy
    "_kernels": None,
    "_lib": None,
    "_numpy": None,
    "testing": set(),
}


def modules(root: Path) -> dict[str, Path]:
    """{dotted name: file} of the package's modules."""
    found = {}
    for path in tracked(f"{root}/{PACKAGE}/*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(text: str, known: dict[str, Path]) -> Iterator[tuple[str, int]]:
    """The modules that a text imports, and the lines: a name of a package is its module if it is
    one."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            inner = [f"{node.module}.{one.name}" for one in node.names]
            names = [name if name in known or name == EXTENSION else str(node.module) for name in inner]
        else:
            continue
        yield from ((name, node.lineno) for name in dict.fromkeys(names) if name in known)


def packages_of(name: str) -> list[str]:
    """The packages that a module lies in, but the root: importing it runs them first."""
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(2, len(parts))]


def room_of(name: str) -> str:
    """The first part below the package."""
    return (name.split(".") + ["__init__"])[1]


def complaints(root: Path) -> Iterator[str]:
    """What is wrong with the modules below a folder."""
    known = modules(root)
    arrows = {}
    for name, path in known.items():
        room = room_of(name)
        if room.startswith("_") and not room.startswith("__") and room not in ROOMS:
            yield f"{path}: in no room; ROOMS of tools/check_imports.py names them"
        found = [one for one in imports(path.read_text(encoding="utf-8"), known) if one[0] != name]
        arrows[name] = dict(reversed(found))
        for target, line in found:
            for package in packages_of(target):
                if package in known and package not in (name, *packages_of(name)):
                    arrows[name].setdefault(package, line)
        for target, line in found:
            allowed = ROOMS.get(room_of(target))
            if allowed is not None and room not in {room_of(target), *allowed}:
                yield f"{path}:{line}: {room} may not import {target}"
    for part in circles(arrows):
        yield f"a circle of {len(part)}: {', '.join(part)}"
        for name in part:
            for target, line in arrows[name].items():
                if target in part:
                    yield f"    {known[name]}:{line}: imports {target}"


def main() -> int:
    found = list(complaints(Path("python")))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
