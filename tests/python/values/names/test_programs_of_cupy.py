"""Arguments, warnings and refusals that programs and tests written for CuPy rely on."""

import pickle
import warnings
from unittest import mock

import numpy as np
import pytest
import tenorite as tn
from programs import python

pytestmark = pytest.mark.quick


def same(ours, theirs):
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(ours.get(), theirs)


# --- Lists beside arrays ---


def test_lists_are_taken_where_cupy_takes_them():
    same(tn.linspace([0, 1], [4, 5], 5), np.linspace([0, 1], [4, 5], 5))
    same(tn.linalg.cond([[1.0, 2.0], [3.0, 4.0]]), np.asarray(np.linalg.cond([[1.0, 2.0], [3.0, 4.0]])))
    for before, after in (([-1, 0], None), (None, [9]), (np.array([3]), [1, 2])):
        ends = {name: end for name, end in (("prepend", before), ("append", after)) if end is not None}
        same(tn.diff(tn.arange(5) ** 2, **ends), np.diff(np.arange(5) ** 2, **ends))
    with pytest.raises(ValueError):
        tn.diff(tn.arange(5), prepend=[[1, 2]])
    with pytest.raises(TypeError, match="prepend"):
        tn.diff(tn.arange(5), prepend="text")


# --- New arrays ---


def test_ndarray_with_strides_and_without_memory():
    for shape, strides in (((2, 3), (24, 8)), ((2, 3), (8, 0)), ((2, 0, 3), (8, 64, 512))):
        a = tn.ndarray(shape, strides=strides, dtype="float64")
        assert a.shape == shape and a.strides == strides
        a[...] = 1
    with pytest.raises(ValueError, match=r"ndarray\(\) with strides"):
        tn.ndarray((2, 3), strides=(1 << 20, 8))
    with pytest.raises(ValueError, match=r"ndarray\(\) with strides"):
        tn.ndarray((2, 3), strides=(-24, 8))


@pytest.mark.parametrize("k", [1 << 63, -(1 << 63), 1 << 70, -(1 << 70), 1])
def test_eye_of_a_diagonal_far_away(k):
    same(tn.eye(3, 4, k), np.eye(3, 4, k))


def test_byte_bounds_of_nothing():
    a = tn.zeros((3, 0, 2))
    assert tn.byte_bounds(a) == (a.data.ptr, a.data.ptr)


# --- Warnings and refusals ---


@pytest.mark.parametrize("join", ["concatenate", "stack", "vstack", "hstack"])
def test_complex_joined_to_real_warns(join):
    with pytest.warns(np.exceptions.ComplexWarning):
        same(getattr(tn, join)([tn.ones(2, "D")] * 2, dtype="d", casting="unsafe"), getattr(np, join)([np.ones(2)] * 2))
    with warnings.catch_warnings(action="error"):
        with pytest.raises(np.exceptions.ComplexWarning):
            getattr(tn, join)([tn.ones(2, "D")] * 2, dtype="d", casting="unsafe")
        with pytest.raises(TypeError):
            getattr(tn, join)([tn.ones(2, "D")] * 2, dtype="d")
        getattr(tn, join)([tn.ones(2, "D")] * 2, dtype="F")


def test_enable_nd_planning_warns():
    with pytest.warns(DeprecationWarning, match="enable_nd_planning"):
        before = tn.fft.config.enable_nd_planning
    for value in (not before, before):
        with pytest.warns(DeprecationWarning, match="enable_nd_planning"):
            tn.fft.config.enable_nd_planning = value
        with pytest.warns(DeprecationWarning):
            assert tn.fft.config.enable_nd_planning is value


def test_cov_of_too_few_observations_warns():
    for ddof in (3, 4):
        with pytest.warns(RuntimeWarning, match="Degrees of freedom"):
            ours = tn.cov(tn.arange(6.0).reshape(2, 3), ddof=ddof)
        assert bool(tn.isinf(ours).all())
    assert tn.cov(tn.zeros((0, 1), "f"), dtype="f").dtype == np.float64


