"""Private modules of CuPy's that programs and CuPy's own tests import."""

import numpy
import pytest
import tenorite as tn
from tenorite._cupy import _environment
from tenorite._cupy._core import get_size, internal
from tenorite._cupy._creation import from_data
from tenorite._cupy._indexing import generate
from tenorite._cupy.cuda._compiler_cache import DiskKernelCacheBackend, _hash_length
from tenorite._cupy.distributed import _nccl_comm as communicators, _store as store
from tenorite._cupy.distributed.array import _chunk as chunks, _index_arith as indices, _linalg as products
from tenorite._cupy.fft import _fft as transforms
from tenorite._cupy.linalg import _util
from tenorite._cupy.scipy.interpolate import _bspline2 as splines, _interpolate as piecewise, _rbfinterp as radial
from tenorite._cupy.scipy.linalg import _uarray as uarray
from tenorite._cupy.scipy.ndimage import _util as images
from tenorite._cupy.scipy.signal import (
    _iir_filter_conversions as conversions,
    _iir_utils as recursive,
    _polyutils as polynomials,
    _savitzky_golay as savitzky,
    _upfirdn as upfirdn,
)
from tenorite._cupy.testing import _hypothesis, _protocol_helpers
from tenorite.distributed.array import DistributedArray
from tenorite.testing import _helper, _loops
from tenorite.tools import install_library


def test_modules_of_creation_and_indexing_give_the_public_functions():
    assert from_data.array is tn.array
    assert generate.ix_ is tn.ix_
    assert isinstance(tn.r_, generate.AxisConcatenator)
    assert len(generate.AxisConcatenator()) == 0


def test_tools_that_are_not_there():
    assert _environment.get_cub_path() is None
    assert _environment.get_hipcc_path() is None


def test_stacked_identity():
    made = _util.stacked_identity((2, 1), 3, "f")
    assert made.dtype == "f"
    numpy.testing.assert_array_equal(made.get(), numpy.broadcast_to(numpy.eye(3), (2, 1, 3, 3)))


@pytest.mark.parametrize(
    "ndim, axes, is_nd",
    [
        (1, None, False),
        (2, None, True),
        (3, None, True),
        (4, None, False),
        (3, (0, 2), False),
        (3, (1,), False),
        (3, (1, 2), True),
        (3, (2, 1), True),
        (4, (1, 2), False),
    ],
)
def test_which_transform_cupy_takes(ndim, axes, is_nd):
    taken = transforms._default_fft_func(tn.ones((2,) * ndim), axes=axes)
    assert taken is (transforms._fftn if is_nd else transforms._fft)


def test_the_real_side_of_a_transform_comes_last():
    a = tn.ones((2, 3, 4))
    assert transforms._default_fft_func(a, axes=(2, 1), value_type="R2C") is transforms._fft
    assert transforms._default_fft_func(a, axes=(1, 2), value_type="R2C") is transforms._fftn


def test_transforms_by_their_private_names():
    a = tn.arange(12.0).reshape(3, 4)
    forth = transforms._fftn(a, None, None, None, transforms.FORWARD)
    numpy.testing.assert_allclose(forth.get(), numpy.fft.fftn(a.get()))
    back = transforms._fft(forth, None, None, None, transforms.INVERSE)
    numpy.testing.assert_allclose(back.get(), a.get(), atol=1e-12)
    assert transforms._size_last_transform_axis((3, 4), None, (0,)) == 3
    assert transforms._size_last_transform_axis((3, 4), (5, 6), None) == 6


def test_kernels_in_files(tmp_path):
    kept = DiskKernelCacheBackend(str(tmp_path / "new"))
    assert kept.load("a.cubin") is None
    kept.save("a.cubin", b"kernel", "source")
    assert kept.load("a.cubin") == b"kernel"
    path = tmp_path / "new" / "a.cubin"
    path.write_bytes(path.read_bytes()[:-1])
    assert kept.load("a.cubin") is None
    assert kept._decode_cubin(b"short") is None
    assert len(kept._encode_cubin(b"kernel")) == _hash_length + 6


def test_what_tests_of_cupy_take_from_its_testing():
    assert _hypothesis.chi_square_test([48, 52], [50, 50])
    assert not _hypothesis.chi_square_test([5, 95], [50, 50])
    assert not _helper.is_after_baseline(numpy="1.20")

    @_helper.skip_if_after_baseline(numpy="1.20", reason="none")
    def ran():
        return 1

    assert ran() == 1
    assert _protocol_helpers.DummyObjectWithCuPyGetNDArray(3).__cupy_get_ndarray__() == 3

    @_loops._wraps_partial_xp(lambda self, xp, sp, dtype: None, "xp", "sp")
    def made(self, dtype):
        pass

    assert list(made.__signature__.parameters) == ["self", "dtype"]


def test_libraries_that_can_be_installed():
    assert {one["cuda"] for one in install_library.library_records["nccl"]} == {"12.x", "13.x"}


