"""What parameters of interpolate's functions and classes may be in drawn calls."""

import numpy as np
import scipy.interpolate
from drawn import Rule, always, side
from tenorite.scipy import interpolate as OURS

THEIRS = scipy.interpolate


def ascending(draw, low=2, high=9):
    """Places that ascend; seldom two that are equal, or one that falls, which are refused."""
    values = np.cumsum(draw.numbers.random(draw.integer(low, high)) + 0.1)
    if draw.chance(0.04):
        values[-1] = values[0]
    return draw.like(values.round(3))


def some(draw):
    return ascending(draw, 5, 10)


def values_at(name, kinds=("d", "d", "d", "f", "D", "l")):
    """Values with an axis of the length of the places, mostly the first."""

    def draw_it(draw):
        count = draw.shape_of(name)[0] + (1 if draw.chance(0.02) else 0)
        others = [draw.integer(1, 3) for _ in range(draw.choice(0, 0, 1, 2))]
        draw.made["where"] = draw.integer(0, len(others))
        if "axis" not in draw.made and draw.chance(0.6):
            draw.made["where"] = 0
        others.insert(draw.made["where"], count)
        return draw.array(others, kinds)

    return draw_it


def line_at(name):
    return lambda draw: draw.like(draw.numbers.standard_normal(draw.shape_of(name)).round(2))


def axis(draw):
    where = draw.made.get("where", 0)
    return where if draw.chance(0.97) else 5


def places(draw):
    """Places within, beyond and at the ends."""
    name = next(name for name in ("x", "xi", "t") if name in draw.made)
    known = np.ravel(side(draw.made[name], "host")).real
    low, high = (known.min(), known.max()) if known.size else (0, 1)
    shape = draw.choice((), (3,), (2, 2), (0,), (5,))
    values = draw.numbers.uniform(low - 0.5, high + 0.5, shape)
    if shape and values.size and draw.chance(0.3):
        values.flat[0] = known[draw.random.randrange(known.size)]
    return draw.like(values)


def end(draw):
    return round(float(draw.numbers.uniform(0, 5)), 2)


def coefficients(draw):
    """Of a piecewise polynomial: orders, pieces, and axes of the values."""
    pieces = draw.integer(1, 4)
    draw.made["pieces"] = pieces
    shape = (draw.integer(1, 5), pieces, *[draw.integer(1, 3) for _ in range(draw.choice(0, 0, 1))])
    return draw.like(draw.numbers.standard_normal(shape))


def breaks(draw):
    values = np.cumsum(draw.numbers.random(draw.made["pieces"] + 1) + 0.1)
    return draw.like(values[::-1] if draw.chance(0.1) else values)


def knots(draw):
    """Knots, some repeated, with as many as two of them in the middle equal."""
    k, count = draw.integer(0, 4), draw.integer(1, 5)
    inner = np.sort(draw.numbers.random(count) * 4)
    if count > 1 and draw.chance(0.3):
        inner[1] = inner[0]
    if draw.chance(0.6):
        inner = np.r_[[-0.5] * (k + 1), inner, [4.5] * (k + 1)]
    else:
        inner = np.r_[np.arange(-k - 1.0, 0), inner, np.arange(5.0, 6 + k)]
    draw.made["degree"], draw.made["knots"] = k, inner
    return draw.like(inner)


def of_knots(draw):
    count = len(draw.made["knots"]) - draw.made["degree"] - 1
    others = [draw.integer(1, 3) for _ in range(draw.choice(0, 0, 1))]
    return draw.like(draw.numbers.standard_normal((count, *others)))


def tck(draw):
    """As functions of FITPACK's names have it: as many coefficients as knots."""
    t = knots(draw)
    c = of_knots(draw).host
    return (t, draw.like(np.concatenate([c, np.zeros((len(t.host) - len(c), *c.shape[1:]))])), draw.made["degree"])


def grid(draw):
    """Places along one to three axes."""
    return tuple(np.cumsum(draw.numbers.random(draw.integer(2, 6)) + 0.1) for _ in range(draw.choice(1, 2, 2, 3)))


