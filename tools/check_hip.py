"""Compile the device texts for AMD's processors by clang and HIP, as far as they go (nothing runs):

    python tools/check_hip.py RECORD... [--arch gfx90a gfx1100] [--all]

RECORD is a file of programs that the double of NVRTC wrote: build/src/usual_kernels.txt, or what
FAKE_NVRTC_RECORD names while a program runs on the doubles. The first program of each text (--all:
every one) is compiled; prints which texts go, which don't and why, and which no program includes.
tools/hip/cuda_names.cuh has the names that HIP lacks. Packages of Debian: clang-15, lld-15,
libamdhip64-dev, rocm-device-libs.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "src/backend/cuda/kernels"
BITCODE = Path("/usr/lib") / f"{os.uname().machine}-linux-gnu/amdgcn/bitcode"
OPTIONS = ["-x", "hip", "--cuda-device-only", "--rocm-path=/usr", f"--rocm-device-lib-path={BITCODE}", "-std=c++17"]
OPTIONS += [
    "-O1",
    "-nogpulib",
    "-ffp-contract=off",
    "-Wno-everything",
    "-include",
    str(ROOT / "tools/hip/cuda_names.cuh"),
]
OPTIONS += [
    f"-I{folder}" for folder in [ROOT / "src/ops", ROOT / "src/kernel/text", *KERNELS.rglob("*")] if folder.is_dir()
]


def programs_of(records: list[Path], every: bool) -> list[tuple[str, str]]:
    """The device text of each program, and the program."""
    found: dict[str, list[str]] = {}
    for record in records:
        for text in re.split(r"(?m)^// kernel \w+\n", record.read_text())[1:]:
            included = re.findall(r'#include "([\w/]+)\.cu"', text)
            if included and (every or included[-1] not in found):
                found.setdefault(included[-1], []).append(text)
    return [(name, text) for name, texts in sorted(found.items()) for text in texts]


def compile_one(compiler: str, folder: Path, number: int, text: str, arch: str) -> str:
    """What the compiler says first that is wrong; empty: nothing."""
    program = folder / f"{number}-{arch}.hip"
    program.write_text(text)
    command = [compiler, *OPTIONS, f"-I{folder}", f"--offload-arch={arch}", "-S", program, "-o", f"{program}.s"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return ""
    lines = done.stderr.splitlines()
    return next((line for line in lines if "error:" in line), lines[-1] if lines else "no reason")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", nargs="+", type=Path)
    parser.add_argument("--arch", nargs="+", default=["gfx90a", "gfx1100"])
    parser.add_argument("--all", action="store_true", help="every program, not the first of each text")
    given = parser.parse_args()
    compiler = shutil.which("clang++-15") or shutil.which("clang++")
    if not compiler or not BITCODE.is_dir():
        print(__doc__.split("Packages of Debian: ")[1], file=sys.stderr)
        return 2
    programs = programs_of(given.records, given.all)
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        # What ends a program undefines its macros, which one alone does not need.
        Path(name, "end.cuh").write_text("")
        waiting = {
            pool.submit(compile_one, compiler, Path(name), number, text, arch): (text_name, arch)
            for number, (text_name, text) in enumerate(programs)
            for arch in given.arch
        }
        for done in concurrent.futures.as_completed(waiting):
            if wrong := done.result():
                failed.setdefault(" for ".join(waiting[done]), wrong)
    for place, wrong in sorted(failed.items()):
        print(f"{place}: {wrong}")
    texts = {name for name, _ in programs}
    absent = sorted({path.stem for path in KERNELS.rglob("*.cu")} - texts)
    print(
        f"check_hip: {len(texts)} texts, {len(waiting)} compilations, {len(failed)} texts fail; "
        f"no program includes {len(absent)}: {' '.join(absent)}"
    )
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
