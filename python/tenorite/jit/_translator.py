"""Python functions as CUDA C++: statements, variables, functions.

A variable of a function has one type, of the first value that it gets; all are declared where the
function begins. A function is translated once for each set of its arguments' types, and again where
its return statements have several types, which become one. What C++ can't have is refused with the
place in the program's text.
"""

import ast
import builtins
import re
import types

import numpy

from tenorite.jit import _operations as operations, _source
from tenorite.jit._builtins import RangeType
from tenorite.jit._expressions import BINARY, INSTEAD, Expressions, Items
from tenorite.jit._types import INT64, PLACES, VOID, Array, Constant, Object, Pointer, Scalar, Tuple, Value, is_number

HEADER = "#include <tenorite/jit.cuh>\n"
_DEEPEST = 100  # of functions that call each other
# Errors whose messages get the place in the program's text.
LOCATED = (
    TypeError,
    ValueError,
    NameError,
    IndexError,
    KeyError,
    AttributeError,
    NotImplementedError,
    AssertionError,
    ArithmeticError,
    RuntimeError,
    SyntaxError,
)


def _with_place(error, text):
    """An error of the same kind that says where in the program's text it comes from."""
    kind = type(error)
    if kind.__module__ != "builtins" or kind is KeyError:
        kind = next((one for one in kind.__mro__ if one in LOCATED and one is not KeyError), TypeError)
    located = kind(f"{error}\n{text}")
    located._place_of_kernel = True
    return located


class Program:
    """The text of one kernel and of all functions that it calls."""

    def __init__(self, mode):
        self.mode = mode
        self.preambles = {}  # text: None, in their order
        self.functions = {}  # (function, types of its arguments): (its name, its result's type)
        self.texts = []
        self.is_cooperative = False
        self.running = []
        self.count = 0

    def number(self):
        self.count += 1
        return self.count

    def text(self, kernel):
        return "\n".join([HEADER, *self.preambles, *self.texts, kernel])

    def call(self, env, function, args, kwargs, mode=None):
        """The value of a call of a function of the device."""
        function_ = Function(self, function, mode or env.mode)
        values = function_.bind(args, kwargs)
        values = [one if _stays(one) else env.value(one) for one in values]
        name, type_ = self.device_function(function, values, mode or env.mode)
        given = ", ".join(str(one) for one in values if isinstance(one, Value))
        text = f"{name}({given})"
        return env.command(text) if type_ == VOID else Value(text, type_, False)

    def device_function(self, function, values, mode):
        """(name, type of the result) of a function, for values of these types."""
        types = tuple(one.type if isinstance(one, Value) else _Key(one) for one in values)
        key = function, types, mode
        if key not in self.functions:
            if function in self.running:
                raise ValueError(f"{function.__name__} calls itself (recursion); write a loop")
            if len(self.running) >= _DEEPEST:
                raise NotImplementedError(f"more than {_DEEPEST} functions call each other")
            self.running.append(function)
            try:
                self.functions[key] = self._translate(function, values, mode)
            finally:
                self.running.pop()
        return self.functions[key]

    def _translate(self, function, values, mode):
        name = f"{identifier(function.__name__)}{self.number()}"
        one = Function(self, function, mode)
        one.run(values)
        if one.return_type is None:
            one = Function(self, function, mode, one.common_return())
            one.run(values)
        self.texts.append(one.device_text(name, values))
        return name, one.return_type

    def kernel(self, function, types, name):
        """The text of a kernel with parameters of these types."""
        one = Function(self, function, self.mode)
        values = one.bind([Value("", type_) for type_ in types], {})
        given = [
            kernel_parameter(value.type, identifier(parameter))
            for parameter, value in zip(one.parameters, values)
            if isinstance(value, Value)
        ]
        self.running.append(function)
        one.run(values)
        if one.return_type != VOID:
            raise one.error(
                TypeError(f"kernel must return None: {function.__name__} returns a value; write it into an array")
            )
        body = [*(line for _, lines in given for line in lines), *one.declarations(), *one.lines]
        declared = ", ".join(text for text, _ in given)
        return f'extern "C" __global__ void {name}({declared}) {{\n' + "\n".join(f"    {one}" for one in body) + "\n}\n"


