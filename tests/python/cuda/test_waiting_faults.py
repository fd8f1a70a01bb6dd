"""Calls that wait for a device whose compiler is absent, fails or hangs, and without a cache: as
calls that run at once. On the doubles of the driver and of NVRTC."""

import json

import pytest
from programs import needs_doubles, on_double, output_of

pytestmark = needs_doubles

BEGIN = """
import ctypes, json, os, sys, time
import tenorite as tn
from tenorite import _core

FAKE = ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"])
NVRTC = ctypes.CDLL(os.environ["TENORITE_NVRTC_PATH"]) if "double" in sys.argv[1:] else None


def run(x):
    return tn.sqrt(x * x + 1) * 2 - x


def error_of(function):
    try:
        function()
    except Exception as error:
        return type(error).__name__, str(error).splitlines()[0]
    return None
"""

ONCE = """
import numpy as np

with tn.eager(sys.argv[1] == "eager"):
    made = []
    looks = [error_of(lambda: made.append(run(tn.ones(1000, "f"))))]
    looks += [error_of(array.get) for array in made * 2]
    made.clear()
    tn.asarray(np.ones(3, "f")).get()  # copies need no kernel
    print(json.dumps([[look for look in looks if look], tn.get_default_memory_pool().used_bytes()]))
"""


def told(program, *arguments, variables):
    return json.loads(output_of(f"import sys; sys.argv[1:] = {list(arguments)!r}\n{BEGIN}{program}", variables))


def test_no_compiler(tmp_path):
    """Each look raises what the call itself raises, and which call it was."""
    variables = on_double(tmp_path, TENORITE_WAIT_IDLE="0", TENORITE_NVRTC_PATH="/nonexistent")
    variables["TENORITE_KERNEL_ARCHIVE"] = ""
    eager, used = told(ONCE, "eager", variables=variables)
    waiting, still_used = told(ONCE, "waiting", variables=variables)
    assert len(eager) == 1 and waiting[0] == waiting[1] and used == still_used == 0
    assert waiting[0][0] == eager[0][0] and waiting[0][1].startswith(eager[0][1])
    assert "after it had waited" in waiting[0][1]


def test_failing_compiler(tmp_path):
    """What is compiled in the background fails the first call that waits for the device."""
    variables = on_double(tmp_path, TENORITE_WAIT_IDLE="0", FAKE_NVRTC_REFUSED="KERNEL")
    variables |= {"TENORITE_COMPILE_THREADS": "2", "TENORITE_KERNEL_ARCHIVE": ""}
    eager, used = told(ONCE, "eager", variables=variables)
    waiting, still_used = told(ONCE, "waiting", variables=variables)
    assert eager[0][0] == waiting[0][0] == "RuntimeError" and used == still_used == 0
    assert "NVRTC could not compile" in eager[0][1] and "NVRTC could not compile" in waiting[0][1]


# Programs of single calls are there; those of graphs are refused, or never end.
GRAPHS = """
x = tn.ones(1000, "f")
kept = run(x)
tn.cuda.Device().synchronize()
os.environ[sys.argv[2]] = sys.argv[3]
told = []
with tn.eager(False):
    for _ in range(5):
        before = FAKE.fake_cuda_launches()
        kept = run(x)
        tn.cuda.Device().synchronize()
        told.append(FAKE.fake_cuda_launches() - before)
figures = _core._backlog_figures()
while sys.argv[2] == "FAKE_NVRTC_MS" and not NVRTC.fake_nvrtc_running():
    time.sleep(0.001)  # the thread that compiles begins
print(json.dumps([told, figures["lost"], figures["programs"], NVRTC.fake_nvrtc_running()]))
sys.stdout.flush()
os._exit(0)  # without a wait for the compiler
"""


@pytest.mark.parametrize(
    ("name", "value", "running"),
    [("FAKE_NVRTC_REFUSED", "KERNEL", 0), ("FAKE_NVRTC_MS", "3600000", 1)],
    ids=["failing", "hanging"],
)
def test_no_program_of_a_graph(tmp_path, name, value, running):
    """Single calls serve for good."""
    variables = on_double(tmp_path, TENORITE_WAIT_IDLE="0", TENORITE_COMPILE_THREADS="2")
    launches, *others = told(GRAPHS, "double", name, value, variables=variables)
    assert launches == [5] * 5
    assert others == [0, 1, running]


CACHE = """
x = tn.ones(1000, "f")
launches = 0
with tn.eager(False):
    for turn in range(2000):
        before = FAKE.fake_cuda_launches()
        kept = run(x)
        tn.cuda.Device().synchronize()
        launches = FAKE.fake_cuda_launches() - before
        if launches == 1:
            break
        time.sleep(0.01)
print(json.dumps([launches, _core._backlog_figures()["lost"]]))
"""


def test_no_cache(tmp_path):
    """The folder can't be made: programs are compiled, and not kept."""
    (tmp_path / "file").write_text("")
    variables = on_double(tmp_path / "file" / "folder", TENORITE_WAIT_IDLE="0", PYTHONWARNINGS="ignore")
    assert told(CACHE, variables=variables) == [1, 0]
