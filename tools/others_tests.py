"""Run the tests that other projects have for arrays of CuPy's with our arrays.

    .venv/bin/python tools/others_tests.py SUITE [FOLDER]

The version that is installed is fetched as its source from PyPI into FOLDER (build/others), and
SUITE is one of these. Where a package is installed apart, its Python runs this file, with our
package in PYTHONPATH.

cupy                 CuPy's own tests of the packages of CUPY_FAMILIES by `import cupy`, without the
                     slow ones, whose arrays take up to 17 GB. One family alone: cupy-ndimage.
                     What CUPY_EXPECTED lists fails; what CUPY_LACKS lists passes, unlike CuPy.
dask                 dask/array/tests/test_cupy_*.py under the alias `import cupy`
dask-without-alias   the same texts with tenorite in the place of cupy. Two tests fail that ask for
                     what only CuPy's arrays do in Dask: permutations of a generator are refused,
                     and a NumPy array is asked of chunks.
mpi4py               test/main.py --cupy by two processes. On the host the array of a test is
                     converted as that of NumPy is, and __dlpack__ gets no stream.
scipy                the installed SciPy's tests for any array library, of the packages of SCIPY:
                     those of signal, ndimage and special go through `cupyx.scipy`. One family
                     alone: scipy-signal. What EXPECTED lists fails, for the reason there; one of
                     these that passes is a failure. They take half an hour on two cores.
xarray               xarray/tests/test_cupy.py
autoray, cotengra, einops, opt_einsum, pylops
                     those for CuPy (CLIENTS). Of autoray's, the seven fail that expect a generator
                     of CuPy's to lack what ours has; of opt_einsum's one that looks at references.
                     Some of pylops ask float32 for more digits than the drawn numbers allow.
"""

import os
import re
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / "build/others"
MPI = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]
SCIPY = "cluster differentiate fft integrate interpolate linalg ndimage optimize signal spatial special stats"
# What fails of SciPy's tests: a pattern of the test's name -> the reason.
EXPECTED = {
    r"test_support_alternative_backends\[cupy-nbdtri-float\d\d-shapes3": (
        "compares with SciPy's nbdtri, 4e-7 off for counts of millions; ours is SciPy's betaincinv there"
    ),
    r"TestLinearFilter\w+::test_lfiltic\[cupy-\[\d, ": (
        "takes states of CuPy's form, past inputs and outputs; lfiltic gives SciPy's, and lfilter takes both"
    ),
    r"TestSymIIR::test_symiir2_values.*float32": "expects CuPy's double; SciPy's is single, as ours",
    r"TestGetWindow::test_array_as_window": "expects CuPy's text of the error; ours is SciPy's",
}
CUPY, CUPY_FAMILIES = "14.2.0", "interpolate linalg ndimage spatial special stats"
SHORT = r"mode='(reflect|grid-mirror)', order="
CUPY_EXPECTED = {
    r"test_distance_transform_edt_unsupported_ndim": "images of any number of axes are taken, as by SciPy",
    r"TestStats::test_invalid_index_type": "a list of labels is taken, as by SciPy",
    rf"TestMapCoordinatesHalfInteger::test_map_coordinates_float\[.*{SHORT}[3-5]": "SciPy before 1.18 is off",
    rf"TestZoomOutputSize1.*{SHORT}[2-5], shape=\(5, 5, 2\), zoom=\(2, 2, 0.5\)": "SciPy before 1.18 is off",
    r"TestGivensQR::test_py_vs_compiled": "takes a kernel of CuPy's own",
    r"TestEntropy.*normalize=True.*::test_entropy$": "takes a private function of CuPy's",
    r"TestEntropy.*axis=0.*normalize=False, shape=\(14, 4, 10\), use_qk=False.*::test_entropy$": "halves, to more digits than they have",
    r"TestZmap::test_zmap_multi_dim$": "halves, to more digits than they have",
    r"TestTrim::test_zero_dim$": "a number is a sample of one element, as in SciPy 1.17",
    r"TestBeta::test_logspace": "SciPy's is NaN where both arguments are beyond 1e87; ours is a number",
    r"TestSpecial::test_boxcox(1p)?\[inv_boxcox": "magnifies a rounding of boxcox",
}
CUPY_LACKS = r"TestLSQ::test_weights_arange|TestSolveTriangular.*lower=True, overwrite_b=False.*unit_diagonal=False.*test_solve_batchwise"
# The clients whose tests run from a folder of the source: folder, variables, names of tests.
CLIENTS = {
    "autoray": ("tests", {}, "cupy"),
    "cotengra": ("tests/test_backends.py", {}, "cupy"),
    "einops": ("einops/tests", {"EINOPS_TEST_BACKENDS": "numpy,cupy"}, "not layers and not notebook"),
    "opt_einsum": ("opt_einsum/tests", {}, "cupy"),
    "pylops": ("pytests", {"TEST_CUPY_PYLOPS": "1"}, ""),
}


