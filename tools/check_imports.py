"""Check the imports of the Python package: of other rooms a module imports only what is before its
own in ROOMS, so that no rooms and, imports within functions counted, no modules import each other
in a circle.

A room is a module or a package with what is in it; the longest name in ROOMS is a module's room.
What lies at the package's root without an underscore is what programs import. An import by a name
in a string (importlib) is no arrow: the roots of packages have such tables, of modules that are
imported when their names are first used.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from check_circles import circles
from check_tree import tracked

PACKAGE = "tenorite"
EXTENSION = "tenorite._core"
# From the ground up. All after __init__, the package's root, may use it as programs do.
ROOMS = """
    exceptions _arguments _lib _numpy._documents emath cuda
    _numpy linalg _kernels jit fft polynomial _numpy.polynomials _array __init__

    cache config lib typing lapack cublas random
    cuda.compiler cuda.jitify cuda.cub cuda.thrust cuda.cufft cuda._raw.dnn cuda._raw.tensors cuda._raw.tensors_mg
    cuda.cudnn cuda.cusparselt cuda.cutensor profiler time optimizing
    scipy cusolver cusparse cutensor cusparselt cudnn signal distributed testing dask tools
    _cupy x backends backend _lib.commands __main__
""".split()
# A room that only some others may use -> these.
USERS = {
    "_array": {"__init__"},  # what an ndarray is made of
    "_cupy": {"__main__", "x"},  # the face of CuPy
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
        # tenorite.lib is a file that finds its modules elsewhere.
        names = ["tenorite.lib" if name.startswith("tenorite.lib.") else name for name in names]
        yield from ((name, node.lineno) for name in dict.fromkeys(names) if name in known)


def packages_of(name: str) -> list[str]:
    """The packages that a module lies in, but the root: importing it runs them first."""
    parts = name.split(".")
    return [".".join(parts[:length]) for length in range(2, len(parts))]


def room_of(name: str) -> str | None:
    parts = name.split(".")[1:] or ["__init__"]
    names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((one for one in names if one in ROOMS), None)


def may_import(room: str, other: str) -> bool:
    return room == other or ROOMS.index(other) < ROOMS.index(room) and room in USERS.get(other, {room})


def complaints(root: Path) -> Iterator[str]:
    """What is wrong with the modules below a folder."""
    known = modules(root)
    arrows = {}
    rooms = {name: room_of(name) for name in known}
    yield from (
        f"{known[name]}: in no room; ROOMS of tools/check_imports.py names them" for name in known if not rooms[name]
    )
    for name, path in known.items():
        found = [one for one in imports(path.read_text(encoding="utf-8"), known) if one[0] != name]
        arrows[name] = dict(reversed(found))
        for target, line in found:
            for package in packages_of(target):
                if package in known and package not in (name, *packages_of(name)):
                    arrows[name].setdefault(package, line)
            if rooms[name] and rooms.get(target) and not may_import(rooms[name], rooms[target]):
                yield f"{path}:{line}: {rooms[name]} may not import {target}; ROOMS has the order"
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
