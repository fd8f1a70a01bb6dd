"""What each page has around its text: a description, an edit link if a person wrote it, and the
switch of versions. The addresses are those of site.toml."""

import tomllib
from pathlib import Path

from docutils import nodes

# Pages that programs write.
MADE = ("reference/", "c/", "names", "built/", "changes", "search", "genindex", "gallery")


def settings(folder):
    """The addresses of site.toml."""
    return tomllib.loads((Path(folder) / "site.toml").read_text(encoding="utf-8"))


def description_of(document):
    """The first paragraph of a page, as search engines show it."""
    if document is None or any(node.get("name") == "description" for node in document.findall(nodes.meta)):
        return ""
    section = next(document.findall(nodes.section), None)
    for node in section.children if section else ():
        if isinstance(node, nodes.paragraph) and "crumbs" not in node.get("classes", ()):
            text = " ".join(node.astext().split())
            return text if len(text) <= 160 else text[:157].rpartition(" ")[0] + " ..."
    return ""


def complete(app, page, template, context, document):
    """Fill in what a page's template shows."""
    text = description_of(document)
    if text:
        shown = text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
        context["metatags"] = context.get("metatags", "") + f'<meta name="description" content="{shown}">\n'
    known = settings(app.confdir)
    if page.startswith(MADE) or not known["edit"]:
        context["page_source_suffix"] = ""
    here = app.config.version
    context["versions"] = [
        (version, f"{known['site']}/{version}/{page}.html") for version in known["versions"] if version != here
    ]
    if not known["site"]:
        context["versions"] = []


def setup(app):
    app.connect("html-page-context", complete, priority=400)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
