"""``fuse``: functions whose element-wise operations run as one kernel, or few.

A fused function is traced with stand-ins for its arguments the first time it gets a pattern of
arguments: dtypes, numbers of axes, kinds of scalars. What they note becomes an expression, which
later calls evaluate without running the function. What can't be noted, such as a condition on an
element, leaves the function as it is: it runs unfused, with the same result.

Arithmetic on scalar arguments is noted as well, and done again by Python at each call. Where the
function asks for the truth of a scalar or for its value, the plan holds for that answer alone.
"""

import functools
import inspect
import operator

import numpy

from tenorite import _core
from tenorite._kernels import explanation
from tenorite._kernels.basic_index import items_of, key_of, numbers_of
from tenorite._numpy.mathematics import clip
from tenorite._numpy.shapes import broadcast_to

__all__ = ["fuse"]

_MOST_PLANS = 8  # of one pattern, for different answers
_NONE, _ARGUMENT = 255, 128  # results that are no outputs, as the extension has them


class _Untraceable(BaseException):
    """What a stand-in raises where the function must run as it is, with what it can't be asked for.
    `except Exception` lets it pass."""


def _refuse(what):
    def refuse(*_, **__):
        raise _Untraceable(what)

    return refuse


class _Trace:
    """One run of a function with stand-ins: the expression, and what is to be done before it."""

    def __init__(self, args):
        self.expression = _core._expression_new()
        self.args = args
        self.steps = []  # of scalars: (function, operands, the answer that the plan holds for)
        self.scalars = [value if isinstance(value, _SCALARS) else None for value in args]
        self.operands = []  # numbers of `scalars`, for each operand of the expression
        self.numbers = {}  # of scalars: the operand's value
        self.failed = None  # what could not be traced
        self.is_open = True

    def stand_in(self, place, value):
        if type(value) is _core.ndarray:
            self.operands.append(place)
            number = _core._expression_operand(self.expression, value)
            return _Array(self, number, value.dtype, value.ndim, number, place)
        if value is None:
            return None
        return _Scalar(self, place, value)

    def fail(self, what):
        self.failed = self.failed or what
        raise _Untraceable(what)

    def number(self, value):
        """The expression's number of an operand."""
        if type(value) is _Array and value._trace is self:
            return value._number
        if type(value) is _Scalar and value._trace is self:
            if value._place not in self.numbers:
                self.operands.append(value._place)
                self.numbers[value._place] = _core._expression_operand(self.expression, value._value)
            return self.numbers[value._place]
        if isinstance(value, _SCALARS):
            return _core._expression_constant(self.expression, value)
        return self.fail(f"an operand of type {type(value).__name__}")

    def apply(self, ufunc, *inputs, dtype=None, casting="same_kind"):
        if not self.is_open:
            self.fail("an operation after the function has returned")
        numbers = tuple(self.number(value) for value in inputs)
        made = _core._expression_apply(self.expression, ufunc, numbers, dtype, casting)
        ndim = max(value._ndim for value in inputs if type(value) is _Array)
        made = tuple(self.array(number, ndim) for number in made)
        return made if len(made) > 1 else made[0]

    def array(self, number, ndim):
        return _Array(self, number, _core._expression_dtype(self.expression, number), ndim)

    def compute(self, function, *operands):
        """A scalar made of scalars, now and at each call."""
        values = [value._value if type(value) is _Scalar else value for value in operands]
        made = function(*values)
        places = tuple((value._place, None) if type(value) is _Scalar else (-1, value) for value in operands)
        self.steps.append((function, places, None))
        self.scalars.append(made)
        return _Scalar(self, len(self.scalars) - 1, made)

    def answer(self, function, scalar):
        """What a function says of a scalar, which the plan then holds for."""
        made = function(scalar._value)
        self.steps.append((function, ((scalar._place, None),), (made,)))
        self.scalars.append(made)
        return made


_SCALARS = (bool, int, float, complex, numpy.generic)


