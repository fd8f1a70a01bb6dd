"""Pooling and its gradients beside their definition."""

import itertools
import os

import numpy as np
import pytest
import tenorite as tn
from hypothesis import given, settings, strategies as st
from maps import LAYOUTS, TOLERANCES, laid_out
from tenorite import _core

pytestmark = pytest.mark.quick

EXAMPLES = int(os.environ.get("TENORITE_DRAWN_CALLS", 15_000)) // 100
LARGEST, MEAN, MEAN_INSIDE = range(3)


def window_elements(place, sizes, window, pads, strides):
    """Places of the elements that a window has, in order C."""
    begins = [q * s - p for q, s, p in zip(place, strides, pads, strict=True)]
    ranges = [
        range(max(begin, 0), min(begin + width, size)) for begin, width, size in zip(begins, window, sizes, strict=True)
    ]
    return list(itertools.product(*ranges))


def padded_count(place, sizes, window, pads, strides):
    """How many places of a window the maps with their pads have."""
    each = zip(place, sizes, window, pads, strides, strict=True)
    return np.prod([min(q * s - p + width, size + p) - (q * s - p) for q, size, width, p, s in each])


def largest(values, counts_nan):
    """The first largest of [element, batch, channel], and its number (-1: none)."""
    best, number = np.full(values.shape[1:], -np.inf), np.full(values.shape[1:], -1)
    for k, value in enumerate(values):
        takes = (value > best) | ((number < 0) & (value == value))
        if counts_nan:
            takes = (takes | (value != value)) & (best == best)
        best, number = np.where(takes, value, best), np.where(takes, k, number)
    return best, number


def pooled(x, dy, kind, window, pads, strides, counts_nan):
    """y and dx by their definition."""
    y, dx = np.zeros(dy.shape), np.zeros(x.shape)
    for place in itertools.product(*map(range, dy.shape[2:])):
        at = (slice(None), slice(None), *place)
        elements = window_elements(place, x.shape[2:], window, pads, strides)
        values = np.stack([x[(slice(None), slice(None), *e)] for e in elements])
        if kind == LARGEST:
            y[at], number = largest(values, counts_nan)
            for k, e in enumerate(elements):
                dx[(slice(None), slice(None), *e)] += np.where(number == k, dy[at], 0)
            continue
        count = len(elements) if kind == MEAN_INSIDE else padded_count(place, x.shape[2:], window, pads, strides)
        y[at] = values.sum(axis=0) / count
        for e in elements:
            dx[(slice(None), slice(None), *e)] += dy[at] / count
    return y, dx


