"""The tests of the runtime's functions and of __cuda_array_interface__ once more, on the test doubles of a driver
of CUDA 13 and of one of CUDA 12.1, in which all that is newer is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tenorite.config

DOUBLES = Path(tenorite.config.library_dir()).resolve().parents[1] / "tests/fake_cuda"

pytestmark = pytest.mark.skipif(not DOUBLES.exists(), reason="needs the test doubles of the driver")


def on_double(name, folder):
    return dict(os.environ, TENORITE_BACKEND="cuda", TENORITE_FAKE_CUDA=str(DOUBLES / name),
                TENORITE_NVRTC_PATH=str(DOUBLES / "libfake_nvrtc.so"), TENORITE_CACHE_DIR=str(folder))  # fmt: skip


@pytest.mark.parametrize("name", ["libfake_cuda.so", "libfake_cuda_12.so"])
@pytest.mark.parametrize("tests", ["test_runtime.py", "test_cuda_array.py"])
def test_files(tests, name, tmp_path):
    tests = Path(__file__).with_name(tests)
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
                           "--device", "cuda", tests], cwd=tests.parents[2], env=on_double(name, tmp_path),
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


@pytest.mark.parametrize("name, version", [("libfake_cuda.so", 13000), ("libfake_cuda_12.so", 12010)])
def test_work_on_arrays(name, version, tmp_path):
    """What a program does first, by the driver's functions of that version; results are not looked at."""
    program = """
import tenorite as tn
a = tn.arange(1000, dtype="f4")
stream, event = tn.cuda.Stream(), tn.cuda.Event()
with stream:
    b = (a + a).sum()
    event.record()
tn.cuda.Stream.null.wait_event(event)
memory = tn.cuda.malloc_managed(1 << 16)
memory.mem.prefetch(stream)
memory.mem.prefetch(stream, device_id=-1)
memory.mem.advise(tn.cuda.runtime.cudaMemAdviseSetReadMostly, -1)
b.get()
with tn.cuda.Device(1):
    tn.asarray(a).get()
print(tn.cuda.runtime.driverGetVersion())
"""
    done = subprocess.run([sys.executable, "-c", program], env=on_double(name, tmp_path),
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == version
