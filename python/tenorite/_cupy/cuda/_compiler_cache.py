"""A folder of compiled kernels, as CuPy's ``cupy.cuda._compiler_cache`` keeps it.

Programs derive from it to keep kernels elsewhere. Tenorite's own kernels are kept by
``tenorite.cache``.
"""

import hashlib
import os
import tempfile

_hash_length = 64
_default_cache_dir = os.path.expanduser("~/.cupy/kernel_cache")


def _hash_hexdigest(data):
    return hashlib.sha256(data).hexdigest()


class DiskKernelCacheBackend:
    """Compiled kernels in files, each after the digest of its bytes.

    Parameters
    ----------
    cache_dir : str, optional
        The folder; otherwise CUPY_CACHE_DIR, or ``~/.cupy/kernel_cache``.

    Examples
    --------
    >>> import tempfile
    >>> from tenorite._cupy.cuda._compiler_cache import DiskKernelCacheBackend
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = DiskKernelCacheBackend(folder)
    ...     kept.save("a.cubin", b"123", "source")
    ...     kept.load("a.cubin")
    b'123'
    """

    def __init__(self, cache_dir=None):
        self._cache_dir = cache_dir or os.environ.get("CUPY_CACHE_DIR") or _default_cache_dir
        os.makedirs(self._cache_dir, exist_ok=True)

    def load(self, name):
        """The kernel of a name, or None where there is none or its file is broken.

        Parameters
        ----------
        name : str

        Returns
        -------
        bytes or None

        Examples
        --------
        >>> import tempfile
        >>> from tenorite._cupy.cuda._compiler_cache import DiskKernelCacheBackend
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     DiskKernelCacheBackend(folder).load("a.cubin")
        """
        try:
            with open(os.path.join(self._cache_dir, name), "rb") as file:
                return self._decode_cubin(file.read())
        except FileNotFoundError:
            return None

    def save(self, name, cubin, source):
        """Keeps a kernel, and its source where CUPY_CACHE_SAVE_CUDA_SOURCE is 1.

        Parameters
        ----------
        name : str
        cubin : bytes
        source : str

        Examples
        --------
        >>> import tempfile
        >>> from tenorite._cupy.cuda._compiler_cache import DiskKernelCacheBackend
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     DiskKernelCacheBackend(folder).save("a.cubin", b"123", "source")
        """
        self._write_encoded(name, self._encode_cubin(cubin))
        if os.environ.get("CUPY_CACHE_SAVE_CUDA_SOURCE", "0") == "1":
            with open(os.path.join(self._cache_dir, name) + ".cu", "w") as file:
                file.write(source)

    def _write_encoded(self, name, data):
        """Another process finds the whole file or none: it gets its name when it is written."""
        with tempfile.NamedTemporaryFile(dir=self._cache_dir, delete=False) as file:
            file.write(data)
        os.replace(file.name, os.path.join(self._cache_dir, name))

    @staticmethod
    def _encode_cubin(cubin):
        return _hash_hexdigest(cubin).encode("ascii") + cubin

    @staticmethod
    def _decode_cubin(data):
        digest, cubin = data[:_hash_length], data[_hash_length:]
        return cubin if digest == _hash_hexdigest(cubin).encode("ascii") else None
