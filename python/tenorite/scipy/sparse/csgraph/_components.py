"""Components of graphs."""

from tenorite import _core
from tenorite._arguments import beside
from tenorite._numpy.indexing import where
from tenorite.scipy.sparse.csgraph._graphs import as_graph

__all__ = ["connected_components"]


@beside
def connected_components(csgraph, directed=True, connection="weak", return_labels=True):
    """The connected components of a graph; waits for each round of labels.

    Parameters
    ----------
    csgraph : sparse matrix or array
        N x N; elements that are stored in a sparse matrix are edges, in an array those that are
        not 0.
    directed : bool, optional
        Whether an edge leads from i to j alone.
    connection : {'weak', 'strong'}, optional
        For directed graphs: whether nodes belong together that edges connect in some direction, or
        only those that reach each other.
    return_labels : bool, optional

    Returns
    -------
    n_components : int
    labels : (N,) ndarray of int32
        The component of each node; only with `return_labels`.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse import csr_matrix
    >>> from tenorite.scipy.sparse.csgraph import connected_components
    >>> connected_components(csr_matrix(tn.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]])))
    (2, array([0, 0, 1], dtype=int32))
    """
    if str(connection).lower() not in ("weak", "strong"):
        raise ValueError("connection must be 'weak' or 'strong'")
    edges = as_graph(csgraph).tocoo()
    n = edges.shape[0]
    rows, columns = edges.row.astype("l"), edges.col.astype("l")
    if directed and str(connection).lower() == "strong":
        roots = _strong(rows, columns, n)
    else:
        roots = _weak(rows, columns, n)
    is_root = roots == _core.arange(n)
    count = int(is_root.sum())
    if not return_labels:
        return count
    return count, (is_root.cumsum() - 1)[roots].astype("i")


def _weak(rows, columns, n):
    """The least node of each component. Nodes of one label lie together, and their label is the
    least of them; each round gives labels to labels: the least that an edge leads to."""
    labels = _core.arange(n)
    while rows.size:
        least = labels.copy()
        at_rows, at_columns = labels[rows], labels[columns]
        lower = _core.minimum(at_rows, at_columns)
        _core.minimum.at(least, at_rows, lower)
        _core.minimum.at(least, at_columns, lower)
        while True:
            further = least[least]
            if not (further != least).any():
                break
            least = further
        if not (least != labels).any():
            break
        labels = least
        is_open = labels[rows] != labels[columns]
        rows, columns = rows[is_open], columns[is_open]
    return labels


def _strong(rows, columns, n):
    """A node of each strong component, the greatest. Each pass gives every node that is left the
    greatest node that reaches it; those of a greatest node's own number that reach it back are its
    component (Orzan, On distributed verification and verified distribution, 2004)."""
    nodes = _core.arange(n)
    roots = nodes.copy()
    is_left = _core.ones(n, dtype=bool)
    while rows.size:
        colors = _reach(where(is_left, nodes, -1), rows, columns, _core.maximum.at)
        same = colors[rows] == colors[columns]
        marks = (colors == nodes) & is_left
        reached = _reach(marks.astype("l"), columns[same], rows[same], _core.maximum.at).astype(bool) & is_left
        roots = where(reached, colors, roots)
        is_left &= ~reached
        is_open = is_left[rows] & is_left[columns]
        rows, columns = rows[is_open], columns[is_open]
    return roots


def _reach(values, sources, targets, scatter):
    """What values become that run along edges until they change no more."""
    while True:
        further = values.copy()
        scatter(further, targets, values[sources])
        if not (further != values).any():
            return further
        values = further
