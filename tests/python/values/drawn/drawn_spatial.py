"""What parameters of spatial's functions may be in drawn calls."""

import numpy as np
import scipy.spatial as THEIRS
import scipy.spatial.distance  # noqa: F401
from drawn import Pair, Rule, always, array, side
from tenorite.scipy import spatial as OURS

FLAGS = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
NUMBERS = ("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "hamming")
METRICS = (*NUMBERS, "sqeuclidean", "minkowski", "seuclidean")


def rows(draw, name=None):
    """A few rows; of whole numbers often, so that some are equal."""
    if name:
        columns, dtypes = draw.shape_of(name)[1], (side(draw.made[name], "host").dtype.char,)
    else:
        columns, dtypes = draw.integer(1, 5), ("d", "d", "f", "l", "?")
    return draw.array((draw.integer(1, 9), columns), dtypes)


def vector(draw):
    name = draw.name.rpartition(".")[2]
    dtypes = ("?",) if name in FLAGS else ("d", "d", "f", "l")
    return draw.array((draw.integer(1, 9),), dtypes)


def partner(draw):
    given = side(draw.made["u"], "host")
    # One element is as many as are wanted to SciPy.
    length = len(given) + (1 if len(given) > 1 and draw.chance(0.03) else 0)
    return draw.array((length,), (given.dtype.char,))


def weights(draw):
    return draw.like(draw.numbers.random(draw.shape_of("u")).round(2) + 0.1)


def positive(name):
    return lambda draw: draw.like(draw.numbers.random(draw.shape_of(name)) + 0.1)


def options(draw):
    metric = draw.made.get("metric", "euclidean")
    columns = draw.shape_of("XA" if "XA" in draw.made else "X")[1]
    if metric == "minkowski" and draw.chance(0.7):
        return {"p": draw.choice(1, 2.0, 3, 0.5, np.inf)}
    if metric == "seuclidean":
        return {"V": draw.like(draw.numbers.random(columns) + 0.5)}
    if draw.chance(0.4):
        return {"w": draw.like(draw.numbers.random(columns) + 0.1)}
    return {}


def tree_data(draw):
    """Points of which no two pairs are equally far apart."""
    shape = draw.integer(1, 12), draw.integer(1, 3)
    return draw.array(shape, ("d", "d", "f"), lambda shape, dtype: draw.numbers.standard_normal(shape).astype(dtype))


def queries(draw):
    columns = draw.shape_of("data")[1]
    shape = (columns,) if draw.chance(0.3) else (draw.integer(0, 5), columns)
    return draw.like(draw.numbers.standard_normal(shape))


def other_tree(draw):
    data = draw.numbers.standard_normal((draw.integer(1, 6), draw.shape_of("data")[1]))
    return Pair(THEIRS.KDTree(data), OURS.KDTree(data))


def condensed(draw):
    if draw.chance(0.5):
        return draw.array((draw.choice(1, 3, 6, 10, 5),), ("d", "f", "l"))
    count = draw.integer(1, 5)
    values = draw.numbers.random((count, count))
    values = values + values.T
    np.fill_diagonal(values, 0)
    return draw.like(values)


def positive_definite(draw):
    count = draw.shape_of("u")[0]
    root = draw.numbers.standard_normal((count, count))
    return draw.like(root @ root.T + np.eye(count))


def probabilities(draw):
    return draw.like(draw.numbers.random((draw.integer(1, 6), draw.integer(1, 4))) + 0.05)


PARAMETERS = {
    "u": vector,
    "v": partner,
    "w": weights,
    "V": positive("u"),
    "VI": positive_definite,
    "centered": (True, False),
    "minkowski.p": (1, 2, 3, 1.5, np.inf),
    "jensenshannon.p": probabilities,
    "q": lambda draw: draw.like(draw.numbers.random(draw.shape_of("p")) + 0.05),
    "base": (2, 10.0),
    "axis": (0, 1, -1),
    "keepdims": (True, False),
    "XA": rows,
    "XB": lambda draw: rows(draw, "XA"),
    "X": rows,
    "Y": lambda draw: rows(draw, "X"),
    "metric": METRICS,
    "out": None,
    "kwargs": options,
    "p": (1, 2, 2.0, 3, np.inf),
    "x": rows,
    "y": lambda draw: rows(draw, "x"),
    "threshold": (1, 1000000),
    "rng": None,
    "distance.squareform.X": condensed,
    "force": ("no", "tovector", "tomatrix"),
    "checks": (True, False),
    "D": condensed,
    "d": condensed,
    "tol": (0.0, 1e-6),
    "throw": (True, False),
    "name": ("D",),
    "warning": (True, False),
    "distance.num_obs_y.Y": condensed,
    "distance.is_valid_y.y": condensed,
    "data": tree_data,
    "leafsize": (1, 2, 10),
    "compact_nodes": (True, False),
    "copy_data": (True, False),
    "balanced_tree": (True, False),
    "boxsize": None,
    "KDTree.query.x": queries,
    "k": (1, 2, 3, 5, [1, 3]),
    "eps": None,
    "distance_upper_bound": (np.inf, 1.5),
    "workers": (1, 2),
    "r": (0.5, 1.0, 2.5),
    "KDTree.query_ball_point.x": queries,
    "return_sorted": always((True,)),
    "return_length": (True, False),
    "other": other_tree,
    "max_distance": (0.5, 2.0),
    "weights": None,
    "cumulative": (True, False),
    "KDTree.sparse_distance_matrix.output_type": ("dict",),
    "KDTree.count_neighbors.r": (1.0, [0.5, 1.0, 3.0]),
    "output_type": ("set",),
    "points": lambda draw: draw.like(draw.numbers.random((draw.integer(4, 12), 2))),
    "furthest_site": None,
    "incremental": None,
    "qhull_options": None,
    "xi": lambda draw: draw.like(draw.numbers.random((draw.integer(1, 6), 2)) * 1.4 - 0.2),
    "Delaunay.find_simplex.bruteforce": (True, False),
    "Delaunay.find_simplex.tol": None,
}
for _name in ("kl_divergence", "hellinger"):
    PARAMETERS |= {f"distance.{_name}.u": array(dtypes=("d",), ranks=(1,)), f"distance.{_name}.v": partner}

METHODS = {
    "KDTree": "query query_ball_point query_pairs query_ball_tree count_neighbors sparse_distance_matrix",
    "Delaunay": "nsimplex npoints ndim",
    "ConvexHull": "area volume nsimplex npoints",
}
LEFT_OUT = {"QhullError", "Voronoi", "cKDTree", "distance", "tsearch"}
NAMES = ["distance_matrix", "minkowski_distance", "minkowski_distance_p", *METHODS]
NAMES += [f"distance.{name}" for name in OURS.distance.__all__ if hasattr(THEIRS.distance, name)]
# Differences of nearly equal numbers: cosines near 1, and the roots of what is left of them.
RULES = {name: Rule(64, is_single=True) for name in NAMES}
RULES |= {f"distance.{name}": Rule(1e8, 1.0, 0, True) for name in ("cdist", "pdist", "jensenshannon")}


def is_rounding(call):
    """The cosine of a row of one element is what roundings leave of 0, and correlations of equal
    elements are 0 / 0."""
    name = call.name
    if name in ("distance.cdist", "distance.pdist"):
        return call.draw.made.get("metric") in ("cosine", "correlation")
    return name == "distance.correlation" and call.draw.shape_of("u")[0] < 3


UNDEFINED = dict.fromkeys(("distance.cdist", "distance.pdist", "distance.correlation"), is_rounding)
