"""Check that every public name has a test.

    check_tested.py

A name (of a function, ufunc, class, method or property) has a test if a file of tests/python, its
data among them, says it as a word, or if it stands in a table that tests go through: the
operations', or a library's of CUDA's. A word is no proof, but a name that no test says is tested by
none.
"""

import re
import subprocess
import sys
import warnings
from pathlib import Path

import public_names

ROOT = Path(__file__).parents[1]
OPERATIONS = ROOT / "src/ops/ops.def"
# Functions of CUDA's under their own names, which the tests take from their tables.
OF_TABLES = tuple(
    f"tenorite.cuda.{name}"
    for name in "cublas. cudnn. cufft.exec curand. cusolver. cusparse. cusparselt. driver. nvrtc. runtime.".split()
)
# Functions of the bases of polynomials, which polynomials/test_polynomial_bases.py calls by what
# their names have after the prefix.
OF_TABLES += tuple(f"tenorite.polynomial.{name}." for name in "chebyshev hermite hermite_e laguerre legendre".split())


def words_of_tests():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "tests/python"],
        capture_output=True,
        check=True,
    )
    words = set()
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = ROOT / name
        if path.suffix in {".py", ".json", ".txt", ".def"} and path.exists():
            words.update(re.findall(r"\w+", path.read_text()))
    return words | set(re.findall(r"\w+", OPERATIONS.read_text()))


def untested(package, words):
    for name, thing in public_names.public_names(package):
        if name.rpartition(".")[2] not in words:
            yield name
        if isinstance(thing, type):
            yield from (f"{name}.{member}" for member, _ in public_names.members(thing) if member not in words)


def main():
    warnings.simplefilter("ignore")
    import tenorite

    lacking = [name for name in untested(tenorite, words_of_tests()) if not name.startswith(OF_TABLES)]
    for name in lacking:
        print(f"{name}: no file of tests/python says this name")
    return bool(lacking)


if __name__ == "__main__":
    sys.exit(main())
