"""Calls that wait when the process forks, ends or is interrupted; a sample of the other tests."""

import os

import pytest
from programs import ROOT, needs_doubles, on_double, output_of, python

PATH = os.pathsep.join([str(ROOT / "tests/python"), *filter(None, [os.environ.get("PYTHONPATH")])])
WAITS = {"TENORITE_WAIT": "1", "TENORITE_WAIT_LEAST": "0", "TENORITE_WAIT_IDLE": "40", "PYTHONPATH": PATH}

FULL = """
import os, sys
import tenorite as tn
a = tn.ones(100, "f")
kept = [a + k for k in range(200)]
"""


@pytest.mark.parametrize("end", ["", "os._exit(0)", "sys.exit(0)", "kept.clear()", "del a, kept"])
def test_the_process_ends(end):
    done = python("-c", FULL + end, variables=WAITS)
    assert (done.returncode, done.stderr) == (0, "")


@needs_doubles
def test_the_process_ends_beside_a_device(tmp_path):
    """The thread that gives an idle device what waits is at work."""
    for _ in range(5):
        done = python("-c", FULL, variables=on_double(tmp_path, **WAITS))
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.host_only("no process uses CUDA after a fork")
def test_fork():
    """Parent and child have what waited, and go on."""
    program = """
from together import in_child

def check():
    more = [k * 2 for k in kept]
    assert [float(k[7]) for k in kept] == [k + 1.0 for k in range(200)]
    assert float(sum(more)[3]) == 2 * sum(range(1, 201))

in_child(check)
check()
"""
    output_of(FULL + program, WAITS)


@pytest.mark.host_only("a wait within the driver can't be interrupted")
def test_an_interrupted_run():
    """A run that waits for a stream ends; what has not run goes on waiting, and comes out right."""
    program = """
import _thread, threading
import tenorite as tn
from tenorite import _core
from together import gate

stream = tn.cuda.Stream()
with stream:
    a = tn.zeros(100_000)
    opened = gate(stream)
    a += 1
b = a * 2
c, total = b + 1, (b * b).sum()
timer = threading.Timer(0.1, _thread.interrupt_main)
try:
    timer.start()
    total.get()
    raise SystemExit("not interrupted")
except KeyboardInterrupt:
    pass
assert _core._is_due(b) and _core._is_due(total)
opened.set()
assert float(total) == 400_000 and set(c.tolist()) == {3.0} and set(b.tolist()) == {2.0}
"""
    output_of(program, WAITS)


def test_signals_at_any_time():
    program = """
import signal
import tenorite as tn

is_armed = False


def interrupt(*_):
    if is_armed:
        raise KeyboardInterrupt


def compute(turn):
    a = tn.arange(1000.0) + turn
    kept.append((turn, a))
    kept.append((2 * turn, a * 2 - tn.arange(1000.0)))
    a[::2] += 1
    a[::2] -= 1
    return float(a[0])


signal.signal(signal.SIGALRM, interrupt)
kept = []
for turn in range(200):
    try:
        is_armed = True
        signal.setitimer(signal.ITIMER_REAL, 0.0001 + turn * 5e-6)
        compute(turn)
        is_armed = False
    except KeyboardInterrupt:
        pass
    is_armed = False
for first, array in kept:
    # An addition of 1 may have been interrupted before it was taken away.
    assert array.get()[1::2].tolist() == [first + k for k in range(1, 1000, 2)]
"""
    output_of(program, WAITS)


# Without those that measure times.
SAMPLE = [
    "devices/test_beside.py",
    "devices/test_graphs.py",
    "memory/test_allocators.py",
    "memory/test_memory.py",
    "values/arrays/test_ndarray.py",
    "values/elementwise/test_corners.py",
    "values/elementwise/test_ufunc_methods.py",
    "values/images",
    "values/indexing/test_indexing.py",
    "values/names",
    "values/networks",
    "values/polynomials",
    "values/reductions/test_calculus.py",
    "values/special",
    "values/stats",
]
# Programs of random steps.
RANDOM = [
    "kernels/test_fuse_programs.py",
    "values/elementwise/test_hypothesis.py",
    "values/elementwise/test_waiting.py",
    "values/elementwise/test_waiting_programs.py",
]
FEWER = {"TENORITE_PROGRAMS": "200", "TENORITE_FUSED_PROGRAMS": "20", "TENORITE_WAITING_PROGRAMS": "200"}


MEMORY = """
import sys
import numpy
import tenorite as tn
sys.path.insert(0, "bench")
from plain_programs import PROGRAMS

run, make = next((p.run, p.make) for p in PROGRAMS if p.name == sys.argv[1])
arrays = [tn.asarray(a) for a in make(numpy.random.default_rng(0), 300_000)]
for _ in range(5):
    with tn.eager(sys.argv[2] == "eager"):
        kept = run(tn, *arrays)
        tn.cuda.get_current_stream().synchronize()
print(tn.get_default_memory_pool().total_bytes())
"""


@pytest.mark.host_only("a GPU's pool is the same, and compilers take long")
@pytest.mark.parametrize(("name", "arrays"), [("gravity", 0), ("lorenz", 1)])
def test_the_pool_hardly_grows_more(name, arrays):
    """What waits has no memory where the pool would have to grow for what is between passes."""
    eager, waits = (
        int(python("-c", MEMORY, name, way, variables={"PYTHONPATH": PATH}, cwd=ROOT).stdout) for way in ("eager", "")
    )
    assert waits <= eager + arrays * 2_403_000


def run_tests(names, variables, tmp_path, device):
    options = ["-q", "-p", "no:xdist", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'inner'}"]
    files = [ROOT / "tests/python" / name for name in names]
    done = python("-m", "pytest", *options, f"--device={device}", *files, variables=WAITS | variables, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr


def test_a_sample_of_the_tests(tmp_path, device):
    """They pass as they do where each call runs at once."""
    said = output_of(FULL + "print(len(tn.explain().waiting))", WAITS | {"TENORITE_WAIT_IDLE": "0"})
    assert int(said) > 0
    run_tests(SAMPLE, {}, tmp_path, device)


@pytest.mark.parametrize("seed", os.environ.get("TENORITE_CUT_SEEDS", "8").split(","))
def test_cut_anywhere(seed, tmp_path, device):
    """Backlogs and graphs that are cut at random places, and run singly, have the same bits."""
    # A GPU's programs are compiled.
    fewer = FEWER if device == "host" else dict.fromkeys(FEWER, "10")
    run_tests(RANDOM, fewer | {"TENORITE_DEBUG_CUTS": seed}, tmp_path, device)
