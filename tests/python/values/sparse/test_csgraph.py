"""tenorite.scipy.sparse.csgraph against SciPy: lengths of paths are equal, and trees of
predecessors have them."""

import numpy
import pytest
import tenorite as tn
from tenorite.scipy import sparse
from tenorite.scipy.sparse import csgraph
from tenorite.scipy.sparse.csgraph import _paths

oracle = pytest.importorskip("scipy.sparse.csgraph")
NONE = -9999


def graph_of(seed, n=30, density=0.1, low=0.1):
    rng = numpy.random.default_rng(seed)
    weights = rng.uniform(low, 2, (n, n)).round(2) * (rng.random((n, n)) < density)
    numpy.fill_diagonal(weights, 0)
    return weights


def without_cycles(seed, n=30):
    """Edges lead to greater nodes alone, some with negative weights."""
    return numpy.triu(graph_of(seed, n, 0.2, -1.0), 1)


def check_tree(weights, distances, before, sources, directed=True):
    """A node's distance is that of the node before it and the edge between."""
    edges = numpy.where(weights != 0, weights, numpy.inf)
    if not directed:
        edges = numpy.minimum(edges, edges.T)
    for row, source in enumerate(sources):
        for node in range(len(weights)):
            last = before[row, node]
            if last == NONE:
                assert node == source or numpy.isinf(distances[row, node])
            else:
                assert numpy.isclose(distances[row, node], distances[row, last] + edges[last, node])


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("unweighted", [True, False])
@pytest.mark.parametrize("method", ["D", "BF", "J", "FW", "auto"])
def test_shortest_paths(method, unweighted, directed):
    weights = graph_of(len(method))
    wanted = oracle.shortest_path(weights, "D", directed, unweighted=unweighted)
    for graph in (tn.asarray(weights), sparse.csr_matrix(tn.asarray(weights)), sparse.csc_matrix(tn.asarray(weights))):
        found, before = csgraph.shortest_path(graph, method, directed, return_predecessors=True, unweighted=unweighted)
        assert found.dtype == "d" and before.dtype == "i"
        numpy.testing.assert_allclose(found.get(), wanted, rtol=1e-12)
        ones = (weights != 0) * 1.0 if unweighted else weights
        check_tree(ones, found.get(), before.get(), range(len(weights)), directed)
    alone = csgraph.shortest_path(tn.asarray(weights), method, directed, unweighted=unweighted)
    assert (alone == found).all()


@pytest.mark.parametrize("function", ["bellman_ford", "johnson", "floyd_warshall", "shortest_path"])
def test_negative_weights(function):
    weights = without_cycles(3)
    call = getattr(csgraph, function)
    found, before = call(tn.asarray(weights), return_predecessors=True)
    numpy.testing.assert_allclose(found.get(), oracle.bellman_ford(weights), atol=1e-12)
    check_tree(weights, found.get(), before.get(), range(len(weights)))
    with pytest.raises(csgraph.NegativeCycleError):
        call(tn.array([[0, 1, 0], [0, 0, -3], [1, 0, 0]]))
    with pytest.raises(csgraph.NegativeCycleError):
        call(tn.array([[0, -1], [0, 0]]), directed=False)


def test_dijkstra_takes_negative_weights_with_a_warning():
    with pytest.warns(UserWarning, match="negative weights"):
        csgraph.dijkstra(tn.array([[0, -1], [0, 0]]))


@pytest.mark.parametrize("indices", [3, [3], [0, 7, 3], -1, numpy.array([5, 5]), []])
def test_indices(indices):
    weights = graph_of(5)
    wanted = oracle.dijkstra(weights, indices=indices)
    for call in (csgraph.dijkstra, csgraph.bellman_ford, csgraph.johnson, csgraph.shortest_path):
        found = call(sparse.csr_matrix(tn.asarray(weights)), indices=indices)
        assert found.shape == wanted.shape
        numpy.testing.assert_allclose(found.get(), wanted, rtol=1e-12)


