"""What the functions of graphs take."""

import operator

from tenorite import _core
from tenorite._arguments import as_array
from tenorite.scipy import sparse


def as_graph(csgraph):
    """A square matrix by compressed rows. Of an array 0, infinities and NaN are no edges."""
    if not sparse.issparse(csgraph):
        array = as_array(csgraph)
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            raise ValueError(f"graph should be a square array, not of shape {array.shape}")
        if array.dtype.kind in "fc" and not (finite := _core.isfinite(array)).all():
            array = array * 1
            array[~finite] = 0
        csgraph = sparse.csr_matrix(array)
    if csgraph.ndim != 2 or csgraph.shape[0] != csgraph.shape[1]:
        raise ValueError(f"graph should be a square array, not of shape {csgraph.shape}")
    return csgraph.tocsr()


def lend(graph, is_unweighted=False):
    """The arrays of a graph for the extension, of weights in float64."""
    weights = graph.data
    if is_unweighted:
        weights = _core.ones(weights.shape, dtype="d")
    elif weights.dtype.char != "d":
        weights = (weights.real if weights.dtype.kind == "c" else weights).astype("d")
    return (*graph.shape, weights, graph.indices, graph.indptr)


def node_of(i_start, n):
    """The number of a node."""
    node = operator.index(i_start)
    if not 0 <= node < n:
        raise IndexError(f"node {node} is none of a graph of {n} nodes")
    return node
