"""The C library as a C programmer meets it: installed with pkg-config, or carried by the package."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tenorite.config

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
    return subprocess.run([str(word) for word in command], env=os.environ | environment,
                          check=True, capture_output=True, text=True).stdout


def build_and_run(folder, flags, **environment):
    (folder / "program.c").write_text(PROGRAM)
    run("cc", "-std=c11", "-Wall", "-Werror", folder / "program.c", "-o", folder / "program", *flags)
    return run(folder / "program", **environment)


@needs_cc
def test_flags_of_package(tmp_path):
    flags = shlex.split(run(sys.executable, "-m", "tenorite.config", "--cflags", "--libs"))
    assert build_and_run(tmp_path, flags) == "0.1.0\n"


@needs_cc
@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="needs pkg-config")
def test_pkg_config_of_installed_library(tmp_path):
    """`meson install` anywhere gives headers, the library and a pkg-config file that finds both."""
    build = Path(tenorite.config.library_dir()).resolve().parents[1]
    if not (build / "build.ninja").exists():
        pytest.skip("the package is installed, not developed in its tree")
    meson = Path(sys.executable).with_name("meson")
    run(meson, "install", "-C", build, "--no-rebuild", "--quiet", "--tags", "runtime,devel",
        "--destdir", tmp_path)
    pc_dir = next(tmp_path.rglob("tenorite.pc")).parent
    flags = shlex.split(run("pkg-config", "--cflags", "--libs", "tenorite", PKG_CONFIG_PATH=str(pc_dir)))
    assert build_and_run(tmp_path, flags, LD_LIBRARY_PATH=str(pc_dir.parent)) == "0.1.0\n"


def test_config_wants_a_question():
    command = [sys.executable, "-m", "tenorite.config"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert "--cflags" in done.stderr
