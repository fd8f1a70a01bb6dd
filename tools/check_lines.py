"""Check how wide the lines are and how long the functions.

Comments and docstrings hold at most 100 columns, and so do all lines of device text and of
meson.build; code of C is clang-format's business, but for tables, which may be wide. Functions of C
and of the Python that is installed or stands in tools have at most 60 lines, from the line of their
name to the last one, without the docstring. Examples may be as wide as what they print.
"""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from check_tree import tracked

COLUMNS_MAX = 100
LINES_MAX = 60
# Files of which every line is measured, not only prose.
WHOLE = {".cu", ".cuh", ".build"}
# Where Python's functions are measured: not tests and benchmarks, whose tables of cases are long.
PYTHON = ("python/", "tools/", "examples/")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# A comment that speaks to a program.
PRAGMA = re.compile(r"# (fmt|noqa|type|pragma)\b")
# A function of C begins at the left margin (clang-format sees to that), and ends with a brace
# there.
HEAD = re.compile(r"(?!typedef\b)[A-Za-z_](?!\w*:$)")
ATTRIBUTE = re.compile(r"__\w+__ ?\(+[^()]*\)+")
NAME = re.compile(r"(\w+)\(")


def wide_lines(path: Path, text: str) -> Iterator[str]:
    lines = text.splitlines()
    if path.suffix in WHOLE:
        numbers = range(1, len(lines) + 1)
    else:
        numbers = sorted(prose_of_python(text) if path.suffix == ".py" else prose_of_c(text))
    for number in numbers:
        width = len(lines[number - 1].rstrip("\\ "))
        if width > COLUMNS_MAX:
            yield f"{path}:{number}: {width} columns, more than {COLUMNS_MAX}"


def prose_of_c(text: str) -> set[int]:
    """The numbers of the lines that hold a part of a comment."""
    numbers = set()
    for found in COMMENT.finditer(text):
        first = text.count("\n", 0, found.start()) + 1
        numbers.update(range(first, first + found[0].count("\n") + 1))
    return numbers


def prose_of_python(text: str) -> set[int]:
    """The numbers of the lines that hold a comment or a part of a docstring."""
    numbers = {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT and not PRAGMA.match(token.string)
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            numbers.update(range(node.lineno, node.end_lineno + 1))
    lines = text.splitlines()
    return {number for number in numbers if not lines[number - 1].lstrip().startswith(">>>")}


def functions_of_c(text: str) -> Iterator[tuple[str, int, int]]:
    """(name, first line, last line) of every function."""
    lines = text.splitlines()
    first = None
    for number, line in enumerate(lines, 1):
        if line == "}" and first:
            name = NAME.search(ATTRIBUTE.sub("", " ".join(lines[first - 1 : number])))
            yield name[1] if name else "?", first, number
            first = None
        elif HEAD.match(line):
            first = None if line.endswith(";") else number


def functions_of_python(text: str) -> Iterator[tuple[str, int, int]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.lineno, node.end_lineno - docstring_lines(node)


def docstring_lines(node: ast.AST) -> int:
    first = node.body[0] if node.body else None
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return first.end_lineno - first.lineno + 1 if is_text else 0


def long_functions(path: Path, text: str) -> Iterator[str]:
    if path.suffix in {".c", ".h", ".cu", ".cuh"}:
        functions = functions_of_c(text)
    elif path.suffix == ".py" and path.as_posix().startswith(PYTHON):
        functions = functions_of_python(text)
    else:
        return
    for name, first, last in functions:
        if last - first >= LINES_MAX:
            yield f"{path}:{first}: {name}() has {last - first + 1} lines, more than {LINES_MAX}"


def main() -> int:
    found = []
    for path in tracked("*.c", "*.h", "*.cu", "*.cuh", "*.def", "*.fn", "*.py", "*meson.build"):
        text = path.read_text(encoding="utf-8")
        found += wide_lines(path, text)
        found += long_functions(path, text)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
