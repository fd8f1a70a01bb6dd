"""Where the headers of NVIDIA's packages lie that programs' kernels include."""

import os
import sys

from tenorite import _core

# A file of each package, below the folder that the compiler is given.
_FILES = {"cccl": ("cub/cub.cuh", "cccl/cub/cub.cuh"), "cudart": ("cuda_runtime.h",), "cudacc": ("cuda_runtime.h",)}


def _folders():
    """Folders of headers: of toolkits, and of PyPI's packages."""
    for variable in ("CUDA_PATH", "CUDA_HOME"):
        if os.environ.get(variable):
            yield os.path.join(os.environ[variable], "include")
    yield "/usr/local/cuda/include"
    for root in sys.path:
        for folder in ("cu13/include", "cuda_cccl/include", "cuda_runtime/include"):
            yield os.path.join(root, "nvidia", folder)
        yield os.path.join(root, "cupy/_core/include/cupy/_cccl/cub")


def find(name):
    """The folder of a package's headers, None: it is not installed."""
    for folder in _folders():
        for file in _FILES.get(name, ()):
            path = os.path.join(folder, file)
            if os.path.exists(path):
                return path[: -len(file.removeprefix("cccl/")) - 1]
    return None


def cccl_options(code):
    """The compiler's options for a text that includes headers of CCCL: none if it includes none."""
    if not _core._includes_cccl(code, False):
        return ()
    folder = find("cccl")
    if folder is None:
        raise RuntimeError(
            "the kernel includes headers of CCCL (cub, thrust, cuda/std), which are not installed: "
            "pip install nvidia-cuda-cccl, or set CUDA_PATH to a toolkit"
        )
    runtime = find("cudart")
    return (f"-I{folder}", *([f"-I{runtime}"] if runtime and runtime != folder else []))
