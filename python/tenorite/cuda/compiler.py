"""The compiler of kernels under CuPy's names."""

import re
import subprocess

from tenorite._exceptions import CompileException
from tenorite._kernels.raw import RawModule
from tenorite.cuda import runtime

__all__ = ["CompileException", "HIPCCException", "JitifyException", "NVCCException", "compile_with_cache",
           "is_valid_kernel_name"]  # fmt: skip


class NVCCException(Exception):
    """nvcc failed."""


class HIPCCException(Exception):
    """hipcc failed; there is no such backend here."""


class JitifyException(Exception):
    """Jitify failed; nothing here uses it."""


def is_valid_kernel_name(name):
    """Whether a kernel may have a name.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    bool
        Whether it is a word of letters, digits and underscores, no digit first.

    Examples
    --------
    >>> tenorite.cuda.compiler.is_valid_kernel_name("scale_2")
    True
    """
    return re.fullmatch("[a-zA-Z_][a-zA-Z_0-9]*", name) is not None


def compile_with_cache(source, options=(), arch=None, cache_dir=None, extra_source=None, backend="nvrtc",
                       enable_cooperative_groups=False, name_expressions=None, log_stream=None, jitify=False):  # fmt: skip
    """Compiles the text of kernels, or finds in the cache what was made of it before.

    Parameters
    ----------
    source : str
        The text, CUDA C++.
    options : tuple of str, optional
        Options of the compiler.
    arch, cache_dir, extra_source, jitify : optional
        Have no effect: the architecture is the device's, the cache the library's.
    backend : {'nvrtc', 'nvcc'}, optional
        Which compiler of CUDA.
    enable_cooperative_groups : bool, optional
        Whether blocks may wait for each other.
    name_expressions : sequence of str, optional
        Names of templates' instances.
    log_stream : file, optional
        Where the compiler's words are written.

    Returns
    -------
    RawModule
        The compiled module.

    Examples
    --------
    >>> module = tenorite.cuda.compiler.compile_with_cache(
    ...     'extern "C" __global__ void one(int* x) { x[0] = 1; }')
    >>> x = tenorite.zeros(1, "i")
    >>> module.get_function("one")((1,), (1,), (x,))
    >>> int(x[0])
    1
    """
    module = RawModule(code=source, options=tuple(options), backend=backend, name_expressions=name_expressions,
                       enable_cooperative_groups=enable_cooperative_groups)  # fmt: skip
    module.compile(log_stream)
    return module


_compile_module_with_cache = compile_with_cache


def _get_nvrtc_version():
    version = runtime.runtimeGetVersion()
    return version // 1000, version % 1000 // 10


def _run_cc(cmd, cwd, backend, log_stream=None):
    """Runs a compiler; its words go to `log_stream`."""
    done = subprocess.run(cmd, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        kind = HIPCCException if backend == "hipcc" else NVCCException
        raise kind(f"`{backend}` command returns non-zero exit status. \ncommand: {cmd}\nreturn-code: {done.returncode}\n"
                   f"stdout/stderr: \n{done.stdout}{done.stderr}")  # fmt: skip
    if log_stream is not None:
        log_stream.write(done.stdout + done.stderr)
    return done.stdout
