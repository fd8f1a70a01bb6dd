#!/usr/bin/env python3
"""Write documents.h, the docstrings of what the extension defines.

    make_documents.py OPS.DEF FOLDER documents.h

FOLDER has six texts. `parameters.txt` says what a parameter means wherever it means the same, and
`raises.txt` what a call raises because of a parameter, where the function's text says nothing
else. `notes.txt` has formulas, their sources, and what differs from NumPy and CuPy, by the names
of functions, methods and classes. `functions.txt` and `methods.txt` have an entry for each
function and method: the line of its signature, its summary, parameters that mean something else
there, `->` and what it returns, `!` and what it raises, an example; `like NAME` stands for the
parameters and the result of another entry. A method without a summary has that of the function of
its name, with an example made of the function's. `operations.txt` has the formula and the example
of each ufunc, whose sentence is that of ops.def.

A docstring is a macro, DOC_sum or DOC_ndarray_sum; UFUNC_DOCUMENTS has a row for each ufunc, from
which DOC_UFUNC is filled in when it is read. All of it is text of the compiled extension: importing
it costs nothing.
"""

import ast
import re
import sys
from pathlib import Path

HEAD = re.compile(r"^(?:(\w+)\.)?(\w+)\((.*)\)$")
OPERATION = re.compile(r"^(?:OP|FUNCTION)\((\w+),", re.MULTILINE)
# Filled in by name, operands, out, sentence, formula, operands, kind of result and example.
UFUNC = """\
%s(%s, /, %s, *, where=True, casting='same_kind', order='K', dtype=None)

%s

Element by element: ``%s``.

Parameters
----------
%s : ndarray or scalar
    The operands, of any dtype in ``types``; their shapes broadcast.
out : ndarray or tuple of ndarrays, optional
    What is written and returned instead of new arrays.
where : ndarray of bool, optional
    Where the operation is computed; other elements of `out` stay as they are.
casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
    Which conversions of operands and results are allowed.
order : {'K', 'C', 'F', 'A'}, optional
    The order of the new array's elements in memory.
dtype : dtype, optional
    Of the loop, and so of the result.

Returns
-------
%s
    New, or `out`; on the device of the operands.

Raises
------
TypeError
    For a dtype without a loop, a conversion that `casting` forbids, an array of the host.
ValueError
    For shapes that do not broadcast.

Notes
-----
Differs from NumPy: an array of the host is refused, and no floating-point error warns.
Differs from CuPy: `where` is taken.

Examples
--------
>>> import tenorite as cp
%s
"""


def blocks(text):
    """{name: text} of the parameters `name : type` with the indented lines below each."""
    found, name = {}, None
    for line in text.splitlines():
        if line and not line.startswith(" "):
            name = line.split(" : ")[0].lstrip("*")
            found[name] = line
        elif line:
            found[name] += "\n" + line
    return found


class Entry:
    """One function or method: its signature and what its text says of it."""

    def __init__(self, text):
        head, *lines = text.strip("\n").splitlines()
        self.owner, self.name, self.signature = HEAD.match(head).groups()
        rest = "\n".join(lines)
        rest, _, example = rest.partition(">>> ")
        self.example = (">>> " + example).strip() if example else ""
        summary, parameters = [], []
        for line in rest.splitlines():
            (parameters if parameters or line[:1] not in ("", " ") else summary).append(line)
        self.summary = "\n".join(line[4:] for line in summary).strip()
        before, _, self.raises = ("\n" + "\n".join(parameters)).partition("\n! ")
        parts = before.partition("\n-> ")
        self.own = blocks(parts[0])
        self.like = next((name[5:] for name in self.own if name.startswith("like ")), None)
        self.returns = parts[2].strip()

    def names(self):
        """The parameters that the signature shows."""
        arguments = ast.parse(f"lambda {self.signature.replace('$', '')}: 0", mode="eval").body.args
        all_of_them = [
            *arguments.posonlyargs,
            *arguments.args,
            arguments.vararg,
            *arguments.kwonlyargs,
            arguments.kwarg,
        ]
        return [one.arg for one in all_of_them if one][self.signature.startswith("$") :]


def as_method(example):
    """`cp.sum(array, axis=0)` as `array.sum(axis=0)`, and what it gives."""
    line, _, output = example.removeprefix(">>> ").partition("\n")
    call = ast.parse(line, mode="eval").body
    array, name = ast.unparse(call.args[0]), call.func.attr
    call = ast.Call(ast.Name("call"), call.args[1:], call.keywords)
    return f">>> {array}.{name}{ast.unparse(call).removeprefix('call')}\n{output}"


