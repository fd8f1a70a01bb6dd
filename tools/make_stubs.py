"""Write the stubs (.pyi) of the package from the package itself.

    make_stubs.py [--check]

Names and parameters come from `inspect.signature`, types from the sections Parameters and Returns
of the docstrings, which tools/check_documents.py holds to the signatures. What ufuncs and
reductions give comes from their loops and from KEEPING, FLOATING and GIVING. tools/ndarray.pyi has
the types that all modules share. --check writes nothing and says which stubs differ.
"""

import inspect
import re
import sys
import types
import warnings
from pathlib import Path

import numpy
import public_names

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent
PACKAGE = ROOT / "python/tenorite"
HEAD = """\
# Made by tools/make_stubs.py; `make stubs` writes it again.
import builtins as _b
from collections.abc import Callable as _Callable
from typing import Any as _Any, Literal as _Literal, SupportsIndex as _Index, overload as _overload

import numpy as _np
from numpy.typing import ArrayLike as _ArrayLike, DTypeLike as _DTypeLike
from typing_extensions import Self as _Self
"""
SHARED = "_DT, _Convertible, _Floats, _Inexact, _Operand, _Real, _S, _Scalar, _Shape, ndarray"
# Reductions and their kin: what an array of float32 and one of int32 give.
KEEPING = "max min amax amin nanmax nanmin ptp sort partition take copy ravel flip roll squeeze transpose".split()
FLOATING = "sum prod nansum nanprod cumsum cumprod nancumsum nancumprod median std var nanstd nanvar".split()
GIVING = {
    **dict.fromkeys("all any isin isclose".split(), "_np.bool"),
    **dict.fromkeys("argmax argmin nanargmax nanargmin argsort argpartition count_nonzero".split(), "_np.int64"),
}
# Functions that make float64 unless a dtype is given.
OF_FLOATS = "zeros ones empty eye identity".split()
WORDS = {
    "int": "_Index",
    "ints": "_Index",
    "float": "_b.float | _np.floating | _np.integer",
    "bool": "_b.bool | _np.bool",
    "str": "_b.str",
    "bytes": "_b.bytes",
    "dict": "_b.dict[_Any, _Any]",
    "None": "None",
    "scalar": "_Scalar",
    "number": "_Scalar",
    "dtype": "_DTypeLike",
    "callable": "_Callable[..., _Any]",
    "tuple of ints": "_Shape",
    "tuple of two ints": "_Shape",
    "sequence of ints": "_Shape",
    "ndarray of bool": "_Operand | _b.bool",
    "type": "_b.type",
    "object": "_Any",
}
RESULTS = {
    "int": "_b.int",
    "float": "_b.float",
    "bool": "_b.bool",
    "str": "_b.str",
    "bytes": "_b.bytes",
    "None": "None",
    "tuple of ints": "_b.tuple[_b.int, ...]",
    "ndarray": "ndarray[_Any]",
    "ndarray of bool": "ndarray[_np.bool]",
    "ndarray of int64": "ndarray[_np.int64]",
    "tuple of ndarrays of int64": "_b.tuple[ndarray[_np.int64], ...]",
    "tuple of ndarrays": "_b.tuple[ndarray[_Any], ...]",
    "list of ndarrays": "_b.list[ndarray[_Any]]",
    "tuple of two ndarrays": "_b.tuple[ndarray[_Any], ndarray[_Any]]",
    "numpy.ndarray": "_np.ndarray[_Any, _Any]",
    "dict": "_b.dict[_Any, _Any]",
    "dtype": "_np.dtype[_Any]",
    "list": "_b.list[_Any]",
    "callable": "_Callable[..., _Any]",
}
# What calls give, of functions whose arguments decide: the signatures, from the narrowest on.
WRITTEN = {
    ("tenorite", "where"): [
        "(condition: _Convertible, /) -> _b.tuple[ndarray[_np.int64], ...]",
        "(condition: _Convertible, x: ndarray[_S], y: ndarray[_S], /) -> ndarray[_S]",
        "(condition: _Convertible, x: _Operand | _Scalar, y: _Operand | _Scalar, /) -> ndarray[_Any]",
    ],
    ("tenorite.linalg", "svd"): [
        "(a: _Operand, full_matrices: _b.bool = ..., compute_uv: _Literal[True] = ..., hermitian: _b.bool = ...)"
        " -> _b.tuple[ndarray[_Any], ndarray[_Any], ndarray[_Any]]",
        "(a: _Operand, full_matrices: _b.bool = ..., *, compute_uv: _Literal[False], hermitian: _b.bool = ...)"
        " -> ndarray[_Any]",
        "(a: _Operand, full_matrices: _b.bool = ..., compute_uv: _b.bool = ..., hermitian: _b.bool = ...) -> _Any",
    ],
}
# The same of methods that no docstring describes.
WRITTEN_METHODS = {
    ("RawKernel", "__call__"): [
        "(self, grid: _b.tuple[_b.int, ...], block: _b.tuple[_b.int, ...], args: _b.tuple[_Any, ...], *, "
        "shared_mem: _b.int = ..., stream: _Any = ...) -> None"
    ],
    ("ReductionKernel", "__call__"): [
        "(self, *args: _Operand, out: ndarray[_Any] | None = ..., axis: _Shape | None = ..., keepdims: _b.bool = ..., "
        "stream: _Any = ..., block_size: _b.int | None = ...) -> ndarray[_Any]"
    ],
}
# Classes whose context gives the object itself.
ENTERED = "Stream ExternalStream Device MemoryHook NpzFile".split()
OPERATORS = "add sub mul truediv matmul pow radd rsub rmul rtruediv rmatmul lt le gt ge".split()
KEYWORDS = {"None", "True", "False", "lambda", "from", "import", "in", "is"}


