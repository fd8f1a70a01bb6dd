"""What a program asks of the alias, in a process of its own."""

from pathlib import Path

import pytest
import tenorite
from programs import ROOT, output_of, python
from tenorite import _arguments
from tenorite._cupy.alias import CUPY_VERSION

PROGRAM = """
import tenorite
tenorite.install_as_cupy()
import cupy, cupyx, numpy
import cupyx.scipy.special
a = cupy.ones(2)
assert cupyx.scipy.get_array_module(a) is cupyx.scipy
assert cupy.get_array_module(a) is cupy and cupy.get_array_module(numpy.ones(2)) is numpy
assert cupyx.scipy.get_array_module(a).special.erf(a).shape == (2,)
import cupyx.scipy.interpolate as there
assert there._interpolate._fix_continuity and there._interpnd.estimate_gradients_2d_global
assert not hasattr(there, "_nothing")
runtime = cupy.cuda.runtime
count = runtime.getDeviceCount()
assert [runtime.getDeviceProperties(number)["name"] for number in range(count)]
assert runtime.deviceCanAccessPeer(0, 1) == 1
cupy.show_config(_full=True)
print("whole")
"""


@pytest.mark.quick
def test_alias():
    done = python("-c", PROGRAM, variables={"TENORITE_BACKEND": "host", "TENORITE_HOST_DEVICES": "2"})
    assert done.returncode == 0 and done.stdout.endswith("whole\n"), done.stderr


# --- Programs and their processes ---

PROGRAM_OF_CUPY = ROOT / "tests/python/process/cupy_program.py"
PRINTED = f"[6.0, 6.0, 6.0]\n[6.0, 6.0, 6.0] 3.0\ncupy {CUPY_VERSION}\nlate 6.0\n"


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_program_with_workers(method):
    """A worker without the alias can't be started, and a Pool would start the next one for ever."""
    done = python("-m", "tenorite", PROGRAM_OF_CUPY, method, timeout=120)
    assert done.stdout == PRINTED, done.stderr


def test_module_with_workers():
    done = python("-m", "tenorite", "-m", "cupy_program", "spawn", timeout=120, cwd=PROGRAM_OF_CUPY.parent)
    assert done.stdout == PRINTED, done.stderr


def test_workers_of_a_program_with_the_alias(tmp_path):
    """Where only the program's main part installs it."""
    program = tmp_path / "program.py"
    program.write_text("""
import multiprocessing

def total(number):
    import cupy.cuda.runtime, numpy
    return cupy.sum(numpy.full(3, number)).item()

if __name__ == "__main__":
    import tenorite
    tenorite.install_as_cupy()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(total, [1, 2]))
""")
    done = python(program, timeout=120)
    assert done.stdout == "[3, 6]\n", done.stderr


@pytest.mark.parametrize(
    "arguments", [["program.py"], ["."], ["-m", "program"], ["-c"]], ids="file folder module text".split()
)
def test_ways_to_run(tmp_path, arguments):
    """They find what they find without `-m tenorite`."""
    text = (
        "import cupy, beside, sys; print(cupy.__name__, __name__, sys.modules['__main__'].cupy is cupy, sys.argv[1:])"
    )
    for name, content in {"beside": "", "program": text, "__main__": text}.items():
        (tmp_path / f"{name}.py").write_text(content)
    given = [*arguments, text] if arguments == ["-c"] else arguments
    done = python("-m", "tenorite", *given, "-x", "1", cwd=tmp_path)
    assert done.stdout == "cupy __main__ True ['-x', '1']\n", done.stderr


def test_package_in_the_folder_of_the_run(tmp_path):
    """The program's folder takes the place of the current one, in which the package lies."""
    (tmp_path / "tenorite").symlink_to(Path(tenorite.__path__[0]).resolve())
    (tmp_path / "programs").mkdir()
    program = tmp_path / "programs/program.py"
    program.write_text(
        "import os, sys; print(sys.path[0], sys.path[-1], os.environ['PYTHONPATH'].split(os.pathsep)[1])"
    )
    done = python("-m", "tenorite", program, cwd=tmp_path, variables={"PYTHONPATH": ""})
    assert done.stdout.split() == [str(tmp_path / "programs"), str(tmp_path), str(tmp_path)], done.stderr


def test_how_a_run_ends():
    for arguments in (["-m"], ["-c"]):
        done = python("-m", "tenorite", *arguments)
        assert done.returncode == 1 and "which" in done.stderr
    assert python("-m", "tenorite", "-c", "raise SystemExit(3)").returncode == 3


# --- Functions that are a method's call in CuPy ---

