"""The metrics: their names, the numbers that the core knows them by, and what they take."""

from typing import NamedTuple

import numpy

import tenorite
from tenorite import _core


class Metric(NamedTuple):
    """A metric by its canonical name."""

    name: str
    number: int  # of tn_metric in include/tenorite/spatial.h
    takes: tuple = ("w",)  # keyword arguments
    is_share: bool = False  # weights matter by their shares of their sum


_TABLE = {
    Metric("euclidean", 0): "euclid eu e l2",
    Metric("sqeuclidean", 1): "sqe sqeuclid",
    Metric("cityblock", 2): "cblock cb c l1",
    Metric("chebyshev", 3): "chebychev cheby cheb ch",
    Metric("minkowski", 4, ("p", "w")): "mi m pnorm lp",
    Metric("cosine", 5): "cos",
    Metric("correlation", 5): "co",
    Metric("canberra", 6): "",
    Metric("braycurtis", 7): "",
    Metric("hamming", 8, is_share=True): "matching hamm ha h",
    Metric("mahalanobis", 9, ("VI",)): "mahal mah",
    Metric("seuclidean", 0, ("V",)): "se s",
    Metric("hellinger", 10, ()): "",
    Metric("jensenshannon", 11, ()): "js",
    Metric("kl_divergence", 12, ()): "",
    Metric("inner_product", 13): "",
    Metric("jaccard", 14): "jacc ja j",
    Metric("dice", 15): "",
    Metric("rogerstanimoto", 16, is_share=True): "",
    Metric("russellrao", 17, is_share=True): "",
    Metric("sokalsneath", 18): "",
    Metric("yule", 19, is_share=True): "",
}
METRICS = {metric.name: metric for metric in _TABLE}
ALIASES = {name: metric for metric, names in _TABLE.items() for name in (metric.name, *names.split())}
_PREPARED = ("correlation", "mahalanobis", "seuclidean", "hellinger", "jensenshannon")
_FEW = 16  # weights of a list that Python looks at
_PLAIN = {int, float}
# Metrics that are a call of the core as they stand, for arrays of one dtype of floats.
PLAIN = {name: metric.number for name, metric in ALIASES.items() if metric.name not in _PREPARED}


def find(metric):
    """The metric of a name or of a function of this package, or None for another function."""
    if isinstance(metric, str):
        name = metric.lower().removeprefix("test_")
        if name not in ALIASES:
            raise ValueError(f"Unknown Distance Metric: {metric.lower()}")
        return ALIASES[name]
    if not callable(metric):
        raise TypeError("2nd argument metric must be a string identifier or a function.")
    is_ours = getattr(metric, "__module__", "").startswith("tenorite.scipy.spatial.distance")
    return METRICS.get(metric.__name__) if is_ours else None


def check_weights(w):
    """Weights of one axis, none of them negative, as float64; a host array is checked there."""
    if not isinstance(w, _core.ndarray):
        if type(w) is list and 0 < len(w) <= _FEW and _PLAIN >= {*map(type, w)} and not any(one < 0 for one in w):
            return _core.asarray(w, "d")
        w = numpy.asarray(w, "d")
    if w.ndim != 1:
        raise ValueError("Weights must be a vector (ndim = 1)")
    if bool((w < 0).any()):
        raise ValueError("Input weights should be all non-negative")
    return _core.asarray(w, "d")


def working_dtype(arrays, out):
    """float32 where all numbers are float32 or float16, unless float64 is to be written."""
    kind = arrays[0].dtype
    if len(arrays) > 1 and arrays[1].dtype != kind:
        kind = numpy.result_type(kind, arrays[1].dtype)
    if kind.kind == "c" or kind.kind not in "biuf":
        raise ValueError(f"Unsupported dtype {kind}")
    is_single = kind.kind == "f" and kind.itemsize <= 4 and not (out is not None and out.dtype == "d")
    return "f" if is_single else "d"


def _centered(rows, w):
    mean = rows.mean(axis=1) if w is None else rows @ (w / w.sum())
    return rows - mean[:, None]


def _stacked(arrays):
    return (_core.vstack(arrays) if len(arrays) > 1 else arrays[0]).astype("d", copy=False)


def _variances(arrays, kwargs, columns):
    given = kwargs.get("V")
    if given is None:
        return tenorite.var(_stacked(arrays), axis=0, ddof=1)
    given = _core.asarray(given, "d")
    if given.ndim != 1:
        raise ValueError("Variance vector V must be one-dimensional.")
    if given.shape[0] != columns:
        raise ValueError(
            "Variance vector V must be of the same dimension as the vectors on which the distances are computed."
        )
    return given


def _inverse(arrays, kwargs, columns):
    given = kwargs.get("VI")
    if given is not None:
        return _core.asarray(given, "d")
    count = sum(one.shape[0] for one in arrays)
    if count <= columns:
        raise ValueError(
            f"The number of observations ({count}) is too small; the covariance matrix is singular. For observations "
            f"with {columns} dimensions, at least {columns + 1} observations are required."
        )
    return tenorite.linalg.inv(tenorite.atleast_2d(tenorite.cov(_stacked(arrays).T)))


def prepare(metric, arrays, kwargs, out):
    """Rows as the core takes them, p, and weights or None."""
    for name in kwargs:
        if name not in metric.takes:
            raise TypeError(f"cdist_{metric.name}() got an unexpected keyword argument {name!r}")
    columns, dtype = arrays[0].shape[1], working_dtype(arrays, out)
    p = kwargs.get("p", 2.0)
    if p <= 0:
        raise ValueError("p must be greater than 0")
    weights = kwargs.get("w")
    if weights is not None:
        weights = check_weights(weights)
        if weights.shape[0] != columns:
            raise ValueError(f"Weights must have same size as input vector. {weights.shape[0]} vs. {columns}.")
        if metric.is_share:
            weights = weights / weights.sum()
    if metric.name == "seuclidean":
        weights = 1.0 / _variances(arrays, kwargs, columns)
    elif metric.name == "mahalanobis":
        weights = _inverse(arrays, kwargs, columns)
    if metric.name not in _PREPARED:
        weights = weights if weights is None or weights.dtype.char == dtype else weights.astype(dtype)
        return [one if one.dtype.char == dtype else one.astype(dtype) for one in arrays], float(p), weights
    arrays = [one.astype(dtype, copy=False) for one in arrays]
    if metric.name == "correlation":
        arrays = [_centered(one, weights) for one in arrays]
    elif metric.name == "hellinger":
        arrays = [tenorite.sqrt(one) for one in arrays]
    return (
        [one.astype(dtype, copy=False) for one in arrays],
        float(p),
        None if weights is None else weights.astype(dtype, copy=False),
    )
