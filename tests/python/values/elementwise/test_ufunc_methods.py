"""What ufunc objects take besides inputs, and their methods, against NumPy."""

import functools
import itertools

import numpy as np
import pytest
import tenorite as tn
from generator import BINARY, DTYPES, ON_GPU, POWERS, both, grid, ordinary, ulp_bound, value_bound
from oracle import Report, assert_same, disagreement, settle, to_ours

pytestmark = pytest.mark.quick

# NumPy lets ldexp be folded, through a float exponent; we do not.
FOLDS = [name for name in BINARY if getattr(tn, name).nout == 1 and name != "ldexp"]
SHORT = ("bool", "int8", "uint32", "int64", "float16", "float32", "float64", "complex64")


def same(ours, theirs, ulp=0, zero_sign=True):
    text = disagreement(ours, theirs, ulp, zero_sign)
    assert text is None, text


# --- out=, where=, dtype=, casting=, order= ---


@pytest.mark.parametrize("form", ["keyword", "tuple", "positional"])
def test_out(form):
    x, a = both(grid("float32"))
    out, made = np.zeros((7, 9)), tn.zeros((7, 9))

    def call(module, value, result):
        if form == "positional":
            return module.sqrt(value, result)
        return module.sqrt(value, out=result if form == "keyword" else (result,))

    same(lambda: call(tn, a, made), lambda: call(np, x, out))
    assert call(tn, a, made) is made


def test_out_of_other_shapes_dtypes_and_layouts():
    report = Report()
    for dtype, result in itertools.product(SHORT, SHORT):
        x, a = both(grid(dtype))
        for layout in ("contiguous", "fortran", "strided", "negative", "unaligned"):
            out, made = both(np.zeros((7, 9), result), layout)
            report.check(f"{dtype} to {result} {layout}", lambda: tn.add(a, a, out=made), lambda: np.add(x, x, out=out))
            report.check(f"then {dtype} to {result} {layout}", lambda: made, lambda: out)
    for shape in [(9,), (7, 1), (2, 7, 9), (1, 7, 9), (), (7, 8)]:
        x, a = both(grid("float64"))
        report.check(f"{shape}", lambda: tn.sqrt(a, out=tn.zeros(shape)), lambda: np.sqrt(x, out=np.zeros(shape)))
    report.close()


def test_two_outputs():
    report = Report()
    for name, dtype in itertools.product(["modf", "frexp", "divmod"], ("float16", "float32", "float64")):
        x = ordinary(dtype, 50)
        a = tn.array(x)
        ours, theirs = getattr(tn, name), getattr(np, name)
        inputs, mine = ([x, x[::-1]], [a, a[::-1]]) if theirs.nin == 2 else ([x], [a])
        second = "i4" if name == "frexp" else dtype
        forms = {
            "none": lambda xp: {},
            "both": lambda xp: {"out": (xp.zeros(50, dtype), xp.zeros(50, second))},
            "first": lambda xp: {"out": (xp.zeros(50, dtype), None)},
            "second": lambda xp: {"out": (None, xp.zeros(50, second))},
            "one": lambda xp: {"out": xp.zeros(50, dtype)},
            "short tuple": lambda xp: {"out": (xp.zeros(50, dtype),)},
        }
        for label, form in forms.items():
            report.check(
                f"{name} {dtype} {label}", lambda: ours(*mine, **form(tn)), lambda: theirs(*inputs, **form(np))
            )
    report.close()


def test_outputs_given_are_returned():
    a = tn.arange(4.0)
    first, second = tn.empty(4), tn.empty(4)
    results = tn.modf(a, out=(first, second))
    assert results[0] is first and results[1] is second
    assert tn.divmod(a, 2.0, out=(None, second))[1] is second


