"""Kernels that nvcc compiles: a file with an image for the current GPU."""

import os
import shutil
import subprocess
import tempfile

from tenorite.exceptions import CompileException


def find():
    """The path of nvcc: NVCC of the environment, PATH, or CUDA's folder."""
    folder = os.environ.get("CUDA_PATH") or os.environ.get("CUDA_HOME") or "/usr/local/cuda"
    found = shutil.which(os.environ.get("NVCC") or "nvcc") or shutil.which("nvcc", path=os.path.join(folder, "bin"))
    if not found:
        raise RuntimeError(
            "backend='nvcc' needs nvcc, which is neither in PATH nor in CUDA_PATH/bin: install the CUDA toolkit, set "
            "NVCC, or leave backend out, which compiles by NVRTC"
        )
    return found


def compile_file(code, options, capability):
    """Compiles a text for a compute capability, as "90".

    Returns
    -------
    tempfile.NamedTemporaryFile
        The image, which is deleted with this object.
    """
    nvcc = find()
    image = tempfile.NamedTemporaryFile(prefix="tenorite-", suffix=".cubin")
    with tempfile.TemporaryDirectory(prefix="tenorite-") as folder:
        source = os.path.join(folder, "kernel.cu")
        with open(source, "w", encoding="utf-8") as file:
            file.write(code)
        command = [nvcc, "-cubin", f"-arch=sm_{capability}", *options, "-o", image.name, source]
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode != 0:
        image.close()
        raise CompileException(run.stderr + run.stdout, code, source, tuple(options), "nvcc")
    return image
