"""Kernels that were compiled once stay on disk: what there is, and compiling ahead.

The folder is TENORITE_CACHE_DIR, else ``tenorite/kernels`` in the user's cache folder; an empty
TENORITE_CACHE_DIR means none. TENORITE_CACHE_SIZE bounds it (bytes, 512 MiB if not set).

What is in no cache is compiled by threads of their own while the program goes on,
TENORITE_COMPILE_THREADS at most (6; 0: the caller compiles); work on the device keeps its order.
"""

import os
import re
import sys

from tenorite import _core

__all__ = ["clear", "info", "pack", "warm"]


def info():
    """A dict: the folder, whether it can be written (and if not, why), its files and bytes and
    their limit, kernels in packed archives, and what this process found, missed and compiled.

    Examples
    --------
    >>> import tenorite as cp
    >>> sorted(cp.cache.info())[:2]
    ['archived', 'bytes']
    """
    return _core._cuda_cache_info()


def clear():
    """Deletes all files of the cache: ``TENORITE_CACHE_DIR`` says where they are.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cache.clear()  # doctest: +SKIP
    """
    _core._cuda_cache_clear()


def _numbers(archs):
    """(90, "sm_80", "9.0") as (90, 80, 90); None as ()."""
    if archs is None:
        return ()
    archs = [archs] if isinstance(archs, (int, float, str)) else archs
    return tuple(map(_arch, archs))


def _arch(arch):
    found = re.fullmatch(r"(?:sm_)?(\d{2,3})|(\d{1,2})\.(\d)", str(arch))
    if not found:
        raise ValueError(
            f"{arch!r} is no architecture: give a compute capability as 90, '9.0' or 'sm_90'; those with a "
            "letter are not compiled for"
        )
    return int("".join(filter(None, found.groups())))


def _show(done, total):
    end = "\n" if done >= total else ""
    sys.stderr.write(f"\rtenorite: {done} of {total} kernels compiled{end}")
    sys.stderr.flush()


def warm(archs=None, progress=True):
    """Compiles the usual kernels for some architectures (90; None: those of the GPUs here), many in
    one program and on all cores. Needs NVRTC and no GPU, and a folder that can be written: a
    RuntimeError says why what is compiled could not be kept. `progress`: True shows it on stderr, a
    callable (done, total) is called with it.

    Parameters
    ----------
    archs : sequence of int or str, optional
        The GPUs' architectures: 90, ``"sm_90"`` or ``"9.0"``.
    progress : bool or callable, optional
        What is reported.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cache.warm([90])  # doctest: +SKIP
    """
    _core._cuda_cache_warm(_numbers(archs), _show if progress is True else progress or None)


def pack(path, archs=None, limit=None):
    """Writes all that the cache has for some architectures (None: all) into one read-only archive,
    a ValueError if that takes more than `limit` bytes. Archives are searched before the folder, and
    serve with any NVRTC or none. The package's own is ``kernels.archive`` in its folder;
    TENORITE_KERNEL_ARCHIVE names another.

    Parameters
    ----------
    path : str or path
        The file that is written.
    archs : sequence of int or str, optional
        The GPUs' architectures: 90, ``"sm_90"`` or ``"9.0"``.
    limit : int, optional
        The size in bytes that the archive may have.

    Raises
    ------
    TypeError
        If `path` is no path.
    ValueError
        If that takes more than `limit` bytes.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.cache.pack("kernels.archive", [90])  # doctest: +SKIP
    """
    _core._cuda_cache_pack(os.fsdecode(path), _numbers(archs), limit or 0)