class _Scalar:
    """Stands for a scalar argument, or what the function made of some."""

    __slots__ = ("_place", "_trace", "_value")
    __array_ufunc__ = None

    def __init__(self, trace, place, value):
        self._trace, self._place, self._value = trace, place, value

    __class__ = property(lambda self: type(self._value))

    def __bool__(self):
        return self._trace.answer(bool, self)

    def __int__(self):
        return self._trace.answer(int, self)

    def __float__(self):
        return self._trace.answer(float, self)

    def __complex__(self):
        return self._trace.answer(complex, self)

    def __index__(self):
        return self._trace.answer(operator.index, self)

    def __hash__(self):
        return hash(self._trace.answer(_identity, self))

    def __repr__(self):
        return self._trace.answer(repr, self)

    def __format__(self, specification):
        return self._trace.answer(functools.partial(format, format_spec=specification), self)

    def __round__(self, *digits):
        return self._trace.compute(round, self, *digits)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._trace.fail(f"the attribute {name!r} of a scalar")


def _identity(value):
    return value


def _is_integer(value):
    return type(value) is _Scalar and isinstance(value._value, (int, numpy.integer))


def _is_plain(value):
    return type(value) is _Scalar or type(value) in (bool, int, float, complex) or isinstance(value, numpy.generic)


