"""Convex hulls, Voronoi's diagrams and Minkowski's distances of points."""

import numpy

import tenorite
from tenorite import _core
from tenorite.scipy.spatial._qhull import attribute_of, call_qhull, check_points, few_points, flat_points, on_device

__all__ = ["ConvexHull", "Voronoi", "minkowski_distance", "minkowski_distance_p"]


class ConvexHull:
    """The convex hull of points.

    In a plane it is made by exact decisions, on the host's cores for every device. Points in more
    dimensions, and options of Qhull's, go through SciPy, which must be installed.

    Parameters
    ----------
    points : array_like, shape (n, d)
    incremental : bool, optional
        Whether `add_points` may follow.
    qhull_options : str, optional
        Through SciPy.

    Attributes
    ----------
    points : ndarray, shape (n, d)
    vertices : ndarray of int32
        Numbers of the corners; in a plane anticlockwise.
    simplices : ndarray of int32, shape (count, d)
        Numbers of the corners of each facet.
    neighbors : ndarray of int32, shape (count, d)
        The facet opposite to each corner.
    equations : ndarray, shape (count, d + 1)
        The normal outwards and the offset of each facet.
    area, volume : float
        In a plane the length around and the area.
    coplanar : ndarray of int32, shape (0, 3)
    min_bound, max_bound : ndarray, shape (d,)

    Raises
    ------
    QhullError
        For points that lie on a line, and fewer than d + 1.
    ValueError
        For NaN, no points, and another number of axes.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial import ConvexHull
    >>> hull = ConvexHull(tn.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [2.0, 1.0], [0.0, 1.0]]))
    >>> hull.vertices, hull.volume, hull.area
    (array([0, 1, 3, 4], dtype=int32), 2.0, 6.0)
    """

    def __init__(self, points, incremental=False, qhull_options=None):
        self.points = check_points(points)
        self._incremental, self._options = incremental, qhull_options
        self._surround()

    def _surround(self):
        self.npoints, self.ndim = self.points.shape
        self.min_bound, self.max_bound = self.points.min(axis=0), self.points.max(axis=0)
        self.good = None
        if self.ndim != 2 or self._options is not None:
            self._qhull = call_qhull(
                "ConvexHull", self.points, incremental=self._incremental, qhull_options=self._options
            )
            for name in ("vertices", "simplices", "neighbors", "equations", "coplanar", "area", "volume", "nsimplex"):
                setattr(self, name, on_device(getattr(self._qhull, name)))
            return
        if self.npoints < 3:
            raise few_points(self.npoints, 3)
        if not bool(tenorite.isfinite(self.points).all()):
            raise flat_points()
        turns = tenorite.lexsort(_core.stack([self.points[:, 1], self.points[:, 0]]))
        try:
            corners = _core._hull(self.points, turns)
        except ValueError:
            raise flat_points() from None
        self._set(corners)

    def _set(self, corners):
        """What is known of corners in a plane."""
        after = tenorite.roll(corners, -1)
        self.vertices = corners.astype("i4")
        self.nsimplex = count = corners.size
        self.simplices = _core.stack([corners, after], axis=1).astype("i4")
        numbers = _core.arange(count)
        self.neighbors = _core.stack([(numbers + 1) % count, (numbers - 1) % count], axis=1).astype("i4")
        self.coplanar = _core.empty((0, 3), "i4")
        at, to = self.points[corners], self.points[after]
        step = to - at
        length = tenorite.sqrt((step * step).sum(axis=1))
        normal = _core.stack([step[:, 1], -step[:, 0]], axis=1) / length[:, None]
        self.equations = _core.concatenate([normal, -(normal * at).sum(axis=1)[:, None]], axis=1)
        at, to = at - at[0], to - at[0]
        self.volume = float((at[:, 0] * to[:, 1] - at[:, 1] * to[:, 0]).sum()) / 2
        self.area = float(length.sum())

    def __getattr__(self, name):
        return attribute_of(self, name)

    def add_points(self, points, restart=False):
        """Adds points; the hull is made anew.

        Parameters
        ----------
        points : array_like, shape (m, d)
        restart : bool, optional
            Taken and not used.

        Raises
        ------
        RuntimeError
            If the hull is not incremental.
        ValueError
            For points of another length.

        Examples
        --------
        >>> from tenorite.scipy.spatial import ConvexHull
        >>> hull = ConvexHull([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], incremental=True)
        >>> hull.add_points([[1.0, 1.0]])
        >>> hull.volume
        1.0
        """
        if not self._incremental:
            raise RuntimeError("incremental mode not enabled or already closed")
        points = check_points(points)
        if points.shape[1] != self.ndim:
            raise ValueError("invalid size for new points array")
        self.points = _core.concatenate([self.points, points])
        self._surround()

    def close(self):
        """Ends incremental mode.

        Examples
        --------
        >>> from tenorite.scipy.spatial import ConvexHull
        >>> ConvexHull([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], incremental=True).close()
        """
        self._incremental = False


class Voronoi:
    """Voronoi's diagram of points, through SciPy, which must be installed.

    Parameters
    ----------
    points : array_like, shape (n, d)
    furthest_site : bool, optional
    incremental : bool, optional
    qhull_options : str, optional

    Attributes
    ----------
    points, vertices : ndarray
    ridge_points, ridge_vertices, regions, point_region
        SciPy's; its arrays are on the device.

    Raises
    ------
    QhullError
        For points that have no diagram.
    ImportError
        If SciPy is not there.

    Examples
    --------
    >>> from tenorite.scipy.spatial import Voronoi
    >>> Voronoi([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0]]).vertices
    array([[1., 1.]])
    """

    def __init__(self, points, furthest_site=False, incremental=False, qhull_options=None):
        self.points = check_points(points)
        options = {"furthest_site": furthest_site, "incremental": incremental, "qhull_options": qhull_options}
        self._qhull = call_qhull("Voronoi", self.points, **options)

    def __getattr__(self, name):
        return attribute_of(self, name)


def minkowski_distance_p(x, y, p=2.0):
    """The power p of Minkowski's distance along the last axis.

    Parameters
    ----------
    x, y : array_like
        Shapes broadcast.
    p : float, optional
        1 to infinity, where it is the distance.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> from tenorite.scipy.spatial import minkowski_distance_p
    >>> minkowski_distance_p([[0, 0], [0, 0]], [[1, 1], [0, 1]])
    array([2., 1.])
    """
    x, y = _core.asarray(x), _core.asarray(y)
    common = numpy.promote_types(numpy.promote_types(x.dtype, y.dtype), "d")
    length = abs(y.astype(common, copy=False) - x.astype(common, copy=False))
    if p == numpy.inf:
        return length.max(axis=-1)
    return (length if p == 1 else length**p).sum(axis=-1)


def minkowski_distance(x, y, p=2.0):
    """Minkowski's distance along the last axis.

    Parameters
    ----------
    x, y : array_like
        Shapes broadcast.
    p : float, optional
        1 to infinity.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> from tenorite.scipy.spatial import minkowski_distance
    >>> minkowski_distance([[0, 0], [0, 0]], [[3, 4], [0, 1]])
    array([5., 1.])
    """
    power = minkowski_distance_p(x, y, p)
    return power if p in (1, numpy.inf) else power ** (1.0 / p)
