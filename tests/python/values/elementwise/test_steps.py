"""Operands in steps, backwards or forwards: the bits that operands in one piece give, and nothing
else is written.

Beyond some length such elements are brought together before they are computed on
(host/forms/steps.c)."""

import numpy as np
import pytest
import tenorite as tn
from generator import DTYPES, ordinary
from oracle import quiet

STEPS = (2, 3, -1, -2)
SIZES = (31, 32, 1000, 20_000)
OPERATIONS = ("add", "negative", "sqrt", "isnan", "less", "divmod", "modf", "floor", "where")
GUARD = 0xA5


def stepped(values, step):
    """(all of the memory, the array in it): `values` in steps, the bytes between them GUARD."""
    memory = tn.full(values.size * abs(step) * values.itemsize, GUARD, "uint8")
    view = memory.view(values.dtype)[::step][: values.size]
    view[...] = tn.array(values)
    return memory, view


def call(name, arrays, **keywords):
    function = getattr(tn, name)
    inputs = (arrays[0] != 0, *arrays[:2]) if name == "where" else arrays[: getattr(function, "nin", 1)]
    return function(*inputs, **keywords)


def same(result, expected):
    results = result if isinstance(result, tuple) else (result,)
    wanted = expected if isinstance(expected, tuple) else (expected,)
    return all(
        a.dtype == b.dtype and np.array_equal(a.get(), b.get(), equal_nan=True)
        for a, b in zip(results, wanted, strict=True)
    )


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_inputs(name, dtype):
    for size in SIZES:
        values = [ordinary(dtype, size, seed) for seed in (1, 2)]
        plain = [tn.array(value) for value in values]
        try:
            with quiet():
                expected = call(name, plain)
        except TypeError:
            return  # no such loop
        for step in STEPS:
            arrays = [stepped(value, step)[1] for value in values]
            assert same(call(name, arrays), expected), (size, step)
            assert same(call(name, [arrays[0], plain[1]]), expected), (size, step)


@pytest.mark.parametrize("dtype", DTYPES)
def test_outputs(dtype):
    for size in SIZES:
        values = ordinary(dtype, size, 3)
        expected = tn.add(tn.array(values), tn.array(values))
        for step in STEPS:
            memory, view = stepped(values, step)
            tn.add(view, view, out=view)
            assert same(view, expected)
            items = memory.view(dtype).get()[:: np.sign(step)]
            between = np.delete(items, np.s_[:: abs(step)])
            assert (np.ascontiguousarray(between).view("uint8") == GUARD).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions(dtype):
    for other in DTYPES:
        values = ordinary(dtype, 5000, 4)
        with quiet():
            expected = tn.array(values).astype(other)
            for step in STEPS:
                assert same(stepped(values, step)[1].astype(other), expected), (other, step)
                memory, view = stepped(np.zeros(values.size, other), step)
                view[...] = tn.array(values).astype(other)
                assert same(view.copy(), expected), (other, step)


@pytest.mark.parametrize("dtype", ("int16", "float32", "float64"))
def test_matrices(dtype):
    """Columns of a matrix, with a mask, an operand of another dtype, and a transposed one."""
    values = ordinary(dtype, 120 * 120, 5).reshape(120, 120)
    ours, theirs = tn.array(values), values
    a, b = ours[:, ::2], theirs[:, ::2]
    mask = np.arange(120 * 60).reshape(120, 60) % 3 == 0
    assert np.array_equal((a + a).get(), b + b)
    product = a[::-1, ::-1] * ours.T[:, ::2]
    assert np.array_equal(product.get(), b[::-1, ::-1] * theirs.T[:, ::2])
    out, wanted = tn.zeros((120, 120), "float64"), np.zeros((120, 120))
    tn.add(a, ours[:, :60], out=out[:, ::-2], where=tn.array(mask))
    np.add(b, theirs[:, :60], out=wanted[:, ::-2], where=mask)
    assert np.array_equal(out.get(), wanted)


def test_copies_of_halves_convert_nothing():
    bits = np.arange(65536, dtype="uint16")
    halves = tn.array(bits).view("float16")
    assert np.array_equal(halves.copy().view("uint16").get(), bits)
    assert np.array_equal(halves[::-1].copy().view("uint16").get(), bits[::-1])
    assert np.array_equal(halves[::2].copy().view("uint16").get(), bits[::2])


@pytest.mark.parametrize("name", "absolute fabs negative positive signbit isnan isinf isfinite logical_not".split())
def test_every_half(name, device):
    halves = np.arange(65536, dtype="uint16").view("float16")
    if device != "host" and name == "signbit":
        halves = halves[~np.isnan(halves)]  # a GPU's conversions drop the sign of NaN
    expected, made = getattr(np, name)(halves), getattr(tn, name)(tn.array(halves)).get()
    assert expected.dtype == made.dtype
    assert np.array_equal(made, expected, equal_nan=made.dtype.kind == "f")
    if made.dtype.kind == "f":
        numbers = ~np.isnan(halves)
        assert np.array_equal(np.signbit(made)[numbers], np.signbit(expected)[numbers])


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_tanh(dtype, device):
    """Dense where its two formulas meet; and the ends."""
    ends = np.array([0, np.inf, 1e-310, 5e-324, 1e30], dtype)
    made, expected = tn.tanh(tn.array(ends)).get(), np.tanh(ends)
    assert np.array_equal(made, expected)
    assert np.signbit(tn.tanh(tn.array([-0.0], dtype)).get())
    if device != "host":
        return
    values = np.linspace(0.5, 1.5, 200_000).astype(dtype)
    exact = np.tanh(values.astype({"float32": "float64", "float64": np.longdouble}[dtype]))
    error = np.abs(tn.tanh(tn.array(-values)).get() + exact) / np.spacing(exact.astype(dtype))
    assert error.max() < 1.2