def on_grid(draw):
    shape = [len(one) for one in draw.made["points"]]
    if draw.chance(0.2):
        shape.append(2)
    return draw.array(shape, ("d", "d", "f", "D"))


def in_grid(draw):
    axes = draw.made["points"]
    count = draw.integer(0, 5)
    if draw.chance(0.9):
        columns = [draw.numbers.uniform(one[0], one[-1], count) for one in axes]
    else:
        columns = [draw.numbers.uniform(one[0] - 1, one[-1] + 1, count) for one in axes]
    return draw.like(np.stack(columns, axis=-1))


def scattered(draw):
    return draw.like(draw.numbers.random((draw.integer(5, 12), 2)))


def near(draw):
    return draw.like(draw.numbers.random((draw.integer(1, 5), 2)) * 1.2 - 0.1)


def near_args(draw):
    return [near(draw)]


def at_scattered(name):
    def draw_it(draw):
        return draw.like(draw.numbers.standard_normal((draw.shape_of(name)[0], *draw.choice((), (), (2,)))))

    return draw_it


def inner_knots(draw):
    x = side(draw.made["x"], "host")
    return draw.like(np.sort(draw.numbers.uniform(x.min() + 0.01, x.max() - 0.01, draw.integer(0, 2))))


def fit_knots(draw):
    """Knots for a fit by least squares, with as many as the degree wants at the ends."""
    x, k = side(draw.made["x"], "host"), draw.integer(1, 3)
    draw.made["degree"] = k
    inner = np.sort(draw.numbers.uniform(x.min(), x.max(), draw.integer(0, 1)))
    return draw.like(np.r_[[x.min()] * (k + 1), inner, [x.max()] * (k + 1)])


BC = ("not-a-knot", "natural", "clamped", ((1, 0.5), (2, -1.0)), "periodic")
PARAMETERS = {
    "x": some,
    "y": values_at("x"),
    "axis": axis,
    "extrapolate": (True, False, "periodic", None),
    "method": ("akima", "makima"),
    "bc_type": BC,
    "dydx": lambda draw: draw.like(draw.numbers.standard_normal(draw.shape_of("y"))),
    "nu": (0, 1, 2),
    "c": coefficients,
    "t": knots,
    "k": (1, 2, 3, 5, 0),
    "a": end,
    "b": end,
    "discontinuity": (True, False),
    "xi": some,
    "yi": values_at("xi"),
    "wi": None,
    "rng": None,
    "der": (0, 1, 2),
    "points": scattered,
    "values": at_scattered("points"),
    "fill_value": (0.0, 1.5),
    "tol": None,
    "maxiter": None,
    "rescale": (True, False),
    "args": near_args,
    "tree_options": None,
    "query_options": None,
    "bounds_error": (True, False, False),
    "solver": None,
    "solver_args": None,
    "w": None,
    "bbox": None,
    "ext": (0, 1, 2, 3),
    "check_finite": (True, False),
    "n": (1, 2),
    "s": None,
    "eps": None,
    "maxit": None,
    "d": at_scattered("y"),
    "neighbors": (None, 4),
    "smoothing": (0.0, 0.5),
    "kernel": ("linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_quadratic", "gaussian"),
    "epsilon": always((1.0, 2.0)),
    "degree": (None, 0, 1, 2),
    "kind": ("linear", "nearest", "nearest-up", "previous", "next", "zero", "slinear", "quadratic", "cubic"),
    "copy": (True, False),
    "assume_sorted": (True, False),
    "tck": tck,
}
for _name in ("CubicSpline", "Akima1DInterpolator", "PchipInterpolator", "CubicHermiteSpline", "PPoly", "BPoly"):
    PARAMETERS |= {f"{_name}.__call__.x": places, f"{_name}.solve.y": (0.0, 0.5)}
for _name in ("BSpline", "KroghInterpolator", "BarycentricInterpolator", "interp1d", "UnivariateSpline"):
    PARAMETERS[f"{_name}.__call__.x"] = places
