"""tenorite.cuda.nvtx on a double that counts, and without NVTX."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tenorite.config

DOUBLE = Path(tenorite.config.library_dir()).resolve().parents[1] / "tests/fake_cuda/libfake_nvtx.so"


def run(program, nvtx):
    done = subprocess.run([sys.executable, "-c", "from tenorite.cuda import nvtx\n" + program],
                          env=dict(os.environ, TENORITE_NVTX_PATH=str(nvtx)), capture_output=True,
                          text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.skipif(not DOUBLE.exists(), reason="needs the test double of NVTX")
def test_ranges_and_marks():
    said = run(f"""
import ctypes
assert "fake_nvtx" not in open("/proc/self/maps").read()  # loaded when it is needed
assert nvtx.available is True
nvtx.Mark("one")
nvtx.MarkC("two", 0xff)
nvtx.RangePush("three")
nvtx.RangePushC("four")
nvtx.RangePop()
number = nvtx.RangeStart("five")
nvtx.RangeEnd(number)
nvtx.RangeEnd(number + 1)  # none of ours
double = ctypes.CDLL({str(DOUBLE)!r})
double.fake_nvtx_text.restype = ctypes.c_char_p
names = b"nvtxMarkA nvtxRangePushA nvtxRangePop nvtxRangeStartA nvtxRangeEnd".split()
print(*(double.fake_nvtx_calls(name) for name in names), double.fake_nvtx_text().decode())
""", DOUBLE)  # fmt: skip
    assert said == ["2", "2", "1", "1", "1", "five"]


def test_without_nvtx():
    assert run("""
print(nvtx.available, nvtx.RangeStart("x"), nvtx.Mark("x"), nvtx.RangePush("x"), nvtx.RangePop(),
      nvtx.RangeEnd(0))
""", "/nonexistent") == ["False", "0", "None", "None", "None", "None"]  # fmt: skip
