"""Check names in what was built: libtenorite exports tn_ only, and every other symbol that is not
static is tn_ or tni_. The library's thread-local memory is small, for it lies in a static block
that all libraries of a process share. Without a build there is nothing to look at, and a line says
so.

    python tools/check_symbols.py BUILD
"""

import subprocess
import sys
from pathlib import Path


def symbols(path: Path, *options: str) -> list[str]:
    output = subprocess.run(
        ["nm", "--defined-only", "-P", *options, str(path)], capture_output=True, text=True, check=True
    ).stdout
    # Lines of fewer words are an archive's member names. Sanitizers define names that begin with
    # __.
    rows = [line.split() for line in output.splitlines()]
    return [row[0] for row in rows if len(row) >= 2 and len(row[1]) == 1 and not row[0].startswith("__")]


THREAD_BYTES_MAX = 640


def check_thread_memory(library: Path) -> list[str]:
    """A library that is loaded late finds little left of the block (PyTorch's need theirs, too)."""
    output = subprocess.run(["readelf", "-lW", library], capture_output=True, text=True, check=True).stdout
    sizes = [int(line.split()[5], 16) for line in output.splitlines() if line.split()[:1] == ["TLS"]]
    return [
        f"{library.name}: {size} bytes of thread-local memory, more than {THREAD_BYTES_MAX}"
        for size in sizes
        if size > THREAD_BYTES_MAX
    ]


def main(build: Path) -> int:
    wanted = [
        (build / "src/libtenorite.so", ("-D",), ("tn_",)),
        (build / "src/libtenorite_core_static.a", ("-g",), ("tn_", "tni_")),
        (build / "python/ext/_core.abi3.so", ("-D",), ("PyInit__core",)),
    ]
    wanted += [(path, ("-g",), ("tni_",)) for path in build.glob("src/**/libtenorite_loops_*.a")]
    if not wanted[0][0].exists():
        print(f"check: nothing built in {build}; symbols not checked", file=sys.stderr)
        return 0
    found = set(check_thread_memory(wanted[0][0]))
    for path, options, prefixes in wanted:
        if path.exists():
            found |= {
                f"{path.name}: {name} does not start with {' or '.join(prefixes)}"
                for name in symbols(path, *options)
                if not name.startswith(prefixes)
            }
    print("\n".join(sorted(found)), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
