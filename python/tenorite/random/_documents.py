"""Docstrings of distributions: what all of them say, said once."""

import inspect

_SIZE = """size : int or tuple of ints, optional
    Shape of the result. None: the shape that the parameters broadcast to.
"""
_DTYPES = {
    "float": "dtype : {float64, float32}, optional\n    Of the result.\n",
    "integer": "dtype : dtype, optional\n    Of the result: drawn as int64, then converted.\n",
}
_OUT = """out : ndarray, optional
    Contiguous in order C; it is written instead of a new array.
"""
_EXAMPLE = """>>> import tenorite as cp
>>> rng = cp.random.{drawn}(7)
>>> rng.{call}.shape
(4,)"""
# What the example of a method becomes where the module's function is called.
_OF_FUNCTIONS = (
    (">>> rng = cp.random.default_rng(7)\n", ""),
    (">>> rng = cp.random.RandomState(7)\n", ""),
    ("cp.random.default_rng(7).", "cp.random."),
    ("cp.random.RandomState(7).", "cp.random."),
    (">>> rng.", ">>> cp.random."),
)


def of_a_function(text):
    """The docstring of a method, with an example that calls the module's function of its name."""
    text = text and inspect.cleandoc(text)  # None under python -OO
    for old, new in _OF_FUNCTIONS:
        text = text and text.replace(old, new)
    return text


def described(call, kind="float", out=False, options="", drawn="default_rng", **parameters):
    """A decorator that completes a method's docstring by the sections that all of them have.

    `call` is what its example calls, of which the shape is shown; `parameters` say what each
    parameter of the distribution means, `options` what else it takes, `drawn` makes the generator
    of the example.
    """

    def complete(method):
        texts = [f"{name} : float or ndarray\n    {text}\n" for name, text in parameters.items()]
        texts += [_SIZE, _DTYPES[kind], options, _OUT if out else ""]
        sections = {
            "Parameters": "".join(texts),
            "Returns": "ndarray\n    " + ("`out`, or a new array." if out else "A new array."),
            "Raises": "ValueError\n    For a parameter out of its range, if it is a number.",
            "Examples": _EXAMPLE.format(call=call, drawn=drawn),
        }
        if not parameters:
            del sections["Raises"]
        parts = [f"{title}\n{'-' * len(title)}\n{text.strip()}" for title, text in sections.items()]
        method.__doc__ = "\n\n".join([inspect.cleandoc(method.__doc__), *parts]) + "\n"
        return method

    return complete