def test_where_of_copyto_is_bool():
    with pytest.raises(TypeError, match="bool"):
        tn.copyto(tn.zeros(3), tn.ones(3), where=tn.arange(3))
    a = tn.zeros(3)
    tn.copyto(a, tn.ones(3), where=[1, 0, 1])
    assert a.tolist() == [1, 0, 1]


@pytest.mark.parametrize("name", ["nan", "posinf", "neginf"])
def test_nan_to_num_does_not_widen(name):
    with pytest.raises(ValueError, match="broadcast"):
        tn.nan_to_num(tn.ones(4), **{name: tn.zeros((2, 4))})
    assert tn.nan_to_num(tn.ones((2, 4)), **{name: tn.zeros(4)}).shape == (2, 4)


@pytest.mark.parametrize("value", [True, False, np.True_])
def test_angle_of_a_bool(value):
    same(tn.angle(value), np.asarray(np.angle(value)))


def test_real_transforms_along_no_axis():
    for transform in ("rfft2", "irfft2", "rfftn"):
        with pytest.raises(IndexError):
            getattr(tn.fft, transform)(tn.ones((3, 4)), axes=())


# --- Random numbers ---


def test_choice_of_none_among_none():
    assert tn.random.choice(0, 0).shape == (0,) and tn.random.choice(0, 0).dtype == np.int64
    assert tn.random.choice(tn.zeros(0), 0).dtype == np.float64
    with pytest.raises(ValueError, match="a must be"):
        tn.random.choice(None, 1)


def test_choice_of_few_among_many():
    """An order of 2**40 elements would not fit any memory."""
    draws = tn.random.RandomState(5).choice(1 << 40, 5000, replace=False).get()
    assert np.unique(draws).size == 5000 and draws.min() >= 0 and draws.max() < 1 << 40
    assert (np.sort(draws) != draws).any()
    few = tn.random.RandomState(5).choice((1 << 20) + 1, 1 << 16, replace=False).get()
    assert np.unique(few).size == 1 << 16  # some are drawn twice and drawn anew
    assert abs(few.mean() / (1 << 19) - 1) < 0.02


def test_seeds_of_parts():
    """Dask spawns the seeds of blocks from the generator's."""
    bits = tn.random.Philox4x3210(3)
    first, second = (type(bits)(seed) for seed in bits._seed_seq.spawn(2))
    assert (first.random_raw(4) != second.random_raw(4)).any()
    copy = pickle.loads(pickle.dumps(bits))
    assert copy._seed_seq.entropy == bits._seed_seq.entropy


def test_structures_of_numpy_for_an_array():
    """Dask's unique() asks so whether it may store the array's elements in NumPy's structures."""
    a = tn.arange(3.0)
    for dtype in ([("values", float), ("counts", int)], np.dtype([("values", float)])):
        with pytest.raises(TypeError, match="empty_like"):
            np.empty_like(a, dtype=dtype)
        assert tn.empty_like(a, dtype=dtype).dtype.names[0] == "values"
    assert np.empty_like(a, dtype="M8[D]").dtype == "M8[D]" and isinstance(np.empty_like(a, dtype=None), tn.ndarray)
    assert np.empty_like(tn.empty(2, [("x", int)])).dtype.names == ("x",)


def test_unique_of_dask():
    """In a process of its own, since Dask keeps arrays."""
    pytest.importorskip("dask.array")
    done = python(
        "-c",
        """
import dask.array, tenorite
blocks = dask.array.from_array(tenorite.array([[3, 1], [1, 2]]), chunks=1, asarray=False)
found = dask.array.unique(blocks).compute()
print(isinstance(found, tenorite.ndarray), found)
""",
    )
    assert done.stdout == "True [1 2 3]\n", done.stderr


# --- The class of arrays under the alias ---

