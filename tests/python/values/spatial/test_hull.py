"""tenorite.scipy.spatial.ConvexHull and Voronoi against SciPy's."""

import numpy
import pytest
import tenorite as tn
from tenorite.scipy.spatial import ConvexHull, QhullError, Voronoi

oracle = pytest.importorskip("scipy.spatial")


def rolled(vertices):
    return numpy.roll(vertices, -int(numpy.argmin(vertices))).tolist()


@pytest.mark.parametrize("count", [3, 10, 500])
def test_plane(count):
    points = numpy.random.default_rng(count).normal(size=(count, 2))
    ours, theirs = ConvexHull(tn.asarray(points)), oracle.ConvexHull(points)
    assert rolled(ours.vertices.get()) == rolled(theirs.vertices) and ours.vertices.dtype == "i4"
    assert ours.area == pytest.approx(theirs.area) and ours.volume == pytest.approx(theirs.volume)
    facets = {frozenset(one): k for k, one in enumerate(theirs.simplices)}
    for facet, plane, beside in zip(ours.simplices.get(), ours.equations.get(), ours.neighbors.get(), strict=True):
        numpy.testing.assert_allclose(plane, theirs.equations[facets[frozenset(facet)]], atol=1e-12)
        for k in range(2):
            assert facet[1 - k] in ours.simplices.get()[beside[k]] and facet[k] not in ours.simplices.get()[beside[k]]
    assert (ours.nsimplex, ours.ndim, ours.npoints) == (len(facets), 2, count)
    assert ours.coplanar.shape == (0, 3) and ours.good is None
    assert (ours.min_bound.get() == points.min(axis=0)).all() and (ours.max_bound.get() == points.max(axis=0)).all()


def test_grid():
    """Points on edges, and equal ones, are no corners."""
    x, y = numpy.meshgrid(numpy.arange(7) * 0.1, numpy.arange(5) * 0.1)
    points = numpy.stack([x.ravel(), y.ravel()], axis=1)
    hull = ConvexHull(tn.asarray(numpy.concatenate([points, points])))
    corners = hull.points[hull.vertices].get()
    assert len(corners) == 4 and hull.volume == pytest.approx(0.24) and hull.area == pytest.approx(2.0)


@pytest.mark.parametrize("axes", [3, 4])
def test_space(axes):
    points = numpy.random.default_rng(axes).random((30, axes))
    ours, theirs = ConvexHull(tn.asarray(points)), oracle.ConvexHull(points)
    for name in ("vertices", "simplices", "neighbors", "equations"):
        assert (getattr(ours, name).get() == getattr(theirs, name)).all()
    assert (ours.area, ours.volume) == (theirs.area, theirs.volume)


def test_incremental():
    points = numpy.random.default_rng(1).random((40, 2))
    hull = ConvexHull(tn.asarray(points[:20]), incremental=True)
    hull.add_points(tn.asarray(points[20:]))
    assert rolled(hull.vertices.get()) == rolled(oracle.ConvexHull(points).vertices)
    hull.close()
    with pytest.raises(RuntimeError, match="incremental"):
        hull.add_points(tn.asarray(points))


def test_voronoi():
    points = numpy.random.default_rng(2).random((20, 2))
    ours, theirs = Voronoi(tn.asarray(points)), oracle.Voronoi(points)
    assert (ours.vertices.get() == theirs.vertices).all() and isinstance(ours.vertices, tn.ndarray)
    assert ours.regions == theirs.regions and (ours.ridge_points.get() == theirs.ridge_points).all()
    with pytest.raises(AttributeError):
        ours.nothing


@pytest.mark.parametrize(
    "points",
    [
        numpy.zeros((0, 2)),
        numpy.zeros((2, 2)),
        numpy.arange(8.0).reshape(4, 2),
        numpy.array([[0, 0], [1, 0], [0, numpy.nan]]),
        numpy.zeros((4, 1)),
        numpy.arange(15.0).reshape(5, 3),
    ],
)
def test_errors(points):
    with pytest.raises((ValueError, oracle.QhullError)) as wanted:
        oracle.ConvexHull(points)
    is_qhull = isinstance(wanted.value, oracle.QhullError)
    with pytest.raises(QhullError if is_qhull else ValueError) as found:
        ConvexHull(tn.asarray(points))
    assert str(found.value)[: 40 if is_qhull else None] == str(wanted.value)[: 40 if is_qhull else None]


def test_our_errors():
    for points in (numpy.zeros((5, 2)), numpy.array([[0, 0], [1, 0], [0, numpy.inf]])):
        with pytest.raises(QhullError):
            ConvexHull(tn.asarray(points))
    with pytest.raises(ValueError, match="2 dimensions"):
        ConvexHull(tn.zeros(4))
