"""Graphs as sparse matrices: element (i, j) is the weight of the edge from i to j.

Paths, walks and trees are computed on the host; graphs of other devices are brought there, but the
lengths of paths are computed on the device that the graph is on.
"""

from tenorite.scipy.sparse.csgraph._components import connected_components
from tenorite.scipy.sparse.csgraph._laplacian import laplacian
from tenorite.scipy.sparse.csgraph._paths import (
    NegativeCycleError,
    bellman_ford,
    dijkstra,
    floyd_warshall,
    johnson,
    shortest_path,
)
from tenorite.scipy.sparse.csgraph._traversal import (
    breadth_first_order,
    breadth_first_tree,
    depth_first_order,
    depth_first_tree,
    minimum_spanning_tree,
    reconstruct_path,
)

__all__ = [
    "NegativeCycleError",
    "bellman_ford",
    "breadth_first_order",
    "breadth_first_tree",
    "connected_components",
    "depth_first_order",
    "depth_first_tree",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "laplacian",
    "minimum_spanning_tree",
    "reconstruct_path",
    "shortest_path",
]
