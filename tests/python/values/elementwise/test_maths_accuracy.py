"""The host's own functions where their formulas meet: every half, dense samples, special values,
any layout.

test_accuracy.py has the bound of each function and dtype. Here one bound holds for all of them,
that of NumPy's vector mathematics being 4 ULP.
"""

import numpy as np
import pytest
import tenorite as tn

ULP = 3.0
WIDER = {"float32": np.float64, "float64": np.longdouble}
UNARY = (
    "cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh"
).split()
BINARY = ("arctan2", "power")

pytestmark = pytest.mark.skipif("config.getoption('--device', 'host') != 'host'", reason="the host's functions")


def specials(dtype):
    info = np.finfo(dtype)
    sizes = [
        0,
        0.25,
        0.5,
        1,
        1.5,
        2,
        3,
        10,
        86.9,
        87.1,
        88.8,
        104,
        707,
        709,
        710,
        746,
        65535,
        65537,
        1e18,
        1e19,
        1e30,
        info.max,
        info.tiny,
        info.smallest_subnormal,
        info.eps,
        1 + info.eps,
        1 - info.eps,
        np.inf,
        np.nan,
    ]
    values = np.array(sizes).astype(dtype)
    return np.concatenate([values, -values])


def dense(dtype):
    """Values near zero, near 1, and between, of both signs."""
    random = np.random.default_rng(7)
    count = 20_000
    small = np.exp2(random.uniform(-40, 5, count))
    near_one = 1 + np.exp2(random.uniform(-np.finfo(dtype).nmant, -1, count)) * random.choice([-1, 1], count)
    even = np.linspace(1e-3, 4, 2 * count)
    values = np.concatenate([small, near_one, even]).astype(dtype)
    return np.concatenate([values, -values])


def error_of(made, exact, dtype):
    """The largest error in ULP where the exact result is a normal number."""
    info = np.finfo(dtype)
    counted = (np.abs(exact) <= info.max) & (np.abs(exact) >= info.tiny)
    made, exact = made[counted], exact[counted]
    rounded = exact.astype(dtype)
    error = np.abs(made.astype(exact.dtype) - exact) / np.spacing(np.abs(rounded)).astype(exact.dtype)
    return float(error.max())


def same(made, expected, name):
    assert np.array_equal(np.isnan(made), np.isnan(expected)), name
    assert np.array_equal(np.isinf(made), np.isinf(expected)), name
    number = ~np.isnan(expected)
    assert np.array_equal(np.signbit(made)[number], np.signbit(expected)[number]), name
    zero = expected == 0
    assert np.array_equal(made[zero], expected[zero]), name


@pytest.mark.parametrize("name", UNARY)
def test_every_half(name):
    """Correctly rounded but for the few results that lie all but halfway between two halves."""
    halves = np.arange(65536, dtype="uint16").view("float16")
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(halves.astype("float64")).astype("float16")
    made = getattr(tn, name)(tn.array(halves)).get()
    same(made, exact, name)
    finite = np.isfinite(exact)
    steps = np.abs(made.view("int16").astype("i4") - exact.view("int16"))[finite]
    assert steps.max() <= 1
    assert np.count_nonzero(steps) <= 40


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", UNARY)
def test_dense(name, dtype):
    values = dense(dtype)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(values.astype(WIDER[dtype]))
    made = getattr(tn, name)(tn.array(values)).get()
    assert np.array_equal(np.isnan(made), np.isnan(exact))
    assert error_of(made, exact, dtype) <= ULP


@pytest.mark.parametrize("dtype, lowest, highest", [("float32", -106, 90), ("float64", -748, 711)])
def test_exponentials_at_the_ends(dtype, lowest, highest):
    """Results that are subnormal, zero or infinite; their neighbours are as they are elsewhere."""
    values = np.linspace(lowest, highest, 200_001).astype(dtype)
    with np.errstate(all="ignore"):
        exact = np.exp(values.astype(WIDER[dtype]))
    made = tn.exp(tn.array(values)).get()
    assert error_of(made, exact, dtype) <= ULP
    alone = np.concatenate([tn.exp(tn.array(values[i : i + 1])).get() for i in range(0, len(values), 997)])
    assert alone.tobytes() == made[::997].tobytes()


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", BINARY)
def test_dense_of_two(name, dtype):
    a = dense(dtype)
    b = np.random.default_rng(8).permutation(a)
    a = np.abs(a) if name == "power" else a
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(a.astype(WIDER[dtype]), b.astype(WIDER[dtype]))
    assert error_of(getattr(tn, name)(tn.array(a), tn.array(b)).get(), exact, dtype) <= ULP


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", UNARY)
def test_special_values(name, dtype):
    """Each among usual ones, so that one block has both."""
    odd = specials(dtype)
    if (name, dtype) == ("tan", "float64"):  # SLEEF's, which does not return subnormals as they are
        odd = odd[(np.abs(odd) >= np.finfo(dtype).tiny) | (odd == 0) | np.isnan(odd)]
    values = np.concatenate([np.full(300, 0.5, dtype), odd, np.full(300, 0.5, dtype)])
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(values)
    made = getattr(tn, name)(tn.array(values)).get()
    same(made, expected, name)
    assert np.array_equal(made[:300], made[-300:], equal_nan=True)
    assert np.array_equal(made[:299], made[1:300], equal_nan=True)


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", BINARY)
def test_special_values_of_two(name, dtype):
    a, b = (np.ascontiguousarray(side.ravel()) for side in np.meshgrid(specials(dtype), specials(dtype)))
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(a, b)
    same(getattr(tn, name)(tn.array(a), tn.array(b)).get(), expected, name)


@pytest.mark.parametrize("base", (-2.5, -3.0))
def test_powers_of_negative_numbers(base):
    exponents = np.arange(-9, 10, dtype="float32")
    made = tn.power(tn.array(np.full(19, base, "float32")), tn.array(exponents)).get()
    assert np.allclose(made, np.power(np.float64(base), exponents.astype("f8")), rtol=3e-7, atol=0)


@pytest.mark.parametrize("dtype", ("float16", "float32", "float64"))
@pytest.mark.parametrize("name", UNARY)
def test_layouts(name, dtype):
    """The same bits whatever the distance of elements, and where the output is the input."""
    values = np.concatenate([dense("float32")[::20], specials("float32")]).astype(dtype)
    function = getattr(tn, name)
    plain = function(tn.array(values)).get()
    for step in (2, 3, -1, -2):
        assert np.array_equal(function(tn.array(values)[::step]).get(), plain[::step], equal_nan=True)
    assert np.array_equal(function(tn.array(values)[5:]).get(), plain[5:], equal_nan=True)
    both = tn.array(values)
    function(both, out=both)
    assert np.array_equal(both.get(), plain, equal_nan=True)


@pytest.mark.parametrize("dtype", WIDER)
@pytest.mark.parametrize("name", BINARY)
def test_layouts_of_two(name, dtype):
    a = np.abs(dense(dtype)[::20])
    b = a[::-1].copy()
    function = getattr(tn, name)
    plain = function(tn.array(a), tn.array(b)).get()
    assert np.array_equal(function(tn.array(a)[::2], tn.array(b)[::2]).get(), plain[::2], equal_nan=True)
    for out in (0, 1):
        both = [tn.array(a), tn.array(b)]
        function(*both, out=both[out])
        assert np.array_equal(both[out].get(), plain, equal_nan=True)
    row = tn.broadcast_to(tn.array(b[:1]), a.shape)
    once = np.full_like(a, b[0])
    assert np.array_equal(function(tn.array(a), row).get(), function(tn.array(a), tn.array(once)).get(), equal_nan=True)