class _Array:
    """Stands for an array. `_input`: the value of the argument that in-place operations write, or
    of a view of one; or None. `_place`: the argument that it is, or None.

    A view has a `_base`. `_show` makes its value of the base's: of an argument once, since it is an
    input that shows the same memory from then on, else of the value that the base has when the view
    is read."""

    __slots__ = ("_base", "_dtype", "_input", "_ndim", "_own", "_place", "_same", "_seen", "_show", "_trace", "_views")

    def __init__(self, trace, number, dtype, ndim, input=None, place=None):
        self._trace, self._own, self._dtype, self._ndim = trace, number, dtype, ndim
        self._input, self._place, self._base, self._views = input, place, None, {}

    __class__ = property(lambda self: _core.ndarray)
    dtype = property(lambda self: self._dtype)
    ndim = property(lambda self: self._ndim)
    itemsize = property(lambda self: self._dtype.itemsize)
    shape = property(lambda self: self._known("shape"))
    size = property(lambda self: self._known("size"))
    T = property(lambda self: self.transpose())
    mT = property(lambda self: self.swapaxes(-1, -2))
    real = property(lambda self: self._part(False), lambda self, value: self._part(False).__setitem__(..., value))
    imag = property(lambda self: self._part(True), lambda self, value: self._part(True).__setitem__(..., value))

    @property
    def _number(self):
        self._settle()
        if self._base is not None and self._input is None:
            shown = self._base._number
            if self._seen != shown:
                self._own, self._seen = self._show(shown), shown
        return self._own

    @_number.setter
    def _number(self, number):
        self._own = number

    def _known(self, name):
        """A fact of an argument, or of a view of one, that the plan then holds for."""
        trace, root, views = self._trace, self, []
        while root._base is not None:
            views.append(root._same)
            root = root._base
        if root._place is None:
            trace.fail(f"the {name} of an array that the function makes")

        def find(array):
            for view in reversed(views):
                array = view(array)
            return getattr(array, name)

        fact = find(trace.args[root._place])
        trace.steps.append((find, ((root._place, None),), (fact,)))
        trace.scalars.append(fact)
        return fact

    def __len__(self):
        return self._known("shape")[0] if self._ndim else self._trace.fail("the length of an array of no dimension")

    # --- Views ---

    def _view(self, kind, given, ndim, same, dtype=None):
        """The stand-in of a view, which is one for each kind and what is given. `same` makes that
        view of an array."""
        key = kind, given
        if key in self._views:
            return self._views[key]
        trace = self._trace
        if not trace.is_open:
            trace.fail("a view after the function has returned")
        made = self._views[key] = _Array(trace, None, dtype or self._dtype, ndim)
        made._base, made._same, made._seen = self, same, None
        made._show = lambda number: getattr(_core, f"_expression_{kind}")(trace.expression, number, *given)
        self._settle()
        if self._input is not None:
            made._own = made._input = made._show(self._input)
        return made

    def __getitem__(self, key):
        if key is Ellipsis and self._input is None:
            return self
        items = items_of(key, _is_integer)
        if items is None:
            self._trace.fail("an index")
        used = sum(item is not None and item is not Ellipsis for item in items)
        if used > self._ndim or sum(item is Ellipsis for item in items) > 1:
            self._trace.fail("an index of so many axes")
        ndim = self._ndim + sum((item is None) - (type(item) is int) for item in items)
        return self._view("slice", (items,), ndim, operator.itemgetter(key_of(items)))

    def _numbers(self, values, what):
        numbers = numbers_of(values, _is_integer)
        return self._trace.fail(what) if numbers is None else numbers

    def transpose(self, *axes):
        axes = None if axes in ((), (None,)) else self._numbers(axes, "these axes")
        if axes is not None and len(axes) != self._ndim:
            self._trace.fail("axes of another number")
        return self._view("transpose", (axes,), self._ndim, operator.methodcaller("transpose", axes))

    def swapaxes(self, axis1, axis2):
        pair = self._numbers((axis1, axis2), "these axes")
        if not all(-self._ndim <= axis < self._ndim for axis in pair):
            self._trace.fail("an axis that is not there")
        order = list(range(self._ndim))
        order[pair[0]], order[pair[1]] = order[pair[1]], order[pair[0]]
        return self.transpose(order)

    def squeeze(self, axis=None):
        if axis is None:  # which axes are of size 1
            axis = tuple([k for k, size in enumerate(self._known("shape")) if size == 1])
        axes = self._numbers((axis,), "these axes")
        return self._view("squeeze", (axes,), max(self._ndim - len(axes), 0), operator.methodcaller("squeeze", axes))

    def reshape(self, *shape, order="C", copy=None):
        if order != "C" or copy is not None or not shape:
            self._trace.fail("this reshape")
        sizes = self._numbers(shape, "this shape")
        return self._view("reshape", (sizes,), len(sizes), operator.methodcaller("reshape", sizes))

    def _broadcast_to(self, shape, subok=False):
        sizes = self._numbers((shape,), "this shape")
        return self._view("broadcast", (sizes,), len(sizes), lambda array: broadcast_to(array, sizes))

    def _part(self, is_imaginary):
        if self._dtype.kind != "c":
            return self._trace.fail("the imaginary part of a real array") if is_imaginary else self
        name = "imag" if is_imaginary else "real"
        dtype = numpy.dtype(self._dtype.char.lower())
        return self._view("part", (is_imaginary,), self._ndim, operator.attrgetter(name), dtype)

    # --- What is written ---

    def _settle(self):
        """A view of what has become an input is one, too."""
        if self._base is not None and self._input is None:
            self._base._settle()
            if self._base._input is not None:
                self._own = self._input = self._show(self._base._input)

    def _need_memory(self):
        """What is stored to a part of an array that the function makes: that is an input from here
        on, which all its views show."""
        root, expression = self, self._trace.expression
        while root._base is not None:
            root = root._base
        if root is not self and root._input is None:
            number = root._number
            root._input = _core._expression_hold(expression, number)
            root._own = _core._expression_store(expression, root._input, number, "no")
        self._settle()

    def _write(self, value, casting, takes=False):
        """self[...] = value, which is a stand-in. takes: nothing else uses that."""
        trace = self._trace
        self._need_memory()
        if self._dtype.kind != "c" and value._dtype.kind == "c":
            trace.fail("a cast that drops imaginary parts")  # it warns
        if self._input is None:
            self._number = _core._expression_assign(trace.expression, self._number, value._number, casting, takes)
        else:
            self._number = _core._expression_store(trace.expression, self._input, value._number, casting)

    def __setitem__(self, key, value):
        trace = self._trace
        if not (key is Ellipsis or (type(key) is slice and key == slice(None) and self._ndim)):
            self[key][...] = value
            return
        if type(value) is _Array and value._base is self and value is self[key]:
            return  # x[:] += y
        self._need_memory()
        if type(value) is not _Array:
            kinds = "b" if self._dtype.kind == "b" else "biufc"[: "biufc".index(self._dtype.kind) + 1]
            dtype = numpy.result_type(type(value._value if type(value) is _Scalar else value))
            if self._input is None or not _is_plain(value) or dtype.kind not in kinds:
                trace.fail("this value stored to an array")
            number = trace.number(value)
            self._number = _core._expression_store(trace.expression, self._input, number, "unsafe")
            return
        if value is not self:
            self._write(value, "unsafe")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, where=True, order="K", subok=True, **options):
        trace = self._trace
        if type(ufunc) is numpy.ufunc:
            ufunc = getattr(_core, ufunc.__name__, None)
        out = out[0] if type(out) is tuple and len(out) == 1 else out
        if (
            method != "__call__"
            or type(ufunc) is not type(_core.add)
            or where is not True
            or order != "K"
            or not {"dtype", "casting"} >= options.keys()
            or (out is not None and (type(out) is not _Array or ufunc.nout > 1))
        ):
            trace.fail(f"{getattr(ufunc, '__name__', 'a function')} with these options")
        made = trace.apply(ufunc, *inputs, **options)
        if out is None:
            return made
        out._write(made, options.get("casting", "same_kind"), takes=True)
        return out

    def __tenorite_function__(self, name, args, kwargs):
        """A reduction, or a view, that was called as a function."""
        if name == "broadcast_to" and args and args[0] is self:
            return self._broadcast_to(*args[1:], **kwargs)
        if name not in _REDUCTIONS or not args or args[0] is not self:
            self._trace.fail(f"the function {name}")
        return getattr(self, name)(*args[1:], **kwargs)

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        dtype = numpy.dtype(dtype)
        if order != "K" or (self._dtype.kind == "c" and dtype.kind not in "cb"):
            self._trace.fail("this astype")
        if dtype == self._dtype and not copy:
            return self
        trace = self._trace
        return trace.array(_core._expression_cast(trace.expression, self._number, dtype, casting), self._ndim)

    def copy(self, order="C"):
        return (
            self.astype(self._dtype) if order == "K" or self._ndim < 2 else self._trace.fail("a copy in another order")
        )

    def fill(self, value):
        self[...] = value

    def conj(self):
        return self._trace.apply(_core.conjugate, self) if self._dtype.kind == "c" else self

    conjugate = conj

    def clip(self, min=None, max=None):
        return clip(self, min, max)

    def __pow__(self, exponent):
        return self._trace.apply(*_power(self, exponent))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._trace.fail(f"the attribute {name!r} of an array")

    __bool__ = _refuse("the truth of an array's element")
    __int__ = __float__ = __complex__ = __index__ = __iter__ = __contains__ = _refuse("the elements of an array")
    __matmul__ = __rmatmul__ = __imatmul__ = _refuse("a product of matrices")
    __hash__ = __repr__ = __format__ = _refuse("the text or the hash of an array")
    __round__ = __delitem__ = __reduce_ex__ = __copy__ = __deepcopy__ = _refuse("a copy or rounding of an array")