def test_where():
    report = Report()
    for dtype, layout in itertools.product(SHORT, ("contiguous", "fortran", "negative", "broadcast rows")):
        x, a = both(grid(dtype), layout)
        mask, m = both(grid("bool"))
        for label, (host, ours) in {
            "mask": (mask, m),
            "row": (mask[0], m[0]),
            "0-d": (mask[0, 0], m[0, 0]),
            "column": (mask[:, :1], m[:, :1]),
        }.items():
            out, made = np.ones((7, 9), dtype), tn.ones((7, 9), dtype)
            report.check(
                f"{dtype} {layout} {label}",
                lambda: tn.multiply(a, 2, out=made, where=ours),
                lambda: np.multiply(x, 2, out=out, where=host),
            )
    for value in (True, False):
        out, made = np.ones(3), tn.ones(3)
        report.check(
            f"{value}",
            lambda: tn.negative(tn.ones(3), out=made, where=value),
            lambda: np.negative(np.ones(3), out=out, where=value),
        )
    # A mask wider than the inputs makes the result wider.
    mask = np.ones((3, 4), bool)
    report.check(
        "wide", lambda: tn.negative(tn.ones(4), where=tn.array(mask)), lambda: np.negative(np.ones(4), where=mask)
    )
    report.check(
        "no mask",
        lambda: tn.negative(tn.ones(4), where=tn.arange(4)),
        lambda: np.negative(np.ones(4), where=np.arange(4)),
    )
    report.close()


def test_dtype_and_casting():
    report = Report()
    for dtype, wanted in itertools.product(SHORT, SHORT):
        x, a = ordinary(dtype, 20), tn.array(ordinary(dtype, 20))
        for casting in ("no", "equiv", "safe", "same_kind", "unsafe"):
            if casting == "unsafe" and np.dtype(dtype).kind in "fc" and np.dtype(wanted).kind in "biu":
                continue  # what such a cast gives is undefined
            for name in ("add", "divide", "less"):
                report.check(
                    f"{name} {dtype} as {wanted} {casting}",
                    lambda: getattr(tn, name)(a, a, dtype=wanted, casting=casting),
                    lambda: getattr(np, name)(x, x, dtype=wanted, casting=casting),
                    2,
                )
    report.check(
        "bad casting", lambda: tn.add(tn.ones(2), 1, casting="never"), lambda: np.add(np.ones(2), 1, casting="never")
    )
    report.close()


def test_order():
    """The layout of a result that is made: NumPy's strides."""
    for layout, order in itertools.product(("contiguous", "fortran", "transposed", "strided"), "CFAK"):
        x, a = both(grid("float64"), layout)
        assert tn.add(a, 1, order=order).strides == np.add(x, 1, order=order).strides, (layout, order)
    x, a = np.zeros((2, 3, 4)).transpose(1, 0, 2), tn.zeros((2, 3, 4)).transpose(1, 0, 2)
    assert tn.sin(a).strides == np.sin(x).strides


def test_bad_arguments():
    report = Report()
    x, a = np.ones(3), tn.ones(3)
    calls = {
        "no input": lambda m, v: m.add(v),
        "too many": lambda m, v: m.sin(v, v, v),
        "unknown keyword": lambda m, v: m.sin(v, axis=0),
        "out twice": lambda m, v: m.sin(v, v, out=v),
        "out a list": lambda m, v: m.sin(v, out=[v]),
        "out tuple too long": lambda m, v: m.sin(v, out=(v, v)),
        "shapes": lambda m, v: m.add(v, m.ones(4)),
        "out shape": lambda m, v: m.add(v, v, out=m.ones(4)),
        "read-only out": lambda m, v: m.add(v, v, out=m.broadcast_to(v, (2, 3))),
        "dtype": lambda m, v: m.sin(v, dtype="int8"),
    }
    for label, call in calls.items():
        report.check(label, lambda: call(tn, a), lambda: call(np, x))
    report.close()
    assert a.tolist() == [1, 1, 1]


# --- reduce, accumulate, reduceat, outer, at ---

RANDOM_BOUND = {"float16": 8, "float32": 16, "float64": 16, "complex64": 32}


def fold_values(name, dtype):
    """Values whose folds stay in range, so that the order of additions hardly counts."""
    values = ordinary(dtype, 6 * 8).reshape(6, 8)
    if np.dtype(dtype).kind in "fc" and name in ("multiply", "power", "float_power", "divide"):
        values = values / np.abs(values).clip(0.5) * 0.9
    return values.astype(dtype)


# Folds that depend on the order, in which NumPy reduces a contiguous last axis from another end.
ONE_BY_ONE = {"power", "float_power", "arctan2"}