# --- Types out of docstrings ---


def type_of_word(word):
    word = re.sub(r"^\([^)]*\) ", "", word.strip())
    if word in WORDS:
        return WORDS[word]
    if re.fullmatch(r"ndarray( of \w+)?", word):
        return "_Operand"
    return "_Convertible" if word.startswith("array_like") else "_Any"


def type_of_text(text, default):
    """The annotation of a parameter of whose type a docstring says `text`."""
    text = text.removesuffix(", optional").strip()
    if not text:
        return "_Any"
    found = []
    for choice in re.findall(r"\{[^}]*\}", text):
        text = text.replace(choice, "")
        if not re.fullmatch(r"\{(('[^']*'|None|\d+)(, )?)+\}", choice):
            return "_Any"
        found.append(f"_Literal[{choice[1:-1]}]")
    words = [word for word in re.split(r", or |,? or |, ", text) if word.strip()]
    found += [type_of_word(word) for word in words]
    if "_Any" in found or not found:
        return "_Any"
    if default is None and "None" not in found:
        found.append("None")
    return " | ".join(dict.fromkeys(found))


def documented_types(text):
    """{parameter: type} as the sections of a docstring have them."""
    documented = {}
    for title in ("Parameters", "Other Parameters"):
        for line in public_names.section(text, title) or ():
            names, _, kind = line.partition(" : ")
            if line[:1].strip():
                documented.update(dict.fromkeys([name.strip().lstrip("*\\") for name in names.split(",")], kind))
    return documented


def result_of(text, local):
    """The annotation of what is returned; `local` are the names of the module."""
    lines = [line for line in public_names.section(text, "Returns") or () if line[:1].strip()]
    if len(lines) != 1:
        return "_Any"
    word = re.sub(r"^\([^)]*\) ", "", lines[0].strip())
    return RESULTS.get(word) or (word if isinstance(local.get(word), type) else "_Any")


# --- Functions ---


def spelled(parameters):
    """The parameters, each with what stands before it in a signature: `/`, `*`."""
    shown, kinds = [], [one.kind for one in parameters]
    for place, one in enumerate(parameters):
        if one.kind is one.KEYWORD_ONLY and one.KEYWORD_ONLY not in kinds[:place]:
            if one.VAR_POSITIONAL not in kinds[:place]:
                shown.append("*")
        star = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        default = "" if one.default is one.empty else " = ..."
        shown.append(f"{star}{one.name}: {one.annotation}{default}")
        if one.kind is one.POSITIONAL_ONLY and one.POSITIONAL_ONLY not in kinds[place + 1 :]:
            shown.append("/")
    return ", ".join(shown)


