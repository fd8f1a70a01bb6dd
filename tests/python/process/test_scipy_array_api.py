"""SciPy's functions that take CuPy's arrays (SCIPY_ARRAY_API=1) take ours under the alias: those
written for any namespace, and those of signal and ndimage, which hand over to `cupyx.scipy`."""

import pytest
from programs import ROOT, python

pytest.importorskip("scipy", minversion="1.17")


def test_scipy_takes_our_arrays():
    program = ROOT / "tests/python/process/scipy_program.py"
    done = python(program, variables={"SCIPY_ARRAY_API": "1"})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "139 calls" and len(lines) == 2, done.stdout
    assert int(lines[1].split()[0]) >= 200  # functions whose drawn calls took our arrays
