"""Distances, trees of points and triangulations, under the names of scipy.spatial."""

from tenorite.scipy.spatial import distance
from tenorite.scipy.spatial._delaunay import Delaunay, tsearch
from tenorite.scipy.spatial._hull import ConvexHull, Voronoi, minkowski_distance, minkowski_distance_p
from tenorite.scipy.spatial._kdtree import KDTree, cKDTree
from tenorite.scipy.spatial._qhull import QhullError
from tenorite.scipy.spatial.distance import distance_matrix

__all__ = [
    "ConvexHull",
    "Delaunay",
    "KDTree",
    "QhullError",
    "Voronoi",
    "cKDTree",
    "distance",
    "distance_matrix",
    "minkowski_distance",
    "minkowski_distance_p",
    "tsearch",
]
