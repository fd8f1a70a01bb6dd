"""Python's expressions in C++. A value is a Constant, which is known while a function is
translated, a Value, which the kernel computes, or Items: several values side by side."""

import ast
import functools
import operator
import types

import numpy

from tenorite.jit import _operations as operations
from tenorite.jit._builtins import Builtin, BuiltinVariable, RangeType
from tenorite.jit._types import (
    BOOL,
    INT64,
    PLACES,
    UINT32,
    Array,
    Constant,
    Dim3,
    Iterator,
    Object,
    Pointer,
    Row,
    Scalar,
    Tuple,
    Value,
    is_number,
    literal,
    number_type,
)

BINARY = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("subtract", operator.sub),
    ast.Mult: ("multiply", operator.mul),
    ast.Div: ("divide", operator.truediv),
    ast.FloorDiv: ("floor_divide", operator.floordiv),
    ast.Mod: ("remainder", operator.mod),
    ast.Pow: ("power", operator.pow),
    ast.LShift: ("left_shift", operator.lshift),
    ast.RShift: ("right_shift", operator.rshift),
    ast.BitAnd: ("bitwise_and", operator.and_),
    ast.BitOr: ("bitwise_or", operator.or_),
    ast.BitXor: ("bitwise_xor", operator.xor),
}
UNARY = {
    ast.USub: ("negative", operator.neg),
    ast.UAdd: ("positive", operator.pos),
    ast.Invert: ("invert", operator.invert),
}
COMPARE = {
    ast.Eq: ("equal", operator.eq),
    ast.NotEq: ("not_equal", operator.ne),
    ast.Lt: ("less", operator.lt),
    ast.LtE: ("less_equal", operator.le),
    ast.Gt: ("greater", operator.gt),
    ast.GtE: ("greater_equal", operator.ge),
    ast.Is: (None, operator.is_),
    ast.IsNot: (None, operator.is_not),
    ast.In: (None, lambda a, b: a in b),
    ast.NotIn: (None, lambda a, b: a not in b),
}
_SIGNS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
INSTEAD = {
    ast.Lambda: "a lambda; write a function with def and jit.rawkernel(device=True)",
    ast.ListComp: "a list; write a loop over an array, as of jit.local_memory",
    ast.GeneratorExp: "a generator; write a loop",
    ast.SetComp: "a set; write a loop over an array",
    ast.DictComp: "a dict; write a loop over an array",
    ast.List: "a list; use a tuple, or jit.local_memory",
    ast.Dict: "a dict; use a tuple, or arguments",
    ast.Set: "a set; compare with each of its numbers",
    ast.JoinedStr: "a str",
    ast.NamedExpr: "the operator :=; write the assignment in a line before",
    ast.Starred: "an argument with *; write the arguments one by one",
    ast.Await: "await",
    ast.Yield: "yield; write into an array",
    ast.YieldFrom: "yield; write into an array",
    ast.Slice: "a slice; write a loop over the numbers of the elements",
}
_INT_TYPES = {int: "i8", float: "f8", complex: "c16", bool: "?"}


class Items:
    """Several values side by side: a tuple that is no value of C++ yet."""

    def __init__(self, values):
        self.values = list(values)


