"""CuPy's interface to Jitify, which finds the headers of C++ for NVRTC. Nothing here needs it."""

from tenorite._kernels import headers
from tenorite.cuda import runtime as _runtime

__all__ = ["find_nvidia_header_directory", "get_build_version", "get_cuda_version", "jitify"]


def get_build_version():
    """The version of Jitify: '<unknown>', for none is used.

    Returns
    -------
    str
        The version.

    Examples
    --------
    >>> tenorite.cuda.jitify.get_build_version()
    '<unknown>'
    """
    return "<unknown>"


def get_cuda_version():
    """The version of CUDA that kernels are compiled with: 13000 is 13.0.

    Returns
    -------
    int
        The version, 0 without NVRTC.

    Examples
    --------
    >>> tenorite.cuda.jitify.get_cuda_version() >= 0
    True
    """
    try:
        return _runtime.runtimeGetVersion()
    except RuntimeError:
        return 0


def find_nvidia_header_directory(name):
    """The folder of the headers of one of NVIDIA's packages, as `tenorite.cuda.get_cuda_path` looks
    for a toolkit.

    Parameters
    ----------
    name : str
        What the headers belong to, as 'cccl' or 'cudart'.

    Returns
    -------
    str or None
        The folder.

    Examples
    --------
    >>> folder = tenorite.cuda.jitify.find_nvidia_header_directory("cccl")
    """
    return headers.find(name)


def jitify(code, options, *args, **kwargs):
    """Refused: NVRTC gets the text as it is.

    Parameters
    ----------
    code : str
        The text.
    options : tuple of str
        Options of the compiler.
    *args, **kwargs
        More of CuPy's.

    Raises
    ------
    NotImplementedError
        Always.

    Examples
    --------
    >>> tenorite.cuda.jitify.jitify("", ())
    Traceback (most recent call last):
    NotImplementedError: cuda.jitify.jitify: no Jitify is used; compile_using_nvrtc compiles a text
    """
    raise NotImplementedError("cuda.jitify.jitify: no Jitify is used; compile_using_nvrtc compiles a text")
