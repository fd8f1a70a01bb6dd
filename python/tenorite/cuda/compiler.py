"""The compiler of kernels under CuPy's names."""

import os
import re
import subprocess
import tempfile

from tenorite._kernels import headers, nvcc
from tenorite._kernels.raw import RawModule, check_jitify
from tenorite.cuda import nvrtc, runtime
from tenorite.cuda._documents import documented
from tenorite.cuda.device import Device
from tenorite.exceptions import CompileException

__all__ = [
    "CompileException",
    "HIPCCException",
    "JitifyException",
    "NVCCException",
    "compile_using_hipcc",
    "compile_using_nvcc",
    "compile_using_nvrtc",
    "compile_with_cache",
    "is_valid_kernel_name",
]


# Names that programs (CuPy's tests of RawKernel among them) put their own objects in the place of.
# Tenorite's own cache keeps kernels whatever they are (tenorite.cache).
_kernel_cache_backend = None
_empty_file_preprocess_cache = {}


def _get_bool_env_variable(name, default):
    """Whether a variable of the environment is 1."""
    value = os.environ.get(name)
    return default if not value else value.strip() == "1"


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


@documented
def compile_with_cache(
    source,
    options=(),
    arch=None,
    cache_dir=None,
    extra_source=None,
    backend="nvrtc",
    enable_cooperative_groups=False,
    name_expressions=None,
    log_stream=None,
    jitify=False,
):
    """Compiles the text of kernels, or finds in the cache what was made of it before.

    Parameters
    ----------
    arch, cache_dir, extra_source, jitify : optional
        Have no effect: the architecture is the device's, the cache the library's.
    backend : {'nvrtc', 'nvcc'}, optional
        Which compiler of CUDA.

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
    module = RawModule(
        code=source,
        options=tuple(options),
        backend=backend,
        name_expressions=name_expressions,
        enable_cooperative_groups=enable_cooperative_groups,
    )
    module.compile(log_stream)
    return module


_compile_module_with_cache = compile_with_cache


def _architecture(arch):
    """That of the current GPU if none is given, as '90'; the first that NVRTC knows on the host."""
    if arch is None:
        device = Device()
        return device.compute_capability if device.backend == "cuda" else str(nvrtc.getSupportedArchs()[0])
    return str(arch).removeprefix("sm_").removeprefix("compute_")


def _get_arch():
    return _architecture(None)


@documented
def compile_using_nvrtc(
    source,
    options=(),
    arch=None,
    filename="kern.cu",
    name_expressions=None,
    log_stream=None,
    cache_in_memory=False,
    jitify=None,
):
    """Compiles a text by NVRTC, which needs no GPU.

    Parameters
    ----------
    cache_in_memory, jitify : bool, optional
        Have no effect.

    Returns
    -------
    tuple
        The image as bytes, and a dict of names in it by name expressions, None without them.

    Raises
    ------
    CompileException
        The text could not be compiled.

    Examples
    --------
    >>> text = 'extern "C" __global__ void one(int* x) { x[0] = 1; }'
    >>> image, names = tenorite.cuda.compiler.compile_using_nvrtc(text)  # doctest: +SKIP
    """
    check_jitify(jitify)
    options = (*options, *headers.cccl_options(source))
    if not any(option.startswith(("-arch", "--gpu-architecture")) for option in options):
        options = (*options, f"-arch=sm_{_architecture(arch)}")
    program = nvrtc.createProgram(source, filename, (), ())
    try:
        for name in name_expressions or ():
            nvrtc.addNameExpression(program, name)
        try:
            nvrtc.compileProgram(program, options)
        except nvrtc.NVRTCError:
            raise CompileException(nvrtc.getProgramLog(program), source, filename, options, "nvrtc") from None
        if log_stream is not None:
            log_stream.write(nvrtc.getProgramLog(program))
        image = nvrtc.getCUBIN(program) or nvrtc.getPTX(program)
        return image, {
            name: nvrtc.getLoweredName(program, name) for name in name_expressions
        } if name_expressions else None
    finally:
        nvrtc.destroyProgram(program)


@documented
def compile_using_nvcc(
    source, options=(), arch=None, filename="kern.cu", code_type="cubin", separate_compilation=False, log_stream=None
):
    """Compiles a text by nvcc of the CUDA toolkit, which needs no GPU.

    Parameters
    ----------
    code_type : {'cubin', 'ptx'}, optional
        What is made.
    separate_compilation : bool, optional
        Whether device code is linked with the device runtime, as kernels need that launch kernels.

    Returns
    -------
    bytes
        The image.

    Raises
    ------
    NVCCException, CompileException
        The text could not be compiled.

    Examples
    --------
    >>> text = 'extern "C" __global__ void one(int* x) { x[0] = 1; }'
    >>> image = tenorite.cuda.compiler.compile_using_nvcc(text)  # doctest: +SKIP
    """
    if code_type not in ("cubin", "ptx"):
        raise ValueError(f"Invalid code_type {code_type}. Should be cubin or ptx")
    if separate_compilation and code_type != "cubin":
        raise ValueError("separate_compilation needs code_type='cubin'")
    command = nvcc.find()
    arch = f"-gencode=arch=compute_{_architecture(arch)},code=sm_{_architecture(arch)}"
    with tempfile.TemporaryDirectory(prefix="tenorite-") as folder:
        path, image = os.path.join(folder, filename), os.path.join(folder, f"image.{code_type}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        try:
            if separate_compilation:
                _run_cc([command, arch, *options, "--device-c", "-o", image + ".o", path], folder, "nvcc", log_stream)
                _run_cc(
                    [command, arch, "--device-link", "--cubin", "-lcudadevrt", "-o", image, image + ".o"],
                    folder,
                    "nvcc",
                    log_stream,
                )
            else:
                _run_cc([command, arch, f"--{code_type}", *options, "-o", image, path], folder, "nvcc", log_stream)
        except NVCCException as failure:
            raise CompileException(str(failure), source, path, tuple(options), "nvcc") from failure
        with open(image, "rb") as file:
            return file.read()


def compile_using_hipcc(source, options, arch, log_stream=None):
    """Refused: there is no backend for ROCm.

    Parameters
    ----------
    source : str
        The text.
    options : tuple of str
        Options of the compiler.
    arch : str
        The architecture.
    log_stream : file, optional
        Where the compiler's words would be written.

    Raises
    ------
    HIPCCException
        Always.

    Examples
    --------
    >>> tenorite.cuda.compiler.compile_using_hipcc("", (), "gfx90a")
    Traceback (most recent call last):
    tenorite.cuda.compiler.HIPCCException: there is no backend for ROCm
    """
    raise HIPCCException("there is no backend for ROCm")


def _get_nvrtc_version():
    version = runtime.runtimeGetVersion()
    return version // 1000, version % 1000 // 10


def _run_cc(cmd, cwd, backend, log_stream=None):
    """Runs a compiler; its words go to `log_stream`."""
    done = subprocess.run(cmd, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        kind = HIPCCException if backend == "hipcc" else NVCCException
        raise kind(
            f"`{backend}` command returns non-zero exit status. \ncommand: {cmd}\nreturn-code: {done.returncode}\n"
            f"stdout/stderr: \n{done.stdout}{done.stderr}"
        )
    if log_stream is not None:
        log_stream.write(done.stdout + done.stderr)
    return done.stdout
