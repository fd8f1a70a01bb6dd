"""Maps of more than 2**31 elements in what networks are made of: read, or written, along the batch,
the channels and a spatial axis.

An array that is read whole counts up again and again, and its elements are small enough for sums of
halves to be exact. What is written is as it must be everywhere: rows that are made of one row,
which all read, are equal.
"""

import os

import numpy as np
import pytest
import tenorite as tn
from tenorite import _core, cudnn
from tenorite.cuda import cudnn as raw
from tenorite.cuda._raw.dnn import elementwise, norms
from test_huge import ON_GPU, PERIOD, PIECE, SIZE, alone, check_flat, pattern, value  # noqa: F401

WHOLE = os.environ.get("TENORITE_WHOLE") == "1"

pytestmark = [pytest.mark.huge, pytest.mark.skipif(not (ON_GPU or WHOLE), reason="on the host with TENORITE_WHOLE=1")]

ROW = 4099
ROWS = 2**31 // ROW + 7
STEP = 250  # from a window to the next one: one less than the period
LARGEST, MEAN, MEAN_INSIDE = range(3)


def numbers(count=ROW):
    return (np.arange(count) * 37 % 101 - 50).astype("f2")


def spread(row, shape):
    """A row that fills its axis, and is each element of the others."""
    return tn.broadcast_to(tn.asarray(row).reshape([-1 if size == len(row) else 1 for size in shape]), shape)


def check_rows(found, expected, rtol=0.0):
    """Each row of a matrix is the expected one."""
    np.testing.assert_allclose(found[0].get().astype("f8"), expected, rtol=rtol, atol=rtol)
    step = PIECE // found.shape[1]
    for start in range(0, len(found), step):
        some = found[start : start + step]
        assert tn.array_equal(some, tn.broadcast_to(found[0], some.shape)), start


# --- Convolutions ---


def convolve(name, *arrays, strides=None, groups=1):
    axes = arrays[0].ndim - 2
    facts = (0,) * axes, strides or (1,) * axes, (1,) * axes, groups
    getattr(_core, f"_convolve_{name}")(*arrays, *facts, False, 1.0, 0.0)


