"""Gradients at scattered points; the module and its function have SciPy's names."""

import warnings

from tenorite import _core
from tenorite._arguments import as_array_of
from tenorite.scipy.interpolate._evaluate import as_double

__all__ = ["GradientEstimationWarning", "estimate_gradients_2d_global"]


class GradientEstimationWarning(Warning):
    """Gradients of scattered points did not settle."""


def slopes_of(tri, values, maxiter, tol):
    """The slopes of a surface of small curvature through the values (points, columns) of points:
    (points, columns, 2), of complex columns those of the real and the imaginary parts."""
    points, corners, near = map(as_array_of, (tri.points, tri.simplices, tri.neighbors))
    slopes, left = _core._triangle_slopes(points, corners, near, values.view("d"), float(tol), int(maxiter))
    for _ in range(left):
        text = "Gradient estimation did not converge, the results may be inaccurate"
        warnings.warn(text, GradientEstimationWarning, stacklevel=4)
    return slopes


def as_gradients(slopes, dtype):
    """Slopes as gradients of columns of a dtype."""
    return slopes[:, 0::2] + 1j * slopes[:, 1::2] if dtype.kind == "c" else slopes


def estimate_gradients_2d_global(tri, y, maxiter=400, tol=1e-6):
    """The gradients at the points of a triangulation of a surface of small curvature: (n, ..., 2)
    for values (n, ...)."""
    y = as_double(y)
    if y.shape[:1] != (tri.npoints,):
        raise ValueError("'y' has a wrong number of items")
    flat = y.reshape(tri.npoints, -1)
    made = as_gradients(slopes_of(tri, flat, maxiter, tol), y.dtype)
    return made.reshape(*y.shape, 2)
