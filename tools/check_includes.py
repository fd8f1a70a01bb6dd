"""Check the include rule: `include <- src/{ops,forms} <- src/core <- src/kernel <- src/backend/*`.

A room may include itself and the rooms named beside it below; a file of the library or of the
extension that is in none is an error. Quoted names are looked up as the compiler does (beside the
file, then in src/ and include/, in the extension in python/ext/). A name that is not found must be
a file that the build makes. Headers of vendors' libraries may be included
nowhere: the library is built without them.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from check_tree import tracked

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+([<"])([^>"]+)[>"]', re.MULTILINE)

API = "include/tenorite"
TABLE = "src/backend/backend.h"


def rooms(above: str, names: str) -> list[str]:
    """The folders below one, in their order: a room may include those before it."""
    return [f"{above}/{name}" for name in names.split()]


def downwards(ordered: list[str], beside: list[str]) -> dict[str, list[str]]:
    return {room: [*beside, *ordered[:place]] for place, room in enumerate(ordered)}


CORE = rooms(
    "src/core",
    "base trace stream memory graph array rules elementwise move reduce index create ufunc product samples image signal "
    "neural sort random linalg fft sparse spline spatial collective",
)
CUDA = rooms("src/backend/cuda", "driver stream memory compile launch libraries forms precompile")
EXT = rooms("python/ext", "base device exchange cuda values functions array ufunc")
# What backends may know of core: never the drivers of families, whose calls come as forms.
FLOOR = CORE[: CORE.index("src/core/rules") + 1]
HOUSE = [API, "src/ops", "src/forms", *FLOOR, "src/kernel", "src/backend"]
HOST = "src/backend/host"
HOST_ROOMS = [f"{HOST}/{room}" for room in ("stream", "loops", "libraries", "forms", "collectives")]
WHOLE = [*HOUSE, *CORE, HOST, *HOST_ROOMS, "src/backend/cuda", *CUDA]
KERNELS = Path("src/backend/cuda/kernels")
# room -> rooms and single files that it may include; the longest prefix of a path is its room.
RULES = {
    API: [],
    "src/ops": [],
    "src/forms": [API, "src/ops/metrics.h"],
    **downwards(CORE, [API, "src/ops", "src/forms", TABLE]),
    "src/kernel": [API, "src/ops", "src/forms", *FLOOR, TABLE],
    # The drivers of expressions and of templates, beside those of core.
    "src/kernel/expression": [API, "src/ops", "src/forms", *CORE, "src/kernel", TABLE],
    "src/kernel/backlog": [API, "src/ops", "src/forms", *CORE, "src/kernel", "src/kernel/expression", TABLE],
    "src/kernel/templates": [API, "src/ops", "src/forms", *CORE, "src/kernel", TABLE],
    "src/backend": [API, "src/ops", "src/forms", *FLOOR, "src/kernel"],
    HOST: [*HOUSE, f"{HOST}/stream", f"{HOST}/loops", f"{HOST}/forms/forms.h", f"{HOST}/collectives/table.h"],
    f"{HOST}/stream": [API, *FLOOR, "src/backend", f"{HOST}/table.h", f"{HOST}/threads.h"],
    f"{HOST}/loops": [API, "src/ops", "src/forms", f"{HOST}/loops.h", f"{HOST}/sleef.fn"],
    f"{HOST}/libraries": [API, "src/core/base", HOST, f"{HOST}/loops"],
    f"{HOST}/forms": [*HOUSE, HOST, *HOST_ROOMS],
    f"{HOST}/collectives": [*HOUSE, HOST, f"{HOST}/stream", f"{HOST}/loops"],
    "src/backend/cuda": [*HOUSE, *CUDA],
    **downwards(CUDA, [*HOUSE, "src/backend/cuda/table.h"]),
    KERNELS.as_posix(): ["src/ops"],
    "python/ext": [API, *EXT],
    **downwards(EXT, [API]),
    "tests/c": [*WHOLE, "tests/fake_cuda"],
    "tests/fake_cuda": WHOLE,
    "bench": WHOLE,
    "examples": [API],
    "tools": [API],
}
MADE = {
    "tenorite/operations.h": API,
    "documents.h": "python/ext/base",
    "backend/cuda/kernel_steps.h": "src/backend/cuda/forms",
}
VENDOR = re.compile(
    r"^(cuda|nvrtc|cublas|cusolver|cufft|curand|cusparse|cudnn|nccl|numpy/|cblas|"
    r"lapacke|sleef|openblas)"
)
PYTHON_H = {"Python.h", "structmember.h"}


def room_of(path: str) -> str | None:
    rooms = [room for room in RULES if path.startswith(room + "/")]
    return max(rooms, key=len, default=None)


def find(name: str, path: Path, quote: str) -> str | None:
    """The path in the tree that an #include means; None for a header of the system."""
    folders = ([path.parent] if quote == '"' else []) + [Path("include"), Path("src")]
    if path.is_relative_to("python/ext"):
        folders.append(Path("python/ext"))
    for text in (KERNELS, Path("src/kernel/text")):  # programs are given these by their names alone
        if path.is_relative_to(text):
            folders += [text, *(one for one in text.iterdir() if one.is_dir()), Path("src/ops")]
    if path.parts[0] == "tests":
        folders += [Path("tests/c"), Path("tests/fake_cuda")]
    for folder in folders:
        place = folder / name
        if place.is_file():
            return Path(*[part for part in place.parts if part != "."]).as_posix()
    return None


def check_include(path: Path, room: str, quote: str, name: str) -> str | None:
    if name in MADE:
        target_room, target = MADE[name], name
    else:
        target = find(name, path, quote)
        if target is None:
            return check_system(room, quote, name)
        if ".." in target:
            return f'includes "{name}"; write the path from src/'
        target_room = room_of(target)
    if target_room == room or target_room in RULES[room] or target in RULES[room]:
        return None
    return f"{room} may not include {target}"


def check_system(room: str, quote: str, name: str) -> str | None:
    if quote == '"':
        return f'"{name}" is not in the tree'
    if VENDOR.match(name):
        return f"<{name}> is a vendor's header; declare what is needed"
    if name in PYTHON_H and not room.startswith("python/ext"):
        return f"<{name}> belongs to python/ext"
    if room == KERNELS.as_posix():
        return f"<{name}>: device text includes nothing of the system"
    return None


def complaints(path: Path) -> Iterator[str]:
    """What is wrong with a file's room and with each of its includes."""
    room = room_of(path.as_posix())
    if room is None:
        if path.is_relative_to("src") or path.is_relative_to("python/ext"):
            yield f"{path}: in no room; RULES of tools/check_includes.py names them"
        return
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        complaint = check_include(path, room, match[1], match[2])
        if complaint:
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: {complaint}"


def main() -> int:
    paths = tracked("*.c", "*.h", "*.cu", "*.cuh", "*.def", "*.fn")
    found = [text for path in paths for text in complaints(path)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
