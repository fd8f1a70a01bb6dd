"""Names of a package that are imported when they are first used."""

import importlib
import importlib.util
import sys

MOST_NAMED = 30


def homes_of(contents):
    """Name -> file, of texts of names by their file."""
    return {name: file for file, names in contents.items() for name in names.split()}


def refuse(package, name, names):
    """The error of a name that a package lacks, with what it has.

    `from package import name` swallows the text of an AttributeError, so where that statement asks,
    and the name is no file either, it is an ImportError.
    """
    if len(names) <= MOST_NAMED:
        has = f"; it has {', '.join(sorted(names))}"
    else:
        close = importlib.import_module("difflib").get_close_matches(name, names)
        has = f"; similar names: {', '.join(close)}" if close else f"; dir({package}) has its {len(names)} names"
    asks = sys._getframe(2).f_code.co_name
    if asks == "_handle_fromlist" and importlib.util.find_spec(f"{package}.{name}") is None:
        return ImportError(f"cannot import name {name!r} from {package!r}{has}", name=name, path=package)
    return AttributeError(f"module {package!r} has no attribute {name!r}{has}")


def lazy_names(package, homes, submodules=(), **computed):
    """The functions __getattr__ and __dir__ of a package: a name of `homes` comes from its file and
    is the package's own from then on, a submodule is imported, what is `computed` is called."""

    def __getattr__(name):
        if name in submodules:
            return importlib.import_module(f"{package}.{name}")
        if name in computed:
            return computed[name]()
        if name not in homes:
            raise refuse(package, name, getattr(sys.modules[package], "__all__", [*homes, *submodules]))
        found = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        if str(getattr(found, "__module__", "")).startswith(f"{package}._"):
            found.__module__ = package
        setattr(sys.modules[package], name, found)
        return found

    def __dir__():
        return sorted({*vars(sys.modules[package]), *homes, *submodules})

    return __getattr__, __dir__
