"""What Dask loads of Tenorite when it is imported itself: who to ask about arrays of the class
tenorite.ndarray, when the first of them is met. Neither imports the other here.

The entry point ``dask.sizeof`` runs register() at ``import dask``. What else must be registered
belongs to modules of Dask that are imported later or never; _Finder waits for these.
"""

import abc
import functools
import importlib
import importlib.machinery
import sys


def register(sizeof):
    """Registers with Dask what is known now, and waits for its modules with the rest."""
    sizeof.register_lazy("tenorite", lambda: _module("_arrays").register_sizes(sizeof))
    sys.meta_path.insert(0, _Finder())


def _module(name):
    return importlib.import_module(f"tenorite.dask.{name}")


def buffer(worker_local_directory, **options):
    """tenorite.dask.device_buffer() by a name that a process can read before it has its device."""
    return importlib.import_module("tenorite.dask").device_buffer(worker_local_directory, **options)


class _Chunk(abc.ABC):  # noqa: B024
    """The chunks of Dask's that are Tenorite's, before there is one."""

    _NAMES = {("tenorite", "ndarray"), ("tenorite.scipy.sparse._kinds", "spmatrix")}

    @classmethod
    def __subclasshook__(cls, kind):
        return any((base.__module__, base.__qualname__) in cls._NAMES for base in kind.__mro__) or NotImplemented


# Functions of Dask's that ask for CuPy by name, or put NumPy's arrays among the chunks: {function:
# the modules that have it}.
_FIXED = {
    "diagonal": ("dask.array", "dask.array.creation"),
    "inv": ("dask.array.linalg",),
    "lu": ("dask.array.linalg",),
    "to_zarr": ("dask.array", "dask.array.core"),
}


def _with_arrays():
    """For dask.array, which was imported."""
    from dask.array import chunk_types, dispatch, utils  # noqa: PLC0415

    chunk_types.register_chunk_type(_Chunk)
    for name in ("concatenate", "tensordot", "take", "einsum", "empty", "percentile", "numel", "nannumel", "divide"):
        lookup = getattr(dispatch, f"{name}_lookup")
        lookup.register_lazy("tenorite", lambda: _module("_arrays").register_arrays())
    dispatch.to_numpy_dispatch.register_lazy("tenorite", lambda: _module("_arrays").register_arrays())
    utils.scipy_linalg_safe = _by_class(utils.scipy_linalg_safe)
    for name, homes in _FIXED.items():
        fixed = _by_chunks(getattr(sys.modules[homes[0]], name))
        for home in homes:
            setattr(sys.modules[home], name, fixed)


def _by_class(theirs):
    """A call of one of scipy.linalg's functions: Dask knows the arrays of SciPy and CuPy alone."""

    @functools.wraps(theirs)
    def call(func_name, *args, **kwargs):
        if not isinstance(args[0], _Chunk):
            return theirs(func_name, *args, **kwargs)
        return getattr(importlib.import_module("tenorite.scipy.linalg"), func_name)(*args, **kwargs)

    return call


def _by_chunks(theirs):
    """A function of dask.array, or ours of its name where the chunks are ours."""

    @functools.wraps(theirs)
    def call(a, *args, **kwargs):
        if not isinstance(getattr(a, "_meta", None), _Chunk):
            return theirs(a, *args, **kwargs)
        return getattr(_module("_fixed"), theirs.__name__)(theirs, a, *args, **kwargs)

    return call


def _with_protocol():
    """For distributed.protocol, which was imported."""
    from distributed import protocol  # noqa: PLC0415

    for name in ("dask_serialize", "dask_deserialize", "cuda_serialize", "cuda_deserialize"):
        getattr(protocol, name).register_lazy("tenorite", lambda: _module("_frames"))


_WAITING = {"dask.array": _with_arrays, "distributed.protocol": _with_protocol}


class _Finder:
    """Runs a function after the import of a module, once; it finds nothing itself."""

    def find_spec(self, fullname, path=None, target=None):
        then = _WAITING.pop(fullname, None)
        if then is None:
            return None
        if not _WAITING:
            sys.meta_path.remove(self)
        found = importlib.machinery.PathFinder.find_spec(fullname, path)
        run = found.loader.exec_module

        def run_and_register(module):
            run(module)
            then()

        found.loader.exec_module = run_and_register
        return found
