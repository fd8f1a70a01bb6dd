"""The functions of each basis under its own names: which there are, and their docstrings."""

import functools
import inspect

from tenorite import _core
from tenorite._arguments import beside
from tenorite.polynomial import _functions

_SHARED = {
    "pair": """c1, c2 : array_like
    The coefficients, that of the constant first.""",
    "series": """c : array_like
    The coefficients, that of the constant first.""",
    "several": """c : array_like
    The coefficients: degrees in x along the first axis, in y along the second, and so on.""",
    "grid": """ndarray
    The values: an axis for each coordinate, then those of several series.""",
    "made": """ndarray
    The coefficients, that of the constant first.""",
    "axis": """axis : int, optional
    The axis that the function works along.""",
    "no_axis": """AxisError
    For an axis that the array has not.""",
}

# The names after the prefix, in the order of texts.
_OF_ALL = {
    "line": _functions.line,
    "add": _functions.add,
    "sub": _functions.sub,
    "mulx": _functions.mulx,
    "mul": _functions.mul,
    "div": _functions.div,
    "pow": _functions.power,
    "val": _functions.val,
    "der": _functions.der,
    "int": _functions.integral,
    "fromroots": _functions.fromroots,
    "vander": _functions.vander,
    "fit": _functions.fit,
    "trim": _functions.trim,
    "roots": _functions.roots,
    "val2d": _functions.val2d,
    "val3d": _functions.val3d,
    "valnd": _functions.valnd,
    "grid2d": _functions.grid2d,
    "grid3d": _functions.grid3d,
    "vander2d": _functions.vander2d,
    "vander3d": _functions.vander3d,
    "companion": _functions.companion,
}
_CONSTANTS = {
    "zero": lambda basis: (0,),
    "one": lambda basis: (1,),
    "x": lambda basis: basis.x,
    "domain": lambda basis: basis.domain,
}


def bind(function, basis, name):
    """The function of a basis, under its name there, with its docstring."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())[1:]
    if function is _functions.power:
        parameters[-1] = parameters[-1].replace(default=basis.most)
        function = functools.partial(_power_up_to, basis.most)

    def run(*args, **kwargs):
        return function(basis, *args, **kwargs)

    source = _OF_ALL["pow"] if isinstance(function, functools.partial) else function
    run.__name__ = run.__qualname__ = name
    run.__module__ = f"tenorite.polynomial.{basis.module}"
    shared = {key: text.replace("\n", "\n    ") for key, text in _SHARED.items()}
    run.__doc__ = source.__doc__.format(p=basis.prefix, m=basis.module, words=basis.words, **shared)
    bound = beside(run)
    bound.__signature__ = signature.replace(parameters=parameters)
    return bound


def _power_up_to(most, basis, c, pow, maxpower=...):
    return _functions.power(basis, c, pow, most if maxpower is ... else maxpower)


def fill(module, basis, own=()):
    """Gives a module the functions of a basis and the constants, which are arrays made when they
    are asked for. Returns the module's public names and its `__getattr__`; `own` are the names
    that it has beside these."""
    found = {basis.prefix + name: bind(function, basis, basis.prefix + name) for name, function in _OF_ALL.items()}
    if not basis.is_power:
        for name, function in (
            (f"{basis.prefix}2poly", _functions.to_power),
            (f"poly2{basis.prefix}", _functions.from_power),
            (f"{basis.prefix}gauss", _functions.gauss),
            (f"{basis.prefix}weight", _functions.weight),
        ):
            found[name] = bind(function, basis, name)
    module.update(found)
    constants = {basis.prefix + name: make for name, make in _CONSTANTS.items()}

    def attribute(name):
        if name in constants:
            return _core.array(constants[name](basis))
        raise AttributeError(f"module {module['__name__']!r} has no attribute {name!r}")

    return [*constants, *found, *own], attribute
