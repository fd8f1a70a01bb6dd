"""Convolutions and their gradients: every stride, margin, dilation, group, layout and dtype."""

import os

import numpy as np
import pytest
import tenorite as tn
from hypothesis import given, settings, strategies as st
from maps import LAYOUTS, TOLERANCES, Convolution, convolutions, laid_out
from programs import output_of
from tenorite import _core

pytestmark = pytest.mark.quick

EXAMPLES = int(os.environ.get("TENORITE_DRAWN_CALLS", 15_000)) // 100
CALLS = ("forward", "backward_data", "backward_filter")
ON_THREADS = """
import hashlib
import numpy as np
import tenorite as tn
from tenorite import _core
rng, digest = np.random.default_rng(0), hashlib.sha256()
lists = (1, 1), (1, 1), (1, 1), 1, False, 1.0, 0.0
x, w, y = (tn.asarray(rng.standard_normal(s).astype("f4")) for s in ((5, 24, 33, 31), (20, 24, 3, 3), (5, 20, 33, 31)))
_core._convolve_backward_filter(x, y, w, *lists)
digest.update(w.get())
_core._convolve_backward_data(y, w, x, *lists)
digest.update(x.get())
_core._convolve_forward(x, w, y, *lists)
digest.update(y.get())
x, y = (tn.asarray(rng.standard_normal((5, 33, 31, 40)).astype("f4")).transpose(0, 3, 1, 2) for _ in range(2))
w, z = (tn.asarray(rng.standard_normal((40, n, 3, 3)).astype("f4")) for n in (1, 40))
_core._convolve_forward(x, z, y, *lists)
_core._convolve_backward_data(y, z, x, *lists)
lists = (1, 1), (1, 1), (1, 1), 40, False, 1.0, 0.0
_core._convolve_backward_filter(x, y, w, *lists)
_core._convolve_backward_data(y, w, x, *lists)
print(digest.hexdigest(), hashlib.sha256(w.get()).hexdigest(), hashlib.sha256(x.get()).hexdigest())
"""


def call(name, convolution, first, second, result, alpha=1.0, beta=0.0):
    getattr(_core, f"_convolve_{name}")(first, second, result, *convolution.given, alpha, beta)


def operands(convolution, x_shape, w_shape, dtype, seed=0):
    """x, w and dy of a dtype as float64, and what each call gives of them."""
    rng = np.random.default_rng(seed)
    x, w = (rng.standard_normal(shape).astype(dtype).astype("f8") for shape in (x_shape, w_shape))
    y = convolution.forward(x, w)
    dy = rng.standard_normal(y.shape).astype(dtype).astype("f8")
    dx, dw = convolution.backward(x, w, dy)
    return {"forward": (x, w, y), "backward_data": (dy, w, dx), "backward_filter": (x, dy, dw)}


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    drawn=convolutions(),
    dtype=st.sampled_from(sorted(TOLERANCES)),
    layouts=st.tuples(*[st.sampled_from(LAYOUTS)] * 3),
    scales=st.sampled_from(((1.0, 0.0), (2.0, 0.5), (-1.0, 1.0))),
)
def test_convolutions_are_their_definition(drawn, dtype, layouts, scales):
    compare(drawn, dtype, layouts, scales)


