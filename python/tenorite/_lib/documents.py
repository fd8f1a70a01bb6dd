"""Docstrings from tables: what parameters of one name mean, and what functions of one family give
and raise, is said once.

A docstring has a summary and what is its own: sections, and of the section Parameters those that
mean something of their own. What it lacks comes from a table, in numpydoc's order. A table of
parameters maps a name, or function.name where that differs, to a type and a text; ", optional" is
added to what has a default. One table lies below all others.
"""

import functools
import inspect
import re

# What parameters mean wherever no table says otherwise.
_COMMON = {
    "dtype": ("dtype", "Of the result."),
    "peer": ("int", "The other rank."),
    "shape": ("tuple of ints", "Of the result."),
    "x": ("ndarray", "The elements."),
}
_ORDER = ("Parameters", "Attributes", "Returns", "Raises", "See Also", "Notes", "References", "Examples")
_TITLE = re.compile(r"^(\w+(?: \w+)*)\n-+\n", re.MULTILINE)
_PARAMETER = re.compile(r"^\S.*(?:\n[ \n].*)*", re.MULTILINE)


@functools.cache
def _entry(head, text):
    """A head and its text, in lines of 100 columns; textwrap takes ten times as long."""
    lines, width = [head], 100
    for word in text.split():
        width += 1 + len(word)
        if width > 100:
            lines.append("   ")
            width = 4 + len(word)
        lines[-1] += f" {word}"
    return "\n".join(lines)


def section(pairs):
    """The lines of a section: heads, each with its text below."""
    return "\n".join(_entry(*pair) for pair in pairs)


def _said(text):
    """{name: its entry, which two names may share} of a section Parameters."""
    entries = [(entry.splitlines()[0].split(" :")[0], entry) for entry in _PARAMETER.findall(text)]
    return {name.strip(" *"): entry for names, entry in entries for name in names.split(",")}


def parameters_of(name, signature, table, own=""):
    """The section of a function's parameters: the entries of its own section, and for the others
    those of the table."""
    said, entries = _said(own), []
    for one in signature.parameters.values():
        if one.name in said:
            entries.append(said[one.name].rstrip())
        elif one.name not in ("self", "cls"):
            kind, text = table.get(f"{name}.{one.name}") or table.get(one.name) or _COMMON[one.name]
            stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
            is_optional = one.default is not one.empty and "optional" not in kind
            entries.append(_entry(f"{stars}{one.name} : {kind}{', optional' if is_optional else ''}", text))
    return "\n".join(dict.fromkeys(entries))


def compose(summary, sections):
    """A docstring of a summary and the sections by their titles, empty ones left out."""
    parts = [summary.strip()]
    parts += [f"{title}\n{'-' * len(title)}\n{sections[title].strip()}" for title in _ORDER if sections.get(title)]
    return "\n\n".join(parts) + "\n"


def documenter(parameters, returns=None, raises=None):
    """The decorator of a package, whose functions or classes get the sections they lack.

    returns: the head and the text of a result, by default. raises: parameter -> head and text of
    what a function that has this parameter raises. The decorator takes, by their names, parameters
    that mean something else in one function, and `returns`.
    """

    def documented(function=None, /, **own):
        if function is None:
            return lambda function: documented(function, **own)
        if function.__doc__ is None:  # python -OO
            return function
        summary, *parts = _TITLE.split(inspect.cleandoc(function.__doc__))
        sections = dict(zip(parts[::2], parts[1::2]))
        signature = inspect.signature(function)
        said = sections.get("Parameters", "")
        sections["Parameters"] = parameters_of(function.__name__, signature, parameters | own, said)
        given = own.get("returns", returns)
        if given and "Returns" not in sections:
            sections["Returns"] = section([given])
        if raises and "Raises" not in sections:
            sections["Raises"] = section([raises[name] for name in signature.parameters if name in raises])
        function.__doc__ = compose(summary, sections)
        return function

    return documented