def test_functions_of_random_by_their_modules():
    from tenorite.random import _distributions, _generator, _sample

    assert _sample.randint is tn.random.randint and _distributions.gamma is tn.random.gamma
    assert _generator.RandomState is tn.random.RandomState
    for name, parameters in (("beta", (3.0, 3.0)), ("noncentral_f", (3.0, 3.0, 3.0)), ("vonmises", (3.0, 3.0))):
        for dtype in ("f2", "i1", "f4"):
            assert getattr(_distributions, name)(*parameters, size=(2, 3), dtype=dtype).dtype == dtype
    with pytest.raises(TypeError, match="uniform"):
        tn.random.uniform(dtype="f2")
    with pytest.raises(TypeError, match="float16"):
        _generator._check_and_get_dtype("f2")
    assert 0 <= int(_generator.RandomState(1)._interval(3, ())) <= 3


def test_choices_of_host_data():
    state = tn.random.RandomState(1)
    assert state.choice([5, 6], 4).dtype == numpy.int64 and state.choice(numpy.arange(3.0), 2).dtype == "f8"
    for p in ([-0.1, 0.3, 0.8], [0.1, 0.1, 0.7]):
        with pytest.raises(ValueError, match="probabilities"):
            state.choice(3, 1, True, p)


def test_the_words_of_a_generator_are_exchanged():
    rng = tn.random.default_rng(1)
    rng.bit_generator = tn.random.XORWOW(2)
    assert isinstance(rng.bit_generator, tn.random.XORWOW)
    with pytest.raises(TypeError, match="BitGenerator"):
        rng.bit_generator = 3


def test_shapes_and_slices_of_internal():
    assert get_size(3) == (3,) and internal.get_size(None) == ()
    with pytest.raises(TypeError):
        internal.get_size(True)
    assert internal.vector_equal([1, 2], (1, 2)) and not internal.vector_equal([1], [1, 2])
    assert internal.get_c_contiguity((3, 1, 3), (6, 100, 2), 2)
    assert not internal.get_c_contiguity((3, 1, 3), (24, 6, 2), 2)
    assert internal.complete_slice(slice(11, 8, 1), 10) == slice(10, 10, 1)
    assert internal.complete_slice(slice(8, None, -1), 10) == slice(8, -1, -1)


def test_an_array_of_one_element_of_the_host_is_copied_to():
    a = tn.zeros((2, 3), "f4")
    tn.copyto(a, numpy.array(2.0))
    assert a.tolist() == [[2.0] * 3] * 2
    tn.copyto(a, numpy.array([3.0]), where=tn.array([True, False, True]))
    assert a.tolist() == [[3.0, 2.0, 3.0]] * 2


def test_a_fit_has_the_dtypes_and_shapes_of_numpy():
    x, y = numpy.arange(5.0, dtype="f4"), numpy.array([[1, 2], [2, 3], [3, 5], [4, 4], [9, 1]], "f4")
    for degree in (0, 2):
        found, expected = (xp.polyfit(xp.asarray(x), xp.asarray(y), degree, cov="unscaled") for xp in (tn, numpy))
        for one, other in zip(found, expected):
            assert one.dtype == other.dtype
            numpy.testing.assert_allclose(one.get(), other, rtol=1e-5, atol=1e-6)


# --- cupyx ---


def test_what_images_are_written_to():
    a = tn.ones(2, "f")
    assert not images._is_integer_output(None, a) and images._is_integer_output("i", a)
    assert images._is_integer_output(numpy.int32, a) and not images._is_integer_output(numpy.float64, a)
    assert images._is_integer_output(tn.ones(2, "B"), a) and not images._is_integer_output(float, tn.arange(2))


def test_matrices_of_radial_functions():
    x = tn.array([[0.0, 0.0], [3.0, 4.0]])
    out = tn.empty((2, 2))
    radial.kernel_matrix(x, radial.NAME_TO_FUNC["cubic"], out)
    numpy.testing.assert_array_equal(out.get(), [[0, 125], [125, 0]])
    powers = radial._monomial_powers(2, 1)
    assert powers.tolist() == [[0, 0], [1, 0], [0, 1]]
    out = tn.empty((2, 3))
    radial.polynomial_matrix(x, powers, out)
    numpy.testing.assert_array_equal(out.get(), [[1, 0, 0], [1, 3, 4]])