class Expressions:
    """The part of a function's translator that makes expressions."""

    # --- Values ---

    def value(self, given):
        """What C++ has of a value."""
        if isinstance(given, Constant):
            if isinstance(given.value, tuple):
                return self.value(Items(map(Constant, given.value)))
            if isinstance(given.value, BuiltinVariable):
                return given.value.value
            if not is_number(given.value):
                name = getattr(given.value, "__name__", type(given.value).__name__)
                hint = "; give it as an argument" if hasattr(given.value, "shape") else ""
                raise TypeError(f"a kernel can't compute with {name!r}{hint}")
            type_ = number_type(given.value, self.mode)
            return Value(literal(given.value, type_), type_)
        if isinstance(given, Items):
            values = [self.value(one) for one in given.values]
            text = "tni_tuple<>{}"
            for k in range(len(values) - 1, -1, -1):
                rest = Tuple([one.type for one in values[k:]])
                text = f"{rest}{{{values[k]}, {text}}}"
            return Value(text, Tuple([one.type for one in values]), all(one.is_pure for one in values))
        return given

    def tuple(self, values):
        return Items(values)

    def items(self, given):
        """The values of a tuple; None: it is none."""
        if isinstance(given, Items):
            return given.values
        if isinstance(given, Constant) and isinstance(given.value, (tuple, list)):
            return [Constant(one) for one in given.value]
        if isinstance(given, Value) and isinstance(given.type, Tuple):
            return [Value(f"tni_item<{k}>::of({given})", one) for k, one in enumerate(given.type.types)]
        return None

    def truth(self, given):
        """The text of a condition."""
        if isinstance(given, Constant):
            return "true" if given.value else "false"
        value = self.value(given)
        if not isinstance(value.type, Scalar):
            raise TypeError(f"a {value.type} is neither true nor false; compare one of its elements")
        return value.text if value.type == BOOL else operations.convert(value.text, value.type, BOOL)

    # --- The order of Python ---

    def acts(self, given):
        values = given.values if isinstance(given, Items) else [given]
        return any(isinstance(one, Value) and one.acts or isinstance(one, Items) and self.acts(one) for one in values)

    def settled(self, given):
        """A value that is computed here. No variable changes within an expression."""
        if isinstance(given, Items):
            return Items(map(self.settled, given.values))
        return given if isinstance(given, Value) and given.text.isidentifier() else self.keep(given)

    def in_order(self, nodes):
        """The values of expressions that Python computes one after the other. Where one of them
        does more than giving a value, those before it are computed before it."""
        made = [self.captured(self.expression, node) for node in nodes]
        if not any(lines or self.acts(value) for value, lines in made):
            return [value for value, _ in made]
        values = []
        for k, (value, lines) in enumerate(made):
            self.lines += lines
            values.append(self.settled(value) if k < len(made) - 1 else value)
        return values

    def all_or_any(self, is_all, conditions):
        """`and`, or `or`, of what functions give, each computed if those before leave it open."""
        texts, is_pure, sign = [], True, " && " if is_all else " || "
        for condition in conditions:
            given, lines = self.captured(condition)
            if isinstance(given, Constant) and not lines:
                if bool(given.value) == is_all:
                    continue
                if not texts:
                    return given
                texts.append(self.truth(given))
                break
            text = self.truth(given)
            if lines and texts:
                result = self.temporary(BOOL)
                self.line(f"{result} = {sign.join(texts)};")
                self.line(f"if ({'' if is_all else '!'}{result}) {{")
                self.lines += ["    " + line for line in [*lines, f"{result} = {text};"]]
                self.line("}")
                texts, is_pure = [result.text], True
                continue
            self.lines += lines
            is_pure = is_pure and not self.acts(given)
            texts.append(text)
        return Value(f"({sign.join(texts)})", BOOL, is_pure) if texts else Constant(is_all)

    # --- Elements ---

    def element(self, array, index, is_kept=False):
        """array[index] of an array or of memory; of fewer indexes than axes, the part of it.
        `is_kept`: indexes are computed before, so that the place may be named several times."""
        indexes = self.items(index)
        indexes = [index] if indexes is None else indexes
        if isinstance(array, Row):
            array, indexes = array.array, [*array.indexes, *indexes]
        if isinstance(array.type, Array) and not array.is_pure:
            array = self.keep(array)
        if is_kept:
            indexes = [self.settled(one) if self.acts(one) else one for one in indexes]
        is_pure = not any(map(self.acts, indexes))
        shape = array.type.shape if isinstance(array.type, Pointer) else None
        ndim = array.type.ndim if isinstance(array.type, Array) else len(shape or (0,))
        is_part = isinstance(array.type, Array) and 0 < len(indexes) < ndim
        if len(indexes) != ndim and not is_part:
            if self.items(index) is None:
                raise TypeError(
                    f"Scalar indexing is supported only for 1D array, but the input array is {ndim}-D; index all axes"
                )
            raise IndexError(f"The size of index must be ndim: {ndim}, got {len(indexes)}")
        texts = [self._index(one, array, k) for k, one in enumerate(indexes)]
        if is_part:
            part = Array(array.type.dtype, ndim - len(indexes), array.type.is_contiguous)
            return Row(f"tni_row({', '.join([array.text, *texts])})", part, array, indexes)
        if isinstance(array.type, Array):
            if ndim == 1:
                return Value(f"{array}[{texts[0]}]", array.type.item, is_pure)
            return Value(f"tni_at({', '.join([array.text, *texts])})", array.type.item, is_pure)
        text = texts[0]
        for k in range(1, ndim):
            text = f"({text}) * {shape[k]} + {texts[k]}"
        return Value(f"{array}[{text}]", array.type.item, is_pure and array.is_pure)

    def _index(self, given, array, axis):
        if isinstance(given, Constant):
            if not isinstance(given.value, (int, numpy.integer)) or isinstance(given.value, bool):
                raise TypeError(
                    f"an index must be an integer, not {given.value!r}; a kernel takes one element at a time"
                )
            number = int(given.value)
            if number < 0 and isinstance(array.type, Array):
                return f"({array}.shape()[{axis}] - {-number})"
            if number < 0 and array.type.shape:
                return str(array.type.shape[axis] + number)
            return str(number)
        value = self.value(given)
        if not isinstance(value.type, Scalar) or value.type.kind not in "iu":
            raise TypeError(
                f"an index must be an integer, not {value.type}; write int({value}) where that is meant"
                if isinstance(value.type, Scalar)
                else f"an index must be an integer, not {value.type}; a kernel takes one element at a time"
            )
        return value.text

    # --- Expressions ---

    def on_Constant(self, node):
        if not is_number(node.value) and node.value is not None and not isinstance(node.value, str):
            raise NotImplementedError(f"a kernel has no {type(node.value).__name__}")
        return Constant(node.value)

    def on_Name(self, node):
        return self.lookup(node.id)

    def on_Tuple(self, node):
        values = self.in_order(node.elts)
        if all(isinstance(one, Constant) for one in values):
            return Constant(tuple(one.value for one in values))
        return Items(values)

    def binary(self, kind, left, right):
        if kind not in BINARY:
            raise NotImplementedError(f"a kernel has no operator {kind.__name__}; write a loop")
        name, python = BINARY[kind]
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(python(left.value, right.value))
        if kind in (ast.Add, ast.Sub) and isinstance(left, Value) and isinstance(left.type, (Pointer, Iterator)):
            return self._walk("+" if kind is ast.Add else "-", left, right)
        if kind is ast.Pow and isinstance(right, Constant) and right.value == 2 and not isinstance(right.value, float):
            if isinstance(left, Value) and isinstance(left.type, Scalar) and left.type.kind != "b":
                return operations.apply("square", [left], self)
        return operations.apply(name, [self._number(left), self._number(right)], self)

    def _walk(self, sign, left, right):
        """A place some elements on or back, or how many lie between two."""
        type_ = Pointer(left.type.item) if isinstance(left.type, Pointer) else left.type
        if sign == "-" and isinstance(right, Value) and isinstance(right.type, (Pointer, Iterator)):
            if str(right.type) != str(type_):
                raise TypeError(f"a {right.type} can't be taken from a {left.type}")
            return Value(f"((int64)({left} - {right}))", INT64, left.is_pure and right.is_pure)
        offset = self._index(right, left, 0)
        return Value(f"({left} {sign} {offset})", type_, left.is_pure)

    def _number(self, given):
        """An operand: literals stay what they are."""
        if isinstance(given, Constant) and is_number(given.value):
            return given
        return self.value(given)

    def on_BinOp(self, node):
        return self.binary(type(node.op), *self.in_order([node.left, node.right]))

    def on_UnaryOp(self, node):
        given = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            if isinstance(given, Constant):
                return Constant(not given.value)
            return Value(f"(!{self.truth(given)})", BOOL, self.value(given).is_pure)
        name, python = UNARY[type(node.op)]
        if isinstance(given, Constant):
            return Constant(python(given.value))
        return operations.apply(name, [self.value(given)], self)

    def on_BoolOp(self, node):
        conditions = (functools.partial(self.expression, one) for one in node.values)
        return self.all_or_any(isinstance(node.op, ast.And), conditions)

    def on_Compare(self, node):
        left, count = None, len(node.ops)

        def compare(k):
            nonlocal left
            if k == 0:
                left, right = self.in_order([node.left, node.comparators[0]])
            else:
                right, lines = self.captured(self.expression, node.comparators[k])
                left = self.settled(left) if lines or self.acts(right) else left
                self.lines += lines
            right = self.keep(right) if k < count - 1 and self.acts(right) else right
            pair, left = (left, right), right
            return self._compare(type(node.ops[k]), *pair)

        if count == 1:
            return compare(0)
        return self.all_or_any(True, [functools.partial(compare, k) for k in range(count)])

    def _compare(self, kind, left, right):
        name, python = COMPARE[kind]
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(python(left.value, right.value))
        if name is None:
            if kind in (ast.Is, ast.IsNot):
                return Constant(kind is ast.IsNot)  # a computed value is no object
            raise NotImplementedError("a kernel has no `in`; compare with each of the numbers")
        places = [one for one in (left, right) if isinstance(one, Value) and isinstance(one.type, (Pointer, Iterator))]
        if len(places) == 2 and str(left.type) == str(right.type):
            return Value(f"({left} {_SIGNS[kind]} {right})", BOOL, left.is_pure and right.is_pure)
        numbers = [self._number(left), self._number(right)]
        if self.mode == "numpy" and kind not in (ast.Eq, ast.NotEq):
            operations.check_ordered(_SIGNS[kind], numbers)
        return operations.apply(name, numbers, self)

    def on_IfExp(self, node):
        test = self.expression(node.test)
        if isinstance(test, Constant):
            return self.expression(node.body if test.value else node.orelse)
        made = [self.captured(self.expression, one) for one in (node.body, node.orelse)]
        ways = [self._number(value) for value, _ in made]
        types_ = [one.type for one in ways if isinstance(one, Value)]
        if any(not isinstance(one, Scalar) for one in types_):
            raise TypeError(
                f"Type mismatch in conditional expression: {', '.join(map(str, types_))}; a kernel chooses "
                "between numbers alone"
            )
        common = operations.common(ways, self.mode)
        ways = [operations.cast(one, common) for one in ways]
        if not any(lines for _, lines in made):
            is_pure = all(one.is_pure for one in (self.value(test), *ways))
            return Value(f"({self.truth(test)} ? {ways[0]} : {ways[1]})", common, is_pure)
        result = self.temporary(common)
        self.line(f"if ({self.truth(test)}) {{")
        for (_, lines), way, end in zip(made, ways, ("} else {", "}")):
            self.lines += ["    " + line for line in [*lines, f"{result} = {way};"]]
            self.line(end)
        return result

    def on_Subscript(self, node):
        array, index = self.in_order([node.value, node.slice])
        if isinstance(array, Constant):
            if not isinstance(index, Constant):
                raise TypeError(
                    "a kernel can't index a constant of Python by a computed number; give it as an argument"
                )
            return Constant(array.value[index.value])
        parts = self.items(array)
        if parts is not None:
            if not isinstance(index, Constant):
                raise TypeError("Constant index is expected: a tuple's")
            return parts[index.value]
        if not isinstance(array.type, PLACES):
            raise TypeError(f"{array.type} object is not subscriptable")
        return self.element(array, index)

    # --- Attributes ---

    def on_Attribute(self, node):
        given = self.expression(node.value)
        if isinstance(given, Constant) and not isinstance(given.value, BuiltinVariable):
            return Constant(getattr(given.value, node.attr))
        value = self.value(given)
        for kind, find in _ATTRIBUTES:
            if isinstance(value.type, kind):
                found = find(self, value, node.attr)
                if found is not None:
                    return found
        raise AttributeError(f"a {value.type} of a kernel has no attribute {node.attr!r}")

    # --- Calls ---

    def on_Call(self, node):
        function = self.expression(node.func)
        if any(isinstance(one, ast.Starred) for one in node.args) or any(one.arg is None for one in node.keywords):
            raise NotImplementedError("a kernel has no * and ** in calls; write the arguments one by one")
        values = self.in_order([*node.args, *(one.value for one in node.keywords)])
        args = values[: len(node.args)]
        kwargs = {one.arg: value for one, value in zip(node.keywords, values[len(args) :])}
        if not isinstance(function, Constant):
            raise TypeError(f"{ast.unparse(node.func)} is no function")
        return self.call(function.value, args, kwargs)

    def call(self, function, args, kwargs):
        if isinstance(function, RangeType) or function is range:
            raise NotImplementedError("a range stands in a for statement alone")
        if isinstance(function, Builtin):
            return function.emit(self, *args, **kwargs)
        if hasattr(function, "_emit_call"):  # device functions
            return function._emit_call(self, args, kwargs)
        are_known = all(isinstance(one, Constant) for one in (*args, *kwargs.values()))
        is_method = isinstance(function, types.MethodType)
        if are_known and (is_method or not _is_plain(function) or _makes_functions(function)):
            return Constant(function(*[one.value for one in args], **{k: v.value for k, v in kwargs.items()}))
        if isinstance(function, type) and (issubclass(function, numpy.generic) or function in _INT_TYPES):
            if len(args) != 1 or kwargs:
                raise TypeError(f"function takes at most 1 argument: {function.__name__}")
            return operations.cast(self._number(args[0]), Scalar(_INT_TYPES.get(function, function)), "unsafe")
        if function in _OF_PYTHON:
            return _OF_PYTHON[function](self, *args, **kwargs)
        name = operations.name_of(function)
        if name is not None:
            return self._operation(name, args, kwargs)
        if hasattr(function, "_emit_ufunc"):
            return function._emit_ufunc(self, [self._number(one) for one in args])
        if _is_plain(function):
            return self.program.call(self, function, args, kwargs)
        name = getattr(function, "__name__", repr(function))
        raise TypeError(
            f"Invalid function call '{name}'. A kernel calls operations of tenorite on numbers, what "
            "tenorite.jit has, and functions of jit.rawkernel(device=True)"
        )

    def _operation(self, name, args, kwargs):
        dtype = kwargs.pop("dtype", Constant(None))
        if kwargs:
            raise NotImplementedError(f"a kernel has no argument {next(iter(kwargs))!r} of {name}; leave it out")
        if not isinstance(dtype, Constant):
            raise TypeError("dtype must be a constant")
        return operations.apply(name, [self._number(one) for one in args], self, dtype.value)