def _power(base, exponent):
    """The operation that ``base ** exponent`` is for an ndarray."""
    if type(exponent) is _Scalar:  # which operation it is depends on the value
        exponent = base._trace.answer(_identity, exponent)
    is_inexact = base._dtype.kind not in "biu"
    if type(exponent) is int or (type(exponent) is float and is_inexact):
        easy = {1: _core.positive, -1: _core.reciprocal, 0.5: _core.sqrt} if is_inexact else {}
        easy[2] = _core.square
        if exponent in easy:
            return easy[exponent], base
    return _core.power, base, exponent


# --- Operators ---

_BINARY = {
    "add": _core.add,
    "sub": _core.subtract,
    "mul": _core.multiply,
    "truediv": _core.divide,
    "floordiv": _core.floor_divide,
    "mod": _core.remainder,
    "and": _core.bitwise_and,
    "or": _core.bitwise_or,
    "xor": _core.bitwise_xor,
    "lshift": _core.left_shift,
    "rshift": _core.right_shift,
    "divmod": _core.divmod,
    "pow": _core.power,
}
_UNARY = {"neg": _core.negative, "pos": _core.positive, "abs": _core.absolute, "invert": _core.invert}
_COMPARISONS = {
    "lt": _core.less,
    "le": _core.less_equal,
    "eq": _core.equal,
    "ne": _core.not_equal,
    "gt": _core.greater,
    "ge": _core.greater_equal,
}
_REDUCTIONS = frozenset("sum prod max min mean var std all any".split())


