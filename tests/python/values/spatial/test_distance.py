"""tenorite.scipy.spatial.distance against SciPy's."""

import numpy
import pytest
import tenorite as tn
from tenorite.scipy import spatial
from tenorite.scipy.spatial import distance

oracle = pytest.importorskip("scipy.spatial.distance")

NAMES = sorted(oracle._METRICS_NAMES)
WEIGHTED = [name for name in NAMES if name not in ("mahalanobis", "seuclidean", "jensenshannon")]
FLAGS = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
SHAPES = [(7, 9, 5), (35, 70, 300), (3, 3, 1), (130, 66, 17)]


def rows(dtype, count, columns, seed=0):
    random = numpy.random.default_rng(seed + count)
    values = random.random((count, columns)) * 3
    return (values > 1.5).astype(dtype) if dtype == "?" else values.astype(dtype)


def close(found, wanted, dtype):
    exact = 1e-9 if dtype != "f" else 3e-4
    # Differences of nearly equal numbers: cosines near 1, and roots of what is left of them.
    near = 2e-8 if dtype != "f" else 2e-3
    numpy.testing.assert_allclose(found, wanted, rtol=exact, atol=near)


def pair(dtype, shape):
    a, b = rows(dtype, shape[0], shape[2]), rows(dtype, shape[1], shape[2], 1)
    a[:2] = b[:2]
    return a, b


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["d", "f", "e", "i", "?"])
@pytest.mark.parametrize("name", NAMES)
def test_cdist(name, dtype, shape):
    a, b = pair(dtype, shape)
    if name == "mahalanobis" and (shape[0] + shape[1] <= shape[2] or dtype == "?"):
        pytest.skip("no covariance")
    if name == "jensenshannon" and shape[2] == 1:
        pytest.skip("SciPy's are roots of a rounding error, also below 0")
    kwargs = {"p": 3.0} if name == "minkowski" else {}
    found = distance.cdist(tn.asarray(a), tn.asarray(b), name, **kwargs)
    assert found.dtype == ("f" if dtype in "fe" else "d")
    close(
        found.get(),
        oracle.cdist(a.astype("f") if dtype == "e" else a, b, name, **kwargs),
        "f" if dtype == "e" else dtype,
    )
    if name not in ("russellrao", "dice"):
        same = found.get()[[0, 1], [0, 1]]
        assert ((same == 0) | ~numpy.isfinite(same)).all()
    if name != "seuclidean" or shape[0] > 1:
        if name == "mahalanobis" and shape[0] <= shape[2]:
            return
        close(
            distance.pdist(tn.asarray(a), name, **kwargs).get(),
            oracle.pdist(a.astype("f") if dtype == "e" else a, name, **kwargs),
            "f" if dtype == "e" else dtype,
        )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", ["d", "f", "?"])
@pytest.mark.parametrize("name", WEIGHTED)
def test_weights(name, dtype):
    a, b = pair(dtype, (20, 33, 40))
    weights = numpy.random.default_rng(3).random(40)
    weights[5] = 0
    kwargs = {"p": 1.5} if name == "minkowski" else {}
    found = distance.cdist(tn.asarray(a), tn.asarray(b), name, w=tn.asarray(weights), **kwargs)
    wanted = oracle.cdist(a, b, name, w=weights, **kwargs)
    close(found.get(), wanted, dtype)
    assert (distance.cdist(a, b, name, w=weights.tolist(), **kwargs) == found).all() or tn.isnan(found).any()