def sections(**texts):
    """Numpydoc's sections of those that have a text."""
    shown = [f"{title}\n{'-' * len(title)}\n{text}" for title, text in texts.items() if text]
    return "\n\n".join(shown)


def example_of(text):
    return ">>> import tenorite as cp\n" + text if text else ""


def raised(entry, function, known):
    """What a call raises: in the entry's own words, or because of its parameters. `known` has the
    texts by the names of parameters."""
    own = entry.raises or (function.raises if function else "")
    if own:
        return own.replace("\n! ", "\n").strip()
    return "\n".join(dict.fromkeys(known[name] for name in entry.names() if name in known))


def read_raises(path):
    """{name of a parameter: what is raised because of it}"""
    texts = path.read_text(encoding="utf-8").strip("\n").split("\n\n")
    return {name: text.partition("\n")[2] for text in texts for name in text.partition("\n")[0].split(", ")}


def read_notes(path):
    """{name: the paragraphs that say what it is}"""
    found = {}
    for text in path.read_text(encoding="utf-8").strip("\n").split("\n\n"):
        names, _, said = text.partition("\n")
        for name in names.split(", "):
            found[name] = f"{found[name]}\n{said}" if name in found else said
    return found


def described(entry, parameters, function, raises, notes):
    """The docstring of an entry; `function` is that of a method's name, or None."""
    known = {**parameters, **(function.own if function else {}), **entry.own}
    missing = [name for name in entry.names() if name not in known]
    if missing:
        sys.exit(f"make_documents: {entry.name}: no text says what {', '.join(missing)} is")
    summary, returns, example = entry.summary, entry.returns, entry.example
    if function:
        summary, returns = summary or function.summary, returns or function.returns
        example = example or as_method(function.example)
    return (
        f"{entry.name}({entry.signature})\n--\n\n{summary}\n\n"
        + sections(
            Parameters="\n".join(known[name] for name in entry.names()),
            Returns=returns,
            Raises=raised(entry, function, raises),
            Notes=notes.get(entry.name, ""),
            Examples=example_of(example),
        )
        + "\n"
    )


def quoted(text):
    """A C literal, a line of the text a line."""
    lines = [line.replace("\\", "\\\\").replace('"', '\\"') for line in text.splitlines()]
    return " \\\n    ".join(f'"{line}\\n"' for line in lines)


def read_entries(path):
    """{(owner, name): entry} of a text, those that are `like` another one completed."""
    texts = re.split(r"\n\n(?=\S)", path.read_text(encoding="utf-8").strip("\n"))
    entries = {(entry.owner, entry.name): entry for entry in map(Entry, texts)}
    for entry in entries.values():
        if entry.like:
            model = entries[entry.owner, entry.like]
            entry.own = {**model.own, **entry.own}
            entry.returns = entry.returns or model.returns
    return entries


def main(table, folder, output):
    folder = Path(folder)
    parameters = blocks((folder / "parameters.txt").read_text(encoding="utf-8"))
    raises = read_raises(folder / "raises.txt")
    notes = read_notes(folder / "notes.txt")
    functions = read_entries(folder / "functions.txt")
    made = ["/* Docstrings: made from the texts beside this file by tools/make_documents.py. */"]
    for entry in functions.values():
        text = described(entry, parameters, None, raises, notes)
        made.append(f"#define DOC_{entry.name} \\\n    {quoted(text)}")
    methods = read_entries(folder / "methods.txt")
    for entry in methods.values():
        function = None if entry.summary else functions[None, entry.name]
        text = described(entry, parameters, function, raises, notes)
        made.append(f"#define DOC_{entry.owner}_{entry.name} \\\n    {quoted(text)}")
    if unknown := set(notes) - {entry.name for entry in (*functions.values(), *methods.values())}:
        sys.exit(f"make_documents: notes.txt: nothing is called {', '.join(sorted(unknown))}")
    rows = []
    operations = re.split(r"\n\n", (folder / "operations.txt").read_text(encoding="utf-8").strip("\n"))
    said = {text.partition(":")[0]: text for text in operations}
    for name in OPERATION.findall(Path(table).read_text(encoding="utf-8")):
        if name in said:
            first, _, example = said.pop(name).partition("\n")
            formula = first.partition(": ")[2]
            rows.append(f'    ROW({name.upper()}, "{formula}", {quoted(example)})')
    if said:
        sys.exit(f"make_documents: operations.txt: no operation is called {', '.join(said)}")
    made.append(f"#define DOC_UFUNC \\\n    {quoted(UFUNC)}")
    made.append("#define UFUNC_DOCUMENTS(ROW) \\\n" + " \\\n".join(rows))
    Path(output).write_text("\n\n".join(made) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
