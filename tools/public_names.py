"""Every public name of the package: what documents, types and tests are checked for."""

import importlib
import inspect
import pkgutil
import re
import types


def modules(package):
    """{name: module} of the package and its submodules without an underscore, outer ones first."""
    found = {package.__name__: package}
    for entry in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        if not entry.name.rpartition(".")[2].startswith("_"):
            module = importlib.import_module(entry.name)
            found.update(modules(module) if entry.ispkg else {entry.name: module})
    return dict(sorted(found.items(), key=lambda item: (item[0].count("."), item[0])))


def of_the_package(thing):
    home = getattr(thing, "__module__", None)
    return (home if isinstance(home, str) else type(thing).__module__).partition(".")[0] == "tenorite"


def names_of(module):
    return [name for name in getattr(module, "__all__", None) or dir(module) if not name.startswith("_")]


def public_names(package):
    """Yield (qualified name, thing) of functions, ufuncs and classes, each once, by the shortest
    name."""
    seen = set()
    for module_name, module in modules(package).items():
        for name in sorted(names_of(module), key=lambda name: getattr(module, name).__class__.__name__ == name):
            thing = getattr(module, name)
            if (
                isinstance(thing, types.ModuleType | types.GenericAlias)
                or not callable(thing)
                or not of_the_package(thing)
            ):
                continue
            if id(thing) not in seen:
                seen.add(id(thing))
                yield f"{module_name}.{getattr(thing, '__name__', name) if name_is(module, thing) else name}", thing


def name_is(module, thing):
    """Whether the thing's own name is public in the module; an alias then does not stand for it."""
    return getattr(module, getattr(thing, "__name__", "") or "_", None) is thing


def members(kind):
    """Yield (name, thing) of the public methods and properties that a class has of the package."""
    for name in dir(kind):
        if name.startswith("_"):
            continue
        for base in kind.__mro__:
            if name in vars(base):
                if base.__module__.partition(".")[0] == "tenorite":
                    yield name, vars(base)[name]
                break


def text_of(thing):
    """The docstring, its indentation taken away, or an empty text."""
    text = thing.__doc__
    return inspect.cleandoc(text) if isinstance(text, str) else ""


def section(text, title):
    """The lines of a section of numpydoc's, or None."""
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\S[^\n]*\n-{{3,}}\n|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1].splitlines() if found else None


def documented_parameters(text):
    """The names in the section Parameters (and Other Parameters), without their stars."""
    found = []
    for title in ("Parameters", "Other Parameters"):
        for line in section(text, title) or ():
            if line[:1].strip():
                found += [name.strip().lstrip("*\\") for name in line.partition(" :")[0].split(",")]
    return found
