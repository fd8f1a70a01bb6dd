"""Check that a header declares what the .c file of its name defines, and nothing of another file.

A prototype or an `extern` of x.h must be defined in x.c of the same folder. Headers of stamped
families (ops, forms, loops, kernels) and the public API are not looked at; prototypes that a list
makes (forms.def) are not seen.
"""

import re
import sys

from check_tree import tracked

LEFT_OUT = re.compile(r"^(include|tests|bench|examples|tools|src/ops|src/forms)/|/(loops|kernels)/|backend/backend\.h$")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")
# At the start of a line: a declaration or the head of a definition, up to its ; or {.
HEAD = re.compile(
    r"^(?!static\b|typedef\b|struct\s+\w+\s*[;{]|enum\b|union\b|return\b|else\b)"
    r"(extern\s+)?([A-Za-z_][\w \t*()]*?[ *(])(\w+)(\)?\s*\([^;{]*\)|(?:\[[^\]]*\])*)\s*([;{=])",
    re.MULTILINE,
)


def heads(text: str) -> list[tuple[str, str, bool]]:
    """(name, what ends the head, whether it says extern) of what stands at the left margin."""
    text = ATTRIBUTE.sub("", COMMENT.sub(" ", text))
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.MULTILINE)
    return [(found[3], found[5], bool(found[1])) for found in HEAD.finditer(text)]


def main() -> int:
    files = [path for path in tracked("*.c", "*.h") if not LEFT_OUT.search(path.as_posix())]
    owner = {}
    for path in files:
        if path.suffix == ".c":
            for name, end, is_extern in heads(path.read_text(encoding="utf-8")):
                if not is_extern and (end != ";" or name not in owner):
                    if end != ";" or "(" not in name:
                        owner.setdefault(name, path)
    count = 0
    for path in files:
        if path.suffix != ".h":
            continue
        for name, end, _ in heads(path.read_text(encoding="utf-8")):
            home = owner.get(name)
            if end == ";" and home and home.with_suffix(".h") != path:
                print(f"{path}: declares {name}, which {home} defines")
                count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
