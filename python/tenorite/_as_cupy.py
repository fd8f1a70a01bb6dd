"""Tenorite under the names of CuPy: ``import cupy`` and ``import cupyx`` find tenorite."""

import importlib
import importlib.machinery
import importlib.util
import sys

from tenorite import _arguments

# cupyx keeps these as submodules of its own; here they lie in tenorite itself.
_MOVED = frozenset({"cusolver", "cusparse", "distributed", "jit", "lapack", "optimizing", "profiler", "scipy",
                    "signal", "time", "tools"})  # fmt: skip
# Dask and others find what to do with an array by the first part of its class's module, programs
# ask for the name of the module: both are those of CuPy as soon as the alias is in force.
_SPARSE = "cupyx.scipy.sparse"
# The version of CuPy of which the names are.
CUPY_VERSION = "14.0.0"


def translate(name):
    """The module of ours that a module of CuPy's name stands for, or None: cupyx.jit,
    tenorite.jit."""
    root, *rest = name.split(".")
    if root == "cupy":
        return ".".join(["tenorite", *rest])
    if root == "cupyx":
        inside = [] if rest and rest[0] in _MOVED else ["x"]
        return ".".join(["tenorite", *inside, *rest])
    if root == "cupy_backends":  # cupy_backends.cuda.api.runtime, cupy_backends.cuda.libs.nvrtc
        return ".".join(["tenorite", *(part for part in rest if part not in ("api", "libs"))])
    return None


class _Finder:
    """Both a finder and a loader; importlib asks for no base class."""

    def find_spec(self, fullname, path=None, target=None):
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
        sys.modules[module.__name__] = ours = importlib.import_module(translate(module.__name__))
        if module.__name__ == _SPARSE:
            for one in vars(ours).values():
                if isinstance(one, type) and one.__module__.startswith(ours.__name__):
                    one.__module__ = _SPARSE


def install_as_cupy():
    """Makes ``import cupy`` and ``import cupyx``, and of their submodules, mean tenorite.

    Modules of CuPy that were imported before are replaced for later imports. Nothing is left to the
    real CuPy: a module that tenorite lacks is a ModuleNotFoundError. From then on
    ``tenorite.__version__``, which is ``cupy.__version__``, is that of the CuPy whose names these
    are; ``tenorite.show_config()`` still says Tenorite's own. The module's ``__name__``
    is ``"cupy"`` then, the class of arrays says that it is ``cupy.ndarray``, and those of sparse
    matrices that they are of ``cupyx.scipy.sparse``, since programs and other libraries look there.

    Functions that CuPy makes a call of their argument's method take NumPy's arrays then and give
    NumPy's results: copy, take, choose, compress, diagonal, squeeze, reshape, ravel, repeat,
    swapaxes, transpose, clip, around, round, sum, prod, argmax, argmin, argsort, argpartition,
    mean, var, std, amin, amax, max, min and ptp. Both names mean the same functions, so in such a
    process those of ``tenorite`` do the same.

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
    for name in [name for name in sys.modules if translate(name)]:
        del sys.modules[name]
    ours = sys.modules["tenorite"]
    ours.__version__, ours.__name__, ours.ndarray.__module__ = CUPY_VERSION, "cupy", "cupy"
    sys.meta_path.insert(0, _Finder())
    _arguments.is_cupy = True
