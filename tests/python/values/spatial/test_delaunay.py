"""tenorite.scipy.spatial.Delaunay: triangles cover the hull, and no point is within a circle."""

import itertools
from fractions import Fraction

import numpy
import pytest
import tenorite as tn
from tenorite.scipy import spatial
from tenorite.scipy.spatial import Delaunay, QhullError, tsearch

oracle = pytest.importorskip("scipy.spatial")


def grid(n, step=1.0):
    return numpy.stack(numpy.meshgrid(numpy.arange(n) * step, numpy.arange(n) * step), axis=-1).reshape(-1, 2)


def circle(n):
    angles = numpy.arange(n) * 2 * numpy.pi / n
    return numpy.stack([numpy.cos(angles), numpy.sin(angles)], axis=1)


def points_of(kind):
    random = numpy.random.default_rng(7)
    return {
        "random": random.random((300, 2)),
        "three": numpy.array([[0.0, 0], [1, 0], [0, 1]]),
        "grid": grid(12),
        "tenths": grid(12, 0.1),
        "thirds": random.permutation(grid(9) / 3),
        "circle": circle(50),
        "circle and middle": numpy.concatenate([circle(24), [[0, 0]]]),
        "far away": 1e8 + random.random((60, 2)),
        "small": 1e-100 * random.random((60, 2)),
        "large": 1e150 * random.random((60, 2)),
        "line and a point": numpy.concatenate([numpy.stack([numpy.arange(20.0)] * 2, axis=1), [[3, 4]]]),
        "near a line": numpy.stack([numpy.arange(40.0), 1e-15 * random.random(40)], axis=1),
    }[kind]


KINDS = """random,three,grid,tenths,thirds,circle,circle and middle,far away,small,large,line and a point,near a line"""


def exact(points):
    return [tuple(Fraction(float(one)) for one in point) for point in points]