def test_convolution_reads_a_long_axis():
    x = pattern(SIZE, "f2").reshape(1, 1, SIZE)
    w = tn.asarray(np.array([1, 2], "f2")).reshape(1, 1, 2)
    y = tn.empty((1, 1, (SIZE - 2) // STEP + 1), "f2")
    convolve("forward", x, w, y, strides=(STEP,))
    at = np.arange(y.size) * STEP
    np.testing.assert_array_equal(y.ravel().get(), value(at) + 2 * value(at + 1))


# Shapes of x of rows, which lie along the last axis.
OUTER = {"batch": (ROWS, 1, ROW), "channels": (1, ROWS, ROW), "plane": (1, 1, ROWS, ROW)}


def filters(outer, inputs=1):
    """A filter of two taps along the last axis, for each channel if there are several."""
    axes = len(OUTER[outer]) - 2
    channels = ROWS if outer == "channels" else 1
    shape = (channels, 1, *(1,) * (axes - 1), 2)
    return tn.broadcast_to(tn.asarray(np.array([1, -2], "f2")), shape), channels


@pytest.mark.parametrize("outer", OUTER)
def test_convolution_writes(outer):
    w, groups = filters(outer)
    x = spread(numbers(), OUTER[outer])
    y = tn.empty((*x.shape[:-1], ROW - 1), "f2")
    convolve("forward", x, w, y, groups=groups)
    row = numbers().astype("f8")
    check_rows(y.reshape(ROWS, -1), row[:-1] - 2 * row[1:])


@pytest.mark.parametrize("outer", OUTER)
def test_gradient_of_maps_writes(outer):
    w, groups = filters(outer)
    dy = spread(numbers(ROW - 1), (*OUTER[outer][:-1], ROW - 1))
    dx = tn.empty(OUTER[outer], "f2")
    convolve("backward_data", dy, w, dx, groups=groups)
    row = np.pad(numbers(ROW - 1).astype("f8"), 1)
    check_rows(dx.reshape(ROWS, -1), row[1:] - 2 * row[:-1])


def test_gradient_of_maps_reads():
    """Sums over so many channels that they pass 2**31 elements, of which three count."""
    channels, size = 2**31 // 64 + 3, 64
    dy, w = pattern(channels * size, "f2").reshape(1, channels, size), tn.zeros((channels, 1, 1), "f2")
    places = [0, channels // 2, channels - 1]
    w[places] = 1
    dx = tn.empty((1, 1, size), "f2")
    convolve("backward_data", dy, w, dx)
    expected = sum(value(place * size + np.arange(size)) for place in places)
    np.testing.assert_array_equal(dx.ravel().get(), expected)


@pytest.mark.parametrize("outer", ["batch", "channels"])
def test_gradient_of_filters_reads(outer):
    """Of a filter for each channel; and of one, where dy is 0 but for three of the batch."""
    x = pattern(ROWS * ROW, "f2").reshape(OUTER[outer])
    if outer == "channels":
        given = np.zeros(ROW - 1, "f2")
        given[[0, -1]] = 1
        dw = tn.empty((ROWS, 1, 2), "f2")
        convolve("backward_filter", x, spread(given, (1, ROWS, ROW - 1)), dw, groups=ROWS)
        first = np.arange(ROWS)[:, None] * ROW + np.arange(2)
        expected = value(first) + value(first + ROW - 2)
    else:
        given, places = tn.zeros((ROWS, 1, 1), "f2"), [0, ROWS // 2, ROWS - 1]
        given[places] = 1
        dw = tn.empty((1, 1, ROW), "f2")
        convolve("backward_filter", x, given, dw)
        expected = sum(value(place * ROW + np.arange(ROW)) for place in places)
    np.testing.assert_array_equal(dw.get().reshape(expected.shape), expected)


# --- Pooling ---


def pool(name, *arrays, kind, width, stride):
    axes = arrays[0].ndim - 2
    facts = [(1,) * (axes - 1) + (last,) for last in (width, 0, stride)]
    facts[1] = (0,) * axes
    getattr(_core, f"_pooling_{name}")(*arrays, kind, *facts, False, 1.0, 0.0)


@pytest.mark.parametrize("kind", [LARGEST, MEAN])
def test_pooling_reads(kind):
    x = pattern(SIZE, "f2").reshape(1, 1, SIZE)
    y = tn.empty((1, 1, (SIZE - 2) // STEP + 1), "f2")
    pool("forward", x, y, kind=kind, width=2, stride=STEP)
    pairs = value(np.arange(y.size) * STEP + np.arange(2)[:, None])
    np.testing.assert_array_equal(y.ravel().get(), pairs.max(0) if kind == LARGEST else pairs.mean(0))


@pytest.mark.parametrize("kind", [LARGEST, MEAN, MEAN_INSIDE])
@pytest.mark.parametrize("outer", OUTER)
def test_pooling_writes(outer, kind):
    x = spread(numbers(), OUTER[outer])
    y = tn.empty((*x.shape[:-1], ROW - 1), "f2")
    pool("forward", x, y, kind=kind, width=2, stride=1)
    pairs = np.stack([numbers()[:-1], numbers()[1:]]).astype("f8")
    check_rows(y.reshape(ROWS, -1), pairs.max(0) if kind == LARGEST else pairs.mean(0))


@pytest.mark.parametrize("stride", [1, 2])
@pytest.mark.parametrize("kind", [LARGEST, MEAN])
@pytest.mark.parametrize("outer", OUTER)
def test_gradient_of_pooling_writes(outer, kind, stride):
    windows = (ROW - 2) // stride + 1
    x, dy = spread(numbers(), OUTER[outer]), spread(numbers(windows), (*OUTER[outer][:-1], windows))
    dx = tn.empty(x.shape, "f2")
    pool("backward", x, dy, dx, kind=kind, width=2, stride=stride)
    expected, begins, given = np.zeros(ROW), np.arange(windows) * stride, numbers(windows).astype("f8")
    if kind == LARGEST:
        np.add.at(expected, begins + (numbers()[begins + 1] > numbers()[begins]), given)
    else:
        np.add.at(expected, begins, given / 2)
        np.add.at(expected, begins + 1, given / 2)
    check_rows(dx.reshape(ROWS, -1), expected)


@pytest.mark.parametrize("kind", [LARGEST, MEAN])
def test_gradient_of_pooling_reads(kind):
    """The largest of two neighbours is the second but at the end of a period."""
    x = pattern(SIZE, "f2").reshape(1, 1, SIZE)
    dy = tn.broadcast_to(tn.ones(1, "f2"), (1, 1, SIZE - 1))
    dx = tn.empty(x.shape, "f2")
    pool("backward", x, dy, dx, kind=kind, width=2, stride=1)
    of_largest = lambda i: 1.0 - (i % PERIOD == 0) + (i % PERIOD == PERIOD - 1)
    check_flat(dx.ravel()[1:-1], lambda i: of_largest(i + 1) if kind == LARGEST else 1.0 + 0 * i)


# --- Norms ---

SMALL = 2**31 // (5 * ROW) + 3  # rows of each of five channels


def channel_numbers(shape=(1, 5, 1)):
    scale, bias, mean, variance = (np.arange(1, 6) * f for f in (0.5, 2.0, 1.0, 4.0))
    return tuple(tn.asarray(one.astype("f4")).reshape(shape) for one in (scale, bias, mean, variance))


@pytest.mark.parametrize("layout", [0, 1])
def test_norm_of_given_values(layout):
    """The mean and the variance are given; in five channels, whose rows are one."""
    shape = (SMALL, ROW, 5) if layout else (SMALL, 5, ROW)
    scale, bias, mean, variance = (one.ravel() for one in channel_numbers())
    x = spread(numbers(), shape)
    if ON_GPU:
        y = tn.empty(shape, "f2")
        lie = (lambda a: a.transpose(0, 2, 1)) if layout else (lambda a: a)
        _core._batch_norm_given(lie(x), scale, bias, mean, variance, lie(y), False, 0.0)
    else:
        axes = (1, 1, 5) if layout else (1, 5, 1)
        parameters = (one.reshape(axes) for one in (scale, bias, mean, variance))
        y = tn.empty(shape, "f2")
        norms.infer(y, x, *parameters, 0.0)
    s, b, m, v = (one.get().astype("f8")[:, None] for one in (scale, bias, mean, variance))
    expected = (numbers() - m) * (s / np.sqrt(v)) + b
    check_rows(y.reshape(SMALL, -1), (expected.T if layout else expected).ravel(), 1e-3)


@pytest.mark.skipif(not ON_GPU, reason="on the host arrays of twice the size are made")
@pytest.mark.parametrize("layout", [0, 1])
def test_norm(layout):
    """Forward over what it reads, then backward, of numbers that repeat."""
    shape = (SMALL, ROW, 5) if layout else (SMALL, 5, ROW)
    lie = (lambda a: a.transpose(0, 2, 1)) if layout else (lambda a: a)
    x = lie(pattern(SMALL * 5 * ROW, "f2").reshape(shape))
    scale, bias = channel_numbers()[:2]
    mean, inverse, dscale, dbias = (tn.empty(5, "f4") for _ in range(4))
    y = tn.empty_like(x)
    _core._batch_norm_forward(x, scale, bias, y, mean, inverse, None, None, False, 0.0, 0.0)
    np.testing.assert_allclose(mean.get(), (PERIOD - 1) / 2, rtol=1e-4)
    np.testing.assert_allclose(inverse.get(), (12 / (PERIOD**2 - 1)) ** 0.5, rtol=1e-4)
    for n in (0, SMALL // 2, SMALL - 1):
        by = (x[n].get() - mean.get()[:, None]) * inverse.get()[:, None]
        expected = by * scale.get()[0] + bias.get()[0]
        np.testing.assert_allclose(y[n].get(), expected, rtol=2e-3, atol=2e-3)
    _core._batch_norm_backward(x, x, scale, mean, inverse, y, dscale, dbias, False)
    count = SMALL * ROW
    np.testing.assert_allclose(dbias.get(), count * (PERIOD - 1) / 2, rtol=1e-4)
    np.testing.assert_allclose(dscale.get(), count / inverse.get(), rtol=1e-4)


# --- Softmax, activations, dropout ---


@pytest.mark.parametrize("algorithm", [raw.CUDNN_SOFTMAX_ACCURATE, raw.CUDNN_SOFTMAX_LOG])
def test_softmax(algorithm):
    shape = (ROWS, ROW, 1, 1)
    x, row = spread(numbers() / 8, shape), numbers().astype("f8") / 8
    y = tn.empty(shape, "f2")
    elementwise.softmax(y, x, algorithm, elementwise.CHANNEL)
    powers = np.exp(row - row.max())
    is_log = algorithm == raw.CUDNN_SOFTMAX_LOG
    expected = row - row.max() - np.log(powers.sum()) if is_log else powers / powers.sum()
    check_rows(y.reshape(ROWS, -1), expected, 2e-3)
    x, given = spread(y[0].ravel().get(), shape), y[0].ravel().get().astype("f8")
    dy, dx = spread(numbers(), shape), y
    elementwise.softmax_backward(dx, x, dy, algorithm, elementwise.CHANNEL)
    row = numbers().astype("f8")
    expected = row - np.exp(given) * row.sum() if is_log else given * (row - (given * row).sum())
    check_rows(dx.reshape(ROWS, -1), expected, 4e-3)


@pytest.mark.parametrize("mode", [raw.CUDNN_ACTIVATION_RELU, raw.CUDNN_ACTIVATION_TANH])
def test_activations(mode):
    activation = elementwise.Activation()
    elementwise.describe_activation(activation, mode, False, 0.0)
    x, row = spread(numbers() / 16, (ROWS, ROW)), numbers().astype("f8") / 16
    y = tn.empty(x.shape, "f2")
    elementwise.activate(y, x, activation)
    is_relu = mode == raw.CUDNN_ACTIVATION_RELU
    expected = np.maximum(row, 0) if is_relu else np.tanh(row)
    check_rows(y, expected, 1e-3)
    made, dx = spread(y[0].get(), x.shape), y
    elementwise.activate_backward(dx, x, made, x, activation)
    expected = row * (row > 0) if is_relu else row * (1 - made[0].get().astype("f8") ** 2)
    check_rows(dx, expected, 1e-3)


def test_dropout():
    """The masks of parts that are drawn one after the other are those of the whole."""
    states, others = (cudnn.DropoutStates(None, 5) for _ in range(2))
    x = spread(numbers(), (ROWS, ROW))
    kept, y = states.forward(None, x, 0.25)
    kept, step = kept.reshape(ROWS, ROW), ROWS // 4
    for start in range(0, ROWS, step):
        some = slice(start, start + step)
        mask, part = others.forward(None, x[some], 0.25)
        assert tn.array_equal(mask.reshape(part.shape), kept[some]) and tn.array_equal(part, y[some])
        del mask, part
    assert float(kept.mean(dtype="f8")) == pytest.approx(0.75, abs=1e-4)
    for at in (0, ROWS // 2, ROWS - 1):
        expected = np.where(kept[at].get(), numbers().astype("f8") / 0.75, 0)
        np.testing.assert_allclose(y[at].get(), expected, rtol=1e-3)
