"""Shortest paths. On the host each source is walked from by itself, in C; on other devices all
edges are relaxed together, for all sources, until no distance gets shorter."""

import warnings

import numpy

from tenorite import _core
from tenorite._arguments import beside
from tenorite._numpy.indexing import take_along_axis, where
from tenorite.scipy import sparse
from tenorite.scipy.sparse.csgraph._documents import documented
from tenorite.scipy.sparse.csgraph._graphs import as_graph, lend

__all__ = ["NegativeCycleError", "bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path"]

_NONE = -9999
_METHODS = {"D": 0, "BF": 1, "J": 2}


class NegativeCycleError(Exception):
    """A graph has a cycle of negative weight, so that there are no shortest paths.

    Parameters
    ----------
    message : str, optional

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import NegativeCycleError, johnson
    >>> try:
    ...     johnson(tn.array([[0, -1], [-1, 0]]))
    ... except NegativeCycleError as error:
    ...     print(error)
    Negative cycle detected
    """

    def __init__(self, message=""):
        Exception.__init__(self, message)


def _sources(indices, n):
    """Numbers of nodes as a vector of int64 on the host, and the shape that was given."""
    if indices is None:
        return numpy.arange(n), (n,)
    numbers = indices.get() if isinstance(indices, _core.ndarray) else numpy.asarray(indices)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise ValueError(f"indices must be integers, not {numbers.dtype}")
    numbers = numbers.astype(numpy.int64)
    if numbers.ndim > 1:
        raise ValueError(f"indices must have at most one dimension (actual: {numbers.ndim})")
    flat = numpy.where(numbers < 0, numbers + n, numbers).reshape(-1)
    if ((flat < 0) | (flat >= n)).any():
        raise ValueError("indices out of range 0...N")
    return flat, numbers.shape


def _find(csgraph, method, directed, indices, return_predecessors, unweighted, limit=numpy.inf, is_merged=False):
    """Distances, and what else is asked for."""
    graph = as_graph(csgraph)
    n = graph.shape[0]
    numbers, shape = _sources(indices, n)
    if numbers.size == 0 and is_merged:
        raise ValueError("min_only needs a source")
    arrays = lend(graph, unweighted)
    if method == "D" and (arrays[2] < 0).any():
        warnings.warn(
            "Graph has negative weights: dijkstra will give inaccurate results if the graph contains "
            "negative cycles. Consider johnson or bellman_ford.",
            stacklevel=4,
        )
    sources = _core.asarray(numbers)
    if n == 0:
        found = _core.zeros((0, 0)), _core.zeros((0, 0), "i")
    elif arrays[2].device.backend == "host":
        found = _core._csgraph_paths(arrays, sources, _METHODS[method], not directed, is_merged, float(limit))
    else:
        found = _relaxed(arrays, numbers, not directed, is_merged, limit)
    if found[0] is None:
        raise NegativeCycleError("Negative cycle detected")
    if not is_merged:
        found = [None if one is None else one.reshape(shape + (n,)) for one in found]
    if not return_predecessors:
        return found[0]
    return tuple(found) if is_merged else (found[0], found[1])


def _edges(arrays, is_both_ways):
    """The ends of all edges and their weights."""
    edges = sparse.csr_matrix(arrays[2:], shape=arrays[:2]).tocoo()
    come_from, to, weights = edges.row.astype("l"), edges.col.astype("l"), edges.data
    if is_both_ways:
        return _core.concatenate([come_from, to]), _core.concatenate([to, come_from]), _core.concatenate([weights] * 2)
    return come_from, to, weights


def _relaxed(arrays, sources, is_both_ways, is_merged, limit):
    """The paths by rounds over all edges; all None for a cycle of negative weight."""
    n, (come_from, to, weights) = arrays[0], _edges(arrays, is_both_ways)
    sources = _core.asarray(sources)
    lines = _core.zeros(sources.size, dtype="l") if is_merged else _core.arange(sources.size)
    count = 1 if is_merged else sources.size
    distances = _core.full((count, n), numpy.inf)
    distances[lines, sources] = 0
    for _ in range(n + 1):
        shorter = distances.copy()
        _core.minimum.at(shorter, (slice(None), to), distances[:, come_from] + weights)
        if not (shorter < distances).any():
            break
        distances = shorter
    else:
        return None, None, None
    distances = where(distances <= limit, distances, numpy.inf)
    before, origins = _before(distances, lines, sources, come_from, to, weights)
    if is_merged:
        return distances[0], before[0], origins[0]
    return distances, before, None


def _before(distances, lines, sources, come_from, to, weights):
    """The node before each, of a tree that grows from the sources by edges which are as long as the
    distances differ; and where it grows from."""
    before = _core.full(distances.shape, _NONE, dtype="i")
    origins = before.copy()
    origins[lines, sources] = sources.astype("i")
    is_tight = (distances[:, come_from] + weights == distances[:, to]) & _core.isfinite(distances[:, to])
    while True:
        is_next = is_tight & (origins[:, come_from] >= 0) & (origins[:, to] < 0)
        if not is_next.any():
            return before, origins
        new = _core.full(distances.shape, -1, dtype="l")
        _core.maximum.at(new, (slice(None), to), where(is_next, come_from, -1))
        is_new = new >= 0
        before = where(is_new, new, before).astype("i")
        origins = where(is_new, take_along_axis(origins, where(is_new, new, 0), 1), origins)


