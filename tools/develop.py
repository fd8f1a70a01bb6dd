"""Let .venv import the package from the tree: Python files as they are, C files as last built.

    python tools/develop.py BUILD

Only links are made, so an edited Python file and a rebuilt library are seen at once:

    site-packages/tenorite           -> python/tenorite
    site-packages/_tenorite_dask.py  -> python/_tenorite_dask.py
    site-packages/tenorite-0+develop.dist-info: the entry points of pyproject.toml
    python/tenorite/_core.abi3.so    -> BUILD/python/ext/_core.abi3.so
    python/tenorite/lib              -> BUILD/python/tenorite
    python/tenorite/include          -> BUILD/develop/include, itself links to the headers
"""

import os
import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def link(place: Path, target: Path) -> None:
    """Make `place` a relative link to `target`; a link replaces a link by rename, never a file."""
    text = os.path.relpath(target, place.parent)
    if place.is_symlink() and os.readlink(place) == text:
        return
    if place.exists() and not place.is_symlink():
        raise SystemExit(f"develop.py: {place} is no link; remove it first")
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_name(f"{place.name}.{os.getpid()}")
    fresh.symlink_to(text)
    fresh.replace(place)


def write_entry_points(folder: Path) -> None:
    """The entry points, by which other packages find ours, as those of an installed package."""
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in names.items())
        for group, names in groups.items()
    ]
    folder.mkdir(exist_ok=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: tenorite\nVersion: 0+develop\n")
    (folder / "entry_points.txt").write_text("\n".join(lines))


def main(build: Path) -> int:
    package = ROOT / "python/tenorite"
    headers = build / "develop/include"
    for folder in (ROOT / "include/tenorite", build / "include/tenorite"):
        for header in folder.glob("*.*"):
            if header.suffix in (".h", ".def"):
                link(headers / "tenorite" / header.name, header)
    for place in (headers / "tenorite").glob("*.*"):
        if not place.exists():
            place.unlink()
    link(package / "include", headers)
    link(package / "lib", build / "python/tenorite")
    link(package / "_core.abi3.so", build / "python/ext/_core.abi3.so")
    site = Path(sysconfig.get_paths()["platlib"])
    link(site / "tenorite", package)
    link(site / "_tenorite_dask.py", ROOT / "python/_tenorite_dask.py")
    write_entry_points(site / "tenorite-0+develop.dist-info")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