def _is_plain(function):
    """Whether a function of the program is meant, which is translated as one of the device."""
    module = (getattr(function, "__module__", None) or "").partition(".")[0]
    return (
        isinstance(function, (types.FunctionType, types.MethodType))
        and hasattr(function, "__code__")
        and module not in ("tenorite", "numpy", "math")
    )


def _makes_functions(function):
    """Whether a function has functions in it, as those that make device functions."""
    return any(isinstance(one, types.CodeType) and one.co_name[0] != "<" for one in function.__code__.co_consts)


def _method(name, emit):
    return Constant(Builtin(name, emit, name))


def _of_array(env, value, name):
    ndim = value.type.ndim
    if name == "ndim":
        return Constant(ndim)
    if name == "dtype":
        return Constant(value.type.dtype)
    if name == "size":
        return Value(f"((int64){value}.size())", INT64)
    if name in ("shape", "strides"):
        return Items(Value(f"((int64){value}.{name}()[{k}])", INT64) for k in range(ndim))
    if name in ("begin", "end"):
        return _method(name, lambda env: _place(env, value, name))
    return None


def _place(env, array, name):
    """Where an array begins or ends, for algorithms."""
    if not array.is_pure:
        array = env.keep(array)
    if array.type.is_contiguous:
        return Value(f"{array}.{name}()", Pointer(array.type.item))
    at = "0" if name == "begin" else f"{array}.size()"
    return Value(f"tni_begin({array}, {at})", Iterator(f"tni_iterator<{array.type}>", array.type.item))


