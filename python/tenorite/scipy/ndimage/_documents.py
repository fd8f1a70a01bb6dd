"""Docstrings: what parameters of the same name mean everywhere, once."""

import inspect
import textwrap

_PARAMETERS = {
    "input": ("ndarray", "The image: an array of any number of axes."),
    "weights": ("array_like", "What the elements of a window are multiplied with: an array, or numbers of the host."),
    "axis": ("int, optional", "The axis along which the window lies; a negative one counts from the end."),
    "output": (
        "ndarray or dtype, optional",
        "The array that the result goes to, or the dtype of a new one; that of the input if it is None.",
    ),
    "mode": (
        "str or sequence of str, optional",
        "How the image goes on beyond its edges: 'reflect' (also 'grid-mirror'), 'constant' "
        "('grid-constant'), 'nearest', 'mirror' or 'wrap' ('grid-wrap'). A sequence, one for each axis, "
        "is taken where windows are separable.",
    ),
    "cval": ("scalar, optional", "The value beyond the edges in mode 'constant'."),
    "origin": ("int or sequence of int, optional", "Where the window lies: 0 is in its middle."),
    "axes": ("int or tuple of int, optional", "The axes over which windows extend; all of them if it is None."),
    "sigma": ("scalar or sequence of scalar", "The standard deviation of the Gaussian, for each axis."),
    "order": ("int or sequence of int, optional", "The derivative of the Gaussian; 0 is itself."),
    "truncate": ("float, optional", "After how many standard deviations the window ends."),
    "radius": ("int or sequence of int, optional", "The window's radius, in the place of `truncate`."),
    "size": ("int or sequence of int, optional", "The size of the window, for each axis."),
    "filter_size": ("int", "The size of the window."),
    "footprint": ("array_like, optional", "The shape of the window: an array whose true elements belong to it."),
    "rank": ("int", "Which element in ascending order is taken; -1 is the largest."),
    "percentile": ("scalar", "Which element in ascending order is taken, as a share of 100."),
    "structure": ("array_like, optional", "The structuring element; a negative origin moves it to the left."),
    "structure1": ("array_like, optional", "What has to be set around an element."),
    "structure2": ("array_like, optional", "What may not be set; the complement of `structure1` if it is None."),
    "origin1": ("int or sequence of int, optional", "Where `structure1` lies."),
    "origin2": ("int or sequence of int, optional", "Where `structure2` lies; as `origin1` if it is None."),
    "iterations": ("int, optional", "How often it is done; below 1: until nothing changes."),
    "mask": ("ndarray, optional", "Where it is not set elements stay as they are."),
    "border_value": ("int, optional", "The value beyond the edges, 0 or 1."),
    "brute_force": ("bool, optional", "Taken as SciPy's: the result is the same."),
    "derivative": ("callable", "``derivative(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)``."),
    "derivative2": (
        "callable",
        "``derivative2(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)``.",
    ),
    "extra_arguments": ("sequence, optional", "Further arguments of the function."),
    "extra_keywords": ("dict, optional", "Further keyword arguments of the function."),
    "kwargs": ("object", "Further arguments of gaussian_filter."),
}


def documented(**own):
    """A decorator: the docstring, a summary and an example, gets the sections between. `own`: what
    parameters mean here, as pairs of a type and a text; `returns` what is given back."""
    returns = own.pop("returns", ("ndarray", "The result, of the input's shape; `output` where that is an array."))

    def decorate(function):
        summary, _, example = inspect.cleandoc(function.__doc__).partition("\nExamples\n--------\n")
        lines = [summary.rstrip(), "", "Parameters", "----------"]
        for parameter in inspect.signature(function).parameters.values():
            kind, text = own.get(parameter.name) or _PARAMETERS[parameter.name]
            stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
            lines += [f"{stars}{parameter.name} : {kind}", textwrap.indent(textwrap.fill(text, 96), "    ")]
        lines += ["", "Returns", "-------", returns[0], textwrap.indent(textwrap.fill(returns[1], 96), "    ")]
        names = inspect.signature(function).parameters
        if "axis" in names:
            lines += ["", "Raises", "------", "AxisError", "    For an axis that the image does not have."]
        if "axes" in names:
            lines += ["", "Raises", "------", "ValueError", "    For an axis that the image does not have."]
        lines += ["", "Examples", "--------", example]
        function.__doc__ = "\n".join(lines)
        return function

    return decorate