ALIAS = """
import pickle, tenorite
kept = pickle.dumps(tenorite.ones(2))
tenorite.install_as_cupy()
import cupy, cupyx.scipy.sparse
assert type(cupy.ones(1)).__module__ == "cupy" and repr(cupy.ndarray) == "<class 'cupy.ndarray'>"
assert cupyx.scipy.get_array_module(cupy.ones(1)).__name__ == cupyx.scipy.__name__ == "cupyx.scipy"
assert cupy.get_array_module(cupy.ones(1)).__name__ == "cupy" and tenorite.cuda.__name__ == "tenorite.cuda"
from tenorite import fft, scipy
from tenorite.scipy import special
assert cupyx.scipy.sparse.csr_matrix.__module__ == "cupyx.scipy.sparse"
stored = pickle.dumps(cupy.arange(3))
assert b"cupy" not in stored and pickle.loads(stored).tolist() == [0, 1, 2] and pickle.loads(kept).sum() == 2
matrix = pickle.loads(pickle.dumps(cupyx.scipy.sparse.csr_matrix(cupy.eye(2))))
assert matrix.toarray().tolist() == [[1, 0], [0, 1]]
print("good")
"""


def test_star_import_gives_submodules():
    """array_api_compat and SciPy make their namespaces of it."""
    done = python("-c", "from tenorite import *; print(random.RandomState, linalg.inv(eye(1)), fft.fft, cuda.Device)")
    assert "RandomState" in done.stdout and "[[1.]]" in done.stdout, done.stderr


def test_classes_say_the_names_of_cupy():
    """Dask and others look an array's functions up by the module of its class."""
    done = python("-c", ALIAS)
    assert done.stdout == "good\n", done.stderr
    assert tn.ndarray.__module__ == "tenorite"


# --- Stacks of Cholesky factors, page-locked arrays ---


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (2, 1, 4, 4)])
@pytest.mark.parametrize("columns", [None, 2])
def test_cho_solve_of_stacks(shape, columns, lower):
    """Only one triangle is read: NaN in the other one is no matter."""
    rng = np.random.default_rng(3)
    a = rng.random(shape)
    a = a @ a.swapaxes(-1, -2) + np.eye(shape[-1]) * shape[-1]
    b = rng.random(shape[:-1] if columns is None else (*shape[:-1], columns))
    expected = np.linalg.solve(a, b[..., None])[..., 0] if columns is None else np.linalg.solve(a, b)
    factor = np.linalg.cholesky(a)
    factor = factor if lower else factor.swapaxes(-1, -2)
    unread = np.triu_indices(shape[-1], 1) if lower else np.tril_indices(shape[-1], -1)
    factor = factor.copy()
    factor[..., unread[0], unread[1]] = np.nan
    given = tn.array(b)
    same(tn.x.linalg.cho_solve((tn.array(factor), lower), given), expected)
    assert (given.get() == b).all()
    same(tn.lapack.potrs(tn.array(factor), tn.array(b), lower), expected)
    same(tn.lapack.posv(tn.array(a), tn.array(b)), expected)
    factor[..., 0, 0] = np.inf
    with pytest.raises(ValueError, match="infs or NaNs"):
        tn.x.linalg.cho_solve((tn.array(factor), lower), tn.array(b))


def test_posv_promotes():
    a, b = tn.array([[4.0, 2.0], [2.0, 2.0]]), tn.array([8, 6], dtype="f")
    assert tn.lapack.posv(a, b).dtype == np.float64
    with pytest.raises(ValueError, match="shape mismatch"):
        tn.lapack.posv(a, tn.ones(3))


def test_pinned_arrays_are_based_on_their_memory():
    for shape, order in ((3, "C"), ((2, 3), "F"), ((0, 2), "C"), ((), "C")):
        a = tn.x.empty_pinned(shape, "f", order)
        assert isinstance(a.base, tn.cuda.PinnedMemoryPointer)
        assert a.flags.f_contiguous if order == "F" else a.flags.c_contiguous
    like = np.zeros((2, 4, 3))[:, ::2].swapaxes(0, 1)
    for order in "CFAK":
        assert tn.x.empty_like_pinned(like, order=order).strides == np.empty_like(like, order=order).strides
    assert tn.x.empty_like_pinned(like, shape=(5,)).shape == (5,)
    with pytest.raises(ValueError):
        tn.x.empty_pinned((2, -1))


# --- Views and lists ---


