"""Edges that NumPy's own tests look at: warnings, flags, refusals of what is no number or shape."""

import warnings

import numpy as np
import pytest
import tenorite as tn


def both(function):
    """What a function of the package gives: for NumPy, and for ours on the host."""
    theirs, ours = function(np), function(tn)
    return np.asarray(theirs), ours.get() if isinstance(ours, tn.ndarray) else np.asarray(ours)


def warned(function):
    """The texts of the RuntimeWarnings that a call gives, but those of floating-point errors."""
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        function()
    return [str(one.message) for one in given if "encountered" not in str(one.message)]


# --- Means and variances of nothing ---

FEW = {
    "mean": lambda m: m.mean(m.array([])),
    "mean of an axis": lambda m: m.ones((0, 3)).mean(axis=0),
    "mean of another axis": lambda m: m.ones((0, 3)).mean(axis=1),
    "mean of no results": lambda m: m.ones((0, 0)).mean(axis=0),
    "mean of no axis": lambda m: m.ones((0, 3)).mean(axis=()),
    "mean of some": lambda m: m.ones((2, 3)).mean(axis=-1),
    "var": lambda m: m.array([]).var(),
    "std with ddof": lambda m: m.std(m.ones(3), ddof=3),
    "std with correction": lambda m: m.std(m.ones(3), correction=4.5),
    "std of enough": lambda m: m.std(m.ones(4), ddof=3),
    "var of an axis": lambda m: m.var(m.ones((4, 1)), axis=-1, ddof=1),
    "var about a mean": lambda m: m.var(m.ones(3), ddof=3, mean=m.ones(1)),
    "nanmean": lambda m: m.nanmean(m.array([])),
    "nanvar": lambda m: m.nanvar(m.ones((3, 1)), axis=1, ddof=1),
    "nanstd of enough": lambda m: m.nanstd(m.ones((3, 2)), axis=1, ddof=1),
    "median": lambda m: m.median(m.array([])),
    "cov": lambda m: m.cov(m.array([1.0])),
}


@pytest.mark.parametrize("call", FEW.values(), ids=FEW)
def test_warnings_of_few(call):
    assert warned(lambda: call(tn)) == warned(lambda: call(np))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, ours = both(call)
    np.testing.assert_array_equal(ours, theirs)


def test_a_warning_may_be_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for call in (tn.array([]).mean, lambda: tn.var(tn.ones((2, 1)), axis=1, ddof=1)):
            with pytest.raises(RuntimeWarning):
                call()


# --- Indices, shapes and flags ---


@pytest.mark.parametrize("axis", [0, 1])
def test_reduceat_of_no_indices(axis):
    made = tn.add.reduceat(tn.ones((5, 2)), [], axis=axis)
    assert made.shape == np.add.reduceat(np.ones((5, 2)), [], axis=axis).shape
    with pytest.raises(IndexError, match="integer"):
        tn.add.reduceat(tn.ones(3), tn.array([]))


def test_a_view_is_resized_to_as_many_elements():
    for order in "CF":
        for view in (tn.arange(6).reshape((2, 3), order=order).view(), tn.ones((2, 3), order=order)):
            theirs = np.asarray(view.get(), order=order).copy(order="K")
            theirs.resize((3, 2), refcheck=False)
            view.resize((3, 2))
            np.testing.assert_array_equal(view.get(), theirs)
    with pytest.raises(ValueError, match="single-segment"):
        tn.ones((4, 4))[::2, ::2].resize((4,))


def test_aligned():
    numbers = np.dtype([("a", "f4"), ("b", "u1")])
    for make in (
        lambda m: m.zeros((3, 3), numbers)["a"],
        lambda m: m.zeros((3, 3), numbers)["b"],
        lambda m: m.zeros((0, 3), numbers)["a"],
        lambda m: m.zeros((1, 1), numbers)["a"],
        lambda m: m.zeros((2, 2)).T,
    ):
        assert make(tn).flags.aligned == make(np).flags.aligned


def test_masks_of_flat_elements():
    elements = tn.arange(9).flat
    with pytest.raises(IndexError, match="boolean indices for iterators are not supported"):
        elements[[True, True]]
    assert elements[[True, 1]].tolist() == np.arange(9).flat[[True, 1]].tolist()


