"""Docstrings: what parameters of splines under FITPACK's names mean, once."""

from tenorite._lib.documents import documenter

_PARAMETERS = {
    "x": ("array_like", "Points, which do not descend; of an interpolating spline they ascend."),
    "derivatives.x": ("float", "A point."),
    "y": ("array_like", "Values at x; of two variables the other coordinate."),
    "z": ("array_like", "Values: of a grid (x.size, y.size), else at each point."),
    "xi": ("array_like", "The first coordinates of points."),
    "yi": ("array_like", "The others."),
    "w": ("array_like", "Weights."),
    "bbox": ("array_like", "Both ends of the interval, of two variables of both; those of the points by default."),
    "k": ("int", "The degree, 1 to 5."),
    "kx": ("int", "The degree along x."),
    "ky": ("int", "The degree along y."),
    "s": (
        "float",
        "The sum of squares of weighted residuals; as many as there are points by default. 0 goes through all.",
    ),
    "t": ("(m,) array_like", "The inner knots."),
    "ext": ("int or str", "What stands beyond: 0 or 'extrapolate', 1 or 'zeros', 2 or 'raise', 3 or 'const'."),
    "check_finite": ("bool", "Whether infinities and NaN are looked for."),
    "eps": ("float", "Below which a linear system is singular."),
    "maxit": ("int", "Iterations of smoothing."),
    "nu": ("int", "Which derivative."),
    "n": ("int", "Which derivative, or how often is integrated."),
    "dx": ("int", "The order of the derivative along x."),
    "dy": ("int", "The order of the derivative along y."),
    "grid": ("bool", "Whether x and y, which do not descend, are the lines of a grid; else they are points."),
    "a": ("float", "Where the interval begins."),
    "b": ("float", "Where it ends."),
    "xa": ("float", "Where the interval of x begins."),
    "xb": ("float", "Where it ends."),
    "ya": ("float", "Where the interval of y begins."),
    "yb": ("float", "Where it ends."),
}

documented = documenter(_PARAMETERS)