def annotated(thing):
    """The parameters of a function, with the annotations of its docstring."""
    documented, found = documented_types(public_names.text_of(thing)), []
    for one in inspect.signature(thing).parameters.values():
        kind = "_Any" if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) else None
        kind = kind or type_of_text(documented.get(one.name, ""), one.default)
        default = one.default if one.default is one.empty else ...
        found.append(one.replace(annotation=kind, default=default))
    return found


def with_dtype(parameters):
    """The parameters with a dtype that is a type: after it only those with names follow."""
    place = [one.name for one in parameters].index("dtype")
    before, dtype, after = parameters[:place], parameters[place], parameters[place + 1 :]
    dtype = dtype.replace(annotation="_DT[_S]", default=inspect.Parameter.empty)
    if any(one.default is not one.empty for one in before) and dtype.kind is not dtype.KEYWORD_ONLY:
        dtype = dtype.replace(kind=dtype.KEYWORD_ONLY)
        after = [one.replace(kind=one.KEYWORD_ONLY) if one.kind is one.POSITIONAL_OR_KEYWORD else one for one in after]
    return [*before, dtype, *after]


def without(parameters, name):
    return [one for one in parameters if one.name != name]


def variants(name, parameters, result):
    """[(parameters, result)]: the overloads of a function, from the narrowest to the widest."""
    found, names = [], [one.name for one in parameters]
    first = next((one for one in parameters if one.name != "self"), None)
    if "dtype" in names and result == "ndarray[_Any]":
        found.append((with_dtype(parameters), "ndarray[_S]"))
    if name in OF_FLOATS:
        found.append((without(parameters, "dtype"), "ndarray[_np.float64]"))
    keeping = (name in KEEPING and "_S") or (name in FLOATING and "_Inexact")
    if keeping and first and first.name in ("a", "m", "array"):
        narrow = [one.replace(annotation=f"ndarray[{keeping}]") if one is first else one for one in parameters]
        found.append((without(narrow, "dtype"), f"ndarray[{keeping}]"))
    return [*found, (parameters, giving(name, result))]


def giving(name, result):
    return f"ndarray[{GIVING[name]}]" if name in GIVING else result


def written_stub(name, signatures, indent=""):
    """A function, or the overloads of one, from their signatures."""
    mark = [f"{indent}@_overload"] if len(signatures) > 1 else []
    return [line for one in signatures for line in [*mark, f"{indent}def {name}{one}: ..."]]


def operators_stub(kind, own):
    """The operators of a sparse matrix; NumPy's own are in tools/ndarray.pyi."""
    lines = []
    if "sparse" not in kind.__module__:
        return lines
    for name in OPERATORS:
        if f"__{name}__" not in own:
            continue
        signatures = ["(self, other: _Any, /) -> _Any"]
        if name in ("matmul", "rmatmul"):
            signatures.insert(0, "(self, other: ndarray[_Any], /) -> ndarray[_Any]")
        lines += written_stub(f"__{name}__", signatures, "    ")
    return lines


def function_stub(name, thing, local, indent="", bound=False):
    if not bound and (signatures := WRITTEN.get((local.get("__name__"), name))):
        return written_stub(name, signatures, indent)
    try:
        parameters = annotated(thing)
    except (TypeError, ValueError):
        return [f"{indent}def {name}(self, *args: _Any, **kwargs: _Any) -> _Any: ..."]
    if bound and parameters:
        self = parameters[0].replace(name="self", annotation="_Any")
        parameters = [self, *parameters[1:]]
    result = result_of(public_names.text_of(thing), local)
    if bound and name in ("copy", "flip", "roll"):
        result = "_Any" if result == "ndarray[_Any]" else result
    found = variants("" if bound else name, parameters, result)
    lines = []
    for some, gives in found:
        if len(found) > 1:
            lines.append(f"{indent}@_overload")
        text = spelled(some).replace("self: _Any", "self")
        lines.append(f"{indent}def {name}({text}) -> {gives}: ...")
    return lines


# --- Ufuncs, classes, constants ---