LEFT_TO_NUMPY = """
import numpy as np
import tenorite as tn
tn.install_as_cupy()
import cupy
assert cupy is tn and cupy.sum is tn.sum
CALLS = {
    "take": lambda m, a: m.take(a, [0, 1]), "choose": lambda m, a: m.choose(a.astype(int) % 2, [5, 6]),
    "compress": lambda m, a: m.compress([True, False], a, axis=0), "repeat": lambda m, a: m.repeat(a, 2, axis=-1),
    "swapaxes": lambda m, a: m.swapaxes(a, 0, -1), "clip": lambda m, a: m.clip(a, 1, 2),
    "reshape": lambda m, a: m.reshape(a, -1), "argpartition": lambda m, a: m.argpartition(a, 1),
}
for name in ("copy diagonal squeeze ravel transpose around round sum prod argmax argmin argsort mean var std amin amax "
             "max min ptp").split():
    CALLS[name] = lambda m, a, name=name: getattr(m, name)(a)
x = np.arange(12.0).reshape(3, 4)
for a in (x, x.T, x[::-1, ::2], x.astype("i2"), x[:, None] + 1j, x > 3):
    for name, call in CALLS.items():
        try:
            wanted = call(np, a)
        except TypeError:  # the range of bools, choices by complex numbers
            assert a.dtype.kind in "bc"
            continue
        found = call(cupy, a)
        assert type(found) is type(wanted) and found.dtype == wanted.dtype, name
        assert np.array_equal(found, wanted) and np.shape(found) == np.shape(wanted), name
        assert isinstance(call(cupy, cupy.asarray(a)), cupy.ndarray), name
masked = np.ma.masked_array(x, x > 3)
assert cupy.sum(masked) == 6 and cupy.copy(masked).mask.any()
assert cupy.sum(a=x, axis=0, keepdims=True).shape == (1, 4) and cupy.take(indices=[1], a=x) == 1
assert cupy.clip(x, a_min=None, a_max=2).max() == 2 and cupy.reshape(x, (4, 3), order="F")[1, 0] == 4
assert cupy.sum(np.zeros((0, 2))) == 0 and cupy.max(np.array(3)) == 3 and cupy.ravel(np.array(3)).shape == (1,)
out = np.zeros(4)
assert cupy.sum(x, 0, None, out) is out and out[0] == 12
assert cupy.sum(np.array([3, 4], "m8[D]")) == np.timedelta64(7, "D")
refused = [lambda: cupy.sum([1, 2]), lambda: cupy.any(x), lambda: cupy.cumsum(x), lambda: cupy.sort(x), lambda: cupy.add(x, 1),
           lambda: cupy.sum(x, out=cupy.zeros(())), lambda: cupy.take(x, cupy.array([0])), lambda: x + cupy.ones(4),
           lambda: cupy.clip(x, cupy.zeros(4), 1), lambda: cupy.median(x), lambda: cupy.sum(cupy.ones(3), out=out)]
for number, call in enumerate(refused):
    try:
        call()
    except TypeError:
        continue
    raise AssertionError(f"call {number} is not refused")
print("left")
"""


@pytest.mark.quick
def test_numpys_arrays_are_left_to_numpy():
    assert output_of(LEFT_TO_NUMPY) == "left\n"


# Public functions that give NumPy's arrays for NumPy's arrays, with the alias or without.
SWEEP = """
import contextlib, io, sys, warnings
import numpy as np
import tenorite as tn
warnings.simplefilter("ignore")
if sys.argv[1:]:
    tn.install_as_cupy()
X, found = np.array([[3.0, 1.0], [2.0, 5.0]]), []
with contextlib.redirect_stdout(io.StringIO()):
    for name in dir(tn):
        function = getattr(tn, name)
        if not callable(function) or isinstance(function, type) or name == "install_as_cupy":
            continue
        for args in ((X,), (X, X), (X, 1), (X, 0, 1), ([0], X), ((X, X),), (X, (4,)), (np.array([0, 1]), [X, X])):
            try:
                result = function(*args)
            except Exception:
                continue
            if isinstance(result, (np.ndarray, np.generic)):
                found.append(name)
                break
print(*found)
"""


def test_no_other_function_gives_numpys_arrays():
    plain, under_alias = (set(python("-c", SWEEP, *given).stdout.split()) for given in ((), ("alias",)))
    assert (
        "asnumpy" in plain and under_alias - plain - {"product", "round_", "permute_dims"} == _arguments.LEFT_TO_NUMPY
    )


# --- Names that classes say ---

CLASSES = """
import pickle, sys, tenorite
if sys.argv[1] == "before":
    import tenorite.random, tenorite.scipy.sparse
tenorite.install_as_cupy()
import cupy, cupyx
generator = cupy.random.default_rng(1)
print(type(generator.bit_generator).__module__, type(cupy.random.RandomState(1)).__module__,
      type(cupyx.scipy.sparse.eye(2)).__module__, pickle.loads(pickle.dumps(generator)).random() < 1)
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_modules_of_classes(when):
    """Dask looks a bit generator's library up by them."""
    done = python("-c", CLASSES, when)
    assert done.stdout == "cupy.random cupy.random cupyx.scipy.sparse True\n", done.stderr