@pytest.mark.parametrize("p", [0.5, 1, 2, 3, numpy.inf])
def test_minkowski(p):
    a, b = pair("d", (12, 9, 6))
    close(
        distance.cdist(tn.asarray(a), tn.asarray(b), "minkowski", p=p).get(), oracle.cdist(a, b, "minkowski", p=p), "d"
    )
    wanted = oracle.cdist(a, b, "minkowski", p=p)
    if p >= 1:
        close(spatial.distance_matrix(tn.asarray(a), tn.asarray(b), p).get(), wanted, "d")
    close(spatial.minkowski_distance(tn.asarray(a[:9]), tn.asarray(b), p).get(), numpy.diag(wanted[:9]), "d")
    close(distance.pairwise_distance(a, b, metric="minkowski", p=p).get(), wanted, "d")
    power = spatial.minkowski_distance_p(tn.asarray(a[:9]), tn.asarray(b), p).get()
    close(power, numpy.diag(wanted[:9]) ** (p if p < 10 else 1), "d")


def test_given_variances():
    a, b = pair("d", (12, 9, 4))
    variances, inverse = numpy.array([1, 2, 0.5, 4]), numpy.random.default_rng(4).random((4, 4)) + numpy.eye(4) * 4
    for name, kwargs in (("seuclidean", {"V": variances}), ("mahalanobis", {"VI": inverse})):
        found = distance.cdist(a, b, name, **{key: tn.asarray(one) for key, one in kwargs.items()})
        close(found.get(), oracle.cdist(a, b, name, **kwargs), "d")


def test_equal_rows_far_away():
    """Rows that differ little from others: nothing is lost by products."""
    a = 1e9 + numpy.random.default_rng(5).random((40, 64))
    for dtype in "df":
        found = distance.cdist(tn.asarray(a.astype(dtype)), tn.asarray(a.astype(dtype))).get()
        assert (numpy.diag(found) == 0).all()
        numpy.testing.assert_allclose(found, oracle.cdist(a.astype(dtype), a.astype(dtype)), rtol=1e-5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("dice", "jensenshannon", "mahalanobis")])
def test_not_a_number(name):
    a, b = pair("d", (4, 5, 3))
    a[1, 2] = b[3, 0] = numpy.nan
    kwargs = {"V": numpy.ones(3)} if name == "seuclidean" else {}
    found = distance.cdist(tn.asarray(a), tn.asarray(b), name, **kwargs).get()
    wanted = oracle.cdist(a, b, name, **kwargs)
    assert (numpy.isnan(found) == numpy.isnan(wanted)).all()
    close(found, wanted, "d")


def test_layouts():
    wide = rows("d", 40, 30)
    device = tn.asarray(wide)
    for key in ((slice(None, None, 2), slice(None, None, -3)), (slice(None, None, -1), slice(0, 10))):
        a = wide[key]
        wanted = oracle.cdist(a, a, "cityblock")
        close(distance.cdist(device[key], device[key], "cityblock").get(), wanted, "d")
        close(distance.pdist(device[key], "cityblock").get(), oracle.pdist(a, "cityblock"), "d")
    transposed = tn.asarray(wide).T
    close(distance.cdist(transposed, transposed).get(), oracle.cdist(wide.T, wide.T), "d")
    assert distance.cdist(tn.zeros((0, 3)), tn.zeros((4, 3))).shape == (0, 4)
    assert distance.pdist(tn.zeros((1, 3))).shape == (0,)
    assert (distance.cdist(tn.zeros((2, 0)), tn.zeros((3, 0))) == 0).all()


def test_out():
    a, b = pair("f", (12, 9, 6))
    for dtype in "fd":
        out = tn.zeros((12, 9), dtype)
        assert distance.cdist(tn.asarray(a), tn.asarray(b), out=out) is out
        close(out.get(), oracle.cdist(a, b), dtype)
    out = tn.zeros(66)
    assert distance.pdist(tn.asarray(a), "cosine", out=out) is out
    shared = tn.zeros((12, 12))
    shared[...] = tn.asarray(rows("d", 12, 12))
    wanted = oracle.cdist(shared.get(), shared.get())
    distance.cdist(shared, shared, out=shared)
    close(shared.get(), wanted, "d")


