"""The C library as a C programmer meets it: installed with pkg-config, or carried by the
package."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from programs import BUILD, ROOT, python

VERSION = re.search(r"version: '(.*)'", (ROOT / "meson.build").read_text())[1]

PROGRAM = """
#include <stdio.h>
#include <tenorite/tenorite.h>

int main(void) {
    puts(tn_version());
    return 0;
}
"""

needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


def run(*command, **environment):
    return subprocess.run(
        [str(word) for word in command], env=os.environ | environment, check=True, capture_output=True, text=True
    ).stdout


def build_and_run(folder, flags, source=None, **environment):
    """Compiles PROGRAM, or a source file, and gives what it prints."""
    if source is None:
        source = folder / "program.c"
        source.write_text(PROGRAM)
    run("cc", "-std=c11", "-Wall", "-Werror", source, "-o", folder / "program", *flags)
    return run(folder / "program", **environment)


@needs_cc
def test_flags_of_package(tmp_path):
    flags = shlex.split(run(sys.executable, "-m", "tenorite.config", "--cflags", "--libs"))
    assert build_and_run(tmp_path, flags) == VERSION + "\n"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of the pkg-config file of a library that `meson install` put somewhere."""
    if shutil.which("pkg-config") is None:
        pytest.skip("needs pkg-config")
    if not (BUILD / "build.ninja").exists():
        pytest.skip("the package is installed, not developed in its tree")
    folder = tmp_path_factory.mktemp("installed")
    meson = Path(sys.executable).with_name("meson")
    run(meson, "install", "-C", BUILD, "--no-rebuild", "--quiet", "--tags", "runtime,devel", "--destdir", folder)
    return next(folder.rglob("tenorite.pc")).parent


def build_with_pkg_config(folder, pc_dir, *flags, source=None):
    """`cc program.c $(pkg-config --cflags --libs tenorite)`, then the program."""
    words = run("pkg-config", "--cflags", "--libs", "tenorite", PKG_CONFIG_PATH=str(pc_dir))
    return build_and_run(folder, [*shlex.split(words), *flags], source, LD_LIBRARY_PATH=str(pc_dir.parent))


@needs_cc
def test_pkg_config_of_installed_library(tmp_path, installed):
    """`meson install` anywhere gives headers, the library and a pkg-config file that finds both."""
    assert build_with_pkg_config(tmp_path, installed) == VERSION + "\n"


@needs_cc
def test_example_heat(tmp_path, installed):
    """The example in C, built as its first lines say, stays with the exact solution."""
    source = ROOT / "examples/heat.c"
    lines = build_with_pkg_config(tmp_path, installed, "-lm", source=source).splitlines()
    errors = [
        float(line.split()[4])
        for line in lines
        if line.split()[:1] and line.split()[0].isdigit() and len(line.split()) == 5
    ]
    assert len(errors) == 7
    assert max(errors) < 1e-3


@needs_cc
def test_example_fused(tmp_path, installed):
    """The fused chain has the bits of the single calls, and the step finds the minimum."""
    source = ROOT / "examples/fused.c"
    lines = build_with_pkg_config(tmp_path, installed, source=source).splitlines()
    assert lines[1:3] == ["the same bits", "the minimum is at 3.000000"]
    assert lines[3].startswith("own kernels: at most ") or "compiler" in lines[3]


@needs_cc
def test_example_svd(tmp_path, installed, monkeypatch):
    """Beside NumPy's OpenBLAS, which a program without Python must name."""
    source = ROOT / "examples/svd.c"
    code = "import tenorite as tn; tn.linalg.inv(tn.eye(2)); print(tn._core._library_path('openblas'))"
    monkeypatch.setenv("TENORITE_OPENBLAS_PATH", run(sys.executable, "-c", code).strip())
    lines = build_with_pkg_config(tmp_path, installed, "-lm", source=source).splitlines()
    values = np.linalg.svd(np.sin(np.outer(np.arange(1, 61), np.arange(1, 41)) / 40), compute_uv=False)
    assert lines[0].split(":")[1].split()[:5] == [f"{value:.4f}" for value in values[:5]]
    assert lines[1].startswith(f"{(values > 1e-6 * values[0]).sum()} of 40") and "orthonormal" in lines[2]


README = ROOT / "README.md"


def readme_program(language):
    """The fenced block of this language, and the lines that README shows below it."""
    pattern = rf"^```{language}\n((?:.*\n)*?)```\n((?:\n|    .*\n)*)"
    found = re.search(pattern, README.read_text(), re.MULTILINE)
    shown = [line[4:] for line in found[2].splitlines() if line.startswith("    ")]
    return found[1], [line for line in shown if not line.startswith("$")]


@needs_cc
def test_program_of_readme(tmp_path, installed):
    text, shown = readme_program("c")
    source = tmp_path / "mean.c"
    source.write_text(text)
    assert shown
    assert build_with_pkg_config(tmp_path, installed, source=source).splitlines() == shown


def test_python_of_readme(tmp_path):
    text, shown = readme_program("python")
    (tmp_path / "example.py").write_text(text)
    assert shown
    assert run(sys.executable, tmp_path / "example.py").splitlines() == shown


def test_config_wants_a_question():
    done = python("-m", "tenorite.config")
    assert done.returncode == 2
    assert "--cflags" in done.stderr
