"""Install a wheel into a fresh environment and look at what it finds there: the vector mathematics
that it carries is the one in use, its notice lies beside it, and a program's results are NumPy's.
An sdist is built there, and may use the system's.

    python tools/try_wheel.py WHEEL|SDIST
"""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PROGRAM = """
from pathlib import Path
import numpy
import tenorite

x = numpy.linspace(-3, 3, 100_001, dtype="f4")
assert numpy.allclose(tenorite.exp(tenorite.asarray(x)).get(), numpy.exp(x), rtol=1e-6)
folder = Path(tenorite.__file__).parent / "lib"
used = tenorite._core._library_path("sleef")
if CARRIES:
    assert Path(used).resolve() == (folder / "libsleef.so.3").resolve(), used
    assert "Boost Software License" in (folder / "SLEEF.txt").read_text()
print(f"try_wheel: good, vector mathematics of {used}")
"""


def main(wheel: Path) -> int:
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin/python")
        subprocess.run(
            [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel.resolve()], check=True
        )
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("TENORITE", "PYTHON"))}
        program = f"CARRIES = {wheel.suffix == '.whl'}\n{PROGRAM}"
        return subprocess.run([python, "-c", program], cwd=folder, env=clean).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
