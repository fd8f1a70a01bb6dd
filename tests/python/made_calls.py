"""Calls that are made up: any function that NumPy and Tenorite share, with arguments of many kinds.

A call is a line of text, as `m.take(A["f4 2x3"], [0, 1], axis=1)`, in which `m` is the module
and A the arrays. It depends on the name of the function and a number alone, so a line that
disagrees can be run again. What is chosen for a parameter depends on its name. ON_PURPOSE says
where our functions differ from NumPy's, and why.
"""

import ast
import inspect
import random
import re

import numpy as np
import tenorite as tn
from oracle import disagreement, outcome, same_kind

# --- Arrays ---


def _filled(dtype, shape):
    values = np.arange(1, 1 + int(np.prod(shape))).reshape(shape)
    if dtype == "?":
        return np.asarray(values % 3 == 0)
    values = values % 7 - (0 if dtype[0] == "u" else 3)
    return np.asarray(values + (0.5j if dtype[0] == "c" else 0.25 if dtype[0] == "f" else 0), dtype)


_SHAPES = {"0-d": (), "0": (0,), "1": (1,), "3": (3,), "2x3": (2, 3), "3x3": (3, 3), "0x3": (0, 3), "2x1x3": (2, 1, 3)}
HOST = {
    f"{dtype} {name}": _filled(dtype, shape)
    for dtype in ("?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
    for name, shape in _SHAPES.items()
}
HOST |= {
    "f8 strided": np.arange(12.0).reshape(3, 4)[:, ::-2],
    "f4 F": np.asfortranarray(_filled("f4", (2, 3))),
    "f8 nan": np.array([1.0, np.nan, -np.inf, 2.0]),
    "i8 index": np.array([0, 1, 0]),
    "i8 out": np.array([0, 9]),
    "i4 sorted": np.arange(4, dtype="i4"),
    "f8 3x3 far": np.array([[1e300, 2, 3], [4, -5, 6.0], [7, 8, 1e-300]]),
}
_ARRAYS = [f'A["{name}"]' for name in HOST]
_PLAIN = [f'A["{dtype} {shape}"]' for dtype in ("i8", "f8", "f4") for shape in ("3", "2x3", "3x3")]

# --- What is given for a parameter ---

_ODD = [
    "None",
    "'abc'",
    "1.5",
    "True",
    "-1",
    "0",
    "2",
    "2j",
    "(0, 1)",
    "[0, 1]",
    "()",
    "np.float32(2)",
    "np.int8(1)",
    "17",
    "3.0",
    "-7",
    *_PLAIN[:3],
]
_AXIS = ["None", "0", "1", "-1", "2", "-4", "(0,)", "(0, 1)", "(0, 0)", "1.0", "np.int64(0)"]
_DTYPE = ["'f4'", "'f8'", "int", "bool", "'c16'", "'i1'", "None", "'u8'", "'abc'", "np.float16"]
_BOOL = ["True", "False", "None", "1", "0"]
_INT = ["0", "1", "2", "-1", "3", "1.0", "None", "np.int8(2)", "True"]
_SHAPE = ["()", "3", "(2, 3)", "(-1,)", "(3, -1)", "[6]", "(0,)", "-1", "(1, 6)", "None", "2.0", "np.int64(3)"]
_LIST = ["[{0}, {1}]", "({0}, {1})", "[{0}]", "[]", "{0}"]
_SCALAR = ["0", "1.5", "2", "-3", "2j", "True", "np.float32(1.5)", "np.int8(-2)", "float('nan')"]
_INDEX = [
    "0",
    "1",
    "-1",
    "[0, 1]",
    "[]",
    'A["i8 index"]',
    'A["i8 out"]',
    'A["? 3"]',
    'A["f8 3"]',
    "[0.0]",
    "9",
    "(0, 1)",
]
_BY_NAME = {
    "axis axes axis1 axis2 axisa axisb axisc source destination": _AXIS,
    "dtype": _DTYPE,
    "keepdims copy subok endpoint retstep increasing return_index return_inverse return_counts equal_nan returned "
    "assume_unique invert include_initial sparse right rowvar bias wrap discont deg sorted hermitian density": _BOOL,
    "k n N M offset decimals ndim ddof start num nx ny kth shift edge_order deg m step ndmin correction tol sections": _INT,
    "shape newshape new_shape dims reps": _SHAPE,
    "indices indices_or_sections ind repeats obj": _INDEX,
    "order": ["'C'", "'F'", "'A'", "'K'", "'Z'", "None"],
    "mode": ["'raise'", "'wrap'", "'clip'", "'abc'", "'constant'", "'edge'", "'same'", "'full'"],
    "casting": ["'same_kind'", "'unsafe'", "'no'", "'safe'", "'abc'"],
    "kind": ["None", "'stable'", "'quicksort'"],
    "side": ["'left'", "'right'", "'abc'"],
    "ord": ["None", "1", "2", "np.inf", "'fro'", "0", "-1", "0.5"],
    "arrays arys tup seq choicelist condlist choices operands args xi array_list": _LIST,
    "fill_value rtol atol base dx period nan posinf neginf val value": _SCALAR,
    "pad_width": ["1", "(1, 2)", "((1, 0), (0, 1))", "0", "-1", "1.5"],
}
_BY_NAME = {name: values for names, values in _BY_NAME.items() for name in names.split()}
# What writes files, runs functions, is random, waits, or has no result that could be compared.
_LEFT_OUT = set(
    "save savez savez_compressed savetxt load loadtxt genfromtxt fromfile fromregex memmap DataSource show_config "
    "set_printoptions printoptions get_printoptions seterr seterrcall geterr geterrcall errstate setbufsize getbufsize "
    "empty empty_like from_dlpack fromDlpack frombuffer fromiter fromstring fromfunction apply_along_axis info test "
    "apply_over_axes piecewise vectorize frompyfunc array_repr array_str array2string may_share_memory shares_memory "
    "byte_bounds broadcast nditer nested_iters ndindex ndenumerate iterable asarray_chkfinite dtype require format_float_positional "
    "format_float_scientific finfo iinfo mgrid ogrid einsum einsum_path bytes dump dumps tofile tobytes getfield setfield "
    "show_runtime busday_count busday_offset is_busday datetime_as_string isnat poly polyfit roots tolist item resize setflags view data mintypecode issubdtype put_along_axis asnumpy copyto place put putmask fill_diagonal".split()
)


# Of linalg: what decomposes no matrix, of which signs, orders and last places are as they come.
_OF_LINALG = set(
    "cross diagonal matmul matrix_norm matrix_power matrix_transpose multi_dot norm outer tensordot trace vecdot "
    "vector_norm".split()
)


def functions():
    """{name: NumPy's function} of what both have: functions, those of linalg, and methods."""
    found = {}
    for prefix, theirs, ours in (("m.", np, tn), ("m.linalg.", np.linalg, tn.linalg), ("a.", np.ndarray, tn.ndarray)):
        for name in dir(theirs):
            one = getattr(theirs, name)
            is_method = prefix == "a."
            if prefix == "m.linalg." and name not in _OF_LINALG:
                continue
            if (
                name[0] == "_"
                or name in _LEFT_OUT
                or not hasattr(ours, name)
                or not callable(one)
                or isinstance(one, type)
            ):
                continue
            if is_method and not callable(getattr(ours, name)):
                continue
            found[prefix + name] = one
    return found


def _parameters(name, function):
    if isinstance(function, np.ufunc):
        return [f"x{k}" for k in range(function.nin)], ["dtype", "casting", "order"]
    try:
        listed = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ["a"], ["axis"]
    listed = [
        one for one in listed if one.name not in ("self", "out", "like", "device", "where", "initial", "signature")
    ]
    must = [one.name for one in listed if one.default is one.empty and one.kind != one.VAR_KEYWORD]
    return must, [one.name for one in listed if one.name not in must and one.kind != one.VAR_KEYWORD]


def _value(pick, parameter, first):
    if pick.random() < 0.06:
        return pick.choice(_ODD)
    known = _BY_NAME.get(parameter)
    if known is None or first and known not in (_LIST, _SHAPE):
        return pick.choice(_PLAIN if pick.random() < 0.4 else _ARRAYS)
    return pick.choice(known).format(pick.choice(_PLAIN), pick.choice(_ARRAYS))


def line(name, function, number):
    """The call of this number, as text."""
    pick = random.Random(f"{name} {number}")
    must, may = _parameters(name, function)
    is_method = name.startswith("a.")
    given = [_value(pick, one, k == 0 and not is_method) for k, one in enumerate(must)]
    given += [f"{one}={_value(pick, one, False)}" for one in may if pick.random() < min(0.5, 1.5 / len(may))]
    text = f"{name}({', '.join(given)})"
    return text.replace("a.", f"{pick.choice(_ARRAYS)}.", 1) if is_method else text


# --- Comparison ---


def differs(text):
    """How the call differs from NumPy's: a text, or None; also None where that is on purpose."""
    compiled = compile(text, text, "eval")
    ours = {"m": tn, "np": np, "A": {key: tn.array(one) for key, one in HOST.items() if f'"{key}"' in text}}
    theirs = {"m": np, "np": np, "A": {key: one.copy(order="K") for key, one in HOST.items() if f'"{key}"' in text}}
    found = disagreement(lambda: eval(compiled, ours), lambda: eval(compiled, theirs), 16, False)
    if found is None or why(text, found):
        return None
    failed = outcome(lambda: eval(compiled, ours))[1]
    if failed is not None and outcome(lambda: eval(compiled, theirs))[1] is not None:
        return None if _is_of_another(text, failed, theirs) else found
    return found


def _is_of_another(text, failed, theirs):
    """Whether more than one argument is wrong, and our exception is that of another than NumPy
    named: NumPy's, too, once a keyword is left out."""
    for k in range(len(ast.parse(text, mode="eval").body.keywords)):
        call = ast.parse(text, mode="eval")
        del call.body.keywords[k]
        refused = outcome(lambda call=call: eval(compile(call, text, "eval"), theirs))[1]
        if refused is not None and same_kind(failed, refused):
            return True
    return False


def why(text, found):
    """The reason for which a call may differ so, or None."""
    return next((reason for call, how, reason in ON_PURPOSE if re.search(call, text) and re.search(how, found)), None)


_NOT_MOVED = "data of the host comes to the device where the program says so, as in CuPy"
_TRUTH = "keepdims and subok are whatever has a truth"
_REAL = "variances are real, whatever dtype= says, and a complex dtype has no NaN in its imaginary part"
# (what the call's text must match, what the difference's text must match, why).
ON_PURPOSE = [
    (
        r"",
        r"raised TypeError\(.Unsupported type <class '(list|tuple|int|float|bool|complex|numpy\.\w+|NoneType|str)'>",
        _NOT_MOVED,
    ),
    (r"", r"Implicit conversion to a NumPy array is not allowed", _NOT_MOVED),
    (r"(keepdims|subok)=", r"did not raise TypeError\(.*(interpreted as an integer|integer argument expected)", _TRUTH),
    (r"(std|var)\(", r"dtype float\d+ for (u?int|bool)|nan\+0j|differ.*nan.* for .*0\.0|of \d+ differ", _REAL),
    (r"(mean|average)\(", r"nan\+0j.* for .*nan\+nanj", _REAL),
    (r"(std|var)\(", r"did not raise UFuncTypeError\(<ufunc '(sqrt|true_divide|divide|subtract)'", _REAL),
    (r"correction=None|ddof=", r"did not raise|must be real number, not complex", "correction=None is no correction"),
    (r"cov\(.*weights=(True|-?\d|A\[.\S+ 0-d)", r"for IndexError", "weights have one dimension"),
    (
        r"linalg\.cross\(",
        r"raised ValueError\('At least one array has zero dimension'\) for IndexError",
        "a scalar has no vectors, in NumPy since 2.5",
    ),
    (r"linalg\.cross\(.*axis=None", r"raised TypeError\(.* for ValueError", "no axis is no number, in NumPy up to 2.4"),
    (
        r"interp\(.*period=",
        r"raised ValueError\('array of sample points is empty'\)$",
        "no points give nothing to no places, in NumPy since 2.5",
    ),
    (r"(bartlett|blackman|hamming|hanning|kaiser)\(", r"", "the size of a window is one number"),
    (r"(keepdims|subok)=", r"raised ValueError\('The truth value of an (empty )?array", _TRUTH),
    (r"axis=\(0, [01]\)", r"raised TypeError\(.'tuple' object cannot be", "one axis is an int, looked at first"),
    (r"(stack|diff)\(.*(axis|dtype)=", r"raised TypeError\(", "axis and dtype are looked at before the arrays"),
    (r"arange\(|diag_indices\(", r"raised TypeError\('only 0-dimensional arrays", "several elements are no number"),
    (r"bincount\(", r"raised TypeError\('only integer scalar arrays", "the parameters are read before the array"),
    (
        r"isdtype\(A",
        r"raised ValueError\('The truth value",
        "the function is NumPy's own, which compares what it is given",
    ),
    (r"cross\(", r"raised (ValueError\('repeated axis|AxisError.*'source')", "the axes are those of moveaxis"),
    (r"expand_dims\(", r"raised ValueError\('repeated axis", "an array is a sequence of axes"),
    (r"linspace\(.*axis=A|n=True, axis=", r"raised TypeError\(", "the axis is looked at first"),
    (r"unravel_index\(A", r"dimensions are too large.* for TypeError", "sizes are looked at first"),
    (r"vecdot\(", r"for (UFuncTypeError|ValueError)", "shapes are looked at before dtypes, and the axis before shapes"),
    (r"\.any\(axis=A", r"duplicate value in 'axis'", "an array is a sequence of axes"),
    (r"rollaxis\(|array_split\(", r"AxisError\(0, 0", "a scalar is an array without axes"),
    (r"trim_zeros\(", r"for AttributeError", "the axis is looked at first"),
    (r"std\(.*(ddof|correction)=", r"for ValueError\('The truth", "ddof is one number"),
    (r"insert\(.*\[0\.0\]", r"raised IndexError\('arrays used as indices", "a list of one index is as one of two"),
    (
        r"interp\(",
        r"TypeError\(.(x and xp must be real|Cannot cast|must be real)|can only convert an array of size 1",
        "numbers are read before shapes",
    ),
    (
        r"(percentile|quantile)\(",
        r"raised TypeError\(.(unhashable|'float' object is not|ufunc 'floor')",
        "axis and method are read first",
    ),
    (r"ravel_multi_index\(A", r"raised TypeError\(.*is not iterable", "sizes are a sequence or an int"),
    (r"select\(", r"raised TypeError\('invalid entry 0 in condlist", "conditions are looked at before shapes"),
    (r"split\(|unstack\(|take_along_axis\(", r"for (Attribute|Index)Error", "a scalar is an array without axes"),
    (r"take\(.*mode=1", r"raised ValueError\(.clipmode must be", "any other mode is a wrong value"),
    (r"partition\(", r"raised TypeError\('Partition index must be", "the places are read first"),
    (r"tile\(", r"raised TypeError\(.'list' object", "counts are one sequence of ints"),
    (r"tri[lu]\(", r"Input must be at least 1-d", "the refusal says what is wrong"),
    (r"searchsorted\(", r"sorter.size must equal", "the sorter is one sequence of places"),
    (r"\.std\(|\.var\(", r"only 0-dimensional arrays .* for AxisError", "ddof is read first"),
    (r"logical_(and|or|xor)\(.*casting='(no|equiv)'", r"Cannot cast ufunc", "their loops are of one dtype"),
    (r"(ldexp|cos)\(.*dtype=", r"did not raise", "dtype= of a ufunc is that of its loop"),
    (r"\(0,\)", r"did not raise AxisError\(0, 0, None\)", "an array without axes has an axis 0 where it has an axis=0"),
    (r"axis\w*=\(0,\)", r"did not raise TypeError|raised TypeError", "one axis is an int"),
    (r"True", r"an integer is required, not a bool", "a bool is no axis"),
    (r"vector_norm\(.*axis=", r"did not raise AxisError|must be None, an integer", "as norm has it"),
    (r"average\(", r"did not raise ZeroDivisionError", "the average of nothing is NaN"),
    (r"min_scalar_type\(", r"dtype\(", "the value of an array is not read"),
    (r"(zeros|ones|full)_like\(", r"did not raise TypeError", _TRUTH),
    (r"(arg)?partition\(.*kind=None", r"did not raise", "kind=None is the usual kind"),
    (r"astype\(.*subok=", r"did not raise", _TRUTH),
    (r"can_cast\(.*None", r"did not raise", "None is the usual dtype"),
    (r"nan_to_num\(", r"did not raise TypeError", "a complex number loses its imaginary part"),
    (r"setxor1d\(", r"dtype", "scalars are arrays of their own dtype"),
    (r"unique(_values)?\(", r"differ", "the order is not promised"),
    (r"linspace\(.*retstep", r"for nan$", "a step for each pair of bounds, also where there is none"),
    (r"linspace\(|logspace\(|geomspace\(", r"of \d+ differ", "the last places of values near zero"),
    (r"digitize\(", r"did not raise TypeError", "complex numbers have an order"),
    (r"tile\(", r"negative dimensions", "nothing is repeated less than no times"),
    (r"reshape\(.*None", r"sequence of integers", "NumPy is about to refuse it, too"),
    (r"repeat\(", r"AxisError", "an array without axes has no axis to repeat"),
    (
        r"casting='(no|safe|equiv)'|dtype='u8'|absolute\(|abs\(",
        r"did not raise UFuncTypeError",
        "a scalar of Python's takes any dtype that can hold it",
    ),
    (r"abs(olute)?\(.*dtype=", r"Cannot cast ufunc", "dtype= of a ufunc is that of its loop"),
    (r"angle\(", r"dtype", "a bool is a small number"),
    (r"copy=|subok=", r"did not raise ValueError\(.(strings|Unable|The truth)", "copy is whatever has a truth"),
    (r"choose\(|\.take\(|searchsorted\(", r"Cannot cast", "indices are cast as in take, to int64"),
    (r"diff\(.*n=0", r"raised TypeError", "an axis is looked at, also where nothing is done"),
    (r"(eye|triu_indices|tril_indices|tri)\(", r"", "sizes and diagonals are ints"),
    (r"tri[ul]\w*\(", r"'float' object cannot be", "sizes and diagonals are ints"),
    (r"nan_to_num\(", r"dtype complex", "arrays as replacements promote"),
    (r"ravel_multi_index\(\(\)|ravel_multi_index\(.*\(\)", r"", "no axes have no index"),
    (r"rollaxis\(", r"raised TypeError", "a place is an int"),
    (r"unravel_index\(", r"only 'C' or 'F'", "order=None is no order"),
    (r"nanstd|nanvar", r"must be real number", "ddof is a number"),
    (r"norm\(", r"must be None, an integer", "an axis is an int"),
    (
        r"(poly\w*|roots)\(",
        r"did not raise TypeError|raised ValueError|did not raise (Value|Index)Error",
        "a scalar is a polynomial, and coefficients have one dimension",
    ),
    (r"median\(.*overwrite_input=", r"did not raise ValueError", "overwrite_input is whatever has a truth"),
    (
        r"(percentile|quantile)\(",
        r"did not raise (ValueError\(.zero-size|TypeError\(.Partition)",
        "no shares give no values, and a share may be an integer of any dtype",
    ),
    (r"m\.astype\(np|^m\.[a-z0-9_]*\((np\.|-?\d|True)", r"is no array", "a scalar of NumPy stays NumPy's"),
]