def _array_operators(name, ufunc):
    def forward(self, other):
        return self._trace.apply(ufunc, self, other)

    def reflected(self, other):
        return self._trace.apply(ufunc, other, self)

    def in_place(self, other):
        self._write(self._trace.apply(ufunc, self, other), "same_kind", takes=True)
        return self

    if name != "pow":
        setattr(_Array, f"__{name}__", forward)
    setattr(_Array, f"__r{name}__", reflected)
    if name != "divmod":
        setattr(_Array, f"__i{name}__", in_place)


def _scalar_operators(name, function):
    def forward(self, other):
        return self._trace.compute(function, self, other) if _is_plain(other) else NotImplemented

    def reflected(self, other):
        return self._trace.compute(function, other, self) if _is_plain(other) else NotImplemented

    setattr(_Scalar, f"__{name}__", forward)
    setattr(_Scalar, f"__r{name}__", reflected)


def _comparison(name, ufunc):
    function = getattr(operator, name)
    setattr(_Array, f"__{name}__", lambda self, other: self._trace.apply(ufunc, self, other))
    setattr(
        _Scalar,
        f"__{name}__",
        lambda self, other: self._trace.compute(function, self, other) if _is_plain(other) else NotImplemented,
    )


def _unary(name, ufunc):
    setattr(_Array, f"__{name}__", lambda self: self._trace.apply(ufunc, self))
    setattr(_Scalar, f"__{name}__", lambda self: self._trace.compute(getattr(operator, name), self))


