"""show_config() and `python -m tenorite.config` tell what is here, and what to install for what is
not."""

import shutil
import sys
from pathlib import Path

import numpy
import pytest
import tenorite
import tenorite.config
from programs import DOUBLES, needs_doubles, output_of, python

LIBRARIES = ("cuda", "nvrtc", "nvtx", "cublas", "cublaslt", "cusolver", "cusparse", "cufft", "curand")


def show(**variables):
    """What it prints in another process, as a dict."""
    shown = output_of("import tenorite; tenorite.show_config()", variables)
    return dict(map(str.strip, line.split(" : ", 1)) for line in shown.splitlines())


def test_versions_devices_and_libraries():
    facts = show(TENORITE_HOST_DEVICES="2")
    assert facts["Tenorite"] == tenorite.__version__
    assert facts["NumPy"] == numpy.__version__
    assert sys.executable in facts["Python"]
    assert facts["host:0"] and facts["host:1"]
    assert set(LIBRARIES) <= set(facts)
    assert "openblas" in facts["openblas"]  # of NumPy's wheel, which the tests have
    assert facts["Kernel cache"].endswith("bytes")


@pytest.mark.parametrize(
    "name, package",
    [
        ("nvrtc", "pip install nvidia-cuda-nvrtc"),
        ("cublas", "pip install nvidia-cublas"),
        ("cufft", "pip install nvidia-cufft"),
        ("nccl", "pip install nvidia-nccl-cu1"),
    ],
)
def test_missing_library_says_what_to_install(name, package):
    facts = show(**{f"TENORITE_{name.upper()}_PATH": "/nonexistent"})
    assert facts[name].startswith("not found; ")
    assert package in facts[name]
    assert f"(TENORITE_{name.upper()}_PATH is /nonexistent)" in facts[name]


def lay(path):
    """An empty file: no library is opened to tell its version."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_versions_of_libraries(tmp_path):
    """By what a toolkit's links lead to, and by the neighbours of a wheel's folder."""
    cublas, wheels = tmp_path / "libcublas.so.13", tmp_path / "site-packages"
    cublas.symlink_to(lay(tmp_path / "libcublas.so.13.1.0.3"))
    cufft, nccl = lay(wheels / "nvidia/cu13/lib/libcufft.so.12"), lay(wheels / "nvidia/nccl/lib/libnccl.so.2")
    unknown = lay(tmp_path / "libcurand.so.10")
    for package in ("nvidia_cufft-12.0.1.61", "nvidia_cufft_cu12-11.3.3.83", "nvidia_nccl_cu12-2.27.5"):
        (wheels / f"{package}.dist-info").mkdir()
    facts = show(
        TENORITE_CUBLAS_PATH=str(cublas),
        TENORITE_CUFFT_PATH=str(cufft),
        TENORITE_NCCL_PATH=str(nccl),
        TENORITE_CURAND_PATH=str(unknown),
    )
    assert facts["cublas"] == f"13.1 {cublas} (not loaded yet)"
    assert facts["cufft"] == f"12.0 {cufft} (not loaded yet)"
    assert facts["nccl"] == f"2.27 {nccl} (not loaded yet)"
    assert facts["curand"] == f"{unknown} (not loaded yet)"


def test_version_of_a_library_that_somebody_loaded():
    path = {found[0]: found[3] for found in tenorite._core._cuda_libraries(False)}["curand"]
    if not path:
        pytest.skip("needs cuRAND")
    done = python(
        "-c",
        f"""
import ctypes, tenorite
library, number = ctypes.CDLL({path!r}), ctypes.c_int()
tenorite.show_config()
for which in (0, 1):
    library.curandGetProperty(which, ctypes.byref(number))
    print(number.value)
""",
    )
    *lines, major, minor = done.stdout.split("\n")[:-1]
    assert [line for line in lines if line.startswith("curand") and f": {major}.{minor} " in line]


@needs_doubles
@pytest.mark.parametrize("double, number", [("libfake_cuda.so", 13), ("libfake_cuda_12.so", 12)])
def test_libraries_go_with_the_driver(tmp_path, double, number):
    """Where there are some of CUDA 12 and 13, the driver's are taken; and what is missing is said
    for it."""
    for version in (12, 13):
        folder = tmp_path / "lib"
        folder.mkdir(exist_ok=True)
        (folder / f"libnvrtc.so.{version}").symlink_to(DOUBLES / "libfake_nvrtc.so")
    facts = show(
        TENORITE_FAKE_CUDA=str(DOUBLES / double),
        TENORITE_BACKEND="cuda",
        CONDA_PREFIX=str(tmp_path),
        TENORITE_CUBLAS_PATH="/nonexistent",
    )
    assert facts["cuda"].startswith(f"{number}.") and facts["nvrtc"].endswith(f"libnvrtc.so.{number}")
    assert ("nvidia-cublas-cu12" in facts["cublas"]) == (number == 12)


def test_missing_host_libraries_say_what_to_install():
    facts = show(TENORITE_OPENBLAS_PATH="/nonexistent", TENORITE_SLEEF_PATH="/nonexistent")
    assert facts["openblas"].startswith("not found") and "libopenblas" in facts["openblas"]
    assert facts["sleef"].startswith("not found") and "libsleef3" in facts["sleef"]


def test_folder_that_is_no_cache_is_named(tmp_path):
    file = tmp_path / "file"
    file.touch()
    assert "is not a folder" in show(TENORITE_CACHE_DIR=str(file))["Kernel cache"]
    assert show(TENORITE_CACHE_DIR="")["Kernel cache"].startswith("none (no folder is given)")


def test_config_says_what_is_missing(tmp_path):
    """A package of which the C side was left out, as a source folder on the path is."""
    copy = tmp_path / "tenorite"
    copy.mkdir()
    (copy / "__init__.py").touch()
    shutil.copy(tenorite.config.__file__, copy)
    done = python("-m", "tenorite.config", "--libs", cwd=tmp_path, variables={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 1
    assert "pip install" in done.stderr and str(copy) in done.stderr


def test_config_names_what_is_there():
    headers = Path(tenorite.config.include_dir())
    if not headers.is_dir():
        pytest.skip("a packed package without headers")
    assert (headers / "tenorite/tenorite.h").is_file() and tenorite.config.cflags() == [f"-I{headers}"]
