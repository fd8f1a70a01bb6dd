"""tenorite.scipy.spatial.KDTree against SciPy's."""

import numpy
import pytest
import tenorite as tn
from tenorite import _arguments
from tenorite.scipy.spatial import KDTree, cKDTree

oracle = pytest.importorskip("scipy.spatial")

SHAPES = [(1, 2), (5, 1), (20, 3), (700, 3), (900, 2), (600, 4), (500, 10)]
NORMS = [1, 2, 3.5, numpy.inf]


def trees(n, m, box=None, kind="even"):
    random = numpy.random.default_rng(n + m)
    data = random.random((n, m))
    if kind == "grid":
        data = random.integers(0, 4, (n, m)) / 4
    if kind == "far":
        data[: n // 2] *= 1e-6
    x = numpy.concatenate([random.random((150, m)), data[:50]])
    return KDTree(tn.asarray(data), boxsize=box), oracle.KDTree(data, boxsize=box), x


@pytest.mark.parametrize("box", [None, 1.0])
@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("shape", SHAPES)
def test_query(shape, p, box):
    ours, theirs, x = trees(*shape, box)
    for k in (1, 3, 7, 40, [1, 4]):
        distances, numbers = ours.query(tn.asarray(x), k, p=p)
        wanted, wanted_numbers = theirs.query(x, k, p=p)
        assert distances.dtype == "d" and numbers.dtype == "i8"
        numpy.testing.assert_allclose(distances.get(), wanted, rtol=1e-12)
        assert (numbers.get() == wanted_numbers).all()


@pytest.mark.parametrize("kind", ["grid", "far"])
@pytest.mark.parametrize("k", [1, 8, 30])
def test_ties(kind, k):
    """Points at equal distances: distances are SciPy's and the least numbers come first."""
    ours, theirs, x = trees(400, 2, None, kind)
    distances, numbers = (one.get() for one in ours.query(tn.asarray(x), k))
    numpy.testing.assert_array_equal(distances, theirs.query(x, k)[0])
    every = numpy.sqrt(((x[:, None] - theirs.data[None]) ** 2).sum(axis=2))
    order = numpy.argsort(every, axis=1, kind="stable")[:, :k]
    assert (numbers.reshape(len(x), -1) == order).all()


def test_equal_points():
    tree = KDTree(tn.zeros((100, 3)))
    distances, numbers = tree.query(tn.zeros((2, 3)), 5)
    assert (distances == 0).all() and (numbers.get() == numpy.arange(5)).all()
    assert len(tree.query_pairs(0.0)) == 4950


def test_bounds_and_shapes():
    ours, theirs, x = trees(300, 3)
    x = x[:120].reshape(2, 3, 20, 3)
    distances, numbers = ours.query(tn.asarray(x), 4, distance_upper_bound=0.15)
    wanted = theirs.query(x, 4, distance_upper_bound=0.15)
    assert numpy.isinf(wanted[0]).any()
    numpy.testing.assert_allclose(distances.get(), wanted[0], rtol=1e-12)
    assert (numbers.get() == wanted[1]).all()
    near = ours.query(tn.asarray(x), 4, eps=0.5)[0].get()
    exact = theirs.query(x, 4)[0]
    assert (near <= exact * 1.5 + 1e-12).all() and (near >= exact - 1e-12).all()
    one, number = ours.query(tn.asarray(x[0, 0, 0]))
    assert one.shape == number.shape == ()
    assert ours.query(tn.zeros((0, 3)), 2)[0].shape == (0, 2)


def test_many_queries():
    """So many that they are computed in an order of their own; also of a strided array."""
    ours, theirs, _ = trees(2000, 2)
    x = numpy.random.default_rng(1).random((5000, 4))
    distances, numbers = ours.query(tn.asarray(x)[::-1, ::2], 3)
    wanted = theirs.query(x[::-1, ::2], 3)
    numpy.testing.assert_allclose(distances.get(), wanted[0], rtol=1e-12)
    assert (numbers.get() == wanted[1]).all()
    lengths = ours.query_ball_point(tn.asarray(x[:, :2]), 0.1, return_length=True)
    assert (lengths.get() == theirs.query_ball_point(x[:, :2], 0.1, return_length=True)).all()


@pytest.mark.parametrize("box", [None, 1.0, "mixed"])
@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("shape", [(5, 1), (300, 3), (200, 4)])
def test_balls(shape, p, box):
    if box == "mixed":
        box = numpy.where(numpy.arange(shape[1]) % 2, 0.0, 1.5)
    ours, theirs, x = trees(*shape, box)
    radii = numpy.random.default_rng(2).random(len(x)) * 0.5
    wanted = theirs.query_ball_point(x, radii, p)
    found = ours.query_ball_point(tn.asarray(x), tn.asarray(radii), p)
    assert found.shape == wanted.shape and found.tolist() == wanted.tolist()
    assert sorted(ours.query_ball_point(x[0], 0.4, p)) == sorted(theirs.query_ball_point(x[0], 0.4, p))
    assert ours.query_pairs(0.3, p) == theirs.query_pairs(0.3, p)
    pairs = ours.query_pairs(0.3, p, output_type="ndarray").get()
    assert (
        pairs
        == theirs.query_pairs(0.3, p, output_type="ndarray")[:, :2][
            numpy.lexsort(theirs.query_pairs(0.3, p, output_type="ndarray").T[::-1])
        ]
    ).all()


def test_two_trees():
    ours, theirs, x = trees(300, 3)
    other, their_other = KDTree(tn.asarray(x)), oracle.KDTree(x)
    lists = theirs.query_ball_tree(their_other, 0.2)
    assert ours.query_ball_tree(other, 0.2) == [sorted(one) for one in lists]
    wanted = theirs.sparse_distance_matrix(their_other, 0.2, output_type="coo_matrix").toarray()
    matrix = ours.sparse_distance_matrix(other, 0.2)
    numpy.testing.assert_allclose(matrix.toarray().get(), wanted, rtol=1e-12)
    as_dict = ours.sparse_distance_matrix(other, 0.2, output_type="dict")
    assert as_dict.keys() == theirs.sparse_distance_matrix(their_other, 0.2, output_type="dict").keys()
    records = ours.sparse_distance_matrix(other, 0.2, output_type="ndarray")
    assert records.dtype.names == ("i", "j", "v") and len(records) == len(as_dict)
    with pytest.raises(NotImplementedError, match="dok_matrix"):
        ours.sparse_distance_matrix(other, 0.2, output_type="dok_matrix")


@pytest.mark.parametrize("cumulative", [True, False])
def test_counts(cumulative):
    ours, theirs, x = trees(200, 2)
    other, their_other = KDTree(tn.asarray(x)), oracle.KDTree(x)
    radii = [0.1, 0.3, 2.0]
    counts = ours.count_neighbors(other, radii, cumulative=cumulative)
    assert (counts.get() == theirs.count_neighbors(their_other, radii, cumulative=cumulative)).all()
    assert int(ours.count_neighbors(ours, 0.1)) == theirs.count_neighbors(theirs, 0.1)
    random = numpy.random.default_rng(3)
    weights = random.random(ours.n), random.random(other.n)
    for pair in (weights, (None, weights[1]), (weights[0], None)):
        on_device = tuple(one if one is None else tn.asarray(one) for one in pair)
        sums = ours.count_neighbors(other, radii, weights=on_device, cumulative=cumulative)
        wanted = theirs.count_neighbors(their_other, radii, weights=pair, cumulative=cumulative)
        numpy.testing.assert_allclose(sums.get(), wanted, rtol=1e-9)


def test_attributes():
    data = numpy.random.default_rng(4).random((100, 3)).astype("f")
    tree = KDTree(data, leafsize=5, boxsize=[2, 0, 1])
    assert (tree.n, tree.m, tree.leafsize, tree.data.shape, tree.data.dtype) == (100, 3, 5, (100, 3), "d")
    assert (tree.maxes.get() == data.max(axis=0)).all() and (tree.mins.get() == data.min(axis=0)).all()
    assert tree.boxsize.get().tolist() == [2, 0, 1] and tree.size > 0
    assert sorted(tree.indices.get()) == list(range(100))
    assert cKDTree(data).leafsize == 16 and cKDTree(data, copy_data=True).data is not data
    assert isinstance(cKDTree(data).query_pairs(0.1), set)


def test_empty():
    tree = KDTree(tn.zeros((0, 3)))
    distances, numbers = tree.query(tn.zeros((2, 3)), 2)
    assert numpy.isinf(distances.get()).all() and (numbers.get() == 0).all()
    assert tree.query_ball_point(tn.zeros(3), 1.0) == [] and tree.query_pairs(1.0) == set()
    assert int(tree.count_neighbors(tree, 1.0)) == 0


BAD = {
    "complex": lambda m, d: m.KDTree(d + 1j),
    "nan": lambda m, d: m.KDTree(d * numpy.nan),
    "leaf": lambda m, d: m.KDTree(d, leafsize=0),
    "rank": lambda m, d: m.KDTree(d[0]),
    "box": lambda m, d: m.KDTree(d, boxsize=0.5),
    "negative": lambda m, d: m.KDTree(-d, boxsize=0.5),
    "length": lambda m, d: m.KDTree(d).query(d[0, :2]),
    "norm": lambda m, d: m.KDTree(d).query(d, p=0.5),
    "query nan": lambda m, d: m.KDTree(d).query(d * numpy.nan),
    "query complex": lambda m, d: m.KDTree(d).query(d + 1j),
    "workers": lambda m, d: m.KDTree(d).query(d, workers=0),
    "ball length": lambda m, d: m.KDTree(d).query_ball_point(d[0, :2], 1.0),
    "pairs": lambda m, d: m.KDTree(d).query_pairs(1.0, output_type="x"),
    "other": lambda m, d: m.KDTree(d).query_ball_tree(m.KDTree(d[:, :2]), 1.0),
    "counts": lambda m, d: m.KDTree(d).count_neighbors(m.KDTree(d), [[0.1]]),
    "order": lambda m, d: m.KDTree(d).count_neighbors(m.KDTree(d), [0.2, 0.1], cumulative=False),
    "weights": lambda m, d: m.KDTree(d).count_neighbors(m.KDTree(d), 0.1, weights=d[0]),
    "matrix": lambda m, d: m.KDTree(d).sparse_distance_matrix(m.KDTree(d), 0.1, output_type="x"),
}


@pytest.mark.parametrize("name", BAD)
def test_errors(name):
    data = numpy.random.default_rng(5).random((20, 3))
    with pytest.raises((TypeError, ValueError)) as wanted:
        BAD[name](oracle, data)
    with pytest.raises(wanted.type) as found:
        BAD[name](tn.scipy.spatial, tn.asarray(data))
    assert str(found.value) == str(wanted.value)


def test_bad_k():
    tree = KDTree(tn.zeros((3, 2)))
    for k in (0, -1, [0, 1], [-2]):
        with pytest.raises(ValueError, match="k must be"):
            tree.query(tn.zeros(2), k)


def test_lists_under_cupy_s_name(monkeypatch):
    """A process whose `import cupy` is this package gets arrays, as of CuPy."""
    points = numpy.random.default_rng(5).random((40, 2))
    tree, expected = KDTree(tn.asarray(points)), oracle.KDTree(points)
    monkeypatch.setattr(_arguments, "is_cupy", True)
    one = tree.query_ball_point(points[3], 0.3, return_sorted=True)
    assert isinstance(one, tn.ndarray) and one.tolist() == sorted(expected.query_ball_point(points[3], 0.3))
    for found, wanted in (
        (tree.query_ball_point(tn.asarray(points), 0.3), expected.query_ball_point(points, 0.3, return_sorted=True)),
        (tree.query_ball_tree(tree, 0.3), map(sorted, expected.query_ball_tree(expected, 0.3))),
    ):
        assert type(found) is list and all(one.dtype == "i8" for one in found)
        assert [one.tolist() for one in found] == list(wanted)


def test_k_is_none():
    with pytest.raises(ValueError, match="k must be an integer or a sequence"):
        KDTree(tn.zeros((3, 2))).query([0.0, 0.0], k=None)