PARAMETERS |= {
    "PchipInterpolator.y": values_at("x", ("d", "d", "f", "l")),
    "CubicSpline.y": values_at("x", ("d", "d", "f", "l", "D")),
    "Akima1DInterpolator.y": values_at("x", ("d", "d", "f", "l")),
    "PPoly.x": breaks,
    "BPoly.x": breaks,
    "BPoly.integrate.a": end,
    "PPoly.axis": None,
    "BPoly.axis": None,
    "BSpline.c": of_knots,
    "BSpline.k": lambda draw: draw.made["degree"],
    "BSpline.axis": (0,),
    "BSpline.insert_knot.x": (1.5, 2.25),
    "BSpline.insert_knot.m": (1, 2),
    "KroghInterpolator.derivative.x": places,
    "KroghInterpolator.derivatives.x": places,
    "KroghInterpolator.derivatives.der": (None, 2),
    "KroghInterpolator.derivative.der": (1, 2),
    "BarycentricInterpolator.derivative.x": places,
    "BarycentricInterpolator.derivatives.x": places,
    "BarycentricInterpolator.derivatives.der": (None, 2),
    "BarycentricInterpolator.derivative.der": (1, 2),
    "barycentric_interpolate.x": places,
    "krogh_interpolate.x": places,
    "pchip_interpolate.x": places,
    "pchip_interpolate.yi": values_at("xi", ("d",)),
    "RegularGridInterpolator.points": grid,
    "RegularGridInterpolator.values": on_grid,
    "RegularGridInterpolator.method": ("linear", "nearest", "slinear", "cubic", "quintic", "pchip"),
    "RegularGridInterpolator.__call__.xi": in_grid,
    "RegularGridInterpolator.__call__.method": ("linear", "nearest"),
    "RegularGridInterpolator.__call__.nu": None,
    "interpn.points": grid,
    "interpn.values": on_grid,
    "interpn.xi": in_grid,
    "interpn.method": ("linear", "nearest", "slinear", "cubic", "pchip", "splinef2d"),
    "griddata.xi": near,
    "griddata.method": ("linear", "nearest", "cubic"),
    "NearestNDInterpolator.x": scattered,
    "NearestNDInterpolator.y": at_scattered("x"),
    "RBFInterpolator.y": scattered,
    "RBFInterpolator.__call__.x": near,
    "RectBivariateSpline.x": some,
    "RectBivariateSpline.y": some,
    "RectBivariateSpline.z": lambda draw: draw.like(
        draw.numbers.standard_normal((draw.shape_of("x")[0], draw.shape_of("y")[0]))
    ),
    "RectBivariateSpline.kx": (2, 3),  # SciPy has no first derivative of straight pieces
    "RectBivariateSpline.ky": (2, 3),
    "RectBivariateSpline.__call__.x": ([1.0, 2.0], [0.5]),
    "RectBivariateSpline.__call__.y": ([0.7, 1.4], [2.0]),
    "RectBivariateSpline.__call__.dx": (0, 1),
    "RectBivariateSpline.__call__.dy": (0, 1),
    "RectBivariateSpline.__call__.grid": (True,),
    "RectBivariateSpline.ev.xi": ([1.0, 2.0],),
    "RectBivariateSpline.ev.yi": ([0.7, 1.4],),
    "RectBivariateSpline.ev.dx": (0, 1),
    "RectBivariateSpline.ev.dy": (0, 1),
    "xa": end,
    "xb": end,
    "ya": end,
    "yb": end,
    "InterpolatedUnivariateSpline.y": line_at("x"),
    "LSQUnivariateSpline.y": line_at("x"),
    "LSQUnivariateSpline.t": inner_knots,
    "UnivariateSpline.y": line_at("x"),
    "UnivariateSpline.s": (None, 0, 0.5, 3.0),
    "UnivariateSpline.k": (1, 2, 3, 5),
    "InterpolatedUnivariateSpline.k": (1, 2, 3, 5),
    "LSQUnivariateSpline.k": (1, 2, 3),
    "interp1d.axis": axis,
    "interp1d.y": values_at("x", ("d", "d", "f", "D")),
    "interp1d.fill_value": (0.0, "extrapolate"),
    "make_interp_spline.t": None,
    "make_interp_spline.bc_type": (None, "natural", "clamped", "not-a-knot", "periodic"),
    "make_lsq_spline.y": values_at("x", ("d", "d", "f")),
    "make_lsq_spline.t": fit_knots,
    "make_lsq_spline.k": lambda draw: draw.made["degree"],
    "make_lsq_spline.w": (None,),
    "make_lsq_spline.method": ("qr",),
    "make_lsq_spline.axis": None,
}
_UNIVARIATE = ("UnivariateSpline", "InterpolatedUnivariateSpline", "LSQUnivariateSpline")
for _name in _UNIVARIATE:
    PARAMETERS |= {f"{_name}.__call__.x": places, f"{_name}.derivatives.x": (1.0, 0.5)}

