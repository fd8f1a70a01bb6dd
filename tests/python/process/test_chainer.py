"""Chainer 7.8 trains with Tenorite in CuPy's place. It comes from PyPI into a folder of its own;
where it can't be installed the test is skipped. TENORITE_CHAINER names a folder that has it."""

import os
import subprocess
import sys

import pytest
from programs import ROOT, python


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("chainer")
    if os.environ.get("TENORITE_CHAINER"):
        return os.environ["TENORITE_CHAINER"]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "0"]
    wanted = [
        ["--no-build-isolation", "--no-deps", "chainer==7.8.1"],
        ["--no-deps", "six", "filelock", "protobuf", "typing_extensions"],
    ]
    for names in wanted:
        try:
            done = subprocess.run(
                [*pip, "--timeout", "5", "--target", tmp_path, *names], capture_output=True, text=True, timeout=120
            )
        except subprocess.TimeoutExpired:
            pytest.skip("Chainer was not installed in two minutes")
        if done.returncode:
            pytest.skip(f"Chainer can't be installed: {done.stderr.strip().splitlines()[-1:]}")
    return str(tmp_path)


def test_chainer(site):
    done = python("-W", "ignore", ROOT / "tests/python/process/chainer_program.py", variables={"PYTHONPATH": site})
    assert done.returncode == 0, done.stderr
    accuracy = float(done.stdout.split()[1].rstrip(","))
    assert accuracy > 0.9, done.stdout


def test_networks(site):
    """cuDNN's names serve Chainer; TENORITE_CHAINER_ALL=1 takes all modes of use_cudnn."""
    done = python("-W", "ignore", ROOT / "tests/python/process/chainer_networks.py", variables={"PYTHONPATH": site})
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.split()[0]) >= 110, done.stdout
