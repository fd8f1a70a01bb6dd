"""Objects that do harm while a call converts them, and the stage on which one call is attacked.

A hostile object stands for a value that a call takes. Whatever it is asked (its length, its truth,
an attribute, ...) it answers truly, but it first calls strike(). At the `when`-th of these the
stage performs its action, once: it reshapes the arrays of the call, empties its lists, calls the
same function again, ... The same things strike from outside of the arguments: filters of warnings,
hooks, allocators, the garbage collector.

Everything works on NumPy as on ours, which makes NumPy the oracle for calls that are attacked.
"""

import contextlib
import gc
import sys
import warnings
import weakref

import numpy as np
import tenorite as tn


class Attack(Exception):
    """What a hostile object raises. It must come out of the call as it is."""


class Stage:
    """The arrays and containers of one call, and what will happen to them.

    module: tenorite or numpy.
    action: a name of ACTIONS, or None for a call without an attack.
    when: at which strike the action happens.
    reshaped: the names of arrays that have their second shape from the start.
    """

    current = None

    def __init__(self, module, action=None, when=1, reshaped="", ambient=None):
        self.module, self.action, self.when, self.ambient = module, action, when, ambient
        self.strikes, self.armed, self.lies, self.raised = 0, False, False, False
        self.containers, self.again, self.asked = [], lambda: None, None
        self.names = self._values()
        self.arrays = [weakref.ref(one) for one in self.names.values() if isinstance(one, module.ndarray)]
        # The arrays in the list w are held by nothing else.
        alone = [self.names["a"].copy(), self.names["a"].copy()]
        self.names.update(m=module, np=np, h=np.arange(6.0).reshape(2, 3), w=self.add(alone))
        for name in reshaped:
            if name in self.names:
                turn(self.names[name])

    def _values(self):
        """The names that texts of calls use: matrices a, b, c, vectors v, k, square s, integers i,
        a mask q."""
        m = self.module
        a = np.arange(6.0).reshape(2, 3)
        values = {
            "a": a + 1j * a if self.ambient == "warning" else a,
            "b": a + 1,
            "c": a * 0,
            "v": a[0],
            "k": np.array([0, 1]),
            "s": np.eye(3) * 2 + 1,
            "i": a.astype("i8") % 2,
            "q": a > 2,
        }
        return {name: m.array(value) for name, value in values.items()}

    def living(self):
        return [one for one in (reference() for reference in self.arrays) if one is not None]

    def strike(self, asked):
        self.strikes += self.armed
        if self.armed and self.strikes == self.when and self.action:
            self.asked = asked
            ACTIONS[self.action](self)

    def add(self, container):
        """A list or dict of the call, which an action may change. Returns it."""
        self.containers.append(container)
        return container

    def drop(self):
        """Lets go of what is in containers."""
        for container in self.containers:
            container.clear()

    def __enter__(self):
        self._exits = contextlib.ExitStack()
        # A filter of warnings is what the call warns through; a strict one would end the call
        # before.
        self._exits.enter_context(warnings.catch_warnings())
        warnings.simplefilter("always" if self.ambient == "warning" else "ignore")
        if self.action == "move":
            self._exits.enter_context(tn.cuda.Device())
        if self.module is tn and self.action == "leave":
            tn.cuda.Stream(non_blocking=True).use()
            self._exits.callback(tn.cuda.Stream.null.use)
        if self.ambient and (self.module is tn or self.ambient not in OURS):
            self._exits.enter_context(AMBIENT[self.ambient]())
        Stage.current = self
        return self

    def __exit__(self, *exception):
        Stage.current = None
        self._exits.close()


def strike(asked=None):
    """asked: the name of the method that was called."""
    if Stage.current:
        Stage.current.strike(asked)


def strike_late():
    """From where an exception can't come out: a destructor, a callback of the collector."""
    if Stage.current and Stage.current.action != "fail":
        strike()


def lies():
    return Stage.current is not None and Stage.current.lies


# --- What an attack does ---


def turn(array):
    """Gives an array its second shape: its axes reversed, or an axis more where that changes
    nothing."""
    other = array.shape[::-1] if array.shape != array.shape[::-1] else (1, *array.shape)
    with contextlib.suppress(AttributeError), warnings.catch_warnings():  # NumPy deprecates it
        warnings.simplefilter("ignore")
        array.shape = other


def reshape(stage):
    for array in stage.living():
        turn(array)


def empty(stage):
    stage.drop()
    gc.collect()
    # What was freed gets other contents.
    bytearray(10000), [bytearray(size) for size in range(16, 512, 16)]


def grow(stage):
    for container in stage.containers:
        if isinstance(container, list):
            container.extend(container * 100)
        else:
            container.update({str(k): k for k in range(1000)})


def again(stage):
    with contextlib.suppress(Exception):
        stage.again()


def fail(stage):
    stage.raised = True
    raise Attack


def freeze(stage):
    for array in stage.living():
        array.flags.writeable = False


