"""Delaunay's triangulation."""

from functools import cached_property, wraps

import numpy

import tenorite
from tenorite import _core
from tenorite.scipy.spatial._order import order_on_grid
from tenorite.scipy.spatial._qhull import attribute_of, call_qhull, check_points, few_points, flat_points, on_device

__all__ = ["Delaunay", "tsearch"]

_EPSILON = numpy.finfo("d").eps
_MANY = 1024  # points to find that are worth a grid of starts


def _planar(function):
    """A property that is made once, in a plane by the function, else by Qhull."""

    name = function.__name__

    @wraps(function)
    def made(self):
        if name not in self._made:
            self._made[name] = function(self) if self._is_planar else on_device(getattr(self._qhull, name))
        return self._made[name]

    return property(made)


class Delaunay:
    """Delaunay's triangulation of points.

    Points in a plane are triangulated by exact decisions, on the host's cores for every device,
    since one point is inserted after the other; triangles of points are found on the device. Points
    in more dimensions, and options of Qhull's, go through SciPy, which must be installed.

    Parameters
    ----------
    points : array_like, shape (n, d)
    furthest_site : bool, optional
        Through SciPy.
    incremental : bool, optional
        Whether `add_points` may follow.
    qhull_options : str, optional
        Through SciPy.

    Attributes
    ----------
    points : ndarray, shape (n, d)
    simplices : ndarray of int32, shape (count, d + 1)
        Numbers of the corners; in a plane anticlockwise.
    neighbors : ndarray of int32, shape (count, d + 1)
        The simplex opposite to each corner, or -1.
    coplanar : ndarray of int32, shape (m, 3)
        Points that are no corners (in a plane: those at the place of another), each with a simplex
        and with the corner nearest to it.
    transform : ndarray, shape (count, d + 1, d)
        Affine maps to barycentric coordinates: those of x are ``T[:d] @ (x - T[d])``. NaN for
        simplices without volume.
    equations : ndarray, shape (count, d + 2)
        Planes of the simplices on the paraboloid.
    vertex_to_simplex : ndarray of int32, shape (n,)
        A simplex of each point, or -1.
    vertex_neighbor_vertices : (ndarray, ndarray) of int32
        ``indices[indptr[k]:indptr[k + 1]]`` are the neighbours of point k.
    convex_hull : ndarray of int32, shape (m, d)
        Facets of the hull.
    min_bound, max_bound : ndarray, shape (d,)

    Raises
    ------
    QhullError
        For points that have no triangles.
    ValueError
        For NaN, no points, and another number of axes.
    ImportError
        Where SciPy is needed and not there.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial import Delaunay
    >>> triangles = Delaunay(tn.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.5]]))
    >>> triangles.simplices.shape
    (2, 3)
    >>> triangles.find_simplex([[5.0, 5.0]])
    array([-1], dtype=int32)
    """

    def __init__(self, points, furthest_site=False, incremental=False, qhull_options=None):
        self.points = check_points(points)
        self.ndim = self.points.shape[1]
        self.furthest_site, self._incremental = furthest_site, incremental
        self._options = {"furthest_site": furthest_site, "qhull_options": qhull_options}
        self._is_planar = self.ndim == 2 and not furthest_site and qhull_options is None
        self._triangulate()

    def _triangulate(self):
        self._made = {}
        self.npoints = self.points.shape[0]
        self.min_bound, self.max_bound = self.points.min(axis=0), self.points.max(axis=0)
        if not self._is_planar:
            self._qhull = call_qhull("Delaunay", self.points, incremental=self._incremental, **self._options)
            self._take_over()
            return
        if self.npoints < 3:
            raise few_points(self.npoints, 4)
        if not bool(tenorite.isfinite(self.points).all()):
            raise flat_points()
        turns = order_on_grid(self.points, self.min_bound, self.max_bound)
        try:
            found = _core._triangulate(self.points, turns)
        except ValueError:
            raise flat_points() from None
        self.simplices, self.neighbors, self.coplanar = found
        self.nsimplex = self.simplices.shape[0]
        self.paraboloid_scale, self.paraboloid_shift = 1.0, 0.0

    def _take_over(self):
        for name in ("simplices", "neighbors", "coplanar", "nsimplex"):
            self.__dict__[name] = on_device(getattr(self._qhull, name))
        self.paraboloid_scale, self.paraboloid_shift = self._qhull.paraboloid_scale, self._qhull.paraboloid_shift

    def __getattr__(self, name):
        return attribute_of(self, name)

    # --- What is made of the simplices ---

    @property
    def vertices(self):
        """The simplices, by the name that SciPy had for them.

        Returns
        -------
        ndarray of int32, shape (count, d + 1)

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).vertices.shape
        (1, 3)
        """
        return self.simplices

    @_planar
    def transform(self):
        """Affine maps to barycentric coordinates, NaN for simplices without volume.

        Returns
        -------
        ndarray, shape (count, d + 1, d)

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).transform.shape
        (1, 3, 2)
        """
        corners = self.points[self.simplices]
        origin = corners[:, 2]
        a, b = corners[:, 0] - origin, corners[:, 1] - origin
        area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        inverse = _core.stack([b[:, 1], -b[:, 0], -a[:, 1], a[:, 0]], axis=1) / area[:, None]
        length = tenorite.maximum(abs(a).sum(axis=1), abs(b).sum(axis=1))
        inverse_length = tenorite.maximum(abs(inverse[:, ::2]).sum(axis=1), abs(inverse[:, 1::2]).sum(axis=1))
        is_flat = ~(length * inverse_length * (1000 * _EPSILON) < 1)
        made = _core.concatenate([inverse.reshape(-1, 2, 2), origin[:, None, :]], axis=1)
        made[is_flat] = numpy.nan
        return made

    @_planar
    def equations(self):
        """Planes of the triangles on the paraboloid: normal and offset, the normal downwards.

        Returns
        -------
        ndarray, shape (count, d + 2)

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).equations.shape
        (1, 4)
        """
        lifted = self.lift_points(self.points)[self.simplices]
        origin = lifted[:, 2]
        normal = tenorite.cross(lifted[:, 0] - origin, lifted[:, 1] - origin)
        normal = -normal / tenorite.sqrt((normal * normal).sum(axis=1))[:, None]
        return _core.concatenate([normal, -(normal * origin).sum(axis=1)[:, None]], axis=1)

    @_planar
    def good(self):
        """Which simplices Qhull calls good: all.

        Returns
        -------
        ndarray of int32, shape (count,)

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).good
        array([1], dtype=int32)
        """
        return _core.full(self.nsimplex, 1, "i4")

    @_planar
    def vertex_to_simplex(self):
        """A simplex of each point, or -1.

        Returns
        -------
        ndarray of int32, shape (n,)

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).vertex_to_simplex
        array([0, 0, 0], dtype=int32)
        """
        made = _core.full(self.npoints, -1, "i4")
        made[self.simplices] = _core.arange(self.nsimplex, dtype="i4")[:, None]
        return made

    @_planar
    def vertex_neighbor_vertices(self):
        """The neighbours of point k: ``indices[indptr[k]:indptr[k + 1]]``.

        Returns
        -------
        (indptr, indices) : ndarrays of int32

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> indptr, indices = Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).vertex_neighbor_vertices
        >>> indices[indptr[0] : indptr[1]]
        array([1, 2], dtype=int32)
        """
        corners = self.simplices.astype("i8")
        edges = [corners[:, i] * self.npoints + corners[:, j] for i in range(3) for j in range(3) if i != j]
        keys = tenorite.unique(_core.concatenate(edges))
        starts = _core.arange(self.npoints + 1, dtype="i8") * self.npoints
        return _core.searchsorted(keys, starts).astype("i4"), (keys % self.npoints).astype("i4")

    @_planar
    def convex_hull(self):
        """Facets of the hull, as numbers of points.

        Returns
        -------
        ndarray of int32, shape (m, d)

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).convex_hull.shape
        (3, 2)
        """
        triangles, corners = tenorite.nonzero(self.neighbors == -1)
        others = _core.asarray([[1, 2], [0, 2], [0, 1]])
        return self.simplices[triangles[:, None], others[corners]]

    # --- Places ---

    def find_simplex(self, xi, bruteforce=False, tol=None):
        """The simplices that points lie in.

        Parameters
        ----------
        xi : array_like, last axis d
            Points.
        bruteforce : bool, optional
            Taken and not used in a plane.
        tol : float, optional
            Barycentric coordinates are at least -tol; None: 100 times the distance of 1 and the
            next number.

        Returns
        -------
        ndarray of int32
            Numbers of simplices, -1 for a point in none, of the shape of xi without its last axis.

        Raises
        ------
        ValueError
            For points of another length.

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).find_simplex([[0.2, 0.2], [2.0, 0.0]])
        array([ 0, -1], dtype=int32)
        """
        xi = _core.asarray(xi, "d")
        if xi.ndim == 0 or xi.shape[-1] != self.ndim:
            raise ValueError("wrong dimensionality in xi")
        if not self._is_planar:
            return on_device(numpy.asarray(self._qhull.find_simplex(xi.get(), bruteforce, tol), "i4"))
        eps = 100 * _EPSILON if tol is None else float(tol)
        rows = _core.ascontiguousarray(xi.reshape(-1, 2))
        return self._locate(rows, self._starts(rows), eps).reshape(xi.shape[:-1])

    def _locate(self, rows, starts, eps, has_last=False):
        return _core._locate(rows, self.points, self.simplices, self.neighbors, starts, eps, has_last)

    def _starts(self, rows):
        """Triangles near the points, of a grid of cells; None for a few points."""
        if rows.shape[0] < _MANY or self.nsimplex < _MANY:
            return None
        side, grid = self._grid
        cells = (rows - self.min_bound) / (self.max_bound - self.min_bound) * side
        cells = tenorite.nan_to_num(tenorite.clip(cells, 0, side - 1), nan=0.0).astype("i8")
        return grid[cells[:, 1] * side + cells[:, 0]]

    @cached_property
    def _grid(self):
        """The triangle where a walk to the middle of each cell ends; each grid starts from one of a
        quarter of its cells."""
        size = self.max_bound - self.min_bound
        most = max(1, int(self.nsimplex**0.5 / 2)).bit_length()
        grid = None
        for level in range(most + 1):
            side = 1 << level
            middles = (_core.arange(side) + 0.5) / side
            x, y = tenorite.meshgrid(middles, middles)
            rows = _core.stack([x.reshape(-1), y.reshape(-1)], axis=1) * size + self.min_bound
            starts = None
            if grid is not None:
                starts = tenorite.repeat(tenorite.repeat(grid.reshape(side // 2, side // 2), 2, axis=0), 2, axis=1)
                starts = starts.reshape(-1)
            found = self._locate(rows, starts, 0.0, True)
            grid = tenorite.where(found >= 0, found, -2 - found)
        return side, grid

    def lift_points(self, x):
        """Points on the paraboloid.

        Parameters
        ----------
        x : array_like, last axis d

        Returns
        -------
        ndarray, last axis d + 1

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).lift_points([2.0, 1.0])
        array([2., 1., 5.])
        """
        x = _core.asarray(x, "d")
        height = (x * x).sum(axis=-1, keepdims=True) * self.paraboloid_scale + self.paraboloid_shift
        return _core.concatenate([x, height], axis=-1)

    def plane_distance(self, xi):
        """Distances of points to the planes of all simplices on the paraboloid.

        Parameters
        ----------
        xi : array_like, last axis d

        Returns
        -------
        ndarray
            An axis of simplices after those of the points.

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).plane_distance([[0.2, 0.2]]).shape
        (1, 1)
        """
        lifted = self.lift_points(xi)
        return lifted @ self.equations[:, :-1].T + self.equations[:, -1]

    # --- More points ---

    def add_points(self, points, restart=False):
        """Adds points; all are triangulated anew.

        Parameters
        ----------
        points : array_like, shape (m, d)
        restart : bool, optional
            Taken and not used.

        Raises
        ------
        RuntimeError
            If the triangulation is not incremental.
        ValueError
            For points of another length.

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> triangles = Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], incremental=True)
        >>> triangles.add_points([[1.0, 1.5]])
        >>> triangles.npoints
        4
        """
        if not self._incremental:
            raise RuntimeError("incremental mode not enabled or already closed")
        points = check_points(points)
        if points.shape[1] != self.ndim:
            raise ValueError("invalid size for new points array")
        self.points = _core.concatenate([self.points, points])
        kept = {"points", "ndim", "furthest_site", "_incremental", "_options", "_is_planar"}
        for name in set(self.__dict__) - kept:
            del self.__dict__[name]
        self._triangulate()

    def close(self):
        """Ends incremental mode.

        Examples
        --------
        >>> from tenorite.scipy.spatial import Delaunay
        >>> Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], incremental=True).close()
        """
        self._incremental = False


def tsearch(tri, xi):
    """The simplices that points lie in: ``tri.find_simplex(xi)``.

    Parameters
    ----------
    tri : Delaunay
    xi : array_like, last axis d

    Returns
    -------
    ndarray of int32

    Examples
    --------
    >>> from tenorite.scipy.spatial import Delaunay, tsearch
    >>> tsearch(Delaunay([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), [[0.2, 0.2]])
    array([0], dtype=int32)
    """
    return tri.find_simplex(xi)