def area(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def in_circle(a, b, c, d):
    rows = [(p[0] - d[0], p[1] - d[1]) for p in (a, b, c)]
    (ax, ay), (bx, by), (cx, cy) = rows
    lifts = [x * x + y * y for x, y in rows]
    return lifts[0] * (bx * cy - by * cx) + lifts[1] * (cx * ay - cy * ax) + lifts[2] * (ax * by - ay * bx)


@pytest.mark.parametrize("kind", KINDS.split(","))
def test_triangles(kind):
    """With exact fractions: anticlockwise, covering the hull, locally and so globally Delaunay."""
    points = points_of(kind)
    made = Delaunay(tn.asarray(points))
    corners, neighbors = made.simplices.get(), made.neighbors.get()
    assert made.simplices.dtype == made.neighbors.dtype == made.coplanar.dtype == "i4"
    assert made.nsimplex == len(corners) and made.npoints == len(points) and made.ndim == 2
    at, whole, edges = exact(points), Fraction(0), {}
    for triangle, beside in zip(corners, neighbors, strict=True):
        a, b, c = (at[k] for k in triangle)
        assert area(a, b, c) > 0
        whole += area(a, b, c)
        for k in range(3):
            edge = triangle[(k + 1) % 3], triangle[(k + 2) % 3]
            assert edge not in edges
            edges[edge] = beside[k]
            if beside[k] < 0:
                continue
            (other,) = set(corners[beside[k]]) - set(edge)
            assert set(edge) <= set(corners[beside[k]]) and in_circle(a, b, c, at[other]) <= 0
    assert all((edges[edge] < 0) == (edge[::-1] not in edges) for edge in edges)
    outline = [edge for edge in edges if edges[edge] < 0]
    hull = sum(at[a][0] * at[b][1] - at[a][1] * at[b][0] for a, b in outline)
    assert hull == whole
    assert set(corners.reshape(-1)) | set(made.coplanar.get()[:, 0]) == set(range(len(points)))


def test_same_triangles():
    points = points_of("random")
    ours, theirs = Delaunay(tn.asarray(points)), oracle.Delaunay(points)
    sets = {frozenset(one) for one in theirs.simplices}
    assert {frozenset(one) for one in ours.simplices.get()} == sets
    assert {frozenset(one) for one in ours.convex_hull.get()} == {frozenset(one) for one in theirs.convex_hull}
    for mine, wanted in ((ours.vertex_neighbor_vertices, theirs.vertex_neighbor_vertices),):
        (starts, numbers), (their_starts, their_numbers) = (
            tuple(map(numpy.asarray, mine_[:2])) for mine_ in ([one.get() for one in mine], wanted)
        )
        assert (starts == their_starts).all() and starts.dtype == numbers.dtype == "i4"
        for k in range(len(points)):
            assert set(numbers[starts[k] : starts[k + 1]]) == set(their_numbers[starts[k] : starts[k + 1]])
    simplex = ours.vertex_to_simplex.get()
    assert all(k in ours.simplices.get()[simplex[k]] for k in range(len(points)))
    assert (ours.min_bound.get() == points.min(axis=0)).all() and (ours.max_bound.get() == points.max(axis=0)).all()
    assert ours.good.shape == (ours.nsimplex,) and (ours.vertices == ours.simplices).all()


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_squares_are_cut_as_qhull_does(order):
    points = numpy.array([[0.0, 0], [0, 1], [1, 1], [1, 0]])[list(order)]
    made = {tuple(sorted(one)) for one in Delaunay(tn.asarray(points)).simplices.tolist()}
    assert made == {tuple(sorted(one)) for one in oracle.Delaunay(points).simplices.tolist()}


def test_points_of_a_circle_have_edges_to_the_last():
    twelve = [(5, 0), (4, 3), (3, 4), (0, 5), (-3, 4), (-4, 3), (-5, 0), (-4, -3), (-3, -4), (0, -5), (3, -4), (4, -3)]
    for last in range(12):
        points = numpy.array(twelve[last + 1 :] + twelve[: last + 1], dtype="d")
        made = Delaunay(tn.asarray(points)).simplices
        assert made.shape == (10, 3) and bool((made == 11).any(axis=1).all())


def test_transform():
    points = points_of("random")
    made = Delaunay(tn.asarray(points))
    transform, corners = made.transform.get(), points[made.simplices.get()]
    for k in range(3):
        parts = numpy.einsum("tij,tj->ti", transform[:, :2], corners[:, k] - transform[:, 2])
        assert numpy.allclose(parts, numpy.eye(3)[k, :2], atol=1e-6)
    flat = Delaunay(tn.asarray(points_of("near a line"))).transform.get()
    assert numpy.isnan(flat).any()


@pytest.mark.parametrize("shape", [(2,), (0, 2), (40, 2), (3, 5, 2), (6000, 2)])
def test_find_simplex(shape):
    points = numpy.random.default_rng(8).random((1500, 2))
    ours, theirs = Delaunay(tn.asarray(points)), oracle.Delaunay(points)
    x = numpy.random.default_rng(9).random(shape) * 1.4 - 0.2
    found, wanted = ours.find_simplex(tn.asarray(x)), theirs.find_simplex(x)
    assert found.dtype == "i4" and found.shape == shape[:-1]
    mine, simplices = found.get().reshape(-1), ours.simplices.get()
    for mine_, wanted_ in zip(mine, numpy.reshape(wanted, -1), strict=True):
        assert (mine_ < 0) == (wanted_ < 0)
        assert mine_ < 0 or set(simplices[mine_]) == set(theirs.simplices[wanted_])
    assert (tsearch(ours, tn.asarray(x)) == found).all()


def test_find_simplex_at_edges():
    """Corners and middles of edges are found; NaN and infinite points are not."""
    points = grid(40, 0.1)
    made = Delaunay(tn.asarray(points))
    for x in (points, (points[:-1] + points[1:]) / 2):
        assert (made.find_simplex(tn.asarray(x)) >= 0).all() or x is not points
    bad = tn.array([[numpy.nan, 0.5], [numpy.inf, 0.5], [0.5, -numpy.inf], [50.0, 1.0]])
    assert (made.find_simplex(bad) == -1).all()
    assert int(made.find_simplex(tn.array([-0.05, 0.05]), tol=1.0)) >= 0


def test_paraboloid():
    points = points_of("random")
    made = Delaunay(tn.asarray(points))
    lifted = made.lift_points(made.points).get()
    planes, corners = made.equations.get(), made.simplices.get()
    for k in range(3):
        parts = (planes[:, :-1] * lifted[corners[:, k]]).sum(axis=1) + planes[:, -1]
        assert numpy.allclose(parts, 0, atol=1e-9)
    assert (planes[:, 2] < 0).all() and numpy.allclose((planes[:, :3] ** 2).sum(axis=1), 1)
    distances = made.plane_distance(made.points).get()
    assert distances.shape == (300, made.nsimplex) and (distances <= 1e-9).all()


def test_equal_points():
    points = numpy.concatenate([grid(6), grid(6)[::-1]])
    made = Delaunay(tn.asarray(points))
    coplanar = made.coplanar.get()
    assert coplanar.shape == (36, 3) and (coplanar[:, 0] >= 36).all()
    assert (points[coplanar[:, 0]] == points[coplanar[:, 2]]).all()
    assert all(corner in made.simplices.get()[triangle] for _, triangle, corner in coplanar)
    assert (made.vertex_to_simplex.get()[36:] == -1).all()


def test_incremental():
    points = points_of("random")
    made = Delaunay(tn.asarray(points[:100]), incremental=True)
    made.convex_hull
    made.add_points(tn.asarray(points[100:]))
    assert (made.simplices == Delaunay(tn.asarray(points)).simplices).all() and made.npoints == 300
    made.close()
    with pytest.raises(RuntimeError, match="incremental"):
        made.add_points(tn.asarray(points))


@pytest.mark.parametrize("options", [{}, {"furthest_site": True}, {"qhull_options": "Qbb Qc Qz Q12 QJ"}])
@pytest.mark.parametrize("axes", [2, 3, 4])
def test_through_scipy(axes, options):
    points = numpy.random.default_rng(10).random((30, axes))
    if axes == 2 and not options:
        pytest.skip("a plane is our own")
    ours, theirs = Delaunay(tn.asarray(points), **options), oracle.Delaunay(points, **options)
    assert isinstance(ours.simplices, tn.ndarray)
    for name in ("simplices", "neighbors", "equations", "coplanar", "convex_hull", "transform", "vertex_to_simplex"):
        assert numpy.array_equal(getattr(ours, name).get(), getattr(theirs, name), equal_nan=True) or options
    x = numpy.random.default_rng(11).random((20, axes))
    if not options:
        assert (ours.find_simplex(tn.asarray(x)).get() == theirs.find_simplex(x)).all()
        assert (ours.vertex_neighbor_vertices[0].get() >= 0).all()


BAD = {
    "none": numpy.zeros((0, 2)),
    "two": numpy.zeros((2, 2)),
    "line": numpy.arange(8.0).reshape(4, 2),
    "rank": numpy.arange(4.0),
    "nan": numpy.array([[0, 0], [1, 0], [0, numpy.nan]]),
    "one axis": numpy.zeros((4, 1)),
    "flat in space": numpy.arange(15.0).reshape(5, 3),
}


@pytest.mark.parametrize("name", BAD)
def test_errors(name):
    points = BAD[name]
    with pytest.raises((ValueError, oracle.QhullError)) as wanted:
        oracle.Delaunay(points)
    is_qhull = isinstance(wanted.value, oracle.QhullError)
    with pytest.raises(QhullError if is_qhull else ValueError) as found:
        Delaunay(tn.asarray(points))
    assert str(found.value)[: 40 if is_qhull else None] == str(wanted.value)[: 40 if is_qhull else None]
    with pytest.raises(ValueError, match="wrong dimensionality in xi"):
        Delaunay(tn.asarray(grid(3))).find_simplex(tn.zeros(3))


def test_all_equal_points():
    for points in (tn.zeros((5, 2)), tn.array([[0, 0], [1, 0], [0, numpy.inf]])):
        with pytest.raises(QhullError):
            spatial.Delaunay(points)