def _reduction(name):
    def reduce(self, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        trace = self._trace
        if out is not None or type(keepdims) is not bool:
            trace.fail(f"{name} with these options")
        number = _core._expression_reduce(trace.expression, name, self._number, axis, dtype, keepdims, float(ddof))
        axes = self._ndim if axis is None else len(axis) if type(axis) is tuple else 1
        return trace.array(number, self._ndim if keepdims else max(self._ndim - axes, 0))

    if name in ("max", "min", "all", "any"):  # as theirs are: no dtype=

        def method(self, axis=None, out=None, keepdims=False):
            return reduce(self, axis, None, out, 0, keepdims)

    elif name in ("var", "std"):
        method = reduce
    else:

        def method(self, axis=None, dtype=None, out=None, keepdims=False):
            return reduce(self, axis, dtype, out, 0, keepdims)

    setattr(_Array, name, method)


for _name, _ufunc in _BINARY.items():
    _array_operators(_name, _ufunc)
    _scalar_operators(_name, divmod if _name == "divmod" else getattr(operator, f"__{_name}__"))
for _name, _ufunc in _COMPARISONS.items():
    _comparison(_name, _ufunc)
for _name, _ufunc in _UNARY.items():
    _unary(_name, _ufunc)
for _name in _REDUCTIONS:
    _reduction(_name)
del _name, _ufunc


# --- Plans ---


def _results(trace, returned):
    """What the function returned, as the extension gives it: outputs, arguments, None."""
    codes, outputs = [], {}  # by identity
    for value in returned if type(returned) is tuple else (returned,):
        if value is None:
            codes.append(_NONE)
        elif type(value) is _Array and value._place is not None:
            codes.append(_ARGUMENT + value._place)
        elif type(value) is _Scalar and value._place < len(trace.args):
            codes.append(_ARGUMENT + value._place)
        elif type(value) is _Array:
            if id(value) not in outputs:
                _core._expression_output(trace.expression, value._number)
            codes.append(outputs.setdefault(id(value), len(outputs)))
        else:
            trace.fail(f"a result of type {type(value).__name__}")
    return tuple(codes)


def _preparation(trace):
    """The arithmetic on scalars that makes the operands of arguments, as the extension has it."""
    return (tuple(trace.steps), tuple(trace.operands)) if trace.steps else None


class Fusion(_core._Fused):
    """A function that ``fuse`` made: calls with a known pattern of arguments evaluate its plan."""

    def __init__(self, function, name):
        super().__init__(function)
        self._function = function
        self._name = name
        self._tries = {}  # patterns that have plans for single answers: how many
        functools.update_wrapper(self, function)

    name = property(lambda self: self._name, doc="The name of the kernel.")

    def __repr__(self):
        return f"<fused function {self._name!r}>"

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self):
        return self.__qualname__

    def clear_cache(self):
        """Forgets what was traced: the next call of each pattern traces again."""
        self._tries.clear()
        super().clear_cache()

    def _call_named(self, args, kwargs):
        """A call with keywords, as one without."""
        try:
            bound = inspect.signature(self._function).bind(*args, **kwargs)
        except (TypeError, ValueError):
            return _run_on_host(self._function, args, kwargs)
        return _run_on_host(self._function, args, kwargs) if bound.kwargs else self(*bound.args)

    def _trace(self, *args):
        """A call whose pattern has no plan: makes one, and runs it, or the function as it is."""
        is_inner = any(type(value) in (_Array, _Scalar) for value in args)
        has_array = any(type(value) is _core.ndarray for value in args)
        if is_inner:
            return self._function(*args)
        if not has_array:
            return _run_on_host(self._function, args, {})
        pattern = tuple((value.dtype, value.ndim) if type(value) is _core.ndarray else type(value) for value in args)
        tries = self._tries.get(pattern, 0)
        if tries >= _MOST_PLANS:
            return self._function(*args)
        self._tries[pattern] = tries + 1
        plan = self._plan(args)
        if not self._add(args, *((None, None, (), (), False) if type(plan) is str else plan)):
            return self._function(*args)
        return self(*args)

    def _plan(self, args):
        """What ``_add`` takes; or a text: what can't be traced."""
        try:
            trace = _Trace(args)
            stand_ins = [trace.stand_in(place, value) for place, value in enumerate(args)]
            returned = self._function(*stand_ins)
            trace.is_open = False
            if trace.failed:
                return f"{trace.failed} can't be traced"
            results = _results(trace, returned)
        except _Untraceable as refused:
            return f"{trace.failed or refused} can't be traced"
        except Exception as error:
            if __name__ in str(error):  # a stand-in was refused
                return "a function that takes arrays alone can't be traced"
            return f"while it was traced, {type(error).__name__} was raised ({error})"
        return trace.expression, _preparation(trace), tuple(trace.operands), results, type(returned) is tuple

    def explain(self, *args):
        """How the call with these arguments runs: what is computed together, and what it costs.

        The function is traced anew and its graph evaluated twice, so that kernels are compiled when
        launches are counted. Arrays that it writes to have their contents back afterwards.

        Parameters
        ----------
        *args : array_like
            The arguments of a call: ndarrays of any shape and dtype, scalars and None.

        Returns
        -------
        Explanation
            A tuple with names. `groups` are the passes in their order, each with its `form`
            ("elementwise"; "fold": a reduction with the operations that it alone reads; "rows":
            operations over rows with reductions among them; "copy"), `shape`, `operations` (with
            `name` and `dtype`), `launches`, `bytes_read`, `bytes_written`, `registers` (of a GPU's
            thread; 0 on the host) and the sentence `why` it begins where it does. `cost` is that of
            all, `unfused` that of the operations one by one. Where the function runs as it is,
            `groups` is empty and `why` says what can't be traced. ``str()`` has all as lines.

        Raises
        ------
        RuntimeError
            If the stream is captured.

        Notes
        -----
        On the host a launch is one call that passes over its arrays.

        Examples
        --------
        >>> import tenorite as cp
        >>> distance = cp.fuse(lambda x, y: cp.sqrt(((x - y) ** 2).sum(axis=-1)))
        >>> told = distance.explain(cp.zeros((1000, 30)), cp.ones((1000, 30)))
        >>> [operation.name for operation in told.groups[0].operations]
        ['subtract', 'square', 'sum', 'sqrt']
        >>> told.unfused.launches
        4
        """
        if not any(type(value) is _core.ndarray for value in args):
            return explanation.of_unfused("no argument is an array")
        plan = self._plan(args)
        if type(plan) is str:
            return explanation.of_unfused(plan)
        expression, prepare, places, _, _ = plan
        operands = _core._expression_prepare(prepare, args) if prepare else tuple([args[place] for place in places])
        if operands is None:
            return explanation.of_unfused("its arithmetic on scalars fails")
        try:
            return explanation.of_call(*_core._expression_explain(expression, operands))
        except (TypeError, ValueError, OverflowError, NotImplementedError) as error:
            return explanation.of_unfused(str(error).splitlines()[0])