def _of_pointer(env, value, name):
    shape = value.type.shape
    if name == "dtype":
        return Constant(value.type.dtype)
    if name == "begin":
        return _method(name, lambda env: value)
    if shape is None:
        return None
    return {"ndim": Constant(len(shape)), "shape": Constant(shape), "size": Constant(int(numpy.prod(shape)))}.get(name)


def _of_scalar(env, value, name):
    if name in ("real", "imag"):
        return operations.apply(name, [value], env)
    if name == "dtype":
        return Constant(value.type.dtype)
    if name in ("conj", "conjugate"):
        return _method(name, lambda env: operations.apply("conjugate", [value], env))
    if name == "astype":
        return _method(name, lambda env, dtype: operations.cast(value, Scalar(dtype.value), "unsafe"))
    return None


def _of_dim3(env, value, name):
    return Value(f"{value}.{name}", UINT32) if name in ("x", "y", "z") else None


def _of_object(env, value, name):
    emit = value.type.method(value, name)
    return None if emit is None else _method(name, emit)


_ATTRIBUTES = ((Array, _of_array), (Pointer, _of_pointer), (Scalar, _of_scalar), (Dim3, _of_dim3), (Object, _of_object))


def _len(env, given):
    parts = env.items(given)
    if parts is not None:
        return Constant(len(parts))
    if isinstance(given.type, Pointer) and given.type.shape:
        return Constant(given.type.shape[0])
    if not isinstance(given.type, Array):
        raise TypeError(f"object of type '{given.type}' has no len()")
    if given.type.ndim == 0:
        raise TypeError("len() of unsized array")
    return Value(f"((int64){given}.shape()[0])", INT64)


def _extreme(name):
    def extreme(env, *args):
        args = [env._number(one) for one in args]
        if len(args) < 2:
            raise TypeError(f"{name} takes two numbers or more in a kernel")
        result = args[0]
        for one in args[1:]:
            result = operations.apply(name, [result, one], env)
        return result

    return extreme


def _abs(env, given):
    return operations.apply("absolute", [env._number(given)], env)


def _pow(env, base, exponent):
    return env.binary(ast.Pow, base, exponent)


def _divmod(env, a, b):
    return operations.apply("divmod", [env._number(a), env._number(b)], env)


_OF_PYTHON = {len: _len, divmod: _divmod, min: _extreme("minimum"), max: _extreme("maximum"), abs: _abs, pow: _pow}
