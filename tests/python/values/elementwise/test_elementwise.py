"""Every element-wise operation, on every dtype, layout and kind of value, against NumPy."""

import itertools

import numpy as np
import pytest
import tenorite as tn
from generator import (
    BINARY,
    COMPLEXES,
    DTYPES,
    FLOATS,
    FUNCTIONS,
    INTEGERS,
    LAYOUTS,
    POWERS,
    UNARY,
    both,
    grid,
    ordinary,
    specials,
    ulp_bound,
    value_bound,
)
from oracle import Report, assert_same, outcome, value_error

pytestmark = pytest.mark.quick

SCALARS = [
    True,
    3,
    -2,
    0,
    2.5,
    float("nan"),
    1.5 - 2j,
    np.int8(5),
    np.float32(0.5),
    np.float64(3),
    np.complex64(1j),
    np.bool_(False),
    np.uint64(7),
]
# min and max keep one of two equal zeros; which one differs between NumPy's own loops.
ANY_ZERO = {"maximum", "minimum", "fmax", "fmin"}


def pair(name):
    return getattr(tn, name), getattr(np, name)


def dtypes_of(name):
    """Of halves NumPy computes these in half, step by step; ours are better: see test_halves."""
    return [d for d in DTYPES if d != "float16"] if name in ("sinc", "i0") else DTYPES


@pytest.mark.parametrize("name", [*UNARY, *FUNCTIONS])
def test_unary_values(name):
    """Special and random values, contiguous."""
    ours, theirs = pair(name)
    report = Report()
    for dtype in dtypes_of(name):
        host = np.concatenate([specials(dtype), ordinary(dtype, 1000)])
        a = tn.array(host)
        report.check(dtype, lambda: ours(a), lambda: theirs(host), ulp_bound(name, dtype))
    report.close()


@pytest.mark.parametrize("name", [*UNARY, *FUNCTIONS])
def test_unary_layouts(name):
    ours, theirs = pair(name)
    report = Report()
    for dtype, layout in itertools.product(dtypes_of(name), LAYOUTS):
        x, a = both(grid(dtype), layout)
        bound = ulp_bound(name, dtype)
        report.check(f"{dtype} {layout}", lambda: ours(a), lambda: theirs(x), bound)
    report.close()


@pytest.mark.parametrize("name", BINARY)
def test_binary_values(name):
    """Every special value with every other, through broadcasting."""
    ours, theirs = pair(name)
    report = Report()
    for dtype in DTYPES:
        values = specials(dtype)[:60]
        x, y = values[:, None], values
        a, b = tn.array(x), tn.array(y)
        # See test_nextafter_of_equals.
        is_old = name == "nextafter" and dtype == "float16" and np.lib.NumpyVersion(np.__version__) < "2.5.0"
        report.check(
            dtype,
            lambda: ours(a, b),
            lambda: theirs(x, y),
            value_bound(name, x, y),
            name not in ANY_ZERO and not is_old,
        )
        x, y = ordinary(dtype, 1000, 1), ordinary(dtype, 1000, 2)
        a, b = tn.array(x), tn.array(y)
        report.check(f"{dtype} random", lambda: ours(a, b), lambda: theirs(x, y), value_bound(name, x, y))
    report.close()


def test_nextafter_of_equals():
    """Of two that are equal it is the second, as in C: NumPy before 2.5 gives the first for
    float16."""
    for dtype in FLOATS:
        zeros = tn.array([0.0, -0.0], dtype=dtype)
        assert tn.signbit(tn.nextafter(zeros, zeros[::-1])).tolist() == [True, False]


@pytest.mark.parametrize("name", BINARY)
def test_binary_layouts(name):
    """Each layout with each of some others."""
    ours, theirs = pair(name)
    report = Report()
    partners = ("contiguous", "fortran", "strided", "broadcast columns", "0-d")
    for dtype in ("bool", "int8", "int32", "uint64", "float16", "float32", "float64", "complex64"):
        for first, second in itertools.product(LAYOUTS, partners):
            (x, a), (y, b) = both(grid(dtype), first), both(grid(dtype, seed=1), second)
            report.check(
                f"{dtype} {first}, {second}",
                lambda: ours(a, b),
                lambda: theirs(x, y),
                value_bound(name, x, y),
                name not in ANY_ZERO,
            )
    report.close()


@pytest.mark.parametrize("name", BINARY)
def test_binary_mixed_dtypes(name):
    """Every pair of dtypes: the result's dtype is NEP 50's, or the same TypeError."""
    ours, theirs = pair(name)
    report = Report()
    for first, second in itertools.product(DTYPES, DTYPES):
        x, y = ordinary(first, 40, 1), ordinary(second, 40, 2)
        a, b = tn.array(x), tn.array(y)
        report.check(f"{first}, {second}", lambda: ours(a, b), lambda: theirs(x, y), value_bound(name, x, y))
    report.close(len(DTYPES) ** 2)


