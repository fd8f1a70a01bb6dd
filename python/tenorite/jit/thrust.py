"""Algorithms over the elements of arrays in kernels, under the names of Thrust; their text is our
own. The thread that calls one runs it alone, whatever the policy says."""

import inspect

from tenorite.jit import _builtins
from tenorite.jit._types import BOOL, INT64, VOID, Constant, Iterator, Pointer, Tuple, Value

_NUMBERS = ("value", "init", "step", "old_value", "new_value", "incr")

# name: (arguments, what is returned, what is done); arguments in brackets may be left out. An
# argument's name as result: its type.
_TABLE = {
    "adjacent_difference": ("first last result", "result", "Differences of neighbours; the first element as it is"),
    "binary_search": ("first last value [values_last] [result]", "found", "Whether sorted elements have a value"),
    "copy": ("first last result", "result", "Copies elements"),
    "count": ("first last value", INT64, "How many elements equal a value"),
    "equal": ("first1 last1 first2", BOOL, "Whether two ranges have equal elements"),
    "equal_range": ("first last value", "first first", "Where a value begins and ends in sorted elements"),
    "exclusive_scan": ("first last result [init]", "result", "Sums of all elements before each one"),
    "exclusive_scan_by_key": ("first1 last1 first2 result [init]", "result", "Such sums within runs of equal keys"),
    "fill": ("first last value", VOID, "Stores a value into all elements"),
    "find": ("first last value", "first", "Where a value is first; the end if it is not there"),
    "gather": ("map_first map_last input_first result", "result", "Elements of an input by their numbers"),
    "inclusive_scan": ("first last result", "result", "Sums of all elements up to each one"),
    "inclusive_scan_by_key": ("first1 last1 first2 result", "result", "Such sums within runs of equal keys"),
    "inner_product": ("first1 last1 first2 init", "init", "The sum of products, and of init"),
    "is_sorted": ("first last", BOOL, "Whether no element is less than the one before it"),
    "is_sorted_until": ("first last", "first", "Where the first element is that is less than the one before it"),
    "lower_bound": (
        "first last value [values_last] [result]",
        "place",
        "Where in sorted elements a value may stand first",
    ),
    "make_constant_iterator": ("value", "made", "An iterator with one value in all places"),
    "make_counting_iterator": ("value [incr]", "made", "An iterator with a value, the value and one, and so on"),
    "mismatch": ("first1 last1 first2", "first1 first2", "Where two ranges differ first"),
    "reduce": ("first last [init]", "sum", "The sum of the elements, and of init"),
    "reduce_by_key": (
        "keys_first keys_last values_first keys_output values_output",
        "keys_output values_output",
        "Sums within runs of equal keys",
    ),
    "remove": ("first last value", "first", "Closes the gaps that elements of a value would leave"),
    "remove_copy": ("first last result value", "result", "Copies all elements but those of a value"),
    "replace": ("first last old_value new_value", VOID, "Stores a new value where an old one is"),
    "replace_copy": (
        "first last result old_value new_value",
        "result",
        "Copies elements, and replaces those of a value",
    ),
    "reverse": ("first last", VOID, "Puts elements in the opposite order"),
    "reverse_copy": ("first last result", "result", "Copies elements in the opposite order"),
    "scatter": ("first last map result", VOID, "Stores elements by their numbers in the result"),
    "sequence": ("first last [init] [step]", VOID, "Stores 0, 1, 2 and so on, or from init on by steps"),
    "set_difference": ("first1 last1 first2 last2 result", "result", "Sorted elements that the first range has alone"),
    "set_difference_by_key": (
        "keys_first1 keys_last1 keys_first2 keys_last2 values_first1 values_first2 keys_result values_result",
        "keys_result values_result",
        "Sorted keys that the first range has alone, and their values",
    ),
    "set_intersection": ("first1 last1 first2 last2 result", "result", "Sorted elements that both ranges have"),
    "set_intersection_by_key": (
        "keys_first1 keys_last1 keys_first2 keys_last2 values_first1 keys_result values_result",
        "keys_result values_result",
        "Sorted keys that both ranges have, and the first's values",
    ),
    "set_symmetric_difference": (
        "first1 last1 first2 last2 result",
        "result",
        "Sorted elements that one of two ranges has alone",
    ),
    "set_symmetric_difference_by_key": (
        "keys_first1 keys_last1 keys_first2 keys_last2 values_first1 values_first2 keys_result values_result",
        "keys_result values_result",
        "Sorted keys that one of two ranges has alone, and their values",
    ),
    "set_union": ("first1 last1 first2 last2 result", "result", "Sorted elements of either range"),
    "set_union_by_key": (
        "keys_first1 keys_last1 keys_first2 keys_last2 values_first1 values_first2 keys_result values_result",
        "keys_result values_result",
        "Sorted keys of either range, and their values",
    ),
    "sort": ("first last", VOID, "Sorts elements"),
    "sort_by_key": ("keys_first keys_last values_first", VOID, "Sorts keys, and their values with them"),
    "stable_sort": ("first last", VOID, "Sorts elements; equal ones keep their order"),
    "stable_sort_by_key": (
        "keys_first keys_last values_first",
        VOID,
        "Sorts keys, and their values with them; equal ones keep their order",
    ),
    "swap_ranges": ("first1 last1 first2", "first2", "Exchanges the elements of two ranges"),
    "unique": ("first last", "first", "Keeps the first of each run of equal elements"),
    "unique_by_key": (
        "keys_first keys_last values_first",
        "keys_first values_first",
        "Keeps the first of each run of equal keys, and its value",
    ),
    "upper_bound": ("first last value [values_last] [result]", "place", "Where in sorted elements a value ends"),
}

