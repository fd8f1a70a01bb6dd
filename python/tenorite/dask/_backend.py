"""Dask's functions that make arrays, where its configuration says ``array.backend: tenorite``."""

import dask.array as da
import numpy
from dask import config
from dask.array.backends import ArrayBackendEntrypoint
from dask.utils import Dispatch

import tenorite
from tenorite._arguments import ndarray
from tenorite.scipy import sparse

to_tenorite_dispatch = Dispatch("to_tenorite_dispatch")
to_tenorite_dispatch.register((object, numpy.ndarray), tenorite.asarray)
to_tenorite_dispatch.register((ndarray, sparse.spmatrix), lambda chunk: chunk)


def _made(function, /, *args, meta=None, **options):
    """A function of dask.array, whose chunks are made as the array `meta` is."""
    meta = tenorite.empty(()) if meta is None else meta
    with config.set({"array.backend": "numpy"}):
        return getattr(da, function)(*args, meta=meta, **options)


class TenoriteBackend(ArrayBackendEntrypoint):
    """What Dask asks for new arrays."""

    @classmethod
    def to_backend_dispatch(cls):
        return to_tenorite_dispatch

    @classmethod
    def to_backend(cls, data, **options):
        if isinstance(data._meta, ndarray):
            return data
        return data.map_blocks(cls.to_backend_dispatch(), **options)

    @property
    def RandomState(self):
        return tenorite.random.RandomState

    @property
    def default_bit_generator(self):
        return tenorite.random.XORWOW

    @staticmethod
    def ones(*args, **options):
        return _made("ones", *args, **options)

    @staticmethod
    def zeros(*args, **options):
        return _made("zeros", *args, **options)

    @staticmethod
    def empty(*args, **options):
        return _made("empty", *args, **options)

    @staticmethod
    def full(*args, **options):
        return _made("full", *args, **options)

    @staticmethod
    def arange(*args, like=None, **options):
        like = tenorite.empty(()) if like is None else like
        with config.set({"array.backend": "numpy"}):
            return da.arange(*args, like=like, **options)
