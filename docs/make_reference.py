"""Write the pages of the reference: every public name of the package, by module and chapter."""

import shutil
import types
import warnings

import public_names

# Chapters of functions that are single operations of the core, by a name of each.
CHAPTERS = {
    "creation": "array asarray asanyarray ascontiguousarray asfortranarray frombuffer empty zeros ones full "
    "empty_like zeros_like ones_like full_like arange linspace eye identity",
    "joining": "concatenate concat stack vstack hstack row_stack",
    "sorting": "sort argsort partition argpartition",
    "searching": "searchsorted argmax argmin nanargmax nanargmin nonzero flatnonzero argwhere extract count_nonzero",
    "indexing": "take put compress",
    "linear_algebra": "matmul vecdot matvec vecmat dot vdot inner outer tensordot trace",
    "histograms": "bincount",
    "calculus": "diff",
}
TITLES = {
    "mathematics": "Mathematics",
    "reductions": "Sums, products, statistics",
    "ufuncs": "Element-wise operations",
    "einsum": "Einstein's summation",
    "io": "Files",
    "legacy": "Old names",
    "device": "The package",
    "linear_algebra": "Products of arrays",
    "floating_errors": "Floating-point errors",
}


def chapter_of(name, thing):
    from tenorite import _numpy

    if type(thing).__name__ == "ufunc":
        return "ufuncs"
    for chapters in (CHAPTERS, _numpy.CONTENTS):
        for chapter, names in chapters.items():
            if name in names.split():
                return chapter
    if isinstance(thing, types.BuiltinFunctionType):
        return "reductions"
    return "device"


def first_sentence(thing):
    """The first paragraph of a docstring, which numpydoc wants to be a sentence."""
    paragraphs = [text.split() for text in public_names.text_of(thing).split("\n\n") if text.strip()]
    if type(thing).__name__ == "ufunc":
        paragraphs = paragraphs[1:]
    sentence = " ".join(paragraphs[0]) if paragraphs else ""
    return sentence.replace("*", r"\*").replace("|", r"\|").replace("_", r"\_")


def public_bases(kind):
    """The names of the classes with pages of their own from which a class has members."""
    import tenorite

    public = {id(thing) for _, thing in public_names.public_names(tenorite)}
    return [base.__name__ for base in kind.__mro__[1:] if id(base) in public]


def directive(qualified, thing):
    """What autodoc gets. The members of a public base class stand on its page alone."""
    kind = "autoclass" if isinstance(thing, type) else "autofunction"
    lines = [f".. {kind}:: {qualified}"]
    if isinstance(thing, type):
        exception = issubclass(thing, BaseException)
        bases = public_bases(thing)
        if not exception:
            lines += [
                "   :members:",
                f"   :inherited-members: {', '.join(['object', 'dict', 'Mapping', 'TestCase', *bases])}",
            ]
        if bases:
            lines.append("   :show-inheritance:")
    return "\n".join([*lines, ""])


def page(title, module, entries):
    """A page: a table of what is on it, then each thing."""
    lines = [title, "=" * len(title), "", f".. currentmodule:: {module}", ""]
    lines += [".. list-table::", "   :widths: 30 70", ""]
    for name, thing in entries:
        role = "class" if isinstance(thing, type) else "func"
        lines += [f"   * - :{role}:`~{name}`", f"     - {first_sentence(thing)}"]
    lines.append("")
    for name, thing in entries:
        lines.append(directive(name, thing))
    return "\n".join(lines)


def pages():
    """{file name: (title, module, [(name, thing)])}."""
    import tenorite

    found = {}
    for name, thing in public_names.public_names(tenorite):
        module, _, last = name.rpartition(".")
        if module != "tenorite":
            found.setdefault(module, (f"``{module}``", module, []))[2].append((name, thing))
        elif last == "ndarray":
            found["ndarray"] = ("Arrays: ndarray", module, [(name, thing)])
        else:
            chapter = chapter_of(last, thing)
            title = TITLES.get(chapter, chapter.replace("_", " ").capitalize())
            found.setdefault(chapter, (title, module, []))[2].append((name, thing))
    return found


def main(folder):
    """Write a page for each chapter and module, and their index."""
    warnings.simplefilter("ignore")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    found = pages()
    functions = [name for name in found if "." not in name]
    modules = [name for name in found if "." in name]
    lines = ["Reference", "=========", "", "Every public name, with its parameters and an example that the tests run."]
    groups = (
        ("Arrays and functions", sorted(functions, key=lambda n: (n != "ndarray", n != "ufuncs", n))),
        ("Modules", sorted(modules)),
    )
    for title, names in groups:
        lines += ["", title, "-" * len(title), "", ".. toctree::", "   :maxdepth: 1", "", *[f"   {n}" for n in names]]
    (folder / "index.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, (title, module, entries) in found.items():
        (folder / f"{name}.rst").write_text(page(title, module, sorted(entries)), encoding="utf-8")
