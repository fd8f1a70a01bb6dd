"""What parameters of ndimage's functions may be in drawn calls."""

import numpy as np
import scipy.ndimage as THEIRS
import tenorite as tn
from drawn import ABSENT, FLOATS, REAL, Pair, Rule, array, axis_of, both, integer, like, seldom, side
from tenorite.scipy import ndimage as OURS

MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-constant", "grid-wrap")


def per_axis(strategy, share=0.5):
    """One value, or one for each axis that is filtered."""

    def draw_it(draw):
        count = draw.ndim()
        if draw.chance(share):
            return draw.value(strategy)
        return [draw.value(strategy) for _ in range(count if draw.chance(0.97) else count + 1)]

    return draw_it


def window(draw, low=1, high=4):
    """The lengths of a window, which matters little in many axes."""
    return tuple(draw.integer(low, high if draw.ndim() < 3 else 2) for _ in range(draw.ndim()))


def weights(draw):
    return draw.array(window(draw), draw.choice(("d",), ("d",), ("f",), ("l",), ("F",)))


def footprint(draw):
    shape = window(draw, 1, 3)
    flags = draw.numbers.random(shape) < 0.7
    if draw.chance(0.95) and flags.size:
        flags.flat[draw.random.randrange(flags.size)] = True
    return draw.like(flags)


def structure(draw):
    """A structuring element of threes, symmetric where label wants it; none where there is a
    footprint, whose shape it should have."""
    if isinstance(draw.made.get("footprint"), Pair):
        kinds = ("l",) if dtype_of(draw).kind in "iu" else ("l", "d")
        return draw.array(side(draw.made["footprint"], "host").shape, kinds)
    flags = draw.numbers.random((3,) * draw.ndim()) < 0.6
    return draw.like(flags | np.flip(flags))


def size(draw):
    """Without a size or a footprint most filters refuse."""
    if draw.chance(0.4):
        draw.made["sized"] = False
        return ABSENT
    draw.made["sized"] = True
    return window(draw) if draw.chance(0.5) else draw.integer(1, 3)


def footprint_or_size(draw):
    if draw.made.get("sized") or draw.chance(0.03):
        return ABSENT
    return footprint(draw)


def centred(draw):
    """Without its middle what is repeated until nothing changes may never end."""
    made = structure(draw)
    made.host[(1,) * draw.ndim()] = made.device[(1,) * draw.ndim()] = True
    return made


def iterations(draw):
    """Until nothing changes only where that comes: windows that hold their middle."""
    given = draw.made.get("structure")
    has_middle = given is None or side(given, "host")[(1,) * draw.ndim()]
    return draw.choice(0, -1) if has_middle and draw.chance(0.3) else draw.integer(1, 3)


def origin(draw):
    """In several iterations SciPy writes beyond its memory where windows are off their middle."""
    if draw.made.get("iterations", 1) != 1:
        return ABSENT
    return draw.choice(0, -1, 1) if draw.chance(0.7) else per_axis((0, -1))(draw)


def output(draw):
    if draw.chance(0.5):
        return draw.choice("f", "d", "l", "B", float, np.int16)
    return draw.output(draw.shape_of(), draw.choice("f", "d", "l", "d"))


def axes(draw):
    ndim = draw.ndim()
    if draw.chance(0.3):
        return draw.integer(0, ndim - 1)  # below 0 SciPy's binary morphology and ranks refuse
    return tuple(draw.random.sample(range(draw.choice(0, -ndim), ndim)[:ndim], draw.integer(1, ndim)))


def coordinates(draw):
    ndim, count = draw.ndim(), draw.integer(0, 9)
    places = (draw.numbers.random((ndim, count)) * 3 - 1) * np.array(draw.shape_of()).reshape(-1, 1)
    return draw.like((np.round(places * 2) / 2 if draw.chance(0.3) else places).astype(draw.choice("d", "d", "f")))


def matrix(draw):
    ndim = draw.ndim()
    values = draw.numbers.standard_normal((ndim, ndim) if draw.chance(0.7) else ndim).round(2)
    if draw.chance(0.2) and values.ndim > 1:
        values = np.c_[values, draw.numbers.standard_normal(ndim).round(1)]
    return draw.like(values)