@pytest.mark.parametrize("dtype", ["?", "i1", "f2", "f8", "c16"])
@pytest.mark.parametrize("offset", [-1, 0, 2])
def test_diagonals_can_be_written(dtype, offset):
    a, expected = tn.zeros((3, 4), dtype), np.zeros((3, 4), dtype)
    rows = np.arange(max(0, -offset), min(3, 4 - offset))
    expected[rows, rows + offset] = 1
    a.diagonal(offset)[...] = 1
    same(a, expected)
    tn.diagonal(a, offset, 1, 0)[:1] = 0  # of the transpose
    rows = np.arange(max(0, -offset), min(4, 3 - offset))[:1]
    expected.T[rows, rows + offset] = 0
    same(a, expected)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        a.diagonal()[...] = 1


@pytest.mark.parametrize("name", ["isreal", "iscomplex"])
def test_lists_are_tested_for_imaginary_parts(name):
    for values in ([1, 2j, 3 + 0j], ((1, 2.5), (3, 4)), []):
        same(getattr(tn, name)(values), getattr(np, name)(values))
    with pytest.raises(TypeError, match="Unsupported type"):
        getattr(tn, name)(np.ones(2))


def test_fill_with_a_complex_array_warns():
    a = tn.zeros(3)
    for value in (np.array(2j), tn.array(2j)):
        with pytest.warns(np.exceptions.ComplexWarning):
            a.fill(value)
    a.fill(np.array(True))
    assert a.tolist() == [1, 1, 1]


def test_added_axes_are_a_view():
    for a in (tn.arange(6), tn.arange(6).reshape(2, 3)):
        made = tn.array(a, copy=False, ndmin=3)
        assert made.base is (a if a.base is None else a.base) and not made.flags.owndata
        assert tn.array(a, ndmin=3).base is None


def test_least_dtype_of_objects_that_stand_for_arrays():
    class Lent:
        shape, dtype = (2,), np.dtype("i1")

        def __cupy_get_ndarray__(self):
            return tn.array([-1, 1], "i1")

    assert tn.min_scalar_type(Lent()) == tn.min_scalar_type([Lent(), Lent()]) == np.int8
    assert tn.min_scalar_type([1, 300]) == np.min_scalar_type([1, 300])


def test_objects_with_a_comparison_of_their_own_are_refused():
    class Unequal:
        def __ne__(self, other):
            return True

    a = tn.arange(3)
    assert (a == Unequal()).tolist() == [False] * 3 and (a != object()).tolist() == [True] * 3
    with pytest.raises(TypeError, match="Unsupported type"):
        a != Unequal()


# --- CuPy's names of arguments ---

V, M = tn.arange(5.0), tn.arange(6.0).reshape(2, 3)
OTHERWISE_NAMED = {
    "array": ({"obj": [1, 2]}, ([1, 2],)),
    "array_str": ({"arr": V}, (V,)),
    "corrcoef": ({"a": M}, (M,)),
    "cov": ({"a": M}, (M,)),
    "delete": ({"arr": V, "indices": [1]}, (V, [1])),
    "ediff1d": ({"arr": V}, (V,)),
    "extract": ({"condition": V > 1, "a": V}, (V > 1, V)),
    "flip": ({"a": V}, (V,)),
    "fliplr": ({"a": M}, (M,)),
    "flipud": ({"a": M}, (M,)),
    "histogram": ({"x": V}, (V,)),
    "intersect1d": ({"arr1": V, "arr2": V}, (V, V)),
    "linalg.matrix_power": ({"M": tn.eye(2), "n": 2}, (tn.eye(2), 2)),
    "linalg.matrix_rank": ({"M": tn.eye(2)}, (tn.eye(2),)),
    "rot90": ({"a": M}, (M,)),
    "union1d": ({"arr1": V, "arr2": V}, (V, V)),
}


@pytest.mark.parametrize("name", OTHERWISE_NAMED)
def test_names_of_arguments(name):
    function = tn
    for part in name.split("."):
        function = getattr(function, part)
    named, placed = OTHERWISE_NAMED[name]
    ours, expected = function(**named), function(*placed)
    if isinstance(ours, str):
        assert ours == expected
        return
    for one, other in zip(ours if type(ours) is tuple else (ours,), expected if type(ours) is tuple else (expected,)):
        same(one, other.get())


