"""The tests of the runtime's functions and of __cuda_array_interface__ once more, on the test
doubles of a driver of CUDA 13 and of one of CUDA 12.1, in which all that is newer is missing."""

from pathlib import Path

import pytest
from programs import ROOT, needs_doubles, on_double, output_of, python

pytestmark = needs_doubles


@pytest.mark.parametrize("name", ["libfake_cuda.so", "libfake_cuda_12.so"])
@pytest.mark.parametrize("tests", ["test_runtime.py", "test_cuda_array.py"])
def test_files(tests, name, tmp_path):
    tests = Path(__file__).with_name(tests)
    done = python(
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--device",
        "cuda",
        tests,
        cwd=ROOT,
        variables=on_double(tmp_path, name),
    )
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


@pytest.mark.parametrize("name, version", [("libfake_cuda.so", 13000), ("libfake_cuda_12.so", 12010)])
def test_work_on_arrays(name, version, tmp_path):
    """What a program does first, by the driver's functions of that version; results are not looked
    at."""
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
    assert int(output_of(program, on_double(tmp_path, name))) == version
