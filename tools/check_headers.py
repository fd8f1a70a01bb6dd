"""Check that a header declares what the .c file of its name defines, and nothing of another file.

A prototype or an `extern` of x.h below src or python/ext must be defined in x.c of the same folder.
Prototypes that a list or a stamp makes (forms.def, LEVEL(...)) are not seen.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from check_tree import tracked

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)\s*")
# At the start of a line: a declaration or the head of a definition, up to its ; or {.
HEAD = re.compile(
    r"^(?!static\b|(?:__extension__ )?typedef\b|struct\s+\w+\s*[;{]|enum\b|union\b|return\b|else\b)"
    r"(extern\s+)?([A-Za-z_][\w \t*()]*?[ *(])(\w+)(\)?\s*\([^;{]*\)|(?:\[[^\]]*\])*)\s*([;{=])",
    re.MULTILINE,
)


def heads(text: str) -> list[tuple[str, str, bool]]:
    """(name, what ends the head, whether it says extern) of what stands at the left margin."""
    text = ATTRIBUTE.sub("", COMMENT.sub(" ", text))
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.MULTILINE)
    found = [(head[3], head[5], bool(head[1])) for head in HEAD.finditer(text)]
    return [head for head in found if not head[0].isupper()]


def complaints(texts: dict[Path, str]) -> Iterator[str]:
    """What headers declare of other files, of all .c and .h files by their paths."""
    owner = {}
    for path, text in texts.items():
        if path.suffix == ".c":
            for name, end, is_extern in heads(text):
                if not is_extern and end != ";":
                    owner.setdefault(name, path)
    for path, text in texts.items():
        if path.suffix != ".h":
            continue
        for name, end, _ in heads(text):
            home = owner.get(name)
            if end == ";" and home and home.with_suffix(".h") != path:
                yield f"{path}: declares {name}, which {home} defines"


def main() -> int:
    paths = tracked("src/*.c", "src/*.h", "python/ext/*.c", "python/ext/*.h")
    found = list(complaints({path: path.read_text(encoding="utf-8") for path in paths}))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
