"""What each page has around its text: a description, an edit link if a person wrote it, and the
switch of versions.

The addresses are those of pyproject.toml, [project.urls]: Documentation, where the site lies, and
Source, where files are shown and edited. What would need an address that is not there is left out.
"""

import tomllib
from pathlib import Path

from docutils import nodes

# Pages that programs write.
MADE = ("reference/", "c/", "names", "built/", "changes", "search", "genindex", "gallery")


def settings(folder):
    """What pages refer to: the site, the versions, and where "{path}" is edited and shown."""
    project = tomllib.loads((Path(folder) / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    urls = {name: address.rstrip("/") for name, address in project.get("urls", {}).items()}
    lines = (Path(folder) / "versions.txt").read_text(encoding="utf-8").split("\n")
    source = urls.get("Source", "")
    return {
        "site": urls.get("Documentation", ""),
        "versions": [line for line in lines if line and not line.startswith("#")],
        "edit": source and source + "/edit/main/{path}",
        "source": source and source + "/blob/main/{path}#L{line}",
    }


def description_of(document):
    """The first paragraph of a page, as search engines show it."""
    if document is None or any(node.get("name") == "description" for node in document.findall(nodes.meta)):
        return ""
    for node in document.findall(nodes.paragraph):
        if isinstance(node.parent, nodes.section | nodes.list_item) and "crumbs" not in node.get("classes", ()):
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