def test_filters():
    x, a = tn.arange(1.0, 5.0), tn.array([0.5, 0.25])
    y = [1.0, 2.5, 4.5, 6.875]
    numpy.testing.assert_array_equal(recursive.apply_iir(x, a).get(), y)
    numpy.testing.assert_array_equal(recursive.apply_iir(x[2:], a, zi=tn.array(y[:2])).get(), y[2:])
    section = tn.array([[1.0, 1.0, 0.0, 1.0, -0.5, -0.25]])
    whole = recursive.apply_iir_sos(x, section)
    before = tn.array([[1.0, 2.0, whole[0].item(), whole[1].item()]])
    rest, _ = recursive.apply_iir_sos(x[2:], section, zi=before)
    numpy.testing.assert_array_equal(rest.get(), whole[2:].get())
    numpy.testing.assert_array_equal(recursive.apply_iir_sos(x, section, apply_fir=False).get(), y)
    assert upfirdn._output_len(3, 4, 2, 1) == 9
    numpy.testing.assert_array_equal(savitzky._polyder(tn.array([3, 2, 1]), 1).get(), [6, 2])
    numpy.testing.assert_array_equal(savitzky._polyder(tn.array([3, 2, 1]), 3).get(), [0])


def test_products_of_factors():
    factors, whole = polynomials._compute_factors([1, 2], [2, 1])
    assert [one.tolist() for one in factors] == [[1, -2], [1, -2, 1]]
    assert whole.tolist() == [1, -4, 5, -2]
    factors, _ = polynomials._compute_factors([1, 2], [2, 1], include_powers=True)
    assert [one.tolist() for one in factors] == [[1, -3, 2], [1, -2], [1, -2, 1]]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_names_that_scipy_has():
    pytest.importorskip("scipy")
    pairs, reals = conversions._cplxreal(tn.array([1 + 2j, 1 - 2j, 3]))
    assert pairs.tolist() == [1 + 2j] and reals.tolist() == [3]
    assert set(uarray._notfound) <= {"kron"}  # SciPy 1.17 has dropped it
    ratio = tn.scipy.signal.TransferFunction
    assert ratio._z_to_zinv([2, 3], [5, 6, 7])[0].tolist() == [0, 2, 3]
    assert ratio._zinv_to_z([2, 3], [5, 6, 7])[0].tolist() == [2, 3, 0]


def test_ranges_of_indices():
    g, x = indices._extgcd(12, 18)
    assert g == 6 and (g - 12 * x) % 18 == 0
    both = indices._slice_intersection(slice(1, 20, 3), slice(0, 20, 2), 20)
    assert list(range(20))[both] == [4, 10, 16]
    assert list(range(20))[1:20:3][indices._index_for_subslice(slice(1, 20, 3), both, 20)] == [4, 10, 16]
    assert indices._slice_intersection(slice(0, 20, 2), slice(1, 20, 2), 20) is None
    assert indices._normalize_index((4, 5), slice(1, None)) == (slice(1, 4, 1), slice(0, 5, 1))


def test_chunks():
    chunk = chunks._Chunk(tn.ones(3), tn.cuda.Event(), (slice(1, 4, 1),))
    spread = DistributedArray((4,), "d", {0: [chunk]})
    assert spread._chunks_map[0][0].array is chunk.array and spread.index_map == {0: [(slice(1, 4, 1),)]}
    assert spread._to_op_mode(spread.mode) is spread
    assert products.matmul is tn.distributed.array.matmul and communicators.NCCLBackend is tn.distributed.NCCLBackend


def test_store():
    opened = store.TCPStore(1)
    opened.run(port=0)
    try:
        proxy = store.TCPStoreProxy(port=opened.port)
        proxy["number"], proxy["bytes"] = 1234, b"a\x00b"
        assert proxy["number"] == 1234 and proxy["bytes"] == b"a\x00b"
        for key, value in (("a", 1.5), (1, 2)):
            with pytest.raises(ValueError, match="key must be a str"):
                proxy[key] = value
    finally:
        opened.stop()


def _fail():
    raise KeyError("of the other process")


def test_processes_that_fail():
    one = store.ExceptionAwareProcess(target=_fail)
    one.start()
    with pytest.raises(KeyError, match="of the other process"):
        one.join()


def test_a_spline_by_a_full_matrix():
    x, y = tn.arange(7.0) ** 1.5, tn.cos(tn.arange(14.0)).reshape(7, 2)
    for conditions in (None, "natural", ([(1, tn.ones(2))], [(2, tn.zeros(2))])):
        wanted = tn.scipy.interpolate.make_interp_spline(x, y, bc_type=conditions)
        found = splines._make_interp_spline_full_matrix(x, y, 3, wanted.t, conditions)
        tn.testing.assert_allclose(found.c, wanted.c, rtol=1e-10, atol=1e-10)
    tn.testing.assert_array_equal(splines._not_a_knot(x, 3), tn.scipy.interpolate.make_interp_spline(x, y).t)


def test_polynomials_that_are_made_smooth():
    c, x = tn.cos(tn.arange(60.0)).reshape(4, 5, 3), tn.array([0.0, 1.0, 1.5, 3.0, 4.0, 6.0])
    piecewise._fix_continuity(c, x, 2)
    made = piecewise.PPoly(c, x)
    for nu in range(3):
        tn.testing.assert_allclose(made(x[1:-1] - 1e-9, nu), made(x[1:-1], nu), rtol=1e-5, atol=1e-5)