@pytest.mark.parametrize("name", BINARY)
def test_binary_scalars(name):
    """Python's weak scalars and NumPy's strong ones on either side."""
    ours, theirs = pair(name)
    report = Report()
    for dtype, scalar in itertools.product(DTYPES, SCALARS):
        x = ordinary(dtype, 30)
        a = tn.array(x)
        label = f"{dtype}, {scalar!r}"
        report.check(label, lambda: ours(a, scalar), lambda: theirs(x, scalar), value_bound(name, x, scalar))
        if name == "ldexp" and not isinstance(scalar, np.generic):
            continue  # NumPy takes the first loop of all, float16
        report.check(f"r {label}", lambda: ours(scalar, a), lambda: theirs(scalar, x), value_bound(name, scalar, x))
    report.close()


@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "less", "bitwise_and", "power"])
@pytest.mark.parametrize("value", [-1, 256, -129, 2**31, 2**63, 2**64 - 1, -(2**63), 2**64, -(2**70)])
def test_integers_that_do_not_fit(name, value):
    """A Python int that the other operand's dtype can't hold: OverflowError, but for
    comparisons."""
    ours, theirs = pair(name)
    report = Report()
    for dtype in INTEGERS:
        x = ordinary(dtype, 10)
        a = tn.array(x)
        report.check(dtype, lambda: ours(a, value), lambda: theirs(x, value))
    report.close()


@pytest.mark.parametrize("strides", [(0, 8), (8, 8), (16, 8), (8, 16), (-8, 8), (8, 0), (24, 8)])
def test_output_that_overlaps_itself(strides):
    """Windows and broadcast views as input and output: each place is computed once."""
    results = []
    for library in (np, tn):
        a = library.arange(1.0, 60.0)
        view = library.lib.stride_tricks.as_strided(a[10:], (4, 3), strides)
        view += 1
        library.multiply(view, view, out=view)
        library.negative(view, out=view)
        results.append(a)
    assert (results[1].get() == results[0]).all()


@pytest.mark.parametrize("name", BINARY)
def test_overlapping_output(name):
    """Outputs that share memory with inputs, exactly or shifted, give what copies would give."""
    ours, theirs = pair(name)
    if ours.nout == 2:
        pytest.skip("two outputs may not share memory")
    report = Report()
    views = {
        "same": lambda a: (a, a[::-1].copy(), a),
        "same, second": lambda a: (a[::-1].copy(), a, a),
        "shifted up": lambda a: (a[:-1], a[:-1], a[1:]),
        "shifted down": lambda a: (a[1:], a[:-1], a[1:]),
        "reversed": lambda a: (a[::-1], a, a[::-1]),
        "transposed": lambda a: (a[:7, :7].T, a[:7, :7], a[:7, :7]),
        "broadcast": lambda a: (a[:1], a, a),
    }
    for dtype in ("int16", "int64", "float32", "complex128"):
        host = grid(dtype, 9, 9)
        if dtype == "complex128" and name in POWERS:
            # None that value_bound() is about: the elements' places are not those of the inputs.
            host = np.exp(ordinary(dtype, 81).reshape(9, 9) / 100)
        for label, view in views.items():
            x, a = both(host)
            one, two, out = view(x)
            mine, other, made = view(a)
            report.check(
                f"{dtype} {label}",
                lambda: [ours(mine, other, *[made] * ours.nout, casting="unsafe"), a][1],
                lambda: [theirs(one, two, *[out] * theirs.nout, casting="unsafe"), x][1],
                ulp_bound(name, dtype),
                name not in ANY_ZERO,
            )
    report.close()


@pytest.mark.parametrize("name", ["sinc", "i0"])
def test_halves(name):
    """What float32 gives, rounded once."""
    ours, theirs = pair(name)
    host = np.concatenate([specials("float16"), ordinary("float16", 1000)])
    with np.errstate(all="ignore"):
        expected = theirs(host.astype("f4")).astype("f2")
    assert_same(ours(tn.array(host)), expected, 1, zero_sign=False)


# --- What is the same on every backend, bit for bit ---

ARITHMETIC = ("add", "subtract", "multiply", "divide", "sqrt")
COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


