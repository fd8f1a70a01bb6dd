"""Docstrings: what parameters of the same name mean in all transforms, once."""

from tenorite._lib.documents import documenter

AXIS = ("int", "The axis; the last one if not given.")
AXIS_ERROR = ("AxisError", "For an axis that the array has not.")
SEVERAL, PAIR = (("sequence of ints", f"The axes; the last {text}.") for text in ("len(s), or all", "two if not given"))
# What lengths are those of, where it is not the transform.
SIDES = {"rfft": "input", "ihfft": "input", "irfft": "result", "hfft": "result"}


def norm_of(factor):
    """The parameter `norm` of transforms with a factor."""
    text = f'Which transform has the factor {factor}: the inverse ("backward"), both its root, or the other.'
    return ('{"backward", "ortho", "forward"}', text)


def by_side(parameter, make, *suffixes):
    """Rows of a parameter of lengths, for the transforms whose lengths are one side's."""
    return {f"{name}{suffix}.{parameter}": make(name, side) for name, side in SIDES.items() for suffix in suffixes}


def _n(name, side):
    default = "2 (m - 1) of m elements, if not given." if side == "result" else "As long as the input is, if not given."
    text = "Longer input is cut, shorter input is followed by zeros."
    return ("int", f"The length of the {side} along the axis. {text} {default}")


def _s(name, side):
    text = f"The lengths along the axes, of the {side}: the input is cut or followed by zeros."
    return ("sequence of ints", f"{text} -1 means the length of the input.")


_REAL = ("ndarray", "Real numbers.")
_HALF = ("ndarray", "The first half, along the last axis, of a transform of real numbers.")
_PARAMETERS = {
    "a": ("ndarray", "Real or complex numbers."),
    **dict.fromkeys(("rfft.a", "ihfft.a", "rfft2.a", "rfftn.a"), _REAL),
    **dict.fromkeys(("irfft2.a", "irfftn.a"), _HALF),
    "irfft.a": ("ndarray", "The first n // 2 + 1 elements of a transform of real numbers."),
    "hfft.a": ("ndarray", "The first n // 2 + 1 elements of the signal."),
    "n": _n("fft", "transform"),
    **by_side("n", _n, ""),
    "fftfreq.n": ("int", "The length."),
    "rfftfreq.n": ("int", "The length of the real side."),
    "s": _s("fftn", "transform"),
    **by_side("s", _s, "2", "n"),
    "axis": AXIS,
    "axes": SEVERAL,
    **dict.fromkeys(("fft2.axes", "ifft2.axes", "rfft2.axes", "irfft2.axes"), PAIR),
    **dict.fromkeys(("fftshift.axes", "ifftshift.axes"), ("int or sequence of ints", "The axes; all if not given.")),
    "norm": norm_of("1/n"),
    "out": ("ndarray", "Where the result is written."),
    "d": ("float", "The distance of samples."),
    "device": ("Device", "Where the result is to be; the current device if not given."),
    "dtype": ("dtype", "Of the result; float64 if it is None."),
    "fftshift.x": ("ndarray", "A transform, or its frequencies."),
    "ifftshift.x": ("ndarray", "What `fftshift` has made."),
}
TO_HALF = ("ndarray", "complex64 of halves and float32, else complex128.")
TO_REAL = ("ndarray", "Real numbers of half the input's bytes; of real input of its dtype.")
MOVED = ("ndarray", "A new array of the same shape.")

documented = documenter(
    _PARAMETERS,
    returns=("ndarray", "complex64 of halves, float32 and complex64, else complex128."),
    raises={"axis": AXIS_ERROR, "axes": AXIS_ERROR},
)
