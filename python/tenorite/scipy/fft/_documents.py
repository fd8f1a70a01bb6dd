"""Docstrings: what parameters of the same name mean in all transforms, once."""

from tenorite._lib.documents import documenter
from tenorite.fft._documents import AXIS, AXIS_ERROR, PAIR, SEVERAL, SIDES, by_side, norm_of

_CUT = "the input is cut or followed by zeros."
LENGTH, LENGTHS = ("int", f"The length: {_CUT}"), ("sequence of ints", f"The lengths along the axes: {_CUT}")
LOST, NOT_LOST = (("bool", f"Whether the input may be lost{text}.") for text in ("", "; it never is"))
PLAN = "What `get_fft_plan` has made for such a transform"


def _n(name, side):
    return ("int", f"The length of the {side} along the axis: {_CUT}")


def _s(name, side):
    return ("sequence of ints", f"The lengths along the axes, of the {side}: {_CUT}")


documented = documenter(
    {
        "x": ("ndarray", "The input."),
        "n": _n("fft", "transform"),
        **by_side("n", _n, ""),
        "s": _s("fftn", "transform"),
        **by_side("s", _s, "2", "n"),
        "axis": AXIS,
        "axes": SEVERAL,
        **{f"{name}2.axes": PAIR for name in ("fft", "ifft", *SIDES)},
        "norm": norm_of("1/n"),
        "overwrite_x": LOST,
        "plan": ("Plan1d or PlanNd", f"{PLAN}; another is a ValueError."),
    },
    returns=("ndarray", "A new array, or `x`."),
    raises={"axis": AXIS_ERROR, "axes": AXIS_ERROR},
)

# Of cosine and sine transforms.
documented_real = documenter(
    {
        "x": ("ndarray", "Real numbers; of complex ones both parts are transformed."),
        "type": ("{1, 2, 3, 4}", "Which of the transforms."),
        "n": LENGTH,
        "s": LENGTHS,
        "axis": AXIS,
        "axes": SEVERAL,
        "norm": norm_of("1/(2n)"),
        "overwrite_x": NOT_LOST,
        "orthogonalize": (
            "bool",
            'Whether the ends are weighed such that the matrix is orthogonal; for norm "ortho" if not given.',
        ),
    },
    returns=("ndarray", "float32 of halves and float32, else float64; complex of complex numbers."),
    raises={"axis": AXIS_ERROR, "axes": ("ValueError", "For an axis that the array has not.")},
)

# Of scipy.fftpack.
documented_packed = documenter(
    {
        "x": ("ndarray", "The input."),
        "n": LENGTH,
        "shape": LENGTHS,
        "axis": AXIS,
        "axes": ("sequence of ints", "The axes."),
        "overwrite_x": LOST,
        "rfft.overwrite_x": NOT_LOST,
        "irfft.overwrite_x": NOT_LOST,
        "plan": ("Plan1d or PlanNd", f"{PLAN}."),
    },
    returns=("ndarray", "A new array, or `x`."),
    raises={"axis": AXIS_ERROR, "axes": AXIS_ERROR, "shape": ("ValueError", "For a negative size.")},
)