def ufunc_kind(thing):
    """The class of tools/ndarray.pyi that says what a ufunc gives, from its loops."""
    loops = [loop.split("->") for loop in thing.types]
    if thing.nin > 2 or thing.nout != 1:
        return "ufunc"
    one_kind = all(len(set(inputs)) == 1 for inputs, _ in loops)
    if all(output == "?" for _, output in loops):
        return f"_Test{thing.nin}"
    if one_kind and all(inputs[0] == output for inputs, output in loops):
        chars = {inputs[0] for inputs, _ in loops}
        return f"_Same{thing.nin}" if "l" in chars or "q" in chars else f"_Float{thing.nin}"
    return "ufunc"


def bases_of(kind):
    """The classes of the package that a class is made of; another package's are not shown, but for
    exceptions."""
    return [base for base in kind.__bases__ if public_names.of_the_package(base)]


def constructor_stub(kind):
    try:
        inspect.signature(kind)
        made = annotated(kind)
        text = spelled([inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD), *made])
        return f"    def __init__({text.replace('self: ' + str(inspect.Parameter.empty), 'self')}) -> None: ..."
    except (TypeError, ValueError):
        return "    def __init__(self, *args: _Any, **kwargs: _Any) -> None: ..."


def class_stub(name, kind, local, homes):
    """A class with the members that its bases have not, which have stubs of their own."""
    bases = [homes[id(base)][1] for base in bases_of(kind)]
    bases += [base.__name__ for base in kind.__bases__ if base.__module__ == "builtins" and base is not object]
    lines = [f"class {name}({', '.join(bases)}):" if bases else f"class {name}:"]
    own = {**vars(kind), **{member: None for written, member in WRITTEN_METHODS if written == name}}
    if not name.startswith("_"):  # others are not made, and their docstrings name no parameters
        lines.append(constructor_stub(kind))
    specials = ("__call__", "__getitem__", "__setitem__", "__enter__", "__exit__", "__len__", "__iter__", "__next__")
    for member, one in sorted(own.items()):
        if signatures := WRITTEN_METHODS.get((name, member)):
            lines += written_stub(member, signatures, "    ")
        elif member == "__enter__" and name in ENTERED:
            lines.append("    def __enter__(self) -> _Self: ...")
        elif member in specials:
            gives = {"__len__": "_b.int", "__setitem__": "None", "__exit__": "None"}.get(member, "_Any")
            lines.append(f"    def {member}(self, *args: _Any, **kwargs: _Any) -> {gives}: ...")
        elif member.startswith("_"):
            continue
        elif isinstance(one, staticmethod | classmethod) or "classmethod" in type(one).__name__:
            lines.append("    @classmethod")
            lines.append(f"    def {member}(cls, *args: _Any, **kwargs: _Any) -> _Any: ...")
        elif inspect.isroutine(one):
            lines += function_stub(member, one, local, "    ", True)
        elif not isinstance(one, type):
            lines.append(f"    {member}: _Any")
    lines += operators_stub(kind, own)
    return lines if len(lines) > 1 else [lines[0] + " ..."]


def constant_stub(name, value):
    known = isinstance(value, bool | int | float | str) and f"_b.{type(value).__name__}"
    return [f"{name}: {known or '_Any'}"]


def names_of(module):
    names = set(public_names.names_of(module)) | set(getattr(module, "_SUBMODULES", ()))
    return sorted(name for name in names if name.isidentifier() and name not in KEYWORDS)


def homes_of(modules):
    """{id of a class or function: (module, name)}: that stub declares it, the others import it."""
    homes = {}
    for module in modules.values():
        for name in names_of(module):
            value = getattr(module, name)
            if not (isinstance(value, type) or inspect.isroutine(value)) or not public_names.of_the_package(value):
                continue
            if id(value) not in homes or (value.__module__, value.__name__) == (module.__name__, name):
                homes[id(value)] = module.__name__, name
    return homes


def private_bases(modules, homes):
    """{module: [classes]}: the bases of public classes that no module shows. The first module with
    a class made of one declares it, by an underscore and its name, and becomes its home."""
    found = {name: [] for name in modules}
    for module in modules.values():
        for name in names_of(module):
            kind = getattr(module, name)
            if not isinstance(kind, type) or homes.get(id(kind)) != (module.__name__, name):
                continue
            for base in kind.__mro__[1:]:
                if public_names.of_the_package(base) and id(base) not in homes:
                    homes[id(base)] = module.__name__, "_" + base.__name__.lstrip("_")
                    found[module.__name__].append(base)
    return found


