"""Signatures of functions of arrays: ``"(m,n),(n,p)->(m,p)"``."""

import re

_NAME = r"[^\W\d]\w*"
_AXES = rf"\(\s*(?:(?:{_NAME}|\d+)\s*\??\s*(?:,\s*(?:{_NAME}|\d+)\s*\??\s*)*)?,?\s*\)"
_LIST = rf"\s*{_AXES}\s*(?:,\s*{_AXES}\s*)*"


def read_signature(signature):
    """The names of the axes of each input and of each output."""
    if not isinstance(signature, str):
        raise TypeError(f"Signature must be str, not {type(signature).__name__}")
    if not re.fullmatch(rf"(?:{_LIST})?->(?:{_LIST})?", signature):
        raise ValueError(f"Not a valid gufunc signature: {signature!r}")
    sides = []
    for side in signature.split("->"):
        groups = re.findall(r"\(([^)]*)\)", side)
        sides.append([tuple(one.strip() for one in group.split(",") if one.strip()) for group in groups])
    return tuple(sides)
