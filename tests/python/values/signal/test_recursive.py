"""tenorite.scipy.signal: recursive filters beside SciPy's, and in long double where they nearly
grow."""

import numpy as np
import pytest
import tenorite as tn
from oracle import to_host

theirs = pytest.importorskip("scipy.signal")

from sides import LAYOUTS, close, compare, sample  # noqa: E402
from tenorite.scipy import signal  # noqa: E402

SHAPES = [((50,), -1), ((4, 60), 0), ((4, 60), 1), ((3, 40, 5), 1), ((2, 30, 2, 9), -3), ((1, 40), 1)]
FILTERS = {order: theirs.butter(order, 0.3) for order in (1, 2, 4, 7, 10)}


def states(shape, axis, order, dtype="d"):
    shape = list(shape)
    shape[axis] = order
    return sample(tuple(shape), dtype)


@pytest.mark.parametrize("dtype", "fdFDi")
@pytest.mark.parametrize(("shape", "axis"), SHAPES)
def test_lfilter(shape, axis, dtype):
    for order in (1, 4):
        b, a = FILTERS[order]
        x = sample(shape, dtype)
        compare("lfilter", b, a, x, axis)
        compare("lfilter", list(b), a * 2, x, axis=axis, zi=states(shape, axis, order))
        if dtype in "fF":
            compare("lfilter", b.astype("f"), a.astype("f"), x, axis, states(shape, axis, order, dtype))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", "fD")
def test_layouts(dtype, layout):
    for order, (b, a) in FILTERS.items():
        compare("lfilter", b, a, sample((33, 40), dtype, layout), order % 2)


def test_many_lines():
    """Lines beside each other, rows, and the rest of a vector of them."""
    for shape, axis in (((70, 33), 0), ((33, 70), 1), ((3, 50, 19), 1), ((17, 5), 1)):
        for order, (b, a) in FILTERS.items():
            compare("lfilter", b, a, sample(shape), axis, states(shape, axis, order))


@pytest.mark.parametrize("dtype", "fdD")
def test_taps(dtype):
    """A denominator of one coefficient, and a numerator so long that it is a filter of its own."""
    b, a = sample(30, dtype), FILTERS[2][1]
    for shape, axis in SHAPES:
        x = sample(shape, dtype)
        for by in (np.ones(1), np.full(1, 2.0), a):
            compare("lfilter", b, by, x, axis)
            compare("lfilter", b, by, x, axis, states(shape, axis, 29))
        compare("lfilter", b[:1], np.ones(1), x, axis)


def test_complex_coefficients():
    b, a = FILTERS[4]
    for dtype in "fdD":
        x = sample((3, 40), dtype)
        compare("lfilter", b * (1 + 1j), a, x)
        compare("lfilter", b, a * (1 + 0.1j), x, -1, states(x.shape, -1, 4, "D"))


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize(("inputs", "outputs"), [(1, 1), (2, 3), (4, 1)])
def test_lfilter_goes_on_after_the_past(inputs, outputs, dtype):
    """CuPy's initial states: what follows a part is what is made of the whole."""
    b, a = sample(inputs + 1), np.concatenate(([2.0], 0.2 * sample(outputs)))
    tolerance = 1e-4 if dtype in "fF" else 1e-11
    for shape, axis in (((40,), 0), ((30, 3), 0), ((2, 30, 3), 1)):
        x = sample(shape, dtype)
        past = tn.zeros((*shape[:axis], inputs + outputs, *shape[axis + 1 :]), dtype=dtype)
        parts = []
        for part in np.split(x, [1, 3, 20], axis=axis):
            y, past = signal.lfilter(tn.asarray(b, dtype), tn.asarray(a, dtype), tn.asarray(part), axis, past)
            parts.append(y)
        np.testing.assert_allclose(
            tn.concatenate(parts, axis).get(), theirs.lfilter(b, a, x, axis), tolerance, tolerance
        )
    one = tn.zeros((1, inputs + outputs))
    assert signal.lfilter(b, a, tn.ones((3, 9)), zi=one)[1].shape == (3, inputs + outputs)


@pytest.mark.parametrize("dtype", "fdFD")
def test_sosfilt_goes_on_after_the_past(dtype):
    sos = theirs.butter(5, 0.3, output="sos")
    tolerance = 1e-4 if dtype in "fF" else 1e-11
    for shape, axis in (((40,), 0), ((2, 30, 3), 1)):
        x = sample(shape, dtype)
        past = tn.zeros((len(sos), *shape[:axis], 4, *shape[axis + 1 :]), dtype=dtype)
        parts = []
        for part in np.split(x, [1, 3, 20], axis=axis):
            y, past = signal.sosfilt(tn.asarray(sos, dtype.lower()), tn.asarray(part), axis, past)
            parts.append(y)
        np.testing.assert_allclose(
            tn.concatenate(parts, axis).get(), theirs.sosfilt(sos, x, axis), tolerance, tolerance
        )
    with pytest.raises(ValueError, match="Invalid zi shape"):
        signal.sosfilt(sos, tn.ones(9), zi=tn.zeros((len(sos), 3)))