_DOC = """{what}.

Parameters
----------
{parameters}

Returns
-------
{returns}

See Also
--------
tenorite.jit.thrust.sort : With an example of a call.

Examples
--------
>>> from tenorite import jit
>>> @jit.rawkernel()
... def sort(x, where):
...     jit.thrust.sort(jit.thrust.seq, x.begin(), x.end())
...     where[0] = jit.thrust.find(jit.thrust.seq, x.begin(), x.end(), 2) - x.begin()
>>> x, where = tenorite.array([3, 1, 2]), tenorite.zeros(1, int)
>>> sort[1, 1](x, where)
>>> x, where
(array([1, 2, 3]), array([1]))
"""


class _Policy:
    """How an algorithm runs: under each policy the thread that calls it runs it."""

    def __init__(self, name):
        self.__name__ = name

    def __repr__(self):
        return f"<policy {self.__name__} of thrust>"


def _given(env, algorithm, name, value):
    """An argument: an iterator, or a number."""
    value = env.value(value)
    is_place = isinstance(value.type, (Pointer, Iterator))
    if name in _NUMBERS:
        if is_place and name == "value":  # values that are looked for
            return value
        return _builtins.number(env, value)
    if not is_place:
        raise TypeError(f"thrust.{algorithm}: {name} must be an iterator, as x.begin() is one, not a {value.type}")
    return value


def _result(algorithm, result, given):
    """The type of what an algorithm returns."""
    if not isinstance(result, str):
        return result
    if result == "made":
        item = given["value"].type
        return Iterator(f"tni_thrust::counting<{item}>", item)
    if result == "sum":
        return given["init"].type if "init" in given else given["first"].type.item
    if result in ("found", "place"):
        if "result" in given:
            return given["result"].type
        return BOOL if result == "found" else _walking(given["first"].type)
    types = [given[name].type for name in result.split()]
    return _walking(types[0]) if len(types) == 1 else Tuple(map(_walking, types))


def _walking(type_):
    """The type of an iterator that has gone on: how many elements follow is not known."""
    return Pointer(type_.item) if isinstance(type_, Pointer) else type_


def _emitter(algorithm, names, least, result):
    is_made = result == "made"

    def emit(env, *args, **kwargs):
        args = list(args)
        if not is_made:
            policy = args.pop(0) if args else kwargs.pop("exec_policy", None)
            if not isinstance(policy, Constant) or not isinstance(policy.value, _Policy):
                raise TypeError(f"thrust.{algorithm}: the first argument must be a policy: thrust.seq, thrust.device")
        if len(args) > len(names) or set(kwargs) - set(names[len(args) :]):
            raise TypeError(f"thrust.{algorithm} takes ({'' if is_made else 'exec_policy, '}{', '.join(names)})")
        kwargs.update(zip(names, args))
        if any(name not in kwargs for name in names[:least]) or len(kwargs) == 4 and "values_last" in kwargs:
            raise TypeError(f"thrust.{algorithm} takes ({'' if is_made else 'exec_policy, '}{', '.join(names)})")
        given = {name: _given(env, algorithm, name, kwargs[name]) for name in names if name in kwargs}
        if "incr" in given:
            given["incr"] = _builtins.number(env, kwargs["incr"], given["value"].type)
        env.add_preamble("#include <tenorite/thrust.cuh>")
        texts = [] if is_made else ["tni_thrust::seq()"]
        text = f"tni_thrust::{algorithm}({', '.join([*texts, *(one.text for one in given.values())])})"
        type_ = _result(algorithm, result, given)
        return env.command(text) if type_ == VOID else Value(text, type_, False)

    return emit


def _document(name):
    arguments, result, what = _TABLE[name]
    lines = (
        []
        if result == "made"
        else ["exec_policy : thrust.seq, thrust.device or thrust.host", "    Of no effect: the thread runs it alone."]
    )
    for one in arguments.split():
        plain = one.strip("[]")
        kind = "number" if plain in _NUMBERS else "iterator"
        lines += [
            f"{plain} : {kind}{', optional' if plain != one else ''}",
            "    A number." if kind == "number" else "    A place, as ``x.begin()`` or ``x.end()``.",
        ]
    if result == VOID:
        returns = "None"
    elif isinstance(result, str) and len(result.split()) > 1:
        returns = "tuple of two iterators"
    else:
        returns = "number" if result in (BOOL, INT64, "init", "sum") else "iterator"
    return _DOC.format(what=what, parameters="\n".join(lines), returns=returns)


def _make(name):
    arguments, result, _ = _TABLE[name]
    names = [one.strip("[]") for one in arguments.split()]
    least = sum("[" not in one for one in arguments.split())
    first = [] if result == "made" else ["exec_policy"]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(one, kind) for one in [*first, *names[:least]]]
    parameters += [inspect.Parameter(one, kind, default=None) for one in names[least:]]

    def signature():
        """What inspect.signature() reads."""

    signature.__signature__ = inspect.Signature(parameters)
    return _builtins.Builtin(name, _emitter(name, names, least, result), _document(name), signature)


globals().update({name: _make(name) for name in _TABLE})
seq, device, host = map(_Policy, ("seq", "device", "host"))

__all__ = [*_TABLE, "device", "host", "seq"]
