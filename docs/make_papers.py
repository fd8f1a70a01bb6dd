"""Copy the papers of the tree, which are Markdown, as pages: links between them lead to pages, and
a link to any other file becomes its text."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The papers, and the pages that they become.
PAPERS = {
    "ARCHITECTURE.md": "built/architecture",
    "GLOSSARY.md": "built/glossary",
    "CONTRIBUTING.md": "built/contributing",
    "src/core/sort/README.md": "built/sorting",
    "src/core/random/README.md": "built/random",
    "src/core/fft/README.md": "built/fourier",
    "src/core/sparse/README.md": "built/sparse",
    "src/kernel/README.md": "built/kernels",
    "CHANGELOG.md": "changes",
}


def linked(text, path):
    """The text of a paper, with the links of its page."""

    def replace(found):
        shown, target = found.groups()
        if re.match(r"\w+:|#", target):
            return found[0]
        inside = ((ROOT / path).parent / target).resolve().relative_to(ROOT).as_posix()
        return f"[{shown}](/{PAPERS[inside]}.md)" if inside in PAPERS else shown

    return re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", replace, text)


def with_headings(text):
    """Of the changes, a line that is alone above a list is a heading."""
    return re.sub(r"^(\w[^\n]{,70})\n\n(?=- )", r"### \1\n\n", text, flags=re.MULTILINE)


def releases(text):
    """{page: text} of the changes: the last release on the page of changes, and earlier ones each
    on a page of its own, to which that leads."""
    title, last, *earlier = re.split(r"^(?=## )", with_headings(text), flags=re.MULTILINE)
    pages = {}
    for release in earlier:
        version, _, body = release.removeprefix("## ").partition("\n")
        name = f"changes-{version.split()[0]}"
        pages[name] = f"# Changes in {version}\n{body}".replace("\n### ", "\n## ")
    contents = "\n".join(["## Earlier releases", "", "```{toctree}", "", *pages, "```", ""]) if pages else ""
    return {"changes": f"{title}{last}\n{contents}"} | pages


def main(folder):
    """Write the pages."""
    for path, page in PAPERS.items():
        text = linked((ROOT / path).read_text(encoding="utf-8"), path)
        pages = releases(text) if path == "CHANGELOG.md" else {page: text}
        for name, body in pages.items():
            place = Path(folder) / f"{name}.md"
            place.parent.mkdir(exist_ok=True)
            place.write_text(body, encoding="utf-8")
