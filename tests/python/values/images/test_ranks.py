"""Ranks, morphology and functions of the program over windows: the same elements as SciPy's."""

import os

import numpy as np
import pytest
import scipy.ndimage as theirs
import tenorite as tn
from images import INTEGERS, MODES, SHAPES, check, image
from tenorite.scipy import ndimage as ours

DTYPES = ("?", *INTEGERS, "u4", "f4", "f8")
GREY = (
    "grey_erosion",
    "grey_dilation",
    "grey_opening",
    "grey_closing",
    "white_tophat",
    "black_tophat",
    "morphological_gradient",
)
ROUNDS = 20 if os.environ.get("TENORITE_WHOLE") == "1" else 1


def cases(seed, dtype):
    rng = np.random.default_rng(seed)
    for _ in range(ROUNDS):
        for shape in SHAPES:
            given = {"mode": MODES[rng.integers(len(MODES))], "cval": float(rng.integers(0, 2))}
            footprint = rng.random((3,) * len(shape)) < 0.6
            footprint.flat[:2] = True
            yield rng, image(rng, shape, dtype), footprint, given


def both(name, *args, **kwargs):
    check(getattr(ours, name), getattr(theirs, name), *args, **kwargs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_ranks(dtype):
    for rng, a, footprint, given in cases(1, dtype):
        size = int(rng.integers(1, 9))
        both("minimum_filter", a, 3, **given)
        both("maximum_filter", a, size=4, origin=1, **given)
        both("minimum_filter", a, footprint=footprint, **given)
        both("maximum_filter", a, footprint=footprint, origin=-1, **given)
        both("minimum_filter1d", a, size, 0, **given)
        both("maximum_filter1d", a, size, origin=-(size // 2), **given)
        both("median_filter", a, 3, **given)
        both("rank_filter", a, 1, footprint=footprint, **given)
        both("rank_filter", a, -1, 3, **given)
        both("percentile_filter", a, 30, 4, **given)
        both("median_filter", a, 3, axes=(-1,), **given)


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8"])
def test_large_windows(dtype):
    a = image(np.random.default_rng(2), (37, 70), dtype)
    for size in (5, 7, (3, 9), (1, 21), (21, 1), 11, 12, 15):
        both("median_filter", a, size, mode="mirror")
        both("percentile_filter", a, 20, size, mode="constant", cval=3.5)
        both("maximum_filter", a, size, mode="wrap")
    both("minimum_filter1d", a, 101, mode="reflect")
    both("rank_filter", a[0], 100, 300)
    both("median_filter", image(np.random.default_rng(3), (12, 13, 14), dtype), (3, 5, 3))


@pytest.mark.parametrize("dtype", DTYPES)
def test_grey_morphology(dtype):
    for rng, a, footprint, given in cases(4, dtype):
        whole = rng.integers(0, 5, footprint.shape).astype("f8")
        for name in (*GREY, "morphological_laplace"):
            if name == "morphological_laplace" and dtype == "?":
                continue
            both(name, a, 3, **given)
            both(name, a, footprint=footprint, **given)
            if a.dtype.kind == "f":
                both(name, a, structure=whole + 0.25, eps=1e-6 if dtype == "f4" else 1e-15, **given)
            elif a.dtype.kind == "i" and a.dtype.itemsize > 1:
                both(name, a, structure=whole, footprint=footprint, **given)


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f4"])
def test_binary_morphology(dtype):
    for rng, a, footprint, _ in cases(5, dtype):
        mask, border = image(rng, a.shape, "?"), int(rng.integers(2))
        for name in ("binary_erosion", "binary_dilation", "binary_opening", "binary_closing"):
            both(name, a)
            both(name, a, structure=footprint, border_value=border)
            both(name, a, iterations=3, border_value=border)
            both(name, a, mask=mask, iterations=2, brute_force=True)
            both(name, a, structure=np.ones(3), axes=(-1,), origin=1)
        for name in ("binary_erosion", "binary_dilation"):
            both(name, a, iterations=-1, mask=mask, border_value=border)
        few = image(rng, a.shape, "?") & mask & image(rng, a.shape, "?")
        both("binary_propagation", few, mask=mask)
        both("binary_propagation", few, mask=mask, structure=np.ones(footprint.shape), border_value=border)
        both("binary_fill_holes", a)
        both("binary_hit_or_miss", a)
        both("binary_hit_or_miss", a, structure1=footprint, origin1=-1)


def test_outputs_of_binary_morphology():
    a = image(np.random.default_rng(6), (20, 30), "?")
    for output in ("u1", "f4", "i8"):
        into, wanted = tn.zeros((20, 30), output), np.zeros((20, 30), output)
        theirs.binary_erosion(a, output=wanted)
        assert ours.binary_erosion(tn.asarray(a), output=into) is into and (into.get() == wanted).all()
        assert ours.binary_fill_holes(tn.asarray(a), output=into) is None
        theirs.binary_fill_holes(a, output=wanted)
        assert (into.get() == wanted).all()
    same = tn.asarray(a)
    ours.binary_dilation(same, output=same, iterations=2)
    assert (same.get() == theirs.binary_dilation(a, iterations=2)).all()


def test_spirals():
    """What spreads along one long way through the mask."""
    mask = np.zeros((61, 61), bool)
    for k in range(0, 30, 2):
        mask[k, k : 61 - k] = mask[60 - k, k : 61 - k] = mask[k : 61 - k, k] = mask[k : 61 - k, 60 - k] = True
        mask[k + 1, k], mask[k + 2, k + 1] = False, True
    start = np.zeros_like(mask)
    start[0, 0] = True
    both("binary_propagation", start, mask=mask)
    both("binary_fill_holes", mask)


def test_structures():
    for rank in range(4):
        for connectivity in range(rank + 2):
            wanted = theirs.generate_binary_structure(rank, connectivity)
            found = ours.generate_binary_structure(rank, connectivity)
            assert found.shape == wanted.shape and (found.get() == wanted).all()
    cross = theirs.generate_binary_structure(2, 1)
    for iterations in range(1, 4):
        both("iterate_structure", cross, iterations)
    found, origin = ours.iterate_structure(tn.asarray(cross), 3, -1)
    assert origin == theirs.iterate_structure(cross, 3, -1)[1] and found.shape == (7, 7)


# --- Functions of the program ---

RAW = """extern "C" __global__ void largest(double *window, int size, double *result) {
    *result = window[0];
    for (int k = 1; k < size; k++) *result = window[k] > *result ? window[k] : *result;
}"""
LINE = """extern "C" __global__ void rise(double *line, ptrdiff_t length, double *out, ptrdiff_t count) {
    for (ptrdiff_t k = 0; k < count; k++) out[k] = line[k + length - count] - line[k];
}"""


def rise(line, out):
    out[...] = line[line.size - out.size :] - line[: out.size]


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_generic_filters(dtype):
    raw, whole = tn.RawKernel(RAW, "largest"), tn.RawKernel(LINE, "rise")
    reduction = tn.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", "-1e30", "image_largest")
    for _, a, footprint, given in cases(7, dtype):
        wanted = theirs.maximum_filter(a, footprint=footprint, **given)
        for function in (raw, reduction, np.max):
            found = ours.generic_filter(tn.asarray(a), function, footprint=footprint, **given)
            assert found.dtype == a.dtype and (found.get() == wanted).all()
        assert (ours.generic_filter(tn.asarray(a), raw, 3).get() == theirs.maximum_filter(a, 3)).all()
        wanted = theirs.generic_filter1d(a, rise, 4, axis=0, **given)
        for function in (whole, rise):
            assert (ours.generic_filter1d(tn.asarray(a), function, 4, axis=0, **given).get() == wanted).all()


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i4"])
def test_ranks_put_the_stored_value_beyond_edges_in_order(dtype):
    a, footprint = np.arange(1, 21, dtype=dtype).reshape(4, 5), np.array([[1, 0, 1], [1, 1, 0]], bool)
    for cval in (-1.0, 255.9, -3.7):
        for given in ({"size": 3}, {"footprint": footprint}, {"size": 3, "axes": 1}):
            check(ours.median_filter, theirs.median_filter, a, mode="constant", cval=cval, **given)
            check(ours.percentile_filter, theirs.percentile_filter, a, 40, mode="constant", cval=cval, **given)


def test_generic_filters_name_elements_of_their_window():
    below = tn.ReductionKernel(
        "X x", "Y y", "_raw_x[_in_ind.size() / 2] > x", "a + b", "y = a", "0", "image_below", reduce_type="int"
    )
    mean = tn.ReductionKernel("float64 x", "Y y", "x", "a + b", "y = a / _in_ind.size()", None, "image_mean")

    def counted(window):
        return (window[window.size // 2] > window).sum()

    a, footprint = image(np.random.default_rng(9), (6, 7), "i4"), np.array([[1, 0, 1], [1, 1, 0]], bool)
    given = {"footprint": footprint, "mode": "wrap", "origin": (0, -1)}
    for output in (None, np.float64):
        wanted = theirs.generic_filter(a, counted, output=output, **given)
        found = ours.generic_filter(tn.asarray(a), below, output=output, **given)
        assert found.dtype == wanted.dtype and (found.get() == wanted).all()
    wanted = theirs.generic_filter(a, np.mean, output=float, **given)
    np.testing.assert_allclose(
        ours.generic_filter(tn.asarray(a), mean, output=float, **given).get(), wanted, rtol=1e-12
    )


def test_generic_filters_see_cval_as_it_is():
    raw = tn.RawKernel(RAW, "largest")
    for function in (raw, np.max):
        found = ours.generic_filter(tn.zeros(3, "i4"), function, 3, mode="constant", cval=0.5, output=float)
        assert found.tolist() == [0.5, 0, 0.5]


def test_generic_filters_refuse():
    largest = tn.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None, "image_none")
    with pytest.raises(ValueError, match="image_none has no identity"):
        ours.generic_filter(tn.ones(4), largest, footprint=[False, False])
    a, elementwise = tn.ones(4), tn.ElementwiseKernel("T x", "T y", "y = x", "image_copy")
    for function in (elementwise, 3):
        with pytest.raises(TypeError):
            ours.generic_filter(a, function, 3)
    with pytest.raises(TypeError):
        ours.generic_filter(a, tn.ReductionKernel("T x, T y", "T z", "x", "a + b", "z = a", "0", "image_two"), 3)


def test_vectorized_filter():
    a = image(np.random.default_rng(8), (9, 8), "f8")
    for given in (
        {"size": 3},
        {"size": (2, 3), "mode": "wrap", "origin": (0, 1)},
        {"footprint": [[1, 0, 1], [0, 1, 1]], "mode": "constant", "cval": 2.0},
        {"size": 3, "axes": 0, "mode": "nearest"},
        {"size": 3, "mode": "valid", "batch_memory": 2000},
        {"size": 3, "batch_memory": np.inf},
    ):
        wanted = theirs.vectorized_filter(a, np.median, **given)
        assert (ours.vectorized_filter(tn.asarray(a), tn.median, **given).get() == wanted).all()
    assert float(ours.vectorized_filter(tn.asarray(2.0), tn.mean, size=())) == 2
    with pytest.raises(ValueError, match="All elements of `origin` must be integers"):
        ours.vectorized_filter(tn.asarray(a), tn.mean, size=3, origin=0.5)


@pytest.mark.parametrize("name", ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing"])
def test_binary_structures_by_their_sizes(name):
    """As in CuPy."""
    a, operation = tn.asarray(image(np.random.default_rng(5), (9, 11), "?")), getattr(ours, name)
    for sizes, box in (((2, 3), (2, 3)), (3, (3, 3))):
        assert (operation(a, sizes) == operation(a, np.ones(box, bool))).all()
    assert (operation(a[0], 3) == operation(a[0], np.ones(3, bool))).all()


@pytest.mark.parametrize("name", (*GREY, "minimum_filter", "maximum_filter"))
def test_no_window_is_without_elements(name):
    """SciPy reads beyond its memory where there is a structure, too."""
    footprint = np.zeros((2, 2), bool)
    options = [{}, {"structure": np.ones((2, 2))}] if name in GREY else [{}]
    for given in options:
        with pytest.raises(ValueError, match="All-zero footprint is not supported"):
            getattr(ours, name)(tn.ones((4, 4)), footprint=footprint, **given)