@beside
@documented
def dijkstra(
    csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False, limit=numpy.inf, min_only=False
):
    """The lengths of shortest paths by Dijkstra's method, for weights that are not negative.

    Parameters
    ----------
    csgraph : sparse matrix or array
        N x N; elements that are stored in a sparse matrix are edges, in an array those that are
        not 0.
    indices : int or array of int, optional
        The nodes from which paths lead; all by default.
    unweighted : bool, optional
        Whether every edge has the length 1.
    limit : float, optional
        Longer paths are none.
    min_only : bool, optional
        Whether there is one path to each node, from the nearest of `indices`.

    Returns
    -------
    dist_matrix : (..., N) ndarray of float64
        Infinite where there is no path.
    predecessors : (..., N) ndarray of int32
        The node before each, -9999 where there is none; only with `return_predecessors`.
    sources : (N,) ndarray of int32
        With `min_only` and `return_predecessors`: the nearest source of each node.

    Raises
    ------
    ValueError
        If an index is no node's.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import dijkstra
    >>> dijkstra(tn.array([[0, 1, 5], [0, 0, 2], [0, 0, 0]]), indices=0)
    array([0., 1., 3.])
    """
    if not limit >= 0:
        raise ValueError("limit must be >= 0")
    return _find(csgraph, "D", directed, indices, return_predecessors, unweighted, limit, min_only)


@beside
def bellman_ford(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False):
    """The lengths of shortest paths by Bellman and Ford's method, for any weights.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted : optional
        As in dijkstra.

    Returns
    -------
    dist_matrix : (..., N) ndarray of float64
    predecessors : (..., N) ndarray of int32
        Only with `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        If a cycle of negative weight can be reached.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import bellman_ford
    >>> bellman_ford(tn.array([[0, 1, 5], [0, 0, -2], [0, 0, 0]]), indices=0)
    array([ 0.,  1., -1.])
    """
    return _find(csgraph, "BF", directed, indices, return_predecessors, unweighted)


@beside
def johnson(csgraph, directed=True, indices=None, return_predecessors=False, unweighted=False):
    """The lengths of shortest paths by Johnson's method, for any weights.

    Parameters
    ----------
    csgraph, directed, indices, return_predecessors, unweighted : optional
        As in dijkstra.

    Returns
    -------
    dist_matrix : (..., N) ndarray of float64
    predecessors : (..., N) ndarray of int32
        Only with `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        If there is a cycle of negative weight.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import johnson
    >>> johnson(tn.array([[0, 1, 5], [0, 0, -2], [0, 0, 0]]), indices=0)
    array([ 0.,  1., -1.])
    """
    return _find(csgraph, "J", directed, indices, return_predecessors, unweighted)


@beside
def floyd_warshall(csgraph, directed=True, return_predecessors=False, unweighted=False, overwrite=False):
    """The lengths of the shortest paths between all nodes by Floyd and Warshall's method, for any
    weights: dense, in N steps.

    Parameters
    ----------
    csgraph, directed, return_predecessors, unweighted : optional
        As in dijkstra.
    overwrite : bool, optional
        No use is made of this permission.

    Returns
    -------
    dist_matrix : (N, N) ndarray of float64
    predecessors : (N, N) ndarray of int32
        Only with `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        If there is a cycle of negative weight.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import floyd_warshall
    >>> floyd_warshall(tn.array([[0, 1, 5], [0, 0, -2], [0, 0, 0]]))
    array([[ 0.,  1., -1.],
           [inf,  0., -2.],
           [inf, inf,  0.]])
    """
    arrays = lend(as_graph(csgraph), unweighted)
    n, (come_from, to, weights) = arrays[0], _edges(arrays, not directed)
    distances = _core.full((n, n), numpy.inf)
    _core.minimum.at(distances, (come_from, to), weights)
    nodes = _core.arange(n)
    before = where(_core.isfinite(distances), nodes[:, None], _NONE).astype("i")
    before[nodes, nodes] = _NONE
    distances[nodes, nodes] = _core.minimum(distances[nodes, nodes], 0)
    for k in range(n):
        through = distances[:, k : k + 1] + distances[k]
        if return_predecessors:
            before = where(through < distances, before[k], before)
        distances = _core.minimum(distances, through, out=through)
    is_negative = distances[nodes, nodes] < 0
    if is_negative.any():
        raise NegativeCycleError(f"Negative cycle in nodes {_core.flatnonzero(is_negative)}")
    return (distances, before) if return_predecessors else distances


@beside
@documented
def shortest_path(
    csgraph, method="auto", directed=True, return_predecessors=False, unweighted=False, overwrite=False, indices=None
):
    """The lengths of shortest paths.

    Parameters
    ----------
    method : {'auto', 'FW', 'D', 'BF', 'J'}, optional
        floyd_warshall, dijkstra, bellman_ford or johnson; by default dijkstra, or johnson if a
        weight is negative.
    directed, return_predecessors, unweighted, indices : optional
        As in dijkstra.

    Returns
    -------
    dist_matrix : (..., N) ndarray of float64
    predecessors : (..., N) ndarray of int32
        Only with `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        If there is a cycle of negative weight.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import shortest_path
    >>> shortest_path(tn.array([[0, 1, 5], [0, 0, 2], [0, 0, 0]]), indices=0)
    array([0., 1., 3.])
    """
    if method not in ("auto", "FW", *_METHODS):
        raise ValueError(f"unrecognized method {method!r}")
    if method == "FW":
        if indices is not None:
            raise ValueError("Cannot specify indices with method == 'FW'.")
        return floyd_warshall(csgraph, directed, return_predecessors, unweighted)
    graph = as_graph(csgraph)
    if method == "auto":
        method = "J" if not unweighted and (lend(graph)[2] < 0).any() else "D"
    return _find(graph, method, directed, indices, return_predecessors, unweighted)