def test_functions():
    a, b = pair("d", (3, 4, 5))
    found = distance.cdist(tn.asarray(a), tn.asarray(b), lambda u, v: abs(u - v).sum())
    close(found.get(), oracle.cdist(a, b, "cityblock"), "d")
    close(distance.pdist(tn.asarray(a), distance.cosine).get(), oracle.pdist(a, "cosine"), "d")
    scaled = distance.cdist(tn.asarray(a), tn.asarray(b), lambda u, v, by: by * (u * v).sum(), by=2.0)
    close(scaled.get(), 2 * a @ b.T, "d")


def test_of_distributions():
    a, b = (one / one.sum(axis=1, keepdims=True) for one in pair("d", (6, 7, 8)))
    divergence = (a[:, None] * numpy.log(a[:, None] / b[None])).sum(axis=2)
    close(distance.cdist(a, b, "kl_divergence").get(), divergence, "d")
    hellinger = numpy.sqrt(((numpy.sqrt(a[:, None]) - numpy.sqrt(b[None])) ** 2).sum(axis=2) / 2)
    close(distance.cdist(a, b, "hellinger").get(), hellinger, "d")
    close(distance.kl_divergence(a[0], b[3]).get(), divergence[0, 3], "d")
    close(distance.hellinger(a[0], b[3]).get(), hellinger[0, 3], "d")
    for axis in (0, 1):
        for keepdims in (False, True):
            found = distance.jensenshannon(tn.asarray(a), tn.asarray(b[:6]), 2.0, axis=axis, keepdims=keepdims)
            close(found.get(), oracle.jensenshannon(a, b[:6], 2.0, axis=axis, keepdims=keepdims), "d")


PAIRS = [name for name in NAMES if name not in ("mahalanobis", "seuclidean", "minkowski", "jensenshannon")]


@pytest.mark.parametrize("dtype", ["d", "f", "i", "?"])
@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name, dtype):
    if (name in FLAGS) != (dtype == "?"):
        pytest.skip("of flags, or of numbers")
    u, v = rows(dtype, 2, 30)
    ours, theirs = getattr(distance, name), getattr(oracle, name)
    found = ours(tn.asarray(u), tn.asarray(v))
    assert found.shape == ()
    close(found.get(), theirs(u, v), dtype)
    weights = numpy.random.default_rng(6).random(30)
    close(ours(tn.asarray(u), tn.asarray(v), w=tn.asarray(weights)).get(), theirs(u, v, w=weights), dtype)


def test_other_pairs():
    u, v = rows("d", 2, 5)
    assert float(distance.braycurtis(u, u)) == float(distance.canberra(u, u)) == float(distance.sqeuclidean(u, u)) == 0
    inverse = numpy.eye(5) + 0.1
    close(distance.mahalanobis(u, v, inverse).get(), oracle.mahalanobis(u, v, inverse), "d")
    close(distance.seuclidean(u, v, u + 1).get(), oracle.seuclidean(u, v, u + 1), "d")
    close(distance.minkowski(u, v, 3, w=u).get(), oracle.minkowski(u, v, 3, w=u), "d")
    close(distance.correlation(u, v, centered=False).get(), oracle.correlation(u, v, centered=False), "d")
    close(distance.euclidean(u + 1j, v).get(), oracle.euclidean(u + 1j, v), "d")
    found = distance.directed_hausdorff(tn.asarray(rows("d", 20, 3)), tn.asarray(rows("d", 30, 3)))
    assert found == pytest.approx(oracle.directed_hausdorff(rows("d", 20, 3), rows("d", 30, 3)))


def test_condensed():
    values = rows("d", 1, 45)[0]
    square = distance.squareform(tn.asarray(values))
    assert (square.get() == oracle.squareform(values)).all()
    assert (distance.squareform(square).get() == values).all()
    assert distance.squareform(tn.zeros(0)).shape == (1, 1) and distance.squareform(tn.zeros((1, 1))).shape == (0,)
    assert distance.num_obs_dm(square) == distance.num_obs_y(tn.asarray(values)) == 10
    assert distance.is_valid_dm(square) and distance.is_valid_y(tn.asarray(values))
    assert distance.is_valid_dm(square + 1e-9 * tn.eye(10), tol=1e-6)
    assert not distance.is_valid_y(tn.zeros(7)) and not distance.is_valid_dm(tn.ones((3, 3)))
    with pytest.warns(UserWarning, match="diagonal must be zero"):
        distance.is_valid_dm(tn.ones((3, 3)), warning=True)