def test_limit_and_nearest_source():
    weights = graph_of(6)
    graph = sparse.csr_matrix(tn.asarray(weights))
    found = csgraph.dijkstra(graph, limit=1.5)
    numpy.testing.assert_allclose(found.get(), oracle.dijkstra(weights, limit=1.5), rtol=1e-12)
    wanted = oracle.dijkstra(weights, indices=[2, 9], min_only=True)
    distances, before, sources = csgraph.dijkstra(graph, indices=[2, 9], min_only=True, return_predecessors=True)
    numpy.testing.assert_allclose(distances.get(), wanted, rtol=1e-12)
    assert before.shape == sources.shape == (30,) and sources.dtype == before.dtype == "i"
    own = csgraph.dijkstra(graph, indices=[2, 9]).get()
    for node, source in enumerate(sources.get()):
        assert numpy.isinf(wanted[node]) if source == NONE else own[[2, 9].index(source), node] == wanted[node]
    assert (csgraph.dijkstra(graph, indices=[2, 9], min_only=True) == distances).all()


def test_relaxed_paths():
    """What other devices compute by; here on arrays of any."""
    for weights, is_both_ways in ((graph_of(8), False), (graph_of(9), True), (without_cycles(4), False)):
        graph = sparse.csr_matrix(tn.asarray(weights))
        arrays = (*graph.shape, graph.data, graph.indices, graph.indptr)
        sources = numpy.array([0, 4, 17])
        distances, before, _ = _paths._relaxed(arrays, sources, is_both_ways, False, numpy.inf)
        wanted = oracle.bellman_ford(weights, not is_both_ways, indices=sources)
        numpy.testing.assert_allclose(distances.get(), wanted, atol=1e-12)
        check_tree(weights, distances.get(), before.get(), sources, not is_both_ways)
        found = _paths._relaxed(arrays, sources, is_both_ways, True, numpy.inf)
        numpy.testing.assert_allclose(found[0].get(), wanted.min(axis=0), atol=1e-12)
    circle = sparse.csr_matrix(tn.array([[0.0, -1], [-1, 0]]))
    assert _paths._relaxed((2, 2, circle.data, circle.indices, circle.indptr), [0], False, False, 1.0)[0] is None


@pytest.mark.parametrize("directed", [True, False])
def test_walks(directed):
    for seed in range(4):
        weights = graph_of(seed, density=0.06)
        graph = sparse.csr_matrix(tn.asarray(weights))
        for name in ("breadth_first_order", "depth_first_order"):
            order, before = getattr(csgraph, name)(graph, seed, directed)
            wanted_order, wanted_before = getattr(oracle, name)(weights, seed, directed)
            assert order.dtype == before.dtype == "i"
            assert order.get().tolist() == wanted_order.tolist()
            assert before.get().tolist() == wanted_before.tolist()
            assert (getattr(csgraph, name)(graph, seed, directed, return_predecessors=False) == order).all()
        for name in ("breadth_first_tree", "depth_first_tree"):
            tree = getattr(csgraph, name)(graph, seed, directed)
            numpy.testing.assert_array_equal(
                tree.get().toarray(), getattr(oracle, name)(weights, seed, directed).toarray()
            )
        before = tn.asarray(oracle.breadth_first_order(weights, seed, directed)[1])
        assert (
            csgraph.reconstruct_path(graph, before, directed).toarray()
            == csgraph.breadth_first_tree(graph, seed, directed).toarray()
        ).all()


def test_spanning_tree():
    for seed in range(4):
        weights = graph_of(seed)
        tree = csgraph.minimum_spanning_tree(tn.asarray(weights))
        wanted = oracle.minimum_spanning_tree(weights)
        assert tree.nnz == wanted.nnz and numpy.isclose(float(tree.sum()), wanted.sum())
        chosen = tree.get().toarray()
        assert (chosen[chosen != 0] == weights[chosen != 0]).all()


@pytest.mark.parametrize("normed", [True, False])
@pytest.mark.parametrize("use_out_degree", [True, False])
def test_laplacian(normed, use_out_degree):
    weights = graph_of(2)
    weights[4] = weights[:, 4] = 0
    options = {"normed": normed, "use_out_degree": use_out_degree, "return_diag": True}
    wanted, degrees = oracle.laplacian(weights, **options)
    for graph in (tn.asarray(weights), sparse.csr_matrix(tn.asarray(weights))):
        found, diag = csgraph.laplacian(graph, **options)
        assert sparse.issparse(found) == sparse.issparse(graph)
        found = found.toarray() if sparse.issparse(found) else found
        numpy.testing.assert_allclose(found.get(), wanted, atol=1e-12)
        numpy.testing.assert_allclose(diag.get(), degrees, atol=1e-12)
        numpy.testing.assert_allclose(
            csgraph.laplacian(graph, form="lo").matvec(tn.ones(30)).get(),
            oracle.laplacian(weights).sum(axis=1),
            atol=1e-12,
        )
    symmetric = csgraph.laplacian(tn.asarray(weights), symmetrized=True).get()
    numpy.testing.assert_allclose(symmetric, oracle.laplacian(weights, symmetrized=True), atol=1e-12)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "u8", "f4", "c8"])
