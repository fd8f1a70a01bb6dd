"""The programs in examples/ run and say what they should."""

import os
import shutil

import pytest
from programs import ROOT, python




def run(name, *arguments, **options):
    done = python(ROOT / "examples" / name, *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_paper():
    output = run("paper.py", "100000")
    for text in ("array(3.74165739)", "(array(13.), array(19.), array(12.))", "('numpy', 'tenorite')",
                 "(np.int64(14), array(14))", "array([ 2,  4,  6,  8, 10])", "<class 'numpy.ndarray'>",
                 "6.93147181e-01", "array([0, 3, 6, 9])", "[ 8, -1, -1, -1]", "100,000"):  # fmt: skip
        assert text in output
    # Both softplus lines show the same numbers.
    assert output.count("array([2.06115362e-09, 4.53988992e-05, 6.93147181e-01, 1.00000454e+01,") == 2


def test_kmeans(tmp_path):
    picture = tmp_path / "clusters.png"
    output = run("kmeans.py", "--points", "20000", "--output", str(picture))
    assert "100.000% of the labels" in output or "99.9" in output
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_service(tmp_path):
    """Every answer is right; what grows is for `make soak` to say, for these are too few
    requests."""
    picture = tmp_path / "service.svg"
    output = run("service.py", "--requests", "300", "--clients", "2", "--plot", str(picture))
    assert "300 requests of 2 clients" in output and "0 wrong answers" in output
    assert output.splitlines()[-1] == "flat"
    assert picture.read_text().startswith("<svg") and picture.read_text().count("<polyline") == 6


def test_kernels():
    if not (os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))):
        pytest.skip("no C++ compiler is installed")
    output = run("kernels.py", "--size", "40000")
    assert output.splitlines()[-1] == "all results agree" and output.count("NumPy") == 6
