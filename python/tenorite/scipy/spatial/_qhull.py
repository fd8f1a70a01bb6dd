"""SciPy's Qhull, which runs on the host, and what is said where it is needed and not there."""

import functools
import importlib

import numpy

from tenorite import _core

__all__ = ["QhullError"]


class QhullError(RuntimeError):
    """Points have no triangulation or hull, as when all of them lie on a line.

    Examples
    --------
    >>> import tenorite as tn
    >>> from tenorite.scipy.spatial import Delaunay, QhullError
    >>> try:
    ...     Delaunay(tn.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]))
    ... except QhullError as error:
    ...     print(str(error)[:6])
    QH6154
    """


def check_points(points, fewest=2):
    """Points as an array of float64 with two axes."""
    points = _core.asarray(points, "d")
    if points.ndim != 2:
        raise ValueError("Input points array must have 2 dimensions.")
    if points.shape[0] == 0:
        raise ValueError("No points given")
    if points.shape[1] < fewest:
        raise ValueError("Need at least 2-D data")
    if bool(_core.isnan(points).any()):
        raise ValueError("Points cannot contain NaN")
    return points


def few_points(count, needed):
    """The error for too few points."""
    return QhullError(
        f"QH6214 qhull input error: not enough points({count}) to construct initial simplex (need {needed})"
    )


def flat_points():
    """The error for points on a line."""
    return QhullError(
        "QH6154 Qhull precision error: Initial simplex is flat (facet 1 is coplanar with the interior point)"
    )


def scipy_spatial(name):
    """scipy.spatial, or the ImportError that names what needs it."""
    try:
        return importlib.import_module("scipy.spatial")
    except ImportError as error:
        raise ImportError(f"{name} of these points needs SciPy, which is not there: pip install scipy") from error


def call_qhull(name, points, **options):
    """An object of SciPy's class of a name, of points on the host."""
    spatial = scipy_spatial(name)
    try:
        return getattr(spatial, name)(points.get(), **options)
    except spatial.QhullError as error:
        raise QhullError(str(error)) from None


def on_device(value):
    """NumPy's arrays as arrays, in tuples too; all else as it is."""
    if isinstance(value, tuple):
        return tuple(on_device(one) for one in value)
    return _core.asarray(value) if isinstance(value, numpy.ndarray) else value


def attribute_of(owner, name):
    """What SciPy's object in `owner._qhull` has under a name, kept for the next time."""
    qhull = owner.__dict__.get("_qhull")
    if qhull is None or name.startswith("__"):
        raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}")
    value = getattr(qhull, name)
    if callable(value):
        return functools.wraps(value)(lambda *arguments, **options: on_device(value(*arguments, **options)))
    return on_device(value)