def _run_on_host(function, args, kwargs):
    """The function as it is. Where the arrays among its arguments are NumPy's alone, the functions
    that it calls take them, and its results are NumPy's."""
    values = (*args, *kwargs.values())
    has_host = any(isinstance(value, numpy.ndarray) for value in values)
    if not has_host or any(isinstance(value, _core.ndarray) for value in values):
        return function(*args, **kwargs)
    did = _core._take_host(True)
    try:
        return _to_host(function(*args, **kwargs))
    finally:
        _core._take_host(did)


def _to_host(value):
    if isinstance(value, _core.ndarray):
        return value.get()[()]  # of no dimension: a scalar, as NumPy's functions give it
    if type(value) in (tuple, list):
        return type(value)(map(_to_host, value))
    return value


def fuse(*args, **kwargs):
    """A decorator: the function's element-wise operations run as one kernel, or few.

    ``@fuse`` and ``@fuse(kernel_name="name")`` both do. The result is that of the function itself:
    what can't be traced (conditions on elements, matrix products, indexing by arrays) runs as it
    is.
    Arguments are arrays, scalars and None; results arrays, a tuple of them, or None. A function
    that does more than it returns, such as printing, does that when it is traced, not in every
    call.

    Where the arrays among the arguments are NumPy's alone, the function runs as it is: NumPy
    computes, and functions of this package that it calls, such as ``cp.sum(x)``, take NumPy's
    arrays too, by a copy on the device. The results are NumPy's, and of no dimension its scalars.
    Host arrays are still refused as ``out=``, by functions that take a list of arrays, by those
    that only move elements (``take``, ``nonzero``, ``copyto``), by ``trace``, the methods of ufuncs
    and ``scipy.special``.

    Parameters
    ----------
    *args : callable
        The function.
    **kwargs : dict
        ``kernel_name``.

    Returns
    -------
    callable
        The function, or the decorator where options are given.

    Notes
    -----
    Differs from CuPy: what cannot be traced runs unfused with the same result, and a program of
    several reductions stays few kernels. NumPy's arrays are taken inside, and only there, also by
    functions that refuse them in CuPy, such as ``cp.maximum``.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.fuse(lambda x, y: x * y + 1)(cp.array([1., 2.]), cp.array([3., 4.]))
    array([4., 9.])
    """
    if len(args) == 1 and not kwargs and callable(args[0]):
        return Fusion(args[0], args[0].__name__ if hasattr(args[0], "__name__") else "fused")

    def decorate(function, kernel_name=None):
        return Fusion(function, kernel_name or getattr(function, "__name__", "fused"))

    return functools.partial(decorate, **_named(*args, **kwargs))


def _named(kernel_name=None):
    return {"kernel_name": kernel_name}