def one_by_one(function, host, axis, keepdims):
    """function.reduce from left to right."""
    expected = function.reduce(host, axis=axis, keepdims=keepdims)
    if not isinstance(axis, int) or host.shape[axis] == 0:
        return expected
    slices = list(np.moveaxis(host, axis, 0).astype(expected.dtype))
    return functools.reduce(function, slices).reshape(expected.shape)


def fold_bound(name, dtype):
    return 0 if np.dtype(dtype).kind in "biu" and name != "divide" else RANDOM_BOUND.get(dtype, 16)


def chain_bound(name, x, axis, bound):
    """The bound for each running result along an axis. On a GPU a power may miss NumPy's by 2
    units, and the next exponent multiplies that."""
    is_exact = name == "power" and x.dtype.kind in "biu"
    if not ON_GPU or name not in POWERS or is_exact or not isinstance(axis, int) or x.shape[axis] == 0:
        return bound
    exponents = np.moveaxis(np.abs(x).astype(float), axis, 0)
    errors = [np.zeros(exponents.shape[1:])]
    with np.errstate(all="ignore"):
        for exponent in exponents[1:]:
            errors.append(errors[-1] * exponent + 2)
    return np.nan_to_num(bound + np.moveaxis(np.array(errors), 0, axis), nan=np.inf)


@pytest.mark.parametrize("name", FOLDS)
def test_reduce(name):
    ours, theirs = getattr(tn, name), getattr(np, name)
    reduce = one_by_one if name in ONE_BY_ONE else np.ufunc.reduce
    report = Report()
    for dtype in SHORT:
        if dtype == "float16" and name in ("floor_divide", "remainder"):
            continue  # each step rounds to half in NumPy, the result alone here
        host = fold_values(name, dtype)
        if name in ("power", "float_power"):
            host = np.abs(host)
        bound = max(fold_bound(name, dtype), 4 * ulp_bound(name, dtype))
        for layout, axis, keepdims in itertools.product(
            ("contiguous", "fortran", "negative", "empty"), (0, -1, None, (0, 1)), (False, True)
        ):
            x, a = both(host, layout)
            allowed = chain_bound(name, x, axis, bound)
            if np.ndim(allowed):
                allowed = allowed.take([-1] if keepdims else -1, axis)
            report.check(
                f"{dtype} {layout} {axis}",
                lambda: ours.reduce(a, axis=axis, keepdims=keepdims),
                lambda: reduce(theirs, x, axis=axis, keepdims=keepdims),
                allowed,
                False,
                any_error=True,
            )
    report.close()


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "logical_or", "bitwise_and", "hypot"])
def test_reduce_options(name):
    ours, theirs = getattr(tn, name), getattr(np, name)
    report = Report()
    for dtype in ("bool", "int8", "int64", "float32", "float64"):
        host = fold_values(name, dtype)
        x, a = both(host)
        mask, m = host.real > 0, tn.array(host.real > 0)
        forms = {
            "dtype": lambda xp, mask: {"dtype": "float64"},
            "initial": lambda xp, mask: {"initial": 3},
            "no initial": lambda xp, mask: {"initial": None},
            "where": lambda xp, mask: {"where": mask, "initial": 1},
            "where alone": lambda xp, mask: {"where": mask},
            "out": lambda xp, mask: {"out": xp.zeros(8)},
            "out shape": lambda xp, mask: {"out": xp.zeros(7)},
            "out tuple": lambda xp, mask: {"out": (xp.zeros(8),)},
        }
        for label, form in forms.items():
            report.check(
                f"{dtype} {label}",
                lambda: ours.reduce(a, axis=0, **form(tn, m)),
                lambda: theirs.reduce(x, axis=0, **form(np, mask)),
                64,
                False,
            )
    report.close()


