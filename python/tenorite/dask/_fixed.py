"""Functions of dask.array that make NumPy's arrays, or call SciPy, among chunks of other kinds:
their graphs with our functions in those places. Each takes Dask's function first."""

import numpy
import scipy.linalg
from dask.array import Array, eye
from dask.array.linalg import solve
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

import tenorite
from tenorite.scipy.linalg import lu as _lu

_OURS = {scipy.linalg.lu: _lu, numpy.zeros: tenorite.zeros}


def _exchange(task):
    """A task of nested tuples and lists, with our functions."""
    if isinstance(task, tuple | list):
        return type(task)(map(_exchange, task))
    return _OURS.get(task, task) if callable(task) else task


def lu(theirs, a):
    """The factors P, L and U."""
    return tuple(map(_with_our_tasks, theirs(a)))


def _with_our_tasks(array):
    layers = dict(array.dask.layers)
    layers[array.name] = MaterializedLayer({key: _exchange(task) for key, task in layers[array.name].items()})
    graph = HighLevelGraph(layers, array.dask.dependencies)
    return Array(graph, array.name, array.chunks, meta=array._meta)


def inv(_theirs, a):
    """The inverse, as the solutions for the columns of the identity matrix."""
    identity = eye(a.shape[0], chunks=a.chunks[0][0], dtype=a.dtype).map_blocks(tenorite.asarray)
    return solve(a, identity)


def diagonal(theirs, a, *args, **options):
    """A diagonal; one without elements is an array of NumPy's in Dask."""
    made = theirs(a, *args, **options)
    return made.map_blocks(tenorite.asarray) if 0 in made.shape else made


def to_zarr(theirs, a, *args, **options):
    """Chunks as zarr's, which are NumPy's."""
    return theirs(a.map_blocks(tenorite.asnumpy), *args, **options)
