"""Kernels that were compiled ahead serve where there is no compiler."""

import os
import shutil
import subprocess
import sys

import pytest

pytestmark = pytest.mark.host_only("it is about the system's compiler")

PACK = """
import sys, tenorite
from tenorite import _core
from tenorite.scipy import special
special.beta(tenorite.ones(2), tenorite.ones(2))
special.sici(tenorite.ones(2, "f4"))
_core._cuda_cache_pack(sys.argv[1], (0,), 0)
"""
USE = """
import sys, numpy, tenorite
from scipy import special as oracle
from tenorite.scipy import special
a, b = numpy.arange(1.0, 5), numpy.arange(1.0, 13).reshape(3, 4)
x, y = tenorite.asarray(a), tenorite.asarray(b)
made = special.beta(x, y[::-1])
assert made.shape == (3, 4) and numpy.allclose(made.get(), oracle.beta(a, b[::-1]), rtol=1e-12)
out = tenorite.empty((4, 3)).T
assert special.beta(x, y, out) is out and numpy.allclose(out.get(), oracle.beta(a, b), rtol=1e-12)
assert special.beta(x[:0], x[:0]).shape == (0,)
s, c = special.sici(tenorite.asarray(b.T, dtype="f4"))
assert s.shape == (4, 3) and s.dtype == "f4" and numpy.allclose(c.get(), oracle.sici(b.T)[1], rtol=1e-5)
for other in (lambda: special.beta(x.astype("f4"), x.astype("f4")), lambda: special.gammaln(x)):
    try:
        other()
    except tenorite.exceptions.CompileException as error:
        assert "kernels on the host need a C++ compiler" in str(error)
    else:
        raise AssertionError("a compiler was found")
print(tenorite.cache.info()["archived"])
"""


def run(program, *words, **variables):
    environment = {**os.environ, "TENORITE_BACKEND": "host", "TENORITE_KERNEL_CHECK": "0", **variables}
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ).stdout


@pytest.mark.skipif(not shutil.which("c++"), reason="no C++ compiler is installed")
def test_without_a_compiler(tmp_path):
    """What is in the archive serves all layouts; what is not is an error, another dtype too."""
    pytest.importorskip("scipy")
    archive, nothing = tmp_path / "host.archive", {"PATH": str(tmp_path), "TENORITE_CXX": ""}
    run(PACK, archive, TENORITE_CACHE_DIR=str(tmp_path / "cache"), TENORITE_KERNEL_ARCHIVE="")
    said = run(USE, TENORITE_CACHE_DIR="", TENORITE_KERNEL_ARCHIVE=str(archive), **nothing)
    assert said == "0\n"  # they are no kernels of GPUs
