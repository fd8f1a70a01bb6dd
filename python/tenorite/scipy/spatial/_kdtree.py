"""Trees of points in space.

A tree's points lie in the order of Hilbert's curve, cut into leaves of equal size: the nodes above
them are pieces of that order, each with the box of its points. What is found does not depend on the
shape of the tree, and of points at one distance the least number comes first.
"""

import importlib
import itertools
import math
import operator

import numpy

import tenorite
from tenorite import _arguments, _core
from tenorite._arguments import DL_CPU
from tenorite.scipy.spatial._order import order_of, order_on_grid

__all__ = ["KDTree", "cKDTree"]

_LEAF = 12  # points of a leaf, at least; twice as many at most
_MANY = 4096  # queries that are worth an order of their own


def _as_points(x, name):
    x = _core.asarray(x)
    if x.dtype.kind == "c":
        raise TypeError("KDTree does not work with complex data")
    x = x.astype("d", copy=False)
    if not bool(tenorite.isfinite(x).all()):
        raise ValueError(f"{name} must be finite, check for nan or inf values")
    return x


def _check_workers(workers):
    if workers == 0 or workers < -1:
        raise ValueError(f"Invalid number of workers {workers}, must be -1 or > 0")


class KDTree:
    """A tree of points for fast searches of those that are near others.

    It is built and searched on the device of the points, in double precision.

    Parameters
    ----------
    data : array_like, shape (n, m)
        n points of m coordinates.
    leafsize : int, optional
        Kept; the size of leaves is the library's own.
    compact_nodes, copy_data, balanced_tree : bool, optional
        Taken and not used: boxes are always the smallest and points are always copied.
    boxsize : float or array_like of m floats, optional
        The periods of the axes; 0 is none. Points lie from 0 to below the period.

    Attributes
    ----------
    data : ndarray, shape (n, m)
    n, m, leafsize, size : int
        Points, coordinates, the leafsize given, nodes.
    maxes, mins : ndarray, shape (m,)
        The corners of the box of all points.
    indices : ndarray, shape (n,)
        Numbers of the points in the order of the tree.
    boxsize : ndarray or None

    Raises
    ------
    ValueError
        For points that are not finite or not in the periodic box, and for another number of axes.
    TypeError
        For complex points.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial import KDTree
    >>> tree = KDTree(tn.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0]]))
    >>> distances, numbers = tree.query(tn.array([[0.9, 0.0], [0.0, 2.0]]))
    >>> numbers
    array([1, 2])
    """

    def __init__(self, data, leafsize=10, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
        data = _as_points(data, "data")
        if data.ndim != 2:
            raise ValueError("data must be of shape (n, m), where there are n points of dimension m")
        if leafsize < 1:
            raise ValueError("leafsize must be at least 1")
        self.data = _core.array(data) if copy_data else data
        self.n, self.m = data.shape
        self.leafsize = leafsize
        if self.n:
            self.mins, self.maxes = data.min(axis=0), data.max(axis=0)
        else:
            self.mins = self.maxes = _core.zeros(self.m)
        self.boxsize = self._periods = None
        if boxsize is not None:
            self._set_box(boxsize)
        self._build()

    def _set_box(self, boxsize):
        periods = boxsize.get() if isinstance(boxsize, _core.ndarray) else numpy.asarray(boxsize, "d")
        periods = numpy.array(numpy.broadcast_to(periods, (self.m,)), "d")
        is_periodic = periods > 0
        if self.n and (self.maxes.get()[is_periodic] >= periods[is_periodic]).any():
            raise ValueError("Some input data are greater than the size of the periodic box.")
        if self.n and (self.mins.get()[is_periodic] < 0).any():
            raise ValueError("Negative input data are outside of the periodic box.")
        self.boxsize = _core.asarray(periods)
        if is_periodic.any():
            self._periods = _core.asarray(numpy.where(is_periodic, periods, 0.0))

    def _build(self):
        levels = max((self.n // _LEAF).bit_length() - 1, 0)
        self.size = (2 << levels) - 1 if self.n else 0
        self._tree, self._is_here = None, False  # whether lists are made by the host's functions
        if self.n == 0 or self.m == 0:
            self.indices = _core.arange(self.n)
            return
        self.indices = order_of(self.data) if levels else _core.arange(self.n)
        points = self.data[self.indices] if levels else _core.ascontiguousarray(self.data)
        self._tree = (points, _core._tree_boxes(points, levels), self.indices, self._periods, levels)
        self._is_here = points.__dlpack_device__()[0] == DL_CPU

    def _wrap(self, x):
        """Points moved into the periodic box."""
        if self._periods is None:
            return x
        periods = tenorite.where(self._periods > 0, self._periods, 1.0)
        moved = x - tenorite.floor(x / periods) * periods
        return tenorite.where(self._periods > 0, moved, x)

    def _rows(self, x):
        """Points of any shape as rows, and the shape without the last axis."""
        x = _as_points(x, "'x'")
        if x.ndim == 0 or x.shape[-1] != self.m:
            raise ValueError(f"x must consist of vectors of length {self.m} but has shape {x.shape}")
        return self._wrap(x.reshape(-1, self.m)), x.shape[:-1]

    def _turns(self, rows):
        """The order in which many rows are computed, or None."""
        if rows.shape[0] < _MANY or self.m == 0:
            return None
        if rows is self.data:
            return self.indices
        return order_on_grid(rows, self.mins, self.maxes)

    # --- Nearest points ---

    def query(self, x, k=1, eps=0.0, p=2.0, distance_upper_bound=math.inf, workers=1):
        """The points of the tree that are nearest to others.

        Parameters
        ----------
        x : array_like, last axis m
            Points.
        k : int or sequence of int, optional
            How many neighbours, or which of them, the first being 1.
        eps : float, optional
            Distances may be too long by a factor of up to 1 + eps.
        p : float, optional
            The exponent of Minkowski's distance, 1 to infinity.
        distance_upper_bound : float, optional
            Only points nearer than this are neighbours.
        workers : int, optional
            Checked and not used: all threads work.

        Returns
        -------
        d : ndarray
            Distances, nearest first, of the shape of x without its last axis, and (k is not 1) an
            axis of k. Infinite where there is no neighbour.
        i : ndarray of int64
            Numbers of the points in ``data``; ``n`` where there is no neighbour.

        Raises
        ------
        ValueError
            For points of another length or that are not finite, p below 1, and k below 1.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.spatial import KDTree
        >>> tree = KDTree(tn.arange(10.0)[:, None])
        >>> tree.query(tn.array([[2.2]]), k=[1, 3])[1]
        array([[2, 1]])
        """
        rows, shape = self._rows(x)
        if not p >= 1:
            raise ValueError("Only p-norms with 1<=p<=infinity permitted")
        _check_workers(workers)
        columns = None
        if k is None:
            raise ValueError("k must be an integer or a sequence of integers, not None")
        if not isinstance(k, (int, float, numpy.integer)):
            columns = [operator.index(one) for one in k]
        most = int(max(columns)) if columns is not None else int(k)
        if most < 1 or (columns is not None and min(columns) < 1):
            raise ValueError("k must be an integer greater than 0, or a sequence of such")
        if self._tree is None:
            distances = _core.full((rows.shape[0], most), math.inf if self.m else 0.0)
            numbers = _core.full((rows.shape[0], most), self.n, "i8")
        else:
            distances, numbers = _core._tree_query(
                self._tree, rows, self._turns(rows), most, float(p), float(eps), float(distance_upper_bound)
            )
        if columns is not None:
            places = [column - 1 for column in columns]
            return tuple(one[:, places].reshape((*shape, len(places))) for one in (distances, numbers))
        full = shape if most == 1 else (*shape, most)
        return distances.reshape(full), numbers.reshape(full)

    # --- Points within a radius ---

    def _count(self, rows, radii, p, after=None):
        if self._tree is None:
            return _core.zeros(rows.shape[0], "i8")
        turns = self._turns(rows) if after is None else None
        return _core._tree_count(self._tree, rows, radii, after, turns, float(p))

    def _collect(self, rows, radii, p, after=None, has_distances=False):
        """Counts, and numbers of points and distances row after row."""
        if self._tree is not None and rows.__dlpack_device__()[0] == DL_CPU:
            turns = self._turns(rows) if after is None else None
            return _core._tree_gather(self._tree, rows, radii, after, turns, float(p), has_distances)
        counts = self._count(rows, radii, p, after)
        ends = _core.cumsum(counts)
        total = int(ends[-1]) if rows.shape[0] else 0
        if not total:
            return counts, _core.empty(0, "i8"), _core.empty(0)
        turns = self._turns(rows) if after is None else None
        found = _core._tree_collect(
            self._tree, rows, radii, after, ends - counts, total, turns, float(p), has_distances
        )
        return (counts, *found)

    def query_ball_point(self, x, r, p=2.0, eps=0.0, workers=1, return_sorted=None, return_length=False):
        """The points of the tree within a radius of others.

        Parameters
        ----------
        x : array_like, last axis m
            Points.
        r : array_like of float
            The radius of each, which broadcasts to their shape.
        p : float, optional
            The exponent of Minkowski's distance.
        eps : float, optional
            Taken; results are exact.
        workers : int, optional
            Checked and not used: all threads work.
        return_sorted : bool, optional
            Whether numbers ascend; None: they do for several points.
        return_length : bool, optional
            Whether only the number of points is given.

        Returns
        -------
        list of int, or numpy.ndarray of such lists
            Numbers of the points within the radius, on the host; or (`return_length`) an ndarray of
            int64. In a process whose ``import cupy`` is this package: what CuPy gives, a list of
            ndarrays.

        Raises
        ------
        ValueError
            For points of another length or that are not finite.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.spatial import KDTree
        >>> tree = KDTree(tn.arange(10.0)[:, None])
        >>> sorted(tree.query_ball_point([4.0], 1.5))
        [3, 4, 5]
        """
        rows, shape = self._rows(x)
        _check_workers(workers)
        radii = r
        if not isinstance(r, (int, float)):
            radii = _core.array(tenorite.broadcast_to(_core.asarray(r, "d"), shape), order="C").reshape(-1)
        if return_length:
            radii = _core.full(rows.shape[0], float(r)) if radii is r else radii
            return self._count(rows, radii, p).reshape(shape)
        lists = self._lists(rows, radii, p, return_sorted or (return_sorted is None and shape != ()))
        if shape == ():
            return lists[0]
        if _arguments.is_cupy:
            return lists
        result = numpy.empty(len(lists), object)
        result[:] = lists
        return result.reshape(shape)

    def _lists(self, rows, radii, p, is_sorted=True):
        """A list of numbers for each row, within a radius of its own or one of all."""
        is_one = isinstance(radii, (int, float))
        if self._is_here and not _arguments.is_cupy:
            own, one = (None, radii) if is_one else (radii, 0.0)
            return _core._tree_lists(self._tree, rows, own, one, self._turns(rows), p, is_sorted)
        radii = _core.full(rows.shape[0], float(radii)) if is_one else radii
        counts, numbers, _ = self._collect(rows, radii, p)
        is_long = numbers.size > _MANY
        if is_sorted and is_long:
            of_row = tenorite.repeat(_core.arange(rows.shape[0]), counts)
            numbers = _core.sort(of_row * self.n + numbers) - of_row * self.n
        ends = list(itertools.accumulate(counts.tolist(), initial=0))
        if not _arguments.is_cupy or not is_long:
            numbers = numbers.tolist()
        lists = [numbers[begin:end] for begin, end in itertools.pairwise(ends)]
        if is_sorted and not is_long:
            lists = [sorted(one) for one in lists]
        return [_core.asarray(one, "i8") for one in lists] if _arguments.is_cupy else lists

    def _check_other(self, other, function):
        if self.m != other.m:
            raise ValueError(f"Trees passed to {function} have different dimensionality")

    def query_ball_tree(self, other, r, p=2.0, eps=0.0):
        """For each point of this tree, those of another within a radius.

        Parameters
        ----------
        other : KDTree
        r : float
            The radius.
        p, eps : float, optional
            As of `query_ball_point`.

        Returns
        -------
        list of list of int
            Numbers of the points of `other`, ascending; as CuPy gives them a list of ndarrays, in a
            process whose ``import cupy`` is this package.

        Raises
        ------
        ValueError
            If points of the trees have different lengths.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.spatial import KDTree
        >>> tree, other = KDTree(tn.array([[0.0], [5.0]])), KDTree(tn.array([[0.5], [4.5]]))
        >>> tree.query_ball_tree(other, 1.0)
        [[0], [1]]
        """
        self._check_other(other, "query_ball_tree")
        rows = self.data if other._periods is None else other._wrap(self.data)
        return other._lists(rows, float(r), p)

    def query_pairs(self, r, p=2.0, eps=0.0, output_type="set"):
        """All pairs of points that are within a distance of each other.

        Parameters
        ----------
        r : float
            The largest distance.
        p, eps : float, optional
            As of `query_ball_point`.
        output_type : {'set', 'ndarray'}, optional

        Returns
        -------
        set of (int, int) or ndarray of int64, shape (pairs, 2)
            Numbers i < j; rows are sorted.

        Raises
        ------
        ValueError
            For another `output_type`.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.spatial import KDTree
        >>> KDTree(tn.array([[0.0], [5.0], [4.5]])).query_pairs(1.0)
        {(1, 2)}
        """
        if output_type not in ("set", "ndarray"):
            raise ValueError("Invalid output type")
        if self._tree is None:
            return set() if output_type == "set" else _core.empty((0, 2), "i8")
        points, _, order, _, levels = self._tree
        places = _core.arange(self.n) if levels else order
        if output_type == "set" and self._is_here:
            return _core._tree_pairs(self._tree, r, places, p)
        counts, found, _ = self._collect(points, _core.full(self.n, float(r)), p, places)
        if output_type == "set":
            firsts = tenorite.repeat(order, counts).tolist()
            return {(min(pair), max(pair)) for pair in zip(firsts, found.tolist())}
        first = tenorite.repeat(order, counts)
        keys = _core.sort(tenorite.minimum(first, found) * self.n + tenorite.maximum(first, found))
        return _core.stack([keys // self.n, keys % self.n], axis=1)

    def count_neighbors(self, other, r, p=2.0, weights=None, cumulative=True):
        """How many pairs of points of two trees are within a distance of each other.

        Parameters
        ----------
        other : KDTree
        r : float or array_like of one axis
            Distances.
        p : float, optional
            The exponent of Minkowski's distance.
        weights : array_like, or a pair of them, optional
            Weights of the points of this tree and of the other, instead of ones; None in a pair is
            ones. One array is for a tree and itself.
        cumulative : bool, optional
            If not, only pairs that are farther than the distance before count.

        Returns
        -------
        ndarray
            Counts (int64) or, with weights, sums of products of weights (float64), of r's shape.

        Raises
        ------
        ValueError
            For r of more axes, r that descends if not `cumulative`, one array of weights for two
            trees.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.spatial import KDTree
        >>> tree = KDTree(tn.arange(4.0)[:, None])
        >>> tree.count_neighbors(tree, [0.5, 1.5])
        array([ 4, 10])
        """
        self._check_other(other, "count_neighbors")
        host = r.get() if isinstance(r, _core.ndarray) else numpy.asarray(r, "d")
        if host.ndim > 1:
            raise ValueError("r must be either a single value or a one-dimensional array of values")
        if not cumulative and (numpy.diff(host.reshape(-1)) < 0).any():
            raise ValueError("r must be non-decreasing for non-cumulative counting.")
        own, others = self._pair_of_weights(other, weights)
        rows = other._wrap(self.data)
        sums = [self._weigh(other, rows, float(one), p, own, others) for one in host.reshape(-1)]
        result = _core.stack(sums) if sums else _core.zeros(0, "i8" if weights is None else "d")
        if not cumulative and result.size:
            result = _core.concatenate([result[:1], result[1:] - result[:-1]])
        return result.reshape(host.shape)

    def _pair_of_weights(self, other, weights):
        """Weights of both trees, or two times None."""
        if weights is None:
            return None, None
        if not isinstance(weights, tuple) and self is not other:
            raise ValueError("Two different trees are used. Specify weights for both in a tuple.")
        pair = weights if isinstance(weights, tuple) else (weights, weights)
        made = []
        for tree, one in zip((self, other), pair, strict=True):
            one = _core.full(tree.n, 1.0) if one is None else _core.asarray(one, "d")
            if one.shape != (tree.n,):
                raise ValueError("Number of weights differ from the number of data points")
            made.append(one)
        return made

    def _weigh(self, other, rows, r, p, own, others):
        radii = _core.full(self.n, r)
        if own is None:
            return _core.sum(other._count(rows, radii, p))
        if other._tree is None or not self.n:
            return _core.zeros(())
        others = others[other.indices]
        return _core.sum(own * _core._tree_weigh(other._tree, rows, radii, others, other._turns(rows), float(p)))

    def sparse_distance_matrix(self, other, max_distance, p=2.0, output_type="coo_matrix"):
        """Distances of the points of two trees, as far as they are not too long.

        Parameters
        ----------
        other : KDTree
        max_distance : float
            Longer distances are left out.
        p : float, optional
            The exponent of Minkowski's distance.
        output_type : {'coo_matrix', 'dict', 'ndarray', 'dok_matrix'}, optional
            SciPy's default 'dok_matrix' does not exist here.

        Returns
        -------
        coo_matrix, dict or numpy.ndarray
            Of shape (self.n, other.n); a dict of (i, j); or records i, j, v on the host.

        Raises
        ------
        NotImplementedError
            For 'dok_matrix'.
        ValueError
            For another `output_type`.

        Examples
        --------
        >>> import tenorite as tn
        >>> from tenorite.scipy.spatial import KDTree
        >>> tree, other = KDTree(tn.array([[0.0], [5.0]])), KDTree(tn.array([[0.5], [4.5]]))
        >>> tree.sparse_distance_matrix(other, 1.0, output_type="dict")
        {(0, 0): 0.5, (1, 1): 0.5}
        """
        self._check_other(other, "sparse_distance_matrix")
        if output_type == "dok_matrix":
            raise NotImplementedError("sparse_distance_matrix with output_type='dok_matrix'; use 'coo_matrix'")
        if output_type not in ("coo_matrix", "dict", "ndarray"):
            raise ValueError("Invalid output type")
        radii = _core.full(self.n, float(max_distance))
        counts, columns, distances = other._collect(other._wrap(self.data), radii, p, has_distances=True)
        rows = tenorite.repeat(_core.arange(self.n), counts)
        if output_type == "coo_matrix":
            return importlib.import_module("tenorite.scipy.sparse").coo_matrix(
                (distances, (rows, columns)), shape=(self.n, other.n)
            )
        result = numpy.empty(rows.size, [("i", numpy.intp), ("j", numpy.intp), ("v", "d")])
        result["i"], result["j"], result["v"] = rows.get(), columns.get(), distances.get()
        if output_type == "ndarray":
            return result
        return {(i, j): value for i, j, value in result.tolist()}


class cKDTree(KDTree):
    """The same as `KDTree`; SciPy has two for historical reasons.

    Parameters
    ----------
    data : array_like, shape (n, m)
    leafsize : int, optional
    compact_nodes, copy_data, balanced_tree : bool, optional
    boxsize : float or array_like, optional
        All as of `KDTree`.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial import cKDTree
    >>> cKDTree(tn.array([[0.0], [1.0]])).query([0.8])[1]
    array(1)
    """

    def __init__(self, data, leafsize=16, compact_nodes=True, copy_data=False, balanced_tree=True, boxsize=None):
        super().__init__(data, leafsize, compact_nodes, copy_data, balanced_tree, boxsize)