class Default(Constant):
    """The value of a parameter that a call leaves out."""


class _Key:
    """A constant in the key of a function; numbers of several types differ."""

    def __init__(self, constant):
        self.value = constant.value

    def __eq__(self, other):
        return isinstance(other, _Key) and type(self.value) is type(other.value) and bool(self.value == other.value)

    def __hash__(self):
        return hash(type(self.value))


def _stays(value):
    """Whether an argument is known in the function that is called, too."""
    return (
        isinstance(value, Default)
        or isinstance(value, Constant)
        and not is_number(value.value)
        and not isinstance(value.value, tuple)
    )


def identifier(name):
    """A name as C++ has it, which is none of its words."""
    return re.sub(r"[^0-9A-Za-z_]", lambda match: f"u{ord(match.group()):x}", name).replace("__", "_u_") + "_"


def kernel_parameter(type_, name):
    """(the declaration, lines that make the variable) of an argument of a kernel."""
    if isinstance(type_, Array):
        shape = [f"{name}n{axis}" for axis in range(type_.ndim)]
        strides = [f"{name}s{axis}" for axis in range(type_.ndim)]
        declared = [f"{type_.item} *{name}data", *(f"long long {one}" for one in shape)]
        if type_.is_contiguous:
            strides = [
                " * ".join(["(ptrdiff_t)sizeof(" + str(type_.item) + ")", *shape[axis + 1 :]])
                for axis in range(type_.ndim)
            ]
        else:
            declared += [f"long long {one}" for one in strides]
        lines = [
            f"const ptrdiff_t {name}shape[] = {{{', '.join(shape) or '0'}}};",
            f"const ptrdiff_t {name}strides[] = {{{', '.join(strides) or '0'}}};",
            f"{type_} {name}({name}data, {name}shape, {name}strides);",
        ]
        return ", ".join(declared), lines
    if type_.is_short_float:  # such a number travels as float
        return f"float {name}given", [f"{type_} {name} = {type_}({name}given);"]
    return f"{type_} {name}", []