A = numpy.arange(12.0).reshape(4, 3)
BAD = {
    "rank": lambda m: m.cdist(A[0], A),
    "rank of b": lambda m: m.cdist(A, A[0]),
    "columns": lambda m: m.cdist(A, A[:, :2]),
    "pdist rank": lambda m: m.pdist(A[0]),
    "unknown": lambda m: m.cdist(A, A, "foo"),
    "no metric": lambda m: m.cdist(A, A, 5),
    "p": lambda m: m.minkowski(A[0], A[1], p=-1),
    "weights": lambda m: m.cdist(A, A, "euclidean", w=[1, -1, 1]),
    "count of weights": lambda m: m.cdist(A, A, "euclidean", w=[1, 1]),
    "rank of weights": lambda m: m.cdist(A, A, "cityblock", w=2),
    "variances": lambda m: m.cdist(A, A, "seuclidean", V=[1, 2]),
    "rank of variances": lambda m: m.cdist(A, A, "seuclidean", V=[[1, 2, 3]]),
    "covariance": lambda m: m.cdist(A[:1], A[:1], "mahalanobis"),
    "complex": lambda m: m.cdist(A + 1j, A, "euclidean"),
    "vector weights": lambda m: m.cityblock(A[0], A[1], w=[-1, 0, 0]),
    "lengths": lambda m: m.hamming(A[0], A[1, :2]),
    "variances of a pair": lambda m: m.seuclidean(A[0], A[1], [1, 2]),
    "complex correlation": lambda m: m.correlation(A[0] + 1j, A[1]),
    "false": lambda m: m.sokalsneath([False], [False]),
    "square": lambda m: m.squareform(A),
    "symmetric": lambda m: m.squareform(A[:3]),
    "count": lambda m: m.squareform(numpy.zeros(4)),
    "ranks": lambda m: m.squareform(numpy.zeros((1, 1, 1))),
    "to matrix": lambda m: m.squareform(A, "tomatrix"),
    "to vector": lambda m: m.squareform(A[0], "tovector"),
    "observations": lambda m: m.num_obs_y(numpy.zeros(0)),
    "no observations": lambda m: m.num_obs_y(numpy.zeros(4)),
    "dm": lambda m: m.num_obs_dm(A[0]),
    "hausdorff": lambda m: m.directed_hausdorff(A, A[:, :2]),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BAD)
def test_errors(name):
    with pytest.raises((TypeError, ValueError)) as wanted:
        BAD[name](oracle)
    with pytest.raises(wanted.type) as found:
        BAD[name](distance)
    assert str(found.value) == str(wanted.value)


def test_our_errors():
    a = tn.zeros((3, 2))
    with pytest.raises(ValueError, match="Input vector should be 1-D"):  # SciPy 1.18 takes matrices
        distance.euclidean(a, a[0])
    for kwargs in ({"p": 2}, {"VI": a}, {"foo": 1}):
        with pytest.raises(TypeError, match="unexpected keyword"):
            distance.cdist(a, a, "euclidean", **kwargs)
    with pytest.raises(ValueError, match="p must be greater than 0"):
        distance.cdist(a, a, "minkowski", p=0)
    for out in (tn.zeros((2, 3)), tn.zeros((3, 3), "i"), tn.zeros((3, 6))[:, ::2]):
        with pytest.raises(ValueError, match="[Oo]ut"):
            distance.cdist(a, a, out=out)
    with pytest.raises(ValueError, match="dimensional vectors"):
        spatial.distance_matrix(a, tn.zeros((3, 4)))
