"""Docstrings: what parameters of distances of two vectors mean, once."""

from tenorite._lib.documents import documenter

_PARAMETERS = {
    "u": ("array_like, shape (n,)", "A vector."),
    "v": ("array_like, shape (n,)", "The other vector."),
    "w": ("array_like", "Weights of the places, not negative."),
    "p": ("array_like", "Distributions; shapes broadcast."),
    "minkowski.p": ("float", "The exponent, above 0."),
    "q": ("array_like", "The other distributions; shapes broadcast."),
    "V": ("array_like, shape (n,)", "The variances."),
    "VI": ("array_like, shape (n, n)", "The inverse of the covariance."),
    "centered": ("bool", "Whether means are taken away first; else it is the cosine distance."),
    "base": ("float", "The base of logarithms; None: e."),
    "axis": ("int", "The axis of a distribution."),
    "keepdims": ("bool", "Whether this axis stays in the result."),
}

documented = documenter(
    _PARAMETERS,
    ("ndarray, shape ()", "float64, or float32 for vectors of float32 or float16."),
    {"w": ("ValueError", "For vectors of other axes or lengths, and negative weights.")},
)