@pytest.mark.parametrize("name", FOLDS)
def test_accumulate(name):
    ours, theirs = getattr(tn, name), getattr(np, name)
    report = Report()
    for dtype in SHORT:
        host = fold_values(name, dtype)
        if name in ("power", "float_power"):
            host = np.abs(host)
        bound = 4 * max(fold_bound(name, dtype), ulp_bound(name, dtype))
        for layout, axis in itertools.product(("contiguous", "fortran", "negative", "empty"), (0, 1, -1)):
            x, a = both(host, layout)
            report.check(
                f"{dtype} {layout} {axis}",
                lambda: ours.accumulate(a, axis=axis),
                lambda: theirs.accumulate(x, axis=axis),
                chain_bound(name, x, axis, bound),
                False,
            )
    report.close()


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "subtract", "bitwise_xor", "logical_and"])
def test_reduceat(name):
    ours, theirs = getattr(tn, name), getattr(np, name)
    report = Report()
    for dtype in SHORT:
        host = fold_values(name, dtype)
        for layout, axis in itertools.product(("contiguous", "fortran", "negative"), (0, 1, -1)):
            x, a = both(host, layout)
            for indices in ([0, 3, 5], [5, 2, 2, 0], [0], [], [0, 6], [-1]):
                at = np.array(indices, int)
                report.check(
                    f"{dtype} {layout} {axis} {indices}",
                    lambda: ours.reduceat(a, tn.array(at), axis=axis),
                    lambda: theirs.reduceat(x, at, axis=axis),
                    32,
                    False,
                    any_error=True,
                )
    report.close()


@pytest.mark.parametrize("name", BINARY)
def test_outer(name):
    ours, theirs = getattr(tn, name), getattr(np, name)
    report = Report()
    for first, second in (("int16", "int16"), ("float64", "float32"), ("bool", "uint8"), ("complex64",) * 2):
        x, y = ordinary(first, 6, 1), ordinary(second, 4, 2).reshape(2, 2)
        report.check(
            first,
            lambda: ours.outer(tn.array(x), tn.array(y)),
            lambda: theirs.outer(x, y),
            value_bound(name, x[:, None, None], y),
        )
        two = np.int8(2)  # NumPy's outer knows no weak scalars
        report.check(
            f"{first} scalar",
            lambda: ours.outer(tn.array(x), two),
            lambda: theirs.outer(x, two),
            value_bound(name, x, two),
        )
    report.close()


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "bitwise_or", "negative", "sqrt", "divide"])
def test_at(name):
    """Repeated indices count each time."""
    ours, theirs = getattr(tn, name), getattr(np, name)
    report = Report()
    random = np.random.default_rng(0)
    many = random.integers(-7, 7, 100)
    for dtype in SHORT:
        indices = {
            "repeated": (many, (many,)),
            "list": ([1, 1, 2], (np.array([1, 1, 2]),)),
            "mask": (random.random(7) < 0.5,) * 2,
            "pair": ((many, many % 9), None),
            "int": (3, None),
            "out of bounds": (np.array([0, 7]), None),
        }
        for label, (index, _) in indices.items():
            host = grid(dtype)
            x, a = host.copy(), tn.array(host)
            b = (2,) if theirs.nin == 2 else ()

            def mine(index):
                if isinstance(index, tuple):
                    return tuple(tn.array(one) for one in index)
                return tn.array(index) if isinstance(index, np.ndarray) else index

            report.check(
                f"{dtype} {label}",
                lambda: [ours.at(a, mine(index), *b), a][1],
                lambda: [theirs.at(x, index, *b), x][1],
                ulp_bound(name, dtype),
                False,
            )
    report.close()


S = np.s_
TWICE = np.array([[1, 1, 0], [2, 1, -1]])
ROWS = np.array([True, False, True])
# Of an array of shape (3, 4, 5).
MIXED = [
    S[1],
    S[-1, 2],
    S[1, 2, 3],
    S[()],
    S[...],
    S[:],
    S[1:],
    S[::-2],
    S[:, 1],
    S[None],
    S[..., None, 2],
    S[2:1],
    S[True],
    S[False],
    S[True, 1],
    S[..., True],
    S[:, [1, 1, 3]],
    S[..., [0, 0, 4]],
    S[1:, [1, 1]],
    S[::-1, ::2, [1, 1, 0]],
    S[None, [2, 2]],
    S[[0, 0], None],
    S[1, [1, 1, 2]],
    S[[1, 1, 2], 1],
    S[1, :, [1, 1, 2]],
    S[[1, 1, 2], :, 1],
    S[:, 1, [2, 2]],
    S[1, None, [1, 1]],
    S[TWICE],
    S[:, TWICE],
    S[TWICE, TWICE],
    S[TWICE, :, TWICE],
    S[:, TWICE, TWICE],
    S[TWICE, 1:, 0],
    S[0, ..., TWICE],
    S[1, ..., TWICE, None],
    S[np.array(1)],
    S[:, np.array(1)],
    S[[0, 0], np.array(1)],
    S[1, :, np.array(2)],
    S[ROWS],
    S[ROWS, 1],
    S[ROWS, :, [0, 0]],
    S[:, [0, 0], [1, 1]],
    S[ROWS, None, [1, 1]],
    S[np.ones((3, 4), bool)],
    S[np.eye(3, 4, dtype=bool), 1:],
    S[:, np.eye(4, 5, dtype=bool)],
    S[1, np.eye(4, 5, dtype=bool)],
    S[True, [1, 1]],
    S[False, [1, 1]],
    S[[], 1],
    S[[0, 9]],
    S[1, :, [0, 9]],
    S[5],
    S[ROWS[:2]],
    S[[0, 1], [0, 1, 2]],
    S[1, 1, 1, 1],
    S[0.5],
    S["a"],
    S[..., ...],
]