def fetch(package: str, folder: Path) -> Path:
    """The source of the installed version of a package; of CuPy, which is not, of one version."""
    number = CUPY if package == "cupy" else version(package)
    made = folder / f"{package}-{number}"
    if not made.exists():
        wish = f"{package}=={number}"
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", package, wish]
        subprocess.run([*command, "-d", folder], check=True)
        with tarfile.open(made.with_name(f"{made.name}.tar.gz")) as archive:
            archive.extractall(folder, filter="data")
    return made


def copy(files: list[Path], folder: Path, *changes: tuple[str, str]) -> None:
    """Copies of texts in a folder of their own, so that the source's package is not imported."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  gpu\n  flaky\n")
    for file in files:
        text = file.read_text(encoding="utf-8")
        for old, new in changes:
            text = re.sub(old, new, text)
        (folder / file.name).write_text(text, encoding="utf-8")


def pytest_collection_modifyitems(items: list) -> None:
    """This file as a plugin of pytest: what is listed has to fail, or to pass."""
    pytest = sys.modules["pytest"]
    for item in items:
        is_cupys = "cupyx_tests" in item.nodeid
        if is_cupys and re.search(CUPY_LACKS, item.nodeid):
            item.own_markers = [mark for mark in item.own_markers if mark.name != "xfail"]
        for pattern, reason in (CUPY_EXPECTED if is_cupys else EXPECTED).items():
            if re.search(pattern, item.nodeid):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))


def scipy(families: str, folder: Path) -> int:
    """SciPy's tests for any array library, by the arrays of the alias; a report for each family."""
    variables = {**os.environ, "SCIPY_ARRAY_API": '["cupy"]', "PYTHONPATH": str(HERE)}
    run = [sys.executable, "-m", "tenorite", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pytest.ini"]
    command = [*run, "-p", "others_tests", "-m", "array_api_backends", "-rfEX", "--tb=short", "--pyargs"]
    copy([], folder)
    return max(
        subprocess.run([*command, f"scipy.{family}"], cwd=folder, env=variables).returncode
        for family in families.split()
    )


def cupy(families: str, source: Path) -> int:
    """CuPy's tests; a report for each family."""
    run = [sys.executable, "-m", "tenorite", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "others_tests"]
    variables = {**os.environ, "PYTHONPATH": str(HERE)}
    return max(
        subprocess.run(
            [*run, "-m", "not slow", "-rf", "--tb=short", f"cupyx_tests/scipy_tests/{family}_tests"],
            cwd=source / "tests",
            env=variables,
        ).returncode
        for family in families.split()
    )


def main(suite: str, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    if suite.startswith("scipy"):
        return scipy(suite.partition("-")[2] or SCIPY, folder / "run/scipy")
    if suite.startswith("cupy"):
        return cupy(suite.partition("-")[2] or CUPY_FAMILIES, fetch("cupy", folder))
    alias, pytest = [sys.executable, "-m", "tenorite", "-m"], ["pytest", "-q", "-p", "no:cacheprovider"]
    source, place = fetch(suite.partition("-")[0], folder), folder / "run" / suite
    if suite == "mpi4py":
        copy(
            list((source / "test").glob("*.py")),
            place,
            (r"cupy\.asarray\(arg, typecode\)", "cupy.asarray(numpy.asarray(arg).astype(typecode))"),
            (r"self\.array\.fill\(arg\)", "self.array.fill(numpy.asarray(arg).astype(typecode))"),
            (r"__dlpack__\(stream=-1\)", "__dlpack__()"),
        )
        chosen = [part for group in ("cco", "p2p", "test_io", "test_pack") for part in ("-i", group)]
        command = [*MPI, *alias[:-1], "main.py", "-q", "-f", "--cupy", "--no-numba", *chosen]
        return subprocess.run(command, cwd=place).returncode
    if suite in CLIENTS:
        where, variables, chosen = CLIENTS[suite]
        command = [*alias, *pytest, where, "-k", chosen]
        return subprocess.run(command, cwd=source, env={**os.environ, **variables}).returncode
    if suite == "xarray":
        copy([source / "xarray/tests/test_cupy.py"], place)
        return subprocess.run([*alias, *pytest], cwd=place).returncode
    files = sorted((source / "dask/array/tests").glob("test_cupy_*.py"))
    if suite == "dask":
        copy(files, place)
        return subprocess.run([*alias, *pytest], cwd=place).returncode
    names = [(r"dask\.array\.backends\.register_cupy\(\)", "pass"), (r"cupyx\.scipy", "tenorite.scipy")]
    copy(files, place, *names, (r"\bcupyx\b", "tenorite.x"), (r"\bcupy\b", "tenorite"))
    return subprocess.run([sys.executable, "-m", *pytest], cwd=place).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(*sys.argv[2:3]) if sys.argv[2:] else BUILD))