@pytest.mark.parametrize("sections", [1, 2, 3, 4, 5, 9])
def test_sosfilt(sections):
    sos = theirs.butter(2 * sections, 0.3, output="sos")
    for shape, axis in SHAPES:
        for dtype in "fdF":
            compare("sosfilt", sos, sample(shape, dtype), axis)
        zi = np.stack([states(shape, axis, 2) for _ in range(sections)])
        compare("sosfilt", sos, sample(shape), axis, zi=zi)
    compare("sosfilt_zi", sos)
    compare("sosfilt", sos * (1 + 0j), sample(50))


@pytest.mark.parametrize("order", sorted(FILTERS))
def test_states(order):
    b, a = FILTERS[order]
    compare("lfilter_zi", b, a, tolerance=1e-6)
    compare("lfilter_zi", list(b), list(3 * a), tolerance=1e-6)
    compare("lfilter_zi", b, [1.0])
    for count in (0, 1, order, order + 3):
        compare("lfiltic", b, a, sample(count))
        compare("lfiltic", b, 3 * a, sample(count), sample(2))
        compare("lfiltic", b, 1.0, sample(count), sample(12))
        compare("lfiltic", 1.0, a, sample(count, "D"))


@pytest.mark.parametrize("dtype", "fdD")
@pytest.mark.parametrize("order", [1, 2, 4])
def test_both_directions(order, dtype):
    b, a = FILTERS[order]
    sos = theirs.butter(2 * order, 0.3, output="sos")
    for shape, axis in SHAPES[:4]:
        x = sample(shape, dtype)
        for padtype in ("odd", "even", "constant", None):
            compare("filtfilt", b, a, x, axis, padtype, 5)
            compare("sosfiltfilt", sos, x, axis, padtype, 5)
        compare("sosfiltfilt", sos, x, axis)
        compare("filtfilt", b, [1.0], x, axis)
        compare("filtfilt", b, a, x, axis)


def test_gustafsson():
    for shape, axis in SHAPES[:4]:
        for order in (1, 2, 4):
            b, a = FILTERS[order]
            compare("filtfilt", b, a, sample(shape), axis, method="gust", tolerance=1e-7)
            compare("filtfilt", b, a, sample(shape), axis, method="gust", irlen=12, tolerance=1e-7)
    compare("filtfilt", [2.0], [4.0], sample(9), method="gust")


def test_deconvolve():
    compare("deconvolve", sample(20), np.array([1.0, 0.3, 0.2]))
    compare("deconvolve", np.arange(5), np.array([2, 1]))
    compare("deconvolve", np.arange(5.0), np.array([2.0]))
    compare("deconvolve", np.arange(3.0), np.array([1.0, 2, 3]))
    compare("deconvolve", np.arange(60.0), np.concatenate(([2.0], sample(30) * 0.02)))
    quotient, rest = signal.deconvolve(tn.ones(2), tn.ones(3))
    assert quotient.size == 0 and rest.size == 2


def test_empty():
    b, a = FILTERS[2]
    compare("lfilter", b, a, np.ones((0, 3)))
    compare("lfilter", b, a, np.ones((3, 0)))
    y, final = signal.lfilter(b, a, tn.ones((3, 0)), zi=tn.ones((3, 2)))
    assert y.shape == (3, 0)
    close(to_host(final), np.ones((3, 2)))


LONG = [
    ("two near 1", np.ones(1), np.poly([1 - 1e-5, 1 - 2e-5])),
    ("a slow oscillation", np.ones(1), np.poly(0.99999 * np.exp([0.01j, -0.01j])).real),
    ("an integrator", np.array([0.5, 0.5]), np.array([1.0, -1.0])),
    ("four near 1", np.ones(1), np.poly([0.999, 0.9985, 0.998, 0.9975])),
]


def in_long_double(b, a, x):
    """The recurrence as it is defined."""
    order = max(len(b), len(a)) - 1
    b, a = (np.concatenate((one, np.zeros(order + 1 - len(one)))).astype(np.longdouble) for one in (b, a))
    z, y = np.zeros(order + 1, np.longdouble), np.empty(len(x), np.longdouble)
    for n, value in enumerate(x.astype(np.longdouble)):
        y[n] = b[0] * value + z[0]
        z[:-1] = z[1:] + b[1:] * value - a[1:] * y[n]
    return y


