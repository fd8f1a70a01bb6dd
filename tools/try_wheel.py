"""Install a wheel into a fresh environment and look at what it finds there: the vector mathematics
that it carries is the one in use, its notice lies beside it, results are NumPy's, and a C program
that is linked against its library runs. Its tag must be that of glibc 2.28 or older, which
auditwheel judges. Special functions work without a compiler. An sdist is built there, and may use
the system's.

    python tools/try_wheel.py WHEEL|SDIST [--all]

--all: with each Python from 3.11 on that is in PATH or that pyenv has, not only this one.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

GLIBC = 2, 28

# Where no program can be found: every special function, for each dtype and layout, of what was
# compiled ahead.
SPECIAL = """
import math

import numpy
import tenorite
from tenorite.scipy import special
from tenorite.scipy.special._kernels import Kernel

for kernel in Kernel.all:
    for dtypes in kernel.dtypes:
        inputs = [tenorite.full((5, 4), 0.5, letter).T[:, ::2] for letter in dtypes]
        kernel(*inputs)
x = numpy.linspace(0.1, 9, 1001)
found = special.gammaln(tenorite.asarray(x)[::-1]).get()[::-1]
assert numpy.allclose(found, [math.lgamma(one) for one in x], rtol=1e-12)
try:
    tenorite.ElementwiseKernel("T x", "T y", "y = x", "copies")(tenorite.ones(2))
except tenorite.exceptions.CompileException as error:
    assert "need a C++ compiler" in str(error)
else:
    raise AssertionError("there is a compiler")
print(f"try_wheel: {len(Kernel.all)} special functions without a compiler")
"""

PROGRAM = """
from pathlib import Path
import platform

import numpy
import tenorite

x = numpy.linspace(-3, 3, 100_001, dtype="f4")
assert numpy.allclose(tenorite.exp(tenorite.asarray(x)).get(), numpy.exp(x), rtol=1e-6)
folder = Path(tenorite.__file__).parent / "lib"
used = tenorite._core._library_path("sleef")
if CARRIES:
    assert Path(used).resolve() == (folder / "libsleef.so.3").resolve(), used
    assert "Boost Software License" in (folder / "SLEEF.txt").read_text()
print(f"try_wheel: good in Python {platform.python_version()}, vector mathematics of {used}")
"""


def judge_tag(wheel: Path) -> str:
    """What auditwheel says is wrong with the system that a wheel asks for; empty: nothing."""
    shown = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", wheel], check=True, capture_output=True, text=True
    ).stdout
    found = re.search(r'platform\s+tag:\s+"manylinux_(\d+)_(\d+)_\w+"', " ".join(shown.split()))
    if not found or (int(found[1]), int(found[2])) > GLIBC:
        return f"try_wheel: {wheel.name} needs a newer glibc than {GLIBC[0]}.{GLIBC[1]}:\n{shown}"
    return ""


def link_program(python: Path, folder: str, environment: dict[str, str]) -> None:
    """The C program of the README against the library that the package carries."""
    text = (Path(__file__).parent.parent / "README.md").read_text().split("```c\n")[1].split("```")[0]
    Path(folder, "mean.c").write_text(text)
    flags = subprocess.run(
        [python, "-m", "tenorite.config", "--cflags", "--libs"], check=True, capture_output=True, text=True
    ).stdout.split()
    compiler = shutil.which("cc") or shutil.which("gcc")
    subprocess.run([compiler, "mean.c", *flags, "-o", "mean"], check=True, cwd=folder, env=environment)
    said = subprocess.run(["./mean"], check=True, cwd=folder, env=environment, capture_output=True, text=True).stdout
    assert said == "mean of sin over [0, pi]: 0.636619\n", said


def find_pythons() -> list[Path]:
    """The interpreters of this machine, one of each version that the package supports."""
    found = {}
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    folders = [Path(folder) for folder in os.environ["PATH"].split(os.pathsep)]
    folders += sorted(pyenv.glob("*/bin")) if pyenv.is_dir() else []
    for minor in range(11, 20):
        for name in (f"python3.{minor}", f"python3.{minor}t"):
            for folder in folders:
                # A shim of pyenv's stands for a version that need not be there.
                if folder.name != "shims" and os.access(folder / name, os.X_OK):
                    found.setdefault(name, folder / name)
    return list(found.values())


def try_with(interpreter: Path, wheel: Path) -> None:
    """The wheel in an environment of that interpreter."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([interpreter, "-m", "venv", folder], check=True)
        python = Path(folder, "bin/python")
        subprocess.run(
            [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel.resolve()], check=True
        )
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("TENORITE", "PYTHON"))}
        program = f"CARRIES = {wheel.suffix == '.whl'}\n{PROGRAM}"
        subprocess.run([python, "-c", program], cwd=folder, env=clean, check=True)
        if wheel.suffix == ".whl":
            nothing = {
                **clean,
                "PATH": folder,
                "TENORITE_CXX": "",
                "TENORITE_CACHE_DIR": "",
                "TENORITE_BACKEND": "host",
            }
            subprocess.run([python, "-c", SPECIAL], cwd=folder, env=nothing, check=True)
        link_program(python, folder, clean)


def main(wheel: Path, *options: str) -> int:
    if wheel.suffix == ".whl" and (wrong := judge_tag(wheel)):
        print(wrong, file=sys.stderr)
        return 1
    for interpreter in find_pythons() if "--all" in options else [Path(sys.executable)]:
        try_with(interpreter, wheel)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
