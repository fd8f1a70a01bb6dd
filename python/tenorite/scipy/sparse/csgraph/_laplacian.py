"""The Laplacian of a graph."""

from tenorite import _core
from tenorite._arguments import as_array, beside
from tenorite._numpy.indexing import where
from tenorite.scipy import sparse
from tenorite.scipy.sparse.linalg import aslinearoperator

__all__ = ["laplacian"]


@beside
def laplacian(
    csgraph,
    normed=False,
    return_diag=False,
    use_out_degree=False,
    *,
    copy=True,
    form="array",
    dtype=None,
    symmetrized=False,
):
    """The Laplacian of a graph: its degrees on the diagonal, less its weights.

    Parameters
    ----------
    csgraph : sparse matrix or array
        N x N.
    normed : bool, optional
        Whether rows and columns are divided by the roots of the degrees.
    return_diag : bool, optional
    use_out_degree : bool, optional
        Whether degrees are the sums of rows, not of columns.
    copy : bool, optional
        The graph is never changed.
    form : {'array', 'function', 'lo'}, optional
        What is given: a matrix as the graph is one, a function that multiplies by it, or a
        LinearOperator.
    dtype : data-type, optional
        That of the graph by default; float64 for integers with `normed`, and for booleans.
    symmetrized : bool, optional
        Whether the transposed graph is added first.

    Returns
    -------
    lap : ndarray, sparse matrix, function or LinearOperator
    diag : (N,) ndarray
        The degrees, or what they were divided by; only with `return_diag`.

    Raises
    ------
    OverflowError
        For unsigned integers without `normed`, whose Laplacian has negative elements.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.sparse.csgraph import laplacian
    >>> laplacian(tn.array([[0, 1], [1, 0]]))
    array([[ 1, -1],
           [-1,  1]])
    """
    is_sparse = sparse.issparse(csgraph)
    graph = csgraph.tocoo() if is_sparse else as_array(csgraph)
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        raise ValueError("csgraph must be a square matrix or array")
    if form not in ("array", "function", "lo"):
        raise ValueError(f"Invalid form: {form!r}")
    if graph.dtype.kind == "b" or (normed and graph.dtype.kind in "ui"):
        graph = graph.astype("d")
    if graph.dtype.kind == "u":
        raise OverflowError(f"the Laplacian of a graph has negative elements, which {graph.dtype} has not")
    dtype = graph.dtype if dtype is None else dtype
    if symmetrized:
        graph = (
            (graph + (graph.T.conj() if graph.dtype.kind == "c" else graph.T)).tocoo()
            if is_sparse
            else (graph + graph.T.conj())
        )
    made = (_of_sparse if is_sparse else _of_dense)(graph, normed, 1 if use_out_degree else 0)
    lap, diag = (one.astype(dtype, copy=False) for one in made)
    if form != "array":
        lap = aslinearoperator(lap)
        lap = lap.dot if form == "function" else lap
    return (lap, diag) if return_diag else lap


def _roots(degrees):
    """What rows and columns are divided by, and the diagonal then: 0 for a node without edges."""
    is_alone = degrees == 0
    return where(is_alone, 1, _core.sqrt(degrees)).astype(degrees.dtype), (~is_alone).astype(degrees.dtype)


def _of_dense(graph, normed, axis):
    graph = graph.copy()
    n = graph.shape[0]
    nodes = _core.arange(n)
    graph[nodes, nodes] = 0
    diag = on_diagonal = graph.sum(axis=axis)
    if normed:
        diag, on_diagonal = _roots(diag)
        graph /= diag
        graph /= diag[:, None]
    graph *= -1
    graph[nodes, nodes] = on_diagonal
    return graph, diag


def _of_sparse(graph, normed, axis):
    n = graph.shape[0]
    is_edge = graph.row != graph.col
    row, column, data = graph.row[is_edge], graph.col[is_edge], graph.data[is_edge]
    graph = sparse.coo_matrix((data, (row, column)), shape=(n, n))
    diag = on_diagonal = as_array(graph.sum(axis=axis)).ravel()
    if normed:
        diag, on_diagonal = _roots(diag)
        data = data / (diag[row] * diag[column])
    nodes = _core.arange(n, dtype=row.dtype)
    entries = _core.concatenate([-data, on_diagonal])
    places = _core.concatenate([row, nodes]), _core.concatenate([column, nodes])
    return sparse.coo_matrix((entries, places), shape=(n, n)).tocsr(), diag