def labels(draw):
    shape = draw.shape_of()
    values = draw.numbers.integers(0, 4, shape)
    return draw.like(values.astype(draw.choice("l", "i", "B", "h")))


def index(draw):
    return draw.choice(None, 1, 2, -1, [1, 2], [3, 1, 0], [9], draw.like(np.array([1, 3])))


def distinct(draw):
    """Elements that are all different, so that extrema have one place."""
    shape = draw.shape()
    count = int(np.prod(shape))
    return draw.like((draw.numbers.permutation(count) - count // 3).reshape(shape).astype(draw.choice(*"hildf")))


def spread(draw):
    return draw.array(dtypes=("d", "d", "f", "l", "B", "F", "D"))


def ranked(dtypes, lengths=None):
    return lambda draw: draw.array(draw.shape((1, 2, 2, 3)), dtypes)


def spectrum(draw):
    return draw.array(draw.shape((1, 1, 2, 2, 3)), ("f", "d", "F", "D", "l"))


def second(xp, module):
    def derivative(input, axis, output, mode, cval, factor=1.0):
        return module.correlate1d(input, [factor, -2.0, 1.0], axis, output, mode, cval)

    return derivative


def _halves(index):
    return tuple(one * 0.75 for one in index)


IMAGE = array()
FILTERED = array(dtypes=(*REAL, *FLOATS, "e"))
LINE = {"size": integer(0, 6), "filter_size": integer(1, 4)}

PARAMETERS = {
    "input": IMAGE,
    "output": output,
    "mode": seldom(MODES, ("none",), 0.02),
    "cval": (0.0, 1.0, -2.5),
    "origin": origin,
    "axes": axes,
    "axis": axis_of("input"),
    "weights": weights,
    "convolve1d.weights": lambda draw: draw.array((draw.integer(1, 6),), ("d", "f", "l")),
    "correlate1d.weights": lambda draw: draw.array((draw.integer(1, 6),), ("d", "f", "l")),
    "sigma": per_axis((0, 0.5, 1, 1.7)),
    "gaussian_filter1d.sigma": (0, 0.5, 1.0, 2.2),
    "order": seldom((0, 1, 2, 3, 4, 5), (6, -1), 0.03),
    "gaussian_filter.order": per_axis((0, 1, 2, 3), 0.7),
    "gaussian_filter1d.order": (0, 1, 2, 3),
    "truncate": (1.0, 2.5, 4.0),
    "radius": per_axis((0, 1, 3), 0.7),
    "gaussian_filter1d.radius": (0, 1, 3),
    "kwargs": lambda draw: {"truncate": draw.choice(2.0, 3.0)},
    "size": size,
    "footprint": footprint_or_size,
    "uniform_filter.size": per_axis((1, 2, 3, 4)),
    "rank": seldom((0, 0, 1, -1), (2, 9), 0.1),
    "percentile": seldom((0, 20, 50, 83.5, -10, 100), (101,), 0.05),
    "structure": structure,
    "structure1": structure,
    "structure2": structure,
    "origin1": (0, -1, 1),
    "origin2": (0, -1, 1),
    "iterations": iterations,
    "iterate_structure.iterations": (1, 2, 3),
    "mask": like("input", ("?",)),
    "border_value": (0, 1),
    "brute_force": (True, False),
    "function": both(np.max, np.max),
    "vectorized_filter.function": both(np.max, tn.max),
    "derivative": both(second(np, THEIRS), second(tn, OURS)),
    "derivative2": both(second(np, THEIRS), second(tn, OURS)),
    "extra_arguments": None,
    "extra_keywords": None,
    "matrix": matrix,
    "offset": per_axis((0.0, 1.5, -0.75)),
    "output_shape": lambda draw: tuple(draw.integer(1, 6) for _ in range(draw.ndim())),
    "prefilter": (True, False),
    "texture_memory": None,
    "float64_coords": None,
    "grid_mode": (True, False),
    "coordinates": coordinates,
    "shift": per_axis((0, 1, -0.5, 2.25, -7)),
    "zoom.zoom": per_axis((0.5, 1, 1.3, 2)),
    "angle": (0, 30, 45.0, 90, 180, -73.3),
    "reshape": (True, False),
    "rotate.axes": lambda draw: tuple(draw.random.sample(range(draw.ndim()), min(2, draw.ndim()))),
    "mapping": both(_halves, _halves),
    "metric": ("euclidean", "taxicab", "chessboard"),
    "distance_transform_cdt.metric": ("taxicab", "chessboard", "cityblock"),
    "sampling": per_axis((1, 0.5, 2.0)),
    "return_distances": (True, True, True, False),
    "return_indices": None,
    "distances": None,
    "block_params": None,
    "float64_distances": None,
    "indices": None,
    "labels": labels,
    "index": index,
    "func": both(np.sum, tn.sum),
    "out_dtype": (float, int),
    "default": (0, -1),
    "pass_positions": None,
    "min": (0, -3),
    "max": (5, 9),
    "bins": integer(1, 6),
    "max_label": (0, 1, 9),
    "arr": array(dtypes=tuple("bBhHilIL")),
    "ignore_value": (0, 1),
    "adaptive_index_dtype": None,
    "markers": lambda draw: draw.like(
        (draw.numbers.integers(-2, 4, draw.shape_of()) * (draw.numbers.random(draw.shape_of()) < 0.3)).astype(
            draw.choice(*"bhil")
        )
    ),
    "watershed_ift.input": ranked(("B", "H")),
    "watershed_ift.output": None,
    "n": (-1, 8, 9),
    "fourier_shift.shift": per_axis((0, 1.5, -2.0)),
    "connectivity": integer(0, 4),
    "generate_binary_structure.rank": integer(0, 4),
    "iterate_structure.structure": lambda draw: draw.like(THEIRS.generate_binary_structure(draw.integer(1, 3), 1)),
    "iterate_structure.origin": (0, -1),
    "batch_memory": None,
    "vectorized_filter.origin": (0, -1),
}
for _name in ("minimum_filter1d", "maximum_filter1d", "uniform_filter1d", "generic_filter1d"):
    PARAMETERS |= {f"{_name}.{_key}": _value for _key, _value in LINE.items()}
    PARAMETERS[f"{_name}.origin"] = (0, 0, -1, 1)
for _name in ("binary_propagation", "binary_fill_holes"):
    PARAMETERS |= {f"{_name}.structure": centred, f"{_name}.origin": None}
for _name in ("correlate1d", "convolve1d"):
    PARAMETERS[f"{_name}.origin"] = (0, 0, -1, 1)
for _name in ("fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"):
    PARAMETERS |= {f"{_name}.input": spectrum, f"{_name}.size": per_axis((1.0, 2.5, 4.0)), f"{_name}.output": None}
for _name in ("minimum_position", "maximum_position", "extrema", "median"):
    PARAMETERS[f"{_name}.input"] = distinct

# --- How far results may be off ---

SPLINES = ("affine_transform", "geometric_transform", "map_coordinates", "rotate", "shift", "zoom")
FILTERS = ("spline_filter", "spline_filter1d")
SUMS = ("convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter", "gaussian_filter1d", "laplace")
SUMS += ("gaussian_gradient_magnitude", "gaussian_laplace", "uniform_filter", "uniform_filter1d", "sobel", "prewitt")
SUMS += ("generic_laplace", "generic_gradient_magnitude")
GREY = ("grey_closing", "grey_dilation", "grey_erosion", "grey_opening", "white_tophat", "black_tophat")
GREY += ("morphological_gradient", "morphological_laplace")
BINARY = tuple(name for name in OURS.__all__ if name.startswith("binary"))
RANKS = ("median_filter", "percentile_filter", "rank_filter")


def dtype_of(draw, name="input"):
    return side(draw.made[name], "host").dtype


def spline(call):
    """Of single precision, and of integers that fit, all is computed in single precision, which
    splines magnify; beyond the edges of some modes SciPy adds a few elements. Where whole numbers
    are wanted a result near one is cut off."""
    dtype = dtype_of(call.draw)
    is_single = dtype.itemsize <= 2 or call.draw.made.get("mode") in ("nearest", "grid-constant")
    order = call.draw.made.get("order", 3)
    return Rule((20 if dtype.char in "feF" else 6e9 if is_single else 4000) * (1 if order < 4 else 8), 10.0, 1)


def has_no_cast(call):
    """Sums beyond the range of uint32 are what the C compiler makes of them; those of bool are cut
    off in SciPy, and true if they are not 0 here, as in CuPy; complex outputs warn, or not."""
    char, made = dtype_of(call.draw).char, call.draw.made
    return char in "?FD" if "output" in made else char in "?I"


def is_grey_in_doubt(call):
    """With a structure SciPy compares the first of unsigned elements as it is with others that have
    wrapped, and reads memory of its own where a footprint has no element."""
    made = call.draw.made
    if "structure" not in made:
        return dtype_of(call.draw).char in "FD"
    footprint = made.get("footprint")
    return dtype_of(call.draw).kind not in "if" or footprint is not None and not side(footprint, "host").any()


def reads_beyond(call):
    """Beyond the memory of an image without elements SciPy reads whatever is there; it divides by
    numbers of a diagonal matrix that are 0; and below 0 is the far end of what doubles hold."""
    made = call.draw.made
    diagonal = np.asarray(side(made.get("matrix", 1.0), "host"))
    is_far = dtype_of(call.draw).char == "L" and made.get("cval", 0) < 0
    return is_far or 0 in call.draw.shape_of() or diagonal.ndim == 1 and not diagonal.all() or is_begun_wrongly(call)


def is_begun_wrongly(call):
    """SciPy before 1.18 starts the filter of a short reflected line by a wrong sum."""
    modes = {"reflect", "grid-mirror"} | ({"nearest"} if call.name in FILTERS else set())
    order = call.draw.made.get("order", 3)
    return (
        call.draw.made.get("mode", "mirror") in modes
        and (not isinstance(order, int) or order > 1)
        and call.draw.made.get("prefilter", True)
        and min(call.draw.shape_of(), default=24) < 24
    )


def is_wrapped(call):
    """What has wrapped after an axis is far off along the next."""
    output = call.draw.made.get("output", "d")
    is_unsigned = (side(output, "host").dtype if isinstance(output, Pair) else np.dtype(output)).kind == "u"
    return is_begun_wrongly(call) or is_unsigned and call.draw.ndim() > 1


def is_garbage(call):
    """Lines of one axis are not written whole by SciPy where they are short or the output has
    another dtype, and memory beyond them may be."""
    return call.draw.ndim() == 1


def is_wide_mask(call):
    """Outputs of more than a byte are wrong where there is a mask."""
    output = call.draw.made.get("output")
    return (
        "mask" in call.draw.made
        and output is not None
        and (side(output, "host") if isinstance(output, Pair) else np.empty(0, output)).itemsize > 1
    )


def is_permuted(call):
    """SciPy's sigmas are of the image's axes here, of `axes` in gaussian_filter."""
    axes = call.draw.made.get("axes", 0)
    return has_no_cast(call) or axes != 0 and np.size(axes) == call.draw.ndim()


def is_complex_grid(call):
    """SciPy forgets grid_mode of complex images."""
    return reads_beyond(call) or dtype_of(call.draw).kind == "c" and "grid_mode" in call.draw.made


RULES = dict.fromkeys(SPLINES, spline) | {"spline_filter1d": Rule(4000, 30.0, 1, wraps=True)}
# Whole numbers are cut off after each axis, and what is cut off is filtered along the next.
RULES["spline_filter"] = Rule(4000, 30.0, 60)
RULES["center_of_mass"] = Rule(1e5, 100.0)  # of weights whose sum is nearly 0
RULES |= dict.fromkeys((*SUMS, "sum", "sum_labels", "labeled_comprehension"), Rule(64, 10.0))
UNDEFINED = dict.fromkeys(SPLINES, reads_beyond) | dict.fromkeys(FILTERS, is_begun_wrongly)
UNDEFINED |= dict.fromkeys(SUMS, has_no_cast) | dict.fromkeys(GREY, is_grey_in_doubt)
UNDEFINED |= (
    dict.fromkeys(RANKS, is_garbage)
    | {"spline_filter": is_wrapped}
    | {"gaussian_laplace": is_permuted, "zoom": is_complex_grid}
)
UNDEFINED |= dict.fromkeys(BINARY, is_wide_mask)
UNDEFINED["fourier_ellipsoid"] = lambda call: 0 in call.draw.shape_of()  # nothing is checked
UNDEFINED["vectorized_filter"] = lambda call: 0 in call.draw.shape_of()  # TypeErrors of dtypes
METHODS = {}
NAMES = OURS.__all__
