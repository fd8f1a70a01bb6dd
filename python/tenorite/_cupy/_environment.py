"""Where CUDA's tools lie, as CuPy's ``cupy._environment`` says it."""

from tenorite.cuda import get_cuda_path, get_hipcc_path, get_nvcc_path, get_rocm_path

__all__ = ["get_cub_path", "get_cuda_path", "get_hipcc_path", "get_nvcc_path", "get_rocm_path"]


def get_cub_path():
    """CUB's folder: None, for no kernel here is CUB's.

    Returns
    -------
    None

    Examples
    --------
    >>> from tenorite._cupy import _environment
    >>> _environment.get_cub_path()
    """
    return None
