"""Tenorite under the names of CuPy: ``import cupy`` and ``import cupyx`` find tenorite."""

import functools
import importlib
import importlib.machinery
import importlib.util
import os
import sys
import textwrap

from tenorite import _arguments
from tenorite._cupy import _core, _util

_ROOTS = frozenset({"cupy", "cupyx", "cupy_backends"})
# cupyx keeps these as submodules of its own; here they lie in tenorite itself.
_MOVED = frozenset(
    {
        "cudnn",
        "cusolver",
        "cusparse",
        "cutensor",
        "distributed",
        "jit",
        "lapack",
        "optimizing",
        "profiler",
        "scipy",
        "signal",
        "time",
        "tools",
    }
)
# Dask and others find what to do with an array, a sparse matrix or a bit generator by the first
# part of its class's module, programs ask for the name of the module: these are those of CuPy as
# soon as the alias is in force.
_MODULES_OF_CLASSES = {
    "tenorite.random": "cupy.random",
    "tenorite.scipy": "cupyx.scipy",
    "tenorite.scipy.sparse": "cupyx.scipy.sparse",
}
# Of these the module's own name is CuPy's, too, as programs ask what get_array_module gave.
_ASKED_FOR_THEIR_NAME = frozenset({"tenorite.scipy"})
# The version of CuPy of which the names are.
CUPY_VERSION = "14.0.0"
# CuPy's private names; the modules cupy and cupyx of processes that have no alias yet.
_NAMES = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(_NAMES, "startup")


def _is_private(path):
    """Whether a name below ``cupy`` is in this folder, by its first part with an underscore."""
    for length, part in enumerate(path, 1):
        if part[:1] == "_":
            place = os.path.join(_NAMES, *path[:length])
            return os.path.isdir(place) or os.path.isfile(place + ".py")
    return False


def translate(name):
    """The module of ours that a module of CuPy's name stands for, or None: cupyx.jit, tenorite.jit.

    ``from cupy.fft import _fft`` asks for tenorite.fft._fft, which stands for CuPy's, too.
    """
    root, *rest = name.split(".")
    if root in ("cupy", "tenorite") and _is_private(rest):
        return ".".join(["tenorite._cupy", *rest])
    if root == "cupy":
        return ".".join(["tenorite", *rest])
    if root == "cupyx":
        inside = [] if rest and rest[0] in _MOVED else ["x"]
        private = ["_cupy"] if _is_private(inside + rest) else []
        return ".".join(["tenorite", *private, *inside, *rest])
    if root == "cupy_backends":  # cupy_backends.cuda.api.runtime, cupy_backends.cuda.libs.nvrtc
        return ".".join(["tenorite", *(part for part in rest if part not in ("api", "libs"))])
    return None


class _Finder:
    """Both a finder and a loader; importlib asks for no base class."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname in _MODULES_OF_CLASSES:
            return _find_with_classes(fullname, path)
        name = translate(fullname)
        if name is None:
            return None
        try:
            found = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            found = None
        if found is None:
            raise ModuleNotFoundError(f"tenorite has no {name}, so no {fullname}", name=fullname)
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        """The import system returns what lies in sys.modules after this: our module itself."""
        become(module.__name__)


def become(name):
    """Puts our module in the place of a module of CuPy's that is being imported."""
    install_as_cupy()
    sys.modules[name] = module = importlib.import_module(translate(name))
    if os.path.isdir(os.path.join(_NAMES, *translate(name).split(".")[1:])) and "__getattr__" not in vars(module):
        module.__getattr__ = functools.partial(_private_submodule, name)


def _private_submodule(name, part):
    """A module of CuPy's private names as an attribute: cupyx.scipy.interpolate._interpolate."""
    if part[:1] == "_" and part[:2] != "__" and _is_private([*translate(name).split(".")[1:], part]):
        return importlib.import_module(f"{name}.{part}")
    raise AttributeError(f"module {name!r} has no attribute {part!r}")


def _find_with_classes(fullname, path):
    """The module as Python finds it, whose classes are renamed as soon as they are made."""
    found = importlib.machinery.PathFinder.find_spec(fullname, path)
    run = found.loader.exec_module

    def run_and_rename(module):
        run(module)
        _rename(module)

    found.loader.exec_module = run_and_rename
    return found


def _rename(module):
    for one in vars(module).values():
        if isinstance(one, type) and one.__module__.startswith(module.__name__):
            one.__module__ = _MODULES_OF_CLASSES[module.__name__]
    if module.__name__ in _ASKED_FOR_THEIR_NAME:
        module.__name__ = _MODULES_OF_CLASSES[module.__name__]


def install_as_cupy():
    """Makes ``import cupy`` and ``import cupyx``, and of their submodules, mean tenorite.

    Modules of CuPy that were imported before are replaced for later imports. Nothing is left to the
    real CuPy: a module that tenorite lacks is a ModuleNotFoundError. From then on
    ``tenorite.__version__``, which is ``cupy.__version__``, is that of the CuPy whose names these
    are; ``tenorite.show_config()`` still says Tenorite's own. The module's ``__name__``
    is ``"cupy"`` then (and that of ``scipy`` ``"cupyx.scipy"``), the class of arrays says that it
    is ``cupy.ndarray``, and those of sparse matrices and generators that they are of
    ``cupyx.scipy.sparse`` and ``cupy.random``, since programs and other libraries look there.

    Worker processes that are started by spawn or forkserver have the alias, too: they get this
    process's ``sys.path``, to which a folder with modules of CuPy's names is added. A program that
    is run by ``python -m tenorite program.py`` gives it to all Pythons that it starts, by the
    variable ``PYTHONPATH``.

    Functions that CuPy makes a call of their argument's method take NumPy's arrays then and give
    NumPy's results: LEFT_TO_NUMPY. Both names mean the same functions, so in such a process those
    of ``tenorite`` do the same.

    Returns
    -------
    None
        ``import cupy`` gives tenorite from then on.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.install_as_cupy()  # doctest: +SKIP
    >>> import cupy  # doctest: +SKIP
    """
    if _arguments.is_cupy:
        return
    for name in [name for name in sys.modules if name.partition(".")[0] in _ROOTS]:
        del sys.modules[name]
    ours = sys.modules["tenorite"]
    ours.__version__, ours.__name__, ours.ndarray.__module__ = CUPY_VERSION, "cupy", "cupy"
    ours._core, ours._util = _core, _util
    for name in _MODULES_OF_CLASSES.keys() & sys.modules.keys():
        _rename(sys.modules[name])
    sys.meta_path.insert(0, _Finder())
    if FOLDER not in sys.path:
        sys.path.insert(1, FOLDER)  # after the program's own folder
    _arguments.is_cupy = True


install_as_cupy.__doc__ = install_as_cupy.__doc__.replace(
    "LEFT_TO_NUMPY", "\n    ".join(textwrap.wrap(", ".join(sorted(_arguments.LEFT_TO_NUMPY)), 90))
)
