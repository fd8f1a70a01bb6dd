"""Docstrings of distributions: what all of them say, said once."""

_SIZE = """size : int or tuple of ints, optional
    Shape of the result. None: the shape that the parameters broadcast to.
"""
_FLOATS = "dtype : {float64, float32}, optional\n    Of the result.\n"
_INTEGERS = "dtype : dtype, optional\n    Of the result: drawn as int64, then converted.\n"
_OUT = "out : ndarray, optional\n    Contiguous in order C; it is written instead of a new array.\n"
NUMBERS = "float or ndarray"


def described(example, kind="float", out=False, raises="ValueError\n    For a parameter out of its range, if it is a number.\n",
              **parameters):  # fmt: skip
    """A decorator that completes a method's docstring by the sections that all of them have.

    `example` is the call that its example makes, of which the shape is shown; `parameters` say what
    each parameter of the distribution means.
    """

    def complete(method):
        lines = [f"{name} : {NUMBERS}\n    {text}\n" for name, text in parameters.items()]
        lines += [_SIZE, _FLOATS if kind == "float" else _INTEGERS, *([_OUT] if out else [])]
        text = method.__doc__.strip("\n ")
        sections = [("Parameters", "".join(lines)), ("Returns", "ndarray\n    A new array, or `out`.\n" if out else "ndarray\n    A new array.\n")]
        if parameters:
            sections.append(("Raises", raises))
        sections.append(("Examples", f">>> import tenorite as cp\n>>> rng = cp.random.RandomState(7)\n>>> rng.{example}.shape\n(4,)\n"))
        parts = [text]
        for title, body in sections:
            parts.append(f"{title}\n{'-' * len(title)}\n{body.rstrip()}")
        blocks = parts[0].split("\n")
        first = [blocks[0], *(line[4:] if line.startswith("        ") else line.strip() for line in blocks[1:])]
        first = [line[4:] if line.startswith("    ") else line for line in first]
        method.__doc__ = "\n\n".join(["\n".join(first), *parts[1:]]) + "\n"
        return method

    return complete
