"""Links from names in prose to their pages, and from a page to the lines of source that it is of.

A name in double backquotes becomes a link where names.json, which make_reference.py writes, has it:
by its full name, from `cp` on, from a module on that the page names, or by its last part where only
one thing has this name. A word that is a parameter of what a page describes stays as it is.
"""

import functools
import json
import re
from pathlib import Path

import furo
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx import addnodes

NAME = re.compile(r"[A-Za-z_][\w.]*")
# Words of prose that are also the names of functions.
WORDS = frozenset(
    "array bytes constant copy data equal f full get host image in indices item label less line mode "
    "nearest norm order place range raw real reflect seed set shape size step t test trace uniform wait wrap".split()
)

# Modules whose names are meant where other modules have them, too.
NUMPYS = ("tenorite.linalg", "tenorite.fft", "tenorite.random")


class Names:
    """Where names are documented."""

    def __init__(self, folder):
        known = json.loads((Path(folder) / "names.json").read_text(encoding="utf-8"))
        self.names, self.modules = known["names"], known["modules"]
        by_last = {}
        for name in self.names:
            # A member is found by its class alone.
            if name.rpartition(".")[0] in self.modules or name.count(".") == 1:
                by_last.setdefault(name.rpartition(".")[2], []).append(name)
        self.places_in_c = self.find_c(Path(folder) / "c")
        self.unique = {last: names[0] for last, names in by_last.items() if len(names) == 1}
        for last, names in by_last.items():  # NumPy's own before SciPy's and others
            plain = [f"{module}.{last}" for module in NUMPYS if f"{module}.{last}" in names]
            if plain:
                self.unique[last] = plain[0]

    @staticmethod
    def find_c(folder):
        """{name of the C API: (page, fragment)}, headers among them."""
        found = {}
        for path in folder.glob("*_h.rst"):
            page = f"c/{path.stem}"
            found[path.stem.removesuffix("_h") + ".h"] = page, ""
            text = path.read_text(encoding="utf-8")
            names = re.findall(r"^\.\. c:function:: [^(\n]*\b(\w+)\(", text, re.MULTILINE)
            names += re.findall(r"^\.\. c:(?:type|macro):: (\w+)\b(?=$|\()", text, re.MULTILINE)
            found.update({name: (page, f"c.{name}") for name in names if name not in found})
        return found

    def find(self, text, near=()):
        """The full name that a text stands for, or None. near: modules that the page is about."""
        text = text.partition("(")[0].rstrip(".")
        if text in self.places_in_c:
            return text
        if not NAME.fullmatch(text):
            return None
        if text.startswith(("scipy.", "numpy.")):  # the other libraries' own
            return None
        for first, root in (("cp", "tenorite"), ("tn", "tenorite"), ("tenorite", "tenorite")):
            if text.startswith(first + "."):
                full = root + text[len(first) :]
                return full if full in self.names or full in self.modules else None
        for module in (f"tenorite.{text}", f"tenorite.scipy.{text}"):
            if module in self.modules:
                return module
        if text in WORDS:
            near = [module for module in near if module != "tenorite"]
        for module in near:
            if f"{module}.{text}" in self.names:
                return f"{module}.{text}"
        full = f"tenorite.{text}"
        if full in self.names and text not in WORDS:
            return full
        method = re.fullmatch(r"[a-z]\.(\w+)", text)  # of an array, as a.sum()
        if method and f"tenorite.ndarray.{method[1]}" in self.names:
            return f"tenorite.ndarray.{method[1]}"
        return None if text in WORDS or len(text) < 3 else self.unique.get(text)

    def place(self, full):
        """(page, fragment) of a full name."""
        if full in self.places_in_c:
            return self.places_in_c[full]
        if full in self.modules:
            return self.modules[full], ""
        page, home = self.names[full]
        return page, "" if page.endswith("/" + home) else home