def test_corrcoef_warns_of_bias():
    with pytest.warns(DeprecationWarning, match="bias and ddof have no effect"):
        same(tn.corrcoef(M, None, True, False), np.corrcoef(M.get()))


def test_assertions_of_numpy_s_keywords():
    nan = tn.array([np.nan])
    tn.testing.assert_allclose(nan, nan, equal_nan=True)
    tn.testing.assert_array_almost_equal(actual=V, desired=V)
    for call in (
        lambda: tn.testing.assert_allclose(nan, nan, equal_nan=False),
        lambda: tn.testing.assert_allclose(V, V.astype("f"), strict=True),
        lambda: tn.testing.assert_array_less(V, (V + 1).astype("f"), strict=True),
    ):
        with pytest.raises(AssertionError):
            call()


def test_calls_that_programs_replace():
    """``profile`` calls the module's start and stop, which tests of programs put mocks in."""
    with mock.patch("tenorite.cuda.profiler.start") as start, mock.patch("tenorite.cuda.profiler.stop") as stop:
        with pytest.raises(ZeroDivisionError), tn.cuda.profile():
            1 / 0
    start.assert_called_once_with()
    stop.assert_called_once_with()


def test_documents_of_our_own():
    for name in ("isscalar", "base_repr", "binary_repr"):
        assert getattr(tn, name).__doc__ != getattr(np, name).__doc__ and getattr(tn, name).__module__ == "tenorite"
    assert [tn.base_repr(11, 3, 2), tn.binary_repr(-2, width=4), tn.binary_repr(6)] == ["00102", "1110", "110"]
    assert tn.isscalar("a") and tn.isscalar(np.float32(3)) and not tn.isscalar(np.array(3))


def test_requirements_of_cupy_are_met_where_we_stand_for_it():
    program = """
from cupy import testing
assert testing.installed("cupy") and testing.installed("cupy>=14") and not testing.installed("cupy<13")
"""
    done = python("-m", "tenorite", "-c", program)
    assert done.returncode == 0, done.stderr


def test_copy_is_no_text():
    a = tn.ones((2, 3))
    for call in (
        lambda: tn.array(a, copy="False"),
        lambda: tn.asarray(a, copy="never"),
        lambda: a.reshape(6, copy="False"),
        lambda: tn.reshape(a, 6, copy=""),
    ):
        with pytest.raises(ValueError, match="strings are not allowed for 'copy'"):
            call()


def test_the_host_by_the_name_that_numpy_has_for_it():
    host = np.arange(3.0)
    for made in (tn.asarray(host, device="cpu"), tn.from_dlpack(host, device="cpu"), tn.arange(3.0, device="cpu")):
        assert made.device.backend == "host" and made.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="a device is"):
        tn.zeros(3, device="cpu:0")


@pytest.mark.parametrize("casting", ["no", "equiv", "safe"])
def test_casts_between_orders_of_bytes(casting):
    for pair in (("<i8", ">i8"), (">i8", ">i8"), (">f4", "<f8"), (np.dtype(">f8"), "f8"), ("<i4", "i4")):
        assert tn.can_cast(*pair, casting) == np.can_cast(*pair, casting), pair
    assert tn.can_cast("bfloat16", "bfloat16", casting)


def test_sizes_and_lengths_that_are_arrays():
    """What has an __index__ is a size of random numbers; arrays are no number of rows."""
    for size, shape in ((np.array(3), (3,)), (tn.array(3), (3,)), (np.array([2, 3]), (2, 3)), ((tn.array(2),), (2,))):
        assert tn.random.normal(size=size).shape == tn.random.default_rng(1).random(size).shape == shape
    with pytest.raises(TypeError):
        tn.random.random(2.0)
    for function in (tn.tril_indices, tn.triu_indices, tn.tri):
        with pytest.raises(TypeError, match="integers, not arrays"):
            function(tn.ones((2, 2)))