def recast(stage):
    """Arrays become ones of another class, where Python allows it."""
    for array in stage.living():
        with contextlib.suppress(TypeError):
            array.__class__ = SLOTTED[stage.module]


def leave(stage):
    """The current stream is another, and the former is dropped."""
    if stage.module is tn:
        tn.cuda.Stream.null.use()
        tn.get_default_memory_pool().free_all_blocks()


def move(stage):
    """The current device is another, where there are several."""
    tn.cuda.Device(tn.cuda.runtime.getDeviceCount() - 1).use()


def lie(stage):
    stage.lies = True


ACTIONS = {one.__name__: one for one in (reshape, empty, grow, again, fail, freeze, recast, leave, move, lie)}


# --- Objects that stand for values ---


class Hostile:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"{type(self).__name__}({self.value!r})"


def asked(name, answer, lie=None):
    """A method that strikes, and then answers by a function of (value, *arguments, **named)."""

    def method(self, *arguments, **named):
        strike(name)
        return lie if lie is not None and lies() else answer(self.value, *arguments, **named)

    method.__name__ = name
    return method


NUMERIC = {
    "__index__": asked("__index__", lambda value: int(value or 0), lie=70),
    "__int__": asked("__int__", lambda value: int(value or 0), lie=-7),
    "__float__": asked("__float__", lambda value: float(value or 0), lie=7.0),
    "__complex__": asked("__complex__", lambda value: complex(value or 0)),
    "__bool__": asked("__bool__", bool),
    "__eq__": asked("__eq__", lambda value, other: value == other),
    "__hash__": asked("__hash__", lambda value: 7),
}
SEQUENTIAL = {
    "__len__": asked("__len__", len, lie=9),
    "__getitem__": asked("__getitem__", lambda value, key: value[key]),
    "__iter__": asked("__iter__", iter),
    "__contains__": asked("__contains__", lambda value, one: one in value),
}


def converted(value, dtype=None, copy=None):
    """__array__ of a value: what NumPy makes of it."""
    return np.asarray(value.get() if isinstance(value, tn.ndarray) else value, dtype)


def described(value):
    """The __cuda_array_interface__ of an array, which an action may change."""
    facts = (value if isinstance(value, tn.ndarray) else tn.asarray(value)).__cuda_array_interface__
    return Stage.current.add(facts) if Stage.current else facts


ARRAY_LIKE = {
    "__array__": asked("__array__", converted),
    "__getattr__": lambda self, name: strike() or getattr(self.__dict__["value"], name),
}
Number = type("Number", (Hostile,), NUMERIC)
Sequence = type("Sequence", (Hostile,), SEQUENTIAL)
Anything = type("Anything", (Hostile,), NUMERIC | SEQUENTIAL | ARRAY_LIKE)
Interface = type(
    "Interface",
    (Hostile,),
    {
        "__cuda_array_interface__": property(asked("__cuda_array_interface__", described)),
        "__array__": ARRAY_LIKE["__array__"],
    },
)
Exchange = type(
    "Exchange",
    (Hostile,),
    {
        "__dlpack__": asked("__dlpack__", lambda value, **named: value.__dlpack__(**named)),
        "__dlpack_device__": asked("__dlpack_device__", lambda value: value.__dlpack_device__()),
    },
)
Dtyped = type("Dtyped", (Hostile,), {"dtype": property(asked("dtype", np.dtype))})
Streamed = type(
    "Streamed",
    (Hostile,),
    {
        "ptr": property(asked("ptr", lambda value: value.ptr)),
        "__cuda_stream__": asked("__cuda_stream__", lambda value: (0, value.ptr)),
    },
)
Called = type("Called", (Hostile,), {"__call__": asked("__call__", lambda value, *given: value(*given))})


class Override(Hostile):
    """Handles ufuncs and functions: by leaving them to others."""

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        strike()
        return NotImplemented

    __array_function__ = None
    __radd__ = __rmul__ = __rmatmul__ = __lt__ = asked("__radd__", lambda value, other: NotImplemented)


def child_of(base, answers):
    """A class of int, str, list, ... whose methods strike before they do what the base's do."""

    def method(name):
        inherited = getattr(base, name)

        def asked(self, *arguments):
            strike(name)
            return inherited(self, *arguments)

        return asked

    return type(base.__name__.title(), (base,), {name: method(name) for name in answers if hasattr(base, name)})


Int, Float, Str = (child_of(base, (*NUMERIC, "__str__")) for base in (int, float, str))
List, Tuple, Dict = (child_of(base, SEQUENTIAL) for base in (list, tuple, dict))


class Facts(Hostile):
    """An array of another library, whose facts are hostile themselves."""

    @property
    def __cuda_array_interface__(self):
        facts = described(self.value)
        address, is_read_only = facts["data"]
        return facts | {
            "shape": Sequence(facts["shape"]),
            "strides": Tuple(facts["strides"] or self.value.strides),
            "typestr": Str(facts["typestr"]),
            "data": Sequence([Int(address), Number(is_read_only)]),
            "version": Int(facts["version"]),
        }


