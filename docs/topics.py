"""The pages of the reference, their tables, and which names are siblings: docs/topics.txt, read."""

import functools
from dataclasses import dataclass, field
from pathlib import Path

FILE = Path(__file__).with_name("topics.txt")
# What "@" stands for, by the module of a basis.
PREFIXES = {
    "chebyshev": "cheb",
    "hermite": "herm",
    "hermite_e": "herme",
    "laguerre": "lag",
    "legendre": "leg",
    "polynomial": "poly",
}


@dataclass
class Page:
    """A page of the reference: its name, its title, its module, and [(topic, groups of names)]."""

    name: str
    title: str
    module: str
    topics: list = field(default_factory=list)

    def names(self):
        return [name for _, groups in self.topics for group in groups for name in group]


def of_basis(page, basis, prefix):
    """The page of one basis of polynomials."""
    module = page.module.replace("@", basis)
    topics = [
        (topic, [[name.replace("@", prefix) for name in group] for group in groups]) for topic, groups in page.topics
    ]
    return Page(module, f"``{module}``", module, topics)


@functools.lru_cache(None)
def read():
    """[page] of topics.txt."""
    pages = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            module, *rest = line[3:].split(" / ")
            name, title = rest or (module, f"``{module}``")
            pages.append(Page(name, title, module))
        elif line.startswith("# ") and pages:
            pages[-1].topics.append((line[2:], []))
        elif line and not line.startswith("#"):
            pages[-1].topics[-1][1].append(line.split())
    plain = [page for page in pages if "@" not in page.module]
    bases = [of_basis(page, *pair) for page in pages if "@" in page.module for pair in PREFIXES.items()]
    return plain + bases


def complete(names):
    """[page] of all public names, {module: [last part]}: those of topics.txt without what the
    package lacks, and a page of one table for every other module."""
    pages, known = [], {}
    for page in read():
        there = names.get(page.module, [])
        topics = [(topic, [[n for n in group if n in there] for group in groups]) for topic, groups in page.topics]
        topics = [(topic, list(filter(None, groups))) for topic, groups in topics if any(groups)]
        pages.append(Page(page.name, page.title, page.module, topics))
        known.setdefault(page.module, set()).update(page.names())
    for module, there in names.items():
        left = sorted(set(there) - known.get(module, set()))
        if left:
            page = next((page for page in pages if page.name == module), None)
            if page is None:
                page = Page(module, f"``{module}``", module)
                pages.append(page)
            # A handful of names are siblings.
            page.topics.append(
                ("More", [left]) if page.topics else ("", [left] if len(left) <= 8 else [[n] for n in left])
            )
    return pages


def siblings_of(pages):
    """{full name: full names of its siblings}, in the order of the pages."""
    found = {}
    for page in pages:
        for _, groups in page.topics:
            for group in groups:
                for name in group:
                    known = found.setdefault(f"{page.module}.{name}", [])
                    known += [
                        one for other in group if other != name and (one := f"{page.module}.{other}") not in known
                    ]
    return found


@functools.lru_cache(None)
def siblings_of_members():
    """{full name: full names of its siblings} of members.txt."""
    found = {}
    for line in FILE.with_name("members.txt").read_text(encoding="utf-8").splitlines():
        kind, _, names = line.partition(": ")
        prefix = "" if kind == "also" else f"{kind}."
        group = [prefix + name for name in names.split()] if not line.startswith("#") else ()
        for name in group:
            known = found.setdefault(name, [])
            known += [one for one in group if one != name and one not in known]
    return found
