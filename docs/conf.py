"""Sphinx's configuration; docs/build.py makes the folder that it is read in."""

import re
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent)]

import tenorite  # noqa: E402
from sphinx import addnodes  # noqa: E402

project = "Tenorite"
author = "The Tenorite authors"
project_copyright = "the Tenorite authors, MIT licence"
release = version = tenorite.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "Tenorite"
html_static_path = ["_static"]
html_css_files = ["tenorite.css"]
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b6e6e", "color-brand-content": "#0b6e6e"},
    "dark_css_variables": {"color-brand-primary": "#4fc3c3", "color-brand-content": "#4fc3c3"},
}
exclude_patterns = ["programs", "made"]
templates_path = []
default_role = "code"
smartquotes = False
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_admonition_for_examples = False
napoleon_preprocess_types = False
autodoc_member_order = "alphabetical"
autodoc_docstring_signature = True
add_module_names = False
pygments_style = "friendly"
pygments_dark_style = "monokai"
suppress_warnings = ["ref.python"]
toc_object_entries = False


LITERAL = re.compile(r"(``.*?``|`[^`]*`)")
SPECIAL = re.compile(r"([*|])|(?<=\w)_(?!\w)")


def plain(app, what, name, thing, options, lines):
    """Docstrings are plain text: what means something in reStructuredText is escaped."""
    in_example = False
    for place, line in enumerate(lines):
        in_example = bool(line.strip()) and (in_example or line.lstrip().startswith(">>>"))
        if in_example or line.lstrip().startswith(("* ", "..")):
            continue
        parts = LITERAL.split(line)
        parts[::2] = [SPECIAL.sub(lambda found: "\\" + found[0], part) for part in parts[::2]]
        lines[place] = "".join(parts)


def single_line(app, what, name, thing, options, lines):
    """A ufunc's docstring begins with its signature, which the page shows already."""
    if lines and type(thing).__name__ == "ufunc":
        del lines[:2]


def known_names():
    """The last parts of the names that have an entry, as docs/build.py has listed them."""
    return set((Path(__file__).parent / "known_names.txt").read_text(encoding="utf-8").split())


def without_vain_links(app, document):
    """Words of types such as `int` or `optional` are no links. Sphinx would look each of them up
    among all names, which took a quarter of the time of the build."""
    for node in list(document.findall(addnodes.pending_xref)):
        if node.get("reftype") == "class" and node["reftarget"].rpartition(".")[2] not in app.known_names:
            node.replace_self(node.children)


def setup(app):
    app.known_names = known_names()
    app.connect("doctree-read", without_vain_links)
    app.connect("autodoc-process-docstring", single_line, priority=100)
    app.connect("autodoc-process-docstring", plain, priority=200)
