"""Which operand handles a ufunc: __array_ufunc__ of subclasses and of arrays of third kinds, and
result classes."""

import operator

import numpy as np
import pytest
import tenorite as tn

OPERATORS = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.and_,
    operator.lshift,
    divmod,
    operator.lt,
    operator.eq,
)


class Third:
    """An array of a third kind: tells what it was asked."""

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return ufunc.__name__, method, len(inputs), sorted(kwargs)


class Polite(Third):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return NotImplemented


class Logged(tn.ndarray):
    """Counts ufuncs and hands them on, on plain arrays."""

    calls = []

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        Logged.calls.append(ufunc.__name__)
        plain = [one.view(tn.ndarray) if isinstance(one, Logged) else one for one in inputs]
        if out is not None:
            kwargs["out"] = tuple(one.view(tn.ndarray) for one in out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        return out[0] if out is not None else result


class Lazy(tn.ndarray):
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)


@pytest.mark.parametrize("call", OPERATORS)
def test_third_kinds(call):
    """An operator and a ufunc hand the call to an operand that has an __array_ufunc__."""
    a = tn.arange(3)
    name = call(a, Third())[0]
    assert call(a, Third()) == (name, "__call__", 2, [])
    assert isinstance(getattr(tn, name), tn.ufunc)
    assert getattr(tn, name)(Third(), a, where=True) == (name, "__call__", 2, ["where"])
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        call(a, Polite())
    with pytest.raises(TypeError, match="Unsupported type <class 'numpy.ndarray'>"):
        call(a, np.arange(3))


def test_in_place():
    a = tn.arange(3)
    a += Third()
    assert a == ("add", "__call__", 2, ["out"])


def test_subclass_override():
    """A subclass with an __array_ufunc__ gets all operators; one that only hands on is refused, as
    in NumPy."""
    s = tn.arange(4.0).view(Logged)
    Logged.calls.clear()
    results = [s + 1, 2 * s, -s, abs(s), s < 2, s**2, tn.sin(s), tn.arange(4) - s, divmod(s, 2)[0]]
    assert Logged.calls == ["add", "multiply", "negative", "absolute", "less", "square", "sin", "subtract", "divmod"]
    assert all(type(one) is tn.ndarray for one in results)
    before = s
    s += 1
    assert s is before and s.view(tn.ndarray).tolist() == [1, 2, 3, 4]
    with pytest.raises(TypeError, match="all returned NotImplemented"):
        tn.arange(3).view(Lazy) + 1
    with pytest.raises(TypeError):
        np.arange(3).view(type("HostLazy", (np.ndarray,), {"__array_ufunc__": Lazy.__array_ufunc__})) + 1


def test_subclasses_first():
    """A subclass is asked before its base, whatever the order of operands."""

    class Special(Third):
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return "special"

    assert tn.add(Third(), Special()) == tn.add(Special(), Third()) == "special"
    assert tn.add(Third(), Polite())[0] == "add"


def test_opting_out():
    class Out:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "radd"

    a = tn.arange(3)
    assert a + Out() == "radd"
    with pytest.raises(TypeError):
        a - Out()
    with pytest.raises(TypeError):
        tn.add(a, Out())


def test_result_class():
    """Of two subclasses the one of higher priority names the result's class, else the first."""

    class First(tn.ndarray):
        pass

    class Second(tn.ndarray):
        __array_finalize__ = None

    class High(tn.ndarray):
        __array_priority__ = 200

    first, second, high = (tn.ones(2).view(kind) for kind in (First, Second, High))
    assert type(first + second) is First and type(second + first) is Second
    assert type(first + high) is High and type(high + first) is High and type(tn.ones(2) + first) is First
    assert type(divmod(first, high)[0]) is High and type(-second) is Second
    assert type(first.repeat(2)) is First and type(tn.tile(first, 2)) is First
    assert type(tn.add(first, high)) is High


METHODS = {
    "reduce": lambda add, a, t: [
        add.reduce(t),
        add.reduce(t, 0),
        add.reduce(t, axis=None, keepdims=True),
        add.reduce(t, out=a),
        add.reduce(t, 0, None, None, True, 5, True),
        add.reduce(t, out=None),
        add.reduce(a, out=(t,)),
        add.reduce(a, where=t),
        add.reduce(t, initial=2, dtype="f"),
    ],
    "accumulate": lambda add, a, t: [
        add.accumulate(t),
        add.accumulate(t, 1, "f"),
        add.accumulate(a, out=t),
        add.accumulate(t, out=(a,), axis=0),
    ],
    "reduceat": lambda add, a, t: [
        add.reduceat(t, [0, 1]),
        add.reduceat(t, [0, 1], 0, None, a),
        add.reduceat(a, [0], out=(t,)),
        add.reduceat(a, t),
    ],
    "outer": lambda add, a, t: [
        add.outer(t, a),
        add.outer(2, t),
        add.outer(a, t, out=a, dtype="f"),
        add.outer(a, a, out=t),
        add.outer(a, a, where=t),
        add.outer(a, t, sig="dd->d"),
    ],
    "at": lambda add, a, t: [add.at(t, [0], 3), add.at(a, [0], t), add.at(a, t, 2)],
    "__call__": lambda add, a, t: [
        add(a, t),
        add(t, 1, a),
        add(a, a, out=t),
        add(a, a, t),
        add(t, a, out=None),
        add(a, a, where=t),
        add(t, a, out=a, where=True, dtype=None),
    ],
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("is_subclass", [False, True])
def test_what_operands_are_told(method, is_subclass):
    """Method, inputs and options are those that NumPy gives, of each way to call it."""

    def noted(self, ufunc, method, *inputs, **kwargs):
        values = [*inputs, *sorted(kwargs.items())]
        return ufunc.__name__, method, repr(values).replace("tenorite.", "")

    def ask(xp):
        kind = type(
            "Kind",
            (xp.ndarray,) if is_subclass else (),
            {"__array_ufunc__": noted, "__repr__": lambda self: "t", "__module__": ""},
        )
        t = xp.zeros(2).view(kind) if is_subclass else kind()
        return METHODS[method](xp.add, xp.arange(2.0), t)

    assert ask(tn) == ask(np)