@settings(max_examples=EXAMPLES // 2, deadline=None)
@given(
    drawn=st.one_of(convolutions("depthwise"), convolutions("wide")),
    dtype=st.sampled_from(sorted(TOLERANCES)),
    layouts=st.sampled_from(
        (("channels last",) * 3, ("contiguous",) * 3, ("channels last", "negative", "channels last"))
    ),
    scales=st.sampled_from(((1.0, 0.0), (1.0, 0.0), (-1.0, 1.0))),
)
def test_channels_beside_each_other(drawn, dtype, layouts, scales):
    compare(drawn, dtype, layouts, scales)


def compare(drawn, dtype, layouts, scales):
    alpha, beta = scales
    for name, (first, second, expected) in operands(*drawn, dtype).items():
        before = np.full(expected.shape, 3 if beta else np.nan)
        arrays = [laid_out(a, layout, dtype) for a, layout in zip((first, second, before), layouts, strict=True)]
        call(name, drawn[0], *arrays, alpha, beta)
        expected = alpha * expected + (beta * before if beta else 0)
        error = np.abs(arrays[2].get().astype("f8") - expected).max(initial=0)
        assert error <= TOLERANCES[dtype] * (1 + np.abs(expected).max(initial=0)), name


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("inputs", "groups", "layout"),
    [(5, 1, "contiguous"), (40, 40, "channels last"), (40, 1, "contiguous"), (40, 2, "channels last")],
)
def test_bfloat16(name, inputs, groups, layout):
    convolution = Convolution((1, 1), (1, 2), (1, 1), groups, False)
    shapes = (2, inputs, 7, 9), (6 if inputs == 5 else 80, inputs // groups, 3, 3)
    first, second, expected = operands(convolution, *shapes, "f4")[name]
    arrays = [laid_out(a, layout, "f4").astype("bfloat16") for a in (first, second, np.zeros(expected.shape))]
    call(name, convolution, *arrays)
    error = np.abs(arrays[2].astype("f4").get() - expected).max()
    assert error < 0.03 * (1 + np.abs(expected).max())


@pytest.mark.parametrize("name", ["backward_data", "backward_filter"])
def test_gradients_are_those_of_finite_differences(name):
    """Of the sum of forward's result times dy, which is linear in x and in w."""
    convolution = Convolution((1, 2), (2, 1), (1, 2), 2, True)
    x, w, _ = operands(convolution, (2, 4, 5, 6), (6, 2, 3, 2), "f8")["forward"]
    dy = operands(convolution, (2, 4, 5, 6), (6, 2, 3, 2), "f8")["backward_data"][0]
    x, w, dy = map(tn.asarray, (x, w, dy))
    gradient = tn.zeros_like(x if name == "backward_data" else w)
    call(name, convolution, *((dy, w) if name == "backward_data" else (x, dy)), gradient)
    varied, y = (x if name == "backward_data" else w), tn.zeros_like(dy)
    for place in [(0,) * 4, tuple(size - 1 for size in varied.shape), (1, 1, 2, 1)]:
        totals = []
        for step in (0.5, -0.5):
            varied[place] += step
            call("forward", convolution, x, w, y)
            totals.append(float((y * dy).sum()))
            varied[place] -= step
        assert float(gradient[place]) == pytest.approx(totals[0] - totals[1], rel=1e-11)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("x_shape", "w_shape", "strides", "groups"),
    [
        ((2, 64, 30, 30), (48, 64, 3, 3), (1, 1), 1),  # boxes of some rows
        ((1, 700, 12, 12), (9, 700, 3, 3), (1, 1), 1),  # more channels than are summed at once
        ((3, 256, 7, 7), (80, 256, 3, 3), (1, 1), 1),  # filters in parts
        ((8, 70, 7, 7), (36, 70, 3, 3), (1, 1), 1),  # short rows, which are copied
        ((2, 16, 21, 20), (300, 16, 1, 1), (1, 1), 1),  # rows in pieces; blocks of outputs
        ((2, 24, 21, 20), (80, 12, 1, 3), (1, 2), 2),
        ((40, 8, 7, 7), (8, 8, 7, 7), (1, 1), 1),  # one place: the batch lies last
        ((3, 32, 40, 40), (32, 1, 5, 5), (2, 2), 32),  # depthwise
        ((1, 2, 100_000), (3, 2, 9), (3,), 1),
        ((2, 1, 3, 40_000), (1, 1, 2, 50), (1, 1), 1),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS[:2])
def test_large_convolutions(name, x_shape, w_shape, strides, groups, layout):
    axes = len(x_shape) - 2
    convolution = Convolution((1,) * axes, strides, (1,) * axes, groups, False)
    pad = 0 if w_shape[2:] in ((7, 7), (1, 1)) else 1
    convolution.given = (pad,) * axes, *convolution.given[1:]
    first, second, expected = operands(convolution, x_shape, w_shape, "f4")[name]
    arrays = [laid_out(a, layout, "f4") for a in (first, second, np.zeros(expected.shape))]
    call(name, convolution, *arrays)
    assert np.abs(arrays[2].get() - expected).max() < 2e-5 * np.abs(expected).max()


def test_results_do_not_depend_on_threads():
    results = {output_of(ON_THREADS, {"TENORITE_NUM_THREADS": threads}) for threads in ("1", "2", "5")}
    assert len(results) == 1


def test_a_result_may_overlap_what_is_read():
    convolution = Convolution((1,), (1,), (1,), 1, False)
    x, w, expected = operands(convolution, (2, 3, 8), (3, 3, 3), "f8")["forward"]
    same = tn.asarray(x)
    call("forward", convolution, same, tn.asarray(w), same)
    np.testing.assert_allclose(same.get(), expected, rtol=1e-12, atol=1e-13)


def test_nothing_to_sum():
    """Without input channels or a batch only beta counts."""
    convolution = Convolution((0,), (1,), (1,), 1, False)
    y = tn.full((2, 3, 4), 5.0)
    call("forward", convolution, tn.zeros((2, 0, 4)), tn.zeros((3, 0, 1)), y, 1.0, 2.0)
    assert (y.get() == 10).all()
    dw = tn.full((3, 2, 1), np.nan)
    call("backward_filter", convolution, tn.zeros((0, 2, 4)), tn.zeros((0, 3, 4)), dw)
    assert (dw.get() == 0).all()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"w": ((4, 3, 3, 3), "f8")}, TypeError, "w is float64, but x is float32"),
        ({"x": ((2, 3, 8, 8), "i4")}, TypeError, "x must be float16, bfloat16, float32 or float64, not int32"),
        ({"y": ((2, 4, 6, 7), "f4")}, ValueError, r"y has shape \(2,4,6,7\) and must have \(2,4,6,6\)"),
        ({"w": ((4, 2, 3, 3), "f4")}, ValueError, "3 channels of x in 1 groups do not fit w"),
        ({"w": ((4, 3, 3), "f4")}, ValueError, "w has 3 axes, but x has 4"),
        ({"x": ((2, 3), "f4")}, ValueError, "pads, strides and dilations must have a number for each"),
        ({"strides": (1, 0)}, ValueError, "strides must be at least 1"),
        ({"pads": (-1, 0)}, ValueError, "pads must be at least 0"),
        ({"pads": (1,)}, ValueError, "pads, strides and dilations must have a number for each"),
        ({"groups": 0}, ValueError, "groups must be at least 1"),
    ],
)
def test_refusals(change, error, words):
    shapes = {"x": ((2, 3, 8, 8), "f4"), "w": ((4, 3, 3, 3), "f4"), "y": ((2, 4, 6, 6), "f4")}
    lists = {"pads": (0, 0), "strides": (1, 1), "dilations": (1, 1), "groups": 1}
    for name, value in change.items():
        (shapes if name in shapes else lists)[name] = value
    arrays = [tn.zeros(*value) for value in shapes.values()]
    with pytest.raises(error, match=words):
        _core._convolve_forward(*arrays, *lists.values(), False, 1.0, 0.0)
