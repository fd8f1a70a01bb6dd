"""Write the files of source that pages of the reference refer to, as pages with a number a line."""

import re
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CLexer, PythonLexer

ROOT = Path(__file__).resolve().parents[1]
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{path} - Tenorite</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="The source of {path}"><meta name="robots" content="noindex">
<link rel="icon" href="{root}/_static/favicon.svg"><link rel="stylesheet" href="{root}/source/source.css"></head>
<body><main><h1><a href="{root}/index.html">Tenorite</a> / {path}</h1>
{code}</main></body></html>
"""
STYLE = """body{margin:1rem;font:16px/1.4 system-ui,sans-serif;background:#fff;color:#111}
h1{font-size:1.1rem;overflow-wrap:anywhere}a{color:#0b6e6e}pre{overflow-x:auto;font-size:.82rem;line-height:1.45}
span:target{background:#fff3b0}.linenos{color:#666!important;background:none!important;padding-right:1em}
"""


def wanted(folder):
    """The files that the pages of a folder of reStructuredText name."""
    found = set()
    for path in Path(folder).rglob("*.rst"):
        found.update(re.findall(r"^\.\. source:: (\S+) \d+$", path.read_text(encoding="utf-8"), re.MULTILINE))
    return sorted(found)


def main(reference, folder):
    """Write a page for each file that the reference names."""
    formatter = HtmlFormatter(linenos="inline", linespans="L", style="a11y-high-contrast-light", nobackground=True)
    folder = Path(folder)
    folder.mkdir(exist_ok=True)
    (folder / "source.css").write_text(STYLE + formatter.get_style_defs(".highlight"), encoding="utf-8")
    for path in wanted(reference):
        text = (ROOT / path).read_text(encoding="utf-8")
        code = highlight(text, PythonLexer() if path.endswith(".py") else CLexer(), formatter)
        page = folder / f"{path}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        root = "/".join([".."] * (path.count("/") + 1))
        page.write_text(PAGE.format(path=path, root=root, code=code), encoding="utf-8")
