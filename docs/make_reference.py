"""Write the reference: a page for each topic and module, and one for each function, class, and
method of a class that has many.

names.json says where each name is documented; links.py makes links of it.
"""

import functools
import inspect
import json
import os
import re
import shutil
import warnings
from pathlib import Path

import check_documents
import entries
import public_names
import topics

ROOT = Path(__file__).resolve().parents[1]
FOLDER = "reference/names"
# Functions of CUDA's under their own names: a line each, since CUDA's reference has the rest.
OF_CUDA = tuple(name.rstrip(".") for name in check_documents.OF_CUDA)
# How many names stand on one page of such a module.
ON_A_PAGE = 60
# Members of a class that stand on its own page; of a class with more, each has a page.
MOST_INLINE = 8
ALIASES = "Also as"


@functools.lru_cache(None)
def public():
    """{full name: thing} of the package."""
    import tenorite

    return dict(public_names.public_names(tenorite))


def modules_of(names):
    """{module: [last part]} of full names."""
    found = {}
    for name in names:
        module, _, last = name.rpartition(".")
        found.setdefault(module, []).append(last)
    return found


def pages():
    """The pages of topics and modules, in their order."""
    return topics.complete(modules_of(public()))


class Reference:
    """What is documented where."""

    def __init__(self):
        self.things = public()
        self.pages = pages()
        self.siblings = topics.siblings_of(self.pages)
        self.topic_of = {}
        for page in self.pages:
            for name in page.names():
                self.topic_of.setdefault(f"{page.module}.{name}", page)
        self.members = {
            name: list(public_names.members(thing)) for name, thing in self.things.items() if isinstance(thing, type)
        }
        self.homes = self.find_homes()
        self.places = self.find_places()

    def find_homes(self):
        """{full name of a member: the full name that its text stands under}: one function that
        several classes have is described once."""
        first, homes = {}, {}
        for kind in sorted(self.members, key=lambda name: (name.endswith("RandomState"), "_array" in name)):
            for name, member in self.members[kind]:
                key = (id(member), name) if member.__doc__ else (kind, name)
                homes[f"{kind}.{name}"] = first.setdefault(key, f"{kind}.{name}")
        return homes

    def find_places(self):
        """{full name: page}, the page without a fragment if the name is what it is about."""
        places = {}
        for name in self.things:
            module = name.rpartition(".")[0]
            if module in OF_CUDA and not self.is_class(name):
                places[name] = part_of(self.topic_of[name], name)
            else:
                places[name] = f"{FOLDER}/{name}"
        for name, home in self.homes.items():
            kind = home.rpartition(".")[0]
            places[name] = places[kind] if self.is_inline(kind) else f"{FOLDER}/{home}"
        return places

    def is_class(self, name):
        return isinstance(self.things.get(name), type)

    def is_inline(self, kind):
        return len(self.members[kind]) <= MOST_INLINE or kind.rpartition(".")[0] in OF_CUDA

    def sentence(self, name):
        return entries.first_sentence(self.things[name])

    def sentence_of_member(self, name):
        kind, _, last = name.rpartition(".")
        return sentence_of(dict(self.members[kind])[last])

    def related(self, name):
        """[(name, sentence)] of See Also."""
        names = [*self.siblings.get(name, ())[:8], *topics.siblings_of_members().get(name, ())]
        return [(one, self.sentence(one)) for one in dict.fromkeys(names)]


def part_of(page, name):
    """Which part of a module of CUDA's a name stands on."""
    place = page.names().index(name.rpartition(".")[2])
    return f"reference/{page.name}" + (f"-{place // ON_A_PAGE + 1}" if place >= ON_A_PAGE else "")


def table(rows):
    """A table of names and sentences."""
    lines = [".. list-table::", "   :class: names", "   :widths: 30 70", ""]
    for name, sentence in rows:
        lines += [f"   * - {name}", f"     - {sentence}"]
    return [*lines, ""]


def heading(title, line):
    return [title, line * len(title), ""]


def described(text):
    """The description of a page for search engines."""
    text = " ".join(re.sub(r"[`*\\]", "", text).split())
    return [".. meta::", f"   :description: {text[:200]}", ""] if text else []


def shown(name, module):
    """A link to a name of a page's module, by its last part."""
    return f":name:`{name.removeprefix(module + '.')} <{name}>`"


def source_line(thing):
    """[source] of a thing, where its text is found."""
    place = place_in_source(thing)
    return [f".. source:: {place[0]} {place[1]}", ""] if place else []


