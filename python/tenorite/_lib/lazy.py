"""Names of a package that are imported when they are first used."""

import importlib
import sys


def homes_of(contents):
    """Name -> file, of texts of names by their file."""
    return {name: file for file, names in contents.items() for name in names.split()}


def lazy_names(package, homes, submodules=()):
    """The functions __getattr__ and __dir__ of a package: a name of `homes` comes from its file and
    is the package's own from then on, a submodule is imported."""

    def __getattr__(name):
        if name in submodules:
            return importlib.import_module(f"{package}.{name}")
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        if str(getattr(found, "__module__", "")).startswith(f"{package}._"):
            found.__module__ = package
        setattr(sys.modules[package], name, found)
        return found

    def __dir__():
        return sorted({*vars(sys.modules[package]), *homes, *submodules})

    return __getattr__, __dir__
