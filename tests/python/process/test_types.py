"""The stubs: they are what the package is, right programs pass type checkers, wrong ones fail."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

RIGHT = """
from typing import Any, assert_type

import numpy as np
import tenorite as cp
from tenorite.scipy import sparse
from tenorite.typing import ArrayLike, DTypeLike, NDArray

a = cp.zeros(3, dtype=cp.float32)
assert_type(a, cp.ndarray[cp.float32])
b: NDArray[np.float32] = a + 1
assert_type(b * 2.5, cp.ndarray[cp.float32])
assert_type(a.sum(axis=0), cp.ndarray[cp.float32])
assert_type(a.sum(dtype=cp.float64), cp.ndarray[cp.float64])
assert_type(cp.max(a), cp.ndarray[cp.float32])
assert_type(cp.argmax(a), cp.ndarray[np.int64])
assert_type(a < 2, cp.ndarray[np.bool])
assert_type(cp.exp(a), cp.ndarray[cp.float32])
assert_type(cp.isnan(a), cp.ndarray[np.bool])
assert_type(a.astype(cp.int8), cp.ndarray[cp.int8])
assert_type(cp.ones((2, 3)), cp.ndarray[cp.float64])
assert_type(a[1:].reshape(2, 1).T, cp.ndarray[cp.float32])
assert_type(a.ndim, int)
host: np.ndarray[Any, Any] = cp.asnumpy(a)


def scaled(x: ArrayLike, dtype: DTypeLike | None = None) -> NDArray[Any]:
    with cp.cuda.Stream() as stream:
        y = cp.asarray(x, dtype=dtype)
    return cp.where(y > 0, y, 0) + cp.linalg.norm(y)