AXES = {
    "fftshift": lambda m: m.fft.fftshift(m.arange(6.0).reshape(2, 3), axes=np.array([0, 1])),
    "fftshift of a range": lambda m: m.fft.fftshift(m.arange(6.0).reshape(2, 3), axes=range(2)),
    "ifftshift of one axis": lambda m: m.fft.ifftshift(m.arange(6.0).reshape(2, 3), axes=np.int64(-1)),
    "tensordot": lambda m: m.tensordot(m.ones((2, 3)), m.ones((2, 3)), axes=np.array([[0, 1], [0, 1]])),
    "tensordot of sides": lambda m: m.tensordot(m.ones((2, 3)), m.ones((3, 2)), axes=(np.array([1]), np.int64(0))),
    "vecdot of kept dimensions": lambda m: m.vecdot(*[m.arange(24.0).reshape(2, 3, 4)] * 2, axes=[0, 0], keepdims=True),
    "tensordot of a number": lambda m: m.tensordot(m.ones((2, 3)), m.ones((3, 2)), axes=np.array(1)),
}


@pytest.mark.parametrize("call", AXES.values(), ids=AXES)
def test_axes_that_are_arrays(call):
    theirs, ours = both(call)
    np.testing.assert_allclose(ours, theirs)


# --- Texts of refusals ---

REFUSED = {
    "transpose": (lambda m: m.matrix_transpose(m.ones(3)), ValueError, "at least 2-dimensional, but it is 1"),
    "transpose of linalg": (lambda m: m.linalg.matrix_transpose(m.ones(3)), ValueError, "at least 2-dim"),
    "hstack": (lambda m: m.hstack(m.ones(3) for _ in range(2)), TypeError, "arrays to stack must be"),
    "can_cast": (lambda m: m.can_cast("i4", None), TypeError, "'None' not accepted"),
    "chances": (lambda m: m.random.choice(m.arange(2), 3, p=m.array([0.4, 0.4])), ValueError, "do not sum to 1"),
    "below 0": (lambda m: m.random.choice(2, 3, p=m.array([1.5, -0.5])), ValueError, "are not non-negative"),
    "NaN": (lambda m: m.random.choice(2, 3, p=m.array([m.nan, 1.0])), ValueError, "contain NaN"),
    "too few": (lambda m: m.random.choice(3, 2, False, m.array([1, 0, 0])), ValueError, "Fewer non-zero entries in p"),
    "negative": (
        lambda m: m.random.choice(3, -2, replace=False),
        ValueError,
        "(?i)negative dimensions are not allowed",
    ),
    "pvals": (lambda m: m.random.multinomial(10, 0.3), TypeError, "pvals must be a 1-d"),
    "pvals of two axes": (lambda m: m.random.multinomial(10, [[0, 1]]), ValueError, None),
    "like": (lambda m: m.require([1], like=3), TypeError, "array-like that implements"),
}


@pytest.mark.parametrize(("call", "error", "text"), REFUSED.values(), ids=REFUSED)
def test_refusals(call, error, text):
    for package in (np, tn):
        with pytest.raises(error, match=text):
            call(package)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_chances_of_short_floats(dtype):
    """Their sum is 1 as nearly as the dtype allows."""
    chances = np.array([4, 4, 2], dtype) / np.array(10, dtype)
    for p in (chances, tn.asarray(chances)):
        assert int(tn.random.default_rng(3).choice(3, p=p)) in (0, 1, 2)
        with pytest.raises(ValueError, match="do not sum to 1"):
            tn.random.default_rng(3).choice(3, p=p * p.dtype.type(0.9))


@pytest.mark.parametrize("endpoint", [False, True])
def test_no_integers_of_no_range(endpoint):
    for size in (0, (3, 0, 4)):
        assert tn.random.default_rng(3).integers(5, -10, size, endpoint=endpoint).size == 0
    with pytest.raises(ValueError, match="low >"):
        tn.random.default_rng(3).integers(5, -10, 1, endpoint=endpoint)


def test_out_of_permuted():
    rng, x = tn.random.default_rng(3), tn.ones((3, 5))
    with pytest.raises(ValueError, match="same shape"):
        rng.permuted(x, out=tn.zeros((1, 3, 5)))
    with pytest.raises(TypeError, match="Cannot cast"):
        rng.permuted(x, axis=1, out=tn.zeros((3, 5), "i4"))
    out = tn.zeros((3, 5), "c16")
    assert rng.permuted(x, axis=1, out=out) is out
    assert (out == 1).all()


def test_require_takes_like():
    assert tn.require(tn.ones(2), like=tn.ones(1)).tolist() == [1, 1]
