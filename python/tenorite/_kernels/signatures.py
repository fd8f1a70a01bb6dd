"""Signatures of functions of arrays: ``"(m,n),(n,p)->(m,p)"``."""

import re

_AXIS = r"(?:[^\W\d]\w*|\d+)\s*(?:\?|\|\s*1)?"
_AXES = rf"\(\s*(?:{_AXIS}\s*(?:,\s*{_AXIS}\s*)*)?,?\s*\)"
_LIST = rf"\s*{_AXES}\s*(?:,\s*{_AXES}\s*)*"


def _read_axis(text):
    """(name, whether it may be absent, whether a length of 1 broadcasts)."""
    name = re.match(r"\w+", text).group()
    return name, text.endswith("?"), "|" in text


def parse_signature(signature):
    """(axes of each input, axes of each output, how many names there are).

    An axis is ``(name, whether it may be absent, whether a length of 1 broadcasts)``.
    """
    if not isinstance(signature, str):
        raise TypeError(f"Signature must be str, not {type(signature).__name__}")
    if not re.fullmatch(rf"(?:{_LIST})?->(?:{_LIST})?", signature):
        raise ValueError(f"Not a valid gufunc signature: {signature!r}")
    sides = []
    for side in signature.split("->"):
        groups = re.findall(r"\(([^)]*)\)", side)
        axes = [tuple(_read_axis(one.strip()) for one in group.split(",") if one.strip()) for group in groups]
        sides.append(axes or [()])
    return (*sides, len({axis[0] for side in sides for core in side for axis in core}))


def read_signature(signature):
    """The names of the axes of each input and of each output.

    One that may be absent ends with a question mark, one that broadcasts with a bar.
    """
    inputs, outputs, _ = parse_signature(signature)
    left, right = signature.split("->")
    optional = {axis[0] for side in (inputs, outputs) for core in side for axis in core if axis[1]}

    def names(side, text):
        if not text.strip():
            return []
        return [
            tuple(
                f"{name}?" if name in optional else f"{name}|" if broadcasts else name for name, _, broadcasts in core
            )
            for core in side
        ]

    return names(inputs, left), names(outputs, right)