def child_class(base):
    class Child(base):
        """Strikes whenever one is made, used and dropped."""

        def __array_finalize__(self, like):
            strike()
            weakref.finalize(self, strike_late).atexit = False

        def __array_ufunc__(self, ufunc, method, *inputs, **named):
            strike()
            return super().__array_ufunc__(ufunc, method, *inputs, **named)

        def __del__(self):
            strike_late()

        @property
        def __array_priority__(self):
            strike()
            return 1.0

        def __getitem__(self, key):
            strike()
            return super().__getitem__(key)

        def __len__(self):
            strike()
            return super().__len__()

    return Child


CHILDREN = {module: child_class(module.ndarray) for module in (tn, np)}
SLOTTED = {module: type("Slotted", (module.ndarray,), {"__slots__": ()}) for module in (tn, np)}


# --- Every form in which a value can be given ---


def fresh(value):
    """The same with copies of its arrays, which nothing else holds."""
    if isinstance(value, (tuple, list)):
        return type(value)(fresh(one) for one in value)
    return value.copy() if is_array(value) else value


def items_poisoned(kind):
    def make(value):
        made = kind([Number(one) if is_scalar(one) else fresh(one) for one in value])
        return Stage.current.add(made) if kind is list else made

    return make


def beside_hostile(value):
    """A list that alone holds arrays, with something to ask among them."""
    made = Stage.current.add([fresh(value), Interface(fresh(value)), fresh(value)])
    Stage.current.arrays += [weakref.ref(made[0]), weakref.ref(made[2])]
    return made


def is_array(value):
    return isinstance(value, (tn.ndarray, np.ndarray))


def is_scalar(value):
    return value is None or isinstance(value, (bool, int, float, complex))


def is_sequence(value):
    return isinstance(value, (tuple, list))


def is_a(*types):
    return lambda value: isinstance(value, types) and not isinstance(value, bool)


# For each form: the values that have it, and what makes it.
FORMS = {
    "Number": (lambda value: is_scalar(value) or isinstance(value, str), Number),
    "Anything": (lambda value: True, Anything),
    "Int": (is_a(int), Int),
    "Float": (is_a(int, float), Float),
    "Str": (is_a(str), Str),
    "Sequence": (is_sequence, lambda value: Sequence(Stage.current.add(list(fresh(value))))),
    "List": (is_sequence, lambda value: Stage.current.add(List(fresh(value)))),
    "Tuple": (is_sequence, Tuple),
    "list of hostile": (is_sequence, items_poisoned(list)),
    "tuple of hostile": (lambda value: is_sequence(value) and len(value) > 0, items_poisoned(tuple)),
    "slice": (is_a(int, slice), lambda value: slice(Number(0), Number(2), Number(1))),
    "Dtyped": (is_a(str, type, np.dtype), Dtyped),
    "Streamed": (lambda value: value is None, lambda value: Streamed(tn.cuda.Stream.null)),
    "Called": (callable, Called),
    "Child": (is_array, lambda value: value.view(CHILDREN[tn if isinstance(value, tn.ndarray) else np])),
    "Interface": (is_array, Interface),
    "Facts": (lambda value: isinstance(value, tn.ndarray), Facts),
    "Exchange": (is_array, Exchange),
    "Override": (lambda value: is_array(value) or is_scalar(value), Override),
    "list": (is_array, beside_hostile),
}


def forms_of(value):
    return [name for name, (has, _) in FORMS.items() if has(value)]


def poison(form, value):
    """The value in a hostile form."""
    return FORMS[form][1](value)


# --- What strikes from outside of the arguments ---


@contextlib.contextmanager
def warning():
    """Whatever shows warnings. It is put back by catch_warnings()."""
    warnings.showwarning = lambda *facts, **named: strike()
    yield


@contextlib.contextmanager
def collector():
    """The garbage collector runs whenever something is made, and tells."""

    def tell(phase, facts):
        strike()

    threshold = gc.get_threshold()
    gc.callbacks.append(tell)
    gc.set_threshold(1)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(tell)


class Hook(tn.cuda.MemoryHook):
    name = "adversary"
    alloc_preprocess = alloc_postprocess = malloc_preprocess = malloc_postprocess = lambda self, **facts: strike()
    free_preprocess = free_postprocess = lambda self, **facts: strike()


def hook():
    return Hook()


def allocator():
    pool = tn.get_default_memory_pool()
    return tn.cuda.using_allocator(lambda size: strike() or pool.malloc(size))


@contextlib.contextmanager
def tracer():
    """A debugger that looks at each line of Python."""

    def trace(frame, event, argument):
        strike()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


AMBIENT = {one.__name__: one for one in (warning, collector, hook, allocator, tracer)}
OURS = ("hook", "allocator")  # NumPy has none
