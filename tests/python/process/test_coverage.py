"""tools/coverage: which names exist."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[3] / "tools" / "coverage"
NAMES = {
    "cupy.linalg": "cupy.linalg.svd\ncupy.linalg.no_such\n",
    "cupyx": "cupyx.rsqrt\ncupyx.profiler.benchmark\ncupyx.profiler._time._PerfCaseResult.cpu_times\nother.name\n",
    "numpy": "numpy.linalg.norm\n\nnumpy.ndarray.sum\nnumpy.no_such_module.name\n",
    "_instances": "cupy.ndarray(...).flags.fnc\ncupy.ones\n",
}


def test_coverage(tmp_path):
    for name, text in NAMES.items():
        (tmp_path / f"{name}.txt").write_text(text)

    def said(*arguments):
        return subprocess.run([sys.executable, TOOL, tmp_path, *arguments], capture_output=True, text=True)

    done = said()
    assert done.returncode == 0 and done.stdout.splitlines() == [
        "_instances: 1 of 1 (1 of instances not looked at)",
        "cupy.linalg: 1 of 2",
        "    no_such",
        "cupyx: 3 of 4",
        "    other.name",
        "numpy: 2 of 3",
        "    no_such_module.name",
        "all: 7 of 10",
    ], done.stderr
    assert said("cupyx", "--brief").stdout.splitlines() == ["cupyx: 3 of 4", "all: 3 of 4"]
    assert said("bogus").returncode == 2