@pytest.mark.parametrize("name", ["add", "subtract", "negative"])
@pytest.mark.parametrize("layout", ["contiguous", "transposed", "negative"])
def test_at_mixed_indices(name, layout):
    """Slices, new axes, integers, arrays and masks in one index."""
    report = Report()
    mine, theirs = getattr(tn, name), getattr(np, name)
    host = np.arange(60).reshape(3, 4, 5) % 7
    if layout == "transposed":
        host = np.ascontiguousarray(host.T).T
    for dtype, index in itertools.product(("int64", "float32"), MIXED):
        try:
            shape = host[index].shape
        except IndexError:
            shape = ()
        values = [()]
        if theirs.nin == 2:
            whole = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 5
            values = [(2,), (whole.astype(dtype),), (whole[..., :1].astype("float64"),)] if shape else [(2,), (whole,)]
        for b in values:
            x = host.astype(dtype)
            a = tn.array(x)
            if layout == "negative":
                x, a = x[::-1], a[::-1]
            report.check(
                f"{dtype} {index!r} {b}",
                lambda: [mine.at(a, to_ours(index), *to_ours(b)), a][1],
                lambda: [theirs.at(x, index, *b), x][1],
            )
    report.close(100)


def test_at_host_values():
    """Lists and NumPy's arrays as the second operand."""
    report = Report()
    for dtype, b in itertools.product(
        ("int64", "float32", "float64"),
        (
            [1.0, 2.0],
            (3, 4),
            [1.5, -2.5],
            np.arange(2),
            np.ones(2, "f4"),
            np.array(2.5),
            np.float32(2),
            [[1], [2]],
            [1, 2, 3],
        ),
    ):
        for index in ([0, 0], S[:2], np.array([1, 1]), [2, -1]):
            x, a = np.arange(3).astype(dtype), tn.arange(3).astype(dtype)
            report.check(
                f"{dtype} {index} {b!r}",
                lambda: [tn.add.at(a, to_ours(index), b), a][1],
                lambda: [np.add.at(x, (index,), b), x][1],
            )
    report.close()
    for b in (None, "1", {1: 2}):
        with pytest.raises(TypeError, match="Unsupported type"):
            tn.add.at(tn.zeros(3), [0], b)


def test_scatter():
    """CuPy's methods: ufunc.at by other names."""
    for name, function in {"scatter_add": np.add, "scatter_max": np.maximum, "scatter_min": np.minimum}.items():
        x = np.arange(60.0).reshape(3, 4, 5) - 30
        for index, b in [
            ([0, 0], 1.0),
            (S[1:, [1, 1]], [[1.0], [2.0]]),
            (S[1], np.ones(5)),
            (S[..., None, 2], 2),
            (S[ROWS, :, 1], [1.0, 2.0, 3.0, 4.0]),
            (S[1, :, TWICE], -1.0),
        ]:
            a, expected = tn.array(x), x.copy()
            assert getattr(a, name)(to_ours(index), b) is None
            function.at(expected, index, b)
            assert_same(a, expected)
    a = tn.zeros(4)
    a.scatter_add([0, 1, 1], [1.0, 2.0, 3.0])
    assert a.tolist() == [1, 5, 0, 0]