@pytest.mark.parametrize(("b", "a"), [row[1:] for row in LONG], ids=[row[0] for row in LONG])
def test_near_instability(b, a):
    """Errors are of the size of those of the recurrence in double precision, of long lines, too."""
    x = sample(20_000)
    exact = in_long_double(b, a, x)
    error = np.abs(theirs.lfilter(b, a, x) - exact).max()
    found = to_host(signal.lfilter(b, a, tn.asarray(x)))
    assert np.abs(found - exact).max() <= 4 * error + 1e-13 * np.abs(exact).max()


def test_cascade_near_instability():
    sos = theirs.butter(6, 0.001, output="sos")
    x, exact = sample(20_000), None
    exact = x
    for section in sos:
        exact = in_long_double(section[:3], section[3:], exact)
    error = np.abs(theirs.sosfilt(sos, x) - exact).max()
    found = to_host(signal.sosfilt(sos, tn.asarray(x)))
    assert np.abs(found - exact).max() <= 4 * error + 1e-13 * np.abs(exact).max()


def test_high_orders():
    b, a = np.zeros(101), np.zeros(101)
    b[[0, 100]], a[[0, 100]] = (0.5, -0.5), (1, 0.3)
    compare("lfilter", b, a, sample(700), zi=sample(100))
    compare("lfilter", [1.0], np.concatenate(([1.0], sample(20) * 0.02)), sample((3, 300)))


def test_an_unstable_filter_of_zeros_gives_zeros():
    assert not to_host(signal.lfilter([1.0], [1.0, -3.0], tn.zeros(30_000))).any()


BAD = [
    ("lfilter", [1, 2], [1, 2], np.arange(3)),
    ("lfilter", [1, 2], [1], np.arange(3)),
    ("lfilter", np.ones(2, "e"), np.ones(2, "e"), np.ones(3, "e")),
    ("lfilter", [1, 2.0], [0, 2], np.ones(3)),
    ("lfilter", [1, 2.0], [1, 2], np.ones((2, 3)), 2),
    ("lfilter", [1, 2.0], [1, 2], np.ones((2, 3)), -1, np.ones((2, 3))),
    ("lfilter", [1, 2.0], [1, 2], np.ones(3), -1, np.ones(3)),
    ("lfilter", [1, 2, 1.0], [1, 2], np.ones(3), -1, np.ones(4)),
    ("lfilter", [1, 2, 1.0], [1, 2], np.ones((4, 3)), 0, np.ones((3, 2))),
    ("lfilter", [1, 2.0], [1.0], np.ones(3), -1, np.ones(2)),
    ("lfilter", [1, 2.0], [1.0], np.ones((4, 3)), 0, np.ones((1, 2))),
    ("lfilter", [[2.0]], [1.0], np.ones(3)),
    ("lfilter", [], [1.0], np.ones(3)),
    ("sosfilt", [[1, 2, 3, 2, 3, 4.0]], np.ones(3)),
    ("sosfilt", [1, 2, 3, 1, 3.0], np.ones(3)),
    ("sosfilt", [[1, 2, 3, 1, 3, 4]], np.arange(3)),
    ("sosfilt", [[1, 2, 3, 1, 3, 4.0]], 2.0),
    ("sosfilt", [[1, 2, 3, 1, 3, 4.0]], np.ones((2, 3)), -1, np.ones((1, 2))),
    ("sosfilt", [[1, 2, 3, 1, 3, 4.0]], np.ones((2, 3)), 3),
    ("sosfilt_zi", [1, 2, 3, 1, 3, 4.0]),
    ("filtfilt", [1.0], [1, 0.5], np.ones(4)),
    ("filtfilt", [1.0], [1, 0.5], np.ones(14), -1, "q"),
    ("filtfilt", [1.0], [1, 0.5], np.ones(14), -1, "odd", None, "q"),
    ("filtfilt", [1.0], [1, 0.5], np.ones(14), 4),
    ("deconvolve", np.ones((2, 2)), np.ones(1)),
]


@pytest.mark.parametrize("arguments", BAD, ids=[f"{k}-{row[0]}" for k, row in enumerate(BAD)])
def test_refusals(arguments):
    compare(*arguments)


@pytest.mark.parametrize(
    "b, a, text", [([1, 2.0], [1, -1], ""), ([[1]], [1], "Numerator b must be 1-D"), ([1], [1], "")]
)
def test_no_steady_states(b, a, text):
    """SciPy 1.17 and 1.18 have other texts, and 1.18 no error for the last one."""
    with pytest.raises(ValueError, match=text):
        signal.lfilter_zi(b, a)


def test_host_data_stays_on_the_host():
    """Coefficients may be lists, a signal of ours decides where the result is."""
    made = signal.lfilter([1.0], [1.0, -0.5], tn.ones(3))
    assert isinstance(made, tn.ndarray)
    assert isinstance(signal.lfiltic([1.0], [1.0, -0.5], [2.0]), tn.ndarray)
    with pytest.raises(ValueError, match="at least one `a` coefficient"):
        signal.lfiltic([1.0], [], [2.0])