scaled([1.0, 2.0], "float32")
cp.random.default_rng(7).normal(0.0, 1.0, size=(2, 3))
u, s, vh = cp.linalg.svd(cp.ones((3, 2)))
assert_type(u, cp.ndarray[Any])
assert_type(cp.where(a > 0, a, a), cp.ndarray[cp.float32])
assert_type(cp.where(a)[0], cp.ndarray[np.int64])
assert_type(sparse.csr_matrix(cp.ones((3, 3))) @ cp.ones(3), cp.ndarray[Any])
cp.RawKernel("", "kernel")((1,), (32,), (a, 3), shared_mem=64)
assert_type(cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")(a, axis=0), cp.ndarray[Any])
with cp.cuda.Stream() as opened:
    assert_type(opened, cp.cuda.Stream)


def doubled(x: cp.ndarray) -> cp.ndarray:
    return x * 2


same: cp.cuda.Stream = cp.cuda.stream.Stream()  # one class of two names
pool: cp.cuda.memory.MemoryPool = cp.cuda.MemoryPool()
assert_type(cp.get_default_memory_pool(), cp.cuda.MemoryPool)
assert_type(cp.is_available(), bool)
"""

# Each line is wrong by itself.
WRONG = """
cp.zeros("3")
cp.add([1, 2], [3])
a.sum(axis="0")
a.reshap(3)
cp.sort(a, axes=1)
integers: cp.ndarray[cp.int32] = a
cp.asarray([1], order="Q")
cp.linalg.svd(a, full_matrices="yes")
text: str = cp.exp(a)
cp.random.default_rng(3).normal(0, 1, size="x")
cp.no_such_function(a)
cp.where(a > 0, a, a, a)
cp.RawKernel("", "kernel")(1, 32, a)
"""

CHECKERS = {
    "mypy": [sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--python-executable", sys.executable],
    "pyright": [sys.executable, "-m", "basedpyright", "--level", "error", "--pythonpath", sys.executable],
}


def complaints(checker, path):
    """The numbers of the lines that a checker finds wrong, and what it printed."""
    pytest.importorskip({"mypy": "mypy", "pyright": "basedpyright"}[checker])
    done = subprocess.run([*CHECKERS[checker], path.name], cwd=path.parent, capture_output=True, text=True, timeout=300)
    found = re.findall(rf"{path.name}:(\d+):(?:\d+ -)? error", done.stdout)
    return {int(number) for number in found}, done.stdout + done.stderr


@pytest.mark.parametrize("checker", CHECKERS)
def test_programs(checker, tmp_path):
    """One run for both programs: a checker's start is most of its time."""
    path = tmp_path / "program.py"
    path.write_text(RIGHT + WRONG)
    first = len(RIGHT.splitlines()) + 2
    wanted = set(range(first, first + len(WRONG.strip().splitlines())))
    found, printed = complaints(checker, path)
    assert found == wanted, printed


# What is put wrong into examples/logistic.py, a mistake at a time: text, and what replaces it.
MISTAKES = [
    ("samples.labels.astype(cp.float64)", "samples.labels.astypes(cp.float64)"),
    ("cp.linalg.solve(curvature, slope)", "cp.linalg.solve(curvature, slope, True)"),
    ("rng.standard_normal((count, width))", "rng.standard_normal((count, width), size=3)"),
    ("float(right.mean())", "right"),
    ("axis=1)", "axes=1)"),
    ("Samples(self.features[count:], self.labels[count:])", "Samples(self.labels[count:], self.labels[count:])"),
]


@pytest.mark.parametrize("checker", CHECKERS)
def test_typed_example(checker, tmp_path):
    """The program as it is, and one that has all the mistakes: each line that has one is found."""
    text = (ROOT / "examples/logistic.py").read_text(encoding="utf-8")
    wrong, wanted = text, set()
    for right, mistake in MISTAKES:
        assert wrong.count(right) == 1, right
        wanted.add(wrong[: wrong.index(right)].count("\n") + 1)
        wrong = wrong.replace(right, mistake)
    path = tmp_path / "program.py"
    (tmp_path / "program.py").write_text(wrong, encoding="utf-8")
    found, printed = complaints(checker, path)
    assert found == wanted, printed
    path.write_text(text, encoding="utf-8")
    found, printed = complaints(checker, path)
    assert not found, printed


# What pyright asks of the examples, most of which have no annotations: None of another package, or
# a name that it can't follow, is no mistake.
LOOSE = (
    "OptionalMemberAccess OptionalSubscript OptionalOperand PrivateImportUsage PossiblyUnboundVariable"
    " FunctionMemberAccess IncompatibleVariableOverride"
)


@pytest.mark.parametrize("checker", CHECKERS)
def test_examples(checker, tmp_path):
    """Every example passes, and other packages are not looked at."""
    pytest.importorskip({"mypy": "mypy", "pyright": "basedpyright"}[checker])
    if checker == "mypy":
        command = [word for word in CHECKERS["mypy"] if word != "--strict"]
        command += ["--ignore-missing-imports", *sorted(path.name for path in (ROOT / "examples").glob("*.py"))]
    else:
        off = ["reportMissingImports", "reportMissingModuleSource", *(f"report{rule}" for rule in LOOSE.split())]
        settings = dict.fromkeys(off, "none") | {"typeCheckingMode": "standard", "pythonVersion": "3.12"}
        (tmp_path / "settings.json").write_text(json.dumps(settings | {"include": [str(ROOT / "examples")]}))
        command = [*CHECKERS["pyright"], "-p", str(tmp_path / "settings.json")]
    done = subprocess.run(command, cwd=ROOT / "examples", capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_are_what_the_package_is():
    done = subprocess.run(
        [sys.executable, ROOT / "tools/make_stubs.py", "--check"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_name_of_a_stub_leads_to_a_definition():
    """A name that one stub imports from another, and this one from the first, has no type."""
    package = ROOT / "python/tenorite"
    imports = {}
    for path in package.rglob("*.pyi"):
        module = ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")
        for home, name, own in re.findall(r"^from (tenorite[\w.]*) import (\w+) as (\w+)$", path.read_text(), re.M):
            if not (path.parent / own).exists() and not list(path.parent.glob(f"{own}.py*")):
                imports[module, own] = home, name
    for start in imports:
        seen, place = {start}, imports[start]
        while place in imports:
            assert place not in seen, f"{start} leads back to itself"
            seen.add(place)
            place = imports[place]


def test_typing_module():
    import numpy as np
    import tenorite as tn

    assert tn.typing.NDArray[np.float32] == tn.ndarray[np.float32]
    assert sorted(tn.typing.__all__) == ["ArrayLike", "DTypeLike", "NBitBase", "NDArray"]
