"""Refuse C++ in strings: an editor, clang-format and a debugger read text that lies in a file.

A string of Python holds at most five lines of C++, and so do all strings of C that statements
without a branch or loop between them append. A program's typedefs and lines for the preprocessor
are not counted: they are what a writer of programs is for. Operands of asm are another language.

The body of a form defines macros by tni_source_define(), which undefines them after its kernel.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from check_tree import tracked

LINES_MAX = 5
FOLDERS = ("src/*.c", "src/*.h", "python/*.c", "python/*.h", "python/*.py", "tools/*.py", "bench/*.py")
TOKEN_OF_C = re.compile(
    r"""
    /\*.*?\*/ | //[^\n]* | '(?:[^'\\\n]|\\.)*'
    | \b(?:asm|__asm__)\b [\s\w]* \( (?: [^"()] | "(?:[^"\\\n]|\\.)*" | \([^()]*\) )* \)
    | (?P<text> "(?:[^"\\\n]|\\.)*" )
    | (?P<end> [{}] | \b(?:if|else|for|while|switch|case|return)\b )
    """,
    re.DOTALL | re.VERBOSE,
)
NOT_COUNTED = re.compile(r"#|typedef\b|//|/\*")


def lines_of_cpp(text: str) -> int:
    """How many lines of C++ a text has; 0 if it is none."""
    lines = [line.strip() for line in text.split("\n")]
    if sum(bool(re.search(r"[;{]$", line)) for line in lines) < 2:
        return 0
    return sum(bool(line) and not NOT_COUNTED.match(line) for line in lines)


def strings_of_c(text: str) -> Iterator[tuple[int, str]]:
    """(line, strings together) of all runs of statements without a branch between them."""
    line, whole = 1, ""
    for token in TOKEN_OF_C.finditer(text):
        if token["text"]:
            line = line if whole else text.count("\n", 0, token.start()) + 1
            whole += token["text"][1:-1].replace("\\n", "\n").replace('\\"', '"')
        elif token["end"]:
            yield line, whole
            whole = ""


def strings_of_python(text: str) -> Iterator[tuple[int, str]]:
    """(line, string) of all strings that are no docstrings, with what is put into them left out."""
    tree = ast.parse(text)
    inner = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            inner.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = [one.value for one in node.values if isinstance(one, ast.Constant)]
            inner.update(ast.walk(node))
            yield node.lineno, "".join(parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inner:
            yield node.lineno, node.value


def complaints(path: Path, text: str) -> Iterator[str]:
    if "cuda/forms" in path.as_posix() and path.name != "program.c" and re.search(r'"[^"\n]*#define', text):
        yield f"{path}: a macro in a string; use tni_source_define()"
    strings = strings_of_python if path.suffix == ".py" else strings_of_c
    for line, string in strings(text):
        count = lines_of_cpp(string)
        if count > LINES_MAX:
            yield f"{path}:{line}: {count} lines of C++ in strings, more than {LINES_MAX}; write a .cuh file"


def main() -> int:
    found = [one for path in tracked(*FOLDERS) for one in complaints(path, path.read_text(encoding="utf-8"))]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
