"""Walks through graphs and the trees that they leave; the work is the host's."""

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite._numpy.indexing import where
from tenorite.scipy import sparse
from tenorite.scipy.sparse.csgraph._documents import documented
from tenorite.scipy.sparse.csgraph._graphs import as_graph, lend, node_of

__all__ = [
    "breadth_first_order",
    "breadth_first_tree",
    "depth_first_order",
    "depth_first_tree",
    "minimum_spanning_tree",
    "reconstruct_path",
]


def _order(csgraph, i_start, directed, is_deep):
    graph = as_graph(csgraph)
    first = node_of(i_start, graph.shape[0])
    return _core._csgraph_traverse(lend(graph), first, is_deep, not directed)


@beside
@documented
def breadth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """The nodes that a node leads to, breadth first.

    Returns
    -------
    node_array : ndarray of int32
        From `i_start` on.
    predecessors : (N,) ndarray of int32
        The node before each, -9999 where there is none; only with `return_predecessors`.

    Raises
    ------
    IndexError
        If `i_start` is no node.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import breadth_first_order
    >>> breadth_first_order(tn.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]]), 0)[0]
    array([0, 1, 2], dtype=int32)
    """
    order, before = _order(csgraph, i_start, directed, False)
    return (order, before) if return_predecessors else order


@beside
@documented
def depth_first_order(csgraph, i_start, directed=True, return_predecessors=True):
    """The nodes that a node leads to, depth first.

    Returns
    -------
    node_array : ndarray of int32
        From `i_start` on.
    predecessors : (N,) ndarray of int32
        The node before each, -9999 where there is none; only with `return_predecessors`.

    Raises
    ------
    IndexError
        If `i_start` is no node.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import depth_first_order
    >>> depth_first_order(tn.array([[0, 1, 1], [0, 0, 0], [0, 1, 0]]), 0)[0]
    array([0, 1, 2], dtype=int32)
    """
    order, before = _order(csgraph, i_start, directed, True)
    return (order, before) if return_predecessors else order


@beside
def reconstruct_path(csgraph, predecessors, directed=True):
    """The tree of the edges that a list of predecessors takes.

    Parameters
    ----------
    csgraph : sparse matrix or array
        N x N.
    predecessors : (N,) ndarray
        The node before each; below 0: none.
    directed : bool, optional
        Whether an edge leads from i to j alone; if not, the lighter of two is taken.

    Returns
    -------
    (N, N) csr_matrix of float64

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import reconstruct_path
    >>> reconstruct_path(tn.array([[0, 7], [0, 0]]), tn.array([-9999, 0])).toarray()
    array([[0., 7.],
           [0., 0.]])
    """
    graph = as_graph(csgraph).astype("d")
    predecessors = as_array(predecessors)
    to = _core.flatnonzero(predecessors >= 0)
    if to.size == 0:  # there are no edges
        return sparse.csr_matrix(graph.shape, dtype="d")
    come_from = predecessors[to]
    weights = as_array(graph[come_from, to]).ravel()
    if not directed:
        back = as_array(graph[to, come_from]).ravel()
        is_back = (weights == 0) | ((back != 0) & (back < weights))
        weights = where(is_back, back, weights)
    return sparse.coo_matrix((weights, (come_from, to)), shape=graph.shape).tocsr()


@beside
@documented
def breadth_first_tree(csgraph, i_start, directed=True):
    """The tree that a walk breadth first leaves.

    Returns
    -------
    (N, N) csr_matrix of float64

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import breadth_first_tree
    >>> breadth_first_tree(tn.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]]), 0).toarray()
    array([[0., 1., 1.],
           [0., 0., 0.],
           [0., 0., 0.]])
    """
    return reconstruct_path(csgraph, _order(csgraph, i_start, directed, False)[1], directed)


@beside
@documented
def depth_first_tree(csgraph, i_start, directed=True):
    """The tree that a walk depth first leaves.

    Returns
    -------
    (N, N) csr_matrix of float64

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import depth_first_tree
    >>> depth_first_tree(tn.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]]), 0).toarray()
    array([[0., 1., 0.],
           [0., 0., 1.],
           [0., 0., 0.]])
    """
    return reconstruct_path(csgraph, _order(csgraph, i_start, directed, True)[1], directed)


@beside
def minimum_spanning_tree(csgraph, overwrite=False):
    """A forest of least weight that connects what a graph connects, whose edges have no direction.

    Parameters
    ----------
    csgraph : sparse matrix or array
        N x N; of the two edges between nodes the lighter counts.
    overwrite : bool, optional
        No use is made of this permission.

    Returns
    -------
    (N, N) csr_matrix of float64

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import minimum_spanning_tree
    >>> minimum_spanning_tree(tn.array([[0, 1, 5], [0, 0, 2], [0, 0, 0]])).toarray()
    array([[0., 1., 0.],
           [0., 0., 2.],
           [0., 0., 0.]])
    """
    graph = as_graph(csgraph)
    arrays = lend(graph)
    is_kept = _core._csgraph_spanning(arrays)
    edges = sparse.csr_matrix(arrays[2:], shape=graph.shape).tocoo()
    kept = edges.data[is_kept], (edges.row[is_kept], edges.col[is_kept])
    return sparse.coo_matrix(kept, shape=graph.shape).tocsr()
