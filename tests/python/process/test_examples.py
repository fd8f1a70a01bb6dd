"""The programs in examples/ run and say what they should."""

import importlib.util
import json
import os
import re
import shutil

import pytest
from programs import ROOT, mpirun, python


def run(name, *arguments, **options):
    done = python(ROOT / "examples" / name, *arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_paper():
    output = run("paper.py", "100000")
    for text in (
        "array(3.74165739)",
        "(array(13.), array(19.), array(12.))",
        "('numpy', 'tenorite')",
        "(np.int64(14), array(14))",
        "array([ 2,  4,  6,  8, 10])",
        "<class 'numpy.ndarray'>",
        "6.93147181e-01",
        "array([0, 3, 6, 9])",
        "[ 8, -1, -1, -1]",
        "100,000",
    ):
        assert text in output
    # Both softplus lines show the same numbers.
    assert output.count("array([2.06115362e-09, 4.53988992e-05, 6.93147181e-01, 1.00000454e+01,") == 2


def test_life():
    """A glider gun comes back after 30 generations, and one glider more has left it."""
    output = run("life.py", "--size", "96", "--steps", "60")
    assert "the results are equal" in output and output.splitlines()[-1].strip(".O") == ""
    one = run("life.py", "--size", "40", "--steps", "3", "--module", "tenorite").splitlines()
    assert one[1:] == run("life.py", "--size", "40", "--steps", "3", "--module", "numpy").splitlines()[1:]


def test_mandelbrot(tmp_path):
    picture = tmp_path / "set.png"
    output = run("mandelbrot.py", "--width", "160", "--steps", "40", "--output", str(picture))
    assert "the results are equal" in output and "in the set" in output
    assert picture.read_bytes()[:24] == b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\xa0\x00\x00\x00\x78"


def test_poisson():
    """Each cycle takes off a digit, until the error is that of the grid: a quarter with half the
    step."""
    outputs = [run("poisson.py", "--size", size, "--cycles", "6") for size in ("32", "64")]
    residuals = [float(line.split("**")[1]) for line in outputs[1].splitlines() if line.startswith("cycle")]
    assert len(residuals) == 6 and all(b < a - 0.9 for a, b in zip(residuals, residuals[1:]))
    errors = [float(output.splitlines()[-1].split()[-1]) for output in outputs]
    assert all("the results are equal" in output for output in outputs) and 3.5 < errors[0] / errors[1] < 4.5
    with pytest.raises(AssertionError, match="power of two"):
        run("poisson.py", "--size", "100")


def test_heat_implicit(tmp_path):
    picture = tmp_path / "heat.png"
    output = run("heat_implicit.py", "--size", "48", "--steps", "6", "--output", str(picture))
    assert "iterations of cg" in output and "6 steps on 48 x 48 points" in output
    assert picture.read_bytes()[:24] == b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x90\x00\x00\x00\x30"


def test_pca(tmp_path):
    picture = tmp_path / "faces.png"
    output = run("pca.py", "--faces", "120", "--side", "24", "--output", str(picture))
    assert "the results are equal" in output and float(output.split(" %")[0].split()[-1]) > 80
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_tabular():
    output = run("tabular.py", "--rows", "20000")
    assert "the results are equal" in output and output.count("region") == 12
    assert "20,000 sales" in output and "95 % of the customers" in output


def test_digits(tmp_path):
    picture = tmp_path / "matrix.png"
    output = run("digits.py", "--train", "3000", "--test", "400", "--output", str(picture))
    assert "the results are equal" in output and float(output.split("%")[0].split()[-1]) > 75
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_digits_network(tmp_path):
    """The losses fall, a step is NumPy's, and most digits are read."""
    picture = tmp_path / "losses.png"
    options = "--train 2000 --test 300 --epochs 2 --batch 50 --check --output".split()
    output = run("digits_network.py", *options, str(picture))
    assert "along 8 parameters are NumPy's in float64" in output
    losses = [float(line.split()[3].strip(",")) for line in output.splitlines() if line.startswith("epoch")]
    assert losses[1] < losses[0] / 2
    assert float(output.split("% right")[-2].split()[-1]) > 85
    assert picture.read_bytes()[:24] == b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x03\x60\x00\x00\x01\x58"


def test_logistic():
    output = run("logistic.py", "--samples", "20000", "--features", "5")
    assert "16000 samples of 5 features" in output and output.endswith("that NumPy finds there is zero\n")


def test_sum_gradients():
    output = run("sum_gradients.py", "--samples", "1000", "--steps", "5")
    assert "2 ranks, 1000 samples each, 5 steps" in output and "greatest difference from NumPy" in output


def test_kmeans(tmp_path):
    picture = tmp_path / "clusters.png"
    output = run("kmeans.py", "--points", "20000", "--output", str(picture))
    assert "100.000% of the labels" in output or "99.9" in output
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_spectrum(tmp_path):
    picture = tmp_path / "spectrum.png"
    output = run("spectrum.py", "--samples", "40000", "--window", "512", "--output", str(picture))
    assert "309 windows of 512" in output
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_microscopy(tmp_path):
    picture = tmp_path / "cells.png"
    output = run("microscopy.py", "--size", "320", "--cells", "80", "--output", str(picture))
    assert "with 80 cells: 7" in output or "with 80 cells: 8" in output
    assert "the same cells in the same places" in output
    assert picture.read_bytes()[:24] == b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x03\xc0\x00\x00\x01\x40"


def test_radio(tmp_path):
    """Every station is found, and each tone is heard to one part in ten thousand."""
    picture = tmp_path / "band.png"
    output = run("radio.py", "--seconds", "0.25", "--stations", "6", "--output", str(picture))
    rows = [line.replace(",", "").split() for line in output.splitlines()[2:8]]
    assert "with 6 stations: 6 found" in output and "the same stations and tones" in output
    assert all(abs(float(hears) - float(tone)) <= 4 for _, _, hears, tone in rows)
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_unchanged(tmp_path):
    """Programs without a decorator are few passes; matplotlib draws them where it is there."""
    picture = tmp_path / "unchanged.png"
    output = run("unchanged.py", "--size", "80000", "--rounds", "1", "--output", str(picture))
    rows = {line.split()[0]: line.split()[1:] for line in output.splitlines()[3:8]}
    assert [int(rows[name][0]) for name in ("black_scholes", "softmax", "adam")] == [1, 1, 1]
    assert len(rows) == 5 and all(4 * int(row[0]) < int(row[1]) + 4 for row in rows.values())
    assert all(2 * float(row[2]) < float(row[3]) for row in rows.values())
    assert "waiting and eager results are equal" in output
    if importlib.util.find_spec("matplotlib"):
        assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_fused(tmp_path):
    """Each program is one pass; the picture is drawn where matplotlib is there."""
    picture = tmp_path / "fused.png"
    output = run("fused.py", "--size", "60000", "--rounds", "1", "--explain", "--output", str(picture))
    rows = {line.split()[0]: line.split()[1:] for line in output.splitlines()[3:8]}
    assert {name: row[0] for name, row in rows.items()} == dict.fromkeys(rows, "1") and len(rows) == 5
    assert [float(row[1]) for row in rows.values()] == [5, 7, 12, 61, 40]
    assert [row[2] for row in rows.values()] == ["5", "9", "12", "61", "40"]
    assert [row[3] for row in rows.values()] == ["0.5", "0.5", "1.7", "1.2", "0.7"]
    assert all(float(row[5]) >= float(row[4]) > 2 * float(row[3]) for row in rows.values())
    assert "fused and unfused results are equal" in output and "rows of (60,1000): max, subtract" in output
    if importlib.util.find_spec("matplotlib"):
        assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    else:
        assert output.splitlines()[-1] == "matplotlib is not installed: nothing is drawn"


def test_contract(tmp_path):
    picture = tmp_path / "heat.png"
    output = run("contract.py", "--width", "5", "--temperatures", "12", "--rings", "60", "--output", str(picture))
    assert "the same free energies" in output
    assert picture.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


def test_dask_pca(tmp_path):
    """A worker is killed, the others and its successor finish."""
    pytest.importorskip("distributed")
    picture = tmp_path / "tasks.svg"
    output = run("dask_pca.py", "--recordings", "6400", "--samples", "64", "--output", str(picture), timeout=120)
    assert "a worker was killed after" in output and "the components are NumPy's" in output
    assert len(re.findall(r"^worker \d  [rfdms.]{64}$", output, re.MULTILINE)) >= 2
    assert "is killed" in picture.read_text() and picture.read_text().count("<rect") > 100


def test_heat_mpi(tmp_path):
    pytest.importorskip("mpi4py")
    if not shutil.which("mpirun"):
        pytest.skip("no mpirun is installed")
    picture = tmp_path / "heat.png"
    words = ROOT / "examples/heat_mpi.py", "--size", "96", "--steps", "30"
    assert "the plate is NumPy's" in mpirun(2, *words, "--staged")
    output = mpirun(4, *words, "--output", str(picture))
    assert "4 processes, 96 x 96 points" in output and "the plate is NumPy's" in output
    assert picture.read_bytes()[:24] == b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x60\x00\x00\x00\x60"


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
    assert output.splitlines()[-1] == "all results agree" and output.count("NumPy") == 7


def test_montecarlo():
    output = run("montecarlo.py", "--paths", "5000", "--steps", "12")
    assert "60,000 random numbers" in output and "checksum 3fbad18e" in output  # on every device
    assert "the results are equal" in output and "the call costs 9.1218 by the formula" in output
    assert output.count("+-") == 4


def test_pagerank():
    pytest.importorskip("scipy.sparse")
    output = run("pagerank.py", "--edges", "20000", "--pages", "3000")
    assert "the results are equal" in output and "the ranks add up to 1.00000000" in output


def test_slow(tmp_path):
    """Its trace has its four mistakes, and both functions find the same."""
    trace, page = tmp_path / "run.json", tmp_path / "page.html"
    arguments = ("--size", "100", "--steps", "5", "--trace", str(trace))
    slow = run("slow.py", *arguments, "--memory", str(page))
    events = json.loads(trace.read_text())["traceEvents"]
    assert [event["name"] for event in events].count("bool(x)") == 5
    copies = [event["args"]["bytes"] for event in events if event.get("cat") == "copy"]
    assert copies.count(80000) == 5
    used = [event["args"]["used"] for event in events if event["name"] == "memory"]
    assert max(used) >= 5 * 80000 and "slow.py" in page.read_text()
    fixed = run("slow.py", *arguments, "--fixed")
    assert slow.split("changed by")[1] == fixed.split("changed by")[1]
    events = json.loads(trace.read_text())["traceEvents"]
    assert max(event["args"].get("bytes", 0) for event in events if event.get("cat") == "copy") == 8