@st.composite
def poolings(draw):
    """Shapes of x and y, the window, pads and strides."""
    axes = draw(st.sampled_from((1, 2, 2, 3)))
    window = tuple(draw(st.integers(1, 4)) for _ in range(axes))
    pads = tuple(draw(st.integers(0, width - 1)) for width in window)
    strides = tuple(draw(st.integers(1, 5)) for _ in range(axes))
    sizes = [
        max(width - 2 * pad, 1) + draw(st.integers(0, {1: 40, 2: 10, 3: 4}[axes]))
        for width, pad in zip(window, pads, strict=True)
    ]
    counts = [(n + 2 * p - w) // s + 1 for n, p, w, s in zip(sizes, pads, window, strides, strict=True)]
    if draw(st.booleans()):  # as many windows as have an element
        counts = [(n + p - 1) // s + 1 for n, p, s in zip(sizes, pads, strides, strict=True)]
    outer = draw(st.sampled_from((1, 2, 5))), draw(st.sampled_from((1, 3, 20)))
    return (*outer, *sizes), (*outer, *counts), window, pads, strides


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    drawn=poolings(),
    dtype=st.sampled_from(sorted(TOLERANCES)),
    kind=st.integers(0, 2),
    counts_nan=st.booleans(),
    values=st.sampled_from(("normal", "ties", "nan", "infinite")),
    layouts=st.one_of(st.just(("channels last",) * 3), st.tuples(*[st.sampled_from(LAYOUTS)] * 3)),
    scales=st.sampled_from(((1.0, 0.0), (1.0, 0.0), (2.0, 0.5))),
)
def test_pooling_is_its_definition(drawn, dtype, kind, counts_nan, values, layouts, scales):
    x_shape, y_shape, *lists = drawn
    rng = np.random.default_rng(0)
    x = rng.standard_normal(x_shape) if values == "normal" else rng.integers(-3, 3, x_shape).astype("f8")
    if kind == LARGEST and values in ("nan", "infinite"):
        x[rng.random(x_shape) < 0.4] = np.nan if values == "nan" else -np.inf
    x, dy = x.astype(dtype).astype("f8"), rng.standard_normal(y_shape).astype(dtype).astype("f8")
    alpha, beta = scales
    calls = zip(("forward", "backward"), ((x,), (x, dy)), pooled(x, dy, kind, *lists, counts_nan), strict=True)
    for name, given_arrays, expected in calls:
        before = np.full(expected.shape, 3 if beta else np.nan)
        result = laid_out(before, layouts[2], dtype)
        arrays = [laid_out(a, layout, dtype) for a, layout in zip(given_arrays, layouts, strict=False)]
        getattr(_core, f"_pooling_{name}")(*arrays, result, kind, *lists, counts_nan, alpha, beta)
        expected = alpha * expected + (beta * before if beta else 0)
        tolerance = 8 * TOLERANCES[dtype]
        np.testing.assert_allclose(result.get().astype("f8"), expected, tolerance, tolerance, err_msg=name)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("counts_nan", [False, True])
@pytest.mark.parametrize("strides", [(1, 2), (2, 3), (3, 1)])
@pytest.mark.parametrize("layout", LAYOUTS[:2])
def test_rows_of_gradients(layout, strides, counts_nan, dtype):
    """Rows and channels that are longer than vectors, with ties, NaN and infinities."""
    rng, window, pads = np.random.default_rng(1), (2, 3), (1, 1)
    x = rng.integers(-2, 3, (2, 18, 5, 81)).astype(dtype)
    x[rng.random(x.shape) < 0.4] = np.nan
    x[rng.random(x.shape) < 0.4] = -np.inf
    counts = [(n + p - 1) // s + 1 for n, p, s in zip(x.shape[2:], pads, strides, strict=True)]
    dy = rng.integers(-9, 9, (*x.shape[:2], *counts)).astype(dtype)
    for kind in (LARGEST, MEAN, MEAN_INSIDE):
        _, expected = pooled(x.astype("f8"), dy.astype("f8"), kind, window, pads, strides, counts_nan)
        dx = laid_out(np.full(x.shape, np.nan), layout, dtype)
        given_arrays = laid_out(x, layout, dtype), laid_out(dy, layout, dtype)
        _core._pooling_backward(*given_arrays, dx, kind, window, pads, strides, counts_nan, 1.0, 0.0)
        np.testing.assert_allclose(dx.get(), expected, 1e-5, 1e-5)


@pytest.mark.parametrize("kind", [LARGEST, MEAN, MEAN_INSIDE])
@pytest.mark.parametrize(
    ("x_shape", "window", "pads", "strides"),
    [
        ((2, 70, 61, 40), (3, 3), (1, 1), (2, 2)),  # boxes that share elements
        ((1, 1, 300_000), (5,), (2,), (1,)),
        ((1, 2, 200, 300), (9, 7), (3, 3), (1, 2)),
        ((9, 300, 7, 7), (7, 7), (0, 0), (7, 7)),
        ((2, 141, 90, 40), (3, 3), (1, 0), (2, 1)),  # bands of blocks of channels
    ],
)
def test_large_pooling(kind, x_shape, window, pads, strides):
    counts = [(n + 2 * p - w) // s + 1 for n, p, w, s in zip(x_shape[2:], pads, window, strides, strict=True)]
    rng = np.random.default_rng(0)
    x, dy = rng.standard_normal(x_shape).astype("f4"), rng.standard_normal((*x_shape[:2], *counts)).astype("f4")
    for layout in LAYOUTS[:2]:
        y, dx = (laid_out(np.full(shape, np.nan), layout, "f4") for shape in (dy.shape, x_shape))
        given_x = laid_out(x, layout, "f4")
        _core._pooling_forward(given_x, y, kind, window, pads, strides, False, 1.0, 0.0)
        _core._pooling_backward(given_x, laid_out(dy, layout, "f4"), dx, kind, window, pads, strides, False, 1.0, 0.0)
        # By windows of NumPy's, of maps with a margin.
        fill = np.nan if kind != MEAN else 0
        margin = np.pad(x.astype("f8"), [(0, 0), (0, 0), *((p, p) for p in pads)], constant_values=fill)
        axes = tuple(range(2, 2 + len(window)))
        views = np.lib.stride_tricks.sliding_window_view(margin, window, axes)
        views = views[(slice(None), slice(None), *(slice(None, None, s) for s in strides))]
        flat = views.reshape(*views.shape[: 2 + len(window)], -1)
        expected = np.nanmax(flat, -1) if kind == LARGEST else np.nanmean(flat, -1)
        np.testing.assert_allclose(y.get(), expected, 1e-5, 1e-6)
        # Each window hands its gradient on, and linear ones are transposes of each other.
        if kind == LARGEST:
            assert float(dx.sum(dtype="f8")) == pytest.approx(dy.sum(dtype="f8"), rel=1e-4, abs=1e-2)
        else:
            assert float((dx * tn.asarray(x)).sum(dtype="f8")) == pytest.approx(
                (dy.astype("f8") * expected).sum(), rel=1e-4, abs=1e-2
            )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": 3}, "kind 3 of pooling is none"),
        ({"window": (2, 0)}, "window must be at least 1"),
        ({"pads": (2, 0)}, "pads must be smaller than the window, not 2 of 2"),
        ({"y": (2, 3, 9, 4)}, "the last of 9 windows along axis 2 has no element of 8"),
        ({"y": (2, 2, 4, 4)}, r"y has shape \(2,2,4,4\) and must have \(2,3,4,4\)"),
        ({"strides": (2,)}, "window, pads and strides must have a number for each spatial axis"),
    ],
)
def test_refusals(change, words):
    given_lists = {"y": (2, 3, 4, 4), "kind": 0, "window": (2, 2), "pads": (0, 0), "strides": (2, 2), **change}
    y = tn.zeros(given_lists.pop("y"))
    with pytest.raises(ValueError, match=words):
        _core._pooling_forward(tn.zeros((2, 3, 8, 8)), y, *given_lists.values(), False, 1.0, 0.0)