def target_of(app, page, full):
    """The address of a name, seen from a page, or None on the name's own page."""
    to, fragment = app.names.place(full)
    if to == page:
        return f"#{fragment}" if fragment else None
    return app.builder.get_relative_uri(page, to) + (f"#{fragment}" if fragment else "")


def linked(app, page, full, inner):
    address = target_of(app, page, full)
    if address is None:
        return inner
    link = nodes.reference("", "", inner, internal=True, refuri=address, reftitle=full)
    return link


def name_role(role, rawtext, text, lineno, inliner, options=None, content=None):
    """:name:`shown <full name>`, a link that must be found."""
    shown, _, full = text.rstrip(">").partition(" <")
    literal = nodes.literal(rawtext, shown, full=full or shown)
    return [literal], []


class Source(Directive):
    """`.. source:: path line`: a link to the source."""

    required_arguments = 2

    def run(self):
        path, line = self.arguments
        node = nodes.paragraph("", "", classes=["source"])
        node["source_place"] = (path, int(line))
        return [node]


def words_of(document):
    """The parameters that a page describes."""
    found = set()
    for node in document.findall(addnodes.desc_parameter):
        found.add(node.astext().partition("=")[0].strip("* "))
    return found


def modules_near(app, document, page):
    """The modules that a page is about: of the reference its own, of a guide those that it names,
    the longest first."""
    if page.startswith("reference/names/tenorite."):
        module = page.removeprefix("reference/names/").rpartition(".")[0]
        return [module, module.rpartition(".")[0]]
    if page.startswith("reference/"):
        return [page.removeprefix("reference/")]
    found = []
    for node in document.findall(nodes.literal):
        text = node.astext()
        module = text if text.startswith("tenorite") else "tenorite." + text
        if module in app.names.modules and module != "tenorite" and module not in found:
            found.append(module)
    return found


def make_links(app, document, page):
    """Literals become links, and the notes of sources, too. Those in notes of the table of names
    are parameters."""
    near, words = modules_near(app, document, page), words_of(document)
    for node in list(document.findall(nodes.literal)):
        full = node.get("full")
        is_free = page != "names" and not isinstance(node.parent, nodes.reference | nodes.title)
        if full is None and is_free and node.astext() not in words:
            full = app.names.find(node.astext(), near)
        elif full is not None and full not in app.names.names:
            raise LookupError(f"{page}: no page has {full}")
        if full:
            node.parent.replace(node, linked(app, page, full, node.deepcopy()))
    for node in list(document.findall(nodes.reference)):
        if node.get("refuri", "").startswith("file:"):  # file:line is no address
            node.replace_self(node.children)
    for node in list(document.findall(nodes.paragraph)):
        if "source_place" in node:
            path, line = node["source_place"]
            address = app.config.source_address.format(
                path=path, line=line, root=app.builder.get_relative_uri(page, "index").rpartition("/")[0] or "."
            )
            node += nodes.reference("", "[source]", internal=False, refuri=address)


def remember_navigation(app):
    """The tables of contents at the left are the same for thousands of pages. Furo parses each
    anew, which took half of the time of the build."""
    furo.get_navigation_tree = functools.lru_cache(64)(furo.get_navigation_tree)
    known = {}

    def keep(app, page, template, context, document):
        if page.startswith("reference/names/") and "toctree" in context:
            make = context["toctree"]

            def toctree(**options):
                options["collapse"] = True  # the lists of modules are on the page of the reference
                key = tuple(sorted(options.items()))
                if key not in known:
                    known[key] = make(**options)
                return known[key]

            context["toctree"] = toctree

    app.connect("html-page-context", keep, priority=100)


def setup(app):
    app.add_config_value("source_address", "{root}/source/{path}.html#L-{line}", "env", types=[str])
    app.names = Names(app.confdir)
    app.add_role("name", name_role)
    app.add_directive("source", Source)
    app.connect("doctree-resolved", make_links)
    remember_navigation(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
