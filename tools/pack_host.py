"""Pack the kernels of tenorite.scipy.special, compiled for any processor of this kind, into one
archive, which the package carries for machines without a compiler.

    python tools/pack_host.py ARCHIVE EXTENSION LIBRARY GLIBC

The package is put together in a folder beside the archive: the tree's Python files, the extension
and the library that were just built. Its kernels are compiled into an empty cache there, by this
program in the place of the compiler, in as many processes as there are cores.
"""

import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Instead of those for the processor that compiles: what each has that the library runs on, no more
# than the functions of the oldest glibc, and little of what only a debugger reads.
NATIVE = ("-march=native", "-mcpu=native")
SMALL = ["-s", "-Wl,-z,noseparate-code", "-Wl,--gc-sections", "-ffunction-sections", "-Wl,--hash-style=gnu"]
ANY = {"x86_64": ["-march=x86-64-v2"]}

# One share of the kernels, every one of which is called for its layout in an archive.
COMPILE = """
import sys
import tenorite
from tenorite.scipy.special._kernels import Kernel

share, shares = map(int, sys.argv[1:])
for kernel in Kernel.all[share::shares]:
    for dtypes in kernel.dtypes:
        kernel(*[tenorite.ones(2, letter) for letter in dtypes])
"""
PACK = """
import sys
from tenorite import _core

_core._cuda_cache_pack(sys.argv[1], (0,), 0)
"""


def compile_portably(words: list[str]) -> int:
    """The compiler that the library is told to use: the real one, with other options."""
    words = [word for word in words if word not in NATIVE]
    words += [*ANY.get(os.uname().machine, []), *SMALL]
    if glibc := os.environ.get("PACK_HOST_GLIBC"):
        words += ["-include", glibc]
    return subprocess.run([os.environ["PACK_HOST_CXX"], *words]).returncode


def stage(folder: Path, extension: Path, library: Path) -> None:
    """The package as it will be installed."""
    shutil.copytree(
        ROOT / "python/tenorite",
        folder / "tenorite",
        ignore=shutil.ignore_patterns("lib", "include", "__pycache__", "*.so"),
    )
    (folder / "tenorite/lib").mkdir()
    shutil.copy(library, folder / "tenorite/lib")
    shutil.copy(extension, folder / "tenorite")


def pack(archive: Path, extension: Path, library: Path, glibc: str) -> None:
    compiler = next(filter(None, map(shutil.which, ("c++", "g++"))), None)
    if not compiler:
        raise SystemExit("pack_host: no c++ or g++ here")
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        stage(Path(folder), extension, library)
        script = Path(folder, "c++")
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{Path(__file__).resolve()}" --as-compiler "$@"\n')
        script.chmod(0o755)
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("TENORITE")},
            "PYTHONPATH": folder,
            "TENORITE_BACKEND": "host",
            "TENORITE_CACHE_DIR": f"{folder}/cache",
            "TENORITE_KERNEL_ARCHIVE": "",
            "TENORITE_CXX": str(script),
            "PACK_HOST_CXX": compiler,
            "PACK_HOST_GLIBC": glibc,
        }

        def run(program: str, *words: object) -> None:
            subprocess.run([sys.executable, "-c", program, *map(str, words)], check=True, env=environment)

        shares = os.cpu_count() or 1
        with concurrent.futures.ThreadPoolExecutor(shares) as pool:
            list(pool.map(lambda share: run(COMPILE, share, shares), range(shares)))
        run(PACK, archive)


if __name__ == "__main__":
    if sys.argv[1] == "--as-compiler":
        sys.exit(compile_portably(sys.argv[2:]))
    pack(*(Path(word).resolve() for word in sys.argv[1:4]), sys.argv[4])