def place_in_source(thing):
    """(path in the tree, line), or None."""
    thing = inspect.unwrap(getattr(thing, "__func__", getattr(thing, "fget", None) or thing))
    try:
        path, line = inspect.getsourcefile(thing), inspect.getsourcelines(thing)[1]
    except (TypeError, OSError):
        return rows_of_c().get(getattr(thing, "__name__", ""))
    package = Path(public_package().__file__).parent
    inside = os.path.relpath(path, package)
    return None if inside.startswith("..") else (f"python/tenorite/{inside}", line)


def public_package():
    import tenorite

    return tenorite


_ROWS = {}


def rows_of_c():
    """{name: (path, line)} of what the extension defines: where its docstring is named."""
    if not _ROWS:
        for path in sorted((ROOT / "python/ext").rglob("*.[ch]")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                for name in re.findall(r"\bDOC_(?:ndarray_)?(\w+)", line):
                    _ROWS.setdefault(name, (path.relative_to(ROOT).as_posix(), number))
        for number, line in enumerate((ROOT / "src/ops/ops.def").read_text(encoding="utf-8").splitlines(), 1):
            for name in re.findall(r"^(?:OP|FUNCTION)\((\w+),", line):
                _ROWS.setdefault(name, ("src/ops/ops.def", number))
    return _ROWS


def crumbs(reference, name):
    """The way to a page, as a line above it."""
    page = reference.topic_of[name]
    return [".. rst-class:: crumbs", "", f":doc:`Reference </reference/index>` / :doc:`/reference/{page.name}`", ""]


def function_page(reference, name):
    thing = reference.things[name]
    lines = described(reference.sentence(name)) + heading(name, "=") + crumbs(reference, name)
    lines += entries.directive("py:function", name, thing, reference.related(name))
    return lines + source_line(thing)


def kind_of(member):
    """The directive of a member, its options, and what has the docstring."""
    if isinstance(member, property) or not callable(getattr(member, "__func__", member)):
        return "py:property", (), member
    if isinstance(member, staticmethod | classmethod):
        return "py:method", ("staticmethod" if isinstance(member, staticmethod) else "classmethod",), member.__func__
    return "py:method", (), member


def sentence_of(member):
    return entries.first_sentence(kind_of(member)[2])


def class_page(reference, name):
    """The page of a class: its docstring, the tables of its members, and these, if they are few."""
    thing, members = reference.things[name], reference.members[name]
    exception = issubclass(thing, BaseException)
    lines = described(reference.sentence(name)) + heading(name, "=") + crumbs(reference, name)
    kind = "py:exception" if exception else "py:class"
    lines += entries.directive(kind, name, thing, reference.related(name))
    bases = [base for base, known in reference.things.items() if known in thing.__mro__[1:]]
    if bases:
        lines += ["   Bases: " + ", ".join(f"``{base}``" for base in bases), ""]
    lines += source_line(thing)
    if reference.is_inline(name):
        for last, member in members:
            kind, options, told = kind_of(member)
            member = f"{name}.{last}"
            lines += entries.directive(kind, member, told, (), options, reference.homes[member])
        return lines
    for title, is_method in (("Attributes", False), ("Methods", True)):
        rows = [
            (f":name:`{last} <{reference.homes[f'{name}.{last}']}>`", sentence_of(member))
            for last, member in members
            if (kind_of(member)[0] == "py:method") == is_method
        ]
        if rows:
            lines += heading(title, "-") + table(rows)
    return lines


def member_page(reference, kind, last, member):
    """The page of a member of a class that has many."""
    name = f"{kind}.{last}"
    directive, options, told = kind_of(member)
    module = kind.rpartition(".")[0]
    function = next((one for one in (f"tenorite.{last}", f"{module}.{last}") if one in reference.things), None)
    related = [(function, reference.sentence(function))] if function else []
    related += [(one, reference.sentence(one)) for one in reference.siblings.get(function, ())[:3]]
    related += [(one, reference.sentence_of_member(one)) for one in topics.siblings_of_members().get(name, ())]
    lines = described(sentence_of(member)) + heading(name, "=")
    page = reference.topic_of[kind]
    lines += [".. rst-class:: crumbs", ""]
    lines += [f":doc:`Reference </reference/index>` / :doc:`/reference/{page.name}` / ``{kind}``", ""]
    lines += entries.directive(directive, name, told, related, options)
    others = [one.rpartition(".")[0] for one, home in reference.homes.items() if home == name and one != name]
    if others:
        lines += [f"   {ALIASES} a member of " + ", ".join(f"``{one}``" for one in others) + ".", ""]
    return lines + source_line(member)


def topic_page(page, reference):
    """A page of tables."""
    lines = heading(page.title, "=")
    if page.module not in (page.name, "tenorite"):
        raise SystemExit(f"topics.txt: {page.name} is no module")
    text = public_names.text_of(__import__(page.module, fromlist=["*"])) if page.name == page.module else ""
    lines = described(text.partition("\n\n")[0] or page.title) + lines
    if text:
        lines += [entries.plain(line) for line in text.partition("\n\n")[0].splitlines()] + [""]
    if page.module in OF_CUDA:
        return lines + cuda_parts(page, reference)
    for topic, groups in page.topics:
        names = [f"{page.module}.{name}" for group in groups for name in group]
        rows = [(shown(name, page.module), reference.sentence(name)) for name in names]
        lines += (heading(topic, "-") if topic else []) + table(rows)
    return lines


def cuda_parts(page, reference):
    """What a page of CUDA's functions has beside its title: the first names and links to the other
    parts, which follow as pages."""
    names = [f"{page.module}.{name}" for name in page.names()]
    parts = range(1, (len(names) - 1) // ON_A_PAGE + 1)
    lines = []
    if parts:
        lines += [".. toctree::", "   :hidden:", "", *[f"   {page.name}-{part + 1}" for part in parts], ""]
        for part in range(len(parts) + 1):
            first, last = names[part * ON_A_PAGE], names[min(len(names), (part + 1) * ON_A_PAGE) - 1]
            to = page.name if part == 0 else f"{page.name}-{part + 1}"
            ends = f"{first.rpartition('.')[2]} to {last.rpartition('.')[2]}"
            lines += [f"* :doc:`{ends} <{to}>`"]
        lines += [""]
    return lines + short_entries(names[:ON_A_PAGE], reference)


def short_entries(names, reference):
    lines = []
    for name in names:
        if reference.is_class(name):
            lines += [f"* ``{name}``: {reference.sentence(name)}", ""]
        else:
            lines += entries.directive("py:function", name, reference.things[name])
    return lines


def write(path, lines):
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_places(reference, folder):
    """Write names.json: where each name and module has its page."""
    places = {name: [place, reference.homes.get(name, name)] for name, place in reference.places.items()}
    pages_of = {page.module: f"reference/{page.name}" for page in reference.pages if page.name == page.module}
    (folder / "names.json").write_text(json.dumps({"names": places, "modules": pages_of}), encoding="utf-8")


def index(found):
    """The first page of the reference."""
    lines = heading("Reference", "=")
    lines += ["Every public name, with its parameters and an example that the tests run.", ""]
    plain = [page for page in found if page.module == "tenorite" and page.name != "tenorite"]
    modules = [page for page in found if page not in plain]
    groups = (
        ("Arrays and functions", plain),
        (
            "NumPy's modules",
            [p for p in modules if p.name.split(".")[1] in ("linalg", "fft", "random", "polynomial", "emath")],
        ),
        ("SciPy's modules", [p for p in modules if p.name.startswith("tenorite.scipy")]),
        (
            "Devices, memory and kernels",
            [p for p in modules if p.name.split(".")[1] in ("cuda", "jit", "cache", "profiler")],
        ),
    )
    taken = [page.name for _, group in groups for page in group]
    groups += (("Other modules", [page for page in modules if page.name not in taken]),)
    for title, group in groups:
        order = [p.name for p in group] if group is plain else sorted(p.name for p in group)
        lines += heading(title, "-") + [".. toctree::", "   :maxdepth: 1", "", *[f"   {name}" for name in order], ""]
    return lines


def main(folder):
    """Write the pages of the reference and names.json beside the folder."""
    warnings.simplefilter("ignore")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "names").mkdir(parents=True)
    reference = Reference()
    write(folder / "index.rst", index(reference.pages))
    for page in reference.pages:
        write(folder / f"{page.name}.rst", topic_page(page, reference))
        names = [f"{page.module}.{name}" for name in page.names()]
        for start in range(ON_A_PAGE, len(names), ON_A_PAGE) if page.module in OF_CUDA else ():
            part = f"{page.name}-{start // ON_A_PAGE + 1}"
            title = f"{page.title}, part {start // ON_A_PAGE + 1}"
            lines = described(f"{page.module}, continued") + heading(title, "=")
            write(folder / f"{part}.rst", lines + short_entries(names[start : start + ON_A_PAGE], reference))
    for name, place in reference.places.items():
        if place == f"{FOLDER}/{name}" and name in reference.things:
            make = class_page if reference.is_class(name) else function_page
            write(folder / "names" / f"{name}.rst", [":orphan:", "", *make(reference, name)])
    for kind, members in reference.members.items():
        for last, member in members:
            if reference.places[f"{kind}.{last}"] == f"{FOLDER}/{kind}.{last}":
                lines = member_page(reference, kind, last, member)
                write(folder / "names" / f"{kind}.{last}.rst", [":orphan:", "", *lines])
    write_places(reference, folder.parent)
