"""Programs that tests run in processes of their own, and where the tree, its build and the test
doubles of CUDA's libraries lie. As a program this runs Python on the doubles, without a GPU:

    python tests/python/programs.py program.py ...
"""

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tenorite.config

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = Path(tenorite.config.library_dir()).resolve()
# The folder of the build whose library is loaded, installed below it or not.
BUILD = next((folder for folder in LIBRARIES.parents if (folder / "build.ninja").exists()), LIBRARIES.parents[1])
DOUBLES = BUILD / "tests/fake_cuda"
needs_doubles = pytest.mark.skipif(
    not (DOUBLES / "libfake_cuda.so").exists(), reason="needs the test doubles of the driver"
)


def python(*arguments, variables=None, **options):
    """A process of Python that has ended, with what it wrote; `variables` are added to its
    environment."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | (variables or {}),
        **options,
    )


@functools.cache
def has_cooperative_groups():
    """Whether kernels that include cooperative_groups.h compile here: CUDA's own needs CCCL."""
    if tenorite.cuda.Device().backend == "host":
        return True
    kernel = tenorite.RawKernel('#include <cooperative_groups.h>\nextern "C" __global__ void k() {}', "k")
    try:
        kernel.compile()
    except tenorite.exceptions.CompileException as error:
        assert "pip install nvidia-cuda-cccl" in str(error)
        return False
    return True


def output_of(program, variables=None, **options):
    """What a program prints, which has to end well."""
    done = python("-c", program, variables=variables, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def mpirun(processes, *arguments, variables=None):
    """What a program prints that so many processes of MPI run, which has to end well."""
    # Open MPI takes a machine's cores for all that may run on it, and refuses root.
    wishes = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader"}
    wishes |= {"OMPI_MCA_btl_vader_single_copy_mechanism": "none", "TENORITE_NUM_THREADS": "1"}
    command = ["mpirun", "--oversubscribe", "-n", str(processes), sys.executable]
    command += ["-m", "mpi4py", *map(str, arguments)]  # an exception of one process ends them all
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, env=os.environ | wishes | (variables or {})
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def on_double(folder, driver="libfake_cuda.so", **others):
    """The variables of a program whose GPU is a test double, with a folder for its kernels."""
    return {
        "TENORITE_BACKEND": "cuda",
        "TENORITE_FAKE_CUDA": str(DOUBLES / driver),
        "TENORITE_NVRTC_PATH": str(DOUBLES / "libfake_nvrtc.so"),
        "TENORITE_CACHE_DIR": str(folder),
        **others,
    }


if __name__ == "__main__":
    # Without a folder every kernel is compiled, and without threads at the call.
    os.environ |= on_double("", TENORITE_COMPILE_THREADS="0")
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
