"""The page of a function, a class or a method, in reStructuredText, made from its docstring.

A docstring has numpydoc's sections. Sections of names (Parameters, Returns, Raises) become
definition lists; a name in double backquotes becomes a link when links.py finds its page.
"""

import ast
import functools
import inspect
import re
import textwrap
from pathlib import Path

import public_names

# Errors that docstrings do not name.
RAISES = Path(__file__).with_name("raises")
LISTS = ("Parameters", "Other Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
ORDER = (*LISTS, "Notes", "References", "Examples")
TITLE = re.compile(r"^(\w+(?: \w+)*)\n-{3,}\n", re.MULTILINE)
LITERAL = re.compile(r"(``.*?``|`[^`]*`)")
SPECIAL = re.compile(r"([*|\\])|(?<=\w)_(?!\w)")
# Words of types and errors in sections of names that are classes of the package or of Python.
CLASSES = re.compile(r"\b(ndarray|ufunc|[a-z]{3}_matrix|[a-z]{3}_array|[A-Z]\w*(?:Error|Exception|Warning))\b")
IMPORT = ">>> import tenorite as cp"
NUMPY = {"np": ">>> import numpy as np", "numpy": ">>> import numpy"}
# What examples call the package: the site calls it cp everywhere.
PACKAGE = re.compile(r"(?<![\w.\"'/])(?:tn|tenorite)(?=\.\w|\)|, )")


def plain(line):
    """A line of a docstring, which is plain text: what means something in reStructuredText is
    escaped."""
    parts = LITERAL.split(line)
    parts[::2] = [SPECIAL.sub(lambda found: "\\" + found[0], part) for part in parts[::2]]
    return "".join(parts)


def prose(lines):
    """Paragraphs, lists and examples of a docstring."""
    made, in_example = [], False
    for line in lines:
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        is_markup = line.lstrip().startswith(("* ", "..", "|"))
        made.append(line if in_example or is_markup else plain(line))
    return made


def sections_of(thing):
    """The text before the sections of a docstring, and {title: lines}."""
    text = public_names.text_of(thing)
    if type(thing).__name__ == "ufunc":  # it begins with the signature
        text = text.partition("\n\n")[2]
    summary, *parts = TITLE.split(text)
    return summary.strip(), {
        title: body.strip("\n").splitlines() for title, body in zip(parts[::2], parts[1::2], strict=True)
    }


def first_sentence(thing):
    """The first paragraph of a docstring, which numpydoc wants to be a sentence."""
    return plain(" ".join(sections_of(thing)[0].partition("\n\n")[0].split()))


def definitions(lines):
    """A section of names: each with its type, and its text below."""
    made = []
    for line in lines:
        if line[:1].strip():
            name, colon, kind = line.partition(" : ")
            kind = CLASSES.sub(r"``\1``", plain(kind))
            name = plain(name) if colon else CLASSES.sub(r"``\1``", plain(name))
            made += ["", f"**{name}** : {kind}" if colon else name, "    \\"]
        else:
            made.append("    " + plain(line.strip()) if line.strip() else "")
    # A name with a text needs no empty one.
    return [
        line
        for line, below in zip(made, [*made[1:], ""], strict=True)
        if line != "    \\" or not below.startswith("    ")
    ]


def with_one_name(line):
    """A line of an example, in which the package is cp."""
    code = line.lstrip().startswith((">>> ", "... "))
    return PACKAGE.sub("cp", line) if code and not re.search(r"\bimport ", line) else line


def example(lines):
    """An example that needs nothing but itself and begins with the one line that imports the
    package."""
    lines = [with_one_name(line) for line in lines if line.strip() not in (IMPORT, ">>> import tenorite as tn")]
    lines = [re.sub(r"^>>> import tenorite as (?:tn|cp), ", ">>> import ", line) for line in lines]
    code = "\n".join(line.strip()[4:] for line in lines if line.strip().startswith((">>> ", "... ")))
    tree = ast.parse(code)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    bound = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    wanted = [IMPORT] if "cp" in names else []
    wanted += [text for name, text in NUMPY.items() if name in names - bound]
    while lines and not lines[0].strip():
        del lines[0]
    return [*wanted, *lines]


@functools.lru_cache(None)
def tree_of(path):
    """{first line: node} of the functions of a file."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    return {
        min([node.lineno, *[one.lineno for one in node.decorator_list]]): node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }


def said(node):
    """The text of a message: what is filled in stands in braces."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) else "{" + ast.unparse(part.value) + "}"
            for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return said(node.left) + said(node.right)
    return ""


def raised_by(thing):
    """The section Raises of a function whose docstring has none: the errors that its own text
    raises, with their messages."""
    code = getattr(inspect.unwrap(thing), "__code__", None) if callable(thing) else None
    if code is None or not Path(code.co_filename).is_file():
        return []
    node = tree_of(code.co_filename).get(code.co_firstlineno)
    found = {}
    for one in ast.walk(node) if node else ():
        if isinstance(one, ast.Raise) and isinstance(one.exc, ast.Call) and isinstance(one.exc.func, ast.Name):
            text = said(one.exc.args[0]) if one.exc.args else ""
            if one.exc.func.id[:1].isupper() and text:
                found.setdefault(one.exc.func.id, []).append(text)
    lines = []
    for name, texts in found.items():
        told = "; ".join("“" + " ".join(text.split()) + "”" for text in dict.fromkeys(texts))
        lines += [name, "    " + told]
    return lines


def names_in(text):
    """The full names in lines of a module and its names."""
    lines = [line.partition(": ") for line in text.splitlines() if line and not line.startswith("#")]
    return {f"{module}.{name}" for module, _, names in lines for name in names.split()}


@functools.lru_cache(None)
def refusing():
    """The functions of refusals.txt, by their full names."""
    return names_in(Path(__file__).with_name("refusals.txt").read_text(encoding="utf-8"))


@functools.lru_cache(None)
def without_errors():
    """The functions and methods of raises/nothing.txt, by their full names."""
    return names_in((RAISES / "nothing.txt").read_text(encoding="utf-8"))


@functools.lru_cache(None)
def errors():
    """Blocks of the files of raises: (error, when, a call, [(module, pattern of a name)])."""
    blocks = []
    for path in sorted(RAISES.glob("*.txt")):
        for block in path.read_text(encoding="utf-8").split("\n\n")[1:] if path.stem != "nothing" else ():
            told, call, *functions = block.strip().splitlines()
            lines = [line.partition(": ") for line in functions]
            patterns = [(module, name) for module, _, names in lines for name in names.split()]
            blocks.append((*told.split(": ", 1), call, patterns))
    return blocks


@functools.lru_cache(None)
def errors_by_name():
    """{full name: numbers of its blocks}, and [(pattern, number)] of the names with a star."""
    plain, starred = {}, []
    for number, (*_, patterns) in enumerate(errors()):
        for module, name in patterns:
            if "*" in module + name:
                # A star in a module stands for a part of it, and for no class.
                text = re.escape(module).replace(r"\*", "[a-z_]*") + r"\." + name.replace("*", r"\w*")
                starred.append((re.compile(text + "$"), number))
            else:
                plain.setdefault(f"{module}.{name}", []).append(number)
    return plain, starred


def errors_of(name):
    """[(error, when it comes, a call)] of a function, by its full name."""
    plain, starred = errors_by_name()
    numbers = {*plain.get(name, ()), *[number for pattern, number in starred if pattern.match(name)]}
    return [errors()[number][:3] for number in sorted(numbers)]


def raised(thing, name, told):
    """The section Raises: what the docstring tells, or else what the text raises; errors of the
    files of raises that are not among them, and the refusal of an array of the host."""
    lines = list(told or ([] if isinstance(thing, type) else raised_by(thing)))
    known = set(lines)
    for error, when, _ in errors_of(name):
        if error not in known:
            lines += [error, "    " + when]
    if name in refusing() and "TypeError" not in lines:
        lines += ["TypeError", "    For an array of the host, which ``asarray`` brings to the device."]
    return lines


def signature_of(thing):
    """What a signature shows: without self, addresses and annotations."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    parameters = [one.replace(annotation=one.empty) for one in signature.parameters.values()]
    if parameters and parameters[0].name == "self":
        parameters = parameters[1:]
    shown = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    return re.sub(r"<class '(?:\w+\.)*(\w+)'>", r"\1", shown)


def rubric(title):
    return ["", f".. rubric:: {title}", ""]


def body(thing, name, siblings=()):
    """The lines of a docstring, its sections in numpydoc's order; `siblings` are the names of See
    Also beside those that the docstring has."""
    summary, sections = sections_of(thing)
    sections["Raises"] = raised(thing, name, sections.get("Raises"))
    lines = prose(summary.splitlines())
    for title in ORDER:
        if not sections.get(title):
            continue
        lines += rubric(title)
        if title in LISTS:
            lines += definitions(sections[title])
        elif title == "Examples":
            lines += prose(example(sections[title]))
        elif title == "References":
            lines += ["* " + plain(one) for one in paragraphs(sections[title])]
        else:
            lines += prose(sections[title])
        if title in ("Raises", "Warns") or (title == "Returns" and not sections.get("Raises")):
            lines += see_also(sections.pop("See Also", ()), siblings)
            siblings = ()
    if siblings or "See Also" in sections:
        lines += see_also(sections.pop("See Also", ()), siblings)
    return lines


def paragraphs(lines):
    return [" ".join(one.split()) for one in "\n".join(lines).split("\n\n") if one.strip()]


def see_also(lines, siblings):
    """The names of a docstring's See Also with what it says of them, then the siblings."""
    told = {}
    for line in lines:
        if line[:1].strip():
            names, _, text = line.partition(" : ")
            told.update({name.strip(" `"): plain(text) for name in names.split(",")})
    for name, text in siblings:
        if not any(name == known or name.endswith("." + known) for known in told):
            told[name] = text
    if not told:
        return []
    entries = [f"* ``{name}``: {text}" if text else f"* ``{name}``" for name, text in told.items()]
    return [*rubric("See also"), *entries]


def indented(lines, by="   "):
    return textwrap.indent("\n".join(lines), by).splitlines()


def directive(kind, name, thing, siblings=(), options=(), home=None):
    """A description of Python's domain, with the full name in its signature. `home`: the name that
    the files of raises have for it."""
    signature = "" if kind == "py:property" else signature_of(thing)
    lines = [f".. {kind}:: {name}{signature}", *[f"   :{option}:" for option in options], ""]
    return [*lines, *indented(body(thing, home or name, siblings)), ""]