def bases_stub(module, kinds, homes):
    """The imports of the bases of a module's classes that other modules declare."""
    homes_of_bases = {homes[id(base)] for kind in kinds for base in bases_of(kind)}
    return [f"from {home} import {name} as {name}" for home, name in sorted(homes_of_bases) if home != module.__name__]


def is_from_root(module, name, value):
    root = sys.modules["tenorite"]
    return module is not root and value is getattr(root, name, None) and callable(value)


def module_stub(module, modules, homes, bases):
    """The text of the stub of a module that declares these private classes."""
    is_root = module.__name__ == "tenorite"
    local = {name: getattr(module, name) for name in names_of(module)}
    known = {**local, "__name__": module.__name__}
    lines = [HEAD]
    lines.append((HERE / "ndarray.pyi").read_text(encoding="utf-8") if is_root else f"from tenorite import {SHARED}\n")
    own = [value for name, value in local.items() if homes.get(id(value)) == (module.__name__, name)]
    lines += bases_stub(module, [*bases, *(value for value in own if isinstance(value, type))], homes)
    for base in bases:
        lines += class_stub(homes[id(base)][1], base, local, homes)
    for name, value in local.items():
        if is_root and name in ("ndarray", "ufunc", "__array_namespace_info__"):
            continue
        if isinstance(value, types.ModuleType):
            if value.__name__ in modules:
                if value.__name__ == f"{module.__name__}.{name}":
                    lines.append(f"from {module.__name__} import {name} as {name}")
                else:
                    lines += [f"import {value.__name__} as _{name}", f"{name} = _{name}"]
        elif (
            getattr(numpy, name, None) is value
            and hasattr(numpy, name)
            and not isinstance(value, float | int | type(None))
        ):
            lines.append(f"from numpy import {name} as {name}")
        elif type(value).__name__ == "ufunc":
            lines.append(f"{name}: {ufunc_kind(value) if is_root else '_Any'}")
        elif is_from_root(module, name, value) and homes.get(id(value), ("tenorite",))[0] != module.__name__:
            lines.append(f"from tenorite import {name} as {name}")
        elif homes.get(id(value), (module.__name__, name)) != (module.__name__, name):
            home, own_name = homes[id(value)]
            is_here = home == module.__name__
            lines.append(f"{name} = {own_name}" if is_here else f"from {home} import {own_name} as {name}")
        elif isinstance(value, type) and public_names.of_the_package(value):
            lines += class_stub(name, value, local, homes)
        elif inspect.isroutine(value) and public_names.of_the_package(value):
            lines += function_stub(name, value, known)
        else:
            lines += constant_stub(name, value)
    return "\n".join(lines) + "\n"


def place_of(module):
    """Beside the module's file: tenorite.lib is a file though it has submodules."""
    path = PACKAGE.joinpath(*module.__name__.split(".")[1:])
    return path / "__init__.pyi" if (path / "__init__.py").exists() else path.with_suffix(".pyi")


def list_for_meson(stubs, write):
    """Whether meson.build does not list these stubs; it does when they were written."""
    place = PACKAGE / "meson.build"
    text = place.read_text(encoding="utf-8")
    lines = "".join(f"  '{name}',\n" for name in sorted([*stubs, "py.typed"]))
    wanted = re.sub(r"(?<=stub_files = files\(\n)(  '.*',\n)*", lines, text)
    if write and wanted != text:
        place.write_text(wanted, encoding="utf-8")
    return wanted != text


def main():
    """Write the stubs, or compare them."""
    warnings.simplefilter("ignore")
    import tenorite

    modules, different, listed = public_names.modules(tenorite), [], []
    homes = homes_of(modules)
    bases = private_bases(modules, homes)
    for name, module in modules.items():
        if name == "tenorite.typing":
            continue
        text, place = module_stub(module, modules, homes, bases[name]), place_of(module)
        listed.append(place.relative_to(PACKAGE).as_posix())
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            different.append(str(place.relative_to(ROOT)))
            if "--check" not in sys.argv:
                place.write_text(text, encoding="utf-8")
    if list_for_meson(listed, "--check" not in sys.argv):
        different.append("python/tenorite/meson.build")
    if "--check" in sys.argv and different:
        print("make_stubs: not what the package is (make stubs):", *different)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