@pytest.mark.parametrize("normed", [True, False])
def test_dtypes_of_laplacians(dtype, normed):
    """SciPy's, but that it refuses booleans, and most unsigned integers with `normed`."""
    weights = numpy.array([[5, 1, 0], [2, 0, 3], [0, 0, 1]]).astype(dtype)
    signed = weights.astype("d") if dtype == "?" or (normed and dtype[0] == "u") else weights
    for graph in (tn.asarray(weights), sparse.csr_matrix(tn.asarray(weights))):
        for asked in (None, "f4", "i8"):
            options = {"normed": normed, "return_diag": True, "symmetrized": True, "dtype": asked}
            if signed.dtype.kind == "u":
                with pytest.raises(OverflowError, match=f"negative elements, which {signed.dtype} has not"):
                    csgraph.laplacian(graph, **options)
                continue
            wanted, degrees = oracle.laplacian(signed, **options)
            found, diag = csgraph.laplacian(graph, **options)
            found = found.toarray() if sparse.issparse(found) else found
            assert found.dtype == wanted.dtype and diag.dtype == degrees.dtype
            numpy.testing.assert_allclose(found.get(), wanted, rtol=1e-6)
            numpy.testing.assert_allclose(diag.get(), degrees, rtol=1e-6)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_paths_of_no_nodes(kind):
    graph = tn.zeros((0, 0)) if kind == "dense" else sparse.csr_matrix((0, 0))
    for method in ("auto", "FW", "D", "BF", "J"):
        lengths, before = csgraph.shortest_path(graph, method, return_predecessors=True)
        assert lengths.shape == before.shape == (0, 0) and lengths.dtype == float and before.dtype == numpy.int32
    assert csgraph.dijkstra(graph, indices=[]).shape == (0, 0)
    with pytest.raises(ValueError, match="needs a source"):
        csgraph.dijkstra(graph, indices=[], min_only=True)


def test_refusals():
    graph = tn.asarray(graph_of(1))
    for call, error in [
        (lambda: csgraph.dijkstra(graph, indices=30), ValueError),
        (lambda: csgraph.dijkstra(graph, limit=-1), ValueError),
        (lambda: csgraph.dijkstra(graph[:2]), ValueError),
        (lambda: csgraph.johnson(graph, indices=[[1]]), ValueError),
        (lambda: csgraph.shortest_path(graph, "X"), ValueError),
        (lambda: csgraph.shortest_path(graph, "FW", indices=[0]), ValueError),
        (lambda: csgraph.breadth_first_order(graph, 30), IndexError),
        (lambda: csgraph.depth_first_order(graph, -1), IndexError),
        (lambda: csgraph.laplacian(graph[0]), ValueError),
        (lambda: csgraph.laplacian(graph, form="x"), ValueError),
    ]:
        with pytest.raises(error):
            call()


def test_edges_of_arrays():
    """0, infinities and NaN are no edges of an array; a stored 0 of a sparse matrix is one."""
    found = csgraph.dijkstra(tn.array([[0, numpy.inf, 1], [numpy.nan, 0, 0], [0, 0, 0]]), indices=0)
    assert found.get().tolist() == [0, numpy.inf, 1]
    graph = sparse.csr_matrix((tn.array([0.0]), tn.array([1]), tn.array([0, 1, 1])), shape=(2, 2))
    assert csgraph.dijkstra(graph, indices=0).get().tolist() == [0, 0]


def test_hostile_structure():
    graph = sparse.csr_matrix(tn.eye(3))
    graph.indices = tn.array([0, 7, 1], dtype="i")
    for call in (csgraph.dijkstra, csgraph.minimum_spanning_tree, lambda g: csgraph.breadth_first_order(g, 0)):
        if tn.empty(0).device.backend == "host":
            with pytest.raises(ValueError, match="broken"):
                call(graph)