class Function(Expressions):
    """One function, which is translated statement by statement."""

    def __init__(self, program, function, mode, return_type=None):
        self.program, self.function, self.mode = program, function, mode
        self.tree, self.place = _source.read(function)
        arguments = self.tree.args
        self.parameters = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        self.forced = return_type
        self.names = {}  # of variables: their values
        if isinstance(function, types.MethodType):
            self.names[self.parameters.pop(0)] = Constant(function.__self__)
        self.declared = []
        self.lines, self.depth = [], 0
        self.returns, self.has_bare_return = [], False
        self.return_type = None

    def add_preamble(self, text):
        self.program.preambles.setdefault(text)

    # --- Arguments ---

    def bind(self, args, kwargs):
        """The arguments in the order of the parameters; what is left out has the default."""
        arguments = self.tree.args
        if arguments.vararg or arguments.kwarg:
            raise NotImplementedError(
                "`*args` and `**kwargs` are not supported; name the parameters of "
                f"{self.function.__name__}\n{self.place.text(self.tree)}"
            )
        names = self.parameters
        positional = len(names) - len(arguments.kwonlyargs)
        if len(args) > positional:
            raise TypeError(
                f"{self.function.__name__}() takes {positional} positional arguments but {len(args)} were given"
            )
        given = dict(zip(names, args))
        for name, one in kwargs.items():
            if name not in names or name in given:
                problem = "got multiple values for argument" if name in given else "got an unexpected keyword argument"
                raise TypeError(f"{self.function.__name__}() {problem} {name!r}")
            given[name] = one
        defaults = self.function.__defaults__ or ()
        standard = dict(zip(names[positional - len(defaults) : positional], defaults))
        standard.update(self.function.__kwdefaults__ or {})
        for name in names:
            if name not in given:
                if name not in standard:
                    raise TypeError(f"{self.function.__name__}() missing a required argument: {name!r}")
                given[name] = Default(standard[name])
        return [given[name] for name in names]

    # --- The whole ---

    def run(self, values):
        """Translates the body for arguments of these types, of which bind() gave the order."""
        self.assigned = {
            node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        for name, value in zip(self.parameters, values):
            self.names[name] = Value(identifier(name), value.type) if isinstance(value, Value) else value
            if isinstance(value, Default) and is_number(value.value) and name in self.assigned:
                del self.names[name]
                self.assign_name(name, value)
        if isinstance(self.tree, ast.Lambda):
            self.returned(self.located(self.tree.body, self.expression, self.tree.body))
        else:
            self.depth -= 1
            self.inner(self.tree.body)
        if self.forced is not None:
            self.return_type = self.forced
        elif not self.returns:
            self.return_type = VOID
        elif len({str(one.type) for one in self.returns}) == 1:
            self.return_type = self.returns[0].type
        if (
            self.returns
            and not isinstance(self.tree, ast.Lambda)
            and (self.has_bare_return or not _ends(self.tree.body))
        ):
            raise self.error(TypeError(f"{self.function.__name__} may end without a value; write a return at its end"))

    def declarations(self):
        return [f"{type_} {name};" for name, type_ in self.declared]

    def device_text(self, name, values):
        """The text of a function of the device. Arrays are parameters of templates: a caller may
        have them under other types."""
        template, parameters = [], []
        for k, (one, value) in enumerate(zip(self.parameters, values)):
            if not isinstance(value, Value):
                continue
            if isinstance(value.type, Array):
                template.append(f"class A{k}")
                parameters.append(f"A{k} {identifier(one)}")
            else:
                parameters.append(f"{value.type} {identifier(one)}")
        head = f"template <{', '.join(template)}>\n" if template else ""
        body = "\n".join(f"    {line}" for line in [*self.declarations(), *self.lines])
        return f"{head}static __device__ inline {self.return_type} {name}({', '.join(parameters)}) {{\n{body}\n}}\n"

    def common_return(self):
        """The one type that all returned values become."""
        types = [one.type for one in self.returns]
        if all(isinstance(one, Scalar) for one in types):
            return operations.common(self.returned_values, self.mode)
        if all(isinstance(one, Tuple) for one in types) and len({len(one.types) for one in types}) == 1:
            columns = zip(*(self.items(one) for one in self.returned_values))
            return Tuple([operations.common(column, self.mode) for column in columns])
        raise self.error(ValueError(f"Failed to infer the return type: {' or '.join(sorted(set(map(str, types))))}"))

    # --- Errors ---

    def error(self, error, node=None):
        return _with_place(error, self.place.text(node or self.tree))

    def located(self, node, function, *args):
        try:
            return function(*args)
        except LOCATED as error:
            if hasattr(error, "_place_of_kernel"):
                raise
            raise self.error(error, node) from None

    # --- Names ---

    def lookup(self, name):
        if name in self.names:
            return self.names[name]
        if name in self.assigned:
            raise NameError(f"the variable {name!r} is read before it gets a value")
        code, closure = self.function.__code__, self.function.__closure__ or ()
        if name in code.co_freevars:
            return Constant(closure[code.co_freevars.index(name)].cell_contents)
        for place in (self.function.__globals__, vars(builtins)):
            if name in place:
                return Constant(place[name])
        raise NameError(f"Unbound name: {name}")

    def declare(self, text, type_):
        self.declared.append((text, type_))
        return Value(text, type_)

    def temporary(self, type_):
        return self.declare(f"t{self.program.number()}", type_)

    def block_array(self, item, shape, align):
        name = f"shared{self.program.number()}"
        count = "" if shape is None else int(numpy.prod(shape))
        self.line(f"{'extern ' if shape is None else ''}__shared__ {align}{item} {name}[{count}];")
        return Value(name, Pointer(item, shape))

    def thread_array(self, item, shape):
        name = f"local{self.program.number()}"
        self.line(f"{item} {name}[{int(numpy.prod(shape))}];")
        return Value(name, Pointer(item, shape))

    # --- Statements ---

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def captured(self, function, *args):
        """(what a function gives, the lines that it writes), which stand nowhere yet."""
        before, self.lines = self.lines, []
        try:
            value = function(*args)
            return value, self.lines
        finally:
            self.lines = before

    def command(self, text):
        """A value of no type, which is a statement."""
        return Value(text, VOID, False)

    def expression(self, node):
        method = getattr(self, f"on_{type(node).__name__}", None)
        if method is None:
            what = INSTEAD.get(type(node), f"an expression {type(node).__name__}")
            raise self.error(NotImplementedError(f"a kernel can't have {what}"), node)
        return self.located(node, method, node)

    def inner(self, nodes):
        self.depth += 1
        for node in nodes:
            method = getattr(self, f"do_{type(node).__name__}", None)
            if method is None:
                what = _INSTEAD.get(type(node), f"a statement {type(node).__name__}")
                raise self.error(NotImplementedError(f"a kernel can't have {what}"), node)
            self.located(node, method, node)
        self.depth -= 1

    def do_Expr(self, node):
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        value = self.expression(node.value)
        if isinstance(value, Value):
            self.line(f"{value};")

    def do_Pass(self, node):
        self.line(";")

    def do_Break(self, node):
        self.line("break;")

    def do_Continue(self, node):
        self.line("continue;")

    def do_Return(self, node):
        if node.value is None or isinstance(node.value, ast.Constant) and node.value.value is None:
            self.has_bare_return = True
            self.line("return;")
            return
        self.returned(self.expression(node.value))

    returned_values = ()

    def returned(self, given):
        kept = given if isinstance(given, (Constant, Items)) else self.value(given)
        self.returned_values = [*self.returned_values, kept]
        value = self.value(given)
        self.returns.append(value)
        forced = self.forced
        if isinstance(forced, Scalar):
            value = operations.cast(self._number(given), forced, "unsafe")
        elif isinstance(forced, Tuple):
            parts = [
                operations.cast(self._number(one), type_, "unsafe")
                for one, type_ in zip(self.items(given), forced.types)
            ]
            value = self.value(Items(parts))
        self.line(f"return {value};")

    def do_Assert(self, node):
        test = self.expression(node.test)
        if isinstance(test, Constant):
            assert test.value, ast.unparse(node)
            return
        where = self.place.text(node).splitlines()[0].strip().replace("\\", "/").replace('"', "'").replace("%", "%%")
        self.line(f'if (!({self.truth(test)})) {{ printf("AssertionError: {where}\\n"); __trap(); }}')

    def do_If(self, node):
        test = self.expression(node.test)
        if isinstance(test, Constant):
            chosen = node.body if test.value else node.orelse
            self.depth -= 1
            self.inner(chosen)
            self.depth += 1
            return
        self.line(f"if ({self.truth(test)}) {{")
        self.inner(node.body)
        if node.orelse:
            self.line("} else {")
            self.inner(node.orelse)
        self.line("}")

    def do_While(self, node):
        if node.orelse:
            raise NotImplementedError("while-else is not supported; set a variable before each break")
        test, lines = self.captured(self.expression, node.test)
        self.line(f"while ({'true' if lines else self.truth(test)}) {{")
        if lines:  # which each turn begins with
            self.lines += ["    " + line for line in lines]
            self.line(f"    if (!({self.truth(test)})) break;")
        self.inner(node.body)
        self.line("}")

    def do_For(self, node):
        if node.orelse:
            raise NotImplementedError("for-else is not supported; set a variable before each break")
        if not isinstance(node.target, ast.Name):
            raise NotImplementedError("the variable of a loop must be one name")
        if not isinstance(node.iter, ast.Call):
            raise NotImplementedError("for-loop is supported only for range iterator.")
        function = self.expression(node.iter.func)
        if not isinstance(function, Constant) or not (function.value is range or isinstance(function.value, RangeType)):
            raise NotImplementedError("for-loop is supported only for range iterator.")
        args = self.in_order(node.iter.args)
        options = {one.arg: self.expression(one.value) for one in node.iter.keywords}
        self.loop(node, *self.range(args, options, function.value is range))

    def range(self, args, options, is_python):
        """(start, stop, step, unroll) of a loop."""
        unroll = options.pop("unroll", Constant(None))
        if options:
            raise TypeError(f"range() takes no keyword argument {next(iter(options))!r}")
        if not isinstance(unroll, Constant):
            raise TypeError("loop unrolling requires constant start, stop, step and unroll value")
        if is_python and unroll.value is not None:
            raise TypeError("range() takes no keyword argument 'unroll'; use tenorite.jit.range")
        if not 1 <= len(args) <= 3:
            raise TypeError(f"range expected 1 to 3 arguments, got {len(args)}")
        start, stop, step = (Constant(0), args[0], Constant(1)) if len(args) == 1 else (*args, Constant(1))[:3]
        if isinstance(step, Constant) and step.value == 0:
            raise ValueError("range() arg 3 must not be zero")
        if unroll.value is not None:
            if not all(isinstance(one, Constant) for one in (start, stop, step)):
                raise TypeError("loop unrolling requires constant start, stop, step and unroll value")
            if not isinstance(unroll.value, (int, bool)):
                raise TypeError(f"unroll value expected to be of type int, got {type(unroll.value).__name__}")
        return start, stop, step, unroll.value

    def loop(self, node, start, stop, step, unroll):
        for one in (start, stop, step):
            type_ = self.value(one).type
            if not isinstance(type_, Scalar) or type_.kind not in "iu":
                raise TypeError(f"range supports only for integer type, not {type_}")
        type_ = INT64 if self.mode == "numpy" else self.value(stop).type
        name = node.target.id
        if name not in self.names:
            self.names[name] = self.declare(identifier(name), type_)
        variable = self.variable(name)
        start, stop, step_ = (operations.cast(one, type_, "unsafe") for one in (start, stop, step))
        k = self.program.number()
        if isinstance(step, Constant):
            test = f"i{k} {'<' if step.value > 0 else '>'} stop{k}"
        else:
            test = f"step{k} >= 0 ? i{k} < stop{k} : i{k} > stop{k}"
        if unroll is not None:
            self.line("#pragma unroll" + ("" if unroll is True else f"({int(unroll) or 1})"))
        self.line(f"for ({type_} i{k} = {start}, stop{k} = {stop}, step{k} = {step_}; {test}; i{k} += step{k}) {{")
        self.depth += 1
        self.line(f"{variable} = {operations.cast(Value(f'i{k}', type_), variable.type, 'unsafe')};")
        self.depth -= 1
        self.inner(node.body)
        self.line("}")

    # --- Assignments ---

    def do_Assign(self, node):
        given = self.expression(node.value)
        if len(node.targets) > 1 and isinstance(given, Value):
            given = self.keep(given)
        for target in node.targets:
            self.assign(target, given)

    def do_AnnAssign(self, node):
        if node.value is not None:
            self.assign(node.target, self.expression(node.value))

    def keep(self, value):
        """A value in a variable of its own."""
        if isinstance(value, Items):
            return Items(map(self.keep, value.values))
        if (
            not isinstance(value, Value)
            or isinstance(value.type, Object)
            or value.type == VOID
            or (isinstance(value.type, PLACES) and value.is_pure)
        ):
            return value
        kept = self.temporary(value.type)
        self.line(f"{kept} = {value};")
        return kept

    def assign(self, target, given):
        if isinstance(target, ast.Name):
            self.assign_name(target.id, given)
        elif isinstance(target, (ast.Tuple, ast.List)):
            parts = self.items(self.keep(given) if isinstance(given, Value) else given)
            if parts is None:
                raise ValueError(
                    "too many values to unpack"
                    if isinstance(given, Constant)
                    else f"a {self.value(given).type} can't be unpacked"
                )
            if len(parts) != len(target.elts):
                raise ValueError(
                    f"{'too many' if len(parts) > len(target.elts) else 'not enough'} values to unpack "
                    f"(expected {len(target.elts)}, got {len(parts)})"
                )
            parts = self.keep(given).values if isinstance(given, Items) else parts
            for one, part in zip(target.elts, parts):
                self.assign(one, part)
        elif isinstance(target, ast.Subscript):
            place, lines = self.captured(self.place_of, target)
            given = self.settled(given) if lines else given
            self.lines += lines
            self.line(f"{place} = {operations.cast(self._number(given), place.type)};")
        else:
            raise NotImplementedError(
                f"a kernel can't assign to {ast.unparse(target)}; it assigns to variables and to elements of arrays"
            )

    def place_of(self, target):
        array, index = self.in_order([target.value, target.slice])
        if not isinstance(array, Value) or not isinstance(array.type, PLACES):
            raise TypeError(f"{ast.unparse(target.value)} is no array, so no element of it can be assigned to")
        return self.element(array, index, True)

    def variable(self, name):
        variable = self.lookup(name)
        if (
            not isinstance(variable, Value)
            or not isinstance(variable.type, (Scalar, Tuple))
            and (variable.text not in {text for text, _ in self.declared})
        ):
            raise TypeError(f"the variable {name!r} is no number; give the new value another name")
        return variable

    def assign_name(self, name, given):
        old = self.names.get(name)
        is_code = isinstance(given, Constant) and _stays(given)
        is_name = isinstance(given, Value) and isinstance(given.type, PLACES) and given.is_pure and old is None
        if is_code or is_name or isinstance(given, Value) and isinstance(given.type, Object):
            if old is not None and not (is_code and isinstance(old, Constant) and old.value is given.value):
                raise TypeError(
                    f"Data type mismatch of variable: `{name}` has a value already; give the array or "
                    "object a name of its own"
                )
            self.names[name] = given
            return
        if isinstance(given, Value) and given.type == VOID:
            raise TypeError("what is called here returns nothing")
        if old is None:
            value = self.value(given)
            self.names[name] = self.declare(identifier(name), value.type)
        else:
            variable = self.variable(name)
            value = (
                operations.cast(given, variable.type)
                if isinstance(given, Constant) and isinstance(variable.type, Scalar) and is_number(given.value)
                else self.value(given)
            )
            if value.type != variable.type:
                raise TypeError(
                    f"Data type mismatch of variable: `{name}`: {variable.type} != {value.type}; write "
                    f"{variable.type}(...) around the new value, or begin with a {value.type}"
                )
        self.line(f"{self.names[name]} = {value};")

    def do_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            place = self.variable(node.target.id)
        elif isinstance(node.target, ast.Subscript):
            place = self.place_of(node.target)
        else:
            raise NotImplementedError(f"a kernel can't assign to {ast.unparse(node.target)}")
        given, lines = self.captured(self.expression, node.value)
        old = self.settled(place) if lines or self.acts(given) else place
        self.lines += lines
        result = self.binary(type(node.op), old, given)
        try:
            result = operations.cast(result, place.type)
        except TypeError:
            name = BINARY[type(node.op)][0]
            raise TypeError(
                f"Cannot cast the result of {name} from {result.type} to {place.type}; begin with a "
                f"{result.type}, or write {place.type}(...)"
            ) from None
        self.line(f"{place} = {result};")


def _ends(nodes):
    """Whether a block always returns."""
    last = nodes[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and _ends(last.body) and _ends(last.orelse)
    if isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and last.test.value:
        return not any(isinstance(node, ast.Break) for node in ast.walk(last))
    return False


_INSTEAD = {
    ast.FunctionDef: "a function in a function; write it outside with jit.rawkernel(device=True)",
    ast.AsyncFunctionDef: "a coroutine",
    ast.ClassDef: "a class; use arrays and numbers",
    ast.Delete: "del",
    ast.With: "with",
    ast.AsyncWith: "with",
    ast.AsyncFor: "async for",
    ast.Try: "try; test for the condition with if",
    ast.Raise: "raise; use assert, or write a number into an array",
    ast.Import: "import; import where the file begins",
    ast.ImportFrom: "import; import where the file begins",
    ast.Global: "global; use an array, which is an argument",
    ast.Nonlocal: "nonlocal; use an array, which is an argument",
    ast.Match: "match; use if and elif",
}
