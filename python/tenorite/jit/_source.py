"""The program text of a Python function, as a tree, and places in it for errors."""

import ast
import functools
import inspect
import linecache
import textwrap


class Place:
    """Where a node stands: the file, the function, and how its lines are numbered."""

    def __init__(self, path, name, lines, shift):
        self.path, self.name, self.lines, self.shift = path, name, lines, shift

    def text(self, node):
        number = getattr(node, "lineno", 1)
        line = self.lines[number - 1].strip() if number <= len(self.lines) else ""
        return f'  File "{self.path}", line {number + self.shift}, in {self.name}\n    {line}'


@functools.lru_cache(maxsize=32)
def _parse(text):
    return ast.parse(text)


def _candidates(tree, code):
    """Nodes that may be the function of a code object."""
    kind = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    for node in ast.walk(tree):
        if isinstance(node, kind):
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
            if first == code.co_firstlineno and getattr(node, "name", code.co_name) == code.co_name:
                yield node


def _column(code):
    """Where the first expression of a function begins in its line."""
    places = [place for place in code.co_positions() if place[0] is not None and place[2] is not None]
    places = [place for place in places if place[1] > place[0] or place[3] > place[2]]
    return min(((line, column) for line, _, column, _ in places), default=None)


def _same(code, node, lines, path):
    """Whether a lambda's node compiles to what the code object has."""
    expression = ast.Expression(node)
    try:
        compiled = compile(expression, path, "eval")
    except SyntaxError:
        return False
    inner = [one for one in compiled.co_consts if inspect.iscode(one)]
    return (
        bool(inner)
        and inner[0].co_code == code.co_code
        and inner[0].co_names == code.co_names
        and inner[0].co_varnames == code.co_varnames
        and inner[0].co_consts == code.co_consts
    )


def _choose(found, code, lines, path):
    if len(found) > 1 and hasattr(code, "co_positions"):
        start = _column(code)
        exact = [node for node in found if start and (node.body.lineno, node.body.col_offset) == start]
        found = exact or found
    if len(found) > 1:
        found = [node for node in found if _same(code, node, lines, path)]
        dumps = {ast.dump(node) for node in found}
        found = found[:1] if len(dumps) == 1 else found
    return found


def read(function):
    """(tree, place) of a function or a lambda."""
    code = function.__code__
    path, name = code.co_filename, function.__name__
    lines = linecache.getlines(path, function.__globals__)
    if lines:
        try:
            found = list(_candidates(_parse("".join(lines)), code))
        except SyntaxError:
            found = []
        found = _choose(found, code, lines, path) if name == "<lambda>" else found
        if len(found) == 1:
            return found[0], Place(path, name, lines, 0)
        if len(found) > 1:
            raise ValueError(
                f"several functions begin in line {code.co_firstlineno} of {path}, and which of them is meant "
                "can't be distinguished; write each in a line of its own"
            )
    try:
        block, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(block)))
    except (OSError, SyntaxError) as error:
        raise RuntimeError(
            f"the program text of {name} can't be read ({error}); write the function in a file, which exec() "
            "and `python -c` do not have"
        ) from None
    kinds = ast.Lambda if name == "<lambda>" else ast.FunctionDef
    node = next((node for node in ast.walk(tree) if isinstance(node, kinds)), None)
    if node is None:
        raise RuntimeError(f"{name} is no function that is written with def or lambda in {path}")
    return node, Place(path, name, block, first - 1)
