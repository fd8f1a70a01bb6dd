"""Write the reference of the C API out of the public headers: a page for each.

A comment above a declaration, or after it on its line, is its text; a comment between lines of
dashes is a heading.
"""

import re
import shutil
from pathlib import Path

HEADERS = Path(__file__).resolve().parents[1] / "include/tenorite"
TOKEN = re.compile(
    r"/\*(?P<comment>.*?)\*/"
    r"|(?P<declaration>^(?:TN_API\b|typedef\b|static inline\b)[^;{]*(?:\{[^{}]*\}[^;\n]*|\{.*?^\}[^;\n]*)?;?[ \t]*(?:/\*(?P<after>.*?)\*/)?)"
    r"|(?P<macro>^#define (?!TENORITE_)(?P<name>TN_\w+(?:\([^)]*\))?)[^\n]*(?:\\\n[^\n]*)*)",
    re.MULTILINE | re.DOTALL,
)


def plain(comment):
    """The text of a comment, safe in reStructuredText."""
    text = " ".join(line.strip().lstrip("*").strip() for line in comment.strip().splitlines())
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([\\*_|`<])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def entry(declaration, text):
    """The directive of a declaration."""
    code = re.sub(r"/\*.*?\*/", "", declaration, flags=re.DOTALL)
    code = " ".join(code.split()).removeprefix("TN_API ").rstrip("; ")
    body = f"\n   {text}\n" if text else ""
    opaque = re.fullmatch(r"typedef struct (\w+) (\w+)", code)
    if opaque:
        return f".. c:type:: {opaque[2]}\n{body}"
    kind = re.match(r"typedef (enum|struct|union)\b.*?\{(.*)\} ?(\w+)$", code)
    if kind:
        shown = "\n".join("      " + line for line in declaration.strip().splitlines())
        return f".. c:type:: {kind[3]}\n{body}\n   .. code-block:: c\n\n{shown}\n"
    if code.startswith("typedef"):
        return f".. c:type:: {code.removeprefix('typedef ')}\n{body}"
    code = code.removeprefix("static inline ").partition("{")[0].strip()
    return f".. c:function:: {code}\n{body}" if "(" in code else ""


def page(header):
    """The page of a header, and how many declarations it has."""
    text = header.read_text(encoding="utf-8")
    title = f"tenorite/{header.name}"
    lines, waiting, count, seen = [title, "=" * len(title), ""], "", 0, set()
    for found in TOKEN.finditer(text):
        if found["comment"] is not None:
            heading = re.fullmatch(r"\s*-+ (.*?) -+\s*", found["comment"])
            if heading:
                name = plain(heading[1]).rstrip(".")
                lines += [name, "-" * len(name), ""]
                waiting = ""
                continue
            if waiting:
                lines += [waiting, ""]
            if found.start() == 0:
                lines += [plain(found["comment"]), ""]
                continue
            waiting = plain(found["comment"])
            continue
        declaration = found["declaration"]
        if declaration:
            after = plain(found["after"]) if found["after"] else ""
            made = entry(declaration, " ".join(filter(None, (waiting, after))))
        else:
            made = f".. c:macro:: {found['name']}\n" + (f"\n   {waiting}\n" if waiting else "")
        first = made.partition("\n")[0]
        if made and first not in seen:
            seen.add(first)
            lines.append(made)
            count += 1
        waiting = ""
    return "\n".join(lines) + "\n", count


def main(folder):
    """Write the pages and their index."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    lines = [
        "C API",
        "=====",
        "",
        "The headers, made into pages by ``docs/make_c_reference.py``.",
        "",
        ".. toctree::",
        "",
    ]
    for header in sorted(HEADERS.glob("*.h")):
        text, count = page(header)
        if count:
            (folder / f"{header.stem}_h.rst").write_text(text, encoding="utf-8")
            lines.append(f"   {header.stem}_h")
    (folder / "index.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
