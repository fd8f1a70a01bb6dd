"""Check files as files: their sizes (docstrings not counted), machine paths in them, how many lie
in a folder, that a meson.build lists each."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

LINES_MAX = 800
FILES_MAX = 40
SIZED = {".c", ".h", ".cu", ".py"}
# Spelled apart so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.$})~-])/(?:" + "|".join(["home", "root", "work", "farm"]) + r")/")
# Folders whose meson.build must name every file with such a suffix. A test or program is named
# without its suffix there; headers reach the build through #include.
LISTED = {
    "include/tenorite": {".h", ".def"},
    "src": {".c", ".cu"},
    "python/ext": {".c"},
    "python/tenorite": {".py"},
    "tests/c": {".c"},
    "examples": {".c"},
    "bench": {".c"},
    "tools": {".c"},
}


def tracked(*patterns: str) -> list[Path]:
    """Files in the tree: those that git knows, and new ones that it does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns]
    names = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
    return [Path(name) for name in sorted(set(names)) if name and Path(name).is_file()]


def docstring_lines(text: str) -> int:
    """How many lines of a module the docstrings of its functions and classes take."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    firsts = [node.body[0] for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    return sum(
        first.end_lineno - first.lineno + 1
        for first in firsts
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    )


def check_text(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []
    found = []
    size = len(lines) - (docstring_lines("\n".join(lines)) if path.suffix == ".py" else 0)
    if path.suffix in SIZED and size > LINES_MAX:
        found.append(f"{path}: {size} lines, more than {LINES_MAX}")
    for number, line in enumerate(lines, 1):
        if MACHINE_PATH.search(line):
            found.append(f"{path}:{number}: a path of one machine")
    return found


def check_folders(paths: list[Path]) -> list[str]:
    """Folders that hold too many files; stubs are made from the module beside them."""
    counts = Counter(path.parent for path in paths if path.suffix != ".pyi")
    return [f"{folder}: {count} files, more than {FILES_MAX}" for folder, count in counts.items() if count > FILES_MAX]


def check_listed(path: Path) -> list[str]:
    rooms = [room for room in LISTED if path.is_relative_to(room)]
    if not rooms or path.suffix not in LISTED[rooms[0]]:
        return []
    # The nearest meson.build upwards; package folders share the one of their package.
    folder = path.parent
    while not (folder / "meson.build").exists():
        folder = folder.parent
    relative = path.relative_to(folder).as_posix()
    text = (folder / "meson.build").read_text(encoding="utf-8")
    if f"'{relative}'" in text or f"'{relative.removesuffix(path.suffix)}'" in text:
        return []
    return [f"{path}: not listed in {folder}/meson.build"]


def main() -> int:
    paths = tracked()
    found = check_folders(paths)
    for path in paths:
        found += check_text(path) + check_listed(path)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