def test_exact_operations_have_no_bound():
    """The tests above hold these to 0 units, on whichever backend."""
    for name, dtype in itertools.product(ARITHMETIC, FLOATS):
        assert ulp_bound(name, dtype) == 0, name
    for name, dtype in itertools.product(COMPARISONS, DTYPES):
        assert getattr(tn, name)(tn.zeros(1, dtype), tn.zeros(1, dtype)).dtype == bool, name


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [*ARITHMETIC, *COMPARISONS])
def test_exact_bits(name, dtype):
    """Random bits are floats of all sizes, subnormal ones, infinities and NaN among them; half of
    the pairs are near enough to each other to cancel."""
    ours, theirs = pair(name)
    size = np.dtype(dtype).itemsize
    random = np.random.default_rng(size)
    bits = random.integers(0, 2 ** (8 * size), (2, 1 << 16), f"u{size}")
    bits[1, ::2] = bits[0, ::2] ^ random.integers(0, 2 ** (8 * size - 9), 1 << 15, f"u{size}") >> 3
    inputs = list(bits.view(dtype))[: ours.nin]
    with np.errstate(all="ignore"):
        expected = theirs(*inputs)
    made = ours(*[tn.array(one) for one in inputs]).get()
    assert made.dtype == expected.dtype
    if expected.dtype != bool:  # the bits of a NaN are the machine's own
        is_number = ~np.isnan(expected)
        assert (np.isnan(made) == ~is_number).all()
        made, expected = made[is_number].view(f"u{size}"), expected[is_number].view(f"u{size}")
    assert np.array_equal(made, expected)


# --- bfloat16: what float32 gives, rounded once ---


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_bfloat16(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    bfloat16 = ml_dtypes.bfloat16
    ours, theirs = pair(name)
    values = np.concatenate([specials("float32"), ordinary("float32", 200)]).astype(bfloat16)
    values = values[np.isfinite(values.astype(np.float32))]
    others = values[::-1].copy()
    inputs = [values, others][: ours.nin]
    if name == "ldexp":
        inputs[1] = ordinary("int32", values.size)
    if name in ("nextafter", "spacing"):
        pytest.skip("steps of bfloat16 are not steps of float32; see test_bfloat16_steps")
    wide = [one.astype(np.float32) if one.dtype == bfloat16 else one for one in inputs]
    expected, refused = outcome(lambda: theirs(*wide))
    made, failed = outcome(lambda: ours(*[tn.array(one) for one in inputs]))
    if refused is not None:
        assert isinstance(failed, TypeError)
        return
    assert failed is None, failed
    if ours.nout == 1:
        made, expected = (made,), (expected,)
    for mine, wanted in zip(made, expected):
        wanted = wanted.astype(bfloat16) if wanted.dtype == np.float32 else wanted
        assert mine.dtype == wanted.dtype or name == "float_power"
        text = value_error(mine.get(), wanted.astype(mine.dtype), 1, zero_sign=False)
        assert text is None, text


def test_bfloat16_steps():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = np.array([1.0, -1.0, 0.0, 3.5, 1e30], bfloat16)
    up = tn.nextafter(tn.array(x), tn.array(np.full(5, np.inf, bfloat16))).get()
    assert (up.view("i2") - x.view("i2")).tolist() == [1, -1, 1, 1, 1]
    assert tn.spacing(tn.array(x)).get()[0] == bfloat16(2.0**-7)
    zeros = tn.array(np.array([0.0, -0.0], bfloat16))
    assert tn.signbit(tn.nextafter(zeros, zeros[::-1])).tolist() == [True, False]


# --- Attributes ---


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_attributes(name):
    ours, theirs = pair(name)
    assert (ours.nin, ours.nout, ours.nargs) == (theirs.nin, theirs.nout, theirs.nargs)
    assert ours.__name__ == theirs.__name__
    assert ours.identity == theirs.identity
    assert ours.signature is None
    assert ours.ntypes == len(ours.types)
    assert ours.__doc__.startswith(f"{ours.__name__}(")
    numeric = set("?bBhHiIlLqQefdFD->")
    wanted = [t for t in theirs.types if set(t) <= numeric]
    # NumPy has loops for both names of one integer, and some under two signatures.
    canonical = {t.replace("q", "l").replace("Q", "L") for t in wanted}
    if name == "ldexp":  # the loops for exponents of 64 bits are there, but not listed
        canonical = {t for t in canonical if "l" not in t}
    assert {t for t in ours.types if "E" not in t} == canonical


def test_dtype_groups_are_all():
    """The table's dtypes are the tests' dtypes."""
    characters = {c for name in [*UNARY, *BINARY] for t in getattr(tn, name).types for c in t}
    known = {np.dtype(d).char for d in DTYPES} | set("->E")
    assert characters <= known
    assert set(DTYPES) == {"bool", *INTEGERS, *FLOATS, *COMPLEXES}