_OF_PIECES = "__call__ derivative antiderivative integrate roots solve c x"
METHODS = dict.fromkeys(("CubicSpline", "Akima1DInterpolator", "PchipInterpolator", "CubicHermiteSpline"), _OF_PIECES)
METHODS |= dict.fromkeys(_UNIVARIATE, "__call__ get_coeffs get_knots get_residual integral derivatives")
METHODS |= {
    "PPoly": "__call__ derivative antiderivative integrate roots solve",
    "BPoly": "__call__ derivative antiderivative integrate",
    "BSpline": "__call__ derivative antiderivative integrate insert_knot",
    "KroghInterpolator": "__call__ derivative derivatives",
    "BarycentricInterpolator": "__call__ derivative derivatives",
    "CloughTocher2DInterpolator": "__call__",
    "LinearNDInterpolator": "__call__",
    "NearestNDInterpolator": "__call__",
    "RBFInterpolator": "__call__",
    "RectBivariateSpline": "__call__ ev get_coeffs get_residual integral",
    "RegularGridInterpolator": "__call__",
    "interp1d": "__call__",
}
ATTRIBUTES = dict.fromkeys(("PPoly", "CubicSpline", "Akima1DInterpolator", "PchipInterpolator"), "c x axis")
ATTRIBUTES |= {"BPoly": "c x axis", "BSpline": "t c k", "CubicHermiteSpline": "c x axis"}
LEFT_OUT = {"NdBSpline", "NdPPoly", "SmoothBivariateSpline", "pchip"}
NAMES = [name for name in OURS.__all__ if name not in LEFT_OUT]
RULES = dict.fromkeys(NAMES, Rule(1e7, 10.0))


def solved(call):
    """SciPy's coefficients on a grid are those of an iteration, 3e-5 off at the grid's places."""
    methods = (call.draw.made.get("method"), *(call.asked or ((), {}))[1].values())
    return Rule(1e12, 10.0) if {"cubic", "quintic"}.intersection(map(str, methods)) else Rule(1e7, 10.0)


RULES |= dict.fromkeys(("RegularGridInterpolator", "interpn"), solved)


def is_beyond(call):
    """SciPy refuses derivatives of constants, and periods of places that descend."""
    x, c = (side(call.draw.made[name], "host") for name in "xc")
    return len(c) == 1 or x[0] > x[-1]


def is_complex_pchip(call):
    """SciPy refuses complex values, which CuPy takes."""
    made = call.draw.made
    return made.get("method") == "pchip" and side(made["values"], "host").dtype.kind == "c"


UNDEFINED = dict.fromkeys(("PPoly", "BPoly"), is_beyond)
UNDEFINED |= dict.fromkeys(("RegularGridInterpolator", "interpn"), is_complex_pchip)
# Derivatives of steps are 0 in SciPy, also where nothing is extrapolated.
UNDEFINED["BSpline"] = lambda call: call.draw.made["degree"] < 2
