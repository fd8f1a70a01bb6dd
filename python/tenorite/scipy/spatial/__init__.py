"""Distances, trees of points and triangulations, under the names of scipy.spatial."""

from tenorite.scipy.spatial._delaunay import Delaunay, tsearch
from tenorite.scipy.spatial._kdtree import KDTree, cKDTree
from tenorite.scipy.spatial._qhull import QhullError

__all__ = ["Delaunay", "KDTree", "QhullError", "cKDTree", "tsearch"]