def test_at_messages():
    a = tn.zeros((3, 4, 5))
    for index, b, kind, text in [
        (S[1, [0, 9]], 1, IndexError, "index 9 is out of bounds for axis 1 with size 4"),
        (S[0, :, [0, 9]], 1, IndexError, "index 9 is out of bounds for axis 2 with size 5"),
        (S[9], 1, IndexError, "index 9 is out of bounds for axis 0 with size 3"),
        (S[:, ROWS], 1, IndexError, "along axis 1; size of axis is 4 but size of corresponding boolean axis is 3"),
        (
            S[[0, 1], [0, 1, 2]],
            1,
            IndexError,
            "shape mismatch: indexing arrays could not be broadcast together with shapes (2,) (3,)",
        ),
        (S[[0, 1]], tn.ones(3), ValueError, "array is not broadcastable to correct shape"),
        (S[1:], tn.ones(3), ValueError, "operands could not be broadcast together with shapes (2,4,5) (3,)"),
        (S["x"], 1, IndexError, "only integers, slices"),
        (S[[0.5]], 1, IndexError, "arrays used as indices must be of integer (or boolean) type"),
    ]:
        with pytest.raises(kind) as caught:
            settle([tn.add.at(a, to_ours(index), b), a][1])
        assert text in str(caught.value)
    assert not a.any()
    a.flags.writeable = False
    for index in (S[1], S[1:, [0, 0]], [0]):
        with pytest.raises(ValueError, match="read-only"):
            tn.add.at(a, index, 1)


def test_at_in_its_own_memory():
    x = np.arange(12.0)
    for index in (S[1:], S[::2], np.arange(11), S[::-1]):
        a, expected = tn.array(x), x.copy()
        count = expected[index].size
        tn.add.at(a, to_ours(index), a[:count])
        np.add.at(expected, index, expected[:count].copy())
        assert_same(a, expected)


def test_methods_are_refused_like_numpy():
    report = Report()
    calls = {
        "reduce unary": lambda m, v: m.sin.reduce(v),
        "accumulate two outputs": lambda m, v: m.divmod.accumulate(v),
        "reduceat unary": lambda m, v: m.sin.reduceat(v, m.array([0])),
        "outer unary": lambda m, v: m.sin.outer(v, v),
        "at unary with operand": lambda m, v: m.sin.at(v, m.array([0]), 1),
        "at binary without": lambda m, v: m.add.at(v, m.array([0])),
        "empty without identity": lambda m, v: m.maximum.reduce(v[:0]),
        "accumulate 0-d": lambda m, v: m.add.accumulate(v[0, ...]),
        "two axes, not reorderable": lambda m, v: m.subtract.reduce(m.ones((2, 2)), axis=(0, 1)),
        "axis": lambda m, v: m.add.reduce(v, axis=1),
        "axis of accumulate": lambda m, v: m.add.accumulate(v, axis=-2),
        "axis of reduceat": lambda m, v: m.add.reduceat(v, m.array([0]), axis=1),
        "same axis twice": lambda m, v: m.add.reduce(m.ones((2, 2)), axis=(0, 0)),
    }
    for label, call in calls.items():
        report.check(label, lambda: call(tn, tn.ones(3)), lambda: call(np, np.ones(3)))
    report.close()


def test_reduction_of_scalar_array():
    assert_same(tn.add.reduce(tn.array(3.0)), np.add.reduce(np.array(3.0)))
    assert tn.add.reduce(tn.ones(3)).shape == ()
    assert isinstance(tn.add.reduce(tn.ones(3)), tn.ndarray)


def test_every_dtype_is_folded():
    for dtype in DTYPES:
        assert_same(tn.add.reduce(tn.ones(5, dtype)), np.add.reduce(np.ones(5, dtype)))


def test_at_with_too_many_indices():
    """However an index counts its axes, none beyond the array's is taken."""
    for shape in ((2,), (2, 2), ()):
        a = tn.zeros(shape)
        one, mask = tn.array([0]), tn.ones((1,) * 64, dtype=bool)
        for index in (
            (one,) * 100,
            (..., *(one,) * 100),
            (..., one, one, one),
            (mask,),
            (0, mask),
            (..., mask),
            (*(mask,) * 3,),
            (one,) * 3,
        ):
            with pytest.raises(IndexError, match="too many indices"):
                tn.add.at(a, index, 1)
        assert not a.any()
