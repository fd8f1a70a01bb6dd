"""Check that no files call each other in a circle, by the linker's symbols: an arrow runs from the
file whose object uses a name to the file whose object defines it. Without a build there is nothing
to look at, and a line says so.

    python tools/check_circles.py BUILD [--folders]
"""

import subprocess
import sys
from pathlib import Path

# The folder of the library's and of the extension's objects.
WHOLES = ("src/libtenorite_core_static.a.p", "python/ext/_core.abi3.so.p")


def sources(build: Path, whole: str) -> dict[str, Path]:
    """{a source's path below the whole's folder: its object}, as Meson names objects."""
    root = Path(whole).parent
    named = {}
    for path in root.rglob("*.c"):
        relative = path.relative_to(root).as_posix()
        named[relative.replace("/", "_") + ".o"] = relative
    objects = (build / whole).glob("*.o")
    return {named[found.name]: found for found in objects if found.name in named}


def names(objects: dict[str, Path]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """{file: what its object defines for others}, and {file: what it uses of others}."""
    command = ["nm", "-g", "-P", "-A", *map(str, objects.values())]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    files = {str(path): file for file, path in objects.items()}
    defined, used = ({file: set() for file in objects} for _ in range(2))
    for line in output.splitlines():
        path, name, kind = line.split()[:3]
        (used if kind == "U" else defined)[files[path.removesuffix(":")]].add(name)
    return defined, used


def arrows_of(objects: dict[str, Path]) -> dict[str, dict[str, set[str]]]:
    """{file: {file: names of the second that the first uses}}"""
    defined, uses = names(objects)
    owner = {name: file for file, found in defined.items() for name in found}
    arrows = {file: {} for file in defined}
    for file, used in uses.items():
        for name in used:
            if owner.get(name, file) != file:
                arrows[file].setdefault(owner[name], set()).add(name)
    return arrows


def by_folder(arrows: dict[str, dict[str, set[str]]]) -> dict[str, dict[str, set[str]]]:
    """The same between folders; a file at the top of a folder with rooms stands for itself."""
    folders = {str(Path(file).parent) for file in arrows}
    inner = {
        folder for folder in folders if not any(other.startswith(folder + "/") for other in folders) and folder != "."
    }
    place = {file: str(Path(file).parent) if str(Path(file).parent) in inner else file for file in arrows}
    merged = {place[file]: {} for file in arrows}
    for file, targets in arrows.items():
        for target, used in targets.items():
            if place[target] != place[file]:
                merged[place[file]].setdefault(place[target], set()).update(used)
    return merged


def circles(arrows: dict[str, dict[str, set[str]]]) -> list[list[str]]:
    """Strongly connected parts of more than one member, by Tarjan's algorithm (1972)."""
    number, lowest, stack, found = {}, {}, [], []

    def visit(file):
        number[file] = lowest[file] = len(number)
        stack.append(file)
        for target in arrows[file]:
            if target not in number:
                visit(target)
            if target in stack:
                lowest[file] = min(lowest[file], lowest[target])
        if lowest[file] == number[file]:
            part = stack[stack.index(file) :]
            del stack[stack.index(file) :]
            if len(part) > 1:
                found.append(sorted(part))

    for file in arrows:
        if file not in number:
            visit(file)
    return found


def describe(part: list[str], arrows: dict[str, dict[str, set[str]]]) -> str:
    lines = [f"a circle of {len(part)}: {', '.join(part)}"]
    for file in part:
        for target in part:
            used = sorted(arrows[file].get(target, ()))
            if used:
                lines.append(f"    {file} -> {target}: {', '.join(used)}")
    return "\n".join(lines)


def main(build: Path) -> int:
    if not (build / WHOLES[0]).is_dir():
        print(f"check: nothing built in {build}; circles not checked", file=sys.stderr)
        return 0
    failed = False
    for whole in WHOLES:
        if not (build / whole).is_dir():
            continue
        files = arrows_of(sources(build, whole))
        for arrows in (files, by_folder(files)):
            for part in circles(arrows):
                print(describe(part, arrows))
                failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
